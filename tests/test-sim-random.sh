#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random kernels (random-kernel.awk) pass --check under every system, on every machine, at any
# limit, with random settings, and whole or saved in the middle and restored.
# SEEDS="FIRST LAST" names other kernels than the first ones.
. "${srcdir:-.}/tests/build/sim.sh"
seeds='1 264'
[ "${GPUTM_TEST_SCALE:-}" != small ] || seeds='1 132'
first=${SEEDS:-$seeds}
last=${first#* } first=${first% *}

for system in kilo-tm warptm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle ideal coarse-lock serial \
	fine-lock hetm all; do
	echo "0 --list $system > $work/$system.list"
done >"$work/lists"
runs <"$work/lists"
awk -v first="$first" -v last="$last" -v to="$work" -f "$srcdir/tests/random-kernel.awk" >"$work/table"
runs <"$work/table"

# Settings that were accepted, and runs that are saved in their midst and restored.
awk -v least=$(((last - first) / 2)) -v work="$work" '
	FILENAME ~ /table$/ {
		for (i = 2; i < NF; i++)
			if ($i == "=") {
				settings++
				file = $(i + 1)
				getline status <file
				close(file)
				accepted += substr(status, 1, 1) == "0"
			}
		next
	}
	{
		whole = work "/" $1 ".whole"
		getline report <whole
		close(whole)
		match(report, /"cycles":[0-9]+/)
		cycle = 1 + int(substr(report, RSTART + 9, RLENGTH - 9) * $2 / 9)
		args = $0
		sub(/^[0-9]+ [0-9]+ /, "", args)
		print "0 " args " --save-at " cycle " " work "/state"
		print "0 " args " --restore " work "/state --format jsonl --report instances > " work "/restored"
		print "same " whole " " work "/restored"
	}
	END {
		if (accepted < least)
			print "FAIL: only " accepted + 0 " of " settings + 0 " settings were accepted" >"/dev/stderr"
		exit accepted < least
	}' "$work/table" "$work/saved" >"$work/restore" || failed=1
runs <"$work/restore"
exit $failed
