/* SPDX-License-Identifier: BSD-2-Clause */
/* What is explored: README.md has the table of what came of it. */
#include "tests/explore/block.h"
#include "tests/explore/former.h"
#include "tests/explore/hetm.h"
#include "tests/explore/local.h"
#include "tests/explore/systems.h"

#define GETM .system = &host_getm, .word_stride = 256
/* Words in one partition, and next to no room in its unit. */
#define GETM_SMALL                                                                             \
	.system = &host_getm, .word_stride = 512,                                              \
	.set = { "validation_unit.stall_lines=1", "validation_unit.stall_requests=1",          \
		 "validation_unit.stash=0", "validation_unit.ways=1",                          \
		 "validation_unit.entries=1" }
/* Times below 3: a rollover comes soon, and there is no end of attempts. */
#define GETM_ROLLOVER                                                                          \
	.system = &host_getm, .word_stride = 256, .words = 1, .ordered = true,                 \
	.set = { "validation_unit.time_bits=4", "validation_unit.margin=13",                   \
		 "validation_unit.sequence_bits=1" }
#define KILO .system = &host_kilo, .word_stride = 256
/* No buffers: each log that is needed again is sent again. */
#define KILO_RESEND                                                                            \
	.system = &host_kilo, .word_stride = 256,                                              \
	.set = { "commit_unit.buffers=0", "commit_unit.empty_pool=resend" }
#define KILO_STRONG KILO, .set = { "system.isolation=strong" }
#define WARPTM .system = &host_warptm, .word_stride = 256
#define SI .system = &host_si, .word_stride = 256
#define TCD .system = &host_tcd, .word_stride = 256
/* Wavefronts and lanes of a work-group in local memory. */
#define LOCAL(groups, items, ...)                                                              \
	{                                                                                      \
		.local = &(const struct local_trial) {                                         \
			.wavefronts = (groups), .lanes = (items), __VA_ARGS__                  \
		}                                                                              \
	}
/* Warps and lanes of a block whose warps are compacted. */
#define BLOCK(rows, width, ...)                                                                \
	{                                                                                      \
		.block = &(const struct block_trial) {                                         \
			.warps = (rows), .lanes = (width), __VA_ARGS__                         \
		}                                                                              \
	}
/* Warps and lanes of a core whose warps are formed anew. */
#define FORMER(rows, width, ...)                                                               \
	{                                                                                      \
		.former = &(const struct former_trial) {                                       \
			.warps = (rows), .lanes = (width), __VA_ARGS__                         \
		}                                                                              \
	}
/* Transactions of the CPU and of the GPU, of so many words, in rounds. */
#define HETM(cpu, gpu, size, ...)                                                              \
	{                                                                                      \
		.hetm = &(const struct hetm_trial) {                                           \
			.hosts = (cpu), .devices = (gpu), .words = (size), __VA_ARGS__         \
		}                                                                              \
	}
#define ROUND "no serial order explains this round"
#define REPLICA "the replicas differ after a round"
#define SKEW "no serial order explains this end"

const struct explore_case explore_cases[] = {
	{ "getm", EXPLORE_FULL, 0, NULL,
	  { GETM, .cores = 2, .attempts = 1, .reload = true, .seen = "stalled" } },
	{ "getm-again", EXPLORE_FULL, 0, NULL,
	  { GETM, .cores = 2, .attempts = 2, .ordered = true } },
	{ "getm-messages", EXPLORE_FULL, 0, NULL,
	  { GETM, .cores = 2, .attempts = 1, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "getm-ticks", EXPLORE_FULL, 0, NULL,
	  { GETM, .cores = 2, .attempts = 2, .words = 1, .grain = HOST_TICKS, .reduce = true } },
	{ "getm-granule", EXPLORE_FULL, 0, NULL,
	  { .system = &host_getm, .word_stride = 4, .cores = 2, .attempts = 1 } },
	{ "getm-small", EXPLORE_FULL, 0, NULL,
	  { GETM_SMALL, .cores = 2, .attempts = 1, .seen = "abort_estimated" } },
	{ "getm-small-again", EXPLORE_FULL, 0, NULL,
	  { GETM_SMALL, .cores = 2, .attempts = 2, .ordered = true } },
	{ "getm-rollover", EXPLORE_ALWAYS, 0, NULL,
	  { GETM_ROLLOVER, .cores = 2, .circles = true, .seen = "rollovers" } },
	{ "getm-rollover-same", EXPLORE_LARGE, 0, NULL,
	  { GETM_ROLLOVER, .cores = 2, .same = true, .circles = true } },
	{ "getm-rollover-messages", EXPLORE_LARGE, 0, NULL,
	  { GETM_ROLLOVER, .cores = 2, .grain = HOST_MESSAGES, .circles = true } },
	{ "getm-three", EXPLORE_LARGE, 0, NULL,
	  { GETM, .cores = 3, .attempts = 1, .ordered = true } },
	{ "getm-messages-again", EXPLORE_LARGE, 0, NULL,
	  { GETM, .cores = 2, .attempts = 2, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "getm-three-wait", EXPLORE_ALWAYS, 0, NULL,
	  { GETM, .cores = 3, .attempts = 1, .words = 1 } },
	{ "getm-warps-wait", EXPLORE_LARGE, 0, NULL,
	  { .system = &host_getm, .word_stride = 4, .cores = 2, .lanes = 2, .attempts = 1,
	    .ordered = true } },
	{ "getm-paper", EXPLORE_ALWAYS, 8, SKEW,
	  { GETM, .cores = 2, .attempts = 1, .set = { "validation_unit.paper_order=1" } } },
	{ "kilo-tm", EXPLORE_FULL, 0, NULL,
	  { KILO, .cores = 2, .attempts = 1, .ordered = true, .reload = true,
	    .seen = "revalidations" } },
	{ "kilo-tm-any", EXPLORE_LARGE, 0, NULL, { KILO, .cores = 2, .attempts = 1 } },
	{ "kilo-tm-again", EXPLORE_FULL, 0, NULL,
	  { KILO, .cores = 2, .ordered = true } },
	{ "kilo-tm-same", EXPLORE_LARGE, 0, NULL,
	  { KILO, .cores = 2, .ordered = true, .same = true } },
	{ "kilo-tm-resend", EXPLORE_FULL, 0, NULL,
	  { KILO_RESEND, .cores = 2, .attempts = 1, .ordered = true, .seen = "resends" } },
	{ "kilo-tm-messages", EXPLORE_FULL, 0, NULL,
	  { KILO, .cores = 2, .attempts = 1, .words = 1, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "kilo-tm-ticks", EXPLORE_LARGE, 0, NULL,
	  { KILO, .cores = 2, .attempts = 1, .words = 1, .grain = HOST_TICKS, .reduce = true } },
	{ "kilo-tm-two-messages", EXPLORE_LARGE, 0, NULL,
	  { KILO, .cores = 2, .attempts = 1, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "kilo-tm-three", EXPLORE_LARGE, 0, NULL,
	  { KILO, .cores = 3, .attempts = 1, .ordered = true, .in_order = true } },
	{ "kilo-tm-weak", EXPLORE_FULL, 8, SKEW,
	  { KILO, .cores = 2, .attempts = 1, .ordered = true, .plain = true } },
	{ "kilo-tm-strong", EXPLORE_FULL, 0, NULL,
	  { KILO_STRONG, .cores = 2, .attempts = 1, .ordered = true, .plain = true } },
	{ "kilo-tm-strong-any", EXPLORE_LARGE, 0, NULL,
	  { KILO_STRONG, .cores = 2, .attempts = 1, .plain = true } },
	{ "kilo-tm-strong-messages", EXPLORE_LARGE, 0, NULL,
	  { KILO_STRONG, .cores = 2, .attempts = 1, .ordered = true, .plain = true,
	    .grain = HOST_MESSAGES, .reduce = true } },
	{ "kilo-tm-strong-three", EXPLORE_LARGE, 0, NULL,
	  { KILO_STRONG, .cores = 3, .attempts = 1, .ordered = true, .plain = true,
	    .in_order = true } },
	{ "warp-getm", EXPLORE_ALWAYS, 0, NULL,
	  { GETM, .cores = 1, .lanes = 2, .attempts = 2, .ordered = true } },
	{ "warp-kilo-tm", EXPLORE_FULL, 0, NULL,
	  { KILO, .cores = 1, .lanes = 2, .ordered = true } },
	{ "warptm", EXPLORE_ALWAYS, 0, NULL,
	  { WARPTM, .cores = 1, .lanes = 2, .ordered = true } },
	{ "warptm-scr", EXPLORE_FULL, 0, NULL,
	  { WARPTM, .set = { "system.resolver=scr" }, .cores = 1, .lanes = 2, .ordered = true } },
	{ "warptm-two", EXPLORE_FULL, 0, NULL,
	  { WARPTM, .cores = 2, .lanes = 2, .words = 1, .attempts = 1, .ordered = true } },
	{ "warptm-four", EXPLORE_LARGE, 0, NULL,
	  { WARPTM, .cores = 2, .lanes = 2, .attempts = 1, .ordered = true } },
	{ "tcd", EXPLORE_FULL, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .ordered = true, .seen = "second_chance" } },
	{ "tcd-one", EXPLORE_ALWAYS, 0, NULL,
	  { TCD, .cores = 2, .words = 1, .ordered = true, .reload = true } },
	{ "tcd-any", EXPLORE_LARGE, 0, NULL, { TCD, .cores = 2, .attempts = 1 } },
	{ "tcd-again", EXPLORE_LARGE, 0, NULL, { TCD, .cores = 2, .ordered = true } },
	{ "tcd-same", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .ordered = true, .same = true } },
	{ "tcd-messages", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .words = 1, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "tcd-messages-two", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "tcd-reader", EXPLORE_FULL, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .split = true, .ordered = true,
	    .grain = HOST_MESSAGES, .reduce = true, .seen = "guard_conflicts" } },
	{ "tcd-reader-any", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .split = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "tcd-reader-again", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .split = true, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "tcd-reader-ticks", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .attempts = 1, .split = true, .ordered = true, .grain = HOST_TICKS,
	    .reduce = true } },
	{ "tcd-warps", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 2, .lanes = 2, .words = 1, .attempts = 1, .ordered = true } },
	{ "tcd-three", EXPLORE_LARGE, 0, NULL,
	  { TCD, .cores = 3, .attempts = 1, .ordered = true, .in_order = true } },
	{ "tcd-late", EXPLORE_FULL, 10, SKEW,
	  { .system = &host_tcd_late, .word_stride = 256, .cores = 2, .attempts = 1,
	    .split = true } },
	{ "tcd-no-guard", EXPLORE_FULL, 24, SKEW,
	  { TCD, .set = { "tcd.guard_writeback=0" }, .cores = 2, .attempts = 1, .split = true,
	    .ordered = true, .grain = HOST_MESSAGES, .reduce = true } },
	{ "si-tm", EXPLORE_FULL, 0, NULL,
	  { SI, .cores = 2, .attempts = 1, .reload = true, .seen = "loops" } },
	{ "si-tm-again", EXPLORE_LARGE, 0, NULL, { SI, .cores = 2, .ordered = true } },
	{ "si-tm-same", EXPLORE_LARGE, 0, NULL,
	  { SI, .cores = 2, .ordered = true, .same = true } },
	{ "si-tm-one", EXPLORE_ALWAYS, 0, NULL, { SI, .cores = 2, .words = 1, .reload = true } },
	{ "si-tm-no-vote", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "system.vote=0" }, .cores = 2, .words = 1, .attempts = 1,
	    .grain = HOST_MESSAGES, .reduce = true } },
	{ "si-tm-ids", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "timestamp_table.transactions=2", "writer_table.transactions=2" },
	    .cores = 3, .words = 1, .attempts = 1, .ordered = true } },
	{ "si-tm-writers", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "writer_table.entries=1" }, .cores = 3, .words = 1, .attempts = 2,
	    .ordered = true, .seen = "full" } },
	{ "si-tm-readers", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "reader_list.entries=1" }, .cores = 2, .lanes = 2, .words = 1,
	    .attempts = 1, .ordered = true, .seen = "full" } },
	{ "si-tm-warp", EXPLORE_FULL, 0, NULL, { SI, .cores = 1, .lanes = 2, .ordered = true } },
	{ "si-tm-warps", EXPLORE_FULL, 0, NULL,
	  { SI, .cores = 2, .lanes = 2, .words = 1, .attempts = 1, .ordered = true,
	    .seen = "expanded" } },
	{ "si-tm-restart", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "timestamp_table.stamp_bits=5", "version_table.stamp_bits=5",
			 "timestamp_table.increment=20" },
	    .cores = 3, .words = 1, .attempts = 1, .ordered = true, .seen = "restarts" } },
	{ "si-tm-messages", EXPLORE_FULL, 0, NULL,
	  { SI, .cores = 2, .words = 1, .attempts = 1, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "si-tm-messages-two", EXPLORE_LARGE, 0, NULL,
	  { SI, .cores = 2, .attempts = 1, .ordered = true, .grain = HOST_MESSAGES,
	    .reduce = true } },
	{ "si-tm-ticks", EXPLORE_FULL, 0, NULL,
	  { SI, .cores = 2, .words = 1, .attempts = 1, .grain = HOST_TICKS, .reduce = true } },
	{ "si-tm-ticks-two", EXPLORE_LARGE, 0, NULL,
	  { SI, .cores = 2, .attempts = 1, .ordered = true, .grain = HOST_TICKS,
	    .reduce = true } },
	{ "si-tm-three", EXPLORE_LARGE, 0, NULL,
	  { SI, .cores = 3, .attempts = 1, .ordered = true } },
	{ "si-tm-snapshots", EXPLORE_FULL, 0, NULL,
	  { SI, .set = { "system.detection=none" }, .cores = 2, .attempts = 1, .ordered = true,
	    .snapshots = true } },
	{ "si-tm-plain", EXPLORE_FULL, 8, SKEW,
	  { SI, .set = { "system.detection=none" }, .cores = 2, .attempts = 1,
	    .ordered = true } },
	{ "si-tm-literal", EXPLORE_ALWAYS, 7, "no snapshots explain this end",
	  { SI, .set = { "system.literal=1" }, .cores = 2, .attempts = 1, .ordered = true,
	    .snapshots = true } },
	{ "si-tm-fig7", EXPLORE_FULL, 8, SKEW,
	  { SI, .set = { "timestamp_table.literal=1" }, .cores = 2, .attempts = 1,
	    .ordered = true } },
	{ "si-tm-forgets", EXPLORE_FULL, 7, SKEW,
	  { SI, .set = { "writer_table.release_at_commit=1" }, .cores = 2, .attempts = 1,
	    .ordered = true } },
	{ "si-tm-blind", EXPLORE_FULL, 8, SKEW,
	  { .system = &host_si_blind, .word_stride = 256, .cores = 2, .attempts = 1,
	    .ordered = true } },
	{ "si-tm-leaks", EXPLORE_ALWAYS, 2, "a transaction is left at the end",
	  { .system = &host_si_leaks, .word_stride = 256, .cores = 2, .attempts = 1,
	    .ordered = true } },
	{ "local-tm", EXPLORE_ALWAYS, 0, NULL, LOCAL(2, 1, .words = 2, .banks = 2) },
	{ "local-tm-bit", EXPLORE_FULL, 0, NULL, LOCAL(2, 1, .words = 2, .banks = 1) },
	{ "local-tm-lanes", EXPLORE_FULL, 0, NULL,
	  LOCAL(2, 2, .words = 1, .banks = 1, .ordered = true) },
	{ "local-tm-three", EXPLORE_FULL, 0, NULL,
	  LOCAL(3, 1, .words = 2, .banks = 2, .ordered = true) },
	{ "local-tm-four", EXPLORE_LARGE, 0, NULL,
	  LOCAL(2, 2, .words = 2, .banks = 2, .ordered = true, .together = true) },
	{ "tbc", EXPLORE_ALWAYS, 0, NULL, BLOCK(2, 2, .exits = true) },
	{ "tbc-static", EXPLORE_ALWAYS, 0, NULL, BLOCK(2, 2, .exits = true, .stays = true) },
	{ "tbc-tx", EXPLORE_ALWAYS, 0, NULL, BLOCK(2, 2, .attempts = 2) },
	{ "tbc-tx-parts", EXPLORE_FULL, 0, NULL, BLOCK(2, 2, .attempts = 2, .parts = true) },
	{ "tbc-tx-exits", EXPLORE_LARGE, 0, NULL,
	  BLOCK(2, 2, .attempts = 3, .exits = true, .parts = true) },
	{ "dwf", EXPLORE_ALWAYS, 0, NULL, FORMER(2, 2, .holds = true) },
	{ "dwf-inside", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .holds = true, .inside = true) },
	{ "dwf-blocks", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .holds = true, .apart = true) },
	{ "dwf-greedy", EXPLORE_LARGE, 0, NULL, FORMER(2, 2, .holds = false) },
	{ "dwf-greedy-inside", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .inside = true) },
	{ "dwf-greedy-blocks", EXPLORE_LARGE, 0, NULL, FORMER(2, 2, .apart = true) },
	{ "dwf-wb", EXPLORE_ALWAYS, 0, NULL, FORMER(2, 2, .whole = true) },
	{ "dwf-wb-inside", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .whole = true, .inside = true) },
	{ "dwf-wb-blocks", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .whole = true, .apart = true) },
	{ "dwf-wb-held", EXPLORE_FULL, 0, NULL, FORMER(2, 2, .whole = true, .holds = true) },
	{ "hetm", EXPLORE_ALWAYS, 0, NULL, HETM(1, 1, 2, .rounds = 1, .early = true) },
	{ "hetm-late", EXPLORE_FULL, 0, NULL, HETM(1, 1, 2, .rounds = 1) },
	{ "hetm-basic", EXPLORE_FULL, 0, NULL, HETM(1, 1, 2, .rounds = 1, .basic = true) },
	{ "hetm-any", EXPLORE_LARGE, 0, NULL,
	  HETM(1, 1, 2, .rounds = 2, .early = true, .any = true) },
	{ "hetm-rows", EXPLORE_FULL, 0, NULL,
	  HETM(1, 1, 2, .rounds = 1, .early = true, .coarse = true) },
	{ "hetm-hosts", EXPLORE_LARGE, 0, NULL, HETM(2, 1, 2, .rounds = 1, .early = true) },
	{ "hetm-devices", EXPLORE_LARGE, 0, NULL, HETM(1, 2, 2, .rounds = 1, .early = true) },
	{ "hetm-four-one", EXPLORE_LARGE, 0, NULL,
	  HETM(2, 2, 1, .rounds = 1, .early = true) },
	{ "hetm-four", EXPLORE_LARGE, 0, NULL, HETM(2, 2, 2, .rounds = 1, .early = true) },
	{ "hetm-blind-reads", EXPLORE_ALWAYS, 8, ROUND,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_BLIND_READS) },
	{ "hetm-blind-writes", EXPLORE_ALWAYS, 7, ROUND,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_BLIND_WRITES) },
	{ "hetm-lost-entry", EXPLORE_ALWAYS, 3, REPLICA,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_LOST_ENTRY) },
	{ "hetm-no-verdict", EXPLORE_ALWAYS, 7, ROUND,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_NO_VERDICT) },
	{ "hetm-early-is-last", EXPLORE_ALWAYS, 9, ROUND,
	  HETM(1, 1, 2, .rounds = 1, .early = true, .hole = HETM_EARLY_IS_LAST) },
	{ "hetm-no-stamps", EXPLORE_FULL, 8, REPLICA,
	  HETM(2, 1, 2, .rounds = 1, .hole = HETM_NO_STAMPS) },
	{ "hetm-stale-row", EXPLORE_ALWAYS, 4, ROUND,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_STALE_ROW) },
	{ "hetm-no-realign", EXPLORE_ALWAYS, 7, REPLICA,
	  HETM(1, 1, 2, .rounds = 1, .basic = true, .hole = HETM_NO_REALIGN) },
	{ "hetm-no-replay", EXPLORE_ALWAYS, 5, REPLICA,
	  HETM(1, 1, 2, .rounds = 1, .hole = HETM_NO_REPLAY) },
};
const unsigned explore_case_count = sizeof(explore_cases) / sizeof(*explore_cases);

struct explore_result explore_run(const struct explore_case *one, struct explore_bounds bounds)
{
	const struct local_trial *local = one->trial.local;
	const struct block_trial *block = one->trial.block;
	const struct former_trial *former = one->trial.former;
	const struct hetm_trial *hetm = one->trial.hetm;
	struct explore_result result = local ? local_explore(local, bounds, stdout) :
				       block ? block_explore(block, bounds, stdout) :
				       former ? former_explore(former, bounds, stdout) :
				       hetm  ? hetm_explore(hetm, bounds, stdout) :
					       host_explore(&one->trial, bounds, stdout);
	unsigned lanes = one->trial.lanes ? one->trial.lanes : 1;

	printf("%s %ux%u: %llu states, ", one->name,
	       local ? local->wavefronts * local->lanes :
	       block ? block->warps :
	       former ? former->warps :
	       hetm  ? hetm->hosts + hetm->devices : one->trial.cores * lanes,
	       local		? local->words :
	       block		? block->lanes :
	       former		? former->lanes :
	       hetm		? hetm->words :
	       one->trial.words ? one->trial.words :
				  HOST_WORDS,
	       (unsigned long long)result.states);
	if (*result.wrong)
		printf("wrong after %u steps: %s\n", result.steps, result.wrong);
	else
		printf("%s in %.1f s; %llu steps, %llu ends, %llu outcomes, %llu circles\n",
		       result.closed ? "closed" : "open", result.seconds,
		       (unsigned long long)result.choices, (unsigned long long)result.ends,
		       (unsigned long long)result.outcomes, (unsigned long long)result.circles);
	fflush(stdout);
	return result;
}
