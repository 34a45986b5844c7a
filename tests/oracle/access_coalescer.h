/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_ACCESS_COALESCER_H
#define GPUTM_ORACLE_ACCESS_COALESCER_H
/*
 * The coalescer the slow way: every word is compared with every wide access so far, and
 * addresses are divided.
 */
#include "gputm/access_coalescer.h"
#include "tests/oracle/stats.h"

#define ORACLE_ACCESS_COALESCER_STATS                                                          \
	reads, writes, words, accesses, saved, duplicates, per_group[GPUTM_HISTOGRAM_BUCKETS]

struct oracle_access_coalescer {
	struct gputm_access_coalescer_config config;
	ORACLE_STATS(ORACLE_ACCESS_COALESCER_STATS) stats;
};

/* As gputm_access_coalescer_log(). The words of a wide access that are not written have value 0. */
int oracle_access_coalescer_log(struct oracle_access_coalescer *o, uint32_t count,
				const struct gputm_word_access *access, bool write,
				struct gputm_wide_access *out,
				struct gputm_access_coalescer_summary *summary);

/* Whether two wide accesses say the same; values count only where a word is written. */
bool oracle_access_coalescer_same(const struct gputm_wide_access *a,
				  const struct gputm_wide_access *b, bool write);

#endif /* GPUTM_ORACLE_ACCESS_COALESCER_H */
