#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the cycles went: under every system the times of each kind of device add up to all of its
# cycles, their shares to 100.0 %, and those of threads agree with what is known of warps.
. "${srcdir:-.}/tests/build/sim.sh"
kernels=$(cd "$srcdir/examples/kernels" && pwd)
cd "$work" || exit 1
small='--set machine.cores=3 --set machine.warps=8'
limits='1 2 inf'
[ "${GPUTM_TEST_SCALE:-}" != small ] || limits='2 inf'

# adds_up FULL DEVICE=NUMBER,... ARGUMENT...: of each device the report of the run has NUMBER x
# cycles; full: all lanes of a warp begin each transaction together, and nobody holds a lock
n=0
adds_up() {
	n=$((n + 1))
	echo "$n.csv $1 $2" >>wanted
	shift 2
	echo "0 $* --format csv > $n.csv"
}

# shares ARGUMENT...: in the text of the report those of each device are 100.0 %
shares() {
	n=$((n + 1))
	echo "0 $* > $n.text"
}

{
	# ---- the GPU: 3 x 8 warps of 32 lanes ----
	for system in serial coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd eapg getm si-tm si-tm-oracle; do
		for workload in 'hash-table --threads 1280' 'bank --threads 300' 'octree --threads 200' \
			'list --threads 64 --set workload.elements=24'; do
			case $system,$workload in
			serial,* | *lock,* | *,bank* | *,octree*) full=part ;;
			*) full=full ;;
			esac
			for limit in $limits; do
				of="--system $system --workload $workload --concurrency $limit"
				[ $system != fine-lock ] || of="--system $system --workload $workload"
				adds_up $full threads=768,cores=3 $of $small --check
				[ $system != fine-lock ] || break
			done
		done
		shares $of $small
	done
	# ---- two issue slots, an issue takes several of their cycles ----
	adds_up part threads=768,cores=6 --system kilo-tm --machine reference --set machine.simd_width=8 \
		--workload bank --threads 300 $small --check
	# ---- one block of a core at a time: the core is filled again as it empties ----
	adds_up part threads=768,cores=3 --system ideal --workload hash-table --threads 1280 $small \
		--set machine.blocks=1 --set workload.block_size=64 --check
	# ---- machines of their own ----
	for system in local-tm local-tm-perfect local-serialised; do
		for workload in k-means-8 genetic; do
			adds_up part wavefronts=4 --system $system --workload $workload
			shares --system $system --workload $workload
		done
	done
	adds_up part cpu=1,gpu=1,link=1,phase=1 --system hetm --workload w1 --threads 500
	shares --system hetm --workload w1 --threads 500
	# ---- without a TM system: all cycles of the cores ----
	for mechanism in pdom dwf tbc; do
		echo "0 --kernel $kernels/eddy.kernel --divergence $mechanism --format csv > $mechanism.kinds"
	done
} >table
runs <table
awk -F, '
	FILENAME == "wanted" { split($0, part, " "); full[part[1]] = part[2]; want[part[1]] = part[3]; next }
	function end_of_file(    cycles, pairs, pair, part, i, device, inside, warps) {
		cycles = value["cycles"]
		pairs = split(want[file], pair, ",")
		for (i = 1; i <= pairs; i++) {
			split(pair[i], part, "=")
			if (!cycles || sum[part[1]] != part[2] * cycles)
				print file ": the " part[1] " have " sum[part[1]] " of " part[2] * cycles " cycles"
			delete sum[part[1]]
			devices++
		}
		for (device in sum)
			print file ": unexpected: " device
		if (full[file] == "full") {
			inside = value["threads.tc"] + value["threads.to"] + value["threads.tw"] + \
				value["threads.ta"] + value["threads.tu"] + value["threads.backoff"]
			warps = value["tx_exec_cycles"] + value["tx_wait_cycles"]
			if (inside != 32 * warps)
				print file ": threads are in transactions for " inside " cycles, warps for " warps
			if (!value["aborted"] != !value["threads.ta"])
				print file ": " value["aborted"] " aborts take " value["threads.ta"] " cycles"
			if (!value["threads.tu"])
				print file ": no attempt took time"
		}
		split("", value); split("", sum)
	}
	FNR == 1 { if (file != "") end_of_file(); file = FILENAME }
	$2 == "" { value[$4] = $5 }
	$2 == "times" {
		device = $4
		sub(/[.].*/, "", device)
		sum[device] += $5
		value[$4] = $5
	}
	END { end_of_file(); if (devices < 100) print devices " devices" }' wanted [0-9]*.csv >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
awk '
	function end_of_file(    device, n) {
		for (device in sum) {
			n++
			if (sprintf("%.0f", sum[device]) != 1000)
				print file ": " device ": " sum[device] / 10 " %"
		}
		if (!n)
			print file ": no shares"
		split("", sum)
	}
	FNR == 1 { if (file != "") end_of_file(); file = FILENAME; inside = 0 }
	/where the cycles went/ { inside = 1; next }
	!NF { inside = 0 }
	inside && $4 == "%" { sub(/[.].*/, "", $1); sum[$1] += 10 * $3 }
	END { end_of_file() }' [0-9]*.text >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
awk -F, '
	$2 == "cycles_by_kind" { sum[FILENAME] += $5 }
	$2 == "" && $4 == "cycles" { all[FILENAME] = $5; n++ }
	END { for (of in all) if (!all[of] || sum[of] != all[of]) print of; if (n != 3) print n " runs" }' \
	*.kinds >wrong
[ ! -s wrong ] || complain "kinds of cycles: $(cat wrong)"
exit $failed
