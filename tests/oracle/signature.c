/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/signature.h"
#include "tests/oracle/h3.h"

#include <stdlib.h>

void oracle_signature_open(struct oracle_signature *o, const struct gputm_signature_config *config)
{
	o->config = *config;
	o->h3 = oracle_h3(config->hashes, config->bits / config->hashes, config->address_bits,
			  config->granularity, config->seed, config->h3_rows);
	o->set = calloc(config->count, sizeof(*o->set));
	if (!o->set)
		abort();
}

void oracle_signature_close(struct oracle_signature *o)
{
	gputm_h3_free(o->h3);
	for (uint32_t i = 0; i < o->config.count; i++)
		free(o->set[i].granule);
	free(o->set);
}

static uint32_t index_of(const struct oracle_signature *o, uint32_t way, uint64_t granule)
{
	if (o->config.hash == GPUTM_SIGNATURE_MODULO)
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

int oracle_signature_insert(struct oracle_signature *o, uint32_t index, uint64_t address)
{
	if (is_bad(o, index, address))
		return -ERANGE;
	add(&o->set[index], address / o->config.granularity);
	return 0;
}

static bool bit_is_set(const struct oracle_signature *o, uint32_t index, uint32_t way, uint32_t bit)
{
	for (size_t i = 0; i < o->set[index].count; i++)
		if (index_of(o, way, o->set[index].granule[i]) == bit)
			return true;
	return false;
}

int oracle_signature_maybe_contains(const struct oracle_signature *o, uint32_t index,
				    uint64_t address)
{
	uint64_t granule = address / o->config.granularity;

	if (is_bad(o, index, address))
		return -ERANGE;
	for (uint32_t way = 0; way < o->config.hashes; way++)
		if (!bit_is_set(o, index, way, index_of(o, way, granule)))
			return GPUTM_SIGNATURE_ABSENT;
	return GPUTM_SIGNATURE_MAYBE;
}

int oracle_signature_clear(struct oracle_signature *o, uint32_t index)
{
	if (is_bad(o, index, 0))
		return -ERANGE;
	o->set[index].count = 0;
	return 0;
}

int oracle_signature_union(struct oracle_signature *o, uint32_t into, uint32_t from)
{
	if (is_bad(o, into, 0) || is_bad(o, from, 0))
		return -ERANGE;
	for (size_t i = 0; into != from && i < o->set[from].count; i++)
		add(&o->set[into], o->set[from].granule[i]);
	return 0;
}

uint32_t oracle_signature_population(const struct oracle_signature *o, uint32_t index)
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

bool oracle_signature_truth(const struct oracle_signature *o, uint32_t index, uint64_t address)
{
	for (size_t i = 0; i < o->set[index].count; i++)
		if (o->set[index].granule[i] == address / o->config.granularity)
			return true;
	return false;
}
