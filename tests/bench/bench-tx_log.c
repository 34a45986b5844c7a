/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_log, 32 lanes and 6 partitions, a transaction of eight reads and eight writes. The
 * bound keeps the entries in plain arrays and a mask per row; it checks nothing and counts
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/tx_log.h"
#include "tests/bench/bench.h"

#define LANES 32
#define ROWS 8
#define PARTITIONS 6

struct logs {
	struct gputm_tx_log *log;
	uint64_t address[ROWS][LANES];
	uint32_t value[LANES];
	uint64_t signature[LANES];
	uint64_t row_mask[ROWS], row_address[ROWS][LANES];
	uint32_t row_value[ROWS][LANES], rows;
};

BENCH_TIGHT static void tight_append(struct logs *s, uint64_t lanes, const uint64_t *address)
{
	uint64_t mask = lanes;

	if (mask == UINT32_MAX) { /* a whole row */
		memcpy(s->row_address[s->rows], address, sizeof(s->row_address[0]));
		memcpy(s->row_value[s->rows], s->value, sizeof(s->row_value[0]));
		mask = 0;
	}
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(m);

		s->row_address[s->rows][lane] = address[lane];
		s->row_value[s->rows][lane] = s->value[lane];
	}
	s->row_mask[s->rows] = lanes;
	s->rows = (s->rows + 1) % ROWS;
}

BENCH_TIGHT static uint64_t tight_suspects(const struct logs *s, const uint64_t *address)
{
	uint64_t through = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		through |= (s->signature[lane] >> (address[lane] >> 2 & 63) & 1) << lane;
	return through;
}

BENCH_TIGHT static uint64_t tight_group(const uint64_t *address, uint64_t *lanes_of)
{
	uint64_t set = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned p = (uint32_t)address[lane] / 256 % PARTITIONS;

		lanes_of[p] = (set >> p & 1 ? lanes_of[p] : 0) | UINT64_C(1) << lane;
		set |= UINT64_C(1) << p;
	}
	return set;
}

static void *setup(void)
{
	struct logs *s = calloc(1, sizeof(*s));
	uint64_t random = 1;

	if (!s || gputm_tx_log_new(NULL, NULL, &s->log)) {
		free(s);
		return NULL;
	}
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			s->address[r][lane] = bench_next(&random) >> 40 << 2;
	for (unsigned lane = 0; lane < LANES; lane++)
		s->signature[lane] = bench_next(&random) & bench_next(&random);
	return s;
}

static void *setup_written(void)
{
	struct logs *s = setup();

	for (unsigned r = 0; s && r < ROWS / 2; r++)
		if (gputm_tx_log_append_write(s->log, UINT32_MAX, s->address[r], s->value) < 0)
			abort();
	return s;
}

static void teardown(void *state)
{
	struct logs *s = state;

	gputm_tx_log_free(s->log);
	free(s);
}

static void begin_again(struct logs *s, uint64_t i)
{
	if (i % ROWS == 0 && gputm_tx_log_restart(s->log, UINT32_MAX))
		abort();
}

static void reads(void *state, uint64_t count)
{
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++) {
		begin_again(s, i);
		if (gputm_tx_log_append_read(s->log, UINT32_MAX, s->address[i % ROWS],
					      s->value) < 0)
			abort();
	}
}

static void writes(void *state, uint64_t count)
{
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++) {
		begin_again(s, i);
		if (gputm_tx_log_append_write(s->log, UINT32_MAX, s->address[i % ROWS],
					      s->value) < 0)
			abort();
	}
}

static void few(void *state, uint64_t count)
{
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++) {
		begin_again(s, i);
		if (gputm_tx_log_append_write(s->log, 0x11, s->address[i % ROWS], s->value) < 0)
			abort();
	}
}

static void lookups(void *state, uint64_t count)
{
	struct gputm_tx_log_lookup own;
	struct logs *s = state;
	uint32_t value[LANES];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_tx_log_lookup_own_writes(s->log, UINT32_MAX, s->address[4 + i % 4], value,
						   &own))
			abort();
		sum += own.rows;
	}
	bench_use(sum);
}

static void groups(void *state, uint64_t count)
{
	uint64_t lanes_of[PARTITIONS], set = 0, sum = 0;
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_tx_log_get_group(s->log, GPUTM_TX_LOG_WRITE, i % 4, UINT32_MAX, lanes_of,
					   &set))
			abort();
		sum += set;
	}
	bench_use(sum);
}

static void bound_append(void *state, uint64_t count)
{
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++)
		tight_append(s, UINT32_MAX, s->address[i % ROWS]);
	bench_clobber();
}

static void bound_few(void *state, uint64_t count)
{
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++)
		tight_append(s, 0x11, s->address[i % ROWS]);
	bench_clobber();
}

static void bound_lookups(void *state, uint64_t count)
{
	struct logs *s = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_suspects(s, s->address[4 + i % 4]);
	bench_use(sum);
}

static void bound_groups(void *state, uint64_t count)
{
	uint64_t lanes_of[PARTITIONS], sum = 0;
	struct logs *s = state;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_group(s->address[i % 4], lanes_of);
	bench_use(sum);
}

static const struct bench_op operations[] = {
	{ "tx_log", "append read, per lane of 32", setup, teardown, reads, bound_append,
	  "gputm_tx_log_append_read", "tight_append", LANES },
	{ "tx_log", "append write, per lane of 32", setup, teardown, writes, bound_append,
	  "gputm_tx_log_append_write", "tight_append", LANES },
	{ "tx_log", "append write, 2 lanes of 32", setup, teardown, few, bound_few,
	  "gputm_tx_log_append_write", "tight_append", 0 },
	{ "tx_log", "own writes, filtered, per lane of 32", setup_written, teardown, lookups,
	  bound_lookups, "gputm_tx_log_lookup_own_writes", "tight_suspects", LANES },
	{ "tx_log", "group by partition, per lane of 32", setup_written, teardown, groups,
	  bound_groups, "gputm_tx_log_get_group", "tight_group", LANES },
};

BENCH_TABLE(operations)
