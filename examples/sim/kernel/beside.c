/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files whole: the kernel file, and files beside it that it names. */
#include "reader.h"

#include <errno.h>

#include "../base/arena.h"
#include "../base/source.h"

int read_text(FILE *in, const char *name, char **text, size_t *size, char *message,
	      size_t message_size)
{
	struct sim_source source;

	sim_source_begin(&source, in);
	*text = sim_source_text(&source, SIM_TEXT_MAX, size);
	if (!*text) {
		snprintf(message, message_size, "%s: out of memory", name);
		return -ENOMEM;
	}
	if (source.wrong)
		snprintf(message, message_size, "%s:1: %s", name, source.wrong);
	else if (ferror(in))
		snprintf(message, message_size, "%s: cannot be read: %s", name, strerror(errno));
	return source.wrong || ferror(in) ? -EIO : 0;
}

FILE *open_file(struct reader *r, char path[KERNEL_PATH_MAX])
{
	const char *slash = strrchr(r->kernel->file, '/');
	int folder = slash ? (int)(slash - r->kernel->file) + 1 : 0;
	char name[KERNEL_NAME_MAX];
	FILE *in;

	if (r->token != TOKEN_WORD && r->token != TOKEN_TEXT)
		unexpected(r, "a file beside the kernel");
	if (r->error)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, r->text);
	snprintf(path, KERNEL_PATH_MAX, "%.*s%s", folder, r->kernel->file, name);
	in = r->files ? r->files->open(r->files->state, name) : NULL;
	if (!in)
		say(r, "\"%s\" cannot be opened beside the kernel", name);
	return in;
}

struct text *open_beside(struct reader *r, uint32_t table)
{
	struct text *text;
	FILE *in;
	int error;

	if (++r->includes > INCLUDES_MAX)
		say(r, "more than %u files are included", INCLUDES_MAX);
	text = sim_calloc(1, sizeof(*text));
	if (!text) {
		no_memory(r);
		return NULL;
	}
	text->next = r->included;
	text->table = table;
	r->included = text;
	in = open_file(r, text->path);
	if (!in)
		return NULL;
	error = read_text(in, text->path, &text->text, &text->size, r->message, r->message_size);
	fclose(in);
	keep_error(r, error == -EIO ? -EINVAL : error);
	return error ? NULL : text;
}

void read_in(struct reader *r, const struct text *text)
{
	r->at = r->line_start = text->text;
	r->end = r->at + text->size;
	r->file = text->path;
	r->line = 1;
	r->token = TOKEN_WORD;
}
