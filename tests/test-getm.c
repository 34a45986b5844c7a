/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The units of GETM together, on a machine of a few lines: warps with one transaction at a
 * time, validation units in a ring, commit buffers, memory. Whatever commits must read
 * and leave what a serial run in the order of (epoch, stamp) reads and leaves; nothing may
 * wait for ever, and no reservation stay.
 */
#include "tests/kit.h"

KIT_MAKER(validation_unit, VALIDATION_UNIT);
KIT_MAKER(commit_buffer, COMMIT_BUFFER);
KIT_MAKER(warp_clock, WARP_CLOCK);

#define UNITS 2
#define WARPS 6
#define WORDS 12
#define ACCESSES 5
#define COMMITTED 4000
#define OUTBOX 512

enum warp_state { BACKING_OFF, READY, WAITING, HELD };

struct attempt {
	uint64_t epoch, time, order; /* the witness */
	uint32_t warp;
	unsigned reads, writes;
	struct {
		unsigned word;
		uint32_t value;
	} read[ACCESSES], write[ACCESSES];
};

struct warp {
	enum warp_state state;
	uint64_t sequence, order, wait;
	unsigned length, next;
	struct {
		unsigned word;
		bool write;
	} access[ACCESSES];
	unsigned stores[WORDS]; /* granted, by word */
	struct attempt attempt;
};

struct machine {
	struct kit kit;
	uint64_t random, epoch, cycles;
	uint32_t granularity, values, memory[WORDS];
	struct gputm_validation_unit *vu[UNITS];
	struct gputm_commit_buffer *cb[UNITS];
	struct gputm_warp_clock *clock;
	struct warp warp[WARPS];
	struct gputm_commit_buffer_entry outbox[UNITS][OUTBOX];
	unsigned outgoing[UNITS], commits;
	uint64_t flying[UNITS][16];
	unsigned flights[UNITS];
	struct attempt committed[COMMITTED];
};

static unsigned unit_of(const struct machine *m, unsigned word)
{
	return word * 4 / m->granularity % UNITS;
}

static bool chance(struct machine *m, unsigned one_in)
{
	return kit_below(&m->random, one_in) == 0;
}

/* ---- warps ---- */

static void new_attempt(struct machine *m, struct warp *w)
{
	uint32_t number = (uint32_t)(w - m->warp);

	memset(w->stores, 0, sizeof(w->stores));
	memset(&w->attempt, 0, sizeof(w->attempt));
	w->next = 0;
	w->sequence++;
	w->attempt.warp = number;
	w->attempt.epoch = m->epoch;
	ck_assert_int_eq(gputm_warp_clock_get_time(m->clock, number, &w->attempt.time), 0);
}

static void new_transaction(struct machine *m, struct warp *w)
{
	w->length = 1 + (unsigned)kit_below(&m->random, ACCESSES);
	for (unsigned i = 0; i < w->length; i++) {
		w->access[i].word = (unsigned)kit_below(&m->random, WORDS);
		w->access[i].write = chance(m, 2);
	}
	new_attempt(m, w);
	w->state = READY;
}

static void send_log(struct machine *m, struct warp *w, bool cleanup)
{
	for (unsigned word = 0; word < WORDS; word++) {
		struct gputm_commit_buffer_entry e = { word * 4, w->sequence, w->attempt.warp, 0,
						w->stores[word], cleanup };
		unsigned unit = unit_of(m, word);

		if (!e.count)
			continue;
		for (unsigned i = 0; i < w->attempt.writes; i++)
			if (w->attempt.write[i].word == word)
				e.value = w->attempt.write[i].value;
		ck_assert_uint_lt(m->outgoing[unit], OUTBOX);
		m->outbox[unit][m->outgoing[unit]++] = e;
	}
}

static void restart(struct machine *m, struct warp *w)
{
	int result = gputm_warp_clock_restart(m->clock, w->attempt.warp, &w->wait);

	ck_assert_int_ge(result, 0);
	if (result == GPUTM_WARP_CLOCK_ROLLOVER)
		gputm_validation_unit_rollover(m->vu[0]);
	w->state = BACKING_OFF;
}

static void abort_attempt(struct machine *m, struct warp *w, uint64_t reported)
{
	send_log(m, w, true);
	ck_assert_int_eq(gputm_warp_clock_abort(m->clock, w->attempt.warp, reported), 0);
	restart(m, w);
}

static void commit(struct machine *m, struct warp *w)
{
	send_log(m, w, false);
	ck_assert_int_eq(gputm_warp_clock_commit(m->clock, w->attempt.warp), 0);
	w->attempt.order = w->order++;
	if (m->commits < COMMITTED)
		m->committed[m->commits++] = w->attempt;
	new_transaction(m, w);
}

static void issue(struct machine *m, struct warp *w)
{
	unsigned word = w->access[w->next].word;
	struct gputm_validation_unit_request r = { w->attempt.warp, word * 4, w->attempt.time,
					      w->sequence, w->attempt.warp,
					      w->access[w->next].write };
	int result = gputm_validation_unit_push(m->vu[unit_of(m, word)], &r);

	ck_assert_int_ge(result, 0);
	if (result == GPUTM_VALIDATION_UNIT_ACCEPTED)
		w->state = WAITING;
}

static void note_load(struct machine *m, struct warp *w, unsigned word)
{
	struct attempt *a = &w->attempt;

	if (w->stores[word])
		return;
	a->read[a->reads].word = word;
	a->read[a->reads++].value = m->memory[word];
}

static void answer(struct machine *m, const struct gputm_validation_unit_answer *got)
{
	struct warp *w = &m->warp[got->tag];
	unsigned word = w->access[w->next].word;

	ck_assert_int_eq(w->state, WAITING);
	if (got->result == GPUTM_VALIDATION_UNIT_ABORT) {
		abort_attempt(m, w, got->time);
		return;
	}
	if (w->access[w->next].write) {
		w->stores[word]++;
		w->attempt.write[w->attempt.writes].word = word;
		w->attempt.write[w->attempt.writes++].value = ++m->values;
	} else {
		note_load(m, w, word);
	}
	w->state = READY;
	if (++w->next == w->length)
		commit(m, w);
}

/* ---- partitions ---- */

static void feed_buffer(struct machine *m, unsigned unit)
{
	while (m->outgoing[unit] && !chance(m, 3)) {
		int result = gputm_commit_buffer_push(m->cb[unit], &m->outbox[unit][0]);

		ck_assert_int_ge(result, 0);
		if (result == GPUTM_COMMIT_BUFFER_FULL)
			return;
		memmove(&m->outbox[unit][0], &m->outbox[unit][1],
			--m->outgoing[unit] * sizeof(m->outbox[unit][0]));
	}
}

static void write_memory(struct machine *m, unsigned unit)
{
	struct gputm_mem_request r;

	if (m->flights[unit] < 16 && gputm_commit_buffer_mem_peek(m->cb[unit], &r)) {
		for (EACH_LANE(i, r.word_mask))
			m->memory[r.address / 4 + i] = r.value[i];
		ck_assert(gputm_commit_buffer_mem_pop(m->cb[unit]));
		m->flying[unit][m->flights[unit]++] = r.tag;
	}
	while (m->flights[unit] && chance(m, 3)) {
		ck_assert_int_eq(gputm_commit_buffer_mem_complete(m->cb[unit], m->flying[unit][0]),
				 0);
		memmove(&m->flying[unit][0], &m->flying[unit][1],
			--m->flights[unit] * sizeof(m->flying[unit][0]));
	}
}

static void release(struct machine *m, unsigned unit)
{
	struct gputm_commit_buffer_release r;

	while (gputm_commit_buffer_peek(m->cb[unit], &r)) {
		ck_assert_int_eq(gputm_validation_unit_release(m->vu[unit], r.address, r.warp,
							       r.sequence, r.count, NULL), 0);
		ck_assert(gputm_commit_buffer_pop(m->cb[unit]));
	}
}

static void partition(struct machine *m, unsigned unit)
{
	struct gputm_validation_unit_answer got;
	struct gputm_validation_unit_message message;

	ck_assert_int_ge(gputm_validation_unit_tick(m->vu[unit]), 0);
	if (gputm_validation_unit_peek(m->vu[unit], &got)) {
		answer(m, &got);
		ck_assert(gputm_validation_unit_pop(m->vu[unit]));
	}
	feed_buffer(m, unit);
	gputm_commit_buffer_tick(m->cb[unit]);
	write_memory(m, unit);
	release(m, unit);
	if (chance(m, 4) && gputm_validation_unit_ring_peek(m->vu[unit], &message)) {
		ck_assert_int_eq(gputm_validation_unit_ring_push(m->vu[(unit + 1) % UNITS],
								 &message), 0);
		ck_assert(gputm_validation_unit_ring_pop(m->vu[unit]));
	}
}

/* ---- rollover, as the cores see it ---- */

static struct gputm_validation_unit *leader(struct machine *m)
{
	for (unsigned i = 0; i < UNITS; i++)
		if (gputm_validation_unit_current_state(m->vu[i]) ==
		    GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED)
			return m->vu[i];
	return NULL;
}

/* All running attempts abort; when none waits for an answer, the clocks go to 0. */
static void cores_roll_over(struct machine *m, struct gputm_validation_unit *all_stopped)
{
	bool quiet = true;

	for (unsigned i = 0; i < WARPS; i++) {
		struct warp *w = &m->warp[i];

		if (w->state == READY)
			abort_attempt(m, w, 0);
		if (w->state == WAITING)
			quiet = false;
		else
			w->state = HELD;
	}
	if (!quiet)
		return;
	gputm_warp_clock_rollover(m->clock);
	m->epoch++;
	for (unsigned i = 0; i < WARPS; i++)
		m->warp[i].state = BACKING_OFF;
	ck_assert_int_eq(gputm_validation_unit_rollover_go(all_stopped), 0);
}

/* ---- the whole ---- */

static void cycle(struct machine *m)
{
	struct gputm_validation_unit *all_stopped = leader(m);

	if (all_stopped)
		cores_roll_over(m, all_stopped);
	for (unsigned i = 0; i < WARPS; i++) {
		struct warp *w = &m->warp[i];

		if (w->state == BACKING_OFF && (!w->wait || !w->wait--)) {
			new_attempt(m, w);
			w->state = READY;
		} else if (w->state == READY && chance(m, 2)) {
			issue(m, w);
		}
	}
	for (unsigned i = 0; i < UNITS; i++)
		partition(m, i);
	m->cycles++;
}

static void open_machine(struct machine *m, uint64_t seed, bool paper_order, uint32_t time_bits)
{
	struct gputm_validation_unit_config vu = validation_unit_init;
	struct gputm_commit_buffer_config cb = commit_buffer_init;

	memset(m, 0, sizeof(*m));
	m->random = seed;
	kit_open(&m->kit);
	vu.paper_order = paper_order;
	vu.granularity = cb.granularity = m->granularity = 4u << kit_below(&m->random, 3);
	cb.block_bytes = vu.granularity;
	cb.blocks = 2 + (uint32_t)kit_below(&m->random, 8);
	vu.time_bits = time_bits;
	vu.margin = time_bits < 10 ? 24 : 1024;
	vu.ways = 1 + (uint32_t)kit_below(&m->random, 4);
	vu.entries = 1u << kit_below(&m->random, 4);
	vu.stash = (uint32_t)kit_below(&m->random, 3);
	vu.filter_entries = 1u << kit_below(&m->random, 6);
	vu.memory_latency = 3;
	vu.stall_lines = 1 + (uint32_t)kit_below(&m->random, 4);
	vu.stall_requests = 1 + (uint32_t)kit_below(&m->random, 4);
	vu.units = UNITS;
	for (vu.id = 0; vu.id < UNITS; vu.id++) {
		m->vu[vu.id] = (void *)kit_make(&m->kit, &validation_unit_maker, &vu);
		m->cb[vu.id] = (void *)kit_make(&m->kit, &commit_buffer_maker, &cb);
	}
	m->clock = kit_make_as(&m->kit, &warp_clock_maker,
			       "time_bits=%u margin=%u warps=%u backoff_base=8 seed=%u", time_bits,
			       (unsigned)vu.margin, WARPS, (unsigned)seed);
	for (unsigned i = 0; i < WARPS; i++)
		new_transaction(m, &m->warp[i]);
}

static bool at_rest(const struct machine *m)
{
	uint64_t left = 0;

	for (unsigned i = 0; i < WARPS; i++)
		left += m->warp[i].state == WAITING || m->warp[i].state == READY;
	for (unsigned unit = 0; unit < UNITS; unit++)
		left += gputm_validation_unit_writes(m->vu[unit]) +
			gputm_validation_unit_pending(m->vu[unit]) +
			gputm_commit_buffer_writes(m->cb[unit]) + m->outgoing[unit];
	return !left;
}

/* Nobody issues any more: what runs aborts, what is on its way ends, and nothing is left. */
static void drain(struct machine *m)
{
	for (unsigned turns = 0; !at_rest(m); turns++) {
		ck_assert_msg(turns < 20000, "something waits for ever");
		for (unsigned i = 0; i < WARPS; i++)
			if (m->warp[i].state == READY)
				abort_attempt(m, &m->warp[i], 0);
		for (unsigned unit = 0; unit < UNITS; unit++)
			partition(m, unit);
	}
	for (unsigned unit = 0; unit < UNITS; unit++) {
		kit_valid(gputm_validation_unit_unit(m->vu[unit]));
		kit_valid(gputm_commit_buffer_unit(m->cb[unit]));
		ck_assert_uint_eq(kit_stat(gputm_validation_unit_buffer(m->vu[unit]), "waiting"),
				  0);
		ck_assert_uint_eq(kit_stat(gputm_validation_unit_table(m->vu[unit]),
					   "overflow_now"), 0);
	}
	kit_valid(gputm_warp_clock_unit(m->clock));
}

static int by_witness(const void *a, const void *b)
{
	const struct attempt *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Replay in the order of the witness. */
static bool serialisable(struct machine *m)
{
	uint32_t memory[WORDS] = { 0 };

	qsort(m->committed, m->commits, sizeof(m->committed[0]), by_witness);
	for (unsigned i = 0; i < m->commits; i++) {
		const struct attempt *a = &m->committed[i];

		for (unsigned j = 0; j < a->reads; j++)
			if (memory[a->read[j].word] != a->read[j].value)
				return false;
		for (unsigned j = 0; j < a->writes; j++)
			memory[a->write[j].word] = a->write[j].value;
	}
	return !memcmp(memory, m->memory, sizeof(memory));
}

static struct machine machine;

static bool run(uint64_t seed, bool paper_order, uint32_t time_bits, unsigned commits,
		uint64_t *rollovers)
{
	struct machine *m = &machine;
	bool good;

	open_machine(m, seed, paper_order, time_bits);
	while (m->commits < commits) {
		cycle(m);
		ck_assert_msg(m->cycles < commits * UINT64_C(2000),
			      "seed %u hangs after %u commits", (unsigned)seed, m->commits);
	}
	drain(m);
	*rollovers += m->epoch;
	good = serialisable(m);
	kit_close(&m->kit);
	return good;
}

KIT_TEST(test_getm_is_serialisable_in_total_order)
{
	uint64_t rollovers = 0;

	for (uint64_t seed = 0; seed < kit_scale(300, 8); seed++)
		ck_assert_msg(run(seed, false, 32, 100, &rollovers), "seed %u", (unsigned)seed);
	ck_assert_uint_eq(rollovers, 0);
}

/* The write skew of the paper's order is not only in theory. */
KIT_TEST(test_getm_is_not_in_paper_order)
{
	uint64_t rollovers = 0;
	unsigned wrong = 0;

	for (uint64_t seed = 0; seed < kit_scale(300, 60); seed++)
		wrong += !run(seed, true, 32, 100, &rollovers);
	ck_assert_uint_gt(wrong, 0);
}

KIT_TEST(test_getm_rolls_over_many_times)
{
	uint64_t rollovers = 0;

	for (uint64_t seed = 0; seed < kit_scale(40, 3); seed++)
		ck_assert_msg(run(seed, false, 6, 1000, &rollovers), "seed %u", (unsigned)seed);
	ck_assert_uint_gt(rollovers, kit_scale(200, 10));
}
