/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ROW_COPIER_H
#define GPUTM_ROW_COPIER_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Bulk in-memory copy (snapshot isolation on GPU HTM, ISCA 2017, 3, 5 and Table 2): copies a
 * version of a region to the next within the memory, row by row through the sense amplifiers
 * of its subarrays, while transactions run.
 *
 * Row r of the memory lies in subarray r modulo (banks x subarrays), and so does the row that
 * it is copied to: versions are laid out so. Rows of one subarray are copied one after the
 * other, in the order of the requests; subarrays work in parallel.
 *
 * Timing, in cycles of the unit (the memory clock by default):
 *	event				after				test
 *	a row is copied			row_cycles			test_table_2_row_copy
 *	n rows of one subarray		n x row_cycles			test_row_copier_queues
 *	completion can be peeked	the tick of its last row	test_row_copier_queues
 * The unit moves no data: its owner does when a request completes.
 */

/** One copier. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_row_copier;

/** Geometry; fields are only ever appended. */
struct gputm_row_copier_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Bytes of a row (power of two, 64..2^16). */
	uint32_t row_bytes;
	/** Cycles to copy a row (1..4096). */
	uint32_t row_cycles;
	/** Subarrays of a bank (power of two, 1..1024). */
	uint32_t subarrays;
	/** Banks (power of two, 1..1024). */
	uint32_t banks;
	/** Requests that the unit holds (1..256). */
	uint32_t requests;
	/** Width of a byte address, bits (16..48). */
	uint32_t address_bits;
};
/* begin INIT */
#define GPUTM_ROW_COPIER_CONFIG_INIT \
	{ sizeof(struct gputm_row_copier_config), \
	  /* row_bytes */ 2048, /* row_cycles */ 63, /* subarrays */ 64, /* banks */ 16, \
	  /* requests */ 64, /* address_bits */ 32 }
/* end INIT */

/** What gputm_row_copier_push() answers. */
enum gputm_row_copier_result {
	GPUTM_ROW_COPIER_OK = 0,
	GPUTM_ROW_COPIER_FULL = 1, /**< as many requests as the unit holds */
};

/** Copy these bytes: whole rows are copied, those at the ends too. */
struct gputm_row_copier_request {
	uint64_t tag;	      /**< comes back with the completion */
	uint64_t source;      /**< bytes */
	uint64_t destination; /**< bytes; as far into its row as the source is */
	uint64_t bytes;
};

/** Events; gputm_row_copier(3) says what each tells. */
enum gputm_row_copier_event {
	GPUTM_ROW_COPIER_EVENT_PUSH = 0,
	GPUTM_ROW_COPIER_EVENT_COMPLETE = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_row_copier_params(void);

/**
 * Set @p config to a preset: "isca-2017" (Table 2, memory clock of 924 MHz) or
 * "isca-2017-core" (the same in cycles of the core clock of 1400 MHz).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_row_copier_config_preset(struct gputm_row_copier_config *config, const char *name);

/**
 * Make an idle copier at cycle 0.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is out of its range; -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_row_copier_new(struct gputm_ctx *ctx,
						    const struct gputm_row_copier_config *config,
						    struct gputm_row_copier **out);
/** Free a copier; NULL allowed. */
GPUTM_API void gputm_row_copier_free(struct gputm_row_copier *copier);
/** @return its common face; lives as long as @p copier. */
GPUTM_API struct gputm_unit *gputm_row_copier_unit(struct gputm_row_copier *copier);

/**
 * Ask for a copy; its rows queue at their subarrays at once.
 * @param done_at set for OK to the cycle of its completion; NULL allowed.
 * @return enum gputm_row_copier_result; -EINVAL, bytes is 0, source and destination overlap or
 * lie at different places of their rows; -ERANGE, they end beyond address_bits.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_row_copier_push(struct gputm_row_copier *copier,
		      const struct gputm_row_copier_request *request, uint64_t *done_at);
/** @return what gputm_row_copier_push() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_row_copier_push_probe(const struct gputm_row_copier *copier,
			    const struct gputm_row_copier_request *request, uint64_t *done_at);

/** Give the oldest complete request and drop it. @return 1; 0, there was none. */
GPUTM_API int gputm_row_copier_take(struct gputm_row_copier *copier,
				    struct gputm_row_copier_request *out);

/** What there is to take after a tick. */
enum gputm_row_copier_offer {
	GPUTM_ROW_COPIER_OFFER_COPY = 1, /**< complete requests */
};
/** One cycle. @return enum gputm_row_copier_offer. */
GPUTM_API int gputm_row_copier_tick(struct gputm_row_copier *copier);
/** @return exactly how many ticks from now on change nothing but the clock; UINT64_MAX: all. */
GPUTM_API uint64_t gputm_row_copier_next_event(const struct gputm_row_copier *copier);
/** Does what @p cycles ticks do, and returns what the last of them would; costs less. */
GPUTM_API int gputm_row_copier_advance(struct gputm_row_copier *copier, uint64_t cycles);
/** @return ticks so far; part of the state in snapshots. */
GPUTM_API uint64_t gputm_row_copier_now(const struct gputm_row_copier *copier);

GPUTM_END_DECLS
#endif /* GPUTM_ROW_COPIER_H */
