/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequential resolver: resolution of the conflicts within a warp with a Bloom filter (SCR)
 * ========================================================================================
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015), 6.3.1 (buffers in shared memory), 6.3.2, and 6.3.3 for the number of steps.
 *
 * The lanes of a warp go one after the other, the lowest first. One filter collects what
 * the survivors write, so that a lane compares itself with all of them by one look-up an
 * address:
 *
 *	clear the filter
 *	for each active lane, ascending:
 *	    if any address that it read or writes may be in the filter: it aborts
 *	    else: all that it writes goes into the filter
 *
 * The transactions of Fig. 6.6, lanes 0 to 3, with a filter that never errs:
 *
 *	lane  read    write   filter before    steps
 *	0     04 0c   0c 10   (empty)          2: not checked, 2 inserted
 *	1     04 08   08 14   0c 10            6: 4 checked, 2 inserted
 *	2     04 10   10 14   0c 10 08 14      4: 4 checked, 10 and 14 are there, aborts
 *	3     04      04 08   0c 10 08 14      3: 3 checked, 08 is there, aborts
 *
 * 15 steps, the number that the paper gives; 2PCR takes 7. Both let lanes 0 and 1 survive.
 *
 * Why the survivors may commit together: of two survivors a < b, all that a writes was in
 * the filter when b was checked, and a Bloom filter forgets nothing. The first lane meets an
 * empty filter, so some lane always makes progress.
 *
 * Invariants, as check() names them:
 *   R1  acquired = released + used; a free buffer is empty
 *   R2  survivors and aborted lanes of a buffer are disjoint parts of its active ones, and
 *       the lowest active lane has not aborted
 *   R3  lanes taken = survived + aborted + unresolved + active in buffers
 *   R4  aborted <= hits <= checked
 *   R5  steps = checked + inserted; initialise_cycles = acquired x the cost of one
 *
 * Differences from the paper
 *   - The paper gives neither the size of the filter nor its hashes. The default is 4096 bits
 *     in 4 sub-arrays.
 *   - A lane is checked to its end even after a hit, which is what makes 15 of the steps.
 *   - A filter is cleared once for a warp. The cycles are those of one engine that reads log
 *     rows for a single lane and then accesses each sub-array in turn.
 *   - The exact filter is for comparison, and is charged as one of filter_bits.
 */
#include "gputm/sequential_resolver.h"
#include "gputm/signature.h"
#include "lib/base/unit.h"
#include "lib/warptm/region_map.h"
#include "lib/warptm/resolver.h"

struct gputm_sequential_resolver {
	struct gputm_unit unit;
	struct gputm_sequential_resolver_config config;
	struct gputm__resolver core;
	struct gputm_signature *filter; /* one for each buffer; unused if exact */
	struct gputm__region_map *map;	/* [buffers]; unused unless exact */
	uint32_t shift;			/* log2(granularity) */
	uint64_t checked, inserted, hits;
};

#define UNIT sequential_resolver

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "thesis Table 6.1"),
	PARAM(filter_bits, 8, 1 << 15, 4096, true, "Bits of a filter.", "thesis 6.3.2"),
	PARAM(hashes, 1, 8, 4, true, "Sub-arrays of a filter, each with a hash of its own.",
	      "thesis 6.3.2"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes of a region.", "thesis 6.3.2"),
	PARAM(exact, 0, 1, 0, false, "Whether the filter never errs.", ""),
	PARAM(buffers, 1, 64, 3, false, "Filters of a core: warps that may resolve at a time.",
	      "thesis 6.3.1"),
	PARAM(address_bits, 8, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(access_bytes, 1, 1 << 12, 128, true, "Bytes that one access clears.", "thesis 6.3.3"),
	PARAM(log_cycles, 0, 1 << 10, 1, false, "Cycles to read a log row.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the H3 rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "warptm", "Thesis 6.3.2: a Bloom filter.", { { "filter_bits", 4096 } } },
	{ "exact", "A filter that never errs, to compare with.", { { "exact", 1 } } },
};

static const struct gputm__stat_row stats[] = {
	GPUTM__RESOLVER_STATS,
	STAT_OF("lanes_unresolved", core.lanes_unresolved, COUNTER, "lanes",
			     "Lanes of warps released before their turn."),
	STAT(checked, COUNTER, "addresses", "Addresses looked for in a filter."),
	STAT(hits, COUNTER, "addresses", "Of these, those that may be there."),
	STAT(inserted, COUNTER, "addresses", "Addresses that joined a filter."),
};

static const char *const results[] = { "survives", "aborts" };

static const struct gputm_event_kind events[] = {
	GPUTM__RESOLVER_ACQUIRE(GPUTM_SEQUENTIAL_RESOLVER_EVENT_ACQUIRE),
	EVENT(GPUTM_SEQUENTIAL_RESOLVER_EVENT_LANE, "lane", "A lane has had its turn.",
	      VALUE(buffer, "buffer", "The buffer."),
	      VALUE(lane, "lane", "The lane."),
	      NAMED(outcome, results, "Whether the lane goes on to commit.")),
	GPUTM__RESOLVER_RELEASE(GPUTM_SEQUENTIAL_RESOLVER_EVENT_RELEASE),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_sequential_resolver_config *c = gputm_unit_config(unit);
	int error = gputm__check_granularity(unit, c->granularity, c->address_bits);

	if (error)
		return error;
	if (c->hashes > c->filter_bits / 2)
		return gputm__refuse(unit, "hashes = %u is outside 1 .. %u, half of filter_bits",
				     c->hashes, c->filter_bits / 2);
	return 0;
}

static int setup_filter(struct gputm_sequential_resolver *r)
{
	const struct gputm_sequential_resolver_config *c = &r->config;
	struct gputm_signature_config filter = GPUTM_SIGNATURE_CONFIG_INIT;

	filter.count = c->buffers;
	filter.bits = c->filter_bits;
	filter.hashes = c->hashes;
	filter.granularity = c->granularity;
	filter.address_bits = c->address_bits;
	filter.seed = c->seed;
	r->map = gputm__own(&r->unit, c->buffers, sizeof(*r->map));
	return gputm_signature_new(r->unit.ctx, &filter, &r->filter);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_sequential_resolver *r = (void *)unit;
	const struct gputm_sequential_resolver_config *c = &r->config;

	gputm__resolver_setup(unit, &r->core, c->buffers, c->lanes, c->address_bits);
	r->shift = gputm__log2(c->granularity);
	r->core.initialise_cost = (c->filter_bits + 8 * c->access_bytes - 1) /
				  (8 * c->access_bytes);
	return setup_filter(r);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_sequential_resolver *r = (void *)unit;

	gputm__resolver_clear(&r->core);
	for (uint32_t i = 0; i < r->config.buffers; i++)
		gputm__region_map_clear(&r->map[i]);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_sequential_resolver *r = (void *)unit;

	gputm__resolver_io(&r->core, io);
	for (uint32_t i = 0; r->config.exact && i < r->config.buffers && !io->error; i++)
		if (r->core.buffer[i].state != GPUTM__RESOLVER_FREE)
			gputm__region_map_io(&r->map[i], io);
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_sequential_resolver *r = (const void *)unit;

	return gputm__resolver_check(&r->core);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_sequential_resolver *r = (const void *)unit;
	uint64_t aborted = r->core.lanes_aborted;

	gputm__resolver_laws(&r->core, laws);
	for (uint32_t i = 0; i < r->config.buffers; i++)
		aborted += gputm__popcount(r->core.buffer[i].so_far.aborted);
	gputm__law(laws, r->core.steps, r->checked + r->inserted,
		   "R5: steps are not checked + inserted");
	gputm__law_least(laws, r->checked, r->hits, "R4: hits are more than addresses checked");
	gputm__law_least(laws, r->hits, aborted, "R4: aborted lanes are more than hits");
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_sequential_resolver_config *c = gputm_unit_config(unit);

	gputm__array(out, "filters", c->buffers, c->filter_bits, 1);
}

GPUTM__UNIT(sequential_resolver, .version = 3, .setup = setup, .validate = validate, .laws = laws,
	    .part = { { "filter", offsetof(struct gputm_sequential_resolver, filter) } })

/* ---- the filter of a buffer; addresses are checked and room is reserved ---- */

static bool may_hold(const struct gputm_sequential_resolver *r, uint32_t buffer, uint64_t address)
{
	if (r->config.exact)
		return gputm__region_map_find(&r->map[buffer], address >> r->shift);
	return gputm_signature_maybe_contains_probe(r->filter, buffer, address) ==
	       GPUTM_SIGNATURE_MAYBE;
}

static void insert(struct gputm_sequential_resolver *r, uint32_t buffer, uint64_t address,
		   uint32_t lane)
{
	int error = 0;

	if (!r->config.exact)
		error = gputm_signature_insert(r->filter, buffer, address);
	else if (!may_hold(r, buffer, address))
		gputm__region_map_insert(&r->map[buffer], address >> r->shift, lane);
	gputm__assert(!error);
}

static int reserve(struct gputm_sequential_resolver *r, uint32_t buffer,
		   const struct gputm_resolver_logs *logs, uint64_t lanes)
{
	size_t more = 0;

	if (!r->config.exact)
		return 0;
	for (uint32_t i = 0; i < logs->write_rows; i++)
		more += gputm__popcount(logs->write[i].mask & lanes);
	return gputm__region_map_reserve(&r->unit, &r->map[buffer], more);
}

/* ---- one lane ---- */

/* Count the addresses of a lane in some rows, and those that may be in the filter. */
struct look {
	uint64_t addresses, hits;
};

static void look_up(const struct gputm_sequential_resolver *r, uint32_t buffer, uint32_t lane,
		    const struct gputm_resolver_row *row, uint32_t count, struct look *look)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!(row[i].mask >> lane & 1))
			continue;
		look->addresses++;
		look->hits += may_hold(r, buffer, row[i].address[lane]);
	}
}

static bool conflicts(struct gputm_sequential_resolver *r, uint32_t buffer,
		      const struct gputm_resolver_logs *logs, uint32_t lane)
{
	uint64_t rows_read = (uint64_t)logs->read_rows + logs->write_rows;
	struct look look = { 0, 0 };

	look_up(r, buffer, lane, logs->read, logs->read_rows, &look);
	look_up(r, buffer, lane, logs->write, logs->write_rows, &look);
	r->checked += look.addresses;
	r->hits += look.hits;
	gputm__resolver_spend(&r->core, &r->core.buffer[buffer], 0,
			      rows_read * r->config.log_cycles + look.addresses * r->config.hashes,
			      rows_read, look.addresses);
	return look.hits != 0;
}

static void join(struct gputm_sequential_resolver *r, uint32_t buffer,
		 const struct gputm_resolver_logs *logs, uint32_t lane)
{
	uint64_t count = 0, rows_read = logs->write_rows;

	for (uint32_t i = 0; i < logs->write_rows; i++) {
		if (!(logs->write[i].mask >> lane & 1))
			continue;
		count++;
		insert(r, buffer, logs->write[i].address[lane], lane);
	}
	r->inserted += count;
	gputm__resolver_spend(&r->core, &r->core.buffer[buffer],
			      rows_read * r->config.log_cycles + count * r->config.hashes, 0,
			      rows_read, count);
}

static int turn(struct gputm_sequential_resolver *r, uint32_t buffer,
		const struct gputm_resolver_logs *logs, uint32_t lane)
{
	struct gputm__resolver_buffer *b = &r->core.buffer[buffer];
	bool first = b->state == GPUTM__RESOLVER_FRESH;
	int result = GPUTM_SEQUENTIAL_RESOLVER_SURVIVES;

	b->state = GPUTM__RESOLVER_MATCH;
	if (!first && conflicts(r, buffer, logs, lane))
		result = GPUTM_SEQUENTIAL_RESOLVER_ABORTS;
	if (result == GPUTM_SEQUENTIAL_RESOLVER_SURVIVES) {
		join(r, buffer, logs, lane);
		b->so_far.survived |= UINT64_C(1) << lane;
	} else {
		b->so_far.aborted |= UINT64_C(1) << lane;
	}
	gputm__emit(&r->unit, GPUTM_SEQUENTIAL_RESOLVER_EVENT_LANE, buffer, lane,
		    (uint64_t)result, 0);
	return result;
}

/* ---- public ---- */

int gputm_sequential_resolver_acquire_probe(const struct gputm_sequential_resolver *r,
					    uint64_t active)
{
	return gputm__resolver_acquire_probe(&r->unit, &r->core, active);
}

int gputm_sequential_resolver_acquire(struct gputm_sequential_resolver *r, uint64_t active,
				      uint32_t *buffer)
{
	int error, result = gputm__resolver_acquire(&r->unit, &r->core, active, buffer);

	if (result != GPUTM_RESOLVER_ACQUIRED)
		return result;
	error = gputm_signature_clear(r->filter, *buffer);
	gputm__assert(!error);
	(void)error;
	gputm__region_map_clear(&r->map[*buffer]);
	gputm__emit(&r->unit, GPUTM_SEQUENTIAL_RESOLVER_EVENT_ACQUIRE, *buffer, active, 0, 0);
	return result;
}

static int check_logs(struct gputm_sequential_resolver *r, uint32_t buffer, uint32_t last,
		      const struct gputm_resolver_logs *logs, uint64_t lanes)
{
	int error = gputm__resolver_held(&r->unit, &r->core, buffer, last);

	if (!error)
		error = gputm__resolver_check_logs(&r->unit, &r->core,
						   lanes & r->core.buffer[buffer].active, logs);
	return error;
}

int gputm_sequential_resolver_resolve(struct gputm_sequential_resolver *r, uint32_t buffer,
				      const struct gputm_resolver_logs *logs,
				      struct gputm_resolver_outcome *out)
{
	int error = check_logs(r, buffer, GPUTM__RESOLVER_FRESH, logs, UINT64_MAX);
	uint64_t active;

	if (error)
		return error;
	active = r->core.buffer[buffer].active;
	error = reserve(r, buffer, logs, active);
	if (error)
		return error;
	for (uint64_t left = active; left; left &= left - 1)
		turn(r, buffer, logs, gputm__lowest(left));
	r->core.buffer[buffer].state = GPUTM__RESOLVER_MATCH;
	*out = r->core.buffer[buffer].so_far;
	return 0;
}

/* 0 when it is the turn of this lane. */
static int check_lane(const struct gputm_sequential_resolver *r, uint32_t buffer, uint32_t lane)
{
	const struct gputm__resolver_buffer *b = &r->core.buffer[buffer];

	if (lane >= r->config.lanes)
		return gputm__out_of_range(&r->unit, "lane", lane, 0, r->config.lanes - 1);
	if (!(b->active >> lane & 1))
		return gputm__refuse(&r->unit, "lane = %u is not active in buffer %u", lane,
				     buffer);
	if ((b->so_far.survived | b->so_far.aborted) >> lane)
		return gputm__refuse(&r->unit, "lane = %u is not above those before it", lane);
	return 0;
}

int gputm_sequential_resolver_resolve_lane(struct gputm_sequential_resolver *r, uint32_t buffer,
					   const struct gputm_resolver_logs *logs, uint32_t lane)
{
	uint64_t bit = lane < 64 ? UINT64_C(1) << lane : 0;
	int error = check_logs(r, buffer, GPUTM__RESOLVER_MATCH, logs, bit);

	if (!error)
		error = check_lane(r, buffer, lane);
	if (!error)
		error = reserve(r, buffer, logs, bit);
	return error ? error : turn(r, buffer, logs, lane);
}

int gputm_sequential_resolver_get_result(const struct gputm_sequential_resolver *r, uint32_t buffer,
					 struct gputm_resolver_outcome *out)
{
	return gputm__resolver_result(&r->unit, &r->core, buffer, out);
}

int gputm_sequential_resolver_release(struct gputm_sequential_resolver *r, uint32_t buffer)
{
	struct gputm_resolver_outcome so_far = { 0 };
	int error = gputm__resolver_result(&r->unit, &r->core, buffer, &so_far);

	if (error)
		return error;
	error = gputm__resolver_release(&r->unit, &r->core, buffer);
	gputm__assert(!error);
	gputm__emit(&r->unit, GPUTM_SEQUENTIAL_RESOLVER_EVENT_RELEASE, buffer, so_far.survived,
		    so_far.aborted,
		    so_far.initialise_cycles + so_far.construct_cycles + so_far.match_cycles);
	return error;
}
