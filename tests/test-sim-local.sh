#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The systems in local memory from outside: every run is serialisable and repeats to the byte,
# also with the unit saved and loaded all the time; what does not fit is refused; and what the
# systems and workloads are for can be seen.
. "${srcdir:-.}/tests/build/sim.sh"
systems='local-tm local-tm-perfect local-serialised'
sizes='2 4 8 16 32 64 128 256'
[ "${GPUTM_TEST_SCALE:-}" != small ] || sizes='2 32 256'

run 0 --list
for name in southern-islands $systems local-hash-2 k-means-32 genetic-256; do
	grep -qw -- "$name" "$work/out" || complain "--list does not tell of $name"
done
for name in southern-islands $systems; do
	grep -q "Cm $name\\b" "$srcdir/man/gputm-sim.1" || complain "gputm-sim(1) does not tell of $name"
done

# ---- every run is right ----
for workload in local-hash k-means genetic; do
	for n in $sizes; do
		for system in $systems; do
			run 0 --system $system --workload $workload-$n --check --format json
			grep -q '"passed": true' "$work/out" || complain "$system $workload-$n: check"
			cycles=$(number cycles)
			echo "$cycles $(number aborted)" >"$work/$workload-$n.$system"
			grep -v wall_seconds "$work/out" >"$work/first"
			run 0 --system $system --workload $workload-$n --check --format json \
				--set machine.swap_units_every=$((cycles / 7 + 3))
			grep -v wall_seconds "$work/out" | cmp -s - "$work/first" ||
				complain "$system $workload-$n: another run when the unit is swapped"
		done
	done
done
for seed in 2 3 4 5; do
	for system in $systems; do
		for name in local-hash-4 k-means-16 genetic-8; do
			run 0 --system $system --workload $name --seed $seed --check
		done
		run 0 --system $system --workload genetic-16 --seed $seed --check \
			--set local_tm.wavefronts=16 --set local_tm.lanes=16 \
			--set local_tm.banks=4 --set local_tm.signature_bits=1
	done
done

# ---- what they are for ----
read -r cycles aborted <"$work/local-hash-256.local-tm"
[ "$aborted" -eq 0 ] || complain "local-hash-256: $aborted conflicts where there is nothing to share"
read -r serial aborted <"$work/local-hash-256.local-serialised"
[ "$aborted" -eq 0 ] && [ "$serial" -gt $((20 * cycles)) ] ||
	complain "local-hash-256: $cycles cycles, $serial when serialised"
read -r perfect aborted <"$work/local-hash-256.local-tm-perfect"
[ "$perfect" -lt "$cycles" ] || complain "local-hash-256: transactions cost nothing"
read -r cycles aborted <"$work/genetic-32.local-tm"
read -r serial none <"$work/genetic-32.local-serialised"
[ "$none" -eq 0 ] && [ "$aborted" -gt 0 ] && [ "$serial" -gt "$cycles" ] ||
	complain "genetic-32: $cycles cycles, $serial when serialised"
run 0 --system local-tm --workload local-hash-2 --format json
for level in wavefront_attempts group_attempts; do
	[ "$(number $level)" -gt 0 ] || complain "local-hash-2: no $level"
done
# More bits in a signature, fewer false conflicts.
run 0 --system local-tm --workload k-means-256 --format json
few=$(number false_conflicts)
run 0 --system local-tm --workload k-means-256 --format json --set local_tm.signature_bits=64
[ "$(number false_conflicts)" -lt "$few" ] ||
	complain "k-means-256: $few false conflicts with 8 bits, $(number false_conflicts) with 64"

# ---- what never ends: an attempt that goes round, and threads that wait for nobody ----
cat >"$work/ring.kernel" <<'KERNEL'
threads 64 block 64
shared ring 8
program
	if id < 8
		store ring[id] = (id + 1) % 8
	end
	set x = id % 8
	begin
	repeat
		load x = ring[x]
	until x == 8
	commit
KERNEL
cat >"$work/wait.kernel" <<'KERNEL'
threads 64 block 64
commits threads
shared flag 64
program
	repeat
		load f = flag[id]
	until f
	begin
	store flag[id] = 2
	commit
KERNEL
for system in $systems; do
	for kernel in ring:10 wait:6; do
		timeout 60 "$sim" --system $system --workload "$work/${kernel%:*}.kernel" \
			--set machine.patience_cycles=300000 >"$work/out" 2>"$work/err" </dev/null
		[ $? -eq 1 ] && grep -q "${kernel%:*}.kernel:${kernel#*:}:3: thread 0 goes round: .*\
machine.patience_cycles = 300000" "$work/err" || complain "$kernel under $system: $(cat "$work/err")"
	done
done

# ---- kernels: any number of registers, barriers, fences, threads that end early ----
many_registers shared >"$work/registers.kernel"
cat >"$work/barrier.kernel" <<'KERNEL'
threads 250 block 250
shared a 256
shared b 256
program
	set n = 0
	store a[id] = id + 1
	barrier
	load x = a[(id + 77) % threads]
	fence
	while n < id % 5
		set n = n + 1
		exit if id % 7 == 6 && n == 3
		if id & 1
			alu 3
			exit if id % 10 == 1
		else
			exit if id == 2 && n == 1
		end
	end
	begin
	load y = b[id % 9]
	store b[id % 9] = y + 1
	commit
	barrier
	load z = b[(id + 100) % 9]
	store a[id] = x + z
	exit if id > 191
	barrier
	load n = a[0]
	store b[10 + id] = n
verify
	set all = 0
	for i = 0 below 9
		set all = all + b[i]
	end
	set gone = 0
	for i = 0 below threads
		set dead = i % 7 == 6 && i % 5 > 2 || i & 1 && i % 10 == 1 || i == 2
		set gone = gone + dead
		if !dead
			require a[i] == (i + 77) % threads + 1 + b[(i + 100) % 9] i
		end
		if i < 192 && !dead
			require b[10 + i] == a[0]
		end
	end
	require all == threads - gone all gone
KERNEL
for system in $systems; do
	run 0 --system $system --kernel "$work/registers.kernel" --check
	run 0 --system $system --kernel "$work/barrier.kernel" --check
	sed /barrier/d "$work/barrier.kernel" >"$work/none.kernel"
	run 1 --system $system --kernel "$work/none.kernel" --check
done
for what in 'cas x = s[id] from 0 to 1' 'add s[id] = 1'; do
	printf 'threads 8 block 8\nshared s 8\nprogram\n\tbegin\n\tstore s[0] = 1\n\tcommit\n\t%s\n' "$what" \
		>"$work/atomic.kernel"
	refused 'atomic.kernel:7:2: there is no hardware for this under local-tm: the paper does not say how an atomic' \
		--system local-tm --kernel "$work/atomic.kernel"
done

# ---- what does not fit ----
refused 'southern-islands' --system local-tm --workload k-means-2 --machine fermi
run 0 --system local-tm --workload k-means-2 --machine southern-islands
grep -q 'machine *southern-islands: 1 compute unit' "$work/out" || complain 'text: no machine'
refused 'not in local memory' --system local-tm --workload bank
refused 'local-serialised' --system kilo-tm --workload k-means-2
refused '--concurrency' --system local-tm --workload k-means-2 --concurrency 2
refused 'each of 2 blocks has a copy' --system local-tm --workload k-means-2 --threads 512
refused '256 work-items, the work-group has 128' --system local-tm --workload k-means-2 \
	--set local_tm.wavefronts=2
refused 'wavefronts x lanes = 320' --system local-tm --workload k-means-2 --set local_tm.wavefronts=5
refused 'words = 7265 is outside 0 .. 7264' --system local-tm --workload k-means-2 \
	--set local_tm.words=7265
refused 'cores' --system local-tm --workload k-means-2 --set machine.cores=2
refused 'machine local_tm' --system local-tm --workload local-hash-2 --set commit_unit.ring=2
refused 'the workload needs 256 words (local_tm.words), the work-group has 255' --system local-tm \
	--workload local-hash-2 --set local_tm.words=255
exit $failed
