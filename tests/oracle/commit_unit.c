/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "tests/kit.h"
#include "tests/oracle/commit_unit.h"

#define FLYING 512
#define POSTED 1024

struct oracle_world {
	struct oracle_plan plan;
	uint64_t random;
	uint32_t serial[ORACLE_WORDS], memory[ORACLE_WORDS];
	struct oracle_warp warp[ORACLE_WARPS];
	uint32_t commits, live, low;
	uint64_t last_outcome; /* CID + 1 */
	struct gputm_mem_request flying[FLYING];
	uint32_t flying_count;
	struct gputm_commit_message *posted[POSTED]; /* verdicts and resent logs to be sent */
	uint32_t posted_count;
};

static uint32_t below(struct oracle_world *w, uint32_t limit)
{
	return (uint32_t)kit_below(&w->random, limit);
}

/* ---- the serial order ---- */

static bool serial_passes(const struct oracle_world *w, const struct oracle_tx *tx)
{
	for (uint32_t n = 0; n < tx->log[0].words; n++)
		if (w->serial[tx->log[0].at[n]] != tx->log[0].value[n])
			return false;
	return true;
}

static void serial_commit(struct oracle_world *w, struct oracle_tx *tx)
{
	if (tx->skip)
		return;
	tx->passes = serial_passes(w, tx);
	if (!tx->passes || !tx->elsewhere)
		return;
	w->commits++;
	for (uint32_t n = 0; n < tx->log[1].words; n++)
		w->serial[tx->log[1].at[n]] = tx->log[1].value[n];
}

/* ---- the plan ---- */

static uint32_t pick_word(struct oracle_world *w, uint32_t lane)
{
	if (!w->plan.private_words)
		return below(w, ORACLE_WORDS / 4);
	return lane % 16 + 16 * below(w, ORACLE_WORDS / 16);
}

static void plan_tx(struct oracle_world *w, struct oracle_tx *tx, uint32_t lane)
{
	tx->skip = below(w, 16) < w->plan.skips;
	tx->elsewhere = below(w, 4) != 0;
	tx->log[0].words = below(w, w->plan.most_reads + 1);
	tx->log[1].words = below(w, w->plan.most_writes + 1);
	for (uint32_t n = 0; n < tx->log[0].words; n++) {
		tx->log[0].at[n] = pick_word(w, lane);
		tx->log[0].value[n] = below(w, 8) ? w->serial[tx->log[0].at[n]] : below(w, 4);
	}
	for (uint32_t n = 0; n < tx->log[1].words; n++) {
		tx->log[1].at[n] = pick_word(w, lane);
		tx->log[1].value[n] = below(w, 4);
	}
	if (tx->skip)
		tx->log[0].words = tx->log[1].words = 0;
	serial_commit(w, tx);
}

struct oracle_world *oracle_world_new(const struct oracle_plan *plan)
{
	struct oracle_world *w = calloc(1, sizeof(*w));
	uint64_t cid = plan->first_cid;

	if (!w)
		abort();
	w->plan = *plan;
	w->random = plan->seed;
	w->live = plan->warps;
	for (uint32_t n = 0; n < plan->warps; n++) {
		struct oracle_warp *warp = &w->warp[n];

		warp->first = cid;
		warp->lanes = 1 + below(w, plan->lanes);
		warp->packed = below(w, 2);
		for (uint32_t lane = 0; lane < warp->lanes; lane++)
			plan_tx(w, &warp->tx[lane], lane);
		cid += warp->lanes;
	}
	return w;
}

void oracle_world_free(struct oracle_world *w)
{
	while (w->posted_count)
		free(w->posted[--w->posted_count]);
	free(w);
}

/* ---- cores ---- */

static void add_word(struct gputm_commit_message *m, const struct oracle_log *log, uint32_t n,
		     uint32_t lane)
{
	m->mask |= UINT64_C(1) << lane;
	m->word[m->words++] = (struct gputm_commit_word){ (uint64_t)log->at[n] * 4,
							  log->value[n], lane };
}

static struct gputm_commit_message header(const struct oracle_warp *warp, uint32_t kind)
{
	struct gputm_commit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	m.first_cid = warp->first;
	m.lanes = warp->lanes;
	return m;
}

/* Message number `n` of a packed warp: rows of read words, rows of write words, done. */
static bool packed_message(const struct oracle_warp *warp, uint32_t n,
			   struct gputm_commit_message *m)
{
	if (n > 2 * ORACLE_LOG)
		return false;
	*m = header(warp, n == 2 * ORACLE_LOG ? GPUTM_COMMIT_DONE : n / ORACLE_LOG);
	for (uint32_t lane = 0; lane < warp->lanes; lane++) {
		const struct oracle_tx *tx = &warp->tx[lane];

		if (m->kind == GPUTM_COMMIT_DONE) {
			m->mask |= UINT64_C(1) << lane;
			m->yes |= (uint64_t)!tx->skip << lane;
		} else if (n % ORACLE_LOG < tx->log[m->kind].words) {
			add_word(m, &tx->log[m->kind], n % ORACLE_LOG, lane);
		}
	}
	return true;
}

/* Message number `n` of a warp that sends each lane alone: its reads, writes, done. */
static bool single_message(const struct oracle_warp *warp, uint32_t n,
			   struct gputm_commit_message *m)
{
	uint32_t lane = warp->first & 1 ? n / 3 : warp->lanes - 1 - n / 3;
	const struct oracle_tx *tx;

	if (n / 3 >= warp->lanes)
		return false;
	tx = &warp->tx[lane];
	*m = header(warp, n % 3);
	if (m->kind == GPUTM_COMMIT_DONE) {
		m->mask = UINT64_C(1) << lane;
		m->yes = (uint64_t)!tx->skip << lane;
		return true;
	}
	for (uint32_t k = 0; k < tx->log[m->kind].words; k++)
		add_word(m, &tx->log[m->kind], k, lane);
	return true;
}

/* Send a warp's next message. */
static const char *send_log(struct oracle_world *w, struct gputm_commit_unit *unit,
			    struct oracle_warp *warp)
{
	struct gputm_commit_message m;
	int probe, answer;
	bool more;

	do {
		more = warp->packed ? packed_message(warp, warp->sent, &m)
				    : single_message(warp, warp->sent, &m);
		warp->sent += more && !m.mask;
	} while (more && !m.mask);
	if (!more)
		return NULL;
	(void)w;
	probe = gputm_commit_unit_push_probe(unit, &m);
	answer = gputm_commit_unit_push(unit, &m);
	if (probe != answer)
		return "probe and push differ";
	warp->sent += answer == GPUTM_COMMIT_UNIT_ACCEPTED;
	return answer < 0 && answer != -ERANGE ? "a log message is refused" : NULL;
}

static void post(struct oracle_world *w, const struct gputm_commit_message *m)
{
	struct gputm_commit_message *copy = malloc(sizeof(*copy));

	if (!copy || w->posted_count == POSTED)
		abort();
	*copy = *m;
	w->posted[w->posted_count++] = copy;
}

static struct oracle_warp *warp_of(struct oracle_world *w, uint64_t first)
{
	for (uint32_t n = 0; n < w->plan.warps; n++)
		if (w->warp[n].first == first)
			return &w->warp[n];
	return NULL;
}

static const char *take_outcome(struct oracle_world *w, struct oracle_warp *warp,
				const struct gputm_commit_report *r)
{
	struct gputm_commit_message m = header(warp, GPUTM_COMMIT_VERDICT);

	if (warp->told & r->mask)
		return "an outcome is reported twice";
	warp->told |= r->mask;
	m.mask = r->mask;
	for (uint32_t lane = 0; lane < warp->lanes; lane++) {
		bool yes = r->yes >> lane & 1;

		if (!(r->mask >> lane & 1))
			continue;
		if (warp->tx[lane].skip)
			return "an outcome for a skip";
		if (w->plan.ordered && warp->first + lane < w->last_outcome)
			return "an outcome after that of a younger entry";
		w->last_outcome = warp->first + lane + 1;
		if (yes != warp->tx[lane].passes)
			return "an outcome differs from the serial order";
		m.yes |= (uint64_t)(yes && warp->tx[lane].elsewhere) << lane;
	}
	post(w, &m);
	return NULL;
}

static const char *take_resend(struct oracle_world *w, struct oracle_warp *warp,
			       const struct gputm_commit_report *r)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(r->mask);
	const struct oracle_log *log = &warp->tx[lane].log[r->purpose & 1];
	struct gputm_commit_message m;
	uint32_t n = 0;

	while (n < log->words) {
		m = header(warp, GPUTM_COMMIT_RESENT);
		m.purpose = r->purpose;
		do
			add_word(&m, log, n++, lane);
		while (n < log->words && below(w, 3));
		post(w, &m);
	}
	m = header(warp, GPUTM_COMMIT_RESENT_DONE);
	m.purpose = r->purpose;
	m.mask = r->mask;
	post(w, &m);
	return log->words ? NULL : "an empty log is asked for";
}

/*
 * In CID order: the lanes after those reported before, up to one that has written or the last.
 * Without a done for each entry, all at once.
 */
static const char *take_retired(struct oracle_world *w, struct oracle_warp *warp,
				const struct gputm_commit_report *r)
{
	uint64_t before = warp->retired, after = before | r->mask;
	uint32_t lane = 0;

	while (before >> lane & 1)
		lane++;
	if (warp != &w->warp[w->low] || !r->mask || before & r->mask || after & (after + 1))
		return "lanes retire out of order";
	if (!w->plan.entry_done && after != (UINT64_C(2) << (warp->lanes - 1)) - 1)
		return "a retirement that is not the warp's";
	for (; lane < warp->lanes && w->plan.entry_done; lane++)
		if (warp->tx[lane].passes && warp->tx[lane].elsewhere)
			break;
	if (w->plan.entry_done && lane < warp->lanes && after >> lane >> 1)
		return "an entry that has written reports nothing";
	if (w->plan.entry_done && lane < warp->lanes && !(after >> lane & 1))
		return "an entry reports that has not written";
	warp->retired = after;
	if (after >> (warp->lanes - 1) & 1) {
		w->low++;
		w->live--;
	}
	return NULL;
}

static const char *take_report(struct oracle_world *w, const struct gputm_commit_report *r)
{
	struct oracle_warp *warp = warp_of(w, r->first_cid);

	if (!warp || warp->lanes != r->lanes)
		return "a report for a warp that is not there";
	if (r->kind == GPUTM_COMMIT_OUTCOME)
		return take_outcome(w, warp, r);
	if (r->kind == GPUTM_COMMIT_RESEND)
		return take_resend(w, warp, r);
	return take_retired(w, warp, r);
}

/* Verdicts go in any order, words of one resent log in theirs. */
static const char *send_posted(struct oracle_world *w, struct gputm_commit_unit *unit)
{
	uint32_t n = below(w, w->posted_count), k;
	struct gputm_commit_message *m;
	int answer;

	if (w->posted[n]->kind != GPUTM_COMMIT_VERDICT)
		for (n = 0; w->posted[n]->kind == GPUTM_COMMIT_VERDICT;)
			n++;
	m = w->posted[n];
	answer = gputm_commit_unit_push(unit, m);
	if (answer < 0)
		return "a verdict or resent word is refused";
	if (answer == GPUTM_COMMIT_UNIT_FULL)
		return NULL;
	free(m);
	w->posted_count--;
	for (k = n; k < w->posted_count; k++)
		w->posted[k] = w->posted[k + 1];
	return NULL;
}

/* ---- memory ---- */

static bool may_complete(const struct oracle_world *w, uint32_t n)
{
	uint64_t lane, other, words = 0;

	for (lane = 0; lane < GPUTM_MEM_WORDS; lane++)
		if (w->flying[n].word_mask >> lane & 1)
			words |= UINT64_C(1) << (w->flying[n].address / 4 + lane);
	while (n--)
		for (lane = 0; lane < GPUTM_MEM_WORDS; lane++) {
			other = w->flying[n].address / 4 + lane;
			if (w->flying[n].word_mask >> lane & 1 && words >> other & 1)
				return false;
		}
	return true;
}

static const char *complete(struct oracle_world *w, struct gputm_commit_unit *unit, uint32_t n)
{
	struct gputm_mem_request r = w->flying[n];
	uint32_t values[GPUTM_MEM_WORDS] = { 0 };

	for (uint32_t lane = 0; lane < GPUTM_MEM_WORDS; lane++) {
		if (!(r.word_mask >> lane & 1))
			continue;
		if (r.write)
			w->memory[r.address / 4 + lane] = r.value[lane];
		values[lane] = w->memory[r.address / 4 + lane];
	}
	w->flying_count--;
	for (; n < w->flying_count; n++)
		w->flying[n] = w->flying[n + 1];
	if (gputm_commit_unit_mem_complete(unit, r.tag, r.write ? NULL : values))
		return "a completion is refused";
	return gputm_commit_unit_mem_complete(unit, r.tag, values) == -EINVAL
		       ? NULL
		       : "a request is completed twice";
}

static void take_requests(struct oracle_world *w, struct gputm_commit_unit *unit)
{
	for (int n = 0; n < 2; n++) {
		enum gputm_commit_unit_port port = (enum gputm_commit_unit_port)n;

		if (w->flying_count == FLYING || !below(w, 4) ||
		    !gputm_commit_unit_mem_peek(unit, port, &w->flying[w->flying_count]))
			continue;
		gputm_commit_unit_mem_pop(unit, port);
		w->flying_count++;
	}
}

/* ---- a round ---- */

bool oracle_world_round(struct oracle_world *w, struct gputm_commit_unit *unit, const char **wrong)
{
	struct gputm_commit_report report;
	uint32_t window = w->plan.warps - w->low;

	for (uint32_t n = below(w, 3); window && n-- && !*wrong;)
		*wrong = send_log(w, unit, &w->warp[w->low + below(w, window < 6 ? window : 6)]);
	if (w->posted_count && below(w, 2) && !*wrong)
		*wrong = send_posted(w, unit);
	while (below(w, 4) && !*wrong && gputm_commit_unit_peek(unit, &report)) {
		gputm_commit_unit_pop(unit);
		*wrong = take_report(w, &report);
	}
	take_requests(w, unit);
	for (uint32_t n = below(w, 4); w->flying_count && n-- && !*wrong;) {
		uint32_t which = below(w, w->flying_count);

		if (may_complete(w, which))
			*wrong = complete(w, unit, which);
	}
	return !*wrong && (w->live || w->flying_count || w->posted_count);
}

bool oracle_world_agrees(const struct oracle_world *w)
{
	return !memcmp(w->serial, w->memory, sizeof(w->serial));
}

uint32_t oracle_world_commits(const struct oracle_world *w)
{
	return w->commits;
}
