/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer table
 * ============
 *
 * S. Chen, L. Peng, S. Irving, "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation" (ISCA 2017), 4.2, 5 and Fig. 12; sizes in 4.3.
 *
 * One running transaction at a time may write a word, so that post-dating has one writer to
 * ask. A transaction claims a word before it writes; a second claimant is aborted. A reader
 * finds in the table those that overwrite what it reads, and must come before them.
 *
 * What the table must know of the past: a transaction that has committed is still the
 * successor of those that read the word's old value, and it overwrote what a claimant with an
 * older snapshot has seen. So it stays until every running transaction's snapshot contains it.
 *
 *	claim(word, tx, snapshot):
 *	    tx is the running writer			own
 *	    there is another				held: the claimant aborts
 *	    the latest commit is not in snapshot	conflict: the claimant aborts
 *	    no entry is free				full: it aborts and waits
 *	    else					claimed
 *
 * Example, one word, versions by number:
 *
 *	claim by 7, snapshot 3		7 runs				claimed
 *	claim by 8, snapshot 3		7 runs				held
 *	7 commits into version 4	7@4
 *	claim by 9, snapshot 3		7@4				conflict
 *	claim by 9, snapshot 4		9 runs, 7@4			claimed
 *	release of 7			9 runs
 *
 * In the host the slot of a word holds the running writer + 1 in the low half of its data and
 * the newest commit's record + 1 in the high half; records are chained from new to old.
 *
 * Invariants, as check() names them:
 *   W1  each word is where a search finds it, and has a writer
 *   W2  the commits of a word have versions that do not grow along the chain, and no
 *       transaction twice
 *   W3  used is the number of writers of all words, retained that of commits; used does not
 *       exceed the entries
 *   W4  claimed = released + used
 *
 * Differences from the paper
 *   - The paper removes a writer when it commits, and checks writes at the commit unit against
 *     "other committing transactions", of which no unit knows. Both lose dependency loops or
 *     updates. Here commits stay and claims are checked against them; with release_at_commit
 *     they do not, which is the paper's text.
 *   - "If there already exists a writer, the new writer is aborted [...] otherwise the writer
 *     with a larger ID will abort": an existing writer wins; of claims in the same cycle the
 *     lowest one does (claim_batch).
 *   - 3000 x 40 bits are 15,000 bytes, as Table 1 says (its kB are 1000 bytes here, 1024 for
 *     the reader list). The version of a commit is reported apart.
 */
#include "lib/snapiso/writer_table-priv.h"

static int refuse(const struct gputm_writer_table *t, uint64_t address, uint32_t tx,
		  uint64_t version)
{
	if (address > t->address_max)
		return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
	if (tx >= t->config.transactions)
		return gputm__out_of_range(&t->unit, "transaction", tx, 0,
					   t->config.transactions - 1);
	return gputm__out_of_range(&t->unit, "version", version, 0, t->version_max);
}

static inline bool is_out(const struct gputm_writer_table *t, uint64_t address, uint32_t tx,
			  uint64_t version)
{
	return address > t->address_max || tx >= t->config.transactions ||
	       version > t->version_max;
}

static inline struct gputm__word_slot *find(const struct gputm_writer_table *t, uint64_t address)
{
	return gputm__word_find(&t->map, (address >> t->word_shift) + 1);
}

static int refuse_committed(const struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&t->unit, "transaction %u has committed to address 0x%llx", tx,
			     (unsigned long long)address);
}

static int answer(const struct gputm_writer_table *t, const struct gputm__word_slot *slot,
		  uint64_t address, uint32_t tx, uint64_t snapshot)
{
	uint32_t newest = gputm__writer_newest(slot);

	if (gputm__writer_committed(t, newest, tx))
		return refuse_committed(t, address, tx);
	if (gputm__writer_running(slot))
		return gputm__writer_running(slot) == tx + 1 ? GPUTM_WRITER_TABLE_OWN
							     : GPUTM_WRITER_TABLE_HELD;
	if (newest && t->commit[newest - 1].version > snapshot)
		return GPUTM_WRITER_TABLE_CONFLICT;
	return t->used < t->config.entries ? GPUTM_WRITER_TABLE_CLAIMED : GPUTM_WRITER_TABLE_FULL;
}

static int tell(const struct gputm_writer_table *t, uint32_t kind, uint64_t address, uint32_t tx,
		int result)
{
	gputm__emit(&t->unit, kind, address, tx, 0, 0);
	return result;
}

static int tell_refused(const struct gputm_writer_table *t, uint64_t address, uint32_t tx, int why)
{
	const struct gputm__word_slot *slot = find(t, address);
	uint64_t winner = UINT64_MAX;

	if (why == GPUTM_WRITER_TABLE_HELD)
		winner = gputm__writer_running(slot) - 1;
	else if (why == GPUTM_WRITER_TABLE_CONFLICT)
		winner = t->commit[gputm__writer_newest(slot) - 1].tx;
	gputm__emit(&t->unit, GPUTM_WRITER_TABLE_EVENT_REFUSE, address, tx, (uint64_t)why, winner);
	return why;
}

static int not_claimed(struct gputm_writer_table *t, uint64_t address, uint32_t tx, int why)
{
	if (why < 0)
		return why;
	t->own += why == GPUTM_WRITER_TABLE_OWN;
	t->held += why == GPUTM_WRITER_TABLE_HELD;
	t->conflicts += why == GPUTM_WRITER_TABLE_CONFLICT;
	t->full += why == GPUTM_WRITER_TABLE_FULL;
	if (why != GPUTM_WRITER_TABLE_OWN && t->unit.observe)
		return tell_refused(t, address, tx, why);
	return why;
}

static inline int claimed(struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	gputm__maximum(&t->used_max, ++t->used);
	t->claimed++;
	if (t->unit.observe != NULL)
		return tell(t, GPUTM_WRITER_TABLE_EVENT_CLAIM, address, tx,
			    GPUTM_WRITER_TABLE_CLAIMED);
	return GPUTM_WRITER_TABLE_CLAIMED;
}

static int claim_known(struct gputm_writer_table *t, struct gputm__word_slot *slot,
		       uint64_t address, uint32_t tx, uint64_t snapshot)
{
	int why = answer(t, slot, address, tx, snapshot);

	if (why != GPUTM_WRITER_TABLE_CLAIMED)
		return not_claimed(t, address, tx, why);
	slot->data |= tx + 1;
	return claimed(t, address, tx);
}

int gputm_writer_table_claim(struct gputm_writer_table *t, uint64_t address, uint32_t tx,
			     uint64_t snapshot)
{
	struct gputm__word_slot *slot;

	if (is_out(t, address, tx, snapshot))
		return refuse(t, address, tx, snapshot);
	slot = find(t, address);
	if (slot->key)
		return claim_known(t, slot, address, tx, snapshot);
	if (t->used >= t->config.entries)
		return not_claimed(t, address, tx, GPUTM_WRITER_TABLE_FULL);
	slot->key = (address >> t->word_shift) + 1;
	slot->data = tx + 1;
	return claimed(t, address, tx);
}

int gputm_writer_table_claim_probe(const struct gputm_writer_table *t, uint64_t address,
				   uint32_t tx, uint64_t snapshot)
{
	if (is_out(t, address, tx, snapshot))
		return refuse(t, address, tx, snapshot);
	return answer(t, find(t, address), address, tx, snapshot);
}

static int batch_refused(const struct gputm_writer_table *t, uint32_t count,
			 const struct gputm_writer_table_request *claim)
{
	int error = 0;

	if (count > GPUTM_WRITER_TABLE_BATCH_MAX)
		return gputm__out_of_range(&t->unit, "count", count, 0,
					   GPUTM_WRITER_TABLE_BATCH_MAX);
	for (uint32_t i = 0; i < count && error >= 0; i++)
		error = gputm_writer_table_claim_probe(t, claim[i].address, claim[i].tx,
						       claim[i].snapshot);
	return error < 0 ? error : 0;
}

int gputm_writer_table_claim_batch(struct gputm_writer_table *t, uint32_t count,
				   const struct gputm_writer_table_request *claim, int *result)
{
	uint32_t order[GPUTM_WRITER_TABLE_BATCH_MAX];
	int error = batch_refused(t, count, claim);

	if (error)
		return error;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;

		for (; at && claim[order[at - 1]].tx > claim[i].tx; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct gputm_writer_table_request *c = &claim[order[i]];

		result[order[i]] = gputm_writer_table_claim(t, c->address, c->tx, c->snapshot);
	}
	return 0;
}

static int refuse_stranger(const struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&t->unit, "transaction %u is no writer of address 0x%llx", tx,
			     (unsigned long long)address);
}

static inline int released(struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	t->used--;
	t->released++;
	if (t->unit.observe != NULL)
		return tell(t, GPUTM_WRITER_TABLE_EVENT_RELEASE, address, tx, 0);
	return 0;
}

/* The link to the record of a transaction's commit at a word, or NULL. */
static uint32_t *link_of(struct gputm_writer_table *t, uint32_t *newest, uint32_t tx)
{
	uint32_t *link = newest;

	while (*link && t->commit[*link - 1].tx != tx)
		link = &t->commit[*link - 1].next;
	return *link ? link : NULL;
}

/* Release a word that has commits, or whose slot is within a run of the map. */
static int release_any(struct gputm_writer_table *t, struct gputm__word_slot *slot,
		       uint64_t address, uint32_t tx)
{
	uint32_t running = gputm__writer_running(slot), newest = gputm__writer_newest(slot);
	uint32_t *link = link_of(t, &newest, tx), at;

	if (running != tx + 1 && !link)
		return refuse_stranger(t, address, tx);
	if (running == tx + 1) {
		running = 0;
	} else {
		at = *link;
		*link = t->commit[at - 1].next;
		t->commit[at - 1].next = t->free_commit;
		t->free_commit = at;
		t->retained--;
	}
	slot->data = (uint64_t)newest << 32 | running;
	if (!slot->data)
		gputm__word_erase(&t->map, slot);
	return released(t, address, tx);
}

int gputm_writer_table_release(struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	struct gputm__word_slot *slot;

	if (is_out(t, address, tx, 0))
		return refuse(t, address, tx, 0);
	slot = find(t, address);
	if (slot->data != (uint64_t)tx + 1)
		return release_any(t, slot, address, tx);
	gputm__word_erase(&t->map, slot);
	return released(t, address, tx);
}

int gputm_writer_table_commit(struct gputm_writer_table *t, uint64_t address, uint32_t tx,
			      uint64_t version)
{
	struct gputm__word_slot *slot;

	if (is_out(t, address, tx, version))
		return refuse(t, address, tx, version);
	slot = find(t, address);
	if (gputm__writer_running(slot) != tx + 1)
		return refuse_stranger(t, address, tx);
	if (gputm__writer_newest(slot) &&
	    t->commit[gputm__writer_newest(slot) - 1].version > version)
		return gputm__refuse(&t->unit, "version = %llu: the word has a later commit",
				     (unsigned long long)version);
	t->committed++;
	gputm__emit(&t->unit, GPUTM_WRITER_TABLE_EVENT_COMMIT, address, tx, version, 0);
	if (t->config.release_at_commit)
		return release_any(t, slot, address, tx);
	slot->data &= ~gputm__low_mask(32);
	gputm__writer_push(t, slot, tx, version);
	gputm__maximum(&t->retained_max, t->retained);
	return 0;
}

int gputm_writer_table_writers(const struct gputm_writer_table *t, uint64_t address,
			       struct gputm_writer_table_writer *out, uint32_t capacity)
{
	const struct gputm__word_slot *slot;
	uint32_t count;

	if (address > t->address_max)
		return refuse(t, address, 0, 0);
	slot = find(t, address);
	count = (gputm__writer_running(slot) != 0) + gputm__writer_commits(t, slot);
	if (count > capacity)
		return (int)count;
	if (gputm__writer_running(slot))
		*out++ = (struct gputm_writer_table_writer){ gputm__writer_running(slot) - 1, false,
							     0 };
	for (uint32_t at = gputm__writer_newest(slot); at; at = t->commit[at - 1].next)
		*out++ = (struct gputm_writer_table_writer){ t->commit[at - 1].tx, true,
							     t->commit[at - 1].version };
	return (int)count;
}

uint32_t gputm_writer_table_used(const struct gputm_writer_table *t)
{
	return (uint32_t)t->used;
}
