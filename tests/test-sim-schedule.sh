#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The order of an oracle (examples/studies/schedule.py): colours of a small graph, by hand, and of a
# recorded trace, in which none conflict, nothing is lost, and which runs.
. "${srcdir:-.}/tests/build/lib.sh"
have python3 || skip "python3 is not installed"
sim=${top_builddir:-.}/gputm-sim
schedule=$srcdir/examples/studies/schedule.py

# Threads 1 and 2 read what 0 writes, 3 writes the next word, and 4 reads that.
cat >"$work/small" <<'TXT'
# transactions: 5
t 0 w1000=1
t 1 r1000=1 w1040=2
t 2 r1000=1
t 3 r1080=0 w1004=3
t 4 r1004=3
TXT
# expected ARGUMENT...: the transactions on standard input
expected() {
	cat >"$work/expected"
	python3 "$schedule" "$@" <"$work/small" | grep -v '^#' >"$work/out"
	cmp -s "$work/out" "$work/expected" || complain "schedule.py $*: $(cat "$work/out")"
}
expected 2 <<'TXT'
t 0 w1000=1
t 1 r1080=0 w1004=3
t 0 r1000=1 w1040=2
t 1 r1000=1
t 0 r1004=3
TXT
expected 8 64 <<'TXT'
t 0 w1000=1
t 0 r1000=1 w1040=2
t 1 r1000=1
t 2 r1004=3
t 0 r1080=0 w1004=3
TXT

"$sim" --system ideal --workload bank --threads 256 --set workload.accounts=64 \
	--record "$work/trace" --out "$work/report" || complain "a trace was not recorded"
python3 "$schedule" 256 <"$work/trace" >"$work/schedule"
for file in trace schedule; do
	grep '^t' "$work/$file" | cut -d ' ' -f 3- | sort >"$work/$file.sorted"
done
[ -s "$work/trace.sorted" ] && cmp -s "$work/trace.sorted" "$work/schedule.sorted" ||
	complain "the transactions differ from those of the trace"
# With a thread for each transaction of a colour, 0 is the first of its colour.
awk '/^#/ { next }
	$2 == 0 { delete reads; delete writes; colours++ }
	{ for (i = 3; i <= NF; i++) {
		kind = substr($i, 1, 1); split(substr($i, 2), word, "=")
		if (writes[word[1]] && writes[word[1]] != NR) print "conflict at line " NR
		if (kind == "w" && reads[word[1]] && reads[word[1]] != NR) print "conflict at line " NR
		if (kind == "w") writes[word[1]] = NR
		else if (!reads[word[1]]) reads[word[1]] = NR
	} }
	END { if (colours < 2) print "one colour only" }' "$work/schedule" >"$work/wrong"
[ ! -s "$work/wrong" ] || complain "$(head -n 3 "$work/wrong")"
for system in kilo-tm getm; do
	"$sim" --system $system --trace "$work/schedule" --concurrency inf --check \
		--out "$work/report" 2>"$work/err" || complain "$system: $(cat "$work/err")"
done
exit $failed
