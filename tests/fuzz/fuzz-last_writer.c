/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to a geometry and operations against the oracle; with an odd first byte, the
 * rest is a hostile snapshot.
 */
#include <stdlib.h>

#include "gputm/last_writer.h"
#include "tests/oracle/last_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void step(struct gputm_last_writer *history, struct oracle_last_writer *oracle,
		 const uint8_t *op)
{
	uint64_t address = (uint64_t)op[1] * 4 + (op[0] & 3);
	uint64_t cid = gputm_last_writer_base(history) + op[2];
	uint64_t got = 0, expected = 0, truth;
	int result;

	switch (op[0] >> 2 & 7) {
	case 0:
		must(gputm_last_writer_expire(history, cid, &got) ==
		     oracle_last_writer_expire(oracle, cid, &expected));
		must(got == expected);
		return;
	case 1:
	case 2:
	case 3:
		result = gputm_last_writer_record_probe(history, address, cid);
		must(result == gputm_last_writer_record(history, address, cid));
		must(result == oracle_last_writer_record(oracle, address, cid));
		return;
	default:
		result = gputm_last_writer_youngest_writer(history, address, &got);
		must(result == oracle_last_writer_youngest_writer(oracle, address, &expected));
		must(got == expected);
		if (oracle_last_writer_truth(oracle, address, &truth))
			must(result != GPUTM_LAST_WRITER_NONE && got >= truth);
	}
}

static void operate(const struct gputm_last_writer_config *config, const uint8_t *data,
		    size_t size)
{
	struct oracle_last_writer *oracle = oracle_last_writer_new(config);
	struct gputm_last_writer *history;

	must(!gputm_last_writer_new(NULL, config, &history));
	for (; size >= 3; data += 3, size -= 3) {
		step(history, oracle, data);
		must(!gputm_unit_check(gputm_last_writer_unit(history)));
	}
	gputm_last_writer_free(history);
	oracle_last_writer_free(oracle);
}

static void load(const struct gputm_last_writer_config *config, const uint8_t *data, size_t size)
{
	struct gputm_last_writer *history;
	struct gputm_unit *unit;
	uint64_t cid;

	must(!gputm_last_writer_new(NULL, config, &history));
	unit = gputm_last_writer_unit(history);
	if (gputm_unit_load(unit, data, size) == 0) {
		must(!gputm_unit_check(unit));
		must(gputm_last_writer_record(history, 0, gputm_last_writer_limit(history)) >= 0);
		must(gputm_last_writer_youngest_writer(history, 0, &cid) >= 0);
	}
	must(!gputm_unit_check(unit));
	gputm_last_writer_free(history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_last_writer_config config = GPUTM_LAST_WRITER_CONFIG_INIT;

	if (size < 2)
		return 0;
	config.sets = 1u << (data[0] >> 1 & 3);
	config.ways = 1 + (data[0] >> 3 & 3);
	config.filter_ways = 1 + (data[0] >> 5 & 3);
	config.filter_buckets = 1u << (data[1] & 3);
	config.cid_bits = 2 + (data[1] >> 2 & 7);
	config.seed = data[1] >> 5;
	if (data[0] & 1)
		load(&config, data + 2, size - 2);
	else
		operate(&config, data + 2, size - 2);
	return 0;
}
