#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.4: flits through the crossbars by kind of message, relative to those
# of fine-grained locks: loads, stores and atomics with their replies, logs, and the other
# messages of the protocol; the last column is the share of the latter two (the thesis' TxMsg).
# The thesis' trend in part: logs and protocol are 49 to 71 % of Kilo TM's traffic (36 % on average
# there), and WarpTM saves 60 to 78 % of the protocol; but Kilo TM moves fewer flits than
# the locks here, each of whose stores and attempts has a reply.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED=
for kind in load store atomic; do
	COLUMNS_WANTED="$COLUMNS_WANTED traffic.$kind.flits traffic.${kind}_reply.flits"
done
for kind in read_log write_log 'done' skip outcome verdict retire resend cleanup; do
	COLUMNS_WANTED="$COLUMNS_WANTED traffic.$kind.flits"
done
for workload in ht-800 ht-8000 ht-80000 atm-1m octree; do
	printf '%s\n' "$workload fine-lock inf" "$workload ideal inf" "$workload kilo-tm 2" \
		"$workload warptm 2" "$workload warptm-tcd 2"
done | run_points >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "run", "loads", "stores", "atomics", "logs", "protocol", "total", "flits", "logs+protocol"
	}
	{
		load = $4 + $5
		store = $6 + $7
		atomic = $8 + $9
		logs = $10 + $11
		protocol = 0
		for (i = 12; i <= 18; i++)
			protocol += $i
		total = load + store + atomic + logs + protocol
		if ($2 == "fine-lock")
			base = total
		printf "%s %s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%.0f%%\n", $1, $2, load / base, store / base,
			atomic / base, logs / base, protocol / base, total / base, total,
			100 * (logs + protocol) / total
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set style histogram rowstacked
set xtics rotate by -60
set ylabel 'flits relative to fine-grained locks'
plot for [i = 2:6] '$tsv' using i:xtic(1) title columnheader(i)
TXT
