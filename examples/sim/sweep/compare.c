/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares two sets of results exactly, figure by figure at equal points and seeds. Whether seeds
 * that differ tell two means apart is a question for python3 -m gputm.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "../base/arena.h"
#include "../base/json.h"
#include "../base/names.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../base/source.h"
#include "../base/table.h"
#include "../report/report.h"

/* ---- names by number ---- */

struct names {
	struct sim_table table; /* by hash; of two names with one hash, the later has the next */
	char **name;
	size_t room;
};

/* The number of a name, entering new names; SIZE_MAX if out of memory. */
static size_t number_of(struct names *names, const char *text)
{
	uint64_t hash = sim_hash_text(SIM_HASH_START, text);
	size_t number;

	while ((number = sim_table_find(&names->table, hash)) &&
	       strcmp(names->name[number - 1], text))
		hash++;
	if (number)
		return number - 1;
	if (!SIM_ROOM(names->name, names->room, names->table.count + 1) ||
	    !(names->name[names->table.count] = sim_strdup(text)))
		return SIZE_MAX;
	return sim_table_enter(&names->table, hash) - 1;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->table.count; i++)
		sim_free(names->name[i]);
	sim_free(names->name);
	sim_free(names->table.place);
}

/* ---- values ---- */

struct value {
	size_t point, figure;
	int side;
	uint64_t seed;
	double number;
};

struct results {
	struct names points, figures;
	size_t failures; /* the figure "failed", which each line has */
	const char *only;   /* patterns of figures, comma-separated, or NULL */
	char *const *files; /* of each side */
	bool headed;	    /* the columns have their headings */
	uint64_t matched;   /* a bit for each pattern that a figure has matched */
	struct value *value;
	size_t count, room;
	/* of the line that is read */
	int side;
	size_t first;
	uint64_t seed;
	char point[4096];
	char role[SIM_JSON_PATH]; /* of the unit of a report as JSON */
	bool is_result, failed, lost;
};

static void add_value(struct results *r, const char *figure, double number)
{
	r->lost = r->lost || !SIM_ROOM(r->value, r->room, r->count + 1);
	if (!r->lost)
		r->value[r->count++] = (struct value){ .figure = number_of(&r->figures, figure),
						       .side = r->side, .number = number };
}

/* Add a setting of the point to the point's name. */
static void take_setting(struct results *r, const char *name, const char *text)
{
	size_t used = strlen(r->point);

	r->is_result = true;
	if (strcmp(name, "hash"))
		snprintf(r->point + used, sizeof r->point - used, "%s%s=%s", used ? " " : "", name,
			 text);
}

/* Turn "units.3.stats.hazards" of JSON into "commit_unit.hazards", or "commit_unit 3.hazards" of a
 * single unit; false: not a figure. */
static bool rename_figure(struct results *r, const char *path, const char *text, char *out)
{
	const char *rest = strncmp(path, "units.", 6) ? NULL : strchr(path + 6, '.');
	size_t used = strlen(r->role);

	snprintf(out, SIM_JSON_PATH, "%s", path);
	if (!rest)
		return strcmp(path, "wall_seconds") != 0;
	if (!strcmp(rest, ".role"))
		snprintf(r->role, sizeof r->role, "%s", text);
	else if (!strcmp(rest, ".instance"))
		snprintf(r->role + used, sizeof r->role - used, " %s", text);
	else
		snprintf(out, SIM_JSON_PATH, "%.100s%.120s", r->role,
			 strncmp(rest, ".stats.", 7) ? rest : rest + 6);
	/* figures over all units have mean, p50 and p99 */
	return strncmp(rest, ".instance", 9) != 0 && (strchr(r->role, ' ') ||
						      !strstr(rest, ".buckets."));
}

static void take(void *state, const char *path, const char *text, bool quoted)
{
	struct results *r = state;
	char figure[SIM_JSON_PATH];
	double number;

	if (!strcmp(path, "point.seed")) {
		(void)sim_is_number(text, 10, UINT64_MAX, &r->seed);
	} else if (!strncmp(path, "point.", 6)) {
		take_setting(r, path + 6, text);
	} else if (!strcmp(path, "failed")) {
		r->failed = true;
	} else if (rename_figure(r, path, text, figure) && !quoted && strcmp(path, "run") &&
		   strcmp(path, "of")) {
		number = !strcmp(text, "true") ? 1 : sim_real(text); /* false counts as 0 */
		if (strcmp(text, "null") && sim_pattern_matches(r->only, figure, &r->matched))
			add_value(r, figure, number);
	}
}

/* Record the values of a report with its point and seed, which may come before or after the values.
 * Returns the end of the report, or NULL with the reason. */
static const char *read_report(struct results *r, const char *text, const char **wrong)
{
	const char *end;
	size_t point;

	r->first = r->count;
	r->point[0] = r->role[0] = '\0';
	r->is_result = r->failed = false;
	end = sim_json_each(text, take, r);
	if (!end)
		*wrong = "expected a whole report as JSON (of --study, --format jsonl or json)";
	else if (!r->is_result)
		*wrong = "expected a report, which names its point";
	if (*wrong)
		return NULL;
	add_value(r, "failed", r->failed);
	point = number_of(&r->points, r->point);
	for (size_t i = r->first; i < r->count; i++) {
		r->value[i].point = point;
		r->value[i].seed = r->seed;
	}
	if (r->lost || point == SIZE_MAX)
		*wrong = "out of memory";
	return end;
}

/* The bytes of a file, which the caller frees; NULL if the file cannot be read. */
static char *read_all(const char *name)
{
	FILE *in = fopen(name, "r");
	struct sim_source source = { .wrong = NULL };
	char *text = NULL;
	size_t size;

	if (in) {
		sim_source_begin(&source, in);
		text = sim_source_text(&source, SIZE_MAX, &size);
	}
	if (!source.wrong && text && !ferror(in)) {
		fclose(in);
		return text;
	}
	if (source.wrong)
		fprintf(stderr, "gputm-sim: %s:1: %s\n", sim_quoted(name), source.wrong);
	else
		fprintf(stderr, "gputm-sim: --compare: got \"%s\", expected a file with results: "
				"%s\n", sim_quoted(name), strerror(errno));
	if (in)
		fclose(in);
	sim_free(text);
	return NULL;
}

static unsigned lines_to(const char *text, const char *end)
{
	unsigned line = 1;

	while (text < end)
		line += *text++ == '\n';
	return line;
}

static int read_side(struct results *r, const char *name, int side)
{
	char *text = read_all(name);
	const char *wrong = NULL, *at = text, *end;

	if (!text)
		return -1;
	r->side = side;
	do {
		end = read_report(r, at, &wrong);
		at = wrong ? at : end + strspn(end, " \t\n");
	} while (!wrong && *at);
	if (wrong)
		fprintf(stderr, "gputm-sim: %s:%u: %s\n", sim_quoted(name), lines_to(text, at),
			*at ? wrong : "got end of file, expected results");
	sim_free(text);
	return wrong ? -1 : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	if (x->point != y->point)
		return x->point < y->point ? -1 : 1;
	if (x->figure != y->figure)
		return x->figure < y->figure ? -1 : 1;
	if (x->seed != y->seed)
		return x->seed < y->seed ? -1 : 1;
	return x->side - y->side;
}

/* ---- verdicts ---- */

struct verdict {
	size_t point, figure;
	size_t pairs, unequal; /* seeds that are in both, and those whose values differ */
	size_t lone[2];	       /* seeds of one side only */
	double mean[2];	       /* over the pairs */
};

/* Is the difference larger than the tolerance? */
static bool apart(double a, double b, double tolerance)
{
	double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

	return fabs(a - b) > tolerance * larger;
}

/* Of the values of one figure in one point, those of one seed are next to each other. */
static void judge(struct verdict *v, const struct value *value, size_t count, double tolerance)
{
	v->point = value->point;
	v->figure = value->figure;
	for (size_t i = 0; i < count; i++) {
		const struct value *next = &value[i + 1];

		if (i + 1 == count || value[i].seed != next->seed || value[i].side == next->side) {
			v->lone[value[i].side]++;
			continue;
		}
		v->pairs++;
		v->unequal += apart(value[i].number, next->number, tolerance);
		v->mean[0] += value[i++].number;
		v->mean[1] += next->number;
	}
	for (int side = 0; side < 2; side++)
		v->mean[side] /= v->pairs ? (double)v->pairs : 1;
}

/* ---- told ---- */

static void head(FILE *out, struct results *r)
{
	char name[2][SIM_QUOTE];

	if (r->headed)
		return;
	r->headed = true;
	for (int side = 0; side < 2; side++)
		snprintf(name[side], sizeof name[side], "%c=%s", "AB"[side],
			 sim_quoted(r->files[side]));
	fprintf(out, "  %-30s %14s %14s  %-8s  seeds\n", "figure", name[0], name[1], "ratio");
}

static void tell(FILE *out, struct results *r, const struct verdict *v, size_t *point)
{
	bool whole = v->figure == r->failures;

	head(out, r);
	if (*point != v->point)
		fprintf(out, "%s\n", r->points.name[v->point]);
	*point = v->point;
	for (int side = 0; side < 2; side++)
		if (v->lone[side] && (whole || !v->pairs))
			fprintf(out, "  %-30s only in %c, seeds: %zu\n",
				whole ? "(the point)" : r->figures.name[v->figure], "AB"[side],
				v->lone[side]);
	if (!v->pairs || (whole && !v->unequal))
		return;
	fprintf(out, "  %-30s %14.6g %14.6g", r->figures.name[v->figure], v->mean[0], v->mean[1]);
	if (v->mean[0] != 0)
		fprintf(out, "  x %.4f", v->mean[1] / v->mean[0]);
	else
		fprintf(out, "  %8s", "");
	fprintf(out, "  %zu of %zu seeds differ\n", v->unequal, v->pairs);
}

/* Has the point whose verdicts begin here no seed that is in both files? */
static bool is_lone(const struct results *r, const struct verdict *first, size_t count)
{
	size_t i = 0;

	while (i + 1 < count && first[i].figure != r->failures)
		i++;
	return !first[i].pairs;
}

static int tell_all(struct results *r, const struct verdict *verdict, size_t count, FILE *out)
{
	size_t differ = 0, common = 0, figures = 0, point = SIZE_MAX;
	bool gone = false; /* is the point in one file only? */

	for (size_t i = 0; i < count; i++) {
		const struct verdict *v = &verdict[i];
		bool whole = v->figure == r->failures;
		bool other = v->unequal || (whole ? v->lone[0] || v->lone[1] : !v->pairs);

		if (!i || v->point != verdict[i - 1].point)
			gone = is_lone(r, v, count - i);
		if (whole ? !other : gone)
			continue;
		figures++;
		common += v->pairs > 0;
		differ += other;
		if (other || (r->only && !whole))
			tell(out, r, v, &point);
	}
	if (figures && !common) {
		fputs("Nothing is compared: no point is in both files with one seed. "
		      "python3 -m gputm compare takes other seeds, and names settings that "
		      "differ.\n", out);
		return SIM_FAILED;
	}
	fprintf(out, "%zu of %zu figures differ.\n", differ, figures);
	return differ ? SIM_FAILED : SIM_DONE;
}

static int compare(const struct sim_options *o, struct results *r, FILE *out)
{
	struct verdict *verdict = sim_calloc(r->count + 1, sizeof *verdict);
	size_t count = 0;
	int status = SIM_FAILED;

	for (size_t i = 0, next; verdict && i < r->count; i = next) {
		for (next = i; next < r->count && r->value[next].point == r->value[i].point &&
			       r->value[next].figure == r->value[i].figure; next++)
			continue;
		judge(&verdict[count++], &r->value[i], next - i, o->tolerance);
	}
	if (verdict)
		status = tell_all(r, verdict, count, out);
	else
		sim_complain(SIM_FAILED, "out of memory");
	sim_free(verdict);
	return status;
}

int sweep_compare(const struct sim_options *o)
{
	struct results r = { .only = o->only, .files = o->files };
	struct sim_output out;
	int status = SIM_BAD_INPUT;
	bool read = !read_side(&r, o->files[0], 0) && !read_side(&r, o->files[1], 1);

	r.failures = number_of(&r.figures, "failed");
	if (r.count)
		qsort(r.value, r.count, sizeof *r.value, by_place);
	if (read && sim_only_matched(o->only, r.matched, "--only"))
		status = sim_output_open(&out, "out", o->out);
	if (status == SIM_DONE) {
		status = compare(o, &r, out.file);
		if (sim_output_close(&out, true))
			status = SIM_FAILED;
	}
	free_names(&r.points);
	free_names(&r.figures);
	sim_free(r.value);
	return status;
}
