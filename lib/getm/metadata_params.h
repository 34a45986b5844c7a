/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_METADATA_PARAMS_H
#define GPUTM_LIB_GETM_METADATA_PARAMS_H
/* Parameters of the metadata table, which a validation unit has too; in the order of a report. */
#include "lib/base/unit.h"

static const char *const gputm__approximations[] = { "filter", "registers" };

#define GPUTM__METADATA_SIZES                                                                  \
	PARAM(entries, 1, 1 << 20, 256, true, "Entries of a way of the metadata table.",       \
	      "GETM Table II"),                                                                \
	PARAM(stash, 0, 64, 4, false, "Entries of the stash; 0 for none.", "GETM Table II"),   \
	PARAM(granularity, 4, 4096, 32, true, "Bytes of a granule.", "GETM VI-B"),             \
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", "")
#define GPUTM__METADATA_COUNT                                                                  \
	PARAM(count_bits, 1, 32, 16, false, "Width of the number of writes, bits.", "")
#define GPUTM__METADATA_RULES                                                                  \
	PARAM(longest_chain, 0, 1024, 32, false, "Swaps of an insertion, at most.",            \
	      "released simulator"),                                                           \
	PARAM(evict_above, 0, 100, 0, false,                                                   \
	      "Percent of the ways in use below which an entry is displaced, not evicted.",    \
	      "released simulator"),                                                           \
	CHOICE(approximate, 0, 1, 0, gputm__approximations,                                    \
	       "Where stamps of granules without an entry are kept.", "GETM V-B1"),               \
	PARAM(filter_ways, 1, 8, 4, false, "Sub-arrays of the filter.", "GETM Table II"),      \
	PARAM(filter_entries, 1, 1 << 20, 64, true, "Pairs of stamps of a sub-array.",         \
	      "GETM Table II"),                                                                \
	PARAM(memory_latency, 0, 100000, 115, false,                                           \
	      "Cycles to visit one overflow entry, or to write one.", "released simulator"),   \
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the hash rows.", "")

#endif /* GPUTM_LIB_GETM_METADATA_PARAMS_H */
