/* SPDX-License-Identifier: BSD-2-Clause */
#include "tables.h"

const struct sim_workload_class *const sim_workload_classes[] = {
	&sim_hash_table, &sim_bank,	 &sim_octree,	&sim_sorted_list,
	&sim_search_tree, &sim_graph_cut, &sim_ht_800,	&sim_ht_8000,
	&sim_ht_80000,	 &sim_htk_8000,	 &sim_htk_80000, &sim_atm_1m,  &sim_atm_1024,
	&sim_audit,	 &sim_skew,	 &sim_skewr,	&sim_replay,   NULL,
};
