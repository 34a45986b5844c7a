/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operands are brought into line first: lane l's word at [l], in place for a static warp and
 * copied for one whose threads come from many. Then the operation runs over all 32 lanes in
 * loops of a fixed length, which compilers turn into vector code; lanes that are off compute
 * something that is thrown away.
 */
#include "threads.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LANES FLOW_LANES_MAX

static void fill_specials(struct flow_threads *t)
{
	const struct flow_kernel *k = t->kernel;

	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t warp = i / k->lanes, lane = i % k->lanes;
		uint32_t block = warp / t->warps, thread = warp % t->warps * k->lanes + lane;

		t->column[FLOW_THREAD][i] = thread;
		t->column[FLOW_LANE][i] = lane;
		t->column[FLOW_WARP][i] = warp % t->warps;
		t->column[FLOW_BLOCK][i] = block;
		t->column[FLOW_ID][i] = block * k->threads + thread;
		t->column[FLOW_WARP_ID][i] = warp;
	}
}

static bool make_columns(struct flow_threads *t)
{
	const struct flow_kernel *k = t->kernel;

	t->column = calloc(k->column_count, sizeof(*t->column));
	if (!t->column)
		return false;
	for (size_t c = 0; c < k->column_count; c++) {
		bool constant = k->column[c].kind == FLOW_CONSTANT;
		size_t words = (constant ? 0 : t->count) + LANES; /* 32 lanes may be read */

		t->column[c] = calloc(words, sizeof(**t->column));
		if (!t->column[c])
			return false;
		for (uint32_t l = 0; constant && l < LANES; l++)
			t->column[c][l] = k->column[c].value;
	}
	return true;
}

int flow_threads_new(const struct flow_kernel *k, uint64_t seed, struct flow_threads *out)
{
	memset(out, 0, sizeof(*out));
	out->kernel = k;
	out->seed = seed;
	out->warps = flow_warps_of_block(k);
	out->count = k->blocks * out->warps * k->lanes;
	out->word = malloc(k->words * sizeof(*out->word) + 1);
	out->shared = calloc(k->blocks * k->shared_words + 1, sizeof(*out->shared));
	if (!out->word || !out->shared || !make_columns(out)) {
		flow_threads_free(out);
		return -ENOMEM;
	}
	if (k->words)
		memcpy(out->word, k->word, k->words * sizeof(*out->word));
	fill_specials(out);
	return 0;
}

void flow_threads_free(struct flow_threads *t)
{
	for (size_t c = 0; t->column && c < t->kernel->column_count; c++)
		free(t->column[c]);
	free(t->column);
	free(t->word);
	free(t->shared);
	memset(t, 0, sizeof(*t));
}

bool flow_chance(uint64_t seed, uint32_t pc, uint32_t id, uint32_t visit, uint32_t percent)
{
	uint64_t z = seed + ((uint64_t)pc << 40 ^ (uint64_t)id << 20 ^ visit) *
				    UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % 100 < percent;
}

/* ---- operands ---- */

static inline uint32_t lowest(uint32_t mask)
{
	return (uint32_t)__builtin_ctz(mask);
}

static void gather(const uint32_t *from, const struct flow_lanes *w, uint32_t to[LANES])
{
	memset(to, 0, LANES * sizeof(*to));
	for (uint32_t left = w->mask; left; left &= left - 1)
		to[lowest(left)] = from[w->slot[lowest(left)]];
}

/* A column with lane l's word at [l]. */
static const uint32_t *operand(const struct flow_threads *t, uint32_t column,
			       const struct flow_lanes *w, uint32_t room[LANES])
{
	const uint32_t *from = t->column[column];

	if (t->kernel->column[column].kind == FLOW_CONSTANT)
		return from;
	if (w->together)
		return from + w->slot[0];
	gather(from, w, room);
	return room;
}

static void scatter(uint32_t *to, const struct flow_lanes *w, const uint32_t from[LANES])
{
	if (w->together && w->mask == UINT32_MAX) {
		memcpy(to + w->slot[0], from, LANES * sizeof(*to));
		return;
	}
	for (uint32_t left = w->mask; left; left &= left - 1)
		to[w->slot[lowest(left)]] = from[lowest(left)];
}

/* ---- operators ---- */

#define EACH(expression)                                                                          \
	do {                                                                                      \
		for (uint32_t l = 0; l < LANES; l++)                                              \
			d[l] = (expression);                                                      \
	} while (0)

static void quotients(bool modulo, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
	if (modulo)
		EACH(b[l] ? a[l] % b[l] : a[l]);
	else
		EACH(b[l] ? a[l] / b[l] : UINT32_MAX);
}

static void compare(enum flow_operator op, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
	switch (op) {
	case FLOW_LESS:
		EACH(a[l] < b[l]);
		break;
	case FLOW_LESS_EQUAL:
		EACH(a[l] <= b[l]);
		break;
	case FLOW_GREATER:
		EACH(a[l] > b[l]);
		break;
	case FLOW_GREATER_EQUAL:
		EACH(a[l] >= b[l]);
		break;
	case FLOW_EQUAL:
		EACH(a[l] == b[l]);
		break;
	default:
		EACH(a[l] != b[l]);
	}
}

/* d does not overlap a or b. */
static void compute(enum flow_operator op, const uint32_t *restrict a, const uint32_t *restrict b,
		    uint32_t *restrict d)
{
	switch (op) {
	case FLOW_ALONE:
		memcpy(d, a, LANES * sizeof(*d));
		break;
	case FLOW_PLUS:
		EACH(a[l] + b[l]);
		break;
	case FLOW_MINUS:
		EACH(a[l] - b[l]);
		break;
	case FLOW_TIMES:
		EACH(a[l] * b[l]);
		break;
	case FLOW_OVER:
	case FLOW_MODULO:
		quotients(op == FLOW_MODULO, a, b, d);
		break;
	case FLOW_AND:
		EACH(a[l] & b[l]);
		break;
	case FLOW_OR:
		EACH(a[l] | b[l]);
		break;
	case FLOW_XOR:
		EACH(a[l] ^ b[l]);
		break;
	case FLOW_LEFT:
		EACH(a[l] << (b[l] & 31));
		break;
	case FLOW_RIGHT:
		EACH(a[l] >> (b[l] & 31));
		break;
	case FLOW_LEAST:
		EACH(a[l] < b[l] ? a[l] : b[l]);
		break;
	case FLOW_MOST:
		EACH(a[l] > b[l] ? a[l] : b[l]);
		break;
	default:
		compare(op, a, b, d);
	}
}

/* Lanes whose word is not 0; each is 0 or 1. */
static uint32_t to_mask(const uint32_t d[LANES])
{
	uint32_t mask = 0;

	for (uint32_t l = 0; l < LANES; l++)
		mask |= d[l] << l;
	return mask;
}

/* ---- instructions ---- */

static bool fault(struct flow_threads *t, const struct flow_instr *i, uint32_t slot,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool fault(struct flow_threads *t, const struct flow_instr *i, uint32_t slot,
		  const char *format, ...)
{
	uint32_t block = t->column[FLOW_BLOCK][slot], thread = t->column[FLOW_THREAD][slot];
	int used = snprintf(t->fault, sizeof(t->fault), "thread %u of block %u ", thread, block);
	va_list list;

	va_start(list, format);
	vsnprintf(t->fault + used, sizeof(t->fault) - (size_t)used, format, list);
	va_end(list);
	t->fault_line = i->line;
	return false;
}

/* Cycles that 32 banks of a word take: the most different words in one of them. */
static uint32_t bank_cycles(const uint32_t *index, uint32_t mask)
{
	uint32_t taken[LANES] = { 0 }, word[LANES], most = 0;

	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t at = index[lowest(left)], bank = at % LANES;

		if (taken[bank] && word[bank] == at)
			continue;
		word[bank] = at;
		if (++taken[bank] > most)
			most = taken[bank];
	}
	return most;
}

static bool index_fault(struct flow_threads *t, const struct flow_instr *i,
			const struct flow_lanes *w, const uint32_t index[LANES])
{
	const struct flow_array *array = &t->kernel->array[i->array];

	for (uint32_t left = w->mask; left; left &= left - 1)
		if (index[lowest(left)] >= array->length)
			return !fault(t, i, w->slot[lowest(left)],
				      "accesses %s beyond its end: index %u", array->name,
				      index[lowest(left)]);
	return false;
}

/* Is there one beyond the end? Lanes that are off may say so too. */
static bool maybe_beyond(const uint32_t index[LANES], uint32_t length)
{
	uint32_t beyond = 0;

	for (uint32_t l = 0; l < LANES; l++)
		beyond |= index[l] >= length;
	return beyond;
}

/* The array that thread `slot` sees. */
static uint32_t *words_of(const struct flow_threads *t, const struct flow_array *array,
			  uint32_t slot)
{
	if (!array->shared)
		return t->word + array->first;
	return t->shared + array->first + t->column[FLOW_BLOCK][slot] * t->kernel->shared_words;
}

static void load(struct flow_threads *t, const struct flow_instr *i, const struct flow_lanes *w,
		 const uint32_t index[LANES])
{
	const struct flow_array *array = &t->kernel->array[i->array];
	const uint32_t *words = words_of(t, array, 0);
	uint32_t d[LANES];

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t l = lowest(left);

		if (array->shared)
			words = words_of(t, array, w->slot[l]);
		d[l] = words[index[l]];
	}
	scatter(t->column[i->d], w, d);
}

/* Lanes one after the other: the last one stays in a word. */
static void store(struct flow_threads *t, const struct flow_instr *i, const struct flow_lanes *w,
		  const uint32_t index[LANES])
{
	uint32_t room[LANES];
	const uint32_t *value = operand(t, i->b, w, room);

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t l = lowest(left);
		uint32_t *word = words_of(t, &t->kernel->array[i->array], w->slot[l]) + index[l];

		*word = i->op == FLOW_ADD ? *word + value[l] : value[l];
	}
}

static bool access(struct flow_threads *t, const struct flow_instr *i, const struct flow_lanes *w,
		   struct flow_effect *effect)
{
	const struct flow_array *array = &t->kernel->array[i->array];
	uint32_t room[LANES];
	const uint32_t *index = operand(t, i->a, w, room);

	if (maybe_beyond(index, array->length) && index_fault(t, i, w, index))
		return false;
	if (array->shared)
		effect->banks = bank_cycles(index, w->mask);
	else
		effect->memory = w->mask;
	for (uint32_t l = 0; l < LANES; l++)
		effect->address[l] = ((uint64_t)array->first + index[l]) * 4;
	if (i->op == FLOW_LOAD)
		load(t, i, w, index);
	else
		store(t, i, w, index);
	return true;
}

static void set(struct flow_threads *t, const struct flow_instr *i, const struct flow_lanes *w)
{
	uint32_t a_room[LANES], b_room[LANES], d[LANES];
	const uint32_t *a = operand(t, i->a, w, a_room), *b = operand(t, i->b, w, b_room);

	compute((enum flow_operator)i->operator, a, b, d);
	scatter(t->column[i->d], w, d);
}

static uint32_t compare_lanes(const struct flow_threads *t, const struct flow_instr *i,
			      const struct flow_lanes *w)
{
	uint32_t a_room[LANES], b_room[LANES], d[LANES];
	const uint32_t *a = operand(t, i->a, w, a_room), *b = operand(t, i->b, w, b_room);

	compare((enum flow_operator)i->operator, a, b, d);
	return to_mask(d) & w->mask;
}

static bool recorded(struct flow_threads *t, const struct flow_instr *i,
		     const struct flow_lanes *w, uint32_t *taken)
{
	const struct flow_trace *trace = &t->kernel->trace[i->array];

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t slot = w->slot[lowest(left)], thread = t->column[FLOW_THREAD][slot];
		uint32_t visit = t->column[i->d][slot];

		if (visit >= trace->count[thread])
			return fault(t, i, slot, "has no outcome left in trace %s after %u",
				     trace->name, visit);
		if (trace->outcome[trace->first[thread] + visit])
			*taken |= UINT32_C(1) << lowest(left);
	}
	for (uint32_t left = w->mask; left; left &= left - 1)
		t->column[i->d][w->slot[lowest(left)]]++;
	return true;
}

/* The rules that look at one thread at a time. */
static uint32_t decide_each(struct flow_threads *t, uint32_t pc, const struct flow_instr *i,
			    const struct flow_lanes *w)
{
	uint32_t taken = 0;

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t slot = w->slot[lowest(left)], thread = t->column[FLOW_THREAD][slot];
		bool yes;

		if (i->rule == FLOW_LISTED)
			yes = t->kernel->list[i->array].bits[thread / 32] >> thread % 32 & 1;
		else
			yes = flow_chance(t->seed, pc, t->column[FLOW_ID][slot],
					  t->column[i->d][slot]++, t->kernel->column[i->b].value);
		taken |= (uint32_t)yes << lowest(left);
	}
	return taken;
}

static bool branch(struct flow_threads *t, uint32_t pc, const struct flow_instr *i,
		   const struct flow_lanes *w, struct flow_effect *effect)
{
	if (i->rule == FLOW_TRACE)
		return recorded(t, i, w, &effect->taken);
	if (i->rule == FLOW_COMPARE)
		effect->taken = compare_lanes(t, i, w);
	else
		effect->taken = decide_each(t, pc, i, w);
	return true;
}

bool flow_execute(struct flow_threads *t, uint32_t pc, const struct flow_lanes *w,
		  struct flow_effect *effect)
{
	const struct flow_instr *i = &t->kernel->instr[pc];

	effect->taken = effect->memory = effect->banks = 0;
	switch ((enum flow_op)i->op) {
	case FLOW_SET:
		set(t, i, w);
		return true;
	case FLOW_LOAD:
	case FLOW_STORE:
	case FLOW_ADD:
		return access(t, i, w, effect);
	case FLOW_EXIT_IF:
		effect->taken = compare_lanes(t, i, w);
		return true;
	case FLOW_BRANCH:
		return branch(t, pc, i, w, effect);
	case FLOW_ALU:
	case FLOW_BARRIER:
	case FLOW_JUMP:
	case FLOW_EXIT:
		break;
	}
	return true;
}
