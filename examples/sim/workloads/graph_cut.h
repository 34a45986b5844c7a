/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_GRAPH_CUT_H
#define SIM_GRAPH_CUT_H
/* What the two programs of the workload graph-cut share. */
#include "../kernel/edge_file.h"
#include "tables.h"

#define SIM_VERTEX_BYTES 12u

struct graph_cut {
	struct sim_workload base;
	uint64_t a, b, c;
	struct sim_edges graph; /* edges in the order drawn */
};

enum { ROUND, U, V, HEAD_U, HEAD_V, SIZE, ANSWER }; /* registers */

/* Instructions of a transaction. */
enum {
	IDLE, GET_U, GET_V, ENDS, BEGIN, READ_U, STEP_U, READ_V, STEP_V, LOOP, READ_SIZE_U,
	READ_SIZE_V, LAST_TWO, READ_HEAD_U, READ_HEAD_V, LINK, PUT_HEAD, PUT_SIZE, COMMIT,
	PUT_ANSWER, MORE, END,
};

extern const struct sim_program sim_graph_cut_locks; /* without data */

/* Address of a vertex, whose first word is its next. */
static inline uint64_t sim_vertex(const struct graph_cut *cut, uint32_t vertex)
{
	return cut->a + SIM_VERTEX_BYTES * (uint64_t)vertex;
}

#endif /* SIM_GRAPH_CUT_H */
