/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HISTORY_H
#define SIM_HISTORY_H
/*
 * What has committed in a run, for a checker of somebody else's: Elle's list of operations. It has
 * nothing but what threads have read and written, and no place of a transaction in any order.
 * Values are versions: no two writes have the same.
 */
#include <stdio.h>

#include "../port/run.h"

struct sim_history;

struct sim_workload;

/*
 * Write a line for each transaction. What is told goes to `next` as well, if that is not NULL; it
 * must live as long. The workload's values are versions if it is a trace. NULL: no memory.
 */
struct sim_history *sim_history_new(const struct sim_workload *workload, bool values_are_versions,
				    FILE *out, const struct sim_observer *next);
/* For sim_run_options; valid as long as the history. */
const struct sim_observer *sim_history_observer(const struct sim_history *history);
/* After the run. 0, or -ENOMEM: it is not whole. */
int sim_history_end(struct sim_history *history);
void sim_history_free(struct sim_history *history);

#endif /* SIM_HISTORY_H */
