#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The files that gputm-sim writes: whole or not there, never in place of another file; and runs
# that a signal ends with a report.
. "${srcdir:-.}/tests/build/sim.sh"
lint=$tests/json-lint
srcdir=$(cd "$srcdir" && pwd)
data=$srcdir/tests/data
cd "$work" || exit 1
small='--system ideal --workload bank --threads 64'
nested="--kernel $srcdir/examples/kernels/nested.kernel"

# gives STATUS TEXT ARGUMENT...: exit status, and words of standard error
gives() {
	status=$1 text=$2
	shift 2
	# shellcheck disable=SC2086
	"$sim" "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$status" ] || complain "gputm-sim $*: exit $got and not $status: $(cat err)"
	grep -qF -- "$text" err || [ -z "$text" ] || complain "gputm-sim $*: $(cat err): not \"$text\""
}

no_part() {
	for part in *.part; do
		[ ! -e "$part" ] || complain "$1: $part is left"
	done
}

# A file is whole, or it is not there.
case_whole() {
	# shellcheck disable=SC2086
	gives 0 '' $small --out report
	grep -q 'Not checked' report || complain '--out: no report'
	ln -s report link
	chmod 640 report
	echo old >report
	# shellcheck disable=SC2086
	gives 0 '' $small --out link
	[ -L link ] || complain '--out: the link is gone'
	grep -q 'Not checked' report || complain '--out: no report at the end of the link'
	case $(ls -l report) in -rw-r-----*) ;; *) complain "--out: the file's mode: $(ls -l report)" ;; esac

	# A run that fails, a file that may not grow, a full device, a name that is gone.
	echo old >report
	gives 1 machine.patience --system getm --workload bank --threads 500 --set workload.accounts=30 \
		--set warp_clock.backoff_base=0 --set machine.patience=5000 --out report
	for form in text json csv; do
		(
			ulimit -f 1
			gives 1 '--out: "report" could not be written: File too large' --workload bank --threads 64 \
				--format $form --report instances --out report
			exit "$failed"
		) || failed=1
	done
	(
		ulimit -f 1
		# shellcheck disable=SC2086
		gives 1 '--issues: "issues" could not be written: File too large' $nested --issues issues
		exit "$failed"
	) || failed=1
	[ "$(cat report)" = old ] || complain '--out: the old file is not whole'
	[ ! -e events ] || complain '--issues: half a file'
	# Of a study the results that have room are whole, and the same command goes on.
	printf 'workload bank\nthreads 32\nsystem ideal coarse-lock\nset machine.cores 4 8\nseed 1..3\ntell cycles\n' >room.study
	gives 0 '' --study room.study --jobs 1 --out room.jsonl
	cp room.jsonl room.before
	(
		ulimit -f 2
		gives 1 'part.jsonl: a result could not be written: File too large' --study room.study --jobs 1 \
			--resume part.jsonl
		gives 1 'results: a result could not be written: File too large' --study room.study --jobs 1 \
			--out never.jsonl
		gives 1 'room.jsonl:' --study room.study --jobs 1 --resume room.jsonl
		exit "$failed"
	) || failed=1
	[ ! -e never.jsonl ] || complain '--study --out: half of the results'
	cmp -s room.jsonl room.before || complain '--resume: results are lost'
	"$lint" "$(wc -l <part.jsonl)" <part.jsonl || complain '--resume: half a line'
	gives 0 " reused, $((12 - $(wc -l <part.jsonl))) to run" --study room.study --jobs 1 --resume part.jsonl
	cmp -s part.jsonl room.jsonl || complain '--resume after a full disk: other bytes'
	# The files of --cacti are all there or none.
	mkdir old.cacti
	echo old >old.cacti/arrays.csv
	(
		ulimit -f 1
		for folder in new.cacti old.cacti; do
			gives 1 "--cacti: \"$folder\" could not be written: File too large" --system getm \
				--threads 64 --cacti $folder
		done
		exit "$failed"
	) || failed=1
	[ ! -e new.cacti ] || complain '--cacti: a part of a folder is left'
	[ "$(cat old.cacti/*)" = old ] || complain '--cacti: the old folder has changed'
	if [ -c /dev/full ]; then
		for option in --out --issues; do
			# shellcheck disable=SC2086
			gives 1 "$option: \"/dev/full\" could not be written: No space left" $nested $option /dev/full
		done
		gives 1 '--out: "/dev/full" could not be written: No space left' --study room.study \
			--resume part.jsonl --out /dev/full
		gives 1 '--out: "/dev/full" could not be written: No space left' --study room.study --axes --out /dev/full
		for form in text json csv; do
			# shellcheck disable=SC2086
			"$sim" $small --format $form >/dev/full 2>err && complain "$form: exit 0 on a full device"
			grep -q 'standard output could not be written: No space left' err || complain "$(cat err)"
		done
	fi
	# shellcheck disable=SC2086
	"$sim" $small >&- 2>err && complain 'exit 0 without a standard output'
	grep -q 'standard output could not be written: Bad file descriptor' err || complain "$(cat err)"
	# shellcheck disable=SC2086
	"$sim" $small --out whole >&- 2>&- <&- || complain 'closed standard streams'
	tail -1 whole | grep -q 'Not checked' || complain 'closed standard streams: no whole report'
	{ "$sim" --workload bank --threads 64 --format json --report instances 2>err; echo $? >status; } | true
	[ "$(cat status)" -eq 1 ] || complain "closed pipe: exit $(cat status)"
	[ ! -s err ] || complain "closed pipe: $(cat err)" # the reader knows
	# shellcheck disable=SC2086
	gives 2 '--out: got "none/report", expected a file to write to: No such file' $small --out none/report
	# shellcheck disable=SC2086
	gives 2 '--out: got "none/report", expected a file to write to: No such file' $nested --out none/report \
		--issues issues
	[ ! -e events ] || complain '--issues: a file of a run that was refused'
	no_part 'files that cannot be written'
}

# A file of the user is not written over under another name.
case_names() {
	cp "$data/small.trace" "$data/words.txt" "$data/graph.edges" .
	cp "$srcdir/examples/kernels/nested.kernel" .
	ln small.trace hard
	ln -s words.txt soft
	cat >table <<TABLE
2 --trace small.trace --out hard : --out: got "hard", which is the file of --trace too
2 --keys ./words.txt --out soft : --out: got "soft", which is the file of --keys too
2 --workload graph-cut --edges $work/graph.edges --out graph.edges : --out: got "graph.edges", which
2 --kernel nested.kernel --out nested.kernel : which is the file of --kernel too
2 --kernel nested.kernel --issues nested.kernel : --issues: got "nested.kernel", which
2 --kernel nested.kernel --out new --issues ./new : --out: got "new", which is the file of --issues too
absent new
TABLE
	cat >own.kernel <<'KERNEL'
include own.macros
threads 2 block 2
array a 3
words a own.words

program
	begin
	store a[id] = ONE
	commit
KERNEL
	echo 'const ONE = 1' >own.macros
	echo one two >own.words
	printf '%s\n' 'include own.seeds' 'workload ./own.kernel' >own.study
	echo 'seed 1 2' >own.seeds
	printf '%s\n' 'workload ./own.kernel' 'include own.setting' >own.config
	echo 'seed 2' >own.setting
	mkdir kept
	cp own.* kept
	for option in --out --record --trace-events '--series 9' --vcd --history '--save-at 9'; do
		check=--check
		[ "$option" != '--save-at 9' ] || check=
		echo "2 --workload ./own.kernel $check $option own.kernel :" \
			"${option% 9}: got \"own.kernel\", which is the file of --workload too"
	done >>table
	for option in --out --resume; do
		echo "2 --study own.study $option own.kernel : $option: got \"own.kernel\", which is the file of --workload too"
		echo "2 --study own.study $option own.macros : $option: got \"own.macros\", which is read by --workload too"
		echo "2 --study own.study $option own.study : $option: got \"own.study\", which is the file of --study too"
		echo "2 --study own.study $option own.seeds : $option: got \"own.seeds\", which is read by --study too"
	done >>table
	cp words.txt arrays.csv
	cat >>table <<'TABLE'
2 --workload ./own.kernel --out own.macros : which is read by --workload too
2 --kernel own.kernel --system getm --out own.words : which is read by --kernel too
2 --config own.config --out own.setting : which is read by --config too
2 --config own.config --out own.kernel : which is the file of --workload too
0 --study own.study --resume results --out results --progress never --jobs 1
2 --keys arrays.csv --cacti . : --cacti: got "./arrays.csv", which is the file of --keys too
same words.txt arrays.csv
2 --merge results --out results : which is the file of --merge too
2 --compare results results --out results : which is the file of --compare too
0 --kernel nested.kernel --out new --issues newer
0 --kernel nested.kernel --out /dev/null --issues /dev/null
2 --keys - : <stdin>:1: got end of file, expected a word
0 --keys - --report instances --format jsonl < words.txt > keys.piped
0 --keys words.txt --report instances --format jsonl > keys.named
0 --keys - < words.txt | word of standard input
0 --workload graph-cut --edges - < graph.edges
TABLE
	runs <table
	# what comes from standard input is in no hash
	sed 's/"point[.]hash":"[^"]*",//; s/"words.txt"/"-"/g' keys.piped >piped
	sed 's/"point[.]hash":"[^"]*",//; s/"words.txt"/"-"/g' keys.named | cmp - piped || complain '--keys - runs otherwise'
	# the program itself, for its exit status
	gives 2 '--out: got "hard", which is the file of --trace too' --trace small.trace --out hard
	for file in own.*; do
		cmp "$file" "kept/$file" || complain "$file is written over"
	done
	"$sim" --trace - --out hard <small.trace 2>err && complain 'the trace on standard input is written over'
	cmp -s small.trace "$data/small.trace" && cmp -s words.txt "$data/words.txt" || complain 'an input has changed'
}

# A signal ends a run, and there is a report.
case_signals() {
	cat >loop.kernel <<'KERNEL'
launch 16 256 32
register i

block start
	alu 1
block round
	set i = i + 1
	branch i < 1000000000 then round else end
block end
	exit
KERNEL

	# until_begun FILE: until the run $pid has begun to write the file, or has ended
	until_begun() {
		while :; do
			for part in "$1".*.part; do :; done
			[ ! -e "$part" ] && kill -0 $pid 2>/dev/null || return 0
			sleep 0.03
		done
	}
	# ended SIGNAL ARGUMENT...: the signal comes when the run has begun
	ended() {
		signal=$1
		shift
		rm -f report
		"$sim" "$@" --out report 2>err &
		pid=$!
		until_begun report
		sleep 0.1
		kill "-$signal" "$pid"
		wait $pid
		got=$?
		[ $got -eq 3 ] || complain "SIG$signal: gputm-sim $*: exit $got: $(cat err)"
		grep -q "ended by signal SIG$signal at cycle" err || complain "SIG$signal: $*: $(cat err)"
		grep -q "signal SIG$signal" report || complain "SIG$signal: $*: the report does not say so"
		no_part "SIG$signal"
	}
	threads=400000
	[ "${GPUTM_TEST_SCALE:-}" != small ] || threads=100000
	many="--workload bank --threads $threads"
	# shellcheck disable=SC2086
	{
		ended INT $many --format json --check
		"$lint" <report || complain 'ended: no JSON'
		grep -q '^  "check": null$' report || complain 'ended: a check'
		grep -q 'the check is not made' err || complain "ended: $(cat err)"
		ended TERM $many --system getm --format csv
		grep -q ',,,ended,signal SIGTERM$' report || complain 'ended: CSV'
		ended TERM $many --system ideal --check
		tail -1 report | grep -q 'Not checked: the run was ended' || complain 'ended: text'
		ended INT --system hetm --workload w1 --threads $threads --format json --check
		"$lint" <report || complain 'ended: hetm: no JSON'
		ended INT --kernel loop.kernel --format json
		"$lint" <report || complain 'ended: kernel: no JSON'
		ended TERM --kernel loop.kernel --divergence tbc
		ended TERM --kernel loop.kernel --check
	}
	# shellcheck disable=SC2086
	"$sim" $small --format json >out
	grep -q '^  "ended": "done",' out || complain 'a run that is done does not say so'

	# One that comes at once with the first is one with it: timeout(1) sends its signal twice.
	# begun FILE ARGUMENT...: run until FILE is begun, as $pid
	begun() {
		file=$1
		shift
		rm -f "$file"
		"$sim" "$@" 2>err &
		pid=$!
		until_begun "$file"
	}
	# shellcheck disable=SC2086
	begun report $many --out report
	kill -STOP $pid
	kill -INT $pid
	kill -TERM $pid
	kill -CONT $pid
	wait $pid
	got=$?
	[ $got -eq 3 ] && [ -e report ] || complain "two signals at once: exit $got: $(cat err)"

	# A later one kills, and leaves nothing: here while the report waits for a reader.
	mkfifo pipe
	sleep 60 <pipe &
	reader=$!
	# shellcheck disable=SC2086
	begun events $many --trace-events events --trace-only warps --format json --report instances >pipe
	kill -INT $pid
	sleep 1
	kill -TERM $pid
	wait $pid
	got=$?
	kill $reader
	[ $got -gt 128 ] || complain "the second signal does not kill: exit $got"
	[ ! -e events ] || complain 'the second signal: a file'
	no_part 'the second signal'
}
cases "$@"
