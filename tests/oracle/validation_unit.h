/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_VALIDATION_UNIT_H
#define GPUTM_ORACLE_VALIDATION_UNIT_H
/*
 * The protocol over exact metadata of every granule and plain lists: stamps are compared as
 * (time, warp), field by field, waiters are a list in order of arrival.
 */
#include "gputm/validation_unit.h"
#include "tests/oracle/stats.h"

#define ORACLE_VU_GRANULES 16
#define ORACLE_VU_WAITERS 256
#define ORACLE_VALIDATION_UNIT_STATS                                                           \
	cycles, accesses, loads, stores, owned, granted, abort_load_wts, abort_store_wts,      \
		abort_store_rts, abort_buffer, abort_count, abort_rollover, stalled,           \
		woken_total, retries, releases, reserved_writes, released_writes,              \
		access_cycles, cost[GPUTM_HISTOGRAM_BUCKETS], rollovers, accepted, delivered,  \
		woken_max, abort_estimated, pending, buffered

struct oracle_stamp {
	bool ever;
	uint64_t time;
	uint32_t warp;
};

struct oracle_validation_unit {
	struct gputm_validation_unit_config config;
	struct {
		struct oracle_stamp wts, rts;
		uint32_t writes, owner;
		uint64_t sequence;
	} granule[ORACLE_VU_GRANULES];
	struct gputm_validation_request waiting[ORACLE_VU_WAITERS], woken[ORACLE_VU_WAITERS];
	unsigned waits, wakes;
	ORACLE_STATS(ORACLE_VALIDATION_UNIT_STATS) stats;
};

/* The result, and the reported time of an abort. */
int oracle_validation_unit_access(struct oracle_validation_unit *o,
				  const struct gputm_validation_request *r, uint64_t *time);
/* The tag too. */
int oracle_validation_unit_retry(struct oracle_validation_unit *o, uint64_t *tag, uint64_t *time);
/* 0, or -EINVAL. */
int oracle_validation_unit_release(struct oracle_validation_unit *o, uint64_t address,
				   uint32_t warp, uint64_t sequence, uint32_t count);

#endif /* GPUTM_ORACLE_VALIDATION_UNIT_H */
