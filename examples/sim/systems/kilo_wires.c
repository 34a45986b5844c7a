/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wires of Kilo TM: what goes from the sequencers and commit units to the crossbar
 * and the memory ports, and back. Units are brought up to the present cycle when something
 * reaches them, and are called in the cycles in which they have something to do.
 */
#include <string.h>

#include "kilo_tm.h"
#include "logs.h"

/* ---- clocks ---------------------------------------------------------------------------- */

/* Advance the sequencer to the state before (after) its tick at this time. */
static struct kilo_core *core_at(struct sim_port *port, uint32_t index, uint64_t ticks)
{
	struct kilo *kilo = port->state;
	struct kilo_core *core = &kilo->core[index];

	if (ticks > core->ticks) {
		gputm_commit_sequencer_advance(core->sequencer, ticks - core->ticks);
		core->ticks = ticks;
	}
	return core;
}

static struct kilo_partition *partition_at(struct sim_port *port, uint32_t index,
					   uint64_t ticks)
{
	struct kilo *kilo = port->state;
	struct kilo_partition *partition = &kilo->partition[index];

	if (ticks > partition->ticks) {
		gputm_commit_unit_advance(partition->unit, ticks - partition->ticks);
		partition->ticks = ticks;
	}
	return partition;
}

static uint64_t begun(uint64_t now, uint32_t period)
{
	return period == 1 ? now + 1 : now / period + 1;
}

static uint64_t ended(uint64_t now, uint32_t period)
{
	return period == 1 ? now : (now + period - 1) / period;
}

static void call_core(struct sim_port *port, uint32_t core, uint64_t from)
{
	port->host->call_core(port, core, sim_align(from, port->core_ticks));
}

static void call_partition(struct sim_port *port, uint32_t partition, uint64_t from)
{
	sim_call_partition(port, partition, sim_align(from, port->unit_ticks));
}

void sim_kilo_end_attempt(struct sim_port *port, struct sim_warp *warp, uint64_t fail,
			  uint64_t over)
{
	struct kilo *kilo = port->state;
	const struct kilo_core *core = &kilo->core[warp->core];
	uint32_t aborts[SIM_MAX_LANES];
	uint64_t wait;

	for (SIM_EACH_LANE(lane, fail))
		aborts[lane] = warp->attempt[lane];
	wait = gputm_commit_sequencer_backoff(core->sequencer, fail, aborts);
	wait -= wait < over ? wait : over;
	sim_tx_over(port, warp, sim_now(port) + (1 + wait) * port->core_ticks);
}

/* ---- beside the core ----------------------------------------------------------------------- */

void sim_kilo_commit(struct sim_port *port, struct sim_warp *warp)
{
	uint64_t now = sim_now(port), next = now + port->core_ticks;
	struct kilo_core *core = core_at(port, warp->core, begun(now, port->core_ticks));
	uint64_t lanes = sim_active(warp);
	int result = gputm_commit_sequencer_begin(core->sequencer, warp->index, lanes);

	sim_must(port, result, "the commit sequencer refused a warp");
	if (result == GPUTM_COMMIT_SEQUENCER_BUSY)
		sim_wake(port, warp, next);
	call_core(port, warp->core, next);
}

static void grant(struct sim_port *port, uint32_t index, struct kilo_core *core)
{
	struct kilo *kilo = port->state;
	uint32_t warp, count;
	uint64_t first;

	core->short_of_credits = false;
	if (!gputm_commit_sequencer_wants(core->sequencer, &warp, &count))
		return;
	if (kilo->impatient ||
	    gputm_commit_id_acquire(kilo->vendor, index, count, &first) != GPUTM_COMMIT_ID_OK) {
		core->short_of_credits = true;
		return;
	}
	kilo->owner[first & (kilo->owners - 1)] = (uint8_t)index;
	if (kilo->holder)
		kilo->holder[first & (kilo->owners - 1)] = (uint8_t)warp;
	sim_must(port, gputm_commit_sequencer_grant(core->sequencer, first),
		 "the commit sequencer refused its CIDs");
}

/* Failed lanes of the warp with this first CID have their verdict. */
static void note_failed(struct sim_port *port, uint32_t core, uint64_t first_cid)
{
	struct kilo *kilo = port->state;
	uint32_t warp = kilo->holder[first_cid & (kilo->owners - 1)];

	kilo->failed_at[core * port->shape.warps + warp] = sim_now(port);
}

static void send_packet(struct sim_port *port, uint32_t core, uint32_t partition,
			const struct gputm_commit_unit_message *packet)
{
	struct kilo *kilo = port->state;
	bool small = packet->words <= SMALL_WORDS;
	struct sim_slab *slab = small ? &kilo->small : &kilo->large;
	static const uint8_t kind[] = { SIM_TRAFFIC_READ_LOG, SIM_TRAFFIC_WRITE_LOG,
					SIM_TRAFFIC_DONE,     SIM_TRAFFIC_VERDICT,
					SIM_TRAFFIC_RESEND,   SIM_TRAFFIC_RESEND };
	struct sim_message message = { .what = small ? PACKET_SMALL : PACKET_LARGE };

	message.c = sim_slab_take(slab);
	if (message.c == SIM_SLAB_NONE) {
		sim_fail(port, -ENOMEM, "no memory for a packet");
		return;
	}
	memcpy(sim_slab_at(slab, message.c), packet, gputm_commit_unit_message_size(packet));
	message.kind = kind[packet->kind];
	if (kilo->holder && packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT &&
	    packet->mask & ~packet->yes)
		note_failed(port, core, packet->first_cid);
	if (packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE && !packet->yes)
		message.kind = SIM_TRAFFIC_SKIP;
	message.core = (uint8_t)core;
	message.partition = (uint8_t)partition;
	if (kilo->at_once && packet->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT)
		sim_kilo_at_partition(port, &message);
	else
		sim_to_partition(port, &message, gputm_commit_unit_message_bytes(packet));
}

/* The commit of a warp has ended. */
static void finish(struct sim_port *port, uint32_t core,
		   const struct gputm_commit_sequencer_done *done)
{
	struct kilo *kilo = port->state;
	struct sim_warp *warp = sim_warp_of(port, core, done->warp);
	uint64_t cid = done->first_cid, lanes = done->pass | done->fail, over = 0;

	for (SIM_EACH_LANE(lane, lanes)) {
		bool with_cid = done->with_cid >> lane & 1;

		warp->witness[lane] = with_cid ? cid++ : kilo->empty++ | UINT64_C(1) << 63;
	}
	kilo->floor[warp->number] = sim_later(kilo->floor[warp->number], cid);
	sim_log_restart(port, kilo->log[warp->number], lanes);
	if (kilo->finished)
		kilo->finished(port, warp);
	if (done->fail)
		sim_tx_abort(port, warp, done->fail, SIM_ABORT_VALIDATION);
	if (done->pass)
		sim_tx_commit(port, warp, done->pass, warp->witness);
	if (kilo->holder && done->fail)
		over = (sim_now(port) - kilo->failed_at[warp->number]) / port->core_ticks;
	sim_kilo_end_attempt(port, warp, done->fail, over);
}

/* Take the packets that the sequencer offers after its tick. */
static void take_outputs(struct sim_port *port, uint32_t index, struct kilo_core *core, int offers)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;
	struct gputm_commit_unit_message packet;
	uint32_t partition;

	if (offers & GPUTM_COMMIT_SEQUENCER_OFFER_PACKET &&
	    gputm_commit_sequencer_peek(core->sequencer, &partition, &packet)) {
		send_packet(port, index, partition, &packet);
		gputm_commit_sequencer_pop(core->sequencer);
	}
	if (!(offers & ~GPUTM_COMMIT_SEQUENCER_OFFER_PACKET))
		return;
	while (gputm_commit_sequencer_take_done(core->sequencer, &done))
		finish(port, index, &done);
	while (gputm_commit_sequencer_take_retired(core->sequencer, &retired))
		;
}

static int report_push(struct kilo_core *core, const struct sim_message *message)
{
	struct gputm_commit_unit_report report = {
		.kind = message->c & 0xff,
		.purpose = message->c >> 8 & 0xff,
		.first_cid = message->a,
		.lanes = message->c >> 16,
		.mask = message->b,
		.yes = (uint64_t)message->e << 32 | message->d,
	};

	return gputm_commit_sequencer_push(core->sequencer, message->partition, &report);
}

/* Retry resend requests for which the sequencer had no room. */
static void push_refused(struct sim_port *port, struct kilo_core *core)
{
	struct sim_message *message;

	while ((message = sim_queue_head(&core->refused))) {
		int result = report_push(core, message);

		sim_must(port, result, "the commit sequencer refused a report");
		if (result == GPUTM_COMMIT_SEQUENCER_BUSY)
			return;
		sim_queue_pop(&core->refused);
	}
}

/* Ticks until the sequencer may send something; a warp that wants credits must be served at
 * once. */
static uint64_t quiet_ticks(const struct kilo_core *core)
{
	uint32_t warp, count;

	if (core->refused.count)
		return 0;
	return gputm_commit_sequencer_wants(core->sequencer, &warp, &count)
		       ? gputm_commit_sequencer_next_event(core->sequencer)
		       : gputm_commit_sequencer_next_offer(core->sequencer);
}

uint64_t sim_kilo_core_tick(struct sim_port *port, uint32_t index)
{
	uint64_t tick = sim_now(port) / port->core_ticks, quiet;
	struct kilo_core *core = core_at(port, index, tick);
	int offers;

	if (core->refused.count)
		push_refused(port, core);
	grant(port, index, core);
	offers = gputm_commit_sequencer_tick(core->sequencer);
	core->ticks = tick + 1;
	if (offers)
		take_outputs(port, index, core, offers);
	quiet = quiet_ticks(core);
	if (quiet == UINT64_MAX)
		return SIM_NEVER;
	return (core->ticks + quiet) * port->core_ticks;
}

/* Credits of neighbouring cores have come back. */
static void return_credits(struct sim_port *port, const struct sim_message *message)
{
	struct kilo *kilo = port->state;
	uint32_t first = (uint32_t)__builtin_ctzll(message->b);
	uint32_t end = 64 - (uint32_t)__builtin_clzll(message->b);
	int result = gputm_commit_id_report_retired(kilo->vendor, message->partition,
						    message->a + first, end - first, NULL);

	sim_must(port, result, "the CID vendor refused a report");
	if (result > 0)
		sim_kilo_ask_again(port);
}

void sim_kilo_at_core(struct sim_port *port, const struct sim_message *message)
{
	uint64_t now = sim_now(port);
	struct kilo_core *core =
		core_at(port, message->core, ended(now, port->core_ticks));
	int result = report_push(core, message);

	sim_must(port, result, "the commit sequencer refused a report");
	if (result == GPUTM_COMMIT_SEQUENCER_BUSY)
		sim_queue_push(port, &core->refused, message);
	if ((message->c & 0xff) == GPUTM_COMMIT_UNIT_REPORT_RETIRED)
		return_credits(port, message);
	call_core(port, message->core, now);
}

/* ---- beside the partition -------------------------------------------------------------------- */

/* Push the packet of this message; true unless the port is full. */
static bool packet_push(struct sim_port *port, struct kilo_partition *partition,
			const struct sim_message *message)
{
	struct kilo *kilo = port->state;
	struct sim_slab *slab = message->what == PACKET_SMALL ? &kilo->small : &kilo->large;
	int result = gputm_commit_unit_push(partition->unit, sim_slab_at(slab, message->c));

	sim_must(port, result, "the commit unit refused a packet");
	if (result != GPUTM_COMMIT_UNIT_ACCEPTED)
		return false;
	if (partition->recent)
		sim_strong_note(port, partition, sim_slab_at(slab, message->c));
	if (kilo->accepted)
		kilo->accepted(port, message->partition, sim_slab_at(slab, message->c));
	sim_slab_give(slab, message->c);
	return true;
}

static void push_waiting(struct sim_port *port, struct kilo_partition *partition,
			 struct sim_queue *queue)
{
	struct sim_message *message;

	while ((message = sim_queue_head(queue)) && packet_push(port, partition, message))
		sim_queue_pop(queue);
}

void sim_kilo_at_partition(struct sim_port *port, const struct sim_message *message)
{
	uint64_t now = sim_now(port);
	struct kilo_partition *partition =
		partition_at(port, message->partition, begun(now, port->unit_ticks));
	struct sim_queue *queue = message->kind == SIM_TRAFFIC_RESEND ? &partition->resent :
									&partition->waiting;

	if (queue->count || !packet_push(port, partition, message))
		sim_queue_push(port, queue, message);
	call_partition(port, message->partition, now + 1);
}

static void send_report(struct sim_port *port, uint32_t partition,
			const struct gputm_commit_unit_report *report)
{
	const struct kilo *kilo = port->state;
	static const uint8_t kind[] = { SIM_TRAFFIC_OUTCOME, SIM_TRAFFIC_RETIRE,
					SIM_TRAFFIC_RESEND, SIM_TRAFFIC_RETIRE };
	struct sim_message message = { .what = REPORT, .kind = kind[report->kind] };

	message.a = report->first_cid;
	message.b = report->mask;
	message.c = report->kind | report->purpose << 8 | report->lanes << 16;
	message.d = (uint32_t)report->yes;
	message.e = (uint32_t)(report->yes >> 32);
	message.partition = (uint8_t)partition;
	message.core = kilo->owner[report->first_cid & (kilo->owners - 1)];
	if (kilo->at_once && report->kind == GPUTM_COMMIT_UNIT_REPORT_OUTCOME)
		sim_kilo_at_core(port, &message);
	else
		sim_to_core(port, &message, gputm_commit_unit_report_bytes(report));
	if (kilo->reported)
		kilo->reported(port, partition, report);
}

void sim_kilo_completed(struct sim_port *port, uint32_t index, uint64_t tag,
		      const uint32_t *value)
{
	uint64_t now = sim_now(port);
	struct kilo_partition *partition =
		partition_at(port, index, ended(now, port->unit_ticks));

	sim_must(port, gputm_commit_unit_mem_complete(partition->unit, tag, value),
		 "the commit unit refused a completion");
	call_partition(port, index, now);
}

static void read_at_once(struct sim_port *port, struct gputm_commit_unit *unit,
			 const struct gputm_mem_request *request)
{
	uint32_t value[GPUTM_MEM_WORDS_MAX] = { 0 };

	for (SIM_EACH_LANE(i, request->word_mask))
		value[i] = sim_memory_read(port->memory, request->address + 4 * i);
	sim_must(port, gputm_commit_unit_mem_complete(unit, request->tag, value),
		 "the commit unit refused a completion");
}

/* Called for each word that the unit writes: the word's version becomes this CID. */
static void note_version(void *state, const struct gputm_unit *unit,
			 const struct gputm_event *event)
{
	(void)unit;
	if (event->kind == GPUTM_COMMIT_UNIT_EVENT_ISSUE)
		sim_memory_write(state, event->value[1], (uint32_t)event->value[0]);
}

static void take_request(struct sim_port *port, struct gputm_commit_unit *unit,
			 enum gputm_commit_unit_port which, struct gputm_mem_request *request)
{
	if (!port->version || which != GPUTM_COMMIT_UNIT_PORT_COMMIT) {
		gputm_commit_unit_mem_take(unit, which, request);
		return;
	}
	gputm_unit_observe(gputm_commit_unit_unit(unit), note_version, port->version);
	gputm_commit_unit_mem_take(unit, which, request);
	gputm_unit_unobserve(gputm_commit_unit_unit(unit), note_version, port->version);
}

/* Take the requests of the ports, and the reports, of this cycle. */
static void take_offers(struct sim_port *port, uint32_t index, struct gputm_commit_unit *unit,
			int offers)
{
	const struct kilo *kilo = port->state;
	struct gputm_commit_unit_report report;
	struct gputm_mem_request request;

	if (offers & GPUTM_COMMIT_UNIT_OFFER_READ) {
		take_request(port, unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &request);
		if (kilo->at_once)
			read_at_once(port, unit, &request);
		else
			port->host->unit_access(port, index, &request);
	}
	if (offers & GPUTM_COMMIT_UNIT_OFFER_WRITE) {
		take_request(port, unit, GPUTM_COMMIT_UNIT_PORT_COMMIT, &request);
		port->host->unit_access(port, index, &request);
		if (kilo->wrote)
			kilo->wrote(port, index, &request);
	}
	if (offers & GPUTM_COMMIT_UNIT_OFFER_REPORT && gputm_commit_unit_peek(unit, &report)) {
		send_report(port, index, &report);
		gputm_commit_unit_pop(unit);
	}
}

uint64_t sim_kilo_partition_tick(struct sim_port *port, uint32_t index)
{
	uint64_t tick = sim_now(port) / port->unit_ticks;
	struct kilo_partition *partition = partition_at(port, index, tick);
	int offers;

	if (partition->resent.count)
		push_waiting(port, partition, &partition->resent);
	if (partition->waiting.count)
		push_waiting(port, partition, &partition->waiting);
	offers = gputm_commit_unit_tick(partition->unit);
	partition->ticks = tick + 1;
	if (offers & ~GPUTM_COMMIT_UNIT_OFFER_MOVED)
		take_offers(port, index, partition->unit, offers);
	if (partition->held.count)
		sim_strong_release(port, partition);
	if (offers || partition->waiting.count || partition->resent.count)
		return (tick + 1) * port->unit_ticks;
	return SIM_NEVER;
}
