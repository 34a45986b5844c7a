/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of gputm-sim's command line, JSON and CSV, and of what --check finds. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "examples/sim/check/check.h"
#include "examples/sim/study/options.h"
#include "examples/sim/report/emit.h"
#include "tests/kit.h"

/* ---- command line ---- */

#define WORDS 20

static int parse(const char *const words[], struct sim_options *options)
{
	char *argv[WORDS + 2] = { (char *)(uintptr_t)"gputm-sim" };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	return sim_options_parse(argc, argv, options);
}

KIT_TEST(test_options_have_defaults)
{
	const char *words[] = { NULL };
	struct sim_options o;

	ck_assert_int_eq(parse(words, &o), 0);
	ck_assert_str_eq(o.system, "kilo-tm");
	ck_assert_str_eq(o.machine, "fermi");
	ck_assert_str_eq(o.workload, "hash-table");
	ck_assert_uint_eq(o.concurrency, 2);
	ck_assert_uint_eq(o.seed, 1);
	ck_assert(!o.threads_given && !o.check && !o.list && !o.help && !o.version);
	ck_assert_ptr_null(o.keys);
	ck_assert_ptr_null(o.edges);
	ck_assert_ptr_null(o.trace);
	ck_assert(!o.kernel && !o.divergence && !o.issues);
	ck_assert_ptr_null(o.out);
	ck_assert_int_eq(o.format, SIM_TEXT);
	ck_assert_int_eq(o.progress, SIM_PROGRESS_AUTO);
	sim_options_free(&o);
}

KIT_TEST(test_options_are_taken)
{
	const char *words[] = { "--system", "ideal", "--concurrency=inf", "--threads", "0x10",
				"--set", "a.b=c", "--set=d.e.f=g=h", "--check", "--format=csv",
				"--progress=never", "--workload", "graph-cut", "--edges", "x",
				NULL };
	struct sim_options o;

	ck_assert_int_eq(parse(words, &o), 0);
	ck_assert_str_eq(o.system, "ideal");
	ck_assert_str_eq(o.workload, "graph-cut");
	ck_assert_str_eq(o.edges, "x");
	ck_assert_uint_eq(o.concurrency, 0);
	ck_assert(o.threads_given && o.check);
	ck_assert_uint_eq(o.threads, 16);
	ck_assert_uint_eq(o.set_count, 2);
	ck_assert_str_eq(o.set[0], "a.b=c");
	ck_assert_str_eq(o.set[1], "d.e.f=g=h");
	ck_assert_int_eq(o.format, SIM_CSV);
	ck_assert_int_eq(o.progress, SIM_PROGRESS_NEVER);
	sim_options_free(&o);
}

static const char *const bad_options[][WORDS] = {
	{ "--frobnicate" }, { "hash-table" },	      { "-x" },		     { "--threads" },
	{ "--threads=0" },  { "--threads=many" },     { "--threads=-1" },
	{ "--threads=4194305" },
	{ "--seed=" },	    { "--seed=99999999999999999999" },		     { "--concurrency=0" },
	{ "--concurrency=65" }, { "--check=yes" },    { "--format=xml" },    { "--progress=maybe" },
	{ "--set=cores=4" }, { "--set=machine.cores" }, { "--set", "a=b.c" }, { "--system=" },
	{ "--out" },	    { "--trace=x", "--threads=4" }, { "--trace=x", "--workload=bank" },
	{ "--keys=x", "--workload=bank" }, { "--keys=x", "--trace=y" },
	{ "--edges=x" },    { "--edges=x", "--workload=list" }, { "--edges=x", "--trace=y" },
};

KIT_TESTS(test_bad_options_are_refused, KIT_COUNT(bad_options))
{
	struct sim_options o;

	ck_assert_int_eq(parse(bad_options[_i], &o), -1);
	sim_options_free(&o);
}

/* ---- emit ---- */

static char *emitted(enum emit_shape shape, const char *only)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct emit e;

	ck_assert_ptr_nonnull(out);
	emit_begin(&e, shape, out);
	e.only = only;
	e.run = "r";
	emit_text(&e, "name", "a \"b\", \\c\n\xff");
	emit_object(&e, "empty");
	emit_end(&e);
	emit_object(&e, "config");
	emit_u64(&e, "big", UINT64_MAX);
	emit_object(&e, "deep");
	emit_bool(&e, "yes", true);
	emit_end(&e);
	emit_end(&e);
	emit_text(&e, "nothing", NULL);
	emit_array(&e, "list");
	emit_u64(&e, "0", 7);
	emit_object(&e, "1");
	emit_real(&e, "x", 0.5);
	emit_end(&e);
	emit_end(&e);
	emit_hidden(&e, "units", true);
	emit_unit(&e, "kind", "a.b", 2, 1);
	emit_hidden(&e, "stats", false);
	e.note = "Hits.";
	emit_u64(&e, "hits", 3);
	emit_end(&e);
	emit_u64(&e, "bits", 9);
	emit_end(&e);
	emit_end(&e);
	emit_finish(&e);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

KIT_TEST(test_emit_json)
{
	char *text = emitted(EMIT_JSON, NULL);

	ck_assert_str_eq(text, "{\n"
			       "  \"name\": \"a \\\"b\\\", \\\\c\\u000a\\u00ff\",\n"
			       "  \"empty\": {},\n"
			       "  \"config\": {\n"
			       "    \"big\": 18446744073709551615,\n"
			       "    \"deep\": {\n"
			       "      \"yes\": true\n"
			       "    }\n"
			       "  },\n"
			       "  \"nothing\": null,\n"
			       "  \"list\": [\n"
			       "    7,\n"
			       "    {\n"
			       "      \"x\": 0.500000\n"
			       "    }\n"
			       "  ],\n"
			       "  \"units\": [\n"
			       "    {\n"
			       "      \"unit\": \"kind\",\n"
			       "      \"role\": \"a.b\",\n"
			       "      \"instance\": 2,\n"
			       "      \"stats\": {\n"
			       "        \"hits\": 3\n"
			       "      },\n"
			       "      \"bits\": 9\n"
			       "    }\n"
			       "  ]\n"
			       "}\n");
	free(text);
}

KIT_TEST(test_emit_csv)
{
	char *text = emitted(EMIT_CSV, NULL);

	ck_assert_str_eq(text, "run,role,instance,statistic,value\n"
			       "r,,,name,\"a \"\"b\"\", \\c\n\xff\"\n"
			       "r,config,,big,18446744073709551615\n"
			       "r,config,,deep.yes,true\n"
			       "r,,,nothing,\n"
			       "r,list,,0,7\n"
			       "r,list,,1.x,0.500000\n"
			       "r,a.b,2,hits,3\n"
			       "r,a.b,2,bits,9\n");
	free(text);
}

KIT_TEST(test_emit_gem5)
{
	char *text = emitted(EMIT_GEM5, "config.*,a.b.*");

	ck_assert_ptr_nonnull(strstr(text, "Begin Simulation Statistics"));
	ck_assert_ptr_nonnull(strstr(text, "\nconfig.deep.yes "));
	ck_assert_ptr_nonnull(strstr(text, "   1    # yes\n"));
	ck_assert_ptr_nonnull(strstr(text, "\na.b.2.hits "));
	ck_assert_ptr_nonnull(strstr(text, "   3    # Hits.\n"));
	ck_assert_ptr_null(strstr(text, "name"));
	free(text);
}

KIT_TEST(test_emit_only)
{
	char *text = emitted(EMIT_JSONL, "config.deep.*,a.b.hits,nothing,name");

	ck_assert_str_eq(text, "{\"name\":\"a \\\"b\\\", \\\\c\\u000a\\u00ff\","
			       "\"config.deep.yes\":true,\"nothing\":null,"
			       "\"a.b.2.hits\":3}\n");
	free(text);
	text = emitted(EMIT_JSON, "config.deep.*,a.b.hits");
	ck_assert_str_eq(text, "{\n"
			       "  \"config\": {\n"
			       "    \"deep\": {\n"
			       "      \"yes\": true\n"
			       "    }\n"
			       "  },\n"
			       "  \"units\": [\n"
			       "    {\n"
			       "      \"unit\": \"kind\",\n"
			       "      \"role\": \"a.b\",\n"
			       "      \"instance\": 2,\n"
			       "      \"stats\": {\n"
			       "        \"hits\": 3\n"
			       "      }\n"
			       "    }\n"
			       "  ]\n"
			       "}\n");
	free(text);
	text = emitted(EMIT_TEXT, "list.*");
	ck_assert_ptr_nonnull(strstr(text, "  list.1.x  "));
	ck_assert_ptr_null(strstr(text, "config"));
	free(text);
	text = emitted(EMIT_JSONL, "absent");
	ck_assert_str_eq(text, "{}\n");
	free(text);
}

/* ---- check ---- */

static void no_setup(const struct sim_workload *workload, struct sim_memory *memory)
{
	(void)workload;
	sim_memory_write(memory, 0x1000, 5);
}

static const char *no_sevens(const struct sim_workload *workload, const struct sim_memory *memory,
			     char *error, size_t size)
{
	(void)workload;
	if (sim_memory_read(memory, 0x1000) != 7)
		return NULL;
	snprintf(error, size, "a seven");
	return error;
}

static const struct sim_workload_class plain_class = { .setup = no_setup, .invariant = no_sevens };
static const struct sim_workload plain = { .class = &plain_class, .threads = 3,
					   .lock_base = 0x9000 };

struct history {
	struct sim_check *check;
	const struct sim_observer *tell;
	struct sim_memory *memory; /* the final one, kept by the test */
	struct sim_verdict verdict;
};

static void history_open(struct history *h, const struct sim_workload *workload)
{
	h->check = sim_check_new(workload);
	h->memory = sim_memory_new();
	ck_assert(h->check && h->memory);
	h->tell = sim_check_observer(h->check);
	no_setup(&plain, h->memory);
}

static void reads(struct history *h, uint32_t thread, uint64_t address, uint32_t value)
{
	h->tell->load(h->tell->state, thread, address, value, 0);
}

/* The value that the transaction at place `version` wrote. */
static void reads_version(struct history *h, uint32_t thread, uint64_t address, uint32_t value,
			  uint32_t version)
{
	h->tell->load(h->tell->state, thread, address, value, version);
}

static void writes(struct history *h, uint32_t thread, uint64_t address, uint32_t value)
{
	h->tell->store(h->tell->state, thread, true, address, value);
}

static void commits(struct history *h, uint32_t thread, uint64_t witness)
{
	h->tell->commit(h->tell->state, thread, witness);
}

static void aborts(struct history *h, uint32_t thread)
{
	h->tell->abort(h->tell->state, thread, SIM_ABORT_VALIDATION);
}

static void ends_with(struct history *h, uint64_t address, uint32_t value)
{
	sim_memory_write(h->memory, address, value);
}

/* Passes if `failure` is NULL, else fails with a sentence that has these words. */
static void judged(struct history *h, const char *failure)
{
	ck_assert_int_eq(sim_check_judge(h->check, h->memory, &h->verdict), 0);
	ck_assert_msg(h->verdict.passed == !failure, "%s", h->verdict.failure);
	if (failure)
		ck_assert_msg(strstr(h->verdict.failure, failure) != NULL, "%s",
			      h->verdict.failure);
	sim_check_free(h->check);
	sim_memory_free(h->memory);
}

/* Adds find what those before them left, unless stores change the word, too. */
KIT_TESTS(test_adds_follow_one_another, 5)
{
	static const struct {
		uint32_t found[2], end;
		bool stored, right;
	} adds[] = { { { 5, 8 }, 11, false, true }, { { 5, 5 }, 8, false, false },
		     { { 4, 7 }, 10, false, false }, { { 5, 8 }, 8, false, false },
		     { { 5, 5 }, 8, true, true } };
	struct history h;

	history_open(&h, &plain);
	for (int i = 0; i < 2; i++)
		h.tell->add(h.tell->state, 0x1000, adds[_i].found[i], 3);
	if (adds[_i].stored)
		h.tell->cas(h.tell->state, 0x1000);
	reads(&h, 1, 0x1000, 77);
	commits(&h, 1, 1);
	ends_with(&h, 0x1000, adds[_i].end);
	judged(&h, adds[_i].right ? NULL : "the adds to 0x1000 did not find");
}

/* Told in another order than they stand in the serial order. */
KIT_TEST(test_check_goes_by_the_witness)
{
	struct history h;

	history_open(&h, &plain);
	reads(&h, 1, 0x1000, 6);
	writes(&h, 1, 0x1000, 8);
	commits(&h, 1, 20);
	reads(&h, 0, 0x1000, 5);
	writes(&h, 0, 0x1000, 6);
	reads(&h, 0, 0x1000, 6); /* its own */
	commits(&h, 0, 10);
	ends_with(&h, 0x1000, 8);
	judged(&h, NULL);
	ck_assert_uint_eq(h.verdict.transactions, 2);
	ck_assert_uint_eq(h.verdict.reads, 3);
	ck_assert_uint_eq(h.verdict.writes, 2);
}

KIT_TEST(test_check_finds_a_lost_update)
{
	struct history h;

	history_open(&h, &plain);
	reads(&h, 0, 0x1000, 5);
	reads(&h, 1, 0x1000, 5);
	writes(&h, 0, 0x1000, 6);
	writes(&h, 1, 0x1000, 6);
	commits(&h, 0, 1000);
	commits(&h, 1, 2000);
	ends_with(&h, 0x1000, 6);
	judged(&h, "thread 1, transaction 1 of the thread, access 1, at place 2 of the serial "
		   "order, read 5 from 0x1000 where that order gives 6");
	ck_assert(!h.verdict.serializable);
	ck_assert(h.verdict.invariant);
}

KIT_TEST(test_check_finds_write_skew)
{
	struct history h;

	history_open(&h, &plain);
	reads(&h, 0, 0x1000, 5);
	reads(&h, 0, 0x2000, 0);
	reads(&h, 1, 0x1000, 5);
	reads(&h, 1, 0x2000, 0);
	writes(&h, 0, 0x1000, 1);
	writes(&h, 1, 0x2000, 1);
	commits(&h, 0, 1);
	commits(&h, 1, 2);
	ends_with(&h, 0x1000, 1);
	ends_with(&h, 0x2000, 1);
	judged(&h, "thread 1");
}

/* Changed and changed back: right by value, and so it passes. */
KIT_TEST(test_check_tolerates_aba)
{
	struct history h;

	history_open(&h, &plain);
	reads(&h, 2, 0x1000, 5);
	writes(&h, 0, 0x1000, 6);
	commits(&h, 0, 1);
	writes(&h, 1, 0x1000, 5);
	commits(&h, 1, 2);
	writes(&h, 2, 0x2000, 1);
	commits(&h, 2, 3);
	ends_with(&h, 0x2000, 1);
	judged(&h, NULL);
}

KIT_TEST(test_check_forgets_aborted_attempts)
{
	struct history h;

	history_open(&h, &plain);
	h.tell->store(h.tell->state, 0, false, 0x3000, 9); /* before the transaction */
	reads(&h, 0, 0x1000, 1234);
	writes(&h, 0, 0x2000, 1);
	aborts(&h, 0);
	reads(&h, 0, 0x1000, 5);
	reads(&h, 0, 0x3000, 9);
	commits(&h, 0, 1);
	h.tell->store(h.tell->state, 0, false, 0x3004, 3); /* and after it */
	ends_with(&h, 0x3000, 9);
	ends_with(&h, 0x3004, 3);
	judged(&h, NULL);
}

KIT_TESTS(test_check_compares_the_final_memory, 3)
{
	struct history h;

	history_open(&h, &plain);
	writes(&h, 0, 0x1000, 6);
	commits(&h, 0, 1);
	if (_i == 0)
		ends_with(&h, 0x1000, 5); /* a write that was lost */
	else
		ends_with(&h, 0x1000, 6);
	if (_i == 1)
		ends_with(&h, 0x5000, 1); /* one out of nowhere */
	if (_i == 2)
		ends_with(&h, 0x9000, 1); /* a lock */
	judged(&h, _i == 0 ? "0x1000 ends as 5 and, in the serial order, as 6" :
		   _i == 1 ? "0x5000 ends as 1 and, in the serial order, as 0" :
			     NULL);
}

KIT_TEST(test_check_asks_the_workload)
{
	struct history h;

	history_open(&h, &plain);
	writes(&h, 0, 0x1000, 7);
	commits(&h, 0, 1);
	ends_with(&h, 0x1000, 7);
	judged(&h, "the workload's invariant is broken: a seven");
	ck_assert(h.verdict.serializable);
	ck_assert(!h.verdict.invariant);
}

KIT_TESTS(test_check_counts_the_transactions, 2)
{
	static const struct sim_workload two = { .class = &plain_class, .threads = 3,
						 .transactions = 2, .lock_base = 0x9000 };
	struct history h;

	history_open(&h, &two);
	commits(&h, 0, 1);
	if (_i)
		commits(&h, 1, 2);
	judged(&h, _i ? NULL : "1 transactions were committed and not 2");
}

KIT_TEST(test_check_refuses_one_place_for_two)
{
	struct history h;

	history_open(&h, &plain);
	commits(&h, 0, 1000);
	commits(&h, 2, 1000);
	judged(&h, "threads 0 and 2 both stand at place 1 of");
}

/* 1 writes a, 2 writes b; the reader saw b written and a not: it stands before 1. */
KIT_TEST(test_check_places_a_silent_reader_against_the_order_of_others)
{
	struct history h;

	history_open(&h, &plain);
	writes(&h, 0, 0x100, 7);
	commits(&h, 0, 1);
	writes(&h, 1, 0x200, 8);
	commits(&h, 1, 2);
	reads_version(&h, 2, 0x200, 8, 2);
	reads_version(&h, 2, 0x100, 0, 0);
	commits(&h, 2, SIM_NO_PLACE);
	ends_with(&h, 0x100, 7);
	ends_with(&h, 0x200, 8);
	judged(&h, NULL);
}

/* The same, but 2 has read what 1 wrote: the reader would stand before 1 and behind 2. */
KIT_TEST(test_check_finds_a_torn_silent_reader)
{
	struct history h;

	history_open(&h, &plain);
	writes(&h, 0, 0x100, 7);
	commits(&h, 0, 1);
	reads(&h, 1, 0x100, 7);
	writes(&h, 1, 0x200, 8);
	commits(&h, 1, 2);
	reads_version(&h, 2, 0x200, 8, 2);
	reads_version(&h, 2, 0x100, 0, 0);
	commits(&h, 2, SIM_NO_PLACE);
	ends_with(&h, 0x100, 7);
	ends_with(&h, 0x200, 8);
	judged(&h, "no serial order: 3 transactions wait for one another, among them 3 in a "
		   "circle: thread 0, transaction 1 of the thread, wrote 0x100 before thread 1, "
		   "transaction 1 of the thread, read it; thread 1, transaction 1 of the thread, "
		   "wrote 0x200 before thread 2, transaction 1 of the thread, read it; thread 2, "
		   "transaction 1 of the thread, read 0x100 before thread 0, transaction 1 of the "
		   "thread, wrote it");
}

/* Each of five reads what was there before the next one's write; one more only follows them, and
 * of a long circle the first ones are named. */
KIT_TEST(test_check_names_a_circle)
{
	static const struct sim_workload six = { .class = &plain_class, .threads = 6,
						 .lock_base = 0x9000 };
	struct history h;

	history_open(&h, &six);
	for (uint32_t i = 0; i < 5; i++) {
		reads_version(&h, i, 0x100 + 4 * ((i + 1) % 5), 0, 0);
		writes(&h, i, 0x100 + 4 * i, 7);
		commits(&h, i, SIM_BY_VERSION | (10 - i));
		ends_with(&h, 0x100 + 4 * i, 7);
	}
	writes(&h, 5, 0x100, 7);
	commits(&h, 5, SIM_BY_VERSION | 11);
	judged(&h, "no serial order: 6 transactions wait for one another, among them 5 in a "
		   "circle: thread 4, transaction 1 of the thread, read 0x100 before thread 0,");
	ck_assert_msg(strstr(h.verdict.failure, "thread 3, transaction 1 of the thread, wrote it; "
						"and so on"), "%s", h.verdict.failure);
}

/*
 * Snapshots: 1 has read the old word that 0 overwrote, and stands before it though it
 * committed later; it reads its own write. A plain store before the transaction tells nothing.
 */
KIT_TEST(test_check_places_reads_by_version)
{
	struct history h;

	history_open(&h, &plain);
	h.tell->store(h.tell->state, 0, false, 0x300, 3);
	writes(&h, 0, 0x1000, 6);
	commits(&h, 0, SIM_BY_VERSION | 1);
	reads_version(&h, 1, 0x1000, 5, 0);
	writes(&h, 1, 0x200, 8);
	reads_version(&h, 1, 0x200, 8, SIM_OWN_VERSION);
	commits(&h, 1, SIM_BY_VERSION | 2);
	reads_version(&h, 2, 0x1000, 6, 1);
	reads_version(&h, 2, 0x300, 3, 0);
	reads_version(&h, 2, 0x200, 8, 2);
	commits(&h, 2, SIM_BY_VERSION | 3);
	ends_with(&h, 0x1000, 6);
	ends_with(&h, 0x200, 8);
	ends_with(&h, 0x300, 3);
	judged(&h, NULL);
}

/* Both writers read the old words; or (i = 1) one of them, and a reader stands between. */
KIT_TESTS(test_check_finds_the_anomalies_of_snapshots, 2)
{
	struct history h;

	history_open(&h, &plain);
	reads_version(&h, 0, 0x1000, 5, 0);
	reads_version(&h, 0, 0x200, 0, 0);
	writes(&h, 0, 0x200, 8);
	commits(&h, 0, SIM_BY_VERSION | 1);
	if (_i)
		reads_version(&h, 2, 0x200, 8, 1);
	else
		reads_version(&h, 1, 0x200, 0, 0);
	if (_i)
		reads_version(&h, 2, 0x1000, 5, 0);
	if (_i)
		commits(&h, 2, SIM_BY_VERSION | 3);
	if (_i)
		reads_version(&h, 1, 0x200, 0, 0);
	writes(&h, 1, 0x1000, 6);
	commits(&h, 1, SIM_BY_VERSION | 2);
	ends_with(&h, 0x200, 8);
	ends_with(&h, 0x1000, 6);
	judged(&h, "among them 2 in a circle: thread 0, "
		   "transaction 1 of the thread, read 0x1000 before thread 1, transaction 1 of the "
		   "thread, wrote it; thread 1, transaction 1 of the thread, read 0x200 before "
		   "thread 0, transaction 1 of the thread, wrote it");
}

/* Thread 0 fills a word and then publishes it; thread 1 finds it published, and reads it in its
 * next transaction. That one alone says nothing of its place; program order does. */
KIT_TEST(test_check_knows_program_order)
{
	struct history h;

	history_open(&h, &plain);
	h.tell->store(h.tell->state, 0, false, 0x200, 7);
	writes(&h, 0, 0x1000, 6);
	commits(&h, 0, SIM_BY_VERSION | 1);
	reads_version(&h, 1, 0x1000, 6, 1);
	commits(&h, 1, SIM_BY_VERSION | 3);
	reads_version(&h, 1, 0x200, 7, 0);
	commits(&h, 1, SIM_BY_VERSION | 2);
	ends_with(&h, 0x1000, 6);
	ends_with(&h, 0x200, 7);
	judged(&h, NULL);
}

/* A thread's second transaction reads what was before its first; by versions (i = 0), by place. */
KIT_TESTS(test_check_finds_contradictions_of_program_order, 2)
{
	struct history h;

	history_open(&h, &plain);
	writes(&h, 0, 0x1000, 6);
	commits(&h, 0, _i ? 2 : SIM_BY_VERSION | 2);
	reads_version(&h, 1, 0x1000, 6, 2);
	commits(&h, 1, _i ? 3 : SIM_BY_VERSION | 3);
	reads_version(&h, 1, 0x1000, 5, 0);
	commits(&h, 1, _i ? 1 : SIM_BY_VERSION | 4);
	ends_with(&h, 0x1000, 6);
	judged(&h, _i ? "transaction 1 of thread 1 stands behind transaction 2 of the thread" :
			"; thread 1 made transaction 1 of the thread before its transaction 2; ");
}

KIT_TEST(test_check_finds_an_unfinished_transaction)
{
	struct history h;

	history_open(&h, &plain);
	reads(&h, 2, 0x1000, 5);
	judged(&h, "thread 2 ended inside a transaction, its number 1, after 1 accesses");
}
