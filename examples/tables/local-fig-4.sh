#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Villegas et al., TRANSACT 2015, Fig. 4: k-means with 2 to 256 centers, the columns as in Fig. 3.
# In part the paper's trend: 1.8 with 256 centers (1.5 there), as most of the time goes to finding
# the nearest center, which is no transaction; transactions add at most 9 % of all cycles (10 %
# there); many attempts with few centers are serialised, and with 2 the cycles that transactions
# add make it slower than one work-item at a time (0.92; 1.28 without them). With 16 to 64 centers the speed-up is
# higher here, up to 3.6, and commits are up to 47 % of aborts (4 %, and 15 % with 256, there). The
# paper does not give its layout; here what a center gathers takes four positions of a bank, so
# false conflicts begin with 128 centers and reach 15 % of the accesses (39 % there).
. "$(dirname "$0")/local.sh"

local_figure k-means
