/* SPDX-License-Identifier: BSD-2-Clause */
#include "axes.h"

#include <string.h>

#include "points.h"
#include "../base/names.h"
#include "../base/output.h"
#include "../report/emit.h"
#include "../report/point.h"

static const char *kind_of(const struct sim_axis *axis)
{
	return axis->names ? "call" : strchr(axis->name, '.') ? "set" : "option";
}

static void put_axis(struct emit *e, const struct sim_axis *axis)
{
	emit_object(e, "");
	emit_text(e, "name", axis->name);
	emit_text(e, "kind", kind_of(axis));
	emit_bool(e, "zipped", axis->zipped);
	emit_array(e, "values");
	for (size_t i = 0; i < axis->values; i++)
		sim_point_value(e, "",
				strcmp(axis->value[i], SIM_NOT_SET) ? axis->value[i] : NULL);
	emit_end(e);
	emit_end(e);
}

static void put_form(struct emit *e, const char *key, const struct sweep_points *points)
{
	const struct sim_study_file *file = &points->file;
	char figure[SIM_PATTERN];

	emit_object(e, key);
	emit_u64(e, "points", points->count);
	emit_bool(e, "check", file->check);
	emit_bool(e, "conflicts", file->conflicts);
	emit_array(e, "tell");
	for (size_t i = 0; sim_pattern(file->tell, i, figure); i++)
		emit_text(e, "", figure);
	emit_end(e);
	emit_array(e, "axes");
	for (size_t i = 0; i < file->axes; i++)
		put_axis(e, &file->axis[i]);
	emit_end(e);
	emit_end(e);
}

/* The name of the file without its folder and ".study". */
static void put_name(struct emit *e, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base), suffix = strlen(".study");
	char name[EMIT_PATH];

	if (length > suffix && !strcmp(base + length - suffix, ".study"))
		length -= suffix;
	snprintf(name, sizeof name, "%.*s", (int)length, base);
	emit_text(e, "study", name);
}

static int write_forms(const struct sim_options *options, const struct sweep_points *full,
		       const struct sweep_points *quick)
{
	struct sim_output out;
	struct emit e;
	int status = sim_output_open(&out, "out", options->out);

	if (status != SIM_DONE)
		return status;
	emit_begin(&e, EMIT_JSON, out.file);
	put_name(&e, options->study);
	put_form(&e, "full", full);
	put_form(&e, "quick", quick);
	emit_finish(&e);
	return sim_output_close(&out, true) ? SIM_FAILED : SIM_DONE;
}

int sweep_axes(const struct sim_options *options)
{
	struct sweep_points full, quick;
	int status = SIM_BAD_INPUT;

	if (!sweep_points_read_forms(options, &full, &quick) && !sweep_points_select(&full) &&
	    !sweep_points_select(&quick))
		status = write_forms(options, &full, &quick);
	sweep_points_free(&full);
	sweep_points_free(&quick);
	return status;
}
