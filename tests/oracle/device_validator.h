/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_DEVICE_VALIDATOR_H
#define GPUTM_ORACLE_DEVICE_VALIDATOR_H
/* Validation the slow way: every write of all rounds in a list, newest found by search. */
#include "tests/oracle/stats.h"

#define ORACLE_DEVICE_VALIDATOR_MOST 16384
#define ORACLE_DEVICE_VALIDATOR_STATS                                                          \
	chunks, tested, early, conflicts, early_conflicts, applied, stale, replayed, overtaken, \
		rounds, failed_rounds, failed_early, cycles

struct oracle_device_validator {
	struct gputm_device_validator_config config;
	struct gputm_write_set_log_entry applied[ORACLE_DEVICE_VALIDATOR_MOST];
	uint32_t count;
	uint64_t round;
	bool begun, conflict;
	ORACLE_STATS(ORACLE_DEVICE_VALIDATOR_STATS) stats;
};

static int oracle_device_validator_begin(struct oracle_device_validator *o, uint64_t round)
{
	if (o->begun && round <= o->round)
		return -ERANGE;
	o->stats.rounds++;
	o->begun = true;
	o->round = round;
	o->conflict = false;
	return 0;
}

/* The stamp of the newest write that was applied to a word; 0: none. */
static uint64_t newest(const struct oracle_device_validator *o, uint64_t address)
{
	uint64_t stamp = 0;

	for (uint32_t i = 0; i < o->count; i++)
		if (o->applied[i].address == address && o->applied[i].stamp > stamp)
			stamp = o->applied[i].stamp;
	return stamp;
}

static int judge(const struct oracle_device_validator *o,
		 const struct gputm_write_set_log_chunk *chunk)
{
	if (chunk->round != o->round)
		return -EINVAL;
	for (uint32_t i = 0; i < chunk->count; i++) {
		const struct gputm_write_set_log_entry *e = &chunk->entry[i];

		if (e->address >= o->config.region_bytes)
			return -ERANGE;
		if (e->address % 4)
			return -EINVAL;
		if (!e->stamp || e->stamp >= UINT64_C(1) << o->config.stamp_bits)
			return -ERANGE;
	}
	return 0;
}

static void count(struct oracle_device_validator *o, uint32_t entries, bool first, bool early,
		  bool replay, const struct gputm_device_validator_result *r)
{
	o->stats.chunks++;
	o->stats.cycles += r->cycles;
	o->stats.conflicts += r->conflicts;
	o->stats.failed_rounds += first;
	if (early) {
		o->stats.early += entries;
		o->stats.early_conflicts += r->conflicts;
		o->stats.failed_early += first;
	} else if (replay) {
		o->stats.replayed += r->applied;
		o->stats.overtaken += r->stale;
	} else {
		o->stats.tested += entries;
		o->stats.applied += r->applied;
		o->stats.stale += r->stale;
	}
}

/* As push; read[a] says whether the GPU has accessed the granule of word a / 4. */
static int oracle_device_validator_push(struct oracle_device_validator *o, const bool *read,
					const struct gputm_write_set_log_chunk *chunk,
					enum gputm_device_validator_mode mode, bool *apply,
					struct gputm_device_validator_result *result)
{
	int error = judge(o, chunk);
	uint64_t cycles = 0;

	if (error)
		return error;
	*result = (struct gputm_device_validator_result){ 0 };
	for (uint32_t i = 0; i < chunk->count; i++) {
		const struct gputm_write_set_log_entry *e = &chunk->entry[i];
		uint64_t stamp = newest(o, e->address);

		if (i % o->config.lanes == 0)
			cycles += o->config.entry_cycles + o->config.lock_cycles;
		if (mode != GPUTM_DEVICE_VALIDATOR_MODE_REPLAY && read[e->address / 4])
			result->conflicts++;
		apply[i] = mode == GPUTM_DEVICE_VALIDATOR_MODE_APPLY	   ? e->stamp > stamp
			   : mode == GPUTM_DEVICE_VALIDATOR_MODE_REPLAY ? e->stamp == stamp
								   : false;
		if (apply[i])
			result->applied++;
		else if (mode != GPUTM_DEVICE_VALIDATOR_MODE_EARLY)
			result->stale++;
		if (apply[i] && mode == GPUTM_DEVICE_VALIDATOR_MODE_APPLY)
			o->applied[o->count++] = *e;
	}
	result->cycles = cycles;
	count(o, chunk->count, result->conflicts && !o->conflict,
	      mode == GPUTM_DEVICE_VALIDATOR_MODE_EARLY, mode == GPUTM_DEVICE_VALIDATOR_MODE_REPLAY,
	      result);
	if (result->conflicts)
		o->conflict = true;
	return 0;
}

#endif /* GPUTM_ORACLE_DEVICE_VALIDATOR_H */
