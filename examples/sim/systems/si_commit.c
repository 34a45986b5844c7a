/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshot isolation: from tx_commit until all that the warp wrote is in the next version.
 * The core collects the results of the commit units concerned (ISCA 2017, section 5): a message
 * to each, and an answer. When nothing can stop its transactions any more and the version can
 * be written, they commit in one cycle. Their log is walked, a packet per cycle, and written a
 * word per cycle. In the paper the log goes ahead and the order to write follows the results;
 * here the log is the order, so that there are as many messages and round trips.
 */
#include "logs.h"
#include "si_tm.h"

/* ---- the commit -------------------------------------------------------------------------- */

static void tell_version(struct sim_port *port, uint64_t address, uint64_t stamp)
{
	struct si *si = sim_si_of(port);
	const struct si_region *region = sim_si_region_of(si, address);

	sim_must(port,
		 gputm_version_table_commit(si->versions, (uint32_t)(region - si->region), stamp),
		 "no version can be written");
}

static void commit_lane(struct sim_port *port, struct sim_warp *warp, uint64_t lane)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint32_t id = state->tx[lane];
	struct si_tx *tx = &si->tx[id];
	uint64_t stamp = si->detector->commit(port, id);

	for (uint32_t i = 0; i < tx->writes.count; i++)
		tell_version(port, tx->writes.address[i], stamp);
	if (tx->writes.count)
		state->writers |= UINT64_C(1) << lane;
	state->place[lane] = (uint32_t)++si->places;
	warp->witness[lane] = si->places | SIM_BY_VERSION;
	state->active &= ~(UINT64_C(1) << lane);
	sim_si_retire(port, id, tx->writes.count ? si->sealed + 1 : tx->snapshot);
}

static uint64_t commit_lanes(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint64_t lanes = 0;

	for (SIM_EACH_LANE(lane, state->active)) {
		if (!si->detector->may_commit ||
		    si->detector->may_commit(port, state->tx[lane])) {
			commit_lane(port, warp, lane);
			lanes |= UINT64_C(1) << lane;
		} else {
			sim_si_doom(port, state, (uint32_t)lane, SIM_ABORT_CONFLICT);
		}
	}
	return lanes;
}

static void walk(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);

	state->phase = SI_WRITING;
	sim_stage(port, warp, SIM_STAGE_WRITE);
	state->row = 0;
	state->left = 0;
	si->in_flight++;
	sim_si_line_push(port, &si->walk[warp->core], warp->index);
	port->host->call_core(port, warp->core,
			      sim_align(sim_now(port) + port->core_ticks, port->core_ticks));
}

/* The version can be written, or there is nothing to write. */
static void commit_warp(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint64_t lanes;

	state->writers = 0;
	lanes = commit_lanes(port, warp);
	sim_si_abort_doomed(port, warp);
	if (lanes)
		sim_tx_commit(port, warp, lanes, warp->witness);
	if (lanes && si->most_inside < port->shape.cores * port->shape.warps)
		si->most_inside++;
	if (state->writers)
		walk(port, warp);
	else
		sim_si_over(port, warp);
	sim_si_reclaim(port);
}

static bool writes(const struct si *si, const struct si_warp *state)
{
	for (SIM_EACH_LANE(lane, state->active))
		if (si->tx[state->tx[lane]].writes.count)
			return true;
	return false;
}

/* Ask each partition that has a word of the warp's writes. Claims there have already passed or
 * doomed the transaction. */
static void ask_for_votes(struct sim_port *port, struct sim_warp *warp)
{
	struct si_warp *state = sim_si_warp(port, warp);
	const struct gputm_tx_log *log = sim_si_of(port)->log[warp->number];
	uint64_t lanes_of[64], set, all = 0;

	for (uint32_t row = 0; row < gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE); row++) {
		sim_must(port,
			 gputm_tx_log_get_group(log, GPUTM_TX_LOG_KIND_WRITE, row, state->active,
						lanes_of, &set),
			 "the write log refused a row");
		all |= set;
	}
	for (SIM_EACH_LANE(partition, all)) {
		struct sim_message message = { .what = SI_VOTE, .kind = SIM_TRAFFIC_DONE };

		message.core = warp->core;
		message.warp = warp->index;
		message.partition = (uint8_t)partition;
		state->claims++;
		sim_to_partition(port, &message, 8);
	}
	state->voted = true;
	state->phase = SI_CLAIMING;
}

/* A result takes a cycle, after what the tables are busy with. */
static void vote(struct sim_port *port, const struct sim_message *message)
{
	struct si_partition *partition = &sim_si_of(port)->partition[message->partition];
	struct sim_message answer = *message;

	if (partition->table_free < sim_now(port))
		partition->table_free = sim_now(port);
	partition->table_free += port->unit_ticks;
	answer.what = SI_CLAIMED;
	answer.kind = SIM_TRAFFIC_OUTCOME;
	answer.due = partition->table_free;
	sim_queue_push(port, &partition->answers, &answer);
	sim_call_partition(port, message->partition, sim_now(port) + 1);
}

/* All claims and loads are answered; otherwise old versions could wait for their readers. */
void sim_si_commit_now(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);

	sim_si_look_at_time(port);
	sim_si_abort_doomed(port, warp);
	for (SIM_EACH_LANE(lane, state->active))
		sim_si_leave(port, state->tx[lane]);
	if (!state->active) {
		sim_si_over(port, warp);
	} else if (si->config->system.vote && !state->voted && writes(si, state)) {
		ask_for_votes(port, warp);
	} else if (!writes(si, state) || (!si->unwritable && !si->closing)) {
		commit_warp(port, warp);
	} else {
		state->phase = SI_COMMITTING;
		sim_stage(port, warp, SIM_STAGE_QUEUE);
		sim_si_line_push(port, &si->committing, warp->number);
	}
}

void sim_si_commit(struct sim_port *port, struct sim_warp *warp)
{
	struct si_warp *state = sim_si_warp(port, warp);

	if (state->claims)
		state->phase = SI_CLAIMING;
	else
		sim_si_commit_now(port, warp);
}

/* ---- the log, beside the core ------------------------------------------------------------ */

/* Send the words of a row to the version that is being written; notes the partitions of their
 * places. */
static uint64_t find_partitions(struct sim_port *port, struct si_warp *state,
				const struct gputm_tx_log_row *row)
{
	struct si *si = sim_si_of(port);
	uint64_t set = 0;

	for (SIM_EACH_LANE(lane, row->mask & state->writers)) {
		const struct si_region *region = sim_si_region_of(si, row->address[lane]);
		uint64_t address = region ? sim_si_place_of(region, row->address[lane]) : 0;

		sim_must(port,
			 gputm_version_table_resolve_write(si->versions, address,
							   &state->physical[lane]),
			 "the version table refused a write");
		set |= UINT64_C(1) << sim_partition_of(port, state->physical[lane]);
	}
	return set;
}

static void note_written(struct sim_port *port, uint64_t address)
{
	struct si_region *region = sim_si_region_of(sim_si_of(port), address);

	if (region && !sim_si_words_add(&region->written, address - region->logical.start))
		sim_fail(port, -ENOMEM, "no memory for what was written");
}

static void send_words(struct sim_port *port, struct sim_warp *warp, uint32_t partition,
		       const struct gputm_tx_log_row *row)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	struct sim_message message = { .what = SI_WRITE, .kind = SIM_TRAFFIC_WRITE_LOG };
	struct si_packet *packet;

	message.c = sim_slab_take(&si->packets);
	if (message.c == SIM_SLAB_NONE) {
		sim_fail(port, -ENOMEM, "no memory for a packet");
		return;
	}
	packet = sim_slab_at(&si->packets, message.c);
	packet->core = warp->core;
	packet->warp = warp->index;
	packet->count = packet->issued = packet->done = 0;
	for (SIM_EACH_LANE(lane, row->mask & state->writers)) {
		if (sim_partition_of(port, state->physical[lane]) != partition)
			continue;
		note_written(port, row->address[lane]);
		packet->word[packet->count].address = state->physical[lane];
		packet->word[packet->count].value = row->value[lane];
		packet->word[packet->count++].place = state->place[lane];
	}
	message.core = warp->core;
	message.warp = warp->index;
	message.partition = (uint8_t)partition;
	state->writes++;
	sim_to_partition(port, &message, 8 + 8 * packet->count);
}

/* All words are written, and the log has been walked. */
static void written(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);

	sim_si_warp(port, warp)->phase = SI_SEALING;
	sim_stage(port, warp, SIM_STAGE_SEAL);
	sim_si_line_push(port, &si->sealing, warp->number);
	si->in_flight--;
	si->closing = true;
	sim_si_poke(port);
}

/* Send the next packet of the row, or of the next row. False: the log is at its end. */
static bool walk_on(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	const struct gputm_tx_log *log = si->log[warp->number];
	struct gputm_tx_log_row row = sim_log_row(port, log, GPUTM_TX_LOG_KIND_WRITE, state->row);

	if (!state->left)
		state->left = find_partitions(port, state, &row);
	if (state->left) {
		send_words(port, warp, (uint32_t)__builtin_ctzll(state->left), &row);
		state->left &= state->left - 1;
	}
	if (!state->left)
		state->row++;
	return state->row < gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE);
}

uint64_t sim_si_core_tick(struct sim_port *port, uint32_t core)
{
	struct si_line *line = &sim_si_of(port)->walk[core];
	struct sim_warp *warp;

	if (!line->count)
		return SIM_NEVER;
	warp = sim_warp_of(port, core, line->warp[line->head]);
	if (!walk_on(port, warp)) {
		struct si_warp *state = sim_si_warp(port, warp);

		sim_si_line_pop(port, line);
		state->row = SI_NONE;
		if (!state->writes)
			written(port, warp);
	}
	return line->count ? sim_now(port) + port->core_ticks : SIM_NEVER;
}

/* ---- beside the memory ------------------------------------------------------------------- */

/* Write a word of the first packet; called in each cycle of the unit. */
void sim_si_write(struct sim_port *port, uint32_t index)
{
	struct si *si = sim_si_of(port);
	struct si_partition *partition = &si->partition[index];
	struct sim_message *message = sim_queue_head(&partition->writes);
	struct gputm_mem_request request = { .write = true, .word_mask = 1 };
	struct si_packet *packet;
	uint32_t next;

	if (!message || partition->write_free > sim_now(port))
		return;
	packet = sim_slab_at(&si->packets, message->c);
	if (packet->issued >= packet->count) {
		sim_fail(port, -EINVAL, "a packet has more words than were sent");
		return;
	}
	next = packet->issued++;
	request.tag = message->c;
	request.address = packet->word[next].address;
	request.value[0] = packet->word[next].value;
	if (port->version)
		sim_memory_write(port->version, request.address, packet->word[next].place);
	if (packet->issued == packet->count)
		sim_queue_pop(&partition->writes);
	partition->write_free = sim_now(port) + port->unit_ticks;
	port->host->unit_access(port, index, &request);
}

void sim_si_completed(struct sim_port *port, uint32_t index, uint64_t tag,
		      const uint32_t *value)
{
	struct si *si = sim_si_of(port);
	struct si_packet *packet = sim_slab_at(&si->packets, (uint32_t)tag);
	struct sim_message message = { .what = SI_WRITTEN, .kind = SIM_TRAFFIC_RETIRE };

	(void)value;
	if (tag >= si->packets.used || packet->core >= port->shape.cores ||
	    packet->warp >= port->shape.warps) {
		sim_fail(port, -EINVAL, "a write of no packet is done");
		return;
	}
	if (++packet->done < packet->count)
		return;
	message.core = (uint8_t)packet->core;
	message.warp = (uint8_t)packet->warp;
	message.partition = (uint8_t)index;
	sim_slab_give(&si->packets, (uint32_t)tag);
	sim_to_core(port, &message, 8);
}

/* ---- messages ---------------------------------------------------------------------------- */

void sim_si_at_partition(struct sim_port *port, const struct sim_message *message)
{
	struct si *si = sim_si_of(port);

	if (message->what == SI_CLAIM) {
		sim_si_claim(port, message);
		return;
	}
	if (message->what == SI_VOTE) {
		vote(port, message);
		return;
	}
	sim_queue_push(port, &si->partition[message->partition].writes, message);
	sim_call_partition(port, message->partition,
			   sim_align(sim_now(port) + 1, port->unit_ticks));
}

static void answered(struct sim_port *port, struct sim_warp *warp, struct si_warp *state)
{
	if (--state->claims || state->phase != SI_CLAIMING)
		return;
	if (gputm_simt_stack_tx_running(warp->stack))
		sim_si_commit_now(port, warp);
	else
		sim_si_over(port, warp);
}

void sim_si_at_core(struct sim_port *port, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct si_warp *state = sim_si_warp(port, warp);

	if (message->what == SI_CLAIMED)
		answered(port, warp, state);
	else if (!--state->writes && state->row == SI_NONE)
		written(port, warp);
}
