/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of graphs on any bytes: it accepts or it says file, line and what it expected.
 * What it accepts is connected, and comes back from being written out again.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "examples/sim/kernel/edge_file.c"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(sim_edges, sim_edges_read)

/* Every vertex is reached from vertex 0, found by spreading along the edges. */
static void check_connected(const struct sim_edges *edges)
{
	uint8_t *reached = calloc(edges->vertices, 1);
	uint32_t count = 1, before = 0;

	FUZZ_CHECK(reached != NULL);
	reached[0] = 1;
	while (count != before) {
		before = count;
		for (uint32_t i = 0; i < edges->count; i++) {
			uint32_t u = edges->end[i][0], v = edges->end[i][1];

			FUZZ_CHECK(u != v && u < edges->vertices && v < edges->vertices);
			if (reached[u] == reached[v])
				continue;
			reached[u] = reached[v] = 1;
			count++;
		}
	}
	FUZZ_CHECK(count == edges->vertices);
	free(reached);
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
	FUZZ_CHECK(edges.count && edges.vertices >= 3);
	check_connected(&edges);
	read_again(&edges);
	sim_edges_free(&edges);
	return 0;
}
