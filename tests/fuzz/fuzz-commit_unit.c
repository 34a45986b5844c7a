/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first byte says what the rest is: a run against the serial order, messages of any
 * kind (most of which are refused) with ticks and completions, or a hostile snapshot.
 */
#include <string.h>

#include "tests/fuzz/bend.h"
#include "tests/oracle/commit_unit.h"

static struct gputm_commit_unit_config any_config(struct fuzz *fuzz)
{
	struct gputm_commit_unit_config c = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	c.ring = 8 + fuzz_below(fuzz, 40);
	c.lanes = 8;
	c.cid_bits = 8;
	c.warp_mode = fuzz_below(fuzz, 2);
	c.buffer_words = 1 + fuzz_below(fuzz, 8);
	c.buffers = fuzz_below(fuzz, 32);
	c.buffer_policy = 1 + fuzz_below(fuzz, 4);
	c.hazard_rate = 1 + fuzz_below(fuzz, 3);
	c.input_depth = 1 + fuzz_below(fuzz, 4);
	c.resent_depth = 1 + fuzz_below(fuzz, 2);
	c.output_depth = 1 + fuzz_below(fuzz, 4);
	c.port_words = 64;
	c.history_sets = 1u << fuzz_below(fuzz, 4);
	c.filter_buckets = 1u << fuzz_below(fuzz, 4);
	c.pending_block = fuzz_below(fuzz, 2) ? 32 : 0;
	c.pending_entries = 4;
	return c;
}

static void run(struct gputm_commit_unit *unit, struct fuzz *fuzz, bool warp_mode)
{
	struct oracle_plan plan = { .warps = 1 + fuzz_below(fuzz, 30), .lanes = 8,
				    .most_reads = fuzz_below(fuzz, ORACLE_LOG + 1),
				    .most_writes = fuzz_below(fuzz, ORACLE_LOG + 1),
				    .skips = fuzz_below(fuzz, 16), .private_words = warp_mode,
				    .first_cid = 1, .seed = fuzz_number(fuzz, 4) };
	struct oracle_world *world = oracle_world_new(&plan);
	const char *wrong = NULL;
	unsigned rounds = 0;

	while (oracle_world_round(world, unit, &wrong)) {
		FUZZ_CHECK(++rounds < 100000);
		gputm_commit_unit_advance(unit, 1);
		FUZZ_CHECK(!gputm_unit_check(gputm_commit_unit_unit(unit)));
	}
	FUZZ_CHECK(!wrong);
	FUZZ_CHECK(oracle_world_agrees(world));
	oracle_world_free(world);
}

static void push_any(struct gputm_commit_unit *unit, struct fuzz *fuzz)
{
	struct gputm_commit_message m;
	int probe;

	memset(&m, 0, sizeof(m));
	m.kind = fuzz_below(fuzz, 7);
	m.first_cid = gputm_commit_unit_oldest(unit) + fuzz_below(fuzz, 16) - 2;
	m.lanes = 1 + fuzz_below(fuzz, 3);
	m.mask = fuzz_below(fuzz, 8);
	m.yes = m.mask & fuzz_below(fuzz, 8);
	m.purpose = m.kind >= GPUTM_COMMIT_RESENT ? fuzz_below(fuzz, 5) : 0;
	if (m.kind != GPUTM_COMMIT_DONE && m.kind != GPUTM_COMMIT_VERDICT) {
		m.words = fuzz_below(fuzz, 4);
		m.yes = m.mask = 0;
	}
	for (uint32_t n = 0; n < m.words; n++) {
		m.word[n].address = 4 * (uint64_t)fuzz_below(fuzz, 16);
		m.word[n].value = fuzz_below(fuzz, 2);
		m.word[n].lane = fuzz_below(fuzz, 4);
		m.mask |= UINT64_C(1) << m.word[n].lane;
	}
	probe = gputm_commit_unit_push_probe(unit, &m);
	FUZZ_CHECK(probe == gputm_commit_unit_push(unit, &m));
}

static void serve_any(struct gputm_commit_unit *unit, struct fuzz *fuzz)
{
	enum gputm_commit_unit_port port =
		fuzz_below(fuzz, 2) ? GPUTM_COMMIT_UNIT_COMMIT : GPUTM_COMMIT_UNIT_VALIDATION;
	uint32_t values[GPUTM_MEM_WORDS] = { fuzz_below(fuzz, 2), 1 };
	struct gputm_mem_request request;

	if (!gputm_commit_unit_mem_peek(unit, port, &request)) {
		FUZZ_CHECK(!gputm_commit_unit_mem_pop(unit, port));
		FUZZ_CHECK(gputm_commit_unit_mem_complete(unit, fuzz_u8(fuzz), values) <= 0);
		return;
	}
	FUZZ_CHECK(gputm_commit_unit_mem_pop(unit, port));
	if (fuzz_below(fuzz, 4))
		FUZZ_CHECK(!gputm_commit_unit_mem_complete(unit, request.tag, values));
}

static void operate(struct gputm_commit_unit *unit, struct fuzz *fuzz)
{
	while (fuzz_more(fuzz)) {
		switch (fuzz_below(fuzz, 4)) {
		case 0:
			push_any(unit, fuzz);
			break;
		case 1:
			gputm_commit_unit_advance(unit, fuzz_below(fuzz, 8));
			break;
		case 2:
			serve_any(unit, fuzz);
			break;
		default:
			gputm_commit_unit_pop(unit);
		}
		FUZZ_CHECK(!gputm_unit_check(gputm_commit_unit_unit(unit)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz fuzz = { data, size };
	uint32_t mode = fuzz_below(&fuzz, 3);
	struct gputm_commit_unit_config config = any_config(&fuzz);
	struct gputm_commit_unit *unit;

	FUZZ_CHECK(!gputm_commit_unit_new(NULL, &config, &unit));
	if (mode == 0)
		run(unit, &fuzz, config.warp_mode);
	else if (mode == 1)
		operate(unit, &fuzz);
	else if (fuzz_load(gputm_commit_unit_unit(unit), fuzz.data, fuzz.size))
		gputm_commit_unit_advance(unit, 100);
	gputm_commit_unit_free(unit);
	return 0;
}
