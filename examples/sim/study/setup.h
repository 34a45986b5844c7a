/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SETUP_H
#define SIM_SETUP_H
/* From names and --set to the configs of machine, system and workload. */
#include "gputm/access_coalescer.h"
#include "gputm/tx_throttle.h"
#include "../machine/machine.h"
#include "../machine/mechanism.h"
#include "options.h"
#include "settings.h"

struct sim_setup {
	const char *machine_name;	   /* NULL: one core, and memory at a distance */
	struct sim_machine_config machine; /* of a GPU; without a name of one all is 0 */
	const struct sim_system_class *system; /* without a TM system the mechanism's class */
	const struct sim_run_class *on;	       /* what the system runs on */
	void *system_config;
	struct gputm_tx_throttle_config throttle; /* of systems with transactions on the GPU */
	const struct sim_workload_class *workload;
	struct sim_workload_class *kernel; /* the workload, if that is a kernel; else NULL */
	void *workload_config; /* NULL if the workload has no options */
	const struct flow_mechanism *mechanism;
};

/* Does a kernel run without a TM system? */
static inline bool sim_setup_alone(const struct sim_setup *setup)
{
	return setup->system->flavour == SIM_ALONE;
}

/*
 * The machine, system and workload of these names, with the settings applied in order.
 * 0 or -1 with the reason on stderr (values that a parameter table refuses are told to
 * the context's log). Free it in both cases.
 */
int sim_setup_make(struct gputm_ctx *ctx, const struct sim_options *options,
		   struct sim_setup *out);
void sim_setup_free(struct sim_setup *setup);

/* Are there a system and a workload of these names, as far as given? Else false, with the reason on
 * stderr. */
bool sim_setup_known(const struct sim_options *options);

/* Does an option, or a setting "PATH.FIELD", of this name have an effect in such a run? */
bool sim_setup_takes(const struct sim_setup *setup, const char *name);

/* Are no input files of the workload, which is this kernel (NULL: none), also output files? Else
 * false, with the reason on stderr. */
bool sim_setup_apart(const struct sim_setup *setup, const struct sim_options *options,
		     const struct kernel *kernel);
/* The same before a workload is made; also checks that its kernel can be read with its defaults. */
bool sim_setup_reads(const struct sim_setup *setup, const struct sim_options *options);

/* No unit is too small for the machine or the workload, nor are sizes given that follow from these;
 * else false, with the reason on stderr. */
bool sim_setup_fits(const struct sim_setup *setup, const struct sim_given *given,
		    const struct sim_workload *workload);

/* Part number `index` that --set reaches: path, parameter table and config. False past the last. */
bool sim_setup_part(const void *setup, size_t index, const char **path,
		    const struct gputm_params **params, void **config);

/* Names of all systems, workloads and machines. */
const char *sim_system_name(const void *unused, size_t index);
const char *sim_workload_name(const void *unused, size_t index);
const char *sim_machine_name(const void *unused, size_t index);

#endif /* SIM_SETUP_H */
