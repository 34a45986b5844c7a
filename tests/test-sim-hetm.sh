#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# System hetm from outside: every run leaves both replicas in one serial order and repeats to the
# byte, also with the units saved and loaded all the time, with and without each optimisation;
# rounds fail where the devices conflict and only there; what does not fit is refused.
. "${srcdir:-.}/tests/build/sim.sh"
always='--system hetm --set dispatch_queues.batch=256'
threads=3000
[ "${GPUTM_TEST_SCALE:-}" != small ] || threads=600

# adds_up: each cycle of the JSON report in $work/out is one of each device's, of the link's and
# of a phase
adds_up() {
	awk '
		/^  "cycles": / { cycles = $2 + 0 }
		/^  [^ ]/ { inside = /^  "times": / }
		inside && /^    "/ { device = $1 }
		inside && /^      "/ { sum[device] += $2 }
		END {
			for (device in sum) {
				devices++
				if (sum[device] != cycles)
					exit 1
			}
			exit devices != 4
		}' "$work/out"
}

# correct ARGUMENT...: checked, and the same when the units are swapped
correct() {
	run 0 --check --format json "$@"
	grep -q '"passed": true' "$work/out" || complain "hetm $*: check"
	grep -q '"kind": "replicas"' "$work/out" || complain "hetm $*: kind of the check"
	adds_up || complain "hetm $*: the times do not add up to the cycles"
	grep -v wall_seconds "$work/out" >"$work/first"
	run 0 --check --format json "$@" --set machine.swap_units_every=7777
	grep -v wall_seconds "$work/out" | cmp -s - "$work/first" ||
		complain "hetm $*: another run when the units are swapped"
	cp "$work/first" "$work/out"
}

# right ARGUMENT...: the same for a workload of $threads threads
right() {
	correct --threads $threads "$@"
}

basic='--set sync_round.non_blocking=0 --set sync_round.shadow_copy=0
	--set sync_round.early_cycles=0'
# A GPU that is about as fast as the CPU.
slow='--set gpu.cores=1 --set gpu.warps=4 --set system.concurrency=1'
short='--set sync_round.round_cycles=100000 --set sync_round.early_cycles=5000
	--set write_set_log.chunk_bytes=1024'

# ---- every run is right ----
for workload in w1 w2 cache; do
	for steps in '' "$basic"; do
		# shellcheck disable=SC2086
		right --workload $workload $short $steps
		[ "$(number failed)" -eq 0 ] || complain "$workload: a round failed without a conflict"
	done
done
for steps in '' "$basic" '--set sync_round.non_blocking=0' '--set sync_round.shadow_copy=0' \
	'--set sync_round.early_cycles=0'; do
	# shellcheck disable=SC2086
	right --workload w1 --set workload.conflict=20000 --set workload.kilobytes=16 $slow $short \
		$steps
	[ "$(number failed)" -gt 0 ] || complain "w1 $steps: no round failed"
	# shellcheck disable=SC2086
	right --workload cache --set workload.shift=50 --set workload.put=5000 \
		--set system.steal=1 $short $steps
done
for gpu in coarse-lock ideal kilo-tm warptm warptm-tcd si-tm; do
	right --workload w1 --set system.gpu=$gpu --set workload.kilobytes=64 --set workload.update=50
done
# Every system on the GPU, with and without early validation, shadow copy and stealing, of requests
# with an affinity (w1, cache) and without (bank, hash-table: all are shared, and most rounds fail).
# Small scale takes one of the workloads for each.
conflicts='--set workload.conflict=20000 --set workload.kilobytes=64'
puts='--set workload.shift=50 --set workload.put=5000 --set workload.sets=2000'
tiny='--set sync_round.round_cycles=30000 --set write_set_log.chunk_bytes=256 --set gpu.cores=1
	--set gpu.warps=4'
turn=0 rounds=0
for gpu in coarse-lock ideal kilo-tm warptm warptm-tcd getm si-tm fine-lock; do
	for options in 0,0,0 0,0,1 0,1,0 0,1,1 3000,0,0 3000,0,1 3000,1,0 3000,1,1; do
		rest=${options#*,}
		which=0
		for workload in "w1 $conflicts" "cache $puts --set workload.keys=8000" bank \
			hash-table; do
			which=$((which + 1))
			[ $gpu != fine-lock ] || [ $which -gt 2 ] || continue
			[ "${GPUTM_TEST_SCALE:-}" != small ] || [ $((turn % 4 + 1)) -eq $which ] ||
				continue
			# shellcheck disable=SC2086
			run 0 --workload $workload --threads 300 $tiny --check --format json \
				--set system.gpu=$gpu --set dispatch_queues.batch=64 \
				--set sync_round.early_cycles="${options%%,*}" \
				--set sync_round.shadow_copy="${rest%,*}" \
				--set system.steal="${rest#*,}"
			[ "$(number false_rounds)" -eq 0 ] || complain "$gpu $workload: false conflicts"
			rounds=$((rounds + $(number failed_rounds)))
		done
		turn=$((turn + 1))
	done
done
[ $rounds -gt 20 ] || complain "only $rounds rounds failed under all systems"
for devices in cpu gpu; do
	right --workload w1 --set system.devices=$devices
done
# A workload that knows nothing of devices: all requests are shared, and conflict.
run 0 --workload bank --threads 500 --check
run 0 --workload hash-table --threads 400 --check --set system.gpu=fine-lock

# ---- traces ----
# Even threads are for the CPU, odd ones for the GPU, or a share of them.
trace=$srcdir/tests/data/small.trace
for gpu in coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd getm si-tm; do
	correct --trace "$trace" --set system.gpu=$gpu
	[ "$(number committed)" -eq 240 ] || complain "$gpu: trace: $(number committed) committed"
done
all=$(grep '^t' "$trace" | cut -d' ' -f2 | sort -u | wc -l)
for share in 0 1 25 99 100; do
	run 0 --trace "$trace" --check --format json --set system.cpu_share=$share
	[ $share -gt 0 ] || share=50
	[ "$(number cpu_taken)" -eq $((all * share / 100)) ] ||
		complain "cpu_share=$share: $(number cpu_taken) of $all threads for the CPU"
done
# The region is around the addresses, however far apart.
printf 't 1 r1000=0 w7ffffffc=1\nt 2 w1000=2 r7ffffff8=0\nt 3 r7ffffffc=1 w40000000=5\n' >"$work/far"
correct --trace "$work/far"

# ---- the report ----
run 0 --workload w1 --threads $threads
for part in cpu.execution gpu.launch gpu.validation link.logs link.idle phase.merge; do
	grep -q "^    $part  *[1-9]" "$work/out" || complain "the text report has no time $part"
done
run 0 --workload w1 --threads $threads --format csv
for part in cpu.execution cpu.overlap cpu.idle cpu.drain cpu.waits cpu.merge gpu.launch \
	gpu.execution gpu.overlap gpu.idle gpu.drain gpu.waits gpu.validation gpu.merge \
	link.early link.logs link.copies link.idle phase.execution phase.validation phase.merge; do
	grep -q "^[0-9a-f]*,times,,$part,[0-9]" "$work/out" || complain "CSV: no times.$part"
	grep -q "Cm $part" "$srcdir/man/gputm-sim.1" || complain "gputm-sim(1) has no $part"
done

# ---- what it is for ----
# Early validation ends rounds that are lost.
# shellcheck disable=SC2086
run 0 --workload w1 --threads 3000 --set workload.conflict=20000 --set workload.kilobytes=16 \
	$slow $short --format json
[ "$(number cut_short)" -gt 0 ] || complain "w1: early validation ended no round"
# It looks at what the kernel that runs has committed so far, and finds most lost rounds first.
[ $((2 * $(number failed_early))) -gt "$(number failed)" ] ||
	complain "w1: $(number failed_early) of $(number failed) lost rounds were found early"
# A lost round's kernel is stopped.
number cycles >"$work/cycles.stopped"
# shellcheck disable=SC2086
run 0 --workload w1 --threads 3000 --set workload.conflict=20000 --set workload.kilobytes=16 \
	$slow $short --format json --check --set system.stop_kernels=0
[ "$(number cycles)" -ne "$(cat "$work/cycles.stopped")" ] ||
	complain "w1: stop_kernels makes no difference"
# False conflicts come from the granularity, and only from it.
for granule in 4 65536; do
	run 0 --workload w1 --threads $threads --set workload.kilobytes=64 --format json --check \
		--set access_bitmap.reads.granule=$granule
	number failed_rounds >"$work/failed.$granule"
	number false_rounds >"$work/false.$granule"
	[ "$(number conflicts)" -eq "$(number false_conflicts)" ] ||
		complain "w1: a true conflict at $granule B"
done
[ "$(cat "$work/failed.4")" -eq 0 ] || complain "w1: a false conflict at 4 B"
[ "$(cat "$work/failed.65536")" -gt 0 ] || complain "w1: no false conflict at 64 KB"
cmp -s "$work/failed.65536" "$work/false.65536" || complain "w1: false conflicts are not told"
# Both devices are faster than one.
for devices in both cpu gpu; do
	# shellcheck disable=SC2086
	run 0 --workload w1 --threads 6000 $slow --set system.devices=$devices --format json
	number cycles >"$work/cycles.$devices"
done
for devices in cpu gpu; do
	[ "$(cat "$work/cycles.both")" -lt "$(cat "$work/cycles.$devices")" ] ||
		complain "w1: both devices take longer than the $devices"
done

# ---- what does not fit ----
refused 'cpu_share = 101 is ' --workload w1 --set system.cpu_share=101
refused 'one of its names' --workload w1 --set system.gpu=nonsense
refused 'no program with locks' --workload w1 --set system.gpu=fine-lock
refused '--concurrency' --workload w1 --concurrency 2
refused 'round_cycles' --workload w1 --set sync_round.round_cycles=0
refused 'expected one of' --workload w1 --machine fermi
refused 'gpu: warps = 3 is outside 4 .. 64' --workload w1 --set gpu.warps=3
refused 'gpu: lanes = 2 is outside 3 .. 32' --workload w1 --set gpu.lanes=2
refused 'gpu: the fastest of core_mhz' --workload w1 --set gpu.core_mhz=101
refused 'write_set_log: stamp_bits = 9 is outside 10 .. 63' --workload w1 --threads 600 \
	--set write_set_log.stamp_bits=9
refused 'device_validator: stamp_bits = 9 is outside 10 .. 63' --workload w1 --threads 600 \
	--set device_validator.stamp_bits=9
# Sizes that follow others: only the value that they have anyway is taken.
refused 'write_set_log.threads = 4 must be machine.workers = 8' --workload w1 \
	--set write_set_log.threads=4
run 0 --workload w1 --threads 600 --set write_set_log.threads=4 --set machine.workers=4
for unit in write_set_log device_validator access_bitmap.reads access_bitmap.writes; do
	refused "$unit.region_bytes = 4096 must be the bytes of the workload's data = " \
		--workload w1 --set $unit.region_bytes=4096
done
# Stamps that are wide enough for the bound that a refusal names do not run out, though the CPU has
# all requests.
for workload in bank octree list tree graph-cut hash-table audit skew w1 cache; do
	set -- --workload $workload --set system.cpu_share=100
	run 2 "$@" --set write_set_log.stamp_bits=8 --set device_validator.stamp_bits=8
	bits=$(sed -n 's/.*is outside \([0-9]*\) .. 63.*/\1/p' "$work/err")
	run 0 "$@" --set write_set_log.stamp_bits="$bits" \
		--set device_validator.stamp_bits="$bits"
done
# Kernels of one core have their data elsewhere, or none.
for kernel in arrival nested; do
	refused 'the workload has no data in the memory of both devices' \
		--kernel "$srcdir/examples/kernels/$kernel.kernel"
done
# A thread that waits for ever on either device is told with its place, and a signal ends it before.
cat >"$work/waits.kernel" <<'KERNEL'
threads 64 block 64
array flag threads
affinity id % 2 + 1
program
	begin
	load x = flag[id]
	store flag[id] = x + 1
	commit
	if id == WHO
		repeat
			load y = flag[0]
		until y == 7
	end
KERNEL
for thread in 4 5; do
	sed "s/WHO/$thread/" "$work/waits.kernel" >"$work/wait.kernel"
	for devices in both cpu gpu; do
		run 1 --kernel "$work/wait.kernel" --set system.devices=$devices --check \
			--set gpu.patience_cycles=100000
		grep -q "wait.kernel:1[12]:[34]: thread $thread goes round: .*gpu.patience_cycles = 100000" \
			"$work/err" || complain "thread $thread on $devices: $(cat "$work/err")"
		timeout -k 20 1 "$sim" --system hetm --kernel "$work/wait.kernel" --out "$work/out" \
			--set system.devices=$devices --set gpu.patience_cycles=0 2>"$work/err"
		grep -q 'ended by signal SIGTERM' "$work/err" && grep -q 'ended before its end' "$work/out" ||
			complain "thread $thread on $devices, ended: $(cat "$work/err")"
	done
done
# The CPU has any number of registers, and threads end early on both devices.
many_registers array >"$work/registers.kernel"
cat >"$work/early.kernel" <<'KERNEL'
threads 512 block 32
array a 512
program
	exit if id % 3 == 1
	begin
	load x = a[id]
	store a[id] = x + 1
	commit
	exit if id % 3 == 2
	begin
	load x = a[id]
	store a[id] = x + 1
	commit
verify
	for i = 0 below threads
		require a[i] == (i % 3 == 0 ? 2 : i % 3 == 1 ? 0 : 1) i
	end
KERNEL
for devices in both cpu gpu; do
	for kernel in registers early; do
		run 0 --kernel "$work/$kernel.kernel" --set system.devices=$devices --check
	done
done
# What no hardware of HeTM says: atomics of two devices, a barrier between them.
for what in 'cas x = a[id] from 0 to 1' 'add a[id] = 1' barrier 'load x = s[0]'; do
	sed "4s/.*/\t$what/; s/^array.*/&\nshared s 1/" "$work/early.kernel" >"$work/lacks.kernel"
	refused 'lacks.kernel:5:2: there is no hardware for this under hetm: ' --kernel "$work/lacks.kernel"
done
# Without a GPU there is none that could not run.
run 0 --workload w1 --threads 600 --set system.devices=cpu --set gpu.warps=1
right --workload w1 --set gpu.warps=4 --set write_set_log.stamp_bits=12 \
	--set device_validator.stamp_bits=12
exit $failed
