#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is seen of a run: slices of a track nest or follow one another, an arrow leads from the
# winner to each abort whose winner is known, and the run is what it is without.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)
trace_events=$(cd "$srcdir/tests" && pwd)/trace-events.awk
cd "$work" || exit 1

small="--workload hash-table --threads 1024 --set workload.buckets=64 --seed 3 --format csv"
nested="$kernels/nested.kernel"
# of SYSTEM: the arguments of its runs, in $of
of() {
	of="--system $1 $small"
	[ "$1" != local-tm ] || of='--system local-tm --workload local-hash --format csv'
}

# Two warps that want the same word: the one that aborts lost it to the other one.
awk 'BEGIN { for (i = 0; i < 64; i++) {
	word = i % 40 ? 131072 + 4096 * i : 74560
	for (k = 0; k < 3; k++)
		printf "t %d r%x=0 w%x=1\n", i, word, word
} }' >pair

seen='kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm ideal serial coarse-lock fine-lock local-tm'
series='kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle ideal serial coarse-lock fine-lock
	local-tm hetm pdom dwf tbc'
pairs='kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm ideal'
restart='ideal kilo-tm getm si-tm'
threads=512
[ "${GPUTM_TEST_SCALE:-}" != small ] || threads=128
{
	for system in $seen; do
		of $system
		echo "0 $of > $system.alone"
		echo "0 $of --trace-events $system.trace > $system.out"
		echo "same $system.alone $system.out"
	done
	of getm
	echo "0 $of --trace-events window.trace --window 3000:9000"
	echo "0 $of --trace-events only.trace --trace-only validation_unit,stall_buffer"
	echo "0 $of --trace-events vcd.trace --vcd vcd"
	echo '0 --system hetm --workload w1 --threads 4096 --set workload.kilobytes=64 --trace-events hetm.trace'
	for system in $series; do
		of $system
		case $system in
		hetm) of="--system hetm --workload w1 --threads 4096 --set workload.kilobytes=64 --format csv" ;;
		pdom) of="--kernel $nested --divergence pdom --format csv" ;;
		dwf | tbc) of="--kernel $nested --divergence $system --machine thesis-3 --format csv" ;;
		esac
		echo "0 $of --series 700 $system.series > $system.sums"
	done
	of getm
	echo "0 $of --series 100 part.series --window 1000:2000 --only '*.running,committed'"
	for machine in '' fermi; do
		of="--kernel $nested --divergence tbc-lcp ${machine:+--machine $machine} --format csv"
		of="$of --set block_priority.policy=rrb"
		echo "0 $of > tbc$machine.unseen"
		echo "0 $of --trace-events tbc$machine.trace --trace-only block_stack > tbc$machine.out"
		echo "same tbc$machine.unseen tbc$machine.out"
	done
	for system in $pairs; do
		for thread in 0 40; do
			why=pair.$system.$thread
			echo "0/1 --system $system --trace pair --why $thread > $why = $why"
		done
	done
	for system in $restart; do
		for attempt in 1 2; do
			echo "0 --system $system --workload queue --threads $threads --why 41.$attempt" \
				"> $system.attempt$attempt"
		done
	done
	# What a trace is not to show is looked at all the same.
	echo "0 $small --aborts all"
	echo "0 $small --aborts aborts --trace-events commit_unit.only --trace-only commit_unit"
	echo 'same all aborts'
	echo "1 $small --why 5 > others"
	queue='--system getm --workload queue --threads 256'
	echo "1 $queue --why 41.1000 --out report1 |~ ^Thread 41 has aborted [0-9]* attempts*: there" \
		'is no abort 1000, ask for an earlier one[.]$'
	echo "1 $queue --why 41 --window 1:2 --out report2 |~ ^Thread 41 has aborted no attempt in the" \
		'window, and no other thread has[.]$'
	echo "1 $queue --why 41.1000 --window 1:900000 --out report3 |~ ^Thread 41 has aborted [0-9]*" \
		'attempts* in the window: there is no abort 1000'
	for to in trace-events vcd 'series 100'; do
		echo "1 $queue --$to empty --window 90000000:90000001 --out report4.${to%% *} 2> err.${to%% *}"
	done
	echo '1 --system getm --workload bank --threads 64 --set workload.accounts=1000000 --why 5' \
		'--out report5 |~ ^Thread 5 has aborted no attempt, and no other thread has[.]$'
	echo "0 $queue --why 41 |~ ^Where: word [a-z]*\\[[0-9]*\\] \\(0x80000[0-9a-f]*\\) of partition " \
		'|~ ^Where: .* The kernel reads it in line [0-9]'
} >table
runs <table

# A trace has slices that nest, and arrows.
case_traces() {
	set --
	for system in $seen; do
		set -- "$@" $system.trace
	done
	set -- "$@" window.trace only.trace vcd.trace hetm.trace
	cat "$@" | "$tests/json-lint" $# || complain 'traces: no JSON'
	awk -f "$trace_events" "$@" >found || complain "$(grep WRONG found | head -3)"
	while read -r trace events _ slices _ aborts _ won _ arrows _; do
		wanted=100
		case $trace in
		window.trace) wanted=50 ;;
		only.trace | hetm.trace) continue ;;
		*lock.trace | serial.trace | vcd.trace) ;;
		*) [ "$arrows" -gt 20 ] || complain "$trace: $arrows arrows of $aborts aborts" ;;
		esac
		[ "$slices" -gt $wanted ] || complain "$trace: $slices slices of $events events"
	done <found
	# Values that are compared tell who won, always; nothing is outside a window, and it has what the
	# whole run has there; units that are asked for are told, and warps then not.
	awk '
		FILENAME == "kilo-tm.trace" && /"abort: / && !/"lost"/ { print "kilo-tm: an abort has no winner" }
		FILENAME == "window.trace" && /"ph":"[Xi]"/ {
			match($0, /"ts":[0-9]+/); ts = substr($0, RSTART + 5, RLENGTH - 5)
			if (ts < 3000 || ts >= 9000) print "outside of the window: " $0
		}
		FILENAME == "only.trace" {
			answers += /"name":"answer","args":\{"instance":[0-5],"tag":"[0-9]*","outcome":"/
			if (/"execute"/) print "--trace-only: warps are told, too"
		}
		FILENAME == "hetm.trace" { states += /"name":"state","args":{"instance":0,"state":"/ }
		FILENAME == "commit_unit.only" && /"name":"abort: / { print "--trace-only commit_unit: " $0 }
		END {
			if (!answers) print "--trace-only: no events of the validation units"
			if (!states) print "hetm: no states"
		}' kilo-tm.trace window.trace only.trace hetm.trace commit_unit.only >wrong
	[ ! -s wrong ] || complain "$(head -1 wrong)"
}

# A series adds up to the report, of every system, whatever the step.
case_series() {
	set --
	for system in $series; do
		set -- "$@" $system.series $system.sums
	done
	awk -F , '
		function end_of_file() {
			if (file ~ /sums$/ && compared < 12)
				print file ": " compared + 0 " figures only"
		}
		FNR == 1 {
			end_of_file()
			file = FILENAME
			if (file ~ /series$/) {
				split("", sum); last = compared = 0
			}
			next
		}
		file ~ /series$/ {
			if ($4 == "change") sum[$2 "," $3] += $5
			if ($1 < last) print file ": cycle " $1 " after " last
			last = $1
			next
		}
		($2 "," $4) in sum {
			if (sum[$2 "," $4] != $5)
				print file ": " $2 "." $4 ": " sum[$2 "," $4] " in steps, " $5 " in the report"
			compared++
		}
		END { end_of_file() }' "$@" >wrong
	[ ! -s wrong ] || complain "series: $(head -1 wrong)"
	awk -F , 'NR > 1 && ($1 < 1000 || $1 > 2000 || $2 $3 !~ /running$|^committed$/) { print; exit }
		END { if (NR < 2) print "nothing" }' part.series >wrong
	[ ! -s wrong ] || complain "a series has what is not in its window or not asked for: $(cat wrong)"

	# A mechanism's core that is looked at tells all events of its units.
	awk -F , '
		FNR == 1 { file = FILENAME; sub(/[.].*/, "", file) }
		FILENAME ~ /trace$/ { told[file] += /"name":"admit"/; next }
		$2 == "block_stack" && $4 == "warps_admitted" { warps[file] = $5 }
		END {
			for (file in warps) {
				files++
				if (warps[file] <= 1000 || warps[file] != told[file])
					print file, warps[file], told[file] + 0
			}
			if (files != 2)
				print "no block stacks"
		}' tbc.trace tbcfermi.trace tbc.out tbcfermi.out >wrong
	[ ! -s wrong ] || complain "events of block stacks: $(cat wrong)"

	# Signals: declared, in order of time, never more warps in transactions than there may be, and as
	# many back-offs as a trace of the run has.
	awk '
		FILENAME ~ /trace$/ { backoffs += /"name":"back-off"/; next }
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
		}' vcd.trace vcd >wrong
	[ ! -s wrong ] || complain "vcd: $(head -1 wrong)"
	! have vcd2fst || vcd2fst vcd fst >vcd2fst.out 2>&1 || complain "$(cat vcd2fst.out)"
}

# --why tells who aborted, and why.
case_why() {
	set --
	for system in $pairs; do
		set -- "$@" pair.$system.0 pair.$system.40
	done
	awk '
		function end_of_file(    part) {
			if (file == "")
				return
			split(file, part, ".")
			aborted[part[2]] += !none
			if (none && line == 2 && status == 1)
				return
			if (none || status != 0 || line > 11 || !where || won != 40 - part[3])
				print file ": exit " status ", won " won ", " line " lines"
		}
		FNR == 1 {
			end_of_file()
			file = FILENAME
			none = /^Thread [0-9]* has aborted no attempt; o.* thread/
			if (!none && !/^Thread /) print file ": " $0
			where = 0; won = ""
		}
		/^Where: word 0x[0-9a-f]*12340 / { where = 1 }
		/^Who won: thread [0-9]+ / { won = $4 }
		{ status = $0; line = FNR }
		END {
			end_of_file()
			for (sys in aborted) {
				systems++
				if (!aborted[sys]) print sys ": nobody aborted"
			}
			if (systems != 8) print systems " systems"
		}' "$@" >wrong
	[ ! -s wrong ] || complain "--why: $(cat wrong)"

	# An attempt that begins again does so when the back-off before it is over, if there is one.
	for system in $restart; do
		set -- "$@" $system.attempt1 $system.attempt2
	done
	shift 14
	awk '
		function after(text) {
			return match(all, text " [0-9]+") ? substr(all, RSTART + length(text) + 1, RLENGTH) + 0 : ""
		}
		function end_of_file() {
			if (file ~ /1$/)
				until = after(" the back-off of its warp lasted until cycle")
			if (file !~ /2$/)
				return
			begun = after(" begun at cycle")
			if (begun == "" || (until != "" && until != begun) || (until == "" && file !~ /^ideal/))
				print file ": a back-off until " until ", and begun at " begun
		}
		FNR == 1 { end_of_file(); file = FILENAME; all = "" }
		{ all = all " " $0 }
		END { end_of_file() }' "$@" >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
	for report in report1 report2 report3 report4.trace-events report4.vcd report4.series report5; do
		[ -s $report ] || complain "--why or --window: no $report"
	done
	# A window after the end: the message has the cycle of the report.
	awk '/^ *cycles  *[0-9,]* / && FILENAME !~ /^err/ && !((substr(FILENAME, 9)) in cycle) { gsub(/,/, "", $2); cycle[substr(FILENAME, 9)] = $2 }
		FILENAME ~ /^err/ && match($0, /--window: the run ended at cycle [0-9]+, before the window/) {
			told[substr(FILENAME, 5)] = substr($0, RSTART + 33, RLENGTH - 51) + 0
		}
		END { for (to in cycle) if (cycle[to] != told[to] || !told[to]) print to, cycle[to], told[to]
			for (to in cycle) n++
			if (n != 3) print n + 0 " reports" }' \
		report4.trace-events report4.vcd report4.series err.trace-events err.vcd err.series >wrong
	[ ! -s wrong ] || complain "a window after the end: $(cat wrong)"
	# The threads that are named instead have aborted.
	thread=$(sed -n 's/^Thread 5 has aborted no attempt; others have, such as threads [0-9]*, [0-9]*, [0-9]* and \([0-9]*\)[.]$/\1/p' others)
	[ -n "$thread" ] || complain "--why 5: $(cat others)"
	{
		echo "0 $small --why $thread --out report6"
		echo "0 $small --why $thread --out - | Thread $thread | committed"
	} >table

	# What is told of an abort is what the trace has, and the list of aborts.
	# Where the thread is named for all that lost: the word, the winner and the cycle of the abort; when
	# the winner acted its attempt ran; and the unit that found out has an event of that cycle which says
	# so. A row for each abort of the report, with a word and a winner that --why tells, too.
	abort_systems='kilo-tm warptm-tcd getm si-tm ideal local-tm'
	set --
	for system in $abort_systems; do
		of $system
		case $system in
		kilo-tm | warptm-tcd) units=,commit_unit ;;
		getm) units=,validation_unit ;;
		si-tm) units=,writer_table,timestamp_table,reader_list,version_table ;;
		local-tm) units=,local_tm ;;
		*) units= ;;
		esac
		echo "0 $of --trace-events $system.lost --trace-only warps$units --only aborted --aborts" \
			"$system.aborts > $system.aborted"
		set -- "$@" $system.aborts $system.aborted $system.lost
	done >>table
	runs <table
	grep -q committed report6 || complain "--why --out: no report"
	awk -f "$trace_events" *.lost >found || complain "$(grep WRONG found | head -3)"

	# From these files the runs with --why: of three aborts of each trace, and of one of each list.
	for system in $abort_systems; do
		of $system
		echo "$system 0 $of"
	done >arguments
	awk -v whys=whys '
		function system_of(name) { sub(/[.].*/, "", name); return name }
		# which abort of the thread is that of the cycle?
		function nth(sys, thread, cycle,    n) {
			for (n = 1; n <= aborts[sys, thread]; n++)
				if (at[sys, thread, n] == cycle)
					return n
			print "--aborts has no abort of thread " thread " at cycle " cycle " of " sys
			return 1
		}
		FILENAME == "arguments" { name = $1; sub(/^[^ ]* /, ""); run[name] = $0; next }
		FNR == 1 { sys = system_of(FILENAME); lost = 0 }
		FILENAME ~ /aborts$/ {
			if (FNR == 1)
				next
			split($0, f, ",")
			rows[sys]++
			at[sys, f[2], ++aborts[sys, f[2]]] = f[1]
			if (sys in chosen || f[9] == "" || f[13] == "")
				next
			chosen[sys] = 1
			if (f[9] !~ /^0x|\[.*\]/)
				print sys " --aborts: a word " f[9]
			print run[sys] " --why " f[2] "." aborts[sys, f[2]] " |~ ^Thread " f[2] \
				" \\(core " f[3] ", warp " f[4] ", lane " f[5] "\\) aborted attempt " f[6] \
				" .*begun at cycle " f[7] ", at cycle " f[1] ",.*Reason: " f[8] "\\.$ |~ ^Where: word .*" \
				f[10] (f[11] == "" ? "" : " | found by " f[11] " " f[12] " at") \
				" |~ ^Who won: thread " f[13] " " >whys
			next
		}
		FILENAME ~ /aborted$/ {
			if (sub(/^[^,]*,,,aborted,/, "") && $0 != rows[sys])
				print sys " --aborts: " rows[sys] " rows of " $0
			compared += FNR == 1
			next
		}
		/"name":"abort: / {
			match($0, /"ts":[0-9]+/); ts = substr($0, RSTART + 5, RLENGTH - 5)
			while (match($0, /"thread [0-9]+ at [^"]*"/)) {
				split(substr($0, RSTART + 1, RLENGTH - 2), w, /[ ,]+/)
				$0 = substr($0, RSTART + RLENGTH)
				lost++
				if (lost != 3 && lost != 9 && lost != 20)
					continue
				n = nth(sys, w[2], ts)
				k++
				print run[sys] " --why " w[2] "." n " > why." k " | , at cycle " ts ", in stage " >whys
				print k, sys, w[2], w[4], w[6] >"lost"
				found[sys] = 1
			}
		}
		END {
			for (sys in run)
				if (!(sys in chosen) || !(sys in found))
					print sys ": no abort has a winner"
			if (compared != 6)
				print compared + 0 " reports"
		}' arguments "$@" >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
	runs <whys
	set --
	while read -r k _; do
		set -- "$@" why.$k
	done <lost
	awk '
		function after(text) {
			return match($0, text " [0-9]+") ? substr($0, RSTART + length(text) + 1) + 0 : -1
		}
		FILENAME == "lost" { sys[$1] = $2; thread[$1] = $3; word[$1] = $4; winner[$1] = $5; all = $1; next }
		FNR == 1 { k = substr(FILENAME, 5); of = FILENAME; sub(/[.].*/, "", of) }
		FILENAME ~ /^why/ {
			if (/^Thread/) { sub(/.*, at/, "at"); aborts[k] = after("at cycle") }
			if (/^Where/) {
				found[k] = after("at cycle")
				if (match($0, /by [a-z_]+ [0-9]+/)) {
					split(substr($0, RSTART, RLENGTH), part, " ")
					unit[k] = part[2]; instance[k] = "\"instance\":" part[3] ","
				}
				place[k] = $0 ~ "word ([^ ]* [(])?" word[k] "[,) ]"
			}
			if (/^Who/) { acted[k] = after("at cycle"); won[k] = after("thread") }
			if (/^The winner/) { from[k] = after("from cycle"); to[k] = after(" to") }
			next
		}
		{
			for (k = 1; k <= all; k++)
				if (sys[k] == of && unit[k] && index($0, "\"ts\":" found[k]) && \
				    index($0, instance[k]) && \
				    (index($0, "\"" word[k] "\"") || /"outcome":"abort"|loop|"conflict"/))
					told[k]++
		}
		END {
			for (k = 1; k <= all; k++)
				if (!place[k] || won[k] != winner[k] || found[k] > aborts[k] || \
				    acted[k] > found[k] || acted[k] < from[k] || acted[k] > to[k] || \
				    (unit[k] && !told[k]))
					print sys[k], thread[k], word[k], winner[k], "at", aborts[k] ": found", \
						found[k], "by", unit[k], "winner", won[k] + 0, "acted", acted[k], \
						"in", from[k] "-" to[k], told[k] + 0
			if (all < 12)
				print all + 0 " aborts"
		}' lost "$@" *.lost >wrong || complain 'awk fails'
	[ ! -s wrong ] || complain "--why: $(cat wrong)"
}

# What is refused leaves no file.
case_refused() {
	refused '--window: got "5:5", expected A:B, cycles with A below B' --trace-events new --window 5:5
	[ ! -e new ] || complain '--window: has left a file'
	new='--trace-events new'
	runs <<TABLE
2 $new --window 5 : --window: got "5", expected
2 $new --window 1:x : --window: got "1:x", expected
2 $new --trace-only commit : --trace-only: got "commit", expected some of: warps,simt_stack
2 --window 1:2 : expected --trace-events FILE, --series N FILE, --vcd FILE, --aborts FILE or --why
2 --system hetm --workload w1 --why 5 : hetm undoes rounds and not threads
2 --system hetm --workload w1 --aborts new : hetm undoes rounds and not threads
2 --vcd new --kernel hammock : they show transactions, expected --system too
2 $new --kernel hammock : expected --trace-only ROLE,... or --system too
2 $new --kernel $nested --trace-only warps : got "warps", expected some of: simt_stack,access_coalescer
2 $new --set machine.swap_units_every=100 : expected 0 with --trace-events
2 $new --study x : expected only --jobs
2 --series 0 new : --series: got "0", expected a number of cycles 1
2 --series 10 : --series: got 1 word, expected N FILE
2 $new --series 10 no --only cycles : --series: got --only "cycles", expected a counter or a gauge
absent no
2 --why x : --why: got "x", expected THREAD or THREAD.N
2 --why 1.0 : --why: got "1.0", expected THREAD or THREAD.N
2 $small --why 1024 : --why: got "1024", expected a thread 0 .. 1023
2 $new --series 10 new : which is the file of --series too
absent new
TABLE
}
cases "$@"
