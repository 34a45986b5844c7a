/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tbc and tbc-lcp: thread block compaction (thesis 3.3, 3.4). A block-wide stack for each
 * resident block, one thread compactor for the core, which makes a warp a cycle and takes the
 * blocks that ask for it in turn, and an arbiter of the blocks (3.6.2); the warps of a block
 * issue in loose round-robin order.
 *
 * Compaction fills the place of a thread that has ended with the next one of its lane, so static
 * warps come back at a reconvergence point only as long as all threads of the block live.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gputm/block_priority.h"
#include "gputm/block_stack.h"
#include "gputm/thread_compactor.h"
#include "../base/arena.h"
#include "../machine/mechanism.h"

struct tbc_config {
	struct flow_config flow;
	struct gputm_block_stack_config stack;
	struct gputm_thread_compactor_config compactor;
	struct gputm_block_priority_config priority;
};

/* A resident block. */
struct tbc_block {
	struct gputm_block_stack *stack;
	struct flow_warp *warp; /* [KERNEL_BLOCK_WARPS_MAX]; name: its index in the stack */
	/* state, as are the warps */
	uint32_t running, ready, waiting;	     /* warps; the last at the barrier */
	uint32_t last;				     /* warp that issued last */
	uint32_t arrived;			     /* PC at which finished warps wait */
	uint64_t pending[KERNEL_LANES];	     /* threads that are not in a warp yet */
};

SIM_UNIT_KIND(block_stack, SIM_OF_BLOCK);
SIM_UNIT_KIND(thread_compactor, SIM_OF_CORE);
SIM_UNIT_KIND(block_priority, SIM_OF_CORE);

struct tbc {
	struct tbc_config config;
	struct gputm_thread_compactor *compactor;
	struct gputm_block_priority *priority;
	uint32_t count;
	uint64_t ready; /* blocks with a ready warp */
	uint32_t queue[FLOW_WARPS_MAX], queued; /* blocks that wait for the compactor */
	struct tbc_block block[FLOW_WARPS_MAX];
	struct flow_warp warp[FLOW_WARPS_MAX * KERNEL_BLOCK_WARPS_MAX];
};

static int refused(struct flow_core *core, uint32_t pc, int result)
{
	return flow_fail(core, pc, result == GPUTM_BLOCK_STACK_FULL ?
					   "the block-wide stack is full (block_stack.depth)" :
					   "the block-wide stack refuses");
}

static void become_ready(struct tbc *t, uint32_t s, uint32_t warps)
{
	t->block[s].ready |= warps;
	if (warps)
		t->ready |= UINT64_C(1) << s;
}

/* ---- compaction ---- */

/* Load the compactor with the first block of the queue. */
static int load(struct flow_core *core)
{
	struct tbc *t = core->state;
	uint32_t s = t->queue[0];

	if (!t->queued || gputm_thread_compactor_warps(t->compactor))
		return 0;
	memmove(t->queue, t->queue + 1, --t->queued * sizeof(*t->queue));
	if (gputm_thread_compactor_push(t->compactor, s, t->block[s].pending))
		return refused(core, 0, 0);
	return 0;
}

/* The top of stack of block s changes in this cycle. */
static int compact(struct flow_core *core, uint32_t s, uint64_t now)
{
	struct tbc *t = core->state;
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX];
	int error;

	if (t->queued == FLOW_WARPS_MAX)
		return refused(core, 0, 0);
	gputm_block_stack_mask(t->block[s].stack, mask);
	memcpy(t->block[s].pending, mask, sizeof(t->block[s].pending));
	t->queue[t->queued++] = s;
	error = load(core);
	if (core->mechanism_due > now + 1)
		core->mechanism_due = now + 1;
	return error;
}

static void set_lanes(const struct flow_core *core, uint32_t s,
		      const struct gputm_thread_compactor_warp *made, struct flow_lanes *out)
{
	uint32_t first = flow_resident_slot(core, s, 0), lanes = core->kernel->lanes;
	uint32_t home = UINT32_MAX;

	out->mask = (uint32_t)made->mask;
	out->together = true;
	for (uint32_t l = 0; l < lanes; l++) {
		if (!(out->mask >> l & 1))
			continue;
		out->slot[l] = first + made->thread[l];
		out->together &= home == UINT32_MAX || home == made->thread[l] / lanes;
		home = made->thread[l] / lanes;
	}
	if (!out->together)
		return;
	out->together = false; /* not in all lanes yet */
	flow_set_static(first + home * lanes, out->mask, out);
}

static int admit(struct flow_core *core, const struct gputm_thread_compactor_warp *made)
{
	struct tbc *t = core->state;
	uint32_t s = (uint32_t)made->tag;
	struct tbc_block *block = &t->block[s];
	int name = made->tag < t->count ?
			   gputm_block_stack_admit(block->stack, made->mask, made->thread) :
			   -EINVAL;
	struct flow_warp *warp;

	if (name < 0)
		return refused(core, 0, name);
	warp = &block->warp[name];
	warp->name = (uint32_t)name;
	warp->resident = s;
	warp->pc = (uint32_t)gputm_block_stack_pc(block->stack);
	set_lanes(core, s, made, &warp->lanes);
	for (uint64_t left = made->mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctzll(left);

		block->pending[l] &= ~(UINT64_C(1) << made->thread[l] / core->kernel->lanes);
	}
	block->running |= UINT32_C(1) << name;
	become_ready(t, s, UINT32_C(1) << name);
	return 0;
}

static int tick(struct flow_core *core)
{
	struct tbc *t = core->state;
	struct gputm_thread_compactor_warp made;
	int error = 0;

	gputm_thread_compactor_tick(t->compactor);
	if (gputm_thread_compactor_peek(t->compactor, &made)) {
		error = admit(core, &made);
		gputm_thread_compactor_pop(t->compactor);
	}
	if (!error)
		error = load(core);
	core->mechanism_due++;
	if (!gputm_thread_compactor_warps(t->compactor))
		core->mechanism_due = UINT64_MAX;
	return error;
}

/* ---- issue ---- */

static int launch(struct flow_core *core, uint32_t s)
{
	struct tbc *t = core->state;
	uint64_t mask[GPUTM_BLOCK_STACK_LANES_MAX] = { 0 };

	for (uint32_t w = 0; w < flow_warps(core); w++)
		for (uint32_t l = 0; l < core->kernel->lanes; l++)
			mask[l] |= (uint64_t)(flow_mask(core, s, w) >> l & 1) << w;
	if (gputm_block_stack_launch(t->block[s].stack, 0, mask) ||
	    gputm_block_priority_admit(t->priority, s))
		return refused(core, 0, 0);
	t->block[s].last = KERNEL_BLOCK_WARPS_MAX - 1;
	return compact(core, s, core->now);
}

static struct flow_warp *pick(struct flow_core *core)
{
	struct tbc *t = core->state;
	struct tbc_block *block;
	uint32_t s;

	if (!t->ready ||
	    gputm_block_priority_pick(t->priority, t->ready, &s) != GPUTM_BLOCK_PRIORITY_ISSUE)
		return NULL;
	block = &t->block[s];
	block->last = sim_next_after(block->ready, block->last);
	block->ready &= ~(UINT32_C(1) << block->last);
	if (!block->ready)
		t->ready &= ~(UINT64_C(1) << s);
	return &block->warp[block->last];
}

static void skip(struct flow_core *core, uint64_t slots)
{
	struct tbc *t = core->state;

	gputm_block_priority_advance(t->priority, slots);
}

/* ---- where warps continue ---- */

static int step(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	warp->pc = next;
	become_ready(core->state, warp->resident, UINT32_C(1) << warp->name);
	return 0;
}

/* The warp is finished: its threads wait at `next`, or have ended. */
static int end_warp(struct flow_core *core, struct flow_warp *warp, int result, uint32_t next)
{
	struct tbc *t = core->state;
	struct tbc_block *block = &t->block[warp->resident];

	if (result < 0 || result == GPUTM_BLOCK_STACK_FULL)
		return refused(core, warp->pc, result);
	block->running &= ~(UINT32_C(1) << warp->name);
	block->arrived = next;
	if (result == GPUTM_BLOCK_STACK_COMPACT)
		return compact(core, warp->resident, core->wheel.served);
	return 0;
}

static int go(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct tbc *t = core->state;
	int result = gputm_block_stack_arrive(t->block[warp->resident].stack, warp->name, next);

	if (result == GPUTM_BLOCK_STACK_CONTINUE)
		return step(core, warp, next);
	return end_warp(core, warp, result, next);
}

static int branch(struct flow_core *core, struct flow_warp *warp, const struct kernel_block *block)
{
	struct tbc *t = core->state;
	struct gputm_block_stack_target target = {
		.taken_pc = flow_point(core, block->way[0]),
		.other_pc = flow_point(core, block->way[1]),
		.rpc = flow_point(core, block->meeting),
		.lpc = flow_point(core, block->likely),
	};
	int result = gputm_block_stack_branch(t->block[warp->resident].stack, warp->name,
					      warp->taken, &target);

	return end_warp(core, warp, result, kernel_entry(core->kernel->code, block->meeting));
}

static void release(struct flow_core *core, uint32_t s)
{
	struct tbc *t = core->state;

	become_ready(t, s, t->block[s].waiting);
	t->block[s].waiting = 0;
}

static int barrier(struct flow_core *core, struct flow_warp *warp, uint32_t next)
{
	struct tbc *t = core->state;
	struct tbc_block *block = &t->block[warp->resident];
	int result = gputm_block_stack_barrier(block->stack, warp->name);

	if (result < 0)
		return refused(core, warp->pc, result);
	warp->pc = next;
	block->waiting |= UINT32_C(1) << warp->name;
	if (result == GPUTM_BLOCK_STACK_RELEASE)
		release(core, warp->resident);
	return 0;
}

static int leave(struct flow_core *core, struct flow_warp *warp, uint32_t lanes, uint32_t next,
		 bool last)
{
	struct tbc *t = core->state;
	uint32_t s = warp->resident;
	int result = gputm_block_stack_exit(t->block[s].stack, warp->name, lanes);

	if (result == GPUTM_BLOCK_STACK_CONTINUE) {
		warp->lanes.mask &= ~lanes;
		return last ? go(core, warp, next) : step(core, warp, next);
	}
	if (result == GPUTM_BLOCK_STACK_RELEASE)
		release(core, s);
	if (result == GPUTM_BLOCK_STACK_FINISH && gputm_block_priority_leave(t->priority, s))
		return refused(core, warp->pc, 0);
	return end_warp(core, warp, result, t->block[s].arrived);
}

/* ---- places ---- */

struct look {
	uint64_t seen[KERNEL_LANES];
	uint32_t first; /* thread number of the block's thread 0 */
	uint32_t lanes;
	flow_place *place;
	void *state;
};

/* Threads of a block mask that have no place yet are at pc. */
static void place_mask(struct look *look, const uint64_t mask[], uint32_t pc)
{
	for (uint32_t l = 0; l < look->lanes; l++) {
		for (uint64_t left = mask[l] & ~look->seen[l]; left; left &= left - 1) {
			uint32_t w = (uint32_t)__builtin_ctzll(left);

			look->place(look->state, look->first + w * look->lanes + l, pc);
		}
		look->seen[l] |= mask[l];
	}
}

static void place_warp(struct look *look, const struct flow_warp *warp)
{
	for (uint32_t left = warp->lanes.mask; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);
		uint32_t w = (warp->lanes.slot[l] - look->first) / look->lanes;

		look->place(look->state, warp->lanes.slot[l], warp->pc);
		look->seen[l] |= UINT64_C(1) << w;
	}
}

/*
 * From the top down: targets that are being filled, warps, threads that are in no warp yet,
 * those whose warp is over, and what waits in the entries below.
 */
static void places_of_block(const struct flow_core *core, uint32_t s, struct look *look)
{
	const struct tbc *t = core->state;
	const struct tbc_block *block = &t->block[s];
	struct gputm_block_stack_entry entry;
	size_t top = gputm_block_stack_top(block->stack);

	look->first = flow_resident_slot(core, s, 0);
	look->lanes = core->kernel->lanes;
	memset(look->seen, 0, sizeof(look->seen));
	for (size_t i = gputm_block_stack_depth(block->stack);
	     i-- > top + 1 && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, (uint32_t)entry.pc);
	for (uint32_t left = block->running; left; left &= left - 1)
		place_warp(look, &block->warp[__builtin_ctz(left)]);
	place_mask(look, block->pending, (uint32_t)gputm_block_stack_pc(block->stack));
	for (size_t i = top + 1; i-- && !gputm_block_stack_get_entry(block->stack, i, &entry);)
		place_mask(look, entry.mask, i == top ? block->arrived : (uint32_t)entry.pc);
}

static void places(const struct flow_core *core, flow_place *place, void *state)
{
	struct look look = { .place = place, .state = state };

	for (uint32_t s = 0; s < core->residents; s++)
		if (core->blocks.live[s])
			places_of_block(core, s, &look);
}

/* ---- units and life ---- */

static int make(struct flow_core *core, const void *wanted, void **out)
{
	struct sim_port *port = core->gpu->port;
	struct tbc *t = sim_calloc(1, sizeof(*t));
	struct tbc_config *config;
	int error = 0;

	*out = t;
	if (!t)
		return -ENOMEM;
	core->warps = t->warp;
	core->warp_count = core->residents * KERNEL_BLOCK_WARPS_MAX;
	for (uint32_t s = 0; s < core->residents; s++)
		t->block[s].warp = &t->warp[s * KERNEL_BLOCK_WARPS_MAX];
	config = &t->config;
	*config = *(const struct tbc_config *)wanted;
	config->stack.lanes = config->compactor.lanes = core->kernel->lanes;
	config->stack.warps = config->compactor.warps = flow_warps(core);
	config->stack.compact &= config->compactor.compact;
	config->compactor.compact = config->stack.compact;
	config->priority.blocks = core->residents;
	for (; !error && t->count < core->residents; t->count += !error)
		error = sim_unit_add(port, "block_stack", &kind_block_stack, &config->stack,
				     &t->block[t->count].stack);
	if (!error)
		error = sim_unit_add(port, "thread_compactor", &kind_thread_compactor,
				     &config->compactor, &t->compactor);
	if (!error)
		error = sim_unit_add(port, "block_priority", &kind_block_priority,
				     &config->priority, &t->priority);
	return error;
}

static void block_check(const struct tbc_block *block, struct sim_io *io)
{
	sim_io_below(io, "last", block->last, KERNEL_BLOCK_WARPS_MAX);
	for (uint32_t i = 0; i < KERNEL_BLOCK_WARPS_MAX; i++)
		sim_io_below(io, "warp", block->warp[i].name, KERNEL_BLOCK_WARPS_MAX);
}

static void io(struct flow_core *core, struct sim_io *io)
{
	struct tbc *t = core->state;

	for (uint32_t s = 0; s < t->count; s++) {
		struct tbc_block *block = &t->block[s];

		SIM_IO_FROM(io, block, running);
	}
	SIM_IO(io, t->ready);
	SIM_IO(io, t->queue);
	SIM_IO(io, t->queued);
	sim_io_must(io, "ready", !(t->ready & ~(UINT64_MAX >> (64 - t->count))));
	sim_io_below(io, "queued", t->queued, FLOW_WARPS_MAX + 1);
	for (uint32_t i = 0; i < FLOW_WARPS_MAX; i++)
		sim_io_below(io, "queue", t->queue[i], t->count);
	for (uint32_t s = 0; s < t->count; s++)
		block_check(&t->block[s], io);
}

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

#define TBC(called, said, start)                                                        \
	{                                                                               \
		FLOW_CLASS(called, said, struct tbc_config, roles, start, NULL,         \
			   flow_unused),                                                \
		.uniform = true,                                                        \
		.restores = FLOW_RESTORES_FULL_BLOCKS, .make = make, .free = sim_free,  \
		.launch = launch, .pick = pick, .skip = skip, .tick = tick,             \
		.step = step, .go = go, .branch = branch, .exit = leave,                \
		.barrier = barrier, .places = places, .io = io,                         \
	}

const struct flow_mechanism flow_tbc =
	TBC("tbc", "thread block compaction: a stack per thread block", init);
const struct flow_mechanism flow_tbc_lcp =
	TBC("tbc-lcp", "thread block compaction, also at likely-convergence points", init_likely);
