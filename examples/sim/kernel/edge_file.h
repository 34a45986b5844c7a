/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_EDGE_FILE_H
#define SIM_EDGE_FILE_H
/*
 * Graphs as plain text: one edge a line, the numbers of its two vertices, from 0 on, with
 * blanks between; what follows them is ignored, as are empty lines and lines that begin with '#'
 * or '%'. An edge may come more than once, and may lead from a vertex to itself.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_VERTEX_MAX ((1u << 20) - 1)

struct sim_edges {
	uint32_t vertices; /* the largest number, plus 1 */
	uint32_t count;
	uint32_t (*end)[2]; /* [count] */
};

/* Like sim_trace_read(). renumber: the numbers in use become 0, 1, ... in ascending order. Refuses
 * a file without edges. */
int sim_edges_read(FILE *in, const char *name, bool renumber, struct sim_edges *out, char *message,
		   size_t size);
/* The same from a file of this name; -EINVAL if the file cannot be opened. */
int sim_edges_load(const char *name, bool renumber, struct sim_edges *out, char *message,
		   size_t size);
void sim_edges_free(struct sim_edges *edges);

#endif /* SIM_EDGE_FILE_H */
