/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H
/* What is set of cores that run a kernel without a TM system. */
#include "setup.h"

/* Number `index` of its parts; false past the last. */
bool flow_setup_part(const struct sim_setup *setup, size_t index, const char **path,
		     const struct gputm_params **params, void **config);
/* The parts of the setup's mechanism and machine, with all settings. 0, or -1 as
 * sim_setup_make(). */
int flow_setup_make(struct gputm_ctx *ctx, const struct sim_parts *parts,
		    const struct sim_given *given, struct sim_setup *out);
/* Fields that such cores do not read. */
const struct sim_unused *flow_unused(const struct sim_setup *setup);
/* No unit is too small for the kernel and the core; else false, with the reason on stderr. */
bool flow_setup_fits(const struct sim_setup *setup, const struct sim_given *given,
		     const struct sim_workload *workload);

/* The mechanisms and their parameters on stdout: those of this mechanism or path, NULL for all.
 * True if there is one. */
bool flow_list(const char *name);

#endif /* SIM_FLOW_H */
