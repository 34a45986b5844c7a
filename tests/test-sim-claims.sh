#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Claims: what is calculated from results, verdicts, the page, and what is refused before a run.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1
if ! command -v gnuplot >/dev/null; then # pages want pictures; a stand-in makes empty ones
	mkdir tools
	printf '#!/bin/sh\nexec sed -n "s/^set output .\(.*\).$/\1/p" "$1" | xargs touch\n' >tools/gnuplot
	chmod +x tools/gnuplot
	PATH=$work/tools:$PATH
fi

# ---- numbers, beside those that awk finds in the same results ----
cat >axes.part <<'TXT'
call variant locks few many
zip system fine-lock kilo-tm getm
zip set commit_unit.buffers - 64 -
workload bank
threads 64 256
quick threads 32 64
concurrency 1 4 inf
seed 1..3
quick seed 1
TXT
cat >study <<'TXT'
include axes.part
source A paper, Fig. 1
note Something of it.
let best min(cycles over concurrency)
table time "cycles / locks" best / best[variant=locks]
table at "the limit on warps in transactions with the best time" best(concurrency by cycles over concurrency)[variant=few|many]
table some "cycles with 64 threads" best[variant=few|many, threads=64]
paper at [variant=few] threads 64 2 256 1
paper at [variant=many, threads=64] 4
claim "a" time[variant=locks] within 1 of 1 and max(at) >= 1
claim "b" time[variant=few] > 1000 and time[variant=locks] <= 1
why It is so.
claim "c" geomean(time) < 0
verdict differs
claim "d" at <= paper(at)
claim "e" 3 * (sum(best) - best[variant=few, threads=64]) / 3 < mean(cycles) * 1e9 < 1e30
claim "f" harmean(best) < geomean(best) < mean(best) < max(best)
TXT
run 0 --study study --out all.jsonl --jobs 2
[ "$(wc -l <all.jsonl)" -eq 42 ] || complain "$(wc -l <all.jsonl) points and not 6 + 36"
for verdict in 'a": holds' 'b": in part' 'c": differs' 'e": holds' 'f": holds'; do
	grep -qF "\"$verdict" err || complain "$verdict: $(cat err)"
done
# Where a claim does not hold, numbers stand behind the names of their lines.
grep -q '"d": in part: 1 of 3, but not few threads 64: 4 <= 2, few threads 256: 4 <= 1$' err ||
	complain "names of lines: $(cat err)"
run 0 --study study --resume all.jsonl --page page.md --out again.jsonl
cmp -s all.jsonl again.jsonl || complain 'other results with --page'
[ ! -s err ] || complain "as expected, but: $(cat err)"
# A name that a table leaves out has no place in its picture.
grep -q "^set xtics ('few' 0, 'many' 1) " page-some.gp || complain "places: $(grep xtics page-some.gp)"
awk '
	function field(name) {
		if (!match($0, "\"" name "\":[^,}]*"))
			return ""
		return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	}
	{
		point = field("point.system") " " field("point.threads")
		sum[point, field("point.concurrency")] += field("cycles")
	}
	END {
		for (key in sum) {
			split(key, part, SUBSEP)
			if (!(part[1] in best) || sum[key] < best[part[1]])
				best[part[1]] = sum[key]
		}
		for (n = 64; n <= 256; n *= 4)
			printf "| %d | 1 | %.3g | %.3g |\n", n,
				best["\"kilo-tm\" " n] / best["\"fine-lock\" " n],
				best["\"getm\" " n] / best["\"fine-lock\" " n]
	}' all.jsonl >wanted
grep -Fxf wanted page.md >found
[ "$(wc -l <found)" -eq 2 ] && cmp -s wanted found || complain "the table is not $(cat wanted): $(cat page.md)"
for line in '## A paper, Fig. 1' 'Something of it.' '**cycles / locks**' '![at](page-at.svg)' '| threads | few | many |'; do
	grep -qF -- "$line" page.md || complain "no line \"$line\" on the page"
done
grep -q '^| 64 | [^|]* (2) | [^|]* (4) |$' page.md || complain "the paper's numbers: $(cat page.md)"
grep -q '^| b .* | in part: It is so\. |$' page.md || complain "why: $(cat page.md)"
[ -s page-time.gp ] && [ -s page-at.gp ] || complain 'no scripts of the pictures'
# What is longer than its axis stands in lines.
grep -qxF "set ylabel 'the limit on warps in transactions'.\"\n\".'with the best time'" page-at.gp ||
	complain "the name of a long table: $(grep ylabel page-at.gp)"
[ -d tools ] || grep -q '</svg>' page-time.svg || complain 'no pictures'

# ---- a verdict that is not expected ----
sed 's/^verdict differs/verdict holds/' study >broken
run 1 --study broken --resume all.jsonl --page page.md --out /dev/null
grep -q '^gputm-sim: broken:13: "c": differs, expected holds: not [0-9.]* < 0$' err || complain "broken: $(cat err)"
grep -q '| differs (expected: holds) |$' page.md || complain "broken: $(cat page.md)"

# ---- the small form; a claim may have no cell there ----
{ cat study; echo 'claim "g" time[threads=256] > 0'; echo 'quick verdict holds'; } >small
run 0 --study small --quick --page small.md --out small.jsonl
[ "$(wc -l <small.jsonl)" -eq 14 ] || complain "$(wc -l <small.jsonl) points and not 2 + 12"
grep -q '^| g .* | no result |$' small.md || complain "small: $(cat small.md)"
grep -q '"point.threads":32,' small.jsonl || complain 'small: other threads'

# A value that neither form has is a typing error.
{ cat study; echo 'claim "g" time[threads=257] > 0'; } >small
run 2 --study small --quick --out never
grep -q '^gputm-sim: small:18:24: got "257", expected a value of threads: 32 64$' err || complain "small: $(cat err)"
[ ! -e never ] || complain 'small: something has run'

# ---- refused, and nothing is run ----
# A line is: columns <= what is said <= a line of a study
awk '{
	split($0, part, " <= ")
	while ((getline line <"axes.part") > 0)
		print line >("bad." NR)
	close("axes.part")
	printf "source S\n%s\n", part[3] >("bad." NR)
	gsub(/[(]/, "[(]", part[2])
	print "2 --study bad." NR " --out never ~ ^gputm-sim: bad." NR ":11" part[1] ": .*" part[2] "\nabsent never"
}' >table <<TXT
:11 <= got "cyclos", expected a figure of some point <= claim "x" cyclos > 1
:26 <= got "huge", expected a value of variant: locks few many <= claim "x" cycles[variant=huge] > 1
:18 <= expected a line of the study with values <= claim "x" cycles[axis=1] > 1
:18 <= expected a line of the study with values <= claim "x" cycles[seed=1] > 1
:11 <= expected min, max, sum <= claim "x" median(cycles) > 1
:17 <= got the end of the line, expected <, [>] <= claim "x" cycles
:19 <= got the end of the line, expected a number <= claim "x" cycles >
:25 <= got "0.5", expected a factor <= claim "x" cycles within 0.5 of 1
:7 <= got "x", expected what it is, in quotation marks <= claim x
:22 <= got "or", expected the end <= claim "x" cycles < 1 or cycles > 2
:17 <= expected a name that "paper" has numbers for <= claim "x" paper(cycles) > 1
:7 <= expected a name that "let" or "table" gives <= paper cycles 3
 <= why: expected a line "claim" before <= why so
 <= verdict: expected a line "claim" before <= verdict holds
 <= let: got nothing <= let
:5 <= expected a name that no let, table or line of values has <= let variant 3
 <= included here <= include missing
:111 <= fewer parentheses <= claim "x" $(printf '%300s' '' | tr ' ' '(')
TXT
runs <table
for word in 'claim "x" cycles > 1' 'table x "x" cycles' 'paper x 1'; do
	{ cat axes.part; echo "$word"; } >bad
	run 2 --study bad
	grep -q '^gputm-sim: bad:10: .*expected a line "source TEXT" before' err || complain "$word: $(cat err)"
done
run 2 --study axes.part --page page.md
grep -q 'axes.part says nothing of its results' err || complain "--page: $(cat err)"
run 2 --study study --page page
grep -q 'expected FILE.md' err || complain "--page page: $(cat err)"
exit $failed
