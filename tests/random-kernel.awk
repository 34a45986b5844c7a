# SPDX-License-Identifier: BSD-2-Clause
# Writes a random kernel: awk -v seed=N -f random-kernel.awk. Each thread runs 1 to 4 transactions
# (or, in the program with locks, critical sections), which load and store words of all threads,
# in branches and loops whose way depends on what they have loaded. Three in four add 1 to a
# counter, of which verify knows the sum; the fourth only reads. With -v barriers=0 there are no
# barriers. With -v settings=FILE, where FILE is what gputm-sim --list SYSTEM prints, the script
# writes instead a random setting of that system, NAME=VALUE.

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
	printf "%*s%s\n", depth, "", text
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
	print "program " name
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
function setting(   text, count, name, range)
{
	while ((getline text <settings) > 0) {
		if (text !~ /^    [a-z_0-9.]+ = .*\[.*\]$/ || text ~ /patience|literal|backoff|paper_order/ ||
		    text ~ /detection|release_at_commit|(reader_list|writer_table).entries|count_bits/)
			continue
		sub(/^ */, "", text)
		name[count] = range[count] = text
		sub(/ .*/, "", name[count])
		gsub(/.*\[|\]$/, "", range[count++])
	}
	count = draw(count)
	return name[count] "=" value(range[count])
}

BEGIN {
	state = seed * 7919 % 2147483646 + 1
	for (i = 0; i < 9; i++)
		draw(2)
	if (settings) {
		print setting()
		exit
	}
	registers = 2 + draw(8)
	arrays = 1 + draw(3)
	transactions = 1 + draw(4)
	for (i = 0; i < transactions; i++)
		counted += counts[i] = draw(4) > 0
	loops = 0
	print "# Random kernel " seed
	print "param block_size " among("1 16 32 48 64 96 128") " 1 1024 \"Threads of a block.\""
	print "threads " among("1 7 32 33 64 100 128 200") " block block_size"
	print "const counters = " among("1 4 32 200")
	for (i = 0; i < arrays; i++) {
		words[i] = among("1 2 4 16 64 300")
		fields[i] = draw(2)
		print "array a" i " " words[i] (fields[i] ? " { x y }" : "")
	}
	print "array count counters"
	print "array own threads"
	print "locks lock counters"
	print "region a0 count"
	print "commits threads * " transactions
	print "setup"
	for (i = 0; i < arrays; i++) {
		line(1, "for i = 0 below " words[i])
		line(2, "draw k")
		line(2, "store a" i "[i]" (fields[i] ? ".x" : "") " = k")
		line(1, "end")
	}
	program("transactions")
	program("locks")
	print "verify"
	line(1, "set sum = 0")
	line(1, "for i = 0 below counters")
	line(2, "set sum = sum + count[i]")
	line(1, "end")
	line(1, "require sum == threads * " counted + 0 " \"counted\" sum")
}
