/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What manual pages and headers hold of the library's own tables, all in one text with a line
 * "== PART UNIT" before each: parameters, statistics and events in mdoc; init, the macro with the
 * defaults, and comments, of the fields of the config, for the header; and "fields unit", the
 * fields of events that several units have. Fails if a field has two measures. See
 * tests/build/man-tables.sh.
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
	if (row->source && *row->source)
		printf(" (%s)", row->source);
	puts(".");
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
		printf("%s%s = ", i ? (i % 4 ? ", " : ",\n") : "Sets ", row->name);
		value_of(row, preset->value[i].value);
	}
	puts(preset->value[0].field ? "." : "The defaults.");
}

static void parameters(const struct gputm_params *params)
{
	puts(".Bl -tag -width Ds -compact");
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

	puts(".Bl -tag -width Ds -compact");
	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		printf(".It Va %s Pq %s of %s\n", stat.name, kind[stat.kind], stat.measure);
		sentence(stat.summary);
	}
	puts(".El");
}

static bool same_field(const struct gputm_event_field *a, const struct gputm_event_field *b)
{
	return !strcmp(a->measure, b->measure) && !strcmp(a->summary, b->summary) &&
	       a->choices == b->choices;
}

/* Whether the last of the first @events events with a field of this name has the same field. */
static bool told(const struct gputm_unit *unit, size_t events,
		 const struct gputm_event_field *field)
{
	struct gputm_event_kind event;

	while (events-- && gputm_unit_event(unit, events, &event))
		for (unsigned j = 0; j < 4 && event.field[j].name; j++)
			if (!strcmp(event.field[j].name, field->name))
				return same_field(field, &event.field[j]);
	return false;
}

static void event_field(const struct gputm_event_field *field)
{
	printf(".It Va %s Pq %s\n", field->name, field->measure);
	sentence(field->summary);
	for (size_t i = 0; i < field->choice_count; i++)
		printf("%s%s%s", i ? ", " : "One of ", field->choices[i],
		       i + 1 < field->choice_count ? "" : ".\n");
}

/* A field is described at the first event that has it; an event after that names it. */
static void event_fields(const struct gputm_unit *unit, size_t index,
			 const struct gputm_event_kind *event)
{
	unsigned fields = 0, fresh = 0;

	for (; fields < 4 && event->field[fields].name; fields++)
		fresh += !told(unit, index, &event->field[fields]);
	for (unsigned i = 0; fresh < fields && i < fields; i++)
		printf("%s%s%s", i ? ", " : "Fields: ", event->field[i].name,
		       i + 1 < fields ? "" : ".\n");
	if (fresh)
		puts(".Bl -tag -width Ds -compact");
	for (unsigned i = 0; fresh && i < fields; i++)
		if (!told(unit, index, &event->field[i]))
			event_field(&event->field[i]);
	if (fresh)
		puts(".El");
}

static void events(const struct gputm_unit *unit)
{
	struct gputm_event_kind event;

	puts(".Bl -tag -width Ds");
	for (size_t i = 0; gputm_unit_event(unit, i, &event); i++) {
		printf(".It Sy %s\n", event.name);
		sentence(event.summary);
		event_fields(unit, i, &event);
	}
	puts(".El");
}

/* A field that events of some unit have. */
struct shared {
	const char *name, *measure;
	const struct kind *unit; /* the last one that has it */
	unsigned units;
};

static struct shared shared[256];
static size_t shared_count;

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct shared *)a)->name, ((const struct shared *)b)->name);
}

static bool note(const struct kind *unit, const struct gputm_event_field *field)
{
	struct shared *at = shared;

	while (at < shared + shared_count && strcmp(at->name, field->name))
		at++;
	if (at == shared + shared_count) {
		if (++shared_count > sizeof(shared) / sizeof(*shared))
			return false;
		*at = (struct shared){ field->name, field->measure, NULL, 0 };
	}
	at->units += at->unit != unit;
	at->unit = unit;
	if (!strcmp(at->measure, field->measure))
		return true;
	fprintf(stderr, "%s: events have %s in \"%s\", and others in \"%s\"\n", unit->name,
		field->name, field->measure, at->measure);
	return false;
}

static bool fields_of(const struct kind *kind)
{
	struct gputm_unit *unit = kind_new(kind);
	struct gputm_event_kind event;
	bool agree = unit != NULL;

	for (size_t i = 0; unit && gputm_unit_event(unit, i, &event); i++)
		for (unsigned j = 0; j < 4 && event.field[j].name; j++)
			agree = note(kind, &event.field[j]) && agree;
	kind->free(unit);
	return agree;
}

static bool fields(void)
{
	bool agree = true;

	for (size_t i = 0; i < KIND_COUNT; i++)
		agree = fields_of(&kinds[i]) && agree;
	qsort(shared, shared_count, sizeof(*shared), by_name);
	puts(".Bl -column first_reader \"a measure of words\" units\n.It Sy Field Ta Sy Measure Ta "
	     "Sy Units");
	for (size_t i = 0; i < shared_count; i++)
		if (shared[i].units > 1)
			printf(".It Va %s Ta %s Ta %u\n", shared[i].name, shared[i].measure,
			       shared[i].units);
	puts(".El");
	return agree;
}

/* A part of the macro's list, on a new line where it would pass column 96. */
static void item(unsigned *column, const char *text)
{
	unsigned length = (unsigned)strlen(text);

	if (*column + length > 93) {
		printf(" \\\n\t ");
		*column = 9;
	}
	printf(" %s", text);
	*column += length + 1;
}

/* What is between the fields of the table is pointers, or padding of less than one. */
static unsigned pointers(size_t from, size_t to)
{
	size_t aligned = (from + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);

	return to > aligned ? (unsigned)((to - aligned) / sizeof(void *)) : 0;
}

static void init(const struct gputm_params *params)
{
	size_t end = sizeof(size_t);
	unsigned column = 94; /* the fields begin on a line of their own */
	char text[200];

	printf("#define GPUTM_");
	for (const char *at = params->kind; *at; at++)
		putchar(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
	printf("_CONFIG_INIT \\\n\t{");
	printf(" sizeof(struct gputm_%s_config)", params->kind);
	for (size_t i = 0; i <= params->param_count; i++) {
		const struct gputm_param *row = i < params->param_count ? &params->param[i] : NULL;
		size_t offset = row ? row->offset : params->config_size;

		for (unsigned n = pointers(end, offset); n--;) {
			fputs(",", stdout);
			item(&column, "NULL");
		}
		if (!row)
			break;
		fputs(",", stdout);
		if (row->choices)
			snprintf(text, sizeof(text), "/* %s: %s */ %" PRIu64, row->name,
				 row->choices[row->def - row->min], row->def);
		else if (row->bytes == 1)
			snprintf(text, sizeof(text), "/* %s */ %s", row->name,
				 row->def ? "true" : "false");
		else
			snprintf(text, sizeof(text), "/* %s */ %" PRIu64 "%s", row->name, row->def,
				 row->bytes == 8 ? "u" : "");
		item(&column, text);
		end = row->offset + row->bytes;
	}
	printf(" }\n");
}

/* A bound in plain text. */
static void bound(uint64_t value)
{
	if (value >= UINT64_C(1) << 16 && !(value & (value + 1)))
		printf("2^%d - 1", value + 1 ? __builtin_ctzll(value + 1) : 64);
	else if (value >= UINT64_C(1) << 16 && !(value & (value - 1)))
		printf("2^%d", __builtin_ctzll(value));
	else
		printf("%" PRIu64, value);
}

/* The comment of each field: its name, and after a tab the sentence with the values allowed. */
static void comments(const struct gputm_params *params)
{
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		size_t length = strlen(row->summary);

		length -= length && row->summary[length - 1] == '.';
		printf("%s\t%.*s", row->name, (int)length, row->summary);
		if (row->choices) {
			printf(" (enum gputm_%s_%s)",
			       strcmp(row->name, "approximate") ? params->kind : "metadata_table",
			       row->name);
		} else if (row->bytes > 1 && (row->min || row->max < UINT64_MAX)) {
			printf(" (%s", row->power_of_two ? "power of two, " : "");
			bound(row->min);
			printf("..");
			bound(row->max);
			putchar(')');
		}
		puts(".");
	}
}

static bool describe(const struct kind *kind)
{
	struct gputm_unit *unit = kind_new(kind);

	if (!unit)
		return false;
	printf("== parameters %s\n", kind->name);
	parameters(kind->params());
	printf("== statistics %s\n", kind->name);
	statistics(unit);
	printf("== events %s\n", kind->name);
	events(unit);
	printf("== init %s\n", kind->name);
	init(kind->params());
	printf("== comments %s\n", kind->name);
	comments(kind->params());
	kind->free(unit);
	return true;
}

int main(void)
{
	bool made = true, agree;

	puts("== parameters h3");
	parameters(gputm_h3_params());
	puts("== init h3");
	init(gputm_h3_params());
	puts("== comments h3");
	comments(gputm_h3_params());
	puts("== fields unit");
	agree = fields();
	for (size_t i = 0; i < KIND_COUNT; i++)
		made = describe(&kinds[i]) && made;
	return !made || !agree;
}
