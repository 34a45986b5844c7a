/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/kit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- context ---- */

static void *kit_alloc(size_t size, void *state)
{
	struct kit *kit = state;
	void *memory;

	if (kit->allocations++ == kit->fail_at)
		return NULL;
	memory = malloc(size);
	ck_assert_ptr_nonnull(memory);
	memset(memory, 0xa5, size);
	kit->live++;
	return memory;
}

static void kit_release(void *memory, void *state)
{
	struct kit *kit = state;

	kit->live--;
	free(memory);
}

static void kit_log(void *state, enum gputm_log_level level, const char *message)
{
	struct kit *kit = state;

	(void)level;
	kit->messages++;
	strncpy(kit->message, message, sizeof(kit->message) - 1);
}

void kit_open(struct kit *kit)
{
	struct gputm_allocator allocator = { kit_alloc, kit_release, kit };

	memset(kit, 0, sizeof(*kit));
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_ctx_new(&allocator, &kit->ctx), 0);
	gputm_ctx_set_log(kit->ctx, kit_log, kit, GPUTM_LOG_INFO);
}

void kit_close(struct kit *kit)
{
	gputm_ctx_unref(kit->ctx);
	ck_assert_int_eq(kit->live, 0);
}

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

uint64_t kit_refusing(struct kit *kit)
{
	kit->message[0] = '\0';
	return kit->guarded ? kit_digest(kit->guarded) : 0;
}

void kit_refused(const struct kit *kit, uint64_t before)
{
	ck_assert_msg(kit->message[0], "refused without a message");
	if (kit->guarded)
		ck_assert_msg(kit_digest(kit->guarded) == before, "refused, but changed: %s",
			      kit->message);
}

void kit_guard(struct kit *kit, const struct gputm_unit *unit)
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

/* ---- events ---- */

#define KINDS 16

/* Shared by the processes of all tests of the program. */
static struct unseen {
	char unit[32];
	char name[KINDS][32]; /* of each kind, until it has happened */
} of_a_process, *unseen = &of_a_process;

/* Since kit_observe(). */
static struct gputm_unit *observed;
static unsigned events[KINDS];
static uint64_t last[KINDS][4];

/* False of units whose operations tell before they are over, see gputm_observe_fn. */
static bool is_whole(const struct gputm_unit *unit)
{
	static const char *const amid[] = { "block_stack",    "commit_id",   "commit_sequencer",
					    "commit_unit",    "last_writer", "local_tm",
					    "metadata_table", "simt_stack",  "warp_former" };
	const char *kind = gputm_unit_kind(unit);

	for (size_t i = 0; i < sizeof(amid) / sizeof(amid[0]); i++)
		if (!strcmp(amid[i], kind))
			return false;
	return true;
}

static void check_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	struct gputm_event_kind kind;

	(void)state;
	ck_assert(gputm_unit_event(unit, event->kind, &kind));
	ck_assert_str_eq(event->name, kind.name);
	for (unsigned i = 0; i < 4; i++) {
		const struct gputm_event_field *field = &kind.field[i];

		if (!field->name || field->choices)
			ck_assert_msg(event->value[i] < (field->name ? field->choice_count : 1),
				      "%s: value %u of %s is %llu", gputm_unit_kind(unit), i,
				      kind.name, (unsigned long long)event->value[i]);
	}
	if (is_whole(unit))
		kit_valid(unit);
	unseen->name[event->kind][0] = '\0';
	events[event->kind]++;
	memcpy(last[event->kind], event->value, sizeof(*last));
}

static void name_kinds(const struct gputm_unit *unit)
{
	struct gputm_event_kind kind;

	strncpy(unseen->unit, gputm_unit_kind(unit), sizeof(unseen->unit) - 1);
	for (size_t i = 0; gputm_unit_event(unit, i, &kind); i++) {
		ck_assert_uint_lt(i, KINDS);
		strncpy(unseen->name[i], kind.name, sizeof(*unseen->name) - 1);
	}
}

void kit_observe(struct gputm_unit *unit)
{
	if (!*unseen->unit)
		name_kinds(unit);
	ck_assert_str_eq(unseen->unit, gputm_unit_kind(unit));
	memset(events, 0, sizeof(events));
	memset(last, 0, sizeof(last));
	observed = unit;
	gputm_unit_observe(unit, check_event, NULL);
}

void kit_unobserve(void)
{
	ck_assert_int_eq(gputm_unit_unobserve(observed, check_event, NULL), 0);
	observed = NULL;
}

unsigned kit_events(uint32_t kind)
{
	return events[kind];
}

const uint64_t *kit_event(uint32_t kind)
{
	ck_assert_uint_gt(events[kind], 0);
	return last[kind];
}

/* ---- snapshots ---- */

struct image {
	uint8_t *bytes;
	size_t size;
};

typedef size_t save_fn(const struct gputm_unit *unit, void *buffer, size_t capacity);

static struct image save_by(save_fn *how, const struct gputm_unit *unit)
{
	struct image image = { NULL, how(unit, NULL, 0) };

	image.bytes = malloc(image.size);
	ck_assert_ptr_nonnull(image.bytes);
	ck_assert_uint_eq(how(unit, image.bytes, image.size), image.size);
	return image;
}

static struct image save(const struct gputm_unit *unit)
{
	return save_by(gputm_unit_save, unit);
}

static bool same_by(save_fn *how, const struct image *image, const struct gputm_unit *unit)
{
	struct image other = save_by(how, unit);
	bool equal = other.size == image->size && !memcmp(other.bytes, image->bytes, other.size);

	free(other.bytes);
	return equal;
}

static bool same(const struct image *image, const struct gputm_unit *unit)
{
	return same_by(gputm_unit_save, image, unit);
}

/* FNV-1a of 8 bytes at a time, folded; as lib/base/snapshot.c says. */
void kit_seal(uint8_t *snapshot, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size - 8; i += 8) {
		uint64_t word = 0;

		for (size_t k = 0; k < 8 && i + k < size - 8; k++)
			word |= (uint64_t)snapshot[i + k] << (8 * k);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 32;
	}
	for (unsigned k = 0; k < 8; k++)
		snapshot[size - 8 + k] = (uint8_t)(hash >> (8 * k));
}

uint64_t kit_digest(const struct gputm_unit *unit)
{
	struct image image = save(unit);
	uint64_t digest = 0;

	for (size_t i = 0; i < image.size; i++) {
		uint64_t state = digest ^ image.bytes[i];

		digest = kit_random(&state);
	}
	free(image.bytes);
	return digest;
}

static void same_stats(const struct gputm_unit *a, const struct gputm_unit *b)
{
	struct gputm_stat x, y;
	size_t i;

	for (i = 0; gputm_unit_stat(a, i, &x); i++) {
		ck_assert(gputm_unit_stat(b, i, &y));
		ck_assert_str_eq(x.name, y.name);
		ck_assert_msg(x.value == y.value, "statistic %s differs", x.name);
	}
	ck_assert(!gputm_unit_stat(b, i, &y));
}

struct gputm_unit *kit_swap(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit)
{
	static unsigned turns;
	struct image image = save(unit);
	struct gputm_unit *other = NULL;

	if (turns++ & 1) { /* onto what is there */
		ck_assert_msg(!gputm_unit_load(unit, image.bytes, image.size), "load: %s",
			      kit->message);
		ck_assert(same(&image, unit));
		free(image.bytes);
		return unit;
	}
	ck_assert_int_eq(maker->make(kit->ctx, gputm_unit_config(unit), &other), 0);
	ck_assert_msg(!(turns & 2 ? gputm_unit_clone(other, unit) :
				    gputm_unit_load(other, image.bytes, image.size)),
		      "load: %s", kit->message);
	ck_assert(same(&image, other));
	same_stats(unit, other);
	kit_valid(other);
	if (unit == observed) {
		observed = other;
		gputm_unit_observe(other, check_event, NULL);
	}
	maker->destroy(unit);
	free(image.bytes);
	return other;
}

static void load(struct kit *kit, struct gputm_unit *unit, const struct image *image)
{
	ck_assert_msg(!gputm_unit_load(unit, image->bytes, image->size), "load: %s", kit->message);
	kit_valid(unit);
}

static void no_stats(const struct gputm_unit *unit)
{
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++)
		ck_assert_msg(!stat.value || stat.kind == GPUTM_STAT_GAUGE ||
				      stat.kind == GPUTM_STAT_MAXIMUM,
			      "statistic %s is not cleared", stat.name);
}

/* State and statistics apart: `unit` is what `whole` and `state` are of, `fresh` is new. */
static void apart(struct kit *kit, struct gputm_unit *unit, struct gputm_unit *fresh,
		  const struct image *whole, const struct image *state)
{
	struct image empty = save_by(gputm_unit_save_state, fresh), none = save(fresh);

	ck_assert_msg(same_by(gputm_unit_save_state, state, unit), "states differ");
	gputm_unit_clear_stats(unit);
	kit_valid(unit);
	no_stats(unit);
	ck_assert(same_by(gputm_unit_save_state, state, unit));
	load(kit, fresh, state);
	no_stats(fresh);
	ck_assert(same_by(gputm_unit_save_state, state, fresh));
	load(kit, unit, whole);
	ck_assert(same(whole, unit));
	load(kit, unit, &empty);
	same_stats(unit, unit);
	ck_assert(same_by(gputm_unit_save_state, &empty, unit));
	load(kit, unit, state);
	load(kit, unit, whole);
	ck_assert(same(whole, unit));
	gputm_unit_reset_state(unit);
	kit_valid(unit);
	ck_assert_msg(same_by(gputm_unit_save_state, &empty, unit), "reset leaves a state");
	load(kit, unit, whole);
	gputm_unit_reset(unit);
	kit_valid(unit);
	ck_assert_msg(same(&none, unit), "reset is not as new");
	free(empty.bytes);
	free(none.bytes);
}

void kit_round_trip(const struct kit_maker *maker, const struct gputm_unit *unit)
{
	struct image image = save(unit), state = save_by(gputm_unit_save_state, unit);
	struct gputm_unit *other = NULL, *fresh = NULL;
	struct kit kit;

	kit_open(&kit);
	ck_assert_int_eq(maker->make(kit.ctx, gputm_unit_config(unit), &other), 0);
	ck_assert_int_eq(maker->make(kit.ctx, gputm_unit_config(unit), &fresh), 0);
	load(&kit, other, &image);
	ck_assert(same(&image, other));
	same_stats(unit, other);
	apart(&kit, other, fresh, &image, &state);
	maker->destroy(other);
	maker->destroy(fresh);
	kit_close(&kit);
	free(image.bytes);
	free(state.bytes);
}

static void refused(struct gputm_unit *unit, const struct image *now, const uint8_t *bytes,
		    size_t size, const char *what)
{
	ck_assert_msg(gputm_unit_load(unit, bytes, size) < 0, "%s snapshot accepted", what);
	ck_assert_msg(same(now, unit), "%s snapshot changed the unit", what);
}

/* Bytes of state and statistics changed under a right checksum: refused, or taken as they are. */
static void forged(struct gputm_unit *unit, const struct image *now, uint8_t *bent)
{
	size_t fixed = 64 + 16 + 8 * gputm_unit_params(unit)->param_count;
	uint64_t random = now->size;

	for (unsigned n = kit_scale(400, 40); n--;) {
		struct image image = { bent, now->size };

		memcpy(bent, now->bytes, now->size);
		for (uint64_t edits = 1 + kit_below(&random, 3); edits--;) {
			size_t at = (size_t)(fixed + kit_below(&random, now->size - 8 - fixed));
			uint8_t any = (uint8_t)kit_random(&random);

			bent[at] = (uint8_t)(edits & 1 ? any : bent[at] ^ 1u << (any & 7));
		}
		kit_seal(bent, now->size);
		if (gputm_unit_load(unit, bent, now->size)) {
			ck_assert_msg(same(now, unit), "forged snapshot changed the unit");
			continue;
		}
		kit_valid(unit);
		ck_assert_msg(same(&image, unit), "%s: forged snapshot is saved as another",
			      gputm_unit_kind(unit));
		ck_assert_int_eq(gputm_unit_load(unit, now->bytes, now->size), 0);
	}
}

void kit_hostile(const struct kit_maker *maker, struct gputm_unit *unit)
{
	struct image image = save(unit);
	uint8_t *bent = malloc(image.size + 1);
	size_t step = image.size / kit_scale(199, 23) + 1;

	(void)maker;
	ck_assert_ptr_nonnull(bent);
	for (size_t i = 0; i < image.size; i += i < 70 ? 1 : step)
		refused(unit, &image, image.bytes, i, "cut");
	for (size_t i = 0; i < image.size; i += i < 70 ? 1 : step) {
		memcpy(bent, image.bytes, image.size);
		bent[i] ^= (uint8_t)(1u << (i & 7));
		refused(unit, &image, bent, image.size, "flipped");
	}
	memcpy(bent, image.bytes, image.size);
	bent[image.size] = 0;
	refused(unit, &image, bent, image.size + 1, "longer");
	bent[8] = 99;
	ck_assert_int_eq(gputm_unit_load(unit, bent, image.size), -ENOTSUP);
	memcpy(bent, image.bytes, image.size);
	bent[12] = 99;
	ck_assert_int_eq(gputm_unit_load(unit, bent, image.size), -ENOTSUP);
	memcpy(bent, image.bytes, image.size);
	bent[16] = 'z';
	ck_assert_int_eq(gputm_unit_load(unit, bent, image.size), -EINVAL);
	ck_assert(same(&image, unit));
	forged(unit, &image, bent);
	free(bent);
	free(image.bytes);
}

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

/* ---- life ---- */

static void put(const struct gputm_param *row, void *config, uint64_t value)
{
	unsigned char *at = (unsigned char *)config + row->offset;
	uint32_t narrow = (uint32_t)value;

	if (row->bytes == 1)
		*at = (unsigned char)value;
	else if (row->bytes == 4)
		memcpy(at, &narrow, 4);
	else
		memcpy(at, &value, 8);
}

static void refuse_value(struct kit *kit, const struct kit_maker *maker, const void *good,
			 const struct gputm_param *row, uint64_t value)
{
	const struct gputm_params *params = maker->params();
	struct gputm_unit *unit = NULL;
	void *config = malloc(params->config_size);

	ck_assert_ptr_nonnull(config);
	memcpy(config, good, params->config_size);
	put(row, config, value);
	ck_assert_msg(maker->make(kit->ctx, config, &unit) == -EINVAL, "%s = %llu accepted",
		      row->name, (unsigned long long)value);
	ck_assert_ptr_null(unit);
	kit_said(kit, params->kind, row->name, NULL);
	free(config);
}

static void bad_fields(struct kit *kit, const struct kit_maker *maker, const void *good)
{
	const struct gputm_params *params = maker->params();

	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t top = row->bytes == 8 ? UINT64_MAX : row->bytes == 4 ? UINT32_MAX : 255;

		ck_assert_uint_ge(row->def, row->min);
		ck_assert_uint_le(row->def, row->max);
		ck_assert_uint_le(row->max, top);
		ck_assert_uint_eq(gputm_params_get(row, good), row->def);
		ck_assert(row->summary && *row->summary);
		if (row->min)
			refuse_value(kit, maker, good, row, row->min - 1);
		if (row->max < top)
			refuse_value(kit, maker, good, row, row->max + 1);
		if (row->power_of_two && row->max > 3)
			refuse_value(kit, maker, good, row, row->min > 3 ? row->min + 1 : 3);
	}
}

/* ---- configs of other sizes: nothing behind the caller's struct is touched ---- */

#define EDGE 65536 /* a multiple of every page's size */

/* `size` bytes where memory ends: a byte behind them is a fault. */
static void *edge_new(size_t size)
{
	unsigned char *map = mmap(NULL, 2 * EDGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(map != MAP_FAILED);
	ck_assert_int_eq(mprotect(map + EDGE, EDGE, PROT_NONE), 0);
	return memset(map + EDGE - size, 0xa5, size);
}

static void edge_free(void *config, size_t size)
{
	ck_assert_int_eq(munmap((unsigned char *)config + size - EDGE, 2 * EDGE), 0);
}

/* A preset sets the fields that there are. */
static void preset_fits(struct kit *kit, const struct gputm_params *params,
			const struct gputm_preset *preset, void *config, size_t size)
{
	uint64_t value;

	ck_assert_int_eq(gputm_params_preset(kit->ctx, params, preset->name, config), 0);
	for (size_t i = 0; i < params->param_count; i++) {
		bool has = params->param[i].offset + params->param[i].bytes <= size;

		value = params->param[i].def;
		for (size_t v = 0; has && preset->value[v].field; v++)
			if (!strcmp(preset->value[v].field, params->param[i].name))
				value = preset->value[v].value;
		ck_assert_uint_eq(gputm_params_get(&params->param[i], config), value);
	}
}

static void set_fits(struct kit *kit, const struct gputm_params *params,
		     const struct gputm_param *row, void *config, size_t size)
{
	bool has = row->offset + row->bytes <= size;
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)row->max);
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, config, row->name, text),
			 has ? 0 : -ENOTSUP);
	ck_assert_uint_eq(gputm_params_get(row, config), has ? row->max : row->def);
	if (!has)
		kit_said(kit, params->kind, "config.size", row->name, NULL);
}

static void refused_size(struct kit *kit, const struct gputm_params *params, void *config,
			 int error)
{
	const struct gputm_param *row = &params->param[0];

	if (params->preset_count)
		ck_assert_int_eq(gputm_params_preset(kit->ctx, params, params->preset[0].name,
						     config), error);
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, config, row->name, "1"), error);
	kit_said(kit, params->kind, "config.size = ", NULL);
}

void kit_config_sizes(struct kit *kit, const struct gputm_params *params)
{
	static const size_t absurd[] = { 0, 7, 20 + 1, 4096 + 8, SIZE_MAX };
	size_t known = params->config_size, size, step = sizeof(size_t);
	unsigned char *config;

	for (size = step; size <= known + 2 * step; size += step) {
		config = edge_new(size);
		ck_assert_int_eq(gputm_params_init(params, config, size), 0);
		for (size_t i = 0; i < params->preset_count; i++)
			preset_fits(kit, params, &params->preset[i], config, size);
		for (size_t i = 0; i < params->param_count; i++)
			set_fits(kit, params, &params->param[i], config, size);
		if (size > known) {
			config[size - 1] = 1;
			refused_size(kit, params, config, -E2BIG);
		}
		edge_free(config, size);
	}
	config = edge_new(step);
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		ck_assert_int_eq(gputm_params_init(params, config, absurd[i]), -EINVAL);
		memcpy(config, &absurd[i], step);
		refused_size(kit, params, config, -EINVAL);
	}
	edge_free(config, step);
}

static void sizes(struct kit *kit, const struct kit_maker *maker)
{
	const struct gputm_params *params = maker->params();
	size_t known = params->config_size, size, made;
	struct gputm_unit *unit = NULL;
	unsigned char *config;

	kit_config_sizes(kit, params);
	for (size = sizeof(size); size <= known + sizeof(size); size += sizeof(size)) {
		config = edge_new(size);
		gputm_params_init(params, config, size);
		ck_assert_int_eq(maker->make(kit->ctx, config, &unit), 0);
		memcpy(&made, gputm_unit_config(unit), sizeof(made));
		ck_assert_uint_eq(made, known);
		for (size_t i = 0; i < params->param_count; i++)
			ck_assert_uint_eq(params->param[i].def,
					  gputm_params_get(&params->param[i],
							   gputm_unit_config(unit)));
		maker->destroy(unit);
		unit = NULL;
		if (size > known) {
			config[known] = 1;
			ck_assert_int_eq(maker->make(kit->ctx, config, &unit), -E2BIG);
		}
		memset(config, 0xa5, sizeof(size));
		ck_assert_int_eq(maker->make(kit->ctx, config, &unit), -EINVAL);
		ck_assert_ptr_null(unit);
		edge_free(config, size);
	}
}

static void presets(struct kit *kit, const struct kit_maker *maker)
{
	const struct gputm_params *params = maker->params();
	void *config = malloc(params->config_size);
	struct gputm_unit *unit = NULL;

	ck_assert_ptr_nonnull(config);
	gputm_params_init(params, config, params->config_size);
	for (size_t i = 0; i < params->preset_count; i++) {
		ck_assert_int_eq(
			gputm_params_preset(kit->ctx, params, params->preset[i].name, config), 0);
		ck_assert_int_eq(maker->make(kit->ctx, config, &unit), 0);
		kit_valid(unit);
		maker->destroy(unit);
	}
	ck_assert_int_eq(gputm_params_preset(kit->ctx, params, "no such preset", config), -EINVAL);
	free(config);
}

void kit_life(const struct kit_maker *maker)
{
	struct gputm_unit *unit = NULL;
	struct kit kit;

	kit_open(&kit);
	maker->destroy(NULL);
	ck_assert_int_eq(maker->make(NULL, NULL, &unit), 0);
	maker->destroy(unit);
	ck_assert_int_eq(maker->make(kit.ctx, maker->init, &unit), 0);
	kit_valid(unit);
	ck_assert_str_eq(gputm_unit_kind(unit), maker->params()->kind);
	maker->destroy(unit);
	bad_fields(&kit, maker, maker->init);
	sizes(&kit, maker);
	presets(&kit, maker);
	kit_close(&kit);
}

void kit_chaos(const struct kit_maker *maker, const void *config)
{
	struct gputm_unit *unit = NULL;
	int error = -ENOMEM;
	struct kit kit;

	for (long nth = 1; error; nth++) { /* allocation 0 is the context's own */
		kit_open(&kit);
		kit.fail_at = nth;
		unit = NULL;
		error = maker->make(kit.ctx, config, &unit);
		ck_assert_int_eq(!error, unit != NULL);
		if (!error)
			maker->destroy(unit);
		else
			ck_assert_int_eq(error, -ENOMEM);
		kit_close(&kit);
	}
}

static void events_described(const struct gputm_unit *unit)
{
	struct gputm_event_kind event;

	for (size_t i = 0; gputm_unit_event(unit, i, &event); i++) {
		ck_assert(event.name && *event.name && event.summary && *event.summary);
		for (unsigned j = 0; j < 4; j++) {
			const struct gputm_event_field *field = &event.field[j];

			ck_assert(!field->name == !field->measure);
			ck_assert(!field->name == !field->summary);
			ck_assert(!field->choices == !field->choice_count);
			ck_assert(!field->name || !j || field[-1].name);
			for (size_t k = 0; k < field->choice_count; k++)
				ck_assert(field->choices[k] && *field->choices[k]);
		}
	}
}

static void described(const struct kit_maker *maker)
{
	struct gputm_storage array;
	struct gputm_unit *unit = NULL;
	struct gputm_stat stat;
	uint64_t bits = 0;

	ck_assert_int_eq(maker->make(NULL, maker->init, &unit), 0);
	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++)
		ck_assert(*stat.name && *stat.measure && *stat.summary && !stat.value);
	for (size_t i = 0; gputm_unit_storage(unit, i, &array); i++) {
		ck_assert_ptr_nonnull(array.name);
		bits += array.apart ? 0 : array.entries * array.bits;
	}
	ck_assert_uint_eq(bits, gputm_unit_storage_bits(unit));
	events_described(unit);
	maker->destroy(unit);
}

void kit_common(const struct kit_maker *maker)
{
	struct gputm_unit *unit = NULL;

	kit_life(maker);
	kit_chaos(maker, maker->init);
	described(maker);
	ck_assert_int_eq(maker->make(NULL, maker->init, &unit), 0);
	kit_round_trip(maker, unit);
	maker->destroy(unit);
}

/* ---- events that no test has seen ---- */

bool kit_watch(void)
{
	unseen = mmap(NULL, sizeof(*unseen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return unseen != MAP_FAILED;
}

int kit_missed(void)
{
	int missed = 0;

	for (size_t i = 0; i < KINDS; i++) {
		if (unseen->name[i][0]) {
			printf("%s: no test saw the event %s\n", unseen->unit, unseen->name[i]);
			missed++;
		}
	}
	munmap(unseen, sizeof(*unseen));
	return missed;
}
