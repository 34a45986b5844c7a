/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the runner's memory: blocks are apart, keep what was written, and are used again. */
#include "examples/sim/base/arena.h"
#include "tests/kit.h"

#define BLOCKS 400u
#define MIXED (UINT64_C(3) << 20) /* bytes; above what a chunk gives */

static void fill(unsigned char *block, size_t bytes, unsigned mark)
{
	memset(block, (int)(mark & 255), bytes);
}

static void is_filled(const unsigned char *block, size_t bytes, unsigned mark)
{
	for (size_t i = 0; i < bytes; i += i < 64 || i + 65 > bytes ? 1 : 61)
		ck_assert_uint_eq(block[i], mark & 255);
}

/* Of all orders of magnitude. */
static size_t some_size(uint64_t *state)
{
	return kit_below(state, UINT64_C(1) << kit_below(state, 22));
}

KIT_TEST(test_blocks_are_apart)
{
	unsigned char *block[BLOCKS] = { NULL };
	size_t bytes[BLOCKS] = { 0 };
	uint64_t state = 11;

	for (unsigned turn = 0; turn < kit_scale(20000, 2000); turn++) {
		unsigned i = (unsigned)kit_below(&state, BLOCKS);
		size_t size = some_size(&state), kept = size < bytes[i] ? size : bytes[i];

		is_filled(block[i], bytes[i], i);
		switch (kit_below(&state, 3)) {
		case 0:
			sim_free(block[i]);
			block[i] = sim_malloc(size);
			break;
		case 1:
			sim_free(block[i]);
			block[i] = sim_calloc(1, size);
			is_filled(block[i], size, 0);
			break;
		default:
			block[i] = sim_realloc(block[i], size);
			is_filled(block[i], kept, i);
		}
		ck_assert_ptr_nonnull(block[i]);
		ck_assert_uint_eq((uintptr_t)block[i] % 16, 0);
		bytes[i] = size;
		fill(block[i], size, i);
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		is_filled(block[i], bytes[i], i);
		sim_free(block[i]);
	}
}

KIT_TEST(test_a_free_block_is_used_again)
{
	unsigned char *first = sim_malloc(1000), *again;

	fill(first, 1000, 7);
	sim_free(first);
	again = sim_calloc(10, 100);
	is_filled(again, 1000, 0);
	ck_assert(!sim_packs() || again == first);
	sim_free(again);
	sim_free(NULL);
}

KIT_TEST(test_room)
{
	uint32_t *few = NULL, room = 0;
	uint64_t *many = NULL;
	size_t place = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert(SIM_ROOM(few, room, i + 1) && room > i);
		few[i] = i;
	}
	ck_assert_uint_eq(room, 1024);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(few[i], i);
	ck_assert(SIM_ROOM(many, place, 5000));
	ck_assert_uint_eq(place, 5000);
	ck_assert(!sim_packs() || !SIM_ROOM(many, place, SIZE_MAX / 16));
	ck_assert_uint_eq(place, 5000);
	sim_free(few);
	sim_free(many);
}

KIT_TEST(test_no_memory)
{
	void *block;

	if (!sim_packs())
		return; /* the sanitizers end the program where memory ends */
	block = sim_malloc(MIXED);
	ck_assert_ptr_nonnull(block);
	errno = 0;
	ck_assert_ptr_null(sim_calloc(SIZE_MAX / 2, 3));
	ck_assert_int_eq(errno, ENOMEM);
	errno = 0;
	ck_assert_ptr_null(sim_malloc(SIZE_MAX / 4));
	ck_assert_int_eq(errno, ENOMEM);
	errno = 0;
	ck_assert_ptr_null(sim_realloc(block, SIZE_MAX - 20));
	ck_assert_int_eq(errno, ENOMEM);
	sim_free(block);
}

KIT_TEST(test_for_units)
{
	struct gputm_ctx *ctx;
	struct gputm_recency_bloom *filter;
	char *text = sim_strdup("a text");

	ck_assert_str_eq(text, "a text");
	sim_free(text);
	ck_assert_int_eq(gputm_ctx_new(&sim_allocator, &ctx), 0);
	ck_assert_int_eq(gputm_recency_bloom_new(ctx, NULL, &filter), 0);
	gputm_recency_bloom_free(filter);
	gputm_ctx_unref(ctx);
}
