/* SPDX-License-Identifier: BSD-2-Clause */
/* The story of one abort, in sentences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "why.h"
#include "../base/arena.h"

#define OTHERS 4

struct why {
	struct seen_sink sink; /* must be the first member */
	struct seeing *see;
	uint32_t thread;
	uint64_t number, aborts; /* aborts of the thread so far */
	uint32_t other[OTHERS];  /* the first other threads that have aborted, for a hint */
	size_t others;
	/* the abort asked for, once it has happened */
	struct seen_loss loss;
	enum sim_abort_reason reason;
	uint64_t tick, backoff; /* end of the back-off; 0: none */
	uint32_t warp, lane, attempt;
	const char *stage;
	uint32_t committed; /* the attempt in which the thread finally committed, or SEEN_NONE */
};

static struct why *why_of(struct seen_sink *sink)
{
	return (struct why *)sink;
}

static bool found(const struct why *why)
{
	return why->aborts >= why->number;
}

/* ---- what is kept ----------------------------------------------------------------------- */

static void keep(struct why *why, const struct seen_abort *abort, uint32_t lane)
{
	struct seeing *see = why->see;
	const struct seen_warp *warp = &see->warp[abort->warp];

	why->loss = *seen_loss_of(see, abort->warp, lane);
	why->reason = abort->reason;
	why->tick = abort->tick;
	why->warp = abort->warp;
	why->lane = lane;
	why->attempt = warp->attempt;
	why->stage = seen_slice_name(see, warp->stage);
}

static void keep_other(struct why *why, uint32_t thread)
{
	for (size_t i = 0; i < why->others; i++)
		if (why->other[i] == thread)
			return;
	if (why->others < OTHERS)
		why->other[why->others++] = thread;
}

static void aborted(struct seen_sink *sink, const struct seen_abort *abort, size_t aborts)
{
	struct why *why = why_of(sink);

	for (size_t i = 0; i < aborts; i++)
		for (SIM_EACH_LANE(lane, abort[i].lanes)) {
			uint32_t thread = seen_actor_of(why->see, abort[i].warp, lane).thread;

			if (thread != why->thread)
				keep_other(why, thread);
			else if (++why->aborts == why->number)
				keep(why, &abort[i], (uint32_t)lane);
		}
}

static void slice(struct seen_sink *sink, uint32_t warp, enum seen_slice kind, uint64_t from,
		  uint64_t to)
{
	struct why *why = why_of(sink);

	if (found(why) && warp == why->warp && kind == SEEN_BACKOFF &&
	    from == why->see->attempt[why->attempt].end)
		why->backoff = to;
}

static void attempt(struct seen_sink *sink, const struct seen_warp *warp,
		    const struct seen_attempt *attempt)
{
	struct why *why = why_of(sink);

	if (found(why) && attempt->warp == why->warp && why->committed == SEEN_NONE &&
	    warp->attempt > why->attempt && warp->committed >> why->lane & 1)
		why->committed = warp->attempt;
}

/* ---- what is said ----------------------------------------------------------------------- */

static uint64_t cycle(const struct why *why, uint64_t tick)
{
	return tick / why->see->port->core_ticks;
}

static void say_place(const struct why *why, uint32_t warp, uint32_t lane, FILE *out)
{
	uint32_t warps = why->see->port->shape.warps;

	fprintf(out, "(core %" PRIu32 ", warp %" PRIu32 ", lane %" PRIu32 ")", warp / warps,
		warp % warps, lane);
}

static void say_actor(const struct why *why, const struct seen_actor *actor, FILE *out)
{
	const struct seen_attempt *a = &why->see->attempt[actor->attempt];

	fprintf(out, "thread %" PRIu32 " ", actor->thread);
	say_place(why, a->warp, actor->lane, out);
	fprintf(out, ", attempt %" PRIu32, a->number);
}

static void say_word(const struct why *why, uint64_t address, FILE *out)
{
	char name[SEEN_NAME];

	seen_name_word(why->see, address, name, sizeof name);
	if (strncmp(name, "0x", 2))
		fprintf(out, "word %s (0x%" PRIx64 ")", name, address);
	else
		fprintf(out, "word 0x%" PRIx64, address);
}

/* Name the lines of the kernel that read or write the word, if known. */
static void say_lines(const struct why *why, uint64_t address, FILE *out)
{
	const struct sim_workload *workload = why->see->port->workload;
	char name[SEEN_NAME] = "";

	for (int write = 0; write < 2 && workload->class->name_word; write++) {
		const char *lines;

		workload->class->name_word(workload, address, write, name, sizeof name);
		lines = strstr(name, " (line ");
		if (lines)
			fprintf(out, " The kernel %s it in %.*s.", write ? "writes" : "reads",
				(int)strcspn(lines + 2, ")"), lines + 2);
	}
}

static void say_access(const struct why *why, FILE *out)
{
	const struct seen_loss *l = &why->loss;
	const struct sim_port *port = why->see->port;

	fprintf(out, "How: %s.\n", l->how ? l->how : "the units do not tell");
	if (!l->how)
		return;
	fputs("Where: ", out);
	if (l->has_address)
		say_word(why, l->address, out);
	else
		fputs("no word", out);
	if (l->has_address && port->shape.partitions)
		fprintf(out, " of partition %" PRIu32, sim_partition_of(port, l->address));
	if (l->role)
		fprintf(out, ", found by %s %" PRIu32, l->role, l->instance);
	else
		fputs(", found in the core", out);
	fprintf(out, " at cycle %" PRIu64 ".", cycle(why, l->tick));
	if (l->has_address)
		say_lines(why, l->address, out);
	fputc('\n', out);
}

static void say_winner(const struct why *why, FILE *out)
{
	const struct seen_actor *winner = &why->loss.winner;
	const struct seen_attempt *a;
	bool ended;

	if (winner->attempt == SEEN_NONE) {
		fputs("Who won: not known; nobody, or who acted before the window.\n", out);
		return;
	}
	a = &why->see->attempt[winner->attempt];
	ended = a->end != SIM_NEVER;
	fputs("Who won: ", out);
	say_actor(why, winner, out);
	fprintf(out, ", by what it did at cycle %" PRIu64 ".\n", cycle(why, winner->tick));
	fprintf(out, "The winner's attempt ran from cycle %" PRIu64 " to %" PRIu64 ", and %s.\n",
		cycle(why, a->begin), cycle(why, ended ? a->end : why->see->port->now),
		a->committed >> winner->lane & 1 ? "it committed" : "it aborted, too");
}

static void say_wait(const struct why *why, FILE *out)
{
	const struct seen_loss *l = &why->loss;

	if (!l->wait)
		return;
	fprintf(out, "It also waited for %s: ", l->wait);
	say_word(why, l->wait_at, out);
	fprintf(out, ", from cycle %" PRIu64, cycle(why, l->from));
	if (l->to)
		fprintf(out, " to %" PRIu64, cycle(why, l->to));
	if (l->holder.attempt != SEEN_NONE) {
		fputs(", for ", out);
		say_actor(why, &l->holder, out);
	}
	fputs(".\n", out);
}

static void say_end(const struct why *why, FILE *out)
{
	const struct seen_attempt *a = &why->see->attempt[why->attempt];

	if (why->backoff)
		fprintf(out, "The attempt cost %" PRIu64 " cycles, and the back-off of its warp "
			"lasted until cycle %" PRIu64 ".\n", cycle(why, why->tick - a->begin),
			cycle(why, why->backoff));
	else
		fprintf(out, "The attempt cost %" PRIu64 " cycles.\n",
			cycle(why, why->tick - a->begin));
	if (why->committed == SEEN_NONE)
		return;
	a = &why->see->attempt[why->committed];
	fprintf(out, "The thread committed in attempt %" PRIu32 " of its warp, which ended at "
		"cycle %" PRIu64 ".\n", a->number, cycle(why, a->end));
}

/* The abort asked for has not happened: say what has. */
static void say_nothing(const struct why *why, FILE *out)
{
	bool all = !why->see->from && why->see->to == SIM_NEVER;
	const char *where = all ? "" : " in the window";

	if (why->aborts) {
		fprintf(out, "Thread %" PRIu32 " has aborted %" PRIu64 " attempt%s%s: there is no "
			     "abort %" PRIu64 ", ask for an earlier one.\n",
			why->thread, why->aborts, why->aborts == 1 ? "" : "s", where,
			why->number);
		return;
	}
	fprintf(out, "Thread %" PRIu32 " has aborted no attempt%s%s", why->thread, where,
		!why->others ? ", and no other thread has" :
		why->others == 1 ? "; one that has is thread" : "; others have, such as threads");
	for (size_t i = 0; i < why->others; i++)
		fprintf(out, "%s %" PRIu32, !i ? "" : i + 1 < why->others ? "," : " and",
			why->other[i]);
	fputs(".\n", out);
}

bool why_answer(const struct seen_sink *sink, FILE *out)
{
	const struct why *why = (const struct why *)sink;
	const struct seen_attempt *a;

	if (!found(why)) {
		say_nothing(why, out);
		return false;
	}
	a = &why->see->attempt[why->attempt];
	fprintf(out, "Thread %" PRIu32 " ", why->thread);
	say_place(why, why->warp, why->lane, out);
	fprintf(out, " aborted attempt %" PRIu32 " of its warp, begun at cycle %" PRIu64
		", at cycle %" PRIu64 ", in stage \"%s\". Reason: %s.\n", a->number,
		cycle(why, a->begin), cycle(why, why->tick), why->stage,
		sim_abort_reason_name[why->reason]);
	say_access(why, out);
	say_winner(why, out);
	say_wait(why, out);
	say_end(why, out);
	return true;
}

/* ---- life ------------------------------------------------------------------------------- */

struct seen_sink *why_new(struct seeing *see, uint32_t thread, uint64_t number)
{
	struct why *why = sim_calloc(1, sizeof *why);

	if (!why)
		return NULL;
	why->see = see;
	why->thread = thread;
	why->number = number;
	why->committed = SEEN_NONE;
	why->sink = (struct seen_sink){ .next = see->sinks, .slice = slice, .attempt = attempt,
					.abort = aborted };
	see->sinks = &why->sink;
	return &why->sink;
}

void why_free(struct seen_sink *sink)
{
	sim_free(sink);
}
