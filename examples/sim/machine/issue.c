/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes one instruction of one warp: evaluates it in the lanes and starts what it asks of the
 * machine. */
#include "plain.h"
#include "wiring.h"

/* Lanes that strayed may be running a transaction that will abort. @return lanes that take part. */
static uint64_t evaluate(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
			 uint64_t active)
{
	const struct sim_program *program = machine->port.program;
	struct sim_stray strayed[SIM_MAX_LANES];
	struct sim_step step = {
		.reg = warp->reg, .slot = warp->slot, .stride = SIM_MAX_LANES,
		.mask = (uint32_t)active, .whole = warp->whole,
		.address = warp->address, .value = warp->value, .compare = warp->compare,
		.stray_of = strayed,
	};

	sim_take_loaded(warp);
	program->eval(program->data, pc, &step);
	if (sim_loads(program->code[pc].op)) {
		warp->due = step.into == SIM_NO_REGISTER ? 0 : step.chosen;
		warp->into = step.into;
	}
	for (SIM_EACH_LANE(lane, step.stray & ~warp->stray))
		warp->stray_of[lane] = strayed[lane];
	warp->stray |= step.stray;
	if (step.stray && !warp->in_tx)
		sim_fail_stray(&machine->port, warp, step.stray);
	return step.chosen;
}

/* Do threads have their next place now, and a check looks at the places? */
static bool shows(const struct sim_machine *machine)
{
	return machine->plain && machine->plain->check && machine->former->at_once;
}

/*
 * The same for an access. Those lanes that the system pauses wait at it: they have their registers
 * from before, as they will evaluate it again.
 */
static uint64_t evaluate_access(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
				uint64_t active)
{
	const struct sim_program *program = machine->port.program;
	enum sim_op op = program->code[pc].op;
	uint32_t words = program->registers * SIM_MAX_LANES;
	bool may_pause = machine->before && warp->in_tx && !program->code[pc].shared &&
			 (op == SIM_LOAD || op == SIM_STORE);
	uint64_t chosen, paused;

	if (!may_pause)
		return evaluate(machine, warp, pc, active);
	sim_take_loaded(warp);
	memcpy(machine->before, warp->reg, words * sizeof *warp->reg);
	chosen = evaluate(machine, warp, pc, active);
	paused = chosen ? machine->port.ops->pause(&machine->port, warp, op == SIM_STORE, chosen)
			: 0;
	if (!paused || !machine->former->park(machine, warp, pc, paused))
		return chosen;
	warp->due &= (uint32_t)~paused;
	for (uint32_t row = 0; row < words; row += SIM_MAX_LANES)
		for (SIM_EACH_LANE(lane, paused))
			warp->reg[row + lane] = machine->before[row + lane];
	return chosen & ~paused;
}

static uint32_t lanes_of(uint64_t mask)
{
	return mask == UINT32_MAX ? 32 : (uint32_t)__builtin_popcountll(mask);
}

static void next(struct sim_machine *machine, struct sim_warp *warp, uint64_t pc)
{
	bool shown = shows(machine);

	if (shown)
		sim_plain_done(machine, warp);
	machine->former->go(machine, warp, pc);
	if (shown)
		sim_plain_moved(machine, warp);
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		   uint64_t taken)
{
	if (machine->port.program->code[pc].uniform && !machine->former->own)
		sim_check_divided(machine, warp, pc, taken);
	if (machine->plain)
		sim_doing_of(machine, warp)->taken = (uint32_t)taken;
	if (shows(machine))
		sim_plain_done(machine, warp);
	machine->former->branch(machine, warp, pc, taken);
	if (shows(machine))
		sim_plain_moved(machine, warp);
}

/* The same of an issue that takes no longer than others. */
static void go_on(struct sim_machine *machine, struct sim_warp *warp)
{
	sim_warp_until(&machine->port, warp, machine->port.now + sim_pipeline(machine));
}

/* ---- memory ----------------------------------------------------------------------- */

static uint32_t store_words(struct sim_machine *machine,
			    const struct gputm_access_coalescer_access *wide)
{
	uint32_t index = sim_words_take(machine);
	struct sim_words *words = sim_words_at(machine, index);

	words->mask = wide->word_mask;
	for (SIM_EACH_LANE(word, wide->word_mask))
		words->value[word] = wide->value[word];
	return index;
}

/* waiters: the first warp that waits for the line in the L1, if the load brings one. */
static void send_access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
			const struct gputm_access_coalescer_access *wide, bool touch,
			uint32_t waiters)
{
	struct sim_message message = { .core = warp->core, .warp = warp->index };
	uint32_t line_bytes = 0;

	if (op == SIM_STORE) {
		message.what = SIM_DO_STORE;
		message.c = touch ? SIM_NO_WORDS : store_words(machine, wide);
		if (machine->former->store && (machine->fences || machine->plain))
			message.e = machine->former->store(machine, warp, wide->lane_mask);
	} else if (op == SIM_CAS) {
		message.what = SIM_DO_CAS;
	} else if (op == SIM_ADD) {
		message.what = SIM_DO_ADD;
		message.c = touch ? SIM_NO_WORDS : 0;
	} else {
		message.what = SIM_DO_LOAD;
		if (waiters != SIM_NOBODY) {
			message.e = waiters;
			line_bytes = machine->config.line_bytes;
		}
	}
	sim_l1_send(&machine->port, &message, op, wide, line_bytes);
}

/* A plain access of a core with an L1, which is never stale: a line that is here gives the words
 * that memory has now, and a line on its way those that memory has when it arrives. All stores of
 * the core to that line have been performed then, as they remove the line. */
static void use_l1(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		   const struct gputm_access_coalescer_access *wide, bool touch)
{
	struct sim_l1 *l1 = &machine->core[warp->core].l1;
	enum sim_l1_answer answer = SIM_L1_MISSED;
	uint32_t waiters = SIM_NOBODY;

	if (op == SIM_LOAD)
		answer = sim_l1_load(l1, &machine->port, wide->address, warp->index,
				     (uint32_t)wide->lane_mask, &waiters);
	else
		sim_l1_remove(l1, wide->address);
	if (answer == SIM_L1_HERE)
		sim_load_lanes(machine, warp, wide->lane_mask);
	if (answer == SIM_L1_MISSED)
		send_access(machine, warp, op, wide, touch, waiters);
	warp->outstanding -= answer == SIM_L1_HERE;
}

/* @return cycles of the port of the L1; 0: the accesses pass it by. */
static uint32_t send_accesses(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
			      uint64_t mask, bool touch)
{
	struct gputm_access_coalescer_access wide[SIM_MAX_LANES];
	uint32_t count = sim_find_lines(&machine->port, warp, op == SIM_STORE, mask, wide);
	bool plain = machine->config.l1_bytes && !warp->in_tx;

	machine->port.result.accesses += count;
	if (op == SIM_STORE) {
		warp->stores += count;
	} else {
		warp->op = op;
		warp->outstanding = count;
		sim_warp_wait(&machine->port, warp, SIM_REPLIES);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (plain)
			use_l1(machine, warp, op, &wide[i], touch);
		else
			send_access(machine, warp, op, &wide[i], touch, SIM_NOBODY);
	}
	return plain ? count : 0;
}

void sim_send_accesses(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch)
{
	send_accesses(sim_machine_of(port), warp, op, mask, touch);
}

/* The L1 takes a line of an instruction in a cycle. */
static void leave_port(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		       uint32_t lines)
{
	uint32_t latency = machine->config.plain_latency + (lines ? lines - 1 : 0);

	if (op != SIM_STORE && warp->outstanding)
		sim_holds_slot(machine, warp, lines);
	else
		sim_issues_for(machine, warp, lines,
			   latency + (op == SIM_LOAD ? machine->config.l1_latency : 0));
}

/* Shared memory is accessed when the instruction issues, lane by lane; the port is busy as long as
 * the banks are. */
static void use_shared(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		       uint64_t mask)
{
	const struct sim_warp *home = machine->core[warp->core].warp;
	uint64_t index[SIM_MAX_LANES];
	uint32_t *shared, banks;

	for (SIM_EACH_LANE(lane, mask)) { /* threads of several blocks may share a warp */
		uint32_t *word, old;

		shared = sim_shared_of(machine, warp->core, home[warp->home[lane]].block);
		word = &shared[index[lane] = warp->address[lane] / 4];
		old = *word;

		if (op == SIM_STORE || (op == SIM_CAS && old == warp->compare[lane]))
			*word = warp->value[lane];
		else if (op == SIM_ADD)
			*word = old + warp->value[lane];
		if (op != SIM_STORE)
			warp->loaded[lane] = old;
	}
	banks = sim_bank_cycles(index, (uint32_t)mask);
	sim_issues_for(machine, warp, banks, machine->config.plain_latency + banks);
}

static void memory(struct sim_machine *machine, struct sim_warp *warp,
		   const struct sim_instr *instr, uint64_t mask)
{
	enum sim_op op = instr->op;
	struct sim_port *port = &machine->port;
	const struct sim_system_ops *ops = port->ops;
	uint32_t lines;

	warp->mask = mask;
	if (machine->plain && mask && !instr->shared) {
		sim_plain_remember(machine, warp);
		port->result.memory_instructions++;
	}
	if (!mask) {
		go_on(machine, warp);
	} else if (instr->shared) {
		use_shared(machine, warp, op, mask);
	} else if (machine->far) {
		sim_far_access(machine, warp, op, mask);
	} else if (machine->former->own) {
		machine->former->own->access(machine, warp, op, mask);
	} else if (warp->in_tx && op == SIM_LOAD && ops->load) {
		ops->load(port, warp);
	} else if (warp->in_tx && op == SIM_STORE && ops->store) {
		ops->store(port, warp);
	} else {
		if (op == SIM_STORE)
			sim_tell_store(port, warp, mask);
		else if (op != SIM_LOAD && !warp->in_tx && warp->stack)
			sim_locking(port, warp, warp->ledger.locking | mask);
		if (ops->plain)
			ops->plain(port, warp, op);
		lines = send_accesses(machine, warp, op, mask, ops->plain);
		if (op == SIM_LOAD && !warp->outstanding)
			sim_tell_load(port, warp, mask & warp->inside);
		leave_port(machine, warp, op, lines);
	}
}

/* ---- the other instructions ---------------------------------------------------------- */

bool sim_lanes_end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes)
{
	uint64_t ended = 0;
	bool on;

	machine->run.threads_left -= (uint64_t)__builtin_popcountll(lanes);
	if (machine->plain && machine->plain->check)
		sim_plain_done(machine, warp);
	on = machine->former->exit(machine, warp, pc, lanes, &ended);
	if (ended)
		sim_block_ended(machine, warp, ended);
	if (shows(machine) || (machine->plain && machine->plain->check && !on))
		sim_plain_moved(machine, warp);
	return on;
}

/* Lanes end; the remaining active lanes continue at the next instruction. */
static void end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes)
{
	if (machine->plain)
		sim_plain_end(machine, warp, lanes);
	else if (lanes == (warp->stack ? gputm_simt_stack_live_mask(warp->stack) : warp->active) &&
		 !sim_stores_done(machine, warp))
		return;
	else if (sim_lanes_end(machine, warp, pc, lanes))
		go_on(machine, warp);
}

static void wait_at_barrier(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	warp->ready_at = machine->port.now + sim_pipeline(machine);
	if (shows(machine))
		sim_plain_done(machine, warp);
	if (machine->former->barrier) {
		machine->former->barrier(machine, warp, pc);
	} else {
		machine->former->go(machine, warp, sim_pc_after(&machine->port, pc));
		warp->wait = SIM_AT_BARRIER;
		sim_spends(&machine->port, warp, SIM_SPENT_BA);
		sim_barrier_look(machine, warp->core, warp->block);
	}
	if (shows(machine))
		sim_plain_moved(machine, warp);
}

#define APART UINT32_MAX /* in place of a PC: the warp does not go on */

/* Notes of a lock program; they take no time. */
static uint32_t notes(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	const struct sim_observer *observer = machine->port.observer;
	const struct sim_instr *code = machine->port.program->code;

	for (; pc < machine->port.program->length && code[pc].op >= SIM_ENTER &&
	       code[pc].op <= SIM_NOTE; pc = sim_warp_pc(warp)) {
		uint64_t active = sim_active(warp);

		if (machine->plain && sim_plain_is_seen(machine))
			sim_plain_begins(machine, warp, pc, active);
		if (code[pc].op == SIM_NOTE) {
			evaluate(machine, warp, pc, active);
		} else if (code[pc].op == SIM_ENTER) {
			if (!warp->inside)
				sim_see(&machine->port, warp->number, SIM_SEEN_BEGIN, active,
					machine->port.now);
			warp->inside |= active;
			sim_locking(&machine->port, warp, warp->ledger.locking & ~active);
			for (SIM_EACH_LANE(lane, active))
				warp->witness[lane] = machine->port.witness++;
		} else {
			warp->inside &= ~active;
			machine->port.result.committed += (uint64_t)__builtin_popcountll(active);
			sim_see(&machine->port, warp->number, SIM_SEEN_COMMIT, active, 0);
			if (!warp->inside)
				sim_see(&machine->port, warp->number, SIM_SEEN_OVER, 0,
					machine->port.now);
			for (SIM_EACH_LANE(lane, observer ? active : 0))
				observer->commit(observer->state, warp->thread[lane],
						 warp->witness[lane]);
		}
		next(machine, warp, sim_pc_after(&machine->port, pc));
		if (machine->former->resume && !machine->former->resume(machine, warp))
			return APART;
	}
	return pc;
}

static void execute(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	uint64_t active = sim_active(warp), chosen;
	const struct sim_instr *instr = &machine->port.program->code[pc];
	struct sim_port *port = &machine->port;
	uint32_t lanes = lanes_of(active);

	if (pc >= machine->port.program->length || !active) { /* of a state that was loaded */
		sim_fail(port, -EINVAL, "a warp without threads, or at no instruction, issues");
		return;
	}
	port->result.executed += lanes;
	if (machine->plain) {
		port->result.width[(lanes - 1) / 4]++;
		if (sim_plain_is_seen(machine))
			sim_plain_issues(machine, warp, pc, active);
	}
	switch (instr->op) {
	case SIM_PLAIN: /* other warps issue between its slots */
		if (machine->former->own) { /* its threads regroup after each slot */
			if (sim_plain_computes(machine, pc))
				evaluate(machine, warp, pc, active);
			next(machine, warp, sim_plain_next(machine, pc));
			go_on(machine, warp);
			break;
		}
		if (!warp->plain)
			evaluate(machine, warp, pc, active);
		warp->plain = warp->plain + 1 < instr->count ? warp->plain + 1 : 0;
		if (!warp->plain)
			next(machine, warp, sim_pc_after(&machine->port, pc));
		else if (machine->plain && machine->plain->check)
			sim_plain_done(machine, warp);
		go_on(machine, warp);
		break;
	case SIM_LOAD:
	case SIM_STORE:
	case SIM_CAS:
	case SIM_ADD:
		chosen = evaluate_access(machine, warp, pc, active);
		next(machine, warp, sim_pc_after(&machine->port, pc));
		memory(machine, warp, instr, chosen);
		break;
	case SIM_BRANCH:
		branch(machine, warp, pc, evaluate(machine, warp, pc, active));
		go_on(machine, warp);
		break;
	case SIM_FENCE:
		if (!machine->plain && !sim_stores_done(machine, warp))
			break;
		next(machine, warp, sim_pc_after(&machine->port, pc));
		if (machine->plain)
			sim_plain_fence(machine, warp);
		else
			go_on(machine, warp);
		break;
	case SIM_TX_BEGIN:
		warp->plain = 0; /* an abort can come between the slots of an instruction */
		if (!warp->stack) {
			machine->former->begin(machine, warp, pc);
			go_on(machine, warp);
			break;
		}
		if (sim_warp_admitted(machine, warp) && sim_tx_begin(&machine->port, warp, pc))
			go_on(machine, warp);
		break;
	case SIM_TX_COMMIT: /* under strong isolation stores come before it */
		if (port->strong && !sim_stores_done(machine, warp))
			break;
		if (!warp->stack) {
			machine->former->commit(machine, warp, pc);
			break;
		}
		warp->pc_after = sim_pc_after(&machine->port, pc);
		warp->wait = SIM_SYSTEM;
		sim_committing(&machine->port, warp);
		sim_stage(&machine->port, warp, SIM_STAGE_COMMIT);
		machine->port.ops->commit(&machine->port, warp);
		break;
	case SIM_EXIT:
		end(machine, warp, pc, active);
		break;
	case SIM_EXIT_IF:
		end(machine, warp, pc, evaluate(machine, warp, pc, active));
		break;
	case SIM_BARRIER:
		wait_at_barrier(machine, warp, pc);
		break;
	default: /* notes, and what no program has */
		break;
	}
}

void sim_issue(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_port *port = &machine->port;
	uint32_t pc;

	if (warp->in_tx && port->ops->watch && port->ops->watch(port, warp))
		return;
	pc = notes(machine, warp, sim_warp_pc(warp));
	if (pc != APART)
		execute(machine, warp, pc);
}
