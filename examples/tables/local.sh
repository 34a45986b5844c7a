# SPDX-License-Identifier: BSD-2-Clause
# Shared by local-fig-3.sh, local-fig-4.sh and local-fig-5.sh.
. "$(dirname "$0")/common.sh"
SEEDS=${SEEDS:-1 2 3 4 5}

COLUMNS_WANTED='cycles committed aborted local_tm.begins local_tm.wavefront_attempts
local_tm.group_attempts local_tm.accesses local_tm.false_conflicts local_tm.begin_cycles
local_tm.access_cycles local_tm.commit_cycles'

# The runs of one system: "WORKLOAD-N SEED columns". These systems have no limit of concurrency.
local_runs() {
	for n in 2 4 8 16 32 64 128 256; do
		for seed in $SEEDS; do
			"$SIM" --workload "$1-$n" --system "$2" --seed "$seed" $CHECK --format csv --report instances \
				--progress never | (name="$2 $n" && set -- '' '' '' && eval "$TELL") || exit 1
		done
	done
}

# local_figure FAMILY: the table and figure of one benchmark, sums over the seeds. Overhead is that
# of the run against the perfect one; the three shares are cycles that transactions added, of the
# cycles of all wavefronts; serialised is the share of attempts.
local_figure() {
	for system in local-serialised local-tm local-tm-perfect; do
		local_runs "$1" $system || exit 1
	done >"$runs"
	awk '
		BEGIN {
			OFS = "\t"
			print "N", "speed-up", "perfect", "overhead %", "commits/aborts %", \
				"serialised %", "in the group %", "false conflicts %", "begin %", \
				"access %", "commit %", "cycles"
		}
		{
			for (i = 3; i <= NF; i++)
				sum[$1, $2, i] += $i
			if (!($2 in seen))
				order[++count] = $2
			seen[$2] = 1
		}
		function percent(a, b) { return b ? sprintf("%.1f", 100 * a / b) : "-" }
		END {
			for (k = 1; k <= count; k++) {
				n = order[k]
				tm = sum["local-tm", n, 3]
				perfect = sum["local-tm-perfect", n, 3]
				serial = sum["local-serialised", n, 3]
				all = 4 * tm
				print n, sprintf("%.2f", serial / tm), sprintf("%.2f", serial / perfect), \
					sprintf("%.1f", 100 * (tm / perfect - 1)), \
					percent(sum["local-tm", n, 4], sum["local-tm", n, 5]), \
					percent(sum["local-tm", n, 7] + sum["local-tm", n, 8], \
						sum["local-tm", n, 6]), \
					percent(sum["local-tm", n, 8], sum["local-tm", n, 6]), \
					percent(sum["local-tm", n, 10], sum["local-tm", n, 9]), \
					percent(sum["local-tm", n, 11], all), \
					percent(sum["local-tm", n, 12], all), \
					percent(sum["local-tm", n, 13], all), tm
			}
		}' "$runs" >"$tsv"
	cat "$tsv"
	draw <<TXT
set ylabel 'speed-up over one work-item at a time'
plot for [i = 2:3] '$tsv' using i:xtic(1) title columnheader(i)
TXT
}
