/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe parameters|statistics UNIT: the table in mdoc, from the library's own.
 * See tests/build/man-tables.sh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gputm/gputm.h"
#include "tests/kinds.h"

/* Text of a table as mdoc: a sentence a line, and nothing that roff would take for its own. */
static void sentence(const char *text)
{
	size_t length = strlen(text);

	if (!length)
		return;
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (const char *at = text; *at; at++) {
		if (*at == '\\')
			printf("\\e");
		else if (at[0] == ' ' && at > text && at[-1] == '.' && at[1] >= 'A' && at[1] <= 'Z')
			putchar('\n');
		else
			putchar(*at);
	}
	puts(text[length - 1] == '.' ? "" : ".");
}

static void number(uint64_t value)
{
	if (value >= UINT64_C(1) << 16 && !(value & (value + 1)))
		printf("2^%d \\- 1", value + 1 ? __builtin_ctzll(value + 1) : 64);
	else if (value >= UINT64_C(1) << 16 && !(value & (value - 1)))
		printf("2^%d", __builtin_ctzll(value));
	else
		printf("%" PRIu64, value);
}

static const struct gputm_param *field(const struct gputm_params *params, const char *name)
{
	for (size_t i = 0; i < params->param_count; i++)
		if (!strcmp(params->param[i].name, name))
			return &params->param[i];
	fprintf(stderr, "%s: a preset names %s, which is no field\n", params->kind, name);
	exit(1);
}

static void value_of(const struct gputm_param *row, uint64_t value)
{
	if (row->choices)
		printf("%s", row->choices[value - row->min]);
	else if (row->bytes == 1)
		printf("%s", value ? "true" : "false");
	else
		number(value);
}

static void parameter(const struct gputm_param *row)
{
	printf(".It Va %s\n", row->name);
	sentence(row->summary);
	if (row->choices) {
		printf("One of ");
		for (uint64_t v = row->min; v <= row->max; v++)
			printf("%s%s", v == row->min ? "" : ", ", row->choices[v - row->min]);
	} else if (row->bytes == 1) {
		printf("True or false");
	} else {
		number(row->min);
		printf(" to ");
		number(row->max);
		printf("%s", row->power_of_two ? ", a power of two" : "");
	}
	printf("; default ");
	value_of(row, row->def);
	puts(".");
	if (row->source && *row->source) {
		printf("Source: ");
		sentence(row->source);
	}
}

static void preset(const struct gputm_params *params, const struct gputm_preset *preset)
{
	printf(".It Cm %s\n", preset->name);
	sentence(preset->summary);
	for (size_t i = 0; i < sizeof(preset->value) / sizeof(*preset->value); i++) {
		const struct gputm_param *row;

		if (!preset->value[i].field)
			break;
		row = field(params, preset->value[i].field);
		printf("%s%s = ", i ? ",\n" : "Sets ", row->name);
		value_of(row, preset->value[i].value);
	}
	puts(preset->value[0].field ? "." : "The defaults.");
}

static void parameters(const struct gputm_params *params)
{
	puts(".Bl -tag -width Ds");
	for (size_t i = 0; i < params->param_count; i++)
		parameter(&params->param[i]);
	puts(".El");
	if (!params->preset_count)
		return;
	printf(".Pp\nPresets of\n.Fn gputm_%s_config_preset :\n.Bl -tag -width Ds\n", params->kind);
	for (size_t i = 0; i < params->preset_count; i++)
		preset(params, &params->preset[i]);
	puts(".El");
}

static void statistics(const struct gputm_unit *unit)
{
	static const char *const kind[] = { "counter", "maximum", "gauge", "histogram" };
	struct gputm_stat stat;

	puts(".Bl -tag -width Ds");
	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		printf(".It Va %s Pq %s of %s\n", stat.name, kind[stat.kind], stat.measure);
		sentence(stat.summary);
	}
	puts(".El");
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc == 3 ? kind_find(argv[2]) : NULL;
	struct gputm_unit *unit;

	if (argc == 3 && !strcmp(argv[1], "parameters") && !strcmp(argv[2], "h3")) {
		parameters(gputm_h3_params());
		return 0;
	}
	if (!kind) {
		fprintf(stderr, "usage: describe parameters|statistics UNIT\n");
		return 2;
	}
	if (!strcmp(argv[1], "parameters")) {
		parameters(kind->params());
		return 0;
	}
	unit = kind_new(kind);
	if (!unit)
		return 1;
	statistics(unit);
	kind->free(unit);
	return 0;
}
