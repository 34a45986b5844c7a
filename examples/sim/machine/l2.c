/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The L2 of a partition: write-back, write-allocate, LRU. An access completes, that is its reply
 * leaves, at
 *
 *	hit	taken + l2_latency (unit_latency for units)
 *	miss	that + dram_latency + the time its line waits for and occupies the channel
 *	hit on a line that is still on its way: in order after the misses before it
 *
 * A dirty line that is evicted occupies the channel as well. So accesses of one line
 * complete in the order in which they were taken. The channel serves in order of arrival; with
 * dram_banks it is that of dram.c.
 *
 * With l2_write_miss a write whose line is not there when it has passed the L2 goes to DRAM itself,
 * in bursts of so many bytes, and completes with them. If the line is not on its way, it is asked
 * for after that write, and comes clean. At 2950 MB/s and 1400 MHz a line occupies the channel for
 * 61 cycles and a burst of 32 B for 15, so that at 230 + 200 cycles without the channel
 *
 *	at 0	write	misses: it completes at 446, and the line comes at 506
 *	at 8	write	the line is on its way: 522
 *	at 9	read	522, after that write
 *	at 280	write	the line is there at 280 + 230: 522, after that write
 *	at 600	write	hits: 830
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

/* So many bytes occupy the channel. @return when they have passed. */
static uint64_t dram_access(struct sim_machine *machine, struct sim_partition *partition,
			    uint32_t bytes)
{
	uint64_t start = machine->port.now << 8;

	if (partition->dram_free > start)
		start = partition->dram_free;
	partition->dram_free = start + sim_dram_ticks256(machine, bytes);
	machine->port.result.dram_bytes += bytes;
	return (partition->dram_free + 255) >> 8;
}

/* Empty the place; a dirty line is written back. */
static void l2_evict(struct sim_machine *machine, struct sim_partition *partition, uint32_t place)
{
	struct sim_line *line = &partition->line[place];
	uint32_t fetch = SIM_SLAB_NONE;

	machine->port.result.l2_misses++;
	if (line->dirty && !machine->config.dram_banks)
		dram_access(machine, partition, machine->config.line_bytes);
	else if (line->dirty)
		fetch = sim_dram_take(machine, &partition->dram);
	if (fetch != SIM_SLAB_NONE) {
		sim_fetch_at(&partition->dram, fetch)->queue = SIM_WRITE_BACK;
		sim_dram_push(machine, &partition->dram, fetch, partition->tag[place] - 1,
			      machine->config.line_bytes, true);
	}
	line->dirty = false;
	line->fetch = line->fill = 0;
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

/* A request or an access of the line at this place; SIM_SLAB_NONE when the run has failed. */
static uint32_t fetch_new(struct sim_machine *machine, struct sim_partition *partition,
			  const struct sim_message *message, uint32_t queue, uint32_t place)
{
	uint32_t index = sim_dram_take(machine, &partition->dram);
	struct sim_fetch *fetch;

	if (index == SIM_SLAB_NONE)
		return index;
	fetch = sim_fetch_at(&partition->dram, index);
	fetch->message = *message;
	fetch->queue = (uint8_t)queue;
	fetch->place = place;
	return index;
}

/* The access waits for the last request of its line. */
static void dram_wait(struct sim_machine *machine, struct sim_partition *partition,
		      const struct sim_message *message, uint32_t queue, uint32_t place)
{
	uint32_t index = fetch_new(machine, partition, message, queue, place), last;
	struct sim_line *line = &partition->line[place];
	struct sim_fetch *first;

	if (index == SIM_SLAB_NONE)
		return;
	first = sim_fetch_at(&partition->dram, line->fetch - 1);
	last = first->last ? first->last : line->fetch;
	sim_fetch_at(&partition->dram, last - 1)->next = index + 1;
	first->last = index + 1;
}

/* The access, or SIM_FILL, asks DRAM for so many bytes of its line. */
static void dram_ask(struct sim_machine *machine, struct sim_partition *partition,
		     const struct sim_message *message, uint32_t queue, uint32_t place,
		     uint32_t bytes, bool write)
{
	uint32_t index = fetch_new(machine, partition, message, queue, place);

	if (index == SIM_SLAB_NONE)
		return;
	partition->line[place].fetch = index + 1;
	sim_dram_push(machine, &partition->dram, index, partition->tag[place] - 1, bytes, write);
}

/* DRAM is asked for the line. */
static void dram_fill(struct sim_machine *machine, struct sim_partition *partition,
		      const struct sim_message *message, uint32_t queue, uint32_t place)
{
	dram_ask(machine, partition, message, queue, place, machine->config.line_bytes, false);
	partition->line[place].fill = partition->line[place].fetch;
}

/* The channel serves the request: complete it and the accesses that wait for it. */
static void dram_done(struct sim_machine *machine, struct sim_partition *partition, uint32_t index)
{
	struct sim_fetch fetch = *sim_fetch_at(&partition->dram, index);
	struct sim_line *line = &partition->line[fetch.place];
	bool last = line->fetch == index + 1;
	uint64_t ready_at = 0;

	sim_slab_give(&partition->dram.fetches, index);
	if (fetch.queue == SIM_WRITE_BACK)
		return;
	fetch.message.due += ((partition->dram.free + 255) >> 8) - fetch.asked +
			     machine->config.dram_latency * machine->port.core_ticks;
	if (line->fill == index + 1) {
		line->fill = 0;
		line->filled_at = fetch.message.due;
	}
	for (;;) {
		ready_at = fetch.queue == SIM_FILL ?
				   fetch.message.due :
				   complete_miss(machine, partition, &fetch.message, fetch.queue,
						 ready_at);
		if (!fetch.next)
			break;
		index = fetch.next - 1;
		fetch = *sim_fetch_at(&partition->dram, index);
		sim_slab_give(&partition->dram.fetches, index);
	}
	if (!last)
		return;
	line->fetch = 0;
	line->ready_at = ready_at;
}

void sim_l2_serve(struct sim_machine *machine, struct sim_partition *partition)
{
	uint32_t index;

	while ((index = sim_dram_serve(machine, &partition->dram)) != SIM_SLAB_NONE)
		dram_done(machine, partition, index);
	if (partition->dram.due < partition->due)
		partition->due = partition->dram.due;
}

/* ---- the L2 ------------------------------------------------------------------------ */

uint32_t sim_access_bytes(const struct sim_message *message)
{
	if (message->what == SIM_DO_UNIT)
		return message->e;
	if (message->what == SIM_DO_CAS || message->what == SIM_DO_ADD)
		return 4 * (uint32_t)__builtin_popcountll(message->b);
	return message->d;
}

/* Does the access go to DRAM itself, as a write whose line is not here when it has passed the L2?
 * An atomic waits for the word that it reads. */
static bool goes_past(const struct sim_message *message, const struct sim_line *line, bool hit)
{
	bool store = message->what == SIM_DO_STORE ||
		     (message->what == SIM_DO_UNIT && message->more);

	return store && (!hit || line->fill || line->filled_at > message->due);
}

/* The write goes to DRAM, and after it what brings its line, if nothing does so yet. */
static void write_past(struct sim_machine *machine, struct sim_partition *partition,
		       struct sim_message *message, uint32_t queue, uint32_t place, bool hit)
{
	uint32_t burst = machine->config.l2_write_miss, line_bytes = machine->config.line_bytes;
	uint32_t bytes = (sim_access_bytes(message) + burst - 1) & ~(burst - 1);
	uint64_t extra = machine->config.dram_latency * machine->port.core_ticks;
	struct sim_line *line = &partition->line[place];

	if (machine->config.dram_banks) {
		dram_ask(machine, partition, message, queue, place, bytes, true);
		if (!hit)
			dram_fill(machine, partition, message, SIM_FILL, place);
		sim_l2_serve(machine, partition);
		return;
	}
	extra += message->due - machine->port.now;
	message->due = dram_access(machine, partition, bytes) + extra;
	if (!hit)
		line->filled_at = dram_access(machine, partition, line_bytes) + extra;
	line->ready_at = sim_later(complete_miss(machine, partition, message, queue,
						 hit ? line->ready_at : 0),
				   line->filled_at);
}

void sim_l2_take(struct sim_machine *machine, struct sim_partition *partition,
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
	if (machine->config.l2_write_miss && goes_past(message, line, hit)) {
		write_past(machine, partition, message, queue + 1, place, hit);
		return;
	}
	line->dirty |= write;
	if (hit && !line->fetch && line->ready_at <= now) {
		complete_at(machine, partition, message, queue);
	} else if (machine->config.dram_banks && (!hit || line->fetch)) {
		if (hit)
			dram_wait(machine, partition, message, queue + 1, place);
		else
			dram_fill(machine, partition, message, queue + 1, place);
		sim_l2_serve(machine, partition);
	} else {
		if (!hit) {
			message->due +=
				dram_access(machine, partition, machine->config.line_bytes) - now +
				machine->config.dram_latency * machine->port.core_ticks;
			line->filled_at = message->due;
		}
		line->ready_at = complete_miss(machine, partition, message, queue + 1,
					       hit ? line->ready_at : 0);
	}
}
