/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines about the results are evaluated several times: before the runs, without numbers, to
 * find errors; after the runs once for each seed, which gives the intervals; and once for the
 * means. A claim is judged cell by cell and holds if all cells do.
 */
#define _POSIX_C_SOURCE 200809L
#include "claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "student.h"
#include "../base/arena.h"
#include "../base/quote.h"
#include "../base/source.h"

#define LIKELY 0.05 /* chance that the mean lies outside of its interval */

static const char *const verdicts[] = { "no result", "holds", "in part", "differs" };

const char *sweep_verdict_name(enum sweep_verdict verdict)
{
	return verdicts[verdict];
}

/* Name a cell by its values; `full`: a number gets the name of its line. */
static void put_cell(const struct sweep_sheet *sheet, uint64_t over, size_t at, bool full,
		     FILE *out)
{
	const struct sim_study_file *file = &sheet->points->file;
	size_t digit[SIM_AXES];
	const char *before = "";
	double number;

	sweep_digits(sheet, over, at, digit);
	for (size_t i = 0; i < file->axes; i++)
		if (over >> i & 1) {
			const char *value = file->axis[i].value[digit[i]];
			bool named = full && sim_is_real(value, &number);

			fputs(before, out);
			fprintf(out, "%s%s%s", named ? file->axis[i].name : "",
				named ? " " : "", value);
			before = " ";
		}
}

void sweep_cell_name(const struct sweep_sheet *sheet, uint64_t over, size_t at, FILE *out)
{
	put_cell(sheet, over, at, false, out);
}

void sweep_put_number(FILE *out, double number)
{
	if (isnan(number))
		putc('-', out);
	else if (isinf(number))
		fputs("inf", out);
	else
		fprintf(out, fabs(number) >= 1000 ? "%.0f" : "%.3g", number);
}

/* ---- names, tables, numbers of papers ---- */

static bool quoted(struct sweep_reader *r, char *out, size_t size)
{
	const char *at = r->at;

	if (sweep_take(r, "\"") && sweep_until(r, "\"", out, size) && sweep_take(r, "\""))
		return true;
	sweep_wrong(r, at, "what it is, in quotation marks");
	return false;
}

static void at_end(struct sweep_reader *r)
{
	if (!sweep_take(r, "") || *r->at)
		sweep_wrong(r, r->at, "the end of the line");
}

static void name_value(struct sweep_story *story, struct sweep_reader *r, struct sweep_item *item)
{
	struct sweep_named *named = &story->named[story->names];
	const char *at = r->at;

	*named = (struct sweep_named){ .paper = { .cell = NULL } };
	if (!sweep_word(r, named->name, sizeof named->name)) {
		sweep_wrong(r, at, "a name of letters, digits and _");
	} else if (sweep_find(r, named->name) || sweep_axis(r, named->name) < SIM_AXES) {
		sweep_wrong(r, at, "a name that no let, table or line of values has");
	} else if (!item || quoted(r, item->title, sizeof item->title)) {
		named->value = sweep_expression(r);
		at_end(r);
	}
	story->names++;
	if (item)
		item->named = named;
}

/* One number for all cells that are selected, or one for each value of an axis. */
static void put_numbers(struct sweep_reader *r, struct sweep_array *paper, const bool *selected)
{
	size_t size = sweep_size(r->sheet, paper->over), digit[SIM_AXES] = { 0 };
	size_t axis = SIM_AXES, value = 0;
	char word[128];
	double number;

	if (!sweep_number(r, &number)) {
		const char *at = r->at;

		if (sweep_until(r, " \t", word, sizeof word))
			axis = sweep_axis(r, word);
		if (axis == SIM_AXES)
			sweep_wrong(r, at, "a number, or a line of the study with values");
	}
	do {
		const char *at = r->at;

		if (axis < SIM_AXES && !sweep_until(r, " \t", word, sizeof word))
			sweep_wrong(r, at, "a value of the line");
		else if (axis < SIM_AXES && (value = sweep_value(r, axis, word, at),
					     at = r->at, !sweep_number(r, &number)))
			sweep_wrong(r, at, "a number");
		for (size_t i = 0; !r->failed && i < size; i++) {
			sweep_digits(r->sheet, paper->over, i, digit);
			if (selected[i] && (axis == SIM_AXES ||
					    digit[sweep_leader(r->sheet, axis)] == value))
				paper->cell[i] = number;
		}
		r->at += strspn(r->at, " \t");
	} while (!r->failed && *r->at && axis < SIM_AXES);
	at_end(r);
}

static void paper_numbers(struct sweep_story *story, struct sweep_reader *r)
{
	const char *at = r->at;
	char name[64] = "";
	struct sweep_named *named = NULL;
	struct sweep_array all, chosen;
	size_t size, digit[SIM_AXES] = { 0 };
	bool *selected;

	if (sweep_word(r, name, sizeof name))
		for (size_t i = 0; i < story->names; i++)
			if (!strcmp(story->named[i].name, name))
				named = &story->named[i];
	if (!named) {
		sweep_wrong(r, at, "a name that \"let\" or \"table\" gives before");
		return;
	}
	if (!named->paper.cell)
		named->paper = sweep_array(r->sheet, named->value.over);
	size = sweep_size(r->sheet, named->paper.over);
	all = sweep_array(r->sheet, named->paper.over);
	for (size_t i = 0; !r->sheet->lost && i < size; i++)
		all.cell[i] = (double)i;
	chosen = sweep_select(r, all); /* the cells left are those selected */
	selected = sim_calloc(size, sizeof *selected);
	r->sheet->lost |= !selected;
	for (size_t i = 0; selected && !r->sheet->lost && i < size; i++) {
		sweep_digits(r->sheet, all.over, i, digit);
		selected[i] = *sweep_cell(r->sheet, &chosen, digit) == (double)i;
	}
	if (selected && !r->failed)
		put_numbers(r, &named->paper, selected);
	sim_free(selected);
}

/* ---- relations ---- */

struct judged {
	size_t cells, held, told;
	FILE *here;
};

enum relation { LESS, MORE, NOT_MORE, NOT_LESS, WITHIN, RELATIONS };

static const char *const signs[] = { "<", ">", "<=", ">=", "within" };

static bool holds(enum relation how, double a, double b, double factor)
{
	switch (how) {
	case LESS:
		return a < b;
	case MORE:
		return a > b;
	case NOT_MORE:
		return a <= b;
	case NOT_LESS:
		return a >= b;
	default:
		return a <= b * factor && a * factor >= b;
	}
}

static void put_relation(FILE *out, enum relation how, double a, double b, double factor)
{
	sweep_put_number(out, a);
	fprintf(out, " %s ", signs[how]);
	if (how == WITHIN)
		fprintf(out, "%g of ", factor);
	sweep_put_number(out, b);
}

static void relate(struct sweep_reader *r, enum relation how, const struct sweep_array *a,
		   const struct sweep_array *b, double factor, struct judged *j)
{
	uint64_t over = a->over | b->over;
	size_t size = sweep_size(r->sheet, over), digit[SIM_AXES], cells = 0, held = 0, told = 0;
	double least = INFINITY, most = -INFINITY;

	for (int pass = 0; pass < 2; pass++) /* count failing cells, then list them */
		for (size_t i = 0; i < size; i++) {
			double x, y;

			sweep_digits(r->sheet, over, i, digit);
			x = *sweep_cell(r->sheet, a, digit);
			y = *sweep_cell(r->sheet, b, digit);
			if (isnan(x) || isnan(y))
				continue;
			if (!pass) {
				cells++;
				held += holds(how, x, y, factor);
				least = x < least ? x : least;
				most = x > most ? x : most;
			} else if (size == 1 || (!holds(how, x, y, factor) && ++told <= 6)) {
				fputs(told > 1 ? ", " : j->told ? "; " : "", j->here);
				if (size > 1 && told == 1)
					fprintf(j->here, "%zu of %zu, but not ", held, cells);
				if (size > 1) {
					put_cell(r->sheet, over, i, true, j->here);
					fputs(": ", j->here);
				}
				if (size == 1 && !held)
					fputs("not ", j->here);
				put_relation(j->here, how, x, y, factor);
			}
		}
	if (told > 6)
		fputs(", ...", j->here);
	if (size > 1 && cells && held == cells) {
		fprintf(j->here, "%s%zu of %zu, ", j->told ? "; " : "", held, cells);
		sweep_put_number(j->here, least);
		fputs(" to ", j->here);
		sweep_put_number(j->here, most);
	}
	j->told += cells > 0;
	j->cells += cells;
	j->held += held;
}

static enum relation take_relation(struct sweep_reader *r)
{
	static const enum relation order[] = { NOT_MORE, NOT_LESS, LESS, MORE, WITHIN };

	for (size_t i = 0; i < RELATIONS; i++)
		if (sweep_take(r, signs[order[i]]))
			return order[i];
	return RELATIONS;
}

static void one_relation(struct sweep_reader *r, struct judged *j)
{
	struct sweep_array a = sweep_expression(r), b;
	enum relation how = take_relation(r);
	double factor = 1;

	if (how == RELATIONS)
		sweep_wrong(r, r->at, "<, >, <=, >= or within FACTOR of");
	while (!r->failed && how != RELATIONS) {
		const char *at = r->at;

		if (how == WITHIN && (!sweep_number(r, &factor) || factor < 1))
			sweep_wrong(r, at, "a factor, 1 or more");
		if (how == WITHIN && !sweep_take(r, "of"))
			sweep_wrong(r, r->at, "\"of\"");
		if (r->failed)
			break;
		b = sweep_expression(r);
		if (!r->failed)
			relate(r, how, &a, &b, factor, j);
		a = b;
		how = take_relation(r);
	}
}

static void claim(struct sweep_reader *r, struct sweep_item *item)
{
	struct judged j = { .cells = 0 };
	size_t size;

	free(item->here);
	item->here = NULL;
	if (!quoted(r, item->title, sizeof item->title))
		return;
	item->relation = r->at + strspn(r->at, " \t");
	j.here = open_memstream(&item->here, &size);
	if (!j.here) {
		r->sheet->lost = true;
		return;
	}
	do
		one_relation(r, &j);
	while (!r->failed && sweep_take(r, "and"));
	at_end(r);
	fclose(j.here);
	item->found = !j.cells ? SWEEP_NONE : j.held == j.cells ? SWEEP_HOLDS :
		      j.held ? SWEEP_IN_PART : SWEEP_DIFFERS;
}

/* ---- lines ---- */

static void expect_verdict(struct sweep_reader *r, struct sweep_item *item)
{
	for (int i = SWEEP_HOLDS; i <= SWEEP_DIFFERS; i++)
		if (sweep_take(r, verdicts[i]))
			item->expected = (enum sweep_verdict)i;
	if (item->expected == SWEEP_NONE)
		sweep_wrong(r, r->at, "holds, in part or differs");
	at_end(r);
}

static bool is(const struct sim_saying *saying, const char *word)
{
	return !strcmp(saying->word, word);
}

/* Check that the required lines come before this line. */
static bool in_place(struct sweep_reader *r, bool sourced, const struct sweep_item *claimed)
{
	const struct sim_saying *s = r->saying;
	const char *lacks = NULL;

	if ((is(s, "paper") || is(s, "claim") || is(s, "table")) && !sourced)
		lacks = "a line \"source TEXT\" before (paper, figure or table, section)";
	else if ((is(s, "why") || is(s, "verdict")) && !claimed)
		lacks = "a line \"claim\" before";
	else if (is(s, "why") && claimed->whys == sizeof claimed->why / sizeof *claimed->why)
		lacks = "8 lines \"why\" at most";
	if (!lacks)
		return true;
	r->failed = true;
	fprintf(stderr, "gputm-sim: %s:%u: %s: expected %s\n", sim_quoted(s->file), s->line,
		s->word, lacks);
	return false;
}

/* Evaluate all lines, with the seed that the sheet has selected. */
static int go_through(struct sweep_story *story, struct sweep_points *points)
{
	struct sweep_reader r = { .sheet = &story->sheet, .points = points,
				  .named = story->named };
	const struct sim_study_file *file = &story->points->file;
	struct sweep_item *item, *claimed = NULL;
	bool sourced = false;

	story->names = story->items = 0;
	for (size_t i = 0; !r.failed && i < file->sayings; i++) {
		const struct sim_saying *s = &file->saying[i];

		sweep_reader_init(&r, s);
		r.names = story->names;
		item = &story->item[story->items];
		item->saying = s;
		if (!in_place(&r, sourced, claimed))
			break;
		sourced |= is(s, "source");
		if (is(s, "let"))
			name_value(story, &r, NULL);
		else if (is(s, "paper"))
			paper_numbers(story, &r);
		else if (is(s, "verdict"))
			expect_verdict(&r, claimed);
		else if (is(s, "why"))
			claimed->why[claimed->whys++] = s->text;
		else
			story->items++;
		if (is(s, "table"))
			name_value(story, &r, item);
		claimed = is(s, "claim") ? item : is(s, "why") || is(s, "verdict") ? claimed : NULL;
		if (is(s, "claim")) {
			item->whys = 0;
			item->expected = SWEEP_NONE;
			claim(&r, item);
		}
	}
	if (story->sheet.lost && !r.failed)
		fputs("gputm-sim: out of memory\n", stderr);
	return r.failed || story->sheet.lost ? -1 : 0;
}

int sweep_story_make(struct sweep_points *points, struct sweep_story *out)
{
	size_t room = points->file.sayings + 1;

	*out = (struct sweep_story){ .points = points };
	sweep_sheet_init(&out->sheet, points);
	out->named = sim_calloc(room, sizeof *out->named);
	out->item = sim_calloc(room, sizeof *out->item);
	out->sheet.lost = !out->named || !out->item;
	return go_through(out, points);
}

void sweep_story_free(struct sweep_story *story)
{
	for (size_t i = 0; story->item && i <= story->points->file.sayings; i++) {
		free(story->item[i].here);
		sim_free(story->item[i].reach);
	}
	sim_free(story->item);
	sim_free(story->named);
	if (story->points)
		sweep_sheet_free(&story->sheet);
}

/* ---- intervals over the seeds ---- */

struct spread {
	double n, sum, squares;
};

/* Add a value to each cell of a table. */
static void add_seed(const struct sweep_sheet *sheet, const struct sweep_item *item,
		     struct spread *s)
{
	size_t size = sweep_size(sheet, item->named->value.over);

	for (size_t i = 0; i < size; i++) {
		double value = item->named->value.cell[i];

		if (isnan(value) || isinf(value))
			continue;
		s[i].n++;
		s[i].sum += value;
		s[i].squares += value * value;
	}
}

static void set_reach(const struct sweep_sheet *sheet, struct sweep_item *item,
		      const struct spread *s)
{
	size_t size = sweep_size(sheet, item->named->value.over);

	item->reach = sim_malloc(size * sizeof *item->reach);
	for (size_t i = 0; item->reach && i < size; i++) {
		double mean = s[i].n > 0 ? s[i].sum / s[i].n : 0;
		double variance = s[i].n > 1 ? (s[i].squares - s[i].n * mean * mean) /
					       (s[i].n - 1) : 0;

		item->reach[i] = variance > 0 ? sweep_t(LIKELY, s[i].n - 1) *
						sqrt(variance / s[i].n) : 0;
	}
}

int sweep_story_judge(struct sweep_story *story, const struct sweep_lines *lines)
{
	struct sweep_sheet *sheet = &story->sheet;
	struct spread **spread = sim_calloc(story->items + 1, sizeof *spread);
	int error = !spread || sweep_sheet_fill(sheet, lines) ? -1 : 0;

	for (size_t i = 0; !error && i < story->items; i++)
		if (is(story->item[i].saying, "table")) {
			spread[i] = sim_calloc(sweep_size(sheet, story->item[i].named->value.over),
					   sizeof **spread);
			error = spread[i] ? 0 : -1;
		}
	for (sheet->chosen = 0; !error && sheet->chosen < sheet->seeds; sheet->chosen++) {
		error = go_through(story, NULL);
		for (size_t i = 0; !error && i < story->items; i++)
			if (spread[i])
				add_seed(sheet, &story->item[i], spread[i]);
	}
	error = error ? error : go_through(story, NULL);
	for (size_t i = 0; spread && i < story->items; i++) {
		if (!error && spread[i])
			set_reach(sheet, &story->item[i], spread[i]);
		sim_free(spread[i]);
	}
	sim_free(spread);
	return error;
}

size_t sweep_story_tell(const struct sweep_story *story, bool all)
{
	size_t changed = 0;

	for (size_t i = 0; i < story->items; i++) {
		const struct sweep_item *item = &story->item[i];
		bool other = item->expected != SWEEP_NONE && item->expected != item->found &&
			     (item->found != SWEEP_NONE || !story->points->file.quick);

		if (!is(item->saying, "claim"))
			continue;
		changed += other;
		if (!all && !other)
			continue;
		fprintf(stderr, "gputm-sim: %s:%u: \"%s\": %s%s%s%s%s\n",
			sim_quoted(item->saying->file), item->saying->line, item->title,
			verdicts[item->found], other ? ", expected " : "",
			other ? verdicts[item->expected] : "", *item->here ? ": " : "", item->here);
	}
	return changed;
}
