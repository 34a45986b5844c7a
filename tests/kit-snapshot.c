/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots of any unit: round trips, exchanges in a run, hostile bytes. */
#include "tests/kit.h"

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
	uint64_t digest = 0, word;

	for (size_t i = 0; i < image.size; i += sizeof(word)) {
		size_t left = image.size - i;

		word = 0;
		memcpy(&word, image.bytes + i, left < sizeof(word) ? left : sizeof(word));
		word ^= digest;
		digest = kit_random(&word);
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

void kit_as_new(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit)
{
	struct gputm_unit *fresh = NULL;
	struct image state, whole;

	kit->fail_at = -1;
	ck_assert_int_eq(maker->make(kit->ctx, gputm_unit_config(unit), &fresh), 0);
	state = save_by(gputm_unit_save_state, fresh);
	whole = save(fresh);
	maker->destroy(fresh);
	gputm_unit_reset_state(unit);
	kit_valid(unit);
	ck_assert_msg(same_by(gputm_unit_save_state, &state, unit), "reset leaves a state");
	gputm_unit_reset(unit);
	kit_valid(unit);
	ck_assert_msg(same(&whole, unit), "reset is not as new");
	free(state.bytes);
	free(whole.bytes);
}

struct gputm_unit *kit_swap(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit)
{
	struct image image = save(unit);
	struct gputm_unit *other = NULL;

	if (kit->swaps++ & 1) { /* onto what is there */
		ck_assert_msg(!gputm_unit_load(unit, image.bytes, image.size), "load: %s",
			      kit->message);
		ck_assert(same(&image, unit));
		free(image.bytes);
		return unit;
	}
	ck_assert_int_eq(maker->make(kit->ctx, gputm_unit_config(unit), &other), 0);
	ck_assert_msg(!(kit->swaps & 2 ? gputm_unit_clone(other, unit) :
				    gputm_unit_load(other, image.bytes, image.size)),
		      "load: %s", kit->message);
	ck_assert(same(&image, other));
	same_stats(unit, other);
	kit_valid(other);
	kit_observe_instead(unit, other);
	kit_made_instead(kit, unit, other);
	kit_as_new(maker, kit, unit);
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

/* Each allocation of a load fails in turn: the unit is as before. */
static void load_without_memory(struct kit *kit, struct gputm_unit *unit,
				const struct image *image)
{
	struct image none = save(unit);
	int error = -ENOMEM;

	for (long nth = 0; error; nth++) {
		kit->fail_at = kit->allocations + nth;
		error = gputm_unit_load(unit, image->bytes, image->size);
		if (!error)
			break;
		ck_assert_int_eq(error, -ENOMEM);
		ck_assert_msg(same(&none, unit), "a load without memory changed the unit");
	}
	kit->fail_at = -1;
	ck_assert(same(image, unit));
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
	load_without_memory(&kit, other, &image);
	kit_valid(other);
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

/* A forged snapshot of what `how` saves, under a right checksum: refused, or taken as it is. Where
 * sentences are heard there are so many that one in 16 is compared. */
static void present(struct gputm_unit *unit, save_fn *how, const struct image *now, uint8_t *bent)
{
	static unsigned presented;
	const bool compared = !kit_hears() || ++presented % 16 == 0;
	struct image image = { bent, now->size };

	kit_seal(bent, now->size);
	if (gputm_unit_load(unit, bent, now->size)) {
		ck_assert_msg(!compared || same_by(how, now, unit),
			      "forged snapshot changed the unit");
	} else {
		kit_valid(unit);
		ck_assert_msg(!compared || same_by(how, &image, unit),
			      "%s: forged snapshot is saved as another", gputm_unit_kind(unit));
		ck_assert_int_eq(gputm_unit_load(unit, now->bytes, now->size), 0);
	}
	memcpy(bent, now->bytes, now->size);
}

/* Memory of units whose load takes longer than all that is forged: a smaller one says the same. */
#define LARGE (1 << 20)

/* Bytes that come near what was there, and the least and the largest, each once: at each place of
 * a short snapshot (not with KIT_SPARSE, nor of a LARGE unit), or at places that lie as far apart
 * as the forgeries allow. Then pieces that are copied, or change their places. */
static void forge(struct gputm_unit *unit, save_fn *how, const struct image *now, uint8_t *bent,
		  unsigned forgeries)
{
	size_t fixed = 64 + 16 + 8 * gputm_unit_params(unit)->param_count, end = now->size - 8;
	bool each = end - fixed <= 1024 && !kit_sparse() && kit_memory() < LARGE;
	size_t step = each ? 1 : 1 + 9 * (end - fixed) / forgeries, at;
	uint64_t random = now->size;

	memcpy(bent, now->bytes, now->size);
	for (at = fixed + kit_below(&random, step); at < end; at += step) {
		const uint8_t was = bent[at], values[] = {
			0, 1, (uint8_t)(was + 1), (uint8_t)(was - 1), was ^ 0x80, 0xff,
		};

		for (size_t i = 0; i < sizeof(values); i++) {
			if (values[i] == was || memchr(values, values[i], i))
				continue;
			bent[at] = values[i];
			present(unit, how, now, bent);
		}
	}
	for (unsigned n = 0; n < forgeries / 5 && end > fixed + 80; n++) {
		size_t bytes = 1 + kit_below(&random, 40);
		size_t from = fixed + kit_below(&random, end - fixed - bytes);
		size_t to = fixed + kit_below(&random, end - fixed - bytes);

		memmove(bent + to, now->bytes + from, bytes);
		if (n & 1)
			memmove(bent + from, now->bytes + to, bytes);
		if (memcmp(bent, now->bytes, end))
			present(unit, how, now, bent);
	}
}

void kit_forge(struct gputm_unit *unit)
{
	static unsigned left = 16; /* units of this program */
	const unsigned large = (unsigned)(kit_memory() >> 13); /* 8 KB: as often as can be */
	struct image now;
	uint8_t *bent;

	if (!kit_hears() || !left)
		return;
	left--;
	now = save(unit);
	bent = malloc(now.size);
	ck_assert_ptr_nonnull(bent);
	forge(unit, gputm_unit_save, &now, bent,
	      large < 9 ? 9000 / (1 + large) : kit_memory() < LARGE ? 900 : 90);
	kit_damage(unit, large < 5 ? 6 - large : 1, kit_memory() < LARGE ? 1000 : 100);
	free(bent);
	free(now.bytes);
}

static void put(uint8_t *to, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static int forged(save_fn *how, struct gputm_unit *unit, uint64_t at, long after, unsigned bytes,
		  uint64_t value)
{
	struct image image = save_by(how, unit);
	uint8_t there[8], *found = NULL;
	int error;

	put(there, sizeof(there), at);
	for (size_t i = 0; !found && i + sizeof(there) <= image.size; i++)
		if (!memcmp(image.bytes + i, there, sizeof(there)))
			found = image.bytes + i;
	ck_assert_ptr_nonnull(found);
	put(found + after, bytes, value);
	kit_seal(image.bytes, image.size);
	error = gputm_unit_load(unit, image.bytes, image.size);
	free(image.bytes);
	return error;
}

int kit_forged(struct gputm_unit *unit, uint64_t at, long after, unsigned bytes, uint64_t value)
{
	return forged(gputm_unit_save_state, unit, at, after, bytes, value);
}

int kit_forged_whole(struct gputm_unit *unit, uint64_t at, long after, unsigned bytes,
		     uint64_t value)
{
	return forged(gputm_unit_save, unit, at, after, bytes, value);
}

void kit_hostile(const struct kit_maker *maker, struct gputm_unit *unit)
{
	struct image image = save(unit), state = save_by(gputm_unit_save_state, unit);
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
	forge(unit, gputm_unit_save, &image, bent, kit_scale(400, 40));
	forge(unit, gputm_unit_save_state, &state, bent, kit_scale(400, 40));
	ck_assert_int_eq(gputm_unit_load(unit, image.bytes, image.size), 0);
	kit_forge(unit);
	free(bent);
	free(image.bytes);
	free(state.bytes);
}
