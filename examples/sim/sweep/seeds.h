/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_SEEDS_H
#define SIM_SWEEP_SEEDS_H
/* Runs of a study that differ in --seed only, and came out the same. */
#include "lines.h"
#include "points.h"

/* Tell of groups of such points on stderr, if there are any. 0 or -1 (out of memory). */
int sweep_seeds_tell(const struct sweep_points *points, const struct sweep_lines *lines);

#endif
