/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is seen of Kilo TM and WarpTM. Transactions have their names, the CIDs, from the sequencer's
 * grant. A commit unit that finds another value than the logged one tells the word and the loser;
 * the winner is whose write of that word a commit unit issued last.
 */
#include <stdlib.h>

#include "../base/arena.h"
#include "../systems/kilo_tm.h"
#include "seeing.h"

/* The attempt of a thread that holds a CID. */
struct owner {
	struct seen_actor actor;
	uint64_t cid;
	uint32_t warp, lane;
};

struct kilo_seen {
	struct seen_words words;
	struct owner *owner;	/* by CID modulo owners */
	uint64_t *with_entries; /* by warp: lanes that get a CID */
	uint64_t owners;
};

static struct kilo_seen *state_of(const struct seeing *see)
{
	return see->state;
}

/* NULL: the transaction began before the window. */
static struct owner *owner_of(const struct seeing *see, uint64_t cid)
{
	const struct kilo_seen *seen = state_of(see);
	struct owner *owner = &seen->owner[cid & (seen->owners - 1)];

	return owner->cid == cid && owner->actor.attempt != SEEN_NONE ? owner : NULL;
}

/* Record why the lane fails, while its attempt runs. */
static struct seen_loss *loss_of(struct seeing *see, const struct owner *owner)
{
	return owner && see->warp[owner->warp].attempt == owner->actor.attempt ?
		       seen_loss_of(see, owner->warp, owner->lane) : NULL;
}

/* ---- the sequencer ---------------------------------------------------------------------- */

static void grant(struct seeing *see, uint32_t warp, uint64_t cid)
{
	const struct kilo_seen *seen = state_of(see);

	for (SIM_EACH_LANE(lane, seen->with_entries[warp])) {
		seen->owner[cid & (seen->owners - 1)] = (struct owner){
			seen_actor_of(see, warp, lane), cid, warp, (uint32_t)lane,
		};
		cid++;
	}
}

static void on_sequencer(struct seeing *see, const struct seen_tap *tap,
			 const struct gputm_event *event)
{
	uint32_t warp = tap->instance * see->port->shape.warps + (uint32_t)event->value[0];
	uint32_t ticks = see->port->core_ticks;

	if (event->kind == GPUTM_COMMIT_SEQUENCER_EVENT_BEGIN) {
		state_of(see)->with_entries[warp] = event->value[2];
		seen_stage(see, warp, SIM_STAGE_CIDS, event->value[3] * ticks);
	} else if (event->kind == GPUTM_COMMIT_SEQUENCER_EVENT_GRANT) {
		grant(see, warp, event->value[1]);
		seen_stage(see, warp, SIM_STAGE_SEND, event->value[3] * ticks);
	} else if (event->kind == GPUTM_COMMIT_SEQUENCER_EVENT_FILL) {
		seen_stage(see, warp, SIM_STAGE_VALIDATE, event->value[2] * ticks);
	}
}

/* ---- the commit units ------------------------------------------------------------------- */

/* A word was compared. Record the first mismatch, unless the comparison was too early to count. */
static void compared(struct seeing *see, const struct seen_tap *tap,
		     const struct gputm_event *event)
{
	struct seen_loss *loss = loss_of(see, owner_of(see, event->value[0]));
	const struct seen_word *word;
	uint64_t address = event->value[1];

	if (!loss)
		return;
	if (loss->wait && loss->wait_at == address)
		loss->to = see->port->now;
	if (event->value[2] == event->value[3] && loss->how && loss->address == address)
		loss->how = NULL;
	if (event->value[2] == event->value[3] || loss->how)
		return;
	word = seen_word_at(&state_of(see)->words, address, false);
	loss->how = "a word of its read log had another value when the commit unit validated it";
	loss->role = tap->role;
	loss->instance = tap->instance;
	loss->address = address;
	loss->has_address = true;
	loss->tick = see->port->now;
	loss->winner.attempt = SEEN_NONE;
	if (word)
		loss->winner = word->writer;
}

static void on_hazard(struct seeing *see, const struct gputm_event *event)
{
	struct seen_loss *loss = loss_of(see, owner_of(see, event->value[0]));
	const struct owner *writer = owner_of(see, event->value[2]);

	if (!loss)
		return;
	loss->wait = "the commit of an older transaction that may write a word of its read log";
	loss->wait_at = event->value[1];
	loss->from = event->value[3] * see->port->unit_ticks;
	loss->to = 0;
	loss->holder.attempt = SEEN_NONE;
	if (writer)
		loss->holder = writer->actor;
}

static void on_write(struct seeing *see, const struct gputm_event *event)
{
	const struct owner *owner = owner_of(see, event->value[0]);
	struct seen_word *word = seen_word_at(&state_of(see)->words, event->value[1], true);

	see->starved |= !word;
	if (!word)
		return;
	word->writer = owner ? owner->actor : (struct seen_actor){ .attempt = SEEN_NONE };
	word->writer.tick = see->port->now;
}

static void on_unit(struct seeing *see, const struct seen_tap *tap,
		    const struct gputm_event *event)
{
	if (event->kind <= GPUTM_COMMIT_UNIT_EVENT_REVALIDATE)
		compared(see, tap, event);
	else if (event->kind == GPUTM_COMMIT_UNIT_EVENT_HAZARD)
		on_hazard(see, event);
	else if (event->kind == GPUTM_COMMIT_UNIT_EVENT_ISSUE)
		on_write(see, event);
}

/* ---- conflicts within a warp ------------------------------------------------------------ */

/* A lane below this one that writes the word, preferably one that does not abort. -1: none. */
static int writer_below(const struct seeing *see, const struct gputm_tx_log *log, uint64_t lane,
			uint64_t address, uint64_t aborting)
{
	uint64_t writers = 0;

	for (uint32_t i = 0; i < gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE); i++) {
		struct gputm_tx_log_row row =
			sim_log_row(see->port, log, GPUTM_TX_LOG_KIND_WRITE, i);

		for (SIM_EACH_LANE(other, row.mask & ((UINT64_C(1) << lane) - 1)))
			if (row.address[other] == address)
				writers |= UINT64_C(1) << other;
	}
	if (writers & ~aborting)
		writers &= ~aborting;
	return writers ? __builtin_ctzll(writers) : -1;
}

/* Look for the access that conflicts with a write of a lane below. There is none if two words share
 * an entry of an ownership table. */
static void explain_lane(struct seeing *see, uint32_t warp, uint64_t lane, uint64_t aborting)
{
	const struct kilo *kilo = see->port->state;
	const struct gputm_tx_log *log = kilo->log[warp];
	static const enum gputm_tx_log_kind kinds[] = { GPUTM_TX_LOG_KIND_READ,
							GPUTM_TX_LOG_KIND_WRITE };
	struct seen_loss *loss = seen_loss_of(see, warp, lane);

	loss->how = "a lower lane of its warp writes a word with the same entry of the table";
	loss->tick = see->port->now;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (uint32_t i = 0; i < gputm_tx_log_rows(log, kinds[k]); i++) {
			struct gputm_tx_log_row row = sim_log_row(see->port, log, kinds[k], i);
			int winner = row.mask >> lane & 1 ?
					     writer_below(see, log, lane, row.address[lane],
							  aborting) : -1;

			if (winner < 0)
				continue;
			loss->how = "a lower lane of its warp writes a word that it has accessed";
			loss->address = row.address[lane];
			loss->has_address = true;
			loss->winner = seen_actor_of(see, warp, (uint64_t)winner);
			return;
		}
}

static void explain(struct seeing *see, uint32_t warp, uint64_t lanes, enum sim_abort_reason reason)
{
	for (SIM_EACH_LANE(lane, reason == SIM_ABORT_INTRA_WARP ? lanes : 0))
		explain_lane(see, warp, lane, lanes);
}

/* ---- life ------------------------------------------------------------------------------- */

static void kilo_free(struct seeing *see)
{
	struct kilo_seen *seen = see->state;

	if (!seen)
		return;
	seen_words_free(&seen->words);
	sim_free(seen->owner);
	sim_free(seen->with_entries);
	sim_free(seen);
}

static int kilo_make(struct seeing *see)
{
	const struct kilo *kilo = see->port->state;
	struct kilo_seen *seen = sim_calloc(1, sizeof *seen);

	see->state = seen;
	if (!seen)
		return -ENOMEM;
	seen->owners = kilo->owners;
	seen->owner = sim_calloc(seen->owners, sizeof *seen->owner);
	seen->with_entries = sim_calloc(see->warps, sizeof *seen->with_entries);
	if (!seen->owner || !seen->with_entries)
		return -ENOMEM;
	for (uint64_t i = 0; i < seen->owners; i++)
		seen->owner[i].actor.attempt = SEEN_NONE;
	return 0;
}

const struct seen_system seen_kilo = {
	.stage = { [SIM_STAGE_COMMIT] = "resolve" },
	.make = kilo_make,
	.free = kilo_free,
	.role = { { "commit_sequencer", on_sequencer }, { "commit_unit", on_unit } },
	.explain = explain,
};
