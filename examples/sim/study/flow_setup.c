/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "flow.h"

bool flow_setup_part(const struct flow_setup *setup, size_t index, const char **path,
		     const struct gputm_params **params, void **config)
{
	const struct flow_mechanism *mechanism = setup->mechanism;

	if (index == 0) {
		*path = "core";
		*params = &flow_core_params;
		*config = (void *)(uintptr_t)&setup->core;
		return true;
	}
	if (index == 1) {
		*path = "coalescer";
		*params = gputm_access_coalescer_params();
		*config = (void *)(uintptr_t)&setup->coalescer;
		return true;
	}
	index -= 2;
	if (index >= mechanism->role_count)
		return false;
	*path = mechanism->role[index].role;
	*params = mechanism->role[index].params();
	*config = (char *)setup->mechanism_config + mechanism->role[index].offset;
	return true;
}

static const struct flow_mechanism *find_mechanism(const char *name)
{
	size_t i;

	for (i = 0; flow_mechanisms[i]; i++)
		if (!strcmp(flow_mechanisms[i]->name, name))
			return flow_mechanisms[i];
	fprintf(stderr, "gputm-sim: --divergence: got \"%s\", expected one of:", name);
	for (i = 0; flow_mechanisms[i]; i++)
		fprintf(stderr, " %s", flow_mechanisms[i]->name);
	fputc('\n', stderr);
	return NULL;
}

static int no_such_path(const struct flow_setup *setup, const char *got)
{
	const struct gputm_params *params;
	const char *path;
	void *config;

	fprintf(stderr, "gputm-sim: --set: got \"%s\", expected one of:", got);
	for (size_t i = 0; flow_setup_part(setup, i, &path, &params, &config); i++)
		fprintf(stderr, " %s", path);
	fprintf(stderr, " (for mechanism %s)\n", setup->mechanism->name);
	return -1;
}

static int apply(struct gputm_ctx *ctx, const struct flow_setup *setup, const char *setting)
{
	const struct gputm_params *params;
	const char *path, *field, *value;
	char wanted[128];
	void *config;

	if (sim_setting_split(setting, wanted, sizeof(wanted), &field, &value))
		return -1;
	for (size_t i = 0; flow_setup_part(setup, i, &path, &params, &config); i++)
		if (!strcmp(path, wanted))
			return gputm_params_set(ctx, params, config, field, value) ? -1 : 0;
	return no_such_path(setup, wanted);
}

static bool set_defaults(struct flow_setup *setup)
{
	struct gputm_access_coalescer_config coalescer = GPUTM_ACCESS_COALESCER_CONFIG_INIT;

	gputm_params_init(&flow_core_params, &setup->core, sizeof setup->core);
	setup->coalescer = coalescer;
	if (gputm_access_coalescer_config_preset(&setup->coalescer, "load-store"))
		return false;
	setup->mechanism_config = calloc(1, setup->mechanism->config_size);
	if (!setup->mechanism_config)
		return false;
	setup->mechanism->init(setup->mechanism_config);
	return true;
}

int flow_setup_make(struct gputm_ctx *ctx, const struct sim_options *options,
		    struct flow_setup *out)
{
	int error = 0;

	memset(out, 0, sizeof(*out));
	out->mechanism = find_mechanism(options->divergence ? options->divergence : "pdom");
	if (!out->mechanism)
		return -1;
	if (!set_defaults(out)) {
		fprintf(stderr, "gputm-sim: out of memory\n");
		return -1;
	}
	for (size_t i = 0; !error && i < options->set_count; i++)
		error = apply(ctx, out, options->set[i]);
	return error;
}

/* Sizes that the mechanism takes from the kernel and the core, if they were set at all. */
static bool size_fits(const char *path, const struct gputm_params *params, const void *config,
		      const struct sim_need *need)
{
	for (size_t i = 0; i < params->param_count; i++)
		if (!strcmp(params->param[i].name, need->field) &&
		    gputm_params_get(&params->param[i], config) == params->param[i].def)
			return true;
	return sim_meets(path, params, config, need);
}

static bool unit_fits(const struct flow_setup *setup, const struct flow_kernel *kernel,
		      const char *path, const struct gputm_params *params, const void *config)
{
	uint32_t warps = flow_warps_of_block(kernel), most = setup->core.warps / warps;
	uint32_t blocks = most < setup->core.blocks ? most : setup->core.blocks;
	bool whole = !strcmp(path, "warp_former"); /* one for all blocks of the core */
	const struct sim_need needs[] = {
		{ "lanes", kernel->lanes, "a warp of the kernel has more lanes" },
		{ "pc_bits", sim_bits_of(kernel->instr_count - 1),
		  "the kernel has more instructions" },
		{ "address_bits", sim_bits_of(kernel->words * 4 - !!kernel->words),
		  "the kernel's arrays have higher addresses" },
	};
	const struct sim_need sizes[] = {
		{ "warps", whole ? blocks * warps : warps,
		  whole ? "the core holds more warps" : "a block of the kernel has more warps" },
		{ "block_warps", warps, "a block of the kernel has more warps" },
		{ "blocks", blocks, "the core holds more blocks" },
	};

	for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
		if (!sim_meets(path, params, config, &needs[k]))
			return false;
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		if (!size_fits(path, params, config, &sizes[k]))
			return false;
	return true;
}

bool flow_setup_fits(const struct flow_setup *setup, const struct flow_kernel *kernel)
{
	const struct sim_need warps = { "warps", flow_warps_of_block(kernel),
					"a block of the kernel has more warps" };
	const struct gputm_params *params;
	const char *path, *flaw;
	void *config;

	if (!sim_meets("core", &flow_core_params, &setup->core, &warps))
		return false;
	for (size_t i = 1; flow_setup_part(setup, i, &path, &params, &config); i++)
		if (!unit_fits(setup, kernel, path, params, config))
			return false;
	flaw = setup->mechanism->flaw ? setup->mechanism->flaw(setup->mechanism_config) : NULL;
	if (flaw)
		fprintf(stderr, "gputm-sim: %s\n", flaw);
	return !flaw;
}

void flow_setup_free(struct flow_setup *setup)
{
	free(setup->mechanism_config);
	memset(setup, 0, sizeof(*setup));
}

void flow_list(void)
{
	const struct gputm_params *params;
	struct flow_setup setup;
	const char *path;
	void *config;

	for (size_t m = 0; flow_mechanisms[m]; m++) {
		memset(&setup, 0, sizeof(setup));
		setup.mechanism = flow_mechanisms[m];
		printf("\n  %-12s %s\n", setup.mechanism->name, setup.mechanism->summary);
		if (!set_defaults(&setup))
			return;
		/* the core and its coalescer are the same for all */
		for (size_t i = m ? 2 : 0; flow_setup_part(&setup, i, &path, &params, &config); i++)
			sim_list_rows(path, params, config);
		flow_setup_free(&setup);
	}
}
