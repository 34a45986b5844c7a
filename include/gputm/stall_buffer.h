/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_STALL_BUFFER_H
#define GPUTM_STALL_BUFFER_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Stall buffer of a validation unit (GETM, HPCA 2018, V-B2, Fig. 9): accesses that passed
 * the stamp check and found their granule reserved wait here, one line per granule, several
 * requests per line. The oldest, by stamp and then by arrival, leaves first.
 *
 * Timing, in cycles of the validation unit: each operation 1.
 */

/** One buffer. Single owner. */
struct gputm_stall_buffer;

/** Geometry. Ranges: gputm_stall_buffer_params(). */
struct gputm_stall_buffer_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Granules with waiting requests, at most (1..4096). */
	uint32_t lines;
	/** Requests of a line, at most (1..4096). */
	uint32_t requests;
	/** Bytes of a granule (power of two, 4..4096). */
	uint32_t granularity;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
	/** Width of a stamp, bits; for the storage report only (1..64). */
	uint32_t stamp_bits;
	/** Width of a warp, bits; for the storage report only (0..32). */
	uint32_t warp_bits;
	/** Other data of a request, bits; for the storage report only (0..64). */
	uint32_t tag_bits;
};
/* begin INIT */
#define GPUTM_STALL_BUFFER_CONFIG_INIT \
	{ sizeof(struct gputm_stall_buffer_config), \
	  /* lines */ 4, /* requests */ 4, /* granularity */ 32, /* address_bits */ 32, \
	  /* stamp_bits */ 32, /* warp_bits */ 10, /* tag_bits */ 8 }
/* end INIT */

/** A waiting access. */
struct gputm_stall_buffer_request {
	uint64_t address; /**< bytes */
	uint64_t stamp;	  /**< its age: smaller is older */
	uint64_t tag;	  /**< the caller's; comes back with it */
	uint32_t warp;	  /**< of the access */
};

/** Answers of gputm_stall_buffer_push(). */
enum gputm_stall_buffer_result {
	GPUTM_STALL_BUFFER_QUEUED = 0,
	GPUTM_STALL_BUFFER_NO_LINE = 1, /**< every line waits for another granule */
	GPUTM_STALL_BUFFER_NO_SLOT = 2, /**< the granule's line is full */
};

/** Answers of the wakes. */
enum gputm_stall_buffer_wake_result {
	GPUTM_STALL_BUFFER_NONE = 0,  /**< no such request waits */
	GPUTM_STALL_BUFFER_WOKEN = 1, /**< it has left the buffer */
};

/** Events; gputm_stall_buffer(3) says what each tells. */
enum gputm_stall_buffer_event {
	GPUTM_STALL_BUFFER_EVENT_PUSH = 0,
	GPUTM_STALL_BUFFER_EVENT_WAKE = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_stall_buffer_params(void);

/** Fill @p config from the preset "getm" (Table II: 4 lines of 4). @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_config_preset(struct gputm_stall_buffer_config *config, const char *name);

/** Make an empty buffer. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_new(struct gputm_ctx *ctx, const struct gputm_stall_buffer_config *config,
		       struct gputm_stall_buffer **out);
/** Free a buffer; NULL allowed. */
GPUTM_API void gputm_stall_buffer_free(struct gputm_stall_buffer *buffer);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_stall_buffer_unit(struct gputm_stall_buffer *buffer);

/**
 * Queue a request on its granule's line, which it opens if there is none.
 * @return enum gputm_stall_buffer_result; -ERANGE, the address is too wide.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_push(struct gputm_stall_buffer *buffer,
			const struct gputm_stall_buffer_request *request);
/** @return what gputm_stall_buffer_push() would for a request at @p address; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_push_probe(const struct gputm_stall_buffer *buffer, uint64_t address);

/**
 * Take out the oldest request of a granule: the least stamp, and among equals the first to come.
 * @param out set when woken.
 * @return enum gputm_stall_buffer_wake_result.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_wake(struct gputm_stall_buffer *buffer, uint64_t address,
			struct gputm_stall_buffer_request *out);
/** @return what gputm_stall_buffer_wake() would, and gives the request; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_wake_probe(const struct gputm_stall_buffer *buffer, uint64_t address,
			      struct gputm_stall_buffer_request *out);
/** As wake(), if its stamp is below @p stamp: it can only abort. @return as wake(). */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_wake_before(struct gputm_stall_buffer *buffer, uint64_t address,
			       uint64_t stamp, struct gputm_stall_buffer_request *out);
/** As wake(), among the requests of @p warp. @return as wake(). */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_wake_warp(struct gputm_stall_buffer *buffer, uint64_t address, uint32_t warp,
			     struct gputm_stall_buffer_request *out);
/** Take out any request, the oldest of the lowest line in use (rollover). @return as wake(). */
GPUTM_API GPUTM_MUST_CHECK int gputm_stall_buffer_drain(struct gputm_stall_buffer *buffer,
							struct gputm_stall_buffer_request *out);

/** For displays: waiting request number @p index, by line. @return 0; -ERANGE, past the last. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_stall_buffer_get_request(const struct gputm_stall_buffer *buffer, uint64_t index,
			       struct gputm_stall_buffer_request *out);

/** @return the number of waiting requests. */
GPUTM_API uint64_t gputm_stall_buffer_waiting(const struct gputm_stall_buffer *buffer);

GPUTM_END_DECLS
#endif /* GPUTM_STALL_BUFFER_H */
