/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pdom and pdom-lcp: a SIMT stack for each static warp, with reconvergence at immediate
 * post-dominators and, in the latter, at likely-convergence points (machine/stacks.c). Ready warps
 * issue in the order of the machine's scheduler; without a machine in turn.
 */
#include "gputm/simt_stack.h"
#include "../machine/mechanism.h"
#include "../machine/wiring.h"

struct pdom_config {
	struct flow_config flow;
	struct gputm_simt_stack_config stack;
};

static void init(void *out, const struct sim_shape *shape)
{
	struct pdom_config *config = out;

	(void)shape;
	flow_config_init(&config->flow);
	gputm_params_init(gputm_simt_stack_params(), &config->stack, sizeof config->stack);
}

static void init_likely(void *out, const struct sim_shape *shape)
{
	init(out, shape);
	((struct pdom_config *)out)->stack.likely_convergence = true;
}

static const struct sim_role roles[] = {
	FLOW_ROLES,
	{ "simt_stack", gputm_simt_stack_params, offsetof(struct pdom_config, stack) },
};

#define PDOM(called, said, start, lcp)                                                  \
	{                                                                               \
		FLOW_CLASS(called, said, struct pdom_config, roles, start, NULL,        \
			   FLOW_SCHEDULED),                                             \
		.restores = FLOW_RESTORES, .former = &sim_stacks, .likely = (lcp),      \
	}

const struct flow_mechanism flow_pdom =
	PDOM("pdom", "a SIMT stack per warp, reconvergence at immediate post-dominators", init,
	     false);
const struct flow_mechanism flow_pdom_lcp =
	PDOM("pdom-lcp", "a SIMT stack per warp, reconvergence also at likely-convergence points",
	     init_likely, true);
