/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of the version table: what bytes they take, and how one is added; see version_table.c. */
#include "lib/snapiso/version_table-priv.h"

/* The memory of a region: piece i is version i, and the last piece is for relocated bytes. */
static void piece_of(const struct gputm_version_table *t, const struct gputm__region *r, uint32_t i,
		     uint64_t *from, uint64_t *end)
{
	bool relocated = i == t->config.versions;

	*from = relocated ? r->relocated : gputm__region_version(r, i);
	*end = *from + r->length * (relocated ? t->config.versions - 1 : 1);
}

static bool overlap(const struct gputm_version_table *t, const struct gputm__region *a,
		    const struct gputm__region *b)
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

static int region_refused(const struct gputm_version_table *t, const struct gputm__region *r)
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

int gputm__region_shape(const struct gputm_version_table *t, struct gputm__region *r)
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

void gputm__region_insert(struct gputm_version_table *t)
{
	uint32_t at = t->regions++;

	for (; at && t->start[at - 1] > t->region[t->regions - 1].start; at--) {
		t->start[at] = t->start[at - 1];
		t->order[at] = t->order[at - 1];
	}
	t->start[at] = t->region[t->regions - 1].start;
	t->order[at] = (uint8_t)(t->regions - 1);
	for (; at < t->regions; at++) {
		const struct gputm__region *r = &t->region[t->order[at]];

		t->reach[at] = gputm__region_version(r, t->config.versions - 1) + r->length - 1;
		if (at && t->reach[at - 1] > t->reach[at])
			t->reach[at] = t->reach[at - 1];
	}
}

void gputm__region_start(struct gputm__region *r, uint64_t start, uint64_t length,
			 uint64_t relocated)
{
	memset(r, 0, sizeof(*r));
	r->start = start;
	r->length = length;
	r->relocated = relocated;
	r->number[0] = GPUTM__NO_VERSION;
	r->open = GPUTM__VERSIONS;
	for (uint32_t i = 0; i < GPUTM__VERSIONS; i++)
		r->version[i].state = GPUTM__FREE;
}

int gputm_version_table_add_region(struct gputm_version_table *t, uint64_t start, uint64_t length,
				   uint64_t relocated, uint64_t now, uint32_t *region)
{
	struct gputm__region fresh;
	int error;

	gputm__region_start(&fresh, start, length, relocated);
	error = gputm__region_shape(t, &fresh);
	if (error)
		return error;
	if (t->regions == t->config.regions)
		return GPUTM_VERSION_TABLE_FULL;
	if (now > t->time_max)
		return GPUTM_VERSION_TABLE_OVERFLOW;
	gputm__region_push(t, &fresh, 0, now);
	t->region[t->regions] = fresh;
	*region = t->regions;
	gputm__region_insert(t);
	return GPUTM_VERSION_TABLE_OK;
}
