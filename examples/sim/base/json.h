/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_JSON_H
#define SIM_JSON_H
/* Reads JSON of the form that report/emit.c writes. */
#include <stdbool.h>

#define SIM_JSON_PATH 256
#define SIM_JSON_VALUE 8192 /* longer ones are cut */

/* A value that is neither an object nor an array: its path (keys and indices, joined by dots), its
 * text, and whether the text was in quotes. */
typedef void sim_json_fn(void *state, const char *path, const char *value, bool quoted);

/* Call fn for each value of the object that begins at text. Returns the end of the object, or NULL
 * if the text is not an object. */
const char *sim_json_each(const char *text, sim_json_fn *fn, void *state);

#endif
