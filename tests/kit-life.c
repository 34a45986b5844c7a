/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for the life of every unit: configs, presets, failing allocations, descriptions. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/kit.h"

#include <sys/mman.h>

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
			 const struct gputm_param *row, uint64_t value, const char *why)
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
	kit_said(kit, params->kind, row->name, why, NULL);
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
			refuse_value(kit, maker, good, row, row->min - 1, "");
		if (row->max < top)
			refuse_value(kit, maker, good, row, row->max + 1, "");
		if (row->power_of_two && row->max > 3)
			refuse_value(kit, maker, good, row, row->min > 3 ? row->min + 1 : 3,
				     "a power of two");
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
