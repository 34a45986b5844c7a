/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H
/*
 * Many runs. A study has points, which are numbered from 1; the result of each is a line of JSON.
 * Running, resuming and merging are one thing: lines are found in files or come from workers, are
 * kept by the number of their point, and are written in its order.
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
