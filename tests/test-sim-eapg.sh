#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early abort and pause-and-go: what each option does, and that lanes which pause do nothing twice.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1

# Steps of `let` belong to the access behind it, which lanes that pause evaluate again; so does the
# access in a branch, whose lanes pause to its end.
cat >counted.kernel <<'K'
threads 512 block 128
commits threads * 4
array hot 8
array own threads
program
	set n = 0
	for i = 0 below 4
		begin
		let n = n + 1
		load x = hot[(id + i) % 8]
		if id % 3
			let n = n + 1
			load y = hot[(id + i + 1) % 8]
		end
		let n = n + 1
		store hot[(id + i) % 8] = x + 1
		commit
	end
	store own[id] = n
verify
	set sum = 0
	for i = 0 below 8
		load x = hot[i]
		set sum = sum + x
	end
	require sum == threads * 4 "counted: {sum}"
	for i = 0 below threads
		load n = own[i]
		set steps = 8
		if i % 3
			set steps = 12
		end
		require n == steps "steps: {n}"
	end
K
told=cycles,aborts_by_reason.conflict,traffic.broadcast.*,conflict_address_table.*
hash="--system eapg --workload hash-table --threads 1024 --set workload.buckets=64 --seed 3 --check
	--only $told --format csv"
while read -r name options; do
	# shellcheck disable=SC2086
	echo "0" $hash $options "> $name"
done >table <<'TXT'
default
calm --set system.pause=0
late --set system.early_abort=none
running --set system.early_abort=running
addresses --set system.broadcast=addresses
small --set conflict_address_table.entries=4 --set reference_count_table.entries=4
narrow --set reference_count_table.count_bits=1
neither --set system.pause=0 --set system.early_abort=none
TXT
cat >>table <<'TXT'
0 --system eapg --workload counted.kernel --check --concurrency 8 --set system.resolver=scr --only conflict_address_table.* --format csv > counted
0 --system eapg --workload blind-writes --check --only aborts_by_reason.conflict --format csv > writers
0 --system eapg --workload blind-writes --set conflict_address_table.write_write=0 --check --only aborts_by_reason.conflict --format csv > readers
2 --system eapg --workload bank --threads 32 --set system.resolver=none : system.resolver = none is not for system eapg
2 --system eapg --workload bank --threads 32 --set commit_unit.warp_mode=0 : commit_unit.warp_mode
2 --system warptm --workload bank --threads 32 --set system.pause=0 : pause
TXT
runs <table
awk -F, '
	FNR > 1 { value[FILENAME, $4] = $5 }
	FNR > 1 && $4 == "used" { seen[FILENAME] = 1 }
	function is(what, ok) { if (!ok) print what }
	END {
		for (run in seen) {
			is(run ": words are left", value[run, "used"] == 0)
			is(run ": no broadcast", run == "counted" || value[run, "broadcast.packets"] > 0)
			is(run ": not told to each core", run == "counted" || \
				value[run, "broadcast.packets"] % 15 == 0)
			is(run ": not a message of 8 bytes", run == "counted" || run == "addresses" || \
				value[run, "broadcast.bytes"] == 8 * value[run, "broadcast.packets"])
			is(run ": pauses", (value[run, "paused"] > 0) == (run != "calm" && run != "neither"))
			is(run ": early aborts", run == "counted" || \
				(value[run, "conflict"] > 0) == (run != "late" && run != "neither"))
		}
		is("addresses are not paid for", value["addresses", "broadcast.bytes"] > \
			12 * value["addresses", "broadcast.packets"] - 1)
		is("a core lacks a word", value["default", "full"] == 0 && value["default", "inserted"] % 15 == 0)
		is("tables of four are never full", value["small", "full"] > 0)
		is("two writes", value["writers", "conflict"] > 0 && value["readers", "conflict"] == 0)
	}' default calm late running addresses small narrow neither counted \
	writers readers >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
exit $failed
