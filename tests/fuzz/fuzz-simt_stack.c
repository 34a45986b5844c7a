/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes become a geometry, then any operations, sensible or not. Beside the stack every lane
 * keeps a PC of its own; whatever was done, the topmost entry that has a lane is at that PC.
 * At last, perhaps, the state is bent in a snapshot. What load() accepts is a state like any
 * other: no operation breaks an invariant.
 */
#include <string.h>

#include "gputm/simt_stack.h"
#include "tests/fuzz/bend.h"

#define LANES 8
#define PC_MAX 15u
#define SNAPSHOT 4096

struct warp {
	struct gputm_simt_stack *stack;
	uint64_t pc[LANES];
	unsigned nesting[LANES];
	uint64_t live, running, retry;
	uint64_t restart_pc, pc_after;
	bool inside;
	uint8_t before[SNAPSHOT];
	size_t size;
};

static void move(struct warp *w, uint64_t mask, uint64_t pc)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			w->pc[lane] = pc;
}

static uint64_t draw_pc(struct fuzz *fuzz)
{
	uint8_t byte = fuzz_u8(fuzz);

	return byte == 0xff ? GPUTM_SIMT_STACK_NO_PC : byte % (byte & 0x80 ? 16u : 18u);
}

/* Lanes of a mask, rarely others. */
static uint64_t draw_mask(struct fuzz *fuzz, uint64_t of)
{
	uint8_t byte = fuzz_u8(fuzz), kind = fuzz_u8(fuzz);

	return kind < 8 ? byte : kind < 128 ? of : byte & of;
}

static void remember(struct warp *w)
{
	w->size = gputm_unit_save(gputm_simt_stack_unit(w->stack), w->before, SNAPSHOT);
	FUZZ_CHECK(w->size <= SNAPSHOT);
}

static void unchanged(const struct warp *w)
{
	uint8_t now[SNAPSHOT];

	FUZZ_CHECK(gputm_unit_save(gputm_simt_stack_unit(w->stack), now, SNAPSHOT) == w->size);
	FUZZ_CHECK(!memcmp(now, w->before, w->size));
}

/* Was it done? What was refused changed nothing; FULL is counted. */
static bool done(const struct warp *w, int result, int refusal)
{
	FUZZ_CHECK(refusal ? result == refusal : result >= 0);
	if (refusal)
		unchanged(w);
	return !refusal && result != GPUTM_SIMT_STACK_FULL;
}

static void launch(struct warp *w, struct fuzz *fuzz)
{
	uint64_t pc = draw_pc(fuzz), mask = draw_mask(fuzz, 0xff);
	int refusal = w->live || !mask ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (!done(w, gputm_simt_stack_launch(w->stack, pc, mask), refusal))
		return;
	w->live = mask;
	move(w, mask, pc);
}

static void advance(struct warp *w, struct fuzz *fuzz)
{
	uint64_t pc = draw_pc(fuzz), active = gputm_simt_stack_active_mask(w->stack);
	int refusal = !active ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (done(w, gputm_simt_stack_proceed(w->stack, pc), refusal))
		move(w, active, pc);
}

static void diverge(struct warp *w, struct fuzz *fuzz)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), left = active;
	size_t count = fuzz_below(fuzz, 5);
	struct gputm_simt_stack_target target[5];
	uint64_t rpc = draw_pc(fuzz), lpc = draw_pc(fuzz);
	int result, probe;

	for (size_t i = 0; i < count; i++) {
		target[i].pc = draw_pc(fuzz);
		target[i].mask = i + 1 < count ? draw_mask(fuzz, left) : left;
		left &= ~target[i].mask;
	}
	probe = gputm_simt_stack_diverge_probe(w->stack, target, count, rpc, lpc);
	unchanged(w);
	result = gputm_simt_stack_diverge(w->stack, target, count, rpc, lpc);
	FUZZ_CHECK(result == probe);
	if (!done(w, result, result < 0 ? result : 0))
		return;
	for (size_t i = 0; i < count; i++)
		move(w, target[i].mask, target[i].pc);
}

/* A next PC for each lane; few of them are apart. */
static void update(struct warp *w, struct fuzz *fuzz)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), next_pc[LANES];
	uint64_t ended = fuzz_u8(fuzz) < 16 ? fuzz_u8(fuzz) : 0;
	uint64_t rpc = draw_pc(fuzz), last_pc = draw_pc(fuzz), there = draw_pc(fuzz);
	uint8_t apart = fuzz_u8(fuzz);
	int result;

	for (unsigned lane = 0; lane < LANES; lane++)
		next_pc[lane] = apart >> lane & 1 ? draw_pc(fuzz) : there;
	result = gputm_simt_stack_update(w->stack, ended, next_pc, rpc, last_pc);
	if (!done(w, result, result < 0 ? result : 0))
		return;
	w->live &= ~(active & ended);
	FUZZ_CHECK((result == GPUTM_SIMT_STACK_FINISH) == !w->live);
	for (unsigned lane = 0; lane < LANES; lane++)
		move(w, active & UINT64_C(1) << lane, next_pc[lane]);
}

static void end(struct warp *w, struct fuzz *fuzz)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), mask = draw_mask(fuzz, active);
	int refusal = w->inside || !mask || (mask & ~active) ? -EINVAL : 0;
	int result = gputm_simt_stack_exit(w->stack, mask);

	if (!done(w, result, refusal))
		return;
	w->live &= ~mask;
	FUZZ_CHECK((result == GPUTM_SIMT_STACK_FINISH) == !w->live);
}

static void begin(struct warp *w, struct fuzz *fuzz)
{
	uint64_t pc = draw_pc(fuzz), active = gputm_simt_stack_active_mask(w->stack);
	int refusal = !active ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;
	int probe = gputm_simt_stack_tx_begin_probe(w->stack, pc);
	int result = gputm_simt_stack_tx_begin(w->stack, pc);

	FUZZ_CHECK(result == probe);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (active >> lane & 1 && w->nesting[lane] == GPUTM_SIMT_STACK_NESTING_MAX)
			refusal = -ERANGE;
	if (!done(w, result, refusal))
		return;
	move(w, active, pc);
	FUZZ_CHECK((result == GPUTM_SIMT_STACK_NESTED) == w->inside);
	for (unsigned lane = 0; lane < LANES; lane++)
		w->nesting[lane] += w->inside && active >> lane & 1;
	if (w->inside)
		return;
	w->inside = true;
	w->running = active;
	w->restart_pc = pc;
	w->pc_after = GPUTM_SIMT_STACK_NO_PC;
}

static void stop(struct warp *w, struct fuzz *fuzz)
{
	uint64_t mask = draw_mask(fuzz, w->running);
	int refusal = !mask || (mask & ~w->running) ? -EINVAL : 0;

	if (!done(w, gputm_simt_stack_tx_abort(w->stack, mask), refusal))
		return;
	w->running &= ~mask;
	w->retry |= mask;
	move(w, mask, w->restart_pc);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			w->nesting[lane] = 0;
}

static void commit(struct warp *w, struct fuzz *fuzz)
{
	uint64_t pc = draw_pc(fuzz), active = gputm_simt_stack_active_mask(w->stack);
	uint64_t mask = draw_mask(fuzz, active);
	int result = gputm_simt_stack_tx_commit(w->stack, mask, pc);

	if (!done(w, result, result < 0 ? result : 0))
		return;
	FUZZ_CHECK(w->inside && mask && !(mask & ~active) && pc <= PC_MAX);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			FUZZ_CHECK((w->nesting[lane] > 0) == (result == GPUTM_SIMT_STACK_NESTED));
	if (result == GPUTM_SIMT_STACK_NESTED) {
		FUZZ_CHECK(mask == active);
		for (unsigned lane = 0; lane < LANES; lane++)
			w->nesting[lane] -= (unsigned)(mask >> lane & 1);
		move(w, mask, pc);
		return;
	}
	FUZZ_CHECK(w->pc_after == GPUTM_SIMT_STACK_NO_PC || w->pc_after == pc);
	w->pc_after = pc;
	w->running &= ~mask;
	move(w, mask, pc);
}

static void commit_done(struct warp *w)
{
	int result = gputm_simt_stack_tx_commit_done(w->stack);

	if (!done(w, result, !w->inside || w->running ? -EINVAL : 0))
		return;
	FUZZ_CHECK(result == (w->retry ? GPUTM_SIMT_STACK_RESTART : GPUTM_SIMT_STACK_LEAVE));
	w->running = w->retry;
	w->retry = 0;
	w->inside = w->running != 0;
}

/* Lanes that have committed are left out: the entry below T does not know their PC yet. */
static void compare(const struct warp *w)
{
	size_t depth = gputm_simt_stack_depth(w->stack);
	struct gputm_simt_stack_entry entry;
	uint64_t left = w->live, normal = GPUTM_SIMT_STACK_NORMAL;
	bool above = w->inside;

	FUZZ_CHECK(!gputm_unit_check(gputm_simt_stack_unit(w->stack)));
	FUZZ_CHECK(gputm_simt_stack_live_mask(w->stack) == w->live);
	FUZZ_CHECK(gputm_simt_stack_in_transaction(w->stack) == w->inside);
	FUZZ_CHECK(gputm_simt_stack_tx_running(w->stack) == w->running);
	FUZZ_CHECK(gputm_simt_stack_tx_retry(w->stack) == w->retry);
	while (depth--) {
		FUZZ_CHECK(!gputm_simt_stack_get_entry(w->stack, depth, &entry));
		if (above && entry.type == normal)
			FUZZ_CHECK(!(entry.mask & ~w->running));
		for (unsigned lane = 0; lane < LANES; lane++)
			if (left & entry.mask & UINT64_C(1) << lane)
				FUZZ_CHECK(w->pc[lane] == entry.pc);
		left &= ~entry.mask;
		if (entry.type == GPUTM_SIMT_STACK_RETRY) {
			above = false;
			FUZZ_CHECK(depth &&
				   !gputm_simt_stack_get_entry(w->stack, depth - 1, &entry));
			left &= ~entry.mask;
		}
	}
	FUZZ_CHECK(!left);
}

static void any_operation(struct gputm_simt_stack *stack, struct fuzz *fuzz)
{
	uint64_t active = gputm_simt_stack_active_mask(stack), pc = draw_pc(fuzz), rpc, lpc;
	uint64_t mask = draw_mask(fuzz, active);
	const struct gputm_simt_stack_target target[] = { { pc, active & ~mask },
							  { draw_pc(fuzz), active & mask } };
	int ignored = 0;

	switch (fuzz_below(fuzz, 8)) {
	case 0:
		ignored = gputm_simt_stack_launch(stack, pc, mask);
		break;
	case 1: ignored = gputm_simt_stack_proceed(stack, pc); break;
	case 2:
		rpc = draw_pc(fuzz);
		lpc = draw_pc(fuzz);
		ignored = gputm_simt_stack_diverge(stack, target, 2, rpc, lpc);
		break;
	case 3:
		ignored = gputm_simt_stack_exit(stack, mask);
		break;
	case 4:
		ignored = gputm_simt_stack_tx_begin(stack, pc);
		break;
	case 5:
		mask = draw_mask(fuzz, gputm_simt_stack_tx_running(stack));
		ignored = gputm_simt_stack_tx_abort(stack, mask);
		break;
	case 6:
		ignored = gputm_simt_stack_tx_commit(stack, mask, pc);
		break;
	default:
		ignored = gputm_simt_stack_tx_commit_done(stack);
	}
	(void)ignored;
	FUZZ_CHECK(!gputm_unit_check(gputm_simt_stack_unit(stack)));
}

/* Change a few numbers of the contents, and go on from there if that is accepted. */
static void bend(struct warp *w, struct fuzz *fuzz)
{
	uint32_t edits = 1 + fuzz_below(fuzz, 3), contents;

	remember(w);
	contents = 8 + 40 * (uint32_t)gputm_simt_stack_depth(w->stack) + 8 + 64;
	while (edits--) {
		uint32_t at = fuzz_below(fuzz, contents) & ~3u; /* the lowest byte */

		w->before[w->size - 8 - contents + at] = fuzz_u8(fuzz) & (edits & 1 ? 0xff : 0x0f);
	}
	fuzz_seal(w->before, w->size);
	if (!fuzz_load(gputm_simt_stack_unit(w->stack), w->before, w->size))
		return;
	while (fuzz_more(fuzz))
		any_operation(w->stack, fuzz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct warp w;

	memset(&w, 0, sizeof(w));
	config.lanes = LANES;
	config.pc_bits = 4;
	config.depth = fuzz_below(&fuzz, 24);
	config.likely_convergence = fuzz_u8(&fuzz) & 1;
	FUZZ_CHECK(!gputm_simt_stack_new(NULL, &config, &w.stack));
	while (fuzz_more(&fuzz)) {
		uint8_t byte = fuzz_u8(&fuzz), what = byte % 16;

		if (byte >= 0xfc) {
			bend(&w, &fuzz);
			break;
		}
		remember(&w);
		if (!w.live || what == 15)
			launch(&w, &fuzz);
		else if (what < 4)
			advance(&w, &fuzz);
		else if (what < 6)
			diverge(&w, &fuzz);
		else if (what < 8)
			update(&w, &fuzz);
		else if (what == 8)
			end(&w, &fuzz);
		else if (what < 10)
			begin(&w, &fuzz);
		else if (what < 12)
			stop(&w, &fuzz);
		else if (what < 14)
			commit(&w, &fuzz);
		else
			commit_done(&w);
		compare(&w);
	}
	gputm_simt_stack_free(w.stack);
	return 0;
}
