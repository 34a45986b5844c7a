#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 4.8: how Kilo TM scales with the number of warps per core that may be
# in transactions, as speed-up over one lock for all transactions; cycles of coarse-grained locks,
# fine-grained locks and Kilo TM, and Kilo TM's aborts. Locks know no transactions, so the
# limit does not touch fine-lock.
# The trend is the paper's: the best limit is 1 with 800 buckets, 2 with 8000 and 8 with 80000, where
# conflicts are rare, and Kilo TM is 71 to 499 times as fast as one lock at its best limit. It takes
# 2.2 to 2.6 times the cycles of fine-grained locks on the hash tables, but a third on atm-1m. There
# 8192 threads at once hold two lines of accounts each, which the L2 cannot keep between lock,
# balance and release; with machine.l2_bytes=8388608 the locks take 55,854 cycles, not 197,625.
. "$(dirname "$0")/common.sh"

for workload in ht-800 ht-8000 ht-80000 atm-1m; do
	for concurrency in 1 2 4 8 inf; do
		for system in coarse-lock fine-lock kilo-tm; do
			echo "$workload $system $concurrency"
		done
	done
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "concurrency", "coarse-lock", "fine-lock", "kilo-tm", "aborts", "speed-up"
	}
	{ cycles[NR % 3] = $4 }
	NR % 3 == 0 { printf "%s\t%s\t%d\t%d\t%d\t%d\t%.1f\n", $1, $3, cycles[1], cycles[2], $4, $6, cycles[1] / $4 }
	' "$runs" >"$tsv"
cat "$tsv"

# A group of bars per workload: the column of each limit, next to each other.
for concurrency in 1 2 4 8 inf; do
	awk -F '\t' -v c="$concurrency" 'NR == 1 { print "workload\t" c } $2 == c { print $1 "\t" $7 }' "$tsv" \
		>"$work/$concurrency"
done
draw <<TXT
set ylabel 'speed-up over one lock'
set key title 'warps per core'
plot for [c in '1 2 4 8 inf'] '$work/'.c using 2:xtic(1) title columnheader(2)
TXT
