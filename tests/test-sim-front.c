/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of gputm-sim's command line, JSON and CSV, and of what --check finds. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>

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
	KIT_HAS(o, concurrency, 2, seed, 1);
	ck_assert(!o.threads_given && !o.check && !o.list && !o.help && !o.version);
	ck_assert_ptr_null(o.keys);
	ck_assert_ptr_null(o.edges);
	ck_assert_ptr_null(o.trace);
	ck_assert(!o.kernel && !o.divergence && !o.issues);
	ck_assert_ptr_null(o.out);
	KIT_HAS(o, format, SIM_TEXT, progress, SIM_PROGRESS_AUTO);
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
	KIT_HAS(o, threads, 16, set_count, 2);
	ck_assert_str_eq(o.set[0], "a.b=c");
	ck_assert_str_eq(o.set[1], "d.e.f=g=h");
	KIT_HAS(o, format, SIM_CSV, progress, SIM_PROGRESS_NEVER);
	sim_options_free(&o);
}

static const char *const bad_options[][WORDS] = {
	{ "--frobnicate" }, { "hash-table" },	      { "-x" },		     { "--threads" },
	{ "--threads=0" },  { "--threads=many" },     { "--threads=-1" },
	{ "--threads=4194305" },
	{ "--seed=" },	    { "--seed=99999999999999999999" },		     { "--concurrency=0" },
	{ "--concurrency=65" }, { "--check=yes" },    { "--format=xml" },    { "--progress=maybe" },
	{ "--set=machine.cores" }, { "--system=" },
	{ "--out" },	    { "--trace=x", "--threads=4" }, { "--trace=x", "--workload=bank" },
	{ "--keys=x", "--trace=y" }, { "--edges=x", "--trace=y" },
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

static const struct kit_case *json;

/* With the members that the answer names, or with all. */
KIT_TESTS(test_emit_json, kit_cases("emitted.txt", &json))
{
	char *text = emitted(EMIT_JSON, json[_i].answer);

	ck_assert_str_eq(text, json[_i].text);
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
	sim_memory_write(memory, 0x1000, 5);
}

static const char *no_sevens(const struct sim_workload *workload, const struct sim_memory *memory,
			     char *error, size_t size)
{
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

/*
 * Tell a story, of clauses that end with ";": "1 reads 2000=5" (thread, address, value), where
 * "of 3" names the place of the transaction that wrote the value; "1 rereads" its own value;
 * "1 writes" in the transaction, "1 stores" outside; "1 commits 20" at a place of the serial order,
 * "by version" in the order of what was read, or "silently"; "1 aborts"; "memory holds 2000=5".
 */
static void tell(struct history *h, const char *story)
{
	const struct sim_observer *o = h->tell;

	for (; story; story = strchr(story, ';') ? strchr(story, ';') + 1 : NULL) {
		unsigned thread, address = 0, value = 0, version = 0;
		uint64_t place = SIM_NO_PLACE;
		char verb[16] = "", by[4] = "";
		int got;

		if (sscanf(story, " memory holds %x=%u", &address, &value) == 2) {
			sim_memory_write(h->memory, address, value);
			continue;
		}
		got = sscanf(story, " %u %15[a-z] %x=%u of %u", &thread, verb, &address, &value,
			     &version);
		ck_assert_msg(got >= 4 || !strcmp(verb, "aborts") || !strcmp(verb, "commits"),
			      "no clause: %s", story);
		if (!strcmp(verb, "reads"))
			o->load(o->state, thread, address, value, version);
		else if (!strcmp(verb, "rereads"))
			o->load(o->state, thread, address, value, SIM_OWN_VERSION);
		else if (!strcmp(verb, "writes") || !strcmp(verb, "stores"))
			o->store(o->state, thread, !strcmp(verb, "writes"), address, value);
		else if (!strcmp(verb, "aborts"))
			o->abort(o->state, thread, SIM_ABORT_VALIDATION);
		else if (sscanf(story, " %*u commits %" SCNu64 " %2[by]", &place, by) >= 0)
			o->commit(o->state, thread, *by ? SIM_BY_VERSION | place : place);
		else
			ck_abort_msg("no clause: %s", story);
	}
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
	tell(&h, "1 reads 1000=77; 1 commits 1");
	sim_memory_write(h.memory, 0x1000, adds[_i].end);
	judged(&h, adds[_i].right ? NULL : "the adds to 0x1000 did not find");
}

/* Told in another order than they stand in the serial order. */
KIT_TEST(test_check_goes_by_the_witness)
{
	struct history h;

	history_open(&h, &plain);
	tell(&h, "1 reads 1000=6; 1 writes 1000=8; 1 commits 20; 0 reads 1000=5; 0 writes 1000=6;"
		 "0 reads 1000=6; 0 commits 10; memory holds 1000=8");
	judged(&h, NULL);
	KIT_HAS(h.verdict, transactions, 2, reads, 3, writes, 2);
}

KIT_TEST(test_check_finds_a_lost_update)
{
	struct history h;

	history_open(&h, &plain);
	tell(&h, "0 reads 1000=5; 1 reads 1000=5; 0 writes 1000=6; 1 writes 1000=6;"
		 "0 commits 1000; 1 commits 2000; memory holds 1000=6");
	judged(&h, "thread 1, transaction 1 of the thread, access 1, at place 2 of the serial "
		   "order, read 5 from 0x1000 where that order gives 6");
	ck_assert(!h.verdict.serializable);
	ck_assert(h.verdict.invariant);
}

KIT_TEST(test_check_asks_the_workload)
{
	struct history h;

	history_open(&h, &plain);
	tell(&h, "0 writes 1000=7; 0 commits 1; memory holds 1000=7");
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
	tell(&h, _i ? "0 commits 1; 1 commits 2" : "0 commits 1");
	judged(&h, _i ? NULL : "1 transactions were committed and not 2");
}

static const struct kit_case *history;
KIT_TESTS(test_check_judges_stories, kit_cases("histories.txt", &history))
{
	struct history h;

	history_open(&h, &plain);
	tell(&h, history[_i].text);
	judged(&h, history[_i].answer);
}

/* Each of five reads what was there before the next one's write; one more only follows them, and
 * of a long circle the first ones are named. */
KIT_TEST(test_check_names_a_circle)
{
	static const struct sim_workload six = { .class = &plain_class, .threads = 6,
						 .lock_base = 0x9000 };
	struct history h;

	history_open(&h, &six);
	tell(&h, "0 reads 104=0; 0 writes 100=7; 0 commits 10 by version;"
		 "1 reads 108=0; 1 writes 104=7; 1 commits 9 by version;"
		 "2 reads 10c=0; 2 writes 108=7; 2 commits 8 by version;"
		 "3 reads 110=0; 3 writes 10c=7; 3 commits 7 by version;"
		 "4 reads 100=0; 4 writes 110=7; 4 commits 6 by version;"
		 "5 writes 100=7; 5 commits 11 by version;"
		 "memory holds 100=7; memory holds 104=7; memory holds 108=7;"
		 "memory holds 10c=7; memory holds 110=7");
	judged(&h, "no serial order: 6 transactions wait for one another, among them 5 in a "
		   "cycle: thread 4, transaction 1 of the thread, read 0x100 before thread 0,");
	ck_assert_msg(strstr(h.verdict.failure, "thread 3, transaction 1 of the thread, wrote it; "
						"and so on"), "%s", h.verdict.failure);
}
