/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WRITE_SET_LOG_H
#define GPUTM_ORACLE_WRITE_SET_LOG_H
/* Logs the slow way: one list of all writes of a round, with a flag per stream that saw it. */
#include "tests/oracle/stats.h"

#define ORACLE_WRITE_SET_LOG_MOST 8192
#define ORACLE_WRITE_SET_LOG_STATS                                                             \
	appended, before, early, shipped, replayed, chunks, maximum_round

struct oracle_write_set_log {
	struct gputm_write_set_log_config config;
	struct oracle_log_write {
		struct gputm_write_set_log_entry entry;
		uint32_t thread;
		bool seen[3];
	} write[ORACLE_WRITE_SET_LOG_MOST];
	uint32_t count;
	uint32_t after[3]; /* the thread that a stream was served from last, + 1 */
	uint64_t round;
	uint64_t last[1024]; /* stamp of each thread */
	ORACLE_STATS(ORACLE_WRITE_SET_LOG_STATS) stats;
};

/* The functions give the same answers as the unit's of their names. */

static int oracle_write_set_log_append(struct oracle_write_set_log *o, uint32_t thread,
				       uint64_t address, uint32_t value, uint64_t stamp)
{
	if (thread >= o->config.threads || address >= o->config.region_bytes)
		return -ERANGE;
	if (address % 4)
		return -EINVAL;
	if (stamp == 0 || stamp < o->last[thread] || stamp >= UINT64_C(1) << o->config.stamp_bits)
		return -ERANGE;
	o->last[thread] = stamp;
	o->stats.appended++;
	o->write[o->count++] =
		(struct oracle_log_write){ .entry = { address, stamp, value }, .thread = thread };
	return 0;
}

static uint64_t unseen(const struct oracle_write_set_log *o, unsigned stream, uint32_t thread)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < o->count; i++)
		count += o->write[i].thread == thread && !o->write[i].seen[stream];
	return count;
}

static void serve(struct oracle_write_set_log *o, unsigned stream, uint32_t thread, uint32_t most,
		  struct gputm_write_set_log_entry *out, struct gputm_write_set_log_chunk *chunk)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < o->count && count < most; i++) {
		struct oracle_log_write *w = &o->write[i];

		if (w->thread != thread || w->seen[stream])
			continue;
		w->seen[stream] = true;
		out[count++] = w->entry;
	}
	o->after[stream] = thread + 1;
	*chunk = (struct gputm_write_set_log_chunk){ out, count, thread, o->round,
					   (uint64_t)count * o->config.entry_bytes };
}

/* As pop; the entries are copied to out[], of config.chunk_bytes / config.entry_bytes. */
static int oracle_write_set_log_pop(struct oracle_write_set_log *o, unsigned stream, bool partial,
				    struct gputm_write_set_log_entry *out,
				    struct gputm_write_set_log_chunk *chunk)
{
	uint32_t full = o->config.chunk_bytes / o->config.entry_bytes;

	if (stream > 2)
		return -ERANGE;
	for (uint32_t i = 0; i < o->config.threads; i++) {
		uint32_t thread = (o->after[stream] + i) % o->config.threads;

		if (unseen(o, stream, thread) < (partial ? 1 : full))
			continue;
		serve(o, stream, thread, full, out, chunk);
		o->stats.chunks++;
		*(stream == GPUTM_WRITE_SET_LOG_STREAM_EARLY  ? &o->stats.early
		  : stream == GPUTM_WRITE_SET_LOG_STREAM_SHIP ? &o->stats.shipped
							      : &o->stats.replayed) += chunk->count;
		return GPUTM_WRITE_SET_LOG_CHUNK;
	}
	return GPUTM_WRITE_SET_LOG_NONE;
}

static uint64_t oracle_write_set_log_pending(const struct oracle_write_set_log *o, unsigned stream)
{
	uint64_t count = 0;

	for (uint32_t thread = 0; thread < o->config.threads; thread++)
		count += unseen(o, stream, thread);
	return count;
}

static int oracle_write_set_log_begin(struct oracle_write_set_log *o)
{
	if (oracle_write_set_log_pending(o, GPUTM_WRITE_SET_LOG_STREAM_SHIP))
		return -EINVAL;
	o->stats.before += o->count;
	oracle_most(&o->stats.maximum_round, o->count);
	o->count = 0;
	o->round++;
	return 0;
}

#endif /* GPUTM_ORACLE_WRITE_SET_LOG_H */
