/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels from files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/input.h"
#include "kernel.h"

#define BYTES_MAX (1u << 26)

/* Files that a kernel names stand beside it: `state` is its own path. */
static FILE *open_beside(void *state, const char *name)
{
	const char *path = state, *slash = strrchr(path, '/');
	size_t directory = slash ? (size_t)(slash - path) + 1 : 0;
	char *whole = malloc(directory + strlen(name) + 1);
	FILE *in = NULL;

	if (whole) {
		memcpy(whole, path, directory);
		strcpy(whole + directory, name);
		in = fopen(whole, "r");
	}
	free(whole);
	return in;
}

static char *read_all(FILE *in, size_t *size)
{
	size_t room = 4096, got;
	char *text = malloc(room), *bigger;

	for (*size = 0; text; *size += got) {
		got = fread(text + *size, 1, room - *size, in);
		if (!got || *size + got > BYTES_MAX)
			break;
		if (*size + got < room)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (!bigger)
			free(text);
		text = bigger;
	}
	return text;
}

int flow_kernel_load(const char *path, struct flow_kernel *out, char *message,
		     size_t message_size)
{
	struct flow_files files = { open_beside, (void *)(uintptr_t)path };
	struct sim_input in;
	size_t size;
	char *text;
	int error;

	if (sim_input_open(&in, path, message, message_size))
		return -EIO;
	text = read_all(in.file, &size);
	error = ferror(in.file) ? -EIO : text ? 0 : -ENOMEM;
	sim_input_close(&in);
	if (error)
		snprintf(message, message_size, "%s: cannot be read", in.name);
	else
		error = flow_kernel_read(text, size, in.name, &files, out, message, message_size);
	free(text);
	return error;
}
