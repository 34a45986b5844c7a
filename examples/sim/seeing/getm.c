/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is seen of GETM. The validation unit answers each access; the winner over one that is
 * aborted is who wrote, or read, the granule last, if that was at a later time. Where it was not,
 * or where the filter has only an estimate, the conflict may be false and has no winner.
 */
#include <stdlib.h>

#include "../base/arena.h"
#include "../systems/getm.h"
#include "seeing.h"

struct getm_seen {
	struct seen_words words; /* by granule */
	struct seen_accesses *warp;
};

static struct getm_seen *state_of(const struct seeing *see)
{
	return see->state;
}

/* ---- the validation unit ---------------------------------------------------------------- */

struct answer {
	const struct getm_access *access;
	struct seen_word *word;
	uint64_t address, stamp; /* time of the attempt, as the unit compares it */
	uint64_t lane;
	uint32_t outcome, reason;
};

static void granted(struct seeing *see, const struct answer *a)
{
	struct seen_actor actor = seen_actor_of(see, a->access->warp, a->lane);

	if (a->access->write) {
		a->word->writer = actor;
		a->word->wtime = a->stamp;
	} else if (a->stamp >= a->word->rtime) {
		a->word->reader = actor;
		a->word->rtime = a->stamp;
	}
}

/* Was the read of the latest time, by which the unit judges, in the window? */
static bool knows_reader(const struct seeing *see, const struct seen_tap *tap,
			 const struct answer *a)
{
	struct gputm_validation_unit_granule granule;

	return !see->opened_at ||
	       (!gputm_validation_unit_get_granule((const void *)tap->unit, a->address, &granule) &&
		granule.rts == a->word->rtime / see->warps);
}

static void refused(const struct seeing *see, const struct seen_tap *tap, struct seen_loss *loss,
		    const struct answer *a)
{
	static const char *const how[] = {
		[GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS] =
			"its load met a write of a later logical time",
		[GPUTM_VALIDATION_UNIT_REASON_STORE_WTS] =
			"its store met a write of a later logical time",
		[GPUTM_VALIDATION_UNIT_REASON_STORE_RTS] =
			"its store met a read of a later logical time",
		[GPUTM_VALIDATION_UNIT_REASON_BUFFER] = "the stall buffer was full",
		[GPUTM_VALIDATION_UNIT_REASON_COUNT] =
			"the number of writes of the granule was at its "
			"largest",
		[GPUTM_VALIDATION_UNIT_REASON_ROLLOVER] =
			"the unit had stopped for a rollover of the "
			"clocks",
	};
	bool by_read = a->reason == GPUTM_VALIDATION_UNIT_REASON_STORE_RTS;
	bool by_write = a->reason == GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS ||
			a->reason == GPUTM_VALIDATION_UNIT_REASON_STORE_WTS;

	loss->how = how[a->reason];
	loss->role = tap->role;
	loss->instance = tap->instance;
	loss->address = a->address;
	loss->has_address = true;
	loss->tick = see->port->now;
	if (by_read && a->word->rtime > a->stamp && knows_reader(see, tap, a))
		loss->winner = a->word->reader;
	else if (by_write && a->word->wtime > a->stamp)
		loss->winner = a->word->writer;
	else
		loss->winner.attempt = SEEN_NONE;
}

static void stalled(const struct seeing *see, struct seen_loss *loss, const struct answer *a)
{
	loss->wait = "the release of a granule that another transaction had reserved";
	loss->wait_at = a->address;
	loss->from = see->port->now;
	loss->to = 0;
	loss->holder = a->word->writer;
}

static void take(struct seeing *see, const struct seen_tap *tap, const struct answer *a)
{
	struct seen_loss *loss = seen_loss_of(see, a->access->warp, a->lane);

	if (a->outcome == GPUTM_VALIDATION_UNIT_STALLED) {
		stalled(see, loss, a);
		return;
	}
	if (loss->wait && !loss->to)
		loss->to = see->port->now;
	if (a->outcome == GPUTM_VALIDATION_UNIT_OK)
		granted(see, a);
	else if (!loss->how)
		refused(see, tap, loss, a);
}

static void on_answer(struct seeing *see, const struct seen_tap *tap,
		      const struct gputm_event *event)
{
	const struct getm *getm = sim_getm_of(see->port);
	const struct getm_access *access;
	uint32_t shift = getm->granule_shift;
	uint64_t lead = event->value[0] & 0xff, lanes;
	struct answer answer = { .outcome = (uint32_t)event->value[1],
				 .reason = (uint32_t)event->value[2] };

	if (event->kind != GPUTM_VALIDATION_UNIT_EVENT_ANSWER)
		return;
	access = sim_slab_at(&getm->access, (uint32_t)(event->value[0] >> 8));
	lanes = UINT64_C(1) << lead;
	for (SIM_EACH_LANE(lane, access->write ? 0 : access->lanes))
		if (access->word[lane] >> shift == access->word[lead] >> shift)
			lanes |= UINT64_C(1) << lane;
	answer.access = access;
	answer.stamp = getm->warp[access->warp].time * see->warps + access->warp;
	for (SIM_EACH_LANE(lane, lanes)) {
		answer.lane = lane;
		answer.address = access->line + 4u * access->word[lane];
		answer.word = seen_word_at(&state_of(see)->words, answer.address / 4 >> shift,
					   true);
		if (answer.word && see->warp[access->warp].attempt != SEEN_NONE)
			take(see, tap, &answer);
		see->starved |= !answer.word;
	}
}

/* ---- conflicts within a warp ------------------------------------------------------------ */

/* The first other lane that conflicts with the access, if the attempt was seen from its begin. */
static void lost(struct seeing *see, uint32_t warp, uint64_t lane, bool write)
{
	const struct seen_accesses *list = &state_of(see)->warp[warp];
	struct seen_loss *loss = seen_loss_of(see, warp, lane);
	uint64_t address = see->port->warp[warp].address[lane];

	loss->how = "it accessed a word that another lane of its warp had accessed before";
	loss->address = address;
	loss->has_address = true;
	loss->role = NULL;
	loss->tick = see->port->now;
	loss->winner.attempt = SEEN_NONE;
	if (see->warp[warp].begin < see->opened_at)
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->one[i].lane == lane || list->one[i].address != address ||
		    !(write || list->one[i].write))
			continue;
		loss->winner = seen_actor_of(see, warp, list->one[i].lane);
		loss->winner.tick = list->one[i].tick;
		return;
	}
}

static void on_filter(struct seeing *see, const struct seen_tap *tap,
		      const struct gputm_event *event)
{
	uint32_t warp = tap->instance * see->port->shape.warps + (uint32_t)event->value[0];
	struct seen_accesses *list = &state_of(see)->warp[warp];
	bool write = event->value[2];

	if (event->kind == GPUTM_WARP_ACCESS_FILTER_EVENT_BEGIN) {
		list->count = 0;
	} else if (see->warp[warp].attempt != SEEN_NONE) {
		for (SIM_EACH_LANE(lane, event->value[1] & ~event->value[3]))
			seen_accessed(see, list, lane, see->port->warp[warp].address[lane],
				      write);
		for (SIM_EACH_LANE(lane, event->value[3]))
			lost(see, warp, lane, write);
	}
}

/* ---- life ------------------------------------------------------------------------------- */

static void getm_free(struct seeing *see)
{
	struct getm_seen *seen = see->state;

	if (!seen)
		return;
	for (uint32_t i = 0; seen->warp && i < see->warps; i++)
		sim_free(seen->warp[i].one);
	sim_free(seen->warp);
	seen_words_free(&seen->words);
	sim_free(seen);
}

static int getm_make(struct seeing *see)
{
	struct getm_seen *seen = sim_calloc(1, sizeof *seen);

	see->state = seen;
	if (!seen)
		return -ENOMEM;
	seen->warp = sim_calloc(see->warps, sizeof *seen->warp);
	return seen->warp ? 0 : -ENOMEM;
}

const struct seen_system seen_getm = {
	.stage = { [SIM_STAGE_COMMIT] = "wait for reservations" },
	.make = getm_make,
	.free = getm_free,
	.role = { { "validation_unit", on_answer }, { "warp_access_filter", on_filter } },
};
