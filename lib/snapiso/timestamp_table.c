/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logical timestamp table
 * =======================
 *
 * S. Chen, L. Peng, S. Irving, "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation" (ISCA 2017), 4.1, Fig. 7 and 8; sizes in 4.3.
 *
 * Snapshot isolation lets a transaction read a word that another one overwrites; the reader
 * then comes before the writer in any serial order. A loop of such edges is no serial order.
 * Post-dating finds it with two numbers a transaction: everything before it has been pushed
 * below its CTS, and it has promised to those after it to stay at or below its PDTS.
 *
 *	edge(pred, succ):
 *	    pred has committed			ts = its PrevTS
 *	    succ has no PDTS			ts = PDTS of pred, first set to CTS + 10 if unset
 *	    CTS of pred >= PDTS of succ		the same; it is a loop
 *	    else				ts = PDTS of pred, lowered to the midpoint of
 *						its CTS and the PDTS of succ
 *	    ts >= PDTS of succ			loop
 *	    else				CTS of succ = max(CTS, ts + 1)
 *	succ has committed:			PDTS of pred = min(PDTS, PrevTS of succ - 1);
 *						a loop if its CTS is above that
 *
 * Why no loop is missed: CTS only grows, PDTS only shrinks, CTS <= PDTS holds for every
 * transaction that runs, and each edge i -> j leaves CTS of j > PDTS of i. Round a loop that
 * is a contradiction. A committed transaction is its PrevTS, as CTS and PDTS at once.
 *
 * Example, Fig. 8 in the order A, B, C (T1 -> T2 -> T3 -> T1), as CTS/PDTS:
 *
 *	A	T1 promises 11		1/11  12/-   1/-
 *	B	T2 promises 22		1/11  12/22  23/-
 *	C	T3 promises 33		T1 would have to be 34 and has promised 11: loop
 *
 * Invariants, as check() names them:
 *	T1  CTS, PDTS and PrevTS are at most 2^stamp_bits - 2, or PDTS is unset
 *	T2  CTS <= PDTS of a transaction that runs (not with literal)
 *	T3  an idle or committed transaction has no PDTS
 *	T4  begun = committed + aborted + running; committed = released + retained
 *
 * Differences from the paper
 *   - Fig. 7 writes -1 for an unset PDTS and compares it; here unset is above all numbers,
 *     so that an unset PDTS takes the midpoint.
 *   - Fig. 7 lets CTS go back; here it only grows. A committed successor is not looked at in
 *     Fig. 7: its slot is that of the thread's next transaction. Here a number belongs to one
 *     transaction until it is released, and a transaction starts above what its snapshot
 *     contains. Without these loops are missed; `literal` shows that, and `signed_unset`
 *     takes the -1 for a number as well.
 *   - Fig. 8 has a PDTS of 5 in the order A, C, B where the code of Fig. 7 gives 6, the
 *     midpoint of 1 and 11. The loop is found either way.
 *   - Fig. 7 does not say what ts is at commit or abort: PDTS if set, else CTS.
 *   - After an overflow the paper restarts at 0; here at 1, where Fig. 8 begins.
 *   - 1024 x 3 x 24 bits are 9,216 bytes; Table 1 says 12 kB, which is what 32-bit fields
 *     take. The difference is reported apart.
 */
#include "gputm/timestamp_table.h"
#include "lib/base/unit.h"

#define UNSET GPUTM_TIMESTAMP_TABLE_UNSET
#define FIRST 1 /* stamp of a fresh table */

enum { IDLE, RUNNING, COMMITTED }; /* as enum gputm_timestamp_table_state */

struct slot {
	uint32_t cts, pdts, prev, state;
};

struct gputm_timestamp_table {
	struct gputm_unit unit;
	struct gputm_timestamp_table_config config;
	struct slot *slot;
	uint32_t limit;	  /* largest timestamp */

	uint64_t running, retained;
	uint64_t answers[3]; /* edges that passed, loops; calls that overflowed */
	uint64_t begun, committed, aborted, released, restarts;
	uint64_t running_max, retained_max;
};

#define UNIT timestamp_table

static const struct gputm_param rows[] = {
	PARAM(transactions, 2, 1u << 16, 1024, false, "Transactions.", "ISCA 2017 4.3"),
	PARAM(stamp_bits, 5, 31, 24, false, "Width of a timestamp, bits.", "ISCA 2017 4.3"),
	PARAM(increment, 1, 1u << 16, 10, false, "From CTS to a fresh PDTS.", "ISCA 2017 Fig. 7"),
	PARAM(literal, 0, 1, 0, false, "Run Fig. 7 to the letter, which misses loops.",
	      "ISCA 2017 Fig. 7"),
	PARAM(signed_unset, 0, 1, 0, false, "With literal: compare an unset PDTS as -1.",
	      "ISCA 2017 Fig. 7"),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017", "ISCA 2017 Table 1: three 24-bit timestamps for 1024 transactions.",
	  { { "transactions", 1024 }, { "stamp_bits", 24 }, { "increment", 10 } } },
	{ "literal", "The same with the procedures of Fig. 7 as printed.",
	  { { "transactions", 1024 },
	    { "stamp_bits", 24 },
	    { "increment", 10 },
	    { "literal", 1 } } },
	{ "retained", "For 2048 transactions, committed ones among them.",
	  { { "transactions", 2048 }, { "stamp_bits", 24 }, { "increment", 10 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT_OF("passed", answers[GPUTM_TIMESTAMP_TABLE_OK], COUNTER, "edges",
		"Edges that passed."),
	STAT_OF("loops", answers[GPUTM_TIMESTAMP_TABLE_LOOP], COUNTER, "edges",
		"Edges that declared a loop."),
	STAT_OF("overflows", answers[GPUTM_TIMESTAMP_TABLE_OVERFLOW], COUNTER, "calls",
		"Calls refused because a timestamp did not fit."),
	STAT(begun, COUNTER, "transactions", "Begun: committed + aborted + running."),
	STAT(committed, COUNTER, "transactions", "Committed: released + retained."),
	STAT(aborted, COUNTER, "transactions", "Aborted."),
	STAT(released, COUNTER, "transactions", "Committed ones whose number was given back."),
	STAT(restarts, COUNTER, "restarts", "Restarts of all clocks."),
	STAT(running_max, MAXIMUM, "transactions", "Running, at most."),
	STAT(retained_max, MAXIMUM, "transactions", "Committed and not released, at most."),
	STAT(running, GAUGE, "transactions", "Running."),
	STAT(retained, GAUGE, "transactions", "Committed and not released."),
};

static const char *const results[] = { "ok", "loop", "overflow" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_TIMESTAMP_TABLE_EVENT_BEGIN, "begin", "A transaction begins.",
	      VALUE(tx, "transaction", "The transaction."),
	      VALUE(cts, "logical time", "CTS of the transaction.")),
	EVENT(GPUTM_TIMESTAMP_TABLE_EVENT_EDGE, "edge",
	      "One transaction has to come before another.",
	      VALUE(pred, "transaction", "The transaction that comes before."),
	      VALUE(succ, "transaction", "The transaction that comes after."),
	      NAMED(outcome, results,
		    "Whether the edge may close a loop, or a timestamp does not fit.")),
	EVENT(GPUTM_TIMESTAMP_TABLE_EVENT_RETIRE, "retire", "A transaction has ended.",
	      VALUE(tx, "transaction", "The transaction."),
	      NAMED(committed, gputm__no_yes, "Whether the transaction has committed."),
	      VALUE(prev, "logical time", "PrevTS of the transaction."),
	      VALUE(cts, "logical time", "CTS of the transaction.")),
	EVENT(GPUTM_TIMESTAMP_TABLE_EVENT_RELEASE, "release",
	      "A committed transaction gets no edge any more.",
	      VALUE(tx, "transaction", "The transaction.")),
	EVENT(GPUTM_TIMESTAMP_TABLE_EVENT_RESTART, "restart",
	      "The table has forgotten all timestamps.",
	      VALUE(restarts, "restarts", "Restarts so far.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_timestamp_table_config *c = gputm_unit_config(unit);

	if (!c->signed_unset || c->literal)
		return 0;
	return gputm__refuse(unit, "signed_unset = 1 needs literal = 1");
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_timestamp_table *t = (void *)unit;

	t->limit = (uint32_t)gputm__low_mask(t->config.stamp_bits) - 1;
	t->slot = gputm__own(unit, t->config.transactions, sizeof(*t->slot));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_timestamp_table *t = (void *)unit;

	for (uint32_t i = 0; i < t->config.transactions; i++)
		t->slot[i] = (struct slot){ FIRST, UNSET, 0, IDLE };
	t->running = t->retained = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_timestamp_table *t = (void *)unit;

	t->running = t->retained = 0;
	for (uint32_t i = 0; i < t->config.transactions && !io->error; i++) {
		struct slot *slot = &t->slot[i];

		gputm__io_u32_max(io, &slot->cts, t->limit, "CTS");
		gputm__io_u32(io, &slot->pdts);
		gputm__io_u32_max(io, &slot->prev, t->limit, "PrevTS");
		gputm__io_u32_max(io, &slot->state, COMMITTED, "state");
		t->running += slot->state == RUNNING;
		t->retained += slot->state == COMMITTED;
	}
}

static const char *check_slot(const struct gputm_timestamp_table *t, const struct slot *slot)
{
	if (slot->cts > t->limit || slot->prev > t->limit ||
	    (slot->pdts > t->limit && slot->pdts != UNSET))
		return "T1: a timestamp is wider than stamp_bits";
	if (slot->state != RUNNING && slot->pdts != UNSET && !t->config.literal)
		return "T3: a transaction that does not run has a PDTS";
	if (slot->state == RUNNING && slot->cts > slot->pdts && !t->config.literal)
		return "T2: a running transaction has a CTS above its PDTS";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_timestamp_table *t = (const void *)unit;
	uint64_t running = 0, retained = 0;

	for (uint32_t i = 0; i < t->config.transactions; i++) {
		const char *wrong = check_slot(t, &t->slot[i]);

		if (wrong)
			return wrong;
		running += t->slot[i].state == RUNNING;
		retained += t->slot[i].state == COMMITTED;
	}
	if (running != t->running)
		return "T4: running differs from the number of running transactions";
	return retained == t->retained ? NULL : "T4: retained is not the number of committed ones";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_timestamp_table_config *c = gputm_unit_config(unit);

	gputm__array(out, "timestamps", c->transactions, 3 * c->stamp_bits, 1);
	gputm__array_apart(out, "padding to 32-bit fields", c->transactions,
			   3 * (32 - c->stamp_bits), 1);
	gputm__array_apart(out, "states", c->transactions, 2, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_timestamp_table *t = (const void *)unit;

	gputm__law_most(laws, &t->running_max, t->running, t->config.transactions,
			"T4: running is above its maximum");
	gputm__law_most(laws, &t->retained_max, t->retained, t->config.transactions,
			"T4: retained is above its maximum");
	gputm__law(laws, t->begun, t->committed + t->aborted + t->running,
		   "T4: begun is not committed + aborted + running");
	gputm__law(laws, t->committed, t->released + t->retained,
		   "T4: committed is not released + retained");
}

GPUTM__UNIT(timestamp_table, .version = 1, .setup = setup, .validate = validate, .laws = laws)

/* ---- edges ---- */

/* The outcome of an edge: the stamps to be written unless there is an overflow. */
struct verdict {
	int result;
	uint32_t pdts; /* of the predecessor */
	uint32_t cts;  /* of the successor */
};

static inline struct verdict overflow(void)
{
	return (struct verdict){ GPUTM_TIMESTAMP_TABLE_OVERFLOW, 0, 0 };
}

/* Both run: the new PDTS of the predecessor. */
static inline uint32_t promise(const struct gputm_timestamp_table *t, const struct slot *p,
			       const struct slot *s)
{
	uint32_t midpoint = (p->cts + s->pdts) / 2;

	if (s->pdts == UNSET || p->cts >= s->pdts)
		return p->pdts == UNSET ? p->cts + t->config.increment : p->pdts;
	return p->pdts < midpoint ? p->pdts : midpoint;
}

static inline struct verdict running_edge(const struct gputm_timestamp_table *t,
					  const struct slot *p, const struct slot *s)
{
	uint32_t pdts = promise(t, p, s);

	if (pdts >= s->pdts && pdts <= t->limit)
		return (struct verdict){ GPUTM_TIMESTAMP_TABLE_LOOP, pdts, s->cts };
	if (pdts >= t->limit)
		return overflow();
	return (struct verdict){ GPUTM_TIMESTAMP_TABLE_OK, pdts,
				 s->cts > pdts ? s->cts : pdts + 1 };
}

/* The predecessor has committed, the successor runs. */
static inline struct verdict committed_predecessor(const struct gputm_timestamp_table *t,
						   const struct slot *p, const struct slot *s)
{
	if (p->prev >= s->pdts)
		return (struct verdict){ GPUTM_TIMESTAMP_TABLE_LOOP, p->pdts, s->cts };
	if (p->prev >= t->limit && s->cts <= p->prev)
		return overflow();
	return (struct verdict){ GPUTM_TIMESTAMP_TABLE_OK, p->pdts,
				 s->cts > p->prev ? s->cts : p->prev + 1 };
}

/* The predecessor runs, the successor has committed. */
static inline struct verdict committed_successor(const struct slot *p, const struct slot *s)
{
	if (p->cts >= s->prev)
		return (struct verdict){ GPUTM_TIMESTAMP_TABLE_LOOP, p->pdts, s->cts };
	return (struct verdict){ GPUTM_TIMESTAMP_TABLE_OK,
				 p->pdts < s->prev ? p->pdts : s->prev - 1, s->cts };
}

/* The value of a PDTS in comparisons: signed_unset takes an unset one for -1. */
static int64_t number(const struct gputm_timestamp_table *t, uint32_t pdts)
{
	return pdts == UNSET && t->config.signed_unset ? -1 : (int64_t)pdts;
}

/* Fig. 7, line by line. */
static struct verdict literal_edge(const struct gputm_timestamp_table *t, const struct slot *p,
				  const struct slot *s)
{
	int64_t pdts = number(t, p->pdts), ts = p->prev, midpoint;

	if (p->state != COMMITTED) {
		midpoint = ((int64_t)p->cts + s->pdts) / 2;
		if (s->pdts == UNSET || p->cts >= s->pdts)
			pdts = p->pdts == UNSET ? (int64_t)p->cts + t->config.increment : pdts;
		else if (pdts > midpoint)
			pdts = midpoint;
		ts = pdts;
	}
	if (s->pdts != UNSET && ts >= (int64_t)s->pdts && ts <= t->limit)
		return (struct verdict){ GPUTM_TIMESTAMP_TABLE_LOOP, (uint32_t)pdts, s->cts };
	if (ts >= (int64_t)t->limit)
		return overflow();
	return (struct verdict){ GPUTM_TIMESTAMP_TABLE_OK, (uint32_t)pdts, (uint32_t)(ts + 1) };
}

static inline struct verdict usual_edge(const struct gputm_timestamp_table *t, const struct slot *p,
					const struct slot *s)
{
	if (p->state == COMMITTED)
		return committed_predecessor(t, p, s);
	return s->state == COMMITTED ? committed_successor(p, s) : running_edge(t, p, s);
}

static int refuse_number(const struct gputm_timestamp_table *t, uint32_t tx)
{
	return gputm__out_of_range(&t->unit, "transaction", tx, 0, t->config.transactions - 1);
}

static int refuse_edge(const struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ)
{
	if (pred >= t->config.transactions)
		return refuse_number(t, pred);
	if (succ >= t->config.transactions)
		return refuse_number(t, succ);
	if (pred == succ)
		return gputm__refuse(&t->unit, "transaction %u cannot come before itself", pred);
	return gputm__refuse(&t->unit, "edge from %u to %u: one is idle, or neither runs", pred,
			     succ);
}

static inline bool is_edge(const struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ)
{
	uint32_t p, s;

	if (pred >= t->config.transactions || succ >= t->config.transactions || pred == succ)
		return false;
	p = t->slot[pred].state;
	s = t->slot[succ].state;
	return p != IDLE && s != IDLE && (p == RUNNING || s == RUNNING);
}

static inline int apply(struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ,
			       struct verdict v)
{
	t->answers[v.result]++;
	if (v.result != GPUTM_TIMESTAMP_TABLE_OVERFLOW) {
		t->slot[pred].pdts = v.pdts;
		t->slot[succ].cts = v.cts;
	}
	gputm__emit(&t->unit, GPUTM_TIMESTAMP_TABLE_EVENT_EDGE, pred, succ, (uint64_t)v.result, 0);
	return v.result;
}

static int apply_literally(struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ)
{
	return apply(t, pred, succ, literal_edge(t, &t->slot[pred], &t->slot[succ]));
}

int gputm_timestamp_table_add_edge(struct gputm_timestamp_table *t, uint32_t pred, uint32_t succ)
{
	if (!is_edge(t, pred, succ))
		return refuse_edge(t, pred, succ);
	if (t->config.literal)
		return apply_literally(t, pred, succ);
	return apply(t, pred, succ, usual_edge(t, &t->slot[pred], &t->slot[succ]));
}

int gputm_timestamp_table_add_edge_probe(const struct gputm_timestamp_table *t, uint32_t pred,
					 uint32_t succ)
{
	const struct slot *slot = t->slot;

	if (!is_edge(t, pred, succ))
		return refuse_edge(t, pred, succ);
	if (t->config.literal)
		return literal_edge(t, &slot[pred], &slot[succ]).result;
	return usual_edge(t, &slot[pred], &slot[succ]).result;
}

/* ---- life of a transaction ---- */

static int begin_refused(const struct gputm_timestamp_table *t, uint32_t tx, uint64_t start)
{
	if (tx >= t->config.transactions)
		return refuse_number(t, tx);
	if (!t->config.literal && (!start || start > (uint64_t)t->limit + 1))
		return gputm__out_of_range(&t->unit, "start", start, 1, (uint64_t)t->limit + 1);
	if (t->slot[tx].state == IDLE || (t->config.literal && t->slot[tx].state == COMMITTED))
		return 0;
	return gputm__refuse(&t->unit, "transaction %u has begun and is not released", tx);
}

static void release(struct gputm_timestamp_table *t, uint32_t tx)
{
	t->slot[tx].state = IDLE;
	t->retained--;
	t->released++;
	gputm__emit(&t->unit, GPUTM_TIMESTAMP_TABLE_EVENT_RELEASE, tx, 0, 0, 0);
}

int gputm_timestamp_table_begin(struct gputm_timestamp_table *t, uint32_t tx, uint64_t start)
{
	int error = begin_refused(t, tx, start);
	struct slot *slot;

	if (error)
		return error;
	slot = &t->slot[tx];
	if (!t->config.literal && start > t->limit) {
		t->answers[GPUTM_TIMESTAMP_TABLE_OVERFLOW]++;
		return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	}
	if (slot->state == COMMITTED)
		release(t, tx);
	if (!t->config.literal)
		slot->cts = (uint32_t)start;
	slot->state = RUNNING;
	t->begun++;
	gputm__maximum(&t->running_max, ++t->running);
	gputm__emit(&t->unit, GPUTM_TIMESTAMP_TABLE_EVENT_BEGIN, tx, slot->cts, 0, 0);
	return GPUTM_TIMESTAMP_TABLE_OK;
}

static void count_retired(struct gputm_timestamp_table *t, bool committed)
{
	t->running--;
	t->committed += committed;
	t->aborted += !committed;
	t->retained += committed;
	gputm__maximum(&t->retained_max, t->retained);
}

int gputm_timestamp_table_retire(struct gputm_timestamp_table *t, uint32_t tx, bool committed)
{
	struct slot *slot;
	uint32_t ts;

	if (tx >= t->config.transactions)
		return refuse_number(t, tx);
	slot = &t->slot[tx];
	if (slot->state != RUNNING)
		return gputm__refuse(&t->unit, "transaction %u does not run", tx);
	ts = slot->pdts != UNSET ? slot->pdts : slot->cts;
	if (t->config.literal && ts >= t->limit) {
		t->answers[GPUTM_TIMESTAMP_TABLE_OVERFLOW]++;
		return GPUTM_TIMESTAMP_TABLE_OVERFLOW;
	}
	slot->prev = slot->cts;
	if (t->config.literal)
		slot->cts = ts + 1;
	slot->pdts = UNSET;
	slot->state = committed ? COMMITTED : IDLE;
	count_retired(t, committed);
	gputm__emit(&t->unit, GPUTM_TIMESTAMP_TABLE_EVENT_RETIRE, tx, committed, slot->prev,
		    slot->cts);
	return GPUTM_TIMESTAMP_TABLE_OK;
}

int gputm_timestamp_table_release(struct gputm_timestamp_table *t, uint32_t tx)
{
	if (tx >= t->config.transactions)
		return refuse_number(t, tx);
	if (t->slot[tx].state != COMMITTED)
		return gputm__refuse(&t->unit, "transaction %u has not committed", tx);
	release(t, tx);
	return 0;
}

int gputm_timestamp_table_restart(struct gputm_timestamp_table *t)
{
	if (t->running)
		return gputm__refuse(&t->unit, "running = %llu transactions at a restart",
				     (unsigned long long)t->running);
	t->released += t->retained;
	clear(&t->unit);
	t->restarts++;
	gputm__emit(&t->unit, GPUTM_TIMESTAMP_TABLE_EVENT_RESTART, t->restarts, 0, 0, 0);
	return 0;
}

int gputm_timestamp_table_get_stamps(const struct gputm_timestamp_table *t, uint32_t tx,
				     struct gputm_timestamp_table_stamps *out)
{
	const struct slot *slot;

	if (tx >= t->config.transactions)
		return refuse_number(t, tx);
	slot = &t->slot[tx];
	out->state = (enum gputm_timestamp_table_state)slot->state;
	out->cts = slot->cts;
	out->pdts = slot->pdts;
	out->prev = slot->prev;
	return 0;
}
