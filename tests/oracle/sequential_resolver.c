/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/sequential_resolver.h"

#include "tests/oracle/ownership_table.h"

void oracle_sequential_resolver_open(struct oracle_sequential_resolver *o,
				     const struct gputm_sequential_resolver_config *config)
{
	struct gputm_signature_config filter = GPUTM_SIGNATURE_CONFIG_INIT;

	o->config = *config;
	filter.bits = config->filter_bits;
	filter.hashes = config->hashes;
	filter.granularity = config->granularity;
	filter.address_bits = config->address_bits;
	filter.seed = config->seed;
	oracle_signature_open(&o->filter, &filter);
}

void oracle_sequential_resolver_close(struct oracle_sequential_resolver *o)
{
	oracle_signature_close(&o->filter);
}

static uint64_t entries(const struct gputm_warp_row *row, uint32_t rows, uint32_t lane)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < rows; i++)
		count += row[i].mask >> lane & 1;
	return count;
}

static bool in_filter(const struct oracle_sequential_resolver *o, const struct gputm_warp_row *row,
		      uint32_t rows, uint32_t lane)
{
	for (uint32_t i = 0; i < rows; i++)
		if (row[i].mask >> lane & 1 &&
		    oracle_signature_maybe_contains(&o->filter, 0, row[i].address[lane]) ==
			    GPUTM_SIGNATURE_MAYBE)
			return true;
	return false;
}

static bool conflicts(const struct oracle_sequential_resolver *o,
		      const struct gputm_warp_logs *logs, uint64_t survivors, uint32_t lane)
{
	if (!o->config.exact)
		return in_filter(o, logs->read, logs->read_rows, lane) ||
		       in_filter(o, logs->write, logs->write_rows, lane);
	for (uint32_t early = 0; early < lane; early++)
		if (survivors >> early & 1 &&
		    oracle_logs_conflict(logs, early, lane, o->config.granularity))
			return true;
	return false;
}

static void insert(struct oracle_sequential_resolver *o, const struct gputm_warp_logs *logs,
		   uint32_t lane)
{
	for (uint32_t i = 0; i < logs->write_rows; i++)
		if (logs->write[i].mask >> lane & 1)
			(void)oracle_signature_insert(&o->filter, 0,
						      logs->write[i].address[lane]);
}

struct gputm_resolution oracle_sequential_resolver_resolve(struct oracle_sequential_resolver *o,
							   uint64_t active,
							   const struct gputm_warp_logs *logs)
{
	const struct gputm_sequential_resolver_config *c = &o->config;
	uint64_t rows = (uint64_t)logs->read_rows + logs->write_rows;
	struct gputm_resolution r = { 0 };

	(void)oracle_signature_clear(&o->filter, 0);
	r.initialise_cycles = c->filter_bits / (8 * c->access_bytes) +
			      (c->filter_bits % (8 * c->access_bytes) != 0);
	for (uint32_t lane = 0; lane < 64; lane++) {
		uint64_t writes = entries(logs->write, logs->write_rows, lane);
		uint64_t words = writes + entries(logs->read, logs->read_rows, lane);

		if (!(active >> lane & 1))
			continue;
		if (r.survived | r.aborted) {
			r.match_cycles += rows * c->log_cycles + words * c->hashes;
			r.log_rows += rows;
			r.steps += words;
		}
		if (conflicts(o, logs, r.survived, lane)) {
			r.aborted |= UINT64_C(1) << lane;
			continue;
		}
		r.survived |= UINT64_C(1) << lane;
		insert(o, logs, lane);
		r.construct_cycles += logs->write_rows * c->log_cycles + writes * c->hashes;
		r.log_rows += logs->write_rows;
		r.steps += writes;
	}
	return r;
}
