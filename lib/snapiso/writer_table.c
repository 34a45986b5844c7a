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
#include "gputm/writer_table.h"
#include "lib/snapiso/word_map.h"

struct commit {
	uint64_t version;
	uint32_t tx;
	uint32_t next; /* older commit of the word, or free record; + 1 */
};

struct gputm_writer_table {
	struct gputm_unit unit;
	struct gputm_writer_table_config config;
	struct gputm__word_map map;
	struct commit *commit; /* [entries] */
	uint64_t address_max, version_max;
	uint32_t word_shift;
	uint32_t free_commit; /* first free record + 1 */

	uint64_t used, retained;
	uint64_t claimed, own, held, conflicts, full, committed, released, used_max, retained_max;
};

#define PARAM(...) GPUTM__PARAM(struct gputm_writer_table_config, __VA_ARGS__)
static const struct gputm_param params[] = {
	PARAM(entries, 1, 1u << 20, 3000, false, "Entries, of a word and a writer each.",
	      "ISCA 2017 4.3"),
	PARAM(transactions, 2, 1u << 16, 1024, false, "Transactions.", "ISCA 2017 4.3"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(word_bytes, 4, 4096, 4, true, "Bytes claimed as one word.", "ISCA 2017 4.2"),
	PARAM(version_bits, 8, 64, 32, false, "Width of the number of a version, bits.", ""),
	PARAM(release_at_commit, 0, 1, 0, false, "Keep no committed writers.", "ISCA 2017 5"),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017", "ISCA 2017 Table 1: 3000 entries of 40 bits, released at commit.",
	  { { "entries", 3000 }, { "transactions", 1024 }, { "release_at_commit", 1 } } },
	{ "retained", "As many entries for 2048 transactions, committed ones among them.",
	  { { "entries", 3000 }, { "transactions", 2048 } } },
};

static const struct gputm_params table = {
	"writer_table", sizeof(struct gputm_writer_table_config),
	params, GPUTM__COUNT(params), presets, GPUTM__COUNT(presets),
};

#define STAT(...) GPUTM__STAT(struct gputm_writer_table, __VA_ARGS__)
static const struct gputm__stat_row stats[] = {
	STAT(claimed, COUNTER, "claims", "Claims granted: released + used."),
	STAT(own, COUNTER, "claims", "Claims of a word by its running writer."),
	STAT(held, COUNTER, "claims", "Claims refused because of a running writer."),
	STAT(conflicts, COUNTER, "claims", "Claims refused because of a later commit."),
	STAT(full, COUNTER, "claims", "Claims refused for want of entries."),
	STAT(committed, COUNTER, "writers", "Running writers that committed."),
	STAT(released, COUNTER, "writers", "Entries freed."),
	STAT(used_max, MAXIMUM, "entries", "Entries in use, at most."),
	STAT(retained_max, MAXIMUM, "entries", "Entries of committed writers, at most."),
	STAT(used, GAUGE, "entries", "Entries in use."),
	STAT(retained, GAUGE, "entries", "Entries of committed writers."),
};

static const char *const events[] = { "claimed", "refused", "committed", "released" };

/* ---- life ---- */

static struct gputm_writer_table *self_of(struct gputm_unit *unit)
{
	return (struct gputm_writer_table *)(void *)unit;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_writer_table *t = self_of(unit);
	const struct gputm_writer_table_config *c = &t->config;

	t->address_max = gputm__low_mask(c->address_bits);
	t->version_max = gputm__low_mask(c->version_bits);
	t->word_shift = gputm__log2(c->word_bytes);
	t->commit = gputm__alloc(unit->ctx, c->entries, sizeof(*t->commit));
	return t->commit ? gputm__word_map_setup(&t->map, unit->ctx, c->entries) : -ENOMEM;
}

static void teardown(struct gputm_unit *unit)
{
	gputm__free(unit->ctx, self_of(unit)->map.slot);
	gputm__free(unit->ctx, self_of(unit)->commit);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_writer_table *t = self_of(unit);

	gputm__word_map_clear(&t->map);
	for (uint32_t i = 0; i < t->config.entries; i++)
		t->commit[i].next = i + 1 < t->config.entries ? i + 2 : 0;
	t->free_commit = 1;
	t->used = t->retained = 0;
}

static inline uint32_t running_of(const struct gputm__word_slot *slot)
{
	return (uint32_t)slot->data;
}

static inline uint32_t newest_of(const struct gputm__word_slot *slot)
{
	return (uint32_t)(slot->data >> 32);
}

static uint32_t commits_of(const struct gputm_writer_table *t, const struct gputm__word_slot *slot)
{
	uint32_t count = 0;

	for (uint32_t at = newest_of(slot); at; at = t->commit[at - 1].next)
		count++;
	return count;
}

/* A record for the newest commit of a word; there is one for each entry. */
static void push_commit(struct gputm_writer_table *t, struct gputm__word_slot *slot, uint32_t tx,
			uint64_t version)
{
	uint32_t at = t->free_commit;

	t->free_commit = t->commit[at - 1].next;
	t->commit[at - 1] = (struct commit){ version, tx, newest_of(slot) };
	slot->data = (uint64_t)at << 32 | running_of(slot);
	t->retained++;
}

/* From old to new when reading, so that pushing gives the chain. */
static void io_commits(struct gputm_writer_table *t, struct gputm__word_slot *slot,
		       struct gputm__io *io)
{
	uint32_t count = commits_of(t, slot), tx = 0;
	uint64_t version = 0;

	gputm__io_u32_max(io, &count, t->config.entries, "commits");
	for (uint32_t left = count; left-- > 0 && !io->error;) {
		uint32_t at = newest_of(slot);

		if (!gputm__io_reading(io)) {
			for (uint32_t i = 0; i < left; i++)
				at = t->commit[at - 1].next;
			tx = t->commit[at - 1].tx;
			version = t->commit[at - 1].version;
		}
		gputm__io_u32_max(io, &tx, t->config.transactions - 1, "transaction");
		gputm__io_u64_max(io, &version, t->version_max, "version");
		if (!io->error && gputm__io_reading(io) && !t->free_commit)
			gputm__io_fail(io, -EINVAL, "more commits than entries");
		if (!io->error && gputm__io_reading(io))
			push_commit(t, slot, tx, version);
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_writer_table *t = self_of(unit);
	uint64_t words = gputm__io_reading(io) ? 0 : gputm__word_count(&t->map);
	uint64_t used = 0, key_max = (t->address_max >> t->word_shift) + 1;
	size_t at = 0;

	gputm__io_u64_max(io, &words, t->config.entries, "words");
	for (uint64_t i = 0; i < words && !io->error; i++) {
		struct gputm__word_slot *slot = gputm__word_io(&t->map, io, &at, key_max);
		uint32_t running = slot ? running_of(slot) : 0;

		if (!slot)
			return;
		gputm__io_u32_max(io, &running, t->config.transactions, "writer");
		if (gputm__io_reading(io))
			slot->data = running;
		io_commits(t, slot, io);
		used += (running != 0) + (io->error ? 0 : commits_of(t, slot));
	}
	t->used = used;
}

/* The commit of this transaction at a word: where its record + 1 is kept, or NULL. */
static uint32_t *link_of(struct gputm_writer_table *t, uint32_t *newest, uint32_t tx)
{
	uint32_t *link = newest;

	while (*link && t->commit[*link - 1].tx != tx)
		link = &t->commit[*link - 1].next;
	return *link ? link : NULL;
}

static bool has_committed(const struct gputm_writer_table *t, uint32_t newest, uint32_t tx)
{
	while (newest && t->commit[newest - 1].tx != tx)
		newest = t->commit[newest - 1].next;
	return newest != 0;
}

static const char *check_word(const struct gputm_writer_table *t, size_t at)
{
	const struct gputm__word_slot *slot = &t->map.slot[at];
	uint32_t newest = newest_of(slot);

	if (!gputm__word_is_found(&t->map, at))
		return "a word is not where it is searched";
	if (!slot->data)
		return "a word has no writer";
	if (running_of(slot) && has_committed(t, newest, running_of(slot) - 1))
		return "a running writer of a word has committed to it";
	for (; newest; newest = t->commit[newest - 1].next) {
		const struct commit *c = &t->commit[newest - 1];

		if (has_committed(t, c->next, c->tx))
			return "a transaction has committed to a word twice";
		if (c->next && t->commit[c->next - 1].version > c->version)
			return "the commits of a word are not in the order of their versions";
	}
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_writer_table *t =
		(const struct gputm_writer_table *)(const void *)unit;
	uint64_t running = 0, retained = 0;

	for (size_t i = 0; i <= t->map.mask; i++) {
		const struct gputm__word_slot *slot = &t->map.slot[i];
		const char *wrong = slot->key ? check_word(t, i) : NULL;

		if (wrong)
			return wrong;
		running += running_of(slot) != 0;
		retained += commits_of(t, slot);
	}
	if (running + retained != t->used || retained != t->retained)
		return "used or retained is not what the words add up to";
	if (t->used > t->config.entries || t->used > t->used_max || retained > t->retained_max)
		return "more entries in use than there are, or than the maximum";
	if (retained && t->config.release_at_commit)
		return "a committed writer is kept";
	return t->claimed == t->released + t->used ? NULL : "claimed is not released + used";
}

static bool storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	const struct gputm_writer_table_config *c = gputm_unit_config(unit);
	uint32_t word = c->address_bits - gputm__log2(c->word_bytes);
	const struct gputm_storage part[] = {
		{ "writers", c->entries, word + gputm__bits_for(c->transactions), 1, false },
		{ "versions of commits", c->entries, c->version_bits + 1, 1, true },
	};

	if (index >= (c->release_at_commit ? 1 : GPUTM__COUNT(part)))
		return false;
	*out = part[index];
	return true;
}

static const struct gputm__class class = {
	.kind = "writer_table",
	.version = 1,
	.size = sizeof(struct gputm_writer_table),
	.params = &table,
	.config_offset = offsetof(struct gputm_writer_table, config),
	.stat = stats,
	.stat_count = GPUTM__COUNT(stats),
	.event = events,
	.setup = setup,
	.teardown = teardown,
	.clear = clear,
	.io = io,
	.check = check,
	.storage = storage,
};

GPUTM__LIFE(writer_table, class)

/* ---- data path ---- */

#define APART static __attribute__((noinline))

APART int refuse(const struct gputm_writer_table *t, uint64_t address, uint32_t tx,
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

APART int refuse_committed(const struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&t->unit, "transaction %u has committed to address 0x%llx", tx,
			     (unsigned long long)address);
}

static int answer(const struct gputm_writer_table *t, const struct gputm__word_slot *slot,
		  uint64_t address, uint32_t tx, uint64_t snapshot)
{
	uint32_t newest = newest_of(slot);

	if (has_committed(t, newest, tx))
		return refuse_committed(t, address, tx);
	if (running_of(slot))
		return running_of(slot) == tx + 1 ? GPUTM_WRITER_TABLE_OWN
						  : GPUTM_WRITER_TABLE_HELD;
	if (newest && t->commit[newest - 1].version > snapshot)
		return GPUTM_WRITER_TABLE_CONFLICT;
	return t->used < t->config.entries ? GPUTM_WRITER_TABLE_CLAIMED : GPUTM_WRITER_TABLE_FULL;
}

APART int tell(const struct gputm_writer_table *t, uint32_t kind, uint64_t address, uint32_t tx,
	       uint64_t last, int result)
{
	gputm__emit(&t->unit, kind, address, tx, last, 0);
	return result;
}

APART int not_claimed(struct gputm_writer_table *t, uint64_t address, uint32_t tx, int why)
{
	if (why < 0)
		return why;
	t->own += why == GPUTM_WRITER_TABLE_OWN;
	t->held += why == GPUTM_WRITER_TABLE_HELD;
	t->conflicts += why == GPUTM_WRITER_TABLE_CONFLICT;
	t->full += why == GPUTM_WRITER_TABLE_FULL;
	return why == GPUTM_WRITER_TABLE_OWN
		       ? why
		       : tell(t, GPUTM_WRITER_TABLE_EVENT_REFUSED, address, tx, (uint64_t)why, why);
}

static inline int claimed(struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	gputm__maximum(&t->used_max, ++t->used);
	t->claimed++;
	if (GPUTM__UNLIKELY(t->unit.observe != NULL))
		return tell(t, GPUTM_WRITER_TABLE_EVENT_CLAIMED, address, tx, 0,
			    GPUTM_WRITER_TABLE_CLAIMED);
	return GPUTM_WRITER_TABLE_CLAIMED;
}

APART int claim_known(struct gputm_writer_table *t, struct gputm__word_slot *slot,
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

	if (GPUTM__UNLIKELY(is_out(t, address, tx, snapshot)))
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
			 const struct gputm_writer_table_claim *claim)
{
	int error = 0;

	if (count > GPUTM_WRITER_TABLE_BATCH)
		return gputm__out_of_range(&t->unit, "count", count, 0, GPUTM_WRITER_TABLE_BATCH);
	for (uint32_t i = 0; i < count && error >= 0; i++)
		error = gputm_writer_table_claim_probe(t, claim[i].address, claim[i].tx,
						       claim[i].snapshot);
	return error < 0 ? error : 0;
}

int gputm_writer_table_claim_batch(struct gputm_writer_table *t, uint32_t count,
				   const struct gputm_writer_table_claim *claim, int *result)
{
	uint32_t order[GPUTM_WRITER_TABLE_BATCH];
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
		const struct gputm_writer_table_claim *c = &claim[order[i]];

		result[order[i]] = gputm_writer_table_claim(t, c->address, c->tx, c->snapshot);
	}
	return 0;
}

APART int refuse_stranger(const struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	return gputm__refuse(&t->unit, "transaction %u is no writer of address 0x%llx", tx,
			     (unsigned long long)address);
}

static inline int released(struct gputm_writer_table *t, uint64_t address, uint32_t tx)
{
	t->used--;
	t->released++;
	if (GPUTM__UNLIKELY(t->unit.observe != NULL))
		return tell(t, GPUTM_WRITER_TABLE_EVENT_RELEASED, address, tx, 0, 0);
	return 0;
}

/* Of a word that may have commits, or behind which others lie. */
APART int release_any(struct gputm_writer_table *t, struct gputm__word_slot *slot,
		      uint64_t address, uint32_t tx)
{
	uint32_t running = running_of(slot), newest = newest_of(slot);
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

	if (GPUTM__UNLIKELY(is_out(t, address, tx, 0)))
		return refuse(t, address, tx, 0);
	slot = find(t, address);
	if (slot->data != (uint64_t)tx + 1 || !gputm__word_ends_run(slot))
		return release_any(t, slot, address, tx);
	slot->key = slot->data = 0;
	return released(t, address, tx);
}

int gputm_writer_table_commit(struct gputm_writer_table *t, uint64_t address, uint32_t tx,
			      uint64_t version)
{
	struct gputm__word_slot *slot;

	if (is_out(t, address, tx, version))
		return refuse(t, address, tx, version);
	slot = find(t, address);
	if (running_of(slot) != tx + 1)
		return refuse_stranger(t, address, tx);
	if (newest_of(slot) && t->commit[newest_of(slot) - 1].version > version)
		return gputm__refuse(&t->unit, "version = %llu: the word has a later commit",
				     (unsigned long long)version);
	t->committed++;
	gputm__emit(&t->unit, GPUTM_WRITER_TABLE_EVENT_COMMITTED, address, tx, version, 0);
	if (t->config.release_at_commit)
		return release_any(t, slot, address, tx);
	slot->data &= ~gputm__low_mask(32);
	push_commit(t, slot, tx, version);
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
	count = (running_of(slot) != 0) + commits_of(t, slot);
	if (count > capacity)
		return (int)count;
	if (running_of(slot))
		*out++ = (struct gputm_writer_table_writer){ running_of(slot) - 1, false, 0 };
	for (uint32_t at = newest_of(slot); at; at = t->commit[at - 1].next)
		*out++ = (struct gputm_writer_table_writer){ t->commit[at - 1].tx, true,
							     t->commit[at - 1].version };
	return (int)count;
}

uint32_t gputm_writer_table_used(const struct gputm_writer_table *t)
{
	return (uint32_t)t->used;
}
