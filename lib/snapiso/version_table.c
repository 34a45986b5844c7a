/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Version index table
 * ===================
 *
 * S. Chen, L. Peng, S. Irving, "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation" (ISCA 2017), 3, Fig. 3 to 6; sizes in 4.3 and Table 2.
 *
 * A region of memory exists in several versions, in rows of the same subarrays, so that one
 * is copied to the next within the memory. A transaction reads the latest version created at
 * or before its start; commits write into the next one, which is sealed with a creation time.
 *
 *	FREE (S4)	begin_copy: the newest readable version is copied here
 *	COPYING (S1)	copied
 *	WRITABLE (S2)	commits of a warp; seal(now)
 *	READABLE (S3)	until nobody reads it and a newer one exists: recycled
 *
 * Example, Fig. 6: versions at 0x800000 + i x 0x10000, created {17, 123, 193, 255}
 *
 *	read 0x800000 at 123 .. 192	0x810000
 *	plain access to 0x810000	0xA00000, as version 1 has taken its place
 *	plain access to 0x820000	0xA00400, packed behind
 *
 * Versions are recycled oldest first. If one in the middle went, a transaction of its time
 * would be given an older version, which may not fit what it has read in another region.
 *
 * In the host a region has the readable versions from new to old, creation times in one
 * array, with an end mark; and regions are found by a binary search among sorted starts.
 *
 * Invariants, as check() names them:
 *   V1  each region has a readable version; their times fall along the list
 *   V2  at most one version of a region is copying or writable
 *   V3  only readable versions have references
 *   V4  acquired = released + references; copies = sealed + dropped + in progress;
 *       regions + sealed = recycled + invalidated + readable
 *   V5  versions and relocated bytes of all regions are apart (add_region, load)
 *
 * Differences from the paper
 *   - 60 + 8 x 32 + 5 = 321 bits; the text says 193 and 42 regions in 1 kB, which is 16 bits
 *     for a creation time. The width is a config field, 16 by default.
 *   - The text has version 1 of 0x800000 at 0x801000, Fig. 6 at 0x810000; the row number
 *     starts at bit 16, so it is 0x810000.
 *   - "Created before the given timestamp", yet 123 finds the version of 123: at or before.
 *   - Relocated bytes are packed; else the two regions of Fig. 6 overlap.
 *   - What a plain access within a region means is open: here its newest readable version, or
 *     with plain_as_given the address itself.
 *   - A time before all readable versions is stale; the paper has none such.
 *   - Each version has the largest logical timestamp committed into it, without which
 *     post-dating passes the read-only anomaly. It, the reference counts (not in the paper's
 *     193 bits), states and exact lengths (5 bits hold the logarithm) are reported apart.
 */
#include "gputm/version_table.h"
#include "lib/base/unit.h"

#define REGIONS 64
#define VERSIONS GPUTM_VERSION_TABLE_VERSIONS
#define NONE 255

enum { COPYING = 1, WRITABLE, READABLE, FREE }; /* as enum gputm_version_table_state */

struct version {
	uint64_t created, stamp;
	uint32_t references, state;
};

struct region {
	uint64_t start, length, relocated;
	uint32_t shift;		       /* of the stride */
	uint32_t readable;	       /* versions */
	uint64_t created[VERSIONS + 1]; /* of readable versions, newest first; 0 ends them */
	uint8_t number[VERSIONS + 1];   /* of those; NONE ends them */
	struct version version[VERSIONS];
};

struct gputm_version_table {
	struct gputm_unit unit;
	struct gputm_version_table_config config;
	struct region *region;	 /* [config.regions] */
	uint64_t start[REGIONS]; /* ascending; unused ones are all ones */
	uint8_t order[REGIONS];	 /* region of each start */
	uint32_t regions;
	uint64_t address_max, time_max, stamp_max;

	uint64_t references;
	uint64_t acquired, released, stale, copies, sealed, dropped, recycled, invalidated, waits;
	uint64_t readable_max;
};

#define PARAM(...) GPUTM__PARAM(struct gputm_version_table_config, __VA_ARGS__)
static const struct gputm_param params[] = {
	PARAM(regions, 1, REGIONS, 42, false, "Regions that can have versions.", "ISCA 2017 4.3"),
	PARAM(versions, 2, VERSIONS, 8, false, "Versions of a region.", "ISCA 2017 Table 2"),
	PARAM(row_shift, 8, 40, 16, false, "Lowest address bit of the row number.",
	      "ISCA 2017 3"),
	PARAM(time_bits, 8, 48, 16, false, "Width of a creation time, bits.", "ISCA 2017 4.3"),
	PARAM(address_bits, 16, 48, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(stamp_bits, 5, 31, 24, false, "Width of a logical timestamp, bits.",
	      "ISCA 2017 4.3"),
	PARAM(reference_bits, 1, 32, 11, false, "Width of a reference count, bits.", ""),
	PARAM(plain_as_given, 0, 1, 0, false,
	      "A plain access in a region means the address itself, not the newest version.", ""),
	PARAM(lazy, 0, 1, 0, false, "Recycle a version only when a copy needs its place.", ""),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017", "ISCA 2017 4.3 and Table 2: 42 regions of 193 bits, 8 versions each.",
	  { { "regions", 42 }, { "versions", 8 }, { "time_bits", 16 } } },
};

static const struct gputm_params table = {
	"version_table", sizeof(struct gputm_version_table_config),
	params, GPUTM__COUNT(params), presets, GPUTM__COUNT(presets),
};

#define STAT(...) GPUTM__STAT(struct gputm_version_table, __VA_ARGS__)
static const struct gputm__stat_row stats[] = {
	STAT(acquired, COUNTER, "references", "References taken: released + references."),
	STAT(released, COUNTER, "references", "References given back."),
	STAT(stale, COUNTER, "references", "References refused because no version was as old."),
	STAT(copies, COUNTER, "versions", "Copies begun: sealed, dropped, or in progress."),
	STAT(sealed, COUNTER, "versions", "Versions that became readable by a seal."),
	STAT(dropped, COUNTER, "versions", "Unsealed versions that a restart dropped."),
	STAT(recycled, COUNTER, "versions", "Versions recycled."),
	STAT(invalidated, COUNTER, "versions", "Readable versions that a restart freed."),
	STAT(waits, COUNTER, "copies", "Copies that had to wait for a free place."),
	STAT(readable_max, MAXIMUM, "versions", "Readable versions of a region, at most."),
	STAT(references, GAUGE, "references", "References held."),
};

static const char *const events[] = { "copying",  "copied",   "sealed",	  "recycled",
				      "acquired", "released", "restarted" };

/* ---- regions ---- */

static struct gputm_version_table *self_of(struct gputm_unit *unit)
{
	return (struct gputm_version_table *)(void *)unit;
}

static uint64_t version_start(const struct region *r, uint32_t version)
{
	return r->start + ((uint64_t)version << r->shift);
}

/* The bytes that a region takes: piece i is version i, the one after them is relocated. */
static void piece_of(const struct gputm_version_table *t, const struct region *r, uint32_t i,
		     uint64_t *from, uint64_t *end)
{
	bool relocated = i == t->config.versions;

	*from = relocated ? r->relocated : version_start(r, i);
	*end = *from + r->length * (relocated ? t->config.versions - 1 : 1);
}

static bool overlap(const struct gputm_version_table *t, const struct region *a,
		    const struct region *b)
{
	uint64_t from, end, other, other_end;

	for (uint32_t i = 0; i <= t->config.versions; i++) {
		piece_of(t, a, i, &from, &end);
		for (uint32_t k = a == b ? i + 1 : 0; k <= t->config.versions; k++) {
			piece_of(t, b, k, &other, &other_end);
			if (from < other_end && other < end)
				return true;
		}
	}
	return false;
}

static int region_refused(const struct gputm_version_table *t, const struct region *r)
{
	uint64_t from, end;

	for (uint32_t i = t->config.versions - 1; i <= t->config.versions; i++) {
		piece_of(t, r, i, &from, &end);
		if (from > t->address_max || end - 1 > t->address_max)
			return gputm__out_of_range(&t->unit, "end of a region's bytes", end - 1, 0,
						   t->address_max);
	}
	if (overlap(t, r, r))
		return gputm__refuse(&t->unit, "region at 0x%llx overlaps its relocated bytes",
				     (unsigned long long)r->start);
	for (uint32_t i = 0; i < t->regions; i++)
		if (overlap(t, r, &t->region[i]))
			return gputm__refuse(&t->unit, "region at 0x%llx overlaps region %u",
					     (unsigned long long)r->start, i);
	return 0;
}

/* Is this a region's shape? Fills in what follows from it. */
static int shape(const struct gputm_version_table *t, struct region *r)
{
	uint32_t bits;

	if (!r->length)
		return gputm__refuse(&t->unit, "length = 0 of the region at 0x%llx",
				     (unsigned long long)r->start);
	if (r->start > t->address_max || r->length > t->address_max ||
	    r->relocated > t->address_max)
		return gputm__out_of_range(&t->unit, "start, length or relocated",
					   r->start | r->length | r->relocated, 0, t->address_max);
	bits = gputm__bits_for(r->length);
	r->shift = bits > t->config.row_shift ? bits : t->config.row_shift;
	return region_refused(t, r);
}

/* Put the region just filled in among the sorted starts. */
static void insert_region(struct gputm_version_table *t)
{
	uint32_t at = t->regions++;

	for (; at && t->start[at - 1] > t->region[t->regions - 1].start; at--) {
		t->start[at] = t->start[at - 1];
		t->order[at] = t->order[at - 1];
	}
	t->start[at] = t->region[t->regions - 1].start;
	t->order[at] = (uint8_t)(t->regions - 1);
}

/* A version becomes readable, the newest of its region. */
static void push_readable(struct gputm_version_table *t, struct region *r, uint32_t version,
			  uint64_t now)
{
	memmove(&r->created[1], r->created, r->readable * sizeof(*r->created));
	memmove(&r->number[1], r->number, r->readable);
	r->created[0] = now;
	r->number[0] = (uint8_t)version;
	r->readable++;
	r->created[r->readable] = 0;
	r->number[r->readable] = NONE;
	r->version[version].created = now;
	r->version[version].state = READABLE;
	gputm__maximum(&t->readable_max, r->readable);
}

static void start_region(struct region *r, uint64_t start, uint64_t length, uint64_t relocated)
{
	memset(r, 0, sizeof(*r));
	r->start = start;
	r->length = length;
	r->relocated = relocated;
	r->number[0] = NONE;
	for (uint32_t i = 0; i < VERSIONS; i++)
		r->version[i].state = FREE;
}

int gputm_version_table_add_region(struct gputm_version_table *t, uint64_t start, uint64_t length,
				   uint64_t relocated, uint64_t now, uint32_t *region)
{
	struct region fresh;
	int error;

	start_region(&fresh, start, length, relocated);
	error = shape(t, &fresh);
	if (error)
		return error;
	if (t->regions == t->config.regions)
		return GPUTM_VERSION_TABLE_FULL;
	if (now > t->time_max)
		return GPUTM_VERSION_TABLE_OVERFLOW;
	push_readable(t, &fresh, 0, now);
	t->region[t->regions] = fresh;
	*region = t->regions;
	insert_region(t);
	return GPUTM_VERSION_TABLE_OK;
}

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_version_table *t = self_of(unit);

	t->address_max = gputm__low_mask(t->config.address_bits);
	t->time_max = gputm__low_mask(t->config.time_bits);
	t->stamp_max = gputm__low_mask(t->config.stamp_bits) - 1;
	t->region = gputm__alloc(unit->ctx, t->config.regions, sizeof(*t->region));
	return t->region ? 0 : -ENOMEM;
}

static void teardown(struct gputm_unit *unit)
{
	gputm__free(unit->ctx, self_of(unit)->region);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_version_table *t = self_of(unit);

	memset(t->start, 0xff, sizeof(t->start));
	memset(t->order, 0, sizeof(t->order));
	memset(t->region, 0, t->config.regions * sizeof(*t->region));
	t->regions = 0;
	t->references = 0;
}

static void io_version(struct gputm_version_table *t, struct version *v, struct gputm__io *io)
{
	gputm__io_u32_max(io, &v->state, FREE, "state of a version");
	gputm__io_u64_max(io, &v->created, t->time_max, "creation time");
	gputm__io_u64_max(io, &v->stamp, t->stamp_max, "stamp of a version");
	gputm__io_u32_max(io, &v->references,
			  (uint32_t)gputm__low_mask(t->config.reference_bits), "references");
	if (!io->error && (!v->state || (v->state != READABLE && v->references)))
		gputm__io_fail(io, -EINVAL, "a version has no state, or readers it cannot have");
}

/* The readable versions of a region that was read, from old to new. */
static void sort_versions(struct gputm_version_table *t, struct region *r, struct gputm__io *io)
{
	for (uint32_t n = 0; n < t->config.versions; n++) {
		uint32_t oldest = VERSIONS;

		for (uint32_t i = 0; i < t->config.versions; i++)
			if (r->version[i].state == READABLE &&
			    (!r->readable || r->version[i].created > r->created[0]) &&
			    (oldest == VERSIONS ||
			     r->version[i].created < r->version[oldest].created))
				oldest = i;
		if (oldest < VERSIONS)
			push_readable(t, r, oldest, r->version[oldest].created);
	}
	if (!r->readable)
		gputm__io_fail(io, -EINVAL, "a region has no readable version");
}

static void io_region(struct gputm_version_table *t, struct region *r, struct gputm__io *io)
{
	gputm__io_u64(io, &r->start);
	gputm__io_u64(io, &r->length);
	gputm__io_u64(io, &r->relocated);
	if (gputm__io_reading(io) && !io->error) {
		start_region(r, r->start, r->length, r->relocated);
		if (shape(t, r))
			gputm__io_fail(io, -EINVAL, "a region is impossible");
	}
	for (uint32_t i = 0; i < t->config.versions && !io->error; i++)
		io_version(t, &r->version[i], io);
	if (gputm__io_reading(io) && !io->error)
		sort_versions(t, r, io);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_version_table *t = self_of(unit);
	uint32_t regions = t->regions;
	uint64_t references = 0;

	gputm__io_u32_max(io, &regions, t->config.regions, "regions");
	for (uint32_t i = 0; i < regions && !io->error; i++) {
		io_region(t, &t->region[i], io);
		if (gputm__io_reading(io) && !io->error)
			insert_region(t);
		for (uint32_t k = 0; k < VERSIONS; k++)
			references += t->region[i].version[k].references;
	}
	t->references = references;
}

/* Versions of a region in this state. */
static uint32_t in_state(const struct gputm_version_table *t, const struct region *r,
			 uint32_t state)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->config.versions; i++)
		count += r->version[i].state == state;
	return count;
}

static const char *check_region(const struct gputm_version_table *t, const struct region *r)
{
	if (!r->readable || r->readable != in_state(t, r, READABLE) ||
	    r->number[r->readable] != NONE)
		return "the list of readable versions is not that of a region";
	for (uint32_t i = 0; i < r->readable; i++) {
		const struct version *v = &r->version[r->number[i]];

		if (v->state != READABLE || v->created != r->created[i] ||
		    (i && r->created[i] >= r->created[i - 1]))
			return "readable versions are not in the order of their times";
	}
	if (in_state(t, r, COPYING) + in_state(t, r, WRITABLE) > 1)
		return "two versions of a region are copied or written";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_version_table *t =
		(const struct gputm_version_table *)(const void *)unit;
	uint64_t references = 0, readable = 0, open = 0;

	for (uint32_t i = 0; i < t->regions; i++) {
		const struct region *r = &t->region[i];
		const char *wrong = check_region(t, r);

		if (wrong)
			return wrong;
		readable += r->readable;
		open += in_state(t, r, COPYING) + in_state(t, r, WRITABLE);
		for (uint32_t k = 0; k < VERSIONS; k++) {
			if (r->version[k].references && r->version[k].state != READABLE)
				return "a version that is not readable has references";
			references += r->version[k].references;
		}
	}
	if (references != t->references || t->acquired != t->released + references)
		return "acquired is not released + references";
	if (t->copies != t->sealed + t->dropped + open)
		return "copies is not sealed + dropped + in progress";
	return t->regions + t->sealed == t->recycled + t->invalidated + readable
		       ? NULL
		       : "regions + sealed is not recycled + invalidated + readable";
}

static bool storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	const struct gputm_version_table_config *c = gputm_unit_config(unit);
	uint64_t word = c->address_bits - 2;
	const struct gputm_storage part[] = {
		{ "regions", c->regions, 2 * word + 5 + (uint64_t)c->versions * c->time_bits, 1,
		  false },
		{ "references", c->regions, (uint64_t)c->versions * c->reference_bits, 1, true },
		{ "states", c->regions, (uint64_t)c->versions * 2, 1, true },
		{ "stamps", c->regions, (uint64_t)c->versions * c->stamp_bits, 1, true },
		{ "exact lengths", c->regions, word - 5, 1, true },
	};

	if (index >= GPUTM__COUNT(part))
		return false;
	*out = part[index];
	return true;
}

static const struct gputm__class class = {
	.kind = "version_table",
	.version = 1,
	.size = sizeof(struct gputm_version_table),
	.params = &table,
	.config_offset = offsetof(struct gputm_version_table, config),
	.stat = stats,
	.stat_count = GPUTM__COUNT(stats),
	.event = events,
	.setup = setup,
	.teardown = teardown,
	.clear = clear,
	.io = io,
	.check = check,
	.storage = storage,
};

GPUTM__LIFE(version_table, class)

/* ---- accesses ---- */

#define APART static __attribute__((noinline))

APART int refuse_address(const struct gputm_version_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

static inline const uint64_t *halve(const uint64_t *at, uint32_t half, uint64_t address)
{
	return at[half] <= address ? at + half : at;
}

/* The region with the last start at or before the address, if any; else the first. */
static inline struct region *candidate(const struct gputm_version_table *t, uint64_t address)
{
	const uint64_t *at = halve(t->start, REGIONS / 2, address);

	at = halve(at, REGIONS / 4, address);
	at = halve(at, REGIONS / 8, address);
	at = halve(at, REGIONS / 16, address);
	at = halve(at, REGIONS / 32, address);
	at = halve(at, REGIONS / 64, address);
	return &t->region[t->order[at - t->start]];
}

/* The place in the list of the latest version created at or before time, or the end mark. */
static inline uint32_t place_at(const struct region *r, uint64_t time)
{
	const uint64_t *at = r->created;

	while (*at > time)
		at++;
	return (uint32_t)(at - r->created);
}

/* NULL if the address is in no region. */
static struct region *region_of(const struct gputm_version_table *t, uint64_t address)
{
	struct region *r = candidate(t, address);

	return address - r->start < r->length ? r : NULL;
}

/* Bytes where a region has versions other than 0. */
static bool is_taken(const struct gputm_version_table *t, const struct region *r,
		     uint64_t address, uint64_t *physical)
{
	uint64_t offset = address - r->start, version = offset >> r->shift;

	offset &= gputm__low_mask(r->shift);
	if (address < r->start || !version || version >= t->config.versions || offset >= r->length)
		return false;
	*physical = r->relocated + (version - 1) * r->length + offset;
	return true;
}

APART int plain(const struct gputm_version_table *t, uint64_t address, uint64_t *physical)
{
	for (uint32_t i = 0; i < t->regions; i++)
		if (is_taken(t, &t->region[i], address, physical))
			return GPUTM_VERSION_TABLE_PLAIN;
	*physical = address;
	return GPUTM_VERSION_TABLE_PLAIN;
}

int gputm_version_table_resolve(const struct gputm_version_table *t, uint64_t address,
				uint64_t time, uint64_t *physical)
{
	const struct region *r;
	uint32_t number;

	if (GPUTM__UNLIKELY(address > t->address_max))
		return refuse_address(t, address);
	r = candidate(t, address);
	if (GPUTM__UNLIKELY(address - r->start >= r->length))
		return plain(t, address, physical);
	number = r->number[place_at(r, time)];
	if (number == NONE)
		return GPUTM_VERSION_TABLE_STALE;
	*physical = address + ((uint64_t)number << r->shift);
	return GPUTM_VERSION_TABLE_OK;
}

/* The version of a region that is copied or written, or VERSIONS. */
static uint32_t open_version(const struct gputm_version_table *t, const struct region *r)
{
	uint32_t i = 0;

	while (i < t->config.versions && r->version[i].state != COPYING &&
	       r->version[i].state != WRITABLE)
		i++;
	return i < t->config.versions ? i : VERSIONS;
}

static bool is_writable(const struct gputm_version_table *t, const struct region *r)
{
	uint32_t open = open_version(t, r);

	return open < VERSIONS && r->version[open].state == WRITABLE;
}

int gputm_version_table_resolve_write(const struct gputm_version_table *t, uint64_t address,
				      uint64_t *physical)
{
	const struct region *r;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		return plain(t, address, physical);
	if (!is_writable(t, r))
		return GPUTM_VERSION_TABLE_WAIT;
	*physical = address + ((uint64_t)open_version(t, r) << r->shift);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_resolve_plain(const struct gputm_version_table *t, uint64_t address,
				      uint64_t *physical)
{
	const struct region *r;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		(void)plain(t, address, physical);
	else
		*physical = address + (t->config.plain_as_given
					       ? 0
					       : (uint64_t)r->number[0] << r->shift);
	return 0;
}

/* ---- life of versions ---- */

static int refuse_region(const struct gputm_version_table *t, uint32_t region)
{
	if (!t->regions)
		return gputm__out_of_range(&t->unit, "region", region, 0, 0);
	return gputm__out_of_range(&t->unit, "region", region, 0, t->regions - 1);
}

static void recycle_oldest(struct gputm_version_table *t, struct region *r)
{
	uint32_t version = r->number[--r->readable];

	r->created[r->readable] = 0;
	r->number[r->readable] = NONE;
	r->version[version] = (struct version){ 0, 0, 0, FREE };
	t->recycled++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RECYCLED, (uint64_t)(r - t->region),
		    version, 0, 0);
}

static bool may_recycle_oldest(const struct region *r)
{
	return r->readable > 1 && !r->version[r->number[r->readable - 1]].references;
}

int gputm_version_table_acquire(struct gputm_version_table *t, uint64_t address, uint64_t time,
				uint32_t *region, uint32_t *version)
{
	uint64_t physical, most = gputm__low_mask(t->config.reference_bits);
	int result = gputm_version_table_resolve(t, address, time, &physical);
	struct version *v;
	struct region *r;

	t->stale += result == GPUTM_VERSION_TABLE_STALE;
	if (result != GPUTM_VERSION_TABLE_OK)
		return result;
	r = candidate(t, address);
	v = &r->version[r->number[place_at(r, time)]];
	if (v->references == most)
		return gputm__out_of_range(&t->unit, "references", most + 1, 0, most);
	v->references++;
	t->references++;
	t->acquired++;
	*region = (uint32_t)(r - t->region);
	*version = (uint32_t)(v - r->version);
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_ACQUIRED, *region, *version, v->references,
		    0);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_release(struct gputm_version_table *t, uint32_t region, uint32_t version)
{
	struct version *v;
	struct region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (version >= t->config.versions)
		return gputm__out_of_range(&t->unit, "version", version, 0,
					   t->config.versions - 1);
	r = &t->region[region];
	v = &r->version[version];
	if (!v->references)
		return gputm__refuse(&t->unit, "version %u of region %u has no reference", version,
				     region);
	v->references--;
	t->references--;
	t->released++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RELEASED, region, version, v->references,
		    0);
	if (!t->config.lazy && r->number[r->readable - 1] == version && may_recycle_oldest(r))
		recycle_oldest(t, r);
	return 0;
}

int gputm_version_table_begin_copy_probe(const struct gputm_version_table *t, uint32_t region)
{
	const struct region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	r = &t->region[region];
	if (open_version(t, r) < VERSIONS)
		return gputm__refuse(&t->unit, "version %u of region %u is copied or written",
				     open_version(t, r), region);
	return in_state(t, r, FREE) || may_recycle_oldest(r) ? GPUTM_VERSION_TABLE_OK
							     : GPUTM_VERSION_TABLE_WAIT;
}

int gputm_version_table_begin_copy(struct gputm_version_table *t, uint32_t region, uint32_t *from,
				   uint32_t *to)
{
	int result = gputm_version_table_begin_copy_probe(t, region);
	struct region *r;

	t->waits += result == GPUTM_VERSION_TABLE_WAIT;
	if (result != GPUTM_VERSION_TABLE_OK)
		return result;
	r = &t->region[region];
	if (!in_state(t, r, FREE))
		recycle_oldest(t, r);
	*from = r->number[0];
	*to = 0;
	while (r->version[*to].state != FREE)
		++*to;
	r->version[*to] = (struct version){ 0, r->version[*from].stamp, 0, COPYING };
	t->copies++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_COPYING, region, *from, *to, 0);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_copied(struct gputm_version_table *t, uint32_t region)
{
	struct region *r;
	uint32_t open;

	if (region >= t->regions)
		return refuse_region(t, region);
	r = &t->region[region];
	open = open_version(t, r);
	if (open == VERSIONS || r->version[open].state != COPYING)
		return gputm__refuse(&t->unit, "region %u has no version that is copied", region);
	r->version[open].state = WRITABLE;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_COPIED, region, open, 0, 0);
	return 0;
}

static int refuse_unwritable(const struct gputm_version_table *t, uint32_t region)
{
	return gputm__refuse(&t->unit, "region %u has no writable version", region);
}

int gputm_version_table_committed(struct gputm_version_table *t, uint32_t region, uint64_t stamp)
{
	struct region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (stamp > t->stamp_max)
		return gputm__out_of_range(&t->unit, "stamp", stamp, 0, t->stamp_max);
	r = &t->region[region];
	if (!is_writable(t, r))
		return refuse_unwritable(t, region);
	gputm__maximum(&r->version[open_version(t, r)].stamp, stamp);
	return 0;
}

static int seal_refused(const struct gputm_version_table *t, uint64_t mask, uint64_t now)
{
	for (; mask; mask &= mask - 1) {
		uint32_t region = gputm__lowest(mask);

		if (region >= t->regions)
			return refuse_region(t, region);
		if (!is_writable(t, &t->region[region]))
			return refuse_unwritable(t, region);
		if (now <= t->region[region].created[0])
			return gputm__refuse(&t->unit, "now = %llu: region %u has a newer version",
					     (unsigned long long)now, region);
	}
	return now > t->time_max ? GPUTM_VERSION_TABLE_OVERFLOW : GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_seal(struct gputm_version_table *t, uint64_t mask, uint64_t now)
{
	int result = seal_refused(t, mask, now);

	if (result != GPUTM_VERSION_TABLE_OK)
		return result;
	for (; mask; mask &= mask - 1) {
		struct region *r = &t->region[gputm__lowest(mask)];
		uint32_t version = open_version(t, r);

		push_readable(t, r, version, now);
		t->sealed++;
		gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_SEALED, gputm__lowest(mask),
			    version, now, 0);
	}
	return GPUTM_VERSION_TABLE_OK;
}

uint64_t gputm_version_table_start_stamp(const struct gputm_version_table *t, uint64_t time)
{
	uint64_t stamp = 0;

	for (uint32_t i = 0; i < t->regions; i++) {
		const struct region *r = &t->region[i];
		uint32_t number = r->number[place_at(r, time)];

		if (number != NONE)
			gputm__maximum(&stamp, r->version[number].stamp);
	}
	return stamp + 1;
}

static void restart_region(struct gputm_version_table *t, struct region *r, uint64_t now)
{
	uint32_t newest = r->number[0];

	t->invalidated += r->readable - 1;
	t->dropped += open_version(t, r) < VERSIONS;
	for (uint32_t i = 0; i < VERSIONS; i++)
		r->version[i] = (struct version){ 0, 0, 0, FREE };
	r->readable = 0;
	push_readable(t, r, newest, now);
}

int gputm_version_table_restart(struct gputm_version_table *t, uint64_t now)
{
	if (t->references)
		return gputm__refuse(&t->unit, "references = %llu at a restart",
				     (unsigned long long)t->references);
	if (now > t->time_max)
		return gputm__out_of_range(&t->unit, "now", now, 0, t->time_max);
	for (uint32_t i = 0; i < t->regions; i++)
		restart_region(t, &t->region[i], now);
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RESTARTED, now, 0, 0, 0);
	return 0;
}

uint32_t gputm_version_table_regions(const struct gputm_version_table *t)
{
	return t->regions;
}

int gputm_version_table_version(const struct gputm_version_table *t, uint32_t region,
				uint32_t version, struct gputm_version_table_version *out)
{
	const struct version *v;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (version >= t->config.versions)
		return gputm__out_of_range(&t->unit, "version", version, 0,
					   t->config.versions - 1);
	v = &t->region[region].version[version];
	out->state = (enum gputm_version_table_state)v->state;
	out->address = version_start(&t->region[region], version);
	out->created = v->created;
	out->references = v->references;
	out->stamp = v->stamp;
	return 0;
}
