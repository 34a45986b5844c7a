/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any operations on simt_stack, sensible or not. Beside the stack every lane keeps a PC of its own;
 * whatever was done, the topmost entry that has a lane is at that PC. A plain list of rows goes
 * through the same, and ends as the stack does. At last, perhaps, the state is bent in a snapshot.
 * What load() accepts is a state like any other: no operation breaks an invariant.
 */
#include "tests/simt_stack.h"

#define SIMT_STACK_STATS                                                                       \
	advances, divergences, full, max_depth, pushed, reconverged, merged, emptied,          \
		replaced, left, begun, restarts, nested, lanes_launched, lanes_ended,          \
		lanes_started, lanes_committed, lanes_aborted

#define LANES 8
#define PC_MAX 15u

struct warp {
	struct gputm_simt_stack *stack;
	struct gputm_simt_stack_entry row[5 * LANES]; /* bottom first */
	uint32_t rows;
	uint64_t pc[LANES];
	unsigned nesting[LANES];
	uint64_t live, running, retry;
	uint64_t restart_pc, pc_after;
	bool inside;
	uint64_t before; /* digest */
	ORACLE_STATS(SIMT_STACK_STATS) stats;
};

static unsigned count(uint64_t lanes)
{
	return (unsigned)__builtin_popcountll(lanes);
}

static void move(struct warp *w, uint64_t mask, uint64_t pc)
{
	for (EACH_LANE(lane, mask))
		w->pc[lane] = pc;
}

/* A target for each PC of some lanes: that at last_pc, then the others by their highest lanes. */
static size_t group(const struct warp *w, uint64_t mask, uint64_t last_pc,
		    struct gputm_simt_stack_target target[])
{
	size_t targets = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned lane = LANES; lane--;) {
			uint64_t pc = w->pc[lane], same = 0;

			if (!(mask >> lane & 1) || (pc == last_pc) == pass)
				continue;
			for (unsigned other = 0; other < LANES; other++)
				if (mask >> other & 1 && w->pc[other] == pc)
					same |= UINT64_C(1) << other;
			target[targets++] = (struct gputm_simt_stack_target){ pc, same };
			mask &= ~same;
		}
	return targets;
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
static bool done(struct warp *w, int result, int refusal)
{
	ck_assert(refusal ? result == refusal : result >= 0);
	if (refusal)
		unchanged(w);
	w->stats.full += result == GPUTM_SIMT_STACK_FULL;
	return !refusal && result != GPUTM_SIMT_STACK_FULL;
}

/* ---- the list of rows ---- */

static void push(struct warp *w, struct gputm_simt_stack_entry row)
{
	w->row[w->rows++] = row;
	w->stats.pushed++;
	oracle_most(&w->stats.max_depth, w->rows);
}
#define PUSH(W, ...) push(W, (struct gputm_simt_stack_entry)__VA_ARGS__)

/* Pop what cannot run, for one of three reasons. */
static void settle(struct warp *w)
{
	while (w->rows && w->row[w->rows - 1].type == GPUTM_SIMT_STACK_TYPE_NORMAL) {
		const struct gputm_simt_stack_entry *top = &w->row[w->rows - 1];

		if (!top->mask) {
			w->stats.emptied++;
		} else if (top->pc == top->rpc) {
			w->stats.reconverged++;
		} else if (top->pc == top->lpc) {
			w->stats.merged++;
			w->row[top->lpos].mask |= top->mask;
		} else {
			return;
		}
		w->rows--;
	}
}

static void step(struct warp *w, uint64_t pc)
{
	w->stats.advances++;
	w->row[w->rows - 1].pc = pc;
	settle(w);
}

/* Lanes leave all rows from one on. */
static void take_away(struct warp *w, uint32_t row, uint64_t mask)
{
	for (; row < w->rows; row++)
		w->row[row].mask &= ~mask;
	settle(w);
}

/* The number of the row R. */
static uint32_t retry_row(const struct warp *w)
{
	uint32_t row = 0;

	while (w->row[row].type != GPUTM_SIMT_STACK_TYPE_RETRY)
		row++;
	return row;
}

/* The active lanes part. The top row waits at the RPC, unless the one below does so already. */
static void branch(struct warp *w, const struct gputm_simt_stack_target *target, size_t count,
		   uint64_t rpc, uint64_t lpc)
{
	struct gputm_simt_stack_entry *top = &w->row[w->rows - 1];
	bool again = rpc == top->rpc && top->type == N;
	bool likely = lpc != NO_PC && !(again && lpc == top->lpc);
	uint32_t lpos = likely ? w->rows - again : lpc == NO_PC ? NO_ENTRY : top->lpos;

	w->stats.divergences++;
	w->stats.replaced += again && !likely;
	w->rows -= again && !likely;
	if (again && likely) {
		top->pc = lpc; /* its own LPC stays */
		top->mask = 0;
	} else if (!again) {
		top->pc = rpc;
	}
	if (!again && likely)
		PUSH(w, ROW(lpc, rpc, 0));
	for (size_t i = 0; i < count; i++)
		if (target[i].mask && target[i].pc == lpc)
			w->row[lpos].mask |= target[i].mask;
		else if (target[i].mask && target[i].pc != rpc)
			PUSH(w, LIKELY(target[i].pc, rpc, lpc, lpos, target[i].mask));
	settle(w);
}

/* ---- operations ---- */

static void launch(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), mask = draw_mask(bytes, 0xff);
	int refusal = w->live || !mask ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (!done(w, gputm_simt_stack_launch(w->stack, pc, mask), refusal))
		return;
	w->live = mask;
	PUSH(w, ROW(pc, NO_PC, mask));
	w->stats.lanes_launched += count(mask);
	move(w, mask, pc);
}

static void proceed(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes), active = gputm_simt_stack_active_mask(w->stack);
	int refusal = !active ? -EINVAL : pc > PC_MAX ? -ERANGE : 0;

	if (!done(w, gputm_simt_stack_proceed(w->stack, pc), refusal))
		return;
	move(w, active, pc);
	step(w, pc);
}

static void diverge(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), left = active;
	size_t count = kit_u32(bytes, 5);
	struct gputm_simt_stack_target target[5];
	uint64_t rpc = draw_pc(bytes), lpc = draw_pc(bytes);
	const struct gputm_simt_stack_config *config = gputm_unit_config(unit_of(w->stack));
	uint64_t uniform = NO_PC;
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
	for (size_t i = 0; i < count; i++) {
		move(w, target[i].mask, target[i].pc);
		uniform = target[i].mask == active ? target[i].pc : uniform;
	}
	if (uniform != NO_PC)
		step(w, uniform);
	else
		branch(w, target, count, rpc,
		       config->likely_convergence && lpc != rpc ? lpc : NO_PC);
}

/* A next PC for each lane; few of them are apart. */
static void update(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), next_pc[LANES];
	uint64_t ended = kit_number(bytes, 1) < 16 ? kit_number(bytes, 1) : 0;
	uint64_t rpc = draw_pc(bytes), last_pc = draw_pc(bytes), there = draw_pc(bytes);
	uint64_t apart = kit_number(bytes, 1);
	struct gputm_simt_stack_target target[LANES];
	size_t targets;
	int result;

	for (unsigned lane = 0; lane < LANES; lane++)
		next_pc[lane] = apart >> lane & 1 ? draw_pc(bytes) : there;
	result = gputm_simt_stack_update(w->stack, ended, next_pc, rpc, last_pc);
	if (!done(w, result, result < 0 ? result : 0))
		return;
	w->live &= ~(active & ended);
	w->stats.lanes_ended += count(active & ended);
	ck_assert((result == GPUTM_SIMT_STACK_FINISH) == !w->live);
	for (unsigned lane = 0; lane < LANES; lane++)
		move(w, active & UINT64_C(1) << lane, next_pc[lane]);
	if (active & ended)
		take_away(w, 0, active & ended);
	active &= ~ended;
	targets = group(w, active, last_pc, target);
	if (targets == 1)
		step(w, target->pc);
	else if (targets)
		branch(w, target, targets, rpc, NO_PC);
}

static void end(struct warp *w, struct kit_bytes *bytes)
{
	uint64_t active = gputm_simt_stack_active_mask(w->stack), mask = draw_mask(bytes, active);
	int refusal = w->inside || !mask || (mask & ~active) ? -EINVAL : 0;
	int result = gputm_simt_stack_exit(w->stack, mask);

	if (!done(w, result, refusal))
		return;
	w->live &= ~mask;
	take_away(w, 0, mask);
	w->stats.lanes_ended += count(mask);
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
	w->stats.nested += w->inside;
	for (unsigned lane = 0; lane < LANES; lane++)
		w->nesting[lane] += w->inside && active >> lane & 1;
	if (w->inside) {
		step(w, pc); /* as any other instruction */
		return;
	}
	PUSH(w, TYPED(pc, 0, R));
	PUSH(w, TYPED(pc, active, T));
	w->stats.begun++;
	w->stats.lanes_started += count(active);
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
	w->stats.lanes_aborted += count(mask);
	w->row[retry_row(w)].mask |= mask;
	take_away(w, retry_row(w) + 1, mask);
	w->running &= ~mask;
	w->retry |= mask;
	move(w, mask, w->restart_pc);
	for (EACH_LANE(lane, mask))
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
	for (EACH_LANE(lane, mask))
		ck_assert((w->nesting[lane] > 0) == (result == GPUTM_SIMT_STACK_NESTED));
	if (result == GPUTM_SIMT_STACK_NESTED) {
		ck_assert_uint_eq(mask, active);
		step(w, pc);
		for (unsigned lane = 0; lane < LANES; lane++)
			w->nesting[lane] -= (unsigned)(mask >> lane & 1);
		move(w, mask, pc);
		return;
	}
	ck_assert(w->pc_after == GPUTM_SIMT_STACK_NO_PC || w->pc_after == pc);
	w->pc_after = pc;
	w->row[w->rows - 1].mask &= ~mask;
	w->stats.lanes_committed += count(mask);
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
	w->stats.restarts += w->inside;
	w->stats.lanes_started += count(w->running);
	if (w->inside) {
		w->row[w->rows - 2].mask = 0;
		w->row[w->rows - 1] = (struct gputm_simt_stack_entry)TYPED(w->restart_pc,
									   w->running, T);
		return;
	}
	w->stats.left += 2;
	w->rows -= 2;
	w->row[w->rows - 1].pc = w->pc_after;
	settle(w);
}

/* Lanes that have committed are left out: the entry below T does not know their PC yet. */
static void compare(const struct warp *w)
{
	size_t depth = gputm_simt_stack_depth(w->stack);
	struct gputm_simt_stack_entry entry;
	uint64_t left = w->live, normal = GPUTM_SIMT_STACK_TYPE_NORMAL;
	bool above = w->inside;

	kit_valid(unit_of(w->stack));
	ck_assert_uint_eq(depth, w->rows);
	for (size_t i = 0; i < depth; i++)
		row_is(w->stack, i, &w->row[i]);
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
		if (entry.type == GPUTM_SIMT_STACK_TYPE_RETRY) {
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
	bool bends = false;

	config.depth = kit_u32(bytes, 24);
	config.likely_convergence = bytes->round & 1;
	ck_assert_int_eq(gputm_simt_stack_new(kit->ctx, &config, &w.stack), 0);
	if (bytes->round & 2)
		kit_observe(unit_of(w.stack));
	while (kit_more(bytes)) {
		uint64_t what = kit_number(bytes, 1);

		bends = what >= 0xf8 && bytes->left < 64;
		if (bends)
			break;
		operate(&w, bytes, what % 16);
		w.stack = KIT_TURN(simt_stack, w.stack);
		compare(&w);
	}
	KIT_STATS(unit_of(w.stack), &w.stats, SIMT_STACK_STATS);
	if (bends && kit_bend(unit_of(w.stack), bytes))
		while (kit_more(bytes))
			any_operation(w.stack, bytes);
	KIT_END(simt_stack, w.stack);
}
