/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_table, 4 x 1024, stash of 4. Bounds are by hand for look-ups: packed cells of the
 * four ways from one table word per key byte, keys of 32 bits, nothing checked or counted.
 */
#include "tests/bench/bench.h"

#define KEYS 1024
#define CELLS 4096

struct table {
	struct gputm_metadata_table *unit;
	uint64_t present[KEYS], absent[KEYS];
	uint64_t random;
	uint64_t held[CELLS]; /* ring of reserved granules */
	uint32_t first, count;
	uint64_t tight[4][256];
	uint32_t key[CELLS];
	struct {
		uint32_t wts, rts, writes, owner;
	} meta[CELLS];
};

static uint64_t granule(struct table *t, uint64_t top)
{
	return (bench_next(&t->random) & 0x3fffffe0) | top;
}

static void insert(struct table *t, uint64_t address, uint32_t writes)
{
	struct gputm_metadata_table_entry m = { 5, 4, writes, 1, UINT32_MAX, 0 };

	bench_use((uint64_t)gputm_metadata_table_update(t->unit, address, &m, NULL));
}

/* A granule that an access found nowhere. */
static void insert_new(struct table *t, uint64_t address, uint32_t writes)
{
	uint64_t wts = 0, rts = 0;

	bench_use((uint64_t)gputm_metadata_table_estimate(t->unit, address, &wts, &rts));
	insert(t, address, writes);
}

static void hold(struct table *t, uint64_t address)
{
	insert_new(t, address, 1);
	t->held[(t->first + t->count++) % CELLS] = address;
}

static void fill_bound(struct table *t)
{
	for (unsigned byte = 0; byte < 4; byte++)
		for (unsigned i = 0; i < 256; i++)
			t->tight[byte][i] = bench_next(&t->random) & 0x03ff03ff03ff03ff;
	for (unsigned i = 0; i < CELLS; i++)
		t->key[i] = 1;
}

static uint64_t tight_cells(const struct table *t, uint32_t key)
{
	return (t->tight[0][key & 255] ^ t->tight[1][key >> 8 & 255] ^
		t->tight[2][key >> 16 & 255] ^ t->tight[3][key >> 24]) |
	       UINT64_C(0x0c00080004000000);
}

BENCH_SETUP(setup, struct table *t)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;

	config.entries = 1024;
	config.filter_entries = 256;
	bench_must(gputm_metadata_table_new(NULL, &config, &t->unit));
	fill_bound(t);
	for (unsigned i = 0; i < KEYS; i++)
		t->absent[i] = granule(t, 0x80000000);
	while (t->count < CELLS * given / 100)
		hold(t, granule(t, 0));
	for (unsigned i = 0; i < 3 * CELLS; i++)
		insert(t, granule(t, 0x40000000), 0);
	for (unsigned i = 0; i < KEYS; i++) {
		t->present[i] = given ? t->held[i] : granule(t, 0x40000000);
		insert(t, t->present[i], 1);
		t->key[(uint16_t)(tight_cells(t, (uint32_t)t->present[i]) >> 16 * (i & 3))] =
			(uint32_t)t->present[i];
	}
}

BENCH_LOOP(hit, struct table *t)
{
	struct gputm_metadata_table_entry m;

	return gputm_metadata_table_lookup(t->unit, t->present[i % KEYS], &m) > 0 ? m.wts : 0;
}

BENCH_LOOP(miss, struct table *t)
{
	struct gputm_metadata_table_entry m;

	return (uint64_t)gputm_metadata_table_lookup(t->unit, t->absent[i % KEYS], &m);
}

BENCH_LOOP(estimate, struct table *t)
{
	uint64_t wts = 0, rts = 0;

	bench_must(gputm_metadata_table_estimate(t->unit, t->absent[i % KEYS], &wts, &rts));
	return wts + rts;
}

BENCH_LOOP(get, struct table *t)
{
	struct gputm_metadata_table_entry m;

	bench_must(gputm_metadata_table_query(t->unit, t->absent[i % KEYS], &m));
	return m.wts + m.rts;
}

BENCH_TURN(reserve, struct table *t,
	   gputm_metadata_table_add_writes(t->unit, t->present[i / 2 % KEYS], i & 1 ? -1 : 1, 1,
					   NULL))

BENCH_LOOP(update, struct table *t)
{
	struct gputm_metadata_table_entry m = { 5, 4, 1, 1, 0, 0 };

	if (gputm_metadata_table_lookup(t->unit, t->present[i % KEYS], &m) <= 0)
		return 0;
	m.rts = i;
	return (uint64_t)gputm_metadata_table_update(t->unit, t->present[i % KEYS], &m,
						     NULL);
}

/* A granule without reservation takes the place of another. */
BENCH_DO(insert_unlocked, struct table *t, insert_new(t, granule(t, 0x80000000), 0))

/* The oldest reservation goes and is taken out, another comes. */
BENCH_LOOP(remove_insert, struct table *t)
{
	uint64_t oldest = t->held[t->first];

	t->first = (t->first + 1) % CELLS;
	t->count--;
	insert(t, oldest, 0);
	bench_use((uint64_t)gputm_metadata_table_remove(t->unit, oldest));
	hold(t, granule(t, 0));
	return 0;
}

BENCH_TIGHT static uint32_t tight_lookup(const struct table *t, uint32_t key, uint32_t *wts)
{
	uint64_t cells = tight_cells(t, key);
	uint32_t at;

	if (t->key[at = cells & 0xffff] != key && t->key[at = cells >> 16 & 0xffff] != key &&
	    t->key[at = cells >> 32 & 0xffff] != key && t->key[at = (uint32_t)(cells >> 48)] != key)
		return 0;
	wts[0] = t->meta[at].wts;
	wts[1] = t->meta[at].rts;
	wts[2] = t->meta[at].writes;
	wts[3] = t->meta[at].owner;
	return 1;
}

static uint64_t bound(const struct table *t, uint64_t address)
{
	uint32_t wts[4] = { 0 };

	return tight_lookup(t, (uint32_t)address, wts) + wts[0];
}

BENCH_TURN(bound_hit, struct table *t, bound(t, t->present[i % KEYS]))

BENCH_TURN(bound_miss, struct table *t, bound(t, t->absent[i % KEYS]))

static const struct bench_op operations[] = {
	{ "lookup, hit", setup, 0, hit, "gputm_metadata_table_lookup",
	  .bound = bound_hit, .bound_inside = "tight_lookup" },
	{ "lookup, miss", setup, 50, miss, "gputm_metadata_table_lookup",
	  .bound = bound_miss, .bound_inside = "tight_lookup" },
	{ "estimate", setup, 50, estimate, "gputm_metadata_table_estimate",
	  .unbounded = "a query of the filter, which recency_bloom bounds" },
	{ "get, miss", setup, 50, get, "gputm_metadata_table_query",
	  .unbounded = "a lookup, which is bounded above, and the estimate" },
	{ "add_writes, hit", setup, 0, reserve, "gputm_metadata_table_add_writes",
	  .unbounded = "a lookup, which is bounded above, and an addition" },
	{ "update where lookup found it", setup, 50, update, "gputm_metadata_table_update",
	  .unbounded = "it stores to a cell that is known" },
	{ "insert, 50 % reserved", setup, 50, insert_unlocked, "gputm_metadata_table_update",
	  .unbounded = "144 are known, of a chain that looks at one way a step" },
	{ "insert, 90 % reserved", setup, 90, insert_unlocked, "gputm_metadata_table_update",
	  .unbounded = "410 are known, of a chain that looks at one way a step" },
	{ "release, remove, reserve another, 90 %", setup, 90, remove_insert,
	  "gputm_metadata_table_update,gputm_metadata_table_remove",
	  .unbounded = "two lookups, bounded above, and the insertion" },
};

BENCH_TABLE("metadata_table", struct table, operations)
