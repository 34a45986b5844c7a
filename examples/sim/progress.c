/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 30
#define INTERVAL 0.1

double sim_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sim_bar_init(struct sim_bar *bar, enum sim_progress progress)
{
	bar->wanted = progress == SIM_PROGRESS_ALWAYS ||
		      (progress == SIM_PROGRESS_AUTO && isatty(STDERR_FILENO));
	bar->drawn = false;
	bar->patience = progress == SIM_PROGRESS_ALWAYS ? 0 : 1;
	bar->start = bar->last = sim_seconds();
}

static void draw(uint64_t ended, uint64_t threads, uint64_t cycles)
{
	int full = threads ? (int)(WIDTH * ended / threads) : WIDTH;
	int percent = threads ? (int)(100 * ended / threads) : 100;

	fprintf(stderr, "\r[%.*s%*s] %3d %%  %llu of %llu threads, %llu cycles ", full,
		"##############################", WIDTH - full, "", percent,
		(unsigned long long)ended, (unsigned long long)threads,
		(unsigned long long)cycles);
	fflush(stderr);
}

void sim_bar_update(void *state, uint64_t ended, uint64_t threads, uint64_t cycles)
{
	struct sim_bar *bar = state;
	double now = bar->wanted ? sim_seconds() : 0;

	if (!bar->wanted || now - bar->start < bar->patience ||
	    (bar->drawn && now - bar->last < INTERVAL))
		return;
	draw(ended, threads, cycles);
	bar->drawn = true;
	bar->last = now;
}

void sim_bar_end(struct sim_bar *bar)
{
	if (bar->drawn)
		fputc('\n', stderr);
}
