/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements of one line: each that takes an issue slot becomes an instruction. */
#include <errno.h>

#include "statement.h"
#include "../base/arena.h"

/* ---- parts of statements ---- */

/* [if e]: the column of lanes that are on, or none. */
static int read_when(struct reader *r, uint16_t *out)
{
	struct value value;
	int error;

	*out = KERNEL_NO_COLUMN;
	if (!at_word(r, "if"))
		return 0;
	next_token(r);
	error = read_expression(r, &value);
	return error ? error : column_of(r, &value, out);
}

int read_operand(struct reader *r, uint16_t *out)
{
	struct value value;
	int error = read_expression(r, &value);

	return error ? error : column_of(r, &value, out);
}

int take_register_and_sign(struct reader *r, uint16_t *out)
{
	*out = take_register(r, true);
	return *out == KERNEL_NO_COLUMN ? -EINVAL : take_sign(r, "=");
}

static int take_place(struct reader *r, struct kernel_instr *i)
{
	struct value index;
	int error = read_place(r, &i->place, &index);
	enum kernel_array_kind kind;

	if (error)
		return error;
	kind = r->kernel->array[r->kernel->place[i->place].array].kind;
	if (of_run(r) && kind == KERNEL_TABLE)
		return say(r, "got a table, expected memory: a program reads tables in expressions "
			      "and does not write them");
	return column_of(r, &index, &i->a);
}

static int take_instr(struct reader *r, struct kernel_instr *i)
{
	int error = read_when(r, &i->when);

	if (!error)
		error = take_end(r);
	return error ? error : put_instr(r, i);
}

/* ---- simple statements ---- */

int read_alu(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_ALU };
	uint32_t count = 1;
	int error = 0;

	next_token(r);
	if (r->token == TOKEN_NUMBER)
		error = take_number(r, 0, 10000, "the number of instructions", &count);
	else if (!at_end(r))
		error = read_constant(r, 0, 10000, "the number of instructions", &count);
	if (!error)
		error = take_end(r);
	i.count = (uint16_t)count;
	while (!error && count--) {
		error = put_instr(r, &i);
		i.count = 0;
	}
	return error;
}

/* set R = e [if e], let R = e [if e] */
int read_set(struct reader *r)
{
	bool slot = at_word(r, "set");
	const struct kernel_instr i = { .op = KERNEL_SET };
	uint16_t reg, when = KERNEL_NO_COLUMN;
	struct kernel_step choose = { .operator = KERNEL_CHOOSE };
	struct value value;
	int error;

	next_token(r);
	error = take_register_and_sign(r, &reg);
	if (!error) {
		r->code->reg[reg].let |= !slot && !r->scope;
		error = read_expression(r, &value);
	}
	if (!error && at_word(r, "if")) {
		error = column_of(r, &value, &choose.b);
		if (!error)
			error = read_when(r, &when);
		choose.a = when;
		choose.c = reg;
		if (!error)
			error = add_step(r, choose, reg, &value);
	} else if (!error) {
		error = put_in(r, reg, &value);
	}
	if (!error)
		error = take_end(r);
	return error || !slot ? error : put_instr(r, &i);
}

int read_load(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_LOAD };
	int error;

	next_token(r);
	error = take_register_and_sign(r, &i.d);
	if (!error)
		error = take_place(r, &i);
	return error ? error : take_instr(r, &i);
}

int read_store(struct reader *r)
{
	struct kernel_instr i = { .op = at_word(r, "add") ? KERNEL_ADD : KERNEL_STORE,
				  .d = KERNEL_NO_COLUMN };
	int error;

	r->code->atomic |= i.op == KERNEL_ADD && !r->dead;
	next_token(r);
	error = take_place(r, &i);
	if (!error && (of_host(r) || r->section == KERNEL_VERIFY) &&
	    r->kernel->array[r->kernel->place[i.place].array].kind != KERNEL_TABLE)
		return say_at(r, r->statement_line, r->statement_column,
			      "%s stores to tables only", of_host(r) ? "host" : "verify");
	if (!error)
		error = take_sign(r, "=");
	if (!error)
		error = read_operand(r, &i.b);
	if (!error && i.op == KERNEL_ADD && at_word(r, "old")) {
		next_token(r);
		i.d = take_register(r, true);
		error = i.d == KERNEL_NO_COLUMN ? -EINVAL : 0;
	}
	return error ? error : take_instr(r, &i);
}

/* cas R = place from e to e [if e] */
int read_cas(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_CAS };
	int error;

	next_token(r);
	error = take_register_and_sign(r, &i.d);
	if (!error)
		error = take_place(r, &i);
	if (!error)
		error = take_word(r, "from");
	if (!error)
		error = read_operand(r, &i.b);
	if (!error)
		error = take_word(r, "to");
	if (!error)
		error = read_operand(r, &i.c);
	return error ? error : take_instr(r, &i);
}

int read_plain(struct reader *r)
{
	static const struct {
		const char *name;
		enum kernel_op op;
	} all[] = {
		{ "begin", KERNEL_BEGIN }, { "commit", KERNEL_COMMIT }, { "enter", KERNEL_ENTER },
		{ "leave", KERNEL_LEAVE }, { "fence", KERNEL_FENCE }, { "barrier", KERNEL_BARRIER },
	};
	struct kernel_instr i = { .op = KERNEL_FENCE };
	int error;

	for (size_t n = 0; n < sizeof(all) / sizeof(all[0]); n++)
		if (at_word(r, all[n].name))
			i.op = (uint8_t)all[n].op;
	if (!r->dead) {
		r->code->transactions |= i.op == KERNEL_BEGIN || i.op == KERNEL_COMMIT;
		r->code->critical |= i.op == KERNEL_ENTER || i.op == KERNEL_LEAVE;
		if (r->code->transactions && r->section == KERNEL_LOCKS)
			return say(r, "got \"%s\", expected \"enter\" and \"leave\" in a program "
				      "with locks", r->text);
		if (r->code->transactions && r->code->critical)
			return say(r, "got \"%s\", expected either \"begin\" and \"commit\" or "
				      "\"enter\" and \"leave\" in a program", r->text);
		r->code->barrier |= i.op == KERNEL_BARRIER;
		r->code->fence |= i.op == KERNEL_FENCE;
	}
	next_token(r);
	error = take_end(r);
	return error ? error : put_instr(r, &i);
}

int read_exit(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_EXIT_IF };
	const struct value always = constant(1);
	int error;

	next_token(r);
	if (at_word(r, "if"))
		error = read_when(r, &i.a);
	else
		error = column_of(r, &always, &i.a);
	if (!error)
		error = take_end(r);
	return error ? error : put_instr(r, &i);
}

int read_break(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH };
	int error;

	if (!r->loops)
		return say(r, "got \"break\", expected it in a loop");
	i.target = r->leave[r->loops - 1];
	next_token(r);
	if (!at_word(r, "if"))
		i.op = KERNEL_JUMP;
	error = read_when(r, &i.a);
	if (!error)
		error = take_end(r);
	return error ? error : put_instr(r, &i);
}

/* ---- setup and verify ---- */

/* draw R [below e | zipf e exponent e] */
int read_draw(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_DRAW, .b = KERNEL_NO_COLUMN };
	const struct value all = constant(0);
	bool zipf;
	int error;

	next_token(r);
	i.d = take_register(r, true);
	if (i.d == KERNEL_NO_COLUMN)
		return -EINVAL;
	zipf = at_word(r, "zipf");
	if (zipf || at_word(r, "below")) {
		next_token(r);
		error = read_operand(r, &i.a);
	} else {
		error = column_of(r, &all, &i.a);
	}
	if (!error && zipf)
		error = take_word(r, "exponent");
	if (!error && zipf)
		error = read_operand(r, &i.b);
	if (!error)
		error = take_end(r);
	return error ? error : put_instr(r, &i);
}

static int add_part(struct reader *r, struct kernel_message *m)
{
	struct value value;
	uint16_t column = 0;
	char *text = NULL;
	int error;

	if (m->parts == sizeof(m->part) / sizeof(m->part[0]))
		return say(r, "got \"%s\", expected a message of at most %zu parts", r->text,
			   sizeof(m->part) / sizeof(m->part[0]));
	if (r->token == TOKEN_TEXT) {
		error = take_text(r, "a text", &text);
	} else {
		error = read_expression(r, &value);
		if (!error)
			error = column_of(r, &value, &column);
	}
	if (error)
		return error;
	m->part[m->parts].text = text;
	m->part[m->parts++].column = column;
	return 0;
}

/* require e { text | e } */
int read_require(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_REQUIRE };
	struct kernel_code *code = r->code;
	int error;

	if (!SIM_ROOM(code->message, r->messages, code->message_count + 1))
		return no_memory(r);
	memset(&code->message[code->message_count], 0, sizeof(*code->message));
	i.b = (uint16_t)code->message_count++;
	next_token(r);
	error = read_operand(r, &i.a);
	while (!error && !at_end(r))
		error = add_part(r, &code->message[i.b]);
	return error ? error : put_instr(r, &i);
}

/* launch NAME */
int read_launching(struct reader *r)
{
	enum kernel_section of = r->section == KERNEL_HOST ? KERNEL_TRANSACTIONS : KERNEL_LOCKS;
	struct kernel_instr i = { .op = KERNEL_LAUNCH };
	const struct kernel_launch *all = r->kernel->launch;
	int error;

	next_token(r);
	while (i.count < r->kernel->launches &&
	       (all[i.count].section != of || !same(all[i.count].name, r->text)))
		i.count++;
	if (i.count == r->kernel->launches)
		return unexpected(r, "the name of a kernel of this program");
	next_token(r);
	error = take_end(r);
	return error ? error : put_instr(r, &i);
}
