/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cores of GETM send: accesses to the validation units, logs to the commit buffers. */
#include "getm.h"
#include "logs.h"

#define ACCESS_BYTES 16 /* header, time, words */

/* The lowest lane of each granule among the lanes. */
static uint32_t leads(const struct sim_port *port, const struct getm_access *access)
{
	uint32_t shift = sim_getm_of(port)->granule_shift, seen = 0, result = 0;

	for (SIM_EACH_LANE(lane, access->lanes)) {
		uint32_t granule = 1u << (access->word[lane] >> shift);

		if (seen & granule)
			continue;
		seen |= granule;
		result |= 1u << lane;
	}
	return result;
}

static void send_access(struct sim_port *port, struct sim_warp *warp, bool write,
			const struct gputm_access_coalescer_access *wide)
{
	struct getm *getm = sim_getm_of(port);
	const struct getm_warp *state = sim_getm_warp(port, warp);
	struct sim_message message = { .what = GETM_ACCESS, .c = sim_slab_take(&getm->access) };
	struct getm_access *access;

	if (message.c == SIM_SLAB_NONE) {
		sim_fail(port, -ENOMEM, "no memory for an access");
		return;
	}
	access = sim_slab_at(&getm->access, message.c);
	*access = (struct getm_access){ .line = wide->address,
					.lanes = (uint32_t)wide->lane_mask,
					.warp = warp->number,
					.core = warp->core,
					.index = warp->index,
					.write = write };
	for (SIM_EACH_LANE(lane, wide->lane_mask))
		access->word[lane] = (uint8_t)((warp->address[lane] - wide->address) / 4);
	if (write)
		access->row = gputm_tx_log_rows(state->log, GPUTM_TX_LOG_KIND_WRITE) - 1;
	access->leads = write ? access->lanes : leads(port, access);
	access->left = sim_count_bits(access->leads);
	message.kind = write ? SIM_TRAFFIC_STORE : SIM_TRAFFIC_LOAD;
	message.core = warp->core;
	message.warp = warp->index;
	message.partition = (uint8_t)sim_partition_of(port, wide->address);
	sim_to_partition(port, &message, ACCESS_BYTES);
}

void sim_getm_send(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask)
{
	struct gputm_access_coalescer_access wide[SIM_MAX_LANES];
	uint32_t count = port->host->lines(port, warp, write, mask, wide);

	if (write) {
		sim_getm_warp(port, warp)->reserving += count;
	} else {
		warp->op = SIM_LOAD;
		warp->outstanding = count;
		sim_wait(port, warp, SIM_REPLIES);
	}
	for (uint32_t i = 0; i < count; i++)
		send_access(port, warp, write, &wide[i]);
}

static void send_packet(struct sim_port *port, const struct sim_warp *warp,
			const struct gputm_tx_log_row *row, uint32_t partition, uint64_t lanes,
			bool cleanup)
{
	struct getm *getm = sim_getm_of(port);
	struct getm_warp *state = sim_getm_warp(port, warp);
	struct sim_message message = { .what = GETM_LOG, .c = sim_slab_take(&getm->packet) };
	struct getm_packet *packet;

	if (message.c == SIM_SLAB_NONE) {
		sim_fail(port, -ENOMEM, "no memory for a packet");
		return;
	}
	packet = sim_slab_at(&getm->packet, message.c);
	packet->sequence = state->sequence;
	packet->warp = warp->number;
	packet->cleanup = cleanup;
	packet->count = 0;
	for (SIM_EACH_LANE(lane, lanes)) {
		packet->entry[packet->count].address = row->address[lane];
		packet->entry[packet->count++].value = row->value[lane];
	}
	state->logged += getm->config.system.commit_ack ? packet->count : 0;
	message.kind = cleanup ? SIM_TRAFFIC_CLEANUP : SIM_TRAFFIC_WRITE_LOG;
	message.core = warp->core;
	message.partition = (uint8_t)partition;
	sim_to_partition(port, &message, GETM_HEADER_BYTES + (cleanup ? 4 : 8) * packet->count);
}

void sim_getm_send_log(struct sim_port *port, struct sim_warp *warp, uint64_t lanes,
		       bool cleanup)
{
	const struct getm_warp *state = sim_getm_warp(port, warp);
	uint32_t rows = gputm_tx_log_rows(state->log, GPUTM_TX_LOG_KIND_WRITE);
	uint64_t lanes_of[64], partitions;

	for (uint32_t i = 0; lanes && i < rows && i < state->granted_rows; i++) {
		struct gputm_tx_log_row row =
			sim_log_row(port, state->log, GPUTM_TX_LOG_KIND_WRITE, i);

		sim_must(port,
			 gputm_tx_log_get_group(state->log, GPUTM_TX_LOG_KIND_WRITE, i,
						lanes & state->granted[i], lanes_of, &partitions),
			 "a row of the write log is gone");
		for (SIM_EACH_LANE(partition, partitions))
			send_packet(port, warp, &row, (uint32_t)partition, lanes_of[partition],
				    cleanup);
	}
}

void sim_getm_calm(struct sim_port *port, uint32_t index)
{
	struct getm_core *core = &sim_getm_of(port)->core[index];
	struct sim_message message = { .what = GETM_ROLLED, .kind = SIM_TRAFFIC_ROLLOVER };

	if (!core->rolling || core->rolled || core->begun)
		return;
	core->rolled = true;
	gputm_warp_clock_rollover(core->clock);
	message.core = (uint8_t)index;
	message.partition = core->leader;
	sim_to_partition(port, &message, GETM_HEADER_BYTES);
}
