/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common face of a local memory: parameters, layout, statistics, storage, snapshots and
 * the invariants I1 to I6, which stand in local_tm.c.
 */
#include "lib/localtm/local_tm-priv.h"

#define UNIT local_tm

static const char *const lane_costs[] = { "slowest", "sum", NULL };

static const struct gputm_param rows[] = {
	PARAM(wavefronts, 1, WAVEFRONTS_MAX, 4, false, "Wavefronts of the work-group.",
	      "LocalTM 2"),
	PARAM(lanes, 1, 64, 64, false, "Lanes of a wavefront; 256 work-items at most in all.",
	      "LocalTM 2"),
	PARAM(banks, 1, BANKS_MAX, 32, true, "Banks of local memory.", "LocalTM Table 2"),
	PARAM(signature_bits, 1, 64, 8, true, "Bits of a signature.", "LocalTM 3.3"),
	PARAM(local_bytes, 64, 1 << 20, 1 << 16, true, "Size of local memory, bytes.",
	      "LocalTM 4.3"),
	PARAM(words, 0, 1 << 18, 0, false,
	      "Words of data; 0 stands for as many as fit beside their shadow.", "LocalTM 4.3"),
	PARAM(registers, 0, 256, 8, false,
	      "Vector registers with a shadow, for the storage report.", "LocalTM 3.2"),
	CHOICE(lane_cost, 0, 1, GPUTM_LOCAL_TM_LANE_COST_SLOWEST, lane_costs,
	       "How the costs of the lanes of an access add up.", "LocalTM 4.2"),
};

static const struct gputm_preset presets[] = {
	{ "southern-islands",
	  "Section 2, Table 2: 4 wavefronts of 64, 64 KiB in 32 banks, 8-bit signatures.",
	  { { "wavefronts", 4 }, { "lanes", 64 } } },
	{ "table-1",
	  "Table 1: one wavefront of 4 work-items.",
	  { { "wavefronts", 1 }, { "lanes", 4 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(begins, COUNTER, "attempts", "Attempts of wavefronts."),
	STAT(held, COUNTER, "refusals", "tx_begin held by another wavefront's serialisation."),
	STAT(nested, COUNTER, "transactions", "Nested transactions begun, flattened."),
	STAT(normal_attempts, COUNTER, "attempts", "Attempts with all lanes that were left."),
	STAT(wavefront_attempts, COUNTER, "attempts", "Attempts in wavefront serialisation."),
	STAT(group_attempts, COUNTER, "attempts", "Attempts in work-group serialisation."),
	STAT(started, COUNTER, "lanes", "Lanes that started an attempt."),
	STAT(committed, COUNTER, "lanes", "Lanes that committed."),
	STAT(serial_committed, COUNTER, "lanes", "Those of them that were serialised."),
	STAT(evicted, COUNTER, "lanes", "Lanes aborted by work-group serialisation."),
	STAT(accesses, COUNTER, "accesses", "Accesses of lanes in transactions."),
	STAT(fresh, COUNTER, "accesses", "Accesses that made a backup."),
	STAT(repeated, COUNTER, "accesses", "Accesses to a word that the lane owned."),
	STAT(conflicts, COUNTER, "accesses", "Accesses that conflicted: lanes aborted."),
	STAT(false_conflicts, COUNTER, "accesses", "Conflicts over a word that nobody else owned."),
	STAT(restored, COUNTER, "words", "Backups restored."),
	STAT(released, COUNTER, "words", "Backups given up at commits."),
	STAT(owned, GAUGE, "words", "Words with an owner."),
	STAT(owned_max, MAXIMUM, "words", "Words with an owner, at most."),
	STAT(plain, COUNTER, "accesses", "Accesses of lanes outside transactions."),
	STAT(clashes, COUNTER, "accesses", "Those of them to a word of a running transaction."),
	STAT(begin_cycles, COUNTER, "cycles", "Cycles added by tx_begin."),
	STAT(access_cycles, COUNTER, "cycles", "Cycles added by accesses."),
	STAT(commit_cycles, COUNTER, "cycles", "Cycles added by tx_commit."),
};

static const char *const modes[] = { "normal", "tx", "wavefront", "group" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_LOCAL_TM_EVENT_BEGIN, "begin", "A wavefront begins an attempt.",
	      VALUE(wavefront, "wavefront", "The wavefront."),
	      VALUE(exec, "lane mask", "EXEC of the wavefront."),
	      VALUE(tcm, "lane mask", "TCM of the wavefront, the lanes that do not run."),
	      NAMED(mode, modes, "Which lanes run at once.")),
	EVENT(GPUTM_LOCAL_TM_EVENT_ACCESS, "access", "Lanes have accessed local memory.",
	      VALUE(wavefront, "wavefront", "The wavefront of the lanes."),
	      NAMED(access, gputm__read_write, "Whether the lanes read or write."),
	      VALUE(lanes, "lane mask", "Lanes that have accessed memory."),
	      VALUE(conflicts, "lane mask", "Lanes of the access that are rolled back.")),
	EVENT(GPUTM_LOCAL_TM_EVENT_CONFLICT, "conflict",
	      "A work-item has met another, and is rolled back.",
	      VALUE(item, "work-item", "The work-item that is rolled back."),
	      VALUE(word, "word index", "The word at which both meet."),
	      VALUE(other, "work-item", "The work-item that stays.")),
	EVENT(GPUTM_LOCAL_TM_EVENT_EVICT, "evict",
	      "A wavefront is rolled back, so that another runs alone.",
	      VALUE(wavefront, "wavefront", "The wavefront that is rolled back."),
	      VALUE(lanes, "lane mask", "Lanes that ran in the wavefront."),
	      VALUE(restored, "words", "Words that the roll-back has restored."),
	      VALUE(holder, "wavefront", "The wavefront that runs alone.")),
	EVENT(GPUTM_LOCAL_TM_EVENT_COMMIT, "commit", "An attempt has ended.",
	      VALUE(wavefront, "wavefront", "The wavefront."),
	      VALUE(lanes, "lane mask", "Lanes that have committed."),
	      VALUE(tcm, "lane mask", "TCM of the wavefront, the lanes that have to run again."),
	      NAMED(mode, modes, "How these lanes run again; normal if there are none.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_local_tm *t = (const void *)unit;
	const struct gputm_local_tm_config *c = &t->config;
	uint32_t items = c->wavefronts * c->lanes;
	uint32_t fit = gputm__local_tm_bank_words(c) * c->banks;

	if (items > ITEMS_MAX)
		return gputm__refuse(unit, "wavefronts x lanes = %u is outside 1 .. %u, what a "
				     "byte of owner can name", items, ITEMS_MAX);
	if (!fit)
		return gputm__refuse(unit, "local_bytes = %u has no room for a word and its shadow "
				     "in each of %u banks", c->local_bytes, c->banks);
	if (c->words > fit)
		return gputm__refuse(unit, "words = %u is outside 0 .. %u: a word takes 9 bytes of "
				     "its bank with its shadow", c->words, fit);
	return 0;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_local_tm *t = (void *)unit;
	const struct gputm_local_tm_config *c = &t->config;

	t->words = c->words ? c->words : gputm__local_tm_bank_words(c) * c->banks;
	t->items = c->wavefronts * c->lanes;
	t->bank_mask = c->banks - 1;
	t->bank_shift = gputm__log2(c->banks);
	t->key_mask = c->banks * c->signature_bits - 1;
	t->sum_mask = c->lane_cost == GPUTM_LOCAL_TM_LANE_COST_SUM ? UINT32_MAX : 0;
	t->lane_mask = gputm__low_mask(c->lanes);
	t->wavefront = gputm__own(unit, c->wavefronts, sizeof(*t->wavefront));
	t->data = gputm__own(unit, t->words, sizeof(*t->data));
	t->backup = gputm__own(unit, t->words, sizeof(*t->backup));
	t->owner = gputm__own(unit, t->words, sizeof(*t->owner));
	t->next = gputm__own(unit, t->words, sizeof(*t->next));
	t->head = gputm__own(unit, (size_t)t->items + 1, sizeof(*t->head));
	t->key_owner = gputm__own(unit, (size_t)t->key_mask + 1, sizeof(*t->key_owner));
	return 0;
}

static void forget_owners(struct gputm_local_tm *t)
{
	memset(t->next, 0, t->words * sizeof(*t->next));
	memset(t->head, 0, ((size_t)t->items + 1) * sizeof(*t->head));
	memset(t->key_owner, 0, ((size_t)t->key_mask + 1) * sizeof(*t->key_owner));
	t->owned = 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_local_tm *t = (void *)unit;

	memset(t->wavefront, 0, t->config.wavefronts * sizeof(*t->wavefront));
	memset(t->data, 0, t->words * sizeof(*t->data));
	memset(t->backup, 0, t->words * sizeof(*t->backup));
	memset(t->owner, 0, t->words * sizeof(*t->owner));
	forget_owners(t);
	for (uint32_t i = 0; i < t->config.wavefronts; i++)
		t->wavefront[i].exec = t->lane_mask;
	t->holder = NO_WAVEFRONT;
}

/* ---- snapshots ---- */

static void io_wavefront(struct gputm__io *io, struct wavefront *w)
{
	gputm__io_u64(io, &w->exec);
	gputm__io_u64(io, &w->vcc);
	gputm__io_u64(io, &w->tcm);
	gputm__io_u64(io, &w->tcm_old);
	gputm__io_u64(io, &w->outer);
	gputm__io_u64(io, &w->lanes);
	gputm__io_u32_max(io, &w->state, GPUTM_LOCAL_TM_STATE_EVICTED, "state of a wavefront");
	gputm__io_u32_max(io, &w->mode, GPUTM_LOCAL_TM_MODE_GROUP, "mode of a wavefront");
	gputm__io_u32_max(io, &w->nesting, NESTING_MAX, "nesting of a wavefront");
}

/* Signatures and chains from the owners (I1). */
static void read_owners(struct gputm_local_tm *t, struct gputm__io *io)
{
	forget_owners(t);
	for (uint32_t word = 0; word < t->words && !io->error; word++) {
		uint16_t owner = t->owner[word], other = t->key_owner[word & t->key_mask];

		if (owner > t->items)
			gputm__io_fail(io, -EINVAL, "an owner is no work-item");
		else if (owner && other && other != owner)
			gputm__io_fail(io, -EINVAL,
				       "I1: two signatures of a bank have the same bit");
		else if (owner)
			gputm__local_tm_own(t, word, owner);
		t->owned += owner != 0;
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_local_tm *t = (void *)unit;
	uint32_t holder = t->holder == NO_WAVEFRONT ? 0 : t->holder + 1;

	for (uint32_t i = 0; i < t->config.wavefronts; i++)
		io_wavefront(io, &t->wavefront[i]);
	gputm__io_u32_max(io, &holder, t->config.wavefronts, "holder of the group");
	gputm__io_u32s(io, t->data, t->words);
	gputm__io_u32s(io, t->backup, t->words);
	gputm__io_u16s(io, t->owner, t->words);
	if (!gputm__io_reading(io) || io->error)
		return;
	t->holder = holder ? holder - 1 : NO_WAVEFRONT;
	read_owners(t, io);
}

/* ---- storage ---- */

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_local_tm *t = (const void *)unit;
	const struct gputm_local_tm_config *c = &t->config;

	gputm__array(out, "signatures", (uint64_t)t->items * c->banks, c->signature_bits, c->banks);
	gputm__array(out, "shadow memory: backups", t->words, 32, c->banks);
	gputm__array(out, "shadow memory: owners", t->words, 8, c->banks);
	gputm__array(out, "TCM", c->wavefronts, c->lanes, 1);
	gputm__array_apart(out, "shadow memory: valid bits", t->words, 1, c->banks);
	gputm__array_apart(out, "TCM of the attempt before, first EXEC",
			   UINT64_C(2) * c->wavefronts, c->lanes, 1);
	gputm__array_apart(out, "shadow registers", (uint64_t)t->items * c->registers, 32, 1);
}

/* ---- invariants ---- */

/* I3, of a wavefront that runs an attempt. */
static bool is_attempt(const struct wavefront *w)
{
	uint64_t lowest = w->lanes & -w->lanes, on = w->lanes & ~w->tcm;

	if (w->exec & ~w->lanes || w->tcm & ~w->lanes || (w->tcm_old && w->tcm_old != w->lanes))
		return false;
	if (w->mode == GPUTM_LOCAL_TM_MODE_TX)
		return w->tcm_old || w->lanes == w->outer;
	return w->tcm_old && (on == lowest || (!on && w->mode == GPUTM_LOCAL_TM_MODE_WAVEFRONT));
}

/* I3, of a wavefront whose attempt has ended with these lanes left. */
static bool is_left(const struct wavefront *w)
{
	uint64_t others = w->tcm_old & (w->tcm_old - 1);

	if (w->exec != w->lanes || w->tcm != w->lanes || w->nesting)
		return false;
	if (w->mode == GPUTM_LOCAL_TM_MODE_TX)
		return !(w->lanes & ~(w->tcm_old ? w->tcm_old : w->outer));
	return w->lanes == others ||
	       (w->lanes == w->tcm_old && w->mode == GPUTM_LOCAL_TM_MODE_WAVEFRONT);
}

/* I3, of a wavefront whose attempt was aborted. */
static bool is_evicted(const struct wavefront *w)
{
	if (w->exec != w->lanes || w->tcm != w->lanes || w->nesting)
		return false;
	if (!w->tcm_old)
		return w->mode == GPUTM_LOCAL_TM_MODE_TX && w->lanes == w->outer;
	return w->tcm_old == w->lanes && w->mode != GPUTM_LOCAL_TM_MODE_GROUP;
}

static bool is_possible(const struct wavefront *w)
{
	if (w->state == GPUTM_LOCAL_TM_STATE_OUTSIDE)
		return !(w->tcm | w->tcm_old | w->outer | w->lanes | w->mode | w->nesting);
	if (!w->lanes || (w->lanes | w->tcm_old) & ~w->outer ||
	    w->mode == GPUTM_LOCAL_TM_MODE_NORMAL)
		return false;
	return w->state == GPUTM_LOCAL_TM_STATE_RUNNING ? is_attempt(w) :
	       w->state == GPUTM_LOCAL_TM_STATE_RESTART ? is_left(w) :
						    is_evicted(w);
}

static const char *check_wavefronts(const struct gputm_local_tm *t)
{
	bool held = t->holder != NO_WAVEFRONT;

	if (held && (t->holder >= t->config.wavefronts ||
		     t->wavefront[t->holder].state == GPUTM_LOCAL_TM_STATE_OUTSIDE ||
		     t->wavefront[t->holder].state == GPUTM_LOCAL_TM_STATE_EVICTED))
		return "I3: the group is held by a wavefront that runs no transaction";
	for (uint32_t i = 0; i < t->config.wavefronts; i++) {
		const struct wavefront *w = &t->wavefront[i];

		if ((w->exec | w->vcc | w->outer) & ~t->lane_mask)
			return "I3: a mask has lanes that do not exist";
		if (!is_possible(w))
			return "I3: the masks of a wavefront match no state of a transaction";
		if (i == t->holder)
			continue;
		if (w->mode == GPUTM_LOCAL_TM_MODE_GROUP)
			return "I3: a wavefront is serialised in the group without holding it";
		if (held && w->state == GPUTM_LOCAL_TM_STATE_RUNNING)
			return "I3: an attempt runs while another wavefront holds the group";
	}
	return NULL;
}

/* I1, I2. */
static const char *check_words(const struct gputm_local_tm *t)
{
	uint64_t owned = 0;

	for (uint32_t word = 0; word < t->words; word++) {
		uint32_t owner = t->owner[word], item = owner - 1;
		const struct wavefront *w;

		if (!owner && t->backup[word])
			return "I2: a word without owner has a backup";
		if (!owner)
			continue;
		w = &t->wavefront[item / t->config.lanes];
		if (w->state != GPUTM_LOCAL_TM_STATE_RUNNING ||
		    !((w->lanes & ~w->tcm) >> item % t->config.lanes & 1))
			return "I2: the owner of a word is in no attempt";
		if (t->key_owner[word & t->key_mask] != owner)
			return "I1: two signatures of a bank have the same bit";
		owned++;
	}
	return owned == t->owned ? NULL : "I2: owned is not the number of words with an owner";
}

/* I4 to I6. */
static const char *check_counters(const struct gputm_local_tm *t)
{
	if (t->accesses != t->fresh + t->repeated + t->conflicts)
		return "I5: accesses differ from fresh + repeated + conflicts";
	if (t->begins != t->normal_attempts + t->wavefront_attempts + t->group_attempts)
		return "I6: begins differ from the sum of the attempts by mode";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_local_tm *t = (const void *)unit;
	const char *broken = check_wavefronts(t);

	if (!broken)
		broken = check_words(t);
	return broken ? broken : check_counters(t);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_local_tm *t = (const void *)unit;
	uint64_t on = 0;

	for (uint32_t i = 0; i < t->config.wavefronts; i++)
		on += gputm__popcount(t->wavefront[i].lanes & ~t->wavefront[i].tcm);
	gputm__law(laws, t->fresh, t->restored + t->released + t->owned,
		   "I4: fresh is not restored + released + owned");
	gputm__law(laws, t->started, t->committed + t->conflicts + t->evicted + on,
		   "I6: started lanes are not committed + conflicts + evicted + running ones");
	gputm__law_most(laws, &t->owned_max, t->owned, t->words,
			"I4: owned_max is not between owned and words");
	gputm__law_least(laws, t->conflicts, t->false_conflicts,
			 "I6: more conflicts are false than there are");
	gputm__law_least(laws, t->committed, t->serial_committed,
			 "I6: more lanes have committed serially than have committed");
	gputm__law_least(laws, t->plain, t->clashes,
			 "I6: more ordinary accesses clash than there are");
}

GPUTM__UNIT(local_tm, .version = 1, .setup = setup, .validate = validate, .laws = laws)

/* ---- layout ---- */

int gputm_local_tm_get_capacity(const struct gputm_local_tm_config *config,
				struct gputm_local_tm_capacity *out)
{
	struct gputm_local_tm bare = { .words = 0 }; /* without a context, which says nothing */
	const struct gputm_local_tm_config *c = &bare.config;
	int error = gputm__params_read(NULL, gputm_local_tm_params(), config, &bare.config);

	if (!error)
		error = validate(&bare.unit);
	if (error)
		return error;
	out->data_bytes = (uint32_t)((uint64_t)c->local_bytes * 4 / 9);
	out->backup_bytes = out->data_bytes;
	out->owner_bytes = c->local_bytes - 2 * out->data_bytes;
	out->bank_words = gputm__local_tm_bank_words(c);
	out->words = out->bank_words * c->banks;
	return 0;
}

static int refuse_word(const struct gputm_local_tm *t, uint32_t word)
{
	return gputm__out_of_range(&t->unit, "word", word, 0, t->words - 1);
}

int gputm_local_tm_get_place(const struct gputm_local_tm *t, uint32_t word,
			     struct gputm_local_tm_place *out)
{
	uint32_t bank_words = (t->words + t->bank_mask) >> t->bank_shift;

	if (word >= t->words)
		return refuse_word(t, word);
	out->bank = word & t->bank_mask;
	out->position = word >> t->bank_shift;
	out->bit = out->position & (t->config.signature_bits - 1);
	out->data_byte = 4 * out->position;
	out->backup_byte = 4 * (bank_words + out->position);
	out->owner_byte = 8 * bank_words + out->position;
	return 0;
}

int gputm_local_tm_lookup(const struct gputm_local_tm *t, uint32_t word, uint32_t *value)
{
	if (word >= t->words)
		return refuse_word(t, word);
	*value = t->data[word];
	return 0;
}

int gputm_local_tm_update(struct gputm_local_tm *t, uint32_t word, uint32_t value)
{
	if (word >= t->words)
		return refuse_word(t, word);
	if (t->owner[word])
		return gputm__refuse(&t->unit, "word %u is owned by work-item %u", word,
				     t->owner[word] - 1u);
	t->data[word] = value;
	return 0;
}

int gputm_local_tm_get_shadow(const struct gputm_local_tm *t, uint32_t word,
			      struct gputm_local_tm_shadow *out)
{
	if (word >= t->words)
		return refuse_word(t, word);
	out->owned = t->owner[word] != 0;
	out->owner = out->owned ? t->owner[word] - 1u : 0;
	out->backup = t->backup[word];
	return 0;
}

uint64_t gputm_local_tm_signature(const struct gputm_local_tm *t, uint32_t bank, uint32_t item)
{
	uint64_t bits = 0;

	if (bank > t->bank_mask || item >= t->items)
		return 0;
	for (uint32_t i = 0; i < t->config.signature_bits; i++)
		if (t->key_owner[i << t->bank_shift | bank] == item + 1)
			bits |= UINT64_C(1) << i;
	return bits;
}

int gputm_local_tm_get_masks(const struct gputm_local_tm *t, uint32_t wavefront,
			     struct gputm_local_tm_masks *out)
{
	const struct wavefront *w;

	if (wavefront >= t->config.wavefronts)
		return gputm__out_of_range(&t->unit, "wavefront", wavefront, 0,
					   t->config.wavefronts - 1);
	w = &t->wavefront[wavefront];
	*out = (struct gputm_local_tm_masks){ w->exec, w->vcc, w->tcm, w->tcm_old,
					      (enum gputm_local_tm_mode)w->mode,
					      (enum gputm_local_tm_state)w->state };
	return 0;
}

int gputm_local_tm_holder(const struct gputm_local_tm *t)
{
	return t->holder == NO_WAVEFRONT ? -1 : (int)t->holder;
}
