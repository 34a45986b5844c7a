#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Chen, Peng and Irving, ISCA 2017, Fig. 16: aborts by reason, relative to all aborts of WarpTM.
# "writer" is the single-writer limit; "conflict" is a write to a word that has a commit which the
# snapshot lacks; "loop" is a loop declared by post-dating, and with the graph any conflict.
# The paper's trend: most of WarpTM's aborts come from the resolution within the warp (on tree-1
# a third), snapshot isolation has fewer, and the graph the fewest on the lists. The
# single-writer limit costs many, most on graph-cut, half of all there, and a fifth to a quarter
# of WarpTM's aborts on the lists.
# Not the paper's: Kilo TM aborts as often as WarpTM on lists and trees, and only on
# graph-cut half as often, which is less than snapshot isolation; and post-dating never aborts
# more often than WarpTM.
. "$(dirname "$0")/si-common.sh"

reasons='validation intra_warp watchdog conflict writer loop stale capacity rollover'
COLUMNS_WANTED="aborted $(for reason in $reasons; do printf 'aborts_by_reason.%s ' $reason; done)"
run_programs warptm kilo-tm si-tm si-tm-oracle | awk -v reasons="$reasons" '
	BEGIN {
		n = split(reasons, reason, " ")
		line = "program\tsystem\taborts\tall"
		for (i = 1; i <= n; i++)
			line = line "\t" reason[i]
		print line
	}
	{
		base = NR % 4 == 1 ? $3 : base
		line = $1 "\t" $2 "\t" $3 "\t" sprintf("%.2f", $3 / base)
		for (i = 1; i <= n; i++)
			line = line "\t" sprintf("%.2f", $(3 + i) / base)
		print line
	}' >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'aborts relative to WarpTM'
set style histogram rowstacked; set xtics rotate by -60 font ',7'
plot for [i = 5:10] '$tsv' using i:xtic(stringcolumn(1).' '.stringcolumn(2)) title columnheader(i)
TXT
