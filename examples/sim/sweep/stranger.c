/* SPDX-License-Identifier: BSD-2-Clause */
#include "stranger.h"

#include <string.h>

#include "../base/json.h"
#include "../base/quote.h"
#include "../base/source.h"

struct search {
	const struct sweep_points *points;
	uint64_t seen; /* a bit for each line of the study that the result names */
	char *out;
	size_t size;
	bool differs;
};

static bool equal(const char *a, const char *b)
{
	uint64_t x = 0, y = 0;

	return !strcmp(a, b) || (sim_is_number(a, 0, UINT64_MAX, &x) &&
				 sim_is_number(b, 0, UINT64_MAX, &y) && x == y);
}

/* What a point names whose study has no such line. */
static const char *standard(const char *name)
{
	return !strcmp(name, "system")   ? "kilo-tm" :
	       !strcmp(name, "workload") ? "hash-table" :
	       !strcmp(name, "seed")	 ? "1" : NULL;
}

static void differ(struct search *s, const char *name, const char *value, const char *how)
{
	if (!s->differs)
		snprintf(s->out, s->size, "%s is %s, %s", name, sim_quoted(value), how);
	s->differs = true;
}

static bool has_value(const struct sim_axis *axis, const char *value)
{
	bool found = false;

	for (size_t i = 0; i < axis->values; i++)
		found = found || equal(axis->value[i], value);
	return found;
}

/* Names of a "call" do not count, nor does what the system ignores. */
static void take(void *state, const char *path, const char *value, bool quoted)
{
	struct search *s = state;
	const struct sim_study_file *file = &s->points->file;
	const char *name = path + 6, *usual;
	size_t i = 0;

	if (strncmp(path, "point.", 6) || !strcmp(name, "hash"))
		return;
	while (i < file->axes && strcmp(file->axis[i].name, name))
		i++;
	if (i < file->axes)
		s->seen |= UINT64_C(1) << i;
	if (!quoted && !strcmp(value, "null"))
		value = SIM_NOT_SET;
	else if (!strcmp(value, SIM_NOT_SET))
		return;
	usual = standard(name);
	if (i < file->axes && !file->axis[i].names && !has_value(&file->axis[i], value))
		differ(s, name, value, "which no line of the study has");
	if (i == file->axes && (strchr(name, '.') || sim_option_runs(name)) &&
	    strcmp(value, SIM_NOT_SET) != 0 && (!usual || !equal(usual, value)))
		differ(s, name, value, "and the study has no such line");
}

bool sweep_same_settings(const struct sweep_points *points, const char *line, char *out,
			 size_t size)
{
	const struct sim_study_file *file = &points->file;
	struct search s = { .points = points, .out = out, .size = size };

	(void)sim_json_each(line, take, &s);
	for (size_t i = 0; !s.differs && i < file->axes; i++) {
		s.differs = !file->axis[i].names && !(s.seen >> i & 1) &&
			    strcmp(file->axis[i].name, "vertices") != 0;
		if (s.differs)
			snprintf(out, size, "%s is not set", file->axis[i].name);
	}
	if (!s.differs)
		snprintf(out, size, "a kernel or another file that it reads has changed, or the "
				    "study has its values, but not together");
	return !s.differs;
}
