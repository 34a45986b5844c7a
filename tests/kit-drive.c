/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/kit.h"

const struct kit_drive *kit_driven;

void kit_drive(const uint8_t *data, size_t size, bool thorough)
{
	struct kit_bytes bytes = { data, size, 0, thorough };
	struct kit kit;

	bytes.round = (uint8_t)kit_number(&bytes, 1);
	kit_open(&kit);
	kit_driven->drive(&kit, &bytes);
	kit_close(&kit);
}

/* ---- a trace: what the units of a drive have told, and their snapshots with statistics ---- */

#define RECORDED 48 /* rounds of a record */
#define HOSTILE 25  /* rounds, all or evenly apart, whose last state is forged thousands of times */

static struct {
	bool on, listens;
	uint64_t turns, digest;
} trace;

static void note(uint64_t value)
{
	trace.digest ^= value;
	trace.digest = kit_random(&trace.digest);
}

static void hear(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	note(event->kind);
	for (unsigned i = 0; i < 4; i++)
		note(event->value[i]);
}

/* Note the unit every 1,024 turns, and in odd rounds all that it tells from now on. */
static void note_unit(struct gputm_unit *unit, bool last)
{
	if (kit_golden_records && (last || trace.turns % 32 == 31))
		kit_golden_state(unit);
	if (kit_golden_records && trace.listens && trace.turns % 64 == 0 && !last)
		kit_golden_listen(unit);
	if (kit_golden_records && kit_golden_rare(unit)) {
		kit_golden_state(unit);
		kit_golden_forge(unit);
	}
	if (kit_golden_records && (last ? trace.turns < 24 : trace.turns++ == 24))
		kit_golden_forge(unit);
	if (kit_golden_records && last)
		kit_golden_reset(unit);
	if (!trace.on)
		return;
	if (last || trace.turns % 1024 == 0)
		note(kit_digest(unit));
	if (!last && trace.listens && trace.turns % 64 == 0) {
		gputm_unit_unobserve(unit, hear, NULL);
		ck_assert_int_eq(gputm_unit_observe(unit, hear, NULL), 0);
	}
	trace.turns++;
}

static uint8_t *data_of(uint64_t round, size_t size)
{
	uint8_t *data = malloc(size);
	uint64_t random = round;

	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)kit_random(&random);
	*data = (uint8_t)round;
	return data;
}

static void drive_round(uint64_t round, size_t size)
{
	uint8_t *data = data_of(round, size);

	kit_drive(data, size, false);
	free(data);
}

static void trace_round(uint64_t round, size_t size)
{
	trace.on = true;
	trace.listens = round & 1;
	drive_round(round, size);
	trace.on = false;
}

/* Bytes of a short round. */
static size_t brief(void)
{
	size_t size = kit_driven->size / 20;

	return size < 500 ? 500 : size > 1500 ? 1500 : size;
}

void kit_drive_again(uint64_t round)
{
	uint8_t *data = data_of(round, brief());
	uint64_t digest[3];
	struct kit kit;

	kit_open(&kit);
	trace.on = true;
	trace.listens = false;
	for (int i = 0; i < 3; i++) { /* new; used otherwise, under the same config; and reset */
		struct kit_bytes bytes = { data + 1, brief() - 1, *data, false };

		for (size_t at = 100; i && at < brief(); at++)
			data[at] ^= 0x5b;
		kit.keeps = i > 0;
		trace.turns = trace.digest = 0;
		kit_driven->drive(&kit, &bytes);
		digest[i] = trace.digest;
	}
	trace.on = false;
	ck_assert_msg(digest[0] == digest[2], "reset, the unit does not do what a new one does");
	kit_close(&kit);
	free(data);
}

void kit_record(const char *path)
{
	kit_golden_records = true;
	for (unsigned round = 0; round < RECORDED; round++) {
		trace.turns = 0;
		trace.listens = round & 1;
		drive_round(round, brief());
	}
	kit_golden_records = false;
	kit_golden(path);
}

uint64_t kit_trace(uint64_t turns)
{
	size_t size = kit_driven->size;

	for (uint64_t round = 0; trace.turns < turns && round * size < 32 * turns; round++)
		trace_round(round, size);
	return trace.digest;
}

uint64_t kit_trace_round(uint64_t round)
{
	trace.turns = trace.digest = 0;
	trace_round(round, kit_driven->size / kit_scale(4, 20));
	return trace.digest;
}

uint64_t kit_number(struct kit_bytes *bytes, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count && bytes->left; i++, bytes->left--)
		value |= (uint64_t)*bytes->at++ << (8 * i);
	return value;
}

uint64_t kit_draw(struct kit_bytes *bytes, uint64_t limit)
{
	return kit_number(bytes, limit <= 256 ? 1 : limit <= 65536 ? 2 : 8) % limit;
}

struct gputm_unit *kit_turn(const struct kit_maker *maker, struct kit *kit,
			    struct gputm_unit *unit, const struct kit_bytes *bytes)
{
	kit_valid(unit);
	note_unit(unit, false);
	if (bytes->left % 199 == 0)
		kit_forge(unit);
	return bytes->left % 499 ? unit : kit_swap(maker, kit, unit);
}

void kit_end(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit,
	     const struct kit_bytes *bytes)
{
	kit_valid(unit);
	note_unit(unit, true);
	if (bytes->thorough) {
		kit_chaos(maker, gputm_unit_config(unit));
		kit_round_trip(maker, unit);
		/* all of them where sentences are heard */
		if (getenv("KIT_HEARD") || bytes->round * HOSTILE % kit_driven->rounds < HOSTILE)
			kit_hostile(maker, unit);
	}
	kit_free(kit, maker, unit);
}

bool kit_bend(struct gputm_unit *unit, struct kit_bytes *bytes)
{
	size_t size = gputm_unit_save_state(unit, NULL, 0);
	size_t fixed = 64 + 16 + 8 * gputm_unit_params(unit)->param_count + 8;
	uint8_t *state = malloc(2 * size), *again = state + size;
	bool accepted;

	ck_assert(state && size > fixed);
	gputm_unit_save_state(unit, state, size);
	for (uint64_t edits = 1 + kit_draw(bytes, 4); edits--;) {
		uint64_t at = kit_draw(bytes, size - fixed);

		state[size - 9 - at] = (uint8_t)kit_number(bytes, 1) & (edits & 1 ? 0xff : 0x07);
	}
	kit_seal(state, size);
	accepted = gputm_unit_load(unit, state, size) == 0;
	ck_assert(gputm_unit_save_state(unit, again, size) == size);
	ck_assert(!accepted || !memcmp(state, again, size));
	free(state);
	return accepted;
}
