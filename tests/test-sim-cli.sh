#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gputm-sim from outside: what it refuses and how it says so, the shapes of its reports, that
# equal runs give equal bytes, and that every system passes --check on small data.
# TRACES=DIR runs the recorded traces in DIR (*.trace.gz) too.
. "${srcdir:-.}/tests/build/sim.sh"
data=$(cd "$srcdir/tests/data" && pwd)
manual=$(cd "$srcdir/man" && pwd)
cd "$work" || exit 1
"$sim" --list >list || complain '--list'
systems=$(awk '/^Systems/ { on = 1; next } /^Workloads/ { on = 0 } on && /^  [a-z]/ { print $1 }' list)

# Beside the table: the program itself, with its exit status and what it leaves unsaid.
case_usage() {
	run 0 --version
	case $(cat out) in 'gputm-sim '[0-9]*) ;; *) complain "--version: $(cat out)" ;; esac
	refused --bogus --system ideal --bogus
	refused '"0"' --system ideal --threads 0
	run 0 --help
	# Options in --help and in the manual page, and names in --list and there.
	awk -v options='system machine workload keys edges vertices trace threads concurrency seed set check format
out progress list version help' -v names="fermi reference $(echo $systems) hash-table bank octree list tree
graph-cut trace ht-800 ht-8000 ht-80000 htk-8000 htk-80000 atm-1m atm-1024 audit skew skewr" '
		FILENAME == "out" { help = help $0 "\n"; next }
		FILENAME == "list" { if (/^  [^ ]/) listed[$1] = 1; next }
		{ page = page $0 "\n" }
		/^[.].*Cm/ { named = named " " $0 " " }
		END {
			n = split(options, option)
			for (i = 1; i <= n; i++) {
				if (!index(help, "--" option[i])) print "--help does not tell of --" option[i]
				if (!index(page, "Fl -" option[i]))
					print "the manual does not tell of --" option[i]
			}
			n = split(names, name)
			for (i = 1; i <= n; i++) {
				if (!(name[i] in listed)) print "--list does not tell of " name[i]
				if (name[i] != "trace" && named !~ " " name[i] "[^a-z0-9_]")
					print "the manual does not tell of " name[i]
			}
		}' out list "$manual"/gputm-sim.1 "$manual"/gputm-[mrs]*.7 >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
	if [ -c /dev/full ]; then
		for option in --list --help --version '--system ideal --threads 8'; do
			# shellcheck disable=SC2086
			"$sim" $option >/dev/full 2>err && complain "$option: exit 0 on a full device"
			grep -q 'could not be written' err || complain "$option: $(cat err)"
		done
	fi
	# Kernels lie beside the program itself, and not beside a link to it.
	ln -s "$sim" linked
	(unset GPUTM_KERNELS; ./linked --list ht-800 >out) || complain 'a link to gputm-sim: no workloads'
}

case_refused() {
	printf 't 1 r1000=0\nt 2 r1002=0\n' >bad.trace
	printf '# transactions: 3\nt 1 r1000=0\n' >short.trace
	printf 't 1 r1000=0\nt 2 r10' >cut.trace
	printf 't 1 r7f8a46000000=0\n' >large.trace
	printf '\357\273\277# of Windows\r\n\r\nt 1 r1000=0\r\nt 2 w0x1004=1' >crlf.trace
	printf '\037\213\010\000' >packed.gz
	printf '101 102 0.5\n\n%% of a matrix\n102 103\n103 103\n' >from-101.edges
	printf '\357\273\2770 1\r\n1 2\r\n2 2' >crlf.edges
	printf '0 1\n' >two.edges
	printf '0 1\001\n' >cr.edges
	head -c 5000 "$data/small.trace" >part.trace
	printf '# my graph\n0 1\n1 x\n' >bad.edges
	printf '0 1\n2 3\n3 2\n' >apart.edges
	: >no.edges
	printf 'one\ntwo \001\n' >bad.words
	runs <<-TABLE
		0 --list all | machine.cores = 15  [1 .. 256] |~ workload.buckets = 8000  \[1 [.][.] 
		2 --system getm --set metadata_table.entries=4 : --set: got "metadata_table.entries=4", expected a parameter of validation_unit, which has those of its part metadata_table
		2 --system getm --set stall_buffer.entries=4 : --set: got "stall_buffer.entries=4", expected a parameter of validation_unit, which has those of its part stall_buffer
		1 --system getm --workload bank --threads 500 --set workload.accounts=30 --set warp_clock.backoff_base=0 --set machine.patience=5000 > livelock : machine.patience = 5000 attempts
		1 --system getm --workload bank --threads 500 --set workload.accounts=50 --set validation_unit.count_bits=1 --set machine.patience_cycles=5000000 : machine.patience_cycles = 5000000 cycles
		2 --check --seed : --seed: got nothing, expected N
		2 --system fine-lock --workload audit : it has no program with locks
		always --system ideal
		2 --list metadata_table : --list: got "metadata_table", expected validation_unit, which has the parameters of its part metadata_table
		2 --list stall_buffer : --list: got "stall_buffer", expected validation_unit, which has the parameters of its part stall_buffer
		2 hash-table : hash-table
		2 --system tsx : --system : tsx : ideal : coarse-lock
		2 --machine cray : --machine : cray : fermi : reference
		2 --workload sudoku : --workload : sudoku : --list
		2 --threads 0 : --threads : "0" : 1 .. 
		2 --concurrency 1000 : --concurrency : "1000" : 1 .. 64 or inf
		2 --set tx_throttle.limit=3 : tx_throttle.limit=3 : expected --concurrency
		2 --system fine-lock --set tx_throttle.policy=climb : tx_throttle
		2 --format xml : --format : "xml" : text|json|jsonl|csv|gem5
		2 --trace $data/small.trace --threads 8 : --threads
		2 --trace $data/small.trace --workload bank : --workload
		2 --keys $data/words.txt --workload bank : --keys
		2 --keys $data/words.txt --threads 1000 : --threads : "1000" : 1 .. 60
		2 --edges $data/graph.edges : --edges
		2 --edges $data/graph.edges --workload list : --edges
		2 --edges $data/graph.edges --trace $data/small.trace : --edges
		2 --edges none --workload graph-cut : none : cannot be opened
		2 --keys none : none : cannot be opened
		2 --trace none : none : cannot be opened
		2 --out none/report : --out : none/report
		0 --system ideal --workload ht-800 --threads 64 --check
		# impossible settings name field, value and range
		2 --set machine.cores=0 : machine: cores = 0 is not in 1 .. 256
		2 --set machine.cores=many : machine: cores = "many" is not a number in 1 .. 256
		2 --set machine.gears=5 : gears
		2 --set machine.l2_ways=3 : machine: l2_ways = 3 is not a power of two in 1 .. 64
		2 --set engine.size=5 : got "engine", expected one of: machine workload
		2 --set workload.buckets=0 : buckets = 0 is not
		2 --system ideal --workload ht-800 --set workload.buckets=10 : workload
		2 --workload list --set workload.keys=0 : keys = 0 is not in 1 .. 
		2 --workload list --set workload.keys=100 --set workload.elements=101 : elements 101 is not in 0 .. 100
		2 --workload tree --set workload.operations=0 : operations = 0 is not in 1 .. 
		2 --workload tree --set workload.lookups=80 --set workload.removals=40 : removals 40 is not in 0 .. 20
		2 --workload graph-cut --set workload.vertices=0 : vertices = 0 is not in 3 .. 
		2 --workload graph-cut --set workload.edges=5 : edges 5 is not in 59 .. 
		2 --set cores=5 : cores=5 : PATH.FIELD=VALUE : cores is machine.cores
		# units too small for the machine or the workload, found before anything runs
		2 --system kilo-tm --workload bank --set commit_unit.lanes=31 : commit_unit: lanes = 31 is outside 32 .. 64
		2 --system kilo-tm --workload bank --set commit_unit.address_bits=31 : address_bits = 31 is outside 32 .. 6
		2 --system kilo-tm --workload bank --set tx_log.address_bits=8 : tx_log: address_bits = 8 is outside 32 .. 64
		2 --system kilo-tm --workload bank --set commit_id.credits=31 ~ commit_id: credits = 31 is outside 32 [.][.] 
		2 --system kilo-tm --workload bank --set commit_unit.warp_mode=1 : warptm
		2 --system warptm --workload bank --set ownership_table.lanes=1 ~ ownership_table: lanes = 1 is outside 32 [.][.] 
		2 --system warptm-tcd --workload bank --set tcd.warps=47 ~ tcd: warps = 47 is outside 48 [.][.] 
		2 --system warptm-tcd --workload bank --set tcd.filter.address_bits=16 : tcd.filter: address_bits = 16 is outside 32
		2 --system getm --workload bank --set validation_unit.warp_bits=9 ~ validation_unit: warp_bits = 9 is outside 10 [.][.] 
		2 --system si-tm --workload bank --set reader_list.address_bits=16 : reader_list: address_bits = 16 is outside 32
		2 --system si-tm --workload bank --set row_copier.address_bits=38 : row_copier.address_bits are too few
		2 --system kilo-tm --workload bank --set machine.warps=3 : machine: warps = 3 is outside 4 .. 64
		2 --system kilo-tm --workload bank --set machine.lanes=2 : machine: lanes = 2 is outside 3 .. 32
		# those that would be wrong
		2 --system si-tm --workload bank --set version_table.plain_as_given=1 : plain_as_given = 1 is outside 0 .. 0
		2 --system si-tm-oracle --workload bank --set version_table.plain_as_given=1 : plain_as_given = 1 is outside 0 .. 0
		# one that only this machine makes possible
		0 --system kilo-tm --workload bank --threads 64 --set machine.lanes=8 --set commit_unit.lanes=8 --set commit_id.credits=8
		# files that do not parse
		2 --trace bad.trace : bad.trace:2: got "r1002=0", expected an address
		2 --trace short.trace : short.trace:3: truncated: 3 transactions announced, 1 read
		2 --trace cut.trace : cut.trace:2: got "r10", expected : truncated? 1 transactions read
		2 --trace large.trace : got "r7f8a46000000=0", expected an address within 1000 .. 7ffffffc, as this one is out of range
		0 --trace crlf.trace --check
		2 --trace packed.gz : packed.gz:1: got gzip data, expected a text (gzip -dc FILE prints that, and - as a file is standard input)
		2 --workload graph-cut --edges packed.gz : got gzip data
		2 --keys packed.gz : got gzip data
		2 --config packed.gz : got gzip data
		always
		2 --study packed.gz : got gzip data
		2 --merge packed.gz : got gzip data
		2 --compare packed.gz packed.gz : got gzip data
		always --system ideal
		2 --kernel packed.gz : got gzip data
		2 --trace . : .: cannot be opened: Is a directory
		0 --workload graph-cut --edges crlf.edges --check
		0 --workload graph-cut --edges from-101.edges --vertices renumbered --check
		2 --workload graph-cut --edges from-101.edges : edges 3 is not in 103 .. : (--vertices renumbered leaves out those without edges)
		2 --workload graph-cut --edges two.edges : vertices = 2, of --edges, is not in 3 .. 1048576
		2 --vertices renumbered : --vertices: it numbers those of a file, expected --edges FILE too
		2 --workload graph-cut --edges cr.edges : cr.edges:1: got "0 1\x01"
		2 --trace part.trace : truncated : 240 transactions announced
		2 --workload graph-cut --edges bad.edges : bad.edges:3: got "1 x", expected an edge
		2 --workload graph-cut --edges apart.edges : vertex 2 has no way to vertex 0, and the graph must be connected
		2 --workload graph-cut --edges no.edges : no.edges:1: got end of file, expected an edge
		2 --keys bad.words : bad.words:2: got "\x01", expected words of text
		2 --trace - : <stdin>:1: got end of file, expected a transaction
	TABLE
	# A run without end, as nobody backs off, or as granules take one reserved write and transfers
	# write two words of one, is given up.
	[ ! -s livelock ] || complain 'livelock: wrote a report'
}

case_reports() {
	cat >plain.kernel <<-'KERNEL'
		threads 64 block 32
		array a 1

		program
			load x = a[0]
			store a[0] = x + 1
	KERNEL
	small='--workload bank --threads 256 --set workload.accounts=64'
	wide='--set machine.cores=130 --set machine.partitions=33' many='ideal kilo-tm warptm-el getm si-tm'
	[ "${GPUTM_TEST_SCALE:-}" != small ] || many='ideal getm'
	runs <<-TABLE
		0 --workload plain.kernel --check | Nothing was checked: no transaction has committed !| passed
		always --system ideal
		0 $small --format json --report instances > json
		0 $small --check --format json --report instances > json.check
		0 $small --format csv > csv
		0 $small --check --format csv > csv.check
		0 $small | Not checked
		0 $small --check | Check passed: the run was serialisable
		0 $small --check --format json --out report > nothing
		0 $small --progress never 2> silent
		$(for system in $many; do
			echo "0 --system $system --workload bank --threads 8200 $wide --check | Check passed"
		done)
		0 --workload htk-8000 --progress always : of 23040 threads
		0 --trace - --format csv < $data/small.trace > piped
		0 --trace $data/small.trace --format csv > named
	TABLE
	[ ! -s nothing ] || complain '--out: standard output is not empty'
	grep -q '"passed": true' report || complain '--out: no report'
	[ ! -s silent ] || complain '--progress never: standard error is not empty'
	cat json json.check | "$tests/json-lint" 2 || complain 'a report is no JSON'
	awk -F, '
		function end_of_file(    key) {
			for (key in wanted)
				if (FILENAME ~ /json/ && seen[key] != 1) print file ": no key " key
				else if (file ~ /csv/ && !(wanted[key] in seen))
					print file ": no figure " wanted[key]
			split("", seen); split("", wanted)
		}
		FNR == 1 {
			if (file != "") end_of_file()
			file = FILENAME
			n = split(file ~ /json/ ? "version system machine workload config core_mhz cycles " \
				"committed aborted aborts_by_reason traffic wall_seconds check units" : \
				",,version config,,threads config,,machine.cores config,,workload.accounts " \
				"aborts_by_reason,,conflict traffic,,load.packets traffic,,total.flits", key, " ")
			for (i = 1; i <= n; i++) wanted[key[i]] = key[i]
			if (file ~ /csv/) {
				if ($0 != "run,role,instance,statistic,value") print file ": no header"
				next
			}
		}
		file ~ /csv/ {
			if (NF != 5 || $1 !~ /^[0-9a-f]+$/ || length($1) != 16)
				print file ": not five columns, or no run: " $0
			if ($2 "," $3 "," $4 in seen) print file ": a figure comes twice: " $0
			seen[$2 "," $3 "," $4] = 1
		}
		file ~ /json/ && match($0, /^  "[a-z_]+": /) { seen[substr($0, 4, RLENGTH - 6)]++ }
		END { end_of_file() }' json json.check csv csv.check >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
	awk -F, '$4 ~ /cycles/ && $2 != "config" { n[FILENAME]++; all[FILENAME] = all[FILENAME] "\n" $2 $3 $4 $5 }
		END { exit all["piped"] != all["named"] || n["piped"] < 2 }' piped named ||
		complain 'a trace runs otherwise from standard input'
}

# What gputm-kernel(5) says to do in place of what the language leaves out.
case_left_out() {
	cat >deep.kernel <<-'KERNEL'
		threads 64 block 32
		array word 8
		commits threads

		macro move(from, to, inside)
			if !inside
				begin
			end
			load x = word[from]
			store word[from] = x - 1
			load y = word[to]
			store word[to] = y + 1
			if !inside
				commit
			end
		end

		program
			let i = id % 4
			if id & 1
				begin
				load n = word[i + 4]
				store word[i + 4] = n + 1
				move(i, (i + 1) % 4, 1)
				commit
			else
				move(i, (i + 1) % 4, 0)
			end

		verify
			for i = 0 below 4
				set sum = sum + word[i]
				set ones = ones + word[i + 4]
			end
			require sum == 0 && ones == threads / 2 "sum" sum "ones" ones
	KERNEL
	cat >abort.kernel <<-'KERNEL'
		threads 128 block 32
		array account 4 { money }
		array refused threads
		commits threads

		setup
			for i = 0 below 4
				store account[i].money = 10
			end

		program
			let into = (id + 1) % 4
			begin
			load have = account[id % 4].money
			let gives_up = have < 3
			load other = account[into].money
			store account[id % 4].money = have - 3 if !gives_up
			store account[into].money = other + 3 if !gives_up
			commit
			store refused[id] = 1 if gives_up

		verify
			for i = 0 below 4
				set sum = sum + account[i].money
			end
			require sum == 40 "sum" sum
	KERNEL
	cat >several.kernel <<-'KERNEL'
		threads 64 block 32
		array word 4
		array way threads
		commits threads

		program
			begin
			load x = word[id % 4]
			if x & 1
				store word[id % 4] = x + 3
				let took = 1
			else
				store word[id % 4] = x + 1
				let took = 2
			end
			commit
			if took == 1
				store way[id] = 1
			else
				store way[id] = 2
			end

		verify
			for i = 0 below threads
				require way[i] "thread" i
			end
	KERNEL
	cat >own.kernel <<-'KERNEL'
		const own = 8
		threads 64 block 32
		commits threads
		array mine own * threads
		array word 4

		program
			for i = 0 below own
				store mine[i * threads + id] = id * i
			end
			set sum = 0
			for i = 0 below own
				load x = mine[i * threads + id]
				let sum = sum + x
			end
			begin
			load before = word[id % 4]
			store word[id % 4] = before + sum
			commit

		verify
			for i = 0 below threads
				set all = all + 28 * i
			end
			for i = 0 below 4
				set found = found + word[i]
			end
			require found == all "found" found "expected" all
	KERNEL
	cat >wide.kernel <<-'KERNEL'
		threads 64 block 32
		commits threads
		array sum 2 { low high }

		program
			let more = 0xf0000000 + id
			let i = id % 2
			begin
			load low = sum[i].low
			load high = sum[i].high
			let new = low + more
			store sum[i].low = new
			store sum[i].high = high + (new < low)
			commit

		verify
			for i = 0 below threads
				set more = 0xf0000000 + i
				set low = low + more
				set high = high + (low < more)
			end
			set got = sum[0].low + sum[1].low
			set up = sum[0].high + sum[1].high + (got < sum[0].low)
			require got == low && up == high "got" up got "expected" high low
	KERNEL
	for kernel in deep abort several own wide; do
		for system in kilo-tm getm; do
			echo "0 --kernel $kernel.kernel --system $system --check | Check passed"
		done
	done >table
	runs <table
}

case_equal() {
	for system in $systems; do
		for i in 1 2; do
			echo "0 --system $system --threads 512 --set workload.buckets=64 --seed 7 --report instances" \
				"--format jsonl > run$i"
		done
		echo "same run1 run2"
	done >table
	runs <table
}

# Every system is right on small data.
case_checked() {
	limits='1 inf'
	[ "${GPUTM_TEST_SCALE:-}" != small ] || limits=inf
	# A watchdog that looks at a warp before each of its instructions does not keep it from them.
	for system in kilo-tm warptm warptm-tcd; do
		echo "0 --system $system --workload skew --set commit_sequencer.watchdog_cycles=1 --check"
	done >table
	for system in $systems; do
		for c in $limits; do
			limit="--concurrency $c"
			[ "$system" != fine-lock ] || limit=
			for what in "--keys $data/words.txt" "--trace $data/small.trace" \
				'--workload bank --threads 500 --set workload.accounts=50 --machine reference' \
				'--workload octree --threads 500' '--workload list --threads 100' \
				"--workload graph-cut --edges $data/graph.edges" \
				'--workload tree --threads 500' '--workload skew'; do
				[ "$system $what" = 'fine-lock --workload skew' ] ||
					echo "0 --system $system $what --check $limit | Check passed"
			done
			[ "$system" != fine-lock ] || break
		done
		case $system in
		fine-lock | coarse-lock | serial) ;;
		*) echo "0 --system $system --workload audit --threads 2048 --check" ;;
		esac
	done >>table
	runs <table
}

case_traces() {
	if [ -z "${TRACES:-}" ]; then
		echo 'SKIP: recorded traces: TRACES is not set'
		return
	fi
	# A part of the three traces that take longest (vacation has 4,096 transactions): what is left out
	# would take longer than all that is run.
	transactions() {
		case $1 in
		*/stamp_intruder.*) most=1440 ;;
		*/stamp_vacation_low.*) most=1024 ;;
		*/gc_karger_roget.*) most=800 ;;
		*) most=1000000 ;;
		esac
		zcat "$1" | grep -v '^# transactions:' | head -n $most
	}
	cd "$OLDPWD" || exit 1 # of which TRACES may be a part
	for trace in "$TRACES"/*.trace.gz; do
		for system in $systems hetm; do
			case $system,$trace in
			fine-lock,*) continue ;;
			# These take ten seconds and more.
			hetm,*/cl_grid64.* | si-tm-oracle,*/stamp_intruder.*) continue ;;
			esac
			transactions "$trace" |
				"$sim" --system "$system" --trace - --check >"$work/out" 2>&1 ||
				complain "$system on $trace: $(tail -3 "$work/out")"
		done
	done
	cd "$work" || exit 1
}
cases "$@"
