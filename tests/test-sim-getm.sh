#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The system getm from outside: runs that are serialisable and in the paper's order are not,
# rollovers, tables too small, and the parameters of the paper's sensitivity studies.
. "${srcdir:-.}/tests/build/sim.sh"
always='--system getm --check --format json'

# sum STATISTIC: over all units of the last run
sum() {
	awk -v key="\"$1\":" '$1 == key { sum += $2 } END { print sum + 0 }' "$work/out"
}

# Two warps that read both words of a pair and each write one. Totally ordered, one of them
# fails and tries again: the workload's invariant is that exactly one word becomes 0. In the
# paper's order all four accesses pass.
for workload in skew skewr; do
	for c in 1 2 inf; do
		run 0 --workload $workload --concurrency $c
		run 1 --workload $workload --concurrency $c --set validation_unit.paper_order=1
		grep -q '"serializable": false' "$work/out" || complain "$workload: paper_order is found serialisable"
		grep -q 'where that order gives' "$work/err" || complain "$workload: $(cat "$work/err")"
	done
done

# A kernel without data needs no bits of addresses.
run 0 --kernel "$srcdir/examples/kernels/arrival.kernel" --set machine.lanes=4

# Times of 6 bits roll over again and again, and 16384 transfers are right in the end.
run 0 --workload atm-1024 --set validation_unit.time_bits=6 --set validation_unit.margin=12
rolled=$(sum rollovers)
[ "$rolled" -ge 200 ] || complain "only $rolled rollovers of units and cores"
[ "$(sum rollover)" -ge 100 ] || complain 'no attempt was aborted by a rollover'
# One unit is a ring too.
run 0 --workload bank --threads 500 --set machine.partitions=1 --set workload.accounts=64 \
	--set validation_unit.time_bits=5 --set validation_unit.margin=8 --set tx_log.partitions=1
[ "$(sum rollovers)" -ge 16 ] || complain 'one unit does not roll over'

# The released simulator's clock of the core: as right, and fewer aborts.
run 0 --workload ht-8000
aborted=$(sum aborted)
run 0 --workload ht-8000 --set warp_clock.per_core=1
[ "$(sum aborted)" -lt $((aborted / 2)) ] || complain "a clock per core leaves $(sum aborted) aborts of $aborted"

# Its commits that a warp waits for, through rollovers too, and its accesses of two cycles.
run 0 --workload atm-1024 --set validation_unit.time_bits=6 --set validation_unit.margin=12 \
	--set system.commit_ack=1 --set validation_unit.access_delay=1
[ "$(sum rollovers)" -ge 100 ] || complain "only $(sum rollovers) rollovers with acknowledgements"
grep -A1 '"retire": {' "$work/out" | grep -q '"packets": [1-9]' || complain 'no commit is acknowledged'
run 0 --workload ht-8000 --concurrency 1
grep -A1 '"retire": {' "$work/out" | grep -q '"packets": 0' || complain 'a commit is acknowledged'
cycles=$(sum access_cycles)
run 0 --workload ht-8000 --concurrency 1 --set validation_unit.access_delay=1
[ "$(sum access_cycles)" -gt $((3 * cycles / 2)) ] || complain 'accesses do not take two cycles'

# What no table has room for goes to the overflow and back, and nothing stays.
run 0 --workload bank --threads 1000 --concurrency inf --set validation_unit.ways=1 \
	--set validation_unit.entries=1 --set validation_unit.stash=0 --set workload.accounts=500
[ "$(sum spilled)" -gt 0 ] || complain 'a table of one entry spills nothing'
[ "$(sum overflow_now)" -eq 0 ] || complain 'entries stay in the overflow'
[ "$(sum locked)" -eq 0 ] || complain 'reserved writes are left'

# The parameters of the paper's sensitivity studies.
for setting in entries=128 entries=256 entries=512 granularity=16 granularity=64 granularity=128 \
	approximate=registers stash=0 stash=16 stall_lines=1 stall_requests=1 stall_lines=64; do
	run 0 --workload hash-table --threads 1000 --set workload.buckets=500 --concurrency 8 \
		--set validation_unit.$setting
done
exit $failed
