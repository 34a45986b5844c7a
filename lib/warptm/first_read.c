/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First-read time table of temporal conflict detection
 * ====================================================
 *
 * W. W. L. Fung, "GPU Computing Architecture for Irregular Parallelism" (PhD thesis,
 * UBC 2015), 6.4, Fig. 6.7 and 6.8, and 6.4.4 for what becomes of read-only transactions.
 *
 * Each transaction keeps the time at which it sent its first load, and one bit: whether a load
 * has met a conflict. A load is answered with the time at which its block was last
 * written:
 *
 *	issue:   no first load yet?  first = now
 *	reply:   last written > first, or (guarded) a write of the block is pending: conflict
 *	finish:  wrote something         read_write      to the commit units
 *	         else conflict           second_chance   to the commit units too
 *	         else                    silent          it is done
 *
 * Fig. 6.8: a transaction sends its first load at 1, and is answered 0 (never written). A load
 * at 10 is answered 0: no conflict. One at 18 is answered 15, after 1: conflict.
 *
 * Why a silent commit is right: every word read was last written at or before `first`, as
 * no answer of the table is too early. So the values read stood in memory together at
 * `first`, which is a snapshot. It is consistent if no transaction was half written then. Let a
 * transaction have written x before `first` and y after. A read of y after that write is a
 * conflict by its time. A read of y before that write was served while y was in the
 * write-set of a transaction between its local pass and its retirement: it passed locally
 * before any of its writes, so before `first`. That is what write_pending says, and
 * guard_writeback makes it a conflict. Without the guard such a snapshot passes; the
 * thesis admits it and has not seen it happen.
 *
 * Invariants, as check() names them:
 *   F1  conflict is a part of loaded, that of running, that of the lanes of a warp
 *   F2  begun = silent + second_chance + read_write + restarted + running
 *   F3  conflicting <= replies; second_chance <= time_conflicts + guard_conflicts
 *   F4  a first load is not beyond time_bits
 *
 * Differences from the paper
 *   - guard_writeback closes the hole above, for which the paper sketches a way. The preset
 *     "thesis" leaves it open.
 *   - When its timers roll over the paper validates what runs and sets first loads to 0. There
 *     is no such operation here: the caller begins the attempts anew.
 *   - The paper does not say what equal times mean. They are no conflict: a load served at
 *     least a cycle after it was sent sees all that was written when it was sent.
 */
#include "gputm/first_read.h"
#include "lib/base/unit.h"

struct warp {
	uint64_t running;  /* lanes in an attempt */
	uint64_t loaded;   /* running lanes that have sent a load */
	uint64_t conflict; /* loaded lanes with a conflict */
	uint64_t first[64]; /* time of the first load, of the lanes in loaded */
};

struct gputm_first_read {
	struct gputm_unit unit;
	struct gputm_first_read_config config;
	struct warp *warp; /* [warps] */
	uint64_t lanes;	   /* mask of all lanes */
	uint64_t time_max;
	uint64_t running; /* attempts in all warps */
	uint64_t begun, restarted, silent, second_chance, read_write;
	uint64_t loads, replies, conflicting, time_conflicts, guard_conflicts;
};

#define UNIT first_read

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 1 << 12, 48, false, "Warps of the core.", "thesis Table 6.1"),
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "thesis Table 6.1"),
	PARAM(time_bits, 1, 64, 64, false, "Width of a time, bits.", "thesis 6.4.2"),
	PARAM(guard_writeback, 0, 1, 1, false, "Whether a pending write is a conflict.",
	      "thesis 6.4"),
};

static const struct gputm_preset presets[] = {
	{ "warptm-tcd",
	  "Thesis 6.4.2, with pending writes as conflicts.",
	  { { "guard_writeback", 1 } } },
	{ "thesis", "Thesis 6.4.2 to the letter.", { { "guard_writeback", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(begun, COUNTER, "attempts", "Attempts begun."),
	STAT(restarted, COUNTER, "attempts", "Attempts ended by the next one of the lane."),
	STAT(silent, COUNTER, "attempts", "Read-only attempts that committed silently."),
	STAT(second_chance, COUNTER, "attempts",
	     "Read-only attempts with a conflict, to the commit units."),
	STAT(read_write, COUNTER, "attempts", "Attempts that wrote, to the commit units."),
	STAT(running, GAUGE, "attempts", "Attempts running."),
	STAT(loads, COUNTER, "loads", "Loads sent, of single lanes."),
	STAT(replies, COUNTER, "replies", "Replies to loads."),
	STAT(conflicting, COUNTER, "replies", "Of these, with a conflict for some lane."),
	STAT(time_conflicts, COUNTER, "attempts", "Attempts that met a later write first."),
	STAT(guard_conflicts, COUNTER, "attempts", "Attempts that met a pending write first."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_FIRST_READ_EVENT_BEGIN, "begin", "Lanes begin an attempt.",
	      VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(lanes, "lane mask", "Lanes that begin.")),
	EVENT(GPUTM_FIRST_READ_EVENT_FIRST, "first", "Lanes issue the first load of their attempt.",
	      VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(lanes, "lane mask", "Lanes that issue their first load."),
	      VALUE(cycle, "cycle", "Cycle of the caller's clock.")),
	EVENT(GPUTM_FIRST_READ_EVENT_REPLY, "reply", "The reply to a load has come.",
	      VALUE(warp, "warp", "The warp of the load."),
	      VALUE(lanes, "lane mask", "Lanes of the load."),
	      VALUE(conflicts, "lane mask", "Lanes of the load that have a conflict."),
	      VALUE(written_at, "cycle", "The time at which the block was written last.")),
	EVENT(GPUTM_FIRST_READ_EVENT_FINISH, "finish",
	      "Lanes have come to the end of their attempt.",
	      VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(silent, "lane mask", "Lanes that commit without a message."),
	      VALUE(second_chance, "lane mask",
		    "Lanes that have only read, and have a conflict to be validated."),
	      VALUE(read_write, "lane mask",
		    "Lanes that have written, and commit by way of the commit units.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_first_read *t = (void *)unit;

	t->lanes = gputm__low_mask(t->config.lanes);
	t->time_max = gputm__low_mask(t->config.time_bits);
	t->warp = gputm__own(unit, t->config.warps, sizeof(*t->warp));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_first_read *t = (void *)unit;

	memset(t->warp, 0, t->config.warps * sizeof(*t->warp));
	t->running = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_first_read *t = (void *)unit;

	t->running = 0;
	for (uint32_t i = 0; i < t->config.warps; i++) {
		struct warp *w = &t->warp[i];

		gputm__io_u64(io, &w->running);
		gputm__io_u64(io, &w->loaded);
		gputm__io_u64(io, &w->conflict);
		for (uint64_t left = w->loaded; left; left &= left - 1)
			gputm__io_u64(io, &w->first[gputm__lowest(left)]);
		t->running += gputm__popcount(w->running);
	}
}

static const char *check_warp(const struct gputm_first_read *t, uint32_t warp)
{
	const struct warp *w = &t->warp[warp];

	if (w->running & ~t->lanes || w->loaded & ~w->running || w->conflict & ~w->loaded)
		return "F1: the masks of a warp are not nested: conflict, loaded, running, lanes";
	for (uint64_t left = w->loaded; left; left &= left - 1)
		if (w->first[gputm__lowest(left)] > t->time_max)
			return "F4: a first load is beyond time_bits";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_first_read *t = (const void *)unit;
	uint64_t running = 0;

	for (uint32_t i = 0; i < t->config.warps; i++) {
		const char *broken = check_warp(t, i);

		if (broken)
			return broken;
		running += gputm__popcount(t->warp[i].running);
	}
	if (running != t->running)
		return "F2: running differs from the number of running attempts";
	if (t->conflicting > t->replies)
		return "F3: more replies with a conflict than replies";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_first_read_config *c = gputm_unit_config(unit);
	uint64_t threads = (uint64_t)c->warps * c->lanes;

	gputm__array(out, "first-read times", threads, c->time_bits, 1);
	gputm__array_apart(out, "loaded and conflict", threads, 2, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_first_read *t = (const void *)unit;

	gputm__law(laws, t->begun,
		   t->silent + t->second_chance + t->read_write + t->restarted + t->running,
		   "F2: begun is not silent + second_chance + read_write + restarted + running");
	gputm__law_least(laws, t->time_conflicts + t->guard_conflicts, t->second_chance,
			 "F3: more second chances than attempts that met a conflict");
}

GPUTM__UNIT(first_read, .version = 1, .setup = setup, .laws = laws)

/* ---- refusals, out of the way ---- */

static int refuse_place(const struct gputm_first_read *t, uint32_t warp, uint64_t mask)
{
	if (warp >= t->config.warps)
		return gputm__out_of_range(&t->unit, "warp", warp, 0, t->config.warps - 1);
	return gputm__out_of_range(&t->unit, "mask", mask, 0, t->lanes);
}

static int refuse_lanes(const struct gputm_first_read *t, uint64_t mask, const char *why)
{
	return gputm__refuse(&t->unit, "lane %u %s", gputm__lowest(mask), why);
}

static int refuse_time(const struct gputm_first_read *t, uint64_t time)
{
	return gputm__out_of_range(&t->unit, "time", time, 0, t->time_max);
}

static inline bool is_misplaced(const struct gputm_first_read *t, uint32_t warp, uint64_t mask)
{
	return warp >= t->config.warps || mask & ~t->lanes;
}

/* ---- data path ---- */

int gputm_first_read_begin(struct gputm_first_read *t, uint32_t warp, uint64_t mask)
{
	struct warp *w;
	uint32_t again;

	if (is_misplaced(t, warp, mask))
		return refuse_place(t, warp, mask);
	w = &t->warp[warp];
	again = gputm__popcount(mask & w->running);
	t->begun += gputm__popcount(mask);
	t->restarted += again;
	t->running += gputm__popcount(mask) - again;
	w->running |= mask;
	w->loaded &= ~mask;
	w->conflict &= ~mask;
	gputm__emit(&t->unit, GPUTM_FIRST_READ_EVENT_BEGIN, warp, mask, 0, 0);
	return 0;
}

int gputm_first_read_issue(struct gputm_first_read *t, uint32_t warp, uint64_t mask, uint64_t time)
{
	struct warp *w;
	uint64_t fresh;

	if (is_misplaced(t, warp, mask))
		return refuse_place(t, warp, mask);
	w = &t->warp[warp];
	if (mask & ~w->running)
		return refuse_lanes(t, mask & ~w->running, "has no attempt running");
	if (time > t->time_max)
		return refuse_time(t, time);
	t->loads += gputm__popcount(mask);
	fresh = mask & ~w->loaded;
	if (!fresh)
		return 0;
	w->loaded |= fresh;
	for (uint64_t left = fresh; left; left &= left - 1)
		w->first[gputm__lowest(left)] = time;
	gputm__emit(&t->unit, GPUTM_FIRST_READ_EVENT_FIRST, warp, fresh, time, 0);
	return 0;
}

static int refuse_reply(const struct gputm_first_read *t, uint32_t warp, uint64_t mask,
			uint64_t last_written)
{
	if (is_misplaced(t, warp, mask))
		return refuse_place(t, warp, mask);
	if (mask & ~t->warp[warp].loaded)
		return refuse_lanes(t, mask & ~t->warp[warp].loaded, "has sent no load");
	return refuse_time(t, last_written);
}

/* Lanes that have loaded are lanes of the warp. */
static inline bool is_refused(const struct gputm_first_read *t, uint32_t warp, uint64_t mask,
			      uint64_t last_written)
{
	return warp >= t->config.warps || mask & ~t->warp[warp].loaded ||
	       last_written > t->time_max;
}

/* Lanes of the mask whose first load was before this time. */
static inline uint64_t before(const struct warp *w, uint64_t mask, uint64_t time)
{
	uint64_t found = 0;

	for (uint64_t left = mask; left; left &= left - 1)
		found |= w->first[gputm__lowest(left)] < time ? left & -left : 0;
	return found;
}

int gputm_first_read_reply_probe(const struct gputm_first_read *t, uint32_t warp, uint64_t mask,
				 uint64_t last_written, bool write_pending)
{
	if (is_refused(t, warp, mask, last_written))
		return refuse_reply(t, warp, mask, last_written);
	if (write_pending && t->config.guard_writeback && mask)
		return GPUTM_FIRST_READ_CONFLICT;
	return before(&t->warp[warp], mask, last_written) ? GPUTM_FIRST_READ_CONFLICT :
								  GPUTM_FIRST_READ_CLEAN;
}

static int tell_reply(const struct gputm_first_read *t, uint32_t warp, uint64_t mask, uint64_t time,
		      uint64_t found)
{
	gputm__emit(&t->unit, GPUTM_FIRST_READ_EVENT_REPLY, warp, mask, found, time);
	return found ? GPUTM_FIRST_READ_CONFLICT : GPUTM_FIRST_READ_CLEAN;
}

/* A reply has a later time than the first load of a lane, or reports a pending write. */
static int suspect(struct gputm_first_read *t, uint32_t warp, uint64_t mask, uint64_t time,
		   bool write_pending)
{
	uint64_t late = before(&t->warp[warp], mask, time);
	uint64_t pending = write_pending && t->config.guard_writeback ? mask : 0;
	struct warp *w = &t->warp[warp];

	t->conflicting += (late | pending) != 0;
	t->time_conflicts += gputm__popcount(late & ~w->conflict);
	t->guard_conflicts += gputm__popcount(pending & ~late & ~w->conflict);
	w->conflict |= late | pending;
	return tell_reply(t, warp, mask, time, late | pending);
}

int gputm_first_read_reply(struct gputm_first_read *t, uint32_t warp, uint64_t mask,
			   uint64_t last_written, bool write_pending)
{
	if (is_refused(t, warp, mask, last_written))
		return refuse_reply(t, warp, mask, last_written);
	t->replies++;
	if (write_pending || before(&t->warp[warp], mask, last_written))
		return suspect(t, warp, mask, last_written, write_pending);
	if (t->unit.observe != NULL)
		return tell_reply(t, warp, mask, last_written, 0);
	return GPUTM_FIRST_READ_CLEAN;
}

int gputm_first_read_finish_probe(const struct gputm_first_read *t, uint32_t warp, uint64_t mask,
				  uint64_t writers, struct gputm_first_read_verdict *out)
{
	const struct warp *w;

	if (is_misplaced(t, warp, mask))
		return refuse_place(t, warp, mask);
	w = &t->warp[warp];
	if (mask & ~w->running)
		return refuse_lanes(t, mask & ~w->running, "has no attempt running");
	out->read_write = mask & writers;
	out->second_chance = mask & ~writers & w->conflict;
	out->silent = mask & ~writers & ~w->conflict;
	return 0;
}

int gputm_first_read_finish(struct gputm_first_read *t, uint32_t warp, uint64_t mask,
			    uint64_t writers, struct gputm_first_read_verdict *out)
{
	int error = gputm_first_read_finish_probe(t, warp, mask, writers, out);
	struct warp *w;

	if (error)
		return error;
	w = &t->warp[warp];
	w->running &= ~mask;
	w->loaded &= ~mask;
	w->conflict &= ~mask;
	t->running -= gputm__popcount(mask);
	t->silent += gputm__popcount(out->silent);
	t->second_chance += gputm__popcount(out->second_chance);
	t->read_write += gputm__popcount(out->read_write);
	gputm__emit(&t->unit, GPUTM_FIRST_READ_EVENT_FINISH, warp, out->silent,
		    out->second_chance, out->read_write);
	return 0;
}

uint64_t gputm_first_read_conflicts(const struct gputm_first_read *t, uint32_t warp)
{
	return warp < t->config.warps ? t->warp[warp].conflict : 0;
}

int gputm_first_read_get_time(const struct gputm_first_read *t, uint32_t warp, uint32_t lane,
			      uint64_t *time)
{
	if (warp >= t->config.warps)
		return refuse_place(t, warp, 0);
	if (lane >= t->config.lanes)
		return gputm__out_of_range(&t->unit, "lane", lane, 0, t->config.lanes - 1);
	if (!(t->warp[warp].loaded >> lane & 1))
		return 0;
	*time = t->warp[warp].first[lane];
	return 1;
}

uint64_t gputm_first_read_oldest(const struct gputm_first_read *t)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = 0; i < t->config.warps; i++)
		for (uint64_t left = t->warp[i].loaded; left; left &= left - 1) {
			uint64_t first = t->warp[i].first[gputm__lowest(left)];

			oldest = first < oldest ? first : oldest;
		}
	return oldest;
}
