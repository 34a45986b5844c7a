/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H
/* A progress bar on standard error: how many threads, or points of a study, have ended. */
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct sim_bar {
	bool wanted, drawn;
	double patience; /* seconds before the bar is first drawn */
	double start, last;
};

/* AUTO draws on a terminal, once the run has taken a second. */
void sim_bar_init(struct sim_bar *bar, enum sim_progress progress);
/* For sim_run_options.progress, with the bar as its state. */
void sim_bar_update(void *bar, uint64_t ended, uint64_t threads, uint64_t cycles);
/* Points of a study. Points that were already done at the start do not count for the time left. */
void sim_bar_points(struct sim_bar *bar, uint64_t before, uint64_t done, uint64_t all,
		    uint64_t failed);
/* Remove the bar. */
void sim_bar_end(struct sim_bar *bar);

/* Seconds of a clock that only goes forward. */
double sim_seconds(void);

#endif /* SIM_PROGRESS_H */
