/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_log, 32 lanes and 6 partitions, a transaction of eight reads and eight writes. The
 * bound keeps the entries in plain arrays and a mask per row; it checks nothing and counts
 * nothing.
 */
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

BENCH_SETUP(setup, struct logs *s)
{
	uint64_t random = 1;

	bench_must(gputm_tx_log_new(NULL, NULL, &s->log));
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			s->address[r][lane] = bench_next(&random) >> 40 << 2;
	for (unsigned lane = 0; lane < LANES; lane++)
		s->signature[lane] = bench_next(&random) & bench_next(&random);
}

BENCH_SETUP(setup_written, struct logs *s)
{
	setup(s, 0);
	for (unsigned r = 0; r < ROWS / 2; r++)
		bench_must(gputm_tx_log_append_write(s->log, UINT32_MAX, s->address[r], s->value));
}

static void begin_again(struct logs *s, uint64_t i)
{
	if (i % ROWS == 0 && gputm_tx_log_restart(s->log, UINT32_MAX))
		abort();
}

BENCH_LOOP(reads, struct logs *s)
{
	begin_again(s, i);
	bench_must(gputm_tx_log_append_read(s->log, UINT32_MAX, s->address[i % ROWS],
				      s->value));
	return 0;
}

BENCH_LOOP(writes, struct logs *s)
{
	begin_again(s, i);
	bench_must(gputm_tx_log_append_write(s->log, UINT32_MAX, s->address[i % ROWS],
				      s->value));
	return 0;
}

BENCH_LOOP(few, struct logs *s)
{
	begin_again(s, i);
	bench_must(gputm_tx_log_append_write(s->log, 0x11, s->address[i % ROWS], s->value));
	return 0;
}

BENCH_LOOP(lookups, struct logs *s)
{
	struct gputm_tx_log_lookup own;
	uint32_t value[LANES];

	if (gputm_tx_log_lookup_own_writes(s->log, UINT32_MAX, s->address[4 + i % 4], value,
					   &own))
		abort();
	return own.rows;
}

BENCH_LOOP(groups, struct logs *s)
{
	uint64_t lanes_of[PARTITIONS], set = 0;

	if (gputm_tx_log_get_group(s->log, GPUTM_TX_LOG_KIND_WRITE, i % 4, UINT32_MAX, lanes_of,
				   &set))
		abort();
	return set;
}

BENCH_DO(bound_append, struct logs *s, tight_append(s, UINT32_MAX, s->address[i % ROWS]))

BENCH_DO(bound_few, struct logs *s, tight_append(s, 0x11, s->address[i % ROWS]))

BENCH_TURN(bound_lookups, struct logs *s, tight_suspects(s, s->address[4 + i % 4]))

BENCH_LOOP(bound_groups, struct logs *s)
{
	uint64_t lanes_of[PARTITIONS];

	return tight_group(s->address[i % 4], lanes_of);
}

static const struct bench_op operations[] = {
	{ "append read, per lane of 32", setup, 0, reads, "gputm_tx_log_append_read",
	  .bound = bound_append, .bound_inside = "tight_append", .per_turn = LANES },
	{ "append write, per lane of 32", setup, 0, writes, "gputm_tx_log_append_write",
	  .bound = bound_append, .bound_inside = "tight_append", .per_turn = LANES },
	{ "append write, 2 lanes of 32", setup, 0, few, "gputm_tx_log_append_write",
	  .bound = bound_few, .bound_inside = "tight_append" },
	{ "own writes, filtered, per lane of 32", setup_written, 0, lookups,
	  "gputm_tx_log_lookup_own_writes",
	  .bound = bound_lookups, .bound_inside = "tight_suspects", .per_turn = LANES },
	{ "group by partition, per lane of 32", setup_written, 0, groups, "gputm_tx_log_get_group",
	  .bound = bound_groups, .bound_inside = "tight_group", .per_turn = LANES },
};

BENCH_TABLE("tx_log", struct logs, operations)
