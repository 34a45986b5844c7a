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
static void push_chunk(struct hetm *h, const struct gputm_write_set_log_chunk *chunk,
		       enum gputm_device_validator_mode mode, struct sim_memory *to,
		       struct gputm_sync_round_done *done)
{
	struct gputm_device_validator_result result = { 0 };
	uint64_t *apply = sim_calloc(chunk->count / 64 + 1, sizeof(*apply));

	if (!apply || gputm_device_validator_push(h->validator, h->reads, chunk, mode, apply,
						  &result))
		sim_fail(&h->port, -EINVAL, "a chunk of the log is not taken");
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
static void ship(struct hetm *h, bool early, bool partial,
		 struct gputm_sync_round_done *done)
{
	struct gputm_write_set_log_chunk chunk;

	hetm_gpu_mark(h);
	if (gputm_write_set_log_cut(h->log,
				    early ? GPUTM_WRITE_SET_LOG_STREAM_EARLY
					  : GPUTM_WRITE_SET_LOG_STREAM_SHIP,
				    partial, &chunk) != GPUTM_WRITE_SET_LOG_CHUNK)
		return;
	done->bytes = chunk.bytes;
	push_chunk(h, &chunk,
		   early ? GPUTM_DEVICE_VALIDATOR_MODE_EARLY : GPUTM_DEVICE_VALIDATOR_MODE_APPLY,
		   h->gpu, done);
}

/* Write the CPU's writes of the round to the shadow copy. @return their bytes. */
static uint64_t replay(struct hetm *h, struct gputm_sync_round_done *done)
{
	struct gputm_write_set_log_chunk chunk;
	uint64_t bytes = 0;

	while (!h->port.failed &&
	       gputm_write_set_log_cut(h->log, GPUTM_WRITE_SET_LOG_STREAM_REPLAY, true, &chunk) ==
		       GPUTM_WRITE_SET_LOG_CHUNK) {
		push_chunk(h, &chunk, GPUTM_DEVICE_VALIDATOR_MODE_REPLAY, h->shadow, done);
		bytes += chunk.bytes;
	}
	return bytes;
}

/* ---- the end of a round ---- */

/* With an observer: check that the replicas are equal, byte for byte. */
static void compare(struct hetm *h)
{
	const struct sim_memory *other[] = { h->gpu, h->shadow };
	char text[96];
	uint64_t address;

	for (unsigned i = 0; h->port.observer && i < 2 && other[i]; i++) {
		if (!sim_memory_differ(h->port.memory, other[i], h->base + h->region,
				       &address))
			continue;
		snprintf(text, sizeof(text), "round %llu: the replicas differ at 0x%llx",
			 (unsigned long long)gputm_write_set_log_round(h->log),
			 (unsigned long long)address);
		sim_fail(&h->port, -EILSEQ, text);
	}
}

static void next_round(struct hetm *h)
{
	compare(h);
	gputm_access_bitmap_clear(h->reads);
	gputm_access_bitmap_clear(h->writes);
	if (gputm_write_set_log_begin(h->log) ||
	    gputm_device_validator_begin(h->validator, gputm_write_set_log_round(h->log)))
		sim_fail(&h->port, -EINVAL, "a round does not begin");
}

static struct gputm_sync_round_done merge(struct hetm *h,
					  enum gputm_sync_round_action what)
{
	struct gputm_sync_round_done done = { 0 };

	if (what != GPUTM_SYNC_ROUND_ACTION_SHADOW)
		hetm_exact_judge(h, what == GPUTM_SYNC_ROUND_ACTION_COPY_BACK);
	switch (what) {
	case GPUTM_SYNC_ROUND_ACTION_SHADOW:
		done = copy_written(h, h->gpu, h->shadow);
		done.bytes += replay(h, &done);
		break;
	case GPUTM_SYNC_ROUND_ACTION_COPY_BACK:
		done = copy_written(h, h->gpu, h->port.memory);
		hetm_gpu_commit(h);
		next_round(h);
		break;
	case GPUTM_SYNC_ROUND_ACTION_REPLAY:
		(void)replay(h, &done);
		done.bytes = copy_written(h, h->shadow, h->gpu).bytes;
		hetm_gpu_abort(h);
		next_round(h);
		break;
	default: /* GPUTM_SYNC_ROUND_ACTION_REALIGN */
		done = copy_written(h, h->port.memory, h->gpu);
		hetm_gpu_abort(h);
		next_round(h);
		break;
	}
	return done;
}

/* ---- the loop ---- */

/* Has nothing left to run on these devices? A running kernel of a lost round is stopped. */
static bool drained(struct hetm *h, uint32_t devices)
{
	if (h->running && devices & GPUTM_SYNC_ROUND_DEVICE_GPU && h->config->system.stop_kernels &&
	    gputm_device_validator_conflict(h->validator))
		hetm_gpu_stop(h);
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

static void end_round(struct hetm *h)
{
	hetm_times_take(h);
	h->run.last_work = h->port.now;
	if (h->run.threads_left && nothing_left(h) && !h->done)
		sim_fail(&h->port, -EDEADLK, "threads are left that no queue has");
	if (h->run.threads_left && gputm_sync_round_begin(h->round, h->port.now))
		sim_fail(&h->port, -EINVAL, "a round does not begin");
}

/* Perform all actions that are requested now. */
static void coordinate(struct hetm *h)
{
	uint64_t now = h->port.now;

	while (!h->port.failed) {
		struct gputm_sync_round_done done = { 0 };
		struct gputm_sync_round_todo todo;

		if (gputm_sync_round_step(h->round, now, &todo))
			sim_fail(&h->port, -EINVAL, "the rounds are out of time");
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_END) {
			end_round(h);
			continue;
		}
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN &&
		    gputm_sync_round_current_state(h->round) == GPUTM_SYNC_ROUND_STATE_EXECUTION &&
		    nothing_left(h) && !gputm_sync_round_stop(h->round, now))
			continue;
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_RUN ||
		    (todo.action == GPUTM_SYNC_ROUND_ACTION_DRAIN &&
		     !drained(h, todo.devices)))
			return;
		if (todo.action == GPUTM_SYNC_ROUND_ACTION_EARLY ||
		    todo.action == GPUTM_SYNC_ROUND_ACTION_SHIP)
			ship(h, todo.action == GPUTM_SYNC_ROUND_ACTION_EARLY, todo.partial,
			     &done);
		else if (todo.action != GPUTM_SYNC_ROUND_ACTION_DRAIN)
			done = merge(h, todo.action);
		if (gputm_sync_round_complete(h->round, now, &done))
			sim_fail(&h->port, -EINVAL, "the rounds do not take an answer");
	}
}

static bool may_run(const struct hetm *h, enum gputm_sync_round_device device)
{
	uint32_t other = device == GPUTM_SYNC_ROUND_DEVICE_CPU ? HETM_GPU_ONLY : HETM_CPU_ONLY;

	if (h->config->system.devices == HETM_CPU_ONLY)
		return device == GPUTM_SYNC_ROUND_DEVICE_CPU;
	return h->config->system.devices != other &&
	       gputm_sync_round_may_run(h->round, device, h->port.now);
}

bool hetm_begin(struct sim_run *run)
{
	struct hetm *h = hetm_in(run);

	if (h->config->system.devices != HETM_CPU_ONLY && gputm_sync_round_begin(h->round, 0))
		sim_fail(&h->port, -EINVAL, "the first round does not begin");
	return true;
}

/* End what is due, perform actions, begin new work. */
void hetm_step(struct sim_run *run)
{
	struct hetm *h = hetm_in(run);
	bool rounds = h->config->system.devices != HETM_CPU_ONLY;

	hetm_cpu_watch(h);
	h->next = HETM_NEVER;
	if (h->running && h->running->ends <= h->port.now)
		hetm_gpu_end(h);
	hetm_cpu_run(h);
	if (rounds && !h->port.failed)
		coordinate(h);
	if (!h->port.failed && !h->running && may_run(h, GPUTM_SYNC_ROUND_DEVICE_GPU))
		hetm_gpu_start(h);
	if (!h->port.failed && may_run(h, GPUTM_SYNC_ROUND_DEVICE_CPU))
		hetm_cpu_take(h);
	if (rounds)
		h->next = gputm_sync_round_next_time(h->round);
	if (h->running)
		h->next = sim_earlier(h->next, h->running->ends);
	h->next = sim_earlier(h->next, hetm_cpu_next(h));
}

bool hetm_go_on(struct sim_run *run)
{
	struct hetm *h = hetm_in(run);

	if (h->next == HETM_NEVER)
		return false;
	if (h->next > h->port.now) {
		hetm_time_passes(h, h->next);
		h->port.now = h->next;
	}
	return run->threads_left ||
	       gputm_sync_round_current_state(h->round) != GPUTM_SYNC_ROUND_STATE_IDLE;
}

void hetm_over(struct sim_run *run)
{
	struct hetm *h = hetm_in(run);

	if (h->config->system.devices == HETM_CPU_ONLY)
		hetm_times_take(h);
}
