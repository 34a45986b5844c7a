/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become claims, commits and releases against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/writer_table.h"

static void step(struct gputm_writer_table *t, struct oracle_writer_table *o, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz), who = fuzz_u8(fuzz);
	uint64_t address = 4 * (uint64_t)(what & 15), version = who >> 4;
	uint32_t tx = (who & 15) % o->config.transactions;

	if (what < 128) {
		int probe = gputm_writer_table_claim_probe(t, address, tx, version);

		FUZZ_CHECK(gputm_writer_table_claim(t, address, tx, version) == probe);
		FUZZ_CHECK(oracle_writer_table_claim(o, address, tx, version) == probe);
	} else if (what < 192) {
		FUZZ_CHECK(gputm_writer_table_commit(t, address, tx, version) ==
			   oracle_writer_table_commit(o, address, tx, version));
	} else {
		FUZZ_CHECK(gputm_writer_table_release(t, address, tx) ==
			   oracle_writer_table_release(o, address, tx));
	}
	FUZZ_CHECK(gputm_writer_table_used(t) == o->used);
	FUZZ_CHECK(!gputm_unit_check(gputm_writer_table_unit(t)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_writer_table_config config = GPUTM_WRITER_TABLE_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	struct oracle_writer_table o;
	struct gputm_writer_table *t;

	config.entries = 1 + fuzz_below(&fuzz, 40);
	config.transactions = 2 + fuzz_below(&fuzz, 15);
	config.release_at_commit = fuzz_below(&fuzz, 4) == 0;
	FUZZ_CHECK(!gputm_writer_table_new(NULL, &config, &t));
	oracle_writer_table_open(&o, &config);
	while (fuzz_more(&fuzz))
		step(t, &o, &fuzz);
	gputm_writer_table_free(t);
	return 0;
}
