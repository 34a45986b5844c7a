/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs without a TM system, on the same cores as runs with one. What they have besides: counts of
 * lanes and of idle cycles, --issues, a check against each thread alone (alone.h), and a preset for
 * runs without a machine: one core, with memory at a fixed distance (far.c). Their rules of time
 * differ in three things:
 *	- the threads of a warp end when the instruction that ends them all is over: on a machine
 *	  when its issue is, and all their stores have been performed;
 *	- a fence issues once, and takes the latency of an instruction when the stores are done;
 *	- a block has a fixed place among the warps of its core.
 */
#include "plain.h"

#include "../base/arena.h"
#include "../kernel/kernel.h"
#include "alone.h"
#include "wiring.h"

static struct flow_check *check_of(const struct sim_machine *machine)
{
	return machine->plain->check;
}

static const struct kernel_instr *instr_of(const struct sim_machine *machine,
					   const struct sim_warp *warp)
{
	return &machine->plain->kernel.code->instr[sim_doing_of(machine, warp)->pc];
}

/* ---- issue and completion ---- */

static struct flow_seen seen_of(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct sim_doing *doing = sim_doing_of(machine, warp);

	return (struct flow_seen){ doing->pc, doing->lanes, warp->thread };
}

/* The check gets what the last load has given, now that the words are in their register. */
static void show_loaded(struct sim_machine *machine, struct sim_warp *warp)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);
	const struct flow_seen seen = seen_of(machine, warp);
	uint32_t value[SIM_MAX_LANES];

	if (!doing->fetched)
		return;
	doing->fetched = false;
	sim_take_loaded(warp);
	for (SIM_EACH_LANE(lane, doing->lanes))
		value[lane] = *sim_register_of(warp, instr_of(machine, warp)->d, (uint32_t)lane);
	flow_check_loaded(check_of(machine), &seen, (uint32_t)warp->mask, warp->address, value);
}

/* Are static warps whole outside of what branches divide? */
static bool restores(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct flow_mechanism *m = machine->mechanism;
	const struct sim_core *core = &machine->core[warp->core];
	uint32_t block = core->block[warp->block];

	if (m->restores == FLOW_RESTORES_FULL_BLOCKS)
		return core->alive[warp->block] ==
		       kernel_threads_of_block(&machine->plain->kernel, block);
	return m->restores == FLOW_RESTORES;
}

void sim_plain_begins(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		      uint64_t active)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);
	struct flow_seen seen;

	if (check_of(machine))
		show_loaded(machine, warp);
	doing->lanes = (uint32_t)active;
	doing->pc = pc + warp->plain;
	if (!check_of(machine))
		return;
	doing->taken = 0;
	doing->begun = true;
	seen = seen_of(machine, warp);
	flow_check_issue(check_of(machine), &seen, restores(machine, warp));
	doing->fetched = kernel_fetches(instr_of(machine, warp));
}

static void log_issue(const struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct kernel *k = &machine->plain->kernel;
	const struct kernel_instr *i = instr_of(machine, warp);
	FILE *out = machine->run.options.issues;

	fprintf(out, "%llu\t%s\t%u\t",
		(unsigned long long)(machine->port.now / machine->port.core_ticks),
		k->code->block[i->block].name, i->line);
	for (uint32_t l = 0; l < k->lanes; l++) {
		if (sim_doing_of(machine, warp)->lanes >> l & 1)
			fprintf(out, "%s%u", l ? " " : "", warp->thread[l]);
		else
			fprintf(out, "%s-", l ? " " : "");
	}
	if (!machine->far)
		fprintf(out, "\t%u", (unsigned)warp->core);
	putc('\n', out);
}

void sim_plain_issues(struct sim_machine *machine, struct sim_warp *warp, uint32_t pc,
		      uint64_t active)
{
	sim_plain_begins(machine, warp, pc, active);
	if (machine->run.options.issues)
		log_issue(machine, warp);
}

void sim_plain_done(struct sim_machine *machine, struct sim_warp *warp)
{
	const struct kernel_instr *i = instr_of(machine, warp);
	struct sim_doing *doing = sim_doing_of(machine, warp);
	const struct flow_seen seen = seen_of(machine, warp);
	uint32_t ended = i->op == SIM_EXIT ? doing->lanes :
			 i->op == SIM_EXIT_IF ? doing->taken : 0;

	if (!doing->begun)
		return;
	doing->begun = false;
	if (!machine->former->at_once)
		show_loaded(machine, warp);
	flow_check_complete(check_of(machine), &seen, doing->taken);
	for (SIM_EACH_LANE(lane, ended))
		flow_check_exit(check_of(machine), warp->thread[lane],
				sim_register_of(warp, 0, (uint32_t)lane), SIM_MAX_LANES);
}

void sim_plain_look(struct sim_machine *machine, uint32_t index)
{
	const struct sim_core *core = &machine->core[index];

	if (!check_of(machine))
		return;
	flow_check_look(check_of(machine));
	machine->former->places(machine, index, flow_check_place, check_of(machine));
	for (uint32_t s = 0; s < machine->config.blocks; s++)
		if (core->blocks.live[s])
			flow_check_block(check_of(machine), core->block[s]);
}

void sim_plain_moved(struct sim_machine *machine, const struct sim_warp *warp)
{
	const struct kernel_instr *i = instr_of(machine, warp);

	if (!check_of(machine))
		return;
	if (i->last || i->op == SIM_EXIT_IF || i->op == SIM_BARRIER)
		sim_plain_look(machine, warp->core);
}

/* ---- what ends ---- */

static void wait_for_stores(struct sim_machine *machine, struct sim_warp *warp, bool waits)
{
	if (waits && !sim_stores_done(machine, warp))
		sim_plain_remember(machine, warp);
	else
		sim_warp_until(&machine->port, warp, machine->port.now +
			       sim_plain_rest(machine, warp));
}

void sim_plain_end(struct sim_machine *machine, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_doing *doing = sim_doing_of(machine, warp);

	doing->ending = true;
	if (!machine->former->own)
		machine->core[warp->core].ending |= UINT64_C(1) << warp->index;
	doing->taken = (uint32_t)lanes;
	wait_for_stores(machine, warp, sim_plain_ends(machine, warp));
}

void sim_plain_fence(struct sim_machine *machine, struct sim_warp *warp)
{
	if (machine->far)
		sim_far_fence(machine, warp);
	else
		wait_for_stores(machine, warp, true);
}

void sim_plain_block_ended(struct sim_machine *machine, uint32_t index, uint32_t s)
{
	const struct sim_core *core = &machine->core[index];
	const struct kernel *k = &machine->plain->kernel;
	const uint32_t *shared = sim_shared_of(machine, index, s);

	if (check_of(machine))
		flow_check_shared(check_of(machine), core->block[s], shared);
	for (size_t i = 0; k->shows_shared && i < k->shared_words; i++)
		sim_memory_write(machine->port.memory, 4 * i, shared[i]);
}

void sim_plain_block_begins(struct sim_machine *machine, uint32_t index, uint32_t s,
			    uint32_t number)
{
	struct sim_core *core = &machine->core[index];
	const struct kernel *k = &machine->plain->kernel;
	uint32_t *shared = sim_shared_of(machine, index, s);

	core->block[s] = number;
	core->alive[s] = kernel_threads_of_block(k, number);
	for (size_t i = 0; k->shows_shared && i < k->shared_words; i++)
		shared[i] = sim_memory_read(machine->port.memory, 4 * i);
}

/* ---- idle cycles ---- */

uint32_t sim_plain_in_memory(const struct sim_machine *machine, const struct sim_core *core)
{
	const struct sim_plain *p = machine->plain;
	uint32_t count = 0;

	for (uint32_t i = 0; p && i < p->warps; i++)
		count += p->doing[core->warp->core * p->warps + i].memory;
	return count;
}

/* The idle cycles between two issues, however many parts they come in, are so many issues. */
static void skip(struct sim_machine *machine, struct sim_core *core, uint64_t cycles)
{
	uint64_t issues;

	core->gap += cycles;
	issues = sim_later(core->gap / machine->issue_cycles, 1);
	machine->former->skip(machine, core->warp->core, issues - core->gap_issues);
	core->gap_issues = issues;
}

static void add_idle(struct sim_machine *machine, struct sim_core *core, uint64_t ticks)
{
	struct sim_result *r = &machine->port.result;

	*(core->in_memory ? &r->memory_idle : &r->idle) += ticks;
	if (machine->former->skip)
		skip(machine, core, ticks / machine->port.core_ticks);
}

/* Up to a tick at which a cycle begins; until the run is over the counts are ticks. */
static void count_until(struct sim_machine *machine, struct sim_core *core, uint64_t tick)
{
	uint64_t idle = 0;

	if (tick <= core->counted)
		return;
	for (uint32_t i = 0; i < machine->config.issue_slots; i++) {
		uint64_t from = sim_later(core->counted, core->issue_free[i]);

		idle += tick > from ? tick - from : 0;
	}
	core->counted = tick;
	if (idle)
		add_idle(machine, core, idle);
}

void sim_plain_count(struct sim_machine *machine, uint32_t core)
{
	count_until(machine, &machine->core[core],
		    sim_align(machine->port.now, machine->port.core_ticks));
}

/* ---- launches ---- */

void sim_plain_launch(struct sim_machine *machine)
{
	struct sim_plain *p = machine->plain;
	char message[SIM_MESSAGE] = "out of memory";
	int error = 0;

	if (machine->port.program->part) {
		kernel_become(&p->kernel, machine->launch.number);
		p->kernel.initial = machine->port.memory;
	}
	if (p->check)
		error = flow_check_launch(p->check, &p->kernel, message, sizeof message);
	if (error)
		sim_fail(&machine->port, error, message);
}

uint64_t sim_plain_launched(struct sim_machine *machine)
{
	if (machine->plain->check)
		flow_check_compare(machine->plain->check, machine->port.memory);
	if (machine->far)
		return sim_later(machine->port.now, machine->plain->far.stored);
	return sim_align(machine->port.now + 1, machine->port.core_ticks);
}

/* ---- ends of runs ---- */

static void fail_anywhere(struct sim_machine *machine, const char *reason, uint64_t cycles)
{
	char message[SIM_MESSAGE];

	snprintf(message, sizeof message, "%s: %s after %llu cycles", machine->plain->kernel.file,
		 reason, (unsigned long long)cycles);
	sim_fail(&machine->port, -EINVAL, message);
}

void sim_plain_may_end(struct sim_machine *machine)
{
	uint64_t period = machine->port.core_ticks, cycles = machine->port.now / period;
	uint64_t last = machine->plain->config.most_cycles + 1;

	machine->run.next_report = sim_earlier(machine->run.next_report, last * period);
	if (cycles >= last)
		fail_anywhere(machine, "given up (core.most_cycles)", last);
	if (check_of(machine) && flow_check_hopeless(check_of(machine)))
		fail_anywhere(machine, "given up", cycles);
}

void sim_plain_over(struct sim_machine *machine)
{
	uint64_t period = machine->port.core_ticks, cycles;
	struct sim_unit_info unit;
	int error;

	if (machine->run.threads_left && !machine->port.failed)
		fail_anywhere(machine, "warps wait for ever, at a barrier or for each other,",
			      machine->port.now / period);
	error = machine->port.failed;
	cycles = ((error ? machine->port.now : machine->run.last_work) + period - 1) / period;
	for (uint32_t i = 0; i < machine->config.cores; i++) {
		machine->core[i].in_memory = 0;
		count_until(machine, &machine->core[i], cycles * period);
	}
	machine->port.result.idle /= period;
	machine->port.result.memory_idle /= period;
	machine->port.result.stalled = machine->port.result.longer -
				       machine->port.result.instructions *
					       (machine->issue_cycles - 1);
	if (!check_of(machine))
		return;
	if (error && error != -EINTR && error != -ENOEXEC)
		flow_check_stopped(check_of(machine), machine->port.error);
	for (size_t i = 0; sim_unit_get(&machine->port, i, &unit); i++)
		flow_check_unit(check_of(machine), &unit);
}

/* ---- the check ---- */

/* Check against each thread run alone, and against what the kernel's verify requires. */
void sim_plain_judge(struct sim_run *run, struct sim_verdict *out)
{
	const struct sim_machine *machine = sim_machine_in(run);
	const struct sim_workload *workload = machine->port.workload;
	char reason[SIM_MESSAGE] = "";
	const char *broken = NULL;
	bool verifies;

	verifies = flow_check_judge(check_of(machine), machine->port.memory, out) &&
		   workload->class->invariant;
	if (verifies)
		broken = workload->class->invariant(workload, machine->port.memory, reason,
						    sizeof(reason));
	out->passed = out->serializable && !broken;
	if (!out->serializable && verifies)
		snprintf(out->failure + strlen(out->failure),
			 sizeof(out->failure) - strlen(out->failure), "; verify: %s",
			 broken ? broken : "passed");
	else if (broken)
		snprintf(out->failure, sizeof(out->failure),
			 "the workload's invariant is broken: %s", broken);
}

bool sim_plain_count_checks(const struct sim_run *run, size_t index, const char **name,
			    uint64_t *value)
{
	const struct sim_machine *machine = (const void *)run;

	return flow_check_count(check_of(machine), index, name, value);
}

/* ---- life ---- */

/* Without a machine: one core, and no partitions. The kernel says what a warp is, and how many
 * blocks have a place. */
static int derive(struct sim_machine *machine, const struct flow_config *all)
{
	const struct flow_core_config *core = &all->core;
	const struct kernel *k = &machine->plain->kernel;
	struct sim_machine_config *c = &machine->config;
	uint32_t warps = kernel_warps_of_block(k);

	if (warps > core->warps)
		return sim_fail(&machine->port, -EINVAL, "a block has more warps than the core");
	machine->far = !c->cores;
	if (machine->far)
		*c = (struct sim_machine_config){
			.size = sizeof *c, .cores = 1, .issue_slots = 1, .scheduler = SIM_LRR,
			.l1_bytes = core->l1_bytes, .l1_ways = core->l1_ways,
			.l1_latency = core->l1_latency,
			.line_bytes = all->coalescer.region_bytes,
		};
	c->lanes = k->lanes;
	c->simd_width = core->simd_width;
	c->plain_latency = core->latency;
	c->blocks = core->warps / warps < core->blocks ? core->warps / warps : core->blocks;
	c->warps = c->blocks * warps;
	c->patience = 0;
	machine->port.shape = sim_machine_shape(c);
	return 0;
}

/* A former whose warps are not those of the core has as many as threads. */
static int make_doing(struct sim_machine *machine)
{
	const struct sim_machine_config *c = &machine->config;
	struct sim_plain *p = machine->plain;

	p->warps = machine->former->own ? c->warps * c->lanes : c->warps;
	p->doing = sim_calloc((size_t)c->cores * p->warps, sizeof *p->doing);
	return p->doing ? 0 : -ENOMEM;
}

int sim_plain_make(struct sim_machine *machine)
{
	const struct flow_config *all = machine->port.system_config;
	const struct sim_run_options *options = &machine->run.options;
	struct sim_plain *p = sim_calloc(1, sizeof *p);

	machine->plain = p;
	if (!p)
		return -ENOMEM;
	p->kernel = *machine->port.workload->kernel;
	p->config = all->core;
	p->block_warps = kernel_warps_of_block(&p->kernel);
	machine->run.waited.next_sum = SIM_SAMPLE;
	if (options->prove)
		p->check = flow_check_new(options->seed, p->config.most_cycles, options->stop);
	if (options->prove && !p->check)
		return -ENOMEM;
	return derive(machine, all) ? -EINVAL : make_doing(machine);
}

void sim_plain_free(struct sim_machine *machine)
{
	if (!machine->plain)
		return;
	flow_check_free(machine->plain->check);
	sim_free(machine->plain->doing);
	sim_free(machine->plain);
}

void sim_plain_io(struct sim_machine *machine, struct sim_io *io)
{
	const struct sim_plain *p = machine->plain;

	SIM_IO(io, machine->plain->far);
	for (size_t i = 0; i < (size_t)machine->config.cores * p->warps; i++) {
		struct sim_doing *doing = &p->doing[i];

		SIM_IO_FROM(io, doing, memory);
		SIM_IO_FLAG(io, doing->memory);
		SIM_IO_FLAG(io, doing->ending);
		sim_lanes_must(&machine->port, io, "doing", doing->taken);
	}
	if (machine->port.program->part && sim_io_ok(io))
		kernel_become(&machine->plain->kernel, machine->launch.number);
}
