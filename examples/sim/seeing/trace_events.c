/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace events. A process is a core, a partition or what the GPU has once; a track is a warp or a
 * unit. A microsecond of the viewer is a cycle of the cores.
 *
 * On a warp's track are its attempts, named by their ends, and in them their stages; back-offs and
 * waits stand between. The first stage begins a thousandth of a cycle after its attempt: of slices
 * that begin together viewers take the first one of the file as the outer one, and an attempt is
 * written when it ends. An abort is a mark in its attempt. If it is known who won, an arrow joins
 * the two; as viewers want arrows that go forward in time, it leads from the attempt of the winner,
 * when that did what was fatal, to the attempt that aborts. Of the lanes that abort together only
 * the first ones have arrows: arrows for all lanes would fill most of the file, and nobody could
 * tell them apart.
 */
#include <stdlib.h>
#include <string.h>

#include "trace_events.h"
#include "../base/arena.h"

enum { OF_CORES = 1, OF_PARTITIONS = 101, OF_GPU = 201 }; /* numbers of processes */
#define OF_UNITS 1000 /* number of a track: that and the unit's */
#define MOST_ARROWS 2 /* of a mark */

struct trace {
	struct seen_sink sink; /* first */
	struct seeing *see;
	FILE *file;
	uint64_t arrows;
	bool more;
	size_t used; /* of text, which goes to the file when it is full */
	char text[1 << 16];
	bool *known; /* tracks that are named already: first those of warps, then those of units */
};

static struct trace *trace_of(struct seen_sink *sink)
{
	return (struct trace *)sink;
}

/* ---- pieces of JSON --------------------------------------------------------------------- */

static void flush(struct trace *t)
{
	fwrite(t->text, 1, t->used, t->file);
	t->used = 0;
}

/* Text of at most 256 bytes. printf() would take most of the time of a trace. */
static void put(struct trace *t, const char *text)
{
	size_t length = strlen(text);

	if (t->used > sizeof t->text - 256)
		flush(t);
	memcpy(t->text + t->used, text, length);
	t->used += length;
}

static void put_digits(struct trace *t, const char *before, uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits;

	digits[--at] = '\0';
	do
		digits[--at] = "0123456789abcdef"[number % base];
	while (number /= base);
	put(t, before);
	put(t, digits + at);
}

static void put_number(struct trace *t, const char *before, uint64_t number)
{
	put_digits(t, before, number, 10);
}

/* Thousandths of a cycle. */
static uint64_t thousandths(const struct trace *t, uint64_t tick)
{
	return tick * 1000 / t->see->port->core_ticks;
}

static void put_time(struct trace *t, const char *before, uint64_t time)
{
	unsigned rest = (unsigned)(time % 1000);

	put_number(t, before, time / 1000);
	if (rest)
		put_number(t, rest < 10 ? ".00" : rest < 100 ? ".0" : ".", rest);
}

static void put_head(struct trace *t, const char *phase, uint32_t process, uint32_t track)
{
	put(t, t->more ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	put(t, phase);
	put_number(t, "\",\"pid\":", process);
	put_number(t, ",\"tid\":", track);
	t->more = true;
}

static void put_name(struct trace *t, const char *what, uint32_t process, uint32_t track,
		     const char *name, uint32_t number)
{
	put_head(t, "M", process, track);
	put(t, ",\"name\":\"");
	put(t, what);
	put(t, "\",\"args\":{\"name\":\"");
	put(t, name);
	if (number != SEEN_NONE)
		put_number(t, " ", number);
	put(t, "\"}}");
}

/* Viewers sort by name where nothing else is said: warp 10 before warp 2. */
static void put_order(struct trace *t, const char *what, uint32_t process, uint32_t track,
		      uint32_t order)
{
	put_head(t, "M", process, track);
	put(t, ",\"name\":\"");
	put(t, what);
	put_number(t, "\",\"args\":{\"sort_index\":", order);
	put(t, "}}");
}

/* ---- warps ------------------------------------------------------------------------------ */

static void put_warp_head(struct trace *t, const char *phase, uint32_t warp)
{
	uint32_t warps = t->see->port->shape.warps, process = OF_CORES + warp / warps;

	if (!t->known[warp]) {
		put_name(t, "thread_name", process, warp % warps + 1, "warp", warp % warps);
		put_order(t, "thread_sort_index", process, warp % warps + 1, warp % warps);
	}
	t->known[warp] = true;
	put_head(t, phase, process, warp % warps + 1);
}

static void put_slice(struct trace *t, uint32_t warp, const char *name, uint64_t from, uint64_t to)
{
	put_warp_head(t, "X", warp);
	put_time(t, ",\"ts\":", from);
	put_time(t, ",\"dur\":", to - from);
	put(t, ",\"name\":\"");
	put(t, name);
}

/* The tick from which an attempt is shown. */
static uint64_t shown_from(const struct trace *t, const struct seen_attempt *a)
{
	return a->begin < t->see->opened_at ? t->see->opened_at : a->begin;
}

static void slice(struct seen_sink *sink, uint32_t warp, enum seen_slice kind, uint64_t from,
		  uint64_t to)
{
	struct trace *t = trace_of(sink);
	uint32_t attempt = t->see->warp[warp].attempt;
	bool first = attempt != SEEN_NONE && shown_from(t, &t->see->attempt[attempt]) == from;

	put_slice(t, warp, seen_slice_name(t->see, kind), thousandths(t, from) + first,
		  thousandths(t, to));
	put(t, "\"}");
}

static unsigned count(uint64_t lanes)
{
	return (unsigned)__builtin_popcountll(lanes);
}

static const char *name_of(const struct seen_warp *warp)
{
	return warp->committed && warp->aborted ? "partly aborted" : warp->aborted ? "aborted" :
	       warp->committed ? "committed" : "attempt";
}

static void attempt(struct seen_sink *sink, const struct seen_warp *warp,
		    const struct seen_attempt *a)
{
	struct trace *t = trace_of(sink);

	put_slice(t, a->warp, name_of(warp), thousandths(t, shown_from(t, a)),
		  thousandths(t, a->end));
	put_number(t, "\",\"args\":{\"attempt\":", a->number);
	put_number(t, ",\"threads\":", count(warp->lanes));
	if (warp->committed && warp->aborted)
		put_number(t, ",\"aborted\":", count(warp->aborted));
	put(t, "}}");
}

/* ---- aborts ----------------------------------------------------------------------------- */

/* The time within an attempt nearest to the tick, but not its end, which is outside. */
static uint64_t time_in(const struct trace *t, const struct seen_attempt *a, uint64_t tick)
{
	uint64_t time = thousandths(t, tick), begin = thousandths(t, shown_from(t, a));
	uint64_t end = a->end == SIM_NEVER ? time + 1 : thousandths(t, a->end);

	if (time >= end)
		time = end >= begin + 1000 ? end - 1000 : end - 1;
	return time > begin ? time : begin;
}

static void put_end(struct trace *t, const char *phase, const struct seen_attempt *a,
		    uint64_t arrow, uint64_t time)
{
	put_warp_head(t, phase, a->warp);
	put_number(t, ",\"id\":", arrow);
	put_time(t, ",\"name\":\"won\",\"cat\":\"won\",\"ts\":", time);
	put(t, *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

static bool has_arrow(const struct trace *t, const struct seen_abort *abort)
{
	uint32_t winner = abort->loss->winner.attempt;

	return winner != SEEN_NONE && winner != t->see->warp[abort->warp].attempt;
}

static void put_arrow(struct trace *t, const struct seen_abort *abort, uint64_t arrow)
{
	const struct seen_actor *winner = &abort->loss->winner;
	const struct seen_attempt *won = &t->see->attempt[winner->attempt];
	struct seen_attempt lost = t->see->attempt[t->see->warp[abort->warp].attempt];
	uint64_t from = time_in(t, won, winner->tick), to;

	lost.end = abort->tick; /* it may be over in this tick */
	to = time_in(t, &lost, abort->tick);
	put_end(t, "s", won, arrow, from < to ? from : to);
	put_end(t, "f", &lost, arrow, to);
}

static void put_loss(struct trace *t, const struct seen_abort *abort, const char *before,
		     bool arrow)
{
	const struct seen_loss *loss = abort->loss;
	const struct seen_attempt *won = &t->see->attempt[loss->winner.attempt];
	uint32_t warps = t->see->port->shape.warps;

	put(t, before);
	put_number(t, "\"thread ", abort->thread);
	put_digits(t, " at 0x", loss->address, 16);
	put_number(t, " to ", loss->winner.thread);
	put_number(t, " of core ", won->warp / warps);
	put_number(t, " warp ", won->warp % warps);
	if (arrow)
		put_number(t, ", arrow ", ++t->arrows);
	put(t, "\"");
}

/* One mark for all lanes; it lists those that lost against someone, one thread of each attempt. */
static void aborted(struct seen_sink *sink, const struct seen_abort *abort, size_t aborts)
{
	struct trace *t = trace_of(sink);
	uint64_t arrow = t->arrows;
	const char *before = ",\"lost\":[";
	uint64_t lanes = 0, last = arrow + MOST_ARROWS;

	for (size_t i = 0; i < aborts; i++)
		lanes |= abort[i].lanes;
	put_warp_head(t, "i", abort->warp);
	put_time(t, ",\"ts\":", thousandths(t, abort->tick));
	put(t, ",\"name\":\"abort: ");
	put(t, sim_abort_reason_name[abort->reason]);
	put_number(t, "\",\"args\":{\"threads\":", count(lanes));
	for (size_t i = 0; i < aborts; i++)
		if (abort[i].loss->winner.attempt != SEEN_NONE) {
			put_loss(t, &abort[i], before,
				 t->arrows < last && has_arrow(t, &abort[i]));
			before = ",";
		}
	put(t, before[1] ? "}}" : "]}}");
	for (size_t i = 0; i < aborts && arrow < t->arrows; i++)
		if (has_arrow(t, &abort[i]))
			put_arrow(t, &abort[i], ++arrow);
}

/* ---- units ------------------------------------------------------------------------------ */

static uint32_t process_of(const struct gputm_unit *unit)
{
	static const uint32_t first[] = { OF_GPU, OF_CORES, OF_PARTITIONS };
	uint32_t number;

	return first[seen_place_of(unit, &number)] + number;
}

static void gauge(struct seen_sink *sink, const struct seen_gauge *g, uint64_t tick)
{
	struct trace *t = trace_of(sink);
	struct gputm_stat stat;

	if (!gputm_unit_stat(g->unit, g->stat, &stat))
		return;
	put_head(t, "C", process_of(g->unit), 0);
	put_time(t, ",\"ts\":", thousandths(t, tick));
	put(t, ",\"name\":\"");
	put(t, g->role);
	put(t, ".");
	put(t, stat.name);
	put(t, "\",\"args\":{\"");
	put(t, stat.measure);
	put_number(t, "\":", g->value);
	put(t, "}}");
}

static void put_field(struct trace *t, const struct gputm_event_field *field, uint64_t value)
{
	const char *measure = field->measure;

	bool hex = strstr(measure, "address") || strstr(measure, "mask");

	put(t, ",\"");
	put(t, field->name);
	if (field->choices && value < field->choice_count) {
		put(t, "\":\"");
		put(t, field->choices[value]);
	} else {
		put_digits(t, hex ? "\":\"0x" : "\":\"", value, hex ? 16 : 10);
	}
	put(t, "\"");
}

static void event(struct seen_sink *sink, const struct seen_tap *tap,
		  const struct gputm_event *event)
{
	struct trace *t = trace_of(sink);
	uint32_t process = process_of(tap->unit), track = OF_UNITS + (uint32_t)tap->index;
	struct gputm_event_kind kind;
	bool *known = &t->known[t->see->warps + tap->index];

	if (!gputm_unit_event(tap->unit, event->kind, &kind))
		return;
	if (!*known)
		put_name(t, "thread_name", process, track, tap->role, SEEN_NONE);
	*known = true;
	put_head(t, "i", process, track);
	put_time(t, ",\"ts\":", thousandths(t, t->see->port->now));
	put(t, ",\"name\":\"");
	put(t, event->name);
	put_number(t, "\",\"args\":{\"instance\":", tap->instance);
	for (int i = 0; i < 4 && kind.field[i].name; i++)
		put_field(t, &kind.field[i], event->value[i]);
	put(t, "}}");
}

/* ---- the file --------------------------------------------------------------------------- */

static void put_process(struct trace *t, uint32_t process, const char *name, uint32_t number)
{
	put_name(t, "process_name", process, 0, name, number);
	put_order(t, "process_sort_index", process, 0, process);
}

static void end(struct seen_sink *sink)
{
	struct trace *t = trace_of(sink);
	const struct sim_shape *shape = &t->see->port->shape;

	put_process(t, OF_GPU, "GPU", SEEN_NONE);
	for (uint32_t i = 0; i < shape->cores; i++)
		put_process(t, OF_CORES + i, "core", i);
	for (uint32_t i = 0; i < shape->partitions; i++)
		put_process(t, OF_PARTITIONS + i, "partition", i);
	put(t, "\n]}\n");
	flush(t);
}

struct seen_sink *trace_events_new(struct seeing *see, FILE *file)
{
	struct trace *t = sim_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->see = see;
	t->file = file;
	t->sink = (struct seen_sink){ .next = see->sinks, .slice = slice, .attempt = attempt,
				      .abort = aborted, .gauge = gauge, .event = event,
				      .end = end };
	t->known = sim_calloc(see->warps + see->port->units + 1, sizeof *t->known);
	if (!t->known) {
		sim_free(t);
		return NULL;
	}
	see->sinks = &t->sink;
	put(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return &t->sink;
}

void trace_events_free(struct seen_sink *sink)
{
	if (sink)
		sim_free(trace_of(sink)->known);
	sim_free(sink);
}
