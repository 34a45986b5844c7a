/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "../base/names.h"
#include "../machine/mechanism.h"

#define MECHANISM(name) &flow_##name,

const struct flow_mechanism *const flow_mechanisms[] = { FLOW_MECHANISMS(MECHANISM) NULL };

const char *flow_mechanism_name(const void *unused, size_t index)
{
	(void)unused;
	return flow_mechanisms[index] ? flow_mechanisms[index]->class.name : NULL;
}

const struct flow_mechanism *flow_mechanism_named(const char *name)
{
	for (size_t i = 0; flow_mechanisms[i]; i++)
		if (!strcmp(flow_mechanisms[i]->class.name, name))
			return flow_mechanisms[i];
	sim_name_unknown("divergence", name, flow_mechanism_name, NULL, "");
	return NULL;
}
