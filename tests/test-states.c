/* SPDX-License-Identifier: BSD-2-Clause */
/* Different histories that end in the same contents save the same bytes. */
#include "tests/kinds.h"
#include "tests/kit.h"

#define ITEMS 60u
/* In a step beside the item: */
#define PASSING 0x100u /* the item comes, and leaves before the end */
#define LEAVING 0x200u
#define ITEM(step) ((step) & 0xff)

/* Neighbours, and some far away. */
static uint64_t address_of(uint32_t item)
{
	return item % 3 ? item * UINT64_C(4) : item * UINT64_C(0x10004);
}

static void reader_list(void *unit, const uint32_t *step, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t tx = ITEM(step[i]) * 7;
		uint64_t address = address_of(ITEM(step[i]) % 12);

		ck_assert_int_eq(step[i] & LEAVING ? gputm_reader_list_remove(unit, address, tx)
						   : gputm_reader_list_add(unit, address, tx), 0);
	}
}

static void writer_table(void *unit, const uint32_t *step, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t item = ITEM(step[i]);
		uint64_t address = address_of(item);

		if (step[i] & LEAVING) {
			ck_assert_int_eq(gputm_writer_table_release(unit, address, item), 0);
			continue;
		}
		ck_assert_int_eq(gputm_writer_table_claim(unit, address, item, item), 0);
		if (item % 2)
			ck_assert_int_eq(gputm_writer_table_commit(unit, address, item, item), 0);
	}
}

/* Lane 0 reads or writes each item; what lanes that have stopped did leaves nothing behind. */
static void warp_access_filter(void *unit, const uint32_t *step, size_t count)
{
	uint64_t address[4], lost;

	ck_assert_int_eq(gputm_warp_access_filter_begin(unit, 3, 15), 0);
	for (size_t i = 0; i < count; i++) {
		bool write = step[i] % 5 == 0;

		address[0] = address[i % 3 + 1] = address_of(ITEM(step[i]));
		if (step[i] == ITEM(step[i]))
			ck_assert_int_eq(gputm_warp_access_filter_access(unit, 3, write,
						write ? 1 : 1 | UINT64_C(2) << i % 3, address,
						&lost), 0);
	}
	ck_assert_int_eq(gputm_warp_access_filter_drop(unit, 3, 14), 0);
}

/* The rows of a write log, in the order of the steps; none leaves. */
static void resolve(void *unit, const uint32_t *step, size_t count, bool sequential)
{
	static uint64_t address[ITEMS][64];
	struct gputm_resolver_row row[ITEMS];
	struct gputm_resolver_logs logs = { row, row, 0, 0 };
	struct gputm_resolver_outcome result;
	uint32_t buffer;

	for (size_t i = 0; i < count; i++) {
		uint32_t item = ITEM(step[i]), lane = item % 32;

		if (step[i] != item)
			continue;
		address[item][lane] = address_of(item);
		row[logs.write_rows++] = (struct gputm_resolver_row){ UINT64_C(1) << lane,
								   address[item] };
	}
	if (sequential) {
		ck_assert_int_eq(gputm_sequential_resolver_acquire(unit, UINT32_MAX, &buffer), 0);
		ck_assert_int_eq(gputm_sequential_resolver_resolve(unit, buffer, &logs, &result),
				 0);
		return;
	}
	ck_assert_int_eq(gputm_ownership_table_acquire(unit, UINT32_MAX, &buffer), 0);
	ck_assert_int_eq(gputm_ownership_table_resolve(unit, buffer, &logs, &result), 0);
}

static void ownership_table(void *unit, const uint32_t *step, size_t count)
{
	resolve(unit, step, count, false);
}

static void sequential_resolver(void *unit, const uint32_t *step, size_t count)
{
	resolve(unit, step, count, true);
}

static void push_block(void *unit, uint32_t item)
{
	struct gputm_commit_buffer_entry entry = { item * UINT64_C(64), item, item, item, item + 1,
					    false };

	ck_assert_int_eq(gputm_commit_buffer_push(unit, &entry), 0);
}

/* A block goes to memory; the tag of its write. */
static uint64_t send_block(void *unit)
{
	struct gputm_mem_request request;

	gputm_commit_buffer_tick(unit);
	ck_assert_int_eq(gputm_commit_buffer_mem_peek(unit, &request), 1);
	ck_assert_int_eq(gputm_commit_buffer_mem_pop(unit), 1);
	return request.tag;
}

/* Blocks of two items come and go, in an order that depends on the items; then the same ones stay
 * as waiting, at the port, in flight and to be released. */
static void commit_buffer(void *unit, const uint32_t *step, size_t count)
{
	uint64_t tag[2];

	for (size_t i = 0; i + 1 < count; i += 2) {
		push_block(unit, ITEM(step[i]));
		push_block(unit, ITEM(step[i + 1]) + ITEMS);
		tag[0] = send_block(unit);
		tag[1] = send_block(unit);
		for (uint32_t n = 0; n < 2; n++) {
			uint64_t done = tag[(step[i] + n) % 2];

			ck_assert_int_eq(gputm_commit_buffer_mem_complete(unit, done), 0);
			ck_assert_int_eq(gputm_commit_buffer_pop(unit), 1);
		}
	}
	for (uint32_t item = 0; item < 8; item++)
		push_block(unit, item);
	for (uint32_t item = 0; item < 4; item++)
		ck_assert_uint_eq(send_block(unit), item);
	ck_assert_int_eq(gputm_commit_buffer_mem_complete(unit, 1), 0);
	gputm_commit_buffer_tick(unit);
}

static const struct {
	const char *kind, *field, *value;
	void (*run)(void *unit, const uint32_t *step, size_t count);
} histories[] = {
	{ "reader_list", "fold", "1", reader_list },
	{ "writer_table", "entries", "64", writer_table },
	{ "warp_access_filter", "lanes", "32", warp_access_filter },
	{ "ownership_table", "exact", "1", ownership_table },
	{ "sequential_resolver", "exact", "1", sequential_resolver },
	{ "commit_buffer", "blocks", "70", commit_buffer },
};

#define HISTORIES (sizeof(histories) / sizeof(histories[0]))

static uint32_t draw(uint32_t *from, uint32_t *left, uint64_t *random)
{
	uint32_t at = (uint32_t)kit_below(random, *left), item = from[at];

	from[at] = from[--*left];
	return item;
}

/* The first `stay` items come in any order; up to ten others come before and leave between them. */
static size_t history(uint32_t stay, uint64_t *random, uint32_t *step)
{
	uint32_t item[ITEMS], left = stay, passing = (uint32_t)kit_below(random, 11);
	uint32_t leave = (uint32_t)kit_below(random, stay);
	size_t count = 0;

	for (uint32_t i = 0; i < stay; i++)
		item[i] = i;
	for (uint32_t i = 0; i < passing; i++)
		step[count++] = (stay + i) | PASSING;
	while (left) {
		for (uint32_t i = 0; left == stay - leave && i < passing; i++)
			step[count++] = (stay + i) | LEAVING;
		step[count++] = draw(item, &left, random);
	}
	return count;
}

static struct gputm_unit *make(struct kit *kit, size_t which)
{
	const struct kind *kind = kind_find(histories[which].kind);
	const struct gputm_params *params = kind->params();
	void *config = calloc(1, params->config_size);
	struct gputm_unit *unit = NULL;

	ck_assert_ptr_nonnull(config);
	ck_assert_int_eq(gputm_params_init(params, config, params->config_size), 0);
	ck_assert_int_eq(gputm_params_set(kit->ctx, params, config, histories[which].field,
					  histories[which].value), 0);
	ck_assert_int_eq(kind->make(kit->ctx, config, &unit), 0);
	free(config);
	return unit;
}

static size_t state_of(const struct gputm_unit *unit, uint8_t **bytes)
{
	size_t size = gputm_unit_save_state(unit, NULL, 0);

	*bytes = malloc(size);
	ck_assert_ptr_nonnull(*bytes);
	ck_assert_uint_eq(gputm_unit_save_state(unit, *bytes, size), size);
	return size;
}

static void compare(const struct gputm_unit *one, const struct gputm_unit *other, bool same)
{
	uint8_t *bytes, *others;
	size_t size = state_of(one, &bytes), size_other = state_of(other, &others);

	ck_assert_msg(same == (size == size_other && !memcmp(bytes, others, size)), "%s: states %s",
		      gputm_unit_kind(one), same ? "differ" : "are the same");
	free(bytes);
	free(others);
}

KIT_TESTS(test_histories_of_the_same_contents, HISTORIES)
{
	size_t which = (size_t)_i;
	const struct kind *kind = kind_find(histories[which].kind);
	uint64_t random = 11;

	for (unsigned round = 0; round < kit_scale(200, 20); round++) {
		struct gputm_unit *unit[3];
		uint32_t stay = 1 + (uint32_t)kit_below(&random, 40), step[ITEMS + 20];

		for (int i = 0; i < 3; i++)
			unit[i] = make(kit, which);
		for (int i = 0; i < 2; i++)
			histories[which].run(unit[i], step, history(stay, &random, step));
		compare(unit[0], unit[2], false);
		compare(unit[0], unit[1], true);
		ck_assert_int_eq(gputm_unit_clone(unit[2], unit[1]), 0);
		compare(unit[0], unit[2], true);
		for (int i = 0; i < 3; i++) {
			kit_valid(unit[i]);
			kind->free(unit[i]);
		}
	}
}
