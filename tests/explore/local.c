/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unit is the whole machine: an instruction of a wavefront is a step, and nothing is on its
 * way between two steps.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/local_tm.h"
#include "tests/explore/arena.h"
#include "tests/explore/local.h"
#include "tests/explore/unit.h"

#define ITEMS 4
#define WORDS 2

/* The transaction of a work-item. */
struct item {
	uint32_t loaded, stored; /* words */
	uint32_t foreign;	 /* words whose value was another's */
	uint32_t read[WORDS], wrote[WORDS];
	bool committed;
};

struct group {
	struct gputm_local_tm *unit;
	struct item item[ITEMS];
	bool begun[ITEMS]; /* by wavefront */
	const char *wrong;
};

static struct group *group; /* in the arena */
static const struct local_trial *trial;
static unsigned modes; /* of all attempts, bit by mode */

/* A choice: the wavefront, what, and two bits for each lane: none, or the word + 1. */
enum { LOAD, STORE, COMMIT, BEGIN };
#define STEP(wavefront, what, picks) \
	((uint32_t)(wavefront) << 16 | (uint32_t)(what) << 8 | (uint32_t)(picks))
#define PICK(picks, lane) ((picks) >> 2 * (lane) & 3)

static struct item *item_of(uint32_t wavefront, uint32_t lane)
{
	return &group->item[wavefront * trial->lanes + lane];
}

static struct gputm_local_tm_masks masks_of(uint32_t wavefront)
{
	struct gputm_local_tm_masks masks;

	if (gputm_local_tm_get_masks(group->unit, wavefront, &masks))
		abort();
	return masks;
}

static uint32_t word_of(uint32_t word)
{
	uint32_t value;

	if (gputm_local_tm_lookup(group->unit, word, &value))
		abort();
	return value;
}

static bool is_over(uint32_t wavefront)
{
	return group->begun[wavefront] &&
	       masks_of(wavefront).state == GPUTM_LOCAL_TM_STATE_OUTSIDE;
}

/* ---- what can happen ---- */

static bool may_access(const struct item *item, uint32_t what, uint32_t word)
{
	uint32_t done = what == LOAD ? item->loaded : item->stored;

	if (!trial->ordered)
		return !(done >> word & 1);
	return !(done >> word) && (what == STORE || !item->stored);
}

static bool may_pick(uint32_t wavefront, uint32_t what, uint32_t picks, uint64_t running)
{
	for (uint32_t lane = 0; lane < trial->lanes; lane++) {
		uint32_t pick = PICK(picks, lane);

		if (pick > trial->words || (pick && !(running >> lane & 1)) ||
		    (pick && !may_access(item_of(wavefront, lane), what, pick - 1)) ||
		    (!pick && trial->together && running >> lane & 1))
			return false;
	}
	return true;
}

static unsigned choices_of(uint32_t wavefront, uint32_t choice[])
{
	uint64_t running = gputm_local_tm_running(group->unit, wavefront);
	unsigned count = 0;

	if (is_over(wavefront))
		return 0;
	if (masks_of(wavefront).state != GPUTM_LOCAL_TM_STATE_RUNNING) {
		choice[0] = STEP(wavefront, BEGIN, 0);
		return gputm_local_tm_begin_probe(group->unit, wavefront) == GPUTM_LOCAL_TM_OK;
	}
	for (uint32_t picks = 1; picks < 1u << 2 * trial->lanes; picks++)
		for (uint32_t what = LOAD; what <= STORE; what++)
			if (may_pick(wavefront, what, picks, running))
				choice[count++] = STEP(wavefront, what, picks);
	choice[count++] = STEP(wavefront, COMMIT, 0);
	return count;
}

static unsigned choices(uint32_t choice[EXPLORE_CHOICES])
{
	unsigned count = 0;

	for (uint32_t i = 0; i < trial->wavefronts; i++)
		count += choices_of(i, choice + count);
	return count;
}

/* ---- what happens ---- */

/* The attempts of these lanes are over, without a trace. */
static void forget(uint32_t wavefront, uint64_t lanes)
{
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1)
			*item_of(wavefront, lane) = (struct item){ 0 };
}

static void note_access(struct item *item, uint32_t what, uint32_t word, uint32_t value)
{
	if (what == STORE) {
		item->stored |= 1u << word;
		item->wrote[word] = value;
		return;
	}
	item->loaded |= 1u << word;
	if (!(item->stored >> word & 1)) {
		item->foreign |= 1u << word;
		item->read[word] = value;
	} else if (value != item->wrote[word]) {
		group->wrong = "a transaction does not read what it has written";
	}
}

static void access_words(uint32_t wavefront, uint32_t what, uint32_t picks)
{
	uint32_t word[ITEMS] = { 0 }, value[ITEMS] = { 0 };
	struct gputm_local_tm_answer answer, foretold;
	uint64_t lanes = 0;

	for (uint32_t lane = 0; lane < trial->lanes; lane++) {
		if (!PICK(picks, lane))
			continue;
		lanes |= UINT64_C(1) << lane;
		word[lane] = PICK(picks, lane) - 1;
		value[lane] = wavefront * trial->lanes + lane + 1; /* no other's */
	}
	if (gputm_local_tm_access_probe(group->unit, wavefront, lanes, word, &foretold) < 0 ||
	    gputm_local_tm_access(group->unit, wavefront, what == STORE, lanes, word, value,
				  &answer) < 0)
		group->wrong = "an access is refused";
	else if (answer.conflicts != foretold.conflicts || answer.cycles != foretold.cycles)
		group->wrong = "an access does not what its probe has said";
	for (uint32_t lane = 0; !group->wrong && lane < trial->lanes; lane++)
		if ((lanes & ~answer.conflicts) >> lane & 1)
			note_access(item_of(wavefront, lane), what, word[lane], value[lane]);
	if (!group->wrong)
		forget(wavefront, answer.conflicts);
}

static void begin(uint32_t wavefront)
{
	uint64_t running[ITEMS];
	struct gputm_local_tm_begun begun;

	for (uint32_t i = 0; i < trial->wavefronts; i++)
		running[i] = gputm_local_tm_running(group->unit, i);
	if (gputm_local_tm_begin(group->unit, wavefront, &begun) != GPUTM_LOCAL_TM_OK) {
		group->wrong = "tx_begin is refused";
		return;
	}
	group->begun[wavefront] = true;
	modes |= 1u << begun.mode;
	for (uint32_t i = 0; i < trial->wavefronts; i++)
		if (begun.evicted >> i & 1)
			forget(i, running[i]);
}

static void commit(uint32_t wavefront)
{
	struct gputm_local_tm_ended ended;

	if (gputm_local_tm_commit(group->unit, wavefront, &ended) < 0) {
		group->wrong = "tx_commit is refused";
		return;
	}
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (ended.committed >> lane & 1)
			item_of(wavefront, lane)->committed = true;
}

static void act(uint32_t choice)
{
	uint32_t wavefront = choice >> 16, what = choice >> 8 & 0xff;

	if (what == BEGIN)
		begin(wavefront);
	else if (what == COMMIT)
		commit(wavefront);
	else
		access_words(wavefront, what, choice & 0xff);
}

/* ---- what is wrong ---- */

/* Do the transactions, one after the other from here, explain what was read and what the memory
 * holds? `left`: those that have yet to be placed. */
static bool explained(uint32_t left, const uint32_t word[WORDS])
{
	for (uint32_t i = 0; i < ITEMS; i++) {
		const struct item *item = &group->item[i];
		uint32_t after[WORDS];
		bool fits = left >> i & 1;

		for (uint32_t k = 0; k < WORDS; k++) {
			fits &= !(item->foreign >> k & 1) || item->read[k] == word[k];
			after[k] = item->stored >> k & 1 ? item->wrote[k] : word[k];
		}
		if (fits && explained(left & ~(1u << i), after))
			return true;
	}
	return !left && word[0] == word_of(0) && word[1] == word_of(1);
}

static const char *judge_end(void)
{
	const uint32_t start[WORDS] = { 0 };
	struct gputm_local_tm_shadow shadow;

	for (uint32_t i = 0; i < trial->wavefronts; i++)
		if (!is_over(i))
			return "nothing can happen any more, and a transaction is not over";
	for (uint32_t i = 0; i < trial->wavefronts * trial->lanes; i++)
		if (!group->item[i].committed)
			return "a work-item has left its transaction without a commit";
	for (uint32_t i = 0; i < WORDS; i++)
		if (gputm_local_tm_get_shadow(group->unit, i, &shadow) || shadow.owned)
			return "a word is owned after the end";
	return explained((1u << trial->wavefronts * trial->lanes) - 1, start) ?
		       NULL : "no serial order explains this end";
}

static const char *judge(bool over)
{
	struct gputm_unit *unit = gputm_local_tm_unit(group->unit);
	const char *wrong = group->wrong ? group->wrong : gputm_unit_check(unit);

	if (wrong)
		return wrong;
	return over ? judge_end() : unit_reload(unit);
}

/* ---- keys and charts ---- */

static void key_of(struct explore_key *key)
{
	unit_mix(key, gputm_local_tm_unit(group->unit), NULL);
}

static void outcome(struct explore_key *key)
{
	unit_mix_bytes(key, group->item, sizeof(group->item));
	explore_mix(key, word_of(0));
	explore_mix(key, word_of(1));
}

static void say(uint32_t choice, FILE *out)
{
	static const char *const verb[] = { "loads", "stores", "commits", "begins" };
	uint32_t what = choice >> 8 & 0xff;

	fprintf(out, "wavefront %u %s", (unsigned)(choice >> 16), verb[what]);
	for (uint32_t i = 0; what <= STORE && i < trial->lanes; i++)
		fprintf(out, " %c", "-ab"[PICK(choice, i)]);
}

static const struct explore_model model = { choices, act, key_of, judge, outcome, say, NULL };

struct explore_result local_explore(const struct local_trial *asked, struct explore_bounds bounds,
				    FILE *out)
{
	struct gputm_local_tm_config config = GPUTM_LOCAL_TM_CONFIG_INIT;
	struct explore_result result;
	struct gputm_ctx *ctx;

	trial = asked;
	modes = 0;
	arena_forget();
	group = arena_take(ARENA_AROUND, sizeof(*group));
	config.wavefronts = trial->wavefronts;
	config.lanes = trial->lanes;
	config.banks = trial->banks;
	config.signature_bits = trial->banks == 1 ? 1 : 8;
	config.local_bytes = 64;
	config.words = WORDS;
	if (gputm_ctx_new(&arena_units, &ctx) || gputm_local_tm_new(ctx, &config, &group->unit))
		exit(1);
	result = explore(&model, bounds, out);
	if (result.closed &&
	    !(modes >> GPUTM_LOCAL_TM_MODE_WAVEFRONT & 1 && modes >> GPUTM_LOCAL_TM_MODE_GROUP & 1))
		snprintf(result.wrong, sizeof(result.wrong),
			 "a level of serialisation was not seen");
	return result;
}
