/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become regions, versions and references against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/version_table.h"

struct pair {
	struct gputm_version_table *table;
	struct oracle_version_table oracle;
	uint64_t now;
};

static void add(struct pair *p, struct fuzz *fuzz)
{
	uint64_t start = (uint64_t)fuzz_u8(fuzz) * 16, length = fuzz_u8(fuzz);
	uint64_t relocated = 0x8000 + (uint64_t)fuzz_u8(fuzz) * 64;
	uint32_t region;

	FUZZ_CHECK(gputm_version_table_add_region(p->table, start, length, relocated, p->now,
						  &region) ==
		   oracle_version_table_add(&p->oracle, start, length, relocated, p->now));
}

static void access(struct pair *p, struct fuzz *fuzz)
{
	uint64_t address = fuzz_number(fuzz, 2), time = fuzz_u8(fuzz);
	unsigned r = 0, v = 0;
	uint32_t region, version;
	uint64_t physical;
	int result = gputm_version_table_acquire(p->table, address, time, &region, &version);

	FUZZ_CHECK(oracle_version_table_find(&p->oracle, address, time, &r, &v) == result);
	if (result == GPUTM_VERSION_TABLE_OK) {
		FUZZ_CHECK(region == r && version == v);
		p->oracle.region[r].version[v].references++;
	}
	FUZZ_CHECK(!gputm_version_table_resolve_plain(p->table, address, &physical));
	FUZZ_CHECK(physical == oracle_version_table_plain(&p->oracle, address));
}

static void version(struct pair *p, uint8_t what, uint32_t region, uint32_t number)
{
	uint32_t from, to;

	p->now += what >= 10 && what < 15;
	if (what < 4)
		FUZZ_CHECK(gputm_version_table_begin_copy(p->table, region, &from, &to) ==
			   oracle_version_table_begin_copy(&p->oracle, region));
	else if (what < 8)
		FUZZ_CHECK(gputm_version_table_copied(p->table, region) ==
			   oracle_version_table_copied(&p->oracle, region));
	else if (what < 10)
		FUZZ_CHECK(gputm_version_table_release(p->table, region, number) ==
			   oracle_version_table_release(&p->oracle, region, number));
	else if (what < 15)
		FUZZ_CHECK(gputm_version_table_seal(p->table, UINT64_C(1) << region, p->now) ==
			   oracle_version_table_seal(&p->oracle, UINT64_C(1) << region, p->now));
	else
		FUZZ_CHECK(gputm_version_table_restart(p->table, 0) ==
			   oracle_version_table_restart(&p->oracle, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_version_table_config config = GPUTM_VERSION_TABLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 400 ? size : 400 };
	struct pair p = { .now = 0 };

	config.regions = 1 + fuzz_below(&fuzz, 6);
	config.versions = 2 + fuzz_below(&fuzz, 6);
	config.row_shift = 8 + fuzz_below(&fuzz, 3);
	config.plain_as_given = fuzz_below(&fuzz, 2);
	config.lazy = fuzz_below(&fuzz, 2);
	FUZZ_CHECK(!gputm_version_table_new(NULL, &config, &p.table));
	oracle_version_table_open(&p.oracle, &config);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz), who = fuzz_u8(&fuzz);

		if (what >= 240 || !p.oracle.regions)
			add(&p, &fuzz);
		else if (what >= 160)
			access(&p, &fuzz);
		else
			version(&p, what % 16, (who & 15) % p.oracle.regions,
				(who >> 4) % config.versions);
		FUZZ_CHECK(!gputm_unit_check(gputm_version_table_unit(p.table)));
	}
	gputm_version_table_free(p.table);
	return 0;
}
