#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The system getm from outside: runs that are serialisable and in the paper's order are not,
# rollovers, tables too small, and the parameters of the paper's sensitivity studies.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)
cd "$work" || exit 1

{
	echo 'always --system getm --check --format jsonl --report roles'
	# Two warps that read both words of a pair and each write one. Totally ordered, one of them
	# fails and tries again: the workload's invariant is that exactly one word becomes 0. In the
	# paper's order all four accesses pass.
	for workload in skew skewr; do
		for c in 1 2 inf; do
			echo "0 --workload $workload --concurrency $c | \"check.passed\":true"
			echo "1 --workload $workload --concurrency $c --set validation_unit.paper_order=1" \
				'| "check.serializable":false : where that order gives'
		done
	done
	clocks='--set validation_unit.time_bits=6 --set validation_unit.margin=12'
	cat <<-TABLE
		# A kernel without data needs no bits of addresses.
		0 --kernel $kernels/arrival.kernel --set machine.lanes=4
		# Times of 6 bits roll over again and again, and 16384 transfers are right in the end.
		0 --workload atm-1024 $clocks > rolled
		# One unit is a ring too.
		0 --workload bank --threads 500 --set machine.partitions=1 --set workload.accounts=64 --set validation_unit.time_bits=5 --set validation_unit.margin=8 --set tx_log.partitions=1 > ring
		# The released simulator's clock of the core: as right, and fewer aborts.
		0 --workload ht-8000 > warps
		0 --workload ht-8000 --set warp_clock.per_core=1 > cores
		# Its commits that a warp waits for, through rollovers too, and its accesses of two cycles.
		0 --workload atm-1024 $clocks --set system.commit_ack=1 --set validation_unit.access_delay=1 > acknowledged
		# A table in place of the filter: words share its entries, and more lanes abort.
		0 --workload atm-1024 $clocks --set system.resolver=2pcr > narrow
		0 --workload ht-8000 --concurrency 1 --set system.resolver=2pcr > owners
		# Words that a lane only reads are in the log, too.
		0 --workload tree --threads 64 --set system.resolver=2pcr
		0 --workload ht-8000 --concurrency 1 --set system.resolver=2pcr --set ownership_table.exact=1 --set system.resolver_overhead=0 > exact
		0 --workload ht-8000 --concurrency 1 > one
		0 --workload ht-8000 --concurrency 1 --set validation_unit.access_delay=1 > delayed
		# What no table has room for goes to the overflow and back, and nothing stays.
		0 --workload bank --threads 1000 --concurrency inf --set validation_unit.ways=1 --set validation_unit.entries=1 --set validation_unit.stash=0 --set workload.accounts=500 > spilled
	TABLE
	# The parameters of the paper's sensitivity studies.
	for setting in entries=128 entries=256 entries=512 granularity=16 granularity=64 granularity=128 \
		approximate=registers stash=0 stash=16 stall_lines=1 stall_requests=1 stall_lines=64; do
		echo "0 --workload hash-table --threads 1000 --set workload.buckets=500 --concurrency 8" \
			"--set validation_unit.$setting"
	done
} >table
runs <table
awk '
	function is(run, what, holds) {
		if (!holds)
			print run ": " what
	}
	# of all figures that end so
	function sum(key,    rest, total, found) {
		rest = $0
		found = 0
		while (match(rest, "[\".]" key "\":[0-9]+")) {
			total += substr(rest, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
			rest = substr(rest, RSTART + RLENGTH)
			found++
		}
		is(FILENAME, "no " key, found)
		return total + 0
	}
	FILENAME == "rolled" {
		is("rolled", "only " sum("rollovers") " rollovers of units and cores", sum("rollovers") >= 200)
		is("rolled", "no attempt was aborted by a rollover", sum("rollover") >= 100)
	}
	FILENAME == "ring" { is("ring", "one unit does not roll over", sum("rollovers") >= 16) }
	FILENAME == "warps" { aborted = sum("aborted") }
	FILENAME == "cores" {
		is("cores", sum("aborted") " aborts of " aborted, sum("aborted") < int(aborted / 2))
	}
	FILENAME == "acknowledged" {
		is("acknowledged", "only " sum("rollovers") " rollovers", sum("rollovers") >= 100)
		is("acknowledged", "no commit is acknowledged", /"traffic.retire.packets":[1-9]/)
	}
	FILENAME == "one" {
		is("one", "a commit is acknowledged", /"traffic.retire.packets":0/)
		cycles = sum("access_cycles")
		within = sum("intra_warp")
		is("one", "no lane loses against its warp", within > 0)
	}
	FILENAME == "narrow" {
		is("narrow", "only " sum("rollovers") " rollovers", sum("rollovers") >= 100)
		is("narrow", "no lane loses against its warp", sum("intra_warp") > 0)
	}
	FILENAME == "owners" {
		shared = sum("intra_warp")
		is("owners", "no warp takes a table", sum("acquired") > 0)
	}
	FILENAME == "exact" {
		is("exact", sum("intra_warp") " lanes lose, and " shared " by a table with shared entries",
		   sum("intra_warp") > 0 && 4 * sum("intra_warp") < shared)
	}
	FILENAME == "delayed" {
		is("delayed", "accesses do not take two cycles", sum("access_cycles") > int(3 * cycles / 2))
	}
	FILENAME == "spilled" {
		is("spilled", "a table of one entry spills nothing", sum("spilled") > 0)
		is("spilled", "entries stay in the overflow", sum("overflow_now") == 0)
		is("spilled", "reserved writes are left", sum("locked") == 0)
	}
	{ runs++ }
	END { if (runs != 11) print runs " runs" }' rolled ring warps cores acknowledged narrow owners exact one delayed spilled >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
