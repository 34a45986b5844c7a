#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gputm-sim from outside: what it refuses and how it says so, the shapes of its reports, that
# equal runs give equal bytes, and that every system passes --check on small data.
# TRACES=DIR runs the recorded traces in DIR (*.trace.gz) too.
. "${srcdir:-.}/tests/build/sim.sh"
data=$srcdir/tests/data
systems=$("$sim" --list | awk '/^Systems/ { on = 1; next } /^Workloads/ { on = 0 } on && /^  [a-z]/ { print $1 }')
workloads='ht-800 ht-8000 ht-80000 htk-8000 htk-80000 atm-1m atm-1024 audit skew skewr'

# refused ARGUMENT... -- TEXT...: exit 2, nothing on standard output, all texts on standard error
refused() {
	arguments=
	while [ "$1" != -- ]; do
		arguments="$arguments $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	run 2 --system ideal $arguments
	[ ! -s "$work/out" ] || complain "gputm-sim$arguments: refused, but wrote a report"
	for text in "$@"; do
		grep -qF -- "$text" "$work/err" ||
			complain "gputm-sim$arguments: \"$(cat "$work/err")\" does not say \"$text\""
	done
}

# ---- usage ----
run 0 --version
grep -q '^gputm-sim [0-9]' "$work/out" || complain "--version: $(cat "$work/out")"
run 0 --help
for option in system machine workload keys edges trace threads concurrency seed set check format out progress \
	list version help; do
	grep -q -- "--$option" "$work/out" || complain "--help does not tell of --$option"
	grep -q "Fl -$option" "$srcdir/man/gputm-sim.1" || complain "gputm-sim(1) does not tell of --$option"
done
run 0 --list
for name in fermi reference $systems hash-table bank octree list tree graph-cut trace $workloads; do
	grep -q "^  $name " "$work/out" || complain "--list does not tell of $name"
	[ "$name" = trace ] || grep -q "Cm.* $name\\b" "$srcdir/man/gputm-sim.1" ||
		complain "gputm-sim(1) does not tell of $name"
done
run 0 --list all
grep -q 'machine.cores = 15  \[1 \.\. 64\]' "$work/out" || complain '--list: machine.cores'
grep -q 'workload.buckets = 8000  \[1 \.\. ' "$work/out" || complain '--list: workload.buckets'

for part in metadata_table stall_buffer; do
	refused --list $part -- "--list: got \"$part\", expected validation_unit, which has the parameters of its part $part"
	run 2 --system getm --set $part.entries=4
	grep -qF -- "--set: got \"$part.entries=4\", expected a parameter of validation_unit, which has those of its part $part" \
		"$work/err" || complain "--set $part.entries=4: $(cat "$work/err")"
done

if [ -c /dev/full ]; then
	for option in --list --help --version '--system ideal --threads 8'; do
		# shellcheck disable=SC2086
		"$sim" $option >/dev/full 2>"$work/err" && complain "$option: exit 0 on a full device"
		grep -q 'could not be written' "$work/err" || complain "$option: $(cat "$work/err")"
	done
fi
refused --bogus -- --bogus
refused hash-table -- hash-table
refused --system tsx -- --system tsx ideal coarse-lock
refused --machine cray -- --machine cray fermi reference
refused --workload sudoku -- --workload sudoku --list
refused --threads 0 -- --threads '"0"' '1 .. '
refused --concurrency 1000 -- --concurrency '"1000"' '1 .. 64 or inf'
refused --set tx_throttle.limit=3 -- tx_throttle.limit=3 'expected --concurrency'
refused --system fine-lock --set tx_throttle.policy=climb -- tx_throttle
refused --format xml -- --format '"xml"' 'text|json|jsonl|csv|gem5'
refused --trace "$data/small.trace" --threads 8 -- --threads
refused --trace "$data/small.trace" --workload bank -- --workload
refused --keys "$data/words.txt" --workload bank -- --keys
refused --keys "$data/words.txt" --threads 1000 -- --threads '"1000"' '1 .. 60'
refused --edges "$data/graph.edges" -- --edges
refused --edges "$data/graph.edges" --workload list -- --edges
refused --edges "$data/graph.edges" --trace "$data/small.trace" -- --edges
refused --edges "$work/none" --workload graph-cut -- "$work/none" 'cannot be opened'
refused --keys "$work/none" -- "$work/none" 'cannot be opened'
refused --trace "$work/none" -- "$work/none" 'cannot be opened'
refused --out "$work/none/report" -- --out "$work/none/report"
run 0 --system ideal --workload ht-800 --threads 64 --check
# Kernels lie beside the program itself, and not beside a link to it.
ln -s "$(cd "$(dirname "$sim")" && pwd)/$(basename "$sim")" "$work/linked"
"$work/linked" --list ht-800 >"$work/out" || complain 'a link to gputm-sim: no workloads'

# ---- impossible settings name field, value and range ----
refused --set machine.cores=0 -- machine cores ' 0 ' '1 .. 64'
refused --set machine.cores=many -- machine cores many '1 .. 64'
refused --set machine.gears=5 -- gears
refused --set machine.l2_ways=3 -- l2_ways ' 3 ' 'a power of two in 1 .. 64'
refused --set engine.size=5 -- engine machine workload
refused --set workload.buckets=0 -- buckets ' 0 '
refused --system ideal --workload ht-800 --set workload.buckets=10 -- workload
refused --workload list --set workload.keys=0 -- keys ' 0 ' '1 .. '
refused --workload list --set workload.keys=100 --set workload.elements=101 -- elements ' 101 ' '0 .. 100'
refused --workload tree --set workload.operations=0 -- operations ' 0 ' '1 .. '
refused --workload tree --set workload.lookups=80 --set workload.removals=40 -- removals ' 40 ' '0 .. 20'
refused --workload graph-cut --set workload.vertices=0 -- vertices ' 0 ' '3 .. '
refused --workload graph-cut --set workload.edges=5 -- edges ' 5 ' '59 .. '
refused --set cores=5 -- cores=5 PATH.FIELD=VALUE

# ---- units too small for the machine or the workload, found before anything runs ----
small_unit() {
	refused --system "$1" --workload "$2" --set "$3" -- "$4"
}
small_unit kilo-tm bank commit_unit.lanes=31 'commit_unit: lanes = 31 is outside 32 .. 64'
small_unit kilo-tm bank commit_unit.address_bits=31 'address_bits = 31 is outside 32 .. 6'
small_unit kilo-tm bank tx_log.address_bits=8 'tx_log: address_bits = 8 is outside 32 .. 64'
small_unit kilo-tm bank commit_id.credits=31 'commit_id: credits = 31 is outside 32 .. '
small_unit kilo-tm bank commit_unit.warp_mode=1 warptm
small_unit warptm bank ownership_table.lanes=1 'ownership_table: lanes = 1 is outside 32 .. '
small_unit warptm-tcd bank tcd.warps=47 'tcd: warps = 47 is outside 48 .. '
small_unit warptm-tcd bank tcd.filter.address_bits=16 'tcd.filter: address_bits = 16 is outside 32'
small_unit getm bank validation_unit.warp_bits=9 'validation_unit: warp_bits = 9 is outside 10 .. '
small_unit si-tm bank reader_list.address_bits=16 'reader_list: address_bits = 16 is outside 32'
small_unit si-tm bank row_copier.address_bits=38 'row_copier.address_bits are too few'
small_unit kilo-tm bank machine.warps=3 'machine: warps = 3 is outside 4 .. 64'
small_unit kilo-tm bank machine.lanes=2 'machine: lanes = 2 is outside 3 .. 32'
# Those that would be wrong.
small_unit si-tm bank version_table.plain_as_given=1 'plain_as_given = 1 is outside 0 .. 0'
small_unit si-tm-oracle bank version_table.plain_as_given=1 'plain_as_given = 1 is outside 0 .. 0'
# One that only this machine makes possible.
run 0 --system kilo-tm --workload bank --threads 64 --set machine.lanes=8 \
	--set commit_unit.lanes=8 --set commit_id.credits=8

# ---- a run without end, as nobody backs off, is given up ----
run 1 --system getm --workload bank --threads 500 --set workload.accounts=30 \
	--set warp_clock.backoff_base=0 --set machine.patience=5000
grep -q 'machine.patience = 5000 attempts' "$work/err" || complain "livelock: $(cat "$work/err")"
[ ! -s "$work/out" ] || complain 'livelock: wrote a report'
# Granules that take one reserved write, and transfers that write two words of one: a last thread
# retries at long intervals.
run 1 --system getm --workload bank --threads 500 --set workload.accounts=50 \
	--set validation_unit.count_bits=1 --set machine.patience_cycles=5000000
grep -q 'machine.patience_cycles = 5000000 cycles' "$work/err" || complain "livelock: $(cat "$work/err")"

# A watchdog that looks at a warp before each of its instructions does not keep it from them.
for system in kilo-tm warptm warptm-tcd; do
	run 0 --system $system --workload skew --set commit_sequencer.watchdog_cycles=1 --check
done

# ---- files that do not parse ----
printf 't 1 r1000=0\nt 2 r1002=0\n' >"$work/bad.trace"
refused --trace "$work/bad.trace" -- "$work/bad.trace:2: got \"r1002=0\", expected an address"
printf '# transactions: 3\nt 1 r1000=0\n' >"$work/cut.trace"
refused --trace "$work/cut.trace" -- "$work/cut.trace:3: truncated: 3 transactions announced, 1 read"
printf 't 1 r1000=0\nt 2 r10' >"$work/cut.trace"
refused --trace "$work/cut.trace" -- "$work/cut.trace:2: truncated" '1 transactions read'
printf 't 1 r1000=0\r\n' >"$work/cr.trace"
refused --trace "$work/cr.trace" -- "$work/cr.trace:1: got \"r1000=0\\x0d\", expected a hexadecimal"
printf '0 1\001\n' >"$work/cr.edges"
refused --workload graph-cut --edges "$work/cr.edges" -- "$work/cr.edges:1: got \"0 1\\x01\""
head -c 5000 "$data/small.trace" >"$work/cut.trace"
refused --trace "$work/cut.trace" -- truncated '240 transactions announced'
printf '# my graph\n0 1\n1 x\n' >"$work/bad.edges"
refused --workload graph-cut --edges "$work/bad.edges" -- "$work/bad.edges:3: got \"1 x\", expected an edge"
printf '0 1\n2 3\n' >"$work/bad.edges"
refused --workload graph-cut --edges "$work/bad.edges" -- "$work/bad.edges:3: " 'vertex 2 has no way to vertex 0'
: >"$work/bad.edges"
refused --workload graph-cut --edges "$work/bad.edges" -- "$work/bad.edges:1: got end of file, expected an edge"
printf 'one\ntwo \001\n' >"$work/bad.words"
refused --keys "$work/bad.words" -- "$work/bad.words:2: got \"\\x01\", expected words of text"
refused --trace - -- '<stdin>:1: got end of file, expected a transaction'

# ---- reports ----
small='--system ideal --workload bank --threads 256 --set workload.accounts=64'
# shellcheck disable=SC2086
for check in '' --check; do
	run 0 $small $check --format json
	"${top_builddir:-.}/tests/json-lint" <"$work/out" || complain "the report is no JSON $check"
	for key in version system machine workload config core_mhz cycles committed aborted \
		aborts_by_reason traffic wall_seconds check units; do
		[ "$(grep -c "^  \"$key\": " "$work/out")" -eq 1 ] || complain "JSON: no key $key"
	done
	run 0 $small $check --format csv
	head -1 "$work/out" | grep -qx run,role,instance,statistic,value || complain 'CSV: no header'
	[ "$(awk -F, '{ print NF, $1 != "" }' "$work/out" | sort -u)" = '5 1' ] ||
		complain 'CSV: not five columns, or no run'
	[ -z "$(cut -d, -f2-4 "$work/out" | sort | uniq -d)" ] || complain 'CSV: a figure comes twice'
	for key in ,,version config,,threads config,,machine.cores config,,workload.accounts \
		aborts_by_reason,,conflict traffic,,load.packets traffic,,total.flits; do
		grep -q "^[0-9a-f]\{16\},$key," "$work/out" || complain "CSV: no figure $key"
	done
done
# shellcheck disable=SC2086
run 0 $small
grep -q 'Not checked' "$work/out" || complain 'text: nothing said of the check'
# shellcheck disable=SC2086
run 0 $small --check
grep -q 'Check passed: the run was serialisable' "$work/out" || complain 'text: no verdict'
"$sim" --check --seed >"$work/out" 2>"$work/err"
grep -q -- '--seed: got nothing, expected N' "$work/err" || complain "--seed: $(cat "$work/err")"
cat >"$work/plain.kernel" <<'KERNEL'
threads 64 block 32
array a 1

program
	load x = a[0]
	store a[0] = x + 1
KERNEL
run 0 --workload "$work/plain.kernel" --check
grep -q 'Nothing was checked: no transaction has committed' "$work/out" ||
	complain "text: a verdict without transactions: $(tail -3 "$work/out")"
grep -q 'passed' "$work/out" && complain 'text: a check without transactions passes'
# shellcheck disable=SC2086
run 0 $small --check --format json --out "$work/report"
[ ! -s "$work/out" ] || complain '--out: standard output is not empty'
grep -q '"passed": true' "$work/report" || complain '--out: no report'
# shellcheck disable=SC2086
run 0 $small --progress never
[ ! -s "$work/err" ] || complain '--progress never: standard error is not empty'
run 0 --system ideal --workload htk-8000 --progress always
grep -q 'of 23040 threads' "$work/err" || complain '--progress always: no bar'

# ---- equal runs give equal bytes ----
for system in $systems; do
	for i in 1 2; do
		run 0 --system "$system" --threads 512 --set workload.buckets=64 --seed 7 --format json
		grep -v wall_seconds "$work/out" >"$work/run$i"
	done
	cmp -s "$work/run1" "$work/run2" || complain "$system: two equal runs differ"
done
"$sim" --system ideal --trace - --format json <"$data/small.trace" | grep cycles >"$work/run2"
"$sim" --system ideal --trace "$data/small.trace" --format json | grep cycles >"$work/run1"
cmp -s "$work/run1" "$work/run2" || complain 'a trace runs otherwise from standard input'

# ---- every system passes the check on small data ----
for system in $systems; do
	for c in 1 inf; do
		[ "$system" != fine-lock ] || c=
		run 0 --system "$system" --keys "$data/words.txt" --check ${c:+--concurrency $c}
		run 0 --system "$system" --trace "$data/small.trace" --check ${c:+--concurrency $c}
		run 0 --system "$system" --workload bank --threads 500 --set workload.accounts=50 --check \
			${c:+--concurrency $c} --machine reference
		run 0 --system "$system" --workload octree --threads 500 --check ${c:+--concurrency $c}
		run 0 --system "$system" --workload list --threads 100 --check ${c:+--concurrency $c}
		run 0 --system "$system" --workload graph-cut --edges "$data/graph.edges" --check ${c:+--concurrency $c}
		run 0 --system "$system" --workload tree --threads 500 --check ${c:+--concurrency $c}
		[ "$system" = fine-lock ] || run 0 --system "$system" --workload skew --check ${c:+--concurrency $c}
	done
	case $system in fine-lock | coarse-lock) ;; *) run 0 --system "$system" --workload audit --check ;; esac
done
run 2 --system fine-lock --workload audit
grep -q 'it has no program with locks' "$work/err" || complain "fine-lock on audit: $(cat "$work/err")"
if [ -n "${TRACES:-}" ]; then
	for trace in "$TRACES"/*.trace.gz; do
		for system in $systems hetm; do
			case $system,$trace in
			fine-lock,*) continue ;;
			# These take ten seconds and more each.
			hetm,*/cl_grid64.* | hetm,*/stamp_intruder.* | hetm,*/stamp_vacation_low.*) continue ;;
			esac
			zcat "$trace" | "$sim" --system "$system" --trace - --check >"$work/out" 2>&1 ||
				complain "$system on $trace: $(tail -3 "$work/out")"
		done
	done
else
	echo 'SKIP: recorded traces: TRACES is not set'
fi
exit $failed
