#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is seen of a run: slices of a track nest or follow one another, an arrow leads from the
# winner to each abort whose winner is known, and the run is what it is without.
. "${srcdir:-.}/tests/build/sim.sh"

# trace ARGUMENT...: the run, seen; what there was in the trace is in $found.
trace() {
	run 0 "$@" --trace-events "$work/trace"
	"${top_builddir:-.}/tests/json-lint" <"$work/trace" >/dev/null || complain "$*: no JSON"
	found=$(awk -v order="$work/order" -f "$srcdir/tests/trace-events.awk" "$work/trace") ||
		complain "$*: $found"
}

number() {
	echo "$found" | sed -n "s/.*[^0-9]\([0-9]*\) $1.*/\1/p"
}

small="--workload hash-table --threads 1024 --set workload.buckets=64 --seed 3 --format csv"
local="--workload local-hash --format csv"
nested="$srcdir/examples/kernels/nested.kernel"
for system in kilo-tm warptm warptm-tcd warptm-el getm si-tm ideal coarse-lock \
	fine-lock local-tm; do
	of=$small
	[ $system != local-tm ] || of=$local
	run 0 --system $system $of
	cp "$work/out" "$work/alone"
	trace --system $system $of
	cmp -s "$work/out" "$work/alone" ||
		complain "$system: the report of a run that is seen is another one"
	case $system in
	*lock) ;;
	*) [ "$(number arrows)" -gt 20 ] || complain "$system: $found, expected arrows" ;;
	esac
	[ "$(number slices)" -gt 100 ] || complain "$system: $found, expected slices"
done

# Values that are compared tell who won, always.
trace --system kilo-tm $small
! grep '"abort: ' "$work/trace" | grep -qv '"lost"' || complain "kilo-tm: an abort has no winner"

# A window: nothing is outside it, and it has what the whole run has there.
trace --system getm $small --window 3000:9000
awk '/"ph":"[Xi]"/ { match($0, /"ts":[0-9]+/); ts = substr($0, RSTART + 5, RLENGTH - 5)
		if (ts < 3000 || ts >= 9000) print "outside: " $0 }' "$work/trace" >"$work/outside"
[ ! -s "$work/outside" ] || complain "$(head -1 "$work/outside")"
[ "$(number slices)" -gt 50 ] || complain "a window: $found, expected slices"
trace --system getm $small --trace-only validation_unit,stall_buffer
grep -q '"name":"answer","args":{"instance":[0-5],"tag":"[0-9]*","outcome":"' "$work/trace" ||
	complain "--trace-only: no events of the validation units"
! grep -q '"execute"' "$work/trace" || complain "--trace-only: warps are told, too"

# A series adds up to the report, of every system, whatever the step.
for system in kilo-tm warptm warptm-tcd warptm-el getm si-tm si-tm-oracle ideal coarse-lock fine-lock \
	local-tm hetm pdom dwf tbc; do
	case $system in
	local-tm) of="--system $system $local" ;;
	hetm) of="--system $system --workload w1" ;;
	pdom) of="--kernel $nested --divergence pdom" ;;
	dwf|tbc) of="--kernel $nested --divergence $system --machine thesis-3" ;;
	*) of="--system $system $small" ;;
	esac
	run 0 $of --format csv --series 700 "$work/series"
	awk -F , 'FNR == 1 { next }
		NR == FNR && $4 == "change" { sum[$2 "," $3] += $5 }
		NR == FNR && $1 < last { print "cycle " $1 " behind " last }
		NR == FNR { last = $1; next }
		($2 "," $4) in sum && sum[$2 "," $4] != $5 {
			print $2 "." $4 ": " sum[$2 "," $4] " in steps, " $5 " in the report"
		}
		($2 "," $4) in sum { compared++ }
		END { if (compared < 12) print compared + 0 " figures only" }' \
		"$work/series" "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$system: $(head -1 "$work/wrong")"
done
run 0 --system getm $small --series 100 "$work/series" --window 1000:2000 --only '*.running,committed'
awk -F , 'NR > 1 && ($1 < 1000 || $1 > 2000 || $2 $3 !~ /running$|^committed$/)' "$work/series" |
	grep -q . && complain "a series has what is not in its window or not asked for"

# A mechanism's core that is looked at has the same cycles, and its units tell all their events.
for machine in '' '--machine fermi'; do
	of="--kernel $nested --divergence tbc-lcp $machine --format csv"
	run 0 $of --set block_priority.policy=rrb
	cp "$work/out" "$work/unseen"
	run 0 $of --set block_priority.policy=rrb --trace-events "$work/trace" --trace-only block_stack
	cmp -s "$work/out" "$work/unseen" || complain "seen, $machine: $(diff "$work/unseen" "$work/out")"
	awk -F , -v told="$(grep -c '"name":"admit"' "$work/trace")" \
		'$2 == "block_stack" && $4 == "warps_admitted" { warps = $5 }
		END { exit !(warps > 1000 && warps == told) }' "$work/out" ||
		complain "events of block stacks, $machine: $(cat "$work/out")"
done

# Signals: declared, in order of time, never more warps in transactions than there may be, and as
# many back-offs as a trace of the run has.
trace --system getm $small --vcd "$work/vcd"
awk -v backoffs="$(grep -c '"name":"back-off"' "$work/trace")" '
	/^\$var/ { name[$4] = $5; signals++ }
	/^#/ { now = substr($0, 2) + 0; if (now < last) print "time goes back to " now; last = now }
	/^b/ { value = 0; for (i = 2; i <= length($1); i++) value = 2 * value + substr($1, i, 1)
		if (name[$2] == "") print "no signal " $2
		if (name[$2] == "tx_throttle_running" && value > most) most = value
		if (name[$2] == "tx_throttle_running") running[$2] = value
		if (name[$2] == "validation_unit_pending" && value > pending) pending = value }
	/^s/ { if (name[$2] !~ /^warp_/) print "no warp " $2
		seen += $1 == "sback-off" }
	END { for (i in running) left += running[i]
		if (signals < 50 || most != 2 || left || seen != backoffs || !seen || pending < 2)
			print signals + 0, most + 0, left + 0, seen + 0, backoffs, pending + 0
	}' "$work/vcd" >"$work/wrong"
[ ! -s "$work/wrong" ] || complain "vcd: $(head -1 "$work/wrong")"
! have vcd2fst || vcd2fst "$work/vcd" "$work/fst" >"$work/err" 2>&1 || complain "$(cat "$work/err")"

# Two warps that want the same word: the one that aborts lost it to the other one.
awk 'BEGIN { for (i = 0; i < 64; i++) {
	word = i % 40 ? 131072 + 4096 * i : 74560
	for (k = 0; k < 3; k++)
		printf "t %d r%x=0 w%x=1\n", i, word, word
} }' >"$work/pair"
for system in kilo-tm warptm warptm-tcd warptm-el getm si-tm ideal; do
	lost=0
	for thread in 0 40; do
		"$sim" --system $system --trace "$work/pair" --why $thread >"$work/out" 2>"$work/err"
		case "$? $(cat "$work/out")" in
		"1 Thread $thread has aborted no attempt; o"*' thread'*) continue ;;
		'0 Thread '*) ;;
		*) complain "$system --why $thread: $(cat "$work/out" "$work/err")" ;;
		esac
		lost=$((lost + 1))
		[ "$(wc -l <"$work/out")" -le 10 ] || complain "--why: more than ten lines"
		grep -q "^Where: word 0x[0-9a-f]*12340 " "$work/out" &&
			grep -q "^Who won: thread $((40 - thread)) " "$work/out" ||
			complain "$system --why $thread: $(cat "$work/out")"
	done
	[ $lost -gt 0 ] || complain "$system --why: nobody aborted"
done

# What is told of an abort is what the trace has, where the thread is named for all that lost: the
# word, the winner and the cycle of the abort; when the winner acted its attempt ran; and the unit
# that found out has an event of that cycle which says so.
for of in "kilo-tm commit_unit" "warptm-tcd commit_unit" "getm validation_unit" \
	"si-tm writer_table,timestamp_table,reader_list,version_table" "local-tm local_tm" ideal; do
	set -- $of
	system=$1
	of=$small
	[ $system != local-tm ] || of=$local
	trace --system $system $of --trace-only "warps${2:+,$2}"
	awk '/"name":"abort: / {
			match($0, /"ts":[0-9]+/); ts = substr($0, RSTART + 5, RLENGTH - 5)
			while (match($0, /"thread [0-9]+ at [^"]*"/)) {
				split(substr($0, RSTART + 1, RLENGTH - 2), w, /[ ,]+/)
				print ts, w[2], w[4], w[6]
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$work/trace" | sed -n '3p;9p;20p' >"$work/lost"
	[ -s "$work/lost" ] || complain "$system: no abort has a winner"
	while read -r ts thread word winner; do
		for n in 1 2 3 4 5 6 7 8 none; do
			[ $n = none ] || run 0 --system $system $of --why $thread.$n
			! grep -q ", at cycle $ts, in stage " "$work/out" || break
		done
		awk -v thread="$thread" -v word="$word" -v winner="$winner" '
			function after(text) {
				if (!match($0, text " [0-9]+"))
					return -1
				return substr($0, RSTART + length(text) + 1) + 0
			}
			NR == FNR && /^Thread/ { sub(/.*, at/, "at"); aborts = after("at cycle") }
			NR == FNR && /^Where/ { found = after("at cycle")
				if (match($0, /by [a-z_]+ [0-9]+/))
					split(substr($0, RSTART, RLENGTH), unit, " ")
				if ($0 ~ "word ([^ ]* [(])?" word "[,) ]") place = 1 }
			NR == FNR && /^Who/ { acted = after("at cycle"); won = after("thread") }
			NR == FNR && /^The winner/ { from = after("from cycle"); to = after(" to") }
			NR > FNR && unit[2] && index($0, "\"ts\":" found) &&
				index($0, "\"instance\":" unit[3] ",") &&
				(index($0, "\"" word "\"") || /"outcome":"abort"|loop|"conflict"/) { told++ }
			END {
				if (!place || won != winner || found > aborts || acted > found ||
				    acted < from || acted > to || (unit[2] && !told))
					print thread, word, winner, "at", aborts ": found", found, "by", unit[2],
						"winner", won + 0, "acted", acted, "in", from "-" to, told + 0
			}' "$work/out" "$work/trace" >"$work/wrong" || echo awk fails >"$work/wrong"
		[ ! -s "$work/wrong" ] || complain "$system --why $thread.$n: $(cat "$work/wrong")"
	done <"$work/lost"
done
trace --system hetm --workload w1 --threads 4096
grep -q '"name":"phase","args":{"instance":0,"phase":"' "$work/trace" || complain "hetm: no phases"
# A row for each abort of the report, with a word and a winner that --why tells, too.
for of in kilo-tm warptm-tcd getm si-tm ideal local-tm; do
	set -- --system $of $small
	[ $of != local-tm ] || set -- --system local-tm $local
	run 0 "$@" --aborts "$work/aborts" --only aborted --format csv
	[ "$(($(wc -l <"$work/aborts") - 1))" = "$(sed -n 's/^[^,]*,,,aborted,//p' "$work/out")" ] ||
		complain "$of --aborts: $(wc -l <"$work/aborts") rows of $(cat "$work/out")"
	IFS=, read -r cycle thread core warp lane attempt begin reason word address unit instance \
		winner more <<-EOF
		$(awk -F , 'NR > 1 && $9 && $13 && !seen[$2]++' "$work/aborts" | head -1)
	EOF
	for n in 1 2 3 4 5 6 7 8; do
		run 0 "$@" --why $thread.$n
		! grep -q ", at cycle $cycle, in stage " "$work/out" || break
	done
	for text in "^Thread $thread (core $core, warp $warp, lane $lane) aborted attempt $attempt " \
		"begun at cycle $begin, at cycle $cycle,.*Reason: $reason\\.\$" \
		"^Where: word .*$address" "${unit:+found by $unit $instance }" "^Who won: thread $winner "; do
		grep -q "$text" "$work/out" || complain "$of --aborts: no \"$text\" in $(cat "$work/out")"
	done
	case $word in 0x* | *'['*']'*) ;; *) complain "$of --aborts: a word $word" ;; esac
done
# What a trace is not to show is looked at all the same.
run 0 $small --aborts "$work/all"
run 0 $small --aborts "$work/aborts" --trace-events "$work/trace" --trace-only commit_unit
cmp -s "$work/all" "$work/aborts" || complain "--trace-only changes --aborts"
! grep -q '"name":"abort: ' "$work/trace" || complain "--trace-only commit_unit: warps in the trace"
# The threads that are named instead have aborted.
"$sim" $small --why 5 >"$work/out" 2>"$work/err"
thread=$(sed -n 's/^Thread 5 has aborted no attempt; others have, such as threads [0-9]*, [0-9]*, [0-9]* and \([0-9]*\)[.]$/\1/p' "$work/out")
[ -n "$thread" ] || complain "--why 5: $(cat "$work/out" "$work/err")"
run 0 $small --why $thread --out "$work/report"
grep -q committed "$work/report" || complain "--why --out: no report"
# unanswered ARGUMENT...: exit 1, the report written, and this said
unanswered() {
	rm -f "$work/report"
	"$sim" --system getm "$@" --out "$work/report" >"$work/out" 2>"$work/err" </dev/null
	[ $? -eq 1 ] && [ -s "$work/report" ] || complain "gputm-sim $*: $(cat "$work/out" "$work/err")"
}
unanswered --workload queue --threads 256 --why 41.1000
grep -q '^Thread 41 has aborted [0-9]* attempts*: there is no abort 1000, ask for an earlier one[.]$' "$work/out" ||
	complain "--why 41.1000: $(cat "$work/out")"
unanswered --workload queue --threads 256 --why 41 --window 1:2
grep -q '^Thread 41 has aborted no attempt in the window, and no other thread has[.]$' "$work/out" ||
	complain "--why in a window: $(cat "$work/out")"
unanswered --workload queue --threads 256 --why 41.1000 --window 1:900000
grep -q '^Thread 41 has aborted [0-9]* attempts* in the window: there is no abort 1000' "$work/out" ||
	complain "--why 41.1000 in a window: $(cat "$work/out")"
for to in trace-events vcd 'series 100'; do
	unanswered --workload queue --threads 256 --$to "$work/empty" --window 90000000:90000001
	grep -q -- "--window: the run ended at cycle $(sed -n \
		's/^ *cycles  *\([0-9,]*\) .*/\1/p' "$work/report" | tr -d ,), before the window" "$work/err" ||
		complain "a window behind the end: $(cat "$work/err")"
done
unanswered --workload bank --threads 64 --set workload.accounts=1000000 --why 5
grep -q '^Thread 5 has aborted no attempt, and no other thread has[.]$' "$work/out" ||
	complain "--why without aborts: $(cat "$work/out")"
# An attempt that begins again does so when the back-off before it is over, if there is one.
for system in ideal kilo-tm getm si-tm; do
	for attempt in 1 2; do
		run 0 --system $system --workload queue --threads 512 --why 41.$attempt
		tr '\n' ' ' <"$work/out" >"$work/why.$attempt"
	done
	until=$(sed -n 's/.* the back-off of its warp lasted until cycle \([0-9]*\).*/\1/p' "$work/why.1")
	begun=$(sed -n 's/.* begun at cycle \([0-9]*\).*/\1/p' "$work/why.2")
	[ "${until:-$begun}" = "$begun" ] && [ -n "$begun" ] ||
		complain "$system: a back-off until $until, and begun at $begun"
	[ $system = ideal ] || [ -n "$until" ] || complain "$system: no back-off"
done
run 0 --system getm --workload queue --threads 256 --why 41
grep -q '^Where: word [a-z]*\[[0-9]*\] (0x80000[0-9a-f]*) of partition ' "$work/out" ||
	complain "--why: no name of a word: $(cat "$work/out")"
grep -q '^Where: .* The kernel reads it in line [0-9]' "$work/out" || complain "--why: no line: $(cat "$work/out")"
run 0 $small --why $thread --out -
grep -q "Thread $thread" "$work/out" && grep -q committed "$work/out" || complain "--why --out -: $(cat "$work/out")"

# no_file TEXT ARGUMENT...: refused, and no file is left
no_file() {
	rm -f "$work/new"
	refused "$@"
	[ ! -e "$work/new" ] || complain "gputm-sim $*: has left a file"
}
new="--trace-events $work/new"
no_file '--window: got "5:5", expected A:B, cycles with A below B' $new --window 5:5
no_file '--window: got "5", expected' $new --window 5
no_file '--window: got "1:x", expected' $new --window 1:x
no_file '--trace-only: got "commit", expected some of: warps,simt_stack' $new --trace-only commit
no_file 'expected --trace-events FILE, --series N FILE, --vcd FILE, --aborts FILE or --why' --window 1:2
no_file 'hetm undoes rounds and not threads' --system hetm --workload w1 --why 5
no_file 'hetm undoes rounds and not threads' --system hetm --workload w1 --aborts "$work/new"
no_file 'they show transactions, expected --system too' --vcd "$work/new" --kernel hammock
no_file 'expected --trace-only ROLE,... or --system too' $new --kernel hammock
no_file 'got "warps", expected some of: simt_stack,coalescer' $new --kernel "$nested" \
	--trace-only warps
no_file 'expected 0 with --trace-events' $new --set machine.swap_units_every=100
no_file 'expected only --jobs' $new --study x
no_file '--series: got "0", expected a number of cycles 1' --series 0 "$work/new"
no_file '--series: got 1 word, expected N FILE' --series 10
no_file '--series: got --only "cycles", expected a counter or a gauge' $new --series 10 "$work/no" \
	--only cycles
[ ! -e "$work/no" ] || complain '--series of no figure: a file'
no_file '--why: got "x", expected THREAD or THREAD.N' --why x
no_file '--why: got "1.0", expected THREAD or THREAD.N' --why 1.0
no_file '--why: got "1024", expected a thread 0 .. 1023' $small --why 1024
no_file 'which is the file of --series too' $new --series 10 "$work/new"
exit $failed
