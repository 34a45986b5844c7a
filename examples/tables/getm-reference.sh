#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM beside its authors' simulator: cycles of 700 MHz and aborts of ht-8000 on the machine "reference"
# at each limit of concurrency; of GETM as in the paper, with a clock for each warp; with one for each
# core, as in their simulator; and theirs. Then atm-1m at a limit of 8 warps, where theirs makes no
# progress any more for want of table entries: cycles, aborts, mean cycles of an access to the
# metadata, entries evicted to the filter, insertions that ended in stash and overflow.
# With a clock for each core the aborts are theirs within 12 to 22 % at each limit, with one for
# each warp they are up to six times as many at small ones: a warp that has not aborted yet starts
# at 0. Packets at a limit of 2, a clock for each core: 29620 to memory and 23023 back, theirs
# 33587 and 26434. Cycles are then 25 to 36 % fewer than theirs, but for a limit of 8, probably
# because their warps wait for their commits to be acknowledged. On atm-1m entries without
# reservation are evicted 50649 times, and the approximate stamps of the filter are what that
# costs: 1.2 aborts for each commit; neither stash nor overflow is used.
MACHINE=reference
. "$(dirname "$0")/common.sh"

for concurrency in 1 2 4 8 inf; do
	printf '%s\n' "ht-8000 getm $concurrency" "ht-8000 getm:warp_clock.per_core=1 $concurrency"
done | run_points >"$runs"
cat >"$work/theirs" <<'TXT'
1 40806 852
2 26755 1318
4 22414 2373
8 23819 5447
inf 32452 11646
TXT
awk '
	BEGIN {
		OFS = "\t"
		print "limit", "getm", "aborts", "clock per core", "aborts", "their simulator", "aborts"
	}
	NR == FNR { theirs[$1] = $2 OFS $3; next }
	FNR % 2 { line = $3 OFS $4 OFS $6; next }
	{ print line, $4, $6, theirs[$3] }' "$work/theirs" "$runs" >"$tsv"
cat "$tsv"
COLUMNS_WANTED='cycles aborted validation_unit.access_cycles validation_unit.accesses
	metadata_table.evictions metadata_table.stashed metadata_table.spilled'
echo 'atm-1m getm 8' | run_points | awk '
	BEGIN { OFS = "\t"; print "atm-1m at 8", "aborts", "mean cycles", "evicted", "stash", "overflow" }
	{ print $4, $5, sprintf("%.2f", $6 / $7), $8, $9, $10 }' >"$directory/$figure-atm-1m.tsv"
cat "$directory/$figure-atm-1m.tsv"

draw <<TXT
set ylabel 'ht-8000: cycles of 700 MHz'
plot for [i in "2 4 6"] '$tsv' using int(i):xtic(1) title columnheader(int(i))
TXT
