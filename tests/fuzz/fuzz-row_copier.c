/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become copies, ticks and pops against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/row_copier.h"

static void push(struct gputm_row_copier *c, struct oracle_row_copier *o, struct fuzz *fuzz)
{
	struct gputm_row_copier_request r = { fuzz_u8(fuzz), fuzz_number(fuzz, 2),
					      fuzz_number(fuzz, 2), fuzz_number(fuzz, 1) * 8 };
	int probe = gputm_row_copier_push_probe(c, &r, NULL);

	FUZZ_CHECK(gputm_row_copier_push(c, &r, NULL) == probe);
	FUZZ_CHECK(oracle_row_copier_push(o, &r) == probe);
}

static void pop(struct gputm_row_copier *c, struct oracle_row_copier *o)
{
	struct gputm_row_copier_request r = { 0, 0, 0, 0 };
	uint64_t tag = 0;
	bool any = gputm_row_copier_take(c, &r);

	FUZZ_CHECK(any == oracle_row_copier_pop(o, &tag));
	FUZZ_CHECK(r.tag == tag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_row_copier_config config = GPUTM_ROW_COPIER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 300 ? size : 300 };
	static struct oracle_row_copier o;
	struct gputm_row_copier *c;

	config.row_bytes = 64u << fuzz_below(&fuzz, 3);
	config.row_cycles = 1 + fuzz_below(&fuzz, 20);
	config.subarrays = 1u << fuzz_below(&fuzz, 3);
	config.banks = 1u << fuzz_below(&fuzz, 3);
	config.requests = 1 + fuzz_below(&fuzz, 8);
	config.address_bits = 16;
	FUZZ_CHECK(!gputm_row_copier_new(NULL, &config, &c));
	oracle_row_copier_open(&o, &config);
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what < 100) {
			gputm_row_copier_advance(c, what);
			while (what--)
				oracle_row_copier_tick(&o);
		} else if (what < 180) {
			push(c, &o, &fuzz);
		} else {
			pop(c, &o);
		}
		FUZZ_CHECK(!gputm_unit_check(gputm_row_copier_unit(c)));
	}
	gputm_row_copier_free(c);
	return 0;
}
