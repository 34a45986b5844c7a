#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The systems in local memory from outside: every run is serialisable and repeats to the byte,
# also with the unit saved and loaded all the time; what does not fit is refused; and what the
# systems and workloads are for can be seen.
. "${srcdir:-.}/tests/build/sim.sh"
manual=$(cd "$srcdir/man" && pwd)
cd "$work" || exit 1
systems='local-tm local-tm-perfect local-serialised'
sizes='2 4 8 16 32 64 128 256'
[ "${GPUTM_TEST_SCALE:-}" != small ] || sizes='2 32 256'

# ---- every run is right, and what the systems are for ----
case_right() {
	for workload in local-hash k-means genetic; do
		for n in $sizes; do
			for system in $systems; do
				echo "0 --system $system --workload $workload-$n --check --report instances" \
					"--format jsonl > $system.$workload-$n.first | \"check.passed\":true"
			done
		done
	done >table
	# More bits in a signature, fewer false conflicts.
	few='--system local-tm --workload k-means-256 --format jsonl'
	echo "0 $few --report roles --set local_tm.signature_bits=64 > signatures" >>table
	echo '0 --list > list' >>table
	runs <table
	awk '
		function value(key,    found) {
			if (!match($0, "\"" key "\":[0-9]+"))
				return 0
			found = substr($0, RSTART, RLENGTH)
			sub(/.*:/, "", found)
			return found + 0
		}
		FILENAME == "signatures" { with64 = value("local_tm.false_conflicts"); next }
		{
			run = FILENAME; sub(/[.]first$/, "", run)
			c[run] = cycles = value("cycles"); aborts[run] = value("aborted")
			of = run; sub(/[.]/, " --workload ", of)
			printf "0 --system %s --check --report instances --format jsonl --set " \
				"machine.swap_units_every=%d > swapped\nsame swapped %s\n", of, cycles / 7 + 3, FILENAME
			if (run == "local-tm.k-means-256") with8 = value("local_tm[.0]*.false_conflicts")
			if (run == "local-tm.local-hash-2") {
				if (!value("local_tm[.0]*.wavefront_attempts") || !value("local_tm[.0]*.group_attempts"))
					print "local-hash-2: no attempts of wavefronts or groups" >"wrong"
			}
		}
		END {
			tm = "local-tm.local-hash-256"; serial = "local-serialised.local-hash-256"
			if (!(tm in c) || aborts[tm])
				print "local-hash-256: " aborts[tm] " conflicts where there is nothing to share" >"wrong"
			if (aborts[serial] || c[serial] <= 20 * c[tm])
				print "local-hash-256: " c[tm] " cycles, " c[serial] " when serialised" >"wrong"
			if (c["local-tm-perfect.local-hash-256"] >= c[tm])
				print "local-hash-256: transactions cost nothing" >"wrong"
			tm = "local-tm.genetic-32"; serial = "local-serialised.genetic-32"
			if (aborts[serial] || !aborts[tm] || c[serial] <= c[tm])
				print "genetic-32: " c[tm] " cycles, " c[serial] " when serialised" >"wrong"
			if (with64 >= with8)
				print "k-means-256: " with8 " false conflicts with 8 bits, " with64 " with 64" >"wrong"
		}' signatures *.first >table
	[ ! -s wrong ] || complain "$(cat wrong)"
	runs <table
	awk -v systems="$systems" '
		BEGIN { n = split(systems " southern-islands local-hash-2 k-means-32 genetic-256", name) }
		FILENAME == "list" { text = text " " $0 " "; next }
		FNR == 1 && list == "" { list = text; text = "" }
		/Cm / { text = text " " $0 " " }
		END {
			for (i = 1; i <= n; i++) {
				if (list !~ "[^a-z0-9_]" name[i] "[^a-z0-9_]") print "--list does not tell of " name[i]
				if (i <= 4 && text !~ "Cm " name[i] "[^a-z0-9_]")
					print "the manual does not tell of " name[i]
			}
		}' list "$manual"/gputm-sim.1 "$manual"/gputm-[mrs]*.7 >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

case_seeds() {
	for seed in 2 3 4 5; do
		for system in $systems; do
			for name in local-hash-4 k-means-16 genetic-8; do
				echo "0 --system $system --workload $name --seed $seed --check | Check passed"
			done
			echo "0 --system $system --workload genetic-16 --seed $seed --check" \
				"--set local_tm.wavefronts=16 --set local_tm.lanes=16" \
				"--set local_tm.banks=4 --set local_tm.signature_bits=1 | Check passed"
		done
	done >table
	runs <table
}

# What never ends: an attempt that goes round, threads that wait for nobody, and a lock whose holder
# waits in its wavefront for those that want it.
case_endless() {
	cat >hold.kernel <<'KERNEL'
threads 64 block 64
shared lock 64
program
	set won = 0
	repeat
		begin
		load held = lock[0]
		store lock[0] = 1 if !held
		commit
		if !held
			set won = 1
		end
	until won
	begin
	store lock[0] = 0
	commit
KERNEL
	cat >ring.kernel <<'KERNEL'
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
	cat >wait.kernel <<'KERNEL'
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
			echo "1 --system $system --workload ${kernel%:*}.kernel --set machine.patience_cycles=300000" \
				"~ ${kernel%:*}.kernel:${kernel#*:}:3: thread 0 goes round: .*machine.patience_cycles = 300000"
		done
	done >table
	# 50 million cycles are for the tests of full scale.
	[ "${GPUTM_TEST_SCALE:-}" = small ] || echo "1 --system local-serialised --workload hold.kernel" \
		"~ hold.kernel:[0-9]*:3: thread [0-9]* goes round: .*no register or word of memory has changed," \
		"for more than 50000000 cycles; thread 0 of its wavefront waits for it in line 14" >>table
	runs <table
}

# Kernels: any number of registers, barriers, fences, threads that end early.
case_kernels() {
	many_registers shared >registers.kernel
	cat >barrier.kernel <<'KERNEL'
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
	sed /barrier/d barrier.kernel >none.kernel
	for system in $systems; do
		echo "0 --system $system --kernel registers.kernel --check"
		echo "0 --system $system --kernel barrier.kernel --check"
		echo "1 --system $system --kernel none.kernel --check"
	done >table
	for what in 'cas x = s[id] from 0 to 1' 'add s[id] = 1'; do
		printf 'threads 8 block 8\nshared s 8\nprogram\n\tbegin\n\tstore s[0] = 1\n\tcommit\n\t%s\n' "$what" \
			>"${what%% *}.kernel"
		echo "2 --system local-tm --kernel ${what%% *}.kernel :" \
			"${what%% *}.kernel:7:2: there is no hardware for this under local-tm: the paper does not say how an atomic"
	done >>table
	runs <table
}

case_refused() {
	refused '--concurrency' --system local-tm --workload k-means-2 --concurrency 2
	runs <<-TABLE
		2 --system kilo-tm --workload k-means-2 : local-serialised
		0 --system local-tm --workload k-means-2 --machine southern-islands |~ machine *southern-islands: 1 compute unit
		always --system local-tm
		2 --workload bank : not in local memory
		2 --workload local-hash-2 --set commit_unit.ring=2 : machine local_tm
		2 --workload local-hash-2 --set local_tm.words=255 : the workload needs 256 words (local_tm.words), the work-group has 255
		always --system local-tm --workload k-means-2
		2 --machine fermi : southern-islands
		2 --threads 512 : each of 2 blocks has a copy
		2 --set local_tm.wavefronts=2 : 256 work-items, the work-group has 128
		2 --set local_tm.wavefronts=5 : wavefronts x lanes = 320
		2 --set local_tm.words=7265 : words = 7265 is outside 0 .. 7264
		2 --set machine.cores=2 : cores
	TABLE
}
cases "$@"
