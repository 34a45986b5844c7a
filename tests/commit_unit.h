/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_COMMIT_UNIT_H
#define GPUTM_TESTS_COMMIT_UNIT_H
/* A commit unit in hand, for its tests. */
#include "tests/kit.h"

KIT_PART(commit_unit, COMMIT_UNIT);

#define SMALL "ring=64 lanes=8 port_words=64 buffers=32 first_cid=7 "

struct hand {
	struct gputm_commit_unit *unit;
	uint64_t tag[2]; /* of the last request taken */
};

static inline struct hand hand_of(struct gputm_commit_unit *unit)
{
	return (struct hand){ .unit = unit };
}

static inline uint64_t stat_of(const struct hand *h, const char *name)
{
	return kit_stat(unit_of(h->unit), name);
}

static inline struct gputm_commit_unit_message header(uint32_t kind, uint64_t first, uint32_t lanes)
{
	struct gputm_commit_unit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	m.first_cid = first;
	m.lanes = lanes;
	return m;
}

static inline int push(struct hand *h, const struct gputm_commit_unit_message *m)
{
	int answer = gputm_commit_unit_push_probe(h->unit, m);

	ck_assert_int_eq(answer, gputm_commit_unit_push(h->unit, m));
	return answer;
}

/* `count` words of one transaction alone in its warp, from word `at` on. */
static inline void send_log(struct hand *h, uint32_t kind, uint64_t cid, uint32_t at,
			    uint32_t count, uint32_t value)
{
	struct gputm_commit_unit_message m = header(kind, cid, 1);

	m.mask = 1;
	for (uint32_t n = 0; n < count; n++)
		m.word[m.words++] = (struct gputm_commit_unit_word){ 4 * (at + n), value, 0 };
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

static inline void send_lanes(struct hand *h, uint32_t kind, uint64_t first, uint32_t lanes,
			      uint64_t mask, uint64_t yes)
{
	struct gputm_commit_unit_message m = header(kind, first, lanes);

	m.mask = mask;
	m.yes = yes;
	ck_assert_int_eq(push(h, &m), GPUTM_COMMIT_UNIT_ACCEPTED);
}

static inline void send_mask(struct hand *h, uint32_t kind, uint64_t cid, bool yes)
{
	send_lanes(h, kind, cid, 1, 1, yes);
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
	uint32_t values[GPUTM_MEM_WORDS_MAX];

	for (unsigned n = 0; n < GPUTM_MEM_WORDS_MAX; n++)
		values[n] = value;
	ck_assert_int_eq(gputm_commit_unit_mem_complete(h->unit, h->tag[port], values), 0);
}

static inline void serve(struct hand *h, int port, uint32_t value)
{
	wait_request(h, port);
	complete(h, port, value);
}

/* Tick until a report comes, take it. @return the ticks. */
static inline unsigned wait_report(struct hand *h, uint32_t kind, uint64_t first, uint64_t yes)
{
	struct gputm_commit_unit_report report;
	unsigned ticks = 0;

	while (!gputm_commit_unit_peek(h->unit, &report)) {
		ck_assert_uint_lt(ticks++, 1000);
		gputm_commit_unit_tick(h->unit);
	}
	ck_assert(gputm_commit_unit_pop(h->unit));
	KIT_HAS(report, kind, kind, first_cid, first, yes, yes);
	return ticks;
}

static inline unsigned wait_state(struct hand *h, uint64_t cid, enum gputm_commit_unit_state state)
{
	unsigned ticks = 0;

	while (gputm_commit_unit_entry_state(h->unit, cid) != state) {
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
static inline struct hand play_hazard(struct kit *kit, uint32_t value_read)
{
	struct hand h = hand_of(make(kit, SMALL));

	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG, 8, 0, 1, value_read);
	send_log(&h, GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG, 7, 0, 1, 1);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 7, true);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_DONE, 8, true);
	serve(&h, 0, 0);
	wait_report(&h, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, 7, true);
	ticks(&h, 20);
	ck_assert_int_eq(gputm_commit_unit_entry_state(h.unit, 8),
			 GPUTM_COMMIT_UNIT_STATE_VALIDATE);
	ck_assert_uint_eq(stat_of(&h, "hazards"), 1);
	send_mask(&h, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT, 7, true);
	return h;
}

#endif /* GPUTM_TESTS_COMMIT_UNIT_H */
