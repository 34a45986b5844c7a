#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What gputm-sim's settings mean together: those that nothing uses are refused before the run, those
# that go together follow one another, and --list shows what there is.
. "${srcdir:-.}/tests/build/sim.sh"
kernel=$(cd "$srcdir/examples/kernels" && pwd)/nested.kernel
graph=$(cd "$srcdir/tests/data" && pwd)/graph.edges
cd "$work" || exit 1

# runs_of STATUS ARGUMENT...: those of a table of arguments and texts; "field=value" is a --set, K
# the kernel, G the graph
runs_of() {
	awk -v before="$*" -v kernel="$kernel" -v graph="$graph" '{
		at = match($0, / [:>] /)
		n = split(substr($0, 1, at - 1), word, " ")
		printf "%s", before
		for (i = 1; i <= n; i++)
			printf " %s", word[i] == "K" ? kernel : word[i] == "G" ? graph : \
				word[i] ~ /[.].*=/ ? "--set " word[i] : word[i]
		print substr($0, at)
	}' >table
	runs <table
}

# ---- settings that nothing uses ----
# A line is: options : words of the one sentence that refuses them. What a system, workload,
# machine or kernel uses is on no line.
case_unused() {
	cat >unused <<-'TABLE'
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
		--kernel K machine.cores=4 : --set: got "machine", expected one of: workload core access_coalescer simt_stack (for mechanism pdom; machine with --machine)
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
		--system serial machine.unit_latency=1 : not used here: the system has no units beside
		--system serial machine.patience=1 : not used here: a system of locks aborts nothing
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
	awk '{ print $0 " 2>> unused.err" }' unused >each
	runs_of 2 <each
	awk '/^gputm-sim: / { said++ } END { getline line <"unused"; rows = 1
		while ((getline line <"unused") > 0) rows++
		exit said != rows || NR != rows }' unused.err || complain "not one sentence each: $(cat unused.err)"
	runs <<-TABLE
		0 --kernel $kernel --divergence pdom --set simt_stack.lanes=32
		0 --kernel $kernel --divergence dwf --set warp_former.lanes=32
		0 --kernel $kernel --divergence tbc --set block_stack.lanes=32
	TABLE
	# the status of the program itself
	refused 'system fine-lock has no limit' --system fine-lock --concurrency 2
}

# ---- settings that go together ----
# Lines are: arguments / arguments of another run with an equal report and point
case_together() {
	cat >together <<-'TABLE'
		--system kilo-tm commit_unit.ring=960 / --system kilo-tm commit_id.ring=960
		--system kilo-tm commit_unit.ring=960 / --system kilo-tm commit_unit.ring=960 commit_id.ring=960 commit_id.credits=64
		--system warptm commit_id.credits=4000 / --system warptm commit_id.ring=60000 commit_id.credits=4000
		--system kilo-tm commit_unit.first_cid=9 / --system kilo-tm commit_id.first_cid=9
		--system warptm system.resolver=none / --system warptm system.resolver=none commit_sequencer.mode=0
		--system getm commit_buffer.granularity=4 / --system getm validation_unit.granularity=4
		--system getm tx_log.address_bits=40 / --system getm validation_unit.address_bits=40
		--system getm warp_access_filter.address_bits=40 / --system getm commit_buffer.address_bits=40
		--system getm warp_clock.time_bits=20 / --system getm validation_unit.time_bits=20
		--system getm warp_clock.margin=500 / --system getm validation_unit.margin=500
		--system getm warp_clock.time_bits=8 / --system getm validation_unit.time_bits=8 validation_unit.margin=64
		--system si-tm writer_table.transactions=1024 / --system si-tm timestamp_table.transactions=1024
		--system si-tm writer_table.word_bytes=32 / --system si-tm reader_list.word_bytes=32
		--system si-tm version_table.stamp_bits=16 / --system si-tm timestamp_table.stamp_bits=16
		--system si-tm timestamp_table.transactions=4096 / --system si-tm writer_table.transactions=4096 reader_list.leaf_bits=64
	TABLE
	awk '{
		split($0, run, " / ")
		for (i = 1; i <= 2; i++)
			print run[i] " > together." NR "." i
	}' together >each
	runs_of 0 --workload bank --threads 200 --report instances --format jsonl <each
	# all but what was given; the hash of the point stays
	awk '
		{ gsub(/"point[.][a-z_]+[.][a-z_.]+":[^,]*,/, "") }
		FILENAME ~ /1$/ { first = $0; next }
		{ pairs++ }
		$0 != first || length($0) < 2000 { print FILENAME }
		END { if (pairs != 15) print pairs " pairs" }' $(awk '{ print "together." NR ".1 together." NR ".2" }' together) >wrong
	[ ! -s wrong ] || complain "not the same: $(cat wrong)"
	grep -q '"config.commit_id.credits":64,' together.1.1 || complain "960 entries: not 64 credits a core"

	runs_of 2 --workload bank --threads 64 <<-'TABLE'
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
		--system kilo-tm machine.concentration=257 : machine: concentration = 257 is not in 1 .. 256
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
}

# ---- the least widths that a run can have: it rolls over, or is refused before it begins ----
case_widths() {
	systems='kilo-tm warptm-tcd getm si-tm si-tm-oracle'
	for system in $systems; do
		echo "0 --list $system > $system.list"
	done >table
	runs <table
	set --
	for system in $systems; do
		set -- "$@" $system.list
	done
	# count_bits=1 is too few for two stores
	awk '
		FNR == 1 { name = FILENAME; sub(/[.]list/, "", name) }
		match($0, /^    [a-z_.]*_bits = [0-9]*  \[[0-9]* /) {
			least = $4; sub(/^\[/, "", least)
			if ($1 == "validation_unit.count_bits")
				next
			print "0/2 --system " name " --workload bank --threads 2000 --set workload.accounts=1000" \
				" --check --set " $1 "=" least " ~ outside|above|must be|too few|not in|not used"
			widths++
		}
		END { if (widths < 30) print "no widths" }' "$@" >table
	for margin in 2 4 12; do
		echo "0 --system getm --workload bank --threads 1000 --set workload.accounts=100 --check" \
			"--set validation_unit.time_bits=4 --set validation_unit.margin=$margin"
	done >>table
	runs <table
}

# ---- names that are wrong, values that are long or cannot be printed ----
case_names() {
	# Kernels of one's own: their words, variants and parameters.
	for mine in lett:'lett y = 1' acount:'load y = acount[1]' siz:'let y = siz + 1' \
		own:'let unread = 1'; do
		printf '%s\n' 'param size 8 1 64 "Words."' 'variant tiny size 4 "few"' 'threads 16 block 4' \
			'commits threads' 'array account size' program "	${mine#*:}" '	begin' \
			'	load x = account[id % size]' '	store account[id % size] = x + 1' '	commit' \
			>"${mine%%:*}.kernel"
	done
	esc=$(printf '\033')
	mkdir -p bank nothing
	runs <<-TABLE
		0 --workload bank --threads 64
		2 --workload nothing : --workload: got "nothing", which is a directory
		2 --set stall_lines=4 : expected PATH.FIELD=VALUE : stall_lines is validation_unit.stall_lines of --system getm
		2 --set stal_lines=4 : did you mean validation_unit.stall_lines of --system getm?
		2 --set validation_unit.stall_lines=4 : (for system kilo-tm, workload hash-table); stall_lines is validation_unit.stall_lines of --system getm
		2 --set accounts=4 : accounts is workload.accounts of --workload bank
		2 --list stall_lines : stall_lines is validation_unit.stall_lines of --system getm
		2 --list warps : warps is machine.warps; : ; and others
		2 --system GETM : did you mean "getm"?
		2 --list Hash-Table : did you mean "hash-table"?
		2 --System getm : did you mean --system?
		2 --workload . : --workload: got ".", which is a directory, expected a name that --list tells, or --kernel FILE
		2 --study $kernel : nested.kernel:1: got a kernel, expected lines NAME VALUE... (--kernel FILE runs it
		2 --config $kernel : nested.kernel:1: got a kernel
		2 --kernel plain.study : plain.study: got a study, expected a kernel (--study FILE runs it)
		2 --system klio-tm : kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle local-tm local-tm-perfect local-serialised hetm; did you mean "kilo-tm"?
		2 --workload hashtable : did you mean "hash-table"?
		2 --machine reference1 : did you mean "reference"?
		2 --kernel $kernel --divergence pdim : did you mean "pdom"?
		2 --set comit_unit.ring=4 : did you mean "commit_unit"?
		2 --set machine.core=4 : did you mean "cores"?
		2 --kernel $kernel --set simt_stak.depth=4 : did you mean "simt_stack"?
		2 --sytem ideal : did you mean --system?
		2 --list warptmtcd : did you mean "warptm-tcd"?
		2 --workload lett.kernel : :7:2: got "lett", expected a statement or a macro; did you mean "let"?
		2 --workload acount.kernel : did you mean "account"?
		2 --workload siz.kernel : siz is read and never set in program; did you mean "size"?
		2 --workload own.kernel:tny : got variant "tny", expected one of: tiny
		0 --workload own.kernel:tiny --check : own.kernel:7: "let unread" is never read
		0 --list --workload own.kernel | workload.size = 8  [1 .. 64] | FILE:VARIANT: tiny
		2 --set commit_unit.buffer_policy=need : all, accessed, used, needed
		2 --system a$esc[31mb : got "a\x1b[31mb", expected one of
		2 --threads a$esc : got "a\x1b", expected a number
	TABLE
	refused 'cores = "4\x0a" is not a number' --set "machine.cores=4
"
	refused 'a\x0ab: cannot be opened' --keys "a
b"
	awk 'BEGIN {
		while (i++ < 3000) long = long "9"
		n = split("system machine workload threads seed format list keys trace kernel out", option)
		for (i = 1; i <= n; i++)
			print "2 --" option[i] " " long " 2>> long.err"
		print "2 --set machine.cores=" long " 2>> long.err"
		print "2 --set " long "." long "=1 2>> longer.err"
	}' >table
	runs <table
	awk 'length($0) >= 1500 || (FILENAME == "long.err" && !/999[.][.][.]/) { print FILENAME ": " $0 }
		END { if (NR != 13) print NR " messages" }' long.err longer.err >wrong
	[ ! -s wrong ] || complain "long values: $(cut -c 1-200 wrong)"
}

# ---- --list ----
case_list() {
	number=0
	# NAME : HEADS : these and no other heads, and some row
	cat >names <<-'TABLE'
		kilo-tm : kilo-tm : commit_unit.ring
		bank : bank : workload.accounts
		commit_unit : kilo-tm warptm warptm-tcd warptm-el eapg : commit_unit.ring
		tcd.filter : warptm-tcd warptm-el eapg : tcd.filter.ways
		last_written : warptm-tcd warptm-el eapg : tcd.filter.ways
		reference : fermi reference thesis-3 thesis-4 : machine.core_mhz = 700
		southern-islands : local-tm local-tm-perfect local-serialised : machine.simd_lanes
		pdom : pdom : core.warps
		block_stack : tbc tbc-lcp : block_stack.depth
	TABLE
	{
		while IFS=: read -r name heads row; do
			number=$((number + 1))
			echo "0 --list $name > names.$number |~ ^    ${row# }"
		done <names
		for machine in fermi reference thesis-3 thesis-4; do
			echo "0 --machine $machine --list all > $machine.list"
			echo "0 --system ideal --threads 8 --machine $machine --format csv > $machine.run"
		done
		echo '0 -h |~ ^Usage'
		echo '0 --system kilo-tm --machine thesis-4 --threads 2048 --check'
		echo '0 --system fine-lock --machine thesis-3 --threads 2048 --check'
		echo '0 --system getm --list |~ ^  getm '
		echo '2 --machine cray --list'
		# under ideal, where nothing but the data is drawn
		ideal='--system ideal --threads 256 --format csv --only cycles'
		echo "0 $ideal --seed 4 > cycles.4"
		echo "0 $ideal --seed 5 --set workload.seed=4 > cycles.5-4"
		echo "0 $ideal --seed 5 > cycles.5"
		echo "0 --system ideal --format csv --only cycles --threads 256 --workload ht-800 > cycles.ht"
		echo "0 --system ideal --format csv --only cycles --threads 256 --workload ht-800 --set workload.seed=3 > cycles.ht-3"
	} >table
	runs <table
	awk '
		FILENAME == "names" { split($0, part, " : "); want[FNR] = part[2]; names = FNR; next }
		FILENAME ~ /^names/ {
			if (match($0, /^  [a-z][^ ]* /))
				heads[substr(FILENAME, 7)] = heads[substr(FILENAME, 7)] " " $1
			next
		}
		{ of = FILENAME; sub(/[.].*/, "", of) }
		FILENAME ~ /list$/ {
			if ($1 ~ /^machine[.]/ && $2 == "=" && !(of $1 in shown)) shown[of $1] = $3
			if (of == "thesis-4" && /machine.cores = 30 /) cores = FNR
			if (of == "thesis-4" && cores && FNR <= cores + 1 && /Table 4.4/) source4 = 1
			if (of == "thesis-3" && /machine.l2_ways = 64 /) ways = FNR
			if (of == "thesis-3" && ways && FNR <= ways + 1 && /Table 3.2/) source3 = 1
			if (of == "reference" && /commit_id.credits = 6144 /) credits = 1
			next
		}
		FILENAME ~ /run$/ {
			split($0, f, ",")
			if (f[2] == "config" && f[4] in field) {
				used[of]++
				if (shown[of f[4]] == "" || shown[of f[4]] != f[5])
					print "--machine " of " --list: " f[4] " = " shown[of f[4]] \
						", and the run has " f[5]
			}
			next
		}
		/,cycles,/ { cycles[FILENAME] = substr($0, index($0, ",")) }
		BEGIN {
			n = split("core_mhz l2_ways unbounded_ring simd_width dram_rc", name)
			for (i = 1; i <= n; i++) field["machine." name[i]] = 1
		}
		END {
			for (i = 1; i <= names; i++)
				if (heads[i] != " " want[i]) print "--list: heads" heads[i] " and not " want[i]
			if (names != 9) print names " names"
			n = split("fermi reference thesis-3 thesis-4", machine)
			for (i = 1; i <= n; i++)
				if (used[machine[i]] != 5) print machine[i] ": fields of the run"
			if (!source3 || !source4) print "thesis-3, thesis-4: source"
			if (!credits) print "--machine reference --list: credits"
			if (cycles["cycles.4"] == "" || cycles["cycles.4"] != cycles["cycles.5-4"])
				print "workload.seed: other data"
			if (cycles["cycles.4"] == cycles["cycles.5"]) print "--seed changes no data"
			if (cycles["cycles.ht"] == cycles["cycles.ht-3"] || cycles["cycles.ht"] == "")
				print "workload.seed does not overrule a variant"
		}' names names.[1-9] *.list *.run cycles.* >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}
cases "$@"
