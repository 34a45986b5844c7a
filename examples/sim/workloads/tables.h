/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WORKLOADS_TABLES_H
#define SIM_WORKLOADS_TABLES_H
/* The classes of each workload file, and how their options are written down. */
#include "../workload.h"

extern const struct sim_workload_class sim_hash_table;
extern const struct sim_workload_class sim_ht_800, sim_ht_8000, sim_ht_80000;
extern const struct sim_workload_class sim_htk_8000, sim_htk_80000;
extern const struct sim_workload_class sim_bank, sim_atm_1m, sim_atm_1024;
extern const struct sim_workload_class sim_audit, sim_skew, sim_skewr;
extern const struct sim_workload_class sim_octree;
extern const struct sim_workload_class sim_sorted_list, sim_search_tree, sim_graph_cut;
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

#endif /* SIM_WORKLOADS_TABLES_H */
