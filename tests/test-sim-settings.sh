#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What gputm-sim's settings mean together: those that nothing uses are refused before the run, those
# that go together follow one another, and --list shows what there is.
. "${srcdir:-.}/tests/build/sim.sh"
kernel=$srcdir/examples/kernels/nested.kernel
data=$srcdir/tests/data

# ---- settings that nothing uses ----
# A line is: options : words of the one sentence that refuses them. What a system, workload,
# machine or kernel uses is on no line; the form "field=value" is a --set.
cat >"$work/unused" <<'TABLE'
--system fine-lock --concurrency 2 : --concurrency: system fine-lock has no limit
--system fine-lock --concurrency inf : --concurrency: system fine-lock has no limit
--system local-tm --workload k-means-2 --concurrency 2 : system local-tm has no limit
--system local-tm-perfect --workload k-means-2 --concurrency 2 : system local-tm-perfect has no limit
--system local-serialised --workload k-means-2 --concurrency 2 : system local-serialised has no limit
--system hetm --workload w1 --concurrency 2 : system hetm has no limit
--system local-tm --workload k-means-2 --machine fermi : --machine: got "fermi", expected one of: southern
--system kilo-tm --machine hetm : --machine: got "hetm", expected one of: fermi reference
--divergence dwf : --divergence: got "dwf", expected pdom, pdom-lcp, tbc or tbc-lcp
--issues x : --issues: it works without a TM system only
--kernel K --system ideal --issues x : --issues: it works without a TM system only
--kernel K --workload bank : --workload: a kernel
--kernel K --trace x : --trace: a kernel
--kernel K --keys K : --keys: kernel nested takes no keys from a file
--kernel K --edges G : --edges: kernel nested takes no edges from a file
--kernel K --threads 4 : --threads: workload nested has a given number
--kernel K --record x : --record: it records transactions
--kernel K --concurrency 4 : --concurrency: it limits transactions
--kernel K machine.cores=4 : --set: got "machine", expected one of: workload core coalescer simt_stack (for mechanism pdom; machine with --machine)
--kernel K workload.keys=4 : --set workload.FIELD: got "keys", expected one of: seed
--kernel K warp_former.warps=4 : --set: got "warp_former", expected one of: workload core
--kernel K simt_stack.lanes=64 : got simt_stack.lanes = 64, expected 32
--kernel K --divergence dwf warp_former.lanes=64 : got warp_former.lanes = 64, expected 32
--kernel K --divergence dwf warp_former.block_warps=9 : got warp_former.block_warps = 9, expected 8
--kernel K --divergence dwf warp_former.warps=63 : got warp_former.warps = 63, expected 32
--kernel K --divergence tbc thread_compactor.lanes=64 : got thread_compactor.lanes = 64, expected 32
--kernel K --divergence tbc thread_compactor.warps=9 : got thread_compactor.warps = 9, expected 8
--kernel K --divergence tbc block_stack.warps=9 : got block_stack.warps = 9, expected 8
--kernel K --divergence tbc block_priority.blocks=5 : got block_priority.blocks = 5, expected 4
--workload bank --keys K : --keys: kernel bank takes no keys from a file
--workload list --edges G : --edges: kernel list takes no edges from a file
--trace x --keys x : --keys, --edges: a trace has all that it needs
--trace x --threads 8 : --threads: a trace brings its own
--trace x --workload bank : --workload: a trace is one
--workload ht-800 workload.buckets=10 : --set workload.FIELD: got "buckets", expected one of: seed (the variant fixes the params before it)
--workload graph-cut --edges G workload.vertices=90 : the graph is that of --edges
--workload graph-cut --edges G workload.edges=90 : the graph is that of --edges
--system ideal commit_unit.ring=5 : --set: got "commit_unit", expected one of: machine workload
--system ideal system.resolver=scr : --set: got "system", expected one of: machine workload
--system coarse-lock machine.pack_messages=1 : not used here: only Kilo TM and WarpTM
--system coarse-lock machine.unbounded_ring=1 : not used here: only Kilo TM and WarpTM
--system coarse-lock machine.unit_latency=1 : not used here: the system has no units beside
--system coarse-lock machine.patience=1 : not used here: a system of locks aborts nothing
--system fine-lock machine.pack_messages=1 : not used here: only Kilo TM and WarpTM
--system fine-lock machine.unbounded_ring=1 : not used here: only Kilo TM and WarpTM
--system fine-lock machine.unit_latency=1 : not used here: the system has no units beside
--system fine-lock machine.patience=1 : not used here: a system of locks aborts nothing
--system ideal machine.pack_messages=1 : not used here: only Kilo TM and WarpTM
--system ideal machine.unbounded_ring=1 : not used here: only Kilo TM and WarpTM
--system ideal machine.unit_latency=1 : not used here: the system has no units beside
--system getm machine.pack_messages=1 : not used here: only Kilo TM and WarpTM
--system getm machine.unbounded_ring=1 : not used here: only Kilo TM and WarpTM
--system getm validation_unit.id=1 : not used here: each unit has the number of its partition
--system getm validation_unit.units=1 : not used here: there is a unit in each of machine.partitions
--system si-tm machine.pack_messages=1 : not used here: only Kilo TM and WarpTM
--system si-tm-oracle machine.unbounded_ring=1 : not used here: only Kilo TM and WarpTM
--system kilo-tm tx_log.header_bytes=4 : not used here: the units that send the logs
--system warptm tx_log.flit_bytes=64 : not used here: the units that send the logs
--system getm tx_log.flit_bytes=64 : not used here: the units that send the logs
--system si-tm tx_log.header_bytes=4 : not used here: the units that send the logs
--system si-tm-oracle tx_log.flit_bytes=64 : not used here: the units that send the logs
--system kilo-tm commit_unit.pending_block=4 : not used here: no table asks for pending writes
--system kilo-tm commit_unit.pending_entries=4 : not used here: no table asks for pending writes
--system warptm commit_unit.pending_entries=4 : not used here: no table asks for pending writes
--system warptm-tcd commit_unit.pending_block=4 : not used here: a block is that of tcd.filter
--system warptm sequential_resolver.hashes=2 : not used here: system.resolver = scr or ideal
--system warptm system.resolver=scr ownership_table.entries=2 : not used here: system.resolver = 2pcr
--system warptm-tcd system.resolver=ideal ownership_table.entries=2 : not used here: system.resolver = 2pcr
--system warptm system.resolver=none system.resolver_overhead=0 : not used here: system.resolver = none
--system warptm-tcd last_written.ways=2 : expected tcd.filter.ways=..., as the part with the parameters of last_written
--system warptm tcd.lanes=32 : --set: got "tcd", expected one of: machine workload
TABLE
words() {
	for word in $1; do
		case $word in
		*.*=*) echo --set "$word" ;;
		K) echo "$kernel" ;;
		G) echo "$data/graph.edges" ;;
		*) echo "$word" ;;
		esac
	done
}
while read -r line; do
	arguments=${line%% : *} text=${line#* : }
	# shellcheck disable=SC2046
	run 2 $(words "$arguments")
	[ ! -s "$work/out" ] || complain "gputm-sim $arguments: refused, but wrote a report"
	[ "$(wc -l <"$work/err")" -eq 1 ] || complain "gputm-sim $arguments: not one sentence: $(cat "$work/err")"
	grep -qF -- "$text" "$work/err" || complain "gputm-sim $arguments: $(cat "$work/err"): not \"$text\""
done <"$work/unused"
for mechanism in pdom dwf tbc; do
	case $mechanism in pdom) unit=simt_stack ;; dwf) unit=warp_former ;; *) unit=block_stack ;; esac
	run 0 --kernel "$kernel" --divergence $mechanism --set $unit.lanes=32
done

# ---- settings that go together ----
# same ARGUMENTS1 / ARGUMENTS2: both run, with equal reports and points
same_run() {
	first=${1% / *} second=${1#* / }
	for i in 1 2; do
		# shellcheck disable=SC2046
		run 0 --workload bank --threads 200 --format json $(words "$first")
		# all but what was given; the hash of the point stays
		sed '/wall_seconds/d; /^    "[a-z_.]*\.[a-z_]*": /d; s/,$//' "$work/out" >"$work/run$i"
		first=$second
	done
	cmp -s "$work/run1" "$work/run2" || complain "not the same: $1"
}
value() {
	grep -A40 "^    \"$1\": {" "$work/run1" | sed -n "s/^      \"$2\": \([0-9]*\).*/\1/p" | sed 1q
}
same_run '--system kilo-tm commit_unit.ring=960 / --system kilo-tm commit_id.ring=960'
[ "$(value commit_id credits)" = 64 ] || complain "960 entries: $(value commit_id credits) credits a core"
same_run '--system kilo-tm commit_unit.ring=960 / --system kilo-tm commit_unit.ring=960 commit_id.ring=960 commit_id.credits=64'
same_run '--system warptm commit_id.credits=4000 / --system warptm commit_id.ring=60000 commit_id.credits=4000'
same_run '--system kilo-tm commit_unit.first_cid=9 / --system kilo-tm commit_id.first_cid=9'
same_run '--system warptm system.resolver=none / --system warptm system.resolver=none commit_sequencer.mode=0'
same_run '--system getm commit_buffer.granularity=4 / --system getm validation_unit.granularity=4'
same_run '--system getm tx_log.address_bits=40 / --system getm validation_unit.address_bits=40'
same_run '--system getm warp_access_filter.address_bits=40 / --system getm commit_buffer.address_bits=40'
same_run '--system getm warp_clock.time_bits=20 / --system getm validation_unit.time_bits=20'
same_run '--system getm warp_clock.margin=500 / --system getm validation_unit.margin=500'
same_run '--system getm warp_clock.time_bits=8 / --system getm validation_unit.time_bits=8 validation_unit.margin=64'
same_run '--system si-tm writer_table.transactions=1024 / --system si-tm timestamp_table.transactions=1024'
same_run '--system si-tm writer_table.word_bytes=32 / --system si-tm reader_list.word_bytes=32'
same_run '--system si-tm version_table.stamp_bits=16 / --system si-tm timestamp_table.stamp_bits=16'
same_run '--system si-tm timestamp_table.transactions=4096 / --system si-tm writer_table.transactions=4096 reader_list.leaf_bits=64'

cat >"$work/contradictions" <<'TABLE'
--system kilo-tm commit_unit.ring=960 commit_id.ring=980 : commit_unit.ring = 960 and commit_id.ring = 980
--system kilo-tm commit_unit.ring=960 commit_id.credits=65 : commit_unit.ring = 960 is outside 975 .. 4194304, as 15 pools of commit_id.credits = 65
--system kilo-tm commit_id.ring=64 : commit_unit.ring = 64 is outside 480 .. 4194304
--system kilo-tm commit_id.pools=shared commit_id.ring=16 : commit_unit.ring = 16 is outside 32 .. 4194304, as 1 pool
--system warptm commit_unit.first_cid=2 commit_id.first_cid=3 : commit_unit.first_cid = 2 and commit_id.first_cid = 3
--system warptm commit_unit.warp_mode=1 commit_sequencer.mode=scalar : commit_unit.warp_mode = 1 and commit_sequencer.mode = 0
--system warptm system.resolver=none commit_unit.warp_mode=1 : system.resolver = none needs commit_unit.warp_mode = 0
--system kilo-tm tx_log.lanes=64 : tx_log.lanes = 64 must be machine.lanes = 32
--system getm tx_log.address_bits=40 commit_buffer.address_bits=36 : tx_log.address_bits = 40 and commit_buffer.address_bits = 36
--system getm validation_unit.time_bits=20 warp_clock.time_bits=30 : validation_unit.time_bits = 20 and warp_clock.time_bits = 30
--system getm validation_unit.granularity=8 commit_buffer.granularity=4 : validation_unit.granularity = 8 and commit_buffer.granularity = 4
--system kilo-tm machine.scheduler=fifo : machine: scheduler = "fifo" is not
--system kilo-tm machine.scheduler=3 : machine: scheduler = 3 is not in 0 .. 2
--system kilo-tm machine.issue_slots=3 : machine: issue_slots = 3 is not a power of two in 1 .. 4
--system kilo-tm machine.simd_width=0 : machine: simd_width = 0 is not in 1 .. 32
--system kilo-tm machine.concentration=65 : machine: concentration = 65 is not in 1 .. 64
--system kilo-tm machine.l2_port=48 : machine: l2_port = 48 is not a power of two in 0 .. 128
--system kilo-tm machine.dram_banks=64 : machine: dram_banks = 64 is not a power of two in 0 .. 32
--system kilo-tm machine.dram_queue=0 : machine: dram_queue = 0 is not in 1 .. 1024
--system kilo-tm machine.spill_latency=65537 : machine: spill_latency = 65537 is not in 0 .. 65536
--system kilo-tm machine.l1_bytes=128 : machine: l1_bytes = 128 is outside 768 .. 1048576, for l1_ways = 6
--system kilo-tm machine.l1_bytes=16384 : machine: l1_bytes = 16384 has no power of two of sets, for l1_ways = 6 lines of line_bytes = 128, expected 12288 or 24576, or other l1_ways
--system getm warp_clock.time_bits=63 : validation_unit: time_bits = 63 is not in 4 .. 48
--system si-tm timestamp_table.transactions=64 writer_table.transactions=32 : timestamp_table.transactions = 64 and writer_table.transactions = 32
--system si-tm timestamp_table.transactions=4096 reader_list.leaf_bits=32 reader_list.root_bits=64 : at least timestamp_table.transactions
--system si-tm system.literal=1 timestamp_table.literal=0 : system.literal = 1 and timestamp_table.literal = 0
--system si-tm system.literal=1 writer_table.release_at_commit=0 : system.literal = 1 and writer_table.release
--system getm tx_log.packed=1 : tx_log.packed=1", which is not used here: a store is sent as a row
--system si-tm tx_log.packed=1 : tx_log.packed=1", which is not used here: a store is sent as a row
--system si-tm version_table.row_shift=8 row_copier.row_bytes=65536 workload.accounts=16 : 2^version_table.row_shift must be at least row_copier.row_bytes
--system getm validation_unit.margin=1 : validation_unit: margin = 1 is outside 2 .. 4294967295
--system getm warp_clock.time_bits=4 warp_clock.margin=16 : validation_unit: margin = 16 is outside 2 .. 15
--system si-tm writer_table.version_bits=8 workload.transfers=9 : writer_table: version_bits = 8 is outside 10 .. 64
--system si-tm timestamp_table.stamp_bits=5 : timestamp_table: increment = 10 is outside 1 .. 5
--system warptm-tcd tcd.time_bits=1 : tcd: time_bits = 1 is outside 40 .. 64
--system warptm-tcd tcd.filter.time_bits=39 : tcd.filter: time_bits = 39 is outside 40 .. 64
TABLE
while read -r line; do
	arguments=${line%% : *} text=${line#* : }
	# shellcheck disable=SC2046
	run 2 --workload bank --threads 64 $(words "$arguments")
	grep -qF -- "$text" "$work/err" || complain "gputm-sim $arguments: $(cat "$work/err"): not \"$text\""
done <"$work/contradictions"

# ---- the least widths that a run can have: it rolls over, or is refused before it begins ----
for system in kilo-tm warptm-tcd getm si-tm si-tm-oracle; do
	for setting in $("$sim" --list $system | sed -n 's/^    \([a-z_.]*_bits\) = [0-9]*  \[\([0-9]*\) .*/\1=\2/p'); do
		[ $setting != validation_unit.count_bits=1 ] || continue # too few for two stores
		"$sim" --system $system --workload bank --threads 2000 --set workload.accounts=1000 --check \
			--set $setting >"$work/out" 2>"$work/err"
		case $?:$(grep -c 'outside\|above\|must be\|too few\|not in\|not used' "$work/err") in
		0:0 | 2:[1-9]) ;;
		*) complain "$system: $setting: $(tail -1 "$work/err")" ;;
		esac
	done
done
for margin in 2 4 12; do
	run 0 --system getm --workload bank --threads 1000 --set workload.accounts=100 --check \
		--set validation_unit.time_bits=4 --set validation_unit.margin=$margin
done

# ---- names that are wrong, values that are long or cannot be printed ----
# near GOT TEXT ARGUMENT...
near() {
	text=$1
	shift
	run 2 "$@"
	grep -qF -- "$text" "$work/err" || complain "gputm-sim $*: $(cat "$work/err"): not \"$text\""
}
near 'kilo-tm warptm warptm-tcd warptm-el getm si-tm si-tm-oracle local-tm local-tm-perfect local-serialised hetm; did you mean "kilo-tm"?' \
	--system klio-tm
near 'did you mean "hash-table"?' --workload hashtable
near 'did you mean "reference"?' --machine reference1
near 'did you mean "pdom"?' --kernel "$kernel" --divergence pdim
near 'did you mean "commit_unit"?' --set comit_unit.ring=4
near 'did you mean "cores"?' --set machine.core=4
near 'did you mean "simt_stack"?' --kernel "$kernel" --set simt_stak.depth=4
near 'did you mean --system?' --sytem ideal
near 'did you mean "warptm-tcd"?' --list warptmtcd
# Kernels of one's own: their words, variants and parameters.
own=$work/own.kernel
mine() {
	printf '%s\n' 'param size 8 1 64 "Words."' 'variant tiny size 4 "few"' 'threads 16 block 4' \
		'commits threads' 'array account size' program "	$1" '	begin' \
		'	load x = account[id % size]' '	store account[id % size] = x + 1' '	commit' >"$own"
}
mine 'lett y = 1'
near ':7:2: got "lett", expected a statement or a macro; did you mean "let"?' --workload "$own"
mine 'load y = acount[1]'
near 'did you mean "account"?' --workload "$own"
mine 'let y = siz + 1'
near 'siz is read and never set in program; did you mean "size"?' --workload "$own"
mine 'let unread = 1'
near 'got variant "tny", expected one of: tiny' --workload "$own:tny"
run 0 --workload "$own:tiny" --check
grep -qF 'own.kernel:7: "let unread" is never read' "$work/err" || complain 'an unread "let" is not told'
run 0 --list --workload "$own"
grep -qF 'workload.size = 8  [1 .. 64]' "$work/out" && grep -q 'FILE:VARIANT: tiny' "$work/out" ||
	complain '--list does not show a kernel file'
near 'all, accessed, used, needed' --set commit_unit.buffer_policy=need
near 'got "a\x1b[31mb", expected one of' --system "$(printf 'a\033[31mb')"
near 'got "a\x1b", expected a number' --threads "$(printf 'a\033')"
near 'cores = "4\x0a" is not a number' --set "machine.cores=4
"
near 'a\x0ab: cannot be opened' --keys "a
b"
long=$(awk 'BEGIN { while (i++ < 3000) printf "9" }')
for option in system machine workload threads seed format list keys trace kernel out set; do
	case $option in set) value=machine.cores=$long ;; *) value=$long ;; esac
	run 2 --$option "$value"
	[ "$(wc -c <"$work/err")" -lt 1500 ] || complain "--$option: a message of $(wc -c <"$work/err") bytes"
	grep -qF '999...' "$work/err" || complain "--$option: $(cat "$work/err")"
done
run 2 --set "$long.$long=1"
[ "$(wc -c <"$work/err")" -lt 1500 ] || complain '--set: a long message'

# ---- --list ----
run 0 -h
grep -q '^Usage' "$work/out" || complain '-h'
for machine in fermi reference thesis-3 thesis-4; do
	run 0 --machine $machine --list all
	mv "$work/out" "$work/$machine"
	for field in core_mhz l2_ways unbounded_ring simd_width dram_rc; do
		shown=$(sed -n "s/^    machine\.$field = \([0-9]*\).*/\1/p" "$work/$machine" | sed 1q)
		"$sim" --system ideal --threads 8 --machine $machine --format json >"$work/out"
		used=$(sed -n "s/^      \"$field\": \([0-9]*\).*/\1/p" "$work/out")
		[ "$shown" = "$used" ] || complain "--machine $machine --list: $field = $shown, and the run has $used"
	done
done
grep -A1 'machine.cores = 30 ' "$work/thesis-4" | grep -q 'Table 4.4' || complain 'thesis-4: source'
grep -A1 'machine.l2_ways = 64 ' "$work/thesis-3" | grep -q 'Table 3.2' || complain 'thesis-3: source'
run 0 --system kilo-tm --machine thesis-4 --threads 2048 --check
run 0 --system fine-lock --machine thesis-3 --threads 2048 --check
grep -q 'commit_id.credits = 6144 ' "$work/reference" || complain '--machine reference --list: credits'
# lists NAME HEADS...: these and no other heads, and some row
lists() {
	run 0 --list "$1"
	sed -n 's/^  \([a-z][^ ]*\) .*/\1/p' "$work/out" | tr '\n' ' ' >"$work/heads"
	[ "$(cat "$work/heads")" = "$2" ] || complain "--list $1: $(cat "$work/heads")and not $2"
	grep -q "^    $3" "$work/out" || complain "--list $1: no $3"
}
lists kilo-tm 'kilo-tm ' commit_unit.ring
lists bank 'bank ' workload.accounts
lists commit_unit 'kilo-tm warptm warptm-tcd warptm-el ' commit_unit.ring
lists tcd.filter 'warptm-tcd warptm-el ' tcd.filter.ways
lists last_written 'warptm-tcd warptm-el ' tcd.filter.ways
lists reference 'fermi reference thesis-3 thesis-4 ' 'machine.core_mhz = 700'
lists southern-islands 'local-tm local-tm-perfect local-serialised ' machine.simd_lanes
lists pdom 'pdom ' core.warps
lists block_stack 'tbc tbc-lcp ' block_stack.depth
# cycles ARGUMENT...: under ideal, where nothing but the data is drawn
cycles() {
	"$sim" --system ideal --threads 256 --format json "$@" | sed -n 's/^  "cycles": //p'
}
own=$(cycles --seed 4)
[ "$own" = "$(cycles --seed 5 --set workload.seed=4)" ] || complain 'workload.seed: other data'
[ "$own" != "$(cycles --seed 5)" ] || complain '--seed changes no data'
[ "$(cycles --workload ht-800)" != "$(cycles --workload ht-800 --set workload.seed=3)" ] ||
	complain 'workload.seed does not overrule a variant'
run 0 --system getm --list
grep -q '^  getm ' "$work/out" || complain '--system getm --list'
run 2 --machine cray --list
exit $failed
