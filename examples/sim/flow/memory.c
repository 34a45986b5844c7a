/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The L1 is set-associative with a line for each wide access, least recently used out first.
 * A line is in its set from the miss on, with the cycle at which it arrives, so that a second
 * access to it waits for the first one's data and does not cross again. Writes go through and
 * do not allocate; a warp that writes goes on when the last of them is on its way.
 */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t number; /* address / line size + 1; 0: empty */
	uint64_t used, arrives;
};

struct flow_memory {
	struct gputm_access_coalescer *coalescer;
	struct flow_core_config config;
	struct line *line; /* [sets][ways] */
	uint64_t sets, ways, shift;
	uint64_t free_at; /* when the next line may cross */
	uint64_t turn, hits, misses;
	struct gputm_wide_access wide[KERNEL_LANES];
};

int flow_memory_new(struct gputm_ctx *ctx, const struct flow_core_config *config,
		    const struct gputm_access_coalescer_config *coalescer,
		    struct flow_memory **out)
{
	struct flow_memory *m = calloc(1, sizeof(*m));
	int error;

	*out = m;
	if (!m)
		return -ENOMEM;
	m->config = *config;
	error = gputm_access_coalescer_new(ctx, coalescer, &m->coalescer);
	if (error)
		return error;
	while (coalescer->region_bytes >> m->shift > 1)
		m->shift++;
	m->ways = config->l1_ways;
	m->sets = (config->l1_bytes >> m->shift) / m->ways;
	m->sets += !m->sets;
	m->line = calloc(m->sets * m->ways, sizeof(*m->line));
	return m->line ? 0 : -ENOMEM;
}

void flow_memory_free(struct flow_memory *m)
{
	if (!m)
		return;
	gputm_access_coalescer_free(m->coalescer);
	free(m->line);
	free(m);
}

/* The line in its set, or the one that it is to replace. */
static struct line *find(struct flow_memory *m, uint64_t number)
{
	struct line *set = m->line + (number & (m->sets - 1)) * m->ways, *oldest = set;

	for (uint64_t i = 0; i < m->ways; i++) {
		if (set[i].number == number)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

static uint64_t cross(struct flow_memory *m, uint64_t now)
{
	uint64_t start = now > m->free_at ? now : m->free_at;

	m->free_at = start + m->config.memory_interval;
	return start;
}

static uint64_t load(struct flow_memory *m, uint64_t now, uint64_t address)
{
	uint64_t number = (address >> m->shift) + 1;
	struct line *line = find(m, number);

	line->used = ++m->turn;
	if (line->number == number) {
		m->hits++;
	} else {
		m->misses++;
		line->number = number;
		line->arrives = cross(m, now) + m->config.memory_latency;
	}
	return now + m->config.l1_latency > line->arrives ? now + m->config.l1_latency :
							    line->arrives;
}

int flow_memory_access(struct flow_memory *m, uint64_t now, bool write,
		       const struct flow_effect *effect, struct flow_access *out)
{
	static const uint32_t values[KERNEL_LANES];
	int count = gputm_access_coalescer_row(m->coalescer, effect->memory, effect->address,
					       write ? values : NULL, m->wide, NULL);

	if (count < 0)
		return count;
	out->accesses = (uint32_t)count;
	out->done = now;
	for (uint32_t i = 0; i < out->accesses; i++) {
		uint64_t done = write ? cross(m, now + i) + m->config.l1_latency :
					load(m, now + i, m->wide[i].address);

		if (done > out->done)
			out->done = done;
	}
	return 0;
}

void flow_memory_counts(const struct flow_memory *m, uint64_t *hits, uint64_t *misses)
{
	*hits = m->hits;
	*misses = m->misses;
}

const struct gputm_unit *flow_memory_unit(const struct flow_memory *m)
{
	return gputm_access_coalescer_unit(m->coalescer);
}
