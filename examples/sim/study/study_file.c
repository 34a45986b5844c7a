/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "study_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/json.h"
#include "../base/output.h"
#include "../base/quote.h"
#include "../base/source.h"
#include "fields.h"

#define BLANKS " \t"

/* Print the message with file and line; -1. */
static int wrong(const struct sim_study_file *study, unsigned line, const char *form, ...)
	__attribute__((format(printf, 3, 4)));

static int wrong(const struct sim_study_file *study, unsigned line, const char *form, ...)
{
	va_list list;

	fprintf(stderr, "gputm-sim: %s:%u: ", sim_quoted(study->name), line);
	va_start(list, form);
	vfprintf(stderr, form, list);
	va_end(list);
	fputc('\n', stderr);
	return -1;
}

static int out_of_memory(void)
{
	fputs("gputm-sim: out of memory\n", stderr);
	return -1;
}

/* ---- the text ---- */

static int read_text(const char *name, struct sim_study_file *out)
{
	bool standard = !strcmp(name, "-");
	FILE *in = standard ? stdin : fopen(name, "r");
	struct sim_source source = { .wrong = NULL };
	char *text = NULL;
	size_t size = 0;
	bool failed;

	if (out->texts == SIM_TEXTS)
		return wrong(out, 1, "expected %d files in all at most", SIM_TEXTS);
	if (!sim_input_apart(out->texts ? "read by" : "the file of", "study", name))
		return -1;
	out->path[out->texts] = sim_strdup(standard ? "<stdin>" : name);
	out->name = out->path[out->texts];
	if (!out->name)
		return out_of_memory();
	if (in) {
		sim_source_begin(&source, in);
		text = sim_source_text(&source, SIM_TEXT_MAX, &size);
	}
	failed = !in || ferror(in);
	if (failed)
		fprintf(stderr, "gputm-sim: %s: cannot be read: %s\n", sim_quoted(out->name),
			strerror(errno));
	if (in && !standard)
		fclose(in);
	out->text[out->texts++] = text;
	if (failed || !text)
		return failed ? -1 : out_of_memory();
	if (source.wrong)
		return wrong(out, 1, "%s", source.wrong);
	return strlen(text) == size ? 0 : wrong(out, 1, "got a NUL, expected lines of text");
}

/* ---- values ---- */

static int append(struct sim_axis *axis, const char *value)
{
	size_t i = axis->values, room = axis->room;

	if (!SIM_ROOM(axis->path, room, i + 1) || !SIM_ROOM(axis->value, axis->room, i + 1))
		return out_of_memory();
	axis->path[i] = NULL;
	axis->value[i] = sim_strdup(value);
	return axis->value[i] ? (axis->values++, 0) : out_of_memory();
}

/* A name in a study means a file in the folder of the study, wherever the program is called. The
 * caller frees the path; NULL without memory. */
static char *path_of(const char *study, const char *name)
{
	const char *slash = strrchr(study, '/');
	int folder = *name == '/' || !slash ? 0 : (int)(slash + 1 - study);
	size_t size = (size_t)folder + strlen(name) + 1;
	char *path = sim_malloc(size);

	if (path)
		snprintf(path, size, "%.*s%s", folder, study, name);
	return path;
}

static bool is_file(const char *option, const char *value)
{
	static const char *const files[] = { "kernel", "keys", "edges", "trace" };
	bool found = !strcmp(option, "workload") &&
		     (strchr(value, '/') || strstr(value, ".kernel"));

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		found = found || !strcmp(option, files[i]);
	return found && strcmp(value, "-") != 0;
}

static int append_name(const struct sim_study_file *study, struct sim_axis *axis,
		       const char *value)
{
	int error = append(axis, value);

	if (error || !is_file(axis->name, value))
		return error;
	axis->path[axis->values - 1] = path_of(study->name, value);
	return axis->path[axis->values - 1] ? 0 : out_of_memory();
}

/* Read a value, or all values of "FIRST..LAST". */
static int append_word(const struct sim_study_file *study, struct sim_axis *axis, const char *word)
{
	const char *end = word;
	uint64_t first, last;
	char text[24];
	int error = 0;

	if (sim_number(&end, 10, UINT64_MAX, &first) != SIM_NUMBER || strncmp(end, "..", 2) ||
	    !sim_is_number(end + 2, 10, UINT64_MAX, &last))
		return append_name(study, axis, word);
	if (last < first || last - first >= SIM_POINTS)
		return wrong(study, axis->line, "%s: got \"%s\", expected FIRST..LAST with 1 to %d "
						"values", axis->name, sim_quoted(word), SIM_POINTS);
	for (; !error && first <= last; first++) {
		snprintf(text, sizeof text, "%" PRIu64, first);
		error = append(axis, text);
		if (first == last)
			break;
	}
	return error;
}

/* ---- lines ---- */

static int add_tell(struct sim_study_file *study, unsigned line, char *rest)
{
	char *word, *more;
	size_t used = study->tell ? strlen(study->tell) : 0;

	study->tell_line = line;
	more = sim_realloc(study->tell, used + strlen(rest) + 2);
	if (!more)
		return out_of_memory();
	study->tell = more;
	for (word = strtok(rest, BLANKS); word; word = strtok(NULL, BLANKS))
		used += (size_t)sprintf(more + used, "%s%s", used ? "," : "", word);
	return used ? 0 : wrong(study, line, "tell: got nothing, expected names of figures");
}

static struct sim_axis *axis_of(struct sim_study_file *study, const char *name)
{
	for (size_t i = 0; i < study->axes; i++)
		if (!strcmp(study->axis[i].name, name))
			return &study->axis[i];
	return NULL;
}

static void clear(struct sim_axis *axis)
{
	while (axis->values) {
		sim_free(axis->value[--axis->values]);
		sim_free(axis->path[axis->values]);
	}
	sim_free(axis->value);
	sim_free(axis->path);
	axis->value = axis->path = NULL;
	axis->room = 0;
}

/* Store the line, without values yet; a line for --quick replaces the line that it stands for. */
static struct sim_axis *new_axis(struct sim_study_file *study, const char *name,
				 const struct sim_axis *as)
{
	struct sim_axis *axis = axis_of(study, name);

	if (axis && !as->quick) {
		wrong(study, as->line, "%s: is on line %u too, expected all of its values on one "
				       "line", sim_quoted(name), axis->line);
		return NULL;
	}
	if (!axis && as->zipped && !study->axes) {
		wrong(study, as->line, "zip: expected a line before that it goes with");
		return NULL;
	}
	if (!axis && study->axes == SIM_AXES) {
		wrong(study, as->line, "expected %d lines with values at most", SIM_AXES);
		return NULL;
	}
	if (axis) {
		clear(axis);
	} else {
		axis = &study->axis[study->axes];
		*axis = *as;
		axis->name = sim_strdup(name);
		if (!axis->name) {
			out_of_memory();
			return NULL;
		}
		study->axes++;
	}
	axis->file = study->name;
	axis->line = as->line;
	return axis;
}

/* Read the words after the name; at least one is required. */
static int add_values(const struct sim_study_file *study, struct sim_axis *axis)
{
	const char *word;
	int error = 0;

	while (!error && (word = strtok(NULL, BLANKS)))
		error = append_word(study, axis, word);
	if (!error && !axis->values)
		return wrong(study, axis->line, "%s: got nothing, expected values (without any "
						"there is no point)", sim_quoted(axis->name));
	return error;
}

static int read_lines(struct sim_study_file *out);

/* Path of a file in the folder of this file. */
static int include(struct sim_study_file *study, unsigned line, const char *name)
{
	const char *now = study->name;
	char *path;
	int error;

	if (!name)
		return wrong(study, line, "include: got nothing, expected FILE");
	path = path_of(now, name);
	if (!path)
		return out_of_memory();
	error = read_text(path, study) ? -1 : read_lines(study);
	sim_free(path);
	study->name = now;
	return error ? wrong(study, line, "included here") : 0;
}

static int add_named(struct sim_study_file *study, struct sim_axis *as, char *text)
{
	char *name = strtok(text, BLANKS);
	struct sim_axis *axis;
	char meant[300] = "";
	bool set, dotted, *told;

	if (name && !strcmp(name, "include") && !as->zipped)
		return include(study, as->line, strtok(NULL, BLANKS));
	if (name && !strcmp(name, "zip")) {
		as->zipped = true;
		name = strtok(NULL, BLANKS);
	}
	if (!name)
		return as->zipped ? wrong(study, as->line, "zip: got nothing, expected NAME "
							   "VALUE...") : 0;
	told = !strcmp(name, "check") ? &study->check :
	       !strcmp(name, "conflicts") ? &study->conflicts : NULL;
	if (told && !as->zipped && !strtok(NULL, BLANKS)) {
		*told = true;
		return 0;
	}
	set = !strcmp(name, "set");
	as->names = !strcmp(name, "call");
	if (set || as->names)
		name = strtok(NULL, BLANKS);
	dotted = name && strchr(name, '.');
	if (!name || set != dotted || strchr(name, '=')) {
		if (name && set && !dotted)
			sim_field_meant(name, meant, sizeof(meant));
		return wrong(study, as->line, "got \"%s\", expected NAME VALUE..., set PATH.FIELD "
					      "VALUE... or call NAME TEXT...%s",
			     sim_quoted(name ? name : set ? "set" : "call"), meant);
	}
	axis = new_axis(study, name, as);
	return axis ? add_values(study, axis) : -1;
}

static int add_line(struct sim_study_file *study, unsigned line, char *text)
{
	struct sim_axis as = { .line = line };

	text[strcspn(text, "#")] = '\0';
	text += strspn(text, BLANKS);
	if (!strncmp(text, "quick", 5) && text[5] && strchr(BLANKS, text[5])) {
		as.quick = true;
		text += 5;
		text += strspn(text, BLANKS);
		if (!study->quick)
			return 0;
	}
	if (!strncmp(text, "tell", 4) && strchr(BLANKS, text[4]))
		return add_tell(study, line, text + 4);
	return add_named(study, &as, text);
}

/* Does a section of a kernel begin in this line? */
static bool is_section(const char *line)
{
	static const char *const section[] = { "program", "program transactions", "program locks",
					       NULL };
	size_t length = strcspn(line, "\n#"), i = 0;

	while (length && strchr(BLANKS, line[length - 1]))
		length--;
	while (section[i] && (strlen(section[i]) != length || strncmp(section[i], line, length)))
		i++;
	return section[i] != NULL;
}

/* Kernels end in .kernel, or have a program. */
static bool is_kernel(const struct sim_study_file *study)
{
	const char *name = study->name, *line = study->text[study->texts - 1];
	size_t length = strlen(name);
	bool is = length > 7 && !strcmp(name + length - 7, ".kernel");

	for (; !is && line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		is = is_section(line);
	return is;
}

static int read_lines(struct sim_study_file *out)
{
	char *line = out->text[out->texts - 1], *end;
	int error = 0;

	if (is_kernel(out))
		return wrong(out, 1, "got a kernel, expected lines NAME VALUE... (--kernel FILE "
				     "runs it, and a line \"kernel FILE\" of a study)");
	for (unsigned number = 1; !error && line; number++) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		error = add_line(out, number, line);
		line = end ? end + 1 : NULL;
	}
	return error;
}

/* Zipped lines must have as many values as the line before. */
static int look_at_zips(const struct sim_study_file *study)
{
	for (size_t i = 1; i < study->axes; i++) {
		const struct sim_axis *axis = &study->axis[i];

		if (!axis->zipped || axis->values == axis[-1].values)
			continue;
		fprintf(stderr, "gputm-sim: %s:%u: zip %s: got %zu values, expected %zu as of %s\n",
			sim_quoted(axis->file), axis->line, axis->name, axis->values,
			axis[-1].values, axis[-1].name);
		return -1;
	}
	return 0;
}

static int read_study(struct sim_study_file *out)
{
	int error = read_lines(out);

	out->name = out->path[0];
	return error ? error : look_at_zips(out);
}

int sim_study_read(const char *name, bool quick, struct sim_study_file *out)
{
	memset(out, 0, sizeof *out);
	out->quick = quick;
	return read_text(name, out) ? -1 : read_study(out);
}

int sim_study_read_forms(const char *name, struct sim_study_file *full,
			 struct sim_study_file *quick)
{
	memset(full, 0, sizeof *full);
	memset(quick, 0, sizeof *quick);
	quick->quick = true;
	if (read_text(name, full))
		return -1;
	quick->text[0] = sim_strdup(full->text[0]);
	quick->path[0] = sim_strdup(full->path[0]);
	quick->name = quick->path[0];
	quick->texts = 1;
	if (!quick->text[0] || !quick->path[0])
		return out_of_memory();
	return read_study(full) ? -1 : read_study(quick);
}

/* ---- configs ---- */

struct point {
	struct sim_study_file *study;
	int error;
};

static void take_value(void *state, const char *path, const char *value, bool quoted)
{
	const struct sim_axis as = { .line = 1, .names = true };
	struct point *p = state;
	struct sim_axis *axis;
	bool made = strcmp(value, SIM_NOT_SET) && (quoted || strcmp(value, "null"));

	if (p->error || strncmp(path, "point.", 6) || !strcmp(path, "point.hash") || !made)
		return;
	axis = new_axis(p->study, path + 6, &as);
	p->error = axis ? append(axis, value) : -1;
}

static int read_report(struct sim_study_file *out)
{
	struct point p = { out, 0 };
	const char *end = sim_json_each(out->text[0], take_value, &p);

	if (!end || end[strspn(end, BLANKS "\n")])
		return wrong(out, 1, "expected one whole report as JSON, or lines NAME VALUE");
	if (!p.error && !out->axes)
		return wrong(out, 1, "expected a report with a point");
	return p.error;
}

int sim_config_read(const char *name, struct sim_study_file *out)
{
	int error;

	memset(out, 0, sizeof *out);
	error = read_text(name, out);
	if (!error && out->text[0][strspn(out->text[0], BLANKS "\n")] == '{')
		return read_report(out);
	if (!error && (!strncmp(out->text[0], "gputm-sim ", 10) ||
		       !strncmp(out->text[0], "run,", 4)))
		return wrong(out, 1, "got a report for readers, expected one as JSON (--format "
				     "json or jsonl), or lines NAME VALUE");
	error = error ? error : read_lines(out);
	error = error ? error : look_at_zips(out);
	if (!error && out->tell)
		error = wrong(out, out->tell_line,
			      "tell: it belongs to studies, expected --only instead");
	for (size_t i = 0; !error && i < out->axes; i++)
		if (out->axis[i].values > 1)
			error = wrong(out, out->axis[i].line, "%s: got %zu values, expected one in "
							      "a config (more are for --study)",
				      out->axis[i].name, out->axis[i].values);
	return error;
}

void sim_study_free(struct sim_study_file *study)
{
	for (size_t i = 0; i < study->axes; i++) {
		clear(&study->axis[i]);
		sim_free(study->axis[i].name);
	}
	for (size_t i = 0; i < SIM_TEXTS; i++) {
		sim_free(study->text[i]);
		sim_free(study->path[i]);
	}
	sim_free(study->tell);
	memset(study, 0, sizeof *study);
}
