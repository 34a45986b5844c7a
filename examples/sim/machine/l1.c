/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The L1 has a line for each wide access. The line is in its set from the miss on, with the cycle
 * at which it arrives, so that a second access to it waits for the first one's data and does not
 * cross again. Writes go through and do not allocate; a warp that writes goes on when the last of
 * them is on its way. An add is done at the L2; a warp that wants the old words waits for them,
 * where there is an L2.
 *
 * Stores are counted by thread, as warps may be formed anew between a store and a fence; those of a
 * static warp all by its first one.
 */
#include "l1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism.h"
#include "wiring.h"

SIM_UNIT_KIND(access_coalescer, SIM_OF_CORE);

#define NOBODY UINT32_MAX
#define ON_ITS_WAY UINT64_MAX

/* A warp that awaits replies. A reply carries the number of its first waiter. */
struct waiter {
	uint32_t next; /* first: in a free waiter the other fields keep their old values */
	uint32_t thread; /* slot of the core whose store this is; or NOBODY */
	struct flow_warp *warp; /* NULL for a store, unless the warp is at a fence */
};

struct flow_memory {
	struct gputm_access_coalescer *coalescer;
	struct flow_core_config config;
	struct sim_machine *machine;
	struct flow_core *core;
	struct sim_cache l1; /* waiters of a line: the first of those for which it is on its way */
	uint64_t free_at; /* without a machine: when the next line may be transferred */
	uint64_t hits, misses;
	struct sim_slab waiters;
	/* Without a machine, in kernels with fences: when the last store of each thread is done. */
	uint64_t stored[FLOW_WARPS_MAX * KERNEL_LANES];
	struct gputm_wide_access wide[KERNEL_LANES];
};

int flow_memory_new(struct flow_gpu *gpu, uint32_t core,
		    const struct gputm_access_coalescer_config *coalescer,
		    struct flow_memory **out)
{
	struct flow_memory *m = calloc(1, sizeof(*m));
	int error;

	*out = m;
	if (!m)
		return -ENOMEM;
	m->config = gpu->config;
	m->machine = gpu->way;
	m->core = &gpu->core[core];
	m->waiters.block = sizeof(struct waiter);
	error = sim_unit_add(gpu->port, "coalescer", &kind_access_coalescer, coalescer,
			     &m->coalescer);
	return error ? error : sim_cache_make(&m->l1, gpu->config.l1_bytes, gpu->config.l1_ways,
					      coalescer->region_bytes);
}

void flow_memory_free(struct flow_memory *m)
{
	if (!m)
		return;
	free(m->waiters.memory);
	sim_cache_free(&m->l1);
	free(m);
}

static uint64_t cross(struct flow_memory *m, uint64_t now)
{
	uint64_t start = now > m->free_at ? now : m->free_at;

	m->free_at = start + m->config.memory_interval;
	return start;
}

/* ---- transfers through the machine ---- */

/* Add a waiter, a warp or a thread's store, behind those at `first`; without these it is the first.
 * @return the number of the first waiter. */
static uint32_t await(struct flow_memory *m, struct flow_warp *warp, uint32_t thread,
		      uint32_t first)
{
	uint32_t index = sim_slab_take(&m->waiters);
	struct waiter *w, *before;

	if (index == SIM_SLAB_NONE) {
		sim_fail(&m->machine->port, -ENOMEM, "no memory for a load");
		return NOBODY;
	}
	w = sim_slab_at(&m->waiters, index);
	*w = (struct waiter){ NOBODY, thread, warp };
	if (warp)
		warp->awaited++;
	if (first == NOBODY)
		return index;
	before = sim_slab_at(&m->waiters, first);
	w->next = before->next;
	before->next = index;
	return first;
}

static void send(struct flow_memory *m, uint8_t what, const struct gputm_wide_access *wide,
		 uint32_t waiters)
{
	struct sim_port *port = &m->machine->port;
	uint32_t data = what == SIM_DO_FETCH ? 0 :
					       4 * (uint32_t)__builtin_popcountll(wide->lane_mask);
	struct sim_message message = {
		.a = wide->address, .b = wide->lane_mask, .c = SIM_NO_WORDS,
		.d = UINT32_C(1) << m->l1.shift, .e = waiters, .what = what,
		.kind = what == SIM_DO_FETCH ? SIM_TRAFFIC_LOAD :
			what == SIM_DO_STORE ? SIM_TRAFFIC_STORE : SIM_TRAFFIC_ATOMIC,
		.core = (uint8_t)(m->core - m->core->gpu->core),
		.partition = (uint8_t)sim_partition_of(port, wide->address),
	};

	sim_send_up(port, &message, 8 + data);
}

static uint32_t thread_of(const struct flow_memory *m, uint32_t slot)
{
	const struct flow_threads *t = m->core->threads;

	return flow_resident_of(t, slot) * t->warps * t->kernel->lanes + flow_thread_of(t, slot);
}

/* Lanes with a thread that has one of these stores. */
static uint32_t storing(const struct flow_memory *m, uint64_t lanes)
{
	return m->core->mechanism->fixed ? 1 : (uint32_t)lanes;
}

uint64_t flow_memory_fence(struct flow_memory *m, struct flow_warp *warp)
{
	uint32_t lanes = m->core->kernel->lanes, thread[KERNEL_LANES];
	uint64_t done = 0;

	memset(thread, 0xff, sizeof thread);
	for (uint32_t left = storing(m, warp->lanes.mask), l; left; left &= left - 1) {
		l = (uint32_t)__builtin_ctz(left);
		thread[l] = thread_of(m, warp->lanes.slot[l]);
		done = sim_later(done, m->stored[thread[l]]);
	}
	for (uint32_t i = 0; i < m->waiters.used; i++) {
		struct waiter *w = sim_slab_at(&m->waiters, i);

		if (w->thread == NOBODY || w->thread != thread[w->thread % lanes])
			continue;
		w->warp = warp;
		warp->awaited++;
	}
	return done;
}

void flow_memory_reply(struct flow_core *core, const struct sim_message *message, uint64_t now)
{
	struct flow_memory *m = core->memory;
	struct sim_cache_line *line;
	bool hit;

	if (message->e == NOBODY)
		return;
	line = sim_cache_find(&m->l1, message->a, &hit);
	if (line->arrives == ON_ITS_WAY && line->waiters == message->e)
		line->arrives = now;
	for (uint32_t i = message->e, next; i != NOBODY; i = next) {
		struct waiter *w = sim_slab_at(&m->waiters, i);
		struct flow_warp *warp = w->warp;

		next = w->next;
		w->thread = NOBODY;
		sim_slab_give(&m->waiters, i);
		if (!warp || --warp->awaited)
			continue;
		core->awaiting--;
		warp->due = now + m->config.latency;
		flow_core_hang(core, warp);
	}
}

/* ---- accesses ---- */

/* Serve a load: when the data are there, or now if the warp awaits the reply. */
static uint64_t load(struct flow_memory *m, uint64_t now, const struct gputm_wide_access *wide,
		     struct flow_warp *warp)
{
	bool hit;
	struct sim_cache_line *line = sim_cache_use(&m->l1, wide->address, &hit);

	m->hits += hit;
	m->misses += !hit;
	if (!hit && !m->machine)
		line->arrives = cross(m, now) + m->config.memory_latency;
	if (m->machine && (!hit || line->arrives == ON_ITS_WAY)) {
		line->arrives = ON_ITS_WAY;
		line->waiters = await(m, warp, NOBODY, hit ? line->waiters : NOBODY);
		if (!hit)
			send(m, SIM_DO_FETCH, wide, line->waiters);
		return now;
	}
	return now + m->config.l1_latency > line->arrives ? now + m->config.l1_latency :
							    line->arrives;
}

/* When the write is on its way. */
static uint64_t write(struct flow_memory *m, uint64_t now, const struct kernel_instr *i,
		      const struct gputm_wide_access *wide, struct flow_warp *warp)
{
	bool atomic = i->op != KERNEL_STORE;
	bool waits = m->machine && atomic && i->d != KERNEL_NO_COLUMN;
	bool counts = m->core->kernel->code->fence && !waits;
	uint32_t waiters = waits ? await(m, warp, NOBODY, NOBODY) : NOBODY;

	if (!m->machine) {
		now = cross(m, now);
		m->core->stored = now + m->config.memory_latency;
	}
	for (uint32_t left = counts ? storing(m, wide->lane_mask) : 0; left; left &= left - 1) {
		uint32_t thread = thread_of(m, warp->lanes.slot[__builtin_ctz(left)]);

		if (m->machine)
			waiters = await(m, NULL, thread, waiters);
		else
			m->stored[thread] = m->core->stored;
	}
	if (m->machine)
		send(m, atomic ? SIM_DO_ADD : SIM_DO_STORE, wide, waiters);
	return now + m->config.l1_latency;
}

int flow_memory_access(struct flow_memory *m, uint64_t now, const struct kernel_instr *instr,
		       struct flow_warp *warp, const struct flow_effect *effect,
		       struct flow_access *out)
{
	static const uint32_t values[KERNEL_LANES];
	bool writes = instr->op != KERNEL_LOAD;
	int count = gputm_access_coalescer_row(m->coalescer, effect->memory, effect->address,
					       writes ? values : NULL, m->wide, NULL);

	if (count < 0)
		return count;
	out->accesses = (uint32_t)count;
	out->done = now;
	for (uint32_t i = 0; i < out->accesses; i++) {
		uint64_t done = writes ? write(m, now + i, instr, &m->wide[i], warp) :
					 load(m, now + i, &m->wide[i], warp);

		if (done > out->done)
			out->done = done;
	}
	return 0;
}

void flow_memory_counts(const struct flow_memory *m, uint64_t *hits, uint64_t *misses)
{
	*hits = m->hits;
	*misses = m->misses;
}

void flow_memory_io(struct flow_core *core, struct sim_io *io)
{
	struct flow_memory *m = core->memory;

	sim_cache_io(&m->l1, io);
	SIM_IO(io, m->free_at);
	SIM_IO(io, m->hits);
	SIM_IO(io, m->misses);
	sim_slab_io(&m->waiters, io);
	SIM_IO(io, m->stored);
	for (uint32_t i = 0; i < m->waiters.used && sim_io_ok(io); i++) {
		struct waiter *w = sim_slab_at(&m->waiters, i);

		sim_io_link(io, "waiter", &w->warp, core->warps);
	}
}
