/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synchronisation rounds of HeTM.
 *
 * Source: HeTM (PACT 2019), IV-C (the three phases, Fig. 1a) and IV-D (the CPU works on while
 * logs are shipped, shadow copy, early validation, Fig. 1b).
 *
 *   step        asks for      then
 *   EXECUTE     EARLY, RUN    at the deadline, by stop(), or when an early conflict is known: STOP
 *   STOP        DRAIN gpu     SHIP; DRAIN gpu and cpu if the CPU is not to work on
 *   SHIP        SHIP          chunk by chunk as the link gets free; none left: STOP_CPU if the
 *                             CPU runs, else VERDICT. With the CPU stopped parts are shipped
 *   STOP_CPU    DRAIN cpu     SHIP
 *   VERDICT     RUN           when the GPU has validated the last chunk: success or not
 *   SHADOW      SHADOW        success: the GPU runs again once the copy is made
 *   COPY_BACK   COPY_BACK     success: the link is busy with it
 *   REPLAY      REPLAY        failure with a shadow copy: the CPU runs again at once
 *   REALIGN     REALIGN       failure without one
 *   FINISH      RUN, END      when the copies have arrived: all run again
 *
 * Example, "basic", 1000 cycles of execution, link 10 cycles + 1 byte a cycle:
 *     0  begin: both run          1000  DRAIN both, done      SHIP: 48 bytes, 5 cycles
 *  1048  SHIP: none               1063  verdict (1048 + 10 + 5): success
 *        COPY_BACK: 2 runs, 100 bytes
 *  1183  END: both run            blocked: 183 cycles each, of which the CPU waits 63 and the
 *                                 GPU 58 + 5 in which it validates; 120 are the merge's
 *
 * Invariants, proved by check():
 *  I1  rounds = succeeded + failed + the one that is going on
 *  I2  a thing to do is open only in a step that asks for it
 *  I3  in EXECUTE both devices may run; the GPU is blocked from STOP to the merge
 *  I4  rounds cut short have failed, so they are at most as many
 *  I5  the cycles in which a device is blocked are those of their parts
 *
 * Differences from the paper:
 *  - The CPU is blocked from the moment when no full chunk is left, until the merge's copies
 *    are done. The paper says "very few" chunks, and draws the same.
 *  - If the CPU fills chunks faster than the link carries them, this would not end: the CPU
 *    is also blocked when validation has taken as long as the execution phase may.
 *  - Joining runs of the write-back is the caller's (gputm_access_bitmap_next_run); each run
 *    pays the link's latency once.
 */
#include <string.h>

#include "gputm/sync_round.h"
#include "lib/base/unit.h"

/* The steps, the state of each, and the action it requests; RUN: nothing to complete. */
#define STEPS(STEP)                         \
	STEP(IDLE, IDLE, RUN)               \
	STEP(EXECUTE, EXECUTION, EARLY)     \
	STEP(STOP, VALIDATION, DRAIN)       \
	STEP(SHIP, VALIDATION, SHIP)        \
	STEP(STOP_CPU, VALIDATION, DRAIN)   \
	STEP(VERDICT, VALIDATION, RUN)      \
	STEP(SHADOW, MERGE, SHADOW)         \
	STEP(COPY_BACK, MERGE, COPY_BACK)   \
	STEP(REPLAY, MERGE, REPLAY)         \
	STEP(REALIGN, MERGE, REALIGN)       \
	STEP(FINISH, MERGE, RUN)

#define STEP_NAME(name, state, asks) name,
enum step { STEPS(STEP_NAME) };

#define STEP_ROW(name, state, asks)                                                                \
	{ GPUTM_SYNC_ROUND_STATE_##state, GPUTM_SYNC_ROUND_ACTION_##asks },
static const struct {
	enum gputm_sync_round_state state;
	enum gputm_sync_round_action asks;
} steps[] = { STEPS(STEP_ROW) };

enum { CPU, GPU, DEVICES };

/* Activities of a blocked device, and of the link. */
enum { DRAINS, WAITS, VALIDATES, MERGES, PARTS };
enum { EARLY_LOGS, LOGS, COPIES, NOTHING, USES };

#define BLOCKED UINT64_MAX
#define LAST_TIME (UINT64_C(1) << 62)
#define MOST (UINT64_C(1) << 40)
#define MOST_RUNS (UINT64_C(1) << 32)

struct gputm_sync_round {
	struct gputm_unit unit;
	struct gputm_sync_round_config config;
	uint32_t step;
	uint32_t open; /* enum gputm_sync_round_action that waits for complete(); RUN: none */
	bool conflict;
	uint64_t now;
	uint64_t state_begun;	 /* for the statistics, and the CPU's time in validation */
	uint64_t early_at;	 /* next early validation */
	uint64_t link_free;	 /* the link has sent its last byte */
	uint64_t gpu_free;	 /* the GPU has validated, or a copy is done */
	uint64_t from[DEVICES];	 /* cycle from which the device runs; BLOCKED: not known yet */
	uint64_t since[DEVICES]; /* start of the blocked cycles not counted yet */
	uint64_t rounds, succeeded, failed, cut_short;
	uint64_t early_chunks, chunks, shipped_bytes, shadow_bytes, copied_back, realigned;
	uint64_t spent[4]; /* cycles in each state; cycles in which it is idle are not counted */
	uint64_t blocked[DEVICES], part[DEVICES][PARTS], link[USES];
};

#define UNIT sync_round

static const struct gputm_param rows[] = {
	PARAM(round_cycles, 1, MOST, 80000000, false, "Cycles of the execution phase.", "HeTM V-C"),
	PARAM(early_cycles, 0, MOST, 10000000, false,
	      "Cycles between early validations; 0: no early validation.", "HeTM IV-D"),
	PARAM(link_latency, 0, 1 << 24, 5000, false,
	      "Cycles of a transfer in addition to those of its bytes.", ""),
	PARAM(link_bytes, 1, 65536, 12, false, "Bytes per cycle of the link.", ""),
	PARAM(copy_bytes, 1, 65536, 160, false, "Bytes per cycle of a copy within the GPU.", ""),
	PARAM(non_blocking, 0, 1, 1, false, "The CPU works on while logs are shipped.",
	      "HeTM IV-D"),
	PARAM(shadow_copy, 0, 1, 1, false, "The GPU has a shadow copy.", "HeTM IV-D"),
};

static const struct gputm_preset presets[] = {
	{ "shetm", "HeTM IV-D: all optimisations.",
	  { { "non_blocking", 1 }, { "shadow_copy", 1 }, { "early_cycles", 10000000 } } },
	{ "basic", "HeTM IV-C: none of them.",
	  { { "non_blocking", 0 }, { "shadow_copy", 0 }, { "early_cycles", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(rounds, COUNTER, "rounds", "Rounds begun: succeeded + failed + one going on."),
	STAT(succeeded, COUNTER, "rounds", "Rounds without a conflict."),
	STAT(failed, COUNTER, "rounds", "Rounds whose GPU transactions were discarded."),
	STAT(cut_short, COUNTER, "rounds", "Rounds that early validation ended."),
	STAT(early_chunks, COUNTER, "chunks", "Chunks of early validation."),
	STAT(chunks, COUNTER, "chunks", "Chunks of validation."),
	STAT(shipped_bytes, COUNTER, "bytes", "Bytes of all chunks, over the link."),
	STAT(shadow_bytes, COUNTER, "bytes", "Bytes copied between working and shadow copy."),
	STAT(copied_back, COUNTER, "bytes", "Bytes copied to the CPU after success."),
	STAT(realigned, COUNTER, "bytes", "Bytes copied to the GPU after failure."),
	STAT_OF("execution", spent[GPUTM_SYNC_ROUND_STATE_EXECUTION], COUNTER, "cycles",
		"Cycles of execution phases."),
	STAT_OF("validation", spent[GPUTM_SYNC_ROUND_STATE_VALIDATION], COUNTER, "cycles",
		"Cycles of validation phases."),
	STAT_OF("merge", spent[GPUTM_SYNC_ROUND_STATE_MERGE], COUNTER, "cycles",
		"Cycles of merge phases."),
	STAT_OF("cpu_blocked", blocked[CPU], COUNTER, "cycles",
		"Cycles in which the CPU is blocked."),
	STAT_OF("cpu_drain", part[CPU][DRAINS], COUNTER, "cycles",
		"Of these: cycles in which it completes its work."),
	STAT_OF("cpu_waits", part[CPU][WAITS], COUNTER, "cycles",
		"Of these: cycles of waiting for the verdict."),
	STAT_OF("cpu_merge", part[CPU][MERGES], COUNTER, "cycles",
		"Of these: cycles of waiting for the merge."),
	STAT_OF("gpu_blocked", blocked[GPU], COUNTER, "cycles",
		"Cycles in which the GPU is blocked."),
	STAT_OF("gpu_drain", part[GPU][DRAINS], COUNTER, "cycles",
		"Of these: cycles in which it completes its work."),
	STAT_OF("gpu_waits", part[GPU][WAITS], COUNTER, "cycles",
		"Of these: cycles of waiting for logs or the verdict."),
	STAT_OF("gpu_validates", part[GPU][VALIDATES], COUNTER, "cycles",
		"Of these: cycles of validation."),
	STAT_OF("gpu_merge", part[GPU][MERGES], COUNTER, "cycles",
		"Of these: cycles of the merge."),
	STAT_OF("link_early", link[EARLY_LOGS], COUNTER, "cycles",
		"Cycles in which the link carries logs of early validation."),
	STAT_OF("link_logs", link[LOGS], COUNTER, "cycles",
		"Cycles in which the link carries logs of validation."),
	STAT_OF("link_copies", link[COPIES], COUNTER, "cycles",
		"Cycles in which the link carries the merge's copies."),
	STAT_OF("link_idle", link[NOTHING], COUNTER, "cycles",
		"Cycles of rounds in which the link is idle."),
};

static const char *const states[] = { "idle", "execution", "validation", "merge" };
static const char *const asked[] = {
	"run", "drain", "early", "ship", "shadow", "copy back", "replay", "realign", "end",
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_SYNC_ROUND_EVENT_STATE, "state", "A phase begins.",
	      NAMED(state, states, "The phase."),
	      VALUE(cycle, "cycle", "Cycle of the caller's clock."),
	      NAMED(conflict, gputm__no_yes, "Whether the round has a conflict so far.")),
	EVENT(GPUTM_SYNC_ROUND_EVENT_COMPLETE, "complete",
	      "The caller has done what the controller asked for, or has begun to.",
	      NAMED(action, asked, "What the controller asked for."),
	      VALUE(cycle, "cycle", "Cycle of the caller's clock."),
	      VALUE(bytes, "bytes", "Bytes sent or copied."),
	      VALUE(free_at, "cycle", "Cycle from which on both link and GPU are free.")),
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_sync_round *r = (void *)unit;

	r->step = IDLE;
	r->open = GPUTM_SYNC_ROUND_ACTION_RUN;
	r->conflict = false;
	r->now = r->state_begun = r->early_at = r->link_free = r->gpu_free = 0;
	memset(r->from, 0, sizeof(r->from));
	memset(r->since, 0, sizeof(r->since));
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_sync_round *r = (void *)unit;

	gputm__io_u32_max(io, &r->step, FINISH, "no such step");
	gputm__io_u32_max(io, &r->open, GPUTM_SYNC_ROUND_ACTION_REALIGN, "no such action");
	gputm__io_bool(io, &r->conflict);
	gputm__io_u64_max(io, &r->now, LAST_TIME, "the present is too late");
	gputm__io_u64_max(io, &r->state_begun, r->now, "a state begins in the future");
	gputm__io_u64_max(io, &r->early_at, LAST_TIME * 2, "early validation is due too late");
	gputm__io_u64_max(io, &r->link_free, LAST_TIME * 2, "the link is free too late");
	gputm__io_u64_max(io, &r->gpu_free, LAST_TIME * 2, "the GPU is free too late");
	for (unsigned d = 0; d < DEVICES; d++) {
		gputm__io_u64(io, &r->from[d]);
		gputm__io_u64_max(io, &r->since[d], d == GPU ? later(r->now, r->gpu_free) : r->now,
				  "blocked since the future");
	}
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_sync_round *r = (const void *)unit;
	bool blocked = r->step >= SHIP && r->step <= SHADOW;

	if (r->open && r->open != (uint32_t)steps[r->step].asks)
		return "I2: an action is open in a step that does not request it";
	if (r->step <= STOP && !r->open && (r->from[CPU] > r->now || r->from[GPU] > r->now))
		return "I2: a device is blocked although no action is open";
	if ((blocked || (r->step == STOP && r->open)) && r->from[GPU] != BLOCKED)
		return "I3: the GPU runs while its transactions are validated";
	for (unsigned d = 0; d < DEVICES; d++)
		if (r->from[d] != BLOCKED && r->from[d] > LAST_TIME * 2)
			return "I3: a device starts to run past the end of time";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	(void)unit;
	gputm__array_apart(out, "controller", 1, 64, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_sync_round *r = (const void *)unit;

	gputm__law(laws, r->rounds, r->succeeded + r->failed + (r->step != IDLE),
		   "I1: rounds are not succeeded + failed + the one going on");
	gputm__law_least(laws, r->failed + (r->step > EXECUTE), r->cut_short,
			 "I4: more were cut short than failed");
	for (unsigned d = 0; d < DEVICES; d++) {
		uint64_t blocked_for = 0;

		for (unsigned i = 0; i < PARTS; i++)
			blocked_for += r->part[d][i];
		gputm__law(laws, r->blocked[d], blocked_for,
			   "I5: a device's blocked cycles are not the sum of their parts");
	}
}

GPUTM__UNIT(sync_round, .version = 1, .laws = laws)

/* ---- time and who is blocked ---- */

static void block(struct gputm_sync_round *r, unsigned device)
{
	if (r->from[device] == BLOCKED)
		return;
	r->from[device] = BLOCKED;
	r->since[device] = r->now;
}

/* Count the cycles of a blocked device up to `until` as this activity. */
static void spend(struct gputm_sync_round *r, unsigned device, unsigned part, uint64_t until)
{
	if (r->from[device] != BLOCKED || until < r->since[device])
		return;
	r->part[device][part] += until - r->since[device];
	r->blocked[device] += until - r->since[device];
	r->since[device] = until;
}

/* The merge lets the device run from that cycle on. */
static void resume(struct gputm_sync_round *r, unsigned device, uint64_t when)
{
	if (r->from[device] != BLOCKED)
		return;
	spend(r, device, MERGES, when);
	r->from[device] = when;
	r->since[device] = r->now;
}

/* The link starts to send at `start`, after it was idle. */
static void occupy(struct gputm_sync_round *r, unsigned use, uint64_t start, uint64_t cycles)
{
	r->link[NOTHING] += start - r->link_free;
	r->link[use] += cycles;
	r->link_free = start + cycles;
}

/* Proceed to a step; count the cycles of the state that ends. */
static void enter(struct gputm_sync_round *r, enum step step)
{
	enum gputm_sync_round_state left = steps[r->step].state, next = steps[step].state;

	r->step = step;
	if (left == next)
		return;
	if (left != GPUTM_SYNC_ROUND_STATE_IDLE)
		r->spent[left] += r->now - r->state_begun;
	r->state_begun = r->now;
	gputm__emit(&r->unit, GPUTM_SYNC_ROUND_EVENT_STATE, next, r->now, r->conflict, 0);
}

static int set_time(struct gputm_sync_round *r, uint64_t now)
{
	if (now < r->now || now > LAST_TIME)
		return gputm__out_of_range(&r->unit, "now", now, r->now, LAST_TIME);
	r->now = now;
	return 0;
}

int gputm_sync_round_begin(struct gputm_sync_round *r, uint64_t now)
{
	if (r->step != IDLE)
		return gputm__refuse(&r->unit, "begin: the state is %s, not idle",
				     states[steps[r->step].state]);
	if (set_time(r, now))
		return -ERANGE;
	r->conflict = false;
	r->early_at = now + r->config.early_cycles;
	r->link_free = now;
	r->rounds++;
	enter(r, EXECUTE);
	return 0;
}

int gputm_sync_round_stop(struct gputm_sync_round *r, uint64_t now)
{
	if (r->step != EXECUTE || r->open)
		return gputm__refuse(&r->unit, "stop: the state is %s, not execution",
				     states[steps[r->step].state]);
	if (set_time(r, now))
		return -ERANGE;
	enter(r, STOP);
	return 0;
}

/* ---- what is to be done ---- */

static uint64_t deadline(const struct gputm_sync_round *r)
{
	return r->state_begun + r->config.round_cycles;
}

static bool early_due(const struct gputm_sync_round *r)
{
	return r->config.early_cycles && !r->conflict && r->now >= r->early_at &&
	       r->now >= r->link_free;
}

static enum gputm_sync_round_action execute(struct gputm_sync_round *r)
{
	if (r->now < deadline(r) && !(r->conflict && r->now >= r->gpu_free))
		return early_due(r) ? GPUTM_SYNC_ROUND_ACTION_EARLY : GPUTM_SYNC_ROUND_ACTION_RUN;
	r->cut_short += r->now < deadline(r);
	enter(r, STOP);
	return GPUTM_SYNC_ROUND_ACTION_DRAIN;
}

static enum gputm_sync_round_action ship(struct gputm_sync_round *r)
{
	if (r->from[CPU] != BLOCKED && r->now >= deadline(r)) {
		enter(r, STOP_CPU);
		return GPUTM_SYNC_ROUND_ACTION_DRAIN;
	}
	return r->now < r->link_free ? GPUTM_SYNC_ROUND_ACTION_RUN : GPUTM_SYNC_ROUND_ACTION_SHIP;
}

/* True if the link and the GPU have finished all their work. */
static bool settled(const struct gputm_sync_round *r)
{
	return r->now >= later(r->link_free, r->gpu_free);
}

static enum gputm_sync_round_action verdict(struct gputm_sync_round *r)
{
	if (!settled(r))
		return GPUTM_SYNC_ROUND_ACTION_RUN;
	spend(r, CPU, WAITS, r->now);
	spend(r, GPU, WAITS, r->now);
	if (r->conflict)
		enter(r, r->config.shadow_copy ? REPLAY : REALIGN);
	else
		enter(r, r->config.shadow_copy ? SHADOW : COPY_BACK);
	if (r->step == REPLAY)
		resume(r, CPU, r->now);
	return steps[r->step].asks;
}

static enum gputm_sync_round_action finish(struct gputm_sync_round *r)
{
	if (!settled(r))
		return GPUTM_SYNC_ROUND_ACTION_RUN;
	*(r->conflict ? &r->failed : &r->succeeded) += 1;
	occupy(r, NOTHING, r->now, 0);
	enter(r, IDLE);
	return GPUTM_SYNC_ROUND_ACTION_END;
}

static enum gputm_sync_round_action step(struct gputm_sync_round *r)
{
	switch ((enum step)r->step) {
	case EXECUTE:
		return execute(r);
	case SHIP:
		return ship(r);
	case VERDICT:
		return verdict(r);
	case FINISH:
		return finish(r);
	default:
		return steps[r->step].asks;
	}
}

/* The devices stopped by a drain. */
static uint32_t drained(const struct gputm_sync_round *r)
{
	return (r->step == STOP_CPU ? 0 : GPUTM_SYNC_ROUND_DEVICE_GPU) |
	       (r->step == STOP_CPU || !r->config.non_blocking ? GPUTM_SYNC_ROUND_DEVICE_CPU : 0);
}

int gputm_sync_round_step(struct gputm_sync_round *r, uint64_t now,
			  struct gputm_sync_round_todo *todo)
{
	enum gputm_sync_round_action what;

	if (set_time(r, now))
		return -ERANGE;
	what = r->open ? (enum gputm_sync_round_action)r->open : step(r);
	*todo = (struct gputm_sync_round_todo){ .action = what };
	if (what == GPUTM_SYNC_ROUND_ACTION_DRAIN) {
		todo->devices = drained(r);
		for (unsigned d = 0; d < DEVICES; d++)
			if (todo->devices >> d & 1)
				block(r, d);
	}
	todo->partial = what == GPUTM_SYNC_ROUND_ACTION_SHIP && r->from[CPU] == BLOCKED;
	todo->success = what >= GPUTM_SYNC_ROUND_ACTION_SHADOW && !r->conflict;
	r->open = what == GPUTM_SYNC_ROUND_ACTION_END ? GPUTM_SYNC_ROUND_ACTION_RUN : what;
	return 0;
}

/* ---- it is done ---- */

static uint64_t cycles_of(uint64_t bytes, uint32_t per_cycle)
{
	return (bytes + per_cycle - 1) / per_cycle;
}

/* Send a chunk over the link; the GPU validates it after the earlier chunks. */
static void send_chunk(struct gputm_sync_round *r, const struct gputm_sync_round_done *done,
		       unsigned use, uint64_t *chunks)
{
	occupy(r, use, later(r->now, r->link_free), cycles_of(done->bytes, r->config.link_bytes));
	r->gpu_free = later(r->link_free + r->config.link_latency, r->gpu_free) + done->cycles;
	r->conflict |= done->conflict;
	r->shipped_bytes += done->bytes;
	*chunks += 1;
}

static void complete_early(struct gputm_sync_round *r, const struct gputm_sync_round_done *done)
{
	if (done->bytes)
		send_chunk(r, done, EARLY_LOGS, &r->early_chunks);
	else
		r->early_at = r->now + r->config.early_cycles;
}

static void complete_ship(struct gputm_sync_round *r, const struct gputm_sync_round_done *done)
{
	if (!done->bytes) {
		enter(r, r->from[CPU] == BLOCKED ? VERDICT : STOP_CPU);
		return;
	}
	send_chunk(r, done, LOGS, &r->chunks);
	spend(r, GPU, WAITS, r->gpu_free - done->cycles);
	spend(r, GPU, VALIDATES, r->gpu_free);
}

static void complete_drain(struct gputm_sync_round *r)
{
	spend(r, CPU, DRAINS, r->now);
	if (r->step == STOP)
		spend(r, GPU, DRAINS, r->now);
	enter(r, SHIP);
}

static void complete_merge(struct gputm_sync_round *r, const struct gputm_sync_round_done *done)
{
	if (r->step == SHADOW || r->step == REPLAY) {
		r->shadow_bytes += done->bytes;
		r->gpu_free = later(r->now, r->gpu_free) + done->cycles +
			      cycles_of(done->bytes, r->config.copy_bytes);
		resume(r, GPU, r->gpu_free);
		enter(r, r->step == SHADOW ? COPY_BACK : FINISH);
		return;
	}
	*(r->step == COPY_BACK ? &r->copied_back : &r->realigned) += done->bytes;
	/* Send runs of memory over the link, once the GPU has finished its work. */
	occupy(r, COPIES, later(later(r->now, r->link_free), r->gpu_free),
	       done->runs * r->config.link_latency +
		       cycles_of(done->bytes, r->config.link_bytes));
	resume(r, CPU, r->link_free);
	resume(r, GPU, r->link_free);
	enter(r, FINISH);
}

static int refuse_done(const struct gputm_sync_round *r, const struct gputm_sync_round_done *done)
{
	if (!r->open)
		return gputm__refuse(&r->unit, "complete: no action is requested in state %s",
				     states[steps[r->step].state]);
	if (done->bytes > MOST)
		return gputm__out_of_range(&r->unit, "bytes", done->bytes, 0, MOST);
	if (done->cycles > MOST)
		return gputm__out_of_range(&r->unit, "cycles", done->cycles, 0, MOST);
	if (done->runs > MOST_RUNS)
		return gputm__out_of_range(&r->unit, "runs", done->runs, 0, MOST_RUNS);
	if (done->conflict && !done->bytes)
		return gputm__refuse(&r->unit, "conflict = 1 with bytes = 0, must be above 0");
	return 0;
}

int gputm_sync_round_complete(struct gputm_sync_round *r, uint64_t now,
			      const struct gputm_sync_round_done *done)
{
	uint32_t what = r->open;
	int error = refuse_done(r, done);

	if (!error)
		error = set_time(r, now);
	if (error)
		return error;
	r->open = GPUTM_SYNC_ROUND_ACTION_RUN;
	if (what == GPUTM_SYNC_ROUND_ACTION_SHIP)
		complete_ship(r, done);
	else if (what == GPUTM_SYNC_ROUND_ACTION_DRAIN)
		complete_drain(r);
	else if (what == GPUTM_SYNC_ROUND_ACTION_EARLY)
		complete_early(r, done);
	else
		complete_merge(r, done);
	gputm__emit(&r->unit, GPUTM_SYNC_ROUND_EVENT_COMPLETE, what, now, done->bytes,
		    later(r->link_free, r->gpu_free));
	return 0;
}

/* ---- questions ---- */

bool gputm_sync_round_may_run(const struct gputm_sync_round *r,
			      enum gputm_sync_round_device device, uint64_t now)
{
	uint64_t from = r->from[device == GPUTM_SYNC_ROUND_DEVICE_CPU ? CPU : GPU];

	if (device != GPUTM_SYNC_ROUND_DEVICE_CPU && device != GPUTM_SYNC_ROUND_DEVICE_GPU)
		return false;
	return now >= from && from != BLOCKED;
}

uint64_t gputm_sync_round_next_time(const struct gputm_sync_round *r)
{
	uint64_t end = deadline(r), event = later(r->link_free, r->gpu_free);

	if (r->open || r->step == IDLE)
		return UINT64_MAX;
	if (r->step == EXECUTE && r->conflict)
		return earlier(end, r->gpu_free);
	if (r->step == EXECUTE)
		return r->config.early_cycles ? earlier(end, later(r->early_at, r->link_free))
					      : end;
	if (r->step == SHIP)
		return r->from[CPU] == BLOCKED ? r->link_free : earlier(end, r->link_free);
	if (r->step != VERDICT && r->step != FINISH)
		return r->now;
	for (unsigned d = 0; d < DEVICES; d++)
		if (r->from[d] > r->now)
			event = earlier(event, r->from[d]);
	return event;
}

enum gputm_sync_round_state gputm_sync_round_current_state(const struct gputm_sync_round *r)
{
	return steps[r->step].state;
}
