#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 13: mean cycles of an access to the metadata, at GETM's limit of 8 warps: with
# 4 x 256 entries in each of 6 partitions, and with tables so small that nearly all of their entries
# are reserved at times. Beside the mean: how full ways and stash were of reserved entries at most,
# summed over the partitions' own maxima, and insertions that ended in the overflow.
# Trend as in the paper: with 6144 entries the mean is 1.0 to 1.2 cycles, even with 99 % of the
# ways in use (ht-80000), and 1.5 on atm-1m, where half of the accesses make an entry, a cycle
# each. With 1536 entries of which more than 90 % are reserved at times it is 1.3 (hash tables)
# and the overflow is not used; only where more is reserved than there are entries it takes 15 to
# 55 cycles, almost all of them visits to the overflow in memory.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED='cycles validation_unit.access_cycles validation_unit.accesses metadata_table.locked_max
	metadata_table.spilled metadata_table.entries'
for workload in $(getm_workloads); do
	for entries in 256 64 16 8; do
		echo "$workload getm:validation_unit.entries=$entries 8"
	done
done | run_points >"$runs"
awk '
	BEGIN { OFS = "\t"; print "workload", "entries", "mean cycles", "ways in use", "reserved", "spilled", "cycles" }
	{
		entries = $2
		sub(/.*=/, "", entries)
		print $1, 6 * 4 * entries, sprintf("%.3f", $5 / $6), sprintf("%.1f %%", 100 * $9 / (24 * entries)),
			sprintf("%.1f %%", 100 * $7 / (24 * (entries + 1))), $8, $4
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'mean cycles of an access to the metadata'
plot '< sed -n "1p; /\t6144\t/p" $tsv' using 3:xtic(1) title 'entries 6144', \
	'< sed -n "1p; /\t192\t/p" $tsv' using 3:xtic(1) title 'entries 192'
TXT
