/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the devices and the link of HeTM do, cycle by cycle. This file counts the cycles in which a
 * device works or has nothing to do; sync_round counts those in which it is blocked, and those of
 * the link. For each device the parts add up to the time that has passed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hetm.h"

/* A part is a count of this file, a statistic of sync_round, or their sum. */
static const struct {
	const char *device, *name;
	enum hetm_part part;
	const char *stat; /* NULL: none */
	const char *summary;
} rows[] = {
	{ "cpu", "execution", HETM_CPU_RUNS, NULL, "Workers execute, in execution phases." },
	{ "cpu", "overlap", HETM_CPU_OVERLAPS, NULL, "Workers execute, in other phases." },
	{ "cpu", "idle", HETM_CPU_IDLES, NULL, "No worker has a request." },
	{ "cpu", "drain", HETM_NO_PART, "cpu_drain", "Blocked: workers end transactions." },
	{ "cpu", "waits", HETM_NO_PART, "cpu_waits", "Blocked until the verdict." },
	{ "cpu", "merge", HETM_NO_PART, "cpu_merge", "Blocked by the merge." },
	{ "gpu", "launch", HETM_GPU_LAUNCHES, NULL, "A kernel is launched." },
	{ "gpu", "execution", HETM_GPU_RUNS, NULL, "A kernel runs, in execution phases." },
	{ "gpu", "overlap", HETM_GPU_OVERLAPS, NULL, "A kernel runs, in other phases." },
	{ "gpu", "idle", HETM_GPU_IDLES, NULL, "There is no kernel." },
	{ "gpu", "drain", HETM_NO_PART, "gpu_drain", "Blocked: the round waits for a device." },
	{ "gpu", "waits", HETM_NO_PART, "gpu_waits", "Blocked: waits for logs or the verdict." },
	{ "gpu", "validation", HETM_NO_PART, "gpu_validates", "Blocked: validates." },
	{ "gpu", "merge", HETM_NO_PART, "gpu_merge", "Blocked: copies, or waits for copies." },
	{ "link", "early", HETM_NO_PART, "link_early", "Carries logs of early validation." },
	{ "link", "logs", HETM_NO_PART, "link_logs", "Carries logs of validation." },
	{ "link", "copies", HETM_NO_PART, "link_copies", "Carries copies of the merge." },
	{ "link", "idle", HETM_ALONE, "link_idle", "Carries nothing." },
	{ "phase", "execution", HETM_ALONE, "execution", "Execution, or there are no rounds." },
	{ "phase", "validation", HETM_NO_PART, "validation", "Validation." },
	{ "phase", "merge", HETM_NO_PART, "merge", "Merge." },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static uint64_t stat_of(const struct hetm *h, const char *name)
{
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(gputm_sync_round_unit(h->round), i, &stat); i++)
		if (!strcmp(stat.name, name))
			return stat.value;
	return 0;
}

_Static_assert(ROWS == HETM_TIMES, "HETM_TIMES is the number of rows");

bool hetm_time(const struct sim_run *run, const struct sim_result *result, size_t index,
	       struct sim_time *out)
{
	const struct hetm *h = (const void *)run;

	(void)result;

	if (index >= ROWS)
		return false;
	*out = (struct sim_time){ rows[index].device, rows[index].name, rows[index].summary,
				  h->time[index] };
	return true;
}

void hetm_time_passes(struct hetm *h, uint64_t until)
{
	uint64_t now = h->port.now, cycles = until - now, launch = 0;
	bool alone = h->config->system.devices == HETM_CPU_ONLY;
	bool executes = alone || gputm_sync_round_current_state(h->round) ==
					 GPUTM_SYNC_ROUND_STATE_EXECUTION;

	h->spent[HETM_ALONE] += alone ? cycles : 0;
	if (gputm_sync_round_may_run(h->round, GPUTM_SYNC_ROUND_DEVICE_CPU, now))
		h->spent[hetm_cpu_idle(h) ? HETM_CPU_IDLES :
			 executes	  ? HETM_CPU_RUNS : HETM_CPU_OVERLAPS] += cycles;
	if (!gputm_sync_round_may_run(h->round, GPUTM_SYNC_ROUND_DEVICE_GPU, now))
		return;
	if (h->running && h->running->begins > now)
		launch = h->running->begins < until ? h->running->begins - now : cycles;
	h->spent[HETM_GPU_LAUNCHES] += launch;
	h->spent[!h->running ? HETM_GPU_IDLES :
		 executes    ? HETM_GPU_RUNS : HETM_GPU_OVERLAPS] += cycles - launch;
}

static void prove(struct hetm *h, const char *device, uint64_t sum)
{
	uint64_t now = h->port.now, rounds = h->exact.rounds;
	char text[160];

	if (sum == now)
		return;
	snprintf(text, sizeof(text), "round %" PRIu64 ": the times of the %s add up to %" PRIu64
		 " cycles where %" PRIu64 " have passed, a difference of %" PRId64,
		 rounds - (rounds > 0), device, sum, now, (int64_t)(sum - now));
	sim_fail(&h->port, -EILSEQ, text);
}

/* The rows of a device follow one another. */
void hetm_times_take(struct hetm *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ROWS; i++) {
		h->time[i] = rows[i].part == HETM_NO_PART ? 0 : h->spent[rows[i].part];
		h->time[i] += rows[i].stat ? stat_of(h, rows[i].stat) : 0;
		sum += h->time[i];
		if (i + 1 < ROWS && !strcmp(rows[i].device, rows[i + 1].device))
			continue;
		if (h->port.observer)
			prove(h, rows[i].device, sum);
		sum = 0;
	}
}
