#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Chen, Peng and Irving, ISCA 2017, Fig. 13: speed-up over WarpTM of Kilo TM, snapshot isolation
# with post-dating, and the same with loops found in a graph for nothing.
# The paper's trend for snapshot isolation: it is the fastest on every program, 1.2 to 3 times as
# fast as WarpTM; as fast as with the graph on trees and graph-cut, and behind it on the lists,
# where the graph gives the most, 2.5 and 3.7. The paper's best is 4.5.
# Not the paper's: there WarpTM is slower than Kilo TM, here only on graph-cut. On lists and trees
# the resolution within a warp is what makes WarpTM faster: with Kilo TM's messages it still takes
# 12 to 24 % fewer cycles than Kilo TM on the lists and on tree-1. Probably because a loser
# of the resolution starts again at once and one of the validation waits for its outcome.
# On graph-cut-1 Kilo TM is as fast as snapshot isolation: all threads are in one warp, and
# most pairs of contractions write the same lists.
. "$(dirname "$0")/si-common.sh"

run_programs warptm kilo-tm si-tm si-tm-oracle | awk '
	BEGIN { print "program\twarptm\tkilo-tm\tsi-tm\tsi-tm-oracle\tsi-tm over kilo-tm\twarptm cycles" }
	{ cycles[NR % 4] = $3 }
	NR % 4 == 0 {
		w = cycles[1]
		printf "%s\t1.00\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\n", $1, w / cycles[2], w / cycles[3],
			w / cycles[0], cycles[2] / cycles[3], w
	}' >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'speed-up over WarpTM'
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
