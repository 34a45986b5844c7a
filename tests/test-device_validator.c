/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of device_validator: life, conflicts, newer and older writes, replay, misuse, the
 * oracle, and that any order of chunks leaves the CPU's last writes.
 */
#include "tests/kit.h"
#include "tests/oracle/device_validator.h"

KIT_UNIT(device_validator, DEVICE_VALIDATOR);
KIT_MAKER(access_bitmap, ACCESS_BITMAP);

#define REGION 1024
#define WORDS (REGION / 4)

enum {
	APPLY = GPUTM_DEVICE_VALIDATOR_MODE_APPLY,
	EARLY = GPUTM_DEVICE_VALIDATOR_MODE_EARLY,
	REPLAY = GPUTM_DEVICE_VALIDATOR_MODE_REPLAY,
};

struct world {
	struct gputm_device_validator *validator;
	struct gputm_access_bitmap *reads;
};

static struct world world_of(struct kit *kit, uint32_t lanes, uint32_t granule)
{
	return (struct world){
		make(kit, "region_bytes=%d lanes=%u entry_cycles=10 lock_cycles=3", REGION, lanes),
		kit_make_as(kit, &access_bitmap_maker, "region_bytes=%d granule=%u", REGION,
			    granule),
	};
}

/* Two pages of stamps. */
static struct world two_pages(struct kit *kit)
{
	return (struct world){ make(kit, "region_bytes=65536"),
			       kit_make_as(kit, &access_bitmap_maker, "region_bytes=65536") };
}

/* Push entries; `result` is what came out, `apply` which of the first 64 are to be written. */
static uint64_t push(struct world *w, const struct gputm_write_set_log_entry *entry, uint32_t count,
		     int mode, struct gputm_device_validator_result *result)
{
	struct gputm_write_set_log_chunk chunk = { entry, count, 0, 0, 0 };
	uint64_t apply[4] = { 0 };

	ck_assert_int_eq(gputm_device_validator_push(w->validator, w->reads, &chunk,
						     (enum gputm_device_validator_mode)mode,
						     apply, result),
			 0);
	kit_valid(unit_of(w->validator));
	return apply[0];
}

/* The example that opens the source: IV-C.2 and IV-D on two words. */
KIT_WITH(test_device_validator_goes_on_after_a_conflict, struct world w, world_of(kit, 1, 4))
{
	static const struct gputm_write_set_log_entry first[] = { { 0, 3, 30 }, { 8, 2, 20 } };
	static const struct gputm_write_set_log_entry second[] = { { 0, 1, 10 } };
	struct gputm_device_validator_result r;

	ck_assert_int_eq(gputm_access_bitmap_record(w.reads, 8), 0);
	ck_assert_uint_eq(push(&w, second, 1, EARLY, &r), 0);
	ck_assert_uint_eq(r.conflicts + r.applied + r.stale, 0);
	ck_assert(!gputm_device_validator_conflict(w.validator));
	ck_assert_uint_eq(push(&w, first, 2, APPLY, &r), 3);
	KIT_HAS(r, conflicts, 1, applied, 2, cycles, 26);
	ck_assert_uint_eq(push(&w, first, 2, EARLY, &r), 0);
	kit_counts(unit_of(w.validator), "conflicts=2 early_conflicts=1 failed_early=0");
	ck_assert(gputm_device_validator_conflict(w.validator));
	ck_assert_uint_eq(push(&w, second, 1, APPLY, &r), 0);
	ck_assert_uint_eq(r.stale, 1);
	ck_assert_uint_eq(push(&w, second, 1, REPLAY, &r), 0);
	ck_assert_uint_eq(push(&w, first, 2, REPLAY, &r), 3);
	ck_assert_uint_eq(r.conflicts, 0);
	kit_round_trip(&device_validator_maker, unit_of(w.validator));
	ck_assert_int_eq(gputm_device_validator_begin(w.validator, 1), 0);
	ck_assert(!gputm_device_validator_conflict(w.validator));
	ck_assert_uint_eq(kit_stat(unit_of(w.validator), "failed_rounds"), 1);
	ck_assert_int_eq(gputm_access_bitmap_record(w.reads, 0), 0);
	for (unsigned i = 0; i < 2; i++) { /* of a round's conflicts the first counts */
		struct gputm_write_set_log_chunk chunk = { first, 2, 0, 1, 0 };
		uint64_t apply;

		ck_assert_int_eq(gputm_device_validator_push(w.validator, w.reads, &chunk,
							     GPUTM_DEVICE_VALIDATOR_MODE_EARLY,
							     &apply, &r),
				 0);
	}
	kit_counts(unit_of(w.validator), "failed_rounds=2 failed_early=1");
}

/* What a round of the two transactions leaves of words a and b; false: a conflict. */
static bool merge(struct world *w, bool writes_marked, uint32_t word[2])
{
	static const struct gputm_write_set_log_entry t1[] = { { 0, 1, 1 } };
	struct gputm_device_validator_result r;

	word[0] = word[1] = 2; /* T2's, on the GPU's replica */
	for (unsigned i = 0; writes_marked && i < 2; i++)
		ck_assert_int_eq(gputm_access_bitmap_record(w->reads, 4 * i), 0);
	if (push(w, t1, 1, APPLY, &r))
		word[t1[0].address / 4] = t1[0].value;
	return !gputm_device_validator_conflict(w->validator);
}

/* IV-C, the essay's two transactions: T1 reads b and writes a, T2 writes both and reads neither. */
KIT_WITH(test_device_validator_needs_writes_among_the_reads, struct world w, world_of(kit, 1, 4))
{
	uint32_t word[2];

	ck_assert(merge(&w, false, word)); /* T1 before T2 is 2, 2; T2 first: T1 would read b = 2 */
	ck_assert_uint_eq(word[0], 1);
	ck_assert_uint_eq(word[1], 2);
	w = world_of(kit, 1, 4);
	ck_assert(!merge(&w, true, word));
}

/* Equal stamps are the same write: applied once. A stamp above replaces, one below does not. */
KIT_WITH(test_device_validator_freshness_is_tight, struct world w, world_of(kit, 2, 4))
{
	static const struct gputm_write_set_log_entry entry[] = {
		{ 4, 7, 1 }, { 4, 7, 1 }, { 4, 6, 2 }, { 4, 8, 3 }, { 1020, UINT32_MAX, 4 }
	};
	struct gputm_device_validator_result r;

	ck_assert_uint_eq(push(&w, entry, 5, APPLY, &r), 0x19);
	KIT_HAS(r, applied, 3, stale, 2);
	ck_assert_uint_eq(r.cycles, 39); /* three waves of two lanes */
}

/* V-A: at 1 KB a write beside what the GPU has read is a false conflict, at 4 B it is none. */
KIT_TESTS(test_device_validator_false_conflicts_come_from_granularity, 3)
{
	static const struct gputm_write_set_log_entry entry[] = { { 512, 1, 1 } };
	static const uint32_t granule[] = { 4, 256, 1024 };
	static const uint32_t conflicts[] = { 0, 0, 1 };
	struct gputm_device_validator_result r;
	struct world w = world_of(kit, 1, granule[_i]);

	ck_assert_int_eq(gputm_access_bitmap_record(w.reads, 508), 0);
	ck_assert_uint_eq(push(&w, entry, 1, APPLY, &r), 1);
	ck_assert_uint_eq(r.conflicts, conflicts[_i]);
	ck_assert_int_eq(gputm_access_bitmap_record(w.reads, 515), 0);
	push(&w, entry, 1, EARLY, &r);
	ck_assert_uint_eq(r.conflicts, 1);
}

static const uint64_t bad_stamp[] = { 0, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX };

static void refused(struct kit *kit, struct world *w, const struct gputm_write_set_log_chunk *chunk,
		    int mode, int error, const char *says, const char *range)
{
	struct gputm_device_validator_result r = { 1, 2, 3, 4 };
	uint64_t apply = 99;

	kit_guard(kit, unit_of(w->validator));
	KIT_REFUSED(error, gputm_device_validator_push(w->validator, w->reads, chunk,
						       (enum gputm_device_validator_mode)mode,
						       &apply, &r),
		    error == -ENOMEM ? "no memory" : "device_validator", says, range);
	ck_assert_uint_eq(apply, 99);
	ck_assert_uint_eq(r.cycles, 4);
}

KIT_WITH(test_device_validator_misuse_changes_nothing, struct world w, world_of(kit, 1, 4))
{
	struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 }, { 4, 1, 0 } };
	struct gputm_write_set_log_chunk chunk = { entry, 2, 0, 0, 0 };

	ck_assert_int_eq(gputm_device_validator_begin(w.validator, 5), 0);
	refused(kit, &w, &chunk, APPLY, -EINVAL, "round = 0", "must be 5");
	KIT_REFUSED(-ERANGE, gputm_device_validator_begin(w.validator, 5), "round = 5", "6 ..");
	chunk.round = 5;
	refused(kit, &w, &chunk, 3, -ERANGE, "mode = 3", "0 .. 2");
	entry[1].address = REGION;
	refused(kit, &w, &chunk, APPLY, -ERANGE, "address = 1024", "0 .. 1023");
	entry[1].address = 6;
	refused(kit, &w, &chunk, EARLY, -EINVAL, "address = 6", "multiple of 4");
	entry[1] = (struct gputm_write_set_log_entry){ 4, 0, 0 };
	refused(kit, &w, &chunk, REPLAY, -ERANGE, "stamp = 0", "1 .. 4294967295");
	for (unsigned i = 0; i < 4; i++) { /* on a word with a stamp, after one that is applied */
		entry[1] = (struct gputm_write_set_log_entry){ 0, bad_stamp[i], 0 };
		refused(kit, &w, &chunk, APPLY, -ERANGE, "stamp", "");
		entry[0].stamp = bad_stamp[i];
		refused(kit, &w, &chunk, APPLY, -ERANGE, "stamp", "");
		entry[0].stamp = 1;
	}
	entry[1].stamp = 1;
	w.reads = NULL;
	refused(kit, &w, &chunk, APPLY, -EINVAL, "bitmap", "1024 bytes");
	w.reads = kit_make_as(kit, &access_bitmap_maker, "granule=4");
	refused(kit, &w, &chunk, EARLY, -EINVAL, "bitmap", "1024 bytes");
}

/* Each allocation of a push fails in turn, the last one behind an applied entry. */
KIT_WITH(test_device_validator_without_memory_applies_nothing, struct world w, two_pages(kit))
{
	static const struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 }, { 32768, 1, 0 } };
	struct gputm_write_set_log_chunk chunk = { entry, 2, 0, 0, 0 };
	struct gputm_device_validator_result r;

	/* Two lists of the chunk and two pages of stamps; what was made is not made again. */
	for (unsigned i = 0; i < 4; i++) {
		kit->fail_at = kit->allocations;
		refused(kit, &w, &chunk, APPLY, -ENOMEM, "", "");
		kit->fail_at = kit->allocations + 1;
		if (i < 3)
			refused(kit, &w, &chunk, APPLY, -ENOMEM, "", "");
	}
	kit->fail_at = -1;
	ck_assert_uint_eq(push(&w, entry, 2, APPLY, &r), 3);
}

/* The entry that finds no memory is why a chunk is refused, not a bad one behind. */
KIT_WITH(test_device_validator_first_refusal_counts, struct world w, two_pages(kit))
{
	static const struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 },
								  { 32768, 1, 0 },
								  { 2, 1, 0 } };
	struct gputm_write_set_log_chunk chunk = { entry, 3, 0, 0, 0 };

	for (unsigned i = 0; i < 4; i++) {
		kit->fail_at = kit->allocations;
		refused(kit, &w, &chunk, APPLY, -ENOMEM, "", "");
	}
	kit->fail_at = -1;
	refused(kit, &w, &chunk, APPLY, -EINVAL, "", "");
}

/* Pages of a snapshot come once, in order, and with a stamp. */
KIT_WITH(test_device_validator_refuses_pages_that_cannot_be, struct world w, two_pages(kit))
{
	static const struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 }, { 32768, 1, 0 } };
	struct gputm_write_set_log_chunk chunk = { entry, 2, 0, 0x1234567, 0 };
	struct gputm_device_validator_result r;
	struct gputm_device_validator *v = w.validator;
	const long first = 8 + 1 + 8, bytes = 8 + 8 * 4096; /* behind the round; of a page */
	uint64_t apply;

	ck_assert_int_eq(gputm_device_validator_begin(v, 0x1234567), 0);
	ck_assert_int_eq(gputm_device_validator_push(v, w.reads, &chunk,
						     GPUTM_DEVICE_VALIDATOR_MODE_APPLY, &apply, &r),
			 0);
	kit_guard(kit, unit_of(v));
	for (unsigned again = 0; again < 2; again++)
		KIT_REFUSED(-EINVAL, kit_forged(unit_of(v), 0x1234567, first + again * bytes, 8,
						2 * !again), "out of order");
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(v), 0x1234567, first + 8, 8, 0), "without a stamp");
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(v), 0x1234567, first + bytes, 8, 4),
		    "region's end");
	ck_assert_int_eq(kit_forged(unit_of(v), 0x1234567, first + bytes, 8, 3), 0);
}

/* A chunk of random writes. */
static uint32_t scribble(struct gputm_write_set_log_entry *entry, struct kit_bytes *bytes)
{
	uint32_t count = kit_u32(bytes, 130);

	for (uint32_t i = 0; i < count; i++)
		entry[i] = (struct gputm_write_set_log_entry){ kit_draw(bytes, WORDS) * 4,
						     1 + kit_draw(bytes, 60),
						     (uint32_t)bytes->left };
	if (count && kit_draw(bytes, 20) == 0) {
		struct gputm_write_set_log_entry *odd = &entry[kit_draw(bytes, count)];

		odd->address = REGION - 3 + kit_draw(bytes, 7);
	}
	for (unsigned i = 0; count && i < 3 && kit_draw(bytes, 20) == 0; i++) {
		struct gputm_write_set_log_entry *odd = &entry[kit_draw(bytes, count)];

		odd->stamp = bad_stamp[kit_draw(bytes, 4)];
	}
	return count;
}

static void compare(struct world *w, struct oracle_device_validator *o, const bool *read,
		    const struct gputm_write_set_log_chunk *chunk, int mode)
{
	struct gputm_device_validator_result r = { 0 }, expected = { 0 };
	uint64_t apply[3];
	bool should[130];
	int answer = oracle_device_validator_push(o, read, chunk,
						  (enum gputm_device_validator_mode)mode, should,
						  &expected);

	ck_assert_int_eq(gputm_device_validator_push(w->validator, w->reads, chunk,
						     (enum gputm_device_validator_mode)mode,
						     apply, &r),
			 answer);
	KIT_SAME(r, expected, conflicts, applied, stale, cycles);
	for (uint32_t i = 0; !answer && i < chunk->count; i++)
		ck_assert_uint_eq(apply[i / 64] >> (i % 64) & 1, should[i]);
	ck_assert_int_eq(gputm_device_validator_conflict(w->validator), o->conflict);
}

static const uint32_t granule[] = { 4, 64, 1024 };

KIT_DRIVE(device_validator, KIT_COUNT(granule), 150000)
{
	static struct oracle_device_validator o;
	uint32_t wide = granule[bytes->round % KIT_COUNT(granule)];
	bool read[WORDS + 2] = { 0 };
	struct gputm_write_set_log_entry entry[130];
	uint32_t lanes = bytes->round < KIT_COUNT(granule) ? 32 : 1u << kit_u32(bytes, 8);
	struct world w = world_of(kit, lanes, wide);

	ORACLE_OPEN(&o, gputm_unit_config(unit_of(w.validator)));
	for (KIT_TURNS(device_validator, w.validator)) {
		struct gputm_write_set_log_chunk chunk = { entry, scribble(entry, bytes), 0,
							   o.round, 0 };
		uint64_t round = o.round + kit_draw(bytes, 3);

		if (chunk.count + o.count > ORACLE_DEVICE_VALIDATOR_MOST)
			break;
		compare(&w, &o, read, &chunk, (int)kit_draw(bytes, 3));
		if (kit_draw(bytes, 8) == 0) {
			uint64_t address = kit_draw(bytes, REGION), first;

			ck_assert_int_eq(gputm_access_bitmap_record(w.reads, address), 0);
			first = address / wide * wide;
			for (uint64_t a = first; a < first + wide; a += 4)
				read[a / 4] = true;
		}
		if (kit_draw(bytes, 20) == 0)
			ck_assert_int_eq(gputm_device_validator_begin(w.validator, round),
					 oracle_device_validator_begin(&o, round));
	}
	KIT_STATS_END(device_validator, w.validator, &o.stats, ORACLE_DEVICE_VALIDATOR_STATS);
}

struct replicas {
	uint32_t cpu[WORDS], gpu[WORDS], shadow[WORDS];
};

static void apply_chunk(struct world *w, const struct gputm_write_set_log_entry *entry, int mode,
			uint32_t *replica)
{
	struct gputm_device_validator_result r;
	uint64_t apply = push(w, entry, 16, mode, &r);

	for (EACH_LANE(i, apply))
		replica[entry[i].address / 4] = entry[i].value;
}

/* IV-C.2: whatever order the chunks come in, both copies end with the CPU's last writes. */
KIT_TESTS(test_device_validator_any_order_of_chunks_gives_the_cpu_state, 5)
{
	uint64_t random = 100 + (uint64_t)_i;
	struct replicas r = { 0 };
	struct gputm_write_set_log_entry log[20][16];
	unsigned order[20];
	struct world w = world_of(kit, 64, 4);

	for (unsigned i = 0; i < 320; i++) {
		uint64_t word = kit_below(&random, 40);

		log[i % 20][i / 20] = (struct gputm_write_set_log_entry){ word * 4, i + 1, i * 3 };
		r.cpu[word] = i * 3;
	}
	for (unsigned i = 0; i < 20; i++)
		order[i] = i;
	for (unsigned i = 20; i-- > 1;) {
		unsigned j = (unsigned)kit_below(&random, i + 1), k = order[i];

		order[i] = order[j];
		order[j] = k;
	}
	for (unsigned i = 0; i < 20; i++)
		apply_chunk(&w, log[order[i]], APPLY, r.gpu);
	for (unsigned i = 0; i < 20; i++)
		apply_chunk(&w, log[order[19 - i]], REPLAY, r.shadow);
	for (unsigned word = 0; word < WORDS; word++) {
		ck_assert_uint_eq(r.gpu[word], r.cpu[word]);
		ck_assert_uint_eq(r.shadow[word], r.cpu[word]);
	}
}

/* V: stamps of 600 MB cost nothing where nothing is written. */
KIT_MADE(test_device_validator_tracks_600_megabytes, validator, "shetm")
{
	static const struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 },
								  { 629145596, 2, 0 } };
	struct world w = { validator, kit_make_as(kit, &access_bitmap_maker, NULL) };
	struct gputm_device_validator_result r;

	ck_assert_uint_eq(push(&w, entry, 2, APPLY, &r), 3);
	/* Two pages of stamps, not 600 MB of them. */
	ck_assert_uint_lt(gputm_unit_save(unit_of(w.validator), NULL, 0), 70000);
}

KIT_WITH(test_device_validator_tells_its_observer, struct world w, world_of(kit, 1, 4))
{
	static const struct gputm_write_set_log_entry entry[] = { { 0, 1, 0 }, { 4, 1, 0 } };
	struct gputm_device_validator_result r;

	ck_assert_int_eq(gputm_access_bitmap_record(w.reads, 4), 0);
	push(&w, entry, 2, APPLY, &r);
	KIT_TOLD("chunk", 1, APPLY, 2, 1, 2);
	ck_assert_int_eq(gputm_device_validator_begin(w.validator, 9), 0);
	KIT_TOLD("begin", 1, 9);
}
