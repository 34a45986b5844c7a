#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.15: the table of last-written times of a partition with 128, 2K and 4K
# entries in four sub-arrays, with 2K in one, and with 2K for words instead of blocks of 128
# bytes; WarpTM without and with TCD. Cycles at the best limit of concurrency, relative to no TCD.
# The thesis' trend for size: 128 entries have nearly all of the gain, 4K no more than 2K, and one
# array is as good as four. For words it is not: they lose a little on octree as there, but are
# better on audit, where the table does not fill and blocks of 128 bytes hold sixteen accounts.
. "$(dirname "$0")/common.sh"

printf '%s\n' 'no-tcd warptm' '128 warptm-tcd:tcd.filter.entries=32' \
	'2K-1-array warptm-tcd:tcd.filter.ways=1,tcd.filter.entries=2048' '2K warptm-tcd' \
	'2K-words warptm-tcd:tcd.filter.granularity=4' \
	'4K warptm-tcd:tcd.filter.entries=1024' >"$work/steps"
compare_steps '1 2 4 8' octree audit
