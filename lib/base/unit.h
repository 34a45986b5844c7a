/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_UNIT_H
#define GPUTM_LIB_BASE_UNIT_H
/*
 * The inside of the common face. A unit is a struct whose first member is
 * struct gputm_unit, and one static struct gputm__class that says what it is:
 * parameters, statistics, how to set up, clear, check and serialise its state.
 * From that, this file gives new, free, reset, save, load, statistics and
 * storage, so that a unit's own file holds nothing but its hardware.
 *
 * Rules that make load and the swap test work:
 *  - every array is owned by the unit: setup() takes it with gputm__own(), which notes a
 *    failure, and the base releases it;
 *  - a unit within a unit is one of the class's parts: the base clears, saves, loads,
 *    checks and frees the parts, always before the unit around them;
 *  - io() reads or writes all state that matters for later behaviour, in one
 *    function for both directions, and nothing else: no statistics, no leftovers of
 *    entries that are free. It reads into a unit that clear() has just left. Derived state is
 *    rebuilt after reading;
 *  - what clear() leaves behaves as new, whatever was there before.
 */
#include <string.h>

#include "gputm/base.h"
#include "lib/base/bits.h"
#include "lib/base/compiler.h"

#define GPUTM__PARTS 2 /* units in a unit, at most */
#define GPUTM__LAWS 16 /* of a unit, at most */

struct gputm__observer {
	struct gputm__observer *next;
	gputm_observe_fn observe;
	void *state;
};

struct gputm__owned;

/* Rarely used data, placed after the unit's own struct. */
struct gputm__desk {
	struct gputm__owned *owned; /* memory of gputm__own() */
	bool starved;		    /* a gputm__own() has failed */
	char name[GPUTM_NAME_BYTES];
	char broken[GPUTM_NAME_BYTES + 200]; /* message of the last check */
	uint64_t carried[GPUTM__LAWS];	     /* see struct gputm__laws */
	bool telling;			     /* the unit is calling its observers */
	const struct gputm_unit *whole;	     /* that the unit is a part of, or NULL */
};

struct gputm_unit {
	const struct gputm__class *class;
	struct gputm_ctx *ctx;		 /* referenced */
	struct gputm__observer *observe; /* in the order of their calls; NULL: none */
	struct gputm__desk *desk;
};

/* Samples by powers of two; see GPUTM_HISTOGRAM_BUCKETS. */
struct gputm__histogram {
	uint64_t samples;
	uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS];
};

/*
 * One statistic: a uint64_t (or a struct gputm__histogram) at this offset of the
 * unit's struct. Counters, maxima and histograms are reset, saved and loaded by the
 * base; a GAUGE is state that the unit itself clears and serialises, or the result of now().
 */
struct gputm__stat_row {
	const char *name;
	size_t offset;
	enum gputm_stat_kind kind;
	const char *measure;
	const char *summary;
	uint64_t (*now)(const struct gputm_unit *unit); /* of a gauge that has no memory, or NULL */
};

struct gputm__io;
struct gputm__laws;
struct gputm__arrays;

struct gputm__class {
	const char *kind;
	uint32_t version; /* version of the snapshot layout; increment it when io() changes */
	size_t size;	  /* of the unit's struct */
	const struct gputm_params *params;
	size_t config_offset; /* of the config inside the unit's struct */
	const struct gputm__stat_row *stat;
	size_t stat_count;
	const struct gputm_event_kind *event; /* by kind */
	size_t event_count;
	/* Units within the unit, as pointers at these offsets; NULL where the config has none. */
	struct {
		const char *name;
		size_t offset;
	} part[GPUTM__PARTS];
	/* Check relations between fields of the config, each of which is in its range: 0, or the
	 * result of gputm__refuse(). Optional. */
	int (*validate)(const struct gputm_unit *unit);
	/* Allocate the arrays that the config asks for, and derive constants from it: 0, -EINVAL or
	 * -ENOMEM. The base also returns the latter two when gputm__own() has failed. Optional. */
	int (*setup)(struct gputm_unit *unit);
	/* Set the contents to the state after new. The base clears statistics. */
	void (*clear)(struct gputm_unit *unit);
	void (*io)(struct gputm_unit *unit, struct gputm__io *io);
	/* NULL or the first broken invariant. Called on loaded state too: it must not
	 * trust an index that io() has not bounded. */
	const char *(*check)(const struct gputm_unit *unit);
	/* Laws that relate statistics to contents, as below; optional. */
	void (*laws)(const struct gputm_unit *unit, struct gputm__laws *laws);
	/* Serialise data that statistics need beyond their table rows, now or when present
	 * operations end. If statistics are not loaded, this data is as clear() and io() leave it.
	 * Optional. */
	void (*io_stats)(struct gputm_unit *unit, struct gputm__io *io);
	/* Called after statistics were cleared or loaded, or contents were loaded without them:
	 * update what depends on both. Optional. */
	void (*settle)(struct gputm_unit *unit);
	/* Name the arrays that the hardware has, in a fixed order, by gputm__array(). */
	void (*storage)(const struct gputm_unit *unit, struct gputm__arrays *out);
};

/*
 * Mutants. A test builds the files of a unit with -DGPUTM__MUTANT and defines gputm__mutant_now;
 * the unit then errs as that number says. In the library all of them are the constant false.
 */
#ifdef GPUTM__MUTANT
extern unsigned gputm__mutant_now;
#define gputm__mutant(number) (gputm__mutant_now == (number))
#else
#define gputm__mutant(number) false
#endif

/* ---- life ---- */
int gputm__unit_new(struct gputm_ctx *ctx, const struct gputm__class *class, const void *config,
		    struct gputm_unit **out);
void gputm__unit_free(struct gputm_unit *unit); /* NULL allowed */

/* Zeroed memory for count elements, at least one, or NULL (overflow included). */
void *gputm__alloc(struct gputm_ctx *ctx, size_t count, size_t size);
/* Memory for this many bytes with undefined contents, or NULL. */
void *gputm__alloc_raw(struct gputm_ctx *ctx, size_t size);
void gputm__free(struct gputm_ctx *ctx, void *memory);
/* As gputm__alloc(), but freed with the unit, or earlier by gputm__disown(). */
void *gputm__own(struct gputm_unit *unit, size_t count, size_t size);
void gputm__disown(struct gputm_unit *unit, void *memory); /* NULL allowed */
/*
 * Make room for at least `need` elements in the unit's own memory, of which `array` is the address
 * of the pointer: grows to the next power of two, keeps the contents; what is new is not zeroed.
 * 0 or -ENOMEM with everything as it was.
 */
int gputm__own_more(struct gputm_unit *unit, void *array, size_t *capacity, size_t need,
		    size_t size);

/*
 * The laws of a unit, in a fixed order: equations between statistics and contents. They hold after
 * new. If only the statistics are cleared, or the contents are replaced, the difference of each law
 * is recorded, and counts as a term from then on.
 */
struct gputm__laws {
	uint64_t *carried; /* by law: term added to the left side */
	unsigned count;
	bool carry;	    /* record the difference instead of checking the law */
	const char *broken; /* the first broken law */
};
void gputm__law(struct gputm__laws *laws, uint64_t left, uint64_t right, const char *broken);
/* The left side is at least the right side. Checked only if statistics and contents have been kept
 * since new, as cleared statistics may lack what is under way. */
void gputm__law_least(struct gputm__laws *laws, uint64_t left, uint64_t right, const char *broken);

/* A maximum lies between the current and the largest possible value; clearing sets it to the
 * current value. */
void gputm__law_most(struct gputm__laws *laws, const uint64_t *maximum, uint64_t now,
		     uint64_t limit, const char *broken);

/* The next hardware array. apart: not part of the paper's own count (struct gputm_storage). */
void gputm__array(struct gputm__arrays *out, const char *name, uint64_t entries, uint64_t bits,
		  uint32_t ports);
void gputm__array_apart(struct gputm__arrays *out, const char *name, uint64_t entries,
			uint64_t bits, uint32_t ports);

/* The arrays of a part, listed with those of the unit. */
void gputm__arrays_of(struct gputm__arrays *out, const struct gputm_unit *part);

/* Part number `index` of the unit; NULL past the last part and for an absent part. */
struct gputm_unit *gputm__unit_part(const struct gputm_unit *unit, size_t index);
/* Set the unit and its parts to the state after new, but keep statistics. */
void gputm__unit_clear(struct gputm_unit *unit);
/* Update statistics, also of parts, that depend on contents; `carry` restarts the laws. */
void gputm__unit_settle(struct gputm_unit *unit, bool carry);
/* The first broken invariant; *whose is the unit or part that breaks it. */
const char *gputm__unit_broken(const struct gputm_unit *unit, const struct gputm_unit **whose);

/* ---- refusals ---- */
void gputm__log(struct gputm_ctx *ctx, enum gputm_log_level level, const char *format, ...)
	GPUTM__PRINTF(3, 4);
/* Log "KIND: ", or "KIND (NAME): ", and the text. */
void gputm__unit_log(const struct gputm_unit *unit, const char *format, ...) GPUTM__PRINTF(2, 3);
/* Log "KIND (NAME): FIELD = VALUE is outside MIN .. MAX" and give -ERANGE. */
GPUTM__COLD int gputm__out_of_range(const struct gputm_unit *unit, const char *field,
				    uint64_t value, uint64_t min, uint64_t max);
/* Log "KIND (NAME): WHAT INDEX is past the end: there are COUNT" and give -ERANGE. */
GPUTM__COLD int gputm__past_end(const struct gputm_unit *unit, const char *what, uint64_t index,
				uint64_t count);
/* 0, or refuse: granules of this many bytes are as large as all addresses of this width. */
int gputm__check_granularity(const struct gputm_unit *unit, uint32_t granularity,
			     uint32_t address_bits);
/* Log "KIND (NAME): " and the reason, and give -EINVAL. */
GPUTM__COLD int gputm__refuse(const struct gputm_unit *unit, const char *format, ...)
	GPUTM__PRINTF(2, 3);

/* ---- parameter tables (param.c) ---- */
/* Read a caller's config of any library age into *out, checked. */
int gputm__params_read(struct gputm_ctx *ctx, const struct gputm_params *params,
		       const void *config, void *out);
/* For a unit within a unit: copy to its config the outer unit's fields of the same names. */
void gputm__params_share(const struct gputm_unit *outer, const struct gputm_params *params,
			 void *config);

/*
 * Tables of a unit. The file of the tables names its unit by #define UNIT stall_buffer, and has,
 * under the names that GPUTM__UNIT looks for:
 *
 *   rows     PARAM(field, min, max, default, pow2, sentence, source) of the config, or
 *            CHOICE(field, min, max, default, names, sentence, source): min, min + 1 .. have names
 *   presets  struct gputm_preset
 *   stats    STAT(member, COUNTER, "lookups", sentence) of the unit's struct, or
 *            STAT_OF("hits", part.hits, COUNTER, "lookups", sentence) under a name of its own
 *   events   EVENT(GPUTM_STALL_BUFFER_EVENT_STALL, "stall", sentence, fields), in the order of
 *            the enum; fields: VALUE(warp, "warp", sentence), or NAMED(outcome, names, sentence)
 *            of an enum whose values 0, 1, ... have names. Fields of one name mean the same, in
 *            the same measure, in all units
 */
#define GPUTM__JOIN(a, b, c) a##b##c
#define GPUTM__JOINED(a, b, c) GPUTM__JOIN(a, b, c)
#define GPUTM__SELF struct GPUTM__JOINED(gputm_, UNIT, )
#define GPUTM__CONFIG struct GPUTM__JOINED(gputm_, UNIT, _config)

#define PARAM(field, lo, hi, standard, pow2, sentence, origin)                                 \
	GPUTM__PARAM(GPUTM__CONFIG, field, lo, hi, standard, pow2, sentence, origin, NULL)
#define CHOICE(field, lo, hi, standard, names, sentence, origin)                               \
	GPUTM__PARAM(GPUTM__CONFIG, field, lo, hi, standard, false, sentence, origin, names)
#define GPUTM__PARAM(type, field, lo, hi, standard, pow2, sentence, origin, names)             \
	{ #field, (uint32_t)offsetof(type, field), (uint32_t)sizeof(((type *)0)->field),       \
	  (lo), (hi), (standard), (pow2), (sentence), (origin), (names) }
#define STAT(member, how, what, sentence) STAT_OF(#member, member, how, what, sentence)
#define STAT_OF(name, member, how, what, sentence)                                             \
	{ (name), offsetof(GPUTM__SELF, member), GPUTM_STAT_##how, (what), (sentence), NULL }
#define STAT_NOW(name, now, what, sentence)                                                    \
	{ #name, 0, GPUTM_STAT_GAUGE, (what), (sentence), (now) }
#define EVENT(kind, name, sentence, ...) [kind] = { (name), (sentence), { __VA_ARGS__ } }
#define VALUE(name, what, sentence) { #name, (what), (sentence), NULL, 0 }
#define NAMED(name, names, sentence) { #name, "choice", (sentence), (names), GPUTM__COUNT(names) }

extern const char *const gputm__no_yes[2];     /* of a bool */
extern const char *const gputm__read_write[2]; /* of a bool write */

#define GPUTM__COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- statistics ---- */
static inline void gputm__maximum(uint64_t *maximum, uint64_t value)
{
	if (value > *maximum)
		*maximum = value;
}

static inline void gputm__sample(struct gputm__histogram *histogram, uint64_t value)
{
	const uint64_t last = UINT64_C(1) << (GPUTM_HISTOGRAM_BUCKETS - 2);

	histogram->samples++;
	histogram->bucket[gputm__log2(2 * (value < last ? value : last) + 1)]++;
}

/* ---- observer ---- */
GPUTM__COLD void gputm__tell(const struct gputm_unit *unit, uint32_t kind, uint64_t a, uint64_t b,
			     uint64_t c, uint64_t d);

static inline void gputm__emit(const struct gputm_unit *unit, uint32_t kind, uint64_t a,
			       uint64_t b, uint64_t c, uint64_t d)
{
	if (GPUTM__UNLIKELY(unit->observe != NULL))
		gputm__tell(unit, kind, a, b, c, d);
}

/* ---- snapshots (snapshot.c): the same calls measure, write and read ---- */
enum gputm__io_mode { GPUTM__MEASURE, GPUTM__WRITE, GPUTM__READ };

struct gputm__io {
	enum gputm__io_mode mode;
	struct gputm_unit *unit;   /* for the log */
	uint8_t *out;		   /* GPUTM__WRITE */
	const uint8_t *in;	   /* GPUTM__READ */
	size_t used, size;
	int error;		   /* first one; later calls do nothing */
};

static inline bool gputm__io_reading(const struct gputm__io *io)
{
	return io->mode == GPUTM__READ;
}

void gputm__io_bytes(struct gputm__io *io, uint8_t *bytes, size_t count);
void gputm__io_u16s(struct gputm__io *io, uint16_t *value, size_t count);
void gputm__io_u32s(struct gputm__io *io, uint32_t *value, size_t count);
void gputm__io_u64s(struct gputm__io *io, uint64_t *value, size_t count);
void gputm__io_u8(struct gputm__io *io, uint8_t *value);
void gputm__io_u16(struct gputm__io *io, uint16_t *value);
void gputm__io_u32(struct gputm__io *io, uint32_t *value);
void gputm__io_u64(struct gputm__io *io, uint64_t *value);
void gputm__io_bool(struct gputm__io *io, bool *value); /* refuses other than 0 and 1 */

/* As above, and refuse (when reading) a value above max, naming `what`. */
void gputm__io_u32_max(struct gputm__io *io, uint32_t *value, uint32_t max, const char *what);
void gputm__io_u64_max(struct gputm__io *io, uint64_t *value, uint64_t max, const char *what);
/* A number that must equal the unit's own, such as a fingerprint of hash rows. */
void gputm__io_same(struct gputm__io *io, uint64_t value, const char *what);
/*
 * The bytes since `from` are records of `numbers` u64 each, with distinct first numbers. Saving
 * sorts them by that number; loading refuses any other order. For tables in which the place of an
 * entry depends on its history.
 */
void gputm__io_ascending(struct gputm__io *io, size_t from, size_t numbers);
/* The u64 at offset `at` of the bytes read or written so far; not for GPUTM__MEASURE. */
uint64_t gputm__io_number(const struct gputm__io *io, size_t at);
/* Refuse the snapshot that is being read. */
void gputm__io_fail(struct gputm__io *io, int error, const char *reason);

/* ---- the class of a unit and its usual five public functions ---- */
/*
 * From what its file defines under the same names as any other: rows, presets, stats, events;
 * clear, io, check, storage. What else the unit has follows, setup first:
 * GPUTM__UNIT(stall_buffer, .version = 1, .setup = setup, .validate = validate)
 *
 * Defines gputm_UNIT_new(), gputm_UNIT_free(), gputm_UNIT_unit(), gputm_UNIT_params() and
 * gputm_UNIT_config_preset(), whose contract is in gputm/base.h.
 */
#define GPUTM__UNIT(UNIT, ...)                                                                 \
	static const struct gputm_params params = {                                            \
		#UNIT, sizeof(struct gputm_##UNIT##_config), rows, GPUTM__COUNT(rows),         \
		presets, GPUTM__COUNT(presets),                                                \
	};                                                                                     \
	static const struct gputm__class class = {                                             \
		.kind = #UNIT,                                                                 \
		.size = sizeof(struct gputm_##UNIT),                                           \
		.params = &params,                                                             \
		.config_offset = offsetof(struct gputm_##UNIT, config),                        \
		.stat = stats,                                                                 \
		.stat_count = GPUTM__COUNT(stats),                                             \
		.event = events,                                                               \
		.event_count = GPUTM__COUNT(events),                                           \
		.clear = clear,                                                                \
		.io = io,                                                                      \
		.check = check,                                                                \
		.storage = storage,                                                            \
		__VA_ARGS__                                                                    \
	};                                                                                     \
                                                                                               \
	int gputm_##UNIT##_new(struct gputm_ctx *ctx, const struct gputm_##UNIT##_config *config, \
			       struct gputm_##UNIT **out)                                      \
	{                                                                                      \
		struct gputm_unit *unit;                                                       \
		int error = gputm__unit_new(ctx, &class, config, &unit);                       \
                                                                                               \
		if (error)                                                                     \
			return error;                                                          \
		*out = (struct gputm_##UNIT *)(void *)unit;                                    \
		return 0;                                                                      \
	}                                                                                      \
	void gputm_##UNIT##_free(struct gputm_##UNIT *self)                                    \
	{                                                                                      \
		gputm__unit_free((struct gputm_unit *)(void *)self);                           \
	}                                                                                      \
	struct gputm_unit *gputm_##UNIT##_unit(struct gputm_##UNIT *self)                      \
	{                                                                                      \
		return (struct gputm_unit *)(void *)self;                                      \
	}                                                                                      \
	const struct gputm_params *gputm_##UNIT##_params(void)                                 \
	{                                                                                      \
		return &params;                                                                \
	}                                                                                      \
	int gputm_##UNIT##_config_preset(struct gputm_##UNIT##_config *config, const char *name) \
	{                                                                                      \
		return gputm_params_preset(NULL, &params, name, config);                       \
	}

#endif /* GPUTM_LIB_BASE_UNIT_H */
