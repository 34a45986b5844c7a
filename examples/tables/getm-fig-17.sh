#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 17: execution time with 15 and with 56 cores, relative to WarpTM with TCD on 15
# cores, each at its best limit of concurrency. With 56 cores the L2 has 4 MB in 8 partitions, WarpTM's
# last-written tables and GETM's precise tables are twice as large in all.
# Trend as in the paper: with 56 cores GETM keeps its place against WarpTM (0.50 to 0.67 of
# WarpTM's cycles on 15 cores on hash tables and transfers), and limits of concurrency fall.
# Neither gains much but on transfers, as 256 warps of threads leave most of 56 cores idle.
. "$(dirname "$0")/common.sh"

large=machine.cores=56,machine.partitions=8,machine.l2_bytes=524288
for workload in $(getm_workloads); do
	for system in warptm-tcd "warptm-tcd:$large,tcd.filter.entries=512" getm \
		"getm:$large,validation_unit.entries=512"; do
		for concurrency in 1 2 4 8 inf; do
			echo "$workload $system $concurrency"
		done
	done
done | run_points | best >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "warptm-tcd 15", "warptm-tcd 56", "getm 15", "getm 56", "limits"
	}
	{ cycles[NR % 4] = $4; limit[NR % 4] = $3 }
	NR % 4 == 0 {
		printf "%s\t1.00\t%.2f\t%.2f\t%.2f\t%s %s %s %s\n", $1, cycles[2] / cycles[1],
			cycles[3] / cycles[1], cycles[0] / cycles[1], limit[1], limit[2], limit[3], limit[0]
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'execution time relative to WarpTM on 15 cores'
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
