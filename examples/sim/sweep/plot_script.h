/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PLOT_SCRIPT_H
#define SIM_PLOT_SCRIPT_H
/* The numbers of a picture (plot.c), and the gnuplot script that draws them (plot_script.c). */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "points.h"
#include "../base/json.h"

#define FIGURES_MAX 8
#define ALL SIZE_MAX /* panels, or series */

struct cell {
	double n, sum, squares;	   /* running sums over the seeds */
	double mean, reach, paper; /* NAN: there is none */
};

struct plot {
	const struct sweep_points *points;
	const struct sim_axis *axis;
	const char *picture;
	uint64_t over;	    /* axes that it has */
	bool papers;	    /* are there numbers of a paper? */
	size_t x, series;   /* axes; SIM_AXES: none */
	size_t panels;	    /* of each figure */
	bool numbers, logarithm; /* of x */
	bool bars;	    /* x has names */
	double least, most;
	char figure[FIGURES_MAX][SIM_JSON_PATH]; /* or what it is */
	size_t figures;
	bool all;	    /* figures are those of the first line */
	struct cell *cell;  /* figures x panels x series x values of x */
	/* of the line that is read */
	double value[FIGURES_MAX];
	bool given[FIGURES_MAX];
};

static inline bool varies(const struct plot *p, size_t axis)
{
	return p->over >> axis & 1;
}

static inline size_t values(const struct plot *p, size_t axis)
{
	return axis == SIM_AXES ? 1 : p->axis[axis].values;
}

static inline struct cell *cell_at(const struct plot *p, size_t figure, size_t panel,
				   size_t series, size_t x)
{
	return &p->cell[((figure * p->panels + panel) * values(p, p->series) + series) *
				values(p, p->x) + x];
}

/* Is there a number in this panel (or ALL) and series (or ALL)? */
bool plot_has_data(const struct plot *p, size_t panel, size_t series, bool of_paper);
void plot_put_script(const struct plot *p, FILE *out);

#endif
