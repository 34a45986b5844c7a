/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GPU-LocalTM on one compute unit: local_tm is its local memory. The paper's two baselines
 * beside it: the same without the cycles that transactions add, and one work-item of the group
 * after the other, with ordinary accesses.
 */
#include "local.h"
#include "../systems/systems.h"

static const struct gputm_params *machine_params(void)
{
	return &local_machine_params;
}

static void init(void *config, const struct sim_shape *shape)
{
	struct local_config *c = config;

	(void)shape;
	gputm_params_init(&local_machine_params, &c->machine, sizeof c->machine);
	c->local_tm = (struct gputm_local_tm_config)GPUTM_LOCAL_TM_CONFIG_INIT;
	c->perfect = c->serialised = false;
}

static void init_perfect(void *config, const struct sim_shape *shape)
{
	init(config, shape);
	((struct local_config *)config)->perfect = true;
}

static void init_serialised(void *config, const struct sim_shape *shape)
{
	init(config, shape);
	((struct local_config *)config)->serialised = true;
}

static const struct sim_role roles[] = {
	{ "machine", machine_params, offsetof(struct local_config, machine) },
	{ "local_tm", gputm_local_tm_params, offsetof(struct local_config, local_tm) },
};

#define LOCAL(NAME, SUMMARY, INIT)                                                             \
	{                                                                                      \
		.name = (NAME), .summary = (SUMMARY), .flavour = SIM_LOCAL,                    \
		.config_size = sizeof(struct local_config), .role = roles,                     \
		.role_count = sizeof(roles) / sizeof(roles[0]), .init = (INIT),                \
		.own = &local_runs,                                                         \
	}

const struct sim_system_class sim_local_tm = LOCAL("local-tm", "GPU-LocalTM in local memory", init);
const struct sim_system_class sim_local_tm_perfect =
	LOCAL("local-tm-perfect", "GPU-LocalTM without the cycles that it adds", init_perfect);
const struct sim_system_class sim_local_serialised =
	LOCAL("local-serialised", "one work-item of the work-group at a time", init_serialised);
