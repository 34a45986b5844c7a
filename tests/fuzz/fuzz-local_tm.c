/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become masks, accesses and transactions of a small work-group against the oracle. */
#include "gputm/local_tm.h"
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/local_tm.h"

#define WAVES 3
#define LANES 8
#define WORDS 64

static void turn_access(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
			struct fuzz *fuzz)
{
	uint64_t lanes = fuzz_u8(fuzz), on = gputm_local_tm_running(t, w);
	uint32_t word[LANES], value[LANES], expected[LANES];
	struct gputm_local_tm_answer got = { 0, 0, 0 }, probe = { 0, 0, 0 };
	struct oracle_local_answer answer;
	bool write = fuzz_u8(fuzz) & 1, outside = false;
	int error;

	for (unsigned lane = 0; lane < LANES; lane++) {
		word[lane] = lanes >> lane & 1 ? fuzz_u8(fuzz) % (WORDS + 1) : 0;
		value[lane] = expected[lane] = lane + 1;
		outside |= word[lane] == WORDS;
	}
	error = gputm_local_tm_access_probe(t, w, lanes, word, &probe);
	FUZZ_CHECK(gputm_local_tm_access(t, w, write, lanes, word, value, &got) == error);
	if (lanes & ~on || outside) {
		FUZZ_CHECK(error == (lanes & ~on ? -EINVAL : -ERANGE));
		return;
	}
	oracle_local_tm_access(o, w, write, lanes, word, expected, &answer);
	FUZZ_CHECK(error == (answer.lanes ? GPUTM_LOCAL_TM_CONFLICT : GPUTM_LOCAL_TM_OK));
	FUZZ_CHECK(got.conflicts == answer.lanes && got.conflicts == probe.conflicts);
	FUZZ_CHECK(got.cycles == answer.cycles && got.cycles == probe.cycles);
	FUZZ_CHECK(got.passes == answer.passes && got.passes == probe.passes);
	for (unsigned lane = 0; lane < LANES; lane++)
		FUZZ_CHECK(value[lane] == expected[lane]);
}

static void turn_begin(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct gputm_local_tm_begun got = { 0, 0, 0, GPUTM_LOCAL_TM_NORMAL };
	struct oracle_local_wave *wave = &o->wave[w];
	struct gputm_local_tm_ended ended;
	struct oracle_local_answer answer;
	int result = gputm_local_tm_begin(t, w, &got);

	if (wave->inside && !wave->due) {
		FUZZ_CHECK(result == GPUTM_LOCAL_TM_NESTED);
		FUZZ_CHECK(gputm_local_tm_commit(t, w, &ended) == GPUTM_LOCAL_TM_NESTED);
		return;
	}
	if (!wave->exec) {
		FUZZ_CHECK(result == -EINVAL);
		return;
	}
	if (!oracle_local_tm_begin(o, w, &answer)) {
		FUZZ_CHECK(result == GPUTM_LOCAL_TM_HELD);
		return;
	}
	FUZZ_CHECK(result == GPUTM_LOCAL_TM_OK && got.cycles == answer.cycles &&
		   got.lanes == answer.lanes && got.evicted == answer.evicted);
}

static void turn_commit(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w)
{
	struct oracle_local_wave *wave = &o->wave[w];
	struct oracle_local_answer answer;
	struct gputm_local_tm_ended got;
	int result = gputm_local_tm_commit(t, w, &got);
	bool over;

	if (!wave->inside || wave->due || wave->exec != wave->attempt) {
		FUZZ_CHECK(result == -EINVAL);
		return;
	}
	over = oracle_local_tm_commit(o, w, &answer);
	FUZZ_CHECK(result == (over ? GPUTM_LOCAL_TM_OK : GPUTM_LOCAL_TM_RETRY));
	FUZZ_CHECK(got.cycles == answer.cycles && got.committed == answer.lanes);
}

static void turn_exec(struct gputm_local_tm *t, struct oracle_local_tm *o, uint32_t w,
		      uint64_t exec)
{
	struct oracle_local_wave *wave = &o->wave[w];
	bool refused = wave->due || (wave->inside && exec & ~wave->attempt);

	FUZZ_CHECK(gputm_local_tm_set_exec(t, w, exec) == (refused ? -EINVAL : 0));
	if (!refused)
		wave->exec = exec;
}

static void same(const struct gputm_local_tm *t, const struct oracle_local_tm *o)
{
	struct gputm_local_tm_masks m;
	uint32_t value;

	for (uint32_t i = 0; i < WORDS; i++)
		FUZZ_CHECK(!gputm_local_tm_lookup(t, i, &value) && value == o->data[i]);
	for (uint32_t i = 0; i < WAVES; i++)
		FUZZ_CHECK(!gputm_local_tm_get_masks(t, i, &m) && m.exec == o->wave[i].exec &&
			   m.tcm == o->wave[i].tcm && m.tcm_old == o->wave[i].tcm_old);
	FUZZ_CHECK(gputm_local_tm_holder(t) == o->holder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_local_tm_config config = GPUTM_LOCAL_TM_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 4000 ? size : 4000 };
	static struct oracle_local_tm o;
	struct gputm_local_tm *t;

	config.wavefronts = WAVES;
	config.lanes = LANES;
	config.banks = 1u << fuzz_below(&fuzz, 4);
	config.signature_bits = 1u << fuzz_below(&fuzz, 4);
	config.words = WORDS;
	config.lane_cost = size % 2;
	FUZZ_CHECK(!gputm_local_tm_new(NULL, &config, &t));
	oracle_local_tm_init(&o, WAVES, LANES, config.banks, config.signature_bits, WORDS);
	o.sum = size % 2;
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);
		uint32_t w = what / 8 % WAVES;

		if (what % 8 == 0)
			turn_begin(t, &o, w);
		else if (what % 8 == 1)
			turn_exec(t, &o, w, o.wave[w].attempt);
		else if (what % 8 == 2)
			turn_exec(t, &o, w, fuzz_u8(&fuzz));
		else if (what % 8 == 3)
			turn_commit(t, &o, w);
		else
			turn_access(t, &o, w, &fuzz);
		same(t, &o);
		FUZZ_CHECK(!gputm_unit_check(gputm_local_tm_unit(t)));
	}
	gputm_local_tm_free(t);
	return 0;
}
