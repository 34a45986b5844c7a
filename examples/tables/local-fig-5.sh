#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Villegas et al., TRANSACT 2015, Fig. 5: the genetic algorithm with 2 to 256 solutions, the
# columns as in Fig. 3. The paper's trend in N: the speed-up grows and the share of serialised
# attempts falls; and with 64 and 128 solutions GPU-LocalTM is faster than its perfect version, as
# in the paper, since the cycles that it adds change who meets whom. Not the paper's: up to 32
# solutions it is slower than one work-item at a time. With so few, all lanes of an attempt
# conflict crosswise, so each commit takes an attempt of all lanes and then one in wavefront
# serialisation, and the long comparison of two solutions issues for its whole length also when no
# lane of the wavefront is left. Commits are 3 to 63 % of aborts (1 to 15 % there).
. "$(dirname "$0")/local.sh"

local_figure genetic
