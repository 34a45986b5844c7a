/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SETTINGS_H
#define SIM_SETTINGS_H
/* The settings of a command line, and the configs that they are for. */
#include <stdbool.h>

#include "../port/system.h"

/* What --set reaches. */
struct sim_parts {
	/* Number `index`: path, parameter table and config. False past the last. */
	bool (*at)(const void *of, size_t index, const char **path,
		   const struct gputm_params **params, void **config);
	const void *of;
	char whose[100]; /* " (for ...)", in messages */
};

/* Apply "PATH.FIELD=VALUE". 0 or -1 with the reason on stderr or in the context's log. */
int sim_setting_apply(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *setting);

/* No setting is one of these; else false, with the reason on stderr. */
bool sim_settings_used(const struct sim_given *given, const struct sim_unused *unused,
		       const void *config);

/* Let fields with one value follow those that are given. 0, or -1 as sim_setting_apply(). */
int sim_settings_tie(struct gputm_ctx *ctx, const struct sim_parts *parts,
		     const struct sim_given *given, const struct sim_tie *tie);

#endif /* SIM_SETTINGS_H */
