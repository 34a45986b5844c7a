/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_RESUME_H
#define SIM_SWEEP_RESUME_H
/*
 * Results of earlier runs, kept by their points: a study that has changed takes each line whose
 * point, check and model are those of one of its points, and which has the figures asked for. Such
 * a line is written anew, with what this study says of its point, so that results are the same
 * bytes as those of a run of all points.
 */
#include "lines.h"
#include "points.h"

/* Take what fits of the file `name`, and print on stderr how many points that gives, and why others
 * are run. A last line that was cut is taken off the file. An exit status, with the reason on
 * stderr. */
int sweep_resume(const struct sweep_points *points, sweep_run_fn *run, FILE *file,
		 const char *name, struct sweep_lines *lines);

#endif
