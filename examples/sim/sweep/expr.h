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
	struct sweep_array value, paper; /* paper.cell NULL: it has no numbers */
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
/* "[AXIS=VALUE, ...]", if there is one: the rest of the array. */
struct sweep_array sweep_select(struct sweep_reader *r, struct sweep_array array);

/* With file:line:column; the first one only. */
void sweep_wrong(struct sweep_reader *r, const char *at, const char *expected);
/* Blanks, and then this character or word, which is behind then. */
bool sweep_take(struct sweep_reader *r, const char *wanted);
/* A word of letters, digits, '_' and '.', or false. */
bool sweep_word(struct sweep_reader *r, char *out, size_t size);
/* The rest up to a blank or one of these characters, which is not empty, or false. */
bool sweep_until(struct sweep_reader *r, const char *ends, char *out, size_t size);
/* The axis of this name, or SIM_AXES; and the place of a value, or SIZE_MAX with the reason said,
 * unless --quick leaves it out. */
size_t sweep_axis(const struct sweep_reader *r, const char *name);
size_t sweep_value(struct sweep_reader *r, size_t axis, const char *value, const char *at);
const struct sweep_named *sweep_find(const struct sweep_reader *r, const char *name);
bool sweep_number(struct sweep_reader *r, double *out);

#endif
