/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile snapshots, for every kind of unit. The first byte of the input picks the kind,
 * the second how the rest is used:
 *	even	the rest is the snapshot
 *	odd	the rest edits a good snapshot: triples of position (two bytes) and value
 *	bit 1	the checksum is put right afterwards, so that what lies behind it is reached
 *	bit 2	the snapshot is cut at the first position
 * A refused snapshot leaves the unit as it was; an accepted one is a state that check()
 * has nothing against and that is saved as the same bytes.
 */
#include <stdio.h>

#include "tests/fuzz/bend.h"
#include "tests/kinds.h"

#define CHECK(condition)                                                                       \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,                 \
				gputm_unit_kind(unit), #condition);                            \
			abort();                                                               \
		}                                                                              \
	} while (0)

#define STATS_AT 48 /* of a snapshot: has it statistics? */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *save(const struct gputm_unit *unit, size_t *size, bool stats)
{
	size_t (*how)(const struct gputm_unit *, void *, size_t) =
		stats ? gputm_unit_save : gputm_unit_save_state;
	uint8_t *bytes;

	*size = how(unit, NULL, 0);
	bytes = malloc(*size);
	CHECK(bytes && how(unit, bytes, *size) == *size);
	return bytes;
}

static size_t edit(uint8_t *bytes, size_t length, const uint8_t *data, size_t size, bool cut)
{
	size_t first = length;

	for (size_t i = 0; i + 3 <= size; i += 3) {
		size_t at = ((size_t)data[i] << 8 | data[i + 1]) % length;

		bytes[at] = data[i + 2];
		first = i ? first : at;
	}
	return cut ? first : length;
}

static void try_load(struct gputm_unit *unit, uint8_t *bytes, size_t length)
{
	size_t before_size, after_size;
	uint8_t *before = save(unit, &before_size, true), *after;
	int error = gputm_unit_load(unit, bytes, length);

	after = save(unit, &after_size, error || bytes[STATS_AT]);
	if (error)
		CHECK(after_size == before_size && !memcmp(before, after, after_size));
	else
		CHECK(after_size == length && !memcmp(bytes, after, length));
	CHECK(!gputm_unit_check(unit));
	free(before);
	free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_unit *unit;
	const struct kind *kind;
	uint8_t *bytes, how;
	size_t length;

	if (size < 2)
		return 0;
	kind = &kinds[data[0] % KIND_COUNT];
	how = data[1];
	data += 2;
	size -= 2;
	unit = kind_new(kind);
	if (!unit)
		return 0;
	bytes = save(unit, &length, !(how & 8));
	if (how & 1) {
		length = edit(bytes, length, data, size, how & 4);
	} else {
		free(bytes);
		bytes = malloc(size + 1);
		CHECK(bytes);
		memcpy(bytes, data, size);
		length = size;
	}
	if (how & 2)
		fuzz_seal(bytes, length);
	try_load(unit, bytes, length);
	free(bytes);
	kind->free(unit);
	return 0;
}
