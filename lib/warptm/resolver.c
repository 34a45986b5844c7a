/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/warptm/resolver.h"

void gputm__resolver_setup(struct gputm_unit *unit, struct gputm__resolver *core, uint32_t buffers,
			   uint32_t lanes, uint32_t address_bits)
{
	core->buffers = buffers;
	core->lanes = gputm__low_mask(lanes);
	core->reject = ~gputm__low_mask(address_bits);
	core->buffer = gputm__own(unit, buffers, sizeof(*core->buffer));
}

void gputm__resolver_clear(struct gputm__resolver *core)
{
	memset(core->buffer, 0, core->buffers * sizeof(*core->buffer));
	core->used = 0;
}

void gputm__resolver_io(struct gputm__resolver *core, struct gputm__io *io)
{
	core->used = 0;
	for (uint32_t i = 0; i < core->buffers; i++) {
		struct gputm__resolver_buffer *b = &core->buffer[i];

		gputm__io_u32_max(io, &b->state, GPUTM__RESOLVER_MATCH, "state of a buffer");
		gputm__io_u64(io, &b->active);
		gputm__io_u64(io, &b->so_far.survived);
		gputm__io_u64(io, &b->so_far.aborted);
		gputm__io_u64(io, &b->so_far.initialise_cycles);
		gputm__io_u64(io, &b->so_far.construct_cycles);
		gputm__io_u64(io, &b->so_far.match_cycles);
		gputm__io_u64(io, &b->so_far.log_rows);
		gputm__io_u64(io, &b->so_far.steps);
		core->used += b->state != GPUTM__RESOLVER_FREE;
	}
}

/* ---- invariants ---- */

/* Sum over the buffers in use. */
static const char *check_buffer(const struct gputm__resolver *core,
				const struct gputm__resolver_buffer *b)
{
	static const struct gputm__resolver_buffer unused;
	const struct gputm_resolver_outcome *r = &b->so_far;

	if (b->state == GPUTM__RESOLVER_FREE)
		return memcmp(b, &unused, sizeof(unused)) ? "R1: a free buffer is not empty" : NULL;
	if (b->active & ~core->lanes)
		return "R2: a lane beyond the warp is active";
	if ((r->survived | r->aborted) & ~b->active || r->survived & r->aborted)
		return "R2: survivors and aborted lanes are not disjoint parts of the active ones";
	if (r->aborted & b->active & (~b->active + 1))
		return "R2: the lowest active lane has aborted";
	if (r->initialise_cycles != core->initialise_cost)
		return "R5: a buffer was not initialised at its cost";
	return NULL;
}

const char *gputm__resolver_check(const struct gputm__resolver *core)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < core->buffers; i++) {
		const char *broken = check_buffer(core, &core->buffer[i]);

		if (broken)
			return broken;
		used += core->buffer[i].state != GPUTM__RESOLVER_FREE;
	}
	return core->used == used ? NULL : "R1: used is not the number of buffers in use";
}

void gputm__resolver_laws(const struct gputm__resolver *core, struct gputm__laws *laws)
{
	struct gputm_resolver_outcome all = { 0 };
	uint64_t lanes = 0;

	for (uint32_t i = 0; i < core->buffers; i++) {
		const struct gputm_resolver_outcome *r = &core->buffer[i].so_far;

		lanes += gputm__popcount(core->buffer[i].active);
		all.construct_cycles += r->construct_cycles;
		all.match_cycles += r->match_cycles;
		all.log_rows += r->log_rows;
		all.steps += r->steps;
	}
	gputm__law(laws, core->acquired, core->released + core->used,
		   "R1: acquired is not released + used");
	gputm__law_most(laws, &core->used_max, core->used, core->buffers,
			"R1: used_max is not in used .. buffers");
	gputm__law(laws, core->lanes_taken,
		   core->lanes_survived + core->lanes_aborted + core->lanes_unresolved + lanes,
		   "R3: lanes taken are not survived + aborted + unresolved + active in buffers");
	gputm__law(laws, core->initialise_cycles, core->acquired * core->initialise_cost,
		   "R5: initialise_cycles is not acquired x the cost of clearing a buffer");
	gputm__law_least(laws, core->construct_cycles, all.construct_cycles,
			 "R5: construct_cycles are below those of the buffers in use");
	gputm__law_least(laws, core->match_cycles, all.match_cycles,
			 "R5: match_cycles are below those of the buffers in use");
	gputm__law_least(laws, core->log_rows, all.log_rows,
			 "R5: log_rows are below those of the buffers in use");
	gputm__law_least(laws, core->steps, all.steps,
			 "R5: steps are below those of the buffers in use");
}

/* ---- buffers ---- */

int gputm__resolver_acquire_probe(const struct gputm_unit *unit,
				  const struct gputm__resolver *core, uint64_t active)
{
	if (active & ~core->lanes)
		return gputm__out_of_range(unit, "active", active, 0, core->lanes);
	return core->used == core->buffers ? GPUTM_RESOLVER_BUSY : GPUTM_RESOLVER_ACQUIRED;
}

int gputm__resolver_acquire(const struct gputm_unit *unit, struct gputm__resolver *core,
			    uint64_t active, uint32_t *buffer)
{
	int result = gputm__resolver_acquire_probe(unit, core, active);
	struct gputm__resolver_buffer *b = core->buffer;

	core->refused += result == GPUTM_RESOLVER_BUSY;
	if (result != GPUTM_RESOLVER_ACQUIRED)
		return result;
	while (b->state != GPUTM__RESOLVER_FREE)
		b++;
	b->state = GPUTM__RESOLVER_FRESH;
	b->active = active;
	b->so_far.initialise_cycles = core->initialise_cost;
	*buffer = (uint32_t)(b - core->buffer);
	core->acquired++;
	core->used++;
	gputm__maximum(&core->used_max, core->used);
	core->lanes_taken += gputm__popcount(active);
	core->initialise_cycles += core->initialise_cost;
	return result;
}

int gputm__resolver_held(const struct gputm_unit *unit, const struct gputm__resolver *core,
			 uint32_t buffer, uint32_t last)
{
	if (buffer >= core->buffers)
		return gputm__out_of_range(unit, "buffer", buffer, 0, core->buffers - 1);
	if (core->buffer[buffer].state == GPUTM__RESOLVER_FREE)
		return gputm__refuse(unit, "buffer %u is not acquired, or was released", buffer);
	if (core->buffer[buffer].state > last)
		return gputm__refuse(unit,
				     "buffer %u accepts no more of these rows: its warp %s", buffer,
				     last == GPUTM__RESOLVER_FRESH ?
					     "has begun to resolve" :
					     "has begun to look for conflicts");
	return 0;
}

int gputm__resolver_release(const struct gputm_unit *unit, struct gputm__resolver *core,
			    uint32_t buffer)
{
	int error = gputm__resolver_held(unit, core, buffer, GPUTM__RESOLVER_MATCH);
	struct gputm__resolver_buffer *b;
	uint32_t survived, aborted;

	if (error)
		return error;
	b = &core->buffer[buffer];
	survived = gputm__popcount(b->so_far.survived);
	aborted = gputm__popcount(b->so_far.aborted);
	core->lanes_survived += survived;
	core->lanes_aborted += aborted;
	core->lanes_unresolved += gputm__popcount(b->active) - survived - aborted;
	memset(b, 0, sizeof(*b));
	core->released++;
	core->used--;
	return 0;
}

int gputm__resolver_result(const struct gputm_unit *unit, const struct gputm__resolver *core,
			   uint32_t buffer, struct gputm_resolver_outcome *out)
{
	int error = gputm__resolver_held(unit, core, buffer, GPUTM__RESOLVER_MATCH);

	if (!error)
		*out = core->buffer[buffer].so_far;
	return error;
}

/* ---- rows ---- */

static int refuse_row(const struct gputm_unit *unit, const struct gputm__resolver *core,
		      uint64_t mask, const uint64_t *address)
{
	while (!(address[gputm__lowest(mask)] & core->reject))
		mask &= mask - 1;
	return gputm__out_of_range(unit, "address", address[gputm__lowest(mask)], 0,
				   ~core->reject);
}

int gputm__resolver_check_row(const struct gputm_unit *unit, const struct gputm__resolver *core,
			      uint64_t active, const struct gputm_resolver_row *row)
{
	const uint64_t *address = row->address;
	uint64_t all = 0, odd = 0, mask = row->mask & active;

	if (row->mask & ~core->lanes)
		return gputm__out_of_range(unit, "lanes of a row", row->mask, 0, core->lanes);
	if (mask == UINT32_MAX)
		for (uint32_t lane = 0; lane < 32; lane += 2) { /* side by side */
			all |= address[lane];
			odd |= address[lane + 1];
		}
	else
		for (uint64_t left = mask; left; left &= left - 1)
			all |= address[gputm__lowest(left)];
	if (!((all | odd) & core->reject))
		return 0;
	return refuse_row(unit, core, mask, address);
}

int gputm__resolver_check_logs(const struct gputm_unit *unit, const struct gputm__resolver *core,
			       uint64_t active, const struct gputm_resolver_logs *logs)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < logs->read_rows; i++)
		error = gputm__resolver_check_row(unit, core, active, &logs->read[i]);
	for (uint32_t i = 0; !error && i < logs->write_rows; i++)
		error = gputm__resolver_check_row(unit, core, active, &logs->write[i]);
	return error;
}
