/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tbc and tbc-lcp: thread block compaction (thesis 3.3, 3.4), as machine/compaction.c does it, and
 * an arbiter of the blocks (3.6.2); the warps of a block issue in loose round-robin order.
 *
 * Compaction fills the place of a thread that has ended with the next one of its lane, so static
 * warps come back at a reconvergence point only as long as all threads of the block live.
 */
#include "gputm/block_priority.h"
#include "gputm/block_stack.h"
#include "gputm/thread_compactor.h"
#include "../machine/mechanism.h"
#include "../machine/wiring.h"

struct tbc_config {
	struct flow_config flow;
	struct gputm_block_stack_config stack;
	struct gputm_thread_compactor_config compactor;
	struct gputm_block_priority_config priority;
};

static void init(void *wanted, const struct sim_shape *shape)
{
	struct tbc_config *config = wanted;

	(void)shape;
	flow_config_init(&config->flow);
	gputm_params_init(gputm_block_stack_params(), &config->stack, sizeof config->stack);
	gputm_params_init(gputm_thread_compactor_params(), &config->compactor,
			  sizeof config->compactor);
	gputm_params_init(gputm_block_priority_params(), &config->priority,
			  sizeof config->priority);
}

static void init_likely(void *wanted, const struct sim_shape *shape)
{
	init(wanted, shape);
	((struct tbc_config *)wanted)->stack.likely_convergence = true;
}

static const struct sim_role roles[] = {
	FLOW_ROLES,
	{ "block_stack", gputm_block_stack_params, offsetof(struct tbc_config, stack) },
	{ "thread_compactor", gputm_thread_compactor_params,
	  offsetof(struct tbc_config, compactor) },
	{ "block_priority", gputm_block_priority_params, offsetof(struct tbc_config, priority) },
};

#define TBC(called, said, start, lcp)                                                   \
	{                                                                               \
		FLOW_CLASS(called, said, struct tbc_config, roles, start, NULL,         \
			   flow_unused),                                                \
		.restores = FLOW_RESTORES_FULL_BLOCKS, .former = &sim_block_stacks,     \
		.compacts = true, .likely = (lcp),                                      \
	}

const struct flow_mechanism flow_tbc =
	TBC("tbc", "thread block compaction: a stack per thread block", init, false);
const struct flow_mechanism flow_tbc_lcp =
	TBC("tbc-lcp", "thread block compaction, also at likely-convergence points", init_likely,
	    true);
