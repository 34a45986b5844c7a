/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions and critical sections of a program: every way from their begin comes to one end,
 * with nothing in between that cannot be undone. And liveness: what a transaction must find
 * again when it starts once more are the registers that it writes and had read before.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "../base/arena.h"

#define OUTSIDE 1u /* else: 2 and the PC of the begin */

struct rules {
	struct kernel_code *code;
	uint32_t *state; /* [instr_count]; 0: not reached */
	uint32_t *end;	 /* of the begin at a PC; 0: not known, else the PC and 1 */
	uint32_t *stack;
	enum sim_op begin, commit;
	const char *begins, *commits; /* their names */
	struct sim_spot *spot;
	char *reason;
	size_t size;
};

static int refuse(struct rules *r, const struct kernel_instr *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct rules *r, const struct kernel_instr *at, const char *format, ...)
{
	va_list list;

	*r->spot = kernel_spot(at);
	va_start(list, format);
	vsnprintf(r->reason, r->size, format, list);
	va_end(list);
	return -EINVAL;
}

static uint32_t ways_of(const struct kernel_instr *i, uint32_t way[2])
{
	way[0] = i->op == SIM_JUMP ? i->target : i->next;
	way[1] = i->target;
	return i->op == SIM_EXIT ? 0 : i->op == SIM_BRANCH ? 2 : 1;
}

static int check_inside(struct rules *r, uint32_t pc, uint32_t begin)
{
	const struct kernel_instr *i = &r->code->instr[pc];
	const struct kernel_instr *from = &r->code->instr[begin];
	uint32_t line = from->line;

	if (i->op == r->begin)
		return refuse(r, i, "\"%s\" within that of line %u, expected \"%s\" first",
			      r->begins, line, r->commits);
	if (i->op == SIM_EXIT)
		return refuse(r, from, "\"%s\", but there is a way to the end without \"%s\"",
			      r->begins, r->commits);
	if (i->op == SIM_EXIT_IF || i->op == SIM_BARRIER)
		return refuse(r, i, "\"%s\" between the \"%s\" of line %u and its \"%s\"",
			      i->op == SIM_BARRIER ? "barrier" : "exit", r->begins, line,
			      r->commits);
	if (i->op == SIM_CAS && r->begin == SIM_TX_BEGIN)
		return refuse(r, i, "\"cas\" in the transaction of line %u, expected it "
			      "outside", line);
	if (i->op != r->commit)
		return 0;
	if (r->end[begin] && r->end[begin] != pc + 1)
		return refuse(r, i, "a second \"%s\" for the \"%s\" of line %u: the other "
			      "one is in line %u", r->commits, r->begins, line,
			      r->code->instr[r->end[begin] - 1].line);
	r->end[begin] = pc + 1;
	return 0;
}

static int visit(struct rules *r, uint32_t pc, uint32_t *after)
{
	const struct kernel_instr *i = &r->code->instr[pc];
	uint32_t state = r->state[pc];
	int error = state == OUTSIDE ? 0 : check_inside(r, pc, state - 2);

	if (!error && state == OUTSIDE && i->op == r->commit)
		error = refuse(r, i, "\"%s\" without \"%s\"", r->commits, r->begins);
	*after = i->op == r->begin ? pc + 2 : i->op == r->commit ? OUTSIDE : state;
	return error;
}

/* Is every instruction inside or outside, whatever way leads there? */
static int walk(struct rules *r)
{
	uint32_t depth = 0, way[2], after;
	int error = 0;

	memset(r->state, 0, r->code->instr_count * sizeof(*r->state));
	memset(r->end, 0, r->code->instr_count * sizeof(*r->end));
	r->state[0] = OUTSIDE;
	r->stack[depth++] = 0;
	while (!error && depth) {
		uint32_t pc = r->stack[--depth], ways;

		error = visit(r, pc, &after);
		ways = ways_of(&r->code->instr[pc], way);
		for (uint32_t w = 0; !error && w < ways; w++) {
			uint32_t *state = &r->state[way[w]];

			if (!*state) {
				*state = after;
				r->stack[depth++] = way[w];
			} else if (*state != after) {
				uint32_t in = *state == OUTSIDE ? after : *state;

				error = refuse(r, &r->code->instr[way[w]], "reached both inside "
					       "and outside of the \"%s\" of line %u, expected "
					       "\"%s\" on each way from there to here",
					       r->begins, r->code->instr[in - 2].line,
					       r->commits);
			}
		}
	}
	return error;
}

/* ---- liveness ---- */

struct liveness {
	const struct kernel_code *code;
	size_t words;	/* of a set of registers */
	uint64_t *live; /* [instr_count + 1][words]: before the instruction; the last is scratch */
};

static void put(struct liveness *l, uint64_t *set, uint16_t column, bool in)
{
	if (column >= l->code->registers)
		return;
	if (in)
		set[column / 64] |= UINT64_C(1) << column % 64;
	else
		set[column / 64] &= ~(UINT64_C(1) << column % 64);
}

/* How many of a, b, c the instruction reads. */
static uint32_t operands(const struct kernel_instr *i)
{
	switch ((enum sim_op)i->op) {
	case SIM_LOAD:
	case SIM_EXIT_IF:
	case SIM_BRANCH:
		return 1;
	case SIM_STORE:
	case SIM_ADD:
		return 2;
	case SIM_CAS:
		return 3;
	default:
		return 0;
	}
}

/* From what is live after the instruction to what is before it. */
static void step_back(struct liveness *l, const struct kernel_instr *i, uint64_t *set)
{
	uint32_t count = operands(i);

	if (kernel_accesses(i) && i->when == KERNEL_NO_COLUMN)
		put(l, set, i->d, false);
	if (count > 0)
		put(l, set, i->a, true);
	if (count > 1)
		put(l, set, i->b, true);
	if (count > 2)
		put(l, set, i->c, true);
	if (kernel_accesses(i))
		put(l, set, i->when, true);
	for (uint32_t n = i->steps; n--;) {
		const struct kernel_step *s = &l->code->step[i->step + n];

		put(l, set, s->d, false);
		put(l, set, s->a, true);
		put(l, set, s->b, true);
		put(l, set, s->c, true);
	}
}

static bool update(struct liveness *l, uint32_t pc)
{
	const struct kernel_instr *i = &l->code->instr[pc];
	uint64_t *scratch = l->live + l->code->instr_count * l->words;
	uint64_t *live = l->live + pc * l->words;
	uint32_t way[2], ways = ways_of(i, way);
	bool changed;

	memset(scratch, 0, l->words * sizeof(*scratch));
	for (uint32_t w = 0; w < ways; w++)
		for (size_t n = 0; n < l->words; n++)
			scratch[n] |= l->live[way[w] * l->words + n];
	step_back(l, i, scratch);
	changed = memcmp(live, scratch, l->words * sizeof(*live)) != 0;
	memcpy(live, scratch, l->words * sizeof(*live));
	return changed;
}

/* Registers that instructions within transactions write. */
static void find_written(const struct rules *r, struct liveness *l, uint64_t *set)
{
	for (uint32_t pc = 0; pc < r->code->instr_count; pc++) {
		const struct kernel_instr *i = &r->code->instr[pc];

		if (r->state[pc] <= OUTSIDE)
			continue;
		if (kernel_accesses(i))
			put(l, set, i->d, true);
		for (uint32_t n = 0; n < i->steps; n++)
			put(l, set, r->code->step[i->step + n].d, true);
	}
}

static int find_kept(struct rules *r)
{
	struct kernel_code *code = r->code;
	struct liveness l = { .code = code, .words = code->registers / 64 + 1 };
	uint64_t *written = sim_calloc(l.words, sizeof(*written));
	bool changed = true;

	l.live = sim_calloc((code->instr_count + 1) * l.words, sizeof(*l.live));
	code->kept = sim_calloc(code->registers + 1, sizeof(*code->kept));
	if (!l.live || !written || !code->kept) {
		sim_free(l.live);
		sim_free(written);
		return -ENOMEM;
	}
	while (changed) {
		changed = false;
		for (uint32_t pc = (uint32_t)code->instr_count; pc--;)
			changed |= update(&l, pc);
	}
	find_written(r, &l, written);
	for (uint32_t reg = 0; reg < code->registers; reg++) {
		bool live = false;

		for (uint32_t pc = 0; pc < code->instr_count; pc++)
			live |= code->instr[pc].op == SIM_TX_BEGIN &&
				l.live[code->instr[pc].next * l.words + reg / 64] >> reg % 64 & 1;
		if (live && written[reg / 64] >> reg % 64 & 1)
			code->kept[code->kept_count++] = (uint16_t)reg;
	}
	sim_free(l.live);
	sim_free(written);
	return 0;
}

int kernel_rules(struct kernel_code *code, struct sim_spot *spot, char *reason, size_t size)
{
	struct rules r = { .code = code, .spot = spot, .reason = reason, .size = size,
			   .begin = SIM_ENTER, .commit = SIM_LEAVE, .begins = "enter",
			   .commits = "leave" };
	int error = 0;

	r.state = sim_calloc(3 * code->instr_count, sizeof(*r.state));
	if (!r.state)
		return -ENOMEM;
	r.end = r.state + code->instr_count;
	r.stack = r.end + code->instr_count;
	if (code->critical)
		error = walk(&r);
	r.begin = SIM_TX_BEGIN;
	r.commit = SIM_TX_COMMIT;
	r.begins = "begin";
	r.commits = "commit";
	if (!error)
		error = walk(&r);
	for (uint32_t pc = 0; !error && pc < code->instr_count; pc++)
		code->instr[pc].inside = r.state[pc] > OUTSIDE;
	if (!error && code->transactions)
		error = find_kept(&r);
	sim_free(r.state);
	return error;
}
