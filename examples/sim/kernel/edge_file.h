/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_EDGE_FILE_H
#define SIM_EDGE_FILE_H
/*
 * Graphs as plain text: one edge a line, the numbers of its two vertices, from 0 on, with
 * blanks between; lines that start with '#' are comments. An edge may come more than once.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_VERTEX_MAX ((1u << 20) - 1)

struct sim_edges {
	uint32_t vertices; /* the largest number plus 1 */
	uint32_t count;
	uint32_t (*end)[2]; /* [count] */
};

/*
 * Like sim_trace_read(). Refuses a file without edges, an edge from a vertex to itself, fewer than
 * three vertices, and a graph that is not connected.
 */
int sim_edges_read(FILE *in, const char *name, struct sim_edges *out, char *message,
		   size_t size);
/* The same from a file of this name; -EINVAL if the file cannot be opened. */
int sim_edges_load(const char *name, struct sim_edges *out, char *message, size_t size);
void sim_edges_free(struct sim_edges *edges);

/*
 * The first vertex that is not connected to vertex 0; `vertices` if there is none. join[vertices]
 * is scratch; afterwards each entry leads towards the smallest vertex of its component.
 */
uint32_t sim_edges_apart(const struct sim_edges *edges, uint32_t *join);

/* The root of a vertex in such an array; shortens the path on its way. */
uint32_t sim_edges_root(uint32_t *join, uint32_t vertex);

#endif /* SIM_EDGE_FILE_H */
