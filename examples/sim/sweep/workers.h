/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_WORKERS_H
#define SIM_SWEEP_WORKERS_H
/* Processes that run points, each one after the other. */
#include "lines.h"
#include "points.h"
#include "../study/progress.h"

/*
 * Run the points of the shard that have no result, or only a failure. Each line is appended to the
 * journal as it arrives. If a point fails, or its process is killed, its line gives the reason. 0,
 * also when a signal ends the study early (sim_stop); -1 with the reason on stderr.
 */
int sweep_work(const struct sweep_points *points, sweep_run_fn *run, struct sweep_lines *lines,
	       FILE *journal, const char *name, struct sim_bar *bar);

#endif
