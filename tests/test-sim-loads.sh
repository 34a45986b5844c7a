#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernels of examples/kernels that are workloads: every system runs them right, at a small
# size; and what verify says when the program does something else than it should.
. "${srcdir:-.}/tests/build/study.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)

cat >"$work/small" <<'SMALL'
rbtree threads 64 workload.elements 40
vacation threads 96 workload.entries 20 workload.reservations 50 workload.deletions 30
queue threads 64 workload.slots 16
ycsb threads 64 workload.changes 20 workload.scans 10
eigenbench threads 64
blind-writes threads 64
false-sharing threads 64
long-scans threads 64
torn-reads threads 64
own-order threads 64
zombie threads 64
tpcc-lite threads 64
cl workload.shirts 1 workload.rows 6 workload.columns 8
bh threads 144 workload.bodies 200 workload.block_size 72
cc workload.wide 40 workload.high 20 workload.few 1
ap threads 1024 workload.records 300 workload.support 3 workload.longest 9
w1 threads 500 workload.kilobytes 8
w2 threads 500 workload.kilobytes 8
cache threads 500 workload.sets 8 workload.keys 100 workload.put 30000
local-hash seed 1
k-means seed 1
genetic seed 1
SMALL

# Every system runs them right.
case_right() {
	# rights: a line of a study for each of these runs
	rights() {
		while read -r kernel settings; do
			case $kernel in
			local-hash | k-means | genetic) continue ;;
			w1 | w2) settings="$settings workload.update 50 workload.conflict 200000" ;;
			cl) echo "run workload $kernels/cl.kernel $settings workload.outside 1" ;;
			esac
			echo "run workload $kernels/$kernel.kernel $settings"
		done <"$work/small"
		echo check
	}
	right='
		if (figure("check.passed") != "true")
			wrong("no check")'
	# Small scale takes two systems for each, in turn.
	systems='ideal kilo-tm warptm warptm-tcd getm si-tm'
	if [ "${GPUTM_TEST_SCALE:-}" = small ]; then
		points=40
		rights | awk -v systems="$systems" '
			BEGIN { count = split(systems, of, " ") }
			$1 != "run" { print; next }
			{ for (i = 0; i < 2; i++) print $0, "system", of[(NR + 3 * i) % count + 1] }' \
			>"$work/points"
	else
		points=120
		{
			rights
			echo "system $systems"
		} >"$work/points"
	fi
	study $points "$right" <"$work/points"
	# Those that have a program with locks.
	locked=" $(grep -l '^program locks' "$kernels"/*.kernel | tr '\n' ' ')"
	{
		rights | while read -r run workload kernel settings; do
			case $locked in *" $kernel "*) echo "$run $workload $kernel $settings" ;; esac
		done
		printf 'system fine-lock\ncheck\n'
	} >"$work/points"
	study 10 "$right" <"$work/points"
}

# verify says what went wrong.
case_verify() {
	# After a change of the kernel or of what it includes verify says the text; the system is not to
	# blame, so the accesses are those of one order. A line is KERNEL, one pair or two of an expression
	# and what is put in its place, TEXT, and perhaps a setting, with tabs between.
	cat >"$work/changes" <<'CHANGES'
rbtree	store node\[uncle\].colour = BLACK	set g = 0	a way down has
rbtree	store node\[n\].which = down	set s = s	does not know its parent
rbtree	store node\[goes\].value = with_value	set at = at	there [01] times and not
vacation	store item\[thing\].free = free - 1	alu	other than the total
vacation	link\(before, new\)	alu	is used [0-9]* times, listed
vacation	store item\[thing\].used = used - 1	alu	other than the total
queue	store tail\[0\] = position \+ 1	set x = 0	behind the tail
queue	store slot\[position % slots\] = value	set x = 0	at position [0-9]* was
queue	store head\[0\] = position \+ 1	set x = 0	behind the head
ycsb	store record\[number\].stamp\[1\] = mine \+ 1	set x = 0	of two writers
ycsb	store record\[number\].count = count \+ 1	set x = 0	was changed
ycsb	= mine \+ 1	= mine + 2	is written by operation
eigenbench	store shared_word.*	set x = 0	holds 0 and was written 1
eigenbench	= transaction \+ 1	= transaction + 2	which does not write there
eigenbench	store own_word.*	set x = 0	was not written
blind-writes	below size$	below size - 1	is of two writers
blind-writes	= mine \+ 1	= mine + 2	was written by
blind-writes	chosen\[mine\]	chosen[0]	was written by
false-sharing	= count \+ 1	= count + 2	counts 16 and not 8
false-sharing	\(id % 32	(id % 31	counts
false-sharing	alu 4	store cell[mine].count[1] = 1	was written	workload.apart 2
long-scans	= total$	= total + 1	saw 512001
long-scans	source.mine.	source[0]	holds
long-scans	store word.source.*	set x = 0	saw
torn-reads	\(a != b\)	(a == b)	saw a half of a commit
torn-reads	store cell\[group \+ i\]	store cell[group + max(i, 1)]	is of two writers
own-order	value != from	value == from	saw an old value of its own
own-order	= from \+ 1	= from + 2	saw an old value of its own
own-order	stale \+ \(	stale * (	= from \+ 1	= from + 2	word 0 of thread 0 counts
zombie	= left \+ 1	= left + 2	= right \+ 1	= right + 2	pair [0-9]* counts
tpcc-lite	store district.*sum = .*	set x = 0	was paid 0 and not
tpcc-lite	store stock.*orders = .*	set x = 0	sold
tpcc-lite	store order.*line.*	set x = 0	is not there
cl	b_at - unit	b_at + unit	the middle of shirt
cl	inverse_mass = a_share	inverse_mass = a_share + 2	another inverse mass
cl	store particle.b..axis	store particle[b].old_y	has another past
bh	child\[slot\] = b$	child[slot] = b if b	body 0 is in no cell
bh	store posx\[c\] = x	store posx[c] = x + 1	has another one's place
bh	k == own \? around : EMPTY	EMPTY	is in no cell
cc	store reverse.to. = word \+ f	alu	the edges of node
cc	store excess.to. = word \+ f	alu	there is flow of
cc	store pull.to. = word - 1	alu	failures, counted
ap	store list.leaf_node..last.0. = x	alu	the leaf of candidate [0-9]* has
ap	item % size\].to\[0\] = child	(item + 1) % size].to[0] = child	has no way to its leaf
ap	support = 1 if there	support = 2 if there	was counted
ap	store node.leaf_node..count = held	alu	is in its leaf 0 times
w1	store word\[target\(id, i\)\].*	alu	and was
w2	store word\[target\(id, i\)\].*	alu	and was
w1	if writes	if 1	and was	workload.update 20
w2	if writes	if 1	and was	workload.update 20
w1	store word\[target\(id, i\)\]	store word[place(id, i + 1)]	and was
w2	store word\[target\(id, i\)\]	store word[place(id, i + 1)]	and was
cache	until i >= \(change \? 12 : 8\)	until i >= 8	the value of another
cache	= i < 4 \? key_word\(key, i\)	= i == 0 ? key_word(key, i)	two keys
cache	let best = i if found \|\| older	let best = i if older	twice
local-hash	= id \+ 1 if !held	= id if !held	holds 64
local-hash	= id \+ 1 if !held	= id + 1	holds
local-hash	id % buckets \+ buckets	(id + 1) % buckets + buckets	holds
k-means	gather\(3, 1\)	gather(3, 2)	has gathered
k-means	let nearer = !k \|\| here < least	let nearer = !k	has gathered
k-means	gather\(1, y\)	gather(1, x)	has gathered
genetic	let b = b \^ differ if first_is_better	let b = b ^ 256	is no solution
genetic	= far\(a\) <= far\(b\)	= far(a) > far(b)	the best solution is
genetic	second\] = b	second] = 0	the best solution is
CHANGES
	# Writes the kernels, a line of a study for each, and what is expected of each.
	awk -F '\t' -v from="$kernels" -v to="$work" -v list="$(echo "$kernels"/*.macros)" '
		BEGIN {
			files = split(list, macros, " ")
			for (m = 1; m <= files; m++)
				sub(/.*[/]/, "", macros[m])
		}
		FILENAME ~ /small$/ {
			name = $0
			sub(/ .*/, "", name)
			sub(/^[^ ]* /, "")
			small[name] = $0
			next
		}
		function change(file,   line, i) { # in the copy that line FNR is for
			while ((getline line <(from "/" file)) > 0) {
				for (i = 2; i < last - 1; i += 2)
					changed += sub($i, $(i + 1), line)
				sub(/^include /, "&changed" FNR "_", line)
				shared = shared || line ~ /^shared/
				print line >(to "/changed" FNR "_" file)
			}
			close(from "/" file)
			close(to "/changed" FNR "_" file)
		}
		{
			last = NF
			more = ""
			if ($NF ~ /^workload[.]/) {
				more = " " $NF
				last--
			}
			last++ # the text is before it
			changed = 0
			for (m = 1; m <= files; m++)
				change(macros[m])
			shared = 0
			change($1 ".kernel")
			if (!changed)
				print $1 ": " $2 " changes nothing"
			print "run workload " to "/changed" FNR "_" $1 ".kernel system " (shared ? "local-tm" : "ideal") " " \
				small[$1] more >(to "/study.wrong")
			print $(last - 1) >(to "/expected")
		}' "$work/small" "$work/changes" >"$work/unchanged"
	[ ! -s "$work/unchanged" ] || complain "$(cat "$work/unchanged")"
	echo check >>"$work/study.wrong"
	study 64 '
		getline expected <"'"$work"'/expected"
		if (failed() !~ "check failed: the workload.s invariant is broken: .*" expected)
			wrong("expected " expected ": " failed())' <"$work/study.wrong"
}

# Programs without end are ended, and told.
case_without_end() {
	# A ring that nobody changes: no system aborts the walk.
	cat >"$work/ring.kernel" <<'KERNEL'
threads 64 block 32
array ring 8
setup
	for i = 0 below 8
		store ring[i] = (i + 1) % 8
	end
program
	set x = lane % 8
	begin
	repeat
		load x = ring[x]
	until x == 8
	commit
KERNEL
	# Lock programs without end: a lock that nobody gives back, and a flag that nobody reads. Threads
	# that compute for longer than the machine has patience, one of them after all others, end.
	cat >"$work/lock.kernel" <<'KERNEL'
threads 64 block 32
commits threads
array lock 1
array sum 1
program locks
	repeat
		cas held = lock[0] from 0 to 1
		if held == 0
			enter
			load s = sum[0]
			store sum[0] = s + 1
			leave
			fence
			let done = 1
			store lock[0] = 0
		end
	until done
KERNEL
	awk -v to="$work" '
		{
			kept = flag = $0
			sub(/store lock\[0\] = 0/, "alu", kept)
			sub(/let done/, "let don", flag)
			sub(/until done/, "until finished", flag)
			print kept >(to "/kept.kernel")
			print flag >(to "/flag.kernel")
			print >(to "/long.kernel")
		}
		/^program locks/ {
			print "\tset finished = 0" >(to "/flag.kernel")
			print "\tset turn = 0\n\twhile turn < 100 + lane * 100\n\t\tset turn = turn + 1\n\tend" \
				>(to "/long.kernel")
		}' "$work/lock.kernel"
	# Threads that change memory for ever: they wait for each other and count how often they look, in
	# transactions or without; and of two locks each has taken the one that the other one needs.
	cat >"$work/look.kernel" <<'KERNEL'
threads 64 block 1
array flag threads
array looks threads
define other = id ^ 1
program transactions
	repeat
		begin
		load found = flag[other]
		load n = looks[id]
		store looks[id] = n + 1
		commit
	until found
	store flag[id] = 1
program locks
	repeat
		load found = flag[other]
		load n = looks[id]
		store looks[id] = n + 1
	until found
	store flag[id] = 1
KERNEL
	cat >"$work/cross.kernel" <<'KERNEL'
threads 64 block 32
array lock threads
array sum threads
program locks
	repeat
		cas held = lock[id] from 0 to 1
		if !held
			cas held = lock[id ^ 1] from 0 to 1
			if !held
				enter
				load s = sum[id]
				store sum[id] = s + 1
				leave
				fence
				let done = 1
				store lock[id ^ 1] = 0
			end
			store lock[id] = 0
		end
	until done
KERNEL
	# A transaction that goes round and reads nothing: the watchdog of Kilo TM, which looks at its log
	# again and again, does not make the attempt a new one.
	inside() { # the word
		cat <<KERNEL
threads 1024 block 128
array sum threads
program
	begin
	load s = sum[$1]
	store sum[$1] = s + 1
	repeat
	until 0
	commit
KERNEL
	}
	inside id >"$work/inside.kernel"
	inside 'id * 7 % 64' >"$work/shares.kernel"
	# Programs that take many times as long as the machine has patience, and end: threads that count
	# how often they look until the one before has ended; a thread that ends after all its
	# transactions, of which the number is known; threads that wait for one lock.
	cat >"$work/chain.kernel" <<'KERNEL'
threads 64 block 1
array ended threads
array looks threads
program locks
	repeat
		load found = ended[id - 1] if id
		load n = looks[id]
		store looks[id] = n + 1
	until !id || found
	alu 10000
	store ended[id] = 1
KERNEL
	rounds() { # a line commits, or none
		cat <<KERNEL
threads 1 block 1
$1
array sum 1
program transactions
	for round = 0 below 80
		alu 10000
		begin
		load s = sum[0]
		store sum[0] = s + 1
		commit
	end
KERNEL
	}
	rounds 'commits 80' >"$work/rounds.kernel"
	rounds '' >"$work/unknown.kernel"
	# Shared memory: blocks add up their words there, and a thread of each adds that to a total. The
	# sum is wrong without barriers.
	cat >"$work/total.kernel" <<'KERNEL'
threads 1024 block 128
commits threads / block_size
array word threads * 8
array total 1
array lock 1
shared part block_size
shared arrived 1
setup
	for i = 0 below threads * 8
		draw x below 1000
		store word[i] = x
	end
macro add_up()
	for i = 0 below 8
		load x = word[id * 8 + i]
		set sum = sum + x
	end
	store part[thread] = sum
	add arrived[0] = 1
	barrier
	set half = block_size / 2
	while uniform half
		load a = part[thread] if thread < half
		load b = part[thread + half] if thread < half
		store part[thread] = a + b if thread < half
		set half = half / 2
		barrier
	end
	load all = arrived[0]
	load sum = part[0]
end
program transactions
	add_up()
	if !thread && all == block_size
		begin
		load t = total[0]
		store total[0] = t + sum
		commit
	end
program locks
	add_up()
	if !thread && all == block_size
		repeat
			cas held = lock[0] from 0 to 1
			if !held
				enter
				load t = total[0]
				store total[0] = t + sum
				leave
				fence
				let done = 1
				store lock[0] = 0
			end
		until done
	end
verify
	set expected = 0
	for i = 0 below threads * 8
		set expected = expected + word[i]
	end
	require total[0] == expected "the total is wrong"
KERNEL
	awk -v to="$work" '
		{
			part = hasty = $0
			sub(/load t = total/, "load t = part", part)
			sub(/^\t\t?barrier/, "\talu", hasty)
			print part >(to "/part.kernel")
			print hasty >(to "/hasty.kernel")
		}' "$work/total.kernel"
	cat >"$work/banks.kernel" <<'KERNEL'
param stride 1 1 64 "Words between those of neighbours."
threads 128 block 128
commits threads
array out threads
shared near 8192
program
	for i = 0 below 100
		load x = near[thread * stride]
		store near[thread * stride] = x + 1
	end
	begin
	store out[id] = x
	commit
KERNEL
	{
		cat "$work/banks.kernel"
		printf 'verify\n\trequire near[0] == 100\n'
	} >"$work/after.kernel"
	# Of 32 lanes that want 32 words of a bank each access takes 31 cycles more.
	study 3 '
		cycles[NR] = figure("cycles")
		if (NR == 2 && cycles[1] != cycles[2])
			wrong("a stride of 33 words: " cycles[2] " cycles, of one " cycles[1])
		if (NR == 3 && cycles[3] < cycles[1] + 4 * 200 * 31)
			wrong("a stride of 32: " cycles[3] " cycles, of one " cycles[1])' <<STUDY
workload $work/banks.kernel
system ideal
set workload.stride 1 33 32
check
tell cycles
STUDY

	# What fails is named as the text of the kernel spells it.
	# names STATUS SYSTEM EXPRESSION: the kernel whose sections are on standard input says that on
	# standard error, where NAMES is its name. Small scale leaves out the loops without an end that need
	# seconds, whose word is `long`: others end so, too.
	kernel=0
	names() {
		kernel=$((kernel + 1))
		if [ "$1" = long ]; then
			shift
			[ "${GPUTM_TEST_SCALE:-}" != small ] || return 0
		fi
		{
			printf 'threads 64 block 32\narray m 16 { a b[3] }\ntable t 8\n'
			cat
		} >"$work/names$kernel.kernel"
		says=$3
		case $says in *NAMES*) says="${says%%NAMES*}names$kernel${says#*NAMES}" ;; esac
		echo "$1 --workload $work/names$kernel.kernel --check --system $2 ~ $says" >>"$work/table"
	}
	printf 'macro f()\n\tset y = )\nend\n' >"$work/names.macros"
	names 1 ideal \
		'NAMES.kernel:7:2: thread 15 uses m.16..a, beyond the end of m .length 16.: i.=.16, id.=.15' <<'KERNEL'
program
	begin
	set i = id + 1
	store m[i].a = id
	commit
KERNEL
	names 1 getm \
		'NAMES.kernel:6:2: thread 3 uses m.0..b.3., beyond the end of m.b .length 3.: id.=.3, j.=.0' <<'KERNEL'
program
	set j = id / 8
	store m[j].b[id % 5] = id
	begin
	commit
KERNEL
	names 1 fine-lock \
		'NAMES.kernel:7:2: thread 8 uses t.8., beyond the end of t .length 8.: k.=.8' <<'KERNEL'
program locks
	let k = id
	enter
	set x = t[k]
	leave
KERNEL
	names 1 fine-lock 'read 0 from m.0..b.2. .line 5 or 9. where that order gives 1' <<'KERNEL'
macro late()
	load n = m[id % 4].b[2]
end
program locks
	enter
	load n = m[id % 4].b[2]
	late()
	store m[id % 4].b[2] = n + 1
	leave
program
	begin
	load n = m[id % 4].b[2]
	commit
KERNEL
	names 1 fine-lock \
		'0 transactions were committed and not 64: the program with locks has no enter' <<'KERNEL'
commits 64
program locks
	load n = m[id % 4].b[2]
KERNEL
	names 1 ideal \
		'0 transactions were committed and not 64: the program has no begin and commit' <<'KERNEL'
commits 64
program
	kernel one
	alu
	host
	launch one
KERNEL
	names long 2 ideal 'NAMES.kernel:10:3: no end after 671' <<'KERNEL'
program
	begin
	commit
verify
	set x = 1
	while x
		set x = t[0] + 1
	end
KERNEL
	names 2 ideal 'names[.]macros:2:10: got ".", expected an operand' <<'KERNEL'
include names.macros
program
	f()
KERNEL
	names 2 ideal 'names[.]macros:1:1: got "macro", expected number 1 of 8' <<'KERNEL'
words t names.macros
program
	alu
KERNEL
	names long 1 ideal 'broken: .*NAMES.kernel:' <<'KERNEL'
program
	begin
	store m[0].a = 1
	commit
verify
	while 1
		set x = m[0].a
	end
KERNEL
	names 2 ideal 'NAMES.kernel:9:2: no end after 671' <<'KERNEL'
program
	kernel one
	begin
	commit
	host
	while 1
	end
	launch one
KERNEL
	{
		for system in ideal kilo-tm warptm warptm-tcd getm si-tm; do
			echo "1 --workload $work/ring.kernel --system $system --set machine.patience_cycles=100000" \
				'~ ring.kernel:1[12]:[23]: thread [0-9]* is in one attempt'
		done
		# endless KERNEL SYSTEM TEXT [PATIENCE]
		endless() {
			echo "1 --workload $work/$1.kernel --system $2 --set machine.patience_cycles=${4:-100000}" \
				"~ $1.kernel:[0-9]*:[0-9]*: $3"
		}
		endless kept fine-lock 'thread [0-9]* goes round: no thread has ended or committed for'
		endless flag fine-lock 'thread [0-9]* goes on, but the run has 64 transactions'
		echo "0 --workload $work/long.kernel --system fine-lock --set machine.patience_cycles=100000"
		for system in fine-lock coarse-lock serial ideal kilo-tm; do
			endless look $system 'thread [0-9]* goes round: no thread has ended for'
		done
		endless cross fine-lock 'thread [0-9]* goes round: no thread has ended for'
		for system in kilo-tm warptm; do
			endless shares $system 'thread [0-9]* is in one attempt for more than' 1000000
		done
		for system in kilo-tm warptm warptm-el warptm-tcd eapg getm si-tm ideal; do
			endless inside $system 'thread [0-9]* is in one attempt for more than'
		done
		endless unknown kilo-tm '.* no thread has ended for.*expected more of them, or a line commits'
		# patient MILLIONS ARGUMENT...: so many millions of cycles at least, a digit
		patient() {
			# Small scale has the others.
			case ${GPUTM_TEST_SCALE:-}$4 in small*chain.kernel) return ;; esac
			least=$1
			shift
			echo "0 $* --set machine.patience_cycles=400000 --only cycles" \
				"|~ ^  cycles  *([$least-9][0-9]{6}|[1-9][0-9]{7,})\$"
		}
		patient 5 --workload "$work/chain.kernel" --system fine-lock
		patient 6 --workload "$work/rounds.kernel" --system coarse-lock
		patient 6 --workload "$work/rounds.kernel" --system kilo-tm
		patient 2 --workload hash-table --threads 2304 --system coarse-lock
		patient 1 --workload hash-table --threads 2304 --system serial
		for system in serial coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm; do
			echo "0 --workload $work/total.kernel --system $system --check"
		done
		cat <<TABLE
0 --workload $work/total.kernel --divergence tbc --check
0 --workload $work/total.kernel --save-at 3000 $work/state --format jsonl > $work/out
0 --workload $work/total.kernel --restore $work/state --format jsonl > $work/again
same $work/out $work/again
1 --workload $work/hasty.kernel --check : the total is wrong
2 --workload $work/part.kernel --system getm : its transactions use shared memory
2 --workload $work/total.kernel --system hetm : the CPU has no shared memory
2 --workload $work/after.kernel --system kilo-tm : setup or verify uses shared memory
1/2 --workload $kernels/ycsb.kernel --record $work/none/trace
TABLE
		# What was recorded is a trace with as many transactions, reads and writes.
		for system in ideal si-tm; do
			echo "0 --workload $kernels/ycsb.kernel --system $system --threads 64 --format json" \
				"--record $work/trace > $work/$system.recorded"
			echo "0 --trace $work/trace --system $system --check --format json > $work/$system.replayed"
		done
	} >>"$work/table"
	runs <"$work/table"
	awk '
		/^  "check": / { inside = 1 }
		/"failure"/ { inside = 0 }
		inside && /"(transactions|reads|writes)": / { counts[FILENAME] = counts[FILENAME] " " $2; found++ }
		END {
			for (file in counts) {
				other = file
				sub(/recorded$/, "replayed", other)
				if (counts[file] != counts[other])
					print file ": " counts[file] ", and again " counts[other]
			}
			if (found != 12)
				print found " counts of what was recorded"
		}' "$work"/*.recorded "$work"/*.replayed >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
}
cases "$@"
