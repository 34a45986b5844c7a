#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# schedule.sh [TRACE...]: cycles of traces at the best fixed limit of concurrency, with limits that
# move, and in the order of an oracle without a limit (schedule.py), as a table. Without a TRACE
# programs are recorded. The oracle deals transactions to 1, 2, 4, 8 or 16 warps of each of 15
# cores, and the best of these counts, as of the limits. SIM is the program (default gputm-sim).
set -eu
SIM=${SIM:-gputm-sim} here=$(dirname "$0") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# record NAME ARGUMENT...
record() {
	name=$1
	shift
	"$SIM" --system ideal "$@" --record "$work/$name" --out "$work/report"
}

# cycles TRACE ARGUMENT...
cycles() {
	trace=$1
	shift
	"$SIM" --system "$system" --trace "$trace" "$@" --only cycles --format csv |
		sed -n 's/.*,,,cycles,//p'
}

least() {
	sort -n | head -n 1
}

oracle() {
	case $system in getm) granule=32 ;; *) granule=4 ;; esac
	for warps in 1 2 4 8 16; do
		python3 "$here/schedule.py" $((warps * 15 * 32)) $granule <"$1" >"$work/schedule"
		cycles "$work/schedule" --concurrency inf
	done | least
}

if [ $# -eq 0 ]; then
	table='--workload hash-table --set workload.key_inside=1 --threads 11520'
	# shellcheck disable=SC2086
	record HT-H $table --set workload.buckets=4000
	# shellcheck disable=SC2086
	record HT-L $table --set workload.buckets=400000
	record ATM --workload bank --threads 11520
	record octree --workload octree --threads 7680
	record tree --workload tree --threads 7680 --set workload.elements=4000 \
		--set workload.keys=8000
	record EigenBench --workload eigenbench --threads 3840
	set -- "$work/HT-H" "$work/HT-L" "$work/ATM" "$work/octree" "$work/tree" "$work/EigenBench"
fi
printf 'trace\tsystem\tbest limit\taborts\tclimb\toracle\tgain of aborts\tof climb\tof oracle\n'
for trace in "$@"; do
	for system in kilo-tm warptm-tcd getm; do
		best=$(for limit in 1 2 4 8 16 inf; do
			cycles "$trace" --concurrency $limit
		done | least)
		printf '%s\t%s\t%d\t%d\t%d\t%d\n' "$(basename "$trace" .trace)" $system "$best" \
			"$(cycles "$trace" --concurrency 2 --set tx_throttle.policy=aborts)" \
			"$(cycles "$trace" --concurrency 1 --set tx_throttle.policy=climb)" \
			"$(oracle "$trace")"
	done
done | awk -F '\t' '{ printf "%s\t%.2f\t%.2f\t%.2f\n", $0, $3 / $4, $3 / $5, $3 / $6
	for (i = 4; i <= 6; i++) sum[i] += log($3 / $i) }
	END { printf "geometric mean\t\t\t\t\t\t%.2f\t%.2f\t%.2f\n", exp(sum[4] / NR), exp(sum[5] / NR),
		exp(sum[6] / NR) }'
