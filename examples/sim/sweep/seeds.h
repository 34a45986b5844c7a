/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_SEEDS_H
#define SIM_SWEEP_SEEDS_H
/* Finds runs of a study that differ only in --seed and gave the same figures. */
#include "lines.h"
#include "points.h"

/* Print a warning about groups of such points on stderr. 0 or -1 (out of memory). */
int sweep_seeds_tell(const struct sweep_points *points, const struct sweep_lines *lines);

#endif
