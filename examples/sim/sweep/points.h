/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_POINTS_H
#define SIM_SWEEP_POINTS_H
/* The points of a study: values of all lines, the first line changing slowest. */
#include "sweep.h"

struct sweep_points {
	const struct sim_options *options; /* options of the command line */
	struct sim_study_file file;
	char hash[20];
	char *told; /* level, and figures in alphabetical order */
	uint64_t product;    /* of the values of all lines */
	uint64_t *ignored;   /* [choices of system, workload, ...]: bits of lines without effect */
	uint32_t *kept;	     /* points, as numbers below the product */
	uint64_t count;
};

/* Read the study; then check, with its figures, all that can be checked before a run. 0 or -1 with
 * the reason on stderr. Free it in all cases. */
int sweep_points_read(const struct sim_options *options, struct sweep_points *out);
/* The same of both forms of the study, whose file is read once. */
int sweep_points_read_forms(const struct sim_options *options, struct sweep_points *full,
			    struct sweep_points *quick);
/* The part of those checks that needs no figures: which points there are. */
int sweep_points_select(struct sweep_points *points);
int sweep_points_make(struct sweep_points *points, sweep_run_fn *run);
void sweep_points_free(struct sweep_points *points);

/* The number of the value that each axis has in point `index`. */
#define SWEEP_IGNORED SIZE_MAX /* the axis has no effect there */
void sweep_point_values(const struct sweep_points *points, uint64_t index,
			size_t digit[SIM_AXES]);

/* The options of point `index`, from 0; 0 or -1. sim_options_free() them. */
int sweep_point(const struct sweep_points *points, uint64_t index, struct sim_options *out,
		struct sim_of_study *of);

#endif
