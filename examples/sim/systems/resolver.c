/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolution of the conflicts within a warp, between the units and the machine; see resolver.h. */
#include <stdlib.h>
#include <string.h>

#include "logs.h"
#include "resolver.h"
#include "../base/arena.h"

SIM_UNIT_KIND(ownership_table, SIM_OF_CORE);
SIM_UNIT_KIND(sequential_resolver, SIM_OF_CORE);

static bool table_at_work(const struct resolvers *resolvers)
{
	return resolvers->use.kind == RESOLVER_2PCR;
}

static void collect(struct sim_port *port, const struct gputm_tx_log *log,
		    enum gputm_tx_log_kind kind, uint32_t rows, struct gputm_resolver_row *to)
{
	for (uint32_t i = 0; i < rows; i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, kind, i);

		to[i] = (struct gputm_resolver_row){ row.mask, row.address };
	}
}

static void resolve(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp,
		    uint32_t buffer, struct gputm_resolver_outcome *out)
{
	struct resolver *resolver = &resolvers->core[warp->core];
	const struct gputm_tx_log *log = resolvers->use.log(port, warp);
	uint32_t reads = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_READ);
	uint32_t writes = gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE);
	struct gputm_resolver_logs logs;
	int result;

	memset(out, 0, sizeof *out);
	if (!SIM_ROOM(resolvers->row, resolvers->rows, reads + writes)) {
		sim_fail(port, -ENOMEM, "no memory for the logs of a warp");
		return;
	}
	collect(port, log, GPUTM_TX_LOG_KIND_READ, reads, resolvers->row);
	collect(port, log, GPUTM_TX_LOG_KIND_WRITE, writes, resolvers->row + reads);
	logs = (struct gputm_resolver_logs){ resolvers->row, resolvers->row + reads, reads,
					     writes };
	result =
		table_at_work(resolvers)
			? gputm_ownership_table_resolve(resolver->table, buffer, &logs, out)
			: gputm_sequential_resolver_resolve(resolver->sequence, buffer, &logs, out);
	sim_must(port, result, "the resolver refused a warp");
}

static bool acquire(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp,
		    uint32_t *buffer)
{
	struct resolver *resolver = &resolvers->core[warp->core];
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack);
	int result = table_at_work(resolvers)
			     ? gputm_ownership_table_acquire(resolver->table, lanes, buffer)
			     : gputm_sequential_resolver_acquire(resolver->sequence, lanes, buffer);

	sim_must(port, result, "the resolver refused a warp");
	return result == GPUTM_RESOLVER_ACQUIRED;
}

static void release(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp)
{
	struct resolver *resolver = &resolvers->core[warp->core];
	uint32_t buffer = resolver->warp[warp->index].buffer;

	sim_must(port,
		 table_at_work(resolvers) ? gputm_ownership_table_release(resolver->table, buffer)
				   : gputm_sequential_resolver_release(resolver->sequence, buffer),
		 "the resolver refused a buffer");
}

/* Begin the resolution of the warp; false if there is no free buffer. */
static bool start(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp)
{
	struct resolver *resolver = &resolvers->core[warp->core];
	struct warp_state *state = &resolver->warp[warp->index];
	struct gputm_resolver_outcome resolution;
	uint64_t now = sim_now(port), cycles;

	if (!acquire(port, resolvers, warp, &state->buffer))
		return false;
	resolve(port, resolvers, warp, state->buffer, &resolution);
	cycles = resolution.initialise_cycles + resolution.construct_cycles +
		 resolution.match_cycles;
	if (!resolvers->use.overhead)
		cycles = 0;
	if (resolver->free < now)
		resolver->free = now;
	resolver->free += cycles * port->core_ticks;
	resolver->resolving |= UINT64_C(1) << warp->index;
	state->due = resolver->free;
	state->aborted = resolution.aborted;
	return true;
}

static void end_resolution(struct sim_port *port, struct resolvers *resolvers,
			   struct sim_warp *warp)
{
	struct resolver *resolver = &resolvers->core[warp->core];

	release(port, resolvers, warp);
	resolver->resolving &= ~(UINT64_C(1) << warp->index);
	resolvers->use.done(port, warp, resolver->warp[warp->index].aborted);
}

static void start_queued(struct sim_port *port, struct resolvers *resolvers, uint32_t core)
{
	struct resolver *resolver = &resolvers->core[core];

	while (resolver->queued &&
	       start(port, resolvers, sim_warp_of(port, core, resolver->queue[0])))
		memmove(resolver->queue, resolver->queue + 1, --resolver->queued);
}

uint64_t sim_resolver_tick(struct sim_port *port, struct resolvers *resolvers, uint32_t core)
{
	struct resolver *resolver = &resolvers->core[core];
	uint64_t next = SIM_NEVER;

	for (SIM_EACH_LANE(i, resolver->resolving))
		if (resolver->warp[i].due <= sim_now(port))
			end_resolution(port, resolvers, sim_warp_of(port, core, (uint32_t)i));
	start_queued(port, resolvers, core);
	for (SIM_EACH_LANE(i, resolver->resolving))
		if (resolver->warp[i].due < next)
			next = resolver->warp[i].due;
	return next;
}

void sim_resolver_push(struct sim_port *port, struct resolvers *resolvers, struct sim_warp *warp)
{
	struct resolver *resolver = &resolvers->core[warp->core];
	uint64_t next = sim_now(port) + port->core_ticks;

	if (resolver->queued == sizeof resolver->queue)
		sim_fail(port, -EINVAL, "more warps wait for a resolver than the core has");
	else if (resolver->queued || !start(port, resolvers, warp))
		resolver->queue[resolver->queued++] = warp->index;
	port->host->call_core(port, warp->core, sim_align(next, port->core_ticks));
}

int sim_resolvers_make(struct sim_port *port, struct resolvers *resolvers,
		       const struct resolver_use *use)
{
	uint32_t cores = port->shape.cores;
	int error = 0;

	resolvers->use = *use;
	resolvers->core = sim_calloc(cores, sizeof *resolvers->core);
	resolvers->state = sim_calloc((size_t)cores * port->shape.warps, sizeof *resolvers->state);
	if (!resolvers->core || !resolvers->state)
		return -ENOMEM;
	if (use->sequence)
		resolvers->exact = *use->sequence;
	resolvers->exact.exact = resolvers->exact.exact || use->kind == RESOLVER_IDEAL;
	for (uint32_t i = 0; !error && i < cores; i++) {
		struct resolver *resolver = &resolvers->core[i];

		resolver->warp = resolvers->state + (size_t)i * port->shape.warps;
		if (use->kind == RESOLVER_2PCR)
			error = sim_unit_add(port, "ownership_table", &kind_ownership_table,
					     use->table, &resolver->table);
		else if (use->kind != RESOLVER_NONE)
			error = sim_unit_add(port, "sequential_resolver",
					     &kind_sequential_resolver, &resolvers->exact,
					     &resolver->sequence);
	}
	return error;
}

void sim_resolvers_free(struct resolvers *resolvers)
{
	sim_free(resolvers->core);
	sim_free(resolvers->state);
	sim_free(resolvers->row);
}

void sim_resolvers_io(struct sim_port *port, struct resolvers *resolvers, struct sim_io *io)
{
	const uint32_t cores = port->shape.cores, warps = port->shape.warps;

	for (uint32_t i = 0; i < cores; i++) {
		struct resolver *resolver = &resolvers->core[i];

		SIM_IO_FROM(io, resolver, free);
		sim_io_below(io, "resolving", resolver->resolving >> (warps - 1), 2);
		sim_io_below(io, "queue", resolver->queued, warps + 1);
		sim_io_must(io, "queue", resolvers->use.kind != RESOLVER_NONE ||
						 !(resolver->resolving | resolver->queued));
		for (uint32_t k = 0; k < resolver->queued && sim_io_ok(io); k++)
			sim_io_below(io, "queue", resolver->queue[k], warps);
	}
	SIM_IO_ARRAY(io, resolvers->state, cores * warps);
	for (uint32_t i = 0; i < cores * warps; i++) {
		sim_lanes_must(port, io, "warp", resolvers->state[i].aborted);
		SIM_IO_FLAG(io, resolvers->state[i].accessed);
	}
}
