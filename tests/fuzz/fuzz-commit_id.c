/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then requests and reports, good and bad, against the oracle. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/commit_id.h"

struct pair {
	struct gputm_commit_id *vendor;
	struct oracle_commit_id oracle;
};

static void acquire(struct pair *p, struct fuzz *fuzz)
{
	uint32_t core = fuzz_below(fuzz, p->oracle.config.cores + 1);
	uint32_t count = fuzz_below(fuzz, 20);
	uint64_t first = 0, expected = 0;
	int probe = gputm_commit_id_acquire_probe(p->vendor, core, count);

	FUZZ_CHECK(gputm_commit_id_acquire(p->vendor, core, count, &first) == probe);
	FUZZ_CHECK(oracle_commit_id_acquire(&p->oracle, core, count, &expected) == probe);
	FUZZ_CHECK(first == expected);
}

static void report(struct pair *p, struct fuzz *fuzz)
{
	uint32_t partition = fuzz_below(fuzz, p->oracle.config.partitions + 1);
	uint64_t first = gputm_commit_id_oldest(p->vendor) + fuzz_below(fuzz, 40) - 1;
	uint32_t count = fuzz_below(fuzz, 20), got[8] = { 0 }, expected[8] = { 0 };

	FUZZ_CHECK(gputm_commit_id_report_retired(p->vendor, partition, first, count, got) ==
		   oracle_commit_id_report_retired(&p->oracle, partition, first, count, expected));
	FUZZ_CHECK(!memcmp(got, expected, sizeof(got)));
}

static void compare(const struct pair *p)
{
	FUZZ_CHECK(!gputm_unit_check(gputm_commit_id_unit(p->vendor)));
	FUZZ_CHECK(gputm_commit_id_oldest(p->vendor) == oracle_commit_id_oldest(&p->oracle));
	FUZZ_CHECK(gputm_commit_id_next_cid(p->vendor) == oracle_commit_id_next(&p->oracle));
	FUZZ_CHECK(gputm_commit_id_in_flight(p->vendor) == oracle_commit_id_in_flight(&p->oracle));
	for (uint32_t core = 0; core < p->oracle.config.cores; core++)
		FUZZ_CHECK(gputm_commit_id_available(p->vendor, core) ==
			   oracle_commit_id_available(&p->oracle, core));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_commit_id_config config = GPUTM_COMMIT_ID_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct pair p;

	config.cores = 1 + fuzz_below(&fuzz, 4);
	config.partitions = 1 + fuzz_below(&fuzz, 4);
	config.pools = fuzz_below(&fuzz, 2);
	config.credits = 1 + fuzz_below(&fuzz, 16);
	config.ring = config.credits * (config.pools ? config.cores : 1) + fuzz_below(&fuzz, 8);
	config.first_cid = fuzz_u8(&fuzz);
	FUZZ_CHECK(!gputm_commit_id_new(NULL, &config, &p.vendor));
	oracle_commit_id_open(&p.oracle, &config);
	while (fuzz_more(&fuzz)) {
		if (fuzz_u8(&fuzz) % 4 == 0)
			acquire(&p, &fuzz);
		else
			report(&p, &fuzz);
		compare(&p);
	}
	gputm_commit_id_free(p.vendor);
	oracle_commit_id_close(&p.oracle);
	return 0;
}
