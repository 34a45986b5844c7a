#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Snapshot isolation in the runner: serialisable as it is by default, and not as the paper
# prints it nor without post-dating. Small tables, few versions and short clocks change
# how long a run takes and never what it is. With TRACES=directory the traces there are run.
. "${srcdir:-.}/tests/build/sim.sh"
always='--check --format json'
data=${top_srcdir:-.}/tests/data
small='--set machine.cores=3 --set machine.warps=8'

# says WORDS: of the last run
says() {
	grep -q "$1" "$work/err" || complain "expected \"$1\", got: $(tail -1 "$work/err")"
}

# aborts REASON: there were some in the last run
aborts() {
	grep -q "\"$1\": [1-9]" "$work/out" || complain "no abort with reason $1"
}

# ---- the vote: a done to each commit unit concerned, an outcome from each, and only with it ----
packets() {
	awk -v kind="\"$1\":" '$1 == kind && $2 == "{" { getline; print $2 + 0; exit }' "$work/out"
}
run 0 --system si-tm --workload bank --threads 256 --set system.vote=0
{ [ "$(packets done)" = 0 ] && [ "$(packets outcome)" = 0 ]; } || complain "votes without a vote"
run 0 --system si-tm --workload bank --threads 256
{ [ "$(packets done)" -gt 0 ] && [ "$(packets done)" = "$(packets outcome)" ]; } ||
	complain "votes asked for and given: $(packets done) and $(packets outcome)"
run 0 --system si-tm --workload audit
[ "$(packets write_log)" -ge "$(packets done)" ] || complain "a vote without a write"

# ---- write skew ----
for machine in fermi reference; do
	for workload in skew skewr; do
		for system in si-tm si-tm-oracle; do
			run 0 --machine $machine --workload $workload --system $system
			aborts loop
		done
		for option in detection=none literal=1; do
			run 1 --machine $machine --workload $workload --system si-tm \
				--set system.$option
			says 'there is no serial order'
		done
	done
done

# In the data structures it comes by itself: removals of neighbours in the list, contractions that
# each hang their list behind the other one's, which makes a ring. A later walk on the ring never
# ends, and the run ends by patience before there is anything to check.
for workload in list tree graph-cut; do
	for system in si-tm si-tm-oracle; do
		run 0 --workload $workload --system $system
		aborts loop
	done
	for option in detection=none literal=1; do
		run 1 --workload $workload --system si-tm --set system.$option \
			--set machine.patience_cycles=10000000
		case $workload-$option in
		graph-cut-detection=none) says 'graph-cut.kernel:.* is in one attempt for more than' ;;
		*) says 'there is no serial order' ;;
		esac
	done
done

# ---- the read-only anomaly ----
# 32 times, in three warps: one reads x and y, and long afterwards writes x; one writes y
# meanwhile; a reader then sees the new y and the old x. Without the reader the first
# stands before the second and all is well.
anomaly() {
	awk -v reader="$1" 'BEGIN {
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
	}' >"$work/trace"
}

anomaly 1
for system in si-tm si-tm-oracle; do
	run 0 --system $system --concurrency inf --trace "$work/trace"
	aborts loop
done
for option in detection=none literal=1; do
	run 1 --system si-tm --concurrency inf --trace "$work/trace" --set system.$option
	says 'no serial order: 96 transactions wait for one another, among them 3 in a cycle: thread .* read 0x1000 before'
done
anomaly 0
for option in detection=none literal=1; do
	run 0 --system si-tm --concurrency inf --trace "$work/trace" --set system.$option
done

# ---- lost updates ----
# As printed, nothing is known of commits that are over: a later writer overwrites them.
run 1 --system si-tm --workload atm-1024 --set system.literal=1
says 'no serial order'
run 1 --system si-tm --workload atm-1024 --set writer_table.release_at_commit=1
says 'no serial order'
run 0 --system si-tm --workload atm-1024 --set system.detection=none
aborts conflict

# ---- workloads and sizes ----
for system in si-tm si-tm-oracle; do
	for concurrency in 1 inf; do
		for what in '--workload hash-table --threads 600' '--workload octree --threads 200' \
			'--workload bank --threads 300 --set workload.accounts=50' \
			"--trace $data/small.trace"; do
			# shellcheck disable=SC2086
			run 0 --system $system --concurrency $concurrency $small $what
		done
	done
	for workload in audit htk-8000 atm-1024; do
		run 0 --system $system --workload $workload
	done
done

# bank SETTING...: many transfers between few accounts
bank() {
	# shellcheck disable=SC2086
	run 0 --system si-tm $small --concurrency inf --workload bank --threads 300 \
		--set workload.accounts=50 "$@"
}

for versions in 2 3 4 8 16; do
	bank --set version_table.versions=$versions
done
bank --set writer_table.entries=64 --set reader_list.entries=64
aborts capacity
bank --set writer_table.entries=2
aborts capacity
bank --set version_table.time_bits=15
aborts rollover
bank --set version_table.stamp_bits=8 --set timestamp_table.stamp_bits=8
bank --set timestamp_table.stamp_bits=5 --set timestamp_table.increment=5
aborts rollover
bank --set writer_table.transactions=32 --set timestamp_table.transactions=32
bank --set writer_table.word_bytes=32 --set reader_list.word_bytes=32
bank --set reader_list.fold=1 --set version_table.lazy=1 --set system.backoff=0

# ---- traces at random ----
# Few words and many transactions. Words that are megabytes apart lie in regions of their own.
random() {
	awk -v seed="$1" -v words="$2" -v apart="$3" 'function draw(n) {
		seed = (seed * 16807) % 2147483647
		return seed % n
	}
	BEGIN {
		for (i = 0; i < 300; i++) {
			printf "t %d", i / 2
			for (k = draw(8) + 1; k > 0; k--)
				printf " %s%x=0", draw(3) ? "r" : "w", 4096 + draw(words) * apart
			print ""
		}
	}' >"$work/trace"
}

seeds=8
[ "${GPUTM_TEST_SCALE:-}" != small ] || seeds=2
broken=0
seed=0
while [ $seed -lt $seeds ]; do
	seed=$((seed + 1))
	for words in 4 16 64; do
		random $((seed * 100 + words)) $words $((words == 64 ? 3145728 : 4))
		for system in si-tm si-tm-oracle; do
			# shellcheck disable=SC2086
			run 0 --system $system $small --concurrency inf --trace "$work/trace"
		done
		# shellcheck disable=SC2086
		"$sim" --check --system si-tm $small --concurrency inf --set system.literal=1 \
			--trace "$work/trace" >"$work/out" 2>&1 || broken=$((broken + 1))
	done
done
[ $broken -gt 0 ] || complain "no run of the protocol as printed was found wrong"
mv "$work/trace" "$work/trace.wide"

# ---- refused ----
run 2 --system si-tm --set timestamp_table.transactions=16 --set writer_table.transactions=16
says 'as many transactions as a warp has lanes'
run 2 --system si-tm --set writer_table.transactions=1024 --set timestamp_table.transactions=2048
says 'timestamp_table.transactions = 2048 and writer_table.transactions = 1024'
run 2 --system si-tm --set writer_table.word_bytes=8 --set reader_list.word_bytes=4
says 'reader_list.word_bytes = 4 and writer_table.word_bytes = 8'
run 2 --system si-tm --set version_table.reference_bits=11
says '2^version_table.reference_bits must be more'
run 2 --system si-tm --set row_copier.requests=1 --trace "$work/trace.wide"
says 'row_copier.requests must be at least the regions'
run 2 --system si-tm --set reader_list.root_bits=32 --set reader_list.leaf_bits=32
says 'reader_list.root_bits x leaf_bits'
run 2 --system si-tm --set version_table.time_bits=14
says 'version_table.time_bits must be at least 15'
run 1 --system si-tm --workload ht-800 --set writer_table.entries=2
says 'too small for one transaction'
run 2 --system si-tm --workload atm-1m --set timestamp_table.stamp_bits=5 \
	--set timestamp_table.increment=6
says 'timestamp_table: increment = 6 is outside 1 .. 5, as a stamp of stamp_bits = 5'

if [ -n "${TRACES:-}" ]; then
	for trace in "$TRACES"/*.trace.gz; do
		zcat "$trace" >"$work/trace"
		run 0 --system si-tm --trace "$work/trace"
	done
fi
exit $failed
