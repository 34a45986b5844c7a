/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the tests that have registered themselves, in the order of their files. */
#include <stdlib.h>
#include <string.h>

#include "tests/kit.h"

void (*kit_setup)(void);
static struct kit_test *first, **end = &first;

void kit_register(struct kit_test *test)
{
	*end = test;
	end = &test->next;
}

int main(int argc, char **argv)
{
	const char *name = argc && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : "tests";
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 120);
	if (kit_setup)
		tcase_add_unchecked_fixture(tests, kit_setup, NULL);
	for (struct kit_test *test = first; test; test = test->next)
		tcase_add_loop_test(tests, &test->test, 0, test->count);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	if (!kit_watch())
		return EXIT_FAILURE;
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	failed += kit_missed() + (srunner_ntests_run(runner) == 0);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
