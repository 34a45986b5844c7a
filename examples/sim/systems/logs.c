/* SPDX-License-Identifier: BSD-2-Clause */
#include "logs.h"

SIM_UNIT_KIND(tx_log, SIM_OF_WARP);

void sim_logs_init(struct gputm_tx_log_config *config, const struct sim_shape *shape)
{
	gputm_params_init(gputm_tx_log_params(), config, sizeof *config);
	config->filter = GPUTM_TX_LOG_FILTER_PERFECT;
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

uint32_t sim_log_own_writes(struct sim_port *port, struct gputm_tx_log *log, struct sim_warp *warp)
{
	struct gputm_tx_log_lookup found = { 0 };
	uint32_t value[SIM_MAX_LANES];

	sim_must(port,
		 gputm_tx_log_lookup_own_writes(log, warp->mask, warp->address, value, &found),
		 "the write log refused a look-up");
	for (SIM_EACH_LANE(lane, found.hits)) {
		warp->loaded[lane] = value[lane];
		warp->version[lane] = SIM_OWN_VERSION;
	}
	sim_tell_load(port, warp, found.hits);
	warp->mask &= ~found.hits;
	return found.rows;
}

void sim_log_store(struct sim_port *port, struct gputm_tx_log *log, struct sim_warp *warp)
{
	sim_must(port, gputm_tx_log_append_write(log, warp->mask, warp->address, warp->value),
		 "the write log refused a row");
	sim_tell_store(port, warp, warp->mask);
}

struct gputm_tx_log_row sim_log_row(struct sim_port *port, const struct gputm_tx_log *log,
				    enum gputm_tx_log_kind kind, uint32_t row)
{
	struct gputm_tx_log_row out = { .mask = 0 };

	sim_must(port, gputm_tx_log_get_row(log, kind, row, &out), "a row of a log is gone");
	return out;
}

void sim_log_restart(struct sim_port *port, struct gputm_tx_log *log, uint64_t lanes)
{
	sim_must(port, gputm_tx_log_restart(log, lanes), "a log refused a restart");
}
