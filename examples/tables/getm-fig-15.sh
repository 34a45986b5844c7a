#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 15 and 16: stall buffers. Fig. 15 is the largest number of waiting accesses over
# all buffers (here the sum of the partitions' own maxima, which is no less); Fig. 16 the mean number
# on the line of an access that comes to wait. With room for 64 lines of 64 accesses, and with the
# paper's 4 of 4: there also the accesses that found no room and aborted, in percent. GETM at a limit
# of 8 warps.
# Fig. 15 is not as in the paper, where at most 12 wait in the whole GPU: hash tables have
# hundreds where there is room, and the 4 x 4 are full at times. Two causes: an access is a word
# of a lane here, and an access to what its own warp still holds through its previous attempt
# waits too (19, 60 and 51 % of those that come to wait on ht-800, ht-8000 and ht-80000), which in
# the paper would pass and read stale values. Fig. 16 is as in the paper: a line has 1.0 to 2.4
# accesses on average.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED='cycles stall_buffer.waiting_max stall_buffer.lines_max stall_buffer.length_sum
	stall_buffer.queued stall_buffer.no_line stall_buffer.no_slot validation_unit.accesses'
wide=validation_unit.stall_lines=64,validation_unit.stall_requests=64
for workload in $(getm_workloads); do
	printf '%s\n' "$workload getm:$wide 8" "$workload getm 8"
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "most waiting", "most lines", "mean of a line", "cycles", "most waiting, 4 x 4",
			"mean of a line, 4 x 4", "no room, 4 x 4", "cycles, 4 x 4"
	}
	function mean() { return sprintf("%.2f", $8 ? $7 / $8 : 0) }
	NR % 2 { line = $1 OFS $5 OFS $6 OFS mean() OFS $4; next }
	{ print line, $5, mean(), sprintf("%.2f %%", 100 * ($9 + $10) / $11), $4 }' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'waiting accesses'
plot for [i = 2:4] '$tsv' using i:xtic(1) title columnheader(i)
TXT
