/* SPDX-License-Identifier: BSD-2-Clause */
/* What is seen of GPU-LocalTM: the unit names both work-items of a conflict, and the word. */
#include "gputm/local_tm.h"
#include "../local/local.h"
#include "seeing.h"

static uint32_t thread(const struct seeing *see, uint32_t wave, uint64_t lane)
{
	const struct local *local = see->port->state;

	return local->wave[wave].lane[lane].thread;
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

static void on_event(struct seeing *see, const struct seen_tap *tap,
		     const struct gputm_event *event)
{
	uint64_t item = event->value[0], other = event->value[2];
	struct seen_loss *loss;

	if (event->kind == GPUTM_LOCAL_TM_EVENT_CONFLICT) {
		loss = lose(see, tap, item / LOCAL_LANES, item % LOCAL_LANES,
			    "it accessed a word of another work-item");
		loss->address = 4 * event->value[1];
		loss->has_address = true;
		loss->winner = seen_actor_of(see, (uint32_t)(other / LOCAL_LANES),
					     other % LOCAL_LANES);
	} else if (event->kind == GPUTM_LOCAL_TM_EVENT_EVICT) {
		for (SIM_EACH_LANE(lane, event->value[1]))
			lose(see, tap, event->value[0], lane,
			     "another wavefront begins to run alone");
	}
}

const struct seen_system seen_local = {
	.role = { { "local_tm", on_event } },
	.thread = thread,
};
