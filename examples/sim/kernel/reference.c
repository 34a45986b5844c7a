/* SPDX-License-Identifier: BSD-2-Clause */
#include "compute.h"
#include "reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "lanes.h" /* chance */
#include "../base/arena.h"

enum state { RUNS, AT_BARRIER, AT_CONVERGED, ENDED };

/* The threads of the block that runs. */
struct block {
	struct flow_reference *r;
	uint32_t number, first;
	uint32_t pc[KERNEL_BLOCK_THREADS_MAX];
	enum state state[KERNEL_BLOCK_THREADS_MAX];
};

static int fault(const struct flow_reference *r, uint32_t pc, const char *what, uint32_t thread)
{
	snprintf(r->message, r->size, "%s:%u:%u: thread %u, run alone, %s",
		 r->kernel->file, r->kernel->code->instr[pc].line,
		 r->kernel->code->instr[pc].column, thread, what);
	return -EINVAL;
}

static uint32_t *values(const struct flow_reference *r, uint32_t thread)
{
	return r->value + (size_t)thread * r->kernel->code->registers;
}

/* Where a column of a thread is: scratch and constants are the same for all. */
static uint32_t *word_of(const struct flow_reference *r, uint32_t thread, uint16_t column)
{
	uint32_t registers = r->kernel->code->registers;

	return column < registers ? values(r, thread) + column : r->row + (column - registers);
}

static uint32_t word(const struct flow_reference *r, uint32_t thread, uint16_t column)
{
	return *word_of(r, thread, column);
}

struct view {
	const struct flow_reference *r;
	uint32_t thread;
};

static uint32_t word_in_view(const void *of, uint16_t column)
{
	const struct view *view = of;

	return word(view->r, view->thread, column);
}

/* An access, or a step, with an index beyond the end. */
static int stray(const struct flow_reference *r, uint32_t pc, uint32_t thread, uint32_t step,
		 uint32_t index)
{
	const struct kernel_code *code = r->kernel->code;
	const struct view at = { r, thread };
	const struct kernel_view view = { word_in_view, &at };
	struct sim_stray stray = { .step = step, .index = index };
	char what[200] = "uses ";

	kernel_catch(code, &code->instr[pc], &view, &stray);
	kernel_say_stray(r->kernel, code, &code->instr[pc], &stray, what + 5, sizeof(what) - 5);
	return fault(r, pc, what, thread);
}

static bool note(struct flow_outcomes *o, bool taken)
{
	if (!SIM_ROOM(o->word, o->room, o->count / 64 + 1))
		return false;
	o->word[o->count / 64] |= (uint64_t)taken << o->count % 64;
	o->count++;
	return true;
}

/* The trail has every value; those beyond the limit are not kept apart. */
static bool note_load(struct flow_reference *r, uint32_t thread, uint32_t value)
{
	struct flow_loads *l = &r->loads[thread];

	if (r->loaded == FLOW_LOADS_MAX)
		return true;
	if (!SIM_ROOM(l->value, l->room, l->count + 1))
		return false;
	l->value[l->count++] = value;
	r->loaded++;
	return true;
}

static int access(struct flow_reference *r, uint32_t pc, uint32_t thread)
{
	const struct kernel *k = r->kernel;
	const struct kernel_instr *i = &k->code->instr[pc];
	const struct kernel_place *p = &k->place[i->place];
	uint32_t index = word(r, thread, i->a), *at, old;

	if (i->when != KERNEL_NO_COLUMN && !word(r, thread, i->when))
		return 0;
	if (i->op == SIM_CAS)
		return fault(r, pc, "comes to cas, whose outcome is up to the others, expected "
				    "--system or no --check", thread);
	if (index >= p->length)
		return stray(r, pc, thread, SIM_NO_STEP, index);
	if (kernel_shares(k, i))
		at = r->shared + thread / k->block_threads * k->shared_words +
		     (p->base + (uint64_t)p->stride * index) / 4;
	else
		at = r->word + (p->base - flow_origin(k) + (uint64_t)p->stride * index) / 4;
	old = *at;
	if (i->op == SIM_STORE)
		*at = word(r, thread, i->b);
	else if (i->op == SIM_ADD)
		*at += word(r, thread, i->b);
	if (i->d != KERNEL_NO_COLUMN)
		*word_of(r, thread, i->d) = old;
	return 0;
}

static int fetch(struct flow_reference *r, uint32_t pc, uint32_t thread,
		 const struct kernel_step *s, uint32_t *result)
{
	const struct kernel_place *p = &r->kernel->place[s->extra];
	uint32_t index = word(r, thread, s->a);

	if (!word(r, thread, s->c))
		return 0;
	if (index >= p->length)
		return stray(r, pc, thread, (uint32_t)(s - r->kernel->code->step), index);
	*result = r->kernel->table[p->base + p->stride / 4 * index];
	return 0;
}

static int traced(struct flow_reference *r, uint32_t pc, uint32_t thread,
		  const struct kernel_step *s, uint32_t *result)
{
	const struct kernel_trace *trace = &r->kernel->trace[s->extra];
	uint32_t number = word(r, thread, s->a), *visits = word_of(r, thread, s->c);

	if (*visits >= trace->count[number])
		return fault(r, pc, "has no outcome left in its trace", thread);
	*result = trace->outcome[trace->first[number] + (*visits)++];
	return 0;
}

static uint32_t span(const struct kernel *k, const struct kernel_step *s, uint32_t x, uint32_t y)
{
	const struct kernel_array *array = &k->array[s->extra >> 16];
	const struct kernel_field *field = &array->field[s->extra & 0xffff];

	if (x >= array->length || y >= field->count)
		return UINT32_MAX;
	return x * array->words + field->offset + y;
}

static int step(struct flow_reference *r, uint32_t pc, uint32_t thread,
		const struct kernel_step *s)
{
	uint32_t x = word(r, thread, s->a), y = word(r, thread, s->b), result = 0;
	int error = 0;

	switch ((enum kernel_operator)s->operator) {
	case KERNEL_RANDOM:
		result = kernel_random(r->kernel->seed, x);
		break;
	case KERNEL_SPAN:
		result = span(r->kernel, s, x, y);
		break;
	case KERNEL_FETCH:
		error = fetch(r, pc, thread, s, &result);
		break;
	case KERNEL_LISTED:
		result = r->kernel->list[s->extra].bits[x / 32] >> x % 32 & 1;
		break;
	case KERNEL_CHANCE:
		result = kernel_chance(r->seed, s->extra, x, (*word_of(r, thread, s->c))++, y);
		break;
	case KERNEL_TRACED:
		error = traced(r, pc, thread, s, &result);
		break;
	default:
		result = kernel_compute((enum kernel_operator)s->operator, x, y,
					word(r, thread, s->c));
	}
	*word_of(r, thread, s->d) = result;
	return error;
}

/* What the instruction does but for where the thread goes on. */
static int perform(struct block *b, uint32_t t, bool *taken)
{
	struct flow_reference *r = b->r;
	uint32_t pc = b->pc[t], thread = b->first + t;
	const struct kernel_instr *i = &r->kernel->code->instr[pc];
	int error = 0;

	for (uint32_t n = 0; !error && n < i->steps; n++)
		error = step(r, pc, thread, &r->kernel->code->step[i->step + n]);
	if (error)
		return error;
	if (kernel_accesses(i))
		error = access(r, pc, thread);
	if (kernel_fetches(i)) {
		r->trail[thread] = flow_mix(r->trail[thread], word(r, thread, i->d));
		if (!error && !note_load(r, thread, word(r, thread, i->d)))
			return -ENOMEM;
	}
	if (i->op == SIM_BARRIER)
		b->state[t] = AT_BARRIER;
	else if (i->op == SIM_EXIT || (i->op == SIM_EXIT_IF && word(r, thread, i->a)))
		b->state[t] = ENDED;
	if (i->op != SIM_BRANCH)
		return error;
	*taken = !word(r, thread, i->a) == i->negate;
	return note(&r->outcomes[thread], *taken) ? 0 : -ENOMEM;
}

/* Execute the instruction of a thread and go to the next one, or wait, or end. */
static int execute(struct block *b, uint32_t t)
{
	struct flow_reference *r = b->r;
	const struct kernel_instr *i = &r->kernel->code->instr[b->pc[t]];
	const struct kernel_block *block = &r->kernel->code->block[i->block];
	uint32_t thread = b->first + t;
	bool taken = true;
	int error = perform(b, t, &taken);

	r->trail[thread] = flow_mix(r->trail[thread], i->mix);
	if (!error && ++r->executed[thread] > r->most)
		return fault(r, b->pc[t], "does not end", thread);
	if (!error && r->stop && *r->stop)
		return -EINTR;
	if (b->state[t] != ENDED)
		b->pc[t] = i->last ? kernel_entry(r->kernel->code, block->way[!taken]) :
				     b->pc[t] + 1;
	return error;
}

/* As far as thread t comes. `past` a place where it waited for its warp. */
static int run(struct block *b, uint32_t t, bool past)
{
	int error = 0;

	while (!error && b->state[t] == RUNS) {
		if (b->r->kernel->code->instr[b->pc[t]].converged && !past) {
			b->state[t] = AT_CONVERGED;
			break;
		}
		past = false;
		error = execute(b, t);
	}
	return error;
}

/* All live threads of first .. end wait in this state (at one place, if it is converged). */
static bool all_wait(const struct block *b, uint32_t first, uint32_t end, enum state state)
{
	uint32_t pc = KERNEL_NONE;

	for (uint32_t t = first; t < end; t++) {
		if (b->state[t] == ENDED)
			continue;
		if (b->state[t] != state)
			return false;
		if (state == AT_CONVERGED && pc != KERNEL_NONE && pc != b->pc[t])
			return false;
		pc = b->pc[t];
	}
	return pc != KERNEL_NONE;
}

/* Let threads go on that have waited together; how many. */
static int release(struct block *b, uint32_t first, uint32_t end, enum state state,
		   uint32_t *released)
{
	int error = 0;

	if (!all_wait(b, first, end, state))
		return 0;
	for (uint32_t t = first; t < end; t++)
		if (b->state[t] == state)
			b->state[t] = RUNS;
	for (uint32_t t = first; !error && t < end; t++) {
		*released += b->state[t] == RUNS;
		error = run(b, t, state == AT_CONVERGED);
	}
	return error;
}

static int stuck(struct block *b)
{
	uint32_t t = 0;

	while (b->state[t] == ENDED)
		t++;
	return fault(b->r, b->pc[t], b->state[t] == AT_BARRIER ?
					     "waits for ever at a barrier" :
					     "waits for ever for its warp", b->first + t);
}

static int run_block(struct block *b)
{
	const struct kernel *k = b->r->kernel;
	uint32_t threads = kernel_threads_of_block(k, b->number), released = 1, live;
	int error = 0;

	for (uint32_t t = 0; !error && t < threads; t++)
		error = run(b, t, false);
	while (!error && released) {
		released = 0;
		for (uint32_t t = 0; !error && t < threads; t += k->lanes)
			error = release(b, t, t + k->lanes < threads ? t + k->lanes : threads,
					AT_CONVERGED, &released);
		if (!error && !released)
			error = release(b, 0, threads, AT_BARRIER, &released);
	}
	live = 0;
	for (uint32_t t = 0; t < threads; t++)
		live += b->state[t] != ENDED;
	return !error && live ? stuck(b) : error;
}

static int run_all(struct flow_reference *r)
{
	const struct kernel *k = r->kernel;
	struct block *b = sim_malloc(sizeof(*b));
	int error = b ? 0 : -ENOMEM;

	for (uint32_t t = 0; t < r->threads; t++)
		sim_introduce(k->code->special, values(r, t), 1, t, 1, k->block_threads,
			      k->lanes, 0);
	for (uint32_t number = 0; !error && number < k->blocks; number++) {
		memset(b, 0, sizeof(*b));
		b->r = r;
		b->number = number;
		b->first = number * k->block_threads;
		error = run_block(b);
	}
	sim_free(b);
	return error;
}

int flow_reference_run(const struct kernel *k, uint64_t seed, uint64_t most,
		       const volatile sig_atomic_t *stop, struct flow_reference *out,
		       char *message, size_t size)
{
	memset(out, 0, sizeof(*out));
	out->kernel = k;
	out->seed = seed;
	out->most = most;
	out->stop = stop;
	out->message = message;
	out->size = size;
	out->threads = (uint32_t)k->threads;
	out->value = sim_calloc((size_t)out->threads * k->code->registers + 1, sizeof(*out->value));
	out->row = sim_calloc(k->code->constants + k->code->scratch + 1, sizeof(*out->row));
	out->trail = sim_calloc(out->threads, sizeof(*out->trail));
	out->executed = sim_calloc(out->threads, sizeof(*out->executed));
	out->outcomes = sim_calloc(out->threads, sizeof(*out->outcomes));
	out->loads = sim_calloc(out->threads, sizeof(*out->loads));
	out->word = sim_calloc(flow_words(k) + 1, sizeof(*out->word));
	out->shared = sim_calloc(k->blocks * k->shared_words + 1, sizeof(*out->shared));
	if (!out->row || !out->value || !out->trail || !out->executed || !out->outcomes ||
	    !out->loads || !out->word || !out->shared)
		return -ENOMEM;
	for (size_t i = 0; i < flow_words(k); i++)
		out->word[i] = sim_memory_read(k->initial, flow_origin(k) + 4 * i);
	for (size_t i = 0; k->shows_shared && i < k->shared_words; i++)
		out->shared[i] = sim_memory_read(k->initial, 4 * i);
	for (uint32_t c = 0; c < k->code->constants; c++)
		out->row[c] = k->code->constant[c];
	return run_all(out);
}

void flow_reference_free(struct flow_reference *r)
{
	for (uint32_t t = 0; r->outcomes && t < r->threads; t++)
		sim_free(r->outcomes[t].word);
	for (uint32_t t = 0; r->loads && t < r->threads; t++)
		sim_free(r->loads[t].value);
	sim_free(r->value);
	sim_free(r->row);
	sim_free(r->trail);
	sim_free(r->executed);
	sim_free(r->outcomes);
	sim_free(r->loads);
	sim_free(r->word);
	sim_free(r->shared);
	memset(r, 0, sizeof(*r));
}
