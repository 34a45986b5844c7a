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

void sim_l2_serve(struct sim_machine *machine, struct sim_partition *partition)
{
	uint32_t index;

	while ((index = sim_dram_serve(machine, &partition->dram)) != SIM_SLAB_NONE)
		dram_done(machine, partition, index);
	if (partition->dram.due < partition->due)
		partition->due = partition->dram.due;
}

/* ---- the L2 ------------------------------------------------------------------------ */

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
	line->dirty |= write;
	if (hit && !line->fetch && line->ready_at <= now) {
		complete_at(machine, partition, message, queue);
	} else if (machine->config.dram_banks && (!hit || line->fetch)) {
		dram_wait(machine, partition, message, queue + 1, place, hit);
		sim_l2_serve(machine, partition);
	} else {
		if (!hit)
			message->due += dram_access(machine, partition, now) - now +
					machine->config.dram_latency * machine->port.core_ticks;
		line->ready_at = complete_miss(machine, partition, message, queue + 1,
					       hit ? line->ready_at : 0);
	}
}
