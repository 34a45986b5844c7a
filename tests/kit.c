/* SPDX-License-Identifier: BSD-2-Clause */
/* The context of a test and units made in it, what refused calls say, randomness. */
#include "tests/kit.h"

/* ---- context ---- */

struct kit_made {
	const struct kit_maker *maker;
	struct gputm_unit *unit;
	struct kit_made *before;
};

static void *kit_alloc(size_t size, void *state)
{
	struct kit *kit = state;

	ck_assert_uint_gt(size, 0); /* libc may answer NULL to 0 */
	if (kit->allocations++ == kit->fail_at)
		return NULL;
	kit->live++;
	return kit_memory_new(size);
}

static void kit_release(void *memory, void *state)
{
	struct kit *kit = state;

	kit->live--;
	kit_memory_free(memory);
}

static FILE *heard;

void kit_hear(const char *message)
{
	static uint64_t before[4096]; /* hashes of what was heard */
	uint64_t hash = 0, *at;

	if (!heard)
		return;
	for (const char *c = message; *c; c++) {
		hash ^= (unsigned char)*c;
		hash = kit_random(&hash);
	}
	at = &before[hash % KIT_COUNT(before)];
	if (*at != hash)
		fprintf(heard, "%s\n", message);
	*at = hash;
}

bool kit_hears(void)
{
	return heard;
}

static void kit_log(void *state, enum gputm_log_level level, const char *message)
{
	struct kit *kit = state;

	kit->messages++;
	strncpy(kit->message, message, sizeof(kit->message) - 1);
	kit_golden_said(message);
	kit_hear(message);
}

void kit_open(struct kit *kit)
{
	struct gputm_allocator allocator = { kit_alloc, kit_release, kit, NULL };

	const char *path = getenv("KIT_HEARD");

	if (path && !heard) {
		heard = fopen(path, "a");
		ck_assert_ptr_nonnull(heard);
		setvbuf(heard, NULL, _IOLBF, 0); /* a child that crashes has told all */
	}
	memset(kit, 0, sizeof(*kit));
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_ctx_new(&allocator, &kit->ctx), 0);
	gputm_ctx_set_log(kit->ctx, kit_log, kit, GPUTM_LOG_INFO);
}

static void release(struct kit *kit, const struct kit_maker *maker, struct gputm_unit *unit)
{
	kit_made_instead(kit, unit, NULL);
	maker->destroy(unit);
}

void kit_close(struct kit *kit)
{
	for (struct kit_made *made = kit->made; made; made = made->before)
		kit_valid(made->unit);
	for (struct kit_made *made = kit->made; made; made = made->before)
		kit_forge(made->unit);
	for (struct kit_made *made = kit->made; made; made = made->before)
		kit_as_new(made->maker, kit, made->unit); /* while all are there that it knows */
	while (kit->made)
		release(kit, kit->made->maker, kit->made->unit);
	gputm_ctx_unref(kit->ctx);
	ck_assert_int_eq(kit->live, 0);
}

/* ---- units that are made from text ---- */

const struct kit_maker *kit_watched;

static bool same(const struct gputm_params *params, const void *a, const void *b)
{
	for (size_t i = 0; i < params->param_count; i++)
		if (gputm_params_get(&params->param[i], a) !=
		    gputm_params_get(&params->param[i], b))
			return false;
	return true;
}

struct gputm_unit *kit_make(struct kit *kit, const struct kit_maker *maker, const void *config)
{
	struct kit_made *made = malloc(sizeof(*made));
	struct gputm_unit *kept = kit->kept;

	ck_assert_ptr_nonnull(made);
	if (kept && same(maker->params(), config, gputm_unit_config(kept))) {
		free(made);
		kit->kept = NULL;
		gputm_unit_reset(kept);
		if (maker == kit_watched)
			kit_observe(kept);
		return kept;
	}
	*made = (struct kit_made){ maker, NULL, kit->made };
	ck_assert_msg(!maker->make(kit->ctx, config, &made->unit), "%s", kit->message);
	kit->made = made;
	if (maker == kit_watched)
		kit_observe(made->unit);
	return made->unit;
}

void kit_made_instead(struct kit *kit, const struct gputm_unit *unit, struct gputm_unit *other)
{
	for (struct kit_made **at = &kit->made, *made; (made = *at); at = &made->before) {
		if (made->unit != unit)
			continue;
		made->unit = other;
		if (!other) {
			*at = made->before;
			free(made);
		}
		return;
	}
}

static bool has_made(const struct kit *kit, const struct gputm_unit *unit)
{
	const struct kit_made *made = kit->made;

	while (made && made->unit != unit)
		made = made->before;
	return made;
}

void kit_free(struct kit *kit, const struct kit_maker *maker, struct gputm_unit *unit)
{
	kit_forge(unit);
	if (kit->keeps && !kit->kept && has_made(kit, unit)) {
		kit_observe_instead(unit, NULL);
		kit->kept = unit;
		return;
	}
	kit_as_new(maker, kit, unit);
	release(kit, maker, unit);
}

void kit_config(const struct gputm_params *params, void *config, const char *text, va_list values)
{
	char fields[512], *field;
	int size = text ? vsnprintf(fields, sizeof(fields), text, values) : 0;

	ck_assert_int_lt(size, (int)sizeof(fields));
	for (field = size ? strtok(fields, " ") : NULL; field; field = strtok(NULL, " ")) {
		char *value = strchr(field, '=');

		if (value)
			*value++ = '\0';
		ck_assert_msg(!(value ? gputm_params_set(NULL, params, config, field, value) :
					gputm_params_preset(NULL, params, field, config)),
			      "%s of %s, in \"%s\"", field, params->kind, text);
	}
}

void *kit_make_as(struct kit *kit, const struct kit_maker *maker, const char *text, ...)
{
	size_t size = maker->params()->config_size;
	void *config = malloc(size);
	struct gputm_unit *unit;
	va_list values;

	ck_assert_ptr_nonnull(config);
	memcpy(config, maker->init, size);
	va_start(values, text);
	kit_config(maker->params(), config, text, values);
	va_end(values);
	unit = kit_make(kit, maker, config);
	free(config);
	return unit;
}

/* ---- messages ---- */

void kit_said(const struct kit *kit, ...)
{
	va_list arguments;
	const char *part;

	va_start(arguments, kit);
	while ((part = va_arg(arguments, const char *)))
		ck_assert_msg(strstr(kit->message, part), "\"%s\" does not name \"%s\"",
			      kit->message, part);
	va_end(arguments);
}

static void hear_refused(void *kit, const struct gputm_unit *unit, const struct gputm_event *event)
{
	((struct kit *)kit)->heard = true;
}

uint64_t kit_refusing(struct kit *kit)
{
	long fail_at = kit->fail_at, allocations = kit->allocations;

	kit->message[0] = '\0';
	kit->heard = false;
	if (!kit->guarded)
		return 0;
	kit->fail_at = -1; /* the call alone is short of memory */
	ck_assert_int_eq(gputm_unit_observe(kit->guarded, hear_refused, kit), 0);
	kit->fail_at = fail_at;
	kit->allocations = allocations;
	return kit_digest(kit->guarded);
}

void kit_refused(struct kit *kit, uint64_t before)
{
	ck_assert_msg(kit->message[0], "refused without a message");
	if (!kit->guarded)
		return;
	ck_assert_msg(kit_digest(kit->guarded) == before, "refused, but changed: %s",
		      kit->message);
	ck_assert_int_eq(gputm_unit_unobserve(kit->guarded, hear_refused, kit), 0);
	ck_assert_msg(!kit->heard, "refused, but there was an event: %s", kit->message);
}

void kit_guard(struct kit *kit, struct gputm_unit *unit)
{
	kit->guarded = unit;
	kit->digest = unit ? kit_digest(unit) : 0;
}

void kit_unchanged(const struct kit *kit)
{
	ck_assert_uint_eq(kit_digest(kit->guarded), kit->digest);
}

/* ---- randomness and scale ---- */

uint64_t kit_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t kit_below(uint64_t *state, uint64_t limit)
{
	return kit_random(state) % limit;
}

unsigned kit_scale(unsigned full, unsigned small)
{
	const char *scale = getenv("GPUTM_TEST_SCALE");

	return scale && !strcmp(scale, "small") ? small : full;
}

/* ---- a look at any unit ---- */

void kit_valid(const struct gputm_unit *unit)
{
	const char *broken = gputm_unit_check(unit);

	ck_assert_msg(!broken, "%s: %s", gputm_unit_kind(unit), broken);
}

uint64_t kit_stat(const struct gputm_unit *unit, const char *name)
{
	uint64_t value = 0;

	ck_assert_msg(gputm_unit_stat_value(unit, name, &value), "no statistic %s", name);
	return value;
}

void kit_counts(const struct gputm_unit *unit, const char *text, ...)
{
	char counts[512], *at, *value;
	va_list values;

	va_start(values, text);
	ck_assert_int_lt(vsnprintf(counts, sizeof(counts), text, values), (int)sizeof(counts));
	va_end(values);
	for (at = strtok(counts, " "); at; at = strtok(NULL, " ")) {
		value = strchr(at, '=');
		ck_assert_ptr_nonnull(value);
		*value++ = '\0';
		ck_assert_msg(kit_stat(unit, at) == strtoull(value, NULL, 10),
			      "%s is %llu, not %s", at,
			      (unsigned long long)kit_stat(unit, at), value);
	}
}

void kit_stats(const struct gputm_unit *unit, const void *told, const char *names)
{
	const uint64_t *next = told;
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		bool buckets = stat.kind == GPUTM_STAT_HISTOGRAM;
		size_t length = strlen(stat.name);
		uint64_t sum = 0;

		ck_assert_msg(strcspn(names, ",[") == length &&
				      !strncmp(names, stat.name, length) &&
				      (names[length] == '[') == buckets,
			      "%s is not predicted; next is %s", stat.name, names);
		for (unsigned b = 0; b < (buckets ? GPUTM_HISTOGRAM_BUCKETS : 1); b++, next++) {
			uint64_t value = buckets ? stat.bucket[b] : stat.value;

			ck_assert_msg(value == *next, "%s [%u] is %llu, not %llu", stat.name, b,
				      (unsigned long long)value, (unsigned long long)*next);
			sum += value;
		}
		ck_assert_uint_eq(sum, stat.value);
		names += strcspn(names, ",");
		names += strspn(names, ", ");
	}
	ck_assert_msg(!*names, "predicted, but no statistic: %s", names);
}
