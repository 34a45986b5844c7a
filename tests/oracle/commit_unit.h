/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_ORACLE_COMMIT_UNIT_H
#define GPUTM_TESTS_ORACLE_COMMIT_UNIT_H
/*
 * What a commit unit must amount to: transactions committed one by one in CID order. A
 * transaction passes if every word it read has that value in the memory that all older
 * ones left behind, and then, if it passes elsewhere too, its writes are done.
 *
 * Around it stands a world that drives a unit through a plan of random warps: cores
 * that send messages in any order the protocol allows, and a memory that completes
 * requests after any delay, those that share a word in order.
 */
#include <stdbool.h>

#include "gputm/commit_unit.h"
#include "tests/oracle/stats.h"

#define ORACLE_WORDS 64	 /* of memory */
#define ORACLE_LOG 12	 /* most words of a log */
#define ORACLE_WARPS 256 /* most of a plan */

#define ORACLE_COMMIT_UNIT_STATS                                                               \
	cycles, messages, messages_full, absorbed, begun, skips, committed, failed_here,       \
		failed_elsewhere, skips_retired, outcomes_passed, outcomes_failed, reads,      \
		writes, validated, revalidated, mismatches, read_requests, write_requests,     \
		requeued, reissued, written, hazard_words, hazards, revalidations,             \
		overflows, resends, words_resent, active, active_max, span_max,                \
		buffers_used, buffers_max, fill_cycles[GPUTM_HISTOGRAM_BUCKETS],               \
		hazard_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		validate_cycles[GPUTM_HISTOGRAM_BUCKETS],                                      \
		verdict_cycles[GPUTM_HISTOGRAM_BUCKETS],                                       \
		commit_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		retire_cycles[GPUTM_HISTOGRAM_BUCKETS],                                        \
		revalidation_distance[GPUTM_HISTOGRAM_BUCKETS], deferrals, words_waiting

struct oracle_log {
	uint32_t words;
	uint32_t at[ORACLE_LOG], value[ORACLE_LOG];
};

struct oracle_tx {
	bool skip, elsewhere, passes;
	struct oracle_log log[2];
	unsigned stage; /* as last seen; RETIRED follows the unit's own */
	uint64_t since;
	bool hazard;
	uint64_t ycid;
};

struct oracle_warp {
	uint64_t first;
	uint32_t lanes;
	bool packed; /* rows of all lanes in one message */
	struct oracle_tx tx[GPUTM_COMMIT_LANES];
	uint32_t sent; /* messages so far */
	uint64_t retired; /* lanes */
	uint64_t told;	  /* lanes with an outcome */
};

struct oracle_plan {
	uint32_t warps, lanes, most_reads, most_writes;
	uint32_t skips; /* in 16 */
	bool private_words; /* no conflicts within a warp */
	bool ordered;	    /* outcomes come in CID order */
	bool entry_done;    /* an entry that has written reports its retirement */
	uint64_t first_cid, seed;
	const struct gputm_commit_unit_config *config;
};

struct oracle_world;

/* Make a world with its plan. */
struct oracle_world *oracle_world_new(const struct oracle_plan *plan);
void oracle_world_free(struct oracle_world *world);

/*
 * One round: push some messages, take reports and requests, complete some requests. What
 * is wrong is said in *wrong. The caller ticks the unit. @return false when all warps have
 * retired and all requests completed.
 */
bool oracle_world_round(struct oracle_world *world, struct gputm_commit_unit *unit,
			const char **wrong);

/* Observes the unit, for the statistics. */
void oracle_world_hear(void *world, const struct gputm_unit *unit,
		       const struct gputm_event *event);

/* Whether memory is as the serial order leaves it. */
bool oracle_world_agrees(const struct oracle_world *world);
/* Statistics at the end of the plan. */
const void *oracle_world_stats(const struct oracle_world *world);

#endif
