/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logical clocks of the warps
 * ===========================
 *
 * GETM (HPCA 2018), IV-A "Logical timestamps" and "Aborts and advancing logical time", V-A
 * "Forward progress", V-B1 "Timestamp rollover".
 *
 *	abort(w, t):   pending[w] = max(pending[w], t)
 *	restart(w):    warpts[w] = max(warpts[w], pending[w]) + 1
 *	               aborts[w] += 1
 *	               wait uniform in 0 .. base x 2^d, d = min(aborts[w], limit)
 *	                                            + max(0, aborts[w] - limit) / patience
 *	commit(w):     aborts[w] = 0
 *
 *	Fig. 7:  tx2 of warp q runs at 10 and loads A, last written at 20:
 *	         abort(q, 21); the attempt's later accesses still carry 10;
 *	         restart(q): time 22
 *
 * A time that would lie within `margin` of the largest asks for a rollover: the margin is
 * there for the accesses that are still under way when the validation units stop.
 *
 * Invariants, as check() names them:
 *   W1  times and reports fit time_bits
 *   W2  a warp without aborted lanes has no report
 *   W3  aborts in a row <= restarts; the warps' restarts are the unit's
 *
 * Differences from the paper
 *   - The paper gives two rules for the time after an abort; both are met: a load reports wts,
 *     a store the larger of wts and rts, and a warp takes the largest of its lanes and
 *     of its own time. An access that a full stall buffer turned away may report less.
 *   - The paper does not say when the clock advances. If it did so at once, the accesses of an
 *     attempt would carry different times, and most runs of a random model hang.
 *   - A warp that has not aborted for long, or not yet, has an old time and aborts at the next
 *     granule that a younger one has written, however long ago. The released simulator has
 *     one time per core, which `per_core` repeats: far fewer aborts.
 *   - The paper's back-off is "probabilistically increasing" without any number. The base is the
 *     released simulator's, whose back-off does not increase. The doubling, the limit of the
 *     quick doublings and their slower pace after it are ours; the back-off never stops to
 *     increase: where transactions take longer than it, warps that read and then write
 *     the same word overtake one another again and again. One doubling in `patience` restarts
 *     leaves those in which a few restarts are enough alone. With a limit of 4 a program in
 *     which thousands of threads meet at a few words may take so long that its run is given
 *     up; `getm-paper` doubles eight times at once, so that fewer do.
 */
#include "gputm/warp_clock.h"
#include "lib/base/unit.h"

#define DOUBLINGS_MAX 16

struct warp {
	uint64_t time, pending;
	uint32_t aborts;
	bool aborted;
};

struct gputm_warp_clock {
	struct gputm_unit unit;
	struct gputm_warp_clock_config config;
	struct warp *warp;
	uint64_t time_max, threshold, random;
	uint64_t reports, restarts, commits, rollovers, advanced, backoff_cycles;
	uint64_t time_top, aborts_top;
};

#define UNIT warp_clock

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 65536, 48, false, "Warps of the core.", "GETM Table II"),
	PARAM(time_bits, 2, 63, 32, false, "Width of a time, bits.", "GETM V-B1"),
	PARAM(margin, 0, UINT64_C(1) << 62, 1024, false,
	      "Distance from the largest time at which a rollover is requested.", "GETM V-B1"),
	PARAM(backoff_base, 0, 1 << 24, 500, false,
	      "Back-off, core cycles; 0 for none, and conflicts may go on for ever.",
	      "released simulator"),
	PARAM(backoff_limit, 0, DOUBLINGS_MAX, 4, false,
	      "Restarts in a row that double the back-off.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the back-off.", ""),
	PARAM(backoff_patience, 0, 1 << 24, 64, false,
	      "Further restarts in a row that double the back-off once more; 0: never.", ""),
	PARAM(per_core, 0, 1, 0, false, "1: an attempt takes the largest time of the core's warps.",
	      "released simulator"),
};

static const struct gputm_preset presets[] = {
	{ "getm", "GETM Table V: 48 warps x 32 bits, 192 bytes a core.",
	  { { "warps", 48 }, { "time_bits", 32 } } },
	{ "getm-paper", "The same, and GETM V-A: a back-off that increases until attempts commit.",
	  { { "warps", 48 }, { "time_bits", 32 }, { "backoff_limit", 8 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(reports, COUNTER, "lanes", "Aborted lanes that reported a time."),
	STAT(restarts, COUNTER, "attempts", "Restarts of a warp's aborted lanes."),
	STAT(commits, COUNTER, "warps", "Commits of all lanes of a warp."),
	STAT(rollovers, COUNTER, "rollovers", "Times that all clocks went to 0."),
	STAT(advanced, COUNTER, "times", "Sum of the advances of all clocks."),
	STAT(backoff_cycles, COUNTER, "cycles", "Sum of the back-offs."),
	STAT(time_top, MAXIMUM, "times", "Largest time of a warp."),
	STAT(aborts_top, MAXIMUM, "attempts", "Restarts in a row, at most."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_WARP_CLOCK_EVENT_RESTART, "restart", "The aborted lanes of a warp run again.",
	      VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(time, "logical time", "The warp's new time."),
	      VALUE(aborts, "attempts",
		    "Restarts of the warp since its last commit, the present one included."),
	      VALUE(backoff, "cycles", "How long the lanes wait before the attempt.")),
	EVENT(GPUTM_WARP_CLOCK_EVENT_COMMIT, "commit", "All lanes of a warp have committed.",
	      VALUE(warp, "warp", "The warp that has committed."),
	      VALUE(time, "logical time", "The warp's time.")),
	EVENT(GPUTM_WARP_CLOCK_EVENT_RESET, "reset", "All clocks of the core go back to 0.",
	      VALUE(rollovers, "rollovers", "Resets so far.")),
};

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_warp_clock_config *c = gputm_unit_config(unit);

	if (c->margin < gputm__low_mask(c->time_bits))
		return 0;
	return gputm__refuse(unit, "margin = %llu leaves nothing of time_bits = %u",
			     (unsigned long long)c->margin, c->time_bits);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_warp_clock *c = (void *)unit;

	c->time_max = gputm__low_mask(c->config.time_bits);
	c->threshold = c->time_max - c->config.margin;
	c->warp = gputm__own(unit, c->config.warps, sizeof(*c->warp));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_warp_clock *c = (void *)unit;

	memset(c->warp, 0, c->config.warps * sizeof(*c->warp));
	c->random = c->config.seed;
}

/* ---- common face ---- */

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_warp_clock *c = (void *)unit;

	gputm__io_u64(io, &c->random);
	for (uint32_t i = 0; i < c->config.warps && !io->error; i++) {
		gputm__io_u64_max(io, &c->warp[i].time, c->time_max, "time");
		gputm__io_u64_max(io, &c->warp[i].pending, c->time_max, "reported time");
		gputm__io_u32(io, &c->warp[i].aborts);
		gputm__io_bool(io, &c->warp[i].aborted);
	}
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_warp_clock *c = (const void *)unit;

	for (uint32_t i = 0; i < c->config.warps; i++) {
		const struct warp *w = &c->warp[i];

		if (w->time > c->time_max || w->pending > c->time_max)
			return "W1: a time does not fit its width";
		if (w->pending && !w->aborted)
			return "W2: a warp without aborted lanes has a report";
	}
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_warp_clock_config *c = gputm_unit_config(unit);
	uint64_t aborts = c->backoff_limit + 1 + (uint64_t)c->backoff_patience *
						 (DOUBLINGS_MAX - c->backoff_limit);

	gputm__array(out, "warpts", c->warps, c->time_bits, 1);
	gputm__array_apart(out, "reports", c->warps, (uint64_t)c->time_bits + 1, 1);
	gputm__array_apart(out, "aborts in a row", c->warps, gputm__bits_for(aborts), 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_warp_clock *c = (const void *)unit;
	uint64_t aborts = 0, waiting = 0;

	for (uint32_t i = 0; i < c->config.warps; i++) {
		aborts += c->warp[i].aborts;
		waiting += c->warp[i].aborted;
	}
	gputm__law_least(laws, c->restarts, aborts,
			 "W3: the warps restarted more often than the unit");
	gputm__law_least(laws, c->reports, c->restarts + waiting, "W3: more restarts than reports");
}

GPUTM__UNIT(warp_clock, .version = 1, .setup = setup, .validate = validate, .laws = laws)

/* ---- hardware ---- */

static int refuse_warp(const struct gputm_warp_clock *c, uint32_t warp)
{
	return gputm__out_of_range(&c->unit, "warp", warp, 0, c->config.warps - 1);
}

static uint64_t largest(const struct gputm_warp_clock *c)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < c->config.warps; i++)
		gputm__maximum(&time, c->warp[i].time);
	return time;
}

int gputm_warp_clock_get_time(const struct gputm_warp_clock *c, uint32_t warp, uint64_t *time)
{
	if (warp >= c->config.warps)
		return refuse_warp(c, warp);
	*time = c->config.per_core ? largest(c) : c->warp[warp].time;
	return 0;
}

int gputm_warp_clock_abort(struct gputm_warp_clock *c, uint32_t warp, uint64_t reported)
{
	if (warp >= c->config.warps)
		return refuse_warp(c, warp);
	if (reported > c->time_max)
		return gputm__out_of_range(&c->unit, "reported", reported, 0, c->time_max);
	gputm__maximum(&c->warp[warp].pending, reported);
	c->warp[warp].aborted = true;
	c->reports++;
	return 0;
}

/* Doublings of the base: one for each restart up to the limit, then one in `patience`. */
static uint32_t doublings(const struct gputm_warp_clock_config *c, uint32_t aborts)
{
	uint32_t result = c->backoff_limit;

	if (aborts <= result)
		return aborts;
	if (c->backoff_patience)
		result += (aborts - result) / c->backoff_patience;
	return result < DOUBLINGS_MAX ? result : DOUBLINGS_MAX;
}

/* Uniform in 0 .. base x 2^doublings, which is below 2^41. */
static uint64_t draw_backoff(struct gputm_warp_clock *c, uint32_t aborts)
{
	uint64_t span = ((uint64_t)c->config.backoff_base << doublings(&c->config, aborts)) + 1;
	uint64_t random = gputm__splitmix64(&c->random);

	return ((random >> 42) * span) >> 22;
}

int gputm_warp_clock_restart(struct gputm_warp_clock *c, uint32_t warp, uint64_t *cycles)
{
	struct warp *w;
	uint64_t time;

	if (warp >= c->config.warps)
		return refuse_warp(c, warp);
	w = &c->warp[warp];
	if (!w->aborted)
		return gputm__refuse(&c->unit, "restart of warp %u without an abort", warp);
	time = w->pending > w->time ? w->pending : w->time;
	time += time < c->time_max;
	c->advanced += time - w->time;
	w->time = time;
	w->pending = 0;
	w->aborted = false;
	w->aborts += w->aborts < UINT32_MAX;
	*cycles = draw_backoff(c, w->aborts);
	c->restarts++;
	c->backoff_cycles += *cycles;
	gputm__maximum(&c->time_top, time);
	gputm__maximum(&c->aborts_top, w->aborts);
	gputm__emit(&c->unit, GPUTM_WARP_CLOCK_EVENT_RESTART, warp, time, w->aborts, *cycles);
	return time > c->threshold ? GPUTM_WARP_CLOCK_ROLLOVER : GPUTM_WARP_CLOCK_OK;
}

int gputm_warp_clock_commit(struct gputm_warp_clock *c, uint32_t warp)
{
	if (warp >= c->config.warps)
		return refuse_warp(c, warp);
	if (c->warp[warp].aborted)
		return gputm__refuse(&c->unit, "commit of warp %u, of which lanes aborted", warp);
	c->warp[warp].aborts = 0;
	c->commits++;
	gputm__emit(&c->unit, GPUTM_WARP_CLOCK_EVENT_COMMIT, warp, c->warp[warp].time, 0, 0);
	return 0;
}

bool gputm_warp_clock_exhausted(const struct gputm_warp_clock *c)
{
	for (uint32_t i = 0; i < c->config.warps; i++)
		if (c->warp[i].time > c->threshold)
			return true;
	return false;
}

void gputm_warp_clock_rollover(struct gputm_warp_clock *c)
{
	for (uint32_t i = 0; i < c->config.warps; i++) {
		c->warp[i].time = 0;
		c->warp[i].pending = 0;
	}
	c->rollovers++;
	gputm__emit(&c->unit, GPUTM_WARP_CLOCK_EVENT_RESET, c->rollovers, 0, 0, 0);
}
