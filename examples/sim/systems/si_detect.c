/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Snapshot isolation: conflicts found by the tables of the paper. A read asks for the writers
 * of its word, a write claims the word and asks for its readers, and post-dating says
 * whether the edges from readers to writers may close a loop.
 *
 * Without detection only the writer table is asked: that is plain snapshot isolation.
 */
#include <stdio.h>

#include "si_tm.h"

SIM_UNIT_KIND(writer_table, SIM_OF_MACHINE);
SIM_UNIT_KIND(reader_list, SIM_OF_MACHINE);
SIM_UNIT_KIND(timestamp_table, SIM_OF_MACHINE);

static int make_plain(struct sim_port *port)
{
	struct si *si = sim_si_of(port);

	return sim_unit_add(port, "writer_table", &kind_writer_table, &si->made.writer_table,
			    &si->writers);
}

static int make(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	int error = make_plain(port);

	if (!error)
		error = sim_unit_add(port, "reader_list", &kind_reader_list,
				     &si->made.reader_list, &si->readers);
	if (!error)
		error = sim_unit_add(port, "timestamp_table", &kind_timestamp_table,
				     &si->made.timestamp_table, &si->stamps);
	return error;
}

static int begin(struct sim_port *port, uint32_t id, uint64_t stamp)
{
	return gputm_timestamp_table_begin(sim_si_of(port)->stamps, id, stamp);
}

/* ---- edges ------------------------------------------------------------------------------- */

static void fail_as_too_small(struct sim_port *port)
{
	const struct si_config *made = &sim_si_of(port)->made;
	char message[160];

	snprintf(message, sizeof message, "writer_table.entries = %u or reader_list.entries = %u "
		 "is too small for one transaction", made->writer_table.entries,
		 made->reader_list.entries);
	sim_fail(port, -EINVAL, message);
}

/* A table is full: nobody begins until it has room, and after that fewer run at a time. */
static void overflow(struct sim_port *port, struct si_warp *warp, uint32_t lane)
{
	struct si *si = sim_si_of(port);

	if (si->running == 1 && !si->retained)
		fail_as_too_small(port);
	si->full = true;
	si->most_inside = si->inside > 1 ? si->inside / 2 : 1;
	sim_si_doom(port, warp, lane, SIM_ABORT_CAPACITY);
}

/* The reader must come before the writer. False: the transaction of the lane is doomed. */
static bool edge(struct sim_port *port, struct si_warp *warp, uint32_t lane,
		 uint32_t reader, uint32_t writer)
{
	int result = gputm_timestamp_table_add_edge(sim_si_of(port)->stamps, reader, writer);

	sim_must(port, result, "the timestamp table refused an edge");
	if (result == GPUTM_TIMESTAMP_TABLE_LOOP)
		sim_si_doom(port, warp, lane, SIM_ABORT_LOOP);
	if (result == GPUTM_TIMESTAMP_TABLE_OVERFLOW)
		sim_si_restart(port);
	return warp->active >> lane & 1;
}

static void find_writers(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			 uint64_t address)
{
	struct si *si = sim_si_of(port);
	uint32_t id = warp->tx[lane];
	int count = gputm_writer_table_writers(si->writers, address, si->writer_scratch,
					       si->ids + 1);

	sim_must(port, count, "the writer table refused a look-up");
	for (int i = 0; i < count; i++) {
		const struct gputm_writer_table_writer *writer = &si->writer_scratch[i];

		if (writer->tx == id ||
		    (writer->committed && writer->version <= si->tx[id].snapshot))
			continue;
		if (!edge(port, warp, lane, id, writer->tx))
			return;
	}
}

static void post_date_read(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			   uint64_t address)
{
	struct si *si = sim_si_of(port);
	uint32_t id = warp->tx[lane];
	int result = gputm_reader_list_add(si->readers, address, id);

	sim_must(port, result, "the reader list refused a reader");
	if (result == GPUTM_READER_LIST_FULL)
		overflow(port, warp, lane);
	if (result != GPUTM_READER_LIST_ADDED)
		return;
	if (!sim_si_words_add(&si->tx[id].reads, address))
		sim_fail(port, -ENOMEM, "no memory for a read set");
	find_writers(port, warp, lane, address);
}

/* Put the readers of the word before its new writer. @return cycles. */
static uint32_t find_readers(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			     uint64_t address)
{
	struct si *si = sim_si_of(port);
	uint32_t id = warp->tx[lane], cycles = 0;
	int count = gputm_reader_list_readers(si->readers, address, si->scratch, si->ids);

	sim_must(port, count, "the reader list refused a look-up");
	if (count > 0)
		cycles = (uint32_t)gputm_reader_list_entries(si->readers, address);
	for (int i = 0; i < count; i++) {
		if (si->scratch[i] == id)
			continue;
		cycles += 2;
		if (!edge(port, warp, lane, si->scratch[i], id))
			break;
	}
	return cycles;
}

/* ---- claims ------------------------------------------------------------------------------ */

static void refused(struct sim_port *port, struct si_warp *warp, uint32_t lane, int result)
{
	if (result == GPUTM_WRITER_TABLE_HELD)
		sim_si_doom(port, warp, lane, SIM_ABORT_WRITER);
	else if (result == GPUTM_WRITER_TABLE_CONFLICT)
		sim_si_doom(port, warp, lane, SIM_ABORT_CONFLICT);
	else if (result == GPUTM_WRITER_TABLE_FULL)
		overflow(port, warp, lane);
}

static uint32_t claimed(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			uint64_t address)
{
	struct si *si = sim_si_of(port);

	if (!sim_si_words_add(&si->tx[warp->tx[lane]].writes, address))
		sim_fail(port, -ENOMEM, "no memory for a write set");
	return si->readers ? find_readers(port, warp, lane, address) : 0;
}

static uint32_t claim_word(struct sim_port *port, struct si_warp *warp, uint32_t lane,
			   uint64_t address)
{
	struct si *si = sim_si_of(port);
	uint32_t id = warp->tx[lane];
	int result = gputm_writer_table_claim(si->writers, address, id, si->tx[id].snapshot);

	sim_must(port, result, "the writer table refused a claim");
	if (result == GPUTM_WRITER_TABLE_CLAIMED)
		return 1 + claimed(port, warp, lane, address);
	refused(port, warp, lane, result);
	return 1;
}

/*
 * The claims of a message, by ascending ID. One that is refused has left the tables when the
 * next is made: else two lanes that want what the other one has would always both abort.
 */
static uint32_t claim(struct sim_port *port, struct si_warp *warp, uint64_t lanes,
		      const uint64_t *address)
{
	uint32_t order[SIM_MAX_LANES], count = 0, cycles = 0;

	for (SIM_EACH_LANE(lane, lanes & warp->active)) {
		uint32_t at = count++;

		for (; at && warp->tx[order[at - 1]] > warp->tx[lane]; at--)
			order[at] = order[at - 1];
		order[at] = (uint32_t)lane;
	}
	for (uint32_t i = 0; i < count; i++)
		if (warp->active >> order[i] & 1)
			cycles += claim_word(port, warp, order[i], address[order[i]]);
	return cycles;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void commit_writes(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	const struct si_words *writes = &si->tx[id].writes;

	for (uint32_t i = 0; i < writes->count; i++)
		sim_must(port,
			 gputm_writer_table_commit(si->writers, writes->address[i], id,
						   si->sealed + 1),
			 "the writer table refused a commit");
}

/* According to the paper's text a word belongs to its writer until the end of the commit. */
static uint64_t commit_plain(struct sim_port *port, uint32_t id)
{
	if (!sim_si_of(port)->config->system.literal)
		commit_writes(port, id);
	return 0;
}

static uint64_t commit(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	struct gputm_timestamp_table_stamps stamps = { .prev = 0 };
	int result;

	commit_plain(port, id);
	result = gputm_timestamp_table_retire(si->stamps, id, true);
	sim_must(port, result, "a transaction could not retire");
	if (result == GPUTM_TIMESTAMP_TABLE_OVERFLOW)
		sim_fail(port, -EINVAL,
			 "timestamp_table.stamp_bits are too few for literal timestamps");
	sim_must(port, gputm_timestamp_table_get_stamps(si->stamps, id, &stamps),
		 "a transaction has no stamps");
	return stamps.prev;
}

static void drop_writes(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	const struct si_words *writes = &si->tx[id].writes;

	for (uint32_t i = 0; i < writes->count; i++)
		sim_must(port, gputm_writer_table_release(si->writers, writes->address[i], id),
			 "a writer was not in the table");
}

static void drop_reads(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	const struct si_words *reads = &si->tx[id].reads;

	for (uint32_t i = 0; i < reads->count; i++)
		sim_must(port, gputm_reader_list_remove(si->readers, reads->address[i], id),
			 "a reader was not in the list");
}

static void abort_tx(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);
	int result = gputm_timestamp_table_retire(si->stamps, id, false);

	drop_writes(port, id);
	drop_reads(port, id);
	sim_must(port, result, "a transaction could not retire");
	if (result == GPUTM_TIMESTAMP_TABLE_OVERFLOW)
		sim_fail(port, -EINVAL,
			 "timestamp_table.stamp_bits are too few for literal timestamps");
}

static void release_plain(struct sim_port *port, uint32_t id)
{
	const struct si *si = sim_si_of(port);

	if (si->config->system.literal)
		commit_writes(port, id);
	else if (!si->made.writer_table.release_at_commit)
		drop_writes(port, id);
	sim_si_give(port, id);
}

static void release(struct sim_port *port, uint32_t id)
{
	struct si *si = sim_si_of(port);

	drop_reads(port, id);
	if (!si->made.timestamp_table.literal)
		sim_must(port, gputm_timestamp_table_release(si->stamps, id),
			 "a transaction that had not committed was released");
	release_plain(port, id);
}

static int restart(struct sim_port *port)
{
	return gputm_timestamp_table_restart(sim_si_of(port)->stamps);
}

static const char *left_plain(struct sim_port *port)
{
	return gputm_writer_table_used(sim_si_of(port)->writers)
		       ? "the writer table is not empty at the end"
		       : NULL;
}

static const char *left(struct sim_port *port)
{
	struct si *si = sim_si_of(port);
	struct gputm_timestamp_table_stamps stamps = { .state = GPUTM_TIMESTAMP_TABLE_STATE_IDLE };

	if (gputm_reader_list_used(si->readers))
		return "the reader list is not empty at the end";
	for (uint32_t i = 0; i < si->ids && !si->made.timestamp_table.literal; i++) {
		sim_must(port, gputm_timestamp_table_get_stamps(si->stamps, i, &stamps),
			 "a transaction has no stamps");
		if (stamps.state != GPUTM_TIMESTAMP_TABLE_STATE_IDLE)
			return "a transaction is left in the timestamp table";
	}
	return left_plain(port);
}

const struct si_detector sim_si_post_dating = {
	.make = make,
	.begin = begin,
	.read = post_date_read,
	.write = claim,
	.commit = commit,
	.abort = abort_tx,
	.release = release,
	.restart = restart,
	.left = left,
};

const struct si_detector sim_si_plain_detector = {
	.make = make_plain,
	.write = claim,
	.commit = commit_plain,
	.abort = drop_writes,
	.release = release_plain,
	.left = left_plain,
};
