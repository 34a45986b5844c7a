/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The L1 has a line for each wide access. The line is in its set from the miss on, with the cycle
 * at which it arrives, so that a second access to it waits for the first one's data and does not
 * cross again. Writes go through and do not allocate; a warp that writes goes on when the last of
 * them is on its way. An add is done at the L2; a warp that wants the old words waits for them,
 * where there is an L2.
 */
#include "l1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wiring.h"

SIM_UNIT_KIND(access_coalescer);

#define NOBODY UINT32_MAX
#define ON_ITS_WAY UINT64_MAX

/* A warp that awaits a reply; the first one of a reply has its number. */
struct waiter {
	uint32_t next; /* first: of one that is free the rest stays */
	uint32_t write; /* the warp awaits it at a fence only */
	struct flow_warp *warp;
};

struct flow_memory {
	struct gputm_access_coalescer *coalescer;
	struct flow_core_config config;
	struct sim_machine *machine;
	uint32_t core;
	bool fences; /* of the kernel: writes are awaited */
	struct sim_cache l1; /* waiters of a line: the first of those for which it is on its way */
	uint64_t free_at; /* without a machine: when the next line may cross */
	uint64_t hits, misses;
	struct sim_slab waiters;
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
	m->machine = gpu->machine;
	m->core = core;
	m->fences = gpu->kernel->code->fence;
	m->waiters.block = sizeof(struct waiter);
	error = sim_unit_add(&gpu->port, "coalescer", &kind_access_coalescer, coalescer,
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

/* ---- the way through the machine ---- */

/* The warp awaits a reply behind those at `first`, or is the first: whose number that is. */
static uint32_t await(struct flow_memory *m, struct flow_warp *warp, uint32_t first, bool write)
{
	uint32_t index = sim_slab_take(&m->waiters);
	struct waiter *w, *before;

	if (index == SIM_SLAB_NONE) {
		sim_fail(&m->machine->port, -ENOMEM, "no memory for a load");
		return NOBODY;
	}
	w = sim_slab_at(&m->waiters, index);
	*w = (struct waiter){ NOBODY, write, warp };
	*(write ? &warp->stores : &warp->awaited) += 1;
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
		.core = (uint8_t)m->core,
		.partition = (uint8_t)sim_partition_of(port, wide->address),
	};

	sim_send_up(port, &message, 8 + data);
}

/* Does it wait there for its stores? */
static bool at_fence(const struct flow_core *core, const struct flow_warp *warp)
{
	return warp->awaited && core->kernel->code->instr[warp->pc].op == KERNEL_FENCE;
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
		const struct waiter w = *(const struct waiter *)sim_slab_at(&m->waiters, i);
		struct flow_warp *warp = w.warp;

		next = w.next;
		sim_slab_give(&m->waiters, i);
		warp->stores -= w.write;
		if ((w.write && !at_fence(core, warp)) || --warp->awaited)
			continue;
		core->awaiting--;
		warp->due = now + m->config.latency;
		flow_core_hang(core, warp);
	}
}

/* ---- accesses ---- */

/* When the data are there; now, if the warp awaits them. */
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
		line->waiters = await(m, warp, hit ? line->waiters : NOBODY, false);
		if (!hit)
			send(m, SIM_DO_FETCH, wide, line->waiters);
		return now;
	}
	return now + m->config.l1_latency > line->arrives ? now + m->config.l1_latency :
							    line->arrives;
}

/* When it is on its way. */
static uint64_t write(struct flow_memory *m, uint64_t now, const struct kernel_instr *i,
		      const struct gputm_wide_access *wide, struct flow_warp *warp)
{
	bool atomic = i->op != KERNEL_STORE, waits = atomic && i->d != KERNEL_NO_COLUMN;

	if (!m->machine) {
		now = cross(m, now);
		warp->stored = now + m->config.memory_latency;
	} else {
		send(m, atomic ? SIM_DO_ADD : SIM_DO_STORE, wide,
		     waits || m->fences ? await(m, warp, NOBODY, !waits) : NOBODY);
	}
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
	for (uint32_t i = 0; i < m->waiters.used && sim_io_ok(io); i++) {
		struct waiter *w = sim_slab_at(&m->waiters, i);

		sim_io_link(io, "waiter", &w->warp, core->warps);
	}
}
