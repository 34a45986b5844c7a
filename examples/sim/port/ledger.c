/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what the threads of each warp do with the warp's cycles. From one call to the next, a warp
 * does one thing; the threads named by masks in struct sim_ledger do something else. Cycles are
 * counted whenever either changes. Cycles of an attempt are counted when its outcome is known.
 */
#include "port.h"

/* Most masks have no bit set, one bit, or all. */
static uint64_t count(uint32_t lanes)
{
	if (!(lanes & (lanes - 1)))
		return lanes != 0;
	return lanes == UINT32_MAX ? 32 : (uint64_t)__builtin_popcount(lanes);
}

/* Differences are modulo 2^64: if an attempt begins in the future, cycles counted ahead are
 * subtracted again. */
void sim_ledger_count(struct sim_ledger *l, uint64_t cycle, uint32_t lanes,
		      uint64_t spent[SIM_SPENT_KINDS])
{
	uint64_t cycles = cycle - l->since, live, passed, locking;
	unsigned does = cycle < l->since ? l->before : l->does;

	l->since = cycle;
	live = count(l->live);
	passed = count(l->began & ~(l->open | l->failed));
	spent[SIM_SPENT_IDLE] += cycles * (lanes - live);
	spent[SIM_SPENT_TW] += cycles * passed;
	if (does == SIM_SPENT_TU) {
		l->attempt += cycles;
		spent[SIM_SPENT_TA] += cycles * count(l->failed);
		spent[SIM_SPENT_NL] += cycles * count(l->live & ~l->began);
		return;
	}
	locking = count(l->locking);
	spent[SIM_SPENT_AT] += cycles * locking;
	spent[does] += cycles * (live - passed - locking);
}

void sim_ledger_close(struct sim_ledger *l, uint64_t cycle, uint32_t lanes,
		      uint64_t spent[SIM_SPENT_KINDS])
{
	sim_ledger_count(l, cycle, lanes, spent);
	spent[SIM_SPENT_TA] += l->attempt * count(l->open);
}

static void until(struct sim_port *port, struct sim_warp *warp, uint64_t tick)
{
	uint64_t cycle = tick / port->core_ticks;

	if (cycle != warp->ledger.since)
		sim_ledger_count(&warp->ledger, cycle, port->shape.lanes, port->result.spent);
}

void sim_spends(struct sim_port *port, struct sim_warp *warp, enum sim_spent kind)
{
	until(port, warp, port->now);
	warp->ledger.does = (uint8_t)kind;
}

static void spends_in_tx(struct sim_port *port, struct sim_warp *warp, enum sim_spent kind)
{
	sim_spends(port, warp, port->ops->locks ? SIM_SPENT_NL : kind);
}

void sim_committing(struct sim_port *port, struct sim_warp *warp)
{
	spends_in_tx(port, warp, SIM_SPENT_TO);
}

void sim_living(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	sim_spends(port, warp, SIM_SPENT_NL);
	warp->ledger.live = (uint32_t)lanes;
	warp->ledger.locking &= (uint32_t)lanes;
}

void sim_locking(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	if (warp->ledger.locking == (uint32_t)lanes)
		return;
	until(port, warp, port->now);
	warp->ledger.locking = (uint32_t)lanes;
}

void sim_ledger_begin(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	struct sim_ledger *l = &warp->ledger;

	spends_in_tx(port, warp, SIM_SPENT_TU);
	l->attempt = 0;
	if (port->ops->locks)
		l->locking = (uint32_t)lanes;
	else
		l->began = l->open = (uint32_t)lanes;
}

void sim_ledger_ends(struct sim_port *port, struct sim_warp *warp, uint64_t lanes,
		     enum sim_spent kind)
{
	struct sim_ledger *l = &warp->ledger;
	uint32_t ended = l->open & (uint32_t)lanes;

	until(port, warp, port->now);
	port->result.spent[kind] += l->attempt * count(ended);
	l->open &= ~ended;
	l->failed |= kind == SIM_SPENT_TA ? ended : 0;
}

void sim_ledger_over(struct sim_port *port, struct sim_warp *warp, bool again, uint64_t tick)
{
	struct sim_ledger *l = &warp->ledger;

	spends_in_tx(port, warp, again ? SIM_SPENT_BACKOFF : SIM_SPENT_TO);
	l->before = l->does;
	l->began = again ? l->began : 0;
	l->open = again ? l->open | l->failed : 0;
	l->failed = 0;
	l->attempt = 0;
	until(port, warp, tick > port->now ? tick : port->now);
	l->does = again && !port->ops->locks ? SIM_SPENT_TU : SIM_SPENT_NL;
}
