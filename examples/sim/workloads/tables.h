/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOADS_TABLES_H
#define SIM_WORKLOADS_TABLES_H
/* The classes of each workload file, how to write their options, and how to make workloads. */
#include <stdio.h>

#include "workload.h"
#include "../base/arena.h"

extern const struct sim_workload_class sim_replay;
/* Memory for a workload of this size, zeroed but for class and name; NULL with the reason in
 * error[]. */
static inline void *sim_workload_new(const struct sim_workload_request *request, size_t bytes,
				     char *error, size_t size)
{
	struct sim_workload *workload = sim_calloc(1, bytes);

	if (!workload) {
		snprintf(error, size, "out of memory");
		return NULL;
	}
	workload->class = request->class;
	workload->name = request->class->name;
	workload->flavour = request->flavour;
	return workload;
}

/* Frees a workload that owns nothing else. */
static inline void sim_workload_free(struct sim_workload *workload)
{
	sim_free(workload);
}

#endif /* SIM_WORKLOADS_TABLES_H */
