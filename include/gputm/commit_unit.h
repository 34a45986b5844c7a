/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_COMMIT_UNIT_H
#define GPUTM_COMMIT_UNIT_H

/**
 * @file
 * The commit unit of a memory partition in Kilo TM (Fung, thesis 4.2.5, Fig. 4.4 and
 * 4.5; its warp mode is WarpTM, 6.2): a bounded ring of commit entries, one for each
 * commit ID (CID), that move through the boxes of that figure and share one pair of memory
 * ports and one last writer history.
 *
 * The unit is clocked. Between two ticks the owner pushes messages, pops reports,
 * pops memory requests and hands back their completions, in any order. Nothing calls
 * back into the owner, so the state can be saved between any two calls.
 *
 * Timing, in the unit's own cycles (thesis Table 4.4: 650 MHz, 6.1: 700 MHz). In one tick, in
 * this order: the two ports offer a request each; hazard detection, revalidation,
 * outcome, commit and retirement take a step each; then one input is consumed from
 * the port for resent words and one from the message port.
 *
 *  event                                                 cycles    test
 *  a word of a log message (scalar mode)                 1         test_timing_input_scalar
 *  a log message (warp mode without serial_input)        1         test_timing_input_warp
 *  done or verdict                                       1         test_timing_input_warp
 *  a lane of done or verdict (serial_input)              1         test_timing_serial_input
 *  word consumed to its request offered, port free       1         test_timing_validation
 *  requests of each port                                 1 each    test_timing_ports
 *  hazard detection of an entry      ceil((reads + writes) / hazard_rate) + 1
 *                                                                  test_timing_hazard
 *  skips at each in-order pointer                        1 each    test_timing_skip
 *  last read compared to the outcome report              1         test_timing_outcome
 *  hazard detection left to the outcome report, if that is later than the last read:
 *  the outcome's step follows in the same tick           0         test_timing_outcome
 *  both, with ordered_outcomes: each older entry of the ring (scalar mode)
 *  or warp (warp mode) that waits too                    1 more    test_timing_ordered_outcomes
 *  YCID retired to the first revalidation read offered   2         test_timing_revalidation
 *  verdict consumed to the first write offered           2         test_timing_commit
 *  last write completed to retirement                    1         test_timing_retire
 */

#include "gputm/base.h"

GPUTM_BEGIN_DECLS

/* ---- messages from the cores, shared by both ends ------------------------- */

/** Most transactions of a warp. */
#define GPUTM_COMMIT_UNIT_LANES_MAX 64
/** Most log words of one message. */
#define GPUTM_COMMIT_UNIT_WORDS_MAX 64

/** What a message from a core says. */
enum gputm_commit_unit_message_kind {
	/** words: address and value as the transaction read it */
	GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG = 0,
	/** words: address and value to write, in log order */
	GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG = 1,
	/** mask: logs complete; yes: has words or stays, else skip */
	GPUTM_COMMIT_UNIT_MESSAGE_DONE = 2,
	/** mask: final outcome known; in yes: pass, else fail */
	GPUTM_COMMIT_UNIT_MESSAGE_VERDICT = 3,
	/** words of a log that the unit asked for again */
	GPUTM_COMMIT_UNIT_MESSAGE_RESENT = 4,
	/** mask (one lane): that log is complete */
	GPUTM_COMMIT_UNIT_MESSAGE_RESENT_DONE = 5,
};

/**
 * Why the unit asks for a log once more: the log did not fit its buffer or found none free. An even
 * purpose is for the read log, an odd purpose for the write log.
 */
enum gputm_commit_unit_purpose {
	GPUTM_COMMIT_UNIT_PURPOSE_HAZARD = 0,     /**< read log, to look its words up */
	GPUTM_COMMIT_UNIT_PURPOSE_RECORD = 1,     /**< write log, to record its words */
	GPUTM_COMMIT_UNIT_PURPOSE_REVALIDATE = 2, /**< read log, to compare it again */
	GPUTM_COMMIT_UNIT_PURPOSE_COMMIT = 3,     /**< write log, to write it */
};

/** One log entry. */
struct gputm_commit_unit_word {
	uint64_t address; /**< bytes; a multiple of 4 */
	/**
	 * Values read are compared with those of mem_complete() for being equal, and nothing
	 * else is done with values. A host that keeps values elsewhere may say a version of the
	 * word, which changes when the word is written, or 0 here, and in mem_complete() 0 for a
	 * word that still has its value and 1 for one that has not.
	 */
	uint32_t value;
	uint32_t lane; /**< of CID first_cid + lane */
};

/**
 * A message from a core to a commit unit. It belongs to one warp, whose @c lanes
 * transactions hold the contiguous CIDs first_cid .. first_cid + lanes - 1. "Lane"
 * means here the offset of a CID from first_cid (the i-th transaction that the warp
 * commits), not the thread's position in the warp. Bit i of a mask is lane i.
 *
 * Per lane, a unit gets READ_LOG and WRITE_LOG words in any number and mixture, then
 * one DONE; a lane without words is said to be a skip, and that is all about it. A
 * verdict follows the outcome report (never for a skip). A sender may pack the lanes
 * of a warp into one message or send each alone; every message names the same
 * first_cid and lanes. Words come last, so that the first
 * gputm_commit_unit_message_size() bytes are all there is to copy.
 *
 * A host of scalar mode that does not know first_cid and lanes of the warp before all its logs
 * are sent may say lanes = 1 in each message, with the CID itself as first_cid: reports then
 * are of that CID alone.
 *
 * The network: from one core to one partition messages arrive in the order in which they left the
 * sequencer, and from one partition to one core reports too. RESENT and RESENT_DONE may pass the
 * others and be passed, in their own order; between different pairs there is no order.
 */
struct gputm_commit_unit_message {
	uint32_t kind;	    /**< enum gputm_commit_unit_message_kind */
	/** enum gputm_commit_unit_purpose, of RESENT and RESENT_DONE; else 0 */
	uint32_t purpose;
	uint64_t first_cid; /**< of the warp */
	uint32_t lanes;	    /**< CIDs of the warp, 1..GPUTM_COMMIT_UNIT_LANES_MAX */
	uint32_t words;	    /**< used in @c word; 1..GPUTM_COMMIT_UNIT_WORDS_MAX for logs, else 0 */
	uint64_t mask;	    /**< lanes that the message speaks of; not empty */
	uint64_t yes;	    /**< of these: done and not skipped, or passed; 0 for logs */
	/** each lane of them in @c mask */
	struct gputm_commit_unit_word word[GPUTM_COMMIT_UNIT_WORDS_MAX];
};

/** @return bytes of @p message on the network: 8 of header, 8 a word, and a lane mask of
 * ceil(lanes / 8) bytes for each mask the kind has (DONE and VERDICT two, the others
 * one) if it speaks of more than one lane. */
GPUTM_API uint32_t gputm_commit_unit_message_bytes(const struct gputm_commit_unit_message *message);

/** @return bytes at the start of @p message that are in use, for copying it. */
GPUTM_API size_t gputm_commit_unit_message_size(const struct gputm_commit_unit_message *message);

/* ---- reports to the cores ------------------------------------------------- */

/** What a report says. */
enum gputm_commit_unit_report_kind {
	/** mask: local outcome known, in yes: pass. Scalar mode: one lane; warp mode: all
	 * lanes of the warp that are no skip. */
	GPUTM_COMMIT_UNIT_REPORT_OUTCOME = 0,
	/**
	 * mask: these have retired here, skips included. One report for all lanes of the warp;
	 * in scalar mode with entry_done = true one for each entry that has written, with the lanes
	 * since the report before, and one for what is left.
	 */
	GPUTM_COMMIT_UNIT_REPORT_RETIRED = 1,
	/** mask (one lane): send its log of this partition again, for @c purpose. */
	GPUTM_COMMIT_UNIT_REPORT_RESEND = 2,
	/**
	 * mask: all that these write here is in memory, and so they are done for the core. Only
	 * with entry_done = written: one lane in scalar mode, in warp mode all lanes of the warp
	 * that write here. Their retirement follows in a report of its own, with which credits
	 * return.
	 */
	GPUTM_COMMIT_UNIT_REPORT_WRITTEN = 3,
};

/**
 * A report from a commit unit to the core of the warp. It names no core, as the hardware finds
 * the core by the CID: a host notes who got first_cid from gputm_commit_id_acquire(), in a table
 * of as many entries as the unit's ring, at first_cid modulo ring, and reads it there when the
 * report leaves the partition. examples/hosts/gpgpu-sim/kilo_tm.cc does so with two cores.
 */
struct gputm_commit_unit_report {
	uint32_t kind;	    /**< enum gputm_commit_unit_report_kind */
	uint32_t purpose;   /**< enum gputm_commit_unit_purpose, of RESEND; else 0 */
	uint64_t first_cid; /**< of the warp, as in its messages */
	uint32_t lanes;	    /**< as in its messages */
	uint64_t mask;
	uint64_t yes;
};

/** @return bytes of @p report on the network: 8, and for an outcome of more than one lane
 * two lane masks of ceil(lanes / 8) bytes. */
GPUTM_API uint32_t gputm_commit_unit_report_bytes(const struct gputm_commit_unit_report *report);

/* ---- the unit ------------------------------------------------------------- */

/** One commit unit. Opaque; single owner; calls on one handle must not overlap. */
struct gputm_commit_unit;

/** How entries get read and write buffers (thesis 4.4.4, Fig. 4.13). */
enum gputm_commit_unit_buffer_policy {
	/** both from creation to retirement, skips too */
	GPUTM_COMMIT_UNIT_BUFFER_POLICY_ALL = 1,
	/** both, unless it is a skip */
	GPUTM_COMMIT_UNIT_BUFFER_POLICY_ACCESSED = 2,
	/** each from its first word to retirement */
	GPUTM_COMMIT_UNIT_BUFFER_POLICY_USED = 3,
	/** each while a later box may read it */
	GPUTM_COMMIT_UNIT_BUFFER_POLICY_NEEDED = 4,
};

/** What becomes of a log that finds no buffer free in the pool. */
enum gputm_commit_unit_empty_pool {
	/** each box that needs the log asks for it (4.2.5) */
	GPUTM_COMMIT_UNIT_EMPTY_POOL_RESEND = 0,
	/**
	 * Hazard detection waits for a buffer, as long as an older entry holds one, and asks for
	 * the log once (thesis 4.4.4: the buffer that comes back is the credit).
	 */
	GPUTM_COMMIT_UNIT_EMPTY_POOL_DEFER = 1,
};

/** When the unit reports a local outcome. */
enum gputm_commit_unit_ordered_outcomes {
	/** when the outcome is known */
	GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_FALSE = 0,
	/** then, and after the outcomes of all older entries */
	GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_TRUE = 1,
	/** likewise, but an older entry whose revalidation has begun is passed, and its outcome
	 * follows when it is known */
	GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_PASSING = 2,
};

/** With which report the core hears that what an entry writes is in memory. */
enum gputm_commit_unit_entry_done {
	/** the retirement of its warp */
	GPUTM_COMMIT_UNIT_ENTRY_DONE_FALSE = 0,
	/** its own retirement, in scalar mode */
	GPUTM_COMMIT_UNIT_ENTRY_DONE_TRUE = 1,
	/** a report when its own last write has completed, in warp mode the last write of its
	 * warp, whatever older entries do */
	GPUTM_COMMIT_UNIT_ENTRY_DONE_WRITTEN = 2,
};

/** Geometry, modes and bandwidths. See gputm_commit_unit(3) for ranges and sources. */
struct gputm_commit_unit_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Coalesce requests per region and report outcomes per warp. Goes with mode = warp of the
	 * sequencer, and only with warps whose lanes do not conflict: conflicts between lanes of
	 * one warp are not found. */
	bool warp_mode;
	/** Commit entries (1..2^22). */
	uint32_t ring;
	/** Width of a CID in the last writer history, bits (4..63). */
	uint32_t cid_bits;
	/** Most transactions of a warp (1..64). */
	uint32_t lanes;
	/** Width of a byte address, bits (16..64). */
	uint32_t address_bits;
	/** Words of a read or write buffer (1..64). */
	uint32_t buffer_words;
	/** Buffers in the shared pool (0..2^22). */
	uint32_t buffers;
	/** When an entry holds read and write buffers (enum gputm_commit_unit_buffer_policy). */
	uint32_t buffer_policy;
	/** Bytes of a request in warp mode (power of two, 4..128). */
	uint32_t region_bytes;
	/** Words of hazard detection per cycle (1..64). */
	uint32_t hazard_rate;
	/** Messages that the input port holds (1..4096). */
	uint32_t input_depth;
	/** Messages that the port for resent words holds (1..4096). */
	uint32_t resent_depth;
	/** Reports that wait to be popped (1..4096). */
	uint32_t output_depth;
	/** Words queued or in flight at each memory port (64..2^20). */
	uint32_t port_words;
	/** Sets of the last writer history's table (power of two, 1..2^20). */
	uint32_t history_sets;
	/** Entries of such a set (1..64). */
	uint32_t history_ways;
	/** Sub-arrays of the history's filter (1..8). */
	uint32_t filter_ways;
	/** CIDs in each sub-array (power of two, 1..2^20). */
	uint32_t filter_buckets;
	/** Bytes of a block of pending writes, a power of two; 0: no table (0..2^20). */
	uint32_t pending_block;
	/** Counters of pending writes (power of two, 1..2^24). */
	uint32_t pending_entries;
	/** The oldest CID at the start (0..2^48). */
	uint64_t first_cid;
	/** Seed of the history's hash rows. */
	uint64_t seed;
	/** Rows of the last writer history's hashes, brought by the caller, as in
	 * struct gputm_last_writer_config; copied. NULL draws them from the seed. */
	const uint32_t *history_rows;
	const uint32_t *history_filter_rows; /**< the same for its filter */
	/** Process a packed message lane by lane, and in warp mode a log word by word. */
	bool serial_input;
	/** Report outcomes in the order of CIDs; passing: but for entries that revalidate, which
	 * are passed (enum gputm_commit_unit_ordered_outcomes). */
	uint8_t ordered_outcomes;
	/** Report each entry that has written: true, at its retirement, in scalar mode; written,
	 * when its own last write has completed (enum gputm_commit_unit_entry_done). */
	uint8_t entry_done;
	/** What happens to a log when no buffer is free (enum gputm_commit_unit_empty_pool). */
	uint32_t empty_pool;
};
/* begin INIT */
#define GPUTM_COMMIT_UNIT_CONFIG_INIT \
	{ sizeof(struct gputm_commit_unit_config), \
	  /* warp_mode */ false, /* ring */ 23040, /* cid_bits */ 32, /* lanes */ 32, \
	  /* address_bits */ 32, /* buffer_words */ 8, /* buffers */ 8192, \
	  /* buffer_policy: needed */ 4, /* region_bytes */ 32, /* hazard_rate */ 1, \
	  /* input_depth */ 64, /* resent_depth */ 4, /* output_depth */ 64, \
	  /* port_words */ 2048, /* history_sets */ 128, /* history_ways */ 4, \
	  /* filter_ways */ 4, /* filter_buckets */ 256, /* pending_block */ 0, \
	  /* pending_entries */ 4096, /* first_cid */ 1u, /* seed */ 1u, NULL, NULL, \
	  /* serial_input */ false, /* ordered_outcomes: false */ 0, /* entry_done: false */ 0, \
	  /* empty_pool: resend */ 0 }
/* end INIT */

/** What the unit answers to a message. */
enum gputm_commit_unit_result {
	GPUTM_COMMIT_UNIT_ACCEPTED = 0,
	/** The port is full, and the message has not been looked at; try again after a tick. */
	GPUTM_COMMIT_UNIT_FULL = 1,
	/** A verdict came before the outcome of one of its lanes was reported here. Nothing has
	 * changed; push it again after that report. */
	GPUTM_COMMIT_UNIT_NOT_YET = 2,
};

/** The two memory ports. */
enum gputm_commit_unit_port {
	GPUTM_COMMIT_UNIT_PORT_VALIDATION = 0, /**< reads */
	GPUTM_COMMIT_UNIT_PORT_COMMIT = 1,     /**< writes */
};

/** State of an entry; in brackets, the box of Fig. 4.5, which has seven. */
enum gputm_commit_unit_state {
	/** nothing consumed yet (Unused) */
	GPUTM_COMMIT_UNIT_STATE_UNUSED = 0,
	/** words of its logs come and are compared (Log Transfer + Speculative Validation) */
	GPUTM_COMMIT_UNIT_STATE_FILL = 1,
	/** logs complete: waiting for or in hazard detection (Hazard Detection) */
	GPUTM_COMMIT_UNIT_STATE_HAZARD = 2,
	/** waiting for reads, YCID's retirement, revalidation (Validation Wait) */
	GPUTM_COMMIT_UNIT_STATE_VALIDATE = 3,
	/** outcome known, not yet reported (Finalizing Outcome) */
	GPUTM_COMMIT_UNIT_STATE_FINALISE = 4,
	/** passed here, waiting for the verdict (Finalizing Outcome) */
	GPUTM_COMMIT_UNIT_STATE_WAIT = 5,
	/** passed everywhere, waiting for the verdicts of older entries (Finalizing Outcome) */
	GPUTM_COMMIT_UNIT_STATE_READY = 6,
	/** writes queued or in flight (Commit) */
	GPUTM_COMMIT_UNIT_STATE_WRITE = 7,
	/** skipped, failed or written: waiting for older entries (Retire; before that, a skip or
	 * failure goes by the boxes that have nothing to do for it) */
	GPUTM_COMMIT_UNIT_STATE_FINISHED = 8,
};

/** Events; gputm_commit_unit(3) says what each tells. */
enum gputm_commit_unit_event {
	GPUTM_COMMIT_UNIT_EVENT_VALIDATE = 0,
	GPUTM_COMMIT_UNIT_EVENT_REVALIDATE = 1,
	GPUTM_COMMIT_UNIT_EVENT_BEGIN = 2,
	GPUTM_COMMIT_UNIT_EVENT_HAZARD = 3,
	GPUTM_COMMIT_UNIT_EVENT_OUTCOME = 4,
	GPUTM_COMMIT_UNIT_EVENT_VERDICT = 5,
	GPUTM_COMMIT_UNIT_EVENT_ISSUE = 6,
	GPUTM_COMMIT_UNIT_EVENT_WRITE = 7,
	GPUTM_COMMIT_UNIT_EVENT_RETIRE = 8,
	GPUTM_COMMIT_UNIT_EVENT_RESEND = 9,
};

/** @return the parameter table of the kind. */
GPUTM_API const struct gputm_params *gputm_commit_unit_params(void);

/**
 * Presets: "kilo-tm" (1920 entries, 16-bit CIDs, 512 buffers, deferral when they are all in use:
 * thesis 4.4.3, 4.4.4; serial input, outcomes in order but for revalidations, a done for each
 * entry: Fig. 4.5, 6.3),
 * "kilo-tm-small-history" (a history of 64 + 64, 4.4.3; else as "kilo-tm"), "warptm" (warp mode,
 * 6.2; else as "kilo-tm", without serial_input and entry_done), "unbounded" (23040 entries, 32-bit
 * CIDs, 46080 buffers of 64 words, which hardly ever overflow, as in the released simulator; else
 * as "kilo-tm").
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_unit_config_preset(struct gputm_commit_unit_config *config, const char *name);

/**
 * Make a unit without entries. Free it with gputm_commit_unit_free().
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (also: ring above 2^(cid_bits - 2), or below lanes;
 * port_words below lanes x buffer_words; pending_block no power of two); -E2BIG; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_unit_new(struct gputm_ctx *ctx,
						     const struct gputm_commit_unit_config *config,
						     struct gputm_commit_unit **out);
/** Free @p unit; NULL allowed. */
GPUTM_API void gputm_commit_unit_free(struct gputm_commit_unit *unit);
/** @return the common face of @p unit. */
GPUTM_API struct gputm_unit *gputm_commit_unit_unit(struct gputm_commit_unit *unit);

/**
 * Push a message. RESENT and RESENT_DONE have a port of their own, so that they never
 * wait for the logs of younger transactions. The message is copied.
 * @return enum gputm_commit_unit_result; -ERANGE, a CID is not below the oldest
 * unretired one + ring, or an address does not fit; -EINVAL, a message that the
 * protocol forbids at this point (the log says which); -ENOMEM. Nothing changes then.
 * Memory for entries and buffers is taken as CIDs further from the oldest one are named, twice
 * as much each time, up to what ring and buffers say.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_unit_push(struct gputm_commit_unit *unit,
		       const struct gputm_commit_unit_message *message);
/** @return what gputm_commit_unit_push() would, but for -ENOMEM; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_unit_push_probe(const struct gputm_commit_unit *unit,
			     const struct gputm_commit_unit_message *message);

/** What there is to take after a tick, or'd together. */
enum gputm_commit_unit_offer {
	GPUTM_COMMIT_UNIT_OFFER_REPORT = 1, /**< reports */
	GPUTM_COMMIT_UNIT_OFFER_READ = 2,   /**< a request at the validation port */
	GPUTM_COMMIT_UNIT_OFFER_WRITE = 4,  /**< a request at the commit port */
	/** The tick has changed something. If not, none does until a push, completion or pop. */
	GPUTM_COMMIT_UNIT_OFFER_MOVED = 8,
};

/**
 * One cycle. @return enum gputm_commit_unit_offer, so that the owner asks only for what there is.
 * The count of cycles is a statistic, and no part of the state in snapshots.
 */
GPUTM_API int gputm_commit_unit_tick(struct gputm_commit_unit *unit);
/**
 * @return exactly how many ticks from now on change nothing but the count of cycles: 0, or
 * UINT64_MAX until a message, a completion or a pop.
 */
GPUTM_API uint64_t gputm_commit_unit_next_event(const struct gputm_commit_unit *unit);
/**
 * Does what @p cycles ticks do, and returns what the last of them would; idle cycles cost nothing.
 */
GPUTM_API int gputm_commit_unit_advance(struct gputm_commit_unit *unit, uint64_t cycles);

/** Give the oldest report. @return 1; 0, there is none. */
GPUTM_API int gputm_commit_unit_peek(const struct gputm_commit_unit *unit,
				     struct gputm_commit_unit_report *out);
/** Drop the oldest report. @return 1; 0, there was none. */
GPUTM_API int gputm_commit_unit_pop(struct gputm_commit_unit *unit);

/**
 * Give the request that @p port offers without taking it. A port offers at most one
 * request per cycle. Only the fields and values in use are written.
 * @return 1; 0, there is none; -ERANGE, no such port.
 */
GPUTM_API int gputm_commit_unit_mem_peek(const struct gputm_commit_unit *unit,
					 enum gputm_commit_unit_port port,
					 struct gputm_mem_request *out);
/** Drop the offered request from the port: from now on it is in flight. @return as mem_peek(). */
GPUTM_API int gputm_commit_unit_mem_pop(struct gputm_commit_unit *unit,
					enum gputm_commit_unit_port port);
/**
 * Give the request and drop it, for an owner that takes whatever is offered. @return as
 * mem_peek().
 */
GPUTM_API int gputm_commit_unit_mem_take(struct gputm_commit_unit *unit,
					 enum gputm_commit_unit_port port,
					 struct gputm_mem_request *out);
/**
 * For whom a request is: the warp, and the lanes whose words it reads or writes.
 * @param tag of a request that is offered or in flight.
 * @param first_cid the first CID of the warp, as in its messages.
 * @param mask bit i is CID first_cid + i; one bit in scalar mode.
 * @return 0; -EINVAL, there is no such request.
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_unit_get_lanes(const struct gputm_commit_unit *unit, uint64_t tag,
			    uint64_t *first_cid, uint64_t *mask);
/**
 * A popped request is complete. Requests that share a word are completed in the order
 * in which they were popped, others in any order.
 * @param values of a read: values[i] is the word at request.address + 4 i, for the
 * words of its mask; unused (may be NULL) for a write.
 * @return 0; -EINVAL, no request of that tag is in flight, or a read without values.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_unit_mem_complete(struct gputm_commit_unit *unit,
							      uint64_t tag,
							      const uint32_t *values);

/**
 * @return whether the block at @p address may be in the write-set of a transaction between
 * its local pass and its retirement here (protocol of temporal conflict detection).
 * Conservative: blocks that share a counter, and any block while a write-set is
 * unbounded, answer true. Always false if pending_block is 0. Costs no cycle.
 */
GPUTM_API bool gputm_commit_unit_write_pending(const struct gputm_commit_unit *unit,
					       uint64_t address);

/** @return the oldest CID that has not retired: CIDs below it + ring are admitted. */
GPUTM_API uint64_t gputm_commit_unit_oldest(const struct gputm_commit_unit *unit);
/** @return the state of @p cid; FINISHED below the oldest, UNUSED beyond the ring. */
GPUTM_API enum gputm_commit_unit_state
gputm_commit_unit_entry_state(const struct gputm_commit_unit *unit, uint64_t cid);

GPUTM_END_DECLS
#endif /* GPUTM_COMMIT_UNIT_H */
