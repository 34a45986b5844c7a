/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stall_buffer, 4 x 4, half full: one request comes, the oldest of its granule goes. The bound
 * looks for the line of the granule or a free one, and for the least stamp in the line; it checks
 * no range, counts nothing and has no observer.
 */
#include "tests/bench/bench.h"

#define LINES 4

struct world {
	struct gputm_stall_buffer *unit;
	struct {
		uint64_t granule;
		uint32_t count;
		struct gputm_stall_buffer_request request[4];
	} line[LINES];
};

BENCH_TIGHT static void tight_enqueue(struct world *w, const struct gputm_stall_buffer_request *r)
{
	uint32_t at = LINES;

	for (uint32_t i = 0; i < LINES; i++) {
		if (w->line[i].count && w->line[i].granule == r->address) {
			at = i;
			break;
		}
		if (!w->line[i].count)
			at = i;
	}
	w->line[at].granule = r->address;
	w->line[at].request[w->line[at].count++] = *r;
}

BENCH_TIGHT static void tight_wake(struct world *w, uint64_t address,
				   struct gputm_stall_buffer_request *out)
{
	struct gputm_stall_buffer_request *r, *oldest;
	uint32_t at = 0;

	while (!w->line[at].count || w->line[at].granule != address)
		at++;
	oldest = r = w->line[at].request;
	for (uint32_t i = 1; i < w->line[at].count; i++)
		if (r[i].stamp < oldest->stamp)
			oldest = &r[i];
	*out = *oldest;
	*oldest = r[--w->line[at].count];
}

static struct gputm_stall_buffer_request request(uint64_t i)
{
	return (struct gputm_stall_buffer_request){ .address = (i & 3) * 32, .stamp = i };
}

BENCH_SETUP(setup, struct world *w)
{
	bench_must(gputm_stall_buffer_new(NULL, NULL, &w->unit));
	for (uint64_t i = 0; i < 8; i++) {
		struct gputm_stall_buffer_request r = request(i);

		bench_must(gputm_stall_buffer_push(w->unit, &r));
		tight_enqueue(w, &r);
	}
}

BENCH_LOOP(turn, struct world *w)
{
	struct gputm_stall_buffer_request r = request(i + 8), out;

	bench_must(gputm_stall_buffer_push(w->unit, &r));
	return (uint64_t)gputm_stall_buffer_wake(w->unit, r.address, &out);
}

BENCH_LOOP(bound, struct world *w)
{
	struct gputm_stall_buffer_request r = request(i + 8), out;

	tight_enqueue(w, &r);
	tight_wake(w, r.address, &out);
	return out.stamp;
}

static const struct bench_op operations[] = {
	{ "enqueue", setup, 0, turn, "gputm_stall_buffer_push",
	  .bound = bound, .bound_inside = "tight_enqueue*" },
	{ "wake", setup, 0, turn, "gputm_stall_buffer_wake",
	  .bound = bound, .bound_inside = "tight_wake*" },
};

BENCH_TABLE("stall_buffer", struct world, operations)
