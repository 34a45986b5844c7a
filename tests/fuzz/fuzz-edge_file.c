/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of graphs on any bytes: it accepts or it says file, line and what it expected.
 * What it accepts has all of its vertices below their number, and comes back from being written
 * out again. Renumbering leaves no vertex without an edge, and the order of the numbers.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "examples/sim/kernel/edge_file.c"
#include "tests/fuzz/fuzz.h"

static bool renumbered;

static int read_as(FILE *in, const char *name, struct sim_edges *out, char *message, size_t size)
{
	return sim_edges_read(in, name, renumbered, out, message, size);
}

FUZZ_READER(sim_edges, read_as)

static void check_vertices(const struct sim_edges *edges)
{
	uint8_t *used = calloc(edges->vertices, 1);

	FUZZ_CHECK(used != NULL);
	for (size_t i = 0; i < 2 * (size_t)edges->count; i++) {
		FUZZ_CHECK(edges->end[i / 2][i % 2] < edges->vertices);
		used[edges->end[i / 2][i % 2]] = 1;
	}
	for (uint32_t v = 0; v < edges->vertices; v++)
		FUZZ_CHECK(used[v] || (!renumbered && v + 1 < edges->vertices));
	free(used);
}

/* What is read as it is and renumbered is the same graph. */
static void check_order(const void *data, size_t size, const struct sim_edges *kept)
{
	struct sim_edges other;
	char message[256];

	renumbered = true;
	FUZZ_CHECK(!read_bytes(data, size, &other, message) && other.count == kept->count);
	for (size_t i = 0; i < 2 * (size_t)kept->count; i++) {
		uint32_t here = kept->end[i / 2][i % 2], there = other.end[i / 2][i % 2];

		FUZZ_CHECK(there <= here);
		FUZZ_CHECK((here < kept->end[0][0]) == (there < other.end[0][0]));
		FUZZ_CHECK((here > kept->end[0][0]) == (there > other.end[0][0]));
	}
	check_vertices(&other);
	sim_edges_free(&other);
	renumbered = false;
}

static void read_again(const struct sim_edges *edges)
{
	char *text = NULL, message[256];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct sim_edges again;

	FUZZ_CHECK(out != NULL);
	for (uint32_t i = 0; i < edges->count; i++)
		fprintf(out, "%u %u\n", edges->end[i][0], edges->end[i][1]);
	fclose(out);
	FUZZ_CHECK(read_bytes(text, size, &again, message) == 0);
	FUZZ_CHECK(again.count == edges->count && again.vertices == edges->vertices);
	FUZZ_CHECK(!memcmp(again.end, edges->end, edges->count * sizeof(*edges->end)));
	sim_edges_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[256] = "";
	struct sim_edges edges;

	if (!size)
		return 0;
	if (read_bytes(data, size, &edges, message)) {
		FUZZ_CHECK(!strncmp(message, "input:", 6) && strstr(message, "expected"));
		return 0;
	}
	FUZZ_CHECK(edges.count && edges.vertices);
	check_vertices(&edges);
	check_order(data, size, &edges);
	read_again(&edges);
	sim_edges_free(&edges);
	return 0;
}
