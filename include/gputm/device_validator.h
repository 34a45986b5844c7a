/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_DEVICE_VALIDATOR_H
#define GPUTM_DEVICE_VALIDATOR_H

/**
 * @file
 * The validation kernel on the GPU: gputm_device_validator(3).
 *
 * It takes chunks of the CPU's write-set logs in any order, tests each write against the
 * GPU's read-set bitmap, and says by a stamp per word which writes are newer than what the
 * replica holds. It goes on after a conflict, so that the replica ends with all of the CPU's
 * writes. Source: HeTM (PACT 2019), IV-C.2, IV-D.
 *
 * The replica is the caller's: the unit answers which entries to write to it.
 */

#include "gputm/access_bitmap.h"
#include "gputm/base.h"
#include "gputm/write_set_log.h"

GPUTM_BEGIN_DECLS

/** One validator. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_device_validator;

/** Geometry; fields are only ever appended. Ranges: gputm_device_validator_params(). */
struct gputm_device_validator_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Bytes of the shared region (4..2^36). */
	uint64_t region_bytes;
	/** Width of a stamp, bits (8..63). */
	uint32_t stamp_bits;
	/** Entries checked side by side (power of two, 1..2^16). */
	uint32_t lanes;
	/** Cycles of one entry in its lane (1..2^16). */
	uint32_t entry_cycles;
	/** Cycles of the lock bit of a word's stamp (0..2^16). */
	uint32_t lock_cycles;
};
/* begin INIT */
#define GPUTM_DEVICE_VALIDATOR_CONFIG_INIT \
	{ sizeof(struct gputm_device_validator_config), \
	  /* region_bytes */ 629145600u, /* stamp_bits */ 32, /* lanes */ 2048, \
	  /* entry_cycles */ 400, /* lock_cycles */ 0 }
/* end INIT */

/** What is done with the entries of a chunk. */
enum gputm_device_validator_mode {
	GPUTM_DEVICE_VALIDATOR_MODE_APPLY = 0,	/**< validation: test, and apply what is newer */
	GPUTM_DEVICE_VALIDATOR_MODE_EARLY = 1,	/**< early validation: test only */
	GPUTM_DEVICE_VALIDATOR_MODE_REPLAY = 2, /**< for the shadow copy: apply, without a test,
						what an APPLY of this round left newest */
};

/** What came out of a chunk. */
struct gputm_device_validator_result {
	uint32_t conflicts; /**< entries whose granule the GPU has accessed */
	uint32_t applied;   /**< entries to be written to the replica */
	uint32_t stale;	    /**< entries that a newer write has overtaken */
	uint64_t cycles;    /**< of the validation kernel, device clock */
};

/** Events; gputm_device_validator(3) says what each tells. */
enum gputm_device_validator_event {
	GPUTM_DEVICE_VALIDATOR_EVENT_CHUNK = 0,
	GPUTM_DEVICE_VALIDATOR_EVENT_BEGIN = 1,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_device_validator_params(void);

/**
 * Set @p config to a preset: "shetm" (V: 600 MB).
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_device_validator_config_preset(struct gputm_device_validator_config *config,
				     const char *name);

/**
 * Make a validator for round 0, with no write seen. A stamp costs memory only once its
 * word's page of 4,096 words is written.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it); -E2BIG, @p config sets a
 * field newer than this library; -ENOMEM. Free it with gputm_device_validator_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_device_validator_new(struct gputm_ctx *ctx,
			   const struct gputm_device_validator_config *config,
			   struct gputm_device_validator **out);
/** Free a validator; NULL allowed. */
GPUTM_API void gputm_device_validator_free(struct gputm_device_validator *validator);
/** @return its common face; lives as long as @p validator. */
GPUTM_API struct gputm_unit *gputm_device_validator_unit(struct gputm_device_validator *validator);

/**
 * Begin a round: its verdict is open, and only its chunks are taken. Stamps stay, as the
 * CPU's go on rising.
 * @return 0; -ERANGE, @p round is not above the round before.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_device_validator_begin(struct gputm_device_validator *validator, uint64_t round);

/**
 * Validate a chunk.
 * @param reads the GPU's read-set bitmap, in which its writes are marked too; of the same
 * region; not used by REPLAY, which allows NULL
 * @param apply out, [(chunk->count + 63) / 64]: bit i % 64 of word i / 64 says that entry i is
 * to be written to the replica. The caller writes them in the order of the entries. EARLY
 * sets none.
 * @param result out
 * @return 0; -EINVAL, a chunk of another round, a bitmap of another region, or an address that
 * is not a multiple of 4; -ERANGE, no such mode, an address outside the region, or a stamp
 * outside 1 .. 2^stamp_bits - 1; -ENOMEM, no memory for stamps. Nothing has changed then.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_device_validator_push(struct gputm_device_validator *validator,
			    const struct gputm_access_bitmap *reads,
			    const struct gputm_write_set_log_chunk *chunk,
			    enum gputm_device_validator_mode mode, uint64_t *apply,
			    struct gputm_device_validator_result *result);

/** @return whether a chunk of this round had a conflict, early ones included. */
GPUTM_API bool
gputm_device_validator_conflict(const struct gputm_device_validator *validator);

GPUTM_END_DECLS
#endif /* GPUTM_DEVICE_VALIDATOR_H */
