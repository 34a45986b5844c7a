/* SPDX-License-Identifier: BSD-2-Clause */
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/names.h"
#include "../base/quote.h"
#include "fields.h"

static const char *path_at(const void *of, size_t index)
{
	const struct sim_parts *parts = of;
	const struct gputm_params *params;
	const char *path;
	void *config;

	return parts->at(parts->of, index, &path, &params, &config) ? path : NULL;
}

static const char *field_at(const void *of, size_t index)
{
	const struct gputm_params *params = of;

	return index < params->param_count ? params->param[index].name : NULL;
}

/* A field that can be set. */
struct place {
	const struct gputm_params *params;
	const struct gputm_param *row; /* NULL: the part has no field of this name */
	void *config;
};

/* Find the field of "PATH.FIELD" or "PATH.FIELD=..."; false: there is no such part. */
static bool find(const struct sim_parts *parts, const char *name, struct place *out)
{
	size_t end = strcspn(name, "="), dot = end;
	const char *path;

	while (dot && name[dot] != '.')
		dot--;
	for (size_t i = 0; parts->at(parts->of, i, &path, &out->params, &out->config); i++) {
		if (strlen(path) != dot || memcmp(path, name, dot))
			continue;
		out->row = NULL;
		for (size_t k = 0; k < out->params->param_count; k++)
			if (strlen(out->params->param[k].name) == end - dot - 1 &&
			    !memcmp(out->params->param[k].name, name + dot + 1, end - dot - 1))
				out->row = &out->params->param[k];
		return true;
	}
	return false;
}

/* The path of the part that has the parameters of this kind of unit, or NULL. */
static const char *part_of_kind(const struct sim_parts *parts, const char *kind)
{
	const struct gputm_params *params;
	const char *path;
	void *config;

	for (size_t i = 0; parts->at(parts->of, i, &path, &params, &config); i++)
		if (!strcmp(params->kind, kind))
			return path;
	return NULL;
}

int sim_setting_apply(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *setting)
{
	const char *value = strchr(setting, '=');
	const char *whole, *other;
	char name[SIM_QUOTE], places[300], whose[sizeof(parts->whose) + sizeof(places)];
	struct place place;
	char *field;

	snprintf(name, sizeof(name), "%.*s", (int)(value - setting), setting);
	field = strrchr(name, '.');
	if (find(parts, setting, &place) && place.row)
		return gputm_params_set(ctx, place.params, place.config, place.row->name,
					sim_quoted(value + 1)) ? -1 : 0;
	if (!field) {
		sim_field_meant(name, places, sizeof(places));
		fprintf(stderr, "gputm-sim: --set: got \"%s\", expected PATH.FIELD=VALUE with a "
				"parameter that --list shows%s\n", sim_quoted(setting), places);
		return -1;
	}
	*field++ = '\0';
	whole = parts->system ? sim_whole_of(parts->system, name) : NULL;
	if (whole) {
		fprintf(stderr, "gputm-sim: --set: got \"%s\", expected a parameter of %s, which "
				"has those of its part %s\n", sim_quoted(setting), whole, name);
	} else if (find(parts, setting, &place)) {
		char option[SIM_QUOTE];

		snprintf(option, sizeof(option), "set %.100s.FIELD", name);
		sim_name_unknown(option, field, field_at, place.params,
				 parts->variant && !strcmp(name, "workload") ?
					 " (the variant fixes the params before it)" : "");
	} else if ((other = part_of_kind(parts, name))) {
		fprintf(stderr, "gputm-sim: --set: got \"%s\", expected %s.%s=..., as the part "
				"with the parameters of %s is called here\n", sim_quoted(setting),
			other, field, name);
	} else {
		(void)sim_field_places(name, field, places, sizeof(places));
		snprintf(whose, sizeof(whose), "%s%s", parts->whose, places);
		sim_name_unknown("set", name, path_at, parts, whose);
	}
	return -1;
}

int sim_settings_apply(struct gputm_ctx *ctx, const struct sim_parts *parts,
		       const struct sim_given *given, const char *start, bool so)
{
	int error = 0;

	for (size_t i = 0; !error && i < given->count; i++)
		if (!strncmp(given->set[i], start, strlen(start)) == so)
			error = sim_setting_apply(ctx, parts, given->set[i]);
	return error;
}

bool sim_role_part(const struct sim_role *role, size_t roles, void *config, size_t index,
		   const char **path, const struct gputm_params **params, void **part)
{
	if (index >= roles)
		return false;
	*path = role[index].role;
	*params = role[index].params();
	*part = (char *)config + role[index].offset;
	return true;
}

bool sim_setting_known(const struct sim_parts *parts, const struct sim_unused *unused,
		       const char *name)
{
	struct place place;

	return !sim_setting_unused(unused, "", name) && find(parts, name, &place) && place.row;
}

int sim_setting_try(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *name,
		    const char *value)
{
	struct place place;

	return find(parts, name, &place) && place.row &&
	       gputm_params_set(ctx, place.params, place.config, place.row->name,
				sim_quoted(value)) ? -1 : 0;
}

bool sim_settings_used(const struct sim_given *given, const struct sim_unused *unused,
		       const void *config)
{
	const char *setting;

	for (; unused && unused->name; unused++) {
		setting = sim_given(given, unused->name);
		if (!setting || (unused->when && !unused->when(config)))
			continue;
		fprintf(stderr, "gputm-sim: --set: got \"%s\", which is not used here: %s\n",
			sim_quoted(setting), unused->why);
		return false;
	}
	return true;
}

/* ---- fields with one value ---- */

static uint64_t value_of(const struct sim_parts *parts, const char *name)
{
	struct place place;

	return find(parts, name, &place) && place.row ? gputm_params_get(place.row, place.config) :
							0;
}

/* Copy the value of one field to the other, if that is in its range. */
static int follow(struct gputm_ctx *ctx, const struct sim_parts *parts, const char *name,
		  const char *leader)
{
	char setting[SIM_QUOTE];

	if (value_of(parts, name) == value_of(parts, leader))
		return 0;
	snprintf(setting, sizeof(setting), "%s=%" PRIu64, name, value_of(parts, leader));
	return sim_setting_apply(ctx, parts, setting);
}

static int contradiction(const struct sim_parts *parts, const char *a, const char *b)
{
	fprintf(stderr, "gputm-sim: --set: got %s = %" PRIu64 " and %s = %" PRIu64
			", expected one value of both (or set one, and the other follows)\n",
		a, value_of(parts, a), b, value_of(parts, b));
	return -1;
}

int sim_settings_tie(struct gputm_ctx *ctx, const struct sim_parts *parts,
		     const struct sim_given *given, const struct sim_tie *tie)
{
	const char *led_by = NULL; /* the tie that last gave the leader its value */
	int error = 0;

	for (const struct sim_tie *t = tie; !error && t && t->leader; t++) {
		if (t == tie || strcmp(t->leader, t[-1].leader))
			led_by = sim_given(given, t->leader) ? t->leader : NULL;
		if (!sim_given(given, t->follower))
			continue;
		if (!led_by)
			error = follow(ctx, parts, t->leader, t->follower);
		else if (value_of(parts, led_by) != value_of(parts, t->follower))
			error = contradiction(parts, led_by, t->follower);
		led_by = led_by ? led_by : t->follower;
	}
	for (; !error && tie && tie->leader; tie++)
		error = follow(ctx, parts, tie->follower, tie->leader);
	return error;
}

/* ---- units that are too small ---- */

bool sim_meets(const char *path, const struct gputm_params *params, const void *config,
	       const struct sim_need *need)
{
	for (size_t i = 0; i < params->param_count; i++) {
		const struct gputm_param *row = &params->param[i];
		uint64_t value = gputm_params_get(row, config);

		if (strcmp(row->name, need->field) || value >= need->least)
			continue;
		fprintf(stderr, "gputm-sim: %s: %s = %" PRIu64 " is outside %" PRIu64 " .. %" PRIu64
			", as %s\n", path, row->name, value, need->least, row->max, need->reason);
		return false;
	}
	return true;
}

/* ---- printing parameters ---- */

static void list_value(const struct gputm_param *row, uint64_t value)
{
	if (row->choices && value >= row->min && value <= row->max)
		printf("%s", row->choices[value - row->min]);
	else
		printf("%llu", (unsigned long long)value);
}

static void list_row(const char *name, const struct gputm_param *row, const void *config)
{
	printf("    %s = ", name);
	list_value(row, gputm_params_get(row, config));
	printf("  [");
	list_value(row, row->min);
	for (uint64_t i = row->min + 1; row->choices && i < row->max; i++)
		printf(", %s", row->choices[i - row->min]);
	printf(row->choices ? ", " : " .. ");
	list_value(row, row->max);
	printf("%s]\n        %s%s%s%s\n", row->power_of_two ? ", a power of two" : "", row->summary,
	       *row->source ? " (" : "", row->source, *row->source ? ")" : "");
}

void sim_list_rows(const char *path, const struct gputm_params *params, const void *config,
		   const struct sim_unused *unused)
{
	char name[SIM_QUOTE];

	for (size_t i = 0; i < params->param_count; i++) {
		snprintf(name, sizeof name, "%s.%s", path, params->param[i].name);
		if (!sim_setting_unused(unused, path, params->param[i].name))
			list_row(name, &params->param[i], config);
	}
}
