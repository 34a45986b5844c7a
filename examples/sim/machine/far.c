/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory at a fixed distance from the L1 of a core, for runs without a machine. The L1 has a line
 * for each wide access from the miss on, with the cycle at which it arrives, so that a second
 * access to it waits for the first one's data and does not cross again. Misses and all writes cross
 * one after the other. Writes do not allocate; a warp that writes goes on when the last of them is
 * on its way, and nobody waits for an atomic. Contents change when the instruction issues.
 */
#include "plain.h"
#include "wiring.h"

static uint64_t cross(struct sim_plain *p, uint64_t now)
{
	uint64_t start = sim_later(now, p->far.free);

	p->far.free = start + p->config.memory_interval;
	return start;
}

/* @return when the data are here. */
static uint64_t load(struct sim_machine *machine, uint64_t now, uint64_t address)
{
	struct sim_result *r = &machine->port.result;
	struct sim_cache_line *line;
	bool hit;

	line = sim_cache_use(&machine->core->l1.cache, address, &hit);
	r->l1_hits += hit;
	r->l1_misses += !hit;
	if (!hit)
		line->arrives = cross(machine->plain, now) + machine->plain->config.memory_latency;
	return sim_later(now + machine->config.l1_latency, line->arrives);
}

/* Where warps are static, the stores of a warp are those of all its threads. */
static uint64_t fenced(const struct sim_warp *warp, uint64_t lanes)
{
	return warp->stack ? 1 : lanes;
}

/* @return when the write is on its way. */
static uint64_t write(struct sim_machine *machine, uint64_t now, const struct sim_warp *warp,
		      uint64_t lanes)
{
	struct sim_far *far = &machine->plain->far;

	now = cross(machine->plain, now);
	far->stored = now + machine->plain->config.memory_latency;
	for (SIM_EACH_LANE(lane, machine->fences ? fenced(warp, lanes) : 0))
		far->stored_by[warp->home[lane]][lane] = far->stored;
	return now + machine->config.l1_latency;
}

/* Lanes one after the other: the last one stays in a word. */
void sim_perform_now(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		     uint64_t mask)
{
	struct sim_memory *memory = machine->port.memory;

	for (SIM_EACH_LANE(lane, mask)) {
		uint32_t old = sim_memory_read(memory, warp->address[lane]);

		if (op == SIM_STORE || (op == SIM_CAS && old == warp->compare[lane]))
			sim_memory_write(memory, warp->address[lane], warp->value[lane]);
		else if (op == SIM_ADD)
			sim_memory_write(memory, warp->address[lane], old + warp->value[lane]);
		if (op != SIM_STORE)
			warp->loaded[lane] = old;
	}
}

void sim_far_access(struct sim_machine *machine, struct sim_warp *warp, enum sim_op op,
		    uint64_t mask)
{
	struct gputm_access_coalescer_access wide[SIM_MAX_LANES];
	uint64_t now = machine->port.now, done = now;
	uint32_t count = sim_find_lines(&machine->port, warp, op != SIM_LOAD, mask, wide);

	sim_perform_now(machine, warp, op, mask);
	machine->port.result.accesses += count;
	for (uint32_t i = 0; i < count; i++)
		done = sim_later(done, op == SIM_LOAD ?
				 load(machine, now + i, wide[i].address) :
				 write(machine, now + i, warp, wide[i].lane_mask));
	sim_issues_for(machine, warp, count, done - now + machine->config.plain_latency);
}

void sim_far_fence(struct sim_machine *machine, struct sim_warp *warp)
{
	uint64_t done = machine->port.now;

	for (SIM_EACH_LANE(lane, fenced(warp, sim_active(warp))))
		done = sim_later(done, machine->plain->far.stored_by[warp->home[lane]][lane]);
	if (done > machine->port.now)
		sim_plain_remember(machine, warp);
	sim_warp_until(&machine->port, warp, done + machine->config.plain_latency);
}
