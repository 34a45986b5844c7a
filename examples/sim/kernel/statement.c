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
static void no_end(struct reader *r, uint32_t line, const char *what)
{
	bool some = r->token != TOKEN_END_OF_FILE;

	say(r, "got %s%s%s, expected the end of the \"%s\" of line %u", some ? "\"" : "end of file",
	    r->text, some ? "\"" : "", what, line);
}

/* The body of what began in this line; then the word that ends it is next. */
static void read_body(struct reader *r, uint32_t line, const char *what)
{
	take_end(r);
	read_statements(r);
	if (!at_word(r, "end") && !at_word(r, "else") && !at_word(r, "until"))
		no_end(r, line, what);
}

static void take_close(struct reader *r, uint32_t line, const char *what)
{
	if (!at_word(r, "end"))
		no_end(r, line, what);
	next_token(r);
	take_end(r);
}

static void no_else_if(struct reader *r, const char *got)
{
	say(r, "got \"%s\", expected \"else\", and \"if\" with an \"end\" of its own in the next "
	       "line", got);
}

static void read_else_body(struct reader *r, uint32_t line)
{
	next_token(r);
	if (at_word(r, "if"))
		no_else_if(r, "else if");
	read_body(r, line, "if");
}

/* What a constant condition leaves out is read and forgotten. */
static void read_constant_if(struct reader *r, uint32_t line, bool holds)
{
	r->dead += !holds;
	read_body(r, line, "if");
	r->dead -= !holds;
	if (at_word(r, "else")) {
		r->dead += holds;
		read_else_body(r, line);
		r->dead -= holds;
	}
	take_close(r, line, "if");
}

static void read_else(struct reader *r, uint32_t line, uint32_t otherwise)
{
	struct kernel_instr jump = { .op = SIM_JUMP, .target = new_label(r) };

	if (r->reachable)
		put_instr(r, &jump);
	bind_label(r, otherwise);
	read_else_body(r, line);
	bind_label(r, jump.target);
}

/* if [uniform] e ... [else ...] end */
static void read_if(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH, .negate = true };
	uint32_t line = r->token_line;
	struct value condition;

	take_uniform(r, &i);
	condition = read_expression(r);
	if (condition.constant) {
		read_constant_if(r, line, condition.number);
		return;
	}
	i.a = column_of(r, condition);
	i.target = new_label(r);
	put_instr(r, &i);
	read_body(r, line, "if");
	if (at_word(r, "else"))
		read_else(r, line, i.target);
	else
		bind_label(r, i.target);
	take_close(r, line, "if");
}

/* Gives the label of what comes after the loop. */
static uint32_t enter_loop(struct reader *r)
{
	uint32_t leave = new_label(r);

	if (r->loops == sizeof(r->leave) / sizeof(r->leave[0]))
		say(r, "loops are nested too deep");
	else
		r->leave[r->loops++] = leave;
	return leave;
}

/* The test of a loop at its top, its body, and the way back. */
static void read_loop(struct reader *r, struct kernel_instr *test, uint32_t top, uint32_t line,
		      const char *what, uint16_t counter)
{
	test->target = enter_loop(r);
	put_instr(r, test);
	read_body(r, line, what);
	if (counter != KERNEL_NO_COLUMN && (r->reachable || r->dead))
		put_in(r, counter, binary(r, KERNEL_PLUS, (struct value){ .column = counter },
					  constant(1)));
	go_to(r, top);
	bind_label(r, test->target);
	r->loops--;
	take_close(r, line, what);
}

/* while [uniform] e ... end */
static void read_while(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH, .negate = true };
	uint32_t line = r->token_line, top = new_label(r);

	bind_label(r, top);
	take_uniform(r, &i);
	i.a = read_operand(r);
	read_loop(r, &i, top, line, "while", KERNEL_NO_COLUMN);
}

/* for [uniform] R = e below e ... end */
static void read_for(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH, .negate = true };
	uint32_t line = r->token_line, top;
	struct value count = { .constant = false };

	take_uniform(r, &i);
	count.column = take_register_and_sign(r);
	put_in(r, count.column, read_expression(r));
	take_word(r, "below");
	top = new_label(r);
	bind_label(r, top);
	i.a = column_of(r, binary(r, KERNEL_LESS, count, read_expression(r)));
	if (!r->error) {
		r->code->reg[count.column].read |= !r->dead;
		r->code->reg[count.column].named = true;
	}
	read_loop(r, &i, top, line, "for", count.column);
}

/* repeat ... until [uniform] e */
static void read_repeat(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH, .negate = true };
	uint32_t line = r->token_line, leave = enter_loop(r);

	i.target = new_label(r);
	bind_label(r, i.target);
	next_token(r);
	read_body(r, line, "repeat");
	if (!at_word(r, "until"))
		no_end(r, line, "repeat");
	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	take_uniform(r, &i);
	i.a = read_operand(r);
	take_end(r);
	put_instr(r, &i);
	bind_label(r, leave);
	r->loops--;
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
static struct value keep(struct reader *r, struct value value)
{
	char name[KERNEL_NAME_MAX];
	uint16_t reg;

	if (value.constant || r->dead)
		return value;
	snprintf(name, sizeof(name), "argument %u", r->code->registers);
	reg = add_register(r, name, false);
	put_in(r, reg, value);
	return (struct value){ .column = reg };
}

static void bind_argument(struct reader *r, struct binding *b)
{
	snprintf(b->text, sizeof(b->text), "%.*s", (int)KERNEL_NAME_MAX - 1, r->text);
	b->token = r->token;
	b->number = r->number;
	b->value = r->value;
	if (single(r)) {
		next_token(r);
		return;
	}
	b->token = TOKEN_VALUE;
	b->value = keep(r, read_expression(r));
}

static void bind_arguments(struct reader *r, const struct macro *m, struct scope *scope)
{
	take_sign(r, "(");
	for (uint32_t i = 0; i < m->parameters; i++) {
		struct binding *b = &scope->binding[scope->bindings++];

		if (i)
			take_sign(r, ",");
		strcpy(b->name, m->parameter[i]);
		bind_argument(r, b);
	}
	take_sign(r, ")");
	take_end(r);
}

static void read_call(struct reader *r, struct macro *m)
{
	struct scope scope = { .bindings = 0 };
	struct reader saved;

	if (m->busy)
		say(r, "macro %s calls itself", m->name);
	if (++r->expansions > EXPANSIONS_MAX)
		say(r, "macros are expanded more than %u times", EXPANSIONS_MAX);
	if (!r->scope)
		r->outer_line = own_line(r, r->token_line);
	next_token(r);
	bind_arguments(r, m, &scope);
	saved = *r;
	read_at_body(r, m);
	r->token = TOKEN_END_OF_LINE;
	r->scope = &scope;
	m->busy = true;
	read_statements(r);
	if (!at_word(r, "end"))
		say(r, "got \"%s\", expected a statement or the end of macro %s", r->text, m->name);
	m->busy = false;
	read_at(r, &saved);
	r->scope = saved.scope;
	if (!r->scope)
		r->outer_line = 0;
	r->text[0] = '\0';
}

/* ---- all ---- */

enum where { ANYWHERE, RUN, SETUP, ONCE, HOST };

static const struct statement {
	const char *name;
	void (*read)(struct reader *r);
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
static void no_statement(struct reader *r, const struct name *name)
{
	static const char *const words[] = { "elif", "elsif", "elseif" };
	const char *next = r->at;

	if (r->blocks)
		unexpected(r, "an instruction or a block");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (same(r->text, words[i]))
			no_else_if(r, r->text);
	if (name && name->kind == NAME_ARRAY)
		say(r, "got array \"%s\", expected a statement or a macro; did you mean "
		       "\"store %s[...] = ...\"?", r->text, r->text);
	while (next < r->end && (*next == ' ' || *next == '\t'))
		next++;
	if (r->token == TOKEN_WORD && next < r->end && *next == '=')
		say(r, "got \"%s =\", expected a statement or a macro; did you mean \"let %s =\"?",
		    r->text, r->text);
	unexpected(r, "a statement or a macro");
}

void read_statement(struct reader *r)
{
	static const char *const places[] = { "", "a program", "setup and host",
					      "setup, host and verify", "host" };
	const struct statement *s = r->token == TOKEN_WORD ? find_statement(r->text) : NULL;
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (s && !is_allowed(r, s->where))
		say(r, "got \"%s\", expected it in %s only", r->text, places[s->where]);
	if (!s && (!name || name->kind != NAME_MACRO || r->macro[name->index].expression))
		no_statement(r, name);
	if (++r->depth > DEPTH_MAX)
		say(r, "statements are nested too deep");
	if (r->error)
		return;
	if (s)
		s->read(r);
	else
		read_call(r, &r->macro[name->index]);
	r->depth--;
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

void read_statements(struct reader *r)
{
	while (!ends_statements(r)) {
		if (r->token != TOKEN_END_OF_LINE)
			read_statement(r);
		if (r->token == TOKEN_END_OF_LINE)
			next_token(r);
	}
}
