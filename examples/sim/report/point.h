/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_POINT_H
#define SIM_POINT_H
/* Which run a report is of. */
#include <stdio.h>
#include <string.h>

#include "report.h"

/* What was given, system, workload and seed always: an option's name or "PATH.FIELD", and the
 * value. What comes later overrules what was before, and is told once. */
#define SIM_IGNORED "-" /* value of an axis that means nothing in the run */
typedef void sim_point_fn(void *state, const char *name, const char *value);
void sim_point_each(const struct sim_options *options, sim_point_fn *fn, void *state);

/* The kernel file that is named, or NULL. */
const char *sim_point_path(const struct sim_options *options);
/* Of all parameters, the seed and the bytes of the files that were named. Equal points have equal
 * ones on every machine; the report's shape and --check do not count, nor does the version. */
uint64_t sim_point_hash(const struct sim_report *report);
/* FNV-1a, gone on with over a name and the bytes of a file. */
uint64_t sim_hash_file(uint64_t hash, const char *name, const char *path);

/* The command line that repeats the point, in lines of `width` characters, 0 for one line. */
#define SIM_COMMAND_INDENT 15
void sim_point_command(const struct sim_options *options, FILE *out, int width);

/* A limit that does not move is told as "concurrency". */
static inline bool sim_part_told(const struct gputm_params *params, const void *config)
{
	const struct gputm_tx_throttle_config *throttle = config;

	return params != gputm_tx_throttle_params() || throttle->policy;
}

/* A parameter that tells runs apart: swapping units changes no figure, and a seed of 0 is none. */
static inline bool sim_row_told(const struct gputm_param *row, const void *config)
{
	return strcmp(row->name, "swap_units_every") &&
	       (strcmp(row->name, "seed") || gputm_params_get(row, config));
}

/* With what a report begins: of which point of a study it is, and the version. */
void sim_report_begin(struct emit *e, const struct sim_options *options);
/* The point, and the hash of it unless that is NULL. */
void sim_report_point(struct emit *e, const struct sim_options *options, const char *hash);

#endif
