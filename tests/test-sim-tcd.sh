#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The hole in temporal conflict detection that Fung's thesis (6.4) admits, and that it is closed.
#
# Writers write x in one partition and y in another. Before them in the order of commits stand
# transactions with many writes to y's partition: so x is in memory long before y. A reader
# that begins in between reads the old y, and the new x, which was written before its first
# load: no conflict by time, but no instant of memory held both. Without guard_writeback it
# commits silently, and the check finds that it stands both after and before the writer.
# With it, the pending write of y is a conflict.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1

# 6 partitions of 256 bytes each in turn: multiples of 1536 are all in the same one.
awk 'BEGIN {
	for (round = 0; round < 8; round++) {
		for (i = 0; i < 256; i++) {
			printf "t %d", i
			for (k = 0; k < 8; k++)
				printf " w%x=1", 1536 * (65536 + i * 8 + k)
			print ""
		}
		for (i = 0; i < 32; i++)
			printf "t %d w%x=1 w%x=1\n", 1000 + i, 1536 * (256 + i) + 256, 1536 * (256 + i)
		for (k = 0; k < 6; k++)
			for (i = 0; i < 128; i++)
				printf "t %d r%x=0 r%x=0\n", 2000 + i, 1536 * (256 + i % 32),
					1536 * (256 + i % 32) + 256
	}
}' >trace

for machine in fermi reference; do
	of="--trace trace --concurrency inf --check --machine $machine"
	for system in kilo-tm warptm warptm-tcd warptm-el; do
		echo "0 $of --system $system | Check passed"
	done
	echo "1 $of --system warptm-tcd --set tcd.guard_writeback=0 : there is no serial order"
done >table
for system in warptm-tcd warptm-el; do
	echo "0 --system $system --workload bank --threads 500 --set workload.accounts=50 --check" \
		"--only cycles,aborts_by_reason.* --format csv > $system"
done >>table
echo "0 --system warptm-el --workload bank --threads 500 --set workload.accounts=50 --check" \
	"--set system.commit_trips=1 --only cycles,aborts_by_reason.*,traffic.*.packets --format csv > trip" >>table
# Lane 1 fails, for a word that lane 0 writes. Lane 31 passes after it, as lane 30 writes what was there.
cat >one.kernel <<'KERNEL'
threads 32 block 32
array a 32768
define word = 1024 * (id < 2 ? 0 : id == 31 ? 30 : id)
program
	begin
	load x = a[word]
	store a[word] = x + (id < 30)
	commit
KERNEL
for system in kilo-tm 'warptm --set system.resolver=none'; do
	for base in 0 600 1000 2000; do
		for from in end outcome; do
			echo "0 --workload ./one.kernel --system $system --set commit_sequencer.backoff_base=$base" \
				"--set system.backoff_from=$from --check --format csv" \
				"--only cycles,aborted > ${system%% *}.$base.$from"
		done
	done
done >>table
runs <table

# Where back-off counts from the lane's outcome, what passes from there to the end of the commit is off
# it, and a back-off that is shorter takes no time.
for system in kilo-tm warptm; do
	awk -F, '
		{ split(FILENAME, part, "."); value[$4, part[2], part[3]] = $5 }
		END {
			less = value["cycles", 2000, "end"] - value["cycles", 2000, "outcome"]
			exit !(value["aborted", 0, "end"] == 1 && less > 600 && less < 1000 &&
				value["cycles", 2000, "end"] == value["cycles", 0, "end"] + 2000 &&
				value["cycles", 1000, "outcome"] == value["cycles", 1000, "end"] - less &&
				value["cycles", 600, "outcome"] == value["cycles", 0, "end"] &&
				value["cycles", 0, "outcome"] == value["cycles", 0, "end"])
		}' $system.*.end $system.*.outcome || complain "$system: $(cat $system.*)"
done

# WarpTM-EL finds at the access, or at the commit, what WarpTM's validation would find: that never
# fails, and takes fewer cycles.
awk -F, '
	{ value[FILENAME == ARGV[1], $4] = $5 }
	END {
		exit !(value[1, "validation"] > 100 &&
			value[0, "validation"] == 0 &&
			value[0, "conflict"] > 100 &&
			value[0, "cycles"] < 0.8 * value[1, "cycles"])
	}' warptm-tcd warptm-el || complain "warptm-el: $(cat warptm-tcd warptm-el)"

# With one round trip of a commit there are no messages of the other one, and fewer cycles.
awk -F, '
	{ value[FILENAME == ARGV[1], $4] = $5 }
	END {
		exit !(value[0, "outcome.packets"] == 0 && value[0, "verdict.packets"] == 0 &&
			value[0, "retire.packets"] > 100 && value[0, "validation"] == 0 &&
			value[0, "cycles"] < value[1, "cycles"])
	}' warptm-el trip || complain "warptm-el: $(cat warptm-el trip)"
exit $failed
