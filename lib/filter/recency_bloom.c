/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recency Bloom filter.
 *
 * Sources: W. W. L. Fung's thesis, 4.2.5 (last writer history), 6.4.2 and Fig. 6.8
 * (last-written time table); GETM (HPCA 2018), V-B1 (approximate metadata).
 *
 * W sub-arrays of E entries, each with an H3 hash of the address. An update raises
 * the mapped entry of every sub-array to at least the stamp; a query takes the
 * minimum. An entry may have been raised by another address, so a query can answer
 * too young, and never too old: every mapped entry was raised to at least the newest
 * stamp of this address.
 *
 *   2 x 2 entries, Fig. 6.8:          way 0   way 1
 *     0x10 written at 7               7  0    0  7
 *     query 0x30 (entries 1, 1)          0       7   -> min 0
 *     0x20 written at 15              7 15   15  7
 *     query 0x20 (entries 1, 0)         15   15      -> min 15
 *
 * A narrow stamp field serves for ever: what is stored in hardware is the distance
 * from a base (code 0: never written, or forgotten), and expire(floor) forgets what
 * lies below the floor and moves the base to floor - 1. The model keeps absolute
 * stamps and 0 for code 0, which says the same with less arithmetic.
 *
 * Invariants, checked by check():
 *   I1  an entry is 0 or lies in base + 1 .. base + 2^stamp_bits - 1
 *   I2  an update fills at most one entry per way and stamp:
 *       entries in use + forgotten <= updates x ways x stamps
 *
 * Differences from the paper:
 *   - the thesis says that an update replaces a bucket; we keep the maximum, which is
 *     the same for stamps that only grow and right for those that do not (two stamps
 *     of GETM, write-backs that finish out of order);
 *   - the wrap-around of 16-bit commit IDs is not in the thesis; see expire().
 */
#include "gputm/recency_bloom.h"
#include "lib/base/h3.h"

struct gputm_recency_bloom {
	struct gputm_unit unit;
	struct gputm_recency_bloom_config config;
	uint64_t *entry; /* [ways][entries][stamps] */
	struct gputm_h3 *h3;
	uint64_t base;
	uint64_t span;	      /* largest distance of a stamp from the base */
	uint64_t address_max; /* largest address */
	uint64_t updates, expiries, forgotten;
};

#define UNIT recency_bloom

static const struct gputm_param rows[] = {
	PARAM(ways, 1, 8, 4, false, "Sub-arrays, each with a hash of its own.", "thesis 4.2.5"),
	PARAM(entries, 1, 1 << 20, 256, true, "Entries per sub-array.", "thesis 4.4.3"),
	PARAM(stamp_bits, 2, 64, 16, false, "Width of a stored stamp, bits.", "thesis 4.4.3"),
	PARAM(stamps, 1, 2, 1, false, "Stamps per entry.", "GETM V-B1"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes that share an entry.", "thesis 6.4.2"),
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", ""),
	PARAM(empty_stamp, 0, UINT64_MAX, 0, false,
	      "Answer for an address that was never written, or is forgotten.", "thesis 6.4.2"),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the H3 rows.", ""),
};

static const struct gputm_preset presets[] = {
	{ "kilo-tm",
	  "Thesis 4.4.3: 1024 buckets of 16-bit commit IDs in 4 sub-arrays, 2 kB.",
	  { { "ways", 4 }, { "entries", 256 }, { "stamp_bits", 16 }, { "granularity", 4 } } },
	{ "tcd",
	  "Thesis 6.4.2: 2048 64-bit times in 4 sub-arrays over 128 B blocks, 16 kB.",
	  { { "ways", 4 }, { "entries", 512 }, { "stamp_bits", 64 }, { "granularity", 128 } } },
	{ "getm",
	  "GETM V-B1: 1024 pairs of 32-bit stamps in 4 sub-arrays over 32 B granules, 8 kB.",
	  { { "ways", 4 },
	    { "entries", 256 },
	    { "stamp_bits", 32 },
	    { "stamps", 2 },
	    { "granularity", 32 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(updates, COUNTER, "updates", "Stamps or pairs recorded."),
	STAT(expiries, COUNTER, "passes", "Array passes of expire."),
	STAT(forgotten, COUNTER, "stamps", "Stamps that expire forgot."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_RECENCY_BLOOM_EVENT_UPDATE, "update",
	      "The filter has recorded stamps of an address.",
	      VALUE(address, "byte address", "The address."),
	      VALUE(stamp, "stamp", "The first stamp."),
	      VALUE(second_stamp, "stamp", "The second stamp; 0 if cells have a single stamp.")),
	EVENT(GPUTM_RECENCY_BLOOM_EVENT_EXPIRE, "expire", "The filter has forgotten old stamps.",
	      VALUE(stamp, "stamp", "The floor, below which stamps are old."),
	      VALUE(entries, "entries", "Entries that held an old stamp.")),
};

static size_t cells(const struct gputm_recency_bloom *f)
{
	return (size_t)f->config.ways * f->config.entries * f->config.stamps;
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_recency_bloom_config *c = gputm_unit_config(unit);

	return gputm__check_granularity(unit, c->granularity, c->address_bits);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_recency_bloom *f = (void *)unit;
	struct gputm_recency_bloom_config *c = &f->config;
	uint32_t low_bits = gputm__log2(c->granularity);
	struct gputm_h3_config h3;
	int error;

	f->address_max = gputm__low_mask(c->address_bits);
	h3 = gputm__h3_config(c->ways, c->entries, c->address_bits - low_bits, c->seed,
			      c->h3_rows);
	error = gputm__h3_own(unit, &h3, low_bits, &f->h3);
	if (error)
		return error;
	c->h3_rows = c->h3_rows ? f->h3->row : NULL;
	f->entry = gputm__own(unit, cells(f), sizeof(*f->entry));
	return 0;
}

/* Move the base. Stamps lie in base .. base + span; stamp_bits and 64 bits limit the span. */
static void rebase(struct gputm_recency_bloom *f, uint64_t base)
{
	uint64_t most = gputm__low_mask(f->config.stamp_bits);

	f->base = base;
	f->span = most < UINT64_MAX - base ? most : UINT64_MAX - base;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_recency_bloom *f = (void *)unit;

	memset(f->entry, 0, cells(f) * sizeof(*f->entry));
	rebase(f, 0);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_recency_bloom *f = (void *)unit;

	gputm__io_same(io, f->h3->fingerprint, "its hash rows are others");
	gputm__io_u64(io, &f->base);
	rebase(f, f->base);
	gputm__io_u64s(io, f->entry, cells(f));
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_recency_bloom *f = (const void *)unit;

	for (size_t i = 0; i < cells(f); i++)
		if (f->entry[i] && f->entry[i] - f->base - 1 >= f->span)
			return "I1: an entry lies outside base + 1 .. base + 2^stamp_bits - 1";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_recency_bloom_config *c = gputm_unit_config(unit);

	gputm__array(out, "sub-arrays", (uint64_t)c->ways * c->entries,
		     (uint64_t)c->stamp_bits * c->stamps, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_recency_bloom *f = (const void *)unit;
	uint64_t used = f->forgotten;

	for (size_t i = 0; i < cells(f); i++)
		used += f->entry[i] != 0;
	gputm__law_least(laws, f->updates * f->config.ways * f->config.stamps, used,
			 "I2: more entries are in use or forgotten than updates can have filled");
}

GPUTM__UNIT(recency_bloom, .version = 1, .setup = setup, .validate = validate, .laws = laws)

/* ---- data path ---- */

/* The value that entries are raised to: a stamp at the base has code 0 and raises nothing. */
static inline uint64_t raising(const struct gputm_recency_bloom *f, uint64_t stamp)
{
	return stamp == f->base ? 0 : stamp;
}

/* The least of a stamp in all cells, or, of an address never recorded, the answer for it. */
static uint64_t least(const struct gputm_recency_bloom *f, const uint32_t cell[], uint32_t ways,
		      uint32_t which)
{
	const uint64_t *entry = f->entry + which;
	uint32_t stamps = f->config.stamps;
	uint64_t least = UINT64_MAX;

	GPUTM__H3_UNROLL
	for (uint32_t way = 0; way < ways; way++) {
		uint64_t stamp = entry[cell[way] * stamps];

		least = stamp < least ? stamp : least;
	}
	return least ? least : f->config.empty_stamp;
}

/* A second stamp of 0 raises nothing. */
static GPUTM__INLINE int record(struct gputm_recency_bloom *f, struct gputm__h3_shape shape,
				uint64_t address, uint64_t first, uint64_t second)
{
	uint64_t raised[2] = { raising(f, first), raising(f, second) };
	uint32_t cell[GPUTM__H3_WAYS], stamps = f->config.stamps;

	gputm__h3_cells(f->h3, shape, address, cell);
	GPUTM__H3_UNROLL
	for (uint32_t way = 0; way < shape.ways; way++) {
		gputm__maximum(&f->entry[cell[way] * stamps], raised[0]);
		if (stamps == 2)
			gputm__maximum(&f->entry[cell[way] * stamps + 1], raised[1]);
	}
	f->updates++;
	gputm__emit(&f->unit, GPUTM_RECENCY_BLOOM_EVENT_UPDATE, address, first, second, 0);
	return 0;
}

/* `second` is NULL for cells of a single stamp. */
static GPUTM__INLINE int query(const struct gputm_recency_bloom *f, struct gputm__h3_shape shape,
			       uint64_t address, uint64_t *first, uint64_t *second)
{
	uint32_t cell[GPUTM__H3_WAYS];

	gputm__h3_cells(f->h3, shape, address, cell);
	*first = least(f, cell, shape.ways, 0);
	if (second)
		*second = least(f, cell, shape.ways, 1);
	return 0;
}

static int refuse_address(const struct gputm_recency_bloom *f, uint64_t address)
{
	return gputm__out_of_range(&f->unit, "address", address, 0, f->address_max);
}

static int refuse_stamp(const struct gputm_recency_bloom *f, uint64_t stamp)
{
	return gputm__out_of_range(&f->unit, "stamp", stamp, f->base, f->base + f->span);
}

static int refuse_pair(const struct gputm_recency_bloom *f)
{
	gputm__unit_log(&f->unit, "stamps = 1, a pair needs entries of 2 stamps");
	return -ENOTSUP;
}

int gputm_recency_bloom_update(struct gputm_recency_bloom *f, uint64_t address, uint64_t stamp)
{
	if (address > f->address_max)
		return refuse_address(f, address);
	if (stamp - f->base > f->span)
		return refuse_stamp(f, stamp);
	return GPUTM__H3_SHAPED(f->h3, record, f, address, stamp, 0);
}

int gputm_recency_bloom_update_pair(struct gputm_recency_bloom *f, uint64_t address, uint64_t first,
				    uint64_t second)
{
	if (f->config.stamps != 2)
		return refuse_pair(f);
	if (address > f->address_max)
		return refuse_address(f, address);
	if (first - f->base > f->span)
		return refuse_stamp(f, first);
	if (second - f->base > f->span)
		return refuse_stamp(f, second);
	return GPUTM__H3_SHAPED(f->h3, record, f, address, first, second);
}

int gputm_recency_bloom_query(const struct gputm_recency_bloom *f, uint64_t address,
			      uint64_t *stamp)
{
	if (address > f->address_max)
		return refuse_address(f, address);
	return GPUTM__H3_SHAPED(f->h3, query, f, address, stamp, NULL);
}

int gputm_recency_bloom_query_pair(const struct gputm_recency_bloom *f, uint64_t address,
				   uint64_t *first, uint64_t *second)
{
	if (f->config.stamps != 2)
		return refuse_pair(f);
	if (address > f->address_max)
		return refuse_address(f, address);
	return GPUTM__H3_SHAPED(f->h3, query, f, address, first, second);
}

void gputm_recency_bloom_clear(struct gputm_recency_bloom *f)
{
	clear(&f->unit);
}

void gputm_recency_bloom_expire(struct gputm_recency_bloom *f, uint64_t floor, uint64_t *cycles)
{
	uint64_t gone = 0, base = floor ? floor - 1 : 0;

	if (cycles)
		*cycles = base > f->base ? f->config.entries : 0;
	if (base <= f->base)
		return;
	for (size_t i = 0; i < cells(f); i++) {
		bool old = f->entry[i] && f->entry[i] < floor;

		gone += old;
		f->entry[i] = old ? 0 : f->entry[i];
	}
	rebase(f, base);
	f->expiries++;
	f->forgotten += gone;
	gputm__emit(&f->unit, GPUTM_RECENCY_BLOOM_EVENT_EXPIRE, floor, gone, 0, 0);
}

uint64_t gputm_recency_bloom_base(const struct gputm_recency_bloom *f)
{
	return f->base;
}

int gputm_recency_bloom_get_entry(const struct gputm_recency_bloom *f, uint32_t way, uint32_t index,
				  uint32_t which, uint64_t *out)
{
	const struct gputm_recency_bloom_config *c = &f->config;

	if (way >= c->ways)
		return gputm__past_end(&f->unit, "way", way, c->ways);
	if (index >= c->entries)
		return gputm__past_end(&f->unit, "entry", index, c->entries);
	if (which >= c->stamps)
		return gputm__past_end(&f->unit, "stamp", which, c->stamps);
	*out = f->entry[((size_t)way * c->entries + index) * c->stamps + which];
	return 0;
}
