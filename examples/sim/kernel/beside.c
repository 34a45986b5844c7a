/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files whole: the kernel file, and files beside it that it names. */
#include "reader.h"

#define BYTES_MAX (1u << 26)

char *read_text(FILE *in, size_t *size)
{
	size_t room = 4096, got;
	char *text = malloc(room), *bigger;

	for (*size = 0; text; *size += got) {
		got = fread(text + *size, 1, room - *size - 1, in);
		if (!got || *size + got > BYTES_MAX)
			break;
		if (*size + got < room - 1)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (text)
		text[*size] = '\0';
	return text;
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
	text = *out = calloc(1, sizeof(*text));
	if (!text)
		return no_memory(r);
	text->next = r->included;
	text->table = table;
	r->included = text;
	error = open_file(r, text->path, &in);
	if (error)
		return error;
	text->text = read_text(in, &text->size);
	fclose(in);
	return text->text ? 0 : no_memory(r);
}

void read_in(struct reader *r, const struct text *text)
{
	r->at = r->line_start = text->text;
	r->end = r->at + text->size;
	r->file = text->path;
	r->line = 1;
	r->token = TOKEN_WORD;
}
