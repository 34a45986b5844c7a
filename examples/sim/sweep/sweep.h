/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H
/*
 * Runs of studies. The points of a study are numbered from 1; the result of each is a line of JSON.
 * Running, resuming and merging work alike: lines come from files or from workers, are stored by
 * the number of their point, and are written in this order.
 */
#include "../study/options.h"

/* Exit status (base/output.h) of the run of these options. */
typedef int sweep_run_fn(const struct sim_options *options);

/* --study: exit status. */
int sweep_run(const struct sim_options *options, sweep_run_fn *run);
/* --merge: exit status. */
int sweep_merge(const struct sim_options *options);
/* --compare: exit status. */
int sweep_compare(const struct sim_options *options);

#endif
