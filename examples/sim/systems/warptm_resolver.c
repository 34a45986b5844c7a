/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolution of the conflicts within a warp, between the units and the machine; see
 * warptm.c. A warp takes a buffer, is resolved, holds the buffer until the core's engine
 * has spent its cycles on it, and goes on to the sequencer.
 */
#include <stdlib.h>
#include <string.h>

#include "logs.h"
#include "warptm.h"
#include "../base/arena.h"

SIM_UNIT_KIND(ownership_table, SIM_OF_CORE);
SIM_UNIT_KIND(sequential_resolver, SIM_OF_CORE);

static bool table_at_work(const struct warptm *tm)
{
	return tm->config->system.resolver == RESOLVER_2PCR;
}

static void collect(struct sim_port *port, const struct gputm_tx_log *log,
		    enum gputm_tx_log_kind kind, uint32_t rows, struct gputm_resolver_row *to)
{
	for (uint32_t i = 0; i < rows; i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, kind, i);

		to[i] = (struct gputm_resolver_row){ row.mask, row.address };
	}
}

static void resolve(struct sim_port *port, struct sim_warp *warp, uint32_t buffer,
		    struct gputm_resolver_outcome *out)
{
	struct warptm *tm = sim_warptm_of(port);
	struct resolver *resolver = &tm->resolver[warp->core];
	const struct gputm_tx_log *log = tm->kilo.log[warp->number];
	uint32_t reads = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ);
	uint32_t writes = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE);
	struct gputm_resolver_logs logs;
	int result;

	memset(out, 0, sizeof *out);
	if (!SIM_ROOM(tm->row, tm->rows, reads + writes)) {
		sim_fail(port, -ENOMEM, "no memory for the logs of a warp");
		return;
	}
	collect(port, log, GPUTM_TX_LOG_KIND_READ, reads, tm->row);
	collect(port, log, GPUTM_TX_LOG_KIND_WRITE, writes, tm->row + reads);
	logs = (struct gputm_resolver_logs){ tm->row, tm->row + reads, reads, writes };
	result =
		table_at_work(tm)
			? gputm_ownership_table_resolve(resolver->table, buffer, &logs, out)
			: gputm_sequential_resolver_resolve(resolver->sequence, buffer, &logs, out);
	sim_must(port, result, "the resolver refused a warp");
}

static bool acquire(struct sim_port *port, struct sim_warp *warp, uint32_t *buffer)
{
	struct warptm *tm = sim_warptm_of(port);
	struct resolver *resolver = &tm->resolver[warp->core];
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack);
	int result = table_at_work(tm)
			     ? gputm_ownership_table_acquire(resolver->table, lanes, buffer)
			     : gputm_sequential_resolver_acquire(resolver->sequence, lanes, buffer);

	sim_must(port, result, "the resolver refused a warp");
	return result == GPUTM_RESOLVER_ACQUIRED;
}

static void release(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);
	struct resolver *resolver = &tm->resolver[warp->core];
	uint32_t buffer = resolver->warp[warp->index].buffer;

	sim_must(port,
		 table_at_work(tm) ? gputm_ownership_table_release(resolver->table, buffer)
				   : gputm_sequential_resolver_release(resolver->sequence, buffer),
		 "the resolver refused a buffer");
}

/* Begin the resolution of the warp; false if there is no free buffer. */
static bool start(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);
	struct resolver *resolver = &tm->resolver[warp->core];
	struct warp_state *state = &resolver->warp[warp->index];
	struct gputm_resolver_outcome resolution;
	uint64_t now = sim_now(port), cycles;

	if (!acquire(port, warp, &state->buffer))
		return false;
	resolve(port, warp, state->buffer, &resolution);
	cycles = resolution.initialise_cycles + resolution.construct_cycles +
		 resolution.match_cycles;
	if (!tm->config->system.resolver_overhead)
		cycles = 0;
	if (resolver->free < now)
		resolver->free = now;
	resolver->free += cycles * port->core_ticks;
	resolver->resolving |= UINT64_C(1) << warp->index;
	state->due = resolver->free;
	state->aborted = resolution.aborted;
	return true;
}

void sim_warptm_hand_over(struct sim_port *port, struct sim_warp *warp)
{
	sim_warptm_of(port)->resolver[warp->core].resolved |= UINT64_C(1) << warp->index;
	sim_kilo_commit(port, warp);
}

static void end_resolution(struct sim_port *port, struct sim_warp *warp)
{
	struct warptm *tm = sim_warptm_of(port);
	struct resolver *resolver = &tm->resolver[warp->core];
	const struct warp_state *state = &resolver->warp[warp->index];

	release(port, warp);
	resolver->resolving &= ~(UINT64_C(1) << warp->index);
	if (state->aborted) {
		sim_tx_abort(port, warp, state->aborted, SIM_ABORT_INTRA_WARP);
		sim_log_restart(port, tm->kilo.log[warp->number], state->aborted);
	}
	sim_warptm_hand_over(port, warp);
}

static void start_queued(struct sim_port *port, uint32_t core)
{
	struct resolver *resolver = &sim_warptm_of(port)->resolver[core];

	while (resolver->queued &&
	       start(port, sim_warp_of(port, core, resolver->queue[0])))
		memmove(resolver->queue, resolver->queue + 1, --resolver->queued);
}

uint64_t sim_resolver_tick(struct sim_port *port, uint32_t core)
{
	struct resolver *resolver = &sim_warptm_of(port)->resolver[core];
	uint64_t next = SIM_NEVER;

	for (SIM_EACH_LANE(i, resolver->resolving))
		if (resolver->warp[i].due <= sim_now(port))
			end_resolution(port, sim_warp_of(port, core, (uint32_t)i));
	start_queued(port, core);
	for (SIM_EACH_LANE(i, resolver->resolving))
		if (resolver->warp[i].due < next)
			next = resolver->warp[i].due;
	return next;
}

void sim_resolver_push(struct sim_port *port, struct sim_warp *warp)
{
	struct resolver *resolver = &sim_warptm_of(port)->resolver[warp->core];
	uint64_t next = sim_now(port) + port->core_ticks;

	if (resolver->queued == sizeof resolver->queue)
		sim_fail(port, -EINVAL, "more warps wait for a resolver than the core has");
	else if (resolver->queued || !start(port, warp))
		resolver->queue[resolver->queued++] = warp->index;
	port->host->call_core(port, warp->core, sim_align(next, port->core_ticks));
}

int sim_resolvers_make(struct sim_port *port, struct warptm *tm)
{
	uint32_t cores = port->shape.cores, resolver = tm->config->system.resolver;
	int error = 0;

	tm->resolver = sim_calloc(cores, sizeof *tm->resolver);
	tm->state = sim_calloc((size_t)cores * port->shape.warps, sizeof *tm->state);
	if (!tm->resolver || !tm->state)
		return -ENOMEM;
	tm->exact = tm->config->sequential_resolver;
	tm->exact.exact = tm->exact.exact || resolver == RESOLVER_IDEAL;
	for (uint32_t i = 0; !error && i < cores; i++) {
		tm->resolver[i].warp = tm->state + (size_t)i * port->shape.warps;
		if (resolver == RESOLVER_2PCR)
			error = sim_unit_add(port, "ownership_table", &kind_ownership_table,
					     &tm->config->ownership_table,
					     &tm->resolver[i].table);
		else if (resolver != RESOLVER_NONE)
			error = sim_unit_add(port, "sequential_resolver",
					     &kind_sequential_resolver, &tm->exact,
					     &tm->resolver[i].sequence);
	}
	return error;
}
