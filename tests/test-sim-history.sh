#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Histories of committed transactions, judged by a checker that shares nothing with --check
# (tests/history.awk): those of all systems are serialisable; those of two systems that are not, by
# a paper's letter, and histories with one version changed are refuted.
. "${srcdir:-.}/tests/build/sim.sh"
checker=$(cd "$srcdir/tests" && pwd)/history.awk
kernels=$(cd "$srcdir/examples/kernels" && pwd)
cd "$work" || exit 1

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
}' >trace


# Histories as *.history are right, with so many transactions as *.count says, and *.wrong are not.
# Kernels write a value twice: what is told are versions all the same.
{
	for system in serial coarse-lock ideal kilo-tm warptm warptm-tcd eapg getm si-tm si-tm-oracle fine-lock; do
		limit="--concurrency inf"
		[ $system != fine-lock ] || limit=
		echo "0 --trace trace --system $system $limit --history $system.history"
	done
	# --check, which sees the same run, agrees.
	for limit in 4 inf; do
		of="1 --trace trace --concurrency $limit --check --system"
		echo "$of getm --set validation_unit.paper_order=1 --history getm-$limit.wrong"
		echo "$of si-tm --set system.literal=1 --history si-tm-$limit.wrong"
	done
	for system in serial coarse-lock fine-lock ideal kilo-tm warptm-tcd warptm-el eapg getm si-tm si-tm-oracle; do
		echo "0 --system $system --workload bank --threads 256 --set workload.accounts=200" \
			"--history bank-$system.history"
	done
	committed='--format csv --only committed'
	echo "0 --workload local-hash --threads 256 --system local-tm $committed --history local.history > local.csv"
	echo "0 --workload w1 --threads 256 --system hetm $committed --history hetm.history > hetm.csv"
	of='0 --workload write-skew --threads 256 --concurrency inf --system'
	echo "$of getm --set validation_unit.paper_order=1 --history getm-skew.wrong"
	echo "$of si-tm --set system.literal=1 --history si-tm-skew.wrong"
} >table
runs <table
echo '{"no": "transaction"}' >other.wrong

# One read of a word that its transaction then writes gets another version of that word.
changes() {
	awk '
		NR == FNR {
			text[FNR] = $0; lines = FNR
			while (match($0, /\[:w [0-9]+ [0-9]+\]/)) {
				split(substr($0, RSTART, RLENGTH - 1), f, " ")
				version[f[2], ++versions[f[2]]] = f[3]
				own[f[2], FNR] = f[3]
				$0 = substr($0, RSTART + RLENGTH)
			}
		}
		END {
			for (line = 40; line <= 400; line += 40) {
				$0 = rest = text[line]
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
				changed = substr($0, 1, at - 1) "[:r " f[2] " " version[f[2], i] "]" \
					substr($0, at + RLENGTH)
				if (changed == $0)
					print FILENAME ": line " line ": unchanged"
				for (i = 1; i <= lines; i++)
					print i == line ? changed : text[i] >(FILENAME "-" line ".wrong")
				close(FILENAME "-" line ".wrong")
			}
		}' "$1" >unchanged
	[ ! -s unchanged ] || complain "$(cat unchanged)"
}
changes kilo-tm.history
changes bank-si-tm-oracle.history

awk -f "$checker" *.history *.wrong >verdicts
awk '
	FILENAME ~ /csv$/ { if (match($0, /,committed,/)) { of = FILENAME; sub(/[.]csv/, ".history", of)
		count[of] = substr($0, RSTART + RLENGTH) }; next }
	{
		file = $1; sub(/:$/, "", file)
		right = /: serialisable$/
		if (file ~ /history$/ && !right) print "refuted: " $0
		if (file ~ /wrong$/ && right) print "not refuted: " $0
		if (file ~ /history$/ && $2 != (file in count ? count[file] : 512))
			print "not all transactions are told, or too many: " $0
		files[right]++
	}
	END { if (files[0] != 27 || files[1] != 24) print files[1] + 0 " right and " files[0] + 0 " wrong ones" }' \
	local.csv hetm.csv verdicts >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
awk -f "$checker" /dev/null >out && complain '/dev/null passes as a history'
awk -f "$checker" other.wrong >out && complain 'another file passes as a history'

# --conflicts: two threads of two warps; each reads what the other writes, or adds to one word.
cat >loop.kernel <<'TXT'
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
cat >stores.kernel <<'TXT'
threads 2 block 2
array a 1
program
	begin
	store a[0] = id
	commit
TXT
runs <<-TABLE
	0 --system kilo-tm --workload loop.kernel --conflicts --format jsonl --only conflicts.* | "conflicts.overlapping":1,"conflicts.read_write":1,"conflicts.write_write":0,"conflicts.both":0,"conflicts.loops":1}
	0 --system kilo-tm --workload stores.kernel --conflicts --format jsonl --only conflicts.* | "conflicts.overlapping":1,"conflicts.read_write":0,"conflicts.write_write":1,"conflicts.both":0,"conflicts.loops":0}
	2 --workload bank --conflicts --check : expected no --check, --record or --history
	2 --workload w1 --system hetm --conflicts : expected another --system
	2 --kernel $kernels/hammock.kernel --conflicts : expected another --system
	2 --kernel hammock --history new : expected --system too
	absent new
TABLE
exit $failed
