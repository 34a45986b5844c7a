/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_unit: words of passing transactions from the push of their log to the report
 * of their warp, everything included; skips; idle cycles. A turn of words is a warp of 32
 * transactions of 4 reads and 4 writes, in rows. The bound for words keeps each
 * log word in a flat buffer, one four-way set of last writers and one comparison; for
 * skips it is three pointers that pass an array of flags.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/commit_unit.h"
#include "tests/bench/bench.h"

#define LANES 32
#define LOG 4
#define WORDS (2 * LOG * LANES)
#define SETS 128
#define WAYS 4
#define SLOTS 4096

struct machine {
	struct gputm_commit_unit *unit;
	uint64_t cid, told, retired;
	struct gputm_commit_message rows[2 * LOG], done, verdict, skip;
	/* of the bound */
	struct gputm_commit_word buffer[WORDS];
	uint32_t word[SETS][WAYS];
	uint64_t writer[SETS][WAYS];
	uint8_t flag[SLOTS];
	uint64_t oldest, commit, hazard;
};

static void *setup_mode(bool warp_mode)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct machine *m = calloc(1, sizeof(*m));

	config.warp_mode = warp_mode;
	if (!m || gputm_commit_unit_new(NULL, &config, &m->unit)) {
		free(m);
		return NULL;
	}
	m->cid = config.first_cid;
	m->done = (struct gputm_commit_message){ .kind = GPUTM_COMMIT_DONE, .lanes = LANES,
						 .mask = UINT32_MAX, .yes = UINT32_MAX };
	m->skip = m->verdict = m->done;
	m->skip.yes = 0;
	m->verdict.kind = GPUTM_COMMIT_VERDICT;
	for (uint32_t row = 0; row < 2 * LOG; row++) {
		m->rows[row] = (struct gputm_commit_message){
			.kind = row < LOG ? GPUTM_COMMIT_READ_LOG : GPUTM_COMMIT_WRITE_LOG,
			.lanes = LANES, .words = LANES, .mask = UINT32_MAX };
		for (uint32_t lane = 0; lane < LANES; lane++)
			m->rows[row].word[lane] = (struct gputm_commit_word){
				.address = 4 * (row % LOG * LANES + lane) +
					   (row < LOG ? 0 : 0x10000),
				.value = 7, .lane = lane };
	}
	return m;
}

static void *setup_scalar(void)
{
	return setup_mode(false);
}

static void *setup_warp(void)
{
	return setup_mode(true);
}

static void teardown(void *state)
{
	struct machine *m = state;

	gputm_commit_unit_free(m->unit);
	free(m);
}

static void push(struct machine *m, const struct gputm_commit_message *message)
{
	if (gputm_commit_unit_push(m->unit, message) != GPUTM_COMMIT_UNIT_ACCEPTED)
		abort();
}

static void push_warp(struct machine *m)
{
	for (uint32_t row = 0; row < 2 * LOG; row++) {
		m->rows[row].first_cid = m->cid;
		push(m, &m->rows[row]);
	}
	m->done.first_cid = m->cid;
	push(m, &m->done);
	m->cid += LANES;
}

static void answer(struct machine *m, enum gputm_commit_unit_port port)
{
	static const uint32_t sevens[GPUTM_MEM_WORDS] = { 7, 7, 7, 7, 7, 7, 7, 7 };
	struct gputm_mem_request request;

	if (!gputm_commit_unit_mem_take(m->unit, port, &request) ||
	    gputm_commit_unit_mem_complete(m->unit, request.tag, sevens))
		abort();
}

static void take_reports(struct machine *m)
{
	struct gputm_commit_report report;

	while (gputm_commit_unit_peek(m->unit, &report)) {
		gputm_commit_unit_pop(m->unit);
		if (report.kind == GPUTM_COMMIT_RETIRED) {
			m->retired++;
			continue;
		}
		m->told += (uint64_t)__builtin_popcountll(report.mask & report.yes);
		if (m->told % LANES)
			continue;
		m->verdict.first_cid = report.first_cid;
		push(m, &m->verdict);
	}
}

/* One cycle with a memory that answers at once. */
static void serve(struct machine *m)
{
	int offers = gputm_commit_unit_tick(m->unit);

	if (offers & GPUTM_COMMIT_UNIT_OFFERS_READ)
		answer(m, GPUTM_COMMIT_UNIT_VALIDATION);
	if (offers & GPUTM_COMMIT_UNIT_OFFERS_WRITE)
		answer(m, GPUTM_COMMIT_UNIT_COMMIT);
	if (offers & GPUTM_COMMIT_UNIT_OFFERS_REPORT)
		take_reports(m);
}

/* Four warps overlap, so that no stage waits for long. */
static void words(void *state, uint64_t count)
{
	struct machine *m = state;
	uint64_t pushed = m->retired, end = pushed + count;

	while (m->retired < end) {
		if (pushed < end && pushed < m->retired + 4) {
			push_warp(m);
			pushed++;
		}
		serve(m);
	}
}

static void skips(void *state, uint64_t count)
{
	struct machine *m = state;

	for (; count--; m->cid += LANES) {
		m->skip.first_cid = m->cid;
		push(m, &m->skip);
		gputm_commit_unit_advance(m->unit, LANES + 1);
		if (!gputm_commit_unit_pop(m->unit))
			abort();
	}
}

static void idle(void *state, uint64_t count)
{
	struct machine *m = state;

	while (count--)
		gputm_commit_unit_advance(m->unit, 1000);
}

/* ---- bounds ---- */

static uint64_t *writer_of(struct machine *m, uint64_t address, bool make)
{
	uint32_t word = (uint32_t)address / 4 + 1, set = word % SETS, victim = 0;

	for (uint32_t way = 0; way < WAYS; way++) {
		if (m->word[set][way] == word)
			return &m->writer[set][way];
		if (m->writer[set][way] < m->writer[set][victim])
			victim = way;
	}
	if (!make)
		return NULL;
	m->word[set][victim] = word;
	return &m->writer[set][victim];
}

BENCH_TIGHT static uint64_t tight_warp(struct machine *m)
{
	uint64_t hazards = 0, at = 0;

	for (uint32_t row = 0; row < 2 * LOG; row++)
		for (uint32_t lane = 0; lane < LANES; lane++)
			m->buffer[at++] = m->rows[row].word[lane];
	for (at = 0; at < WORDS / 2; at++) {
		const uint64_t *writer = writer_of(m, m->buffer[at].address, false);

		hazards += (writer && *writer >= m->cid) || m->buffer[at].value != 7;
	}
	for (; at < WORDS; at++)
		*writer_of(m, m->buffer[at].address, true) = m->cid + m->buffer[at].lane;
	return hazards;
}

static void bound_words(void *state, uint64_t count)
{
	struct machine *m = state;

	for (; count--; m->cid += LANES)
		bench_use(tight_warp(m));
}

BENCH_TIGHT static void tight_skips(struct machine *m)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		m->flag[(m->cid + lane) % SLOTS] = 1;
	bench_clobber();
	for (uint32_t lane = 0; lane < LANES; lane++) {
		m->hazard += m->flag[m->hazard % SLOTS];
		m->commit += m->flag[m->commit % SLOTS];
		m->flag[m->oldest++ % SLOTS] = 0;
	}
}

static void bound_skips(void *state, uint64_t count)
{
	struct machine *m = state;

	for (; count--; m->cid += LANES)
		tight_skips(m);
}

static const struct bench_op operations[] = {
	{ "commit_unit", "word, scalar mode", setup_scalar, teardown, words, bound_words,
	  "gputm_commit_unit_*", "tight_warp", WORDS },
	{ "commit_unit", "word, warp mode", setup_warp, teardown, words, bound_words,
	  "gputm_commit_unit_*", "tight_warp", WORDS },
	{ "commit_unit", "skip", setup_scalar, teardown, skips, bound_skips, "gputm_commit_unit_*",
	  "tight_skips", LANES },
	{ "commit_unit", "idle cycle", setup_scalar, teardown, idle, NULL, "gputm_commit_unit_*",
	  NULL, 1000 },
};

BENCH_TABLE(operations)
