/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_OWNERSHIP_TABLE_H
#define GPUTM_ORACLE_OWNERSHIP_TABLE_H
/*
 * Logs of a warp for tests, and 2PCR the slow way: lanes are compared pair by pair, and the
 * entry of an address comes bit by bit from the public rows of the H3 family.
 */
#include "tests/oracle/h3.h"
#include "tests/oracle/stats.h"

#define ORACLE_LOG_ROWS 6

/* Logs with room of their own. */
struct oracle_logs {
	struct gputm_resolver_logs logs;
	struct gputm_resolver_row row[2][ORACLE_LOG_ROWS]; /* read, write */
	uint64_t address[2][ORACLE_LOG_ROWS][64];
};

/* What both resolvers count, from the lanes and the resolution of each warp. */
#define ORACLE_RESOLVER_STATS                                                                  \
	acquired, refused, released, used, used_max, lanes_taken, lanes_survived,              \
		lanes_aborted, initialise_cycles, construct_cycles, match_cycles, log_rows, steps

struct oracle_resolver {
	uint64_t ORACLE_RESOLVER_STATS;
};

#define ORACLE_OWNERSHIP_TABLE_STATS ORACLE_RESOLVER_STATS, read_conflicts, write_conflicts

struct oracle_ownership_table {
	struct gputm_ownership_table_config config;
	struct gputm_h3 *h3;
	struct {
		struct oracle_resolver core;
		uint64_t read_conflicts, write_conflicts;
	} stats;
};

/* ---- logs ---- */

/* Up to ORACLE_LOG_ROWS rows of each kind over `words` words from address 0. */
static inline void oracle_logs_draw(struct oracle_logs *o, uint32_t lanes, uint64_t words,
				    uint64_t (*below)(void *source, uint64_t limit), void *source)
{
	memset(o, 0, sizeof(*o));
	o->logs.read = o->row[0];
	o->logs.write = o->row[1];
	o->logs.read_rows = (uint32_t)below(source, ORACLE_LOG_ROWS + 1);
	o->logs.write_rows = (uint32_t)below(source, ORACLE_LOG_ROWS + 1);
	for (int kind = 0; kind < 2; kind++)
		for (uint32_t i = 0; i < ORACLE_LOG_ROWS; i++) {
			uint64_t void_lanes = below(source, 3) ? 0 : below(source, UINT64_MAX);

			o->row[kind][i].address = o->address[kind][i];
			o->row[kind][i].mask = ~void_lanes & UINT64_MAX >> (64 - lanes);
			for (uint32_t lane = 0; lane < lanes; lane++)
				o->address[kind][i][lane] = 4 * below(source, words);
		}
}

static bool is_in(const struct gputm_resolver_row *row, uint32_t rows, uint32_t lane,
		  uint64_t region, uint64_t granularity)
{
	for (uint32_t i = 0; i < rows; i++)
		if (row[i].mask >> lane & 1 && row[i].address[lane] / granularity == region)
			return true;
	return false;
}

static bool touches(const struct gputm_resolver_logs *logs, uint32_t lane, uint64_t region,
		    uint64_t granularity)
{
	return is_in(logs->read, logs->read_rows, lane, region, granularity) ||
	       is_in(logs->write, logs->write_rows, lane, region, granularity);
}

/* Whether lane `late` reads or writes a region of these bytes that `early` writes. */
static inline bool oracle_logs_conflict(const struct gputm_resolver_logs *logs, uint32_t early,
					uint32_t late, uint64_t granularity)
{
	for (uint32_t i = 0; i < logs->write_rows; i++) {
		const struct gputm_resolver_row *row = &logs->write[i];

		if (row->mask >> early & 1 &&
		    touches(logs, late, row->address[early] / granularity, granularity))
			return true;
	}
	return false;
}

/* A memory of a few words; every word is 0 before the warp commits. */
struct memory {
	uint64_t address[64 * ORACLE_LOG_ROWS];
	uint32_t writer[64 * ORACLE_LOG_ROWS]; /* lane + 1 */
	size_t count;
};

static uint32_t load(const struct memory *m, uint64_t address)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->address[i] == address)
			return m->writer[i];
	return 0;
}

static bool run_lane(struct memory *m, const struct gputm_resolver_logs *logs, uint32_t lane)
{
	for (uint32_t i = 0; i < logs->read_rows; i++)
		if (logs->read[i].mask >> lane & 1 && load(m, logs->read[i].address[lane]))
			return false;
	for (uint32_t i = 0; i < logs->write_rows; i++) {
		uint32_t writer;

		if (!(logs->write[i].mask >> lane & 1))
			continue;
		writer = load(m, logs->write[i].address[lane]);
		if (writer && writer != lane + 1)
			return false;
		m->address[m->count] = logs->write[i].address[lane];
		m->writer[m->count++] = lane + 1;
	}
	return true;
}

/*
 * Runs the survivors one after the other in lane order on a memory of words. Whether each
 * reads what stood there before all of them, and no word is written by two.
 */
static inline bool oracle_logs_serialisable(const struct gputm_resolver_logs *logs,
					    uint64_t survivors)
{
	struct memory memory;

	memory.count = 0;
	for (uint32_t lane = 0; lane < 64; lane++)
		if (survivors >> lane & 1 && !run_lane(&memory, logs, lane))
			return false;
	return true;
}

/* ---- statistics of resolvers ---- */

static inline void oracle_resolver_resolved(struct oracle_resolver *o, uint64_t active,
					    const struct gputm_resolver_outcome *r)
{
	o->acquired++;
	o->used++;
	oracle_most(&o->used_max, o->used);
	o->lanes_taken += oracle_lanes(active);
	o->initialise_cycles += r->initialise_cycles;
	o->construct_cycles += r->construct_cycles;
	o->match_cycles += r->match_cycles;
	o->log_rows += r->log_rows;
	o->steps += r->steps;
}

static inline void oracle_resolver_released(struct oracle_resolver *o,
					    const struct gputm_resolver_outcome *r)
{
	o->released++;
	o->used--;
	o->lanes_survived += oracle_lanes(r->survived);
	o->lanes_aborted += oracle_lanes(r->aborted);
}

/* ---- 2PCR ---- */

static inline void oracle_ownership_table_open(struct oracle_ownership_table *o,
					       const struct gputm_ownership_table_config *config)
{
	ORACLE_OPEN(o, config);
	o->h3 = oracle_h3(1, config->entries, config->address_bits, config->granularity,
			  config->seed, config->h3_rows);
}

static inline void oracle_ownership_table_close(struct oracle_ownership_table *o)
{
	gputm_h3_free(o->h3);
}

static uint64_t entry_of(const struct oracle_ownership_table *o, uint64_t address)
{
	uint64_t region = address / o->config.granularity;

	if (o->config.exact)
		return region;
	if (o->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_LOW_BITS)
		return region % o->config.entries;
	if (o->config.hash == GPUTM_OWNERSHIP_TABLE_HASH_RELEASED)
		return (region % o->config.entries + region / o->config.entries * 17) %
		       o->config.entries;
	return oracle_h3_index(o->h3, 0, region);
}

/* Whether one of the lanes, in the first `rows` write rows, writes to the entry. */
static bool written(const struct oracle_ownership_table *o, const struct gputm_resolver_logs *logs,
		    uint32_t rows, uint64_t lanes, uint64_t entry)
{
	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t lane = 0; lane < 64; lane++)
			if (lanes & logs->write[i].mask & UINT64_C(1) << lane &&
			    entry_of(o, logs->write[i].address[lane]) == entry)
				return true;
	return false;
}

static bool aborts(struct oracle_ownership_table *o, const struct gputm_resolver_logs *logs,
		   uint64_t active, uint32_t lane)
{
	uint64_t lower = active & ((UINT64_C(1) << lane) - 1);
	uint32_t rows = logs->write_rows;

	for (uint32_t i = 0; i < logs->read_rows; i++)
		if (logs->read[i].mask >> lane & 1 &&
		    written(o, logs, rows, lower, entry_of(o, logs->read[i].address[lane]))) {
			o->stats.read_conflicts++;
			return true;
		}
	for (uint32_t i = 0; i < logs->write_rows; i++)
		if (logs->write[i].mask >> lane & 1 &&
		    written(o, logs, rows, lower, entry_of(o, logs->write[i].address[lane]))) {
			o->stats.write_conflicts++;
			return true;
		}
	return false;
}

/* A row changes an entry iff some lane is the first up to it to claim its entry so low. */
static bool changes(const struct oracle_ownership_table *o, const struct gputm_resolver_logs *logs,
		    uint64_t active, uint32_t row)
{
	for (uint32_t lane = 0; lane < 64; lane++) {
		uint64_t up_to = UINT64_MAX >> (63 - lane) & active;

		if (active & logs->write[row].mask & UINT64_C(1) << lane &&
		    !written(o, logs, row, up_to, entry_of(o, logs->write[row].address[lane])))
			return true;
	}
	return false;
}

static inline struct gputm_resolver_outcome
oracle_ownership_table_resolve(struct oracle_ownership_table *o, uint64_t active,
			       const struct gputm_resolver_logs *logs)
{
	const struct gputm_ownership_table_config *c = &o->config;
	uint64_t rows = (uint64_t)logs->read_rows + logs->write_rows;
	struct gputm_resolver_outcome r = { 0 };

	for (uint32_t lane = 0; lane < 64; lane++)
		if (active >> lane & 1 && aborts(o, logs, active, lane))
			r.aborted |= UINT64_C(1) << lane;
	r.survived = active & ~r.aborted;
	r.initialise_cycles = (c->entries / c->access_bytes + (c->entries % c->access_bytes != 0)) *
			      c->table_cycles;
	for (uint32_t i = 0; i < logs->write_rows; i++)
		r.construct_cycles += c->log_cycles + c->table_cycles +
				      (changes(o, logs, active, i) ? c->table_cycles : 0);
	r.match_cycles = rows * (c->log_cycles + c->table_cycles);
	r.log_rows = rows + logs->write_rows;
	r.steps = 1 + r.log_rows;
	oracle_resolver_resolved(&o->stats.core, active, &r);
	return r;
}

#endif /* GPUTM_ORACLE_OWNERSHIP_TABLE_H */
