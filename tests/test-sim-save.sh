#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A run that is saved at a cycle and restored has the report of one that was not: every system, and
# workloads of all kinds. A state of another run, or not whole, is refused.
. "${srcdir:-.}/tests/build/sim.sh"
data=$(cd "$srcdir/tests/data" && pwd)
kernels=$(cd "$srcdir/examples/kernels" && pwd)
cd "$work" || exit 1
instances='--report instances --format jsonl'
small='--set machine.cores=3 --set machine.warps=8'
hash="--workload hash-table --threads 300 $small"

# same CYCLE ARGUMENT...: lines of a table: the report is the same when the run is restored
same() {
	cycle=$1
	shift
	echo "0 $* $instances --save-at $cycle state > saved"
	echo "0 $* $instances --restore state > restored"
	echo 'same saved restored'
}

case_systems() {
	for system in serial coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm \
		si-tm-oracle; do
		echo "0 --system $system $hash $instances > alone"
		same 3000 --system $system $hash
		# --save-at does not change the run, and two runs save the same bytes.
		echo 'same alone saved'
		echo "0 --system $system $hash --save-at 3000 state2"
		echo 'same state state2'
	done >table
	runs <table
	# The program itself saves what the runs of the table have saved, and restores it.
	"$sim" --system si-tm-oracle $hash --save-at 3000 state2 >out 2>err && cmp state state2 ||
		complain "two processes save other bytes: $(cat err)"
	"$sim" --system si-tm-oracle $hash $instances --restore state >out 2>err && cmp out saved ||
		complain "another process restores another run: $(cat err)"
}

# What is seen of a restored run: from the second row on the intervals of the whole run, and the
# same winners, or none, of attempts that began when they did. A trace after the state is the same.
case_seen() {
	few="--system getm $hash --set workload.buckets=20"
	runs <<-TABLE
		0 $few --series 1000 series --aborts aborts
		0 $few --save-at 3333 state
		0 $few --restore state --series 1000 series2 --aborts aborts2
		0 --system getm $hash --trace-events one --window 3100:6000
		0 --system getm $hash --save-at 3000 state
		0 --system getm $hash --restore state --trace-events two --window 3100:6000
		same one two
	TABLE
	awk -F, '
		FILENAME ~ /^series/ {
			if (FNR == 1 || $1 >= 5000) late[FILENAME] = late[FILENAME] "\n" $0
			if (FILENAME == "series" && $1 >= 5000) rows++
			next
		}
		FILENAME == "aborts" { whole[$1 "," $2] = $0; next }
		{ split(whole[$1 "," $2], one); aborts++ }
		$6 != one[6] || $7 != one[7] || ($13 != "" && ($13 != one[13] || $17 != one[17])) {
			print "getm: an abort of a restored run: " $0
		}
		END {
			if (rows < 10 || late["series"] != late["series2"]) print "getm: the series of a restored run"
			if (aborts < 20) print aborts + 0 " aborts"
		}' series series2 aborts aborts2 >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

case_workloads() {
	{
		same 3000 --system kilo-tm $hash --set tx_throttle.policy=climb
		same 3000 --system getm $hash --set tx_throttle.policy=aborts
		# Plain accesses that are kept, and what warps may have seen.
		same 1500 --system kilo-tm --workload plain-skew --set system.isolation=strong
		same 5000 --system kilo-tm --workload publication --set system.isolation=strong
		same 9000 --system kilo-tm --trace "$data/small.trace" $small
		# Threads that keep registers in their lanes, launches one after the other, DRAM with banks.
		for cycle in 400 1100 2500; do
			same $cycle --system fine-lock --workload bank --threads 300 $small \
				--set machine.l1_bytes=3072
		done
		same 20000 --system getm --workload cc $small --set workload.wide=12 --set workload.high=12
		for cycle in 600 1300 4000; do
			same $cycle --machine thesis-4 --system warptm-tcd --workload octree --threads 400 \
				--concurrency inf
		done
		same 4000 --machine reference --system kilo-tm --workload bank --threads 300 --concurrency 4 \
			--set workload.accounts=50 --set system.backoff_from=outcome
		same 1500 --system warptm-el $hash --set system.commit_trips=1
		for cycle in 1500 2500; do
			same $cycle --machine reference --system kilo-tm --workload ht-h --threads 500 \
				--set machine.l2_write_miss=64 --set machine.dram_turn=17 \
				--set machine.dram_groups=4
		done
		# Buffers that overflow; clocks that roll over; tables that overflow.
		same 4000 --system kilo-tm $hash --concurrency inf --set commit_unit.buffer_words=2 \
			--set commit_unit.buffers=64 --set commit_unit.input_depth=1 \
			--set commit_sequencer.resend_requests=1 --set commit_sequencer.watchdog_cycles=900
		same 9000 --system getm --workload bank --threads 300 --concurrency inf $small \
			--set workload.accounts=64 --set validation_unit.time_bits=6 \
			--set validation_unit.margin=16 --set validation_unit.ways=2 \
			--set validation_unit.entries=4 --set validation_unit.stash=1 \
			--set validation_unit.stall_lines=1 --set commit_buffer.blocks=4 \
			--set validation_unit.input=1 --set system.commit_ack=1 \
			--set system.resolver=2pcr
		same 30000 --system si-tm --workload bank --threads 300 --concurrency inf $small \
			--set workload.accounts=50 --set writer_table.entries=32 --set reader_list.entries=64 \
			--set version_table.time_bits=15 --set version_table.versions=2
		for system in local-tm local-tm-perfect local-serialised; do
			same 3000 --system $system --workload local-hash
		done
		# A kernel that runs, and others whose round has not ended; rounds that fail and that succeed.
		hetm="--system hetm --threads 1024 --set dispatch_queues.batch=128
			--set sync_round.round_cycles=20000 --set sync_round.early_cycles=4000"
		for cycle in 9500 18000 100000; do
			same $cycle $hetm --workload bank --set system.cpu_share=20
			same $cycle $hetm --workload cache --set system.cpu_share=50
		done
	} >table
	runs <table
}

# Mechanisms for branches: one core with memory at a distance, and machines.
case_mechanisms() {
	# Launches one after the other, and warps that wait at a fence.
	cat >launches.kernel <<'TXT'
threads 700 block 96
array a threads
program
kernel up
	if id & 1
		store a[id] = id
	end
	fence
	add a[id / 3] = 1
kernel down threads 64 block 32
	load x = a[id]
	store a[3 * id] = x
	fence
host
	set n = 0
	while n < 9
		launch up
		launch down
		set n = n + 1
	end
TXT
	# A store of a static warp on its way is one thing that a fence would wait for, and not one a lane.
	for wait in fence alu; do
		printf 'threads 4096 block 256\narray a threads\nprogram\nfor i = 0 below 300\n' >$wait.kernel
		printf 'store a[id] = i\nstore a[id] = i\nend\n%s\n' $wait >>$wait.kernel
	done
	{
		for mechanism in pdom pdom-lcp dwf dwf-wb tbc tbc-lcp; do
			same 9000 --kernel "$kernels/team.kernel" --divergence $mechanism
			same 6000 --machine reference --kernel "$kernels/team.kernel" --divergence $mechanism
		done
		for mechanism in pdom dwf tbc; do
			for cycle in 200 1900 3500 5000; do
				same $cycle --kernel launches.kernel --divergence $mechanism
				same $cycle --kernel launches.kernel --divergence $mechanism --machine fermi
			done
		done
		for wait in fence alu; do
			echo "0 --kernel $wait.kernel --machine fermi --save-at 5000 $wait"
		done
		same 9000 --machine reference --kernel "$kernels/nested.kernel" --divergence pdom
	} >table
	runs <table
	[ $(($(wc -c <fence) - $(wc -c <alu))) -lt 400000 ] ||
		complain "what fences would wait for takes too much of a state"
}

case_refused() {
	cp "$kernels/nested.kernel" own.kernel
	runs <<-TABLE
		0 --system getm $hash --save-at 3000 state
		0 --kernel own.kernel --save-at 50 own
		0 --machine reference --kernel $kernels/nested.kernel --divergence pdom --save-at 9000 nested
	TABLE
	head -c 100000 state >short
	{ cat state; echo; } >long
	{ head -c 90000 state; printf X; tail -c +90002 state; } >damaged
	sed '2s/.*/version 0.0.9/' state >old
	chmod u+w own.kernel
	echo '# another one' >>own.kernel
	runs <<-TABLE
		2 --system getm $hash --seed 2 --restore state ~ the state of gputm-sim --system getm .*--seed 1 .*, expected that of gputm-sim .*--seed 2 
		2 --system getm $hash --concurrency 4 --restore state : the state of gputm-sim --system getm
		2 --system getm $hash --restore short : damaged or cut short
		2 --system getm $hash --restore long : damaged or cut short
		2 --system getm $hash --restore damaged : damaged or cut short
		2 --system getm $hash --restore old : a state of version 0.0.9, expected
		2 --system getm $hash --restore $data/small.trace : another file, expected a file of --save-at
		2 --system getm $hash --restore none : No such file
		2 --kernel own.kernel --restore own : own: own.kernel has changed since
		2 --check --restore state : what a run is checked by is not saved
		2 --why 3 --restore state : expected no --restore
		2 --machine reference --kernel $kernels/nested.kernel --divergence tbc --restore nested ~ the state of gputm-sim --machine reference --kernel .* --divergence pdom
		2 --save-at 0 none : got "0", expected a number of cycles
		2 --save-at 9 : got 1 word, expected CYCLE FILE
		2 --system getm $hash --save-at 9 - : got "-", expected a file
		2 --system getm $hash --restore state --save-at 3000 none : got 3000, expected a cycle after 3000
		1 --system getm $hash --save-at 99999999 none ~ the run ended at cycle [0-9]* and nothing was saved
		absent none
	TABLE
}
cases "$@"
