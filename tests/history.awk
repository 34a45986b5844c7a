# SPDX-License-Identifier: BSD-2-Clause
# Is a history of transactions, as --history writes it, serialisable? A value is a version: who read
# it comes behind who wrote it, and before who wrote the next one, which is known where that writer
# had read it (so the answer is exact if each writes only what it has read). A circle of these
# relations is refuted, and so is a value that nobody committed. Nothing of gputm-sim is used but
# the file.
function refute(why) {
	if (!refuted)
		print file why
	refuted = bad = 1
}
function edge(from, to) {
	if (from == to || (from, to) in is)
		return
	is[from, to] = 1
	follows[from, ++degree[from]] = to
	waits[to]++
}
FNR == 1 {
	if (NR > 1)
		end_of_file()
	file = ARGC > 2 ? FILENAME ": " : ""
}
refuted { next }
{
	if (!index($0, ":value ["))
		refute("line " FNR " is no transaction of --history")
	n++
	ops = $0
	sub(/^.*:value \[/, "", ops)
	sub(/\]\}$/, "", ops)
	count = split(ops, op, /\] ?\[|^\[|\]$/)
	delete own; delete saw
	for (i = 1; i <= count; i++) {
		if (split(op[i], f, " ") < 3)
			continue
		key = f[2]; value = f[3]
		if (f[1] == ":w") {
			if ((key, value) in writer)
				refute("line " n ": " key " = " value " is written twice")
			writer[key, value] = n
			if (key in saw && !(key in own)) {
				moved++
				before[moved] = key SUBSEP saw[key]; next_writer[moved] = n
			}
			if (key in own)
				hidden[key, own[key]] = n # never seen by others
			own[key] = value
		} else if (key in own) {
			if (own[key] != value)
				refute("line " n ": reads " value " of " key " and had written " own[key])
		} else {
			if (key in saw && saw[key] != value)
				refute("line " n ": reads " key " as " saw[key] " and as " value)
			if (!(key in saw)) {
				reads++
				read[reads] = key SUBSEP value; reader[reads] = n
			}
			saw[key] = value
		}
	}
}
function judge(    f, i, k, at, last) {
	if (!n)
		refute("no transaction")
	for (i = 1; i <= moved; i++) # the last one of two is found by their readers
		follower[before[i], ++followers[before[i]]] = next_writer[i]
	for (i = 1; i <= reads; i++) {
		split(read[i], f, SUBSEP)
		if (f[2] != "nil" && !(read[i] in writer))
			refute("line " reader[i] ": reads " f[2] " of " f[1] ", which nobody committed")
		if (read[i] in hidden && hidden[read[i]] != reader[i])
			refute("line " reader[i] ": reads " f[2] " of " f[1] ", which was overwritten by its own writer")
		if (f[2] != "nil")
			edge(writer[read[i]], reader[i])
		for (k = 1; k <= followers[read[i]]; k++)
			edge(reader[i], follower[read[i], k])
	}
	for (i = 1; i <= n; i++)
		if (!waits[i])
			queue[++last] = i
	for (at = 1; at <= last; at++)
		for (k = 1; k <= degree[queue[at]]; k++)
			if (!--waits[follows[queue[at], k]])
				queue[++last] = follows[queue[at], k]
	if (last != n)
		refute("a circle of " n - last " transactions or fewer")
	if (!refuted)
		print file n " transactions, " reads " reads: serialisable"
}
function end_of_file() {
	if (!refuted)
		judge()
	n = moved = reads = refuted = 0
	split("", is); split("", follows); split("", degree); split("", waits); split("", writer)
	split("", before); split("", next_writer); split("", hidden); split("", read)
	split("", reader); split("", follower); split("", followers); split("", queue)
}
END {
	end_of_file()
	exit bad
}
