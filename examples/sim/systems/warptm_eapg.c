/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early abort and pause-and-go (EAPG), as the baseline of GETM (section VI): an idealised form of
 * it on top of WarpTM. What is added to warptm.c and warptm_tcd.c:
 *
 *	partition                                   core
 *	reference_count_table: words of logs that   conflict_address_table: words that are read or
 *	come in, until their outcome is sent        written by what validates somewhere
 *	     |   first and last readers, writers         ^
 *	     +---- a message to each core ---------------+
 *
 * At an access the lanes whose word is in the core's table pause (pause-and-go): the others go on,
 * and the paused ones access when these have come to tx_commit, or to the end of the branch that
 * the warp is in. Before tx_commit goes to the resolver the logs are looked up: lanes with a
 * conflict abort without back-off, as nothing has left the core for them (early abort). With
 * system.early_abort = running that is done before each instruction, too, after words have come in.
 *
 * All that is only a hint: the commit remains WarpTM's, and no lane waits for the table.
 *
 * The updates of a log message, or of an outcome, are one message to each core. Updates are kept
 * beside their partition until all cores have them; a message only says how many have arrived, as
 * messages from a partition to a core stay in order.
 *
 * In GETM's simulator the lanes that go on commit alone, and the paused ones after them. Here a
 * warp commits once, as that of WarpTM does, and the lanes that went on wait at tx_commit.
 */

#include "logs.h"
#include "warptm.h"
#include "../base/arena.h"

SIM_UNIT_KIND(reference_count_table, SIM_OF_PARTITION);
SIM_UNIT_KIND(conflict_address_table, SIM_OF_CORE);

#define HEADER_BYTES 8	/* of a message */
#define ADDRESS_BYTES 4 /* of a word in it, with system.broadcast = addresses */

static struct eapg *eapg_of(const struct sim_port *port)
{
	return sim_warptm_of(port)->eapg;
}

/* ---- beside the partition ------------------------------------------------------------------- */

static void tell_cores(struct sim_port *port, uint32_t index, uint32_t count)
{
	bool addresses = sim_warptm_of(port)->config->system.broadcast == BROADCAST_ADDRESSES;

	for (uint32_t i = 0; count && i < port->shape.cores; i++) {
		struct sim_message message = {
			.what = EAPG_BROADCAST, .kind = SIM_TRAFFIC_BROADCAST, .c = count,
		};

		message.core = (uint8_t)i;
		message.partition = (uint8_t)index;
		sim_to_core(port, &message,
			    HEADER_BYTES + (addresses ? ADDRESS_BYTES * count : 0));
	}
}

/* The table has answered: what has changed is to be told. @return whether it has. */
static bool note(struct sim_port *port, struct eapg_partition *partition, int result,
		 const struct eapg_reference *reference, bool insert)
{
	sim_must(port, result, "the reference count table refused a word");
	if (result != GPUTM_REFERENCE_COUNT_TABLE_CHANGED)
		return false;
	if (!SIM_ROOM(partition->update, partition->update_room, partition->updates + 1)) {
		sim_fail(port, -ENOMEM, "no memory for a broadcast");
		return false;
	}
	partition->update[partition->updates++] = (struct eapg_update){
		reference->address, (uint32_t)reference->write, insert,
	};
	return true;
}

/* Words of a log have come in. */
static void accepted(struct sim_port *port, uint32_t index,
		     const struct gputm_commit_unit_message *packet)
{
	struct eapg_partition *partition = &eapg_of(port)->partition[index];
	uint32_t count = 0;

	if (packet->kind > GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG)
		return;
	if (!SIM_ROOM(partition->reference, partition->reference_room,
		      partition->references + packet->words)) {
		sim_fail(port, -ENOMEM, "no memory for words that are validated");
		return;
	}
	for (uint32_t i = 0; i < packet->words; i++) {
		struct eapg_reference *reference =
			&partition->reference[partition->references++];

		*reference = (struct eapg_reference){
			packet->word[i].address, packet->first_cid,
			packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG,
		};
		count += note(port, partition,
			      gputm_reference_count_table_add(partition->table,
							      reference->address,
							      reference->write),
			      reference, true);
	}
	tell_cores(port, index, count);
}

/* The validation of a warp is over. */
static void reported(struct sim_port *port, uint32_t index,
		     const struct gputm_commit_unit_report *report)
{
	struct eapg_partition *partition = &eapg_of(port)->partition[index];
	uint32_t count = 0;
	size_t left = 0;

	if (report->kind != GPUTM_COMMIT_UNIT_REPORT_OUTCOME)
		return;
	for (size_t i = 0; i < partition->references; i++) {
		const struct eapg_reference reference = partition->reference[i];

		if (reference.cid == report->first_cid)
			count += note(port, partition,
				      gputm_reference_count_table_remove(
					      partition->table, reference.address,
					      reference.write),
				      &reference, false);
		else
			partition->reference[left++] = reference;
	}
	partition->references = left;
	tell_cores(port, index, count);
}

/* ---- beside the core ------------------------------------------------------------------------- */

/* Forget updates that all cores have, once they are half of all. */
static void forget(const struct sim_port *port, struct eapg_partition *partition)
{
	size_t old = partition->updates;

	for (uint32_t i = 0; i < port->shape.cores; i++)
		old = partition->got[i] < old ? partition->got[i] : old;
	if (2 * old < partition->updates || !old)
		return;
	partition->updates -= old;
	memmove(partition->update, partition->update + old,
		partition->updates * sizeof *partition->update);
	for (uint32_t i = 0; i < port->shape.cores; i++)
		partition->got[i] -= (uint32_t)old;
}

/* Warps of the core that are in a transaction have to look their logs up. */
static void mark_fresh(struct sim_port *port, uint32_t core)
{
	for (uint32_t i = 0; i < port->shape.warps; i++)
		eapg_of(port)->fresh[core] |= (uint64_t)sim_warp_of(port, core, i)->in_tx << i;
}

static void take_updates(struct sim_port *port, uint32_t core, struct eapg_partition *partition,
			 uint32_t count)
{
	struct gputm_conflict_address_table *table = eapg_of(port)->table[core];
	uint32_t *got = &partition->got[core];

	if (count > partition->updates - *got) {
		sim_fail(port, -EINVAL, "a core is told more than its partition has to tell");
		return;
	}
	for (uint32_t end = *got + count; *got < end; ++*got) {
		const struct eapg_update *update = &partition->update[*got];

		sim_must(port,
			 update->insert ? gputm_conflict_address_table_insert(
						  table, update->address, update->write)
					: gputm_conflict_address_table_remove(
						  table, update->address, update->write),
			 "the conflict address table refused a word");
		if (update->insert &&
		    sim_warptm_of(port)->config->system.early_abort == EARLY_RUNNING)
			mark_fresh(port, core);
	}
	forget(port, partition);
}

void sim_eapg_at_core(struct sim_port *port, const struct sim_message *message)
{
	if (message->what == EAPG_BROADCAST)
		take_updates(port, message->core, &eapg_of(port)->partition[message->partition],
			     message->c);
	else
		sim_kilo_at_core(port, message);
}

uint64_t sim_eapg_pause(struct sim_port *port, struct sim_warp *warp, bool write, uint64_t lanes)
{
	uint64_t paused = 0;

	if (sim_warptm_of(port)->config->system.pause)
		sim_must(port,
			 gputm_conflict_address_table_pause(eapg_of(port)->table[warp->core],
							    lanes, warp->address, write, &paused),
			 "the conflict address table refused an access");
	return paused;
}

/* Those of the lanes whose log has a word with a conflict. */
static uint64_t find_conflicts(struct sim_port *port, const struct sim_warp *warp,
			       enum gputm_tx_log_kind kind, uint64_t lanes)
{
	const struct gputm_tx_log *log = sim_warptm_of(port)->kilo.log[warp->number];
	struct gputm_conflict_address_table *table = eapg_of(port)->table[warp->core];
	bool write = kind == GPUTM_TX_LOG_KIND_WRITE;
	uint64_t found = 0;

	for (uint32_t i = 0; i < gputm_tx_log_rows(log, kind); i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, kind, i);

		for (SIM_EACH_LANE(lane, row.mask & lanes & ~found)) {
			int conflict = gputm_conflict_address_table_lookup(
				table, row.address[lane], write);

			sim_must(port, conflict, "the conflict address table refused a word");
			if (conflict <= 0)
				continue;
			found |= UINT64_C(1) << lane;
			sim_see_word(port, warp->number, write ? SIM_SEEN_MET : SIM_SEEN_LOST, lane,
				     row.address[lane]);
		}
	}
	return found;
}

/* Abort lanes with a conflict. @return the others. */
static uint64_t abort_early(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	uint64_t found = find_conflicts(port, warp, GPUTM_TX_LOG_KIND_READ, lanes);

	found |= find_conflicts(port, warp, GPUTM_TX_LOG_KIND_WRITE, lanes & ~found);
	if (!found)
		return lanes;
	sim_log_restart(port, sim_warptm_of(port)->kilo.log[warp->number], found);
	sim_tx_abort(port, warp, found, SIM_ABORT_CONFLICT);
	return lanes & ~found;
}

bool sim_eapg_watch(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t *fresh = &eapg_of(port)->fresh[warp->core], bit = UINT64_C(1) << warp->index;
	bool look = *fresh & bit;

	*fresh &= ~bit;
	if (look && !abort_early(port, warp, gputm_simt_stack_tx_running(warp->stack))) {
		sim_kilo_end_attempt(port, warp, 0, 0);
		return true;
	}
	return sim_kilo_watch(port, warp);
}

/* Who writes a word, for those who want to see why another one aborts. */
static void show_writes(struct sim_port *port, const struct sim_warp *warp, uint64_t lanes)
{
	const struct gputm_tx_log *log = sim_warptm_of(port)->kilo.log[warp->number];

	for (uint32_t i = 0; i < gputm_tx_log_rows(log, GPUTM_TX_LOG_KIND_WRITE); i++) {
		struct gputm_tx_log_row row = sim_log_row(port, log, GPUTM_TX_LOG_KIND_WRITE, i);

		for (SIM_EACH_LANE(lane, row.mask & lanes))
			sim_see_word(port, warp->number, SIM_SEEN_WROTE, lane, row.address[lane]);
	}
}

uint64_t sim_eapg_commit(struct sim_port *port, struct sim_warp *warp, uint64_t lanes)
{
	if (sim_warptm_of(port)->config->system.early_abort != EARLY_NONE)
		lanes = abort_early(port, warp, lanes);
	if (port->seer)
		show_writes(port, warp, lanes);
	return lanes;
}

/* ---- life ------------------------------------------------------------------------------------ */

void sim_eapg_finished(struct sim_port *port)
{
	uint64_t used;

	for (uint32_t i = 0; i < port->shape.partitions; i++) {
		const struct eapg_partition *partition = &eapg_of(port)->partition[i];

		if (partition->references ||
		    !gputm_unit_stat_value(gputm_reference_count_table_unit(partition->table),
					   "used", &used) ||
		    used)
			sim_fail(port, -EINVAL, "a word is left in a reference count table");
	}
}

static void partition_io(const struct sim_port *port, struct eapg_partition *partition,
			 struct sim_io *io)
{
	SIM_IO(io, partition->references);
	sim_io_grown(io, "references", &partition->reference, partition->references,
		     sizeof *partition->reference);
	SIM_IO(io, partition->updates);
	sim_io_grown(io, "updates", &partition->update, partition->updates,
		     sizeof *partition->update);
	if (!sim_io_ok(io))
		return;
	if (io->loading) {
		partition->reference_room = partition->references;
		partition->update_room = partition->updates;
	}
	for (size_t i = 0; i < partition->references; i++)
		sim_io_below(io, "reference", partition->reference[i].write, 2);
	for (size_t i = 0; i < partition->updates; i++) {
		sim_io_below(io, "update", partition->update[i].write, 2);
		sim_io_below(io, "update", partition->update[i].insert, 2);
	}
	SIM_IO_ARRAY(io, partition->got, port->shape.cores);
	for (uint32_t i = 0; i < port->shape.cores; i++)
		sim_io_below(io, "update", partition->got[i], partition->updates + 1);
}

void sim_eapg_io(struct sim_port *port, struct sim_io *io)
{
	struct eapg *eapg = eapg_of(port);

	for (uint32_t i = 0; i < port->shape.partitions; i++)
		partition_io(port, &eapg->partition[i], io);
	SIM_IO_ARRAY(io, eapg->fresh, port->shape.cores);
	for (uint32_t i = 0; i < port->shape.cores; i++)
		sim_io_must(io, "warps", !(eapg->fresh[i] >> (port->shape.warps - 1) >> 1));
}

void sim_eapg_check(struct sim_port *port, const struct sim_message *message, enum sim_way way,
		    struct sim_io *io)
{
	const struct eapg_partition *partition = &eapg_of(port)->partition[message->partition];

	if (message->what != EAPG_BROADCAST) {
		sim_kilo_check(port, message, way, io);
		return;
	}
	sim_io_must(io, "message", way == SIM_ANSWERING && message->c);
	sim_io_below(io, "message", message->c,
		     partition->updates - partition->got[message->core] + 1);
}

static int make_partition(struct sim_port *port, struct warptm *tm,
			  struct eapg_partition *partition)
{
	partition->got = sim_calloc(port->shape.cores, sizeof *partition->got);
	if (!partition->got)
		return -ENOMEM;
	return sim_unit_add(port, "reference_count_table", &kind_reference_count_table,
			    &tm->config->reference_count_table, &partition->table);
}

int sim_eapg_make(struct sim_port *port, struct warptm *tm)
{
	uint32_t cores = port->shape.cores, partitions = port->shape.partitions;
	struct eapg *eapg = tm->eapg = sim_calloc(1, sizeof *eapg);
	int error = 0;

	if (!eapg)
		return -ENOMEM;
	eapg->partition = sim_calloc(partitions, sizeof *eapg->partition);
	eapg->table = sim_calloc(cores, sizeof *eapg->table);
	eapg->fresh = sim_calloc(cores, sizeof *eapg->fresh);
	if (!eapg->partition || !eapg->table || !eapg->fresh)
		return -ENOMEM;
	tm->kilo.accepted = accepted;
	tm->kilo.reported = reported;
	for (uint32_t i = 0; !error && i < partitions; i++)
		error = make_partition(port, tm, &eapg->partition[i]);
	for (uint32_t i = 0; !error && i < cores; i++)
		error = sim_unit_add(port, "conflict_address_table", &kind_conflict_address_table,
				     &tm->config->conflict_address_table, &eapg->table[i]);
	return error;
}

void sim_eapg_free(const struct sim_port *port, struct warptm *tm)
{
	struct eapg *eapg = tm->eapg;

	for (uint32_t i = 0; eapg && eapg->partition && i < port->shape.partitions; i++) {
		sim_free(eapg->partition[i].reference);
		sim_free(eapg->partition[i].update);
		sim_free(eapg->partition[i].got);
	}
	if (eapg) {
		sim_free(eapg->partition);
		sim_free(eapg->table);
		sim_free(eapg->fresh);
	}
	sim_free(eapg);
}
