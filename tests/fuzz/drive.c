/* SPDX-License-Identifier: BSD-2-Clause */
/* The drive of a test program under libFuzzer: an assertion that fails ends the process. */
#include "tests/kit.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void (*kit_setup)(void);

void kit_register(struct kit_test *test)
{
	(void)test;
}

/* What check's assertions call, here without check. */
void _ck_assert_failed(const char *file, int line, const char *expression, const char *message, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%d: %s", file, line, expression);
	va_start(arguments, message);
	if (message) {
		fputs(": ", stderr);
		vfprintf(stderr, message, arguments);
	}
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (kit_setup)
		kit_setup();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	kit_drive(data, size, false);
	return 0;
}
