/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ABORTS_H
#define SIM_ABORTS_H
/* A line for each thread that aborts: what --aborts writes. */
#include <stdio.h>

#include "seeing.h"

/* NULL without memory. */
struct seen_sink *aborts_new(struct seeing *see, FILE *file);
void aborts_free(struct seen_sink *sink);

#endif
