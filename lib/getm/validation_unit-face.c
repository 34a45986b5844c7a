/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the validation unit; see validation_unit.c. */
#include "lib/getm/validation_unit-priv.h"

#define UNIT validation_unit

static const char *const approximations[] = { "filter", "registers" };

static const struct gputm_param rows[] = {
	PARAM(paper_order, 0, 1, 0, false, "Compare times only, as the paper; not serialisable.",
	      "GETM IV-A"),
	PARAM(time_bits, 4, 48, 32, false, "Width of a logical time, bits.", "GETM V-B1"),
	PARAM(warp_bits, 1, 16, 10, false, "Width of a warp's number, GPU-wide, bits.",
	      "GETM Table II"),
	PARAM(sequence_bits, 1, 16, 12, false,
	      "Bits of an attempt's number kept: fewer attempts of a warp may be unreleased.", ""),
	PARAM(margin, 0, UINT64_C(1) << 47, 1024, false, "Times left when a rollover begins.",
	      "GETM V-B1"),
	PARAM(id, 0, 1023, 0, false, "Number of the unit in the ring.", "GETM V-B1"),
	PARAM(units, 1, 1024, 1, false, "Units of the ring.", "GETM V-B1"),
	PARAM(input, 1, 4096, 8, false, "Requests that the input port holds.", ""),
	PARAM(output, 1, 4096, 8, false, "Answers that the output port holds.", ""),
	PARAM(stall_lines, 1, 1024, 4, false, "Lines of the stall buffer.", "GETM Table II"),
	PARAM(stall_requests, 1, 1024, 4, false, "Requests of a line of it.", "GETM Table II"),
	PARAM(ways, 1, 8, 4, false, "Banks of the metadata table.", "GETM V-B1"),
	PARAM(entries, 1, 1 << 20, 256, true, "Entries of a way.", "GETM Table II"),
	PARAM(stash, 0, 64, 4, false, "Entries of the stash; 0 for none.", "GETM Table II"),
	PARAM(granularity, 4, 4096, 32, true, "Bytes of a granule.", "GETM VI-B"),
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", ""),
	PARAM(count_bits, 1, 32, 16, false, "Width of the number of writes, bits.", ""),
	PARAM(longest_chain, 0, 1024, 32, false, "Swaps of an insertion, at most.",
	      "released simulator"),
	PARAM(evict_above, 0, 100, 0, false,
	      "Percent of the ways in use, below which nothing is evicted.", "released simulator"),
	CHOICE(approximate, 0, 1, 0, approximations,
	       "What holds the stamps of granules without entry.", "GETM V-B1"),
	PARAM(filter_ways, 1, 8, 4, false, "Sub-arrays of the filter.", "GETM Table II"),
	PARAM(filter_entries, 1, 1 << 20, 64, true, "Pairs of stamps of a sub-array.",
	      "GETM Table II"),
	PARAM(memory_latency, 0, 100000, 115, false,
	      "Cycles to visit one overflow entry, or to write one.", "released simulator"),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the hash rows.", ""),
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

#define ANSWERS(REASON, NAME, SENTENCE)                                                        \
	STAT_OF(NAME, answers[GPUTM_VALIDATION_UNIT_##REASON], COUNTER, "accesses", SENTENCE)
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
	STAT(stalled, COUNTER, "accesses", "Accesses that came to wait, each time anew."),
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
};

static const char *const results[] = { "ok", "abort", "stalled" };
static const char *const reasons[] = {
	"granted", "load wts", "store wts", "store rts", "buffer", "count", "rollover",
};
static const char *const states[] = { "running", "stopped", "all stopped", "rolling" };

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
	      NAMED(state, states, "The new state of the unit."),
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
	const struct gputm_validation_unit_config *c = &u->config;
	struct gputm_metadata_table_config table = GPUTM_METADATA_TABLE_CONFIG_INIT;
	const struct gputm_metadata_table_config *kept;
	int error;

	table.ways = c->ways;
	table.entries = c->entries;
	table.stash = c->stash;
	table.granularity = c->granularity;
	table.address_bits = c->address_bits;
	table.time_bits = c->time_bits;
	table.warp_bits = c->warp_bits;
	table.count_bits = c->count_bits;
	table.owner_bits = c->warp_bits + c->sequence_bits;
	table.longest_chain = c->longest_chain;
	table.evict_above = c->evict_above;
	table.approximate = c->approximate;
	table.filter_ways = c->filter_ways;
	table.filter_entries = c->filter_entries;
	table.memory_latency = c->memory_latency;
	table.seed = c->seed;
	table.table_rows = c->table_rows;
	table.filter_rows = c->filter_rows;
	error = gputm_metadata_table_new(u->unit.ctx, &table, &u->table);
	if (error)
		return error;
	kept = gputm_unit_config(gputm_metadata_table_unit(u->table));
	u->config.table_rows = kept->table_rows;
	u->config.filter_rows = kept->filter_rows;
	u->cells = gputm__metadata_cells(u->table);
	return 0;
}

static int make_buffer(struct gputm_validation_unit *u)
{
	const struct gputm_validation_unit_config *c = &u->config;
	struct gputm_stall_buffer_config buffer = GPUTM_STALL_BUFFER_CONFIG_INIT;

	buffer.lines = c->stall_lines;
	buffer.requests = c->stall_requests;
	buffer.granularity = c->granularity;
	buffer.address_bits = c->address_bits;
	buffer.stamp_bits = c->time_bits;
	buffer.warp_bits = c->warp_bits;
	return gputm_stall_buffer_new(u->unit.ctx, &buffer, &u->buffer);
}

static int make_places(struct gputm_validation_unit *u)
{
	struct gputm_ctx *ctx = u->unit.ctx;

	u->slots = u->config.stall_lines * u->config.stall_requests;
	u->woken_at.capacity = u->slots;
	u->input_at.capacity = u->config.input;
	u->output_at.capacity = u->config.output;
	u->in_at.capacity = u->config.units + 2;
	u->out_at.capacity = 2 * u->config.units + 8;
	u->slot = gputm__alloc(ctx, u->slots, sizeof(*u->slot));
	u->more_free = gputm__alloc(ctx, u->slots / 64, sizeof(*u->more_free));
	u->woken = gputm__alloc(ctx, u->slots, sizeof(*u->woken));
	u->input = gputm__alloc(ctx, u->config.input, sizeof(*u->input));
	u->output = gputm__alloc(ctx, u->config.output, sizeof(*u->output));
	u->in = gputm__alloc(ctx, u->in_at.capacity, sizeof(*u->in));
	u->out = gputm__alloc(ctx, u->out_at.capacity, sizeof(*u->out));
	return u->slot && u->more_free && u->woken && u->input && u->output && u->in && u->out ?
		       0 : -ENOMEM;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_validation_unit *u = (void *)unit;
	int error = make_table(u);

	u->address_max = gputm__low_mask(u->config.address_bits);
	u->warp_max = gputm__low_mask(u->config.warp_bits);
	u->time_max = gputm__low_mask(u->config.time_bits) - 1;
	u->threshold = u->time_max - u->config.margin;
	u->sequence_mask = gputm__low_mask(u->config.sequence_bits);
	if (!error)
		error = make_buffer(u);
	return error ? error : make_places(u);
}

static void teardown(struct gputm_unit *unit)
{
	struct gputm_validation_unit *u = (void *)unit;

	gputm__free(unit->ctx, u->slot);
	gputm__free(unit->ctx, u->more_free);
	gputm__free(unit->ctx, u->woken);
	gputm__free(unit->ctx, u->input);
	gputm__free(unit->ctx, u->output);
	gputm__free(unit->ctx, u->in);
	gputm__free(unit->ctx, u->out);
}

static void empty(struct gputm__places *p)
{
	p->first = 0;
	p->count = 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_validation_unit *u = (void *)unit;

	empty(&u->woken_at);
	empty(&u->input_at);
	empty(&u->output_at);
	empty(&u->in_at);
	empty(&u->out_at);
	u->free_slots = u->slots;
	for (uint32_t i = 0; i < u->slots; i += 64)
		*gputm__validation_free(u, i) =
			gputm__low_mask(u->slots - i < 64 ? u->slots - i : 64);
	u->work = (struct gputm_validation_answer){ 0, 0, 0, 0, 0 };
	u->busy = 0;
	u->owed = 0;
	u->state = GPUTM_VALIDATION_UNIT_RUNNING;
	u->leader = 0;
	gputm__validation_set_gate(u);
}

struct gputm_unit *gputm_validation_unit_table(struct gputm_validation_unit *u)
{
	return gputm_metadata_table_unit(u->table);
}

struct gputm_unit *gputm_validation_unit_buffer(struct gputm_validation_unit *u)
{
	return gputm_stall_buffer_unit(u->buffer);
}

/* ---- snapshots ---- */

static void io_request(struct gputm_validation_request *r, struct gputm__io *io)
{
	gputm__io_u64(io, &r->tag);
	gputm__io_u64(io, &r->address);
	gputm__io_u64(io, &r->time);
	gputm__io_u64(io, &r->sequence);
	gputm__io_u32(io, &r->warp);
	gputm__io_bool(io, &r->write);
}

static void io_answer(struct gputm_validation_answer *a, struct gputm__io *io)
{
	gputm__io_u64(io, &a->tag);
	gputm__io_u64(io, &a->time);
	gputm__io_u32_max(io, &a->result, GPUTM_VALIDATION_UNIT_STALLED, "result");
	gputm__io_u32_max(io, &a->reason, GPUTM_VALIDATION_UNIT_REASONS - 1, "reason");
	gputm__io_u32(io, &a->cycles);
}

static uint32_t io_count(struct gputm__places *p, struct gputm__io *io)
{
	gputm__io_u32_max(io, &p->count, p->capacity, "occupancy of a port");
	if (gputm__io_reading(io))
		p->first = 0;
	return io->error ? 0 : p->count;
}

static void io_message(struct gputm_validation_message *m, uint32_t units, struct gputm__io *io)
{
	gputm__io_u32_max(io, &m->go, 1, "kind of a message");
	gputm__io_u32_max(io, &m->from, units - 1, "unit of a message");
}

static void io_ports(struct gputm_validation_unit *u, struct gputm__io *io)
{
	uint32_t n;

	n = io_count(&u->input_at, io);
	for (uint32_t i = 0; i < n; i++)
		io_request(&u->input[gputm__place(&u->input_at, i)], io);
	n = io_count(&u->output_at, io);
	for (uint32_t i = 0; i < n; i++)
		io_answer(&u->output[gputm__place(&u->output_at, i)], io);
	n = io_count(&u->in_at, io);
	for (uint32_t i = 0; i < n; i++)
		io_message(&u->in[gputm__place(&u->in_at, i)], u->config.units, io);
	n = io_count(&u->out_at, io);
	for (uint32_t i = 0; i < n; i++)
		io_message(&u->out[gputm__place(&u->out_at, i)], u->config.units, io);
}

static bool is_free(const struct gputm_validation_unit *u, uint64_t slot)
{
	return *gputm__validation_free((struct gputm_validation_unit *)(uintptr_t)u, slot) >>
		       (slot & 63) & 1;
}

/* Which slots are free, what is in the others, and which are woken. */
static void io_slots(struct gputm_validation_unit *u, struct gputm__io *io)
{
	uint32_t n;

	if (gputm__io_reading(io))
		u->free_slots = 0;
	for (uint32_t i = 0; i < u->slots && !io->error; i += 64) {
		gputm__io_u64_max(io, gputm__validation_free(u, i),
				  gputm__low_mask(u->slots - i < 64 ? u->slots - i : 64),
				  "free slots");
		if (gputm__io_reading(io))
			u->free_slots += gputm__popcount(*gputm__validation_free(u, i));
	}
	for (uint32_t i = 0; i < u->slots && !io->error; i++)
		if (!is_free(u, i))
			io_request(&u->slot[i], io);
	n = io_count(&u->woken_at, io);
	for (uint32_t i = 0; i < n && !io->error; i++)
		gputm__io_u32_max(io, &u->woken[gputm__place(&u->woken_at, i)], u->slots - 1,
				  "woken slot");
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_validation_unit *u = (void *)unit;

	io_ports(u, io);
	io_slots(u, io);
	gputm__io_u64(io, &u->busy);
	if (u->busy)
		io_answer(&u->work, io);
	gputm__io_u64(io, &u->owed);
	gputm__io_u32_max(io, &u->state, GPUTM_VALIDATION_UNIT_ROLLING, "state");
	gputm__validation_set_gate(u);
	gputm__io_u32_max(io, &u->leader, u->config.units - 1, "leader");
}

/* ---- invariants ---- */

static const char *check_slot(const struct gputm_validation_unit *u, uint64_t slot, uint64_t *seen)
{
	if (slot >= u->slots)
		return "a waiting access is in no slot";
	if (!gputm__validation_fits(u, &u->slot[slot]))
		return "a waiting access does not fit its widths";
	*seen += gputm__mix64(slot + 1);
	return NULL;
}

/* Each slot is once free, waiting or woken: their numbers have the sum of all. */
static const char *check_slots(const struct gputm_validation_unit *u)
{
	struct gputm_stall_request waiter;
	const char *broken = NULL;
	uint64_t seen = 0, all = 0, count = u->free_slots + u->woken_at.count, i;

	for (i = 0; i < u->slots; i++) {
		all += gputm__mix64(i + 1);
		seen += is_free(u, i) ? gputm__mix64(i + 1) : 0;
	}
	for (i = 0; i < u->woken_at.count && !broken; i++)
		broken = check_slot(u, u->woken[gputm__place(&u->woken_at, (uint32_t)i)], &seen);
	for (i = 0; !broken && i < gputm_stall_buffer_waiting(u->buffer); i++) {
		if (gputm_stall_buffer_get_request(u->buffer, i, &waiter))
			return "a waiting access is missing";
		broken = check_slot(u, waiter.tag, &seen);
		if (!broken && (u->slot[waiter.tag].address != waiter.address ||
				u->slot[waiter.tag].warp != waiter.warp))
			broken = "a waiting access is not the one in its slot";
	}
	count += gputm_stall_buffer_waiting(u->buffer);
	if (!broken && (seen != all || count != u->slots))
		broken = "a slot is lost or doubled";
	return broken;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_validation_unit *u = (const void *)unit;
	uint64_t answered = 0;

	for (int reason = 0; reason < GPUTM_VALIDATION_UNIT_REASONS; reason++)
		answered += u->answers[reason];
	gputm__law(laws, u->accesses, answered + u->stalled,
		   "accesses are not granted + aborted + stalled");
	gputm__law(laws, u->stalled, u->woken_total + gputm_stall_buffer_waiting(u->buffer),
		   "stalled are not woken + waiting");
	gputm__law(laws, u->woken_total, u->retries + u->woken_at.count,
		   "woken are not retries + woken now");
	gputm__law(laws, u->reserved_writes,
		   u->released_writes + gputm_metadata_table_writes(u->table),
		   "reserved writes are not released + in the table");
}

static const char *check_ports(const struct gputm_validation_unit *u)
{
	for (uint32_t i = 0; i < u->input_at.count; i++)
		if (!gputm__validation_fits(u, &u->input[gputm__place(&u->input_at, i)]))
			return "a request at the input does not fit its widths";
	for (uint32_t i = 0; i < u->output_at.count; i++)
		if (u->output[gputm__place(&u->output_at, i)].result > GPUTM_VALIDATION_UNIT_ABORT)
			return "an answer at the output is neither ok nor abort";
	if (u->busy > u->work.cycles || (u->busy && u->output_at.count == u->output_at.capacity))
		return "the access at work cannot be";
	if (u->in_at.count && u->state != GPUTM_VALIDATION_UNIT_ROLLING)
		return "messages are kept in a state that does not keep any";
	return u->out_at.count + u->in_at.count > u->out_at.capacity ? "too many messages" : NULL;
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
}

GPUTM__UNIT(validation_unit, .version = 2, .setup = setup, .teardown = teardown,
	    .validate = validate, .laws = laws,
	    .part = { { "table", offsetof(struct gputm_validation_unit, table) },
		      { "buffer", offsetof(struct gputm_validation_unit, buffer) } })
