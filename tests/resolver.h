/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_RESOLVER_H
#define GPUTM_TESTS_RESOLVER_H
/*
 * What the tests of the two resolvers of conflicts within a warp share. Before they include it they
 * have said KIT_UNIT() and defined RESOLVER, the unit, and RESOLVER_STATS, its oracle's list.
 */
#include "tests/kit.h"

#define JOIN_(A, B) A##B
#define JOIN(A, B) JOIN_(A, B)
#define HANDLE JOIN(gputm_, RESOLVER)
#define CALL(FUNCTION) JOIN(HANDLE, FUNCTION)
#define ORACLE(FUNCTION) JOIN(JOIN(oracle_, RESOLVER), FUNCTION)
#define TURN(UNIT, handle) KIT_TURN(UNIT, handle)
#define SWAP(UNIT, handle) KIT_SWAP(UNIT, handle)
#define END(UNIT, handle) KIT_END(UNIT, handle)

static uint32_t acquire(struct HANDLE *unit, uint64_t active)
{
	uint32_t buffer = 99;

	ck_assert_int_eq(CALL(_acquire_probe)(unit, active), GPUTM_RESOLVER_ACQUIRED);
	ck_assert_int_eq(CALL(_acquire)(unit, active, &buffer), GPUTM_RESOLVER_ACQUIRED);
	return buffer;
}

static inline void same_resolution(const struct gputm_resolver_outcome *a,
				   const struct gputm_resolver_outcome *b)
{
	KIT_SAME(*a, *b, survived, aborted, initialise_cycles, construct_cycles, match_cycles,
		 log_rows, steps);
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

/* Of 32 lanes one writes past 32 bits. */
KIT_TESTS(test_resolver_every_lane_of_a_full_row_is_checked, 32)
{
	uint64_t address[32];
	const struct gputm_resolver_row row = { UINT32_MAX, address };
	const struct gputm_resolver_logs logs = { &row, &row, 0, 1 };
	struct HANDLE *unit = make(kit, NULL);
	struct gputm_resolver_outcome r;
	uint32_t b = acquire(unit, UINT32_MAX);

	for (int i = 0; i < 32; i++)
		address[i] = i == _i ? UINT64_C(1) << 32 : 4 * (uint64_t)i;
	KIT_REFUSED(-ERANGE, CALL(_resolve)(unit, b, &logs, &r), "address = 4294967296");
}

/* The logs of Fig. 6.6. */
static const uint64_t rl1[4] = { 0x04, 0x04, 0x04, 0x04 }, rl2[4] = { 0x0c, 0x08, 0x10, 0 };
static const uint64_t wl1[4] = { 0x0c, 0x08, 0x10, 0x04 }, wl2[4] = { 0x10, 0x14, 0x14, 0x08 };
static const struct gputm_resolver_row figure_read[2] = { { 0xf, rl1 }, { 0x7, rl2 } };
static const struct gputm_resolver_row figure_write[2] = { { 0xf, wl1 }, { 0xf, wl2 } };
static const struct gputm_resolver_logs figure = { figure_read, figure_write, 2, 2 };

/* ---- random ---- */

struct pair {
	struct HANDLE *unit;
	struct JOIN(oracle_, RESOLVER) oracle;
	struct gputm_resolver_outcome held[3]; /* what a buffer has answered */
};

static void release(struct pair *p, uint32_t b)
{
	ck_assert_int_eq(CALL(_release)(p->unit, b), 0);
	oracle_resolver_released(&p->oracle.stats.core, &p->held[b]);
}

static void resolve_one(struct pair *p, uint64_t words, struct kit_bytes *bytes)
{
	uint32_t lanes = p->oracle.config.lanes;
	uint64_t all = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX;
	uint64_t active = kit_draw(bytes, 2) ? all : kit_number(bytes, 8) & all;
	struct gputm_resolver_outcome r, expected;
	struct oracle_logs logs;
	uint32_t b;

	oracle_logs_draw(&logs, lanes, words, below_of_bytes, bytes);
	b = acquire(p->unit, active);
	ck_assert_int_eq(CALL(_resolve)(p->unit, b, &logs.logs, &r), 0);
	kit_valid(unit_of(p->unit));
	expected = ORACLE(_resolve)(&p->oracle, active, &logs.logs);
	same_resolution(&r, &expected);
	ck_assert(oracle_logs_serialisable(&logs.logs, r.survived));
	ck_assert_uint_eq(r.aborted & active & (~active + 1), 0); /* not the lowest lane */
	p->held[b] = r;
	if (kit_draw(bytes, 3))
		release(p, b);
	kit_valid(unit_of(p->unit));
}

/* All buffers are held: no other warp is taken until one is released. */
static void make_room(struct pair *p)
{
	uint32_t b;

	ck_assert_int_eq(CALL(_acquire)(p->unit, 1, &b), GPUTM_RESOLVER_BUSY);
	p->oracle.stats.core.refused++;
	release(p, 0);
}

/* What else the unit does once there is room. */
static void use_room(struct pair *p);

static void drive(struct kit *kit, struct kit_bytes *bytes, const struct CALL(_config) *config,
		  uint64_t words)
{
	struct pair p;

	if (CALL(_new)(kit->ctx, config, &p.unit))
		return;
	kit_observe(unit_of(p.unit));
	ORACLE(_open)(&p.oracle, config);
	while (kit_more(bytes)) {
		resolve_one(&p, words, bytes);
		if (CALL(_acquire_probe)(p.unit, 1) == GPUTM_RESOLVER_BUSY) {
			make_room(&p);
			use_room(&p);
		}
		if (kit_draw(bytes, 8) == 0)
			p.unit = SWAP(RESOLVER, p.unit);
		p.unit = TURN(RESOLVER, p.unit);
	}
	KIT_STATS(unit_of(p.unit), &p.oracle.stats, RESOLVER_STATS);
	END(RESOLVER, p.unit);
	ORACLE(_close)(&p.oracle);
}

#endif /* GPUTM_TESTS_RESOLVER_H */
