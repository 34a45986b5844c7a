/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_COMMIT_UNIT_H
#define GPUTM_TESTS_ORACLE_COMMIT_UNIT_H
/*
 * What a commit unit must amount to: transactions committed one by one in CID order. A
 * transaction passes if every word it read has that value in the memory that all older
 * ones left behind, and then, if it passes elsewhere too, its writes are done.
 *
 * Around it stands a world that drives a unit through a plan of random warps: cores
 * that send messages in any order the protocol allows, and a memory that completes
 * requests after any delay, those that share a word in order.
 */
#include "tests/kit.h"
#include "tests/oracle/stats.h"

#define ORACLE_WORDS 64	 /* of memory */
#define ORACLE_LOG 12	 /* most words of a log */
#define ORACLE_WARPS 256 /* most of a plan */

#define ORACLE_COMMIT_UNIT_STATS                                                               \
	cycles, messages, messages_full, absorbed, begun, skips, committed, failed_here,       \
		failed_elsewhere, skips_retired, outcomes_passed, outcomes_failed, reads,      \
		writes, validated, revalidated, mismatches, read_requests, write_requests,     \
		requeued, reissued, written, hazard_words, hazards, revalidations,             \
		overflows, resends, words_resent, active, active_max, span_max,                \
		buffers_used, buffers_max, fill_cycles[GPUTM_HISTOGRAM_BUCKETS],               \
		hazard_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		validate_cycles[GPUTM_HISTOGRAM_BUCKETS],                                      \
		verdict_cycles[GPUTM_HISTOGRAM_BUCKETS],                                       \
		commit_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		retire_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		revalidation_distance[GPUTM_HISTOGRAM_BUCKETS], deferrals, words_waiting

struct oracle_log {
	uint32_t words;
	uint32_t at[ORACLE_LOG], value[ORACLE_LOG];
};

struct oracle_tx {
	bool skip, elsewhere, passes;
	bool again;   /* a word has been compared again */
	bool written; /* the core knows that its writes have completed */
	uint32_t landed; /* words written */
	struct oracle_log log[2];
	unsigned stage; /* as last seen; RETIRED follows the unit's own */
	uint64_t since;
	bool hazard;
	uint64_t ycid;
};

struct oracle_warp {
	uint64_t first;
	uint32_t lanes;
	bool packed; /* rows of all lanes in one message */
	struct oracle_tx tx[GPUTM_COMMIT_UNIT_LANES_MAX];
	uint32_t sent; /* messages so far */
	uint64_t retired; /* lanes */
	uint64_t told;	  /* lanes with an outcome */
};

struct oracle_plan {
	uint32_t warps, lanes, most_reads, most_writes;
	uint32_t skips; /* in 16 */
	bool private_words; /* no conflicts within a warp */
	unsigned ordered;   /* outcomes come in CID order; 2: but for those of revalidations */
	unsigned done;      /* an entry that has written reports 1: its retirement, 2: its end */
	uint64_t first_cid, seed;
	const struct gputm_commit_unit_config *config;
};

struct oracle_world;

#define FLYING 512
#define POSTED 1024
#define WINDOW 6 /* warps that send at a time */
#define RETIRED (GPUTM_COMMIT_UNIT_STATE_FINISHED + 1)

struct oracle_world {
	struct oracle_plan plan;
	uint64_t random;
	uint32_t serial[ORACLE_WORDS], memory[ORACLE_WORDS];
	struct oracle_warp warp[ORACLE_WARPS];
	uint32_t live, low;
	uint64_t last_outcome; /* CID + 1 */
	bool hears;	       /* the unit's events */
	struct gputm_mem_request flying[FLYING];
	uint32_t flying_count;
	struct gputm_commit_unit_message *posted[POSTED]; /* verdicts and resent logs to be sent */
	uint32_t posted_count;
	uint64_t head;		   /* above the CIDs named */
	uint64_t held, overflowed; /* buffers in use, and overflows, after the latest tick */
	ORACLE_STATS(ORACLE_COMMIT_UNIT_STATS) stats;
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
	w->stats.skips += tx->skip;
	w->stats.skips_retired += tx->skip;
	if (tx->skip)
		return;
	tx->passes = serial_passes(w, tx);
	w->stats.begun++;
	w->stats.reads += tx->log[0].words;
	w->stats.validated += tx->log[0].words;
	w->stats.writes += tx->log[1].words;
	++*(tx->passes ? &w->stats.outcomes_passed : &w->stats.outcomes_failed);
	w->stats.failed_here += !tx->passes;
	w->stats.failed_elsewhere += tx->passes && !tx->elsewhere;
	if (!tx->passes || !tx->elsewhere)
		return;
	w->stats.committed++;
	w->stats.written += tx->log[1].words;
	w->stats.reissued += tx->log[1].words;
	for (uint32_t n = 0; n < tx->log[1].words; n++)
		w->serial[tx->log[1].at[n]] = tx->log[1].value[n];
}

/* Does the transaction write words? */
static bool has_to_write(const struct oracle_tx *tx)
{
	return tx->passes && tx->elsewhere && tx->log[1].words;
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

/* Make a world with its plan. */
static struct oracle_world *oracle_world_new(const struct oracle_plan *plan)
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

static void oracle_world_free(struct oracle_world *w)
{
	while (w->posted_count)
		free(w->posted[--w->posted_count]);
	free(w);
}

/* ---- stages ---- */

/* The entry has got to a stage in this cycle; stages between have taken none. */
static void move(struct oracle_world *w, struct oracle_tx *tx, uint64_t cid, unsigned stage,
		 uint64_t now)
{
	uint64_t *cycles[] = {
		[GPUTM_COMMIT_UNIT_STATE_FILL] = w->stats.fill_cycles,
		[GPUTM_COMMIT_UNIT_STATE_HAZARD] = w->stats.hazard_cycles,
		[GPUTM_COMMIT_UNIT_STATE_VALIDATE] = w->stats.validate_cycles,
		[GPUTM_COMMIT_UNIT_STATE_WAIT] = tx->passes ? w->stats.verdict_cycles : NULL,
		[GPUTM_COMMIT_UNIT_STATE_READY] =
			tx->passes && tx->elsewhere ? w->stats.commit_cycles : NULL,
		[GPUTM_COMMIT_UNIT_STATE_FINISHED] = w->stats.retire_cycles,
	};

	for (; tx->stage < stage; tx->stage++, tx->since = now) {
		if (!tx->skip && cycles[tx->stage])
			oracle_sample(cycles[tx->stage], now - tx->since);
		if (tx->stage != GPUTM_COMMIT_UNIT_STATE_HAZARD || !tx->hazard)
			continue;
		oracle_sample(w->stats.revalidation_distance, cid - tx->ycid);
		w->stats.hazards++;
		w->stats.revalidations++;
		w->stats.requeued += tx->log[0].words;
		w->stats.revalidated += tx->log[0].words;
	}
}

/* Log words come last in a tick. A log that overflows gives a buffer back, if it had one. */
static void look_at_buffers(struct oracle_world *w, const struct gputm_unit *unit)
{
	uint64_t before = w->overflowed;

	w->overflowed = kit_stat(unit, "overflows");
	w->held = kit_stat(unit, "buffers_used");
	oracle_most(
		&w->stats.buffers_max,
		w->held + (w->overflowed > before && w->held < w->plan.config->buffers &&
			   w->plan.config->buffer_policy >= GPUTM_COMMIT_UNIT_BUFFER_POLICY_USED));
}

/* What the tick, or the completions, of this cycle have done. */
static void look(struct oracle_world *w, struct gputm_commit_unit *unit, uint64_t now)
{
	uint64_t active = 0;

	look_at_buffers(w, gputm_commit_unit_unit(unit));
	for (uint32_t n = w->low; n < w->plan.warps && n < w->low + WINDOW; n++)
		for (uint32_t lane = 0; lane < w->warp[n].lanes; lane++) {
			uint64_t cid = w->warp[n].first + lane;
			unsigned stage = gputm_commit_unit_entry_state(unit, cid);

			stage = cid < gputm_commit_unit_oldest(unit) ? RETIRED : stage;
			move(w, &w->warp[n].tx[lane], cid, stage, now);
			active += stage != GPUTM_COMMIT_UNIT_STATE_UNUSED && stage != RETIRED;
		}
	oracle_most(&w->stats.active_max, active);
}

static struct oracle_tx *tx_of(struct oracle_world *w, uint64_t cid)
{
	struct oracle_warp *warp = w->warp;

	while (cid >= warp->first + warp->lanes)
		warp++;
	return &warp->tx[cid - warp->first];
}

/* Observes the unit, for the statistics. */
static void oracle_world_hear(void *world, const struct gputm_unit *unit,
			      const struct gputm_event *event)
{
	struct oracle_world *w = world;
	const uint64_t *value = event->value;
	struct oracle_tx *tx = tx_of(w, value[0]);

	w->hears = true;
	switch (event->kind) {
	case GPUTM_COMMIT_UNIT_EVENT_VALIDATE:
	case GPUTM_COMMIT_UNIT_EVENT_REVALIDATE:
		tx->again |= event->kind == GPUTM_COMMIT_UNIT_EVENT_REVALIDATE;
		w->stats.mismatches += w->memory[value[1] / 4] != value[3];
		break;
	case GPUTM_COMMIT_UNIT_EVENT_HAZARD:
		w->stats.hazard_words++;
		tx->hazard = true;
		oracle_most(&tx->ycid, value[2]);
		break;
	case GPUTM_COMMIT_UNIT_EVENT_WRITE:
		tx->landed++;
		break;
	case GPUTM_COMMIT_UNIT_EVENT_VERDICT:
		w->stats.absorbed += !tx->passes;
		break;
	case GPUTM_COMMIT_UNIT_EVENT_RESEND:
		/* Hazard detection asks for each log that has overflowed. */
		if (value[1] > GPUTM_COMMIT_UNIT_PURPOSE_RECORD)
			break;
		w->stats.overflows++;
		w->stats.deferrals += kit_stat(unit, "buffers_used") > w->held;
		oracle_most(&w->stats.buffers_max, kit_stat(unit, "buffers_used"));
		break;
	default:
		break;
	}
}

/* ---- cores ---- */

static void add_word(struct gputm_commit_unit_message *m, const struct oracle_log *log, uint32_t n,
		     uint32_t lane)
{
	m->mask |= UINT64_C(1) << lane;
	m->word[m->words++] = (struct gputm_commit_unit_word){ (uint64_t)log->at[n] * 4,
							  log->value[n], lane };
}

static struct gputm_commit_unit_message header(const struct oracle_warp *warp, uint32_t kind)
{
	struct gputm_commit_unit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	m.first_cid = warp->first;
	m.lanes = warp->lanes;
	return m;
}

/* Message number `n` of a packed warp: rows of read words, rows of write words, done. */
static bool packed_message(const struct oracle_warp *warp, uint32_t n,
			   struct gputm_commit_unit_message *m)
{
	if (n > 2 * ORACLE_LOG)
		return false;
	*m = header(warp, n == 2 * ORACLE_LOG ? GPUTM_COMMIT_UNIT_MESSAGE_DONE : n / ORACLE_LOG);
	for (uint32_t lane = 0; lane < warp->lanes; lane++) {
		const struct oracle_tx *tx = &warp->tx[lane];

		if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE) {
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
			   struct gputm_commit_unit_message *m)
{
	uint32_t lane = warp->first & 1 ? n / 3 : warp->lanes - 1 - n / 3;
	const struct oracle_tx *tx;

	if (n / 3 >= warp->lanes)
		return false;
	tx = &warp->tx[lane];
	*m = header(warp, n % 3);
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE) {
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
	struct gputm_commit_unit_message m;
	int probe, answer;
	bool more;

	do {
		more = warp->packed ? packed_message(warp, warp->sent, &m)
				    : single_message(warp, warp->sent, &m);
		warp->sent += more && !m.mask;
	} while (more && !m.mask);
	if (!more)
		return NULL;
	probe = gputm_commit_unit_push_probe(unit, &m);
	answer = gputm_commit_unit_push(unit, &m);
	if (probe != answer)
		return "probe and push differ";
	w->stats.messages_full += answer == GPUTM_COMMIT_UNIT_FULL;
	if (answer == GPUTM_COMMIT_UNIT_ACCEPTED) {
		warp->sent++;
		w->stats.messages++;
		oracle_most(&w->head, warp->first + warp->lanes);
		oracle_most(&w->stats.span_max, w->head - gputm_commit_unit_oldest(unit));
	}
	return answer < 0 && answer != -ERANGE ? "a log message is refused" : NULL;
}

static void post(struct oracle_world *w, const struct gputm_commit_unit_message *m)
{
	struct gputm_commit_unit_message *copy = malloc(sizeof(*copy));

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
				const struct gputm_commit_unit_report *r)
{
	struct gputm_commit_unit_message m = header(warp, GPUTM_COMMIT_UNIT_MESSAGE_VERDICT);
	bool late = false; /* a lane of the report has revalidated */

	if (warp->told & r->mask)
		return "an outcome is reported twice";
	for (uint32_t lane = 0; lane < warp->lanes; lane++)
		late |= w->plan.ordered == 2 && r->mask >> lane & 1 &&
			(warp->tx[lane].again || !w->hears);
	warp->told |= r->mask;
	m.mask = r->mask;
	for (uint32_t lane = 0; lane < warp->lanes; lane++) {
		bool yes = r->yes >> lane & 1;

		if (!(r->mask >> lane & 1))
			continue;
		if (warp->tx[lane].skip)
			return "an outcome for a skip";
		if (w->plan.ordered && warp->first + lane < w->last_outcome && !late)
			return "an outcome after that of a younger entry";
		oracle_most(&w->last_outcome, warp->first + lane + 1);
		if (yes != warp->tx[lane].passes)
			return "an outcome differs from the serial order";
		m.yes |= (uint64_t)(yes && warp->tx[lane].elsewhere) << lane;
	}
	post(w, &m);
	return NULL;
}

static const char *take_resend(struct oracle_world *w, struct oracle_warp *warp,
			       const struct gputm_commit_unit_report *r)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(r->mask);
	const struct oracle_log *log = &warp->tx[lane].log[r->purpose & 1];
	struct gputm_commit_unit_message m;
	uint32_t n = 0;

	while (n < log->words) {
		m = header(warp, GPUTM_COMMIT_UNIT_MESSAGE_RESENT);
		m.purpose = r->purpose;
		do
			add_word(&m, log, n++, lane);
		while (n < log->words && below(w, 3));
		post(w, &m);
	}
	w->stats.resends++;
	w->stats.words_resent += log->words;
	m = header(warp, GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE);
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
				const struct gputm_commit_unit_report *r)
{
	uint64_t before = warp->retired, after = before | r->mask;
	uint32_t lane = 0;

	while (before >> lane & 1)
		lane++;
	if (warp != &w->warp[w->low] || !r->mask || before & r->mask || after & (after + 1))
		return "lanes retire out of order";
	if (w->plan.done != 1 && after != (UINT64_C(2) << (warp->lanes - 1)) - 1)
		return "a retirement that is not the warp's";
	for (uint32_t n = 0; n < warp->lanes && w->plan.done == 2; n++)
		if (has_to_write(&warp->tx[n]) && !warp->tx[n].written)
			return "an entry has retired before the core knows of its writes";
	for (; lane < warp->lanes && w->plan.done == 1; lane++)
		if (warp->tx[lane].passes && warp->tx[lane].elsewhere)
			break;
	if (w->plan.done == 1 && lane < warp->lanes && after >> lane >> 1)
		return "an entry that has written reports nothing";
	if (w->plan.done == 1 && lane < warp->lanes && !(after >> lane & 1))
		return "an entry reports that has not written";
	warp->retired = after;
	if (after >> (warp->lanes - 1) & 1) {
		w->low++;
		w->live--;
	}
	return NULL;
}

/* Its words are in memory: of a transaction alone, in warp mode of all of the warp. */
static const char *take_written(struct oracle_world *w, struct oracle_warp *warp,
				const struct gputm_commit_unit_report *r)
{
	uint64_t all = 0;

	for (uint32_t lane = 0; lane < warp->lanes; lane++) {
		struct oracle_tx *tx = &warp->tx[lane];

		all |= (uint64_t)has_to_write(tx) << lane;
		if (!(r->mask >> lane & 1))
			continue;
		if (w->plan.done != 2 || !has_to_write(tx) || tx->written)
			return "the end of writes that there are not";
		if (w->hears && tx->landed != tx->log[1].words)
			return "the end of writes before the last one";
		tx->written = true;
	}
	if (w->plan.config->warp_mode ? r->mask != all : !r->mask || r->mask & (r->mask - 1))
		return "the end of writes of other lanes";
	return NULL;
}

static const char *take_report(struct oracle_world *w, const struct gputm_commit_unit_report *r)
{
	struct oracle_warp *warp = warp_of(w, r->first_cid);

	if (!warp || warp->lanes != r->lanes)
		return "a report for a warp that is not there";
	if (r->kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME)
		return take_outcome(w, warp, r);
	if (r->kind == GPUTM_COMMIT_UNIT_REPORT_RESEND)
		return take_resend(w, warp, r);
	if (r->kind == GPUTM_COMMIT_UNIT_REPORT_WRITTEN)
		return take_written(w, warp, r);
	return take_retired(w, warp, r);
}

/* Verdicts go in any order, words of one resent log in theirs. */
static const char *send_posted(struct oracle_world *w, struct gputm_commit_unit *unit)
{
	uint32_t n = below(w, w->posted_count), k;
	struct gputm_commit_unit_message *m;
	int answer;

	if (w->posted[n]->kind != GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
		for (n = 0; w->posted[n]->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT;)
			n++;
	m = w->posted[n];
	answer = gputm_commit_unit_push(unit, m);
	if (answer < 0)
		return "a verdict or resent word is refused";
	++*(answer == GPUTM_COMMIT_UNIT_FULL ? &w->stats.messages_full : &w->stats.messages);
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

	for (lane = 0; lane < GPUTM_MEM_WORDS_MAX; lane++)
		if (w->flying[n].word_mask >> lane & 1)
			words |= UINT64_C(1) << (w->flying[n].address / 4 + lane);
	while (n--)
		for (lane = 0; lane < GPUTM_MEM_WORDS_MAX; lane++) {
			other = w->flying[n].address / 4 + lane;
			if (w->flying[n].word_mask >> lane & 1 && words >> other & 1)
				return false;
		}
	return true;
}

static const char *complete(struct oracle_world *w, struct gputm_commit_unit *unit, uint32_t n)
{
	struct gputm_mem_request r = w->flying[n];
	uint32_t values[GPUTM_MEM_WORDS_MAX] = { 0 };

	for (EACH_LANE(lane, r.word_mask)) {
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
		++*(n ? &w->stats.write_requests : &w->stats.read_requests);
	}
}

/* ---- a round ---- */

/*
 * One round: push some messages, take reports and requests, complete some requests. What
 * is wrong is said in *wrong. The caller ticks the unit. @return false when all warps have
 * retired and all requests completed.
 */
static bool oracle_world_round(struct oracle_world *w, struct gputm_commit_unit *unit,
			       const char **wrong)
{
	struct gputm_commit_unit_report report;
	uint32_t left = w->plan.warps - w->low, window = left < WINDOW ? left : WINDOW;

	look(w, unit, w->stats.cycles - 1);
	for (uint32_t n = below(w, 3); window && n-- && !*wrong;)
		*wrong = send_log(w, unit, &w->warp[w->low + below(w, window)]);
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
	look(w, unit, w->stats.cycles);
	if (*wrong || (!w->live && !w->flying_count && !w->posted_count))
		return false;
	w->stats.cycles++;
	return true;
}

/* Statistics at the end of the plan. */
static const void *oracle_world_stats(const struct oracle_world *w)
{
	return &w->stats;
}

#endif
