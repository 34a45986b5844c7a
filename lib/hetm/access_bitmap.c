/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access bitmaps of HeTM.
 *
 * Source: Castro, Romano, Ilic, Khan, "HeTM: Transactional Memory for Heterogeneous
 * Systems", PACT 2019: IV-B (both bitmaps, filled as GPU transactions commit), IV-C
 * (writes are marked in the read-set bitmap too, so that one test finds both kinds of
 * conflict), IV-D (16 KB granules and joined transfers for the write-set bitmap), V-A
 * (4 B and 1 KB granules for the read-set bitmap).
 *
 *   record(a)   bit a / granule = 1
 *   query(a)    bit a / granule
 *   next(from)  the next run of 1 bits, as one transfer
 *   clear()     all bits = 0: the map is written, with numbers once for all of them (below)
 *
 * Example, granules of 16 KB = 0x4000:
 *   record 0x100, 0x3fff, 0x4000, 0x12345   bits 0, 0, 1, 4
 *   next(0)       0x0 .. 0x7fff             bits 0 and 1 are one run
 *   next(0x8000)  0x10000 .. 0x13fff        bit 4
 *   next(0x14000) nothing
 *
 * A mark of mark_bits bits holds the number of its round, and a granule is marked if that is the
 * present one: a new round only counts on, and the map is written when the numbers are used up.
 * The authors' code has bytes. With 2 bits, hence numbers 1 to 3:
 *   record a          a: 1                  record b, after 2 x clear   a: 1, b: 3
 *   clear             the number is 2       clear                       the map is written, and
 *   query a           0: 1 is not 2                                     the number is 1 again
 * A mark of one bit has one number, so that each clear writes the map.
 *
 * 64 granules are a word, and 64 words have a count of the marks made in them (marks.h).
 * Listing and clearing look at words only where marks were made; 600 MB at 4 B per bit have
 * 18.75 MB of bits, of which a round touches what it marks, and 300 KB of counts.
 *
 * Invariants, proved by check():
 *  I1  in 64 words with marks made, at least one granule is marked and no more than were made
 *  I2  no granule after the region's end is marked
 *  I3  maximum_marked <= cleared <= made; nothing is cleared without a clear; all marks made, with
 *      those that a clear will count, are below 2^63
 *  I4  clears = wipes x numbers of a mark + clears since the last wipe
 *
 * Differences from the paper:
 *  - The paper does not say how marks of concurrent threads are kept apart. With mark_bits = 1 a
 *    bit is a bit; the authors' code (hetmv0, HeTMv1) has byte maps, mark_bits = 8.
 *  - Numbers of rounds are counted and priced (storage, wipes), and not stored: bits of this
 *    program say which granules have the present one.
 *  - The counts are ours. They are no hardware and not in the storage report.
 *
 * A mark is the hottest operation of all: one per access of the GPU. It therefore has no event,
 * and no branch besides the region's check: the count that says where to look for marks is at
 * the same time how many were made, and is added up when they are removed.
 */
#include "gputm/access_bitmap.h"
#include "lib/hetm/marks.h"

struct gputm_access_bitmap {
	struct gputm_unit unit;
	struct gputm__marks marks;
	uint64_t queries, clears, wipes, made, cleared, maximum_marked;
	uint32_t since; /* clears since the map was last written: the round's number, less 1 */
	struct gputm_access_bitmap_config config;
};

#define UNIT access_bitmap

static const struct gputm_param rows[] = {
	PARAM(region_bytes, 1, UINT64_C(1) << 36, 629145600, false, "Bytes of the shared region.",
	      "HeTM V"),
	PARAM(granule, 4, 1 << 20, 4, true, "Bytes that one mark stands for.", "HeTM IV-D, V-A"),
	PARAM(mark_bits, 1, 16, 1, false,
	      "Bits of a mark; above 1: it holds the number of its round.",
	      "HeTM IV-B; 8 in the authors' code"),
};

static const struct gputm_preset presets[] = {
	{ "read-small", "HeTM V-A: the small read-set bitmap.", { { "granule", 4 } } },
	{ "read-large", "HeTM V-A: the large read-set bitmap.", { { "granule", 1024 } } },
	{ "write-back", "HeTM IV-D: the write-set bitmap.", { { "granule", 16384 } } },
	{ "authors-read",
	  "The authors' code (hetmv0): the byte map of what is read.",
	  { { "granule", 4 }, { "mark_bits", 8 } } },
	{ "authors-write",
	  "The authors' code (hetmv0): the byte map of what is written, in most of its scripts.",
	  { { "granule", 8192 }, { "mark_bits", 8 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(queries, COUNTER, "queries", "Granules asked for."),
	STAT(clears, COUNTER, "clears", "Times that all marks were removed."),
	STAT(wipes, COUNTER, "wipes", "Of these, times that the whole map was written."),
	STAT(made, COUNTER, "marks", "Marks made, repeated ones too, when they are cleared."),
	STAT(cleared, COUNTER, "granules", "Granules marked, when they are cleared."),
	STAT(maximum_marked, MAXIMUM, "granules", "Most granules marked at a time."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_ACCESS_BITMAP_EVENT_CLEAR, "clear", "No granule is marked any more.",
	      VALUE(granules, "granules", "Granules that were marked."),
	      VALUE(marks, "marks", "Marks made since the last clear, repeated ones included.")),
};

static uint64_t granules(const struct gputm__marks *m)
{
	return ((m->region - 1) >> m->shift) + 1;
}

static uint64_t groups(const struct gputm__marks *m)
{
	return (m->words + 63) / 64;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_access_bitmap *b = (void *)unit;
	struct gputm__marks *m = &b->marks;

	m->region = b->config.region_bytes;
	m->shift = gputm__log2(b->config.granule);
	m->words = (granules(m) + 63) / 64;
	m->bits = gputm__own(unit, (size_t)m->words, sizeof(*m->bits));
	m->made = gputm__own(unit, (size_t)groups(m), sizeof(*m->made));
	return 0;
}

/* The first word from `word` on that is not 0, or `words`. */
static uint64_t next_used(const struct gputm__marks *m, uint64_t word)
{
	while (word < m->words) {
		if (!m->made[word >> 6])
			word |= 63;
		else if (m->bits[word])
			return word;
		word++;
	}
	return m->words;
}

/* Words of a group. */
static uint32_t words_of(const struct gputm__marks *m, uint64_t group)
{
	return m->words - group * 64 < 64 ? (uint32_t)(m->words - group * 64) : 64;
}

/* Number of marked granules of a group. */
static uint64_t marked_in(const struct gputm__marks *m, uint64_t group)
{
	uint64_t marked = 0;

	for (uint32_t w = 0; w < words_of(m, group); w++)
		marked += gputm__popcount(m->bits[group * 64 + w]);
	return marked;
}

/* Numbers of rounds that a mark can hold; 0 is that of no round. */
static uint32_t numbers(const struct gputm_access_bitmap *b)
{
	return (uint32_t)gputm__low_mask(b->config.mark_bits);
}

static void remove_marks(struct gputm__marks *m)
{
	for (uint64_t g = 0; g < groups(m); g++) {
		if (!m->made[g])
			continue;
		memset(m->bits + g * 64, 0, words_of(m, g) * sizeof(*m->bits));
		m->made[g] = 0;
	}
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_access_bitmap *b = (void *)unit;

	remove_marks(&b->marks);
	b->since = 0;
}

/* ---- snapshot: the round, words that are not 0, in order, then counts that are not ---- */

#define NONE UINT64_MAX /* the word before the first */

static void io_word(struct gputm__io *io, struct gputm__marks *m, uint64_t *word, uint64_t *bits)
{
	uint64_t before = *word;

	gputm__io_u64_max(io, word, m->words - 1, "a word after the region's end");
	gputm__io_u64(io, bits);
	if (io->error || !gputm__io_reading(io))
		return;
	if (!*bits || (before != NONE && *word <= before)) {
		gputm__io_fail(io, -EINVAL, "words of marks are empty or out of order");
		return;
	}
	m->bits[*word] = *bits;
	m->made[*word >> 6] += gputm__popcount(*bits);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_access_bitmap *b = (void *)unit;
	struct gputm__marks *m = &b->marks;
	uint64_t used = 0, word = NONE, bits = 0;

	gputm__io_u32_max(io, &b->since, numbers(b) - 1, "a round that no mark can hold");
	for (uint64_t w = next_used(m, 0); w < m->words; w = next_used(m, w + 1))
		used++;
	gputm__io_u64_max(io, &used, m->words, "more words of marks than there are");
	for (uint64_t i = 0; i < used && !io->error; i++) {
		if (!gputm__io_reading(io)) {
			word = next_used(m, word + 1);
			bits = m->bits[word];
		}
		io_word(io, m, &word, &bits);
	}
}

/* Marks made, repeats included; equal to the marked granules where marks are not counted. */
static void io_stats(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_access_bitmap *b = (void *)unit;
	struct gputm__marks *m = &b->marks;

	for (uint64_t g = 0; g < groups(m) && !io->error; g++) {
		uint64_t made = m->made[g];

		if (!made)
			continue;
		gputm__io_u64(io, &made);
		if (made < marked_in(m, g))
			gputm__io_fail(io, -EINVAL, "fewer marks were made than there are");
		else /* a count of 0 would hide the marks from what undoes the load */
			m->made[g] = made;
	}
}

/* ---- the rest of the face ---- */

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_access_bitmap *b = (const void *)unit;
	const struct gputm__marks *m = &b->marks;
	uint64_t left = GPUTM__END_OF_TIME; /* marks that may still be made */

	for (uint64_t g = 0; g < groups(m); g++) {
		if (m->made[g] && (!marked_in(m, g) || marked_in(m, g) > m->made[g]))
			return "I1: a group has more marked granules than marks, or only marks";
		left -= m->made[g] < left ? m->made[g] : left;
	}
	if (granules(m) & 63 && m->bits[m->words - 1] & ~gputm__low_mask(granules(m) & 63))
		return "I2: a granule past the end of the region is marked";
	if (b->maximum_marked > b->cleared || b->maximum_marked > granules(m))
		return "I3: maximum_marked exceeds the granules of the region, or those ever "
		       "marked";
	if (b->cleared > b->made)
		return "I3: more granules were marked than marks made";
	if (b->made >= left)
		return "I3: more marks were made than can be counted";
	return b->clears || !b->made ? NULL : "I3: marks were removed and nothing was cleared";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_access_bitmap *b = (const void *)unit;

	gputm__array(out, "bits", granules(&b->marks), b->config.mark_bits, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_access_bitmap *b = (const void *)unit;

	gputm__law(laws, b->clears, b->wipes * numbers(b) + b->since,
		   "I4: clears is not wipes x numbers of a mark + those since the last wipe");
}

GPUTM__UNIT(access_bitmap, .version = 4, .setup = setup, .io_stats = io_stats, .laws = laws)

/* ---- data path ---- */

static int refuse_address(const struct gputm_access_bitmap *b, uint64_t address)
{
	return gputm__out_of_range(&b->unit, "address", address, 0, b->marks.region - 1);
}

int gputm_access_bitmap_record(struct gputm_access_bitmap *b, uint64_t address)
{
	if (address >= b->marks.region)
		return refuse_address(b, address);
	gputm__marks_set(&b->marks, address);
	return 0;
}

int gputm_access_bitmap_query(struct gputm_access_bitmap *b, uint64_t address)
{
	if (address >= b->marks.region)
		return refuse_address(b, address);
	b->queries++;
	return gputm__marks_has(&b->marks, address);
}

/* The first marked granule from one of the region on, or `granules`. */
static uint64_t next_marked(const struct gputm__marks *m, uint64_t granule)
{
	uint64_t word = granule >> 6, some = m->bits[word] & ~gputm__low_mask(granule & 63);

	if (!some) {
		word = next_used(m, word + 1);
		if (word == m->words)
			return granules(m);
		some = m->bits[word];
	}
	return word << 6 | gputm__lowest(some);
}

/* The first unmarked granule after a marked one. */
static uint64_t end_of_run(const struct gputm__marks *m, uint64_t granule)
{
	uint64_t word = granule >> 6, holes = ~m->bits[word] & ~gputm__low_mask(granule & 63);

	while (!holes) {
		if (++word == m->words)
			return granules(m);
		holes = ~m->bits[word];
	}
	word = word << 6 | gputm__lowest(holes);
	return word < granules(m) ? word : granules(m);
}

bool gputm_access_bitmap_next_run(const struct gputm_access_bitmap *b, uint64_t from,
				  struct gputm_access_bitmap_run *run)
{
	const struct gputm__marks *m = &b->marks;
	uint64_t first = from < m->region ? next_marked(m, from >> m->shift) : granules(m), end;

	if (first == granules(m))
		return false;
	end = end_of_run(m, first) << m->shift;
	run->address = first << m->shift;
	run->bytes = (end < m->region ? end : m->region) - run->address;
	return true;
}

uint64_t gputm_access_bitmap_marked(const struct gputm_access_bitmap *b)
{
	const struct gputm__marks *m = &b->marks;
	uint64_t marked = 0;

	for (uint64_t g = 0; g < groups(m); g++)
		if (m->made[g])
			marked += marked_in(m, g);
	return marked;
}

void gputm_access_bitmap_clear(struct gputm_access_bitmap *b)
{
	uint64_t marked = gputm_access_bitmap_marked(b), made = 0;

	for (uint64_t g = 0; g < groups(&b->marks); g++)
		made += b->marks.made[g];
	b->clears++;
	b->made += made;
	b->cleared += marked;
	gputm__maximum(&b->maximum_marked, marked);
	remove_marks(&b->marks);
	if (++b->since == numbers(b)) {
		b->wipes++;
		b->since = 0;
	}
	gputm__emit(&b->unit, GPUTM_ACCESS_BITMAP_EVENT_CLEAR, marked, made, 0, 0);
}

const struct gputm__marks *gputm__access_bitmap_marks(const struct gputm_access_bitmap *b)
{
	return &b->marks;
}
