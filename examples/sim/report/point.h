/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_POINT_H
#define SIM_POINT_H
/* Identifies the run that a report is of. */
#include <stdio.h>
#include <string.h>

#include "report.h"

/* The options that the user gave; system, workload and seed are always included. Each is the name
 * of an option or "PATH.FIELD", with its value. A setting that a later one overrides is left
 * out. */
typedef void sim_point_fn(void *state, const char *name, const char *value);
void sim_point_each(const struct sim_options *options, sim_point_fn *fn, void *state);

/* The name of a file for the report: as a study spells it, so that its results are equal in each
 * folder; else as it was given. */
const char *sim_point_spelt(const struct sim_options *options, const char *option,
			    const char *name);
/* The kernel file of the run, or NULL. */
const char *sim_point_path(const struct sim_options *options);
/* Hash of all parameters, the seed and the bytes of the input files. It is the same on every host.
 * The format of the report, --check and the version do not count. */
uint64_t sim_point_hash(const struct sim_report *report);
/* FNV-1a, continued over a name and the bytes of a file. */
uint64_t sim_hash_file(uint64_t hash, const char *name, const char *path);

/* The command line that repeats the run, in lines of `width` characters; 0 for one line. */
#define SIM_COMMAND_INDENT 15
void sim_point_command(const struct sim_options *options, FILE *out, int width);

/* A limit that does not move is written as "concurrency". */
static inline bool sim_part_told(const struct gputm_params *params, const void *config)
{
	const struct gputm_tx_throttle_config *throttle = config;

	return params != gputm_tx_throttle_params() || throttle->policy;
}

/* Does the parameter distinguish runs? Swapping units changes no figure, and a seed of 0 means
 * none. */
static inline bool sim_row_told(const struct gputm_param *row, const void *config)
{
	return strcmp(row->name, "swap_units_every") &&
	       (strcmp(row->name, "seed") || gputm_params_get(row, config));
}

/* A sum of the sources that can change a figure: those of the library and of the runner, without
 * those that only look at runs or at results. */
const char *sim_model(void);

/* The begin of a report: the point within a study, and the version. */
void sim_report_begin(struct emit *e, const struct sim_options *options);
/* A value of the point: a number, or words; NULL writes null. */
void sim_point_value(struct emit *e, const char *name, const char *value);
/* The point, and its hash unless that is NULL. */
void sim_report_point(struct emit *e, const struct sim_options *options, const char *hash);

#endif
