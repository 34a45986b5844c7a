# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts for Chen, Peng and Irving, ISCA 2017, beside common.sh. The programs of
# their Table 3 are not published; these are our workloads of the same kinds and sizes. Their
# Red Black Tree and Vacation are missing. As in their Table 2, WarpTM and Kilo TM have twice the
# L2, and two warps of a core may be in transactions. Each point is run with three seeds.
. "$(dirname "$0")/common.sh"

programs='list-1 list-2 tree-1 tree-2 graph-cut-1 graph-cut-2'
seeds='1 2 3'

# The workload of a program, with its settings.
program() {
	only=workload.lookups=0,workload.distinct=1
	insert=$only,workload.elements=0,workload.keys=1000,workload.removals=0
	case $1 in
	list-1) echo "list:threads=100,$insert" ;;
	list-2) echo "list:threads=200,$insert" ;;
	tree-1) echo "tree:threads=1000,$only,workload.elements=1000,workload.removals=100" ;;
	tree-2) echo "tree:threads=100,$only,workload.elements=1000,workload.removals=50" ;;
	graph-cut-1) echo graph-cut:threads=32,workload.vertices=60,workload.edges=180 ;;
	graph-cut-2) echo graph-cut:threads=32,workload.vertices=90,workload.edges=270 ;;
	esac
}

# run_programs SYSTEM...: lines of "PROGRAM SYSTEM" and the columns wanted, summed over the seeds.
run_programs() {
	for name in $programs; do
		for system in "$@"; do
			case $system in
			warptm | kilo-tm) settings=$system:machine.l2_bytes=262144 ;;
			*) settings=$system ;;
			esac
			for seed in $seeds; do
				echo "$name $system" >&3
				echo "$(program "$name"),seed=$seed $settings 2"
			done
		done
	done 3>"$work/names" | run_points >"$runs"
	paste -d ' ' "$work/names" "$runs" | awk '{
		point = $1 " " $2
		if (!(point in runs))
			order[++n] = point
		runs[point]++
		for (i = 6; i <= NF; i++)
			sum[point, i] += $i
		fields = NF
	}
	END {
		for (k = 1; k <= n; k++) {
			line = order[k]
			for (i = 6; i <= fields; i++)
				line = line " " sum[order[k], i]
			print line
		}
	}'
}
