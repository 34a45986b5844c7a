/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_LINES_H
#define SIM_SWEEP_LINES_H
/* Results: lines of JSON in files, found by the number of their point. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sweep_place {
	FILE *file; /* NULL: there is no result yet */
	uint64_t offset;
	uint32_t length; /* without the end of the line */
	bool failed;
	bool other; /* a result of another model of gputm-sim */
};

struct sweep_lines {
	/* what each line of --merge must contain; "": what the first line has */
	char study[20], model[16], version[32];
	bool any_model;		     /* model and version may differ */
	uint64_t count;		     /* of points */
	struct sweep_place *place;   /* one for each */
	uint64_t done, failed;	     /* points with a result, and how many of these failed */
	FILE *again;		     /* results that were written anew, or NULL */
};

/* A line with something in it: NULL; SWEEP_CUT if it is no whole JSON; or else what is wrong. */
extern const char SWEEP_CUT[];
typedef const char *sweep_line_fn(void *state, const char *line, const struct sweep_place *place,
				  unsigned number);
/* Call fn for each line of a file, which must stay open. A last line that was cut, as by a full
 * disk, is left out with a note on stderr; *end is where it begins, or the end of the file. 0, or
 * -1 with file:line and the reason on stderr. */
int sweep_lines_each(FILE *file, const char *name, sweep_line_fn *fn, void *state, uint64_t *end);

/* 0 or -1 (out of memory). */
int sweep_lines_size(struct sweep_lines *lines, uint64_t count);
void sweep_lines_free(struct sweep_lines *lines);

/* Read the results in a file, which must stay open. A success is preferred to a failure of the same
 * point; otherwise lines of a point must be equal. 0, or -1 with file:line and the reason on
 * stderr. */
int sweep_lines_read(struct sweep_lines *lines, FILE *file, const char *name);
/* Record that this line is the result of point `index`, from 0, unless there is one. A failure, or
 * a result of another model, is replaced. */
void sweep_lines_put(struct sweep_lines *lines, uint64_t index, const struct sweep_place *place);
/* The result of point `index`, from 0, without the end of its line; free it. NULL: none. */
char *sweep_line(const struct sweep_lines *lines, uint64_t index);
/* Write all lines, in the order of their points. 0, or -1 if a line cannot be read again. */
int sweep_lines_write(const struct sweep_lines *lines, FILE *out);

#endif
