/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stranger.h"
#include "../base/arena.h"
#include "../base/json.h"
#include "../base/names.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../report/point.h"

/* ---- the hashes of the study's points ---- */

struct known {
	uint64_t hash, index;
};

static int by_hash(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Points without a hash, as their workload cannot be made, fail when they are run. */
static size_t hash_points(const struct sweep_points *points, sweep_run_fn *run,
			  struct known *known)
{
	size_t count = 0;

	for (uint64_t i = 0; !sim_stop && i < points->count; i++) {
		struct sim_options options;
		struct sim_of_study of;
		bool made = !sweep_point(points, i, &options, &of);

		of.only_hash = true;
		if (made && !sim_options_relate(&options) && run(&options) == SIM_DONE)
			known[count++] = (struct known){ of.point_hash, i };
		sim_options_free(&options);
	}
	qsort(known, count, sizeof *known, by_hash);
	return count;
}

/* The same; reasons why a point fails are told when it is run. */
static size_t hash_points_quietly(const struct sweep_points *points, sweep_run_fn *run,
				  struct known *known)
{
	int null = open("/dev/null", O_WRONLY), shown = dup(STDERR_FILENO);
	bool quiet = null >= 0 && shown >= 0 && dup2(null, STDERR_FILENO) >= 0;
	size_t count = hash_points(points, run, known);

	if (quiet)
		(void)dup2(shown, STDERR_FILENO);
	if (null >= 0)
		close(null);
	if (shown >= 0)
		close(shown);
	return count;
}

/* ---- a line ---- */

/* What becomes of a line. */
enum fate { TAKEN, FAILED, OTHER_MODEL, OTHER_CHECK, LACKS, STRANGE, FATES };

struct old {
	char study[20], hash[20], model[16], version[32], told[SIM_JSON_VALUE];
	bool failed, checked;
	uint64_t present; /* a bit for each pattern of "tell" that a figure matches */
};

struct resume {
	const struct sweep_points *points;
	struct sweep_lines *lines;
	struct known *known;
	size_t known_count;
	size_t lines_with[FATES];
	char model[16]; /* the other one */
	char lacked[SIM_PATTERN];
	char strange[SIM_QUOTE + 200]; /* why the first such line is of no point of the study */
	unsigned strange_line;
	bool full; /* is the disk */
	/* of the line that is read */
	struct old old;
};

/* A figure of one unit, "commit_unit.3.hazards", is asked for as "commit_unit.hazards". */
static void name_asked(const char *path, char out[SIM_JSON_PATH])
{
	size_t role = strcspn(path, ".");
	size_t digits = path[role] ? strspn(path + role + 1, "0123456789") : 0;
	bool one = digits && path[role + 1 + digits] == '.';

	snprintf(out, SIM_JSON_PATH, "%.*s%s", (int)role, path,
		 path + role + (one ? digits + 1 : 0));
}

static void keep(char *out, size_t size, const char *value)
{
	snprintf(out, size, "%s", value);
}

static void take(void *state, const char *path, const char *value, bool quoted)
{
	struct resume *r = state;
	struct old *old = &r->old;

	if (!strcmp(path, "study"))
		keep(old->study, sizeof old->study, value);
	else if (!strcmp(path, "point.hash"))
		keep(old->hash, sizeof old->hash, value);
	else if (!strcmp(path, "model"))
		keep(old->model, sizeof old->model, value);
	else if (!strcmp(path, "version"))
		keep(old->version, sizeof old->version, value);
	else if (!strcmp(path, "told"))
		keep(old->told, sizeof old->told, value);
	else if (!strcmp(path, "failed"))
		old->failed = true;
	old->checked |= !quoted && !strcmp(path, "check.passed");
	if (r->points->file.tell)
		(void)sim_pattern_matches(r->points->file.tell, path, &old->present);
}

static bool of_level(const char *told, const char *level, size_t length)
{
	return strcspn(told, " ") == length && !strncmp(told, level, length);
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[\\") != NULL;
}

/* Was the figure asked for when the line was made, too? A line without it has no such figure. */
static bool was_told(const struct resume *r, const char *pattern)
{
	const char *told = r->old.told, *list = strchr(told, ' ');
	char one[SIM_PATTERN];
	uint64_t matched = 0;
	bool found = !list;

	if (strlen(told) + 1 >= sizeof r->old.told)
		return false;
	for (size_t i = 0; list && sim_pattern(list + 1, i, one); i++)
		found = found || !strcmp(one, pattern);
	return found || (!is_pattern(pattern) && sim_pattern_matches(list + 1, pattern, &matched));
}

/* Has the line all figures that are asked for? Else the first one that it lacks is noted. Names of
 * units mean other figures at another level, but a summary has none. */
static bool has_figures(struct resume *r)
{
	const char *tell = r->points->file.tell, *told = r->points->told;
	bool level = of_level(r->old.told, told, strcspn(told, " "));
	bool summary = of_level(r->old.told, "summary", strlen("summary"));
	bool all = tell || !strcmp(r->old.told, told);
	char pattern[SIM_PATTERN];

	if (!all && !*r->lacked)
		snprintf(r->lacked, sizeof r->lacked, "those of --report %s", told);
	for (size_t i = 0; all && sim_pattern(tell, i, pattern); i++) {
		all = (level && was_told(r, pattern)) ||
		      (summary && !is_pattern(pattern) && i < 64 && r->old.present >> i & 1);
		if (!all && !*r->lacked)
			snprintf(r->lacked, sizeof r->lacked, "%s", pattern);
	}
	return all;
}

/* ---- a line written anew ---- */

struct again {
	struct emit *e;
	const char *tell;
};

static void put(void *state, const char *path, const char *value, bool quoted)
{
	static const char *const head[] = { "study", "run", "of", "told", "model", "version" };
	const struct again *a = state;
	char name[SIM_JSON_PATH];
	uint64_t matched = 0;

	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		if (!strcmp(path, head[i]))
			return;
	name_asked(path, name);
	if (strncmp(path, "point.", 6) &&
	    (!strcmp(path, "check.passed") || sim_pattern_matches(a->tell, name, &matched)))
		emit_value(a->e, path, value, quoted);
}

/* Write the line as the result of this point of the study. */
static const char *write_again(struct resume *r, uint64_t index, const char *line, bool other,
			       struct sweep_place *out)
{
	struct emit e;
	struct again again = { &e, r->points->file.tell };
	struct sim_options options;
	struct sim_of_study of;
	FILE *file = r->lines->again;
	off_t begin, end;

	(void)fseeko(file, 0, SEEK_END);
	begin = ftello(file);
	if (sweep_point(r->points, index, &options, &of))
		return "out of memory";
	of.model = other ? r->old.model : NULL;
	of.version = other ? r->old.version : NULL;
	emit_begin(&e, EMIT_JSONL, file);
	sim_report_begin(&e, &options);
	sim_report_point(&e, &options, r->old.hash);
	(void)sim_json_each(line, put, &again);
	emit_finish(&e);
	sim_options_free(&options);
	end = fflush(file) ? -1 : ftello(file);
	r->full = begin < 0 || end < 0;
	if (r->full)
		return "results cannot be kept in a temporary file: is the disk full?";
	*out = (struct sweep_place){ file, (uint64_t)begin, (uint32_t)(end - begin - 1), false,
				     other };
	return NULL;
}

/* Does a line of the same point and model give other figures? */
static bool contradicts(const struct sweep_lines *lines, uint64_t index,
			const struct sweep_place *place)
{
	struct sweep_lines both = { .count = 1, .place = (struct sweep_place[]){ *place } };
	char *first, *second;
	bool other;

	if (!lines->place[index].file || lines->place[index].other != place->other)
		return false;
	first = sweep_line(lines, index);
	second = sweep_line(&both, 0);
	other = !first || !second || strcmp(first, second) != 0;
	sim_free(first);
	sim_free(second);
	return other;
}

static const char *take_line(struct resume *r, const struct known *point, const char *line,
			     bool other)
{
	struct sweep_place place;
	const char *wrong = write_again(r, point->index, line, other, &place);

	if (!wrong && contradicts(r->lines, point->index, &place))
		wrong = "got another result of a point that has one, expected one of the two lines";
	if (!wrong)
		sweep_lines_put(r->lines, point->index, &place);
	return wrong;
}

/* ---- all lines ---- */

static const struct known *find(const struct resume *r, const char *text)
{
	struct known wanted = { strtoull(text, NULL, 16), 0 };
	size_t low = 0, high = r->known_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_hash(&r->known[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->known_count && r->known[low].hash == wanted.hash ? &r->known[low] : NULL;
}

/* Each model has its own parameters, and so its own hashes: there settings are compared. */
static enum fate judge(struct resume *r, const struct known *point, const char *line, bool other)
{
	char reason[sizeof r->strange];
	bool alike;

	if (!point) {
		alike = sweep_same_settings(r->points, line, reason, sizeof reason);
		if (!*r->strange && !(alike && other))
			keep(r->strange, sizeof r->strange, reason);
		return alike && other ? OTHER_MODEL : STRANGE;
	}
	if (other && !r->points->options->any_model)
		return OTHER_MODEL;
	return r->old.checked != r->points->file.check ? OTHER_CHECK :
	       has_figures(r) ? TAKEN : LACKS;
}

static const char *resume_line(void *state, const char *line, const struct sweep_place *place,
			       unsigned number)
{
	struct resume *r = state;
	const struct known *point;
	const char *end, *wrong = NULL;
	enum fate fate = FAILED;
	bool other;

	(void)place;
	r->old = (struct old){ .failed = false };
	end = sim_json_each(line, take, r);
	if (!end || *end)
		return SWEEP_CUT;
	if (!*r->old.study || (!*r->old.hash && !r->old.failed))
		return "expected the result of a point of a study";
	other = strcmp(r->old.model, sim_model()) != 0;
	point = r->old.failed ? NULL : find(r, r->old.hash);
	if (!r->old.failed)
		fate = judge(r, point, line, other);
	if (fate == STRANGE && !r->lines_with[STRANGE])
		r->strange_line = number;
	if (fate == OTHER_MODEL)
		keep(r->model, sizeof r->model, *r->old.model ? r->old.model : "none");
	r->lines_with[fate]++;
	for (; fate == TAKEN && !wrong && point < r->known + r->known_count &&
	       point->hash == strtoull(r->old.hash, NULL, 16); point++)
		wrong = take_line(r, point, line, other);
	return wrong;
}

/* ---- told ---- */

/* Begin to tell how many lines have this fate, if any have. */
static bool has_some(const struct resume *r, enum fate fate, bool *told)
{
	size_t count = r->lines_with[fate];

	if (count)
		fprintf(stderr, "%s%zu", *told ? ", " : "; lines that are not taken: ", count);
	*told |= count > 0;
	return count > 0;
}

static void tell_left(const struct resume *r)
{
	bool told = false;

	if (has_some(r, OTHER_MODEL, &told))
		fprintf(stderr, " of model %s (this is %s: sources have changed, and figures may "
				"have; --resume-any-model takes them)", r->model, sim_model());
	if (has_some(r, OTHER_CHECK, &told))
		fprintf(stderr, " of runs with%s --check", r->points->file.check ? "out" : "");
	if (has_some(r, LACKS, &told))
		fprintf(stderr, " without figures that the study tells, such as %s", r->lacked);
	if (has_some(r, FAILED, &told))
		fputs(" of failures", stderr);
	if (has_some(r, STRANGE, &told))
		fputs(" of no point of the study, which stay there", stderr);
}

static void tell(const struct resume *r, const char *name)
{
	const struct sim_options *o = r->points->options;
	uint64_t missing = 0;

	for (uint64_t i = o->part - 1; i < r->lines->count; i += o->parts)
		missing += !r->lines->place[i].file;
	fprintf(stderr, "gputm-sim: %s: %llu reused, %llu to run", sim_quoted(name),
		(unsigned long long)r->lines->done, (unsigned long long)missing);
	tell_left(r);
	fputc('\n', stderr);
}

/* Would results be lost, or is the file of something else? */
static bool refuses(const struct resume *r, const char *name)
{
	const struct sim_options *o = r->points->options;
	size_t fit = 0, strange = r->lines_with[STRANGE];

	for (enum fate fate = TAKEN; fate < STRANGE; fate++)
		fit += fate == FAILED ? 0 : r->lines_with[fate];
	if (!strange || (fit && o->out && strcmp(o->out, name) != 0))
		return false;
	fprintf(stderr, "gputm-sim: %s:%u: got a result of no point of the study: %s (%zu of %zu "
			"lines); nothing is run, expected %s\n", sim_quoted(name),
		r->strange_line, r->strange, strange, fit + strange,
		fit ? "--out FILE too, which leaves such lines where they are" :
		      "a file with results of this study, or a new one");
	return true;
}

/* What was cut is no result, and others are added after the last whole line. */
static int drop_cut_line(FILE *file, const char *name, uint64_t end, off_t size)
{
	if ((off_t)end >= size || !ftruncate(fileno(file), (off_t)end))
		return SIM_DONE;
	fprintf(stderr, "gputm-sim: --resume: \"%s\" could not be written: %s\n",
		sim_quoted(name), strerror(errno));
	return SIM_FAILED;
}

static int take_all(struct resume *r, sweep_run_fn *run, FILE *file, const char *name, off_t size)
{
	uint64_t end;

	r->known = sim_calloc(r->points->count + 1, sizeof *r->known);
	r->lines->again = tmpfile();
	if (!r->known || !r->lines->again)
		return sim_complain(SIM_FAILED, "--resume: out of memory, or of room for a "
						"temporary file");
	r->known_count = hash_points_quietly(r->points, run, r->known);
	if (sim_stop) {
		fprintf(stderr, "gputm-sim: ended by %s before the first point; \"%s\" is as it "
				"was\n", sim_ended_by(sim_stop), sim_quoted(name));
		return SIM_ENDED;
	}
	if (sweep_lines_each(file, name, resume_line, r, &end))
		return r->full ? SIM_FAILED : SIM_BAD_INPUT;
	if (refuses(r, name))
		return SIM_BAD_INPUT;
	tell(r, name);
	return drop_cut_line(file, name, end, size);
}

int sweep_resume(const struct sweep_points *points, sweep_run_fn *run, FILE *file,
		 const char *name, struct sweep_lines *lines)
{
	struct resume *r;
	off_t size = fseeko(file, 0, SEEK_END) ? 0 : ftello(file);
	int status;

	if (size <= 0)
		return SIM_DONE; /* there is nothing yet */
	r = sim_calloc(1, sizeof *r);
	if (!r)
		return sim_complain(SIM_FAILED, "out of memory");
	r->points = points;
	r->lines = lines;
	status = take_all(r, run, file, name, size);
	sim_free(r->known);
	sim_free(r);
	return status;
}
