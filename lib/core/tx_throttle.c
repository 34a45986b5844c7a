/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transaction concurrency control.
 *
 * Source: Fung's thesis 2015, 4.2.6, with the limits of Fig. 4.6 and 4.8 and Tables 4.4
 * and 6.1. A counter per SIMT core tracks the warps that are in a transaction; a warp
 * may begin one only while the counter is below the limit.
 *
 *   admit(w)   inside                                       -> ADMITTED, nothing changes
 *              running < limit, and w is the first waiting
 *              warp or nobody waits                         -> ADMITTED, running + 1
 *              else                                         -> WAIT, w at the end of the
 *                                                              queue unless it is in it
 *   leave(w)   running - 1
 *
 *   report(w)  adaptive policies only: an attempt of a warp has ended; commits and aborts
 *              are summed up, and a window ends after window x limit commits:
 *     aborts   aborts x 16 >= lower_from x window x limit, at any report  -> limit / 2
 *              at the end, aborts x 16 < raise_below x commits            -> limit x 2
 *     climb    commits per cycle differ from those of the window before by more than
 *              slack / 16: more -> a step in the same direction, fewer -> turn and step
 *
 *   limit 2:  admit 5  admit 7  admit 9  admit 3  leave 5  admit 3  admit 9  admit 3
 *   answer    in       in       wait     wait     -        wait     in       wait
 *   queue     -        -        9        9 3      9 3      9 3      3        3
 *
 * Invariants, proved by check():
 *  I1  running is the number of warps inside, waiting the number that wait
 *  I2  the queue holds every waiting warp exactly once, and no other
 *  I3  fixed: running <= limit, unless there is no limit; then nobody waits
 *  I4  admissions = departures + running
 *  I5  waits = warps that entered from the queue + waiting
 *  I6  adaptive: 1 <= limit <= highest, and a window has fewer commits than would end it
 *  I7  windows = raised + lowered + kept
 *
 * Why a limit in the middle can be best: a core is a closed queueing network. With n warps in
 * transactions, each of which runs for R cycles and is repeated until no other overlaps it, the
 * throughput is n x p(n) / R(n). While units are idle R is constant, and throughput grows with n.
 * From the point where one unit is always busy R grows as n, and further warps only wait there.
 * The chance p(n) of an attempt to commit falls all the way, as each warp meets n - 1 others, and
 * the attempts that fail use up the busy unit. Throughput has therefore one hill, as long as the
 * mix of work stays the same: climb needs its slope only, aborts knows p(n) but not R(n).
 * Windows are as long as the limit is high, so that each admitted warp has its part in each.
 *
 * Differences from the paper:
 *  - It does not say which waiting warp is next. Here they enter in the order in which
 *    they were first refused, so that none starves. A host whose scheduler decides asks
 *    for warps in its own order and gets WAIT for all but the first.
 *  - Adaptive limits are left to future work there (8.2.3). The policies aborts and climb are
 *    our own decision, as are their steps (twice and half), windows and thresholds. A limit that
 *    falls below the warps inside takes none out: they leave, and none enters before.
 */
#include "gputm/tx_throttle.h"
#include "lib/base/unit.h"

enum place { OUTSIDE = 0, WAITING = 1, INSIDE = 2 };

struct gputm_tx_throttle {
	struct gputm_unit unit;
	struct gputm_tx_throttle_config config;
	uint64_t most;	 /* warps admitted at a time: the limit, or all */
	uint32_t highest; /* to which an adaptive limit may rise */
	bool falling;	  /* climb: the last step was down */
	uint64_t since;	  /* cycle in which the window began */
	uint64_t commits, aborts;		/* of the window */
	uint64_t commits_before, cycles_before; /* of the window before; 0: there was none */
	uint32_t head;	 /* slot of the first waiting warp */
	uint8_t *place;	 /* [warps] enum place */
	uint32_t *queue; /* [warps] ring of waiting warps */
	uint64_t running, waiting, maximum_running, maximum_waiting;
	uint64_t admissions, departures, repeats, waits, from_queue;
	uint64_t windows, raised, lowered, kept;
};

enum { LANES = 64, PARTS = 16, COUNTER_MAX = 0x7fffffff };

#define UNIT tx_throttle

static const char *const policies[] = { "fixed", "aborts", "climb", NULL };

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 1024, 48, false, "Warps resident on the core.", "thesis Table 6.1"),
	PARAM(limit, 0, 1024, 2, false, "Warps in a transaction at a time; 0 is no limit.",
	      "thesis 4.2.6"),
	CHOICE(policy, 0, 2, GPUTM_TX_THROTTLE_FIXED, policies,
	       "Whether the limit moves, from limit on, by aborts or by commits per cycle.",
	       "ours; thesis 8.2.3 leaves it open"),
	PARAM(window, 0, 65536, 32, false,
	      "Commits of a window for each warp of the limit; 0: the limit does not move.",
	      "ours: one transaction of each thread"),
	PARAM(raise_below, 0, 65536, 2, false,
	      "Policy aborts: fewer aborts than this in 16 commits raise the limit.",
	      "ours, from the best limits of GETM Table IV"),
	PARAM(lower_from, 0, 65536, 16, false,
	      "Policy aborts: so many aborts in 16 commits lower the limit.",
	      "ours, from the best limits of GETM Table IV"),
	PARAM(slack, 0, 15, 2, false,
	      "Policy climb: 16ths by which throughput may change before the limit moves.", "ours"),
	PARAM(highest, 0, 1024, 0, false, "Highest limit of an adaptive policy; 0: all warps.",
	      "ours"),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm", "Thesis Table 4.4: 2 of 32 warps.", { { "warps", 32 }, { "limit", 2 } } },
	{ "warptm", "Thesis Table 6.1: 2 of 48 warps; 1, 4, 8 and no limit are tried too.",
	  { { "warps", 48 }, { "limit", 2 } } },
	{ "unlimited", "Thesis Fig. 4.6: no limit.", { { "limit", 0 } } },
};

static bool adapts(const struct gputm_tx_throttle *t)
{
	return t->config.policy != GPUTM_TX_THROTTLE_FIXED && t->config.window;
}

static uint64_t limit_now(const struct gputm_unit *unit)
{
	const struct gputm_tx_throttle *t = (const void *)unit;

	return adapts(t) ? t->most : 0;
}

static const struct gputm__stat_row stats[] = {
	STAT(admissions, COUNTER, "warps", "Warps admitted: departures + running."),
	STAT(departures, COUNTER, "warps", "Warps that left their transaction."),
	STAT(repeats, COUNTER, "requests", "Requests of warps that were inside already."),
	STAT(waits, COUNTER, "warps", "Warps that had to wait: from_queue + waiting."),
	STAT(from_queue, COUNTER, "warps", "Warps admitted after waiting."),
	STAT(running, GAUGE, "warps", "Warps in a transaction."),
	STAT(waiting, GAUGE, "warps", "Warps that wait."),
	STAT(maximum_running, MAXIMUM, "warps", "Most warps in a transaction at a time."),
	STAT(maximum_waiting, MAXIMUM, "warps", "Most warps waiting at a time."),
	STAT_NOW(limit_now, limit_now, "warps", "Limit of an adaptive policy; 0: it is fixed."),
	STAT(windows, COUNTER, "windows", "Windows judged: raised + lowered + kept."),
	STAT(raised, COUNTER, "windows", "Windows after which the limit rose."),
	STAT(lowered, COUNTER, "windows", "Windows after which the limit fell."),
	STAT(kept, COUNTER, "windows", "Windows after which the limit stayed."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_TX_THROTTLE_EVENT_ADMIT, "admit", "A warp begins a transaction.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(running, "warps", "Warps in a transaction now."),
	      VALUE(waiting, "warps", "Warps in the queue now.")),
	EVENT(GPUTM_TX_THROTTLE_EVENT_QUEUE, "queue", "A warp has to wait for its transaction.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(running, "warps", "Warps in a transaction now."),
	      VALUE(waiting, "warps", "Warps in the queue now.")),
	EVENT(GPUTM_TX_THROTTLE_EVENT_LEAVE, "leave", "A warp has ended its transaction.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(running, "warps", "Warps in a transaction now."),
	      VALUE(waiting, "warps", "Warps in the queue now.")),
	EVENT(GPUTM_TX_THROTTLE_EVENT_WINDOW, "window", "A window of commits has been judged.",
	      VALUE(limit, "warps", "The limit from now on."),
	      VALUE(commits, "transactions", "Commits of the window."),
	      VALUE(aborts, "attempts", "Aborts of the window."),
	      VALUE(window_cycles, "cycles", "Cycles of the window.")),
};

static uint64_t window_end(const struct gputm_tx_throttle *t)
{
	return t->config.window * t->most;
}

static void start(struct gputm_tx_throttle *t)
{
	t->most = t->config.limit ? t->config.limit : t->config.warps;
	if (adapts(t) && t->most > t->highest)
		t->most = t->highest;
	t->falling = false;
	t->since = t->commits = t->aborts = t->commits_before = t->cycles_before = 0;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_tx_throttle *t = (void *)unit;

	t->highest = t->config.warps;
	if (t->config.highest && t->config.highest < t->highest)
		t->highest = t->config.highest;
	start(t);
	t->place = gputm__own(unit, t->config.warps, sizeof(*t->place));
	t->queue = gputm__own(unit, t->config.warps, sizeof(*t->queue));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_tx_throttle *t = (void *)unit;

	memset(t->place, 0, t->config.warps * sizeof(*t->place));
	t->head = 0;
	t->running = t->waiting = 0;
	start(t);
}

static uint32_t slot_of(const struct gputm_tx_throttle *t, uint64_t position)
{
	uint64_t slot = t->head + position;

	return (uint32_t)(slot < t->config.warps ? slot : slot - t->config.warps);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_tx_throttle *t = (void *)unit;

	gputm__io_u64_max(io, &t->running, t->config.warps, "more warps run than there are");
	gputm__io_u64_max(io, &t->waiting, t->config.warps, "more warps wait than there are");
	gputm__io_bytes(io, t->place, t->config.warps);
	for (uint64_t i = 0; i < t->waiting; i++)
		gputm__io_u32_max(io, &t->queue[slot_of(t, i)], t->config.warps - 1,
				  "a waiting warp does not exist");
	if (!adapts(t))
		return;
	gputm__io_u64_max(io, &t->most, t->highest, "the limit is above the highest");
	gputm__io_bool(io, &t->falling);
	gputm__io_u64(io, &t->since);
	gputm__io_u64_max(io, &t->commits, COUNTER_MAX, "too many commits in a window");
	gputm__io_u64_max(io, &t->aborts, COUNTER_MAX, "too many aborts in a window");
	gputm__io_u64_max(io, &t->commits_before, COUNTER_MAX, "too many commits in a window");
	gputm__io_u64_max(io, &t->cycles_before, COUNTER_MAX, "too many cycles in a window");
}

static const char *check_places(const struct gputm_tx_throttle *t)
{
	uint64_t count[3] = { 0 };

	for (uint32_t i = 0; i < t->config.warps; i++) {
		if (t->place[i] > INSIDE)
			return "a warp is neither outside, waiting nor inside";
		count[t->place[i]]++;
	}
	if (count[INSIDE] != t->running || count[WAITING] != t->waiting)
		return "running or waiting differs from the number of such warps";
	return NULL;
}

static const char *check_queue(const struct gputm_tx_throttle *t)
{
	uint64_t seen[1024 / 64] = { 0 };

	for (uint64_t i = 0; i < t->waiting; i++) {
		uint32_t warp = t->queue[slot_of(t, i)];

		if (warp >= t->config.warps || t->place[warp] != WAITING ||
		    seen[warp >> 6] >> (warp & 63) & 1)
			return "the queue does not hold each waiting warp once";
		seen[warp >> 6] |= UINT64_C(1) << (warp & 63);
	}
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_tx_throttle *t = (const void *)unit;
	const char *broken = check_places(t);

	if (!broken)
		broken = check_queue(t);
	if (broken)
		return broken;
	if (adapts(t))
		return t->most && t->commits < window_end(t) ?
			       NULL : "the limit is 0, or a window should have ended";
	if (t->running > t->most || (!t->config.limit && t->waiting))
		return "more warps run than the limit, or a warp waits although there is room";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_tx_throttle *t = (const void *)unit;
	uint32_t warp_bits = gputm__bits_for(t->config.warps);
	uint32_t limit_bits = gputm__bits_for((uint64_t)t->highest + 1);

	gputm__array(out, "counter", 1,
		     adapts(t) ? gputm__bits_for((uint64_t)t->config.warps + 1) :
				 gputm__bits_for(t->most + 1), 1);
	gputm__array_apart(out, "states", t->config.warps, 2, 1);
	gputm__array_apart(out, "queue", t->config.warps, warp_bits ? warp_bits : 1, 1);
	if (!adapts(t))
		return;
	gputm__array_apart(out, "limit", 1, limit_bits, 1);
	gputm__array_apart(out, "commits", 1,
			   gputm__bits_for((uint64_t)t->config.window * t->highest + LANES), 1);
	gputm__array_apart(out, "aborts", 1, 31, 1);
	if (t->config.policy == GPUTM_TX_THROTTLE_CLIMB)
		gputm__array_apart(out, "climb", 1, 3 * 31 + 1, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_tx_throttle *t = (const void *)unit;

	gputm__law(laws, t->admissions, t->departures + t->running,
		   "admissions are not departures + running");
	gputm__law(laws, t->waits, t->from_queue + t->waiting,
		   "waits are not from_queue + waiting");
	gputm__law(laws, t->windows, t->raised + t->lowered + t->kept,
		   "windows are not raised + lowered + kept");
}

GPUTM__UNIT(tx_throttle, .version = 2, .setup = setup, .laws = laws)

static int refuse_warp(const struct gputm_tx_throttle *t, uint32_t warp)
{
	return gputm__out_of_range(&t->unit, "warp", warp, 0, t->config.warps - 1);
}

int gputm_tx_throttle_admit_probe(const struct gputm_tx_throttle *t, uint32_t warp)
{
	if (GPUTM__UNLIKELY(warp >= t->config.warps))
		return refuse_warp(t, warp);
	if (t->place[warp] == INSIDE)
		return GPUTM_TX_THROTTLE_ADMITTED;
	if (t->running < t->most && (!t->waiting || t->queue[t->head] == warp))
		return GPUTM_TX_THROTTLE_ADMITTED;
	return GPUTM_TX_THROTTLE_WAIT;
}

static void enter(struct gputm_tx_throttle *t, uint32_t warp)
{
	if (t->place[warp] == WAITING) {
		t->head = slot_of(t, 1);
		t->waiting--;
		t->from_queue++;
	}
	t->place[warp] = INSIDE;
	t->running++;
	t->admissions++;
	gputm__maximum(&t->maximum_running, t->running);
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_ADMIT, warp, t->running, t->waiting, 0);
}

static void queue_up(struct gputm_tx_throttle *t, uint32_t warp)
{
	t->place[warp] = WAITING;
	t->queue[slot_of(t, t->waiting)] = warp;
	t->waiting++;
	t->waits++;
	gputm__maximum(&t->maximum_waiting, t->waiting);
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_QUEUE, warp, t->running, t->waiting, 0);
}

int gputm_tx_throttle_admit(struct gputm_tx_throttle *t, uint32_t warp)
{
	int result = gputm_tx_throttle_admit_probe(t, warp);

	if (result < 0)
		return result;
	if (t->place[warp] == INSIDE)
		t->repeats++;
	else if (result == GPUTM_TX_THROTTLE_ADMITTED)
		enter(t, warp);
	else if (t->place[warp] == OUTSIDE)
		queue_up(t, warp);
	return result;
}

int gputm_tx_throttle_leave(struct gputm_tx_throttle *t, uint32_t warp)
{
	if (GPUTM__UNLIKELY(warp >= t->config.warps))
		return refuse_warp(t, warp);
	if (GPUTM__UNLIKELY(t->place[warp] != INSIDE))
		return gputm__refuse(&t->unit, "warp %u leaves a transaction it is not in", warp);
	t->place[warp] = OUTSIDE;
	t->running--;
	t->departures++;
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_LEAVE, warp, t->running, t->waiting, 0);
	return 0;
}

/* ---- the limit that moves ---------------------------------------------------------------- */

enum step { DOWN = -1, STAY = 0, UP = 1 };

static uint64_t narrow(uint64_t value)
{
	return value < COUNTER_MAX ? value : COUNTER_MAX;
}

static bool too_many_aborts(const struct gputm_tx_throttle *t)
{
	return t->config.policy == GPUTM_TX_THROTTLE_ABORTS && t->aborts &&
	       t->aborts * PARTS >= t->config.lower_from * window_end(t);
}

static enum step judge_aborts(const struct gputm_tx_throttle *t)
{
	if (too_many_aborts(t))
		return DOWN;
	return t->aborts * PARTS < t->config.raise_below * t->commits ? UP : STAY;
}

/* Throughputs are compared without division: those of this window times both times. */
static enum step judge_climb(struct gputm_tx_throttle *t, uint64_t cycles)
{
	uint64_t now = t->commits * t->cycles_before, before = t->commits_before * cycles;
	uint64_t margin = before / PARTS * t->config.slack;

	if (!t->commits_before)
		return UP;
	if (now <= before + margin && now + margin >= before)
		return STAY;
	if (now < before)
		t->falling = !t->falling;
	return t->falling ? DOWN : UP;
}

static int move(struct gputm_tx_throttle *t, enum step step)
{
	uint64_t old = t->most;

	if (step == UP)
		t->most = 2 * old < t->highest ? 2 * old : t->highest;
	else if (step == DOWN)
		t->most = old > 1 ? old / 2 : 1;
	t->windows++;
	t->raised += t->most > old;
	t->lowered += t->most < old;
	t->kept += t->most == old;
	return t->most > old ? GPUTM_TX_THROTTLE_RAISED :
	       t->most < old ? GPUTM_TX_THROTTLE_LOWERED : GPUTM_TX_THROTTLE_KEPT;
}

int gputm_tx_throttle_report(struct gputm_tx_throttle *t, uint32_t commits, uint32_t aborts,
			     uint64_t cycle)
{
	uint64_t cycles, total;
	int result;

	if (GPUTM__UNLIKELY(commits > LANES))
		return gputm__out_of_range(&t->unit, "commits", commits, 0, LANES);
	if (GPUTM__UNLIKELY(aborts > LANES))
		return gputm__out_of_range(&t->unit, "aborts", aborts, 0, LANES);
	if (!adapts(t))
		return GPUTM_TX_THROTTLE_KEPT;
	if (GPUTM__UNLIKELY(cycle < t->since))
		return gputm__refuse(&t->unit, "cycle %llu is before that of the window, %llu",
				     (unsigned long long)cycle, (unsigned long long)t->since);
	t->commits += commits;
	t->aborts = narrow(t->aborts + aborts);
	if (t->commits < window_end(t) && !too_many_aborts(t))
		return GPUTM_TX_THROTTLE_KEPT;
	cycles = narrow(cycle - t->since);
	total = t->aborts;
	result = move(t, t->config.policy == GPUTM_TX_THROTTLE_CLIMB ? judge_climb(t, cycles) :
								       judge_aborts(t));
	t->commits_before = t->commits;
	t->cycles_before = cycles;
	t->since = cycle;
	t->commits = t->aborts = 0;
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_WINDOW, t->most, t->commits_before, total,
		    cycles);
	return result;
}

uint32_t gputm_tx_throttle_limit(const struct gputm_tx_throttle *t)
{
	return (uint32_t)t->most;
}

bool gputm_tx_throttle_next_warp(const struct gputm_tx_throttle *t, uint32_t *warp)
{
	if (!t->waiting || t->running >= t->most)
		return false;
	*warp = t->queue[t->head];
	return true;
}

uint32_t gputm_tx_throttle_running(const struct gputm_tx_throttle *t)
{
	return (uint32_t)t->running;
}

uint32_t gputm_tx_throttle_waiting(const struct gputm_tx_throttle *t)
{
	return (uint32_t)t->waiting;
}
