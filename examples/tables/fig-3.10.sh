#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 3.10 and 3.4: performance of the mechanisms relative to pdom (its cycles
# divided by theirs), then cycles. The last lines are harmonic means over the divergent kernels, of
# all of them and without break, which lives on likely convergence.
# The thesis' trend: TBC with likely convergence is ahead of PDOM (1.37, and 1.16 without break; the
# thesis has 1.22), nobody gains or loses where nothing diverges, plain DWF executes the
# warp-synchronous kernel wrongly, and the warp barrier repairs DWF where eddies cost most (1.06
# to 1.42). Not the thesis' trend: DWF and DWF-WB are ahead of TBC. Threads of all
# blocks fill their warps, which the thesis sees for NAMD and NVRT too, forming warps costs no
# time here, and one core with an L1 hides most of the extra accesses that cost DWF its gain there.
. "$(dirname "$0")/flow.sh"

COLUMNS_WANTED='cycles'
all_points | run_points >"$runs"
awk -v mechanisms="$mechanisms" -v divergent=" $divergent " '
	{
		if (!($1 in seen))
			kernel[++n] = $1
		seen[$1]
		cycles[$1, $3] = $4
	}
	function mean(title, without, k, i, line, sum, count) {
		line = title
		for (i = 1; i <= m; i++) {
			sum = count = 0
			for (k = 1; k <= n; k++)
				if (index(divergent, " " kernel[k] " ") && kernel[k] != without &&
				    (kernel[k], name[i]) in cycles) {
					sum += cycles[kernel[k], name[i]] / cycles[kernel[k], "pdom"]
					count++
				}
			line = line sprintf("\t%.2f", count / sum)
		}
		print line
	}
	END {
		m = split(mechanisms, name, " ")
		line = "kernel"
		more = ""
		for (i = 1; i <= m; i++) {
			line = line "\t" name[i]
			more = more "\tcycles " name[i]
		}
		print line more
		for (k = 1; k <= n; k++) {
			line = kernel[k]
			more = ""
			base = cycles[kernel[k], "pdom"]
			for (i = 1; i <= m; i++)
				if ((kernel[k], name[i]) in cycles) {
					line = line sprintf("\t%.2f", base / cycles[kernel[k], name[i]])
					more = more "\t" cycles[kernel[k], name[i]]
				} else {
					line = line "\twrong"
					more = more "\twrong"
				}
			print line more
		}
		mean("mean divergent", "")
		mean("without break", "break")
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'performance relative to pdom'
plot for [i = 2:7] '$tsv' using i:xtic(1) title columnheader(i)
TXT
