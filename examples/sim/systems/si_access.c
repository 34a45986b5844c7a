/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshot isolation: what the accesses of a transaction ask of versions and tables. */
#include "logs.h"
#include "si_tm.h"

/* ---- places ------------------------------------------------------------------------------ */

/* The region of an address, or NULL. */
struct si_region *sim_si_region_of(struct si *si, uint64_t address)
{
	for (uint32_t i = 0; i < si->regions; i++)
		if (address - si->region[i].logical.start < si->region[i].logical.length)
			return &si->region[i];
	return NULL;
}

/* The place of the word in version 0. */
uint64_t sim_si_place_of(const struct si_region *region, uint64_t address)
{
	return region->base + (address - region->logical.start);
}

static void outside(struct sim_port *port)
{
	sim_fail(port, -EINVAL,
		 "a transaction accesses a word outside the regions that the workload names");
}

/* The place at which the transaction reads the word; false if its version is gone. */
static bool find_place(struct sim_port *port, struct si_tx *tx, uint64_t address,
		       uint64_t *physical)
{
	struct si *si = sim_si_of(port);
	struct si_region *region = sim_si_region_of(si, address);
	uint32_t number, version;
	uint64_t bit, place;
	int result = GPUTM_VERSION_TABLE_OK;

	if (!region) {
		outside(port);
		return false;
	}
	bit = UINT64_C(1) << (region - si->region);
	place = sim_si_place_of(region, address);
	if (!(tx->held & bit))
		result = gputm_version_table_acquire(si->versions, place, tx->time, &number,
						     &version);
	if (!(tx->held & bit) && result == GPUTM_VERSION_TABLE_OK) {
		tx->held |= bit;
		tx->slot[number] = (uint8_t)version;
	}
	if (result == GPUTM_VERSION_TABLE_OK)
		result = gputm_version_table_resolve(si->versions, place, tx->time, physical);
	sim_must(port, result, "the version table refused a read");
	return result == GPUTM_VERSION_TABLE_OK;
}

/* ---- loads ------------------------------------------------------------------------------- */

/* Send lanes to the versions that they found, and doom the others. */
void sim_si_load(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);

	state->walked = sim_log_own_writes(port, si->log[warp->number], warp);
	for (SIM_EACH_LANE(lane, warp->mask & state->active)) {
		state->logical[lane] = warp->address[lane];
		if (!find_place(port, &si->tx[state->tx[lane]], state->logical[lane],
				&warp->address[lane]))
			sim_si_doom(port, state, (uint32_t)lane, SIM_ABORT_STALE);
	}
	warp->mask &= state->active;
	if (warp->mask)
		sim_access(port, warp, SIM_LOAD, warp->mask);
	else
		sim_wake_in(port, warp, 1 + state->walked);
}

/* The request has arrived at the tables. */
void sim_si_served(struct sim_port *port, struct sim_message *message)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state =
		sim_si_warp(port, sim_warp_of(port, message->core, message->warp));

	for (SIM_EACH_LANE(lane, message->b & state->active))
		if (si->detector->read && state->active >> lane & 1)
			si->detector->read(port, state, (uint32_t)lane, state->logical[lane]);
}

void sim_si_loaded(struct sim_port *port, struct sim_warp *warp)
{
	struct si_warp *state = sim_si_warp(port, warp);

	for (SIM_EACH_LANE(lane, warp->mask))
		warp->address[lane] = state->logical[lane];
	sim_tell_load(port, warp, warp->mask & state->active);
	sim_wake_in(port, warp, state->walked);
}

/* ---- stores ------------------------------------------------------------------------------ */

/* One message to each partition with a word. */
static void send_claims(struct sim_port *port, struct sim_warp *warp, uint32_t row)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	uint64_t lanes_of[64], set;
	const struct gputm_tx_log *log = si->log[warp->number];

	sim_must(port,
		 gputm_tx_log_get_group(log, GPUTM_TX_LOG_KIND_WRITE, row, warp->mask, lanes_of,
					&set),
		 "the write log refused a row");
	for (SIM_EACH_LANE(partition, set)) {
		struct sim_message message = { .what = SI_CLAIM, .kind = SIM_TRAFFIC_STORE };

		message.b = lanes_of[partition];
		message.c = row;
		message.core = warp->core;
		message.warp = warp->index;
		message.partition = (uint8_t)partition;
		state->claims++;
		sim_to_partition(port, &message,
			    8 + 4 * (uint32_t)__builtin_popcountll(lanes_of[partition]));
	}
}

void sim_si_store(struct sim_port *port, struct sim_warp *warp)
{
	struct si *si = sim_si_of(port);
	struct si_warp *state = sim_si_warp(port, warp);
	struct gputm_tx_log *log = si->log[warp->number];

	for (SIM_EACH_LANE(lane, warp->mask))
		if (!sim_si_region_of(si, warp->address[lane]))
			outside(port);
	sim_log_store(port, log, warp);
	if (si->detector->instant)
		si->detector->write(port, state, warp->mask & state->active, warp->address);
	else
		send_claims(port, warp, gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE) - 1);
	sim_wake_in(port, warp, port->shape.plain_latency);
}

/* A message has arrived at the tables, which serve one message after the other. */
void sim_si_claim(struct sim_port *port, const struct sim_message *message)
{
	struct si *si = sim_si_of(port);
	struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct si_warp *state = sim_si_warp(port, warp);
	struct si_partition *partition = &si->partition[message->partition];
	struct sim_message answer = *message;
	struct gputm_tx_log_row row =
		sim_log_row(port, si->log[warp->number], GPUTM_TX_LOG_KIND_WRITE, message->c);
	uint32_t cycles;

	cycles = si->detector->write(port, state, message->b & state->active, row.address);
	if (partition->table_free < sim_now(port))
		partition->table_free = sim_now(port);
	partition->table_free += (uint64_t)cycles * port->unit_ticks;
	answer.what = SI_CLAIMED;
	answer.kind = SIM_TRAFFIC_STORE_REPLY;
	answer.due = partition->table_free;
	sim_queue_push(port, &partition->answers, &answer);
	sim_call_partition(port, message->partition, sim_now(port) + 1);
}

/* ---- accesses outside transactions ------------------------------------------------------- */

/* A plain access goes to the newest version; a store also to the next version, if it exists. */
void sim_si_plain(struct sim_port *port, struct sim_warp *warp, enum sim_op op)
{
	struct si *si = sim_si_of(port);

	for (SIM_EACH_LANE(lane, warp->mask)) {
		struct si_region *region = sim_si_region_of(si, warp->address[lane]);
		uint32_t value = warp->value[lane];
		uint64_t logical = warp->address[lane], place, written;

		if (region) {
			place = sim_si_place_of(region, warp->address[lane]);
			sim_must(port,
				 gputm_version_table_resolve_plain(si->versions, place,
								   &warp->address[lane]),
				 "the version table refused a plain access");
		}
		if (op == SIM_ADD) {
			warp->loaded[lane] =
				sim_memory_read(port->memory, warp->address[lane]);
			sim_tell_add(port, logical, warp->loaded[lane], value);
			value += warp->loaded[lane];
		} else if (op != SIM_STORE) {
			continue;
		}
		sim_memory_write(port->memory, warp->address[lane], value);
		if (!region)
			continue;
		if (gputm_version_table_resolve_write(si->versions, place, &written) ==
		    GPUTM_VERSION_TABLE_OK)
			sim_memory_write(port->memory, written, value);
		if (!sim_si_words_add(&region->written, place - region->base))
			sim_fail(port, -ENOMEM, "no memory for what was written");
	}
}
