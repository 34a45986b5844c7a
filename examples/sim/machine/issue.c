/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes one instruction of one warp: evaluates it in the lanes and starts what it asks of the
 * machine. */
#include "wiring.h"

/* Lanes that strayed may be running a transaction that will abort. @return lanes that take part. */
static uint64_t evaluate(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
			 uint64_t active)
{
	const struct sim_program *program = machine->program;
	struct sim_stray strayed[SIM_MAX_LANES];
	struct sim_step step = {
		.reg = warp->reg, .mask = (uint32_t)active, .whole = warp->whole,
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

static void next(struct sim_machine *machine, struct sim_warp *warp, uint64_t pc)
{
	if (!warp->stack)
		sim_compaction_go(warp, pc);
	else if (gputm_simt_stack_proceed(warp->stack, pc) < 0)
		sim_fail(&machine->port, -EINVAL, "the SIMT stack refused to advance");
}

/* The issue takes `cycles`, and the warp's next instruction may issue `latency` cycles
 * later. */
static void issues_for(struct sim_machine *machine, struct sim_warp *warp, uint32_t cycles,
		       uint64_t latency)
{
	uint64_t period = machine->port.core_ticks, now = machine->port.now;
	uint32_t slot = warp->index & (machine->config.issue_slots - 1);

	machine->core[warp->core].issue_free[slot] = now + cycles * period;
	machine->port.result.longer += cycles - machine->issue_cycles;
	sim_warp_until(&machine->port, warp, now + latency * period);
}

/* An instruction of so many issues. */
static void go_on(struct sim_machine *machine, struct sim_warp *warp, uint32_t slots)
{
	issues_for(machine, warp, slots * machine->issue_cycles,
		   (uint64_t)slots * machine->config.plain_latency);
}

static void branch(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		   uint64_t active, uint64_t taken)
{
	const struct sim_instr *instr = &machine->program->code[pc];
	uint64_t after = sim_pc_after(&machine->port, pc);
	struct gputm_simt_stack_target target[2] = { { after, active & ~taken },
						     { instr->target, taken } };
	int result;

	if (!warp->stack) {
		sim_compaction_branch(warp, pc, taken);
		return;
	}
	if (!taken || taken == active) {
		next(machine, warp, taken ? instr->target : after);
		return;
	}
	result = gputm_simt_stack_diverge(warp->stack, target, 2, instr->meet,
					  instr->likely ? instr->likely : GPUTM_SIMT_STACK_NO_PC);
	if (result < 0 || result == GPUTM_SIMT_STACK_FULL)
		sim_fail(&machine->port, -EINVAL, "the SIMT stack refused a branch of the program");
}

/* ---- memory ----------------------------------------------------------------------- */

/* Bytes of the 32 B sectors that hold the words. */
static uint32_t sector_bytes(uint32_t words)
{
	return 32 * ((uint32_t)!!(words & 0xff) + !!(words & 0xff00) + !!(words & 0xff0000) +
		     !!(words >> 24));
}

static uint32_t store_words(struct sim_machine *machine, const struct gputm_wide_access *wide)
{
	uint32_t index = sim_words_take(machine);
	struct sim_words *words = sim_words_at(machine, index);

	words->mask = wide->word_mask;
	for (SIM_EACH_LANE(word, wide->word_mask))
		words->value[word] = wide->value[word];
	return index;
}

static void send_access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
			const struct gputm_wide_access *wide, bool touch)
{
	struct sim_message message = { .a = wide->address, .b = wide->lane_mask };
	uint32_t bytes = 8, sectors = sector_bytes(wide->word_mask);

	message.core = warp->core;
	message.warp = warp->index;
	message.partition = (uint8_t)sim_partition_of(&machine->port, wide->address);
	if (op == SIM_STORE) {
		message.what = SIM_DO_STORE;
		message.kind = SIM_TRAFFIC_STORE;
		message.c = touch ? SIM_NO_WORDS : store_words(machine, wide);
		message.d = sectors;
		if (!warp->stack && machine->fences)
			message.e = sim_compaction_store(machine, warp, wide->lane_mask);
		bytes += sectors;
	} else if (op == SIM_CAS) {
		message.what = SIM_DO_CAS;
		message.kind = SIM_TRAFFIC_ATOMIC;
		bytes += 8 * (uint32_t)__builtin_popcountll(wide->lane_mask);
	} else if (op == SIM_ADD) {
		message.what = SIM_DO_ADD;
		message.kind = SIM_TRAFFIC_ATOMIC;
		message.c = touch ? SIM_NO_WORDS : 0;
		bytes += 4 * (uint32_t)__builtin_popcountll(wide->lane_mask);
	} else {
		message.what = SIM_DO_LOAD;
		message.kind = SIM_TRAFFIC_LOAD;
		message.d = sectors;
	}
	sim_send_up(&machine->port, &message, bytes);
}

uint32_t sim_find_lines(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t mask,
			struct gputm_wide_access *wide)
{
	struct gputm_access_coalescer *coalescer = sim_machine_of(port)->core[warp->core].coalescer;
	int count = gputm_access_coalescer_row(coalescer, mask, warp->address,
					       write ? warp->value : NULL, wide, NULL);

	if (count < 0)
		sim_fail(port, count, "the program used an impossible address");
	return count < 0 ? 0 : (uint32_t)count;
}

/* For loads outside of transactions, lines in the L1 are served at once. @return the number of
 * lines left. */
static uint32_t use_l1(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		       struct gputm_wide_access *wide, uint32_t count)
{
	struct sim_cache *l1 = &machine->core[warp->core].l1;
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool hit;
		struct sim_cache_line *line = sim_cache_find(l1, wide[i].address, &hit);

		if (hit && op == SIM_LOAD) {
			line->used = ++l1->used;
			sim_load_lanes(machine, warp, wide[i].lane_mask);
			continue;
		}
		if (hit)
			line->number = line->used = 0;
		wide[left++] = wide[i];
	}
	return left;
}

void sim_send_accesses(struct sim_port *port, struct sim_warp *warp, enum sim_op op, uint64_t mask,
		       bool touch)
{
	struct gputm_wide_access wide[SIM_MAX_LANES];
	uint32_t count = sim_find_lines(port, warp, op == SIM_STORE, mask, wide);

	if (sim_machine_of(port)->config.l1_bytes && !warp->in_tx)
		count = use_l1(sim_machine_of(port), warp, op, wide, count);
	if (op == SIM_STORE) {
		warp->stores += count;
	} else {
		warp->op = op;
		warp->outstanding = count;
		sim_warp_wait(port, warp, SIM_REPLIES);
	}
	for (uint32_t i = 0; i < count; i++)
		send_access(sim_machine_of(port), warp, op, &wide[i], touch);
}

/* Shared memory is accessed when the instruction issues, lane by lane; the port is busy as long as
 * the banks are. */
static void use_shared(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		       uint64_t mask)
{
	uint32_t *shared = sim_shared_of(machine, warp->core, warp->block), banks;
	uint64_t index[SIM_MAX_LANES];

	for (SIM_EACH_LANE(lane, mask)) {
		uint32_t *word = &shared[index[lane] = warp->address[lane] / 4], old = *word;

		if (op == SIM_STORE || (op == SIM_CAS && old == warp->compare[lane]))
			*word = warp->value[lane];
		else if (op == SIM_ADD)
			*word = old + warp->value[lane];
		if (op != SIM_STORE)
			warp->loaded[lane] = old;
	}
	banks = sim_bank_cycles(index, (uint32_t)mask);
	issues_for(machine, warp, banks > machine->issue_cycles ? banks : machine->issue_cycles,
		   machine->config.plain_latency + banks);
}

static void memory(struct sim_machine *machine, struct sim_warp *warp,
		   const struct sim_instr *instr, uint64_t mask)
{
	enum sim_op op = instr->op;
	struct sim_port *port = &machine->port;
	const struct sim_system_ops *ops = port->ops;

	warp->mask = mask;
	if (!mask) {
		go_on(machine, warp, 1);
	} else if (instr->shared) {
		use_shared(machine, warp, op, mask);
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
		sim_send_accesses(port, warp, op, mask, ops->plain);
		if (op == SIM_LOAD && !warp->outstanding)
			sim_tell_load(port, warp, mask & warp->inside);
		if (op == SIM_STORE || !warp->outstanding)
			go_on(machine, warp, 1);
	}
}

/* ---- the other instructions ---------------------------------------------------------- */

/* Lanes end; the remaining active lanes continue at the next instruction. */
static void end(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc, uint64_t lanes)
{
	int result = GPUTM_SIMT_STACK_CONTINUE;

	if (lanes == (warp->stack ? gputm_simt_stack_live_mask(warp->stack) : warp->active) &&
	    !sim_stores_done(machine, warp))
		return;
	machine->threads_left -= (uint64_t)__builtin_popcountll(lanes);
	if (!warp->stack) {
		if (sim_compaction_end(machine, warp, pc, lanes))
			go_on(machine, warp, 1);
		return;
	}
	if (lanes) {
		sim_living(&machine->port, warp, warp->ledger.live & ~lanes);
		result = gputm_simt_stack_exit(warp->stack, lanes);
	}
	if (result < 0)
		sim_fail(&machine->port, -EINVAL, "a thread could not end");
	else if (result == GPUTM_SIMT_STACK_CONTINUE)
		next(machine, warp, sim_pc_after(&machine->port, pc));
	if (result == GPUTM_SIMT_STACK_FINISH)
		sim_warp_ended(machine, warp);
	else
		go_on(machine, warp, 1);
}

static void wait_at_barrier(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	if (!warp->stack) {
		sim_compaction_barrier(machine, warp, pc);
		return;
	}
	next(machine, warp, sim_pc_after(&machine->port, pc));
	warp->wait = SIM_AT_BARRIER;
	sim_spends(&machine->port, warp, SIM_SPENT_BA);
	sim_barrier_look(machine, warp->core, warp->block);
}

#define APART UINT32_MAX /* in place of a PC: the warp does not go on */

/* Notes of a lock program; they take no time. */
static uint32_t notes(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	const struct sim_observer *observer = machine->options.observer;
	const struct sim_instr *code = machine->program->code;

	for (; code[pc].op >= SIM_ENTER && code[pc].op <= SIM_NOTE;
	     pc = sim_warp_pc(warp)) {
		uint64_t active = sim_active(warp);

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
		if (!warp->stack && !sim_compaction_resume(machine, warp))
			return APART;
	}
	return pc;
}

static void execute(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc)
{
	uint64_t active = sim_active(warp), chosen;
	const struct sim_instr *instr = &machine->program->code[pc];
	struct sim_port *port = &machine->port;

	port->result.executed += (uint64_t)__builtin_popcountll(active);
	switch (instr->op) {
	case SIM_PLAIN:
		evaluate(machine, warp, pc, active);
		next(machine, warp, sim_pc_after(&machine->port, pc));
		go_on(machine, warp, instr->count);
		break;
	case SIM_LOAD:
	case SIM_STORE:
	case SIM_CAS:
	case SIM_ADD:
		chosen = evaluate(machine, warp, pc, active);
		next(machine, warp, sim_pc_after(&machine->port, pc));
		memory(machine, warp, instr, chosen);
		break;
	case SIM_BRANCH:
		branch(machine, warp, pc, active, evaluate(machine, warp, pc, active));
		go_on(machine, warp, 1);
		break;
	case SIM_FENCE:
		if (!sim_stores_done(machine, warp))
			break;
		next(machine, warp, sim_pc_after(&machine->port, pc));
		go_on(machine, warp, 1);
		break;
	case SIM_TX_BEGIN:
		if (!warp->stack) {
			sim_compaction_begin(warp, pc);
			go_on(machine, warp, 1);
			break;
		}
		if (sim_warp_admitted(machine, warp) && sim_tx_begin(&machine->port, warp, pc))
			go_on(machine, warp, 1);
		break;
	case SIM_TX_COMMIT: /* under strong isolation stores come before it */
		if (port->strong && !sim_stores_done(machine, warp))
			break;
		if (!warp->stack) {
			sim_compaction_commit(machine, warp, pc);
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
	case SIM_ENTER:
	case SIM_LEAVE:
	case SIM_NOTE:
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
