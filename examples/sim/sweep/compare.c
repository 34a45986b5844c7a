/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares two sets of results, figure by figure and point by point. If a point has the same seeds
 * in both sets, values of equal seeds are compared; else their means by Welch's test (Biometrika
 * 34, 1947), with Holm's correction (Scand. J. Statist. 6, 1979) over all figures. Points that
 * differ by the settings of --across are one point: the differences at equal seeds are tested, by
 * Student.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "student.h"
#include "sweep.h"
#include "../base/arena.h"
#include "../base/json.h"
#include "../base/names.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../base/source.h"
#include "../report/report.h"

#define LEVEL 0.01 /* for all verdicts together */

/* ---- names by number ---- */

struct names {
	char **name;
	size_t *slot, count, slots; /* slots: places in name, from 1; a power of two of them */
};

static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static size_t slot_of(const struct names *names, const char *text)
{
	size_t at = hash_of(text) & (names->slots - 1);

	while (names->slot[at] && strcmp(names->name[names->slot[at] - 1], text))
		at = (at + 1) & (names->slots - 1);
	return at;
}

static bool grow(struct names *names)
{
	size_t slots = names->slots ? 2 * names->slots : 64;
	char **name = sim_realloc(names->name, slots * sizeof *name);
	size_t *slot = sim_calloc(slots, sizeof *slot);

	if (name)
		names->name = name;
	if (!name || !slot) {
		sim_free(slot);
		return false;
	}
	sim_free(names->slot);
	names->slot = slot;
	names->slots = slots;
	for (size_t i = 0; i < names->count; i++)
		slot[slot_of(names, name[i])] = i + 1;
	return true;
}

/* The number of a name, entering new names; SIZE_MAX if out of memory. */
static size_t number_of(struct names *names, const char *text)
{
	size_t at;

	if (2 * names->count >= names->slots && !grow(names))
		return SIZE_MAX;
	at = slot_of(names, text);
	if (!names->slot[at]) {
		names->name[names->count] = sim_strdup(text);
		if (!names->name[names->count])
			return SIZE_MAX;
		names->slot[at] = ++names->count;
	}
	return names->slot[at] - 1;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		sim_free(names->name[i]);
	sim_free(names->name);
	sim_free(names->slot);
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
	const char *across; /* settings that do not distinguish points, comma-separated, or NULL */
	const char *only;   /* patterns of figures, likewise */
	char *const *files; /* of each side */
	bool headed;	    /* the columns have their headings */
	uint64_t crossed;   /* a bit for each setting that a point has named */
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

/* The number of the setting in --across, or -1. */
static int place_in(const char *across, const char *name)
{
	size_t length;

	for (int i = 0; across; i++, across = across[length] ? across + length + 1 : NULL) {
		length = strcspn(across, ",");
		if (strlen(name) == length && !strncmp(across, name, length))
			return i;
	}
	return -1;
}

/* Add a setting of the point to the point's name, unless points are compared across it. */
static void take_setting(struct results *r, const char *name, const char *text)
{
	size_t used = strlen(r->point);
	int place = place_in(r->across, name);

	r->is_result = true;
	if (place >= 0)
		r->crossed |= UINT64_C(1) << (place & 63);
	else if (strcmp(name, "hash"))
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
	if (x->side != y->side)
		return x->side - y->side;
	return x->seed < y->seed ? -1 : x->seed > y->seed;
}

/* ---- verdicts ---- */

struct verdict {
	size_t point, figure;
	size_t n[2];
	double mean[2];
	bool same[2]; /* [side]: several seeds, all with one value */
	bool exact, differs;
	size_t unequal;	       /* exact: number of seeds with different values */
	double likely;	       /* else: p-value for equal means; above 1: no verdict */
	double reach;	       /* and half of the interval of the difference */
};

/* Is the difference larger than the tolerance? */
static bool apart(double a, double b, double tolerance)
{
	double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

	return fabs(a - b) > tolerance * larger;
}

static double variance(const struct value *value, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (value[i].number - mean) * (value[i].number - mean);
	return n > 1 ? sum / (double)(n - 1) : 0;
}

static void welch(struct verdict *v, const struct value *value)
{
	double n0 = (double)v->n[0], n1 = (double)v->n[1];
	double s0 = variance(value, v->n[0], v->mean[0]) / n0;
	double s1 = variance(value + v->n[0], v->n[1], v->mean[1]) / n1, s = s0 + s1, freedom;

	v->likely = 2;
	if (v->n[0] < 2 || v->n[1] < 2)
		return;
	v->likely = v->mean[0] == v->mean[1];
	if (s <= 0)
		return;
	freedom = s * s / (s0 * s0 / (n0 - 1) + s1 * s1 / (n1 - 1));
	v->likely = sweep_t_likely((v->mean[1] - v->mean[0]) / sqrt(s), freedom);
	v->reach = sweep_t(LEVEL, freedom) * sqrt(s);
}

/* Test the differences at equal seeds. */
static void pairwise(struct verdict *v, struct value *value)
{
	double n = (double)v->n[0], difference = v->mean[1] - v->mean[0], s;

	for (size_t i = 0; i < v->n[0]; i++)
		value[i].number = value[v->n[0] + i].number - value[i].number;
	s = variance(value, v->n[0], difference) / n;
	v->likely = n < 2 ? 2 : difference == 0;
	if (n < 2 || s <= 0)
		return;
	v->likely = sweep_t_likely(difference / sqrt(s), n - 1);
	v->reach = sweep_t(LEVEL, n - 1) * sqrt(s);
}

/* Split the values of one figure in one point: those of the first side come first. */
static void judge(struct verdict *v, struct value *value, size_t count, bool across,
		  double tolerance)
{
	v->point = value->point;
	v->figure = value->figure;
	for (size_t i = 0; i < count; i++) {
		v->n[value[i].side]++;
		v->mean[value[i].side] += value[i].number;
	}
	for (int side = 0; side < 2; side++)
		v->mean[side] /= v->n[side] ? (double)v->n[side] : 1;
	for (int side = 0; side < 2; side++)
		v->same[side] = v->n[side] > 1;
	for (size_t i = 1; i < count; i++)
		if (value[i].side == value[i - 1].side && value[i].number != value[i - 1].number)
			v->same[value[i].side] = false;
	v->exact = v->n[0] == v->n[1];
	for (size_t i = 0; v->exact && i < v->n[0]; i++)
		v->exact = value[i].seed == value[v->n[0] + i].seed;
	if (v->exact && across)
		pairwise(v, value);
	else if (!v->exact)
		welch(v, value);
	v->exact = v->exact && !across;
	if (!v->exact)
		return;
	for (size_t i = 0; i < v->n[0]; i++)
		v->unequal += apart(value[i].number, value[v->n[0] + i].number, tolerance);
	v->differs = v->unequal > 0;
}

static int by_likelihood(const void *a, const void *b)
{
	double x = (*(struct verdict *const *)a)->likely, y = (*(struct verdict *const *)b)->likely;

	return (x > y) - (x < y);
}

/* Holm: of m figures the least likely differs if below LEVEL / m, the next if below LEVEL / (m -
 * 1), and so on. */
static bool correct(struct verdict *verdict, size_t count, double tolerance)
{
	struct verdict **order = sim_malloc((count + 1) * sizeof *order);
	size_t tests = 0;

	for (size_t i = 0; order && i < count; i++)
		if (!verdict[i].exact && verdict[i].likely <= 1)
			order[tests++] = &verdict[i];
	if (order)
		qsort(order, tests, sizeof *order, by_likelihood);
	for (size_t i = 0; i < tests && order[i]->likely < LEVEL / (double)(tests - i); i++)
		order[i]->differs = apart(order[i]->mean[0], order[i]->mean[1], tolerance);
	sim_free(order);
	return order != NULL;
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
	fprintf(out, "  %-30s %14s %14s  %-8s  99 %% interval of the difference, or seeds\n",
		"figure", name[0], name[1], "ratio");
}

static void tell(FILE *out, struct results *r, const struct verdict *v, size_t *point)
{
	double difference = v->mean[1] - v->mean[0];

	head(out, r);
	if (*point != v->point)
		fprintf(out, "%s\n", r->points.name[v->point]);
	*point = v->point;
	if (!v->n[0] || !v->n[1]) {
		fprintf(out, "  %-30s only in %c\n",
			v->figure == r->failures ? "(the point)" : r->figures.name[v->figure],
			v->n[0] ? 'A' : 'B');
		return;
	}
	fprintf(out, "  %-30s %14.6g %14.6g", r->figures.name[v->figure], v->mean[0], v->mean[1]);
	if (v->mean[0] != 0)
		fprintf(out, "  x %.4f", v->mean[1] / v->mean[0]);
	else
		fprintf(out, "  %8s", "");
	if (v->exact)
		fprintf(out, "  %zu of %zu seeds differ\n", v->unequal, v->n[0]);
	else if (v->likely > 1)
		fprintf(out, "  no verdict, n = %zu, %zu\n", v->n[0], v->n[1]);
	else
		fprintf(out, "  %+.6g .. %+.6g, n = %zu, %zu%s\n", difference - v->reach,
			difference + v->reach, v->n[0], v->n[1],
			v->differs ? "" : ": no difference found");
}

/* If a point has no line in one of the files, it has no failures there either; it is reported
 * once. */
static bool in_lone_point(const struct results *r, const struct verdict *verdict, size_t count,
			  size_t i)
{
	size_t k = i;

	while (verdict[k].figure != r->failures && k + 1 < count &&
	       verdict[k + 1].point == verdict[i].point)
		k++;
	while (verdict[k].figure != r->failures && k && verdict[k - 1].point == verdict[i].point)
		k--;
	return k != i && (!verdict[k].n[0] || !verdict[k].n[1]);
}

/* In a point that succeeded on both sides `failed` is 0; a point that failed has no other
 * figures. */
static bool counts(const struct results *r, const struct verdict *verdict, size_t count, size_t i)
{
	const struct verdict *v = &verdict[i];
	bool lone = !v->n[0] || !v->n[1];

	if (lone && r->across && v->figure != r->failures)
		return false; /* systems have figures of their own */
	return lone ? !in_lone_point(r, verdict, count, i) : v->figure != r->failures || v->differs;
}

/* Report points of a file whose seeds all gave the same values: their seeds are one run. */
static void tell_same(const struct results *r, const struct verdict *verdict, size_t count,
		      FILE *out)
{
	size_t points = 0, same = 0;

	for (size_t i = 0, next = 0; i < count; i = next)
		for (int side = 0; side < 2; side++) {
			bool several = false, equal = true;

			for (next = i; next < count && verdict[next].point == verdict[i].point;
			     next++) {
				several = several || verdict[next].n[side] > 1;
				equal = equal && (verdict[next].n[side] < 2 ||
						  verdict[next].same[side] ||
						  !strncmp(r->figures.name[verdict[next].figure],
							   "config.", 7));
			}
			points += several;
			same += several && equal;
		}
	if (!same)
		return;
	fprintf(out, "In %zu of %zu groups of seeds all figures are equal: ", same, points);
	if (place_in(r->across, "workload.seed") >= 0)
		fputs("neither --seed nor workload.seed draws anything there, and their n is that "
		      "of one run.\n", out);
	else
		fprintf(out, "--seed draws nothing there, and their n is that of one run.\n"
			     "Where a workload draws its data, \"zip set workload.seed 1..5\" "
			     "behind \"seed 1..5\" of a study draws them anew: compare --across "
			     "%s,workload.seed.\n", r->across ? r->across : "system");
}

/* Does the point have this setting, "name=value"? */
static bool has_setting(const char *point, const char *setting, size_t length)
{
	for (; *point; point += strcspn(point, " "), point += *point == ' ')
		if (strcspn(point, " ") == length && !strncmp(point, setting, length))
			return true;
	return false;
}

/* The names of settings that a point has and another one has not, or with another value. */
static void add_others(const char *point, const char *other, char *names, size_t size)
{
	for (size_t length; *point; point += length + (point[length] == ' ')) {
		char name[SIM_JSON_PATH];
		size_t used = strlen(names);

		length = strcspn(point, " ");
		snprintf(name, sizeof name, "%.*s", (int)strcspn(point, "="), point);
		if (!has_setting(other, point, length) && place_in(names, name) < 0)
			snprintf(names + used, size - used, "%s%s", used ? "," : "", name);
	}
}

/* No point is in both files: which settings the first ones of each differ in. */
static void tell_settings(const struct results *r, const struct verdict *verdict, size_t count,
			  FILE *out)
{
	const char *first[2] = { NULL, NULL };
	char names[1024] = "";

	for (size_t i = 0; i < count; i++)
		for (int side = 0; side < 2; side++)
			if (!first[side] && verdict[i].n[side])
				first[side] = r->points.name[verdict[i].point];
	fputs("Nothing is compared: no point is in both files.\n", out);
	if (!first[0] || !first[1])
		return;
	add_others(first[0], first[1], names, sizeof names);
	add_others(first[1], first[0], names, sizeof names);
	fprintf(out, "The first points differ in these settings: --across %s%s%s compares them.\n",
		r->across ? r->across : "", r->across ? "," : "", names);
}

static int tell_all(struct results *r, struct verdict *verdict, size_t count, FILE *out)
{
	size_t differ = 0, none = 0, common = 0, figures = 0, point = SIZE_MAX;
	const struct verdict *nearest = NULL;
	bool apart_from_0 = false; /* the interval excludes 0, though no difference is found */
	bool equal = r->across;	   /* all values */

	for (size_t i = 0; i < count; i++) {
		struct verdict *v = &verdict[i];
		bool lone = !v->n[0] || !v->n[1], untried = !lone && !v->exact && v->likely > 1;

		if (!counts(r, verdict, count, i))
			continue;
		if (lone || v->differs || (r->only && v->figure != r->failures)) {
			tell(out, r, v, &point);
			apart_from_0 |= !lone && !untried && !v->exact && !v->differs &&
					fabs(v->mean[1] - v->mean[0]) > v->reach;
		}
		figures++;
		differ += lone || v->differs;
		common += !lone;
		equal = equal && !lone && !untried && v->mean[0] == v->mean[1] && v->reach == 0;
		none += untried;
		if (!lone && !v->exact && !untried && (!nearest || v->likely < nearest->likely))
			nearest = v;
	}
	if (figures && !common) {
		tell_settings(r, verdict, count, out);
		return SIM_FAILED;
	}
	fprintf(out, "%zu of %zu figures differ", differ, figures);
	if (none)
		fprintf(out, "; no verdict on %zu with %s one value", none,
			r->across ? "only" : "other seeds and");
	fputs(".\n", out);
	if (apart_from_0)
		fprintf(out, "An interval without 0 is not enough: with %zu figures compared, some "
			     "lie so by chance (Holm's correction).\n", figures);
	if (figures && equal)
		fprintf(out, "All are equal with each seed: %s changed nothing in these runs.\n",
			r->across);
	if (!differ && !r->only && nearest && nearest->likely < 1) {
		fputs("Nearest to a difference:\n", out);
		tell(out, r, nearest, &point);
	}
	tell_same(r, verdict, count, out);
	return differ ? SIM_FAILED : SIM_DONE;
}

/* Each setting of --across must be named by points, and each side must have one value of each. */
static bool can_cross(const struct sim_options *o, const struct results *r)
{
	const char *name = r->across;
	size_t length;

	for (int i = 0; name && *name; i++, name += length + (name[length] == ',')) {
		length = strcspn(name, ",");
		if (r->crossed >> (i & 63) & 1)
			continue;
		fprintf(stderr, "gputm-sim: --across: got \"%.*s\", expected settings that the "
				"points name, as \"system\" of \"point.system\"\n",
			(int)length, name);
		return false;
	}
	for (size_t i = 1; r->across && i < r->count; i++) {
		const struct value *v = &r->value[i];

		if (by_place(v - 1, v))
			continue;
		fprintf(stderr, "gputm-sim: --across: %s has several results of the point \"%s\" "
				"and seed %llu, expected one value of %s in each file\n",
			sim_quoted(o->files[v->side]), r->points.name[v->point],
			(unsigned long long)v->seed, r->across);
		return false;
	}
	return true;
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
		judge(&verdict[count++], &r->value[i], next - i, r->across, o->tolerance);
	}
	if (verdict && correct(verdict, count, o->tolerance))
		status = tell_all(r, verdict, count, out);
	else
		sim_complain(SIM_FAILED, "out of memory");
	sim_free(verdict);
	return status;
}

int sweep_compare(const struct sim_options *o)
{
	struct results r = { .across = o->across, .only = o->only, .files = o->files };
	struct sim_output out;
	int status = SIM_BAD_INPUT;
	bool read = !read_side(&r, o->files[0], 0) && !read_side(&r, o->files[1], 1);

	r.failures = number_of(&r.figures, "failed");
	if (r.count)
		qsort(r.value, r.count, sizeof *r.value, by_place);
	if (read && sim_only_matched(o->only, r.matched, "--only") && can_cross(o, &r))
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
