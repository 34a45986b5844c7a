/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H
/* The settings of cores that run a kernel without a TM system. */
#include "setup.h"

/* Number `index` of its parts; false past the last. */
bool flow_setup_part(const struct sim_setup *setup, size_t index, const char **path,
		     const struct gputm_params **params, void **config);
/* Fill in the parts of the setup's mechanism and machine, and apply all settings. 0, or -1 as
 * sim_setup_make(). */
int flow_setup_make(struct gputm_ctx *ctx, const struct sim_parts *parts,
		    const struct sim_given *given, struct sim_setup *out);
/* Fields that these cores ignore. */
const struct sim_unused *flow_unused(const struct sim_setup *setup);
/* Is each unit large enough for the kernel and the core? Else false, with the reason on stderr. */
bool flow_setup_fits(const struct sim_setup *setup, const struct sim_given *given,
		     const struct sim_workload *workload);

/* Print the mechanisms and their parameters on stdout: those of this mechanism or path, NULL for
 * all. True if there is one. */
bool flow_list(const char *name);

#endif /* SIM_FLOW_H */
