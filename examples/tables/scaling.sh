#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a transaction costs the host: Kilo TM on the hash table with 10^4 to 10^6 threads and a
# bucket for every 8 of them, so that chains are equally long. Cycles and aborts of a
# transaction, its host time in microseconds, and the memory of the run in megabytes. The host
# time does not grow with the threads: it falls, as do aborts and the share of the set-up, and
# 10^6 threads take less than 60 MB.
. "$(dirname "$0")/common.sh"

{
	printf 'threads\tcycles\taborts\tmicroseconds\tmegabytes\n'
	for threads in 10000 30000 100000 300000 1000000; do
		"$SIM" --system kilo-tm --workload hash-table --threads $threads $CHECK \
			--set workload.buckets=$((threads / 8 + 1)) --machine "$MACHINE" --progress never |
			tr -d , | awk -v threads=$threads '
			$1 == "cycles" { cycles = $2 }
			$1 == "aborted" { aborts = $2 }
			$1 == "host" { seconds = $2; for (i = 3; i <= NF; i++) if ($i == "MB") memory = $(i - 1) }
			END {
				printf "%d\t%.2f\t%.3f\t%.2f\t%s\n", threads, cycles / threads,
					aborts / threads, 1e6 * seconds / threads, memory
			}'
	done
} >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'microseconds of host time for a transaction'
plot '$tsv' using 4:xtic(1) title 'kilo-tm'
TXT
