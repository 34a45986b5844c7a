/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends runs that make no progress, and says why. */
#include <inttypes.h>
#include <stdio.h>

#include "plain.h"
#include "wiring.h"

#define SURE_ABORTS 1000 /* commits may be rare, but not rarer than this */

/* Attempts since the last commit by the reasons of their aborts: "conflict 12, capacity 3". */
static void tell_reasons(const struct sim_machine *machine, char *text, size_t size)
{
	size_t length = 0;

	text[0] = 0;
	for (unsigned i = 0; i < SIM_ABORT_REASONS && length < size; i++) {
		uint64_t aborted = machine->port.result.aborted_by_reason[i] -
				   machine->reasons_before[i];

		if (aborted)
			length += (size_t)snprintf(text + length, size - length, "%s%s %" PRIu64,
						   length ? ", " : "", sim_abort_reason_name[i],
						   aborted);
	}
}

/* The part of the settings with the limits; the GPU of hetm has a part of its own. */
static const char *patient(const struct sim_machine *machine)
{
	if (machine->system->own)
		return machine->system->own->patient;
	return machine->program->device ? "gpu" : "machine";
}

/* Transactions that abort one another for ever keep the machine busy: end such a run. */
static void lose_patience(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	const struct sim_result *result = &machine->port.result;
	uint64_t cycles = (machine->port.now - machine->committed_at) / machine->port.core_ticks;
	uint64_t aborted = result->aborted - machine->aborted_before;
	bool many = config->patience && aborted > config->patience;
	bool late = config->patience_cycles && aborted > SURE_ABORTS &&
		    cycles > config->patience_cycles;
	char message[SIM_MESSAGE], reasons[240];

	if (result->committed != machine->committed_before) {
		machine->committed_before = result->committed;
		machine->committed_at = machine->port.now;
		machine->aborted_before = result->aborted;
		memcpy(machine->reasons_before, result->aborted_by_reason,
		       sizeof machine->reasons_before);
	} else if (many || late) {
		tell_reasons(machine, reasons, sizeof reasons);
		snprintf(message, sizeof message, "more than %s.%s = %u %s since the last "
			 "commit; attempts aborted by reason: %s", patient(machine),
			 many ? "patience" : "patience_cycles",
			 many ? config->patience : config->patience_cycles,
			 many ? "attempts were aborted" : "cycles have passed", reasons);
		sim_fail(&machine->port, -ETIME, message);
	}
}

void sim_fail_at(struct sim_machine *machine, uint32_t pc, int error, const char *reason)
{
	const struct sim_program *program = machine->program;
	char message[SIM_MESSAGE];

	if (program->spot)
		snprintf(message, sizeof message, "%s:%u:%u: %s", program->file,
			 program->spot[pc].line, program->spot[pc].column, reason);
	else
		snprintf(message, sizeof message, "instruction %u: %s", pc, reason);
	sim_fail(&machine->port, error, message);
}

static uint32_t name_of(const struct sim_machine *machine, uint32_t thread)
{
	return machine->program->id ? machine->program->id[thread] : thread;
}

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

void sim_check_divided(struct sim_machine *machine, const struct sim_warp *warp, uint32_t pc,
		       uint64_t taken)
{
	uint64_t others = sim_active(warp) & ~taken;
	char reason[120];

	for (SIM_EACH_LANE(lane, others ? taken : 0)) {
		int other = companion(machine, warp, warp->thread[lane], others);

		if (other < 0)
			continue;
		snprintf(reason, sizeof reason, SIM_DIVIDED, name_of(machine, warp->thread[lane]),
			 name_of(machine, warp->thread[other]));
		sim_fail_at(machine, pc, -EINVAL, reason);
	}
}

/* Fail with "FILE:LINE:COLUMN: thread N REASON", of the instruction that is next. */
static void give_up(struct sim_machine *machine, uint32_t thread, uint32_t pc, const char *reason)
{
	char text[SIM_MESSAGE];

	snprintf(text, sizeof text, "thread %u %s", name_of(machine, thread), reason);
	sim_fail_at(machine, pc, -ETIME, text);
}

/* "; thread N of its warp waits for it in line L": a lane waits in the stack for those that are
 * active. */
static void tell_waiting(const struct sim_machine *machine, const struct sim_warp *warp,
			 char *text, size_t size)
{
	const struct sim_program *program = machine->program;
	uint64_t waiting = warp->ledger.live & ~sim_active(warp);
	struct gputm_simt_stack_entry entry;

	for (size_t i = warp->stack && program->spot ? gputm_simt_stack_depth(warp->stack) : 0;
	     i-- && !gputm_simt_stack_get_entry(warp->stack, i, &entry);) {
		if (!(entry.mask & waiting) || entry.pc >= program->length)
			continue;
		snprintf(text, size, "; thread %u of its warp waits for it in line %u",
			 name_of(machine, warp->thread[__builtin_ctzll(entry.mask & waiting)]),
			 program->spot[entry.pc].line);
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
			 machine->program->spot[m->pc].line);
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
		 "cycles", patient(machine), machine->config.patience_cycles);
	give_up(machine, first_thread(warp), sim_warp_pc(warp), reason);
}

/*
 * Nor does a run, with this thread in it, that comes no nearer to its end: there are so many
 * threads to end and, where the workload knows their number, transactions to commit. Threads that
 * wait for each other may change memory for ever, or commit transactions that find nothing new.
 * Attempts of which none commits have rules of their own, above.
 */
static void lose_patience_of(struct sim_machine *machine, const struct sim_warp *warp,
			     uint32_t thread, uint32_t pc, bool inside)
{
	uint64_t most = machine->port.workload->transactions;
	uint64_t left = machine->threads_left - (most ? machine->port.result.committed : 0);
	uint64_t cycles = (machine->port.now - machine->left_at) / machine->port.core_ticks;
	bool commits = machine->committed_at > machine->left_at;
	char reason[480], waits[240] = "";

	if (left != machine->left_before) {
		machine->left_before = left;
		machine->left_at = machine->port.now;
		cycles = 0;
	}
	if (most && machine->port.result.committed > most)
		snprintf(reason, sizeof reason, "goes on, but the run has %llu transactions "
			 "(commits), and %llu have committed", (unsigned long long)most,
			 (unsigned long long)machine->port.result.committed);
	else if ((commits || !inside) && cycles > machine->config.patience_cycles) {
		if (warp)
			tell_waiting(machine, warp, waits, sizeof waits);
		else
			machine->system->own->waits(machine, thread, waits, sizeof waits);
		snprintf(reason, sizeof reason, "goes round: no thread has ended%s for more than "
			 "%s.patience_cycles = %u cycles%s%s", most ? " or committed" : "",
			 patient(machine), machine->config.patience_cycles,
			 most ? "" : " (expected more of them, or a line commits)", waits);
	} else
		return;
	give_up(machine, thread, pc, reason);
}

#define STILL UINT64_C(50000000) /* cycles in which none changes and no thread ends */

uint64_t sim_sum_words(uint64_t sum, const uint32_t *word, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sum = (sum ^ word[i]) * UINT64_C(0x100000001b3);
		sum ^= sum >> 32;
	}
	return sum;
}

/* Threads that only wait change nothing: that is known much earlier. */
static void lose_patience_with_the_still(struct sim_machine *machine, uint32_t thread, uint32_t pc)
{
	const struct sim_own_machine *own = machine->system->own;
	uint64_t now = machine->port.now, sum;
	char reason[480], waits[240] = "";

	if (now < machine->still.next)
		return;
	sum = own->sum(machine);
	if (sum != machine->still.sum || machine->threads_left != machine->still.left)
		machine->still.since = now;
	machine->still.sum = sum;
	machine->still.left = machine->threads_left;
	machine->still.next = now + SIM_SAMPLE;
	if (now - machine->still.since <= STILL)
		return;
	own->waits(machine, thread, waits, sizeof waits);
	snprintf(reason, sizeof reason, "goes round: no thread has ended, and no register or word "
		 "of memory has changed, for more than %llu cycles%s", (unsigned long long)STILL,
		 waits);
	give_up(machine, thread, pc, reason);
}

#define LONG UINT64_C(500000000) /* the least limit otherwise: core.most_cycles / 8 */

static uint64_t sum_of(const struct sim_machine *machine)
{
	const struct sim_program *program = machine->program;
	uint32_t warps = machine->config.cores * machine->config.warps;
	uint64_t sum = sim_sum_words(1, machine->shared, (size_t)machine->config.cores *
				 machine->config.blocks * program->shared_words);
	const uint32_t *page;

	for (uint32_t i = 0; i < warps; i++)
		sum = sim_sum_words(sum, machine->port.warp[i].reg,
				(size_t)program->registers * SIM_MAX_LANES);
	for (uint64_t at = 0; (page = sim_memory_page(machine->port.memory, &at));
	     at += 1u << SIM_PAGE_BITS)
		sum = sim_sum_words(sum, page, (1u << SIM_PAGE_BITS) / sizeof *page);
	return sum;
}

/* Cycles in which no thread has ended that are too many now, and why. */
static uint64_t plain_patience(struct sim_machine *machine, const char **when)
{
	struct sim_plain *p = machine->plain;
	uint64_t now = machine->port.now, sum;

	if (now >= p->next_sum) {
		p->next_sum = now + SIM_SAMPLE;
		sum = sum_of(machine);
		if (sum != p->sum)
			p->still_at = now;
		p->sum = sum;
	}
	*when = "";
	if ((now - p->still_at) / machine->port.core_ticks <= STILL)
		return sim_later(p->config.most_cycles / 8, LONG);
	*when = ", and no register or word of memory has changed,";
	return STILL;
}

/* A run without a TM system has a shorter limit while nothing changes at all. */
static void lose_patience_plainly(struct sim_machine *machine, uint32_t core,
				  const struct sim_warp *warp)
{
	uint64_t cycles = (machine->port.now - machine->left_at) / machine->port.core_ticks, limit;
	struct mates m = { machine, warp, SIM_NOBODY, 0, SIM_NOBODY, 0 };
	char reason[320], waits[80] = "";
	const char *still;

	if (machine->threads_left != machine->left_before) {
		machine->left_before = machine->threads_left;
		machine->left_at = machine->port.now;
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
	sim_fail_at(machine, m.at, -EINVAL, reason);
}

void sim_lose_patience(struct sim_machine *machine, uint32_t thread, uint32_t pc, bool inside)
{
	lose_patience_of(machine, NULL, thread, pc, inside);
	lose_patience_with_the_still(machine, thread, pc);
}

static void lose_patience_with_threads(struct sim_machine *machine)
{
	const struct sim_warp *awake = NULL, *warp = machine->port.warp;
	bool inside = false;

	for (uint32_t i = machine->config.cores * machine->config.warps; i--; warp++) {
		if (warp->wait == SIM_FREE)
			continue;
		lose_patience_with(machine, warp);
		inside |= warp->in_tx;
		if (!awake && warp->wait != SIM_AT_BARRIER && warp->wait != SIM_APART)
			awake = warp;
	}
	for (uint32_t i = 0; machine->pool && i < machine->config.cores; i++)
		if (machine->core[i].blocks.count)
			lose_patience_plainly(machine, i, NULL);
	if (awake && machine->plain)
		lose_patience_plainly(machine, awake->core, awake);
	else if (awake)
		lose_patience_of(machine, awake, first_thread(awake), sim_warp_pc(awake), inside);
}

void sim_look_patiently(struct sim_machine *machine)
{
	lose_patience(machine);
	if (machine->config.patience_cycles || machine->plain)
		lose_patience_with_threads(machine);
}
