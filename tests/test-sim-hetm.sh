#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# System hetm from outside: every run leaves both replicas in one serial order and repeats to the
# byte, also with the units saved and loaded all the time, with and without each optimisation;
# rounds fail where the devices conflict and only there; what does not fit is refused.
. "${srcdir:-.}/tests/build/study.sh"
always='--system hetm --set dispatch_queues.batch=256'
threads=1200 few=300 swaps='0 7777' each=2
[ "${GPUTM_TEST_SCALE:-}" != small ] || threads=100 few=150 swaps=15000 each=1
trace=$srcdir/tests/data/small.trace

# hetm POINTS JUDGE: a study of checked runs of this system.
hetm() {
	also="system hetm
set dispatch_queues.batch ${batch:-256}
${swapped:-}
check"
	study "$1" '
		if (figure("check.passed") != "true" || figure("check.kind") != "replicas")
			wrong("the check is " figure("check.kind") ": " figure("check.passed"))
		'"${2:-}" --report instances
}

# right POINTS JUDGE: such a study, of which each run is right: each cycle of the report is one of each
# device's, of the link's and of a phase; and the run is the same when the units are swapped. At small
# scale all have their units swapped.
right() {
	swapped="set machine.swap_units_every $swaps"
	hetm $((each * $1)) '
		rest = $0
		split("", sum)
		while (match(rest, /"times\.[a-z]+\.[a-z]+":/)) {
			split(substr(rest, RSTART, RLENGTH), part, ".")
			rest = substr(rest, RSTART + RLENGTH)
			sum[part[2]] += rest + 0
		}
		devices = 0
		for (device in sum) {
			devices++
			if (sum[device] != figure("cycles"))
				wrong("the times of " device " add up to " sum[device])
		}
		if (devices != 4)
			wrong("times of " devices " devices")
		if ('$each' == 2 && NR % 2 == 0 && text != last)
			wrong("another run when the units are swapped")
		'"${2:-}"
	swapped=
}

# The steps of a round that can be left out.
early='sync_round.early_cycles 5000' late='sync_round.early_cycles 0'
blocking='sync_round.non_blocking 0' bare='sync_round.shadow_copy 0'
# A GPU that is about as fast as the CPU.
slow='gpu.cores 1 gpu.warps 4 system.concurrency 1'
short='sync_round.round_cycles 100000 write_set_log.chunk_bytes 1024'
conflicts='workload.conflict 20000 workload.kilobytes'
puts='workload.shift 50 workload.put 5000'
# Data of which the filling takes no longer than the run.
words='workload.kilobytes 64' keys='workload.sets 2000 workload.keys 8000'

# Every run is right.
case_right() {
	{
		for workload in "w1 $words" "w2 $words" "cache $keys"; do
			echo "run workload $workload $short $early"
			echo "run workload $workload $short $blocking $bare $late"
		done
		echo "threads $threads"
	} >"$work/points"
	right 6 '
		if (figure("sync_round.0.failed") != 0)
			wrong("a round failed without a conflict")' <"$work/points"
	{
		for steps in "$early" "$blocking $bare $late" "$early $blocking" "$early $bare" "$late"; do
			echo "run workload w1 $conflicts 16 $slow $short $steps"
			echo "run workload cache $puts $keys system.steal 1 $short $steps"
		done
		echo "threads $threads"
	} >"$work/points"
	right 10 '
		if (figure("workload") == "w1" && !(figure("sync_round.0.failed") > 0))
			wrong("no round failed")' <"$work/points"
	{
		for gpu in coarse-lock ideal kilo-tm warptm warptm-tcd si-tm; do
			echo "run workload w1 system.gpu $gpu $words workload.update 50"
		done
		for devices in cpu gpu; do
			echo "run workload w1 $words system.devices $devices"
		done
		echo "run workload w1 $words gpu.warps 4 write_set_log.stamp_bits 12 device_validator.stamp_bits 12"
		echo "threads $threads"
	} >"$work/points"
	right 9 <"$work/points"
	# Every system on the GPU, with and without early validation, shadow copy and stealing, of requests
	# with an affinity (w1, cache) and without (bank, hash-table: all are shared, and most rounds fail).
	# Small scale takes one of the workloads for each.
	turn=0 runs=0
	for gpu in coarse-lock ideal kilo-tm warptm warptm-tcd getm si-tm fine-lock; do
		for options in '0 0 0' '0 0 1' '0 1 0' '0 1 1' '3000 0 0' '3000 0 1' '3000 1 0' '3000 1 1'; do
			which=0
			for workload in "w1 $words workload.conflict 20000" \
				"cache $puts $keys" bank hash-table; do
				which=$((which + 1))
				[ $gpu != fine-lock ] || [ $which -gt 2 ] || continue
				[ "${GPUTM_TEST_SCALE:-}" != small ] || [ $((turn % 4 + 1)) -eq $which ] ||
					continue
				# shellcheck disable=SC2086
				set -- $options
				echo "run workload $workload system.gpu $gpu sync_round.early_cycles $1" \
					"sync_round.shadow_copy $2 system.steal $3"
				runs=$((runs + 1))
			done
			turn=$((turn + 1))
		done
	done >"$work/runs"
	printf '%s\n' "threads $few" 'set sync_round.round_cycles 30000' 'set write_set_log.chunk_bytes 256' \
		'set gpu.cores 1' 'set gpu.warps 4' >>"$work/runs"
	batch=64 hetm $runs '
		if (figure("check.false_rounds") != 0)
			wrong("false conflicts")
		rounds += figure("check.failed_rounds")
		if (NR == points && rounds <= 20)
			wrong("only " rounds " rounds failed under all systems")' <"$work/runs"
	# A workload that knows nothing of devices: all requests are shared, and conflict.
	hetm 2 <<STUDY
run workload bank threads 500
run workload hash-table threads 400 system.gpu fine-lock
STUDY
}

# A recorded trace is shared between the devices.
case_traces() {
	# Even threads are for the CPU, odd ones for the GPU, or a share of them.
	# The region is around the addresses, however far apart.
	printf 't 1 r1000=0 w7ffffffc=1\nt 2 w1000=2 r7ffffff8=0\nt 3 r7ffffffc=1 w40000000=5\n' >"$work/far"
	{
		for gpu in coarse-lock fine-lock ideal kilo-tm warptm warptm-tcd getm si-tm; do
			echo "run trace $trace system.gpu $gpu"
		done
		echo "run trace $work/far"
	} >"$work/points"
	right 9 '
		if (NR <= 8 * '$each' && figure("committed") != 240)
			wrong(figure("committed") " committed")' <"$work/points"
	hetm 5 '
		share = figure("point.system.cpu_share")
		all = figure("config.threads")
		if (figure("dispatch_queues.0.cpu_taken") != int(all * (share > 0 ? share : 50) / 100))
			wrong(figure("dispatch_queues.0.cpu_taken") " of " all " threads for the CPU")' <<STUDY
trace $trace
set system.cpu_share 0 1 25 99 100
STUDY
}

# The steps of a round do what they are for.
case_worth() {
	# Early validation ends rounds that are lost: it looks at what the kernel that runs has committed so
	# far, and finds most lost rounds first. Such a round's kernel is stopped. False conflicts come from
	# the granularity, and only from it. Both devices are faster than one.
	{
		lost="run workload w1 threads 3000 $conflicts 16 $slow $short $early"
		echo "$lost"
		echo "$lost system.stop_kernels 0"
		for granule in 4 65536; do
			echo "run workload w1 threads $threads $words" \
				"access_bitmap.reads.granule $granule"
		done
		for devices in both cpu gpu; do
			echo "run workload w1 $words threads 6000 $slow system.devices $devices"
		done
	} >"$work/points"
	hetm 7 '
		cycles[NR] = figure("cycles")
		if (NR == 1 && !(figure("sync_round.0.cut_short") > 0))
			wrong("early validation ended no round")
		if (NR == 1 && 2 * figure("device_validator.0.failed_early") <= figure("sync_round.0.failed"))
			wrong(figure("device_validator.0.failed_early") " of " figure("sync_round.0.failed") \
				" lost rounds were found early")
		if (NR == 2 && cycles[1] == cycles[2])
			wrong("stop_kernels makes no difference")
		if (NR == 3 || NR == 4) {
			rounds = figure("check.failed_rounds")
			if (figure("check.conflicts") != figure("check.false_conflicts"))
				wrong("a true conflict")
			if (NR == 3 && rounds != 0)
				wrong("a false conflict at 4 B")
			if (NR == 4 && rounds == 0)
				wrong("no false conflict at 64 KB")
			if (NR == 4 && rounds != figure("check.false_rounds"))
				wrong("false conflicts are not told")
		}
		if (NR > 5 && cycles[5] >= cycles[NR])
			wrong("both devices take longer than one: " cycles[5])' <"$work/points"
}

# The report has all times, and what does not fit is refused.
case_report() {
	# A thread that waits for ever on either device is told with its place, and a signal ends it before.
	wait_for() { # thread word
		cat <<KERNEL
threads 64 block 32
array flag threads
affinity id % 2 + 1
program
	begin
	load x = flag[id]
	store flag[id] = x + 1
	commit
	if id == $1
		repeat
			load y = flag[$2]
		until y == 7
	end
KERNEL
	}
	wait_for 4 0 >"$work/wait4.kernel"
	wait_for 5 0 >"$work/wait5.kernel"
	wait_for 4 1 >"$work/gpu.kernel"
	# The CPU has any number of registers, and threads end early on both devices.
	many_registers array >"$work/registers.kernel"
	cat >"$work/early.kernel" <<'KERNEL'
threads 512 block 32
array a 512
program
	exit if id % 3 == 1
	begin
	load x = a[id]
	store a[id] = x + 1
	commit
	exit if id % 3 == 2
	begin
	load x = a[id]
	store a[id] = x + 1
	commit
verify
	for i = 0 below threads
		require a[i] == (i % 3 == 0 ? 2 : i % 3 == 1 ? 0 : 1) i
	end
KERNEL
	# What no hardware of HeTM says: atomics of two devices, a barrier between them.
	awk -v to="$work/lacks" '
		{ line[NR] = $0 }
		END {
			count = split("cas x = a[id] from 0 to 1;add a[id] = 1;barrier;load x = s[0]", what, ";")
			line[2] = line[2] "\nshared s 1"
			for (k = 1; k <= count; k++) {
				line[4] = "\t" what[k]
				for (i = 1; i <= NR; i++)
					print line[i] >(to k ".kernel")
			}
		}' "$work/early.kernel"
	stamped='bank octree list tree graph-cut hash-table audit skew w1 cache'
	{
		echo "always $always"
		printf '0 --workload w1 --threads %s' $threads
		for part in cpu.execution gpu.launch gpu.validation link.logs link.idle phase.merge; do
			printf ' |~ ^    %s  *[1-9]' $part
		done
		printf '\n0 --workload w1 --threads %s --format csv > %s/csv\n' $threads "$work"
		cat <<TABLE
2 --workload w1 --set system.cpu_share=101 ~ cpu_share.=.101 is
2 --workload w1 --set system.gpu=nonsense : one of its names
2 --workload w1 --set system.gpu=fine-lock : no program with locks
2 --workload w1 --concurrency 2 : --concurrency
2 --workload w1 --set sync_round.round_cycles=0 : round_cycles
2 --workload w1 --machine fermi : expected one of
2 --workload w1 --set gpu.warps=3 ~ gpu: warps.=.3 is outside 4 [.][.] 64
2 --workload w1 --set gpu.lanes=2 ~ gpu: lanes.=.2 is outside 3 [.][.] 32
2 --workload w1 --set gpu.core_mhz=101 : gpu: the fastest of core_mhz
2 --workload w1 --threads 600 --set write_set_log.stamp_bits=9 ~ write_set_log: stamp_bits.=.9 is outside 10 [.][.] 63
2 --workload w1 --threads 600 --set device_validator.stamp_bits=9 ~ device_validator: stamp_bits.=.9 is outside 10 [.][.] 63
# Sizes that follow others: only the value that they have anyway is taken.
2 --workload w1 --set write_set_log.threads=4 ~ write_set_log[.]threads.=.4 must be machine[.]workers.=.8
0 --workload w1 --threads 600 --set write_set_log.threads=4 --set machine.workers=4
TABLE
		for unit in write_set_log device_validator access_bitmap.reads access_bitmap.writes; do
			echo "2 --workload w1 --set $unit.region_bytes=4096" \
				"~ $unit[.]region_bytes.=.4096 must be the bytes of the workload's data.=."
		done
		for workload in $stamped; do
			echo "2 --workload $workload --set system.cpu_share=100 --set write_set_log.stamp_bits=8" \
				"--set device_validator.stamp_bits=8 2> $work/$workload.bits"
		done
		# Kernels of one core have their data elsewhere, or none.
		for kernel in arrival nested; do
			echo "2 --kernel $srcdir/examples/kernels/$kernel.kernel" \
				": the workload has no data in the memory of both devices"
		done
		for devices in both cpu gpu; do
			for thread in 4 5; do
				echo "1 --kernel $work/wait$thread.kernel --set system.devices=$devices --check" \
					"--set gpu.patience_cycles=100000 ~ wait$thread[.]kernel:1[12]:[34]:" \
					"thread $thread goes round: .*gpu[.]patience_cycles.=.100000"
			done
			for kernel in registers early; do
				echo "0 --kernel $work/$kernel.kernel --set system.devices=$devices --check"
			done
		done
		[ "${GPUTM_TEST_SCALE:-}" = small ] || echo "1 --kernel $work/wait4.kernel --set system.devices=cpu" \
			": , and no register or word of memory has changed, for more than 50000000 cycles;" \
			"it waits for a store to flag[0] (line 7)"
		# The message names who is waited for on the other device.
		echo "1 --kernel $work/gpu.kernel --set gpu.patience_cycles=100000" \
			": ; it waits for the GPU's store to flag[1] (line 7), which the CPU sees after the round;" \
			"thread 1 and 31 more of the GPU wait for the end of the round, which waits for thread 4"
		echo "1 --kernel $work/wait5.kernel --set gpu.patience_cycles=100000" \
			": ; 32 threads of the CPU have not ended, and the GPU sees what they write after the round"
		for k in 1 2 3 4; do
			echo "2 --kernel $work/lacks$k.kernel" \
				": lacks$k.kernel:5:2: there is no hardware for this under hetm: "
		done
		# Without a GPU there is none that could not run.
		echo '0 --workload w1 --threads 600 --set system.devices=cpu --set gpu.warps=1'
	} | sed 's/--workload w1/& --set workload.kilobytes=64/' >"$work/table"
	runs <"$work/table"
	awk -F, '
		FILENAME ~ /csv$/ { csv[$4] += $2 == "times" && $5 ~ /^[0-9]/; next }
		{ while (match($0, /Cm [a-z]+\.[a-z]+/)) {
			manual[substr($0, RSTART + 3, RLENGTH - 3)] = 1
			$0 = substr($0, RSTART + RLENGTH)
		} }
		END {
			count = split("cpu.execution cpu.overlap cpu.idle cpu.drain cpu.waits cpu.merge gpu.launch " \
				"gpu.execution gpu.overlap gpu.idle gpu.drain gpu.waits gpu.validation gpu.merge " \
				"link.early link.logs link.copies link.idle phase.execution phase.validation " \
				"phase.merge", part, " ")
			for (i = 1; i <= count; i++) {
				if (!csv[part[i]])
					print "CSV: no times." part[i]
				if (!manual[part[i]])
					print "gputm-systems(7) has no " part[i]
			}
		}' "$work/csv" "$srcdir/man/gputm-systems.7" >"$work/wrong"
	[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
	# Stamps that are wide enough for the bound that a refusal names do not run out, though the CPU has
	# all requests.
	for workload in $stamped; do
		read -r line <"$work/$workload.bits"
		bits=${line##*is outside } bits=${bits%% .. 63*}
		echo "run workload $workload write_set_log.stamp_bits $bits device_validator.stamp_bits $bits"
	done >"$work/stamps"
	echo 'set system.cpu_share 100' >>"$work/stamps"
	hetm 10 <"$work/stamps"
	: >"$work/pids"
	# shellcheck disable=SC2046
	trap 'kill $(cat "$work/pids") 2>"$work/err"; rm -rf "$work"' EXIT
	for thread in 4 5; do
		for devices in both cpu gpu; do
			# shellcheck disable=SC2086
			"$sim" $always --kernel "$work/wait$thread.kernel" --out "$work/ended$thread$devices" \
				--set system.devices=$devices --set gpu.patience_cycles=0 \
				2>"$work/ended$thread$devices.err" &
			echo $! >>"$work/pids"
		done
	done
	until set -- "$work"/ended*.part* && [ $# -eq 6 ]; do # they have begun
		sleep 0.1
	done
	sleep 0.1
	# shellcheck disable=SC2046
	kill $(cat "$work/pids")
	wait
	: >"$work/pids"
	awk '
		FILENAME ~ /err$/ { told += /ended by signal SIGTERM/; next }
		/ended before its end/ && !seen[FILENAME]++ { reports++ }
		END { exit told != 6 || reports != 6 }' "$work"/ended*.err "$work"/ended[45]both \
		"$work"/ended[45]cpu "$work"/ended[45]gpu || complain "ended: $(cat "$work"/ended*.err)"
}
cases "$@"
