/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a drive makes of its unit, beside the record in tests/golden/UNIT: how often each event has
 * been told and what each statistic has come to, with digests of all their values, of the rows of
 * the storage, of the states, and of what a reset leaves, over many rounds. Snapshots are the same
 * bytes on every machine, and are digested as numbers whose lowest byte comes first, so that a
 * record is that of every machine, too. With KIT_GOLDEN=1 the record is written anew.
 */
#include "tests/kit.h"

static struct row {
	char name[64];
	uint64_t count, digest;
} rows[128];
static unsigned count;

static void add(const char *kind, const char *name, uint64_t counted, const uint64_t *value,
		unsigned values)
{
	char full[sizeof(rows->name)];
	unsigned at = 0;

	snprintf(full, sizeof(full), "%s %s", kind, name);
	while (at < count && strcmp(rows[at].name, full))
		at++;
	ck_assert_uint_lt(at, KIT_COUNT(rows));
	if (at == count)
		memcpy(rows[count++].name, full, sizeof(full));
	rows[at].count += counted;
	while (values--) {
		rows[at].digest ^= *value++;
		rows[at].digest = kit_random(&rows[at].digest);
	}
}

bool kit_golden_records;

void kit_golden_said(const char *message)
{
	uint64_t value = 0;

	if (!kit_golden_records)
		return;
	while (*message) {
		value ^= (uint8_t)*message++;
		value = kit_random(&value);
	}
	add("messages", "all", 1, &value, 1);
}

static void hear(void *unused, const struct gputm_unit *unit, const struct gputm_event *event)
{
	add("event", event->name, 1, event->value, KIT_COUNT(event->value));
}

static bool listened;

void kit_golden_listen(struct gputm_unit *unit)
{
	listened = true;
	gputm_unit_unobserve(unit, hear, NULL);
	ck_assert_int_eq(gputm_unit_observe(unit, hear, NULL), 0);
}

/* The number that bytes of a snapshot hold, and a number's bytes there. */
static uint64_t number_of(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (unsigned i = 8; i--;)
		number = number << 8 | bytes[i];
	return number;
}

static void put(uint8_t *to, unsigned bytes, uint64_t number)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(number >> (8 * i));
}

void kit_golden_state(const struct gputm_unit *unit)
{
	size_t size = gputm_unit_save_state(unit, NULL, 0), words = size / 8 + 1;
	uint8_t *state = calloc(words, 8);
	uint64_t *word = malloc(words * 8);
	struct gputm_storage array;
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++)
		add("statistic", stat.name, stat.value, stat.bucket ? stat.bucket : &stat.value,
		    stat.bucket ? GPUTM_HISTOGRAM_BUCKETS : 1);
	for (size_t i = 0; gputm_unit_storage(unit, i, &array); i++) {
		uint64_t value[] = { array.entries, array.bits, array.ports, array.apart };

		add("storage", array.name, array.entries * array.bits, value, KIT_COUNT(value));
	}
	ck_assert(state && word);
	gputm_unit_save_state(unit, state, size);
	for (size_t i = 0; i < words; i++)
		word[i] = number_of(state + 8 * i);
	add("snapshot", "bytes", size, word, (unsigned)words);
	free(state);
	free(word);
}

bool kit_golden_rare(const struct gputm_unit *unit)
{
	static struct {
		uint64_t most;
		unsigned times;
	} seen[64];
	struct gputm_stat stat;
	bool rare = false;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		ck_assert_uint_lt(i, KIT_COUNT(seen));
		if (seen[i].times == 3 || stat.value <= seen[i].most)
			continue;
		seen[i].most = stat.value;
		seen[i].times++;
		rare = true;
	}
	return rare;
}

/* A place, mostly near the begin, gets what comes near the value there or near a parameter, any
 * value, or what is elsewhere. */
static void bend(const struct gputm_unit *unit, uint8_t *bent, size_t size, uint64_t *random)
{
	const struct gputm_params *params = gputm_unit_params(unit);
	size_t fixed = 64 + 16 + 8 * params->param_count, room = size - 8 - fixed;
	size_t reach = kit_below(random, 2) && room > 200 ? 200 : room;
	uint8_t *at = bent + fixed + kit_below(random, reach);
	const struct gputm_param *row = &params->param[kit_below(random, params->param_count)];
	size_t width = at + 4 <= bent + size - 8 ? 4 : 1;
	uint64_t value = gputm_params_get(row, gputm_unit_config(unit)) + kit_below(random, 3) - 1;

	switch (kit_below(random, 4)) {
	case 0:
		*at = (uint8_t)(*at + (kit_below(random, 2) ? 1 : -1));
		break;
	case 1:
		*at = (uint8_t)kit_random(random);
		break;
	case 2:
		memmove(at, bent + fixed + kit_below(random, room - 4), width);
		break;
	default:
		put(at, kit_below(random, 2) ? (unsigned)width : 1, value);
	}
}

void kit_golden_forge(struct gputm_unit *unit)
{
	size_t size = gputm_unit_save(unit, NULL, 0);
	uint8_t *now = malloc(2 * size), *bent = now + size;
	static uint64_t random; /* other places in each state */
	uint64_t error;

	ck_assert_ptr_nonnull(now);
	gputm_unit_save(unit, now, size);
	for (unsigned n = size < 20000 ? 300 : 30; n--;) {
		memcpy(bent, now, size);
		bend(unit, bent, size, &random);
		kit_seal(bent, size);
		error = (uint64_t)gputm_unit_load(unit, bent, size);
		add("snapshot", "accepted", !error, &error, 1);
		if (!error)
			ck_assert_int_eq(gputm_unit_load(unit, now, size), 0);
	}
	free(now);
}

void kit_golden_reset(struct gputm_unit *unit)
{
	uint64_t digest = 0;
	uint8_t *bytes;
	size_t size;

	gputm_unit_reset(unit);
	kit_valid(unit);
	size = gputm_unit_save(unit, NULL, 0);
	bytes = malloc(size);
	ck_assert_ptr_nonnull(bytes);
	gputm_unit_save(unit, bytes, size);
	for (size_t i = 0; i < size; i++) {
		digest ^= bytes[i];
		digest = kit_random(&digest);
	}
	free(bytes);
	add("snapshot", "reset", 1, &digest, 1);
}

void kit_golden(const char *path)
{
	const char *again = getenv("KIT_GOLDEN");
	FILE *file = fopen(path, again ? "w" : "r");
	char was[128], now[128];

	if (!file && !again)
		return; /* a unit that has no record */
	ck_assert_ptr_nonnull(file);
	ck_assert_msg(listened, "the drive never calls KIT_TURN: no event is recorded");
	for (unsigned i = 0; i < count; i++) {
		snprintf(now, sizeof(now), "%.63s %llu %016llx\n", rows[i].name,
			 (unsigned long long)rows[i].count, (unsigned long long)rows[i].digest);
		if (again)
			fputs(now, file);
		else
			ck_assert_msg(fgets(was, sizeof(was), file) && !strcmp(was, now),
				      "%s has \"%s\", now \"%s\"", path, was, now);
	}
	ck_assert(again || !fgets(was, sizeof(was), file));
	fclose(file);
}
