/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of gputm-sim's workloads: a set of keys as a list and as a tree, a graph cut in two. */
#include "examples/sim/kernel/edge_file.h"
#include "tests/sim_serial.h"

/* ---- a set of keys as a list and as a tree ---- */

/* Where the arrays of these workloads lie, see their kernels. */
struct set_places {
	uint64_t a, b, c;
	uint32_t node_bytes;
};

static struct set_places set_places(uint32_t node_bytes, uint32_t elements, uint32_t operations)
{
	struct set_places p = { .a = 0x80000000, .node_bytes = node_bytes };

	p.b = round_up(p.a + (uint64_t)node_bytes * (1 + elements + operations));
	p.c = round_up(p.b + 4 * (uint64_t)operations);
	return p;
}

static uint64_t field(const struct set_places *p, uint32_t node, uint32_t word)
{
	return p->a + (uint64_t)p->node_bytes * node + 4 * word;
}

static uint32_t field_is(const struct run *run, const struct set_places *p, uint32_t node,
			 uint32_t word)
{
	return at(run, field(p, node, word));
}

static const char mixed[] = "elements=60 keys=120 operations=3 lookups=20 removals=40";

/* Lists and trees (i & 1), by transactions and by locks (i & 2). */
static struct run mixed_run(int i)
{
	return ran(i & 1 ? "tree" : "list", mixed, 200, i & 2 ? SIM_LOCKS : SIM_TRANSACTIONS);
}

/* Each kind of operation with each answer comes up, and the answers add up. */
KIT_TESTS(test_set_operations_leave_their_net_effect, 4)
{
	struct run run = mixed_run(_i);
	const struct set_places p = set_places(_i & 1 ? 20 : 12, 60, 600);
	uint32_t count[3][3] = { { 0 } };

	KIT_HAS(*run.workload, block_size, 32, transactions, 600);
	ck_assert_uint_eq(run.transactions, 600);
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t kind = at(&run, p.b + 4 * i) & 3;
		uint32_t answer = at(&run, p.c + 4 * i);

		REQUIRE(kind < 3 && (answer == 1 || answer == 2));
		count[kind][answer]++;
	}
	for (int kind = 0; kind < 3; kind++)
		ck_assert_msg(count[kind][1] > 9 && count[kind][2] > 9, "kind %d: %u no, %u yes",
			      kind, count[kind][1], count[kind][2]);
	finish(&run);
}

/* What a model with one flag for each key answers, the operations one after the other. */
KIT_TESTS(test_set_answers_are_right, 4)
{
	struct run run = mixed_run(_i);
	const struct set_places p = set_places(_i & 1 ? 20 : 12, 60, 600);
	bool in[121] = { false };

	for (uint32_t e = 1; e <= 60; e++)
		in[field_is(&run, &p, e, 0)] = true;
	/* The interpreter runs all operations of thread 0, then those of thread 1, ... */
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t o = i / 3 + 200 * (i % 3);
		uint32_t word = at(&run, p.b + 4 * o), key = word >> 2;
		bool yes = at(&run, p.c + 4 * o) == 2;

		REQUIRE(yes == ((word & 3) == 1 ? !in[key] : in[key]));
		if (word & 3)
			in[key] = (word & 3) == 1;
	}
	finish(&run);
}

/* The write-sets that the paper gives: 4 words in the list, 6 and at most 8 in the tree. */
KIT_TEST(test_set_write_sets_have_the_papers_sizes)
{
	static const char insert[] = "elements=0 keys=100000 lookups=0 removals=0 distinct=1";
	struct run run = ran("list", insert, 100, SIM_TRANSACTIONS);
	uint64_t before = 0;
	uint32_t most = 0;

	ck_assert_uint_eq(run.writes, 4 * 100);
	finish(&run);
	run = ran("tree", insert, 100, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.writes, 6 * 100);
	finish(&run);
	run = run_of("tree", "elements=1000 lookups=0 removals=100 distinct=1", 1000);
	run.memory = sim_memory_new();
	run.workload->class->setup(run.workload, run.memory);
	for (uint32_t i = 0; i < 1000; i++, before = run.writes) {
		run_thread(&run, run.workload->program[SIM_TRANSACTIONS], i);
		most = run.writes - before > most ? (uint32_t)(run.writes - before) : most;
	}
	ck_assert_uint_eq(most, 8);
	ck_assert_uint_eq(at(&run, 0x80000000 + 12), 0); /* the root */
	holds(&run);
	finish(&run);
}

KIT_TEST(test_list_invariant_is_strict)
{
	struct run run = ran("list", "elements=20 keys=64 operations=2", 40, SIM_TRANSACTIONS);
	const struct set_places p = set_places(12, 20, 80);
	uint32_t first, second, third, absent = 0, changed = 0;

	first = field_is(&run, &p, 0, 2);
	second = field_is(&run, &p, first, 2);
	third = field_is(&run, &p, second, 2);
	ck_assert_uint_ne(third, 0);
	while (at(&run, p.b + 4 * absent) % 4 != 0)
		absent++;
	while (at(&run, p.b + 4 * changed) % 4 == 0)
		changed++;
	broken(&run, field(&p, second, 2), 101, "node 101 does not exist");
	broken(&run, field(&p, third, 2), second, "is reached twice");
	broken(&run, field(&p, first, 2), 21 + absent, "was never inserted");
	broken(&run, field(&p, first, 0), 65, "has another one's key");
	broken(&run, field(&p, first, 1), 0, "has another one's value");
	broken(&run, field(&p, 0, 2), third, "is in fewer times");
	broken(&run, field(&p, 0, 0), 7, "node 0");
	broken(&run, p.c + 4 * changed,
	       3 - at(&run, p.c + 4 * changed), " ");
	broken(&run, p.c + 4 * 9, 0, "operation 9 has no answer");
	/* Second before first. */
	sim_memory_write(run.memory, field(&p, 0, 2), second);
	sim_memory_write(run.memory, field(&p, second, 2), first);
	broken(&run, field(&p, first, 2), third, "stands behind a key that is not smaller");
	finish(&run);
}

KIT_TEST(test_tree_invariant_is_strict)
{
	struct run run = ran("tree", "elements=50 keys=100", 40, SIM_TRANSACTIONS);
	const struct set_places p = set_places(20, 50, 40);
	uint32_t root, left, right, absent = 0;

	root = field_is(&run, &p, 0, 3);
	left = field_is(&run, &p, root, 2);
	right = field_is(&run, &p, root, 3);
	ck_assert(root && left && right);
	while (at(&run, p.b + 4 * absent) % 4 != 0)
		absent++;
	broken(&run, field(&p, root, 2), 91, "node 91 does not exist");
	broken(&run, field(&p, left, 2), root, "is reached twice");
	broken(&run, field(&p, root, 2), 51 + absent, "was never inserted");
	broken(&run, field(&p, root, 0), 101, "has another one's key");
	broken(&run, field(&p, root, 1), 0, "has another one's value");
	broken(&run, field(&p, left, 4), right, "has another one's parent");
	broken(&run, field(&p, root, 2), 0, "is in fewer times");
	/* Both children change places, with all below them. */
	sim_memory_write(run.memory, field(&p, root, 2), right);
	broken(&run, field(&p, root, 3), left, "is on the wrong side of a node above it");
	finish(&run);
}

/* ---- contraction of a graph ---- */

/* Where the arrays of graph-cut lie, see its kernel. */
struct cut_places {
	uint64_t a, b, c;
};

static struct cut_places cut_places(uint32_t vertices, uint32_t edges)
{
	struct cut_places p = { .a = 0x80000000 };

	p.b = round_up(p.a + 12 * (uint64_t)vertices);
	p.c = round_up(p.b + 8 * (uint64_t)edges);
	return p;
}

/* One contraction after the other, with the number of its part at each vertex. */
static void contract_slowly(const struct run *run, const struct cut_places *p, uint32_t vertices,
			    uint32_t edges)
{
	uint32_t part[90], threads = (uint32_t)run->workload->threads, parts = vertices;

	for (uint32_t v = 0; v < vertices; v++)
		part[v] = v;
	for (uint32_t k = 0; k < threads; k++)
		for (uint32_t i = k; i < edges; i += threads) {
			uint32_t u = part[at(run, p->b + 8 * i)];
			uint32_t v = part[at(run, p->b + 8 * i + 4)];
			uint32_t answer = u == v ? 1 : parts == 2 ? 3 : 2;

			REQUIRE(at(run, p->c + 4 * i) == answer);
			for (uint32_t w = 0; answer == 2 && w < vertices; w++)
				part[w] = part[w] == u ? v : part[w];
			parts -= answer == 2;
		}
	ck_assert_uint_eq(parts, 2);
}

KIT_TESTS(test_graph_is_cut_in_two, 8)
{
	static const struct {
		const char *settings;
		uint32_t threads, vertices, edges;
	} table[] = {
		{ NULL, 32, 60, 180 },
		{ "vertices=90 edges=270", 7, 90, 270 },
		{ "vertices=40 edges=39", 50, 40, 39 },
		{ "vertices=3 edges=2", 1, 3, 2 },
	};
	const uint32_t n = table[_i / 2].vertices, m = table[_i / 2].edges;
	struct run run = ran("graph-cut", table[_i / 2].settings, table[_i / 2].threads,
			     _i & 1 ? SIM_LOCKS : SIM_TRANSACTIONS);
	const struct cut_places p = cut_places(n, m);

	ck_assert_uint_eq(run.workload->transactions, m);
	KIT_HAS(run, writes, 3 * (n - 2), transactions, m);
	contract_slowly(&run, &p, n, m);
	finish(&run);
}

/* An edge with this answer. */
static uint32_t edge_with(const struct run *run, const struct cut_places *p, uint32_t answer)
{
	uint32_t i = 0;

	while (at(run, p->c + 4 * (uint64_t)i) != answer)
		i++;
	ck_assert_uint_lt(i, 180);
	return i;
}

KIT_TEST(test_graph_cut_knows_wrong_answers)
{
	const struct cut_places p = cut_places(60, 180);
	struct run run = ran("graph-cut", NULL, 0, SIM_TRANSACTIONS);
	uint64_t loop, contracted, of_cut;

	loop = p.c + 4 * edge_with(&run, &p, 1);
	contracted = p.c + 4 * edge_with(&run, &p, 2);
	of_cut = p.c + 4 * edge_with(&run, &p, 3);
	broken(&run, loop, 0, "has no answer");
	broken(&run, loop, 4, "has no answer");
	broken(&run, loop, 2, "was contracted within one part");
	broken(&run, loop, 3, "is told to be of the cut");
	broken(&run, contracted, 1, "the graph has 3 parts and not 2");
	broken(&run, of_cut, 1, "is of the cut and was not told");
	broken(&run, of_cut, 2, "the graph has 1 parts and not 2");
	holds(&run);
	finish(&run);
}

KIT_TEST(test_graph_cut_knows_wrong_lists)
{
	const struct cut_places p = cut_places(60, 180);
	struct run run = ran("graph-cut", NULL, 0, SIM_TRANSACTIONS);
	uint32_t tail[2] = { 0, 0 }, tails = 0, head, longer;

	for (uint32_t v = 0; v < 60; v++)
		if (!at(&run, p.a + 12 * v) && tails++ < 2)
			tail[tails - 1] = v;
	ck_assert_uint_eq(tails, 2);
	longer = at(&run, p.a + 12 * tail[0] + 8) > 1 ? 0 : 1;
	head = at(&run, p.a + 12 * tail[longer] + 4);
	ck_assert_uint_ne(head, tail[longer]);
	broken(&run, p.a + 12 * tail[0] + 4, 60, "vertex 60 does not exist");
	broken(&run, p.a + 12 * tail[0], 1 + tail[1], "is in no list");
	broken(&run, p.a + 12 * tail[0] + 4, at(&run, p.a + 12 * tail[1] + 4),
	       "is in a list of the other part");
	broken(&run, p.a + 12 * tail[longer] + 8, 61, "has another list's size");
	broken(&run, p.a + 12 * head, 0, head < tail[longer] ? "" : "is not the tail of its list");
	broken(&run, p.a + 12 * head, 1 + head, "is reached twice");
	broken(&run, p.a + 12 * tail[longer] + 4,
	       at(&run, p.a + 12 * head) - 1, "has another list's size");
	holds(&run);
	finish(&run);
}
