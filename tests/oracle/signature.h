/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SIGNATURE_H
#define GPUTM_ORACLE_SIGNATURE_H
/*
 * Signatures the slow way: per signature the list of granules inserted. A look-up
 * asks, for every hash, whether any of them has the same index; indices come bit by bit
 * from the public rows of the H3 family, or by division.
 */
#include <stddef.h>

#include "gputm/signature.h"
#include "tests/oracle/stats.h"

struct oracle_signature_set {
	uint64_t *granule;
	size_t count;
};

#define ORACLE_SIGNATURE_STATS                                                                 \
	insertions, fresh, repeated, lookups, hits, misses, matches, matched, clears, unions,  \
		bits_set

struct oracle_signature {
	struct gputm_signature_config config;
	struct gputm_h3 *h3;
	struct oracle_signature_set *set; /* [config.count] */
	ORACLE_STATS(ORACLE_SIGNATURE_STATS) stats;
};

void oracle_signature_open(struct oracle_signature *o, const struct gputm_signature_config *config);
void oracle_signature_close(struct oracle_signature *o);
/* The same answers as the unit's functions of these names. */
int oracle_signature_insert(struct oracle_signature *o, uint32_t index, uint64_t address);
int oracle_signature_maybe_contains(struct oracle_signature *o, uint32_t index, uint64_t address);
int oracle_signature_match(struct oracle_signature *o, uint64_t address, uint64_t *mask);
int oracle_signature_clear(struct oracle_signature *o, uint32_t index);
int oracle_signature_union(struct oracle_signature *o, uint32_t into, uint32_t from);
uint32_t oracle_signature_population(const struct oracle_signature *o, uint32_t index);
void oracle_signature_count_bits(struct oracle_signature *o);
/* Whether the granule was really inserted. */
bool oracle_signature_truth(const struct oracle_signature *o, uint32_t index, uint64_t address);

#endif /* GPUTM_ORACLE_SIGNATURE_H */
