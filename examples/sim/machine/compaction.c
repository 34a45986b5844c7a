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
 * as its seat says.
 */
#include "compaction.h"

static int refused(struct sim_machine *machine, int result)
{
	return sim_fail(&machine->port, -EINVAL,
			result == GPUTM_BLOCK_STACK_FULL ? "the block-wide stack is full" :
							   "the block-wide stack refuses");
}

/* ---- compaction ---- */

/* Lanes of a static warp whose threads the mask of the block has. */
static uint32_t lanes_of(const struct sim_machine *machine, const uint64_t mask[], uint32_t row)
{
	uint32_t lanes = 0;

	for (uint32_t lane = 0; lane < machine->config.lanes; lane++)
		lanes |= (uint32_t)(mask[lane] >> row & 1) << lane;
	return lanes;
}

static void admit(struct sim_machine *machine, const struct sim_warp *any,
		  const struct gputm_thread_compactor_warp *made, uint64_t tick)
{
	struct gputm_block_stack *stack = sim_block_of(machine, any)->stack;
	int name = gputm_block_stack_admit(stack, made->mask, made->thread);
	struct sim_warp *warp;

	if (name < 0) {
		refused(machine, name);
		return;
	}
	warp = sim_threads_place(machine, any, made->thread[__builtin_ctzll(made->mask)]);
	for (SIM_EACH_LANE(lane, made->mask))
		sim_threads_fetch(machine, warp,
		      sim_place_of(machine, any, made->thread[lane] / machine->config.lanes),
		      (uint32_t)lane);
	sim_seat_of(machine, warp)->name = (uint8_t)name;
	warp->pc = (uint32_t)gputm_block_stack_pc(stack);
	warp->active = (uint32_t)made->mask;
	sim_warp_until(&machine->port, warp, tick);
}

/* The block of the warp has a new top of stack. */
static void compact(struct sim_machine *machine, const struct sim_warp *any)
{
	struct sim_compaction *c = sim_compaction_of(machine, any->core);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX], period = machine->port.core_ticks;
	uint64_t tick = sim_later(sim_align(machine->port.now, (uint32_t)period), c->free);
	struct gputm_thread_compactor_warp made;

	gputm_block_stack_mask(sim_block_of(machine, any)->stack, mask);
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
	const struct sim_compaction *c = sim_compaction_of(machine, first->core);
	struct sim_block *block = sim_block_of(machine, first);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX] = { 0 };

	block->warps = 0;
	block->rows = 0;
	for (uint32_t i = first->index; i < machine->config.warps; i++) {
		struct sim_warp *warp = &core->warp[i];
		struct sim_seat *seat = &c->seat[i];

		if (warp->wait == SIM_FREE || warp->block != first->block)
			continue;
		for (uint32_t lane = 0; lane < machine->config.lanes; lane++) {
			seat->where[lane] = warp->index;
			mask[lane] |= (uint64_t)(warp->whole >> lane & 1) << block->rows;
		}
		seat->then = THEN_NOTHING;
		block->last = warp->index;
		seat->row = (uint8_t)block->rows;
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
	const struct sim_block *block = sim_block_of(machine, any);
	struct sim_warp *first = sim_place_of(machine, any, 0);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX], now = machine->port.now;
	uint64_t asked = first->asked ? first->asked : now + 1;

	if (!sim_warp_admitted(machine, first)) {
		for (uint32_t row = 1; row < block->rows; row++)
			sim_spends(&machine->port, sim_place_of(machine, any, row), SIM_SPENT_TC);
		sim_seat_of(machine, first)->then = THEN_ENTER;
		return;
	}
	sim_threads_go_home(machine, any);
	gputm_block_stack_mask(block->stack, mask);
	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = sim_place_of(machine, any, row);

		warp->in_tx = true;
		warp->admitted = now;
		warp->passed = warp->failed = 0;
		sim_seat_of(machine, warp)->abandoned = 0;
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
	const struct sim_block *block = sim_block_of(machine, any);
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX];

	sim_threads_go_home(machine, any);
	gputm_block_stack_mask(block->stack, mask);
	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = sim_place_of(machine, any, row);

		warp->active = lanes_of(machine, mask, row);
		if (!warp->active)
			continue;
		warp->pc_after = block->pc_after;
		sim_seat_of(machine, warp)->then = THEN_COMMIT;
		warp->wait = SIM_SYSTEM;
		sim_committing(&machine->port, warp);
		sim_stage(&machine->port, warp, SIM_STAGE_COMMIT);
		machine->port.ops->commit(&machine->port, warp);
	}
}

/* All threads of the attempt have committed or aborted, and are at home. */
static void end_attempt(struct sim_machine *machine, struct sim_warp *any)
{
	const struct sim_block *block = sim_block_of(machine, any);
	struct sim_port *port = &machine->port;
	bool again = gputm_block_stack_tx_retry(block->stack) != GPUTM_BLOCK_STACK_NO_ENTRY;
	uint64_t now = port->now;

	for (uint32_t row = 0; row < block->rows; row++) {
		struct sim_warp *warp = sim_place_of(machine, any, row);

		uint32_t *abandoned = &sim_seat_of(machine, warp)->abandoned;

		if (*abandoned)
			sim_tx_abort(port, warp, *abandoned, SIM_ABORT_WATCHDOG);
		*abandoned = 0;
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
		sim_warp_left(port, sim_place_of(machine, any, 0), now);
	compact(machine, any);
}

static void report(struct sim_machine *machine, struct sim_warp *warp)
{
	int result = gputm_block_stack_tx_report(sim_block_of(machine, warp)->stack,
						 sim_seat_of(machine, warp)->row, warp->passed,
						 warp->failed);

	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMPACT)
		end_attempt(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

static void begin_commit(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	struct sim_block *block = sim_block_of(machine, warp);
	int result;

	block->pc_after = sim_pc_after(&machine->port, pc);
	result = gputm_block_stack_tx_commit(block->stack, sim_seat_of(machine, warp)->name,
					     block->pc_after);
	end_warp(machine, warp);
	if (result == GPUTM_BLOCK_STACK_COMMIT)
		commit(machine, warp);
	else if (result != GPUTM_BLOCK_STACK_WAIT)
		refused(machine, result);
}

/* ---- where warps go on ---- */

static void go(struct sim_machine *machine, struct sim_warp *warp, uint64_t next)
{
	struct sim_seat *seat = sim_seat_of(machine, warp);

	seat->then = THEN_GO;
	seat->next = (uint32_t)next;
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t taken)
{
	const struct sim_instr *instr = &machine->port.program->code[pc];
	struct sim_seat *seat = sim_seat_of(machine, warp);

	seat->then = THEN_BRANCH;
	seat->next = pc;
	seat->taken = (uint32_t)taken;
	if (machine->plain && instr->uniform && (!taken || taken == warp->active))
		go(machine, warp, taken ? instr->target : sim_pc_after(&machine->port, pc));
}

static void begin(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	struct sim_seat *seat = sim_seat_of(machine, warp);

	seat->then = THEN_BEGIN;
	seat->next = pc;
}

static void place(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_seat *seat = sim_seat_of(machine, warp);

	(void)lanes;
	seat->then = THEN_LAUNCH;
	seat->next = 0;
}

static void settled(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick)
{
	sim_seat_of(machine, warp)->then = THEN_REPORT;
	sim_warp_until(&machine->port, warp, tick);
}

static int divide(struct sim_machine *machine, struct sim_warp *warp)
{
	const struct sim_seat *seat = sim_seat_of(machine, warp);
	const struct sim_instr *instr = &machine->port.program->code[seat->next];
	struct gputm_block_stack_target target = {
		.taken_pc = instr->target,
		.other_pc = sim_pc_after(&machine->port, seat->next),
		.rpc = instr->meet,
		.lpc = instr->likely ? instr->likely : GPUTM_BLOCK_STACK_NO_PC,
	};

	return gputm_block_stack_branch(sim_block_of(machine, warp)->stack, seat->name, seat->taken,
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

	for (uint32_t row = 0; row < sim_block_of(machine, any)->rows; row++) {
		const struct sim_warp *warp = sim_place_of(machine, any, row);

		any_open |= (warp->ledger.open & ~sim_seat_of(machine, warp)->abandoned) != 0;
	}
	return any_open;
}

static void abandon(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_seat *seat = sim_compaction_of(machine, warp->core)->seat;
	int result = gputm_block_stack_tx_abort(sim_block_of(machine, warp)->stack,
						seat[warp->index].name, lanes);

	for (SIM_EACH_LANE(lane, lanes))
		seat[warp->home[lane]].abandoned |= 1u << lane;
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
		sim_threads_go_home(machine, warp);
		end_attempt(machine, warp);
	} else if (result != GPUTM_BLOCK_STACK_WAIT) {
		refused(machine, result);
	}
}

static bool do_next(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_block *block = sim_block_of(machine, warp);
	struct sim_seat *seat = sim_seat_of(machine, warp);
	uint8_t then = seat->then;
	int result;

	seat->then = THEN_NOTHING;
	switch (then) {
	case THEN_LAUNCH:
		launch(machine, warp);
		return false;
	case THEN_GO:
		result = gputm_block_stack_arrive(block->stack, seat->name, seat->next);
		warp->pc = seat->next;
		if (result == GPUTM_BLOCK_STACK_CONTINUE)
			return true;
		block->arrived = seat->next;
		leave(machine, warp, result, false);
		return false;
	case THEN_BRANCH:
		block->arrived = machine->port.program->code[seat->next].meet;
		leave(machine, warp, divide(machine, warp), false);
		return false;
	case THEN_BEGIN:
		block->pc = seat->next;
		result = gputm_block_stack_tx_begin(block->stack, seat->name,
						    sim_pc_after(&machine->port, seat->next));
		leave(machine, warp, result, true);
		return false;
	case THEN_ENTER:
		enter(machine, warp);
		return false;
	case THEN_COMMIT:
		seat->then = THEN_COMMIT;
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
	uint8_t then = sim_seat_of(machine, warp)->then;
	bool moves = then == THEN_GO || then == THEN_BRANCH, on;

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
	uint64_t tick = machine->port.now + sim_pipeline(machine);

	for (uint32_t row = 0; row < sim_block_of(machine, any)->rows; row++) {
		struct sim_warp *warp = sim_place_of(machine, any, row);

		if (warp->wait != SIM_AT_BARRIER)
			continue;
		sim_spends(&machine->port, warp, SIM_SPENT_NL);
		sim_warp_until(&machine->port, warp, tick);
	}
}

static void barrier(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	int result = gputm_block_stack_barrier(sim_block_of(machine, warp)->stack,
					       sim_seat_of(machine, warp)->name);

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
	const struct sim_compaction *c = sim_compaction_of(machine, warp->core);

	if (c->priority && gputm_block_priority_leave(c->priority, warp->block))
		refused(machine, 0);
}

static bool end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes,
		uint64_t *ended)
{
	struct sim_block *block = sim_block_of(machine, warp);
	int result = GPUTM_BLOCK_STACK_CONTINUE;

	if (lanes) {
		end_threads(machine, warp, lanes);
		machine->core[warp->core].alive[warp->block] -=
			(uint32_t)__builtin_popcountll(lanes);
		result = gputm_block_stack_exit(block->stack, sim_seat_of(machine, warp)->name,
						lanes);
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
	const struct sim_compaction *c = sim_compaction_of(machine, index);
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
	gputm_block_priority_advance(sim_compaction_of(machine, core)->priority, issues);
}

const struct sim_former sim_block_stacks = {
	.make = sim_compaction_make, .free = sim_compaction_free, .io = sim_compaction_io,
	.check = sim_compaction_check, .places = sim_compaction_places, .launch = place,
	.resume = resume, .go = go, .branch = branch, .exit = end, .barrier = barrier,
	.begin = begin, .commit = begin_commit, .abandon = abandon, .settled = settled,
	.store = sim_threads_store, .stored = sim_threads_stored,
	.stores_done = sim_threads_stores_done, .pick = pick, .skip = skip,
};
