/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HeTM: transactions of a CPU and a GPU on one shared region, with speculative rounds. The GPU runs
 * any of the other systems; see hetm.h.
 */
#include "hetm.h"
#include "../systems/systems.h"

static const struct gputm_params *option_params(void)
{
	return &hetm_options_params;
}

static const struct gputm_params *machine_params(void)
{
	return &hetm_machine_params;
}

static const struct gputm_params *gpu_params(void)
{
	return &sim_machine_params;
}

/* The paper's rounds of 80 ms would take too long to simulate. */
static void init(void *config, const struct sim_shape *shape)
{
	struct hetm_config *c = config;

	(void)shape;
	gputm_params_init(&hetm_options_params, &c->system, sizeof c->system);
	gputm_params_init(&hetm_machine_params, &c->machine, sizeof c->machine);
	gputm_params_init(&sim_machine_params, &c->gpu, sizeof c->gpu);
	c->round = (struct gputm_sync_round_config)GPUTM_SYNC_ROUND_CONFIG_INIT;
	c->round.round_cycles = 1000000;
	c->round.early_cycles = 100000;
	c->log = (struct gputm_write_set_log_config)GPUTM_WRITE_SET_LOG_CONFIG_INIT;
	c->validator = (struct gputm_device_validator_config)GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	c->queues = (struct gputm_dispatch_queues_config)GPUTM_DISPATCH_QUEUES_CONFIG_INIT;
	c->reads = (struct gputm_access_bitmap_config)GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	c->writes = c->reads;
	c->writes.granule = 16384;
}

static const struct sim_role roles[] = {
	{ "system", option_params, offsetof(struct hetm_config, system) },
	{ "machine", machine_params, offsetof(struct hetm_config, machine) },
	{ "gpu", gpu_params, offsetof(struct hetm_config, gpu) },
	{ "sync_round", gputm_sync_round_params, offsetof(struct hetm_config, round) },
	{ "write_set_log", gputm_write_set_log_params, offsetof(struct hetm_config, log) },
	{ "device_validator", gputm_device_validator_params,
	  offsetof(struct hetm_config, validator) },
	{ "dispatch_queues", gputm_dispatch_queues_params, offsetof(struct hetm_config, queues) },
	{ "access_bitmap.reads", gputm_access_bitmap_params, offsetof(struct hetm_config, reads) },
	{ "access_bitmap.writes", gputm_access_bitmap_params,
	  offsetof(struct hetm_config, writes) },
};

const struct sim_system_class sim_hetm = {
	.name = "hetm",
	.summary = "a CPU and a GPU on one region, in speculative rounds",
	.flavour = SIM_TRANSACTIONS,
	.config_size = sizeof(struct hetm_config),
	.role = roles,
	.role_count = sizeof(roles) / sizeof(roles[0]),
	.init = init,
	.own = &hetm_runs,
};
