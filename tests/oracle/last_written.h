/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_LAST_WRITTEN_H
#define GPUTM_ORACLE_LAST_WRITTEN_H
/* Every write ever recorded, in a list; an answer asks for each sub-array who shares its entry. */
#include "tests/oracle/h3.h"
#include "tests/oracle/stats.h"

#define ORACLE_LAST_WRITTEN_STATS records, queries, expiries, clears

struct oracle_last_written {
	struct gputm_last_written_config config;
	struct gputm_h3 *h3;
	uint64_t *block, *time;
	size_t count;
	uint64_t floor; /* times below it are forgotten */
	ORACLE_STATS(ORACLE_LAST_WRITTEN_STATS) stats;
};

static void oracle_last_written_open(struct oracle_last_written *o,
				     const struct gputm_last_written_config *config)
{
	ORACLE_OPEN(o, config);
	o->h3 = oracle_h3(config->ways, config->entries, config->address_bits, config->granularity,
			  config->seed, config->h3_rows);
}

static void oracle_last_written_close(struct oracle_last_written *o)
{
	gputm_h3_free(o->h3);
	free(o->block);
	free(o->time);
}

static bool is_wide(const struct oracle_last_written *o, uint64_t address)
{
	return o->config.address_bits < 64 && address >> o->config.address_bits;
}

static int oracle_last_written_record(struct oracle_last_written *o, uint64_t address,
				      uint64_t time)
{
	uint64_t base = o->floor ? o->floor - 1 : 0;

	if (is_wide(o, address) || time < base ||
	    (o->config.time_bits < 64 && (time - base) >> o->config.time_bits))
		return -ERANGE;
	o->stats.records++;
	if (time == base)
		return 0;
	o->block = realloc(o->block, (o->count + 1) * sizeof(*o->block));
	o->time = realloc(o->time, (o->count + 1) * sizeof(*o->time));
	if (!o->block || !o->time)
		abort();
	o->block[o->count] = address / o->config.granularity;
	o->time[o->count++] = time;
	return 0;
}

static uint64_t newest_in(const struct oracle_last_written *o, uint32_t way, uint64_t block)
{
	uint64_t index = oracle_h3_index(o->h3, way, block), newest = 0;

	for (size_t i = 0; i < o->count; i++)
		if (o->time[i] >= o->floor && o->time[i] > newest &&
		    oracle_h3_index(o->h3, way, o->block[i]) == index)
			newest = o->time[i];
	return newest;
}

static int oracle_last_written_query(struct oracle_last_written *o, uint64_t address,
				     uint64_t *time)
{
	uint64_t least = UINT64_MAX;

	if (is_wide(o, address))
		return -ERANGE;
	o->stats.queries++;
	for (uint32_t way = 0; way < o->config.ways; way++) {
		uint64_t newest = newest_in(o, way, address / o->config.granularity);

		least = newest < least ? newest : least;
	}
	*time = least;
	return 0;
}

/* The true time at which that block was last written, 0 if never or forgotten. */
static uint64_t oracle_last_written_truth(const struct oracle_last_written *o, uint64_t address)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < o->count; i++)
		if (o->time[i] >= o->floor && o->time[i] > newest &&
		    o->block[i] == address / o->config.granularity)
			newest = o->time[i];
	return newest;
}

static void oracle_last_written_expire(struct oracle_last_written *o, uint64_t floor)
{
	o->stats.expiries += floor > 1 && floor > o->floor;
	o->floor = floor > o->floor ? floor : o->floor;
}

static void oracle_last_written_clear(struct oracle_last_written *o)
{
	o->count = 0;
	o->floor = 0;
	o->stats.clears++;
}

#endif /* GPUTM_ORACLE_LAST_WRITTEN_H */
