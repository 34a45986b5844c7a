/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HISTORY_H
#define SIM_HISTORY_H
/*
 * What has committed in a run, for an external checker: the list of operations that Elle reads. The
 * history holds what threads have read and written, and nothing of the system's order. Values are
 * versions: no two writes have the same value.
 */
#include <stdio.h>

#include "../port/result.h"

struct sim_history;

struct sim_workload;

/*
 * Write a line for each transaction. The observer `next` gets all calls as well, unless it is NULL;
 * it must live as long as the history. Values of a trace are versions already. NULL if out of
 * memory.
 */
struct sim_history *sim_history_new(const struct sim_workload *workload, bool values_are_versions,
				    FILE *out, const struct sim_observer *next);
/* For sim_run_options; valid as long as the history. */
const struct sim_observer *sim_history_observer(const struct sim_history *history);
/* Call this after the run. 0, or -ENOMEM: the history is incomplete. */
int sim_history_end(struct sim_history *history);
void sim_history_free(struct sim_history *history);

#endif /* SIM_HISTORY_H */
