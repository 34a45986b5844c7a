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
/* The words' addresses differ in all bits from 2 on: an error at one bit is seen. */
#define KILO .system = &host_kilo, .word_stride = 0x1fc
/* No buffers: each log that is needed again is sent again. */
#define KILO_RESEND                                                                            \
	KILO,                                                                                  \
	.set = { "commit_unit.buffers=0", "commit_unit.empty_pool=resend" }
/* The released simulator's rules of time. */
#define PASSING                                                                                \
	.set = { "commit_unit.ordered_outcomes=passing", "commit_unit.entry_done=written" }
#define KILO_PASSING KILO, PASSING
#define KILO_STRONG KILO, .set = { "system.isolation=strong" }
#define WARPTM .system = &host_warptm, .word_stride = 256
#define SI .system = &host_si, .word_stride = 256
#define EAPG .system = &host_eapg, .word_stride = 256
#define TCD .system = &host_tcd, .word_stride = 256
/* Wavefronts and lanes of a work-group in local memory. */
#define LOCAL(groups, items, ...)                                                              \
	.local = &(const struct local_trial){ .wavefronts = (groups), .lanes = (items),        \
					      __VA_ARGS__ }
/* Warps and lanes of a block whose warps are compacted. */
#define BLOCK(rows, width, ...)                                                                \
	.block = &(const struct block_trial){ .warps = (rows), .lanes = (width), __VA_ARGS__ }
/* Warps and lanes of a core whose warps are formed anew. */
#define FORMER(rows, width, ...)                                                               \
	.former = &(const struct former_trial){ .warps = (rows), .lanes = (width), __VA_ARGS__ }
/* Transactions of the CPU and of the GPU, of so many words, in rounds. */
#define HETM(cpu, gpu, size, ...)                                                              \
	.hetm = &(const struct hetm_trial){ .hosts = (cpu), .devices = (gpu), .words = (size), \
					    __VA_ARGS__ }
#define ROUND "no serial order explains this round"
#define REPLICA "the replicas differ after a round"
#define SKEW "no serial order explains this end"
#define MESSAGES .grain = HOST_MESSAGES, .reduce = true
#define TICKS .grain = HOST_TICKS, .reduce = true

/* What closes, and what has a known hole: after so many steps this is wrong. */
#define CASE(NAME, WHEN, ...) { NAME, EXPLORE_##WHEN, 0, NULL, { __VA_ARGS__ } }
#define HOLE(NAME, WHEN, STEPS, WRONG, ...)                                                    \
	{ NAME, EXPLORE_##WHEN, STEPS, WRONG, { __VA_ARGS__ } }

const struct explore_case explore_cases[] = {
	CASE("getm", FULL, GETM, .cores = 2, .attempts = 1, .reload = true, .seen = "stalled"),
	CASE("getm-again", MORE, GETM, .cores = 2, .attempts = 2, .ordered = true),
	CASE("getm-messages", MORE, GETM, .cores = 2, .attempts = 1, .ordered = true, MESSAGES),
	CASE("getm-ticks", MORE, GETM, .cores = 2, .attempts = 2, .words = 1, TICKS),
	CASE("getm-granule", MORE, .system = &host_getm, .word_stride = 4, .cores = 2,
	     .attempts = 1),
	CASE("getm-small", MORE, GETM_SMALL, .cores = 2, .attempts = 1, .seen = "abort_estimated"),
	CASE("getm-small-again", MORE, GETM_SMALL, .cores = 2, .attempts = 2, .ordered = true),
	CASE("getm-rollover", ALWAYS, GETM_ROLLOVER, .cores = 2, .circles = true,
	     .seen = "rollovers"),
	CASE("getm-rollover-same", LARGE, GETM_ROLLOVER, .cores = 2, .same = true, .circles = true),
	CASE("getm-rollover-messages", LARGE, GETM_ROLLOVER, .cores = 2, .grain = HOST_MESSAGES,
	     .circles = true),
	CASE("getm-three", LARGE, GETM, .cores = 3, .attempts = 1, .ordered = true),
	CASE("getm-messages-again", LARGE, GETM, .cores = 2, .attempts = 2, .ordered = true,
	     MESSAGES),
	CASE("getm-three-wait", ALWAYS, GETM, .cores = 3, .attempts = 1, .words = 1),
	CASE("getm-warps-wait", LARGE, .system = &host_getm, .word_stride = 4, .cores = 2,
	     .lanes = 2, .attempts = 1, .ordered = true),
	HOLE("getm-paper", ALWAYS, 8, SKEW, GETM, .cores = 2, .attempts = 1,
	     .set = { "validation_unit.paper_order=1" }),
	CASE("kilo-tm", MORE, KILO, .cores = 2, .attempts = 1, .ordered = true, .reload = true,
	     .seen = "revalidations"),
	CASE("kilo-tm-any", LARGE, KILO, .cores = 2, .attempts = 1),
	CASE("kilo-tm-again", MORE, KILO, .cores = 2, .ordered = true),
	CASE("kilo-tm-same", LARGE, KILO, .cores = 2, .ordered = true, .same = true),
	CASE("kilo-tm-resend", MORE, KILO_RESEND, .cores = 2, .attempts = 1, .ordered = true,
	     .seen = "resends"),
	CASE("kilo-tm-passing", MORE, KILO_PASSING, .cores = 2, .attempts = 1, .ordered = true,
	     .reload = true, .seen = "revalidations"),
	CASE("kilo-tm-passing-messages", MORE, KILO_PASSING, .cores = 2, .attempts = 1, .words = 1,
	     MESSAGES),
	CASE("kilo-tm-messages", MORE, KILO, .cores = 2, .attempts = 1, .words = 1, MESSAGES),
	CASE("kilo-tm-ticks", LARGE, KILO, .cores = 2, .attempts = 1, .words = 1, TICKS),
	CASE("kilo-tm-two-messages", LARGE, KILO, .cores = 2, .attempts = 1, .ordered = true,
	     MESSAGES),
	CASE("kilo-tm-three", LARGE, KILO, .cores = 3, .attempts = 1, .ordered = true,
	     .in_order = true),
	HOLE("kilo-tm-weak", FULL, 8, SKEW, KILO, .cores = 2, .attempts = 1, .ordered = true,
	     .plain = true),
	CASE("kilo-tm-strong", MORE, KILO_STRONG, .cores = 2, .attempts = 1, .ordered = true,
	     .plain = true),
	CASE("kilo-tm-strong-any", LARGE, KILO_STRONG, .cores = 2, .attempts = 1, .plain = true),
	CASE("kilo-tm-strong-messages", LARGE, KILO_STRONG, .cores = 2, .attempts = 1,
	     .ordered = true, .plain = true, MESSAGES),
	CASE("kilo-tm-strong-three", LARGE, KILO_STRONG, .cores = 3, .attempts = 1, .ordered = true,
	     .plain = true, .in_order = true),
	CASE("warp-getm", ALWAYS, GETM, .cores = 1, .lanes = 2, .attempts = 2, .ordered = true),
	CASE("warp-getm-2pcr", MORE, GETM, .set = { "system.resolver=2pcr" }, .cores = 1,
	     .lanes = 2, .attempts = 2, .ordered = true),
	CASE("warp-kilo-tm", MORE, KILO, .cores = 1, .lanes = 2, .ordered = true),
	CASE("warptm", ALWAYS, WARPTM, .cores = 1, .lanes = 2, .ordered = true),
	CASE("warptm-passing", MORE, WARPTM, PASSING, .cores = 2, .lanes = 2, .words = 1,
	     .attempts = 1, .ordered = true),
	CASE("warptm-scr", MORE, WARPTM, .set = { "system.resolver=scr" }, .cores = 1, .lanes = 2,
	     .ordered = true),
	CASE("warptm-two", MORE, WARPTM, .cores = 2, .lanes = 2, .words = 1, .attempts = 1,
	     .ordered = true),
	CASE("warptm-four", LARGE, WARPTM, .cores = 2, .lanes = 2, .attempts = 1, .ordered = true),
	CASE("tcd", MORE, TCD, .cores = 2, .attempts = 1, .ordered = true, .seen = "second_chance"),
	CASE("tcd-one", ALWAYS, TCD, .cores = 2, .words = 1, .ordered = true, .reload = true),
	CASE("tcd-any", LARGE, TCD, .cores = 2, .attempts = 1),
	CASE("tcd-again", LARGE, TCD, .cores = 2, .ordered = true),
	CASE("tcd-same", LARGE, TCD, .cores = 2, .ordered = true, .same = true),
	CASE("tcd-messages", LARGE, TCD, .cores = 2, .attempts = 1, .words = 1, MESSAGES),
	CASE("tcd-messages-two", LARGE, TCD, .cores = 2, .attempts = 1, .ordered = true, MESSAGES),
	CASE("tcd-reader", MORE, TCD, .cores = 2, .attempts = 1, .split = true, .ordered = true,
	     MESSAGES, .seen = "guard_conflicts"),
	CASE("tcd-reader-any", LARGE, TCD, .cores = 2, .attempts = 1, .split = true, MESSAGES),
	CASE("tcd-reader-again", LARGE, TCD, .cores = 2, .split = true, .ordered = true, MESSAGES),
	CASE("tcd-reader-ticks", LARGE, TCD, .cores = 2, .attempts = 1, .split = true,
	     .ordered = true, TICKS),
	CASE("tcd-warps", LARGE, TCD, .cores = 2, .lanes = 2, .words = 1, .attempts = 1,
	     .ordered = true),
	CASE("tcd-three", LARGE, TCD, .cores = 3, .attempts = 1, .ordered = true, .in_order = true),
	CASE("eapg", MORE, EAPG, .cores = 2, .attempts = 1, .ordered = true, .reload = true,
	     .seen = "conflicts"),
	CASE("eapg-again", LARGE, EAPG, .cores = 2, .ordered = true),
	CASE("eapg-one", ALWAYS, EAPG, .cores = 2, .words = 1, .ordered = true,
	     .seen = "conflicts"),
	CASE("eapg-running", MORE, EAPG, .set = { "system.early_abort=running" }, .cores = 2,
	     .attempts = 1, .ordered = true),
	CASE("eapg-warps", LARGE, EAPG, .cores = 2, .lanes = 2, .words = 1, .attempts = 1,
	     .ordered = true, .seen = "conflicts"),
	CASE("eapg-messages", LARGE, EAPG, .cores = 2, .attempts = 1, .words = 1, .ordered = true,
	     MESSAGES),
	CASE("eapg-three", LARGE, EAPG, .cores = 3, .attempts = 1, .ordered = true,
	     .in_order = true),
	HOLE("tcd-late", FULL, 10, SKEW, .system = &host_tcd_late, .word_stride = 256, .cores = 2,
	     .attempts = 1, .split = true),
	HOLE("tcd-no-guard", FULL, 24, SKEW, TCD, .set = { "tcd.guard_writeback=0" }, .cores = 2,
	     .attempts = 1, .split = true, .ordered = true, MESSAGES),
	CASE("si-tm", MORE, SI, .cores = 2, .attempts = 1, .reload = true, .seen = "loops"),
	CASE("si-tm-again", LARGE, SI, .cores = 2, .ordered = true),
	CASE("si-tm-same", LARGE, SI, .cores = 2, .ordered = true, .same = true),
	CASE("si-tm-one", ALWAYS, SI, .cores = 2, .words = 1, .reload = true),
	CASE("si-tm-no-vote", FULL, SI, .set = { "system.vote=0" }, .cores = 2, .words = 1,
	     .attempts = 1, MESSAGES),
	CASE("si-tm-ids", FULL, SI,
	     .set = { "timestamp_table.transactions=2", "writer_table.transactions=2" }, .cores = 3,
	     .words = 1, .attempts = 1, .ordered = true),
	CASE("si-tm-writers", MORE, SI, .set = { "writer_table.entries=1" }, .cores = 3, .words = 1,
	     .attempts = 2, .ordered = true, .seen = "full"),
	CASE("si-tm-readers", FULL, SI, .set = { "reader_list.entries=1" }, .cores = 2, .lanes = 2,
	     .words = 1, .attempts = 1, .ordered = true, .seen = "full"),
	CASE("si-tm-warp", FULL, SI, .cores = 1, .lanes = 2, .ordered = true),
	CASE("si-tm-warps", MORE, SI, .cores = 2, .lanes = 2, .words = 1, .attempts = 1,
	     .ordered = true, .seen = "expanded"),
	CASE("si-tm-restart", FULL, SI,
	     .set = { "timestamp_table.stamp_bits=5", "version_table.stamp_bits=5",
		      "timestamp_table.increment=20" },
	     .cores = 3, .words = 1, .attempts = 1, .ordered = true, .seen = "restarts"),
	CASE("si-tm-messages", FULL, SI, .cores = 2, .words = 1, .attempts = 1, MESSAGES),
	CASE("si-tm-messages-two", LARGE, SI, .cores = 2, .attempts = 1, .ordered = true, MESSAGES),
	CASE("si-tm-ticks", MORE, SI, .cores = 2, .words = 1, .attempts = 1, TICKS),
	CASE("si-tm-ticks-two", LARGE, SI, .cores = 2, .attempts = 1, .ordered = true, TICKS),
	CASE("si-tm-three", LARGE, SI, .cores = 3, .attempts = 1, .ordered = true),
	CASE("si-tm-snapshots", FULL, SI, .set = { "system.detection=none" }, .cores = 2,
	     .attempts = 1, .ordered = true, .snapshots = true),
	HOLE("si-tm-plain", FULL, 8, SKEW, SI, .set = { "system.detection=none" }, .cores = 2,
	     .attempts = 1, .ordered = true),
	HOLE("si-tm-literal", ALWAYS, 7, "no snapshots explain this end", SI,
	     .set = { "system.literal=1" }, .cores = 2, .attempts = 1, .ordered = true,
	     .snapshots = true),
	HOLE("si-tm-fig7", FULL, 8, SKEW, SI, .set = { "timestamp_table.literal=1" }, .cores = 2,
	     .attempts = 1, .ordered = true),
	HOLE("si-tm-forgets", FULL, 7, SKEW, SI, .set = { "writer_table.release_at_commit=1" },
	     .cores = 2, .attempts = 1, .ordered = true),
	HOLE("si-tm-blind", FULL, 8, SKEW, .system = &host_si_blind, .word_stride = 256, .cores = 2,
	     .attempts = 1, .ordered = true),
	HOLE("si-tm-leaks", ALWAYS, 2, "a transaction is left at the end", .system = &host_si_leaks,
	     .word_stride = 256, .cores = 2, .attempts = 1, .ordered = true),
	CASE("local-tm", ALWAYS, LOCAL(2, 1, .words = 2, .banks = 2)),
	CASE("local-tm-bit", FULL, LOCAL(2, 1, .words = 2, .banks = 1)),
	CASE("local-tm-lanes", MORE, LOCAL(2, 2, .words = 1, .banks = 1, .ordered = true)),
	CASE("local-tm-three", MORE, LOCAL(3, 1, .words = 2, .banks = 2, .ordered = true)),
	CASE("local-tm-four", LARGE,
	     LOCAL(2, 2, .words = 2, .banks = 2, .ordered = true, .together = true)),
	CASE("tbc", ALWAYS, BLOCK(2, 2, .exits = true)),
	CASE("tbc-static", ALWAYS, BLOCK(2, 2, .exits = true, .stays = true)),
	CASE("tbc-tx", ALWAYS, BLOCK(2, 2, .attempts = 2)),
	CASE("tbc-tx-parts", FULL, BLOCK(2, 2, .attempts = 2, .parts = true)),
	CASE("tbc-tx-exits", LARGE, BLOCK(2, 2, .attempts = 3, .exits = true, .parts = true)),
	CASE("dwf", ALWAYS, FORMER(2, 2, .holds = true)),
	CASE("dwf-inside", MORE, FORMER(2, 2, .holds = true, .inside = true)),
	CASE("dwf-blocks", MORE, FORMER(2, 2, .holds = true, .apart = true)),
	CASE("dwf-greedy", LARGE, FORMER(2, 2, .holds = false)),
	CASE("dwf-greedy-inside", MORE, FORMER(2, 2, .inside = true)),
	CASE("dwf-greedy-blocks", LARGE, FORMER(2, 2, .apart = true)),
	CASE("dwf-wb", MORE, FORMER(2, 2, .whole = true)),
	CASE("dwf-wb-inside", MORE, FORMER(2, 2, .whole = true, .inside = true)),
	CASE("dwf-wb-blocks", MORE, FORMER(2, 2, .whole = true, .apart = true)),
	CASE("dwf-wb-held", ALWAYS, FORMER(2, 2, .whole = true, .holds = true)),
	CASE("hetm", MORE, HETM(1, 1, 2, .rounds = 1, .early = true)),
	CASE("hetm-late", MORE, HETM(1, 1, 2, .rounds = 1)),
	CASE("hetm-basic", ALWAYS, HETM(1, 1, 2, .rounds = 1, .basic = true)),
	CASE("hetm-any", LARGE, HETM(1, 1, 2, .rounds = 2, .early = true, .any = true)),
	CASE("hetm-rows", MORE, HETM(1, 1, 2, .rounds = 1, .early = true, .coarse = true)),
	CASE("hetm-hosts", LARGE, HETM(2, 1, 2, .rounds = 1, .early = true)),
	CASE("hetm-devices", LARGE, HETM(1, 2, 2, .rounds = 1, .early = true)),
	CASE("hetm-four-one", LARGE, HETM(2, 2, 1, .rounds = 1, .early = true)),
	CASE("hetm-four", LARGE, HETM(2, 2, 2, .rounds = 1, .early = true)),
	HOLE("hetm-blind-reads", ALWAYS, 8, ROUND,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_BLIND_READS)),
	HOLE("hetm-blind-writes", ALWAYS, 7, ROUND,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_BLIND_WRITES)),
	HOLE("hetm-lost-entry", ALWAYS, 3, REPLICA,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_LOST_ENTRY)),
	HOLE("hetm-no-verdict", ALWAYS, 7, ROUND,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_NO_VERDICT)),
	HOLE("hetm-early-is-last", ALWAYS, 9, ROUND,
	     HETM(1, 1, 2, .rounds = 1, .early = true, .hole = HETM_EARLY_IS_LAST)),
	HOLE("hetm-no-stamps", MORE, 8, REPLICA,
	     HETM(2, 1, 2, .rounds = 1, .hole = HETM_NO_STAMPS)),
	HOLE("hetm-stale-row", ALWAYS, 4, ROUND,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_STALE_ROW)),
	HOLE("hetm-no-realign", ALWAYS, 7, REPLICA,
	     HETM(1, 1, 2, .rounds = 1, .basic = true, .hole = HETM_NO_REALIGN)),
	HOLE("hetm-no-replay", ALWAYS, 5, REPLICA,
	     HETM(1, 1, 2, .rounds = 1, .hole = HETM_NO_REPLAY)),
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
