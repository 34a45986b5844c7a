/* SPDX-License-Identifier: BSD-2-Clause */
#include "fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/names.h"
#include "../base/quote.h"
#include "kernels.h"
#include "setup.h"

#define PLACES 4 /* parts, and owners of a part, that a message tells */

/* A part that has parameters, and what owns the part: "--system getm"; "": all have it. */
struct part {
	const char *path, *option, *owner;
	const struct gputm_params *params;
	const struct sim_unused *unused;
};

static bool role_at(const struct sim_system_class *system, const char *option, size_t *index,
		    struct part *out)
{
	const struct sim_role *role = &system->role[*index];

	if (*index >= system->role_count) {
		*index -= system->role_count;
		return false;
	}
	*out = (struct part){ role->role, option, system->name, role->params(),
			      system->flavour == SIM_ALONE ? NULL : system->unused };
	return true;
}

static bool workload_at(const struct sim_workload_class *class, size_t *index, struct part *out)
{
	if (!class->params || (*index)--)
		return false;
	*out = (struct part){ "workload", "--workload", class->name, class->params, NULL };
	return true;
}

/* Part number `index` of all; false past the last. */
static bool part_at(size_t index, struct part *out)
{
	if (index == 0)
		*out = (struct part){ "machine", "", "", &sim_machine_params, NULL };
	if (index == 1)
		*out = (struct part){ "tx_throttle", "", "", gputm_tx_throttle_params(), NULL };
	if (index < 2)
		return true;
	index -= 2;
	for (size_t i = 0; sim_system_classes[i]; i++)
		if (role_at(sim_system_classes[i], "--system", &index, out))
			return true;
	for (size_t i = 0; flow_mechanisms[i]; i++)
		if (role_at(&flow_mechanisms[i]->class, "--divergence", &index, out))
			return true;
	for (size_t i = 0; sim_workload_classes[i]; i++)
		if (workload_at(sim_workload_classes[i], &index, out))
			return true;
	for (size_t i = 0; sim_kernel_at(i); i++)
		if (workload_at(sim_kernel_at(i), &index, out))
			return true;
	return false;
}

bool sim_setting_unused(const struct sim_unused *unused, const char *path, const char *field)
{
	char setting[SIM_QUOTE];
	const char *list[] = { setting };
	const struct sim_given given = { list, 1 };

	snprintf(setting, sizeof setting, "%s%s%s=", path, *path ? "." : "", field);
	for (; unused && unused->name; unused++)
		if (!unused->when && sim_given(&given, unused->name))
			return true;
	return false;
}

static bool has(const struct part *part, const char *field)
{
	for (size_t i = 0; i < part->params->param_count; i++)
		if (!strcmp(part->params->param[i].name, field))
			return !sim_setting_unused(part->unused, part->path, field);
	return false;
}

/* Has a part before this one the field, too, under the same path? */
static bool told(size_t index, const char *path, const char *field)
{
	struct part part;

	for (size_t i = 0; i < index && part_at(i, &part); i++)
		if (!strcmp(part.path, path) && has(&part, field))
			return true;
	return false;
}

__attribute__((format(printf, 3, 4))) static void add(char *out, size_t size, const char *format,
						      ...)
{
	size_t used = strlen(out);
	va_list list;

	va_start(list, format);
	vsnprintf(out + used, size - used, format, list);
	va_end(list);
}

/* " of --system kilo-tm, warptm" */
static void add_owners(const char *path, const char *field, char *out, size_t size)
{
	const char *option = "";
	struct part part;
	size_t owners = 0;

	for (size_t i = 0; part_at(i, &part) && owners <= PLACES; i++) {
		if (strcmp(part.path, path) || !has(&part, field) || !*part.owner)
			continue;
		if (owners++ == PLACES)
			add(out, size, ", ...");
		else if (strcmp(option, part.option))
			add(out, size, "%s %s %s", owners > 1 ? "," : " of", part.option,
			    part.owner);
		else
			add(out, size, ", %s", part.owner);
		option = part.option;
	}
}

static bool add_places(const char *path, const char *field, char *out, size_t size)
{
	struct part part;
	size_t places = 0;

	for (size_t i = 0; part_at(i, &part) && places <= PLACES; i++) {
		if ((path && strcmp(part.path, path)) || !has(&part, field) ||
		    told(i, part.path, field))
			continue;
		if (places++ == PLACES) {
			add(out, size, "; and others");
			break;
		}
		add(out, size, "%s%s.%s", places > 1 ? "; " : "", part.path, field);
		add_owners(part.path, field, out, size);
	}
	return places;
}

/* Parameter number `index` of all parts, one after the other. */
static const char *field_at(const void *unused, size_t index)
{
	struct part part;

	(void)unused;
	for (size_t i = 0; part_at(i, &part); i++) {
		if (index < part.params->param_count)
			return part.params->param[index].name;
		index -= part.params->param_count;
	}
	return NULL;
}

bool sim_field_places(const char *path, const char *field, char *out, size_t size)
{
	snprintf(out, size, "; %.48s is ", field);
	if (add_places(path, field, out, size))
		return true;
	*out = '\0';
	return false;
}

void sim_field_meant(const char *field, char *out, size_t size)
{
	const char *near;

	if (sim_field_places(NULL, field, out, size))
		return;
	near = sim_name_near(field, field_at, NULL);
	if (!near)
		return;
	snprintf(out, size, "; did you mean ");
	add_places(NULL, near, out, size);
	add(out, size, "?");
}
