/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwf and dwf-wb: dynamic warp formation (thesis 2.4, 3.2), without and with the warp barrier of
 * 3.2.1, as machine/pool.c does it.
 *
 * By the unit's presets partial warps are not held back. With its default a core would wait for
 * threads that a load of hundreds of cycles keeps, and lose more than full warps save.
 */
#include <stdlib.h>

#include "gputm/warp_former.h"
#include "../machine/mechanism.h"
#include "../machine/wiring.h"

struct dwf_config {
	struct flow_config flow;
	struct gputm_warp_former_config former;
};

static void init_preset(void *out, const char *name)
{
	static const struct gputm_warp_former_config standard = GPUTM_WARP_FORMER_CONFIG_INIT;
	struct dwf_config *config = out;

	flow_config_init(&config->flow);
	config->former = standard;
	if (gputm_warp_former_config_preset(&config->former, name))
		abort(); /* cannot happen: a preset of that name exists */
}

static void init(void *config, const struct sim_shape *shape)
{
	(void)shape;
	init_preset(config, "dwf");
}

static void init_barrier(void *config, const struct sim_shape *shape)
{
	(void)shape;
	init_preset(config, "dwf-wb");
}

static bool has_barrier(void *config, const struct sim_given *given, char *error, size_t size)
{
	(void)given;
	snprintf(error, size, "warp_former: warp_barrier = 0 is outside 1 .. 1, as static warps "
			      "stay whole in dwf-wb; without: dwf");
	return ((const struct dwf_config *)config)->former.warp_barrier;
}

static const struct sim_role roles[] = {
	FLOW_ROLES,
	{ "warp_former", gputm_warp_former_params, offsetof(struct dwf_config, former) },
};

#define DWF(called, said, start, whole, can)                                            \
	{                                                                               \
		FLOW_CLASS(called, said, struct dwf_config, roles, start, can,          \
			   flow_unused),                                                \
		.restores = (whole), .former = &sim_warp_pool,                          \
	}

const struct flow_mechanism flow_dwf =
	DWF("dwf", "dynamic warp formation: warps are formed anew all the time", init,
	    FLOW_RESTORES_NOT, NULL);
const struct flow_mechanism flow_dwf_wb =
	DWF("dwf-wb", "dynamic warp formation, with static warps outside of divergent code",
	    init_barrier, FLOW_RESTORES, has_barrier);
