/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of results on any bytes: it accepts them, or it says file, line and what it expected.
 * Each point that has a result is one of the study, and what is written of them is read again.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "examples/sim/sweep/lines.c"
#include "tests/fuzz/fuzz.h"

static void check_points(const struct sweep_lines *lines)
{
	uint64_t done = 0, failed = 0;

	for (uint64_t i = 0; i < lines->count; i++) {
		done += lines->place[i].file != NULL;
		failed += lines->place[i].failed;
	}
	FUZZ_CHECK(done == lines->done && failed == lines->failed && failed <= done);
}

static void read_again(const struct sweep_lines *lines)
{
	struct sweep_lines again = { .count = 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	FUZZ_CHECK(file && !sweep_lines_write(lines, file));
	fclose(file);
	file = fmemopen(text, size, "r");
	FUZZ_CHECK(file && !sweep_lines_read(&again, file, "again"));
	FUZZ_CHECK(again.done == lines->done && again.failed == lines->failed);
	fclose(file);
	sweep_lines_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sweep_lines lines = { .count = 0 };
	FILE *in;

	if (!size)
		return 0;
	in = fmemopen((void *)(uintptr_t)data, size, "r");
	FUZZ_CHECK(in);
	if (!sweep_lines_read(&lines, in, "input") && lines.done) {
		check_points(&lines);
		read_again(&lines);
	}
	fclose(in);
	sweep_lines_free(&lines);
	return 0;
}
