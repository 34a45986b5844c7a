/* SPDX-License-Identifier: BSD-2-Clause */
/* Observes GPU-LocalTM: the unit names the word and both work-items of a conflict. */
#include <stdlib.h>

#include "gputm/local_tm.h"
#include "../base/arena.h"
#include "../local/local.h"
#include "seeing.h"

static uint32_t thread(const struct seeing *see, uint32_t wave, uint64_t lane)
{
	const struct local *local = local_in(sim_run_of(see->port));

	return local->wave[wave].thread[lane];
}

static struct seen_loss *lose(struct seeing *see, const struct seen_tap *tap, uint64_t wave,
			      uint64_t lane, const char *how)
{
	struct seen_loss *loss = seen_loss_of(see, (uint32_t)wave, lane);

	loss->how = how;
	loss->role = tap->role;
	loss->instance = tap->instance;
	loss->tick = see->port->now;
	return loss;
}

/* The winner has accessed the word before, or does so by the same instruction. */
static struct seen_actor winner(const struct seeing *see, uint64_t item, uint64_t word)
{
	const struct seen_accesses *list = (struct seen_accesses *)see->state + item / LOCAL_LANES;
	struct seen_actor actor = seen_actor_of(see, (uint32_t)(item / LOCAL_LANES),
						item % LOCAL_LANES);

	for (uint32_t i = 0; i < list->count; i++)
		if (list->one[i].lane == item % LOCAL_LANES && list->one[i].address == word) {
			actor.tick = list->one[i].tick;
			break;
		}
	return actor;
}

static void on_access(struct seeing *see, uint32_t wave, uint64_t lanes, bool write)
{
	const struct local *local = local_in(sim_run_of(see->port));
	struct seen_accesses *list = (struct seen_accesses *)see->state + wave;

	for (SIM_EACH_LANE(lane, lanes))
		seen_accessed(see, list, lane, local->wave[wave].word[lane], write);
}

static void on_event(struct seeing *see, const struct seen_tap *tap,
		     const struct gputm_event *event)
{
	uint64_t item = event->value[0];
	struct seen_accesses *list = see->state;
	struct seen_loss *loss;

	if (event->kind == GPUTM_LOCAL_TM_EVENT_CONFLICT) {
		loss = lose(see, tap, item / LOCAL_LANES, item % LOCAL_LANES,
			    "it accessed a word of another work-item");
		loss->address = 4 * event->value[1];
		loss->has_address = true;
		loss->winner = winner(see, event->value[2], event->value[1]);
	} else if (event->kind == GPUTM_LOCAL_TM_EVENT_EVICT) {
		for (SIM_EACH_LANE(lane, event->value[1]))
			lose(see, tap, event->value[0], lane,
			     "another wavefront begins to run alone");
	} else if (event->kind == GPUTM_LOCAL_TM_EVENT_BEGIN) {
		list[event->value[0]].count = 0;
	} else if (event->kind == GPUTM_LOCAL_TM_EVENT_ACCESS) {
		on_access(see, (uint32_t)event->value[0], event->value[2] & ~event->value[3],
			  event->value[1]);
	}
}

static int local_make(struct seeing *see)
{
	see->state = sim_calloc(LOCAL_WAVES, sizeof(struct seen_accesses));
	return see->state ? 0 : -ENOMEM;
}

static void local_free(struct seeing *see)
{
	struct seen_accesses *list = see->state;

	for (uint32_t i = 0; list && i < LOCAL_WAVES; i++)
		sim_free(list[i].one);
	sim_free(list);
}

const struct seen_system seen_local = {
	.make = local_make,
	.free = local_free,
	.role = { { "local_tm", on_event } },
	.thread = thread,
};
