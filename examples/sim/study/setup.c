/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "setup.h"

#include "kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/arena.h"
#include "../base/names.h"
#include "../base/output.h"

/* Does the system limit the warps of a core in transactions? */
static bool limits(const struct sim_system_class *system)
{
	return sim_class_of(system)->tm_gpu && system->flavour != SIM_LOCKS;
}

bool sim_setup_part(const void *of, size_t index, const char **path,
		    const struct gputm_params **params, void **config)
{
	const struct sim_setup *setup = of;

	if (setup->machine_name && !setup->on->name && index-- == 0) {
		*path = "machine";
		*params = &sim_machine_params;
		*config = (void *)(uintptr_t)&setup->machine;
		return true;
	}
	if (setup->workload_config && index-- == 0) {
		*path = "workload";
		*params = setup->workload->params;
		*config = setup->workload_config;
		return true;
	}
	if (limits(setup->system) && index == setup->system->role_count) {
		*path = "tx_throttle";
		*params = gputm_tx_throttle_params();
		*config = (void *)(uintptr_t)&setup->throttle;
		return true;
	}
	return sim_role_part(setup->system->role, setup->system->role_count, setup->system_config,
			     index, path, params, config);
}

const char *sim_system_name(const void *unused, size_t index)
{
	(void)unused;
	return sim_system_classes[index] ? sim_system_classes[index]->name : NULL;
}

const char *sim_workload_name(const void *unused, size_t index)
{
	size_t own = 0;
	const struct sim_workload_class *kernel;

	(void)unused;
	for (; sim_workload_classes[own]; own++)
		if (own == index)
			return sim_workload_classes[own]->name;
	kernel = sim_kernel_at(index - own);
	return kernel ? kernel->name : NULL;
}

const char *sim_machine_name(const void *unused, size_t index)
{
	(void)unused;
	return index < SIM_MACHINES ? sim_machine_kinds[index].name : NULL;
}

static const struct sim_system_class *find_system(const char *name)
{
	for (size_t i = 0; sim_system_classes[i]; i++)
		if (!strcmp(sim_system_classes[i]->name, name))
			return sim_system_classes[i];
	sim_name_unknown("system", name, sim_system_name, NULL, "");
	return NULL;
}

/* Kernels read so far, shared by all points of a study; they live until the program ends. */
static struct known {
	struct known *next;
	struct sim_workload_class *class;
	bool file;
	char name[];
} *known;

/* As sim_kernel_named(), or sim_kernel_file(). */
static int find_kernel(const char *name, bool file, struct sim_workload_class **out,
		       char message[300])
{
	struct known *k = known;
	int error;

	while (k && (k->file != file || strcmp(k->name, name)))
		k = k->next;
	if (!k) {
		error = (file ? sim_kernel_file : sim_kernel_named)(name, out, message, 300);
		if (error)
			return error;
		k = sim_malloc(sizeof *k + strlen(name) + 1);
		if (!k) /* the file has changed: read it again */
			return 0;
		*k = (struct known){ known, *out, file };
		strcpy(k->name, name);
		known = k;
	}
	*out = k->class;
	return 0;
}

static const struct sim_workload_class *find_workload(const struct sim_options *options,
						      struct sim_setup *out)
{
	const char *name = options->trace	 ? "trace" :
			   options->kernel ? options->kernel : options->workload;
	char message[300], file[128];
	int error;

	for (size_t i = 0; !options->kernel && sim_workload_classes[i]; i++)
		if (!strcmp(sim_workload_classes[i]->name, name))
			return sim_workload_classes[i];
	error = find_kernel(name, options->kernel != NULL, &out->kernel, message);
	if (error < 0)
		fprintf(stderr, "gputm-sim: %s\n", message);
	snprintf(file, sizeof file, "%.100s.kernel", name);
	if (error > 0)
		sim_name_unknown("workload", name, sim_workload_name, NULL,
				 access(file, R_OK)
					 ? " (a file of your own has a name with .kernel)"
					 : ", or the file here with .kernel after its name");
	return error ? NULL : out->kernel;
}

bool sim_setup_known(const struct sim_options *options)
{
	struct sim_setup setup;

	return (!options->system_given || find_system(options->system)) &&
	       (!(options->workload_given || options->kernel) || find_workload(options, &setup));
}

bool sim_setup_apart(const struct sim_setup *setup, const struct sim_options *o,
		     const struct kernel *kernel)
{
	const char *option = o->kernel ? "kernel" : "workload";
	bool apart = sim_input_apart("the file of", "keys", o->keys) &&
		     sim_input_apart("the file of", "edges", o->edges) &&
		     sim_input_apart("the file of", "trace", o->trace) &&
		     (!kernel || sim_input_apart("the file of", option,
						 sim_kernel_class_file(setup->kernel)));

	for (const struct kernel_file *file = kernel ? kernel->beside : NULL; apart && file;
	     file = file->next)
		apart = sim_input_apart("read by", option, file->path);
	return apart;
}

bool sim_setup_reads(const struct sim_setup *setup, const struct sim_options *o)
{
	char message[300];
	struct kernel kernel;
	bool apart;

	if (!setup->kernel)
		return sim_setup_apart(setup, o, NULL);
	if (sim_kernel_class_read(setup->kernel, &kernel, message, sizeof message))
		return sim_complain(false, message);
	apart = sim_setup_apart(setup, o, &kernel);
	kernel_free(&kernel);
	return apart;
}

static const char *only_name(const void *name, size_t index)
{
	return index ? NULL : name;
}

static int find_machine(const struct sim_options *options, struct sim_setup *out)
{
	const char *own = out->on->name; /* NULL: it runs on several machines */
	const struct gputm_params *params = own ? NULL : sim_machine_named(options->machine);
	bool alone = sim_setup_alone(out);
	char whose[80] = "";

	if (alone && !options->machine_given)
		return 0;
	out->machine_name = own ? own : options->machine;
	if (params)
		gputm_params_init(params, &out->machine, sizeof out->machine);
	if (options->concurrency_given && !limits(out->system)) {
		fprintf(stderr, "gputm-sim: --concurrency: system %s has no limit, expected no "
				"--concurrency\n", out->system->name);
		return -1;
	}
	if (own ? !options->machine_given || !strcmp(options->machine, own) : params != NULL)
		return 0;
	if (!alone)
		snprintf(whose, sizeof whose, " (for system %s)", out->system->name);
	sim_name_unknown("machine", options->machine, own ? only_name : sim_machine_name, own,
			 whose);
	return -1;
}

/* The mechanism, which is the system if there is none. Most TM systems know warps with a SIMT stack
 * each. */
static int find_mechanism(const char *name, struct sim_setup *out)
{
	out->mechanism = flow_mechanism_named(name ? name : "pdom");
	if (!out->mechanism)
		return -1;
	if (!out->system)
		out->system = &out->mechanism->class;
	out->on = sim_class_of(out->system);
	if (sim_setup_alone(out) || out->mechanism == &flow_pdom ||
	    (out->mechanism == &flow_pdom_lcp && out->on->tm_gpu) ||
	    (out->system->compacts && out->mechanism->compacts))
		return 0;
	fprintf(stderr, "gputm-sim: --divergence: got \"%s\", expected %s: there is no hardware "
			"for system %s with other warps\n", name,
		!out->on->tm_gpu ? "pdom" :
		out->system->compacts ? "pdom, pdom-lcp, tbc or tbc-lcp" : "pdom or pdom-lcp",
		out->system->name);
	return -1;
}

static const struct sim_unused of_throttle[] = {
	{ "tx_throttle.warps", "expected machine.warps", NULL },
	{ "tx_throttle.limit", "expected --concurrency", NULL },
	{ NULL, NULL, NULL },
};

/* What cores without a TM system do not read, and their ties, are those with a machine. */
static const struct sim_unused *unused(const struct sim_setup *setup)
{
	return setup->machine_name ? setup->system->unused : NULL;
}

/* Fields that are tied to one another, and fields that are not used. */
static int settle(struct gputm_ctx *ctx, const struct sim_parts *parts,
		  const struct sim_given *given)
{
	const struct sim_setup *setup = parts->of;
	const struct sim_system_class *system = setup->system;
	char error[200];

	if (!sim_settings_used(given, of_throttle, NULL) ||
	    !sim_settings_used(given, unused(setup), setup->system_config) ||
	    sim_settings_tie(ctx, parts, given, setup->machine_name ? system->tie : NULL))
		return -1;
	if (!system->settle ||
	    system->settle(setup->system_config, given, error, sizeof error))
		return 0;
	fprintf(stderr, "gputm-sim: %s\n", error);
	return -1;
}

/* Set all configs to their defaults, except the machine's. */
static int make_configs(struct sim_setup *setup)
{
	gputm_params_init(gputm_tx_throttle_params(), &setup->throttle, sizeof setup->throttle);
	setup->system_config = sim_calloc(1, setup->system->config_size + 1);
	if (setup->workload->params)
		setup->workload_config = sim_calloc(1, setup->workload->params->config_size);
	if (!setup->system_config || (setup->workload->params && !setup->workload_config)) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		return -1;
	}
	if (setup->workload_config)
		gputm_params_init(setup->workload->params, setup->workload_config,
				  setup->workload->params->config_size);
	return 0;
}

/* The places where a part may be. */
static void name_parts(struct sim_parts *parts, const struct sim_setup *setup)
{
	parts->system = setup->system;
	parts->variant = setup->kernel && sim_kernel_class_fixes(setup->kernel);
	if (sim_setup_alone(setup))
		snprintf(parts->whose, sizeof parts->whose, " (for mechanism %s%s)",
			 setup->system->name,
			 setup->machine_name ? "" : "; machine with --machine");
	else
		snprintf(parts->whose, sizeof parts->whose, " (for system %s, workload %s)",
			 setup->system->name, setup->workload->name);
}

/* The machine's settings come first. */
static int set_system(struct gputm_ctx *ctx, const struct sim_parts *parts,
		      const struct sim_given *given, struct sim_setup *out)
{
	struct sim_shape shape;

	if (!out->on->tm_gpu)
		out->system->init(out->system_config, NULL);
	if (sim_settings_apply(ctx, parts, given, "machine.", true))
		return -1;
	out->throttle.warps = out->machine.warps;
	shape = sim_machine_shape(&out->machine);
	if (out->system->init && out->on->tm_gpu)
		out->system->init(out->system_config, &shape);
	if (sim_settings_apply(ctx, parts, given, "machine.", false))
		return -1;
	return settle(ctx, parts, given);
}

int sim_setup_make(struct gputm_ctx *ctx, const struct sim_options *options,
		   struct sim_setup *out)
{
	const struct sim_given given = { options->set, options->set_count };
	struct sim_parts parts = { .at = sim_setup_part, .of = out };
	bool system = !options->kernel || options->system_given;

	memset(out, 0, sizeof(*out));
	out->system = system ? find_system(options->system) : NULL;
	if ((system && !out->system) || find_mechanism(options->divergence, out))
		return -1;
	out->workload = find_workload(options, out);
	if (!out->workload || find_machine(options, out) || make_configs(out))
		return -1;
	out->throttle.limit = (uint32_t)options->concurrency;
	name_parts(&parts, out);
	return set_system(ctx, &parts, &given, out);
}

bool sim_setup_takes(const struct sim_setup *setup, const char *name)
{
	const struct sim_parts parts = { .at = sim_setup_part, .of = setup };

	if (!strcmp(name, "concurrency"))
		return limits(setup->system);
	if (!strcmp(name, "threads"))
		return !setup->workload->fixed_threads;
	return !strchr(name, '.') || sim_setting_known(&parts, unused(setup), name);
}

void sim_setup_free(struct sim_setup *setup)
{
	sim_free(setup->system_config);
	sim_free(setup->workload_config);
	memset(setup, 0, sizeof(*setup));
}
