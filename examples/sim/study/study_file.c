/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "study_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "../base/quote.h"

#define BLANKS " \t\r"

/* With file and line; -1. */
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
	FILE *in = standard ? stdin : fopen(name, "r"), *copy;
	char bytes[4096];
	size_t size, all = 0;

	memset(out, 0, sizeof *out);
	out->name = standard ? "<stdin>" : name;
	copy = in ? open_memstream(&out->text, &all) : NULL;
	while (copy && (size = fread(bytes, 1, sizeof bytes, in)))
		fwrite(bytes, 1, size, copy);
	if (!copy || ferror(in)) {
		fprintf(stderr, "gputm-sim: %s: cannot be read\n", sim_quoted(out->name));
		all = 1;
	}
	if (copy && fclose(copy))
		return out_of_memory();
	if (in && !standard)
		fclose(in);
	if (!copy || !out->text || strlen(out->text) != all)
		return copy && out->text ? wrong(out, 1, "got a NUL, expected lines of text") : -1;
	return 0;
}

/* ---- values ---- */

static int append(struct sim_axis *axis, const char *value)
{
	char **bigger = axis->value;

	if (!(axis->values & (axis->values - 1))) /* 0, 1, 2, 4, ... */
		bigger = realloc(bigger, (axis->values ? 2 * axis->values : 1) * sizeof *bigger);
	if (!bigger)
		return out_of_memory();
	axis->value = bigger;
	bigger[axis->values] = strdup(value);
	return bigger[axis->values] ? (axis->values++, 0) : out_of_memory();
}

/* A value, or all of "FIRST..LAST". */
static int append_word(const struct sim_study_file *study, struct sim_axis *axis, const char *word)
{
	unsigned long long first, last;
	char more, text[24];
	int error = 0;

	if (!strstr(word, "..") || sscanf(word, "%llu..%llu%c", &first, &last, &more) != 2)
		return append(axis, word);
	if (last < first || last - first >= SIM_POINTS)
		return wrong(study, axis->line, "%s: got \"%s\", expected FIRST..LAST with 1 to %d "
						"values", axis->name, sim_quoted(word), SIM_POINTS);
	for (; !error && first <= last; first++) {
		snprintf(text, sizeof text, "%llu", first);
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
	more = realloc(study->tell, used + strlen(rest) + 2);
	if (!more)
		return out_of_memory();
	study->tell = more;
	for (word = strtok(rest, BLANKS); word; word = strtok(NULL, BLANKS))
		used += (size_t)sprintf(more + used, "%s%s", used ? "," : "", word);
	return used ? 0 : wrong(study, line, "tell: got nothing, expected names of figures");
}

static int new_axis(struct sim_study_file *study, const char *name, unsigned line, bool zipped)
{
	for (size_t i = 0; i < study->axes; i++)
		if (!strcmp(study->axis[i].name, name))
			return wrong(study, line, "%s: is on line %u too, expected all of its "
						  "values on one line", sim_quoted(name),
				     study->axis[i].line);
	if (zipped && !study->axes)
		return wrong(study, line, "zip: expected a line before that it goes with");
	if (study->axes == SIM_AXES)
		return wrong(study, line, "expected %d lines with values at most", SIM_AXES);
	study->axis[study->axes] = (struct sim_axis){ .name = strdup(name), .line = line,
						       .zipped = zipped };
	return study->axis[study->axes].name ? (study->axes++, 0) : out_of_memory();
}

/* The words behind the name; there is one, and as many as in the line that it is zipped with. */
static int add_values(struct sim_study_file *study)
{
	struct sim_axis *axis = &study->axis[study->axes - 1];
	const char *word;
	int error = 0;

	while (!error && (word = strtok(NULL, BLANKS)))
		error = append_word(study, axis, word);
	if (!error && !axis->values)
		return wrong(study, axis->line, "%s: got nothing, expected values (without any "
						"there is no point)", sim_quoted(axis->name));
	if (!error && axis->zipped && axis->values != axis[-1].values)
		return wrong(study, axis->line, "zip %s: got %zu values, expected %zu as of %s",
			     axis->name, axis->values, axis[-1].values, axis[-1].name);
	return error;
}

static int add_line(struct sim_study_file *study, unsigned line, char *text)
{
	char *rest = text + strspn(text, BLANKS), *name;
	bool zipped = false, set;

	text[strcspn(text, "#")] = '\0';
	if (!strncmp(rest, "tell", 4) && strchr(BLANKS, rest[4]))
		return add_tell(study, line, rest + 4);
	name = strtok(text, BLANKS);
	if (name && !strcmp(name, "zip")) {
		zipped = true;
		name = strtok(NULL, BLANKS);
	}
	if (!name)
		return zipped ? wrong(study, line, "zip: got nothing, expected NAME VALUE...") : 0;
	if (!strcmp(name, "check") && !zipped && !strtok(NULL, BLANKS)) {
		study->check = true;
		return 0;
	}
	set = !strcmp(name, "set");
	if (set)
		name = strtok(NULL, BLANKS);
	if (set != (name && strchr(name, '.')) || (name && strchr(name, '=')))
		return wrong(study, line, "got \"%s\", expected NAME VALUE... or set PATH.FIELD "
					  "VALUE...", sim_quoted(name ? name : "set"));
	return new_axis(study, name, line, zipped) ? -1 : add_values(study);
}

static int read_lines(struct sim_study_file *out)
{
	char *line = out->text, *end;
	int error = 0;

	for (unsigned number = 1; !error && line; number++) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		error = add_line(out, number, line);
		line = end ? end + 1 : NULL;
	}
	return error;
}

int sim_study_read(const char *name, struct sim_study_file *out)
{
	return read_text(name, out) ? -1 : read_lines(out);
}

/* ---- configs ---- */

struct point {
	struct sim_study_file *study;
	int error;
};

static void take_value(void *state, const char *path, const char *value, bool quoted)
{
	struct point *p = state;
	struct sim_study_file *study = p->study;

	(void)quoted;
	if (p->error || strncmp(path, "point.", 6) || !strcmp(path, "point.hash") ||
	    !strcmp(value, "-"))
		return;
	p->error = new_axis(study, path + 6, 1, false);
	if (!p->error)
		p->error = append(&study->axis[study->axes - 1], value);
}

static int read_report(struct sim_study_file *out)
{
	struct point p = { out, 0 };
	const char *end = sim_json_each(out->text, take_value, &p);

	if (!end || end[strspn(end, " \t\r\n")])
		return wrong(out, 1, "expected one whole report as JSON, or lines NAME VALUE");
	if (!p.error && !out->axes)
		return wrong(out, 1, "expected a report with a point");
	return p.error;
}

int sim_config_read(const char *name, struct sim_study_file *out)
{
	int error = read_text(name, out);

	if (!error && out->text[strspn(out->text, " \t\r\n")] == '{')
		return read_report(out);
	error = error ? error : read_lines(out);
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
		for (size_t k = 0; k < study->axis[i].values; k++)
			free(study->axis[i].value[k]);
		free(study->axis[i].value);
		free(study->axis[i].name);
	}
	free(study->text);
	free(study->tell);
	memset(study, 0, sizeof *study);
}
