/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_WARP_ACCESS_FILTER_H
#define GPUTM_WARP_ACCESS_FILTER_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Conflicts among the transactions of one warp, found at each access (GETM, HPCA 2018, V-A):
 * before an access leaves the core, it is held against what the other lanes of its warp
 * have read and written in this attempt, word by word. The accessing lane loses against an
 * earlier access; among the lanes of one instruction the lower lane wins. The validation
 * units know warps only, so this must answer before any message leaves.
 *
 * Timing: 1 cycle of the core for an access of all lanes; the answer holds in that cycle.
 */

/** The filter of a core. Single owner. */
struct gputm_warp_access_filter;

/** Geometry. Ranges: gputm_warp_access_filter_params(). */
struct gputm_warp_access_filter_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Warps of the core (1..1024). */
	uint32_t warps;
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Bytes that conflict as one (power of two, 1..4096). */
	uint32_t word_bytes;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
	/** Words of an attempt in the storage report; the filter holds any number (1..2^20). */
	uint32_t words;
};
/* begin INIT */
#define GPUTM_WARP_ACCESS_FILTER_CONFIG_INIT \
	{ sizeof(struct gputm_warp_access_filter_config), \
	  /* warps */ 48, /* lanes */ 32, /* word_bytes */ 4, /* address_bits */ 32, \
	  /* words */ 128 }
/* end INIT */

/** Events; gputm_warp_access_filter(3) says what each tells. */
enum gputm_warp_access_filter_event {
	GPUTM_WARP_ACCESS_FILTER_EVENT_ACCESS = 0,
	GPUTM_WARP_ACCESS_FILTER_EVENT_BEGIN = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_warp_access_filter_params(void);
/** Fill @p config from the preset "getm". @return 0; -EINVAL, no such preset. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_config_preset(struct gputm_warp_access_filter_config *config,
				       const char *name);
/** Make a filter in which no lane is in a transaction. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_new(struct gputm_ctx *ctx,
			     const struct gputm_warp_access_filter_config *config,
			     struct gputm_warp_access_filter **out);
/** Free a filter; NULL allowed. */
GPUTM_API void gputm_warp_access_filter_free(struct gputm_warp_access_filter *filter);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_warp_access_filter_unit(struct gputm_warp_access_filter *filter);

/**
 * An attempt of the warp begins with these lanes: all its earlier accesses are forgotten.
 * @param lanes bit per lane; 0 ends the last attempt.
 * @return 0; -ERANGE, no such warp or lane.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_begin(struct gputm_warp_access_filter *filter, uint32_t warp,
			       uint64_t lanes);

/**
 * One instruction of a warp. A load loses if another running lane has written the word, a
 * store also if another running lane has read it. Lanes that lose stop running: their accesses,
 * this one included, no longer count. They abort with a report of 0 (gputm_warp_clock_abort()).
 * @param lanes bit per lane that accesses; all of them running.
 * @param address per lane, bytes; read where lanes is set.
 * @param lost set to the lanes that lose.
 * @return 0; -ERANGE, no such warp or an address is too wide; -EINVAL, a lane is not running;
 * -ENOMEM. Nothing has changed then.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_access(struct gputm_warp_access_filter *filter, uint32_t warp, bool write,
				uint64_t lanes, const uint64_t *address, uint64_t *lost);
/**
 * @return what gputm_warp_access_filter_access() would, but for -ENOMEM, and gives the lanes;
 * changes nothing.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_access_probe(const struct gputm_warp_access_filter *filter, uint32_t warp,
				      bool write, uint64_t lanes, const uint64_t *address,
				      uint64_t *lost);

/** Lanes that a validation unit aborted stop running. @return 0; -ERANGE; -EINVAL, not running. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_warp_access_filter_drop(struct gputm_warp_access_filter *filter, uint32_t warp,
			      uint64_t lanes);

/** @return the running lanes of a warp; 0 if there is no such warp. */
GPUTM_API uint64_t
gputm_warp_access_filter_running(const struct gputm_warp_access_filter *filter, uint32_t warp);

GPUTM_END_DECLS
#endif /* GPUTM_WARP_ACCESS_FILTER_H */
