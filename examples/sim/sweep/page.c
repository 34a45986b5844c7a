/* SPDX-License-Identifier: BSD-2-Clause */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "../base/output.h"
#include "../base/quote.h"

static const char *name_of(const struct sweep_story *story)
{
	return story->points->options->page;
}

/* Without ".md". */
static int stem(const struct sweep_story *story)
{
	return (int)strlen(name_of(story)) - 3;
}

static bool is(const struct sweep_item *item, const char *word)
{
	return !strcmp(item->saying->word, word);
}

/* Refuse a page if a picture of a table, or its script, is a file that the study reads. */
static bool pictures_apart(const struct sweep_story *story)
{
	static const char *const suffix[] = { "svg", "gp" };
	char name[1024];
	bool apart = true;

	for (size_t i = 0; i < story->items; i++)
		for (size_t k = 0; apart && is(&story->item[i], "table") && k < 2; k++) {
			snprintf(name, sizeof name, "%.*s-%s.%s", stem(story), name_of(story),
				 story->item[i].named->name, suffix[k]);
			apart = sim_output_apart("page", name);
		}
	return apart;
}

int sweep_page_check(const struct sweep_story *story)
{
	const struct sim_study_file *file = &story->points->file;

	if (stem(story) < 1 || strcmp(name_of(story) + stem(story), ".md") != 0)
		fprintf(stderr, "gputm-sim: --page: got \"%s\", expected FILE.md\n",
			sim_quoted(name_of(story)));
	else if (!story->items)
		fprintf(stderr, "gputm-sim: --page: %s says nothing of its results, expected "
				"\"source\", \"table\" or \"claim\"\n", sim_quoted(file->path[0]));
	else
		return pictures_apart(story) ? 0 : -1;
	return -1;
}

/* ---- text ---- */

/* Escape what would end a cell of a table, or start other markup. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("|<>&*_\\", *text))
			fprintf(out, "&#%d;", *text);
		else
			putc(*text, out);
}

static void put_pair(FILE *out, double ours, double papers)
{
	sweep_put_number(out, ours);
	if (isnan(papers))
		return;
	fputs(" (", out);
	sweep_put_number(out, papers);
	putc(')', out);
}

/* ---- tables ---- */

/* The first axis goes across, the others down; a single axis goes down. */
static uint64_t across(const struct sweep_story *story, uint64_t over)
{
	size_t count = 0, first = SIM_AXES;

	for (size_t i = story->points->file.axes; i-- > 0;)
		if (over >> i & 1) {
			first = i;
			count++;
		}
	return count > 1 ? UINT64_C(1) << first : 0;
}

static void put_names(const struct sweep_story *story, uint64_t axes, FILE *out)
{
	const struct sim_study_file *file = &story->points->file;
	const char *before = "";

	for (size_t i = 0; i < file->axes; i++)
		if (axes >> i & 1) {
			fputs(before, out);
			put_text(out, file->axis[i].name);
			before = ", ";
		}
}

/* Does this row or column have a number, ours or the paper's? */
static bool filled(const struct sweep_sheet *sheet, const struct sweep_named *named,
		   uint64_t axes, size_t at)
{
	uint64_t others = named->value.over & ~axes;
	size_t size = sweep_size(sheet, others), digit[SIM_AXES];
	bool found = false;

	sweep_digits(sheet, axes, at, digit);
	for (size_t i = 0; !found && i < size; i++) {
		sweep_digits(sheet, others, i, digit);
		found = !isnan(*sweep_cell(sheet, &named->value, digit)) ||
			(named->paper.cell && !isnan(*sweep_cell(sheet, &named->paper, digit)));
	}
	return found;
}

static void put_row(const struct sweep_sheet *sheet, const struct sweep_named *named,
		    uint64_t columns, size_t row, FILE *out)
{
	uint64_t rows = named->value.over & ~columns;
	size_t digit[SIM_AXES];

	fputs("\n| ", out);
	sweep_cell_name(sheet, rows, row, out);
	for (size_t x = 0; x < sweep_size(sheet, columns); x++) {
		if (!filled(sheet, named, columns, x))
			continue;
		sweep_digits(sheet, rows, row, digit);
		sweep_digits(sheet, columns, x, digit);
		fputs(" | ", out);
		put_pair(out, *sweep_cell(sheet, &named->value, digit), named->paper.cell ?
			 *sweep_cell(sheet, &named->paper, digit) : NAN);
	}
	fputs(" |", out);
}

static void put_table(struct sweep_story *story, const struct sweep_item *item, FILE *out)
{
	const struct sweep_sheet *sheet = &story->sheet;
	const struct sweep_named *named = item->named;
	uint64_t over = named->value.over, columns = across(story, over), rows = over & ~columns;
	size_t width = 0;

	fputs("| ", out);
	put_names(story, rows, out);
	for (size_t x = 0; x < sweep_size(sheet, columns); x++) {
		if (!filled(sheet, named, columns, x))
			continue;
		fputs(" | ", out);
		if (columns)
			sweep_cell_name(sheet, columns, x, out);
		else
			put_text(out, named->name);
		width++;
	}
	fputs(" |\n|---|", out);
	while (width--)
		fputs("---:|", out);
	for (size_t y = 0; y < sweep_size(sheet, rows); y++)
		if (filled(sheet, named, rows, y))
			put_row(sheet, named, columns, y, out);
	fputs("\n\n", out);
}

/* Write the picture of a table; -1: it could not be written. */
static int draw(struct sweep_story *story, const struct sweep_item *item)
{
	const struct sweep_named *named = item->named;
	struct sweep_drawn drawn = { item->title, &named->value, item->reach,
				     named->paper.cell ? &named->paper : NULL };
	char picture[1024];

	snprintf(picture, sizeof picture, "%.*s-%s.svg", stem(story), name_of(story), named->name);
	return sweep_draw(&story->sheet, &drawn, picture);
}

static int put_table_item(struct sweep_story *story, const struct sweep_item *item, FILE *out)
{
	const struct sweep_named *named = item->named;
	const char *base = strrchr(name_of(story), '/');
	int error = 0;

	base = base ? base + 1 : name_of(story);
	fputs("**", out);
	put_text(out, item->title);
	fputs("**", out);
	if (named->paper.cell)
		fputs(" (in parentheses: the paper's)", out);
	fputs("\n\n", out);
	if (named->value.over) {
		error = draw(story, item);
		fprintf(out, "![%s](%.*s-%s.svg)\n\n", named->name, (int)strlen(base) - 3, base,
			named->name);
	}
	put_table(story, item, out);
	return error;
}

/* ---- claims ---- */

static void put_claim(const struct sweep_item *item, bool first, FILE *out)
{
	if (first)
		fputs("| Claim | Judged by | Here | Verdict |\n|---|---|---|---|\n", out);
	fputs("| ", out);
	put_text(out, item->title);
	fputs(" | `", out);
	for (const char *c = item->relation; *c && c[strspn(c, " \t")]; c++)
		fputs(*c == '|' ? "\\|" : (char[]){ *c, '\0' }, out);
	fputs("` | ", out);
	put_text(out, item->here);
	fprintf(out, " | %s", sweep_verdict_name(item->found));
	if (item->expected != SWEEP_NONE && item->expected != item->found &&
	    item->found != SWEEP_NONE)
		fprintf(out, " (expected: %s)", sweep_verdict_name(item->expected));
	for (size_t i = 0; item->found != SWEEP_HOLDS && i < item->whys; i++) {
		fputs(i ? " " : ": ", out);
		put_text(out, item->why[i]);
	}
	fputs(" |\n", out);
}

static int put_items(struct sweep_story *story, FILE *out)
{
	int error = 0;

	for (size_t i = 0; i < story->items; i++) {
		const struct sweep_item *item = &story->item[i];

		if (is(item, "source"))
			fputs("## ", out);
		if (is(item, "source") || is(item, "note")) {
			put_text(out, item->saying->text);
			fputs("\n\n", out);
		} else if (is(item, "table")) {
			error = put_table_item(story, item, out) | error;
		} else {
			put_claim(item, !i || !is(item - 1, "claim"), out);
			if (i + 1 == story->items || !is(item + 1, "claim"))
				putc('\n', out);
		}
	}
	return error;
}

int sweep_page(struct sweep_story *story)
{
	struct sim_output out;
	int error;

	if (sim_output_open(&out, "page", name_of(story)))
		return -1;
	error = put_items(story, out.file);
	return sim_output_close(&out, true) ? -1 : error;
}
