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
#include "tests/fuzz/bend.h"
#include "tests/kinds.h"

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
	bytes = fuzz_save(unit, !(how & 8), &length);
	if (how & 1) {
		length = edit(bytes, length, data, size, how & 4);
	} else {
		free(bytes);
		bytes = malloc(size + 1);
		FUZZ_CHECK(bytes);
		memcpy(bytes, data, size);
		length = size;
	}
	if (how & 2)
		fuzz_seal(bytes, length);
	fuzz_load(unit, bytes, length);
	free(bytes);
	kind->free(unit);
	return 0;
}
