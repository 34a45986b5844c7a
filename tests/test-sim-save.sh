#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A run that is saved at a cycle and restored in another process has the report of one that was
# not: every system, and workloads of all kinds. A state of another run, or not whole, is refused.
. "${srcdir:-.}/tests/build/lib.sh"
sim=${top_builddir:-.}/gputm-sim
data=$srcdir/tests/data
kernels=$srcdir/examples/kernels

# run FILE ARGUMENT...: the report in FILE
run() {
	to=$1
	shift
	"$sim" --format json "$@" 2>"$work/err" </dev/null >"$work/out" ||
		complain "gputm-sim $*: exit $?: $(tail -1 "$work/err")"
	grep -v '"wall_seconds"' "$work/out" >"$to"
}

# same CYCLE ARGUMENT...
same() {
	cycle=$1
	shift
	run "$work/saved" "$@" --save-at "$cycle" "$work/state"
	run "$work/restored" "$@" --restore "$work/state"
	cmp -s "$work/saved" "$work/restored" ||
		complain "$*: the report differs when the run is restored at cycle $cycle"
}

small='--set machine.cores=3 --set machine.warps=8'
hash="--workload hash-table --threads 300 $small"
for system in coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd warptm-el getm si-tm \
	si-tm-oracle; do
	run "$work/alone" --system $system $hash
	same 3000 --system $system $hash
	cmp -s "$work/alone" "$work/saved" || complain "$system: --save-at changes the run"
	run "$work/saved" --system $system $hash --save-at 3000 "$work/state2"
	cmp -s "$work/state" "$work/state2" || complain "$system: two processes save other bytes"
done
# What is seen of a restored run: from the second row on the intervals of the whole run, and the
# same winners, or none, of attempts that began when they did.
"$sim" --system getm $hash --set workload.buckets=20 --series 1000 "$work/series" --aborts "$work/aborts" >"$work/out"
"$sim" --system getm $hash --set workload.buckets=20 --save-at 3333 "$work/state" >"$work/out"
"$sim" --system getm $hash --set workload.buckets=20 --restore "$work/state" --series 1000 "$work/series2" --aborts "$work/aborts2" >"$work/out"
for file in series series2; do
	awk -F, '$1 >= 5000 || NR == 1' "$work/$file" >"$work/$file.late"
done
[ "$(wc -l <"$work/series.late")" -gt 10 ] && cmp "$work/series.late" "$work/series2.late" ||
	complain 'getm: the series of a restored run'
awk -F, 'NR == FNR { whole[$1 "," $2] = $0; next }
	{ split(whole[$1 "," $2], one); rows++ }
	$6 != one[6] || $7 != one[7] || ($13 != "" && ($13 != one[13] || $17 != one[17])) { bad = 1; print }
	END { exit bad || rows < 20 }' "$work/aborts" "$work/aborts2" || complain 'getm: aborts of a restored run'
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
same 4000 --machine reference --system kilo-tm --workload bank --threads 300 --concurrency 4
# Buffers that overflow; clocks that roll over; tables that overflow.
same 4000 --system kilo-tm $hash --concurrency inf --set commit_unit.buffer_words=2 \
	--set commit_unit.buffers=64 --set commit_unit.input_depth=1 \
	--set commit_sequencer.resend_requests=1 --set commit_sequencer.watchdog_cycles=900
same 9000 --system getm --workload bank --threads 300 --concurrency inf $small \
	--set workload.accounts=64 --set validation_unit.time_bits=6 \
	--set validation_unit.margin=16 --set validation_unit.ways=2 \
	--set validation_unit.entries=4 --set validation_unit.stash=1 \
	--set validation_unit.stall_lines=1 --set commit_buffer.blocks=4 \
	--set validation_unit.input=1 --set system.commit_ack=1
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

# Mechanisms for branches: one core with memory at a distance, and machines.
for mechanism in pdom pdom-lcp dwf dwf-wb tbc tbc-lcp; do
	same 9000 --kernel "$kernels/team.kernel" --divergence $mechanism
	same 6000 --machine reference --kernel "$kernels/team.kernel" --divergence $mechanism
done
# Launches one after the other, and warps that wait at a fence.
cat >"$work/launches.kernel" <<'TXT'
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
for mechanism in pdom dwf tbc; do
	for cycle in 200 1900 3500 5000; do
		same $cycle --kernel "$work/launches.kernel" --divergence $mechanism
		same $cycle --kernel "$work/launches.kernel" --divergence $mechanism --machine fermi
	done
done
# A store of a static warp on its way is one thing that a fence would wait for, and not one a lane.
for wait in fence alu; do
	printf 'threads 4096 block 256\narray a threads\nprogram\nfor i = 0 below 300\n' >"$work/many.kernel"
	printf 'store a[id] = i\nstore a[id] = i\nend\n%s\n' $wait >>"$work/many.kernel"
	run "$work/alone" --kernel "$work/many.kernel" --machine fermi --save-at 5000 "$work/state"
	wc -c <"$work/state"
done | paste -s -d - | { read -r bytes; [ $(($bytes)) -lt 400000 ]; } ||
	complain "what fences would wait for takes too much of a state"
same 9000 --machine reference --kernel "$kernels/nested.kernel" --divergence pdom
cp "$work/state" "$work/nested"

# What is seen after the state is the same too.
run "$work/alone" --system getm $hash --trace-events "$work/one" --window 3100:6000
run "$work/alone" --system getm $hash --save-at 3000 "$work/state"
run "$work/alone" --system getm $hash --restore "$work/state" --trace-events "$work/two" \
	--window 3100:6000
cmp -s "$work/one" "$work/two" || complain "a trace after --restore is another one"

# refused SENTENCE ARGUMENT...
refused() {
	sentence=$1
	shift
	"$sim" "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 2 ] && [ ! -s "$work/out" ] && grep -q "$sentence" "$work/err" ||
		complain "gputm-sim $*: expected exit 2 and $sentence, got: $(cat "$work/err")"
}

refused 'the state of gputm-sim --system getm .*--seed 1 .*, expected that of gputm-sim .*--seed 2 ' \
	--system getm $hash --seed 2 --restore "$work/state"
refused 'the state of gputm-sim --system getm' --system getm $hash --concurrency 4 \
	--restore "$work/state"
head -c 100000 "$work/state" >"$work/short"
refused 'damaged or cut short' --system getm $hash --restore "$work/short"
{ cat "$work/state"; echo; } >"$work/long"
refused 'damaged or cut short' --system getm $hash --restore "$work/long"
{ head -c 90000 "$work/state"; printf X; tail -c +90002 "$work/state"; } >"$work/damaged"
refused 'damaged or cut short' --system getm $hash --restore "$work/damaged"
sed '2s/.*/version 0.0.9/' "$work/state" >"$work/old"
refused 'a state of version 0.0.9, expected' --system getm $hash --restore "$work/old"
refused 'another file, expected a file of --save-at' --system getm $hash \
	--restore "$data/small.trace"
refused 'No such file' --system getm $hash --restore "$work/none"
cp "$kernels/nested.kernel" "$work/own.kernel"
"$sim" --kernel "$work/own.kernel" --save-at 50 "$work/own" >/dev/null
echo '# another one' >>"$work/own.kernel"
refused "own: $work/own.kernel has changed since" --kernel "$work/own.kernel" --restore "$work/own"
refused 'what a run is checked by is not saved' --check --restore "$work/state"
refused 'expected no --restore' --why 3 --restore "$work/state"
refused 'the state of gputm-sim --machine reference --kernel .* --divergence pdom' \
	--machine reference --kernel "$kernels/nested.kernel" --divergence tbc \
	--restore "$work/nested"
refused 'got "0", expected a number of cycles' --save-at 0 "$work/none"
refused 'got 1 word, expected CYCLE FILE' --save-at 9
refused 'got "-", expected a file' --system getm $hash --save-at 9 -
refused 'got 3000, expected a cycle after 3000' --system getm $hash --restore "$work/state" \
	--save-at 3000 "$work/none"
"$sim" --system getm $hash --save-at 99999999 "$work/none" >/dev/null 2>"$work/err"
[ $? = 1 ] && [ ! -e "$work/none" ] && grep -q 'the run ended at cycle [0-9]* and nothing was saved' \
	"$work/err" || complain "a cycle behind the end: $(cat "$work/err")"
exit $failed
