/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_VALIDATION_UNIT_H
#define GPUTM_VALIDATION_UNIT_H
#include <gputm/base.h>
#include <gputm/metadata_table.h>
#include <gputm/stall_buffer.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Validation unit of a memory partition (GETM, HPCA 2018, IV and V-B, Fig. 6): finds
 * conflicts when they happen. It holds every transactional load and store against the stamps
 * and reservations of its granule and lets it pass, aborts it, or lets it wait.
 *
 * A stamp is the pair (logical time, warp), so that no two warps have equal ones. In the
 * paper's times, which are what is reported, wts is one more than the time of the last write
 * and 0 when there was none.
 *
 * Underneath is a synchronous core: access(), retry(), release(). Around it a clocked face:
 * push(), tick(), peek(), pop(). Use one or the other for accesses; release() is for both.
 *
 * Timing, in cycles of the unit (1400 MHz in the paper's machine):
 *
 *  event                                             cycles                  test
 *  an access whose granule has an entry in the table 1                       test_timing_access
 *  an access that makes an entry                     1 + the insertion's     test_timing_access
 *  an entry in the overflow                          1 + memory, per entry   test_timing_access
 *  its answer is at the output port after            that many ticks         test_timing_access
 *  a release                                         0 + memory; its own port
 *  a request aborted for a rollover                  1                       test_rollover_ring
 *  a message of the ring                             0
 * Waiting accesses that were woken go before new ones.
 */

/** One unit. Single owner. */
struct gputm_validation_unit;

/** Geometry. Ranges: gputm_validation_unit_params(). */
struct gputm_validation_unit_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Compare times only, as in the paper; not serialisable. */
	bool paper_order;
	/** Width of a logical time, bits (4..48). */
	uint32_t time_bits;
	/** Width of a warp's number, GPU-wide, bits (1..16). */
	uint32_t warp_bits;
	/** Bits of an attempt's number; 2^bits must exceed a warp's unreleased attempts (1..16). */
	uint32_t sequence_bits;
	/** Distance from the largest time at which a rollover begins (0..2^47). */
	uint64_t margin;
	/** Number of the unit in the ring (0..1023). */
	uint32_t id;
	/** Units of the ring (1..1024). */
	uint32_t units;
	/** Requests that the input port holds (1..4096). */
	uint32_t input;
	/** Answers that the output port holds (1..4096). */
	uint32_t output;
	/** Lines of the stall buffer (1..1024). */
	uint32_t stall_lines;
	/** Requests of a line of it (1..1024). */
	uint32_t stall_requests;
	/** Banks of the metadata table (1..8). */
	uint32_t ways;
	/** Entries of a way of the metadata table (power of two, 1..2^20). */
	uint32_t entries;
	/** Entries of the stash; 0 for none (0..64). */
	uint32_t stash;
	/** Bytes of a granule (power of two, 4..4096). */
	uint32_t granularity;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
	/** Width of the number of writes, bits (1..32). */
	uint32_t count_bits;
	/** Swaps of an insertion, at most (0..1024). */
	uint32_t longest_chain;
	/** Percent of the ways in use below which an entry is displaced, not evicted (0..100). */
	uint32_t evict_above;
	/** Where stamps of granules without an entry are kept (enum
	 * gputm_metadata_table_approximate). */
	uint32_t approximate;
	/** Sub-arrays of the filter (1..8). */
	uint32_t filter_ways;
	/** Pairs of stamps of a sub-array (power of two, 1..2^20). */
	uint32_t filter_entries;
	/** Cycles to visit one overflow entry, or to write one (0..100000). */
	uint32_t memory_latency;
	/** Seed of the hash rows. */
	uint64_t seed;
	const uint32_t *table_rows;  /**< of the metadata table's hashes; NULL: the seed */
	const uint32_t *filter_rows; /**< of its filter's; NULL: the seed */
	/** Cycles that an access, or a release, takes beyond its first (0..100). */
	uint64_t access_delay;
	/** 1: an abort reports the highest time of the unit, not the granule's. */
	bool report_highest;
};
/* begin INIT */
#define GPUTM_VALIDATION_UNIT_CONFIG_INIT \
	{ sizeof(struct gputm_validation_unit_config), \
	  /* paper_order */ false, /* time_bits */ 32, /* warp_bits */ 10, /* sequence_bits */ 12, \
	  /* margin */ 1024u, /* id */ 0, /* units */ 1, /* input */ 8, /* output */ 8, \
	  /* stall_lines */ 4, /* stall_requests */ 4, /* ways */ 4, /* entries */ 256, \
	  /* stash */ 4, /* granularity */ 32, /* address_bits */ 32, /* count_bits */ 16, \
	  /* longest_chain */ 32, /* evict_above */ 0, /* approximate: filter */ 0, \
	  /* filter_ways */ 4, /* filter_entries */ 64, /* memory_latency */ 115, /* seed */ 1u, \
	  NULL, NULL, /* access_delay */ 0u, /* report_highest */ false }
/* end INIT */

/** A transactional access. */
struct gputm_validation_unit_request {
	uint64_t tag;	   /**< the caller's; comes back with the answer */
	uint64_t address;  /**< bytes */
	uint64_t time;	   /**< warpts of the attempt, at most 2^time_bits - 2 */
	/** Number of the warp's attempt, a new one for each attempt. Only the low sequence_bits
	 * count: the number may grow for ever. */
	uint64_t sequence;
	uint32_t warp;	   /**< GPU-wide */
	bool write;
};

/** What becomes of an access. */
enum gputm_validation_unit_result {
	GPUTM_VALIDATION_UNIT_OK = 0,
	GPUTM_VALIDATION_UNIT_ABORT = 1,
	GPUTM_VALIDATION_UNIT_STALLED = 2, /**< it waits; retry() answers it */
	GPUTM_VALIDATION_UNIT_NONE = 3,	   /**< retry(): no woken access */
};

/** Why an access is aborted; GPUTM_VALIDATION_UNIT_REASON_GRANTED if it is not. */
enum gputm_validation_unit_reason {
	GPUTM_VALIDATION_UNIT_REASON_GRANTED = 0,
	GPUTM_VALIDATION_UNIT_REASON_LOAD_WTS = 1,  /**< a load met a younger write */
	GPUTM_VALIDATION_UNIT_REASON_STORE_WTS = 2, /**< a store met a younger write */
	GPUTM_VALIDATION_UNIT_REASON_STORE_RTS = 3, /**< a store met a younger read only */
	GPUTM_VALIDATION_UNIT_REASON_BUFFER = 4,    /**< the stall buffer is full */
	/** The number of writes is at its largest. With count_bits = 1 a transaction that writes a
	 * granule twice never commits. */
	GPUTM_VALIDATION_UNIT_REASON_COUNT = 5,
	GPUTM_VALIDATION_UNIT_REASON_ROLLOVER = 6, /**< the unit has stopped for a rollover */
};

/** An answer. */
struct gputm_validation_unit_answer {
	uint64_t tag;	 /**< of the request */
	uint64_t time;	 /**< of an abort: to be reported to the warp's clock */
	uint32_t result; /**< OK, ABORT or (from access and retry) STALLED */
	uint32_t reason; /**< enum gputm_validation_unit_reason */
	uint32_t cycles; /**< of the last access to the metadata */
};

/** Metadata of a granule in the paper's times. */
struct gputm_validation_unit_granule {
	uint64_t wts, rts; /**< 0: never */
	uint32_t writes;
	uint32_t owner;	   /**< warp; of no meaning when writes is 0 */
};

/** Answers of gputm_validation_unit_push(). */
enum gputm_validation_unit_push_result {
	GPUTM_VALIDATION_UNIT_ACCEPTED = 0,
	GPUTM_VALIDATION_UNIT_PORT_FULL = 1, /**< push it again after a tick */
};

/** Where a unit stands in a rollover. */
enum gputm_validation_unit_state {
	GPUTM_VALIDATION_UNIT_STATE_RUNNING = 0,
	/** it answers every access with an abort */
	GPUTM_VALIDATION_UNIT_STATE_STOPPED = 1,
	/** stopped, and its stop went round the ring: the unit leads */
	GPUTM_VALIDATION_UNIT_STATE_ALL_STOPPED = 2,
	/** it rolls over when nothing is left in it */
	GPUTM_VALIDATION_UNIT_STATE_ROLLING = 3,
};

/** A message of the ring. */
struct gputm_validation_unit_message {
	uint32_t go;   /**< 0: stop; 1: roll over and go on */
	uint32_t from; /**< the unit that leads */
};

/** Events; gputm_validation_unit(3) says what each tells. */
enum gputm_validation_unit_event {
	GPUTM_VALIDATION_UNIT_EVENT_ANSWER = 0,
	GPUTM_VALIDATION_UNIT_EVENT_RELEASE = 1,
	GPUTM_VALIDATION_UNIT_EVENT_STATE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_validation_unit_params(void);
/** Fill @p config from a preset: "getm-128", "getm-256", "paper-order", "getm-gpu". There is no
 * "getm": the paper's 4096 entries do not divide by its 6 partitions. @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_config_preset(struct gputm_validation_unit_config *config, const char *name);
/** Make a unit without metadata. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_new(struct gputm_ctx *ctx, const struct gputm_validation_unit_config *config,
			  struct gputm_validation_unit **out);
/** Free a unit; NULL allowed. */
GPUTM_API void gputm_validation_unit_free(struct gputm_validation_unit *unit);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_validation_unit_unit(struct gputm_validation_unit *unit);
/** @return the common face of the metadata table inside, for its statistics. */
GPUTM_API struct gputm_unit *gputm_validation_unit_table(struct gputm_validation_unit *unit);
/** @return the common face of the stall buffer inside, for its statistics. */
GPUTM_API struct gputm_unit *gputm_validation_unit_buffer(struct gputm_validation_unit *unit);

/* ---- synchronous core ---- */

/**
 * One access, at once: the owner check, then stamps, then the reservation (Fig. 6). An access
 * of the warp whose reservation belongs to the same attempt passes; one to a granule that the
 * warp still owns through an earlier attempt waits like anybody's.
 * @param answer set unless the access is refused.
 * @return enum gputm_validation_unit_result; -ERANGE, an address, warp or time is too wide;
 * -ENOMEM. Nothing has changed then.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_access(struct gputm_validation_unit *unit,
			     const struct gputm_validation_unit_request *request,
			     struct gputm_validation_unit_answer *answer);
/** @return what gputm_validation_unit_access() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_access_probe(const struct gputm_validation_unit *unit,
				   const struct gputm_validation_unit_request *request);
/** The next woken access tries again. @return as access(); GPUTM_VALIDATION_UNIT_NONE; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_retry(struct gputm_validation_unit *unit,
			    struct gputm_validation_unit_answer *answer);
/**
 * Release reserved writes of an attempt, when they are written or it has aborted; the last
 * one wakes the oldest access that waits for the granule. Works in every state.
 * @param sequence of the attempt; the low sequence_bits count.
 * @param left set to the reserved writes left of the granule; NULL allowed.
 * @return 0; -EINVAL, the attempt has not so many reserved; -ERANGE; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_validation_unit_release(struct gputm_validation_unit *unit,
							     uint64_t address, uint32_t warp,
							     uint64_t sequence, uint32_t count,
							     uint32_t *left);
/** Metadata of a granule, exact or estimated. @return 0; -ERANGE. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_get_granule(const struct gputm_validation_unit *unit, uint64_t address,
				  struct gputm_validation_unit_granule *out);

/* ---- clocked face ---- */

/** Hand in an access. @return enum gputm_validation_unit_push_result; -ERANGE as access(). */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_push(struct gputm_validation_unit *unit,
			   const struct gputm_validation_unit_request *request);
/** @return what gputm_validation_unit_push() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_push_probe(const struct gputm_validation_unit *unit,
				 const struct gputm_validation_unit_request *request);
/** What there is to take after a tick, or'd together. */
enum gputm_validation_unit_offer {
	GPUTM_VALIDATION_UNIT_OFFER_ANSWER = 1,	 /**< answers */
	GPUTM_VALIDATION_UNIT_OFFER_MESSAGE = 2, /**< messages for the ring */
};
/**
 * One cycle. @return enum gputm_validation_unit_offer; -ENOMEM, no memory for the overflow: the
 * tick has not happened.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_validation_unit_tick(struct gputm_validation_unit *unit);
/** @return how many ticks from now on change nothing but counts of cycles; UINT64_MAX: all. */
GPUTM_API uint64_t gputm_validation_unit_next_event(const struct gputm_validation_unit *unit);
/**
 * Does what @p cycles ticks do; costs less. @return what the last tick would, or the tick that
 * failed.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_validation_unit_advance(struct gputm_validation_unit *unit,
							     uint64_t cycles);
/** Give the oldest answer. @return 1; 0, there is none. */
GPUTM_API int gputm_validation_unit_peek(const struct gputm_validation_unit *unit,
					 struct gputm_validation_unit_answer *out);
/**
 * @return whether the oldest answer is an abort by stamps that the filter (or the registers)
 * estimates, as the metadata table has lost the granule: perhaps a false conflict. Statistic:
 * abort_estimated.
 */
GPUTM_API bool gputm_validation_unit_estimated(const struct gputm_validation_unit *unit);
/** Drop the oldest answer. @return 1; 0, there was none. */
GPUTM_API int gputm_validation_unit_pop(struct gputm_validation_unit *unit);
/** @return accesses handed in and not answered: in the input port, at work, waiting, woken. */
GPUTM_API uint64_t gputm_validation_unit_pending(const struct gputm_validation_unit *unit);
/** @return reserved writes of all granules. */
GPUTM_API uint64_t gputm_validation_unit_writes(const struct gputm_validation_unit *unit);

/* ---- rollover ---- */

/**
 * Begin a rollover: stop, and send a stop round the ring. An access within margin of the
 * largest time does this by itself. No effect unless running.
 */
GPUTM_API void gputm_validation_unit_rollover(struct gputm_validation_unit *unit);
/**
 * A message from the unit before this one. The unit's own go is taken whenever the unit runs, and
 * changes nothing: the unit that led runs on before its go has come round, and does not note that
 * one is under way. Cores issue again only then, as a unit that has stopped refuses its own go.
 * @return 0; -EINVAL, no such message can come.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_ring_push(struct gputm_validation_unit *unit,
				const struct gputm_validation_unit_message *message);
/** Give the oldest message for the unit after this one. @return 1; 0, there is none. */
GPUTM_API int gputm_validation_unit_ring_peek(const struct gputm_validation_unit *unit,
					      struct gputm_validation_unit_message *out);
/** Drop the oldest message. @return 1; 0, there was none. */
GPUTM_API int gputm_validation_unit_ring_pop(struct gputm_validation_unit *unit);
/**
 * To the unit that is ALL_STOPPED: every core has aborted what ran, sent its clean-up and
 * set its clocks to 0. Each unit in turn waits until its reservations are released, forgets all
 * stamps and goes on. @return 0; -EINVAL, the unit is not ALL_STOPPED.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_validation_unit_rollover_go(struct gputm_validation_unit *unit);
/** @return where the unit stands. */
GPUTM_API enum gputm_validation_unit_state
gputm_validation_unit_current_state(const struct gputm_validation_unit *unit);

GPUTM_END_DECLS
#endif /* GPUTM_VALIDATION_UNIT_H */
