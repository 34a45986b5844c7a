/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is seen of snapshot isolation. Its tables name transactions by IDs. When a claim or a read
 * closes a loop, the transaction that made it loses.
 */
#include <stdlib.h>

#include "../base/arena.h"
#include "../systems/si_tm.h"
#include "seeing.h"

/* Accesses of a running transaction; if the attempt is another, of an earlier transaction. */
struct si_accesses {
	struct seen_accesses list;
	uint32_t attempt;
};

struct si_seen {
	struct seen_actor *committed; /* by ID */
	struct si_accesses *running;  /* by ID */
	uint32_t ids;
	uint64_t address;	      /* of the access that is at the tables */
	uint32_t accessor;	      /* its transaction */
};

static struct si_seen *state_of(const struct seeing *see)
{
	return see->state;
}

/* Does the lane still run this transaction? */
static bool runs(const struct si *si, uint64_t id)
{
	const struct si_tx *tx = &si->tx[id];

	return si->warp[tx->warp].active >> tx->lane & 1 && si->warp[tx->warp].tx[tx->lane] == id;
}

static struct seen_actor actor_of(const struct seeing *see, uint64_t id)
{
	const struct si *si = see->port->state;

	if (id >= si->ids)
		return (struct seen_actor){ .attempt = SEEN_NONE };
	if (si->tx[id].state == SI_RUNNING && runs(si, id))
		return seen_actor_of(see, si->tx[id].warp, si->tx[id].lane);
	return state_of(see)->committed[id];
}

/* Record that the transaction accesses the word at the tables. */
static void note(struct seeing *see, bool write)
{
	const struct si_seen *seen = state_of(see);
	const struct si *si = see->port->state;
	struct si_accesses *accesses = &seen->running[seen->accessor];
	uint32_t attempt = see->warp[si->tx[seen->accessor].warp].attempt;

	if (accesses->attempt != attempt)
		accesses->list.count = 0;
	accesses->attempt = attempt;
	seen_accessed(see, &accesses->list, 0, seen->address, write);
}

/* When did the winner, if it still runs, access the word? A write counts before a read. */
static void date(struct seeing *see, uint64_t id, struct seen_actor *winner)
{
	const struct si_accesses *accesses;
	bool written = false;

	if (!seen_running(see, winner))
		return;
	accesses = &state_of(see)->running[id];
	for (uint32_t i = 0; accesses->attempt == winner->attempt && i < accesses->list.count; i++)
		if (accesses->list.one[i].address == state_of(see)->address &&
		    (!written || accesses->list.one[i].write)) {
			winner->tick = accesses->list.one[i].tick;
			written = accesses->list.one[i].write;
		}
}

static void lose(struct seeing *see, const struct seen_tap *tap, uint64_t id, uint64_t winner,
		 const char *how)
{
	const struct si *si = see->port->state;
	struct seen_loss *loss;

	if (!runs(si, id))
		return;
	loss = seen_loss_of(see, si->tx[id].warp, si->tx[id].lane);
	loss->how = how;
	loss->role = tap->role;
	loss->instance = tap->instance;
	loss->address = state_of(see)->address;
	loss->has_address = true;
	loss->tick = see->port->now;
	loss->winner = actor_of(see, winner);
	date(see, winner, &loss->winner);
}

static void on_writers(struct seeing *see, const struct seen_tap *tap,
		       const struct gputm_event *event)
{
	static const char *const how[] = {
		[GPUTM_WRITER_TABLE_HELD] = "another running transaction was the writer of a word "
					    "that it claimed",
		[GPUTM_WRITER_TABLE_CONFLICT] = "a word that it claimed has a version that its "
						"snapshot lacks",
		[GPUTM_WRITER_TABLE_FULL] = "the writer table was full",
	};
	struct si_seen *seen = state_of(see);

	if (event->kind <= GPUTM_WRITER_TABLE_EVENT_REFUSE) {
		seen->address = event->value[0];
		seen->accessor = (uint32_t)event->value[1];
	}
	if (event->kind == GPUTM_WRITER_TABLE_EVENT_CLAIM)
		note(see, true);
	if (event->kind == GPUTM_WRITER_TABLE_EVENT_REFUSE &&
	    event->value[2] < sizeof how / sizeof *how)
		lose(see, tap, event->value[1], event->value[3], how[event->value[2]]);
	if (event->kind == GPUTM_WRITER_TABLE_EVENT_COMMIT)
		seen->committed[event->value[1]] = actor_of(see, event->value[1]);
}

static void on_readers(struct seeing *see, const struct seen_tap *tap,
		       const struct gputm_event *event)
{
	struct si_seen *seen = state_of(see);

	if (event->kind != GPUTM_READER_LIST_EVENT_ADD &&
	    event->kind != GPUTM_READER_LIST_EVENT_REFUSE)
		return;
	seen->address = event->value[0];
	seen->accessor = (uint32_t)event->value[1];
	if (event->kind == GPUTM_READER_LIST_EVENT_ADD)
		note(see, false);
	else
		lose(see, tap, seen->accessor, UINT64_MAX, "the reader list was full");
}

static void on_stamps(struct seeing *see, const struct seen_tap *tap,
		      const struct gputm_event *event)
{
	uint64_t accessor = state_of(see)->accessor;

	if (event->kind == GPUTM_TIMESTAMP_TABLE_EVENT_EDGE &&
	    event->value[2] == GPUTM_TIMESTAMP_TABLE_LOOP)
		lose(see, tap, accessor,
		     event->value[0] == accessor ? event->value[1] : event->value[0],
		     "its access made a dependency that may close a loop");
}

/* Conflicts that no table reports: versions that are gone, and loops that the oracle finds. */
static void explain(struct seeing *see, uint32_t warp, uint64_t lanes, enum sim_abort_reason reason)
{
	bool oracle = sim_si_of(see->port)->detector == &sim_si_oracle;
	const char *how = NULL;

	if (reason == SIM_ABORT_STALE)
		how = "the version of its snapshot had been recycled";
	else if (oracle && reason == SIM_ABORT_LOOP)
		how = "its access closed a loop of dependencies";
	else if (oracle && reason == SIM_ABORT_CONFLICT)
		how = "a word that it writes has a version that its snapshot lacks";
	for (SIM_EACH_LANE(lane, how ? lanes : 0)) {
		struct seen_loss *loss = seen_loss_of(see, warp, lane);

		loss->how = how;
		loss->role = reason == SIM_ABORT_STALE ? "version_table" : NULL;
		loss->instance = 0;
		loss->tick = see->port->now;
		loss->has_address = false;
		loss->winner.attempt = SEEN_NONE;
	}
}

static void si_free(struct seeing *see)
{
	struct si_seen *seen = see->state;

	if (!seen)
		return;
	for (uint32_t i = 0; seen->running && i < seen->ids; i++)
		sim_free(seen->running[i].list.one);
	sim_free(seen->running);
	sim_free(seen->committed);
	sim_free(seen);
}

static int si_make(struct seeing *see)
{
	const struct si *si = see->port->state;
	struct si_seen *seen = sim_calloc(1, sizeof *seen);

	see->state = seen;
	if (!seen)
		return -ENOMEM;
	seen->ids = si->ids;
	seen->running = sim_calloc(si->ids, sizeof *seen->running);
	seen->committed = sim_calloc(si->ids, sizeof *seen->committed);
	for (uint32_t i = 0; seen->committed && i < si->ids; i++)
		seen->committed[i].attempt = SEEN_NONE;
	return seen->committed && seen->running ? 0 : -ENOMEM;
}

const struct seen_system seen_si = {
	.stage = { [SIM_STAGE_COMMIT] = "wait for claims" },
	.make = si_make,
	.free = si_free,
	.role = { { "writer_table", on_writers }, { "reader_list", on_readers },
		  { "timestamp_table", on_stamps } },
	.explain = explain,
};
