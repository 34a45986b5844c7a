/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_VALIDATION_UNIT_H
#define GPUTM_TESTS_VALIDATION_UNIT_H
/* What the tests of validation_unit share: accesses of warps, and what is left of them. */
#include "tests/kit.h"

KIT_PART(validation_unit, VALIDATION_UNIT);

#define OK GPUTM_VALIDATION_UNIT_OK
#define ABORT GPUTM_VALIDATION_UNIT_ABORT
#define STALLED GPUTM_VALIDATION_UNIT_STALLED
#define NONE GPUTM_VALIDATION_UNIT_NONE

static struct gputm_validation_unit_answer last;

/* An access of a warp's attempt number `sequence`; tag = 100 x warp + sequence. */
static inline int go(struct gputm_validation_unit *u, bool write, uint64_t address, uint32_t warp,
		     uint64_t time, uint64_t sequence)
{
	struct gputm_validation_unit_request r = {
		warp * 100 + sequence, address, time, sequence, warp, write
	};
	int probe = gputm_validation_unit_access_probe(u, &r);

	memset(&last, 0x55, sizeof(last));
	ck_assert_int_eq(gputm_validation_unit_access(u, &r, &last), probe);
	ck_assert_uint_eq(last.tag, r.tag);
	ck_assert_uint_eq(last.result, (uint32_t)probe);
	kit_valid(unit_of(u));
	return probe;
}

static inline int load(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
		       uint64_t time)
{
	return go(u, false, address, warp, time, time);
}

static inline int store(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
			uint64_t time)
{
	return go(u, true, address, warp, time, time);
}

static inline int retry(struct gputm_validation_unit *u)
{
	int result = gputm_validation_unit_retry(u, &last);

	kit_valid(unit_of(u));
	return result;
}

static inline void release(struct gputm_validation_unit *u, uint64_t address, uint32_t warp,
			   uint64_t sequence, uint32_t count)
{
	ck_assert_int_eq(gputm_validation_unit_release(u, address, warp, sequence, count, NULL), 0);
	kit_valid(unit_of(u));
}

static inline void cell(struct gputm_validation_unit *u, uint64_t address, uint64_t wts,
			uint64_t rts, uint32_t writes, int owner)
{
	struct gputm_validation_unit_granule g;

	ck_assert_int_eq(gputm_validation_unit_get_granule(u, address, &g), 0);
	KIT_HAS(g, wts, wts, rts, rts, writes, writes);
	if (writes)
		ck_assert_int_eq((int)g.owner, owner);
}

#endif /* GPUTM_TESTS_VALIDATION_UNIT_H */
