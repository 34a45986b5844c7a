/* SPDX-License-Identifier: BSD-2-Clause */
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/json.h"
#include "../base/table.h"

struct run {
	uint64_t group, figures, index; /* hashes of the other values, of the figures; the point */
};

static void take(void *state, const char *path, const char *text, bool quoted)
{
	uint64_t *hash = state;

	(void)quoted;
	if (strncmp(path, "point.", 6) && strncmp(path, "config.", 7) && strcmp(path, "run"))
		*hash = sim_hash_text(sim_hash_text(*hash, path), text);
}

/* The line of seeds with several values, or SIM_AXES. */
static size_t seed_axis(const struct sim_study_file *file)
{
	for (size_t i = 0; i < file->axes; i++)
		if (!strcmp(file->axis[i].name, "seed") && file->axis[i].values > 1)
			return i;
	return SIM_AXES;
}

/* Is the line zipped with that of the seeds? */
static bool goes_with(const struct sim_study_file *file, size_t axis, size_t seed)
{
	size_t low = axis < seed ? axis : seed, high = axis < seed ? seed : axis;

	while (low < high && file->axis[high].zipped)
		high--;
	return low == high;
}

/* Has each seed data of its own? */
static bool draws_data(const struct sim_study_file *file, size_t seed)
{
	for (size_t i = 0; i < file->axes; i++)
		if (goes_with(file, i, seed) && !strcmp(file->axis[i].name, "workload.seed"))
			return true;
	return false;
}

static int by_group(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The results that are there, group by group; their number. */
static size_t collect(const struct sweep_points *points, const struct sweep_lines *lines,
		      size_t seed, struct run *run)
{
	size_t digit[SIM_AXES], count = 0;

	for (uint64_t i = 0; i < lines->count; i++) {
		char *text = lines->place[i].failed ? NULL : sweep_line(lines, i);
		struct run *r = &run[count];

		*r = (struct run){ SIM_HASH_START, SIM_HASH_START, i };
		count += text && sim_json_each(text, take, &r->figures);
		sim_free(text);
		sweep_point_values(points, i, digit);
		for (size_t k = 0; k < points->file.axes; k++)
			if (!goes_with(&points->file, k, seed))
				r->group = (r->group ^ digit[k]) * SIM_HASH_FACTOR;
	}
	qsort(run, count, sizeof *run, by_group);
	return count;
}

/* "system getm, workload ht-h": what the point has of lines with several values. */
static void say_point(const struct sweep_points *points, size_t seed, uint64_t index)
{
	const struct sim_axis *axis = points->file.axis;
	size_t digit[SIM_AXES];
	const char *before = " (such as ";

	sweep_point_values(points, index, digit);
	for (size_t i = 0; i < points->file.axes; i++) {
		if (goes_with(&points->file, i, seed) || axis[i].values < 2 ||
		    digit[i] == SWEEP_IGNORED)
			continue;
		fprintf(stderr, "%s%s %s", before, axis[i].name, axis[i].value[digit[i]]);
		before = ", ";
	}
	fputs(*before == ',' ? ")" : "", stderr);
}

int sweep_seeds_tell(const struct sweep_points *points, const struct sweep_lines *lines)
{
	size_t seed = seed_axis(&points->file), count, groups = 0, same = 0;
	struct run *run = seed == SIM_AXES ? NULL : sim_malloc((lines->count + 1) * sizeof *run);
	uint64_t first = 0;

	if (!run)
		return seed == SIM_AXES ? 0 : -1;
	count = collect(points, lines, seed, run);
	for (size_t i = 0, next; i < count; i = next) {
		bool equal = true;

		for (next = i + 1; next < count && run[next].group == run[i].group; next++)
			equal = equal && run[next].figures == run[i].figures;
		groups += next > i + 1;
		if (next == i + 1 || !equal)
			continue;
		first = !same || run[i].index < first ? run[i].index : first;
		same++;
	}
	sim_free(run);
	if (!same)
		return 0;
	fprintf(stderr, "gputm-sim: in %zu of %zu groups of points all seeds gave the same figures",
		same, groups);
	say_point(points, seed, first);
	if (draws_data(&points->file, seed))
		fputs(": neither --seed nor workload.seed draws anything there; one seed is "
		      "enough\n", stderr);
	else
		fprintf(stderr, ": --seed draws nothing there; where a workload draws its data, "
				"\"zip set workload.seed 1..%zu\" after the line of seeds draws "
				"them anew\n", points->file.axis[seed].values);
	return 0;
}
