/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_SEQUENTIAL_RESOLVER_H
#define GPUTM_SEQUENTIAL_RESOLVER_H

/**
 * @file
 * Sequential resolver of a SIMT core: sequential resolution of the conflicts within a warp
 * with a Bloom filter, SCR (Fung's thesis, 6.3.2). The lanes go one after the other: a lane
 * whose reads or writes may be in the filter aborts, else its writes join the filter.
 *
 * The same acquire, resolve, result and release as the ownership tables
 * (gputm/ownership_table.h) over the same structs: a caller can swap one for the other. SCR
 * compares a lane with the survivors below it only, so it aborts fewer lanes than 2PCR, and
 * it takes a walk of the logs for each lane.
 *
 * What holds for the survivors: run one after the other in lane order they read what they
 * have read before any of them wrote. The lowest active lane always survives.
 *
 * Timing, in cycles of the engine that walks the logs:
 *   acquire                   filter_bits / (8 x access_bytes), rounded up
 *   a lane is checked         log_cycles for each row of both logs, and hashes for each of its
 *                             addresses (match_cycles); the first active lane is not
 *   a lane joins the filter   log_cycles for each write row, and hashes for each of its
 *                             writes (construct_cycles)
 *   release                   0
 */

#include <gputm/base.h>
#include <gputm/ownership_table.h>

GPUTM_BEGIN_DECLS

/** The resolver of one core. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_sequential_resolver;

/** Geometry; fields are only ever appended. Ranges: gputm_sequential_resolver_params(). */
struct gputm_sequential_resolver_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Bits of a filter (power of two, 8..32768). */
	uint32_t filter_bits;
	/** Sub-arrays of a filter, each with a hash of its own (power of two, 1..8). */
	uint32_t hashes;
	/** Bytes of a region (power of two, 1..2^16). */
	uint32_t granularity;
	/** Whether the filter never errs. */
	bool exact;
	/** Filters of a core: warps that may resolve at a time (1..64). */
	uint32_t buffers;
	/** Width of a byte address, bits (8..64). */
	uint32_t address_bits;
	/** Bytes that one access clears (power of two, 1..4096). */
	uint32_t access_bytes;
	/** Cycles to read a log row (0..1024). */
	uint32_t log_cycles;
	/** Seed of the H3 rows. */
	uint64_t seed;
};
/* begin INIT */
#define GPUTM_SEQUENTIAL_RESOLVER_CONFIG_INIT \
	{ sizeof(struct gputm_sequential_resolver_config), \
	  /* lanes */ 32, /* filter_bits */ 4096, /* hashes */ 4, /* granularity */ 4, \
	  /* exact */ false, /* buffers */ 3, /* address_bits */ 32, /* access_bytes */ 128, \
	  /* log_cycles */ 1, /* seed */ 1u }
/* end INIT */

/** What becomes of a lane. */
enum gputm_sequential_resolver_result {
	GPUTM_SEQUENTIAL_RESOLVER_SURVIVES = 0,
	GPUTM_SEQUENTIAL_RESOLVER_ABORTS = 1, /**< it may conflict with a survivor below it */
};

/** Events; gputm_sequential_resolver(3) says what each tells. */
enum gputm_sequential_resolver_event {
	GPUTM_SEQUENTIAL_RESOLVER_EVENT_ACQUIRE = 0,
	GPUTM_SEQUENTIAL_RESOLVER_EVENT_LANE = 1,
	GPUTM_SEQUENTIAL_RESOLVER_EVENT_RELEASE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_sequential_resolver_params(void);

/**
 * Set @p config to a preset: "warptm" (a Bloom filter), "exact" (one that never errs).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_config_preset(struct gputm_sequential_resolver_config *config,
					const char *name);

/**
 * Make the resolver of a core, all buffers free.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a field
 * newer than this library; -ENOMEM. Free it with gputm_sequential_resolver_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_new(struct gputm_ctx *ctx,
			      const struct gputm_sequential_resolver_config *config,
			      struct gputm_sequential_resolver **out);
/** Free a resolver; NULL allowed. */
GPUTM_API void gputm_sequential_resolver_free(struct gputm_sequential_resolver *resolver);
/** @return the common face; lives as long as @p resolver. */
GPUTM_API struct gputm_unit *
gputm_sequential_resolver_unit(struct gputm_sequential_resolver *resolver);

/**
 * Take the lowest free buffer for a warp and clear its filter.
 * @param active lanes whose transactions are to be resolved; entries of others are ignored.
 * @param buffer set to the number of the buffer, if acquired.
 * @return enum gputm_resolver_result; -ERANGE, a lane beyond lanes.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_acquire(struct gputm_sequential_resolver *resolver, uint64_t active,
				  uint32_t *buffer);
/** @return what gputm_sequential_resolver_acquire() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_acquire_probe(const struct gputm_sequential_resolver *resolver,
					uint64_t active);

/**
 * All active lanes, in ascending order. The buffer stays acquired, until the caller's clock
 * has passed the cycles of @p out.
 * @return 0; -EINVAL, the buffer is not acquired or lanes of it were resolved already;
 * -ERANGE, there is no such buffer, or a row with a lane beyond lanes or an address
 * beyond address_bits; -ENOMEM (exact only).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_resolve(struct gputm_sequential_resolver *resolver, uint32_t buffer,
				  const struct gputm_resolver_logs *logs,
				  struct gputm_resolver_outcome *out);

/**
 * One lane: check it, and let its writes join the filter if it survives.
 * @param lane active, and above those resolved before.
 * @return enum gputm_sequential_resolver_result; -EINVAL, the buffer is not acquired, or
 * @p lane is not active or not above the others; -ERANGE and -ENOMEM as
 * gputm_sequential_resolver_resolve().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_resolve_lane(struct gputm_sequential_resolver *resolver, uint32_t buffer,
				       const struct gputm_resolver_logs *logs, uint32_t lane);

/**
 * What has come of a warp so far; a lane not yet resolved is neither survivor nor aborted.
 * @return 0; -EINVAL, the buffer is not acquired; -ERANGE, there is no such buffer.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_get_result(const struct gputm_sequential_resolver *resolver,
				     uint32_t buffer, struct gputm_resolver_outcome *out);

/** Give a buffer back. @return 0; -EINVAL, it is not acquired; -ERANGE, there is no such buffer. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_sequential_resolver_release(struct gputm_sequential_resolver *resolver, uint32_t buffer);

GPUTM_END_DECLS
#endif /* GPUTM_SEQUENTIAL_RESOLVER_H */
