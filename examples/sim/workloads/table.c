/* SPDX-License-Identifier: BSD-2-Clause */
#include "tables.h"

const struct sim_workload_class *const sim_workload_classes[] = {
	&sim_replay, NULL,
};
