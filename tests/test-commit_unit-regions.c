/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coalescing of the commit unit in warp mode (thesis 6.2.1): the words of a row that are read,
 * and those that a warp writes, become one request per region, in the order in which the
 * regions first appear.
 */
#include "tests/commit_unit.h"

#define LANES 24 /* so that requests pass the end of the ports' rings */
#define ALL_LANES ((UINT64_C(1) << LANES) - 1)
#define MOST 64

/* The slow and obvious way: look each region up among those before it. */
struct expected {
	struct gputm_mem_request request[MOST];
	unsigned count;
};

static void expect(struct expected *e, uint32_t region_bytes,
		   const struct gputm_commit_unit_word *word)
{
	uint64_t region = word->address / region_bytes * region_bytes;
	uint32_t place = (uint32_t)(word->address - region) / 4;
	unsigned n = 0;

	while (n < e->count && e->request[n].address != region)
		n++;
	if (n == e->count) {
		memset(&e->request[n], 0, sizeof(e->request[n]));
		e->request[n].address = region;
		e->count++;
	}
	e->request[n].word_mask |= 1u << place;
	e->request[n].value[place] = word->value;
}

/* All requests of a port, one a cycle, are those expected; memory has what was read. */
static void compare(struct hand *h, enum gputm_commit_unit_port port, const struct expected *e)
{
	struct gputm_mem_request got;

	for (unsigned n = 0; n < e->count; n++) {
		const struct gputm_mem_request *want = &e->request[n];

		for (unsigned wait = 0; !gputm_commit_unit_mem_take(h->unit, port, &got); wait++) {
			ck_assert_uint_lt(wait, 200);
			gputm_commit_unit_tick(h->unit);
		}
		KIT_SAME(got, *want, address, word_mask);
		ck_assert_int_eq(got.write, port == GPUTM_COMMIT_UNIT_PORT_COMMIT);
		for (uint32_t i = 0; got.write && i < GPUTM_MEM_WORDS_MAX; i++)
			if (want->word_mask >> i & 1)
				ck_assert_uint_eq(got.value[i], want->value[i]);
		ck_assert_int_eq(gputm_commit_unit_mem_complete(h->unit, got.tag, want->value), 0);
	}
	gputm_commit_unit_tick(h->unit);
	ck_assert(!gputm_commit_unit_mem_take(h->unit, port, &got));
	kit_valid(unit_of(h->unit));
}

static struct hand hand_for(struct kit *kit, uint32_t region_bytes)
{
	return hand_of(make(kit, "warp_mode=1 region_bytes=%u ring=64 lanes=%d buffers=%d "
				 "port_words=%d",
			    region_bytes, LANES, 2 * LANES, 8 * LANES));
}

/*
 * A word for each lane, out of 64 words, which are 2 to 16 regions; ascending, or as they come.
 * No word twice: lanes that write the same one conflict.
 */
static void draw(struct gputm_commit_unit_message *m, bool ascending, uint64_t *random)
{
	uint64_t drawn = 0;

	while (m->words < LANES) {
		uint32_t at = (uint32_t)kit_below(random, 64);

		if (drawn >> at & 1)
			continue;
		drawn |= UINT64_C(1) << at;
		m->word[m->words] =
			(struct gputm_commit_unit_word){ 4 * at, 100 + m->words, m->words };
		m->words++;
	}
	for (uint32_t at = 0, lane = 0; ascending && at < 64; at++)
		if (drawn >> at & 1)
			m->word[lane++].address = 4 * at;
}

static const uint32_t region_bytes[] = { 16, 32, 64, 128 };

KIT_TESTS(test_section_6_2_1_reads_of_a_row, KIT_COUNT(region_bytes))
{
	struct hand h = hand_for(kit, region_bytes[_i]);
	uint64_t random = 3 + (uint64_t)_i, cid = 1;

	for (unsigned turn = kit_scale(500, 50); turn--; cid += LANES) {
		struct gputm_commit_unit_message m =
			header(GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, cid, LANES);
		struct expected e = { .count = 0 };

		m.mask = ALL_LANES;
		draw(&m, turn % 2, &random);
		for (uint32_t n = 0; n < m.words; n++)
			expect(&e, region_bytes[_i], &m.word[n]);
		ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
		compare(&h, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &e);
		send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, LANES, ALL_LANES, ALL_LANES);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, cid, ALL_LANES);
		send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, cid, LANES, ALL_LANES, ALL_LANES);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, cid, 0);
	}
}

/* Two words of each transaction, and the transactions of a warp in the order of their CIDs. */
KIT_TESTS(test_section_6_2_1_writes_of_a_warp, KIT_COUNT(region_bytes))
{
	struct hand h = hand_for(kit, region_bytes[_i]);
	uint64_t random = 5 + (uint64_t)_i, cid = 1;

	for (unsigned turn = kit_scale(500, 50); turn--; cid += LANES) {
		struct gputm_commit_unit_message one = header(GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG,
							      cid, LANES),
						 two;
		struct expected e = { .count = 0 };

		one.mask = ALL_LANES;
		two = one;
		draw(&one, false, &random);
		draw(&two, turn % 2, &random);
		for (uint32_t n = 0; n < LANES; n++) {
			two.word[n].address += 256;
			expect(&e, region_bytes[_i], &one.word[n]);
			expect(&e, region_bytes[_i], &two.word[n]);
		}
		ck_assert_int_eq(push(&h, &one), GPUTM_COMMIT_UNIT_ACCEPTED);
		ck_assert_int_eq(push(&h, &two), GPUTM_COMMIT_UNIT_ACCEPTED);
		send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, cid, LANES, ALL_LANES, ALL_LANES);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, cid, ALL_LANES);
		send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, cid, LANES, ALL_LANES, ALL_LANES);
		compare(&h, GPUTM_COMMIT_UNIT_PORT_COMMIT, &e);
		wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, cid, 0);
	}
}
