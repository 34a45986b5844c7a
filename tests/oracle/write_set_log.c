/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "tests/oracle/write_set_log.h"

void oracle_write_set_log_open(struct oracle_write_set_log *o,
			       const struct gputm_write_set_log_config *config)
{
	memset(o, 0, sizeof(*o));
	o->config = *config;
}

int oracle_write_set_log_append(struct oracle_write_set_log *o, uint32_t thread,
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
		  struct gputm_log_entry *out, struct gputm_log_chunk *chunk)
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
	*chunk = (struct gputm_log_chunk){ out, count, thread, o->round,
					   (uint64_t)count * o->config.entry_bytes };
}

int oracle_write_set_log_pop(struct oracle_write_set_log *o, unsigned stream, bool partial,
			     struct gputm_log_entry *out, struct gputm_log_chunk *chunk)
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
		*(stream == GPUTM_WRITE_SET_LOG_EARLY ? &o->stats.early :
		  stream == GPUTM_WRITE_SET_LOG_SHIP  ? &o->stats.shipped :
							&o->stats.replayed) += chunk->count;
		return GPUTM_WRITE_SET_LOG_CHUNK;
	}
	return GPUTM_WRITE_SET_LOG_NONE;
}

uint64_t oracle_write_set_log_pending(const struct oracle_write_set_log *o, unsigned stream)
{
	uint64_t count = 0;

	for (uint32_t thread = 0; thread < o->config.threads; thread++)
		count += unseen(o, stream, thread);
	return count;
}

int oracle_write_set_log_begin(struct oracle_write_set_log *o)
{
	if (oracle_write_set_log_pending(o, GPUTM_WRITE_SET_LOG_SHIP))
		return -EINVAL;
	o->stats.before += o->count;
	oracle_most(&o->stats.maximum_round, o->count);
	o->count = 0;
	o->round++;
	return 0;
}
