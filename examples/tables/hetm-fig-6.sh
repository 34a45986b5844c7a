#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HeTM, PACT 2019, Fig. 6: the key-value cache, 1 % PUTs (0.1 % there, in far longer rounds), with
# 0, 20, 80 and 100 % of the GPU's requests arriving at the CPU, from where the GPU steals:
# throughput relative to the CPU alone and rounds that fail, against the length of the execution
# phase. As in the paper, no round fails without stealing, and with it the longer the round the
# more fail (20 % stealing: 17 % of rounds at 50 us, 62 % at 400 us); without stealing throughput
# grows with the length to 1.6 times the CPU alone (close to 1.9 there), and where most rounds fail
# it is still 1.2 times. 20 % stealing is better than none up to 200 us, as the GPU then works on
# when its own requests are done, and worse at 400 us, where most rounds fail (as good as none in
# all of them there); probably as a PUT here is ten times as frequent.
. "$(dirname "$0")/hetm.sh"
THREADS=${THREADS:-40000}

for length in 50000 100000 200000 400000; do
	for shift in 0 20 80 100; do
		set -- --workload cache --threads "$THREADS" --set workload.shift=$shift \
			--set workload.put=1000 --set system.steal=$((shift > 0)) \
			--set dispatch_queues.batch=256 --set sync_round.round_cycles=$length \
			--set sync_round.early_cycles=$((length / 10)) \
			--set write_set_log.chunk_bytes=4096
		point "$length $shift shetm" "$@"
		point "$length $shift cpu-only" "$@" --set system.devices=cpu
	done
done >"$runs"
awk '
	BEGIN { OFS = "\t"; print "round, us", "stealing %", "throughput", "failed rounds %" }
	$3 == "shetm" { speed = $5 / $4; failed = 100 * $7 / $6 }
	$3 == "cpu-only" {
		print $1 / 1000, $2, sprintf("%.2f", speed * $4 / $5), sprintf("%.0f", failed)
	}' "$runs" >"$tsv"
cat "$tsv"
draw <<TXT
set ylabel 'throughput relative to the CPU alone'
plot '$tsv' using 3:xtic(2) title 'shetm'
TXT
