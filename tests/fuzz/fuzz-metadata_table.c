/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then accesses whose answers are held against the exact map. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/metadata_table.h"

struct pair {
	struct gputm_metadata_table *table;
	struct oracle_metadata_table oracle;
};

static void update(struct pair *p, struct fuzz *fuzz, uint64_t address)
{
	struct gputm_metadata m = { fuzz_number(fuzz, 2), fuzz_number(fuzz, 2), 0, 0, 0, 0 };
	bool good = m.wts < 1 << 12 && m.rts < 1 << 12;
	uint32_t cycles;
	int result;

	m.writes = fuzz_u8(fuzz) % 5;
	m.owner = fuzz_u8(fuzz) % 18;
	m.place = fuzz_u8(fuzz);
	good = good && m.writes < 4 && m.owner < 16;
	result = gputm_metadata_table_update(p->table, address, &m, &cycles);
	FUZZ_CHECK(good ? result >= 0 : result == -ERANGE);
	if (good)
		oracle_metadata_table_update(&p->oracle, address, &m);
}

static void add_writes(struct pair *p, struct fuzz *fuzz, uint64_t address)
{
	int32_t change = fuzz_u8(fuzz) % 8 - 4;
	uint32_t owner = fuzz_u8(fuzz) % 18;
	struct gputm_metadata m;
	int64_t writes;
	int result;

	FUZZ_CHECK(gputm_metadata_table_get(p->table, address, &m) >= 0);
	writes = (int64_t)m.writes + change;
	result = gputm_metadata_table_add_writes(p->table, address, change, owner, NULL);
	if (writes < 0 || writes > 3 || owner > 15) {
		FUZZ_CHECK(result == (writes < 0 ? -EINVAL : -ERANGE));
		return;
	}
	FUZZ_CHECK(result >= 0);
	m.writes = (uint32_t)writes;
	m.owner = owner;
	oracle_metadata_table_update(&p->oracle, address, &m);
}

static void flush(struct pair *p)
{
	bool none = oracle_metadata_table_writes(&p->oracle) == 0;

	FUZZ_CHECK(gputm_metadata_table_flush(p->table) == (none ? 0 : -EINVAL));
	if (none)
		oracle_metadata_table_flush(&p->oracle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_metadata_table_config config = GPUTM_METADATA_TABLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct pair p = { NULL, { 0, { { 0, 0, 0, 0, 0, 0 } } } };
	struct gputm_metadata m;
	uint64_t wts, rts;

	config.ways = 1 + fuzz_below(&fuzz, 8);
	config.entries = 1u << fuzz_below(&fuzz, 4);
	config.stash = fuzz_below(&fuzz, 4);
	config.longest_chain = fuzz_below(&fuzz, 6);
	config.evict_above = fuzz_below(&fuzz, 101);
	config.approximate = fuzz_below(&fuzz, 2);
	config.filter_entries = 1u << fuzz_below(&fuzz, 4);
	config.time_bits = 8;
	config.warp_bits = 4;
	config.count_bits = 2;
	config.owner_bits = 4;
	config.seed = fuzz_u8(&fuzz);
	p.oracle.granularity = config.granularity;
	FUZZ_CHECK(!gputm_metadata_table_new(NULL, &config, &p.table));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz) % 16;
		uint64_t address = (uint64_t)fuzz_u8(&fuzz) * 32;

		if (what < 9)
			update(&p, &fuzz, address);
		else if (what < 11)
			add_writes(&p, &fuzz, address);
		else if (what < 13)
			FUZZ_CHECK(gputm_metadata_table_lookup(p.table, address, &m) >= 0);
		else if (what == 13)
			FUZZ_CHECK(!gputm_metadata_table_estimate(p.table, address, &wts, &rts));
		else if (what == 14)
			FUZZ_CHECK(gputm_metadata_table_remove(p.table, address) >= 0);
		else
			flush(&p);
		FUZZ_CHECK(!oracle_metadata_table_compare(&p.oracle, p.table, address));
		FUZZ_CHECK(gputm_metadata_table_writes(p.table) ==
			   oracle_metadata_table_writes(&p.oracle));
		FUZZ_CHECK(!gputm_unit_check(gputm_metadata_table_unit(p.table)));
	}
	for (uint64_t i = 0; i < ORACLE_GRANULES; i++)
		FUZZ_CHECK(!oracle_metadata_table_compare(&p.oracle, p.table, i * 32));
	gputm_metadata_table_free(p.table);
	return 0;
}
