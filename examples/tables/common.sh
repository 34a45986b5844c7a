# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts of this directory. A script is called as
#	fig-X.sh [DIRECTORY]
# and leaves fig-X.tsv, and fig-X.svg where gnuplot is present, in DIRECTORY (default: here);
# the table goes to standard output too. SIM is the program (default gputm-sim), MACHINE
# its machine, and CHECK=--check proves every run. Runs go side by side where GNU parallel is
# present.
set -eu
SIM=${SIM:-gputm-sim} MACHINE=${MACHINE:-fermi} CHECK=${CHECK:-}
export SIM MACHINE CHECK
directory=${1:-.}
figure=$(basename "$0" .sh)
tsv=$directory/$figure.tsv
mkdir -p "$directory"
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
runs=$work/runs

have() {
	command -v "$1" >/dev/null 2>&1
}

# What a run tells: figures by their names in --format csv --report instances, sums over the units of a role.
COLUMNS_WANTED='cycles committed aborted'
export COLUMNS_WANTED

# The report of a run, as CSV on standard input: the point, called $name, and the columns wanted.
TELL='awk -F, -v point="$name $2 $3" "
	NR > 1 {
		name = \$2 (\$2 == \"\" ? \"\" : \".\") \$4
		value[name] = \$3 == \"\" ? \$5 : value[name] + \$5
	}
	END {
		n = split(ENVIRON[\"COLUMNS_WANTED\"], wanted, \" \")
		for (i = 1; i <= n; i++)
			point = point \" \" (wanted[i] in value ? value[wanted[i]] : 0)
		print point
		passed = !(\"check.passed\" in value) || value[\"check.passed\"] == \"true\"
		exit !passed
	}"'

# One run: "WORKLOAD SYSTEM CONCURRENCY" gives these and the columns wanted. WORKLOAD and SYSTEM
# may be followed by settings, as in warptm:system.resolver=scr,commit_unit.hazard_rate=2, and
# WORKLOAD by threads=N and seed=N among them. A WORKLOAD that ends in .trace.gz is a recorded
# trace.
POINT='
settings=$(for word in "$1" "$2"; do
	echo "$word:" | sed "s/^[^:]*://; s/:\$//; s/[^,][^,]*/--set &/g; s/,/ /g
		s/--set threads=/--threads /; s/--set seed=/--seed /"
done)
name=$(basename "$1" .trace.gz)
case $1 in
*.trace.gz) zcat "$1" >"$work/$name.$$"; what="--trace $work/$name.$$" ;;
*) what="--workload ${1%%:*}" ;;
esac
case $2 in
fine-lock*) limit= ;;
*) limit="--concurrency $3" ;;
esac
"$SIM" $what --system "${2%%:*}" $limit --machine "$MACHINE" $CHECK \
	$settings --format csv --report instances --progress never | '$TELL' &&
rm -f "$work/$name.$$"'
export POINT

# Run the points on standard input, one a line; results in the same order, separated by blanks.
run_points() {
	if have parallel; then
		parallel --will-cite -k --colsep ' ' --halt now,fail=1 'sh -c "$POINT" point {1} {2} {3}'
	else
		while read -r workload system concurrency; do
			sh -c "$POINT" point "$workload" "$system" "$concurrency" </dev/null
		done
	fi
}

# Of the results on standard input, for each workload and system in order of appearance the one
# with the fewest cycles: its best limit of concurrency.
best() {
	awk '{
		point = $1 " " $2
		if (!(point in cycles))
			order[++n] = point
		if (!(point in cycles) || $4 < cycles[point]) {
			cycles[point] = $4
			line[point] = $0
		}
	}
	END { for (i = 1; i <= n; i++) print line[order[i]] }'
}

# Draw with the gnuplot commands on standard input, to DIRECTORY/FIGURE.svg.
draw() {
	have gnuplot || return 0
	{
		echo "set terminal svg size 800,400 font 'sans,11'; set output '$directory/$figure.svg'"
		echo "set style data histograms; set style fill solid 0.8; set key outside"
		printf 'set datafile separator "\\t"\n'
		echo 'set grid ytics; set yrange [0:*]'
		cat
	} | gnuplot
}

# The workloads of GETM's tables: the hash tables, transfers, the octree and the contraction of a
# graph stand for its HT-H, HT-M, HT-L, ATM, BH and CC; its CL, CLto and AP programs are not
# published. With TRACES=directory recorded traces of such programs come in too.
getm_workloads() {
	echo ht-800 ht-8000 ht-80000 atm-1m octree graph-cut tree
	for trace in cl_grid64 bh_plummer; do
		[ ! -e "${TRACES:-}/$trace.trace.gz" ] || echo "$TRACES/$trace.trace.gz"
	done
}

# best_points SYSTEM...: every workload of GETM under each system, at its best limit of concurrency.
best_points() {
	for workload in $(getm_workloads); do
		for system in "$@"; do
			for concurrency in 1 2 4 8 16 inf; do
				echo "$workload $system $concurrency"
			done
		done
	done | run_points | best
}

# compare_steps LIMITS WORKLOAD...: a table and figure of the systems in $work/steps, lines of
# "NAME SYSTEM", each at its best limit, relative to the first; and aborts per 1000 commits.
compare_steps() {
	limits=$1
	shift
	for workload in "$@"; do
		while read -r _ system; do
			for concurrency in $limits; do
				[ "$system" != fine-lock ] || concurrency=inf
				echo "$workload $system $concurrency"
				[ "$system" != fine-lock ] || break
			done
		done <"$work/steps"
	done | run_points | best >"$runs"
	awk '
		BEGIN { head = "workload"; more = "" }
		NR == FNR {
			name[++n] = $1
			head = head "\t" $1
			more = more "\t" $1 " limit\t" $1 " aborts"
			next
		}
		FNR == 1 { print head more "\tcycles of " name[1] }
		{
			k = k % n + 1
			if (k == 1) {
				base = $4
				line = $1
				more = ""
			}
			line = line sprintf("\t%.2f", $4 / base)
			more = more sprintf("\t%s\t%.0f", $3, 1000 * $6 / $5)
			if (k == n)
				print line more "\t" base
		}' "$work/steps" "$runs" >"$tsv"
	cat "$tsv"
	draw <<TXT
set ylabel 'execution time relative to the first'
plot for [i = 2:$(($(wc -l <"$work/steps") + 1))] '$tsv' using i:xtic(1) title columnheader(i)
TXT
}
