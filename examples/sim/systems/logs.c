/* SPDX-License-Identifier: BSD-2-Clause */
#include "logs.h"

SIM_UNIT_KIND(tx_log);

void sim_logs_init(struct gputm_tx_log_config *config, const struct sim_machine_config *machine)
{
	gputm_params_init(gputm_tx_log_params(), config, sizeof *config);
	config->filter = GPUTM_TX_LOG_PERFECT;
	config->lanes = machine->lanes;
	config->partitions = machine->partitions;
	config->interleave = machine->interleave;
	config->flit_bytes = machine->flit_bytes;
}

bool sim_logs_fit(struct sim_machine *machine, const struct gputm_tx_log_config *config)
{
	const struct sim_machine_config *shape = &machine->config;

	return sim_same(machine, "tx_log.lanes", config->lanes, "machine.lanes", shape->lanes) &&
	       sim_same(machine, "tx_log.partitions", config->partitions, "machine.partitions",
			shape->partitions) &&
	       sim_same(machine, "tx_log.interleave", config->interleave, "machine.interleave",
			shape->interleave);
}

int sim_logs_make(struct sim_machine *machine, const struct gputm_tx_log_config *config,
		  struct gputm_tx_log **first, size_t stride)
{
	uint32_t warps = machine->config.cores * machine->config.warps;
	char *handle = (char *)first;
	int error = 0;

	for (uint32_t i = 0; !error && i < warps; i++)
		error = sim_unit_add(machine, "tx_log", &kind_tx_log, config, handle + i * stride);
	return error;
}
