#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 3.13 and 3.14: thread block compaction under the policies that choose
# among thread blocks, relative to pdom: performance, and loads that miss in the core's L1.
# The thesis' trend: SRR is the most robust, and RRB lets the blocks contend for memory in the
# coherent kernel. Not for AGE, the best of the thesis: a launch of few blocks on one core ends with
# one block alone, whose synchronisation nothing overlaps, as the thesis says of LPS, NAMD and
# LIB. In the coherent kernel AGE drives blocks apart, so that they no longer share lines of the L1.
. "$(dirname "$0")/flow.sh"

COLUMNS_WANTED='cycles memory.l1_misses'
for kernel in $divergent $coherent; do
	echo "$kernel pdom pdom"
	for policy in age rrb srr; do
		echo "$kernel tbc-lcp:block_priority.policy=$policy $policy"
	done
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "kernel", "age", "rrb", "srr", "misses age", "misses rrb", "misses srr"
	}
	$3 == "pdom" {
		cycles = $4
		misses = $5
		line = $1
		more = ""
		next
	}
	{
		line = line sprintf("\t%.3f", cycles / $4)
		more = more (misses ? sprintf("\t%.2f", $5 / misses) : "\t-")
	}
	$3 == "srr" { print line more }' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'performance relative to pdom'
plot for [i = 2:4] '$tsv' using i:xtic(1) title columnheader(i)
TXT
