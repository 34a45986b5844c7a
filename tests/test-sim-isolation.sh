#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Strong isolation for Kilo TM: what accesses outside of transactions see and spoil under weak
# isolation, and that strong isolation closes each of these, and is serialisable.
. "${srcdir:-.}/tests/build/sim.sh"
cd "$work" || exit 1

# With nobody in a transaction the replies are longer, and nothing takes longer.
cat >plain.kernel <<'TXT'
threads 1024 block 128
array a 1024
array b 1024
program transactions
	for i = 0 below 8
		load x = a[(id * 37 + i * 129) % 1024]
		store b[id] = x + i
	end
TXT
{
	echo 'always --concurrency inf --check --format json --report summary'
	for kernel in dirty-read hand-over lost-update privatisation publication plain-chain plain-skew; do
		echo "1 --workload $kernel --system kilo-tm | \"invariant\": false"
		echo "0 --workload $kernel --system kilo-tm --set system.isolation=strong"
	done
	cat <<-TABLE
		1 --workload lost-update --system warptm --set workload.rounds=2
		0 --workload lost-update --system warptm --set workload.rounds=2 --set system.isolation=strong
		0 --workload lost-update --system kilo-tm --set system.isolation=strong --set workload.blind=1
		# with stores before and after transactions
		0 --workload eigenbench --threads 128 --system warptm --set system.isolation=strong
		2 --workload bank --threads 32 --system warptm-tcd --set system.isolation=strong : needs system kilo-tm or warptm
		2 --workload bank --threads 32 --system kilo-tm --set system.isolation=strong --set machine.l1_bytes=24576 : needs machine.l1_bytes = 0
		always --concurrency inf --check --format csv --workload plain.kernel --system kilo-tm
		0 --set system.isolation=weak > weak
		0 --set system.isolation=strong > strong
	TABLE
} >table
runs <table
awk -F, '
	$2 == "" && $4 == "cycles" { cycles[FILENAME] = $5 }
	$2 == "traffic" && $4 ~ /^(load|store)_reply[.](packets|bytes)$/ { traffic[FILENAME, $4] = $5; n++ }
	END {
		if (n != 8 || !cycles["weak"] || cycles["weak"] != cycles["strong"])
			print n " figures of traffic, cycles " cycles["weak"] " and " cycles["strong"]
		split("load_reply store_reply", reply, " ")
		for (i = 1; i <= 2; i++) {
			packets = traffic["weak", reply[i] ".packets"]
			if (packets != traffic["strong", reply[i] ".packets"] || \
			    traffic["strong", reply[i] ".bytes"] != traffic["weak", reply[i] ".bytes"] + 2 * packets)
				print reply[i] ": " traffic["strong", reply[i] ".bytes"] " bytes after " \
					traffic["weak", reply[i] ".bytes"]
		}
	}' weak strong >wrong
[ ! -s wrong ] || complain "nobody in a transaction: $(cat wrong)"
exit $failed
