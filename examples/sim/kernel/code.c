/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns statements into code: labels become PCs, instructions become blocks, and columns get their
 * final numbers: registers first, then constants, then scratch.
 */
#include <errno.h>

#include "reader.h"
#include "../base/arena.h"

/* ---- instructions and labels ---- */

uint32_t new_label(struct reader *r)
{
	if (!ROOM(r, r->label, r->label_room, r->labels + 1))
		return KERNEL_NONE;
	r->label[r->labels] = (struct label){ KERNEL_NONE, KERNEL_NONE, false };
	return (uint32_t)r->labels++;
}

static bool ends_block(const struct kernel_instr *i)
{
	return i->op == SIM_JUMP || i->op == SIM_EXIT;
}

static void put_note(struct reader *r);

void put_instr(struct reader *r, const struct kernel_instr *instr)
{
	struct kernel_code *code = r->code;
	struct kernel_instr *i;

	if (r->dead || r->error)
		return;
	if (instr->op >= SIM_BARRIER && instr->op <= SIM_LEAVE)
		put_note(r);
	if (!r->reachable)
		say_at(r, r->statement_line, r->statement_column, "this cannot be reached");
	if (code->instr_count == KERNEL_INSTRUCTIONS_MAX)
		say(r, "more than %u instructions", KERNEL_INSTRUCTIONS_MAX);
	if (r->error || !ROOM(r, code->instr, r->instrs, code->instr_count + 1))
		return;
	i = &code->instr[code->instr_count++];
	*i = *instr;
	i->line = own_line(r, r->statement_line);
	i->column = own_column(r, r->statement_column);
	i->step = r->first_step;
	i->steps = (uint32_t)code->step_count - r->first_step;
	i->converged = r->converged;
	i->mix = (uint32_t)code->instr_count * UINT32_C(0x9e3779b9);
	i->next = KERNEL_NONE;
	if (i->op == SIM_JUMP || i->op == SIM_BRANCH)
		r->label[i->target].used = true;
	r->first_step = (uint32_t)code->step_count;
	r->converged = false;
	r->reachable = !ends_block(i);
}

/* Steps of `let` that are still pending at the end of a block run in a note. */
static void put_note(struct reader *r)
{
	const struct kernel_instr note = { .op = SIM_NOTE };

	if (r->first_step != r->code->step_count)
		put_instr(r, &note);
}

void bind_label(struct reader *r, uint32_t label)
{
	if (r->dead)
		return;
	put_note(r);
	if (r->error)
		return;
	r->label[label].pc = (uint32_t)r->code->instr_count;
	r->reachable |= r->label[label].used;
}

void go_to(struct reader *r, uint32_t label)
{
	struct kernel_code *code = r->code;
	uint32_t here;

	if (r->dead || !r->reachable)
		return;
	put_note(r);
	if (r->error)
		return;
	here = (uint32_t)code->instr_count;
	r->label[label].used = true;
	for (size_t i = 0; i < r->labels; i++)
		if (i != label && r->label[i].pc == here && r->label[i].alias == KERNEL_NONE)
			r->label[i].alias = label;
	if (here && !ends_block(&code->instr[here - 1]) &&
	    code->instr[here - 1].next == KERNEL_NONE)
		code->instr[here - 1].next = label;
	r->reachable = false;
}

/* ---- a section ---- */

void open_code(struct reader *r, enum kernel_section section, struct kernel_code *code)
{
	if (code->line)
		say(r, "got \"%s\" a second time (first in line %u)", r->text, code->line);
	code->line = r->token_line;
	use_registers_of(r, code);
	r->section = section;
	r->instrs = r->steps = r->constants = r->messages = 0;
	r->first_step = 0;
	r->labels = 0;
	r->loops = 0;
	r->dead = 0;
	r->reachable = true;
	r->guard = KERNEL_NO_COLUMN;
	r->end_label = new_label(r);
}

static uint32_t pc_of(const struct reader *r, uint32_t label)
{
	while (r->label[label].alias != KERNEL_NONE)
		label = r->label[label].alias;
	return r->label[label].pc;
}

static void resolve(struct reader *r)
{
	struct kernel_code *code = r->code;

	for (uint32_t pc = 0; pc < code->instr_count; pc++) {
		struct kernel_instr *i = &code->instr[pc];

		i->next = i->next == KERNEL_NONE ? pc + 1 : pc_of(r, i->next);
		if (i->op == SIM_JUMP || i->op == SIM_BRANCH)
			i->target = pc_of(r, i->target);
	}
}

static const struct named_block *named_at(const struct reader *r, uint32_t pc)
{
	for (size_t i = 0; r->blocks && i < r->blocks_named; i++)
		if (r->label[r->block[i].label].pc == pc)
			return &r->block[i];
	return NULL;
}

/* Mark where blocks begin. */
static void find_leaders(const struct reader *r, bool *leader)
{
	const struct kernel_code *code = r->code;

	leader[0] = true;
	for (uint32_t pc = 0; pc < code->instr_count; pc++) {
		const struct kernel_instr *i = &code->instr[pc];
		bool ways = i->op == SIM_JUMP || i->op == SIM_BRANCH;

		if (ways)
			leader[i->target] = true;
		if (i->next != pc + 1 && !ends_block(i))
			leader[i->next] = true;
		if (ways || i->op == SIM_EXIT || i->next != pc + 1)
			leader[pc + 1] = true;
	}
	for (size_t b = 0; r->blocks && b < r->blocks_named; b++)
		leader[r->label[r->block[b].label].pc] = true;
}

/* The PCs at which a block continues, given its last instruction. */
static void find_ways(const struct kernel_instr *i, struct kernel_block *block)
{
	block->way[0] = i->op == SIM_JUMP || i->op == SIM_BRANCH ? i->target : i->next;
	block->way[1] = i->next;
	block->ways = i->op == SIM_EXIT ? 0 : i->op == SIM_BRANCH ? 2 : 1;
}

static void fill_blocks(struct reader *r, const bool *leader)
{
	struct kernel_code *code = r->code;
	struct kernel_block *block = NULL;

	for (uint32_t pc = 0; pc < code->instr_count; pc++) {
		struct kernel_instr *i = &code->instr[pc];

		if (leader[pc]) {
			const struct named_block *named = named_at(r, pc);

			block = &code->block[code->block_count++];
			memset(block, 0, sizeof(*block));
			if (named)
				strcpy(block->name, named->name);
			block->spot = named ? named->begins : kernel_spot(i);
			block->first = pc;
			block->meeting = block->likely = KERNEL_NONE;
		}
		block->count++;
		i->block = (uint16_t)(code->block_count - 1);
		i->last = leader[pc + 1];
		if (i->last)
			find_ways(i, block);
	}
	for (size_t b = 0; b < code->block_count; b++) {
		block = &code->block[b];
		for (uint32_t i = 0; i < 2; i++)
			block->way[i] = i < block->ways ? code->instr[block->way[i]].block :
							  KERNEL_NONE;
	}
}

static void make_blocks(struct reader *r)
{
	struct kernel_code *code = r->code;
	bool *leader = sim_calloc(code->instr_count + 1, sizeof(*leader));
	size_t count = 0;

	if (leader) {
		find_leaders(r, leader);
		leader[code->instr_count] = true;
		for (size_t i = 0; i < code->instr_count; i++)
			count += leader[i];
		code->block = sim_calloc(count, sizeof(*code->block));
	}
	if (code->block)
		fill_blocks(r, leader);
	else
		no_memory(r);
	sim_free(leader);
}

/* ---- columns ---- */

static uint16_t final_column(const struct kernel_code *code, uint16_t column)
{
	if (column == KERNEL_NO_COLUMN)
		return column;
	if (column & SCRATCH_COLUMN)
		return (uint16_t)(code->registers + code->constants + (column ^ SCRATCH_COLUMN));
	if (column & CONSTANT_COLUMN)
		return (uint16_t)(code->registers + (column ^ CONSTANT_COLUMN));
	return column;
}

static void make_rows(struct reader *r)
{
	struct kernel_code *code = r->code;
	size_t rows = (size_t)code->constants + code->scratch;

	code->row = sim_calloc(rows * KERNEL_LANES + 1, sizeof(*code->row));
	if (!code->row)
		no_memory(r);
	for (uint32_t c = 0; code->row && c < code->constants; c++)
		for (uint32_t l = 0; l < KERNEL_LANES; l++)
			code->row[c * KERNEL_LANES + l] = code->constant[c];
}

static void make_columns(struct kernel_code *code)
{
	for (size_t i = 0; i < code->step_count; i++) {
		struct kernel_step *s = &code->step[i];

		s->d = final_column(code, s->d);
		s->a = final_column(code, s->a);
		s->b = final_column(code, s->b);
		s->c = final_column(code, s->c);
	}
	for (size_t i = 0; i < code->instr_count; i++) {
		struct kernel_instr *n = &code->instr[i];

		n->d = final_column(code, n->d);
		n->a = final_column(code, n->a);
		if (n->op != SIM_REQUIRE)
			n->b = final_column(code, n->b);
		n->c = final_column(code, n->c);
		n->when = final_column(code, n->when);
	}
	for (size_t i = 0; i < code->message_count; i++)
		for (uint32_t p = 0; p < code->message[i].parts; p++)
			code->message[i].part[p].column =
				final_column(code, code->message[i].part[p].column);
}

static void say_never_set(struct reader *r, const struct kernel_register *reg)
{
	const char *near = near_word(r, reg->name);
	char call[40] = "";

	if (reg->call && reg->call != reg->line)
		snprintf(call, sizeof(call), " (the macro of line %u)", reg->call);
	say_at(r, reg->line, reg->column, "%s is read and never set in %s%s%s%s%s", reg->name,
	       section_name(r), call, near ? "; did you mean \"" : "", near ? near : "",
	       near ? "\"?" : "");
}

static void check_registers(struct reader *r)
{
	const struct kernel_code *code = r->code;

	for (uint32_t i = 0; !r->error && i < code->registers; i++) {
		if (code->reg[i].let && !code->reg[i].named && !*r->kernel->unread) {
			memcpy(r->kernel->unread, code->reg[i].name, KERNEL_NAME_MAX);
			r->kernel->unread_line = code->reg[i].line;
		}
		if (code->reg[i].read && !code->reg[i].set)
			say_never_set(r, &code->reg[i]);
	}
}

static void analyse(struct reader *r)
{
	char reason[200];
	struct sim_spot at;
	int error = kernel_graph(r->code, &at, reason, sizeof(reason));

	if (!error && r->section < KERNEL_SETUP)
		error = kernel_rules(r->code, &at, reason, sizeof(reason));
	if (error == -ENOMEM)
		no_memory(r);
	else if (error)
		say_at(r, at.line, at.column, "%s", reason);
}

void close_code(struct reader *r)
{
	const struct kernel_instr end = { .op = SIM_EXIT };

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (!r->blocks) {
		bind_label(r, r->end_label);
		put_instr(r, &end);
	}
	check_registers(r);
	/* Others take the address of the first step of an instruction that has none: never NULL. */
	if (r->error || !ROOM(r, r->code->step, r->steps, r->code->step_count + 1))
		return;
	resolve(r);
	make_columns(r->code);
	make_rows(r);
	make_blocks(r);
	if (!r->error)
		analyse(r);
	r->code = NULL;
}
