/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_BLOCK_PRIORITY_H
#define GPUTM_TESTS_ORACLE_BLOCK_PRIORITY_H
#include "gputm/block_priority.h"
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

void oracle_block_priority_admit(struct oracle_block_priority *o, unsigned slot);
void oracle_block_priority_leave(struct oracle_block_priority *o, unsigned slot);
/* One cycle: the slot that issues, or -1. */
int oracle_block_priority_tick(struct oracle_block_priority *o, uint64_t ready);

#endif
