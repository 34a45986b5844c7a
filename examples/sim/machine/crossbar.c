/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two crossbars, one per direction. A source port sends one flit per crossbar cycle and a
 * sink port takes one per crossbar cycle (`concentration` cores have one of each); messages
 * of different sources meet only at
 * the sink, whose queue is without bound. A message that leaves its source at tick t
 * reaches the sink after the latency, waits for the messages before it, and has been
 * delivered when its last flit is through:
 *
 *	leaves    = max(sent, source free)         source free = leaves + flits
 *	delivered = max(leaves + latency, sink free) + flits     sink free = delivered
 */
#include <stdlib.h>
#include <string.h>

#include "wiring.h"
#include "../base/arena.h"

static void gates_free(struct sim_gate *gate, uint32_t count)
{
	for (uint32_t i = 0; gate && i < count; i++)
		sim_free(gate[i].queue.item);
	sim_free(gate);
}

static struct sim_gate *gates_make(enum sim_part part, uint32_t count)
{
	struct sim_gate *gate = sim_calloc(count, sizeof *gate);

	for (uint32_t i = 0; gate && i < count; i++)
		gate[i].turn = sim_turn_of(part, i);
	return gate;
}

int sim_crossbars_make(struct sim_machine *machine)
{
	uint32_t cores = machine->config.cores, partitions = machine->config.partitions;

	machine->up.source = gates_make(SIM_PORT_FROM_CORE, cores);
	machine->up.sink = gates_make(SIM_PORT_TO_PARTITION, partitions);
	machine->down.source = gates_make(SIM_PORT_FROM_PARTITION, partitions);
	machine->down.sink = gates_make(SIM_PORT_TO_CORE, cores);
	return machine->up.source && machine->up.sink && machine->down.source && machine->down.sink
		       ? 0 : -ENOMEM;
}

void sim_crossbars_free(struct sim_machine *machine)
{
	gates_free(machine->up.source, machine->config.cores);
	gates_free(machine->up.sink, machine->config.partitions);
	gates_free(machine->down.source, machine->config.partitions);
	gates_free(machine->down.sink, machine->config.cores);
}

static void gates_io(struct sim_machine *machine, struct sim_gate *gate, uint32_t count,
		     enum sim_way way, struct sim_io *io)
{
	for (uint32_t i = 0; i < count; i++) {
		sim_queue_io(&machine->port, &gate[i].queue, way, io);
		SIM_IO(io, gate[i].free);
	}
}

void sim_crossbars_io(struct sim_machine *machine, struct sim_io *io)
{
	gates_io(machine, machine->up.source, machine->config.cores, SIM_ASKING, io);
	gates_io(machine, machine->up.sink, machine->config.partitions, SIM_ASKING, io);
	gates_io(machine, machine->down.source, machine->config.partitions, SIM_ANSWERING, io);
	gates_io(machine, machine->down.sink, machine->config.cores, SIM_ANSWERING, io);
}

/* Send the message from its source port now. */
static void depart(struct sim_machine *machine, struct sim_gate *source, struct sim_gate *sink,
		   struct sim_message *message)
{
	uint64_t now = machine->port.now, ticks = message->flits * machine->crossbar_ticks;
	uint64_t arrives = now + machine->config.crossbar_latency * machine->crossbar_ticks;

	source->free = now + ticks;
	message->due = sink->free = sim_later(arrives, sink->free) + ticks;
	sim_queue_push(&machine->port, &sink->queue, message);
	if (sink->queue.count == 1)
		sim_wheel_wake(&machine->wheel, &sink->turn, message->due);
}

static void enter(struct sim_machine *machine, struct sim_gate *source, struct sim_gate *sink,
		  struct sim_message *message, uint32_t bytes)
{
	struct sim_traffic_count *count = &machine->port.result.traffic[message->kind];
	uint32_t flits = (bytes + machine->config.flit_bytes - 1) >> machine->flit_shift;
	uint64_t now = machine->port.now;

	message->flits = (uint16_t)flits;
	count->packets++;
	count->bytes += bytes;
	count->flits += flits;
	if (!source->queue.count && source->free <= now &&
	    sim_align(now, machine->crossbar_ticks) == now) {
		depart(machine, source, sink, message);
		return;
	}
	sim_queue_push(&machine->port, &source->queue, message);
	if (source->queue.count == 1)
		sim_wheel_wake(&machine->wheel, &source->turn,
			       sim_align(sim_later(source->free, now + 1),
					 machine->crossbar_ticks));
}

void sim_send_up(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	struct sim_machine *machine = sim_machine_of(port);

	enter(machine, &machine->up.source[machine->port_of[message->core]],
	      &machine->up.sink[message->partition], message, bytes);
}

void sim_send_down(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	struct sim_machine *machine = sim_machine_of(port);

	enter(machine, &machine->down.source[message->partition],
	      &machine->down.sink[machine->port_of[message->core]], message, bytes);
}

void sim_crossbar_source(struct sim_machine *machine, struct sim_crossbar *crossbar, uint32_t port)
{
	struct sim_gate *source = &crossbar->source[port];
	struct sim_message *message = sim_queue_head(&source->queue);

	if (message && source->free <= machine->port.now) {
		uint32_t to = crossbar == &machine->up ? message->partition :
							 machine->port_of[message->core];

		depart(machine, source, &crossbar->sink[to], message);
		sim_queue_pop(&source->queue);
	}
	if (source->queue.count)
		sim_wheel_wake(&machine->wheel, &source->turn, source->free);
}

const struct sim_message *sim_crossbar_sink(struct sim_machine *machine,
					    struct sim_crossbar *crossbar, uint32_t port)
{
	struct sim_gate *sink = &crossbar->sink[port];
	const struct sim_message *message = sim_queue_head(&sink->queue);

	if (!message)
		return NULL;
	if (message->due > machine->port.now) {
		sim_wheel_wake(&machine->wheel, &sink->turn, message->due);
		return NULL;
	}
	sim_queue_pop(&sink->queue);
	if (sink->queue.count)
		sim_wheel_wake(&machine->wheel, &sink->turn,
			       sim_later(sim_queue_head(&sink->queue)->due, machine->port.now + 1));
	return message;
}
