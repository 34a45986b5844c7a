#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Transactions on compacted warps: kernels of all kinds are serialisable and leave what they must,
# units may be replaced and a run saved at any time, and threads that fail fill warps together.
. "${srcdir:-.}/tests/build/sim.sh"
always='--system kilo-tm --format json --report summary'

small='--set machine.cores=3 --set machine.warps=24'
for workload in hash-table octree rbtree cl queue; do
	threads=512
	[ $workload != queue ] || threads=64
	for limit in 1 inf; do
		run 0 --divergence tbc --workload $workload --threads $threads $small --check \
			--concurrency $limit
	done
done
run 0 --divergence tbc-lcp --workload tree --threads 512 $small --check
run 0 --divergence tbc --workload cc $small --check --set workload.wide=12 --set workload.high=12
run 0 --divergence tbc --trace "$srcdir/tests/data/small.trace" $small --check

# Threads that the watchdog aborts, some of them with all of their attempt.
for cycles in 900 3000; do
	run 0 --divergence tbc --workload rbtree --threads 256 $small --check --concurrency inf \
		--set workload.block_size=64 --set commit_sequencer.watchdog_cycles=$cycles
	grep -q '"watchdog": [1-9]' "$work/out" || complain "the watchdog aborts nothing in $cycles cycles"
done

# The state of the stacks, and of threads far from home.
hash="--divergence tbc --workload hash-table --threads 1200 $small --set workload.buckets=64
	--set machine.issue_slots=4"
run 0 $hash
cycles=$(number cycles)
[ "$cycles" = 274234 ] || complain "$hash: $cycles cycles, recorded were 274234"
run 0 $hash --set machine.swap_units_every=100
[ "$(number cycles)" = "$cycles" ] || complain "units replaced: $(number cycles) cycles, not $cycles"
for cycle in 700 2500 9000; do
	run 0 $hash --save-at $cycle "$work/state"
	run 0 $hash --restore "$work/state"
	[ "$(number cycles)" = "$cycles" ] ||
		complain "restored at $cycle: $(number cycles) cycles, not $cycles"
done

# Threads part in each turn of an attempt: compacted they fill the lanes of their warps.
cat >"$work/part.kernel" <<'TXT'
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
efficiency() {
	run 0 --divergence "$1" --workload "$work/part.kernel" $small --check
	active=$(($(number thread_instructions) * 1000 / 32 / $(number instructions)))
}
efficiency pdom
stacks=$active
efficiency tbc
compacted=$active
[ "$compacted" -gt $((stacks * 11 / 10)) ] ||
	complain "of 1000 lanes $stacks are active with a stack for each warp, $compacted compacted"

# The last that an attempt loads is used behind it, also by threads that ran far from home.
cat >"$work/last.kernel" <<'TXT'
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
run 0 --divergence tbc --workload "$work/last.kernel" --check --concurrency inf

# A fence waits for the stores of its threads, which these have sent from another warp of the block
# if that has filled its lanes with them.
for divergence in pdom tbc tbc-lcp; do
	for wait in fence alu; do
		cat >"$work/fence.kernel" <<-TXT
			threads 256 block 64
			array a 256
			program
				for i = 0 below 4
					if (lane + warp) & 1
						store a[id] = i
					end
					if warp
						alu 1
					else
						$wait
						alu 100
					end
				end
		TXT
		run 0 --divergence $divergence --workload "$work/fence.kernel"
		number cycles
	done | paste -s -d - | { read -r cycles; [ $(($cycles)) -ge 800 ]; } ||
		complain "$divergence: a fence does not wait for all stores of its threads"
done
sed 's/\<alu 1$/fence/' "$work/fence.kernel" >"$work/fences.kernel"
run 0 --divergence tbc --workload "$work/fences.kernel"
cycles=$(number cycles)
for cycle in 300 600 900; do
	run 0 --divergence tbc --workload "$work/fences.kernel" --save-at $cycle "$work/state"
	run 0 --divergence tbc --workload "$work/fences.kernel" --restore "$work/state"
	[ "$(number cycles)" = "$cycles" ] ||
		complain "fences restored at $cycle: $(number cycles) cycles, not $cycles"
done

run 2 $hash --set system.isolation=strong
grep -q 'system.isolation: got "strong"' "$work/err" || complain "strong: $(cat "$work/err")"
for system in getm warptm; do
	"$sim" --system $system --divergence tbc >"$work/out" 2>"$work/err" </dev/null
	[ $? -eq 2 ] && grep -q 'expected pdom or pdom-lcp' "$work/err" ||
		complain "$system: $(cat "$work/err")"
done
exit $failed
