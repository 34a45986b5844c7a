#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Units can be replaced at any moment of a run: with machine.swap_units_every every unit is
# saved, freed, made anew and loaded again and again, and the report stays the same to the byte.
# With TRACES=directory the traces there are run too, under SWAP_SYSTEMS where that is given.
sim=${top_builddir:-.}/gputm-sim
data=${top_srcdir:-.}/tests/data kernels=${top_srcdir:-.}/examples/kernels
small='--set machine.cores=3 --set machine.warps=8'
systems='coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd getm si-tm si-tm-oracle'
steps='1000 1777'
if [ "${GPUTM_TEST_SCALE:-}" = small ]; then
	systems='kilo-tm warptm-tcd getm si-tm'
	steps=1000
fi
status=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

report() {
	every=$1
	shift
	"$sim" --check --format json --set machine.swap_units_every="$every" "$@" |
		grep -v '"wall_seconds"'
}

compare() {
	report 0 "$@" >"$work/0"
	if ! grep -q '"passed": *true' "$work/0"; then
		echo "FAIL: $*: no run that passes its check"
		status=1
		return
	fi
	for every in $steps; do
		report $every "$@" >"$work/$every"
		cmp "$work/0" "$work/$every" && continue
		echo "FAIL: $*: units swapped every $every cycles"
		status=1
	done
}

for system in $systems; do
	# shellcheck disable=SC2086
	compare --system $system --workload hash-table --threads 300 $small
	# shellcheck disable=SC2086
	compare --system $system --workload bank --threads 300 $small
	# shellcheck disable=SC2086
	compare --system $system --workload octree --threads 200 $small
	# shellcheck disable=SC2086
	compare --system $system --trace "$data/small.trace" $small
	# shellcheck disable=SC2086
	compare --system $system --workload list --threads 64 --set workload.elements=24 $small
	# shellcheck disable=SC2086
	compare --system $system --workload tree --threads 200 $small
	# shellcheck disable=SC2086
	compare --system $system --workload graph-cut --edges "$data/graph.edges" $small
done
for system in $systems; do
	case $system in *lock | ideal) continue ;; esac
	compare --system $system --workload audit
done
# Cores without a TM system have units of their own: of each mechanism, and coalescers.
for mechanism in pdom dwf dwf-wb tbc tbc-lcp; do
	for kernel in bfs nested; do
		compare --kernel "$kernels/$kernel.kernel" --machine fermi --divergence $mechanism
	done
done
# Limits that move.
for system in kilo-tm warptm-tcd getm si-tm; do
	# shellcheck disable=SC2086
	compare --system $system --workload octree --threads 200 $small \
		--set tx_throttle.policy=climb --set tx_throttle.window=4
done
# The other resolver, one buffer, small tables.
# shellcheck disable=SC2086
compare --system warptm --workload bank --threads 300 $small --set system.resolver=scr \
	--set sequential_resolver.buffers=1
# shellcheck disable=SC2086
compare --system warptm-tcd --workload octree --threads 200 --concurrency inf $small \
	--set ownership_table.entries=64 --set tcd.filter.entries=16 \
	--set tcd.filter.granularity=32
# Buffers that overflow, a small ring, a watchdog that wakes often.
# shellcheck disable=SC2086
compare --system kilo-tm --workload hash-table --threads 300 --concurrency inf $small \
	--set commit_unit.buffer_words=2 --set commit_unit.buffers=64 \
	--set commit_unit.ring=96 --set commit_id.ring=96 --set commit_id.credits=32 \
	--set commit_unit.input_depth=1 --set commit_sequencer.resend_requests=1 \
	--set commit_sequencer.watchdog_cycles=900
# Small tables and buffers, and times so narrow that they roll over again and again.
# shellcheck disable=SC2086
compare --system getm --workload bank --threads 300 --concurrency inf $small \
	--set workload.accounts=64 --set validation_unit.time_bits=6 \
	--set validation_unit.margin=16 --set validation_unit.ways=2 \
	--set validation_unit.entries=4 --set validation_unit.stash=1 \
	--set validation_unit.stall_lines=1 --set commit_buffer.blocks=4 \
	--set validation_unit.input=1
# Tables that overflow, clocks that run out, two versions.
# shellcheck disable=SC2086
compare --system si-tm --workload bank --threads 300 --concurrency inf $small \
	--set workload.accounts=50 --set writer_table.entries=32 --set reader_list.entries=64 \
	--set version_table.time_bits=15 --set version_table.versions=2
# shellcheck disable=SC2086
compare --system si-tm --workload bank --threads 300 --concurrency inf $small \
	--set workload.accounts=50 --set version_table.stamp_bits=8 \
	--set timestamp_table.stamp_bits=8
if [ -n "$TRACES" ]; then
	for trace in "$TRACES"/*.trace.gz; do
		zcat "$trace" >"$work/trace"
		for system in ${SWAP_SYSTEMS:-kilo-tm warptm warptm-tcd getm}; do
			compare --system $system --trace "$work/trace"
		done
	done
fi
exit $status
