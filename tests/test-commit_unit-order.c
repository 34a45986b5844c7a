/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_unit: when outcomes and ends of writes are told, whatever their order is. */
#include "tests/commit_unit.h"

#define COURSE 3 /* entries, from CID 7 on, each a warp */
#define VERDICT_CYCLES 6

/* Cycles of the last report of each entry, by its kind. */
struct course {
	unsigned outcome[COURSE], retired[COURSE], written[COURSE];
};

struct courser {
	struct hand h;
	struct course is;
	unsigned now, verdict[COURSE]; /* verdict: the cycle in which it comes */
	struct {
		unsigned due; /* 0: none */
		uint64_t tag;
		uint32_t value;
	} flying[8];
	unsigned latency[COURSE]; /* of words 0 .. 2 */
	uint32_t memory[COURSE];
};

static void take_reports(struct courser *c)
{
	struct gputm_commit_unit_report report;

	while (gputm_commit_unit_peek(c->h.unit, &report)) {
		unsigned *to[] = { c->is.outcome, c->is.retired, NULL, c->is.written };
		uint64_t n = report.first_cid - 7;

		ck_assert(gputm_commit_unit_pop(c->h.unit));
		ck_assert(report.kind != GPUTM_COMMIT_UNIT_REPORT_RESEND && n < COURSE);
		to[report.kind][n] = c->now;
		if (report.kind != GPUTM_COMMIT_UNIT_REPORT_OUTCOME)
			continue;
		ck_assert_uint_eq(report.yes, 1);
		c->verdict[n] = c->now + VERDICT_CYCLES;
	}
}

static void take_memory_requests(struct courser *c)
{
	struct gputm_mem_request request;

	for (int port = 0; port < 2; port++) {
		unsigned n = 0;

		if (!gputm_commit_unit_mem_take(c->h.unit, (enum gputm_commit_unit_port)port,
						&request))
			continue;
		while (c->flying[n].due)
			n++;
		c->flying[n].due = c->now + c->latency[request.address / 4];
		c->flying[n].tag = request.tag;
		c->flying[n].value = (uint32_t)request.address / 4;
		if (request.write)
			c->memory[request.address / 4] = request.value[0];
	}
}

static void complete_requests(struct courser *c)
{
	for (unsigned n = 0; n < 8; n++) {
		if (c->flying[n].due != c->now)
			continue;
		c->flying[n].due = 0;
		ck_assert_int_eq(gputm_commit_unit_mem_complete(
					 c->h.unit, c->flying[n].tag,
					 &c->memory[c->flying[n].value]), 0);
	}
}

/*
 * Ticks until all have retired. The core passes each entry, some cycles after its outcome. In
 * cycles 14 and 22 what a snapshot holds is forged: writes fly, and 8 revalidates while 9 may have
 * passed.
 */
static void run_course(struct courser *c)
{
	while (gputm_commit_unit_oldest(c->h.unit) < 7 + COURSE) {
		ck_assert_uint_lt(++c->now, 200);
		if (c->now == 14 || c->now == 22)
			kit_hostile(&commit_unit_maker, unit_of(c->h.unit));
		for (unsigned n = 0; n < COURSE; n++)
			if (c->verdict[n] == c->now)
				send_mask(&c->h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7 + n, true);
		ticks(&c->h, 1);
		take_reports(c);
		take_memory_requests(c);
		complete_requests(c);
	}
}

static struct courser courser_of(struct gputm_commit_unit *unit)
{
	return (struct courser){ .h = hand_of(unit), .latency = { 5, 5, 5 } };
}

static void is_course(const struct course *is, const struct course *expected)
{
	for (unsigned n = 0; n < COURSE; n++) {
		ck_assert_uint_eq(is->outcome[n], expected->outcome[n]);
		ck_assert_uint_eq(is->retired[n], expected->retired[n]);
		ck_assert_uint_eq(is->written[n], expected->written[n]);
	}
}

/*
 * 7 writes word 0, 8 has read that word and revalidates, 9 has read word 1.
 *
 *	 1 ..  4  7 comes, leaves hazard detection, and passes
 *	10        its verdict; 12 the write leaves, 17 completes, 18 7 retires
 *	 3 ..  8  8 comes, and has a hazard; 19 its revalidation begins: the request leaves at 20,
 *	          comes back at 25, and 8 passes at 26
 *	 5 .. 12  9 comes, and its comparison is known
 *
 * So 9 passes at 12 without an order, at 27 after 8 in order, and at 20 if the pointer passes 8 at
 * 19, where the revalidation of 8 begins.
 */
KIT_TEST(test_timing_outcome_of_a_revalidation)
{
	static const struct course expected[] = {
		{ { 4, 26, 12 }, { 18, 33, 34 }, { 0 } },
		{ { 4, 26, 27 }, { 18, 33, 34 }, { 0 } },
		{ { 4, 26, 20 }, { 18, 33, 34 }, { 0 } },
	};

	for (unsigned ordered = 0; ordered < 3; ordered++) {
		struct courser c = courser_of(make(kit, SMALL "ordered_outcomes=%u", ordered));

		send_log(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 0, 1, 1);
		send_mask(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
		send_log(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, 1);
		send_mask(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
		send_log(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 9, 1, 1, 0);
		send_mask(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 9, true);
		run_course(&c);
		ck_assert_uint_eq(stat_of(&c.h, "revalidations"), 1);
		is_course(&c.is, &expected[ordered]);
	}
}

/*
 * 7 and 8 write words 0 and 1, 9 reads word 2; the memory takes 20 cycles for word 0, 5 for others.
 * The writes leave at 12 and 14 and complete at 32 and 19. 7 retires at 33, and 8 after it at 34,
 * but the core can know at 20 that the write of 8 is in memory.
 */
KIT_TEST(test_timing_end_of_writes)
{
	static const struct course expected[] = {
		{ { 4, 6, 12 }, { 33, 34, 35 }, { 0 } },
		{ { 4, 6, 12 }, { 33, 34, 35 }, { 0 } },
		{ { 4, 6, 12 }, { 33, 34, 35 }, { 33, 20 } },
	};

	for (unsigned done = 0; done < 3; done++) {
		struct courser c = courser_of(make(kit, SMALL "entry_done=%u", done));

		c.latency[0] = 20;
		for (unsigned n = 0; n < COURSE; n++) {
			send_log(&c.h,
				 n < 2 ? GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG
				       : GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG,
				 7 + n, n, 1, n < 2);
			send_mask(&c.h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7 + n, true);
		}
		run_course(&c);
		is_course(&c.is, &expected[done]);
	}
}

/* In warp mode the core hears once of all lanes that write, when the last write has completed. */
KIT_TEST(test_timing_end_of_writes_of_a_warp)
{
	struct gputm_commit_unit_report report;
	struct hand h = hand_of(make(kit, SMALL "warp_mode=1 region_bytes=4 entry_done=written"));
	struct gputm_commit_unit_message m = header(GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 4);

	m.mask = 0x5;
	m.words = 2;
	m.word[0] = (struct gputm_commit_unit_word){ 0, 1, 0 };
	m.word[1] = (struct gputm_commit_unit_word){ 4, 1, 2 };
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, 4, 0xf, 0x7);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, 0x7);
	send_lanes(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, 4, 0x7, 0x7);
	serve(&h, 1, 0);
	wait_request(&h, 1);
	ticks(&h, 20);
	ck_assert(!gputm_commit_unit_peek(h.unit, &report));
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7);
	complete(&h, 1, 0);
	kit_round_trip(&commit_unit_maker, unit_of(h.unit));
	ticks(&h, 1);
	ck_assert(gputm_commit_unit_peek(h.unit, &report));
	KIT_HAS(report, kind, GPUTM_COMMIT_UNIT_REPORT_WRITTEN, mask, 0x5);
	ck_assert(gputm_commit_unit_pop(h.unit));
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 7, 0);
}
