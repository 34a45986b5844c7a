/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of block_stack: life, Fig. 3.3, 3.5, 3.7 and 3.8, loops, depth, barriers, misuse.
 */
#include "tests/kit.h"

#define NONE GPUTM_BLOCK_STACK_NO_PC

KIT_UNIT(block_stack, BLOCK_STACK);

/* Threads counted from 1 in warps of four; 0 ends the list. */
static void mask_of(uint64_t mask[4], const unsigned *thread)
{
	memset(mask, 0, 4 * sizeof(*mask));
	for (; *thread; thread++)
		mask[(*thread - 1) % 4] |= UINT64_C(1) << (*thread - 1) / 4;
}

static void launch(struct gputm_block_stack *s, uint64_t pc, const unsigned *thread)
{
	uint64_t mask[4];

	mask_of(mask, thread);
	ck_assert_int_eq(gputm_block_stack_launch(s, pc, mask), 0);
}

/* Compact the top as the compactor does; the warps expected, 0 for no thread, in rows of four. */
static void admit(struct gputm_block_stack *s, unsigned warps, const unsigned expected[][4])
{
	uint64_t top[5], rest[4];
	uint16_t thread[4];

	top[4] = 4711;
	gputm_block_stack_mask(s, top);
	ck_assert_uint_eq(top[4], 4711);
	memcpy(rest, top, sizeof(rest));
	for (unsigned k = 0; k < warps; k++) {
		uint64_t lanes = 0;

		for (unsigned lane = 0; lane < 4; lane++) {
			unsigned w = 0;

			ck_assert_uint_eq(expected[k][lane] != 0, rest[lane] != 0);
			if (!rest[lane])
				continue;
			while (!(rest[lane] >> w & 1))
				w++;
			rest[lane] &= rest[lane] - 1;
			thread[lane] = (uint16_t)(4 * w + lane);
			lanes |= UINT64_C(1) << lane;
			ck_assert_uint_eq(thread[lane] + 1u, expected[k][lane]);
		}
		ck_assert_int_eq(gputm_block_stack_admit(s, lanes, thread), (int)k);
		ck_assert_uint_eq(gputm_block_stack_warp(s, k), lanes);
	}
}

/*
 * The entries from the lowest, "PC RPC WCNT THREADS" or "PC RPC LPC@LPOS WCNT THREADS", and ";"
 * between them; threads static warp by static warp, the first lane leftmost.
 */
static void expect(struct gputm_block_stack *s, size_t top, const char *entries)
{
	struct gputm_block_stack_entry e;
	size_t rows = 0;

	kit_valid(unit_of(s));
	ck_assert_uint_eq(gputm_block_stack_top(s), top);
	for (; entries; entries = strchr(entries, ';') ? strchr(entries, ';') + 1 : NULL, rows++) {
		char pc, rpc, lpc = '-';
		unsigned lpos = GPUTM_BLOCK_STACK_NO_ENTRY, wcnt;
		int at = 0;

		if (sscanf(entries, " %c %c %c@%u %u %n", &pc, &rpc, &lpc, &lpos, &wcnt, &at) < 5) {
			lpc = '-';
			ck_assert_int_eq(sscanf(entries, " %c %c %u %n", &pc, &rpc, &wcnt, &at), 3);
		}
		entries += at;
		memset(&e, 0xa5, sizeof(e));
		ck_assert_int_eq(gputm_block_stack_get_entry(s, rows, &e), 0);
		ck_assert_uint_eq(e.mask[KIT_COUNT(e.mask) - 1], 0); /* no such lane */
		KIT_HAS(e, pc, pc, rpc, rpc == '-' ? NONE : (uint64_t)rpc, lpos, lpos, wcnt, wcnt);
		ck_assert_uint_eq(e.lpc, lpc == '-' ? NONE : (uint64_t)lpc);
		for (unsigned t = 0; entries[t] && entries[t] != ';'; t++)
			if (t % 5 != 4)
				ck_assert_msg((e.mask[t % 5] >> t / 5 & 1) == (entries[t] == '1'),
					      "entry %zu, thread %u", rows, t / 5 * 4 + t % 5 + 1);
	}
	ck_assert_uint_eq(gputm_block_stack_depth(s), rows);
}

KIT_TEST(test_block_stack_configs)
{
	ck_assert(with("tbc-lcp").likely_convergence);
}

KIT_MADE(test_fig_3_5_block_stack, s, "lanes=4 warps=2 likely_convergence=0")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
	const unsigned in_c[][4] = { { 1, 6, 7, 0 } };
	const unsigned in_b[][4] = { { 5, 2, 3, 4 }, { 0, 0, 0, 8 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 0 });
	expect(s, 0, "A - 2 1111 1111");
	admit(s, 2, whole);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x1, &at_a), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_branch(s, 1, 0x6, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 2, "D - 0 1111 1111; B D 0 0111 1001; C D 1 1000 0110");
	admit(s, 1, in_c);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 1, "D - 0 1111 1111; B D 2 0111 1001");
	admit(s, 2, in_b);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 1, 'D'), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 0, "D - 2 1111 1111");
	admit(s, 2, whole);
	ck_assert_int_eq(gputm_block_stack_exit(s, 0, 0xf), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_exit(s, 1, 0xf), GPUTM_BLOCK_STACK_FINISH);
	ck_assert_uint_eq(gputm_block_stack_live(s), 0);
	/* Seven warps instead of the eight of a stack per warp. */
	ck_assert_uint_eq(kit_stat(unit_of(s), "warps_admitted"), 7);
}

/* All rows of the figure; the warps come in the order W2, W3, W1. */
KIT_MADE(test_fig_3_7_block_stack, s, "lanes=4 warps=3 likely_convergence=0")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0 });
	expect(s, 0, "A - 3 1111 1111 1111");
	admit(s, 3, whole);
	ck_assert_int_eq(gputm_block_stack_branch(s, 1, 0x9, &at_a), GPUTM_BLOCK_STACK_WAIT);
	expect(s, 0, "D - 2 1111 1111 1111; B D 0 0000 0110 0000; C D 0 0000 1001 0000");
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'A');
	kit_round_trip(&block_stack_maker, unit_of(s));
	kit_hostile(&block_stack_maker, unit_of(s));
	ck_assert_int_eq(gputm_block_stack_branch(s, 2, 0x4, &at_a), GPUTM_BLOCK_STACK_WAIT);
	expect(s, 0, "D - 1 1111 1111 1111; B D 0 0000 0110 1101; C D 0 0000 1001 0010");
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0xe, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 2, "D - 0 1111 1111 1111; B D 0 1000 0110 1101; C D 2 0111 1001 0010");
	admit(s, 2, (const unsigned[][4]){ { 5, 2, 3, 4 }, { 0, 0, 11, 8 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 1, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 1, "D - 0 1111 1111 1111; B D 2 1000 0110 1101");
	admit(s, 2, (const unsigned[][4]){ { 1, 6, 7, 12 }, { 9, 10, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 1, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 0, "D - 3 1111 1111 1111");
	admit(s, 3, whole);
}

/* Compaction has no starvation eddy: D is executed by the two static warps. */
KIT_MADE(test_fig_3_3_no_eddy_with_block_stack, s, "lanes=4 warps=2 likely_convergence=0")
{
	const struct gputm_block_stack_target at_a = { 'B', 'C', 'D', NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
	const unsigned in_b[][4] = { { 1, 2, 7, 4 }, { 0, 6, 0, 0 } };
	const unsigned in_c[][4] = { { 5, 0, 3, 8 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 0 });
	admit(s, 2, whole);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0xb, &at_a), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_branch(s, 1, 0x6, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'B');
	admit(s, 2, in_b);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 1, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'C');
	admit(s, 1, in_c);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'D');
	admit(s, 2, whole);
	ck_assert_uint_eq(kit_stat(unit_of(s), "warps_admitted"), 7);
}

/* A block of one warp goes through the states of the figure's stack. */
KIT_MADE(test_fig_3_8_block_stack, s, "lanes=4 warps=1 likely_convergence=1")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'F', 'E' };
	const struct gputm_block_stack_target at_c = { 'E', 'D', 'F', 'E' };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 0 });
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0xe, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 3, "F - 0 1111; E F 0 0000; B F E@1 0 1000; C F E@1 1 0111");
	admit(s, 1, (const unsigned[][4]){ { 0, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x2, &at_c), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 3, "F - 0 1111; E F 0 0100; B F E@1 0 1000; D F E@1 1 0011");
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'F'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 2, "F - 0 1111; E F 0 0100; B F E@1 1 1000");
	admit(s, 1, (const unsigned[][4]){ { 1, 0, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'E'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 1, "F - 0 1111; E F 1 1100");
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'F'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 0, "F - 1 1111");
	ck_assert_uint_eq(kit_stat(unit_of(s), "merged"), 2);
}

/* An entry that branches with its own RPC and another LPC becomes that one's and keeps its own. */
KIT_MADE(test_block_stack_another_likely_point, s, "lanes=4 warps=1 likely_convergence=1")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'F', 'E' };
	const struct gputm_block_stack_target at_c = { 'D', 'B', 'F', 'G' };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 0 });
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0xe, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 0, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0xc, &at_c), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 5, "F - 0 1111; E F 0 0000; B F E@1 0 1000; G F E@1 0 0000; "
		     "B F G@3 0 0100; D F G@3 1 0011");
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'G'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 0, 2, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'G'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 3, "F - 0 1111; E F 0 0000; B F E@1 0 1000; G F E@1 1 0111");
	admit(s, 1, (const unsigned[][4]){ { 0, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'E'), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 2, "F - 0 1111; E F 0 0111; B F E@1 1 1000");
}

/* A loop of a thousand turns, which a thread leaves at times, needs four entries. */
KIT_MADE(test_block_stack_loop_does_not_grow, s, "lanes=2 warps=1 depth=4")
{
	const struct gputm_block_stack_target back = { 'B', 'F', 'F', NONE };
	uint16_t thread[2] = { 0, 1 };
	uint64_t mask[2] = { 1, 1 };

	ck_assert_int_eq(gputm_block_stack_launch(s, 'B', mask), 0);
	for (unsigned turn = 0; turn < 1000; turn++) {
		uint64_t lanes = turn > 500 ? 1 : 3;

		ck_assert_int_eq(gputm_block_stack_admit(s, lanes, thread), 0);
		ck_assert_int_eq(gputm_block_stack_branch(s, 0, turn == 500 ? 1 : lanes, &back),
				 GPUTM_BLOCK_STACK_COMPACT);
		ck_assert_uint_eq(gputm_block_stack_depth(s), 2);
		kit_valid(unit_of(s));
	}
	ck_assert_int_eq(gputm_block_stack_admit(s, 1, thread), 0);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0, &back), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_depth(s), 1);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'F');
}

/* Room for the entries of a branch is there to the last one. */
KIT_TEST(test_block_stack_full)
{
	uint64_t mask[3] = { 1, 1, 1 };
	uint16_t thread[3] = { 0, 1, 2 };

	for (uint32_t depth = 4; depth < 7; depth++) {
		struct gputm_block_stack_target target = { 2, 3, 9, NONE };
		int expected = depth < 5 ? GPUTM_BLOCK_STACK_FULL : GPUTM_BLOCK_STACK_COMPACT;
		struct gputm_block_stack *s = make(kit, "lanes=3 warps=1 depth=%u", depth);

		ck_assert_int_eq(gputm_block_stack_launch(s, 1, mask), 0);
		ck_assert_int_eq(gputm_block_stack_admit(s, 7, thread), 0);
		ck_assert_int_eq(gputm_block_stack_branch(s, 0, 3, &target),
				 GPUTM_BLOCK_STACK_COMPACT);
		ck_assert_int_eq(gputm_block_stack_admit(s, 3, thread), 0);
		target.rpc = 8;
		ck_assert_int_eq(gputm_block_stack_branch_probe(s, 0, 1, &target), expected);
		ck_assert_int_eq(gputm_block_stack_branch(s, 0, 1, &target), expected);
		ck_assert_uint_eq(gputm_block_stack_warp(s, 0), depth < 5 ? 3 : 0);
		ck_assert_uint_eq(kit_stat(unit_of(s), "full"), depth < 5);
	}
}

KIT_MADE(test_block_stack_barrier, s, "lanes=4 warps=2 likely_convergence=0")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 0 });
	admit(s, 2, whole);
	ck_assert_int_eq(gputm_block_stack_barrier(s, 1), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_barrier(s, 1), -EINVAL);
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 1, 0, &at_a), "warp 1 waits at a barrier");
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 0, 0, &at_a),
		    "warps 0x2 wait at a barrier");
	ck_assert_int_eq(gputm_block_stack_exit(s, 1, 1), -EINVAL);
	kit_round_trip(&block_stack_maker, unit_of(s));
	ck_assert_int_eq(gputm_block_stack_barrier(s, 0), GPUTM_BLOCK_STACK_RELEASE);
	/* The last one ends instead of coming to the barrier. */
	ck_assert_int_eq(gputm_block_stack_barrier(s, 0), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_exit(s, 1, 0x7), GPUTM_BLOCK_STACK_CONTINUE);
	ck_assert_int_eq(gputm_block_stack_exit(s, 1, 0x8), GPUTM_BLOCK_STACK_RELEASE);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x3, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 0, 0 } });
	KIT_REFUSED(-EINVAL, gputm_block_stack_barrier(s, 0), "divergent", "2 of 4");
}

/*
 * Two warps of four begin together; three threads fail, one of them before its commit, and are one
 * warp in the second attempt, which divides.
 */
KIT_MADE(test_block_stack_transaction, s, "lanes=4 warps=2 likely_convergence=0")
{
	const struct gputm_block_stack_target in_tx = { 'U', 'V', 'W', NONE };
	const struct gputm_block_stack_target never = { 'U', 'V', NONE, NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 0 });
	admit(s, 2, whole);
	ck_assert_uint_eq(gputm_block_stack_tx_retry(s), GPUTM_BLOCK_STACK_NO_ENTRY);
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 1, 'T'), GPUTM_BLOCK_STACK_WAIT);
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_begin(s, 0, 'X'), "left it elsewhere");
	KIT_REFUSED(-EINVAL, gputm_block_stack_arrive(s, 1, 'T'), "no warp 1");
	kit_round_trip(&block_stack_maker, unit_of(s));
	kit_hostile(&block_stack_maker, unit_of(s));
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, 'T'), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_tx_retry(s), 1);
	expect(s, 2, "A - 0 1111 1111; T - 0 0000 0000; T - 2 1111 1111");
	admit(s, 2, whole);
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_begin(s, 0, 'T'), "in a transaction");
	KIT_REFUSED(-EINVAL, gputm_block_stack_exit(s, 0, 1), "in a transaction");
	KIT_REFUSED(-EINVAL, gputm_block_stack_barrier(s, 0), "in a transaction");
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 0, 1, &never),
		    "no rpc within a transaction");
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 0, 'C'), GPUTM_BLOCK_STACK_WAIT);
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_report(s, 0, 1, 0), "1 warps are not");
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_abort(s, 1, 0x10), "0x10", "0xf");
	ck_assert_int_eq(gputm_block_stack_tx_abort(s, 1, 0x4), GPUTM_BLOCK_STACK_CONTINUE);
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 1, 'C'), GPUTM_BLOCK_STACK_COMMIT);
	expect(s, 2, "A - 0 1111 1111; T - 0 0000 0010; T - 0 1111 1101");
	kit_round_trip(&block_stack_maker, unit_of(s));
	kit_hostile(&block_stack_maker, unit_of(s));
	KIT_REFUSED(-ERANGE, gputm_block_stack_tx_report(s, 2, 1, 0), "static warp = 2",
		    "0 .. 1");
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_report(s, 1, 0x4, 0), "0x4", "0xb");
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_report(s, 1, 1, 1), "do not part");
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_report(s, 1, 0, 0), "do not part");
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 1, 0xb, 0), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 0, 0x6, 0x9), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 2, "A - 0 1111 1111; T - 0 0000 0000; T - 1 1001 0010");
	admit(s, 1, (const unsigned[][4]){ { 1, 0, 7, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x1, &in_tx), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 1, 0, 0, 0 } });
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_commit(s, 0, 'C'), "no attempt");
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'W'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 7, 4 } });
	ck_assert_int_eq(gputm_block_stack_tx_abort(s, 0, 0x8), GPUTM_BLOCK_STACK_CONTINUE);
	expect(s, 3, "A - 0 1111 1111; T - 0 0001 0000; W - 0 1000 0010; V W 1 0000 0010");
	kit_hostile(&block_stack_maker, unit_of(s));
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'W'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 1, 0, 7, 0 } });
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 0, 'C'), GPUTM_BLOCK_STACK_COMMIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 1, 0x4, 0), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 0, 0x1, 0), GPUTM_BLOCK_STACK_COMPACT);
	/* The attempt of one thread ends before its commit, and the next one does not. */
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 0, 4 } });
	ck_assert_int_eq(gputm_block_stack_tx_abort(s, 0, 0x8), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 0, 4 } });
	KIT_REFUSED(-ERANGE, gputm_block_stack_tx_commit(s, 0, NONE), "PC after");
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 0, 'C'), GPUTM_BLOCK_STACK_COMMIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 0, 0x8, 0), GPUTM_BLOCK_STACK_COMPACT);
	expect(s, 0, "C - 2 1111 1111");
	KIT_REFUSED(-EINVAL, gputm_block_stack_tx_abort(s, 0, 1), "no transaction");
	kit_counts(unit_of(s), "transactions=1 restarts=3 threads_begun=8 threads_committed=8 "
		   "threads_aborted=5 warps_begun=2 warps_committed=4 warps_aborted=1");
}

/* In a snapshot neither entry of a transaction has an RPC; those of a branch in it do. */
KIT_MADE(test_block_stack_transaction_in_a_snapshot, s, "lanes=4 warps=1")
{
	const struct gputm_block_stack_target in_tx = { 'U', 'V', 'W', NONE };
	const uint64_t start = 0x123456;
	const long entry = 3 * 8 + 4 + 4 * 4;

	launch(s, start, (const unsigned[]){ 1, 2, 3, 4, 0 });
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, 'T'), GPUTM_BLOCK_STACK_COMPACT);
	for (long at = 1; at <= 2; at++)
		KIT_REFUSED(-EINVAL, kit_forged(unit_of(s), start, at * entry + 8, 8, 7), "RPC");
	ck_assert_int_eq(kit_forged(unit_of(s), start, entry + 8, 8, NONE), 0);
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x1, &in_tx), GPUTM_BLOCK_STACK_COMPACT);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(s), start, 3 * entry + 8, 8, NONE),
		    "without RPC lies in a transaction");
}

/* Nor does a warp of an attempt wait at a barrier, though all threads of the block are in it. */
KIT_MADE(test_block_stack_no_barrier_in_a_transaction, s, "lanes=4 warps=2")
{
	const uint64_t start = 0x123456;

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 0 });
	admit(s, 2, (const unsigned[][4]){ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } });
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, start), GPUTM_BLOCK_STACK_WAIT);
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 1, start), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 2, (const unsigned[][4]){ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } });
	ck_assert_int_eq(kit_forged(unit_of(s), start, -4, 4, 0), 0);
	KIT_REFUSED(-EINVAL, kit_forged(unit_of(s), start, -4, 4, 1), "barrier");
}

/* R and T need two entries. */
KIT_MADE(test_block_stack_transaction_without_room, s, "lanes=4 warps=1 depth=4")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', NONE };
	const unsigned whole[][4] = { { 1, 2, 3, 4 } }, some[][4] = { { 1, 2, 0, 0 } };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 0 });
	admit(s, 1, whole);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x3, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, some);
	KIT_REFUSED(-ERANGE, gputm_block_stack_tx_begin(s, 0, NONE), "restart PC");
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, 'T'), GPUTM_BLOCK_STACK_FULL);
	ck_assert_uint_eq(kit_stat(unit_of(s), "full"), 1);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 0, 0, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'D'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, whole);
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, 'T'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, whole);
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 0, 'E'), GPUTM_BLOCK_STACK_COMMIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 0, 0xf, 0), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'E');
	ck_assert_uint_eq(gputm_block_stack_depth(s), 1);
}

/* The end of a transaction is where the two sides of a branch meet. */
KIT_MADE(test_block_stack_transaction_up_to_the_rpc, s, "lanes=4 warps=1")
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', NONE };

	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 0 });
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 3, 4 } });
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 0x3, &at_a), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_tx_begin(s, 0, 'T'), GPUTM_BLOCK_STACK_COMPACT);
	admit(s, 1, (const unsigned[][4]){ { 1, 2, 0, 0 } });
	ck_assert_int_eq(gputm_block_stack_tx_commit(s, 0, 'D'), GPUTM_BLOCK_STACK_COMMIT);
	ck_assert_int_eq(gputm_block_stack_tx_report(s, 0, 0x3, 0), GPUTM_BLOCK_STACK_COMPACT);
	ck_assert_uint_eq(gputm_block_stack_pc(s), 'B');
	ck_assert_uint_eq(gputm_block_stack_depth(s), 2);
	ck_assert_uint_eq(kit_stat(unit_of(s), "reconverged"), 1);
}

/* An odd entry of the call, and the unit is as it was. */
KIT_MADE(test_block_stack_misuse_changes_nothing, s, "lanes=4 warps=2 likely_convergence=0")
{
	const struct gputm_block_stack_target good = { 'C', 'B', 'D', NONE };
	struct gputm_block_stack_target bad = good;
	const uint64_t outside[4] = { 1, 4, 0, 0 }, empty[4] = { 0 };
	uint16_t thread[4] = { 4, 1, 2, 3 };
	struct gputm_unit *unit;

	unit = unit_of(s);
	KIT_REFUSED(-ERANGE, gputm_block_stack_launch(s, 'A', outside),
		    "static warp", "= 2", "0 .. 1");
	ck_assert_int_eq(gputm_block_stack_launch(s, 'A', empty), -EINVAL);
	ck_assert_int_eq(gputm_block_stack_admit(s, 1, thread), -EINVAL);
	ck_assert_int_eq(gputm_block_stack_arrive(s, 0, 'A'), -EINVAL);
	ck_assert_uint_eq(gputm_block_stack_pc(s), NONE);
	launch(s, 'A', (const unsigned[]){ 1, 2, 3, 4, 5, 6, 0 });
	kit_guard(kit, unit);
	KIT_REFUSED(-EINVAL, gputm_block_stack_launch(s, 'A', outside), "");
	KIT_REFUSED(-ERANGE, gputm_block_stack_admit(s, 0x10, thread), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 0, thread), "");
	thread[1] = 2;
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 0xf, thread), "thread 2", "lane 1");
	thread[1] = 8;
	KIT_REFUSED(-ERANGE, gputm_block_stack_admit(s, 0xf, thread), "thread = 8", "0 .. 7");
	thread[1] = 1;
	thread[2] = 6;
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 0xf, thread),
		    "thread 6 is not to be admitted");
	thread[2] = 2;
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 0xe, thread), "do not make 1 warps");
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_block_stack_admit(s, 0xf, thread), 0);
	thread[0] = 0;
	thread[1] = 5;
	ck_assert_int_eq(gputm_block_stack_admit(s, 0x3, thread), 1);
	kit_guard(kit, unit);
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 0x3, thread), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 2, 0, &good), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 1, 4, &good), "0x4", "0x3");
	bad.rpc = UINT64_C(1) << 32;
	KIT_REFUSED(-ERANGE, gputm_block_stack_branch(s, 1, 1, &bad), "rpc = 4294967296");
	KIT_REFUSED(-ERANGE, gputm_block_stack_branch_probe(s, 1, 1, &bad), "");
	bad = good;
	bad.taken_pc = NONE;
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 1, 1, &bad), "");
	KIT_REFUSED(-ERANGE, gputm_block_stack_arrive(s, 1, NONE), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_exit(s, 1, 0), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_exit(s, 1, 4), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_barrier(s, 9), "");
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_block_stack_branch(s, 0, 1, &good), GPUTM_BLOCK_STACK_WAIT);
	kit_guard(kit, unit);
	bad = good;
	bad.other_pc = 'X';
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 1, 1, &bad), "elsewhere");
	bad = good;
	bad.lpc = 'X';
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 1, 1, &bad), "elsewhere");
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 0, 1, &good), "");
	KIT_REFUSED(-EINVAL, gputm_block_stack_barrier(s, 1), "");
	kit_unchanged(kit);
	ck_assert_int_eq(gputm_block_stack_branch(s, 1, 1, &good), GPUTM_BLOCK_STACK_COMPACT);
	bad.rpc = NONE;
	KIT_REFUSED(-EINVAL, gputm_block_stack_admit(s, 3, thread), "");
	ck_assert_int_eq(gputm_block_stack_admit(s, 1, thread), 0);
	KIT_REFUSED(-EINVAL, gputm_block_stack_branch(s, 0, 1, &bad), "rpc");
}
