/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_VERSION_TABLE_H
#define GPUTM_ORACLE_VERSION_TABLE_H
/* Versions of regions the slow way: states in an array, every question a scan of it. */
#include "tests/oracle/stats.h"

#define ORACLE_VERSION_TABLE_STATS                                                             \
	acquired, released, stale, copies, sealed, dropped, recycled, invalidated, waits,      \
		readable_max, sharers[GPUTM_HISTOGRAM_BUCKETS], references

struct oracle_version_table {
	struct gputm_version_table_config config;
	struct {
		uint64_t start, length, relocated, stride;
		struct {
			int state;
			uint64_t created, stamp;
			uint32_t references, taken; /* now; in its life */
		} version[16];
	} region[64];
	unsigned regions;
	ORACLE_STATS(ORACLE_VERSION_TABLE_STATS) stats;
};

enum { S1 = 1, S2, S3, S4 };

/* Every byte of a region, one by one: does it hold this address? */
static bool holds(const struct oracle_version_table *o, unsigned region, uint64_t address)
{
	uint64_t start = o->region[region].start, length = o->region[region].length;
	uint64_t relocated = o->region[region].relocated;

	for (unsigned i = 0; i < o->config.versions; i++)
		if (address >= start + i * o->region[region].stride &&
		    address < start + i * o->region[region].stride + length)
			return true;
	return address >= relocated && address < relocated + (o->config.versions - 1) * length;
}

static bool overlaps(const struct oracle_version_table *o, unsigned a, unsigned b)
{
	uint64_t length = o->region[a].length;

	for (unsigned i = 0; i < o->config.versions; i++)
		for (uint64_t k = 0; k < length; k++)
			if (holds(o, b, o->region[a].start + i * o->region[a].stride + k))
				return true;
	for (uint64_t k = 0; k < (o->config.versions - 1) * length; k++)
		if (holds(o, b, o->region[a].relocated + k))
			return true;
	return false;
}

static bool overlaps_itself(const struct oracle_version_table *o, unsigned a)
{
	uint64_t length = o->region[a].length, relocated = o->region[a].relocated;

	for (unsigned i = 0; i < o->config.versions; i++)
		for (uint64_t k = 0; k < length; k++) {
			uint64_t at = o->region[a].start + i * o->region[a].stride + k;

			if (at >= relocated && at < relocated + (o->config.versions - 1) * length)
				return true;
		}
	return false;
}

static void count_readable(struct oracle_version_table *o, unsigned region)
{
	uint64_t readable = 0;

	for (unsigned i = 0; i < o->config.versions; i++)
		readable += o->region[region].version[i].state == S3;
	oracle_most(&o->stats.readable_max, readable);
}

static int oracle_version_table_add(struct oracle_version_table *o, uint64_t start, uint64_t length,
				    uint64_t relocated, uint64_t now)
{
	unsigned at = o->regions;
	uint64_t stride = (uint64_t)1 << o->config.row_shift;

	if (!length)
		return -EINVAL;
	while (stride < length)
		stride *= 2;
	o->region[at].start = start;
	o->region[at].length = length;
	o->region[at].relocated = relocated;
	o->region[at].stride = stride;
	if (overlaps_itself(o, at))
		return -EINVAL;
	for (unsigned i = 0; i < at; i++)
		if (overlaps(o, at, i))
			return -EINVAL;
	if (at == o->config.regions)
		return GPUTM_VERSION_TABLE_FULL;
	if (now >= (uint64_t)1 << o->config.time_bits)
		return GPUTM_VERSION_TABLE_OVERFLOW;
	for (unsigned i = 0; i < 16; i++) {
		memset(&o->region[at].version[i], 0, sizeof(o->region[at].version[i]));
		o->region[at].version[i].state = i ? S4 : S3;
	}
	o->region[at].version[0].created = now;
	o->regions++;
	count_readable(o, at);
	return GPUTM_VERSION_TABLE_OK;
}

static int best(const struct oracle_version_table *o, unsigned region, uint64_t time)
{
	int found = -1;

	for (int i = 0; i < (int)o->config.versions; i++)
		if (o->region[region].version[i].state == S3 &&
		    o->region[region].version[i].created <= time &&
		    (found < 0 || o->region[region].version[i].created >
					  o->region[region].version[found].created))
			found = i;
	return found;
}

static int oldest(const struct oracle_version_table *o, unsigned region)
{
	int found = -1;

	for (int i = 0; i < (int)o->config.versions; i++)
		if (o->region[region].version[i].state == S3 &&
		    (found < 0 || o->region[region].version[i].created <
					  o->region[region].version[found].created))
			found = i;
	return found;
}

/* The result of resolve; *region and *version are set for OK. */
static int oracle_version_table_find(const struct oracle_version_table *o, uint64_t address,
				     uint64_t time, unsigned *region, unsigned *version)
{
	for (unsigned i = 0; i < o->regions; i++) {
		int found;

		if (address < o->region[i].start ||
		    address >= o->region[i].start + o->region[i].length)
			continue;
		found = best(o, i, time);
		if (found < 0)
			return GPUTM_VERSION_TABLE_STALE;
		*region = i;
		*version = (unsigned)found;
		return GPUTM_VERSION_TABLE_OK;
	}
	return GPUTM_VERSION_TABLE_PLAIN;
}

static int oracle_version_table_acquire(struct oracle_version_table *o, uint64_t address,
					uint64_t time, unsigned *region, unsigned *version)
{
	int result = oracle_version_table_find(o, address, time, region, version);

	o->stats.stale += result == GPUTM_VERSION_TABLE_STALE;
	if (result == GPUTM_VERSION_TABLE_OK) {
		o->region[*region].version[*version].references++;
		o->region[*region].version[*version].taken++;
		o->stats.acquired++;
		o->stats.references++;
	}
	return result;
}

static uint64_t oracle_version_table_plain(const struct oracle_version_table *o, uint64_t address)
{
	for (unsigned i = 0; i < o->regions; i++)
		for (unsigned k = 0; k < o->config.versions; k++) {
			uint64_t at = o->region[i].start + k * o->region[i].stride;

			if (address < at || address >= at + o->region[i].length)
				continue;
			if (k)
				return o->region[i].relocated + (k - 1) * o->region[i].length +
				       (address - at);
			if (o->config.plain_as_given)
				return address;
			return address + (unsigned)best(o, i, UINT64_MAX) * o->region[i].stride;
		}
	return address;
}

/* First version of a region in a state, or -1. */
static int oracle_version_table_in(const struct oracle_version_table *o, unsigned region, int state)
{
	for (int i = 0; i < (int)o->config.versions; i++)
		if (o->region[region].version[i].state == state)
			return i;
	return -1;
}

static bool recycle(struct oracle_version_table *o, unsigned region)
{
	int old = oldest(o, region);

	if (old == best(o, region, UINT64_MAX) || o->region[region].version[old].references)
		return false;
	o->stats.recycled++;
	oracle_sample(o->stats.sharers, o->region[region].version[old].taken);
	memset(&o->region[region].version[old], 0, sizeof(o->region[region].version[old]));
	o->region[region].version[old].state = S4;
	return true;
}

static int oracle_version_table_release(struct oracle_version_table *o, unsigned region,
					unsigned version)
{
	if (!o->region[region].version[version].references)
		return -EINVAL;
	o->stats.released++;
	o->stats.references--;
	o->region[region].version[version].references--;
	if (!o->config.lazy && oldest(o, region) == (int)version)
		recycle(o, region);
	return 0;
}

static int oracle_version_table_begin_copy(struct oracle_version_table *o, unsigned region)
{
	int to, from;

	if (oracle_version_table_in(o, region, S1) >= 0 ||
	    oracle_version_table_in(o, region, S2) >= 0)
		return -EINVAL;
	if (oracle_version_table_in(o, region, S4) < 0 && !recycle(o, region)) {
		o->stats.waits++;
		return GPUTM_VERSION_TABLE_WAIT;
	}
	o->stats.copies++;
	to = oracle_version_table_in(o, region, S4);
	from = best(o, region, UINT64_MAX);
	o->region[region].version[to].state = S1;
	o->region[region].version[to].stamp = o->region[region].version[from].stamp;
	return GPUTM_VERSION_TABLE_OK;
}

static int oracle_version_table_copied(struct oracle_version_table *o, unsigned region)
{
	int version = oracle_version_table_in(o, region, S1);

	if (version < 0)
		return -EINVAL;
	o->region[region].version[version].state = S2;
	return 0;
}

static int oracle_version_table_committed(struct oracle_version_table *o, unsigned region,
					  uint64_t stamp)
{
	int version = oracle_version_table_in(o, region, S2);

	if (version < 0)
		return -EINVAL;
	if (stamp > o->region[region].version[version].stamp)
		o->region[region].version[version].stamp = stamp;
	return 0;
}

static int oracle_version_table_seal(struct oracle_version_table *o, uint64_t mask, uint64_t now)
{
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1 &&
		    (oracle_version_table_in(o, i, S2) < 0 || best(o, i, now - 1) < 0 ||
		     best(o, i, now - 1) != best(o, i, UINT64_MAX)))
			return -EINVAL;
	if (now >= (uint64_t)1 << o->config.time_bits)
		return GPUTM_VERSION_TABLE_OVERFLOW;
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1) {
			int version = oracle_version_table_in(o, i, S2);

			o->region[i].version[version].state = S3;
			o->region[i].version[version].created = now;
			o->stats.sealed++;
			count_readable(o, i);
		}
	return GPUTM_VERSION_TABLE_OK;
}

static int oracle_version_table_restart(struct oracle_version_table *o, uint64_t now)
{
	for (unsigned i = 0; i < o->regions; i++)
		for (unsigned k = 0; k < o->config.versions; k++)
			if (o->region[i].version[k].references)
				return -EINVAL;
	for (unsigned i = 0; i < o->regions; i++) {
		int newest = best(o, i, UINT64_MAX);
		uint32_t taken;

		for (int k = 0; k < (int)o->config.versions; k++) {
			int state = o->region[i].version[k].state;

			o->stats.dropped += state == S1 || state == S2;
			o->stats.invalidated += state == S3 && k != newest;
			if (state == S3 && k != newest)
				oracle_sample(o->stats.sharers, o->region[i].version[k].taken);
		}
		taken = o->region[i].version[newest].taken;
		memset(o->region[i].version, 0, sizeof(o->region[i].version));
		for (int k = 0; k < 16; k++)
			o->region[i].version[k].state = k == newest ? S3 : S4;
		o->region[i].version[newest].created = now;
		o->region[i].version[newest].taken = taken;
	}
	return 0;
}

#endif
