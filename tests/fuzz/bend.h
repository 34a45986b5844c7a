/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_FUZZ_BEND_H
#define GPUTM_TESTS_FUZZ_BEND_H
/* For fuzz targets of units: states that no operation leads to, by way of a snapshot. */
#include <string.h>

#include "gputm/base.h"
#include "tests/fuzz/fuzz.h"

/* The last eight bytes of a snapshot are a checksum of those before: lib/base/snapshot.c. */
static inline void fuzz_seal(uint8_t *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (size < 8)
		return;
	for (size_t i = 0; i < size - 8; i += 8) {
		uint64_t word = 0;

		for (size_t k = 0; k < 8 && i + k < size - 8; k++)
			word |= (uint64_t)bytes[i + k] << (8 * k);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 32;
	}
	for (size_t i = size - 8; i < size; i++, hash >>= 8)
		bytes[i] = (uint8_t)hash;
}

/*
 * Change some bytes of the state of a unit without parts and load it. What is accepted is saved as
 * it was, and is a state that further operations may be tried on: true.
 */
static inline bool fuzz_bend(struct gputm_unit *unit, struct fuzz *fuzz)
{
	uint8_t bytes[8192], again[sizeof(bytes)];
	size_t size = gputm_unit_save_state(unit, bytes, sizeof(bytes));
	size_t fixed = 64 + 16 + 8 * gputm_unit_params(unit)->param_count + 8;

	FUZZ_CHECK(size <= sizeof(bytes) && size > fixed);
	for (unsigned edits = 1 + fuzz_below(fuzz, 4); edits--;) {
		uint32_t at = fuzz_below(fuzz, (uint32_t)(size - fixed));

		bytes[size - 9 - at] = fuzz_u8(fuzz) & (edits & 1 ? 0xff : 0x07);
	}
	fuzz_seal(bytes, size);
	if (gputm_unit_load(unit, bytes, size))
		return false;
	FUZZ_CHECK(gputm_unit_save_state(unit, again, sizeof(again)) == size);
	FUZZ_CHECK(!memcmp(bytes, again, size));
	return true;
}

#endif
