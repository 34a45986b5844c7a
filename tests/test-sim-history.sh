#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Histories of committed transactions, judged by a checker that shares nothing with --check
# (tests/history.awk): those of all systems are serialisable; those of two systems that are not, by
# a paper's letter, and histories with one version changed are refuted.
. "${srcdir:-.}/tests/build/lib.sh"
sim=${top_builddir:-.}/gputm-sim
check="$srcdir/tests/history.awk"

# Each transaction writes two of the four words that it reads.
awk 'BEGIN {
	x = 7
	for (i = 0; i < 512; i++) {
		printf "t %d", i
		split("", seen)
		for (n = 0; n < 4;) {
			x = (x * 69069 + 1) % 16777216
			k = int(x / 65536) % 96
			if (k in seen)
				continue
			seen[k] = 1
			word[++n] = 65536 + 64 * k
		}
		printf " r%x=0 r%x=0 r%x=0 r%x=0 w%x=1 w%x=1\n", word[1], word[2], word[3], word[4],
			word[1], word[2]
	}
}' >"$work/trace"

# history STATUS ARGUMENT...: that of a run which exits with the status
history() {
	status=$1
	shift
	"$sim" --trace "$work/trace" --history "$work/history" "$@" >"$work/out" 2>"$work/err" \
		</dev/null
	got=$?
	[ $got -eq "$status" ] || complain "gputm-sim $*: exit $got: $(tail -1 "$work/err")"
}

for system in coarse-lock ideal kilo-tm warptm warptm-tcd getm si-tm si-tm-oracle fine-lock; do
	limit="--concurrency inf"
	[ $system != fine-lock ] || limit=
	history 0 --system $system $limit
	[ "$(wc -l <"$work/history")" -eq 512 ] || complain "$system: not all transactions are told"
	awk -f "$check" "$work/history" >"$work/verdict" ||
		complain "$system: refuted: $(cat "$work/verdict")"
done

# --check, which sees the same run, agrees.
for limit in 4 inf; do
	for of in "getm --set validation_unit.paper_order=1" "si-tm --set system.literal=1"; do
		history 1 --system $of --concurrency $limit --check
		! awk -f "$check" "$work/history" >/dev/null || complain "$of: not refuted"
	done
done

# One read of a word that its transaction then writes gets another version of that word.
history 0 --system kilo-tm --concurrency inf
for line in 40 80 120 160 200 240 280 320 360 400; do
	awk -v line=$line 'NR == FNR {
			while (match($0, /\[:w [0-9]+ [0-9]+\]/)) {
				split(substr($0, RSTART, RLENGTH - 1), f, " ")
				version[f[2], ++versions[f[2]]] = f[3]
				own[f[2], FNR] = f[3]
				$0 = substr($0, RSTART + RLENGTH)
			}
			next
		}
		FNR == line {
			match($0, /\[:r [0-9]+ [a-z0-9]+\]/)
			split(substr($0, RSTART, RLENGTH - 1), f, " ")
			for (i = 1; i <= versions[f[2]]; i++)
				if (version[f[2], i] != f[3] && version[f[2], i] != own[f[2], line])
					break
			$0 = substr($0, 1, RSTART - 1) "[:r " f[2] " " version[f[2], i] "]" \
				substr($0, RSTART + RLENGTH)
		}
		{ print }' "$work/history" "$work/history" >"$work/changed"
	[ "$(cmp -s "$work/history" "$work/changed"; echo $?)" -eq 1 ] || complain "line $line: unchanged"
	! awk -f "$check" "$work/changed" >/dev/null || complain "line $line changed: not refuted"
done

"$sim" --history "$work/new" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -q 'expected --trace FILE too' "$work/err" && [ ! -e "$work/new" ] ||
	complain "--history without a trace: $(cat "$work/err")"
exit $failed
