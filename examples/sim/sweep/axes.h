/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_AXES_H
#define SIM_SWEEP_AXES_H
/* Tells what a study runs, for programs that read its results. */
#include "../study/options.h"

/* --axes: write both forms of the study as JSON. @return exit status. */
int sweep_axes(const struct sim_options *options);

#endif
