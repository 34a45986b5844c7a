/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements with statements in them, macros, and which statement a line is. */
#include "statement.h"

#define DEPTH_MAX 100

/* ---- statements with statements in them ---- */

static void take_uniform(struct reader *r, struct kernel_instr *i)
{
	next_token(r);
	i->uniform = at_word(r, "uniform");
	if (i->uniform)
		next_token(r);
}

/* What began in this line has no end where it must come. */
static int no_end(struct reader *r, uint32_t line, const char *what)
{
	bool some = r->token != TOKEN_END_OF_FILE;

	return say(r, "got %s%s%s, expected the end of the \"%s\" of line %u",
		   some ? "\"" : "end of file", r->text, some ? "\"" : "", what, line);
}

/* The body of what began in this line; then the word that ends it is next. */
static int read_body(struct reader *r, uint32_t line, const char *what)
{
	int error = take_end(r);

	if (!error)
		error = read_statements(r);
	if (!error && !at_word(r, "end") && !at_word(r, "else") && !at_word(r, "until"))
		return no_end(r, line, what);
	return error;
}

static int take_close(struct reader *r, uint32_t line, const char *what)
{
	if (!at_word(r, "end"))
		return no_end(r, line, what);
	next_token(r);
	return take_end(r);
}

static int no_else_if(struct reader *r, const char *got)
{
	return say(r, "got \"%s\", expected \"else\", and \"if\" with an \"end\" of its own in the "
		      "next line", got);
}

static int read_else_body(struct reader *r, uint32_t line)
{
	next_token(r);
	return at_word(r, "if") ? no_else_if(r, "else if") : read_body(r, line, "if");
}

/* What a constant condition leaves out is read and forgotten. */
static int read_constant_if(struct reader *r, uint32_t line, bool holds)
{
	int error;

	r->dead += !holds;
	error = read_body(r, line, "if");
	r->dead -= !holds;
	if (!error && at_word(r, "else")) {
		r->dead += holds;
		error = read_else_body(r, line);
		r->dead -= holds;
	}
	return error ? error : take_close(r, line, "if");
}

static int read_else(struct reader *r, uint32_t line, uint32_t otherwise)
{
	struct kernel_instr jump = { .op = KERNEL_JUMP };
	int error = new_label(r, &jump.target);

	if (!error && (r->reachable || r->dead))
		error = put_instr(r, &jump);
	if (!error)
		error = bind_label(r, otherwise);
	if (!error)
		error = read_else_body(r, line);
	return error ? error : bind_label(r, jump.target);
}

/* if [uniform] e ... [else ...] end */
static int read_if(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH, .negate = true };
	uint32_t line = r->token_line;
	struct value condition;
	int error;

	take_uniform(r, &i);
	error = read_expression(r, &condition);
	if (!error && condition.constant)
		return read_constant_if(r, line, condition.number);
	if (!error)
		error = column_of(r, &condition, &i.a);
	if (!error)
		error = new_label(r, &i.target);
	if (!error)
		error = put_instr(r, &i);
	if (!error)
		error = read_body(r, line, "if");
	if (!error)
		error = at_word(r, "else") ? read_else(r, line, i.target) :
					     bind_label(r, i.target);
	return error ? error : take_close(r, line, "if");
}

static int enter_loop(struct reader *r, uint32_t *leave)
{
	int error = new_label(r, leave);

	if (error)
		return error;
	if (r->loops == sizeof(r->leave) / sizeof(r->leave[0]))
		return say(r, "loops are nested too deep");
	r->leave[r->loops++] = *leave;
	return 0;
}

/* The test of a loop at its top, its body, and the way back. */
static int read_loop(struct reader *r, struct kernel_instr *test, uint32_t top, uint32_t line,
		     const char *what, uint16_t counter)
{
	const struct value one = constant(1), count = { .column = counter };
	struct value next;
	int error = enter_loop(r, &test->target);

	if (!error)
		error = put_instr(r, test);
	if (!error)
		error = read_body(r, line, what);
	if (!error && counter != KERNEL_NO_COLUMN && (r->reachable || r->dead)) {
		error = binary(r, KERNEL_PLUS, &count, &one, &next);
		if (!error)
			error = put_in(r, counter, &next);
	}
	if (!error)
		error = go_to(r, top);
	if (!error)
		error = bind_label(r, test->target);
	r->loops--;
	return error ? error : take_close(r, line, what);
}

/* while [uniform] e ... end */
static int read_while(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH, .negate = true };
	uint32_t line = r->token_line, top;
	int error = new_label(r, &top);

	if (!error)
		error = bind_label(r, top);
	take_uniform(r, &i);
	if (!error)
		error = read_operand(r, &i.a);
	return error ? error : read_loop(r, &i, top, line, "while", KERNEL_NO_COLUMN);
}

/* for [uniform] R = e below e ... end */
static int read_for(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH, .negate = true };
	uint32_t line = r->token_line, top;
	struct value start, bound, test;
	uint16_t reg;
	int error;

	take_uniform(r, &i);
	error = take_register_and_sign(r, &reg);
	if (!error)
		error = read_expression(r, &start);
	if (!error)
		error = put_in(r, reg, &start);
	if (!error)
		error = take_word(r, "below");
	if (!error)
		error = new_label(r, &top);
	if (!error)
		error = bind_label(r, top);
	if (!error)
		error = read_expression(r, &bound);
	start = (struct value){ .column = reg };
	if (!error)
		error = binary(r, KERNEL_LESS, &start, &bound, &test);
	if (!error)
		error = column_of(r, &test, &i.a);
	if (!error) {
		r->code->reg[reg].read |= !r->dead;
		r->code->reg[reg].named = true;
	}
	return error ? error : read_loop(r, &i, top, line, "for", reg);
}

/* repeat ... until [uniform] e */
static int read_repeat(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH, .negate = true };
	uint32_t line = r->token_line, leave;
	int error = enter_loop(r, &leave);

	if (!error)
		error = new_label(r, &i.target);
	if (!error)
		error = bind_label(r, i.target);
	next_token(r);
	if (!error)
		error = read_body(r, line, "repeat");
	if (!error && !at_word(r, "until"))
		error = no_end(r, line, "repeat");
	if (error)
		return error;
	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	take_uniform(r, &i);
	error = read_operand(r, &i.a);
	if (!error)
		error = take_end(r);
	if (!error)
		error = put_instr(r, &i);
	if (!error)
		error = bind_label(r, leave);
	r->loops--;
	return error;
}

/* ---- macros ---- */

/* Does the argument that is next consist of one token? */
static bool single(const struct reader *r)
{
	const char *p = r->at;

	while (p < r->end && (*p == ' ' || *p == '\t'))
		p++;
	return p < r->end && (*p == ',' || *p == ')') &&
	       (r->token == TOKEN_WORD || r->token == TOKEN_NUMBER || r->token == TOKEN_VALUE);
}

/* A value that outlives the next instruction. */
static int keep(struct reader *r, struct value *value)
{
	char name[KERNEL_NAME_MAX];
	uint16_t reg;
	int error;

	if (value->constant || r->dead)
		return 0;
	snprintf(name, sizeof(name), "argument %u", r->code->registers);
	error = add_register(r, name, &reg);
	if (!error)
		error = put_in(r, reg, value);
	*value = (struct value){ .column = reg };
	return error;
}

static int bind_argument(struct reader *r, struct binding *b)
{
	int error;

	snprintf(b->text, sizeof(b->text), "%.*s", (int)KERNEL_NAME_MAX - 1, r->text);
	b->token = r->token;
	b->number = r->number;
	b->value = r->value;
	if (single(r)) {
		next_token(r);
		return 0;
	}
	b->token = TOKEN_VALUE;
	error = read_expression(r, &b->value);
	return error ? error : keep(r, &b->value);
}

static int bind_arguments(struct reader *r, const struct macro *m, struct scope *scope)
{
	int error = take_sign(r, "(");

	for (uint32_t i = 0; !error && i < m->parameters; i++) {
		struct binding *b = &scope->binding[scope->bindings++];

		if (i)
			error = take_sign(r, ",");
		strcpy(b->name, m->parameter[i]);
		if (!error)
			error = bind_argument(r, b);
	}
	if (!error)
		error = take_sign(r, ")");
	return error ? error : take_end(r);
}

static int read_call(struct reader *r, struct macro *m)
{
	struct scope scope = { .bindings = 0 };
	struct reader saved;
	int error;

	if (m->busy)
		return say(r, "macro %s calls itself", m->name);
	if (++r->expansions > EXPANSIONS_MAX)
		return say(r, "macros are expanded more than %u times", EXPANSIONS_MAX);
	if (!r->scope)
		r->outer_line = own_line(r, r->token_line);
	next_token(r);
	error = bind_arguments(r, m, &scope);
	if (error)
		return error;
	saved = *r;
	read_at_body(r, m);
	r->token = TOKEN_END_OF_LINE;
	r->scope = &scope;
	m->busy = true;
	error = read_statements(r);
	if (!error && !at_word(r, "end"))
		error = say(r, "got \"%s\", expected a statement or the end of macro %s", r->text,
			    m->name);
	m->busy = false;
	if (error)
		return error;
	read_at(r, &saved);
	r->scope = saved.scope;
	if (!r->scope)
		r->outer_line = 0;
	r->text[0] = '\0';
	return 0;
}

/* ---- all ---- */

enum where { ANYWHERE, RUN, SETUP, ONCE, HOST };

static const struct statement {
	const char *name;
	int (*read)(struct reader *r);
	enum where where;
} statements[] = {
	{ "set", read_set, ANYWHERE },	   { "let", read_set, ANYWHERE },
	{ "load", read_load, ANYWHERE },   { "store", read_store, ANYWHERE },
	{ "if", read_if, ANYWHERE },	   { "while", read_while, ANYWHERE },
	{ "for", read_for, ANYWHERE },	   { "repeat", read_repeat, ANYWHERE },
	{ "break", read_break, ANYWHERE }, { "exit", read_exit, ANYWHERE },
	{ "add", read_store, RUN },	   { "cas", read_cas, RUN },
	{ "alu", read_alu, RUN },	   { "begin", read_plain, RUN },
	{ "commit", read_plain, RUN },	   { "enter", read_plain, RUN },
	{ "leave", read_plain, RUN },	   { "fence", read_plain, RUN },
	{ "barrier", read_plain, RUN },	   { "draw", read_draw, SETUP },
	{ "require", read_require, ONCE }, { "launch", read_launching, HOST },
};

static const struct statement *find_statement(const char *word)
{
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (same(statements[i].name, word))
			return &statements[i];
	return NULL;
}

static bool is_allowed(const struct reader *r, enum where where)
{
	if (where == ANYWHERE || where == RUN)
		return where == ANYWHERE || of_run(r);
	if (where == HOST)
		return of_host(r);
	return !of_run(r) && (where != SETUP || r->section != KERNEL_VERIFY);
}

/* A word that begins no statement, with what is meant where another language has it. */
static int no_statement(struct reader *r, const struct name *name)
{
	static const char *const words[] = { "elif", "elsif", "elseif" };
	const char *next = r->at;

	if (r->blocks)
		return unexpected(r, "an instruction or a block");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (same(r->text, words[i]))
			return no_else_if(r, r->text);
	if (name && name->kind == NAME_ARRAY)
		return say(r, "got array \"%s\", expected a statement or a macro; did you mean "
			      "\"store %s[...] = ...\"?", r->text, r->text);
	while (next < r->end && (*next == ' ' || *next == '\t'))
		next++;
	if (r->token == TOKEN_WORD && next < r->end && *next == '=')
		return say(r, "got \"%s =\", expected a statement or a macro; did you mean "
			      "\"let %s =\"?", r->text, r->text);
	return unexpected(r, "a statement or a macro");
}

int read_statement(struct reader *r)
{
	static const char *const places[] = { "", "a program", "setup and host",
					      "setup, host and verify", "host" };
	const struct statement *s = r->token == TOKEN_WORD ? find_statement(r->text) : NULL;
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	int error;

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (s && !is_allowed(r, s->where))
		return say(r, "got \"%s\", expected it in %s only", r->text, places[s->where]);
	if (!s && (!name || name->kind != NAME_MACRO || r->macro[name->index].expression))
		return no_statement(r, name);
	if (++r->depth > DEPTH_MAX)
		return say(r, "statements are nested too deep");
	error = s ? s->read(r) : read_call(r, &r->macro[name->index]);
	r->depth--;
	return error;
}

static bool ends_statements(const struct reader *r)
{
	static const char *const words[] = { "end",    "else",	  "until",  "setup",
					     "verify", "program", "kernel", "host" };

	if (r->token == TOKEN_END_OF_FILE)
		return true;
	if (of_host(r) && at_word(r, "launch"))
		return false;
	for (size_t i = 0; r->token == TOKEN_WORD && i < sizeof(words) / sizeof(words[0]); i++)
		if (same(words[i], r->text))
			return true;
	return r->token == TOKEN_WORD && is_head(r->text);
}

int read_statements(struct reader *r)
{
	int error = 0;

	while (!error && !ends_statements(r)) {
		if (r->token != TOKEN_END_OF_LINE)
			error = read_statement(r);
		if (!error && r->token == TOKEN_END_OF_LINE)
			next_token(r);
	}
	return error;
}
