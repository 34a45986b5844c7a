/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements of one line: each that takes an issue slot becomes an instruction. */
#include "statement.h"
#include "../base/arena.h"

/* ---- parts of statements ---- */

uint16_t read_operand(struct reader *r)
{
	return column_of(r, read_expression(r));
}

/* [if e]: the column of lanes that are on, or none. */
static uint16_t read_when(struct reader *r)
{
	if (!at_word(r, "if"))
		return KERNEL_NO_COLUMN;
	next_token(r);
	return read_operand(r);
}

uint16_t take_register_and_sign(struct reader *r)
{
	uint16_t reg = take_register(r, true);

	take_sign(r, "=");
	return reg;
}

static enum kernel_array_kind kind_of(const struct reader *r, const struct kernel_instr *i)
{
	return r->kernel->array[r->kernel->place[i->place].array].kind;
}

static void take_place(struct reader *r, struct kernel_instr *i)
{
	struct value index;

	i->place = read_place(r, &index);
	if (!r->error && of_run(r) && kind_of(r, i) == KERNEL_TABLE)
		say(r, "got a table, expected memory: a program reads tables in expressions and "
		       "does not write them");
	i->a = column_of(r, index);
}

static void end_instr(struct reader *r, const struct kernel_instr *i)
{
	take_end(r);
	put_instr(r, i);
}

/* ---- simple statements ---- */

void read_alu(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_PLAIN };
	uint32_t count = 1;

	next_token(r);
	if (r->token == TOKEN_NUMBER)
		count = take_number(r, 0, 10000, "the number of instructions");
	else if (!at_end(r))
		count = read_constant(r, 0, 10000, "the number of instructions");
	take_end(r);
	i.count = (uint16_t)count;
	while (count--) {
		put_instr(r, &i);
		i.count = 0;
	}
}

/* set R = e [if e], let R = e [if e] */
void read_set(struct reader *r)
{
	bool slot = at_word(r, "set");
	const struct kernel_instr i = { .op = SIM_SET };
	struct kernel_step choose = { .operator = KERNEL_CHOOSE };
	struct value value;
	uint16_t reg;

	next_token(r);
	reg = take_register_and_sign(r);
	if (reg != KERNEL_NO_COLUMN)
		r->code->reg[reg].let |= !slot && !r->scope;
	value = read_expression(r);
	if (at_word(r, "if")) {
		choose.b = column_of(r, value);
		choose.a = read_when(r);
		choose.c = reg;
		add_step(r, choose, reg);
	} else {
		put_in(r, reg, value);
	}
	take_end(r);
	if (slot)
		put_instr(r, &i);
}

void read_load(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_LOAD };

	next_token(r);
	i.d = take_register_and_sign(r);
	take_place(r, &i);
	i.when = read_when(r);
	end_instr(r, &i);
}

void read_store(struct reader *r)
{
	struct kernel_instr i = { .op = at_word(r, "add") ? SIM_ADD : SIM_STORE,
				  .d = KERNEL_NO_COLUMN };

	r->code->atomic |= i.op == SIM_ADD && !r->dead;
	next_token(r);
	take_place(r, &i);
	if (!r->error && (of_host(r) || r->section == KERNEL_VERIFY) &&
	    kind_of(r, &i) != KERNEL_TABLE)
		say_at(r, r->statement_line, r->statement_column, "%s stores to tables only",
		       of_host(r) ? "host" : "verify");
	take_sign(r, "=");
	i.b = read_operand(r);
	if (i.op == SIM_ADD && at_word(r, "old")) {
		next_token(r);
		i.d = take_register(r, true);
	}
	i.when = read_when(r);
	end_instr(r, &i);
}

/* cas R = place from e to e [if e] */
void read_cas(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_CAS };

	next_token(r);
	i.d = take_register_and_sign(r);
	take_place(r, &i);
	take_word(r, "from");
	i.b = read_operand(r);
	take_word(r, "to");
	i.c = read_operand(r);
	i.when = read_when(r);
	end_instr(r, &i);
}

void read_plain(struct reader *r)
{
	static const struct {
		const char *name;
		enum sim_op op;
	} all[] = {
		{ "begin", SIM_TX_BEGIN }, { "commit", SIM_TX_COMMIT }, { "enter", SIM_ENTER },
		{ "leave", SIM_LEAVE }, { "fence", SIM_FENCE }, { "barrier", SIM_BARRIER },
	};
	struct kernel_instr i = { .op = SIM_FENCE };

	for (size_t n = 0; n < sizeof(all) / sizeof(all[0]); n++)
		if (at_word(r, all[n].name))
			i.op = (uint8_t)all[n].op;
	if (!r->dead) {
		r->code->transactions |= i.op == SIM_TX_BEGIN || i.op == SIM_TX_COMMIT;
		r->code->critical |= i.op == SIM_ENTER || i.op == SIM_LEAVE;
		if (r->code->transactions && r->section == KERNEL_LOCKS)
			say(r, "got \"%s\", expected \"enter\" and \"leave\" in a program with "
			       "locks", r->text);
		if (r->code->transactions && r->code->critical)
			say(r, "got \"%s\", expected either \"begin\" and \"commit\" or \"enter\" "
			       "and \"leave\" in a program", r->text);
		r->code->barrier |= i.op == SIM_BARRIER;
		r->code->fence |= i.op == SIM_FENCE;
	}
	next_token(r);
	end_instr(r, &i);
}

void read_exit(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_EXIT_IF };

	next_token(r);
	i.a = at_word(r, "if") ? read_when(r) : column_of(r, constant(1));
	end_instr(r, &i);
}

void read_break(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH };

	if (r->loops)
		i.target = r->leave[r->loops - 1];
	else
		say(r, "got \"break\", expected it in a loop");
	next_token(r);
	if (!at_word(r, "if"))
		i.op = SIM_JUMP;
	i.a = read_when(r);
	end_instr(r, &i);
}

/* ---- setup and verify ---- */

/* draw R [below e | zipf e exponent e] */
void read_draw(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_DRAW, .b = KERNEL_NO_COLUMN };
	bool zipf;

	next_token(r);
	i.d = take_register(r, true);
	zipf = at_word(r, "zipf");
	if (zipf || at_word(r, "below")) {
		next_token(r);
		i.a = read_operand(r);
	} else {
		i.a = column_of(r, constant(0));
	}
	if (zipf) {
		take_word(r, "exponent");
		i.b = read_operand(r);
	}
	end_instr(r, &i);
}

static void add_part(struct reader *r, struct kernel_message *m)
{
	if (m->parts == sizeof(m->part) / sizeof(m->part[0])) {
		say(r, "got \"%s\", expected a message of at most %zu parts", r->text,
		    sizeof(m->part) / sizeof(m->part[0]));
		return;
	}
	if (r->token == TOKEN_TEXT)
		m->part[m->parts].text = take_text(r, "a text");
	else
		m->part[m->parts].column = read_operand(r);
	m->parts++;
}

/* require e { text | e } */
void read_require(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_REQUIRE };
	struct kernel_code *code = r->code;

	if (!ROOM(r, code->message, r->messages, code->message_count + 1))
		return;
	memset(&code->message[code->message_count], 0, sizeof(*code->message));
	i.b = (uint16_t)code->message_count++;
	next_token(r);
	i.a = read_operand(r);
	while (!at_end(r))
		add_part(r, &code->message[i.b]);
	put_instr(r, &i);
}

/* launch NAME */
void read_launching(struct reader *r)
{
	enum kernel_section of = r->section == KERNEL_HOST ? KERNEL_TRANSACTIONS : KERNEL_LOCKS;
	struct kernel_instr i = { .op = SIM_LAUNCH };
	const struct kernel_launch *all = r->kernel->launch;

	next_token(r);
	while (i.count < r->kernel->launches &&
	       (all[i.count].section != of || !same(all[i.count].name, r->text)))
		i.count++;
	if (i.count == r->kernel->launches)
		unexpected(r, "the name of a kernel of this program");
	next_token(r);
	end_instr(r, &i);
}
