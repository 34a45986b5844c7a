/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread block priority
 * =====================
 *
 * W. W. L. Fung's thesis (2015), 3.6.2 "Thread Block Prioritization" and Fig. 3.13.
 *
 *	AGE	the oldest ready block, in the order of dispatch
 *	RRB	the first ready block from the head on, by slot; the head goes on by one block in
 *		every cycle, ready or not
 *	SRR	the same, but the head stays with the block that issues, as long as it is ready
 *
 *	Blocks in slots 0, 1, 2, dispatched in that order; all are ready but 0 in cycle 3:
 *
 *	cycle	1 2 3 4 5
 *	AGE	0 0 1 0 0
 *	RRB	0 1 2 0 1
 *	SRR	0 0 1 1 1
 *
 * Invariants, as check() names them:
 *   P1  the order by age has each block once, and nothing else
 *   P2  the head is a block, or 0 where there is none or the policy has no head
 *   P3  admitted = left + blocks; cycles = issued + idle
 *
 * Differences from the paper
 *   - "The next thread block" is that in the next occupied slot, counted round; the paper gives
 *     no order.
 *   - In a cycle in which no block is ready, priority stays where it is under SRR: the paper's
 *     "until none of its warps are ready" would pass it on and back without effect.
 */
#include "gputm/block_priority.h"
#include "lib/base/unit.h"

#define SLOTS_MAX 64

struct gputm_block_priority {
	struct gputm_unit unit;
	struct gputm_block_priority_config config;
	uint64_t blocks;	  /* occupied slots */
	uint8_t order[SLOTS_MAX]; /* occupied slots, the oldest first */
	uint32_t count;
	uint32_t head; /* of RRB and SRR */
	uint64_t admitted, left, cycles, issued, idle, switches;
	uint32_t last; /* slot that issued last */
};

#define UNIT block_priority

static const char *const policies[] = { "age", "rrb", "srr" };

static const struct gputm_param rows[] = {
	PARAM(blocks, 1, SLOTS_MAX, 8, false, "Slots of the core: thread blocks at a time.",
	      "thesis 3.6.2"),
	CHOICE(policy, GPUTM_BLOCK_PRIORITY_POLICY_AGE, GPUTM_BLOCK_PRIORITY_POLICY_SRR,
	       GPUTM_BLOCK_PRIORITY_POLICY_AGE, policies,
	       "Which block issues first: the oldest, round-robin, or sticky round-robin.",
	       "thesis 3.6.2"),
};

static const struct gputm_preset presets[] = {
	{ "age", "Thesis 3.6.2: the oldest block, the default there.", { { "policy", 0 } } },
	{ "rrb", "Thesis 3.6.2: round-robin.", { { "policy", 1 } } },
	{ "srr", "Thesis 3.6.2: sticky round-robin.", { { "policy", 2 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(admitted, COUNTER, "blocks", "Blocks dispatched."),
	STAT(left, COUNTER, "blocks", "Blocks that have ended."),
	STAT(cycles, COUNTER, "cycles", "Cycles."),
	STAT(issued, COUNTER, "cycles", "Cycles in which a block issued."),
	STAT(idle, COUNTER, "cycles", "Cycles in which none was ready."),
	STAT(switches, COUNTER, "cycles", "Cycles in which another slot issued than last time."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_BLOCK_PRIORITY_EVENT_ADMIT, "admit", "A block has come to the core.",
	      VALUE(slot, "slot", "Slot of the block."),
	      VALUE(blocks, "blocks", "Blocks on the core now.")),
	EVENT(GPUTM_BLOCK_PRIORITY_EVENT_LEAVE, "leave", "A block has left the core.",
	      VALUE(slot, "slot", "Slot of the block."),
	      VALUE(blocks, "blocks", "Blocks on the core now.")),
	EVENT(GPUTM_BLOCK_PRIORITY_EVENT_ISSUE, "issue", "A block issues an instruction.",
	      VALUE(slot, "slot", "Slot of the block."),
	      VALUE(ready, "slot mask", "Slots of the blocks that were ready.")),
};

static void clear(struct gputm_unit *unit)
{
	struct gputm_block_priority *p = (void *)unit;

	p->blocks = 0;
	p->count = 0;
	p->head = 0;
	p->last = 0;
}

static bool has_head(const struct gputm_block_priority *p)
{
	return p->config.policy != GPUTM_BLOCK_PRIORITY_POLICY_AGE;
}

/* ---- common face ---- */

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_block_priority *p = (void *)unit;

	gputm__io_u32_max(io, &p->count, p->config.blocks, "blocks");
	gputm__io_bytes(io, p->order, p->count);
	gputm__io_u32_max(io, &p->head, p->config.blocks - 1, "head");
	gputm__io_u32_max(io, &p->last, p->config.blocks - 1, "slot that issued last");
	if (!gputm__io_reading(io) || io->error)
		return;
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->order[i] >= p->config.blocks)
			gputm__io_fail(io, -EINVAL, "there is no such slot");
		else
			p->blocks |= UINT64_C(1) << p->order[i];
	}
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_block_priority *p = (const void *)unit;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		if (seen >> p->order[i] & 1)
			return "P1: a block is in the order by age twice";
		seen |= UINT64_C(1) << p->order[i];
	}
	if (seen != p->blocks)
		return "P1: the order by age lacks a block";
	if (p->count && has_head(p) ? !(p->blocks >> p->head & 1) : p->head != 0)
		return "P2: the head names a block that does not exist";
	if (p->cycles != gputm__later(p->idle, p->issued) || p->switches > p->issued)
		return "P3: cycles differ from issued + idle";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_block_priority_config *c = gputm_unit_config(unit);
	uint64_t bits = gputm__bits_for(c->blocks);
	bool age = c->policy == GPUTM_BLOCK_PRIORITY_POLICY_AGE;

	gputm__array(out, "occupied", 1, c->blocks, 1);
	gputm__array(out, "order by age", age ? c->blocks : 0, bits, 1);
	gputm__array(out, "head", age ? 0 : 1, bits, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_block_priority *p = (const void *)unit;

	gputm__law_least(laws, p->issued, p->last != 0, "P3: a slot issued and there was no issue");
	gputm__law(laws, p->admitted, p->left + p->count,
		   "P3: admitted blocks are not those that left and those there");
}

GPUTM__UNIT(block_priority, .version = 1, .laws = laws)

/* ---- blocks come and go ---- */

/* The first slot of `slots` from `from` on, counted round; slots must not be 0. */
static inline uint32_t first_from(uint64_t slots, uint32_t from)
{
	uint64_t above = slots & ~gputm__low_mask(from);

	return gputm__lowest(above ? above : slots);
}

int gputm_block_priority_admit(struct gputm_block_priority *p, uint32_t slot)
{
	if (slot >= p->config.blocks)
		return gputm__out_of_range(&p->unit, "slot", slot, 0, p->config.blocks - 1);
	if (p->blocks >> slot & 1)
		return gputm__refuse(&p->unit, "admit: slot %u is occupied", slot);
	if (!p->blocks && has_head(p))
		p->head = slot;
	p->blocks |= UINT64_C(1) << slot;
	p->order[p->count++] = (uint8_t)slot;
	p->admitted++;
	gputm__emit(&p->unit, GPUTM_BLOCK_PRIORITY_EVENT_ADMIT, slot, p->count, 0, 0);
	return 0;
}

int gputm_block_priority_leave(struct gputm_block_priority *p, uint32_t slot)
{
	uint32_t at = 0;

	if (slot >= p->config.blocks)
		return gputm__out_of_range(&p->unit, "slot", slot, 0, p->config.blocks - 1);
	if (!(p->blocks >> slot & 1))
		return gputm__refuse(&p->unit, "leave: slot %u is free", slot);
	while (p->order[at] != slot)
		at++;
	p->count--;
	memmove(p->order + at, p->order + at + 1, p->count - at);
	p->blocks &= ~(UINT64_C(1) << slot);
	if (!p->blocks)
		p->head = 0;
	else if (p->head == slot && has_head(p))
		p->head = first_from(p->blocks, slot);
	p->left++;
	gputm__emit(&p->unit, GPUTM_BLOCK_PRIORITY_EVENT_LEAVE, slot, p->count, 0, 0);
	return 0;
}

uint64_t gputm_block_priority_blocks(const struct gputm_block_priority *p)
{
	return p->blocks;
}

/* ---- cycles ---- */

static inline uint32_t choose(const struct gputm_block_priority *p, uint64_t ready)
{
	const uint8_t *slot = p->order;

	if (has_head(p))
		return first_from(ready, p->head);
	while (!(ready >> *slot & 1))
		slot++;
	return *slot;
}

int gputm_block_priority_pick_probe(const struct gputm_block_priority *p, uint64_t ready,
				    uint32_t *slot)
{
	if (ready & ~p->blocks)
		return gputm__refuse(&p->unit, "ready = 0x%llx has slots without a block (0x%llx)",
				     (unsigned long long)ready, (unsigned long long)p->blocks);
	if (!ready)
		return GPUTM_BLOCK_PRIORITY_IDLE;
	*slot = choose(p, ready);
	return GPUTM_BLOCK_PRIORITY_ISSUE;
}

int gputm_block_priority_pick(struct gputm_block_priority *p, uint64_t ready, uint32_t *slot)
{
	int result = gputm_block_priority_pick_probe(p, ready, slot);

	if (result < 0)
		return result;
	if (result == GPUTM_BLOCK_PRIORITY_IDLE) {
		gputm_block_priority_advance(p, 1);
		return result;
	}
	p->cycles = gputm__later(p->cycles, 1);
	if (p->issued < GPUTM__END_OF_TIME) {
		p->switches += p->issued && p->last != *slot;
		p->issued++;
	}
	p->last = *slot;
	if (p->config.policy == GPUTM_BLOCK_PRIORITY_POLICY_RRB)
		p->head = first_from(p->blocks, p->head + 1);
	else if (p->config.policy == GPUTM_BLOCK_PRIORITY_POLICY_SRR)
		p->head = *slot;
	gputm__emit(&p->unit, GPUTM_BLOCK_PRIORITY_EVENT_ISSUE, *slot, ready, 0, 0);
	return result;
}

void gputm_block_priority_advance(struct gputm_block_priority *p, uint64_t cycles)
{
	p->cycles = gputm__later(p->cycles, cycles);
	p->idle = gputm__later(p->idle, cycles);
	if (p->config.policy != GPUTM_BLOCK_PRIORITY_POLICY_RRB || !p->count)
		return;
	for (cycles %= p->count; cycles; cycles--)
		p->head = first_from(p->blocks, p->head + 1);
}
