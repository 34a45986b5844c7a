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

int sim_crossbars_make(struct sim_machine *machine)
{
	uint32_t cores = machine->config.cores, partitions = machine->config.partitions;

	machine->up.source_part = SIM_PORT_FROM_CORE;
	machine->up.sink_part = SIM_PORT_TO_PARTITION;
	machine->down.source_part = SIM_PORT_FROM_PARTITION;
	machine->down.sink_part = SIM_PORT_TO_CORE;
	machine->up.source = sim_calloc(cores, sizeof *machine->up.source);
	machine->up.sink = sim_calloc(partitions, sizeof *machine->up.sink);
	machine->down.source = sim_calloc(partitions, sizeof *machine->down.source);
	machine->down.sink = sim_calloc(cores, sizeof *machine->down.sink);
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
static void depart(struct sim_machine *machine, struct sim_crossbar *crossbar,
		   struct sim_gate *source, struct sim_message *message, uint32_t to)
{
	struct sim_gate *sink = &crossbar->sink[to];
	uint64_t now = machine->port.now, ticks = message->flits * machine->crossbar_ticks;
	uint64_t arrives = now + machine->config.crossbar_latency * machine->crossbar_ticks;

	source->free = now + ticks;
	message->due = (arrives > sink->free ? arrives : sink->free) + ticks;
	sink->free = message->due;
	sim_queue_push(&machine->port, &sink->queue, message);
	if (sink->queue.count == 1)
		sim_wheel_wake(&machine->wheel, crossbar->sink_part, to, message->due);
}

static inline void enter(struct sim_machine *machine, struct sim_crossbar *crossbar, uint32_t from,
			 uint32_t to, struct sim_message *message, uint32_t bytes)
{
	struct sim_gate *source = &crossbar->source[from];
	struct sim_traffic_count *count = &machine->port.result.traffic[message->kind];
	uint32_t flits = (bytes + machine->config.flit_bytes - 1) / machine->config.flit_bytes;

	message->flits = (uint16_t)flits;
	count->packets++;
	count->bytes += bytes;
	count->flits += flits;
	if (!source->queue.count && source->free <= machine->port.now &&
	    machine->port.now % machine->crossbar_ticks == 0) {
		depart(machine, crossbar, source, message, to);
		return;
	}
	sim_queue_push(&machine->port, &source->queue, message);
	if (source->queue.count == 1) {
		uint64_t next = machine->port.now + 1;

		sim_wheel_wake(&machine->wheel, crossbar->source_part, from,
			       sim_align(source->free > next ? source->free : next,
					 machine->crossbar_ticks));
	}
}

void sim_send_up(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	struct sim_machine *machine = sim_machine_of(port);

	enter(machine, &machine->up, machine->port_of[message->core], message->partition, message,
	      bytes);
}

void sim_send_down(struct sim_port *port, struct sim_message *message, uint32_t bytes)
{
	struct sim_machine *machine = sim_machine_of(port);

	enter(machine, &machine->down, message->partition, machine->port_of[message->core], message,
	      bytes);
}

void sim_crossbar_source(struct sim_machine *machine, struct sim_crossbar *crossbar, uint32_t port)
{
	struct sim_gate *source = &crossbar->source[port];
	struct sim_message *message = sim_queue_head(&source->queue);

	if (message && source->free <= machine->port.now) {
		depart(machine, crossbar, source, message,
		       crossbar == &machine->up ? message->partition :
						  machine->port_of[message->core]);
		sim_queue_pop(&source->queue);
	}
	if (source->queue.count)
		sim_wheel_wake(&machine->wheel, crossbar->source_part, port, source->free);
}

void sim_crossbar_sink(struct sim_machine *machine, struct sim_crossbar *crossbar, uint32_t port,
		       void (*accept)(struct sim_machine *machine,
				      const struct sim_message *message))
{
	struct sim_queue *queue = &crossbar->sink[port].queue;
	const struct sim_message *message;

	/* Handling an accepted message sends nothing through the crossbar that brought it. */
	while ((message = sim_queue_head(queue)) && message->due <= machine->port.now) {
		accept(machine, message);
		sim_queue_pop(queue);
	}
	if (message)
		sim_wheel_wake(&machine->wheel, crossbar->sink_part, port, message->due);
}

uint64_t sim_crossbar_next(const struct sim_machine *machine, uint32_t core)
{
	struct sim_queue *queue = &machine->down.sink[machine->port_of[core]].queue;
	uint64_t way = (machine->config.crossbar_latency + 1) * machine->crossbar_ticks;
	uint64_t next = machine->port.now + 1 + way;

	return queue->count ? sim_earlier(next, sim_queue_head(queue)->due) : next;
}
