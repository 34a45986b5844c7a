/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshots. Layout, little-endian:
 *
 *   "GPUTMSNP"  8 bytes
 *   layout version of this file      u32
 *   layout version of the unit kind  u32
 *   kind                             32 bytes, NUL-filled
 *   bytes of the body                u64
 *   body: config fields in table order (count u64, then u64 each),
 *         statistics that the base keeps, contents by the unit's io()
 *   FNV-1a (64-bit) of everything before it   u64
 *
 * Loading reads into a fresh twin with the same config, checks the twin's
 * invariants and only then swaps the two structs, so that a refused snapshot leaves
 * the unit as it was.
 */
#include "lib/base/unit.h"

#define LAYOUT_VERSION 1u
#define KIND_BYTES 32
#define HEADER_BYTES (8 + 4 + 4 + KIND_BYTES + 8)

static const char magic[8] = { 'G', 'P', 'U', 'T', 'M', 'S', 'N', 'P' };

static uint64_t fnv1a(const uint8_t *bytes, size_t count)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (count--)
		hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
	return hash;
}

void gputm__io_fail(struct gputm__io *io, int error, const char *reason)
{
	if (io->error)
		return;
	io->error = error;
	gputm__log(io->unit->ctx, GPUTM_LOG_ERROR, "%s: snapshot refused: %s",
		   io->unit->class->kind, reason);
}

/* Where the next `count` bytes are to be read from, or NULL. */
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

void gputm__io_u8(struct gputm__io *io, uint8_t *value)
{
	gputm__io_bytes(io, value, 1);
}

/* Numbers of a C type, and one alone. */
#define IO_NUMBERS(name, type)                                                                 \
	void name##s(struct gputm__io *io, type *value, size_t count)                          \
	{                                                                                      \
		const uint8_t *from;                                                           \
                                                                                               \
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

/* Is this what may be taken over? What is written is our own and must fit. */
static bool bounded(struct gputm__io *io, uint64_t number, uint64_t max, const char *what)
{
	gputm__assert(gputm__io_reading(io) || number <= max);
	if (number > max && !io->error) {
		io->error = -EINVAL;
		gputm__log(io->unit->ctx, GPUTM_LOG_ERROR,
			   "%s: snapshot refused: %s (%llu, at most %llu)", io->unit->class->kind,
			   what, (unsigned long long)number, (unsigned long long)max);
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

/* ---- the body ---- */

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
}

static void io_config(struct gputm__io *io, const struct gputm_unit *unit)
{
	const struct gputm_params *params = unit->class->params;

	gputm__io_same(io, params->param_count, "its config has another number of fields");
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t own = gputm_params_get(row, gputm_unit_config(unit)), value = own;

		gputm__io_u64(io, &value);
		if (io->error || value == own)
			continue;
		io->error = -EINVAL;
		gputm__log(unit->ctx, GPUTM_LOG_ERROR,
			   "%s: snapshot refused: it is of another config: %s = %llu, not %llu",
			   unit->class->kind, row->name, (unsigned long long)value,
			   (unsigned long long)own);
	}
}

static void io_body(struct gputm__io *io, struct gputm_unit *unit)
{
	io_config(io, unit);
	if (io->error)
		return;
	io_stats(io, unit);
	unit->class->io(unit, io);
}

void gputm__io_part(struct gputm__io *io, struct gputm_unit *part)
{
	io_body(io, part);
	if (gputm__io_reading(io) && !io->error && gputm_unit_check(part))
		gputm__io_fail(io, -EINVAL, gputm_unit_check(part));
}

/* ---- save ---- */

/* Save does not change the unit: io() only reads it in these two modes. */
static struct gputm_unit *for_reading(const struct gputm_unit *unit)
{
	return (struct gputm_unit *)(uintptr_t)unit;
}

static size_t body_bytes(const struct gputm_unit *unit)
{
	struct gputm__io io = { .mode = GPUTM__MEASURE, .unit = for_reading(unit) };

	gputm__catch_up(unit);
	io_body(&io, io.unit);
	return io.used;
}

size_t gputm_unit_save(const struct gputm_unit *unit, void *buffer, size_t capacity)
{
	size_t body = body_bytes(unit), total = HEADER_BYTES + body + 8;
	uint8_t *out = buffer;
	struct gputm__io io = { .mode = GPUTM__WRITE, .unit = for_reading(unit) };

	if (total > capacity)
		return total;
	memset(out, 0, HEADER_BYTES);
	memcpy(out, magic, sizeof(magic));
	put(out + 8, 4, LAYOUT_VERSION);
	put(out + 12, 4, unit->class->version);
	memcpy(out + 16, unit->class->kind, strlen(unit->class->kind));
	put(out + 16 + KIND_BYTES, 8, body);
	io.out = out + HEADER_BYTES;
	io.size = body;
	io_body(&io, io.unit);
	put(out + HEADER_BYTES + body, 8, fnv1a(out, HEADER_BYTES + body));
	return total;
}

/* ---- load ---- */

static int refuse(const struct gputm_unit *unit, int error, const char *reason)
{
	gputm__log(unit->ctx, GPUTM_LOG_ERROR, "%s: snapshot refused: %s", unit->class->kind,
		   reason);
	return error;
}

/* The bytes at `in` are not trusted: only what names of kinds are made of gets into the log. */
static int refuse_kind(const struct gputm_unit *unit, const uint8_t *in)
{
	char kind[KIND_BYTES] = { 0 };

	for (size_t i = 0; i < KIND_BYTES - 1 && in[i]; i++) {
		bool usual = (in[i] >= 'a' && in[i] <= 'z') || (in[i] >= '0' && in[i] <= '9');

		kind[i] = usual || in[i] == '_' ? (char)in[i] : '?';
	}
	gputm__log(unit->ctx, GPUTM_LOG_ERROR,
		   "%s: snapshot refused: it is of another kind of unit, \"%s\"",
		   unit->class->kind, kind);
	return -EINVAL;
}

static int check_envelope(const struct gputm_unit *unit, const uint8_t *in, size_t size)
{
	char kind[KIND_BYTES] = { 0 };

	if (size < HEADER_BYTES + 8 || memcmp(in, magic, sizeof(magic)))
		return refuse(unit, -EINVAL, "it does not begin like one, or is cut");
	if (get(in + 8, 4) > LAYOUT_VERSION)
		return refuse(unit, -ENOTSUP, "it is from a newer version of the library");
	if (get(in + 8, 4) < LAYOUT_VERSION)
		return refuse(unit, -EINVAL, "its layout is of a version that never was");
	memcpy(kind, unit->class->kind, strlen(unit->class->kind));
	if (memcmp(in + 16, kind, KIND_BYTES))
		return refuse_kind(unit, in + 16);
	if (get(in + 12, 4) > unit->class->version)
		return refuse(unit, -ENOTSUP, "it is from a newer version of this unit");
	if (get(in + 12, 4) < unit->class->version)
		return refuse(unit, -ENOTSUP, "it is from an older version of this unit");
	if (get(in + 16 + KIND_BYTES, 8) != size - HEADER_BYTES - 8)
		return refuse(unit, -EINVAL,
			      "its length is not as announced: it is cut or has a tail");
	if (get(in + size - 8, 8) != fnv1a(in, size - 8))
		return refuse(unit, -EINVAL, "its checksum is wrong: it is damaged");
	return 0;
}

static int read_twin(struct gputm_unit *twin, const uint8_t *in, size_t size)
{
	struct gputm__io io = { .mode = GPUTM__READ, .unit = twin, .in = in, .size = size };
	const char *broken;

	io_body(&io, twin);
	if (!io.error && io.used != size)
		gputm__io_fail(&io, -EINVAL, "it is longer than its state");
	if (io.error)
		return io.error;
	broken = gputm_unit_check(twin);
	return broken ? refuse(twin, -EINVAL, broken) : 0;
}

static void swap_bytes(void *a, void *b, size_t count)
{
	unsigned char *x = a, *y = b, t[64];

	for (size_t some; count; count -= some, x += some, y += some) {
		some = count < sizeof(t) ? count : sizeof(t);
		memcpy(t, x, some);
		memcpy(x, y, some);
		memcpy(y, t, some);
	}
}

int gputm_unit_load(struct gputm_unit *unit, const void *data, size_t size)
{
	const uint8_t *in = data;
	struct gputm_unit *twin;
	int error = check_envelope(unit, in, size);

	if (error)
		return error;
	error = gputm__unit_new(unit->ctx, unit->class, gputm_unit_config(unit), &twin);
	if (error)
		return error;
	error = read_twin(twin, in + HEADER_BYTES, size - HEADER_BYTES - 8);
	if (!error) {
		twin->observe = unit->observe;
		twin->observe_state = unit->observe_state;
		swap_bytes(unit, twin, unit->class->size);
	}
	gputm__unit_free(twin);
	return error;
}
