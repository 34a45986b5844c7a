/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of units: life, statistics, storage, observer, refusals. */
#include <stdarg.h>

#include "lib/base/format.h"
#include "lib/base/unit.h"

int gputm__unit_new(struct gputm_ctx *ctx, const struct gputm__class *class, const void *config,
		    struct gputm_unit **out)
{
	struct gputm_unit *unit = gputm__alloc(ctx, 1, class->size);
	void *own;
	int error;

	if (!unit)
		return -ENOMEM;
	unit->class = class;
	unit->ctx = gputm_ctx_ref(ctx);
	own = (unsigned char *)unit + class->config_offset;
	error = gputm__params_read(ctx, class->params, config, own);
	if (!error && class->validate)
		error = class->validate(ctx, own);
	if (!error)
		error = class->setup(unit);
	if (error) {
		gputm__unit_free(unit);
		return error;
	}
	class->clear(unit);
	*out = unit;
	return 0;
}

void gputm__unit_free(struct gputm_unit *unit)
{
	struct gputm_ctx *ctx;

	if (!unit)
		return;
	ctx = unit->ctx;
	unit->class->teardown(unit);
	gputm__free(ctx, unit);
	gputm_ctx_unref(ctx);
}

const char *gputm_unit_kind(const struct gputm_unit *unit)
{
	return unit->class->kind;
}

const struct gputm_params *gputm_unit_params(const struct gputm_unit *unit)
{
	return unit->class->params;
}

const void *gputm_unit_config(const struct gputm_unit *unit)
{
	return (const unsigned char *)unit + unit->class->config_offset;
}

/* ---- statistics ---- */

static void *stat_at(const struct gputm_unit *unit, const struct gputm__stat_row *row)
{
	return (void *)(uintptr_t)((uintptr_t)unit + row->offset);
}

static void clear_stats(struct gputm_unit *unit)
{
	for (size_t i = 0; i < unit->class->stat_count; i++) {
		const struct gputm__stat_row *row = &unit->class->stat[i];

		if (row->kind == GPUTM_STAT_HISTOGRAM)
			memset(stat_at(unit, row), 0, sizeof(struct gputm__histogram));
		else if (row->kind != GPUTM_STAT_GAUGE)
			memset(stat_at(unit, row), 0, sizeof(uint64_t));
	}
}

void gputm_unit_reset(struct gputm_unit *unit)
{
	unit->class->clear(unit);
	clear_stats(unit);
}

bool gputm_unit_stat(const struct gputm_unit *unit, size_t index, struct gputm_stat *out)
{
	const struct gputm__stat_row *row;
	const struct gputm__histogram *histogram;

	if (index >= unit->class->stat_count)
		return false;
	gputm__catch_up(unit);
	row = &unit->class->stat[index];
	histogram = stat_at(unit, row);
	out->name = row->name;
	out->measure = row->measure;
	out->summary = row->summary;
	out->kind = row->kind;
	out->value = *(const uint64_t *)stat_at(unit, row);
	out->bucket = row->kind == GPUTM_STAT_HISTOGRAM ? histogram->bucket : NULL;
	return true;
}

bool gputm_unit_stat_value(const struct gputm_unit *unit, const char *name, uint64_t *out)
{
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		if (!strcmp(stat.name, name)) {
			*out = stat.value;
			return true;
		}
	}
	return false;
}

/* ---- storage, invariants, observer ---- */

bool gputm_unit_storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	memset(out, 0, sizeof(*out));
	return unit->class->storage(unit, index, out);
}

uint64_t gputm_unit_storage_bits(const struct gputm_unit *unit)
{
	struct gputm_storage array;
	uint64_t bits = 0;

	for (size_t i = 0; gputm_unit_storage(unit, i, &array); i++)
		if (!array.apart)
			bits += array.entries * array.bits;
	return bits;
}

static bool adds_up(const struct gputm__histogram *histogram)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < GPUTM_HISTOGRAM_BUCKETS; i++)
		sum += histogram->bucket[i];
	return sum == histogram->samples;
}

const char *gputm_unit_check(const struct gputm_unit *unit)
{
	gputm__catch_up(unit);
	for (size_t i = 0; i < unit->class->stat_count; i++) {
		const struct gputm__stat_row *row = &unit->class->stat[i];

		if (row->kind == GPUTM_STAT_HISTOGRAM && !adds_up(stat_at(unit, row)))
			return "the samples of a histogram are not the sum of its buckets";
	}
	return unit->class->check(unit);
}

const char *const gputm__no_yes[2] = { "no", "yes" };
const char *const gputm__read_write[2] = { "read", "write" };

bool gputm_unit_event(const struct gputm_unit *unit, size_t kind, struct gputm_event_kind *out)
{
	if (kind >= unit->class->event_count)
		return false;
	*out = unit->class->event[kind];
	return true;
}

void gputm_unit_observe(struct gputm_unit *unit, gputm_observe_fn observe, void *state)
{
	gputm__catch_up(unit);
	unit->observe = observe;
	unit->observe_state = state;
}

void gputm__tell(const struct gputm_unit *unit, uint32_t kind, uint64_t a, uint64_t b, uint64_t c,
		 uint64_t d)
{
	struct gputm_event event = { unit->class->event[kind].name, kind, { a, b, c, d } };

	unit->observe(unit->observe_state, unit, &event);
}

/* ---- refusals ---- */

int gputm__out_of_range(const struct gputm_unit *unit, const char *field, uint64_t value,
			uint64_t min, uint64_t max)
{
	gputm__log(unit->ctx, GPUTM_LOG_ERROR, "%s: %s = %llu is outside %llu .. %llu",
		   unit->class->kind, field, (unsigned long long)value, (unsigned long long)min,
		   (unsigned long long)max);
	return -ERANGE;
}

int gputm__past_end(const struct gputm_unit *unit, const char *what, uint64_t index, uint64_t count)
{
	gputm__log(unit->ctx, GPUTM_LOG_ERROR, "%s: %s %llu is past the end: there are %llu",
		   unit->class->kind, what, (unsigned long long)index, (unsigned long long)count);
	return -ERANGE;
}

int gputm__refuse(const struct gputm_unit *unit, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	gputm__vlog(unit->ctx, GPUTM_LOG_ERROR, unit->class->kind, format, arguments);
	va_end(arguments);
	return -EINVAL;
}
