#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Snapshot isolation in the runner: serialisable as it is by default, and not as the paper
# prints it nor without post-dating. Small tables, few versions and short clocks change
# how long a run takes and never what it is. With TRACES=directory the traces there are run.
. "${srcdir:-.}/tests/build/sim.sh"
data=$(cd "${top_srcdir:-.}/tests/data" && pwd)
cd "$work" || exit 1
always='always --check --format json --report summary'
small='--set machine.cores=3 --set machine.warps=8'

# The vote: a done to each commit unit concerned, an outcome from each, and only with it.
case_vote() {
	runs <<-TABLE
		always --check --system si-tm --format csv
		0 --workload bank --threads 256 --set system.vote=0 > none
		0 --workload bank --threads 256 > bank
		0 --workload audit > audit
	TABLE
	awk -F, '
		$2 == "traffic" && $4 ~ /^(done|outcome|write_log)[.]packets$/ { packets[FILENAME, $4] = $5; n++ }
		END {
			if (n != 9) print n + 0 " figures"
			if (packets["none", "done.packets"] || packets["none", "outcome.packets"])
				print "votes without a vote"
			if (!packets["bank", "done.packets"] || \
			    packets["bank", "done.packets"] != packets["bank", "outcome.packets"])
				print "votes asked for and given: " packets["bank", "done.packets"] " and " \
					packets["bank", "outcome.packets"]
			if (packets["audit", "write_log.packets"] < packets["audit", "done.packets"])
				print "a vote without a write"
		}' none bank audit >wrong
	[ ! -s wrong ] || complain "$(cat wrong)"
}

case_write_skew() {
	echo "$always" >table
	for machine in fermi reference; do
		for workload in skew skewr; do
			of="--machine $machine --workload $workload --system"
			for system in si-tm si-tm-oracle; do
				echo "0 $of $system |~ \"loop\": [1-9]"
			done
			for option in detection=none literal=1; do
				echo "1 $of si-tm --set system.$option : there is no serial order"
			done
		done
	done >>table
	# In the data structures it comes by itself: removals of neighbours in the list, contractions
	# that each hang their list after the other one's, which makes a ring. A later walk on the ring
	# never ends, and the run ends by patience before there is anything to check.
	for workload in list tree graph-cut; do
		for system in si-tm si-tm-oracle; do
			echo "0 --workload $workload --system $system |~ \"loop\": [1-9]"
		done
		for option in detection=none literal=1; do
			text=': there is no serial order'
			[ $workload-$option != graph-cut-detection=none ] ||
				text='~ graph-cut.kernel:.* is in one attempt for more than'
			echo "1 --workload $workload --system si-tm --set system.$option" \
				"--set machine.patience_cycles=10000000 $text"
		done
	done >>table
	runs <table
}

# The read-only anomaly, 32 times, in three warps: one reads x and y, and long afterwards writes x;
# one writes y meanwhile; a reader then sees the new y and the old x. Without the reader the first
# stands before the second and all is well.
case_anomaly() {
	for reader in 0 1; do
		awk -v reader=$reader 'BEGIN {
			for (i = 0; i < 32; i++) {
				x = 4096 + 512 * i
				printf "t %d r%x=0 r%x=0", i, x, x + 256
				for (k = 0; k < 30; k++)
					printf " r%x=0", 65536 + 128 * (32 * k + i)
				printf " w%x=0\nt %d r%x=0 w%x=0\nt %d", x, 100 + i, x + 256, x + 256, 200 + i
				for (k = 0; k < 10; k++)
					printf " r%x=0", 262144 + 128 * (32 * k + i)
				printf reader ? "\nt %d r%x=0 r%x=0\n" : "\n", 200 + i, x, x + 256
			}
		}' >reader.$reader
	done
	runs <<-TABLE
		$always --concurrency inf
		0 --system si-tm --trace reader.1 |~ "loop": [1-9]
		0 --system si-tm-oracle --trace reader.1 |~ "loop": [1-9]
		1 --system si-tm --trace reader.1 --set system.detection=none ~ no serial order: 96 transactions wait for one another, among them 3 in a cycle: thread .* read 0x1000 before
		1 --system si-tm --trace reader.1 --set system.literal=1 ~ no serial order: 96 transactions wait for one another, among them 3 in a cycle: thread .* read 0x1000 before
		0 --system si-tm --trace reader.0 --set system.detection=none
		0 --system si-tm --trace reader.0 --set system.literal=1
	TABLE
}

# As printed, nothing is known of commits that are over: a later writer overwrites them.
case_lost_updates() {
	runs <<-TABLE
		$always
		1 --system si-tm --workload atm-1024 --set system.literal=1 : no serial order
		1 --system si-tm --workload atm-1024 --set writer_table.release_at_commit=1 : no serial order
		0 --system si-tm --workload atm-1024 --set system.detection=none |~ "conflict": [1-9]
	TABLE
}

case_sizes() {
	echo "$always" >table
	for system in si-tm si-tm-oracle; do
		for limit in 1 inf; do
			for what in '--workload hash-table --threads 600' '--workload octree --threads 200' \
				'--workload bank --threads 300 --set workload.accounts=50' \
				"--trace $data/small.trace"; do
				echo "0 --system $system --concurrency $limit $small $what"
			done
		done
		for workload in audit htk-8000 atm-1024; do
			echo "0 --system $system --workload $workload"
		done
	done >>table
	# many transfers between few accounts
	cat >>table <<-TABLE
		$always --system si-tm $small --concurrency inf --workload bank --threads 300 --set workload.accounts=50
		0 --set version_table.versions=2
		0 --set version_table.versions=3
		0 --set version_table.versions=4
		0 --set version_table.versions=8
		0 --set version_table.versions=16
		0 --set writer_table.entries=64 --set reader_list.entries=64 |~ "capacity": [1-9]
		0 --set writer_table.entries=2 |~ "capacity": [1-9]
		0 --set version_table.time_bits=15 |~ "rollover": [1-9]
		0 --set version_table.stamp_bits=8 --set timestamp_table.stamp_bits=8
		0 --set timestamp_table.stamp_bits=5 --set timestamp_table.increment=5 |~ "rollover": [1-9]
		0 --set writer_table.transactions=32 --set timestamp_table.transactions=32
		0 --set writer_table.word_bytes=32 --set reader_list.word_bytes=32
		0 --set reader_list.fold=1 --set version_table.lazy=1 --set system.backoff=0
	TABLE
	runs <table
}

# Traces at random: few words and many transactions. Words that are megabytes apart lie in regions of
# their own. All but the protocol as printed is right.
case_random() {
	seeds=8
	[ "${GPUTM_TEST_SCALE:-}" != small ] || seeds=2
	awk -v seeds=$seeds '
		function draw(n) {
			x = (x * 16807) % 2147483647
			return x % n
		}
		BEGIN {
			for (seed = 1; seed <= seeds; seed++)
				for (words = 4; words <= 64; words *= 4) {
					x = seed * 100 + words
					for (i = 0; i < 300; i++) {
						line = "t " int(i / 2)
						for (k = draw(8) + 1; k > 0; k--)
							line = line sprintf(" %s%x=0", draw(3) ? "r" : "w", \
								4096 + draw(words) * (words == 64 ? 3145728 : 4))
						print line >"trace." seed "." words
					}
					close("trace." seed "." words)
				}
		}'
	echo "always --check $small --concurrency inf" >table
	seed=0
	while [ $seed -lt $seeds ]; do
		seed=$((seed + 1))
		for words in 4 16 64; do
			for system in si-tm si-tm-oracle; do
				echo "0 --system $system --trace trace.$seed.$words | Check passed"
			done
			echo "0/1 --system si-tm --set system.literal=1 --trace trace.$seed.$words 2>> literal"
		done
	done >>table
	runs <table
	grep -q 'check failed' literal || complain 'no run of the protocol as printed was found wrong'
	runs <<-TABLE
		2 --system si-tm --set row_copier.requests=1 --trace trace.$seeds.64 : row_copier.requests must be at least the regions
	TABLE
}

case_refused() {
	runs <<-TABLE
		$always --system si-tm
		2 --set timestamp_table.transactions=16 --set writer_table.transactions=16 : as many transactions as a warp has lanes
		2 --set writer_table.transactions=1024 --set timestamp_table.transactions=2048 : timestamp_table.transactions = 2048 and writer_table.transactions = 1024
		2 --set writer_table.word_bytes=8 --set reader_list.word_bytes=4 : reader_list.word_bytes = 4 and writer_table.word_bytes = 8
		2 --set version_table.reference_bits=11 : 2^version_table.reference_bits must be more
		2 --set reader_list.root_bits=32 --set reader_list.leaf_bits=32 : reader_list.root_bits x leaf_bits
		2 --set version_table.time_bits=14 : version_table.time_bits must be at least 15
		1 --workload ht-800 --set writer_table.entries=2 : too small for one transaction
		2 --workload atm-1m --set timestamp_table.stamp_bits=5 --set timestamp_table.increment=6 : timestamp_table: increment = 6 is outside 1 .. 5, as a stamp of stamp_bits = 5
	TABLE
}

case_traces() {
	[ -n "${TRACES:-}" ] || return
	cd "$OLDPWD" || exit 1 # of which TRACES may be a part
	for trace in "$TRACES"/*.trace.gz; do
		zcat "$trace" >"$work/trace"
		run 0 --check --system si-tm --trace "$work/trace"
	done
	cd "$work" || exit 1
}
cases "$@"
