/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bulk in-memory copy
 * ===================
 *
 * S. Chen, L. Peng, S. Irving, "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation" (ISCA 2017), 3, 5 and Table 2, after RowClone: a row of 2 kB is copied to another
 * one of its subarray in 68 ns, through the sense amplifiers that they share.
 *
 * The unit goes through the rows of a region and gives each to its subarray. A subarray copies
 * one row at a time, first come first served, and all subarrays work at once. So all that
 * there is to know of a subarray is when it will be idle, and when a request completes is
 * known when it is made:
 *
 *	push:	for each subarray with n rows of the request
 *		    idle at = max(now, idle at) + n x row_cycles
 *		completion = the latest of them
 *
 * Example, 4 subarrays, rows of 10 cycles, at cycle 0
 *
 *	copy of rows 0 .. 5	subarrays 0, 1 idle at 20; 2, 3 at 10	complete at 20
 *	copy of rows 2, 3	subarrays 2, 3 idle at 20		complete at 20
 *	copy of row 4		subarray 0 idle at 30			complete at 30
 *
 * Invariants, as check() names them:
 *   C1  a request that is held is one that push() takes; it is complete iff its cycle has come
 *   C2  no request completes after the last subarray is idle
 *   C3  pushed = popped + requests held; completed = popped + complete ones held
 *
 * Differences from the paper
 *   - The number of banks is not given; the default is that of the GDDR5 part in Table 2.
 *   - Which subarray a row is in is not given: here rows go round banks and subarrays, so that
 *     a region of many rows is copied in parallel, which the paper says it is.
 *   - Commands to subarrays cost nothing; the paper gives no rate.
 *   - Copies do not delay other accesses to their banks, as in the paper's account.
 */
#include "gputm/row_copier.h"
#include "lib/base/unit.h"

struct request {
	struct gputm_row_copier_request is;
	uint64_t done_at;
};

struct gputm_row_copier {
	struct gputm_unit unit;
	struct gputm_row_copier_config config;
	struct request *request; /* [requests], in the order of pushes */
	uint64_t *idle_at;	 /* [banks * subarrays] */
	uint32_t held;
	uint32_t all; /* subarrays of all banks */
	uint32_t all_shift, row_shift;
	uint64_t now, address_max;

	uint64_t pushed, full, completed, popped, rows, held_max;
};

#define UNIT row_copier

static const struct gputm_param rows[] = {
	PARAM(row_bytes, 64, 1u << 16, 2048, true, "Bytes of a row.", "ISCA 2017 Table 2"),
	PARAM(row_cycles, 1, 4096, 63, false, "Cycles to copy a row.", "ISCA 2017 Table 2"),
	PARAM(subarrays, 1, 1024, 64, true, "Subarrays of a bank.", "ISCA 2017 Table 2"),
	PARAM(banks, 1, 1024, 16, true, "Banks.", ""),
	PARAM(requests, 1, 256, 64, false, "Requests that the unit holds.", ""),
	PARAM(address_bits, 16, 48, 32, false, "Width of a byte address, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017", "ISCA 2017 Table 2: rows of 2 kB in 68 ns, cycles of 924 MHz.",
	  { { "row_bytes", 2048 }, { "row_cycles", 63 }, { "subarrays", 64 } } },
	{ "isca-2017-core", "The same in cycles of 1400 MHz.",
	  { { "row_bytes", 2048 }, { "row_cycles", 96 }, { "subarrays", 64 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(pushed, COUNTER, "requests", "Requests taken: popped, or still held."),
	STAT(full, COUNTER, "requests", "Requests refused because the unit was full."),
	STAT(completed, COUNTER, "requests", "Requests whose rows are all copied."),
	STAT(popped, COUNTER, "requests", "Completions taken."),
	STAT(rows, COUNTER, "rows", "Rows of the requests taken."),
	STAT(held_max, MAXIMUM, "requests", "Requests held, at most."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_ROW_COPIER_EVENT_PUSH, "push", "The caller has asked for a copy.",
	      VALUE(tag, "tag", "The caller's tag of the copy."),
	      VALUE(rows, "rows", "Rows to be copied."),
	      VALUE(done_at, "cycle", "Cycle in which the copy will be complete."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
	EVENT(GPUTM_ROW_COPIER_EVENT_COMPLETE, "complete", "A copy is complete.",
	      VALUE(tag, "tag", "The caller's tag of the copy."),
	      VALUE(cycle, "cycle", "Cycle of the unit.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_row_copier *c = (void *)unit;

	c->all = c->config.banks * c->config.subarrays;
	c->all_shift = gputm__log2(c->all);
	c->row_shift = gputm__log2(c->config.row_bytes);
	c->address_max = gputm__low_mask(c->config.address_bits);
	c->request = gputm__own(unit, c->config.requests, sizeof(*c->request));
	c->idle_at = gputm__own(unit, c->all, sizeof(*c->idle_at));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_row_copier *c = (void *)unit;

	memset(c->idle_at, 0, c->all * sizeof(*c->idle_at));
	c->held = 0;
	c->now = 0;
}

/* A cycle in the past is 0 in the snapshot. */
static void io_time(struct gputm_row_copier *c, struct gputm__io *io, uint64_t *time)
{
	uint64_t left = *time > c->now ? *time - c->now : 0;

	gputm__io_u64_max(io, &left, GPUTM__END_OF_TIME - c->now, "cycles left");
	if (gputm__io_reading(io) && !io->error)
		*time = left ? c->now + left : 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_row_copier *c = (void *)unit;

	gputm__io_u64_max(io, &c->now, GPUTM__END_OF_TIME, "cycle");
	gputm__io_u32_max(io, &c->held, c->config.requests, "requests");
	for (uint32_t i = 0; i < c->all && !io->error; i++)
		io_time(c, io, &c->idle_at[i]);
	for (uint32_t i = 0; i < c->held && !io->error; i++) {
		gputm__io_u64(io, &c->request[i].is.tag);
		gputm__io_u64(io, &c->request[i].is.source);
		gputm__io_u64(io, &c->request[i].is.destination);
		gputm__io_u64(io, &c->request[i].is.bytes);
		gputm__io_u64_max(io, &c->request[i].done_at, GPUTM__END_OF_TIME,
				  "cycle of completion");
	}
}

static bool is_complete(const struct gputm_row_copier *c, const struct request *request)
{
	return request->done_at <= c->now;
}

static int refuse_places(const struct gputm_row_copier *c,
			 const struct gputm_row_copier_request *r, const char *why)
{
	return gputm__refuse(&c->unit, "source = 0x%llx and destination = 0x%llx, %llu bytes, %s",
			     (unsigned long long)r->source, (unsigned long long)r->destination,
			     (unsigned long long)r->bytes, why);
}

static int request_refused(const struct gputm_row_copier *c,
			   const struct gputm_row_copier_request *r);

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_row_copier *c = (const void *)unit;
	uint64_t last = c->now;

	for (uint32_t i = 0; i < c->all; i++)
		last = c->idle_at[i] > last ? c->idle_at[i] : last;
	for (uint32_t i = 0; i < c->held; i++) {
		if (request_refused(c, &c->request[i].is))
			return "C1: a held request has arguments that would be refused";
		if (c->request[i].done_at > last)
			return "C2: a request completes after the last subarray is idle";
	}
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_row_copier_config *c = gputm_unit_config(unit);
	uint64_t row = c->address_bits > gputm__log2(c->row_bytes)
			       ? c->address_bits - gputm__log2(c->row_bytes)
			       : 1;

	gputm__array_apart(out, "requests", c->requests, 3 * row, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_row_copier *c = (const void *)unit;
	uint64_t complete = 0;

	for (uint32_t i = 0; i < c->held; i++)
		complete += is_complete(c, &c->request[i]);
	gputm__law(laws, c->pushed, c->popped + c->held, "C3: pushed is not popped + held");
	gputm__law_most(laws, &c->held_max, c->held, c->config.requests,
			"C3: held is above its maximum");
	gputm__law(laws, c->completed, c->popped + complete,
		   "C3: completed is not popped + complete ones");
}

GPUTM__UNIT(row_copier, .version = 1, .setup = setup, .laws = laws)

/* ---- requests ---- */

static int request_refused(const struct gputm_row_copier *c,
			   const struct gputm_row_copier_request *r)
{
	uint64_t most = c->address_max, apart = r->source ^ r->destination;
	uint64_t distance = r->source < r->destination ? r->destination - r->source
						       : r->source - r->destination;

	if (!r->bytes)
		return gputm__refuse(&c->unit, "bytes = 0 to be copied");
	if (r->source > most || r->bytes - 1 > most - r->source)
		return gputm__out_of_range(&c->unit, "source", r->source, 0, most);
	if (r->destination > most || r->bytes - 1 > most - r->destination)
		return gputm__out_of_range(&c->unit, "destination", r->destination, 0, most);
	if (apart & (c->config.row_bytes - 1))
		return refuse_places(c, r, "lie at different places of their rows");
	if (distance < r->bytes)
		return refuse_places(c, r, "overlap");
	return 0;
}

static uint64_t rows_of(const struct gputm_row_copier *c, const struct gputm_row_copier_request *r)
{
	return ((r->source + r->bytes - 1) >> c->row_shift) - (r->source >> c->row_shift) + 1;
}

static inline uint32_t subarray_of(const struct gputm_row_copier *c, uint64_t row)
{
	return (uint32_t)row & (c->all - 1);
}

/* The cycle at which that subarray finishes its share of `count` rows; may exceed the clock. */
static uint64_t idle_after(const struct gputm_row_copier *c, uint32_t subarray, uint64_t i,
			   uint64_t count)
{
	uint64_t idle_at = c->idle_at[subarray], own = ((count - i - 1) >> c->all_shift) + 1;

	return (idle_at > c->now ? idle_at : c->now) + own * c->config.row_cycles;
}

static uint64_t completion_of(const struct gputm_row_copier *c,
			      const struct gputm_row_copier_request *r)
{
	uint64_t count = rows_of(c, r), row = r->source >> c->row_shift, last = 0;

	for (uint64_t i = 0; i < count && i < c->all; i++)
		gputm__maximum(&last, idle_after(c, subarray_of(c, row + i), i, count));
	return gputm__later(0, last);
}

static uint64_t schedule(struct gputm_row_copier *c, const struct gputm_row_copier_request *r,
			 uint64_t count)
{
	uint64_t row = r->source >> c->row_shift, last = 0;

	for (uint64_t i = 0; i < count && i < c->all; i++) {
		uint32_t subarray = subarray_of(c, row + i);

		c->idle_at[subarray] = idle_after(c, subarray, i, count);
		gputm__maximum(&last, c->idle_at[subarray]);
	}
	for (uint32_t i = 0; last > GPUTM__END_OF_TIME && i < c->all; i++)
		c->idle_at[i] = gputm__later(0, c->idle_at[i]);
	return gputm__later(0, last);
}

static int answer(const struct gputm_row_copier *c, const struct gputm_row_copier_request *request)
{
	int error = request_refused(c, request);

	if (error)
		return error;
	return c->held < c->config.requests ? GPUTM_ROW_COPIER_OK : GPUTM_ROW_COPIER_FULL;
}

int gputm_row_copier_push_probe(const struct gputm_row_copier *c,
				const struct gputm_row_copier_request *request, uint64_t *done_at)
{
	int result = answer(c, request);

	if (result == GPUTM_ROW_COPIER_OK && done_at)
		*done_at = completion_of(c, request);
	return result;
}

/* Count the requests that complete in this cycle, then tell of each. */
static void complete(struct gputm_row_copier *c)
{
	for (uint32_t i = 0; i < c->held; i++)
		c->completed += c->request[i].done_at == c->now;
	for (uint32_t i = 0; c->unit.observe && i < c->held; i++)
		if (c->request[i].done_at == c->now)
			gputm__emit(&c->unit, GPUTM_ROW_COPIER_EVENT_COMPLETE, c->request[i].is.tag,
				    c->now, 0, 0);
}

int gputm_row_copier_push(struct gputm_row_copier *c,
			  const struct gputm_row_copier_request *request, uint64_t *done_at)
{
	uint64_t last, count;
	int result = answer(c, request);

	c->full += result == GPUTM_ROW_COPIER_FULL;
	if (result != GPUTM_ROW_COPIER_OK)
		return result;
	count = rows_of(c, request);
	last = schedule(c, request, count);
	c->request[c->held++] = (struct request){ *request, last };
	c->pushed++;
	c->rows += count;
	gputm__maximum(&c->held_max, c->held);
	if (done_at)
		*done_at = last;
	c->completed += last == c->now; /* at the end of time */
	gputm__emit(&c->unit, GPUTM_ROW_COPIER_EVENT_PUSH, request->tag, count, last, c->now);
	if (last == c->now)
		gputm__emit(&c->unit, GPUTM_ROW_COPIER_EVENT_COMPLETE, request->tag, last, 0, 0);
	return GPUTM_ROW_COPIER_OK;
}

/* The next complete request to be taken, or NULL. */
static struct request *first_complete(const struct gputm_row_copier *c)
{
	struct request *first = NULL;

	for (uint32_t i = 0; i < c->held; i++)
		if (is_complete(c, &c->request[i]) &&
		    (!first || c->request[i].done_at < first->done_at))
			first = &c->request[i];
	return first;
}

int gputm_row_copier_take(struct gputm_row_copier *c, struct gputm_row_copier_request *out)
{
	struct request *first = first_complete(c);

	if (!first)
		return 0;
	*out = first->is;
	c->held--;
	memmove(first, first + 1,
		(size_t)(&c->request[c->held] - first) * sizeof(*first));
	c->popped++;
	return 1;
}

/* ---- time ---- */

/* The next cycle at which a request completes, or UINT64_MAX. */
static uint64_t next_completion(const struct gputm_row_copier *c)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < c->held; i++)
		if (!is_complete(c, &c->request[i]) && c->request[i].done_at < next)
			next = c->request[i].done_at;
	return next;
}

int gputm_row_copier_advance(struct gputm_row_copier *c, uint64_t cycles)
{
	uint64_t end = gputm__later(c->now, cycles), next;

	for (next = next_completion(c); next <= end; next = next_completion(c)) {
		c->now = next;
		complete(c);
	}
	c->now = end;
	for (uint32_t i = 0; i < c->held; i++)
		if (is_complete(c, &c->request[i]))
			return GPUTM_ROW_COPIER_OFFER_COPY;
	return 0;
}

int gputm_row_copier_tick(struct gputm_row_copier *c)
{
	return gputm_row_copier_advance(c, 1);
}

uint64_t gputm_row_copier_next_event(const struct gputm_row_copier *c)
{
	uint64_t next = next_completion(c);

	return next == UINT64_MAX ? next : next - c->now - 1;
}

uint64_t gputm_row_copier_now(const struct gputm_row_copier *c)
{
	return c->now;
}
