/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory partitions: life and saved states. */
#include <stdlib.h>

#include "wiring.h"
#include "../base/arena.h"

int sim_partitions_make(struct sim_machine *machine)
{
	const struct sim_machine_config *config = &machine->config;
	size_t lines = (size_t)machine->sets * config->l2_ways;

	machine->partition = sim_calloc(config->partitions, sizeof *machine->partition);
	if (!machine->partition)
		return -ENOMEM;
	for (uint32_t i = 0; i < config->partitions; i++) {
		struct sim_partition *partition = &machine->partition[i];

		partition->turn = sim_turn_of(SIM_PARTITION, i);
		partition->unit_due = partition->due = partition->dram.due = SIM_NEVER;
		partition->dram.fetches.block = sizeof(struct sim_fetch);
		for (uint32_t j = 0; j < SIM_COMPLETIONS; j++)
			partition->first[j] = SIM_NEVER;
		partition->recent = sim_calloc(machine->sets, sizeof *partition->recent);
		partition->tag = sim_calloc(lines, sizeof *partition->tag);
		partition->line = sim_calloc(lines, sizeof *partition->line);
		if (!partition->tag || !partition->line || !partition->recent)
			return -ENOMEM;
	}
	return 0;
}

void sim_partitions_free(struct sim_machine *machine)
{
	for (uint32_t i = 0; machine->partition && i < machine->config.partitions; i++) {
		struct sim_partition *partition = &machine->partition[i];

		sim_free(partition->tag);
		sim_free(partition->line);
		sim_free(partition->recent);
		sim_free(partition->in.item);
		sim_free(partition->dram.waiting);
		sim_free(partition->dram.fetches.memory);
		for (uint32_t j = 0; j < SIM_COMPLETIONS; j++)
			sim_free(partition->done[j].item);
	}
	sim_free(machine->partition);
}

void sim_check_message(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		       struct sim_io *io)
{
	struct sim_machine *machine = sim_machine_of(port);
	bool words = message->what == SIM_DO_STORE && way == SIM_ASKING;

	if (message->what == SIM_DO_UNIT) {
		sim_io_must(io, "message", port->ops->completed && way != SIM_ANSWERING);
		words = true;
	}
	if (words && message->c != SIM_NO_WORDS)
		sim_slab_claim(&machine->words, io, message->c);
	if (message->what != SIM_DO_UNIT)
		sim_core_check(machine, message, way, io);
}

/* A request to DRAM, or an access that waits for it. */
static void fetch_check(struct sim_machine *machine, struct sim_fetch *fetch, bool request,
			struct sim_io *io)
{
	sim_io_must(io, "dram", fetch->queue == SIM_CORE_MISS || fetch->queue == SIM_UNIT_MISS ||
					(request && (fetch->queue == SIM_WRITE_BACK ||
						     fetch->queue == SIM_FILL)));
	SIM_IO_FLAG(io, fetch->write);
	sim_io_below(io, "dram", fetch->bytes, SIM_BURST_MAX + 1);
	sim_io_below(io, "dram", fetch->bank, SIM_BANKS);
	sim_io_below(io, "dram", fetch->place, machine->sets * machine->config.l2_ways);
	if (sim_io_ok(io) && fetch->queue < SIM_COMPLETIONS)
		sim_message_check(&machine->port, &fetch->message, SIM_PERFORMED, io);
}

/* A request and the accesses that wait for it, of which it names the first and the last. */
static void request_check(struct sim_machine *machine, const struct sim_dram *dram, uint32_t index,
			  struct sim_io *io)
{
	uint32_t at = index;

	sim_slab_claim(&dram->fetches, io, at);
	while (sim_io_ok(io)) {
		struct sim_fetch *fetch = sim_fetch_at(dram, at);

		fetch_check(machine, fetch, at == index, io);
		if (!fetch->next)
			break;
		at = fetch->next - 1;
		sim_slab_claim(&dram->fetches, io, at);
	}
	sim_io_must(io, "dram", !sim_io_ok(io) || sim_fetch_at(dram, index)->last ==
							 (at == index ? 0 : at + 1));
}

/* The request that the line at this place names, plus 1, is one for the line that waits. */
static void named_check(const struct sim_dram *dram, uint32_t place, uint32_t named,
			struct sim_io *io)
{
	uint32_t i = 0;

	if (!named)
		return;
	while (i < dram->count && dram->waiting[i] != named - 1)
		i++;
	sim_io_must(io, "line", i < dram->count && sim_fetch_at(dram, named - 1)->place == place &&
					sim_fetch_at(dram, named - 1)->queue != SIM_WRITE_BACK);
}

static void line_check(struct sim_partition *partition, uint32_t place, struct sim_io *io)
{
	SIM_IO_FLAG(io, partition->line[place].dirty);
	named_check(&partition->dram, place, partition->line[place].fetch, io);
	named_check(&partition->dram, place, partition->line[place].fill, io);
}

static void dram_io(struct sim_machine *machine, struct sim_dram *dram, struct sim_io *io)
{
	sim_slab_io(&dram->fetches, io);
	SIM_IO(io, dram->capacity);
	sim_io_grown(io, "dram", &dram->waiting, dram->capacity, sizeof *dram->waiting);
	SIM_IO_FROM(io, dram, count);
	sim_io_below(io, "dram", dram->count, (uint64_t)dram->capacity + 1);
	sim_io_below(io, "dram", dram->bank_used, SIM_BANKS);
	SIM_IO_FLAG(io, dram->wrote);
	for (uint32_t i = 0; io->loading && sim_io_ok(io) && i < dram->count; i++)
		request_check(machine, dram, dram->waiting[i], io);
}

void sim_partitions_io(struct sim_machine *machine, struct sim_io *io)
{
	uint32_t lines = machine->sets * machine->config.l2_ways;

	for (uint32_t i = 0; i < machine->config.partitions && sim_io_ok(io); i++) {
		struct sim_partition *partition = &machine->partition[i];

		dram_io(machine, &partition->dram, io);
		SIM_IO_ARRAY(io, partition->tag, lines);
		SIM_IO_ARRAY(io, partition->line, lines);
		for (uint32_t j = 0; io->loading && sim_io_ok(io) && j < lines; j++)
			line_check(partition, j, io);
		sim_queue_io(&machine->port, &partition->in, SIM_ASKING, io);
		for (uint32_t j = 0; j < SIM_COMPLETIONS; j++)
			sim_queue_io(&machine->port, &partition->done[j], SIM_PERFORMED, io);
		SIM_IO_FROM(io, partition, first);
		sim_io_must(io, "unit_due", machine->port.ops->partition_tick ||
						    partition->unit_due == SIM_NEVER);
	}
}
