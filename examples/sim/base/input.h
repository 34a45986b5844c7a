/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_INPUT_H
#define SIM_INPUT_H
/* A file that a user names, "-" for standard input. */
#include <errno.h>
#include <stdbool.h>

#include "quote.h"

struct sim_input {
	FILE *file;
	char name[SIM_QUOTE]; /* for messages */
};

/* 0, or -EINVAL with a message in error[]. */
static inline int sim_input_open(struct sim_input *in, const char *name, char *error, size_t size)
{
	bool standard = !strcmp(name, "-");
	int first = EOF;

	sim_quote(standard ? "<stdin>" : name, in->name, sizeof(in->name));
	in->file = standard ? stdin : fopen(name, "r");
	if (in->file)
		first = getc(in->file);
	if (in->file && !ferror(in->file)) {
		(void)ungetc(first, in->file);
		return 0;
	}
	snprintf(error, size, "%s: cannot be opened: %s", in->name, strerror(errno));
	if (in->file && !standard)
		fclose(in->file);
	return -EINVAL;
}

static inline void sim_input_close(struct sim_input *in)
{
	if (in->file != stdin)
		fclose(in->file);
}

#endif
