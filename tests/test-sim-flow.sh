#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Control flow in gputm-sim from outside: the kernels that are shipped run as their threads would
# alone under every mechanism (but for plain DWF where the thesis says so), the worked
# examples of the thesis, what is refused, the shapes of the reports.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)
manual=$(cd "$srcdir/man" && pwd)
mechanisms=$("$sim" --list | awk '/^Mechanisms/ { on = 1; next } on && /^  [a-z]/ { print $1 }')
page=$manual/gputm-kernel.5
small=
[ "${GPUTM_TEST_SCALE:-}" != small ] || small=small
# The manual has all reserved words, and the words that kernels of blocks may use.
words() { # FILE FROM SECTION: quoted words of a table of FILE, and words that the manual lacks or adds
	awk -v from="$2" -v section="$3" '
		FNR == 1 { on = 0 }
		FILENAME != page {
			on = on || $0 ~ from
			n = split($0, part, "\"")
			for (i = 2; on && i < n; i += 2)
				source[part[i]] = ++known
			on = on && !/};/
			next
		}
		section == "reserved" {
			if (/^[.]Ss Reserved words/) on = 1
			else if (/^[.]Ed/) on = 0
			if (!on || /^[.]/ || /^The/) next
		}
		section == "blocks" {
			if (/^Registers of kernels of blocks/) on = 1
			else if (/^No register/) on = 0
			if (!on || !sub(/^[.]Li /, "")) next
		}
		{ gsub(/[,.]/, " "); for (i = 1; i <= NF; i++) manual[$i] }
		END {
			for (word in source) if (!(word in manual)) print "gputm-kernel(5) lacks the word " word
			for (word in manual) if (!(word in source)) print "gputm-kernel(5) has another word, " word
			if (section == "reserved" && known <= 70) print known " reserved words in the source"
			if (!known) print "no words in the source"
		}' page="$page" "$1" "$page" >"$work/wrong" || complain 'awk failed'
	[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
}
words "$srcdir/examples/sim/kernel/words.c" 'reserved[[][]]' reserved
words "$srcdir/examples/sim/kernel/names.c" 'words[[][]]' blocks
cp "$kernels"/*.edges "$work"
cd "$work" || exit 1

# ---- kernels ----
# Those that are shipped, but for those of the machine and its TM systems; small on purpose: the same
# loop with two thread blocks, or three.
shipped=$(awk '
	function keep() {
		if (launches) {
			sub(/.*[/]/, "", file)
			printf "%s", text >file
			sub(/[.]kernel$/, "", file)
			print file
			sub(/\nlaunch 2/, "\nlaunch 3", text)
			printf "%s", text >(file "3.kernel")
		}
	}
	FNR == 1 { keep(); file = FILENAME; text = ""; launches = 0 }
	sub(/^launch [0-9]+/, "launch 2") { launches = 1 }
	{ text = text $0 "\n" }
	END { keep() }' "$kernels"/*.kernel)
printf 'threads 1024 block 1024\narray a 1024\nprogram\n\tload x = a[id]\n' >lines.kernel
for old in '' ' old was'; do
	printf 'threads 64 block 32\narray sum 4\nprogram\n\tset i = 0\n\twhile i < 50\n' >"add${old:+_old}.kernel"
	printf '\t\tadd sum[0] = 1%s\n\t\tset i = i + 1\n\tend\nverify\n' "$old" >>"add${old:+_old}.kernel"
	printf '\trequire sum[0] == 3200 "sum is" sum[0]\n' >>"add${old:+_old}.kernel"
done
printf 'param step 2 1 9 "What is added."\nthreads 64 block 32\narray sum threads\nprogram\n' >sum.kernel
printf '\tadd sum[id / 2] = step\nverify\n\trequire sum[0] == 4 "sum is" sum[0]\n' >>sum.kernel
cat >race.kernel <<'TXT'
threads 64 block 32
array sum 4 { a b }
shared near 32
program
	load n = sum[1].b
	store sum[1].b = n + 1
	store near[0] = id
	load m = near[0] if thread > 3
verify
	require sum[1].b == 64 "sum is" sum[1].b
TXT
cat >old.kernel <<'TXT'
threads 64 block 64
array n 1
program
	if id < 32
		alu 50
	end
	add n[0] = 1 old place
verify
	require n[0] == 64
TXT
# Barriers in loops whose bounds are the same in a block, and in one that is said to be so: each
# round takes the neighbour's word.
cat >rounds.kernel <<'TXT'
param rounds 4 1 100 "Rounds."
threads 128 block 64
array word threads
array bound threads
table now threads
table next threads
define first = block * block_size
macro round()
	load x = word[first + (thread + 1) % block_size]
	barrier
	store word[id] = 3 * x + id
	fence
	barrier
end
setup
	for t = 0 below threads
		store bound[t] = 1 + t / 64
	end
program
	set twice = 2 * rounds + block
	for i = 0 below twice
		round()
	end
	load n = bound[id]
	for uniform i = 0 below n
		round()
	end
	if block == 1 && rounds < 50
		round()
	end
verify
	for i = 0 below 2 * rounds + 4
		for t = 0 below threads
			set last = 2 * rounds + 1 + (t >= 64) * 3
			store next[t] = i < last ? 3 * now[t / 64 * 64 + (t + 1) % 64] + t : now[t]
		end
		for t = 0 below threads
			store now[t] = next[t]
		end
	end
	for t = 0 below threads
		require word[t] == now[t]
	end
TXT
sed 's/store bound.*/store bound[t] = 1 + (t == 70)/' rounds.kernel >broken.kernel
# The thread that has the lock waits for the others of its warp.
cat >spin.kernel <<'TXT'
threads 32 block 32
array lock 1
array word threads
program
	repeat
		cas held = lock[0] from 0 to 1
	until held == 0
	store word[id] = id
	fence
	store lock[0] = 0
TXT
cat >part.kernel <<'TXT'
threads 256 block 96
array done threads
array left (threads + 95) / 96
program
	set i = 0
	while i < id % 7
		set i = i + 1
		if thread & 4
			alu 3
		end
	end
	add left[block] = 1
	barrier
	load n = left[block]
	store done[id] = n * 100 + i
verify
	for t = 0 below threads
		set mine = t / 96 * 96 + 96 <= threads ? 96 : threads % 96
		require done[t] == mine * 100 + t % 7 "thread" t "has" done[t]
	end
TXT
cat >cas.kernel <<'TXT'
threads 256 block 64
array top 1
array place 256
program
	repeat
		load t = top[0]
		cas was = top[0] from t to t + 1
	until was == t
	store place[t] = id + 1
TXT
cat >scan.kernel <<'TXT'
threads 1000 block 96
array sum threads
array next threads
array distance 1
table longest 1
shared near 32
setup
	store distance[0] = 1
	for i = 0 below threads
		store sum[i] = i % 5
	end
program
kernel reach
	load d = distance[0]
	load x = sum[id]
	if id >= d
		load y = sum[id - d]
		set x = x + y
	end
	store next[id] = x
	fence
kernel move threads 250 block 250
	for i = 0 below 4
		load x = next[4 * id + i]
		store sum[4 * id + i] = x
	end
kernel double threads 32 block 32
	store near[lane] = lane + 1
	barrier
	load d = distance[0] if !lane
	load two = near[1]
	store distance[0] = d * two if !lane
host
	while distance[0] < threads
		launch reach
		launch move
		launch double
		store longest[0] = longest[0] + 1
		require distance[0] == 1 << longest[0] "at" distance[0]
	end
verify
	set all = 0
	for i = 0 below threads
		set all = all + i % 5
		require sum[i] == all "sum" i "is" sum[i]
	end
TXT
cat >locks.kernel <<'TXT'
threads 256 block 64
array count 8
locks lock 8
program transactions
	begin
	load n = count[id % 8]
	store count[id % 8] = n + 1
	commit
program locks
kernel k
	repeat
		cas held = lock[id % 8] from 0 to 1
		if held == 0
			enter
			load n = count[id % 8]
			store count[id % 8] = n + 1
			leave
			fence
			store lock[id % 8] = 0
			let done = 1
		end
	until done
host
	launch k
	launch k
	for i = 0 below 8
		require count[i] == 64
	end
TXT
cat >count.kernel <<'TXT'
threads 512 block 128
array bin 16
array slot threads
array total 64
array seen 8
program
	add bin[id % 16] = 1 old place
	store slot[id] = place
	barrier
	begin
	load t = total[16 * block]
	store total[16 * block] = t + 1
	add bin[0] = 0
	commit
	exit if id % 3 == 0
	barrier
	begin
	set i = 0
	while i < 8
		set i = i + 1
		if random(id * 8 + i) % 4 == 0
			alu 2
		else
			break if random(id * 8 + i) % 50 == 1
		end
		alu 30
	end
	load s = seen[id % 8]
	store seen[id % 8] = s + 1
	commit
verify
	for i = 0 below 16
		require bin[i] == 32 "bin" i "has" bin[i]
	end
	for i = 0 below 4
		require total[16 * i] == 128 "block" i "has" total[16 * i]
	end
	for i = 0 below 8
		set n = 0
		for j = 0 below 64
			set n = n + ((8 * j + i) % 3 != 0)
		end
		require seen[i] == n "word" i "was counted" seen[i] "times"
	end
TXT
printf 'threads 4 block 4\narray a 4\nprogram\n\tset x = id + 3\n\tload x = a[x]\n\tstore a[id] = x\n' >own.kernel
for wait in fence alu; do
	for access in 'store a[0] = 1' 'add a[0] = 1' 'load x = a[0]'; do
		printf 'threads 1 block 1\narray a 1\nprogram\n\t%s\n\t%s\n\talu 100\n' "$access" $wait \
			>"${access%% *}_$wait.kernel"
	done
	# A fence, or none, after stores of the same threads, and of others.
	printf 'threads 64 block 64\narray a threads\nprogram\n' >own_$wait.kernel
	cp own_$wait.kernel others_$wait.kernel
	printf 'if id & 1\nstore a[id] = 1\nend\nif id & 2\n%s\nend\nalu 100\n' $wait >>own_$wait.kernel
	printf 'if id & 1\nalu 9\n%s\nelse\nstore a[id] = 1\nend\nalu 100\n' $wait >>others_$wait.kernel
done
for what in 'store a[0] = 1' alu; do
	printf 'threads 1 block 1\narray a 1\nprogram\nkernel k\n%s\nhost\nlaunch k\nlaunch k\n' \
		"$what" >"end_${what%% *}.kernel"
done
# Kernels that differ from one above in a few lines: NAME KERNEL EXPRESSION TEXT ..., where the text @
# takes the line away.
awk -F '\t' '
	{
		while ((getline line <($2 ".kernel")) > 0) {
			for (i = 3; i < NF; i += 2)
				if (line ~ $i && $(i + 1) == "@")
					line = "\001"
				else
					changed += sub($i, $(i + 1), line)
			if (line != "\001") {
				gsub(/~/, "\n", line)
				print line >($1 ".kernel")
			} else
				changed++
		}
		close($2 ".kernel")
		close($1 ".kernel")
		if (!changed)
			print $1
		changed = 0
	}' >unchanged <<'CHANGES'
near	race	store sum.*	alu	== 64	== 0
round	scan	store distance\[0\] = d \* two	store distance[0] = 0	require distance	@
wrong_host	scan	require distance\[0\] == 1	require distance[0] == 2
wrong_reach	scan	store next\[id\] = x	cas x = next[id] from x to x
wrong_move	scan	store sum\[4 \* id \+ i\] = x	cas y = sum[4 * id + i] from x to x
near32	scan	while distance\[0\] < threads	while near[0] < 1	^threads .*	threads 32 block 32
near1024	scan	while distance\[0\] < threads	while near[0] < 1	^threads .*	threads 1024 block 32
setup	scan	store distance\[0\] = 1$	&~store near[0] = 1	^threads .*	threads 32 block 32
scan_locks	scan	^program$	program locks
bare	locks	enter	@	leave	@
late	bare	let done	set done
one_locks	locks	^threads 256 block 64	threads 32 block 32	== 64	== 8
one_bare	bare	^threads 256 block 64	threads 32 block 32	== 64	== 8
one_late	late	^threads 256 block 64	threads 32 block 32	== 64	== 8
open	locks	from 0 to 1	from 0 to 0
more	count	add bin\[0\] = 0	add bin[0] = 1
CHANGES
[ ! -s unchanged ] || complain "nothing is changed for $(cat unchanged)"

# ---- the runs ----
# takes NAME ARGUMENT...: a run of which figures are asked for below, by its name
takes() {
	into=$1
	shift
	echo "0 $* --format jsonl > $into.took"
}
machines='fermi
fermi --set machine.scheduler=lrr
fermi --set machine.scheduler=two_level
fermi --set machine.core_mhz=700
fermi --set machine.issue_slots=4
reference
thesis-4
thesis-3
fermi --set machine.l1_bytes=24576'
{
	for mechanism in $mechanisms; do
		for name in $shipped; do
			case "$mechanism $name" in
			'dwf manager' | 'dwf team' | 'dwf-wb team') is='1 false' ;;
			*) is='0 true' ;;
			esac
			echo "${is% *} --kernel $name.kernel --divergence $mechanism --check --format json --report instances" \
				"| \"equivalent\": ${is#* }"
		done
		echo "0 --kernel $kernels/eddy.kernel --divergence $mechanism --check --issues $mechanism.eddy"
		# Thread blocks are dealt to the cores, misses and stores cross to the partitions and their L2s.
		for name in bfs3 "$kernels/manager" nested3; do
			is='0 | "equivalent": true'
			[ "$mechanism ${name##*/}" != 'dwf manager' ] || is=1
			echo "${is%% *} --kernel $name.kernel --divergence $mechanism --check" \
				"--machine fermi --format json ${is#?}"
		done
		[ $small ] || echo "0 --kernel nested3.kernel --divergence $mechanism --check --machine reference"
		# Of three thread blocks two come to one core.
		echo "0 --kernel bfs3.kernel --machine fermi --set machine.cores=2 --divergence $mechanism" \
			"--issues $mechanism.bfs3.cores"
	done
	for of in 'pdom hammock' 'tbc hammock' 'tbc arrival'; do
		echo "0 --kernel $kernels/${of#* }.kernel --divergence ${of% *} --check --issues golden.${of% *}.${of#* }"
	done
	echo "0 --kernel $kernels/hammock.kernel --divergence tbc --check --issues golden.apart" \
		'--set thread_compactor.compact=0'
	for mechanism in pdom tbc; do
		takes $mechanism.without --kernel break.kernel --divergence $mechanism
		takes $mechanism.with --kernel break.kernel --divergence $mechanism-lcp
	done
	for format in json csv text; do
		for i in 1 2; do
			echo "0 --kernel nested.kernel --check --format $format --report instances > nested$i.$format"
		done
	done
	cat <<TABLE
0 --kernel nested.kernel | Not checked
0 --kernel nested.kernel --check | Check passed: the run is equivalent
0 --kernel nested.kernel --machine fermi --format json --report instances > nested.all.json
TABLE
	# A core under pdom and one of a TM system have the same rules of time.
	i=0
	echo "$machines" | while read -r machine; do
		i=$((i + 1))
		for name in bound manager nested; do
			takes both.$i.$name.pdom --kernel "$kernels/$name.kernel" --machine "$machine" --divergence pdom
			takes both.$i.$name.ideal --kernel "$kernels/$name.kernel" --machine "$machine" --system ideal
		done
	done
	if [ ! $small ]; then
		takes coherent.one --kernel "$kernels/coherent.kernel"
		takes coherent.all --kernel "$kernels/coherent.kernel" --machine fermi
	fi
	for threads in 32 1024; do
		takes lines.$threads --kernel lines.kernel --threads $threads --machine fermi \
			--set machine.cores=1 --set machine.flit_bytes=8
	done
	takes add --kernel add.kernel --machine fermi
	takes add_old --kernel add_old.kernel --machine fermi
	# Params, --threads and verify are those of any workload.
	takes sum --kernel sum.kernel --check --threads 128
	cat <<'TABLE'
1 --kernel sum.kernel --check --set workload.step=3 --format json ~ invariant is broken: .*sum is 6: expected sum.0. == 4$ | "passed": false | "equivalent": true
# A race is told with the load that gets another value than alone, and with what verify finds.
1 --kernel race.kernel --check ~ check failed: thread 1 of block 0 loads sum.1.[.]b.=.0, but 1 when run alone .race[.]kernel:5.; verify: race[.]kernel:10:2: sum is 1: expected sum.1.[.]b == 64$
1 --kernel near.kernel --check ~ check failed: thread 4 of block 0 loads near.0..=.31, but 4 when run alone .near[.]kernel:8.; verify: passed$
1 --kernel old.kernel --check ~ check failed: thread 32 of block 0 loads n.0..=.0, but 32 when run alone .old[.]kernel:7.; verify: passed$
TABLE
	for mechanism in $mechanisms; do
		for machine in '' '--machine fermi'; do
			# The last block may have fewer threads, and fewer warps.
			for threads in 100 1 193; do
				echo "0 --kernel part.kernel --divergence $mechanism $machine --threads $threads --check"
			done
			# It is the threads' stores, of whatever warps; where warps are static, also those of lanes
			# that went another way.
			for name in own_fence own_alu others_fence others_alu; do
				takes "wait.$mechanism.${machine#* }.$name" --kernel $name.kernel \
					--divergence $mechanism $machine --check
			done
		done
		echo "0 --kernel sum.kernel --divergence $mechanism --threads 100 --check" \
			'| 4 thread blocks of 32, the last of 4, in warps'
		for machine in '' '--machine fermi' '--machine reference'; do
			echo "0 --kernel scan.kernel --divergence $mechanism $machine --check --format json --report instances" \
				'|~ "block_size": 96,?$ | "passed": true |~ ^    "threads": 12820,'
		done
	done
	for machine in '' '--machine fermi'; do
		# cas takes turns, and alone there is nobody to compare with.
		for mechanism in pdom pdom-lcp tbc; do
			takes "cas.$mechanism.${machine#* }" --kernel cas.kernel --divergence $mechanism $machine
		done
		# A warp waits at a fence until its stores and adds are done, which takes as long as a load. On a
		# machine it waits for adds without a fence, and at its end for stores.
		for access in store add load; do
			for wait in fence alu; do
				takes "fence.$access.${machine#* }.$wait" --kernel ${access}_$wait.kernel $machine --check
			done
		done
		# The next launch comes when the last store is done.
		for what in store alu; do
			takes "end.$what.${machine#* }" --kernel end_$what.kernel $machine
		done
		# A launch with no end is given up, and so is a host.
		echo "1 --kernel round.kernel $machine --set core.most_cycles=300000" \
			'~ round.kernel: given up .core.most_cycles. after 30000. cycles'
		# Locks need no TM system: where the one program has transactions, the other one runs. Its notes
		# take no time, nor does a let before the end of a loop. Under dwf those that wait can hold the
		# others up; with one warp nobody else has a turn.
		for mechanism in pdom pdom-lcp tbc tbc-lcp; do
			echo "0 --kernel locks.kernel --divergence $mechanism $machine --format json --report instances" \
				'| "program": "locks"'
			for name in locks bare late; do
				takes "notes.$mechanism.${machine#* }.$name" --kernel one_$name.kernel \
					--divergence $mechanism $machine
			done
		done
	done
	cat <<TABLE
2 --kernel cas.kernel --check : cas.kernel:7:3: thread 0, run alone, comes to cas
0 --kernel scan.kernel |~ ^  kernel       scan: a host and what it launches$
1 --kernel wrong_host.kernel : wrong_host.kernel:39:3: at 2: 
2 --kernel wrong_reach.kernel --check : wrong_reach.kernel:20:2: thread 0, run alone, comes to cas
2 --kernel wrong_move.kernel --check : wrong_move.kernel:25:3: thread 0, run alone, comes to cas
2 --kernel near32.kernel --system ideal : near32.kernel:34:8: got "near", shared memory, which ends with its launch
2 --kernel near1024.kernel --system ideal : near1024.kernel:34:8: got "near", shared memory, which ends with its launch
2 --kernel setup.kernel : setup.kernel: setup or verify uses shared memory
2 --kernel begin.kernel : begin.kernel:5:1: without a TM system there are no transactions, expected --system or
2 --kernel $kernels/write-skew.kernel : there are no transactions
0 --kernel scan_locks.kernel
1 --kernel open.kernel ~ open.kernel:27:3: .*expected count.0. == 64
2 --kernel locks.kernel --check : locks.kernel:12:3: thread 0, run alone, comes to cas
2 --kernel scan.kernel --set core.warps=7 ~ core: warps.=.7 is outside 8 [.][.] 64
2 --kernel scan.kernel --set simt_stack.pc_bits=2 ~ simt_stack: pc_bits.=.2 is outside 3 [.][.] 64
2 --kernel $kernels/nested.kernel --machine fermi --set machine.warps=16 : is not used here: expected core.warps
2 --kernel $kernels/nested.kernel --machine fermi --set core.memory_latency=16 : is not used here: the way to memory
2 --kernel $kernels/nested.kernel --machine ferni : --machine: got "ferni", expected one of
1 --kernel $kernels/nested.kernel --machine fermi --set core.most_cycles=100 ~ given up .core.most_cycles. after 10[12] cycles
TABLE
	# ---- transactions ----
	for system in ideal kilo-tm warptm warptm-tcd getm si-tm si-tm-oracle; do
		run='pdom pdom-lcp' others='dwf dwf-wb tbc tbc-lcp'
		[ $system != kilo-tm ] || run='pdom pdom-lcp tbc tbc-lcp' others='dwf dwf-wb'
		for divergence in $run; do
			takes count.$system.$divergence --kernel count.kernel --system $system \
				--divergence $divergence --check
		done
		for divergence in $others; do
			echo "2 --kernel count.kernel --system $system --divergence $divergence" \
				': there is no hardware for system'
		done
	done
	echo '0 --workload bank --threads 256 --divergence pdom-lcp --check'
	for run in '--divergence pdom' '--divergence tbc' '--divergence dwf-wb' \
		'--divergence tbc-lcp --machine fermi' '--system ideal --set machine.patience_cycles=5000000'; do
		# 50 million cycles, except with a system, which small scale has.
		case $small$run in small--divergence*) continue ;; esac
		echo "1 --kernel spin.kernel $run ~ spin.kernel:[67]:[23]: thread 1 goes round: no" \
			'thread has ended.* cycles.*; thread 0 of its warp waits for it in line 8'
	done
	# Barriers in loops, under all that form warps; and a promise that thread 70 breaks.
	for run in ideal serial coarse-lock kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle \
		'kilo-tm --divergence tbc' 'getm --divergence pdom-lcp'; do
		echo "0 --kernel rounds.kernel --system $run --check"
		echo "1 --kernel broken.kernel --system $run ~ broken.kernel:25:2: the branch is said to" \
			'be uniform, but it divides a warp: thread [0-9]* goes one way, thread [0-9]*'
	done
	for mechanism in $mechanisms; do
		for machine in '' '--machine fermi'; do
			run="--divergence $mechanism $machine"
			echo "0 --kernel rounds.kernel $run --check"
			case $mechanism in dwf*) continue ;; esac
			echo "1 --kernel broken.kernel $run ~ broken.kernel:25:2: the branch is said to" \
				'be uniform, but it divides a warp: thread [0-9]* goes one way'
		done
	done
	# An index is told as it was before the access, into whatever register that loads.
	for system in '' '--system ideal' '--system hetm'; do
		echo "1 --kernel own.kernel $system ~ own.kernel:5:2: thread 1.* uses a.4., beyond the end of a" \
			'.length 4.: x.=.4'
	done
	# Shared memory holds the same words under a TM system: the search goes through as many levels.
	i=0
	for system in '' '--system ideal' '--system getm' '--system kilo-tm --divergence tbc'; do
		i=$((i + 1))
		takes bfs.$i --kernel bfs.kernel $system
	done
	cat <<TABLE
# Adds are not undone, and what they change is none of the check's.
1 --kernel more.kernel --system kilo-tm --check ~ invariant is broken: .*bin 0 has
2 --system hetm --workload w1 --divergence pdom-lcp : expected pdom: there is no hardware
2 --kernel count.kernel --system hetm : there is no hardware for this under hetm: an atomic operation works on one
2 --kernel $kernels/local-hash.kernel --system ideal : its transactions use shared memory
2 --kernel hammock.kernel --system ideal ~ machine: lanes.=.32 is outside 4 [.][.] 4
0 --kernel hammock.kernel --system ideal --set machine.lanes=4 --check
# ---- what is refused ----
2 --kernel nested.kernel --divergence simd ~ --divergence: got "simd", expected one of: pdom
2 --kernel nested.kernel --threads 64 ~ expected no --threads
2 --kernel nested.kernel --concurrency 4 ~ expected --system too, or no --concurrency
2 --kernel nested.kernel --workload bank ~ expected either --kernel or --workload
2 --kernel nested.kernel --system ideal --issues issues ~ expected --kernel FILE and no --system
2 --kernel none.kernel ~ cannot be opened
2 --kernel nested.kernel --set machine.cores=1 ~ core
2 --kernel nested.kernel --set core.warps=65 ~ 1 .. 64
2 --kernel nested.kernel --set core.warps=4 ~ core: warps.=.4 is outside 8 .. 64
2 --kernel nested.kernel --set access_coalescer.lanes=31 ~ access_coalescer: lanes.=.31 is outside 32 .. 64
2 --kernel nested.kernel --set access_coalescer.address_bits=9 ~ access_coalescer: address_bits.=.9 is outside 18 .. 
2 --kernel nested.kernel --divergence dwf --set warp_former.warps=31 ~ got warp_former.warps.=.31, expected 32
2 --kernel nested.kernel --divergence dwf --set warp_former.block_warps=7 ~ got warp_former.block_warps.=.7, expected 8
2 --kernel nested.kernel --divergence tbc --set thread_compactor.warps=7 ~ got thread_compactor.warps.=.7, expected 8
2 --kernel nested.kernel --divergence tbc --set block_priority.blocks=3 ~ got block_priority.blocks.=.3, expected 4
2 --kernel nested.kernel --divergence dwf-wb --set warp_former.warp_barrier=0 ~ warp_former: warp_barrier.=.0 is outside 1 .. 1
2 --kernel bad1.kernel ~ bad1.kernel:3:2: got "frobnicate", expected an instruction or a block
2 --kernel bad2.kernel ~ bad2.kernel:4:1: block b cannot be reached
2 --kernel bad3.kernel ~ bad3.kernel:3:2: branch without reconvergence
2 --kernel bad4.kernel ~ bad4.kernel:3:19: thread 8 is outside the block of 8 threads
2 --kernel bad5.kernel --check ~ bad5.kernel:5:2: thread 4, run alone, uses m.4., beyond the end of m .length 4.: thread.=.4
1 --kernel bad5.kernel ~ bad5.kernel:5:2: thread 4 uses m.4., beyond the end of m .length 4.: 
1 --kernel bad6.kernel : bad6.kernel:3:2: the branch is said to be uniform
TABLE
	for mechanism in $mechanisms; do
		case $mechanism in pdom*) unit=simt_stack ;; dwf*) unit=warp_former ;; *) unit=block_stack ;; esac
		cat <<TABLE
2 --kernel nested.kernel --divergence $mechanism --set $unit.pc_bits=1 ~ $unit: pc_bits.=.1 is outside 7 [.][.] 64, as the kernel has more instructions
2 --kernel nested.kernel --divergence $mechanism --set $unit.lanes=31 ~ $unit: lanes.=.31 is outside 32 [.][.] 64
0 --kernel nested.kernel --divergence $mechanism --set $unit.pc_bits=7 --set core.warps=64 --set core.blocks=64 --set access_coalescer.address_bits=18 --check
TABLE
	done
} >table
printf 'threads 1 block 1\narray a 1\nprogram\nkernel k\nbegin\nload x = a[0]\ncommit\nhost\nlaunch k\n' \
	>begin.kernel
printf 'launch 1 8 4\nblock a\n\tfrobnicate\n' >bad1.kernel
printf 'launch 1 8 4\nblock a\n\tjump c\nblock b\n\talu\nblock c\n\texit\n' >bad2.kernel
printf 'launch 1 8 4\nblock a\n\tbranch lane < 1 then b else c\nblock b\n\texit\nblock c\n\texit\n' >bad3.kernel
printf 'launch 1 8 4\nblock a\n\tbranch threads 3 8 then b else b\nblock b\n\texit\n' >bad4.kernel
printf 'launch 1 8 4\nregister x\narray m 4\nblock a\n\tload x = m[thread]\n\texit\n' >bad5.kernel
printf 'launch 1 8 4\nblock a\n\tbranch uniform lane < 1 then b else b\nblock b\n\texit\n' >bad6.kernel
runs <table
# ---- what issues ----
# Blocks and threads of the warps. Fig. 3.5: seven issues, and the threads that the figure draws.
# Fig. 3.7: the warps come to A as W2, W3, W1. Without compaction every thread stays in its static warp,
# as under a stack per warp.
awk -F '\t' '
	FILENAME ~ /^golden/ { issued[FILENAME] = issued[FILENAME] "," $2 " " $4; blocks[FILENAME] = blocks[FILENAME] $2; next }
	FILENAME ~ /eddy$/ {
		if ($2 == "D" && !seen[FILENAME, $4]++)
			warps[FILENAME]++
		next
	}
	FILENAME ~ /cores$/ { cores[FILENAME] += !seen[FILENAME, $5]++; next }
	{ wanted[$1] = $2 }
	END {
		for (name in wanted) {
			if (issued[name] != "," wanted[name])
				print name ": " issued[name]
			goldens++
		}
		if (blocks["golden.apart"] != "AACCBBDD")
			print "tbc without compaction issues: " blocks["golden.apart"]
		# Fig. 3.3, the starvation eddy: the majority goes on to D before C has run, and D issues as
		# three warps and not as two.
		for (name in warps) {
			eddies++
			if (warps[name] != (name == "dwf.eddy" ? 3 : 2))
				print name ": D issues as " warps[name] " warps"
		}
		for (name in cores) {
			looked++
			if (cores[name] < 2)
				print name ": the core of an issue"
		}
		if (goldens != 3 || eddies != 6 || !looked)
			print goldens + 0, eddies + 0, looked + 0, "files of issues"
	}' - golden.* *.eddy *.cores >wrong <<'GOLDEN'
golden.pdom.hammock	A 0 1 2 3,A 4 5 6 7,C 0 - - -,C - 5 6 -,B - 1 2 3,B 4 - - 7,D 0 1 2 3,D 4 5 6 7
golden.tbc.hammock	A 0 1 2 3,A 4 5 6 7,C 0 5 6 -,B 4 1 2 3,B - - - 7,D 0 1 2 3,D 4 5 6 7
golden.tbc.arrival	start 0 1 2 3,start 4 5 6 7,start 8 9 10 11,late 0 1 2 3,A 4 5 6 7,A 8 9 10 11,A 0 1 2 3,C 4 1 2 3,C - - 10 7,B 0 5 6 11,B 8 9 - -,D 0 1 2 3,D 4 5 6 7,D 8 9 10 11
GOLDEN
[ ! -s wrong ] || complain "$(cat wrong)"

# ---- figures ----
awk '
	function figure(key,   at) {
		at = index($0, "\"" key "\":")
		return at ? substr($0, at + length(key) + 3) + 0 : ""
	}
	function wrong(what, name, other) {
		print what ": " name " takes " cycles[name] " cycles, " other " " cycles[other]
	}
	FILENAME == "table" { asked += / > [^ ]*[.]took$/; next }
	{
		name = FILENAME
		sub(/[.]took$/, "", name)
		cycles[name] = figure("cycles")
		instructions[name] = figure("thread_instructions")
		efficiency[name] = figure("simd_efficiency")
		for (rest = $0; match(rest, /"cycles_by_kind[.][a-z_]+":/);) {
			rest = substr(rest, RSTART + RLENGTH)
			kinds[name] += rest + 0
		}
		took++
	}
	END {
		if (took != asked || !took)
			print took + 0 " figures of " asked
		for (name in cycles) {
			count = split(name, part, ".")
			other = name
			# Without locks the cycles are the same, but for the last issue of a machine that takes
			# four cycles for one; with an L1 warps that come to it in the same cycle can come in
			# another order.
			if (part[1] == "both" && sub(/pdom$/, "ideal", other)) {
				off = cycles[name] - cycles[other]
				off = off < 0 ? -off : off
				if (off > (part[2] <= 6 ? 0 : part[2] <= 8 ? 3 : .003 * cycles[name]))
					wrong("both cores", name, other)
			}
			# Likely convergence keeps warps together in a loop with a break (Example 4).
			if (sub(/[.]without$/, ".with", other) && efficiency[other] < 4 * efficiency[name])
				print name ": " efficiency[name] ", and with likely convergence " efficiency[other]
			if (part[1] == "wait" && sub(/fence$/, "alu", other)) {
				waits = cycles[name] - cycles[other]
				own = name ~ /own_fence$/
				if (own ? waits < 300 : part[2] ~ /^pdom/ ? waits < 100 : waits != 0)
					wrong("a fence waits " waits " cycles", name, other)
			}
			if (part[1] == "cas" && instructions[name] < 1024)
				print name ": " instructions[name] " instructions"
			if (part[1] == "fence" && sub(/fence$/, "alu", other)) {
				waited = part[2] == "load" || part[2] part[3] == "addfermi"
				if (waited ? cycles[name] != cycles[other] : cycles[name] < cycles[other] + 300)
					wrong("a fence", name, other)
			}
			if (part[1] == "end" && sub(/store/, "alu", other) && cycles[name] < cycles[other] + 200)
				wrong("a launch begins before the stores of the one before are done", name, other)
			if (part[1] == "end" && part[3] == "" && kinds[name] != cycles[name])
				print name ": " cycles[name] " cycles are " kinds[name]
			if (part[1] == "notes" && sub(/bare$/, "locks", other) && cycles[name] != cycles[other])
				wrong("notes take time", name, other)
			if (part[1] == "notes" && sub(/late$/, "locks", other) && cycles[name] <= cycles[other])
				wrong("set takes no time", name, other)
			if (part[1] == "count" && sub(/pdom$/, "pdom-lcp", other) && cycles[name] == cycles[other])
				wrong("likely convergence changes nothing in a loop with a break", name, other)
			if (part[1] == "bfs" && (!instructions[name] || instructions[name] != instructions["bfs.1"]))
				print name ": " instructions[name] " instructions, alone " instructions["bfs.1"]
		}
		if (instructions["coherent.all"] != instructions["coherent.one"])
			print "fifteen cores execute " instructions["coherent.all"] " instructions"
		if ("coherent.one" in cycles && 10 * cycles["coherent.all"] >= cycles["coherent.one"])
			wrong("fifteen cores", "coherent.all", "coherent.one")
		# Each reply to a load is a header and a line: 17 flits of 8 bytes, however many are on their way.
		if (cycles["lines.1024"] != cycles["lines.32"] + 31 * 17)
			wrong("lines", "lines.1024", "lines.32")
		# A warp waits for the L2 at an add, whether or not it wants the old word, as under a TM system.
		if (cycles["add_old"] <= 50 * 344 || cycles["add"] != cycles["add_old"])
			wrong("adds", "add", "add_old")
		if (instructions["sum"] != 256)
			print "128 threads execute " instructions["sum"]
	}' table *.took >wrong
[ ! -s wrong ] || complain "$(cat wrong)"

# ---- reports ----
cat nested1.json nested.all.json | "$tests/json-lint" 2 || complain 'a report is no JSON'
awk -F, -v mechanisms="$(echo $mechanisms)" '
	FILENAME == "nested.all.json" { coalescers += /"access_coalescer[.][0-9]*"|"role": "access_coalescer"/; next }
	FILENAME ~ /gputm-[a-z]*.[17]$/ {
		for (i in told) if (index($0, i)) told[i] = 1
		next
	}
	FILENAME == "nested1.json" && match($0, /^  "[a-z_]*": /) { keys[substr($0, 4, RLENGTH - 6)]++ }
	FILENAME == "nested1.csv" && NF != 5 { print "CSV: not five columns: " $0 }
	!/wall_seconds|host/ { lines[FILENAME] = lines[FILENAME] $0 "\n" }
	BEGIN {
		told["Fl -kernel"] = told["Fl -divergence"] = told["Fl -issues"] = 0
		count = split(mechanisms, mechanism, " ")
		for (i = 1; i <= count; i++)
			told["It Cm " mechanism[i]] = 0
	}
	END {
		count = split("version divergence workload config cycles instructions thread_instructions " \
			"simd_efficiency issued_by_width cycles_by_kind memory stack_depth wall_seconds check " \
			"units", key, " ")
		for (i = 1; i <= count; i++)
			if (keys[key[i]] != 1)
				print "JSON: no key " key[i]
		count = split("json csv text", format, " ")
		for (i = 1; i <= count; i++)
			if (lines["nested1." format[i]] == "" || lines["nested1." format[i]] != lines["nested2." format[i]])
				print format[i] ": two equal runs differ"
		for (i in told)
			if (!told[i])
				print "the manual does not tell of " i
		if (coalescers < 15)
			print "the report of a machine does not list the units of all cores"
	}' nested[12].* nested.all.json "$manual"/gputm-sim.1 "$manual"/gputm-[mrs]*.7 >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
