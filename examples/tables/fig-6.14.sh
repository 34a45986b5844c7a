#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.14: resolution within the warp in two parallel phases (2PCR) and one
# lane after the other (SCR), each with the time that it takes and without, in WarpTM with TCD.
# Cycles at the best limit of concurrency, relative to fine-grained locks.
# The thesis' trend for the time: SCR's costs more than 2PCR's, up to 19 % and 2 % (there 60 % and 2 %
# on average; logs are taken to hit the L1 here). Without it they are not equal as there: 2PCR
# aborts lanes in vain, for up to 17 %, because its 4096 entries are chosen by the low bits of an address,
# which the hash tables and accounts, at steps of 8 and 12 bytes, fill unevenly; with
# ownership_table.exact=1 the two are the same.
. "$(dirname "$0")/common.sh"

printf '%s\n' 'fine-lock fine-lock' 'kilo-tm kilo-tm' '2pcr warptm-tcd' \
	'2pcr-free warptm-tcd:system.resolver_overhead=0' 'scr warptm-tcd:system.resolver=scr' \
	'scr-free warptm-tcd:system.resolver=scr,system.resolver_overhead=0' >"$work/steps"
compare_steps '1 2 4 8' ht-800 ht-8000 ht-80000 atm-1m octree
