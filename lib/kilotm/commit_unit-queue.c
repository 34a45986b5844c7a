/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the moves of an entry stand on: words are collected by region, and queued at a port, a
 * request per region.
 */
#include "lib/kilotm/commit_unit-priv.h"

/* ---- coalescing ---- */

uint32_t gputm__commit_to_region(struct gputm__commit_gather *g, uint64_t base)
{
	uint32_t at = (uint32_t)(base * UINT64_C(0x9e3779b97f4a7c15) >> 32) & g->bucket_mask;

	while (g->bucket[at] && g->region[g->bucket[at] - 1].address != base)
		at = (at + 1) & g->bucket_mask;
	if (!g->bucket[at]) {
		g->region[g->regions] = (struct gputm__commit_region){ base, 0, 0, at };
		g->bucket[at] = ++g->regions;
	}
	g->current = g->bucket[at] - 1;
	return g->current;
}

void gputm__commit_flush(struct gputm_commit_unit *self, int which)
{
	struct gputm__commit_gather *g = &self->gather;
	struct gputm__commit_region *region = g->region, *end = region + g->regions;
	struct gputm__commit_port *port = &self->port[which];

	for (; region != end; region++) {
		region->end = port->filled;
		port->filled += region->count;
	}
	for (uint32_t n = 0; n < g->words; n++) {
		uint64_t at = g->region[g->of[n]].end++ & port->mask;

		port->word[at] = g->word[n];
		port->span[at] = 0;
	}
	for (region = g->region; region != end; region++) {
		port->span[(region->end - region->count) & port->mask] = region->count;
		g->bucket[region->bucket] = 0;
	}
	g->regions = g->words = 0;
}

/* An entry's words mostly lie in the regions of the words of the entry before. */
void gputm__commit_collect_buffer(struct gputm_commit_unit *self, uint32_t log, uint32_t index)
{
	const struct gputm__commit_entry *entry = &self->entry[index];
	const struct gputm_commit_word *word = &self->kept[entry->buffer[log]];
	struct gputm__commit_gather *g = &self->gather;
	uint32_t words = entry->words[log], n = g->words, end = n + words;

	for (; n != end; n++, word++) {
		uint64_t base = word->address & self->region_mask;
		uint32_t region = n < words ? 0 : g->of[n - words];

		if (n < words || g->region[region].address != base)
			region = gputm__commit_to_region(g, base);
		g->region[region].count++;
		g->of[n] = region;
		g->word[n] = *word;
	}
	g->words = end;
}
