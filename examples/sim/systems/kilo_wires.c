/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wires of Kilo TM: what goes from the sequencers and commit units to the crossbar
 * and the memory ports, and back. Units are brought up to the present cycle when something
 * reaches them, and are called in the cycles in which they have something to do.
 */
#include <string.h>

#include "kilo_tm.h"

/* ---- clocks ---------------------------------------------------------------------------- */

/* Bring the sequencer to the state before (after) its tick at this time. */
static struct kilo_core *core_at(struct sim_machine *machine, uint32_t index, uint64_t ticks)
{
	struct kilo *kilo = machine->state;
	struct kilo_core *core = &kilo->core[index];

	if (ticks > core->ticks) {
		gputm_commit_sequencer_advance(core->sequencer, ticks - core->ticks);
		core->ticks = ticks;
	}
	return core;
}

static struct kilo_partition *partition_at(struct sim_machine *machine, uint32_t index,
					   uint64_t ticks)
{
	struct kilo *kilo = machine->state;
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

static void call_core(struct sim_machine *machine, uint32_t core, uint64_t from)
{
	sim_call_core(machine, core, sim_align(from, machine->core_ticks));
}

static void call_partition(struct sim_machine *machine, uint32_t partition, uint64_t from)
{
	sim_call_partition(machine, partition, sim_align(from, machine->unit_ticks));
}

void sim_kilo_end_attempt(struct sim_machine *machine, struct sim_warp *warp, uint64_t fail)
{
	struct kilo *kilo = machine->state;
	const struct kilo_core *core = &kilo->core[warp->core];
	uint32_t aborts[SIM_MAX_LANES];
	uint64_t wait;

	for (SIM_EACH_LANE(lane, fail))
		aborts[lane] = warp->lane[lane].attempt;
	wait = gputm_commit_sequencer_backoff(core->sequencer, fail, aborts);
	sim_tx_over(machine, warp, sim_now(machine) + (1 + wait) * machine->core_ticks);
}

/* ---- beside the core ----------------------------------------------------------------------- */

void sim_kilo_commit(struct sim_machine *machine, struct sim_warp *warp)
{
	uint64_t now = sim_now(machine), next = now + machine->core_ticks;
	struct kilo_core *core = core_at(machine, warp->core, begun(now, machine->core_ticks));
	uint64_t lanes = gputm_simt_stack_active_mask(warp->stack);
	int result = gputm_commit_sequencer_begin(core->sequencer, warp->index, lanes);

	sim_must(machine, result, "the commit sequencer refused a warp");
	if (result == GPUTM_COMMIT_SEQUENCER_BUSY)
		sim_warp_until(machine, warp, next);
	call_core(machine, warp->core, next);
}

static void grant(struct sim_machine *machine, uint32_t index, struct kilo_core *core)
{
	struct kilo *kilo = machine->state;
	uint32_t warp, count;
	uint64_t first;

	core->short_of_credits = false;
	if (!gputm_commit_sequencer_wants(core->sequencer, &warp, &count))
		return;
	if (gputm_commit_id_acquire(kilo->vendor, index, count, &first) != GPUTM_COMMIT_ID_OK) {
		core->short_of_credits = true;
		return;
	}
	kilo->owner[first & (kilo->owners - 1)] = (uint8_t)index;
	sim_must(machine, gputm_commit_sequencer_grant(core->sequencer, first),
		 "the commit sequencer refused its CIDs");
}

static void send_packet(struct sim_machine *machine, uint32_t core, uint32_t partition,
			const struct gputm_commit_message *packet)
{
	struct kilo *kilo = machine->state;
	bool small = packet->words <= SMALL_WORDS;
	struct sim_slab *slab = small ? &kilo->small : &kilo->large;
	static const uint8_t kind[] = { SIM_TRAFFIC_READ_LOG, SIM_TRAFFIC_WRITE_LOG,
					SIM_TRAFFIC_DONE,     SIM_TRAFFIC_VERDICT,
					SIM_TRAFFIC_RESEND,   SIM_TRAFFIC_RESEND };
	struct sim_message message = { .what = small ? PACKET_SMALL : PACKET_LARGE };

	message.c = sim_slab_take(slab);
	if (message.c == SIM_SLAB_NONE) {
		sim_fail(machine, -ENOMEM, "no memory for a packet");
		return;
	}
	memcpy(sim_slab_at(slab, message.c), packet, gputm_commit_message_size(packet));
	message.kind = kind[packet->kind];
	if (packet->kind == GPUTM_COMMIT_DONE && !packet->yes)
		message.kind = SIM_TRAFFIC_SKIP;
	message.core = (uint8_t)core;
	message.partition = (uint8_t)partition;
	sim_send_up(machine, &message, gputm_commit_message_bytes(packet));
}

/* The commit of a warp is over for the core. */
static void finish(struct sim_machine *machine, uint32_t core,
		   const struct gputm_commit_sequencer_done *done)
{
	struct kilo *kilo = machine->state;
	struct sim_warp *warp = sim_warp_of(machine, core, done->warp);
	uint64_t cid = done->first_cid, lanes = done->pass | done->fail;

	for (SIM_EACH_LANE(lane, lanes)) {
		bool with_cid = done->with_cid >> lane & 1;

		warp->witness[lane] = with_cid ? cid++ : kilo->empty++ | UINT64_C(1) << 63;
	}
	sim_must(machine, gputm_tx_log_restart(kilo->log[sim_warp_number(machine, warp)], lanes),
		 "the logs refused a restart");
	if (done->fail)
		sim_tx_abort(machine, warp, done->fail, SIM_ABORT_VALIDATION);
	if (done->pass)
		sim_tx_commit(machine, warp, done->pass, warp->witness);
	sim_kilo_end_attempt(machine, warp, done->fail);
}

static void take_outputs(struct sim_machine *machine, uint32_t index, struct kilo_core *core)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;
	struct gputm_commit_message packet;
	uint32_t partition;

	if (gputm_commit_sequencer_peek(core->sequencer, &partition, &packet)) {
		send_packet(machine, index, partition, &packet);
		gputm_commit_sequencer_pop(core->sequencer);
	}
	while (gputm_commit_sequencer_pop_done(core->sequencer, &done))
		finish(machine, index, &done);
	while (gputm_commit_sequencer_pop_retired(core->sequencer, &retired))
		;
}

static int report_push(struct kilo_core *core, const struct sim_message *message)
{
	struct gputm_commit_report report = {
		.kind = message->c & 0xff,
		.purpose = message->c >> 8 & 0xff,
		.first_cid = message->a,
		.lanes = message->c >> 16,
		.mask = message->b,
		.yes = (uint64_t)message->e << 32 | message->d,
	};

	return gputm_commit_sequencer_push(core->sequencer, message->partition, &report);
}

/* Resend requests that the sequencer had no room for. */
static void push_refused(struct sim_machine *machine, struct kilo_core *core)
{
	struct sim_message *message;

	while ((message = sim_queue_head(&core->refused))) {
		int result = report_push(core, message);

		sim_must(machine, result, "the commit sequencer refused a report");
		if (result == GPUTM_COMMIT_SEQUENCER_BUSY)
			return;
		sim_queue_pop(&core->refused);
	}
}

uint64_t sim_kilo_core_tick(struct sim_machine *machine, uint32_t index)
{
	uint64_t tick = sim_now(machine) / machine->core_ticks, quiet;
	struct kilo_core *core = core_at(machine, index, tick);

	if (core->refused.count)
		push_refused(machine, core);
	grant(machine, index, core);
	gputm_commit_sequencer_tick(core->sequencer);
	core->ticks = tick + 1;
	take_outputs(machine, index, core);
	quiet = core->refused.count ? 0 : gputm_commit_sequencer_next_event(core->sequencer);
	if (quiet == UINT64_MAX)
		return SIM_NEVER;
	return (core->ticks + quiet) * machine->core_ticks;
}

/* Credits have come back: cores that were short ask again in the next cycle. */
static void return_credits(struct sim_machine *machine, const struct sim_message *message)
{
	struct kilo *kilo = machine->state;
	int result = gputm_commit_id_report_retired(kilo->vendor, message->partition, message->a,
						    message->c >> 16, NULL);

	sim_must(machine, result, "the CID vendor refused a report");
	for (uint32_t i = 0; result > 0 && i < machine->config.cores; i++)
		if (kilo->core[i].short_of_credits)
			call_core(machine, i, sim_now(machine) + 1);
}

void sim_kilo_at_core(struct sim_machine *machine, const struct sim_message *message)
{
	uint64_t now = sim_now(machine);
	struct kilo_core *core =
		core_at(machine, message->core, ended(now, machine->core_ticks));
	int result = report_push(core, message);

	sim_must(machine, result, "the commit sequencer refused a report");
	if (result == GPUTM_COMMIT_SEQUENCER_BUSY && !sim_queue_push(&core->refused, message))
		sim_fail(machine, -ENOMEM, "no memory for a report");
	if ((message->c & 0xff) == GPUTM_COMMIT_RETIRED)
		return_credits(machine, message);
	call_core(machine, message->core, now);
}

/* ---- beside the partition -------------------------------------------------------------------- */

/* Push the packet of this message; true unless the port is full. */
static bool packet_push(struct sim_machine *machine, struct kilo_partition *partition,
			const struct sim_message *message)
{
	struct kilo *kilo = machine->state;
	struct sim_slab *slab = message->what == PACKET_SMALL ? &kilo->small : &kilo->large;
	int result = gputm_commit_unit_push(partition->unit, sim_slab_at(slab, message->c));

	sim_must(machine, result, "the commit unit refused a packet");
	if (result == GPUTM_COMMIT_UNIT_FULL)
		return false;
	sim_slab_give(slab, message->c);
	return true;
}

static void push_waiting(struct sim_machine *machine, struct kilo_partition *partition,
			 struct sim_queue *queue)
{
	struct sim_message *message;

	while ((message = sim_queue_head(queue)) && packet_push(machine, partition, message))
		sim_queue_pop(queue);
}

void sim_kilo_at_partition(struct sim_machine *machine, const struct sim_message *message)
{
	uint64_t now = sim_now(machine);
	struct kilo_partition *partition =
		partition_at(machine, message->partition, begun(now, machine->unit_ticks));
	struct sim_queue *queue = message->kind == SIM_TRAFFIC_RESEND ? &partition->resent :
									&partition->waiting;

	if ((queue->count || !packet_push(machine, partition, message)) &&
	    !sim_queue_push(queue, message))
		sim_fail(machine, -ENOMEM, "no memory for a packet");
	call_partition(machine, message->partition, now + 1);
}

static void send_report(struct sim_machine *machine, uint32_t partition,
			const struct gputm_commit_report *report)
{
	const struct kilo *kilo = machine->state;
	static const uint8_t kind[] = { SIM_TRAFFIC_OUTCOME, SIM_TRAFFIC_RETIRE,
					SIM_TRAFFIC_RESEND };
	struct sim_message message = { .what = REPORT, .kind = kind[report->kind] };

	message.a = report->first_cid;
	message.b = report->mask;
	message.c = report->kind | report->purpose << 8 | report->lanes << 16;
	message.d = (uint32_t)report->yes;
	message.e = (uint32_t)(report->yes >> 32);
	message.partition = (uint8_t)partition;
	message.core = kilo->owner[report->first_cid & (kilo->owners - 1)];
	sim_send_down(machine, &message, gputm_commit_report_bytes(report));
}

void sim_kilo_completed(struct sim_machine *machine, uint32_t index, uint64_t tag,
		      const uint32_t *value)
{
	uint64_t now = sim_now(machine);
	struct kilo_partition *partition =
		partition_at(machine, index, ended(now, machine->unit_ticks));

	sim_must(machine, gputm_commit_unit_mem_complete(partition->unit, tag, value),
		 "the commit unit refused a completion");
	call_partition(machine, index, now);
}

/* Told of each word that the unit writes: its version is now this CID. */
static void note_version(void *state, const struct gputm_unit *unit,
			 const struct gputm_event *event)
{
	(void)unit;
	if (event->kind == GPUTM_COMMIT_UNIT_WRITE_ISSUED)
		sim_memory_write(state, event->value[1], (uint32_t)event->value[0]);
}

static void take_request(struct sim_machine *machine, struct gputm_commit_unit *unit,
			 enum gputm_commit_unit_port port, struct gputm_mem_request *request)
{
	struct gputm_unit *face = gputm_commit_unit_unit(unit);
	bool versions = machine->version && port == GPUTM_COMMIT_UNIT_COMMIT;

	if (versions)
		gputm_unit_observe(face, note_version, machine->version);
	gputm_commit_unit_mem_take(unit, port, request);
	if (versions)
		gputm_unit_observe(face, NULL, NULL);
}

/* Take what the ports and the report queue offer in this cycle. */
static void take_offers(struct sim_machine *machine, uint32_t index, struct gputm_commit_unit *unit,
			uint32_t offers)
{
	const struct kilo *kilo = machine->state;
	struct gputm_commit_report report;
	struct gputm_mem_request request;

	if (offers & GPUTM_COMMIT_UNIT_OFFERS_READ) {
		take_request(machine, unit, GPUTM_COMMIT_UNIT_VALIDATION, &request);
		sim_unit_access(machine, index, &request);
	}
	if (offers & GPUTM_COMMIT_UNIT_OFFERS_WRITE) {
		take_request(machine, unit, GPUTM_COMMIT_UNIT_COMMIT, &request);
		sim_unit_access(machine, index, &request);
		if (kilo->wrote)
			kilo->wrote(machine, index, &request);
	}
	if (offers & GPUTM_COMMIT_UNIT_OFFERS_REPORT && gputm_commit_unit_peek(unit, &report)) {
		send_report(machine, index, &report);
		gputm_commit_unit_pop(unit);
	}
}

uint64_t sim_kilo_partition_tick(struct sim_machine *machine, uint32_t index)
{
	uint64_t tick = sim_now(machine) / machine->unit_ticks;
	struct kilo_partition *partition = partition_at(machine, index, tick);
	uint32_t offers;

	if (partition->resent.count)
		push_waiting(machine, partition, &partition->resent);
	if (partition->waiting.count)
		push_waiting(machine, partition, &partition->waiting);
	offers = gputm_commit_unit_tick(partition->unit);
	partition->ticks = tick + 1;
	take_offers(machine, index, partition->unit, offers);
	if (offers || partition->waiting.count || partition->resent.count ||
	    gputm_commit_unit_next_event(partition->unit) == 0)
		return (tick + 1) * machine->unit_ticks;
	return SIM_NEVER;
}
