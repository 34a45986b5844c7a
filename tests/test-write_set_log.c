/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of write_set_log: life, chunks and streams, rounds, misuse, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/write_set_log.h"

KIT_UNIT(write_set_log, WRITE_SET_LOG);
#define SMALL "region_bytes=4096 threads=2 chunk_bytes=32"


#define EARLY GPUTM_WRITE_SET_LOG_STREAM_EARLY
#define SHIP GPUTM_WRITE_SET_LOG_STREAM_SHIP
#define REPLAY GPUTM_WRITE_SET_LOG_STREAM_REPLAY

static void append(struct gputm_write_set_log *log, uint32_t thread, uint64_t address,
		   uint64_t stamp)
{
	ck_assert_int_eq(gputm_write_set_log_append(log, thread, address, (uint32_t)stamp, stamp),
			 0);
}

/* Pop a chunk that must be this thread's with this many entries, the first at `address`. */
static void expect(struct gputm_write_set_log *log, enum gputm_write_set_log_stream stream,
		   bool partial, uint32_t thread, uint32_t count, uint64_t address)
{
	struct gputm_write_set_log_chunk chunk;

	ck_assert_int_eq(gputm_write_set_log_cut(log, stream, partial, &chunk),
			 GPUTM_WRITE_SET_LOG_CHUNK);
	KIT_HAS(chunk, thread, thread, count, count);
	ck_assert_uint_eq(chunk.entry[0].address, address);
	KIT_HAS(chunk, bytes, count * 16, round, gputm_write_set_log_round(log));
}

static void expect_none(struct gputm_write_set_log *log, enum gputm_write_set_log_stream stream,
			bool partial)
{
	struct gputm_write_set_log_chunk chunk;

	ck_assert_int_eq(gputm_write_set_log_cut(log, stream, partial, &chunk),
			 GPUTM_WRITE_SET_LOG_NONE);
}

/* The example that opens the source. */
KIT_MADE(test_write_set_log_streams_go_their_own_ways, log, SMALL)
{
	append(log, 0, 0, 1);
	append(log, 0, 4, 2);
	append(log, 1, 8, 3);
	append(log, 0, 12, 4);
	expect(log, SHIP, false, 0, 2, 0);
	expect_none(log, SHIP, false);
	expect(log, EARLY, false, 0, 2, 0);
	ck_assert_uint_eq(gputm_write_set_log_pending(log, SHIP), 2);
	ck_assert_uint_eq(gputm_write_set_log_pending(log, REPLAY), 4);
	kit_round_trip(&write_set_log_maker, unit_of(log));
	expect(log, SHIP, true, 1, 1, 8);
	expect(log, SHIP, true, 0, 1, 12);
	expect_none(log, SHIP, true);
	kit_valid(unit_of(log));
	ck_assert_int_eq(gputm_write_set_log_begin(log), 0);
	ck_assert_uint_eq(gputm_write_set_log_round(log), 1);
	expect_none(log, REPLAY, true); /* gone with the round */
	kit_counts(unit_of(log), "before=4 shipped=4 early=2");
}

/* IV-D: 48 KB, at 16 bytes an entry: the chunk is full with entry 3,072 and not before. */
KIT_MADE(test_write_set_log_chunks_are_tight, log, "region_bytes=4096 threads=1 chunk_bytes=49152")
{
	for (uint64_t i = 1; i < 3072; i++)
		append(log, 0, i % 1024 * 4, i);
	expect_none(log, SHIP, false);
	append(log, 0, 0, 3072);
	append(log, 0, 0, 3073);
	expect(log, SHIP, false, 0, 3072, 4);
	expect(log, SHIP, true, 0, 1, 0);
}

KIT_MADE(test_write_set_log_misuse_changes_nothing, log, SMALL)
{
	struct gputm_write_set_log_chunk chunk;

	append(log, 1, 4, 7);
	kit_guard(kit, unit_of(log));
	KIT_REFUSED(-ERANGE, gputm_write_set_log_append(log, 2, 0, 0, 8),
		    "write_set_log", "thread = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_write_set_log_append(log, 1, 4096, 0, 8),
		    "address = 4096", "0 .. 4095");
	KIT_REFUSED(-EINVAL, gputm_write_set_log_append(log, 1, 6, 0, 8),
		    "address = 6", "multiple of 4");
	KIT_REFUSED(-ERANGE, gputm_write_set_log_append(log, 1, 8, 0, 6),
		    "stamp = 6", "7 .. 4294967295");
	KIT_REFUSED(-ERANGE, gputm_write_set_log_append(log, 0, 8, 0, 0), "");
	KIT_REFUSED(-ERANGE, gputm_write_set_log_append(log, 0, 8, 0, UINT64_C(1) << 32), "");
	KIT_REFUSED(-EINVAL, gputm_write_set_log_begin(log), "pending = 1");
	KIT_REFUSED(-ERANGE, gputm_write_set_log_cut(log, (enum gputm_write_set_log_stream)3, true,
						     &chunk), "stream = 3", "0 .. 2");
	ck_assert_uint_eq(gputm_write_set_log_pending(log, (enum gputm_write_set_log_stream)3), 0);
	kit_unchanged(kit);
	kit_guard(kit, NULL);
	KIT_REFUSED(-EINVAL, refuse(kit, "chunk_bytes=16 entry_bytes=17"), "entry_bytes = 17",
		    "chunk_bytes = 16");
}

/* No memory for one more entry: nothing is appended. */
KIT_MADE(test_write_set_log_without_memory_appends_nothing, log,
	 "region_bytes=4096 threads=1 chunk_bytes=32")
{
	uint64_t stamp = 1, digest;
	int error = 0;

	append(log, 0, 0, stamp);
	kit->fail_at = kit->allocations;
	while (!error) {
		digest = kit_digest(unit_of(log));
		error = gputm_write_set_log_append(log, 0, 0, 0, ++stamp);
	}
	ck_assert_int_eq(error, -ENOMEM);
	ck_assert_uint_eq(kit_digest(unit_of(log)), digest);
	kit->fail_at = -1;
	append(log, 0, 0, stamp);
}

static void compare_pop(struct gputm_write_set_log *log, struct oracle_write_set_log *o,
			unsigned stream, bool partial)
{
	struct gputm_write_set_log_entry entry[16];
	struct gputm_write_set_log_chunk chunk, expected;
	int answer = oracle_write_set_log_pop(o, stream, partial, entry, &expected);

	ck_assert_int_eq(gputm_write_set_log_cut(log, (enum gputm_write_set_log_stream)stream,
						 partial, &chunk),
			 answer);
	if (answer != GPUTM_WRITE_SET_LOG_CHUNK)
		return;
	KIT_SAME(chunk, expected, thread, count, round, bytes);
	for (uint32_t i = 0; i < chunk.count; i++) {
		KIT_SAME(chunk.entry[i], entry[i], address, stamp, value);
	}
}

static void step(struct gputm_write_set_log *log, struct oracle_write_set_log *o,
		 uint64_t *stamp, struct kit_bytes *bytes)
{
	uint32_t thread = kit_u32(bytes, o->config.threads + 1);
	unsigned what = (unsigned)kit_draw(bytes, 16);

	if (what < 10 && o->count < ORACLE_WRITE_SET_LOG_MOST) {
		uint64_t word = kit_draw(bytes, 1100);
		uint64_t address = word * (kit_draw(bytes, 30) ? 4 : 3);
		uint32_t value = (uint32_t)kit_number(bytes, 1);

		*stamp += kit_draw(bytes, 3);
		ck_assert_int_eq(gputm_write_set_log_append(log, thread, address, value, *stamp),
				 oracle_write_set_log_append(o, thread, address, value, *stamp));
	} else if (what < 15) {
		unsigned stream = (unsigned)kit_draw(bytes, 4);

		compare_pop(log, o, stream, kit_draw(bytes, 3) == 0);
	} else {
		ck_assert_int_eq(gputm_write_set_log_begin(log), oracle_write_set_log_begin(o));
	}
	for (unsigned s = 0; s < 3; s++)
		ck_assert_uint_eq(gputm_write_set_log_pending(
					  log, (enum gputm_write_set_log_stream)s),
				  oracle_write_set_log_pending(o, s));
	ck_assert_uint_eq(gputm_write_set_log_round(log), o->round);
}

static const uint32_t geometry[][2] = { { 1, 1 }, { 2, 2 }, { 8, 16 }, { 3, 5 } };

KIT_DRIVE(write_set_log, KIT_COUNT(geometry), 20000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 8), 1 + kit_u32(bytes, 16) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_write_set_log *log =
		make(kit, "region_bytes=4096 threads=%u chunk_bytes=%u", g[0], 16 * g[1]);
	static struct oracle_write_set_log o;
	uint64_t stamp = 1;

	ORACLE_OPEN(&o, gputm_unit_config(unit_of(log)));
	for (KIT_TURNS(write_set_log, log))
		step(log, &o, &stamp, bytes);
	KIT_STATS_END(write_set_log, log, &o.stats, ORACLE_WRITE_SET_LOG_STATS);
}

KIT_MADE(test_write_set_log_tells_its_observer, log, SMALL)
{
	append(log, 1, 16, 5);
	expect(log, SHIP, true, 1, 1, 16);
	ck_assert_int_eq(gputm_write_set_log_begin(log), 0);
	KIT_TOLD("append", 1, 1, 16, 5, 5);
	KIT_TOLD("cut", 1, SHIP, 1, 1, 0);
	KIT_TOLD("begin", 1, 1, 1);
}
