/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An expression is evaluated while it is read. This also happens before the runs, with no number in
 * any cell, to find its errors.
 */
#define _POSIX_C_SOURCE 200809L
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/quote.h"
#include "../base/source.h"

#define BLANKS " \t"
#define DEPTH 100

/* ---- words ---- */

void sweep_reader_init(struct sweep_reader *r, const struct sim_saying *saying)
{
	r->saying = saying;
	r->at = saying->text;
}

void sweep_wrong(struct sweep_reader *r, const char *at, const char *expected)
{
	char rest[24];

	if (r->failed)
		return;
	r->failed = true;
	at += strspn(at, BLANKS);
	snprintf(rest, sizeof rest, "%s", at);
	rest[*rest ? 1 + strcspn(rest + 1, BLANKS "|,]") : 0] = '\0';
	fprintf(stderr, "gputm-sim: %s:%u:%u: got %s%s%s, expected %s\n",
		sim_quoted(r->saying->file), r->saying->line,
		r->saying->column + (unsigned)(at - r->saying->text), *rest ? "\"" : "",
		*rest ? sim_quoted(rest) : "the end of the line", *rest ? "\"" : "", expected);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool sweep_take(struct sweep_reader *r, const char *wanted)
{
	size_t length = strlen(wanted);

	r->at += strspn(r->at, BLANKS);
	if (strncmp(r->at, wanted, length) || (in_word(*wanted) && in_word(r->at[length])))
		return false;
	r->at += length;
	return true;
}

static void expect(struct sweep_reader *r, const char *wanted)
{
	char expected[40];

	snprintf(expected, sizeof expected, "\"%s\"", wanted);
	if (!sweep_take(r, wanted))
		sweep_wrong(r, r->at, expected);
}

bool sweep_until(struct sweep_reader *r, const char *ends, char *out, size_t size)
{
	size_t length;

	r->at += strspn(r->at, BLANKS);
	length = strcspn(r->at, ends);
	if (!length || length >= size)
		return false;
	snprintf(out, size, "%.*s", (int)length, r->at);
	r->at += length;
	return true;
}

bool sweep_word(struct sweep_reader *r, char *out, size_t size)
{
	size_t length = 0;

	r->at += strspn(r->at, BLANKS);
	while (in_word(r->at[length]))
		length++;
	if (!length || length >= size || isdigit((unsigned char)*r->at))
		return false;
	snprintf(out, size, "%.*s", (int)length, r->at);
	r->at += length;
	return true;
}

bool sweep_number(struct sweep_reader *r, double *out)
{
	char *end;

	r->at += strspn(r->at, BLANKS);
	if (!isdigit((unsigned char)*r->at))
		return false;
	*out = strtod(r->at, &end);
	r->at = end;
	return true;
}

/* ---- axes and values ---- */

size_t sweep_axis(const struct sweep_reader *r, const char *name)
{
	const struct sim_study_file *file = &r->sheet->points->file;

	for (size_t i = 0; i < file->axes; i++)
		if (!strcmp(file->axis[i].name, name) && i != r->sheet->seed)
			return i;
	return SIM_AXES;
}

/* With --quick: does the full form of the study have this value? */
static bool left_out(const struct sweep_points *points, const char *axis, const char *value)
{
	const struct sim_study_file *full = &points->full;

	for (size_t i = 0; i < full->axes; i++)
		for (size_t k = 0; !strcmp(full->axis[i].name, axis) && k < full->axis[i].values;
		     k++)
			if (!strcmp(full->axis[i].value[k], value))
				return true;
	return false;
}

size_t sweep_value(struct sweep_reader *r, size_t axis, const char *value, const char *at)
{
	const struct sim_axis *a = &r->sheet->points->file.axis[axis];
	char expected[SIM_QUOTE];
	size_t used;

	for (size_t i = 0; i < a->values; i++)
		if (!strcmp(a->value[i], value))
			return i;
	if (left_out(r->sheet->points, a->name, value))
		return SIZE_MAX;
	used = (size_t)snprintf(expected, sizeof expected, "a value of %s:", a->name);
	for (size_t i = 0; i < a->values && used < sizeof expected; i++)
		used += (size_t)snprintf(expected + used, sizeof expected - used, " %s",
					 a->value[i]);
	sweep_wrong(r, at, expected);
	return SIZE_MAX;
}

static struct sweep_array axis_numbers(const struct sweep_reader *r, size_t axis)
{
	size_t leader = sweep_leader(r->sheet, axis);
	const struct sim_axis *a = &r->sheet->points->file.axis[axis];
	struct sweep_array out = sweep_array(r->sheet, r->sheet->axes & UINT64_C(1) << leader);
	size_t size = sweep_size(r->sheet, out.over);

	for (size_t i = 0; i < size; i++)
		if (!sim_is_real(a->value[i], &out.cell[i]))
			out.cell[i] = NAN;
	return out;
}

/* The axis before "=" or behind "over", or SIM_AXES. */
static size_t take_axis(struct sweep_reader *r)
{
	const char *at = r->at;
	char name[64];
	size_t axis = sweep_until(r, BLANKS "=),", name, sizeof name) ? sweep_axis(r, name) :
									  SIM_AXES;

	if (axis == SIM_AXES)
		sweep_wrong(r, at, "a line of the study with values, but not seed");
	return axis;
}

/* Select these values of an axis; with a single value the axis disappears. */
static struct sweep_array keep_values(struct sweep_reader *r, struct sweep_array array,
				      size_t axis, const bool *keep, size_t kept)
{
	uint64_t bit = r->sheet->axes & UINT64_C(1) << sweep_leader(r->sheet, axis);
	struct sweep_array out = sweep_array(r->sheet, kept == 1 ? array.over & ~bit : array.over);
	size_t size = sweep_size(r->sheet, array.over), digit[SIM_AXES] = { 0 };

	for (size_t i = 0; i < size; i++) {
		sweep_digits(r->sheet, array.over, i, digit);
		if (keep[array.over & bit ? digit[sweep_leader(r->sheet, axis)] : 0])
			*sweep_cell(r->sheet, &out, digit) = array.cell[i];
	}
	return out;
}

struct sweep_array sweep_select(struct sweep_reader *r, struct sweep_array array)
{
	bool more = sweep_take(r, "[");

	while (more && !r->failed) {
		size_t axis = take_axis(r), values, kept = 0;
		char value[128];
		bool *keep;

		if (axis == SIM_AXES)
			break;
		values = r->sheet->points->file.axis[axis].values;
		keep = sim_calloc(values, sizeof *keep);
		expect(r, "=");
		do {
			const char *at = r->at;
			size_t found = SIZE_MAX;

			if (!sweep_until(r, BLANKS "|,]", value, sizeof value))
				sweep_wrong(r, at, "a value");
			else
				found = sweep_value(r, axis, value, at);
			if (keep && found != SIZE_MAX)
				keep[found] = true;
			kept++;
		} while (!r->failed && sweep_take(r, "|"));
		r->sheet->lost |= !keep;
		if (keep)
			array = keep_values(r, array, axis, keep, kept);
		sim_free(keep);
		more = sweep_take(r, ",");
		if (!more)
			expect(r, "]");
	}
	return array;
}

/* ---- calculation ---- */

static double calculate(char how, double a, double b)
{
	switch (how) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		return b != 0 ? a / b : NAN;
	}
}

static struct sweep_array combine(struct sweep_reader *r, char how, struct sweep_array a,
				  struct sweep_array b)
{
	struct sweep_array out = sweep_array(r->sheet, a.over | b.over);
	size_t size = sweep_size(r->sheet, out.over), digit[SIM_AXES];

	for (size_t i = 0; i < size; i++) {
		sweep_digits(r->sheet, out.over, i, digit);
		out.cell[i] = calculate(how, *sweep_cell(r->sheet, &a, digit),
					*sweep_cell(r->sheet, &b, digit));
	}
	return out;
}

enum function { MIN, MAX, SUM, MEAN, GEOMEAN, HARMEAN, BEST, FUNCTIONS };

static const char *const functions[FUNCTIONS] = {
	"min", "max", "sum", "mean", "geomean", "harmean", "best"
};

struct gathered {
	double count, value, by;
};

static void gather(enum function how, struct gathered *g, double value, double by)
{
	bool first = g->count == 0;

	if (isnan(value) || (how == BEST && isnan(by)))
		return;
	g->count++;
	if (how == MIN)
		g->value = first || value < g->value ? value : g->value;
	else if (how == MAX)
		g->value = first || value > g->value ? value : g->value;
	else if (how == BEST)
		g->value = first || by < g->by ? value : g->value;
	else
		g->value += how == GEOMEAN ? log(value) : how == HARMEAN ? 1 / value : value;
	g->by = first || by < g->by ? by : g->by;
}

static double gathered(enum function how, const struct gathered *g)
{
	if (g->count == 0)
		return NAN;
	return how == MEAN ? g->value / g->count : how == GEOMEAN ? exp(g->value / g->count) :
	       how == HARMEAN ? g->count / g->value : g->value;
}

static struct sweep_array reduce(struct sweep_reader *r, enum function how,
				 struct sweep_array value, struct sweep_array by, uint64_t over)
{
	uint64_t all = value.over | by.over;
	struct sweep_array out = sweep_array(r->sheet, all & ~over);
	size_t size = sweep_size(r->sheet, all), results = sweep_size(r->sheet, out.over);
	struct gathered *g = sim_calloc(results, sizeof *g);
	size_t digit[SIM_AXES];

	r->sheet->lost |= !g;
	for (size_t i = 0; g && i < size; i++) {
		sweep_digits(r->sheet, all, i, digit);
		gather(how, &g[sweep_cell(r->sheet, &out, digit) - out.cell],
		       *sweep_cell(r->sheet, &value, digit), *sweep_cell(r->sheet, &by, digit));
	}
	for (size_t i = 0; g && i < results; i++)
		out.cell[i] = gathered(how, &g[i]);
	sim_free(g);
	return out;
}

/* ---- what is read ---- */

/* Read the parentheses of a function. */
static struct sweep_array apply(struct sweep_reader *r, enum function how)
{
	struct sweep_array value = sweep_expression(r), by = value;
	uint64_t over = 0;

	if (how == BEST)
		expect(r, "by");
	if (how == BEST && !r->failed)
		by = sweep_expression(r);
	if (sweep_take(r, "over")) {
		do {
			size_t axis = take_axis(r);

			if (axis < SIM_AXES)
				over |= UINT64_C(1) << sweep_leader(r->sheet, axis);
			r->at += strspn(r->at, BLANKS);
		} while (!r->failed && *r->at != ')');
	} else {
		over = UINT64_MAX;
	}
	expect(r, ")");
	return reduce(r, how, value, by, over);
}

const struct sweep_named *sweep_find(const struct sweep_reader *r, const char *name)
{
	for (size_t i = 0; i < r->names; i++)
		if (!strcmp(r->named[i].name, name))
			return &r->named[i];
	return NULL;
}

static struct sweep_array paper(struct sweep_reader *r)
{
	const char *at = r->at;
	const struct sweep_named *named;
	char name[64];

	named = sweep_word(r, name, sizeof name) ? sweep_find(r, name) : NULL;
	if (!named || !named->paper.cell)
		sweep_wrong(r, at, "a name that \"paper\" has numbers for before");
	expect(r, ")");
	return named && named->paper.cell ? named->paper : sweep_array(r->sheet, 0);
}

static struct sweep_array figure(struct sweep_reader *r, const char *name, const char *at)
{
	const struct sweep_points *known = r->sheet->points;
	struct sweep_points *points = r->points;

	for (size_t i = 0; i < known->figures; i++)
		if (!strcmp(known->figure[i].name, name))
			return sweep_figure_array(r->sheet, i);
	if (!points || points->figures == SWEEP_FIGURES) {
		sweep_wrong(r, at, "64 figures in all at most");
		return sweep_array(r->sheet, 0);
	}
	at += strspn(at, BLANKS);
	points->figure[points->figures] = (struct sweep_figure){
		.file = r->saying->file, .line = r->saying->line,
		.column = r->saying->column + (unsigned)(at - r->saying->text),
	};
	snprintf(points->figure[points->figures].name, sizeof points->figure->name, "%s", name);
	return sweep_figure_array(r->sheet, points->figures++);
}

static struct sweep_array named(struct sweep_reader *r)
{
	const char *at = r->at;
	const struct sweep_named *value;
	char name[64];
	size_t i = 0, axis;

	if (!sweep_word(r, name, sizeof name)) {
		sweep_wrong(r, at, "a number, a name, a function or \"(\"");
		return sweep_array(r->sheet, 0);
	}
	if (sweep_take(r, "(")) {
		while (i < FUNCTIONS && strcmp(functions[i], name))
			i++;
		if (i < FUNCTIONS)
			return apply(r, (enum function)i);
		if (!strcmp(name, "paper"))
			return paper(r);
		sweep_wrong(r, at, "min, max, sum, mean, geomean, harmean, best or paper");
		return sweep_array(r->sheet, 0);
	}
	value = sweep_find(r, name);
	axis = sweep_axis(r, name);
	return value ? value->value : axis < SIM_AXES ? axis_numbers(r, axis) : figure(r, name, at);
}

static struct sweep_array part(struct sweep_reader *r)
{
	struct sweep_array out;
	double number;

	if (sweep_number(r, &number)) {
		out = sweep_array(r->sheet, 0);
		*out.cell = number;
		return out;
	}
	if (sweep_take(r, "(")) {
		out = sweep_expression(r);
		expect(r, ")");
	} else {
		out = named(r);
	}
	while (!r->failed && *r->at == '[')
		out = sweep_select(r, out);
	return out;
}

static struct sweep_array product(struct sweep_reader *r)
{
	struct sweep_array out = part(r);
	char how;

	while (!r->failed && ((how = '*', sweep_take(r, "*")) || (how = '/', sweep_take(r, "/"))))
		out = combine(r, how, out, part(r));
	return out;
}

struct sweep_array sweep_expression(struct sweep_reader *r)
{
	struct sweep_array out;
	char how;

	if (++r->depth > DEPTH) {
		sweep_wrong(r, r->at, "fewer parentheses in parentheses");
		return sweep_array(r->sheet, 0);
	}
	out = product(r);
	while (!r->failed && ((how = '+', sweep_take(r, "+")) || (how = '-', sweep_take(r, "-"))))
		out = combine(r, how, out, product(r));
	r->depth--;
	return out;
}
