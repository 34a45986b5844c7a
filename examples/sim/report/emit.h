/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_EMIT_H
#define SIM_REPORT_EMIT_H
/*
 * One sequence of calls writes a report in one of several formats: nested objects of JSON, or one
 * figure after the other, each named by its path. A path is the keys joined by dots
 * ("traffic.log.packets"), or the role of a unit and the name of the statistic
 * ("commit_unit.hazards").
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum emit_shape {
	EMIT_TEXT,  /* path and value */
	EMIT_JSON,
	EMIT_JSONL, /* an object of paths and values, on one line */
	EMIT_CSV,   /* run, role, instance, statistic, value */
	EMIT_GEM5,  /* like gem5's stats.txt: numbers with descriptions */
	EMIT_NAMES, /* the name of each figure for --only, ended by NUL */
};

#define EMIT_DEPTH 8
#define EMIT_PATH 256
#define EMIT_KEY 64
#define EMIT_EACH UINT32_MAX /* instance of a unit that stands for all units of its role */

struct emit_level {
	bool array, filled; /* is there an element already? */
	char key[EMIT_KEY];
	size_t path_end;
	const char *unit; /* NULL: not in a unit */
	uint64_t units;	  /* all units of the role; else number of the unit */
};

struct emit {
	enum emit_shape shape;
	FILE *out;
	const char *only; /* patterns of paths with commas between; NULL: every figure */
	const char *run;  /* first column of CSV */
	const char *note; /* description of the next figure, or NULL */
	bool always;	  /* the next figures are wanted, whatever `only` has */
	uint64_t matched; /* a bit for each pattern that has matched a figure */
	unsigned depth, open; /* levels, and levels whose begin is written */
	struct emit_level level[EMIT_DEPTH];
	char path[EMIT_PATH];
	size_t role_end;   /* end of the role's name in path */
	uint32_t instance; /* of the unit, or EMIT_EACH */
};

void emit_begin(struct emit *e, enum emit_shape shape, FILE *out);
/* End the document. The caller checks out for errors. */
void emit_finish(struct emit *e);
/* Are there objects within objects? Then each level shows its key. */
static inline bool emit_nested(const struct emit *e)
{
	return e->shape == EMIT_JSON;
}

void emit_object(struct emit *e, const char *key);
void emit_array(struct emit *e, const char *key);
/* The same, with a key that is not part of the path. */
void emit_hidden(struct emit *e, const char *key, bool array);
/* A unit in an array: number `instance` of its role, or, with EMIT_EACH, the sum of all `units`. */
void emit_unit(struct emit *e, const char *kind, const char *role, uint32_t instance,
	       uint64_t units);
void emit_end(struct emit *e); /* of any of these */

void emit_u64(struct emit *e, const char *key, uint64_t value);
void emit_real(struct emit *e, const char *key, double value);
void emit_bool(struct emit *e, const char *key, bool value);
void emit_text(struct emit *e, const char *key, const char *value); /* NULL writes null */

/* A value as JSON has it, which may be quoted. */
void emit_value(struct emit *e, const char *key, const char *text, bool quoted);

/* False: no figure of a unit of this role, or of this top-level object, is wanted. */
bool emit_wants(const struct emit *e, const char *key);

#endif /* SIM_REPORT_EMIT_H */
