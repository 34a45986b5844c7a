/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_EXPR_H
#define SIM_SWEEP_EXPR_H
/*
 * Expressions over results:
 *	SUM      = PRODUCT { + | - PRODUCT }
 *	PRODUCT  = PART { * | / PART }
 *	PART     = NUMBER | NAME | paper(NAME) | ( SUM )
 *		 | FUNCTION( SUM [by SUM] [over AXIS...] ), each with { [AXIS=VALUE|VALUE, ...] }
 * NAME is a value with a name, an axis, which is its numbers, or a figure. Cells are calculated
 * with one another. A function leaves the axes out that it is over, or all.
 */
#include "sheet.h"

struct sweep_named {
	char name[64];
	struct sweep_array value, paper; /* paper.cell NULL: no numbers yet */
};

struct sweep_reader {
	struct sweep_sheet *sheet;
	struct sweep_points *points; /* gets the figures that are named; NULL: none is new */
	const struct sweep_named *named;
	size_t names;
	const struct sim_saying *saying;
	const char *at;
	unsigned depth;
	bool failed; /* with the reason on stderr */
};

void sweep_reader_init(struct sweep_reader *r, const struct sim_saying *saying);
struct sweep_array sweep_expression(struct sweep_reader *r);
/* Read "[AXIS=VALUE, ...]", if it is next, and select this part of the array. */
struct sweep_array sweep_select(struct sweep_reader *r, struct sweep_array array);

/* Print an error with file:line:column; only the first is printed. */
void sweep_wrong(struct sweep_reader *r, const char *at, const char *expected);
/* Skip blanks, and then take this character or word, if it is next. */
bool sweep_take(struct sweep_reader *r, const char *wanted);
/* Take a word of letters, digits, '_' and '.', or false. */
bool sweep_word(struct sweep_reader *r, char *out, size_t size);
/* Take the text up to a blank or one of these characters; false if it is empty. */
bool sweep_until(struct sweep_reader *r, const char *ends, char *out, size_t size);
/* The axis of this name, or SIM_AXES. And the number of a value, or SIZE_MAX, with the reason on
 * stderr unless only --quick leaves the value out. */
size_t sweep_axis(const struct sweep_reader *r, const char *name);
size_t sweep_value(struct sweep_reader *r, size_t axis, const char *value, const char *at);
const struct sweep_named *sweep_find(const struct sweep_reader *r, const char *name);
bool sweep_number(struct sweep_reader *r, double *out);

#endif
