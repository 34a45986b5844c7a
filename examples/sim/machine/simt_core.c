/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core after thesis Table 3.2. Each issue slot the mechanism names a warp; one that is W lanes
 * wide holds the issue port for lanes / simd_width cycles. It may issue again `latency` cycles
 * later (a warp has one instruction in the pipeline, thesis 2.3.3), after a load so long behind
 * the last of its data; on a machine as soon as the data are here. There threads that end wait
 * for their stores, too, as on cores with a TM system (machine.c). Fetch always hits. An
 * instruction whose accesses take more cycles in the L1 or in the banks of shared memory than its
 * issue stalls the port for the rest of them.
 *
 * What an instruction does to its threads is done when it issues; where they go on is told to
 * the mechanism when it completes. Warps that execute hang in a wheel of cycles, so cycles in
 * which nothing happens cost nothing.
 */
#include "simt_core.h"

#include <errno.h>

#include "alone.h"
#include "mechanism.h"
#include "simt_memory.h"
#include "wiring.h"

static uint32_t bits(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

int flow_fail(struct flow_core *core, uint32_t pc, const char *reason)
{
	char message[SIM_MESSAGE];

	snprintf(message, sizeof(message), "%s:%u:%u: %s", core->kernel->file,
		 core->kernel->code->instr[pc].line, core->kernel->code->instr[pc].column,
		 reason);
	return sim_fail(core->gpu->port, -EINVAL, message);
}

/* ---- what the check sees ---- */

static struct flow_seen seen_of(const struct flow_core *core, const struct flow_warp *warp,
				uint32_t thread[KERNEL_LANES])
{
	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);

		thread[l] = flow_id_of(core->threads, warp->lanes.slot[l]);
	}
	return (struct flow_seen){ warp->pc, warp->lanes.mask, thread };
}

static bool restores(const struct flow_core *core, uint32_t s)
{
	if (core->mechanism->restores == FLOW_RESTORES_FULL_BLOCKS)
		return core->blocks.live[s] ==
		       kernel_threads_of_block(core->kernel, core->block[s]);
	return core->mechanism->restores == FLOW_RESTORES;
}

static void show_load(const struct flow_core *core, const struct flow_warp *warp,
		      const struct flow_effect *effect)
{
	const struct flow_threads *t = core->threads;
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];
	uint32_t thread[KERNEL_LANES], value[KERNEL_LANES];
	struct flow_seen seen = seen_of(core, warp, thread);
	uint64_t address[KERNEL_LANES];

	for (uint32_t left = seen.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);

		value[l] = t->reg[i->d * t->stride + warp->lanes.slot[l]];
		address[l] = effect->address[l] << (kernel_shares(core->kernel, i) ? 2 : 0);
	}
	flow_check_loaded(core->gpu->check, &seen, effect->accesses, address, value);
}

static void show_place(void *core_, uint32_t slot, uint32_t pc)
{
	const struct flow_core *core = core_;

	flow_check_place(core->gpu->check, flow_id_of(core->threads, slot), pc);
}

static void show_places(struct flow_core *core)
{
	flow_check_look(core->gpu->check);
	core->mechanism->places(core, show_place, core);
	for (uint32_t s = 0; s < core->residents; s++)
		if (core->blocks.live[s])
			flow_check_block(core->gpu->check, core->block[s]);
}

/* ---- completion of instructions ---- */

static void end_threads(struct flow_core *core, const struct flow_warp *warp, uint32_t lanes)
{
	const struct flow_threads *t = core->threads;

	core->gpu->machine->threads_left -= bits(lanes);
	for (; lanes; lanes &= lanes - 1) {
		uint32_t slot = warp->lanes.slot[__builtin_ctz(lanes)];

		sim_blocks_leave(&core->blocks, flow_resident_of(t, slot), 1);
		if (core->gpu->check)
			flow_check_exit(core->gpu->check, flow_id_of(t, slot), t->reg + slot,
					t->stride);
	}
}

static int end_lanes(struct flow_core *core, struct flow_warp *warp, uint32_t lanes, uint32_t next,
		     bool last)
{
	if (!lanes)
		return last ? core->mechanism->go(core, warp, next) :
			      core->mechanism->step(core, warp, next);
	end_threads(core, warp, lanes);
	return core->mechanism->exit(core, warp, lanes, next, last);
}

/* The kernel calls the branch uniform: all lanes must go one way. */
static int check_divided(struct flow_core *core, const struct flow_warp *warp)
{
	const uint32_t *slot = warp->lanes.slot, others = warp->lanes.mask & ~warp->taken;
	char reason[120];

	if (!warp->taken || !others)
		return 0;
	snprintf(reason, sizeof(reason), SIM_DIVIDED,
		 flow_id_of(core->threads, slot[__builtin_ctz(warp->taken)]),
		 flow_id_of(core->threads, slot[__builtin_ctz(others)]));
	return flow_fail(core, warp->pc, reason);
}

static int branch(struct flow_core *core, struct flow_warp *warp, const struct kernel_instr *i)
{
	const struct kernel *k = core->kernel;
	const struct kernel_block *block = &k->code->block[i->block];
	int error;

	if (!i->uniform || !core->mechanism->uniform)
		return core->mechanism->branch(core, warp, block);
	error = check_divided(core, warp);
	if (error)
		return error;
	return core->mechanism->go(core, warp,
				   kernel_entry(k->code, block->way[warp->taken ? 0 : 1]));
}

static int lead_on(struct flow_core *core, struct flow_warp *warp, const struct kernel_instr *i)
{
	const struct kernel_block *block = &core->kernel->code->block[i->block];
	uint32_t next = i->last ? kernel_entry(core->kernel->code, block->way[0]) : warp->pc + 1;

	switch ((enum kernel_op)i->op) {
	case KERNEL_BRANCH:
		return branch(core, warp, i);
	case KERNEL_EXIT:
		return end_lanes(core, warp, warp->lanes.mask, next, true);
	case KERNEL_EXIT_IF:
		return end_lanes(core, warp, warp->taken, next, i->last);
	case KERNEL_BARRIER:
		return core->mechanism->barrier(core, warp, next);
	default:
		return i->last ? core->mechanism->go(core, warp, next) :
				 core->mechanism->step(core, warp, next);
	}
}

static int check_and_lead_on(struct flow_core *core, struct flow_warp *warp,
			     const struct kernel_instr *i)
{
	bool changes = i->last || i->op == KERNEL_EXIT_IF || i->op == KERNEL_BARRIER;
	uint32_t thread[KERNEL_LANES];
	struct flow_seen seen = seen_of(core, warp, thread);
	int error;

	flow_check_complete(core->gpu->check, &seen, warp->taken);
	error = lead_on(core, warp, i);
	if (!error && changes)
		show_places(core);
	return error;
}

static int complete(struct flow_core *core, struct flow_warp *warp)
{
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];

	core->in_memory -= warp->memory;
	warp->memory = false;
	if (core->gpu->check)
		return check_and_lead_on(core, warp, i);
	if (!i->last && i->op <= KERNEL_CAS)
		return core->mechanism->step(core, warp, warp->pc + 1);
	return lead_on(core, warp, i);
}

/* Complete what is due in the cycle that is served. */
static int serve_slot(struct flow_core *core, uint32_t slot)
{
	struct flow_wheel *wheel = &core->wheel;
	struct flow_warp *warp = wheel->first[slot], *next;
	int error = 0;

	wheel->first[slot] = NULL;
	wheel->occupied[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	for (; warp && !error; warp = next) {
		next = warp->next;
		if (warp->due > wheel->served)
			flow_core_hang(core, warp);
		else
			error = complete(core, warp);
	}
	return error;
}

/* Complete all that is due up to now. */
static int serve(struct flow_core *core)
{
	struct flow_wheel *wheel = &core->wheel;
	int error = 0;

	while (!error && wheel->served < core->now) {
		uint32_t slot = (uint32_t)(wheel->served + 1) % SIM_WHEEL_TICKS;
		uint64_t word = wheel->occupied[slot / 64] >> slot % 64;
		uint64_t empty = word ? (uint64_t)__builtin_ctzll(word) : 64 - slot % 64;

		if (empty >= core->now - wheel->served) {
			wheel->served = core->now;
			return 0;
		}
		wheel->served += empty;
		if (word)
			error = serve_slot(core, (uint32_t)++wheel->served % SIM_WHEEL_TICKS);
	}
	return error;
}

static int tick(struct flow_core *core)
{
	int error = 0;

	while (!error && core->mechanism_due <= core->now)
		error = core->mechanism->tick(core);
	return error;
}

/* ---- issue ---- */

static void log_issue(struct flow_core *core, const struct flow_warp *warp)
{
	const struct kernel *k = core->kernel;
	const struct kernel_instr *i = &k->code->instr[warp->pc];

	fprintf(core->gpu->issues, "%llu\t%s\t%u\t", (unsigned long long)core->now,
		k->code->block[i->block].name, i->line);
	for (uint32_t l = 0; l < k->lanes; l++) {
		if (warp->lanes.mask >> l & 1)
			fprintf(core->gpu->issues, "%s%u", l ? " " : "",
				flow_id_of(core->threads, warp->lanes.slot[l]));
		else
			fprintf(core->gpu->issues, "%s-", l ? " " : "");
	}
	if (core->gpu->way)
		fprintf(core->gpu->issues, "\t%u", (unsigned)(core - core->gpu->core));
	putc('\n', core->gpu->issues);
}

/* An access of global memory: when the warp may continue, and the cycles of the port. */
static int access_memory(struct flow_core *core, struct flow_warp *warp,
			 const struct flow_effect *effect, uint32_t *port)
{
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];
	struct flow_access access;
	int error = flow_memory_access(core->memory, core->now, i, warp, effect, &access);

	if (error)
		return flow_fail(core, warp->pc, error == -ENOMEM ? "out of memory" :
					       "the coalescer refuses an access");
	core->result.memory_instructions++;
	core->result.accesses += access.accesses;
	*port = access.port;
	warp->due = access.done + core->gpu->config.latency;
	warp->memory = true;
	core->in_memory++;
	core->awaiting += warp->awaited != 0;
	return 0;
}

static void fence(struct flow_core *core, struct flow_warp *warp)
{
	uint64_t done = sim_later(flow_memory_fence(core->memory, warp), core->now);

	warp->due = done + flow_core_rest(core, warp);
	warp->memory = done > core->now || warp->awaited;
	core->in_memory += warp->memory;
	core->awaiting += warp->awaited != 0;
}

/* Execute an instruction, except one that only takes time. */
static int execute(struct flow_core *core, struct flow_warp *warp)
{
	struct flow_effect effect;
	uint32_t port = 0;
	int error = 0;

	if (!flow_execute(&core->gpu->threads, warp->pc, &warp->lanes, &effect))
		return flow_fail(core, warp->pc, core->threads->fault);
	if (core->gpu->check && kernel_fetches(&core->kernel->code->instr[warp->pc]))
		show_load(core, warp, &effect);
	warp->taken = effect.taken;
	warp->due += effect.banks;
	if (core->kernel->code->instr[warp->pc].op == KERNEL_FENCE || flow_core_ends(core, warp))
		fence(core, warp);
	if (effect.memory)
		error = access_memory(core, warp, &effect, &port);
	port = port > effect.banks ? port : effect.banks;
	if (port > core->interval) {
		core->result.stalled += port - core->interval;
		core->cost = port;
	}
	return error;
}

/* A note is completed, and the warp continues, in the same cycle. */
static int take_note(struct flow_core *core, struct flow_warp *warp)
{
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];
	int error = execute(core, warp);

	if (error)
		return error;
	return core->gpu->check ? check_and_lead_on(core, warp, i) : lead_on(core, warp, i);
}

static int issue(struct flow_core *core, struct flow_warp *warp)
{
	struct flow_result *result = &core->result;
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];
	uint32_t lanes = warp->lanes.mask == UINT32_MAX ? 32 : bits(warp->lanes.mask);
	int error = 0;

	if (core->gpu->check) {
		uint32_t thread[KERNEL_LANES];
		struct flow_seen seen = seen_of(core, warp, thread);

		flow_check_issue(core->gpu->check, &seen, restores(core, warp->resident));
	}
	if (i->op >= KERNEL_ENTER && i->op <= KERNEL_NOTE)
		return take_note(core, warp);
	if (core->gpu->issues)
		log_issue(core, warp);
	core->gap = core->gap_slots = 0;
	result->issued++;
	result->executed += lanes;
	result->width[(lanes - 1) / 4]++;
	result->busy += core->interval;
	warp->due = core->now + core->gpu->config.latency;
	core->cost = core->interval;
	if (i->op != KERNEL_ALU || i->steps)
		error = execute(core, warp);
	if (core->slots == 1)
		core->now += core->cost;
	else
		core->free[core->slot] = core->now + core->cost;
	if (!warp->awaited)
		flow_core_hang(core, warp);
	return error;
}

/* The next cycle with something to do; UINT64_MAX if a reply must come first. */
static uint64_t due(const struct flow_core *core)
{
	const struct flow_wheel *wheel = &core->wheel;
	uint32_t gap = sim_wheel_gap(wheel->occupied,
				     (uint32_t)(wheel->served + 1) % SIM_WHEEL_TICKS);
	uint64_t next = gap == SIM_WHEEL_TICKS ? UINT64_MAX : wheel->served + 1 + gap;

	return core->mechanism_due < next ? core->mechanism_due : next;
}

/* The idle cycles between two issues, however many parts they come in, are so many issue slots. */
static void skip(struct flow_core *core, uint64_t cycles)
{
	uint64_t slots;

	core->gap += cycles;
	slots = sim_later(core->gap / core->interval, 1);
	core->mechanism->skip(core, slots - core->gap_slots);
	core->gap_slots = slots;
}

/* Nothing can issue: skip to the next event, or to the limit. */
static int wait(struct flow_core *core, uint64_t limit)
{
	uint64_t next = due(core), cycles;

	if (next > limit)
		next = limit;
	if (next == UINT64_MAX)
		return -EDEADLK;
	cycles = next > core->now ? next - core->now : 0;
	*(core->in_memory ? &core->result.memory_idle : &core->result.idle) += cycles;
	core->now += cycles;
	if (core->mechanism->skip)
		skip(core, cycles);
	return 0;
}

/* ---- blocks ---- */

static int launch(struct flow_core *core)
{
	const uint32_t block = (uint32_t)core->blocks.next;
	uint32_t s = sim_blocks_take(&core->blocks, kernel_threads_of_block(core->kernel, block),
				     core->gpu->cores);
	int error;

	core->block[s] = block;
	core->gpu->threads.resident_of[block] = (uint8_t)s;
	error = core->mechanism->launch(core, s);
	if (!error && core->gpu->check)
		show_places(core);
	return error;
}

/* ---- cycles ---- */

/* The steps of this cycle before a warp is picked. */
static int prepare(struct flow_core *core)
{
	int error = serve(core);

	if (!error && core->mechanism_due <= core->now)
		error = tick(core);
	while (!error && core->blocks.count < core->residents &&
	       core->blocks.next < core->kernel->blocks)
		error = launch(core);
	return error;
}

static bool accesses(const struct flow_core *core, const struct flow_warp *warp)
{
	const struct kernel_instr *i = &core->kernel->code->instr[warp->pc];

	return i->op == KERNEL_FENCE || i->op == KERNEL_EXIT || i->op == KERNEL_EXIT_IF ||
	       (kernel_accesses(i) && !kernel_shares(core->kernel, i));
}

/* How far the core may run without the machine. */
static uint64_t furthest(const struct flow_core *core, uint64_t limit)
{
	return core->awaiting ? sim_earlier(core->no_reply_by, limit) : limit;
}

/* The warp to issue; NULL: none, or, of a state that was loaded, one without threads or at no
 * instruction. */
static struct flow_warp *pick(struct flow_core *core, int *error)
{
	struct flow_warp *warp = core->held ? core->held : core->mechanism->pick(core);

	if (!warp || (warp->lanes.mask && warp->pc < core->kernel->code->instr_count))
		return warp;
	*error = flow_fail(core, 0, "a warp without threads, or at no instruction, issues");
	return NULL;
}

/* Issue, or wait; false if an access must wait for its cycle. */
static bool turn(struct flow_core *core, uint64_t cycle, uint64_t until, int *error)
{
	struct flow_warp *warp = pick(core, error);

	if (*error)
		return false;
	core->held = warp && core->now > cycle && accesses(core, warp) ? warp : NULL;
	if (!core->held)
		*error = warp ? issue(core, warp) : wait(core, until);
	core->next = warp ? core->now : due(core);
	return !core->held && (warp || core->next <= until);
}

/* Nothing more issues in this cycle: on to the next one with a free slot and something to do. */
static void leave_cycle(struct flow_core *core, uint64_t until)
{
	uint64_t next = UINT64_MAX, cycles, idle = 0;

	for (uint32_t s = 0; s < core->slots; s++) {
		idle += core->free[s] <= core->now;
		if (core->free[s] > core->now)
			next = sim_earlier(next, core->free[s]);
	}
	core->slot = 0;
	core->next = idle ? sim_earlier(next, due(core)) : next;
	next = idle ? sim_earlier(core->next, until) : next;
	cycles = (next - core->now) * idle;
	*(core->in_memory ? &core->result.memory_idle : &core->result.idle) += cycles;
	core->now = next;
	if (idle && core->mechanism->skip)
		skip(core, cycles);
}

/* The same as turn() on a core of several issue slots, for all of them. */
static bool turn_slots(struct flow_core *core, uint64_t cycle, uint64_t until, int *error)
{
	while (core->slot < core->slots) {
		struct flow_warp *warp;

		if (core->free[core->slot] > core->now) {
			core->slot++;
			continue;
		}
		warp = pick(core, error);
		if (*error)
			return false;
		core->held = warp && core->now > cycle && accesses(core, warp) ? warp : NULL;
		core->next = core->now;
		if (core->held)
			return false;
		if (!warp)
			core->slot++;
		else if ((*error = issue(core, warp)))
			return false;
	}
	leave_cycle(core, until);
	return core->next <= until;
}

uint64_t flow_core_end(const struct flow_core *core)
{
	uint64_t end = core->now;

	for (uint32_t s = 0; s < core->slots; s++)
		end = sim_later(end, core->free[s]);
	return end;
}

void flow_core_rests(struct flow_core *core, uint64_t cycle)
{
	for (uint32_t s = 0; s < core->slots; s++)
		core->result.idle += cycle - sim_later(core->now, core->free[s]);
	core->now = cycle;
}

int flow_core_run(struct flow_core *core, uint64_t cycle, uint64_t limit)
{
	const bool sleeps = core->gpu->way != NULL;
	int error = 0;

	while (!error && core->now <= (limit = furthest(core, limit))) {
		core->next = UINT64_MAX;
		if (!core->held)
			error = prepare(core);
		if (error || !core->blocks.count)
			break;
		if (!(core->slots == 1 ? turn(core, cycle, sleeps ? limit : UINT64_MAX, &error) :
					 turn_slots(core, cycle, limit, &error)))
			break;
	}
	return error;
}

/* ---- on the way to a file or back ---- */

static void warp_link(struct flow_core *core, const char *name, void *warp, struct sim_io *io)
{
	sim_io_link(io, name, warp, core->warps, core->warp_count, sizeof *core->warps);
}

/* Its threads are some that there are, in lanes of the kernel. */
static void warp_io(struct flow_core *core, struct flow_warp *warp, struct sim_io *io)
{
	const uint32_t lanes = UINT32_MAX >> (32 - core->kernel->lanes);

	sim_io_bytes(io, "warp", warp, offsetof(struct flow_warp, next));
	warp_link(core, "next", &warp->next, io);
	SIM_IO_FLAG(io, warp->memory);
	SIM_IO_FLAG(io, warp->lanes.together);
	sim_io_must(io, "warp", !((warp->lanes.mask | warp->taken) & ~lanes));
	sim_io_below(io, "warp", warp->pc, core->kernel->code->instr_count);
	sim_io_below(io, "warp", warp->resident, core->residents);
	for (uint32_t l = 0; l < KERNEL_LANES; l++)
		sim_io_must(io, "warp", !(warp->lanes.mask >> l & 1) ||
						warp->lanes.slot[l] < core->threads->count);
}

/* A warp is in one list of the wheel at most. */
static void wheel_check(const struct flow_core *core, struct sim_io *io)
{
	unsigned char *hangs = sim_calloc(core->warp_count + 1, 1);

	io->starved |= !hangs;
	for (uint32_t i = 0; hangs && i < SIM_WHEEL_TICKS; i++)
		for (const struct flow_warp *warp = core->wheel.first[i]; warp && sim_io_ok(io);
		     warp = warp->next) {
			sim_io_below(io, "wheel", hangs[warp - core->warps], 1);
			hangs[warp - core->warps] = 1;
		}
	sim_free(hangs);
}

/* The first warps of the lists go as their numbers plus 1. */
static void wheel_io(struct flow_core *core, struct sim_io *io)
{
	struct flow_warp **first = core->wheel.first;
	uint32_t number[SIM_WHEEL_TICKS];

	for (uint32_t i = 0; i < SIM_WHEEL_TICKS; i++)
		number[i] = first[i] ? (uint32_t)(first[i] - core->warps) + 1 : 0;
	SIM_IO(io, number);
	for (uint32_t i = 0; io->loading && i < SIM_WHEEL_TICKS; i++) {
		sim_io_below(io, "wheel", number[i], (uint64_t)core->warp_count + 1);
		first[i] = sim_io_ok(io) && number[i] ? &core->warps[number[i] - 1] : NULL;
	}
	if (io->loading && sim_io_ok(io))
		wheel_check(core, io);
	SIM_IO_FROM(io, &core->wheel, occupied);
}

#define LONG (UINT64_C(1) << 20) /* cycles; all times of a core are nearer to its present one */

static void core_check(const struct flow_core *core, struct sim_io *io)
{
	const uint64_t due = core->mechanism_due, served = core->wheel.served;
	uint32_t live = 0;

	for (uint32_t s = 0; s < core->residents; s++) {
		live += core->blocks.live[s] != 0;
		sim_io_must(io, "core", !core->blocks.live[s] ||
						core->block[s] < core->kernel->blocks);
	}
	for (uint32_t b = 0; b < core->kernel->blocks; b++)
		sim_io_below(io, "core", core->threads->resident_of[b], core->residents);
	sim_io_must(io, "core", core->blocks.count == live && core->slot <= core->slots);
	sim_io_must(io, "core", served <= core->now + LONG && core->now <= served + LONG);
	sim_io_must(io, "core", due >= core->now || core->now - due < LONG);
}

void flow_core_io(struct flow_core *core, struct sim_io *io)
{
	for (uint32_t i = 0; i < core->warp_count; i++)
		warp_io(core, &core->warps[i], io);
	wheel_io(core, io);
	warp_link(core, "held", &core->held, io);
	SIM_IO_FROM(io, core, blocks);
	core_check(core, io);
	flow_memory_io(core, io);
	core->mechanism->io(core, io);
}
