#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 10: cycles that warps spend in transactions, restarts included (EXEC), and
# waiting to be admitted to one (WAIT), for WarpTM with TCD and for GETM, each at its best limit of
# concurrency, relative to the sum of the two for WarpTM.
# Trend as in the paper on hash tables and transfers: GETM takes 44 to 78 % of WarpTM's sum, and
# the wait falls most, as warps leave without the round trips of a commit. Equal on graph-cut,
# whose transactions follow one another. Not on octree and tree (147 and 134 %), probably because
# most transactions there only read, which TCD commits silently, while in GETM a load aborts at
# every younger write, however long ago it was.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED='cycles tx_exec_cycles tx_wait_cycles'
best_points warptm-tcd getm >"$runs"
awk '
	BEGIN { OFS = "\t"; print "workload", "warptm exec", "warptm wait", "getm exec", "getm wait", "getm" }
	{ run[NR % 2] = $5; wait[NR % 2] = $6 }
	NR % 2 == 0 {
		base = run[1] + wait[1]
		printf "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", $1, run[1] / base, wait[1] / base,
			run[0] / base, wait[0] / base, (run[0] + wait[0]) / base
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'cycles in and before transactions relative to WarpTM'
set style histogram rowstacked
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
