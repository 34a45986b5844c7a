/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stall_buffer: life, Table II, the order of waking, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/stall_buffer.h"

KIT_UNIT(stall_buffer, STALL_BUFFER);

static int queue(struct gputm_stall_buffer *b, uint64_t address, uint64_t stamp, uint64_t tag,
		 uint32_t warp)
{
	struct gputm_stall_buffer_request request = { address, stamp, tag, warp };
	int probe = gputm_stall_buffer_push_probe(b, address);

	ck_assert_int_eq(gputm_stall_buffer_push(b, &request), probe);
	return probe;
}

static uint64_t wake(struct gputm_stall_buffer *b, uint64_t address)
{
	struct gputm_stall_buffer_request probe = { 0, 0, 4711, 0 }, out = { 0, 0, 4711, 0 };
	int result = gputm_stall_buffer_wake_probe(b, address, &probe);

	ck_assert_int_eq(gputm_stall_buffer_wake(b, address, &out), result);
	ck_assert_uint_eq(out.tag, probe.tag);
	return out.tag;
}

KIT_TEST(test_stall_buffer_is_not_too_large)
{
	ck_assert_ptr_nonnull(make(kit, "lines=4096 requests=256"));
	KIT_REFUSED(-EINVAL, refuse(kit, "lines=4096 requests=257"), "lines", "4096", "requests",
		    "257");
}

/* Table V: 30 bytes for a line of four requests. */
KIT_MADE(test_table_v_line_size, b, NULL)
{
	struct gputm_storage array;

	ck_assert(gputm_unit_storage(unit_of(b), 0, &array));
	ck_assert_uint_eq(array.entries, 4);
	ck_assert_uint_le(array.bits, 240);
	ck_assert_uint_ge(array.bits, 30 * 7);
}

KIT_MADE(test_fig_9_oldest_leaves_first, b, NULL)
{
	struct gputm_stall_buffer_request fourth;

	ck_assert_int_eq(queue(b, 0x40, 30, 'a', 1), GPUTM_STALL_BUFFER_QUEUED);
	ck_assert_int_eq(queue(b, 0x44, 20, 'b', 2), GPUTM_STALL_BUFFER_QUEUED);
	ck_assert_int_eq(queue(b, 0x5f, 20, 'c', 3), GPUTM_STALL_BUFFER_QUEUED);
	ck_assert_int_eq(queue(b, 0x80, 25, 'd', 4), GPUTM_STALL_BUFFER_QUEUED);
	kit_round_trip(&stall_buffer_maker, unit_of(b));
	kit_hostile(&stall_buffer_maker, unit_of(b));
	ck_assert_int_eq(gputm_stall_buffer_get_request(b, 3, &fourth), 0);
	ck_assert_uint_eq(fourth.tag, 'd');
	KIT_REFUSED(-ERANGE, gputm_stall_buffer_get_request(b, 9, &fourth),
		    "request 9 is past the end: there are 4");
	ck_assert_uint_eq(wake(b, 0x60), 4711);
	ck_assert_uint_eq(wake(b, 0x40), 'b');
	ck_assert_uint_eq(wake(b, 0x40), 'c');
	ck_assert_uint_eq(wake(b, 0x40), 'a');
	ck_assert_uint_eq(wake(b, 0x40), 4711);
	ck_assert_uint_eq(wake(b, 0x9c), 'd');
}

KIT_MADE(test_table_ii_full_at_four_by_four, b, "address_bits=16")
{
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_int_eq(queue(b, 0x40, i, i, 0), GPUTM_STALL_BUFFER_QUEUED);
	ck_assert_int_eq(queue(b, 0x40, 9, 9, 0), GPUTM_STALL_BUFFER_NO_SLOT);
	for (uint64_t i = 1; i < 4; i++)
		ck_assert_int_eq(queue(b, 0x1000 * i, i, i, 0), GPUTM_STALL_BUFFER_QUEUED);
	ck_assert_int_eq(queue(b, 0x9000, 9, 9, 0), GPUTM_STALL_BUFFER_NO_LINE);
	ck_assert_int_eq(queue(b, 0x1000, 9, 9, 0), GPUTM_STALL_BUFFER_QUEUED);
	kit_guard(kit, unit_of(b));
	KIT_REFUSED(-ERANGE, queue(b, 0x10000, 9, 9, 0),
		    "stall_buffer", "address = 65536", "0 .. 65535");
	kit_unchanged(kit);
	ck_assert_uint_eq(wake(b, 0x3000), 3);
	ck_assert_int_eq(queue(b, 0x9000, 9, 9, 0), GPUTM_STALL_BUFFER_QUEUED);
	kit_counts(unit_of(b), "waiting_max=8 lines_max=4 no_line=1 no_slot=1");
}

struct run {
	struct gputm_stall_buffer *b;
	struct oracle_stall_buffer o;
	struct kit_bytes *bytes;
};

static int drain(struct run *r, struct gputm_stall_buffer_request *mine)
{
	int result = gputm_stall_buffer_drain(r->b, mine);

	if (result)
		ck_assert_int_eq(oracle_stall_buffer_drain(&r->o, mine->address, mine),
				 GPUTM_STALL_BUFFER_WOKEN);
	else
		ck_assert_uint_eq(r->o.count, 0);
	return result;
}

static void step(struct run *r)
{
	struct gputm_stall_buffer_request mine = { 0, 0, 0, 0 }, his = { 0, 0, 0, 0 };
	uint64_t address = kit_draw(r->bytes, 8 * 32), stamp = kit_draw(r->bytes, 6);
	uint32_t warp = kit_u32(r->bytes, 3);
	uint64_t what = kit_draw(r->bytes, 8);

	if (what < 4) {
		mine = (struct gputm_stall_buffer_request){ address, stamp, r->bytes->left, warp };
		ck_assert_int_eq(queue(r->b, address, stamp, mine.tag, warp),
				 oracle_stall_buffer_enqueue(&r->o, &mine));
	} else if (what == 4) {
		ck_assert_int_eq(gputm_stall_buffer_wake_before(r->b, address, stamp, &mine),
				 oracle_stall_buffer_wake(&r->o, address, stamp, -1, &his));
	} else if (what == 5) {
		ck_assert_int_eq(gputm_stall_buffer_wake_warp(r->b, address, warp, &mine),
				 oracle_stall_buffer_wake(&r->o, address, UINT64_MAX, warp, &his));
	} else if (what == 6 || kit_draw(r->bytes, 4)) {
		ck_assert_int_eq(gputm_stall_buffer_wake(r->b, address, &mine),
				 oracle_stall_buffer_wake(&r->o, address, UINT64_MAX, -1, &his));
	} else {
		drain(r, &mine);
		his = mine;
	}
	if (what >= 4)
		ck_assert_uint_eq(mine.tag, his.tag);
	ck_assert_uint_eq(gputm_stall_buffer_waiting(r->b), r->o.count);
}

KIT_DRIVE(stall_buffer, 36, 6000)
{
	static struct run r;
	struct gputm_stall_buffer_request out;

	memset(&r, 0, sizeof(r));
	r.bytes = bytes;
	r.o.config = (struct gputm_stall_buffer_config)GPUTM_STALL_BUFFER_CONFIG_INIT;
	r.o.config.lines = 1 + bytes->round % 6;
	r.o.config.requests = 1 + bytes->round / 6 % 6;
	if (bytes->round >= 36)
		r.o.config.granularity = 4u << kit_u32(bytes, 6);
	r.b = make_of(kit, &r.o.config);
	for (KIT_TURNS(stall_buffer, r.b))
		step(&r);
	if (bytes->thorough)
		kit_hostile(&stall_buffer_maker, unit_of(r.b));
	while (drain(&r, &out))
		kit_valid(unit_of(r.b));
	ck_assert_uint_eq(gputm_stall_buffer_waiting(r.b), 0);
	KIT_STATS_END(stall_buffer, r.b, &r.o.stats, ORACLE_STALL_BUFFER_STATS);
}
