/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_COMMIT_SEQUENCER_H
#define GPUTM_TESTS_ORACLE_COMMIT_SEQUENCER_H
/*
 * The other end of the wire: commit units that know what the logs hold. They take
 * messages and complain about every word that is wrong, missing, doubled or out of
 * order, and answer with outcomes, resend requests and retirements of their choice. They
 * keep no order between transactions: that is the commit unit's business, not the sequencer's.
 */
#include "tests/oracle/tx_log.h"

#define ORACLE_SEQ_COMMITS 64
#define ORACLE_SEQ_PARTITIONS 8
#define ORACLE_SEQ_LANES 8

/* What one partition knows of one CID. */
struct oracle_seq_entry {
	unsigned reads, writes; /* log words to come, noted at begin */
	unsigned next;	   /* of them received */
	bool closed, skip; /* by the message DONE */
	bool answered, pass, verdict, retired;
	bool written; /* its words are in memory, and the core knows */
	bool resending; /* asked for, not complete */
	uint32_t purpose;
	unsigned resent; /* words of it received */
	unsigned asked;	 /* resend requests, bounded so that runs end */
};

struct oracle_seq_commit {
	bool live, done;
	uint32_t warp, count;
	uint64_t first_cid;
	unsigned lane_of[ORACLE_SEQ_LANES]; /* by CID - first_cid */
	const struct oracle_tx_log *log;
	struct oracle_seq_entry entry[ORACLE_SEQ_LANES][ORACLE_SEQ_PARTITIONS];
};

struct oracle_commit_sequencer {
	unsigned partitions;
	bool warp_mode;
	struct oracle_seq_commit commit[ORACLE_SEQ_COMMITS];
};

static void oracle_commit_sequencer_init(struct oracle_commit_sequencer *o, unsigned partitions,
					 bool warp_mode)
{
	memset(o, 0, sizeof(*o));
	o->partitions = partitions;
	o->warp_mode = warp_mode;
}

static struct oracle_seq_commit *find(const struct oracle_commit_sequencer *o, uint64_t first_cid)
{
	const struct oracle_seq_commit *c = o->commit;

	for (unsigned i = 0; i < ORACLE_SEQ_COMMITS; i++)
		if (c[i].live && c[i].first_cid == first_cid)
			return (struct oracle_seq_commit *)(uintptr_t)&c[i];
	return NULL;
}

/* Word n of a lane for a partition, of the log of one kind, in log order; NULL past the end. */
static const struct oracle_tx_log_entry *word_of(const struct oracle_seq_commit *c, unsigned lane,
						 unsigned partition, unsigned kind, unsigned n)
{
	for (unsigned i = 0; i < c->log->count; i++) {
		const struct oracle_tx_log_entry *e = &c->log->entry[i];

		if (!e->live || e->kind != kind || e->lane != lane ||
		    oracle_tx_log_partition(c->log, e->address) != partition)
			continue;
		if (n-- == 0)
			return e;
	}
	return NULL;
}

static unsigned words_of(const struct oracle_seq_commit *c, unsigned lane, unsigned partition,
			 unsigned kind)
{
	unsigned n = 0;

	while (word_of(c, lane, partition, kind, n))
		n++;
	return n;
}

/* A warp has been granted CIDs for these lanes. */
static void oracle_commit_sequencer_begin(struct oracle_commit_sequencer *o, uint32_t warp,
					  uint64_t first_cid, uint64_t lanes,
					  const struct oracle_tx_log *log)
{
	struct oracle_seq_commit *c = o->commit;

	while (c->live)
		c++;
	memset(c, 0, sizeof(*c));
	c->live = true;
	c->warp = warp;
	c->first_cid = first_cid;
	c->log = log;
	for (EACH_LANE(lane, lanes))
		c->lane_of[c->count++] = lane;
	for (unsigned cid = 0; cid < c->count; cid++)
		for (unsigned p = 0; p < o->partitions; p++) {
			c->entry[cid][p].reads = words_of(c, c->lane_of[cid], p, 0);
			c->entry[cid][p].writes = words_of(c, c->lane_of[cid], p, 1);
		}
}

static unsigned resent_kind(uint32_t purpose)
{
	return purpose == GPUTM_COMMIT_UNIT_PURPOSE_RECORD ||
	       purpose == GPUTM_COMMIT_UNIT_PURPOSE_COMMIT;
}

static const char *take_word(struct oracle_seq_commit *c, unsigned partition,
			     const struct gputm_commit_unit_message *m,
			     const struct gputm_commit_unit_word *word)
{
	const struct oracle_tx_log_entry *expected;
	struct oracle_seq_entry *e = &c->entry[word->lane][partition];
	unsigned lane = c->lane_of[word->lane], reads = e->reads;
	unsigned writes = m->kind == GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG;

	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT) {
		if (!e->resending || e->purpose != m->purpose)
			return "a word that nobody has asked for";
		expected = word_of(c, lane, partition, resent_kind(m->purpose), e->resent++);
	} else {
		if (e->closed)
			return "a word after done-fill";
		if (writes ? e->next < reads : e->next >= reads)
			return "reads and writes are mixed up";
		expected = word_of(c, lane, partition, writes, e->next - (writes ? reads : 0));
		e->next++;
	}
	if (!expected || expected->address != word->address || expected->value != word->value)
		return "a word that is not the next of the log";
	return NULL;
}

static const char *take_words(struct oracle_seq_commit *c, unsigned partition,
			      const struct gputm_commit_unit_message *m)
{
	uint64_t seen = 0;

	if (!m->words || m->yes)
		return "a message of the log without words, or with a verdict";
	for (unsigned i = 0; i < m->words; i++) {
		const char *wrong;

		if (m->word[i].lane >= c->count)
			return "a word of no CID";
		seen |= UINT64_C(1) << m->word[i].lane;
		wrong = take_word(c, partition, m, &m->word[i]);
		if (wrong)
			return wrong;
	}
	return seen == m->mask ? NULL : "the mask is not that of the words";
}

static const char *take_done(struct oracle_seq_commit *c, unsigned partition, unsigned cid,
			     bool filled)
{
	struct oracle_seq_entry *e = &c->entry[cid][partition];
	unsigned words = e->reads + e->writes;

	if (e->closed)
		return "a second done-fill or skip";
	if (e->next != words)
		return "words of the log are missing";
	if (filled != (words > 0))
		return "done-fill and skip are mixed up";
	e->closed = true;
	e->skip = !filled;
	return NULL;
}

/* Have all partitions with words answered, and passed? */
static bool passes(const struct oracle_commit_sequencer *o, const struct oracle_seq_commit *c,
		   unsigned cid, bool *complete)
{
	bool pass = true;

	*complete = true;
	for (unsigned p = 0; p < o->partitions; p++) {
		const struct oracle_seq_entry *e = &c->entry[cid][p];

		if (!e->reads && !e->writes)
			continue;
		*complete &= e->closed && e->answered;
		pass &= e->pass;
	}
	return pass;
}

static const char *take_verdict(const struct oracle_commit_sequencer *o,
				struct oracle_seq_commit *c, unsigned partition, unsigned cid,
				bool pass)
{
	struct oracle_seq_entry *e = &c->entry[cid][partition];
	bool complete, expected = passes(o, c, cid, &complete);

	if (e->skip || e->verdict)
		return "a verdict for a skip, or a second one";
	if (!complete)
		return "a verdict before all outcomes";
	if (pass != expected)
		return "the wrong verdict";
	e->verdict = true;
	return NULL;
}

static const char *take_resent_done(struct oracle_seq_commit *c, unsigned partition, unsigned cid,
				    uint32_t purpose)
{
	struct oracle_seq_entry *e = &c->entry[cid][partition];

	if (!e->resending || e->purpose != purpose)
		return "done-resend that nobody has asked for";
	if (e->resent != (resent_kind(purpose) ? e->writes : e->reads))
		return "words of the resent log are missing";
	e->resending = false;
	return NULL;
}

static const char *take_control(const struct oracle_commit_sequencer *o,
				struct oracle_seq_commit *c, unsigned partition, unsigned cid,
				const struct gputm_commit_unit_message *m)
{
	bool yes = m->yes >> cid & 1;

	switch (m->kind) {
	case GPUTM_COMMIT_UNIT_MESSAGE_DONE:
		return take_done(c, partition, cid, yes);
	case GPUTM_COMMIT_UNIT_MESSAGE_VERDICT:
		return take_verdict(o, c, partition, cid, yes);
	case GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE:
		return take_resent_done(c, partition, cid, m->purpose);
	default:
		return "a message of no kind";
	}
}

/* Take a message. NULL, or what is wrong with it. */
static const char *oracle_commit_sequencer_message(struct oracle_commit_sequencer *o,
						   unsigned partition,
						   const struct gputm_commit_unit_message *m)
{
	struct oracle_seq_commit *c = find(o, m->first_cid);
	const char *wrong = NULL;

	if (!c || m->lanes != c->count || !m->mask || m->mask >> c->count || m->yes & ~m->mask)
		return "a message of no commit";
	if (m->kind == GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG ||
	    m->kind == GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG ||
	    m->kind == GPUTM_COMMIT_UNIT_MESSAGE_RESENT)
		return take_words(c, partition, m);
	for (unsigned cid = 0; cid < c->count && !wrong; cid++)
		if (m->mask >> cid & 1)
			wrong = take_control(o, c, partition, cid, m);
	return wrong;
}

/* May the entry be settled here: skipped, failed, or passed with its verdict in? */
static bool settled(const struct oracle_seq_entry *e)
{
	return e->closed && !e->resending && (e->skip || (e->answered && (!e->pass || e->verdict)));
}

static bool may_retire(const struct oracle_seq_commit *c, unsigned partition)
{
	for (unsigned cid = 0; cid < c->count; cid++)
		if (!settled(&c->entry[cid][partition]) || c->entry[cid][partition].retired)
			return false;
	return true;
}

/* Lanes whose outcome can be told now: in warp mode all at once. */
static uint64_t answerable(const struct oracle_commit_sequencer *o,
			   const struct oracle_seq_commit *c, unsigned partition, unsigned pick)
{
	uint64_t ready = 0, open = 0;

	for (unsigned cid = 0; cid < c->count; cid++) {
		const struct oracle_seq_entry *e = &c->entry[cid][partition];

		if (!e->closed || e->resending)
			open |= UINT64_C(1) << cid;
		else if (!e->skip && !e->answered)
			ready |= UINT64_C(1) << cid;
	}
	if (o->warp_mode)
		return open ? 0 : ready;
	return ready & UINT64_C(1) << pick % c->count;
}

static bool may_resend(const struct oracle_commit_sequencer *o, const struct oracle_seq_commit *c,
		       unsigned partition, unsigned cid, uint32_t purpose)
{
	const struct oracle_seq_entry *e = &c->entry[cid][partition];
	bool complete, pass = passes(o, c, cid, &complete);

	if (c->done || !e->closed || e->skip || e->resending || e->retired || e->asked >= 3)
		return false;
	if (purpose != GPUTM_COMMIT_UNIT_PURPOSE_COMMIT)
		return !e->answered;
	return e->verdict && pass && e->writes > 0 && !e->written;
}

/* Some lanes whose passing verdict has come, and all that they write, are to be reported. */
static bool report_of_writes(const struct oracle_commit_sequencer *o,
			     const struct oracle_seq_commit *c, unsigned partition,
			     struct gputm_commit_unit_report *r)
{
	bool complete;

	r->kind = GPUTM_COMMIT_UNIT_REPORT_WRITTEN;
	r->mask = 0;
	for (unsigned cid = 0; cid < c->count; cid++) {
		const struct oracle_seq_entry *e = &c->entry[cid][partition];

		if (!c->done && e->writes && e->verdict && !e->written && !e->retired &&
		    !e->resending && passes(o, c, cid, &complete))
			r->mask |= UINT64_C(1) << cid;
	}
	return r->mask != 0;
}

/* The report of one commit and partition that the number picks. */
static bool report_of(const struct oracle_commit_sequencer *o, const struct oracle_seq_commit *c,
		      unsigned partition, uint64_t pick, struct gputm_commit_unit_report *r)
{
	unsigned cid = (unsigned)(pick >> 8) % c->count;

	memset(r, 0, sizeof(*r));
	r->first_cid = c->first_cid;
	r->lanes = c->count;
	switch (pick % 4) {
	case 0:
		r->kind = GPUTM_COMMIT_UNIT_REPORT_RESEND;
		r->purpose = (uint32_t)(pick >> 16) % 4;
		r->mask = UINT64_C(1) << cid;
		return may_resend(o, c, partition, cid, r->purpose);
	case 1:
		r->kind = GPUTM_COMMIT_UNIT_REPORT_RETIRED;
		r->mask = (UINT64_C(1) << c->count) - 1;
		if (!(pick >> 18 & 3) || !may_retire(c, partition))
			return report_of_writes(o, c, partition, r);
		return true;
	default:
		r->kind = GPUTM_COMMIT_UNIT_REPORT_OUTCOME;
		r->mask = answerable(o, c, partition, cid);
		r->yes = r->mask & (pick >> 20 | pick >> 30);
		return r->mask != 0;
	}
}

/* A report that may be sent now, picked by the number; false if there is none. */
static bool oracle_commit_sequencer_report(const struct oracle_commit_sequencer *o, uint64_t pick,
					   unsigned *partition,
					   struct gputm_commit_unit_report *report)
{
	unsigned first = (unsigned)(pick >> 40) % ORACLE_SEQ_COMMITS;

	*partition = (unsigned)(pick >> 50) % o->partitions;
	for (unsigned i = 0; i < ORACLE_SEQ_COMMITS; i++) {
		const struct oracle_seq_commit *c = &o->commit[(first + i) % ORACLE_SEQ_COMMITS];

		if (c->live && report_of(o, c, *partition, pick, report))
			return true;
	}
	return false;
}

/* It has been sent. @return whether it was the last outcome that a verdict has waited for. */
static bool oracle_commit_sequencer_sent(struct oracle_commit_sequencer *o, unsigned partition,
					 const struct gputm_commit_unit_report *r)
{
	struct oracle_seq_commit *c = find(o, r->first_cid);
	bool all = true, any = false, complete;

	for (unsigned cid = 0; cid < c->count; cid++) {
		struct oracle_seq_entry *e = &c->entry[cid][partition];

		if (!(r->mask >> cid & 1))
			continue;
		if (r->kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME) {
			e->answered = true;
			e->pass = r->yes >> cid & 1;
		} else if (r->kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED) {
			e->retired = true;
		} else if (r->kind == GPUTM_COMMIT_UNIT_REPORT_WRITTEN) {
			e->written = true;
		} else {
			e->resending = true;
			e->purpose = r->purpose;
			e->resent = 0;
			e->asked++;
		}
	}
	for (unsigned cid = 0; cid < c->count; cid++) {
		passes(o, c, cid, &complete);
		all &= complete;
		any |= complete && r->mask >> cid & 1;
	}
	return r->kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME && (o->warp_mode ? all : any);
}

/*
 * The core says done: NULL and the lanes that must have failed, or what is wrong: a verdict,
 * an outcome, or the end or retirement of a write that passed is missing.
 */
static const char *oracle_commit_sequencer_done(struct oracle_commit_sequencer *o,
						uint64_t first_cid, uint64_t *failed)
{
	struct oracle_seq_commit *c = find(o, first_cid);

	if (!c || c->done)
		return "done of no commit, or twice";
	*failed = 0;
	for (unsigned cid = 0; cid < c->count; cid++) {
		bool complete, pass = passes(o, c, cid, &complete);

		if (!complete)
			return "done before all outcomes";
		if (!pass)
			*failed |= UINT64_C(1) << c->lane_of[cid];
		for (unsigned p = 0; p < o->partitions && pass; p++)
			if (c->entry[cid][p].writes && !c->entry[cid][p].retired &&
			    !c->entry[cid][p].written)
				return "done before the core knows of a write's end";
	}
	c->done = true;
	return NULL;
}

/* The core says retired. */
static const char *oracle_commit_sequencer_retired(struct oracle_commit_sequencer *o,
						   uint64_t first_cid, uint32_t count)
{
	struct oracle_seq_commit *c = find(o, first_cid);

	if (!c || !c->done || count != c->count)
		return "retired of no commit that is done";
	for (unsigned cid = 0; cid < count; cid++)
		for (unsigned p = 0; p < o->partitions; p++) {
			const struct oracle_seq_entry *e = &c->entry[cid][p];

			if (!e->retired || (!e->skip && !e->verdict))
				return "retired before a partition has, or with a verdict missing";
		}
	c->live = false;
	return NULL;
}

/* Commits that have not retired. */
static unsigned oracle_commit_sequencer_live(const struct oracle_commit_sequencer *o)
{
	unsigned live = 0;

	for (unsigned i = 0; i < ORACLE_SEQ_COMMITS; i++)
		live += o->commit[i].live;
	return live;
}

#endif
