/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_PLOT_H
#define SIM_SWEEP_PLOT_H
/* A picture of a study's results. */
#include "lines.h"
#include "points.h"
#include "sheet.h"

/* Check before the runs whether the study can be drawn; 0, or -1 with the reason on stderr. */
int sweep_plot_check(const struct sweep_points *points);
/*
 * Write a script for gnuplot beside the picture (FILE.gp for FILE.svg) and run gnuplot. 0, or -1
 * with the reason on stderr; without gnuplot the script is written all the same.
 */
int sweep_plot(const struct sweep_points *points, const struct sweep_lines *lines);

/* Numbers of one kind, with half of each interval, and the numbers of a paper (or NULL). */
struct sweep_drawn {
	const char *what; /* with its unit */
	const struct sweep_array *value;
	const double *reach;
	const struct sweep_array *paper;
};

/* Draw the picture of one array, which has one axis or more. */
int sweep_draw(const struct sweep_sheet *sheet, const struct sweep_drawn *drawn,
	       const char *picture);

#endif
