#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fung, thesis 2015, Fig. 6.13: WarpTM's optimisations one after the other, with an ideal
# resolution within the warp that takes no time: Kilo TM; resolution; one message per warp;
# words of a warp joined in regions of 32 bytes; hazard detection at twice the rate. Cycles at the
# best limit of concurrency, relative to fine-grained locks.
# The thesis' trend for the first step alone: resolution saves up to 9 % on the hash tables and
# 35 % on octree. One message per warp saves 23 % there and costs up to 42 % here, the more, the
# more conflicts there are, for the reason that fig-6.10.sh gives; joining saves up to 4 % (there 14 %).
# Faster hazard detection saves most where conflicts are rare, 10 % on ht-80000, and not on octree.
. "$(dirname "$0")/common.sh"

ideal=system.resolver=ideal,system.resolver_overhead=0
printf '%s\n' 'fine-lock fine-lock' 'kilo-tm kilo-tm' \
	"resolution warptm:$ideal,commit_unit.warp_mode=0,commit_sequencer.mode=scalar,commit_sequencer.pack_verdict=0" \
	"messages warptm:$ideal,commit_unit.region_bytes=4" \
	"joining warptm:$ideal" "hazard warptm:$ideal,commit_unit.hazard_rate=2" >"$work/steps"
compare_steps '1 2 4 8' ht-800 ht-8000 ht-80000 atm-1m octree
