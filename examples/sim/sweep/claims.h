/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SWEEP_CLAIMS_H
#define SIM_SWEEP_CLAIMS_H
/*
 * The lines of a study about its results:
 *	source TEXT			the paper, its figure or table, and section
 *	note TEXT
 *	let NAME EXPRESSION
 *	table NAME "WHAT" EXPRESSION	a table and a picture too
 *	paper NAME [AXIS=VALUE, ...] AXIS VALUE NUMBER VALUE NUMBER ...
 *	claim "WHAT" RELATION { and RELATION }
 *	why TEXT			the cause, where the claim above does not hold
 *	verdict holds | in part | differs	that is expected
 *	RELATION = SUM < | > | <= | >= SUM ... | SUM within FACTOR of SUM
 */
#include "expr.h"

enum sweep_verdict { SWEEP_NONE, SWEEP_HOLDS, SWEEP_IN_PART, SWEEP_DIFFERS };

struct sweep_item {
	const struct sim_saying *saying;
	char title[160];	  /* of a table or claim */
	const char *relation;	  /* of a claim */
	struct sweep_named *named; /* of a table */
	double *reach;		  /* half of the 95 % interval over the seeds, for each cell */
	enum sweep_verdict expected, found;
	char *here;		  /* the numbers on which it was found */
	const char *why[8];
	size_t whys;
};

struct sweep_story {
	struct sweep_points *points;
	struct sweep_sheet sheet;
	struct sweep_named *named;
	size_t names;
	struct sweep_item *item; /* sources, notes, tables and claims in their order */
	size_t items;
};

/* Check before the runs: 0, or -1 with file:line:column, what was read and what was expected on
 * stderr. Each point gets the figures that it must report. Free it in both cases. */
int sweep_story_make(struct sweep_points *points, struct sweep_story *out);
void sweep_story_free(struct sweep_story *story);
/* Judge all claims after the runs: 0, or -1 if out of memory. */
int sweep_story_judge(struct sweep_story *story, const struct sweep_lines *lines);
/* Print the verdicts on stderr: all, or the unexpected ones. @return the number of unexpected
 * verdicts. */
size_t sweep_story_tell(const struct sweep_story *story, bool all);

const char *sweep_verdict_name(enum sweep_verdict verdict);
/* "ht-h 2": the values of a cell on these axes. */
void sweep_cell_name(const struct sweep_sheet *sheet, uint64_t over, size_t at, FILE *out);
/* A number with three digits or more. */
void sweep_put_number(FILE *out, double number);

#endif
