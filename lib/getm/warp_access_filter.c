/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conflicts within a warp, access by access
 * =========================================
 *
 * GETM (HPCA 2018), V-A "Transaction logs": each transactional access is first checked
 * against the local per-warp read and write logs and aborted if it conflicts with other
 * threads of the same warp.
 *
 *	access by lane L to word x:
 *	    another running lane wrote x                  L loses
 *	    L writes and another running lane read x      L loses
 *	    else                                          note L as reader or writer of x
 *
 *	           x: readers  writer
 *	0 loads x     {0}      -
 *	1 loads x     {0,1}    -
 *	1 stores x    {0,1}    -      lane 1 loses: lane 0 has read x
 *	0 stores x    {0}      0      lane 1 no longer runs, so lane 0 may
 *	2 loads x     {0}      0      lane 2 loses
 *
 * Lanes are served in ascending order, so that the lower of two lanes of one instruction
 * wins. A word that has a running writer has no other running reader: the sets of all lanes
 * fit a mask and a lane number. Lanes that stop are taken out of the `running` mask only.
 *
 * The logs of the paper are searched; the model has an open hash table per warp, whose
 * slots carry the attempt's number, so that a new attempt forgets them at once.
 *
 * Invariants, as check() names them:
 *   A1  the running writer of a word is its only running reader
 *   A2  each word has one entry, which the search finds
 *   A3  accesses = noted + lost
 *
 * Differences from the paper
 *   - Table II lists a two-phase detection with a 4 kB table for GETM too. Conflicts found at
 *     commit would break what V-A relies on, that a transaction which reached its commit
 *     succeeds; so the check is at each access.
 *   - The paper does not say who loses; here the one who comes later.
 */
#include "gputm/warp_access_filter.h"
#include "lib/base/unit.h"

#define SLOTS_MIN 256
#define SLOTS_MAX (UINT64_C(1) << 30)
#define NO_LANE 64u

struct entry {
	uint64_t word, readers;
	uint32_t writer; /* lane, or NO_LANE */
};

struct warp {
	struct entry *entry; /* [used], in the order of their first access; room for slots / 2 */
	uint64_t *slot;	     /* attempt << 32 | entry; of another attempt: free */
	uint64_t slots, used;
	uint64_t running;
	uint32_t attempt; /* from 1 */
};

struct gputm_warp_access_filter {
	struct gputm_unit unit;
	struct gputm_warp_access_filter_config config;
	struct warp *warp;
	uint64_t lane_mask, address_max;
	uint32_t word_shift;
	uint64_t begins, accesses, noted, lost, dropped, words_max;
};

#define UNIT warp_access_filter

static const struct gputm_param rows[] = {
	PARAM(warps, 1, 1024, 48, false, "Warps of the core.", "GETM Table II"),
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "GETM Table II"),
	PARAM(word_bytes, 1, 4096, 4, true, "Bytes that conflict as one.", "GETM V-A"),
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", ""),
	PARAM(words, 1, 1 << 20, 128, false,
	      "Words of an attempt in the storage report; the filter holds any number.", ""),
};

static const struct gputm_preset presets[] = {
	{ "getm", "GETM Table II: 48 warps x 32 lanes.", { { "warps", 48 }, { "lanes", 32 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(begins, COUNTER, "attempts", "Attempts begun or ended."),
	STAT(accesses, COUNTER, "accesses", "Accesses of lanes."),
	STAT(noted, COUNTER, "accesses", "Accesses without conflict."),
	STAT(lost, COUNTER, "lanes", "Accesses that lost against another lane."),
	STAT(dropped, COUNTER, "lanes", "Lanes dropped by the caller."),
	STAT(words_max, MAXIMUM, "words", "Words of an attempt, at most."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_WARP_ACCESS_FILTER_EVENT_ACCESS, "access",
	      "The filter has compared the lanes of an access with the lanes before them.",
	      VALUE(warp, "warp", "The warp of the lanes."),
	      VALUE(lanes, "lane mask", "Lanes that access memory."),
	      NAMED(access, gputm__read_write, "Whether the lanes read or write."),
	      VALUE(losers, "lane mask", "Lanes of the access that have to abort.")),
	EVENT(GPUTM_WARP_ACCESS_FILTER_EVENT_BEGIN, "begin", "A warp begins an attempt.",
	      VALUE(warp, "warp", "The warp."),
	      VALUE(lanes, "lane mask", "Lanes that run.")),
};

static int setup(struct gputm_unit *unit)
{
	struct gputm_warp_access_filter *f = (void *)unit;

	f->lane_mask = gputm__low_mask(f->config.lanes);
	f->address_max = gputm__low_mask(f->config.address_bits);
	f->word_shift = gputm__log2(f->config.word_bytes);
	f->warp = gputm__own(unit, f->config.warps, sizeof(*f->warp));
	return 0;
}

static void forget(struct warp *w)
{
	w->used = 0;
	if (++w->attempt)
		return;
	memset(w->slot, 0, (size_t)w->slots * sizeof(*w->slot));
	w->attempt = 1;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_warp_access_filter *f = (void *)unit;

	for (uint32_t i = 0; i < f->config.warps; i++) {
		forget(&f->warp[i]);
		f->warp[i].running = 0;
	}
}

/* ---- table of a warp ---- */

/* The slot of a word, or the free slot where the word belongs. Some slot is always free. */
static inline uint64_t *slot_of(const struct warp *w, uint64_t word)
{
	uint64_t mask = w->slots - 1;
	uint64_t at = (word * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & mask;

	while (w->slot[at] >> 32 == w->attempt && w->entry[(uint32_t)w->slot[at]].word != word)
		at = (at + 1) & mask;
	return &w->slot[at];
}

/* The entry that a slot leads to; NULL for a free one. */
static inline struct entry *entry_of(const struct warp *w, const uint64_t *slot)
{
	return *slot >> 32 == w->attempt ? &w->entry[(uint32_t)*slot] : NULL;
}

static inline struct entry *find(const struct warp *w, uint64_t word)
{
	return w->used ? entry_of(w, slot_of(w, word)) : NULL;
}

static inline void link_entry(struct warp *w, uint64_t *slot, uint64_t at)
{
	*slot = (uint64_t)w->attempt << 32 | at;
}

static int grow(struct gputm_unit *unit, struct warp *w, uint64_t more)
{
	uint64_t slots = w->slots ? w->slots : SLOTS_MIN, *slot;
	size_t room = (size_t)w->slots / 2;

	while ((w->used + more) * 2 > slots)
		slots *= 2;
	if (slots > SLOTS_MAX)
		return -ENOMEM;
	slot = gputm__own(unit, (size_t)slots, sizeof(*slot));
	if (!slot ||
	    gputm__own_more(unit, &w->entry, &room, (size_t)slots / 2, sizeof(*w->entry))) {
		gputm__disown(unit, slot);
		return -ENOMEM;
	}
	gputm__disown(unit, w->slot);
	w->slot = slot;
	w->slots = slots;
	for (uint64_t at = 0; at < w->used; at++)
		link_entry(w, slot_of(w, w->entry[at].word), at);
	return 0;
}

/* Make room for this many more words, with half of the slots free. */
static inline int reserve(struct gputm_unit *unit, struct warp *w, uint64_t more)
{
	return (w->used + more) * 2 <= w->slots ? 0 : grow(unit, w, more);
}

/* ---- common face ---- */

static void read_room(struct warp *w, uint64_t used, struct gputm__io *io)
{
	if (used > (io->size - io->used) / 8)
		gputm__io_fail(io, -EINVAL, "a warp has fewer words than it says");
	else if (used && reserve(io->unit, w, used))
		gputm__io_fail(io, -ENOMEM, "no memory for its words");
}

/* Only lanes that run are saved: lanes that have stopped conflict with nobody. */
static struct entry of_running(const struct warp *w, const struct entry *e)
{
	bool writes = e->writer != NO_LANE && w->running >> e->writer & 1;

	return (struct entry){ e->word, e->readers & w->running, writes ? e->writer : NO_LANE };
}

static void io_entry(struct warp *w, uint64_t at, struct gputm__io *io)
{
	struct entry e = gputm__io_reading(io) ? (struct entry){ 0, 0, 0 }
					       : of_running(w, &w->entry[at]);
	uint64_t writer = e.writer;

	gputm__io_u64(io, &e.word);
	gputm__io_u64(io, &e.readers);
	gputm__io_u64_max(io, &writer, NO_LANE, "writer of a word");
	if (!gputm__io_reading(io) || io->error)
		return;
	e.writer = (uint32_t)writer;
	w->entry[at] = of_running(w, &e);
	if (w->entry[at].readers != e.readers || w->entry[at].writer != e.writer)
		gputm__io_fail(io, -EINVAL, "a lane that has stopped holds a word");
	link_entry(w, slot_of(w, e.word), w->used++);
}

static void io_warp(struct warp *w, struct gputm__io *io)
{
	uint64_t used = w->used;
	size_t from;

	gputm__io_u64(io, &w->running);
	gputm__io_u64(io, &used);
	if (gputm__io_reading(io) && !io->error)
		read_room(w, used, io);
	from = io->used;
	for (uint64_t at = 0; at < used && !io->error; at++)
		io_entry(w, at, io);
	gputm__io_ascending(io, from, 3);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_warp_access_filter *f = (void *)unit;

	for (uint32_t i = 0; i < f->config.warps && !io->error; i++)
		io_warp(&f->warp[i], io);
}

static const char *check_warp(const struct gputm_warp_access_filter *f, const struct warp *w)
{
	if (w->running & ~f->lane_mask)
		return "A1: a lane that does not exist runs";
	for (uint64_t at = 0; at < w->used; at++) {
		const struct entry *e = &w->entry[at];

		if (e->readers & ~f->lane_mask || e->word > f->address_max >> f->word_shift ||
		    (e->writer >= f->config.lanes && e->writer != NO_LANE))
			return "A2: an entry names a lane or word that does not exist";
		if (e->writer != NO_LANE && w->running >> e->writer & 1 &&
		    e->readers & w->running & ~(UINT64_C(1) << e->writer))
			return "A1: a word with a running writer has another running reader";
		if (find(w, e->word) != e)
			return "A2: the search does not find a word";
	}
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_warp_access_filter *f = (const void *)unit;
	const char *broken = NULL;

	for (uint32_t i = 0; i < f->config.warps && !broken; i++)
		broken = check_warp(f, &f->warp[i]);
	if (!broken && f->accesses != f->noted + f->lost)
		broken = "A3: accesses are not noted + lost";
	return broken;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_warp_access_filter_config *c = gputm_unit_config(unit);
	uint64_t lane = gputm__bits_for((uint64_t)c->lanes + 1);

	gputm__array_apart(out, "words of the logs", (uint64_t)c->warps * c->words,
			   c->address_bits - gputm__log2(c->word_bytes) + c->lanes + lane,
			   c->lanes);
}

GPUTM__UNIT(warp_access_filter, .version = 2, .setup = setup)

/* ---- hardware ---- */

static int refuse_warp(const struct gputm_warp_access_filter *f, uint32_t warp)
{
	return gputm__out_of_range(&f->unit, "warp", warp, 0, f->config.warps - 1);
}

int gputm_warp_access_filter_begin(struct gputm_warp_access_filter *f, uint32_t warp,
				   uint64_t lanes)
{
	if (warp >= f->config.warps)
		return refuse_warp(f, warp);
	if (lanes & ~f->lane_mask)
		return gputm__out_of_range(&f->unit, "lanes", lanes, 0, f->lane_mask);
	forget(&f->warp[warp]);
	f->warp[warp].running = lanes;
	f->begins++;
	gputm__emit(&f->unit, GPUTM_WARP_ACCESS_FILTER_EVENT_BEGIN, warp, lanes, 0, 0);
	return 0;
}

static inline bool loses(const struct entry *e, uint64_t others, bool write)
{
	uint64_t writer = e->writer == NO_LANE ? 0 : UINT64_C(1) << e->writer;

	return ((write ? e->readers | writer : writer) & others) != 0;
}

static int check_access(const struct gputm_warp_access_filter *f, uint32_t warp, uint64_t lanes,
			const uint64_t *address)
{
	if (warp >= f->config.warps)
		return refuse_warp(f, warp);
	if (lanes & ~f->warp[warp].running)
		return gputm__refuse(&f->unit, "lanes 0x%llx of warp %u do not run",
				     (unsigned long long)(lanes & ~f->warp[warp].running), warp);
	for (uint64_t m = lanes; m; m &= m - 1)
		if (address[gputm__lowest(m)] > f->address_max)
			return gputm__out_of_range(&f->unit, "address", address[gputm__lowest(m)],
						   0, f->address_max);
	return 0;
}

/* Make an entry for the word whose free slot this is. */
static inline struct entry *new_entry(struct warp *w, uint64_t *slot, uint64_t word)
{
	struct entry *e = &w->entry[w->used];

	*e = (struct entry){ word, 0, NO_LANE };
	link_entry(w, slot, w->used++);
	return e;
}

static inline void note(struct entry *e, unsigned lane, bool write)
{
	if (write)
		e->writer = lane;
	else
		e->readers |= UINT64_C(1) << lane;
}

int gputm_warp_access_filter_access(struct gputm_warp_access_filter *f, uint32_t warp, bool write,
				    uint64_t lanes, const uint64_t *address, uint64_t *lost)
{
	int error = check_access(f, warp, lanes, address);
	struct warp *w = error ? NULL : &f->warp[warp];
	uint64_t losers = 0;

	if (!error)
		error = reserve(&f->unit, w, f->config.lanes);
	if (error)
		return error;
	for (uint64_t m = lanes; m; m &= m - 1) {
		unsigned lane = gputm__lowest(m);
		uint64_t word = address[lane] >> f->word_shift, others = w->running & ~(m & -m);
		uint64_t *slot = slot_of(w, word);
		struct entry *e = entry_of(w, slot);

		if (e && loses(e, others, write)) {
			losers |= m & -m;
			w->running = others;
		} else {
			note(e ? e : new_entry(w, slot, word), lane, write);
		}
	}
	f->accesses += gputm__popcount(lanes);
	f->lost += gputm__popcount(losers);
	f->noted += gputm__popcount(lanes & ~losers);
	gputm__maximum(&f->words_max, w->used);
	*lost = losers;
	gputm__emit(&f->unit, GPUTM_WARP_ACCESS_FILTER_EVENT_ACCESS, warp, lanes, write, losers);
	return 0;
}

/* Does a lower lane that does not lose store to the word in this same instruction? */
static bool lower_writes(const struct gputm_warp_access_filter *f, uint64_t stay,
			 const uint64_t *address, uint64_t word)
{
	for (; stay; stay &= stay - 1)
		if (address[gputm__lowest(stay)] >> f->word_shift == word)
			return true;
	return false;
}

int gputm_warp_access_filter_access_probe(const struct gputm_warp_access_filter *f, uint32_t warp,
					  bool write, uint64_t lanes, const uint64_t *address,
					  uint64_t *lost)
{
	int error = check_access(f, warp, lanes, address);
	uint64_t losers = 0;

	if (error)
		return error;
	for (uint64_t m = lanes; m; m &= m - 1) {
		uint64_t bit = m & -m, word = address[gputm__lowest(m)] >> f->word_shift;
		uint64_t others = f->warp[warp].running & ~losers & ~bit;
		const struct entry *e = find(&f->warp[warp], word);

		if ((e && loses(e, others, write)) ||
		    (write && lower_writes(f, lanes & ~losers & (bit - 1), address, word)))
			losers |= bit;
	}
	*lost = losers;
	return 0;
}

int gputm_warp_access_filter_drop(struct gputm_warp_access_filter *f, uint32_t warp,
				  uint64_t lanes)
{
	if (warp >= f->config.warps)
		return refuse_warp(f, warp);
	if (lanes & ~f->warp[warp].running)
		return gputm__refuse(&f->unit, "lanes 0x%llx of warp %u do not run",
				     (unsigned long long)(lanes & ~f->warp[warp].running), warp);
	f->warp[warp].running &= ~lanes;
	f->dropped += gputm__popcount(lanes);
	return 0;
}

uint64_t gputm_warp_access_filter_running(const struct gputm_warp_access_filter *f, uint32_t warp)
{
	return warp < f->config.warps ? f->warp[warp].running : 0;
}
