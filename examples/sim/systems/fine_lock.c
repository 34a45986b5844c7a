/* SPDX-License-Identifier: BSD-2-Clause */
/* Fine-grained locks: the workload has a program with locks, and the machine runs it. */
#include "../port/port.h"
#include "systems.h"

static const struct sim_system_ops ops = { .make = NULL };

static const struct sim_unused unused[] = { SIM_NO_UNITS, SIM_NO_ABORTS, { NULL, NULL, NULL } };

const struct sim_system_class sim_fine_lock = {
	.name = "fine-lock",
	.summary = "fine-grained locks, by the workload's own lock program",
	.flavour = SIM_LOCKS,
	.ops = &ops,
	.unused = unused,
};
