#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Chen, Peng and Irving, ISCA 2017, Fig. 21: transactions that read the same snapshot, on average,
# aborted attempts included; and how many commits went into one version.
# The paper's trend: many transactions share a snapshot, 13 to 50 here, and 3 to 14 commits share
# a version and its copy; fewest on the lists, where most attempts abort. How sharers are
# distributed is in the JSON report: the histogram sharers of version_table.
. "$(dirname "$0")/si-common.sh"

COLUMNS_WANTED='version_table.acquired version_table.sealed committed'
run_programs si-tm si-tm-oracle | awk -v runs="$(echo "$seeds" | wc -w)" '
	BEGIN { print "program\tsi-tm\tsi-tm-oracle\tcommits per version" }
	{ sharers[NR % 2] = $3 / ($4 + runs) }
	NR % 2 == 1 { commits = $5 / $4 }
	NR % 2 == 0 { printf "%s\t%.1f\t%.1f\t%.1f\n", $1, sharers[1], sharers[0], commits }' >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'sharers of a snapshot'
plot for [i = 2:3] '$tsv' using i:xtic(1) title columnheader(i)
TXT
