/* SPDX-License-Identifier: BSD-2-Clause */
/* Observes a run for all sinks: the window, attempts and their ends, events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gputm/tx_throttle.h"
#include "../base/arena.h"
#include "../base/names.h"
#include "../base/quote.h"
#include "seeing.h"
#include "../machine/mechanism.h"

/* ---- attempts --------------------------------------------------------------------------- */

static uint32_t thread_of(const struct seeing *see, uint32_t warp, uint64_t lane)
{
	return see->system->thread ? see->system->thread(see, warp, lane) :
				     see->port->warp[warp].thread[lane];
}

struct seen_actor seen_actor_of(const struct seeing *see, uint32_t warp, uint64_t lane)
{
	return (struct seen_actor){ see->port->now, see->warp[warp].attempt,
				    thread_of(see, warp, lane) & 0x3ffffff, lane & 63 };
}

void seen_accessed(struct seeing *see, struct seen_accesses *list, uint64_t lane, uint64_t address,
		   bool write)
{
	if (!SIM_ROOM(list->one, list->capacity, list->count + 1)) {
		see->starved = true;
		return;
	}
	list->one[list->count++] = (struct seen_access){ address, see->port->now, (uint8_t)lane,
							 write };
}

bool seen_running(const struct seeing *see, const struct seen_actor *actor)
{
	return actor->attempt != SEEN_NONE && see->attempt[actor->attempt].end == SIM_NEVER;
}

const char *seen_slice_name(const struct seeing *see, unsigned kind)
{
	static const char *const name[SEEN_SLICES] = {
		"execute", "commit", "wait for CIDs", "send logs", "validate",
		"wait for version", "write", "seal", "back-off", "leave", "wait to be admitted",
		"commit",
	};

	return kind < SIM_STAGES && see->system->stage[kind] ? see->system->stage[kind]
							     : name[kind];
}

void seen_name_word(const struct seeing *see, uint64_t address, char *name, size_t size)
{
	const struct sim_workload *workload = see->port->workload;

	*name = '\0';
	if (workload->class->name_word)
		workload->class->name_word(workload, address, false, name, size);
	name[strcspn(name, " ")] = '\0'; /* after it stand the lines that access the word */
	if (!*name)
		snprintf(name, size, "0x%" PRIx64, address);
}

static void slice(struct seeing *see, uint32_t warp, unsigned kind, uint64_t from, uint64_t to)
{
	from = from < see->opened_at ? see->opened_at : from;
	to = to > see->to ? see->to : to;
	for (struct seen_sink *sink = from < to ? see->sinks : NULL; sink; sink = sink->next)
		if (sink->slice)
			sink->slice(sink, warp, (enum seen_slice)kind, from, to);
}

static void end_stage(struct seeing *see, uint32_t number, uint64_t tick)
{
	struct seen_warp *warp = &see->warp[number];

	slice(see, number, warp->stage, warp->since, tick);
	if (warp->since < tick)
		warp->since = tick;
}

void seen_stage(struct seeing *see, uint32_t number, enum sim_stage stage, uint64_t tick)
{
	struct seen_warp *warp = &see->warp[number];

	if (warp->attempt == SEEN_NONE || warp->stage == stage)
		return;
	end_stage(see, number, tick < see->port->now ? tick : see->port->now);
	warp->stage = (uint8_t)stage;
}

static uint32_t add_attempt(struct seeing *see, uint32_t warp, uint32_t number, uint64_t tick)
{
	if (!SIM_ROOM(see->attempt, see->attempt_capacity, see->attempts + 1)) {
		see->starved = true;
		return SEEN_NONE;
	}
	see->attempt[see->attempts] = (struct seen_attempt){
		tick, SIM_NEVER, warp, number, 0,
	};
	return see->attempts++;
}

static void begin(struct seeing *see, uint32_t number, uint64_t lanes, uint64_t tick)
{
	struct seen_warp *warp = &see->warp[number];

	warp->number = warp->again ? warp->number + 1 : 1;
	warp->begin = warp->since = tick;
	warp->stage = SIM_STAGE_EXECUTE;
	warp->lanes = lanes;
	warp->committed = warp->aborted = 0;
	warp->attempt = add_attempt(see, number, warp->number, tick);
	for (SIM_EACH_LANE(lane, lanes)) {
		struct seen_loss *loss = seen_loss_of(see, number, lane);

		loss->how = loss->wait = loss->role = NULL;
		loss->has_address = false;
		loss->winner.attempt = SEEN_NONE;
	}
}

/* Attempts of the warp's transaction before this one: a running lane has aborted in all of them. */
static uint32_t attempts_before(const struct sim_warp *warp)
{
	uint32_t least = UINT32_MAX;

	for (SIM_EACH_LANE(lane, warp->inside))
		least = warp->attempt[lane] < least ? warp->attempt[lane] : least;
	return least == UINT32_MAX ? 0 : least;
}

/* Record the attempts that are running when the window begins. */
static void join(struct seeing *see, uint32_t number)
{
	const struct sim_warp *warp = see->port->warp ? &see->port->warp[number] : NULL;
	struct seen_warp *seen = &see->warp[number];

	seen->attempt = SEEN_NONE;
	seen->again = false;
	if (!warp || !warp->in_tx)
		return;
	seen->number = attempts_before(warp);
	seen->again = true;
	begin(see, number, warp->inside, warp->begins);
	if (warp->wait == SIM_SYSTEM)
		seen->stage = SEEN_COMMIT;
}

static void end_attempt(struct seeing *see, uint32_t number)
{
	struct seen_warp *warp = &see->warp[number];
	struct seen_attempt *attempt = &see->attempt[warp->attempt];
	uint64_t now = see->port->now > see->to ? see->to : see->port->now;

	end_stage(see, number, see->port->now);
	attempt->committed = warp->committed;
	attempt->end = now > attempt->begin ? now : attempt->begin;
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
		if (sink->attempt && attempt->begin <= now)
			sink->attempt(sink, warp, attempt);
	warp->attempt = SEEN_NONE;
}

/* ---- aborts ----------------------------------------------------------------------------- */

static bool same_cause(const struct seen_loss *a, const struct seen_loss *b)
{
	return a->winner.attempt == b->winner.attempt && a->how == b->how;
}

/* Lanes that lost against the same attempt abort together, and so do lanes without a winner. */
static void abort_lanes(struct seeing *see, uint32_t number, uint64_t lanes,
			enum sim_abort_reason reason)
{
	struct seen_warp *warp = &see->warp[number];

	struct seen_abort abort[SEEN_LANES];
	size_t aborts = 0;

	if (see->system->explain)
		see->system->explain(see, number, lanes, reason);
	warp->aborted |= lanes;
	while (lanes) {
		uint32_t first = (uint32_t)__builtin_ctzll(lanes);
		uint64_t same = 0;
		const struct seen_loss *loss = seen_loss_of(see, number, first);

		for (SIM_EACH_LANE(lane, lanes))
			if (same_cause(loss, seen_loss_of(see, number, lane)))
				same |= UINT64_C(1) << lane;
		lanes &= ~same;
		abort[aborts++] = (struct seen_abort){
			number, thread_of(see, number, first), same, see->port->now, reason, loss,
		};
	}
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
		if (sink->abort)
			sink->abort(sink, abort, aborts);
}

static void wrote(struct seeing *see, uint32_t number, uint64_t lane, uint64_t address)
{
	struct seen_word *word = seen_word_at(&see->words, address, true);

	see->starved |= !word;
	if (word)
		word->writer = seen_actor_of(see, number, lane);
}

static void lose(struct seeing *see, uint32_t number, uint64_t lane, uint64_t address, bool write)
{
	struct seen_loss *loss = seen_loss_of(see, number, lane);
	const struct seen_word *word = seen_word_at(&see->words, address, false);

	loss->how = write ? "a transaction that commits accesses a word that it had written"
			  : "another transaction commits, or has committed, a write of a word that "
			    "it had read";
	loss->tick = see->port->now;
	loss->address = address;
	loss->has_address = true;
	if (word)
		loss->winner = word->writer;
}

static void tell(void *state, uint32_t number, enum sim_seen what, uint64_t a, uint64_t b,
		 uint64_t c)
{
	struct seeing *see = state;
	struct seen_warp *warp = &see->warp[number];

	if (what == SIM_SEEN_BEGIN)
		begin(see, number, a, b);
	if (warp->attempt == SEEN_NONE)
		return;
	if (what == SIM_SEEN_STAGE)
		seen_stage(see, number, (enum sim_stage)a, see->port->now);
	if (what == SIM_SEEN_ABORT && a)
		abort_lanes(see, number, a, (enum sim_abort_reason)b);
	if (what == SIM_SEEN_COMMIT)
		warp->committed |= a;
	if (what == SIM_SEEN_WROTE)
		wrote(see, number, a, c);
	if (what == SIM_SEEN_LOST || what == SIM_SEEN_MET)
		lose(see, number, a, c, what == SIM_SEEN_MET);
	if (what != SIM_SEEN_OVER)
		return;
	end_attempt(see, number);
	slice(see, number, a ? SEEN_BACKOFF : SEEN_LEAVE, see->port->now, b);
	warp->again = a;
}

/* ---- events of units -------------------------------------------------------------------- */

static void on_event(void *state, const struct gputm_unit *unit, const struct gputm_event *event)
{
	const struct seen_tap *tap = state;
	struct seeing *see = tap->see;

	(void)unit;
	if (tap->event)
		tap->event(see, tap, event);
	for (struct seen_sink *sink = tap->told ? see->sinks : NULL; sink; sink = sink->next)
		if (sink->event)
			sink->event(sink, tap, event);
	for (struct seen_sink *sink = tap->gauges ? see->sinks : NULL; sink; sink = sink->next)
		if (sink->change)
			sink->change(sink, tap);
}

/* A warp that waited for admission is admitted. */
static void on_throttle(struct seeing *see, const struct seen_tap *tap,
			const struct gputm_event *event)
{
	const struct sim_warp *warp;

	if (event->kind != GPUTM_TX_THROTTLE_EVENT_ADMIT)
		return;
	warp = sim_warp_of(see->port, tap->instance, (uint32_t)event->value[0]);
	if (warp->asked)
		slice(see, warp->number, SEEN_ADMISSION, warp->asked - 1, see->port->now);
}

/* ---- the window ------------------------------------------------------------------------- */

static void look_at_gauges(struct seeing *see, bool all)
{
	struct gputm_stat stat;

	for (size_t i = 0; i < see->gauges; i++) {
		struct seen_gauge *gauge = &see->gauge[i];

		if (!gputm_unit_stat(gauge->unit, gauge->stat, &stat) ||
		    (stat.value == gauge->value && !all))
			continue;
		gauge->value = stat.value;
		for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
			if (sink->gauge)
				sink->gauge(sink, gauge, see->port->now);
	}
}

static void open_window(struct seeing *see)
{
	see->on = see->opened = true;
	see->opened_at = see->port->now;
	see->port->seer = see->warps_told ? &see->seer : NULL;
	for (size_t i = 0; i < see->taps; i++)
		if (gputm_unit_observe(sim_unit_face(see->port, see->tap[i].index), on_event,
				       &see->tap[i]))
			see->starved = true;
	for (uint32_t i = 0; see->warps_told && i < see->warps; i++)
		join(see, i);
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
		if (sink->begin)
			sink->begin(sink);
	look_at_gauges(see, true);
	see->next = see->port->now + see->period;
}

static void close_window(struct seeing *see)
{
	see->on = false;
	see->port->seer = NULL;
	for (size_t i = 0; i < see->taps; i++)
		gputm_unit_unobserve(sim_unit_face(see->port, see->tap[i].index), on_event,
				     &see->tap[i]);
	for (uint32_t i = 0; i < see->warps; i++)
		if (see->warp[i].attempt != SEEN_NONE)
			end_attempt(see, i);
	look_at_gauges(see, true);
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
		if (sink->close)
			sink->close(sink);
}

/* Do what is due now. @return the next tick at which something is due. */
static uint64_t look(void *state)
{
	struct seeing *see = state;
	uint64_t now = see->port->now, next;

	if (see->on && now >= see->to)
		close_window(see);
	if (!see->on && now >= see->from && now < see->to)
		open_window(see);
	if (see->on && now >= see->next) {
		look_at_gauges(see, false);
		see->next += (now - see->next + see->period) / see->period * see->period;
	}
	if (!see->on)
		return now < see->from ? see->from : SIM_NEVER;
	next = see->gauges && see->next < see->to ? see->next : see->to;
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next) {
		if (sink->look && now >= sink->due)
			sink->look(sink);
		if (sink->look && sink->due < next)
			next = sink->due;
	}
	return next;
}

/* ---- life ------------------------------------------------------------------------------- */

static bool named(const char *list, const char *name)
{
	char part[SIM_PATTERN];

	for (size_t i = 0; sim_pattern(list, i, part); i++)
		if (!strcmp(part, name))
			return true;
	return false;
}

/* Is each name a role or, under a TM system, "warps"? If not, print the valid names. */
static bool all_known(const struct sim_port *port, const char *list)
{
	const char *warps = port->ops == &flow_no_ops ? "" : "warps", *comma = *warps ? "," : "";
	char name[SIM_PATTERN];

	for (size_t n = 0; sim_pattern(list, n, name); n++) {
		bool found = *warps && !strcmp(name, warps);

		for (size_t i = 0; i < port->units; i++)
			found |= !strcmp(port->unit[i].role, name);
		if (found)
			continue;
		fprintf(stderr, "gputm-sim: --trace-only: got \"%s\", expected some of: %s",
			sim_quoted(name), warps);
		for (size_t i = 0; i < port->units; i++)
			if (!port->unit[i].instance) {
				fprintf(stderr, "%s%s", comma, port->unit[i].role);
				comma = ",";
			}
		fputc('\n', stderr);
		return false;
	}
	return true;
}

static seen_event_fn handler(const struct seeing *see, const char *role)
{
	const struct seen_role *known = see->system->role;

	for (; known->role; known++)
		if (!strcmp(known->role, role))
			return known->event;
	return strcmp(role, "tx_throttle") ? NULL : on_throttle;
}

static void add_gauges(struct seeing *see, const struct seen_tap *tap)
{
	struct gputm_stat stat;

	for (size_t i = 0; gputm_unit_stat(tap->unit, i, &stat); i++)
		if (stat.kind == GPUTM_STAT_GAUGE)
			see->gauge[see->gauges++] = (struct seen_gauge){
				tap->unit, tap->role, tap->instance, i, 0,
			};
}

static size_t count_gauges(const struct sim_port *port)
{
	struct gputm_stat stat;
	size_t gauges = 0;

	for (size_t i = 0; i < port->units; i++)
		for (size_t k = 0; gputm_unit_stat(sim_unit_face(port, i), k, &stat); k++)
			gauges += stat.kind == GPUTM_STAT_GAUGE;
	return gauges;
}

/* Observe the gauges of all units, or of the units asked for, which then report all their
 * events. */
static int make_taps(struct seeing *see, const char *only, bool changes)
{
	struct sim_port *port = see->port;

	see->tap = sim_calloc(port->units + 1, sizeof *see->tap);
	see->gauge = sim_calloc(count_gauges(port) + 1, sizeof *see->gauge);
	if (!see->tap || !see->gauge)
		return -ENOMEM;
	for (size_t i = 0; i < port->units; i++) {
		struct seen_tap tap = { see, sim_unit_face(port, i), port->unit[i].role,
					port->unit[i].instance, i, NULL, false, see->gauges, 0 };
		bool asked = !only || named(only, tap.role);

		if (asked)
			add_gauges(see, &tap);
		tap.gauges = changes ? see->gauges - tap.gauge : 0;
		tap.told = only ? asked : !strcmp(tap.role, "sync_round");
		tap.event = see->warps_told ? handler(see, tap.role) : NULL;
		if (tap.told || tap.event || tap.gauges)
			see->tap[see->taps++] = tap;
	}
	return 0;
}

static int make_warps(struct seeing *see)
{
	see->warps = see->port->shape.cores * see->port->shape.warps;
	see->warp = sim_calloc(see->warps + 1, sizeof *see->warp);
	see->loss = sim_calloc((size_t)see->warps * SEEN_LANES + 1, sizeof *see->loss);
	for (uint32_t i = 0; see->warp && i < see->warps; i++)
		see->warp[i].attempt = SEEN_NONE;
	return see->warp && see->loss ? 0 : -ENOMEM;
}

#define GAUGE_CYCLES 1000 /* cycles between samples, in a window without an end */
#define GAUGE_LOOKS 1000 /* number of samples in a window with an end */

void seeing_init(struct seeing *see)
{
	memset(see, 0, sizeof *see);
	see->look = (struct sim_look){ see, look };
	see->seer = (struct sim_seer){ see, tell };
}

int seeing_attach(struct seeing *see, struct sim_port *port, const struct seeing_request *request)
{
	uint64_t length = request->to - request->from;
	int error;

	see->port = port;
	see->system = request->system;
	see->from = request->from * port->core_ticks;
	see->to = request->to == SIM_NEVER ? SIM_NEVER : request->to * port->core_ticks;
	see->period = request->to == SIM_NEVER ? GAUGE_CYCLES : length / GAUGE_LOOKS;
	see->period = (see->period ? see->period : 1) * port->core_ticks;
	see->warps_shown = request->happenings && port->ops != &flow_no_ops &&
			   (!request->only || named(request->only, "warps"));
	see->warps_told = see->warps_shown || request->losses;
	if (request->only && !all_known(port, request->only))
		return -EINVAL;
	error = make_warps(see);
	if (!error && request->happenings)
		error = make_taps(see, request->only, request->changes);
	if (!error && see->warps_told && see->system->make)
		error = see->system->make(see);
	return error;
}

int seeing_end(struct seeing *see)
{
	if (see->on)
		close_window(see);
	for (struct seen_sink *sink = see->sinks; sink; sink = sink->next)
		if (sink->end)
			sink->end(sink);
	return see->starved ? -ENOMEM : 0;
}

void seeing_free(struct seeing *see)
{
	if (see->system && see->system->free)
		see->system->free(see);
	sim_free(see->attempt);
	sim_free(see->warp);
	sim_free(see->loss);
	sim_free(see->tap);
	sim_free(see->gauge);
	seen_words_free(&see->words);
}

enum seen_place seen_place_of(const struct gputm_unit *unit, uint32_t *number)
{
	const char *name = gputm_unit_name(unit);

	if (sscanf(name, "core %" SCNu32, number) == 1)
		return SEEN_CORE;
	if (sscanf(name, "partition %" SCNu32, number) == 1)
		return SEEN_PARTITION;
	*number = 0;
	return SEEN_GPU;
}

/* ---- words ------------------------------------------------------------------------------ */

struct seen_word *seen_word_at(struct seen_words *words, uint64_t key, bool add)
{
	size_t count = words->table.count, number;

	if (add && !SIM_ROOM(words->word, words->room, count + 1))
		return NULL;
	number = add ? sim_table_enter(&words->table, key) : sim_table_find(&words->table, key);
	if (number > count)
		words->word[count] = (struct seen_word){ .writer.attempt = SEEN_NONE,
							 .reader.attempt = SEEN_NONE };
	return number ? &words->word[number - 1] : NULL;
}

void seen_words_free(struct seen_words *words)
{
	sim_free(words->word);
	sim_free(words->table.place);
}
