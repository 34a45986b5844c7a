/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simt_stack, 32 lanes. The bound is a stack of {PC, RPC, mask} of 32 bits each, with a
 * branch of exactly two ways: no likely convergence, no transactions, no range checks, no
 * counts, no observer, no room check.
 */
#include "tests/bench/bench.h"

#define MEETING 64

struct tight_entry {
	uint32_t pc, rpc, mask;
};

struct warp {
	struct gputm_simt_stack *unit;
	struct tight_entry *top;
	struct tight_entry entry[80];
};

BENCH_SETUP(setup, struct warp *w)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;

	bench_must(gputm_simt_stack_new(NULL, &config, &w->unit));
	bench_must(gputm_simt_stack_launch(w->unit, 0, UINT32_MAX));
	w->top = w->entry;
	*w->top = (struct tight_entry){ 0, UINT32_MAX, UINT32_MAX };
}

BENCH_TIGHT static bool tight_advance(struct warp *w, uint32_t next_pc)
{
	struct tight_entry *top = w->top;

	top->pc = next_pc;
	if (next_pc != top->rpc)
		return false;
	do
		top--;
	while (top->pc == top->rpc);
	w->top = top;
	return true;
}

BENCH_TIGHT static void tight_diverge(struct warp *w, uint32_t taken, uint32_t taken_pc,
				      uint32_t other_pc, uint32_t rpc)
{
	struct tight_entry *top = w->top;
	uint32_t mask = top->mask;

	if (top->rpc == rpc)
		top--;
	else
		top->pc = rpc;
	if (other_pc != rpc)
		*++top = (struct tight_entry){ other_pc, rpc, mask & ~taken };
	if (taken_pc != rpc)
		*++top = (struct tight_entry){ taken_pc, rpc, taken };
	w->top = top;
}

BENCH_TURN(advance, struct warp *w, gputm_simt_stack_proceed(w->unit, i & 31))

BENCH_TURN(bound_advance, struct warp *w, tight_advance(w, i & 31))

BENCH_LOOP(part, struct warp *w)
{
	struct gputm_simt_stack_target target[2] = { { 8, 0x0f0f0f0f }, { 4, 0xf0f0f0f0 } };
	uint64_t rpc = MEETING + (i & 31);

	bench_must(gputm_simt_stack_diverge(w->unit, target, 2, rpc, GPUTM_SIMT_STACK_NO_PC));
	bench_must(gputm_simt_stack_proceed(w->unit, rpc));
	bench_must(gputm_simt_stack_proceed(w->unit, rpc));
	return 0;
}

BENCH_LOOP(bound_part, struct warp *w)
{
	uint32_t rpc = MEETING + (i & 31);

	tight_diverge(w, 0xf0f0f0f0, 4, 8, rpc);
	bench_use(tight_advance(w, rpc));
	return tight_advance(w, rpc);
}

/* ---- a next PC for each lane ---- */

BENCH_LOOP(step_all, struct warp *w)
{
	uint64_t next_pc[32] = { 0 };

	for (unsigned lane = 0; lane < 32; lane++)
		next_pc[lane] = i & 31;
	return (uint64_t)gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0);
}

/* All lanes at one PC, and the step; the bound is for one way only. */
BENCH_TIGHT static bool tight_step_all(struct warp *w, const uint32_t next_pc[])
{
	uint32_t differ = 0;

	for (unsigned lane = 1; lane < 32; lane++)
		differ |= next_pc[lane] ^ next_pc[0];
	return differ || tight_advance(w, next_pc[0]);
}

BENCH_LOOP(bound_step_all, struct warp *w)
{
	uint32_t next_pc[32] = { 0 };

	for (unsigned lane = 0; lane < 32; lane++)
		next_pc[lane] = i & 31;
	return tight_step_all(w, next_pc);
}

BENCH_LOOP(part_all, struct warp *w)
{
	uint64_t next_pc[32];

	for (unsigned lane = 0; lane < 32; lane++)
		next_pc[lane] = lane & 4 ? 4 : 8;
	bench_must(gputm_simt_stack_update(w->unit, 0, next_pc, MEETING + (i & 31), 8));
	for (unsigned lane = 0; lane < 32; lane++)
		next_pc[lane] = lane & 4 ? MEETING + (i & 31) : 8;
	bench_must(gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0));
	for (unsigned lane = 0; lane < 32; lane++)
		next_pc[lane] = MEETING + (i & 31);
	bench_must(gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0));
	return 0;
}

BENCH_LOOP(ask_top, struct warp *w)
{
	struct gputm_simt_stack_entry top;

	gputm_simt_stack_top(w->unit, &top);
	return top.pc + top.mask;
}

/* A transaction in which half of the lanes fail once. */
BENCH_LOOP(transaction, struct warp *w)
{
	bench_must(gputm_simt_stack_tx_begin(w->unit, 4));
	bench_must(gputm_simt_stack_tx_abort(w->unit, 0x0f0f0f0f));
	bench_must(gputm_simt_stack_tx_commit(w->unit, 0xf0f0f0f0, 8));
	bench_must(gputm_simt_stack_tx_commit_done(w->unit));
	bench_must(gputm_simt_stack_tx_commit(w->unit, 0x0f0f0f0f, 8));
	bench_must(gputm_simt_stack_tx_commit_done(w->unit));
	return 0;
}

static const struct bench_op operations[] = {
	{ "uniform advance", setup, 0, advance, "gputm_simt_stack_proceed",
	  .bound = bound_advance, .bound_inside = "tight_advance" },
	{ "diverge in two and reconverge", setup, 0, part,
	  "gputm_simt_stack_diverge,gputm_simt_stack_proceed",
	  .bound = bound_part, .bound_inside = "tight_diverge,tight_advance" },
	{ "update, uniform", setup, 0, step_all, "gputm_simt_stack_update",
	  .bound = bound_step_all, .bound_inside = "tight_step_all" },
	{ "update, in two and back", setup, 0, part_all, "gputm_simt_stack_update",
	  .bound = bound_part, .bound_inside = "tight_diverge,tight_advance" },
	{ "top", setup, 0, ask_top, "gputm_simt_stack_top",
	  .unbounded = "it copies an entry" },
	{ "transaction, two attempts", setup, 0, transaction, "gputm_simt_stack_tx_*",
	  .unbounded = "the stack of the bound knows no R and T entries" },
};

BENCH_TABLE("simt_stack", struct warp, operations)
