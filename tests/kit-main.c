/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests that have registered themselves, in the order of their files, then the program's
 * drive; with arguments, only the drive, on the files named or, after --trace, for so many turns.
 * "--case NAME", or the variable CASE, runs the tests of that name alone. All run in this process,
 * as a fork for each costs more than most tests; a signal or LONG seconds in one of them end the
 * program with the name of the test. CK_FORK=yes gives each a process of its own.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "tests/kit.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SPARE_CHECK() __msan_scoped_disable_interceptor_checks()
#endif
#endif
#ifndef SPARE_CHECK
/* libcheck is built without MemorySanitizer, which takes what libcheck writes for unwritten. */
#define SPARE_CHECK()
#endif

#define LONGEST (1 << 20) /* bytes of a file for a drive */
#define FILES 256
#define LONG 120 /* seconds for a test */

void (*kit_setup)(void);
static struct kit_test *first, **end = &first;
static char *file[FILES];
static int files;

void kit_register(struct kit_test *test)
{
	*end = test;
	end = &test->next;
}

/* ---- the test that runs now, for those who end it ---- */

/* The tests in the order in which they run, and the rounds of the one at hand. */
static struct {
	const char *name;
	int first, rounds;
} order[1024];
static int ordered, now, round_now = -1;
static unsigned allowed = LONG;
static const char *only; /* the one name that is run */

static void say(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));

	(void)written;
}

/* Only what a handler may call. */
static void ended(int number)
{
	char round[12], *at = round + sizeof(round) - 1;
	unsigned left = (unsigned)(order[now].first + (round_now < 0 ? 0 : round_now));

	*at = '\0';
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	say(number == SIGALRM ? "takes too long: " : "ended by a signal: ");
	say(order[now].name ? order[now].name : "no test");
	say(", round ");
	say(at);
	say("\n");
	signal(number, SIG_DFL);
	raise(number == SIGALRM ? SIGTERM : number);
}

static void watch_signals(void)
{
	static const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	for (size_t i = 0; i < KIT_COUNT(signals); i++)
		signal(signals[i], ended);
}

/* Before each test, in the order of add(). */
static void begin(void)
{
	if (++round_now == order[now].rounds) {
		now++;
		round_now = 0;
	}
	alarm(allowed);
}

static void add(TCase *tests, const TTest *test, int from, int to)
{
	if (to <= from || (only && strcmp(only, test->name)))
		return;
	if (ordered == (int)KIT_COUNT(order)) {
		fprintf(stderr, "more tests than %d\n", ordered);
		exit(EXIT_FAILURE);
	}
	order[ordered].name = test->name;
	order[ordered].first = from;
	order[ordered++].rounds = to - from;
	tcase_add_loop_test(tests, test, from, to);
}

/* ---- cases of a file ---- */

/* A file's text, behind those that were read before, and a 0. */
static char *text_of(const char *name)
{
	static char room[1 << 16];
	static size_t used;
	char path[512], *text = room + used;
	FILE *in;

	snprintf(path, sizeof(path), KIT_CORPUS "/../../data/%s", name);
	in = fopen(path, "r");
	if (in)
		used += fread(text, 1, sizeof(room) - used, in) + 1;
	if (!in || used >= sizeof(room)) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	fclose(in);
	return text;
}

int kit_cases(const char *name, const struct kit_case **cases)
{
	static struct kit_case list[256]; /* of all files */
	static int listed;
	const int from = listed;

	for (char *at = text_of(name), *next; at; at = next) {
		char *text = strchr(at + 1, '\n');

		next = strstr(text, "\n=");
		*text = '\0';
		if (next)
			*++next = '\0';
		if (at[1] == '=' && listed < (int)KIT_COUNT(list))
			list[listed++] = (struct kit_case){ at[2] ? at + 3 : NULL, text + 1 };
	}
	*cases = &list[from];
	return listed - from;
}

/* ---- the drive ---- */

/* The exact number of bytes in memory of their own, so that a read behind them is seen. */
static void feed(const uint8_t *data, size_t size, bool thorough)
{
	uint8_t *copy = malloc(size ? size : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, data, size);
	kit_drive(copy, size, thorough);
	free(copy);
}

static void draw(uint8_t *data, size_t size, uint64_t random)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)kit_random(&random);
}

static void drive_rounds(int round)
{
	size_t size = kit_driven->size / kit_scale(1, 20);
	uint8_t *data;

	if (kit_sparse() && round % 3)
		return;
	data = malloc(size);
	ck_assert_ptr_nonnull(data);
	draw(data, size, (uint64_t)round);
	*data = (uint8_t)round;
	feed(data, size, true);
	free(data);
}

static void drive_short(int unused)
{
	uint64_t random = 0;
	uint8_t data[1024] = { 0 };

	feed(data, 0, false);
	for (unsigned i = kit_scale(300, 30); i--;) {
		size_t size = (size_t)kit_below(&random, i % 4 ? 256 : sizeof(data));

		draw(data, size, i);
		feed(data, size, false);
	}
}

/* The same bytes give the same events, statistics and snapshots, other bytes give others. */
static void drive_twice(int unused)
{
	uint64_t digest = kit_trace_round(1);

	(void)unused;
	ck_assert_uint_eq(kit_trace_round(1), digest);
	ck_assert_uint_ne(kit_trace_round(3), digest);
}

static void drive_recorded(int unused)
{
	char path[4096];

	snprintf(path, sizeof(path), KIT_CORPUS "/../../golden/%s", kit_driven->unit);
	kit_record(path);
}

static void drive_again(int round)
{
	kit_drive_again((uint64_t)round);
}

/* "--trace N": print the digest of N turns. */
static uint64_t trace_turns;

static void drive_trace(int unused)
{
	printf("%s %016llx\n", kit_driven->unit, (unsigned long long)kit_trace(trace_turns));
}

static void drive_file(int number)
{
	static uint8_t data[LONGEST];
	FILE *in = fopen(file[number], "rb");

	ck_assert_msg(in != NULL, "cannot open %s", file[number]);
	feed(data, fread(data, 1, sizeof(data), in), false);
	fclose(in);
}

static void add_file(const char *path)
{
	if (files < FILES)
		file[files++] = strdup(path);
}

static void add_corpus(void)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), KIT_CORPUS "/%s", kit_driven->unit);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), KIT_CORPUS "/%s/%s", kit_driven->unit, entry->d_name);
		if (entry->d_name[0] != '.')
			add_file(path);
	}
	if (dir)
		closedir(dir);
}

/* Add the drive's tests: the rounds and short strings if `all`, and a test for each file. */
static void add_drive(TCase *tests, bool all)
{
	static const TTest rounds = { "drive_rounds", drive_rounds, __FILE__, __LINE__ };
	static const TTest brief = { "drive_short", drive_short, __FILE__, __LINE__ };
	static const TTest twice = { "drive_twice", drive_twice, __FILE__, __LINE__ };
	static const TTest again = { "drive_again", drive_again, __FILE__, __LINE__ };
	static const TTest record = { "drive_recorded", drive_recorded, __FILE__, __LINE__ };
	static const TTest trace = { "drive_trace", drive_trace, __FILE__, __LINE__ };
	static TTest of[FILES];

	if (trace_turns)
		add(tests, &trace, 0, 1);
	if (all) {
		add(tests, &rounds, 0, (int)kit_driven->rounds);
		add(tests, &brief, 0, 1);
		add(tests, &twice, 0, 1);
		add(tests, &again, 0, 24);
		add(tests, &record, 0, 1);
		add_corpus();
	}
	for (int i = 0; i < files; i++) {
		of[i] = (TTest){ file[i], drive_file, __FILE__, __LINE__ };
		add(tests, &of[i], i, i + 1);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : "tests";
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create("all");
	bool all = argc < 2 || !strcmp(argv[1], "--case"), forks = false;
	SRunner *runner;
	int failed;

	only = all && argc == 3 ? argv[2] : all ? getenv("CASE") : NULL;
	if (kit_setup)
		tcase_add_unchecked_fixture(tests, kit_setup, NULL);
	for (struct kit_test *test = first; test && all; test = test->next)
		add(tests, &test->test, 0, test->count);
	if (argc == 3 && !strcmp(argv[1], "--trace"))
		trace_turns = strtoull(argv[2], NULL, 10);
	for (int i = 1; i < argc && !all && !trace_turns; i++)
		add_file(argv[i]);
	allowed = trace_turns ? 10 * LONG : LONG;
	tcase_set_timeout(tests, allowed);
	if (kit_driven)
		add_drive(tests, all);
	suite_add_tcase(suite, tests);
	SPARE_CHECK();
	runner = srunner_create(suite);
	forks = getenv("CK_FORK") && !strcmp(getenv("CK_FORK"), "yes");
	if (!forks) {
		srunner_set_fork_status(runner, CK_NOFORK);
		tcase_add_checked_fixture(tests, begin, NULL);
		watch_signals();
	}
	if (!kit_watch())
		return EXIT_FAILURE;
	srunner_run_all(runner, CK_NORMAL);
	alarm(0);
	failed = srunner_ntests_failed(runner);
	failed += (all && !only ? kit_missed() : 0) + (srunner_ntests_run(runner) == 0);
	if (only && !ordered)
		fprintf(stderr, "%s has no test \"%s\"\n", name, only);
	srunner_free(runner);
	for (int i = 0; i < files; i++)
		free(file[i]);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
