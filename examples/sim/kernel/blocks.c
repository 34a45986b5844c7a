/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs written as blocks and jumps, for control flow that loops and ifs cannot express. A jump
 * may name a block that comes later.
 */
#include "reader.h"
#include "../base/arena.h"

/* The block whose name is the present token; KERNEL_NONE after an error. */
static uint32_t find_block(struct reader *r)
{
	struct named_block *b;
	uint32_t i = 0;

	if (r->token != TOKEN_WORD)
		unexpected(r, "the name of a block");
	while (i < r->blocks_named && !same(r->block[i].name, r->text))
		i++;
	if (r->error || !ROOM(r, r->block, r->block_room, i + 1))
		return KERNEL_NONE;
	if (i < r->blocks_named)
		return i;
	b = &r->block[r->blocks_named++];
	snprintf(b->name, sizeof(b->name), "%.*s", (int)KERNEL_NAME_MAX - 1, r->text);
	b->line = r->token_line;
	b->column = r->token_column;
	b->begins.line = 0;
	b->label = new_label(r);
	return i;
}

static uint32_t take_way(struct reader *r)
{
	uint32_t block = find_block(r);

	next_token(r);
	return block == KERNEL_NONE ? block : r->block[block].label;
}

/* ---- conditions of a branch ---- */

static struct value take_chance(struct reader *r)
{
	struct kernel_step step = { .operator = KERNEL_CHANCE };

	next_token(r);
	step.extra = (uint32_t)r->code->instr_count;
	step.a = special_register(r, SIM_OWN_ID);
	step.b = column_of(r, constant(take_number(r, 0, 100, "how often in a hundred")));
	step.c = add_register(r, "visits", true);
	return add_step(r, step, KERNEL_NO_COLUMN);
}

static struct value take_trace(struct reader *r)
{
	struct kernel_step step = { .operator = KERNEL_TRACED };
	const struct name *name;
	struct kernel_trace *trace;

	next_token(r);
	name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	if (!name || name->kind != NAME_TRACE) {
		unexpected(r, "the name of a trace");
		return constant(0);
	}
	trace = &r->kernel->trace[name->index];
	if (trace->counter == KERNEL_NO_COLUMN)
		trace->counter = add_register(r, "visits", true);
	next_token(r);
	step.a = step.b = special_register(r, SIM_OWN_THREAD);
	step.c = trace->counter;
	step.extra = name->index;
	return add_step(r, step, KERNEL_NO_COLUMN);
}

static struct value take_threads(struct reader *r)
{
	struct kernel_step step = { .operator = KERNEL_LISTED };

	next_token(r);
	step.a = step.b = step.c = special_register(r, SIM_OWN_THREAD);
	step.extra = read_list(r);
	return add_step(r, step, KERNEL_NO_COLUMN);
}

static struct value take_rule(struct reader *r)
{
	if (at_word(r, "chance"))
		return take_chance(r);
	if (at_word(r, "trace"))
		return take_trace(r);
	if (at_word(r, "threads"))
		return take_threads(r);
	return read_expression(r);
}

/* ---- where a block continues ---- */

static void read_jump(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_JUMP };

	next_token(r);
	i.target = take_way(r);
	take_end(r);
	put_instr(r, &i);
}

/* branch [uniform] RULE then BLOCK else BLOCK */
static void read_branch(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_BRANCH };
	uint32_t other;

	next_token(r);
	i.uniform = at_word(r, "uniform");
	if (i.uniform)
		next_token(r);
	i.a = column_of(r, take_rule(r));
	take_word(r, "then");
	i.target = take_way(r);
	take_word(r, "else");
	other = take_way(r);
	take_end(r);
	put_instr(r, &i);
	go_to(r, other);
}

static void read_exit(struct reader *r)
{
	const struct kernel_instr i = { .op = SIM_EXIT };

	next_token(r);
	take_end(r);
	put_instr(r, &i);
}

/* ---- blocks ---- */

/* What is still open ends where the next block begins. */
static void close_block(struct reader *r, uint32_t open)
{
	const struct named_block *b = open == KERNEL_NONE ? NULL : &r->block[open];

	if (b && r->label[b->label].pc == r->code->instr_count)
		say_at(r, b->begins.line, b->begins.column, "block %s has no instruction", b->name);
	if (r->converged)
		say(r, "got the end of a block, expected an instruction after \"converged\"");
}

static uint32_t read_block(struct reader *r, uint32_t open)
{
	const struct sim_spot begins = { r->token_line, r->token_column };
	struct named_block *b;

	close_block(r, open);
	next_token(r);
	open = find_block(r);
	if (open == KERNEL_NONE)
		return open;
	b = &r->block[open];
	if (b->begins.line)
		say(r, "got block %s a second time (first in line %u)", r->text, b->begins.line);
	b->begins = begins;
	bind_label(r, b->label);
	r->reachable = true;
	next_token(r);
	take_end(r);
	return open;
}

static void read_line(struct reader *r)
{
	bool last = at_word(r, "jump") || at_word(r, "branch") || at_word(r, "exit");
	struct reader look = *r;

	next_token(&look);
	if (r->token == TOKEN_WORD && is_head(r->text))
		unexpected(r, "an instruction: the head stands before all blocks");
	if (last || at_word(r, "converged")) {
		r->statement_line = r->token_line;
		r->statement_column = r->token_column;
	}
	if (!r->reachable)
		unexpected(r, "a block: the one before has ended");
	if (at_word(r, "converged")) {
		r->converged = true;
		next_token(r);
		take_end(r);
	} else if (at_word(r, "jump")) {
		read_jump(r);
	} else if (at_word(r, "branch")) {
		read_branch(r);
	} else if (at_word(r, "exit") && !at_word(&look, "if")) {
		read_exit(r);
	} else {
		read_statement(r);
	}
}

void read_blocks(struct reader *r)
{
	uint32_t open = KERNEL_NONE;

	open_code(r, KERNEL_TRANSACTIONS, &r->kernel->code[KERNEL_TRANSACTIONS]);
	r->blocks = true;
	while (r->token != TOKEN_END_OF_FILE) {
		if (at_word(r, "block"))
			open = read_block(r, open);
		else if (r->token != TOKEN_END_OF_LINE)
			read_line(r);
		if (r->token == TOKEN_END_OF_LINE)
			next_token(r);
	}
	if (!r->error)
		close_block(r, open);
	if (r->reachable)
		unexpected(r, "a way out of the last block: jump, branch or exit");
	for (size_t i = 0; i < r->blocks_named; i++)
		if (!r->block[i].begins.line)
			say_at(r, r->block[i].line, r->block[i].column, "there is no block %s",
			       r->block[i].name);
	close_code(r);
}
