/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_written: 4 x 512 times of 128-byte blocks. The bound packs the four indices of a block
 * into one table word per key byte, and checks and counts nothing.
 */
#include "tests/bench/bench.h"

#define KEYS 1024

struct table {
	struct gputm_last_written *unit;
	uint32_t address[KEYS];
	uint64_t row[4][256];
	uint64_t time[4][512];
};

BENCH_SETUP(setup, struct table *t)
{
	uint64_t random = 1;

	bench_must(gputm_last_written_new(NULL, NULL, &t->unit));
	for (unsigned i = 0; i < KEYS; i++)
		t->address[i] = (uint32_t)bench_next(&random);
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned i = 0; i < 256; i++)
			t->row[byte][i] = bench_next(&random) & UINT64_C(0x01ff01ff01ff01ff);
	for (unsigned i = 0; i < KEYS; i += 2)
		bench_must(gputm_last_written_record(t->unit, t->address[i], i));
}

BENCH_TURN(record, struct table *t, gputm_last_written_record(t->unit, t->address[i % KEYS], i))

BENCH_LOOP(query, struct table *t)
{
	uint64_t time;

	if (gputm_last_written_query(t->unit, t->address[i % KEYS], &time))
		abort();
	return time;
}

static inline uint64_t indices(const struct table *t, uint32_t address)
{
	return t->row[0][address & 255] ^ t->row[1][address >> 8 & 255] ^
	       t->row[2][address >> 16 & 255] ^ t->row[3][address >> 24];
}

static inline uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

BENCH_TIGHT static uint64_t tight_query(const struct table *t, uint32_t address)
{
	uint64_t at = indices(t, address);

	return less(less(t->time[0][at & 511], t->time[1][at >> 16 & 511]),
		    less(t->time[2][at >> 32 & 511], t->time[3][at >> 48]));
}

BENCH_TIGHT static void tight_record(struct table *t, uint32_t address, uint64_t time)
{
	uint64_t at = indices(t, address);

	t->time[0][at & 511] = time;
	t->time[1][at >> 16 & 511] = time;
	t->time[2][at >> 32 & 511] = time;
	t->time[3][at >> 48] = time;
}

BENCH_TURN(bound_query, struct table *t, tight_query(t, t->address[i % KEYS]))

BENCH_DO(bound_record, struct table *t, tight_record(t, t->address[i % KEYS], i))

static const struct bench_op operations[] = {
	{ "record, 4 x 512", setup, 0, record, "gputm_last_written_record",
	  .bound = bound_record, .bound_inside = "tight_record" },
	{ "query, 4 x 512", setup, 0, query, "gputm_last_written_query",
	  .bound = bound_query, .bound_inside = "tight_query" },
};

BENCH_TABLE("last_written", struct table, operations)
