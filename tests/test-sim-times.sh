#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the cycles went: under every system the times of each kind of device add up to all of its
# cycles, their shares to 100.0 %, and those of threads agree with what is known of warps.
. "${srcdir:-.}/tests/build/sim.sh"
small='--set machine.cores=3 --set machine.warps=8'
limits='1 2 inf'
[ "${GPUTM_TEST_SCALE:-}" != small ] || limits='2 inf'

# adds_up DEVICE=NUMBER...: of each device the CSV in $work/out has NUMBER x cycles; FULL: all lanes
# of a warp begin each transaction together, and nobody holds a lock
adds_up() {
	awk -F, -v want="$*" -v full="$full" '
		$2 == "" { value[$4] = $5 }
		$2 == "times" {
			device = $4
			sub(/[.].*/, "", device)
			sum[device] += $5
			value[$4] = $5
		}
		END {
			cycles = value["cycles"]
			n = split(want, pair, " ")
			for (i = 1; i <= n; i++) {
				split(pair[i], part, "=")
				if (!cycles || sum[part[1]] != part[2] * cycles)
					print "the " part[1] " have " sum[part[1]] " of " part[2] * cycles " cycles"
				delete sum[part[1]]
			}
			for (device in sum)
				print "unexpected: " device
			if (!full)
				exit
			inside = value["threads.tc"] + value["threads.to"] + value["threads.tw"] + \
				value["threads.ta"] + value["threads.tu"] + value["threads.backoff"]
			warps = value["tx_exec_cycles"] + value["tx_wait_cycles"]
			if (inside != 32 * warps)
				print "threads are in transactions for " inside " cycles, warps for " warps
			if (!value["aborted"] != !value["threads.ta"])
				print value["aborted"] " aborts take " value["threads.ta"] " cycles"
			if (!value["threads.tu"])
				print "no attempt took time"
		}' "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$run: $(cat "$work/wrong")"
}

# shares: in the text of $work/out those of each device are 100.0 %
shares() {
	awk '
		/where the cycles went/ { inside = 1; next }
		!NF { inside = 0 }
		inside && $4 == "%" { sub(/[.].*/, "", $1); sum[$1] += 10 * $3 }
		END {
			for (device in sum) {
				n++
				if (sprintf("%.0f", sum[device]) != 1000)
					print device ": " sum[device] / 10 " %"
			}
			if (!n)
				print "no shares"
		}' "$work/out" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$run: $(cat "$work/wrong")"
}

# ---- the GPU: 3 x 8 warps of 32 lanes ----
for system in coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd getm si-tm si-tm-oracle; do
	for workload in 'hash-table --threads 1280' 'bank --threads 300' 'octree --threads 200' \
		'list --threads 64 --set workload.elements=24'; do
		case $system,$workload in
		*lock,* | *,bank* | *,octree*) full= ;;
		*) full=yes ;;
		esac
		for limit in $limits; do
			run="--system $system --workload $workload --concurrency $limit"
			[ $system != fine-lock ] || run="--system $system --workload $workload"
			# shellcheck disable=SC2086
			run 0 $run $small --check --format csv
			adds_up threads=768 cores=3
			[ $system != fine-lock ] || break
		done
	done
	# shellcheck disable=SC2086
	run 0 $run $small
	shares
done

# ---- two issue slots, an issue takes several of their cycles ----
full=
run='--system kilo-tm --machine reference --set machine.simd_width=8 --workload bank --threads 300'
# shellcheck disable=SC2086
run 0 $run $small --check --format csv
adds_up threads=768 cores=6

# ---- one block of a core at a time: the core is filled again as it empties ----
run='--system ideal --workload hash-table --threads 1280'
# shellcheck disable=SC2086
run 0 $run $small --set machine.blocks=1 --set workload.block_size=64 --check --format csv
adds_up threads=768 cores=3

# ---- machines of their own ----
for system in local-tm local-tm-perfect local-serialised; do
	for workload in k-means-8 genetic; do
		run="--system $system --workload $workload"
		# shellcheck disable=SC2086
		run 0 $run --format csv
		adds_up wavefronts=4
		# shellcheck disable=SC2086
		run 0 $run
		shares
	done
done
run='--system hetm --workload w1 --threads 500'
# shellcheck disable=SC2086
run 0 $run --format csv
adds_up cpu=1 gpu=1 link=1 phase=1
# shellcheck disable=SC2086
run 0 $run
shares

# ---- without a TM system: all cycles of the cores ----
for mechanism in pdom dwf tbc; do
	run="--kernel $srcdir/examples/kernels/eddy.kernel --divergence $mechanism"
	# shellcheck disable=SC2086
	run 0 $run --format csv
	awk -F, '$2 == "cycles_by_kind" { sum += $5 } $2 == "" && $4 == "cycles" { all = $5 }
		END { exit !all || sum != all }' "$work/out" || complain "$run: kinds of cycles"
done
exit $failed
