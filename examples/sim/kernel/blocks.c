/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs written as blocks and jumps, for control flow that loops and ifs cannot express. A jump
 * may name a block that comes later.
 */
#include <errno.h>

#include "reader.h"
#include "../base/arena.h"

static int find_block(struct reader *r, uint32_t *out)
{
	struct named_block *b;

	for (*out = 0; *out < r->blocks_named; ++*out)
		if (same(r->block[*out].name, r->text))
			return 0;
	if (!SIM_ROOM(r->block, r->block_room, r->blocks_named + 1))
		return no_memory(r);
	b = &r->block[r->blocks_named++];
	snprintf(b->name, sizeof(b->name), "%.*s", (int)KERNEL_NAME_MAX - 1, r->text);
	b->line = r->token_line;
	b->column = r->token_column;
	b->begins.line = 0;
	return new_label(r, &b->label);
}

static int take_way(struct reader *r, uint32_t *label)
{
	uint32_t block;
	int error;

	if (r->token != TOKEN_WORD)
		return unexpected(r, "the name of a block");
	error = find_block(r, &block);
	if (error)
		return error;
	*label = r->block[block].label;
	next_token(r);
	return 0;
}

/* ---- conditions of a branch ---- */

static int counter(struct reader *r, uint16_t *out)
{
	int error = add_register(r, "visits", out);

	if (!error)
		r->code->reg[*out].set = true;
	return error;
}

static int take_chance(struct reader *r, struct value *out)
{
	struct kernel_step step = { .operator = KERNEL_CHANCE };
	struct value percent = constant(0);
	int error;

	next_token(r);
	step.extra = (uint32_t)r->code->instr_count;
	step.a = special_register(r, SIM_OWN_ID);
	error = take_number(r, 0, 100, "how often in a hundred", &percent.number);
	if (!error)
		error = column_of(r, &percent, &step.b);
	if (!error)
		error = counter(r, &step.c);
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, out);
}

static int take_trace(struct reader *r, struct value *out)
{
	struct kernel_step step = { .operator = KERNEL_TRACED };
	const struct name *name;
	struct kernel_trace *trace;
	int error = 0;

	next_token(r);
	name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	if (!name || name->kind != NAME_TRACE)
		return unexpected(r, "the name of a trace");
	trace = &r->kernel->trace[name->index];
	if (trace->counter == KERNEL_NO_COLUMN)
		error = counter(r, &trace->counter);
	next_token(r);
	step.a = step.b = special_register(r, SIM_OWN_THREAD);
	step.c = trace->counter;
	step.extra = name->index;
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, out);
}

static int take_threads(struct reader *r, struct value *out)
{
	struct kernel_step step = { .operator = KERNEL_LISTED };
	int error;

	next_token(r);
	step.a = step.b = step.c = special_register(r, SIM_OWN_THREAD);
	error = read_list(r, &step.extra);
	return error ? error : add_step(r, step, KERNEL_NO_COLUMN, out);
}

static int take_rule(struct reader *r, struct value *out)
{
	if (at_word(r, "chance"))
		return take_chance(r, out);
	if (at_word(r, "trace"))
		return take_trace(r, out);
	if (at_word(r, "threads"))
		return take_threads(r, out);
	return read_expression(r, out);
}

/* ---- where a block continues ---- */

static int read_jump(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_JUMP };
	int error;

	next_token(r);
	error = take_way(r, &i.target);
	if (!error)
		error = take_end(r);
	return error ? error : put_instr(r, &i);
}

/* branch [uniform] RULE then BLOCK else BLOCK */
static int read_branch(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_BRANCH };
	struct value condition;
	uint32_t other;
	int error;

	next_token(r);
	i.uniform = at_word(r, "uniform");
	if (i.uniform)
		next_token(r);
	error = take_rule(r, &condition);
	if (!error)
		error = column_of(r, &condition, &i.a);
	if (!error)
		error = take_word(r, "then");
	if (!error)
		error = take_way(r, &i.target);
	if (!error)
		error = take_word(r, "else");
	if (!error)
		error = take_way(r, &other);
	if (!error)
		error = take_end(r);
	if (!error)
		error = put_instr(r, &i);
	return error ? error : go_to(r, other);
}

static int read_exit(struct reader *r)
{
	const struct kernel_instr i = { .op = KERNEL_EXIT };
	int error;

	next_token(r);
	error = take_end(r);
	return error ? error : put_instr(r, &i);
}

/* ---- blocks ---- */

/* What is still open ends where the next block begins. */
static int close_block(struct reader *r, const struct named_block *open)
{
	if (open && r->label[open->label].pc == r->code->instr_count)
		return say_at(r, open->begins.line, open->begins.column,
			      "block %s has no instruction", open->name);
	if (r->converged)
		return say(r, "got the end of a block, expected an instruction after "
			      "\"converged\"");
	return 0;
}

static int read_block(struct reader *r, uint32_t *open)
{
	struct named_block *b;
	const struct sim_spot begins = { r->token_line, r->token_column };
	int error = close_block(r, *open == KERNEL_NONE ? NULL : &r->block[*open]);

	next_token(r);
	if (!error && r->token != TOKEN_WORD)
		error = unexpected(r, "the name of a block");
	if (!error)
		error = find_block(r, open);
	if (error)
		return error;
	b = &r->block[*open];
	if (b->begins.line)
		return say(r, "got block %s a second time (first in line %u)", r->text,
			   b->begins.line);
	b->begins = begins;
	error = bind_label(r, b->label);
	r->reachable = true;
	next_token(r);
	return error ? error : take_end(r);
}

static int read_line(struct reader *r, uint32_t *open)
{
	bool last = at_word(r, "jump") || at_word(r, "branch") || at_word(r, "exit");
	struct reader look = *r;

	if (at_word(r, "block"))
		return read_block(r, open);
	if (r->token == TOKEN_WORD && is_head(r->text))
		return unexpected(r, "an instruction: the head stands before all blocks");
	if (last || at_word(r, "converged")) {
		r->statement_line = r->token_line;
		r->statement_column = r->token_column;
	}
	if (!r->reachable)
		return unexpected(r, "a block: the one before has ended");
	if (at_word(r, "converged")) {
		r->converged = true;
		next_token(r);
		return take_end(r);
	}
	if (at_word(r, "jump"))
		return read_jump(r);
	if (at_word(r, "branch"))
		return read_branch(r);
	next_token(&look);
	if (at_word(r, "exit") && !at_word(&look, "if"))
		return read_exit(r);
	return read_statement(r);
}

int read_blocks(struct reader *r)
{
	uint32_t open = KERNEL_NONE;
	int error = open_code(r, KERNEL_TRANSACTIONS, &r->kernel->code[KERNEL_TRANSACTIONS]);

	r->blocks = true;
	while (!error && r->token != TOKEN_END_OF_FILE) {
		if (r->token != TOKEN_END_OF_LINE)
			error = read_line(r, &open);
		if (!error && r->token == TOKEN_END_OF_LINE)
			next_token(r);
	}
	if (!error)
		error = close_block(r, &r->block[open]);
	if (!error && r->reachable)
		return unexpected(r, "a way out of the last block: jump, branch or exit");
	for (size_t i = 0; !error && i < r->blocks_named; i++)
		if (!r->block[i].begins.line)
			return say_at(r, r->block[i].line, r->block[i].column,
				      "there is no block %s", r->block[i].name);
	return error ? error : close_code(r);
}
