/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of another age than the library: built with the headers of a release, or with those
 * headers whose configs end one field earlier or later (tests/abi/age.awk), and linked to today's
 * library. All units are made from INIT and from each preset, set by name, observed, measured,
 * saved and loaded. "units later" sets the field that the library does not know.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gputm/gputm.h>

static unsigned units, configs, events, failures;
static char message[400];

static void note(void *state, enum gputm_log_level level, const char *text)
{
	(void)state;
	(void)level;
	snprintf(message, sizeof(message), "%s", text);
}

static void fail(const char *kind, const char *what, int error)
{
	printf("%s: %s: %d (%s)\n", kind, what, error, message);
	failures++;
}

/* Every field to what it is, by its name; those behind the end of the struct are refused. */
static void set_all(struct gputm_ctx *ctx, const struct gputm_params *params, void *config,
		    size_t size)
{
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		char text[32];
		int error;

		snprintf(text, sizeof(text), "%" PRIu64, gputm_params_get(row, config));
		error = gputm_params_set(ctx, params, config, row->name, text);
		if (error != (row->offset < size ? 0 : -ENOTSUP))
			fail(params->kind, row->name, error);
	}
}

static int differ(const struct gputm_params *params, const void *a, const void *b)
{
	for (size_t i = 0; i < params->param_count; i++)
		if (gputm_params_get(&params->param[i], a) !=
		    gputm_params_get(&params->param[i], b))
			return 1;
	return 0;
}

#ifdef LATER
#define SET_LATER(config, value) ((config)->gputm_later = (value))
#else
#define SET_LATER(config, value) ((void)(value))
#endif

/* What is set would be a field that the library has got since. */
#define KNOWN 1

/* On the stack: -fstack-protector-strong sees what is written behind the struct. */
#define UNIT(U, N)                                                                             \
	static int make_##U(struct gputm_ctx *ctx, const char *preset, int later,              \
			    struct gputm_unit **out)                                           \
	{                                                                                      \
		struct gputm_##U##_config config = GPUTM_##N##_CONFIG_INIT;                    \
		struct gputm_##U##_config again = GPUTM_##N##_CONFIG_INIT;                     \
		struct gputm_##U *self;                                                        \
		int error = 0;                                                                 \
                                                                                               \
		if (preset) {                                                                  \
			error = gputm_params_preset(ctx, gputm_##U##_params(), preset, &again); \
			if (gputm_##U##_config_preset(&config, preset) != error ||             \
			    differ(gputm_##U##_params(), &config, &again))                     \
				fail(#U, "two ways to a preset", error);                       \
		}                                                                              \
		if (error)                                                                     \
			return error;                                                          \
		set_all(ctx, gputm_##U##_params(), &config, sizeof(config));                   \
		if (later && gputm_##U##_params()->config_size >= sizeof(config))              \
			return KNOWN;                                                          \
		SET_LATER(&config, (unsigned)later);                                           \
		error = gputm_##U##_new(ctx, &config, &self);                                  \
		if (!error)                                                                    \
			*out = gputm_##U##_unit(self);                                         \
		return error;                                                                  \
	}                                                                                      \
	static void free_##U(struct gputm_unit *unit)                                          \
	{                                                                                      \
		gputm_##U##_free((struct gputm_##U *)(void *)unit);                            \
	}
#include "units.h"
#undef UNIT

static const struct kind {
	const char *name;
	const struct gputm_params *(*params)(void);
	int (*make)(struct gputm_ctx *ctx, const char *preset, int later, struct gputm_unit **out);
	void (*free)(struct gputm_unit *unit);
} kinds[] = {
#define UNIT(U, N) { #U, gputm_##U##_params, make_##U, free_##U },
#include "units.h"
#undef UNIT
};

static void observe(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	(void)unit;
	events++;
	*(struct gputm_event *)state = *event;
}

/* An event, as a program of then reads it. */
static void try_event(void)
{
	struct gputm_event event = { 0 };
	struct gputm_recency_bloom *filter;

	if (gputm_recency_bloom_new(NULL, NULL, &filter)) {
		fail("recency_bloom", "new", 0);
		return;
	}
	if (gputm_unit_observe(gputm_recency_bloom_unit(filter), observe, &event) ||
	    gputm_recency_bloom_update(filter, 0x40, 7) || events != 1 || !event.name ||
	    event.kind != GPUTM_RECENCY_BLOOM_EVENT_UPDATE || event.value[0] != 0x40 ||
	    event.value[1] != 7 ||
	    gputm_unit_unobserve(gputm_recency_bloom_unit(filter), observe, &event))
		fail("recency_bloom", "event", 0);
	gputm_recency_bloom_free(filter);
}

/* What all units have, of one and of a second one with the same config. */
static void use(const struct kind *kind, struct gputm_unit *unit, struct gputm_unit *twin)
{
	size_t size = gputm_unit_save(unit, NULL, 0);
	void *snapshot = malloc(size);
	struct gputm_event_kind event;
	struct gputm_storage storage;
	struct gputm_stat stat;
	uint64_t value;
	size_t i;
	int error;

	if (!snapshot)
		abort();
	gputm_unit_reset(unit);
	gputm_unit_save(unit, snapshot, size);
	error = gputm_unit_load(twin, snapshot, size);
	size = gputm_unit_save_state(unit, snapshot, size);
	if (!error)
		error = gputm_unit_load(twin, snapshot, size);
	if (error || gputm_unit_check(twin))
		fail(kind->name, "snapshot", error);
	gputm_unit_clear_stats(twin);
	gputm_unit_reset_state(twin);
	if (gputm_unit_set_name(twin, "twin") || strcmp(gputm_unit_name(twin), "twin"))
		fail(kind->name, "name", 0);
	for (i = 0; gputm_unit_stat(unit, i, &stat); i++)
		if (!gputm_unit_stat_value(unit, stat.name, &value) || value != stat.value)
			fail(kind->name, stat.name, 0);
	for (i = 0, value = 0; gputm_unit_storage(unit, i, &storage); i++)
		value += storage.apart ? 0 : storage.entries * storage.bits;
	if (value != gputm_unit_storage_bits(unit))
		fail(kind->name, "storage", 0);
	for (i = 0; gputm_unit_event(unit, i, &event); i++)
		if (!event.name)
			fail(kind->name, "an event without a name", 0);
	free(snapshot);
}

/* With the preset, or NULL. */
static void try_config(struct gputm_ctx *ctx, const struct kind *kind, const char *preset,
		       int later)
{
	struct gputm_unit *unit, *twin;
	int error;

	*message = '\0';
	error = kind->make(ctx, preset, later, &unit);
	if (later && error != KNOWN) {
		if (error != -E2BIG || !*message)
			fail(kind->name, "an unknown field is set", error);
		else if (!units)
			puts(message);
	}
	if (later)
		return;
#ifdef EARLIER
	/* This preset is for a field that the program does not have. */
	if (error == -ENOTSUP && *message)
		return;
#endif
	if (error || kind->make(ctx, preset, 0, &twin)) {
		fail(kind->name, preset ? preset : "INIT", error);
		return;
	}
	use(kind, unit, twin);
	kind->free(twin);
	kind->free(unit);
	configs++;
}

#define NEW(U) gputm_##U##_new(NULL, NULL, &U)

/* The structs that neither the examples nor the rest of this file give or take. */
static void try_structs(void)
{
	const uint64_t address[64] = { 0x40 };
	const uint32_t value[64] = { 5 };
	const struct gputm_writer_table_request claim[2] = { { 0x40, 0, 2 }, { 0x40, 0, 1 } };
	struct gputm_commit_sequencer *commit_sequencer;
	struct gputm_commit_sequencer_retired retired;
	struct gputm_local_tm *local_tm;
	struct gputm_local_tm_masks masks;
	struct gputm_local_tm_shadow shadow;
	struct gputm_tx_log *tx_log;
	struct gputm_tx_log_row row;
	struct gputm_validation_unit *validation_unit;
	struct gputm_validation_unit_message stop;
	struct gputm_version_table *version_table;
	struct gputm_version_table_version version;
	struct gputm_writer_table *writer_table;
	uint32_t region;
	int result[2];

	if (NEW(commit_sequencer) || NEW(local_tm) || NEW(tx_log) || NEW(validation_unit) ||
	    NEW(version_table) || NEW(writer_table)) {
		fail("structs", "new", 0);
		return;
	}
	if (gputm_commit_sequencer_take_retired(commit_sequencer, &retired))
		fail("commit_sequencer", "retired", 0);
	if (gputm_local_tm_update(local_tm, 3, 7) ||
	    gputm_local_tm_get_shadow(local_tm, 3, &shadow) || shadow.owned ||
	    gputm_local_tm_get_masks(local_tm, 0, &masks) || masks.tcm_old)
		fail("local_tm", "shadow, masks", 0);
	if (gputm_tx_log_append_write(tx_log, 1, address, value) < 0 ||
	    gputm_tx_log_get_row(tx_log, GPUTM_TX_LOG_KIND_WRITE, 0, &row) || row.mask != 1 ||
	    row.address[0] != 0x40 || row.value[0] != 5)
		fail("tx_log", "row", 0);
	gputm_validation_unit_rollover(validation_unit);
	if (gputm_validation_unit_ring_peek(validation_unit, &stop) != 1 || stop.go || stop.from ||
	    gputm_validation_unit_ring_push(validation_unit, &stop))
		fail("validation_unit", "message", 0);
	if (gputm_version_table_add_region(version_table, 0x800000, 64, 0x900000, 5, &region) ||
	    gputm_version_table_get_version(version_table, region, 0, &version) ||
	    version.address != 0x800000 || version.created != 5)
		fail("version_table", "version", 0);
	if (gputm_writer_table_claim_batch(writer_table, 2, claim, result) || !result[0] ||
	    result[1])
		fail("writer_table", "claims", 0);
	gputm_writer_table_free(writer_table);
	gputm_version_table_free(version_table);
	gputm_validation_unit_free(validation_unit);
	gputm_tx_log_free(tx_log);
	gputm_local_tm_free(local_tm);
	gputm_commit_sequencer_free(commit_sequencer);
}

static void *allocate(size_t size, void *state)
{
	(void)state;
	return malloc(size);
}

static void release(void *memory, void *state)
{
	(void)state;
	free(memory);
}

int main(int argc, char **argv)
{
	const struct gputm_allocator allocator = { .alloc = allocate, .free = release };
	const int later = argc > 1 && !strcmp(argv[1], "later");
	struct gputm_ctx *ctx;

	if (gputm_ctx_new(&allocator, &ctx))
		return 1;
	gputm_ctx_set_log(ctx, note, NULL, GPUTM_LOG_ERROR);
	for (; units < sizeof(kinds) / sizeof(kinds[0]); units++) {
		const struct kind *kind = &kinds[units];

		try_config(ctx, kind, NULL, later);
		for (size_t i = 0; i < kind->params()->preset_count; i++)
			try_config(ctx, kind, kind->params()->preset[i].name, later);
	}
	gputm_ctx_unref(ctx);
	try_event();
	try_structs();
	printf("%u units, %u configs\n", units, configs);
	return failures || !units || (!later && configs < units);
}
