/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of ownership_table: life, Fig. 6.6 state by state, refusals, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/ownership_table.h"

KIT_UNIT(ownership_table, OWNERSHIP_TABLE);

#define RESOLVER ownership_table
#define RESOLVER_STATS ORACLE_OWNERSHIP_TABLE_STATS
#include "tests/resolver.h"

KIT_TEST(test_ownership_table_configs)
{
	KIT_REFUSED(-EINVAL, refuse(kit, "entries=1 address_bits=8 granularity=256"),
		    "granularity = 256");
	make(kit, "entries=1 address_bits=8 granularity=128");
}

/* ---- Fig. 6.6 ---- */

/* Owners of 0x04 .. 0x14, counted from 1 as the figure does; 0 is RO. */
static void table_is(const struct gputm_ownership_table *table, uint32_t buffer, int a, int b,
		     int c, int d, int e)
{
	const int expected[5] = { a, b, c, d, e };

	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(gputm_ownership_table_owner(table, buffer, 4 + 4 * i) + 1,
				 expected[i]);
}

static void survivors_are(const struct gputm_ownership_table *table, uint32_t buffer, uint64_t mask)
{
	struct gputm_resolver_outcome r;

	ck_assert_int_eq(gputm_ownership_table_get_result(table, buffer, &r), 0);
	KIT_HAS(r, survived, mask, aborted, 0xf & ~mask);
}

/* The released index adds 17 for each round through the table; what lies beyond has no owner. */
KIT_MADE(test_ownership_table_owner_by_the_released_index, table,
	 "lanes=2 entries=64 hash=2 address_bits=16")
{
	const uint64_t address[2] = { 0, 4 * 17 };
	const struct gputm_resolver_row row = { 0x1, address }, other = { 0x2, address };
	uint32_t buffer = acquire(table, 0x3);

	ck_assert_int_eq(gputm_ownership_table_construct_row(table, buffer, &other), 0);
	ck_assert_int_eq(gputm_ownership_table_owner(table, buffer, 4 * 17), 1);
	ck_assert_int_eq(gputm_ownership_table_owner(table, buffer, 4 * 64), 1);
	ck_assert_int_eq(gputm_ownership_table_construct_row(table, buffer, &row), 0);
	ck_assert_int_eq(gputm_ownership_table_owner(table, buffer, 0), 0);
	ck_assert_int_eq(gputm_ownership_table_owner(table, buffer, 1 << 16), -1);
}

/* Entries, exact. Every table without aliasing in the figure shows the same states. */
static const uint32_t figure_table[4][2] = { { 8, 0 }, { 2048, 0 }, { 4096, 0 }, { 1, 1 } };

KIT_TESTS(test_fig_6_6_every_table_state, 4)
{
	struct gputm_ownership_table_config config = with("lanes=4");
	struct gputm_resolver_outcome whole, steps;
	struct gputm_ownership_table *table;
	uint32_t b, other;

	config.entries = figure_table[_i][0];
	config.exact = figure_table[_i][1];
	table = make_of(kit, &config);
	b = acquire(table, 0xf);
	table_is(table, b, 0, 0, 0, 0, 0);					/* 1 */
	ck_assert_int_eq(gputm_ownership_table_construct_row(table, b, &figure_write[0]), 0);
	table_is(table, b, 4, 2, 1, 3, 0);					/* 2 */
	ck_assert_int_eq(gputm_ownership_table_construct_row(table, b, &figure_write[1]), 0);
	table_is(table, b, 4, 2, 1, 1, 2);					/* 3 */
	ck_assert_int_eq(gputm_ownership_table_match_read_row(table, b, &figure_read[0]), 0);
	survivors_are(table, b, 0xf);						/* 4 */
	ck_assert_int_eq(gputm_ownership_table_match_read_row(table, b, &figure_read[1]), 0);
	survivors_are(table, b, 0xb);						/* 5 */
	ck_assert_int_eq(gputm_ownership_table_match_write_row(table, b, &figure_write[0]), 0);
	survivors_are(table, b, 0xb);						/* 6 */
	ck_assert_int_eq(gputm_ownership_table_match_write_row(table, b, &figure_write[1]), 0);
	survivors_are(table, b, 0x3);						/* 7 */
	table_is(table, b, 4, 2, 1, 1, 2);
	kit_valid(unit_of(table));
	ck_assert_int_eq(gputm_ownership_table_get_result(table, b, &steps), 0);
	ck_assert_uint_eq(steps.steps, 7);
	other = acquire(table, 0xf);
	ck_assert_int_eq(gputm_ownership_table_resolve(table, other, &figure, &whole), 0);
	same_resolution(&whole, &steps);
	kit_round_trip(&ownership_table_maker, unit_of(table));
}

/* Thesis 6.3.3: a 2K-entry table takes 16 writes of 128 bytes; so one of 4096 takes 32. */
KIT_TEST(test_ownership_table_cost_by_hand)
{
	static const struct {
		const char *preset;
		uint64_t initialise, bits;
	} expected[3] = { { "warptm-2k", 16, 3 * 2048 * 8 },
			  { "warptm", 32, 3 * 4096 * 8 },
			  { "infinite", 32, 3 * 4096 * 8 } };
	struct gputm_resolver_outcome r;

	for (unsigned i = 0; i < 3; i++) {
		struct gputm_ownership_table *table = make(kit, "%s", expected[i].preset);

		ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(table)), expected[i].bits);
		ck_assert_int_eq(gputm_ownership_table_resolve(table, acquire(table, 0xf), &figure,
							       &r),
				 0);
		KIT_HAS(r, initialise_cycles, expected[i].initialise, construct_cycles, 2 * 3,
			match_cycles, 4 * 2, log_rows, 6);
	}
}

/* A region is not owned by a lane past those that there may be. */
KIT_MADE(test_ownership_table_owner_in_a_snapshot, table, "lanes=64 exact=1 address_bits=64")
{
	const uint64_t region = 0x123456789abcde;
	const uint64_t address[64] = { 4 * region };
	const struct gputm_resolver_row row = { 1, address };

	ck_assert_int_eq(gputm_ownership_table_construct_row(table, acquire(table, 1), &row), 0);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(table), region, 8, 8, 64), "owner");
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(table), region, 8, 8, 1), "owner");
}

KIT_MADE(test_ownership_table_three_warps_at_a_time, table, NULL)
{
	uint32_t buffer = 99;

	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(acquire(table, 0xf), i);
	ck_assert_int_eq(gputm_ownership_table_acquire_probe(table, 0xf), GPUTM_RESOLVER_BUSY);
	ck_assert_int_eq(gputm_ownership_table_acquire(table, 0xf, &buffer), GPUTM_RESOLVER_BUSY);
	ck_assert_uint_eq(buffer, 99);
	ck_assert_uint_eq(kit_stat(unit_of(table), "used"), 3);
	ck_assert_int_eq(gputm_ownership_table_release(table, 1), 0);
	ck_assert_uint_eq(acquire(table, 0xf), 1);
	ck_assert_uint_eq(kit_stat(unit_of(table), "refused"), 1);
}

KIT_MADE(test_ownership_table_refusals_change_nothing, table, "lanes=4 address_bits=16")
{
	static const uint64_t wide[5] = { 4, 4, 0x10000, 4, 4 };
	const struct gputm_resolver_row beyond = { 0x1f, wide }, far = { 0xf, wide };
	const struct gputm_resolver_row fine = { 0x3, wide };
	const struct gputm_resolver_logs bad = { &fine, &far, 1, 1 };
	struct gputm_resolver_outcome r = { 4711, 0, 0, 0, 0, 0, 0 };
	uint32_t b, buffer = 99;

	KIT_REFUSED(-ERANGE, gputm_ownership_table_acquire(table, 0x10, &buffer),
		    "active = 16", "0 .. 15");
	ck_assert_uint_eq(buffer, 99);
	b = acquire(table, 0xf);
	kit_guard(kit, unit_of(table));
	KIT_REFUSED(-ERANGE, gputm_ownership_table_construct_row(table, b, &beyond),
		    "lanes of a row = 31", "0 .. 15");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_construct_row(table, b, &far),
		    "address = 65536", "0 .. 65535");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_match_read_row(table, b, &far), "");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_match_write_row(table, b, &beyond), "");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_resolve(table, b, &bad, &r), "");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_resolve(table, 3, &figure, &r),
		    "buffer = 3", "0 .. 2");
	KIT_REFUSED(-EINVAL, gputm_ownership_table_resolve(table, 1, &figure, &r),
		    "buffer 1 is not acquired");
	KIT_REFUSED(-EINVAL, gputm_ownership_table_release(table, 1), "");
	KIT_REFUSED(-ERANGE, gputm_ownership_table_release(table, 3), "");
	KIT_REFUSED(-EINVAL, gputm_ownership_table_get_result(table, 1, &r), "");
	ck_assert_uint_eq(r.survived, 4711);
	ck_assert_int_eq(gputm_ownership_table_owner(table, 1, 4), -1);
	ck_assert_int_eq(gputm_ownership_table_owner(table, 3, 4), -1);
	kit_unchanged(kit);
}

KIT_MADE(test_ownership_table_rows_come_in_phases, table, NULL)
{
	struct gputm_resolver_outcome r;
	uint32_t b;

	b = acquire(table, 0xf);
	ck_assert_int_eq(gputm_ownership_table_construct_row(table, b, &figure_write[0]), 0);
	KIT_REFUSED(-EINVAL, gputm_ownership_table_resolve(table, b, &figure, &r),
		    "has begun to resolve");
	ck_assert_int_eq(gputm_ownership_table_construct_row(table, b, &figure_write[1]), 0);
	ck_assert_int_eq(gputm_ownership_table_match_read_row(table, b, &figure_read[0]), 0);
	KIT_REFUSED(-EINVAL, gputm_ownership_table_construct_row(table, b, &figure_write[1]),
		    "has begun to look for conflicts");
	ck_assert_int_eq(gputm_ownership_table_release(table, b), 0);
	KIT_REFUSED(-EINVAL, gputm_ownership_table_construct_row(table, b, &figure_write[0]),
		    "was released");
	ck_assert_int_eq(gputm_ownership_table_match_read_row(table, b, &figure_read[0]), -EINVAL);
	ck_assert_int_eq(gputm_ownership_table_match_write_row(table, b, &figure_write[0]),
			 -EINVAL);
}

/* Lanes that have left (committed silently, say) keep their log entries: these do not count. */
KIT_MADE(test_ownership_table_inactive_lanes_do_not_count, table, NULL)
{
	static const uint64_t same[4] = { 4, 4, 4, 4 };
	const struct gputm_resolver_row row = { 0xf, same };
	const struct gputm_resolver_logs logs = { &row, &row, 1, 1 };
	struct gputm_resolver_outcome r;

	ck_assert_int_eq(gputm_ownership_table_resolve(table, acquire(table, 0xc), &logs, &r), 0);
	KIT_HAS(r, survived, 0x4, aborted, 0x8);
	ck_assert_int_eq(gputm_ownership_table_resolve(table, acquire(table, 0), &logs, &r), 0);
	ck_assert_uint_eq(r.survived | r.aborted, 0);
}

KIT_MADE(test_ownership_table_exact_without_memory, table, "exact=1")
{
	struct gputm_resolver_outcome r;
	uint32_t b;

	b = acquire(table, 0xf);
	kit_guard(kit, unit_of(table));
	for (int i = 0; i < 2; i++) { /* the entries, then their index */
		kit->fail_at = kit->allocations + i;
		KIT_REFUSED(-ENOMEM, gputm_ownership_table_resolve(table, b, &figure, &r), "");
		kit_unchanged(kit);
	}
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_ownership_table_resolve(table, b, &figure, &r), 0);
	ck_assert_uint_eq(r.survived, 0x3);
}

/* ---- random ---- */

/* lanes, entries, granularity, hash, exact, bytes of an access, words, buffers */
static const uint32_t geometry[][8] = {
	{ 32, 4096, 4, 0, 0, 128, 300, 3 },
	{ 32, 1, 4, 0, 0, 128, 300, 3 },
	{ 4, 8, 4, 0, 0, 1, 12, 3 },
	{ 64, 16, 8, 1, 0, 4, 4000, 3 },
	{ 32, 4096, 4, 1, 0, 128, 300, 3 },
	{ 17, 2, 32, 0, 0, 2, 90, 3 },
	{ 30, 4096, 4, 0, 0, 128, 300, 3 },
	{ 32, 64, 4, 0, 1, 128, 300, 3 },
	{ 64, 1, 128, 0, 1, 128, 900, 3 },
	{ 1, 256, 4, 1, 0, 64, 8, 3 },
	{ 32, 64, 4, 2, 0, 128, 3000, 3 },
};

static void use_room(struct pair *p)
{
}

KIT_DRIVE(ownership_table, KIT_COUNT(geometry), 80000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 64),  1u << kit_u32(bytes, 13),
				 1u << kit_u32(bytes, 8), kit_u32(bytes, 3),
				 kit_u32(bytes, 2),       128,
				 1 + kit_u32(bytes, 256), 1 + kit_u32(bytes, 3) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_ownership_table_config config =
		with("lanes=%u entries=%u granularity=%u hash=%u exact=%u access_bytes=%u "
		     "buffers=%u seed=%d",
		     g[0], g[1], g[2], g[3], g[4], g[5], g[7], bytes->round);

	config.log_cycles = 1 + bytes->round % 3;
	drive(kit, bytes, &config, g[6]);
}

/* 32 active lanes of 64: what stands in the places of the others is no address. */
KIT_MADE(test_ownership_table_idle_lanes_have_no_address, table, "lanes=64")
{
	uint64_t address[64];
	const struct gputm_resolver_row row = { UINT32_MAX, address };
	const struct gputm_resolver_logs logs = { &row, &row, 0, 1 };
	struct gputm_resolver_outcome r;

	for (unsigned i = 0; i < 64; i++)
		address[i] = i < 32 ? 4 * i : UINT64_MAX;
	ck_assert_int_eq(gputm_ownership_table_resolve(table, acquire(table, UINT32_MAX), &logs,
						       &r), 0);
	ck_assert_uint_eq(r.survived, UINT32_MAX);
}

KIT_MADE(test_ownership_table_tells_an_observer, table, NULL)
{
	struct gputm_resolver_outcome r;
	uint32_t b;

	acquire(table, 0xf);
	kit_observe(unit_of(table)); /* from now on */
	b = acquire(table, 0xf);
	ck_assert_int_eq(gputm_ownership_table_resolve(table, b, &figure, &r), 0);
	ck_assert_int_eq(gputm_ownership_table_release(table, b), 0);
	KIT_TOLD("acquire", 1, 1, 0xf);
	KIT_TOLD("construct", 2, 1, 0xf);
	KIT_TOLD("match", 4, 1, 0xf, 0xc, 1);
	KIT_TOLD("release", 1, 1, 0x3, 0xc, 32 + 6 + 8);
}
