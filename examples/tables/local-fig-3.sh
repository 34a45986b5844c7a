#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Villegas et al., TRANSACT 2015, Fig. 3: the hash table HT2 to HT256. Speed-up of GPU-LocalTM and
# of its perfect version over one work-item at a time, and what conflicts and transactions cost.
# The trend is the paper's: the speed-up grows with the buckets, here from 3 to 116 (up to 80
# there), close below the perfect version's; commits are 7 % of aborts with 2 buckets (5 % there)
# and none abort with 256; the share of serialised attempts is highest in the midst (23 % with 16
# and 20 % with 32 buckets, 25 % there) and lowest at the ends; transactions add 6 to 11 % of all
# cycles (at most 16 % there). Against the perfect version the run takes 21 to 53 % longer, as
# these cycles are waited for and change who meets whom. Work-group serialisation, which the paper
# never saw, takes up to 9 % of the attempts: here wavefronts issue in turns as regular as the
# program, so they meet again.
. "$(dirname "$0")/local.sh"

local_figure local-hash
