#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GETM (HPCA 2018), Fig. 11: execution time relative to fine-grained locks of WarpTM with TCD, of
# GETM, and of GETM with the authors' simulator's clock, one for a core (the paper's is one for a
# warp), each at its best limit of concurrency; this limit, and the aborts per 1000 commits.
# Trend as in the paper for GETM against WarpTM: 1.7 times as fast on ht-800 and ht-8000 (2.1
# there at most), 1.8 on ht-80000, equal on atm-1m and graph-cut; but slower on octree and tree,
# probably for the reason that getm-fig-10.sh gives. GETM takes 1.3 to 1.9 times the cycles of the
# locks on the hash tables, where the paper has 1.07 on average. Of what it takes more, 30 %
# (ht-800, ht-8000) to nearly all (ht-80000) is due to the clock of a warp: with one for a core
# 75, 89 and 16 % of the aborts are left there.
. "$(dirname "$0")/common.sh"

printf '%s\n' 'fine-lock fine-lock' 'warptm-tcd warptm-tcd' 'getm getm' \
	'getm-per-core getm:warp_clock.per_core=1' >"$work/steps"
# shellcheck disable=SC2046
compare_steps '1 2 4 8 16 inf' $(getm_workloads)
