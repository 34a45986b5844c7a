#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Units can be replaced at any moment of a run: with machine.swap_units_every every unit is
# saved, freed, made anew and loaded again and again, and the report stays the same to the byte.
# With TRACES=directory the traces there are run too, under SWAP_SYSTEMS where that is given.
srcdir=${srcdir:-${top_srcdir:-.}} # make check-swap gives the latter
. "$srcdir/tests/build/study.sh"
data=$srcdir/tests/data kernels=$srcdir/examples/kernels
systems='serial coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd eapg getm si-tm si-tm-oracle'
versioned='kilo-tm warptm warptm-tcd eapg getm si-tm si-tm-oracle'
steps='0 1000 1777' threads=1024 few= launches=3
small='set machine.cores 3
set machine.warps 8'
# Small scale looks at the swaps: that the reports stay the same is seen at full scale.
if [ "${GPUTM_TEST_SCALE:-}" = small ]; then
	systems='kilo-tm warptm-tcd getm si-tm' versioned=$systems
	steps=2000 threads=256 few='set machine.cores 3' launches=2
fi

# swapped POINTS: the study on standard input, which has so many points, with units that stay and with
# units swapped in each of the steps. A result tells all that a report does but the setting.
swapped() {
	{
		cat
		echo "set machine.swap_units_every $steps"
		echo check
	} >"$work/points"
	study $(($1 * $(count $steps))) '
		count = split("'"$steps"'", step, " ")
		which = (NR - 1) % count + 1
		if (figure("check.passed") != "true")
			wrong("no run that passes its check")
		if (which > 1 && text != last)
			wrong("units swapped every " step[which] " cycles")' --report instances <"$work/points"
}

# count WORD...: how many words
count() {
	echo $#
}

# shellcheck disable=SC2086
swapped $((7 * $(count $systems))) <<STUDY
system $systems
workload hash-table bank octree - list tree graph-cut
zip trace - - - $data/small.trace - - -
zip threads 300 300 200 - 64 200 -
zip set workload.elements - - - - 24 - -
zip edges - - - - - - $data/graph.edges
$small
STUDY
# shellcheck disable=SC2086
swapped $(count $versioned) <<STUDY
system $versioned
workload audit
threads $threads
STUDY
# Cores without a TM system have units of their own: of each mechanism, and coalescers.
cp "$kernels"/*.edges "$work" && sed "s/^launch [0-9]*/launch $launches/" "$kernels/bfs.kernel" >"$work/bfs.kernel"
swapped 10 <<STUDY
kernel $work/bfs.kernel $kernels/nested.kernel
divergence pdom dwf dwf-wb tbc tbc-lcp
machine fermi
$few
STUDY
# Limits that move.
swapped 4 <<STUDY
system kilo-tm warptm-tcd getm si-tm
workload octree
threads 200
set tx_throttle.policy climb
set tx_throttle.window 4
$small
STUDY
# The other resolver, one buffer, small tables.
swapped 2 <<STUDY
system warptm warptm-tcd
zip workload bank octree
zip threads 300 200
zip concurrency - inf
zip set system.resolver scr -
zip set sequential_resolver.buffers 1 -
zip set ownership_table.entries - 64
zip set tcd.filter.entries - 16
zip set tcd.filter.granularity - 32
$small
STUDY
# Buffers that overflow, a small ring, a watchdog that wakes often.
swapped 1 <<STUDY
system kilo-tm
workload hash-table
threads 300
concurrency inf
set commit_unit.buffer_words 2
set commit_unit.buffers 64
set commit_unit.ring 96
set commit_id.ring 96
set commit_id.credits 32
set commit_unit.input_depth 1
set commit_sequencer.resend_requests 1
set commit_sequencer.watchdog_cycles 900
$small
STUDY
# Small tables and buffers, and times so narrow that they roll over again and again.
swapped 1 <<STUDY
system getm
workload bank
threads 300
concurrency inf
set workload.accounts 64
set validation_unit.time_bits 6
set validation_unit.margin 16
set validation_unit.ways 2
set validation_unit.entries 4
set validation_unit.stash 1
set validation_unit.stall_lines 1
set commit_buffer.blocks 4
set validation_unit.input 1
$small
STUDY
# Tables that overflow, clocks that run out, two versions.
swapped 2 <<STUDY
system si-tm
workload bank
threads 300
concurrency inf
set workload.accounts 50
set writer_table.entries 32 -
zip set reader_list.entries 64 -
zip set version_table.time_bits 15 -
zip set version_table.versions 2 -
zip set version_table.stamp_bits - 8
zip set timestamp_table.stamp_bits - 8
$small
STUDY
if [ -n "${TRACES:-}" ]; then
	for trace in "$TRACES"/*.trace.gz; do
		zcat "$trace" >"$work/trace"
		systems=${SWAP_SYSTEMS:-kilo-tm warptm warptm-tcd getm}
		# shellcheck disable=SC2086
		swapped $(count $systems) <<STUDY
system $systems
trace $work/trace
STUDY
	done
fi
exit $failed
