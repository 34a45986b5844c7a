/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends runs of the GPU that make no progress, and says why. */
#include <stdio.h>

#include "plain.h"
#include "wiring.h"

/* The static warp of a thread. */
static uint64_t warp_of(const struct sim_machine *machine, uint32_t thread)
{
	uint32_t size = machine->launch.block_size;

	return (uint64_t)(thread / size) << 32 | thread % size / machine->config.lanes;
}

/* A lane of `others` that is of the same static warp as a thread; -1: there is none. */
static int companion(const struct sim_machine *machine, const struct sim_warp *warp,
		     uint32_t thread, uint64_t others)
{
	for (SIM_EACH_LANE(lane, others))
		if (warp_of(machine, warp->thread[lane]) == warp_of(machine, thread))
			return (int)lane;
	return -1;
}

static uint32_t name_of(const struct sim_machine *machine, const struct sim_warp *warp,
			uint64_t lane)
{
	return sim_name_of(&machine->port, warp->thread[lane]);
}

void sim_check_divided(struct sim_machine *machine, const struct sim_warp *warp, uint32_t pc,
		       uint64_t taken)
{
	uint64_t others = sim_active(warp) & ~taken;
	char reason[120];

	for (SIM_EACH_LANE(lane, others ? taken : 0)) {
		int other = companion(machine, warp, warp->thread[lane], others);

		if (other < 0)
			continue;
		snprintf(reason, sizeof reason, SIM_DIVIDED, name_of(machine, warp, lane),
			 name_of(machine, warp, (uint64_t)other));
		sim_fail_at(&machine->port, pc, -EINVAL, reason);
	}
}

/* "; thread N of its warp waits for it in line L": a lane waits in the stack for those that are
 * active. */
static void tell_waiting(const struct sim_machine *machine, const struct sim_warp *warp,
			 char *text, size_t size)
{
	const struct sim_program *program = machine->port.program;
	uint64_t waiting = warp->ledger.live & ~sim_active(warp);
	struct gputm_simt_stack_entry entry;

	for (size_t i = warp->stack && program->spot ? gputm_simt_stack_depth(warp->stack) : 0;
	     i-- && !gputm_simt_stack_get_entry(warp->stack, i, &entry);) {
		if (!(entry.mask & waiting) || entry.pc >= program->length)
			continue;
		snprintf(text, size, "; thread %u of its warp waits for it in line %u",
			 name_of(machine, warp, (uint64_t)__builtin_ctzll(entry.mask & waiting)),
			 program->spot[entry.pc].line);
		return;
	}
}

/* Of the warp that has the thread among its lanes that are active. */
void sim_machine_waits(struct sim_run *run, uint32_t thread, char *text, size_t size)
{
	const struct sim_machine *machine = sim_machine_in(run);
	const struct sim_warp *warp = machine->port.warp;

	for (uint32_t i = machine->config.cores * machine->config.warps; i--; warp++)
		for (SIM_EACH_LANE(lane, warp->wait == SIM_FREE ? 0 : sim_active(warp)))
			if (warp->thread[lane] == thread) {
				tell_waiting(machine, warp, text, size);
				return;
			}
}

/* The same under any former, by the places of the other threads of the static warp. */
struct mates {
	const struct sim_machine *machine;
	const struct sim_warp *warp; /* NULL: warps are formed all the time */
	uint32_t thread, at;	     /* that goes round, and its place */
	uint32_t waiter, pc;	     /* of its static warp, but not in the warp or at its place */
};

static void look_first(void *state, uint32_t thread, uint32_t pc)
{
	struct mates *m = state;

	if (m->thread != SIM_NOBODY)
		return;
	m->thread = thread;
	m->at = pc;
}

static bool runs(const struct mates *m, uint32_t thread, uint32_t pc)
{
	if (!m->warp)
		return pc == m->at;
	for (SIM_EACH_LANE(lane, sim_active(m->warp)))
		if (m->warp->thread[lane] == thread)
			return true;
	return false;
}

static void look_at(void *state, uint32_t thread, uint32_t pc)
{
	struct mates *m = state;

	if (m->waiter != SIM_NOBODY || runs(m, thread, pc) ||
	    warp_of(m->machine, thread) != warp_of(m->machine, m->thread))
		return;
	m->waiter = thread;
	m->pc = pc;
}

static void tell_mate(struct sim_machine *machine, uint32_t core, struct mates *m, char *text,
		      size_t size)
{
	machine->former->places(machine, core, look_at, m);
	if (m->waiter != SIM_NOBODY)
		snprintf(text, size, "; thread %u of its warp waits for it in line %u", m->waiter,
			 machine->port.program->spot[m->pc].line);
}

static uint32_t first_thread(const struct sim_warp *warp)
{
	uint64_t active = sim_active(warp);

	return active ? warp->thread[__builtin_ctzll(active)] : 0;
}

/* A transaction that goes round in what it reads, and finds nothing changed, ends by itself never.
 * One that waits for its system does not go round. */
static void lose_patience_with(struct sim_machine *machine, const struct sim_warp *warp)
{
	uint64_t cycles = (machine->port.now - warp->started) / machine->port.core_ticks;
	char reason[120];

	if (!warp->in_tx || warp->wait == SIM_SYSTEM || cycles <= machine->config.patience_cycles)
		return;
	snprintf(reason, sizeof reason, "is in one attempt for more than %s.patience_cycles = %u "
		 "cycles", machine->run.patient, machine->config.patience_cycles);
	sim_give_up(&machine->port, first_thread(warp), sim_warp_pc(warp), reason);
}

#define LONG UINT64_C(500000000) /* the least limit otherwise: core.most_cycles / 8 */

uint64_t sim_machine_sum(struct sim_run *run)
{
	const struct sim_machine *machine = sim_machine_in(run);
	const struct sim_program *program = machine->port.program;
	uint32_t warps = machine->config.cores * machine->config.warps;
	uint64_t sum = sim_sum_words(1, machine->shared, (size_t)machine->config.cores *
				 machine->config.blocks * program->shared_words);
	const uint32_t *page;

	for (uint32_t i = 0; i < warps; i++)
		sum = sim_sum_words(sum, machine->registers + i * sim_register_words(machine),
				(size_t)program->registers * SIM_MAX_LANES);
	for (uint64_t at = 0; (page = sim_memory_page(machine->port.memory, &at));
	     at += 1u << SIM_PAGE_BITS)
		sum = sim_sum_words(sum, page, (1u << SIM_PAGE_BITS) / sizeof *page);
	return sum;
}

/* Cycles in which no thread has ended that are too many now, and why. */
static uint64_t plain_patience(struct sim_machine *machine, const char **when)
{
	*when = "";
	if (sim_run_still(&machine->run) <= SIM_STILL)
		return sim_later(machine->plain->config.most_cycles / 8, LONG);
	*when = ", and no register or word of memory has changed,";
	return SIM_STILL;
}

/* A run without a TM system has a shorter limit while nothing changes at all. */
static void lose_patience_plainly(struct sim_machine *machine, uint32_t core,
				  const struct sim_warp *warp)
{
	struct sim_patience *p = &machine->run.waited;
	uint64_t cycles = (machine->port.now - p->left_at) / machine->port.core_ticks, limit;
	struct mates m = { machine, warp, SIM_NOBODY, 0, SIM_NOBODY, 0 };
	char reason[320], waits[80] = "";
	const char *still;

	if (machine->run.threads_left != p->left_before) {
		p->left_before = machine->run.threads_left;
		p->left_at = machine->port.now;
		cycles = 0;
	}
	limit = plain_patience(machine, &still);
	if (cycles <= limit)
		return;
	if (warp)
		look_first(&m, first_thread(warp), sim_warp_pc(warp));
	else
		machine->former->places(machine, core, look_first, &m);
	if (m.thread == SIM_NOBODY)
		return;
	tell_mate(machine, core, &m, waits, sizeof waits);
	snprintf(reason, sizeof reason, "thread %u goes round: no thread has ended%s for more than "
		 "%llu cycles%s%s", m.thread, still, (unsigned long long)limit,
		 *still ? "" : " (core.most_cycles / 8)", waits);
	sim_fail_at(&machine->port, m.at, -EINVAL, reason);
}

static void lose_patience_with_threads(struct sim_machine *machine)
{
	uint32_t warps = machine->config.cores * machine->config.warps;
	const struct sim_warp *awake = NULL;
	bool inside = false;

	for (uint32_t i = 0; i < warps; i++) {
		const struct sim_warp *warp = &machine->port.warp[i];

		if (!sim_warp_is_used(&machine->port, i) || warp->wait == SIM_FREE)
			continue;
		lose_patience_with(machine, warp);
		inside |= warp->in_tx;
		if (!awake && warp->wait != SIM_AT_BARRIER && warp->wait != SIM_APART)
			awake = warp;
	}
	for (uint32_t i = 0; machine->former->own && i < machine->config.cores; i++)
		if (machine->core[i].blocks.count)
			lose_patience_plainly(machine, i, NULL);
	if (awake && machine->plain)
		lose_patience_plainly(machine, awake->core, awake);
	else if (awake)
		sim_run_late(&machine->run, first_thread(awake), sim_warp_pc(awake), inside);
}

void sim_machine_look(struct sim_run *run)
{
	struct sim_machine *machine = sim_machine_in(run);

	if (machine->plain)
		sim_plain_may_end(machine);
	if (machine->config.patience_cycles || machine->plain)
		lose_patience_with_threads(machine);
}
