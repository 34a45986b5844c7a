/* SPDX-License-Identifier: BSD-2-Clause */
#include "l1.h"

#include <errno.h>

#include "wiring.h"
#include "../base/arena.h"

#define ON_ITS_WAY UINT64_MAX

int sim_l1_make(struct sim_l1 *l1, uint32_t bytes, uint32_t ways, uint64_t line_bytes)
{
	l1->waiters.block = sizeof(struct sim_waiter);
	return bytes ? sim_cache_make(&l1->cache, bytes, ways, line_bytes) : 0;
}

void sim_l1_free(struct sim_l1 *l1)
{
	sim_free(l1->waiters.memory);
	sim_cache_free(&l1->cache);
}

/* A waiter is the next of one other, or is the first of a message, and a line may know that. */
enum { FIRST_OF_LINE = 2 };

static void line_check(const struct sim_l1 *l1, const struct sim_cache_line *line,
		       struct sim_io *io)
{
	if (!line->number || line->arrives != ON_ITS_WAY)
		return;
	sim_slab_claim(&l1->waiters, io, line->waiters);
	if (sim_io_ok(io))
		sim_slab_owned(&l1->waiters)[line->waiters] = FIRST_OF_LINE;
}

void sim_l1_io(struct sim_l1 *l1, uint32_t warps, uint64_t threads, struct sim_io *io)
{
	const struct sim_cache *cache = &l1->cache;
	const struct sim_slab *waiters = &l1->waiters;

	sim_cache_io(&l1->cache, io);
	sim_slab_io(&l1->waiters, io);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < waiters->used; i++) {
		const struct sim_waiter *waiter = sim_slab_at(waiters, i);

		if (sim_slab_owned(waiters)[i])
			continue;
		sim_io_must(io, "waiter", waiter->warp == SIM_NOBODY || waiter->warp < warps);
		sim_io_must(io, "waiter", waiter->thread == SIM_NOBODY || waiter->thread < threads);
	}
	for (uint32_t i = 0; io->loading && cache->line && i < cache->sets * cache->ways; i++)
		line_check(l1, &cache->line[i], io);
}

/* All that wait after the first one are named by the one before. */
void sim_l1_claim(const struct sim_l1 *l1, struct sim_io *io, uint32_t first)
{
	if (first < l1->waiters.used && sim_slab_owned(&l1->waiters)[first] == FIRST_OF_LINE)
		sim_slab_owned(&l1->waiters)[first] = 0;
	for (uint32_t i = first; i != SIM_NOBODY && sim_io_ok(io);) {
		const struct sim_waiter *waiter;

		sim_slab_claim(&l1->waiters, io, i);
		if (!sim_io_ok(io))
			return;
		waiter = sim_slab_at(&l1->waiters, i);
		i = waiter->next;
	}
}

uint32_t sim_l1_await(struct sim_l1 *l1, struct sim_port *port, uint32_t warp, uint32_t thread,
		      uint32_t first)
{
	uint32_t index = sim_slab_take(&l1->waiters);
	struct sim_waiter *waiter, *before;

	if (index == SIM_SLAB_NONE) {
		sim_fail(port, -ENOMEM, "no memory for an access");
		return SIM_NOBODY;
	}
	waiter = sim_slab_at(&l1->waiters, index);
	*waiter = (struct sim_waiter){ SIM_NOBODY, warp, thread };
	if (first == SIM_NOBODY)
		return index;
	before = sim_slab_at(&l1->waiters, first);
	waiter->next = before->next;
	before->next = index;
	return first;
}

enum sim_l1_answer sim_l1_load(struct sim_l1 *l1, struct sim_port *port, uint64_t address,
			       uint32_t warp, uint32_t thread, uint32_t *first)
{
	struct sim_cache_line none = { 0 }, *line = &none;
	bool hit = false;

	if (l1->cache.line)
		line = sim_cache_use(&l1->cache, address, &hit);
	port->result.l1_hits += hit;
	port->result.l1_misses += !hit && l1->cache.line;
	if (hit && line->arrives != ON_ITS_WAY)
		return SIM_L1_HERE;
	*first = sim_l1_await(l1, port, warp, thread, hit ? line->waiters : SIM_NOBODY);
	line->arrives = ON_ITS_WAY;
	line->waiters = *first;
	return hit ? SIM_L1_JOINED : SIM_L1_MISSED;
}

void sim_l1_remove(struct sim_l1 *l1, uint64_t address)
{
	struct sim_cache_line *line;
	bool hit;

	if (!l1->cache.line)
		return;
	line = sim_cache_find(&l1->cache, address, &hit);
	if (hit)
		*line = (struct sim_cache_line){ 0 };
}

void sim_l1_arrives(struct sim_l1 *l1, uint64_t address, uint32_t first)
{
	struct sim_cache_line *line;
	bool hit;

	if (!l1->cache.line)
		return;
	line = sim_cache_find(&l1->cache, address, &hit);
	if (hit && line->arrives == ON_ITS_WAY && line->waiters == first)
		line->arrives = 0;
}

bool sim_l1_next(struct sim_l1 *l1, uint32_t *first, struct sim_waiter *out)
{
	struct sim_waiter *waiter;

	if (*first >= l1->waiters.used) /* SIM_NOBODY, too */
		return false;
	waiter = sim_slab_at(&l1->waiters, *first);
	*out = *waiter;
	waiter->thread = SIM_NOBODY;
	sim_slab_give(&l1->waiters, *first);
	*first = out->next;
	return true;
}

/* ---- requests ---- */

/* Bytes of the 32 B sectors that hold the words. */
static uint32_t sector_bytes(uint32_t words)
{
	return 32 * ((uint32_t)!!(words & 0xff) + !!(words & 0xff00) + !!(words & 0xff0000) +
		     !!(words >> 24));
}

void sim_l1_send(struct sim_port *port, struct sim_message *message, enum sim_op op,
		 const struct gputm_access_coalescer_access *wide, uint32_t line_bytes)
{
	uint32_t bytes = 8;

	message->a = wide->address;
	message->b = wide->lane_mask;
	message->partition = (uint8_t)sim_partition_of(port, wide->address);
	message->kind = SIM_TRAFFIC_ATOMIC;
	if (op == SIM_STORE) {
		message->kind = SIM_TRAFFIC_STORE;
		message->d = sector_bytes(wide->word_mask);
		bytes += message->d;
	} else if (op == SIM_CAS) {
		bytes += 8 * (uint32_t)__builtin_popcountll(wide->lane_mask);
	} else if (op == SIM_ADD) {
		bytes += 4 * (uint32_t)__builtin_popcountll(wide->lane_mask);
	} else {
		message->kind = SIM_TRAFFIC_LOAD;
		message->d = line_bytes ? line_bytes : sector_bytes(wide->word_mask);
	}
	sim_send_up(port, message, bytes);
}
