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

/* Is it time to draw? */
static bool due(const struct sim_bar *bar, double now)
{
	return now - bar->start >= bar->patience && (!bar->drawn || now - bar->last >= INTERVAL);
}

static void draw(struct sim_bar *bar, double now, uint64_t done, uint64_t all, const char *text)
{
	int full = all ? (int)(WIDTH * done / all) : WIDTH;
	int percent = all ? (int)(100 * done / all) : 100;

	fprintf(stderr, "\r[%.*s%*s] %3d %%  %s ", full, "##############################",
		WIDTH - full, "", percent, text);
	fflush(stderr);
	bar->drawn = true;
	bar->last = now;
}

void sim_bar_update(void *state, uint64_t ended, uint64_t threads, uint64_t cycles)
{
	struct sim_bar *bar = state;
	double now = bar->wanted ? sim_seconds() : 0;
	char text[96];

	if (!bar->wanted || !due(bar, now))
		return;
	snprintf(text, sizeof text, "%llu of %llu threads, %llu cycles", (unsigned long long)ended,
		 (unsigned long long)threads, (unsigned long long)cycles);
	draw(bar, now, ended, threads, text);
}

void sim_bar_points(struct sim_bar *bar, uint64_t before, uint64_t done, uint64_t all,
		    uint64_t failed)
{
	double now = bar->wanted ? sim_seconds() : 0;
	uint64_t left = 0;
	char text[96];

	if (!bar->wanted || (!due(bar, now) && done < all))
		return;
	if (done > before)
		left = (uint64_t)((now - bar->start) / (double)(done - before) *
				  (double)(all - done)) + (done < all);
	snprintf(text, sizeof text, "%llu of %llu, %llu failed, %llu:%02llu left ",
		 (unsigned long long)done, (unsigned long long)all, (unsigned long long)failed,
		 (unsigned long long)left / 60, (unsigned long long)left % 60);
	draw(bar, now, done, all, text);
}

void sim_bar_end(struct sim_bar *bar)
{
	if (bar->drawn)
		fputc('\n', stderr);
}
