/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_HOSTS_WATCH_H
#define GPUTM_HOSTS_WATCH_H
/*
 * What units do, as files to look at: a trace for Perfetto (https://ui.perfetto.dev) or
 * chrome://tracing, and a value change dump for GTKWave. C11 or C++17, to include in one file.
 *
 *     static struct watch watch;
 *     watch_open(&watch, fopen("units.json", "w"), fopen("units.vcd", "w"));
 *     watch_add(&watch, gputm_validation_unit_unit(unit));      for each unit, parts too
 *     for (cycle = 0; ...; cycle++) {
 *             watch_cycle(&watch, cycle);
 *             ...                                               the host calls units
 *     }
 *     watch_close(&watch);                                      before units are freed
 *
 * In the trace a unit is a process of its own, an event a mark with its fields, a gauge a counter;
 * a cycle is a microsecond. In the dump a unit is a scope, a gauge a wire of 64 bits; a cycle is a
 * nanosecond. Gauges are read when a unit tells of an event, and in watch_cycle().
 */
#include <errno.h>
#include <gputm/base.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch_gauge {
	const char *name;
	size_t stat;	 /* number of the statistic in its unit */
	unsigned signal; /* number in the dump */
	uint64_t value;	 /* as last written; at first none is */
};

struct watch_unit {
	struct watch *watch;
	struct watch_unit *next;
	struct gputm_unit *unit;
	unsigned number; /* process in the trace */
	size_t gauges;
	struct watch_gauge gauge[1]; /* as many as there are gauges */
};

struct watch {
	FILE *trace, *vcd; /* NULL: not written */
	struct watch_unit *first, **last;
	unsigned units, signals;
	uint64_t cycle;
	bool begun;  /* the dump has named its signals */
	bool marked; /* the dump has told the cycle */
};

/* The unit's kind and the name given to it; what a file cannot bear is "_". */
static inline void watch_name(FILE *file, const struct gputm_unit *unit, const char *unfit)
{
	char text[128];

	snprintf(text, sizeof text, "%s%s%s", gputm_unit_kind(unit),
		 *gputm_unit_name(unit) ? " " : "", gputm_unit_name(unit));
	for (const char *c = text; *c; c++)
		fputc(strchr(unfit, *c) ? '_' : *c, file);
}

/* The signal's short name in the dump: a number of digits '!' to '~', lowest first. */
static inline void watch_code(FILE *file, unsigned signal)
{
	do
		fputc((int)('!' + signal % 94), file);
	while (signal /= 94);
}

static inline void watch_gauges(struct watch_unit *u)
{
	struct watch *w = u->watch;
	struct gputm_stat stat;

	for (struct watch_gauge *g = u->gauge; g < u->gauge + u->gauges; g++) {
		if (!gputm_unit_stat(u->unit, g->stat, &stat) || stat.value == g->value)
			continue;
		g->value = stat.value;
		if (w->trace)
			fprintf(w->trace, ",\n{\"name\":\"%s\",\"ph\":\"C\",\"ts\":%" PRIu64
				",\"pid\":%u,\"args\":{\"%s\":%" PRIu64 "}}", stat.name, w->cycle,
				u->number, stat.measure, stat.value);
		if (!w->vcd)
			continue;
		if (!w->marked)
			fprintf(w->vcd, "#%" PRIu64 "\n", w->cycle);
		w->marked = true;
		fputc('b', w->vcd);
		for (int bit = 63; bit >= 0; bit--)
			if (stat.value >> bit || !bit)
				fputc((int)('0' + (stat.value >> bit & 1)), w->vcd);
		fputc(' ', w->vcd);
		watch_code(w->vcd, g->signal);
		fputc('\n', w->vcd);
	}
}

static inline void watch_begin(struct watch *w)
{
	if (w->begun)
		return;
	w->begun = true;
	if (w->vcd)
		fputs("$enddefinitions $end\n", w->vcd);
	for (struct watch_unit *u = w->first; u; u = u->next)
		watch_gauges(u);
}

static inline void watch_event(void *state, const struct gputm_unit *unit,
			       const struct gputm_event *event)
{
	struct watch_unit *u = (struct watch_unit *)state;
	FILE *trace = u->watch->trace;
	struct gputm_event_kind kind;

	watch_begin(u->watch);
	if (trace && gputm_unit_event(unit, event->kind, &kind)) {
		fprintf(trace, ",\n{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"p\",\"ts\":%" PRIu64
			",\"pid\":%u,\"tid\":0,\"args\":{",
			event->name, u->watch->cycle, u->number);
		for (size_t i = 0; i < 4 && kind.field[i].name; i++) {
			const struct gputm_event_field *f = &kind.field[i];
			uint64_t value = event->value[i];

			fprintf(trace, "%s\"%s\":", i ? "," : "", f->name);
			if (value < f->choice_count)
				fprintf(trace, "\"%s\"", f->choices[value]);
			else if (strstr(f->measure, "address") || strstr(f->measure, "mask") ||
				 value >> 53) /* beyond what JSON's readers tell apart */
				fprintf(trace, "\"0x%" PRIx64 "\"", value);
			else
				fprintf(trace, "%" PRIu64, value);
		}
		fputs("}}", trace);
	}
	watch_gauges(u);
}

/* Begin; trace and dump are open files or NULL, and remain the caller's. */
static inline void watch_open(struct watch *w, FILE *trace, FILE *vcd)
{
	memset(w, 0, sizeof *w);
	w->trace = trace;
	w->vcd = vcd;
	w->last = &w->first;
	if (trace)
		fputs("{\"traceEvents\":[\n{\"name\":\"watch\",\"ph\":\"M\",\"pid\":0}", trace);
	if (vcd)
		fputs("$timescale 1 ns $end\n", vcd);
}

/*
 * Watch the unit. Return 0; -EBUSY, after watch_cycle() or an event, as a dump names its signals
 * first, or called by an observer of the unit; -ENOMEM; -EINVAL, the unit is NULL.
 */
static inline int watch_add(struct watch *w, struct gputm_unit *unit)
{
	struct gputm_stat stat;
	struct watch_unit *u;
	size_t count = 0;
	int error;

	if (!unit || w->begun)
		return unit ? -EBUSY : -EINVAL;
	while (gputm_unit_stat(unit, count, &stat))
		count++;
	u = (struct watch_unit *)calloc(1, sizeof *u + count * sizeof u->gauge[0]);
	error = u ? gputm_unit_observe(unit, watch_event, u) : -ENOMEM;
	if (error) {
		free(u);
		return error;
	}
	u->watch = w;
	u->unit = unit;
	u->number = ++w->units;
	*w->last = u;
	w->last = &u->next;
	if (w->trace) {
		fprintf(w->trace, ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":"
			"{\"name\":\"", u->number);
		watch_name(w->trace, unit, "\"\\");
		fputs("\"}}", w->trace);
	}
	if (w->vcd) {
		fputs("$scope module ", w->vcd);
		watch_name(w->vcd, unit, " $");
		fputs(" $end\n", w->vcd);
	}
	for (size_t i = 0; gputm_unit_stat(unit, i, &stat); i++) {
		struct watch_gauge *g = &u->gauge[u->gauges];

		if (stat.kind != GPUTM_STAT_GAUGE)
			continue;
		g->stat = i;
		g->signal = w->signals++;
		g->value = UINT64_MAX;
		u->gauges++;
		if (w->vcd) {
			fputs("$var wire 64 ", w->vcd);
			watch_code(w->vcd, g->signal);
			fprintf(w->vcd, " %s $end\n", stat.name);
		}
	}
	if (w->vcd)
		fputs("$upscope $end\n", w->vcd);
	return 0;
}

/* What units do from now on is in this cycle, which is not before the one told last. */
static inline void watch_cycle(struct watch *w, uint64_t cycle)
{
	for (struct watch_unit *u = w->first; u && w->begun; u = u->next)
		watch_gauges(u);
	w->marked = w->marked && cycle == w->cycle;
	w->cycle = cycle;
	watch_begin(w);
}

/* End both files, and watch no more. Return 0; -EIO: a file is not whole. */
static inline int watch_close(struct watch *w)
{
	bool failed;

	watch_cycle(w, w->cycle);
	if (w->trace)
		fputs("\n]}\n", w->trace);
	if (w->vcd)
		fprintf(w->vcd, "#%" PRIu64 "\n", w->cycle + 1);
	failed = (w->trace && fflush(w->trace)) || (w->vcd && fflush(w->vcd)) ||
		 (w->trace && ferror(w->trace)) || (w->vcd && ferror(w->vcd));
	for (struct watch_unit *next, *u = w->first; u; u = next) {
		next = u->next;
		(void)gputm_unit_unobserve(u->unit, watch_event, u);
		free(u);
	}
	memset(w, 0, sizeof *w);
	return failed ? -EIO : 0;
}

#endif
