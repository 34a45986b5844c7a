/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_written: 4 x 512 times of 128-byte blocks. The bound packs the four indices of a block
 * into one table word per key byte, and checks and counts nothing.
 */
#include <stdlib.h>

#include "gputm/last_written.h"
#include "tests/bench/bench.h"

#define KEYS 1024

struct table {
	struct gputm_last_written *unit;
	uint32_t address[KEYS];
	uint64_t row[4][256];
	uint64_t time[4][512];
};

static void *setup(void)
{
	struct table *t = calloc(1, sizeof(*t));
	uint64_t random = 1;

	if (!t || gputm_last_written_new(NULL, NULL, &t->unit)) {
		free(t);
		return NULL;
	}
	for (unsigned i = 0; i < KEYS; i++)
		t->address[i] = (uint32_t)bench_next(&random);
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned i = 0; i < 256; i++)
			t->row[byte][i] = bench_next(&random) & UINT64_C(0x01ff01ff01ff01ff);
	for (unsigned i = 0; i < KEYS; i += 2)
		if (gputm_last_written_record(t->unit, t->address[i], i))
			abort();
	return t;
}

static void teardown(void *state)
{
	struct table *t = state;

	gputm_last_written_free(t->unit);
	free(t);
}

static void record(void *state, uint64_t count)
{
	struct table *t = state;
	int error = 0;

	for (uint64_t i = 0; i < count; i++)
		error |= gputm_last_written_record(t->unit, t->address[i % KEYS], i);
	bench_use((uint64_t)error);
}

static void query(void *state, uint64_t count)
{
	struct table *t = state;
	uint64_t time, sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_last_written_query(t->unit, t->address[i % KEYS], &time))
			abort();
		sum += time;
	}
	bench_use(sum);
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

static void bound_query(void *state, uint64_t count)
{
	struct table *t = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_query(t, t->address[i % KEYS]);
	bench_use(sum);
}

static void bound_record(void *state, uint64_t count)
{
	struct table *t = state;

	for (uint64_t i = 0; i < count; i++)
		tight_record(t, t->address[i % KEYS], i);
	bench_clobber();
}

static const struct bench_op operations[] = {
	{ "last_written", "record, 4 x 512", setup, teardown, record, bound_record,
	  "gputm_last_written_record", "tight_record", 0 },
	{ "last_written", "query, 4 x 512", setup, teardown, query, bound_query,
	  "gputm_last_written_query", "tight_query", 0 },
};

BENCH_TABLE(operations)
