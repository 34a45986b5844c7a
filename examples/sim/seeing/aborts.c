/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comma-separated values, a row for each lane that aborts. Fields that are not known are empty:
 * some aborts have no word, such as those of a watchdog, and some have no winner, such as one
 * whose attempt began before the window.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "aborts.h"
#include "../base/arena.h"

struct aborts {
	struct seen_sink sink; /* first */
	struct seeing *see;
	FILE *file;
};

static uint64_t cycle(const struct seeing *see, uint64_t tick)
{
	return tick / see->port->core_ticks;
}

static void put_place(const struct seeing *see, uint32_t warp, uint64_t lane, FILE *file)
{
	uint32_t warps = see->port->shape.warps;

	fprintf(file, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64, warp / warps, warp % warps, lane);
}

static void put_word(const struct seeing *see, const struct seen_loss *loss, FILE *file)
{
	char name[SEEN_NAME];

	if (!loss->how || !loss->has_address) {
		fputs(",,", file);
		return;
	}
	seen_name_word(see, loss->address, name, sizeof name);
	fprintf(file, ",%s,0x%" PRIx64, name, loss->address);
}

static void put_winner(const struct seeing *see, const struct seen_actor *winner, FILE *file)
{
	if (winner->attempt == SEEN_NONE) {
		fputs(",,,,,\n", file);
		return;
	}
	fprintf(file, ",%" PRIu32, winner->thread);
	put_place(see, see->attempt[winner->attempt].warp, winner->lane, file);
	fprintf(file, ",%" PRIu64 "\n", cycle(see, winner->tick));
}

static void put_row(const struct seeing *see, const struct seen_abort *abort, uint64_t lane,
		    FILE *file)
{
	const struct seen_attempt *attempt = &see->attempt[see->warp[abort->warp].attempt];
	const struct seen_loss *loss = &see->loss[abort->warp * SEEN_LANES + lane];

	fprintf(file, "%" PRIu64 ",%" PRIu32, cycle(see, abort->tick),
		seen_actor_of(see, abort->warp, lane).thread);
	put_place(see, abort->warp, lane, file);
	fprintf(file, ",%" PRIu32 ",%" PRIu64 ",%s", attempt->number, cycle(see, attempt->begin),
		sim_abort_reason_name[abort->reason]);
	put_word(see, loss, file);
	if (loss->how && loss->role)
		fprintf(file, ",%s,%" PRIu32, loss->role, loss->instance);
	else
		fputs(",,", file);
	put_winner(see, &loss->winner, file);
}

static void aborted(struct seen_sink *sink, const struct seen_abort *abort, size_t aborts)
{
	struct aborts *self = (struct aborts *)sink;

	for (size_t i = 0; i < aborts; i++)
		for (SIM_EACH_LANE(lane, abort[i].lanes))
			put_row(self->see, &abort[i], lane, self->file);
}

struct seen_sink *aborts_new(struct seeing *see, FILE *file)
{
	struct aborts *self = sim_calloc(1, sizeof *self);

	if (!self)
		return NULL;
	*self = (struct aborts){ { .next = see->sinks, .abort = aborted }, see, file };
	see->sinks = &self->sink;
	fputs("cycle,thread,core,warp,lane,attempt,begin,reason,word,address,unit,instance,"
	      "winner,winner_core,winner_warp,winner_lane,winner_cycle\n", file);
	return &self->sink;
}

void aborts_free(struct seen_sink *sink)
{
	sim_free(sink);
}
