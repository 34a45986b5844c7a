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

program="--trace $work/trace"

# history STATUS ARGUMENT...: that of a run which exits with the status
history() {
	status=$1
	shift
	"$sim" $program --history "$work/history" "$@" >"$work/out" 2>"$work/err" \
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

echo '{"no": "transaction"}' >"$work/other"
for file in /dev/null "$work/other"; do
	! awk -f "$check" "$file" >/dev/null || complain "$file passes as a history"
done

# --check, which sees the same run, agrees.
for limit in 4 inf; do
	for of in "getm --set validation_unit.paper_order=1" "si-tm --set system.literal=1"; do
		history 1 --system $of --concurrency $limit --check
		! awk -f "$check" "$work/history" >/dev/null || complain "$of: not refuted"
	done
done

# One read of a word that its transaction then writes gets another version of that word.
changes() {
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
				rest = $0
				while (match(rest, /\[:r [0-9]+ [a-z0-9]+\]/)) {
					split(substr(rest, RSTART, RLENGTH - 1), f, " ")
					if (index($0, "[:w " f[2] " "))
						break
					rest = substr(rest, RSTART + RLENGTH)
				}
				at = length($0) - length(rest) + RSTART
				for (i = 1; i <= versions[f[2]]; i++)
					if (version[f[2], i] != f[3] && version[f[2], i] != own[f[2], line])
						break
				$0 = substr($0, 1, at - 1) "[:r " f[2] " " version[f[2], i] "]" \
					substr($0, at + RLENGTH)
			}
			{ print }' "$work/history" "$work/history" >"$work/changed"
		[ "$(cmp -s "$work/history" "$work/changed"; echo $?)" -eq 1 ] || complain "line $line: unchanged"
		! awk -f "$check" "$work/changed" >/dev/null || complain "line $line changed: not refuted"
	done
}
history 0 --system kilo-tm --concurrency inf
changes

# Kernels write a value twice: what is told are versions all the same.
# told TRANSACTIONS: in the history, which is right
told() {
	verdict=$(awk -f "$check" "$work/history") && [ "${verdict%% *}" -eq "$1" ] ||
		complain "$program: $verdict, expected $1 transactions"
}
for system in coarse-lock fine-lock ideal kilo-tm warptm-tcd warptm-el getm si-tm si-tm-oracle; do
	program="--system $system --workload bank --threads 256 --set workload.accounts=200"
	history 0
	told 512
done
changes
for program in "--workload local-hash --threads 256 --system local-tm" \
	"--workload w1 --threads 256 --system hetm"; do
	history 0
	told "$(sed -n 's/^  committed *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)"
done
for system in "getm --set validation_unit.paper_order=1" "si-tm --set system.literal=1"; do
	program="--workload write-skew --threads 256 --concurrency inf --system $system"
	history 0
	! awk -f "$check" "$work/history" >/dev/null || complain "$program: not refuted"
done

# --conflicts: two threads of two warps; each reads what the other writes, or adds to one word.
conflicts() {
	cat >"$work/pair.kernel"
	"$sim" --system kilo-tm --workload "$work/pair.kernel" --conflicts --format csv \
		--only 'conflicts.*' >"$work/out" 2>"$work/err" || complain "--conflicts: $(cat "$work/err")"
	sed -n 's/^[0-9a-f]*,conflicts,,\([a-z_]*\),\([0-9]*\)$/\1 \2/p' "$work/out" | tr '\n' ' '
}
found=$(conflicts <<'TXT'
threads 64 block 64
array a 64
program
	if lane == 0
		begin
		load x = a[warp * 32]
		store a[32 - warp * 32] = x
		commit
	end
TXT
)
[ "$found" = 'overlapping 1 read_write 1 write_write 0 both 0 loops 1 ' ] ||
	complain "--conflicts of a loop: $found"
found=$(conflicts <<'TXT'
threads 2 block 2
array a 1
program
	begin
	store a[0] = id
	commit
TXT
)
[ "$found" = 'overlapping 1 read_write 0 write_write 1 both 0 loops 0 ' ] ||
	complain "--conflicts of two stores: $found"
# refused TEXT ARGUMENT...
refused() {
	text=$1
	shift
	"$sim" "$@" >"$work/out" 2>"$work/err"
	[ $? -eq 2 ] && grep -qF -- "$text" "$work/err" || complain "$*: $(cat "$work/err")"
}
refused 'expected no --check, --record or --history' --workload bank --conflicts --check
refused 'expected another --system' --workload w1 --system hetm --conflicts
refused 'expected another --system' --kernel "$srcdir/examples/kernels/hammock.kernel" --conflicts

"$sim" --kernel hammock --history "$work/new" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -q 'expected --system too' "$work/err" && [ ! -e "$work/new" ] ||
	complain "--history without a system: $(cat "$work/err")"
exit $failed
