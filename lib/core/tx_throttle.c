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
 *     climb    the price of a window is the cycles of the attempts that ended in it, each taken
 *              as often as it had lanes, for each commit;
 *              work > 4 x least x (window x limit commits), at any report -> 1
 *              at the end, price > 4 x least                              -> 1
 *              at the end, price <= 2 x least                -> limit x 2, after the start x 3/2
 *              Attempts that began before the limit moved do not count. A window ends, too, when
 *              as many warps as the limit have left; in the start, a quarter of these or of the
 *              commits is enough. It lasts as long as the longest attempt, and begins when no
 *              more warps are inside than the limit. The start ends when a window does not raise.
 *              least is the price of the cheapest window, or of the last one at a limit of 1.
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
 *  I6  adaptive: 1 <= limit <= highest; aborts: a window has fewer commits than would end it
 *  I7  windows = raised + lowered + kept
 *
 * Why a limit in the middle can be best: a core is a closed queueing network. With n warps in
 * transactions, each of which runs for R cycles and is repeated until no other overlaps it, the
 * throughput is n x p(n) / R(n). While units are idle R is constant, and throughput grows with n.
 * From the point where one unit is always busy R grows as n, and further warps only wait there.
 * The chance p(n) of an attempt to commit falls all the way, as each warp meets n - 1 others, and
 * the attempts that fail use up the busy unit. Throughput has therefore one hill, as long as the
 * mix of work stays the same: aborts knows p(n) but not R(n).
 *
 * Why climb needs no slope: by Little's law n / throughput is the price R(n) / p(n) of a commit.
 * The price of the cheapest window divided by the price of this window is the part e(n) of the
 * warps that are of use. If each further warp spoils as many of the others, e is q^n, as p is where
 * attempts fall together at random (slotted Aloha), and throughput is n x q^n, which is highest
 * where e is 1/e = 0.37. Throughput does not fall with 2 x n where e >= 1/2, nor with n / 2 where
 * e < 1/4: hence 2 and 4. From e = 1/2 the highest is n / ln 2 = 1.44 x n away, hence the smaller
 * rise by half once a window has said that the limit is no longer far too low.
 *
 * Why attempts make the price, and not the cycles of a window: warps of all cores begin together
 * and commit in bursts, so that a window that ends with a burst is paid for by the next one, or
 * begins after the burst and costs next to nothing. The cycles of an attempt belong to its commits
 * whenever the attempt ends. An attempt counts as often as it has lanes: attempts with few lanes
 * left say little of attempts with all lanes, and the first to end have all lanes.
 *
 * Why a window lasts as long as the longest attempt: in a shorter window the long attempts have
 * not ended, and the short ones alone would judge it. Where transactions that conflict take turns
 * with transactions that do not, as in the octree, the limit would rise without conflicts, and all
 * warps would be inside when conflicts come. The longest attempt is forgotten by a quarter with
 * each window: it is half as long after 2.4 windows, in which the limit rises 2.7 to 5.3 times.
 * Commits beyond the number that a window was to have do not add to what the window may cost: while
 * it lasts, cheap transactions come in any number, and must not make up for dear ones.
 *
 * Why down to 1, and not to half: a limit one rise too high does not make a price above 4 x least,
 * as by this law no rise goes from e >= 1/2 to e < 1/4. The mix of work has changed, and least is
 * the price of another mix; at a limit of 1 the unit finds least anew. A limit that falls takes no
 * warp out, so that half of the limit would be too much for long.
 *
 * What climb costs: sums of commits and of cycles of lanes, for this window and for the cheapest,
 * the longest attempt, two cycles to count from, a count of leavers, and the limit: 236 bits with
 * 48 warps; and products of two sums at each report.
 *
 * Differences from the paper:
 *  - It does not say which waiting warp is next. Here they enter in the order in which
 *    they were first refused, so that none starves. A host whose scheduler decides asks
 *    for warps in its own order and gets WAIT for all but the first.
 *  - Adaptive limits are left to future work there (8.2.3). The policies aborts and climb are
 *    our own decision, as are their steps, windows and thresholds. A limit that falls below the
 *    warps inside takes none out: they leave, and none enters before.
 */
#include "gputm/tx_throttle.h"
#include "lib/base/unit.h"

enum place { OUTSIDE = 0, WAITING = 1, INSIDE = 2 };

/* Commits, and the lane cycles that they took; commits = 0: not known. */
struct price {
	uint64_t commits, work;
};

struct gputm_tx_throttle {
	struct gputm_unit unit;
	struct gputm_tx_throttle_config config;
	uint64_t most;	 /* warps admitted at a time: the limit, or all */
	uint32_t highest; /* highest value of an adaptive limit */
	uint64_t since;	  /* cycle in which the window began */
	uint64_t last;	  /* cycle of the last report */
	uint64_t commits, aborts; /* of the window */
	uint64_t work, left;	  /* climb, of the window: cycles of lanes, warps that left */
	uint64_t moved;		  /* climb: cycle in which the limit last moved */
	uint64_t longest;	  /* climb: cycles of the longest attempt; decays */
	struct price least;	  /* climb */
	bool starting;		  /* climb: all windows so far have raised the limit */
	uint32_t head;	 /* slot of the first waiting warp */
	uint8_t *place;	 /* [warps] enum place */
	uint32_t *queue; /* [warps] ring of waiting warps */
	uint64_t running, waiting, maximum_running, maximum_waiting;
	uint64_t admissions, departures, repeats, waits, from_queue;
	uint64_t windows, raised, lowered, kept;
};

enum { LANES = 64, PARTS = 16, COUNTER_BITS = 31, COUNTER_MAX = 0x7fffffff };

#define UNIT tx_throttle

static const char *const policies[] = { "fixed", "aborts", "climb", NULL };

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 1024, 48, false, "Warps resident on the core.", "thesis Table 6.1"),
	PARAM(limit, 0, 1024, 2, false,
	      "Warps in a transaction at a time, at first; 0 is no limit.", "thesis 4.2.6"),
	CHOICE(policy, 0, 2, GPUTM_TX_THROTTLE_POLICY_FIXED, policies,
	       "Whether the limit moves, from limit on, by aborts or by the price of a commit.",
	       "ours; thesis 8.2.3 leaves it open"),
	PARAM(window, 0, 65536, 32, false,
	      "Commits of a window for each warp of the limit; 0: the limit does not move.",
	      "ours: one transaction of each thread"),
	PARAM(raise_below, 0, 65536, 2, false,
	      "Policy aborts: fewer aborts than this in 16 commits raise the limit.",
	      "ours, from the best limits of GETM Table IV"),
	PARAM(lower_from, 0, 65536, 16, false,
	      "Policy aborts: this many aborts in 16 commits lower the limit.",
	      "ours, from the best limits of GETM Table IV"),
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
	return t->config.policy != GPUTM_TX_THROTTLE_POLICY_FIXED && t->config.window;
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

static bool climbs(const struct gputm_tx_throttle *t)
{
	return t->config.policy == GPUTM_TX_THROTTLE_POLICY_CLIMB && t->config.window;
}

static uint64_t window_end(const struct gputm_tx_throttle *t)
{
	return (uint64_t)t->config.window * t->most;
}

static void start(struct gputm_tx_throttle *t)
{
	t->most = t->config.limit ? t->config.limit : t->config.warps;
	if (adapts(t) && t->most > t->highest)
		t->most = t->highest;
	t->since = t->last = t->commits = t->aborts = t->work = t->left = 0;
	t->moved = t->longest = 0;
	t->least = (struct price){ 0, 0 };
	t->starting = true;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_tx_throttle *t = (void *)unit;

	t->highest = t->config.warps;
	if (t->config.highest && t->config.highest < t->highest)
		t->highest = t->config.highest;
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
	gputm__io_u64(io, &t->since);
	gputm__io_u64(io, &t->last);
	gputm__io_u64_max(io, &t->commits, COUNTER_MAX, "too many commits in a window");
	gputm__io_u64_max(io, &t->aborts, COUNTER_MAX, "too many aborts in a window");
	if (!climbs(t))
		return;
	gputm__io_u64_max(io, &t->work, COUNTER_MAX, "too many cycles in a window");
	gputm__io_u64_max(io, &t->left, t->most, "more warps left than would end a window");
	gputm__io_u64(io, &t->moved);
	gputm__io_u64_max(io, &t->longest, COUNTER_MAX, "an attempt is too long");
	gputm__io_u64_max(io, &t->least.commits, COUNTER_MAX, "too many commits in a price");
	gputm__io_u64_max(io, &t->least.work, COUNTER_MAX, "too many cycles in a price");
	gputm__io_bool(io, &t->starting);
}

static const char *check_places(const struct gputm_tx_throttle *t)
{
	uint64_t count[3] = { 0 };

	for (uint32_t i = 0; i < t->config.warps; i++) {
		if (t->place[i] > INSIDE)
			return "I1: a warp is neither outside, waiting nor inside";
		count[t->place[i]]++;
	}
	if (count[INSIDE] != t->running || count[WAITING] != t->waiting)
		return "I1: running or waiting differs from the number of such warps";
	return NULL;
}

static const char *check_queue(const struct gputm_tx_throttle *t)
{
	uint64_t seen[1024 / 64] = { 0 };

	for (uint64_t i = 0; i < t->waiting; i++) {
		uint32_t warp = t->queue[slot_of(t, i)];

		if (warp >= t->config.warps || t->place[warp] != WAITING ||
		    seen[warp >> 6] >> (warp & 63) & 1)
			return "I2: the queue does not hold each waiting warp once";
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
		return t->most && (climbs(t) || t->commits < window_end(t)) ?
			       NULL : "I6: the limit is 0, or a window should have ended";
	if (t->running > t->most || (!t->config.limit && t->waiting))
		return "I3: more warps run than the limit, or a warp waits although there is room";
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
	gputm__array_apart(out, "commits", 1, COUNTER_BITS, 1);
	if (!climbs(t)) {
		gputm__array_apart(out, "aborts", 1, COUNTER_BITS, 1);
		return;
	}
	gputm__array_apart(out, "work", 1, COUNTER_BITS, 1);
	gputm__array_apart(out, "left", 1, limit_bits, 1);
	gputm__array_apart(out, "least", 1, 2 * COUNTER_BITS, 1);
	gputm__array_apart(out, "times", 3, COUNTER_BITS, 1);
	gputm__array_apart(out, "starting", 1, 1, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_tx_throttle *t = (const void *)unit;

	gputm__law(laws, t->admissions, t->departures + t->running,
		   "I4: admissions are not departures + running");
	gputm__law(laws, t->waits, t->from_queue + t->waiting,
		   "I5: waits are not from_queue + waiting");
	gputm__law(laws, t->windows, t->raised + t->lowered + t->kept,
		   "I7: windows are not raised + lowered + kept");
}

GPUTM__UNIT(tx_throttle, .version = 4, .setup = setup, .laws = laws)

static int refuse_warp(const struct gputm_tx_throttle *t, uint32_t warp)
{
	return gputm__out_of_range(&t->unit, "warp", warp, 0, t->config.warps - 1);
}

int gputm_tx_throttle_admit_probe(const struct gputm_tx_throttle *t, uint32_t warp)
{
	if (warp >= t->config.warps)
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
	if (warp >= t->config.warps)
		return refuse_warp(t, warp);
	if (t->place[warp] != INSIDE)
		return gputm__refuse(&t->unit,
				     "warp %u is in no transaction that it could leave", warp);
	t->place[warp] = OUTSIDE;
	t->running--;
	t->departures++;
	t->left += climbs(t) && t->left < t->most;
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_LEAVE, warp, t->running, t->waiting, 0);
	return 0;
}

/* ---- the limit that moves ---------------------------------------------------------------- */

static uint64_t narrow(uint64_t value)
{
	return value < COUNTER_MAX ? value : COUNTER_MAX;
}

static bool too_many_aborts(const struct gputm_tx_throttle *t)
{
	return t->aborts && t->aborts * PARTS >= t->config.lower_from * window_end(t);
}

/* Does a cost more than `times` times as much as b? Products have 31 + 31 + 2 bits at most. */
static bool dearer(struct price a, struct price b, uint32_t times)
{
	return a.work * b.commits > b.work * a.commits * times;
}

/* How many commits, or warps that leave, a window is to have. */
static uint64_t share(const struct gputm_tx_throttle *t, uint64_t all)
{
	return t->starting ? (all + 3) / 4 : all;
}

/* What a window may cost is used up. Commits beyond the number of a window do not add to
 * the cost. */
static bool too_dear(const struct gputm_tx_throttle *t)
{
	return t->most > 1 && t->least.commits &&
	       dearer((struct price){ share(t, window_end(t)), t->work }, t->least, 4);
}

static uint64_t judge_aborts(const struct gputm_tx_throttle *t)
{
	if (too_many_aborts(t))
		return t->most / 2;
	return t->aborts * PARTS < t->config.raise_below * t->commits ? 2 * t->most : t->most;
}

static uint64_t judge_climb(struct gputm_tx_throttle *t)
{
	struct price now = { t->commits, t->work };
	bool starting = t->starting, dear = too_dear(t);

	t->longest -= t->longest / 4;
	t->starting = false;
	if (!dear && (t->most == 1 || !t->least.commits || !dearer(now, t->least, 1)))
		t->least = now;
	if (dear || dearer(now, t->least, 4))
		return 1;
	if (dearer(now, t->least, 2))
		return t->most;
	t->starting = starting;
	return t->most + (starting ? t->most : (t->most + 1) / 2);
}

static int move(struct gputm_tx_throttle *t, uint64_t limit)
{
	uint64_t old = t->most;

	if (limit > t->highest)
		limit = t->highest;
	t->most = limit ? limit : 1;
	t->windows++;
	t->raised += t->most > old;
	t->lowered += t->most < old;
	t->kept += t->most == old;
	return t->most > old ? GPUTM_TX_THROTTLE_RAISED :
	       t->most < old ? GPUTM_TX_THROTTLE_LOWERED : GPUTM_TX_THROTTLE_KEPT;
}

static void new_window(struct gputm_tx_throttle *t)
{
	t->since = t->last;
	t->commits = t->aborts = t->work = t->left = 0;
}

static bool over(const struct gputm_tx_throttle *t)
{
	if (!climbs(t))
		return t->commits >= window_end(t) || too_many_aborts(t);
	return too_dear(t) ||
	       (t->commits && t->last - t->since >= t->longest &&
		(t->commits >= share(t, window_end(t)) || t->left >= share(t, t->most)));
}

/* Does the attempt count for the window? Its end shows in any case how long attempts take. */
static bool take(struct gputm_tx_throttle *t, uint64_t cycles, uint32_t lanes)
{
	if (!climbs(t))
		return true;
	gputm__maximum(&t->longest, narrow(cycles));
	if (t->running > t->most)
		new_window(t);
	if (t->running > t->most || t->last - cycles < t->moved)
		return false;
	t->work = narrow(t->work + narrow(cycles) * lanes);
	return true;
}

int gputm_tx_throttle_report(struct gputm_tx_throttle *t, uint32_t commits, uint32_t aborts,
			     uint64_t began, uint64_t cycle)
{
	uint64_t cycles = cycle - t->since, had_commits, had_aborts;
	int result;

	if (commits > LANES)
		return gputm__out_of_range(&t->unit, "commits", commits, 0, LANES);
	if (aborts > LANES)
		return gputm__out_of_range(&t->unit, "aborts", aborts, 0, LANES);
	if (!adapts(t))
		return GPUTM_TX_THROTTLE_KEPT;
	if (cycle < t->last)
		return gputm__refuse(&t->unit, "cycle %llu is before that of the last report, %llu",
				     (unsigned long long)cycle, (unsigned long long)t->last);
	if (began > cycle)
		return gputm__refuse(&t->unit,
				     "began = %llu is after cycle = %llu, the end of the attempt",
				     (unsigned long long)began, (unsigned long long)cycle);
	t->last = cycle;
	if (!take(t, cycle - began, commits + aborts))
		return GPUTM_TX_THROTTLE_KEPT;
	t->commits = narrow(t->commits + commits);
	t->aborts = narrow(t->aborts + aborts);
	if (!over(t))
		return GPUTM_TX_THROTTLE_KEPT;
	had_commits = t->commits;
	had_aborts = t->aborts;
	result = move(t, climbs(t) ? judge_climb(t) : judge_aborts(t));
	if (result != GPUTM_TX_THROTTLE_KEPT)
		t->moved = cycle;
	new_window(t);
	gputm__emit(&t->unit, GPUTM_TX_THROTTLE_EVENT_WINDOW, t->most, had_commits, had_aborts,
		    narrow(cycles));
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
