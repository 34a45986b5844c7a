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
 *	plain access to 0x820000	0xA00400, packed after
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
 *       regions + sealed = recycled + invalidated + readable;
 *       samples of sharers = recycled + invalidated
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
 *   - When times overflow the paper invalidates all versions; restart() keeps the newest of each
 *     region, whose data is nowhere else.
 *   - Each version has the largest logical timestamp committed into it, without which
 *     post-dating passes the read-only anomaly. It, the reference counts (not in the paper's
 *     193 bits), states and exact lengths (5 bits hold the logarithm) are reported apart.
 */
#include "lib/snapiso/version_table-priv.h"

/* ---- accesses ---- */

static int refuse_address(const struct gputm_version_table *t, uint64_t address)
{
	return gputm__out_of_range(&t->unit, "address", address, 0, t->address_max);
}

static inline const uint64_t *halve(const uint64_t *at, uint32_t half, uint64_t address)
{
	return at[half] <= address ? at + half : at;
}

/* Place among the sorted starts of the last start at or before the address; 0 if there is none. */
static inline uint32_t last_start(const struct gputm_version_table *t, uint64_t address)
{
	const uint64_t *at = t->start;

	if (t->regions > GPUTM__REGIONS / 8) {
		at = halve(at, GPUTM__REGIONS / 2, address);
		at = halve(at, GPUTM__REGIONS / 4, address);
		at = halve(at, GPUTM__REGIONS / 8, address);
	}
	at = halve(at, GPUTM__REGIONS / 16, address);
	at = halve(at, GPUTM__REGIONS / 32, address);
	at = halve(at, GPUTM__REGIONS / 64, address);
	return (uint32_t)(at - t->start);
}

/* The region of an address, or NULL. */
static inline struct gputm__region *region_of(const struct gputm_version_table *t, uint64_t address)
{
	struct gputm__region *r = &t->region[t->order[last_start(t, address)]];

	return address - r->start < r->length ? r : NULL;
}

/* The place in the list of the latest version created at or before time, or the end mark. */
static inline uint32_t place_at(const struct gputm__region *r, uint64_t time)
{
	const uint64_t *at = r->created;

	while (*at > time)
		at++;
	return (uint32_t)(at - r->created);
}

/* Is the address in a version of the region other than 0? Then *physical is its relocated place. */
static bool is_taken(const struct gputm_version_table *t, const struct gputm__region *r,
		     uint64_t address, uint64_t *physical)
{
	uint64_t offset = address - r->start, version = offset >> r->shift;

	offset &= gputm__low_mask(r->shift);
	if (address < r->start || !version || version >= t->config.versions || offset >= r->length)
		return false;
	*physical = r->relocated + (version - 1) * r->length + offset;
	return true;
}

/* Only regions up to `reach` that start at or before the address can contain it. */
static int plain(const struct gputm_version_table *t, uint64_t address, uint64_t *physical)
{
	for (uint32_t i = last_start(t, address) + 1; i-- && t->reach[i] >= address;)
		if (is_taken(t, &t->region[t->order[i]], address, physical))
			return GPUTM_VERSION_TABLE_PLAIN;
	*physical = address;
	return GPUTM_VERSION_TABLE_PLAIN;
}

int gputm_version_table_resolve(const struct gputm_version_table *t, uint64_t address,
				uint64_t time, uint64_t *physical)
{
	const struct gputm__region *r;
	uint32_t number;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		return plain(t, address, physical);
	number = r->number[place_at(r, time)];
	if (number == GPUTM__NO_VERSION)
		return GPUTM_VERSION_TABLE_STALE;
	*physical = address + ((uint64_t)number << r->shift);
	return GPUTM_VERSION_TABLE_OK;
}

static bool is_writable(const struct gputm__region *r)
{
	return r->open < GPUTM__VERSIONS && r->version[r->open].state == GPUTM__WRITABLE;
}

int gputm_version_table_resolve_write(const struct gputm_version_table *t, uint64_t address,
				      uint64_t *physical)
{
	const struct gputm__region *r;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		return plain(t, address, physical);
	if (!is_writable(r))
		return GPUTM_VERSION_TABLE_WAIT;
	*physical = address + ((uint64_t)r->open << r->shift);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_resolve_plain(const struct gputm_version_table *t, uint64_t address,
				      uint64_t *physical)
{
	const struct gputm__region *r;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		(void)plain(t, address, physical);
	else
		*physical = address +
			    (t->config.plain_as_given ? 0 : (uint64_t)r->number[0] << r->shift);
	return 0;
}

/* ---- life of versions ---- */

static int refuse_region(const struct gputm_version_table *t, uint32_t region)
{
	if (!t->regions)
		return gputm__out_of_range(&t->unit, "region", region, 0, 0);
	return gputm__out_of_range(&t->unit, "region", region, 0, t->regions - 1);
}

void gputm__region_push(struct gputm_version_table *t, struct gputm__region *r, uint32_t version,
			uint64_t now)
{
	memmove(&r->created[1], r->created, r->readable * sizeof(*r->created));
	memmove(&r->number[1], r->number, r->readable);
	r->created[0] = now;
	r->number[0] = (uint8_t)version;
	r->readable++;
	r->created[r->readable] = 0;
	r->number[r->readable] = GPUTM__NO_VERSION;
	r->version[version].created = now;
	r->version[version].state = GPUTM__READABLE;
	if (version == r->open)
		r->open = GPUTM__VERSIONS;
	gputm__maximum(&t->readable_max, r->readable);
}

static void recycle_oldest(struct gputm_version_table *t, struct gputm__region *r)
{
	uint32_t version = r->number[--r->readable];

	r->created[r->readable] = 0;
	r->number[r->readable] = GPUTM__NO_VERSION;
	gputm__sample(&t->sharers, r->version[version].sharers);
	r->version[version] = (struct gputm__version){ 0, 0, 0, GPUTM__FREE, 0 };
	t->recycled++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RECYCLE, (uint64_t)(r - t->region), version,
		    0, 0);
}

static bool may_recycle_oldest(const struct gputm__region *r)
{
	return r->readable > 1 && !r->version[r->number[r->readable - 1]].references;
}

int gputm_version_table_acquire(struct gputm_version_table *t, uint64_t address, uint64_t time,
				uint32_t *region, uint32_t *version)
{
	uint64_t most = gputm__low_mask(t->config.reference_bits);
	struct gputm__region *r;
	struct gputm__version *v;
	uint32_t number;

	if (address > t->address_max)
		return refuse_address(t, address);
	r = region_of(t, address);
	if (!r)
		return GPUTM_VERSION_TABLE_PLAIN;
	number = r->number[place_at(r, time)];
	t->stale += number == GPUTM__NO_VERSION;
	if (number == GPUTM__NO_VERSION)
		return GPUTM_VERSION_TABLE_STALE;
	v = &r->version[number];
	if (v->references == most)
		return gputm__out_of_range(&t->unit, "references", most + 1, 0, most);
	v->references++;
	v->sharers += v->sharers < UINT32_MAX;
	t->references++;
	t->acquired++;
	*region = (uint32_t)(r - t->region);
	*version = number;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_ACQUIRE, *region, *version, v->references,
		    address);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_release(struct gputm_version_table *t, uint32_t region, uint32_t version)
{
	struct gputm__version *v;
	struct gputm__region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (version >= t->config.versions)
		return gputm__out_of_range(&t->unit, "version", version, 0, t->config.versions - 1);
	r = &t->region[region];
	v = &r->version[version];
	if (!v->references)
		return gputm__refuse(&t->unit, "version %u of region %u has no reference", version,
				     region);
	v->references--;
	t->references--;
	t->released++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RELEASE, region, version, v->references, 0);
	if (!t->config.lazy && r->number[r->readable - 1] == version && may_recycle_oldest(r))
		recycle_oldest(t, r);
	return 0;
}

int gputm_version_table_begin_copy_probe(const struct gputm_version_table *t, uint32_t region)
{
	const struct gputm__region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	r = &t->region[region];
	if (r->open < GPUTM__VERSIONS)
		return gputm__refuse(&t->unit, "version %u of region %u is being copied or written",
				     r->open, region);
	return gputm__region_in_state(t, r, GPUTM__FREE) || may_recycle_oldest(r)
		       ? GPUTM_VERSION_TABLE_OK
		       : GPUTM_VERSION_TABLE_WAIT;
}

int gputm_version_table_begin_copy(struct gputm_version_table *t, uint32_t region, uint32_t *from,
				   uint32_t *to)
{
	int result = gputm_version_table_begin_copy_probe(t, region);
	struct gputm__region *r;

	t->waits += result == GPUTM_VERSION_TABLE_WAIT;
	if (result != GPUTM_VERSION_TABLE_OK)
		return result;
	r = &t->region[region];
	if (!gputm__region_in_state(t, r, GPUTM__FREE))
		recycle_oldest(t, r);
	*from = r->number[0];
	*to = 0;
	while (r->version[*to].state != GPUTM__FREE)
		++*to;
	r->version[*to] = (struct gputm__version){ .stamp = r->version[*from].stamp,
						   .state = GPUTM__COPYING };
	r->open = *to;
	t->copies++;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_BEGIN_COPY, region, *from, *to, 0);
	return GPUTM_VERSION_TABLE_OK;
}

int gputm_version_table_complete_copy(struct gputm_version_table *t, uint32_t region)
{
	struct gputm__region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	r = &t->region[region];
	if (r->open == GPUTM__VERSIONS || r->version[r->open].state != GPUTM__COPYING)
		return gputm__refuse(&t->unit, "region %u has no version that is being copied",
				     region);
	r->version[r->open].state = GPUTM__WRITABLE;
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_COMPLETE_COPY, region, r->open, 0, 0);
	return 0;
}

static int refuse_unwritable(const struct gputm_version_table *t, uint32_t region)
{
	return gputm__refuse(&t->unit, "region %u has no writable version", region);
}

int gputm_version_table_commit(struct gputm_version_table *t, uint32_t region, uint64_t stamp)
{
	struct gputm__region *r;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (stamp > t->stamp_max)
		return gputm__out_of_range(&t->unit, "stamp", stamp, 0, t->stamp_max);
	r = &t->region[region];
	if (!is_writable(r))
		return refuse_unwritable(t, region);
	gputm__maximum(&r->version[r->open].stamp, stamp);
	return 0;
}

static int seal_refused(const struct gputm_version_table *t, uint64_t mask, uint64_t now)
{
	for (; mask; mask &= mask - 1) {
		uint32_t region = gputm__lowest(mask);

		if (region >= t->regions)
			return refuse_region(t, region);
		if (!is_writable(&t->region[region]))
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
		struct gputm__region *r = &t->region[gputm__lowest(mask)];
		uint32_t version = r->open;

		gputm__region_push(t, r, version, now);
		t->sealed++;
		gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_SEAL, gputm__lowest(mask), version,
			    now, 0);
	}
	return GPUTM_VERSION_TABLE_OK;
}

uint64_t gputm_version_table_start_stamp(const struct gputm_version_table *t, uint64_t time)
{
	uint64_t stamp = 0;

	for (uint32_t i = 0; i < t->regions; i++) {
		const struct gputm__region *r = &t->region[i];
		uint32_t number = r->number[place_at(r, time)];

		if (number != GPUTM__NO_VERSION)
			gputm__maximum(&stamp, r->version[number].stamp);
	}
	return stamp + 1;
}

static void restart_region(struct gputm_version_table *t, struct gputm__region *r, uint64_t now)
{
	uint32_t newest = r->number[0], sharers = r->version[newest].sharers;

	for (uint32_t i = 1; i < r->readable; i++)
		gputm__sample(&t->sharers, r->version[r->number[i]].sharers);
	t->invalidated += r->readable - 1;
	t->dropped += r->open < GPUTM__VERSIONS;
	r->open = GPUTM__VERSIONS;
	for (uint32_t i = 0; i < GPUTM__VERSIONS; i++)
		r->version[i] = (struct gputm__version){ 0, 0, 0, GPUTM__FREE, 0 };
	r->version[newest].sharers = sharers;
	r->readable = 0;
	gputm__region_push(t, r, newest, now);
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
	gputm__emit(&t->unit, GPUTM_VERSION_TABLE_EVENT_RESTART, now, 0, 0, 0);
	return 0;
}

int gputm_version_table_get_version(const struct gputm_version_table *t, uint32_t region,
				    uint32_t version, struct gputm_version_table_version *out)
{
	const struct gputm__version *v;

	if (region >= t->regions)
		return refuse_region(t, region);
	if (version >= t->config.versions)
		return gputm__out_of_range(&t->unit, "version", version, 0, t->config.versions - 1);
	v = &t->region[region].version[version];
	out->state = (enum gputm_version_table_state)v->state;
	out->address = gputm__region_version(&t->region[region], version);
	out->created = v->created;
	out->references = v->references;
	out->stamp = v->stamp;
	return 0;
}
