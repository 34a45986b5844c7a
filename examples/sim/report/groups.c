/* SPDX-License-Identifier: BSD-2-Clause */
/* Units one by one, or all units of a role together: counters are added, of maxima the largest
 * counts. */
#include <string.h>

#include "report.h"

#define GROUPS_MAX 32

static void add(struct sim_group *group, const struct sim_unit_info *info)
{
	struct gputm_stat stat;

	group->instances++;
	if (info->idle)
		return;
	for (size_t i = 0; i < SIM_STATS_MAX && gputm_unit_stat(info->unit, i, &stat); i++)
		if (stat.kind != GPUTM_STAT_MAXIMUM)
			group->total[i] += stat.value;
		else if (stat.value > group->total[i])
			group->total[i] = stat.value;
}

static bool is_wanted(struct sim_grouping which, const char *role)
{
	return !which.only || emit_wants(which.only, role);
}

static size_t collect(const struct sim_port *units, struct sim_grouping which,
		      struct sim_group group[GROUPS_MAX])
{
	struct sim_unit_info info;
	bool wanted[GROUPS_MAX];
	size_t groups = 0, g = 0;

	for (size_t i = 0; sim_unit_get(units, i, &info); i++) {
		if (g >= groups || group[g].role != info.role) /* mostly that of the unit before */
			for (g = 0; g < groups && strcmp(group[g].role, info.role); g++)
				continue;
		if (g == GROUPS_MAX)
			continue;
		if (g == groups) {
			group[groups++] = (struct sim_group){ .units = units, .role = info.role,
							      .unit = info.unit, .first = i,
							      .instance = SIM_EACH };
			wanted[g] = is_wanted(which, info.role);
		}
		if (wanted[g])
			add(&group[g], &info);
	}
	return groups;
}

void sim_each_group(const struct sim_port *units, struct sim_grouping which,
		    void (*fn)(void *state, const struct sim_group *group), void *state)
{
	struct sim_group group[GROUPS_MAX];
	struct sim_unit_info info;
	size_t groups = which.together ? collect(units, which, group) : 0;

	for (size_t g = 0; g < groups; g++)
		if (group[g].instances)
			fn(state, &group[g]);
	for (size_t i = 0; !which.together && sim_unit_get(units, i, &info); i++) {
		if (!is_wanted(which, info.role))
			continue;
		*group = (struct sim_group){ .units = units, .role = info.role, .unit = info.unit,
					     .instance = info.instance };
		add(group, &info);
		fn(state, group);
	}
}

/* ---- histograms ---- */

static void merge(const struct sim_group *group, size_t index, uint64_t *bucket)
{
	struct sim_unit_info info;
	struct gputm_stat stat;

	memset(bucket, 0, GPUTM_HISTOGRAM_BUCKETS * sizeof(*bucket));
	if (group->instance != SIM_EACH) {
		if (gputm_unit_stat(group->unit, index, &stat))
			memcpy(bucket, stat.bucket, GPUTM_HISTOGRAM_BUCKETS * sizeof(*bucket));
		return;
	}
	for (size_t u = group->first, left = group->instances;
	     left && sim_unit_get(group->units, u, &info); u++) {
		if (strcmp(info.role, group->role))
			continue;
		left--;
		if (!gputm_unit_stat(info.unit, index, &stat))
			continue;
		for (unsigned i = 0; stat.bucket && i < GPUTM_HISTOGRAM_BUCKETS; i++)
			bucket[i] += stat.bucket[i];
	}
}

bool sim_group_stat(const struct sim_group *group, size_t index, struct gputm_stat *out,
		    uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS])
{
	if (index >= SIM_STATS_MAX || !gputm_unit_stat(group->unit, index, out))
		return false;
	out->value = group->total[index];
	if (out->kind == GPUTM_STAT_HISTOGRAM && out->bucket) {
		merge(group, index, bucket);
		out->bucket = bucket;
	}
	return true;
}

/* Bucket 0 counts zeros, bucket i the values from 2^(i - 1) to 2^i - 1. */
static uint64_t first_of(unsigned i)
{
	return i ? UINT64_C(1) << (i - 1) : 0;
}

static uint64_t last_of(unsigned i)
{
	return (UINT64_C(1) << i) - 1;
}

double sim_histogram_mean(const struct gputm_stat *stat)
{
	double sum = 0;

	for (unsigned i = 0; i < GPUTM_HISTOGRAM_BUCKETS; i++)
		sum += (double)stat->bucket[i] * (double)(first_of(i) + last_of(i)) / 2;
	return stat->value ? sum / (double)stat->value : 0;
}

uint64_t sim_histogram_percentile(const struct gputm_stat *stat, unsigned percent)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < GPUTM_HISTOGRAM_BUCKETS; i++) {
		seen += stat->bucket[i];
		if (seen && seen * 100 >= stat->value * percent)
			return last_of(i);
	}
	return 0;
}
