#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Chen, Peng and Irving, ISCA 2017, Fig. 20: speed-up over WarpTM with 2 to 16 versions.
# Not the paper's trend, which is that more versions are better and 8 are near the best. Here
# 8 and 16 are about the same too, but only tree-1 gains by them, 6 % over two versions; graph-cut
# does not care, list-1 and tree-2 lose up to 9 % and list-2 23 %. With two versions a commit
# waits until nobody reads the older one, so commits gather: on list-2 129 versions are sealed in
# place of 219, and loops abort 4316 attempts in place of 5695. The paper's reason for its trend,
# that older snapshots make more writes conflict, does not show: conflicts with commits are as
# many.
. "$(dirname "$0")/si-common.sh"

numbers='2 3 4 6 8 12 16'
# shellcheck disable=SC2046
run_programs warptm $(for n in $numbers; do echo "si-tm:version_table.versions=$n"; done) |
	awk -v numbers="$numbers" '
	BEGIN {
		n = split(numbers, number, " ")
		line = "program"
		for (i = 1; i <= n; i++)
			line = line "\t" number[i]
		print line
	}
	NR % (n + 1) == 1 {
		line = $1
		base = $3
		next
	}
	{ line = line "\t" sprintf("%.2f", base / $3) }
	NR % (n + 1) == 0 { print line }' >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'speed-up over WarpTM'
plot for [i = 2:8] '$tsv' using i:xtic(1) title columnheader(i)
TXT
