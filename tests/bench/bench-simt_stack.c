/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simt_stack, 32 lanes. The bound is a stack of {PC, RPC, mask} of 32 bits each, with a
 * branch of exactly two ways: no likely convergence, no transactions, no range checks, no
 * counts, no observer, no room check.
 */
#include <stdlib.h>

#include "gputm/simt_stack.h"
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

static void *setup(void)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct warp *w = calloc(1, sizeof(*w));

	if (!w || gputm_simt_stack_new(NULL, &config, &w->unit)) {
		free(w);
		return NULL;
	}
	if (gputm_simt_stack_launch(w->unit, 0, UINT32_MAX))
		abort();
	w->top = w->entry;
	*w->top = (struct tight_entry){ 0, UINT32_MAX, UINT32_MAX };
	return w;
}

static void teardown(void *state)
{
	struct warp *w = state;

	gputm_simt_stack_free(w->unit);
	free(w);
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

static void advance(void *state, uint64_t count)
{
	struct warp *w = state;
	int result = 0;

	for (uint64_t i = 0; i < count; i++)
		result |= gputm_simt_stack_proceed(w->unit, i & 31);
	bench_use((uint64_t)result);
}

static void bound_advance(void *state, uint64_t count)
{
	struct warp *w = state;
	bool popped = false;

	for (uint64_t i = 0; i < count; i++)
		popped |= tight_advance(w, i & 31);
	bench_use(popped);
}

static void part(void *state, uint64_t count)
{
	struct warp *w = state;
	struct gputm_simt_stack_target target[2] = { { 8, 0x0f0f0f0f }, { 4, 0xf0f0f0f0 } };
	int result = 0;

	for (uint64_t i = 0; i < count; i++) {
		result |= gputm_simt_stack_diverge(w->unit, target, 2, MEETING + (i & 31),
						   GPUTM_SIMT_STACK_NO_PC);
		result |= gputm_simt_stack_proceed(w->unit, MEETING + (i & 31));
		result |= gputm_simt_stack_proceed(w->unit, MEETING + (i & 31));
	}
	bench_use((uint64_t)result);
}

static void bound_part(void *state, uint64_t count)
{
	struct warp *w = state;
	bool popped = false;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t rpc = MEETING + (i & 31);

		tight_diverge(w, 0xf0f0f0f0, 4, 8, rpc);
		popped |= tight_advance(w, rpc);
		popped |= tight_advance(w, rpc);
	}
	bench_use(popped);
}

/* ---- a next PC for each lane ---- */

static void step_all(void *state, uint64_t count)
{
	struct warp *w = state;
	uint64_t next_pc[32] = { 0 };
	int result = 0;

	for (uint64_t i = 0; i < count; i++) {
		for (unsigned lane = 0; lane < 32; lane++)
			next_pc[lane] = i & 31;
		result |= gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0);
	}
	bench_use((uint64_t)result);
}

/* All lanes at one PC, and the step; the bound is for one way only. */
BENCH_TIGHT static bool tight_step_all(struct warp *w, const uint32_t next_pc[])
{
	uint32_t differ = 0;

	for (unsigned lane = 1; lane < 32; lane++)
		differ |= next_pc[lane] ^ next_pc[0];
	return differ || tight_advance(w, next_pc[0]);
}

static void bound_step_all(void *state, uint64_t count)
{
	struct warp *w = state;
	uint32_t next_pc[32] = { 0 };
	bool popped = false;

	for (uint64_t i = 0; i < count; i++) {
		for (unsigned lane = 0; lane < 32; lane++)
			next_pc[lane] = i & 31;
		popped |= tight_step_all(w, next_pc);
	}
	bench_use(popped);
}

static void part_all(void *state, uint64_t count)
{
	struct warp *w = state;
	uint64_t next_pc[32];
	int result = 0;

	for (uint64_t i = 0; i < count; i++) {
		for (unsigned lane = 0; lane < 32; lane++)
			next_pc[lane] = lane & 4 ? 4 : 8;
		result |= gputm_simt_stack_update(w->unit, 0, next_pc, MEETING + (i & 31), 8);
		for (unsigned lane = 0; lane < 32; lane++)
			next_pc[lane] = lane & 4 ? MEETING + (i & 31) : 8;
		result |= gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0);
		for (unsigned lane = 0; lane < 32; lane++)
			next_pc[lane] = MEETING + (i & 31);
		result |= gputm_simt_stack_update(w->unit, 0, next_pc, 0, 0);
	}
	bench_use((uint64_t)result);
}

static void ask_top(void *state, uint64_t count)
{
	struct warp *w = state;
	struct gputm_simt_stack_entry top;

	for (uint64_t i = 0; i < count; i++) {
		gputm_simt_stack_top(w->unit, &top);
		bench_use(top.pc + top.mask);
	}
}

/* A transaction in which half of the lanes fail once. */
static void transaction(void *state, uint64_t count)
{
	struct warp *w = state;
	int result = 0;

	for (uint64_t i = 0; i < count; i++) {
		result |= gputm_simt_stack_tx_begin(w->unit, 4);
		result |= gputm_simt_stack_tx_abort(w->unit, 0x0f0f0f0f);
		result |= gputm_simt_stack_tx_commit(w->unit, 0xf0f0f0f0, 8);
		result |= gputm_simt_stack_tx_commit_done(w->unit);
		result |= gputm_simt_stack_tx_commit(w->unit, 0x0f0f0f0f, 8);
		result |= gputm_simt_stack_tx_commit_done(w->unit);
	}
	bench_use((uint64_t)result);
}

static const struct bench_op operations[] = {
	{ "simt_stack", "uniform advance", setup, teardown, advance, bound_advance,
	  "gputm_simt_stack_proceed", "tight_advance", 0 },
	{ "simt_stack", "diverge in two and reconverge", setup, teardown, part, bound_part,
	  "gputm_simt_stack_diverge,gputm_simt_stack_proceed", "tight_diverge,tight_advance", 0 },
	{ "simt_stack", "update, uniform", setup, teardown, step_all, bound_step_all,
	  "gputm_simt_stack_update", "tight_step_all", 0 },
	{ "simt_stack", "update, in two and back", setup, teardown, part_all, bound_part,
	  "gputm_simt_stack_update", "tight_diverge,tight_advance", 0 },
	{ "simt_stack", "top", setup, teardown, ask_top, NULL, "gputm_simt_stack_top", NULL, 0 },
	{ "simt_stack", "transaction, two attempts", setup, teardown, transaction, NULL,
	  "gputm_simt_stack_tx_*", NULL, 0 },
};

BENCH_TABLE(operations)
