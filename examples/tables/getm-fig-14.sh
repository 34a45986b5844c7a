#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 14: execution time with metadata tables of 1536 to 12288 entries in all (the
# paper's 2K, 4K and 8K lie between), with granules of 16 to 128 bytes, with two registers in place of
# the recency filter, without stash and with one of 16 entries; at a limit of 8 warps, relative to
# WarpTM with TCD at its best limit.
# Trend as in the paper: 1536 entries are too few (ht-80000 takes 1.8 times as long, atm-1m 1.4
# times), 12288 gain nothing. Small granules are better (octree at 16 B takes half the time of 32
# B), but not on atm-1m, where they halve what the table covers, as there. Registers cost up to
# 2.5 times, as there. The stash changes nothing here: an entry without reservation always ends
# the chain before.
. "$(dirname "$0")/common.sh"

unit=validation_unit
best_points warptm-tcd >"$work/base"
printf '%s\n' getm:$unit.entries=64 getm:$unit.entries=128 getm getm:$unit.entries=512 \
	getm:$unit.granularity=16 getm:$unit.granularity=64 getm:$unit.granularity=128 \
	getm:$unit.approximate=registers getm:$unit.stash=0 getm:$unit.stash=16 >"$work/variants"
for workload in $(getm_workloads); do
	sed "s|^|$workload |; s|\$| 8|" "$work/variants"
done | run_points >"$runs"
awk '
	BEGIN {
		print "workload\t1536\t3072\t6144\t12288\t16 B\t64 B\t128 B\tregisters\tno stash\tstash 16"
	}
	NR == FNR { base[$1] = $4; next }
	{
		line = FNR % 10 == 1 ? $1 : line
		line = line sprintf("\t%.2f", $4 / base[$1])
		if (FNR % 10 == 0)
			print line
	}' "$work/base" "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'execution time relative to WarpTM'
plot for [i = 2:11] '$tsv' using i:xtic(1) title columnheader(i)
TXT
