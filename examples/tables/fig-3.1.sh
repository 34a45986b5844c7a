#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 3.1 and 3.2: SIMD efficiency of the mechanisms, per cent, and the cycles
# in which the memory port stalls the core, of the issue cycles of pdom.
# The thesis' trend for TBC against PDOM (59 % with likely convergence, 37 % without either) and
# for the stalls: DWF mixes threads that access different lines and stalls most, TBC little. Not
# for DWF's efficiency, which is the highest here (67 %; the thesis has TBC above DWF): DWF
# fills warps from all thread blocks of the core, these kernels are short, and in their loops
# threads that fell behind often meet others again. Eddies cost it five points in the kernel eddies.
. "$(dirname "$0")/flow.sh"

COLUMNS_WANTED='simd_efficiency cycles_by_kind.stall cycles_by_kind.issue'
all_points | run_points >"$runs"
awk -v mechanisms="$mechanisms" -v divergent=" $divergent " '
	{
		if (!($1 in seen))
			kernel[++n] = $1
		seen[$1]
		efficiency[$1, $3] = 100 * $4
		stall[$1, $3] = $5
		issue[$1, $3] = $6
	}
	END {
		m = split(mechanisms, name, " ")
		line = "kernel"
		more = ""
		for (i = 1; i <= m; i++) {
			line = line "\t" name[i]
			more = more "\tstall " name[i]
		}
		print line more
		for (k = 1; k <= n; k++) {
			line = kernel[k]
			more = ""
			for (i = 1; i <= m; i++) {
				if (!((kernel[k], name[i]) in stall)) {
					line = line "\twrong"
					more = more "\twrong"
					continue
				}
				line = line sprintf("\t%.1f", efficiency[kernel[k], name[i]])
				more = more sprintf("\t%.1f",
					100 * stall[kernel[k], name[i]] / issue[kernel[k], "pdom"])
				if (index(divergent, " " kernel[k] " ")) {
					sum[i] += efficiency[kernel[k], name[i]]
					count[i]++
				}
			}
			print line more
		}
		line = "mean divergent"
		for (i = 1; i <= m; i++)
			line = line sprintf("\t%.1f", sum[i] / count[i])
		print line
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'SIMD efficiency, %'
plot for [i = 2:7] '$tsv' using i:xtic(1) title columnheader(i)
TXT
