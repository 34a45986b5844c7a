/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread compactor
 * ================
 *
 * W. W. L. Fung's thesis (2015), 3.3.2 "Implementation", 3.3.3 and Fig. 3.6, 3.7 (the lower
 * right part), 3.7.
 *
 * The mask of a block is laid into one buffer per lane. In a cycle the priority encoder of a
 * lane takes the first thread of its buffer and resets its bit; what the encoders have taken
 * is a warp. After as many cycles as there are bits in the fullest buffer all are empty.
 *
 *	Fig. 3.7: entry C of three static warps of four lanes
 *
 *			lane 1	lane 2	lane 3	lane 4		warp
 *	buffers		010	100	101	110
 *	cycle 1		5	2	3	4		5  2  3  4
 *	buffers		000	000	001	010
 *	cycle 2		-	-	11	8		-  -  11 8
 *
 * As no thread leaves its lane and the encoders prefer low static warps, a lane whose buffer is
 * full comes out in its static order: a mask of whole static warps gives these back.
 *
 * Here the whole mask is compacted when it is pushed: the k-th thread of each lane goes to warp k.
 * A tick then only counts. The mask and two counts are all there is to save.
 *
 * Invariants, as check() names them:
 *   C1  a mask in the unit has threads, all within the block
 *   C2  popped <= made <= warps of the mask; popped < warps, or the unit would be idle
 *   C3  warps made = popped + waiting ones; warps asked for = made + to be made
 *   C4  no mask gives more warps than static warps had threads in it
 *
 * Differences from the paper
 *   - The paper gives no size of the place where warps wait that have been made. Here a mask's
 *     warps wait in the unit until they are popped, and the next mask is taken after the last.
 *   - With compaction disabled the paper has the warps run on as they are; here they too come
 *     out one a cycle.
 */
#include "gputm/thread_compactor.h"
#include "lib/compaction/columns.h"

struct gputm_thread_compactor {
	struct gputm_unit unit;
	struct gputm_thread_compactor_warp *warp; /* [config.warps] */
	uint64_t outside;			  /* bits of no static warp */
	uint64_t all;				  /* lanes */
	uint32_t count, made, popped;		  /* count 0: idle */
	struct gputm_thread_compactor_config config;
	uint64_t tag;
	uint32_t column[GPUTM__COLUMNS_MAX];
	uint64_t masks, threads, warps_made, warps_popped, warps_asked, static_warps;
	uint64_t busy, cycles, full_warps;
};

#define UNIT thread_compactor

static const struct gputm_param rows[] = {
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp: priority encoders.", "thesis 3.3.3"),
	PARAM(warps, 1, 32, 32, false, "Static warps of a block: inputs of an encoder.",
	      "thesis 3.7"),
	PARAM(compact, 0, 1, 1, false, "Pack threads; 0: all stay in their static warps.",
	      "thesis 3.3.2"),
};

static const struct gputm_preset presets[] = {
	{ "tbc",
	  "Thesis 3.3: blocks of 32 warps of 32 lanes.",
	  { { "lanes", 32 }, { "warps", 32 }, { "compact", 1 } } },
	{ "static",
	  "Thesis 3.3.2: the same, disabled for programs that rely on their static warps.",
	  { { "lanes", 32 }, { "warps", 32 }, { "compact", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(masks, COUNTER, "masks", "Block masks taken."),
	STAT(threads, COUNTER, "threads", "Threads in them."),
	STAT(static_warps, COUNTER, "warps", "Static warps with a thread in them."),
	STAT(warps_asked, COUNTER, "warps", "Warps that they make."),
	STAT(warps_made, COUNTER, "warps", "Warps made."),
	STAT(warps_popped, COUNTER, "warps", "Warps popped."),
	STAT(cycles, COUNTER, "cycles", "Ticks."),
	STAT(busy, COUNTER, "cycles", "Ticks that made a warp."),
	STAT(full_warps, COUNTER, "warps", "Warps made with a thread in every lane."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_THREAD_COMPACTOR_EVENT_PUSH, "push", "The threads of a block have come.",
	      VALUE(tag, "tag", "The caller's tag of the threads."),
	      VALUE(threads, "threads", "Threads that have come."),
	      VALUE(warps, "warps", "Warps that the threads make.")),
	EVENT(GPUTM_THREAD_COMPACTOR_EVENT_WARP, "warp", "The unit has made a warp.",
	      VALUE(tag, "tag", "The caller's tag of the threads."),
	      VALUE(formed_warp, "formed warp", "Number of the warp among those of its threads."),
	      VALUE(lanes, "lane mask", "Lanes of the warp.")),
};

/* ---- common face ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_thread_compactor *c = (void *)unit;

	c->warp = gputm__own(unit, c->config.warps, sizeof(*c->warp));
	c->outside = ~gputm__low_mask(c->config.warps);
	c->all = gputm__low_mask(c->config.lanes);
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_thread_compactor *c = (void *)unit;

	c->count = 0;
	c->made = 0;
	c->popped = 0;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_thread_compactor_config *c = gputm_unit_config(unit);

	gputm__array(out, "buffers", c->lanes, c->warps, 1);
	gputm__array_apart(out, "warps made: static warp of each thread", c->warps,
			   (uint64_t)c->lanes * (1 + gputm__bits_for(c->warps)), 1);
}

/* ---- compaction ---- */

/* The thread of a static warp in this lane goes to warp k. */
static void place(struct gputm_thread_compactor *c, uint32_t k, uint32_t lane, uint32_t static_warp)
{
	c->warp[k].mask |= UINT64_C(1) << lane;
	c->warp[k].thread[lane] = (uint16_t)(static_warp * c->config.lanes + lane);
}

/* Warp k has the k-th thread of each buffer. */
static void pack(struct gputm_thread_compactor *c)
{
	for (uint32_t lane = 0; lane < c->config.lanes; lane++) {
		uint32_t buffer = c->column[lane];

		for (uint32_t k = 0; buffer; k++, buffer &= buffer - 1)
			place(c, k, lane, gputm__lowest(buffer));
	}
}

/* Warp k has the threads of the k-th static warp that has a thread. */
static void keep(struct gputm_thread_compactor *c, uint32_t any)
{
	for (uint32_t k = 0; any; k++, any &= any - 1) {
		uint32_t static_warp = gputm__lowest(any);

		for (uint32_t lane = 0; lane < c->config.lanes; lane++)
			if (c->column[lane] >> static_warp & 1)
				place(c, k, lane, static_warp);
	}
}

/* Form the warps from the columns. */
static struct gputm__columns_count compact(struct gputm_thread_compactor *c)
{
	struct gputm__columns_count n = gputm__columns_count(c->column, c->config.lanes);

	c->count = gputm__columns_warps(&n, c->config.compact);
	for (uint32_t k = 0; k < c->count; k++) {
		c->warp[k].tag = c->tag;
		c->warp[k].index = k;
		c->warp[k].mask = 0;
		memset(c->warp[k].thread, 0xff, sizeof(c->warp[k].thread)); /* NO_THREAD */
	}
	if (c->config.compact)
		pack(c);
	else
		keep(c, n.any);
	return n;
}

/* ---- snapshots and invariants ---- */

static void io_mask(struct gputm_thread_compactor *c, struct gputm__io *io)
{
	gputm__io_u64(io, &c->tag);
	gputm__io_u32s(io, c->column, c->config.lanes);
	gputm__io_u32_max(io, &c->made, c->config.warps, "warps made");
	gputm__io_u32_max(io, &c->popped, c->config.warps, "warps popped");
	if (!gputm__io_reading(io) || io->error)
		return;
	for (uint32_t lane = 0; lane < c->config.lanes; lane++)
		if (c->column[lane] & c->outside)
			gputm__io_fail(io, -EINVAL, "C1: a thread is outside the block");
	if (io->error)
		return;
	compact(c);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_thread_compactor *c = (void *)unit;
	bool busy = c->count != 0;

	gputm__io_bool(io, &busy);
	if (io->error || !busy)
		return;
	io_mask(c, io);
	if (!io->error && !c->count)
		gputm__io_fail(io, -EINVAL, "the mask has no thread");
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_thread_compactor *c = (const void *)unit;

	for (uint32_t lane = 0; c->count && lane < c->config.lanes; lane++)
		if (c->column[lane] & c->outside)
			return "C1: a thread is outside the block";
	if (c->popped > c->made || c->made > c->count || (c->count && c->popped == c->count))
		return "C2: popped <= made <= warps of the mask does not hold";
	if (c->warps_asked > c->static_warps || c->static_warps > c->threads)
		return "C4: the masks gave more warps than they had static warps, or than threads";
	if (c->busy != c->warps_made || c->busy > c->cycles || c->full_warps > c->warps_made)
		return "C3: busy cycles differ from warps made";
	return NULL;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_thread_compactor *c = (const void *)unit;

	gputm__law(laws, c->warps_made, c->warps_popped + (c->made - c->popped),
		   "C3: warps made are not those popped and those that wait");
	gputm__law(laws, c->warps_asked, c->warps_made + (c->count - c->made),
		   "C3: warps asked for are not those made and those to be made");
}

GPUTM__UNIT(thread_compactor, .version = 1, .setup = setup, .laws = laws)

/* ---- ports ---- */

/* Check `any`, the OR of all columns, against the threads of the block. */
static int judge(const struct gputm_thread_compactor *c, uint64_t any)
{
	if (any & c->outside)
		return gputm__out_of_range(&c->unit, "static warp of a thread", gputm__log2(any),
					   0, c->config.warps - 1);
	if (!any)
		return gputm__refuse(&c->unit, "the mask has no thread");
	return c->count ? GPUTM_THREAD_COMPACTOR_BUSY : GPUTM_THREAD_COMPACTOR_OK;
}

int gputm_thread_compactor_push_probe(const struct gputm_thread_compactor *c,
				      const uint64_t mask[])
{
	uint64_t any = 0;

	for (uint32_t lane = 0; lane < c->config.lanes; lane++)
		any |= mask[lane];
	return judge(c, any);
}

int gputm_thread_compactor_push(struct gputm_thread_compactor *c, uint64_t tag,
				const uint64_t mask[])
{
	struct gputm__columns_count n;
	uint64_t any = 0;
	int result;

	if (c->count)
		return gputm_thread_compactor_push_probe(c, mask);
	for (uint32_t lane = 0; lane < c->config.lanes; lane++) { /* has no effect if refused */
		any |= mask[lane];
		c->column[lane] = (uint32_t)mask[lane];
	}
	result = judge(c, any);
	if (result < 0)
		return result;
	c->tag = tag;
	n = compact(c);
	c->masks++;
	c->threads += n.threads;
	c->static_warps += gputm__popcount(n.any);
	c->warps_asked += c->count;
	gputm__emit(&c->unit, GPUTM_THREAD_COMPACTOR_EVENT_PUSH, tag, n.threads, c->count, 0);
	return GPUTM_THREAD_COMPACTOR_OK;
}

static int offers(const struct gputm_thread_compactor *c)
{
	return c->popped != c->made ? GPUTM_THREAD_COMPACTOR_OFFER_WARP : 0;
}

static void make_warp(struct gputm_thread_compactor *c)
{
	struct gputm_thread_compactor_warp *warp;

	warp = &c->warp[c->made++];
	c->busy++;
	c->warps_made++;
	c->full_warps += warp->mask == c->all;
	gputm__emit(&c->unit, GPUTM_THREAD_COMPACTOR_EVENT_WARP, warp->tag, warp->index,
		    warp->mask, 0);
}

int gputm_thread_compactor_tick(struct gputm_thread_compactor *c)
{
	c->cycles++;
	if (c->made == c->count)
		return offers(c);
	make_warp(c);
	return GPUTM_THREAD_COMPACTOR_OFFER_WARP;
}

uint64_t gputm_thread_compactor_next_event(const struct gputm_thread_compactor *c)
{
	return c->made == c->count ? UINT64_MAX : 0;
}

int gputm_thread_compactor_advance(struct gputm_thread_compactor *c, uint64_t cycles)
{
	c->cycles = gputm__later(c->cycles, cycles);
	for (; cycles && c->made != c->count; cycles--)
		make_warp(c);
	return offers(c);
}

int gputm_thread_compactor_peek(const struct gputm_thread_compactor *c,
				struct gputm_thread_compactor_warp *out)
{
	if (c->popped == c->made)
		return 0;
	*out = c->warp[c->popped];
	return 1;
}

int gputm_thread_compactor_pop(struct gputm_thread_compactor *c)
{
	if (c->popped == c->made)
		return 0;
	c->warps_popped++;
	if (++c->popped == c->count)
		clear(&c->unit);
	return 1;
}

uint32_t gputm_thread_compactor_warps(const struct gputm_thread_compactor *c)
{
	return c->count;
}

uint64_t gputm_thread_compactor_buffer(const struct gputm_thread_compactor *c, uint32_t lane)
{
	uint32_t left = lane < c->config.lanes && c->count ? c->column[lane] : 0, any = 0;

	if (c->config.compact) {
		for (uint32_t k = 0; k < c->made; k++)
			left &= left - (left != 0);
		return left;
	}
	for (uint32_t i = 0; i < c->config.lanes; i++)
		any |= c->column[i];
	for (uint32_t k = 0; k < c->made; k++, any &= any - 1)
		left &= ~(any & -any);
	return left;
}
