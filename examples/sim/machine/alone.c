/* SPDX-License-Identifier: BSD-2-Clause */
#include "alone.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/memory.h"
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

/* Where no branch divides a warp, it has all live threads of one static warp. */
static void check_whole(struct flow_check *c, const struct flow_seen *seen)
{
	const struct kernel *k = c->kernel;
	uint32_t first = seen->thread[__builtin_ctz(seen->mask)], block = first / k->block_threads;
	uint32_t within = first % k->block_threads / k->lanes * k->lanes;

	first = block * k->block_threads + within;
	for (uint32_t l = 0; l < k->lanes; l++) {
		bool live = within + l < kernel_threads_of_block(k, block) &&
			    c->thread[first + l].pc != KERNEL_NONE;
		bool in = seen->mask >> l & 1;

		if (live != in || (in && seen->thread[l] != first + l))
			fail_at(c, first, seen->pc, "is not in its whole static warp outside of "
						    "divided code");
	}
}

void flow_check_issue(struct flow_check *c, const struct flow_seen *seen, bool whole)
{
	const struct kernel *k = c->kernel;

	for (uint32_t left = seen->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), thread = seen->thread[l];

		if (thread % k->block_threads % k->lanes != l)
			fail_at(c, thread, seen->pc, "is not in its home lane");
		if (c->thread[thread].pc != seen->pc)
			fail_at(c, thread, seen->pc,
				"executes an instruction that is not its next one");
		c->thread[thread].executed++;
		c->issued++;
	}
	if (whole && !k->code->block[k->code->instr[seen->pc].block].divided)
		check_whole(c, seen);
}

static void compare_load(struct flow_check *c, uint32_t thread, uint32_t pc, uint32_t index,
			 uint64_t address, uint32_t value)
{
	const struct flow_loads *alone = &c->reference.loads[thread];
	char name[120], what[200];

	if (index >= alone->count || alone->value[index] == value)
		return;
	kernel_name_accessed(c->kernel, &c->kernel->code->instr[pc], address, name, sizeof(name));
	snprintf(what, sizeof(what), "loads %s = %u, but %u when run alone", name, value,
		 alone->value[index]);
	fail_at(c, thread, pc, what);
}

void flow_check_loaded(struct flow_check *c, const struct flow_seen *seen, uint32_t accesses,
		       const uint64_t *address, const uint32_t *value)
{
	const struct kernel_instr *i = &c->kernel->code->instr[seen->pc];

	for (uint32_t left = seen->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), index;
		struct thread *thread = &c->thread[seen->thread[l]];

		index = thread->loaded++;
		if (accesses >> l & 1)
			compare_load(c, seen->thread[l], seen->pc, index, address[l], value[l]);
		thread->trail = flow_mix(flow_mix(thread->trail, value[l]), i->mix);
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

	if (i->op == SIM_EXIT || (i->op == SIM_EXIT_IF && taken))
		return KERNEL_NONE;
	if (!i->last)
		return pc + 1;
	return c->kernel->code->block[block->way[i->op == SIM_BRANCH && !taken]].first;
}

void flow_check_complete(struct flow_check *c, const struct flow_seen *seen, uint32_t taken)
{
	const struct kernel_instr *i = &c->kernel->code->instr[seen->pc];

	for (uint32_t left = seen->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left), number = seen->thread[l];
		struct thread *thread = &c->thread[number];

		if (!kernel_fetches(i))
			thread->trail = flow_mix(thread->trail, i->mix);
		if (i->op == SIM_BRANCH)
			compare_outcome(c, number, seen->pc, taken >> l & 1);
		thread->pc = next_pc(c, seen->pc, taken >> l & 1);
	}
}

void flow_check_exit(struct flow_check *c, uint32_t thread, const uint32_t *reg, size_t stride)
{
	const struct kernel *k = c->kernel;
	const uint32_t *alone = c->reference.value + (size_t)thread * k->code->registers;

	for (uint32_t i = 0; i < k->code->registers; i++)
		if (reg[i * stride] != alone[i])
			fail(c, "thread %u of block %u has another %s than alone",
			     thread % k->block_threads, thread / k->block_threads,
			     k->code->reg[i].name);
}

void flow_check_look(struct flow_check *c)
{
	c->places++;
}

void flow_check_place(void *state, uint32_t thread, uint32_t pc)
{
	struct flow_check *c = state;

	if (pc >= c->kernel->code->instr_count)
		pc = 0;
	if (c->thread[thread].placed == c->places)
		fail_at(c, thread, pc, "is in two places");
	if (c->thread[thread].pc != pc)
		fail_at(c, thread, pc, "is at an instruction that is not its next one");
	c->thread[thread].placed = c->places;
}

void flow_check_block(struct flow_check *c, uint32_t block)
{
	uint32_t first = block * c->kernel->block_threads;
	uint32_t end = first + kernel_threads_of_block(c->kernel, block);

	for (uint32_t t = first; t < end; t++)
		if (c->thread[t].pc != KERNEL_NONE && c->thread[t].placed != c->places)
			fail_at(c, t, c->thread[t].pc, "has no place");
}

void flow_check_shared(struct flow_check *c, uint32_t block, const uint32_t *word)
{
	size_t words = c->kernel ? c->kernel->shared_words : 0;

	if (words && memcmp(word, c->reference.shared + block * words, words * sizeof(*word)))
		fail(c, "shared memory differs");
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

static void compare_thread(struct flow_check *c, uint32_t thread)
{
	const struct kernel *k = c->kernel;
	const struct flow_reference *r = &c->reference;

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
}

static void compare_memory(struct flow_check *c, const struct sim_memory *memory)
{
	const struct kernel *k = c->kernel;

	for (size_t i = 0; i < k->arrays; i++) {
		const struct kernel_array *a = &k->array[i];
		const uint32_t *alone;

		if (a->kind != KERNEL_GLOBAL && a->kind != KERNEL_LOCK_WORDS)
			continue; /* its words lie in no memory */
		alone = c->reference.word + (size_t)(a->base - flow_origin(k)) / 4;
		for (uint32_t w = 0; w < a->length * a->words; w++) {
			uint32_t word = sim_memory_read(memory, a->base + 4 * (uint64_t)w);

			if (word != alone[w])
				fail(c, "%s[%u] is %u and not %u", a->name, w / a->words, word,
				     alone[w]);
		}
	}
}

void flow_check_compare(struct flow_check *c, const struct sim_memory *memory)
{
	for (uint32_t thread = 0; c->kernel && thread < c->kernel->threads; thread++)
		compare_thread(c, thread);
	if (c->kernel)
		compare_memory(c, memory);
}

bool flow_check_judge(struct flow_check *c, const struct sim_memory *memory,
		      struct sim_verdict *out)
{
	flow_check_compare(c, memory);
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
