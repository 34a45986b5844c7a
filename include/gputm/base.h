/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_BASE_H
#define GPUTM_BASE_H

/**
 * @file
 * What every unit of libgputm shares: the context (allocator, log), the
 * parameter tables of the config structs, the common face of units, the
 * memory request and the H3 hash family.
 *
 * Five functions are alike in all units, and one macro of the library's source writes them,
 * GPUTM__UNIT in lib/base/unit.h:
 *  - gputm_UNIT_new() makes a unit; NULL as config stands for the defaults, and the context's
 *    log says what it refuses;
 *  - gputm_UNIT_free() releases the unit and all its memory; NULL is allowed;
 *  - gputm_UNIT_unit() gives the common face of the unit, which lives as long as the handle;
 *  - gputm_UNIT_params() gives the table of parameters, which is constant;
 *  - gputm_UNIT_config_preset() fills a config. It has no context and is silent:
 *    gputm_params_preset() says in its context's log which presets there are.
 *
 * Three kinds of "no" are never mixed:
 *  - misuse and lack of memory are negative errno values (-EINVAL an argument or
 *    config field, -ERANGE a value outside its configured width or an index out
 *    of bounds, -E2BIG a config of a newer library, -ENOMEM, -ENOTSUP, -EBUSY). The
 *    context's log then names the field, the value and the allowed range, and
 *    nothing has changed;
 *  - what the hardware may answer (full, stall, conflict, retry) is a
 *    non-negative enum value, because it is what is being modelled;
 *  - a bug of the caller is undefined. Every pointer must be valid, a handle too, and NULL is
 *    for those only that are said to allow it. Some other bugs, such as the reset of a part,
 *    are assertions in builds configured with --enable-debug.
 *
 * Out-parameters come last and are untouched when a call fails. A function that returns a value
 * itself, such as a mask or a count, returns 0 for an index past the end.
 *
 * Binary interface, kept while the soname stays: every config struct begins with its size,
 * which GPUTM_UNIT_CONFIG_INIT or gputm_params_init() sets before anything else is done with
 * the struct; no function reads or writes after it. Fields are only appended, after the end
 * of the struct before (never into its padding). So a program built with older headers runs with
 * a newer library, the new fields being at their defaults; a program built with newer headers
 * runs with an older library while its new fields are 0, and is told so otherwise (-E2BIG).
 * All other structs are frozen, that is, never change before the soname does; what is to be added
 * comes as a new function. They are gputm_allocator, gputm_event, gputm_event_field,
 * gputm_event_kind, gputm_mem_request, gputm_param, gputm_params, gputm_preset, gputm_stat and
 * gputm_storage here, and in the headers of units all that do not begin with a field `size`.
 *
 * Threads: different handles may be used from different threads at the same
 * time; one handle is not locked. There is no process-global state.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GPUTM_BEGIN_DECLS extern "C" {
#define GPUTM_END_DECLS }
#else
#define GPUTM_BEGIN_DECLS
#define GPUTM_END_DECLS
#endif

#if defined(__GNUC__)
#define GPUTM_API __attribute__((visibility("default")))
#define GPUTM_MUST_CHECK __attribute__((warn_unused_result))
#else
#define GPUTM_API
#define GPUTM_MUST_CHECK
#endif

GPUTM_BEGIN_DECLS

/* ---- library ------------------------------------------------------------ */

/** Version of these headers; gputm_version() gives that of the library. */
#define GPUTM_VERSION "0.1.0"

/** Plain C marker for AC_CHECK_LIB and dlopen users; always returns 1. */
GPUTM_API int gputm_is_present(void);

/** @return the version of the library that is linked, such as "0.1.0". */
GPUTM_API const char *gputm_version(void);

/* ---- context: allocator and log ----------------------------------------- */

/** How severe a log message is. Refused arguments are errors. */
enum gputm_log_level {
	GPUTM_LOG_ERROR = 0,
	GPUTM_LOG_WARNING = 1,
	GPUTM_LOG_INFO = 2,
};

/** Receives one complete message without a newline. */
typedef void (*gputm_log_fn)(void *state, enum gputm_log_level level, const char *message);

/** Where memory comes from. @c alloc returns memory aligned as malloc's, or NULL. */
struct gputm_allocator {
	void *(*alloc)(size_t size, void *state);
	void (*free)(void *memory, void *state);
	void *state; /**< handed to each */
	/**
	 * As @c alloc, all bytes zero: for allocators that know which memory the system gave
	 * them as zeros. NULL: the library calls @c alloc and writes the zeros.
	 */
	void *(*alloc_zero)(size_t size, void *state);
};

/**
 * Shared surroundings of a set of units. Wherever a context is taken, NULL
 * stands for libc's allocator and silence.
 */
struct gputm_ctx;

/**
 * Make a context with one reference.
 * @param allocator copied; NULL for libc's malloc and free.
 * @return 0; -EINVAL if @c alloc or @c free is missing; -ENOMEM.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_ctx_new(const struct gputm_allocator *allocator,
					     struct gputm_ctx **out);

/** Add a reference; NULL allowed. Every unit holds one from new to free. @return @p ctx. */
GPUTM_API struct gputm_ctx *gputm_ctx_ref(struct gputm_ctx *ctx);

/** Drop a reference and free the context with the last one; NULL allowed. */
GPUTM_API void gputm_ctx_unref(struct gputm_ctx *ctx);

/**
 * Send messages up to @p level to @p log; NULL means silence. Units log only
 * what they refuse, never on the data path of an accepted operation. Set it
 * before other threads use the context.
 */
GPUTM_API void gputm_ctx_set_log(struct gputm_ctx *ctx, gputm_log_fn log, void *state,
				 enum gputm_log_level level);

/* ---- parameters of a unit ------------------------------------------------ */

/** One field of a unit's config struct: the row that validation and documents use. */
struct gputm_param {
	const char *name;	     /**< name of the field */
	uint32_t offset;	     /**< its place in the config struct, bytes */
	uint32_t bytes;		     /**< its size: 1 (bool), 4 or 8, unsigned */
	uint64_t min, max;	     /**< allowed range, both ends included */
	uint64_t def;		     /**< default */
	bool power_of_two;	     /**< only powers of two in that range */
	const char *summary;	     /**< one sentence, with its unit of measure */
	/** Where a paper speaks of it, or "". Its value there is that of the presets. */
	const char *source;
	const char *const *choices; /**< names of the values min, min + 1, ...; NULL for numbers */
};

/** A named set of values from a paper: pairs of field name and value, NULL-ended. */
struct gputm_preset {
	const char *name;
	const char *summary; /**< where it is from, and what it gives */
	struct {
		const char *field;
		uint64_t value;
	} value[16];
};

/** The parameter table of one kind of unit. */
struct gputm_params {
	const char *kind;	    /**< such as "recency_bloom" */
	size_t config_size;	    /**< sizeof its config struct */
	const struct gputm_param *param;
	size_t param_count;
	const struct gputm_preset *preset;
	size_t preset_count;
};

/**
 * Fill a config struct with the defaults: for programs that know the kind of unit only at
 * run time. Others start from the INIT macro, which does the same.
 * @param size of the struct, which its field `size` then says: @p params->config_size for
 * memory from an allocator, sizeof for a struct. Fields after @p size are left out, and
 * what the library does not know becomes 0.
 * @return 0; -EINVAL, @p size is no struct's (below sizeof(size_t), above 4096, or not a
 * multiple of sizeof(size_t)) and nothing is written.
 */
GPUTM_API int gputm_params_init(const struct gputm_params *params, void *config, size_t size);

/**
 * Apply preset @p name on top of the defaults. @p config is initialised before, as its
 * `size` tells what may be written.
 * @return 0; -EINVAL, no such preset (the log lists them), or a `size` that is no struct's;
 * -E2BIG, a longer struct than the library's that is not 0 after it. @p config is as it was
 * then. Fields that the caller's struct ends before are left out: an old program gets what its
 * library did.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_params_preset(struct gputm_ctx *ctx,
						   const struct gputm_params *params,
						   const char *name, void *config);

/**
 * Set one field from text: a decimal or 0x number, the name of a choice, or true or false for a
 * bool.
 * The value is checked against the row of the field.
 * @return 0; -EINVAL, no such field or not a value (the log says what is allowed), or a
 * `size` that is no struct's; -ERANGE, outside the range; -E2BIG and -ENOTSUP as for presets.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_params_set(struct gputm_ctx *ctx,
						const struct gputm_params *params, void *config,
						const char *field, const char *value);

/** @return field @p row of @p config as a number; its default if the struct ends before it. */
GPUTM_API uint64_t gputm_params_get(const struct gputm_param *row, const void *config);

/* ---- the common face of units -------------------------------------------- */

/** What all units have in common; gputm_UNIT_unit(handle) gives it. Lives as long as the handle. */
struct gputm_unit;

/** @return the kind of the unit, such as "recency_bloom". */
GPUTM_API const char *gputm_unit_kind(const struct gputm_unit *unit);

/** @return the parameter table of the unit's kind. */
GPUTM_API const struct gputm_params *gputm_unit_params(const struct gputm_unit *unit);

/**
 * @return the config in force, alive as long as the unit. Its `size` is that of the library's
 * struct: a program with newer headers reads no field after it, or uses gputm_params_get().
 */
GPUTM_API const void *gputm_unit_config(const struct gputm_unit *unit);

/** Bytes of the longest name of a unit, its NUL included. */
#define GPUTM_NAME_BYTES 48

/**
 * Say which one of its kind the unit is, such as "partition 3": messages in the log and
 * gputm_unit_check() then begin with "commit_unit (partition 3): ". Parts of the unit get names
 * made of it, such as "partition 3.table", cut where they do not fit.
 * @param name copied; "" or NULL takes the name away. Reset and load keep it.
 * @return 0; -ERANGE, longer than GPUTM_NAME_BYTES - 1; -EINVAL, with a control character.
 */
GPUTM_API int gputm_unit_set_name(struct gputm_unit *unit, const char *name);

/** @return the name given, or "". It changes in place. */
GPUTM_API const char *gputm_unit_name(const struct gputm_unit *unit);

/**
 * Back to the state after new: contents and statistics; config, name and observers stay. Not of a
 * part, which is reset with its whole: undefined, and an assertion with --enable-debug.
 */
GPUTM_API void gputm_unit_reset(struct gputm_unit *unit);

/** Contents to the state after new; statistics go on. For a warp that is launched again. Not of a
 * part, as above. */
GPUTM_API void gputm_unit_reset_state(struct gputm_unit *unit);

/**
 * Counters, maxima and histograms to 0, those of parts too; contents, and gauges with them,
 * stay. For measuring after a warm-up: what is under way then counts when it ends.
 */
GPUTM_API void gputm_unit_clear_stats(struct gputm_unit *unit);

/** How to read a statistic. */
enum gputm_stat_kind {
	GPUTM_STAT_COUNTER = 0,	  /**< only grows */
	GPUTM_STAT_MAXIMUM = 1,	  /**< largest value seen */
	GPUTM_STAT_GAUGE = 2,	  /**< value now */
	GPUTM_STAT_HISTOGRAM = 3, /**< buckets: 0, 1, 2..3, 4..7, ... (power of two) */
};

/** Buckets of a histogram: bucket 0 counts zeros, bucket i the values 2^(i-1) .. 2^i - 1. */
#define GPUTM_HISTOGRAM_BUCKETS 33

/** One statistic. */
struct gputm_stat {
	const char *name;
	const char *measure; /**< unit of measure: "cycles", "words", "lookups", ... */
	const char *summary; /**< one sentence */
	enum gputm_stat_kind kind;
	uint64_t value;		/**< of a histogram: the number of samples */
	const uint64_t *bucket; /**< GPUTM_HISTOGRAM_BUCKETS of them, or NULL */
};

/** Give statistic number @p index (0, 1, ...). @return false past the last one. */
GPUTM_API bool gputm_unit_stat(const struct gputm_unit *unit, size_t index,
			       struct gputm_stat *out);

/** Give the value of the statistic called @p name. @return false if there is none. */
GPUTM_API bool gputm_unit_stat_value(const struct gputm_unit *unit, const char *name,
				     uint64_t *out);

/** One storage array of the modelled hardware. */
struct gputm_storage {
	const char *name;
	uint64_t entries;
	uint64_t bits;	/**< of one entry */
	unsigned ports; /**< accesses a cycle that the model assumes */
	bool apart;	/**< true: not in the paper's own count (said in the man page) */
};

/** Give storage array number @p index. @return false past the last one. */
GPUTM_API bool gputm_unit_storage(const struct gputm_unit *unit, size_t index,
				  struct gputm_storage *out);

/** @return bits of all arrays that are not @c apart. */
GPUTM_API uint64_t gputm_unit_storage_bits(const struct gputm_unit *unit);

/**
 * Write a snapshot: contents and statistics, with config and kind to be checked
 * at load; little-endian, versioned, checksummed; equal bytes for equal contents and statistics
 * on every platform. Never allocates.
 * @param buffer may be NULL when @p capacity is 0.
 * @return the bytes needed; written only if they fit in @p capacity.
 */
GPUTM_API size_t gputm_unit_save(const struct gputm_unit *unit, void *buffer, size_t capacity);

/**
 * The same without statistics: the state of the modelled hardware. Equal bytes for equal states,
 * whatever has happened before. Part of the state is each place that the hardware has or that the
 * unit names to its caller: the way of an entry, the line of a buffer, the number of a slot, the
 * order of a queue. Where the library keeps what has no such place is not: such entries are saved
 * by ascending key.
 */
GPUTM_API size_t gputm_unit_save_state(const struct gputm_unit *unit, void *buffer,
				       size_t capacity);

/**
 * Take over a snapshot of a unit of the same kind and config, checked like new input. One without
 * statistics leaves the unit's own as they are; gputm_unit_clear_stats() clears them.
 * Whatever has been borrowed from the unit keeps its address: parts with their names and
 * observers, statistics. A part, such as gputm_validation_unit_table(), is loaded with its whole.
 * @return 0; -EINVAL, cut, damaged, of another kind or config, not a possible state, or @p unit is
 * a part of another unit; -ENOTSUP, from another version of the unit or of the library's layout;
 * -EBUSY, called by an observer of the unit; -ENOMEM: the state before is kept meanwhile. The log
 * says why, and the unit is as it was.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_unit_load(struct gputm_unit *unit, const void *data,
					       size_t size);

/**
 * Take over contents and statistics of @p from, a unit of the same kind and config, as by
 * gputm_unit_save() and gputm_unit_load() but without a buffer of the caller's. Make the unit
 * first, with the config that gputm_unit_config() of @p from gives.
 * @return 0; -EINVAL, another kind or config, or @p unit is a part of another unit; -EBUSY, called
 * by an observer of the unit; -ENOMEM.
 * The log says why, and the unit is as it was.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_unit_clone(struct gputm_unit *unit,
						const struct gputm_unit *from);

/**
 * @return NULL when all invariants hold, else a sentence naming the first broken one, after the
 * kind and name of the unit or part; it is there until the next check of the unit.
 */
GPUTM_API const char *gputm_unit_check(const struct gputm_unit *unit);

/** Something that has just happened in a unit. */
struct gputm_event {
	const char *name;  /**< as in the man page of the unit */
	uint32_t kind;	   /**< enum gputm_UNIT_event of the unit */
	uint64_t value[4]; /**< as gputm_unit_event() describes kind; 0 if not used */
};

/** One value of an event. Of one name is one meaning and one measure, in all units. */
struct gputm_event_field {
	const char *name;	    /**< such as "warp"; NULL: the value is not used */
	const char *measure;	    /**< unit of measure: "lane mask", "CID", "cycles", ... */
	const char *summary;	    /**< one sentence */
	const char *const *choices; /**< names of the values 0, 1, ...; NULL for numbers */
	size_t choice_count;	    /**< the value is below it; 0 for numbers */
};

/** What events of one kind tell. */
struct gputm_event_kind {
	const char *name;
	const char *summary;		   /**< one sentence */
	struct gputm_event_field field[4]; /**< of value[0] .. value[3]; the unused come last */
};

/**
 * Describe the events of kind @p kind of the unit: 0, 1, ... as enum gputm_UNIT_event has them.
 * @return false past the last kind.
 */
GPUTM_API bool gputm_unit_event(const struct gputm_unit *unit, size_t kind,
				struct gputm_event_kind *out);

/**
 * Told of an event after it happened. May read the unit, but not change it, nor add or take away
 * observers of it. An operation may raise several events, and tells each as it happens:
 * block_stack, commit_id, commit_sequencer, commit_unit, last_writer, local_tm, metadata_table,
 * simt_stack and warp_former are then amid it: gputm_unit_check() and gputm_unit_save() of them
 * have to wait until the operation returns. All other units are in order at each event.
 */
typedef void (*gputm_observe_fn)(void *state, const struct gputm_unit *unit,
				 const struct gputm_event *event);

/**
 * Tell @p observe of every event from now on, after the observers that were there before.
 * Without any, an event costs one predicted branch. Load, reset and the unit's parts keep theirs.
 * @return 0; -EINVAL, @p observe is NULL or observes with this @p state already; -EBUSY, called
 * by an observer of the unit; -ENOMEM.
 */
GPUTM_API int gputm_unit_observe(struct gputm_unit *unit, gputm_observe_fn observe, void *state);

/**
 * Tell @p observe no more. @return 0; -EINVAL, no such pair; -EBUSY, called by an observer of the
 * unit.
 */
GPUTM_API int gputm_unit_unobserve(struct gputm_unit *unit, gputm_observe_fn observe,
				   void *state);

/* ---- memory port ---------------------------------------------------------- */

/** Most words that one memory request can carry (a 128 B line). */
#define GPUTM_MEM_WORDS_MAX 32

/**
 * A read or write of global memory that a unit asks its owner to do. Word i lies
 * at address + 4 i. The owner completes requests that share a word in the order of
 * emission, over all ports of that unit; others in any order.
 */
struct gputm_mem_request {
	uint64_t tag;	    /**< comes back with the completion */
	uint64_t address;   /**< bytes; of word 0 */
	uint32_t word_mask; /**< words asked for */
	bool write;
	uint32_t value[GPUTM_MEM_WORDS_MAX]; /**< of the words written; else unspecified */
};

/* ---- H3 hash family -------------------------------------------------------- */

/**
 * H3: the index is the XOR of row[i] over the set bits i of the key (Carter and
 * Wegman). Several ways hash the same key with rows of their own.
 */
struct gputm_h3;

/** Geometry of a family. */
struct gputm_h3_config {
	size_t size; /**< sizeof *this, set by the INIT macro */
	/** Hash functions in the family (1..16). */
	uint32_t ways;
	/** Width of an index, bits (0..32). */
	uint32_t index_bits;
	/** Width of a key, bits (1..64). */
	uint32_t key_bits;
	/** Seed of the rows; equal seeds give equal functions. */
	uint64_t seed;
	/**
	 * Rows brought by the caller: ways x key_bits numbers below 2^index_bits, way by
	 * way, lowest key bit first; copied. NULL draws them from the seed: the generator
	 * of way w is SplitMix64 started at mix(mix(seed) ^ (index_bits << 8 | w)), a row is
	 * the top index_bits of its next output, drawn again while it is dependent on the
	 * rows before it (first index_bits rows) or zero (the others). So each way is a
	 * bijection on any aligned run of 2^index_bits keys.
	 */
	const uint32_t *rows;
};
/* begin INIT */
#define GPUTM_H3_CONFIG_INIT \
	{ sizeof(struct gputm_h3_config), \
	  /* ways */ 4, /* index_bits */ 8, /* key_bits */ 32, /* seed */ 1u, NULL }
/* end INIT */

/** A hash of the caller's: the index of @p key in way @p way. */
typedef uint32_t (*gputm_h3_fn)(void *state, uint32_t way, uint64_t key);
/**
 * Rows for struct gputm_h3_config, or for the config of a unit, from another hash that is linear:
 * the hash of a XOR b is that of a XOR that of b. Checked with 256 keys a way.
 * @param shift the hash is given keys shifted left by so much, such as byte addresses.
 * @param rows set to ways x key_bits numbers.
 * @return 0; -EINVAL, the hash is not linear, ways is not 1..16, index_bits above 32, key_bits not
 * 1..64 - shift; -ERANGE, an index of more than index_bits. The log says which; rows are as before.
 */
GPUTM_API GPUTM_MUST_CHECK int gputm_h3_rows_from(struct gputm_ctx *ctx, gputm_h3_fn hash,
						  void *state, uint32_t ways, uint32_t index_bits,
						  uint32_t key_bits, uint32_t shift,
						  uint32_t *rows);

/** Make a family. @return 0; -EINVAL; -E2BIG; -ENOMEM. Free it with gputm_h3_free(). */
GPUTM_API GPUTM_MUST_CHECK int gputm_h3_new(struct gputm_ctx *ctx,
					    const struct gputm_h3_config *config,
					    struct gputm_h3 **out);
/** Free a family; NULL allowed. */
GPUTM_API void gputm_h3_free(struct gputm_h3 *h3);
/** @return the index of @p key in way @p way; 0 past the last way. Key bits beyond key_bits are
 * ignored. */
GPUTM_API uint32_t gputm_h3_index(const struct gputm_h3 *h3, uint32_t way, uint64_t key);
/** @return row @p bit of way @p way; 0 past the last one. */
GPUTM_API uint32_t gputm_h3_row(const struct gputm_h3 *h3, uint32_t way, uint32_t bit);
/** @return the parameter table of the family. */
GPUTM_API const struct gputm_params *gputm_h3_params(void);

GPUTM_END_DECLS
#endif /* GPUTM_BASE_H */
