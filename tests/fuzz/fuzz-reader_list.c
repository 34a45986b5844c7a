/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then additions and removals against the oracle. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/oracle/reader_list.h"

static void step(struct gputm_reader_list *list, struct oracle_reader_list *o, struct fuzz *fuzz)
{
	static uint32_t ids[4096], expected[4096];
	uint8_t what = fuzz_u8(fuzz);
	uint64_t address = (uint64_t)(what & 15) * 4;
	uint32_t tx = fuzz_below(fuzz, o->config.root_bits * o->config.leaf_bits);
	int count;

	if (what & 16) {
		FUZZ_CHECK(gputm_reader_list_remove(list, address, tx) ==
			   oracle_reader_list_remove(o, address, tx));
	} else {
		int probe = gputm_reader_list_add_probe(list, address, tx);

		FUZZ_CHECK(gputm_reader_list_add(list, address, tx) == probe);
		FUZZ_CHECK(oracle_reader_list_add(o, address, tx) == probe);
	}
	count = gputm_reader_list_readers(list, address, ids, 4096);
	FUZZ_CHECK(count == (int)oracle_reader_list_readers(o, address, expected));
	FUZZ_CHECK(!memcmp(ids, expected, (size_t)count * sizeof(*ids)));
	FUZZ_CHECK(gputm_reader_list_used(list) == oracle_reader_list_used(o));
	FUZZ_CHECK(!gputm_unit_check(gputm_reader_list_unit(list)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_reader_list_config config = GPUTM_READER_LIST_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };
	static struct oracle_reader_list o;
	struct gputm_reader_list *list;

	config.entries = 1 + fuzz_below(&fuzz, 80);
	config.root_bits = 8u << fuzz_below(&fuzz, 4);
	config.leaf_bits = 8u << fuzz_below(&fuzz, 4);
	config.fold = fuzz_below(&fuzz, 2);
	FUZZ_CHECK(!gputm_reader_list_new(NULL, &config, &list));
	oracle_reader_list_open(&o, &config);
	while (fuzz_more(&fuzz))
		step(list, &o, &fuzz);
	gputm_reader_list_free(list);
	return 0;
}
