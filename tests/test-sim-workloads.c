/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of gputm-sim's workloads: a serial interpreter runs each program one thread
 * after the other, and its result must be what the workload promises. The facts of the
 * reference workloads are checked as numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "examples/sim/machine/memory.h"
#include "examples/sim/workload.h"
#include "examples/sim/workloads/edge_file.h"
#include "examples/sim/workloads/key_file.h"
#include "examples/sim/workloads/trace_file.h"
#include "tests/kit.h"

/* ---- serial interpreter ---- */

/* For what is asked at every step: check's own macros talk to the parent process. */
#define REQUIRE(condition)                                                                     \
	do {                                                                                   \
		if (!(condition))                                                              \
			ck_abort_msg("%s", #condition);                                        \
	} while (0)

struct run {
	const struct sim_workload *workload;
	struct sim_memory *memory;
	uint64_t transactions, reads, writes; /* the latter two inside */
	uint64_t plain_loads;
	/* Addresses with bit 0 for writes and values, in order, when asked for. */
	uint64_t *access;
	uint32_t *value;
	size_t recorded, capacity;
};

static void record(struct run *run, uint64_t address, uint32_t value)
{
	if (run->recorded == run->capacity)
		return;
	run->access[run->recorded] = address;
	run->value[run->recorded++] = value;
}

/* What transactions access lies in the regions that the workload names, below the locks. */
static bool in_region(const struct sim_workload *workload, uint64_t address)
{
	for (uint32_t i = 0; i < workload->regions; i++)
		if (address - workload->region[i].start < workload->region[i].length)
			return address < workload->lock_base;
	return false;
}

static void touch(struct run *run, struct sim_lane *lane, enum sim_op op, bool inside,
		  const struct sim_step *step)
{
	uint32_t *word;

	if (step->skip)
		return;
	REQUIRE(step->address % 4 == 0);
	REQUIRE(step->address < UINT64_C(1) << SIM_ADDRESS_BITS);
	REQUIRE(!inside || in_region(run->workload, step->address));
	word = sim_memory_make(run->memory, step->address);
	if (op == SIM_STORE) {
		run->writes += inside;
		if (inside)
			record(run, step->address | 1, step->value);
		*word = step->value;
		return;
	}
	lane->loaded = *word;
	if (op == SIM_CAS && *word == step->compare)
		*word = step->value;
	if (op == SIM_LOAD) {
		run->reads += inside;
		run->plain_loads += !inside;
		if (inside)
			record(run, step->address, *word);
	}
}

static void run_thread(struct run *run, const struct sim_program *program, uint32_t thread)
{
	struct sim_lane lane = { .thread = thread };
	uint32_t pc = 0;
	bool inside = false;

	for (unsigned steps = 0; program->code[pc].op != SIM_EXIT; steps++) {
		const struct sim_instr *instr = &program->code[pc];
		struct sim_step step = { 0 };

		REQUIRE(steps < 1000000);
		if (instr->op <= SIM_BRANCH)
			program->eval(program->data, pc, &lane, &step);
		if (instr->op >= SIM_LOAD && instr->op <= SIM_CAS)
			touch(run, &lane, instr->op, inside, &step);
		if (instr->op == SIM_TX_BEGIN || instr->op == SIM_ENTER) {
			REQUIRE(!inside);
			inside = true;
		}
		if (instr->op == SIM_TX_COMMIT || instr->op == SIM_LEAVE) {
			REQUIRE(inside);
			inside = false;
			run->transactions++;
		}
		pc = instr->op == SIM_BRANCH && step.taken ? instr->target : pc + 1;
		REQUIRE(pc < program->length);
	}
	REQUIRE(!inside);
	REQUIRE(pc == program->length - 1);
}

static void run_all(struct run *run, enum sim_flavour flavour)
{
	const struct sim_program *program = run->workload->program[flavour];

	ck_assert_ptr_nonnull(program);
	run->memory = sim_memory_new();
	ck_assert_ptr_nonnull(run->memory);
	run->workload->class->setup(run->workload, run->memory);
	for (uint64_t i = 0; i < run->workload->threads; i++)
		run_thread(run, program, (uint32_t)i);
}

static const struct sim_workload_class *class_named(const char *name)
{
	for (size_t i = 0; sim_workload_classes[i]; i++)
		if (!strcmp(sim_workload_classes[i]->name, name))
			return sim_workload_classes[i];
	ck_abort_msg("no workload %s", name);
	return NULL;
}

static struct sim_workload *make_with(const char *name, const char *settings[], uint64_t threads,
				      const char *keys, const char *trace)
{
	const struct sim_workload_class *class = class_named(name);
	struct sim_workload_request request = {
		.class = class, .threads = threads, .seed = 5, .keys = keys, .trace = trace,
	};
	uint64_t config[16];
	struct sim_workload *workload = NULL;
	char error[256] = "";

	if (class->params) {
		ck_assert_uint_le(class->params->config_size, sizeof(config));
		gputm_params_init(class->params, config);
		for (; settings && *settings; settings += 2)
			ck_assert_int_eq(gputm_params_set(NULL, class->params, config, settings[0],
							  settings[1]), 0);
		request.config = config;
	}
	ck_assert_msg(!class->make(&request, &workload, error, sizeof(error)), "%s", error);
	ck_assert_ptr_eq(workload->class, class);
	return workload;
}

static struct sim_workload *make(const char *name)
{
	return make_with(name, NULL, 0, NULL, NULL);
}

static void holds(const struct run *run)
{
	char error[256] = "";
	const char *broken = run->workload->class->invariant(run->workload, run->memory, error,
							     sizeof(error));

	ck_assert_msg(!broken, "%s: %s", run->workload->name, broken);
}

static void broken(const struct run *run, uint64_t address, uint32_t value, const char *word)
{
	uint32_t *place = sim_memory_make(run->memory, address), saved = *place;
	char error[256] = "";
	const char *reason;

	ck_assert_uint_ne(saved, value);
	*place = value;
	reason = run->workload->class->invariant(run->workload, run->memory, error, sizeof(error));
	ck_assert_ptr_nonnull(reason);
	ck_assert_msg(strstr(reason, word) != NULL, "\"%s\" does not say \"%s\"", reason, word);
	*place = saved;
}

static void finish(struct run *run)
{
	sim_memory_free(run->memory);
	run->workload->class->free((struct sim_workload *)(uintptr_t)run->workload);
}

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

START_TEST(test_reference_workloads_have_their_shape)
{
	struct run run = { .workload = make(shape[_i].name) };
	uint64_t transactions = shape[_i].transactions;

	ck_assert_str_eq(run.workload->name, shape[_i].name);
	ck_assert_uint_eq(run.workload->threads, shape[_i].threads);
	ck_assert_uint_eq(run.workload->block_size, shape[_i].block);
	ck_assert_uint_eq(run.workload->most_accesses, shape[_i].reads + shape[_i].writes);
	run_all(&run, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.transactions, shape[_i].transactions);
	ck_assert_uint_eq(run.workload->transactions, shape[_i].transactions);
	ck_assert_uint_eq(run.reads, shape[_i].reads * transactions);
	ck_assert_uint_eq(run.writes, shape[_i].writes * transactions);
	ck_assert_uint_eq(run.plain_loads, shape[_i].plain_loads * transactions);
	holds(&run);
	finish(&run);
}
END_TEST

START_TEST(test_lock_programs_do_the_same)
{
	struct run locks = { .workload = make(shape[_i].name) };

	run_all(&locks, SIM_LOCKS);
	ck_assert_uint_eq(locks.transactions, shape[_i].transactions);
	ck_assert_uint_eq(locks.writes, (uint64_t)shape[_i].writes * shape[_i].transactions);
	holds(&locks);
	finish(&locks);
}
END_TEST

static uint64_t round_up(uint64_t address)
{
	return (address + 255) / 256 * 256;
}

START_TEST(test_ht_keys_and_chains)
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
	struct run run = { .workload = make(table[_i].name) };

	run_all(&run, SIM_TRANSACTIONS);
	for (uint32_t i = 1; i <= 8192; i++)
		sum += sim_memory_read(run.memory, c + 4 * i);
	ck_assert_uint_eq(sum, UINT64_C(8844900381095));
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(sim_memory_read(run.memory, c + 4 * (i + 1)), first[i]);
	for (uint32_t h = 0; h < table[_i].buckets; h++) {
		uint32_t e = sim_memory_read(run.memory, a + 8 * (uint64_t)h), length = 0;

		for (; e; e = sim_memory_read(run.memory, b + 12 * (uint64_t)e + 8))
			length++;
		used += length != 0;
		longest = length > longest ? length : longest;
		REQUIRE(sim_memory_read(run.memory, a + 8 * (uint64_t)h + 4) == 0);
	}
	ck_assert_uint_eq(used, table[_i].used);
	ck_assert_uint_eq(longest, table[_i].longest);
	finish(&run);
}
END_TEST

/* The five accesses of thread 0, in the order given. */
START_TEST(test_ht_access_order)
{
	uint64_t access[8], a = 0x80000000, b = round_up(a + 8 * 8000);
	uint32_t value[8], key = 46097775;
	struct run run = { .workload = make("ht-8000"), .access = access, .value = value,
			   .capacity = 5 };
	const uint64_t expected[] = { (b + 12) | 1, (b + 16) | 1, a + 8 * (uint64_t)(key % 8000),
				      (b + 20) | 1, (a + 8 * (uint64_t)(key % 8000)) | 1 };
	const uint32_t values[] = { key, 1, 0, 0, 1 };

	run_all(&run, SIM_TRANSACTIONS);
	for (int i = 0; i < 5; i++) {
		ck_assert_uint_eq(access[i], expected[i]);
		ck_assert_uint_eq(value[i], values[i]);
	}
	finish(&run);
}
END_TEST

START_TEST(test_atm_first_records)
{
	static const struct {
		const char *name;
		uint64_t accounts;
		uint32_t record[6];
	} table[] = { { "atm-1024", 1024, { 44, 311, 779, 43, 850, 264 } },
		      { "atm-1m", 1000000, { 44, 419319, 491723, 43, 402002, 815560 } } };
	uint64_t b = round_up(0x80000000 + 8 * table[_i].accounts), total = 0;
	struct run run = { .workload = make(table[_i].name) };

	run_all(&run, SIM_TRANSACTIONS);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(sim_memory_read(run.memory, b + 4 * i), table[_i].record[i]);
	for (uint64_t i = 0; i < table[_i].accounts; i++)
		total += (uint64_t)(int32_t)sim_memory_read(run.memory, 0x80000004 + 8 * i);
	ck_assert_uint_eq(total, 1000 * table[_i].accounts);
	broken(&run, 0x80000004 + 8 * 311, 0xffffffff, "account 311 holds -1");
	finish(&run);
}
END_TEST

/* ---- workloads with transactions that only read ---- */

START_TEST(test_audit_is_the_reference)
{
	static const uint32_t first[] = { 3, 4719, 4718, 0, 0, 12454, 12455, 0 };
	uint64_t a = 0x80000000, b = round_up(a + 8 * 16384), access[5];
	uint32_t value[5], audits = 0;
	struct run run = { .workload = make("audit"), .access = access, .value = value,
			   .capacity = 5 };
	const uint64_t expected[] = { a + 8 * 4719 + 4, a + 8 * 4718 + 4, (a + 8 * 4719 + 4) | 1,
				      (a + 8 * 4718 + 4) | 1 };

	ck_assert_uint_eq(run.workload->threads, 8192);
	ck_assert_uint_eq(run.workload->block_size, 128);
	ck_assert_ptr_null(run.workload->program[SIM_LOCKS]);
	ck_assert_ptr_nonnull(run.workload->missing[SIM_LOCKS]);
	run_all(&run, SIM_TRANSACTIONS);
	for (uint32_t i = 0; i < 8; i++)
		if (i % 4 != 3)
			ck_assert_uint_eq(sim_memory_read(run.memory, b + 4 * i), first[i]);
	for (uint64_t i = 0; i < 16384; i++)
		audits += !sim_memory_read(run.memory, b + 16 * i);
	ck_assert_uint_eq(audits, 8200);
	ck_assert_uint_eq(run.transactions, 16384);
	ck_assert_uint_eq(run.workload->transactions, 16384);
	ck_assert_uint_eq(run.reads, 2 * 16384);
	ck_assert_uint_eq(run.writes, 2 * 8184);
	ck_assert_uint_eq(run.plain_loads, 3 * 16384);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(access[i], expected[i]);
	ck_assert_uint_eq(value[0] - value[2], 3);
	holds(&run);
	broken(&run, b + 16 * 77 + 12, 1999, "record 77 saw a pair with 1999");
	broken(&run, a + 8 * 311 + 4, 0xffffffff, "account 311 holds -1");
	finish(&run);
}
END_TEST

START_TEST(test_skew_leaves_one_of_each_pair)
{
	const uint32_t rounds = _i ? 16 : 1;
	uint64_t a = 0x80000000, access[3];
	uint32_t value[3];
	struct run run = { .workload = make(_i ? "skewr" : "skew"), .access = access,
			   .value = value, .capacity = 3 };

	ck_assert_uint_eq(run.workload->threads, 1024);
	ck_assert_uint_eq(run.workload->block_size, 32);
	run_all(&run, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.transactions, 1024 * rounds);
	ck_assert_uint_eq(run.workload->transactions, 1024 * rounds);
	ck_assert_uint_eq(run.reads, 2048 * rounds);
	ck_assert_uint_eq(run.writes, 512 * rounds);
	ck_assert_uint_eq(access[0], a);
	ck_assert_uint_eq(access[1], a + 32);
	ck_assert_uint_eq(access[2], a | 1);
	holds(&run);
	broken(&run, a + 64 * 7, 1, "pair 7 ends as 1, 1");
	broken(&run, a + 64 * 7 + 32, 0, "pair 7 ends as 0, 0");
	finish(&run);
}
END_TEST

/* Child of cell 0 that holds a cell, and the bodies' array. */
START_TEST(test_octree_invariant_is_strict)
{
	const char *settings[] = { "bodies", "2", "block_size", "64", "clustered", "1", NULL };
	struct run run = { .workload = make_with("octree", settings, 32, NULL, NULL) };
	uint64_t a = 0x80000000, b = round_up(a + 32 * (1 + 23 * 64)), c = round_up(b + 12 * 64);
	uint64_t child = a, other = a, inner;
	uint32_t cell;

	ck_assert_uint_eq(run.workload->block_size, 64);
	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	while (!sim_memory_read(run.memory, child) || sim_memory_read(run.memory, child) & 1)
		child += 4;
	ck_assert_uint_lt(child, a + 32);
	cell = sim_memory_read(run.memory, child);
	for (inner = a + 16 * (uint64_t)cell; !sim_memory_read(run.memory, inner); inner += 4)
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
END_TEST

/* The tree depends on the bodies and not on who built it: both programs make it. */
START_TEST(test_octree_is_built_and_walked)
{
	const char *settings[] = { "bodies", "2", "clustered", _i & 1 ? "0" : "1", NULL };
	struct run run = { .workload = make_with("octree", settings, 1000, NULL, NULL) };
	uint64_t a = 0x80000000, c = round_up(round_up(a + 32 * (1 + 23 * 2000)) + 12 * 2000);
	uint32_t deepest = 0;

	run_all(&run, _i & 2 ? SIM_LOCKS : SIM_TRANSACTIONS);
	holds(&run);
	for (uint64_t i = 0; i < 2000; i++) {
		uint32_t depth = sim_memory_read(run.memory, c + 4 * i);

		REQUIRE(depth < 24);
		deepest = depth > deepest ? depth : deepest;
	}
	ck_assert_uint_gt(deepest, 3);
	ck_assert_uint_gt(run.transactions, (_i & 2 ? 1u : 4u) * 2000);
	ck_assert_uint_lt(run.writes, 3 * run.transactions);
	finish(&run);
}
END_TEST

/* ---- invariants find what is wrong ---- */

START_TEST(test_hash_table_invariant_is_strict)
{
	const char *settings[] = { "buckets", "4", NULL };
	struct run run = { .workload = make_with("hash-table", settings, 16, NULL, NULL) };
	uint64_t a = 0x80000000, b = round_up(a + 32);
	uint32_t head, next;

	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	head = sim_memory_read(run.memory, a);
	ck_assert_uint_ne(head, 0);
	next = sim_memory_read(run.memory, b + 12 * (uint64_t)head + 8);
	ck_assert_uint_ne(next, 0);
	broken(&run, a, 17, "does not exist");
	broken(&run, a, 0, "is in no chain");
	broken(&run, b + 12 * (uint64_t)next + 8, head, "is reached twice");
	broken(&run, b + 12 * (uint64_t)head, 77, "has another one's key");
	broken(&run, b + 12 * (uint64_t)head + 4, 77, "has another one's value");
	broken(&run, a, sim_memory_read(run.memory, a + 8), "belongs into another bucket");
	holds(&run);
	finish(&run);
}
END_TEST

/* Thread after thread, each puts its number where the bucket is empty. */
START_TEST(test_local_hash_invariant_is_strict)
{
	struct run run = { .workload = make("local-hash-4") };

	run_all(&run, SIM_LOCAL);
	holds(&run);
	/* Thread t looks at t / 4 + 1 places. */
	ck_assert_uint_eq(run.transactions, 4 * 64 * 65 / 2);
	ck_assert_uint_eq(run.writes, 256);
	ck_assert_uint_eq(sim_memory_read(run.memory, 4 * 7), 8);
	broken(&run, 4 * 7, 0, "place 1 of bucket 3 holds 0");
	broken(&run, 4 * 7, 7, "holds 7");
	broken(&run, 4 * 7, 12, "holds 12");
	finish(&run);
}
END_TEST

START_TEST(test_k_means_invariant_is_strict)
{
	struct run run = { .workload = make("k-means-64") };
	uint64_t second = 4 * (1 + 32 * 4), count = second + 4 * 32 * 3;
	uint32_t points = 0;

	run_all(&run, SIM_LOCAL);
	holds(&run);
	ck_assert_uint_eq(run.transactions, 256);
	ck_assert_uint_eq(run.reads, 4 * 256);
	ck_assert_uint_eq(run.plain_loads, 3 * 256);
	for (uint32_t i = 0; i < 32; i++)
		points += sim_memory_read(run.memory, 4 * (i + 32 * 3)) +
			  sim_memory_read(run.memory, 4 * (i + 32 * 7));
	ck_assert_uint_eq(points, 256);
	/* Center 33 lies at positions 4 .. 7 of bank 1. */
	broken(&run, second, sim_memory_read(run.memory, second) + 1, "center 33 has gathered");
	broken(&run, count, sim_memory_read(run.memory, count) + 1, "center 33 has gathered");
	finish(&run);
}
END_TEST

START_TEST(test_genetic_invariant_is_strict)
{
	const char *settings[] = { "rounds", "3", NULL };
	struct run run = { .workload = make_with("genetic-2", settings, 0, NULL, NULL) };

	run_all(&run, SIM_LOCAL);
	holds(&run);
	ck_assert_uint_eq(run.transactions, 3 * 256);
	ck_assert_uint_eq(run.reads, 2 * 3 * 256);
	ck_assert_uint_eq(run.writes, 2 * 3 * 256);
	broken(&run, 0, 256, "0x100 is no solution");
	/* Nothing in the bag is as far from half of all as can be. */
	sim_memory_write(run.memory, 0, 0);
	broken(&run, 4, 0, "the best solution is");
	finish(&run);
}
END_TEST

START_TEST(test_bank_takes_its_options)
{
	const char *settings[] = { "accounts", "2", "transfers", "3", "block_size", "64", NULL };
	struct run run = { .workload = make_with("bank", settings, 10, NULL, NULL) };

	ck_assert_uint_eq(run.workload->block_size, 64);
	run_all(&run, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.transactions, 30);
	holds(&run);
	finish(&run);
}
END_TEST

/* ---- keys ---- */

#define FILE_NAME "test-sim-workloads.tmp"

/* A file in the build directory that holds this text. */
static const char *write_file(const char *text, size_t size)
{
	FILE *file = fopen(FILE_NAME, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
	return FILE_NAME;
}

START_TEST(test_keys_are_fnv_1a_of_words)
{
	const char text[] = "a  foobar\n\ta";
	struct sim_keys keys;
	char message[256] = "";
	FILE *in = fopen(write_file(text, strlen(text)), "r");

	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(sim_keys_read(in, "f", &keys, message, sizeof(message)), 0);
	fclose(in);
	ck_assert_uint_eq(keys.count, 3);
	ck_assert_uint_eq(keys.key[0], 0xe40c292c);
	ck_assert_uint_eq(keys.key[1], 0xbf9cf968);
	ck_assert_uint_eq(keys.key[2], 0xe40c292c);
	sim_keys_free(&keys);
}
END_TEST

START_TEST(test_bad_keys_are_refused)
{
	static char endless[SIM_WORD_MAX + 2];
	static const struct {
		const char *text;
		size_t size;
		const char *message;
	} bad[] = {
		{ "", 0, "f:1: got end of file, expected a word" },
		{ " \n\n", 3, "f:3: got end of file, expected a word" },
		{ "a\nb\0c\n", 6, "f:2: got \"\\x00\", expected words of text" },
		{ "\x1f\x8b\x08", 3, "f:1: got \"\\x1f\", expected words of text" },
		{ endless, sizeof(endless), "f:1: got a word of more than 1024 bytes, "
					    "expected words of text" },
	};
	struct sim_keys keys = { 4711, NULL };
	char message[256] = "";
	FILE *in;

	memset(endless, 'x', sizeof(endless));
	in = fopen(write_file(bad[_i].text, bad[_i].size), "r");
	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(sim_keys_read(in, "f", &keys, message, sizeof(message)), -EINVAL);
	fclose(in);
	ck_assert_str_eq(message, bad[_i].message);
	ck_assert_uint_eq(keys.count, 4711);
}
END_TEST

START_TEST(test_one_insertion_per_word)
{
	const char text[] = "the quick brown fox jumps over the lazy dog";
	const char *name = write_file(text, strlen(text));
	struct run run = { .workload = make_with("hash-table", NULL, 0, name, NULL) };

	ck_assert_uint_eq(run.workload->threads, 9);
	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	finish(&run);
	run.workload = make_with("hash-table", NULL, 4, name, NULL);
	ck_assert_uint_eq(run.workload->threads, 4);
	run.workload->class->free((struct sim_workload *)(uintptr_t)run.workload);
}
END_TEST

START_TEST(test_more_threads_than_words_are_refused)
{
	struct hash_table_config {
		uint32_t buckets, block_size, key_inside;
	} config;
	const struct sim_workload_class *class = class_named("hash-table");
	struct sim_workload_request request = { .class = class, .config = &config, .threads = 3 };
	struct sim_workload *workload = NULL;
	char error[256] = "";

	gputm_params_init(class->params, &config);
	request.keys = write_file("one two", 7);
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_str_eq(error, "--threads: got \"3\", expected 1 .. 2, the words of "
				"test-sim-workloads.tmp");
	request.keys = "no/such/file";
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_msg(strstr(error, "no/such/file: cannot be opened") != NULL, "%s", error);
	ck_assert_ptr_null(workload);
}
END_TEST

/* ---- a set of keys as a list and as a tree ---- */

/* Where the arrays of these workloads lie, see key_set.h. */
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
	return sim_memory_read(run->memory, field(p, node, word));
}

static const char *const mixed[] = { "elements", "60", "keys", "120", "operations", "3", "lookups",
				     "20", "removals", "40", NULL };

/* Each kind of operation with each answer comes up, and the answers add up. */
START_TEST(test_set_operations_leave_their_net_effect)
{
	static const char *const name[] = { "list", "tree", "list", "tree" };
	struct run run = { .workload = make_with(name[_i], (const char **)(uintptr_t)mixed, 200,
						 NULL, NULL) };
	const struct set_places p = set_places(_i & 1 ? 20 : 12, 60, 600);
	uint32_t count[3][3] = { { 0 } };

	ck_assert_uint_eq(run.workload->block_size, 32);
	ck_assert_uint_eq(run.workload->transactions, 600);
	run_all(&run, _i & 2 ? SIM_LOCKS : SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.transactions, 600);
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t kind = sim_memory_read(run.memory, p.b + 4 * i) & 3;
		uint32_t answer = sim_memory_read(run.memory, p.c + 4 * i);

		REQUIRE(kind < 3 && (answer == 1 || answer == 2));
		count[kind][answer]++;
	}
	for (int kind = 0; kind < 3; kind++)
		ck_assert_msg(count[kind][1] > 9 && count[kind][2] > 9, "kind %d: %u no, %u yes",
			      kind, count[kind][1], count[kind][2]);
	holds(&run);
	finish(&run);
}
END_TEST

/* What a model with one flag for each key answers, the operations one after the other. */
START_TEST(test_set_answers_are_right)
{
	static const char *const name[] = { "list", "tree", "list", "tree" };
	struct run run = { .workload = make_with(name[_i], (const char **)(uintptr_t)mixed, 200,
						 NULL, NULL) };
	const struct set_places p = set_places(_i & 1 ? 20 : 12, 60, 600);
	bool in[121] = { false };

	run_all(&run, _i & 2 ? SIM_LOCKS : SIM_TRANSACTIONS);
	for (uint32_t e = 1; e <= 60; e++)
		in[field_is(&run, &p, e, 0)] = true;
	/* The interpreter runs all operations of thread 0, then those of thread 1, ... */
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t o = i / 3 + 200 * (i % 3);
		uint32_t word = sim_memory_read(run.memory, p.b + 4 * o), key = word >> 2;
		bool yes = sim_memory_read(run.memory, p.c + 4 * o) == 2;

		REQUIRE(yes == ((word & 3) == 1 ? !in[key] : in[key]));
		if (word & 3)
			in[key] = (word & 3) == 1;
	}
	finish(&run);
}
END_TEST

/* The write-sets that the paper gives: 4 words in the list, 6 and at most 8 in the tree. */
START_TEST(test_set_write_sets_have_the_papers_sizes)
{
	const char *insert[] = { "elements", "0", "keys", "100000", "lookups", "0", "removals",
				 "0", "distinct", "1", NULL };
	const char *remove[] = { "elements", "1000", "lookups", "0", "removals", "100", "distinct",
				 "1", NULL };
	struct run run = { .workload = make_with("list", insert, 100, NULL, NULL) };
	uint64_t before = 0;
	uint32_t most = 0;

	run_all(&run, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.writes, 4 * 100);
	holds(&run);
	finish(&run);
	run = (struct run){ .workload = make_with("tree", insert, 100, NULL, NULL) };
	run_all(&run, SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.writes, 6 * 100);
	holds(&run);
	finish(&run);
	run = (struct run){ .workload = make_with("tree", remove, 1000, NULL, NULL) };
	run.memory = sim_memory_new();
	run.workload->class->setup(run.workload, run.memory);
	for (uint32_t i = 0; i < 1000; i++, before = run.writes) {
		run_thread(&run, run.workload->program[SIM_TRANSACTIONS], i);
		most = run.writes - before > most ? (uint32_t)(run.writes - before) : most;
	}
	ck_assert_uint_eq(most, 8);
	ck_assert_uint_eq(sim_memory_read(run.memory, 0x80000000 + 12), 0); /* the root */
	holds(&run);
	finish(&run);
}
END_TEST

START_TEST(test_list_invariant_is_strict)
{
	const char *settings[] = { "elements", "20", "keys", "64", "operations", "2", NULL };
	struct run run = { .workload = make_with("list", settings, 40, NULL, NULL) };
	const struct set_places p = set_places(12, 20, 80);
	uint32_t first, second, third, absent = 0, changed = 0;

	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	first = field_is(&run, &p, 0, 2);
	second = field_is(&run, &p, first, 2);
	third = field_is(&run, &p, second, 2);
	ck_assert_uint_ne(third, 0);
	while (sim_memory_read(run.memory, p.b + 4 * absent) % 4 != 0)
		absent++;
	while (sim_memory_read(run.memory, p.b + 4 * changed) % 4 == 0)
		changed++;
	broken(&run, field(&p, second, 2), 101, "node 101 does not exist");
	broken(&run, field(&p, third, 2), second, "is reached twice");
	broken(&run, field(&p, first, 2), 21 + absent, "was never inserted");
	broken(&run, field(&p, first, 0), 65, "has another one's key");
	broken(&run, field(&p, first, 1), 0, "has another one's value");
	broken(&run, field(&p, 0, 2), third, "is in fewer times");
	broken(&run, field(&p, 0, 0), 7, "node 0");
	broken(&run, p.c + 4 * changed,
	       3 - sim_memory_read(run.memory, p.c + 4 * changed), " ");
	broken(&run, p.c + 4 * 9, 0, "operation 9 has no answer");
	/* Second before first. */
	sim_memory_write(run.memory, field(&p, 0, 2), second);
	sim_memory_write(run.memory, field(&p, second, 2), first);
	broken(&run, field(&p, first, 2), third, "stands behind a key that is not smaller");
	finish(&run);
}
END_TEST

START_TEST(test_tree_invariant_is_strict)
{
	const char *settings[] = { "elements", "50", "keys", "100", NULL };
	struct run run = { .workload = make_with("tree", settings, 40, NULL, NULL) };
	const struct set_places p = set_places(20, 50, 40);
	uint32_t root, left, right, absent = 0;

	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	root = field_is(&run, &p, 0, 3);
	left = field_is(&run, &p, root, 2);
	right = field_is(&run, &p, root, 3);
	ck_assert(root && left && right);
	while (sim_memory_read(run.memory, p.b + 4 * absent) % 4 != 0)
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
END_TEST

/* ---- contraction of a graph ---- */

/* Where the arrays of graph-cut lie, see graph_cut.c. */
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
			uint32_t u = part[sim_memory_read(run->memory, p->b + 8 * i)];
			uint32_t v = part[sim_memory_read(run->memory, p->b + 8 * i + 4)];
			uint32_t answer = u == v ? 1 : parts == 2 ? 3 : 2;

			REQUIRE(sim_memory_read(run->memory, p->c + 4 * i) == answer);
			for (uint32_t w = 0; answer == 2 && w < vertices; w++)
				part[w] = part[w] == u ? v : part[w];
			parts -= answer == 2;
		}
	ck_assert_uint_eq(parts, 2);
}

START_TEST(test_graph_is_cut_in_two)
{
	static const struct {
		const char *setting[5];
		uint32_t threads, vertices, edges;
	} table[] = {
		{ { NULL }, 32, 60, 180 },
		{ { "vertices", "90", "edges", "270" }, 7, 90, 270 },
		{ { "vertices", "40", "edges", "39" }, 50, 40, 39 },
		{ { "vertices", "3", "edges", "2" }, 1, 3, 2 },
	};
	const uint32_t n = table[_i / 2].vertices, m = table[_i / 2].edges;
	struct run run = { .workload = make_with("graph-cut",
						 (const char **)(uintptr_t)table[_i / 2].setting,
						 table[_i / 2].threads, NULL, NULL) };
	const struct cut_places p = cut_places(n, m);

	ck_assert_uint_eq(run.workload->transactions, m);
	run_all(&run, _i & 1 ? SIM_LOCKS : SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.writes, 3 * (n - 2));
	ck_assert_uint_eq(run.transactions, m);
	contract_slowly(&run, &p, n, m);
	holds(&run);
	finish(&run);
}
END_TEST

/* An edge with this answer. */
static uint32_t edge_with(const struct run *run, const struct cut_places *p, uint32_t answer)
{
	uint32_t i = 0;

	while (sim_memory_read(run->memory, p->c + 4 * (uint64_t)i) != answer)
		i++;
	ck_assert_uint_lt(i, 180);
	return i;
}

START_TEST(test_graph_cut_knows_wrong_answers)
{
	const struct cut_places p = cut_places(60, 180);
	struct run run = { .workload = make("graph-cut") };
	uint64_t loop, contracted, of_cut;

	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
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
END_TEST

START_TEST(test_graph_cut_knows_wrong_lists)
{
	const struct cut_places p = cut_places(60, 180);
	struct run run = { .workload = make("graph-cut") };
	uint32_t tail[2] = { 0, 0 }, tails = 0, head, longer;

	run_all(&run, SIM_TRANSACTIONS);
	holds(&run);
	for (uint32_t v = 0; v < 60; v++)
		if (!sim_memory_read(run.memory, p.a + 12 * v) && tails++ < 2)
			tail[tails - 1] = v;
	ck_assert_uint_eq(tails, 2);
	longer = sim_memory_read(run.memory, p.a + 12 * tail[0] + 8) > 1 ? 0 : 1;
	head = sim_memory_read(run.memory, p.a + 12 * tail[longer] + 4);
	ck_assert_uint_ne(head, tail[longer]);
	broken(&run, p.a + 12 * tail[0] + 4, 60, "vertex 60 does not exist");
	broken(&run, p.a + 12 * tail[0], 1 + tail[1], "is in no list");
	broken(&run, p.a + 12 * tail[0] + 4, sim_memory_read(run.memory, p.a + 12 * tail[1] + 4),
	       "is in a list of the other part");
	broken(&run, p.a + 12 * tail[longer] + 8, 61, "has another list's size");
	broken(&run, p.a + 12 * head, 0, head < tail[longer] ? "" : "is not the tail of its list");
	broken(&run, p.a + 12 * head, 1 + head, "is reached twice");
	broken(&run, p.a + 12 * tail[longer] + 4,
	       sim_memory_read(run.memory, p.a + 12 * head) - 1, "has another list's size");
	holds(&run);
	finish(&run);
}
END_TEST

static int read_edges(const char *text, size_t size, struct sim_edges *edges, char *message)
{
	FILE *in = fopen(write_file(text, size), "r");
	int error;

	ck_assert_ptr_nonnull(in);
	error = sim_edges_read(in, "f", edges, message, 256);
	fclose(in);
	return error;
}

START_TEST(test_edges_are_read)
{
	static const char text[] = "# a comment of any length, longer than an edge: .........."
				   "............................\n0 1\n# more\n 2\t1 \r\n1 2\n2 3";
	static const uint32_t end[][2] = { { 0, 1 }, { 2, 1 }, { 1, 2 }, { 2, 3 } };
	struct sim_edges edges;
	char message[256] = "";

	ck_assert_msg(!read_edges(text, strlen(text), &edges, message), "%s", message);
	ck_assert_uint_eq(edges.vertices, 4);
	ck_assert_uint_eq(edges.count, 4);
	ck_assert_mem_eq(edges.end, end, sizeof(end));
	sim_edges_free(&edges);
}
END_TEST

#define EDGE "an edge \"VERTEX VERTEX\""
#define NUMBERS EDGE ", two numbers 0 .. 1048575"

static const struct {
	const char *text, *message;
} bad_edges[] = {
	{ "", "f:1: got end of file, expected " EDGE },
	{ "# nothing\n", "f:2: got end of file, expected " EDGE },
	{ "0 1\n\n1 2\n", "f:2: got an empty line, expected " EDGE },
	{ "0 1\n1 two\n", "f:2: got \"1 two\", expected " NUMBERS },
	{ "0 1\n1\n", "f:2: got \"1\", expected " NUMBERS },
	{ "0 1\n1 2 3\n", "f:2: got \"1 2 3\", expected " NUMBERS },
	{ "0 -1\n", "f:1: got \"0 -1\", expected " NUMBERS },
	{ "0 1048576\n", "f:1: got \"0 1048576\", expected " NUMBERS },
	{ "0 1\n1 99999999999999999999\n", "f:2: got \"1 99999999999999999999\", "
					     "expected " NUMBERS },
	{ "0 1\n0 1\x01\n", "f:2: got \"0 1?\", expected " NUMBERS },
	{ "0 1\n2 2\n", "f:2: got \"2 2\", expected an edge between two different vertices" },
	{ "0 1\n1 0\n", "f:3: got end of file, expected a graph of three vertices or more" },
	{ "0 1\n3 2\n", "f:3: got a graph in which vertex 2 has no way to vertex 0, expected a "
			"connected one" },
	{ "0 1\n1 3\n", "f:3: got a graph in which vertex 2 has no way to vertex 0, expected a "
			"connected one" },
	{ "1 2 ........................................................................\n",
	  "f:1: got \"1 2 ........................................................"
	  "...\", expected " NUMBERS },
};

START_TEST(test_bad_edges_are_refused)
{
	struct sim_edges edges = { 4711, 0, NULL };
	char message[256] = "";

	ck_assert_int_eq(read_edges(bad_edges[_i].text, strlen(bad_edges[_i].text), &edges,
				    message), -EINVAL);
	ck_assert_str_eq(message, bad_edges[_i].message);
	ck_assert_uint_eq(edges.vertices, 4711);
}
END_TEST

/* Settings that do not go together, and files that cannot be had. */
START_TEST(test_workloads_refuse_what_they_cannot_make)
{
	static const struct {
		const char *name, *setting[5], *edges, *message;
	} bad[] = {
		{ "list", { "elements", "65", "keys", "64" }, NULL,
		  "workload: elements = 65 is not in 0 .. 64, the number of keys" },
		{ "tree", { "lookups", "70", "removals", "31" }, NULL,
		  "workload: removals = 31 is not in 0 .. 30, what lookups leave of 100" },
		{ "graph-cut", { "vertices", "60", "edges", "58" }, NULL,
		  "workload: edges = 58 is not in 59 .. 1048576, as a connected graph needs "
		  "vertices - 1" },
		{ "graph-cut", { NULL }, "no/such/file",
		  "no/such/file: cannot be opened: No such file or directory" },
	};
	const struct sim_workload_class *class = class_named(bad[_i].name);
	uint64_t config[16];
	struct sim_workload_request request = { .class = class, .config = config,
						.edges = bad[_i].edges };
	struct sim_workload *workload = NULL;
	char error[256] = "";

	gputm_params_init(class->params, config);
	for (int i = 0; bad[_i].setting[i]; i += 2)
		ck_assert_int_eq(gputm_params_set(NULL, class->params, config, bad[_i].setting[i],
						  bad[_i].setting[i + 1]), 0);
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_str_eq(error, bad[_i].message);
	ck_assert_ptr_null(workload);
}
END_TEST

/* ---- traces ---- */

static int read_trace(const char *text, size_t size, struct sim_trace *trace, char *message)
{
	FILE *in = fopen(write_file(text, size), "r");
	int error;

	ck_assert_ptr_nonnull(in);
	error = sim_trace_read(in, "f", trace, message, 256);
	fclose(in);
	return error;
}

START_TEST(test_trace_is_read)
{
	static const char text[] = "# name: small\n# transactions: 4 (of 9)\n#\n"
				   "t 7 r1000=0 w1004=ffffffff\n"
				   "t 2 w7ffffffc=1 \n"
				   "t 7 rABC0=Ab\n"
				   "t 4294967295   r1000=5\n";
	static const uint32_t access[] = { 0x1000, 0x1005, 0x7ffffffd, 0xabc0, 0x1000 };
	static const uint32_t first[] = { 0, 1, 3, 4 }, order[] = { 1, 0, 2, 3 };
	static const uint32_t start[] = { 0, 2, 3, 4, 5 };
	struct sim_trace t;
	char message[256] = "";

	ck_assert_msg(!read_trace(text, strlen(text), &t, message), "%s", message);
	ck_assert_uint_eq(t.transactions, 4);
	ck_assert_uint_eq(t.threads, 3);
	ck_assert_uint_eq(t.accesses, 5);
	ck_assert_mem_eq(t.access, access, sizeof(access));
	ck_assert_mem_eq(t.first, first, sizeof(first));
	ck_assert_mem_eq(t.order, order, sizeof(order));
	ck_assert_mem_eq(t.start, start, sizeof(start));
	sim_trace_free(&t);
}
END_TEST

#define TX "a transaction \"t THREAD ACCESS ...\""
#define ACCESS "an access rADDRESS=VALUE or wADDRESS=VALUE"
#define ADDRESS "an address that is a multiple of 4 in 1000 .. 7ffffffc"
#define VALUE "a hexadecimal 32-bit value after \"=\""
#define EQUALS "a hexadecimal address and \"=\" after the r or w"
#define THREAD "a decimal thread number below 4294967296"

static const struct {
	const char *text, *message;
} bad_trace[] = {
	{ "", "f:1: got end of file, expected " TX },
	{ "# transactions: 1\n", "f:2: truncated: 1 transactions announced, 0 read" },
	{ "# only a header\n", "f:2: got end of file, expected " TX },
	{ "hello\n", "f:1: got \"hello\", expected " TX },
	{ "\n", "f:1: got end of line, expected " TX },
	{ "t\n", "f:1: got end of line, expected " THREAD },
	{ "t x r1000=0\n", "f:1: got \"x\", expected " THREAD },
	{ "t 4294967296 r1000=0\n", "f:1: got \"4294967296\", expected " THREAD },
	{ "t -1 r1000=0\n", "f:1: got \"-1\", expected " THREAD },
	{ "t 1\n", "f:1: got end of line, expected at least one access" },
	{ "t 1 r1000=0\nt 1 x1000=0\n", "f:2: got \"x1000=0\", expected " ACCESS },
	{ "t 1 1000=0\n", "f:1: got \"1000=0\", expected " ACCESS },
	{ "t 1 r1000\n", "f:1: got \"r1000\", expected " EQUALS },
	{ "t 1 r0x1000=0\n", "f:1: got \"r0x1000=0\", expected " EQUALS },
	{ "t 1 r=0\n", "f:1: got \"r=0\", expected " EQUALS },
	{ "t 1 r1001=0\n", "f:1: got \"r1001=0\", expected " ADDRESS },
	{ "t 1 rffc=0\n", "f:1: got \"rffc=0\", expected " ADDRESS },
	{ "t 1 r80000000=0\n", "f:1: got \"r80000000=0\", expected " ADDRESS },
	{ "t 1 r1000=\n", "f:1: got \"r1000=\", expected " VALUE },
	{ "t 1 r1000=100000000\n", "f:1: got \"r1000=100000000\", expected " VALUE },
	{ "t 1 r1000=1.5\n", "f:1: got \"r1000=1.5\", expected " VALUE },
	{ "t 1 r1000=0\r\n", "f:1: got \"r1000=0?\", expected " VALUE },
	{ "t 1 r1000=0\n# late\n",
	  "f:2: got \"#\", expected a transaction: header lines stand before all of them" },
	{ "# transactions: many\nt 1 r1000=0\n",
	  "f:1: got \"many\", expected the number of transactions, 1 .. 4294967295" },
	{ "# transactions: 0\n", "f:1: got \"0\", expected the number of transactions, "
				 "1 .. 4294967295" },
	{ "# transactions: 2\nt 1 r1000=0\n", "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 2\nt 1 r1000=0\nt 2 r1000=0",
	  "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 2\nt 1 r1000=0\nt 2 r10",
	  "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 1\nt 1 r1000=0\nt 2 r1000=0\n",
	  "f:3: got one more transaction, expected the end after the 1 announced" },
	{ "t 1 r1000=0", "f:1: truncated: the last line has no newline, 0 transactions read" },
	{ "t 1 r1000=0\nt", "f:2: truncated: the last line has no newline, 1 transactions read" },
	{ "t 1 r1000=0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
	  "f:1: got \"r1000=0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\", "
	  "expected " ACCESS },
};

START_TEST(test_bad_traces_are_refused)
{
	struct sim_trace t = { .transactions = 4711 };
	char message[256] = "";

	ck_assert_int_eq(read_trace(bad_trace[_i].text, strlen(bad_trace[_i].text), &t, message),
			 -EINVAL);
	ck_assert_str_eq(message, bad_trace[_i].message);
	ck_assert_uint_eq(t.transactions, 4711);
}
END_TEST

static const char small_trace[] = "t 3 r1000=0 w1004=1 r1004=1 w1000=2\n"
				  "t 1 w2000=9\n"
				  "t 3 r2000=9 r2000=9\n"
				  "t 1 r1000=2 w2000=3\n";

/* Thread 1 is lane 0, thread 3 lane 1; the recorded accesses, with values of their own. */
START_TEST(test_trace_replays_its_accesses)
{
	static const uint64_t expected[] = { 0x2001, 0x1000, 0x2001, 0x1000, 0x1005,
					     0x1004, 0x1001, 0x2000, 0x2000 };
	const char *name = write_file(small_trace, strlen(small_trace));
	uint64_t access[10];
	uint32_t value[10];
	struct run run = { .workload = make_with("trace", NULL, 0, NULL, name), .access = access,
			   .value = value, .capacity = 10 };

	ck_assert_uint_eq(run.workload->threads, 2);
	ck_assert_uint_eq(run.workload->block_size, 128);
	run_all(&run, _i ? SIM_LOCKS : SIM_TRANSACTIONS);
	ck_assert_uint_eq(run.transactions, 4);
	ck_assert_uint_eq(run.recorded, 9);
	for (size_t i = 0; i < 9; i++)
		ck_assert_uint_eq(access[i], expected[i]);
	ck_assert_uint_eq(value[5], value[4]);
	for (size_t i = 0; i < 9; i++)
		for (size_t k = 0; k < i; k++)
			if (access[i] & access[k] & 1)
				ck_assert_uint_ne(value[i], value[k]);
	finish(&run);
}
END_TEST

START_TEST(test_trace_values_tell_attempts_apart)
{
	const char *name = write_file(small_trace, strlen(small_trace));
	struct sim_workload *workload = make_with("trace", NULL, 0, NULL, name);
	const struct sim_program *program = workload->program[SIM_TRANSACTIONS];
	struct sim_lane lane = { .thread = 0 };
	uint32_t seen[64];

	for (lane.attempt = 0; lane.attempt < 64; lane.attempt++) {
		struct sim_step step = { 0 };

		program->eval(program->data, 2, &lane, &step);
		ck_assert(!step.skip);
		ck_assert_uint_eq(step.address, 0x2000);
		seen[lane.attempt] = step.value;
		for (uint32_t i = 0; i < lane.attempt; i++)
			ck_assert_uint_ne(seen[i], step.value);
	}
	workload->class->free(workload);
}
END_TEST

/* Every word of the footprint is locked once, in ascending order, outside the data. */
START_TEST(test_trace_locks_ascend)
{
	const char *name = write_file(small_trace, strlen(small_trace));
	struct sim_workload *workload = make_with("trace", NULL, 0, NULL, name);
	const struct sim_program *program = workload->program[SIM_LOCKS];
	struct sim_lane lane = { .thread = 1 };
	uint64_t taken[8];
	size_t count = 0;
	uint32_t pc = 0;

	while (program->code[pc].op != SIM_ENTER) {
		struct sim_step step = { 0 };

		program->eval(program->data, pc, &lane, &step);
		if (program->code[pc].op == SIM_CAS)
			taken[count++] = step.address;
		ck_assert_uint_lt(count, 8);
		pc = step.taken ? program->code[pc].target : pc + 1;
	}
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(taken[0], workload->lock_base + 0x1000);
	ck_assert_uint_eq(taken[1], workload->lock_base + 0x1004);
	workload->class->free(workload);
}
END_TEST

/* A lane that misses its second lock gives the first back before it tries again. */
START_TEST(test_trace_lock_is_given_back)
{
	const char *name = write_file(small_trace, strlen(small_trace));
	struct sim_workload *workload = make_with("trace", NULL, 0, NULL, name);
	const struct sim_program *program = workload->program[SIM_LOCKS];
	struct sim_lane lane = { .thread = 1 };
	uint32_t pc = 0, attempts = 0;
	bool held[2] = { false, false };

	while (attempts < 3) {
		struct sim_step step = { 0 };
		uint32_t which;

		ck_assert_int_ne(program->code[pc].op, SIM_ENTER);
		if (program->code[pc].op <= SIM_BRANCH)
			program->eval(program->data, pc, &lane, &step);
		which = step.address == workload->lock_base + 0x1004;
		if (program->code[pc].op == SIM_CAS) {
			ck_assert(!held[which]);
			lane.loaded = which; /* the second one belongs to another lane */
			held[0] |= !which;
			attempts += which;
		} else if (program->code[pc].op == SIM_STORE && !step.skip) {
			ck_assert_uint_eq(which, 0);
			ck_assert(held[0]);
			held[0] = false;
		}
		pc = step.taken ? program->code[pc].target : pc + 1;
	}
	workload->class->free(workload);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim-workloads");
	TCase *tests = tcase_create("all");
	int status;

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, test_reference_workloads_have_their_shape, 0,
			     (int)kit_scale(7, 1));
	tcase_add_loop_test(tests, test_lock_programs_do_the_same, 0, (int)kit_scale(7, 1));
	tcase_add_loop_test(tests, test_ht_keys_and_chains, 0, (int)kit_scale(3, 1));
	tcase_add_test(tests, test_ht_access_order);
	tcase_add_loop_test(tests, test_atm_first_records, 0, (int)kit_scale(2, 1));
	tcase_add_test(tests, test_audit_is_the_reference);
	tcase_add_loop_test(tests, test_skew_leaves_one_of_each_pair, 0, 2);
	tcase_add_test(tests, test_octree_invariant_is_strict);
	tcase_add_loop_test(tests, test_octree_is_built_and_walked, 0, 4);
	tcase_add_test(tests, test_hash_table_invariant_is_strict);
	tcase_add_test(tests, test_local_hash_invariant_is_strict);
	tcase_add_test(tests, test_k_means_invariant_is_strict);
	tcase_add_test(tests, test_genetic_invariant_is_strict);
	tcase_add_test(tests, test_bank_takes_its_options);
	tcase_add_test(tests, test_keys_are_fnv_1a_of_words);
	tcase_add_loop_test(tests, test_bad_keys_are_refused, 0, 5);
	tcase_add_test(tests, test_one_insertion_per_word);
	tcase_add_test(tests, test_more_threads_than_words_are_refused);
	tcase_add_loop_test(tests, test_set_operations_leave_their_net_effect, 0, 4);
	tcase_add_loop_test(tests, test_set_answers_are_right, 0, 4);
	tcase_add_test(tests, test_set_write_sets_have_the_papers_sizes);
	tcase_add_test(tests, test_list_invariant_is_strict);
	tcase_add_test(tests, test_tree_invariant_is_strict);
	tcase_add_loop_test(tests, test_graph_is_cut_in_two, 0, 8);
	tcase_add_test(tests, test_graph_cut_knows_wrong_answers);
	tcase_add_test(tests, test_graph_cut_knows_wrong_lists);
	tcase_add_test(tests, test_edges_are_read);
	tcase_add_loop_test(tests, test_bad_edges_are_refused, 0,
			    (int)(sizeof(bad_edges) / sizeof(bad_edges[0])));
	tcase_add_loop_test(tests, test_workloads_refuse_what_they_cannot_make, 0, 4);
	tcase_add_test(tests, test_trace_is_read);
	tcase_add_loop_test(tests, test_bad_traces_are_refused, 0,
			    (int)(sizeof(bad_trace) / sizeof(bad_trace[0])));
	tcase_add_loop_test(tests, test_trace_replays_its_accesses, 0, 2);
	tcase_add_test(tests, test_trace_values_tell_attempts_apart);
	tcase_add_test(tests, test_trace_locks_ascend);
	tcase_add_test(tests, test_trace_lock_is_given_back);
	suite_add_tcase(suite, tests);
	status = kit_run(suite);
	remove(FILE_NAME);
	return status;
}
