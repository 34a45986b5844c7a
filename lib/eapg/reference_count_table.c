/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference count table of a commit unit
 * ======================================
 *
 * X. Ren and M. Lis, "High-Performance GPU Transactional Memory via Eager Conflict Detection"
 * (GETM, HPCA 2018): section VI names early abort and pause-and-go (EAPG) as a baseline, idealised
 * and built on WarpTM; Table V has a "Reference Count Table" of 15 kB at each of 6 commit units.
 * What it holds, and that a new address is ignored when its 3,072 entries are taken, is taken from
 * the released simulator of that paper. The paper that proposed EAPG was not at hand.
 *
 *   add(a, write)      the reader (writer) count of a goes up; an address without entry takes a
 *                      free one; without one, or with the count at its maximum, a is ignored
 *   remove(a, write)   the count goes down; an entry with both counts at 0 is free
 *
 * The first reader or writer of a word and the last that leaves answer "changed". The partition
 * tells these to all cores. Example, 2 entries:
 *
 *   add     0x10 read    changed    0x10: 1, 0
 *   add     0x10 read    counted    0x10: 2, 0
 *   add     0x20 write   changed    0x10: 2, 0   0x20: 0, 1
 *   add     0x30 read    ignored    no entry is free
 *   remove  0x10 read    counted    0x10: 1, 0   0x20: 0, 1
 *   remove  0x20 write   changed    0x10: 1, 0
 *   remove  0x30 read    ignored    it has no entry
 *
 * An entry of 40 bits is the address of a word in 30 bits and two counts of 5 bits: 3,072 of them
 * are 15 kB exactly. Entries are free where both counts are 0, and need no further bit.
 *
 * Invariants, as check() names them:
 *   R1  entries stand for different granules that exist
 *   R2  an entry in use has a count that is not 0; no count is above its maximum
 *   R3  used is the number of entries in use, and references the sum of the counts
 *   R4  added is removed + references; first is last + the number of counts that are not 0
 *
 * Differences from the paper
 *   - Table V gives the size alone. Counts of 5 bits are what is left of 40 bits; the simulator's
 *     have no limit. A reference beyond the maximum is ignored, as a new address in a full table.
 *   - Who was ignored is noted nowhere, in the simulator neither: its remove takes away another's
 *     reference, and cores may learn too early that a word is free. EAPG only gives hints: a
 *     transaction that is not warned is found by the validation.
 */
#include "gputm/reference_count_table.h"
#include "lib/base/unit.h"
#include "lib/eapg/granules.h"

struct counts {
	uint32_t of[2]; /* readers, writers */
};

struct gputm_reference_count_table {
	struct gputm_unit unit;
	struct gputm_reference_count_table_config config;
	uint64_t *granule;     /* of entries in use, ascending */
	struct counts *counts; /* theirs */
	uint64_t address_max;  /* largest address */
	uint32_t shift;	       /* address to granule */
	uint32_t most;	       /* of a count */
	uint64_t used, references, used_max;
	uint64_t added, removed, first, last, full, saturated, absent;
};

#define UNIT reference_count_table

static const struct gputm_param rows[] = {
	PARAM(entries, 1, 1 << 20, 3072, false, "Addresses that have an entry at a time.",
	      "GETM's simulator"),
	PARAM(count_bits, 1, 32, 5, false, "Width of a count, bits.", "GETM Table V: 15 kB"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes of a word.", "GETM's simulator"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "getm",
	  "GETM Table V: 3072 entries of an address and two counts, 15 kB.",
	  { { "entries", 3072 }, { "count_bits", 5 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(added, COUNTER, "references", "References counted."),
	STAT(removed, COUNTER, "references", "References removed."),
	STAT(first, COUNTER, "references", "Added ones that were the first reader or writer."),
	STAT(last, COUNTER, "references", "Removed ones that were the last reader or writer."),
	STAT(full, COUNTER, "references", "References ignored as no entry was free."),
	STAT(saturated, COUNTER, "references", "References ignored as the count was at its "
					       "maximum."),
	STAT(absent, COUNTER, "references", "References to remove that had not been counted."),
	STAT(references, GAUGE, "references", "References in the table."),
	STAT(used, GAUGE, "entries", "Entries in use."),
	STAT(used_max, MAXIMUM, "entries", "Most entries in use."),
};

static const char *const reasons[] = { "full", "saturated", "absent" };
enum { FULL, SATURATED, ABSENT };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_REFERENCE_COUNT_TABLE_EVENT_ADD, "add", "A reference has been counted.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "What the transaction does with it."),
	      VALUE(count, "references", "Readers or writers now.")),
	EVENT(GPUTM_REFERENCE_COUNT_TABLE_EVENT_REMOVE, "remove", "A reference is gone.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "What the transaction does with it."),
	      VALUE(count, "references", "Readers or writers now.")),
	EVENT(GPUTM_REFERENCE_COUNT_TABLE_EVENT_IGNORE, "ignore",
	      "A reference is not counted, or one to remove is not there.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "What the transaction does with it."),
	      NAMED(reason, reasons, "Why.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_reference_count_table_config *c = gputm_unit_config(unit);

	return gputm__check_granularity(unit, c->granularity, c->address_bits);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_reference_count_table *t = (void *)unit;

	t->address_max = gputm__low_mask(t->config.address_bits);
	t->shift = gputm__log2(t->config.granularity);
	t->most = (uint32_t)gputm__low_mask(t->config.count_bits);
	t->granule = gputm__own(unit, t->config.entries, sizeof(*t->granule));
	t->counts = gputm__own(unit, t->config.entries, sizeof(*t->counts));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_reference_count_table *t = (void *)unit;

	t->used = t->references = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_reference_count_table *t = (void *)unit;

	gputm__io_u64_max(io, &t->used, t->config.entries, "used");
	if (io->error)
		return;
	gputm__io_u64(io, &t->references);
	gputm__io_u64s(io, t->granule, (size_t)t->used);
	for (uint64_t i = 0; i < t->used; i++)
		gputm__io_u32s(io, t->counts[i].of, 2);
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_reference_count_table *t = (const void *)unit;
	uint64_t sum = 0;

	if (!gputm__granules_ascend(t->granule, (uint32_t)t->used, t->address_max >> t->shift))
		return "R1: an entry's granule does not exist, or is not above the one before";
	for (uint64_t i = 0; i < t->used; i++) {
		const uint32_t *of = t->counts[i].of;

		if (!(of[0] | of[1]) || of[0] > t->most || of[1] > t->most)
			return "R2: an entry in use has no reference, or a count above its maximum";
		sum += (uint64_t)of[0] + of[1];
	}
	if (sum != t->references)
		return "R3: references is not the sum of the counts";
	return NULL;
}

/* Counts that are not 0. */
static uint64_t sides(const struct gputm_reference_count_table *t)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < t->used; i++)
		sum += (t->counts[i].of[0] ? 1u : 0) + (t->counts[i].of[1] ? 1u : 0);
	return sum;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_reference_count_table *t = (const void *)unit;

	gputm__law(laws, t->added, t->removed + t->references,
		   "R4: added is not removed + references");
	gputm__law(laws, t->first, t->last + sides(t),
		   "R4: first is not last + counts that are not 0");
	gputm__law_most(laws, &t->used_max, t->used, t->config.entries,
			"R3: used_max is not between used and entries");
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_reference_count_table_config *c = gputm_unit_config(unit);
	uint32_t address = c->address_bits - gputm__log2(c->granularity);

	gputm__array(out, "addresses, counts", c->entries,
		     address + UINT64_C(2) * c->count_bits, 1);
}

GPUTM__UNIT(reference_count_table, .version = 1, .setup = setup, .validate = validate,
	    .laws = laws)

/* ---- data path ---- */

/* Where the word's entry is, or would be; false: the word has none. */
static bool find(const struct gputm_reference_count_table *t, uint64_t address, uint32_t *at)
{
	uint32_t used = (uint32_t)t->used;

	*at = gputm__granule_place(t->granule, used, address >> t->shift);
	return gputm__granule_is_at(t->granule, used, *at, address >> t->shift);
}

static int refuse_address(const struct gputm_reference_count_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

int gputm_reference_count_table_add_probe(const struct gputm_reference_count_table *t,
					  uint64_t address, bool write)
{
	uint32_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	if (!find(t, address, &at))
		return t->used == t->config.entries ? GPUTM_REFERENCE_COUNT_TABLE_IGNORED
						    : GPUTM_REFERENCE_COUNT_TABLE_CHANGED;
	if (t->counts[at].of[write] == t->most)
		return GPUTM_REFERENCE_COUNT_TABLE_IGNORED;
	return t->counts[at].of[write] ? GPUTM_REFERENCE_COUNT_TABLE_COUNTED
				       : GPUTM_REFERENCE_COUNT_TABLE_CHANGED;
}

static void ignore(struct gputm_reference_count_table *t, uint64_t address, bool write,
		   uint64_t reason)
{
	t->full += reason == FULL;
	t->saturated += reason == SATURATED;
	t->absent += reason == ABSENT;
	gputm__emit(&t->unit, GPUTM_REFERENCE_COUNT_TABLE_EVENT_IGNORE, address, write, reason, 0);
}

static void insert(struct gputm_reference_count_table *t, uint64_t address, uint32_t at)
{
	uint32_t used = (uint32_t)t->used++;

	gputm__granule_open(t->granule, sizeof(*t->granule), used, at);
	gputm__granule_open(t->counts, sizeof(*t->counts), used, at);
	t->granule[at] = address >> t->shift;
	t->counts[at] = (struct counts){ { 0, 0 } };
	gputm__maximum(&t->used_max, t->used);
}

static void drop(struct gputm_reference_count_table *t, uint32_t at)
{
	uint32_t used = (uint32_t)t->used--;

	gputm__granule_close(t->granule, sizeof(*t->granule), used, at);
	gputm__granule_close(t->counts, sizeof(*t->counts), used, at);
}

int gputm_reference_count_table_add(struct gputm_reference_count_table *t, uint64_t address,
				    bool write)
{
	int result = gputm_reference_count_table_add_probe(t, address, write);
	uint32_t at;
	bool found;

	if (result < 0)
		return result;
	found = find(t, address, &at);
	if (result == GPUTM_REFERENCE_COUNT_TABLE_IGNORED) {
		ignore(t, address, write, found ? SATURATED : FULL);
		return result;
	}
	if (!found)
		insert(t, address, at);
	t->added++;
	t->references++;
	t->first += !t->counts[at].of[write]++;
	gputm__emit(&t->unit, GPUTM_REFERENCE_COUNT_TABLE_EVENT_ADD, address, write,
		    t->counts[at].of[write], 0);
	return result;
}

int gputm_reference_count_table_remove_probe(const struct gputm_reference_count_table *t,
					     uint64_t address, bool write)
{
	uint32_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	if (!find(t, address, &at) || !t->counts[at].of[write])
		return GPUTM_REFERENCE_COUNT_TABLE_IGNORED;
	return t->counts[at].of[write] > 1 ? GPUTM_REFERENCE_COUNT_TABLE_COUNTED
					   : GPUTM_REFERENCE_COUNT_TABLE_CHANGED;
}

int gputm_reference_count_table_remove(struct gputm_reference_count_table *t, uint64_t address,
				       bool write)
{
	int result = gputm_reference_count_table_remove_probe(t, address, write);
	uint32_t at, left;

	if (result < 0)
		return result;
	if (result == GPUTM_REFERENCE_COUNT_TABLE_IGNORED) {
		ignore(t, address, write, ABSENT);
		return result;
	}
	find(t, address, &at);
	left = --t->counts[at].of[write];
	t->removed++;
	t->references--;
	t->last += !left;
	if (!left && !t->counts[at].of[!write])
		drop(t, at);
	gputm__emit(&t->unit, GPUTM_REFERENCE_COUNT_TABLE_EVENT_REMOVE, address, write, left, 0);
	return result;
}

int gputm_reference_count_table_get_counts(const struct gputm_reference_count_table *t,
					   uint64_t address, uint32_t *readers, uint32_t *writers)
{
	uint32_t at;
	bool found;

	if (address > t->address_max)
		return refuse_address(t, address);
	found = find(t, address, &at);
	*readers = found ? t->counts[at].of[0] : 0;
	*writers = found ? t->counts[at].of[1] : 0;
	return found;
}
