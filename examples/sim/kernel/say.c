/* SPDX-License-Identifier: BSD-2-Clause */
/* What messages of a run name: words of memory and operands, as the kernel's text spells them. */
#include "say.h"

#include <string.h>

/* ---- words of memory ---- */

static const struct kernel_array *array_at(const struct kernel *k, uint64_t address)
{
	for (size_t i = 0; i < k->arrays; i++) {
		const struct kernel_array *a = &k->array[i];

		if (a->kind != KERNEL_TABLE && !(k->launched && a->kind == KERNEL_SHARED) &&
		    address >= a->base && address - a->base < 4ull * a->length * a->words)
			return a;
	}
	return NULL;
}

static const struct kernel_field *field_at(const struct kernel_array *a, uint32_t word)
{
	for (size_t i = 0; i < a->fields; i++)
		if (word - a->field[i].offset < a->field[i].count)
			return &a->field[i];
	return NULL;
}

/* Element `index` of an array, and `word` of a field unless that is NULL. */
static int name_element(const struct kernel_array *a, const struct kernel_field *f, uint32_t index,
			uint32_t word, char *out, size_t size)
{
	int used = snprintf(out, size, "%s[%u]%s%s", a->name, index, f ? "." : "",
			    f ? f->name : "");

	if (f && (f->count > 1 || word) && used > 0 && (size_t)used < size)
		used += snprintf(out + used, size - (size_t)used, "[%u]", word);
	return used;
}

/* The word at an address of the array; its length. */
static int name_in(const struct kernel_array *a, uint64_t address, char *out, size_t size)
{
	uint32_t index = (uint32_t)((address - a->base) / 4), word = index % a->words;
	const struct kernel_field *f = field_at(a, word);

	return name_element(a, f, index / a->words, f ? word - f->offset : 0, out, size);
}

void kernel_name_accessed(const struct kernel *k, const struct kernel_instr *i, uint64_t address,
			  char *out, size_t size)
{
	name_in(&k->array[k->place[i->place].array], address, out, size);
}

/* The step before `end` that makes the flat index in a column, or NULL. */
static const struct kernel_step *span_of(const struct kernel_step *first,
					 const struct kernel_step *end, uint16_t column)
{
	while (end > first)
		if ((--end)->d == column)
			return end->operator == KERNEL_SPAN ? end : NULL;
	return NULL;
}

/* Does the instruction access this word of an element of the array? */
static bool accesses(const struct kernel *k, const struct kernel_code *code,
		     const struct kernel_instr *i, const struct kernel_array *a, uint32_t word)
{
	const struct kernel_step *first = &code->step[i->step], *span;
	const struct kernel_place *p = &k->place[i->place];

	if (&k->array[p->array] != a)
		return false;
	span = span_of(first, first + i->steps, i->a);
	return span ? &a->field[span->extra & 0xffff] == field_at(a, word) : p->offset == word;
}

#define LINES_MAX 4

/* In ascending order; the last one is there if there are too many. */
static void add_lines(const struct kernel *k, const struct kernel_code *code, bool write,
		      const struct kernel_array *a, uint32_t word, uint32_t line[LINES_MAX + 1])
{
	for (size_t n = 0; n < code->instr_count; n++) {
		const struct kernel_instr *i = &code->instr[n];
		uint32_t at = 0;

		if ((write ? i->op < SIM_STORE || i->op > SIM_ADD : i->op != SIM_LOAD) ||
		    !accesses(k, code, i, a, word))
			continue;
		while (at < LINES_MAX && line[at] && line[at] < i->line)
			at++;
		if (line[at] == i->line)
			continue;
		memmove(&line[at + 1], &line[at], (LINES_MAX - at) * sizeof(*line));
		line[at] = i->line;
	}
}

void kernel_name_word(const struct kernel *k, enum kernel_section section, uint64_t address,
		      bool write, char *out, size_t size)
{
	const struct kernel_array *a = array_at(k, address);
	uint32_t line[LINES_MAX + 1] = { 0 }, word;
	int used;

	if (!a) {
		snprintf(out, size, "0x%llx", (unsigned long long)address);
		return;
	}
	word = (uint32_t)((address - a->base) / 4 % a->words);
	used = name_in(a, address, out, size);
	add_lines(k, &k->code[section], write, a, word, line);
	for (size_t l = 0; l < k->launches; l++)
		if (k->launch[l].section == section)
			add_lines(k, &k->launch[l].code, write, a, word, line);
	if (!*line || line[LINES_MAX])
		return;
	for (uint32_t n = 0; n < LINES_MAX && line[n] && (size_t)used < size; n++)
		used += snprintf(out + used, size - (size_t)used, "%s%u%s",
				 !n ? " (line " : " or ", line[n], line[n + 1] ? "" : ")");
}

/* ---- operands ---- */

/* Does the text have a name for the column? */
static bool named(const struct kernel_code *code, uint16_t column)
{
	return column < code->registers && !strchr(code->reg[column].name, ' ');
}

/* Does the message of a require have the value of the column? */
static bool told(const struct kernel_code *code, const struct kernel_instr *i, uint16_t column)
{
	const struct kernel_message *m = i->op == SIM_REQUIRE ? &code->message[i->b] : NULL;

	for (uint32_t p = 0; m && p < m->parts; p++)
		if (!m->part[p].text && m->part[p].column == column)
			return true;
	return false;
}

static uint32_t add_operand(const struct kernel_code *code, uint16_t column, uint32_t count,
			    uint16_t out[KERNEL_OPERANDS])
{
	if (count == KERNEL_OPERANDS || !named(code, column))
		return count;
	for (uint32_t i = 0; i < count; i++)
		if (out[i] == column)
			return count;
	out[count] = column;
	return count + 1;
}

static uint32_t operands(const struct kernel_code *code, const struct kernel_instr *i,
			 uint16_t out[KERNEL_OPERANDS])
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < i->steps; n++) {
		const struct kernel_step *s = &code->step[i->step + n];

		count = add_operand(code, s->a, count, out);
		count = add_operand(code, s->b, count, out);
		count = add_operand(code, s->c, count, out);
	}
	if (kernel_accesses(i) || i->op == SIM_DRAW ||
	    i->op == SIM_REQUIRE || i->op == SIM_EXIT_IF || i->op == SIM_BRANCH)
		count = add_operand(code, i->a, count, out);
	if ((i->op >= SIM_STORE && i->op <= SIM_ADD) || i->op == SIM_DRAW)
		count = add_operand(code, i->b, count, out);
	if (i->op == SIM_CAS)
		count = add_operand(code, i->c, count, out);
	if (kernel_accesses(i))
		count = add_operand(code, i->when, count, out);
	return count;
}

/* ": NAME = VALUE" or, after the first, ", NAME = VALUE". */
static int put_operand(const char *name, uint32_t value, bool first, char *out, size_t size)
{
	return snprintf(out, size, "%s%s = %u", first ? ": " : ", ", name, value);
}

/* The word of memory or of a table that a step reads; false: it reads none. */
static bool name_fetch(const struct kernel *k, const struct kernel_step *s,
		       const struct kernel_view *view, char *out, size_t size)
{
	const struct kernel_place *p = &k->place[s->extra];
	const struct kernel_array *a;
	uint32_t word;

	if (s->operator != KERNEL_FETCH || !view->word(view->of, s->c) ||
	    view->word(view->of, s->a) >= p->length)
		return false;
	a = &k->array[p->array];
	word = view->word(view->of, s->a) * (p->length == a->length ? a->words : 1) + p->offset;
	name_element(a, field_at(a, word % a->words), word / a->words,
		     a->fields ? word % a->words - field_at(a, word % a->words)->offset : 0, out,
		     size);
	return true;
}

/* What the statement reads of memory and tables, after its registers. */
static size_t say_fetches(const struct kernel *k, const struct kernel_code *code,
			  const struct kernel_instr *i, const struct kernel_view *view, bool first,
			  char *out, size_t size)
{
	const struct kernel_step *from = &code->step[i->step];
	size_t used = 0;
	char name[120];

	for (const struct kernel_step *s = from; s < from + i->steps && used < size; s++)
		if (!told(code, i, s->d) && name_fetch(k, s, view, name, sizeof(name))) {
			used += (size_t)put_operand(name, view->word(view->of, s->d), first,
						    out + used, size - used);
			first = false;
		}
	return used;
}

/* ---- relations that do not hold ---- */

static const struct relation {
	const char *text, *turned; /* with its sides exchanged */
} relations[] = {
	[KERNEL_LESS] = { "<", ">" },		   [KERNEL_LESS_EQUAL] = { "<=", ">=" },
	[KERNEL_GREATER] = { ">", "<" },	   [KERNEL_GREATER_EQUAL] = { ">=", "<=" },
	[KERNEL_EQUAL] = { "==", "==" },	   [KERNEL_NOT_EQUAL] = { "!=", "!=" },
};

/* The name of a side, or its value if it has none. */
static void name_side(const struct kernel *k, const struct kernel_code *code,
		      const struct kernel_instr *i, const struct kernel_view *view,
		      uint16_t column, char *out, size_t size)
{
	const struct kernel_step *first = &code->step[i->step], *s = first;

	if (named(code, column)) {
		snprintf(out, size, "%s", code->reg[column].name);
		return;
	}
	while (s < first + i->steps && (s->d != column || !name_fetch(k, s, view, out, size)))
		s++;
	if (s == first + i->steps)
		snprintf(out, size, "%u", view->word(view->of, column));
}

/* "expected LEFT OPERATOR RIGHT" of a require; a constant stands on the right side. */
static void say_relation(const struct kernel *k, const struct kernel_code *code,
			 const struct kernel_instr *i, const struct kernel_view *view, bool first,
			 char *out, size_t size)
{
	const struct kernel_step *s = &code->step[i->step], *end = s + i->steps;
	char left[120], right[120];
	bool turned;

	while (s < end && s->d != i->a)
		s++;
	if (i->op != SIM_REQUIRE || s == end || s->operator < KERNEL_LESS ||
	    s->operator > KERNEL_NOT_EQUAL)
		return;
	turned = s->a >= code->registers && s->a < code->registers + code->constants;
	name_side(k, code, i, view, turned ? s->b : s->a, left, sizeof(left));
	name_side(k, code, i, view, turned ? s->a : s->b, right, sizeof(right));
	snprintf(out, size, "%sexpected %s %s %s", first ? ": " : ", ", left,
		 turned ? relations[s->operator].turned : relations[s->operator].text, right);
}

void kernel_say_operands(const struct kernel *k, const struct kernel_code *code,
			 const struct kernel_instr *i, const struct kernel_view *view, char *out,
			 size_t size)
{
	uint16_t column[KERNEL_OPERANDS];
	uint32_t count = operands(code, i, column);
	size_t used = 0;

	*out = '\0';
	for (uint32_t n = 0; n < count && used < size; n++)
		if (!told(code, i, column[n]))
			used += (size_t)put_operand(code->reg[column[n]].name,
						    view->word(view->of, column[n]), !used,
						    out + used, size - used);
	if (used < size)
		used += say_fetches(k, code, i, view, !used, out + used, size - used);
	if (used < size)
		say_relation(k, code, i, view, !used, out + used, size - used);
}

/* ---- beyond the end of an array ---- */

void kernel_catch(const struct kernel_code *code, const struct kernel_instr *i,
		  const struct kernel_view *view, struct sim_stray *stray)
{
	const struct kernel_step *first = &code->step[i->step], *span;
	bool access = stray->step == SIM_NO_STEP;
	uint16_t column[KERNEL_OPERANDS];
	uint32_t count = operands(code, i, column);

	span = access ? span_of(first, first + i->steps, i->a) :
			span_of(first, &code->step[stray->step], code->step[stray->step].a);
	if (span) {
		stray->index = view->word(view->of, span->a);
		stray->part = view->word(view->of, span->b);
	}
	for (uint32_t n = 0; n < count; n++)
		stray->operand[n] = view->word(view->of, column[n]);
}

struct sim_spot kernel_say_stray(const struct kernel *k, const struct kernel_code *code,
				    const struct kernel_instr *i, const struct sim_stray *stray,
				    char *out, size_t size)
{
	const struct kernel_step *first = &code->step[i->step], *span;
	const struct kernel_step *s = stray->step == SIM_NO_STEP ? NULL : &code->step[stray->step];
	const struct kernel_place *p = &k->place[s ? s->extra : i->place];
	const struct kernel_array *a = &k->array[p->array];
	const struct kernel_field *field = field_at(a, p->offset);
	uint16_t column[KERNEL_OPERANDS];
	uint32_t count = operands(code, i, column);
	bool within = false; /* the array, and beyond the field */
	size_t used;

	span = s ? span_of(first, s, s->a) : span_of(first, first + i->steps, i->a);
	if (span) {
		field = &a->field[span->extra & 0xffff];
		within = stray->index < a->length;
	}
	used = (size_t)name_element(a, field, stray->index, span ? stray->part : 0, out, size);
	if (used < size)
		used += (size_t)snprintf(out + used, size - used,
					 ", beyond the end of %s%s%s (length %u)", a->name,
					 within ? "." : "", within ? field->name : "",
					 within ? field->count : a->length);
	for (uint32_t n = 0; n < count && used < size; n++)
		used += (size_t)put_operand(code->reg[column[n]].name, stray->operand[n], !n,
					    out + used, size - used);
	return s ? (struct sim_spot){ s->line, s->column } :
		   (struct sim_spot){ i->line, i->column };
}
