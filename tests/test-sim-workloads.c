/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of gputm-sim's workloads: run serially, each leaves what it promises, and its invariant
 * finds what is wrong. The facts of the reference workloads are checked as numbers.
 */
#include "tests/sim_serial.h"

/* ---- facts of the reference workloads ---- */

static const struct {
	const char *name;
	uint32_t threads, block, transactions, reads, writes; /* of one transaction */
	uint32_t plain_loads;				      /* of one transaction */
} shape[] = {
	{ "ht-800", 8192, 128, 8192, 1, 4, 1 },	    { "ht-8000", 8192, 128, 8192, 1, 4, 1 },
	{ "ht-80000", 8192, 128, 8192, 1, 4, 1 },   { "htk-8000", 23040, 192, 23040, 2, 4, 0 },
	{ "htk-80000", 23040, 192, 23040, 2, 4, 0 }, { "atm-1m", 8192, 128, 16384, 3, 2, 2 },
	{ "atm-1024", 8192, 128, 16384, 3, 2, 2 },
};

KIT_TESTS(test_reference_workloads_have_their_shape, kit_scale(7, 1))
{
	struct run run = ran(shape[_i].name, NULL, 0, SIM_TRANSACTIONS);
	uint64_t transactions = shape[_i].transactions;

	ck_assert_str_eq(run.workload->name, shape[_i].name);
	ck_assert_uint_eq(run.workload->threads, shape[_i].threads);
	ck_assert_uint_eq(run.workload->block_size, shape[_i].block);
	ck_assert_uint_eq(run.transactions, shape[_i].transactions);
	ck_assert_uint_eq(run.workload->transactions, shape[_i].transactions);
	KIT_HAS(run, reads, shape[_i].reads * transactions, writes, shape[_i].writes * transactions,
		plain_loads, shape[_i].plain_loads * transactions);
	finish(&run);
}

KIT_TESTS(test_lock_programs_do_the_same, kit_scale(7, 1))
{
	struct run locks = ran(shape[_i].name, NULL, 0, SIM_LOCKS);

	ck_assert_uint_eq(locks.transactions, shape[_i].transactions);
	ck_assert_uint_eq(locks.writes, (uint64_t)shape[_i].writes * shape[_i].transactions);
	finish(&locks);
}

KIT_TESTS(test_ht_keys_and_chains, kit_scale(3, 1))
{
	static const struct {
		const char *name;
		uint32_t buckets, used, longest;
	} table[] = { { "ht-800", 800, 800, 25 }, { "ht-8000", 8000, 5102, 7 },
		      { "ht-80000", 80000, 7790, 3 } };
	static const uint32_t first[] = { 46097775, 1593902616, 1104565991, 1070526368, 136405839 };
	uint64_t a = 0x80000000, b = round_up(a + 8 * (uint64_t)table[_i].buckets);
	uint64_t c = round_up(b + 12 * 8193), sum = 0;
	uint32_t used = 0, longest = 0;
	struct run run = ran(table[_i].name, NULL, 0, SIM_TRANSACTIONS);

	for (uint32_t i = 1; i <= 8192; i++)
		sum += at(&run, c + 4 * i);
	ck_assert_uint_eq(sum, UINT64_C(8844900381095));
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(at(&run, c + 4 * (i + 1)), first[i]);
	for (uint32_t h = 0; h < table[_i].buckets; h++) {
		uint32_t e = at(&run, a + 8 * (uint64_t)h), length = 0;

		for (; e; e = at(&run, b + 12 * (uint64_t)e + 8))
			length++;
		used += length != 0;
		longest = length > longest ? length : longest;
		REQUIRE(at(&run, a + 8 * (uint64_t)h + 4) == 0);
	}
	ck_assert_uint_eq(used, table[_i].used);
	ck_assert_uint_eq(longest, table[_i].longest);
	finish(&run);
}

/* The five accesses of thread 0, in the order given. */
KIT_TEST(test_ht_access_order)
{
	uint64_t access[8], a = 0x80000000, b = round_up(a + 8 * 8000);
	uint32_t value[8], key = 46097775;
	struct run run = recorded("ht-8000", access, value, 5);
	const uint64_t expected[] = { (b + 12) | 1, (b + 16) | 1, a + 8 * (uint64_t)(key % 8000),
				      (b + 20) | 1, (a + 8 * (uint64_t)(key % 8000)) | 1 };
	const uint32_t values[] = { key, 1, 0, 0, 1 };

	for (int i = 0; i < 5; i++) {
		ck_assert_uint_eq(access[i], expected[i]);
		ck_assert_uint_eq(value[i], values[i]);
	}
	finish(&run);
}

KIT_TESTS(test_atm_first_records, kit_scale(2, 1))
{
	static const struct {
		const char *name;
		uint64_t accounts;
		uint32_t record[6];
	} table[] = { { "atm-1024", 1024, { 44, 311, 779, 43, 850, 264 } },
		      { "atm-1m", 1000000, { 44, 419319, 491723, 43, 402002, 815560 } } };
	uint64_t b = round_up(0x80000000 + 8 * table[_i].accounts), total = 0;
	struct run run = ran(table[_i].name, NULL, 0, SIM_TRANSACTIONS);

	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(at(&run, b + 4 * i), table[_i].record[i]);
	for (uint64_t i = 0; i < table[_i].accounts; i++)
		total += (uint64_t)(int32_t)at(&run, 0x80000004 + 8 * i);
	ck_assert_uint_eq(total, 1000 * table[_i].accounts);
	broken(&run, 0x80000004 + 8 * 311, 0xffffffff, "account 311 holds 4294967295");
	finish(&run);
}

/* ---- workloads with transactions that only read ---- */

KIT_TEST(test_audit_is_the_reference)
{
	static const uint32_t first[] = { 3, 4719, 4718, 0, 0, 12454, 12455, 0 };
	uint64_t a = 0x80000000, b = round_up(a + 8 * 16384), access[5];
	uint32_t value[5], audits = 0;
	struct run run = recorded("audit", access, value, 5);
	const uint64_t expected[] = { a + 8 * 4719 + 4, a + 8 * 4718 + 4, (a + 8 * 4719 + 4) | 1,
				      (a + 8 * 4718 + 4) | 1 };

	KIT_HAS(*run.workload, threads, 8192, block_size, 128);
	ck_assert_ptr_null(run.workload->program[SIM_LOCKS]);
	ck_assert_ptr_nonnull(run.workload->missing[SIM_LOCKS]);
	for (uint32_t i = 0; i < 8; i++)
		if (i % 4 != 3)
			ck_assert_uint_eq(at(&run, b + 4 * i), first[i]);
	for (uint64_t i = 0; i < 16384; i++)
		audits += !at(&run, b + 16 * i);
	ck_assert_uint_eq(audits, 8200);
	ck_assert_uint_eq(run.transactions, 16384);
	ck_assert_uint_eq(run.workload->transactions, 16384);
	KIT_HAS(run, reads, 2 * 16384, writes, 2 * 8184, plain_loads, 3 * 16384);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(access[i], expected[i]);
	ck_assert_uint_eq(value[0] - value[2], 3);
	broken(&run, b + 16 * 77 + 12, 1999, "record 77 saw a pair with 1999");
	broken(&run, a + 8 * 311 + 4, 0xffffffff, "account 311 holds 4294967295");
	finish(&run);
}

KIT_TESTS(test_skew_leaves_one_of_each_pair, 2)
{
	const uint32_t rounds = _i ? 16 : 1;
	uint64_t a = 0x80000000, access[3];
	uint32_t value[3];
	struct run run = recorded(_i ? "skewr" : "skew", access, value, 3);

	KIT_HAS(*run.workload, threads, 1024, block_size, 32);
	ck_assert_uint_eq(run.transactions, 1024 * rounds);
	ck_assert_uint_eq(run.workload->transactions, 1024 * rounds);
	KIT_HAS(run, reads, 2048 * rounds, writes, 512 * rounds);
	ck_assert_uint_eq(access[0], a);
	ck_assert_uint_eq(access[1], a + 32);
	ck_assert_uint_eq(access[2], a | 1);
	broken(&run, a + 64 * 7, 1, "pair 7 ends as 1 1");
	broken(&run, a + 64 * 7 + 32, 0, "pair 7 ends as 0 0");
	finish(&run);
}

/* Child of cell 0 that holds a cell, and the bodies' array. */
KIT_TEST(test_octree_invariant_is_strict)
{
	struct run run = ran("octree", "bodies=2 block_size=64 clustered=1", 32, SIM_TRANSACTIONS);
	uint64_t a = 0x80000000, b = round_up(a + 32 * (1 + 23 * 64)), c = round_up(b + 12 * 64);
	uint64_t child = a, other = a, inner;
	uint32_t cell;

	ck_assert_uint_eq(run.workload->block_size, 64);
	while (!at(&run, child) || at(&run, child) & 1)
		child += 4;
	ck_assert_uint_lt(child, a + 32);
	cell = at(&run, child);
	for (inner = a + 16 * (uint64_t)cell; !at(&run, inner); inner += 4)
		continue;
	while (other == child)
		other += 4;
	broken(&run, child, 0, "is in no cell");
	broken(&run, child, 2 * 64 + 1, "body 64 does not exist");
	broken(&run, child, 2 * (1 + 23 * 64), "cell 1473 does not exist");
	broken(&run, inner, cell, "is reached twice");
	broken(&run, other, cell, other < child ? "belongs into another cell" : "twice");
	broken(&run, c + 4 * 5, UINT32_MAX, "body 5 was not found by its thread");
	holds(&run);
	finish(&run);
}

/* The tree depends on the bodies and not on who built it: both programs make it. */
KIT_TESTS(test_octree_is_built_and_walked, 4)
{
	const char *bodies = _i & 1 ? "bodies=2 clustered=0" : "bodies=2 clustered=1";
	struct run run = ran("octree", bodies, 1000, _i & 2 ? SIM_LOCKS : SIM_TRANSACTIONS);
	uint64_t a = 0x80000000, c = round_up(round_up(a + 32 * (1 + 23 * 2000)) + 12 * 2000);
	uint32_t deepest = 0;

	for (uint64_t i = 0; i < 2000; i++) {
		uint32_t depth = at(&run, c + 4 * i);

		REQUIRE(depth < 24);
		deepest = depth > deepest ? depth : deepest;
	}
	ck_assert_uint_gt(deepest, 3);
	ck_assert_uint_gt(run.transactions, (_i & 2 ? 1u : 4u) * 2000);
	ck_assert_uint_lt(run.writes, 3 * run.transactions);
	finish(&run);
}

/* ---- invariants find what is wrong ---- */

KIT_TEST(test_hash_table_invariant_is_strict)
{
	struct run run = ran("hash-table", "buckets=4", 16, SIM_TRANSACTIONS);
	uint64_t a = 0x80000000, b = round_up(a + 32);
	uint32_t head, next;

	head = at(&run, a);
	ck_assert_uint_ne(head, 0);
	next = at(&run, b + 12 * (uint64_t)head + 8);
	ck_assert_uint_ne(next, 0);
	broken(&run, a, 17, "does not exist");
	broken(&run, a, 0, "is in no chain");
	broken(&run, b + 12 * (uint64_t)next + 8, head, "is reached twice");
	broken(&run, b + 12 * (uint64_t)head, 77, "has another one's key");
	broken(&run, b + 12 * (uint64_t)head + 4, 77, "has another one's value");
	broken(&run, a, at(&run, a + 8), "belongs into another bucket");
	holds(&run);
	finish(&run);
}

/* Thread after thread, each puts its number where the bucket is empty. */
KIT_TEST(test_local_hash_invariant_is_strict)
{
	struct run run = ran("local-hash-4", NULL, 0, SIM_LOCAL);

	/* Thread t looks at t / 4 + 1 places. */
	KIT_HAS(run, transactions, 4 * 64 * 65 / 2, writes, 256);
	ck_assert_uint_eq(at(&run, 4 * 7), 8);
	broken(&run, 4 * 7, 0, "place 1 of bucket 3 holds 0");
	broken(&run, 4 * 7, 7, "holds 7");
	broken(&run, 4 * 7, 12, "holds 12");
	finish(&run);
}

KIT_WITH(test_k_means_invariant_is_strict, struct run run, ran("k-means-64", NULL, 0, SIM_LOCAL))
{
	uint64_t second = 4 * (1 + 32 * 4), count = second + 4 * 32 * 3;
	uint32_t points = 0;

	KIT_HAS(run, transactions, 256, reads, 4 * 256, plain_loads, 3 * 256);
	for (uint32_t i = 0; i < 32; i++)
		points += at(&run, 4 * (i + 32 * 3)) +
			  at(&run, 4 * (i + 32 * 7));
	ck_assert_uint_eq(points, 256);
	/* Center 33 lies at positions 4 .. 7 of bank 1. */
	broken(&run, second, at(&run, second) + 1, "center 33 has gathered");
	broken(&run, count, at(&run, count) + 1, "center 33 has gathered");
	finish(&run);
}

KIT_TEST(test_genetic_invariant_is_strict)
{
	struct run run = ran("genetic-2", "rounds=3", 0, SIM_LOCAL);

	KIT_HAS(run, transactions, 3 * 256, reads, 2 * 3 * 256, writes, 2 * 3 * 256);
	broken(&run, 0, 256, "256 is no solution");
	/* Nothing in the bag is as far from half of all as can be. */
	sim_memory_write(run.memory, 0, 0);
	broken(&run, 4, 0, "the best solution is");
	finish(&run);
}

KIT_TEST(test_bank_takes_its_options)
{
	struct run run = ran("bank", "accounts=2 transfers=3 block_size=64", 10, SIM_TRANSACTIONS);

	ck_assert_uint_eq(run.workload->block_size, 64);
	ck_assert_uint_eq(run.transactions, 30);
	finish(&run);
}

/* Settings that do not go together, and files that cannot be had. */
KIT_TESTS(test_workloads_refuse_what_they_cannot_make, 4)
{
	static const struct {
		const char *name, *settings, *edges, *message;
	} bad[] = {
		{ "list", "elements=65 keys=64", NULL,
		  "elements 65 is not in 0 .. 64 the number of keys" },
		{ "tree", "lookups=70 removals=31", NULL,
		  "removals 31 is not in 0 .. 30 what lookups leave" },
		{ "graph-cut", "vertices=60 edges=58", NULL,
		  "edges 58 is not in 59 .. 1048576, as a connected graph needs vertices - 1" },
		{ "graph-cut", NULL, "no/such/file",
		  "no/such/file: cannot be opened: No such file or directory" },
	};
	const struct sim_workload_class *class = class_named(bad[_i].name);
	uint64_t config[16];
	struct sim_workload_request request = { .class = class, .config = config,
						.edges = bad[_i].edges };
	struct sim_workload *workload = NULL;
	char error[256] = "";

	configure(class, config, sizeof(config), bad[_i].settings);
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_msg(strstr(error, bad[_i].message), "%s", error);
	ck_assert_ptr_null(workload);
}
