/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H
/* Control flow in gputm-sim: a kernel without a TM system, under a mechanism for branches. */
#include "gputm/access_coalescer.h"
#include "../options.h"
#include "../base/output.h"
#include "../machine/alone.h"
#include "../machine/machine.h"
#include "../machine/mechanism.h"

/* What the names and settings of the command line come to. */
struct flow_setup {
	const struct flow_mechanism *mechanism;
	struct flow_core_config core;
	const char *machine_name; /* NULL: one core, and memory at a distance */
	struct sim_machine_config machine;
	struct gputm_access_coalescer_config coalescer;
	void *mechanism_config;
};

/* As sim_setup_make() and sim_setup_part(). */
int flow_setup_make(struct gputm_ctx *ctx, const struct sim_options *options,
		    struct flow_setup *out);
void flow_setup_free(struct flow_setup *setup);
/* No unit is too small for the kernel and the core; else false, with the reason on stderr. */
bool flow_setup_fits(const struct flow_setup *setup, const struct sim_options *options,
		     const struct kernel *kernel);
bool flow_setup_part(const void *setup, size_t index, const char **path,
		     const struct gputm_params **params, void **config);

struct flow_report {
	const struct sim_options *options;
	const struct flow_setup *setup;
	const struct flow_gpu *gpu;
	const struct flow_verdict *verdict; /* NULL without --check */
	double wall_seconds;
	int ended; /* by this signal; 0: the run is done */
	struct sim_output out, issues;
};

/* As sim_report_write(). */
int flow_report_write(const struct flow_report *report);

/* The mechanisms and their parameters on stdout: those of this mechanism or path, NULL for all.
 * True if there is one. */
bool flow_list(const char *name);

/* Read the kernel, run it, report: the exit status. */
int flow_main(struct gputm_ctx *ctx, const struct sim_options *options);

#endif /* SIM_FLOW_H */
