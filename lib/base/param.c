/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameter tables: one row per config field drives reading, validation, messages
 * and documentation. A caller's config carries its own size, and nothing after it is
 * read or written: a shorter one (older caller) leaves the defaults in place, a longer
 * one (newer caller) is accepted when the part that this library does not know is zero.
 */
#include "lib/base/format.h"
#include "lib/base/unit.h"

#define LIST_MAX 400 /* bytes of a list of names in a message */
#define CONFIG_MAX 4096 /* bytes; a larger size means that the config was never initialised */

static size_t size_of(const void *config)
{
	size_t size;

	memcpy(&size, config, sizeof(size));
	return size;
}

/* Does a config of `size` bytes have the field? */
static bool has(size_t size, const struct gputm_param *row)
{
	return row->offset + row->bytes <= size;
}

uint64_t gputm_params_get(const struct gputm_param *row, const void *config)
{
	const unsigned char *at = (const unsigned char *)config + row->offset;
	uint64_t wide;
	uint32_t narrow;

	if (!has(size_of(config), row))
		return row->def;
	if (row->bytes == 1)
		return *at;
	if (row->bytes == 4) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static void put(const struct gputm_param *row, void *config, uint64_t value)
{
	unsigned char *at = (unsigned char *)config + row->offset;
	uint32_t narrow = (uint32_t)value;

	if (row->bytes == 1)
		*at = (unsigned char)value;
	else if (row->bytes == 4)
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
}

static int check_value(struct gputm_ctx *ctx, const struct gputm_params *params,
		       const struct gputm_param *row, uint64_t value)
{
	if (value >= row->min && value <= row->max &&
	    (!row->power_of_two || gputm__is_power_of_two(value) || value == 0))
		return 0;
	gputm__log(ctx, GPUTM_LOG_ERROR, "%s: %s = %llu is not %s%llu .. %llu", params->kind,
		   row->name, (unsigned long long)value,
		   row->power_of_two ? "a power of two in " : "in ", (unsigned long long)row->min,
		   (unsigned long long)row->max);
	return -ERANGE;
}

static const struct gputm_param *find(const struct gputm_params *params, const char *name)
{
	for (size_t i = 0; i < params->param_count; i++)
		if (!strcmp(params->param[i].name, name))
			return &params->param[i];
	return NULL;
}

/* Structs with a size field are aligned like it, so their sizes are multiples of its size. */
static bool plausible(size_t size)
{
	return size >= sizeof(size) && size <= CONFIG_MAX && size % sizeof(size) == 0;
}

int gputm_params_init(const struct gputm_params *params, void *config, size_t size)
{
	if (!plausible(size))
		return -EINVAL;
	memset(config, 0, size);
	memcpy(config, &size, sizeof(size));
	for (size_t i = 0; i < params->param_count; i++)
		if (has(size, &params->param[i]))
			put(&params->param[i], config, params->param[i].def);
	return 0;
}

static bool all_zero(const unsigned char *bytes, size_t count)
{
	while (count--)
		if (*bytes++)
			return false;
	return true;
}

/* Check the size of a caller's config. */
static int check_size(struct gputm_ctx *ctx, const struct gputm_params *params, const void *config)
{
	size_t size = size_of(config), known = params->config_size;

	if (!plausible(size)) {
		gputm__log(ctx, GPUTM_LOG_ERROR,
			   "%s: config.size = %llu is no struct's size (here %llu bytes); "
			   "initialise the config with its INIT macro or gputm_params_init()",
			   params->kind, (unsigned long long)size, (unsigned long long)known);
		return -EINVAL;
	}
	if (size > known && !all_zero((const unsigned char *)config + known, size - known)) {
		gputm__log(ctx, GPUTM_LOG_ERROR,
			   "%s: config.size = %llu and fields after the %llu bytes that libgputm "
			   "%s knows are not 0: the program needs the library of its headers",
			   params->kind, (unsigned long long)size, (unsigned long long)known,
			   gputm_version());
		return -E2BIG;
	}
	return 0;
}

/* The caller's headers do not have the field. */
static int refuse_absent(struct gputm_ctx *ctx, const struct gputm_params *params,
			 const struct gputm_param *row, const void *config)
{
	gputm__log(ctx, GPUTM_LOG_ERROR,
		   "%s: a config of config.size = %llu has no field %s; compile the program with "
		   "the headers of libgputm %s (%llu bytes)",
		   params->kind, (unsigned long long)size_of(config), row->name, gputm_version(),
		   (unsigned long long)params->config_size);
	return -ENOTSUP;
}

/* A list of names that grows at the end of one message. */
struct names {
	char text[LIST_MAX];
	size_t used;
};

static void add_name(struct names *names, const char *name)
{
	names->used = gputm__append(names->text, LIST_MAX, names->used, names->used ? ", " : "");
	names->used = gputm__append(names->text, LIST_MAX, names->used, name);
}

static int refuse_field(struct gputm_ctx *ctx, const struct gputm_params *params,
			const char *name)
{
	struct names names = { .used = 0 };

	for (size_t i = 0; i < params->param_count; i++)
		add_name(&names, params->param[i].name);
	gputm__log(ctx, GPUTM_LOG_ERROR, "%s: there is no field \"%s\"; there are %s",
		   params->kind, name, names.text);
	return -EINVAL;
}

static int refuse_preset(struct gputm_ctx *ctx, const struct gputm_params *params,
			 const char *name)
{
	struct names names = { .used = 0 };

	for (size_t i = 0; i < params->preset_count; i++)
		add_name(&names, params->preset[i].name);
	gputm__log(ctx, GPUTM_LOG_ERROR, "%s: there is no preset \"%s\"; there are %s",
		   params->kind, name, names.text);
	return -EINVAL;
}

/* The names of the values min, min + 1, ... of the field, or NULL. */
static const char *const *names_of(const struct gputm_param *row)
{
	static const char *const booleans[] = { "false", "true" };

	return row->bytes == 1 && !row->choices ? booleans : row->choices;
}

static int refuse_text(struct gputm_ctx *ctx, const struct gputm_params *params,
		       const struct gputm_param *row, const char *value)
{
	const char *const *choices = names_of(row);
	struct names names = { .used = 0 };

	for (uint64_t i = 0; choices && i <= row->max - row->min; i++)
		add_name(&names, choices[i]);
	gputm__log(ctx, GPUTM_LOG_ERROR, "%s: %s = \"%s\" is not a number in %llu .. %llu%s%s",
		   params->kind, row->name, value, (unsigned long long)row->min,
		   (unsigned long long)row->max, choices ? " or one of its names, " : "",
		   names.text);
	return -EINVAL;
}

/* Fields unknown to the caller's headers keep the behaviour from before they existed. */
static int apply_preset(const struct gputm_params *params, const struct gputm_preset *preset,
			void *config)
{
	const struct gputm_param *row;
	size_t size = size_of(config);

	gputm_params_init(params, config, size);
	for (size_t v = 0; preset->value[v].field; v++) {
		row = find(params, preset->value[v].field);
		if (has(size, row))
			put(row, config, preset->value[v].value);
	}
	return 0;
}

int gputm_params_preset(struct gputm_ctx *ctx, const struct gputm_params *params, const char *name,
			void *config)
{
	int error = check_size(ctx, params, config);

	if (error)
		return error;
	for (size_t i = 0; i < params->preset_count; i++)
		if (!strcmp(params->preset[i].name, name))
			return apply_preset(params, &params->preset[i], config);
	return refuse_preset(ctx, params, name);
}

/* Reads a decimal or 0x number; false if the text has anything else, or the number is too large. */
static bool parse_number(const char *text, uint64_t *out)
{
	unsigned base = 10;
	uint64_t value = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = 99;

		if (*text >= '0' && *text <= '9')
			digit = (unsigned)(*text - '0');
		else if ((*text | 32) >= 'a' && (*text | 32) <= 'f')
			digit = (unsigned)((*text | 32) - 'a') + 10;
		if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return true;
}

static bool parse_choice(const struct gputm_param *row, const char *text, uint64_t *out)
{
	const char *const *choices = names_of(row);

	for (uint64_t i = 0; choices && i <= row->max - row->min; i++) {
		if (!strcmp(choices[i], text)) {
			*out = row->min + i;
			return true;
		}
	}
	return false;
}

int gputm_params_set(struct gputm_ctx *ctx, const struct gputm_params *params, void *config,
		     const char *field, const char *value)
{
	const struct gputm_param *row = find(params, field);
	int error = check_size(ctx, params, config);
	uint64_t number;

	if (error)
		return error;
	if (!row)
		return refuse_field(ctx, params, field);
	if (!has(size_of(config), row))
		return refuse_absent(ctx, params, row, config);
	if (!parse_choice(row, value, &number) && !parse_number(value, &number))
		return refuse_text(ctx, params, row, value);
	error = check_value(ctx, params, row, number);
	if (!error)
		put(row, config, number);
	return error;
}

int gputm__params_read(struct gputm_ctx *ctx, const struct gputm_params *params,
		       const void *config, void *out)
{
	size_t known = params->config_size, room;
	int error;

	if (!config)
		return gputm_params_init(params, out, known);
	error = check_size(ctx, params, config);
	if (error)
		return error;
	room = size_of(config) < known ? size_of(config) : known;
	memcpy(out, config, room);
	memset((unsigned char *)out + room, 0, known - room);
	memcpy(out, &known, sizeof(known));
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];

		if (!has(room, row))
			put(row, out, row->def);
		if (check_value(ctx, params, row, gputm_params_get(row, out)))
			return -EINVAL;
	}
	return 0;
}

void gputm__params_share(const struct gputm_unit *outer, const struct gputm_params *params,
			 void *config)
{
	const struct gputm_params *from = gputm_unit_params(outer);
	const void *values = gputm_unit_config(outer);

	for (size_t i = 0; i < from->param_count; i++) {
		const struct gputm_param *row = find(params, from->param[i].name);

		if (row)
			put(row, config, gputm_params_get(&from->param[i], values));
	}
}
