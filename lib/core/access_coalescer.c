/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access coalescer.
 *
 * Sources: Fung's thesis 2015, 6.2.1 and Fig. 6.5 (validation and commit coalescing), 6.2.2
 * (the coalescing logic of the commit unit), 2.3 (loads and stores of a warp merge into
 * 128-byte accesses); GETM (HPCA 2018), V-C and Table II (32 B per cycle and partition).
 *
 * Memory is cut into aligned regions of R bytes. The word accesses of a group are taken
 * in order; the first one of a region opens a wide access, later ones join it:
 *
 *   R = 32          lane:    0      1      2      3      4
 *                   address: 0x40   0x44   0x80   0x5c   0x44
 *
 *   wide access 0: 0x40, words {0, 1, 7}, lanes {0, 1, 3, 4}     word 1 twice: a duplicate
 *   wide access 1: 0x80, words {0},       lanes {2}
 *
 * Five accesses become two: three are saved, one of them as a duplicate. If these are
 * writes, word 1 gets the value of lane 4, which comes last.
 *
 * The open regions are found through a small hash table, whose entries carry the number
 * of the call that wrote them, so that it never needs clearing; runs within one region
 * do not even look, and a row whose lanes access one word after the other is cut into
 * regions as a whole. It is scratch: between calls the unit holds nothing but statistics.
 *
 * Invariants, proved by check():
 *  I1  words = accesses + saved
 *  I2  duplicates <= saved
 *  I3  the histogram has one sample per group: groups = reads + writes
 *
 * Differences from the papers:
 *  - They do not say what happens to a word that occurs twice in a region. Here it is one
 *    access, and the last write in log order wins, so that coalescing never changes what
 *    memory ends up with.
 *  - Nor do they give the order of the wide accesses: here the order in which the regions
 *    first appear, so that requests to one region keep their order.
 */
#include "gputm/access_coalescer.h"
#include "lib/base/unit.h"

#define INDEX_MASK UINT64_C(0xffff)

/*
 * An open region: 48 bits of call number, 16 bits of index of its wide access. Stale
 * unless the number is that of this call.
 */
struct slot {
	uint64_t region;
	uint64_t call_and_index;
};

struct gputm_access_coalescer {
	struct gputm_unit unit;
	struct gputm_access_coalescer_config config;
	struct slot *slot; /* [slots]; a call uses as many as it needs, a power of two */
	uint32_t slots;
	uint32_t shift;	 /* log2(region_bytes) */
	uint64_t call;	 /* number of this call, above INDEX_MASK */
	uint64_t reject; /* bits outside valid addresses */
	uint64_t lanes;	 /* mask of the lanes */
	uint64_t reads, writes, words, accesses, duplicates, saved;
	struct gputm__histogram per_group;
};

#define UNIT access_coalescer

static const struct gputm_param rows[] = {
	PARAM(region_bytes, 32, 128, 32, true, "Bytes of a wide access.", "thesis 6.2.1, GETM V-C"),
	PARAM(lanes, 1, 64, 32, false, "Lanes of a warp.", "thesis Table 6.1"),
	PARAM(words, 1, 1 << 16, 1024, false, "Most word accesses of one log.", ""),
	PARAM(address_bits, 8, 64, 32, false, "Width of an address, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "warptm",
	  "Thesis 6.2: validation and commit of a warp in 32-byte regions.",
	  { { "region_bytes", 32 } } },
	{ "getm", "GETM V-C: commit in 32-byte regions.", { { "region_bytes", 32 } } },
	{ "load-store",
	  "Thesis 2.3: one memory instruction of a warp in 128-byte lines.",
	  { { "region_bytes", 128 }, { "words", 32 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(reads, COUNTER, "groups", "Groups of reads merged."),
	STAT(writes, COUNTER, "groups", "Groups of writes merged."),
	STAT(words, COUNTER, "words", "Word accesses taken in: accesses + saved."),
	STAT(accesses, COUNTER, "accesses", "Wide accesses given out."),
	STAT(saved, COUNTER, "accesses", "Word accesses that need no access of their own."),
	STAT(duplicates, COUNTER, "words", "Of these, repeats of a word."),
	STAT(per_group, HISTOGRAM, "accesses", "Wide accesses of a group."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_ACCESS_COALESCER_EVENT_GROUP, "group",
	      "The unit has joined the words of a group to wide accesses.",
	      VALUE(words, "words", "Word accesses that have come."),
	      VALUE(accesses, "accesses", "Wide accesses that the words make."),
	      VALUE(duplicates, "words", "Words that the group had more than once."),
	      NAMED(access, gputm__read_write, "Whether the accesses read or write.")),
};

/* log2 of the slots used for a group: at least twice the words, so probes stay short. */
static uint32_t slot_bits(uint32_t words)
{
	return gputm__bits_for(words) + 1;
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_access_coalescer *c = (void *)unit;
	uint32_t most = c->config.words > c->config.lanes ? c->config.words : c->config.lanes;

	c->shift = gputm__log2(c->config.region_bytes);
	c->reject = ~gputm__low_mask(c->config.address_bits) | 3;
	c->lanes = gputm__low_mask(c->config.lanes);
	c->slots = UINT32_C(1) << slot_bits(most);
	c->slot = gputm__own(unit, c->slots, sizeof(*c->slot));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_access_coalescer *c = (void *)unit;

	memset(c->slot, 0, c->slots * sizeof(*c->slot));
	c->call = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	(void)unit;
	(void)io;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_access_coalescer *c = (const void *)unit;
	uint64_t samples = 0;

	for (unsigned i = 0; i < GPUTM_HISTOGRAM_BUCKETS; i++)
		samples += c->per_group.bucket[i];
	if (c->words != c->accesses + c->saved)
		return "I1: words differ from accesses + saved";
	if (c->duplicates > c->saved)
		return "I2: duplicates exceed saved";
	if (samples != c->per_group.samples || samples != c->reads + c->writes)
		return "I3: the histogram does not have one sample per group";
	return NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_access_coalescer_config *c = gputm_unit_config(unit);

	gputm__array_apart(out, "region tags", c->lanes,
			   c->address_bits - gputm__log2(c->region_bytes), 1);
}

GPUTM__UNIT(access_coalescer, .version = 1, .setup = setup)

/* ---- data path ---- */

/* One group on its way through the unit. */
struct group {
	struct slot *slot;
	struct gputm_access_coalescer_access *out;
	uint64_t region;		/* of the last word */
	struct gputm_access_coalescer_access *wide; /* its wide access */
	uint32_t accesses, duplicates;
	uint32_t hash_shift, slot_mask;
	uint32_t region_shift;
	uint64_t call;
};

static struct group begin(struct gputm_access_coalescer *c, uint32_t words,
			  struct gputm_access_coalescer_access *out)
{
	uint32_t bits = slot_bits(words);
	struct group group = { 0 };

	c->call += INDEX_MASK + 1;
	group.slot = c->slot;
	group.out = out;
	group.region = UINT64_MAX; /* a number that no region has: these are below 2^59 */
	group.hash_shift = 64 - bits;
	group.slot_mask = (UINT32_C(1) << bits) - 1;
	group.call = c->call;
	group.region_shift = c->shift;
	return group;
}

static void open_region(struct group *g, struct slot *slot, uint64_t region)
{
	struct gputm_access_coalescer_access *wide = &g->out[g->accesses];

	slot->region = region;
	slot->call_and_index = g->call | g->accesses++;
	wide->address = region << g->region_shift;
	wide->lane_mask = 0;
	wide->word_mask = 0;
	wide->words = 0;
}

static bool is_open(const struct group *g, const struct slot *slot)
{
	return (slot->call_and_index & ~INDEX_MASK) == g->call;
}

/* The wide access of a region; opens a new one if needed. */
static struct gputm_access_coalescer_access *find_region(struct group *g, uint64_t region)
{
	uint32_t i = (uint32_t)(region * UINT64_C(0x9e3779b97f4a7c15) >> g->hash_shift);

	while (is_open(g, &g->slot[i]) && g->slot[i].region != region)
		i = (i + 1) & g->slot_mask;
	if (!is_open(g, &g->slot[i]))
		open_region(g, &g->slot[i], region);
	return &g->out[g->slot[i].call_and_index & INDEX_MASK];
}

static inline void join(struct group *g, uint64_t address, uint32_t lane, const uint32_t *value)
{
	uint64_t region = address >> g->region_shift;
	uint32_t word;

	if (region != g->region) {
		g->region = region;
		g->wide = find_region(g, region);
	}
	word = (uint32_t)(address - g->wide->address) >> 2;
	g->duplicates += g->wide->word_mask >> word & 1;
	g->wide->word_mask |= UINT32_C(1) << word;
	g->wide->lane_mask |= UINT64_C(1) << lane;
	g->wide->words++;
	if (value)
		g->wide->value[word] = *value;
}

static int finish(struct gputm_access_coalescer *c, const struct group *g, uint32_t words,
		  bool write, struct gputm_access_coalescer_summary *summary)
{
	c->reads += !write;
	c->writes += write;
	c->words += words;
	c->accesses += g->accesses;
	c->saved += words - g->accesses;
	c->duplicates += g->duplicates;
	gputm__sample(&c->per_group, g->accesses);
	if (summary) {
		summary->accesses = g->accesses;
		summary->words = words;
		summary->duplicates = g->duplicates;
		summary->saved = words - g->accesses;
	}
	gputm__emit(&c->unit, GPUTM_ACCESS_COALESCER_EVENT_GROUP, words, g->accesses, g->duplicates,
		    write);
	return (int)g->accesses;
}

static int refuse_address(const struct gputm_access_coalescer *c, uint64_t address)
{
	if (address & 3)
		return gputm__refuse(&c->unit, "address = %llu is not a multiple of 4",
				     (unsigned long long)address);
	return gputm__out_of_range(&c->unit, "address", address, 0,
				   gputm__low_mask(c->config.address_bits));
}

static int check_row(const struct gputm_access_coalescer *c, uint64_t lane_mask,
		     const uint64_t *address)
{
	uint64_t all = 0;

	if (lane_mask & ~c->lanes)
		return gputm__out_of_range(&c->unit, "lane_mask", lane_mask, 0, c->lanes);
	for (uint64_t left = lane_mask; left; left &= left - 1)
		all |= address[gputm__lowest(left)];
	if (!(all & c->reject))
		return 0;
	while (!(address[gputm__lowest(lane_mask)] & c->reject))
		lane_mask &= lane_mask - 1;
	return refuse_address(c, address[gputm__lowest(lane_mask)]);
}

/* True if the active lanes are neighbours and access consecutive words. */
static bool is_run(const struct gputm_access_coalescer *c, uint64_t lane_mask,
		   const uint64_t *address)
{
	uint32_t words = gputm__popcount(lane_mask);
	uint64_t base, last, differ = 0;

	if (!lane_mask || lane_mask & ~c->lanes)
		return false;
	address += gputm__lowest(lane_mask);
	base = address[0];
	last = base + 4 * (words - 1);
	if (lane_mask >> gputm__lowest(lane_mask) != gputm__low_mask(words) ||
	    (base | last) & c->reject || address[words - 1] != last)
		return false;
	for (uint32_t i = 1; i < words; i++)
		differ |= address[i] ^ (base + 4 * i);
	return !differ;
}

/* The wide accesses of a run of consecutive words. */
static void cut(struct group *g, uint64_t address, uint32_t lane, uint32_t words,
		const uint32_t *value)
{
	uint32_t region_words = 1u << (g->region_shift - 2);

	while (words) {
		struct gputm_access_coalescer_access *wide = &g->out[g->accesses++];
		uint32_t first = (uint32_t)(address >> 2) & (region_words - 1);
		uint32_t count = words < region_words - first ? words : region_words - first;

		wide->address = address >> g->region_shift << g->region_shift;
		wide->word_mask = (uint32_t)gputm__low_mask(count) << first;
		wide->lane_mask = gputm__low_mask(count) << lane;
		wide->words = count;
		if (value)
			memcpy(&wide->value[first], &value[lane], count * sizeof(*value));
		address += 4 * count;
		lane += count;
		words -= count;
	}
}

int gputm_access_coalescer_merge_row(struct gputm_access_coalescer *c, uint64_t lane_mask,
				     const uint64_t *address, const uint32_t *value,
				     struct gputm_access_coalescer_access *out,
				     struct gputm_access_coalescer_summary *summary)
{
	uint32_t words = gputm__popcount(lane_mask);
	struct group group;
	int error;

	if (is_run(c, lane_mask, address)) {
		uint32_t lane = gputm__lowest(lane_mask);

		group = begin(c, words, out);
		cut(&group, address[lane], lane, words, value);
		return finish(c, &group, words, value != NULL, summary);
	}
	error = check_row(c, lane_mask, address);
	if (error)
		return error;
	group = begin(c, words, out);
	for (uint64_t left = lane_mask; left; left &= left - 1) {
		uint32_t lane = gputm__lowest(left);

		join(&group, address[lane], lane, value ? &value[lane] : NULL);
	}
	return finish(c, &group, words, value != NULL, summary);
}

static int check_log(const struct gputm_access_coalescer *c, uint32_t count,
		     const struct gputm_access_coalescer_word *access)
{
	if (count > c->config.words)
		return gputm__out_of_range(&c->unit, "count", count, 0, c->config.words);
	for (uint32_t i = 0; i < count; i++) {
		if (access[i].lane >= c->config.lanes)
			return gputm__out_of_range(&c->unit, "lane", access[i].lane, 0,
						   c->config.lanes - 1);
		if (access[i].address & c->reject)
			return refuse_address(c, access[i].address);
	}
	return 0;
}

int gputm_access_coalescer_merge_log(struct gputm_access_coalescer *c, uint32_t count,
				     const struct gputm_access_coalescer_word *access, bool write,
				     struct gputm_access_coalescer_access *out,
				     struct gputm_access_coalescer_summary *summary)
{
	int error = check_log(c, count, access);
	struct group group;

	if (error)
		return error;
	group = begin(c, count, out);
	for (uint32_t i = 0; i < count; i++)
		join(&group, access[i].address, access[i].lane, write ? &access[i].value : NULL);
	return finish(c, &group, count, write, summary);
}
