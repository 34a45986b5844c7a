/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conflict address table of a core
 * ================================
 *
 * X. Ren and M. Lis, "High-Performance GPU Transactional Memory via Eager Conflict Detection"
 * (GETM, HPCA 2018): section VI names early abort and pause-and-go (EAPG) as a baseline, idealised
 * and built on WarpTM, whose "early conflict check was made instant" (footnote 3); Table V has a
 * "Conflict Address Table" of 12 kB at each of 15 cores. What it holds and how it is asked is taken
 * from the released simulator of that paper. The paper that proposed EAPG was not at hand; the
 * rule of its authors' simulator is the preset hpca-2016.
 *
 *   insert(a, write)   a is read (written) by a transaction that validates; an address without
 *                      entry takes a free one, and is ignored if none is free
 *   remove(a, write)   it no longer is; an entry without a mark is free
 *   lookup(a, write)   a read conflicts with the mark "written", a write with "read" and, with
 *                      write_write, with "written"
 *   pause(lanes, ...)  the lanes whose access conflicts; but all without the lowest, if all do
 *
 * Example, 2 entries; a transaction reads 0x10 and 0x20, and another one writes 0x20:
 *
 *   insert 0x10 read    changed     0x10: r
 *   insert 0x20 write   changed     0x10: r   0x20: w
 *   insert 0x30 read    full        0x10: r   0x20: w
 *   lookup 0x10 read    no          two readers
 *   lookup 0x10 write   conflict
 *   lookup 0x20 read    conflict
 *   lookup 0x20 write   conflict    no without write_write
 *   remove 0x20 write   changed     0x10: r
 *   remove 0x30 read    unchanged   it was ignored
 *
 * An entry of 32 bits is the address of a word in 30 bits and two marks: 3,072 of them are 12 kB
 * exactly. Entries are free where neither mark is set, and need no further bit.
 *
 * Invariants, as check() names them:
 *   C1  entries stand for different granules that exist
 *   C2  an entry in use has a mark
 *   C3  used is the number of entries in use
 *   C4  inserted is removed + the number of marks
 *
 * Differences from the paper
 *   - Table V gives the size alone; the simulator has 3,072 entries.
 *   - To remove an absent address makes an entry and takes it away again in the simulator; here
 *     nothing changes.
 */
#include "gputm/conflict_address_table.h"
#include "lib/base/unit.h"
#include "lib/eapg/granules.h"

enum { READ = 1, WRITTEN = 2 };

struct gputm_conflict_address_table {
	struct gputm_unit unit;
	struct gputm_conflict_address_table_config config;
	uint64_t *granule;    /* of entries in use, ascending */
	uint8_t *marks;	      /* theirs */
	uint64_t address_max; /* largest address */
	uint32_t shift;	      /* address to granule */
	uint64_t used, used_max;
	uint64_t inserted, removed, full, lookups, conflicts, accesses, paused;
};

#define UNIT conflict_address_table

static const struct gputm_param rows[] = {
	PARAM(entries, 1, 1 << 20, 3072, false, "Addresses that have an entry at a time.",
	      "GETM's simulator"),
	PARAM(granularity, 1, 1 << 16, 4, true, "Bytes of a word.", "GETM's simulator"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(write_write, 0, 1, 1, false, "Whether a write conflicts with another's write.",
	      "GETM's simulator"),
};

static const struct gputm_preset presets[] = {
	{ "getm",
	  "GETM Table V: 3072 entries of an address and two marks, 12 kB.",
	  { { "entries", 3072 }, { "write_write", 1 } } },
	{ "hpca-2016",
	  "The rule of EAPG's authors' simulator: two writes are no conflict.",
	  { { "entries", 3072 }, { "write_write", 0 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(inserted, COUNTER, "marks", "Marks set."),
	STAT(removed, COUNTER, "marks", "Marks removed."),
	STAT(full, COUNTER, "marks", "Marks ignored as no entry was free."),
	STAT(lookups, COUNTER, "words", "Words looked up, those of lanes that may pause too."),
	STAT(conflicts, COUNTER, "words", "Look-ups that found a conflict."),
	STAT(accesses, COUNTER, "accesses", "Accesses of warps asked for lanes to pause."),
	STAT(paused, COUNTER, "lanes", "Lanes told to pause."),
	STAT(used, GAUGE, "entries", "Entries in use."),
	STAT(used_max, MAXIMUM, "entries", "Most entries in use."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_INSERT, "insert", "A word has been marked.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "The mark.")),
	EVENT(GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_REMOVE, "remove", "A mark is gone.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "The mark.")),
	EVENT(GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_CONFLICT, "conflict",
	      "A look-up has found a conflict.",
	      VALUE(address, "byte address", "The word."),
	      NAMED(kind, gputm__read_write, "The access.")),
	EVENT(GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_PAUSE, "pause",
	      "Lanes of a warp are to wait at an access.",
	      VALUE(lanes, "lane mask", "Lanes that access."),
	      VALUE(paused, "lane mask", "Those that are to wait."),
	      NAMED(kind, gputm__read_write, "The access.")),
};

/* ---- life ---- */

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_conflict_address_table_config *c = gputm_unit_config(unit);

	return gputm__check_granularity(unit, c->granularity, c->address_bits);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_conflict_address_table *t = (void *)unit;

	t->address_max = gputm__low_mask(t->config.address_bits);
	t->shift = gputm__log2(t->config.granularity);
	t->granule = gputm__own(unit, t->config.entries, sizeof(*t->granule));
	t->marks = gputm__own(unit, t->config.entries, sizeof(*t->marks));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_conflict_address_table *t = (void *)unit;

	t->used = 0;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_conflict_address_table *t = (void *)unit;

	gputm__io_u64_max(io, &t->used, t->config.entries, "used");
	if (io->error)
		return;
	gputm__io_u64s(io, t->granule, (size_t)t->used);
	gputm__io_bytes(io, t->marks, (size_t)t->used);
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_conflict_address_table *t = (const void *)unit;

	if (!gputm__granules_ascend(t->granule, (uint32_t)t->used, t->address_max >> t->shift))
		return "C1: an entry's granule does not exist, or is not above the one before";
	for (uint64_t i = 0; i < t->used; i++)
		if (!t->marks[i] || t->marks[i] > (READ | WRITTEN))
			return "C2: an entry in use has no mark, or one that does not exist";
	return NULL;
}

static uint64_t marks(const struct gputm_conflict_address_table *t)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < t->used; i++)
		sum += gputm__popcount(t->marks[i]);
	return sum;
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_conflict_address_table *t = (const void *)unit;

	gputm__law(laws, t->inserted, t->removed + marks(t),
		   "C4: inserted is not removed + marks");
	gputm__law_most(laws, &t->used_max, t->used, t->config.entries,
			"C3: used_max is not between used and entries");
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_conflict_address_table_config *c = gputm_unit_config(unit);

	gputm__array(out, "addresses, marks", c->entries,
		     c->address_bits - gputm__log2(c->granularity) + 2, 1);
}

GPUTM__UNIT(conflict_address_table, .version = 1, .setup = setup, .validate = validate,
	    .laws = laws)

/* ---- data path ---- */

static int refuse_address(const struct gputm_conflict_address_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

/* Where the word's entry is, or would be, and its marks: 0, the word has none. */
static uint8_t find(const struct gputm_conflict_address_table *t, uint64_t address, uint32_t *at)
{
	uint32_t used = (uint32_t)t->used;

	*at = gputm__granule_place(t->granule, used, address >> t->shift);
	return gputm__granule_is_at(t->granule, used, *at, address >> t->shift) ? t->marks[*at]
										: 0;
}

int gputm_conflict_address_table_insert_probe(const struct gputm_conflict_address_table *t,
					      uint64_t address, bool write)
{
	uint32_t at;
	uint8_t marks;

	if (address > t->address_max)
		return refuse_address(t, address);
	marks = find(t, address, &at);
	if (!marks && t->used == t->config.entries)
		return GPUTM_CONFLICT_ADDRESS_TABLE_FULL;
	return marks & (write ? WRITTEN : READ) ? GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED
						: GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED;
}

int gputm_conflict_address_table_insert(struct gputm_conflict_address_table *t, uint64_t address,
					bool write)
{
	int result = gputm_conflict_address_table_insert_probe(t, address, write);
	uint32_t at, used = (uint32_t)t->used;

	t->full += result == GPUTM_CONFLICT_ADDRESS_TABLE_FULL;
	if (result != GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED)
		return result;
	if (!find(t, address, &at)) {
		gputm__granule_open(t->granule, sizeof(*t->granule), used, at);
		gputm__granule_open(t->marks, sizeof(*t->marks), used, at);
		t->granule[at] = address >> t->shift;
		t->marks[at] = 0;
		gputm__maximum(&t->used_max, ++t->used);
	}
	t->marks[at] |= write ? WRITTEN : READ;
	t->inserted++;
	gputm__emit(&t->unit, GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_INSERT, address, write, 0, 0);
	return result;
}

int gputm_conflict_address_table_remove(struct gputm_conflict_address_table *t, uint64_t address,
					bool write)
{
	uint8_t mark = write ? WRITTEN : READ;
	uint32_t at, used = (uint32_t)t->used;

	if (address > t->address_max)
		return refuse_address(t, address);
	if (!(find(t, address, &at) & mark))
		return GPUTM_CONFLICT_ADDRESS_TABLE_UNCHANGED;
	t->marks[at] ^= mark;
	if (!t->marks[at]) {
		gputm__granule_close(t->granule, sizeof(*t->granule), used, at);
		gputm__granule_close(t->marks, sizeof(*t->marks), used, at);
		t->used--;
	}
	t->removed++;
	gputm__emit(&t->unit, GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_REMOVE, address, write, 0, 0);
	return GPUTM_CONFLICT_ADDRESS_TABLE_CHANGED;
}

int gputm_conflict_address_table_lookup_probe(const struct gputm_conflict_address_table *t,
					      uint64_t address, bool write)
{
	uint8_t against = write ? READ | (t->config.write_write ? WRITTEN : 0) : WRITTEN;
	uint32_t at;

	if (address > t->address_max)
		return refuse_address(t, address);
	return (find(t, address, &at) & against) != 0;
}

int gputm_conflict_address_table_lookup(struct gputm_conflict_address_table *t, uint64_t address,
					bool write)
{
	int conflict = gputm_conflict_address_table_lookup_probe(t, address, write);

	if (conflict < 0)
		return conflict;
	t->lookups++;
	t->conflicts += conflict == 1;
	if (conflict)
		gputm__emit(&t->unit, GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_CONFLICT, address, write,
			    0, 0);
	return conflict;
}

int gputm_conflict_address_table_pause(struct gputm_conflict_address_table *t, uint64_t lanes,
				       const uint64_t address[], bool write, uint64_t *paused)
{
	uint64_t found = 0;

	for (uint64_t m = lanes; m; m &= m - 1) {
		uint32_t lane = gputm__lowest(m);

		if (address[lane] > t->address_max)
			return refuse_address(t, address[lane]);
	}
	for (uint64_t m = lanes; m; m &= m - 1)
		if (gputm_conflict_address_table_lookup(t, address[gputm__lowest(m)], write) > 0)
			found |= m & -m;
	if (found == lanes)
		found &= found - 1;
	t->accesses++;
	t->paused += gputm__popcount(found);
	if (found)
		gputm__emit(&t->unit, GPUTM_CONFLICT_ADDRESS_TABLE_EVENT_PAUSE, lanes, found,
			    write, 0);
	*paused = found;
	return 0;
}

int gputm_conflict_address_table_get_marks(const struct gputm_conflict_address_table *t,
					   uint64_t address, bool *read, bool *written)
{
	uint32_t at;
	uint8_t marks;

	if (address > t->address_max)
		return refuse_address(t, address);
	marks = find(t, address, &at);
	*read = marks & READ;
	*written = marks & WRITTEN;
	return marks != 0;
}
