#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 4.6 and 4.7: execution time of Kilo TM with two transactional warps
# per core and with all of them, and of fine-grained locks, relative to ideal TM with all warps;
# and the aborts per commit of the TM systems. The thesis' HT-H and HT-L are ht-8000 and
# ht-80000 here, ATM is atm-1m; its CL, BH, CC and AP programs are not published.
. "$(dirname "$0")/common.sh"

for workload in ht-800 ht-8000 ht-80000 atm-1m; do
	printf '%s\n' "$workload ideal inf" "$workload kilo-tm 2" "$workload kilo-tm inf" \
		"$workload fine-lock inf"
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "ideal", "kilo-tm 2", "kilo-tm inf", "fine-lock", "ideal cycles", \
			"ideal aborts", "kilo-tm 2 aborts", "kilo-tm inf aborts"
	}
	{ cycles[NR % 4] = $4; aborts[NR % 4] = $6 / $5 }
	NR % 4 == 0 {
		printf "%s\t1.00\t%.2f\t%.2f\t%.2f\t%d\t%.3f\t%.3f\t%.3f\n", $1, cycles[2] / cycles[1],
			cycles[3] / cycles[1], cycles[0] / cycles[1], cycles[1], aborts[1], aborts[2], aborts[3]
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'execution time relative to ideal TM'
plot for [i = 2:5] '$tsv' using i:xtic(1) title columnheader(i)
TXT
