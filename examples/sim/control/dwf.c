/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwf and dwf-wb: dynamic warp formation (thesis 2.4, 3.2), without and with the warp barrier of
 * 3.2.1. After every instruction the threads of a warp go back to the pool of the warp
 * former, which regroups them and chooses what issues by its majority policy. Threads of
 * different blocks may share a warp.
 *
 * By the unit's presets partial warps are not held back. With its default a core would wait for
 * threads that a load of hundreds of cycles keeps, and lose more than full warps save.
 */
#include <errno.h>
#include <stdlib.h>

#include "gputm/warp_former.h"
#include "../base/arena.h"
#include "../machine/mechanism.h"

SIM_UNIT_KIND(warp_former, SIM_OF_CORE);

struct dwf_config {
	struct flow_config flow;
	struct gputm_warp_former_config former;
};

struct dwf {
	struct gputm_warp_former_config config;
	struct gputm_warp_former *former;
	struct flow_warp *warp; /* [slots], by the former's slot */
	uint32_t slots;
	uint8_t *home;			/* [slots]: static warp of a thread of the core */
	/* state from here on; the warps are state, too */
	uint32_t first[FLOW_WARPS_MAX]; /* thread number of a static warp's lane 0 */
	uint32_t barrier_pc[FLOW_WARPS_MAX]; /* where the resident blocks go on */
};

static int refused(struct flow_core *core, const struct flow_warp *warp)
{
	return flow_fail(core, warp->pc, "the warp former refuses");
}

/* Number of thread w * lanes + l of the core. */
static uint32_t slot_of(const struct dwf *d, uint32_t thread, uint32_t lane)
{
	return d->first[d->home[thread]] + lane;
}

static int launch(struct flow_core *core, uint32_t s)
{
	struct dwf *d = core->state;
	int error = 0;

	for (uint32_t w = 0, mask; !error && w < flow_warps(core); w++) {
		uint32_t warp = s * flow_warps(core) + w;

		d->first[warp] = flow_resident_slot(core, s, w);
		mask = flow_mask(core, s, w);
		if (mask)
			error = gputm_warp_former_launch(d->former, warp, mask, 0);
	}
	return error ? flow_fail(core, 0, "the warp former refuses a block") : 0;
}

static void set_lanes(const struct dwf *d, const struct gputm_warp_former_warp *formed,
		      struct flow_lanes *out)
{
	if (formed->home != GPUTM_WARP_FORMER_NO_WARP) {
		flow_set_static(d->first[formed->home], (uint32_t)formed->mask, out);
		return;
	}
	out->mask = (uint32_t)formed->mask;
	out->together = false;
	for (uint32_t left = out->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);

		out->slot[l] = slot_of(d, formed->thread[l], l);
	}
}

static struct flow_warp *pick(struct flow_core *core)
{
	struct dwf *d = core->state;
	struct gputm_warp_former_warp formed;
	struct flow_warp *warp;

	if (gputm_warp_former_issue(d->former, &formed) != GPUTM_WARP_FORMER_OK)
		return NULL;
	warp = &d->warp[formed.slot];
	warp->name = formed.slot;
	warp->pc = (uint32_t)formed.pc;
	set_lanes(d, &formed, &warp->lanes);
	return warp;
}

static int go(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct dwf *d = core->state;

	return gputm_warp_former_proceed(d->former, warp->name, next) ? refused(core, warp) : 0;
}

static int branch(struct flow_core *core, struct flow_warp *warp, const struct kernel_block *block)
{
	struct dwf *d = core->state;
	struct gputm_warp_former_target target = {
		.taken_pc = kernel_entry(core->kernel->code, block->way[0]),
		.other_pc = kernel_entry(core->kernel->code, block->way[1]),
		.rpc = kernel_entry(core->kernel->code, block->meeting),
	};

	return gputm_warp_former_branch(d->former, warp->name, warp->taken, &target) ?
		       refused(core, warp) :
		       0;
}

static int leave(struct flow_core *core, struct flow_warp *warp, uint32_t lanes, uint32_t next,
		 bool last)
{
	struct dwf *d = core->state;

	(void)last;
	if (gputm_warp_former_exit(d->former, warp->name, lanes) < 0)
		return refused(core, warp);
	warp->lanes.mask &= ~lanes;
	return warp->lanes.mask ? go(core, warp, next) : 0;
}

static int barrier(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct dwf *d = core->state;

	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t slot = warp->lanes.slot[__builtin_ctz(left)];

		d->barrier_pc[flow_resident_of(core->threads, slot)] = next;
	}
	return gputm_warp_former_barrier(d->former, warp->name, next) ? refused(core, warp) : 0;
}

/* Lanes of a static warp that wait at a barrier. */
static void place_lanes(const struct dwf *d, uint32_t warp, uint64_t mask, uint32_t pc,
			flow_place *place, void *state)
{
	for (; mask; mask &= mask - 1)
		place(state, d->first[warp] + (uint32_t)__builtin_ctzll(mask), pc);
}

static void places(const struct flow_core *core, flow_place *place, void *state)
{
	const struct dwf *d = core->state;
	struct gputm_warp_former_warp warp;
	uint64_t mask, pc;
	bool in_flight;

	for (uint32_t slot = 0; slot < d->slots; slot++) {
		if (!gputm_warp_former_get_warp(d->former, slot, &warp, &in_flight))
			continue;
		for (uint64_t left = warp.mask; left; left &= left - 1) {
			uint32_t l = (uint32_t)__builtin_ctzll(left);

			place(state, slot_of(d, warp.thread[l], l), (uint32_t)warp.pc);
		}
	}
	for (uint32_t w = 0; w < core->residents * flow_warps(core); w++) {
		if (gputm_warp_former_at_warp_barrier(d->former, w, &mask, &pc))
			place_lanes(d, w, mask, (uint32_t)pc, place, state);
		mask = gputm_warp_former_at_block_barrier(d->former, w);
		place_lanes(d, w, mask, d->barrier_pc[w / flow_warps(core)], place, state);
	}
}

static int make(struct flow_core *core, const void *wanted, void **out)
{
	struct gputm_warp_former_config *config;
	struct dwf *d = sim_calloc(1, sizeof(*d));

	*out = d;
	if (!d)
		return -ENOMEM;
	config = &d->config;
	*config = ((const struct dwf_config *)wanted)->former;
	config->lanes = core->kernel->lanes;
	config->warps = core->residents * flow_warps(core);
	config->block_warps = flow_warps(core);
	d->slots = config->warps * config->lanes;
	d->warp = sim_calloc(d->slots, sizeof(*d->warp));
	d->home = sim_calloc(d->slots, sizeof(*d->home));
	if (!d->warp || !d->home)
		return -ENOMEM;
	core->warps = d->warp;
	core->warp_count = d->slots;
	for (uint32_t i = 0; i < d->slots; i++)
		d->home[i] = (uint8_t)(i / config->lanes);
	return sim_unit_add(core->gpu->port, "warp_former", &kind_warp_former, config, &d->former);
}

static void unmake(void *state)
{
	struct dwf *d = state;

	if (!d)
		return;
	sim_free(d->warp);
	sim_free(d->home);
	sim_free(d);
}

static void io(struct flow_core *core, struct sim_io *io)
{
	struct dwf *d = core->state;

	SIM_IO_FROM(io, d, first);
	for (uint32_t i = 0; io->loading && i < d->config.warps; i++) {
		if (!core->blocks.live[i / flow_warps(core)])
			d->first[i] = 0; /* of a launch before */
		sim_io_below(io, "first", d->first[i], core->threads->count);
	}
	for (uint32_t i = 0; i < d->slots; i++)
		sim_io_below(io, "warp", d->warp[i].name, d->slots);
}

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
		.restores = (whole),                                                    \
		.make = make, .free = unmake, .launch = launch, .pick = pick,           \
		.step = go, .go = go, .branch = branch, .exit = leave,                  \
		.barrier = barrier, .places = places, .io = io,                         \
	}

const struct flow_mechanism flow_dwf =
	DWF("dwf", "dynamic warp formation: warps are formed anew all the time", init,
	    FLOW_RESTORES_NOT, NULL);
const struct flow_mechanism flow_dwf_wb =
	DWF("dwf-wb", "dynamic warp formation, with static warps outside of divergent code",
	    init_barrier, FLOW_RESTORES, has_barrier);
