/* SPDX-License-Identifier: BSD-2-Clause */
#include "tables.h"

#define HASH(N) &sim_local_hash_##N,
#define MEANS(N) &sim_k_means_##N,
#define GENETIC(N) &sim_genetic_##N,

const struct sim_workload_class *const sim_workload_classes[] = {
	&sim_replay, &sim_w1, &sim_w2, &sim_cache,
	SIM_LOCAL_FAMILY(HASH) SIM_LOCAL_FAMILY(MEANS) SIM_LOCAL_FAMILY(GENETIC) NULL,
};
