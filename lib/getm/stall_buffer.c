/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stall buffer
 * ============
 *
 * GETM (HPCA 2018), V-B2 and Fig. 9. An access that passed the stamp check and finds its
 * granule reserved by another warp is younger than the owner. It waits until the owner has
 * committed or aborted; then the oldest one tries again.
 *
 *	push(r):     the line of r's granule, else a free line; a free slot in it
 *	wake(g):     of g's line the request with the least stamp, the first that came
 *	A line is free when its last request has left.
 *
 *	line 0: granule 0x40  (30, a) (20, b) (20, c)     wake(0x40) gives b, then c, then a
 *	line 1: granule 0x80  (25, d)                      wake(0x60) gives none
 *
 * Who wakes whom, and when, is the validation unit's: see validation_unit. wake_before() and
 * wake_warp() serve two of its rules.
 *
 * Invariants, as check() names them:
 *   S1  no two lines wait for the same granule; a line in use has 1 .. requests requests
 *   S2  each request is of its line's granule
 *   S3  queued = woken + drained + waiting
 *
 * Differences from the paper
 *   - The paper says that the transaction aborts when the buffer is full; here the answer
 *     says whether a line or a slot is missing, and the validation unit aborts.
 *   - The paper does not order requests of equal stamps; here it is by arrival.
 *   - The paper's 30 bytes of a line are not itemised; the widths are config fields.
 */
#include "gputm/stall_buffer.h"
#include "lib/base/unit.h"

struct line {
	uint64_t granule;
	uint32_t count; /* 0: free */
};

struct gputm_stall_buffer {
	struct gputm_unit unit;
	struct gputm_stall_buffer_config config;
	struct line *line;
	struct gputm_stall_buffer_request
		*slot; /* [lines][requests]; the first of a line, as they came */
	uint64_t granule_mask, address_max;
	uint64_t waiting, lines;
	uint64_t queued, woken, drained, no_line, no_slot, length_sum, waiting_sum;
	uint64_t waiting_max, lines_max, length_max;
};

#define UNIT stall_buffer

static const struct gputm_param rows[] = {
	PARAM(lines, 1, 4096, 4, false, "Granules with waiting requests, at most.",
	      "GETM Table II"),
	PARAM(requests, 1, 4096, 4, false, "Requests of a line, at most.", "GETM Table II"),
	PARAM(granularity, 4, 4096, 32, true, "Bytes of a granule.", "GETM VI-B"),
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", ""),
	PARAM(stamp_bits, 1, 64, 32, false, "Width of a stamp, bits; for the storage report only.",
	      "GETM V-B1"),
	PARAM(warp_bits, 0, 32, 10, false,
	      "Width of a warp, bits; for the storage report only.", ""),
	PARAM(tag_bits, 0, 64, 8, false,
	      "Other data of a request, bits; for the storage report only.", ""),
};

static const struct gputm_preset presets[] = {
	{ "getm", "GETM Table II: 4 lines of 4 requests in each partition.",
	  { { "lines", 4 }, { "requests", 4 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(queued, COUNTER, "requests", "Requests that came to wait."),
	STAT(woken, COUNTER, "requests", "Requests woken."),
	STAT(drained, COUNTER, "requests", "Requests drained."),
	STAT(no_line, COUNTER, "requests", "Requests refused because no line was free."),
	STAT(no_slot, COUNTER, "requests", "Requests refused by a full line."),
	STAT(length_sum, COUNTER, "requests",
	     "Sum of the line lengths that requests met; over queued: the mean of Fig. 16."),
	STAT(waiting_sum, COUNTER, "requests", "Sum of the requests waiting when each came."),
	STAT(waiting_max, MAXIMUM, "requests", "Waiting at the same time, at most (Fig. 15)."),
	STAT(lines_max, MAXIMUM, "lines", "Lines in use, at most."),
	STAT(length_max, MAXIMUM, "requests", "Requests of one line, at most."),
	STAT(waiting, GAUGE, "requests", "Requests waiting."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_STALL_BUFFER_EVENT_PUSH, "push", "A request waits in the buffer.",
	      VALUE(address, "byte address", "The word that the request is for."),
	      VALUE(stamp, "stamp", "The request's place in the order of waking."),
	      VALUE(tag, "tag", "The caller's tag of the request."),
	      VALUE(requests, "requests", "Requests that wait in the same line now.")),
	EVENT(GPUTM_STALL_BUFFER_EVENT_WAKE, "wake", "A request has left the buffer.",
	      VALUE(address, "byte address", "The word that the request is for."),
	      VALUE(stamp, "stamp", "The request's place in the order of waking."),
	      VALUE(tag, "tag", "The caller's tag of the request."),
	      VALUE(requests, "requests", "Requests that are left in the same line.")),
};

static int setup(struct gputm_unit *unit)
{
	struct gputm_stall_buffer *b = (void *)unit;

	b->granule_mask = ~(uint64_t)(b->config.granularity - 1);
	b->address_max = gputm__low_mask(b->config.address_bits);
	b->line = gputm__own(unit, b->config.lines, sizeof(*b->line));
	b->slot = gputm__own(unit, (size_t)b->config.lines * b->config.requests,
			     sizeof(*b->slot));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_stall_buffer *b = (void *)unit;

	for (uint32_t i = 0; i < b->config.lines; i++)
		b->line[i].count = 0;
	b->waiting = 0;
	b->lines = 0;
}

static inline struct gputm_stall_buffer_request *slots_of(const struct gputm_stall_buffer *b,
							  const struct line *line)
{
	return b->slot + (size_t)(line - b->line) * b->config.requests;
}

/* The line of an address if it has one, else the first free one, else NULL. */
static inline struct line *line_for(const struct gputm_stall_buffer *b, uint64_t address)
{
	uint64_t granule = address & b->granule_mask;
	struct line *line = b->line, *end = line + b->config.lines, *free = NULL;

	if (!b->waiting)
		return line;
	for (; line < end; line++) {
		if (line->count && line->granule == granule)
			return line;
		if (!line->count && !free)
			free = line;
	}
	return free;
}

static void io_requests(struct gputm_stall_buffer *b, const struct line *line,
			struct gputm__io *io)
{
	struct gputm_stall_buffer_request *slot = slots_of(b, line);

	for (uint32_t i = 0; i < line->count && !io->error; i++) {
		gputm__io_u64(io, &slot[i].address);
		gputm__io_u64(io, &slot[i].stamp);
		gputm__io_u64(io, &slot[i].tag);
		gputm__io_u32(io, &slot[i].warp);
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_stall_buffer *b = (void *)unit;

	for (uint32_t i = 0; i < b->config.lines && !io->error; i++) {
		struct line *line = &b->line[i];

		gputm__io_u32_max(io, &line->count, b->config.requests, "requests of a line");
		io_requests(b, line, io);
		if (!gputm__io_reading(io) || io->error)
			continue;
		line->granule = line->count ?
				slots_of(b, line)->address & b->granule_mask : 0;
		b->waiting += line->count;
		b->lines += line->count != 0;
	}
}

static const char *check_line(const struct gputm_stall_buffer *b, const struct line *line)
{
	const struct gputm_stall_buffer_request *slot = slots_of(b, line);

	if (line->count && line_for(b, line->granule) != line)
		return "S1: two lines wait for the same granule";
	for (uint32_t i = 0; i < line->count; i++)
		if (slot[i].address > b->address_max ||
		    (slot[i].address & b->granule_mask) != line->granule)
			return "S2: a request is not of its line's granule";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_stall_buffer *b = (const void *)unit;
	const char *broken = NULL;
	uint64_t waiting = 0, lines = 0;

	for (uint32_t i = 0; i < b->config.lines && !broken; i++) {
		waiting += b->line[i].count;
		lines += b->line[i].count != 0;
		broken = check_line(b, &b->line[i]);
	}
	if (broken)
		return broken;
	if (waiting != b->waiting || lines != b->lines)
		return "S3: waiting differs from the sum over the lines";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_stall_buffer_config *c = gputm_unit_config(unit);
	uint64_t request = UINT64_C(1) + c->stamp_bits + c->warp_bits + c->tag_bits;

	gputm__array(out, "lines", c->lines,
		     c->address_bits - gputm__log2(c->granularity) + c->requests * request, 1);
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_stall_buffer_config *c = gputm_unit_config(unit);

	if ((uint64_t)c->lines * c->requests <= 1 << 20)
		return 0;
	return gputm__refuse(unit, "lines = %u x requests = %u is above 2^20", c->lines,
			     c->requests);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_stall_buffer *b = (const void *)unit;

	gputm__law(laws, b->queued, b->woken + b->drained + b->waiting,
		   "S3: queued is not woken + drained + waiting");
}

GPUTM__UNIT(stall_buffer, .version = 2, .setup = setup, .validate = validate, .laws = laws)

/* ---- hardware ---- */

static int answer(const struct gputm_stall_buffer *b, const struct line *line)
{
	if (!line)
		return GPUTM_STALL_BUFFER_NO_LINE;
	return line->count < b->config.requests ? GPUTM_STALL_BUFFER_QUEUED :
						  GPUTM_STALL_BUFFER_NO_SLOT;
}

static int refuse_address(const struct gputm_stall_buffer *b, uint64_t address)
{
	return gputm__out_of_range(&b->unit, "address", address, 0, b->address_max);
}

static inline void note_queued(struct gputm_stall_buffer *b, uint32_t length)
{
	b->queued++;
	b->waiting_sum += ++b->waiting;
	gputm__maximum(&b->waiting_max, b->waiting);
	b->length_sum += length;
	gputm__maximum(&b->length_max, length);
	if (length > 1)
		return;
	b->lines++;
	gputm__maximum(&b->lines_max, b->lines);
}

int gputm_stall_buffer_push(struct gputm_stall_buffer *b,
			    const struct gputm_stall_buffer_request *request)
{
	struct line *line;
	int result;

	if (request->address > b->address_max)
		return refuse_address(b, request->address);
	line = line_for(b, request->address);
	result = answer(b, line);
	if (result != GPUTM_STALL_BUFFER_QUEUED) {
		b->no_line += result == GPUTM_STALL_BUFFER_NO_LINE;
		b->no_slot += result == GPUTM_STALL_BUFFER_NO_SLOT;
		return result;
	}
	line->granule = request->address & b->granule_mask;
	slots_of(b, line)[line->count++] = *request;
	note_queued(b, line->count);
	gputm__emit(&b->unit, GPUTM_STALL_BUFFER_EVENT_PUSH, request->address, request->stamp,
		    request->tag, line->count);
	return result;
}

int gputm_stall_buffer_push_probe(const struct gputm_stall_buffer *b, uint64_t address)
{
	if (address > b->address_max)
		return refuse_address(b, address);
	return answer(b, line_for(b, address));
}

#define ANY_WARP UINT64_MAX

/* The oldest request of a line, of one warp or of ANY_WARP; NULL if there is none. */
static inline struct gputm_stall_buffer_request *oldest_of(const struct gputm_stall_buffer *b,
							   const struct line *line, uint64_t warp)
{
	struct gputm_stall_buffer_request *slot = slots_of(b, line), *oldest = NULL;

	for (uint32_t i = 0; i < line->count; i++)
		if ((warp == ANY_WARP || slot[i].warp == warp) &&
		    (!oldest || slot[i].stamp < oldest->stamp))
			oldest = &slot[i];
	return oldest;
}

/* The same of all that wait for a granule. */
static inline struct gputm_stall_buffer_request *oldest_at(const struct gputm_stall_buffer *b,
							   uint64_t address, uint64_t warp)
{
	const struct line *line = line_for(b, address);

	return line ? oldest_of(b, line, warp) : NULL;
}

/* Those that came later move up. */
static inline int take(struct gputm_stall_buffer *b, struct gputm_stall_buffer_request *slot,
		       struct gputm_stall_buffer_request *out)
{
	struct line *line = &b->line[(uint32_t)(slot - b->slot) / b->config.requests];
	const struct gputm_stall_buffer_request *end = slots_of(b, line) + line->count--;

	*out = *slot;
	for (; slot + 1 < end; slot++)
		slot[0] = slot[1];
	b->waiting--;
	b->lines -= !line->count;
	gputm__emit(&b->unit, GPUTM_STALL_BUFFER_EVENT_WAKE, out->address, out->stamp, out->tag,
		    line->count);
	return GPUTM_STALL_BUFFER_WOKEN;
}

static inline int wake(struct gputm_stall_buffer *b, struct gputm_stall_buffer_request *slot,
		       struct gputm_stall_buffer_request *out)
{
	if (!slot)
		return GPUTM_STALL_BUFFER_NONE;
	b->woken++;
	return take(b, slot, out);
}

int gputm_stall_buffer_wake(struct gputm_stall_buffer *b, uint64_t address,
			    struct gputm_stall_buffer_request *out)
{
	return wake(b, oldest_at(b, address, ANY_WARP), out);
}

int gputm_stall_buffer_wake_probe(const struct gputm_stall_buffer *b, uint64_t address,
				  struct gputm_stall_buffer_request *out)
{
	const struct gputm_stall_buffer_request *slot = oldest_at(b, address, ANY_WARP);

	if (!slot)
		return GPUTM_STALL_BUFFER_NONE;
	*out = *slot;
	return GPUTM_STALL_BUFFER_WOKEN;
}

int gputm_stall_buffer_wake_before(struct gputm_stall_buffer *b, uint64_t address, uint64_t stamp,
				   struct gputm_stall_buffer_request *out)
{
	struct gputm_stall_buffer_request *slot = oldest_at(b, address, ANY_WARP);

	return wake(b, slot && slot->stamp < stamp ? slot : NULL, out);
}

int gputm_stall_buffer_wake_warp(struct gputm_stall_buffer *b, uint64_t address, uint32_t warp,
				 struct gputm_stall_buffer_request *out)
{
	return wake(b, oldest_at(b, address, warp), out);
}

int gputm_stall_buffer_drain(struct gputm_stall_buffer *b, struct gputm_stall_buffer_request *out)
{
	struct line *line = b->line;

	if (!b->waiting)
		return GPUTM_STALL_BUFFER_NONE;
	while (!line->count)
		line++;
	b->drained++;
	return take(b, oldest_of(b, line, ANY_WARP), out);
}

int gputm_stall_buffer_get_request(const struct gputm_stall_buffer *b, uint64_t index,
				   struct gputm_stall_buffer_request *out)
{
	uint64_t left = index;

	for (uint32_t i = 0; i < b->config.lines; i++) {
		if (left < b->line[i].count) {
			*out = slots_of(b, &b->line[i])[left];
			return 0;
		}
		left -= b->line[i].count;
	}
	return gputm__past_end(&b->unit, "request", index, index - left);
}

uint64_t gputm_stall_buffer_waiting(const struct gputm_stall_buffer *b)
{
	return b->waiting;
}
