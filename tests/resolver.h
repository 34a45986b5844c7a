/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_RESOLVER_H
#define GPUTM_TESTS_RESOLVER_H
/* What the tests of the two resolvers of conflicts within a warp share. */
#include "tests/kit.h"

static inline void same_resolution(const struct gputm_resolution *a,
				   const struct gputm_resolution *b)
{
	ck_assert_uint_eq(a->survived, b->survived);
	ck_assert_uint_eq(a->aborted, b->aborted);
	ck_assert_uint_eq(a->initialise_cycles, b->initialise_cycles);
	ck_assert_uint_eq(a->construct_cycles, b->construct_cycles);
	ck_assert_uint_eq(a->match_cycles, b->match_cycles);
	ck_assert_uint_eq(a->log_rows, b->log_rows);
	ck_assert_uint_eq(a->steps, b->steps);
}

/* The sources of oracle_logs_draw(): a generator's state, the bytes of a drive. */
static inline uint64_t below_of_state(void *state, uint64_t limit)
{
	return kit_below(state, limit);
}
static inline uint64_t below_of_bytes(void *bytes, uint64_t limit)
{
	return kit_draw(bytes, limit);
}

/* Logs of 32 lanes, of which this one writes past 32 bits; the row is kept. */
static inline struct gputm_warp_logs logs_past_the_end(unsigned lane)
{
	static uint64_t address[64];
	static struct gputm_warp_row row = { UINT32_MAX, address };

	for (unsigned i = 0; i < 32; i++)
		address[i] = i == lane ? UINT64_C(1) << 32 : 4 * i;
	return (struct gputm_warp_logs){ &row, &row, 0, 1 };
}

/* The logs of Fig. 6.6. */
static const uint64_t rl1[4] = { 0x04, 0x04, 0x04, 0x04 }, rl2[4] = { 0x0c, 0x08, 0x10, 0 };
static const uint64_t wl1[4] = { 0x0c, 0x08, 0x10, 0x04 }, wl2[4] = { 0x10, 0x14, 0x14, 0x08 };
static const struct gputm_warp_row figure_read[2] = { { 0xf, rl1 }, { 0x7, rl2 } };
static const struct gputm_warp_row figure_write[2] = { { 0xf, wl1 }, { 0xf, wl2 } };
static const struct gputm_warp_logs figure = { figure_read, figure_write, 2, 2 };

#endif /* GPUTM_TESTS_RESOLVER_H */
