/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_EMIT_H
#define SIM_REPORT_EMIT_H
/*
 * One sequence of calls, two shapes: JSON as nested objects, or CSV as a header
 * line of flattened keys ("traffic.log.packets") and one row. Keys are given in
 * every call; inside an array the key only names the column.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum emit_shape { EMIT_JSON, EMIT_CSV };

#define EMIT_DEPTH 8
#define EMIT_PATH 256

struct emit {
	enum emit_shape shape;
	FILE *out;	/* JSON: the document; CSV: the header line */
	FILE *row;	/* CSV */
	char *row_text; /* of row */
	size_t row_size;
	unsigned depth;
	bool array[EMIT_DEPTH];	 /* is this level an array? */
	bool filled[EMIT_DEPTH]; /* has it an element? */
	char path[EMIT_PATH];	 /* CSV: keys so far, with their dots */
	size_t path_end[EMIT_DEPTH];
};

/* 0 or -ENOMEM. */
int emit_begin(struct emit *e, enum emit_shape shape, FILE *out);
/* Closes the document; 0 or -ENOMEM. Errors of out are the caller's to find. */
int emit_finish(struct emit *e);

void emit_object(struct emit *e, const char *key);
void emit_array(struct emit *e, const char *key);
void emit_end(struct emit *e); /* of an object or array */

void emit_u64(struct emit *e, const char *key, uint64_t value);
void emit_real(struct emit *e, const char *key, double value);
void emit_bool(struct emit *e, const char *key, bool value);
void emit_text(struct emit *e, const char *key, const char *value); /* NULL gives null */

#endif /* SIM_REPORT_EMIT_H */
