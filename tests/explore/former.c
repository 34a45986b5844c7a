/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static warps that begin at any time, with any of their lanes, and do this, each thread by its
 * own choice at each branch:
 *
 *	START	a branch to LEFT or RIGHT, which meet at MEET
 *	LEFT	a branch to IN or JOIN, which meet at JOIN
 *	RIGHT	threads may end; the others go on at JOIN
 *	JOIN	on to MEET; MEET: on to END, where all threads end. Before one of the two is a
 *		barrier of the block
 *
 * A step is what one warp in flight does, or that the unit issues its next warp, or that a static
 * warp begins. The model knows where each thread has to go on, and which static warps are whole.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/warp_former.h"
#include "tests/explore/arena.h"
#include "tests/explore/former.h"
#include "tests/explore/threads.h"
#include "tests/explore/unit.h"

#define NO_PC GPUTM_WARP_FORMER_NO_PC

enum { START = 1, LEFT, IN, RIGHT, JOIN, MEET, END, GONE };

struct core {
	struct gputm_warp_former *former;
	struct thread thread[THREADS];
	struct warp warp[THREADS]; /* in flight, by slot */
	bool begun[THREADS];	   /* by static warp */
	uint8_t rpc[THREADS];	   /* where a static warp that has parted is whole again; or 0 */
	const char *wrong;
};

static struct core *core; /* in the arena */
static const struct former_trial *trial;

enum { LAUNCH, ISSUE, BRANCH, GO, WAIT, EXIT };

static uint32_t threads(void)
{
	return trial->warps * trial->lanes;
}

/* ---- what can happen ---- */

static unsigned choices_of(uint32_t slot, uint32_t choice[])
{
	const struct warp *warp = &core->warp[slot];
	unsigned count = 0;

	if (!warp->lanes)
		return 0;
	if (warp->pc == START || warp->pc == LEFT)
		return threads_subsets(warp, BRANCH, slot, true, choice);
	if (warp->pc == RIGHT || warp->pc == END)
		count = threads_subsets(warp, EXIT, slot, false, choice);
	if (warp->pc != END)
		choice[count++] = STEP(warp->pc == (trial->inside ? JOIN : MEET) ? WAIT : GO,
				       slot, 0, 0);
	return count;
}

static unsigned choices(uint32_t choice[EXPLORE_CHOICES])
{
	const struct warp all = { .lanes = (1u << trial->lanes) - 1 };
	struct gputm_warp_former_warp next;
	unsigned count = 0;

	for (uint32_t i = 0; i < trial->warps; i++)
		if (!core->begun[i])
			count += threads_subsets(&all, LAUNCH, i, false, choice + count);
	if (gputm_warp_former_issue_probe(core->former, &next) == GPUTM_WARP_FORMER_OK)
		choice[count++] = STEP(ISSUE, next.slot, 0, 0);
	for (uint32_t i = 0; i < threads(); i++)
		count += choices_of(i, choice + count);
	return count;
}

/* ---- what has to come of it ---- */

static uint32_t home_of(uint32_t thread)
{
	return thread / trial->lanes;
}

/* The thread is at the PC where its static warp, which has parted, is to be whole again. */
static bool has_come(uint32_t thread)
{
	const struct thread *it = &core->thread[thread];

	return it->at != GONE && !it->waits && core->rpc[home_of(thread)] == it->at;
}

static bool all_wait(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (core->thread[i].at != GONE && !core->thread[i].waits)
			return false;
	return true;
}

/* Barriers of a block that all threads have come to are passed; then those of static warps. */
static void meet(void)
{
	uint32_t block = trial->apart ? trial->lanes : threads();

	for (uint32_t i = 0; i < threads(); i += block) {
		bool passed = all_wait(i, i + block);

		for (uint32_t k = i; passed && k < i + block; k++)
			core->thread[k].waits = false;
	}
	for (uint32_t i = 0; i < trial->warps; i++) {
		bool whole = true;

		for (uint32_t k = i * trial->lanes; k < (i + 1) * trial->lanes; k++)
			whole &= core->thread[k].at == GONE || has_come(k);
		if (whole)
			core->rpc[i] = 0;
	}
}

/* The lanes of a static warp whose threads are so. */
static uint32_t lanes_that(uint32_t home, bool (*are)(uint32_t thread))
{
	uint32_t lanes = 0;

	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		lanes |= (uint32_t)are(home * trial->lanes + lane) << lane;
	return lanes;
}

static bool lives(uint32_t thread)
{
	return core->thread[thread].at != GONE;
}

static bool waits(uint32_t thread)
{
	return core->thread[thread].waits;
}

/* Is a warp of the right threads? `told`: of which static warp all of them are. */
static const char *judge_warp(const struct warp *warp, uint32_t told)
{
	uint32_t home = GPUTM_WARP_FORMER_NO_WARP;
	bool mixed = false, parted = true;

	for (uint32_t lane = 0; lane < trial->lanes; lane++) {
		if (!(warp->lanes >> lane & 1))
			continue;
		mixed |= home != GPUTM_WARP_FORMER_NO_WARP && home != home_of(warp->thread[lane]);
		home = home_of(warp->thread[lane]);
		parted &= core->rpc[home] != 0;
		if (core->rpc[home] == warp->pc)
			return "a thread goes on before its static warp is whole";
	}
	if (told != (mixed ? GPUTM_WARP_FORMER_NO_WARP : home))
		return "a warp is said to be of another static warp";
	if (trial->whole && !parted && (mixed || warp->lanes != lanes_that(home, lives)))
		return "a static warp that has not parted is joined, or not whole";
	return NULL;
}

/* ---- what happens ---- */

static void part(struct warp *warp, uint32_t lanes, uint8_t at)
{
	threads_part(core->thread, warp, lanes, at);
	if (!warp->lanes)
		*warp = (struct warp){ 0 }; /* equal states have equal bytes */
}

static int launch(uint32_t name, uint32_t lanes)
{
	core->begun[name] = true;
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1)
			core->thread[name * trial->lanes + lane].at = START;
	return gputm_warp_former_launch(core->former, name, lanes, START);
}

static int issue(uint32_t slot)
{
	struct gputm_warp_former_warp made;
	int result = gputm_warp_former_issue(core->former, &made);
	struct warp *warp = &core->warp[slot];

	if (result)
		return result;
	if (made.slot != slot || made.mask >> trial->lanes || warp->lanes)
		core->wrong = "a warp is not the one that the probe told of, or its slot is taken";
	*warp = (struct warp){ .lanes = (uint32_t)made.mask, .pc = (uint8_t)made.pc };
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		warp->thread[lane] = made.mask >> lane & 1 ? made.thread[lane] : 0;
	if (!core->wrong)
		core->wrong = threads_run(core->thread, warp, trial->lanes);
	if (!core->wrong)
		core->wrong = judge_warp(warp, made.home);
	return result;
}

static int branch(uint32_t slot, uint32_t taken)
{
	struct warp *warp = &core->warp[slot];
	bool first = warp->pc == START, parts = trial->whole && taken && taken != warp->lanes;
	const struct gputm_warp_former_target target = {
		.taken_pc = first ? LEFT : IN,
		.other_pc = first ? RIGHT : JOIN,
		.rpc = first ? MEET : JOIN,
	};

	for (uint32_t lane = 0; parts && lane < trial->lanes; lane++)
		if (warp->lanes >> lane & 1 && !core->rpc[home_of(warp->thread[lane])])
			core->rpc[home_of(warp->thread[lane])] = (uint8_t)target.rpc;
	part(warp, taken, (uint8_t)target.taken_pc);
	part(warp, warp->lanes, (uint8_t)target.other_pc);
	return gputm_warp_former_branch(core->former, slot, taken, &target);
}

static int go(uint32_t slot, bool to_wait)
{
	struct warp *warp = &core->warp[slot];
	uint8_t next = warp->pc < JOIN ? JOIN : warp->pc + 1;

	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (warp->lanes >> lane & 1)
			core->thread[warp->thread[lane]].waits = to_wait;
	part(warp, warp->lanes, next);
	return to_wait ? gputm_warp_former_barrier(core->former, slot, next) :
			 gputm_warp_former_proceed(core->former, slot, next);
}

static int end(uint32_t slot, uint32_t lanes)
{
	struct warp *warp = &core->warp[slot];
	uint32_t left = 0;
	int result;

	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1)
			core->thread[warp->thread[lane]].early = warp->pc == RIGHT;
	part(warp, lanes, GONE);
	for (uint32_t i = 0; i < trial->warps; i++)
		left |= lanes_that(i, lives);
	result = gputm_warp_former_exit(core->former, slot, lanes);
	return result == (left ? GPUTM_WARP_FORMER_OK : GPUTM_WARP_FORMER_FINISH) ? 0 : -1;
}

static void act(uint32_t choice)
{
	uint32_t what = choice >> 24, name = choice >> 16 & 0xff, lanes = choice & 0xff;
	int result = what == LAUNCH ? launch(name, lanes) :
		     what == ISSUE  ? issue(name) :
		     what == BRANCH ? branch(name, lanes) :
		     what == EXIT   ? end(name, lanes) :
				      go(name, what == WAIT);

	if (result && !core->wrong)
		core->wrong = "the unit refuses, or says that it is over when it is not";
	meet();
}

/* ---- what is wrong ---- */

/* Each thread is where it has to be. */
static const char *judge_places(void)
{
	uint32_t waiting[GONE + 1] = { 0 }, live = 0, flying = 0;
	uint64_t mask, pc;

	for (uint32_t i = 0; i < threads(); i++) {
		const struct thread *thread = &core->thread[i];

		live += thread->at != GONE;
		flying += core->warp[i].lanes != 0;
		waiting[thread->at] += !thread->runs && !thread->waits && !has_come(i);
	}
	if (gputm_warp_former_live(core->former) != live)
		return "a thread is lost, or counted twice";
	if (gputm_warp_former_in_flight(core->former) != flying)
		return "a warp in flight is lost, or counted twice";
	for (uint8_t at = START; at < GONE; at++)
		if (gputm_warp_former_waiting(core->former, at) != waiting[at])
			return "at a PC wait other threads than those that go on there";
	for (uint32_t i = 0; i < trial->warps; i++) {
		if (gputm_warp_former_at_block_barrier(core->former, i) != lanes_that(i, waits))
			return "at a barrier of a block are other threads than those that wait";
		if (!gputm_warp_former_at_warp_barrier(core->former, i, &mask, &pc) ||
		    mask != lanes_that(i, has_come) || pc != (core->rpc[i] ? core->rpc[i] : NO_PC))
			return "at a warp barrier are other threads than those that have come";
	}
	return NULL;
}

static const char *judge(bool over)
{
	struct gputm_unit *unit = gputm_warp_former_unit(core->former);
	const char *wrong = core->wrong ? core->wrong : gputm_unit_check(unit);

	if (!wrong)
		wrong = judge_places();
	for (uint32_t i = 0; over && !wrong && i < threads(); i++)
		if (lives(i))
			wrong = "nothing can happen any more, and a thread has not ended";
	return wrong ? wrong : unit_reload(unit);
}

/* ---- keys and charts ---- */

static void key_of(struct explore_key *key)
{
	unit_mix(key, gputm_warp_former_unit(core->former), NULL);
}

static void outcome(struct explore_key *key)
{
	for (uint32_t i = 0; i < threads(); i++)
		explore_mix(key, core->thread[i].early);
}

static void say(uint32_t choice, FILE *out)
{
	static const char *const verb[] = { "begins with", "issues", "branches, taken by",
					    "goes on", "is at the barrier", "ends" };
	uint32_t what = choice >> 24;

	fprintf(out, "%s %u %s", what == LAUNCH ? "static warp" : "the warp in slot",
		choice >> 16 & 0xff, verb[what]);
	if (what == LAUNCH || what == BRANCH || what == EXIT)
		fprintf(out, " lanes 0x%x", choice & 0xff);
}

static const struct explore_model model = { choices, act, key_of, judge, outcome, say, NULL };

struct explore_result former_explore(const struct former_trial *asked,
				     struct explore_bounds bounds, FILE *out)
{
	struct gputm_warp_former_config config = GPUTM_WARP_FORMER_CONFIG_INIT;
	struct gputm_ctx *ctx;

	trial = asked;
	arena_forget();
	core = arena_take(ARENA_AROUND, sizeof(*core));
	config.lanes = trial->lanes;
	config.warps = trial->warps;
	config.block_warps = trial->apart ? 1 : trial->warps;
	config.warp_barrier = trial->whole;
	config.hold_partial = trial->holds;
	if (gputm_ctx_new(&arena_units, &ctx) ||
	    gputm_warp_former_new(ctx, &config, &core->former))
		exit(1);
	for (uint32_t i = 0; i < THREADS; i++)
		core->thread[i].at = GONE;
	return explore(&model, bounds, out);
}
