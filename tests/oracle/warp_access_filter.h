/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_WARP_ACCESS_FILTER_H
#define GPUTM_ORACLE_WARP_ACCESS_FILTER_H
/* One warp: all accesses of the attempt in a list, each new one held against all. */
#include <stdbool.h>
#include <stdint.h>

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

void oracle_warp_access_filter_begin(struct oracle_warp_access_filter *o, uint64_t lanes);
void oracle_warp_access_filter_drop(struct oracle_warp_access_filter *o, uint64_t lanes);
/* Gives the lanes that lose. */
uint64_t oracle_warp_access_filter_access(struct oracle_warp_access_filter *o, bool write,
					  uint64_t lanes, const uint64_t *address);

#endif /* GPUTM_ORACLE_WARP_ACCESS_FILTER_H */
