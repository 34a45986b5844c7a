#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Transactions on compacted warps: kernels of all kinds are serialisable and leave what they must,
# units may be replaced and a run saved at any time, and threads that fail fill warps together.
. "${srcdir:-.}/tests/build/sim.sh"
trace=$(cd "$srcdir/tests/data" && pwd)/small.trace
cd "$work" || exit 1
small='--set machine.cores=3 --set machine.warps=24'
every=100 # cycles in which units are replaced
[ "${GPUTM_TEST_SCALE:-}" != small ] || every=500

# Threads part in each turn of an attempt: compacted they fill the lanes of their warps.
cat >part.kernel <<'TXT'
threads 768 block 256
array input 768
array output 768
setup
	for k = 0 below 768
		store input[k] = k
	end
program transactions
	begin
		set x = 0
		for i = 0 below 8
			set y = 1
			if (random(id * 8 + i) & 3) == 0
				alu 8
				load y = input[id]
			end
			set x = x + y
		end
		store output[id] = x
	commit
verify
	for k = 0 below 768
		set sum = 0
		for i = 0 below 8
			set sum = sum + ((random(k * 8 + i) & 3) == 0 ? k : 1)
		end
		require output[k] == sum "thread" k "has" output[k] "and not" sum
	end
TXT
# The last that an attempt loads is used after it, also by threads that ran far from home.
cat >last.kernel <<'TXT'
threads 256 block 128
array input 256
array counter 8
array output 256
setup
	for k = 0 below 256
		store input[k] = k
	end
program transactions
	begin
		load x = counter[id % 8]
		store counter[id % 8] = x + 1
		load y = input[id]
	commit
	store output[id] = y
verify
	for k = 0 below 256
		require output[k] == k "thread" k "has" output[k]
		require counter[k % 8] == 32 "counter" k % 8 "is" counter[k % 8]
	end
TXT
# A fence waits for the stores of its threads, which these have sent from another warp of the block
# if that has filled its lanes with them.
for wait in fence alu fences; do
	first='alu 1' second=$wait
	[ $wait != fences ] || first=fence second=alu
	cat >$wait.kernel <<-TXT
		threads 256 block 64
		array a 256
		program
			for i = 0 below 4
				if (lane + warp) & 1
					store a[id] = i
				end
				if warp
					$first
				else
					$second
					alu 100
				end
			end
	TXT
done
{
	echo 'always --system kilo-tm --format json --report summary'
	for workload in hash-table octree rbtree cl queue; do
		threads=512
		[ $workload != queue ] || threads=64
		for limit in 1 inf; do
			echo "0 --divergence tbc --workload $workload --threads $threads $small --check" \
				"--concurrency $limit"
		done
	done
	echo "0 --divergence tbc-lcp --workload tree --threads 512 $small --check"
	echo "0 --divergence tbc --workload cc $small --check --set workload.wide=12 --set workload.high=12"
	echo "0 --divergence tbc --trace $trace $small --check"
	# Threads that the watchdog aborts, some of them with all of their attempt.
	for cycles in 900 3000; do
		echo "0 --divergence tbc --workload rbtree --threads 256 $small --check --concurrency inf" \
			"--set workload.block_size=64 --set commit_sequencer.watchdog_cycles=$cycles" \
			'|~ "watchdog": [1-9]'
	done
	echo '2 --workload hash-table --divergence tbc --set system.isolation=strong : system.isolation: got "strong"'
	echo '2 --system getm --divergence tbc : expected pdom or pdom-lcp'
	echo '2 --system warptm --divergence tbc : expected pdom or pdom-lcp'
	echo '0 --divergence tbc --workload last.kernel --check --concurrency inf'
	echo 'always --system kilo-tm --format csv --report summary'
	# The state of the stacks, and of threads far from home: cycles as they were recorded.
	hash="--divergence tbc --workload hash-table --threads 1200 $small --set workload.buckets=64
		--set machine.issue_slots=4"
	echo "0 $(echo $hash) | ,,,cycles,269704"
	echo "0 $(echo $hash) --set machine.swap_units_every=$every | ,,,cycles,269704"
	for cycle in 700 2500 9000; do
		echo "0 $(echo $hash) --save-at $cycle state | ,,,cycles,269704"
		echo "0 $(echo $hash) --restore state | ,,,cycles,269704"
	done
	for divergence in pdom tbc; do
		echo "0 --divergence $divergence --workload part.kernel $small --check > $divergence.part"
	done
	for divergence in pdom tbc tbc-lcp; do
		for wait in fence alu; do
			echo "0 --divergence $divergence --workload $wait.kernel > $divergence.$wait"
		done
	done
	of='0 --divergence tbc --workload fences.kernel'
	echo "$of > fences.whole"
	for cycle in 300 600 900; do
		echo "$of --save-at $cycle state"
		echo "$of --restore state > fences.$cycle"
	done
} >table
runs <table
awk -F, '
	{ of = FILENAME; sub(/[.].*/, "", of) }
	$2 == "" && $4 == "cycles" { cycles[FILENAME] = $5 }
	$4 == "thread_instructions" { threads[FILENAME] = $5 }
	$4 == "instructions" { warps[FILENAME] = $5 }
	END {
		stacks = int(threads["pdom.part"] * 1000 / 32 / warps["pdom.part"])
		compacted = int(threads["tbc.part"] * 1000 / 32 / warps["tbc.part"])
		if (!stacks || compacted <= int(stacks * 11 / 10))
			print "of 1000 lanes " stacks " are active with a stack for each warp, " compacted " compacted"
		n = split("pdom tbc tbc-lcp", mechanism, " ")
		for (i = 1; i <= n; i++)
			if (cycles[mechanism[i] ".fence"] - cycles[mechanism[i] ".alu"] < 800)
				print mechanism[i] ": a fence does not wait for all stores of its threads"
		for (cycle = 300; cycle <= 900; cycle += 300)
			if (!cycles["fences.whole"] || cycles["fences." cycle] != cycles["fences.whole"])
				print "fences restored at " cycle ": " cycles["fences." cycle] " cycles, not " \
					cycles["fences.whole"]
	}' *.part pdom.fence pdom.alu tbc.fence tbc.alu tbc-lcp.fence tbc-lcp.alu fences.[w369]* >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
