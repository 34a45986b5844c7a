/* SPDX-License-Identifier: BSD-2-Clause */
#include "logs.h"

SIM_UNIT_KIND(tx_log);

void sim_logs_init(struct gputm_tx_log_config *config, const struct sim_shape *shape)
{
	gputm_params_init(gputm_tx_log_params(), config, sizeof *config);
	config->filter = GPUTM_TX_LOG_PERFECT;
	config->lanes = shape->lanes;
	config->partitions = shape->partitions;
	config->interleave = shape->interleave;
	config->flit_bytes = shape->flit_bytes;
}

bool sim_logs_fit(struct sim_port *port, const struct gputm_tx_log_config *config)
{
	const struct sim_shape *shape = &port->shape;

	return sim_same(port, "tx_log.lanes", config->lanes, "machine.lanes", shape->lanes) &&
	       sim_same(port, "tx_log.partitions", config->partitions, "machine.partitions",
			shape->partitions) &&
	       sim_same(port, "tx_log.interleave", config->interleave, "machine.interleave",
			shape->interleave);
}

int sim_logs_make(struct sim_port *port, const struct gputm_tx_log_config *config,
		  struct gputm_tx_log **first, size_t stride)
{
	uint32_t warps = port->shape.cores * port->shape.warps;
	char *handle = (char *)first;
	int error = 0;

	for (uint32_t i = 0; !error && i < warps; i++)
		error = sim_unit_add(port, "tx_log", &kind_tx_log, config, handle + i * stride);
	return error;
}
