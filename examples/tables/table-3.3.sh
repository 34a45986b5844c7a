#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Table 3.3 (its column is tbc-lcp) and the right half of Fig. 3.9: the most
# entries of a stack.
# The thesis' trend: a few entries, one where nothing diverges, and likely convergence needs fewer
# of them where branches merge early (break), although it adds one for itself elsewhere (bfs).
. "$(dirname "$0")/flow.sh"

COLUMNS_WANTED='stack_depth'
for kernel in $divergent $coherent; do
	for mechanism in pdom pdom-lcp tbc tbc-lcp; do
		echo "$kernel $mechanism $mechanism"
	done
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "kernel", "pdom", "pdom-lcp", "tbc", "tbc-lcp"
	}
	$3 == "pdom" { line = $1 }
	{ line = line "\t" $4 }
	$3 == "tbc-lcp" { print line }' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'entries'
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
