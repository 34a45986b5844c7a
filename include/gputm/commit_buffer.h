/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_COMMIT_BUFFER_H
#define GPUTM_COMMIT_BUFFER_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Commit buffer of a memory partition (GETM, HPCA 2018, V-C): takes the write logs of
 * committed transactions and the clean-up of aborted ones, joins words of a block that one
 * transaction wrote, writes a block a cycle to the last-level cache, and says which
 * reservations may be released: those of a block once its write has completed.
 *
 * The unit is clocked; between two ticks the owner pushes entries, takes memory requests,
 * hands back completions and takes releases, in any order. Timing, in the unit's own cycles
 * (700 MHz in the paper's machine):
 *
 *  event                                                      cycles    test
 *  a block, written or cleaned up, leaves the queue           1         test_timing_block
 *  its request is at the memory port after                    that tick test_timing_block
 *  a release after completion (write) or that tick (clean-up) 0         test_timing_block
 */

/** One buffer. Single owner. */
struct gputm_commit_buffer;

/** Geometry. Ranges: gputm_commit_buffer_params(). */
struct gputm_commit_buffer_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Blocks held, from push to release (1..2^16). */
	uint32_t blocks;
	/** Bytes written at once (power of two, 4..128). */
	uint32_t block_bytes;
	/** Bytes of a granule of metadata (power of two, 4..4096). */
	uint32_t granularity;
	/** Youngest waiting blocks that an entry may join (0..2^16). */
	uint32_t window;
	/** Width of an address, bits (16..64). */
	uint32_t address_bits;
};
/* begin INIT */
#define GPUTM_COMMIT_BUFFER_CONFIG_INIT \
	{ sizeof(struct gputm_commit_buffer_config), \
	  /* blocks */ 512, /* block_bytes */ 32, /* granularity */ 32, /* window */ 8, \
	  /* address_bits */ 32 }
/* end INIT */

/** An entry of a write log. */
struct gputm_commit_buffer_entry {
	uint64_t address;  /**< bytes; of a word */
	uint64_t sequence; /**< number of the warp's transaction */
	uint32_t warp;	   /**< owner of the reservation */
	uint32_t value;	   /**< the word; unused in a clean-up */
	uint32_t count;	   /**< reserved writes that it stands for, at least 1 */
	bool cleanup;	   /**< of an aborted lane: nothing is written */
};

/** Reservations to be released. */
struct gputm_commit_buffer_release {
	uint64_t address;  /**< first byte of the granule, or of the block if that is smaller */
	uint64_t sequence; /**< of the entries */
	uint32_t warp;	   /**< of the entries */
	uint32_t count;	   /**< sum of the entries */
	bool committed;	   /**< false: clean-up */
};

/** Answers of gputm_commit_buffer_push(). */
enum gputm_commit_buffer_result {
	GPUTM_COMMIT_BUFFER_ACCEPTED = 0, /**< in a block of its own */
	GPUTM_COMMIT_BUFFER_JOINED = 1,	  /**< joined a waiting block */
	GPUTM_COMMIT_BUFFER_FULL = 2,	  /**< no block is free; push it again later */
};

/** Events; gputm_commit_buffer(3) says what each tells. */
enum gputm_commit_buffer_event {
	GPUTM_COMMIT_BUFFER_EVENT_PUSH = 0,
	GPUTM_COMMIT_BUFFER_EVENT_ISSUE = 1,
	GPUTM_COMMIT_BUFFER_EVENT_RELEASE = 2,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_commit_buffer_params(void);
/** Fill @p config from the preset "getm" (16 kB of 32 B blocks). @return 0; -EINVAL. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_buffer_config_preset(struct gputm_commit_buffer_config *config, const char *name);
/** Make an empty buffer. @return 0; -EINVAL; -E2BIG; -ENOMEM. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_buffer_new(struct gputm_ctx *ctx, const struct gputm_commit_buffer_config *config,
			struct gputm_commit_buffer **out);
/** Free a buffer; NULL allowed. */
GPUTM_API void gputm_commit_buffer_free(struct gputm_commit_buffer *buffer);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_commit_buffer_unit(struct gputm_commit_buffer *buffer);

/**
 * Take an entry. It joins one of the youngest waiting blocks if that has its address, warp,
 * sequence and kind; a later word replaces an earlier one, counts add up.
 * @return enum gputm_commit_buffer_result; -ERANGE, the address is too wide or the block's
 * counts would be; -EINVAL, count is 0 or the address is not of a word.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_buffer_push(struct gputm_commit_buffer *buffer,
			 const struct gputm_commit_buffer_entry *entry);
/** @return what gputm_commit_buffer_push() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_buffer_push_probe(const struct gputm_commit_buffer *buffer,
			       const struct gputm_commit_buffer_entry *entry);

/** What there is to take after a tick, or'd together. */
enum gputm_commit_buffer_offer {
	GPUTM_COMMIT_BUFFER_OFFER_RELEASE = 1, /**< releases */
	GPUTM_COMMIT_BUFFER_OFFER_WRITE = 2,   /**< a write at the memory port */
};
/** One cycle: the oldest waiting block goes to the memory port if that is free; a clean-up goes
 * to the release port. @return enum gputm_commit_buffer_offer. */
GPUTM_API int gputm_commit_buffer_tick(struct gputm_commit_buffer *buffer);
/**
 * @return exactly how many ticks from now on change nothing but the count of cycles: 0, or
 * UINT64_MAX until a push, a completion or a pop.
 */
GPUTM_API uint64_t gputm_commit_buffer_next_event(const struct gputm_commit_buffer *buffer);
/**
 * Does what @p cycles ticks do, and returns what the last of them would; idle cycles cost nothing.
 */
GPUTM_API int gputm_commit_buffer_advance(struct gputm_commit_buffer *buffer, uint64_t cycles);

/** Give the write at the memory port. @return 1; 0, there is none. */
GPUTM_API int gputm_commit_buffer_mem_peek(const struct gputm_commit_buffer *buffer,
					   struct gputm_mem_request *out);
/** Drop the request from the port: from now on it is in flight. @return 1; 0, there was none. */
GPUTM_API int gputm_commit_buffer_mem_pop(struct gputm_commit_buffer *buffer);
/** Give the request and drop it. @return 1; 0, there was none. */
GPUTM_API int gputm_commit_buffer_mem_take(struct gputm_commit_buffer *buffer,
					   struct gputm_mem_request *out);
/**
 * A write that was taken is complete. Writes that share a word are completed in the order in
 * which they were taken. @return 0; -EINVAL, no write of that tag is in flight.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_buffer_mem_complete(struct gputm_commit_buffer *buffer, uint64_t tag);

/** Give the oldest release. @return 1; 0, there is none. */
GPUTM_API int gputm_commit_buffer_peek(const struct gputm_commit_buffer *buffer,
				       struct gputm_commit_buffer_release *out);
/**
 * Drop the oldest release; the block is free after its last release. @return 1; 0, there was none.
 */
GPUTM_API int gputm_commit_buffer_pop(struct gputm_commit_buffer *buffer);

/** @return reserved writes in the buffer that have not been released. */
GPUTM_API uint64_t gputm_commit_buffer_writes(const struct gputm_commit_buffer *buffer);

GPUTM_END_DECLS
#endif /* GPUTM_COMMIT_BUFFER_H */
