/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A panel for each figure and each combination of the axes that are neither x nor series: means
 * over the seeds, with the 95 % interval of each. x is the last axis with several numbers, or the
 * last with several values; the series are the first of the others. What gnuplot draws is all in
 * the script.
 */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot_script.h"
#include "student.h"
#include "../base/arena.h"
#include "../base/json.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../base/source.h"

#define PANELS_MAX 64
#define LIKELY 0.05 /* chance that the mean lies outside of its interval */

/* ---- which axis is what ---- */

static bool is_number(const char *text)
{
	double value;

	return *text != '-' && *text != '+' && sim_is_real(text, &value);
}

/* Are the values numbers? inf counts. */
static bool has_order(const struct sim_axis *axis)
{
	bool all = true;

	for (size_t i = 0; i < axis->values; i++)
		all = all && (is_number(axis->value[i]) || !strcmp(axis->value[i], "inf"));
	return all;
}

static bool has_numbers(const struct sim_axis *axis)
{
	bool all = true;

	for (size_t i = 0; i < axis->values; i++)
		all = all && is_number(axis->value[i]);
	return all;
}

static void find_axes(struct plot *p, const struct sweep_points *points, uint64_t over,
		      const char *picture)
{
	size_t axes = points->file.axes;
	double positive = HUGE_VAL;

	*p = (struct plot){ .points = points, .axis = points->file.axis, .over = over,
			    .picture = picture, .x = SIM_AXES, .series = SIM_AXES, .panels = 1 };
	for (size_t i = 0; i < axes; i++)
		if (varies(p, i) && (p->x == SIM_AXES || has_order(&p->axis[i]) ||
				     !has_order(&p->axis[p->x])))
			p->x = i;
	for (size_t i = axes; i-- > 0;)
		if (varies(p, i) && i != p->x)
			p->series = i;
	for (size_t i = 0; i < axes; i++)
		if (varies(p, i) && i != p->x && i != p->series)
			p->panels *= p->axis[i].values;
	if (p->x == SIM_AXES)
		return;
	p->numbers = has_numbers(&p->axis[p->x]);
	p->bars = !has_order(&p->axis[p->x]);
	p->least = p->most = sim_real(p->axis[p->x].value[0]);
	for (size_t i = 0; i < values(p, p->x); i++) {
		double value = sim_real(p->axis[p->x].value[i]);

		p->least = value < p->least ? value : p->least;
		p->most = value > p->most ? value : p->most;
		positive = value > 0 && value < positive ? value : positive;
	}
	p->logarithm = p->numbers && p->least > 0 && p->most / p->least >= 8;
	/* Numbers that span orders of magnitude get places side by side if one of them is 0. */
	p->numbers &= p->least != 0 || p->most / positive < 8;
}

static void find_all_axes(struct plot *p, const struct sweep_points *points)
{
	struct sweep_sheet sheet;

	sweep_sheet_init(&sheet, points);
	find_axes(p, points, sheet.axes, points->options->plot);
}

int sweep_plot_check(const struct sweep_points *points)
{
	const char *name = points->options->plot;
	size_t length = strlen(name);
	struct plot p;

	find_all_axes(&p, points);
	if (length < 5 || strcmp(name + length - 4, ".svg") != 0)
		fprintf(stderr, "gputm-sim: --plot: got \"%s\", expected FILE.svg, beside which "
				"FILE.gp is written: \"set terminal\" and \"set output\" there say "
				"what gnuplot draws of it, such as pngcairo\n", sim_quoted(name));
	else if (p.x == SIM_AXES)
		fprintf(stderr, "gputm-sim: --plot: %s has no line with several values but that of "
				"seeds, expected one\n", sim_quoted(points->file.path[0]));
	else if (p.panels > PANELS_MAX)
		fprintf(stderr, "gputm-sim: --plot: %s has %zu panels, expected %d or fewer\n",
			sim_quoted(points->file.path[0]), p.panels, PANELS_MAX);
	else
		return 0;
	return -1;
}

/* ---- values ---- */

static void take(void *state, const char *path, const char *text, bool quoted)
{
	struct plot *p = state;
	size_t i = 0;

	if (quoted || !is_number(text) || !strncmp(path, "point.", 6) || !strcmp(path, "run") ||
	    !strcmp(path, "of"))
		return;
	while (i < p->figures && strcmp(p->figure[i], path))
		i++;
	if (i == p->figures && p->all && i < FIGURES_MAX)
		snprintf(p->figure[p->figures++], SIM_JSON_PATH, "%s", path);
	if (i < p->figures) {
		p->value[i] = sim_real(text);
		p->given[i] = true;
	}
}

/* On an axis without effect, the only value stands for all values. */
static bool is_there(size_t digit, size_t value)
{
	return digit == SWEEP_IGNORED || digit == value;
}

/* Does the point belong to the panel? */
static bool is_in_panel(const struct plot *p, const size_t digit[SIM_AXES], size_t panel)
{
	bool in = true;

	for (size_t i = p->points->file.axes; i-- > 0;)
		if (varies(p, i) && i != p->x && i != p->series) {
			in = in && is_there(digit[i], panel % p->axis[i].values);
			panel /= p->axis[i].values;
		}
	return in;
}

static void add_to(struct cell *cell, double value)
{
	cell->n++;
	cell->sum += value;
	cell->squares += value * value;
}

static void add(const struct plot *p, uint64_t point)
{
	size_t cells = p->panels * values(p, p->series) * values(p, p->x), digit[SIM_AXES + 1];

	sweep_point_values(p->points, point, digit);
	digit[SIM_AXES] = 0; /* there is no x, or no series */
	for (size_t i = 0; i < cells; i++) {
		size_t x = i % values(p, p->x), series = i / values(p, p->x) % values(p, p->series);
		size_t panel = i / values(p, p->x) / values(p, p->series);

		for (size_t f = 0; f < p->figures; f++)
			if (p->given[f] && is_there(digit[p->x], x) &&
			    is_there(digit[p->series], series) && is_in_panel(p, digit, panel))
				add_to(cell_at(p, f, panel, series, x), p->value[f]);
	}
}

/* Each line once to find the figures and once to add up its values. */
static int collect(struct plot *p, const struct sweep_lines *lines)
{
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < lines->count; i++) {
			char *text = sweep_line(lines, i);

			memset(p->given, 0, sizeof p->given);
			if (text && !lines->place[i].failed && sim_json_each(text, take, p) && pass)
				add(p, i);
			sim_free(text);
		}
		p->all = false;
		if (!pass)
			p->cell = sim_calloc((p->figures * p->panels + 1) * values(p, p->series) *
						 values(p, p->x), sizeof *p->cell);
		if (!p->cell)
			fputs("gputm-sim: out of memory for --plot\n", stderr);
		if (!p->cell)
			return -1;
	}
	return 0;
}

/* Mean and interval of each cell. */
static void finish(struct plot *p)
{
	size_t cells = p->figures * p->panels * values(p, p->series) * values(p, p->x);

	for (size_t i = 0; i < cells; i++) {
		struct cell *c = &p->cell[i];
		double spread;

		c->paper = NAN;
		c->mean = c->n > 0 ? c->sum / c->n : NAN;
		spread = c->n > 1 ? (c->squares - c->n * c->mean * c->mean) / (c->n - 1) : 0;
		c->reach = spread > 0 ? sweep_t(LIKELY, c->n - 1) * sqrt(spread / c->n) : 0;
	}
}

/* ---- gnuplot ---- */

static int draw(const char *script)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		execlp("gnuplot", "gnuplot", script, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		fprintf(stderr, "gputm-sim: --plot: gnuplot is not there (package gnuplot-nox); "
				"its script is %s\n", sim_quoted(script));
	else
		fprintf(stderr, "gputm-sim: --plot: gnuplot has failed on %s\n",
			sim_quoted(script));
	return -1;
}

/* Remove the picture if it is there and not whole; true if so. gnuplot may not tell that the disk
 * is full. */
static bool remove_part(const char *picture)
{
	static const char mark[] = "</svg>";
	char end[16] = "";
	FILE *in = fopen(picture, "r");
	bool whole = !in;

	if (in) {
		(void)fseek(in, -(long)sizeof mark - 2, SEEK_END);
		end[fread(end, 1, sizeof end - 1, in)] = '\0';
		whole = strstr(end, mark) != NULL;
		fclose(in);
	}
	return !whole && !unlink(picture);
}

static int write_and_draw(const struct plot *p)
{
	struct sim_output out;
	char script[1024];
	int error;

	snprintf(script, sizeof script, "%.*s.gp", (int)strlen(p->picture) - 4, p->picture);
	if (sim_output_open(&out, "plot", script))
		return -1;
	plot_put_script(p, out.file);
	error = sim_output_close(&out, true);
	if (!error)
		error = draw(script);
	if (remove_part(p->picture) && !error) {
		fprintf(stderr, "gputm-sim: --plot: gnuplot has not written \"%s\" whole: is the "
				"disk full?\n", sim_quoted(p->picture));
		error = -1;
	}
	return error;
}

int sweep_plot(const struct sweep_points *points, const struct sweep_lines *lines)
{
	struct plot p;
	int error;

	find_all_axes(&p, points);
	p.all = points->file.tell != NULL;
	if (!p.all) {
		strcpy(p.figure[0], "cycles");
		strcpy(p.figure[1], "aborted");
		p.figures = 2;
	}
	error = collect(&p, lines);
	if (!error && !p.figures) {
		fputs("gputm-sim: --plot: there are no numbers to draw\n", stderr);
		error = -1;
	}
	if (!error)
		finish(&p);
	error = error ? error : write_and_draw(&p);
	sim_free(p.cell);
	return error;
}

int sweep_draw(const struct sweep_sheet *sheet, const struct sweep_drawn *drawn,
	       const char *picture)
{
	size_t size = sweep_size(sheet, drawn->value->over), digit[SIM_AXES];
	struct plot p;
	int error;

	find_axes(&p, sheet->points, drawn->value->over, picture);
	snprintf(p.figure[p.figures++], SIM_JSON_PATH, "%s", drawn->what);
	p.papers = drawn->paper != NULL;
	p.cell = sim_calloc(size, sizeof *p.cell);
	for (size_t i = 0; p.cell && i < size; i++) {
		struct cell *cell;
		size_t panel = 0;

		sweep_digits(sheet, drawn->value->over, i, digit);
		for (size_t k = 0; k < sheet->points->file.axes; k++)
			if (varies(&p, k) && k != p.x && k != p.series)
				panel = panel * p.axis[k].values + digit[k];
		cell = cell_at(&p, 0, panel, p.series == SIM_AXES ? 0 : digit[p.series],
			       digit[p.x]);
		cell->mean = drawn->value->cell[i];
		cell->reach = drawn->reach ? drawn->reach[i] : 0;
		cell->paper = drawn->paper ? *sweep_cell(sheet, drawn->paper, digit) : NAN;
	}
	error = p.cell ? 0 : -1;
	if (p.cell && plot_has_data(&p, ALL, ALL, false))
		error = write_and_draw(&p);
	sim_free(p.cell);
	return error;
}
