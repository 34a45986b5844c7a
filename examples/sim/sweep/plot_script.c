/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnuplot draws, and how: all data and settings of a picture are in its script. */
#include "plot_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/source.h"

#define PAPER_HALO "pt 2 ps 0.8 lw 5 lc rgb 'white'"
#define PAPER_MARK "pt 2 ps 0.8 lw 2 lc rgb '#c00000'"
#define INTERVAL ", '' using 1:3:(0):($4 - $3) with vectors heads size graph 0.006,90 "
#define LOGARITHM 100 /* values of lines that are so many times apart get a logarithmic axis */
#define BARS 0.8 /* as a part of the width of a place */

#define LINE_MAX 34 /* letters that fit along the height of a panel */

/* In single quotes, only a single quote has a meaning for gnuplot. */
static void put_words(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++)
		fputs(*text == '\'' ? "''" : (char[]){ *text, '\0' }, out);
	putc('\'', out);
}

/* Where to end the first of so many lines: at the space that is nearest, behind it or before. */
static size_t end_of_line(const char *text, size_t lines)
{
	size_t length = strlen(text), middle = length / lines, after = middle, before = middle;

	while (after < length && text[after] != ' ')
		after++;
	while (before && text[before] != ' ')
		before--;
	return before && after > LINE_MAX ? before : after;
}

/* What is written along an axis, in lines as long as the axis. */
static void put_lines(FILE *out, const char *text)
{
	size_t lines = (strlen(text) + LINE_MAX - 1) / LINE_MAX, end;
	char line[256];

	for (; lines > 1 && (end = end_of_line(text, lines)) < strlen(text); lines--) {
		snprintf(line, sizeof line, "%.*s", (int)end, text);
		put_words(out, line);
		fputs(".\"\\n\".", out);
		text += end + 1;
	}
	put_words(out, text);
}

bool plot_has_data(const struct plot *p, size_t panel, size_t series, bool of_paper)
{
	size_t cells = p->figures * p->panels * values(p, p->series) * values(p, p->x);
	bool found = false;

	for (size_t i = 0; !found && i < cells; i++) {
		size_t s = i / values(p, p->x) % values(p, p->series);
		size_t k = i / values(p, p->x) / values(p, p->series) % p->panels;

		found = (panel == ALL || panel == k) && (series == ALL || series == s) &&
			isfinite(of_paper ? p->cell[i].paper : p->cell[i].mean);
	}
	return found;
}

/* How many of the first series, or panels, have data. */
static size_t drawn(const struct plot *p, size_t series)
{
	size_t count = 0;

	for (size_t s = 0; s < series; s++)
		count += plot_has_data(p, ALL, s, false);
	return count;
}

static size_t drawn_panels(const struct plot *p, size_t panels)
{
	size_t count = 0;

	for (size_t k = 0; k < panels; k++)
		count += plot_has_data(p, k, ALL, false);
	return count;
}

/* Is there a number at this value of x? */
static bool has_place(const struct plot *p, size_t x)
{
	size_t cells = p->figures * p->panels * values(p, p->series) * values(p, p->x);
	bool found = false;

	for (size_t i = x; !found && i < cells; i += values(p, p->x))
		found = isfinite(p->cell[i].mean);
	return found;
}

/* How many of the first values of x have a place. */
static size_t places(const struct plot *p, size_t count)
{
	size_t found = 0;

	for (size_t x = 0; x < count; x++)
		found += has_place(p, x);
	return found;
}

/* Where a value of x is. */
static double place(const struct plot *p, size_t x, size_t series)
{
	size_t all = drawn(p, values(p, p->series));

	if (p->numbers)
		return sim_real(p->axis[p->x].value[x]);
	if (!p->bars)
		return (double)places(p, x);
	return (double)places(p, x) +
	       ((double)drawn(p, series) + 0.5 - (double)all / 2) * BARS / (double)all;
}

/* The least and the largest value of so many cells. */
struct span {
	double least, most;
};

static struct span span_of(const struct cell *cell, size_t cells)
{
	struct span span = { HUGE_VAL, 0 };

	for (size_t i = 0; i < cells; i++) {
		span.least = fmin(span.least, fmin(cell[i].mean, cell[i].paper));
		span.most = fmax(span.most, fmax(cell[i].mean + cell[i].reach, cell[i].paper));
	}
	return span;
}

/* All panels of a figure have the same kind of y axis. */
static bool has_log_y(const struct plot *p, size_t f)
{
	struct span span = span_of(cell_at(p, f, 0, 0, 0),
				   p->panels * values(p, p->series) * values(p, p->x));

	return !p->bars && span.least > 0 && span.most / span.least >= LOGARITHM;
}

static void put_data(const struct plot *p, size_t f, size_t panel, size_t series, FILE *out)
{
	bool least = has_log_y(p, f); /* above 0 */

	fprintf(out, "$d%zu_%zu_%zu << EOD\n", f, panel, series);
	for (size_t x = 0; x < values(p, p->x); x++) {
		const struct cell *c = cell_at(p, f, panel, series, x);

		if (!isfinite(c->mean))
			continue;
		fprintf(out, "%.8g %.8g %.8g %.8g", place(p, x, series), c->mean,
			fmax(c->mean - c->reach, least ? c->mean / LOGARITHM : 0),
			c->mean + c->reach);
		if (isfinite(c->paper))
			fprintf(out, " %.8g\n", c->paper);
		else
			fputs(p->papers ? " NaN\n" : "\n", out);
	}
	fputs("EOD\n", out);
}

static void put_tics(const struct plot *p, FILE *out)
{
	const struct sim_axis *axis = &p->axis[p->x];
	size_t all = places(p, axis->values);

	fputs("set xtics (", out);
	for (size_t i = 0; i < axis->values; i++) {
		if (!has_place(p, i))
			continue;
		fputs(places(p, i) ? ", " : "", out);
		put_words(out, axis->value[i]);
		if (p->numbers)
			fprintf(out, " %s", axis->value[i]);
		else
			fprintf(out, " %zu", places(p, i));
	}
	fprintf(out, ") nomirror%s\n", p->bars ? " scale 0 font ',10'" : "");
	if (p->logarithm)
		fprintf(out, "set logscale x\nset xrange [%g:%g]\n", p->least / 1.2, p->most * 1.2);
	else if (p->numbers)
		fprintf(out, "set xrange [%g:%g]\n", p->least - (p->most - p->least) / 20,
			p->most + (p->most - p->least) / 20);
	else
		fprintf(out, "set xrange [-0.5:%zu.5]\n", all ? all - 1 : 0);
}

/* "workload ht-h, threads 512": what this panel is of. */
static void name_panel(const struct plot *p, size_t panel, char *text, size_t size)
{
	size_t used = 0, below = p->panels;

	*text = '\0';
	for (size_t i = 0; i < p->points->file.axes; i++) {
		if (!varies(p, i) || i == p->x || i == p->series)
			continue;
		below /= p->axis[i].values;
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "",
					 p->axis[i].name,
					 p->axis[i].value[panel / below % p->axis[i].values]);
		used = used < size ? used : size - 1;
	}
}

/* Marks, dashes and the lightness of the colours all differ, so that print without colours does. */
static void put_styles(const struct plot *p, FILE *out)
{
	static const char *const colours[] = { "#1b1b1b", "#0072b2", "#d55e00", "#56b4e9",
					       "#009e73", "#cc79a7", "#e69f00", "#999999" };
	static const int marks[] = { 7, 5, 9, 11, 6, 4, 8, 10 };

	for (int i = 0; i < 8; i++)
		fprintf(out, "set linetype %d lc rgb '%s' lw 1.6 pt %d ps 0.6 dt %d\n", i + 1,
			colours[i], marks[i], i % 5 + 1);
	fprintf(out, "BAR = %g\nset style fill solid 0.85 border lc rgb 'black'\n",
		BARS / (double)drawn(p, values(p, p->series)));
	fputs("set linetype cycle 8\n", out);
}

/* Of a bar: neighbours differ in print, and so do all that are hatched or have the same colour. */
static const char *fill(size_t style)
{
	static const char *const pattern[] = {
		"solid 0.85", "pattern 2", "solid 0.85", "solid 0.45",
		"solid 0.85", "pattern 4", "solid 0.85", "pattern 1",
		"pattern 1", "solid 0.35", "pattern 2", "pattern 5",
		"pattern 1", "solid 0.45", "pattern 2", "solid 0.4",
	};

	return pattern[(style - 1) % (sizeof pattern / sizeof *pattern)];
}

static void put_mark(const struct plot *p, size_t style, FILE *out)
{
	if (p->bars)
		fprintf(out, "boxes lt %zu dt 1 lw 0.6 fs %s", style, fill(style));
	else
		fprintf(out, "linespoints lt %zu", style);
}

/* Lines, or bars one beside the other; intervals; and crosses for what a paper has. */
static void put_series(const struct plot *p, size_t f, size_t panel, size_t series, FILE *out)
{
	size_t style = p->series == SIM_AXES && p->bars ? 7 : series + 1; /* one: a light one */

	fprintf(out, "$d%zu_%zu_%zu using 1:2%s with ", f, panel, series, p->bars ? ":(BAR)" : "");
	put_mark(p, style, out);
	fputs(" notitle", out);
	if (p->bars)
		fputs(INTERVAL "lc rgb 'white' lw 3 dt 1 notitle" INTERVAL
		      "lc rgb 'black' lw 1 dt 1 notitle", out);
	else
		fprintf(out, INTERVAL "lt %zu dt 1 notitle", style);
	if (plot_has_data(p, panel, series, true))
		fprintf(out, ", '' using 1:5 with points " PAPER_HALO " notitle"
			     ", '' using 1:5 with points " PAPER_MARK " notitle");
}

static void put_key(const struct plot *p, FILE *out)
{
	for (size_t s = 0; p->series != SIM_AXES && s < values(p, p->series); s++)
		if (plot_has_data(p, ALL, s, false)) {
			fputs(", \\\n\tkeyentry with ", out);
			put_mark(p, s + 1, out);
			fputs(" title ", out);
			put_words(out, p->axis[p->series].value[s]);
		}
	if (plot_has_data(p, ALL, ALL, true))
		fputs(", \\\n\tkeyentry with points " PAPER_MARK " title 'the paper'", out);
}

/* Of the numbers at y: digits that matter, and thousands as k, M and so on. */
static const char *format_of(double most)
{
	if (most < 1e4)
		return "%g";
	while (most >= 1000)
		most /= 1000;
	return most < 10 ? "%.1s%c" : "%.0s%c";
}

/* Bars begin at 0, and so do lines whose values are near one another. */
static void put_range(const struct plot *p, size_t f, const struct span *span, FILE *out)
{
	if (has_log_y(p, f))
		fprintf(out, "set logscale y\nset yrange [%g:%g]\n", span->least / 1.5,
			span->most * 1.5);
	else
		fprintf(out, "unset logscale y\nset yrange [0:%s]\n", span->most > 0 ? "*" : "1");
	fprintf(out, "set format y '%s'\n", format_of(span->most));
}

static void put_panel(const struct plot *p, size_t f, size_t panel, FILE *out)
{
	struct span span = span_of(cell_at(p, f, panel, 0, 0),
				   values(p, p->series) * values(p, p->x));
	bool left = !drawn_panels(p, panel), first = !f && left;
	const char *before = "", *x = p->axis[p->x].name;
	char text[256];

	name_panel(p, panel, text, sizeof text);
	fputs("set title ", out);
	put_words(out, f ? "" : text);
	fputs("\nset ylabel ", out);
	put_lines(out, left ? p->figure[f] : "");
	fputs("\nset xlabel ", out);
	put_words(out, f + 1 == p->figures ? x : "");
	fputc('\n', out);
	put_range(p, f, &span, out);
	fprintf(out, "%s key\nplot ", first ? "set" : "unset");
	for (size_t s = 0; s < values(p, p->series); s++)
		if (plot_has_data(p, panel, s, false)) {
			fputs(before, out);
			put_series(p, f, panel, s, out);
			before = ", \\\n\t";
		}
	if (first)
		put_key(p, out);
	fputs("\nunset label\n", out);
}

static size_t at_least(size_t size, size_t least)
{
	return size > least ? size : least;
}

static size_t longest(const struct plot *p, size_t axis)
{
	size_t most = 0;

	for (size_t i = 0; i < values(p, axis); i++)
		most = at_least(most, strlen(p->axis[axis].value[i]));
	return most;
}

/* Of how many runs a number is the mean. */
static size_t seeds_of(const struct sweep_points *points)
{
	size_t seeds = 1;

	for (size_t i = 0; i < points->file.axes; i++)
		if (!strcmp(points->file.axis[i].name, "seed"))
			seeds = points->file.axis[i].values;
	return seeds;
}

void plot_put_script(const struct plot *p, FILE *out)
{
	size_t seeds = seeds_of(p->points);
	size_t panels = drawn_panels(p, p->panels);
	size_t names = p->series != SIM_AXES ? drawn(p, values(p, p->series)) : 0;
	size_t key = names || plot_has_data(p, ALL, ALL, true) ? 160 : 5;
	size_t panel_width = 330, width, height = 210 * p->figures + 90;

	/* Names of 12 points, or of 10 below bars, are about 7 or 6 points a letter. */
	if (names)
		key = at_least(at_least(key, 75 + 7 * longest(p, p->series)),
			       20 + 7 * strlen(p->axis[p->series].name));
	if (!p->numbers)
		panel_width = at_least(panel_width, 60 + places(p, values(p, p->x)) *
					       (10 + (p->bars ? 6 : 7) * longest(p, p->x)));
	width = panel_width * panels + 90 + key;
	height = at_least(height, 18 * names + 130);

	fprintf(out, "# Drawn by gputm-sim --plot; gnuplot FILE draws it again.\n");
	fprintf(out, "# Means and their 95 %% intervals over the seeds.\n");
	for (size_t f = 0; f < p->figures; f++)
		for (size_t panel = 0; panel < p->panels; panel++)
			for (size_t s = 0; s < values(p, p->series); s++)
				if (plot_has_data(p, panel, s, false))
					put_data(p, f, panel, s, out);
	fprintf(out, "set terminal svg size %zu,%zu font 'sans-serif,12' noenhanced background "
		     "'white'\nset output ", width, height);
	put_words(out, p->picture);
	fputc('\n', out);
	if (seeds > 1)
		fprintf(out, "set label 1 'means of %zu seeds, 95 %% intervals' at screen "
			     "%.4f,%.4f right font ',9' tc rgb '#606060'\n", seeds,
			1 - 5.0 / (double)width, 12.0 / (double)height);
	put_styles(p, out);
	put_tics(p, out);
	fprintf(out, "set ytics nomirror\nset border 3\nset grid ytics\n"
		     "set key at screen %.4f,%.4f left top Left reverse vertical\n",
		1 - (double)key / (double)width, 1 - 40.0 / (double)height);
	if (p->series != SIM_AXES) {
		fputs("set key title ", out);
		put_words(out, p->axis[p->series].name);
		fputs(" left\n", out);
	}
	fprintf(out, "set multiplot layout %zu,%zu margins screen %.4f,%.4f,%.4f,%.4f "
		     "spacing screen %.4f,%.4f\n", p->figures, panels, 85.0 / (double)width,
		1 - (double)(key + 15) / (double)width, 55.0 / (double)height,
		1 - 35.0 / (double)height, 60.0 / (double)width, 35.0 / (double)height);
	for (size_t f = 0; f < p->figures; f++)
		for (size_t panel = 0; panel < p->panels; panel++)
			if (plot_has_data(p, panel, ALL, false))
				put_panel(p, f, panel, out);
	fputs("unset multiplot\n", out);
}
