/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the validation unit; see validation_unit.c. */
#include "lib/getm/metadata_params.h"
#include "lib/getm/validation_unit-priv.h"

#define UNIT validation_unit

static const struct gputm_param rows[] = {
	PARAM(paper_order, 0, 1, 0, false, "Compare times only, as in the paper; not serialisable.",
	      "GETM IV-A"),
	PARAM(time_bits, 4, 48, 32, false, "Width of a logical time, bits.", "GETM V-B1"),
	PARAM(warp_bits, 1, 16, 10, false, "Width of a warp's number, GPU-wide, bits.",
	      "GETM Table II"),
	PARAM(sequence_bits, 1, 16, 12, false,
	      "Bits of an attempt's number; 2^bits must exceed a warp's unreleased attempts.", ""),
	PARAM(margin, 0, UINT64_C(1) << 47, 1024, false,
	      "Distance from the largest time at which a rollover begins.",
	      "GETM V-B1"),
	PARAM(id, 0, 1023, 0, false, "Number of the unit in the ring.", "GETM V-B1"),
	PARAM(units, 1, 1024, 1, false, "Units of the ring.", "GETM V-B1"),
	PARAM(input, 1, 4096, 8, false, "Requests that the input port holds.", ""),
	PARAM(output, 1, 4096, 8, false, "Answers that the output port holds.", ""),
	PARAM(stall_lines, 1, 1024, 4, false, "Lines of the stall buffer.", "GETM Table II"),
	PARAM(stall_requests, 1, 1024, 4, false, "Requests of a line of it.", "GETM Table II"),
	PARAM(ways, 1, 8, 4, false, "Banks of the metadata table.", "GETM V-B1"),
	GPUTM__METADATA_SIZES,
	GPUTM__METADATA_COUNT,
	GPUTM__METADATA_RULES,
	PARAM(access_delay, 0, 100, 0, false,
	      "Cycles that an access, or a release, takes beyond its first.", "released simulator"),
	PARAM(report_highest, 0, 1, 0, false,
	      "1: an abort reports the highest time of the unit, not the granule's.", "GETM IV-A"),
};

static const struct gputm_preset presets[] = {
	{ "getm-128", "GETM Table II, one of 6 partitions: 4 x 128 entries, 3072 in all.",
	  { { "entries", 128 }, { "filter_entries", 32 }, { "units", 6 } } },
	{ "getm-256", "GETM Table II, one of 6 partitions: 4 x 256 entries, 6144 in all.",
	  { { "entries", 256 }, { "filter_entries", 64 }, { "units", 6 } } },
	{ "paper-order", "getm-256 with the paper's comparison of times.",
	  { { "entries", 256 }, { "filter_entries", 64 }, { "units", 6 }, { "paper_order", 1 } } },
	{ "getm-gpu", "GETM Table II, the whole GPU: 4 x 1024 entries, filter 4 x 256.",
	  { { "entries", 1024 }, { "filter_entries", 256 }, { "units", 1 } } },
};

static uint64_t pending(const struct gputm_unit *unit)
{
	return gputm_validation_unit_pending((const void *)unit);
}

static uint64_t buffered(const struct gputm_unit *unit)
{
	return gputm__validation_waiting((const void *)unit);
}

#define ANSWERS(REASON, NAME, SENTENCE)                                                        \
	STAT_OF(NAME, answers[GPUTM_VALIDATION_UNIT_REASON_##REASON], COUNTER, "accesses", SENTENCE)
static const struct gputm__stat_row stats[] = {
	STAT(cycles, COUNTER, "cycles", "Ticks."),
	STAT(accesses, COUNTER, "accesses", "Accesses processed, each retry anew."),
	STAT(loads, COUNTER, "accesses", "Loads among them that were checked."),
	STAT(stores, COUNTER, "accesses", "Stores among them that were checked."),
	STAT(owned, COUNTER, "accesses", "Accesses to what the attempt had reserved."),
	ANSWERS(GRANTED, "granted", "Accesses granted."),
	ANSWERS(LOAD_WTS, "abort_load_wts", "Loads aborted by a younger write."),
	ANSWERS(STORE_WTS, "abort_store_wts", "Stores aborted by a younger write."),
	ANSWERS(STORE_RTS, "abort_store_rts", "Stores aborted by a younger read only."),
	ANSWERS(BUFFER, "abort_buffer", "Accesses aborted by a full stall buffer."),
	ANSWERS(COUNT, "abort_count", "Stores aborted by a full count of writes."),
	ANSWERS(ROLLOVER, "abort_rollover", "Accesses aborted by a rollover."),
	STAT_OF("stalled", answers[GPUTM__WAITS], COUNTER, "accesses",
		"Accesses that came to wait, each time anew."),
	STAT(woken_total, COUNTER, "accesses", "Accesses woken."),
	STAT(retries, COUNTER, "accesses", "Woken accesses processed."),
	STAT(releases, COUNTER, "releases", "Releases."),
	STAT(reserved_writes, COUNTER, "writes", "Writes reserved."),
	STAT(released_writes, COUNTER, "writes", "Writes released."),
	STAT(access_cycles, COUNTER, "cycles", "Sum of the accesses' cycles (Fig. 13)."),
	STAT(cost, HISTOGRAM, "cycles", "Cycles of an access."),
	STAT(rollovers, COUNTER, "rollovers", "Rollovers finished."),
	STAT(accepted, COUNTER, "accesses", "Accesses taken at the input port."),
	STAT(delivered, COUNTER, "accesses", "Answers taken from the output port."),
	STAT(woken_max, MAXIMUM, "accesses", "Woken and not yet processed, at most."),
	STAT(abort_estimated, COUNTER, "accesses",
	     "Accesses aborted by a younger write or read whose stamps were estimates."),
	STAT_NOW(pending, pending, "accesses", "Accesses without an answer."),
	STAT_NOW(buffered, buffered, "accesses", "Of these, accesses in the stall buffer."),
};

static const char *const results[] = { "ok", "abort", "stalled" };
static const char *const reasons[] = {
	"granted", "load wts", "store wts", "store rts", "buffer", "count", "rollover",
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_VALIDATION_UNIT_EVENT_ANSWER, "answer",
	      "The unit has answered an access, or has put the access into the stall buffer.",
	      VALUE(tag, "tag", "The caller's tag of the access."),
	      NAMED(outcome, results, "The answer."),
	      NAMED(reason, reasons, "Why the access aborts; granted if the access does not."),
	      VALUE(time, "logical time",
		    "The time that the warp of an aborted access reports to its clock.")),
	EVENT(GPUTM_VALIDATION_UNIT_EVENT_RELEASE, "release",
	      "A warp has released reserved writes.",
	      VALUE(address, "byte address", "The granule of the writes."),
	      VALUE(warp, "warp", "The warp that had reserved the writes."),
	      VALUE(writes, "writes", "Writes that the warp has released."),
	      VALUE(writes_left, "writes", "Writes of the granule that stay reserved.")),
	EVENT(GPUTM_VALIDATION_UNIT_EVENT_STATE, "state",
	      "The unit has taken a step of a rollover.",
	      NAMED(state, gputm__validation_states, "The new state of the unit."),
	      VALUE(leader, "partition", "The unit whose stop this unit follows.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_validation_unit_config *c = gputm_unit_config(unit);

	if (c->id >= c->units)
		return gputm__refuse(unit, "id = %u is not below units = %u", c->id, c->units);
	if (c->margin >= gputm__low_mask(c->time_bits) - 1)
		return gputm__refuse(unit, "margin = %llu leaves nothing of time_bits = %u",
				     (unsigned long long)c->margin, c->time_bits);
	return 0;
}

static int make_table(struct gputm_validation_unit *u)
{
	struct gputm_metadata_table_config table = GPUTM_METADATA_TABLE_CONFIG_INIT;
	const struct gputm_metadata_table_config *kept;
	int error;

	gputm__params_share(&u->unit, gputm_metadata_table_params(), &table);
	table.owner_bits = u->config.warp_bits + u->config.sequence_bits;
	table.table_rows = u->config.table_rows;
	table.filter_rows = u->config.filter_rows;
	error = gputm_metadata_table_new(u->unit.ctx, &table, &u->table);
	if (error)
		return error;
	kept = gputm_unit_config(gputm_metadata_table_unit(u->table));
	u->config.table_rows = kept->table_rows;
	u->config.filter_rows = kept->filter_rows;
	return 0;
}

static int make_buffer(struct gputm_validation_unit *u)
{
	struct gputm_stall_buffer_config buffer = GPUTM_STALL_BUFFER_CONFIG_INIT;

	gputm__params_share(&u->unit, gputm_stall_buffer_params(), &buffer);
	buffer.lines = u->config.stall_lines;
	buffer.requests = u->config.stall_requests;
	buffer.stamp_bits = u->config.time_bits;
	return gputm_stall_buffer_new(u->unit.ctx, &buffer, &u->buffer);
}

static void derive(struct gputm_validation_unit *u)
{
	u->address_max = gputm__low_mask(u->config.address_bits);
	u->warp_max = gputm__low_mask(u->config.warp_bits);
	u->time_max = gputm__low_mask(u->config.time_bits) - 1;
	u->threshold = u->time_max - u->config.margin;
	u->sequence_mask = gputm__low_mask(u->config.sequence_bits);
	u->count_max = gputm__low_mask(u->config.count_bits);
	u->slots = u->config.stall_lines * u->config.stall_requests;
}

#define REQUEST sizeof(struct gputm_validation_unit_request)
#define MESSAGE sizeof(struct gputm_validation_unit_message)

static int setup(struct gputm_unit *unit)
{
	struct gputm_validation_unit *u = (void *)unit;
	uint32_t units = u->config.units;
	int error = make_table(u);

	derive(u);
	u->slot = gputm__own(unit, u->slots, sizeof(*u->slot));
	gputm__queue_own(unit, &u->woken, u->slots, sizeof(uint32_t));
	gputm__queue_own(unit, &u->input, u->config.input, REQUEST);
	gputm__queue_own(unit, &u->output, u->config.output, sizeof(struct gputm__answered));
	gputm__queue_own(unit, &u->from_ring, units + 2, MESSAGE);
	gputm__queue_own(unit, &u->to_ring, 2 * units + 8, MESSAGE);
	return error ? error : make_buffer(u);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_validation_unit *u = (void *)unit;

	for (uint32_t i = 0; i < u->slots; i++)
		u->slot[i].taken = false;
	u->taken = 0;
	gputm__queue_clear(&u->woken);
	gputm__queue_clear(&u->input);
	gputm__queue_clear(&u->output);
	gputm__queue_clear(&u->from_ring);
	gputm__queue_clear(&u->to_ring);
	u->busy = 0;
	u->owed = 0;
	u->state = GPUTM_VALIDATION_UNIT_STATE_RUNNING;
	u->leader = 0;
	u->highest = 0;
}

/* ---- snapshots ---- */

static const struct gputm_validation_unit *io_self(const struct gputm__io *io)
{
	return (const void *)io->unit;
}

static void io_request(void *item, struct gputm__io *io)
{
	struct gputm_validation_unit_request *r = item;

	gputm__io_u64s(io, &r->tag, 4); /* tag, address, time, sequence */
	gputm__io_u32(io, &r->warp);
	gputm__io_bool(io, &r->write);
}

/* One number says the reason, and from this bit on whether it comes of an estimate. */
#define ESTIMATED 8

static void io_answer(void *item, struct gputm__io *io)
{
	struct gputm__answered *made = item;
	struct gputm_validation_unit_answer *a = &made->answer;
	uint32_t why = a->reason | (uint32_t)made->estimated << ESTIMATED;

	gputm__io_u64s(io, &a->tag, 2); /* tag, time */
	gputm__io_u32_max(io, &a->result, GPUTM_VALIDATION_UNIT_STALLED, "result");
	gputm__io_u32(io, &why);
	a->reason = why & ((1u << ESTIMATED) - 1);
	made->estimated = why >> ESTIMATED & 1;
	if (a->reason >= GPUTM__REASONS || why >> ESTIMATED > 1)
		gputm__io_fail(io, -EINVAL, "reason");
	gputm__io_u32(io, &a->cycles);
}

static void io_message(void *item, struct gputm__io *io)
{
	struct gputm_validation_unit_message *m = item;

	gputm__io_u32_max(io, &m->go, 1, "kind of a message");
	gputm__io_u32_max(io, &m->from, io_self(io)->config.units - 1, "unit of a message");
}

static void io_woken(void *item, struct gputm__io *io)
{
	gputm__io_u32_max(io, item, io_self(io)->slots - 1, "woken slot");
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_validation_unit *u = (void *)unit;

	gputm__queue_io(&u->input, io, io_request);
	gputm__queue_io(&u->output, io, io_answer);
	gputm__queue_io(&u->from_ring, io, io_message);
	gputm__queue_io(&u->to_ring, io, io_message);
	for (uint32_t i = 0; i < u->slots && !io->error; i++) {
		gputm__io_bool(io, &u->slot[i].taken);
		if (u->slot[i].taken)
			io_request(&u->slot[i].request, io);
		u->taken += gputm__io_reading(io) && u->slot[i].taken;
	}
	gputm__queue_io(&u->woken, io, io_woken);
	gputm__io_u64(io, &u->busy);
	if (u->busy)
		io_answer(gputm__validation_work(u), io);
	gputm__io_u64(io, &u->owed);
	gputm__io_u32_max(io, &u->state, GPUTM_VALIDATION_UNIT_STATE_ROLLING, "state");
	gputm__io_u32_max(io, &u->leader, u->config.units - 1, "leader");
	if (u->config.report_highest)
		gputm__io_u64_max(io, &u->highest, u->time_max + 1, "highest time");
}

/* ---- invariants ---- */

/* A slot that an access waits or is woken in. */
static const char *check_slot(const struct gputm_validation_unit *u, uint64_t slot, uint64_t *seen)
{
	if (slot >= u->slots || !u->slot[slot].taken)
		return "V3: a waiting access is in no slot";
	if (!gputm__validation_fits(u, &u->slot[slot].request))
		return "V6: a waiting access does not fit its widths";
	*seen -= gputm__mix64(slot + 1);
	return NULL;
}

/* Each taken slot is once waiting or woken: its number is added once and taken away once. */
static const char *check_slots(const struct gputm_validation_unit *u)
{
	struct gputm_stall_buffer_request waiter;
	const char *broken = NULL;
	uint64_t seen = 0, waiting = gputm_stall_buffer_waiting(u->buffer);

	for (uint32_t i = 0; i < u->slots; i++)
		seen += u->slot[i].taken ? gputm__mix64(i + UINT64_C(1)) : 0;
	for (uint32_t n = 0; n < u->woken.count && !broken; n++)
		broken = check_slot(u, *(const uint32_t *)gputm__queue_at(&u->woken, n), &seen);
	for (uint64_t i = 0; i < waiting && !broken &&
			     !gputm_stall_buffer_get_request(u->buffer, i, &waiter); i++) {
		broken = check_slot(u, waiter.tag, &seen);
		if (!broken && (u->slot[waiter.tag].request.address != waiter.address ||
				u->slot[waiter.tag].request.warp != waiter.warp))
			broken = "V3: a waiting access is not the one in its slot";
	}
	if (!broken && (seen || waiting != gputm__validation_waiting(u)))
		broken = "V3: a taken slot is in no queue, or in two";
	return broken;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_validation_unit *u = (const void *)unit;
	uint64_t answered = 0;

	for (int reason = 0; reason < GPUTM__REASONS; reason++)
		answered += u->answers[reason];
	gputm__law(laws, u->accesses, answered + u->answers[GPUTM__WAITS],
		   "V1: accesses are not granted + aborted + stalled");
	gputm__law(laws, u->answers[GPUTM__WAITS],
		   u->woken_total + gputm_stall_buffer_waiting(u->buffer),
		   "V2: stalled are not woken + waiting");
	gputm__law(laws, u->woken_total, u->retries + u->woken.count,
		   "V4: woken are not retries + woken now");
	gputm__law(laws, u->reserved_writes,
		   u->released_writes + gputm_metadata_table_writes(u->table),
		   "V5: reserved writes are not released + in the table");
	gputm__law_least(laws, u->accesses - u->retries + u->input.count, u->accepted,
			 "V7: an access has left the input port without an answer");
	gputm__law_least(laws, answered,
			 u->delivered + u->output.count + gputm__validation_at_work(u),
			 "V7: the output port has given more answers than there were");
}

static const char *check_ports(const struct gputm_validation_unit *u)
{
	const struct gputm_validation_unit_answer *answer;

	for (uint32_t n = 0; n < u->input.count; n++)
		if (!gputm__validation_fits(u, gputm__queue_at(&u->input, n)))
			return "V6: a request at the input does not fit its widths";
	for (uint32_t n = 0; n < u->output.count; n++) {
		answer = &((struct gputm__answered *)gputm__queue_at(&u->output, n))->answer;
		if (answer->result > GPUTM_VALIDATION_UNIT_ABORT)
			return "V6: an answer at the output is neither ok nor abort";
	}
	if (u->busy && (gputm__queue_full(&u->output) ||
			u->busy > gputm__validation_work(u)->answer.cycles))
		return "V6: the access at work has more cycles left than it takes, or no room";
	if (u->from_ring.count && u->state != GPUTM_VALIDATION_UNIT_STATE_ROLLING)
		return "V6: messages are kept, and the unit is not rolling over";
	if (u->to_ring.count + u->from_ring.count > u->to_ring.capacity)
		return "V6: more messages wait than the queue to the ring holds";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_validation_unit *u = (const void *)unit;
	const char *broken = check_slots(u);

	return broken ? broken : check_ports(u);
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_validation_unit *u = (const void *)unit;
	struct gputm_storage lines = { .entries = 0 };

	gputm__arrays_of(out, gputm_metadata_table_unit(u->table));
	gputm_unit_storage(gputm_stall_buffer_unit(u->buffer), 0, &lines);
	gputm__array(out, "stall buffer", lines.entries, lines.bits, lines.ports);
	if (u->config.report_highest)
		gputm__array_apart(out, "highest time", 1, u->config.time_bits, 1);
}

GPUTM__UNIT(validation_unit, .version = 4, .setup = setup, .validate = validate, .laws = laws,
	    .part = { { "table", offsetof(struct gputm_validation_unit, table) },
		      { "buffer", offsetof(struct gputm_validation_unit, buffer) } })

struct gputm_unit *gputm_validation_unit_table(struct gputm_validation_unit *u)
{
	return gputm_metadata_table_unit(u->table);
}

struct gputm_unit *gputm_validation_unit_buffer(struct gputm_validation_unit *u)
{
	return gputm_stall_buffer_unit(u->buffer);
}
