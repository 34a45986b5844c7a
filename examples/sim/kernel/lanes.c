/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A step has two implementations. For lanes in place, loops of fixed length go over all 32 words;
 * compilers turn these into vector code. For few lanes, or lanes whose threads come from several
 * warps, a loop goes from lane to lane.
 */
#include "compute.h"
#include "lanes.h"

#include <string.h>

#define LANES KERNEL_LANES
#define FEW 8

static inline uint32_t lowest(uint32_t mask)
{
	return (uint32_t)__builtin_ctz(mask);
}

bool kernel_chance(uint64_t seed, uint32_t pc, uint32_t id, uint32_t visit, uint32_t percent)
{
	uint64_t z = seed + ((uint64_t)pc << 40 ^ (uint64_t)id << 20 ^ visit) *
				    UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % 100 < percent;
}

/* ---- operands ---- */

static inline bool is_register(const struct kernel_lanes *w, uint16_t column)
{
	return column < w->code->registers;
}

static inline uint32_t *words_of(const struct kernel_lanes *w, uint16_t column)
{
	if (is_register(w, column))
		return w->reg + column * w->stride;
	return w->code->row + (column - w->code->registers) * LANES;
}

/* An operand for lanes taken one by one. */
struct walked {
	uint32_t *word;
	const uint32_t *slot; /* of a register of lanes that are not in place */
};

static inline struct walked walk(const struct kernel_lanes *w, uint16_t column)
{
	return (struct walked){ words_of(w, column), is_register(w, column) ? w->slot : NULL };
}

static inline uint32_t *word_at(const struct walked *o, uint32_t l)
{
	return &o->word[o->slot ? o->slot[l] : l];
}

uint32_t kernel_word(const struct kernel_lanes *w, uint16_t column, uint32_t l)
{
	const struct walked o = walk(w, column);

	return *word_at(&o, l);
}

void kernel_words(const struct kernel_lanes *w, uint16_t column, uint32_t out[LANES])
{
	const struct walked o = walk(w, column);

	if (!o.slot) {
		memcpy(out, o.word, LANES * sizeof(*out));
		return;
	}
	for (uint32_t left = w->mask; left; left &= left - 1)
		out[lowest(left)] = *word_at(&o, lowest(left));
}

static inline bool few(uint32_t mask)
{
	for (uint32_t i = 0; i < FEW; i++)
		mask &= mask - 1;
	return !mask;
}

uint32_t kernel_true(const struct kernel_lanes *w, uint16_t column)
{
	const struct walked o = walk(w, column);
	uint32_t mask = 0;

	if (o.slot || few(w->mask)) {
		for (uint32_t left = w->mask; left; left &= left - 1)
			mask |= (uint32_t)!!*word_at(&o, lowest(left)) << lowest(left);
		return mask;
	}
	for (uint32_t l = 0; l < LANES; l++)
		mask |= (uint32_t)!!o.word[l] << l;
	return mask & w->mask;
}

/* ---- steps that look at the kernel ---- */

static void stray(struct kernel_lanes *w, uint32_t l, uint32_t step, uint32_t index)
{
	if (w->stray >> l & 1)
		return;
	w->stray_of[l].step = step;
	w->stray_of[l].index = index;
	w->stray |= UINT32_C(1) << l;
}

struct lane {
	const struct kernel_lanes *lanes;
	uint32_t l;
};

static uint32_t word_of_lane(const void *of, uint16_t column)
{
	const struct lane *lane = of;

	return kernel_word(lane->lanes, column, lane->l);
}

void kernel_catch_lanes(const struct kernel_lanes *w, const struct kernel_instr *instr)
{
	for (uint32_t left = w->stray; left; left &= left - 1) {
		struct lane lane = { w, lowest(left) };
		const struct kernel_view view = { word_of_lane, &lane };

		w->stray_of[lane.l].pc = (uint32_t)(instr - w->code->instr);
		kernel_catch(w->code, instr, &view, &w->stray_of[lane.l]);
	}
}

static uint32_t fetch(struct kernel_lanes *w, const struct kernel_step *s, uint32_t l,
		      uint32_t index, uint32_t on)
{
	const struct kernel_place *p = &w->kernel->place[s->extra];
	const struct kernel_array *array = &w->kernel->array[p->array];

	if (!on)
		return 0;
	if (index >= p->length) {
		stray(w, l, (uint32_t)(s - w->code->step), index);
		return 0;
	}
	if (array->kind == KERNEL_TABLE)
		return w->kernel->table[p->base + (uint64_t)p->stride / 4 * index];
	return sim_memory_read(w->memory, p->base + (uint64_t)p->stride * index);
}

static uint32_t span(const struct kernel_lanes *w, const struct kernel_step *s, uint32_t x,
		     uint32_t y)
{
	const struct kernel_array *array = &w->kernel->array[s->extra >> 16];
	const struct kernel_field *field = &array->field[s->extra & 0xffff];

	return x < array->length && y < field->count ? x * array->words + field->offset + y :
						       UINT32_MAX;
}

static uint32_t traced(struct kernel_lanes *w, const struct kernel_step *s, uint32_t l,
		       uint32_t thread, uint32_t *visits)
{
	const struct kernel_trace *trace = &w->kernel->trace[s->extra];

	if (*visits >= trace->count[thread]) {
		w->stray_trace = trace->name;
		w->stray_visits = *visits;
		w->stray |= UINT32_C(1) << l;
		return 0;
	}
	return trace->outcome[trace->first[thread] + (*visits)++];
}

static uint32_t special(struct kernel_lanes *w, const struct kernel_step *s, uint32_t l,
			uint32_t x, uint32_t y, uint32_t *z)
{
	switch ((enum kernel_operator)s->operator) {
	case KERNEL_RANDOM:
		return kernel_random(w->kernel->seed, x);
	case KERNEL_FETCH:
		return fetch(w, s, l, x, *z);
	case KERNEL_LISTED:
		return w->kernel->list[s->extra].bits[x / 32] >> x % 32 & 1;
	case KERNEL_CHANCE:
		return kernel_chance(w->seed, s->extra, x, (*z)++, y);
	case KERNEL_TRACED:
		return traced(w, s, l, x, z);
	default:
		return 0;
	}
}

static void special_step(struct kernel_lanes *w, const struct kernel_step *s)
{
	const struct walked a = walk(w, s->a), b = walk(w, s->b), c = walk(w, s->c);
	const struct walked d = walk(w, s->d);

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t l = lowest(left), x = *word_at(&a, l), y = *word_at(&b, l);

		*word_at(&d, l) = s->operator == KERNEL_SPAN ? span(w, s, x, y) :
				  special(w, s, l, x, y, word_at(&c, l));
	}
}

/* ---- steps ---- */

static void walk_step(const struct kernel_lanes *w, const struct kernel_step *s)
{
	const struct walked a = walk(w, s->a), b = walk(w, s->b), c = walk(w, s->c);
	const struct walked d = walk(w, s->d);

	for (uint32_t left = w->mask; left; left &= left - 1) {
		uint32_t l = lowest(left);

		*word_at(&d, l) = kernel_compute((enum kernel_operator)s->operator,
						 *word_at(&a, l), *word_at(&b, l), *word_at(&c, l));
	}
}

/* Words of lanes in place, and operands x, y, z of a lane. An operator pays only for operands that
 * it uses. */
#define OPERANDS(w, s)                                                                         \
	const uint32_t *a = words_of(w, (s)->a), *b = words_of(w, (s)->b);                     \
	const uint32_t *c = words_of(w, (s)->c)
#define OPERANDS_OF(l)                                                                         \
	uint32_t x = a[l], y = b[l], z = c[l];                                                 \
	(void)y;                                                                               \
	(void)z

/* A shift by the same number in all lanes: processors have vector code for that. */
static bool shift_alike(const struct kernel_lanes *w, const struct kernel_step *s,
			uint32_t *restrict to)
{
	const uint32_t *a = words_of(w, s->a), *b = words_of(w, s->b);
	uint32_t by = b[0] & 31, other = 0;

	for (uint32_t l = 0; l < LANES; l++)
		other |= b[l] ^ b[0];
	if (other)
		return false;
	if (s->operator == KERNEL_LEFT)
		for (uint32_t l = 0; l < LANES; l++)
			to[l] = a[l] << by;
	else
		for (uint32_t l = 0; l < LANES; l++)
			to[l] = a[l] >> by;
	return true;
}

/* Compute all lanes into `to`, which overlaps no operand. */
static void compute_all(const struct kernel_lanes *w, const struct kernel_step *s,
			uint32_t *restrict to)
{
	if ((s->operator == KERNEL_LEFT || s->operator == KERNEL_RIGHT) && shift_alike(w, s, to))
		return;
	switch ((enum kernel_operator)s->operator) {
#define ALL(OPERATOR, EXPRESSION)                                                              \
	case KERNEL_##OPERATOR: {                                                              \
		OPERANDS(w, s);                                                                \
		for (uint32_t l = 0; l < LANES; l++) {                                         \
			OPERANDS_OF(l);                                                        \
			to[l] = EXPRESSION;                                                    \
		}                                                                              \
		break;                                                                         \
	}
		KERNEL_EACH_OPERATOR(ALL)
	default:
		break;
	}
}

static void vector_step(const struct kernel_lanes *w, const struct kernel_step *s)
{
	uint32_t *d = words_of(w, s->d), room[LANES], *to = is_register(w, s->d) ? room : d;

	compute_all(w, s, to);
	if (to == d)
		return;
	if (w->mask == w->whole) {
		memcpy(d, room, sizeof(room));
		return;
	}
	for (uint32_t left = w->mask; left; left &= left - 1)
		d[lowest(left)] = room[lowest(left)];
}

/* Compute the lanes of the mask, which are in place. */
static void compute_few(const struct kernel_lanes *w, const struct kernel_step *s)
{
	uint32_t *to = words_of(w, s->d);

	switch ((enum kernel_operator)s->operator) {
#define FEW_LANES(OPERATOR, EXPRESSION)                                                        \
	case KERNEL_##OPERATOR: {                                                              \
		OPERANDS(w, s);                                                                \
		for (uint32_t left = w->mask; left; left &= left - 1) {                        \
			OPERANDS_OF(lowest(left));                                             \
			to[lowest(left)] = EXPRESSION;                                         \
		}                                                                              \
		break;                                                                         \
	}
		KERNEL_EACH_OPERATOR(FEW_LANES)
	default:
		break;
	}
}

/* Code without steps has no array of them. */
static const struct kernel_step *steps_of(const struct kernel_lanes *w,
					  const struct kernel_instr *instr)
{
	static const struct kernel_step none;

	return instr->steps ? &w->code->step[instr->step] : &none;
}

void kernel_steps_flat(struct kernel_lanes *w, const struct kernel_instr *instr)
{
	const struct kernel_step *s = steps_of(w, instr), *end = s + instr->steps;
	uint32_t *word = w->reg;

	for (; s < end; s++)
		if (s->operator < KERNEL_RANDOM)
			word[s->d] = kernel_compute((enum kernel_operator)s->operator, word[s->a],
					     word[s->b], word[s->c]);
		else if (s->operator == KERNEL_SPAN)
			word[s->d] = span(w, s, word[s->a], word[s->b]);
		else
			word[s->d] = special(w, s, 0, word[s->a], word[s->b], &word[s->c]);
}

void kernel_steps(struct kernel_lanes *w, const struct kernel_instr *instr)
{
	const struct kernel_step *s = steps_of(w, instr), *end = s + instr->steps;
	bool some = !w->slot && few(w->mask);

	for (; s < end; s++)
		if (s->operator >= KERNEL_RANDOM)
			special_step(w, s);
		else if (w->slot)
			walk_step(w, s);
		else if (some)
			compute_few(w, s);
		else
			vector_step(w, s);
}

/* ---- memory ---- */

static uint32_t beyond(const uint32_t index[LANES], uint32_t length)
{
	uint32_t mask = 0;

	for (uint32_t l = 0; l < LANES; l++)
		mask |= index[l] >= length;
	return mask;
}

static uint32_t addresses_all(struct kernel_lanes *w, const struct kernel_place *p, uint32_t on,
			      const uint32_t *index, uint64_t *restrict address)
{
	for (uint32_t l = 0; l < LANES; l++)
		address[l] = p->base + (uint64_t)index[l] * p->stride;
	if (!beyond(index, p->length))
		return on;
	for (uint32_t left = on; left; left &= left - 1)
		if (index[lowest(left)] >= p->length)
			stray(w, lowest(left), SIM_NO_STEP, index[lowest(left)]);
	return on & ~w->stray;
}

uint32_t kernel_addresses(struct kernel_lanes *w, const struct kernel_instr *instr,
			  uint64_t address[LANES])
{
	const struct kernel_place *p = &w->kernel->place[instr->place];
	const struct walked index = walk(w, instr->a);
	uint32_t on = w->mask;

	if (instr->when != KERNEL_NO_COLUMN)
		on = kernel_true(w, instr->when);
	if (!index.slot && !few(on))
		return addresses_all(w, p, on, index.word, address);
	for (uint32_t left = on; left; left &= left - 1) {
		uint32_t l = lowest(left), i = *word_at(&index, l);

		address[l] = p->base + (uint64_t)i * p->stride;
		if (i >= p->length)
			stray(w, l, SIM_NO_STEP, i);
	}
	return on & ~w->stray;
}
