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

#define FUZZ_STATS_AT 48 /* of a snapshot: has it statistics? */

static inline uint8_t *fuzz_save(const struct gputm_unit *unit, bool stats, size_t *size)
{
	size_t (*how)(const struct gputm_unit *, void *, size_t) =
		stats ? gputm_unit_save : gputm_unit_save_state;
	uint8_t *bytes;

	*size = how(unit, NULL, 0);
	bytes = malloc(*size);
	FUZZ_CHECK(bytes && how(unit, bytes, *size) == *size);
	return bytes;
}

/*
 * Load a snapshot of any origin. A refused one leaves the unit as it was; an accepted one is saved
 * as the same bytes, and is a state that check() has nothing against: true.
 */
static inline bool fuzz_load(struct gputm_unit *unit, const uint8_t *bytes, size_t size)
{
	size_t before_size, after_size;
	uint8_t *before = fuzz_save(unit, true, &before_size), *after;
	int error = gputm_unit_load(unit, bytes, size);

	after = fuzz_save(unit, error || bytes[FUZZ_STATS_AT], &after_size);
	FUZZ_CHECK(after_size == (error ? before_size : size));
	FUZZ_CHECK(!memcmp(after, error ? before : bytes, after_size));
	FUZZ_CHECK(!gputm_unit_check(unit));
	free(before);
	free(after);
	return !error;
}

/* Change some bytes of the state of a unit without parts and load it. */
static inline bool fuzz_bend(struct gputm_unit *unit, struct fuzz *fuzz)
{
	uint8_t bytes[8192];
	size_t size = gputm_unit_save_state(unit, bytes, sizeof(bytes));
	size_t fixed = 64 + 16 + 8 * gputm_unit_params(unit)->param_count + 8;

	FUZZ_CHECK(size <= sizeof(bytes) && size > fixed);
	for (unsigned edits = 1 + fuzz_below(fuzz, 4); edits--;) {
		uint32_t at = fuzz_below(fuzz, (uint32_t)(size - fixed));

		bytes[size - 9 - at] = fuzz_u8(fuzz) & (edits & 1 ? 0xff : 0x07);
	}
	fuzz_seal(bytes, size);
	return fuzz_load(unit, bytes, size);
}

#endif
