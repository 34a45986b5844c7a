/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions on compacted warps, which the thesis leaves open (8.1). A block has a stack for all
 * its warps (3.3), with the entries R and T of a transaction. Each core has a thread compactor,
 * which makes a warp in a cycle and takes the masks of its blocks one after the other. Warps
 * issue as in other machines.
 *
 *	tx_begin	the warps of the entry wait for each other; the core admits the block, as
 *			one of its limit; T is compacted
 *	branches	within the attempt as outside: threads of all warps that go the same way
 *			run in the same warps
 *	tx_commit	the warps of the attempt wait for each other; the threads go home to their
 *			static warps, in which their logs are, and these commit
 *	then		the threads that failed, of all warps, are compacted for the next attempt
 *			when the last of these warps has its outcome and has waited its back-off;
 *			those that the watchdog aborts before wait for that, too
 *
 * A warp of the core is a place for threads of its block: they change places, lane by lane, when
 * the compactor makes a warp of them, and their registers with them. (Hardware reads registers
 * from where they are at home.) Where a warp goes on is done when its instruction has completed,
 * as warp->then says.
 */
#include <stdlib.h>

#include "gputm/block_priority.h"
#include "gputm/block_stack.h"
#include "gputm/thread_compactor.h"
#include "plain.h"
#include "wiring.h"
#include "../base/arena.h"

SIM_UNIT_KIND(block_stack, SIM_OF_BLOCK);
SIM_UNIT_KIND(thread_compactor, SIM_OF_CORE);
SIM_UNIT_KIND(block_priority, SIM_OF_CORE);

#define ROWS 32u /* most static warps of a block */

/* What comes before the next instruction of a warp; the first two are the port's. */
enum {
	THEN_NOTHING,
	THEN_REPORT = SIM_THEN_REPORT,
	THEN_LAUNCH = SIM_THEN_LAUNCH,
	THEN_GO,
	THEN_BRANCH,
	THEN_BEGIN,
	THEN_ENTER,
	THEN_COMMIT,
};

struct sim_block {
	struct gputm_block_stack *stack;
	/* state */
	uint64_t warps;	     /* of the core */
	uint8_t place[ROWS]; /* of each static warp: warp of the core */
	uint32_t rows;
	uint32_t pc;	   /* of tx_begin */
	uint64_t pc_after; /* tx_commit */
	uint32_t arrived;  /* where warps of the top of stack that are over wait */
	uint8_t last;	   /* warp of the core that issued last */
};

struct sim_compaction {
	struct gputm_thread_compactor *compactor;
	uint64_t free; /* tick at which it takes the next mask */
	struct sim_block *block;
	uint32_t blocks;
	/* In programs with fences: stores on their way, by where their threads are at home. */
	uint32_t (*stores)[SIM_MAX_LANES]; /* [warps of the core] of each thread */
	struct sim_slab sent; /* home[] of the warp that has sent it */
	struct gputm_block_stack_config stack_config; /* the same of all cores, as is the next */
	struct gputm_thread_compactor_config compactor_config;
	/* Without a TM system: which block issues. */
	struct gputm_block_priority *priority;
	struct gputm_block_priority_config priority_config;
};

static struct sim_block *block_of(const struct sim_machine *machine, const struct sim_warp *warp)
{
	return &machine->compaction[warp->core].block[warp->block];
}

static struct sim_warp *place_of(const struct sim_machine *machine, const struct sim_warp *warp,
				 uint32_t row)
{
	return sim_warp_of(&machine->port, warp->core, block_of(machine, warp)->place[row]);
}

static int refused(struct sim_machine *machine, int result)
{
	return sim_fail(&machine->port, -EINVAL,
			result == GPUTM_BLOCK_STACK_FULL ? "the block-wide stack is full" :
							   "the block-wide stack refuses");
}

/* ---- threads and their places ---- */

static void exchange_bit(uint64_t *a, uint64_t *b, uint32_t lane)
{
	uint64_t differs = (*a ^ *b) & UINT64_C(1) << lane;

	*a ^= differs;
	*b ^= differs;
}

#define EXCHANGE(type, a, b)                                                                   \
	do {                                                                                   \
		type kept_ = (a);                                                              \
		(a) = (b);                                                                     \
		(b) = kept_;                                                                   \
	} while (0)

/* The threads in one lane of two warps change places. What was saved at tx_begin stays at home. */
static void exchange(struct sim_machine *machine, struct sim_warp *a, struct sim_warp *b,
		     uint32_t lane)
{
	const struct sim_program *program = machine->port.program;
	uint64_t whole[2] = { a->whole, b->whole };

	for (uint32_t i = 0; i < program->registers; i++)
		EXCHANGE(uint32_t, a->reg[i * SIM_MAX_LANES + lane],
			 b->reg[i * SIM_MAX_LANES + lane]);
	EXCHANGE(struct sim_stray, a->stray_of[lane], b->stray_of[lane]);
	EXCHANGE(uint32_t, a->thread[lane], b->thread[lane]);
	EXCHANGE(uint32_t, a->attempt[lane], b->attempt[lane]);
	EXCHANGE(uint32_t, a->loaded[lane], b->loaded[lane]);
	EXCHANGE(uint8_t, a->home[lane], b->home[lane]);
	sim_warp_of(&machine->port, a->core, a->home[lane])->where[lane] = a->index;
	sim_warp_of(&machine->port, a->core, b->home[lane])->where[lane] = b->index;
	exchange_bit(&a->stray, &b->stray, lane);
	exchange_bit(&a->inside, &b->inside, lane);
	exchange_bit(&whole[0], &whole[1], lane);
	a->whole = (uint32_t)whole[0];
	b->whole = (uint32_t)whole[1];
}

/* The thread that is at home in this lane of a warp comes to another one. */
static void fetch(struct sim_machine *machine, struct sim_warp *to, const struct sim_warp *home,
		  uint32_t lane)
{
	if (home->where[lane] != to->index)
		exchange(machine, to, sim_warp_of(&machine->port, to->core, home->where[lane]),
			 lane);
}

static void go_home(struct sim_machine *machine, const struct sim_warp *any)
{
	const struct sim_block *block = block_of(machine, any);

	for (uint32_t row = 0; row < block->rows; row++)
		for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
			fetch(machine, place_of(machine, any, row), place_of(machine, any, row),
			      lane);
}

/* Lanes of a static warp whose threads the mask of the block has. */
static uint32_t lanes_of(const struct sim_machine *machine, const uint64_t mask[], uint32_t row)
{
	uint32_t lanes = 0;

	for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
		lanes |= (uint32_t)(mask[lane] >> row & 1) << lane;
	return lanes;
}

/* ---- stores, which do not move with their threads ---- */

static uint32_t store(struct sim_machine *machine, const struct sim_warp *warp, uint64_t lanes)
{
	struct sim_compaction *c = &machine->compaction[warp->core];
	uint32_t index = sim_slab_take(&c->sent);

	if (index == SIM_SLAB_NONE) {
		sim_fail(&machine->port, -ENOMEM, "no memory for a store");
		return 0;
	}
	memcpy(sim_slab_at(&c->sent, index), warp->home, sizeof warp->home);
	for (SIM_EACH_LANE(lane, lanes))
		c->stores[warp->home[lane]][lane]++;
	return index + 1;
}

/* Of its threads, wherever they have sent them. */
static bool have_stores(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct sim_compaction *c = &machine->compaction[warp->core];

	for (SIM_EACH_LANE(lane, warp->active))
		if (c->stores[warp->home[lane]][lane])
			return true;
	return false;
}

/* At a fence those of the threads of a compacted warp count, too, and not of its place only;
 * without a TM system those of the threads alone. */
static bool stores_done(const struct sim_machine *machine, struct sim_warp *warp)
{
	bool fence = machine->port.program->code[warp->pc].op == SIM_FENCE;

	if (machine->plain)
		return !have_stores(machine, warp);
	return !warp->stores && !(fence && have_stores(machine, warp));
}

static void stored(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_compaction *c = &machine->compaction[message->core];
	const uint8_t *home = sim_slab_at(&c->sent, message->e - 1);

	for (SIM_EACH_LANE(lane, message->b)) {
		const struct sim_warp *at = sim_warp_of(&machine->port, message->core, home[lane]);

		c->stores[home[lane]][lane]--;
		sim_stores_look(machine,
				sim_warp_of(&machine->port, message->core, at->where[lane]));
	}
	sim_slab_give(&c->sent, message->e - 1);
}

/* ---- compaction ---- */

/* A place for a warp with this thread: at home, or where no warp is. */
static struct sim_warp *find_place(const struct sim_machine *machine, const struct sim_warp *any,
				   uint32_t thread)
{
	struct sim_warp *warp = place_of(machine, any, thread / machine->config.lanes);

	for (uint32_t row = 0; warp->wait != SIM_APART; row++)
		warp = place_of(machine, any, row);
	return warp;
}

static void admit(struct sim_machine *machine, const struct sim_warp *any,
		  const struct gputm_thread_compactor_warp *made, uint64_t tick)
{
	struct gputm_block_stack *stack = block_of(machine, any)->stack;
	int name = gputm_block_stack_admit(stack, made->mask, made->thread);
	struct sim_warp *warp;

	if (name < 0) {
		refused(machine, name);
		return;
	}
	warp = find_place(machine, any, made->thread[__builtin_ctzll(made->mask)]);
	for (SIM_EACH_LANE(lane, made->mask))
		fetch(machine, warp,
		      place_of(machine, any, made->thread[lane] / machine->config.lanes),
		      (uint32_t)lane);
	warp->name = (uint8_t)name;
	warp->pc = (uint32_t)gputm_block_stack_pc(stack);
	warp->active = (uint32_t)made->mask;
	sim_warp_until(&machine->port, warp, tick);
}

/* The block of the warp has a new top of stack. */
static void compact(struct sim_machine *machine, const struct sim_warp *any)
{
	struct sim_compaction *c = &machine->compaction[any->core];
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX], period = machine->port.core_ticks;
	uint64_t tick = sim_later(sim_align(machine->port.now, (uint32_t)period), c->free);
	struct gputm_thread_compactor_warp made;

	gputm_block_stack_mask(block_of(machine, any)->stack, mask);
	if (gputm_thread_compactor_push(c->compactor, 0, mask)) {
		sim_fail(&machine->port, -EINVAL, "the thread compactor refuses a mask");
		return;
	}
	while (gputm_thread_compactor_warps(c->compactor) && !machine->port.failed) {
		gputm_thread_compactor_tick(c->compactor);
		tick += period;
		if (!gputm_thread_compactor_peek(c->compactor, &made))
			continue;
		admit(machine, any, &made, tick);
		gputm_thread_compactor_pop(c->compactor);
	}
	c->free = tick;
}

/* The warp is over, and its threads wait. */
static void end_warp(struct sim_machine *machine, struct sim_warp *warp)
{
	if (warp->due)
		sim_take_loaded(warp);
	warp->active = 0;
	sim_warp_wait(&machine->port, warp, SIM_APART);
}

/* All warps of the block are ready for the first time; this one is the first of them. */
static void launch(struct sim_machine *machine, struct sim_warp *first)
{
	struct sim_core *core = &machine->core[first->core];
	const struct sim_compaction *c = &machine->compaction[first->core];
	struct sim_block *block = block_of(machine, first);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX] = { 0 };

	block->warps = 0;
	block->rows = 0;
	for (uint32_t i = first->index; i < machine->config.warps; i++) {
		struct sim_warp *warp = &core->warp[i];

		if (warp->wait == SIM_FREE || warp->block != first->block)
			continue;
		for (uint32_t lane = 0; lane < machine->config.lanes; lane++) {
			warp->home[lane] = warp->where[lane] = warp->index;
			mask[lane] |= (uint64_t)(warp->whole >> lane & 1) << block->rows;
		}
		warp->then = THEN_NOTHING;
		block->last = warp->index;
		warp->row = (uint8_t)block->rows;
		block->place[block->rows++] = warp->index;
		block->warps |= UINT64_C(1) << i;
		end_warp(machine, warp);
	}
	if (gputm_block_stack_launch(block->stack, 0, mask) ||
	    (c->priority && gputm_block_priority_admit(c->priority, first->block)))
		refused(machine, 0);
	else
		compact(machine, first);
}

/* ---- transactions ---- */

/* The block begins its transaction as soon as its core admits the block. */
static void enter(struct sim_machine *machine, struct sim_warp *any)
{
	const struct sim_block *block = block_of(machine, any);
	struct sim_warp *first = place_of(machine, any, 0);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX], now = machine->port.now;
	uint64_t asked = first->asked ? first->asked : now + 1;

	if (!sim_warp_admitted(machine, first)) {
		for (uint32_t row = 1; row < block->rows; row++)
			sim_spends(&machine->port, place_of(machine, any, row), SIM_SPENT_TC);
		first->then = THEN_ENTER;
		return;
	}
	go_home(machine, any);
	gputm_block_stack_mask(block->stack, mask);
	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = place_of(machine, any, row);

		warp->in_tx = true;
		warp->admitted = now;
		warp->passed = warp->failed = warp->abandoned = 0;
		warp->started = now;
		warp->active = lanes_of(machine, mask, row);
		if (warp->active)
			sim_tx_begin(&machine->port, warp, block->pc);
		else
			sim_spends(&machine->port, warp, SIM_SPENT_NL);
		if (row)
			machine->port.result.tx_wait_cycles +=
				(now + 1 - asked) / machine->port.core_ticks;
		end_warp(machine, warp);
	}
	compact(machine, any);
}

/* The threads of the attempt are at home: their warps commit. */
static void commit(struct sim_machine *machine, struct sim_warp *any)
{
	const struct sim_block *block = block_of(machine, any);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX];

	go_home(machine, any);
	gputm_block_stack_mask(block->stack, mask);
	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = place_of(machine, any, row);

		warp->active = lanes_of(machine, mask, row);
		if (!warp->active)
			continue;
		warp->pc_after = block->pc_after;
		warp->then = THEN_COMMIT;
		warp->wait = SIM_SYSTEM;
		sim_committing(&machine->port, warp);
		sim_stage(&machine->port, warp, SIM_STAGE_COMMIT);
		machine->port.ops->commit(&machine->port, warp);
	}
}

/* All threads of the attempt have committed or aborted, and are at home. */
static void end_attempt(struct sim_machine *machine, struct sim_warp *any)
{
	const struct sim_block *block = block_of(machine, any);
	struct sim_port *port = &machine->port;
	bool again = gputm_block_stack_tx_retry(block->stack) != GPUTM_BLOCK_STACK_NO_ENTRY;
	uint64_t now = port->now;

	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = place_of(machine, any, row);

		if (warp->abandoned)
			sim_tx_abort(port, warp, warp->abandoned, SIM_ABORT_WATCHDOG);
		warp->abandoned = 0;
		if (warp->passed | warp->failed)
			sim_outcome(port, warp);
		warp->started = now;
		if (warp->ledger.began)
			sim_ledger_over(port, warp, again, now);
		if (warp->passed | warp->failed)
			sim_see(port, warp->number, SIM_SEEN_OVER, warp->failed != 0, now);
		warp->active = warp->failed;
		warp->passed = warp->failed = 0;
		warp->in_tx = again;
		if (warp->active)
			sim_tx_again(port, warp, now);
		else
			warp->inside = 0;
		warp->active = 0;
		if (!again && row)
			port->result.tx_exec_cycles += (now - warp->admitted) / port->core_ticks;
	}
	if (!again)
		sim_warp_left(port, place_of(machine, any, 0), now);
	compact(machine, any);
}

static void report(struct sim_machine *machine, struct sim_warp *warp)
{
	int result = gputm_block_stack_tx_report(block_of(machine, warp)->stack, warp->row,
						 warp->passed, warp->failed);

	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMPACT)
		end_attempt(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

static void begin_commit(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	struct sim_block *block = block_of(machine, warp);
	int result;

	block->pc_after = sim_pc_after(&machine->port, pc);
	result = gputm_block_stack_tx_commit(block->stack, warp->name, block->pc_after);
	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMMIT)
		commit(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

/* ---- where warps go on ---- */

static void go(struct sim_machine *machine, struct sim_warp *warp, uint64_t next)
{
	(void)machine;
	warp->then = THEN_GO;
	warp->next = (uint32_t)next;
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t taken)
{
	const struct sim_instr *instr = &machine->port.program->code[pc];

	warp->then = THEN_BRANCH;
	warp->next = pc;
	warp->taken = (uint32_t)taken;
	if (machine->plain && instr->uniform && (!taken || taken == warp->active))
		go(machine, warp, taken ? instr->target : sim_pc_after(&machine->port, pc));
}

static void begin(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	(void)machine;
	warp->then = THEN_BEGIN;
	warp->next = pc;
}

static int divide(struct sim_machine *machine, struct sim_warp *warp)
{
	const struct sim_instr *instr = &machine->port.program->code[warp->next];
	struct gputm_block_stack_target target = {
		.taken_pc = instr->target,
		.other_pc = sim_pc_after(&machine->port, warp->next),
		.rpc = instr->meet,
		.lpc = instr->likely ? instr->likely : GPUTM_BLOCK_STACK_NO_PC,
	};

	return gputm_block_stack_branch(block_of(machine, warp)->stack, warp->name, warp->taken,
					&target);
}

/* A warp has left its entry. */
static void leave(struct sim_machine *machine, struct sim_warp *warp, int result, bool begins)
{
	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMPACT && begins)
		enter(machine, warp);
	else if (result == GPUTM_BLOCK_STACK_COMPACT)
		compact(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

/* Has a thread of the attempt neither come to its commit nor been abandoned? */
static bool attempt_goes_on(const struct sim_machine *machine, const struct sim_warp *any)
{
	bool any_open = false;

	for (uint32_t row = 0; row < block_of(machine, any)->rows; row++) {
		const struct sim_warp *warp = place_of(machine, any, row);

		any_open |= (warp->ledger.open & ~warp->abandoned) != 0;
	}
	return any_open;
}

void sim_compaction_abandon(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_machine *machine = sim_machine_of(port);
	int result = gputm_block_stack_tx_abort(block_of(machine, warp)->stack, warp->name, lanes);

	for (SIM_EACH_LANE(lane, lanes))
		sim_warp_of(port, warp->core, warp->home[lane])->abandoned |= 1u << lane;
	warp->active &= (uint32_t)~lanes;
	warp->due &= (uint32_t)~lanes;
	warp->stray &= ~lanes;
	if (result == GPUTM_BLOCK_STACK_CONTINUE)
		return;
	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMMIT) {
		commit(machine, warp);
	} else if (result == GPUTM_BLOCK_STACK_COMPACT && attempt_goes_on(machine, warp)) {
		compact(machine, warp);
	} else if (result == GPUTM_BLOCK_STACK_COMPACT) {
		go_home(machine, warp);
		end_attempt(machine, warp);
	} else if (result != GPUTM_BLOCK_STACK_WAIT) {
		refused(machine, result);
	}
}

static bool do_next(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_block *block = block_of(machine, warp);
	uint8_t then = warp->then;
	int result;

	warp->then = THEN_NOTHING;
	switch (then) {
	case THEN_LAUNCH:
		launch(machine, warp);
		return false;
	case THEN_GO:
		result = gputm_block_stack_arrive(block->stack, warp->name, warp->next);
		warp->pc = warp->next;
		if (result == GPUTM_BLOCK_STACK_CONTINUE)
			return true;
		block->arrived = warp->next;
		leave(machine, warp, result, false);
		return false;
	case THEN_BRANCH:
		block->arrived = machine->port.program->code[warp->next].meet;
		leave(machine, warp, divide(machine, warp), false);
		return false;
	case THEN_BEGIN:
		block->pc = warp->next;
		result = gputm_block_stack_tx_begin(block->stack, warp->name,
						    sim_pc_after(&machine->port, warp->next));
		leave(machine, warp, result, true);
		return false;
	case THEN_ENTER:
		enter(machine, warp);
		return false;
	case THEN_COMMIT:
		warp->then = THEN_COMMIT;
		sim_warp_wait(&machine->port, warp, SIM_SYSTEM);
		machine->port.ops->commit(&machine->port, warp);
		return false;
	case THEN_REPORT:
		report(machine, warp);
		return false;
	default:
		return true;
	}
}

static bool resume(struct sim_machine *machine, struct sim_warp *warp)
{
	bool moves = warp->then == THEN_GO || warp->then == THEN_BRANCH, on;

	moves &= machine->plain && machine->plain->check;
	if (moves)
		sim_plain_done(machine, warp);
	on = do_next(machine, warp);
	if (moves)
		sim_plain_moved(machine, warp);
	return on;
}

static void release(struct sim_machine *machine, const struct sim_warp *any)
{
	uint64_t tick = machine->port.now +
			(uint64_t)machine->config.plain_latency * machine->port.core_ticks;

	for (uint32_t row = 0; row < block_of(machine, any)->rows; row++) {
		struct sim_warp *warp = place_of(machine, any, row);

		if (warp->wait != SIM_AT_BARRIER)
			continue;
		sim_spends(&machine->port, warp, SIM_SPENT_NL);
		sim_warp_until(&machine->port, warp, tick);
	}
}

static void barrier(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	int result = gputm_block_stack_barrier(block_of(machine, warp)->stack, warp->name);

	go(machine, warp, sim_pc_after(&machine->port, pc));
	warp->wait = SIM_AT_BARRIER;
	sim_spends(&machine->port, warp, SIM_SPENT_BA);
	if (result == GPUTM_BLOCK_STACK_RELEASE)
		release(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

static void end_threads(struct sim_machine *machine, const struct sim_warp *warp, uint64_t lanes)
{
	uint32_t home;

	for (uint64_t left = lanes, some; left; left &= ~some) {
		struct sim_warp *at;

		some = sim_home_lanes(warp, left, &home);
		at = &machine->port.warp[home];
		sim_living(&machine->port, at, at->ledger.live & ~some);
	}
}

static void leave_priority(struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct sim_compaction *c = &machine->compaction[warp->core];

	if (c->priority && gputm_block_priority_leave(c->priority, warp->block))
		refused(machine, 0);
}

static bool end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes,
		uint64_t *ended)
{
	struct sim_block *block = block_of(machine, warp);
	int result = GPUTM_BLOCK_STACK_CONTINUE;

	if (lanes) {
		end_threads(machine, warp, lanes);
		machine->core[warp->core].alive[warp->block] -=
			(uint32_t)__builtin_popcountll(lanes);
		result = gputm_block_stack_exit(block->stack, warp->name, lanes);
	}
	if (result == GPUTM_BLOCK_STACK_CONTINUE) {
		warp->active &= (uint32_t)~lanes;
		go(machine, warp, sim_pc_after(&machine->port, pc));
		return true;
	}
	if (result == GPUTM_BLOCK_STACK_FINISH) {
		end_warp(machine, warp);
		leave_priority(machine, warp);
		*ended = block->warps;
		return false;
	}
	if (result == GPUTM_BLOCK_STACK_RELEASE) {
		release(machine, warp);
		result = GPUTM_BLOCK_STACK_WAIT;
	}
	leave(machine, warp, result, false);
	return false;
}

/* ---- which block goes first, without a TM system (thesis 3.6.2) ---- */

static uint32_t pick(struct sim_machine *machine, uint32_t index, uint32_t slot)
{
	const struct sim_compaction *c = &machine->compaction[index];
	uint64_t ready = machine->core[index].ready & machine->slot_warps << slot, blocks = 0;
	uint32_t s;

	for (uint32_t i = 0; i < c->blocks; i++)
		blocks |= (uint64_t)((ready & c->block[i].warps) != 0) << i;
	if (!blocks || gputm_block_priority_pick(c->priority, blocks, &s) !=
			       GPUTM_BLOCK_PRIORITY_ISSUE)
		return SIM_NO_WARP;
	c->block[s].last = (uint8_t)sim_next_after(ready & c->block[s].warps, c->block[s].last);
	return c->block[s].last;
}

static void skip(struct sim_machine *machine, uint32_t core, uint64_t issues)
{
	gputm_block_priority_advance(machine->compaction[core].priority, issues);
}

/* ---- places of threads, for --check ---- */

struct look {
	uint64_t seen[SIM_MAX_LANES]; /* rows */
	uint32_t first, lanes; /* the first thread of the block */
	sim_place *place;
	void *state;
};

/* Threads of a block mask that have no place yet are at pc. */
static void place_mask(struct look *look, const uint64_t mask[], uint32_t pc)
{
	for (uint32_t lane = 0; lane < look->lanes; lane++) {
		for (SIM_EACH_LANE(row, mask[lane] & ~look->seen[lane]))
			look->place(look->state, look->first + (uint32_t)row * look->lanes + lane,
				    pc);
		look->seen[lane] |= mask[lane];
	}
}

static void place_warp(struct look *look, const struct sim_warp *warp)
{
	for (SIM_EACH_LANE(lane, warp->then == THEN_LAUNCH ? warp->whole : warp->active)) {
		uint32_t thread = warp->thread[lane];

		look->place(look->state, thread, warp->then == THEN_LAUNCH ? 0 :
						 warp->begun ? warp->doing_pc :
							       warp->pc + warp->plain);
		look->seen[lane] |= UINT64_C(1) << (thread - look->first) / look->lanes;
	}
}

/* From the top down: targets that are being filled, warps, threads whose warp is over, and what
 * waits in the entries below. */
static void places_of_block(struct sim_machine *machine, uint32_t index, uint32_t s,
			    struct look *look)
{
	const struct sim_core *core = &machine->core[index];
	const struct sim_block *block = &machine->compaction[index].block[s];
	struct gputm_block_stack_entry entry;
	size_t top = gputm_block_stack_top(block->stack);
	bool launched = true;

	look->first = core->block[s] * machine->launch.block_size;
	memset(look->seen, 0, sizeof look->seen);
	for (size_t i = gputm_block_stack_depth(block->stack);
	     i-- > top + 1 && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, (uint32_t)entry.pc);
	for (uint32_t i = 0; i < machine->config.warps; i++) {
		const struct sim_warp *warp = &core->warp[i];

		if (warp->wait == SIM_FREE || warp->block != s)
			continue;
		launched &= warp->then != THEN_LAUNCH;
		if (warp->wait != SIM_APART)
			place_warp(look, warp);
	}
	for (size_t i = launched ? top + 1 : 0;
	     i-- && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, i == top ? block->arrived : (uint32_t)entry.pc);
}

static void places(struct sim_machine *machine, uint32_t core, sim_place *place, void *state)
{
	struct look look = { .lanes = machine->config.lanes, .place = place, .state = state };

	for (uint32_t s = 0; s < machine->config.blocks; s++)
		if (machine->core[core].blocks.live[s])
			places_of_block(machine, core, s, &look);
}

/* ---- life and state ---- */

/* The places of a block that has begun are different warps, all of this block. */
static void block_check(const struct sim_machine *machine, uint32_t core, uint32_t number,
			struct sim_io *io)
{
	const struct sim_block *block = &machine->compaction[core].block[number];
	uint64_t places = 0;

	sim_io_below(io, "block", block->rows, machine->compaction->stack_config.warps + 1);
	for (uint32_t row = 0; sim_io_ok(io) && row < block->rows; row++) {
		sim_io_below(io, "block", block->place[row], machine->config.warps);
		places |= UINT64_C(1) << block->place[row] % 64;
	}
	sim_io_must(io, "block", places == block->warps &&
					 (uint32_t)__builtin_popcountll(places) == block->rows);
	sim_io_below(io, "block", block->pc, machine->port.program->length);
	sim_io_below(io, "block", block->last, machine->config.warps);
}

/* Each thread is in one place, and that knows where it is at home. */
static void thread_check(const struct sim_machine *machine, const struct sim_warp *warp,
			 struct sim_io *io)
{
	const struct sim_compaction *c = &machine->compaction[warp->core];
	const struct sim_warp *warps = machine->core[warp->core].warp;

	sim_io_below(io, "warp", warp->block, c->blocks);
	sim_io_below(io, "warp", warp->then, THEN_COMMIT + 1);
	if (!io->loading || !sim_io_ok(io) || warp->wait == SIM_FREE ||
	    !(c->block[warp->block].warps >> warp->index & 1))
		return;
	sim_io_must(io, "warp", warp->row < c->block[warp->block].rows &&
					c->block[warp->block].place[warp->row] == warp->index);
	for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
		sim_io_must(io, "warp", warps[warp->where[lane]].home[lane] == warp->index &&
						c->block[warp->block].warps >>
								warp->where[lane] & 1);
}

static void check(struct sim_machine *machine, const struct sim_message *message,
		  struct sim_io *io)
{
	const struct sim_slab *sent = &machine->compaction[message->core].sent;
	const uint8_t *home;

	sim_slab_claim(sent, io, message->e - 1);
	sim_lanes_must(&machine->port, io, "message", message->b);
	if (!sim_io_ok(io))
		return;
	home = sim_slab_at(sent, message->e - 1);
	for (SIM_EACH_LANE(lane, message->b))
		sim_io_below(io, "message", home[lane], machine->config.warps);
}

/* A run without a TM system says itself what the units are. */
static void derive_plain(struct sim_machine *machine, struct sim_compaction *c)
{
	const struct gputm_block_stack_config *stack = sim_role_config(machine, "block_stack");
	const struct gputm_thread_compactor_config *compactor =
		sim_role_config(machine, "thread_compactor");
	const struct gputm_block_priority_config *priority =
		sim_role_config(machine, "block_priority");

	c->stack_config = *stack;
	c->compactor_config = *compactor;
	c->priority_config = *priority;
	c->stack_config.compact &= compactor->compact;
	c->compactor_config.compact = c->stack_config.compact;
}

static void io_cores(struct sim_machine *machine, struct sim_io *io)
{
	for (uint32_t i = 0; machine->compaction && i < machine->config.cores; i++) {
		struct sim_compaction *c = &machine->compaction[i];

		SIM_IO(io, c->free);
		SIM_IO_ARRAY(io, c->stores, machine->config.warps);
		sim_slab_io(&c->sent, io);
		for (uint32_t k = 0; k < c->blocks; k++) {
			SIM_IO_FROM(io, &c->block[k], warps);
			block_check(machine, i, k, io);
		}
		for (uint32_t k = 0; k < machine->config.warps; k++)
			thread_check(machine, &machine->core[i].warp[k], io);
	}
}

static int make_core(struct sim_machine *machine, struct sim_compaction *c, uint32_t rows)
{
	uint32_t fit = machine->config.warps / rows;
	int error = 0;

	c->blocks = fit < machine->config.blocks ? fit : machine->config.blocks;
	c->block = sim_calloc(c->blocks, sizeof *c->block);
	c->stores = sim_calloc(machine->config.warps, sizeof *c->stores);
	c->sent.block = SIM_MAX_LANES;
	if (!c->block || !c->stores)
		return -ENOMEM;
	machine->port.shape.blocks = c->blocks; /* in names */
	for (uint32_t i = 0; !error && i < c->blocks; i++)
		error = sim_unit_add(&machine->port, "block_stack", &kind_block_stack,
				     &machine->compaction->stack_config, &c->block[i].stack);
	return error;
}

static int make(struct sim_machine *machine)
{
	uint32_t lanes = machine->config.lanes, cores = machine->config.cores;
	uint32_t rows = (machine->launch.block_size + lanes - 1) / lanes;
	struct sim_compaction *c = sim_calloc(cores, sizeof *c);
	int error = 0;

	machine->compaction = c;
	if (!c)
		return -ENOMEM;
	if (rows > ROWS)
		return sim_fail(&machine->port, -EINVAL,
				"a block of the workload has more than 32 warps");
	c->stack_config = (struct gputm_block_stack_config)GPUTM_BLOCK_STACK_CONFIG_INIT;
	c->stack_config.likely_convergence = machine->run.options.likely;
	c->compactor_config =
		(struct gputm_thread_compactor_config)GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	if (machine->plain)
		derive_plain(machine, c);
	c->stack_config.lanes = lanes;
	c->stack_config.warps = rows;
	c->compactor_config.lanes = lanes;
	c->compactor_config.warps = rows;
	for (uint32_t i = 0; !error && i < cores; i++)
		error = make_core(machine, &c[i], rows);
	for (uint32_t i = 0; !error && i < cores; i++)
		error = sim_unit_add(&machine->port, "thread_compactor", &kind_thread_compactor,
				     &c->compactor_config, &c[i].compactor);
	c->priority_config.blocks = c->blocks;
	for (uint32_t i = 0; !error && machine->plain && i < cores; i++)
		error = sim_unit_add(&machine->port, "block_priority", &kind_block_priority,
				     &c->priority_config, &c[i].priority);
	return error;
}

static void free_cores(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->compaction && i < machine->config.cores; i++) {
		sim_free(machine->compaction[i].block);
		sim_free(machine->compaction[i].stores);
		sim_free(machine->compaction[i].sent.memory);
	}
	sim_free(machine->compaction);
}

const struct sim_former sim_block_stacks = {
	.make = make, .free = free_cores, .io = io_cores, .resume = resume, .go = go,
	.branch = branch, .exit = end, .barrier = barrier, .pick = pick, .skip = skip,
	.places = places, .begin = begin, .commit = begin_commit, .store = store,
	.stored = stored, .stores_done = stores_done, .check = check,
};
