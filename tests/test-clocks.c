/* SPDX-License-Identifier: BSD-2-Clause */
/* Time of a clock that is skipped for ever ends, and the unit goes on from there; all units. */
#include "tests/kinds.h"
#include "tests/kit.h"

/* The same functions for a handle of any unit; tests/clocks.h has a line CLOCK(name) per clock. */
#define CLOCK(U)                                                                               \
	extern int U##_advance(void *unit, uint64_t cycles) __asm__("gputm_" #U "_advance");   \
	extern int U##_tick(void *unit) __asm__("gputm_" #U "_tick") __attribute__((weak));    \
	extern uint64_t U##_next_event(const void *unit) __asm__("gputm_" #U "_next_event")    \
		__attribute__((weak));
#include "tests/clocks.h"
#undef CLOCK

static const struct {
	const char *name;
	int (*advance)(void *unit, uint64_t cycles);
	int (*tick)(void *unit);		     /* NULL: a cycle is another function */
	uint64_t (*next_event)(const void *unit); /* NULL: nothing happens by itself */
} clocks[] = {
#define CLOCK(U) { #U, U##_advance, U##_tick, U##_next_event },
#include "tests/clocks.h"
#undef CLOCK
};

#define CLOCKS (sizeof(clocks) / sizeof(clocks[0]))

static void save(const struct gputm_unit *unit, uint8_t **bytes, size_t *size)
{
	*size = gputm_unit_save(unit, NULL, 0);
	*bytes = malloc(*size);
	ck_assert_ptr_nonnull(*bytes);
	ck_assert_uint_eq(gputm_unit_save(unit, *bytes, *size), *size);
}

/* A new unit takes the snapshot over, and saves the same bytes. */
static void reload(const struct kind *kind, const struct gputm_unit *unit)
{
	struct gputm_unit *twin = kind_new(kind);
	uint8_t *bytes, *again;
	size_t size, size_again;

	save(unit, &bytes, &size);
	ck_assert_int_eq(gputm_unit_load(twin, bytes, size), 0);
	save(twin, &again, &size_again);
	ck_assert_msg(size == size_again && !memcmp(bytes, again, size), "%s", kind->name);
	kit_valid(twin);
	kind->free(twin);
	free(bytes);
	free(again);
}

/* The result is that of a tick, where there is one. */
static void advance(size_t i, struct gputm_unit *unit, uint64_t cycles)
{
	int result = clocks[i].advance(unit, cycles);

	ck_assert_int_eq(clocks[i].tick ? result : 0, 0);
}

KIT_TEST(test_clocks_end)
{
	ck_assert_uint_ge(CLOCKS, 7);
	for (size_t i = 0; i < CLOCKS; i++) {
		const struct kind *kind = kind_find(clocks[i].name);
		struct gputm_unit *unit = kind_new(kind);

		if (clocks[i].next_event) {
			ck_assert_uint_eq(clocks[i].next_event(unit), UINT64_MAX);
			advance(i, unit, clocks[i].next_event(unit));
		}
		for (unsigned times = 0; times < 2; times++) {
			advance(i, unit, UINT64_MAX);
			kit_valid(unit);
			reload(kind, unit);
		}
		ck_assert_int_eq(clocks[i].tick ? clocks[i].tick(unit) : 0, 0);
		advance(i, unit, 1);
		kit_valid(unit);
		reload(kind, unit);
		kind->free(unit);
	}
}
