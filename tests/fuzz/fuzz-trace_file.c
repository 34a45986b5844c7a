/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of traces on any bytes: it accepts or it says file, line and what it
 * expected. What it accepts is written out again from its tables, and the same tables
 * come back from that.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "examples/sim/workloads/trace_file.c"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(sim_trace, sim_trace_read)

static void check_tables(const struct sim_trace *t)
{
	FUZZ_CHECK(t->transactions && t->threads && t->threads <= t->transactions);
	FUZZ_CHECK(t->first[0] == 0 && t->first[t->threads] == t->transactions);
	FUZZ_CHECK(t->start[0] == 0 && t->start[t->transactions] == t->accesses);
	for (uint32_t i = 0; i < t->threads; i++)
		FUZZ_CHECK(t->first[i] < t->first[i + 1]);
	for (uint32_t i = 0; i < t->transactions; i++)
		FUZZ_CHECK(t->start[i] < t->start[i + 1] && t->order[i] < t->transactions);
	for (uint32_t i = 0; i < t->accesses; i++) {
		uint32_t address = sim_trace_address(t->access[i]);

		FUZZ_CHECK(address >= SIM_TRACE_LOWEST && address <= SIM_TRACE_HIGHEST);
		FUZZ_CHECK((t->access[i] & 2) == 0);
	}
}

/* The tables as a trace again, with threads 0, 1, ... */
static void write_trace(const struct sim_trace *t, FILE *out)
{
	uint32_t *thread = calloc(t->transactions, sizeof(*thread));

	FUZZ_CHECK(thread != NULL);
	for (uint32_t i = 0; i < t->threads; i++)
		for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++)
			thread[t->order[k]] = i;
	fprintf(out, "# transactions: %u\n", t->transactions);
	for (uint32_t i = 0; i < t->transactions; i++) {
		fprintf(out, "t %u", thread[i]);
		for (uint32_t k = t->start[i]; k < t->start[i + 1]; k++)
			fprintf(out, " %c%x=0", sim_trace_is_write(t->access[k]) ? 'w' : 'r',
				sim_trace_address(t->access[k]));
		fputc('\n', out);
	}
	free(thread);
}

static void read_again(const struct sim_trace *t)
{
	char *text = NULL, message[256];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct sim_trace again;

	FUZZ_CHECK(out != NULL);
	write_trace(t, out);
	fclose(out);
	FUZZ_CHECK(read_bytes(text, size, &again, message) == 0);
	FUZZ_CHECK(again.transactions == t->transactions && again.threads == t->threads &&
		again.accesses == t->accesses);
	FUZZ_CHECK(!memcmp(again.access, t->access, t->accesses * sizeof(*t->access)));
	FUZZ_CHECK(!memcmp(again.order, t->order, t->transactions * sizeof(*t->order)));
	sim_trace_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[256] = "";
	struct sim_trace trace;

	if (!size)
		return 0;
	if (read_bytes(data, size, &trace, message)) {
		FUZZ_CHECK(!strncmp(message, "input:", 6));
		FUZZ_CHECK(strstr(message, "expected") || strstr(message, "truncated"));
		return 0;
	}
	check_tables(&trace);
	read_again(&trace);
	sim_trace_free(&trace);
	return 0;
}
