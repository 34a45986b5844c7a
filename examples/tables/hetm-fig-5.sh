#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HeTM, PACT 2019, Fig. 5: throughput against the probability that a round has a conflict (W1, 100
# % updates), relative to the CPU alone, with and without early validation and shadow copy. As in
# the paper, throughput falls slowly with the share of rounds that fail, from 1.2 to 0.95 times the
# CPU alone with 63 % of them failing (below 1 only above 80 % there); the shadow copy gains 19 %
# without conflicts and 83 % with most. Unlike there, early validation hardly gains: 2 % at the
# highest share, and it costs up to 4 % at others. A kernel marks its reads when it ends, so a
# chunk that was validated early may conflict later; how often that is was not counted.
. "$(dirname "$0")/hetm.sh"
THREADS=${THREADS:-80000}

for conflict in 0 50 200 1000 5000 20000 100000; do
	set -- --workload w1 --threads "$THREADS" --set workload.conflict=$conflict \
		--set sync_round.round_cycles=200000 --set sync_round.early_cycles=10000 \
		--set write_set_log.chunk_bytes=4096 --set dispatch_queues.batch=256
	point "$conflict shetm" "$@"
	point "$conflict late" "$@" --set sync_round.early_cycles=0
	point "$conflict plain" "$@" --set sync_round.early_cycles=0 --set sync_round.shadow_copy=0
	point "$conflict cpu-only" "$@" --set system.devices=cpu
done >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "conflicts per million", "failed rounds %", "cut short %", "shetm", \
			"no early validation", "no shadow copy either"
	}
	{
		speed[$2] = $4 / $3
		if ($2 == "shetm") {
			failed = sprintf("%.0f", 100 * $6 / $5)
			cut = sprintf("%.0f", 100 * $7 / $5)
		}
		if ($2 == "cpu-only")
			print $1, failed, cut, sprintf("%.2f", speed["shetm"] / speed[$2]), \
				sprintf("%.2f", speed["late"] / speed[$2]), \
				sprintf("%.2f", speed["plain"] / speed[$2])
	}' "$runs" >"$tsv"
cat "$tsv"
draw <<TXT
set ylabel 'throughput relative to the CPU alone'
plot for [i = 4:6] '$tsv' using i:xtic(2) title columnheader(i)
TXT
