#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Control flow in gputm-sim from outside: the kernels that are shipped run as their threads would
# alone under every mechanism (but for plain DWF where the thesis says so), the worked
# examples of the thesis, what is refused, the shapes of the reports.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$srcdir/examples/kernels
mechanisms=$("$sim" --list | awk '/^Mechanisms/ { on = 1; next } on && /^  [a-z]/ { print $1 }')

# field KEY: its value in the JSON report
field() {
	sed -n "s/^ *\"$1\": \"*\([^\",]*\).*/\1/p" "$work/out" | head -1
}

# issues MECHANISM KERNEL: blocks and threads of the warps, without cycles and lines
issues() {
	run 0 --kernel "$kernels/$2.kernel" --divergence "$1" --check --issues "$work/issues"
	cut -f2,4 "$work/issues" | tr '\t' ' '
}

# golden MECHANISM KERNEL LINE...
golden() {
	issues "$1" "$2" >"$work/issued"
	what="$1 on $2"
	shift 2
	printf '%s\n' "$@" >"$work/wanted"
	cmp -s "$work/issued" "$work/wanted" || complain "$what issues: $(cat "$work/issued")"
}

# ---- the kernels that are shipped ----
cp "$kernels"/*.edges "$work"
for mechanism in $mechanisms; do
	for kernel in "$kernels"/*.kernel; do
		name=$(basename "$kernel" .kernel)
		grep -q '^launch' "$kernel" || continue # for the machine and its TM systems
		# small on purpose: the same loop with fewer thread blocks
		sed 's/^launch [0-9]*/launch 2/' "$kernel" >"$work/$name.kernel"
		status=0
		case "$mechanism $name" in
		'dwf manager' | 'dwf team' | 'dwf-wb team') status=1 ;;
		esac
		run $status --kernel "$work/$name.kernel" --divergence "$mechanism" --check --format json
		[ "$(field equivalent)" = "$([ $status = 0 ] && echo true || echo false)" ] ||
			complain "$mechanism on $name: equivalent is $(field equivalent)"
	done
done

# ---- worked examples of the thesis ----
golden pdom hammock 'A 0 1 2 3' 'A 4 5 6 7' 'C 0 - - -' 'C - 5 6 -' 'B - 1 2 3' 'B 4 - - 7' \
	'D 0 1 2 3' 'D 4 5 6 7'

# Fig. 3.5: seven issues, and the threads that the figure draws.
golden tbc hammock 'A 0 1 2 3' 'A 4 5 6 7' 'C 0 5 6 -' 'B 4 1 2 3' 'B - - - 7' 'D 0 1 2 3' \
	'D 4 5 6 7'
# Fig. 3.7: the warps come to A as W2, W3, W1.
golden tbc arrival 'start 0 1 2 3' 'start 4 5 6 7' 'start 8 9 10 11' 'late 0 1 2 3' 'A 4 5 6 7' \
	'A 8 9 10 11' 'A 0 1 2 3' 'C 4 1 2 3' 'C - - 10 7' 'B 0 5 6 11' 'B 8 9 - -' 'D 0 1 2 3' \
	'D 4 5 6 7' 'D 8 9 10 11'
# Fig. 3.3, the starvation eddy: the majority goes on to D before C has run, and D issues as three
# warps and not as two.
for mechanism in pdom pdom-lcp dwf dwf-wb tbc tbc-lcp; do
	issues $mechanism eddy | sed -n 's/^D //p' | sort -u | wc -l | tr -d ' ' >"$work/warps"
	wanted=2
	[ $mechanism != dwf ] || wanted=3
	[ "$(cat "$work/warps")" = $wanted ] || complain "$mechanism issues D as $(cat "$work/warps") warps"
done
# Without compaction every thread stays in its static warp, as under a stack per warp.
run 0 --kernel "$kernels/hammock.kernel" --divergence tbc --check --issues "$work/issues" \
	--set thread_compactor.compact=0
[ "$(cut -f2 "$work/issues" | tr -d '\n')" = AACCBBDD ] ||
	complain "tbc without compaction issues: $(cat "$work/issues")"

# Likely convergence keeps warps together in a loop with a break (Example 4).
for mechanism in pdom tbc; do
	run 0 --kernel "$work/break.kernel" --divergence $mechanism --format json
	field simd_efficiency >"$work/without"
	run 0 --kernel "$work/break.kernel" --divergence $mechanism-lcp --format json
	field simd_efficiency >"$work/with"
	awk 'NR == FNR { without = $1; next } $1 < 4 * without { exit 1 }' "$work/without" "$work/with" ||
		complain "break, $mechanism: SIMD efficiency $(cat "$work/without" "$work/with")"
done

# ---- reports ----
for format in json csv text; do
	for i in 1 2; do
		run 0 --kernel "$work/nested.kernel" --check --format $format
		grep -v 'wall_seconds\|host' "$work/out" >"$work/run$i"
	done
	cmp -s "$work/run1" "$work/run2" || complain "$format: two equal runs differ"
done
run 0 --kernel "$work/nested.kernel" --check --format json
"${top_builddir:-.}/tests/json-lint" <"$work/out" || complain 'the report is no JSON'
for key in version divergence kernel config cycles warp_instructions thread_instructions \
	simd_efficiency issued_by_width cycles_by_kind memory stack_depth wall_seconds check units; do
	[ "$(grep -c "^  \"$key\": " "$work/out")" -eq 1 ] || complain "JSON: no key $key"
done
run 0 --kernel "$work/nested.kernel" --check --format csv
[ "$(awk -F, '{ print NF }' "$work/out" | uniq)" = 5 ] || complain 'CSV: not five columns'
run 0 --kernel "$work/nested.kernel"
grep -q 'Not checked' "$work/out" || complain 'text: nothing said of the check'
run 0 --kernel "$work/nested.kernel" --check
grep -q 'Check passed: the run is equivalent' "$work/out" || complain 'text: no verdict'
for option in kernel divergence issues; do
	grep -q "Fl -$option" "$srcdir/man/gputm-sim.1" || complain "gputm-sim(1) does not tell of --$option"
done
for mechanism in $mechanisms; do
	grep -q "It Cm $mechanism\$" "$srcdir/man/gputm-sim.1" ||
		complain "gputm-sim(1) does not tell of $mechanism"
done

# ---- all cores of a machine ----
alone='bfs break'
[ "${GPUTM_TEST_SCALE:-}" != small ] || alone=bfs
# Thread blocks are dealt to the cores, misses and stores cross to the partitions and their L2s.
for mechanism in $mechanisms; do
	for kernel in bfs manager nested; do
		status=0
		[ "$mechanism $kernel" != 'dwf manager' ] || status=1
		run $status --kernel "$kernels/$kernel.kernel" --divergence "$mechanism" --check \
			--machine fermi --format json
		[ $status = 1 ] || [ "$(field equivalent)" = true ] ||
			complain "$mechanism on $kernel, fermi: $(field failure)"
	done
	run 0 --kernel "$kernels/nested.kernel" --divergence "$mechanism" --check --machine reference
	# Cores that go on by themselves take no other time than those that are called each cycle.
	for kernel in $alone; do
		run 0 --kernel "$kernels/$kernel.kernel" --divergence "$mechanism" --machine fermi \
			--format json
		field cycles >"$work/ahead"
		run 0 --kernel "$kernels/$kernel.kernel" --divergence "$mechanism" --machine fermi \
			--format json --issues "$work/issues"
		[ "$(cut -f 5 "$work/issues" | sort -u | wc -l)" -gt 1 ] || complain "$kernel: the core of an issue"
		field cycles | cmp -s "$work/ahead" ||
			complain "$mechanism on $kernel: $(cat "$work/ahead") cycles, each alone $(field cycles)"
	done
done
# A core under pdom and one of a TM system have the same rules of time: without locks the cycles are
# the same, but for the last issue of a machine that takes four cycles for one; with an L1 warps that
# come to it in the same cycle can come in another order.
while read -r most machine; do
	for kernel in bound manager nested; do
		for core in '--divergence pdom' '--system ideal'; do
			# shellcheck disable=SC2086
			run 0 --kernel "$kernels/$kernel.kernel" --machine $machine $core --only cycles
			sed -n 's/^  cycles  *//p' "$work/out"
		done | paste -s -d ' ' - >"$work/both"
		awk -v most="$most" '{ off = $1 < $2 ? $2 - $1 : $1 - $2
			exit !(NF == 2 && off <= most * (most < 1 ? $1 : 1)) }' "$work/both" ||
			complain "$kernel, $machine: $(cat "$work/both") cycles of both cores"
	done
done <<'TXT'
0 fermi
0 fermi --set machine.scheduler=lrr
0 fermi --set machine.scheduler=two_level
0 fermi --set machine.core_mhz=700
0 fermi --set machine.issue_slots=4
0 reference
3 thesis-4
3 thesis-3
0.003 fermi --set machine.l1_bytes=24576
TXT
run 0 --kernel "$kernels/coherent.kernel" --format json
field cycles >"$work/one"
field thread_instructions >"$work/instructions"
# Each reply to a load is a header and a line: 17 flits of 8 bytes, however many are on their way.
printf 'threads 1024 block 1024\narray a 1024\nprogram\n\tload x = a[id]\n' >"$work/lines.kernel"
lines_take() {
	run 0 --kernel "$work/lines.kernel" --threads "$1" --machine fermi --only cycles \
		--set machine.cores=1 --set machine.flit_bytes=8
	sed -n 's/^  cycles  *//p' "$work/out"
}
[ "$(lines_take 1024)" -eq $(($(lines_take 32) + 31 * 17)) ] ||
	complain "32 lines take $(lines_take 1024) cycles, one $(lines_take 32)"
run 0 --kernel "$kernels/coherent.kernel" --machine fermi --format json
[ "$(field thread_instructions)" = "$(cat "$work/instructions")" ] ||
	complain "fifteen cores execute $(field thread_instructions) instructions"
[ $((10 * $(field cycles))) -lt "$(cat "$work/one")" ] ||
	complain "fifteen cores take $(field cycles) cycles, one $(cat "$work/one")"
"${top_builddir:-.}/tests/json-lint" <"$work/out" || complain 'the report of a machine is no JSON'
[ "$(grep -c '"coalescer\.[0-9]*"\|"role": "coalescer"' "$work/out")" -ge 15 ] ||
	complain 'the report of a machine does not list the units of all cores'
# A warp waits for the L2 at an add, whether or not it wants the old word, as under a TM system.
for old in '' ' old was'; do
	printf 'threads 64 block 32\narray sum 4\nprogram\n\tset i = 0\n\twhile i < 50\n' >"$work/add.kernel"
	printf '\t\tadd sum[0] = 1%s\n\t\tset i = i + 1\n\tend\nverify\n' "$old" >>"$work/add.kernel"
	printf '\trequire sum[0] == 3200 "sum is" sum[0]\n' >>"$work/add.kernel"
	run 0 --kernel "$work/add.kernel" --machine fermi --format json
	field cycles >"$work/add$old.cycles"
done
[ "$(cat "$work/add old was.cycles")" -gt $((50 * 344)) ] &&
	[ "$(cat "$work/add.cycles")" -eq "$(cat "$work/add old was.cycles")" ] ||
	complain "adds take $(cat "$work/add.cycles" "$work/add old was.cycles") cycles"
# Params, --threads and verify are those of any workload.
printf 'param step 2 1 9 "What is added."\nthreads 64 block 32\narray sum threads\nprogram\n' \
	>"$work/sum.kernel"
printf '\tadd sum[id / 2] = step\nverify\n\trequire sum[0] == 4 "sum is" sum[0]\n' >>"$work/sum.kernel"
run 0 --kernel "$work/sum.kernel" --check --threads 128 --format json
[ "$(field thread_instructions)" = 256 ] || complain "128 threads execute $(field thread_instructions)"
run 1 --kernel "$work/sum.kernel" --check --set workload.step=3 --format json
grep -q 'invariant is broken: .*sum is 6: expected sum.0. == 4$' "$work/err" || complain "verify: $(cat "$work/err")"
[ "$(field passed) $(field equivalent)" = 'false true' ] || complain "verify fails, passed is $(field passed)"
# The manual has all reserved words, and the words that kernels of blocks may use.
page=$srcdir/man/gputm-kernel.5
words() { # FILE FROM: the quoted words from there to the end of the table
	awk -v from="$2" '$0 ~ from { on = 1 } on { print } /};/ { on = 0 }' "$1" | grep -o '"[a-z_]*"' | tr -d '"' | sort
}
words "$srcdir/examples/sim/kernel/words.c" 'reserved[[][]]' >"$work/source"
sed -n '/^[.]Ss Reserved words/,/^[.]Ed/p' "$page" | grep -v '^[.]\|^The' | tr ' ' '\n' >"$work/manual"
[ "$(wc -l <"$work/source")" -gt 70 ] || complain "reserved words of the source: $(cat "$work/source")"
diff "$work/source" "$work/manual" || complain 'gputm-kernel(5): other reserved words than the source'
words "$srcdir/examples/sim/kernel/names.c" 'words[[][]]' >"$work/source"
sed -n '/^Registers of kernels of blocks/,/^No register/p' "$page" | sed -n 's/^[.]Li //p' | tr -s ' ,.' '\n' |
	grep . >"$work/manual"
diff "$work/source" "$work/manual" || complain 'gputm-kernel(5): other words that kernels of blocks may use'
# A race is told with the load that gets another value than alone, and with what verify finds.
cat >"$work/race.kernel" <<'TXT'
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
run 1 --kernel "$work/race.kernel" --check
grep -q 'check failed: thread 1 of block 0 loads sum\[1\][.]b = 0, but 1 when run alone (.*race.kernel:5); verify: .*/race.kernel:10:2: sum is 1: expected sum\[1\][.]b == 64$' \
	"$work/err" || complain "a race: $(cat "$work/err")"
sed 's/store sum.*/alu/; s/== 64/== 0/' "$work/race.kernel" >"$work/near.kernel"
run 1 --kernel "$work/near.kernel" --check
grep -q 'check failed: thread 4 of block 0 loads near\[0\] = 31, but 4 when run alone (.*near.kernel:8); verify: passed$' \
	"$work/err" || complain "a race in shared memory: $(cat "$work/err")"
cat >"$work/old.kernel" <<'TXT'
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
run 1 --kernel "$work/old.kernel" --check
grep -q 'check failed: thread 32 of block 0 loads n\[0\] = 0, but 32 when run alone (.*old.kernel:7); verify: passed$' \
	"$work/err" || complain "a race for an old value: $(cat "$work/err")"
# The last block may have fewer threads, and fewer warps.
cat >"$work/part.kernel" <<'TXT'
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
for mechanism in pdom pdom-lcp dwf dwf-wb tbc tbc-lcp; do
	for machine in '' '--machine fermi'; do
		for threads in 100 1 193; do
			# shellcheck disable=SC2086
			run 0 --kernel "$work/part.kernel" --divergence $mechanism $machine \
				--threads $threads --check
		done
	done
	run 0 --kernel "$work/sum.kernel" --divergence $mechanism --threads 100 --check
done
grep -q '4 thread blocks of 32, the last of 4, in warps' "$work/out" || complain "blocks: $(cat "$work/out")"
# cas takes turns, and alone there is nobody to compare with.
cat >"$work/cas.kernel" <<'TXT'
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
for machine in '' '--machine fermi'; do
	for mechanism in pdom pdom-lcp tbc; do
		# shellcheck disable=SC2086
		run 0 --kernel "$work/cas.kernel" --divergence $mechanism $machine --format json
		[ "$(field thread_instructions)" -ge 1024 ] || complain "cas: $(field thread_instructions)"
	done
done
refused 'cas.kernel:7:3: thread 0, run alone, comes to cas' --kernel "$work/cas.kernel" --check
# A warp waits at a fence until its stores and adds are done, which takes as long as a load. On a
# machine it waits for adds without a fence, and at its end for stores.
for machine in '' '--machine fermi'; do
	for access in 'store a[0] = 1' 'add a[0] = 1' 'load x = a[0]'; do
		for wait in fence alu; do
			printf 'threads 1 block 1\narray a 1\nprogram\n\t%s\n\t%s\n\talu 100\n' \
				"$access" $wait >"$work/fence.kernel"
			# shellcheck disable=SC2086
			run 0 --kernel "$work/fence.kernel" $machine --check --only cycles
			sed -n "s/^  cycles/$wait/p" "$work/out"
		done >"$work/waits"
		case $access$machine in load*|add*fermi) waited=1 ;; *) waited=0 ;; esac
		awk -v waited=$waited '{ took[$1] = $2 }
			END { exit waited ? took["fence"] != took["alu"] : took["fence"] < took["alu"] + 300 }' \
			"$work/waits" || complain "$access $machine: $(cat "$work/waits")"
	done
done
# waits MECHANISM STATEMENTS [--machine NAME]: cycles that a fence in place of WAIT takes more than alu
waits() {
	for wait in fence alu; do
		printf 'threads 64 block 64\narray a threads\nprogram\n%b\nalu 100\n' "$2" | sed "s/WAIT/$wait/" \
			>"$work/wait.kernel"
		run 0 --kernel "$work/wait.kernel" --divergence "$1" ${3:+"$3" "$4"} --check --format json
		field cycles
	done >"$work/took"
	echo $(($(paste -s -d - "$work/took")))
}
# It is the threads' stores, of whatever warps; where warps are static, also those of lanes that went
# another way.
for mechanism in $mechanisms; do
	for machine in '' '--machine fermi'; do
		# shellcheck disable=SC2086
		own=$(waits $mechanism 'if id & 1\nstore a[id] = 1\nend\nif id & 2\nWAIT\nend' $machine)
		# shellcheck disable=SC2086
		others=$(waits $mechanism 'if id & 1\nalu 9\nWAIT\nelse\nstore a[id] = 1\nend' $machine)
		[ "$own" -ge 300 ] || complain "$mechanism $machine: a fence waits $own cycles for its stores"
		case $mechanism in
		pdom*) [ "$others" -ge 100 ] ;;
		*) [ "$others" -eq 0 ] ;;
		esac || complain "$mechanism $machine: a fence waits $others cycles for others' stores"
	done
done
# Launches one after the other, of blocks of several sizes: sums of all words before, by doubling
# distances.
cat >"$work/scan.kernel" <<'TXT'
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
for mechanism in $mechanisms; do
	for machine in '' '--machine fermi' '--machine reference'; do
		# shellcheck disable=SC2086
		run 0 --kernel "$work/scan.kernel" --divergence $mechanism $machine --check --format json
		[ "$(field threads) $(field passed)" = '96 true' ] ||
			complain "scan, $mechanism $machine: $(field failure)"
		[ "$(sed -n '/"check"/,$s/^ *"threads": //p' "$work/out" | head -1)" = 12820, ] ||
			complain "scan, $mechanism $machine: $(grep '"threads"' "$work/out") were compared"
	done
done
run 0 --kernel "$work/scan.kernel"
grep -q '^  kernel       scan: a host and what it launches$' "$work/out" || complain "scan: $(cat "$work/out")"
# The next launch comes when the last store is done.
for machine in '' '--machine fermi'; do
	for what in 'store a[0] = 1' alu; do
		printf 'threads 1 block 1\narray a 1\nprogram\nkernel k\n%s\nhost\nlaunch k\nlaunch k\n' \
			"$what" >"$work/end.kernel"
		# shellcheck disable=SC2086
		run 0 --kernel "$work/end.kernel" $machine --format json
		field cycles
		sed -n '/"cycles_by_kind"/,/}/s/.*: \([0-9]*\),*$/+ \1/p' "$work/out" | paste -s -d ' ' - |
			sed 's/^/0 /' >"$work/kinds"
		[ -n "$machine" ] || [ "$(field cycles)" -eq $(($(cat "$work/kinds"))) ] ||
			complain "$what: $(field cycles) cycles are $(cat "$work/kinds")"
	done | paste -s -d ' ' - | { read -r stores alus; [ "$stores" -ge $((alus + 200)) ]; } ||
		complain "$machine: a launch begins before the stores of the one before are done"
done
# A launch with no end is given up, and so is a host.
sed 's/store distance\[0\] = d \* two/store distance[0] = 0/; /require distance/d' "$work/scan.kernel" \
	>"$work/round.kernel"
for machine in '' '--machine fermi'; do
	# shellcheck disable=SC2086
	run 1 --kernel "$work/round.kernel" $machine --set core.most_cycles=300000
	grep -q 'round.kernel: given up (core.most_cycles) after 30000. cycles' "$work/err" ||
		complain "endless launches: $(cat "$work/err")"
done
sed 's/require distance\[0\] == 1/require distance[0] == 2/' "$work/scan.kernel" >"$work/wrong.kernel"
run 1 --kernel "$work/wrong.kernel"
grep -q "$work/wrong.kernel:39:3: at 2: " "$work/err" || complain "a host that fails: $(cat "$work/err")"
sed 's/store next\[id\] = x/cas x = next[id] from x to x/' "$work/scan.kernel" >"$work/wrong.kernel"
refused 'wrong.kernel:20:2: thread 0, run alone, comes to cas' --kernel "$work/wrong.kernel" --check
sed 's/store sum\[4 \* id + i\] = x/cas y = sum[4 * id + i] from x to x/' "$work/scan.kernel" >"$work/wrong.kernel"
refused 'wrong.kernel:25:3: thread 0, run alone, comes to cas' --kernel "$work/wrong.kernel" --check
for threads in 32 1024; do
	sed "s/while distance\[0\] < threads/while near[0] < 1/; s/^threads .*/threads $threads block 32/" \
		"$work/scan.kernel" >"$work/wrong.kernel"
	refused 'wrong.kernel:34:8: got "near", shared memory, which ends with its launch' \
		--kernel "$work/wrong.kernel" --system ideal
done
sed 's/store distance\[0\] = 1$/&\n\tstore near[0] = 1/; s/^threads .*/threads 32 block 32/' \
	"$work/scan.kernel" >"$work/wrong.kernel"
refused 'wrong.kernel: setup or verify uses shared memory' --kernel "$work/wrong.kernel"
printf 'threads 1 block 1\narray a 1\nprogram\nkernel k\nbegin\nload x = a[0]\ncommit\nhost\nlaunch k\n' \
	>"$work/wrong.kernel"
refused 'wrong.kernel:5:1: without a TM system there are no transactions, expected --system or' \
	--kernel "$work/wrong.kernel"
refused 'there are no transactions' --kernel "$kernels/write-skew.kernel"
sed 's/^program$/program locks/' "$work/scan.kernel" >"$work/wrong.kernel"
run 0 --kernel "$work/wrong.kernel"
# Locks need no TM system: where the one program has transactions, the other one runs. Its notes take
# no time, nor does a let before the end of a loop.
cat >"$work/locks.kernel" <<'TXT'
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
sed '/enter/d; /leave/d' "$work/locks.kernel" >"$work/bare.kernel"
sed 's/let done/set done/' "$work/bare.kernel" >"$work/late.kernel"
for mechanism in pdom pdom-lcp tbc tbc-lcp; do # under dwf those that wait can hold the others up
	for machine in '' '--machine fermi'; do
		# shellcheck disable=SC2086
		run 0 --kernel "$work/locks.kernel" --divergence $mechanism $machine --format json
		[ "$(field program)" = locks ] || complain "$mechanism: program $(field program)"
		for kernel in locks bare late; do # with one warp nobody else has a turn
			sed 's/^threads 256 block 64/threads 32 block 32/; s/== 64/== 8/' \
				"$work/$kernel.kernel" >"$work/one.kernel"
			# shellcheck disable=SC2086
			run 0 --kernel "$work/one.kernel" --divergence $mechanism $machine --format json
			field cycles
		done >"$work/took"
		awk 'NR == 1 { first = $1 } NR == 2 && $1 != first || NR == 3 && $1 <= first { exit 1 }' \
			"$work/took" || complain "$mechanism $machine: notes take time: $(cat "$work/took")"
	done
done
sed 's/from 0 to 1/from 0 to 0/' "$work/locks.kernel" >"$work/open.kernel"
run 1 --kernel "$work/open.kernel"
grep -q 'open.kernel:27:3: .*expected count.0. == 64' "$work/err" || complain "no lock: $(cat "$work/err")"
refused 'locks.kernel:12:3: thread 0, run alone, comes to cas' --kernel "$work/locks.kernel" --check
refused 'core: warps = 7 is outside 8 .. 64' --kernel "$work/scan.kernel" --set core.warps=7
refused 'simt_stack: pc_bits = 2 is outside 3 .. 64' --kernel "$work/scan.kernel" --set simt_stack.pc_bits=2
refused 'is not used here: expected core.warps' --kernel "$kernels/nested.kernel" --machine fermi \
	--set machine.warps=16
refused 'is not used here: the way to memory' --kernel "$kernels/nested.kernel" --machine fermi \
	--set core.memory_latency=16
refused '--machine: got "ferni", expected one of' --kernel "$kernels/nested.kernel" --machine ferni
run 1 --kernel "$kernels/nested.kernel" --machine fermi --set core.most_cycles=100
grep -q 'given up (core.most_cycles) after 10[12] cycles' "$work/err" ||
	complain "most_cycles on a machine: $(cat "$work/err")"

# ---- transactions ----
# Counts with adds and transactions, with barriers between them, a loop that is left in its midst and
# threads that end apart from one another.
cat >"$work/count.kernel" <<'TXT'
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
for system in ideal kilo-tm warptm warptm-tcd getm si-tm si-tm-oracle; do
	takes='pdom pdom-lcp' others='dwf dwf-wb tbc tbc-lcp'
	[ $system != kilo-tm ] || takes='pdom pdom-lcp tbc tbc-lcp' others='dwf dwf-wb'
	for divergence in $takes; do
		run 0 --kernel "$work/count.kernel" --system $system --divergence $divergence --check \
			--format json
		[ "$(field passed)" = true ] || complain "$system, $divergence: $(field failure)"
		field cycles >"$work/$divergence.cycles"
	done
	cmp -s "$work/pdom.cycles" "$work/pdom-lcp.cycles" &&
		complain "$system: likely convergence changes nothing in a loop with a break"
	for divergence in $others; do
		refused 'there is no hardware for system' \
			--kernel "$work/count.kernel" --system $system --divergence $divergence
	done
done
run 0 --workload bank --threads 256 --divergence pdom-lcp --check
# An index is told as it was before the access, into whatever register that loads.
printf 'threads 4 block 4\narray a 4\nprogram\n\tset x = id + 3\n\tload x = a[x]\n\tstore a[id] = x\n' \
	>"$work/own.kernel"
for system in '' '--system ideal' '--system hetm'; do
	# shellcheck disable=SC2086
	run 1 --kernel "$work/own.kernel" $system
	grep -q 'own.kernel:5:2: thread 1.* uses a.4., beyond the end of a (length 4): x = 4' "$work/err" ||
		complain "own index $system: $(cat "$work/err")"
done
# Adds are not undone, and what they change is none of the check's.
sed 's/add bin\[0\] = 0/add bin[0] = 1/' "$work/count.kernel" >"$work/more.kernel"
run 1 --kernel "$work/more.kernel" --system kilo-tm --check
grep -q 'invariant is broken: .*bin 0 has' "$work/err" || complain "an add too many: $(cat "$work/err")"
refused 'expected pdom: there is no hardware' --system hetm --workload w1 --divergence pdom-lcp
refused 'there is no hardware for this under hetm: an atomic operation works on one' \
	--kernel "$work/count.kernel" --system hetm
refused 'its transactions use shared memory' --kernel "$kernels/local-hash.kernel" --system ideal
# Shared memory holds the same words under a TM system: the search goes through as many levels.
for system in '' '--system ideal' '--system getm' '--system kilo-tm --divergence tbc'; do
	# shellcheck disable=SC2086
	run 0 --kernel "$work/bfs.kernel" --only thread_instructions $system
	grep '^  thread_instructions  *[1-9]' "$work/out" || complain "bfs $system: $(cat "$work/out")"
done >"$work/instructions"
[ "$(sort -u "$work/instructions" | wc -l)" -eq 1 ] || complain "bfs: $(cat "$work/instructions")"
refused 'machine: lanes = 32 is outside 4 .. 4' --kernel "$work/hammock.kernel" --system ideal
run 0 --kernel "$work/hammock.kernel" --system ideal --set machine.lanes=4 --check

# ---- what is refused ----
kernel=$work/nested.kernel
refused '--divergence: got "simd", expected one of: pdom' --kernel "$kernel" --divergence simd
refused 'expected no --threads' --kernel "$kernel" --threads 64
refused 'expected --system too, or no --concurrency' --kernel "$kernel" --concurrency 4
refused 'expected either --kernel or --workload' --kernel "$kernel" --workload bank
refused 'expected --kernel FILE and no --system' --kernel "$kernel" --system ideal --issues "$work/issues"
refused 'cannot be opened' --kernel "$work/none.kernel"
refused 'core' --kernel "$kernel" --set machine.cores=1
refused '1 .. 64' --kernel "$kernel" --set core.warps=65
refused 'core: warps = 4 is outside 8 .. 64' --kernel "$kernel" --set core.warps=4
# Units too small for the kernel or the core, before anything runs.
refused 'coalescer: lanes = 31 is outside 32 .. 64' --kernel "$kernel" --set coalescer.lanes=31
refused 'coalescer: address_bits = 9 is outside 18 .. ' --kernel "$kernel" --set coalescer.address_bits=9
for mechanism in pdom pdom-lcp dwf dwf-wb tbc tbc-lcp; do
	case $mechanism in pdom*) unit=simt_stack ;; dwf*) unit=warp_former ;; *) unit=block_stack ;; esac
	refused "$unit: pc_bits = 1 is outside 7 .. 64, as the kernel has more instructions" \
		--kernel "$kernel" --divergence $mechanism --set $unit.pc_bits=1
	refused "$unit: lanes = 31 is outside 32 .. 64" \
		--kernel "$kernel" --divergence $mechanism --set $unit.lanes=31
	run 0 --kernel "$kernel" --divergence $mechanism --set $unit.pc_bits=7 --set core.warps=64 \
		--set core.blocks=64 --set coalescer.address_bits=18 --check
done
refused 'got warp_former.warps = 31, expected 32' --kernel "$kernel" --divergence dwf \
	--set warp_former.warps=31
refused 'got warp_former.block_warps = 7, expected 8' --kernel "$kernel" --divergence dwf \
	--set warp_former.block_warps=7
refused 'got thread_compactor.warps = 7, expected 8' --kernel "$kernel" --divergence tbc \
	--set thread_compactor.warps=7
refused 'got block_priority.blocks = 3, expected 4' --kernel "$kernel" --divergence tbc \
	--set block_priority.blocks=3
refused 'warp_former: warp_barrier = 0 is outside 1 .. 1' --kernel "$kernel" --divergence dwf-wb \
	--set warp_former.warp_barrier=0
printf 'launch 1 8 4\nblock a\n\tfrobnicate\n' >"$work/bad.kernel"
refused "$work/bad.kernel:3:2: got \"frobnicate\", expected an instruction or a block" \
	--kernel "$work/bad.kernel"
printf 'launch 1 8 4\nblock a\n\tjump c\nblock b\n\talu\nblock c\n\texit\n' >"$work/bad.kernel"
refused "$work/bad.kernel:4:1: block b cannot be reached" --kernel "$work/bad.kernel"
printf 'launch 1 8 4\nblock a\n\tbranch lane < 1 then b else c\nblock b\n\texit\nblock c\n\texit\n' \
	>"$work/bad.kernel"
refused "$work/bad.kernel:3:2: branch without reconvergence" --kernel "$work/bad.kernel"
printf 'launch 1 8 4\nblock a\n\tbranch threads 3 8 then b else b\nblock b\n\texit\n' \
	>"$work/bad.kernel"
refused "$work/bad.kernel:3:19: thread 8 is outside the block of 8 threads" --kernel "$work/bad.kernel"
# What the threads do wrong by themselves is bad input as well; without --check the run fails.
printf 'launch 1 8 4\nregister x\narray m 4\nblock a\n\tload x = m[thread]\n\texit\n' \
	>"$work/bad.kernel"
refused "$work/bad.kernel:5:2: thread 4, run alone, uses m[4], beyond the end of m (length 4): thread = 4" --kernel "$work/bad.kernel" --check
run 1 --kernel "$work/bad.kernel"
grep -q "$work/bad.kernel:5:2: thread 4 of block 0 uses m\[4], beyond the end of m (length 4): " "$work/err" ||
	complain "a fault: $(cat "$work/err")"
printf 'launch 1 8 4\nblock a\n\tbranch uniform lane < 1 then b else b\nblock b\n\texit\n' \
	>"$work/bad.kernel"
run 1 --kernel "$work/bad.kernel"
grep -q "$work/bad.kernel:3:2: the branch is said to be uniform" "$work/err" ||
	complain "a branch that is not uniform: $(cat "$work/err")"
exit $failed
