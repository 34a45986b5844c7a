/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H
#define GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H
/* SCR the slow way: the filter is the slow signature of tests/oracle, or pairs of lanes. */
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

static void oracle_sequential_resolver_open(struct oracle_sequential_resolver *o,
					    const struct gputm_sequential_resolver_config *config)
{
	struct gputm_signature_config filter = GPUTM_SIGNATURE_CONFIG_INIT;

	ORACLE_OPEN(o, config);
	filter.bits = config->filter_bits;
	filter.hashes = config->hashes;
	filter.granularity = config->granularity;
	filter.address_bits = config->address_bits;
	filter.seed = config->seed;
	oracle_signature_open(&o->filter, &filter);
}

static void oracle_sequential_resolver_close(struct oracle_sequential_resolver *o)
{
	oracle_signature_close(&o->filter);
}

static uint64_t entries(const struct gputm_resolver_row *row, uint32_t rows, uint32_t lane)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < rows; i++)
		count += row[i].mask >> lane & 1;
	return count;
}

/* May a lane that has survived have written to the address? */
static bool is_hit(struct oracle_sequential_resolver *o, const struct gputm_resolver_logs *logs,
		   uint64_t survivors, uint64_t address)
{
	uint64_t bytes = o->config.granularity;

	if (!o->config.exact)
		return oracle_signature_maybe_contains(&o->filter, 0, address) ==
		       GPUTM_SIGNATURE_MAYBE;
	for (uint32_t i = 0; i < logs->write_rows; i++)
		for (uint32_t early = 0; early < 64; early++)
			if (survivors & logs->write[i].mask & UINT64_C(1) << early &&
			    logs->write[i].address[early] / bytes == address / bytes)
				return true;
	return false;
}

static uint64_t hits(struct oracle_sequential_resolver *o, const struct gputm_resolver_logs *logs,
		     const struct gputm_resolver_row *row, uint32_t rows, uint64_t survivors,
		     uint32_t lane)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < rows; i++)
		count += row[i].mask >> lane & 1 &&
			 is_hit(o, logs, survivors, row[i].address[lane]);
	return count;
}

static void insert(struct oracle_sequential_resolver *o, const struct gputm_resolver_logs *logs,
		   uint32_t lane)
{
	for (uint32_t i = 0; i < logs->write_rows; i++)
		if (logs->write[i].mask >> lane & 1)
			(void)oracle_signature_insert(&o->filter, 0,
						      logs->write[i].address[lane]);
}

static struct gputm_resolver_outcome
oracle_sequential_resolver_resolve(struct oracle_sequential_resolver *o, uint64_t active,
				   const struct gputm_resolver_logs *logs)
{
	const struct gputm_sequential_resolver_config *c = &o->config;
	uint64_t rows = (uint64_t)logs->read_rows + logs->write_rows;
	struct gputm_resolver_outcome r = { 0 };

	(void)oracle_signature_clear(&o->filter, 0);
	r.initialise_cycles = c->filter_bits / (8 * c->access_bytes) +
			      (c->filter_bits % (8 * c->access_bytes) != 0);
	for (EACH_LANE(lane, active)) {
		uint64_t writes = entries(logs->write, logs->write_rows, lane);
		uint64_t words = writes + entries(logs->read, logs->read_rows, lane), found;

		if (r.survived | r.aborted) {
			r.match_cycles += rows * c->log_cycles + words * c->hashes;
			r.log_rows += rows;
			r.steps += words;
			o->stats.checked += words;
		}
		found = hits(o, logs, logs->read, logs->read_rows, r.survived, lane) +
			hits(o, logs, logs->write, logs->write_rows, r.survived, lane);
		o->stats.hits += found;
		if (found) {
			r.aborted |= UINT64_C(1) << lane;
			continue;
		}
		o->stats.inserted += writes;
		r.survived |= UINT64_C(1) << lane;
		insert(o, logs, lane);
		r.construct_cycles += logs->write_rows * c->log_cycles + writes * c->hashes;
		r.log_rows += logs->write_rows;
		r.steps += writes;
	}
	oracle_resolver_resolved(&o->stats.core, active, &r);
	return r;
}

#endif /* GPUTM_ORACLE_SEQUENTIAL_RESOLVER_H */
