#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.10: execution time of Kilo TM, Kilo TM with TCD, WarpTM and WarpTM
# with TCD relative to fine-grained locks, each at its best limit of concurrency; and Table 6.4,
# left in table-6.4.tsv: these limits, and the aborts per 1000 commits. audit has no locks and is
# given in cycles only.
# The thesis' trend for TCD: it helps where transactions only read, Kilo TM by 11 % on octree and
# 27 % on audit (37 % on average there), WarpTM by 14 and 25 %. Not for WarpTM: it saves 23 % on
# octree and takes up to 43 % longer on the others (there it is 42 % faster). It saves messages, and
# messages do not limit Kilo TM on this machine (with machine.crossbar_mhz=350 WarpTM is faster on
# atm-1m); but with one outcome for a warp all its lanes wait for the one that waits for an older
# warp. Limits fall with contention, as there, but WarpTM does not raise them.
. "$(dirname "$0")/common.sh"

scalar=system.resolver=none,commit_unit.warp_mode=0,commit_sequencer.mode=scalar
systems="kilo-tm warptm-tcd:$scalar,commit_sequencer.pack_verdict=0 warptm warptm-tcd"
for workload in ht-800 ht-8000 ht-80000 atm-1m octree audit; do
	[ $workload = audit ] || echo "$workload fine-lock inf"
	for system in $systems; do
		for concurrency in 1 2 4 8 inf; do
			echo "$workload $system $concurrency"
		done
	done
done | run_points | best | sed 's/ warptm-tcd:[^ ]*/ tcd/' >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		n = split("kilo-tm tcd warptm warptm-tcd", name, " ")
		head = "workload"
		for (k = 1; k <= n; k++)
			head = head OFS name[k]
		head = head OFS "fine-lock cycles"
		for (k = 1; k <= n; k++)
			head = head OFS name[k] " cycles"
		print head
	}
	{ cycles[$2] = $4 }
	$2 == "warptm-tcd" {
		base = cycles["fine-lock"]
		line = $1
		for (k = 1; k <= n; k++)
			line = line OFS (base ? sprintf("%.2f", cycles[name[k]] / base) : "-")
		line = line OFS (base ? base : "-")
		for (k = 1; k <= n; k++)
			line = line OFS cycles[name[k]]
		print line
		delete cycles["fine-lock"]
	}' "$runs" >"$tsv"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "system", "limit", "aborts per 1000 commits", "cycles"
	}
	$2 != "fine-lock" { print $1, $2, $3, sprintf("%.0f", 1000 * $6 / $5), $4 }
	' "$runs" >"$directory/table-6.4.tsv"
cat "$tsv" "$directory/table-6.4.tsv"

draw <<TXT
set ylabel 'execution time relative to fine-grained locks'
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
