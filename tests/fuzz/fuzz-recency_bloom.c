/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then updates, queries, expiries and clears against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/recency_bloom.h"

struct pair {
	struct gputm_recency_bloom *filter;
	struct oracle_recency_bloom oracle;
	uint64_t base;
};

static void update(struct pair *p, struct fuzz *fuzz)
{
	uint64_t address = fuzz_number(fuzz, 2), stamp = fuzz_number(fuzz, 2);
	uint64_t second = p->oracle.config.stamps == 2 ? fuzz_number(fuzz, 2) : 0;
	uint64_t top = p->base + (UINT64_C(1) << p->oracle.config.stamp_bits) - 1;
	bool good = stamp >= p->base && stamp <= top;
	int error;

	if (p->oracle.config.stamps == 2) {
		good = good && second >= p->base && second <= top;
		error = gputm_recency_bloom_update_pair(p->filter, address, stamp, second);
	} else {
		error = gputm_recency_bloom_update(p->filter, address, stamp);
	}
	FUZZ_CHECK(error == (good ? 0 : -ERANGE));
	if (good)
		oracle_recency_bloom_update(&p->oracle, address, stamp, second);
}

static void query(struct pair *p, struct fuzz *fuzz)
{
	uint64_t address = fuzz_number(fuzz, 2), first = 0, second = 0;

	if (p->oracle.config.stamps == 2) {
		FUZZ_CHECK(!gputm_recency_bloom_query_pair(p->filter, address, &first, &second));
		FUZZ_CHECK(second == oracle_recency_bloom_query(&p->oracle, address, 1));
		FUZZ_CHECK(second >= oracle_recency_bloom_truth(&p->oracle, address, 1));
	} else {
		FUZZ_CHECK(!gputm_recency_bloom_query(p->filter, address, &first));
	}
	FUZZ_CHECK(first == oracle_recency_bloom_query(&p->oracle, address, 0));
	FUZZ_CHECK(first >= oracle_recency_bloom_truth(&p->oracle, address, 0));
}

static void expire(struct pair *p, struct fuzz *fuzz)
{
	uint64_t floor = fuzz_number(fuzz, 2);

	gputm_recency_bloom_expire(p->filter, floor, NULL);
	if (floor <= p->base + 1)
		return;
	oracle_recency_bloom_expire(&p->oracle, floor);
	p->base = floor - 1;
}

static void clear(struct pair *p)
{
	struct gputm_recency_bloom_config config = p->oracle.config;

	gputm_recency_bloom_clear(p->filter);
	oracle_recency_bloom_close(&p->oracle);
	oracle_recency_bloom_open(&p->oracle, &config);
	p->base = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_recency_bloom_config config = GPUTM_RECENCY_BLOOM_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct pair p = { .base = 0 };

	config.ways = 1 + fuzz_below(&fuzz, 8);
	config.entries = 1u << fuzz_below(&fuzz, 5);
	config.stamps = 1 + fuzz_below(&fuzz, 2);
	config.stamp_bits = 2 + fuzz_below(&fuzz, 14);
	config.granularity = 1u << fuzz_below(&fuzz, 8);
	config.seed = fuzz_u8(&fuzz);
	FUZZ_CHECK(!gputm_recency_bloom_new(NULL, &config, &p.filter));
	oracle_recency_bloom_open(&p.oracle, &config);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz) % 16;

		if (what < 8)
			update(&p, &fuzz);
		else if (what < 14)
			query(&p, &fuzz);
		else if (what == 14)
			expire(&p, &fuzz);
		else
			clear(&p);
		FUZZ_CHECK(!gputm_unit_check(gputm_recency_bloom_unit(p.filter)));
		FUZZ_CHECK(gputm_recency_bloom_base(p.filter) == p.base);
	}
	gputm_recency_bloom_free(p.filter);
	oracle_recency_bloom_close(&p.oracle);
	return 0;
}
