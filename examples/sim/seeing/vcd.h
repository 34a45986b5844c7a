/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_VCD_H
#define SIM_VCD_H
/* What is seen, as signals over time: a value change dump, for GTKWave. */
#include <stdio.h>

#include "seeing.h"

/* Write to this file after the run; NULL without memory. Free it after seeing_end(). */
struct seen_sink *vcd_new(struct seeing *see, FILE *file);
void vcd_free(struct seen_sink *sink);

#endif
