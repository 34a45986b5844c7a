/* SPDX-License-Identifier: BSD-2-Clause */
/* The rounds of HeTM: performs the actions that sync_round requests (hetm.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "hetm.h"
#include "../base/arena.h"

/* ---- moving data ---- */

/* Copy what the GPU has written from one replica to another: bytes and transfers. */
static struct gputm_sync_round_done
copy_written(const struct hetm *h, const struct sim_memory *from, struct sim_memory *to)
{
	struct gputm_sync_round_done done = { 0 };
	struct gputm_access_bitmap_run run;

	for (uint64_t at = 0; gputm_access_bitmap_next_run(h->writes, at, &run);
	     at = run.address + run.bytes) {
		for (uint64_t i = 0; i < run.bytes; i += 4) {
			uint64_t address = h->base + run.address + i;

			if (sim_memory_read(to, address) != sim_memory_read(from, address))
				sim_memory_write(to, address, sim_memory_read(from, address));
		}
		done.bytes += run.bytes;
		done.runs++;
	}
	return done;
}

/* Validate a chunk; entries that are newer are written to the replica `to`. */
static void push_chunk(struct sim_machine *machine, const struct gputm_write_set_log_chunk *chunk,
		       enum gputm_device_validator_mode mode, struct sim_memory *to,
		       struct gputm_sync_round_done *done)
{
	struct hetm *h = hetm_of(machine);
	struct gputm_device_validator_result result = { 0 };
	uint64_t *apply = sim_calloc(chunk->count / 64 + 1, sizeof(*apply));

	if (!apply || gputm_device_validator_push(h->validator, h->reads, chunk, mode, apply,
						  &result))
		sim_fail(&machine->port, -EINVAL, "a chunk of the log is not taken");
	for (uint32_t i = 0; apply && i < chunk->count; i++)
		if (apply[i / 64] >> (i % 64) & 1)
			sim_memory_write(to, h->base + chunk->entry[i].address,
					 chunk->entry[i].value);
	sim_free(apply);
	done->cycles += result.cycles;
	done->conflict |= result.conflicts > 0;
	if (mode == GPUTM_DEVICE_VALIDATOR_MODE_APPLY)
		h->exact.told += result.conflicts;
}

/* Early validation and validation: one chunk. */
static void ship(struct sim_machine *machine, bool early, bool partial,
		 struct gputm_sync_round_done *done)
{
	struct hetm *h = hetm_of(machine);
	struct gputm_write_set_log_chunk chunk;

	hetm_gpu_mark(machine);
	if (gputm_write_set_log_cut(h->log,
				    early ? GPUTM_WRITE_SET_LOG_STREAM_EARLY
					  : GPUTM_WRITE_SET_LOG_STREAM_SHIP,
				    partial, &chunk) != GPUTM_WRITE_SET_LOG_CHUNK)
		return;
	done->bytes = chunk.bytes;
	push_chunk(machine, &chunk,
		   early ? GPUTM_DEVICE_VALIDATOR_MODE_EARLY : GPUTM_DEVICE_VALIDATOR_MODE_APPLY,
		   h->gpu, done);
}

/* Write the CPU's writes of the round to the shadow copy. @return their bytes. */
static uint64_t replay(struct sim_machine *machine, struct gputm_sync_round_done *done)
{
	struct hetm *h = hetm_of(machine);
	struct gputm_write_set_log_chunk chunk;
	uint64_t bytes = 0;

	while (!machine->port.failed &&
	       gputm_write_set_log_cut(h->log, GPUTM_WRITE_SET_LOG_STREAM_REPLAY, true, &chunk) ==
		       GPUTM_WRITE_SET_LOG_CHUNK) {
		push_chunk(machine, &chunk, GPUTM_DEVICE_VALIDATOR_MODE_REPLAY, h->shadow, done);
		bytes += chunk.bytes;
	}
	return bytes;
}

/* ---- the end of a round ---- */

/* With an observer: check that the replicas are equal, byte for byte. */
static void compare(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	const struct sim_memory *other[] = { h->gpu, h->shadow };
	char text[96];
	uint64_t address;

	for (unsigned i = 0; machine->options.observer && i < 2 && other[i]; i++) {
		if (!sim_memory_differ(machine->port.memory, other[i], h->base + h->region,
				       &address))
			continue;
		snprintf(text, sizeof(text), "round %llu: the replicas differ at 0x%llx",
			 (unsigned long long)gputm_write_set_log_round(h->log),
			 (unsigned long long)address);
		sim_fail(&machine->port, -EILSEQ, text);
	}
}

static void next_round(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);

	compare(machine);
	gputm_access_bitmap_clear(h->reads);
	gputm_access_bitmap_clear(h->writes);
	if (gputm_write_set_log_begin(h->log) ||
	    gputm_device_validator_begin(h->validator, gputm_write_set_log_round(h->log)))
		sim_fail(&machine->port, -EINVAL, "a round does not begin");
}

static struct gputm_sync_round_done merge(struct sim_machine *machine,
					  enum gputm_sync_round_action what)
{
	struct hetm *h = hetm_of(machine);
	struct gputm_sync_round_done done = { 0 };

	if (what != GPUTM_SYNC_ROUND_ACTION_SHADOW)
		hetm_exact_judge(machine, what == GPUTM_SYNC_ROUND_ACTION_COPY_BACK);
	switch (what) {
	case GPUTM_SYNC_ROUND_ACTION_SHADOW:
		done = copy_written(h, h->gpu, h->shadow);
		done.bytes += replay(machine, &done);
		break;
	case GPUTM_SYNC_ROUND_ACTION_COPY_BACK:
		done = copy_written(h, h->gpu, machine->port.memory);
		hetm_gpu_commit(machine);
		next_round(machine);
		break;
	case GPUTM_SYNC_ROUND_ACTION_REPLAY:
		(void)replay(machine, &done);
		done.bytes = copy_written(h, h->shadow, h->gpu).bytes;
		hetm_gpu_abort(machine);
		next_round(machine);
		break;
	default: /* GPUTM_SYNC_ROUND_ACTION_REALIGN */
		done = copy_written(h, machine->port.memory, h->gpu);
		hetm_gpu_abort(machine);
		next_round(machine);
		break;
	}
	return done;
}

/* ---- the loop ---- */

/* Has nothing left to run on these devices? A running kernel of a lost round is stopped. */
static bool drained(struct sim_machine *machine, uint32_t devices)
{
	const struct hetm *h = hetm_of(machine);

	if (h->running && devices & GPUTM_SYNC_ROUND_DEVICE_GPU && h->config->system.stop_kernels &&
	    gputm_device_validator_conflict(h->validator))
		hetm_gpu_stop(machine);
	return (!(devices & GPUTM_SYNC_ROUND_DEVICE_GPU) || !h->running) &&
	       (!(devices & GPUTM_SYNC_ROUND_DEVICE_CPU) || hetm_cpu_idle(h));
}

/* Nothing to execute, and nothing executing? */
static bool nothing_left(const struct hetm *h)
{
	uint64_t waiting = 0;

	for (unsigned i = GPUTM_DISPATCH_QUEUES_AFFINITY_ANY;
	     i <= GPUTM_DISPATCH_QUEUES_AFFINITY_GPU; i++)
		waiting += gputm_dispatch_queues_waiting(h->queues, i);
	return !waiting && !h->running && hetm_cpu_idle(h);
}

static void end_round(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);

	hetm_times_take(machine);
	machine->last_work = machine->port.now;
	if (machine->threads_left && nothing_left(h) && !h->done)
		sim_fail(&machine->port, -EDEADLK, "threads are left that no queue has");
	if (machine->threads_left && gputm_sync_round_begin(h->round, machine->port.now))
		sim_fail(&machine->port, -EINVAL, "a round does not begin");
}

/* Perform all actions that are requested now. */
static void coordinate(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	uint64_t now = machine->port.now;

	while (!machine->port.failed) {
		struct gputm_sync_round_done done = { 0 };
		struct gputm_sync_round_todo todo;

		if (gputm_sync_round_step(h->round, now, &todo))
			sim_fail(&machine->port, -EINVAL, "the rounds are out of time");
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_END) {
			end_round(machine);
			continue;
		}
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN &&
		    gputm_sync_round_current_state(h->round) == GPUTM_SYNC_ROUND_STATE_EXECUTION &&
		    nothing_left(h) && !gputm_sync_round_stop(h->round, now))
			continue;
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN ||
		    (todo.action == GPUTM_SYNC_ROUND_ACTION_DRAIN &&
		     !drained(machine, todo.devices)))
			return;
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_EARLY ||
		    todo.action == GPUTM_SYNC_ROUND_ACTION_SHIP)
			ship(machine, todo.action == GPUTM_SYNC_ROUND_ACTION_EARLY, todo.partial,
			     &done);
		else if (todo.action != GPUTM_SYNC_ROUND_ACTION_DRAIN)
			done = merge(machine, todo.action);
		if (gputm_sync_round_complete(h->round, now, &done))
			sim_fail(&machine->port, -EINVAL, "the rounds do not take an answer");
	}
}

static bool may_run(const struct sim_machine *machine, enum gputm_sync_round_device device)
{
	const struct hetm *h = machine->port.state;
	uint32_t other = device == GPUTM_SYNC_ROUND_DEVICE_CPU ? HETM_GPU_ONLY : HETM_CPU_ONLY;

	if (h->config->system.devices == HETM_CPU_ONLY)
		return device == GPUTM_SYNC_ROUND_DEVICE_CPU;
	return h->config->system.devices != other &&
	       gputm_sync_round_may_run(h->round, device, machine->port.now);
}

/* One point in time: ends what is due, performs actions, begins new work. @return the next
 * point. */
static uint64_t one_time(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	bool rounds = h->config->system.devices != HETM_CPU_ONLY;
	uint64_t next = HETM_NEVER;

	if (h->running && h->running->ends <= machine->port.now)
		hetm_gpu_end(machine);
	hetm_cpu_run(machine);
	if (rounds && !machine->port.failed)
		coordinate(machine);
	if (!machine->port.failed && !h->running && may_run(machine, GPUTM_SYNC_ROUND_DEVICE_GPU))
		hetm_gpu_start(machine);
	if (!machine->port.failed && may_run(machine, GPUTM_SYNC_ROUND_DEVICE_CPU))
		hetm_cpu_take(machine);
	if (rounds)
		next = gputm_sync_round_next_time(h->round);
	if (h->running)
		next = sim_earlier(next, h->running->ends);
	return sim_earlier(next, hetm_cpu_next(h));
}

void hetm_run(struct sim_machine *machine)
{
	struct hetm *h = hetm_of(machine);
	uint64_t next;

	if (!machine->restored && h->config->system.devices != HETM_CPU_ONLY &&
	    gputm_sync_round_begin(h->round, 0))
		sim_fail(&machine->port, -EINVAL, "the first round does not begin");
	while (!machine->port.failed &&
	       (machine->threads_left ||
		gputm_sync_round_current_state(h->round) != GPUTM_SYNC_ROUND_STATE_IDLE)) {
		sim_look_if_due(machine);
		next = one_time(machine);
		if (next == HETM_NEVER)
			break;
		if (next > machine->port.now) {
			hetm_time_passes(machine, next);
			machine->port.now = next;
		}
		sim_report_if_due(machine);
		hetm_cpu_watch(machine);
	}
	if (h->config->system.devices == HETM_CPU_ONLY)
		hetm_times_take(machine);
}
