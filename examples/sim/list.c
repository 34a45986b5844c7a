/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "study/flow.h"
#include "study/setup.h"

static void list_machines(void)
{
	struct sim_machine_config config;
	const struct gputm_params *params = &sim_machine_params;

	puts("Machines (--machine), with the values of the first one:\n");
	for (size_t i = 0; i < params->preset_count; i++)
		printf("  %-12s %s\n", params->preset[i].name, params->preset[i].summary);
	gputm_params_init(params, &config, sizeof config);
	sim_list_rows("machine", params, &config);
}

static void list_system(const struct sim_system_class *system)
{
	struct sim_machine_config machine;
	struct sim_shape shape;
	void *config = calloc(1, system->config_size + 1);

	printf("\n  %-12s %s\n", system->name, system->summary);
	gputm_params_init(&sim_machine_params, &machine, sizeof machine);
	shape = sim_machine_shape(&machine);
	if (config && system->init)
		system->init(config, &shape);
	for (size_t i = 0; config && i < system->role_count; i++)
		sim_list_rows(system->role[i].role, system->role[i].params(),
			  (const char *)config + system->role[i].offset);
	free(config);
}

static void list_workload(const struct sim_workload_class *workload)
{
	void *config;

	printf("\n  %-12s %s\n", workload->name, workload->summary);
	if (!workload->params)
		return;
	config = calloc(1, workload->params->config_size);
	if (!config)
		return;
	gputm_params_init(workload->params, config, workload->params->config_size);
	sim_list_rows("workload", workload->params, config);
	free(config);
}

/* Systems with machines of their own, which their options describe. */
static void list_own(void)
{
	const struct sim_own_machine *last = NULL;

	for (size_t i = 0; sim_system_classes[i]; i++) {
		const struct sim_own_machine *own = sim_system_classes[i]->own;

		if (own && own != last)
			printf("\nMachine %s, %s, and its systems:\n", own->name, own->summary);
		if (own)
			list_system(sim_system_classes[i]);
		last = own;
	}
}

void sim_list(void)
{
	size_t i;

	puts("Names, and what --set PATH.FIELD=VALUE reaches: PATH.FIELD = default  [range]\n");
	list_machines();
	puts("\nSystems (--system):");
	for (i = 0; sim_system_classes[i]; i++)
		if (!sim_system_classes[i]->own)
			list_system(sim_system_classes[i]);
	puts("\nWorkloads (--workload; trace is chosen by --trace FILE):");
	for (i = 0; sim_workload_classes[i]; i++)
		list_workload(sim_workload_classes[i]);
	list_own();
	puts("\nMechanisms for branches (--divergence, with --kernel FILE):");
	flow_list();
}
