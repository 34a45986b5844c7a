/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_SHEET_H
#define SIM_SWEEP_SHEET_H
/*
 * Arrays of numbers over the axes of a study. Zipped lines are a single axis, and the line of seeds
 * is none: a number is the mean over the seeds, or that of one seed. A missing number is NAN.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"
#include "points.h"

struct sweep_array {
	uint64_t over; /* a bit for each axis */
	double *cell;  /* the last axis changes fastest */
};

struct sweep_sheet {
	const struct sweep_points *points;
	uint64_t axes;	   /* bits of the axes that arrays may have */
	size_t seed, seeds; /* the axis (SIM_AXES: none), and how many values it has */
	double *figure[SWEEP_FIGURES]; /* of each seed, over all axes; NULL: no results yet */
	size_t chosen;	   /* seed whose figures are used; seeds: the mean over all */
	void **kept;	   /* memory of arrays */
	size_t kept_count;
	bool lost;	   /* out of memory */
};

void sweep_sheet_init(struct sweep_sheet *sheet, const struct sweep_points *points);
void sweep_sheet_free(struct sweep_sheet *sheet);
/* Read the figures of points->figure from results; 0, or -1: out of memory. */
int sweep_sheet_fill(struct sweep_sheet *sheet, const struct sweep_lines *lines);

/* The axis that represents this axis and all that are zipped with it. */
size_t sweep_leader(const struct sweep_sheet *sheet, size_t axis);
/* A new array of NAN, which lives as long as the sheet. Out of memory: a number shared by all. */
struct sweep_array sweep_array(struct sweep_sheet *sheet, uint64_t over);
struct sweep_array sweep_figure_array(struct sweep_sheet *sheet, size_t figure);
size_t sweep_size(const struct sweep_sheet *sheet, uint64_t over);
/* Which values of the axes in `over` cell `at` has, and the cell of an array over fewer axes. */
void sweep_digits(const struct sweep_sheet *sheet, uint64_t over, size_t at,
		  size_t digit[SIM_AXES]);
double *sweep_cell(const struct sweep_sheet *sheet, const struct sweep_array *array,
		   const size_t digit[SIM_AXES]);

#endif
