/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of a kernel and the ways out of its blocks. */
#include "reader.h"

const char *const flow_operator_name[FLOW_OPERATORS] = {
	"",   "+",  "-",   "*",	  "/", "%",  "&", "|",	"^",  "<<",
	">>", "min", "max", "<", "<=", ">", ">=", "==", "!=",
};

/* ---- operands and expressions ---- */

static int take_constant(struct flow_reader *r, uint16_t *out)
{
	struct flow_kernel *k = r->kernel;
	uint32_t value = r->number;

	flow_next(r);
	for (size_t i = 0; i < k->column_count; i++)
		if (k->column[i].kind == FLOW_CONSTANT && k->column[i].value == value) {
			*out = (uint16_t)i;
			return 0;
		}
	return flow_add_column(r, FLOW_CONSTANT, "", value, out);
}

static int take_operand(struct flow_reader *r, uint16_t *out)
{
	uint32_t column;

	if (r->token == FLOW_NUMBER)
		return take_constant(r, out);
	column = r->token == FLOW_WORD ? flow_find_column(r->kernel, r->text) : FLOW_NONE;
	if (column == FLOW_NONE)
		return flow_unexpected(r, "a register, a number or what a thread knows of itself");
	*out = (uint16_t)column;
	flow_next(r);
	return 0;
}

static int take_register(struct flow_reader *r, uint16_t *out)
{
	uint32_t column = r->token == FLOW_WORD ? flow_find_column(r->kernel, r->text) : FLOW_NONE;

	if (column == FLOW_NONE || r->kernel->column[column].kind != FLOW_REGISTER)
		return flow_unexpected(r, "a register");
	*out = (uint16_t)column;
	flow_next(r);
	return 0;
}

static int take_operator(struct flow_reader *r, int first, uint8_t *out)
{
	for (int i = first; i < FLOW_OPERATORS; i++)
		if ((r->token == FLOW_SIGN || r->token == FLOW_WORD) &&
		    !strcmp(r->text, flow_operator_name[i])) {
			*out = (uint8_t)i;
			flow_next(r);
			return 0;
		}
	return flow_unexpected(r, first == FLOW_LESS ? "one of < <= > >= == !=" :
						       "an operator or the end of the line");
}

static int take_comparison(struct flow_reader *r, struct flow_instr *out)
{
	int error = take_operand(r, &out->a);

	if (!error)
		error = take_operator(r, FLOW_LESS, &out->operator);
	return error ? error : take_operand(r, &out->b);
}

/* NAME[operand] */
static int take_element(struct flow_reader *r, struct flow_instr *out)
{
	uint32_t array = r->token == FLOW_WORD ? flow_find_array(r->kernel, r->text) : FLOW_NONE;
	int error;

	if (array == FLOW_NONE)
		return flow_unexpected(r, "the name of an array");
	out->array = (uint16_t)array;
	flow_next(r);
	error = flow_take_sign(r, "[");
	if (!error)
		error = take_operand(r, &out->a);
	return error ? error : flow_take_sign(r, "]");
}

/* ---- instructions ---- */

static int put(struct flow_reader *r, const struct flow_instr *instr)
{
	struct flow_kernel *k = r->kernel;
	struct flow_instr *i;

	if (k->instr_count == FLOW_INSTRUCTIONS_MAX)
		return flow_say(r, r->line, "more than %u instructions", FLOW_INSTRUCTIONS_MAX);
	if (!flow_room((void **)&k->instr, &r->instrs, k->instr_count, sizeof(*k->instr)))
		return flow_no_memory(r);
	i = &k->instr[k->instr_count];
	*i = *instr;
	i->line = r->line;
	i->block = (uint16_t)(k->block_count - 1);
	i->converged = r->converged;
	i->mix = (uint32_t)(k->instr_count + 1) * UINT32_C(0x9e3779b9);
	r->converged = false;
	k->block[k->block_count - 1].count++;
	k->instr_count++;
	return 0;
}

static int add_and_end(struct flow_reader *r, const struct flow_instr *instr)
{
	int error = flow_take_end(r);

	return error ? error : put(r, instr);
}

static int read_alu(struct flow_reader *r)
{
	const struct flow_instr instr = { .op = FLOW_ALU };
	uint32_t count = 1;
	int error = 0;

	if (r->token == FLOW_NUMBER)
		error = flow_take_number(r, 1, 10000, "the number of instructions", &count);
	if (!error)
		error = flow_take_end(r);
	while (!error && count--)
		error = put(r, &instr);
	return error;
}

static int read_set(struct flow_reader *r)
{
	struct flow_instr instr = { .op = FLOW_SET, .operator = FLOW_ALONE };
	int error = take_register(r, &instr.d);

	if (!error)
		error = flow_take_sign(r, "=");
	if (!error)
		error = take_operand(r, &instr.a);
	instr.b = instr.a;
	if (!error && r->token != FLOW_END_OF_LINE && r->token != FLOW_END_OF_FILE) {
		error = take_operator(r, FLOW_PLUS, &instr.operator);
		if (!error)
			error = take_operand(r, &instr.b);
	}
	return error ? error : add_and_end(r, &instr);
}

static int read_load(struct flow_reader *r)
{
	struct flow_instr instr = { .op = FLOW_LOAD };
	int error = take_register(r, &instr.d);

	if (!error)
		error = flow_take_sign(r, "=");
	if (!error)
		error = take_element(r, &instr);
	instr.b = instr.a;
	return error ? error : add_and_end(r, &instr);
}

static int read_write(struct flow_reader *r, enum flow_op op)
{
	struct flow_instr instr = { .op = (uint8_t)op };
	int error = take_element(r, &instr);

	if (!error)
		error = flow_take_sign(r, "=");
	if (!error)
		error = take_operand(r, &instr.b);
	return error ? error : add_and_end(r, &instr);
}

static int read_store(struct flow_reader *r)
{
	return read_write(r, FLOW_STORE);
}

static int read_add(struct flow_reader *r)
{
	return read_write(r, FLOW_ADD);
}

static int read_barrier(struct flow_reader *r)
{
	const struct flow_instr instr = { .op = FLOW_BARRIER };

	return add_and_end(r, &instr);
}

static int read_converged(struct flow_reader *r)
{
	r->converged = true;
	return flow_take_end(r);
}

/* ---- ways out of a block ---- */

static int take_way(struct flow_reader *r, uint32_t *out)
{
	char name[FLOW_NAME_MAX];
	int error = flow_take_name(r, "the name of a block", name);
	struct flow_label *label;

	if (error)
		return error;
	for (*out = 0; *out < r->label_count; ++*out)
		if (!strcmp(r->label[*out].name, name))
			return 0;
	if (!flow_room((void **)&r->label, &r->labels, r->label_count, sizeof(*r->label)))
		return flow_no_memory(r);
	label = &r->label[r->label_count++];
	snprintf(label->name, sizeof(label->name), "%s", name);
	label->block = FLOW_NONE;
	label->line = r->line;
	return 0;
}

static int end_block(struct flow_reader *r, const struct flow_instr *instr, uint32_t ways)
{
	struct flow_kernel *k = r->kernel;
	int error = add_and_end(r, instr);

	if (error)
		return error;
	k->instr[k->instr_count - 1].last = true;
	k->block[k->block_count - 1].ways = ways;
	r->open = false;
	return 0;
}

static int read_jump(struct flow_reader *r)
{
	const struct flow_instr instr = { .op = FLOW_JUMP };
	int error = take_way(r, &r->kernel->block[r->kernel->block_count - 1].way[0]);

	return error ? error : end_block(r, &instr, 1);
}

static int take_keyword(struct flow_reader *r, const char *word)
{
	char expected[32];

	if (flow_is(r, FLOW_WORD, word)) {
		flow_next(r);
		return 0;
	}
	snprintf(expected, sizeof(expected), "\"%s\"", word);
	return flow_unexpected(r, expected);
}

static int take_chance(struct flow_reader *r, struct flow_instr *out)
{
	uint32_t percent;
	int error;

	flow_next(r);
	out->rule = FLOW_CHANCE;
	if (r->token != FLOW_NUMBER || r->number > 100)
		return flow_take_number(r, 0, 100, "how often in a hundred", &percent);
	error = take_constant(r, &out->b);
	out->a = out->b;
	return error ? error : flow_add_column(r, FLOW_COUNTER, "", 0, &out->d);
}

static int take_trace(struct flow_reader *r, struct flow_instr *out)
{
	uint32_t trace;

	flow_next(r);
	trace = r->token == FLOW_WORD ? flow_find_trace(r->kernel, r->text) : FLOW_NONE;
	if (trace == FLOW_NONE)
		return flow_unexpected(r, "the name of a trace");
	flow_next(r);
	out->rule = FLOW_TRACE;
	out->array = (uint16_t)trace;
	out->d = r->kernel->trace[trace].counter;
	return 0;
}

static int take_rule(struct flow_reader *r, struct flow_instr *out)
{
	if (flow_is(r, FLOW_WORD, "chance"))
		return take_chance(r, out);
	if (flow_is(r, FLOW_WORD, "trace"))
		return take_trace(r, out);
	if (flow_is(r, FLOW_WORD, "threads")) {
		flow_next(r);
		out->rule = FLOW_LISTED;
		return flow_read_list(r, &out->array);
	}
	out->rule = FLOW_COMPARE;
	return take_comparison(r, out);
}

/* branch [uniform] RULE then BLOCK else BLOCK */
static int read_branch(struct flow_reader *r)
{
	struct flow_instr instr = { .op = FLOW_BRANCH };
	struct flow_block *block = &r->kernel->block[r->kernel->block_count - 1];
	int error;

	if (flow_is(r, FLOW_WORD, "uniform")) {
		instr.uniform = true;
		flow_next(r);
	}
	error = take_rule(r, &instr);
	if (!error)
		error = take_keyword(r, "then");
	if (!error)
		error = take_way(r, &block->way[0]);
	if (!error)
		error = take_keyword(r, "else");
	if (!error)
		error = take_way(r, &block->way[1]);
	return error ? error : end_block(r, &instr, 2);
}

static int read_exit(struct flow_reader *r)
{
	struct flow_instr instr = { .op = FLOW_EXIT };
	int error;

	if (!flow_is(r, FLOW_WORD, "if"))
		return end_block(r, &instr, 0);
	flow_next(r);
	instr.op = FLOW_EXIT_IF;
	error = take_comparison(r, &instr);
	return error ? error : add_and_end(r, &instr);
}

/* Statements of a block. */
static const struct statement {
	const char *name;
	int (*read)(struct flow_reader *r);
} statements[] = {
	{ "alu", read_alu },	 { "set", read_set },	      { "load", read_load },
	{ "store", read_store }, { "add", read_add },	      { "barrier", read_barrier },
	{ "jump", read_jump },	 { "converged", read_converged }, { "branch", read_branch },
	{ "exit", read_exit },
};

int (*flow_find_instruction(const char *name))(struct flow_reader *r)
{
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!strcmp(name, statements[i].name))
			return statements[i].read;
	return NULL;
}
