/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to a geometry and to appends, look-ups and restarts against the oracle; with an
 * odd first byte, the rest is a hostile snapshot.
 */
#include "gputm/tx_log.h"
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/tx_log.h"

static void look_up(struct gputm_tx_log *log, const struct oracle_tx_log *o, uint64_t mask,
		    const uint64_t *address)
{
	struct gputm_tx_log_lookup own;
	uint32_t value[64], expected;

	FUZZ_CHECK(!gputm_tx_log_lookup_own_writes(log, mask, address, value, &own));
	FUZZ_CHECK(!(own.hits & ~own.walked) && !(own.walked & ~mask));
	for (unsigned lane = 0; lane < o->lanes; lane++) {
		bool hit = mask >> lane & 1 &&
			   oracle_tx_log_own_write(o, lane, address[lane], &expected) >= 0;

		FUZZ_CHECK(hit == (own.hits >> lane & 1));
		FUZZ_CHECK(!hit || value[lane] == expected);
	}
}

static void compare(const struct gputm_tx_log *log, const struct oracle_tx_log *o)
{
	uint64_t lanes_of[64], set;

	for (unsigned kind = 0; kind < 2; kind++) {
		FUZZ_CHECK(gputm_tx_log_rows(log, (enum gputm_tx_log_kind)kind) == o->rows[kind]);
		for (unsigned r = 0; r < o->rows[kind]; r++) {
			FUZZ_CHECK(!gputm_tx_log_get_group(log, (enum gputm_tx_log_kind)kind, r,
							   UINT64_MAX, lanes_of, &set));
			for (unsigned p = 0; p < o->partitions; p++)
				FUZZ_CHECK((set >> p & 1 ? lanes_of[p] : 0) ==
					   oracle_tx_log_to(o, kind, r, p));
		}
	}
}

static void step(struct gputm_tx_log *log, struct oracle_tx_log *o, struct fuzz *fuzz)
{
	uint64_t all = (UINT64_C(1) << o->lanes) - 1, mask, address[64];
	uint8_t what = fuzz_u8(fuzz);
	uint32_t value[64];
	int result;

	mask = fuzz_u8(fuzz) & all;
	for (unsigned lane = 0; lane < 64; lane++) {
		address[lane] = (uint64_t)(what >> 3) * 4 + 64 * (lane % 3);
		value[lane] = what * 100u + lane;
	}
	if (what % 4 < 2) {
		if (!oracle_tx_log_append(o, what & 1, mask, address, value))
			return;
		result = what & 1 ? gputm_tx_log_append_write(log, mask, address, value)
				  : gputm_tx_log_append_read(log, mask, address, value);
		FUZZ_CHECK(result >= 0);
	} else if (what % 4 == 2) {
		look_up(log, o, mask, address);
	} else {
		mask = what & 128 ? mask : mask & -mask;
		FUZZ_CHECK(!gputm_tx_log_restart(log, mask));
		oracle_tx_log_restart(o, mask);
	}
}

static void operate(const struct gputm_tx_log_config *config, struct fuzz *fuzz)
{
	static struct oracle_tx_log o;
	struct gputm_tx_log *log;

	FUZZ_CHECK(!gputm_tx_log_new(NULL, config, &log));
	oracle_tx_log_init(&o, config->lanes, config->partitions, config->interleave);
	for (unsigned i = 0; fuzz_more(fuzz) && i < 200; i++) {
		step(log, &o, fuzz);
		FUZZ_CHECK(!gputm_unit_check(gputm_tx_log_unit(log)));
	}
	compare(log, &o);
	gputm_tx_log_free(log);
}

static void load(const struct gputm_tx_log_config *config, const struct fuzz *fuzz)
{
	uint64_t address[64] = { 0 };
	uint32_t value[64] = { 0 };
	struct gputm_tx_log *log;

	FUZZ_CHECK(!gputm_tx_log_new(NULL, config, &log));
	if (gputm_unit_load(gputm_tx_log_unit(log), fuzz->data, fuzz->size) == 0)
		FUZZ_CHECK(gputm_tx_log_append_write(log, 1, address, value) >= 0);
	FUZZ_CHECK(!gputm_unit_check(gputm_tx_log_unit(log)));
	gputm_tx_log_free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_tx_log_config config = GPUTM_TX_LOG_CONFIG_INIT;
	struct fuzz fuzz = { data, size };
	uint8_t first = fuzz_u8(&fuzz);

	config.lanes = 1 + (first >> 1 & 7);
	config.partitions = 1 + (first >> 4 & 7);
	config.interleave = 64;
	config.filter = fuzz_below(&fuzz, 3);
	config.reserve_rows = 1;
	if (first & 1)
		load(&config, &fuzz);
	else
		operate(&config, &fuzz);
	return 0;
}
