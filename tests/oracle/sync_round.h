/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SYNC_ROUND_H
#define GPUTM_ORACLE_SYNC_ROUND_H
/*
 * Rounds the slow way: cycle by cycle, with a link that counts down, kernels that arrive and are
 * worked off one after the other, and a counter for every cycle in which a device stands.
 */
#include "gputm/sync_round.h"
#include "tests/oracle/stats.h"

#define ORACLE_SYNC_ROUND_STATS                                                                \
	rounds, succeeded, failed, cut_short, early_chunks, chunks, shipped_bytes,             \
		shadow_bytes, copied_back, realigned, execution, validation, merge,            \
		cpu_blocked, cpu_drain, cpu_waits, cpu_merge, gpu_blocked, gpu_drain,          \
		gpu_waits, gpu_validates, gpu_merge, link_early, link_logs, link_copies,       \
		link_idle

struct oracle_sync_round {
	struct gputm_sync_round_config config;
	unsigned step;
	enum gputm_sync_round_what open;
	bool conflict, cpu_stands, gpu_stands;
	bool runs_wait;		 /* until the GPU and the link are free */
	uint64_t runs_cycles;	 /* what they will take then */
	uint64_t age, early_in;	 /* cycles of this phase; until the next early validation */
	uint64_t link_left;	 /* cycles that the link is busy */
	uint64_t *link_use;	 /* which counter counts them */
	struct {
		uint64_t arrives_in, cycles;
		bool early;
	} kernel[256];
	unsigned kernels;
	ORACLE_STATS(ORACLE_SYNC_ROUND_STATS);
};

void oracle_sync_round_open(struct oracle_sync_round *o,
			    const struct gputm_sync_round_config *config);
bool oracle_sync_round_begin(struct oracle_sync_round *o);
bool oracle_sync_round_stop(struct oracle_sync_round *o);
void oracle_sync_round_tick(struct oracle_sync_round *o); /* one cycle passes */
void oracle_sync_round_next(struct oracle_sync_round *o, struct gputm_sync_round_todo *todo);
void oracle_sync_round_complete(struct oracle_sync_round *o,
				const struct gputm_sync_round_done *done);
bool oracle_sync_round_may_run(const struct oracle_sync_round *o,
			       enum gputm_sync_round_device device);

#endif /* GPUTM_ORACLE_SYNC_ROUND_H */
