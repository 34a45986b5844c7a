/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the writer table; see writer_table.c. */
#include "lib/snapiso/writer_table-priv.h"

#define UNIT writer_table

static const struct gputm_param rows[] = {
	PARAM(entries, 1, 1u << 20, 3000, false, "Entries, of a word and a writer each.",
	      "ISCA 2017 4.3"),
	PARAM(transactions, 2, 1u << 16, 1024, false, "Transactions.", "ISCA 2017 4.3"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(word_bytes, 4, 4096, 4, true, "Bytes claimed as one word.", "ISCA 2017 4.2"),
	PARAM(version_bits, 8, 64, 32, false, "Width of the number of a version, bits.", ""),
	PARAM(release_at_commit, 0, 1, 0, false, "Keep no committed writers.", "ISCA 2017 5"),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017",
	  "ISCA 2017 Table 1: 3000 entries of 40 bits, released at commit.",
	  { { "entries", 3000 }, { "transactions", 1024 }, { "release_at_commit", 1 } } },
	{ "retained",
	  "As many entries for 2048 transactions, committed ones among them.",
	  { { "entries", 3000 }, { "transactions", 2048 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(claimed, COUNTER, "claims", "Claims granted: released + used."),
	STAT(own, COUNTER, "claims", "Claims of a word by its running writer."),
	STAT(held, COUNTER, "claims", "Claims refused because of a running writer."),
	STAT(conflicts, COUNTER, "claims", "Claims refused because of a later commit."),
	STAT(full, COUNTER, "claims", "Claims refused because no entry was free."),
	STAT(committed, COUNTER, "writers", "Running writers that committed."),
	STAT(released, COUNTER, "writers", "Entries freed."),
	STAT(used_max, MAXIMUM, "entries", "Entries in use, at most."),
	STAT(retained_max, MAXIMUM, "entries", "Entries of committed writers, at most."),
	STAT(used, GAUGE, "entries", "Entries in use."),
	STAT(retained, GAUGE, "entries", "Entries of committed writers."),
};

static const char *const results[] = { "claimed", "own", "held", "conflict", "full" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_WRITER_TABLE_EVENT_CLAIM, "claim", "A word has a writer.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The writer.")),
	EVENT(GPUTM_WRITER_TABLE_EVENT_REFUSE, "refuse",
	      "A transaction cannot become the writer of a word.",
	      VALUE(address, "byte address", "The word."),
	      VALUE(tx, "transaction", "The transaction."),
	      NAMED(outcome, results, "Why the transaction cannot."),
	      VALUE(winner, "transaction",
		    "The running writer, or the last committed one; all ones if there is none.")),
	EVENT(GPUTM_WRITER_TABLE_EVENT_COMMIT, "commit", "The writer of a word has committed.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The writer."),
	      VALUE(version, "version", "The version that the commit is part of.")),
	EVENT(GPUTM_WRITER_TABLE_EVENT_RELEASE, "release",
	      "The table has forgotten a writer of a word.",
	      VALUE(address, "byte address", "The word."), VALUE(tx, "transaction", "The writer.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_writer_table *t = (void *)unit;
	const struct gputm_writer_table_config *c = &t->config;

	t->address_max = gputm__low_mask(c->address_bits);
	t->version_max = gputm__low_mask(c->version_bits);
	t->word_shift = gputm__log2(c->word_bytes);
	t->commit = gputm__own(unit, c->entries, sizeof(*t->commit));
	gputm__word_map_setup(&t->map, unit, c->entries);
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_writer_table *t = (void *)unit;

	gputm__word_map_clear(&t->map);
	for (uint32_t i = 0; i < t->config.entries; i++)
		t->commit[i].next = i + 1 < t->config.entries ? i + 2 : 0;
	t->free_commit = 1;
	t->used = t->retained = 0;
}

/* Loads go from old to new, as each commit is put at the front of the chain. */
static void io_commits(struct gputm_writer_table *t, struct gputm__word_slot *slot,
		       struct gputm__io *io)
{
	uint32_t count = gputm__writer_commits(t, slot), tx = 0;
	uint64_t version = 0;

	gputm__io_u32_max(io, &count, t->config.entries, "commits");
	for (uint32_t left = count; left-- > 0 && !io->error;) {
		uint32_t at = gputm__writer_newest(slot);

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
			gputm__writer_push(t, slot, tx, version);
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_writer_table *t = (void *)unit;
	uint64_t words, used = 0, key_max = (t->address_max >> t->word_shift) + 1;
	size_t at = 0, keys = gputm__word_io(&t->map, io, &words, t->config.entries, key_max, 0);

	for (uint64_t i = 0; i < words && !io->error; i++) {
		struct gputm__word_slot *slot = gputm__word_nth(&t->map, io, keys, i, &at);
		uint32_t running = gputm__writer_running(slot);

		gputm__io_u32_max(io, &running, t->config.transactions, "writer");
		if (gputm__io_reading(io))
			slot->data = running;
		io_commits(t, slot, io);
		used += (running != 0) + (io->error ? 0 : gputm__writer_commits(t, slot));
	}
	t->used = used;
}

static const char *check_word(const struct gputm_writer_table *t, size_t at)
{
	const struct gputm__word_slot *slot = &t->map.slot[at];
	uint32_t newest = gputm__writer_newest(slot);

	if (!gputm__word_is_found(&t->map, at))
		return "W1: a word lies where a look-up does not find it";
	if (!slot->data)
		return "W1: a word has no writer";
	if (gputm__writer_running(slot) &&
	    gputm__writer_committed(t, newest, gputm__writer_running(slot) - 1))
		return "W2: a running writer of a word has committed to it";
	for (; newest; newest = t->commit[newest - 1].next) {
		const struct gputm__writer_commit *c = &t->commit[newest - 1];

		if (gputm__writer_committed(t, c->next, c->tx))
			return "W2: a transaction has committed to a word twice";
		if (c->next && t->commit[c->next - 1].version > c->version)
			return "W2: the commits of a word are not in the order of their versions";
	}
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_writer_table *t = (const void *)unit;
	uint64_t running = 0, retained = 0;

	for (size_t i = 0; i <= t->map.mask; i++) {
		const struct gputm__word_slot *slot = &t->map.slot[i];
		const char *wrong = slot->key ? check_word(t, i) : NULL;

		if (wrong)
			return wrong;
		running += gputm__writer_running(slot) != 0;
		retained += gputm__writer_commits(t, slot);
	}
	if (running + retained != t->used || retained != t->retained)
		return "W3: used or retained differs from the sum over the words";
	if (t->used > t->config.entries)
		return "W3: used exceeds the number of entries";
	return retained && t->config.release_at_commit ? "W3: a committed writer is kept" : NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_writer_table_config *c = gputm_unit_config(unit);
	uint32_t word = c->address_bits - gputm__log2(c->word_bytes);

	gputm__array(out, "writers", c->entries, word + gputm__bits_for(c->transactions), 1);
	if (!c->release_at_commit)
		gputm__array_apart(out, "versions of commits", c->entries, c->version_bits + 1, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_writer_table *t = (const void *)unit;

	gputm__law_most(laws, &t->used_max, t->used, t->config.entries,
			"W3: used is above its maximum");
	gputm__law_most(laws, &t->retained_max, t->retained, t->config.entries,
			"W3: retained is above its maximum");
	gputm__law(laws, t->claimed, t->released + t->used, "W4: claimed is not released + used");
}

GPUTM__UNIT(writer_table, .version = 2, .setup = setup, .laws = laws)
