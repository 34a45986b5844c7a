/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_LOCAL_TM_H
#define GPUTM_TESTS_LOCAL_TM_H
/* What the tests of local_tm share: attempts whose answers agree with their probes. */
#include "tests/kit.h"

KIT_PART(local_tm, LOCAL_TM);

static inline struct gputm_local_tm_begun begin(struct gputm_local_tm *t, uint32_t wavefront)
{
	struct gputm_local_tm_begun out = { 0 };

	ck_assert_int_eq(gputm_local_tm_begin_probe(t, wavefront), GPUTM_LOCAL_TM_OK);
	ck_assert_int_eq(gputm_local_tm_begin(t, wavefront, &out), GPUTM_LOCAL_TM_OK);
	kit_valid(unit_of(t));
	return out;
}

static inline struct gputm_local_tm_answer access_all(struct gputm_local_tm *t, uint32_t wavefront,
						      bool write, uint64_t lanes,
						      const uint32_t *word, uint32_t *value)
{
	struct gputm_local_tm_answer out = { 77, 78, 79 }, probe = { 80, 81, 82 };
	uint64_t digest = kit_digest(unit_of(t));
	int result = gputm_local_tm_access_probe(t, wavefront, lanes, word, &probe);

	ck_assert_uint_eq(kit_digest(unit_of(t)), digest);
	ck_assert_int_eq(gputm_local_tm_access(t, wavefront, write, lanes, word, value, &out),
			 result);
	ck_assert_int_eq(result, out.conflicts ? GPUTM_LOCAL_TM_CONFLICT : GPUTM_LOCAL_TM_OK);
	KIT_SAME(out, probe, conflicts, cycles, passes);
	kit_valid(unit_of(t));
	return out;
}

/* One lane stores a value to a word. */
static inline struct gputm_local_tm_answer put(struct gputm_local_tm *t, uint32_t wavefront,
					       unsigned lane, uint32_t at, uint32_t what)
{
	uint32_t word[64], value[64];

	word[lane] = at;
	value[lane] = what;
	return access_all(t, wavefront, true, UINT64_C(1) << lane, word, value);
}

static inline struct gputm_local_tm_ended commit(struct gputm_local_tm *t, uint32_t wavefront,
						 int expected)
{
	struct gputm_local_tm_ended out = { 0 };

	ck_assert_int_eq(gputm_local_tm_commit(t, wavefront, &out), expected);
	kit_valid(unit_of(t));
	return out;
}

static inline uint32_t at(const struct gputm_local_tm *t, uint32_t word)
{
	uint32_t value = 0;

	ck_assert_int_eq(gputm_local_tm_lookup(t, word, &value), 0);
	return value;
}

#endif /* GPUTM_TESTS_LOCAL_TM_H */
