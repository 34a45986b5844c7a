/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The validation kernel of HeTM.
 *
 * Source: HeTM (PACT 2019), IV-C.2 and Fig. 1a: the CPU's transactions are to be serialised
 * before the GPU's, which needs WS(CPU) and RS(GPU) to be disjoint; as the GPU's writes are
 * marked in its read-set bitmap, write-write conflicts are found by the same test. IV-D:
 * early validation tests and does not apply; the shadow copy is brought up to date by the
 * logs. Chunks arrive in any order, so each word has a stamp of the newest write applied.
 *
 *   for each entry (a, v, s) of a chunk
 *     APPLY   conflict |= marked(a);  s > TS[a]: TS[a] = s, write v;  else stale
 *     EARLY   conflict |= marked(a)
 *     REPLAY  s = TS[a]: write v;  else stale
 *   cycles = ceil(entries / lanes) x (entry_cycles + lock_cycles)
 *
 * Example: the GPU has read word 8; the CPU wrote word 0 at stamps 1 and 3, word 8 at 2.
 *   APPLY  (0, 3) (8, 2)   conflict at 8, both written: TS[0] = 3, TS[8] = 2
 *   APPLY  (0, 1)          stale
 *   REPLAY (0, 1)          stale: the shadow copy waits for the newest one
 *   REPLAY (0, 3) (8, 2)   both written
 * The round fails, and the working copy has the CPU's writes all the same.
 *
 * Why the bitmap has to hold the writes, too: two words a and b, both 0. On the CPU T1 reads b and
 * writes a = 1; on the GPU T2 writes a = 2 and b = 2, and reads nothing.
 *   writes not marked    no conflict; APPLY a = 1 over T2's a: both replicas end as a = 1, b = 2.
 *                        T1 has read b = 0, so it is the first, but then a = 2.
 *   writes marked        conflict at a: T2 is undone and runs after T1
 * Nothing shorter does it: T2 alone on a is as if it had been the first.
 *
 * The stamps are in pages of 4,096 words, made when a word of them is first written; a page of
 * the highest stamp, than which nothing is newer, stands for those that are not. Stamps of
 * earlier rounds stay: they are lower than those that come, so nothing is cleared.
 *
 * Invariants, proved by check():
 *  I1  no stamp is wider than stamp_bits, and words past the end of the region have none
 *  I2  tested = applied + stale; conflicts <= tested + early, of each kind
 *  I3  there is a verdict of conflict only if a test has found one; at most one a round
 *
 * Differences from the paper:
 *  - The paper keeps a lock bit in each stamp, against two threads that apply writes of one
 *    word at a time. The entries of a chunk are applied in order here, so the lock decides
 *    nothing; it is a cost, lock_cycles.
 *  - The authors' code of hetmv0 marks for each write the address of the read of the same number.
 *    That is the word written where, as in its benchmarks, each write follows its read; above, T2
 *    has no read, and nothing would be marked. HeTMv1 marks the write, as IV-C says.
 *  - How a replay orders the writes of a word is not said in the paper. The stamps that
 *    validation left tell which write is the last one.
 */
#include "gputm/device_validator.h"
#include "lib/hetm/marks.h"

#define PAGE_SHIFT 12 /* words of a page */
#define PAGE_WORDS (1u << PAGE_SHIFT)

struct gputm_device_validator {
	struct gputm_unit unit;
	struct gputm_device_validator_config config;
	uint64_t **page; /* [pages] stamps by word; `none` where all are 0 */
	uint64_t *none;	 /* a page of the highest stamp */
	uint64_t pages, words, widest;
	uint64_t *old, *apply; /* of the chunk at work */
	size_t capacity;
	uint64_t round;
	bool conflict;
	uint64_t chunks, tested, conflicts, applied, stale, early, early_conflicts, replayed;
	uint64_t overtaken, rounds, failed_rounds, failed_early, cycles;
};

#define UNIT device_validator

static const struct gputm_param rows[] = {
	PARAM(region_bytes, 4, UINT64_C(1) << 36, 629145600, false, "Bytes of the shared region.",
	      "HeTM V"),
	PARAM(stamp_bits, 8, 63, 32, false, "Width of a stamp, bits.", ""),
	PARAM(lanes, 1, 65536, 2048, true, "Entries checked side by side.", ""),
	PARAM(entry_cycles, 1, 65536, 400, false, "Cycles of one entry in its lane.", ""),
	PARAM(lock_cycles, 0, 65536, 0, false, "Cycles of the lock bit of a word's stamp.",
	      "HeTM IV-C"),
};

static const struct gputm_preset presets[] = {
	{ "shetm", "HeTM V: 600 MB.", { { "region_bytes", 629145600 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(chunks, COUNTER, "chunks", "Chunks taken, of every mode."),
	STAT(tested, COUNTER, "entries", "Entries of validation: applied + stale."),
	STAT(early, COUNTER, "entries", "Entries of early validation."),
	STAT(conflicts, COUNTER, "entries", "Entries whose granule the GPU had accessed."),
	STAT(early_conflicts, COUNTER, "entries", "Of these, entries found by early validation."),
	STAT(applied, COUNTER, "entries", "Entries applied in validation."),
	STAT(stale, COUNTER, "entries", "Entries that a newer write had overtaken."),
	STAT(replayed, COUNTER, "entries", "Entries applied in a replay."),
	STAT(overtaken, COUNTER, "entries", "Entries of a replay that were not the newest."),
	STAT(rounds, COUNTER, "rounds", "Rounds that have been begun."),
	STAT(failed_rounds, COUNTER, "rounds", "Rounds in which a conflict was found."),
	STAT(failed_early, COUNTER, "rounds", "Of these, rounds where early validation was first."),
	STAT(cycles, COUNTER, "cycles", "Cycles of the validation kernels."),
};

static const char *const modes[] = { "apply", "early", "replay" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_DEVICE_VALIDATOR_EVENT_CHUNK, "chunk",
	      "The unit has worked through a chunk of a log.",
	      NAMED(mode, modes, "What the unit does with the entries."),
	      VALUE(entries, "entries", "Entries of the chunk."),
	      VALUE(conflicting, "entries", "Entries whose granule the device has read."),
	      VALUE(applied, "entries", "Entries that the unit has written to the replica.")),
	EVENT(GPUTM_DEVICE_VALIDATOR_EVENT_BEGIN, "begin", "A round begins.",
	      VALUE(round, "round", "Number of the round.")),
};

static int setup(struct gputm_unit *unit)
{
	struct gputm_device_validator *v = (void *)unit;

	v->words = (v->config.region_bytes + 3) / 4;
	v->pages = (v->words - 1) / PAGE_WORDS + 1;
	v->widest = gputm__low_mask(v->config.stamp_bits);
	v->page = gputm__own(unit, (size_t)v->pages, sizeof(*v->page));
	v->none = gputm__own(unit, PAGE_WORDS, sizeof(*v->none));
	if (!v->page || !v->none)
		return -ENOMEM;
	memset(v->none, 0xff, PAGE_WORDS * sizeof(*v->none));
	for (uint64_t p = 0; p < v->pages; p++)
		v->page[p] = v->none;
	return 0;
}

static bool page_made(const struct gputm_device_validator *v, uint64_t page)
{
	return v->page[page] != v->none;
}

static void free_pages(struct gputm_device_validator *v)
{
	for (uint64_t p = 0; p < v->pages; p++) {
		if (page_made(v, p))
			gputm__disown(&v->unit, v->page[p]);
		v->page[p] = v->none;
	}
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_device_validator *v = (void *)unit;

	free_pages(v);
	v->round = 0;
	v->conflict = false;
}

static uint64_t *make_page(struct gputm_device_validator *v, uint64_t page)
{
	uint64_t *made = gputm__own(&v->unit, PAGE_WORDS, sizeof(*made));

	if (made)
		v->page[page] = made;
	return made;
}

/* ---- snapshot: the pages that hold a stamp, in order ---- */

static bool page_used(const struct gputm_device_validator *v, uint64_t page)
{
	for (unsigned i = 0; page_made(v, page) && i < PAGE_WORDS; i++)
		if (v->page[page][i])
			return true;
	return false;
}

static void io_page(struct gputm__io *io, struct gputm_device_validator *v, uint64_t least,
		    uint64_t *page)
{
	gputm__io_u64_max(io, page, v->pages - 1, "a page after the region's end");
	if (!io->error && *page < least)
		gputm__io_fail(io, -EINVAL, "pages of stamps are out of order");
	if (!io->error && gputm__io_reading(io) && !make_page(v, *page))
		gputm__io_fail(io, -ENOMEM, "no memory");
	if (io->error)
		return;
	gputm__io_u64s(io, v->page[*page], PAGE_WORDS);
	if (!page_used(v, *page))
		gputm__io_fail(io, -EINVAL, "a page without a stamp");
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_device_validator *v = (void *)unit;
	uint64_t used = 0, page;

	gputm__io_u64(io, &v->round);
	gputm__io_bool(io, &v->conflict);
	for (uint64_t p = 0; !gputm__io_reading(io) && p < v->pages; p++)
		used += page_used(v, p);
	gputm__io_u64_max(io, &used, v->pages, "more pages of stamps than there are");
	for (uint64_t least = 0; used && !io->error; used--, least = page + 1) {
		for (page = least; !gputm__io_reading(io) && !page_used(v, page);)
			page++;
		io_page(io, v, least, &page);
	}
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_device_validator *v = (const void *)unit;

	for (uint64_t p = 0; p < v->pages; p++)
		for (uint64_t i = 0; page_made(v, p) && i < PAGE_WORDS; i++) {
			if (v->page[p][i] > v->widest)
				return "I1: a stamp does not fit stamp_bits";
			if (v->page[p][i] && p * PAGE_WORDS + i >= v->words)
				return "I1: a word past the end of the region has a stamp";
		}
	if (v->tested != v->applied + v->stale)
		return "I2: tested differs from applied + stale";
	if (v->early_conflicts > v->early || v->conflicts - v->early_conflicts > v->tested)
		return "I2: conflicts exceed tested";
	return v->failed_early > v->failed_rounds ? "I3: more rounds failed early than failed"
						  : NULL;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_device_validator *v = (const void *)unit;

	gputm__array(out, "stamps", v->words, v->config.stamp_bits, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_device_validator *v = (const void *)unit;

	gputm__law_least(laws, v->rounds + 1, v->failed_rounds,
			 "I3: more rounds failed than there were");
	gputm__law_least(laws, v->conflicts, v->conflict,
			 "I3: a verdict of conflict, and no conflict");
}

GPUTM__UNIT(device_validator, .version = 1, .setup = setup, .laws = laws)

/* ---- data path ---- */

int gputm_device_validator_begin(struct gputm_device_validator *v, uint64_t round)
{
	if (v->rounds && round <= v->round)
		return gputm__out_of_range(&v->unit, "round", round, v->round + 1, UINT64_MAX);
	v->round = round;
	v->conflict = false;
	v->rounds++;
	gputm__emit(&v->unit, GPUTM_DEVICE_VALIDATOR_EVENT_BEGIN, round, 0, 0, 0);
	return 0;
}

/* Log what is wrong with a refused entry. */
static int refuse_entry(const struct gputm_device_validator *v,
			const struct gputm_write_set_log_entry *e)
{
	if (e->address >= v->config.region_bytes)
		return gputm__out_of_range(&v->unit, "address", e->address, 0,
					   v->config.region_bytes - 1);
	if (e->address & 3)
		return gputm__refuse(&v->unit, "address = %llu is not a multiple of 4",
				     (unsigned long long)e->address);
	return gputm__out_of_range(&v->unit, "stamp", e->stamp, 1,
				   gputm__low_mask(v->config.stamp_bits));
}

/* The word number of an address, or a number past the last word. */
static uint64_t word_of(uint64_t address)
{
	return address >> 2 | address << 62;
}

static uint64_t *stamp_of(const struct gputm_device_validator *v, uint64_t word)
{
	return &v->page[word >> PAGE_SHIFT][word & (PAGE_WORDS - 1)];
}

static bool acceptable(const struct gputm_device_validator *v,
		       const struct gputm_write_set_log_entry *e)
{
	return word_of(e->address) < v->words && e->stamp - 1 < v->widest;
}

/* Undo: restore the stamps of the entries before `at`, 64 at a time. */
static void undo(struct gputm_device_validator *v, const struct gputm_write_set_log_entry *entry,
		 uint32_t at)
{
	while (at-- > 0)
		if (v->apply[at >> 6] >> (at & 63) & 1)
			*stamp_of(v, word_of(entry[at].address)) = v->old[at];
}

/*
 * Test and apply up to 64 entries; old[] keeps the stamps that they replace. @return how many
 * entries were processed: fewer than count if an entry has no word or no stamp, or if there is no
 * memory for its page. *stamps is the OR of their stamps, so that one check of the width serves for
 * all.
 */
static uint32_t apply_some(struct gputm_device_validator *v, const struct gputm__marks *shared,
			   const struct gputm_write_set_log_entry *entry, uint32_t count,
			   uint64_t *old, uint64_t *apply, uint64_t *stamps, uint32_t *conflicts)
{
	/* Local copies, which stores in the loop cannot change. */
	const struct gputm__marks marks = *shared;
	const uint64_t words = v->words;
	uint64_t *const *const pages = (uint64_t *const *)v->page;
	const struct gputm_write_set_log_entry *e = entry, *end = entry + count;
	uint64_t newer = 0, bit = 1, all = 0, found = 0;

	while (e < end) {
		uint64_t address = e->address, stamp = e->stamp, before;
		uint64_t word = word_of(address), *page, at = word & (PAGE_WORDS - 1);

		if (word >= words)
			break;
		page = pages[word >> PAGE_SHIFT];
		before = page[at];
		if (stamp > before) {
			*old = before;
			page[at] = stamp;
			newer |= bit;
		} else if (((stamp - 1) | before) >> 63) { /* 0, or no page */
			if (!stamp || page_made(v, word >> PAGE_SHIFT) ||
			    !make_page(v, word >> PAGE_SHIFT))
				break;
			continue;
		}
		if (gputm__marks_has(&marks, address))
			found++;
		all |= stamp;
		bit += bit;
		old++;
		e++;
	}
	*apply = newer;
	*stamps = all;
	*conflicts += (uint32_t)found;
	return (uint32_t)(e - entry);
}

/* Refuse a chunk after its entries 0 .. last were examined. */
static int refuse_one_of(const struct gputm_device_validator *v,
			 const struct gputm_write_set_log_chunk *chunk, uint32_t last)
{
	for (uint32_t i = 0; i <= last && i < chunk->count; i++)
		if (!acceptable(v, &chunk->entry[i]))
			return refuse_entry(v, &chunk->entry[i]);
	return -ENOMEM;
}

static int apply_chunk(struct gputm_device_validator *v, const struct gputm__marks *marks,
		       const struct gputm_write_set_log_chunk *chunk,
		       struct gputm_device_validator_result *r)
{
	for (uint32_t at = 0; at < chunk->count; at += 64) {
		uint32_t count = chunk->count - at < 64 ? chunk->count - at : 64;
		uint64_t stamps, *apply = &v->apply[at >> 6];
		uint32_t done = apply_some(v, marks, chunk->entry + at, count, v->old + at, apply,
					   &stamps, &r->conflicts);

		r->applied += gputm__popcount(*apply);
		if (done == count && stamps <= v->widest)
			continue;
		undo(v, chunk->entry, at + done);
		return refuse_one_of(v, chunk, at + done);
	}
	return 0;
}

static int test_chunk(const struct gputm_device_validator *v, const struct gputm__marks *shared,
		      const struct gputm_write_set_log_chunk *chunk,
		      struct gputm_device_validator_result *r)
{
	const struct gputm_write_set_log_entry *e = chunk->entry, *end = e + chunk->count;
	const struct gputm__marks marks = *shared;
	uint32_t conflicts = 0;

	for (; e < end; e++) {
		if (!acceptable(v, e))
			return refuse_entry(v, e);
		conflicts += gputm__marks_has(&marks, e->address);
	}
	r->conflicts = conflicts;
	return 0;
}

/* Mark the newest entry of each word. */
static int replay_chunk(const struct gputm_device_validator *v,
			const struct gputm_write_set_log_chunk *chunk,
			struct gputm_device_validator_result *r)
{
	for (uint32_t i = 0; i < chunk->count; i++) {
		const struct gputm_write_set_log_entry *e = &chunk->entry[i];

		if (!acceptable(v, e))
			return refuse_entry(v, e);
		if (*stamp_of(v, word_of(e->address)) != e->stamp)
			continue;
		v->apply[i >> 6] |= UINT64_C(1) << (i & 63);
		r->applied++;
	}
	return 0;
}

static void count_chunk(struct gputm_device_validator *v, uint32_t count,
			enum gputm_device_validator_mode mode,
			const struct gputm_device_validator_result *r)
{
	v->chunks++;
	v->cycles += r->cycles;
	v->conflicts += r->conflicts;
	if (r->conflicts && !v->conflict) {
		v->conflict = true;
		v->failed_rounds++;
		v->failed_early += mode == GPUTM_DEVICE_VALIDATOR_MODE_EARLY;
	}
	if (mode == GPUTM_DEVICE_VALIDATOR_MODE_EARLY) {
		v->early += count;
		v->early_conflicts += r->conflicts;
	} else if (mode == GPUTM_DEVICE_VALIDATOR_MODE_REPLAY) {
		v->replayed += r->applied;
		v->overtaken += r->stale;
	} else {
		v->tested += count;
		v->applied += r->applied;
		v->stale += r->stale;
	}
	gputm__emit(&v->unit, GPUTM_DEVICE_VALIDATOR_EVENT_CHUNK, mode, count, r->conflicts,
		    r->applied);
}

static int refuse_chunk(const struct gputm_device_validator *v,
			const struct gputm_access_bitmap *reads,
			const struct gputm_write_set_log_chunk *chunk,
			enum gputm_device_validator_mode mode)
{
	if ((unsigned)mode > GPUTM_DEVICE_VALIDATOR_MODE_REPLAY)
		return gputm__out_of_range(&v->unit, "mode", mode, 0,
					   GPUTM_DEVICE_VALIDATOR_MODE_REPLAY);
	if (chunk->round != v->round)
		return gputm__refuse(&v->unit, "chunk's round = %llu, must be %llu",
				     (unsigned long long)chunk->round,
				     (unsigned long long)v->round);
	if (mode == GPUTM_DEVICE_VALIDATOR_MODE_REPLAY)
		return 0;
	if (!reads || gputm__access_bitmap_marks(reads)->region != v->config.region_bytes)
		return gputm__refuse(&v->unit, "the bitmap is not of a region of %llu bytes",
				     (unsigned long long)v->config.region_bytes);
	return 0;
}

/* Room for a chunk of `count` entries: apply[], all 0, and old[]. */
static int make_room(struct gputm_device_validator *v, uint32_t count)
{
	size_t capacity = v->capacity;
	int error = gputm__own_more(&v->unit, &v->old, &capacity, count, sizeof(*v->old));

	if (!error)
		error = gputm__own_more(&v->unit, &v->apply, &v->capacity, count,
				    sizeof(*v->apply));
	for (size_t i = 0; !error && i < ((size_t)count + 63) / 64; i++)
		v->apply[i] = 0;
	return error;
}

int gputm_device_validator_push(struct gputm_device_validator *v,
				const struct gputm_access_bitmap *reads,
				const struct gputm_write_set_log_chunk *chunk,
				enum gputm_device_validator_mode mode, uint64_t *apply,
				struct gputm_device_validator_result *result)
{
	struct gputm_device_validator_result r = { 0 };
	uint32_t lanes = v->config.lanes, waves;
	int error = refuse_chunk(v, reads, chunk, mode);

	if (!error)
		error = make_room(v, chunk->count);
	if (error)
		return error;
	if (mode == GPUTM_DEVICE_VALIDATOR_MODE_REPLAY)
		error = replay_chunk(v, chunk, &r);
	else if (mode == GPUTM_DEVICE_VALIDATOR_MODE_EARLY)
		error = test_chunk(v, gputm__access_bitmap_marks(reads), chunk, &r);
	else
		error = apply_chunk(v, gputm__access_bitmap_marks(reads), chunk, &r);
	if (error)
		return error;
	for (uint32_t i = 0; i < (chunk->count + 63) / 64; i++)
		apply[i] = v->apply[i];
	if (mode != GPUTM_DEVICE_VALIDATOR_MODE_EARLY)
		r.stale = chunk->count - r.applied;
	waves = (chunk->count + lanes - 1) >> gputm__log2(lanes);
	r.cycles = (uint64_t)waves * (v->config.entry_cycles + v->config.lock_cycles);
	count_chunk(v, chunk->count, mode, &r);
	*result = r;
	return 0;
}

bool gputm_device_validator_conflict(const struct gputm_device_validator *v)
{
	return v->conflict;
}
