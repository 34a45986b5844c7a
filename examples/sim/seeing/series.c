/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series: how much each counter has grown in an interval, and what each gauge is at its end, one
 * figure a line. Units of a role are added, as in a report; a figure that has not changed has no
 * line. The changes of a counter add up to its value in the report.
 */
#include <inttypes.h>
#include <string.h>

#include "series.h"
#include "../base/arena.h"
#include "../base/names.h"

struct figure {
	const char *role, *name, *part; /* part: suffix of the name, or "" */
	const uint64_t *at;		/* of the run; NULL: of units */
	uint64_t before, now;
	bool gauge, wanted;
};

struct series {
	struct seen_sink sink; /* first */
	struct seeing *see;
	FILE *file;
	const char *only;
	uint64_t period; /* ticks */
	struct figure *figure;
	size_t figures, capacity;
	size_t *first; /* of each unit: its first figure */
	bool starved;
};

static struct series *series_of(struct seen_sink *sink)
{
	return (struct series *)sink;
}

/* ---- figures ---------------------------------------------------------------------------- */

static struct figure *add(struct series *s, const char *role, const char *name, const char *part,
			  const uint64_t *at)
{
	uint64_t matched = 0;
	char path[160];

	if (!SIM_ROOM(s->figure, s->capacity, s->figures + 1)) {
		s->starved = true;
		return NULL;
	}
	snprintf(path, sizeof path, "%s%s%s%s", role, *role ? "." : "", name, part);
	s->figure[s->figures] = (struct figure){ role, name, part, at, 0, 0, false,
					     sim_pattern_matches(s->only, path, &matched) };
	return &s->figure[s->figures++];
}

static void add_run(struct series *s)
{
	const struct sim_result *r = &s->see->port->result;

	add(s, "", "committed", "", &r->committed);
	add(s, "", "aborted", "", &r->aborted);
	for (int i = 0; i < SIM_ABORT_REASONS; i++)
		add(s, "aborts_by_reason", sim_abort_reason_name[i], "", &r->aborted_by_reason[i]);
	add(s, "", "tx_exec_cycles", "", &r->tx_exec_cycles);
	add(s, "", "tx_wait_cycles", "", &r->tx_wait_cycles);
	add(s, "", "instructions", "", &r->instructions);
	add(s, "", "thread_instructions", "", &r->executed);
	add(s, "memory", "l1_hits", "", &r->l1_hits);
	add(s, "memory", "l1_misses", "", &r->l1_misses);
	add(s, "memory", "l2_accesses", "", &r->l2_accesses);
	add(s, "memory", "l2_misses", "", &r->l2_misses);
	add(s, "memory", "dram_bytes", "", &r->dram_bytes);
	for (int i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		add(s, "traffic", sim_traffic_name[i], ".packets", &r->traffic[i].packets);
		add(s, "traffic", sim_traffic_name[i], ".bytes", &r->traffic[i].bytes);
		add(s, "traffic", sim_traffic_name[i], ".flits", &r->traffic[i].flits);
	}
}

/* Figures of a role are neighbours, and units of one role share them. */
static void add_unit(struct series *s, size_t index)
{
	const struct sim_port *port = s->see->port;
	const char *role = port->unit[index].role;
	struct gputm_stat stat;

	for (size_t i = 0; i < index; i++)
		if (!strcmp(port->unit[i].role, role)) {
			s->first[index] = s->first[i];
			return;
		}
	s->first[index] = s->figures;
	for (size_t i = 0; gputm_unit_stat(sim_unit_face(port, index), i, &stat); i++) {
		struct figure *figure = add(s, role, stat.name, "", NULL);

		if (!figure)
			return;
		figure->gauge = stat.kind == GPUTM_STAT_GAUGE;
		figure->wanted &= figure->gauge || stat.kind == GPUTM_STAT_COUNTER;
	}
}

/* ---- intervals -------------------------------------------------------------------------- */

static void count(struct series *s)
{
	const struct sim_port *port = s->see->port;
	struct gputm_stat stat;

	for (size_t i = 0; i < s->figures; i++)
		s->figure[i].now = s->figure[i].at ? *s->figure[i].at : 0;
	for (size_t i = 0; i < port->units; i++) {
		const struct gputm_unit *unit = sim_unit_face(port, i);

		for (size_t k = 0; gputm_unit_stat(unit, k, &stat); k++)
			s->figure[s->first[i] + k].now += stat.value;
	}
}

static void put(struct series *s, uint64_t cycle)
{
	for (size_t i = 0; i < s->figures; i++) {
		struct figure *f = &s->figure[i];

		if (f->wanted && f->now != f->before)
			fprintf(s->file, "%" PRIu64 ",%s,%s%s,%s,%" PRIu64 "\n", cycle, f->role,
				f->name, f->part, f->gauge ? "value" : "change",
				f->gauge ? f->now : f->now - f->before);
		f->before = f->now;
	}
}

/* Nothing happens between the last tick and this one: all counts belong to the interval that is
 * due. */
static void look(struct seen_sink *sink)
{
	struct series *s = series_of(sink);
	uint64_t late = s->see->port->now - sink->due;

	count(s);
	put(s, sink->due / s->see->port->core_ticks);
	sink->due += s->period + late / s->period * s->period;
}

/* Start counting at the window's first tick; a window of the whole run includes the launch before
 * it. Intervals are counted from the first cycle of the window, in a run that was restored, too. */
static void begin(struct seen_sink *sink)
{
	struct series *s = series_of(sink);
	uint64_t from = s->see->from, late = s->see->opened_at - from;

	count(s);
	for (size_t i = 0; i < s->figures; i++)
		s->figure[i].before = s->figure[i].gauge || !s->see->opened_at ?
					      0 : s->figure[i].now;
	put(s, s->see->port->now / s->see->port->core_ticks);
	sink->due = from + (late / s->period + 1) * s->period;
}

static void end(struct seen_sink *sink)
{
	struct series *s = series_of(sink);
	uint32_t ticks = s->see->port->core_ticks;

	count(s);
	put(s, (s->see->port->now + ticks - 1) / ticks);
	sink->due = SIM_NEVER;
}

/* ---- life ------------------------------------------------------------------------------- */

struct seen_sink *series_new(struct seeing *see, uint64_t cycles, const char *only, FILE *file)
{
	struct series *s = sim_calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->see = see;
	s->file = file;
	s->only = only;
	s->period = cycles * see->port->core_ticks;
	s->sink = (struct seen_sink){ .next = see->sinks, .due = SIM_NEVER, .look = look,
				      .begin = begin, .close = end };
	s->first = sim_calloc(see->port->units + 1, sizeof *s->first);
	s->starved = !s->first;
	add_run(s);
	for (size_t i = 0; !s->starved && i < see->port->units; i++)
		add_unit(s, i);
	if (s->starved) {
		series_free(&s->sink);
		return NULL;
	}
	see->sinks = &s->sink;
	fputs("cycle,role,statistic,kind,value\n", file);
	return &s->sink;
}

bool series_any(const struct seen_sink *sink)
{
	const struct series *s = (const struct series *)sink;
	bool any = false;

	for (size_t i = 0; i < s->figures; i++)
		any |= s->figure[i].wanted;
	return any;
}

void series_free(struct seen_sink *sink)
{
	struct series *s = series_of(sink);

	if (!s)
		return;
	sim_free(s->figure);
	sim_free(s->first);
	sim_free(s);
}
