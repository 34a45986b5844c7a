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
};

struct sweep_lines {
	char study[20], version[32]; /* what each line must contain; "": what the first line has */
	uint64_t count;		     /* of points */
	struct sweep_place *place;   /* one for each */
	uint64_t done, failed;	     /* points with a result, and how many of these failed */
};

/* 0 or -1 (out of memory). */
int sweep_lines_size(struct sweep_lines *lines, uint64_t count);
void sweep_lines_free(struct sweep_lines *lines);

/* Read the lines of a file, which must stay open. A success is preferred to a failure of the same
 * point; otherwise lines of a point must be equal. 0, or -1 with file:line and the reason on
 * stderr. */
int sweep_lines_read(struct sweep_lines *lines, FILE *file, const char *name);
/* Record that this line is the result of point `index`, from 0. */
void sweep_lines_put(struct sweep_lines *lines, uint64_t index, const struct sweep_place *place);
/* The result of point `index`, from 0, without the end of its line; free it. NULL: none. */
char *sweep_line(const struct sweep_lines *lines, uint64_t index);
/* Write all lines, in the order of their points. 0, or -1 if a line cannot be read again. */
int sweep_lines_write(const struct sweep_lines *lines, FILE *out);

#endif
