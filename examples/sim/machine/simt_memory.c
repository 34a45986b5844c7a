/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On a machine the rules are those of l1.h and of the other kind of core (issue.c): a warp waits
 * for its loads and atomics, and an instruction of n lines holds the port of an L1 for n cycles.
 *
 * Without a machine the L1 has a line for each wide access from the miss on, with the cycle at
 * which it arrives, so that a second access to it waits for the first one's data and does not cross
 * again. Writes go through and do not allocate; a warp that writes goes on when the last of them is
 * on its way, and nobody waits for an atomic.
 *
 * Stores are counted by thread, as warps may be formed anew between a store and a fence; those of a
 * static warp all by its first one.
 */
#include "simt_memory.h"

#include <errno.h>
#include <string.h>

#include "mechanism.h"
#include "wiring.h"
#include "../base/arena.h"

SIM_UNIT_KIND(access_coalescer, SIM_OF_CORE);

struct flow_memory {
	struct gputm_access_coalescer *coalescer;
	struct flow_core_config config; /* of its L1, also on a machine */
	struct sim_machine *machine;
	struct flow_core *core;
	/* Waiters: of a store its thread's slot of the core, and a warp that is at a fence. */
	struct sim_l1 l1;
	uint64_t free_at; /* without a machine: when the next line may be transferred */
	/* Without a machine, in kernels with fences: when the last store of each thread is done. */
	uint64_t stored[FLOW_WARPS_MAX * KERNEL_LANES];
	struct gputm_access_coalescer_access wide[KERNEL_LANES];
};

int flow_memory_new(struct flow_gpu *gpu, uint32_t core,
		    const struct gputm_access_coalescer_config *coalescer,
		    struct flow_memory **out)
{
	struct flow_memory *m = sim_calloc(1, sizeof(*m));
	int error;

	*out = m;
	if (!m)
		return -ENOMEM;
	m->config = gpu->config;
	m->machine = gpu->way;
	m->core = &gpu->core[core];
	if (m->machine) {
		m->config.l1_bytes = m->machine->config.l1_bytes;
		m->config.l1_ways = m->machine->config.l1_ways;
		m->config.l1_latency = m->machine->config.l1_latency;
	}
	error = sim_unit_add(gpu->port, "access_coalescer", &kind_access_coalescer, coalescer,
			     &m->coalescer);
	return error ? error : sim_l1_make(&m->l1, m->config.l1_bytes, m->config.l1_ways,
					   coalescer->region_bytes);
}

void flow_memory_free(struct flow_memory *m)
{
	if (!m)
		return;
	sim_l1_free(&m->l1);
	sim_free(m);
}

static uint64_t cross(struct flow_memory *m, uint64_t now)
{
	uint64_t start = now > m->free_at ? now : m->free_at;

	m->free_at = start + m->config.memory_interval;
	return start;
}

/* ---- transfers through the machine ---- */

static void send(struct flow_memory *m, uint8_t what, enum sim_op op,
		 const struct gputm_access_coalescer_access *wide, uint32_t waiters)
{
	struct sim_message message = { .c = SIM_NO_WORDS, .e = waiters, .what = what,
				       .core = (uint8_t)(m->core - m->core->gpu->core) };

	sim_l1_send(&m->machine->port, &message, op, wide,
		    m->config.l1_bytes ? UINT32_C(1) << m->l1.cache.shift : 0);
}

/* The number of a warp, as a waiter. */
static uint32_t number_of(const struct flow_memory *m, const struct flow_warp *warp)
{
	return (uint32_t)(warp - m->core->warps);
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
	for (uint32_t i = 0; i < m->l1.waiters.used; i++) {
		struct sim_waiter *w = sim_slab_at(&m->l1.waiters, i);

		if (w->thread == SIM_NOBODY || w->thread != thread[w->thread % lanes])
			continue;
		w->warp = number_of(m, warp);
		warp->awaited++;
	}
	return done;
}

void flow_memory_reply(struct flow_core *core, const struct sim_message *message, uint64_t now)
{
	struct flow_memory *m = core->memory;
	uint32_t first = message->e;
	struct sim_waiter waiter;

	if (message->what == SIM_DO_FETCH)
		sim_l1_arrives(&m->l1, message->a, first);
	while (sim_l1_next(&m->l1, &first, &waiter)) {
		struct flow_warp *warp;

		if (waiter.warp == SIM_NOBODY)
			continue;
		warp = &core->warps[waiter.warp];
		if (--warp->awaited)
			continue;
		core->awaiting--;
		warp->due = now + flow_core_rest(core, warp);
		flow_core_hang(core, warp);
	}
}

/* ---- accesses ---- */

/* Serve a load through the machine. @return when the data are there, or now if the warp awaits
 * the reply. */
static uint64_t load(struct flow_memory *m, uint64_t now,
		     const struct gputm_access_coalescer_access *wide, struct flow_warp *warp)
{
	uint32_t waiters;
	enum sim_l1_answer answer = sim_l1_load(&m->l1, &m->machine->port, wide->address,
						number_of(m, warp), SIM_NOBODY, &waiters);

	if (answer == SIM_L1_HERE)
		return now + m->config.l1_latency;
	warp->awaited++;
	if (answer == SIM_L1_MISSED)
		send(m, SIM_DO_FETCH, SIM_LOAD, wide, waiters);
	return now;
}

/* A store or an atomic through the machine; the warp awaits the old words. @return when the write
 * is on its way. */
static uint64_t write(struct flow_memory *m, uint64_t now, enum sim_op op,
		      const struct gputm_access_coalescer_access *wide, struct flow_warp *warp)
{
	bool waits = op != SIM_STORE;
	uint32_t waiters = SIM_NOBODY;

	sim_l1_remove(&m->l1, wide->address);
	if (waits) {
		waiters = sim_l1_await(&m->l1, &m->machine->port, number_of(m, warp), SIM_NOBODY,
				       SIM_NOBODY);
		warp->awaited++;
	}
	for (uint32_t left = waits ? 0 : storing(m, wide->lane_mask); left; left &= left - 1) {
		uint32_t thread = thread_of(m, warp->lanes.slot[__builtin_ctz(left)]);

		waiters = sim_l1_await(&m->l1, &m->machine->port, SIM_NOBODY, thread, waiters);
	}
	send(m, waits ? SIM_DO_ADD : SIM_DO_STORE, op, wide, waiters);
	return now;
}

/* The same without a machine. */
static uint64_t load_from_afar(struct flow_memory *m, uint64_t now, uint64_t address)
{
	bool hit;
	struct sim_cache_line *line = sim_cache_use(&m->l1.cache, address, &hit);

	*(hit ? &m->core->gpu->port->result.l1_hits : &m->core->gpu->port->result.l1_misses) += 1;
	if (!hit)
		line->arrives = cross(m, now) + m->config.memory_latency;
	return sim_later(now + m->config.l1_latency, line->arrives);
}

static uint64_t write_afar(struct flow_memory *m, uint64_t now, uint64_t lanes,
			   const struct flow_warp *warp)
{
	now = cross(m, now);
	m->core->stored = now + m->config.memory_latency;
	for (uint32_t left = m->core->kernel->code->fence ? storing(m, lanes) : 0; left;
	     left &= left - 1)
		m->stored[thread_of(m, warp->lanes.slot[__builtin_ctz(left)])] = m->core->stored;
	return now + m->config.l1_latency;
}

static uint64_t access_line(struct flow_memory *m, uint64_t now, const struct kernel_instr *i,
			    const struct gputm_access_coalescer_access *wide,
			    struct flow_warp *warp)
{
	enum sim_op op = i->op == KERNEL_LOAD ? SIM_LOAD : i->op == KERNEL_STORE ? SIM_STORE :
			 i->op == KERNEL_CAS ? SIM_CAS : SIM_ADD;

	if (m->machine)
		return op == SIM_LOAD ? load(m, now, wide, warp) : write(m, now, op, wide, warp);
	return op == SIM_LOAD ? load_from_afar(m, now, wide->address) :
				write_afar(m, now, wide->lane_mask, warp);
}

int flow_memory_access(struct flow_memory *m, uint64_t now, const struct kernel_instr *instr,
		       struct flow_warp *warp, const struct flow_effect *effect,
		       struct flow_access *out)
{
	static const uint32_t values[KERNEL_LANES];
	bool writes = instr->op != KERNEL_LOAD, ports = !m->machine || m->config.l1_bytes;
	int count = gputm_access_coalescer_merge_row(m->coalescer, effect->memory, effect->address,
						     writes ? values : NULL, m->wide, NULL);

	if (count < 0)
		return count;
	out->accesses = (uint32_t)count;
	out->port = ports ? out->accesses : 0;
	out->done = now;
	for (uint32_t i = 0; i < out->accesses; i++)
		out->done = sim_later(out->done, access_line(m, now + (ports ? i : 0), instr,
							     &m->wide[i], warp));
	return 0;
}

/* Requests and their replies name those who wait. */
void flow_memory_check(struct flow_core *core, const struct sim_message *message,
		       struct sim_io *io)
{
	sim_io_must(io, "message", message->what <= SIM_DO_ADD || message->what == SIM_DO_FETCH);
	sim_io_must(io, "message", message->c == SIM_NO_WORDS);
	sim_l1_claim(&core->memory->l1, io, message->e);
}

void flow_memory_io(struct flow_core *core, struct sim_io *io)
{
	struct flow_memory *m = core->memory;

	sim_l1_io(&m->l1, core->warp_count, FLOW_WARPS_MAX * KERNEL_LANES, io);
	SIM_IO(io, m->free_at);
	SIM_IO(io, m->stored);
}
