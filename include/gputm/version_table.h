/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_VERSION_TABLE_H
#define GPUTM_VERSION_TABLE_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Version index table (snapshot isolation on GPU HTM, ISCA 2017, 3 and Fig. 4 to 6): which
 * regions of memory have versions, where these lie, when they were created and how many
 * transactions read them.
 *
 * Version i of a region lies at start + i x stride, where stride is the larger of
 * 2^row_shift and the length rounded up to a power of two. What it occupies there, other than
 * version 0, is found at the relocated address, packed: relocated + (i - 1) x length.
 *
 * A region is named by the number that gputm_version_table_add_region() gives it.
 *
 * Timing, in cycles of the unit: 1 for any call; seal 1 for each region.
 */

/** One table. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_version_table;

/** Geometry; fields are only ever appended. */
struct gputm_version_table_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Regions that can have versions (1..64). */
	uint32_t regions;
	/** Versions of a region (2..16). */
	uint32_t versions;
	/** Lowest address bit of the row number (8..40). */
	uint32_t row_shift;
	/** Width of a creation time, bits (8..48). */
	uint32_t time_bits;
	/** Width of a byte address, bits (16..48). */
	uint32_t address_bits;
	/** Width of a logical timestamp, bits (5..31). */
	uint32_t stamp_bits;
	/** Width of a reference count, bits (1..32). */
	uint32_t reference_bits;
	/** A plain access in a region means the address itself, not the newest version. */
	bool plain_as_given;
	/** Recycle a version only when a copy needs its place. */
	bool lazy;
};
/* begin INIT */
#define GPUTM_VERSION_TABLE_CONFIG_INIT \
	{ sizeof(struct gputm_version_table_config), \
	  /* regions */ 42, /* versions */ 8, /* row_shift */ 16, /* time_bits */ 16, \
	  /* address_bits */ 32, /* stamp_bits */ 24, /* reference_bits */ 11, \
	  /* plain_as_given */ false, /* lazy */ false }
/* end INIT */

/** Most versions of a region. */
#define GPUTM_VERSION_TABLE_VERSIONS_MAX 16

/** What the table may answer. */
enum gputm_version_table_result {
	GPUTM_VERSION_TABLE_OK = 0,
	GPUTM_VERSION_TABLE_PLAIN = 1,	  /**< the address is in no region */
	GPUTM_VERSION_TABLE_STALE = 2,	  /**< no version is as old: abort the transaction */
	GPUTM_VERSION_TABLE_WAIT = 3,	  /**< no version can be written, or no place is free */
	GPUTM_VERSION_TABLE_OVERFLOW = 4, /**< the time does not fit: abort all and restart */
	GPUTM_VERSION_TABLE_FULL = 5,	  /**< no entry for a region */
};

/** States of a version: FREE -begin_copy-> COPYING -> WRITABLE -seal-> READABLE -> FREE. */
enum gputm_version_table_state {
	GPUTM_VERSION_TABLE_STATE_COPYING = 1,	/**< S1: neither read nor written */
	GPUTM_VERSION_TABLE_STATE_WRITABLE = 2, /**< S2: commits write it */
	GPUTM_VERSION_TABLE_STATE_READABLE = 3, /**< S3: created, and read from now on */
	GPUTM_VERSION_TABLE_STATE_FREE = 4,	/**< S4: recycled or never used */
};

/** One version of a region. */
struct gputm_version_table_version {
	enum gputm_version_table_state state;
	uint64_t address;    /**< where it lies */
	uint64_t created;    /**< time, if readable */
	uint32_t references; /**< transactions that read it */
	uint64_t stamp;	     /**< largest logical timestamp committed into it */
};

/** Events; gputm_version_table(3) says what each tells. */
enum gputm_version_table_event {
	GPUTM_VERSION_TABLE_EVENT_BEGIN_COPY = 0,
	GPUTM_VERSION_TABLE_EVENT_COMPLETE_COPY = 1,
	GPUTM_VERSION_TABLE_EVENT_SEAL = 2,
	GPUTM_VERSION_TABLE_EVENT_RECYCLE = 3,
	GPUTM_VERSION_TABLE_EVENT_ACQUIRE = 4,
	GPUTM_VERSION_TABLE_EVENT_RELEASE = 5,
	GPUTM_VERSION_TABLE_EVENT_RESTART = 6,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_version_table_params(void);

/**
 * Set @p config to a preset: "isca-2017" (4.3: 42 regions of 193 bits in 1 kB).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_config_preset(struct gputm_version_table_config *config, const char *name);

/**
 * Make a table without regions.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of its range; -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_new(struct gputm_ctx *ctx, const struct gputm_version_table_config *config,
			struct gputm_version_table **out);
/** Free a table; NULL allowed. */
GPUTM_API void gputm_version_table_free(struct gputm_version_table *table);
/** @return its common face; lives as long as @p table. */
GPUTM_API struct gputm_unit *gputm_version_table_unit(struct gputm_version_table *table);

/**
 * Add a region whose version 0 is readable and created at @p now.
 * @param relocated start of (versions - 1) x length bytes for what the versions occupy.
 * @param region its number: 0, 1, ... in the order of addition.
 * @return OK, FULL or OVERFLOW; -EINVAL, @p length is 0, or one of its versions or its
 * relocated bytes overlap another or those of another region; -ERANGE, they end beyond
 * address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_add_region(struct gputm_version_table *table, uint64_t start, uint64_t length,
			       uint64_t relocated, uint64_t now, uint32_t *region);

/**
 * Where a transaction that started at @p time reads @p address: in the latest readable version
 * created at or before that.
 * @param physical set for OK, and for PLAIN as by gputm_version_table_resolve_plain().
 * @return OK, PLAIN or STALE; -ERANGE, address too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_resolve(const struct gputm_version_table *table, uint64_t address,
			    uint64_t time, uint64_t *physical);

/**
 * Where a commit writes @p address: in the writable version of its region.
 * @return OK, PLAIN (@p physical as below) or WAIT; -ERANGE, address too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_resolve_write(const struct gputm_version_table *table, uint64_t address,
				  uint64_t *physical);

/**
 * Where a plain access to @p address goes: bytes that versions occupy are relocated; within
 * a region it means the newest readable version, or with plain_as_given the address itself.
 * @return 0; -ERANGE, address too large.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_resolve_plain(const struct gputm_version_table *table, uint64_t address,
				  uint64_t *physical);

/**
 * Take a reference for the first read of a region by a transaction; asked first, resolve
 * gives the same answer and changes nothing.
 * @param region, version what to release when the transaction ends; set for OK.
 * @return OK, PLAIN or STALE; -ERANGE, address too large or no room in the count.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_acquire(struct gputm_version_table *table, uint64_t address, uint64_t time,
			    uint32_t *region, uint32_t *version);
/**
 * Give a reference back. The last one of the oldest version recycles it, unless it is the
 * only readable one, or with lazy.
 * @return 0; -EINVAL, it has no reference; -ERANGE, no such region or version.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_version_table_release(struct gputm_version_table *table,
							   uint32_t region, uint32_t version);

/**
 * Take a free place for the next version; if there is none, that of the oldest version if
 * nobody reads it and it is not the newest.
 * @param from, to the newest readable version, and the one to copy it to; set for OK.
 * @return OK or WAIT; -EINVAL, a version is being copied or written; -ERANGE, no such region.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_begin_copy(struct gputm_version_table *table, uint32_t region, uint32_t *from,
			       uint32_t *to);
/** @return what gputm_version_table_begin_copy() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_begin_copy_probe(const struct gputm_version_table *table, uint32_t region);
/** The copy is complete. @return 0; -EINVAL, there is none; -ERANGE, no such region. */
GPUTM_API GPUTM_MUST_CHECK int gputm_version_table_complete_copy(struct gputm_version_table *table,
								 uint32_t region);
/**
 * A transaction with logical timestamp @p stamp commits into the writable version.
 * @return 0; -EINVAL, there is none; -ERANGE, no such region, or stamp too large.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_version_table_commit(struct gputm_version_table *table,
							  uint32_t region, uint64_t stamp);
/**
 * The writable versions of all regions in @p mask (bit i: region i) become readable, created
 * at @p now.
 * @return OK or OVERFLOW; -EINVAL, one has none, or @p now is not after the newest of one;
 * -ERANGE, no such region.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_version_table_seal(struct gputm_version_table *table,
							uint64_t mask, uint64_t now);

/**
 * @return the logical timestamp that a transaction starts with that starts at @p time: one
 * above the largest committed into what it can read, at least 1.
 */
GPUTM_API uint64_t gputm_version_table_start_stamp(const struct gputm_version_table *table,
						   uint64_t time);

/**
 * After an overflow of times or logical timestamps: of each region the newest readable
 * version stays, created at @p now, with stamp 0; all others are free.
 * @return 0; -EINVAL, a version has a reference: abort the transaction first; -ERANGE.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_version_table_restart(struct gputm_version_table *table,
							   uint64_t now);

/** Give a version of a region. @return 0; -ERANGE, no such region or version. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_version_table_get_version(const struct gputm_version_table *table, uint32_t region,
				uint32_t version, struct gputm_version_table_version *out);

GPUTM_END_DECLS
#endif /* GPUTM_VERSION_TABLE_H */
