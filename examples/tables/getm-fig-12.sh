#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 12: flits over both crossbars of GETM relative to WarpTM with TCD, each at its
# best limit of concurrency, and what GETM's are made of.
# Trend as in the paper: GETM sends more, as each store asks for its reservation and gets an
# answer (32 to 38 % of its flits on hash tables and transfers): 1.3 to 1.7 times WarpTM's, and
# 3.3 times on ht-800, where it has 18 times the aborts. It sends less on graph-cut, where it
# aborts less and sends no read log.
. "$(dirname "$0")/common.sh"

COLUMNS_WANTED='cycles traffic.total.flits committed aborted traffic.load.flits traffic.load_reply.flits
	traffic.store.flits traffic.store_reply.flits traffic.write_log.flits traffic.cleanup.flits'
best_points warptm-tcd getm >"$runs"
awk '
	BEGIN {
		OFS = "\t"
		print "workload", "getm", "flits of warptm-tcd", "flits of getm", "loads", "load replies",
			"stores", "store replies", "write log", "clean-up"
	}
	{ flits[NR % 2] = $5 }
	NR % 2 == 0 {
		line = $1 OFS sprintf("%.2f", flits[0] / flits[1]) OFS flits[1] OFS flits[0]
		for (i = 8; i <= 13; i++)
			line = line OFS sprintf("%.0f %%", 100 * $i / flits[0])
		print line
	}' "$runs" >"$tsv"
cat "$tsv"

draw <<TXT
set ylabel 'flits relative to WarpTM'
plot '$tsv' using 2:xtic(1) title columnheader(2)
TXT
