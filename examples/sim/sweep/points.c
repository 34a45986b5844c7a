/* SPDX-License-Identifier: BSD-2-Clause */
#include "points.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/output.h"
#include "../base/names.h"
#include "../base/quote.h"
#include "../base/table.h"
#include "../report/point.h"
#include "../study/setup.h"

/* ---- numbers of points ---- */

/* Does the axis choose the system, workload, ..., on which the meaning of other axes depends? */
static bool chooses(const struct sim_axis *axis)
{
	static const char *const names[] = { "system", "machine", "workload", "keys", "edges",
					     "trace", "kernel", "divergence" };
	bool found = false;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		found = found || !strcmp(axis->name, names[i]);
	return found;
}

/* Compute the number of the value that each axis has in this point. */
static void digits(const struct sim_study_file *file, uint64_t point, size_t digit[SIM_AXES])
{
	for (size_t i = file->axes; i-- > 0;) {
		digit[i] = (size_t)(point % file->axis[i].values);
		if (!file->axis[i].zipped)
			point /= file->axis[i].values;
	}
}

/* Which of the choices this is, and how many there are. */
static uint64_t choice(const struct sim_study_file *file, const size_t digit[SIM_AXES],
		       uint64_t *count)
{
	uint64_t number = 0;

	*count = 1;
	for (size_t i = 0; i < file->axes; i++)
		if (chooses(&file->axis[i])) {
			number = number * file->axis[i].values + digit[i];
			*count *= file->axis[i].values;
		}
	return number;
}

/* All lines of a zipped group have no effect here, and this is not the first value. */
static bool again(const struct sim_study_file *file, const size_t digit[SIM_AXES],
		  uint64_t ignored)
{
	for (size_t i = 0, next; i < file->axes; i = next) {
		bool all = digit[i] > 0;

		for (next = i; next < file->axes && (next == i || file->axis[next].zipped); next++)
			all = all && ignored >> next & 1;
		if (all)
			return true;
	}
	return false;
}

/* ---- options of a point ---- */

/* Set value number `k` of axis `i`. */
static int add_axis(const struct sweep_points *p, size_t i, size_t k, struct sim_options *out)
{
	const struct sim_axis *axis = &p->file.axis[i];
	const char *value = axis->path[k] ? axis->path[k] : axis->value[k];

	return axis->names || !strcmp(value, SIM_NOT_SET) ? 0 :
		       sim_options_add(out, axis->name, value, axis->file, axis->line);
}

/* Figures of units are not in summaries. */
static int level_of(const struct sweep_points *p)
{
	int level = p->options->report;

	return p->file.tell && level == SIM_SUMMARY ? SIM_ROLES : level;
}

void sweep_point_values(const struct sweep_points *p, uint64_t index, size_t digit[SIM_AXES])
{
	uint64_t ignored, count;

	digits(&p->file, p->kept[index], digit);
	ignored = p->ignored[choice(&p->file, digit, &count)];
	for (size_t i = 0; i < p->file.axes; i++)
		if (ignored >> i & 1)
			digit[i] = SWEEP_IGNORED;
}

int sweep_point(const struct sweep_points *p, uint64_t index, struct sim_options *out,
		struct sim_of_study *of)
{
	const struct sim_study_file *file = &p->file;
	size_t digit[SIM_AXES];
	int error = sim_options_init(out, p->options->program);

	sweep_point_values(p, index, digit);
	memset(of, 0, sizeof *of);
	memcpy(of->hash, p->hash, sizeof of->hash);
	of->told = p->told;
	of->run = index + 1;
	of->of = p->count;
	for (size_t i = 0; !error && i < file->axes; i++) {
		const struct sim_axis *axis = &file->axis[i];
		const char *value = digit[i] == SWEEP_IGNORED ? NULL : axis->value[digit[i]];
		bool set = value && strcmp(value, SIM_NOT_SET);

		if (set)
			error = add_axis(p, i, digit[i], out);
		if (set && axis->path[digit[i]])
			of->spelt[of->spelts++] = (struct sim_beside){ axis->name, value };
		if (!set || axis->names)
			of->beside[of->besides++] = (struct sim_beside){
				axis->name, set ? value : value ? NULL : SIM_NOT_SET };
	}
	out->of = of;
	out->check = file->check;
	out->conflicts = file->conflicts;
	out->format = SIM_JSONL;
	out->progress = SIM_PROGRESS_NEVER;
	out->only = file->tell;
	out->report = level_of(p);
	return error;
}

/* ---- before the runs ---- */

static int refuse_names(const char *file, unsigned line)
{
	fprintf(stderr, "gputm-sim: %s:%u: nothing is run: the names of a point must be known and "
			"go with one another\n", sim_quoted(file), line);
	return -1;
}

/* Results have the names of a "call" beside the options of their points. */
static int try_name(const struct sim_axis *axis)
{
	if (!axis->names || (strcmp(axis->name, "hash") && !sim_option_runs(axis->name)))
		return 0;
	fprintf(stderr, "gputm-sim: %s:%u: call %s: got a name that each point has, expected "
			"another one\n", sim_quoted(axis->file), axis->line, axis->name);
	return -1;
}

/* Check that each value is valid for its option. */
static int try_values(const struct sweep_points *p)
{
	struct sim_options trial;
	int error = sim_options_init(&trial, p->options->program);

	for (size_t i = 0; !error && i < p->file.axes; i++)
		error = try_name(&p->file.axis[i]);
	for (size_t i = 0; !error && i < p->file.axes; i++)
		for (size_t k = 0; !error && k < p->file.axis[i].values; k++) {
			error = add_axis(p, i, k, &trial);
			if (!error && !sim_setup_known(&trial))
				error = refuse_names(p->file.axis[i].file, p->file.axis[i].line);
			sim_options_free(&trial);
			error = error ? error : sim_options_init(&trial, p->options->program);
		}
	sim_options_free(&trial);
	return error;
}

static int count_product(struct sweep_points *p)
{
	const struct sim_study_file *file = &p->file;

	p->product = 1;
	for (size_t i = 0; i < file->axes; i++) {
		p->product *= file->axis[i].zipped ? 1 : file->axis[i].values;
		if (p->product <= SIM_POINTS)
			continue;
		fprintf(stderr, "gputm-sim: %s:%u: %s: got more than %d points, expected fewer "
				"values\n", sim_quoted(file->axis[i].file), file->axis[i].line,
			file->axis[i].name, SIM_POINTS);
		return -1;
	}
	if (!file->axes)
		fprintf(stderr, "gputm-sim: %s:1: got no line with values, expected NAME "
				"VALUE...\n", sim_quoted(file->name));
	return file->axes ? 0 : -1;
}

static bool zipped_with_choice(const struct sim_study_file *file, size_t axis)
{
	bool found = false;

	while (file->axis[axis].zipped)
		axis--;
	do
		found = found || chooses(&file->axis[axis]);
	while (++axis < file->axes && file->axis[axis].zipped);
	return found;
}

static void keep(void *reason, enum gputm_log_level level, const char *message)
{
	(void)level;
	snprintf(reason, SIM_QUOTE, "%s", message);
}

/* Check that each value of the line is in the range of the field, which may depend on the point. */
static int try_settings(const struct sim_study_file *file, const size_t digit[SIM_AXES], size_t i,
			struct gputm_ctx *ctx, const struct sim_setup *setup)
{
	const struct sim_parts parts = { .at = sim_setup_part, .of = setup };
	const struct sim_axis *axis = &file->axis[i];
	bool one = zipped_with_choice(file, i);
	char reason[SIM_QUOTE];
	int error = 0;

	gputm_ctx_set_log(ctx, keep, reason, GPUTM_LOG_ERROR);
	for (size_t k = one ? digit[i] : 0; !error && k < (one ? digit[i] + 1 : axis->values); k++)
		error = !axis->names && strcmp(axis->value[k], SIM_NOT_SET) &&
			sim_setting_try(ctx, &parts, axis->name, axis->value[k]);
	if (error)
		fprintf(stderr, "gputm-sim: %s:%u: %s\n", sim_quoted(axis->file), axis->line,
			reason);
	gputm_ctx_set_log(ctx, NULL, NULL, GPUTM_LOG_ERROR);
	return error ? -1 : 0;
}

/* The lines that have no effect with the system, workload, ... of this point. */
static int look_at(struct sweep_points *p, const size_t digit[SIM_AXES], uint64_t *ignored)
{
	const struct sim_study_file *file = &p->file;
	struct gputm_ctx *ctx = NULL;
	struct sim_options options;
	struct sim_setup setup = { .system = NULL };
	const char *name = file->name;
	unsigned line = 1;
	int error = sim_options_init(&options, p->options->program);

	for (size_t i = 0; !error && i < file->axes; i++)
		if (chooses(&file->axis[i])) {
			error = add_axis(p, i, digit[i], &options);
			name = file->axis[i].file;
			line = file->axis[i].line;
		}
	error = error || gputm_ctx_new(&sim_allocator, &ctx) || sim_options_relate(&options) ||
		sim_setup_make(ctx, &options, &setup) || !sim_setup_reads(&setup, &options);
	if (error)
		refuse_names(name, line);
	for (size_t i = 0; !error && i < file->axes; i++)
		if (!sim_setup_takes(&setup, file->axis[i].name))
			*ignored |= UINT64_C(1) << i;
		else
			error = try_settings(file, digit, i, ctx, &setup);
	sim_setup_free(&setup);
	gputm_ctx_unref(ctx);
	sim_options_free(&options);
	return error ? -1 : 0;
}

#define NOT_YET UINT64_MAX

int sweep_points_select(struct sweep_points *p)
{
	const struct sim_study_file *file = &p->file;
	size_t digit[SIM_AXES] = { 0 };
	uint64_t count, used = 0;

	(void)choice(file, digit, &count);
	p->ignored = sim_malloc(count * sizeof *p->ignored);
	p->kept = sim_malloc(p->product * sizeof *p->kept);
	if (!p->ignored || !p->kept)
		return sim_complain(-1, "out of memory");
	for (uint64_t i = 0; i < count; i++)
		p->ignored[i] = NOT_YET;
	for (uint64_t point = 0; point < p->product; point++) {
		uint64_t *ignored;

		digits(file, point, digit);
		ignored = &p->ignored[choice(file, digit, &count)];
		if (*ignored == NOT_YET) {
			*ignored = 0;
			if (look_at(p, digit, ignored))
				return -1;
			used |= ~*ignored;
		}
		if (!again(file, digit, *ignored))
			p->kept[p->count++] = (uint32_t)point;
	}
	for (size_t i = 0; i < file->axes; i++)
		if (!(used >> i & 1)) {
			fprintf(stderr, "gputm-sim: %s:%u: got \"%s\", which nothing in the study "
					"uses, expected an option or PATH.FIELD as in --list\n",
				sim_quoted(file->axis[i].file), file->axis[i].line,
				sim_quoted(file->axis[i].name));
			return -1;
		}
	return 0;
}

/* Check that each figure of `tell` exists in some point, trying one point for each choice. */
static int look_at_figures(struct sweep_points *p, sweep_run_fn *run)
{
	uint64_t last = UINT64_MAX, matched = 0, all, count;
	size_t patterns = 0;
	bool any = false;
	char pattern[SIM_PATTERN], where[SIM_QUOTE + 24];
	struct sim_options options;
	struct sim_of_study of;
	size_t digit[SIM_AXES];

	while (sim_pattern(p->file.tell, patterns, pattern))
		patterns++;
	all = patterns < 64 ? (UINT64_C(1) << patterns) - 1 : UINT64_MAX;
	for (uint64_t i = 0; matched != all && i < p->count; i++) {
		digits(&p->file, p->kept[i], digit);
		if (choice(&p->file, digit, &count) == last)
			continue;
		if (sweep_point(p, i, &options, &of))
			return -1;
		of.trial = true;
		if (run(&options) == SIM_DONE) {
			any = true;
			last = choice(&p->file, digit, &count);
		}
		matched |= of.matched;
		sim_options_free(&options);
	}
	if (matched != all && !any) {
		fprintf(stderr, "gputm-sim: %s: nothing is run: each point fails, as told above\n",
			sim_quoted(p->file.name));
		return -1;
	}
	snprintf(where, sizeof where, "%s:%u: tell", sim_quoted(p->file.path[0]),
		 p->file.tell_line);
	return sim_only_matched(p->file.tell, matched, where) ? 0 : -1;
}

/* A hash of everything that decides results: the text of the study, and the contents of the kernels
 * and other files that its points read. */
static void make_hash(struct sweep_points *p)
{
	const struct sim_study_file *file = &p->file;
	uint64_t hash = SIM_HASH_START;
	struct sim_file read;

	for (size_t i = 0; i < file->axes; i++) {
		hash = sim_hash_text(hash, file->axis[i].zipped ? "zip" : "");
		hash = sim_hash_text(hash, file->axis[i].name);
		for (size_t k = 0; k < file->axis[i].values; k++)
			hash = sim_hash_text(hash, file->axis[i].value[k]);
	}
	hash = sim_hash_text(sim_hash_text(hash, file->check ? "check" : ""), p->told);
	for (size_t i = 0; sim_input_at(i, &read); i++)
		if (strcmp(read.option, "study"))
			hash = sim_hash_file(hash, read.option, read.name);
	snprintf(p->hash, sizeof p->hash, "%016" PRIx64, hash);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The order of "tell" does not distinguish results. */
static int make_told(struct sweep_points *p)
{
	const char *tell = p->file.tell;
	char (*name)[SIM_PATTERN], pattern[SIM_PATTERN], *end;
	size_t count = 0;

	while (sim_pattern(tell, count, pattern))
		count++;
	name = sim_calloc(count + 1, sizeof *name);
	p->told = sim_malloc(40 + (tell ? strlen(tell) : 0));
	if (!name || !p->told) {
		sim_free(name);
		return sim_complain(-1, "out of memory");
	}
	for (size_t i = 0; i < count; i++)
		(void)sim_pattern(tell, i, name[i]);
	qsort(name, count, sizeof *name, by_name);
	end = p->told + sprintf(p->told, "%s%s", sim_level_name(level_of(p)),
				p->file.conflicts ? "+conflicts" : "");
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(name[i], name[i - 1]) != 0)
			end += sprintf(end, "%c%s", i ? ',' : ' ', name[i]);
	sim_free(name);
	return 0;
}

int sweep_points_read(const struct sim_options *options, struct sweep_points *out)
{
	memset(out, 0, sizeof *out);
	out->options = options;
	return sim_study_read(options->study, options->quick, &out->file) || count_product(out) ||
			       try_values(out) ? -1 : 0;
}

int sweep_points_read_forms(const struct sim_options *options, struct sweep_points *full,
			    struct sweep_points *quick)
{
	memset(full, 0, sizeof *full);
	memset(quick, 0, sizeof *quick);
	full->options = quick->options = options;
	return sim_study_read_forms(options->study, &full->file, &quick->file) ||
			       count_product(full) || try_values(full) ||
			       count_product(quick) || try_values(quick) ? -1 : 0;
}

int sweep_points_make(struct sweep_points *p, sweep_run_fn *run)
{
	if (make_told(p) || sweep_points_select(p))
		return -1;
	make_hash(p);
	return look_at_figures(p, run) ? -1 : 0;
}

void sweep_points_free(struct sweep_points *points)
{
	sim_study_free(&points->file);
	sim_free(points->told);
	sim_free(points->ignored);
	sim_free(points->kept);
}
