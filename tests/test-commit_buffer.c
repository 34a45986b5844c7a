/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_buffer: life, timing, coalescing, misuse, advance = ticks, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/commit_buffer.h"

KIT_UNIT(commit_buffer, COMMIT_BUFFER);

static int push(struct gputm_commit_buffer *b, uint64_t address, uint32_t warp, uint32_t value,
		bool cleanup)
{
	struct gputm_commit_buffer_entry entry = { address, 1, warp, value, 1, cleanup };
	int probe = gputm_commit_buffer_push_probe(b, &entry);

	ck_assert_int_eq(gputm_commit_buffer_push(b, &entry), probe);
	return probe;
}

/* V-C: half of the 32 kB of its predecessors. */
KIT_MADE(test_v_c_sixteen_kilobytes, b, NULL)
{
	ck_assert_uint_eq(gputm_unit_storage_bits(unit_of(b)), 16384 * 8);
}

/* The example of the source file: two writes of warp 3 go together, that of warp 5 after. */
KIT_MADE(test_timing_block, b, NULL)
{
	struct gputm_commit_buffer_release release;
	struct gputm_mem_request request;

	ck_assert_int_eq(push(b, 0x40, 3, 7, false), GPUTM_COMMIT_BUFFER_ACCEPTED);
	ck_assert_int_eq(push(b, 0x44, 3, 8, false), GPUTM_COMMIT_BUFFER_JOINED);
	ck_assert_int_eq(push(b, 0x48, 5, 9, false), GPUTM_COMMIT_BUFFER_ACCEPTED);
	ck_assert_int_eq(push(b, 0x60, 5, 0, true), GPUTM_COMMIT_BUFFER_ACCEPTED);
	ck_assert(!gputm_commit_buffer_mem_peek(b, &request));
	ck_assert(!gputm_commit_buffer_mem_pop(b));
	ck_assert(!gputm_commit_buffer_mem_take(b, &request));
	ck_assert_uint_eq(gputm_commit_buffer_next_event(b), 0);
	ck_assert_int_eq(gputm_commit_buffer_tick(b) & GPUTM_COMMIT_BUFFER_OFFER_WRITE,
			 GPUTM_COMMIT_BUFFER_OFFER_WRITE);
	ck_assert(gputm_commit_buffer_mem_peek(b, &request));
	KIT_HAS(request, address, 0x40, word_mask, 3);
	ck_assert_uint_eq(request.value[1], 8);
	ck_assert(request.write);
	/* The port is taken: nothing happens. */
	ck_assert_uint_eq(gputm_commit_buffer_next_event(b), UINT64_MAX);
	gputm_commit_buffer_tick(b);
	ck_assert_int_eq(gputm_commit_buffer_mem_complete(b, request.tag), -EINVAL);
	ck_assert(gputm_commit_buffer_mem_pop(b));
	gputm_commit_buffer_tick(b);
	gputm_commit_buffer_tick(b);
	kit_round_trip(&commit_buffer_maker, unit_of(b));
	kit_hostile(&commit_buffer_maker, unit_of(b));
	ck_assert(gputm_commit_buffer_peek(b, &release)); /* the clean-up */
	ck_assert_uint_eq(release.address, 0x60);
	ck_assert(!release.committed);
	ck_assert(gputm_commit_buffer_pop(b));
	ck_assert(!gputm_commit_buffer_peek(b, &release));
	ck_assert_int_eq(gputm_commit_buffer_mem_complete(b, request.tag), 0);
	KIT_REFUSED(-EINVAL, gputm_commit_buffer_mem_complete(b, request.tag), "tag");
	ck_assert(gputm_commit_buffer_peek(b, &release));
	KIT_HAS(release, count, 2, warp, 3);
	ck_assert(release.committed);
	ck_assert(gputm_commit_buffer_pop(b));
	ck_assert(!gputm_commit_buffer_pop(b));
	ck_assert_uint_eq(gputm_commit_buffer_writes(b), 1);
}

/* A write has the lowest tag that no write in flight has. */
KIT_MADE(test_commit_buffer_tags_of_many_writes, b, "blocks=130")
{
	struct gputm_mem_request request;

	for (uint32_t i = 0; i < 133; i++) {
		ck_assert_int_eq(push(b, 32 * i, i, 7, false), GPUTM_COMMIT_BUFFER_ACCEPTED);
		gputm_commit_buffer_tick(b);
		ck_assert(gputm_commit_buffer_mem_take(b, &request));
		ck_assert_uint_eq(request.tag, i < 130 ? i : 259 - i);
		if (i < 129)
			continue;
		ck_assert_int_eq(gputm_commit_buffer_mem_complete(b, 258 - i), 0);
		ck_assert(gputm_commit_buffer_pop(b));
	}
}

KIT_MADE(test_commit_buffer_full_and_misuse, b, "blocks=2 address_bits=16")
{
	struct gputm_commit_buffer_entry entry = { 0, 1, 1, 1, 1, false };

	ck_assert_int_eq(push(b, 0, 1, 1, false), GPUTM_COMMIT_BUFFER_ACCEPTED);
	ck_assert_int_eq(push(b, 32, 1, 1, false), GPUTM_COMMIT_BUFFER_ACCEPTED);
	ck_assert_int_eq(push(b, 64, 1, 1, false), GPUTM_COMMIT_BUFFER_FULL);
	ck_assert_int_eq(push(b, 4, 1, 1, false), GPUTM_COMMIT_BUFFER_JOINED);
	ck_assert_int_eq(push(b, 4, 1, 1, true), GPUTM_COMMIT_BUFFER_FULL);
	kit_guard(kit, unit_of(b));
	KIT_REFUSED(-ERANGE, push(b, 1 << 16, 1, 1, false), "address = 65536");
	KIT_REFUSED(-EINVAL, push(b, 2, 1, 1, false), "");
	KIT_REFUSED(-EINVAL, push(b, 0xffff, 1, 1, false), "multiple of 4");
	entry.count = 0;
	KIT_REFUSED(-EINVAL, gputm_commit_buffer_push(b, &entry), "");
	entry.count = UINT32_MAX;
	KIT_REFUSED(-ERANGE, gputm_commit_buffer_push(b, &entry),
		    "count = 4294967295 does not fit: the block at 0x0 has 2 writes already");
	kit_unchanged(kit);
	entry.count = UINT32_MAX - 2;
	ck_assert_int_eq(gputm_commit_buffer_push(b, &entry), GPUTM_COMMIT_BUFFER_JOINED);
	KIT_REFUSED(-ERANGE, push(b, 0, 1, 1, false), "has 4294967295 writes already");
}

struct run {
	struct gputm_commit_buffer *b;
	struct oracle_commit_buffer o;
	struct kit_bytes *bytes;
	struct {
		uint64_t tag;
		int block;
	} flying[64];
	unsigned flights;
};

static void do_push(struct run *r)
{
	struct gputm_commit_buffer_entry e = { kit_draw(r->bytes, 64) * 4, kit_draw(r->bytes, 2),
					kit_u32(r->bytes, 2),
					(uint32_t)kit_number(r->bytes, 4),
					1 + kit_u32(r->bytes, 3),
					kit_draw(r->bytes, 4) == 0 };
	int probe = gputm_commit_buffer_push_probe(r->b, &e);

	ck_assert_int_eq(gputm_commit_buffer_push(r->b, &e), probe);
	ck_assert_int_eq(oracle_commit_buffer_push(&r->o, &e), probe);
}

static void do_memory(struct run *r)
{
	struct gputm_mem_request mine, his;
	int block = oracle_commit_buffer_port(&r->o, &his);

	ck_assert_int_eq(gputm_commit_buffer_mem_peek(r->b, &mine), block >= 0);
	if (block < 0 || r->flights == 64)
		return;
	KIT_SAME(mine, his, address, word_mask);
	for (EACH_LANE(i, mine.word_mask))
		ck_assert_uint_eq(mine.value[i], his.value[i]);
	ck_assert(gputm_commit_buffer_mem_pop(r->b));
	oracle_commit_buffer_pop(&r->o, block);
	r->flying[r->flights].tag = mine.tag;
	r->flying[r->flights++].block = block;
}

static void do_complete(struct run *r)
{
	unsigned i;

	if (!r->flights) {
		ck_assert_int_eq(gputm_commit_buffer_mem_complete(r->b, kit_draw(r->bytes, 256)),
				 -EINVAL);
		return;
	}
	i = kit_u32(r->bytes, r->flights);
	ck_assert_int_eq(gputm_commit_buffer_mem_complete(r->b, r->flying[i].tag), 0);
	oracle_commit_buffer_complete(&r->o, r->flying[i].block);
	r->flying[i] = r->flying[--r->flights];
}

static bool do_release(struct run *r)
{
	struct gputm_commit_buffer_release mine, his = { 0 };
	bool any = oracle_commit_buffer_release(&r->o, &his);

	ck_assert_int_eq(gputm_commit_buffer_peek(r->b, &mine), any);
	ck_assert_int_eq(gputm_commit_buffer_pop(r->b), any);
	if (!any)
		return false;
	KIT_SAME(mine, his, address, count, warp, sequence, committed);
	return true;
}

static void do_ticks(struct run *r)
{
	uint64_t cycles = kit_draw(r->bytes, 4);

	if (kit_draw(r->bytes, 2)) {
		gputm_commit_buffer_advance(r->b, cycles);
	} else {
		for (uint64_t i = 0; i < cycles; i++) {
			uint64_t next = gputm_commit_buffer_next_event(r->b);
			uint64_t before = kit_stat(unit_of(r->b), "written") +
					  kit_stat(unit_of(r->b), "cleaned");

			gputm_commit_buffer_tick(r->b);
			ck_assert_int_eq(next == 0,
					 before != kit_stat(unit_of(r->b), "written") +
							   kit_stat(unit_of(r->b), "cleaned"));
		}
	}
	while (cycles--)
		oracle_commit_buffer_tick(&r->o);
}

KIT_DRIVE(commit_buffer, 30, 6000)
{
	static struct run r;

	memset(&r, 0, sizeof(r));
	r.bytes = bytes;
	r.o.config = (struct gputm_commit_buffer_config)GPUTM_COMMIT_BUFFER_CONFIG_INIT;
	r.o.config.blocks = 1 + kit_u32(bytes, 20);
	r.o.config.block_bytes = 4u << kit_u32(bytes, 6);
	r.o.config.granularity = 4u << kit_u32(bytes, 6);
	r.o.config.window = kit_u32(bytes, 6);
	r.b = make_of(kit, &r.o.config);
	for (KIT_TURNS(commit_buffer, r.b)) {
		uint64_t what = kit_draw(bytes, 8);

		if (what < 3)
			do_push(&r);
		else if (what < 5)
			do_ticks(&r);
		else if (what == 5)
			do_memory(&r);
		else if (what == 6)
			do_complete(&r);
		else
			do_release(&r);
		ck_assert_uint_eq(gputm_commit_buffer_writes(r.b),
				  oracle_commit_buffer_writes(&r.o));
	}
	while (gputm_commit_buffer_writes(r.b)) {
		gputm_commit_buffer_tick(r.b);
		oracle_commit_buffer_tick(&r.o);
		do_memory(&r);
		do_complete(&r);
		do_release(&r);
	}
	ck_assert(!do_release(&r));
	KIT_STATS_END(commit_buffer, r.b, &r.o.stats, ORACLE_COMMIT_BUFFER_STATS);
}
