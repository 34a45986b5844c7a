/* SPDX-License-Identifier: BSD-2-Clause */
#include "sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/json.h"
#include "../base/source.h"

/* ---- axes ---- */

static const struct sim_axis *axis_at(const struct sweep_sheet *sheet, size_t i)
{
	return &sheet->points->file.axis[i];
}

size_t sweep_leader(const struct sweep_sheet *sheet, size_t axis)
{
	while (axis && axis_at(sheet, axis)->zipped)
		axis--;
	return axis;
}

/* Is it the line of seeds? Those of the data may be zipped with it. */
static bool are_seeds(const struct sweep_sheet *sheet, size_t axis)
{
	size_t axes = sheet->points->file.axes;
	bool seeds = !axis_at(sheet, axis)->zipped && !strcmp(axis_at(sheet, axis)->name, "seed");

	while (++axis < axes && axis_at(sheet, axis)->zipped)
		seeds &= !strcmp(axis_at(sheet, axis)->name, "workload.seed");
	return seeds;
}

void sweep_sheet_init(struct sweep_sheet *sheet, const struct sweep_points *points)
{
	size_t axes = points->file.axes;

	*sheet = (struct sweep_sheet){ .points = points, .seed = SIM_AXES, .seeds = 1 };
	for (size_t i = 0; i < axes; i++) {
		const struct sim_axis *axis = axis_at(sheet, i);

		if (are_seeds(sheet, i)) {
			sheet->seed = i;
			sheet->seeds = axis->values;
		} else if (!axis->zipped && axis->values > 1) {
			sheet->axes |= UINT64_C(1) << i;
		}
	}
}

void sweep_sheet_free(struct sweep_sheet *sheet)
{
	for (size_t i = 0; i < sheet->kept_count; i++)
		sim_free(sheet->kept[i]);
	sim_free(sheet->kept);
	for (size_t i = 0; i < SWEEP_FIGURES; i++)
		sim_free(sheet->figure[i]);
}

size_t sweep_size(const struct sweep_sheet *sheet, uint64_t over)
{
	size_t size = 1;

	for (size_t i = 0; i < sheet->points->file.axes; i++)
		size *= over >> i & 1 ? axis_at(sheet, i)->values : 1;
	return size;
}

void sweep_digits(const struct sweep_sheet *sheet, uint64_t over, size_t at,
		  size_t digit[SIM_AXES])
{
	for (size_t i = sheet->points->file.axes; i-- > 0;)
		if (over >> i & 1) {
			digit[i] = at % axis_at(sheet, i)->values;
			at /= axis_at(sheet, i)->values;
		}
}

static size_t place(const struct sweep_sheet *sheet, uint64_t over, const size_t digit[SIM_AXES])
{
	size_t at = 0;

	for (size_t i = 0; i < sheet->points->file.axes; i++)
		if (over >> i & 1)
			at = at * axis_at(sheet, i)->values + digit[i];
	return at;
}

double *sweep_cell(const struct sweep_sheet *sheet, const struct sweep_array *array,
		   const size_t digit[SIM_AXES])
{
	return &array->cell[place(sheet, array->over, digit)];
}

/* ---- arrays ---- */

struct sweep_array sweep_array(struct sweep_sheet *sheet, uint64_t over)
{
	static double none[1];
	size_t size = sweep_size(sheet, over);
	double *cell = sim_malloc(size * sizeof *cell);
	void **more = sim_realloc(sheet->kept, (sheet->kept_count + 1) * sizeof *more);

	if (more)
		sheet->kept = more;
	if (!cell || !more) {
		sim_free(cell);
		sheet->lost = true;
		return (struct sweep_array){ 0, none };
	}
	sheet->kept[sheet->kept_count++] = cell;
	for (size_t i = 0; i < size; i++)
		cell[i] = NAN;
	return (struct sweep_array){ over, cell };
}

struct sweep_array sweep_figure_array(struct sweep_sheet *sheet, size_t figure)
{
	struct sweep_array out = sweep_array(sheet, sheet->axes);
	const double *cell = sheet->figure[figure];
	size_t size = sweep_size(sheet, out.over);

	for (size_t i = 0; cell && i < size; i++) {
		double sum = 0, count = 0;

		for (size_t seed = 0; seed < sheet->seeds; seed++) {
			double value = cell[seed * size + i];

			if (isnan(value) || (sheet->chosen < sheet->seeds && seed != sheet->chosen))
				continue;
			sum += value;
			count++;
		}
		if (count > 0)
			out.cell[i] = sum / count;
	}
	return out;
}

/* ---- results ---- */

struct line {
	const struct sweep_points *points;
	double value[SWEEP_FIGURES];
};

static void take(void *state, const char *path, const char *text, bool quoted)
{
	struct line *line = state;

	for (size_t i = 0; !quoted && i < line->points->figures; i++)
		if (!strcmp(path, line->points->figure[i].name))
			line->value[i] = !strcmp(text, "true") ? 1 : sim_real(text);
}

/* Number of the value of an axis and of those zipped to it; SWEEP_IGNORED: no effect there. */
static size_t digit_of(const struct sweep_sheet *sheet, const size_t digit[SIM_AXES], size_t axis)
{
	size_t found = digit[axis];

	for (size_t i = axis + 1; i < sheet->points->file.axes && axis_at(sheet, i)->zipped; i++)
		if (digit[i] != SWEEP_IGNORED)
			found = digit[i];
	return found;
}

/* On an axis without effect, the only value stands for all: for this axis and those after it. */
static void put(struct sweep_sheet *sheet, size_t digit[SIM_AXES], size_t axis, size_t seed,
		const struct line *line)
{
	size_t axes = sheet->points->file.axes, at;

	while (axis < axes && (!(sheet->axes >> axis & 1) || digit[axis] != SWEEP_IGNORED))
		axis++;
	if (axis < axes) {
		for (size_t i = 0; i < axis_at(sheet, axis)->values; i++) {
			digit[axis] = i;
			put(sheet, digit, axis + 1, seed, line);
		}
		digit[axis] = SWEEP_IGNORED;
		return;
	}
	at = seed * sweep_size(sheet, sheet->axes) + place(sheet, sheet->axes, digit);
	for (size_t f = 0; f < sheet->points->figures; f++)
		sheet->figure[f][at] = line->value[f];
}

static void put_line(struct sweep_sheet *sheet, uint64_t point, const struct line *line)
{
	size_t digit[SIM_AXES], seed = 0;

	sweep_point_values(sheet->points, point, digit);
	if (sheet->seed < SIM_AXES && digit[sheet->seed] != SWEEP_IGNORED)
		seed = digit[sheet->seed];
	for (size_t i = 0; i < sheet->points->file.axes; i++)
		if (sheet->axes >> i & 1)
			digit[i] = digit_of(sheet, digit, i);
	put(sheet, digit, 0, seed, line);
}

int sweep_sheet_fill(struct sweep_sheet *sheet, const struct sweep_lines *lines)
{
	size_t size = sweep_size(sheet, sheet->axes) * sheet->seeds;

	for (size_t f = 0; f < sheet->points->figures; f++) {
		sheet->figure[f] = sim_malloc(size * sizeof *sheet->figure[f]);
		for (size_t i = 0; sheet->figure[f] && i < size; i++)
			sheet->figure[f][i] = NAN;
		if (!sheet->figure[f])
			return -1;
	}
	for (uint64_t i = 0; i < lines->count; i++) {
		struct line line = { .points = sheet->points };
		char *text = sweep_line(lines, i);

		for (size_t f = 0; f < SWEEP_FIGURES; f++)
			line.value[f] = NAN;
		if (text && !lines->place[i].failed && sim_json_each(text, take, &line))
			put_line(sheet, i, &line);
		sim_free(text);
	}
	return 0;
}
