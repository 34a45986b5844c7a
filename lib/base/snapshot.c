/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots. Layout, little-endian:
 *
 *   "GPUTMSNP"  8 bytes
 *   layout version of this file      u32
 *   layout version of the unit kind  u32
 *   kind                             32 bytes, NUL-filled
 *   1 if statistics follow the state, else 0   u64
 *   bytes of the body                u64
 *   body: config: layout version of the kind, count of fields, fields in table order (u64 each);
 *         state by the unit's io(); statistics, if they are there: those that the base keeps, and
 *         what is carried into the laws. In each of the three, parts come before their whole.
 *   checksum of everything before it   u64
 *
 * Loading notes the unit's own body, clears the unit, reads into it and checks its invariants. A
 * refused snapshot leaves the unit as it was: what was noted is read back. So nothing moves: parts,
 * observers, names and all that was borrowed stay where they are.
 */
#include "lib/base/unit.h"

#define LAYOUT_VERSION 2u
#define KIND_BYTES 32
#define STATS_AT (16 + KIND_BYTES)
#define HEADER_BYTES (STATS_AT + 8 + 8)

static const char magic[8] = { 'G', 'P', 'U', 'T', 'M', 'S', 'N', 'P' };

static uint64_t get(const uint8_t *from, size_t width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | from[width];
	return value;
}

static void put(uint8_t *to, size_t width, uint64_t value)
{
	for (; width--; value >>= 8)
		*to++ = (uint8_t)value;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AS_THEY_LIE 1
#else
#define AS_THEY_LIE 0
#endif

static uint64_t number(const uint8_t *from)
{
	uint64_t value;

	if (!AS_THEY_LIE)
		return get(from, sizeof(value));
	memcpy(&value, from, sizeof(value));
	return value;
}

/* FNV-1a on 8 bytes at a time, the last ones filled up with zeros, and folded so that high bits
 * reach low ones. */
static uint64_t checksum(const uint8_t *bytes, size_t count)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
	size_t some;

	for (; count; bytes += some, count -= some) {
		some = count < sizeof(word) ? count : sizeof(word);
		word = some == sizeof(word) ? number(bytes) : get(bytes, some);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 32;
	}
	return hash;
}

void gputm__io_fail(struct gputm__io *io, int error, const char *reason)
{
	if (io->error)
		return;
	io->error = error;
	gputm__unit_log(io->unit, "snapshot refused: %s", reason);
}

/* Position of the next `count` bytes, or NULL if there are fewer. */
static const uint8_t *take(struct gputm__io *io, size_t count)
{
	const uint8_t *at = io->in + io->used;

	if (io->error)
		return NULL;
	if (count > io->size - io->used) {
		gputm__io_fail(io, -EINVAL, "it ends early");
		return NULL;
	}
	io->used += count;
	return at;
}

void gputm__io_bytes(struct gputm__io *io, uint8_t *bytes, size_t count)
{
	const uint8_t *from;

	if (!count)
		return;
	if (io->mode == GPUTM__READ) {
		from = take(io, count);
		if (from)
			memcpy(bytes, from, count);
		return;
	}
	if (io->mode == GPUTM__WRITE)
		memcpy(io->out + io->used, bytes, count);
	io->used += count;
}

void gputm__io_u8(struct gputm__io *io, uint8_t *value)
{
	gputm__io_bytes(io, value, 1);
}

/* Arrays and single numbers of a C type. */
#define IO_NUMBERS(name, type)                                                                 \
	void name##s(struct gputm__io *io, type *value, size_t count)                          \
	{                                                                                      \
		const uint8_t *from;                                                           \
                                                                                               \
		if (AS_THEY_LIE) {                                                             \
			gputm__io_bytes(io, (uint8_t *)(void *)value, count * sizeof(type));   \
			return;                                                                \
		}                                                                              \
		if (io->mode == GPUTM__READ) {                                                 \
			from = take(io, count * sizeof(type));                                 \
			for (size_t i = 0; from && i < count; i++)                             \
				value[i] = (type)get(from + i * sizeof(type), sizeof(type));   \
			return;                                                                \
		}                                                                              \
		for (size_t i = 0; io->mode == GPUTM__WRITE && i < count; i++)                 \
			put(io->out + io->used + i * sizeof(type), sizeof(type), value[i]);    \
		io->used += count * sizeof(type);                                              \
	}                                                                                      \
	void name(struct gputm__io *io, type *value)                                           \
	{                                                                                      \
		name##s(io, value, 1);                                                         \
	}

IO_NUMBERS(gputm__io_u16, uint16_t)
IO_NUMBERS(gputm__io_u32, uint32_t)
IO_NUMBERS(gputm__io_u64, uint64_t)

void gputm__io_bool(struct gputm__io *io, bool *value)
{
	uint8_t byte = gputm__io_reading(io) ? 0 : *value;

	gputm__io_u8(io, &byte);
	if (byte > 1)
		gputm__io_fail(io, -EINVAL, "a flag is neither 0 nor 1");
	if (!io->error && gputm__io_reading(io))
		*value = byte;
}

/* Check a value read. A value written must fit. */
static bool bounded(struct gputm__io *io, uint64_t number, uint64_t max, const char *what)
{
	gputm__assert(gputm__io_reading(io) || number <= max);
	if (number > max && !io->error) {
		io->error = -EINVAL;
		gputm__unit_log(io->unit, "snapshot refused: %s (%llu, at most %llu)", what,
				(unsigned long long)number, (unsigned long long)max);
	}
	return gputm__io_reading(io) && !io->error;
}

void gputm__io_u64_max(struct gputm__io *io, uint64_t *value, uint64_t max, const char *what)
{
	uint64_t number = gputm__io_reading(io) ? 0 : *value;

	gputm__io_u64(io, &number);
	if (bounded(io, number, max, what))
		*value = number;
}

void gputm__io_u32_max(struct gputm__io *io, uint32_t *value, uint32_t max, const char *what)
{
	uint32_t number = gputm__io_reading(io) ? 0 : *value;

	gputm__io_u32(io, &number);
	if (bounded(io, number, max, what))
		*value = number;
}

void gputm__io_same(struct gputm__io *io, uint64_t value, const char *what)
{
	uint64_t other = value;

	gputm__io_u64(io, &other);
	if (other != value)
		gputm__io_fail(io, -EINVAL, what);
}

/* ---- in ascending order ---- */

/* Records of a fixed size; each begins with its key. */
struct records {
	uint8_t *at;
	size_t bytes;
};

static uint64_t key_of(const struct records *r, size_t i)
{
	return number(r->at + i * r->bytes);
}

static void swap(const struct records *r, size_t i, size_t j)
{
	uint8_t *a = r->at + i * r->bytes, *b = r->at + j * r->bytes, byte;

	for (size_t n = 0; n < r->bytes; n++) {
		byte = a[n];
		a[n] = b[n];
		b[n] = byte;
	}
}

/* Move record i of a heap of `count` down below the greater records. */
static void sink(const struct records *r, size_t i, size_t count)
{
	for (size_t below = 2 * i + 1; below < count; i = below, below = 2 * i + 1) {
		below += below + 1 < count && key_of(r, below) < key_of(r, below + 1);
		if (key_of(r, i) >= key_of(r, below))
			return;
		swap(r, i, below);
	}
}

/* Saving allocates nothing, so the heap is made in the caller's buffer. */
static void sort(const struct records *r, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sink(r, i, count);
	for (size_t i = count; i-- > 1;) {
		swap(r, 0, i);
		sink(r, 0, i);
	}
}

void gputm__io_ascending(struct gputm__io *io, size_t from, size_t numbers)
{
	size_t bytes = numbers * sizeof(uint64_t), count = (io->used - from) / bytes;

	if (io->mode == GPUTM__WRITE)
		sort(&(struct records){ io->out + from, bytes }, count);
	for (size_t i = 1; gputm__io_reading(io) && !io->error && i < count; i++)
		if (number(io->in + from + (i - 1) * bytes) >= number(io->in + from + i * bytes))
			gputm__io_fail(io, -EINVAL, "its entries are not in ascending order");
}

uint64_t gputm__io_number(const struct gputm__io *io, size_t at)
{
	return number((gputm__io_reading(io) ? io->in : io->out) + at);
}

/* ---- the body ---- */

typedef void io_section(struct gputm__io *io, struct gputm_unit *unit);

/* A section: first those of the parts, then that of the unit. */
static void io_all(struct gputm__io *io, struct gputm_unit *unit, io_section *section)
{
	struct gputm_unit *whole = io->unit;

	io->unit = unit;
	for (size_t i = 0; i < GPUTM__PARTS && !io->error; i++)
		if (gputm__unit_part(unit, i))
			io_all(io, gputm__unit_part(unit, i), section);
	if (!io->error)
		section(io, unit);
	io->unit = whole;
}

static void io_config(struct gputm__io *io, struct gputm_unit *unit)
{
	const struct gputm_params *params = unit->class->params;

	gputm__io_same(io, unit->class->version, "a part is from another version of its kind");
	gputm__io_same(io, params->param_count, "its config has another number of fields");
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t own = gputm_params_get(row, gputm_unit_config(unit)), value = own;

		gputm__io_u64(io, &value);
		if (io->error || value == own)
			continue;
		io->error = -EINVAL;
		gputm__unit_log(unit,
				"snapshot refused: it is of another config: %s = %llu, not %llu",
				row->name, (unsigned long long)value, (unsigned long long)own);
	}
}

static void io_state(struct gputm__io *io, struct gputm_unit *unit)
{
	unit->class->io(unit, io);
}

static void io_stats(struct gputm__io *io, struct gputm_unit *unit)
{
	for (size_t i = 0; i < unit->class->stat_count; i++) {
		const struct gputm__stat_row *row = &unit->class->stat[i];
		uint64_t *at = (uint64_t *)(void *)((unsigned char *)unit + row->offset);

		if (row->kind == GPUTM_STAT_HISTOGRAM)
			gputm__io_u64s(io, at, sizeof(struct gputm__histogram) / sizeof(*at));
		else if (row->kind != GPUTM_STAT_GAUGE)
			gputm__io_u64(io, at);
	}
	if (unit->class->io_stats)
		unit->class->io_stats(unit, io);
	if (unit->class->laws)
		gputm__io_u64s(io, unit->desk->carried, GPUTM__LAWS);
}

static void io_body(struct gputm__io *io, bool stats)
{
	io_all(io, io->unit, io_config);
	io_all(io, io->unit, io_state);
	if (stats)
		io_all(io, io->unit, io_stats);
}

/* ---- save ---- */

/* Save does not change the unit: io() only reads it in these two modes. */
static struct gputm_unit *for_reading(const struct gputm_unit *unit)
{
	return (struct gputm_unit *)(uintptr_t)unit;
}

static size_t body_bytes(const struct gputm_unit *unit, bool stats)
{
	struct gputm__io io = { .mode = GPUTM__MEASURE, .unit = for_reading(unit) };

	io_body(&io, stats);
	return io.used;
}

static void write_body(const struct gputm_unit *unit, bool stats, uint8_t *out, size_t size)
{
	struct gputm__io io = { .mode = GPUTM__WRITE, .unit = for_reading(unit), .out = out,
				.size = size };

	io_body(&io, stats);
}

static size_t save(const struct gputm_unit *unit, bool stats, void *buffer, size_t capacity)
{
	size_t body = body_bytes(unit, stats), total = HEADER_BYTES + body + 8;
	uint8_t *out = buffer;

	if (total > capacity)
		return total;
	memset(out, 0, HEADER_BYTES);
	memcpy(out, magic, sizeof(magic));
	put(out + 8, 4, LAYOUT_VERSION);
	put(out + 12, 4, unit->class->version);
	memcpy(out + 16, unit->class->kind, strlen(unit->class->kind));
	put(out + STATS_AT, 8, stats);
	put(out + STATS_AT + 8, 8, body);
	write_body(unit, stats, out + HEADER_BYTES, body);
	put(out + HEADER_BYTES + body, 8, checksum(out, HEADER_BYTES + body));
	return total;
}

size_t gputm_unit_save(const struct gputm_unit *unit, void *buffer, size_t capacity)
{
	return save(unit, true, buffer, capacity);
}

size_t gputm_unit_save_state(const struct gputm_unit *unit, void *buffer, size_t capacity)
{
	return save(unit, false, buffer, capacity);
}

/* ---- load ---- */

static int refuse(const struct gputm_unit *unit, int error, const char *reason)
{
	gputm__unit_log(unit, "snapshot refused: %s", reason);
	return error;
}

static int refuse_kind(const struct gputm_unit *unit, const uint8_t *in)
{
	char kind[KIND_BYTES] = { 0 };

	memcpy(kind, in, KIND_BYTES - 1);
	gputm__unit_log(unit, "snapshot refused: it is of another kind of unit, \"%s\"", kind);
	return -EINVAL;
}

static int check_envelope(const struct gputm_unit *unit, const uint8_t *in, size_t size)
{
	char kind[KIND_BYTES] = { 0 };

	if (size < HEADER_BYTES + 8 || memcmp(in, magic, sizeof(magic)))
		return refuse(unit, -EINVAL,
			      "it is too short, or does not begin like a snapshot");
	if (get(in + 8, 4) > LAYOUT_VERSION)
		return refuse(unit, -ENOTSUP, "it is from a newer version of the library");
	if (get(in + 8, 4) < LAYOUT_VERSION)
		return refuse(unit, -ENOTSUP, "it is from an older version of the library");
	memcpy(kind, unit->class->kind, strlen(unit->class->kind));
	if (memcmp(in + 16, kind, KIND_BYTES))
		return refuse_kind(unit, in + 16);
	if (get(in + 12, 4) > unit->class->version)
		return refuse(unit, -ENOTSUP, "it is from a newer version of this unit");
	if (get(in + 12, 4) < unit->class->version)
		return refuse(unit, -ENOTSUP, "it is from an older version of this unit");
	if (get(in + STATS_AT, 8) > 1)
		return refuse(unit, -EINVAL, "its flag for statistics is neither 0 nor 1");
	if (get(in + STATS_AT + 8, 8) != size - HEADER_BYTES - 8)
		return refuse(unit, -EINVAL,
			      "its length differs from its header: it is cut or too long");
	if (get(in + size - 8, 8) != checksum(in, size - 8))
		return refuse(unit, -EINVAL, "its checksum is wrong: it is damaged");
	return 0;
}

/* Read the state, and optionally the statistics, after a config equal to the unit's. */
static int read_rest(struct gputm__io *io, bool stats)
{
	const struct gputm_unit *whose;
	const char *broken;

	gputm__unit_clear(io->unit);
	io_all(io, io->unit, io_state);
	if (stats)
		io_all(io, io->unit, io_stats);
	if (!io->error && io->used != io->size)
		gputm__io_fail(io, -EINVAL, "it has bytes after its state");
	if (io->error)
		return io->error;
	gputm__unit_settle(io->unit, !stats);
	broken = gputm__unit_broken(io->unit, &whose);
	return broken ? refuse(whose, -EINVAL, broken) : 0;
}

static int read_body(struct gputm_unit *unit, bool stats, const uint8_t *in, size_t size)
{
	struct gputm__io io = { .mode = GPUTM__READ, .unit = unit, .in = in, .size = size };
	struct gputm__io back = { .mode = GPUTM__READ, .unit = unit };
	uint8_t *before;
	int error;

	io_all(&io, unit, io_config);
	if (io.error)
		return io.error;
	back.size = body_bytes(unit, true);
	before = gputm__alloc(unit->ctx, 1, back.size);
	if (!before)
		return -ENOMEM;
	write_body(unit, true, before, back.size);
	error = read_rest(&io, stats);
	if (error) {
		back.in = before;
		io_all(&back, unit, io_config);
		read_rest(&back, true);
		gputm__assert(!back.error);
	}
	gputm__free(unit->ctx, before);
	return error;
}

/* Whatever the snapshot: may contents of the unit be replaced? */
static int may_load(const struct gputm_unit *unit)
{
	const struct gputm_unit *whole = unit->desk->whole;

	if (whole)
		return gputm__refuse(unit, "this is a part of a %s: load or clone the %s instead",
				     whole->class->kind, whole->class->kind);
	return unit->desk->telling ?
		       refuse(unit, -EBUSY, "an observer must not load or clone the unit") : 0;
}

int gputm_unit_load(struct gputm_unit *unit, const void *data, size_t size)
{
	const uint8_t *in = data;
	int error = may_load(unit);

	error = error ? error : check_envelope(unit, in, size);
	if (error)
		return error;
	return read_body(unit, get(in + STATS_AT, 8), in + HEADER_BYTES, size - HEADER_BYTES - 8);
}

int gputm_unit_clone(struct gputm_unit *unit, const struct gputm_unit *from)
{
	size_t size;
	uint8_t *bytes;
	int error = may_load(unit);

	if (error)
		return error;
	if (unit->class != from->class) {
		gputm__unit_log(unit, "clone refused: it is of another kind of unit, \"%s\"",
				from->class->kind);
		return -EINVAL;
	}
	size = body_bytes(from, true);
	bytes = gputm__alloc(unit->ctx, 1, size);
	if (!bytes)
		return -ENOMEM;
	write_body(from, true, bytes, size);
	error = read_body(unit, true, bytes, size);
	gputm__free(unit->ctx, bytes);
	return error;
}
