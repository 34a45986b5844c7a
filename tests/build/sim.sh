# SPDX-License-Identifier: BSD-2-Clause
# Shared by tests/test-sim-*.sh, which run gputm-sim; `always` are arguments of each run.
. "${srcdir:-.}/tests/build/lib.sh"
tests=$(cd "${top_builddir:-.}" && pwd)/tests
sim=${tests%/tests}/gputm-sim
always=

# run STATUS ARGUMENT...: output in $work/out and $work/err
run() {
	status=$1
	shift
	# shellcheck disable=SC2086
	"$sim" $always "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got -eq "$status" ] ||
		complain "gputm-sim $always $*: exit $got and not $status: $(cat "$work/err")"
}

# refused TEXT ARGUMENT...: exit 2, no report, the text on standard error
refused() {
	text=$1
	shift
	run 2 "$@"
	[ ! -s "$work/out" ] || complain "gputm-sim $*: refused, but wrote a report"
	grep -qF -- "$text" "$work/err" ||
		complain "gputm-sim $*: \"$(cat "$work/err")\" does not say \"$text\""
}

# runs: those of the table on standard input, all in one process; see tests/sim-runs.c
runs() {
	"$tests/sim-runs" "$sim" "$work" || complain "a run of the table: $(tail -3 "$work/err")"
}

# number KEY: the first value of that key in the JSON report
number() {
	sed -n "s/.*\"$1\": \([0-9]*\),*\$/\1/p" "$work/out" | sed 1q
}

# many_registers array|shared: a kernel whose threads keep 40 registers over a transaction.
many_registers() {
	awk 'BEGIN {
		print "threads 256 block 256\ncommits threads\nARRAY a 16\nprogram"
		for (i = 1; i <= 40; i++) print "\tset r" i " = id + " i
		printf "\tbegin\n\tload x = a[id %% 16]\n\tstore a[id %% 16] = x"
		for (i = 1; i <= 40; i++) printf " + r" i
		print "\n\tcommit\nverify\n\tfor i = 0 below 16\n\t\tset sum = sum + a[i]\n\tend"
		print "\tfor i = 0 below threads\n\t\tset all = all + 40 * i + 820\n\tend\n\trequire sum == all"
	}' | sed "s/ARRAY/$1/"
}
