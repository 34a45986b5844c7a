/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commit_unit: words of transactions from the push of their log to the report of their warp,
 * everything included; skips; idle cycles. A turn of words is a warp of 32 transactions of 4
 * reads and 4 writes, in rows, at random words of 256 kB; a word in 64 is not what was read, so
 * that about one transaction in 16 fails, and one in eight of the others fails elsewhere. The
 * bound for words keeps each log word in a flat buffer, one four-way set of last writers and one
 * comparison, and stores what passes; for skips it is three pointers that pass an array of flags.
 */
#include "tests/bench/bench.h"

#define LANES 32
#define LOG 4
#define WORDS (2 * LOG * LANES)
#define SETS 128
#define WAYS 4
#define SLOTS 4096
#define MEMORY 65536 /* words */
#define OVERLAP 4    /* warps at work, so that no stage waits for long */

struct machine {
	struct gputm_commit_unit *unit;
	uint64_t cid, retired, random;
	uint32_t memory[MEMORY]; /* nothing is stored in it, so that no word becomes right */
	struct gputm_commit_unit_message rows[2 * LOG], done, verdict, skip;
	/* of the bound */
	struct gputm_commit_unit_word buffer[WORDS];
	uint32_t word[SETS][WAYS];
	uint64_t writer[SETS][WAYS];
	uint32_t stored[MEMORY];
	uint8_t flag[SLOTS];
	uint64_t oldest, commit, hazard;
};

BENCH_SETUP(setup_mode, struct machine *m)
{
	struct gputm_commit_unit_config config = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	config.warp_mode = given;
	config.input_depth = 1024;
	bench_must(gputm_commit_unit_new(NULL, &config, &m->unit));
	m->cid = config.first_cid;
	m->done = (struct gputm_commit_unit_message){ .kind = GPUTM_COMMIT_UNIT_MESSAGE_DONE,
						      .lanes = LANES,
						      .mask = UINT32_MAX,
						      .yes = UINT32_MAX };
	m->skip = m->verdict = m->done;
	m->skip.yes = 0;
	m->verdict.kind = GPUTM_COMMIT_UNIT_MESSAGE_VERDICT;
	for (uint32_t row = 0; row < 2 * LOG; row++)
		m->rows[row] = (struct gputm_commit_unit_message){
			.kind = row < LOG ? GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG
					  : GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG,
			.lanes = LANES,
			.words = LANES,
			.mask = UINT32_MAX
		};
	for (uint32_t n = 0; n < MEMORY; n++)
		m->memory[n] = bench_next(&m->random) % 64 ? 7 : 8;
}

/* The logs of the next warp. */
static void fill_rows(struct machine *m)
{
	for (uint32_t row = 0; row < 2 * LOG; row++)
		for (uint32_t lane = 0; lane < LANES; lane++)
			m->rows[row].word[lane] = (struct gputm_commit_unit_word){
				.address = bench_next(&m->random) % MEMORY * 4,
				.value = 7, .lane = lane };
}

static void push(struct machine *m, const struct gputm_commit_unit_message *message)
{
	if (gputm_commit_unit_push(m->unit, message) != GPUTM_COMMIT_UNIT_ACCEPTED)
		abort();
}

static void push_warp(struct machine *m)
{
	fill_rows(m);
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
	struct gputm_mem_request request;

	if (!gputm_commit_unit_mem_take(m->unit, port, &request) ||
	    gputm_commit_unit_mem_complete(m->unit, request.tag, &m->memory[request.address / 4]))
		abort();
}

/* At once: a younger lane of the warp may wait for this one. */
static void take_outcome(struct machine *m, const struct gputm_commit_unit_report *report)
{
	m->verdict.first_cid = report->first_cid;
	m->verdict.mask = report->mask;
	m->verdict.yes = report->yes & (bench_next(&m->random) | bench_next(&m->random) |
					bench_next(&m->random));
	push(m, &m->verdict);
}

static void take_reports(struct machine *m)
{
	struct gputm_commit_unit_report report;

	while (gputm_commit_unit_peek(m->unit, &report)) {
		gputm_commit_unit_pop(m->unit);
		if (report.kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED)
			m->retired++;
		else
			take_outcome(m, &report);
	}
}

/* One cycle with a memory that answers at once. */
static void serve(struct machine *m)
{
	int offers = gputm_commit_unit_tick(m->unit);

	if (offers & GPUTM_COMMIT_UNIT_OFFER_READ)
		answer(m, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
	if (offers & GPUTM_COMMIT_UNIT_OFFER_WRITE)
		answer(m, GPUTM_COMMIT_UNIT_PORT_COMMIT);
	if (offers & GPUTM_COMMIT_UNIT_OFFER_REPORT)
		take_reports(m);
}

static void words(void *state, uint64_t count)
{
	struct machine *m = state;
	uint64_t pushed = m->retired, end = pushed + count;

	while (m->retired < end) {
		if (pushed < end && pushed < m->retired + OVERLAP) {
			push_warp(m);
			pushed++;
		}
		serve(m);
	}
}

BENCH_LOOP(skips, struct machine *m)
{
	m->skip.first_cid = m->cid;
	m->cid += LANES;
	push(m, &m->skip);
	gputm_commit_unit_advance(m->unit, LANES + 1);
	if (!gputm_commit_unit_pop(m->unit))
		abort();
	return 0;
}

BENCH_DO(idle, struct machine *m, gputm_commit_unit_advance(m->unit, 1000))

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
	uint32_t failed = 0;

	for (uint32_t row = 0; row < 2 * LOG; row++)
		for (uint32_t lane = 0; lane < LANES; lane++)
			m->buffer[at++] = m->rows[row].word[lane];
	for (at = 0; at < WORDS / 2; at++) {
		const struct gputm_commit_unit_word *word = &m->buffer[at];
		const uint64_t *writer = writer_of(m, word->address, false);

		hazards += writer && *writer >= m->cid;
		if (m->memory[word->address / 4] != word->value)
			failed |= 1u << word->lane;
	}
	for (; at < WORDS; at++) {
		const struct gputm_commit_unit_word *word = &m->buffer[at];

		*writer_of(m, word->address, true) = m->cid + word->lane;
		if (!(failed >> word->lane & 1))
			m->stored[word->address / 4] = word->value;
	}
	return hazards;
}

BENCH_LOOP(bound_words, struct machine *m)
{
	m->cid += LANES;
	fill_rows(m);
	return tight_warp(m);
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

BENCH_LOOP(bound_skips, struct machine *m)
{
	m->cid += LANES;
	tight_skips(m);
	return 0;
}

/* Not those that others call. */
#define CALL(verb) "gputm_commit_unit_" verb
#define WORK CALL("push") "," CALL("tick") "," CALL("mem_*") "," CALL("peek") "," CALL("pop")
#define SKIPPING CALL("push") "," CALL("advance") "," CALL("pop")

static const struct bench_op operations[] = {
	{ "word, scalar mode", setup_mode, false, words, WORK,
	  .bound = bound_words, .bound_inside = "tight_warp", .per_turn = WORDS },
	{ "word, warp mode", setup_mode, true, words, WORK,
	  .bound = bound_words, .bound_inside = "tight_warp", .per_turn = WORDS },
	{ "skip", setup_mode, false, skips, SKIPPING,
	  .bound = bound_skips, .bound_inside = "tight_skips", .per_turn = LANES },
	{ "idle cycle", setup_mode, false, idle, SKIPPING,
	  .unbounded = "the cycles are only counted, many at once", .per_turn = 1000 },
};

BENCH_TABLE("commit_unit", struct machine, operations)
