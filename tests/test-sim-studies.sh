#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Studies: points, their order whatever runs them, shards, results that are gone on with, and what
# is refused before anything runs.
. "${srcdir:-.}/tests/build/sim.sh"
manual=$(cd "$srcdir/man" && pwd)
cd "$work" || exit 1

# same FILE: what all.jsonl has
same() {
	cmp -s all.jsonl "$1" || complain "$2: other bytes than one run"
}

cat >points <<'TXT'
# A system that knows neither the limit nor the setting, and a value that is refused.
system getm fine-lock kilo-tm
workload bank
threads 32 64   # few
zip set workload.accounts 64 128
set validation_unit.warp_bits 10 11 1
concurrency 8
seed 1..5
tell cycles aborted stall_buffer.no_line
TXT

run 1 --study points --jobs 1 --out all.jsonl
[ ! -s out ] || complain '--out: standard output is not empty'
grep -q '^gputm-sim: 10 of 50 points failed; .* point [0-9]*: [a-z]' err || complain "failures: $(cat err)"

# Each point is a line, in order.
case_points() {
	reason='validation_unit: warp_bits = 1 is outside 10 .. 16, as the machine has more warps'
	[ "$(wc -l <all.jsonl)" -eq 50 ] || complain "$(wc -l <all.jsonl) points and not 30 + 10 + 10"
	"$tests/json-lint" 50 <all.jsonl || complain 'no JSON'
	awk '
		!index($0, "\"run\":" NR ",\"of\":50,") { print NR ": not in order" }
		/"point.system":"fine-lock"/ && /"point.validation_unit.warp_bits":"-","point.concurrency":"-",/ { fine++ }
		/"point.system":"kilo-tm"/ && /"point.concurrency":8,.*"point.validation_unit.warp_bits":"-"/ { kilo++ }
		/"point.threads":32,.*"point.workload.accounts":128/ { print "zip multiplies" }
		/"point.system":"getm"/ && !getm++ {
			if (!/"cycles":[0-9]*,"aborted":[0-9]*,"stall_buffer.no_line":[0-9]*[}]$/) print "tell: " $0
		}
		/"failed"/ {
			failed++
			if (!index($0, "\"failed\":\"" reason "\"")) print "a failure without its reason: " $0
		}
		END {
			if (fine != 10) print "fine-lock: its limit and warp bits are not \"-\""
			if (kilo != 10) print "kilo-tm: its warp bits are not \"-\""
			if (failed != 10) print failed + 0 " failures and not 10"
		}' reason="$reason" all.jsonl >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
	# Each is what a run of its own gives, but for the names of the study.
	for run in 2 17 44; do
		sed -n "${run}p" all.jsonl >line
		run 0 --config line --only cycles,aborted --format jsonl
		[ "$(sed 's/.*"cycles"/"cycles"/; s/,"stall_buffer.*/}/' line)" = "$(sed 's/.*"cycles"/"cycles"/' out)" ] ||
			complain "point $run: $(cat out) and not $(cat line)"
	done
	# The command of a point that failed fails likewise.
	command=$(sed -n 's/.*"command":"gputm-sim \([^"]*\)".*/\1/p' all.jsonl | head -1)
	# shellcheck disable=SC2086
	run 2 $command
	grep -qF "$reason" err || complain "the command of a failure: $command: $(cat err)"
}

# The bytes are the same, whoever runs the points.
case_same() {
	run 1 --study points --jobs 3
	same out '--jobs 3'
	for shard in 6 2 7 1 4 3 5; do
		echo "0/1 --study points --shard $shard/7 --jobs 2 --out shard$shard"
	done >table
	runs <table
	run 1 --merge shard3 shard7 shard1 shard5 shard2 shard6 shard4
	same out 'seven shards'
	cat shard[1-7] >shards
	run 1 --merge shards shard2 --out merged
	same merged 'shards in one file'
	run 1 --merge shard1 shard2 shard4 shard5 shard6 shard7 --out absent
	grep -q -- '--merge: 7 of 50 points are missing: 3 10 17' err || complain "missing points: $(cat err)"
	[ ! -e absent ] || complain 'a merge that lacks points has written a file'
	[ "$("$sim" --study points --shard 50/51 | wc -l) $("$sim" --study points --shard 51/51 | wc -l)" = '1 0' ] ||
		complain 'shards of one point and of none'

	# A worker that keeps its units from point to point, and one for each point that has none to keep.
	cat >mixed <<'TXT'
workload bank
threads 96
system warptm-tcd getm si-tm
concurrency 1 8
set machine.warps 8 12
seed 1 2
tell *
TXT
	run 0 --study mixed --jobs 1 --report instances --out kept.jsonl
	points=$(wc -l <kept.jsonl)
	[ "$points" -eq 24 ] || complain "$points points and not 24"
	awk -v points="$points" 'BEGIN {
		for (point = 1; point <= points; point++)
			print "0 --study mixed --jobs 1 --shard " point "/" points " --report instances >> made.jsonl"
	}' >table
	runs <table
	cmp -s kept.jsonl made.jsonl || complain "units kept: other bytes than units made anew"
}

# A result has the names of a "call"; what its system ignores is told from what the point does not set.
case_calls() {
	cat >called <<'TXT'
call variant few 2 none
zip system getm getm fine-lock
zip set validation_unit.stall_lines 4 - 4
workload bank
threads 32
tell cycles
TXT
	run 0 --study called --jobs 1 --out called.jsonl
	sed 's/.*"point.seed":1,//; s/"cycles.*//' called.jsonl >got
	cat >wanted <<'TXT'
"point.validation_unit.stall_lines":4,"point.variant":"few",
"point.variant":2,"point.validation_unit.stall_lines":null,
"point.variant":"none","point.validation_unit.stall_lines":"-",
TXT
	cmp -s got wanted || complain "what a point names: $(cat got)"
	# A result is a config, whatever names its study has.
	for run in 1 2 3; do
		sed -n "${run}p" called.jsonl >line
		run 0 --config line --only cycles --format jsonl
		[ "$(sed 's/.*"cycles"/"cycles"/' line)" = "$(sed 's/.*"cycles"/"cycles"/' out)" ] ||
			complain "point $run: $(cat out) and not $(cat line)"
	done
}

# The files that a study names lie in its folder, wherever the program is called.
case_paths() {
	kernels=$(cd "$OLDPWD" && cd "$srcdir/examples/kernels" && pwd)
	mkdir -p far/parts
	cp "$kernels/privatisation.kernel" "$kernels/litmus.macros" far/parts
	printf 'one two three four\n' >far/words
	printf 'include parts/which.part\nzip threads - 4\n' >far/own.study
	printf 'workload ./privatisation.kernel hash-table\nzip keys - ../words\n' >far/parts/which.part
	run 0 --study far/own.study --report roles --jobs 1 --out here.jsonl
	(cd far && run 0 --study own.study --report roles --jobs 1 --out ../there.jsonl; exit "$failed") || failed=1
	cmp -s here.jsonl there.jsonl || complain "other bytes in another folder: $(diff here.jsonl there.jsonl)"
	grep -q '"point.workload":"./privatisation.kernel",.*"point.keys":null' here.jsonl &&
		grep -q '"point.keys":"../words".*"config.keys":"../words"' here.jsonl ||
		complain "names of files: $(cut -c 1-300 here.jsonl)"
	# The command of a failure is for this folder.
	printf 'workload ./privatisation.kernel\nset commit_unit.ring 16 960\n' >far/parts/bad.study
	run 1 --study far/parts/bad.study --jobs 1
	grep -q '"point.workload":"./privatisation.kernel".*"command":"gputm-sim --system kilo-tm --workload far/parts/./privatisation.kernel' out ||
		complain "the command of a failure: $(cat out)"
	printf 'workload ./none.kernel\nseed 1\n' >far/none.study
	run 2 --study far/none.study
	grep -q 'far/./none.kernel' err || complain "a kernel that is not there: $(cat err)"
}

# What a study runs, in both forms.
case_axes() {
	cat >two.study <<'TXT'
call variant few many
zip system getm kilo-tm
zip set validation_unit.stall_lines 4 -
workload bank
concurrency 1 inf
quick concurrency 2
quick threads 32
seed 0x10 17
quick check
tell cycles
tell aborted traffic.*
TXT
	cat >wanted <<'TXT'
{"study":"two",
"full":{"points":8,"check":false,"conflicts":false,"tell":["cycles","aborted","traffic.*"],"axes":[
{"name":"variant","kind":"call","zipped":false,"values":["few","many"]},
{"name":"system","kind":"option","zipped":true,"values":["getm","kilo-tm"]},
{"name":"validation_unit.stall_lines","kind":"set","zipped":true,"values":[4,null]},
{"name":"workload","kind":"option","zipped":false,"values":["bank"]},
{"name":"concurrency","kind":"option","zipped":false,"values":[1,"inf"]},
{"name":"seed","kind":"option","zipped":false,"values":[16,17]}]},
"quick":{"points":4,"check":true,"conflicts":false,"tell":["cycles","aborted","traffic.*"],"axes":[
{"name":"variant","kind":"call","zipped":false,"values":["few","many"]},
{"name":"system","kind":"option","zipped":true,"values":["getm","kilo-tm"]},
{"name":"validation_unit.stall_lines","kind":"set","zipped":true,"values":[4,null]},
{"name":"workload","kind":"option","zipped":false,"values":["bank"]},
{"name":"concurrency","kind":"option","zipped":false,"values":[2]},
{"name":"threads","kind":"option","zipped":false,"values":[32]},
{"name":"seed","kind":"option","zipped":false,"values":[16,17]}]}}
TXT
	runs <<'TABLE'
0 --study two.study --axes > axes
2 --study two.study --axes --quick : --axes: nothing is run, and both forms are told
2 --study two.study --axes --format csv : --format: the axes of a study are told as JSON
2 --axes : --axes: it belongs to --study
2 --study points --axes --jobs 2 --out never
absent never
TABLE
	"$tests/json-lint" <axes || complain 'no JSON'
	[ "$(tr -d ' \n' <axes)" = "$(tr -d '\n' <wanted)" ] || complain "--axes: $(cat axes)"
	"$sim" --study - --axes <two.study >piped || complain 'the axes of standard input'
	[ "$(tail -n +3 piped)" = "$(tail -n +3 axes)" ] || complain "--axes of standard input: $(cat piped)"
}

# A study that was killed is gone on with.
case_killed() {
	# kill_at LINES SIGNAL [child]: run until the file has so many lines, then kill it or its worker
	kill_at() {
		"$sim" --study points --jobs 1 --resume part 2>err >out &
		pid=$!
		# A shell that is not yet the program would take the signal with the traps of this one.
		until grep -q gputm-sim "/proc/$pid/comm" 2>/dev/null; do
			kill -0 $pid 2>/dev/null || break
		done
		while kill -0 $pid 2>/dev/null && [ "$(cat part 2>/dev/null | wc -l)" -lt "$1" ]; do
			:
		done
		[ $# -eq 2 ] || read -r pid _ <"/proc/$pid/task/$pid/children"
		# shellcheck disable=SC2086
		kill -"$2" $pid 2>/dev/null
		wait $!
	}
	kill_at 3 KILL
	[ "$(wc -l <part)" -ge 3 ] || complain 'killed: results are lost'
	kill_at 9 TERM
	kill_at 14 KILL child
	kill_at 22 INT
	kill_at 31 KILL
	run 1 --study points --jobs 2 --resume part
	same part 'killed five times'
	[ ! -s out ] || complain '--resume: its file is the output'
	# What is there is not run again; a failure is.
	cp all.jsonl part
	run 1 --study points --resume part --progress always
	same part 'resumed when all is there'
	sed 5,8d all.jsonl >part
	run 1 --study points --resume part --out other
	same other '--resume and --out'
	[ "$(wc -l <part)" -eq 60 ] || complain "--resume: $(wc -l <part) lines and not 46 + 4 + 10 that failed before"
	# A process that is killed is a failure with its reason.
	# Its points are so long that the second one never ends, however busy the machine is.
	cat >long <<'TXT'
workload hash-table
threads 200000
seed 1 2
TXT
	"$sim" --study long --jobs 1 --resume long.jsonl 2>err >out &
	pid=$!
	until child=$(cat /proc/$pid/task/$pid/children 2>/dev/null) && [ -n "$child" ]; do
		kill -0 $pid 2>/dev/null || break
	done
	# shellcheck disable=SC2086
	kill -KILL $child
	until [ -s long.jsonl ]; do
		kill -0 $pid 2>/dev/null || break
	done
	kill -TERM $pid
	wait $pid
	[ $? -eq 3 ] && grep -q 'ended by signal SIGTERM with 1 of 2 points; --resume goes on' err ||
		complain "SIGTERM: $(cat err)"
	grep -q '"run":1,.*"failed":"its process was killed by signal 9","command":"gputm-sim --system kilo-tm --workload hash-table --threads 200000 --seed 1"' long.jsonl ||
		complain "a killed process: $(cat long.jsonl)"
}

# What is wrong in a study, or in results, is refused before anything runs.
case_refused() {
	# A line is: what is said of a study <= its lines, with / between them; nothing has run
	awk '{
		at = index($0, " <= ")
		text = substr($0, 1, at - 1)
		n = split(substr($0, at + 4), line, " / ")
		for (i = 1; i <= n; i++)
			print line[i] >("bad." NR)
		sub(/^FILE/, "bad." NR, text)
		print "2 --study bad." NR " --jobs 1 --out results : " text "\nabsent results"
	}' >table <<'TXT'
FILE:2: got "validation_unit.stal_lines", which nothing in the study uses <= system getm / set validation_unit.stal_lines 4
FILE:1: got "sead", expected an option that says what is run (see --help); did you mean seed? <= sead 1..4
FILE:1: got "format", expected an option <= format text
FILE:2: seed: got nothing, expected values <= workload bank / seed # none
FILE:1: got no line with values <= # nothing
FILE:2: threads: got more than 10000000 points <= seed 1..10000 / threads 1..1001
FILE:1: seed: got "1..10000001", expected FIRST..LAST <= seed 1..10000001
FILE:1: seed: got "8..1", expected FIRST..LAST <= seed 8..1
FILE:1: --concurrency: got "0", expected a number 1 .. 64 or inf <= concurrency 2 0
FILE:2: seed: is on line 1 too <= seed 1 / seed 2
FILE:1: call seed: got a name that each point has <= call seed a b / zip threads 32 64
FILE:2: zip seed: got 3 values, expected 2 as of threads <= threads 1 2 / zip seed 1 2 3
FILE:1: zip: expected a line before <= zip seed 1 2 3
--system: got "getn", expected one of <= seed 1 / system kilo-tm getn
FILE:2: nothing is run: the names of a point must be known <= seed 1 / system kilo-tm getn
FILE:1: nothing is run: the names of a point must be known <= system kilo-tm getn / workload bank / seed 1
FILE:2: nothing is run: the names of a point must be known <= system getm / workload bank bnk / divergence pdom
FILE:2: machine: cores = 257 is not in 1 .. 256 <= workload bank / set machine.cores 15 257
FILE: nothing is run: each point fails <= threads 64 / workload bank / set commit_unit.ring 16 / tell cycles
FILE:3: tell: got "stall_buffer.line", expected a figure of the run <= system getm / workload bank / tell cycles stall_buffer.line
FILE:1: tell: got nothing <= tell 
TXT
	runs <table
	printf 'workload bank\0\n' >bad
	runs <<'TABLE'
2 --study bad : bad:1: got a NUL
2 --study absent
2 --study points --shard 0/3 : --shard: got "0/3", expected I/N
2 --study points --shard 4/3 : --shard: got "4/3", expected I/N
2 --study points --shard 1 : --shard: got "1", expected I/N
2 --study points --shard 1/2/3 : --shard: got "1/2/3", expected I/N
2 --study points --shard x/y : --shard: got "x/y", expected I/N
2 --study points --shard 1/99999999 : --shard: got "1/99999999", expected I/N
2 --study points --system getm
2 --study points --format csv
2 --jobs 2
2 --merge
TABLE
	# Shards of other studies and programs are not merged.
	sed '3s/"study":"./"study":"x/' all.jsonl >alien
	sed '4s/"version":"/&9/' all.jsonl >version
	sed '4s/"model":"/&9/' all.jsonl >model
	(cat all.jsonl && sed '1!d; s/"cycles":/&1/' all.jsonl) >another
	echo '{"cycles":3}' >other
	(head -c 3000 all.jsonl && echo && cat all.jsonl) >cut
	cut=$(head -c 3000 all.jsonl | grep -c '')
	for line in 'alien 3: got a result of another study' "cut $cut: expected a whole line of JSON" \
		'version 4: got a result of another model or version' 'other 1: expected the result of a point' \
		'model 4: got a result of another model' 'another 51: got another result of a point that has one'; do
		echo "2 --merge all.jsonl ${line%% *} --out results : ${line%% *}:${line#* }"
		echo 'absent results'
	done >table
	sed '26,$d' all.jsonl >half
	head -c 3000 all.jsonl >short
	sed '1,25d; s/"model":"/&9/' all.jsonl >rest
	{
		echo '2 --merge half rest --out results : rest:1: got a result of another model'
		echo '1 --merge short --out results : 43 of 50 points are missing: 8 9 10'
		echo "1 --merge short --out results : short:$cut: the last line was cut"
		echo '1 --merge half rest --resume-any-model --out results : 10 of 50 points failed'
	} >>table
	# What would be lost, or is no result, is not gone on with, and the file is left as it is.
	sed 's/bank/queue/; s/"point.hash":"[0-9a-f]*"/"point.hash":"0"/' all.jsonl >queue
	(cat all.jsonl && sed '1!d; s/"point.hash":"[0-9a-f]*"/"point.hash":"0"/; s/"point.seed":1/"point.seed":9/' all.jsonl) >mixed.jsonl
	sed '2s/"point.hash":"[0-9a-f]*"/"point.hash":"0"/' all.jsonl >bytes
	printf 'notes of mine' >notes
	for line in "cut $cut: expected a whole line of JSON" 'notes 1: expected a whole line of JSON' \
		'other 1: expected the result of a point of a study' \
		'another 51: got another result of a point that has one' \
		'queue 1: got a result of no point of the study: workload is queue, which no line of the study has (40 of 40 lines); nothing is run, expected a file with results of this study' \
		'mixed.jsonl 51: got a result of no point of the study: seed is 9, which no line of the study has (1 of 41 lines); nothing is run, expected --out FILE too' \
		'bytes 2: got a result of no point of the study: a kernel or another file that it reads has changed'; do
		file=${line%% *}
		cp "$file" "$file.before"
		echo "2 --study points --jobs 1 --resume $file : $file:${line#* }"
		echo "same $file $file.before"
	done >>table
	echo '1 --study points --jobs 1 --resume mixed.jsonl --out results : 40 reused, 10 to run; lines that are not taken: 10 of failures, 1 of no point of the study, which stay there' >>table
	echo 'same results all.jsonl' >>table
	runs <table
	# A kernel, or what it includes, is another one than when the first points were run.
	kernels=$(cd "$OLDPWD" && cd "$srcdir/examples/kernels" && pwd)
	printf '%s\n' 'workload ./privatisation.kernel' 'system kilo-tm getm' 'seed 1' >own
	for edited in litmus.macros privatisation.kernel; do
		cp "$kernels/litmus.macros" "$kernels/privatisation.kernel" .
		chmod u+w litmus.macros privatisation.kernel
		run 0 --study own --shard 1/2 --out first
		cp first before
		echo '# another one' >>$edited
		run 2 --study own --resume first
		grep -q 'first:1: got a result of no point of the study: a kernel or another file' err ||
			complain "--resume after an edit of $edited: $(cat err)"
		cmp -s first before || complain "an edit of $edited: the results are others"
		run 0 --study own --shard 2/2 --out second
		run 2 --merge first second --out results
		[ "$(sed 's/.*"point.hash":"\([0-9a-f]*\)".*/\1/' first)" != "$(run 0 --study own --shard 1/2 --out again &&
			sed 's/.*"point.hash":"\([0-9a-f]*\)".*/\1/' again)" ] || complain "point.hash after an edit of $edited"
	done
}

# Results belong to their points, and not to the text of the study.
case_resumed() {
	cat >few <<'TXT'
system kilo-tm getm
workload bank queue
threads 16
concurrency 1 2 4 inf
set machine.cores 4
seed 1..8
tell cycles aborted committed
TXT
	run 0 --study few --jobs 2 --out few.jsonl
	[ "$(wc -l <few.jsonl)" -eq 128 ] || complain "$(wc -l <few.jsonl) points and not 128"
	# Two seeds and names more, defaults that are written out, another order of lines and of what is told.
	cat >more <<'TXT'
call program accounts cells
zip workload bank queue
system kilo-tm getm
divergence pdom
concurrency 1 2 4 inf
set machine.partitions 6
set machine.cores 4
threads 16
seed 1..10
tell committed cycles
TXT
	cp few.jsonl more.jsonl
	run 0 --study more --jobs 2 --resume more.jsonl
	grep -qx 'gputm-sim: more.jsonl: 128 reused, 32 to run' err || complain "what is reused: $(cat err)"
	run 0 --study more --jobs 2 --out fresh.jsonl
	cmp -s more.jsonl fresh.jsonl || complain "resumed: other bytes than a fresh run: $(diff more.jsonl fresh.jsonl | head -4)"
	# The first study again: its results lack a figure now, and the last line was cut by a full disk.
	sed -i 's/^tell .*/tell cycles aborted commit*/; s/^seed .*/seed 1 2/' few
	grep '"point.seed":[12],' few.jsonl | head -c -40 >cut.jsonl
	lines=$(wc -l <cut.jsonl)
	run 0 --study few --jobs 2 --resume cut.jsonl
	grep -qF "gputm-sim: cut.jsonl:$((lines + 1)): the last line was cut, as by a full disk" err &&
		grep -qF "cut.jsonl: 0 reused, 32 to run; lines that are not taken: $lines without figures that the study tells, such as commit*" err ||
		complain "lines that are cut and lack figures: $(cat err)"
	run 0 --study few --jobs 2 --out fresh.jsonl
	cmp -s cut.jsonl fresh.jsonl || complain 'a cut line: other bytes than a fresh run'
	# Results of other sources, of runs that were checked, and of failures.
	sed 's/"model":"[0-9a-f]*"/"model":"0badc0de"/' cut.jsonl >model.jsonl
	cp model.jsonl any.jsonl
	cat >table <<'TXT'
0 --study few --jobs 2 --resume model.jsonl : model.jsonl: 0 reused, 32 to run; lines that are not taken: 32 of model 0badc0de (this is
same model.jsonl fresh.jsonl
0 --study few --jobs 2 --resume any.jsonl --resume-any-model : any.jsonl: 32 reused, 0 to run
2 --study few --resume-any-model : --resume-any-model: it says which results are taken
TXT
	runs <table
	[ "$(sed 's/"model":"0badc0de"/"model":"'"$(sed -n 's/.*"model":"\([^"]*\)".*/\1/p;q' fresh.jsonl)"'"/' any.jsonl | cmp - fresh.jsonl)" = '' ] ||
		complain '--resume-any-model: other bytes'
	# Figures of each unit are none of a role, nor the other way; a summary has neither.
	printf 'workload bank\nthreads 64\nseed 1 2\n' >levels
	{ cat levels; echo 'tell commit_unit.hazards cycles'; } >told
	cat >table <<'TXT'
0 --study told --jobs 1 --out roles.jsonl
0 --study told --jobs 1 --report instances --out instances.jsonl
0 --study levels --jobs 1 --out summary.jsonl
0 --study told --jobs 1 --resume instances.jsonl --out got.jsonl : 0 reused, 2 to run; lines that are not taken: 2 without figures
same got.jsonl roles.jsonl
0 --study told --jobs 1 --report instances --resume roles.jsonl --out got.jsonl : 0 reused, 2 to run
0 --study told --jobs 1 --resume summary.jsonl --out got.jsonl : 2 without figures that the study tells, such as commit_unit.hazards
0 --study told --jobs 1 --report instances --resume instances.jsonl --out got.jsonl : 2 reused, 0 to run
TXT
	runs <table
	{ cat levels; echo 'tell cycles'; } >told
	run 0 --study told --jobs 1 --resume summary.jsonl --out got.jsonl
	grep -q ' 2 reused, 0 to run' err && run 0 --study told --jobs 1 && cmp -s out got.jsonl || complain "figures of a summary: $(cat err)"
	{ cat few; echo check; } >checked
	run 0 --study checked --jobs 2 --shard 1/8 --resume fresh.jsonl --out checked.jsonl
	grep -qF 'fresh.jsonl: 0 reused, 4 to run; lines that are not taken: 32 of runs without --check' err || complain "--check: $(cat err)"
	[ "$(grep -c '"check.passed":true' checked.jsonl)" -eq 4 ] || complain 'check.passed is missing'
}

# GNU parallel runs the parts of a study.
case_parallel() {
	studies=$(cd "$OLDPWD" && cd "$srcdir/examples/studies" && pwd)
	grep -v '^#' "$studies/stall-buffer.study" >example
	awk '/^# How large/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$manual/gputm-studies.7" | cmp -s - example ||
		complain 'the study in gputm-studies(7) is not stall-buffer.study'
	if command -v parallel >/dev/null 2>&1; then
		# A task that is killed makes the merge fail; the same command goes on.
		printf '#!/bin/sh\ncase "$*" in *3/4*) kill -9 $$ ;; esac\nexec "%s" "$@"\n' "$sim" >killed
		chmod +x killed
		SIM=$work/killed sh "$studies/parallel.sh" points 4 by-parallel >out 2>err && complain 'a killed task: exit 0'
		grep -q '12 of 50 points are missing: 3 7' err || complain "a killed task: $(cat err)"
		[ ! -e by-parallel ] || complain 'a killed task: there are results'
		SIM=$sim sh "$studies/parallel.sh" points 4 by-parallel -j2 >out 2>err
		[ $? -eq 1 ] || complain "parallel.sh: points that failed: $(cat err)"
		same by-parallel 'GNU parallel'
	else
		echo 'SKIP: parallel.sh: GNU parallel is not there'
	fi
}

# --compare says what differs.
case_compare() {
	# differ STATUS A B LINE...: what --compare says
	differ() {
		run "$1" --compare "$2" "$3"
		shift 3
		for line in "$@"; do
			sed 's/  */ /g' out | grep -qxF -e "$line" || complain "--compare: no \"$line\": $(cat out)"
		done
	}
	differ 0 all.jsonl all.jsonl '0 of 20 figures differ.'
	# Exactly what has changed at equal seeds, and a point that is gone.
	sed '/"point.seed":2,/s/"aborted":/&7/; 21,25s/"cycles":/&1/' all.jsonl | sed '/"threads":64.*kilo-tm/d' >changed
	first='system=getm workload=bank threads=32 concurrency=8 workload.accounts=64 validation_unit.warp_bits=10'
	differ 1 all.jsonl changed "$first"
	[ "$(grep -c '1 of 5 seeds differ' out) $(grep -c '^  aborted' out)" = '8 8' ] || complain "--compare: $(cat out)"
	printf '{"point.x":1,"point.seed":1,"cycles":100,"kept":5}\n' >a
	printf '{"point.x":1,"point.seed":1,"cycles":104,"kept":5}\n{"point.x":2,"point.seed":1,"cycles":1}\n' >b
	differ 1 a b ' figure A=a B=b ratio seeds' 'x=1' ' cycles 100 104 x 1.0400 1 of 1 seeds differ' 'x=2' ' (the point) only in B, seeds: 1' '2 of 3 figures differ.'
	sed 's/point.x/point.y/' a >c
	differ 1 a c 'Nothing is compared: no point is in both files with one seed. python3 -m gputm compare takes other seeds, and names settings that differ.'
	! grep -q 'figures differ' out || complain "--compare of nothing: $(cat out)"
	sed -i 2d b
	differ 1 a b
	run 0 --compare a b --tolerance 0.05
	run 1 --compare a b --tolerance 0.03
	sed 's/"point.seed":1/"point.seed":2/' b >c
	differ 1 a c
	grep -q '^Nothing is compared' out || complain "--compare of other seeds: $(cat out)"
	cat a c >d
	sed 's/,"kept":5//' b >c
	differ 1 d c ' cycles 100 104 x 1.0400 1 of 1 seeds differ' ' kept only in A, seeds: 2' ' (the point) only in A, seeds: 1' '3 of 3 figures differ.'
	# Single runs as JSON; all units of a role together have the names that lines have.
	set -- --workload bank --threads 64 --format
	"$sim" "$@" json --report instances --out one.json && "$sim" "$@" json --report roles --out roles.json &&
		"$sim" "$@" jsonl --report roles --out roles.jsonl || complain 'the runs to compare'
	run 0 --compare one.json one.json
	run 0 --compare roles.json roles.jsonl
	run 0 --compare roles.jsonl roles.json
	grep -q '^0 of [0-9]\{3\} figures differ[.]$' out || complain "--compare of JSON: $(cat out)"
	sed '/"role": "commit_unit"/,/"hazards"/s/\("hazards": \)/\11/' one.json >two.json
	run 1 --compare one.json two.json
	grep -q '^  commit_unit 0.hazards .* 1 of 1 seeds differ$' out || complain "--compare of JSON: $(cat out)"
	head -c 400 one.json >cut
	run 2 --compare one.json cut
	printf 'system getm kilo-tm\nworkload bank\nthreads 256\nseed 1..8\n' >a.study
	run 0 --study a.study --out a
	run 0 --compare a a --only cycles,aborted
	[ "$(grep -c ' 0 of 8 seeds differ$' out) $(grep -c '^  ' out)" = '4 5' ] || complain "--compare --only: $(cat out)"
	run 2 --compare a a --only cycles,cycle
	grep -q -- '--only: got "cycle", expected a figure' err || complain "--compare --only: $(cat err)"
	run 2 --compare a b --system getm
	grep -q -- '^gputm-sim: --compare: what was run is in the two files' err || complain "--compare --system: $(cat err)"
	run 2 --study a.study --only cycles
	grep -q 'what is run and told is in the study' err || complain "--study --only: $(cat err)"
	# Seeds that change nothing are one run.
	printf 'system kilo-tm warptm getm\nworkload bank ht-800\nthreads 64\nseed 1..3\ntell cycles traffic.*\n' >c.study
	run 0 --study c.study --out c
	grep -q 'in 2 of 6 groups of points all seeds gave the same figures (such as system kilo-tm, workload ht-800)' err ||
		complain "seeds that change nothing: $(cat err)"
	sed -i '/^seed/a zip set workload.seed 1..3' c.study
	run 0 --study c.study --out c
	[ ! -s err ] || complain "seeds of data: $(cat err)"
	# A workload that draws nothing gives the same figures with any seed of its data.
	printf 'system si-tm kilo-tm\nworkload queue\nthreads 64\nseed 1..3\nzip set workload.seed 1..3\ntell cycles\n' >d.study
	run 0 --study d.study --out d
	grep -q '2 of 2 groups of .* (such as system si-tm): neither --seed nor workload.seed draws .*; one seed is enough$' err ||
		complain "seeds of no data: $(cat err)"
	# The manual names those of the installed workloads that --seed does not change.
	for workload in atm atm-1m audit bh dirty-read false-sharing hand-over ht-h htk-8000 lost-update own-order \
		plain-chain plain-skew privatisation publication queue skew skewr; do
		sed -n '/^[.]It Fl -seed/,/^[.]It Fl -set/p' "$manual/gputm-sim.1" | tr ' ' '\n' | grep -qx "${workload%-[0-9h]*}\(-[*]\)*" ||
			complain "gputm-sim(1), --seed: $workload is missing"
	done
	if [ "${GPUTM_TEST_SCALE:-}" != small ]; then
		printf 'system kilo-tm\nworkload atm atm-1m audit bh dirty-read false-sharing hand-over ht-h htk-8000 lost-update' >c.study
		printf ' own-order plain-chain plain-skew privatisation publication queue skew skewr\n' >>c.study
		printf 'zip threads 64 64 64 64 640 64 192 64 64 64 64 896 640 640 320 64 64 64\n' >>c.study
		# All bodies are set up before the first thread, and summed up after the last: a few do.
		printf 'zip set workload.bodies - - - 200 - - - - - - - - - - - - - -\nseed 1..2\n' >>c.study
		run 0 --study c.study --out c
		grep -q 'in 18 of 18 groups' err || complain "workloads that --seed does not change: $(cat err)"
	fi
	run 2 --compare a
	run 2 --compare a b c
	run 2 --compare a absent
	run 2 --compare a b --tolerance 2
	run 2 --tolerance 0.1
	run 2 --compare a b --study a.study
	echo '{"cycles":1}' >c
	run 2 --compare a c
	grep -q 'c:1: expected a report, which names its point' err || complain "--compare: $(cat err)"
	head -c 300 a >c
	run 2 --compare c a
	grep -q 'c:1: expected a whole report as JSON' err || complain "--compare: $(cat err)"
}
cases "$@"
