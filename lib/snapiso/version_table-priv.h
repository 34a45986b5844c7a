/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_SNAPISO_VERSION_TABLE_PRIV_H
#define GPUTM_LIB_SNAPISO_VERSION_TABLE_PRIV_H
/* What the files of the version table share; the essay is in version_table.c. */
#include "gputm/version_table.h"
#include "lib/base/unit.h"

#define GPUTM__REGIONS 64
#define GPUTM__NO_VERSION 255

#define GPUTM__VERSIONS GPUTM_VERSION_TABLE_VERSIONS_MAX

/* As enum gputm_version_table_state. */
enum { GPUTM__COPYING = 1, GPUTM__WRITABLE, GPUTM__READABLE, GPUTM__FREE };

struct gputm__version {
	uint64_t created, stamp;
	uint32_t references, state;
	uint32_t sharers; /* references ever taken */
};

struct gputm__region {
	uint64_t start, length, relocated;
	uint32_t shift;	   /* of the stride */
	uint32_t readable; /* versions */
	uint32_t open;	   /* the version that is copied or writable, or VERSIONS */
	/* Of readable versions, newest first; 0 and NO_VERSION end them. */
	uint64_t created[GPUTM__VERSIONS + 1];
	uint8_t number[GPUTM__VERSIONS + 1];
	struct gputm__version version[GPUTM__VERSIONS];
};

struct gputm_version_table {
	struct gputm_unit unit;
	struct gputm_version_table_config config;
	struct gputm__region *region;	/* [config.regions] */
	uint64_t start[GPUTM__REGIONS]; /* ascending; unused ones are all ones */
	uint64_t reach[GPUTM__REGIONS]; /* last byte of a version of a region up to this start */
	uint8_t order[GPUTM__REGIONS];	/* region of each start */
	uint32_t regions;
	uint64_t address_max, time_max, stamp_max;

	uint64_t references;
	uint64_t acquired, released, stale, copies, sealed, dropped, recycled, invalidated, waits;
	uint64_t readable_max;
	struct gputm__histogram sharers;
};

/* Address of a version. */
static inline uint64_t gputm__region_version(const struct gputm__region *r, uint32_t version)
{
	return r->start + ((uint64_t)version << r->shift);
}

/* Versions of a region in this state. */
static inline uint32_t gputm__region_in_state(const struct gputm_version_table *t,
					      const struct gputm__region *r, uint32_t state)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->config.versions; i++)
		count += r->version[i].state == state;
	return count;
}

/* A region without versions. */
void gputm__region_start(struct gputm__region *r, uint64_t start, uint64_t length,
			 uint64_t relocated);
/* Check start, length and place of a region; sets its stride. */
int gputm__region_shape(const struct gputm_version_table *t, struct gputm__region *r);
/* Insert the last region into the sorted starts. */
void gputm__region_insert(struct gputm_version_table *t);
/* A version becomes readable, the newest of its region. */
void gputm__region_push(struct gputm_version_table *t, struct gputm__region *r, uint32_t version,
			uint64_t now);

#endif /* GPUTM_LIB_SNAPISO_VERSION_TABLE_PRIV_H */
