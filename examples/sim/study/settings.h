/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SETTINGS_H
#define SIM_SETTINGS_H
/* The settings of a command line, applied to the configs of the parts. */
#include <stdbool.h>

#include "../port/system.h"

/* A part whose fields --set reaches. */
struct sim_parts {
	/* Number `index`: path, parameter table and config. False past the last. */
	bool (*at)(const void *of, size_t index, const char **path,
		   const struct gputm_params **params, void **config);
	const void *of;
	const struct sim_system_class *system; /* NULL: none */
	char whose[100]; /* " (for ...)", in messages */
	bool variant;	 /* of the workload: it fixes params */
};

/* Apply "PATH.FIELD=VALUE". 0, or -1 with the reason on stderr or in the context's log. */
int sim_setting_apply(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *setting);

/* Apply, in order, all settings whose path begins like this, or all others. */
int sim_settings_apply(struct gputm_ctx *ctx, const struct sim_parts *parts,
		       const struct sim_given *given, const char *start, bool so);

/* Part number `index` of the units that are configured together. */
bool sim_role_part(const struct sim_role *role, size_t roles, void *config, size_t index,
		   const char **path, const struct gputm_params **params, void **part);

/* Does "PATH.FIELD" name a field that is read, with any config? */
bool sim_setting_known(const struct sim_parts *parts, const struct sim_unused *unused,
		       const char *name);

/* Set the field to a value, if that is in its range: 0, or -1 with the reason in the context's log.
 * A name without such a field: 0. */
int sim_setting_try(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *name,
		    const char *value);

/* Is none of the settings among these ignored fields? Else false, with the reason on stderr. */
bool sim_settings_used(const struct sim_given *given, const struct sim_unused *unused,
		       const void *config);

/* Give tied fields the value of the field that was set. 0, or -1 as sim_setting_apply(). */
int sim_settings_tie(struct gputm_ctx *ctx, const struct sim_parts *parts,
		     const struct sim_given *given, const struct sim_tie *tie);

/* A least value for all units with a field of this name, and the reason. */
struct sim_need {
	const char *field;
	uint64_t least;
	const char *reason;
};

/* Is the unit large enough? Else false, with field, value and range on stderr. */
bool sim_meets(const char *path, const struct gputm_params *params, const void *config,
	       const struct sim_need *need);

/* Bits needed for a number. */
static inline unsigned sim_bits_of(uint64_t value)
{
	unsigned bits = 0;

	for (; value; value >>= 1)
		bits++;
	return bits;
}

/* Print the rows of a parameter table with the values in config, on stdout, but for those that a
 * system never reads. */
void sim_list_rows(const char *path, const struct gputm_params *params, const void *config,
		   const struct sim_unused *unused);

#endif /* SIM_SETTINGS_H */
