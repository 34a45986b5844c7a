/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h" /* flow_chance */

enum state { RUNS, AT_BARRIER, AT_CONVERGED, ENDED };

/* The threads of the block that runs. */
struct block {
	struct flow_reference *r;
	uint32_t number, first;
	uint32_t pc[FLOW_BLOCK_THREADS_MAX];
	enum state state[FLOW_BLOCK_THREADS_MAX];
};

static int fault(const struct flow_reference *r, uint32_t pc, const char *what, uint32_t thread)
{
	snprintf(r->message, r->size, "%.120s:%u: thread %u, run alone, %s", r->kernel->file,
		 r->kernel->instr[pc].line, thread, what);
	return -EINVAL;
}

static uint32_t *values(const struct flow_reference *r, uint32_t thread)
{
	return r->value + (size_t)thread * r->kernel->column_count;
}

static uint32_t evaluate(enum flow_operator op, uint32_t a, uint32_t b)
{
	switch (op) {
	case FLOW_ALONE:
		return a;
	case FLOW_PLUS:
		return a + b;
	case FLOW_MINUS:
		return a - b;
	case FLOW_TIMES:
		return a * b;
	case FLOW_OVER:
		return b ? a / b : UINT32_MAX;
	case FLOW_MODULO:
		return b ? a % b : a;
	case FLOW_AND:
		return a & b;
	case FLOW_OR:
		return a | b;
	case FLOW_XOR:
		return a ^ b;
	case FLOW_LEFT:
		return a << (b & 31);
	case FLOW_RIGHT:
		return a >> (b & 31);
	case FLOW_LEAST:
		return a < b ? a : b;
	case FLOW_MOST:
		return a > b ? a : b;
	case FLOW_LESS:
		return a < b;
	case FLOW_LESS_EQUAL:
		return a <= b;
	case FLOW_GREATER:
		return a > b;
	case FLOW_GREATER_EQUAL:
		return a >= b;
	case FLOW_EQUAL:
		return a == b;
	default:
		return a != b;
	}
}

static bool note(struct flow_outcomes *o, bool taken)
{
	if (o->count == 64 * o->room) {
		uint32_t room = o->room ? 2 * o->room : 1;
		uint64_t *bigger = realloc(o->word, room * sizeof(*bigger));

		if (!bigger)
			return false;
		memset(bigger + o->room, 0, (room - o->room) * sizeof(*bigger));
		o->word = bigger;
		o->room = room;
	}
	o->word[o->count / 64] |= (uint64_t)taken << o->count % 64;
	o->count++;
	return true;
}

static int access(struct flow_reference *r, uint32_t pc, uint32_t thread)
{
	const struct flow_instr *i = &r->kernel->instr[pc];
	const struct flow_array *array = &r->kernel->array[i->array];
	uint32_t *v = values(r, thread), index = v[i->a], *word;

	if (index >= array->length)
		return fault(r, pc, "accesses an array beyond its end", thread);
	word = r->word + array->first + index;
	if (array->shared)
		word = r->shared + v[FLOW_BLOCK] * r->kernel->shared_words + array->first + index;
	if (i->op == FLOW_STORE)
		*word = v[i->b];
	else if (i->op == FLOW_ADD)
		*word += v[i->b];
	else
		v[i->d] = *word;
	if (i->op == FLOW_LOAD)
		r->trail[thread] = flow_mix(r->trail[thread], *word);
	return 0;
}

static int decide(struct flow_reference *r, uint32_t pc, uint32_t thread, bool *taken)
{
	const struct flow_instr *i = &r->kernel->instr[pc];
	uint32_t *v = values(r, thread), number = v[FLOW_THREAD];
	const struct flow_trace *trace;

	switch ((enum flow_rule)i->rule) {
	case FLOW_COMPARE:
		*taken = evaluate((enum flow_operator)i->operator, v[i->a], v[i->b]);
		break;
	case FLOW_LISTED:
		*taken = r->kernel->list[i->array].bits[number / 32] >> number % 32 & 1;
		break;
	case FLOW_CHANCE:
		*taken = flow_chance(r->seed, pc, v[FLOW_ID], v[i->d]++, v[i->b]);
		break;
	case FLOW_TRACE:
		trace = &r->kernel->trace[i->array];
		if (v[i->d] >= trace->count[number])
			return fault(r, pc, "has no outcome left in its trace", thread);
		*taken = trace->outcome[trace->first[number] + v[i->d]++];
		break;
	}
	return note(&r->outcomes[thread], *taken) ? 0 : -ENOMEM;
}

/* Execute the instruction of a thread and go to the next one, or wait, or end. */
static int execute(struct block *b, uint32_t t)
{
	struct flow_reference *r = b->r;
	const struct flow_instr *i = &r->kernel->instr[b->pc[t]];
	const struct flow_block *block = &r->kernel->block[i->block];
	uint32_t thread = b->first + t, *v = values(r, thread);
	bool taken = true;
	int error = 0;

	if (i->op == FLOW_SET)
		v[i->d] = evaluate((enum flow_operator)i->operator, v[i->a], v[i->b]);
	else if (i->op == FLOW_LOAD || i->op == FLOW_STORE || i->op == FLOW_ADD)
		error = access(r, b->pc[t], thread);
	else if (i->op == FLOW_BRANCH)
		error = decide(r, b->pc[t], thread, &taken);
	else if (i->op == FLOW_BARRIER)
		b->state[t] = AT_BARRIER;
	else if (i->op == FLOW_EXIT)
		b->state[t] = ENDED;
	else if (i->op == FLOW_EXIT_IF &&
		 evaluate((enum flow_operator)i->operator, v[i->a], v[i->b]))
		b->state[t] = ENDED;
	r->trail[thread] = flow_mix(r->trail[thread], i->mix);
	if (!error && ++r->executed[thread] > r->most)
		return fault(r, b->pc[t], "does not end", thread);
	if (b->state[t] != ENDED)
		b->pc[t] = i->last ? r->kernel->block[block->way[!taken]].first : b->pc[t] + 1;
	return error;
}

/* As far as thread t comes. `past` a place where it waited for its warp. */
static int run(struct block *b, uint32_t t, bool past)
{
	int error = 0;

	while (!error && b->state[t] == RUNS) {
		if (b->r->kernel->instr[b->pc[t]].converged && !past) {
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
	uint32_t pc = FLOW_NONE;

	for (uint32_t t = first; t < end; t++) {
		if (b->state[t] == ENDED)
			continue;
		if (b->state[t] != state)
			return false;
		if (state == AT_CONVERGED && pc != FLOW_NONE && pc != b->pc[t])
			return false;
		pc = b->pc[t];
	}
	return pc != FLOW_NONE;
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
	const struct flow_kernel *k = b->r->kernel;
	uint32_t released = 1, live;
	int error = 0;

	for (uint32_t t = 0; !error && t < k->threads; t++)
		error = run(b, t, false);
	while (!error && released) {
		released = 0;
		for (uint32_t t = 0; !error && t < k->threads; t += k->lanes)
			error = release(b, t, t + k->lanes < k->threads ? t + k->lanes : k->threads,
					AT_CONVERGED, &released);
		if (!error && !released)
			error = release(b, 0, k->threads, AT_BARRIER, &released);
	}
	live = 0;
	for (uint32_t t = 0; t < k->threads; t++)
		live += b->state[t] != ENDED;
	return !error && live ? stuck(b) : error;
}

static void set_up_thread(struct flow_reference *r, uint32_t number, uint32_t t)
{
	const struct flow_kernel *k = r->kernel;
	uint32_t thread = number * k->threads + t, *v = values(r, thread);

	for (size_t c = 0; c < k->column_count; c++)
		v[c] = k->column[c].value;
	v[FLOW_THREAD] = t;
	v[FLOW_LANE] = t % k->lanes;
	v[FLOW_WARP] = t / k->lanes;
	v[FLOW_BLOCK] = number;
	v[FLOW_ID] = thread;
	v[FLOW_WARP_ID] = number * flow_warps_of_block(k) + t / k->lanes;
}

static int run_all(struct flow_reference *r)
{
	struct block *b = malloc(sizeof(*b));
	int error = b ? 0 : -ENOMEM;

	for (uint32_t number = 0; !error && number < r->kernel->blocks; number++) {
		memset(b, 0, sizeof(*b));
		b->r = r;
		b->number = number;
		b->first = number * r->kernel->threads;
		for (uint32_t t = 0; t < r->kernel->threads; t++)
			set_up_thread(r, number, t);
		error = run_block(b);
	}
	free(b);
	return error;
}

int flow_reference_run(const struct flow_kernel *k, uint64_t seed, uint64_t most,
		       struct flow_reference *out, char *message, size_t size)
{
	memset(out, 0, sizeof(*out));
	out->kernel = k;
	out->seed = seed;
	out->most = most;
	out->message = message;
	out->size = size;
	out->threads = k->blocks * k->threads;
	out->value = calloc(out->threads * k->column_count, sizeof(*out->value));
	out->trail = calloc(out->threads, sizeof(*out->trail));
	out->executed = calloc(out->threads, sizeof(*out->executed));
	out->outcomes = calloc(out->threads, sizeof(*out->outcomes));
	out->word = calloc(k->words + 1, sizeof(*out->word));
	out->shared = calloc(k->blocks * k->shared_words + 1, sizeof(*out->shared));
	if (!out->value || !out->trail || !out->executed || !out->outcomes || !out->word ||
	    !out->shared)
		return -ENOMEM;
	if (k->words)
		memcpy(out->word, k->word, k->words * sizeof(*out->word));
	return run_all(out);
}

void flow_reference_free(struct flow_reference *r)
{
	for (uint32_t t = 0; r->outcomes && t < r->threads; t++)
		free(r->outcomes[t].word);
	free(r->value);
	free(r->trail);
	free(r->executed);
	free(r->outcomes);
	free(r->word);
	free(r->shared);
	memset(r, 0, sizeof(*r));
}
