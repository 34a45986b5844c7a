/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_BLOCK_PRIORITY_H
#define GPUTM_TESTS_ORACLE_BLOCK_PRIORITY_H
#include "tests/oracle/stats.h"

#define ORACLE_BLOCK_PRIORITY_STATS admitted, left, cycles, issued, idle, switches

/* Blocks with their times of dispatch; a head that is looked for slot by slot. */
struct oracle_block_priority {
	unsigned slots, policy;
	bool there[64];
	uint64_t since[64];
	unsigned head;
	int last; /* slot that issued */
	ORACLE_STATS(ORACLE_BLOCK_PRIORITY_STATS) stats;
};

static unsigned blocks(const struct oracle_block_priority *o)
{
	unsigned count = 0;

	for (unsigned slot = 0; slot < o->slots; slot++)
		count += o->there[slot];
	return count;
}

static void next_block(struct oracle_block_priority *o)
{
	if (!blocks(o))
		return;
	do
		o->head = (o->head + 1) % o->slots;
	while (!o->there[o->head]);
}

static void oracle_block_priority_admit(struct oracle_block_priority *o, unsigned slot)
{
	if (!blocks(o))
		o->head = slot;
	o->there[slot] = true;
	o->since[slot] = o->stats.admitted++;
}

static void oracle_block_priority_leave(struct oracle_block_priority *o, unsigned slot)
{
	o->there[slot] = false;
	o->stats.left++;
	if (o->head == slot)
		next_block(o);
}

static int oldest(const struct oracle_block_priority *o, uint64_t ready)
{
	int best = -1;

	for (unsigned slot = 0; slot < o->slots; slot++)
		if ((ready >> slot & 1) && (best < 0 || o->since[slot] < o->since[best]))
			best = (int)slot;
	return best;
}

static int issue(struct oracle_block_priority *o, uint64_t ready)
{
	int issues = -1;

	if (o->policy == GPUTM_BLOCK_PRIORITY_POLICY_AGE)
		return oldest(o, ready);
	for (unsigned i = 0; i < o->slots && issues < 0; i++)
		if (ready >> (o->head + i) % o->slots & 1)
			issues = (int)((o->head + i) % o->slots);
	if (o->policy == GPUTM_BLOCK_PRIORITY_POLICY_RRB)
		next_block(o);
	else if (issues >= 0)
		o->head = (unsigned)issues;
	return issues;
}

/* One cycle: the slot that issues, or -1. */
static int oracle_block_priority_tick(struct oracle_block_priority *o, uint64_t ready)
{
	int issues = issue(o, ready);

	o->stats.cycles++;
	if (issues < 0) {
		o->stats.idle++;
		return issues;
	}
	o->stats.switches += o->stats.issued && issues != o->last;
	o->stats.issued++;
	o->last = issues;
	return issues;
}

#endif
