/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOADS_TABLES_H
#define SIM_WORKLOADS_TABLES_H
/* The classes of each workload file, how their options are written down, and their life. */
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

extern const struct sim_workload_class sim_replay;
extern const struct sim_workload_class sim_w1, sim_w2, sim_cache;

/* The workloads in local memory: families with N = 2, 4, ... 256 in the name. */
#define SIM_LOCAL_FAMILY(DO) DO(2) DO(4) DO(8) DO(16) DO(32) DO(64) DO(128) DO(256)
#define SIM_LOCAL_DECLARE(N)                                                                   \
	extern const struct sim_workload_class sim_local_hash_##N, sim_k_means_##N,            \
		sim_genetic_##N;
SIM_LOCAL_FAMILY(SIM_LOCAL_DECLARE)

/* A row of a workload's config struct; all fields are uint32_t. */
#define SIM_PARAM(type, field, lo, hi, standard, sentence)                                     \
	{ #field, (uint32_t)offsetof(type, field), (uint32_t)sizeof(((type *)0)->field),       \
	  (lo), (hi), (standard), false, (sentence), "", NULL }

/* The params of such a struct, whose rows are rows[]. */
#define SIM_WORKLOAD_PARAMS(type)                                                              \
	static const struct gputm_params params = {                                            \
		"workload", sizeof(type), rows, sizeof rows / sizeof *rows, NULL, 0,           \
	}

/* A workload's own struct of this size, zeroed but for class and name; or NULL, in error[] why. */
static inline void *sim_workload_new(const struct sim_workload_request *request, size_t bytes,
				     char *error, size_t size)
{
	struct sim_workload *workload = calloc(1, bytes);

	if (!workload) {
		snprintf(error, size, "out of memory");
		return NULL;
	}
	workload->class = request->class;
	workload->name = request->class->name;
	return workload;
}

/* Of one that has nothing else to free. */
static inline void sim_workload_free(struct sim_workload *workload)
{
	free(workload);
}

/* Its program of this flavour; eval is handed the workload. */
static inline void sim_workload_runs(struct sim_workload *workload, enum sim_flavour flavour,
				     const struct sim_instr *code, uint32_t length,
				     sim_eval_fn eval)
{
	workload->own[flavour] = (struct sim_program){
		.code = code, .length = length, .eval = eval, .data = workload,
	};
	workload->program[flavour] = &workload->own[flavour];
}

#endif /* SIM_WORKLOADS_TABLES_H */
