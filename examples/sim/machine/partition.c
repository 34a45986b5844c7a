/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory partition: an L2 (l2.c) before a DRAM channel.
 *
 * The L2 takes one access of a core per cycle of its clock; units beside it have ports of
 * their own. With l2_port, units and cores share one port of so many bytes, in order of arrival.
 * The contents of memory change when the access is taken, in order of arrival;
 * the reply leaves when it has completed.
 */
#include "wiring.h"

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
	sim_l2_take(machine, partition, message, unit ? SIM_UNIT_HIT : SIM_CORE_HIT, write,
		  unit ? machine->config.unit_latency : machine->config.l2_latency);
}

/* Extra cycles, beyond the first, that the access holds the port of the L2. */
static uint64_t more_cycles(const struct sim_machine *machine, const struct sim_message *message)
{
	uint32_t bytes = sim_access_bytes(message), port = machine->config.l2_port, cycles = 0;

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
		sim_l2_serve(machine, partition);
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
