/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SIGNATURE_H
#define GPUTM_ORACLE_SIGNATURE_H
/*
 * Signatures the slow way: per signature the list of granules inserted. A look-up
 * asks, for every hash, whether any of them has the same index; indices come bit by bit
 * from the public rows of the H3 family, or by division.
 */
#include "tests/oracle/h3.h"
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

/* The functions give the same answers as the unit's of their names. */

static inline void oracle_signature_open(struct oracle_signature *o,
					 const struct gputm_signature_config *config)
{
	ORACLE_OPEN(o, config);
	o->h3 = oracle_h3(config->hashes, config->bits / config->hashes, config->address_bits,
			  config->granularity, config->seed, config->h3_rows);
	o->set = calloc(config->count, sizeof(*o->set));
	if (!o->set)
		abort();
}

static inline void oracle_signature_close(struct oracle_signature *o)
{
	gputm_h3_free(o->h3);
	for (uint32_t i = 0; i < o->config.count; i++)
		free(o->set[i].granule);
	free(o->set);
}

static uint32_t index_of(const struct oracle_signature *o, uint32_t way, uint64_t granule)
{
	if (o->config.hash == GPUTM_SIGNATURE_HASH_MODULO)
		return (uint32_t)(granule % o->config.bits);
	return oracle_h3_index(o->h3, way, granule);
}

static bool is_bad(const struct oracle_signature *o, uint32_t index, uint64_t address)
{
	return index >= o->config.count ||
	       (o->config.address_bits < 64 && address >> o->config.address_bits);
}

static void add(struct oracle_signature_set *set, uint64_t granule)
{
	set->granule = realloc(set->granule, (set->count + 1) * sizeof(*set->granule));
	if (!set->granule)
		abort();
	set->granule[set->count++] = granule;
}

static bool bit_is_set(const struct oracle_signature *o, uint32_t index, uint32_t way, uint32_t bit)
{
	for (size_t i = 0; i < o->set[index].count; i++)
		if (index_of(o, way, o->set[index].granule[i]) == bit)
			return true;
	return false;
}

static int contains(const struct oracle_signature *o, uint32_t index, uint64_t address)
{
	uint64_t granule = address / o->config.granularity;

	for (uint32_t way = 0; way < o->config.hashes; way++)
		if (!bit_is_set(o, index, way, index_of(o, way, granule)))
			return GPUTM_SIGNATURE_ABSENT;
	return GPUTM_SIGNATURE_MAYBE;
}

static inline int oracle_signature_insert(struct oracle_signature *o, uint32_t index,
					  uint64_t address)
{
	if (is_bad(o, index, address))
		return -ERANGE;
	o->stats.insertions++;
	++*(contains(o, index, address) ? &o->stats.repeated : &o->stats.fresh);
	add(&o->set[index], address / o->config.granularity);
	return 0;
}

static inline int oracle_signature_maybe_contains(struct oracle_signature *o, uint32_t index,
						  uint64_t address)
{
	int answer;

	if (is_bad(o, index, address))
		return -ERANGE;
	answer = contains(o, index, address);
	o->stats.lookups++;
	++*(answer ? &o->stats.hits : &o->stats.misses);
	return answer;
}

static inline int oracle_signature_match(struct oracle_signature *o, uint64_t address,
					 uint64_t *mask)
{
	int found = 0;

	if (is_bad(o, 0, address))
		return -ERANGE;
	for (uint32_t i = 0; i < o->config.count; i++)
		if (contains(o, i, address)) {
			mask[i / 64] |= UINT64_C(1) << i % 64;
			found++;
		}
	o->stats.matches++;
	o->stats.matched += (unsigned)found;
	return found;
}

static inline int oracle_signature_clear(struct oracle_signature *o, uint32_t index)
{
	if (is_bad(o, index, 0))
		return -ERANGE;
	o->set[index].count = 0;
	o->stats.clears++;
	return 0;
}

static inline int oracle_signature_union(struct oracle_signature *o, uint32_t into, uint32_t from)
{
	if (is_bad(o, into, 0) || is_bad(o, from, 0))
		return -ERANGE;
	for (size_t i = 0; into != from && i < o->set[from].count; i++)
		add(&o->set[into], o->set[from].granule[i]);
	o->stats.unions++;
	return 0;
}

static inline uint32_t oracle_signature_population(const struct oracle_signature *o, uint32_t index)
{
	uint32_t set = 0;

	if (is_bad(o, index, 0))
		return 0;
	for (uint32_t way = 0; way < o->config.hashes; way++) {
		bool seen[1 << 15] = { false };

		for (size_t i = 0; i < o->set[index].count; i++) {
			uint32_t bit = index_of(o, way, o->set[index].granule[i]);

			set += !seen[bit];
			seen[bit] = true;
		}
	}
	return set;
}

static inline void oracle_signature_count_bits(struct oracle_signature *o)
{
	o->stats.bits_set = 0;
	for (uint32_t i = 0; i < o->config.count; i++)
		o->stats.bits_set += oracle_signature_population(o, i);
}

/* Whether the granule was really inserted. */
static inline bool oracle_signature_truth(const struct oracle_signature *o, uint32_t index,
					  uint64_t address)
{
	for (size_t i = 0; i < o->set[index].count; i++)
		if (o->set[index].granule[i] == address / o->config.granularity)
			return true;
	return false;
}

#endif /* GPUTM_ORACLE_SIGNATURE_H */
