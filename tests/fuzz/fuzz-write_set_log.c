/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become threads and chunks, then writes, transfers and rounds against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/write_set_log.h"

static void pop(struct gputm_write_set_log *log, struct oracle_write_set_log *o, uint8_t how)
{
	struct gputm_log_entry entry[16];
	struct gputm_log_chunk chunk, expected;
	unsigned stream = how & 3;
	int answer = oracle_write_set_log_pop(o, stream, how & 4, entry, &expected);

	FUZZ_CHECK(gputm_write_set_log_cut(log, (enum gputm_write_set_log_stream)stream, how & 4,
					   &chunk) == answer);
	if (answer != GPUTM_WRITE_SET_LOG_CHUNK)
		return;
	FUZZ_CHECK(chunk.thread == expected.thread && chunk.count == expected.count);
	for (uint32_t i = 0; i < chunk.count; i++)
		FUZZ_CHECK(chunk.entry[i].address == entry[i].address &&
			   chunk.entry[i].stamp == entry[i].stamp);
}

static void step(struct gputm_write_set_log *log, struct oracle_write_set_log *o,
		 uint64_t *stamp, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz);

	if (what < 160 && o->count < ORACLE_WRITE_SET_LOG_MOST) {
		uint64_t address = fuzz_number(fuzz, 2);

		*stamp += what & 1;
		FUZZ_CHECK(gputm_write_set_log_append(log, what >> 1 & 7, address, what, *stamp) ==
			   oracle_write_set_log_append(o, what >> 1 & 7, address, what, *stamp));
	} else if (what < 240) {
		pop(log, o, what);
	} else {
		FUZZ_CHECK(gputm_write_set_log_begin(log) == oracle_write_set_log_begin(o));
	}
	FUZZ_CHECK(gputm_write_set_log_pending(log, GPUTM_WRITE_SET_LOG_SHIP) ==
		   oracle_write_set_log_pending(o, GPUTM_WRITE_SET_LOG_SHIP));
	FUZZ_CHECK(!gputm_unit_check(gputm_write_set_log_unit(log)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_write_set_log_config config = GPUTM_WRITE_SET_LOG_CONFIG_INIT;
	static struct oracle_write_set_log oracle;
	struct fuzz fuzz = { data, size };
	struct gputm_write_set_log *log;
	uint64_t stamp = 0;

	config.region_bytes = 32768;
	config.threads = 1 + fuzz_below(&fuzz, 8);
	config.chunk_bytes = config.entry_bytes * (1 + fuzz_below(&fuzz, 16));
	FUZZ_CHECK(!gputm_write_set_log_new(NULL, &config, &log));
	oracle_write_set_log_open(&oracle, &config);
	while (fuzz_more(&fuzz))
		step(log, &oracle, &stamp, &fuzz);
	gputm_write_set_log_free(log);
	return 0;
}
