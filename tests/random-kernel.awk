# SPDX-License-Identifier: BSD-2-Clause
# Writes a random kernel: awk -v seed=N -f random-kernel.awk. Each thread runs 1 to 4 transactions
# (or, in the program with locks, critical sections), which load and store words of all threads,
# in branches and loops whose way depends on what they have loaded. Three in four add 1 to a
# counter, of which verify knows the sum; the fourth only reads. With -v barriers=0 there are no
# barriers. With -v first=N -v last=N -v to=FOLDER the script writes these kernels into the folder,
# and a table of runs for tests/sim-runs; there the files that gputm-sim --list SYSTEM and --list all
# print, SYSTEM.list and all.list, must be.

# A number below n.
function draw(n)
{
	state = state * 16807 % 2147483647
	return int(state / 2147483647 * n)
}

function among(text,   word, count)
{
	count = split(text, word, " ")
	return word[1 + draw(count)]
}

function register()
{
	return "r" draw(registers)
}

function expression(depth,   kind)
{
	kind = depth > 2 ? 0 : draw(20)
	if (kind < 7)
		return register()
	if (kind < 10)
		return among("0 1 2 3 7 31 255 0x7fffffff 0xffffffff")
	if (kind < 12)
		return among("id lane warp block thread")
	if (kind < 18)
		return "(" expression(depth + 1) " " among("+ - * ^ & | << >> < == !=") " " \
			expression(depth + 1) ")"
	return "(" expression(depth + 1) " ? " expression(depth + 1) " : " expression(depth + 1) ")"
}

function place(   i, at)
{
	i = draw(arrays)
	at = draw(3) ? expression(1) : "(id " among("+ * ^") " " 1 + draw(9) ")"
	return "a" i "[" at " % " words[i] "]" (fields[i] ? "." among("x y") : "")
}

function line(depth, text)
{
	printf "%*s%s\n", depth, "", text >out
}

function statements(depth, inside, count)
{
	while (count--)
		statement(depth, inside)
}

function statement(depth, inside,   kind, when, i)
{
	kind = draw(20)
	when = draw(6) ? "" : " if " expression(1)
	if (kind < 6)
		line(depth, "load " register() " = " place() when)
	else if (kind < 10 && !reads_only)
		line(depth, "store " (inside ? place() : "own[id]") " = " expression(0) when)
	else if (kind < 13)
		line(depth, among("set let") " " register() " = " expression(0))
	else if (kind < 14 || depth > 4)
		line(depth, "alu " 1 + draw(20))
	else if (kind < 18) {
		line(depth, "if " expression(1))
		statements(depth + 1, inside, 1 + draw(3))
		if (draw(2)) {
			line(depth, "else")
			statements(depth + 1, inside, 1 + draw(3))
		}
		line(depth, "end")
	} else {
		i = "i" loops++
		line(depth, "for " i " = 0 below " expression(1) " % 5")
		statements(depth + 1, inside, 1 + draw(3))
		if (!draw(4))
			line(depth + 1, "break if " expression(1))
		line(depth, "end")
	}
}

function count_one(depth)
{
	line(depth, "load c = count[key]")
	if (!reads_only)
		line(depth, "store count[key] = c + 1")
}

function transaction(i,   first)
{
	reads_only = 0
	statements(1, 0, draw(4))
	line(1, "let key = " expression(1) " % counters")
	line(1, "begin")
	reads_only = !counts[i]
	first = draw(2)
	if (first)
		count_one(1)
	statements(1, 1, draw(7))
	if (!first)
		count_one(1)
	line(1, "commit")
	if (barriers != "0" && !draw(6))
		line(1, "barrier")
	if (!draw(6))
		line(1, "fence")
}

function critical_section(i)
{
	reads_only = !counts[i]
	line(1, "let key = " expression(1) " % counters")
	line(1, "let done = 0")
	line(1, "repeat")
	line(2, "cas held = lock[key] from 0 to 1")
	line(2, "if held == 0")
	line(3, "enter")
	count_one(3)
	line(3, "leave")
	line(3, "fence")
	line(3, "let done = 1")
	line(3, "store lock[key] = 0")
	line(2, "end")
	line(1, "until done")
}

function program(name,   i)
{
	line(0, "program " name)
	for (i = 0; i < registers; i++)
		line(1, "let r" i " = " among("id thread 5 99") " * " 1 + draw(9))
	for (i = 0; i < transactions; i++) {
		if (name == "locks")
			critical_section(i)
		else
			transaction(i)
	}
}

# A value of a range as --list writes it: "A .. B", "A .. B, a power of two" or "NAME, NAME".
function value(range,   bound, at)
{
	if (!index(range, " .. ")) {
		gsub(",", "", range)
		return among(range)
	}
	split(range, bound, " ")
	if (range ~ /power of two/) {
		for (at = bound[1] + 0 ? bound[1] + 0 : 1; 2 * at <= bound[3] + 0 && draw(4); )
			at *= 2
		return at
	}
	at = bound[1] + draw(2) * int(2 ^ draw(12))
	return at < bound[3] ? at : bound[1]
}

# Left out is what ends runs early, is not serialisable by its description, holds less than a
# transaction, or waits for longer than the run's patience.
function read_settings(list,   text, count)
{
	while ((getline text <(to "/" list ".list")) > 0 && text !~ /^How --concurrency/) {
		if (text !~ /^    [a-z_0-9.]+ = .*\[.*\]$/ || text ~ /patience|literal|backoff|paper_order/ ||
		    text ~ /detection|release_at_commit|(reader_list|writer_table).entries|count_bits/)
			continue
		sub(/^ */, "", text)
		name[list, count] = range[list, count] = text
		sub(/ .*/, "", name[list, count])
		gsub(/.*\[|\]$/, "", range[list, count++])
	}
	settings[list] = count
}

# A random setting of a system, or of a machine (all), NAME=VALUE.
function setting(list, number,   at)
{
	if (!(list in settings))
		read_settings(list)
	sow(number)
	at = draw(settings[list])
	return name[list, at] "=" value(range[list, at])
}

function sow(number,   i)
{
	state = number * 7919 % 2147483646 + 1
	for (i = 0; i < 9; i++)
		draw(2)
}

function kernel(number,   i)
{
	sow(number)
	registers = 2 + draw(8)
	arrays = 1 + draw(3)
	transactions = 1 + draw(4)
	counted = 0
	for (i = 0; i < transactions; i++)
		counted += counts[i] = draw(4) > 0
	loops = 0
	line(0, "# Random kernel " number)
	line(0, "param block_size " among("1 16 32 48 64 96 128") " 1 1024 \"Threads of a block.\"")
	line(0, "threads " among("1 7 32 33 64 100 128 200") " block block_size")
	line(0, "const counters = " among("1 4 32 200"))
	for (i = 0; i < arrays; i++) {
		words[i] = among("1 2 4 16 64 300")
		fields[i] = draw(2)
		line(0, "array a" i " " words[i] (fields[i] ? " { x y }" : ""))
	}
	line(0, "array count counters")
	line(0, "array own threads")
	line(0, "locks lock counters")
	line(0, "region a0 count")
	line(0, "commits threads * " transactions)
	line(0, "setup")
	for (i = 0; i < arrays; i++) {
		line(1, "for i = 0 below " words[i])
		line(2, "draw k")
		line(2, "store a" i "[i]" (fields[i] ? ".x" : "") " = k")
		line(1, "end")
	}
	program("transactions")
	program("locks")
	line(0, "verify")
	line(1, "set sum = 0")
	line(1, "for i = 0 below counters")
	line(2, "set sum = sum + count[i]")
	line(1, "end")
	line(1, "require sum == threads * " counted + 0 " \"counted\" sum")
}

# The Nth word, from 0, round and round.
function nth(n, text,   word, count)
{
	count = split(text, word, " ")
	return word[1 + n % count]
}

# One kernel, system after system; each round of systems has another limit and machine. With a
# setting of the system and one of the machine a run is refused before it begins, or as right.
function runs(number,   turn, sys, args, limit, choice)
{
	turn = int(number / 11)
	sys = nth(number, systems)
	limit = " --concurrency " nth(turn, "2 inf 1 4")
	args = " --machine " nth(turn, "fermi thesis-3 reference thesis-4") " --set machine.cores=" \
		1 + turn % 4 " --set machine.patience_cycles=100000000"
	if (sys == "kilo-tm")
		args = args " --divergence " nth(turn, "pdom tbc pdom-lcp tbc-lcp")
	if (sys == "si-tm-oracle") # with shorter waits the warps of kernel 281 abort one another for ever
		args = args " --set system.most_backoff=100000"
	if (sys == "hetm")
		args = " --set system.gpu=" nth(turn, "getm kilo-tm warptm si-tm warptm-tcd")
	if (sys == "hetm" || sys ~ /-lock$/)
		limit = ""
	barriers = sys == "hetm" ? "0" : "1"
	out = to "/" number ".kernel"
	kernel(number)
	close(out)
	args = "--workload " out " --system " sys " --seed " turn args limit
	print "0 " args " --check"
	choice = setting(sys, number "1")
	if (choice != "=")
		print "0/2 " args " --check --set " choice " = " to "/" number ".1.status"
	choice = sys == "hetm" ? "=" : setting("all", number "2")
	if (choice != "=")
		print "0/2 " args " --check --set " choice " = " to "/" number ".2.status"
	if (number % 5 == 0) {
		print "0 " args " --format jsonl --report instances > " to "/" number ".whole"
		print number, 1 + turn % 7, args >(to "/saved")
	}
}

BEGIN {
	systems = "kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle ideal coarse-lock " \
		"serial fine-lock hetm"
	out = "/dev/stdout"
	if (to == "")
		kernel(seed)
	else
		for (seed = first; seed <= last; seed++)
			runs(seed)
}
