/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_JSON_H
#define SIM_JSON_H
/* JSON, read as report/emit.c writes it. */
#include <stdbool.h>

#define SIM_JSON_PATH 256
#define SIM_JSON_VALUE 1024 /* longer ones are cut */

/* A value that is neither object nor array: its path, keys and places with dots between; its text,
 * and whether that stood in quotes. */
typedef void sim_json_fn(void *state, const char *path, const char *value, bool quoted);

/* Tell of all values of the object that begins at text; the end of it, or NULL: it is none. */
const char *sim_json_each(const char *text, sim_json_fn *fn, void *state);

#endif
