/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions in local memory
 * ============================
 *
 * Source: Villegas, Navarro, Asenjo, Plata, "Hardware support for local memory transactions
 * on GPU architectures", TRANSACT 2015. Sections of that paper in brackets.
 *
 * Writes go in place; what they overwrite is kept in shadow memory (3.2): a bank with N words
 * of data has the old value of word k at word N + k, and the work-item that owns it at byte
 * 8 N + k. Each work-item has an 8-bit signature per bank; an access of word w sets bit
 * (w div banks) mod 8 of that in bank w mod banks. Word 35 of 32 banks: bank 3, bit 1.
 *
 * Access (3.3), in each bank:
 *	1  who has that bit?   another work-item	conflict: own entries are restored
 *			       nobody			new access
 *			       only the accessing one	2
 *	2  who owns the word?  the accessing one	nothing to do
 *			       nobody			new access
 *	   new access: old value and owner go to shadow memory, the bit is set
 *	3  when all banks are through with 1 and 2: what the lanes that are now in TCM own in
 *	   any bank is restored.
 * Reads and writes are not told apart. A bank serves one work-item at a time (3.3), so an
 * instruction of 64 lanes goes in turns of one lane a bank, the lowest that is left, and each
 * turn has its three stages: a lane that conflicts is gone when the next turn begins.
 *
 * Two wavefronts of two lanes, words 0 and 1 in different banks:
 *
 *	wavefront 0: lane 0 -> word 0, lane 1 -> word 1		both new
 *	wavefront 0: lane 0 -> word 1, lane 1 -> word 0		one turn: both conflict, both
 *								are restored
 *	wavefront 1: lane 0 -> word 1				new: the signatures are gone
 *
 * Masks (3.1): lanes in EXEC and not in TCM execute. tx_begin sets TCM to 0, a conflict sets
 * bits, tx_commit commits the others and copies TCM to EXEC for the next attempt:
 *
 *	the attempt ended with			the next one
 *	another TCM than the one before		all lanes that are left
 *	the same TCM				wavefront serialisation: the lowest alone
 *	the same TCM, serialised		work-group serialisation: alone in the group
 *
 * In work-group serialisation all other attempts are aborted, and their wavefronts are held
 * at tx_begin until the transaction is finished. A work-item that is alone meets nobody, so
 * an attempt in that mode commits its work-item, and so does each attempt in wavefront
 * serialisation while the others are held: every transaction ends.
 *
 * One bit, one owner. A work-item sets a bit only if nobody else has it. So of the 256
 * signatures of a bank at most one has a given bit, the transposed mask of 256 bits (per bank
 * and bit, who has it?) has at most one bit set, and its index is all that need be kept:
 * key_owner[]. The key of a word, bank and bit, is its lowest bits, as banks and signature
 * bits are powers of two. The bits of a work-item are those of the words that it owns, so
 * that all of this follows from owner[]. The words of one owner are chained (next[], head[]):
 * what is restored or released costs the host as much as there is, while the model's cost is
 * that of the fullest bank.
 *
 * Invariants, as check() names them:
 *   I1  of the signatures of a bank at most one has a given bit
 *   I2  a word is owned only by a lane that runs in an attempt; others have no backup
 *   I3  the masks of a wavefront are a state of the table above; only the holder of the group
 *	 is in work-group serialisation, and while there is one no other attempt runs
 *   I4  fresh = restored + released + owned
 *   I5  accesses = fresh + repeated + conflicts
 *   I6  started = committed + conflicts + evicted + lanes that run in attempts
 *
 * Differences from the paper
 *   - The owner is a byte for 256 work-items: no value is left for "nobody". A valid bit per
 *     word is kept, and counted apart.
 *   - Signatures are cleared at commit (4.2) and also at abort, of which the paper says nothing:
 *     in attempt 3 of Table 1 WI2 would conflict with what WI3 has left in attempt 2.
 *   - The paper maps each signature to a vector register; the storage report counts 8 bits.
 *   - Table 1 ends with one lane in EXEC: EXEC of the first tx_begin is kept and restored.
 *   - A program must bring EXEC back to what it was at tx_begin before it commits, as that of
 *     Table 1 does; lanes switched off would be lost, so tx_commit refuses them.
 *   - A wavefront that work-group serialisation aborts goes back to tx_begin as it was then:
 *     that abort does not count as the same TCM once more.
 *   - The paper does not say in which mode a wavefront that has the group goes on while it
 *     has lanes left: it keeps the group, and as TCM has changed, all of them run at once.
 *   - What the lanes of one access cost together is left open (4.2: so many cycles are added
 *     "to the memory instruction latency"): by default the slowest lane counts, which gives
 *     overheads as small as the paper's; lane_cost = sum adds up the lanes of each bank,
 *     and the broadcasts of the turns.
 *   - 29,127 bytes of data (4.3) are not whole words; laid out bank by bank 29,056 fit.
 *   - Ordinary accesses are not checked against transactions, as in the paper; those that
 *     touch a word of a running transaction are counted as clashes.
 */
#include "lib/localtm/local_tm-priv.h"

/* ---- shadow memory ---- */

static void disown(struct gputm_local_tm *t, uint32_t word)
{
	t->owner[word] = 0;
	t->backup[word] = 0;
	t->next[word] = 0;
	t->key_owner[word & t->key_mask] = 0;
	t->owned--;
}

void gputm__local_tm_restore(struct gputm_local_tm *t, uint32_t item, uint32_t bank,
			     struct tally *tally)
{
	uint32_t *link = &t->head[item];

	while (*link) {
		uint32_t word = *link - 1;

		if (bank != ALL_BANKS && (word & t->bank_mask) != bank) {
			link = &t->next[word];
			continue;
		}
		*link = t->next[word];
		t->data[word] = t->backup[word];
		disown(t, word);
		t->restored++;
		gputm__local_tm_count(t, tally, word);
	}
}

void gputm__local_tm_roll_back(struct gputm_local_tm *t, uint32_t wavefront, uint64_t lanes,
			       struct tally *tally)
{
	for (; lanes; lanes &= lanes - 1)
		gputm__local_tm_restore(t, gputm__local_tm_item(t, wavefront, gputm__lowest(lanes)),
					ALL_BANKS, tally);
}

/* Commit the writes of a work-item. */
static void release(struct gputm_local_tm *t, uint32_t item, struct tally *tally)
{
	uint32_t at = t->head[item];

	while (at) {
		uint32_t word = at - 1;

		at = t->next[word];
		disown(t, word);
		t->released++;
		gputm__local_tm_count(t, tally, word);
	}
	t->head[item] = 0;
}

/* ---- refusals ---- */

int gputm__local_tm_refuse_wavefront(const struct gputm_local_tm *t, uint32_t wavefront)
{
	return gputm__out_of_range(&t->unit, "wavefront", wavefront, 0, t->config.wavefronts - 1);
}

int gputm__local_tm_refuse_lanes(const struct gputm_local_tm *t, const char *field,
				 uint64_t lanes)
{
	return gputm__out_of_range(&t->unit, field, lanes, 0, t->lane_mask);
}

static int refuse_due(const struct gputm_local_tm *t, uint32_t wavefront)
{
	return gputm__refuse(&t->unit, "wavefront %u must go to its tx_begin first", wavefront);
}

static inline bool is_due(const struct wavefront *w)
{
	return w->state >= GPUTM_LOCAL_TM_STATE_RESTART;
}

/* ---- masks ---- */

static int check_mask(const struct gputm_local_tm *t, uint32_t wavefront, const char *field,
		      uint64_t mask)
{
	if (wavefront >= t->config.wavefronts)
		return gputm__local_tm_refuse_wavefront(t, wavefront);
	if (mask & ~t->lane_mask)
		return gputm__local_tm_refuse_lanes(t, field, mask);
	return is_due(&t->wavefront[wavefront]) ? refuse_due(t, wavefront) : 0;
}

int gputm_local_tm_set_exec(struct gputm_local_tm *t, uint32_t wavefront, uint64_t exec)
{
	int error = check_mask(t, wavefront, "exec", exec);
	struct wavefront *w = error ? NULL : &t->wavefront[wavefront];

	if (!error && w->state == GPUTM_LOCAL_TM_STATE_RUNNING && exec & ~w->lanes)
		error = gputm__refuse(&t->unit, "exec = 0x%llx has lanes that wavefront %u's "
						"attempt, 0x%llx, has not",
				      (unsigned long long)exec, wavefront,
				      (unsigned long long)w->lanes);
	if (error)
		return error;
	w->exec = exec;
	return 0;
}

int gputm_local_tm_set_vcc(struct gputm_local_tm *t, uint32_t wavefront, uint64_t vcc)
{
	int error = check_mask(t, wavefront, "vcc", vcc);

	if (error)
		return error;
	t->wavefront[wavefront].vcc = vcc & gputm__local_tm_running(&t->wavefront[wavefront]);
	return 0;
}

uint64_t gputm_local_tm_running(const struct gputm_local_tm *t, uint32_t wavefront)
{
	return wavefront < t->config.wavefronts ?
		       gputm__local_tm_running(&t->wavefront[wavefront]) : 0;
}

/* ---- tx_begin ---- */

/* The mode of the next attempt: Table 1. */
static enum gputm_local_tm_mode next_mode(const struct wavefront *w)
{
	if (w->state == GPUTM_LOCAL_TM_STATE_EVICTED)
		return (enum gputm_local_tm_mode)w->mode;
	if (w->tcm != w->tcm_old)
		return GPUTM_LOCAL_TM_MODE_TX;
	return w->mode == GPUTM_LOCAL_TM_MODE_TX ? GPUTM_LOCAL_TM_MODE_WAVEFRONT
						 : GPUTM_LOCAL_TM_MODE_GROUP;
}

/* Abort the attempt of a wavefront and restore its masks of the begin. */
static void evict(struct gputm_local_tm *t, uint32_t wavefront, uint32_t holder,
		  struct tally *tally)
{
	struct wavefront *w = &t->wavefront[wavefront];
	uint64_t ran = w->lanes & ~w->tcm, before = t->restored;

	gputm__local_tm_roll_back(t, wavefront, ran, tally);
	t->evicted += gputm__popcount(ran);
	w->exec = w->tcm = w->lanes;
	w->state = GPUTM_LOCAL_TM_STATE_EVICTED;
	w->nesting = 0;
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_EVICT, wavefront, ran, t->restored - before,
		    holder);
}

static uint32_t take_group(struct gputm_local_tm *t, uint32_t wavefront, struct tally *tally)
{
	uint32_t evicted = 0;

	for (uint32_t i = 0; i < t->config.wavefronts; i++)
		if (t->wavefront[i].state == GPUTM_LOCAL_TM_STATE_RUNNING) {
			evict(t, i, wavefront, tally);
			evicted |= UINT32_C(1) << i;
		}
	t->holder = wavefront;
	return evicted;
}

int gputm_local_tm_begin_probe(const struct gputm_local_tm *t, uint32_t wavefront)
{
	const struct wavefront *w;

	if (wavefront >= t->config.wavefronts)
		return gputm__local_tm_refuse_wavefront(t, wavefront);
	w = &t->wavefront[wavefront];
	if (w->state == GPUTM_LOCAL_TM_STATE_RUNNING)
		return w->nesting < NESTING_MAX ? GPUTM_LOCAL_TM_NESTED :
		       gputm__out_of_range(&t->unit, "nesting", (uint64_t)w->nesting + 1, 0,
					   NESTING_MAX);
	if (!w->exec)
		return gputm__refuse(&t->unit, "exec = 0 of wavefront %u at tx_begin", wavefront);
	return t->holder == NO_WAVEFRONT || t->holder == wavefront ? GPUTM_LOCAL_TM_OK :
								     GPUTM_LOCAL_TM_HELD;
}

/* TCM of the attempt: empty, or all lanes but the lowest. */
static void start_attempt(struct gputm_local_tm *t, struct wavefront *w,
			  enum gputm_local_tm_mode mode)
{
	if (w->state == GPUTM_LOCAL_TM_STATE_RESTART)
		w->tcm_old = w->tcm;
	w->tcm = mode == GPUTM_LOCAL_TM_MODE_TX ? 0 : w->lanes & (w->lanes - 1);
	w->mode = mode;
	w->state = GPUTM_LOCAL_TM_STATE_RUNNING;
	t->normal_attempts += mode == GPUTM_LOCAL_TM_MODE_TX;
	t->wavefront_attempts += mode == GPUTM_LOCAL_TM_MODE_WAVEFRONT;
	t->group_attempts += mode == GPUTM_LOCAL_TM_MODE_GROUP;
	t->started += gputm__popcount(gputm__local_tm_running(w));
}

int gputm_local_tm_begin(struct gputm_local_tm *t, uint32_t wavefront,
			 struct gputm_local_tm_begun *out)
{
	int result = gputm_local_tm_begin_probe(t, wavefront);
	struct wavefront *w = result < 0 ? NULL : &t->wavefront[wavefront];
	struct tally tally = { { 0 }, 0 };
	enum gputm_local_tm_mode mode = GPUTM_LOCAL_TM_MODE_TX;

	t->held += result == GPUTM_LOCAL_TM_HELD;
	if (result < 0 || result == GPUTM_LOCAL_TM_HELD)
		return result;
	*out = (struct gputm_local_tm_begun){ 0, 0, gputm__local_tm_running(w),
					      (enum gputm_local_tm_mode)w->mode };
	if (result == GPUTM_LOCAL_TM_NESTED) {
		w->nesting++;
		t->nested++;
		return result;
	}
	if (is_due(w))
		mode = next_mode(w);
	else
		w->outer = w->lanes = w->exec;
	t->begins++;
	if (mode == GPUTM_LOCAL_TM_MODE_GROUP && t->holder != wavefront)
		out->evicted = take_group(t, wavefront, &tally);
	start_attempt(t, w, mode);
	out->cycles = 1 + tally.most;
	out->lanes = gputm__local_tm_running(w);
	out->mode = mode;
	t->begin_cycles += out->cycles;
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_BEGIN, wavefront, w->exec, w->tcm, mode);
	return result;
}

/* ---- tx_commit ---- */

static void leave(struct gputm_local_tm *t, uint32_t wavefront)
{
	struct wavefront *w = &t->wavefront[wavefront];

	w->exec = w->outer;
	w->outer = w->lanes = w->tcm_old = 0;
	w->mode = GPUTM_LOCAL_TM_MODE_NORMAL;
	w->state = GPUTM_LOCAL_TM_STATE_OUTSIDE;
	if (t->holder == wavefront)
		t->holder = NO_WAVEFRONT;
}

/* Finished lanes leave the attempt; the lanes of TCM remain. */
static uint32_t commit_lanes(struct gputm_local_tm *t, uint32_t wavefront, uint64_t done)
{
	struct wavefront *w = &t->wavefront[wavefront];
	struct tally tally = { { 0 }, 0 };

	for (uint64_t m = done; m; m &= m - 1)
		release(t, gputm__local_tm_item(t, wavefront, gputm__lowest(m)), &tally);
	t->committed += gputm__popcount(done);
	if (w->mode != GPUTM_LOCAL_TM_MODE_TX)
		t->serial_committed += gputm__popcount(done);
	w->exec = w->lanes = w->tcm;
	w->state = GPUTM_LOCAL_TM_STATE_RESTART;
	return 1 + tally.most;
}

static int check_commit(const struct gputm_local_tm *t, uint32_t wavefront)
{
	const struct wavefront *w;

	if (wavefront >= t->config.wavefronts)
		return gputm__local_tm_refuse_wavefront(t, wavefront);
	w = &t->wavefront[wavefront];
	if (is_due(w))
		return refuse_due(t, wavefront);
	if (w->state != GPUTM_LOCAL_TM_STATE_RUNNING)
		return gputm__refuse(&t->unit, "wavefront %u is in no transaction", wavefront);
	if (w->nesting)
		return GPUTM_LOCAL_TM_NESTED;
	if (w->exec != w->lanes)
		return gputm__refuse(&t->unit, "exec = 0x%llx of wavefront %u at tx_commit is not "
					       "the 0x%llx of its tx_begin",
				     (unsigned long long)w->exec, wavefront,
				     (unsigned long long)w->lanes);
	return GPUTM_LOCAL_TM_OK;
}

int gputm_local_tm_commit(struct gputm_local_tm *t, uint32_t wavefront,
			  struct gputm_local_tm_ended *out)
{
	int result = check_commit(t, wavefront);
	struct wavefront *w = result < 0 ? NULL : &t->wavefront[wavefront];

	if (result == GPUTM_LOCAL_TM_NESTED)
		w->nesting--;
	if (result)
		return result;
	out->committed = w->lanes & ~w->tcm;
	out->cycles = commit_lanes(t, wavefront, out->committed);
	out->next = w->tcm ? next_mode(w) : GPUTM_LOCAL_TM_MODE_NORMAL;
	t->commit_cycles += out->cycles;
	if (!w->tcm)
		leave(t, wavefront);
	gputm__emit(&t->unit, GPUTM_LOCAL_TM_EVENT_COMMIT, wavefront, out->committed, w->tcm,
		    out->next);
	return w->tcm ? GPUTM_LOCAL_TM_RETRY : GPUTM_LOCAL_TM_OK;
}
