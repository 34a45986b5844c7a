/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: precedence as in C, constants folded, the rest as steps of the instruction that
 * is being made. Expressions have no branches: && || ?: compute all operands and discard those not
 * needed; a word of memory (in setup and verify) is fetched only if its guard holds.
 */
#include "compute.h"
#include "reader.h"
#include "../base/arena.h"

static const struct infix {
	char text[4];
	uint8_t level, operator;
} infixes[] = {
	{ "||", 1, KERNEL_EITHER },	  { "&&", 2, KERNEL_BOTH },
	{ "|", 3, KERNEL_OR },		  { "^", 4, KERNEL_XOR },
	{ "&", 5, KERNEL_AND },		  { "==", 6, KERNEL_EQUAL },
	{ "!=", 6, KERNEL_NOT_EQUAL },	  { "<", 7, KERNEL_LESS },
	{ "<=", 7, KERNEL_LESS_EQUAL },	  { ">", 7, KERNEL_GREATER },
	{ ">=", 7, KERNEL_GREATER_EQUAL }, { "<<", 8, KERNEL_LEFT },
	{ ">>", 8, KERNEL_RIGHT },	  { "+", 9, KERNEL_PLUS },
	{ "-", 9, KERNEL_MINUS },	  { "*", 10, KERNEL_TIMES },
	{ "/", 10, KERNEL_OVER },	  { "%", 10, KERNEL_MODULO },
	{ "min", 10, KERNEL_LEAST },	  { "max", 10, KERNEL_MOST },
};

static const struct function {
	char text[8];
	uint8_t operator, arguments;
} functions[] = {
	{ "mul", KERNEL_MULTIPLY, 3 },	  { "smul", KERNEL_SIGNED_MULTIPLY, 3 },
	{ "over", KERNEL_DIVIDE, 3 },	  { "sqrt", KERNEL_ROOT, 1 },
	{ "sless", KERNEL_SIGNED_LESS, 2 }, { "sshift", KERNEL_SIGNED_RIGHT, 2 },
	{ "min", KERNEL_LEAST, 2 },	  { "max", KERNEL_MOST, 2 },
	{ "random", KERNEL_RANDOM, 1 },	  { "abs", KERNEL_COPY, 1 },
};

/* ---- columns and steps ---- */

static uint16_t constant_column(struct reader *r, uint32_t number)
{
	struct kernel_code *code = r->code;
	uint32_t i = 0;

	if (r->error)
		return KERNEL_NO_COLUMN;
	while (i < code->constants && code->constant[i] != number)
		i++;
	if (i == KERNEL_COLUMNS_MAX)
		say(r, "more than %u constants", KERNEL_COLUMNS_MAX);
	else if (i == code->constants && ROOM(r, code->constant, r->constants, i + 1))
		code->constant[code->constants++] = number;
	return (uint16_t)(CONSTANT_COLUMN | i);
}

uint16_t column_of(struct reader *r, struct value value)
{
	return value.constant ? constant_column(r, value.number) : value.column;
}

/* Does a step between this step and the next instruction overwrite an operand of this step? */
static bool overwritten(const struct reader *r, size_t from)
{
	const struct kernel_step *s = &r->code->step[from];

	for (size_t i = from; i < r->code->step_count; i++) {
		uint16_t d = r->code->step[i].d;

		if (d == s->a || d == s->b || d == s->c)
			return true;
	}
	return false;
}

/* If this instruction has already computed the same, the scratch column that holds the result; else
 * no column. */
static uint16_t known(const struct reader *r, const struct kernel_step *wanted)
{
	if (wanted->operator == KERNEL_CHANCE || wanted->operator == KERNEL_TRACED)
		return KERNEL_NO_COLUMN;
	for (size_t i = r->first_step; i < r->code->step_count; i++) {
		const struct kernel_step *s = &r->code->step[i];

		if (s->operator == wanted->operator && s->a == wanted->a && s->b == wanted->b &&
		    s->c == wanted->c && s->extra == wanted->extra && s->d & SCRATCH_COLUMN &&
		    !overwritten(r, i))
			return s->d;
	}
	return KERNEL_NO_COLUMN;
}

/* A scratch column that no step of this instruction uses. */
static uint16_t free_scratch(struct reader *r)
{
	uint32_t next = 0;

	for (size_t i = r->first_step; i < r->code->step_count; i++)
		next += r->code->step[i].d >= SCRATCH_COLUMN;
	if (next >= r->code->scratch)
		r->code->scratch = next + 1;
	return (uint16_t)(SCRATCH_COLUMN | next);
}

struct value add_step(struct reader *r, struct kernel_step step, uint16_t to)
{
	struct kernel_code *code = r->code;
	struct value out = { .truth = step.operator >= KERNEL_LESS &&
				      step.operator <= KERNEL_EITHER };
	uint16_t same;

	if (r->dead || r->error)
		return out;
	same = to == KERNEL_NO_COLUMN ? known(r, &step) : KERNEL_NO_COLUMN;
	if (same != KERNEL_NO_COLUMN) {
		out.column = same;
		return out;
	}
	if (code->step_count - r->first_step == KERNEL_COLUMNS_MAX ||
	    code->step_count == KERNEL_STEPS_MAX)
		say(r, "an expression or the code is too long");
	if (r->error || !ROOM(r, code->step, r->steps, code->step_count + 1))
		return out;
	step.d = out.column = to == KERNEL_NO_COLUMN ? free_scratch(r) : to;
	step.line = own_line(r, r->statement_line);
	step.column = own_column(r, r->statement_column);
	code->step[code->step_count++] = step;
	return out;
}

void put_in(struct reader *r, uint16_t reg, struct value value)
{
	struct kernel_code *code = r->code;
	struct kernel_step step = { .operator = KERNEL_COPY };

	if (r->dead || r->error)
		return;
	if (!value.constant && value.column & SCRATCH_COLUMN && code->step_count > r->first_step &&
	    code->step[code->step_count - 1].d == value.column) {
		code->step[code->step_count - 1].d = reg;
		return;
	}
	step.a = step.b = step.c = column_of(r, value);
	add_step(r, step, reg);
}

static struct value ternary(struct reader *r, enum kernel_operator operator, struct value a,
			    struct value b, struct value c)
{
	struct kernel_step step = { .operator = (uint8_t)operator };

	if (operator == KERNEL_RANDOM && a.constant)
		return constant(kernel_random(r->kernel->seed, a.number));
	if (a.constant && b.constant && c.constant)
		return constant(kernel_compute(operator, a.number, b.number, c.number));
	step.a = column_of(r, a);
	step.b = column_of(r, b);
	step.c = column_of(r, c);
	return add_step(r, step, KERNEL_NO_COLUMN);
}

struct value binary(struct reader *r, enum kernel_operator operator, struct value a,
		    struct value b)
{
	return ternary(r, operator, a, b, b);
}

/* ---- memory ---- */

static uint16_t add_place(struct reader *r, const struct kernel_place *place)
{
	struct kernel *k = r->kernel;
	size_t i;

	for (i = 0; i < k->places; i++) {
		const struct kernel_place *p = &k->place[i];

		if (p->array == place->array && p->offset == place->offset &&
		    p->stride == place->stride && p->length == place->length)
			return (uint16_t)i;
	}
	if (i == KERNEL_COLUMNS_MAX)
		say(r, "more than %u places of memory", KERNEL_COLUMNS_MAX);
	else if (ROOM(r, k->place, r->places, i + 1))
		k->place[k->places++] = *place;
	return (uint16_t)i;
}

static struct value read_index(struct reader *r)
{
	struct value index;

	take_sign(r, "[");
	index = read_expression(r);
	take_sign(r, "]");
	return index;
}

/* The first field after an error. */
static size_t take_field(struct reader *r, const struct kernel_array *array)
{
	char names[100] = "";
	size_t used = 0;

	for (size_t i = 0; r->token == TOKEN_WORD && i < array->fields; i++)
		if (same(array->field[i].name, r->text)) {
			next_token(r);
			return i;
		}
	for (size_t i = 0; i < array->fields && used < 80; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %.30s",
					 array->field[i].name);
	say(r, "got \"%s\", expected a field of %s:%s", r->text, array->name, names);
	return 0;
}

/* .FIELD, or .FIELD[e]; the latter makes a flat index from that of the element. */
static struct value read_field(struct reader *r, struct kernel_place *place, struct value index)
{
	const struct kernel_array *array = &r->kernel->array[place->array];
	struct kernel_step step = { .operator = KERNEL_SPAN };
	struct value part;
	size_t field;

	take_sign(r, ".");
	field = take_field(r, array);
	place->offset = array->field[field].offset;
	if (array->field[field].count == 1 && !at_sign(r, "["))
		return index;
	part = read_index(r);
	step.a = step.c = column_of(r, index);
	step.b = column_of(r, part);
	step.extra = (uint32_t)place->array << 16 | (uint32_t)field;
	place->offset = 0;
	place->stride = 4;
	place->length = array->length * array->words;
	return add_step(r, step, KERNEL_NO_COLUMN);
}

/* The name is no array. ARRAY.FIELD counts as a name here; it needs an index. */
static void without_index(struct reader *r)
{
	char array[KERNEL_NAME_MAX];
	const struct name *name;
	size_t length = strcspn(r->text, ".");

	snprintf(array, sizeof(array), "%.*s", (int)length, r->text);
	name = r->token == TOKEN_WORD && r->text[length] ? find_name(r, array) : NULL;
	if (name && name->kind == NAME_ARRAY)
		say(r, "got \"%s\", expected \"%s[INDEX]%s\"", r->text, array,
		    r->text + length);
	else
		unexpected(r, "the name of an array");
}

uint16_t read_place(struct reader *r, struct value *index)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	const struct kernel_array *array;
	struct kernel_place place = { 0 };

	*index = constant(0);
	if (!name || name->kind != NAME_ARRAY) {
		without_index(r);
		return 0;
	}
	array = &r->kernel->array[name->index];
	if (array->kind == KERNEL_SHARED && of_host(r))
		say(r, "got \"%s\", shared memory, which ends with its launch, expected what the "
		       "launch leaves", r->text);
	if (array->kind == KERNEL_SHARED && r->code && !of_run(r) && !r->kernel->shows_shared)
		say(r, "got \"%s\", shared memory, of which each of %u blocks has a copy, "
		       "expected what all threads see", r->text, r->kernel->blocks);
	place.array = (uint16_t)name->index;
	place.stride = 4 * array->words;
	place.length = array->length;
	next_token(r);
	*index = read_index(r);
	if (array->fields)
		*index = read_field(r, &place, *index);
	return add_place(r, &place);
}

/* What a run finds out is asked for before the run. */
static struct value not_known(struct reader *r)
{
	say(r, "got \"%s\", expected what is known before the run", r->text);
	return constant(0);
}

/* A word of memory or of a table. */
static struct value fetch(struct reader *r)
{
	const struct name *name = find_name(r, r->text);
	bool table = r->kernel->array[name->index].kind == KERNEL_TABLE;
	struct kernel_step step = { .operator = KERNEL_FETCH, .c = r->guard };
	struct value index;

	if (!r->code)
		return not_known(r);
	if (!table && (of_run(r) || r->section == KERNEL_AFFINITY))
		say(r, "got \"%s\", expected no memory in an expression of a program: \"load\" it "
		       "into a register first", r->text);
	step.extra = read_place(r, &index);
	step.a = step.b = column_of(r, index);
	if (step.c == KERNEL_NO_COLUMN)
		step.c = constant_column(r, 1);
	return add_step(r, step, KERNEL_NO_COLUMN);
}

/* ---- operands ---- */

/* The arguments of a define. */
static void bind_arguments(struct reader *r, const struct macro *macro, struct scope *scope)
{
	take_sign(r, "(");
	for (uint32_t i = 0; i < macro->parameters; i++) {
		struct binding *b = &scope->binding[scope->bindings++];

		if (i)
			take_sign(r, ",");
		strcpy(b->name, macro->parameter[i]);
		strcpy(b->text, macro->parameter[i]);
		b->token = TOKEN_VALUE;
		b->value = read_expression(r);
	}
	take_sign(r, ")");
}

/* A define, expanded in place: its body is read with its parameters bound. */
static struct value expand(struct reader *r, struct macro *macro)
{
	struct scope scope = { .bindings = 0 };
	struct reader saved;
	struct value out;

	if (macro->busy)
		say(r, "\"%s\" is made of itself", macro->name);
	if (++r->expansions > EXPANSIONS_MAX)
		say(r, "macros are expanded more than %u times", EXPANSIONS_MAX);
	next_token(r);
	if (macro->parameters)
		bind_arguments(r, macro, &scope);
	saved = *r;
	read_at_body(r, macro);
	r->scope = &scope;
	r->token = TOKEN_WORD;
	macro->busy = true;
	next_token(r);
	out = read_expression(r);
	if (!at_end(r))
		unexpected(r, "an operator or the end of the line");
	macro->busy = false;
	read_at(r, &saved);
	r->token_line = saved.token_line;
	r->token_column = saved.token_column;
	r->number = saved.number;
	r->value = saved.value;
	r->scope = saved.scope;
	strcpy(r->text, saved.text);
	return out;
}

static struct value no_operand(struct reader *r)
{
	unexpected(r, "an operand: a number, a register or a constant");
	return constant(0);
}

static struct value read_special(struct reader *r, enum sim_special special)
{
	struct value out = { .constant = false };

	if (!r->code)
		return not_known(r);
	if (!of_run(r) && (r->section != KERNEL_AFFINITY || special != SIM_OWN_ID))
		say(r, "got \"%s\", expected an operand of %s, which no thread runs", r->text,
		    section_name(r));
	out.column = special_register(r, special);
	next_token(r);
	return out;
}

/* threads, block_size: those of the launch */
static struct value read_size(struct reader *r)
{
	bool threads = at_word(r, "threads");
	const struct kernel_launch *l = r->launch;
	const struct kernel *k = r->kernel;

	if (!r->threads_known)
		say(r, "got \"%s\", expected \"threads N block N\" before its use", r->text);
	next_token(r);
	if (threads)
		return constant((uint32_t)(l ? l->threads : k->threads));
	return constant(l ? l->block_threads : k->block_threads);
}

static struct value read_name(struct reader *r)
{
	static const char *const specials[] = { "thread", "lane", "warp",   "block",
						"id",	  "warp_id", "attempt", "device" };
	const struct name *name = find_name(r, r->text);

	for (uint32_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (same(r->text, specials[i]))
			return read_special(r, (enum sim_special)i);
	if (same(r->text, "threads") || ((!name || r->launch) && same(r->text, "block_size")))
		return read_size(r);
	if (name && name->kind == NAME_PARAM) {
		next_token(r);
		return constant(name->index);
	}
	if (name && name->kind == NAME_MACRO && r->macro[name->index].expression)
		return expand(r, &r->macro[name->index]);
	if (name && name->kind == NAME_ARRAY)
		return fetch(r);
	if (name || ((!r->code || find_register(r, r->text) == KERNEL_NO_COLUMN) &&
		     is_reserved(r->text)))
		return no_operand(r);
	if (!r->code)
		return not_known(r);
	return (struct value){ .column = take_register(r, false) };
}

static struct value absolute(struct reader *r, struct value a)
{
	const struct value zero = constant(0), minus = binary(r, KERNEL_MINUS, zero, a);

	return ternary(r, KERNEL_CHOOSE, binary(r, KERNEL_SIGNED_LESS, a, zero), minus, a);
}

static struct value call(struct reader *r, const struct function *f)
{
	struct value argument[3];

	next_token(r);
	take_sign(r, "(");
	for (uint32_t i = 0; i < f->arguments; i++) {
		if (i)
			take_sign(r, ",");
		argument[i] = read_expression(r);
	}
	take_sign(r, ")");
	for (uint32_t i = f->arguments; i < 3; i++)
		argument[i] = argument[i - 1];
	if (f->operator == KERNEL_COPY)
		return absolute(r, argument[0]);
	if (f->operator == KERNEL_RANDOM && !r->code && !argument[0].constant)
		return not_known(r);
	return ternary(r, (enum kernel_operator)f->operator, argument[0], argument[1],
		       argument[2]);
}

static struct value read_prefix(struct reader *r);

/* ! ~ - */
static struct value read_unary(struct reader *r)
{
	static const enum kernel_operator operators[] = { KERNEL_EQUAL, KERNEL_XOR, KERNEL_MINUS };
	const struct value left = constant(*r->text == '~' ? UINT32_MAX : 0);
	enum kernel_operator operator = operators[*r->text == '~' ? 1 : *r->text == '-' ? 2 : 0];

	next_token(r);
	return binary(r, operator, left, read_prefix(r));
}

static struct value read_nested(struct reader *r)
{
	struct value out;

	next_token(r);
	out = read_expression(r);
	take_sign(r, ")");
	return out;
}

static struct value read_number(struct reader *r)
{
	struct value out = r->token == TOKEN_VALUE ? r->value : constant(r->number);

	if (!r->code && !out.constant)
		return not_known(r);
	next_token(r);
	return out;
}

static struct value read_word(struct reader *r)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (same(functions[i].text, r->text))
			return call(r, &functions[i]);
	return read_name(r);
}

static struct value read_prefix(struct reader *r)
{
	struct value out;

	if (++r->depth > 200)
		say(r, "expressions are nested too deep");
	if (r->token == TOKEN_NUMBER || r->token == TOKEN_VALUE)
		out = read_number(r);
	else if (at_sign(r, "("))
		out = read_nested(r);
	else if (at_sign(r, "!") || at_sign(r, "~") || at_sign(r, "-"))
		out = read_unary(r);
	else if (r->token == TOKEN_WORD)
		out = read_word(r);
	else
		out = no_operand(r);
	r->depth--;
	return out;
}

/* ---- operators ---- */

static const struct infix *find_infix(const struct reader *r)
{
	for (size_t i = 0; i < sizeof(infixes) / sizeof(infixes[0]); i++)
		if ((r->token == TOKEN_SIGN || r->token == TOKEN_WORD) &&
		    same(r->text, infixes[i].text))
			return &infixes[i];
	return NULL;
}

/* Memory is read only where this condition holds, too. */
static void narrow_guard(struct reader *r, struct value condition, bool holds)
{
	struct value truth = binary(r, holds ? KERNEL_NOT_EQUAL : KERNEL_EQUAL, condition,
				    constant(0));

	if (r->guard != KERNEL_NO_COLUMN)
		truth = binary(r, KERNEL_BOTH, (struct value){ .column = r->guard }, truth);
	r->guard = column_of(r, truth);
}

static struct value read_level(struct reader *r, uint32_t level);

/* The right side of && and ||, and a side of ?:, counts only under this condition. */
static struct value read_under(struct reader *r, struct value condition, bool holds,
			       uint32_t level)
{
	bool never = condition.constant && !condition.number == holds;
	uint16_t guard = r->guard;
	struct value out;

	r->dead += never;
	if (r->code && !condition.constant && !r->dead)
		narrow_guard(r, condition, holds);
	out = level ? read_level(r, level) : read_expression(r);
	r->dead -= never;
	r->guard = guard;
	return out;
}

static struct value combine(struct reader *r, const struct infix *infix, struct value left)
{
	bool both = infix->operator == KERNEL_BOTH;
	struct value right;

	if (both || infix->operator == KERNEL_EITHER)
		right = read_under(r, left, both, infix->level + 1u);
	else
		right = read_level(r, infix->level + 1u);
	if ((both || infix->operator == KERNEL_EITHER) && left.constant && !left.number == both)
		return constant(!both);
	return binary(r, (enum kernel_operator)infix->operator, left, right);
}

static struct value read_level(struct reader *r, uint32_t level)
{
	const struct infix *infix;
	struct value out = read_prefix(r);

	while ((infix = find_infix(r)) && infix->level >= level) {
		next_token(r);
		out = combine(r, infix, out);
	}
	return out;
}

struct value read_expression(struct reader *r)
{
	struct value condition = read_level(r, 1), yes, no;

	if (!at_sign(r, "?"))
		return condition;
	next_token(r);
	yes = read_under(r, condition, true, 0);
	take_sign(r, ":");
	no = read_under(r, condition, false, 0);
	if (condition.constant)
		return condition.number ? yes : no;
	return ternary(r, KERNEL_CHOOSE, condition, yes, no);
}

uint32_t read_constant(struct reader *r, uint32_t least, uint32_t most, const char *what)
{
	uint32_t line = r->token_line, column = r->token_column;
	struct kernel_code *code = r->code;
	struct value value;

	r->code = NULL;
	value = read_expression(r);
	r->code = code;
	if (value.number < least || value.number > most)
		say_at(r, line, column, "got \"%u\", expected %s, %u .. %u", value.number, what,
		       least, most);
	return r->error ? least : value.number;
}
