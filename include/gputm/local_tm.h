/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LOCAL_TM_H
#define GPUTM_LOCAL_TM_H
#include <gputm/base.h>

GPUTM_BEGIN_DECLS

/**
 * @file
 * Transactions in local memory, for the work-items of one work-group (GPU-LocalTM: Villegas,
 * Navarro, Asenjo, Plata, TRANSACT 2015): gputm_local_tm(3).
 *
 * The unit is the local memory of a work-group with what the paper adds to it: a Bloom
 * signature per work-item and bank, shadow memory with the owner and the old value of each
 * word, the masks EXEC, VCC and TCM of each wavefront, and two levels of serialisation.
 * Work-item i of the group is lane i mod lanes of wavefront i div lanes. Masks have lane l in
 * bit l. Words are numbered from 0; word w lies in bank w mod banks at position w div banks.
 *
 * Cycles are those that transactions *add* to an instruction (4.2), of the slowest bank:
 *
 *     tx_begin             1, for the backup of the registers; entering work-group
 *                          serialisation, 1 more per shadow entry to be cleared
 *     access of a lane     1 for the signatures; then 2 for a backup, or 1 if the lane owns
 *                          the word, or the entries of a lane that conflicts in its fullest
 *                          bank; of the lanes of an instruction the slowest counts
 *     conflict broadcast   1 per entry to be restored; of the turns of an instruction the
 *                          slowest counts
 *     tx_commit            1, and 1 per shadow entry of the lanes that commit
 *
 * A host that models the paper's "perfect" system leaves them out.
 */

/** Local memory of a work-group. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_local_tm;

/** Geometry; fields are only ever appended. Ranges: gputm_local_tm_params(). */
struct gputm_local_tm_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Wavefronts of the work-group (1..16). */
	uint32_t wavefronts;
	/** Lanes of a wavefront; 256 work-items at most in all (1..64). */
	uint32_t lanes;
	/** Banks of local memory (power of two, 1..64). */
	uint32_t banks;
	/** Bits of a signature (power of two, 1..64). */
	uint32_t signature_bits;
	/** Size of local memory, bytes (power of two, 64..2^20). */
	uint32_t local_bytes;
	/** Words of data; 0 stands for as many as fit beside their shadow (0..2^18). */
	uint32_t words;
	/** Vector registers with a shadow, for the storage report (0..256). */
	uint32_t registers;
	/** How the costs of the lanes of an access add up (enum gputm_local_tm_lane_cost). */
	uint32_t lane_cost;
};
/* begin INIT */
#define GPUTM_LOCAL_TM_CONFIG_INIT \
	{ sizeof(struct gputm_local_tm_config), \
	  /* wavefronts */ 4, /* lanes */ 64, /* banks */ 32, /* signature_bits */ 8, \
	  /* local_bytes */ 65536, /* words */ 0, /* registers */ 8, /* lane_cost: slowest */ 0 }
/* end INIT */

/** What the lanes of one access instruction cost together (4.2 can be read either way). */
enum gputm_local_tm_lane_cost {
	/** the cycles of the slowest lane are added once */
	GPUTM_LOCAL_TM_LANE_COST_SLOWEST = 0,
	/** those of all lanes of a bank; the slowest bank counts */
	GPUTM_LOCAL_TM_LANE_COST_SUM = 1,
};

/** What an operation did. */
enum gputm_local_tm_result {
	GPUTM_LOCAL_TM_OK = 0,	     /**< begun; accessed; all lanes have committed */
	GPUTM_LOCAL_TM_CONFLICT = 1, /**< some lanes of the access conflict and are rolled back */
	GPUTM_LOCAL_TM_RETRY = 2,    /**< lanes are left: back to tx_begin */
	GPUTM_LOCAL_TM_HELD = 3,     /**< another wavefront has the work-group to itself */
	GPUTM_LOCAL_TM_NESTED = 4,   /**< begin or commit of an inner transaction: counted only */
};

/** How an attempt runs (Table 1). */
enum gputm_local_tm_mode {
	/** no transaction */
	GPUTM_LOCAL_TM_MODE_NORMAL = 0,
	/** all lanes at once */
	GPUTM_LOCAL_TM_MODE_TX = 1,
	/** wavefront serialisation: one lane of this wavefront */
	GPUTM_LOCAL_TM_MODE_WAVEFRONT = 2,
	/** work-group serialisation: one lane of all */
	GPUTM_LOCAL_TM_MODE_GROUP = 3,
};

/** Where a wavefront stands. */
enum gputm_local_tm_state {
	/** of a transaction */
	GPUTM_LOCAL_TM_STATE_OUTSIDE = 0,
	/** in an attempt */
	GPUTM_LOCAL_TM_STATE_RUNNING = 1,
	/** its attempt ended with lanes left: tx_begin is due */
	GPUTM_LOCAL_TM_STATE_RESTART = 2,
	/** aborted by work-group serialisation: tx_begin is due */
	GPUTM_LOCAL_TM_STATE_EVICTED = 3,
};

/** Events; gputm_local_tm(3) says what each tells. */
enum gputm_local_tm_event {
	GPUTM_LOCAL_TM_EVENT_BEGIN = 0,
	GPUTM_LOCAL_TM_EVENT_ACCESS = 1,
	GPUTM_LOCAL_TM_EVENT_CONFLICT = 2,
	GPUTM_LOCAL_TM_EVENT_EVICT = 3,
	GPUTM_LOCAL_TM_EVENT_COMMIT = 4,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_local_tm_params(void);
/**
 * Fill @p config from the preset "southern-islands" (section 2: 4 x 64 work-items, 64 KiB in
 * 32 banks) or "table-1" (one wavefront of 4). @return 0; -EINVAL, no such preset.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_local_tm_config_preset(struct gputm_local_tm_config *config, const char *name);
/**
 * Make a local memory of zeros; all EXEC masks are full.
 * @return 0; -EINVAL, a field is refused, or @p config has more work-items than an owner's
 * byte can name or more words than fit (the log says so); -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_new(struct gputm_ctx *ctx,
						  const struct gputm_local_tm_config *config,
						  struct gputm_local_tm **out);
/** Free a local memory; NULL allowed. */
GPUTM_API void gputm_local_tm_free(struct gputm_local_tm *local);
/** @return the common face. */
GPUTM_API struct gputm_unit *gputm_local_tm_unit(struct gputm_local_tm *local);

/* ---- capacity and layout (3.2, 4.3) ------------------------------------------------------ */

/** What of local memory is left for data when each word has a backup and a byte of owner. */
struct gputm_local_tm_capacity {
	uint32_t data_bytes;   /**< 4/9 of all, rounded down: the paper's figure */
	uint32_t backup_bytes; /**< as many */
	uint32_t owner_bytes;  /**< the rest */
	uint32_t bank_words;   /**< whole words of data in one bank */
	uint32_t words;	       /**< in all banks: the most that `words` may be */
};
/** @return 0; -EINVAL, -E2BIG, @p config is refused. NULL @p config: the defaults. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_local_tm_get_capacity(const struct gputm_local_tm_config *config,
			    struct gputm_local_tm_capacity *out);

/** Where a word lies. Bytes count from the start of its bank. */
struct gputm_local_tm_place {
	uint32_t bank, position;
	uint32_t bit; /**< of the signatures of that bank */
	uint32_t data_byte, backup_byte, owner_byte;
};
/** @return 0; -ERANGE, the word is outside local memory. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_get_place(const struct gputm_local_tm *local,
							uint32_t word,
							struct gputm_local_tm_place *out);

/* ---- contents -------------------------------------------------------------------------- */

/** Give a word as it is now. @return 0; -ERANGE, it is outside local memory. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_lookup(const struct gputm_local_tm *local,
						     uint32_t word, uint32_t *value);
/**
 * Write a word from outside, at no cost: initial contents.
 * @return 0; -ERANGE, it is outside local memory; -EINVAL, a work-item owns it.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_update(struct gputm_local_tm *local, uint32_t word,
						     uint32_t value);

/** Shadow memory of a word. */
struct gputm_local_tm_shadow {
	bool owned;
	uint32_t owner;	 /**< work-item; 0 if it is not owned */
	uint32_t backup; /**< value before the owner's transaction; 0 if it is not owned */
};
/** @return 0; -ERANGE, the word is outside local memory. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_get_shadow(const struct gputm_local_tm *local,
							 uint32_t word,
							 struct gputm_local_tm_shadow *out);
/** @return the signature of a work-item in a bank; 0 if there is no such work-item or bank. */
GPUTM_API uint64_t gputm_local_tm_signature(const struct gputm_local_tm *local, uint32_t bank,
					    uint32_t item);

/* ---- masks ------------------------------------------------------------------------------ */

/** The masks of a wavefront, in the names of the paper. */
struct gputm_local_tm_masks {
	uint64_t exec, vcc, tcm;
	uint64_t tcm_old; /**< TCM at the end of the attempt before; 0 if there was none */
	enum gputm_local_tm_mode mode; /**< of the attempt that runs or has ended */
	enum gputm_local_tm_state state;
};
/** @return 0; -ERANGE, no such wavefront. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_get_masks(const struct gputm_local_tm *local,
							uint32_t wavefront,
							struct gputm_local_tm_masks *out);
/** @return the lanes that execute: EXEC and not TCM; 0 if there is no such wavefront. */
GPUTM_API uint64_t gputm_local_tm_running(const struct gputm_local_tm *local, uint32_t wavefront);

/**
 * The program writes EXEC. In a transaction it may not switch lanes on that are not part of
 * the attempt. TCM is not affected: a lane in it stays off.
 * @return 0; -ERANGE, no such wavefront, or the mask is wider than it; -EINVAL, such lanes, or
 * tx_begin is due.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_set_exec(struct gputm_local_tm *local,
						       uint32_t wavefront, uint64_t exec);
/** A comparison writes VCC: 0 in lanes that do not execute. @return as set_exec. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_set_vcc(struct gputm_local_tm *local,
						      uint32_t wavefront, uint64_t vcc);

/* ---- transactions ------------------------------------------------------------------------- */

/** What tx_begin did. */
struct gputm_local_tm_begun {
	uint32_t cycles;  /**< that it adds */
	uint32_t evicted; /**< bit per wavefront whose attempt was aborted: tx_begin is due there */
	uint64_t lanes;	  /**< that execute */
	enum gputm_local_tm_mode mode;
};
/**
 * A wavefront executes tx_begin. The first one of a transaction takes the lanes of EXEC. A
 * retry takes those that are left; after two attempts with the same TCM only the lowest of
 * them executes, the others stay in TCM; if that one conflicts too, it is run again with the
 * group to itself: all other attempts are aborted, and their wavefronts are held at tx_begin
 * until this one has finished its transaction.
 * @param out untouched when it is held or refused.
 * @return OK; HELD; NESTED; -ERANGE, no such wavefront, or nested too deeply; -EINVAL, EXEC is
 * empty.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_begin(struct gputm_local_tm *local,
						    uint32_t wavefront,
						    struct gputm_local_tm_begun *out);
/** @return what gputm_local_tm_begin() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_begin_probe(const struct gputm_local_tm *local,
							  uint32_t wavefront);
/** @return the wavefront that has the work-group to itself, or -1. */
GPUTM_API int gputm_local_tm_holder(const struct gputm_local_tm *local);

/** What an access did. */
struct gputm_local_tm_answer {
	uint64_t conflicts; /**< lanes rolled back: now in TCM */
	uint32_t cycles;    /**< that transactions add */
	uint32_t passes;    /**< lanes of the fullest bank: how often local memory is accessed */
};
/**
 * One access instruction. In a transaction each lane goes through the three stages of 3.3 in
 * its bank; banks work side by side, each in turns of one lane, in ascending order. A lane that
 * conflicts is put into TCM and all that it has written is restored, in its own bank at once
 * and in the others before the next turn. Outside of a transaction it is an ordinary access,
 * with no added cycles.
 * @param lanes that access; all of them executing.
 * @param word per lane; read where lanes is set.
 * @param value per lane: written to memory, or read from it; a load leaves it as it is in
 * lanes that conflict.
 * @return OK; CONFLICT; -ERANGE, no such wavefront, lanes it does not have, or a word outside
 * local memory; -EINVAL, a lane does not execute. Nothing has changed then.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_access(struct gputm_local_tm *local,
						     uint32_t wavefront, bool write,
						     uint64_t lanes, const uint32_t *word,
						     uint32_t *value,
						     struct gputm_local_tm_answer *out);
/** @return what gputm_local_tm_access() would, without values; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_local_tm_access_probe(const struct gputm_local_tm *local, uint32_t wavefront,
			    uint64_t lanes, const uint32_t *word,
			    struct gputm_local_tm_answer *out);

/** What tx_commit did. */
struct gputm_local_tm_ended {
	uint64_t committed; /**< lanes */
	uint32_t cycles;    /**< that it adds */
	enum gputm_local_tm_mode next; /**< of the attempt that follows; NORMAL if none does */
};
/**
 * A wavefront executes tx_commit: its lanes outside TCM have committed. If TCM is empty the
 * transaction is over, and EXEC is again that of its first tx_begin.
 * @return OK, over; RETRY, EXEC = TCM and tx_begin is due; NESTED (@p out untouched); -ERANGE,
 * no such wavefront; -EINVAL, it is not in an attempt, or EXEC is not that of the attempt's
 * begin, as lanes switched off by the program would be lost.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_local_tm_commit(struct gputm_local_tm *local,
						     uint32_t wavefront,
						     struct gputm_local_tm_ended *out);

GPUTM_END_DECLS
#endif /* GPUTM_LOCAL_TM_H */
