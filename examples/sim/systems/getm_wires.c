/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wires of GETM: what goes between the cores and the units beside the partitions, and
 * between these and the L2. A unit is brought up to the present cycle when something reaches it,
 * and is called in the cycles in which it has something to do.
 */
#include "getm.h"

#define TIME_BYTES 4

void sim_getm_at_core(struct sim_port *port, const struct sim_message *message)
{
	if (message->what == GETM_RESERVED)
		sim_getm_reserved(port, message);
	else if (message->what == GETM_WRITTEN)
		sim_getm_written(port, message);
	else if (message->what == GETM_ROLL)
		sim_getm_roll(port, message);
	else
		sim_getm_resume(port, message);
}

/* ---- beside the partition: accesses ---------------------------------------- */

void sim_getm_at_partition(struct sim_port *port, const struct sim_message *message)
{
	struct getm *getm = sim_getm_of(port);
	struct getm_partition *partition = &getm->partition[message->partition];
	struct sim_queue *queue = message->what == GETM_LOG ? &partition->logs :
							      &partition->accesses;

	if (message->what == GETM_LOG) {
		const struct getm_packet *packet = sim_slab_at(&getm->packet, message->c);

		partition->unreleased[packet->warp] += packet->count;
	}
	if (message->what == GETM_ROLLED)
		sim_getm_rolled(port, message);
	else sim_queue_push(port, queue, message);
	sim_call_partition(port, message->partition, sim_now(port) + 1);
}

/*
 * Pass the lanes that ask to the unit, whose port has room for `room`. @return false if the port is
 * full, or the unit must wait.
 */
static bool push_access(struct sim_port *port, struct getm_partition *partition,
			const struct sim_message *message, uint32_t *room)
{
	const struct getm *getm = sim_getm_of(port);
	const struct getm_access *access = sim_slab_at(&getm->access, message->c);
	const struct getm_warp *state = &getm->warp[access->warp];
	struct gputm_validation_unit_request request = {
		0, 0, state->time, state->sequence, access->warp, access->write,
	};
	uint32_t left = access->leads & ~partition->pushed;

	if (port->warp[access->warp].stores &&
	    sim_getm_behind_plain(port, access, message->partition))
		return false;
	for (; left && *room; left &= left - 1, --*room) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		int result;

		request.tag = (uint64_t)message->c << 8 | lane;
		request.address = access->line + 4u * access->word[lane];
		result = gputm_validation_unit_push(partition->unit, &request);
		sim_must(port, result, "the validation unit refused an access");
		if (result == GPUTM_VALIDATION_UNIT_PORT_FULL) {
			*room = 0;
			break;
		}
	}
	partition->pushed = left ? access->leads & ~left : 0;
	return !left;
}

/* All lanes of the load have answers: the L2 serves those that were granted. */
static void reply_load(struct sim_port *port, uint32_t index,
		       const struct getm_access *access)
{
	uint32_t sectors = 0;
	bool failed = access->granted != access->lanes;
	struct sim_message message = { .a = access->line, .b = access->granted };

	for (SIM_EACH_LANE(lane, access->granted))
		sectors |= 1u << access->word[lane] / 8;
	message.d = 32 * (uint32_t)__builtin_popcount(sectors) + (failed ? TIME_BYTES : 0);
	message.core = access->core;
	message.warp = access->index;
	message.partition = (uint8_t)index;
	message.what = SIM_DO_FETCH;
	message.kind = SIM_TRAFFIC_LOAD;
	if (access->granted) {
		port->host->serve(port, &message);
		return;
	}
	message.kind = SIM_TRAFFIC_LOAD_REPLY;
	sim_to_core(port, &message, GETM_HEADER_BYTES + TIME_BYTES);
}

static void reply_store(struct sim_port *port, uint32_t index,
			const struct getm_access *access)
{
	bool failed = access->granted != access->lanes;
	struct sim_message message = { .what = GETM_RESERVED, .kind = SIM_TRAFFIC_STORE_REPLY };

	message.a = access->time;
	message.b = (uint64_t)access->failed[GETM_ESTIMATED] << 32 | access->failed[GETM_CONFLICT];
	message.d = access->failed[GETM_CAPACITY];
	message.e = access->failed[GETM_STOPPED];
	message.core = access->core;
	message.warp = access->index;
	message.partition = (uint8_t)index;
	sim_to_core(port, &message, GETM_HEADER_BYTES + (failed ? TIME_BYTES : 0));
}

/* The lanes that share the answer to this lane. */
static uint32_t answered(const struct sim_port *port, const struct getm_access *access,
			 uint64_t lead)
{
	uint32_t shift = sim_getm_of(port)->granule_shift, lanes = 1u << lead;

	for (SIM_EACH_LANE(lane, access->lanes & ~access->leads))
		if (access->word[lane] >> shift == access->word[lead] >> shift)
			lanes |= 1u << lane;
	return lanes;
}

/* A load takes its values in this tick. */
static void grant(struct sim_port *port, struct getm_access *access, uint32_t lanes)
{
	struct sim_warp *warp = &port->warp[access->warp];

	access->granted |= lanes;
	if (access->write) {
		sim_getm_of(port)->warp[access->warp].granted[access->row] |= lanes;
		return;
	}
	for (SIM_EACH_LANE(lane, lanes))
		warp->loaded[lane] =
			sim_memory_read(port->memory, access->line + 4u * access->word[lane]);
}

static enum getm_failure failure_of(const struct gputm_validation_unit_answer *answer,
				    bool estimated)
{
	switch (answer->reason) {
	case GPUTM_VALIDATION_UNIT_REASON_BUFFER:
	case GPUTM_VALIDATION_UNIT_REASON_COUNT:
		return GETM_CAPACITY;
	case GPUTM_VALIDATION_UNIT_REASON_ROLLOVER:
		return GETM_STOPPED;
	default:
		return estimated ? GETM_ESTIMATED : GETM_CONFLICT;
	}
}

/* Failures of a load reach the warp with the last of the replies that the warp waits for. */
static void refuse(struct sim_port *port, struct getm_access *access, uint32_t lanes,
		   const struct gputm_validation_unit_answer *answer, bool estimated)
{
	struct getm_warp *state = &sim_getm_of(port)->warp[access->warp];
	enum getm_failure failure = failure_of(answer, estimated);

	access->failed[failure] |= lanes;
	if (answer->time > access->time)
		access->time = answer->time;
	if (access->write)
		return;
	state->load_failed[failure] |= lanes;
	if (answer->time > state->report)
		state->report = answer->time;
}

static void take_answer(struct sim_port *port, uint32_t index,
			const struct gputm_validation_unit_answer *answer, bool estimated)
{
	struct getm *getm = sim_getm_of(port);
	uint32_t number = (uint32_t)(answer->tag >> 8), lead = answer->tag & 0xff, lanes;
	struct getm_access *access = sim_slab_at(&getm->access, number);

	if (answer->tag >> 8 >= getm->access.used || lead >= port->shape.lanes) {
		sim_fail(port, -EINVAL, "the validation unit answers what nobody has asked");
		return;
	}
	lanes = answered(port, access, lead);
	if (answer->result == GPUTM_VALIDATION_UNIT_OK)
		grant(port, access, lanes);
	else
		refuse(port, access, lanes, answer, estimated);
	if (--access->left)
		return;
	if (access->write)
		reply_store(port, index, access);
	else
		reply_load(port, index, access);
	sim_slab_give(&getm->access, number);
}

/* ---- clocks ---------------------------------------- */

static void unit_until(struct sim_port *port, struct getm_partition *partition,
		       uint64_t ticks)
{
	if (ticks <= partition->unit_ticks)
		return;
	sim_must(port,
		 gputm_validation_unit_advance(partition->unit, ticks - partition->unit_ticks),
		 "no memory for the metadata");
	partition->unit_ticks = ticks;
}

static void buffer_until(struct getm_partition *partition, uint64_t ticks)
{
	if (ticks <= partition->buffer_ticks)
		return;
	gputm_commit_buffer_advance(partition->buffer, ticks - partition->buffer_ticks);
	partition->buffer_ticks = ticks;
}

/* ---- beside the partition: logs ---------------------------------------- */

/* Push the entries of a packet into the buffer. @return false if the buffer is full. */
static bool push_log(struct sim_port *port, struct getm_partition *partition,
		     const struct sim_message *message)
{
	struct getm *getm = sim_getm_of(port);
	const struct getm_packet *packet = sim_slab_at(&getm->packet, message->c);

	for (; partition->entries < packet->count; partition->entries++) {
		struct gputm_commit_buffer_entry entry = {
			packet->entry[partition->entries].address, packet->sequence, packet->warp,
			packet->entry[partition->entries].value, 1, packet->cleanup,
		};
		int result = gputm_commit_buffer_push(partition->buffer, &entry);

		sim_must(port, result, "the commit buffer refused an entry");
		if (result == GPUTM_COMMIT_BUFFER_FULL)
			return false;
	}
	partition->entries = 0;
	sim_slab_give(&getm->packet, message->c);
	return true;
}

/* With commit_ack, notify the core when nothing of the warp is left here. */
static void acknowledge(struct sim_port *port, struct getm_partition *partition, uint32_t number,
			uint32_t words)
{
	struct sim_message message = { .what = GETM_WRITTEN, .kind = SIM_TRAFFIC_RETIRE };

	partition->unsaid[number] += words;
	if (!sim_getm_of(port)->config.system.commit_ack || partition->unreleased[number])
		return;
	message.a = partition->unsaid[number];
	message.core = port->warp[number].core;
	message.warp = port->warp[number].index;
	message.partition = (uint8_t)(partition - sim_getm_of(port)->partition);
	partition->unsaid[number] = 0;
	sim_to_core(port, &message, GETM_HEADER_BYTES);
}

/* When the unit next has something to do. */
static void look_ahead(struct getm_partition *partition)
{
	uint64_t quiet = partition->accesses.count ?
				 0 : gputm_validation_unit_next_event(partition->unit);

	partition->unit_due = quiet == UINT64_MAX ? UINT64_MAX : partition->unit_ticks + quiet;
}

/* Pass releases of the buffer to the unit, which is at this tick. */
static void release(struct sim_port *port, struct getm_partition *partition, uint64_t unit_ticks)
{
	struct gputm_commit_buffer_release done;

	unit_until(port, partition, unit_ticks);
	while (gputm_commit_buffer_peek(partition->buffer, &done) && !port->failed) {
		if (done.warp >= port->shape.cores * port->shape.warps) {
			sim_fail(port, -EINVAL, "the commit buffer releases words of no warp");
			return;
		}
		sim_must(port,
			 gputm_validation_unit_release(partition->unit, done.address, done.warp,
						       done.sequence, done.count, NULL),
			 "the validation unit refused a release");
		gputm_commit_buffer_pop(partition->buffer);
		partition->unreleased[done.warp] -= done.count;
		acknowledge(port, partition, done.warp, done.count);
	}
	look_ahead(partition);
	if (partition->plain.count)
		sim_getm_let_plain_go(port, partition);
}

/* From the first message of a rollover on, poll the ring. */
static void note_ring(struct getm *getm, const struct getm_partition *partition)
{
	getm->ring |= gputm_validation_unit_current_state(partition->unit) !=
		      GPUTM_VALIDATION_UNIT_STATE_RUNNING;
}

void sim_getm_completed(struct sim_port *port, uint32_t index, uint64_t tag,
			const uint32_t *value)
{
	struct getm *getm = sim_getm_of(port);
	struct getm_partition *partition = &getm->partition[index];
	uint64_t now = sim_now(port), ticks = (now + port->unit_ticks - 1) / port->unit_ticks;

	(void)value;
	if (partition->buffer_counted < ticks)
		partition->buffer_counted = ticks;
	sim_must(port, gputm_commit_buffer_mem_complete(partition->buffer, tag),
		 "the commit buffer refused a completion");
	release(port, partition, (now + getm->unit_ticks - 1) / getm->unit_ticks);
	note_ring(getm, partition);
	sim_call_partition(port, index, now);
}

/* ---- the partition's turn ---------------------------------------- */

/* One cycle of the validation unit. */
static void unit_turn(struct sim_port *port, struct getm_partition *partition, uint32_t index,
		      uint64_t tick)
{
	struct getm *getm = sim_getm_of(port);
	struct gputm_validation_unit_answer answer;
	struct sim_message *message;
	uint32_t room = partition->full ? 1 : UINT32_MAX;
	int offers;

	partition->unit_counted = tick + 1;
	if (!partition->accesses.count && partition->unit_due == UINT64_MAX && !getm->ring)
		return;
	unit_until(port, partition, tick);
	while (room && (message = sim_queue_head(&partition->accesses)) &&
	       push_access(port, partition, message, &room))
		sim_queue_pop(&partition->accesses);
	partition->full = !room && partition->accesses.count;
	offers = gputm_validation_unit_tick(partition->unit);
	sim_must(port, offers, "no memory for the metadata");
	partition->unit_ticks = tick + 1;
	/* A unit that stops sends a message; from then on the ring is polled. */
	getm->ring |= (offers & GPUTM_VALIDATION_UNIT_OFFER_MESSAGE) != 0;
	if (offers & GPUTM_VALIDATION_UNIT_OFFER_ANSWER &&
	    gputm_validation_unit_peek(partition->unit, &answer)) {
		bool estimated = answer.result == GPUTM_VALIDATION_UNIT_ABORT &&
				 gputm_validation_unit_estimated(partition->unit);

		gputm_validation_unit_pop(partition->unit);
		take_answer(port, index, &answer, estimated);
	}
	look_ahead(partition);
}

/* A cycle of the commit buffer, within this tick of the unit. */
static void buffer_turn(struct sim_port *port, struct getm_partition *partition, uint32_t index,
			uint64_t tick, uint64_t unit_tick)
{
	struct gputm_mem_request request;
	struct sim_message *message;
	int offers;

	partition->buffer_counted = tick + 1;
	if (!partition->logs.count && !partition->issuing)
		return;
	buffer_until(partition, tick);
	while ((message = sim_queue_head(&partition->logs)) &&
	       push_log(port, partition, message))
		sim_queue_pop(&partition->logs);
	offers = gputm_commit_buffer_tick(partition->buffer);
	partition->buffer_ticks = tick + 1;
	if (offers & GPUTM_COMMIT_BUFFER_OFFER_WRITE &&
	    gputm_commit_buffer_mem_take(partition->buffer, &request))
		port->host->unit_access(port, index, &request);
	if (offers & GPUTM_COMMIT_BUFFER_OFFER_RELEASE)
		release(port, partition, unit_tick + 1);
	partition->issuing = !gputm_commit_buffer_next_event(partition->buffer);
}

/* When the partition next has something to do. */
static uint64_t next_turn(const struct sim_port *port, const struct getm_partition *partition)
{
	uint64_t unit = partition->unit_due == UINT64_MAX ?
				SIM_NEVER : partition->unit_due * sim_getm_of(port)->unit_ticks;
	uint64_t buffer;

	if (!partition->logs.count && !partition->issuing)
		return unit;
	buffer = sim_align(sim_now(port) + 1, port->unit_ticks);
	return buffer < unit ? buffer : unit;
}

uint64_t sim_getm_partition_tick(struct sim_port *port, uint32_t index)
{
	struct getm *getm = sim_getm_of(port);
	struct getm_partition *partition = &getm->partition[index];
	uint64_t now = sim_now(port), tick = now / getm->unit_ticks;
	struct gputm_validation_unit_message message;

	if (tick * getm->unit_ticks != now)
		return sim_align(now, getm->unit_ticks);
	if (getm->ring)
		sim_getm_ring(port, index);
	unit_turn(port, partition, index, tick);
	if (now % port->unit_ticks == 0)
		buffer_turn(port, partition, index, now / port->unit_ticks, tick);
	if (getm->ring && gputm_validation_unit_ring_peek(partition->unit, &message))
		sim_call_partition(port, (index + 1) % port->shape.partitions, now + 1);
	return next_turn(port, partition);
}

void sim_getm_count(struct sim_port *port)
{
	struct getm *getm = sim_getm_of(port);

	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		unit_until(port, &getm->partition[i], getm->partition[i].unit_counted);
		buffer_until(&getm->partition[i], getm->partition[i].buffer_counted);
	}
}
