/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_unit: life, stages and timing, refusals, random runs against the oracle. */
#include <stdlib.h>
#include <string.h>

#include "tests/kit.h"
#include "tests/oracle/commit_unit.h"

KIT_MAKER(commit_unit, COMMIT_UNIT);

KIT_TEST(test_commit_unit_life)
{
	kit_common(&commit_unit_maker);
}

/* ---- a unit in hand ---- */

struct hand {
	struct gputm_commit_unit *unit;
	uint32_t memory[16];
	uint64_t tag[2]; /* of the last request taken */
};

static struct gputm_commit_unit_config small_config(void)
{
	struct gputm_commit_unit_config c = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	c.ring = 64;
	c.lanes = 8;
	c.port_words = 64;
	c.buffers = 32;
	c.first_cid = 7;
	return c;
}

static void open_hand(struct hand *h, const struct gputm_commit_unit_config *config)
{
	memset(h, 0, sizeof(*h));
	ck_assert_int_eq(gputm_commit_unit_new(NULL, config, &h->unit), 0);
}

static void close_hand(struct hand *h)
{
	kit_valid(gputm_commit_unit_unit(h->unit));
	gputm_commit_unit_free(h->unit);
}

static uint64_t stat_of(const struct hand *h, const char *name)
{
	return kit_stat(gputm_commit_unit_unit(h->unit), name);
}

static struct gputm_commit_message header(uint32_t kind, uint64_t first, uint32_t lanes)
{
	struct gputm_commit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	m.first_cid = first;
	m.lanes = lanes;
	return m;
}

static int push(struct hand *h, const struct gputm_commit_message *m)
{
	int answer = gputm_commit_unit_push_probe(h->unit, m);

	ck_assert_int_eq(answer, gputm_commit_unit_push(h->unit, m));
	return answer;
}

/* `count` words of one transaction alone in its warp, from word `at` on. */
static void send_log(struct hand *h, uint32_t kind, uint64_t cid, uint32_t at, uint32_t count,
		     uint32_t value)
{
	struct gputm_commit_message m = header(kind, cid, 1);

	m.mask = 1;
	for (uint32_t n = 0; n < count; n++)
		m.word[m.words++] = (struct gputm_commit_word){ 4 * (at + n), value, 0 };
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

static void send_mask(struct hand *h, uint32_t kind, uint64_t cid, bool yes)
{
	struct gputm_commit_message m = header(kind, cid, 1);

	m.mask = 1;
	m.yes = yes;
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

/* Tick until the request at the port is offered; take it. @return the ticks. */
static unsigned wait_request(struct hand *h, int port)
{
	struct gputm_mem_request request;
	unsigned ticks = 0;

	while (!gputm_commit_unit_mem_peek(h->unit, (enum gputm_commit_unit_port)port, &request)) {
		ck_assert_uint_lt(ticks++, 1000);
		gputm_commit_unit_tick(h->unit);
	}
	ck_assert(gputm_commit_unit_mem_pop(h->unit, (enum gputm_commit_unit_port)port));
	h->tag[port] = request.tag;
	return ticks;
}

static void complete(struct hand *h, int port, uint32_t value)
{
	uint32_t values[GPUTM_MEM_WORDS];

	for (unsigned n = 0; n < GPUTM_MEM_WORDS; n++)
		values[n] = value;
	ck_assert_int_eq(gputm_commit_unit_mem_complete(h->unit, h->tag[port], values), 0);
}

/* Tick until a report comes, take it. @return the ticks. */
static unsigned wait_report(struct hand *h, uint32_t kind, uint64_t first, bool yes)
{
	struct gputm_commit_report report;
	unsigned ticks = 0;

	while (!gputm_commit_unit_peek(h->unit, &report)) {
		ck_assert_uint_lt(ticks++, 1000);
		gputm_commit_unit_tick(h->unit);
	}
	ck_assert(gputm_commit_unit_pop(h->unit));
	ck_assert_uint_eq(report.kind, kind);
	ck_assert_uint_eq(report.first_cid, first);
	ck_assert_uint_eq(report.yes, yes);
	return ticks;
}

static unsigned wait_stage(struct hand *h, uint64_t cid, enum gputm_commit_stage stage)
{
	unsigned ticks = 0;

	while (gputm_commit_unit_stage(h->unit, cid) != stage) {
		ck_assert_uint_lt(ticks++, 1000);
		gputm_commit_unit_tick(h->unit);
	}
	return ticks;
}

static void ticks(struct hand *h, unsigned count)
{
	while (count--)
		gputm_commit_unit_tick(h->unit);
}

/* ---- the timing table ---- */

KIT_TEST(test_timing_input_scalar)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 5, 0);
	for (unsigned words = 1; words <= 5; words++) {
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "reads"), words);
	}
	close_hand(&h);
}

KIT_TEST(test_timing_input_warp)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_mem_request request;
	struct hand h;

	config.warp_mode = true;
	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 6, 5, 0);
	ticks(&h, 1);
	ck_assert_uint_eq(stat_of(&h, "reads"), 5);
	ticks(&h, 1);
	ck_assert(gputm_commit_unit_mem_peek(h.unit, GPUTM_COMMIT_UNIT_VALIDATION, &request));
	ck_assert_uint_eq(request.address, 0);
	ck_assert_uint_eq(request.word_mask, 0xc0);
	wait_request(&h, 0);
	ck_assert_uint_eq(wait_request(&h, 0), 1);
	ck_assert(!gputm_commit_unit_mem_pop(h.unit, GPUTM_COMMIT_UNIT_VALIDATION));
	close_hand(&h);
}

KIT_TEST(test_timing_validation)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 1, 0);
	ticks(&h, 1);
	ck_assert_uint_eq(stat_of(&h, "reads"), 1);
	ck_assert_uint_eq(wait_request(&h, 0), 1);
	close_hand(&h);
}

KIT_TEST(test_timing_ports)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 4, 0);
	ck_assert_uint_eq(wait_request(&h, 0), 2);
	for (unsigned n = 0; n < 3; n++)
		ck_assert_uint_eq(wait_request(&h, 0), 1);
	close_hand(&h);
}

/* 3 reads and 2 writes; done is consumed in the tick that makes the stage HAZARD. */
KIT_TEST(test_timing_hazard)
{
	static const unsigned expected[] = { 5 + 1, 3 + 1, 2 + 1, 2 + 1, 1 + 1 };
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	for (uint32_t rate = 1; rate <= 5; rate++) {
		config.hazard_rate = rate;
		open_hand(&h, &config);
		send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 3, 0);
		send_log(&h, GPUTM_COMMIT_WRITE_LOG, 7, 0, 2, 0);
		send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
		wait_stage(&h, 7, GPUTM_COMMIT_HAZARD);
		ck_assert_uint_eq(wait_stage(&h, 7, GPUTM_COMMIT_VALIDATE), expected[rate - 1]);
		close_hand(&h);
	}
}

KIT_TEST(test_timing_skip)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_message m = header(GPUTM_COMMIT_DONE, 7, 8);
	struct gputm_commit_report report;
	struct hand h;

	open_hand(&h, &config);
	m.mask = 0xff;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	ticks(&h, 1);
	for (uint64_t n = 1; n <= 8; n++) {
		ck_assert(!gputm_commit_unit_peek(h.unit, &report));
		ticks(&h, 1);
		ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7 + n);
	}
	ck_assert(gputm_commit_unit_peek(h.unit, &report));
	ck_assert_uint_eq(report.kind, GPUTM_COMMIT_RETIRED);
	ck_assert_uint_eq(report.mask, 0xff);
	close_hand(&h);
}

/* The example at the head of lib/kilotm/commit_unit.c: 8 has read what 7 writes. */
static void play_hazard(struct hand *h, uint32_t value_read)
{
	struct gputm_commit_unit_config config = small_config();

	open_hand(h, &config);
	send_log(h, GPUTM_COMMIT_READ_LOG, 8, 0, 1, value_read);
	send_log(h, GPUTM_COMMIT_WRITE_LOG, 7, 0, 1, 1);
	send_mask(h, GPUTM_COMMIT_DONE, 7, true);
	send_mask(h, GPUTM_COMMIT_DONE, 8, true);
	wait_request(h, 0);
	complete(h, 0, 0);
	wait_report(h, GPUTM_COMMIT_OUTCOME, 7, true);
	ticks(h, 20);
	ck_assert_int_eq(gputm_commit_unit_stage(h->unit, 8), GPUTM_COMMIT_VALIDATE);
	ck_assert_uint_eq(stat_of(h, "hazards"), 1);
	send_mask(h, GPUTM_COMMIT_VERDICT, 7, true);
}

KIT_TEST(test_timing_commit)
{
	struct hand h;

	play_hazard(&h, 1);
	ticks(&h, 1);
	ck_assert_int_eq(gputm_commit_unit_stage(h.unit, 7), GPUTM_COMMIT_READY);
	ck_assert_uint_eq(wait_request(&h, 1), 2);
	close_hand(&h);
}

KIT_TEST(test_timing_retire)
{
	struct hand h;

	play_hazard(&h, 1);
	wait_request(&h, 1);
	complete(&h, 1, 0);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 7);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false), 1);
	ck_assert_uint_eq(gputm_commit_unit_oldest(h.unit), 8);
	close_hand(&h);
}

KIT_TEST(test_timing_revalidation)
{
	struct hand h;

	play_hazard(&h, 1);
	wait_request(&h, 1);
	complete(&h, 1, 0);
	wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false);
	ck_assert_uint_eq(wait_request(&h, 0), 2);
	close_hand(&h);
}

KIT_TEST(test_timing_outcome)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 1, 5);
	send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
	wait_request(&h, 0);
	wait_stage(&h, 7, GPUTM_COMMIT_VALIDATE);
	complete(&h, 0, 5);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_OUTCOME, 7, true), 1);
	send_log(&h, GPUTM_COMMIT_WRITE_LOG, 8, 0, 1, 5);
	send_mask(&h, GPUTM_COMMIT_DONE, 8, true);
	wait_stage(&h, 8, GPUTM_COMMIT_HAZARD);
	ck_assert_uint_eq(wait_report(&h, GPUTM_COMMIT_OUTCOME, 8, true), 1 + 1);
	ck_assert_int_eq(gputm_commit_unit_stage(h.unit, 8), GPUTM_COMMIT_WAIT);
	close_hand(&h);
}

/* ---- decisions ---- */

/* The last comparison counts: 8 fails speculatively and passes when 7 has written. */
KIT_TEST(test_commit_unit_last_comparison_counts)
{
	struct hand h;

	for (uint32_t value = 0; value < 2; value++) {
		play_hazard(&h, value);
		wait_request(&h, 1);
		complete(&h, 1, 0);
		wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false);
		wait_request(&h, 0);
		complete(&h, 0, 1);
		wait_report(&h, GPUTM_COMMIT_OUTCOME, 8, value == 1);
		close_hand(&h);
	}
}

/* RCID <= CID is a hazard, and retired before the first message is none. */
KIT_TEST(test_commit_unit_hazard_starts_at_rcid)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	for (unsigned before = 0; before < 2; before++) {
		open_hand(&h, &config);
		send_log(&h, GPUTM_COMMIT_WRITE_LOG, 7, 0, 1, 1);
		send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
		wait_report(&h, GPUTM_COMMIT_OUTCOME, 7, true);
		send_mask(&h, GPUTM_COMMIT_VERDICT, 7, true);
		wait_request(&h, 1);
		if (before)
			send_log(&h, GPUTM_COMMIT_READ_LOG, 8, 0, 1, 1);
		ticks(&h, 2);
		complete(&h, 1, 0);
		wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false);
		if (!before)
			send_log(&h, GPUTM_COMMIT_READ_LOG, 8, 0, 1, 1);
		send_mask(&h, GPUTM_COMMIT_DONE, 8, true);
		ticks(&h, 10);
		ck_assert_uint_eq(stat_of(&h, "hazards"), before);
		close_hand(&h);
	}
}

/* The same word read twice with different values: at most one can match. */
KIT_TEST(test_commit_unit_read_twice_fails)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	for (unsigned warp_mode = 0; warp_mode < 2; warp_mode++) {
		config.warp_mode = warp_mode;
		open_hand(&h, &config);
		send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 1, 1);
		send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 1, 2);
		send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
		for (unsigned n = 0; n < 2; n++) {
			wait_request(&h, 0);
			complete(&h, 0, 1);
		}
		wait_report(&h, GPUTM_COMMIT_OUTCOME, 7, false);
		wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false);
		send_mask(&h, GPUTM_COMMIT_VERDICT, 7, false);
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "absorbed"), 1);
		close_hand(&h);
	}
}

/* Buffers held after the first word, after done, after the outcome, after the verdict. */
KIT_TEST(test_fig_4_13_buffer_policies)
{
	static const uint64_t expected[4][4] = {
		{ 2, 4, 4, 4 }, { 2, 2, 2, 2 }, { 1, 1, 1, 1 }, { 1, 1, 0, 0 }
	};
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_message m = header(GPUTM_COMMIT_DONE, 9, 1);
	struct hand h;

	for (uint32_t policy = 1; policy <= 4; policy++) {
		const uint64_t *row = expected[policy - 1];

		config.buffer_policy = policy;
		open_hand(&h, &config);
		send_log(&h, GPUTM_COMMIT_READ_LOG, 8, 0, 1, 0);
		ticks(&h, 1);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[0]);
		m.mask = 1;
		ck_assert_int_eq(push(&h, &m), 0);
		send_mask(&h, GPUTM_COMMIT_DONE, 8, true);
		ticks(&h, 2);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[1]);
		send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
		wait_request(&h, 0);
		complete(&h, 0, 0);
		wait_report(&h, GPUTM_COMMIT_OUTCOME, 7, true);
		wait_report(&h, GPUTM_COMMIT_OUTCOME, 8, true);
		/* 7 is an entry without words: policies all and accessed give it two */
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[2] + (policy < 3 ? 2 : 0));
		send_mask(&h, GPUTM_COMMIT_VERDICT, 8, false);
		ticks(&h, 4);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), row[3] + (policy < 3 ? 2 : 0));
		send_mask(&h, GPUTM_COMMIT_VERDICT, 7, true);
		ticks(&h, 8);
		ck_assert_uint_eq(stat_of(&h, "buffers_used"), 0);
		close_hand(&h);
	}
}

KIT_TEST(test_commit_unit_write_pending)
{
	struct gputm_commit_unit_config config = small_config();
	struct hand h;

	config.pending_block = 32;
	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_WRITE_LOG, 7, 8, 1, 1);
	send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
	wait_stage(&h, 7, GPUTM_COMMIT_HAZARD);
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 32));
	wait_report(&h, GPUTM_COMMIT_OUTCOME, 7, true);
	ck_assert(gputm_commit_unit_write_pending(h.unit, 32 + 28));
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 28));
	send_mask(&h, GPUTM_COMMIT_VERDICT, 7, true);
	wait_request(&h, 1);
	complete(&h, 1, 0);
	ck_assert(gputm_commit_unit_write_pending(h.unit, 32));
	wait_report(&h, GPUTM_COMMIT_RETIRED, 7, false);
	ck_assert(!gputm_commit_unit_write_pending(h.unit, 32));
	close_hand(&h);
}

/* ---- refusals, each beside what is accepted ---- */

KIT_TEST(test_commit_unit_ring_bound)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_message m = header(GPUTM_COMMIT_DONE, 7 + 64, 1);
	struct hand h;

	open_hand(&h, &config);
	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.first_cid--;
	m.lanes = 2;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.lanes = 1;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	close_hand(&h);
}

KIT_TEST(test_commit_unit_input_full)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_message m = header(GPUTM_COMMIT_DONE, 9, 1);
	struct hand h;

	config.input_depth = 2;
	open_hand(&h, &config);
	send_mask(&h, GPUTM_COMMIT_DONE, 7, false);
	send_mask(&h, GPUTM_COMMIT_DONE, 8, false);
	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_FULL);
	ticks(&h, 1);
	ck_assert_int_eq(push(&h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
	close_hand(&h);
}

KIT_TEST(test_commit_unit_refuses_what_the_protocol_forbids)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_message m = header(GPUTM_COMMIT_VERDICT, 7, 1);
	struct hand h;
	uint64_t before;

	open_hand(&h, &config);
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 1, 0);
	before = kit_digest(gputm_commit_unit_unit(h.unit));
	m.mask = 1;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* no outcome yet */
	m.kind = GPUTM_COMMIT_DONE;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* a skip with words */
	m.yes = 2;
	ck_assert_int_eq(push(&h, &m), -EINVAL);
	m.yes = 1;
	m.lanes = 2;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* its warp is 7 alone */
	m.lanes = 9;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m = header(GPUTM_COMMIT_READ_LOG, 8, 1);
	m.mask = m.words = 1;
	m.word[0].address = 2;
	ck_assert_int_eq(push(&h, &m), -EINVAL);
	m.word[0].address = UINT64_C(1) << 32;
	ck_assert_int_eq(push(&h, &m), -ERANGE);
	m.word[0].address = 0;
	m.kind = GPUTM_COMMIT_RESENT;
	ck_assert_int_eq(push(&h, &m), -EINVAL);
	ck_assert_int_eq(gputm_commit_unit_mem_complete(h.unit, 0, NULL), -EINVAL);
	ck_assert_uint_eq(kit_digest(gputm_commit_unit_unit(h.unit)), before);
	send_mask(&h, GPUTM_COMMIT_DONE, 7, true);
	m = header(GPUTM_COMMIT_DONE, 7, 1);
	m.mask = m.yes = 1;
	ck_assert_int_eq(push(&h, &m), -EINVAL); /* twice */
	close_hand(&h);
}

KIT_TEST(test_commit_unit_config_relations)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_commit_unit *unit = NULL;

	config.cid_bits = 7;
	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), -EINVAL);
	kit_said(kit, "ring = 64", "cid_bits", NULL);
	config.cid_bits = 8;
	config.buffer_words = 9;
	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), -EINVAL);
	kit_said(kit, "port_words = 64", "lanes x buffer_words", NULL);
	config.buffer_words = 8;
	config.pending_block = 48;
	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), -EINVAL);
	kit_said(kit, "pending_block = 48", NULL);
	config.pending_block = 64;
	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), 0);
	gputm_commit_unit_free(unit);
}

KIT_TEST(test_commit_unit_bytes)
{
	struct gputm_commit_message m = header(GPUTM_COMMIT_DONE, 1, 32);
	struct gputm_commit_report report = { GPUTM_COMMIT_OUTCOME, 0, 1, 32, 1, 0 };

	m.mask = 1;
	ck_assert_uint_eq(gputm_commit_message_bytes(&m), 8);
	m.mask = UINT32_MAX;
	ck_assert_uint_eq(gputm_commit_message_bytes(&m), 8 + 2 * 4);
	m.kind = GPUTM_COMMIT_READ_LOG;
	m.words = 3;
	ck_assert_uint_eq(gputm_commit_message_bytes(&m), 8 + 3 * 8 + 4);
	ck_assert_uint_eq(gputm_commit_report_bytes(&report), 8);
	report.mask = 3;
	ck_assert_uint_eq(gputm_commit_report_bytes(&report), 8 + 2 * 4);
	report.kind = GPUTM_COMMIT_RETIRED;
	ck_assert_uint_eq(gputm_commit_report_bytes(&report), 8);
}

KIT_TEST(test_section_4_4_4_storage)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_storage array;
	struct hand h;

	ck_assert_int_eq(gputm_commit_unit_config_preset(&config, "kilo-tm"), 0);
	open_hand(&h, &config);
	ck_assert(gputm_unit_storage(gputm_commit_unit_unit(h.unit), 0, &array));
	ck_assert_uint_eq(array.entries, 1920);
	ck_assert_uint_eq(array.bits, 74); /* the thesis: 10 B */
	ck_assert(gputm_unit_storage(gputm_commit_unit_unit(h.unit), 1, &array));
	ck_assert_uint_eq(array.entries * array.bits, 32 * 1024 * 8);
	close_hand(&h);
}

/* ---- random runs ---- */

/* Of the state alone, which does not know the time. */
static uint64_t state_digest(struct gputm_commit_unit *unit)
{
	static uint8_t bytes[1 << 20];
	size_t size = gputm_unit_save_state(gputm_commit_unit_unit(unit), bytes, sizeof(bytes));
	uint64_t hash = 0;

	ck_assert_uint_le(size, sizeof(bytes));
	for (size_t n = 0; n < size - 8; n++)
		hash = (hash ^ bytes[n]) * UINT64_C(0x100000001b3);
	return hash;
}

/* advance(n) is n ticks, and next_event() says exactly whether a tick does something. */
static void check_clock(struct gputm_commit_unit *unit, const struct gputm_commit_unit_config *c,
			unsigned cycles)
{
	static uint8_t bytes[1 << 20];
	size_t size = gputm_unit_save(gputm_commit_unit_unit(unit), bytes, sizeof(bytes));
	struct gputm_commit_unit *twin[2];

	for (int n = 0; n < 2; n++) {
		ck_assert_int_eq(gputm_commit_unit_new(NULL, c, &twin[n]), 0);
		ck_assert_int_eq(gputm_unit_load(gputm_commit_unit_unit(twin[n]), bytes, size), 0);
	}
	gputm_commit_unit_advance(twin[0], cycles);
	for (unsigned n = 0; n < cycles; n++) {
		uint64_t next = gputm_commit_unit_next_event(twin[1]);
		uint64_t before = state_digest(twin[1]);
		bool moved = gputm_commit_unit_tick(twin[1]) & GPUTM_COMMIT_UNIT_MOVED;

		ck_assert(next == 0 || next == UINT64_MAX);
		ck_assert(moved == (next == 0));
		ck_assert((state_digest(twin[1]) != before) == (next == 0));
	}
	for (int n = 0; n < 2; n++)
		kit_valid(gputm_commit_unit_unit(twin[n]));
	ck_assert_uint_eq(kit_digest(gputm_commit_unit_unit(twin[0])),
			  kit_digest(gputm_commit_unit_unit(twin[1])));
	gputm_commit_unit_free(twin[0]);
	gputm_commit_unit_free(twin[1]);
}

static struct gputm_commit_unit_config random_config(uint64_t *random)
{
	struct gputm_commit_unit_config c = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	c.warp_mode = kit_below(random, 2);
	c.ring = 16 + (uint32_t)kit_below(random, 60);
	c.lanes = 8;
	c.cid_bits = 9;
	c.buffer_words = 1 + (uint32_t)kit_below(random, 6);
	c.buffers = (uint32_t)kit_below(random, 64);
	c.buffer_policy = 1 + (uint32_t)kit_below(random, 4);
	c.region_bytes = 4u << kit_below(random, 4);
	c.hazard_rate = 1 + (uint32_t)kit_below(random, 3);
	c.input_depth = 1 + (uint32_t)kit_below(random, 8);
	c.resent_depth = 1 + (uint32_t)kit_below(random, 3);
	c.output_depth = 1 + (uint32_t)kit_below(random, 4);
	c.port_words = 64;
	c.history_sets = 1u << kit_below(random, 4);
	c.history_ways = 1 + (uint32_t)kit_below(random, 3);
	c.filter_buckets = 1u << kit_below(random, 5);
	c.pending_block = kit_below(random, 2) ? 32 : 0;
	c.pending_entries = 8;
	c.first_cid = kit_below(random, 100);
	c.seed = kit_random(random);
	return c;
}

static struct oracle_plan random_plan(uint64_t *random, const struct gputm_commit_unit_config *c)
{
	struct oracle_plan plan = {
		.warps = 150,
		.lanes = 8,
		.most_reads = (uint32_t)kit_below(random, ORACLE_LOG),
		.most_writes = (uint32_t)kit_below(random, ORACLE_LOG),
		.skips = (uint32_t)kit_below(random, 14),
		.private_words = c->warp_mode,
		.first_cid = c->first_cid,
		.seed = kit_random(random),
	};

	return plan;
}

KIT_TESTS(test_commit_unit_random, kit_scale(60, 6))
{
	uint64_t random = (uint64_t)_i + 1;
	struct gputm_commit_unit_config config = random_config(&random);
	struct oracle_plan plan = random_plan(&random, &config);
	struct oracle_world *world = oracle_world_new(&plan);
	struct gputm_commit_unit *unit = NULL;
	const char *wrong = NULL;
	uint64_t rounds = 0;

	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), 0);
	while (oracle_world_round(world, unit, &wrong)) {
		ck_assert_msg(++rounds < 100000, "seed %d: no progress", _i);
		gputm_commit_unit_tick(unit);
		kit_valid(gputm_commit_unit_unit(unit));
		if (kit_below(&random, 100))
			continue;
		check_clock(unit, &config, 12);
		unit = (struct gputm_commit_unit *)(void *)kit_swap(&commit_unit_maker, kit,
								    gputm_commit_unit_unit(unit));
	}
	ck_assert_msg(!wrong, "seed %d: %s", _i, wrong);
	ck_assert_msg(oracle_world_agrees(world), "seed %d: memory", _i);
	ck_assert_uint_eq(kit_stat(gputm_commit_unit_unit(unit), "committed"),
			  oracle_world_commits(world));
	oracle_world_free(world);
	gputm_commit_unit_free(unit);
}

static void check_offers(const struct gputm_commit_unit *unit, int offers)
{
	struct gputm_mem_request request;
	struct gputm_commit_report report;

	ck_assert_int_eq(!!(offers & GPUTM_COMMIT_UNIT_OFFERS_READ),
			 gputm_commit_unit_mem_peek(unit, GPUTM_COMMIT_UNIT_VALIDATION, &request));
	ck_assert_int_eq(!!(offers & GPUTM_COMMIT_UNIT_OFFERS_WRITE),
			 gputm_commit_unit_mem_peek(unit, GPUTM_COMMIT_UNIT_COMMIT, &request));
	ck_assert_int_eq(!!(offers & GPUTM_COMMIT_UNIT_OFFERS_REPORT),
			 gputm_commit_unit_peek(unit, &report));
}

static void check_same_bytes(struct gputm_unit *a, struct gputm_unit *b)
{
	size_t size = gputm_unit_save(a, NULL, 0);
	char *bytes = malloc(2 * size);

	ck_assert_uint_eq(gputm_unit_save(b, NULL, 0), size);
	ck_assert_uint_eq(gputm_unit_save(a, bytes, size), size);
	ck_assert_uint_eq(gputm_unit_save(b, bytes + size, size), size);
	ck_assert_mem_eq(bytes, bytes + size, size);
	free(bytes);
}

/* What is put off while nobody looks is the same as what an observer is told at once. */
KIT_TESTS(test_commit_unit_observed_or_not, kit_scale(30, 3))
{
	uint64_t random = (uint64_t)_i + 1;
	struct gputm_commit_unit_config config = random_config(&random);
	struct oracle_plan plan = random_plan(&random, &config);
	struct oracle_world *world[2] = { oracle_world_new(&plan), oracle_world_new(&plan) };
	struct gputm_commit_unit *unit[2];
	struct gputm_unit *face[2];
	const char *wrong = NULL;
	bool more = true;

	for (int n = 0; n < 2; n++) {
		ck_assert_int_eq(gputm_commit_unit_new(NULL, &config, &unit[n]), 0);
		face[n] = gputm_commit_unit_unit(unit[n]);
	}
	kit_observe(face[0]);
	for (unsigned rounds = 0; more; rounds++) {
		ck_assert_uint_lt(rounds, 100000);
		for (int n = 0; n < 2; n++) {
			more = oracle_world_round(world[n], unit[n], &wrong);
			check_offers(unit[n], gputm_commit_unit_tick(unit[n]));
		}
		if (kit_below(&random, 20))
			continue;
		ck_assert_uint_eq(kit_stat(face[1], "hazard_words"),
				  kit_events(GPUTM_COMMIT_UNIT_HAZARD));
		check_same_bytes(face[0], face[1]);
	}
	ck_assert_msg(!wrong, "seed %d: %s", _i, wrong);
	for (int n = 0; n < 2; n++) {
		oracle_world_free(world[n]);
		gputm_commit_unit_free(unit[n]);
	}
}

KIT_TESTS(test_commit_unit_take_is_peek_and_pop, 2)
{
	struct gputm_commit_unit_config config = small_config();
	struct gputm_mem_request seen, taken;
	struct hand h;

	config.warp_mode = _i;
	open_hand(&h, &config);
	memset(&seen, 0, sizeof(seen));
	memset(&taken, 0, sizeof(taken));
	ck_assert(!gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_VALIDATION, &taken));
	send_log(&h, GPUTM_COMMIT_READ_LOG, 7, 0, 2, 5);
	ticks(&h, 2);
	ck_assert(gputm_commit_unit_mem_peek(h.unit, GPUTM_COMMIT_UNIT_VALIDATION, &seen));
	ck_assert(gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_VALIDATION, &taken));
	ck_assert_mem_eq(&seen, &taken, sizeof(seen));
	ck_assert_uint_eq(stat_of(&h, "read_requests"), 1);
	ck_assert(!gputm_commit_unit_mem_take(h.unit, GPUTM_COMMIT_UNIT_VALIDATION, &taken));
	ck_assert_mem_eq(&seen, &taken, sizeof(seen));
	close_hand(&h);
}

/* A unit in the middle of things, and its snapshots. */
KIT_TEST(test_commit_unit_hostile)
{
	struct gputm_commit_unit_config config = small_config();
	struct oracle_plan plan = { .warps = 40, .lanes = 8, .most_reads = 10, .most_writes = 10,
				    .skips = 3, .first_cid = 7, .seed = 5 };
	struct oracle_world *world = oracle_world_new(&plan);
	struct gputm_commit_unit *unit = NULL;
	const char *wrong = NULL;

	ck_assert_int_eq(gputm_commit_unit_new(NULL, &config, &unit), 0);
	for (unsigned n = 0; n < 150; n++) {
		ck_assert(oracle_world_round(world, unit, &wrong));
		gputm_commit_unit_tick(unit);
	}
	kit_round_trip(&commit_unit_maker, gputm_commit_unit_unit(unit));
	kit_hostile(&commit_unit_maker, gputm_commit_unit_unit(unit));
	oracle_world_free(world);
	gputm_commit_unit_free(unit);
}
