/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_COMMIT_SEQUENCER_H
#define GPUTM_COMMIT_SEQUENCER_H

/**
 * @file
 * Commit sequencer: the core side of a Kilo TM commit (Fung's thesis, 4.2.4, 4.2.5,
 * Fig. 4.4a; for warps 6.2 and Fig. 6.3). One per SIMT core; it serves all its warps.
 *
 *   begin -> wants credits -> grant of CIDs -> log walk -> packets out
 *         -> outcomes of the commit units in -> verdict out -> done -> retired
 *
 * The transactions of a warp take contiguous CIDs in lane order: the r-th lane that commits
 * has CID first_cid + r. Messages and reports count lanes that way (gputm/commit_unit.h);
 * every mask in this header has a bit per lane of the warp.
 *
 * Clocked, in core cycles. Inputs may come at any time between two ticks and take
 * effect at once; the engine acts, and packets appear, in ticks. Timetable, W and R
 * being write and read rows and P partitions (test_timing_* show each line):
 *
 *   begin                                     gputm_commit_sequencer_wants() at once
 *   tick after the grant                      CIDs are taken over; no packet
 *   the next R + W ticks                      one row each, reads first: packets of that row
 *   the next tick (packed), or one per lane   done-fill or skip, one packet per partition
 *   tick after a lane's last outcome          its verdict, one packet per partition it used;
 *                                             a transaction that writes nothing is done
 *   last retire report it waits for           a transaction that writes is done, at once
 *   resend request                            from the next tick one row per tick, then one
 *                                             tick for done-resend
 *
 * One such step per tick over all warps: verdicts first, then resends, each in order of
 * arrival, then log walks in order of their CIDs; a walk that waits for a spilled row lets
 * the next one go on. A step that finds too little room in the output buffer waits. One
 * packet leaves per tick, and packets to one partition leave in order.
 */

#include <gputm/base.h>
#include <gputm/commit_unit.h>
#include <gputm/tx_log.h>

GPUTM_BEGIN_DECLS

/** One sequencer. Opaque; one owner; calls on one handle must not overlap. */
struct gputm_commit_sequencer;

/** Whether lanes are decided one by one or by warp. */
enum gputm_commit_sequencer_mode {
	/** Each transaction has its own verdict as soon as its outcomes are in (Kilo TM). */
	GPUTM_COMMIT_SEQUENCER_MODE_SCALAR = 0,
	/**
	 * The verdict of a warp goes out when the outcomes of all its lanes are in, in one packet
	 * per partition (WarpTM). The warp must be free of conflicts between its lanes.
	 */
	GPUTM_COMMIT_SEQUENCER_MODE_WARP = 1,
};

/** How log entries are grouped. */
enum gputm_commit_sequencer_pack {
	GPUTM_COMMIT_SEQUENCER_PACK_NONE = 0, /**< a packet per entry */
	GPUTM_COMMIT_SEQUENCER_PACK_ROWS = 1, /**< a packet per row and partition (4.2.4) */
};

/** Geometry; fields are only ever appended. Ranges: gputm_commit_sequencer_params(). */
struct gputm_commit_sequencer_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Warps of the core (1..1024). */
	uint32_t warps;
	/** Lanes of a warp (1..64). */
	uint32_t lanes;
	/** Memory partitions (1..64). */
	uint32_t partitions;
	/** Whether lanes are decided one by one or by warp (enum gputm_commit_sequencer_mode). */
	uint32_t mode;
	/** 1: warps have no internal conflicts; required in warp mode. */
	bool intra_warp_resolved;
	/** How log entries are grouped (enum gputm_commit_sequencer_pack). */
	uint32_t pack;
	/** 1: a warp's done-fill and skip share a packet. */
	bool pack_done;
	/** 1: verdicts due in one cycle share a packet; always so in warp mode. */
	bool pack_verdict;
	/** Commits in flight, retiring ones included (1..4096). */
	uint32_t slots;
	/** Packets that wait for the network (1..2^16). */
	uint32_t output_packets;
	/** Resend requests that wait (1..2^16). */
	uint32_t resend_requests;
	/** Cycles lost by the walk of a spilled row (0..2^16). */
	uint32_t spilled_row_cycles;
	/** Cycles of back-off per abort (0..2^20). */
	uint32_t backoff_base;
	/** Most cycles of back-off (0..2^24). */
	uint32_t backoff_cap;
	/** Age in cycles above which a transaction is checked; 0 for never. */
	uint64_t watchdog_cycles;
	/**
	 * The logs of the warps, warps elements, or NULL; gputm_commit_sequencer_attach() sets
	 * them one by one. The array is copied, the logs stay the caller's.
	 */
	const struct gputm_tx_log *const *logs;
};
/* begin INIT */
#define GPUTM_COMMIT_SEQUENCER_CONFIG_INIT \
	{ sizeof(struct gputm_commit_sequencer_config), \
	  /* warps */ 48, /* lanes */ 32, /* partitions */ 6, /* mode: scalar */ 0, \
	  /* intra_warp_resolved */ false, /* pack: rows */ 1, /* pack_done */ true, \
	  /* pack_verdict */ false, /* slots */ 96, /* output_packets */ 128, \
	  /* resend_requests */ 64, /* spilled_row_cycles */ 0, /* backoff_base */ 500, \
	  /* backoff_cap */ 5000, /* watchdog_cycles */ 100000u, NULL }
/* end INIT */

/** Answers to begin and to a report. */
enum gputm_commit_sequencer_result {
	GPUTM_COMMIT_SEQUENCER_OK = 0,
	/** No free slot, or no room for a resend request: try again later. */
	GPUTM_COMMIT_SEQUENCER_BUSY = 1,
};

/** A warp whose commit is over for the core. */
struct gputm_commit_sequencer_done {
	uint32_t warp;
	uint64_t pass;	  /**< lanes that have committed */
	uint64_t fail;	  /**< lanes that must run again */
	uint64_t first_cid; /**< of the lowest lane with a CID */
	uint64_t with_cid; /**< lanes that took a CID; the others had empty logs */
};

/** CIDs that all partitions have retired: their credits are free. */
struct gputm_commit_sequencer_retired {
	uint32_t warp;
	uint64_t first_cid;
	uint32_t count;
};

/** Events; gputm_commit_sequencer(3) says what each tells. */
enum gputm_commit_sequencer_event {
	GPUTM_COMMIT_SEQUENCER_EVENT_BEGIN = 0,
	GPUTM_COMMIT_SEQUENCER_EVENT_GRANT = 1,
	GPUTM_COMMIT_SEQUENCER_EVENT_ROW = 2,
	GPUTM_COMMIT_SEQUENCER_EVENT_FILL = 3,
	GPUTM_COMMIT_SEQUENCER_EVENT_VERDICT = 4,
	GPUTM_COMMIT_SEQUENCER_EVENT_FINISH = 5,
	GPUTM_COMMIT_SEQUENCER_EVENT_RETIRE = 6,
	GPUTM_COMMIT_SEQUENCER_EVENT_RESEND = 7,
};

/** @return the parameter table. */
GPUTM_API const struct gputm_params *gputm_commit_sequencer_params(void);

/**
 * Set @p config to a preset: "kilo-tm" (thesis 4.2, Fig. 6.3 and Table 4.4: log, done-fill and
 * skip packed per warp; 32 warps, 8 partitions), "warptm" (thesis 6.2 and Table 6.1: all packed;
 * 48 warps, 6 partitions, as the rest), "unpacked" (every entry and every CID for itself),
 * "reference" (the authors' simulator; packed as "kilo-tm").
 * @return 0; -EINVAL, no such preset or @p config was not initialised (INIT macro).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_sequencer_config_preset(struct gputm_commit_sequencer_config *config,
				     const char *name);

/**
 * Make an idle sequencer.
 * @param config NULL for the defaults.
 * @return 0; -EINVAL, a field is refused (the log names it), among them warp mode
 * without intra_warp_resolved and an output buffer that could never take one step; -E2BIG,
 * @p config sets a field newer than this library; -ENOMEM. Free it with
 * gputm_commit_sequencer_free().
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_sequencer_new(struct gputm_ctx *ctx,
			   const struct gputm_commit_sequencer_config *config,
			   struct gputm_commit_sequencer **out);
/** Free a sequencer; NULL allowed. The logs stay. */
GPUTM_API void gputm_commit_sequencer_free(struct gputm_commit_sequencer *seq);
/** @return its common face; lives as long as @p seq. */
GPUTM_API struct gputm_unit *gputm_commit_sequencer_unit(struct gputm_commit_sequencer *seq);

/**
 * Say where the logs of @p warp are. Snapshots do not hold it: a load keeps what is
 * attached. The log must have this unit's lanes and partitions, and must not change while
 * the warp commits.
 * @param log NULL takes it away.
 * @return 0; -ERANGE, no such warp; -EINVAL, the log is of another geometry, or the warp commits.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_sequencer_attach(struct gputm_commit_sequencer *seq,
							     uint32_t warp,
							     const struct gputm_tx_log *log);

/**
 * Let the lanes @p lanes of @p warp commit. Lanes with empty logs pass without a CID; if
 * all are, the warp is done at once. The other lanes wait for credits.
 * @return enum gputm_commit_sequencer_result; -ERANGE, no such warp or lane; -EINVAL, no
 * lane, no log, or the warp's commit before is not done (gputm_commit_sequencer_take_done()).
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_sequencer_begin(struct gputm_commit_sequencer *seq,
							    uint32_t warp, uint64_t lanes);
/** @return what gputm_commit_sequencer_begin() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_sequencer_begin_probe(const struct gputm_commit_sequencer *seq, uint32_t warp,
				   uint64_t lanes);

/**
 * Which warp wants how many credits: the one that has waited longest.
 * @return true if one does.
 */
GPUTM_API bool gputm_commit_sequencer_wants(const struct gputm_commit_sequencer *seq,
					    uint32_t *warp, uint32_t *count);
/**
 * Give the warp named by gputm_commit_sequencer_wants() as many CIDs as it wants, from
 * @p first_cid on (gputm_commit_id_acquire()).
 * @return 0; -EINVAL, no warp wants any, or a CID has been granted before: CIDs only grow.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_commit_sequencer_grant(struct gputm_commit_sequencer *seq,
							    uint64_t first_cid);

/**
 * Take a report of the commit unit of @p partition: outcomes, a retirement, or a resend
 * request (gputm/commit_unit.h).
 * @return enum gputm_commit_sequencer_result, busy only for a resend request; -ERANGE, no such
 * partition; -EINVAL, a report that the protocol forbids at this point (the log says which).
 */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_sequencer_push(struct gputm_commit_sequencer *seq, uint32_t partition,
			    const struct gputm_commit_unit_report *report);
/** @return what gputm_commit_sequencer_push() would; changes nothing. */
GPUTM_API GPUTM_MUST_CHECK int
gputm_commit_sequencer_push_probe(const struct gputm_commit_sequencer *seq, uint32_t partition,
				  const struct gputm_commit_unit_report *report);

/**
 * Give the oldest packet without taking it. The words come from the warp's log at this
 * moment. There is none in the rest of a cycle in which one has been taken.
 * @param partition where it goes; @param out NULL allowed: only the partition is wanted. Of
 * its words only those in use are written.
 * @return 1; 0, there is none.
 */
GPUTM_API int gputm_commit_sequencer_peek(const struct gputm_commit_sequencer *seq,
					  uint32_t *partition,
					  struct gputm_commit_unit_message *out);
/** Drop the oldest packet. @return 1; 0, there was none. */
GPUTM_API int gputm_commit_sequencer_pop(struct gputm_commit_sequencer *seq);

/**
 * Back-off before the lanes @p fail run again: min(backoff_base x aborts, backoff_cap),
 * the maximum over the lanes. The thesis has none; the numbers are the released simulator's.
 * @param aborts per lane: how often it has failed in a row, this time included.
 * @return core cycles; 0 without a lane. Lanes that do not exist are ignored.
 */
GPUTM_API uint64_t gputm_commit_sequencer_backoff(const struct gputm_commit_sequencer *seq,
						  uint64_t fail, const uint32_t *aborts);
/**
 * @return true if a transaction that is @p age cycles old must check its read log with
 * ordinary loads: age > watchdog_cycles. The loads and the abort are the caller's.
 */
GPUTM_API bool gputm_commit_sequencer_overdue(const struct gputm_commit_sequencer *seq,
					      uint64_t age);

/**
 * Take the oldest finished warp. No partition can ask for its logs any more: they may be
 * cleared and used again.
 * @return 1; 0, there was none.
 */
GPUTM_API int gputm_commit_sequencer_take_done(struct gputm_commit_sequencer *seq,
					       struct gputm_commit_sequencer_done *out);
/**
 * Take the oldest group of fully retired CIDs, never before its warp's done. Call it every cycle
 * until it gives 0: a slot is free only when its retirement has been taken, and without it begin()
 * is BUSY for ever after @c slots commits.
 * @return 1; 0, there was none.
 */
GPUTM_API int gputm_commit_sequencer_take_retired(struct gputm_commit_sequencer *seq,
						  struct gputm_commit_sequencer_retired *out);

/** What there is to take after a tick, or'd together. */
enum gputm_commit_sequencer_offer {
	GPUTM_COMMIT_SEQUENCER_OFFER_PACKET = 1,  /**< packets */
	GPUTM_COMMIT_SEQUENCER_OFFER_DONE = 2,	  /**< finished warps */
	GPUTM_COMMIT_SEQUENCER_OFFER_RETIRED = 4, /**< groups of retired CIDs */
};
/** One core cycle. @return enum gputm_commit_sequencer_offer. */
GPUTM_API int gputm_commit_sequencer_tick(struct gputm_commit_sequencer *seq);
/** @return exactly how many ticks from now on change nothing but the clock; UINT64_MAX: all. */
GPUTM_API uint64_t gputm_commit_sequencer_next_event(const struct gputm_commit_sequencer *seq);
/**
 * @return how many ticks from now on offer nothing, whatever they change: an owner that pushes,
 * begins and grants nothing meanwhile may advance over them in one call. A lower bound; 0 while
 * there is something to take.
 */
GPUTM_API uint64_t gputm_commit_sequencer_next_offer(const struct gputm_commit_sequencer *seq);
/** Does what @p cycles ticks do, and returns what the last of them would; costs less. */
GPUTM_API int gputm_commit_sequencer_advance(struct gputm_commit_sequencer *seq, uint64_t cycles);
/** @return ticks since new; part of the state in snapshots. */
GPUTM_API uint64_t gputm_commit_sequencer_now(const struct gputm_commit_sequencer *seq);

GPUTM_END_DECLS
#endif /* GPUTM_COMMIT_SEQUENCER_H */
