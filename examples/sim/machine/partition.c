/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory partition: an L2 (write-back, write-allocate, LRU) before a DRAM channel.
 *
 * The L2 takes one access of a core per cycle of its clock; units beside it have ports of
 * their own. With l2_port, units and cores share one port of so many bytes, in order of arrival.
 * The contents of memory change when the access is taken, in order of arrival;
 * the reply leaves when it has completed:
 *
 *	hit	taken + l2_latency (unit_latency for units)
 *	miss	that + dram_latency + the time its line waits for and occupies the channel
 *	hit on a line that is still on its way: in order after the misses before it
 *
 * A dirty line that is evicted occupies the channel as well. So accesses of one line
 * complete in the order in which they were taken. The channel serves in order of arrival; with
 * dram_banks it is that of dram.c.
 */
#include "wiring.h"

/* Number of the line among those of its partition. */
static uint64_t line_number(const struct sim_machine *machine, uint64_t address)
{
	uint32_t chunk = (uint32_t)(address >> machine->port.interleave_shift);
	uint32_t lines = machine->port.interleave_shift - machine->line_shift;
	uint64_t within = address >> machine->line_shift & ((UINT64_C(1) << lines) - 1);

	return (uint64_t)(chunk / machine->config.partitions) << lines | within;
}

/* The least recently used place, from `first` on. */
static uint32_t line_oldest(const struct sim_machine *machine,
			    const struct sim_partition *partition, uint32_t first)
{
	uint32_t oldest = first;

	for (uint32_t i = first; i < first + machine->config.l2_ways; i++)
		if ((int32_t)(partition->line[i].used - partition->line[oldest].used) < 0)
			oldest = i;
	return oldest;
}

/* The place of the line, or the place to put it. */
static uint32_t line_find(const struct sim_machine *machine, struct sim_partition *partition,
			  uint64_t number)
{
	uint32_t set = (uint32_t)(number & (machine->sets - 1)), ways = machine->config.l2_ways;
	uint32_t first = set * ways, place = first + partition->recent[set];

	if (partition->tag[place] == number + 1)
		return place;
	for (place = first; place < first + ways && partition->tag[place] != number + 1; place++)
		;
	if (place == first + ways)
		place = line_oldest(machine, partition, first);
	partition->recent[set] = (uint8_t)(place - first);
	return place;
}

static uint64_t dram_access(struct sim_machine *machine, struct sim_partition *partition,
			    uint64_t at)
{
	uint64_t start = at << 8;

	if (partition->dram_free > start)
		start = partition->dram_free;
	partition->dram_free = start + machine->line_ticks256;
	machine->port.result.dram_bytes += machine->config.line_bytes;
	return (partition->dram_free + 255) >> 8;
}

/* Empty the place; a dirty line is written back. */
static void l2_evict(struct sim_machine *machine, struct sim_partition *partition, uint32_t place)
{
	struct sim_line *line = &partition->line[place];
	uint32_t fetch = SIM_SLAB_NONE;

	machine->port.result.l2_misses++;
	if (line->dirty && !machine->config.dram_banks)
		dram_access(machine, partition, machine->port.now);
	else if (line->dirty)
		fetch = sim_dram_take(machine, &partition->dram);
	if (fetch != SIM_SLAB_NONE) {
		sim_fetch_at(&partition->dram, fetch)->queue = SIM_COMPLETIONS;
		sim_dram_push(machine, &partition->dram, fetch, partition->tag[place] - 1);
	}
	line->dirty = false;
	line->fetch = 0;
}

static uint64_t last_due(const struct sim_queue *queue)
{
	uint32_t last = (queue->head + queue->count - 1) & (queue->capacity - 1);

	return queue->count ? queue->item[last].due : 0;
}

static void complete_at(struct sim_machine *machine, struct sim_partition *partition,
			struct sim_message *message, uint32_t queue)
{
	sim_queue_push(&machine->port, &partition->done[queue], message);
	if (message->due < partition->first[queue])
		partition->first[queue] = message->due;
	if (message->due < partition->due)
		partition->due = message->due;
}

/* Completions of a queue are in order, and so are those of a line. @return when this one is. */
static uint64_t complete_miss(struct sim_machine *machine, struct sim_partition *partition,
			      struct sim_message *message, uint32_t queue, uint64_t ready_at)
{
	message->due = sim_later(message->due, ready_at);
	message->due = sim_later(message->due, last_due(&partition->done[queue]));
	complete_at(machine, partition, message, queue);
	return message->due;
}

/* ---- DRAM with banks -------------------------------------------------------------- */

/* The access waits for its line, which the L2 has (hit: or will have). */
static void dram_wait(struct sim_machine *machine, struct sim_partition *partition,
		      const struct sim_message *message, uint32_t queue, uint32_t place, bool hit)
{
	struct sim_line *line = &partition->line[place];
	uint32_t index = sim_dram_take(machine, &partition->dram);
	struct sim_fetch *fetch;

	if (index == SIM_SLAB_NONE)
		return;
	fetch = sim_fetch_at(&partition->dram, index);
	fetch->message = *message;
	fetch->queue = (uint8_t)queue;
	fetch->place = place;
	if (hit) {
		struct sim_fetch *first = sim_fetch_at(&partition->dram, line->fetch - 1);
		uint32_t last = first->last ? first->last : line->fetch;

		sim_fetch_at(&partition->dram, last - 1)->next = index + 1;
		first->last = index + 1;
		return;
	}
	line->fetch = index + 1;
	sim_dram_push(machine, &partition->dram, index, partition->tag[place] - 1);
}

/* The channel serves the request: complete it and the accesses that wait for its line. */
static void dram_done(struct sim_machine *machine, struct sim_partition *partition, uint32_t index)
{
	struct sim_fetch fetch = *sim_fetch_at(&partition->dram, index);
	struct sim_line *line = &partition->line[fetch.place];
	bool there = line->fetch == index + 1;
	uint64_t ready_at = 0;

	sim_slab_give(&partition->dram.fetches, index);
	if (fetch.queue == SIM_COMPLETIONS)
		return;
	fetch.message.due += ((partition->dram.free + 255) >> 8) - fetch.asked +
			     machine->config.dram_latency * machine->port.core_ticks;
	for (;;) {
		ready_at = complete_miss(machine, partition, &fetch.message, fetch.queue, ready_at);
		if (!fetch.next)
			break;
		index = fetch.next - 1;
		fetch = *sim_fetch_at(&partition->dram, index);
		sim_slab_give(&partition->dram.fetches, index);
	}
	if (!there)
		return;
	line->fetch = 0;
	line->ready_at = ready_at;
}

static void dram_serve(struct sim_machine *machine, struct sim_partition *partition)
{
	uint32_t index;

	while ((index = sim_dram_serve(machine, &partition->dram)) != SIM_SLAB_NONE)
		dram_done(machine, partition, index);
	if (partition->dram.due < partition->due)
		partition->due = partition->dram.due;
}

/* ---- the L2 ------------------------------------------------------------------------ */

/* Access the line of message->a at this tick and queue the completion. */
static void l2_access(struct sim_machine *machine, struct sim_partition *partition,
		      struct sim_message *message, uint32_t queue, bool write, uint32_t latency)
{
	uint64_t number = line_number(machine, message->a);
	uint32_t place = line_find(machine, partition, number);
	struct sim_line *line = &partition->line[place];
	bool hit = partition->tag[place] == number + 1;
	uint64_t now = machine->port.now;

	machine->port.result.l2_accesses++;
	line->used = ++partition->used;
	message->due = now + latency * machine->port.core_ticks;
	if (!hit)
		l2_evict(machine, partition, place);
	partition->tag[place] = number + 1;
	line->dirty |= write;
	if (hit && !line->fetch && line->ready_at <= now) {
		complete_at(machine, partition, message, queue);
	} else if (machine->config.dram_banks && (!hit || line->fetch)) {
		dram_wait(machine, partition, message, queue + 1, place, hit);
		dram_serve(machine, partition);
	} else {
		if (!hit)
			message->due += dram_access(machine, partition, now) - now +
					machine->config.dram_latency * machine->port.core_ticks;
		line->ready_at = complete_miss(machine, partition, message, queue + 1,
					       hit ? line->ready_at : 0);
	}
}

/* ---- the effect of an access ---- */

static void perform_load(struct sim_machine *machine, struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	if (warp->in_tx && machine->port.ops->served)
		machine->port.ops->served(&machine->port, message);
	sim_load_lanes(machine, warp, message->b);
}

/* Under strong isolation what a plain access changes has a place in the serial order. */
static void tell_place(struct sim_machine *machine, uint64_t address, uint32_t value)
{
	const struct sim_observer *observer = machine->port.observer;

	if (machine->port.strong && observer && observer->placed)
		observer->placed(observer->state, address, value, machine->port.place);
}

static void perform_cas(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	for (SIM_EACH_LANE(lane, message->b)) {
		uint32_t old = sim_memory_read(machine->port.memory, warp->address[lane]);

		warp->loaded[lane] = old;
		if (old != warp->compare[lane])
			continue;
		sim_memory_write(machine->port.memory, warp->address[lane], warp->value[lane]);
		sim_tell_cas(&machine->port, warp->address[lane]);
		tell_place(machine, warp->address[lane], warp->value[lane]);
	}
}

static void perform_add(struct sim_machine *machine, const struct sim_message *message)
{
	struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);

	for (SIM_EACH_LANE(lane, message->c == SIM_NO_WORDS ? 0 : message->b)) {
		uint32_t old = sim_memory_read(machine->port.memory, warp->address[lane]);

		warp->loaded[lane] = old;
		sim_memory_write(machine->port.memory, warp->address[lane],
				 old + warp->value[lane]);
		sim_tell_add(&machine->port, warp->address[lane], old, warp->value[lane]);
	}
}

static void perform_store(struct sim_machine *machine, const struct sim_message *message)
{
	const struct sim_words *words;

	if (message->c == SIM_NO_WORDS)
		return;
	words = sim_words_at(machine, message->c);
	for (SIM_EACH_LANE(word, words->mask)) {
		sim_memory_write(machine->port.memory, message->a + 4 * word, words->value[word]);
		tell_place(machine, message->a + 4 * word, words->value[word]);
	}
	sim_words_give(machine, message->c);
}

static void perform(struct sim_machine *machine, struct sim_message *message)
{
	if (message->what == SIM_DO_LOAD)
		perform_load(machine, message);
	else if (message->what == SIM_DO_CAS)
		perform_cas(machine, message);
	else if (message->what == SIM_DO_ADD)
		perform_add(machine, message);
	else if (message->what == SIM_DO_STORE)
		perform_store(machine, message);
}

static void take(struct sim_machine *machine, struct sim_partition *partition,
		 struct sim_message *message)
{
	bool unit = message->what == SIM_DO_UNIT, write = message->more;

	if (!unit) {
		write = message->what >= SIM_DO_STORE && message->what <= SIM_DO_ADD;
		perform(machine, message);
	}
	l2_access(machine, partition, message, unit ? SIM_UNIT_HIT : SIM_CORE_HIT, write,
		  unit ? machine->config.unit_latency : machine->config.l2_latency);
}

/* Extra cycles, beyond the first, that the access holds the port of the L2. */
static uint64_t more_cycles(const struct sim_machine *machine, const struct sim_message *message)
{
	uint32_t bytes = message->d, port = machine->config.l2_port, cycles = 0;

	if (message->what == SIM_DO_UNIT)
		bytes = message->e;
	else if (message->what == SIM_DO_CAS || message->what == SIM_DO_ADD)
		bytes = 4 * (uint32_t)__builtin_popcountll(message->b);
	for (uint32_t moved = port; moved < bytes; moved += port)
		cycles++;
	return cycles;
}

/* Words of the line that an access of a core touches. */
static uint32_t words_of(const struct sim_machine *machine, const struct sim_message *message)
{
	const struct sim_warp *warp = sim_warp_of(&machine->port, message->core, message->warp);
	uint32_t words = 0;

	if (message->what == SIM_DO_STORE)
		return message->c == SIM_NO_WORDS ? 0 : sim_words_at(machine, message->c)->mask;
	for (SIM_EACH_LANE(lane, message->b))
		words |= UINT32_C(1) << (warp->address[lane] - message->a) / 4;
	return words;
}

static bool keeps(struct sim_machine *machine, struct sim_message *message)
{
	return machine->port.strong && message->what <= SIM_DO_ADD &&
	       machine->port.ops->keep(&machine->port, message, words_of(machine, message));
}

/* The L2 takes this access now. */
static void serve(struct sim_machine *machine, struct sim_partition *partition,
		  struct sim_message *message)
{
	partition->l2_free = machine->port.now + machine->port.unit_ticks;
	if (machine->config.l2_port)
		partition->l2_free += more_cycles(machine, message) * machine->port.unit_ticks;
	if (!keeps(machine, message))
		take(machine, partition, message);
}

/* The words that a unit reads. */
static uint32_t unit_words(struct sim_machine *machine, const struct gputm_mem_request *request)
{
	uint32_t index = sim_words_take(machine);
	struct sim_words *words = sim_words_at(machine, index);

	for (SIM_EACH_LANE(i, request->word_mask))
		words->value[i] = sim_memory_read(machine->port.memory, request->address + 4 * i);
	return index;
}

void sim_l2_unit_access(struct sim_port *port, uint32_t partition,
			const struct gputm_mem_request *request)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_partition *own = &machine->partition[partition];
	struct sim_message message = { .what = SIM_DO_UNIT, .c = SIM_NO_WORDS };

	message.a = request->address;
	message.b = request->tag;
	message.more = request->write;
	message.partition = (uint8_t)partition;
	message.e = 4 * sim_count_bits(request->word_mask);
	for (SIM_EACH_LANE(i, request->write ? request->word_mask : 0))
		sim_memory_write(port->memory, request->address + 4 * i, request->value[i]);
	if (!request->write && request->word_mask == 1)
		message.d = sim_memory_read(port->memory, request->address);
	else if (!request->write)
		message.c = unit_words(machine, request);
	/* The partition's turn, in which the unit asks, goes on with the accesses that wait. */
	if (!machine->config.l2_port)
		take(machine, own, &message);
	else if (own->in.count || own->l2_free > port->now)
		sim_queue_push(port, &own->in, &message);
	else
		serve(machine, own, &message);
}

/* ---- the partition's turn ---------------------------------------------------------- */

static void unit_done(struct sim_machine *machine, const struct sim_message *message)
{
	bool one = message->c == SIM_NO_WORDS;

	machine->port.ops->completed(&machine->port, message->partition, message->b,
				one ? &message->d : sim_words_at(machine, message->c)->value);
	if (!one)
		sim_words_give(machine, message->c);
}

static void reply(struct sim_machine *machine, struct sim_message *message)
{
	uint32_t bytes = 8 + (machine->port.strong ? message->e : 0); /* of a place among commits */

	if (message->what == SIM_DO_LOAD || message->what == SIM_DO_FETCH)
		bytes += message->d;
	else if (message->what == SIM_DO_CAS || message->what == SIM_DO_ADD)
		bytes += 4 * (uint32_t)__builtin_popcountll(message->b);
	message->kind++;
	sim_send_down(&machine->port, message, bytes);
}

static void complete_queue(struct sim_machine *machine, struct sim_partition *partition,
			   uint32_t queue)
{
	struct sim_queue *done = &partition->done[queue];
	struct sim_message *message;

	machine->run.last_work = machine->port.now;
	while ((message = sim_queue_head(done)) && message->due <= machine->port.now) {
		struct sim_message taken;

		if (message->what != SIM_DO_UNIT) {
			reply(machine, message);
			sim_queue_pop(done);
			continue;
		}
		taken = *message; /* the unit may ask for more, which comes into this queue */
		sim_queue_pop(done);
		unit_done(machine, &taken);
	}
	partition->first[queue] = message ? message->due : SIM_NEVER;
}

__attribute__((noinline)) static void complete(struct sim_machine *machine,
						struct sim_partition *partition)
{
	uint64_t due;

	if (partition->dram.due <= machine->port.now)
		dram_serve(machine, partition);
	due = partition->dram.due;
	for (uint32_t i = 0; i < SIM_COMPLETIONS; i++)
		if (partition->first[i] <= machine->port.now)
			complete_queue(machine, partition, i);
	for (uint32_t i = 0; i < SIM_COMPLETIONS; i++)
		due = partition->first[i] < due ? partition->first[i] : due;
	partition->due = due;
}

void sim_l2_access(struct sim_port *port, const struct sim_message *message)
{
	struct sim_machine *machine = sim_machine_of(port);
	struct sim_partition *partition = &machine->partition[message->partition];

	sim_queue_push(port, &partition->in, message);
	if (partition->in.count == 1)
		sim_wheel_wake(&machine->wheel, &partition->turn,
			       sim_later(port->now + 1, partition->l2_free));
}

void sim_partition_accept(struct sim_machine *machine, const struct sim_message *message)
{
	machine->run.last_work = machine->port.now;
	if (message->what >= SIM_DO_SYSTEM)
		machine->port.ops->at_partition(&machine->port, message);
	else if (!machine->port.ops->hold || !machine->port.ops->hold(&machine->port, message))
		sim_l2_access(&machine->port, message);
}

bool sim_l2_awaits(const struct sim_port *port, uint32_t partition, const struct sim_warp *warp)
{
	const struct sim_machine *machine = (const struct sim_machine *)port;

	return sim_queue_has_store(&machine->partition[partition].in, warp);
}

/* Take an access if the L2 is free. @return when the next access can be taken. */
__attribute__((noinline)) static uint64_t accesses(struct sim_machine *machine,
						    struct sim_partition *partition)
{
	struct sim_message *message = sim_queue_head(&partition->in);

	if (partition->l2_free <= machine->port.now) {
		serve(machine, partition, message);
		sim_queue_pop(&partition->in);
	}
	return partition->in.count ? partition->l2_free : SIM_NEVER;
}

void sim_partition_call(struct sim_machine *machine, uint32_t index)
{
	struct sim_partition *partition = &machine->partition[index];
	uint64_t next = SIM_NEVER;

	if (partition->due <= machine->port.now)
		complete(machine, partition);
	if (partition->unit_due <= machine->port.now) {
		partition->unit_due = SIM_NEVER;
		next = machine->port.ops->partition_tick(&machine->port, index);
	}
	if (partition->unit_due < next)
		next = partition->unit_due;
	partition->unit_due = next;
	if (partition->in.count) {
		uint64_t access = accesses(machine, partition);

		next = access < next ? access : next;
	}
	sim_wheel_wake(&machine->wheel, &partition->turn,
		       partition->due < next ? partition->due : next);
}
