/* SPDX-License-Identifier: BSD-2-Clause */
#include "setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_setup_part(const struct sim_setup *setup, size_t index, const char **path,
		    const struct gputm_params **params, void **config)
{
	if (!setup->system->own && index-- == 0) {
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
	if (index >= setup->system->role_count)
		return false;
	*path = setup->system->role[index].role;
	*params = setup->system->role[index].params();
	*config = (char *)setup->system_config + setup->system->role[index].offset;
	return true;
}

static void say_names(const char *what, const char *got)
{
	fprintf(stderr, "gputm-sim: --%s: got \"%s\", expected one of:", what, got);
}

static const struct sim_system_class *find_system(const char *name)
{
	size_t i;

	for (i = 0; sim_system_classes[i]; i++)
		if (!strcmp(sim_system_classes[i]->name, name))
			return sim_system_classes[i];
	say_names("system", name);
	for (i = 0; sim_system_classes[i]; i++)
		fprintf(stderr, " %s", sim_system_classes[i]->name);
	fputc('\n', stderr);
	return NULL;
}

static const struct sim_workload_class *find_workload(const char *name)
{
	size_t i;

	for (i = 0; sim_workload_classes[i]; i++)
		if (!strcmp(sim_workload_classes[i]->name, name))
			return sim_workload_classes[i];
	say_names("workload", name);
	for (i = 0; sim_workload_classes[i]; i++)
		fprintf(stderr, " %s", sim_workload_classes[i]->name);
	fputc('\n', stderr);
	return NULL;
}

static int find_own_machine(const struct sim_options *options, struct sim_setup *out)
{
	out->machine_name = out->system->own->name;
	if (options->concurrency_given) {
		fprintf(stderr, "gputm-sim: --concurrency: system %s has no limit, expected no "
				"--concurrency\n", out->system->name);
		return -1;
	}
	if (!options->machine_given || !strcmp(options->machine, out->machine_name))
		return 0;
	say_names("machine", options->machine);
	fprintf(stderr, " %s (for system %s)\n", out->machine_name, out->system->name);
	return -1;
}

static int find_machine(const struct sim_options *options, struct sim_setup *out)
{
	size_t i;

	if (out->system->own)
		return find_own_machine(options, out);
	out->machine_name = options->machine;
	gputm_params_init(&sim_machine_params, &out->machine, sizeof out->machine);
	if (!gputm_params_preset(NULL, &sim_machine_params, options->machine, &out->machine))
		return 0;
	say_names("machine", options->machine);
	for (i = 0; i < sim_machine_params.preset_count; i++)
		fprintf(stderr, " %s", sim_machine_params.preset[i].name);
	fprintf(stderr, " (for system %s)\n", out->system->name);
	return -1;
}

int sim_setting_split(const char *setting, char *path, size_t size, const char **field,
		      const char **value)
{
	const char *equals = strchr(setting, '='), *dot = equals;
	size_t length = (size_t)(equals - setting);

	while (*dot != '.')
		dot--;
	if (length >= size) {
		fprintf(stderr, "gputm-sim: --set: \"%.40s...\" names nothing that can be set\n",
			setting);
		return -1;
	}
	memcpy(path, setting, length);
	path[length] = '\0';
	path[dot - setting] = '\0';
	*field = path + (dot - setting) + 1;
	*value = equals + 1;
	return 0;
}

static int no_such_path(const struct sim_setup *setup, const char *got)
{
	const struct gputm_params *params;
	const char *path;
	void *config;

	say_names("set", got);
	for (size_t i = 0; sim_setup_part(setup, i, &path, &params, &config); i++)
		fprintf(stderr, " %s", path);
	fprintf(stderr, " (for system %s, workload %s)\n", setup->system->name,
		setup->workload->name);
	return -1;
}

/* Apply one setting if it is for the machine (or, else, for all but the machine). */
static int apply(struct gputm_ctx *ctx, const struct sim_setup *setup, const char *setting,
		 bool machine)
{
	const struct gputm_params *params;
	const char *path, *field, *value;
	char wanted[128];
	void *config;

	if (sim_setting_split(setting, wanted, sizeof(wanted), &field, &value))
		return -1;
	if (!strcmp(wanted, "machine") != machine)
		return 0;
	for (size_t i = 0; sim_setup_part(setup, i, &path, &params, &config); i++)
		if (!strcmp(path, wanted))
			return gputm_params_set(ctx, params, config, field, value) ? -1 : 0;
	return no_such_path(setup, wanted);
}

static int apply_all(struct gputm_ctx *ctx, const struct sim_setup *setup,
		     const struct sim_options *options, bool machine)
{
	int error = 0;

	for (size_t i = 0; !error && i < options->set_count; i++)
		error = apply(ctx, setup, options->set[i], machine);
	return error;
}

/* Configs with their defaults, but for the machine's. */
static int make_configs(struct sim_setup *setup)
{
	setup->system_config = calloc(1, setup->system->config_size + 1);
	if (setup->workload->params)
		setup->workload_config = calloc(1, setup->workload->params->config_size);
	if (!setup->system_config || (setup->workload->params && !setup->workload_config)) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		return -1;
	}
	if (setup->workload_config)
		gputm_params_init(setup->workload->params, setup->workload_config,
				  setup->workload->params->config_size);
	return 0;
}

int sim_setup_make(struct gputm_ctx *ctx, const struct sim_options *options,
		   struct sim_setup *out)
{
	struct sim_shape shape;

	memset(out, 0, sizeof(*out));
	out->system = find_system(options->system);
	out->workload = find_workload(options->trace ? "trace" : options->workload);
	if (!out->system || !out->workload || find_machine(options, out) || make_configs(out))
		return -1;
	if (out->system->own)
		out->system->init(out->system_config, NULL);
	if (apply_all(ctx, out, options, true))
		return -1;
	shape = sim_machine_shape(&out->machine);
	if (out->system->init && !out->system->own)
		out->system->init(out->system_config, &shape);
	return apply_all(ctx, out, options, false);
}

/* ---- units that are too small for the machine or the workload ---- */

bool sim_meets(const char *path, const struct gputm_params *params, const void *config,
	       const struct sim_need *need)
{
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t value = gputm_params_get(row, config);

		if (strcmp(row->name, need->field) || value >= need->least)
			continue;
		fprintf(stderr, "gputm-sim: %s: %s = %" PRIu64 " is outside %" PRIu64 " .. %" PRIu64
			", as %s\n", path, row->name, value, need->least, row->max, need->reason);
		return false;
	}
	return true;
}

bool sim_setup_fits(const struct sim_setup *setup, const struct sim_workload *workload)
{
	const struct sim_machine_config *machine = &setup->machine;
	uint32_t last = workload->regions - 1;
	uint64_t end = workload->regions ? workload->region[last].start +
					   workload->region[last].length : 1;
	const struct sim_need needs[] = {
		{ "lanes", machine->lanes, "a warp of the machine has more lanes" },
		{ "warps", machine->warps, "a core of the machine has more warps" },
		{ "warp_bits", sim_bits_of(machine->cores * machine->warps - 1),
		  "the machine has more warps" },
		{ "credits", machine->lanes, "a warp takes one for each of its lanes at once" },
		{ "address_bits", sim_bits_of(end - 1), "the workload has higher addresses" },
	};
	const struct gputm_params *params;
	const char *path;
	void *config;

	for (size_t i = 0; !setup->system->own && sim_setup_part(setup, i, &path, &params, &config);
	     i++)
		for (size_t k = 0; k < sizeof needs / sizeof *needs && strcmp(path, "machine") &&
				   strcmp(path, "workload"); k++)
			if (!sim_meets(path, params, config, &needs[k]))
				return false;
	return true;
}

void sim_setup_free(struct sim_setup *setup)
{
	free(setup->system_config);
	free(setup->workload_config);
	memset(setup, 0, sizeof(*setup));
}

/* ---- what can be set, told ---- */

static void list_value(const struct gputm_param *row, uint64_t value)
{
	if (row->choices && value >= row->min && value <= row->max)
		printf("%s", row->choices[value - row->min]);
	else
		printf("%llu", (unsigned long long)value);
}

static void list_row(const char *path, const struct gputm_param *row, const void *config)
{
	printf("    %s.%s = ", path, row->name);
	list_value(row, gputm_params_get(row, config));
	printf("  [");
	list_value(row, row->min);
	for (uint64_t i = row->min + 1; row->choices && i < row->max; i++)
		printf(", %s", row->choices[i - row->min]);
	printf(row->choices ? ", " : " .. ");
	list_value(row, row->max);
	printf("%s]\n        %s%s%s%s\n", row->power_of_two ? ", a power of two" : "", row->summary,
	       *row->source ? " (" : "", row->source, *row->source ? ")" : "");
}

void sim_list_rows(const char *path, const struct gputm_params *params, const void *config)
{
	for (size_t i = 0; i < params->param_count; i++)
		list_row(path, &params->param[i], config);
}
