/* SPDX-License-Identifier: BSD-2-Clause */
/* --list: all names, or the parameters of one name, or those of all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/output.h"
#include "base/quote.h"
#include "list.h"
#include "study/fields.h"
#include "study/kernels.h"
#include "study/setup.h"

struct list {
	const char *name; /* NULL: all */
	bool brief;	  /* names only */
	const struct gputm_params *params; /* of the machine */
	struct sim_machine_config machine;
	const char *machine_name;
	const struct sim_run_class *own; /* the machine asked for, or NULL */
	bool found;
};

static bool wanted(const struct list *list, const char *name)
{
	return !list->name || !strcmp(list->name, name);
}

static void list_machines(struct list *list)
{
	if (!wanted(list, list->machine_name) && !wanted(list, "machine"))
		return;
	list->found = true;
	if (!list->name)
		puts("");
	if (list->brief)
		puts("Machines (--machine):\n");
	else
		printf("Machines (--machine), with the values of %s:\n\n", list->machine_name);
	for (size_t i = 0; i < SIM_MACHINES; i++)
		printf("  %-20s %s\n", sim_machine_kinds[i].name, sim_machine_kinds[i].summary);
	if (!list->brief)
		sim_list_rows("machine", list->params, &list->machine, NULL);
}

/* Control of concurrency, which is the same for all systems with a limit. */
static void list_throttle(struct list *list)
{
	struct gputm_tx_throttle_config config = GPUTM_TX_THROTTLE_CONFIG_INIT;

	if (list->brief || !wanted(list, "tx_throttle"))
		return;
	list->found = true;
	config.warps = list->machine.warps;
	puts("\nHow --concurrency moves (warps and limit are the machine's and --concurrency's):");
	sim_list_rows("tx_throttle", gputm_tx_throttle_params(), &config, NULL);
}

/* The head of a name; parameters may follow. */
static void list_head(const struct list *list, const char *name, const char *summary)
{
	printf("%s  %-20s %s\n", list->brief ? "" : "\n", name, summary);
}

/* List all parts of the system from number `from` on, or the part with this path. */
static void list_system(struct list *list, const struct sim_system_class *system, size_t from)
{
	struct sim_shape shape = sim_machine_shape(&list->machine);
	void *config = sim_calloc(1, system->config_size + 1);
	bool whole = wanted(list, system->name), told = whole;

	if (whole)
		list_head(list, system->name, system->summary);
	if (config && system->init)
		system->init(config, &shape);
	for (size_t i = from; config && !list->brief && i < system->role_count; i++) {
		const struct sim_role *role = &system->role[i];

		if (!whole && !wanted(list, role->role) && !wanted(list, role->params()->kind))
			continue;
		if (!told)
			list_head(list, system->name, system->summary);
		told = true;
		sim_list_rows(role->role, role->params(), (const char *)config + role->offset,
			      system->flavour == SIM_ALONE ? NULL : system->unused);
	}
	list->found |= told;
	sim_free(config);
}

static void list_workload(struct list *list, const struct sim_workload_class *workload)
{
	void *config;

	if (!wanted(list, workload->name))
		return;
	list->found = true;
	list_head(list, workload->name, workload->summary);
	if (!workload->params || list->brief)
		return;
	config = sim_calloc(1, workload->params->config_size);
	if (!config)
		return;
	gputm_params_init(workload->params, config, workload->params->config_size);
	sim_list_rows("workload", workload->params, config, NULL);
	sim_free(config);
}

/* Systems with a machine of their own; the options of the system describe it. */
static void list_own(struct list *list)
{
	const struct sim_run_class *last = NULL;
	const char *name = list->name;
	bool named;

	for (size_t i = 0; sim_system_classes[i]; i++) {
		const struct sim_run_class *own = sim_system_classes[i]->own;

		if (!own || (list->own && list->own != own))
			continue;
		named = wanted(list, own->name);
		if (own != last && named)
			printf("\nMachine %s, %s, and its systems:\n%s", own->name, own->summary,
			       list->brief ? "\n" : "");
		last = own;
		list->name = named ? NULL : name;
		list_system(list, sim_system_classes[i], 0);
		list->name = name;
	}
}

/* All mechanisms have the same core and coalescer: list them once. */
static void list_mechanism(struct list *list, const struct flow_mechanism *mechanism, bool first)
{
	bool named = list->name && wanted(list, mechanism->class.name);

	list_system(list, &mechanism->class, first || named ? 0 : FLOW_CORE_ROLES);
}

static void list_all(struct list *list)
{
	bool all = !list->name;
	const char *gap = list->brief ? "\n" : "";

	if (list->brief)
		puts("All names; --list NAME prints the parameters of a name, --list all those of "
		     "all.");
	else if (all)
		puts("Names, and what --set PATH.FIELD=VALUE reaches: PATH.FIELD = default  "
		     "[range]");
	if (!list->own)
		list_machines(list);
	if (!list->own)
		list_throttle(list);
	if (all && !list->own)
		printf("\nSystems (--system):\n%s", gap);
	for (size_t i = 0; !list->own && sim_system_classes[i]; i++)
		if (!sim_system_classes[i]->own)
			list_system(list, sim_system_classes[i], 0);
	if (all)
		printf("\nWorkloads (--workload; trace is chosen by --trace FILE):\n%s", gap);
	for (size_t i = 0; sim_kernel_at(i); i++)
		list_workload(list, sim_kernel_at(i));
	for (size_t i = 0; sim_workload_classes[i]; i++)
		list_workload(list, sim_workload_classes[i]);
	list_own(list);
	if (all)
		printf("\nMechanisms for branches (--divergence):\n%s", gap);
	for (size_t i = 0; flow_mechanisms[i]; i++)
		list_mechanism(list, flow_mechanisms[i], !i);
}

/* ---- unknown names ---- */

/* Number `index` in several lists of names, one after the other; a name may occur more than
 * once. */
static const char *any_name(const void *unused, size_t index)
{
	sim_name_at *const list[] = { sim_system_name, sim_workload_name, sim_machine_name,
				      flow_mechanism_name };
	const char *name;

	for (size_t l = 0; l < sizeof list / sizeof *list; l++) {
		size_t count = 0;

		for (; (name = list[l](unused, count)); count++)
			if (count == index)
				return name;
		index -= count;
	}
	for (size_t i = 0; sim_system_classes[i]; i++) {
		if (index < sim_system_classes[i]->role_count)
			return sim_system_classes[i]->role[index].role;
		index -= sim_system_classes[i]->role_count;
	}
	return NULL;
}

static const char *machine_at(const void *unused, size_t index)
{
	const char *name = sim_machine_name(unused, index);
	const struct sim_run_class *last = NULL;

	index -= name ? 0 : SIM_MACHINES;
	for (size_t i = 0; !name && sim_system_classes[i]; i++) {
		const struct sim_run_class *own = sim_system_classes[i]->own;

		if (own && own != last && !index--)
			name = own->name;
		last = own ? own : last;
	}
	return name;
}

static const struct sim_run_class *own_machine(const char *name)
{
	for (size_t i = 0; sim_system_classes[i]; i++)
		if (sim_system_classes[i]->own && !strcmp(sim_system_classes[i]->own->name, name))
			return sim_system_classes[i]->own;
	return NULL;
}

static int unknown(const char *name)
{
	const char *near = sim_name_near(name, any_name, NULL), *whole = NULL;
	char places[300] = "";

	for (size_t i = 0; !whole && sim_system_classes[i]; i++)
		whole = sim_whole_of(sim_system_classes[i], name);
	if (whole) {
		fprintf(stderr, "gputm-sim: --list: got \"%s\", expected %s, which has the "
				"parameters of its part %s\n", name, whole, name);
		return -1;
	}
	(void)sim_field_places(NULL, name, places, sizeof places);
	near = *places ? NULL : near;
	fprintf(stderr, "gputm-sim: --list: got \"%s\", expected a name that --list alone shows%s%s"
			"%s%s\n", sim_quoted(name), places, near ? "; did you mean \"" : "",
		near ? near : "", near ? "\"?" : "");
	return -1;
}

/* A kernel file of the user, and its variants. */
static int list_file(struct list *list, const char *file)
{
	struct sim_workload_class *class;
	const char *variant;
	char message[SIM_MESSAGE];
	struct kernel kernel;

	if (sim_kernel_file(file, &class, message, sizeof message))
		return sim_complain(-1, message);
	if (sim_kernel_class_read(class, &kernel, message, sizeof message)) {
		sim_kernel_class_free(class);
		return sim_complain(-1, message);
	}
	kernel_free(&kernel);
	list->name = NULL;
	list_workload(list, class);
	for (size_t i = 0; (variant = sim_kernel_class_variant(class, i)); i++)
		printf("%s%s", i ? ", " : "\n  Variants, FILE:VARIANT: ", variant);
	if (sim_kernel_class_variant(class, 0))
		puts("");
	sim_kernel_class_free(class);
	return 0;
}

int sim_list(const char *machine, const char *name)
{
	bool all = name && !strcmp(name, "all");
	struct list list = { .name = all ? NULL : name, .brief = !name, .machine_name = machine,
			     .own = own_machine(machine) };

	/* The name may also be that of a machine. */
	if (name && sim_machine_named(name))
		list.machine_name = name;
	if (name && (strchr(name, '/') || strstr(name, ".kernel")))
		return list_file(&list, name);
	list.params = sim_machine_named(list.own ? sim_machine_kinds[0].name : list.machine_name);
	if (!list.params) {
		sim_name_unknown("machine", machine, machine_at, NULL, "");
		return -1;
	}
	gputm_params_init(list.params, &list.machine, sizeof list.machine);
	list_all(&list);
	return list.found ? 0 : unknown(name);
}
