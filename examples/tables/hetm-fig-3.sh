#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HeTM, PACT 2019, Fig. 3: throughput without conflicts between the devices (W1, 100 % and 10 %
# updates), in transactions per microsecond, against the length of the execution phase. The trend
# is the paper's: throughput grows with the length (from 10 to 19 with 100 % updates), past either
# device alone, to 12 % below the sum of both (23 % there), and the basic version has half of it in
# the shortest rounds and comes near in long ones (56 % less at 1 ms there). It happens in rounds a
# hundred times shorter than there: probably as the array has 4 MB here and 600 MB there, so that
# there is less to copy. With 10 % updates it ends at twice the GPU's throughput, 27 % below the sum
# of both (close to it there): each device has half of the requests, and the slower one is last.
# The merge of the last round counts, of which there are only two in the longest ones.
. "$(dirname "$0")/hetm.sh"
THREADS=${THREADS:-60000}

for update in 100 10; do
	for length in 50000 100000 200000 400000 800000 1600000; do
		set -- --workload w1 --threads "$THREADS" --set workload.update=$update \
			--set sync_round.round_cycles=$length --set dispatch_queues.batch=256
		point "$update $length shetm" "$@"
		# shellcheck disable=SC2086
		point "$update $length basic" "$@" $BASIC
		point "$update $length cpu-only" "$@" --set system.devices=cpu
		point "$update $length gpu-only" "$@" --set system.devices=gpu
	done
done >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "updates %", "round, us", "shetm", "basic", "cpu-only", "gpu-only", "ideal"
	}
	{
		speed[$3] = 1000 * $5 / $4
		if ($3 == "gpu-only")
			print $1, $2 / 1000, sprintf("%.1f", speed["shetm"]), \
				sprintf("%.1f", speed["basic"]), sprintf("%.1f", speed["cpu-only"]), \
				sprintf("%.1f", speed["gpu-only"]), \
				sprintf("%.1f", speed["cpu-only"] + speed["gpu-only"])
	}' "$runs" >"$tsv"
cat "$tsv"
draw <<TXT
set ylabel 'transactions per microsecond'
plot for [i = 3:7] '$tsv' using i:xtic(2) title columnheader(i)
TXT
