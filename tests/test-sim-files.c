/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what gputm-sim's workloads read: files of keys, edges and traces; and of the replay. */
#include "examples/sim/base/source.h"
#include "examples/sim/kernel/edge_file.h"
#include "examples/sim/kernel/key_file.h"
#include "examples/sim/workloads/trace_file.h"
#include "tests/sim_serial.h"

#define FILE_NAME "test-sim-files.tmp"

/* A file in the build directory that holds this text. */
static const char *write_file(const char *text, size_t size)
{
	FILE *file = fopen(FILE_NAME, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
	return FILE_NAME;
}

/* It, to be read. */
static FILE *file_of(const char *text, size_t size)
{
	FILE *file = fopen(write_file(text, size), "r");

	ck_assert_ptr_nonnull(file);
	return file;
}

/* ---- numbers ---- */

KIT_TEST(test_real_numbers_are_whole_texts)
{
	static const struct {
		const char *text;
		double value;
	} numbers[] = {
		{ "0", 0 }, { "-1.5e-3", -1.5e-3 }, { "+2E2", 200 }, { ".5", 0.5 }, { "3.", 3 },
		{ "010", 10 }, { "0x10", 16 }, { "-0XfF", -255 },
	};
	static const char *const none[] = {
		"", "-", ".", "e5", "1e", "1e+", "1 ", " 1", "1x", "inf", "nan", "0x", "0x1p3",
		"--1",
	};
	double value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		ck_assert_msg(sim_is_real(numbers[i].text, &value), "%s", numbers[i].text);
		ck_assert_double_eq(value, numbers[i].value);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert_msg(!sim_is_real(none[i], &value), "%s", none[i]);
	ck_assert_double_eq(sim_real("nan"), 0);
}

/* ---- keys ---- */

KIT_TEST(test_keys_are_fnv_1a_of_words)
{
	const char text[] = "\xef\xbb\xbf" "a  foobar\r\n\r\n\ta";
	struct sim_keys keys;
	char message[256] = "";
	FILE *in = file_of(text, strlen(text));

	ck_assert_int_eq(sim_keys_read(in, "f", &keys, message, sizeof(message)), 0);
	fclose(in);
	ck_assert_uint_eq(keys.count, 3);
	ck_assert_uint_eq(keys.key[0], 0xe40c292c);
	ck_assert_uint_eq(keys.key[1], 0xbf9cf968);
	ck_assert_uint_eq(keys.key[2], 0xe40c292c);
	sim_keys_free(&keys);
}

#define GZIP "got gzip data, expected a text (gzip -dc FILE prints that, and - as a file is " \
	     "standard input)"

KIT_TESTS(test_bad_keys_are_refused, 6)
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
		{ "\x1f\x8b\x08", 3, "f:1: " GZIP },
		{ "\x1f\x8c\x08", 3, "f:1: got \"\\x1f\", expected words of text" },
		{ endless, sizeof(endless), "f:1: got a word of more than 1024 bytes, "
					    "expected words of text" },
	};
	struct sim_keys keys = { 4711, NULL };
	char message[256] = "";
	FILE *in;

	memset(endless, 'x', sizeof(endless));
	in = file_of(bad[_i].text, bad[_i].size);
	ck_assert_int_eq(sim_keys_read(in, "f", &keys, message, sizeof(message)), -EINVAL);
	fclose(in);
	ck_assert_str_eq(message, bad[_i].message);
	ck_assert_uint_eq(keys.count, 4711);
}

KIT_TEST(test_one_insertion_per_word)
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

KIT_TEST(test_more_threads_than_words_are_refused)
{
	struct hash_table_config {
		size_t size; /* of this struct, for its parameter table */
		uint32_t buckets, block_size, key_inside;
	} config;
	const struct sim_workload_class *class = class_named("hash-table");
	struct sim_workload_request request = { .class = class, .config = &config, .threads = 3 };
	struct sim_workload *workload = NULL;
	char error[256] = "";

	gputm_params_init(class->params, &config, sizeof(config));
	request.keys = write_file("one two", 7);
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_str_eq(error, "--threads: got \"3\", expected 1 .. 2, the words of "
				"test-sim-files.tmp");
	request.keys = "no/such/file";
	ck_assert_int_eq(class->make(&request, &workload, error, sizeof(error)), -EINVAL);
	ck_assert_msg(strstr(error, "no/such/file: cannot be opened") != NULL, "%s", error);
	ck_assert_ptr_null(workload);
}

/* ---- edges ---- */

static int read_edges(const char *text, bool renumber, struct sim_edges *edges, char message[256])
{
	FILE *in = file_of(text, strlen(text));
	int error = sim_edges_read(in, "f", renumber, edges, message, 256);

	fclose(in);
	return error;
}

KIT_TEST(test_edges_are_read)
{
	static const char text[] = "# a comment of any length, longer than an edge: .........."
				   "............................\n0 1\n# more\n 2\t1 \r\n1 2\n\r\n"
				   " % a comment\n3 3 0.5\n0 1 ............................."
				   "................................\n2 3";
	static const uint32_t end[][2] = { { 0, 1 }, { 2, 1 }, { 1, 2 }, { 3, 3 }, { 0, 1 },
					   { 2, 3 } };
	struct sim_edges edges;
	char message[256] = "";

	ck_assert_msg(!read_edges(text, false, &edges, message), "%s", message);
	KIT_HAS(edges, vertices, 4, count, 6);
	ck_assert_mem_eq(edges.end, end, sizeof(end));
	sim_edges_free(&edges);
}

/* Numbers in ascending order; the size of a matrix is no edge. */
KIT_TEST(test_vertices_are_renumbered)
{
	static const char text[] = "\xef\xbb\xbf%%MatrixMarket matrix coordinate\r\n% x\r\n"
				   "9 9 3\r\n105 4294967295\r\n105 101 2.5\r\n105 105\r\n";
	static const uint32_t end[][2] = { { 1, 2 }, { 1, 0 }, { 1, 1 } };
	struct sim_edges edges;
	char message[256] = "";

	ck_assert_msg(!read_edges(text, true, &edges, message), "%s", message);
	KIT_HAS(edges, vertices, 3, count, 3);
	ck_assert_mem_eq(edges.end, end, sizeof(end));
	sim_edges_free(&edges);
}

#define EDGE "an edge \"VERTEX VERTEX\""
#define NUMBERS EDGE ", two numbers 0 .. 1048575 (or any, renumbered)"

static const struct {
	const char *text, *message;
} bad_edges[] = {
	{ "", "f:1: got end of file, expected " EDGE },
	{ "# nothing\n", "f:2: got end of file, expected " EDGE },
	{ "\n\n", "f:3: got end of file, expected " EDGE },
	{ "\x1f\x8b", "f:1: " GZIP },
	{ "\xff\xfe" "0", "f:1: got UTF-16, expected ASCII or UTF-8 (iconv -f UTF-16 -t UTF-8 FILE "
			  "prints that)" },
	{ "0 1\n1 two\n", "f:2: got \"1 two\", expected " NUMBERS },
	{ "0 1\n1\n", "f:2: got \"1\", expected " NUMBERS },
	{ "0 1\n1,2\n", "f:2: got \"1,2\", expected " NUMBERS },
	{ "0 -1\n", "f:1: got \"0 -1\", expected " NUMBERS },
	{ "0 1048576\n", "f:1: got \"0 1048576\", expected " NUMBERS },
	{ "0 1\n1 99999999999999999999\n", "f:2: got \"1 99999999999999999999\", "
					     "expected " NUMBERS },
	{ "0 1\n0 1\x01\n", "f:2: got \"0 1\\x01\", expected " NUMBERS },
	{ "1 ........................................................................\n",
	  "f:1: got \"1 .........................................................."
	  "...\", expected " NUMBERS },
};

KIT_TESTS(test_bad_edges_are_refused, KIT_COUNT(bad_edges))
{
	struct sim_edges edges = { 4711, 0, NULL };
	char message[256] = "";

	ck_assert_int_eq(read_edges(bad_edges[_i].text, false, &edges, message), -EINVAL);
	ck_assert_str_eq(message, bad_edges[_i].message);
	ck_assert_uint_eq(edges.vertices, 4711);
}

/* ---- traces ---- */

static int read_trace(const char *text, struct sim_trace *trace, char message[256])
{
	FILE *in = file_of(text, strlen(text));
	int error = sim_trace_read(in, "f", trace, message, 256);

	fclose(in);
	return error;
}

KIT_TEST(test_trace_is_read)
{
	static const char text[] = "\xef\xbb\xbf# name: small\n# transactions: 4 (of 9)\n#\n\n"
				   "t 7 r1000=0 w1004=ffffffff\n"
				   "t 2 w7ffffffc=1 \r\n\r\n"
				   "t\t7 r0xABC0=Ab\n"
				   "t 4294967295   r1000=5";
	static const uint32_t access[] = { 0x1000, 0x1005, 0x7ffffffd, 0xabc0, 0x1000 };
	static const uint32_t first[] = { 0, 1, 3, 4 }, order[] = { 1, 0, 2, 3 };
	static const uint32_t start[] = { 0, 2, 3, 4, 5 };
	struct sim_trace t;
	char message[256] = "";

	ck_assert_msg(!read_trace(text, &t, message), "%s", message);
	KIT_HAS(t, transactions, 4, threads, 3, accesses, 5);
	ck_assert_mem_eq(t.access, access, sizeof(access));
	ck_assert_mem_eq(t.first, first, sizeof(first));
	ck_assert_mem_eq(t.order, order, sizeof(order));
	ck_assert_mem_eq(t.start, start, sizeof(start));
	sim_trace_free(&t);
}

#define TX "a transaction \"t THREAD ACCESS ...\""
#define ACCESS "an access rADDRESS=VALUE or wADDRESS=VALUE"
#define ADDRESS "an address that is a multiple of 4 in 1000 .. 7ffffffc"
#define RANGE "an address within 1000 .. 7ffffffc, as this one is out of range"
#define VALUE "a hexadecimal value after \"=\""
#define EQUALS "a hexadecimal address and \"=\" after the r or w"
#define THREAD "a decimal thread number in 0 .. 4294967295"

static const struct {
	const char *text, *message;
} bad_trace[] = {
	{ "", "f:1: got end of file, expected " TX },
	{ "# transactions: 1\n", "f:2: truncated: 1 transactions announced, 0 read" },
	{ "# only a header\n", "f:2: got end of file, expected " TX },
	{ "hello\n", "f:1: got \"hello\", expected " TX },
	{ "\n", "f:2: got end of file, expected " TX },
	{ "\x1f\x8b\x08\x08", "f:1: " GZIP },
	{ "t\n", "f:1: got end of line, expected " THREAD },
	{ "t x r1000=0\n", "f:1: got \"x\", expected " THREAD },
	{ "t 4294967296 r1000=0\n", "f:1: got \"4294967296\", expected " THREAD },
	{ "t -1 r1000=0\n", "f:1: got \"-1\", expected " THREAD },
	{ "t 1\n", "f:1: got end of line, expected at least one access" },
	{ "t 1 r1000=0\nt 1 x1000=0\n", "f:2: got \"x1000=0\", expected " ACCESS },
	{ "t 1 1000=0\n", "f:1: got \"1000=0\", expected " ACCESS },
	{ "t 1 r1000\n", "f:1: got \"r1000\", expected " EQUALS },
	{ "t 1 r0x=0\n", "f:1: got \"r0x=0\", expected " EQUALS },
	{ "t 1 r=0\n", "f:1: got \"r=0\", expected " EQUALS },
	{ "t 1 r1001=0\n", "f:1: got \"r1001=0\", expected " ADDRESS },
	{ "t 1 rffc=0\n", "f:1: got \"rffc=0\", expected " RANGE },
	{ "t 1 r80000000=0\n", "f:1: got \"r80000000=0\", expected " RANGE },
	{ "t 1 r7f8a46000000=0\n", "f:1: got \"r7f8a46000000=0\", expected " RANGE },
	{ "t 1 r1000=\n", "f:1: got \"r1000=\", expected " VALUE },
	{ "t 1 r1000=100000000\n", "f:1: got \"r1000=100000000\", expected a value "
				     "within 0 .. ffffffff, as this one is out of range" },
	{ "t 1 r1000=1.5\n", "f:1: got \"r1000=1.5\", expected " VALUE },
	{ "t 1 r1000=0\r\r\n", "f:1: got \"r1000=0\\x0d\", expected " VALUE },
	{ "t 1 r1000=0\n# late\n",
	  "f:2: got \"#\", expected a transaction: header lines stand before all of them" },
	{ "# transactions: many\nt 1 r1000=0\n",
	  "f:1: got \"many\", expected the number of transactions, 1 .. 4294967295" },
	{ "# transactions: 0\n", "f:1: got \"0\", expected the number of transactions, "
				 "1 .. 4294967295" },
	{ "# transactions: 2\nt 1 r1000=0\n", "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 2\nt 1 r1000=0\nt 2 r1000=",
	  "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 2\nt 1 r1000=0\nt 2 r10",
	  "f:3: truncated: 2 transactions announced, 1 read" },
	{ "# transactions: 1\nt 1 r1000=0\nt 2 r1000=0\n",
	  "f:3: got one more transaction, expected the end after the 1 announced" },
	{ "t 1 r1000", "f:1: got \"r1000\", expected " EQUALS
		       " (is the file truncated? 0 transactions read)" },
	{ "t 1 r1000=0\nt", "f:2: got end of line, expected " THREAD
			    " (is the file truncated? 1 transactions read)" },
	{ "t 1 r1000=0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
	  "f:1: got \"r1000=0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\", "
	  "expected " ACCESS },
};

KIT_TESTS(test_bad_traces_are_refused, KIT_COUNT(bad_trace))
{
	struct sim_trace t = { .transactions = 4711 };
	char message[256] = "";

	ck_assert_int_eq(read_trace(bad_trace[_i].text, &t, message), -EINVAL);
	ck_assert_str_eq(message, bad_trace[_i].message);
	ck_assert_uint_eq(t.transactions, 4711);
}

static const char small_trace[] = "t 3 r1000=0 w1004=1 r1004=1 w1000=2\n"
				  "t 1 w2000=9\n"
				  "t 3 r2000=9 r2000=9\n"
				  "t 1 r1000=2 w2000=3\n";

static struct sim_workload *replay_small(void)
{
	const char *name = write_file(small_trace, strlen(small_trace));

	return make_with("trace", NULL, 0, NULL, name);
}

/* Thread 1 is lane 0, thread 3 lane 1; the recorded accesses, with values of their own. */
KIT_TESTS(test_trace_replays_its_accesses, 2)
{
	static const uint64_t expected[] = { 0x2001, 0x1000, 0x2001, 0x1000, 0x1005,
					     0x1004, 0x1001, 0x2000, 0x2000 };
	uint64_t access[10];
	uint32_t value[10];
	struct run run = { .workload = replay_small(), .access = access, .value = value,
			   .capacity = 10 };

	KIT_HAS(*run.workload, threads, 2, block_size, 128);
	run_all(&run, _i ? SIM_LOCKS : SIM_TRANSACTIONS);
	KIT_HAS(run, transactions, 4, recorded, 9);
	for (size_t i = 0; i < 9; i++)
		ck_assert_uint_eq(access[i], expected[i]);
	ck_assert_uint_eq(value[5], value[4]);
	for (size_t i = 0; i < 9; i++)
		for (size_t k = 0; k < i; k++)
			if (access[i] & access[k] & 1)
				ck_assert_uint_ne(value[i], value[k]);
	finish(&run);
}

KIT_WITH(test_trace_values_tell_attempts_apart, struct sim_workload *workload, replay_small())
{
	const struct sim_program *program = workload->program[SIM_TRANSACTIONS];
	struct serial s;

	serial_begin(&s, program, 0);
	for (uint32_t attempt = 0, seen[64]; attempt < 64; attempt++) {
		s.reg[32 * program->special[SIM_OWN_ATTEMPT]] = attempt;
		serial_eval(&s, program, 2);
		ck_assert(s.step.chosen);
		ck_assert_uint_eq(s.address[0], 0x2000);
		seen[attempt] = s.value[0];
		for (uint32_t i = 0; i < attempt; i++)
			ck_assert_uint_ne(seen[i], s.value[0]);
	}
	workload->class->free(workload);
}

/* Every word of the footprint is locked once, in ascending order, outside the data. */
KIT_WITH(test_trace_locks_ascend, struct sim_workload *workload, replay_small())
{
	const struct sim_program *program = workload->program[SIM_LOCKS];
	struct serial s;
	uint64_t taken[8];
	size_t count = 0;
	uint32_t pc = 0;

	serial_begin(&s, program, 1);
	while (program->code[pc].op != SIM_ENTER) {
		bool branch = program->code[pc].op == SIM_BRANCH;

		serial_eval(&s, program, pc);
		if (program->code[pc].op == SIM_CAS)
			taken[count++] = s.address[0];
		ck_assert_uint_lt(count, 8);
		pc = branch && s.step.chosen ? program->code[pc].target : pc + 1;
	}
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(taken[0], workload->lock_base + 0x1000);
	ck_assert_uint_eq(taken[1], workload->lock_base + 0x1004);
	workload->class->free(workload);
}

/* A lane that misses its second lock gives the first back before it tries again. */
KIT_WITH(test_trace_lock_is_given_back, struct sim_workload *workload, replay_small())
{
	const struct sim_program *program = workload->program[SIM_LOCKS];
	struct serial s;
	uint32_t pc = 0, attempts = 0;
	bool held[2] = { false, false };

	serial_begin(&s, program, 1);
	while (attempts < 3) {
		bool branch = program->code[pc].op == SIM_BRANCH;
		uint32_t which;

		ck_assert_int_ne(program->code[pc].op, SIM_ENTER);
		if (program->code[pc].op <= SIM_BRANCH)
			serial_eval(&s, program, pc);
		which = s.address[0] == workload->lock_base + 0x1004;
		if (program->code[pc].op == SIM_CAS) {
			ck_assert(!held[which]);
			serial_load(&s, which); /* the second one belongs to another lane */
			held[0] |= !which;
			attempts += which;
		} else if (program->code[pc].op == SIM_STORE && s.step.chosen) {
			ck_assert_uint_eq(which, 0);
			ck_assert(held[0]);
			held[0] = false;
		}
		pc = branch && s.step.chosen ? program->code[pc].target : pc + 1;
	}
	workload->class->free(workload);
}
