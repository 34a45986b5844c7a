/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A value change dump. Each gauge of a unit is a wire of 32 bits, looked at when the unit tells of
 * an event; what a warp does is a string, which GTKWave knows. A nanosecond is a cycle of the
 * cores. As back-offs are told ahead, changes are kept and sorted before they are written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vcd.h"
#include "../base/arena.h"

#define IDLE SEEN_SLICES /* value of a warp without anything to report */

struct change {
	uint64_t tick;
	uint32_t signal; /* numbers: gauges first, then warps */
	uint32_t value;
	uint64_t order; /* of changes in the same tick */
};

struct vcd {
	struct seen_sink sink; /* first */
	struct seeing *see;
	FILE *file;
	struct change *change;
	size_t changes, capacity;
	uint32_t *value; /* of gauges, last seen */
	bool *used;	 /* warps that had an activity */
};

static struct vcd *vcd_of(struct seen_sink *sink)
{
	return (struct vcd *)sink;
}

/* ---- what changes ----------------------------------------------------------------------- */

/* Within a tick, an end (`late` unset) comes before a begin. */
static void add(struct vcd *v, uint64_t tick, size_t signal, uint64_t value, bool late)
{
	if (!SIM_ROOM(v->change, v->capacity, v->changes + 1)) {
		v->see->starved = true;
		return;
	}
	v->change[v->changes] = (struct change){
		tick, (uint32_t)signal, (uint32_t)value, v->changes | (uint64_t)late << 63,
	};
	v->changes++;
}

static void gauge(struct seen_sink *sink, const struct seen_gauge *g, uint64_t tick)
{
	struct vcd *v = vcd_of(sink);
	size_t number = (size_t)(g - v->see->gauge);

	if (v->value[number] == (uint32_t)g->value)
		return;
	v->value[number] = (uint32_t)g->value;
	add(v, tick, number, g->value, true);
}

/* A unit has reported an event: look at its gauges. */
static void change(struct seen_sink *sink, const struct seen_tap *tap)
{
	const struct seeing *see = vcd_of(sink)->see;
	struct gputm_stat stat;

	for (size_t i = tap->gauge; i < tap->gauge + tap->gauges; i++) {
		struct seen_gauge now = see->gauge[i];

		if (!gputm_unit_stat(now.unit, now.stat, &stat) ||
		    vcd_of(sink)->value[i] == (uint32_t)stat.value)
			continue;
		vcd_of(sink)->value[i] = (uint32_t)stat.value;
		add(vcd_of(sink), see->port->now, i, stat.value, true);
	}
}

static void slice(struct seen_sink *sink, uint32_t warp, enum seen_slice kind, uint64_t from,
		  uint64_t to)
{
	struct vcd *v = vcd_of(sink);

	v->used[warp] = true;
	add(v, from, v->see->gauges + warp, kind, true);
	add(v, to, v->see->gauges + warp, IDLE, false);
}

/* ---- the file --------------------------------------------------------------------------- */

/* Names of signals are short and printable. */
static const char *id(size_t signal, char text[8])
{
	size_t at = 0;

	do
		text[at++] = (char)('!' + signal % 94);
	while (signal /= 94);
	text[at] = '\0';
	return text;
}

static void put_gauges(struct vcd *v, enum seen_place place, uint32_t number)
{
	const struct seeing *see = v->see;
	char text[8];

	for (size_t i = 0; i < see->gauges; i++) {
		const struct seen_gauge *g = &see->gauge[i];
		struct gputm_stat stat;
		uint32_t at;

		if (seen_place_of(g->unit, &at) != place || at != number ||
		    !gputm_unit_stat(g->unit, g->stat, &stat))
			continue;
		fprintf(v->file, "$var wire 32 %s %s_%s $end\n", id(i, text), g->role, stat.name);
	}
}

static void put_scope(struct vcd *v, enum seen_place place, const char *name, uint32_t count)
{
	uint32_t warps = v->see->port->shape.warps;
	char text[8];

	for (uint32_t i = 0; i < count; i++) {
		fprintf(v->file, "$scope module %s%" PRIu32 " $end\n", name, i);
		put_gauges(v, place, i);
		for (uint32_t k = 0; place == SEEN_CORE && k < warps; k++)
			if (v->used[i * warps + k])
				fprintf(v->file, "$var string 1 %s warp_%" PRIu32 " $end\n",
					id(v->see->gauges + i * warps + k, text), k);
		fputs("$upscope $end\n", v->file);
	}
}

static void put_value(const struct vcd *v, size_t signal, uint32_t value)
{
	char bits[33], text[8], *end = bits + 32;

	if (signal >= v->see->gauges) {
		fputc('s', v->file);
		for (const char *c = value == IDLE ? "-" : seen_slice_name(v->see, value); *c; c++)
			fputc(*c == ' ' ? '_' : *c, v->file);
		fprintf(v->file, " %s\n", id(signal, text));
		return;
	}
	*end = '\0';
	do
		*--end = (char)('0' + (value & 1));
	while (value >>= 1);
	fprintf(v->file, "b%s %s\n", end, id(signal, text));
}

static int by_time(const void *a, const void *b)
{
	const struct change *one = a, *other = b;

	if (one->tick != other->tick)
		return one->tick < other->tick ? -1 : 1;
	if (one->signal != other->signal)
		return one->signal < other->signal ? -1 : 1;
	return one->order < other->order ? -1 : one->order > other->order;
}

/* Of several changes of a signal in a tick, only the last is written. */
static void put_changes(struct vcd *v)
{
	uint32_t ticks = v->see->port->core_ticks;
	uint64_t at = UINT64_MAX;

	for (size_t i = 0; i < v->changes; i++) {
		const struct change *c = &v->change[i];
		uint64_t cycle = c->tick / ticks;

		if (i + 1 < v->changes && c[1].signal == c->signal && c[1].tick == c->tick)
			continue;
		if (cycle != at)
			fprintf(v->file, "#%" PRIu64 "\n", cycle);
		at = cycle;
		put_value(v, c->signal, c->value);
	}
}

static void end(struct seen_sink *sink)
{
	struct vcd *v = vcd_of(sink);
	const struct sim_shape *shape = &v->see->port->shape;

	fputs("$version gputm-sim $end\n$timescale 1ns $end\n", v->file);
	put_scope(v, SEEN_CORE, "core_", shape->cores);
	put_scope(v, SEEN_PARTITION, "partition_", shape->partitions);
	put_scope(v, SEEN_GPU, "gpu_", 1);
	fputs("$enddefinitions $end\n", v->file);
	fprintf(v->file, "#%" PRIu64 "\n$dumpvars\n", v->see->from / v->see->port->core_ticks);
	for (size_t i = 0; i < v->see->gauges; i++)
		put_value(v, i, 0);
	for (uint32_t i = 0; i < v->see->warps; i++)
		if (v->used[i])
			put_value(v, v->see->gauges + i, IDLE);
	fputs("$end\n", v->file);
	if (v->changes)
		qsort(v->change, v->changes, sizeof *v->change, by_time);
	put_changes(v);
}

/* ---- life ------------------------------------------------------------------------------- */

struct seen_sink *vcd_new(struct seeing *see, FILE *file)
{
	struct vcd *v = sim_calloc(1, sizeof *v);

	if (!v)
		return NULL;
	v->see = see;
	v->file = file;
	v->sink = (struct seen_sink){ .next = see->sinks, .slice = slice, .gauge = gauge,
				      .change = change, .end = end };
	v->value = sim_calloc(see->gauges + 1, sizeof *v->value);
	v->used = sim_calloc(see->warps + 1, sizeof *v->used);
	if (!v->value || !v->used) {
		vcd_free(&v->sink);
		return NULL;
	}
	see->sinks = &v->sink;
	return &v->sink;
}

void vcd_free(struct seen_sink *sink)
{
	struct vcd *v = vcd_of(sink);

	if (!v)
		return;
	sim_free(v->change);
	sim_free(v->value);
	sim_free(v->used);
	sim_free(v);
}
