#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernels of examples/kernels that are workloads: every system runs them right, at a small
# size; and what verify says when the program does something else than it should.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$srcdir/examples/kernels
cp "$kernels"/*.macros "$work"

# right KERNEL ARGUMENT...: with transactions, and with locks if the kernel has a program for it
right() {
	kernel=$1
	shift
	systems='ideal kilo-tm warptm warptm-tcd getm si-tm'
	grep -q '^program locks' "$kernels/$kernel.kernel" && systems="$systems fine-lock"
	for system in $systems; do
		timeout 60 "$sim" --workload "$kernels/$kernel.kernel" --system $system --check "$@" \
			>"$work/out" 2>"$work/err" </dev/null ||
			complain "$kernel under $system: $(cat "$work/err")"
	done
}

# wrong KERNEL SCRIPT TEXT ARGUMENT...: after sed SCRIPT, which must change the kernel or what it
# includes, verify says TEXT; the system is not to blame, so the accesses are those of one order
wrong() {
	kernel=$1 script=$2 text=$3
	shift 3
	cat "$kernels/$kernel.kernel" "$kernels"/*.macros >"$work/before"
	for file in "$kernels/$kernel.kernel" "$kernels"/*.macros; do
		sed "$script" "$file" >"$work/${file##*/}"
	done
	cat "$work/$kernel.kernel" "$work"/*.macros >"$work/after"
	! cmp -s "$work/before" "$work/after" || complain "$kernel: $script changes nothing"
	system=ideal
	! grep -q '^shared' "$work/$kernel.kernel" || system=local-tm
	timeout 60 "$sim" --workload "$work/$kernel.kernel" --system $system --check "$@" \
		>"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got -eq 1 ] || complain "$kernel with $script: exit $got and not 1: $(cat "$work/err")"
	grep -q "the workload's invariant is broken: .*$text" "$work/out" ||
		complain "$kernel with $script: $(tail -2 "$work/out") $(cat "$work/err")"
}

small='--threads 64 --set workload.elements=40'
# shellcheck disable=SC2086
{
	right rbtree $small
	wrong rbtree 's/store node\[uncle\].colour = BLACK/set g = 0/' 'a way down has' $small
	wrong rbtree 's/store node\[n\].which = down/set s = s/' 'does not know its parent' $small
	wrong rbtree 's/store node\[goes\].value = with_value/set at = at/' 'there [01] times and not' $small
}

small='--threads 96 --set workload.entries=20 --set workload.reservations=50
	--set workload.deletions=30'
# shellcheck disable=SC2086
{
	right vacation $small
	wrong vacation 's/store item\[thing\].free = free - 1/alu/' 'other than the total' $small
	wrong vacation 's/link(before, new)/alu/' 'is used [0-9]* times, listed' $small
	wrong vacation 's/store item\[thing\].used = used - 1/alu/' 'other than the total' $small
}

# What was recorded is a trace with as many transactions, reads and writes.
counts() {
	sed -n '/"check"/,/"failure"/s/ *"\(transactions\|reads\|writes\)": *//p' "$1"
}
for system in ideal si-tm; do
	"$sim" --workload "$kernels/ycsb.kernel" --system $system --threads 64 --format json \
		--record "$work/trace" >"$work/out" || complain "--record: exit $?"
	"$sim" --trace "$work/trace" --system $system --check --format json >"$work/again" ||
		complain "--trace of what was recorded: exit $?"
	[ "$(counts "$work/out")" = "$(counts "$work/again")" ] ||
		complain "--record: $(counts "$work/out") and again $(counts "$work/again")"
done
! "$sim" --workload "$kernels/ycsb.kernel" --record "$work/none/trace" >"$work/out" 2>&1 ||
	complain '--record took a file that cannot be opened'

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
for system in ideal kilo-tm warptm warptm-tcd getm si-tm; do
	timeout 60 "$sim" --workload "$work/ring.kernel" --system $system \
		--set machine.patience_cycles=100000 >"$work/out" 2>"$work/err"
	[ $? -eq 1 ] && grep -q 'ring.kernel:1[12]:[23]: thread [0-9]* is in one attempt' \
		"$work/err" || complain "ring under $system: $(cat "$work/err")"
done

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
sed 's/store lock\[0\] = 0/alu/' "$work/lock.kernel" >"$work/kept.kernel"
sed 's/let done/let don/' "$work/lock.kernel" | sed 's/until done/until finished/;s/^program locks/&\
\tset finished = 0/' >"$work/flag.kernel"
sed 's/^program locks/&\
\tset turn = 0\
\twhile turn < 100 + lane * 100\
\t\tset turn = turn + 1\
\tend/' "$work/lock.kernel" >"$work/long.kernel"
endless() { # kernel, what it is told, system, patience
	timeout 60 "$sim" --workload "$work/$1.kernel" --system "${3:-fine-lock}" \
		--set machine.patience_cycles="${4:-100000}" >"$work/out" 2>"$work/err"
	[ $? -eq 1 ] && grep -q "$2" "$work/err" || complain "$1.kernel: $(cat "$work/err")"
}
endless kept 'kept.kernel:[0-9]*:[0-9]*: thread [0-9]* goes round: no thread has ended or committed for'
endless flag 'flag.kernel:[0-9]*:[0-9]*: thread [0-9]* goes on, but the run has 64 transactions'
timeout 60 "$sim" --workload "$work/long.kernel" --system fine-lock \
	--set machine.patience_cycles=100000 >"$work/out" 2>"$work/err" ||
	complain "long.kernel: $(cat "$work/err")"

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
for system in fine-lock coarse-lock ideal kilo-tm; do
	endless look 'look.kernel:[0-9]*:[0-9]*: thread [0-9]* goes round: no thread has ended for' \
		$system
done
endless cross 'cross.kernel:[0-9]*:[0-9]*: thread [0-9]* goes round: no thread has ended for'

# A transaction that goes round and reads nothing: the watchdog of Kilo TM, which looks at its log
# again and again, does not make the attempt a new one.
cat >"$work/inside.kernel" <<'KERNEL'
threads 1024 block 128
array sum threads
program
	begin
	load s = sum[id]
	store sum[id] = s + 1
	repeat
	until 0
	commit
KERNEL
sed 's/sum\[id\]/sum[id * 7 % 64]/' "$work/inside.kernel" >"$work/shares.kernel"
for system in kilo-tm warptm; do
	endless shares 'shares.kernel:[0-9]*:[0-9]*: thread [0-9]* is in one attempt for more than' \
		$system 1000000
done
for system in kilo-tm warptm warptm-el warptm-tcd getm si-tm ideal; do
	endless inside 'inside.kernel:[0-9]*:[0-9]*: thread [0-9]* is in one attempt for more than' \
		$system
done

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
cat >"$work/rounds.kernel" <<'KERNEL'
threads 1 block 1
commits 80
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
patient() { # cycles at least, arguments
	least=$1
	shift
	timeout 60 "$sim" "$@" --set machine.patience_cycles=400000 --only cycles \
		>"$work/out" 2>"$work/err" || complain "$*: $(cat "$work/err")"
	cycles=$(sed -n 's/^  cycles  *//p' "$work/out")
	[ "${cycles:-0}" -ge "$least" ] || complain "$*: $cycles cycles are not $least"
}
patient 5000000 --workload "$work/chain.kernel" --system fine-lock
patient 6000000 --workload "$work/rounds.kernel" --system coarse-lock
patient 6000000 --workload "$work/rounds.kernel" --system kilo-tm
patient 2000000 --workload hash-table --threads 2304 --system coarse-lock
sed '/^commits/d' "$work/rounds.kernel" >"$work/unknown.kernel"
endless unknown 'unknown.kernel:.* no thread has ended for.*expected more of them, or a line commits' kilo-tm

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
for system in coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd warptm-el getm si-tm; do
	"$sim" --workload "$work/total.kernel" --system $system --check >"$work/out" 2>&1 ||
		complain "total under $system: $(cat "$work/out")"
done
"$sim" --workload "$work/total.kernel" --divergence tbc --check >"$work/out" 2>&1 ||
	complain "total on compacted warps: $(cat "$work/out")"
"$sim" --workload "$work/total.kernel" --save-at 3000 "$work/state" --format jsonl >"$work/out"
"$sim" --workload "$work/total.kernel" --restore "$work/state" --format jsonl >"$work/again"
cmp "$work/out" "$work/again" || complain 'total: restored in between'
sed 's/^\tbarrier/\talu/;s/^\t\tbarrier/\t\talu/' "$work/total.kernel" >"$work/hasty.kernel"
! "$sim" --workload "$work/hasty.kernel" --check >"$work/out" 2>&1 ||
	complain 'total is right without barriers'
grep -q 'the total is wrong' "$work/out" || complain "hasty.kernel: $(cat "$work/out")"
sed 's/load t = total/load t = part/' "$work/total.kernel" >"$work/inside.kernel"
refused 'its transactions use shared memory' --workload "$work/inside.kernel" --system getm
refused 'the CPU has no shared memory' --workload "$work/total.kernel" --system hetm
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
cat "$work/banks.kernel" - >"$work/after.kernel" <<'KERNEL'
verify
	require near[0] == 100
KERNEL
refused 'setup or verify uses shared memory' --workload "$work/after.kernel" --system kilo-tm
# Of 32 lanes that want 32 words of a bank each access takes 31 cycles more.
took() {
	"$sim" --workload "$work/banks.kernel" --system ideal --check --only cycles \
		--set workload.stride="$1" | sed -n 's/^  cycles  *//p'
}
[ "$(took 33)" = "$(took 1)" ] || complain "a stride of 33 words: $(took 33) cycles, $(took 1)"
[ "$(took 32)" -ge $(($(took 1) + 4 * 200 * 31)) ] || complain "a stride of 32: $(took 32) cycles"

small='--threads 64 --set workload.slots=16'
# shellcheck disable=SC2086
{
	right queue $small
	wrong queue 's/store tail\[0\] = position + 1/set x = 0/' 'behind the tail' $small
	wrong queue 's/store slot\[position % slots\] = value/set x = 0/' 'at position [0-9]* was' $small
	wrong queue 's/store head\[0\] = position + 1/set x = 0/' 'behind the head' $small
}

small='--threads 64 --set workload.changes=20 --set workload.scans=10'
# shellcheck disable=SC2086
{
	right ycsb $small
	wrong ycsb 's/store record\[number\].stamp\[1\] = mine + 1/set x = 0/' 'of two writers' $small
	wrong ycsb 's/store record\[number\].count = count + 1/set x = 0/' 'was changed' $small
	wrong ycsb 's/= mine + 1/= mine + 2/' 'is written by operation' $small
}

small='--threads 64'
# shellcheck disable=SC2086
{
	right eigenbench $small
	wrong eigenbench 's/store shared_word.*/set x = 0/' 'holds 0 and was written 1' $small
	wrong eigenbench 's/= transaction + 1/= transaction + 2/' 'which does not write there' $small
	wrong eigenbench 's/store own_word.*/set x = 0/' 'was not written' $small
	right blind-writes $small
	wrong blind-writes 's/below size$/below size - 1/' 'is of two writers' $small
	wrong blind-writes 's/= mine + 1/= mine + 2/' 'was written by' $small
	wrong blind-writes 's/chosen\[mine\]/chosen[0]/' 'was written by' $small
	right false-sharing $small
	wrong false-sharing 's/= count + 1/= count + 2/' 'counts 16 and not 8' $small
	wrong false-sharing 's/(id % 32/(id % 31/' 'counts' $small
	wrong false-sharing 's/alu 4/store cell[mine].count[1] = 1/' 'was written' $small \
		--set workload.apart=2
	right long-scans $small
	wrong long-scans 's/= total$/= total + 1/' 'saw 512001' $small
	wrong long-scans 's/source.mine./source[0]/' 'holds' $small
	wrong long-scans 's/store word.source.*/set x = 0/' 'saw' $small
	right torn-reads $small
	wrong torn-reads 's/(a != b)/(a == b)/' 'saw a half of a commit' $small
	wrong torn-reads 's/store cell\[group + i\]/store cell[group + max(i, 1)]/' 'is of two writers' $small
	right own-order $small
	wrong own-order 's/value != from/value == from/' 'saw an old value of its own' $small
	wrong own-order 's/= from + 1/= from + 2/' 'saw an old value of its own' $small
	wrong own-order 's/stale + (/stale * (/;s/= from + 1/= from + 2/' 'word 0 of thread 0 counts' $small
	right zombie $small
	wrong zombie 's/= \(left\|right\) + 1/= \1 + 2/' 'pair [0-9]* counts' $small
	right tpcc-lite $small
	wrong tpcc-lite 's/store district.*sum = .*/set x = 0/' 'was paid 0 and not' $small
	wrong tpcc-lite 's/store stock.*orders = .*/set x = 0/' 'sold' $small
	wrong tpcc-lite 's/store order.*line.*/set x = 0/' 'is not there' $small
}

small='--set workload.shirts=1 --set workload.rows=6 --set workload.columns=8'
# shellcheck disable=SC2086
{
	right cl $small
	right cl $small --set workload.outside=1
	wrong cl 's/b_at - unit/b_at + unit/' 'the middle of shirt' $small
	wrong cl 's/inverse_mass = a_share/inverse_mass = a_share + 2/' 'another inverse mass' $small
	wrong cl 's/store particle.b..axis/store particle[b].old_y/' 'has another past' $small
}

small='--threads 144 --set workload.bodies=200 --set workload.block_size=72'
# shellcheck disable=SC2086
{
	right bh $small
	wrong bh 's/child\[slot\] = b$/child[slot] = b if b/' 'body 0 is in no cell' $small
	wrong bh 's/store posx\[c\] = x/store posx[c] = x + 1/' "has another one's place" $small
	wrong bh 's/k == own ? around : EMPTY/EMPTY/' 'is in no cell' $small
}

small='--set workload.wide=40 --set workload.high=20 --set workload.few=1'
# shellcheck disable=SC2086
{
	right cc $small
	wrong cc 's/store reverse.to. = word + f/alu/' 'the edges of node' $small
	wrong cc 's/store excess.to. = word + f/alu/' 'there is flow of' $small
	wrong cc 's/store pull.to. = word - 1/alu/' 'failures, counted' $small
}

small='--threads 1024 --set workload.records=300 --set workload.support=3
	--set workload.longest=9'
# shellcheck disable=SC2086
{
	right ap $small
	wrong ap 's/store list.leaf_node..last.0. = x/alu/' 'has no way to its leaf' $small
	wrong ap 's/support = 1 if there/support = 2 if there/' 'was counted' $small
	wrong ap 's/store node.leaf_node..count = held/alu/' 'and counts 0' $small
}

small='--threads 500 --set workload.kilobytes=8'
# shellcheck disable=SC2086
for kernel in w1 w2; do
	right $kernel $small --set workload.update=50 --set workload.conflict=200000
	wrong $kernel 's/store word\[target(id, i)\].*/alu/' 'and was' $small
	wrong $kernel 's/if writes/if 1/' 'and was' $small --set workload.update=20
	wrong $kernel 's/store word\[target(id, i)\]/store word[place(id, i + 1)]/' 'and was' $small
done

small='--threads 500 --set workload.sets=8 --set workload.keys=100 --set workload.put=30000'
# shellcheck disable=SC2086
{
	right cache $small
	wrong cache 's/until i >= (change ? 12 : 8)/until i >= 8/' 'the value of another' $small
	wrong cache 's/= i < 4 ? key_word(key, i)/= i == 0 ? key_word(key, i)/' 'two keys' $small
	wrong cache 's/let best = i if found || older/let best = i if older/' 'twice' $small
}

# In local memory.
wrong local-hash 's/= id + 1 if !held/= id if !held/' 'holds 64'
wrong local-hash 's/= id + 1 if !held/= id + 1/' 'holds'
wrong local-hash 's/id % buckets + buckets/(id + 1) % buckets + buckets/' 'holds'
wrong k-means 's/gather(3, 1)/gather(3, 2)/' 'has gathered'
wrong k-means 's/let nearer = !k || here < least/let nearer = !k/' 'has gathered'
wrong k-means 's/gather(1, y)/gather(1, x)/' 'has gathered'
wrong genetic 's/let b = b ^ differ if first_is_better/let b = b ^ 256/' 'is no solution'
wrong genetic 's/= far(a) <= far(b)/= far(a) > far(b)/' 'the best solution is'
wrong genetic 's/store solution\[drawn\[mine\].second\] = b/store solution[drawn[mine].second] = 0/' \
	'the best solution is'


# What fails is named as the kernel's text spells it: NAME STATUS TEXT SYSTEM, after the sections.
names() {
	printf 'threads 64 block 32\narray m 16 { a b[3] }\ntable t 8\n%s\n' "$1" \
		>"$work/names.kernel"
	"$sim" --workload "$work/names.kernel" --check --system "$4" >"$work/out" 2>"$work/err"
	got=$?
	[ $got -eq "$2" ] || complain "$1: exit $got and not $2: $(cat "$work/err")"
	expected=$(echo "$3" | sed "s|names[.]|$work/&|")
	grep -qF "$expected" "$work/err" || complain "$1: $(cat "$work/err") and not $expected"
}
names 'program
	begin
	set i = id + 1
	store m[i].a = id
	commit' 1 'names.kernel:7:2: thread 15 uses m[16].a, beyond the end of m (length 16): i = 16, id = 15' ideal
names 'program
	set j = id / 8
	store m[j].b[id % 5] = id
	begin
	commit' 1 'names.kernel:6:2: thread 3 uses m[0].b[3], beyond the end of m.b (length 3): id = 3, j = 0' getm
names 'program locks
	let k = id
	enter
	set x = t[k]
	leave' 1 'names.kernel:7:2: thread 8 uses t[8], beyond the end of t (length 8): k = 8' fine-lock
names 'macro late()
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
	commit' 1 'read 0 from m[0].b[2] (line 5 or 9) where that order gives 1' fine-lock
names 'commits 64
program locks
	load n = m[id % 4].b[2]' 1 '0 transactions were committed and not 64: the program with locks has no enter' fine-lock
names 'commits 64
program
	kernel one
	alu
	host
	launch one' 1 '0 transactions were committed and not 64: the program has no begin and commit' ideal
names 'program
	begin
	commit
verify
	set x = 1
	while x
		set x = t[0] + 1
	end' 2 'names.kernel:10:3: no end after 671' ideal
printf 'macro f()\n\tset y = )\nend\n' >"$work/names.macros"
names 'include names.macros
program
	f()' 2 'names.macros:2:10: got ")", expected an operand' ideal
names 'words t names.macros
program
	alu' 2 'names.macros:1:1: got "macro", expected number 1 of 8' ideal
names 'program
	begin
	store m[0].a = 1
	commit
verify
	while 1
		set x = m[0].a
	end' 1 'broken: names.kernel:' ideal
names 'program
	kernel one
	begin
	commit
	host
	while 1
	end
	launch one' 2 'names.kernel:9:2: no end after 671' ideal
exit $failed
