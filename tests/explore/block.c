/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block of compacted warps that does this, each thread by its own choice at each branch:
 *
 *	START	a branch to LEFT or RIGHT, which meet at MEET; on the RIGHT threads may end
 *	MEET	a transaction: a branch to IN or to COMMIT, where the two meet; threads abort
 *		anywhere in it, and after it as their commit fails
 *	AFTER	a barrier, and at END all threads end
 *
 * A step is what one warp does, or a warp that comes out of the compactor, or what becomes of
 * threads that commit. The model knows where each thread has to go on.
 */
#include <stdlib.h>
#include <string.h>

#include "gputm/block_stack.h"
#include "gputm/thread_compactor.h"
#include "tests/explore/arena.h"
#include "tests/explore/block.h"
#include "tests/explore/threads.h"
#include "tests/explore/unit.h"

#define NO_PC GPUTM_BLOCK_STACK_NO_PC

enum { START, LEFT, RIGHT, MEET, ATTEMPT, IN, COMMIT, AFTER, END, GONE };

struct block {
	struct gputm_block_stack *stack;
	struct gputm_thread_compactor *compactor;
	struct thread thread[THREADS];
	struct warp warp[THREADS];
	bool commits, over;
	const char *wrong;
};

static struct block *block; /* in the arena */
static const struct block_trial *trial;

enum { ADMIT, BRANCH, GO, EXIT, BEGIN, TRY, ABORT, REPORT, WAIT };

static uint32_t all_lanes(void)
{
	return (1u << trial->lanes) - 1;
}

static struct thread *thread_of(const struct warp *warp, uint32_t lane)
{
	return &block->thread[warp->thread[lane]];
}

/* ---- what can happen ---- */

static bool may_abort(const struct thread *thread)
{
	return thread->aborted + 1u < trial->attempts;
}

static bool may_all_abort(const struct warp *warp, uint32_t lanes)
{
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1 && !may_abort(thread_of(warp, lane)))
			return false;
	return true;
}

/* Sets of lanes of which each may abort. */
static unsigned aborts_of(uint32_t name, uint32_t choice[])
{
	unsigned count = 0, all = threads_subsets(&block->warp[name], ABORT, name, false, choice);

	for (unsigned i = 0; i < all; i++)
		if (may_all_abort(&block->warp[name], choice[i] & 0xff))
			choice[count++] = choice[i];
	return count;
}

static unsigned choices_of(uint32_t name, uint32_t choice[])
{
	const struct warp *warp = &block->warp[name];
	unsigned count = 0;

	if (!warp->lanes || warp->waits)
		return 0;
	if (trial->parts && warp->pc >= ATTEMPT && warp->pc <= COMMIT)
		count = aborts_of(name, choice);
	if (warp->pc == START || (warp->pc == ATTEMPT && trial->parts))
		return count + threads_subsets(warp, BRANCH, name, true, choice + count);
	if (warp->pc == RIGHT && trial->exits)
		count = threads_subsets(warp, EXIT, name, false, choice);
	choice[count] = STEP(warp->pc == MEET && trial->attempts ? BEGIN :
			     warp->pc == COMMIT			 ? TRY :
			     warp->pc == AFTER			 ? WAIT :
			     warp->pc == END			 ? EXIT : GO,
			     name, warp->pc == END ? warp->lanes : 0, 0);
	return count + 1;
}

/* What becomes of some threads of a static warp. */
static unsigned reports_of(uint32_t home, uint32_t choice[])
{
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX];
	uint32_t open = 0, able = 0;
	unsigned count = 0;

	gputm_block_stack_mask(block->stack, mask);
	for (uint32_t lane = 0; lane < trial->lanes; lane++) {
		open |= (uint32_t)(mask[lane] >> home & 1) << lane;
		able |= (uint32_t)may_abort(&block->thread[home * trial->lanes + lane]) << lane;
	}
	for (uint32_t fail = 0; fail <= all_lanes(); fail++)
		for (uint32_t pass = 0; pass <= all_lanes(); pass++)
			if ((fail | pass) && !(fail & pass) && !((fail | pass) & ~open) &&
			    !(fail & ~able))
				choice[count++] = STEP(REPORT, home, fail, pass);
	return count;
}

static unsigned choices(uint32_t choice[EXPLORE_CHOICES])
{
	unsigned count = 0;

	if (gputm_thread_compactor_warps(block->compactor))
		choice[count++] = STEP(ADMIT, 0, 0, 0);
	for (uint32_t i = 0; i < trial->warps; i++)
		count += block->commits ? reports_of(i, choice + count) :
					  choices_of(i, choice + count);
	return count;
}

/* ---- what happens ---- */

static void compact(void)
{
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX];

	gputm_block_stack_mask(block->stack, mask);
	if (gputm_thread_compactor_push(block->compactor, 0, mask))
		block->wrong = "a new top comes before all warps of the old one have been admitted";
}

static void admit(void)
{
	struct gputm_thread_compactor_warp made;
	struct warp *warp;
	int name;

	gputm_thread_compactor_tick(block->compactor);
	if (!gputm_thread_compactor_peek(block->compactor, &made)) {
		block->wrong = "the compactor makes no warp";
		return;
	}
	gputm_thread_compactor_pop(block->compactor);
	name = gputm_block_stack_admit(block->stack, made.mask, made.thread);
	if (name < 0) {
		block->wrong = "a warp is not admitted";
		return;
	}
	warp = &block->warp[name];
	*warp = (struct warp){ .lanes = (uint32_t)made.mask,
			       .pc = (uint8_t)gputm_block_stack_pc(block->stack) };
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		warp->thread[lane] = made.mask >> lane & 1 ? made.thread[lane] : 0;
	if (!block->wrong)
		block->wrong = threads_run(block->thread, warp, trial->lanes);
}

static void part(struct warp *warp, uint32_t lanes, uint8_t at)
{
	threads_part(block->thread, warp, lanes, at);
}

static void release(void)
{
	for (uint32_t i = 0; i < THREADS; i++)
		if (block->thread[i].at != AFTER && block->thread[i].at != GONE)
			block->wrong = "a barrier is passed before all threads have come";
	for (uint32_t i = 0; i < trial->warps; i++) {
		struct warp *warp = &block->warp[i];

		for (uint32_t lane = 0; lane < trial->lanes; lane++)
			if (warp->lanes >> lane & 1)
				thread_of(warp, lane)->at = END;
		warp->waits = false;
		warp->pc = END;
	}
}

/* What the stack has answered. */
static void follow(int result)
{
	if (result == GPUTM_BLOCK_STACK_COMPACT) {
		compact();
	} else if (result == GPUTM_BLOCK_STACK_COMMIT) {
		for (uint32_t i = 0; i < THREADS; i++)
			if (block->thread[i].runs)
				block->wrong = "an attempt commits and a thread of it still runs";
		block->commits = true;
	} else if (result == GPUTM_BLOCK_STACK_RELEASE) {
		release();
	} else if (result == GPUTM_BLOCK_STACK_FINISH) {
		block->over = true;
	} else if (result != GPUTM_BLOCK_STACK_WAIT && result != GPUTM_BLOCK_STACK_CONTINUE) {
		block->wrong = "the stack refuses";
	}
}

static int branch(uint32_t name, uint32_t taken)
{
	struct warp *warp = &block->warp[name];
	bool first = warp->pc == START;
	struct gputm_block_stack_target target = {
		.taken_pc = first ? LEFT : IN,
		.other_pc = first ? RIGHT : COMMIT,
		.rpc = first ? MEET : COMMIT,
		.lpc = NO_PC,
	};
	int result = gputm_block_stack_branch(block->stack, name, taken, &target);

	part(warp, taken, (uint8_t)target.taken_pc);
	part(warp, warp->lanes, (uint8_t)target.other_pc);
	return result;
}

static int go(uint32_t name)
{
	struct warp *warp = &block->warp[name];
	uint8_t next = warp->pc < MEET ? MEET : warp->pc == MEET ? AFTER : COMMIT;
	int result = gputm_block_stack_arrive(block->stack, name, next);

	if (result != GPUTM_BLOCK_STACK_CONTINUE) {
		part(warp, warp->lanes, next);
		return result;
	}
	warp->pc = next;
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (warp->lanes >> lane & 1)
			thread_of(warp, lane)->at = next;
	return result;
}

static int leave_by(uint32_t name, uint32_t what)
{
	struct warp *warp = &block->warp[name];
	int result = what == BEGIN ? gputm_block_stack_tx_begin(block->stack, name, ATTEMPT) :
				     gputm_block_stack_tx_commit(block->stack, name, AFTER);

	part(warp, warp->lanes, what == BEGIN ? ATTEMPT : COMMIT);
	return result;
}

static int abort_lanes(uint32_t name, uint32_t lanes)
{
	struct warp *warp = &block->warp[name];

	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1)
			thread_of(warp, lane)->aborted++;
	part(warp, lanes, ATTEMPT);
	return gputm_block_stack_tx_abort(block->stack, name, lanes);
}

static int report(uint32_t home, uint32_t fail, uint32_t pass)
{
	int result = gputm_block_stack_tx_report(block->stack, home, pass, fail);

	for (uint32_t lane = 0; lane < trial->lanes; lane++) {
		struct thread *thread = &block->thread[home * trial->lanes + lane];

		if ((fail | pass) >> lane & 1 && thread->at != COMMIT)
			block->wrong = "a thread commits that has not come to its commit";
		if (fail >> lane & 1)
			thread->aborted++, thread->at = ATTEMPT;
		if (pass >> lane & 1)
			thread->passed++, thread->at = AFTER;
	}
	block->commits = result == GPUTM_BLOCK_STACK_WAIT;
	return result;
}

static int end(uint32_t name, uint32_t lanes)
{
	struct warp *warp = &block->warp[name];

	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		if (lanes >> lane & 1)
			thread_of(warp, lane)->early = warp->pc == RIGHT;
	part(warp, lanes, GONE);
	return gputm_block_stack_exit(block->stack, name, lanes);
}

static int wait(uint32_t name)
{
	block->warp[name].waits = true;
	return gputm_block_stack_barrier(block->stack, name);
}

static void act(uint32_t choice)
{
	uint32_t what = choice >> 24, name = choice >> 16 & 0xff, lanes = choice & 0xff;

	if (what == ADMIT)
		admit();
	else if (what == BRANCH)
		follow(branch(name, lanes));
	else if (what == GO)
		follow(go(name));
	else if (what == EXIT)
		follow(end(name, lanes));
	else if (what == ABORT)
		follow(abort_lanes(name, lanes));
	else if (what == REPORT)
		follow(report(name, lanes, choice >> 8 & 0xff));
	else if (what == WAIT)
		follow(wait(name));
	else
		follow(leave_by(name, what));
}

/* ---- what is wrong ---- */

static const char *judge_end(void)
{
	if (!block->over || gputm_block_stack_live(block->stack))
		return "nothing can happen any more, and the block is not over";
	for (uint32_t i = 0; i < trial->warps * trial->lanes; i++) {
		const struct thread *thread = &block->thread[i];

		if (thread->at != GONE || thread->runs)
			return "a thread has not ended";
		if (thread->passed != (trial->attempts && !thread->early))
			return "a thread has not committed once";
	}
	return NULL;
}

static const char *judge(bool over)
{
	struct gputm_unit *unit = gputm_block_stack_unit(block->stack);
	const char *wrong = block->wrong ? block->wrong : gputm_unit_check(unit);

	if (!wrong)
		wrong = gputm_unit_check(gputm_thread_compactor_unit(block->compactor));
	if (wrong)
		return wrong;
	return over ? judge_end() : unit_reload(unit);
}

/* ---- keys and charts ---- */

static void key_of(struct explore_key *key)
{
	unit_mix(key, gputm_block_stack_unit(block->stack), NULL);
	unit_mix(key, gputm_thread_compactor_unit(block->compactor), NULL);
}

static void outcome(struct explore_key *key)
{
	for (uint32_t i = 0; i < THREADS; i++)
		explore_mix(key, (uint64_t)block->thread[i].aborted << 8 | block->thread[i].passed);
}

static void say(uint32_t choice, FILE *out)
{
	static const char *const verb[] = { "comes out of the compactor", "branches, taken by",
					    "goes on", "ends", "begins", "is at its commit",
					    "aborts", "fails for", "is at the barrier" };
	uint32_t what = choice >> 24, lanes = choice & 0xff;

	fprintf(out, "%swarp %u %s", what == REPORT ? "static " : "", choice >> 16 & 0xff,
		verb[what]);
	if (what == BRANCH || what == EXIT || what == ABORT || what == REPORT)
		fprintf(out, " lanes 0x%x", lanes);
	if (what == REPORT)
		fprintf(out, ", commits for lanes 0x%x", choice >> 8 & 0xff);
}

static const struct explore_model model = { choices, act, key_of, judge, outcome, say, NULL };

struct explore_result block_explore(const struct block_trial *asked, struct explore_bounds bounds,
				    FILE *out)
{
	struct gputm_block_stack_config stack = GPUTM_BLOCK_STACK_CONFIG_INIT;
	struct gputm_thread_compactor_config compactor = GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX] = { 0 };
	struct gputm_ctx *ctx;

	trial = asked;
	arena_forget();
	block = arena_take(ARENA_AROUND, sizeof(*block));
	stack.lanes = compactor.lanes = trial->lanes;
	stack.warps = compactor.warps = trial->warps;
	stack.depth = 8;
	stack.compact = compactor.compact = !trial->stays;
	if (gputm_ctx_new(&arena_units, &ctx) ||
	    gputm_block_stack_new(ctx, &stack, &block->stack) ||
	    gputm_thread_compactor_new(ctx, &compactor, &block->compactor))
		exit(1);
	for (uint32_t lane = 0; lane < trial->lanes; lane++)
		mask[lane] = (UINT64_C(1) << trial->warps) - 1;
	for (uint32_t i = trial->warps * trial->lanes; i < THREADS; i++)
		block->thread[i].at = GONE;
	if (gputm_block_stack_launch(block->stack, START, mask))
		exit(1);
	compact();
	return explore(&model, bounds, out);
}
