/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H
#define GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H
/* SCR the slow way: the filter is the slow signature of tests/oracle, or pairs of lanes. */
#include "gputm/sequential_resolver.h"
#include "tests/oracle/ownership_table.h"
#include "tests/oracle/signature.h"

#define ORACLE_SEQUENTIAL_RESOLVER_STATS                                                       \
	ORACLE_RESOLVER_STATS, lanes_unresolved, checked, hits, inserted

struct oracle_sequential_resolver {
	struct gputm_sequential_resolver_config config;
	struct oracle_signature filter;
	struct {
		struct oracle_resolver core;
		uint64_t lanes_unresolved, checked, hits, inserted;
	} stats;
};

void oracle_sequential_resolver_open(struct oracle_sequential_resolver *o,
				     const struct gputm_sequential_resolver_config *config);
void oracle_sequential_resolver_close(struct oracle_sequential_resolver *o);
struct gputm_resolution oracle_sequential_resolver_resolve(struct oracle_sequential_resolver *o,
							   uint64_t active,
							   const struct gputm_warp_logs *logs);

#endif /* GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H */
