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

int open_file(struct reader *r, char path[KERNEL_PATH_MAX], FILE **out)
{
	const char *slash = strrchr(r->kernel->file, '/');
	int folder = slash ? (int)(slash - r->kernel->file) + 1 : 0;
	char name[KERNEL_NAME_MAX];

	if (r->token != TOKEN_WORD && r->token != TOKEN_TEXT)
		return unexpected(r, "a file beside the kernel");
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, r->text);
	snprintf(path, KERNEL_PATH_MAX, "%.*s%s", folder, r->kernel->file, name);
	*out = r->files ? r->files->open(r->files->state, name) : NULL;
	return *out ? 0 : say(r, "\"%s\" cannot be opened beside the kernel", name);
}

int open_beside(struct reader *r, uint32_t table, struct text **out)
{
	struct text *text;
	FILE *in;
	int error;

	if (++r->includes > INCLUDES_MAX)
		return say(r, "more than %u files are included", INCLUDES_MAX);
	text = *out = sim_calloc(1, sizeof(*text));
	if (!text)
		return no_memory(r);
	text->next = r->included;
	text->table = table;
	r->included = text;
	error = open_file(r, text->path, &in);
	if (error)
		return error;
	error = read_text(in, text->path, &text->text, &text->size, r->message, r->message_size);
	fclose(in);
	return error == -EIO ? -EINVAL : error;
}

void read_in(struct reader *r, const struct text *text)
{
	r->at = r->line_start = text->text;
	r->end = r->at + text->size;
	r->file = text->path;
	r->line = 1;
	r->token = TOKEN_WORD;
}
