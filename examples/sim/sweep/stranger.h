/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_STRANGER_H
#define SIM_SWEEP_STRANGER_H
/* Tells in what a result differs from all points of a study. */
#include "points.h"

/* Do the lines of the study have what this result says of its point? Else, or where only bytes of
 * files or defaults differ, the reason is in out[]. */
bool sweep_same_settings(const struct sweep_points *points, const char *line, char *out,
			 size_t size);

#endif
