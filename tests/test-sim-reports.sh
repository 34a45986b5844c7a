#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports: levels, shapes, single figures, and the point that a report is of.
. "${srcdir:-.}/tests/build/sim.sh"
lint=${top_builddir:-.}/tests/json-lint
bank='--workload bank --threads 512'

# The value of a figure, of CSV.
value() {
	awk -F, -v name="$1" '$2 (length($2) ? "." : "") $4 == name { print $5 }' "$work/out"
}

# ---- levels and shapes ----
for run in "$bank --check" "--system getm $bank" '--system si-tm --workload skew' \
	'--system hetm --workload w1 --threads 500' '--system local-tm --workload k-means-8' \
	"--kernel $srcdir/examples/kernels/eddy.kernel --divergence tbc --check"; do
	for level in summary roles instances; do
		# shellcheck disable=SC2086
		{
			run 0 $run --report $level
			[ -z "$(awk 'length($0) > 80' "$work/out")" ] ||
				complain "$run, $level: more than 80 columns: $(awk 'length($0) > 80' "$work/out")"
			run 0 $run --report $level --format json
			"$lint" <"$work/out" || complain "$run, $level: no JSON"
			run 0 $run --report $level --format jsonl
			"$lint" <"$work/out" || complain "$run, $level: no JSON on one line"
			[ "$(wc -l <"$work/out")" -eq 1 ] || complain "$run, $level: more than one line"
			[ $level != summary ] || [ "$(wc -c <"$work/out")" -lt 2048 ] ||
				complain "$run: a summary of $(wc -c <"$work/out") bytes"
			cp "$work/out" "$work/once"
			run 0 $run --report $level --format jsonl
			cmp -s "$work/out" "$work/once" || complain "$run, $level: two runs differ"
			run 0 $run --report $level --format gem5
			grep -q '^cycles  *[1-9][0-9]*    # ' "$work/out" || complain "$run, $level: no gem5"
		}
	done
done

# All units of a role are the sum of each.
# shellcheck disable=SC2086
run 0 $bank --format csv --report instances
want=$(value simt_stack.lanes_committed | awk '{ sum += $1 } END { print NR, sum }')
[ "$want" = '720 1024' ] || complain "instances: $want"
deepest=$(value simt_stack.max_depth | sort -n | tail -1)
each=$(value access_coalescer.per_group.samples | awk '{ sum += $1 } END { print sum }')
# shellcheck disable=SC2086
run 0 $bank --format csv --report roles
[ "$(value simt_stack.lanes_committed)" = 1024 ] || complain 'roles: counters are not added'
[ "$(value simt_stack.max_depth)" = "$deepest" ] || complain 'roles: maxima are not the largest'
[ "$(value access_coalescer.per_group.samples)" = "$each" ] || complain 'roles: histograms'
[ "$(value traffic.total.flits)" = "$(awk -F, '$2 == "traffic" && $4 ~ /flits/ && $4 !~ /total/ {
	sum += $5 } END { print sum }' "$work/out")" ] || complain 'roles: the total of traffic'

# Each reason of an abort is explained.
# shellcheck disable=SC2086
run 0 $bank --format csv
reasons=$(awk -F, '$2 == "aborts_by_reason" { print $4 }' "$work/out")
[ "$(echo "$reasons" | wc -l)" -ge 11 ] || complain "reasons: $reasons"
for reason in $reasons; do
	sed -n '/^[.]Ss Why transactions abort/,/^[.]El/p' "$srcdir/man/gputm-sim.1" |
		grep -q "^[.]It Cm $reason\$" || complain "gputm-sim(1) does not explain aborts for $reason"
done

# ---- single figures ----
# shellcheck disable=SC2086
run 0 $bank --only 'cycles,commit_unit.hazards,traffic.*.packets' --format jsonl
grep -q '^{"version":"[^"]*","point.hash":"[0-9a-f]*","point.system":"kilo-tm","point.workload":"bank","point.threads":512,"point.seed":1,"cycles":[0-9]*,"traffic.load.packets":[0-9]*,.*,"commit_unit.hazards":[0-9]*}$' "$work/out" || complain "--only: $(cat "$work/out")"
# shellcheck disable=SC2086
run 0 $bank --only cycles
grep -q '^  cycles  *[0-9]*$' "$work/out" || complain "--only, text: $(cat "$work/out")"
# shellcheck disable=SC2086
{
	refused '--only: got "check.*", which needs --check' $bank --only 'cycles,check.*'
	refused 'did you mean "cycles"' $bank --only cycels
	refused 'did you mean "tx_throttle.admissions"' $bank --only tx_throttle.admisions
	refused '--only: got "hazard", expected a figure of the run' $bank --only cycles,hazard
	refused '--report: got "all", expected summary|roles|instances' $bank --report all
	refused '--report: got "", expected summary|roles|instances' $bank --report=
}

# ---- the point ----
# A limit that holds no warp back is none: 16 blocks of 4 warps on 15 cores.
for limit in 7 8; do
	"$sim" --workload bank --threads 2048 --concurrency $limit >"$work/out" </dev/null
	[ "$(grep -c "$limit warps per core in transactions: no core has more\$" "$work/out")" = $((limit / 8)) ] ||
		complain "--concurrency $limit: $(cat "$work/out")"
done

# point ARGUMENT...: its hash
point() {
	run 0 "$@" --format jsonl
	sed 's/.*"point.hash":"\([0-9a-f]*\)".*/\1/' "$work/out"
}
# shellcheck disable=SC2086
{
	this=$(point $bank)
	[ "$(point $bank --check)" = "$this" ] || complain 'point: --check counts'
	[ "$(point $bank --set machine.cores=15 --concurrency 2 --seed 1)" = "$this" ] ||
		complain 'point: defaults that are given count'
	for other in '--seed 2' '--system getm' '--concurrency 4' '--set workload.accounts=77' \
		'--set commit_unit.entries=128' '--machine reference' '--divergence pdom-lcp'; do
		[ "$(point $bank $other)" != "$this" ] || complain "point: $other does not count"
	done
}
printf 'one two three two\n' >"$work/a"
printf 'one two three four\n' >"$work/b"
this=$(point --keys "$work/a")
[ "$(point --keys "$work/b")" != "$this" ] || complain 'point: what is in a file does not count'
cp "$work/a" "$work/b"
[ "$(point --keys "$work/b")" = "$this" ] || complain 'point: the name of a file counts'

# The text tells the command that repeats it.
run 0 --workload ht-800 --system getm --concurrency inf --set machine.cores=8 --seed 5 \
	--set validation_unit.stall_lines=16 --set machine.cores=4
sed -n '/^ *gputm-sim --/,/^$/p' "$work/out" | sed 's/\\$//' | tr -d '\n' >"$work/command"
grep -q 'cores=4' "$work/command" || complain "the command: $(cat "$work/command")"
grep -q 'cores=8' "$work/command" && complain 'a setting that was overruled is told'
figures='cycles|aborted|committed'
grep -E "$figures" "$work/out" >"$work/once"
# shellcheck disable=SC2046
run 0 $(sed 's/^ *gputm-sim//' "$work/command")
grep -E "$figures" "$work/out" | cmp -s - "$work/once" || complain 'the command is another run'

# ---- a point read back ----
# back ARGUMENT...: reports as JSON and JSONL and a config of lines give the same bytes again
back() {
	run 0 "$@" --format jsonl
	cp "$work/out" "$work/line"
	run 0 "$@" --format json --report summary
	cp "$work/out" "$work/json"
	sed 's/,"system".*//; s/^{//; s/"//g' "$work/line" | tr , '\n' | sed -n 's/^point\.//p' |
		sed '/^hash/d; /^[^:]*\./s/^/set /; s/:/ /' >"$work/config"
	for config in line json config; do
		run 0 --config "$work/$config" --format jsonl
		cmp -s "$work/out" "$work/line" || complain "$*: $config is another run: $(cat "$work/$config")"
	done
}
back --workload ht-800 --system getm --concurrency inf --seed 5 --set validation_unit.stall_lines=16 \
	--set machine.cores=4
back --workload bank --threads 100 --machine reference --set warp_clock.backoff_base=0x10 --system getm
back --system hetm --workload w1 --threads 300 --set system.gpu=getm
back --kernel "$srcdir/examples/kernels/eddy.kernel" --divergence tbc --set core.warps=16
back --kernel "$srcdir/examples/kernels/bank.kernel" --system si-tm --threads 64
back --keys "$work/a"
# The command line overrules it, whatever else is the default there.
printf 'system getm # a comment\nworkload bank\n\nthreads 64\nset validation_unit.stall_lines 2\n' >"$work/config"
run 0 --seed 7 --config "$work/config" --set validation_unit.stall_lines=8 --format jsonl
grep -q '"point.threads":64,"point.seed":7,"point.validation_unit.stall_lines":8' "$work/out" ||
	complain "--config, overruled: $(cat "$work/out")"

# bad TEXT LINE...: a config of these lines is refused
bad() {
	text=$1
	shift
	printf '%s\n' "$@" >"$work/bad"
	refused "$work/bad:$text" --config "$work/bad"
}
bad '2: got "sytem", expected an option that says what is run' 'workload bank' 'sytem getm'
bad '1: got "out", expected an option' 'out x'
bad '1: --threads: got "0", expected a number' 'threads 0'
bad '1: seed: got 3 values, expected one in a config' 'seed 1..3'
bad '2: seed: is on line 1 too' 'seed 1' 'seed 2'
bad '1: seed: got nothing, expected values' 'seed'
bad '1: got "machine.cores", expected NAME VALUE' 'machine.cores 5'
bad '1: got "set", expected NAME VALUE' 'set'
bad '1: got "cores", expected NAME VALUE' 'set cores 5'
bad '1: tell: it belongs to studies' 'tell cycles'
bad '1: got a report for readers, expected one as JSON' 'gputm-sim 0.1.0' ''
bad '1: got a report for readers' 'run,role,instance,statistic,value'
bad '1: expected a report with a point' '{}'
bad '1: expected one whole report as JSON' '{"point": {"seed": 1}'
bad '1: expected one whole report as JSON' "$(cat "$work/line")" "$(cat "$work/line")"
refused 'cannot be read: No such file or directory' --config "$work/absent"
exit $failed
