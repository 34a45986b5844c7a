/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pdom and pdom-lcp: a SIMT stack for each static warp, with reconvergence at immediate
 * post-dominators and, in the latter, at likely-convergence points (thesis 2.3.3, 3.4). Ready
 * warps issue in the order of the machine's scheduler; without a machine in turn.
 */
#include <errno.h>
#include <stdlib.h>

#include "gputm/simt_stack.h"
#include "../base/arena.h"
#include "../machine/mechanism.h"

SIM_UNIT_KIND(simt_stack, SIM_OF_WARP);

struct pdom_config {
	struct flow_config flow;
	struct gputm_simt_stack_config stack;
};

struct pdom {
	struct gputm_simt_stack_config config;
	struct gputm_simt_stack *stack[FLOW_WARPS_MAX];
	struct flow_warp warp[FLOW_WARPS_MAX]; /* name: its number on the core */
	uint32_t count;
	/* state from here on; the warps are state, too */
	struct sim_scheduler scheduler;
	uint64_t ready, live;
	uint64_t waiting; /* at the barrier of their block */
};

/* Bits of the warps of resident block s. */
static uint64_t block_warps(const struct flow_core *core, uint32_t s)
{
	uint32_t warps = flow_warps(core);

	return UINT64_MAX >> (64 - warps) << s * warps;
}

static void become_ready(struct pdom *p, const struct flow_warp *warp)
{
	p->ready |= UINT64_C(1) << warp->name;
}

/* Continue as the stack says. */
static int follow_stack(struct pdom *p, struct flow_warp *warp)
{
	warp->pc = (uint32_t)gputm_simt_stack_pc(p->stack[warp->name]);
	warp->lanes.mask = (uint32_t)gputm_simt_stack_active_mask(p->stack[warp->name]);
	become_ready(p, warp);
	return 0;
}

static int refused(struct flow_core *core, const struct flow_warp *warp, int result)
{
	return flow_fail(core, warp->pc, result == GPUTM_SIMT_STACK_FULL ?
						 "the SIMT stack is full (simt_stack.depth)" :
						 "the SIMT stack refuses");
}

static int launch(struct flow_core *core, uint32_t s)
{
	struct pdom *p = core->state;

	for (uint32_t w = 0; w < flow_warps(core); w++) {
		uint32_t name = s * flow_warps(core) + w, mask = flow_mask(core, s, w);
		struct flow_warp *warp = &p->warp[name];

		if (!mask)
			break;
		if (gputm_simt_stack_launch(p->stack[name], 0, mask))
			return refused(core, warp, 0);
		warp->name = name;
		warp->resident = s;
		flow_set_static(flow_resident_slot(core, s, w), mask, &warp->lanes);
		p->live |= UINT64_C(1) << name;
		sim_scheduler_launch(&p->scheduler, name);
		follow_stack(p, warp);
	}
	return 0;
}

/* Warps that wait for nothing but the latency of their last instruction. */
static uint64_t in_pipeline(const struct pdom *p)
{
	uint64_t warps = 0;

	for (uint32_t i = 0; i < p->count; i++)
		warps |= (uint64_t)!p->warp[i].memory << i;
	return warps & p->live & ~(p->ready | p->waiting);
}

static struct flow_warp *pick(struct flow_core *core)
{
	struct pdom *p = core->state;
	uint64_t mine = core->slot_warps << core->slot;
	uint32_t name;

	if (!(p->ready & mine))
		return NULL;
	name = sim_schedule(&p->scheduler, core->scheduler, core->slot, mine, p->ready,
			    core->scheduler == SIM_TWO_LEVEL ? in_pipeline(p) : 0);
	if (name == SIM_NO_WARP)
		return NULL;
	p->ready &= ~(UINT64_C(1) << name);
	return &p->warp[name];
}

static int step(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	warp->pc = next;
	become_ready(core->state, warp);
	return 0;
}

static int go(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct pdom *p = core->state;
	int result = gputm_simt_stack_proceed(p->stack[warp->name], next);

	return result < 0 ? refused(core, warp, result) : follow_stack(p, warp);
}

static int branch(struct flow_core *core, struct flow_warp *warp, const struct kernel_block *block)
{
	struct pdom *p = core->state;
	struct gputm_simt_stack_target target[2] = {
		{ flow_point(core, block->way[1]), warp->lanes.mask & ~warp->taken },
		{ flow_point(core, block->way[0]), warp->taken }, /* runs first */
	};
	int result = gputm_simt_stack_diverge(p->stack[warp->name], target, 2,
					      flow_point(core, block->meeting),
					      flow_point(core, block->likely));

	if (result < 0 || result == GPUTM_SIMT_STACK_FULL)
		return refused(core, warp, result);
	return follow_stack(p, warp);
}

/* The barrier of resident block s opens when all its warps wait. */
static void release(struct flow_core *core, uint32_t s)
{
	struct pdom *p = core->state;
	uint64_t warps = block_warps(core, s);

	if ((p->live & warps) != (p->waiting & warps))
		return;
	p->ready |= p->waiting & warps;
	p->waiting &= ~warps;
}

static int barrier(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct pdom *p = core->state;
	int result = gputm_simt_stack_proceed(p->stack[warp->name], next);

	if (result < 0)
		return refused(core, warp, result);
	follow_stack(p, warp);
	p->ready &= ~(UINT64_C(1) << warp->name);
	p->waiting |= UINT64_C(1) << warp->name;
	release(core, warp->resident);
	return 0;
}

static int leave(struct flow_core *core, struct flow_warp *warp, uint32_t lanes, uint32_t next,
		 bool last)
{
	struct pdom *p = core->state;
	int result = gputm_simt_stack_exit(p->stack[warp->name], lanes);

	if (result < 0)
		return refused(core, warp, result);
	if (result == GPUTM_SIMT_STACK_FINISH) {
		p->live &= ~(UINT64_C(1) << warp->name);
		release(core, warp->resident);
		return 0;
	}
	if (result == GPUTM_SIMT_STACK_SWITCH)
		return follow_stack(p, warp);
	warp->lanes.mask &= ~lanes;
	return last ? go(core, warp, next) : step(core, warp, next);
}

static void places_of_warp(const struct flow_core *core, const struct flow_warp *warp,
			   flow_place *place, void *state)
{
	const struct pdom *p = core->state;
	const struct gputm_simt_stack *stack = p->stack[warp->name];
	struct gputm_simt_stack_entry entry;
	uint64_t seen = 0;

	for (size_t i = gputm_simt_stack_depth(stack);
	     i-- && !gputm_simt_stack_get_entry(stack, i, &entry);) {
		bool top = i + 1 == gputm_simt_stack_depth(stack);

		for (uint64_t left = entry.mask & ~seen; left; left &= left - 1)
			place(state, warp->lanes.slot[__builtin_ctzll(left)],
			      top ? warp->pc : (uint32_t)entry.pc);
		seen |= entry.mask;
	}
}

static void places(const struct flow_core *core, flow_place *place, void *state)
{
	const struct pdom *p = core->state;

	for (uint64_t left = p->live; left; left &= left - 1)
		places_of_warp(core, &p->warp[__builtin_ctzll(left)], place, state);
}

static int make(struct flow_core *core, const void *config, void **out)
{
	struct pdom *p = sim_calloc(1, sizeof(*p));
	int error = 0;

	*out = p;
	if (!p)
		return -ENOMEM;
	core->warps = p->warp;
	p->config = ((const struct pdom_config *)config)->stack;
	p->config.lanes = core->kernel->lanes;
	for (; !error && p->count < core->residents * flow_warps(core); p->count += !error)
		error = sim_unit_add(core->gpu->port, "simt_stack", &kind_simt_stack, &p->config,
				     &p->stack[p->count]);
	core->warp_count = p->count;
	p->scheduler.last[0] = core->gpu->way ? 0 : FLOW_WARPS_MAX - 1;
	return error;
}

static void io(struct flow_core *core, struct sim_io *io)
{
	struct pdom *p = core->state;

	SIM_IO_FROM(io, p, scheduler);
	for (uint32_t i = 0; i < SIM_SLOTS; i++)
		sim_io_must(io, "scheduler", p->scheduler.last[i] < SIM_MAX_WARPS &&
						     p->scheduler.group[i] < SIM_MAX_WARPS);
	sim_io_must(io, "warps",
		    !((p->ready | p->live | p->waiting) & ~(UINT64_MAX >> (64 - p->count))));
	for (uint32_t i = 0; i < p->count; i++)
		sim_io_must(io, "warp", p->warp[i].name == i || !(p->live >> i & 1));
}

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

#define PDOM(called, said, start)                                                       \
	{                                                                               \
		FLOW_CLASS(called, said, struct pdom_config, roles, start, NULL,        \
			   FLOW_SCHEDULED),                                             \
		.restores = FLOW_RESTORES,                                              \
		.uniform = true, .fixed = true, .make = make, .free = sim_free,         \
		.launch = launch, .pick = pick, .step = step, .go = go,                 \
		.branch = branch, .exit = leave, .barrier = barrier, .places = places,  \
		.io = io,                                                               \
	}

const struct flow_mechanism flow_pdom =
	PDOM("pdom", "a SIMT stack per warp, reconvergence at immediate post-dominators", init);
const struct flow_mechanism flow_pdom_lcp =
	PDOM("pdom-lcp", "a SIMT stack per warp, reconvergence also at likely-convergence points",
	     init_likely);
