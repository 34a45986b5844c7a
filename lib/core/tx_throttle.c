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
 *   limit 2:  admit 5  admit 7  admit 9  admit 3  leave 5  admit 3  admit 9  admit 3
 *   answer    in       in       wait     wait     -        wait     in       wait
 *   queue     -        -        9        9 3      9 3      9 3      3        3
 *
 * Invariants, proved by check():
 *  I1  running is the number of warps inside, waiting the number that wait
 *  I2  the queue holds every waiting warp exactly once, and no other
 *  I3  running <= limit, unless there is no limit; then nobody waits
 *  I4  admissions = departures + running
 *  I5  waits = warps that entered from the queue + waiting
 *
 * Differences from the paper:
 *  - It does not say which waiting warp is next. Here they enter in the order in which
 *    they were first refused, so that none starves. A host whose scheduler decides asks
 *    for warps in its own order and gets WAIT for all but the first.
 *  - Adaptive limits are left to future work there, and are not modelled.
 */
#include "gputm/tx_throttle.h"
#include "lib/base/unit.h"

enum place { OUTSIDE = 0, WAITING = 1, INSIDE = 2 };

struct gputm_tx_throttle {
	struct gputm_unit unit;
	struct gputm_tx_throttle_config config;
	uint32_t most;	 /* warps admitted at a time: the limit, or all */
	uint32_t head;	 /* slot of the first waiting warp */
	uint8_t *place;	 /* [warps] enum place */
	uint32_t *queue; /* [warps] ring of waiting warps */
	uint64_t running, waiting, maximum_running, maximum_waiting;
	uint64_t admissions, departures, repeats, waits, from_queue;
};

#define UNIT tx_throttle

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 1024, 48, false, "Warps resident on the core.", "thesis Table 6.1"),
	PARAM(limit, 0, 1024, 2, false, "Warps in a transaction at a time; 0 is no limit.",
	      "thesis 4.2.6"),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm", "Thesis Table 4.4: 2 of 32 warps.", { { "warps", 32 }, { "limit", 2 } } },
	{ "warptm", "Thesis Table 6.1: 2 of 48 warps; 1, 4, 8 and no limit are tried too.",
	  { { "warps", 48 }, { "limit", 2 } } },
	{ "unlimited", "Thesis Fig. 4.6: no limit.", { { "limit", 0 } } },
};

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
};

static int setup(struct gputm_unit *unit)
{
	struct gputm_tx_throttle *t = (void *)unit;

	t->most = t->config.limit ? t->config.limit : t->config.warps;
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
	if (t->running > t->most || (!t->config.limit && t->waiting))
		return "more warps run than the limit, or a warp waits although there is room";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_tx_throttle *t = (const void *)unit;
	uint32_t warp_bits = gputm__bits_for(t->config.warps);

	gputm__array(out, "counter", 1, gputm__bits_for((uint64_t)t->most + 1), 1);
	gputm__array_apart(out, "states", t->config.warps, 2, 1);
	gputm__array_apart(out, "queue", t->config.warps, warp_bits ? warp_bits : 1, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_tx_throttle *t = (const void *)unit;

	gputm__law(laws, t->admissions, t->departures + t->running,
		   "admissions are not departures + running");
	gputm__law(laws, t->waits, t->from_queue + t->waiting,
		   "waits are not from_queue + waiting");
}

GPUTM__UNIT(tx_throttle, .version = 1, .setup = setup, .laws = laws)

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
