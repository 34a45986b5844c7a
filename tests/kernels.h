/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_KERNELS_H
#define GPUTM_TESTS_KERNELS_H
/*
 * Kernels of a few blocks, for units that regroup the threads of warps: whatever warps there are,
 * each thread does what the thread would do alone. A kernel begins at 'A' and ends with its last
 * block, 'Z'.
 */
#include "tests/kit.h"

struct block {
	char name;
	char taken, other; /* the same: no branch */
	char rpc, lpc;
	uint8_t ends; /* here ends one thread of so many; 0: none */
};

/* What one thread has done. */
struct path {
	uint64_t steps, hash;
	bool ended;
};

static const struct block *block_at(const struct block kernel[], uint64_t pc)
{
	const struct block *b = kernel;

	while (b->name != 'Z' && (uint64_t)b->name != pc)
		b++;
	ck_assert_uint_eq((uint64_t)b->name, pc);
	return b;
}

/* Execute one block: the thread may end there; else does it take the branch? 'B' is a loop. */
static bool execute(struct path *p, unsigned thread, uint64_t seed, const struct block *b)
{
	uint64_t state = seed ^ (uint64_t)thread << 32 ^ p->steps, x = kit_random(&state);

	p->hash = (p->hash ^ (uint64_t)b->name) * UINT64_C(0x100000001b3);
	p->ended = b->ends && x % b->ends == 0;
	p->steps++;
	return b->name == 'B' ? p->steps < 60 && x % 8 : x % 3 == 0;
}

/* The threads of some lanes execute a block. @return the lanes that take its branch. */
static uint64_t execute_all(struct path path[], const uint16_t thread[], uint64_t mask,
			    uint64_t seed, const struct block *b, uint64_t *ended)
{
	uint64_t taken = 0;

	*ended = 0;
	for (unsigned lane = 0; mask >> lane; lane++) {
		if (!(mask >> lane & 1))
			continue;
		ck_assert(!path[thread[lane]].ended);
		if (execute(&path[thread[lane]], thread[lane], seed, b))
			taken |= UINT64_C(1) << lane;
		if (path[thread[lane]].ended)
			*ended |= UINT64_C(1) << lane;
	}
	return taken & ~*ended;
}

static void same_as_alone(const struct block kernel[], const struct path path[], unsigned threads,
			  uint64_t seed)
{
	for (unsigned t = 0; t < threads; t++) {
		struct path alone = { 0, 0, false };
		uint64_t pc = 'A';

		while (!alone.ended) {
			const struct block *b = block_at(kernel, pc);

			pc = (uint64_t)(execute(&alone, t, seed, b) ? b->taken : b->other);
		}
		KIT_SAME(alone, path[t], steps, hash);
	}
}

#endif /* GPUTM_TESTS_KERNELS_H */
