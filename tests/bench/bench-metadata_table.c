/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metadata_table, 4 x 1024, stash of 4. Bounds are by hand for look-ups: packed cells of the
 * four ways from one table word per key byte, keys of 32 bits, nothing checked or counted.
 * Insertions have none here; 144 at 50 % reserved and 410 at 90 % are known for a chain
 * that looks at one way a step.
 */
#include <stdlib.h>

#include "gputm/metadata_table.h"
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
	struct gputm_metadata m = { 5, 4, writes, 1, UINT32_MAX, 0 };

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

static void *setup(unsigned reserved)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	config.entries = 1024;
	config.filter_entries = 256;
	if (gputm_metadata_table_new(NULL, &config, &t->unit)) {
		free(t);
		return NULL;
	}
	fill_bound(t);
	for (unsigned i = 0; i < KEYS; i++)
		t->absent[i] = granule(t, 0x80000000);
	while (t->count < CELLS * reserved / 100)
		hold(t, granule(t, 0));
	for (unsigned i = 0; i < 3 * CELLS; i++)
		insert(t, granule(t, 0x40000000), 0);
	for (unsigned i = 0; i < KEYS; i++) {
		t->present[i] = reserved ? t->held[i] : granule(t, 0x40000000);
		insert(t, t->present[i], 1);
		t->key[(uint16_t)(tight_cells(t, (uint32_t)t->present[i]) >> 16 * (i & 3))] =
			(uint32_t)t->present[i];
	}
	return t;
}

static void *setup_0(void)
{
	return setup(0);
}

static void *setup_50(void)
{
	return setup(50);
}

static void *setup_90(void)
{
	return setup(90);
}

static void teardown(void *state)
{
	struct table *t = state;

	gputm_metadata_table_free(t->unit);
	free(t);
}

static void hit(void *state, uint64_t count)
{
	struct table *t = state;
	struct gputm_metadata m;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (gputm_metadata_table_lookup(t->unit, t->present[i % KEYS], &m) > 0)
			sum += m.wts;
	bench_use(sum);
}

static void miss(void *state, uint64_t count)
{
	struct table *t = state;
	struct gputm_metadata m;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)gputm_metadata_table_lookup(t->unit, t->absent[i % KEYS], &m);
	bench_use(sum);
}

static void estimate(void *state, uint64_t count)
{
	struct table *t = state;
	uint64_t wts = 0, rts = 0, sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (!gputm_metadata_table_estimate(t->unit, t->absent[i % KEYS], &wts, &rts))
			sum += wts + rts;
	bench_use(sum);
}

static void get(void *state, uint64_t count)
{
	struct table *t = state;
	struct gputm_metadata m;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (!gputm_metadata_table_get(t->unit, t->absent[i % KEYS], &m))
			sum += m.wts + m.rts;
	bench_use(sum);
}

static void reserve(void *state, uint64_t count)
{
	struct table *t = state;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)gputm_metadata_table_add_writes(t->unit, t->present[i / 2 % KEYS],
								 i & 1 ? -1 : 1, 1, NULL);
	bench_use(sum);
}

static void update(void *state, uint64_t count)
{
	struct table *t = state;
	struct gputm_metadata m = { 5, 4, 1, 1, 0, 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (gputm_metadata_table_lookup(t->unit, t->present[i % KEYS], &m) <= 0)
			continue;
		m.rts = i;
		sum += (uint64_t)gputm_metadata_table_update(t->unit, t->present[i % KEYS], &m,
							     NULL);
	}
	bench_use(sum);
}

/* A granule without reservation takes the place of another. */
static void insert_unlocked(void *state, uint64_t count)
{
	struct table *t = state;

	for (uint64_t i = 0; i < count; i++)
		insert_new(t, granule(t, 0x80000000), 0);
}

/* The oldest reservation goes and is taken out, another comes. */
static void remove_insert(void *state, uint64_t count)
{
	struct table *t = state;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t oldest = t->held[t->first];

		t->first = (t->first + 1) % CELLS;
		t->count--;
		insert(t, oldest, 0);
		bench_use((uint64_t)gputm_metadata_table_remove(t->unit, oldest));
		hold(t, granule(t, 0));
	}
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

static void bound(const struct table *t, const uint64_t *address, uint64_t count)
{
	uint32_t wts[4] = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += tight_lookup(t, (uint32_t)address[i % KEYS], wts) + wts[0];
	bench_use(sum);
}

static void bound_hit(void *state, uint64_t count)
{
	struct table *t = state;

	bound(t, t->present, count);
}

static void bound_miss(void *state, uint64_t count)
{
	struct table *t = state;

	bound(t, t->absent, count);
}

static const struct bench_op operations[] = {
	{ "metadata_table", "lookup, hit", setup_0, teardown, hit, bound_hit,
	  "gputm_metadata_table_lookup", "tight_lookup", 0 },
	{ "metadata_table", "lookup, miss", setup_50, teardown, miss, bound_miss,
	  "gputm_metadata_table_lookup", "tight_lookup", 0 },
	{ "metadata_table", "estimate", setup_50, teardown, estimate, NULL,
	  "gputm_metadata_table_estimate", "-", 0 },
	{ "metadata_table", "get, miss", setup_50, teardown, get, NULL,
	  "gputm_metadata_table_get", "-", 0 },
	{ "metadata_table", "add_writes, hit", setup_0, teardown, reserve, NULL,
	  "gputm_metadata_table_add_writes", "-", 0 },
	{ "metadata_table", "update where lookup found it", setup_50, teardown, update, NULL,
	  "gputm_metadata_table_update", "-", 0 },
	{ "metadata_table", "insert, 50 % reserved", setup_50, teardown, insert_unlocked, NULL,
	  "gputm_metadata_table_update", "-", 0 },
	{ "metadata_table", "insert, 90 % reserved", setup_90, teardown, insert_unlocked, NULL,
	  "gputm_metadata_table_update", "-", 0 },
	{ "metadata_table", "release, remove, reserve another, 90 %", setup_90, teardown,
	  remove_insert, NULL, "gputm_metadata_table_update,gputm_metadata_table_remove", "-", 0 },
};

BENCH_TABLE(operations)
