/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporal conflict detection, between the units and the machine; see warptm.c. The core's
 * table learns of a reply when the L2 serves the load, which is all the same to it: it is
 * asked at the commit, when all replies are in.
 */

#include "logs.h"
#include "warptm.h"
#include "../base/arena.h"

SIM_UNIT_KIND(first_read, SIM_OF_CORE);
SIM_UNIT_KIND(last_written, SIM_OF_PARTITION);

static uint64_t cycle(const struct sim_port *port)
{
	return sim_now(port) / port->core_ticks;
}

void sim_tcd_begin(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);

	sim_must(port,
		 gputm_first_read_begin(tm->first_read[warp->core], warp->index, warp->inside),
		 "the first-read table refused a warp");
}

void sim_tcd_load(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);

	sim_kilo_load(port, warp);
	if (warp->mask)
		sim_must(port,
			 gputm_first_read_issue(tm->first_read[warp->core], warp->index, warp->mask,
						cycle(port)),
			 "the first-read table refused a load");
}

/* The L2 serves a line: ask the table once per block. */
void sim_tcd_served(struct sim_port *port, struct sim_message *message)
{
	struct warptm *tm = sim_warptm_of(port);
	const struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	uint64_t left = message->b, block = tm->config->last_written.granularity, time;

	while (left) {
		uint64_t address = warp->address[__builtin_ctzll(left)] & ~(block - 1), same = 0;

		for (SIM_EACH_LANE(lane, left))
			if ((warp->address[lane] & ~(block - 1)) == address)
				same |= UINT64_C(1) << lane;
		left &= ~same;
		sim_must(port,
			 gputm_last_written_query(tm->last_written[message->partition], address,
						  &time),
			 "the last-written table refused a query");
		sim_must(port,
			 gputm_first_read_reply(
				 tm->first_read[message->core], message->warp, same, time,
				 gputm_commit_unit_write_pending(
					 tm->kilo.partition[message->partition].unit, address)),
			 "the first-read table refused a reply");
	}
	message->d += 8;
}

static void wrote(struct sim_port *port, uint32_t partition,
		  const struct gputm_mem_request *request)
{
	struct warptm *tm = sim_warptm_of(port);
	uint64_t block = ~UINT64_C(0);

	for (SIM_EACH_LANE(word, request->word_mask)) {
		uint64_t address = request->address + 4 * word;

		if ((address ^ block) < tm->config->last_written.granularity)
			continue;
		block = address & ~(uint64_t)(tm->config->last_written.granularity - 1);
		sim_must(port,
			 gputm_last_written_record(tm->last_written[partition], address,
						   cycle(port)),
			 "the last-written table refused a write");
	}
}

uint64_t sim_tcd_commit(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	struct warptm *tm = sim_warptm_of(port);
	struct gputm_tx_log *log = tm->kilo.log[warp->number];
	struct gputm_first_read_verdict verdict = { .silent = 0 };
	uint64_t writers = gputm_tx_log_lanes(log, GPUTM_TX_LOG_KIND_WRITE);

	sim_must(port,
		 gputm_first_read_finish(tm->first_read[warp->core], warp->index, lanes, writers,
					 &verdict),
		 "the first-read table refused a commit");
	if (!verdict.silent)
		return lanes;
	for (SIM_EACH_LANE(lane, verdict.silent))
		warp->witness[lane] = SIM_NO_PLACE;
	sim_tx_commit(port, warp, verdict.silent, warp->witness);
	sim_log_restart(port, log, verdict.silent);
	return lanes & ~verdict.silent;
}

int sim_tcd_make(struct sim_port *port, struct warptm *tm)
{
	uint32_t cores = port->shape.cores, partitions = port->shape.partitions;
	int error = 0;

	tm->first_read = sim_calloc(cores, sizeof *tm->first_read);
	tm->last_written = sim_calloc(partitions, sizeof *tm->last_written);
	if (!tm->first_read || !tm->last_written)
		return -ENOMEM;
	tm->kilo.wrote = wrote;
	for (uint32_t i = 0; !error && i < cores; i++)
		error = sim_unit_add(port, "first_read", &kind_first_read,
				     &tm->config->first_read, &tm->first_read[i]);
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = sim_unit_add(port, "last_written", &kind_last_written,
				     &tm->config->last_written, &tm->last_written[i]);
	return error;
}
