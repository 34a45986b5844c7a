/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: precedence as in C, constants folded, the rest as steps of the instruction that
 * is being made. Expressions have no branches: && || ?: compute all operands and discard those not
 * needed; a word of memory (in setup and verify) is fetched only if its guard holds.
 */
#include "compute.h"
#include "reader.h"
#include "../base/arena.h"

#include <errno.h>

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

static int constant_column(struct reader *r, uint32_t number, uint16_t *out)
{
	struct kernel_code *code = r->code;
	uint32_t i = 0;

	while (i < code->constants && code->constant[i] != number)
		i++;
	*out = (uint16_t)(CONSTANT_COLUMN | i);
	if (i < code->constants)
		return 0;
	if (i == KERNEL_COLUMNS_MAX)
		return say(r, "more than %u constants", KERNEL_COLUMNS_MAX);
	if (!SIM_ROOM(code->constant, r->constants, i + 1))
		return no_memory(r);
	code->constant[code->constants++] = number;
	return 0;
}

int column_of(struct reader *r, const struct value *value, uint16_t *out)
{
	if (value->constant)
		return constant_column(r, value->number, out);
	*out = value->column;
	return 0;
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

int add_step(struct reader *r, struct kernel_step step, uint16_t to, struct value *out)
{
	struct kernel_code *code = r->code;
	uint16_t same;

	*out = (struct value){ .truth = step.operator >= KERNEL_LESS &&
					step.operator <= KERNEL_EITHER };
	if (r->dead)
		return 0;
	same = to == KERNEL_NO_COLUMN ? known(r, &step) : KERNEL_NO_COLUMN;
	if (same != KERNEL_NO_COLUMN) {
		out->column = same;
		return 0;
	}
	if (code->step_count - r->first_step == KERNEL_COLUMNS_MAX ||
	    code->step_count == KERNEL_STEPS_MAX)
		return say(r, "an expression or the code is too long");
	if (!SIM_ROOM(code->step, r->steps, code->step_count + 1))
		return no_memory(r);
	step.d = out->column = to == KERNEL_NO_COLUMN ? free_scratch(r) : to;
	step.line = own_line(r, r->statement_line);
	step.column = own_column(r, r->statement_column);
	code->step[code->step_count++] = step;
	return 0;
}

int put_in(struct reader *r, uint16_t reg, const struct value *value)
{
	struct kernel_code *code = r->code;
	struct kernel_step step = { .operator = KERNEL_COPY };
	struct value result;
	int error;

	if (r->dead)
		return 0;
	if (!value->constant && value->column & SCRATCH_COLUMN &&
	    code->step_count > r->first_step &&
	    code->step[code->step_count - 1].d == value->column) {
		code->step[code->step_count - 1].d = reg;
		return 0;
	}
	error = column_of(r, value, &step.a);
	step.b = step.c = step.a;
	return error ? error : add_step(r, step, reg, &result);
}

static int ternary(struct reader *r, enum kernel_operator operator, const struct value *a,
		   const struct value *b, const struct value *c, struct value *out)
{
	struct kernel_step step = { .operator = (uint8_t)operator };
	int error;

	if (operator == KERNEL_RANDOM && a->constant) {
		*out = constant(kernel_random(r->kernel->seed, a->number));
		return 0;
	}
	if (a->constant && b->constant && c->constant) {
		*out = constant(kernel_compute(operator, a->number, b->number, c->number));
		return 0;
	}
	error = column_of(r, a, &step.a);
	if (!error)
		error = column_of(r, b, &step.b);
	if (!error)
		error = column_of(r, c, &step.c);
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, out);
}

int binary(struct reader *r, enum kernel_operator operator, const struct value *a,
	   const struct value *b, struct value *out)
{
	return ternary(r, operator, a, b, b, out);
}

/* ---- memory ---- */

static int add_place(struct reader *r, const struct kernel_place *place, uint16_t *out)
{
	struct kernel *k = r->kernel;
	struct kernel_place *p;

	for (size_t i = 0; i < k->places; i++) {
		p = &k->place[i];
		if (p->array == place->array && p->offset == place->offset &&
		    p->stride == place->stride && p->length == place->length) {
			*out = (uint16_t)i;
			return 0;
		}
	}
	if (k->places == KERNEL_COLUMNS_MAX)
		return say(r, "more than %u places of memory", KERNEL_COLUMNS_MAX);
	if (!SIM_ROOM(k->place, r->places, k->places + 1))
		return no_memory(r);
	k->place[k->places] = *place;
	*out = (uint16_t)k->places++;
	return 0;
}

static int read_index(struct reader *r, struct value *out)
{
	int error = take_sign(r, "[");

	if (!error)
		error = read_expression(r, out);
	return error ? error : take_sign(r, "]");
}

static int find_field(struct reader *r, const struct kernel_array *array, size_t *out)
{
	char names[100] = "";
	size_t used = 0;

	for (*out = 0; r->token == TOKEN_WORD && *out < array->fields; ++*out)
		if (same(array->field[*out].name, r->text)) {
			next_token(r);
			return 0;
		}
	for (size_t i = 0; i < array->fields && used < 80; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %.30s",
					 array->field[i].name);
	say(r, "got \"%s\", expected a field of %s:%s", r->text, array->name, names);
	return -EINVAL;
}

/* .FIELD, or .FIELD[e]; the latter makes a flat index from that of the element. */
static int read_field(struct reader *r, struct kernel_place *place, struct value *index)
{
	const struct kernel_array *array = &r->kernel->array[place->array];
	struct kernel_step step = { .operator = KERNEL_SPAN };
	struct value part;
	size_t field;
	int error = take_sign(r, ".");

	if (!error)
		error = find_field(r, array, &field);
	if (error)
		return error;
	place->offset = array->field[field].offset;
	if (array->field[field].count == 1 && !at_sign(r, "["))
		return 0;
	error = read_index(r, &part);
	if (!error)
		error = column_of(r, index, &step.a);
	if (!error)
		error = column_of(r, &part, &step.b);
	step.c = step.a;
	step.extra = (uint32_t)place->array << 16 | (uint32_t)field;
	place->offset = 0;
	place->stride = 4;
	place->length = array->length * array->words;
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, index);
}

/* The name is no array. ARRAY.FIELD counts as a name here; it needs an index. */
static int without_index(struct reader *r)
{
	char array[KERNEL_NAME_MAX];
	const struct name *name;
	size_t length = strcspn(r->text, ".");

	snprintf(array, sizeof(array), "%.*s", (int)length, r->text);
	name = r->token == TOKEN_WORD && r->text[length] ? find_name(r, array) : NULL;
	if (name && name->kind == NAME_ARRAY)
		return say(r, "got \"%s\", expected \"%s[INDEX]%s\"", r->text, array,
			   r->text + length);
	return unexpected(r, "the name of an array");
}

int read_place(struct reader *r, uint16_t *out, struct value *index)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	const struct kernel_array *array;
	struct kernel_place place = { 0 };
	int error;

	if (!name || name->kind != NAME_ARRAY)
		return without_index(r);
	array = &r->kernel->array[name->index];
	if (array->kind == KERNEL_SHARED && of_host(r))
		return say(r, "got \"%s\", shared memory, which ends with its launch, expected "
			      "what the launch leaves", r->text);
	if (array->kind == KERNEL_SHARED && r->code && !of_run(r) && !r->kernel->shows_shared)
		return say(r, "got \"%s\", shared memory, of which each of %u blocks has a copy, "
			      "expected what all threads see", r->text, r->kernel->blocks);
	place.array = (uint16_t)name->index;
	place.stride = 4 * array->words;
	place.length = array->length;
	next_token(r);
	error = read_index(r, index);
	if (!error && array->fields)
		error = read_field(r, &place, index);
	return error ? error : add_place(r, &place, out);
}

/* A word of memory or of a table. */
static int fetch(struct reader *r, struct value *out)
{
	const struct name *name = find_name(r, r->text);
	bool table = r->kernel->array[name->index].kind == KERNEL_TABLE;
	struct kernel_step step = { .operator = KERNEL_FETCH };
	struct value index;
	uint16_t place = 0;
	int error;

	if (!r->code)
		return say(r, "got \"%s\", expected what is known before the run", r->text);
	if (!table && (of_run(r) || r->section == KERNEL_AFFINITY))
		return say(r, "got \"%s\", expected no memory in an expression of a program: "
			      "\"load\" it into a register first", r->text);
	error = read_place(r, &place, &index);
	if (!error)
		error = column_of(r, &index, &step.a);
	step.b = step.a;
	step.c = r->guard;
	if (!error && step.c == KERNEL_NO_COLUMN)
		error = constant_column(r, 1, &step.c);
	step.extra = place;
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, out);
}

/* ---- operands ---- */

static int say_nothing_is_known(struct reader *r)
{
	return say(r, "got \"%s\", expected what is known before the run", r->text);
}

/* A define, expanded in place: its body is read with its parameters bound. */
static int expand(struct reader *r, struct macro *macro, struct value *out)
{
	struct scope scope = { .bindings = 0 };
	struct reader saved;
	char close[2] = ")";
	int error = 0;

	if (macro->busy)
		return say(r, "\"%s\" is made of itself", macro->name);
	if (++r->expansions > EXPANSIONS_MAX)
		return say(r, "macros are expanded more than %u times", EXPANSIONS_MAX);
	next_token(r);
	if (macro->parameters)
		error = take_sign(r, "(");
	for (uint32_t i = 0; !error && i < macro->parameters; i++) {
		struct binding *b = &scope.binding[scope.bindings++];

		if (i)
			error = take_sign(r, ",");
		strcpy(b->name, macro->parameter[i]);
		b->token = TOKEN_VALUE;
		strcpy(b->text, macro->parameter[i]);
		if (!error)
			error = read_expression(r, &b->value);
	}
	if (!error && macro->parameters)
		error = take_sign(r, close);
	if (error)
		return error;
	saved = *r;
	read_at_body(r, macro);
	r->scope = &scope;
	r->token = TOKEN_WORD;
	macro->busy = true;
	next_token(r);
	error = read_expression(r, out);
	if (!error && !at_end(r))
		error = unexpected(r, "an operator or the end of the line");
	macro->busy = false;
	if (error)
		return error;
	read_at(r, &saved);
	r->token_line = saved.token_line;
	r->token_column = saved.token_column;
	r->number = saved.number;
	r->value = saved.value;
	r->scope = saved.scope;
	strcpy(r->text, saved.text);
	return 0;
}

static int read_special(struct reader *r, enum sim_special special, struct value *out)
{
	uint16_t reg;

	if (!r->code)
		return say_nothing_is_known(r);
	if (!of_run(r) && (r->section != KERNEL_AFFINITY || special != SIM_OWN_ID))
		return say(r, "got \"%s\", expected an operand of %s, which no thread runs",
			   r->text, section_name(r));
	reg = special_register(r, special);
	if (reg == KERNEL_NO_COLUMN)
		return -EINVAL;
	next_token(r);
	*out = (struct value){ .column = reg };
	return 0;
}

/* threads, block_size: those of the launch */
static int read_size(struct reader *r, struct value *out)
{
	bool threads = at_word(r, "threads");
	const struct kernel *k = r->kernel;

	if (!r->threads_known)
		return say(r, "got \"%s\", expected \"threads N block N\" before its use", r->text);
	if (r->launch)
		*out = constant(threads ? (uint32_t)r->launch->threads : r->launch->block_threads);
	else
		*out = constant(threads ? (uint32_t)k->threads : k->block_threads);
	next_token(r);
	return 0;
}

static int read_name(struct reader *r, struct value *out)
{
	static const char *const specials[] = { "thread", "lane", "warp",   "block",
						"id",	  "warp_id", "attempt", "device" };
	const struct name *name = find_name(r, r->text);
	uint16_t reg;

	for (uint32_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (same(r->text, specials[i]))
			return read_special(r, (enum sim_special)i, out);
	if (same(r->text, "threads") || ((!name || r->launch) && same(r->text, "block_size")))
		return read_size(r, out);
	if (name && name->kind == NAME_PARAM) {
		*out = constant(name->index);
		next_token(r);
		return 0;
	}
	if (name && name->kind == NAME_MACRO && r->macro[name->index].expression)
		return expand(r, &r->macro[name->index], out);
	if (name && name->kind == NAME_ARRAY)
		return fetch(r, out);
	if (name || ((!r->code || find_register(r, r->text) == KERNEL_NO_COLUMN) &&
		     is_reserved(r->text)))
		return unexpected(r, "an operand: a number, a register or a constant");
	if (!r->code)
		return say_nothing_is_known(r);
	reg = take_register(r, false);
	*out = (struct value){ .column = reg };
	return reg == KERNEL_NO_COLUMN ? -EINVAL : 0;
}

static int absolute(struct reader *r, const struct value *a, struct value *out)
{
	const struct value zero = constant(0);
	struct value minus, negative;
	int error = binary(r, KERNEL_MINUS, &zero, a, &minus);

	if (!error)
		error = binary(r, KERNEL_SIGNED_LESS, a, &zero, &negative);
	return error ? error : ternary(r, KERNEL_CHOOSE, &negative, &minus, a, out);
}

static int call(struct reader *r, const struct function *f, struct value *out)
{
	struct value argument[3];
	int error;

	next_token(r);
	error = take_sign(r, "(");
	for (uint32_t i = 0; !error && i < f->arguments; i++) {
		if (i)
			error = take_sign(r, ",");
		if (!error)
			error = read_expression(r, &argument[i]);
	}
	if (!error)
		error = take_sign(r, ")");
	if (error)
		return error;
	for (uint32_t i = f->arguments; i < 3; i++)
		argument[i] = argument[i - 1];
	if (f->operator == KERNEL_COPY)
		return absolute(r, &argument[0], out);
	if (f->operator == KERNEL_RANDOM && !r->code && !argument[0].constant)
		return say_nothing_is_known(r);
	return ternary(r, (enum kernel_operator)f->operator, &argument[0], &argument[1],
		       &argument[2], out);
}

static int read_prefix(struct reader *r, struct value *out);

/* ! ~ - */
static int read_unary(struct reader *r, struct value *out)
{
	static const enum kernel_operator operators[] = { KERNEL_EQUAL, KERNEL_XOR, KERNEL_MINUS };
	const struct value left = constant(*r->text == '~' ? UINT32_MAX : 0);
	enum kernel_operator operator = operators[*r->text == '~' ? 1 : *r->text == '-' ? 2 : 0];
	struct value a;
	int error;

	next_token(r);
	error = read_prefix(r, &a);
	return error ? error : binary(r, operator, &left, &a, out);
}

static int nested(struct reader *r, struct value *out)
{
	int error;

	next_token(r);
	error = read_expression(r, out);
	return error ? error : take_sign(r, ")");
}

static int read_prefix(struct reader *r, struct value *out)
{
	int error;

	if (++r->depth > 200)
		return say(r, "expressions are nested too deep");
	if (r->token == TOKEN_NUMBER || r->token == TOKEN_VALUE) {
		*out = r->token == TOKEN_VALUE ? r->value : constant(r->number);
		next_token(r);
		error = 0;
	} else if (at_sign(r, "(")) {
		error = nested(r, out);
	} else if (at_sign(r, "!") || at_sign(r, "~") || at_sign(r, "-")) {
		error = read_unary(r, out);
	} else if (r->token != TOKEN_WORD) {
		error = unexpected(r, "an operand: a number, a register or a constant");
	} else {
		size_t i = 0, count = sizeof(functions) / sizeof(functions[0]);

		while (i < count && !same(functions[i].text, r->text))
			i++;
		error = i < count ? call(r, &functions[i], out) : read_name(r, out);
	}
	r->depth--;
	return error;
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
static int narrow_guard(struct reader *r, const struct value *condition, bool holds)
{
	const struct value zero = constant(0), outer = { .column = r->guard };
	struct value truth;
	int error = binary(r, holds ? KERNEL_NOT_EQUAL : KERNEL_EQUAL, condition, &zero, &truth);

	if (!error && r->guard != KERNEL_NO_COLUMN)
		error = binary(r, KERNEL_BOTH, &outer, &truth, &truth);
	return error ? error : column_of(r, &truth, &r->guard);
}

static int read_level(struct reader *r, uint32_t level, struct value *out);

/* The right side of && and ||, and a side of ?:, counts only under this condition. */
static int read_under(struct reader *r, const struct value *condition, bool holds, uint32_t level,
		      struct value *out)
{
	bool never = condition->constant && !condition->number == holds;
	uint16_t guard = r->guard;
	int error = 0;

	r->dead += never;
	if (r->code && !condition->constant && !r->dead)
		error = narrow_guard(r, condition, holds);
	if (!error)
		error = level ? read_level(r, level, out) : read_expression(r, out);
	r->dead -= never;
	r->guard = guard;
	return error;
}

static int combine(struct reader *r, const struct infix *infix, const struct value *left,
		   struct value *out)
{
	bool logic = infix->operator == KERNEL_BOTH || infix->operator == KERNEL_EITHER;
	bool both = infix->operator == KERNEL_BOTH;
	struct value right;
	int error;

	if (!logic) {
		error = read_level(r, infix->level + 1u, &right);
		return error ? error
			     : binary(r, (enum kernel_operator)infix->operator, left, &right, out);
	}
	error = read_under(r, left, both, infix->level + 1u, &right);
	if (!error && left->constant && !left->number == both) {
		*out = constant(!both);
		return 0;
	}
	return error ? error : binary(r, (enum kernel_operator)infix->operator, left, &right, out);
}

static int read_level(struct reader *r, uint32_t level, struct value *out)
{
	const struct infix *infix;
	struct value left;
	int error = read_prefix(r, out);

	while (!error && (infix = find_infix(r)) && infix->level >= level) {
		left = *out;
		next_token(r);
		error = combine(r, infix, &left, out);
	}
	return error;
}

/* After "?". */
static int read_choice(struct reader *r, const struct value *condition, struct value *out)
{
	struct value yes, no;
	int error = read_under(r, condition, true, 0, &yes);

	if (!error)
		error = take_sign(r, ":");
	if (!error)
		error = read_under(r, condition, false, 0, &no);
	if (error)
		return error;
	if (condition->constant) {
		*out = condition->number ? yes : no;
		return 0;
	}
	return ternary(r, KERNEL_CHOOSE, condition, &yes, &no, out);
}

int read_expression(struct reader *r, struct value *out)
{
	struct value condition;
	int error = read_level(r, 1, out);

	if (error || !at_sign(r, "?"))
		return error;
	next_token(r);
	condition = *out;
	return read_choice(r, &condition, out);
}

int read_constant(struct reader *r, uint32_t least, uint32_t most, const char *what, uint32_t *out)
{
	uint32_t line = r->token_line, column = r->token_column;
	struct kernel_code *code = r->code;
	struct value value;
	int error;

	r->code = NULL;
	error = read_expression(r, &value);
	r->code = code;
	if (error)
		return error;
	if (value.number < least || value.number > most)
		return say_at(r, line, column, "got \"%u\", expected %s, %u .. %u", value.number,
			      what, least, most);
	*out = value.number;
	return 0;
}
