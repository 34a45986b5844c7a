/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strong isolation (thesis 8.2.2, a paragraph each for loads and stores): accesses outside of
 * transactions have a place among the commits, too. What the paragraphs leave open is our own:
 *
 * Beside each commit unit is a filter of the youngest CIDs that have sent it a word of their
 * read-set or write-set. Each warp has a floor: CIDs below it come before what the warp does
 * next. The L2 takes a plain access at partition p, whose oldest CID that has not retired is o:
 *
 *	any	goes when the floor is not above o. The reply carries a CID that raises the floor:
 *	load	  to o, and after the youngest writer of its words
 *	store	  to o; goes when no reader or writer of its words from o on is known, either
 *	add,cas	  as a store
 *
 * What may not go is kept at the partition and is looked at again once the CIDs that it waited
 * for have retired there. So a store stands between o - 1 and o. A load stands there, too, or
 * behind the writer that it has read from, which the floor then lies behind. A transaction waits
 * at tx_commit for the warp's own stores; once it has committed the floor lies behind it.
 *
 * An access that was kept again and again is waited for: no CIDs are given until it has gone.
 * With nobody in a transaction all CIDs have retired everywhere, and nothing is kept.
 *
 * The differences from the text: a load waits at the partition, where the text sends it again; a
 * load may have read from a writer that has not retired, which the RCID leaves out; a store waits
 * for the readers, where the text has it committed by the commit unit as a transaction; and it
 * waits for writers that have read nothing, which validation never compares with it.
 */
#include "kilo_tm.h"

#define CID_BYTES 2 /* with a reply; a request has room in its header */
#define PATIENCE 4  /* retries after which CIDs are withheld */

SIM_UNIT_KIND(recency_bloom, SIM_OF_MACHINE);

const char *const sim_strong_names[] = { "weak", "strong" };

/* A filter of 1,024 cells, as the history of writers has (4.4.3). */
void sim_strong_init(struct gputm_recency_bloom_config *filter)
{
	gputm_params_init(gputm_recency_bloom_params(), filter, sizeof *filter);
	filter->stamp_bits = 32;
	filter->stamps = 2;
	filter->address_bits = SIM_ADDRESS_BITS;
}

int sim_strong_make(struct sim_port *port, struct kilo *kilo)
{
	int error = 0;

	if (port->shape.has_l1)
		return sim_fail(port, -EINVAL,
				"system.isolation = strong needs machine.l1_bytes = 0: an L1 "
				"answers loads with what was in memory before");
	port->strong = true;
	for (uint32_t i = 0; !error && i < port->shape.partitions; i++)
		error = sim_unit_add(port, "isolation", &kind_recency_bloom,
				     &kilo->config->isolation, &kilo->partition[i].recent);
	return error;
}

/* A stamp is a CID plus 1. */
void sim_strong_note(struct sim_port *port, struct kilo_partition *partition,
		     const struct gputm_commit_unit_message *packet)
{
	bool read = packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_READ_LOG;

	if (!read && packet->kind != GPUTM_COMMIT_UNIT_MESSAGE_WRITE_LOG)
		return;
	for (uint32_t i = 0; i < packet->words; i++) {
		const struct gputm_commit_unit_word *word = &packet->word[i];
		uint64_t stamp = packet->first_cid + word->lane + 1;

		sim_must(port, gputm_recency_bloom_update_pair(partition->recent, word->address,
							       read ? stamp : 0, read ? 0 : stamp),
			 "the filter refused a CID");
	}
}

/* The youngest readers and writers of the words. */
static void look_up(struct sim_port *port, const struct kilo_partition *partition,
		    uint64_t line, uint32_t words, uint64_t *reader, uint64_t *writer)
{
	*reader = *writer = 0;
	for (SIM_EACH_LANE(word, words)) {
		uint64_t read = 0, written = 0;

		sim_must(port, gputm_recency_bloom_query_pair(partition->recent, line + 4 * word,
							      &read, &written),
			 "the filter refused an address");
		*reader = sim_later(*reader, read);
		*writer = sim_later(*writer, written);
	}
}

void sim_kilo_ask_again(struct sim_port *port)
{
	const struct kilo *kilo = port->state;
	uint64_t next = sim_align(sim_now(port) + 1, port->core_ticks);

	for (uint32_t i = 0; i < port->shape.cores; i++)
		if (kilo->core[i].short_of_credits)
			port->host->call_core(port, i, next);
}

static void hold(struct sim_port *port, struct kilo_partition *partition,
		 const struct sim_message *message, uint64_t until)
{
	struct kilo *kilo = port->state;
	struct sim_message held = *message;

	held.due = until;
	if (held.more < PATIENCE)
		kilo->impatient += ++held.more == PATIENCE;
	sim_queue_push(port, &partition->held, &held);
}

/* An access for which CIDs may have been withheld has been performed. */
static void let_go(struct sim_port *port, struct sim_message *message)
{
	struct kilo *kilo = port->state;

	if (message->more == PATIENCE && !--kilo->impatient)
		sim_kilo_ask_again(port);
	message->more = 0;
}

bool sim_strong_keep(struct sim_port *port, struct sim_message *message, uint32_t words)
{
	struct kilo *kilo = port->state;
	struct kilo_partition *partition = &kilo->partition[message->partition];
	const struct sim_warp *warp = sim_warp_of(port, message->core, message->warp);
	uint64_t oldest = gputm_commit_unit_oldest(partition->unit);
	uint64_t *floor = &kilo->floor[warp->number], until = *floor, reader, writer;
	bool load = message->what == SIM_DO_LOAD;

	if (load && warp->in_tx)
		return false;
	look_up(port, partition, message->a, words, &reader, &writer);
	if (!load)
		until = sim_later(until, sim_later(reader, writer));
	if (until > oldest) {
		hold(port, partition, message, until);
		return true;
	}
	*floor = sim_later(*floor, sim_later(oldest, load ? writer : 0));
	port->place = oldest;
	message->e = CID_BYTES;
	let_go(port, message);
	return false;
}

void sim_strong_release(struct sim_port *port, struct kilo_partition *partition)
{
	uint64_t oldest = gputm_commit_unit_oldest(partition->unit);

	for (uint32_t left = partition->held.count; left; left--) {
		struct sim_message message = *sim_queue_head(&partition->held);

		sim_queue_pop(&partition->held);
		if (message.due <= oldest)
			port->host->serve(port, &message);
		else
			sim_queue_push(port, &partition->held, &message);
	}
}
