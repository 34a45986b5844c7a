/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_KIT_H
#define GPUTM_TESTS_KIT_H
/*
 * What every unit's test needs: a context that counts and fails allocations and
 * keeps the last message, and the checks that hold for all units alike.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/stats.h"

/* Each assertion that holds would write its line to a file: two thirds of a test's time. One that
 * fails tells its line all the same. */
#define _mark_point(file, line) ((void)(file), (void)(line))

/* Functions that the library and the runner call take what not every test needs. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- context of a test ---- */
struct kit {
	struct gputm_ctx *ctx;
	long live;	      /* allocations not yet freed */
	long fail_at;	      /* this allocation (counted from 0) fails; < 0: none */
	long allocations;     /* so far */
	char message[520];    /* last one logged; longer ones are cut */
	unsigned messages;
	unsigned swaps;			  /* by kit_swap() */
	struct kit_made *made;		  /* by kit_make(), the last first */
	struct gputm_unit *guarded;	  /* by kit_guard() */
	bool heard;			  /* an event of that unit in a call that is refused */
	uint64_t digest;
	bool keeps;		 /* the first unit that is freed becomes the next of its config */
	struct gputm_unit *kept; /* such a unit, used, to be reset */
};
void kit_open(struct kit *kit);
/* Checks and frees what kit_make() made; asserts that nothing leaked. */
void kit_close(struct kit *kit);

/* Assert that the last message names all of these (NULL-ended list). */
void kit_said(const struct kit *kit, ...);

/*
 * A call that is refused: KIT_REFUSED(-ERANGE, call, "mask = 16", "0 .. 15") asserts the error, a
 * message that has all of the words, and that the unit under guard is as it was before. The words
 * "" stand for any message.
 */
#define KIT_REFUSED(ERROR, CALL, ...)                                                          \
	do {                                                                                   \
		uint64_t kit_before = kit_refusing(kit);                                       \
                                                                                               \
		ck_assert_int_eq(CALL, ERROR);                                                 \
		kit_said(kit, __VA_ARGS__, NULL);                                              \
		kit_refused(kit, kit_before);                                                  \
	} while (0)
uint64_t kit_refusing(struct kit *kit);
void kit_refused(struct kit *kit, uint64_t before);
/* From now on calls that are refused leave this unit alone; NULL: there is none any more. */
void kit_guard(struct kit *kit, struct gputm_unit *unit);
/* Assert that the unit is as it was when kit_guard() was called. */
void kit_unchanged(const struct kit *kit);

/* As ck_assert, but told to check only when it fails: for what is asked millions of times. */
#define REQUIRE(condition)                                                                     \
	do {                                                                                   \
		if (!(condition))                                                              \
			ck_abort_msg("%s", #condition);                                        \
	} while (0)

/*
 * Assert that members of a struct have values: KIT_HAS(row, pc, 4, mask, 0xf); or that those of two
 * structs are equal: KIT_SAME(row, expected, pc, mask). Up to eight of them.
 */
#define KIT_HAS(S, ...)                                                                        \
	do {                                                                                   \
		KIT_NINTH_PAIR(__VA_ARGS__, KIT_HAS_8, , KIT_HAS_7, , KIT_HAS_6, , KIT_HAS_5, ,\
			       KIT_HAS_4, , KIT_HAS_3, , KIT_HAS_2, , KIT_HAS_1, , )           \
		(S, __VA_ARGS__);                                                              \
	} while (0)
#define KIT_NINTH_PAIR(A, A1, B, B1, C, C1, D, D1, E, E1, F, F1, G, G1, H, H1, NAME, ...)      \
	NAME
#define KIT_HAS_1(S, F, V) ck_assert_uint_eq((uint64_t)(S).F, (uint64_t)(V))
#define KIT_HAS_2(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_1(S, __VA_ARGS__)
#define KIT_HAS_3(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_2(S, __VA_ARGS__)
#define KIT_HAS_4(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_3(S, __VA_ARGS__)
#define KIT_HAS_5(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_4(S, __VA_ARGS__)
#define KIT_HAS_6(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_5(S, __VA_ARGS__)
#define KIT_HAS_7(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_6(S, __VA_ARGS__)
#define KIT_HAS_8(S, F, V, ...) KIT_HAS_1(S, F, V); KIT_HAS_7(S, __VA_ARGS__)
#define KIT_SAME(S, T, ...)                                                                    \
	do {                                                                                   \
		KIT_NINTH(__VA_ARGS__, KIT_SAME_8, KIT_SAME_7, KIT_SAME_6, KIT_SAME_5, KIT_SAME_4,\
			  KIT_SAME_3, KIT_SAME_2, KIT_SAME_1, )                                \
		(S, T, __VA_ARGS__);                                                           \
	} while (0)
#define KIT_NINTH(A, B, C, D, E, F, G, H, NAME, ...) NAME
#define KIT_SAME_1(S, T, F) KIT_HAS_1(S, F, (T).F)
#define KIT_SAME_2(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_1(S, T, __VA_ARGS__)
#define KIT_SAME_3(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_2(S, T, __VA_ARGS__)
#define KIT_SAME_4(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_3(S, T, __VA_ARGS__)
#define KIT_SAME_5(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_4(S, T, __VA_ARGS__)
#define KIT_SAME_6(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_5(S, T, __VA_ARGS__)
#define KIT_SAME_7(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_6(S, T, __VA_ARGS__)
#define KIT_SAME_8(S, T, F, ...) KIT_SAME_1(S, T, F); KIT_SAME_7(S, T, __VA_ARGS__)

/* ---- randomness of a test: SplitMix64, so that failures repeat ---- */
uint64_t kit_random(uint64_t *state);
uint64_t kit_below(uint64_t *state, uint64_t limit);

/* Rounds to run: `full`, or `small` with GPUTM_TEST_SCALE=small (valgrind). */
unsigned kit_scale(unsigned full, unsigned small);

/* ---- what holds for every unit ---- */
/* How to make one: config points to a struct of params->config_size bytes. */
struct kit_maker {
	const struct gputm_params *(*params)(void);
	int (*make)(struct gputm_ctx *ctx, const void *config, struct gputm_unit **unit);
	void (*destroy)(struct gputm_unit *unit);
	const void *init; /* the INIT macro's value */
};

/*
 * Define `NAME_maker` for a unit: KIT_MAKER(recency_bloom, RECENCY_BLOOM).
 */
#define KIT_MAKER(UNIT, UPPER)                                                                 \
	static int UNIT##_make(struct gputm_ctx *ctx, const void *config,                      \
			       struct gputm_unit **unit)                                       \
	{                                                                                      \
		struct gputm_##UNIT *made = NULL;                                              \
		int error = gputm_##UNIT##_new(ctx, config, &made);                            \
		if (!error)                                                                    \
			*unit = gputm_##UNIT##_unit(made);                                     \
		else                                                                           \
			ck_assert_ptr_null(made);                                              \
		return error;                                                                  \
	}                                                                                      \
	static void UNIT##_destroy(struct gputm_unit *unit)                                    \
	{                                                                                      \
		gputm_##UNIT##_free((struct gputm_##UNIT *)(void *)unit);                      \
	}                                                                                      \
	static const struct gputm_##UNIT##_config UNIT##_init = GPUTM_##UPPER##_CONFIG_INIT;   \
	static const struct kit_maker UNIT##_maker = { gputm_##UNIT##_params, UNIT##_make,     \
						       UNIT##_destroy, &UNIT##_init }

/*
 * The unit of a test: KIT_UNIT(recency_bloom, RECENCY_BLOOM) defines its maker, the test of its
 * life, and four functions. Configs are text, fields on top of the defaults and, before them, a
 * preset's name: "isca-2017 entries=%u"; NULL for the defaults.
 *   make(kit, text, ...) makes a unit, which is observed, and freed with the kit;
 *   make_of(kit, &config) does so with a config, where a field is a pointer;
 *   refuse(kit, text, ...) gives the error of a config that no unit is made of;
 *   with(text, ...) gives a config;
 *   unit_of(handle) gives the common face;
 *   KIT_MADE(), below, is a test of a unit that make() has made.
 * KIT_PART() leaves out the test and the observer, for further programs of the same unit.
 */
#define KIT_PART(UNIT, UPPER)                                                                  \
	KIT_MAKER(UNIT, UPPER);                                                                \
	typedef struct gputm_##UNIT kit_handle;                                                \
	__attribute__((unused)) static struct gputm_unit *unit_of(struct gputm_##UNIT *handle) \
	{                                                                                      \
		return gputm_##UNIT##_unit(handle);                                            \
	}                                                                                      \
	__attribute__((unused)) static struct gputm_##UNIT *make_of(                           \
		struct kit *kit, const struct gputm_##UNIT##_config *config)                   \
	{                                                                                      \
		return (struct gputm_##UNIT *)(void *)kit_make(kit, &UNIT##_maker, config);    \
	}                                                                                      \
	__attribute__((unused, format(printf, 1, 2))) static struct gputm_##UNIT##_config with( \
		const char *text, ...)                                                         \
	{                                                                                      \
		struct gputm_##UNIT##_config config = UNIT##_init;                             \
		va_list values;                                                                \
                                                                                               \
		va_start(values, text);                                                        \
		kit_config(gputm_##UNIT##_params(), &config, text, values);                    \
		va_end(values);                                                                \
		return config;                                                                 \
	}                                                                                      \
	__attribute__((unused, format(printf, 2, 3))) static struct gputm_##UNIT *make(        \
		struct kit *kit, const char *text, ...)                                        \
	{                                                                                      \
		struct gputm_##UNIT##_config config = UNIT##_init;                             \
		va_list values;                                                                \
                                                                                               \
		va_start(values, text);                                                        \
		kit_config(gputm_##UNIT##_params(), &config, text, values);                    \
		va_end(values);                                                                \
		return make_of(kit, &config);                                                  \
	}                                                                                      \
	__attribute__((unused, format(printf, 2, 3))) static int refuse(                       \
		struct kit *kit, const char *text, ...)                                        \
	{                                                                                      \
		struct gputm_##UNIT##_config config = UNIT##_init;                             \
		struct gputm_unit *unit = NULL;                                                \
		va_list values;                                                                \
                                                                                               \
		va_start(values, text);                                                        \
		kit_config(gputm_##UNIT##_params(), &config, text, values);                    \
		va_end(values);                                                                \
		return UNIT##_make(kit->ctx, &config, &unit);                                  \
	}                                                                                      \
	struct kit_made /* so that a semicolon follows */
#define KIT_UNIT(UNIT, UPPER)                                                                  \
	KIT_PART(UNIT, UPPER);                                                                 \
	__attribute__((constructor)) static void UNIT##_watched(void)                          \
	{                                                                                      \
		kit_watched = &UNIT##_maker;                                                   \
	}                                                                                      \
	KIT_TEST(test_##UNIT##_life)                                                           \
	{                                                                                      \
		kit_common(&UNIT##_maker);                                                     \
	}                                                                                      \
	struct kit_made
__attribute__((format(printf, 3, 0))) void kit_config(const struct gputm_params *params,
						      void *config, const char *text,
						      va_list values);
/* For programs of several units: the handle of a unit of this maker and this text. */
__attribute__((format(printf, 3, 4))) void *kit_make_as(struct kit *kit,
							 const struct kit_maker *maker,
							 const char *text, ...);
/* A unit that kit_close(), kit_swap() or kit_end() frees; observed if its maker is watched. */
struct gputm_unit *kit_make(struct kit *kit, const struct kit_maker *maker, const void *config);
extern const struct kit_maker *kit_watched;
/* Free a unit, whether kit_make() has made it or not; reset, it must be as a new one. */
void kit_free(struct kit *kit, const struct kit_maker *maker, struct gputm_unit *unit);
/* Free `other`, or nothing if it is NULL, in the place of `unit`. */
void kit_made_instead(struct kit *kit, const struct gputm_unit *unit, struct gputm_unit *other);

/* INIT macro = table defaults; one bad value beyond each bound refused with its name, the
 * bounds' insides accepted by the table; size rules; free(NULL); presets make units. */
void kit_life(const struct kit_maker *maker);
/* The size rules of a table's configs: any that end before or behind the library's struct, at the
 * end of memory. Part of kit_life(). */
void kit_config_sizes(struct kit *kit, const struct gputm_params *params);
/* Fail allocation 0, 1, 2, ... of new with this config until it succeeds; nothing leaks. */
void kit_chaos(const struct kit_maker *maker, const void *config);
/* Save `unit`, load into a fresh one of equal config: same bytes, same statistics, check passes. */
void kit_round_trip(const struct kit_maker *maker, const struct gputm_unit *unit);
/* Cut, flipped, newer, foreign snapshots are refused with a reason and change nothing; forged ones
 * too, or are saved again as the same bytes. */
void kit_hostile(const struct kit_maker *maker, struct gputm_unit *unit);
/* Where KIT_HEARD names a file, which gets all that units say: forge thousands of snapshots of the
 * unit, and damage its memory as often; hundreds where so much memory is there that a load takes
 * long. The unit is as before. Of a few units of a program. */
void kit_forge(struct gputm_unit *unit);
/* So many damages in each process, which ends early where checks go round for ever. */
void kit_damage(struct gputm_unit *unit, unsigned processes, unsigned times);
/* What the check says while the last word of 64 bits that holds `was` in the memory of units holds
 * this value; NULL: nothing. Arrays come after the struct of their unit. */
const char *kit_damaged(struct gputm_unit *unit, uint64_t was, uint64_t value);
/* Bytes of memory that units of this program have now. */
size_t kit_memory(void);
/* Add a sentence to the file; whether there is one. */
void kit_hear(const char *sentence);
bool kit_hears(void);
/* Is KIT_SPARSE set, for valgrind? It sees more of a run than an assertion does, in ten times the
 * time or more: less is run. */
bool kit_sparse(void);
/* Memory for a unit, filled with 0xa5; the other asserts that nothing was written behind. */
void *kit_memory_new(size_t size);
void kit_memory_free(void *memory);
/* Save, free, make anew, load: gives the new unit (for random points of a run). */
struct gputm_unit *kit_swap(const struct kit_maker *maker, struct kit *kit,
			    struct gputm_unit *unit);
#define KIT_SWAP(UNIT, handle)                                                                 \
	((struct gputm_##UNIT *)(void *)kit_swap(&UNIT##_maker, kit,                           \
						 gputm_##UNIT##_unit(handle)))
/* Reset the unit, and assert that its snapshots are those of a new unit of its config. */
void kit_as_new(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit);
/* Load a snapshot of the unit's state in which, so many bytes after the first place of the number
 * `at`, with 64 bits, some bytes hold another value. What gputm_unit_load() answers. The other: a
 * snapshot that has statistics too. */
int kit_forged(struct gputm_unit *unit, uint64_t at, long after, unsigned bytes, uint64_t value);
int kit_forged_whole(struct gputm_unit *unit, uint64_t at, long after, unsigned bytes,
		     uint64_t value);
/* Put the right checksum behind a snapshot that was changed. */
void kit_seal(uint8_t *snapshot, size_t size);
/* Snapshot digest: equal for equal states. */
uint64_t kit_digest(const struct gputm_unit *unit);
/* Assert gputm_unit_check() == NULL. */
void kit_valid(const struct gputm_unit *unit);
/* Statistic by name; asserts that it exists. */
uint64_t kit_stat(const struct gputm_unit *unit, const char *name);
/* Assert that statistics have these values: kit_counts(unit, "hits=3 misses=%u", misses). */
__attribute__((format(printf, 2, 3))) void kit_counts(const struct gputm_unit *unit,
						      const char *text, ...);
/*
 * Assert that the unit has exactly these statistics, in this order, with the values of the struct
 * at TOLD, whose members they are: KIT_STATS(unit, &o.stats, ORACLE_UNIT_STATS), a list as
 * tests/oracle/stats.h explains.
 */
#define KIT_STATS(UNIT, TOLD, ...) kit_stats(UNIT, TOLD, KIT_TEXT(__VA_ARGS__))
#define KIT_TEXT(...) #__VA_ARGS__
void kit_stats(const struct gputm_unit *unit, const void *told, const char *names);
/*
 * Check each event of `unit` against its table from now on: no value beside its fields, no
 * choice without a name. kit-main.c fails when all tests of the program have not seen every event
 * of that kind of unit together; a program observes one kind. kit_swap() keeps the last observed.
 */
void kit_observe(struct gputm_unit *unit);
void kit_unobserve(void);
/* Where `unit` is observed, observe `other` in its place, with the events so far; NULL: none. */
void kit_observe_instead(const struct gputm_unit *unit, struct gputm_unit *other);
/* Of the events of a kind since kit_observe(): how many, and the values of the last. */
unsigned kit_events(uint32_t kind);
const uint64_t *kit_event(uint32_t kind);
/* Assert how many events of a name there were, and all values of the last; those left out are 0:
 * KIT_TOLD("queue", 1, warp, running, waiting). */
#define KIT_TOLD(NAME, COUNT, ...) kit_told(NAME, COUNT, (const uint64_t[4]){ __VA_ARGS__ })
void kit_told(const char *name, unsigned count, const uint64_t value[4]);
/* Assert that there were so many events, and no others: kit_heard("begin=3 edge=2"). */
void kit_heard(const char *text);
/* All of life, chaos and the names of statistics, events and storage, as one test case. */
void kit_common(const struct kit_maker *maker);

/* ---- tests register themselves ---- */
/*
 * KIT_TEST(name) { ... } is a test of the program that it is compiled into. The test has an open
 * `struct kit *kit`, which is closed behind it. KIT_TESTS(name, count) runs the body `count`
 * times, with _i from 0. A KIT_BARE_TEST opens its kits itself. tests/kit-main.c has the main().
 */
struct kit_test {
	TTest test;
	int count;
	struct kit_test *next;
};
void kit_register(struct kit_test *test);

/* Around the tests of a program: begin to note which events are seen; @return false: no memory. */
bool kit_watch(void);
/* Name the events that no test has seen, and give their number. */
int kit_missed(void);

#define KIT_BARE_TESTS(NAME, COUNT)                                                            \
	static void NAME(int _i);                                                              \
	__attribute__((constructor)) static void NAME##_registers(void)                        \
	{                                                                                      \
		static struct kit_test self = { { #NAME, NAME, __FILE__, __LINE__ }, 0, NULL };  \
		self.count = (int)(COUNT);                                                     \
		kit_register(&self);                                                           \
	}                                                                                      \
	static void NAME(int _i CK_ATTRIBUTE_UNUSED)
#define KIT_BARE_TEST(NAME) KIT_BARE_TESTS(NAME, 1)

#define KIT_TESTS(NAME, COUNT)                                                                 \
	static void NAME##_in(struct kit *kit, int _i);                                        \
	KIT_BARE_TESTS(NAME, COUNT)                                                            \
	{                                                                                      \
		struct kit own;                                                                \
                                                                                               \
		kit_open(&own);                                                                \
		NAME##_in(&own, _i);                                                           \
		kit_close(&own);                                                               \
	}                                                                                      \
	static void NAME##_in(struct kit *kit CK_ATTRIBUTE_UNUSED, int _i CK_ATTRIBUTE_UNUSED)
#define KIT_TEST(NAME) KIT_TESTS(NAME, 1)
/*
 * KIT_WITH(name, struct pair pair, pair_of(kit, 4)) { ... } is a test that has what is declared, of
 * this value. KIT_MADE(name, table, "entries=4") { ... } has a unit that make() has made so.
 */
#define KIT_WITH(NAME, DECLARATION, ...)                                                       \
	static void NAME##_with(struct kit *kit, DECLARATION);                                 \
	KIT_TEST(NAME)                                                                         \
	{                                                                                      \
		NAME##_with(kit, __VA_ARGS__);                                                 \
	}                                                                                      \
	static void NAME##_with(struct kit *kit CK_ATTRIBUTE_UNUSED, DECLARATION)
#define KIT_MADE(NAME, HANDLE, ...)                                                            \
	KIT_WITH(NAME, kit_handle *HANDLE, make(kit, __VA_ARGS__))

/*
 * The cases of a file of tests/data: a line "== ANSWER" before each text that is answered so, and
 * lines "=# COMMENT". Gives their number: KIT_TESTS(name, kit_cases("texts.txt", &cases)).
 */
struct kit_case {
	const char *answer; /* NULL where there is none */
	const char *text;
};
int kit_cases(const char *file, const struct kit_case **cases);

/* ---- drives: random tests that the fuzzer runs too ---- */
/*
 * KIT_DRIVE(UNIT, rounds, size) { ... } takes a unit through the operations that `bytes` say,
 * beside its oracle. A test program feeds its drive with `rounds` strings of `size` bytes of the
 * generator (the first byte is the number of the round), with 300 short strings, with the same
 * string twice, for the same answers, and with the files in tests/fuzz/corpus/UNIT; with arguments,
 * only with the files that are named. "make fuzz" links the drive with libFuzzer.
 */
struct kit_bytes {
	const uint8_t *at;
	size_t left;
	uint8_t round; /* the first byte */
	bool thorough; /* KIT_END() tries the unit's snapshots too, which is slow */
};
struct kit_drive {
	const char *unit;
	void (*drive)(struct kit *kit, struct kit_bytes *bytes);
	unsigned rounds;
	size_t size;
};
extern const struct kit_drive *kit_driven;
/* One run of the program's drive in a kit of its own. */
void kit_drive(const uint8_t *data, size_t size, bool thorough);
/*
 * Drive until the unit has made `turns`: a digest of its events (in every other round, as some
 * straight ways are closed to observers), statistics and snapshots. Its answers are the oracle's.
 */
uint64_t kit_trace(uint64_t turns);
/* Such a digest of one round. */
uint64_t kit_trace_round(uint64_t round);
/* A unit that has been used and is reset does what a new one does. */
void kit_drive_again(uint64_t round);
/* Drive for a while: events, statistics, storage and states are as this file says, if there is it;
 * with KIT_GOLDEN in the environment the file is written. */
void kit_record(const char *path);
/* Of a unit under such a drive: hear its events from now on; note its state. */
void kit_golden_listen(struct gputm_unit *unit);
void kit_golden_state(const struct gputm_unit *unit);
/* Whether a statistic is larger than in any unit of the record before, three times for each. */
bool kit_golden_rare(const struct gputm_unit *unit);
/* Note which forged snapshots the unit takes; it is as before. */
void kit_golden_forge(struct gputm_unit *unit);
/* Note what a reset leaves. */
void kit_golden_reset(struct gputm_unit *unit);
/* While there is such a drive: note a message. */
extern bool kit_golden_records;
void kit_golden_said(const char *message);
void kit_golden(const char *path);

#define KIT_DRIVE(UNIT, ROUNDS, SIZE)                                                          \
	static void drive_##UNIT(struct kit *kit, struct kit_bytes *bytes);                    \
	__attribute__((constructor)) static void drive_##UNIT##_registers(void)                \
	{                                                                                      \
		static const struct kit_drive self = { #UNIT, drive_##UNIT, ROUNDS, SIZE };    \
		kit_driven = &self;                                                            \
	}                                                                                      \
	static void drive_##UNIT(struct kit *kit CK_ATTRIBUTE_UNUSED, struct kit_bytes *bytes)

static inline bool kit_more(const struct kit_bytes *bytes)
{
	return bytes->left > 0;
}
/* The next `count` bytes as one number, lowest first; 0 for those that there are not. */
uint64_t kit_number(struct kit_bytes *bytes, unsigned count);
/* A number below `limit` from 1, 2 or 8 bytes. */
uint64_t kit_draw(struct kit_bytes *bytes, uint64_t limit);
static inline uint32_t kit_u32(struct kit_bytes *bytes, uint32_t limit)
{
	return (uint32_t)kit_draw(bytes, limit);
}
/* The row of a list of geometries that is the round's; in every other run the row `any`. */
#define KIT_ROW(geometry, any)                                                                 \
	(bytes->round / KIT_COUNT(geometry) % 2                                                \
		 ? (any)                                                                       \
		 : (geometry)[bytes->round % KIT_COUNT(geometry)])
/*
 * Between two operations of a drive: check the unit and, now and then, exchange it by way of a
 * snapshot. Gives the unit to go on with.
 */
struct gputm_unit *kit_turn(const struct kit_maker *maker, struct kit *kit,
			    struct gputm_unit *unit, const struct kit_bytes *bytes);
#define KIT_TURN(UNIT, handle)                                                                 \
	((struct gputm_##UNIT *)(void *)kit_turn(&UNIT##_maker, kit,                           \
						 gputm_##UNIT##_unit(handle), bytes))
/* for (KIT_TURNS(UNIT, handle)): the turns of a drive, of which each ends with KIT_TURN(). */
#define KIT_TURNS(UNIT, handle) ; kit_more(bytes); handle = KIT_TURN(UNIT, handle)
/* The end of a drive: chaos, round trip and hostile snapshots if thorough; frees the unit. */
void kit_end(const struct kit_maker *maker, struct kit *kit, struct gputm_unit *unit,
	     const struct kit_bytes *bytes);
#define KIT_END(UNIT, handle) kit_end(&UNIT##_maker, kit, gputm_##UNIT##_unit(handle), bytes)
/* The same, after the statistics, which are as KIT_STATS() says. */
#define KIT_STATS_END(UNIT, handle, ...)                                                       \
	do {                                                                                   \
		KIT_STATS(gputm_##UNIT##_unit(handle), __VA_ARGS__);                           \
		KIT_END(UNIT, handle);                                                         \
	} while (0)
/*
 * A state that no operation leads to: change some bytes of the snapshot of a unit without parts and
 * load it. True if the unit has accepted the state, which further operations may then be tried on.
 */
bool kit_bend(struct gputm_unit *unit, struct kit_bytes *bytes);

#define KIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A text begins with, or says, a part. */
#define KIT_BEGINS(TEXT, PART)                                                                 \
	ck_assert_msg(!strncmp(TEXT, PART, strlen(PART)),                                      \
		      "\"%s\" does not begin with \"%s\"", TEXT, PART)
#define KIT_SAYS(TEXT, PART)                                                                   \
	ck_assert_msg(strstr(TEXT, PART), "\"%s\" does not say \"%s\"", TEXT, PART)

/* What the tests of a program share is made once by FUNCTION, before the first of them. */
extern void (*kit_setup)(void);
#define KIT_SETUP(FUNCTION)                                                                    \
	__attribute__((constructor)) static void FUNCTION##_registers(void)                    \
	{                                                                                      \
		kit_setup = FUNCTION;                                                          \
	}

#endif /* GPUTM_TESTS_KIT_H */
