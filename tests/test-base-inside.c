/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what lib/base gives to units: masks, partitions, text, queues, laws of statistics. */
#include "lib/base/format.h"
#include "lib/base/partition.h"
#include "lib/base/queue.h"
#include "tests/kit.h"

KIT_MAKER(row_copier, ROW_COPIER);

KIT_TEST(test_widths_and_masks)
{
	ck_assert_uint_eq(gputm__low_mask(0), 0);
	ck_assert_uint_eq(gputm__low_mask(64), UINT64_MAX);
	ck_assert_uint_eq(gputm__bits_for(0), 0);
	ck_assert_uint_eq(gputm__bits_for(1), 0);
	ck_assert(!gputm__is_power_of_two(0));
	for (unsigned bit = 0; bit < 64; bit++) {
		const uint64_t one = UINT64_C(1) << bit, all = UINT64_MAX >> (63 - bit);

		ck_assert_uint_eq(gputm__log2(one), bit);
		ck_assert_uint_eq(gputm__log2(all), bit);
		ck_assert_uint_eq(gputm__lowest(one), bit);
		ck_assert_uint_eq(gputm__lowest(~(one - 1)), bit);
		ck_assert_uint_eq(gputm__popcount(one), 1);
		ck_assert_uint_eq(gputm__popcount(all), bit + 1);
		ck_assert_uint_eq(gputm__low_mask(bit), one - 1);
		ck_assert_uint_eq(gputm__bits_for(one), bit);
		ck_assert_uint_eq(gputm__bits_for(all), bit ? bit + 1 : 0);
		ck_assert(gputm__is_power_of_two(one));
		ck_assert(!gputm__is_power_of_two(one | one << 1 | 1) || !bit || bit == 63);
	}
}

KIT_TEST(test_a_clock_stops_at_the_end_of_time)
{
	const uint64_t end = GPUTM__END_OF_TIME;

	ck_assert_uint_eq(gputm__later(0, 7), 7);
	ck_assert_uint_eq(gputm__later(end - 2, 1), end - 1);
	ck_assert_uint_eq(gputm__later(end - 2, 2), end);
	ck_assert_uint_eq(gputm__later(end - 2, 3), end);
	ck_assert_uint_eq(gputm__later(1, UINT64_MAX), end);
	ck_assert_uint_eq(gputm__later(end, 1), end);
	ck_assert_uint_eq(gputm__later(end + 1, 1), end + 1);
}

/* The kit has the generator of Steele, Lea and Flood on its own. */
KIT_TEST(test_splitmix64_is_the_published_one)
{
	uint64_t ours = 4711, theirs = 4711;

	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(gputm__splitmix64(&ours), kit_random(&theirs));
	ck_assert_uint_eq(ours, theirs);
	ck_assert_uint_eq(gputm__mix64(0), 0);
}

/* (address / interleave) mod partitions, at the edges of each partition and of memory. */
KIT_TEST(test_partitions_are_remainders)
{
	for (uint32_t count = 1; count <= 64; count++) {
		for (uint64_t interleave = 64; interleave <= 1 << 16; interleave *= 4) {
			struct gputm__partition_map map =
				gputm__partition_map_of(count, interleave);
			uint64_t random = count;

			for (unsigned i = 0; i < 200; i++) {
				uint64_t at = kit_random(&random) >> kit_below(&random, 64);

				at = i < 64 ? i * interleave * count : i < 128 ? ~at : at;
				for (unsigned before = 0; before < 2; before++, at--)
					ck_assert_uint_eq(gputm__partition_of(&map, at),
							  at / interleave % count);
			}
		}
	}
}

/* ---- text ---- */

__attribute__((format(printf, 3, 4))) static void writes(const char *expected, size_t room,
							   const char *format, ...)
{
	char text[64] = "at ";
	va_list arguments;
	size_t used;

	memset(text + 3, 'x', sizeof(text) - 3);
	va_start(arguments, format);
	used = gputm__vformat(text, room, 3, format, arguments);
	va_end(arguments);
	ck_assert_str_eq(text, expected);
	ck_assert_uint_eq(used, strlen(expected));
	ck_assert_int_eq(text[room], 'x'); /* behind the room */
}

KIT_TEST(test_messages_have_numbers_and_texts)
{
	writes("at ", 40, "%s", "");
	writes("at row \"a\" of b", 40, "row \"%s\" of %s", "a", "b");
	writes("at 0 9 10 4294967295", 40, "%u %u %u %u", 0u, 9u, 10u, UINT32_MAX);
	writes("at 0 9 10 2147483647", 40, "%d %d %d %d", 0, 9, 10, INT32_MAX);
	writes("at -1 -9 -10 -2147483648", 40, "%d %d %d %d", -1, -9, -10, INT32_MIN);
	writes("at 0 9 a 10 ffffffff", 40, "%x %x %x %x %x", 0u, 9u, 10u, 16u, UINT32_MAX);
	writes("at 18446744073709551615, 10", 40, "%llu, %llu", 0xffffffffffffffffull, 10ull);
	writes("at ffffffffffffffff, 10", 40, "%llx, %llx", 0xffffffffffffffffull, 16ull);
	writes("at 100 %", 40, "%u %%", 100u);
}

KIT_TEST(test_messages_are_cut_to_their_room)
{
	writes("at 12", 6, "%u", 12345u);
	writes("at 12345", 9, "%u", 12345u);
	writes("at abc", 7, "abcdef%s", "g");
	writes("at ", 4, "%s", "a");
}

/* ---- queues ---- */

static void expect(const struct gputm__queue *queue, const uint32_t *item, uint32_t count)
{
	ck_assert_uint_eq(queue->count, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(*(const uint32_t *)gputm__queue_at(queue, i), item[i]);
	if (count)
		ck_assert_uint_eq(*(const uint32_t *)gputm__queue_oldest(queue), item[0]);
}

/* First in, first out, in rings of one to four places, against an array. */
KIT_TEST(test_queues_are_first_in_first_out)
{
	struct gputm_unit *unit = kit_make(kit, &row_copier_maker, NULL);

	for (uint32_t capacity = 1; capacity <= 4; capacity++) {
		uint32_t in[4], count = 0, next = 1;
		uint64_t random = capacity;
		struct gputm__queue queue;

		gputm__queue_own(unit, &queue, capacity, sizeof(uint32_t));
		gputm__queue_clear(&queue);
		for (unsigned i = 0; i < 300; i++) {
			expect(&queue, in, count);
			ck_assert(gputm__queue_full(&queue) == (count == capacity));
			if (kit_below(&random, 40) == 0) {
				gputm__queue_clear(&queue);
				count = 0;
			} else if (kit_below(&random, 2) && count < capacity) {
				in[count++] = next;
				gputm__queue_put(&queue, uint32_t, next++);
			} else if (kit_below(&random, 2)) {
				ck_assert_int_eq(gputm__queue_drop(&queue), count > 0);
				memmove(in, in + 1, (count -= count > 0) * sizeof(*in));
			} else if (count) {
				ck_assert_uint_eq(*(uint32_t *)gputm__queue_take(&queue), in[0]);
				memmove(in, in + 1, --count * sizeof(*in));
			}
		}
	}
}

/* ---- statistics ---- */

/* The buckets are for 0, 1, 2 .. 3, 4 .. 7 and so on; the last bucket is for all that is more. */
KIT_TEST(test_samples_fall_into_powers_of_two)
{
	const unsigned last = GPUTM_HISTOGRAM_BUCKETS - 1;

	for (unsigned bucket = 0; bucket <= last; bucket++) {
		uint64_t least = bucket ? UINT64_C(1) << (bucket - 1) : 0;
		uint64_t most = bucket == last ? UINT64_MAX : bucket ? 2 * least - 1 : 0;
		struct gputm__histogram histogram = { 0 };

		gputm__sample(&histogram, least);
		gputm__sample(&histogram, most);
		ck_assert_uint_eq(histogram.bucket[bucket], 2);
		ck_assert_uint_eq(histogram.samples, 2);
	}
}

static uint8_t image[1 << 16]; /* a snapshot */

/* Where a statistic is in a snapshot: they begin where one without them ends. */
static uint8_t *stat_in_image(const struct gputm_unit *unit, const char *name)
{
	size_t at = gputm_unit_save_state(unit, NULL, 0) - 8;
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(unit, i, &stat) && strcmp(stat.name, name); i++)
		at += stat.kind == GPUTM_STAT_GAUGE ? 0 :
		      stat.bucket		    ? 8 * (1 + GPUTM_HISTOGRAM_BUCKETS) : 8;
	ck_assert_str_eq(stat.name, name);
	return image + at;
}

/* The law of a maximum: not less than now, not more than there can be; either alone is wrong. */
KIT_TEST(test_a_maximum_lies_between_now_and_the_limit)
{
	const struct gputm_row_copier_request request = { 9, 0, 0x100000, 1 };
	struct gputm_row_copier *copier =
		kit_make_as(kit, &row_copier_maker, "row_bytes=256 requests=3");
	struct gputm_unit *unit = gputm_row_copier_unit(copier);
	size_t size;
	uint8_t *at;

	ck_assert_int_eq(gputm_row_copier_push(copier, &request, NULL), GPUTM_ROW_COPIER_OK);
	size = gputm_unit_save(unit, image, sizeof(image));
	ck_assert_uint_le(size, sizeof(image));
	at = stat_in_image(unit, "held_max");
	for (uint8_t most = 0; most <= 4; most++) {
		*at = most;
		kit_seal(image, size);
		if (most >= 1 && most <= 3)
			ck_assert_int_eq(gputm_unit_load(unit, image, size), 0);
		else
			KIT_REFUSED(-EINVAL, gputm_unit_load(unit, image, size),
				    "row_copier", "held is above its maximum");
	}
}
