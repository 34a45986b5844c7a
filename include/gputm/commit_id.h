/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_COMMIT_ID_H
#define GPUTM_COMMIT_ID_H

/**
 * @file
 * Commit ID vendor and credits: gputm_commit_id(3).
 *
 * The centralised unit that gives contiguous commit IDs (CIDs) to the transactions
 * of a warp, and the credits that bound how many CIDs are in flight. Source: Fung,
 * thesis 2015, section 4.2.5, "Commit Unit Resource Allocation".
 *
 * A credit is one CID's entry in the commit units of all memory partitions. A warp
 * takes all the credits it needs or none, then as many contiguous CIDs. The credit
 * of a CID comes back when every partition has reported that CID retired.
 *
 * CIDs are 64 bits wide and only grow; narrower hardware fields are the matter of
 * the units that store them.
 */
#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/** One vendor with its credit pools. Opaque; single owner. */
struct gputm_commit_id;

/** Who shares a pool of credits. */
enum gputm_commit_id_pools {
	GPUTM_COMMIT_ID_POOLS_SHARED = 0,   /**< one pool for all cores */
	GPUTM_COMMIT_ID_POOLS_PER_CORE = 1, /**< one pool per core, as in the thesis */
};

/** Geometry. */
struct gputm_commit_id_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** SIMT cores that commit (1..1024). */
	uint32_t cores;
	/** Memory partitions that report retirement (1..64). */
	uint32_t partitions;
	/** Commit entries in the ring of one partition (1..2^22). */
	uint32_t ring;
	/** Whether the cores share one pool of credits or have one each (enum
	 * gputm_commit_id_pools). */
	uint32_t pools;
	/** Credits in each pool; all pools together do not exceed ring (1..2^22). */
	uint32_t credits;
	/** Commit ID that is given out first (0..2^48). */
	uint64_t first_cid;
};
/* begin INIT */
#define GPUTM_COMMIT_ID_CONFIG_INIT \
	{ sizeof(struct gputm_commit_id_config), \
	  /* cores */ 15, /* partitions */ 6, /* ring */ 23040, /* pools: per_core */ 1, \
	  /* credits */ 1536, /* first_cid */ 1u }
/* end INIT */

/** Answers to a request for CIDs. */
enum gputm_commit_id_result {
	GPUTM_COMMIT_ID_OK = 0,	   /**< credits and CIDs taken */
	GPUTM_COMMIT_ID_SHORT = 1, /**< the core's pool holds fewer credits; ask again */
	/**
	 * The last CID would lie ring or more beyond the oldest one whose credit is still
	 * out; ask again. Reports to different cores have no order: the retirement of an old CID
	 * may come after those of many younger CIDs of other cores.
	 */
	GPUTM_COMMIT_ID_WINDOW = 2,
};

/** Events; gputm_commit_id(3) says what each tells. */
enum gputm_commit_id_event {
	GPUTM_COMMIT_ID_EVENT_ACQUIRE = 0,
	GPUTM_COMMIT_ID_EVENT_REFUSE = 1,
	GPUTM_COMMIT_ID_EVENT_RETURN = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_commit_id_params(void);

/**
 * Fill @p config with a preset: "kilo-tm" (thesis Table 4.4 and 4.4.4: 30 cores, 8 partitions,
 * 1920 entries), "warptm" (Table 6.1 and 6.3: 15 cores, 6 partitions, 1920 entries), "unbounded"
 * (the same with an entry for every resident lane). They go with the presets of these
 * names of gputm_commit_unit_config_preset().
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_id_config_preset(struct gputm_commit_id_config *config,
							     const char *name);

/**
 * Make a vendor with all credits in their pools.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of range or the pools exceed the ring; -E2BIG;
 * -ENOMEM. Free it with gputm_commit_id_free().
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_id_new(struct gputm_ctx *ctx,
						   const struct gputm_commit_id_config *config,
						   struct gputm_commit_id **out);
/** Free a vendor; NULL allowed. */
GPUTM_API void gputm_commit_id_free(struct gputm_commit_id *vendor);
/** @return the common face, alive as long as the handle. */
GPUTM_API struct gputm_unit *gputm_commit_id_unit(struct gputm_commit_id *vendor);

/**
 * Take @p count credits from the pool of @p core and @p count contiguous CIDs, or
 * nothing. Never blocks and never queues: a refused warp asks again.
 * Cost: 1 cycle, one request per cycle.
 * @param count CIDs, one per transaction of the warp; 1..64 and at most the credits of a pool.
 * @param first_cid set for GPUTM_COMMIT_ID_OK only.
 * @return enum gputm_commit_id_result; -ERANGE, no such core or a count that can never be given.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_id_acquire(struct gputm_commit_id *vendor,
						       uint32_t core, uint32_t count,
						       uint64_t *first_cid);
/** @return what gputm_commit_id_acquire() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_id_acquire_probe(const struct gputm_commit_id *vendor,
							     uint32_t core, uint32_t count);

/**
 * Take a partition's report that it has retired the CIDs @p first_cid ..
 * @p first_cid + @p count - 1, skip entries included. A CID that all partitions
 * have reported gives its credit back to the pool of its core. Reports of
 * different warps may arrive in any order.
 * @param returned NULL, or one number per core, to which the credits that come back
 * now are added.
 * @return the number of credits that came back, 0..count; -ERANGE, no such
 * partition, or a CID that is not in flight; -EINVAL, that partition has reported one
 * of them before, or count is 0.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_id_report_retired(struct gputm_commit_id *vendor,
							      uint32_t partition,
							      uint64_t first_cid, uint32_t count,
							      uint32_t *returned);

/** @return credits in the pool of @p core, 0 for a core that does not exist. */
GPUTM_API uint32_t gputm_commit_id_available(const struct gputm_commit_id *vendor, uint32_t core);
/** @return CIDs in flight: given out, credit not back yet. */
GPUTM_API uint32_t gputm_commit_id_in_flight(const struct gputm_commit_id *vendor);
/** @return the oldest CID in flight, or the next CID when none is. */
GPUTM_API uint64_t gputm_commit_id_oldest(const struct gputm_commit_id *vendor);
/** @return the CID that is given out next. */
GPUTM_API uint64_t gputm_commit_id_next_cid(const struct gputm_commit_id *vendor);

GPUTM_END_DECLS
#endif /* GPUTM_COMMIT_ID_H */
