/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_COMMIT_UNIT_H
#define GPUTM_TESTS_COMMIT_UNIT_H
/* A commit unit in hand, for its tests. */
#include <string.h>

#include "gputm/commit_unit.h"
#include "tests/kit.h"

struct hand {
	struct gputm_commit_unit *unit;
	uint32_t memory[16];
	uint64_t tag[2]; /* of the last request taken */
};

static inline struct gputm_commit_unit_config small_config(void)
{
	struct gputm_commit_unit_config c = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	c.ring = 64;
	c.lanes = 8;
	c.port_words = 64;
	c.buffers = 32;
	c.first_cid = 7;
	return c;
}

static inline void open_hand(struct hand *h, const struct gputm_commit_unit_config *config)
{
	memset(h, 0, sizeof(*h));
	ck_assert_int_eq(gputm_commit_unit_new(NULL, config, &h->unit), 0);
}

static inline void close_hand(struct hand *h)
{
	kit_valid(gputm_commit_unit_unit(h->unit));
	gputm_commit_unit_free(h->unit);
}

static inline uint64_t stat_of(const struct hand *h, const char *name)
{
	return kit_stat(gputm_commit_unit_unit(h->unit), name);
}

static inline struct gputm_commit_message header(uint32_t kind, uint64_t first, uint32_t lanes)
{
	struct gputm_commit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	m.first_cid = first;
	m.lanes = lanes;
	return m;
}

static inline int push(struct hand *h, const struct gputm_commit_message *m)
{
	int answer = gputm_commit_unit_push_probe(h->unit, m);

	ck_assert_int_eq(answer, gputm_commit_unit_push(h->unit, m));
	return answer;
}

/* `count` words of one transaction alone in its warp, from word `at` on. */
static inline void send_log(struct hand *h, uint32_t kind, uint64_t cid, uint32_t at,
			    uint32_t count, uint32_t value)
{
	struct gputm_commit_message m = header(kind, cid, 1);

	m.mask = 1;
	for (uint32_t n = 0; n < count; n++)
		m.word[m.words++] = (struct gputm_commit_word){ 4 * (at + n), value, 0 };
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

static inline void send_mask(struct hand *h, uint32_t kind, uint64_t cid, bool yes)
{
	struct gputm_commit_message m = header(kind, cid, 1);

	m.mask = 1;
	m.yes = yes;
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

/* Tick until the request at the port is offered; take it. @return the ticks. */
static inline unsigned wait_request(struct hand *h, int port)
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

static inline void complete(struct hand *h, int port, uint32_t value)
{
	uint32_t values[GPUTM_MEM_WORDS];

	for (unsigned n = 0; n < GPUTM_MEM_WORDS; n++)
		values[n] = value;
	ck_assert_int_eq(gputm_commit_unit_mem_complete(h->unit, h->tag[port], values), 0);
}

/* Tick until a report comes, take it. @return the ticks. */
static inline unsigned wait_report(struct hand *h, uint32_t kind, uint64_t first, bool yes)
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

static inline unsigned wait_stage(struct hand *h, uint64_t cid, enum gputm_commit_stage stage)
{
	unsigned ticks = 0;

	while (gputm_commit_unit_stage(h->unit, cid) != stage) {
		ck_assert_uint_lt(ticks++, 1000);
		gputm_commit_unit_tick(h->unit);
	}
	return ticks;
}

static inline void ticks(struct hand *h, unsigned count)
{
	while (count--)
		gputm_commit_unit_tick(h->unit);
}

/* The example at the head of lib/kilotm/commit_unit.c: 8 has read what 7 writes. */
static inline void play_hazard(struct hand *h, uint32_t value_read)
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

#endif /* GPUTM_TESTS_COMMIT_UNIT_H */
