/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the version table; see version_table.c. */
#include "lib/snapiso/version_table-priv.h"

#define UNIT version_table

static const struct gputm_param rows[] = {
	PARAM(regions, 1, GPUTM__REGIONS, 42, false, "Regions that can have versions.",
	      "ISCA 2017 4.3"),
	PARAM(versions, 2, GPUTM__VERSIONS, 8, false, "Versions of a region.", "ISCA 2017 Table 2"),
	PARAM(row_shift, 8, 40, 16, false, "Lowest address bit of the row number.", "ISCA 2017 3"),
	PARAM(time_bits, 8, 48, 16, false, "Width of a creation time, bits.", "ISCA 2017 4.3"),
	PARAM(address_bits, 16, 48, 32, false, "Width of a byte address, bits.", "ISCA 2017 4.3"),
	PARAM(stamp_bits, 5, 31, 24, false, "Width of a logical timestamp, bits.", "ISCA 2017 4.3"),
	PARAM(reference_bits, 1, 32, 11, false, "Width of a reference count, bits.", ""),
	PARAM(plain_as_given, 0, 1, 0, false,
	      "A plain access in a region means the address itself, not the newest version.", ""),
	PARAM(lazy, 0, 1, 0, false, "Recycle a version only when a copy needs its place.", ""),
};

static const struct gputm_preset presets[] = {
	{ "isca-2017",
	  "ISCA 2017 4.3 and Table 2: 42 regions of 193 bits, 8 versions each.",
	  { { "regions", 42 }, { "versions", 8 }, { "time_bits", 16 } } },
};

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
	STAT(sharers, HISTOGRAM, "references", "References taken to a version in its life."),
	STAT(references, GAUGE, "references", "References held."),
};

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_VERSION_TABLE_EVENT_BEGIN_COPY, "begin-copy",
	      "A copy of the newest version begins.", VALUE(region, "region", "The region."),
	      VALUE(from, "version index", "The newest version."),
	      VALUE(to, "version index", "The new version.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_COMPLETE_COPY, "complete-copy",
	      "The copy is complete, and commits write the new version.",
	      VALUE(region, "region", "The region."),
	      VALUE(place, "version index", "The new version.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_SEAL, "seal",
	      "Transactions can read a version from now on.",
	      VALUE(region, "region", "The region."), VALUE(place, "version index", "The version."),
	      VALUE(time, "logical time", "Creation time of the version.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_RECYCLE, "recycle", "A version is free again.",
	      VALUE(region, "region", "The region."),
	      VALUE(place, "version index", "The version.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_ACQUIRE, "acquire",
	      "A transaction begins to read a version.", VALUE(region, "region", "The region."),
	      VALUE(place, "version index", "The version."),
	      VALUE(references, "references", "Transactions that read the version now."),
	      VALUE(address, "byte address", "The address that the transaction has asked for.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_RELEASE, "release",
	      "A transaction no longer reads a version.", VALUE(region, "region", "The region."),
	      VALUE(place, "version index", "The version."),
	      VALUE(references, "references", "Transactions that read the version now.")),
	EVENT(GPUTM_VERSION_TABLE_EVENT_RESTART, "restart",
	      "Only the newest version of each region is left.",
	      VALUE(time, "logical time", "New creation time of these versions.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_version_table *t = (void *)unit;

	t->address_max = gputm__low_mask(t->config.address_bits);
	t->time_max = gputm__low_mask(t->config.time_bits);
	t->stamp_max = gputm__low_mask(t->config.stamp_bits) - 1;
	t->region = gputm__own(unit, t->config.regions, sizeof(*t->region));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_version_table *t = (void *)unit;

	memset(t->start, 0xff, sizeof(t->start));
	memset(t->region, 0, t->config.regions * sizeof(*t->region));
	t->regions = 0;
	t->references = 0;
}

static void io_version(struct gputm_version_table *t, struct gputm__version *v,
		       struct gputm__io *io)
{
	gputm__io_u32_max(io, &v->state, GPUTM__FREE, "state of a version");
	gputm__io_u64_max(io, &v->created, t->time_max, "creation time");
	gputm__io_u64_max(io, &v->stamp, t->stamp_max, "stamp of a version");
	gputm__io_u32_max(io, &v->references, (uint32_t)gputm__low_mask(t->config.reference_bits),
			  "references");
	gputm__io_u32(io, &v->sharers);
	if (!io->error && (!v->state || (v->state != GPUTM__READABLE && v->sharers)))
		gputm__io_fail(io, -EINVAL, "a version has no state, or readers it cannot have");
}

/* Sort the readable versions of a loaded region, from old to new. */
static void sort_versions(struct gputm_version_table *t, struct gputm__region *r,
			  struct gputm__io *io)
{
	for (uint32_t n = 0; n < t->config.versions; n++) {
		uint32_t oldest = GPUTM__VERSIONS;

		for (uint32_t i = 0; i < t->config.versions; i++)
			if (r->version[i].state == GPUTM__READABLE &&
			    (!r->readable || r->version[i].created > r->created[0]) &&
			    (oldest == GPUTM__VERSIONS ||
			     r->version[i].created < r->version[oldest].created))
				oldest = i;
		if (oldest < GPUTM__VERSIONS)
			gputm__region_push(t, r, oldest, r->version[oldest].created);
	}
	if (!r->readable)
		gputm__io_fail(io, -EINVAL, "V1: a region has no readable version");
}

static void io_region(struct gputm_version_table *t, struct gputm__region *r, struct gputm__io *io)
{
	gputm__io_u64(io, &r->start);
	gputm__io_u64(io, &r->length);
	gputm__io_u64(io, &r->relocated);
	if (gputm__io_reading(io) && !io->error) {
		gputm__region_start(r, r->start, r->length, r->relocated);
		if (gputm__region_shape(t, r))
			gputm__io_fail(io, -EINVAL, "V5: a region is impossible");
	}
	for (uint32_t i = 0; i < t->config.versions && !io->error; i++) {
		io_version(t, &r->version[i], io);
		if (r->version[i].state == GPUTM__COPYING || r->version[i].state == GPUTM__WRITABLE)
			r->open = i;
	}
	if (gputm__io_reading(io) && !io->error)
		sort_versions(t, r, io);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_version_table *t = (void *)unit;
	uint32_t regions = t->regions;
	uint64_t references = 0;

	gputm__io_u32_max(io, &regions, t->config.regions, "regions");
	for (uint32_t i = 0; i < regions && !io->error; i++) {
		io_region(t, &t->region[i], io);
		if (gputm__io_reading(io) && !io->error)
			gputm__region_insert(t);
		for (uint32_t k = 0; k < GPUTM__VERSIONS; k++)
			references += t->region[i].version[k].references;
	}
	t->references = references;
}

static const char *check_region(const struct gputm_version_table *t, const struct gputm__region *r)
{
	if (!r->readable || r->readable != gputm__region_in_state(t, r, GPUTM__READABLE) ||
	    r->number[r->readable] != GPUTM__NO_VERSION)
		return "V1: the list of readable versions holds a version of another region";
	for (uint32_t i = 0; i < r->readable; i++) {
		const struct gputm__version *v = &r->version[r->number[i]];

		if (v->state != GPUTM__READABLE || v->created != r->created[i] ||
		    (i && r->created[i] >= r->created[i - 1]))
			return "V1: readable versions are not in the order of their times";
	}
	if (gputm__region_in_state(t, r, GPUTM__COPYING) +
		    gputm__region_in_state(t, r, GPUTM__WRITABLE) !=
	    (r->open < GPUTM__VERSIONS))
		return "V2: two versions of a region are being copied or written";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_version_table *t = (const void *)unit;
	uint64_t references = 0;

	for (uint32_t i = 0; i < t->regions; i++) {
		const struct gputm__region *r = &t->region[i];
		const char *wrong = check_region(t, r);

		if (wrong)
			return wrong;
		for (uint32_t k = 0; k < GPUTM__VERSIONS; k++) {
			if (r->version[k].sharers && r->version[k].state != GPUTM__READABLE)
				return "V3: a version that is not readable has references";
			if (r->version[k].references > r->version[k].sharers)
				return "V4: a version has more references than were taken";
			references += r->version[k].references;
		}
	}
	if (references != t->references)
		return "V4: references differ from the sum over the versions";
	return t->sharers.samples == t->recycled + t->invalidated
		       ? NULL
		       : "V4: samples of sharers is not recycled + invalidated";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_version_table_config *c = gputm_unit_config(unit);
	uint64_t word = c->address_bits - 2;

	gputm__array(out, "regions", c->regions,
		     2 * word + 5 + (uint64_t)c->versions * c->time_bits, 1);
	gputm__array_apart(out, "references", c->regions, (uint64_t)c->versions * c->reference_bits,
			   1);
	gputm__array_apart(out, "states", c->regions, (uint64_t)c->versions * 2, 1);
	gputm__array_apart(out, "stamps", c->regions, (uint64_t)c->versions * c->stamp_bits, 1);
	gputm__array_apart(out, "exact lengths", c->regions, word - 5, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_version_table *t = (const void *)unit;
	uint64_t readable = 0, open = 0;

	for (uint32_t i = 0; i < t->regions; i++) {
		const struct gputm__region *r = &t->region[i];

		readable += r->readable;
		open += r->open < GPUTM__VERSIONS;
	}
	gputm__law(laws, t->acquired, t->released + t->references,
		   "V4: acquired is not released + references");
	gputm__law(laws, t->copies, t->sealed + t->dropped + open,
		   "V4: copies is not sealed + dropped + in progress");
	gputm__law(laws, t->regions + t->sealed, t->recycled + t->invalidated + readable,
		   "V4: regions + sealed is not recycled + invalidated + readable");
}

GPUTM__UNIT(version_table, .version = 1, .setup = setup, .laws = laws)
