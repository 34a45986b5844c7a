/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WARP_ACCESS_FILTER_H
#define GPUTM_ORACLE_WARP_ACCESS_FILTER_H
/* One warp: all accesses of the attempt in a list, each new one held against all. */
#include "tests/oracle/stats.h"

#define ORACLE_ACCESSES 8192
#define ORACLE_WARP_ACCESS_FILTER_STATS begins, accesses, noted, lost, dropped, words_max

struct oracle_warp_access_filter_stats {
	uint64_t ORACLE_WARP_ACCESS_FILTER_STATS;
};

struct oracle_warp_access_filter {
	struct {
		uint64_t word;
		unsigned lane;
		bool write;
	} list[ORACLE_ACCESSES];
	unsigned count, words, word_bytes; /* accesses; different words among them */
	uint64_t running;
	struct oracle_warp_access_filter_stats *stats; /* of all warps */
};

static void oracle_warp_access_filter_begin(struct oracle_warp_access_filter *o, uint64_t lanes)
{
	o->count = o->words = 0;
	o->running = lanes;
	o->stats->begins++;
}

static void oracle_warp_access_filter_drop(struct oracle_warp_access_filter *o, uint64_t lanes)
{
	o->running &= ~lanes;
	for (; lanes; lanes /= 2)
		o->stats->dropped += lanes % 2;
}

static bool is_known(const struct oracle_warp_access_filter *o, uint64_t word)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->list[i].word == word)
			return true;
	return false;
}

static bool loses(const struct oracle_warp_access_filter *o, bool write, unsigned lane,
		  uint64_t word)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->list[i].lane != lane && o->running >> o->list[i].lane & 1 &&
		    o->list[i].word == word && (write || o->list[i].write))
			return true;
	return false;
}

/* Gives the lanes that lose. */
static uint64_t oracle_warp_access_filter_access(struct oracle_warp_access_filter *o, bool write,
						 uint64_t lanes, const uint64_t *address)
{
	uint64_t lost = 0;

	for (EACH_LANE(lane, lanes)) {
		o->stats->accesses++;
		if (loses(o, write, lane, address[lane] / o->word_bytes)) {
			lost |= UINT64_C(1) << lane;
			o->running &= ~(UINT64_C(1) << lane);
			o->stats->lost++;
			continue;
		}
		o->stats->noted++;
		o->words += !is_known(o, address[lane] / o->word_bytes);
		oracle_most(&o->stats->words_max, o->words);
		o->list[o->count].word = address[lane] / o->word_bytes;
		o->list[o->count].lane = lane;
		o->list[o->count++].write = write;
	}
	return lost;
}

#endif /* GPUTM_ORACLE_WARP_ACCESS_FILTER_H */
