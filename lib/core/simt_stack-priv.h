/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_CORE_SIMT_STACK_PRIV_H
#define GPUTM_LIB_CORE_SIMT_STACK_PRIV_H
/* The inside of the SIMT stack: simt_stack.c works it, with transactions in simt_stack-tx.c;
 * simt_stack-face.c describes it. */
#include "gputm/simt_stack.h"
#include "lib/base/lanes.h"
#include "lib/base/unit.h"

#define NO_PC GPUTM_SIMT_STACK_NO_PC
#define NO_ENTRY GPUTM_SIMT_STACK_NO_ENTRY
#define NESTING_BITS 8

struct gputm_simt_stack {
	struct gputm_unit unit;
	struct gputm_simt_stack_entry *top; /* into slot; slot[0] when the stack is empty */
	uint64_t pc_max;
	uint64_t no_lpc; /* all ones without likely convergence */
	gputm__lanes_at_fn *lanes_at;
	struct gputm_simt_stack_entry *slot;	  /* [1 + limit]; entry i is slot[i + 1] */
	struct gputm_simt_stack_entry *highest;	  /* slot[max_depth] */
	struct gputm_simt_stack_entry *two_below; /* slots from here on lack room for two entries */
	uint32_t limit;
	uint32_t retry; /* slot of R; T is the next one; 0 outside a transaction */
	uint64_t pc_after; /* of the transaction; NO_PC until a lane has committed */
	uint64_t nesting[NESTING_BITS];
	struct gputm_simt_stack_config config;
	uint64_t advances, divergences, full, max_depth;
	uint64_t pushed, reconverged, merged, emptied, replaced, left;
	uint64_t begun, restarts, nested;
	uint64_t lanes_launched, lanes_ended, lanes_started, lanes_committed, lanes_aborted;
};

static inline uint32_t gputm__simt_slot(const struct gputm_simt_stack *s,
					const struct gputm_simt_stack_entry *entry)
{
	return (uint32_t)(entry - s->slot);
}

static inline bool gputm__simt_is_pc(const struct gputm_simt_stack *s, uint64_t pc)
{
	return pc <= s->pc_max;
}

static inline bool gputm__simt_can_run(const struct gputm_simt_stack_entry *e)
{
	return e->type != GPUTM_SIMT_STACK_TYPE_NORMAL ||
	       (e->mask && e->pc != e->rpc && e->pc != e->lpc);
}

static inline void gputm__simt_set(struct gputm_simt_stack_entry *e, uint64_t pc, uint64_t rpc,
				   uint64_t mask, enum gputm_simt_stack_type type)
{
	e->pc = pc;
	e->rpc = rpc;
	e->lpc = NO_PC;
	e->mask = mask;
	e->lpos = NO_ENTRY;
	e->type = type;
}

static inline void gputm__simt_raise_to(struct gputm_simt_stack *s,
					struct gputm_simt_stack_entry *top)
{
	s->top = top;
	if (top > s->highest) {
		s->highest = top;
		s->max_depth = gputm__simt_slot(s, top);
	}
}

static inline void gputm__simt_take_away(struct gputm_simt_stack_entry *from,
					 struct gputm_simt_stack_entry *to, uint64_t mask)
{
	for (; from <= to; from++)
		from->mask &= ~mask;
}

/* Refuse a mask that is empty or has lanes outside `allowed`; refuse a step to next_pc. */
int gputm__simt_refuse_mask(const struct gputm_simt_stack *s, const char *what, uint64_t mask,
			    uint64_t allowed);
int gputm__simt_refuse_step(const struct gputm_simt_stack *s, const char *what, uint64_t next_pc);
/* The answer of gputm_simt_stack_diverge_probe(), with the top entry's lanes passed separately. */
int gputm__simt_judge(const struct gputm_simt_stack *s, uint64_t active,
		      const struct gputm_simt_stack_target target[], size_t count, uint64_t rpc);
/* Pop the entries whose lanes have all left. */
int gputm__simt_settle(struct gputm_simt_stack *s);

/* The active lanes, at least one, go on at a PC that is not too wide. */
static inline int gputm__simt_step(struct gputm_simt_stack *s, uint64_t next_pc)
{
	struct gputm_simt_stack_entry *top = s->top;

	s->advances++;
	top->pc = next_pc;
	if (next_pc != top->rpc && next_pc != top->lpc)
		return GPUTM_SIMT_STACK_CONTINUE;
	if (next_pc != top->rpc || s->unit.observe)
		return gputm__simt_settle(s);
	s->reconverged++;
	s->top = --top;
	if (top->mask && top->pc != top->lpc) /* it cannot be at its RPC */
		return GPUTM_SIMT_STACK_SWITCH;
	return gputm__simt_settle(s);
}

static inline void gputm__simt_push(struct gputm_simt_stack_entry *e,
				    const struct gputm_simt_stack_target *target, uint64_t rpc)
{
	memcpy(e, target, sizeof(*target)); /* PC and mask */
	e->rpc = rpc;
	e->lpc = NO_PC;
	e->lpos = NO_ENTRY;
	e->type = GPUTM_SIMT_STACK_TYPE_NORMAL;
}

/*
 * Divide all active lanes in two for the usual branch: its RPC is not that of the top entry, only
 * the first target may be the RPC, and there is no observer.
 */
static inline bool gputm__simt_part(struct gputm_simt_stack *s,
				    const struct gputm_simt_stack_target *first,
				    const struct gputm_simt_stack_target *second, uint64_t rpc)
{
	struct gputm_simt_stack_entry *top = s->top;

	if (s->unit.observe || top >= s->two_below ||
	    (first->pc | second->pc | rpc) > s->pc_max || second->pc == rpc || rpc == top->rpc)
		return false;
	s->divergences++;
	top->pc = rpc;
	if (first->pc != rpc) {
		gputm__simt_push(++top, first, rpc);
		s->pushed++;
	}
	gputm__simt_push(++top, second, rpc);
	s->pushed++;
	gputm__simt_raise_to(s, top);
	return true;
}

#endif /* GPUTM_LIB_CORE_SIMT_STACK_PRIV_H */
