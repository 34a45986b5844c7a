/* SPDX-License-Identifier: BSD-2-Clause */
#include "alone.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "mechanism.h"
#include "../base/arena.h"
#include "../kernel/reference.h"
#include "../kernel/say.h"

struct thread {
	uint32_t pc; /* next instruction of the thread's run alone; KERNEL_NONE: it has ended */
	uint32_t decided; /* branches */
	uint32_t loaded;
	uint32_t trail;	  /* as in the reference */
	uint64_t executed, placed; /* instructions executed; and when places were last looked at */
};

struct flow_check {
	const struct kernel *kernel; /* NULL: nothing to compare with */
	uint64_t seed, most;
	const volatile sig_atomic_t *stop;
	struct flow_reference reference;
	struct thread *thread;
	uint64_t threads, places, instructions;
	uint64_t issued, alone; /* instructions of all threads in the run, and in the reference */
	bool failed, stopped; /* the run could not continue */
	char failure[SIM_MESSAGE];
};

struct flow_check *flow_check_new(uint64_t seed, uint64_t most_instructions,
				  const volatile sig_atomic_t *stop)
{
	struct flow_check *c = sim_calloc(1, sizeof(*c));

	if (c)
		*c = (struct flow_check){ .seed = seed, .most = most_instructions, .stop = stop };
	return c;
}

int flow_check_launch(struct flow_check *c, const struct kernel *k, char *message, size_t size)
{
	int error;

	flow_reference_free(&c->reference);
	sim_free(c->thread);
	c->kernel = NULL;
	c->threads += k->threads;
	c->thread = sim_calloc(k->threads, sizeof(*c->thread));
	if (!c->thread)
		return -ENOMEM;
	error = flow_reference_run(k, c->seed, c->most, c->stop, &c->reference, message, size);
	if (error)
		return error == -EINVAL && !c->failed ? -ENOEXEC : error;
	c->kernel = k;
	for (size_t t = 0; t < k->threads; t++)
		c->alone += c->reference.executed[t];
	return 0;
}

void flow_check_free(struct flow_check *c)
{
	if (!c)
		return;
	flow_reference_free(&c->reference);
	sim_free(c->thread);
	sim_free(c);
}

/* Keep the first failure. */
static void fail(struct flow_check *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct flow_check *c, const char *format, ...)
{
	va_list list;

	if (c->failed)
		return;
	c->failed = true;
	va_start(list, format);
	vsnprintf(c->failure, sizeof(c->failure), format, list);
	va_end(list);
}

static void fail_at(struct flow_check *c, uint32_t thread, uint32_t pc, const char *what)
{
	const struct kernel *k = c->kernel;

	fail(c, "thread %u of block %u %s (%s:%u)", thread % k->block_threads,
	     thread / k->block_threads, what, k->file, k->code->instr[pc].line);
}

static uint32_t thread_of(const struct flow_core *core, uint32_t slot)
{
	return flow_id_of(core->threads, slot);
}

/* Where no branch divides a warp, it has all live threads of one static warp. */
static void check_whole(struct flow_check *c, const struct flow_core *core,
			const struct flow_warp *warp)
{
	uint32_t lanes = c->kernel->lanes;
	uint32_t first = warp->lanes.slot[__builtin_ctz(warp->lanes.mask)] / lanes * lanes;

	for (uint32_t l = 0; l < lanes; l++) {
		bool live = flow_exists(core->threads, first + l) &&
			    c->thread[thread_of(core, first + l)].pc != KERNEL_NONE;
		bool in = warp->lanes.mask >> l & 1;

		if (live != in || (in && warp->lanes.slot[l] != first + l))
			fail_at(c, thread_of(core, first), warp->pc, "is not in its whole static "
				"warp outside of divided code");
	}
}

static bool restores(const struct flow_core *core, uint32_t s)
{
	if (core->mechanism->restores == FLOW_RESTORES_FULL_BLOCKS)
		return core->blocks.live[s] ==
		       kernel_threads_of_block(core->kernel, core->block[s]);
	return core->mechanism->restores == FLOW_RESTORES;
}

void flow_check_issue(struct flow_check *c, const struct flow_core *core,
		      const struct flow_warp *warp)
{
	const struct kernel *k = c->kernel;

	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), slot = warp->lanes.slot[l];
		uint32_t thread = thread_of(core, slot);

		if (flow_lane_of(core->threads, slot) != l)
			fail_at(c, thread, warp->pc, "is not in its home lane");
		if (c->thread[thread].pc != warp->pc)
			fail_at(c, thread, warp->pc,
				"executes an instruction that is not its next one");
		c->thread[thread].executed++;
		c->issued++;
	}
	if (!k->code->block[k->code->instr[warp->pc].block].divided &&
	    restores(core, warp->resident))
		check_whole(c, core, warp);
}

void flow_check_load(struct flow_check *c, const struct flow_core *core,
		     const struct flow_warp *warp, const struct flow_effect *effect)
{
	const struct kernel_instr *i = &c->kernel->code->instr[warp->pc];
	bool shared = kernel_shares(c->kernel, i);
	char name[120], what[200];

	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), slot = warp->lanes.slot[l];
		uint32_t thread = thread_of(core, slot), index = c->thread[thread].loaded++;
		uint32_t value = core->threads->reg[i->d * core->threads->stride + slot];
		const struct flow_loads *alone = &c->reference.loads[thread];

		if (!(effect->accesses >> l & 1) || index >= alone->count ||
		    alone->value[index] == value)
			continue;
		kernel_name_accessed(c->kernel, i, effect->address[l] << (shared ? 2 : 0), name,
				     sizeof(name));
		snprintf(what, sizeof(what), "loads %s = %u, but %u when run alone", name, value,
			 alone->value[index]);
		fail_at(c, thread, warp->pc, what);
	}
}

static void compare_outcome(struct flow_check *c, uint32_t thread, uint32_t pc, bool taken)
{
	const struct flow_outcomes *o = &c->reference.outcomes[thread];
	uint32_t index = c->thread[thread].decided++;

	if (index >= o->count || flow_outcome(o, index) != taken)
		fail_at(c, thread, pc, "does not branch as it does alone");
}

static uint32_t next_pc(const struct flow_check *c, uint32_t pc, bool taken)
{
	const struct kernel_instr *i = &c->kernel->code->instr[pc];
	const struct kernel_block *block = &c->kernel->code->block[i->block];

	if (i->op == KERNEL_EXIT || (i->op == KERNEL_EXIT_IF && taken))
		return KERNEL_NONE;
	if (!i->last)
		return pc + 1;
	return c->kernel->code->block[block->way[i->op == KERNEL_BRANCH && !taken]].first;
}

static void follow(struct flow_check *c, const struct flow_core *core, uint32_t slot,
		   const struct kernel_instr *i)
{
	uint32_t *trail = &c->thread[thread_of(core, slot)].trail;

	if (kernel_fetches(i))
		*trail = flow_mix(*trail, core->threads->reg[i->d * core->threads->stride + slot]);
	*trail = flow_mix(*trail, i->mix);
}

void flow_check_complete(struct flow_check *c, const struct flow_core *core,
			 const struct flow_warp *warp)
{
	const struct kernel_instr *i = &c->kernel->code->instr[warp->pc];

	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);
		uint32_t thread = thread_of(core, warp->lanes.slot[l]);
		bool taken = warp->taken >> l & 1;

		follow(c, core, warp->lanes.slot[l], i);
		if (i->op == KERNEL_BRANCH)
			compare_outcome(c, thread, warp->pc, taken);
		c->thread[thread].pc = next_pc(c, warp->pc, taken);
	}
}

struct look {
	struct flow_check *check;
	const struct flow_core *core;
};

static void look_at(void *state, uint32_t slot, uint32_t pc)
{
	struct look *look = state;
	struct flow_check *c = look->check;
	uint32_t thread = thread_of(look->core, slot);

	if (pc >= c->kernel->code->instr_count)
		pc = 0;
	if (c->thread[thread].placed == c->places)
		fail_at(c, thread, pc, "is in two places");
	if (c->thread[thread].pc != pc)
		fail_at(c, thread, pc, "is at an instruction that is not its next one");
	c->thread[thread].placed = c->places;
}

static void look_for(struct flow_check *c, uint32_t block)
{
	uint32_t first = block * c->kernel->block_threads;
	uint32_t end = first + kernel_threads_of_block(c->kernel, block);

	for (uint32_t t = first; t < end; t++)
		if (c->thread[t].pc != KERNEL_NONE && c->thread[t].placed != c->places)
			fail_at(c, t, c->thread[t].pc, "has no place");
}

void flow_check_places(struct flow_check *c, const struct flow_core *core)
{
	struct look look = { c, core };

	c->places++;
	core->mechanism->places(core, look_at, &look);
	for (uint32_t s = 0; s < core->residents; s++)
		if (core->blocks.live[s])
			look_for(c, core->block[s]);
}

bool flow_check_hopeless(const struct flow_check *c)
{
	return c->failed && c->issued > 2 * c->alone + 1000;
}

void flow_check_stopped(struct flow_check *c, const char *reason)
{
	c->stopped = true;
	fail(c, "the run could not go on: %s", reason);
}

/* ---- after the run ---- */

void flow_check_unit(struct flow_check *c, const struct sim_unit_info *unit)
{
	const char *broken = gputm_unit_check(unit->unit);

	if (broken)
		fail(c, "unit %s %u has broken an invariant: %s", unit->role, unit->instance,
		     broken);
}

static void compare_thread(struct flow_check *c, const struct flow_gpu *gpu, uint32_t slot)
{
	const struct kernel *k = c->kernel;
	const struct flow_reference *r = &c->reference;
	uint32_t thread = flow_id_of(&gpu->threads, slot);

	c->instructions += c->thread[thread].executed;
	if (c->thread[thread].pc != KERNEL_NONE)
		fail(c, "thread %u of block %u has not ended", thread % k->block_threads,
		     thread / k->block_threads);
	if (c->thread[thread].executed != r->executed[thread])
		fail(c, "thread %u of block %u executed %llu instructions, and alone %llu",
		     thread % k->block_threads, thread / k->block_threads,
		     (unsigned long long)c->thread[thread].executed,
		     (unsigned long long)r->executed[thread]);
	if (c->thread[thread].trail != r->trail[thread])
		fail(c, "thread %u of block %u loaded other values than alone",
		     thread % k->block_threads, thread / k->block_threads);
	for (uint32_t i = 0; i < k->code->registers; i++)
		if (gpu->threads.reg[i * gpu->threads.stride + slot] !=
		    r->value[(size_t)thread * k->code->registers + i])
			fail(c, "thread %u of block %u has another %s than alone",
			     thread % k->block_threads, thread / k->block_threads,
			     k->code->reg[i].name);
}

static void compare_memory(struct flow_check *c, const struct flow_gpu *gpu)
{
	const struct kernel *k = c->kernel;

	for (size_t i = 0; i < k->arrays; i++) {
		const struct kernel_array *a = &k->array[i];
		const size_t first = (size_t)(a->base - gpu->threads.origin) / 4;
		const uint32_t *word = gpu->threads.word + first;
		const uint32_t *alone = c->reference.word + first;

		if (a->kind != KERNEL_GLOBAL && a->kind != KERNEL_LOCK_WORDS)
			continue;
		for (uint32_t w = 0; w < a->length * a->words; w++)
			if (word[w] != alone[w])
				fail(c, "%s[%u] is %u and not %u", a->name, w / a->words, word[w],
				     alone[w]);
	}
	if (k->shared_words && memcmp(gpu->threads.shared, c->reference.shared,
				      k->blocks * k->shared_words * sizeof(uint32_t)))
		fail(c, "shared memory differs");
}

void flow_check_compare(struct flow_check *c, const struct flow_gpu *gpu)
{
	for (uint32_t slot = 0; slot < gpu->threads.count; slot++)
		if (flow_exists(&gpu->threads, slot))
			compare_thread(c, gpu, slot);
	compare_memory(c, gpu);
}

bool flow_check_judge(struct flow_check *c, const struct flow_gpu *gpu, struct sim_verdict *out)
{
	if (c->kernel)
		flow_check_compare(c, gpu);
	out->serializable = !c->failed;
	snprintf(out->failure, sizeof(out->failure), "%s", c->failure);
	return !c->stopped;
}

bool flow_check_count(const struct flow_check *c, size_t index, const char **name, uint64_t *value)
{
	const struct {
		const char *name;
		uint64_t value;
	} row[] = {
		{ "threads", c ? c->threads : 0 },
		{ "instructions", c ? c->instructions : 0 },
		{ "places", c ? c->places : 0 }, /* how often all places were compared */
	};

	if (index >= sizeof row / sizeof *row)
		return false;
	*name = row[index].name;
	*value = row[index].value;
	return true;
}
