#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Strong isolation for Kilo TM: what accesses outside of transactions see and spoil under weak
# isolation, and that strong isolation closes each of these, and is serialisable.
. "${srcdir:-.}/tests/build/sim.sh"
always='--concurrency inf --check --format json'

for kernel in dirty-read hand-over lost-update privatisation publication plain-chain plain-skew; do
	run 1 --workload $kernel --system kilo-tm
	grep -q '"invariant": false' "$work/out" || complain "$kernel: weak isolation does no harm"
	run 0 --workload $kernel --system kilo-tm --set system.isolation=strong
done
run 1 --workload lost-update --system warptm --set workload.rounds=2
run 0 --workload lost-update --system warptm --set workload.rounds=2 --set system.isolation=strong
run 0 --workload lost-update --system kilo-tm --set system.isolation=strong --set workload.blind=1
# With stores before and after transactions.
run 0 --workload eigenbench --threads 128 --system warptm --set system.isolation=strong

# With nobody in a transaction the replies are longer, and nothing takes longer.
cat >"$work/plain.kernel" <<'TXT'
threads 1024 block 128
array a 1024
array b 1024
program transactions
	for i = 0 below 8
		load x = a[(id * 37 + i * 129) % 1024]
		store b[id] = x + i
	end
TXT
for isolation in weak strong; do
	run 0 --workload "$work/plain.kernel" --system kilo-tm --set system.isolation=$isolation
	awk '/"cycles":/ && !n++ { print } /"(load|store)_reply"/ { getline; p = $2; getline; print p, $2 }' \
		"$work/out" | tr -d ',' >"$work/$isolation"
done
paste -d ' ' "$work/weak" "$work/strong" | awk '
	NR == 1 && $2 != $4 || NR > 1 && ($1 != $3 || $4 != $2 + 2 * $1) { exit 1 }
	END { exit NR != 3 }' ||
	complain "nobody in a transaction: $(cat "$work/weak") and then $(cat "$work/strong")"

run 2 --workload bank --threads 32 --system warptm-tcd --set system.isolation=strong
grep -q 'needs system kilo-tm or warptm' "$work/err" || complain "warptm-tcd: $(cat "$work/err")"
run 2 --workload bank --threads 32 --system kilo-tm --set system.isolation=strong \
	--set machine.l1_bytes=24576
grep -q 'needs machine.l1_bytes = 0' "$work/err" || complain "an L1: $(cat "$work/err")"
exit $failed
