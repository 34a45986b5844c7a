/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "lib/base/unit.h"
#include "tests/explore/unit.h"

#define BYTES 65536 /* that a unit saves, at most */

void unit_mix_bytes(struct explore_key *key, const void *bytes, size_t count)
{
	uint64_t word;

	for (size_t at = 0; at < count; at += sizeof(word)) {
		size_t some = count - at < sizeof(word) ? count - at : sizeof(word);

		word = 0;
		memcpy(&word, (const uint8_t *)bytes + at, some);
		explore_mix(key, word);
	}
}

void unit_mix(struct explore_key *key, struct gputm_unit *unit,
	      void (*blank)(const char *kind, uint8_t *bytes, size_t size))
{
	static uint8_t bytes[BYTES];
	struct gputm__io io = { .mode = GPUTM__WRITE, .unit = unit, .out = bytes, .size = BYTES };

	for (size_t i = 0; i < GPUTM__PARTS; i++)
		if (gputm__unit_part(unit, i))
			unit_mix(key, gputm__unit_part(unit, i), blank);
	unit->class->io(unit, &io);
	if (blank)
		blank(unit->class->kind, bytes, io.used);
	unit_mix_bytes(key, bytes, io.used);
	explore_mix(key, io.used);
}

const char *unit_reload(struct gputm_unit *unit)
{
	static uint8_t before[BYTES], after[BYTES];
	size_t size = gputm_unit_save(unit, before, BYTES);

	if (size > BYTES || gputm_unit_load(unit, before, size))
		return "a snapshot is refused";
	if (gputm_unit_save(unit, after, BYTES) != size || memcmp(before, after, size))
		return "a snapshot that was loaded is saved as other bytes";
	return NULL;
}
