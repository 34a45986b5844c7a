/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GETM (HPCA 2018): conflicts are found at each access, by logical time, and a transaction that
 * reaches its commit has won. The units and their connections:
 *
 *	core                                       partition
 *	simt_stack  tx_throttle                    validation_unit (metadata_table, stall_buffer)
 *	warp_access_filter  warp_clock               |  ring to the next unit
 *	tx_log per warp   ---- accesses ---->        |  a granted load -> L2 -> reply
 *	                  <--- replies ------        |
 *	                  ---- logs -------->      commit_buffer -> L2 -> releases
 *
 * An access is first compared with those of the other lanes of its warp; losers abort and send
 * nothing. A load of a word that the lane itself has written is served from the write log (a cycle
 * per row walked). The others go out as one message per line (8 B, the time and the words: 16 B).
 * The unit is asked once per granule for a load, and for each word for a store, as the number of
 * writes counts words. A load's values are taken in the tick of the OK; then the L2 serves the
 * line, and the reply brings the lanes that failed too (4 B for the time). The warp waits for its
 * loads but not for its stores: these are answered when all their words are, and tx_commit waits
 * for the answers.
 *
 * With system.resolver = 2pcr the ownership_table of the core compares the lanes of a warp instead,
 * when all that are left are at tx_commit and their stores are answered; for it the log has the
 * words read, too.
 *
 * When no lane is left, or all that are left are at tx_commit with their reservations, the log is
 * walked, a row a cycle, one warp after the other. Rows go out as a packet per partition: 8 B for
 * a committed word, 4 B to clean up one that an aborted lane had reserved. The warp goes on
 * when its log is walked, and the commit proceeds beside it. Lanes that aborted run again after
 * the back-off of warp_clock, in a new attempt with a number of its own (an access to
 * what the warp still owns through an earlier attempt waits).
 *
 * The order of a warp's own accesses is kept across its transactions: in a partition, a plain
 * access waits until the words that the warp has committed or had reserved there before are
 * released, and a transactional one until its plain stores are with the L2.
 *
 * An attempt has the warp's time of its first access. The witness is (epoch, time, warp,
 * attempts committed by the warp at that time, lane).
 *
 * Rollover: getm_rollover.c. Validation units run at twice the clock of the units of the machine,
 * commit buffers at that clock. Of the units' configs those of validation_unit decide: the others
 * take granularity, address_bits, time_bits and margin from it.
 */

#include "getm.h"
#include "logs.h"
#include "../base/arena.h"

/* ---- attempts ---------------------------------------- */

static struct getm_core *core_of(const struct sim_port *port, const struct sim_warp *warp)
{
	return &sim_getm_of(port)->core[warp->core];
}

void sim_getm_begin(struct sim_port *port, struct sim_warp *warp, bool again)
{
	struct getm_warp *state = sim_getm_warp(port, warp);
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack);

	(void)again;
	state->sequence++;
	state->aborted = 0;
	state->begun = false;
	state->phase = GETM_RUNNING;
	if (core_of(port, warp)->filter)
		sim_must(port,
			 gputm_warp_access_filter_begin(core_of(port, warp)->filter, warp->index,
							lanes),
			 "the access filter refused an attempt");
}

/* The attempt's first access. */
static void start(struct sim_port *port, struct sim_warp *warp, struct getm_warp *state)
{
	struct getm_core *core = core_of(port, warp);

	if (state->begun)
		return;
	state->begun = true;
	core->begun++;
	sim_must(port, gputm_warp_clock_get_time(core->clock, warp->index, &state->time),
		 "the clock refused a warp");
}

static void report(struct sim_port *port, const struct sim_warp *warp, uint64_t time)
{
	sim_must(port, gputm_warp_clock_abort(core_of(port, warp)->clock, warp->index, time),
		 "the clock refused a time");
}

/* Lanes that failed are compared with no others of the warp any more. */
static void drop(struct sim_port *port, const struct sim_warp *warp, uint64_t lanes)
{
	struct gputm_warp_access_filter *filter = core_of(port, warp)->filter;

	if (filter)
		sim_must(port, gputm_warp_access_filter_drop(filter, warp->index, lanes),
			 "the access filter refused lanes that failed");
}

static void abort_lanes(struct sim_port *port, struct sim_warp *warp,
			struct getm_warp *state, uint64_t lanes, enum sim_abort_reason reason)
{
	state->aborted |= (uint32_t)lanes;
	sim_tx_abort(port, warp, lanes, reason);
}

/* Abort the lanes in failed[], and clear it. Their times have been reported already. */
static void abort_failed(struct sim_port *port, struct sim_warp *warp,
			 struct getm_warp *state, uint32_t *failed)
{
	static const enum sim_abort_reason reason[] = { SIM_ABORT_CONFLICT, SIM_ABORT_ESTIMATED,
							SIM_ABORT_CAPACITY, SIM_ABORT_ROLLOVER };

	for (uint32_t i = 0; i < GETM_FAILURES; i++) {
		uint64_t lanes = failed[i] & ~state->aborted;

		failed[i] = 0;
		if (!lanes)
			continue;
		drop(port, warp, lanes);
		abort_lanes(port, warp, state, lanes, reason[i]);
	}
}

/* A lane's place in the serial order, but without the lane number. */
static uint64_t take_place(struct sim_port *port, struct sim_warp *warp,
			   struct getm_warp *state)
{
	struct getm *getm = sim_getm_of(port);
	uint32_t order_bits = 22, low = getm->lane_bits + getm->warp_bits + order_bits;
	uint64_t time = getm->base + state->time;

	state->order = state->place == time + 1 ? state->order + 1 : 0;
	state->place = time + 1;
	if (state->time > getm->latest)
		getm->latest = state->time;
	if (port->observer && (time >> (63 - low) || state->order >> order_bits))
		sim_fail(port, -ERANGE, "the run is too long for --check");
	return ((time << getm->warp_bits | warp->number) << order_bits |
		state->order) << getm->lane_bits;
}

static void commit_lanes(struct sim_port *port, struct sim_warp *warp,
			 struct getm_warp *state, uint64_t lanes)
{
	uint64_t place = take_place(port, warp, state);

	for (SIM_EACH_LANE(lane, lanes))
		warp->witness[lane] = place | lane;
	sim_tx_commit(port, warp, lanes, warp->witness);
}

/* @return the back-off, in core cycles. */
static uint64_t settle_clock(struct sim_port *port, struct sim_warp *warp,
			     const struct getm_warp *state)
{
	struct getm_core *core = core_of(port, warp);
	uint64_t wait = 0;
	int result = state->aborted ?
			     gputm_warp_clock_restart(core->clock, warp->index, &wait) :
			     gputm_warp_clock_commit(core->clock, warp->index);

	sim_must(port, result, "the clock refused the end of an attempt");
	return wait;
}

/* The core walks the write log. @return the tick at which the walk ends. */
static uint64_t walk(struct sim_port *port, struct sim_warp *warp,
		     const struct getm_warp *state)
{
	struct getm_core *core = core_of(port, warp);
	const struct getm_config *config = port->system_config;
	uint32_t rows = gputm_tx_log_rows(state->log, GPUTM_TX_LOG_KIND_WRITE);
	uint32_t held = config->tx_log.l1_rows, spilled;
	uint64_t from = sim_now(port);

	if (!rows)
		return from;
	if (core->walker_free > from)
		from = core->walker_free;
	spilled = rows > held ? rows - held : 0;
	core->walker_free = from + (rows + (uint64_t)spilled * port->shape.spill_latency) *
					   port->core_ticks;
	return core->walker_free;
}

static void end_attempt(struct sim_port *port, struct sim_warp *warp, struct getm_warp *state)
{
	bool commits = state->phase == GETM_COMMITTING;
	uint64_t lanes, tick;

	lanes = commits ? gputm_simt_stack_tx_running(warp->stack) : 0;
	tick = walk(port, warp, state);
	sim_getm_send_log(port, warp, lanes, false);
	sim_getm_send_log(port, warp, state->aborted, true);
	if (lanes)
		commit_lanes(port, warp, state, lanes);
	sim_log_restart(port, state->log, lanes | state->aborted);
	tick += (1 + settle_clock(port, warp, state)) * port->core_ticks;
	core_of(port, warp)->begun--;
	state->tick = tick;
	if (state->logged)
		state->phase = GETM_OVER;
	else
		sim_tx_over(port, warp, tick);
	sim_getm_calm(port, warp->core);
}

static void abort_losers(struct sim_port *port, struct sim_warp *warp, struct getm_warp *state,
			 uint64_t lost)
{
	if (!lost)
		return;
	report(port, warp, 0);
	abort_lanes(port, warp, state, lost, SIM_ABORT_INTRA_WARP);
}

/* No lane runs any more, or all running lanes are at tx_commit, and no answer is outstanding. */
static void finish(struct sim_port *port, struct sim_warp *warp, struct getm_warp *state)
{
	struct resolvers *resolvers = &sim_getm_of(port)->resolvers;
	uint64_t lanes;

	abort_failed(port, warp, state, state->failed);
	lanes = gputm_simt_stack_tx_running(warp->stack);
	if (resolvers->core && state->phase == GETM_COMMITTING && (lanes & (lanes - 1)))
		sim_resolver_push(port, resolvers, warp);
	else
		end_attempt(port, warp, state);
}

void sim_getm_resolved(struct sim_port *port, struct sim_warp *warp, uint64_t lost)
{
	struct getm_warp *state = sim_getm_warp(port, warp);

	abort_losers(port, warp, state, lost);
	end_attempt(port, warp, state);
}

/* True if the attempt has no lane left: it ends as soon as its stores are answered. */
static bool dead(struct sim_port *port, struct sim_warp *warp, struct getm_warp *state)
{
	if (gputm_simt_stack_tx_running(warp->stack))
		return false;
	state->phase = GETM_DYING;
	sim_wait(port, warp, SIM_SYSTEM);
	if (!state->reserving)
		finish(port, warp, state);
	return true;
}

void sim_getm_written(struct sim_port *port, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct getm_warp *state = sim_getm_warp(port, warp);
	uint64_t now = sim_now(port) + port->core_ticks;

	state->logged -= message->a;
	if (!state->logged)
		sim_tx_over(port, warp, state->tick > now ? state->tick : now);
}

void sim_getm_kill(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_warp *state = sim_getm_warp(port, warp);

	abort_failed(port, warp, state, state->failed);
	report(port, warp, 0);
	state->failed[GETM_STOPPED] = (uint32_t)gputm_simt_stack_tx_running(warp->stack);
	abort_failed(port, warp, state, state->failed);
	dead(port, warp, state);
}

void sim_getm_commit(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_warp *state = sim_getm_warp(port, warp);

	start(port, warp, state);
	state->phase = GETM_COMMITTING;
	sim_wait(port, warp, SIM_SYSTEM);
	if (!state->reserving)
		finish(port, warp, state);
}

void sim_getm_reserved(struct sim_port *port, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	struct getm_warp *state = sim_getm_warp(port, warp);

	state->reserving--;
	state->failed[GETM_CONFLICT] |= (uint32_t)message->b;
	state->failed[GETM_ESTIMATED] |= (uint32_t)(message->b >> 32);
	state->failed[GETM_CAPACITY] |= message->d;
	state->failed[GETM_STOPPED] |= message->e;
	if (message->b || message->d || message->e)
		report(port, warp, message->a);
	if (!state->reserving && state->phase >= GETM_COMMITTING)
		finish(port, warp, state);
}

/* ---- accesses inside a transaction ---------------------------------------- */

/*
 * Before an access leaves: abort lanes that have failed already, or that lose against lanes of the
 * warp. @return the lanes that continue; the warp continues, too, or its attempt is over.
 */
static uint64_t admit(struct sim_port *port, struct sim_warp *warp,
		      struct getm_warp *state, bool write)
{
	struct getm_core *core = core_of(port, warp);
	uint64_t lost = 0, mask;

	start(port, warp, state);
	abort_failed(port, warp, state, state->failed);
	mask = warp->mask & ~(uint64_t)state->aborted;
	if (mask && core->filter)
		sim_must(port,
			 gputm_warp_access_filter_access(core->filter, warp->index, write, mask,
							 warp->address, &lost),
			 "the access filter refused an access");
	abort_losers(port, warp, state, lost);
	warp->mask = mask & ~lost;
	return warp->mask;
}

void sim_getm_load(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_warp *state = sim_getm_warp(port, warp);

	state->rows = admit(port, warp, state, false) ? sim_log_own_writes(port, state->log, warp)
						      : 0;
	if (dead(port, warp, state))
		return;
	if (!warp->mask) {
		sim_wake_in(port, warp, 1 + state->rows);
		return;
	}
	state->phase = GETM_LOADING;
	sim_getm_send(port, warp, false, warp->mask);
}

static void log_read(struct sim_port *port, struct sim_warp *warp, struct gputm_tx_log *log,
		     uint64_t lanes)
{
	uint32_t value[SIM_MAX_LANES];

	for (SIM_EACH_LANE(lane, lanes))
		value[lane] = warp->loaded[lane];
	if (lanes)
		sim_must(port, gputm_tx_log_append_read(log, lanes, warp->address, value),
			 "the read log refused a row");
}

void sim_getm_loaded(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_warp *state = sim_getm_warp(port, warp);
	uint32_t failed = 0;
	uint64_t lanes;

	state->phase = GETM_RUNNING;
	for (uint32_t i = 0; i < GETM_FAILURES; i++)
		failed |= state->load_failed[i];
	if (failed) {
		report(port, warp, state->report);
		state->report = 0;
		abort_failed(port, warp, state, state->load_failed);
	}
	lanes = warp->mask & ~(uint64_t)state->aborted;
	if (sim_getm_of(port)->resolvers.core)
		log_read(port, warp, state->log, lanes);
	sim_tell_load(port, warp, lanes);
	if (core_of(port, warp)->rolling)
		sim_getm_kill(port, warp);
	else if (!dead(port, warp, state))
		sim_wake_in(port, warp, 1 + state->rows);
}

/* Record a row of the write log, in which nothing is reserved yet. */
static void new_row(struct sim_port *port, struct getm_warp *state)
{
	uint32_t rows = gputm_tx_log_rows(state->log, GPUTM_TX_LOG_KIND_WRITE);

	if (!SIM_ROOM(state->granted, state->granted_rows, rows > 16 ? rows : 16))
		sim_fail(port, -ENOMEM, "no memory for a write log");
	else
		state->granted[rows - 1] = 0;
}

void sim_getm_store(struct sim_port *port, struct sim_warp *warp)
{
	struct getm_warp *state = sim_getm_warp(port, warp);

	if (admit(port, warp, state, true)) {
		sim_log_store(port, state->log, warp);
		new_row(port, state);
		sim_getm_send(port, warp, true, warp->mask);
	}
	if (!dead(port, warp, state))
		sim_wake_in(port, warp, port->shape.plain_latency);
}
