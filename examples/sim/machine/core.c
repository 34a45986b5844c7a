/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores: blocks of threads become resident warps, each issue slot picks one of its ready warps,
 * and replies and timers make warps ready again.
 */
#include <stdio.h>
#include <string.h>

#include "plain.h"
#include "wiring.h"
#include "../base/arena.h"

SIM_UNIT_KIND(access_coalescer, SIM_OF_CORE);
SIM_UNIT_KIND(tx_throttle, SIM_OF_CORE);

static void take_registers(struct sim_machine *machine)
{
	sim_free(machine->registers);
	sim_free(machine->stray);
	sim_free(machine->shared);
	machine->registers = machine->before = NULL;
	machine->shared = NULL;
	machine->stray = NULL;
}

static size_t shared_words(const struct sim_machine *machine)
{
	return (size_t)machine->config.cores * machine->config.blocks *
	       machine->port.program->shared_words;
}

/* Of all warps in one piece, of which the host touches those of warps that run. */
static int give_registers(struct sim_machine *machine)
{
	const struct sim_program *program = machine->port.program;
	size_t warps = (size_t)machine->config.cores * machine->config.warps;
	size_t words = sim_register_words(machine);

	take_registers(machine);
	machine->shared = sim_calloc(shared_words(machine) + 1, sizeof *machine->shared);
	machine->registers = sim_calloc((warps + 1) * words, sizeof *machine->registers);
	machine->stray = sim_malloc(warps * SIM_MAX_LANES * sizeof *machine->stray);
	if (!machine->shared || !machine->registers || !machine->stray)
		return -ENOMEM;
	if (machine->port.ops->pause)
		machine->before = machine->registers + warps * words;
	for (uint32_t core = 0; core < machine->config.cores; core++)
		for (uint32_t i = 0; i < sim_used_warps(&machine->port, core); i++) {
			struct sim_warp *warp = sim_warp_of(&machine->port, core, i);

			warp->reg = machine->registers + warp->number * words;
			warp->kept = warp->reg + program->registers * SIM_MAX_LANES;
			warp->stray_of = machine->stray + warp->number * SIM_MAX_LANES;
		}
	return 0;
}

int sim_cores_launch(struct sim_machine *machine)
{
	const struct sim_program *program = machine->port.program;

	for (uint32_t i = 0; i < machine->config.cores; i++)
		sim_blocks_begin(&machine->core[i].blocks, i, machine->config.cores);
	machine->enters = machine->fences = false;
	for (uint32_t i = 0; i < program->length; i++) {
		machine->enters |= program->code[i].op == SIM_ENTER;
		machine->fences |= program->code[i].op == SIM_FENCE;
	}
	return give_registers(machine);
}

static int core_make(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];

	if (sim_l1_make(&core->l1, machine->config.l1_bytes, machine->config.l1_ways,
			machine->config.line_bytes))
		return -ENOMEM;
	core->free_warps = machine->config.warps;
	core->unit_due = SIM_NEVER;
	core->turn = sim_turn_of(SIM_CORE, index);
	core->warp = sim_warp_of(&machine->port, index, 0);
	/* The others are not touched. */
	for (uint32_t i = 0; i < sim_used_warps(&machine->port, index); i++) {
		core->warp[i].core = (uint8_t)index;
		core->warp[i].index = (uint8_t)i;
		core->warp[i].number = index * machine->config.warps + i;
	}
	return 0;
}

/* The order of roles in reports: stacks, coalescers, throttles. */
int sim_cores_make(struct sim_machine *machine)
{
	int error = 0;

	machine->core = sim_calloc(machine->config.cores, sizeof *machine->core);
	machine->port.warp = sim_calloc((size_t)machine->config.cores * machine->config.warps,
				    sizeof *machine->port.warp);
	if (!machine->core || !machine->port.warp)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = core_make(machine, i);
	if (!error)
		error = machine->former->make(machine);
	for (uint32_t i = 0; !error && i < machine->config.cores; i++)
		error = sim_unit_add(&machine->port, "access_coalescer", &kind_access_coalescer,
				     &machine->coalescer_config, &machine->core[i].coalescer);
	if (machine->far)
		machine->core->scheduler.last[0] = SIM_MAX_WARPS - 1; /* warp 0 is the first */
	for (uint32_t i = 0; !error && !machine->plain && i < machine->config.cores; i++)
		error = sim_unit_add(&machine->port, "tx_throttle", &kind_tx_throttle,
				     &machine->throttle_config, &machine->core[i].throttle);
	return error;
}

void sim_cores_free(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->core && i < machine->config.cores; i++)
		sim_l1_free(&machine->core[i].l1);
	if (machine->former && machine->former->free)
		machine->former->free(machine);
	take_registers(machine);
	sim_free(machine->port.warp);
	sim_free(machine->core);
}

void sim_warp_check(const struct sim_machine *machine, const struct sim_warp *warp,
		    struct sim_io *io)
{
	const struct sim_ledger *l = &warp->ledger;

	sim_io_below(io, "warp", (unsigned)warp->wait, SIM_SYSTEM + 1);
	sim_io_below(io, "warp", (unsigned)warp->op, SIM_EXIT + 1);
	sim_io_below(io, "warp", warp->block, machine->config.blocks);
	SIM_IO_FLAG(io, warp->in_tx);
	sim_lanes_must(&machine->port, io, "warp",
		       warp->mask | warp->inside | warp->stray | warp->whole | warp->due |
			       warp->active | warp->passed | warp->failed |
			       l->live | l->began | l->open | l->failed | l->locking);
	sim_io_must(io, "warp", !warp->due || warp->into < machine->port.program->registers);
	if (warp->wait != SIM_FREE) /* else it may be of a launch before */
		sim_io_below(io, "warp", warp->pc, machine->port.program->length);
	sim_io_below(io, "warp", l->does, SIM_SPENT_KINDS);
	sim_io_below(io, "warp", l->before, SIM_SPENT_KINDS);
	for (uint32_t lane = 0; lane < SIM_MAX_LANES; lane++)
		sim_io_below(io, "warp", warp->home[lane], machine->config.warps);
}

/* What a thread says of an index beyond an array is kept only of those that have one. */
static void warp_io(struct sim_machine *machine, uint32_t number, struct sim_io *io)
{
	struct sim_warp *warp = &machine->port.warp[number];
	bool used = sim_warp_is_used(&machine->port, number);
	size_t words = sim_register_words(machine);

	SIM_IO_FROM(io, warp, block);
	if (io->loading && sim_io_ok(io))
		sim_warp_check(machine, warp, io);
	sim_io_must(io, "warp", used || (warp->wait == SIM_FREE && !warp->stray));
	SIM_IO_ARRAY(io, machine->registers + number * words, words);
	for (SIM_EACH_LANE(lane, warp->stray))
		SIM_IO(io, warp->stray_of[lane]);
}

/* Has the core had as many blocks as it has now? */
static void blocks_check(const struct sim_machine *machine, uint32_t index, struct sim_io *io)
{
	const struct sim_blocks *blocks = &machine->core[index].blocks;
	uint32_t cores = machine->config.cores;
	struct sim_blocks first;

	sim_blocks_begin(&first, index, cores);
	sim_io_must(io, "blocks", blocks->next >= first.next &&
					  (blocks->next - first.next) % cores == 0 &&
					  (blocks->next - first.next) / cores >= blocks->count);
}

/* Is the warp one that may issue, or is looked at later? */
static void core_check(const struct sim_machine *machine, uint32_t index, struct sim_io *io)
{
	const struct sim_core *core = &machine->core[index];
	uint32_t used = sim_used_warps(&machine->port, index);
	uint64_t none = used < 64 ? ~UINT64_C(0) << used : 0, timers = 0;
	uint32_t free = 0, live = 0;

	for (uint32_t i = 0; i < SIM_TIMER; i++)
		timers |= core->timer[i];
	sim_io_must(io, "core", !((core->ready | core->woken | core->ending | timers) & none));
	sim_io_must(io, "core", machine->plain || !core->ending);
	for (uint32_t i = 0; i < SIM_SLOTS; i++)
		sim_io_must(io, "core", core->scheduler.last[i] < SIM_MAX_WARPS &&
						core->scheduler.group[i] < SIM_MAX_WARPS);
	for (uint32_t i = 0; i < machine->config.warps; i++)
		free += core->warp[i].wait == SIM_FREE;
	for (uint32_t i = 0; i < machine->config.blocks; i++) {
		live += core->blocks.live[i] != 0;
		sim_io_below(io, "core", core->block[i], machine->launch.threads + 1);
	}
	sim_io_must(io, "core", core->in_memory == sim_plain_in_memory(machine, core) &&
					core->gap_issues <= core->gap + 1);
	sim_io_must(io, "core", core->free_warps == free && core->blocks.count == live);
	blocks_check(machine, index, io);
	sim_io_must(io, "core", machine->port.ops->core_tick || core->unit_due == SIM_NEVER);
}

void sim_cores_io(struct sim_machine *machine, struct sim_io *io)
{
	uint32_t warps = machine->config.cores * machine->config.warps;

	for (uint32_t i = 0; i < warps && sim_io_ok(io); i++)
		warp_io(machine, i, io);
	for (uint32_t i = 0; i < machine->config.cores; i++) {
		struct sim_core *core = &machine->core[i];

		SIM_IO_FROM(io, core, ready);
		if (machine->former->own)
			sim_l1_io(&core->l1, machine->config.warps * machine->config.lanes,
				  (uint64_t)machine->config.warps * SIM_MAX_LANES, io);
		else
			sim_l1_io(&core->l1, machine->config.warps,
				  sim_all_lanes(&machine->port) + 1, io);
		if (io->loading && sim_io_ok(io))
			core_check(machine, i, io);
	}
	if (machine->former->io && sim_io_ok(io))
		machine->former->io(machine, io);
	SIM_IO_ARRAY(io, machine->shared, shared_words(machine));
}

/* A load for the L1 names those who wait for it. */
void sim_core_check(struct sim_machine *machine, const struct sim_message *message,
		    enum sim_way way, struct sim_io *io)
{
	const struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	(void)way;
	if (machine->former->check)
		machine->former->check(machine, message, io);
	if (machine->former->own)
		return;
	sim_lanes_must(&machine->port, io, "message", message->what == SIM_DO_STORE ? 0 :
								     message->b);
	if (message->what == SIM_DO_LOAD && machine->config.l1_bytes && !warp->in_tx)
		sim_l1_claim(&machine->core[message->core].l1, io, message->e);
}

/* ---- ready and waiting ------------------------------------------------------------------ */

static void timers(struct sim_machine *machine, struct sim_core *core)
{
	uint64_t *timer = &core->timer[machine->port.now % SIM_TIMER], mask = *timer;

	*timer = 0;
	for (SIM_EACH_LANE(i, mask)) {
		struct sim_warp *warp = &core->warp[i];

		if (warp->wait != SIM_UNTIL)
			continue;
		if (warp->ready_at <= machine->port.now)
			sim_warp_ready(machine, core, warp);
		else
			sim_warp_until(&machine->port, warp, warp->ready_at);
	}
}

/* An atomic is done. Until a lock program enters its critical section, its atomics acquire
 * locks. */
static void atomic_done(struct sim_machine *machine, struct sim_warp *warp)
{
	bool lock = warp->op == SIM_CAS && machine->enters;

	sim_locking(&machine->port, warp,
		    warp->ledger.locking & ~(lock ? warp->mask & warp->inside : warp->mask));
}

static void access_done(struct sim_machine *machine, struct sim_warp *warp)
{
	if (warp->in_tx && warp->op != SIM_ADD && machine->port.ops->loaded) {
		machine->port.ops->loaded(&machine->port, warp);
		return;
	}
	if (warp->op == SIM_LOAD)
		sim_tell_load(&machine->port, warp, warp->mask & warp->inside);
	else
		atomic_done(machine, warp);
	sim_warp_until(&machine->port, warp, machine->port.now);
}

/* A line has come to the L1. The L2 has read the words for the warp that sent the request. */
static void line_arrives(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_core *core = &machine->core[message->core];
	uint32_t first = message->e;
	struct sim_waiter waiter;

	sim_l1_arrives(&core->l1, message->a, first);
	while (sim_l1_next(&core->l1, &first, &waiter)) {
		struct sim_warp *warp = &core->warp[waiter.warp];

		if (waiter.warp != message->warp)
			sim_load_lanes(machine, warp, waiter.thread);
		if (!--warp->outstanding)
			access_done(machine, warp);
	}
}

void sim_core_accept(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	machine->run.last_work = machine->port.now;
	if (machine->plain)
		sim_plain_count(machine, message->core);
	if (machine->former->own) {
		machine->former->own->reply(machine, message);
	} else if (message->what >= SIM_DO_SYSTEM) {
		machine->port.ops->at_core(&machine->port, message);
	} else if (message->what == SIM_DO_STORE) {
		warp->stores--;
		if (machine->former->stored && message->e)
			machine->former->stored(machine, message);
		sim_stores_look(machine, warp);
	} else if (machine->config.l1_bytes && message->what == SIM_DO_LOAD && !warp->in_tx) {
		line_arrives(machine, message);
	} else if (!--warp->outstanding) {
		access_done(machine, warp);
	}
}

static bool is_in_pipeline(const struct sim_machine *machine, const struct sim_warp *warp)
{
	if (machine->plain && warp->wait == SIM_AT_BARRIER)
		return warp->ready_at > machine->port.now;
	return warp->wait == SIM_UNTIL && (machine->plain ? !sim_doing_of(machine, warp)->memory :
					   warp->ready_at - machine->port.now <=
						   sim_pipeline(machine));
}

/* Warps that wait for nothing but the pipeline latency of their last instruction. */
static uint64_t in_pipeline(const struct sim_machine *machine, const struct sim_core *core)
{
	uint64_t warps = 0;

	for (uint32_t i = 0; i < machine->config.warps; i++)
		warps |= (uint64_t)is_in_pipeline(machine, &core->warp[i]) << i;
	return warps;
}

static void issue(struct sim_machine *machine, struct sim_core *core, uint32_t slot)
{
	uint32_t kind = machine->config.scheduler;
	uint64_t pipeline = kind == SIM_TWO_LEVEL ? in_pipeline(machine, core) : 0;
	uint32_t index;

	if (machine->plain && machine->former->pick) {
		index = machine->former->pick(machine, core->warp->core, slot);
		if (index != SIM_NO_WARP)
			core->gap = core->gap_issues = 0;
	} else {
		index = sim_schedule(&core->scheduler, kind, slot, machine->slot_warps << slot,
				     core->ready, pipeline);
	}
	if (index == SIM_NO_WARP)
		return;
	core->ready &= ~(UINT64_C(1) << index);
	core->issue_free[slot] = machine->port.now + machine->issue_ticks;
	machine->port.result.instructions++;
	machine->port.result.longer += machine->issue_cycles - 1;
	sim_issue(machine, &core->warp[index]);
}

/* Issue in all slots that are free and have a ready warp. */
static void issue_all(struct sim_machine *machine, struct sim_core *core)
{
	for (uint32_t i = 0; i < machine->config.issue_slots; i++)
		if (core->ready & machine->slot_warps << i &&
		    core->issue_free[i] <= machine->port.now)
			issue(machine, core, i);
}

/* The first tick at which a slot with a ready warp is free. */
static uint64_t next_issue(const struct sim_machine *machine, const struct sim_core *core)
{
	uint64_t next = SIM_NEVER;

	for (uint32_t i = 0; i < machine->config.issue_slots; i++)
		if (core->ready & machine->slot_warps << i && core->issue_free[i] < next)
			next = core->issue_free[i];
	return next;
}

/* Does the warp go on, now that its instruction has completed? */
static bool goes_on(struct sim_machine *machine, struct sim_core *core, struct sim_warp *warp)
{
	uint64_t bit = UINT64_C(1) << warp->index;

	if (core->ending & bit) {
		core->ending &= ~bit;
		if (!sim_plain_ended(machine, warp))
			return false;
	}
	return !machine->former->resume || machine->former->resume(machine, warp);
}

/* Warps whose instructions have completed go on, or are compacted, which may make others ready. */
static void resume(struct sim_machine *machine, struct sim_core *core)
{
	for (uint64_t left; (left = core->ready & core->woken);) {
		uint64_t bit = left & -left;

		core->woken &= ~bit;
		core->ready &= ~bit;
		if (goes_on(machine, core, &core->warp[__builtin_ctzll(left)]))
			core->ready |= bit;
	}
}

/* The turn of a core of static warps. */
static void take_turn(struct sim_machine *machine, uint32_t index)
{
	struct sim_core *core = &machine->core[index];
	uint64_t now = machine->port.now, next;

	if (machine->plain)
		sim_plain_count(machine, index);
	timers(machine, core);
	if (core->unit_due <= now) {
		core->unit_due = SIM_NEVER;
		next = machine->port.ops->core_tick(&machine->port, index);
		core->unit_due = sim_earlier(core->unit_due, next);
	}
	if (machine->former->resume || core->ending)
		resume(machine, core);
	if (core->ready && sim_align(now, machine->port.core_ticks) == now)
		issue_all(machine, core);
	sim_wheel_wake(&machine->wheel, &core->turn, core->unit_due);
	if (!core->ready)
		return;
	next = next_issue(machine, core);
	next = next > now ? next : now + 1;
	sim_wheel_wake(&machine->wheel, &core->turn, sim_align(next, machine->port.core_ticks));
}

void sim_core_call(struct sim_machine *machine, uint32_t index)
{
	if (machine->former->own)
		machine->former->own->call(machine, index);
	else
		take_turn(machine, index);
}
