/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_DEVICE_VALIDATOR_H
#define GPUTM_ORACLE_DEVICE_VALIDATOR_H
/* Validation the slow way: every write of all rounds in a list, newest found by search. */
#include "gputm/device_validator.h"
#include "tests/oracle/stats.h"

#define ORACLE_DEVICE_VALIDATOR_MOST 16384
#define ORACLE_DEVICE_VALIDATOR_STATS                                                          \
	chunks, tested, early, conflicts, early_conflicts, applied, stale, replayed, overtaken, \
		rounds, failed_rounds, failed_early, cycles

struct oracle_device_validator {
	struct gputm_device_validator_config config;
	struct gputm_log_entry applied[ORACLE_DEVICE_VALIDATOR_MOST];
	uint32_t count;
	uint64_t round;
	bool begun, conflict;
	ORACLE_STATS(ORACLE_DEVICE_VALIDATOR_STATS) stats;
};

void oracle_device_validator_open(struct oracle_device_validator *o,
				  const struct gputm_device_validator_config *config);
int oracle_device_validator_begin(struct oracle_device_validator *o, uint64_t round);
/* As push; read[a] says whether the GPU has accessed the granule of word a / 4. */
int oracle_device_validator_push(struct oracle_device_validator *o, const bool *read,
				 const struct gputm_log_chunk *chunk,
				 enum gputm_device_validator_mode mode, bool *apply,
				 struct gputm_device_validator_result *result);

#endif /* GPUTM_ORACLE_DEVICE_VALIDATOR_H */
