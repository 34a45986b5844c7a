/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_STALL_BUFFER_H
#define GPUTM_ORACLE_STALL_BUFFER_H
/* All waiting requests in one list, in the order of their arrival. */
#include "gputm/stall_buffer.h"
#include "tests/oracle/stats.h"

#define ORACLE_STALL_MAX 4096
#define ORACLE_STALL_BUFFER_STATS                                                              \
	queued, woken, drained, no_line, no_slot, length_sum, waiting_sum, waiting_max,        \
		lines_max, length_max, waiting

struct oracle_stall_buffer {
	struct gputm_stall_buffer_config config;
	struct gputm_stall_request list[ORACLE_STALL_MAX];
	unsigned count;
	ORACLE_STATS(ORACLE_STALL_BUFFER_STATS) stats;
};

int oracle_stall_buffer_enqueue(struct oracle_stall_buffer *o,
				const struct gputm_stall_request *request);
/* The oldest of the granule with a stamp below `stamp`, and of `warp` unless that is < 0. */
int oracle_stall_buffer_wake(struct oracle_stall_buffer *o, uint64_t address, uint64_t stamp,
			     int64_t warp, struct gputm_stall_request *out);

/* The request that the unit has drained has the oldest stamp of its granule. */
int oracle_stall_buffer_drain(struct oracle_stall_buffer *o, uint64_t address,
			      struct gputm_stall_request *out);

#endif /* GPUTM_ORACLE_STALL_BUFFER_H */
