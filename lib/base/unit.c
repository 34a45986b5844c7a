/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of units: life, statistics, storage, observer, refusals. */
#include <stdarg.h>

#include "lib/base/format.h"
#include "lib/base/unit.h"

/* The unit's struct, and after it the desk. */
static struct gputm_unit *allocate(struct gputm_ctx *ctx, const struct gputm__class *class)
{
	size_t align = sizeof(uint64_t), size = (class->size + align - 1) / align * align;
	unsigned char *memory = gputm__alloc(ctx, 1, size + sizeof(struct gputm__desk));
	struct gputm_unit *unit = (struct gputm_unit *)(void *)memory;

	if (!unit)
		return NULL;
	unit->class = class;
	unit->ctx = gputm_ctx_ref(ctx);
	unit->desk = (struct gputm__desk *)(void *)(memory + size);
	return unit;
}

/* Memory of a unit follows its link in the list. */
struct gputm__owned {
	struct gputm__owned *next, **link;
};
#define LINK_BYTES 16 /* keeps the alignment of the allocator */

static void *own(struct gputm_unit *unit, size_t count, size_t size, bool zero)
{
	struct gputm__owned *owned = NULL, **first = &unit->desk->owned;
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX - LINK_BYTES)
		owned = zero ? gputm__alloc(unit->ctx, 1, LINK_BYTES + bytes) :
			       gputm__alloc_raw(unit->ctx, LINK_BYTES + bytes);
	unit->desk->starved |= !owned;
	if (!owned)
		return NULL;
	*owned = (struct gputm__owned){ *first, first };
	if (*first)
		(*first)->link = &owned->next;
	*first = owned;
	return (unsigned char *)owned + LINK_BYTES;
}

void *gputm__own(struct gputm_unit *unit, size_t count, size_t size)
{
	return own(unit, count, size, true);
}

void gputm__disown(struct gputm_unit *unit, void *memory)
{
	struct gputm__owned *owned;

	if (!memory)
		return;
	owned = (void *)((unsigned char *)memory - LINK_BYTES);
	*owned->link = owned->next;
	if (owned->next)
		owned->next->link = owned->link;
	gputm__free(unit->ctx, owned);
}

int gputm__own_more(struct gputm_unit *unit, void *array, size_t *capacity, size_t need,
		    size_t size)
{
	size_t wanted = *capacity ? *capacity : 8;
	void *before, *larger;

	if (need <= *capacity)
		return 0;
	while (wanted < need && wanted <= SIZE_MAX / 2)
		wanted *= 2;
	larger = wanted < need ? NULL : own(unit, wanted, size, false);
	if (!larger)
		return -ENOMEM;
	memcpy(&before, array, sizeof(before));
	if (before)
		memcpy(larger, before, *capacity * size);
	gputm__disown(unit, before);
	memcpy(array, &larger, sizeof(larger));
	*capacity = wanted;
	return 0;
}

int gputm__unit_new(struct gputm_ctx *ctx, const struct gputm__class *class, const void *config,
		    struct gputm_unit **out)
{
	struct gputm_unit *unit = allocate(ctx, class);
	void *own;
	int error;

	if (!unit)
		return -ENOMEM;
	own = (unsigned char *)unit + class->config_offset;
	error = gputm__params_read(ctx, class->params, config, own);
	if (!error && class->validate)
		error = class->validate(unit);
	if (!error && class->setup)
		error = class->setup(unit);
	if (!error && unit->desk->starved)
		error = -ENOMEM;
	if (error) {
		gputm__unit_free(unit);
		return error;
	}
	for (size_t i = 0; i < GPUTM__PARTS; i++)
		if (gputm__unit_part(unit, i))
			gputm__unit_part(unit, i)->desk->whole = unit;
	class->clear(unit); /* parts are new */
	*out = unit;
	return 0;
}

struct gputm_unit *gputm__unit_part(const struct gputm_unit *unit, size_t index)
{
	struct gputm_unit *part = NULL;

	if (index < GPUTM__PARTS && unit->class->part[index].name)
		memcpy(&part, (const unsigned char *)unit + unit->class->part[index].offset,
		       sizeof(part));
	return part;
}

void gputm__unit_free(struct gputm_unit *unit)
{
	struct gputm_ctx *ctx;

	if (!unit)
		return;
	ctx = unit->ctx;
	for (size_t i = 0; i < GPUTM__PARTS; i++)
		gputm__unit_free(gputm__unit_part(unit, i));
	while (unit->desk->owned)
		gputm__disown(unit, (unsigned char *)unit->desk->owned + LINK_BYTES);
	for (struct gputm__observer *next, *one = unit->observe; one; one = next) {
		next = one->next;
		gputm__free(ctx, one);
	}
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

/* ---- names ---- */

/* Name the unit's parts after it, cut to fit. */
static void name_parts(struct gputm_unit *unit)
{
	for (size_t i = 0; i < GPUTM__PARTS; i++) {
		struct gputm_unit *part = gputm__unit_part(unit, i);
		char *name;
		size_t used;

		if (!part)
			continue;
		name = part->desk->name;
		used = gputm__append(name, GPUTM_NAME_BYTES, 0, unit->desk->name);
		if (used) {
			used = gputm__append(name, GPUTM_NAME_BYTES, used, ".");
			gputm__append(name, GPUTM_NAME_BYTES, used, unit->class->part[i].name);
		}
		name_parts(part);
	}
}

int gputm_unit_set_name(struct gputm_unit *unit, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length >= GPUTM_NAME_BYTES)
		return gputm__out_of_range(unit, "length of a name", length, 0,
					   GPUTM_NAME_BYTES - 1);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 127)
			return gputm__refuse(unit, "byte %u of a name is a control character",
					     (unsigned)i);
	memmove(unit->desk->name, name ? name : "", length + 1); /* the two texts may be the same */
	name_parts(unit);
	return 0;
}

const char *gputm_unit_name(const struct gputm_unit *unit)
{
	return unit->desk->name;
}

/* "KIND" or "KIND (NAME)" in text[]: its length. */
static size_t title(const struct gputm_unit *unit, char *text, size_t size)
{
	size_t used = gputm__append(text, size, 0, unit->class->kind);

	if (unit->desk->name[0]) {
		used = gputm__append(text, size, used, " (");
		used = gputm__append(text, size, used, unit->desk->name);
		used = gputm__append(text, size, used, ")");
	}
	return used;
}

/* ---- statistics ---- */

static void *stat_at(const struct gputm_unit *unit, const struct gputm__stat_row *row)
{
	return (void *)(uintptr_t)((uintptr_t)unit + row->offset);
}

void gputm__law(struct gputm__laws *laws, uint64_t left, uint64_t right, const char *broken)
{
	uint64_t *carried = &laws->carried[laws->count++];

	gputm__assert(laws->count <= GPUTM__LAWS);
	if (laws->carry)
		*carried = right - left;
	else if (!laws->broken && left + *carried != right)
		laws->broken = broken;
}

void gputm__law_least(struct gputm__laws *laws, uint64_t left, uint64_t right, const char *broken)
{
	uint64_t *carried = &laws->carried[laws->count++];

	gputm__assert(laws->count <= GPUTM__LAWS);
	if (laws->carry)
		*carried = 1;
	else if (!laws->broken && !*carried && left < right)
		laws->broken = broken;
}

void gputm__law_most(struct gputm__laws *laws, const uint64_t *maximum, uint64_t now,
		     uint64_t limit, const char *broken)
{
	if (laws->carry)
		gputm__maximum((uint64_t *)(uintptr_t)maximum, now);
	else if (!laws->broken && (*maximum < now || *maximum > limit))
		laws->broken = broken;
}

void gputm__unit_settle(struct gputm_unit *unit, bool carry)
{
	struct gputm__laws laws = { .carried = unit->desk->carried, .carry = true };

	for (size_t i = 0; i < GPUTM__PARTS; i++)
		if (gputm__unit_part(unit, i))
			gputm__unit_settle(gputm__unit_part(unit, i), carry);
	if (unit->class->laws && carry)
		unit->class->laws(unit, &laws);
	if (unit->class->settle)
		unit->class->settle(unit);
}

static void zero_stats(struct gputm_unit *unit)
{
	for (size_t i = 0; i < unit->class->stat_count; i++) {
		const struct gputm__stat_row *row = &unit->class->stat[i];

		if (row->kind == GPUTM_STAT_HISTOGRAM)
			memset(stat_at(unit, row), 0, sizeof(struct gputm__histogram));
		else if (row->kind != GPUTM_STAT_GAUGE)
			memset(stat_at(unit, row), 0, sizeof(uint64_t));
	}
	memset(unit->desk->carried, 0, sizeof(unit->desk->carried));
	for (size_t i = 0; i < GPUTM__PARTS; i++)
		if (gputm__unit_part(unit, i))
			zero_stats(gputm__unit_part(unit, i));
}

void gputm__unit_clear(struct gputm_unit *unit)
{
	for (size_t i = 0; i < GPUTM__PARTS; i++)
		if (gputm__unit_part(unit, i))
			gputm__unit_clear(gputm__unit_part(unit, i));
	unit->class->clear(unit);
}

void gputm_unit_reset(struct gputm_unit *unit)
{
	gputm__assert(!unit->desk->whole);
	gputm__unit_clear(unit);
	zero_stats(unit);
	gputm__unit_settle(unit, false);
}

void gputm_unit_reset_state(struct gputm_unit *unit)
{
	gputm__assert(!unit->desk->whole);
	gputm__unit_clear(unit);
	gputm__unit_settle(unit, true);
}

void gputm_unit_clear_stats(struct gputm_unit *unit)
{
	zero_stats(unit);
	gputm__unit_settle(unit, true);
}

bool gputm_unit_stat(const struct gputm_unit *unit, size_t index, struct gputm_stat *out)
{
	const struct gputm__stat_row *row;
	const struct gputm__histogram *histogram;

	if (index >= unit->class->stat_count)
		return false;
	row = &unit->class->stat[index];
	histogram = stat_at(unit, row);
	out->name = row->name;
	out->measure = row->measure;
	out->summary = row->summary;
	out->kind = row->kind;
	out->value = row->now ? row->now(unit) : *(const uint64_t *)stat_at(unit, row);
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

/* Selects array number `index` of those that are listed. */
struct gputm__arrays {
	size_t index;
	bool found;
	struct gputm_storage array;
};

static void take_array(struct gputm__arrays *out, struct gputm_storage array)
{
	if (!out->index--) {
		out->array = array;
		out->found = true;
	}
}

void gputm__array(struct gputm__arrays *out, const char *name, uint64_t entries, uint64_t bits,
		  uint32_t ports)
{
	take_array(out, (struct gputm_storage){ name, entries, bits, ports, false });
}

void gputm__array_apart(struct gputm__arrays *out, const char *name, uint64_t entries,
			uint64_t bits, uint32_t ports)
{
	take_array(out, (struct gputm_storage){ name, entries, bits, ports, true });
}

void gputm__arrays_of(struct gputm__arrays *out, const struct gputm_unit *part)
{
	part->class->storage(part, out);
}

bool gputm_unit_storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	struct gputm__arrays arrays = { .index = index };

	unit->class->storage(unit, &arrays);
	*out = arrays.array;
	return arrays.found;
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

static const char *own_broken(const struct gputm_unit *unit)
{
	struct gputm__laws laws = { .carried = unit->desk->carried };

	for (size_t i = 0; i < unit->class->stat_count; i++) {
		const struct gputm__stat_row *row = &unit->class->stat[i];

		if (row->kind == GPUTM_STAT_HISTOGRAM && !adds_up(stat_at(unit, row)))
			return "the samples of a histogram are not the sum of its buckets";
	}
	laws.broken = unit->class->check(unit);
	if (!laws.broken && unit->class->laws)
		unit->class->laws(unit, &laws);
	return laws.broken;
}

const char *gputm__unit_broken(const struct gputm_unit *unit, const struct gputm_unit **whose)
{
	const char *broken = NULL;

	for (size_t i = 0; i < GPUTM__PARTS && !broken; i++)
		if (gputm__unit_part(unit, i))
			broken = gputm__unit_broken(gputm__unit_part(unit, i), whose);
	if (broken)
		return broken;
	*whose = unit;
	return own_broken(unit);
}

const char *gputm_unit_check(const struct gputm_unit *unit)
{
	const struct gputm_unit *whose;
	const char *broken = gputm__unit_broken(unit, &whose);
	struct gputm__desk *desk = unit->desk;
	size_t used;

	if (!broken)
		return NULL;
	used = title(whose, desk->broken, sizeof(desk->broken));
	used = gputm__append(desk->broken, sizeof(desk->broken), used, ": ");
	gputm__append(desk->broken, sizeof(desk->broken), used, broken);
	return desk->broken;
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

/* ---- observers ---- */

/* The link to the observer, or the last link if there is no such observer. */
static struct gputm__observer **find_observer(struct gputm_unit *unit, gputm_observe_fn observe,
					      const void *state)
{
	struct gputm__observer **at = &unit->observe;

	while (*at && ((*at)->observe != observe || (*at)->state != state))
		at = &(*at)->next;
	return at;
}

static int refuse_while_telling(const struct gputm_unit *unit)
{
	if (!unit->desk->telling)
		return 0;
	gputm__refuse(unit, "an observer must not change the unit or its observers");
	return -EBUSY;
}

int gputm_unit_observe(struct gputm_unit *unit, gputm_observe_fn observe, void *state)
{
	struct gputm__observer **at, *one;
	int error = refuse_while_telling(unit);

	if (error)
		return error;
	if (!observe)
		return gputm__refuse(unit, "the function to observe with is NULL");
	at = find_observer(unit, observe, state);
	if (*at)
		return gputm__refuse(unit, "this function observes with this state already");
	one = gputm__alloc(unit->ctx, 1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->observe = observe;
	one->state = state;
	*at = one;
	return 0;
}

int gputm_unit_unobserve(struct gputm_unit *unit, gputm_observe_fn observe, void *state)
{
	struct gputm__observer **at, *one;
	int error = refuse_while_telling(unit);

	if (error)
		return error;
	at = find_observer(unit, observe, state);
	one = *at;
	if (!one)
		return gputm__refuse(unit, "no such function observes with this state");
	*at = one->next;
	gputm__free(unit->ctx, one);
	return 0;
}

void gputm__tell(const struct gputm_unit *unit, uint32_t kind, uint64_t a, uint64_t b, uint64_t c,
		 uint64_t d)
{
	struct gputm_event event = { unit->class->event[kind].name, kind, { a, b, c, d } };

	unit->desk->telling = true;
	for (const struct gputm__observer *one = unit->observe; one; one = one->next)
		one->observe(one->state, unit, &event);
	unit->desk->telling = false;
}

/* ---- refusals ---- */

static void log_titled(const struct gputm_unit *unit, const char *format, va_list arguments)
{
	char text[GPUTM_NAME_BYTES + 40];

	if (!unit->ctx)
		return;
	title(unit, text, sizeof(text));
	gputm__vlog(unit->ctx, GPUTM_LOG_ERROR, text, format, arguments);
}

void gputm__unit_log(const struct gputm_unit *unit, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_titled(unit, format, arguments);
	va_end(arguments);
}

int gputm__out_of_range(const struct gputm_unit *unit, const char *field, uint64_t value,
			uint64_t min, uint64_t max)
{
	gputm__unit_log(unit, "%s = %llu is outside %llu .. %llu", field, (unsigned long long)value,
			(unsigned long long)min, (unsigned long long)max);
	return -ERANGE;
}

int gputm__past_end(const struct gputm_unit *unit, const char *what, uint64_t index, uint64_t count)
{
	gputm__unit_log(unit, "%s %llu is past the end: there are %llu", what,
			(unsigned long long)index, (unsigned long long)count);
	return -ERANGE;
}

int gputm__refuse(const struct gputm_unit *unit, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_titled(unit, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int gputm__check_granularity(const struct gputm_unit *unit, uint32_t granularity,
			     uint32_t address_bits)
{
	if (gputm__log2(granularity) < address_bits)
		return 0;
	return gputm__refuse(unit, "granularity = %u leaves nothing of address_bits = %u",
			     granularity, address_bits);
}
