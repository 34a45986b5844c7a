/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any operations on simt_stack, sensible or not. Beside the stack every lane keeps a PC of its own;
 * whatever was done, the topmost entry that has a lane is at that PC. At last, perhaps, the state
 * is bent in a snapshot. What load() accepts is a state like any other: no operation breaks an
 * invariant.
 */
#include "tests/simt_stack.h"

#define LANES 8
#define PC_MAX 15u

struct warp {
	struct gputm_simt_stack *stack;
	uint64_t pc[LANES];
	unsigned nesting[LANES];
	uint64_t live, running, retry;
	uint64_t restart_pc, pc_after;
	bool inside;
	uint64_t before; /* digest */
};

static void move(struct warp *w, uint64_t mask, uint64_t pc)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			w->pc[lane] = pc;
}

static uint64_t draw_pc(struct kit_bytes *bytes)
{
	uint64_t byte = kit_number(bytes, 1);

	return byte == 0xff ? GPUTM_SIMT_STACK_NO_PC : byte % (byte & 0x80 ? 16 : 18);
}

/* Lanes of a mask, rarely others. */
static uint64_t draw_mask(struct kit_bytes *bytes, uint64_t of)
{
	uint64_t byte = kit_number(bytes, 1), kind = kit_number(bytes, 1);

	return kind < 8 ? byte : kind < 128 ? of : byte & of;
}

static void unchanged(const struct warp *w)
{
	ck_assert_uint_eq(kit_digest(unit_of(w->stack)), w->before);
}

/* Was it done? What was refused changed nothing; FULL is counted. */
static bool done(const struct warp *w, int result, int refusal)
{
	ck_assert(refusal ? result == refusal : result >= 0);
	if (refusal)
		unchanged(w);
	return !refusal && result != GPUTM_SIMT_STACK_FULL;
}

static void launch(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), mask = draw_mask(bytes, 0xff);
	int refusal = w->live || !mask ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (!done(w, gputm_simt_stack_launch(w->stack, pc, mask), refusal))
		return;
	w->live = mask;
	move(w, mask, pc);
}

static void proceed(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), active = gputm_simt_stack_active_mask(w->stack);
	int refusal = !active ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (done(w, gputm_simt_stack_proceed(w->stack, pc), refusal))
		move(w, active, pc);
}

static void diverge(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), left = active;
	size_t count = kit_u32(bytes, 5);
	struct gputm_simt_stack_target target[5];
	uint64_t rpc = draw_pc(bytes), lpc = draw_pc(bytes);
	int result, probe;

	for (size_t i = 0; i < count; i++) {
		target[i].pc = draw_pc(bytes);
		target[i].mask = i + 1 < count ? draw_mask(bytes, left) : left;
		left &= ~target[i].mask;
	}
	probe = gputm_simt_stack_diverge_probe(w->stack, target, count, rpc, lpc);
	unchanged(w);
	result = gputm_simt_stack_diverge(w->stack, target, count, rpc, lpc);
	ck_assert_int_eq(result, probe);
	if (!done(w, result, result < 0 ? result : 0))
		return;
	for (size_t i = 0; i < count; i++)
		move(w, target[i].mask, target[i].pc);
}

/* A next PC for each lane; few of them are apart. */
static void update(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), next_pc[LANES];
	uint64_t ended = kit_number(bytes, 1) < 16 ? kit_number(bytes, 1) : 0;
	uint64_t rpc = draw_pc(bytes), last_pc = draw_pc(bytes), there = draw_pc(bytes);
	uint64_t apart = kit_number(bytes, 1);
	int result;

	for (unsigned lane = 0; lane < LANES; lane++)
		next_pc[lane] = apart >> lane & 1 ? draw_pc(bytes) : there;
	result = gputm_simt_stack_update(w->stack, ended, next_pc, rpc, last_pc);
	if (!done(w, result, result < 0 ? result : 0))
		return;
	w->live &= ~(active & ended);
	ck_assert((result == GPUTM_SIMT_STACK_FINISH) == !w->live);
	for (unsigned lane = 0; lane < LANES; lane++)
		move(w, active & UINT64_C(1) << lane, next_pc[lane]);
}

static void end(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), mask = draw_mask(bytes, active);
	int refusal = w->inside || !mask || (mask & ~active) ? -EINVAL : 0;
	int result = gputm_simt_stack_exit(w->stack, mask);

	if (!done(w, result, refusal))
		return;
	w->live &= ~mask;
	ck_assert((result == GPUTM_SIMT_STACK_FINISH) == !w->live);
}

static void begin(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), active = gputm_simt_stack_active_mask(w->stack);
	int refusal = !active ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;
	int probe = gputm_simt_stack_tx_begin_probe(w->stack, pc);
	int result = gputm_simt_stack_tx_begin(w->stack, pc);

	ck_assert_int_eq(result, probe);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (active >> lane & 1 && w->nesting[lane] == GPUTM_SIMT_STACK_NESTING_MAX)
			refusal = -ERANGE;
	if (!done(w, result, refusal))
		return;
	move(w, active, pc);
	ck_assert((result == GPUTM_SIMT_STACK_NESTED) == w->inside);
	for (unsigned lane = 0; lane < LANES; lane++)
		w->nesting[lane] += w->inside && active >> lane & 1;
	if (w->inside)
		return;
	w->inside = true;
	w->running = active;
	w->restart_pc = pc;
	w->pc_after = GPUTM_SIMT_STACK_NO_PC;
}

static void stop(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t mask = draw_mask(bytes, w->running);
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

static void commit(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), active = gputm_simt_stack_active_mask(w->stack);
	uint64_t mask = draw_mask(bytes, active);
	int result = gputm_simt_stack_tx_commit(w->stack, mask, pc);

	if (!done(w, result, result < 0 ? result : 0))
		return;
	ck_assert(w->inside && mask && !(mask & ~active) && pc <= PC_MAX);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			ck_assert((w->nesting[lane] > 0) == (result == GPUTM_SIMT_STACK_NESTED));
	if (result == GPUTM_SIMT_STACK_NESTED) {
		ck_assert_uint_eq(mask, active);
		for (unsigned lane = 0; lane < LANES; lane++)
			w->nesting[lane] -= (unsigned)(mask >> lane & 1);
		move(w, mask, pc);
		return;
	}
	ck_assert(w->pc_after == GPUTM_SIMT_STACK_NO_PC || w->pc_after == pc);
	w->pc_after = pc;
	w->running &= ~mask;
	move(w, mask, pc);
}

static void commit_done(struct warp *w)
{
	int result = gputm_simt_stack_tx_commit_done(w->stack);

	if (!done(w, result, !w->inside || w->running ? -EINVAL : 0))
		return;
	ck_assert_int_eq(result, w->retry ? GPUTM_SIMT_STACK_RESTART : GPUTM_SIMT_STACK_LEAVE);
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

	kit_valid(unit_of(w->stack));
	ck_assert_uint_eq(gputm_simt_stack_live_mask(w->stack), w->live);
	ck_assert_int_eq(gputm_simt_stack_in_transaction(w->stack), w->inside);
	ck_assert_uint_eq(gputm_simt_stack_tx_running(w->stack), w->running);
	ck_assert_uint_eq(gputm_simt_stack_tx_retry(w->stack), w->retry);
	while (depth--) {
		ck_assert(!gputm_simt_stack_get_entry(w->stack, depth, &entry));
		if (above && entry.type == normal)
			ck_assert(!(entry.mask & ~w->running));
		for (unsigned lane = 0; lane < LANES; lane++)
			if (left & entry.mask & UINT64_C(1) << lane)
				ck_assert_uint_eq(w->pc[lane], entry.pc);
		left &= ~entry.mask;
		if (entry.type == GPUTM_SIMT_STACK_RETRY) {
			above = false;
			ck_assert(depth);
			ck_assert(!gputm_simt_stack_get_entry(w->stack, depth - 1, &entry));
			left &= ~entry.mask;
		}
	}
	ck_assert(!left);
}

static void any_operation(struct gputm_simt_stack *stack, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(stack), pc = draw_pc(bytes), rpc, lpc;
	uint64_t mask = draw_mask(bytes, active);
	const struct gputm_simt_stack_target target[] = { { pc, active & ~mask },
							  { draw_pc(bytes), active & mask } };
	int ignored = 0;

	switch (kit_u32(bytes, 8)) {
	case 0:
		ignored = gputm_simt_stack_launch(stack, pc, mask);
		break;
	case 1: ignored = gputm_simt_stack_proceed(stack, pc); break;
	case 2:
		rpc = draw_pc(bytes);
		lpc = draw_pc(bytes);
		ignored = gputm_simt_stack_diverge(stack, target, 2, rpc, lpc);
		break;
	case 3:
		ignored = gputm_simt_stack_exit(stack, mask);
		break;
	case 4:
		ignored = gputm_simt_stack_tx_begin(stack, pc);
		break;
	case 5:
		mask = draw_mask(bytes, gputm_simt_stack_tx_running(stack));
		ignored = gputm_simt_stack_tx_abort(stack, mask);
		break;
	case 6:
		ignored = gputm_simt_stack_tx_commit(stack, mask, pc);
		break;
	default:
		ignored = gputm_simt_stack_tx_commit_done(stack);
	}
	(void)ignored;
	kit_valid(unit_of(stack));
}

/* Change a few numbers of the contents, and go on from there if that is accepted. */
static void bent(struct warp *w, struct kit_bytes *bytes)
{
	if (!kit_bend(unit_of(w->stack), bytes))
		return;
	while (kit_more(bytes))
		any_operation(w->stack, bytes);
}

static void operate(struct warp *w, struct kit_bytes *bytes, unsigned what)
{
	w->before = kit_digest(unit_of(w->stack));
	if (!w->live || what == 15)
		launch(w, bytes);
	else if (what < 4)
		proceed(w, bytes);
	else if (what < 6)
		diverge(w, bytes);
	else if (what < 8)
		update(w, bytes);
	else if (what == 8)
		end(w, bytes);
	else if (what < 10)
		begin(w, bytes);
	else if (what < 12)
		stop(w, bytes);
	else if (what < 14)
		commit(w, bytes);
	else
		commit_done(w);
}

KIT_DRIVE(simt_stack, 32, 8000)
{
	struct gputm_simt_stack_config config = with("lanes=%d pc_bits=4", LANES);
	struct warp w = { .live = 0 };

	config.depth = kit_u32(bytes, 24);
	config.likely_convergence = bytes->round & 1;
	ck_assert_int_eq(gputm_simt_stack_new(kit->ctx, &config, &w.stack), 0);
	if (bytes->round & 2)
		kit_observe(unit_of(w.stack));
	while (kit_more(bytes)) {
		uint64_t what = kit_number(bytes, 1);

		if (what >= 0xf8 && bytes->left < 64) {
			bent(&w, bytes);
			break;
		}
		operate(&w, bytes, what % 16);
		w.stack = KIT_TURN(simt_stack, w.stack);
		compare(&w);
	}
	KIT_END(simt_stack, w.stack);
}
