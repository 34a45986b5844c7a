/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The former of dynamic warps (thesis 2.4, 3.2), without a TM system. After every instruction the
 * threads of a warp go back to the pool of the warp former, which regroups them and chooses what
 * issues by its majority policy. Threads of different blocks may share a warp.
 *
 * A warp of the core is the home of its threads: it has their registers. A warp that is formed
 * lives from its issue until its instruction has completed, in the slot that the unit gives it, and
 * hangs in a wheel of cycles. While no slot of the core is free nothing goes back to the pool: what
 * has completed by then does so in the order of time. Memory changes when an instruction issues; a
 * message names the warp, or the threads, that wait for its reply.
 */
#include <string.h>

#include "pool.h"

static void refused(struct sim_machine *machine, uint32_t pc)
{
	sim_fail_at(&machine->port, pc, -EINVAL, "the warp former refuses");
}

static uint64_t cycle_of(const struct sim_machine *machine, uint64_t tick)
{
	return (tick + machine->port.core_ticks - 1) / machine->port.core_ticks;
}

/* ---- the wheel ---- */

static void hang(struct sim_pool *p, struct sim_formed *f)
{
	uint64_t at = f->due;
	uint32_t slot;

	if (at - p->served >= SIM_WHEEL_TICKS) /* looked at again then */
		at = p->served + SIM_WHEEL_TICKS - 1;
	slot = (uint32_t)at % SIM_WHEEL_TICKS;
	f->after = p->first[slot];
	p->first[slot] = sim_formed_place(p, &f->warp) + 1;
	p->occupied[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void until(struct sim_machine *machine, struct sim_warp *warp, uint64_t tick)
{
	warp->wait = SIM_UNTIL;
	sim_formed_of(warp)->due = cycle_of(machine, tick);
	hang(sim_pool_of(machine, warp->core), sim_formed_of(warp));
}

/* The next cycle in which a warp completes; SIM_NEVER: none does. */
static uint64_t due(const struct sim_pool *p)
{
	uint32_t gap = sim_wheel_gap(p->occupied, (uint32_t)(p->served + 1) % SIM_WHEEL_TICKS);

	return gap == SIM_WHEEL_TICKS ? SIM_NEVER : p->served + 1 + gap;
}

/* ---- where threads go on ---- */

static void go(struct sim_machine *machine, struct sim_warp *warp, uint64_t next)
{
	(void)machine;
	sim_formed_of(warp)->then = THEN_GO;
	sim_formed_of(warp)->next = (uint32_t)next;
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t taken)
{
	struct sim_formed *f = sim_formed_of(warp);

	(void)machine;
	f->then = THEN_BRANCH;
	f->next = pc;
	f->taken = (uint32_t)taken;
}

static void barrier(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	sim_formed_of(warp)->then = THEN_BARRIER;
	sim_formed_of(warp)->next = (uint32_t)sim_pc_after(&machine->port, pc);
	until(machine, warp, machine->port.now + sim_pipeline(machine));
}

static int divide(struct sim_machine *machine, struct sim_warp *warp)
{
	const struct sim_formed *f = sim_formed_of(warp);
	const struct sim_instr *instr = &machine->port.program->code[f->next];
	struct sim_pool *p = sim_pool_of(machine, warp->core);
	struct gputm_warp_former_target target = {
		.taken_pc = instr->target,
		.other_pc = sim_pc_after(&machine->port, f->next),
		.rpc = instr->meet,
	};

	return gputm_warp_former_branch(p->former, sim_formed_place(p, warp), f->taken, &target);
}

static int wait_at_barrier(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_pool *p = sim_pool_of(machine, warp->core);
	uint32_t next = sim_formed_of(warp)->next;

	for (SIM_EACH_LANE(lane, warp->active))
		p->barrier_pc[machine->core[warp->core].warp[warp->home[lane]].block] = next;
	return gputm_warp_former_barrier(p->former, sim_formed_place(p, warp), next);
}

/* The instruction has completed: its threads go back to the pool, and this warp is over. */
static bool resume(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_pool *p = sim_pool_of(machine, warp->core);
	const struct sim_formed *f = sim_formed_of(warp);
	int result;

	if (machine->plain->check)
		sim_plain_done(machine, warp);
	if (f->then == THEN_BRANCH)
		result = divide(machine, warp);
	else if (f->then == THEN_BARRIER)
		result = wait_at_barrier(machine, warp);
	else
		result = gputm_warp_former_proceed(p->former, sim_formed_place(p, warp), f->next);
	warp->wait = SIM_FREE;
	if (result < 0)
		refused(machine, warp->pc);
	if (machine->plain->check)
		sim_plain_moved(machine, warp);
	return false;
}

/* The last thread of a block has ended. */
static void end_block(struct sim_machine *machine, uint32_t index, uint32_t block)
{
	struct sim_core *core = &machine->core[index];
	uint64_t warps = 0;

	for (uint32_t i = 0; i < machine->config.warps; i++)
		warps |= (uint64_t)(core->warp[i].wait != SIM_FREE && core->warp[i].block == block)
			 << i;
	(void)sim_block_left(machine, &core->warp[__builtin_ctzll(warps)], warps);
}

static bool leave(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes,
		  uint64_t *ended)
{
	struct sim_core *core = &machine->core[warp->core];
	struct sim_pool *p = sim_pool_of(machine, warp->core);

	(void)ended;
	warp->wait = SIM_FREE;
	if (lanes && gputm_warp_former_exit(p->former, sim_formed_place(p, warp), lanes) < 0)
		refused(machine, pc);
	for (SIM_EACH_LANE(lane, lanes)) {
		uint32_t block = core->warp[warp->home[lane]].block;

		if (!--core->alive[block])
			end_block(machine, warp->core, block);
	}
	warp->active &= (uint32_t)~lanes;
	if (warp->active && gputm_warp_former_proceed(p->former, sim_formed_place(p, warp),
						      sim_pc_after(&machine->port, pc)) < 0)
		refused(machine, pc);
	return false;
}

static void complete(struct sim_machine *machine, struct sim_warp *warp)
{
	sim_plain_answered(machine, &machine->core[warp->core], warp);
	sim_take_loaded(warp);
	if (sim_doing_of(machine, warp)->ending)
		sim_plain_ended(machine, warp);
	else
		resume(machine, warp);
}

static void serve_cycle(struct sim_machine *machine, struct sim_pool *p, uint32_t slot)
{
	uint32_t next = p->first[slot];

	p->first[slot] = 0;
	p->occupied[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	while (next && !machine->port.failed) {
		struct sim_formed *f = &p->formed[next - 1];

		next = f->after;
		if (f->due > p->served)
			hang(p, f);
		else
			complete(machine, &f->warp);
	}
}

/* Complete all that is due up to this cycle. */
static void serve(struct sim_machine *machine, struct sim_pool *p, uint64_t cycle)
{
	while (p->served < cycle && !machine->port.failed) {
		uint64_t next = due(p);

		p->served = sim_earlier(next, cycle);
		if (next <= cycle)
			serve_cycle(machine, p, (uint32_t)p->served % SIM_WHEEL_TICKS);
	}
}

/* ---- issue ---- */

static void launch(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_pool *p = sim_pool_of(machine, warp->core);

	if (gputm_warp_former_launch(p->former, warp->index, lanes, 0))
		sim_fail(&machine->port, -EINVAL, "the warp former refuses a block");
}

/* The threads of a warp that is formed: those of a static warp, or each in the lane that it has in
 * its home. */
static void take_threads(const struct sim_machine *machine, const struct sim_core *core,
			 struct sim_formed *f, const struct gputm_warp_former_warp *made)
{
	uint32_t lanes = machine->config.lanes, home = made->home;
	uint32_t words = (uint32_t)sim_register_words(machine);
	bool together = home != GPUTM_WARP_FORMER_NO_WARP;

	if (together) {
		memset(f->warp.home, (int)home, sizeof f->warp.home);
		memcpy(f->warp.thread, core->warp[home].thread, sizeof f->warp.thread);
	}
	for (SIM_EACH_LANE(lane, together ? 0 : f->warp.active)) {
		home = made->thread[lane] / lanes;
		f->warp.home[lane] = (uint8_t)home;
		f->warp.thread[lane] = core->warp[home].thread[lane];
		f->slot[lane] = home * words + (uint32_t)lane;
	}
	f->warp.block = core->warp[home].block;
	sim_formed_find(machine, f, together);
}

static struct sim_formed *pick(struct sim_machine *machine, struct sim_core *core,
			       struct sim_pool *p)
{
	struct gputm_warp_former_warp made;
	struct sim_warp *warp;

	if (gputm_warp_former_issue(p->former, &made) != GPUTM_WARP_FORMER_OK)
		return NULL;
	warp = &p->formed[made.slot].warp;
	warp->pc = (uint32_t)made.pc;
	warp->active = (uint32_t)made.mask;
	warp->whole = UINT32_MAX >> (32 - machine->config.lanes);
	warp->due = 0;
	warp->wait = SIM_READY;
	p->formed[made.slot].next = 0;
	take_threads(machine, core, &p->formed[made.slot], &made);
	return &p->formed[made.slot];
}

static void issue(struct sim_machine *machine, struct sim_core *core, struct sim_warp *warp,
		  uint32_t slot)
{
	const struct sim_program *program = machine->port.program;
	bool note = warp->pc < program->length && program->code[warp->pc].op >= SIM_ENTER &&
		    program->code[warp->pc].op <= SIM_NOTE;

	warp->index = (uint8_t)slot;
	if (!note) {
		core->issue_free[slot] = machine->port.now + machine->issue_ticks;
		machine->port.result.instructions++;
		machine->port.result.longer += machine->issue_cycles - 1;
	}
	sim_issue(machine, warp);
}

static void call(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	struct sim_pool *p = sim_pool_of(machine, index);
	uint64_t now = machine->port.now, next = SIM_NEVER, idle = 0;
	struct sim_formed *f = NULL;

	sim_plain_count(machine, index);
	for (uint32_t i = 0; i < machine->config.issue_slots; i++)
		idle += core->issue_free[i] <= now;
	if (idle) {
		serve(machine, p, now / machine->port.core_ticks);
		if (core->blocks.next < machine->blocks)
			sim_core_fill(machine, index);
	}
	for (uint32_t i = 0; i < machine->config.issue_slots; i++)
		while (core->issue_free[i] <= now && !machine->port.failed &&
		       (f = pick(machine, core, p)))
			issue(machine, core, &f->warp, i);
	idle = 0;
	for (uint32_t i = 0; i < machine->config.issue_slots; i++) {
		idle += core->issue_free[i] <= now;
		if (core->issue_free[i] > now)
			next = sim_earlier(next, core->issue_free[i]);
	}
	if (idle && due(p) != SIM_NEVER)
		next = sim_earlier(next, due(p) * machine->port.core_ticks);
	sim_wheel_wake(&machine->wheel, &core->turn, next);
}

/* ---- memory ---- */

static void send(struct sim_machine *machine, const struct sim_warp *warp, uint8_t what,
		 enum sim_op op, const struct gputm_access_coalescer_access *wide, uint32_t waiters)
{
	struct sim_message message = { .c = SIM_NO_WORDS, .e = waiters, .what = what,
				       .core = warp->core };

	sim_l1_send(&machine->port, &message, op, wide,
		    machine->config.l1_bytes ? machine->config.line_bytes : 0);
}

/* @return whether the line is here. */
static bool load(struct sim_machine *machine, struct sim_warp *warp,
		 const struct gputm_access_coalescer_access *wide)
{
	const struct sim_pool *p = sim_pool_of(machine, warp->core);
	uint32_t waiters;
	enum sim_l1_answer answer =
		sim_l1_load(&machine->core[warp->core].l1, &machine->port, wide->address,
			    sim_formed_place(p, warp), SIM_NOBODY, &waiters);

	warp->outstanding += answer != SIM_L1_HERE;
	if (answer == SIM_L1_MISSED)
		send(machine, warp, SIM_DO_FETCH, SIM_LOAD, wide, waiters);
	return answer == SIM_L1_HERE;
}

static void write(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		  const struct gputm_access_coalescer_access *wide)
{
	struct sim_pool *p = sim_pool_of(machine, warp->core);
	struct sim_l1 *l1 = &machine->core[warp->core].l1;
	uint32_t waiters = SIM_NOBODY;

	sim_l1_remove(l1, wide->address);
	if (op != SIM_STORE) {
		waiters = sim_l1_await(l1, &machine->port, sim_formed_place(p, warp), SIM_NOBODY,
				       SIM_NOBODY);
		warp->outstanding++;
	}
	for (SIM_EACH_LANE(lane, op == SIM_STORE ? wide->lane_mask : 0)) {
		p->stores[warp->home[lane]][lane]++;
		waiters = sim_l1_await(l1, &machine->port, SIM_NOBODY,
				       warp->home[lane] * SIM_MAX_LANES + (uint32_t)lane, waiters);
	}
	send(machine, warp, op == SIM_STORE ? SIM_DO_STORE : SIM_DO_ADD, op, wide, waiters);
}

static void access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		   uint64_t mask)
{
	struct gputm_access_coalescer_access wide[SIM_MAX_LANES];
	uint32_t count = sim_find_lines(&machine->port, warp, op != SIM_LOAD, mask, wide);
	uint32_t ports = machine->config.l1_bytes ? count : 0, latency = 0;

	sim_perform_now(machine, warp, op, mask);
	machine->port.result.accesses += count;
	warp->outstanding = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool here = false;

		if (op == SIM_LOAD)
			here = load(machine, warp, &wide[i]);
		else
			write(machine, warp, op, &wide[i]);
		latency = (ports ? i : 0) + (here ? machine->config.l1_latency : 0);
	}
	if (warp->outstanding) {
		warp->wait = SIM_REPLIES;
		sim_holds_slot(machine, warp, ports);
	} else {
		sim_issues_for(machine, warp, ports, latency + machine->config.plain_latency);
	}
}

static bool stores_done(const struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_pool *p = sim_pool_of(machine, warp->core);
	bool done = true;

	for (SIM_EACH_LANE(lane, warp->active)) {
		if (!p->stores[warp->home[lane]][lane])
			continue;
		p->waiting[warp->home[lane]][lane] = sim_formed_place(p, warp) + 1;
		done = false;
	}
	return done;
}

/* A store of this thread is done. */
static void stored(struct sim_machine *machine, struct sim_pool *p, uint32_t thread)
{
	uint32_t home = thread / SIM_MAX_LANES % SIM_MAX_WARPS, lane = thread % SIM_MAX_LANES;
	uint32_t waiting = p->waiting[home][lane];
	struct sim_warp *warp;

	p->stores[home][lane] -= p->stores[home][lane] != 0;
	if (!waiting || p->stores[home][lane])
		return;
	p->waiting[home][lane] = 0;
	warp = &p->formed[waiting - 1].warp;
	if (warp->wait == SIM_STORES && sim_stores_done(machine, warp))
		until(machine, warp, machine->port.now + sim_plain_rest(machine, warp));
}

static void reply(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_core *core = &machine->core[message->core];
	struct sim_pool *p = sim_pool_of(machine, message->core);
	uint32_t first = message->e;
	struct sim_waiter waiter;

	if (message->what == SIM_DO_FETCH)
		sim_l1_arrives(&core->l1, message->a, first);
	while (sim_l1_next(&core->l1, &first, &waiter)) {
		struct sim_warp *warp;

		if (waiter.thread != SIM_NOBODY)
			stored(machine, p, waiter.thread);
		if (waiter.warp == SIM_NOBODY)
			continue;
		warp = &p->formed[waiter.warp].warp;
		if (warp->wait == SIM_REPLIES && !--warp->outstanding)
			until(machine, warp, machine->port.now);
	}
	sim_wheel_wake(&machine->wheel, &core->turn,
		       cycle_of(machine, machine->port.now) * machine->port.core_ticks);
}

static const struct sim_own_warps own = { call, until, access, reply };

const struct sim_former sim_warp_pool = {
	.make = sim_pool_make, .free = sim_pool_free, .io = sim_pool_io, .check = sim_pool_check,
	.places = sim_pool_places, .launch = launch, .resume = resume, .go = go, .branch = branch,
	.exit = leave, .barrier = barrier, .own = &own, .stores_done = stores_done,
};
