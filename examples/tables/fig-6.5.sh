#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.5: accesses of the commit units to the L2 cache that are saved by
# joining the words of a warp in regions of 32 bytes: of validation (reads) and of commit (writes).
# The thesis' trend for writes: 38 % are saved on average (39 % there). Of reads it is 14 % (40 %
# there), because a read is joined with the words of its message only, which are one row of the
# log, and the hash tables read a single word.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED='commit_unit.validated commit_unit.revalidated commit_unit.read_requests
commit_unit.written commit_unit.write_requests'
for workload in ht-800 ht-8000 ht-80000 htk-8000 atm-1m atm-1024 audit octree; do
	echo "$workload warptm 2"
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "reads saved", "writes saved", "words read", "reads", "words written", "writes"
	}
	function saved(words, requests) { return 100 * (1 - requests / words) }
	{
		n++
		words = $4 + $5
		read += saved(words, $6)
		write += saved($7, $8)
		printf "%s\t%.1f\t%.1f\t%d\t%d\t%d\t%d\n", $1, saved(words, $6), saved($7, $8), words, $6, $7, $8
	}
	END { printf "mean\t%.1f\t%.1f\t-\t-\t-\t-\n", read / n, write / n }' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'accesses saved, %'
plot for [i = 2:3] '$tsv' using i:xtic(1) title columnheader(i)
TXT
