/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SERIES_H
#define SIM_SERIES_H
/* Writes the counts of a run at intervals, for --series. */
#include <stdio.h>

#include "seeing.h"

/* Every so many cycles, of figures whose names ROLE.STATISTIC match a pattern of `only` (NULL: of
 * all). NULL without memory. Free it after seeing_end(). */
struct seen_sink *series_new(struct seeing *see, uint64_t cycles, const char *only, FILE *file);
/* Is there a figure that matches? */
bool series_any(const struct seen_sink *sink);
void series_free(struct seen_sink *sink);

#endif
