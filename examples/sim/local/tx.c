/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_begin and tx_commit: of local_tm, and of the system that runs one work-item at a time. */
#include "local.h"

/* ---- what all share ---- */

static void enter(struct local *local, struct local_wave *wave)
{
	size_t row = local->port.program->registers * sizeof(uint32_t);

	wave->in_tx = true;
	wave->tx_pc = wave->pc;
	wave->tx_depth = wave->depth;
	wave->first = wave->exec;
	for (SIM_EACH_LANE(lane, wave->exec)) {
		wave->attempt[lane] = 0;
		memcpy(local_row(local, wave, lane) + local_rows(local),
		       local_row(local, wave, lane), row);
	}
}

static void tell_commit(struct local *local, struct local_wave *wave, uint64_t lanes)
{
	const struct sim_observer *observer = local->port.observer;

	local->port.result.committed += (uint64_t)__builtin_popcountll(lanes);
	sim_see(&local->port, wave->index, SIM_SEEN_COMMIT, lanes, 0);
	for (SIM_EACH_LANE(lane, lanes)) {
		if (observer)
			observer->commit(observer->state, wave->thread[lane],
					 local->port.witness);
		local->port.witness++;
	}
}

void local_abort(struct local *local, struct local_wave *wave, uint64_t lanes)
{
	const struct sim_observer *observer = local->port.observer;
	uint64_t count = (uint64_t)__builtin_popcountll(lanes);

	local->port.result.aborted += count;
	sim_see(&local->port, wave->index, SIM_SEEN_ABORT, lanes, SIM_ABORT_CONFLICT);
	local->port.result.aborted_by_reason[SIM_ABORT_CONFLICT] += count;
	wave->inside &= ~lanes;
	for (SIM_EACH_LANE(lane, lanes)) {
		uint32_t *reg = local_row(local, wave, lane);

		sim_row_again(local->port.program, ++wave->attempt[lane], reg,
			      reg + local_rows(local));
		if (observer)
			observer->abort(observer->state, wave->thread[lane],
					SIM_ABORT_CONFLICT);
	}
}

static void restart(struct local_wave *wave)
{
	wave->pc = wave->tx_pc;
	wave->depth = wave->tx_depth;
}

/* Tell an observer that an attempt has begun, or that the wavefront's attempt is over. */
static void see_begin(const struct local *local, const struct local_wave *wave)
{
	sim_see(&local->port, wave->index, SIM_SEEN_BEGIN, wave->inside, local->port.now);
}

static void see_over(const struct local *local, const struct local_wave *wave, bool again)
{
	sim_see(&local->port, wave->index, SIM_SEEN_OVER, again, local->port.now);
}

/* Wavefronts that waited for another wavefront may try again. */
static void wake(struct local *local)
{
	for (uint32_t i = 0; i < local->waves; i++)
		if (local->wave[i].waiting) {
			local->wave[i].waiting = false;
			local->wave[i].ready_at = local->port.now + 1;
		}
}

/* ---- local_tm ---- */

/* The attempts of these wavefronts are aborted: they go back to tx_begin. */
static void evict(struct local *local, uint32_t waves)
{
	for (SIM_EACH_LANE(i, waves)) {
		struct local_wave *wave = &local->wave[i];
		struct gputm_local_tm_masks masks;

		local_abort(local, wave, wave->inside);
		see_over(local, wave, true);
		restart(wave);
		if (gputm_local_tm_get_masks(local->tm, wave->index, &masks) < 0)
			sim_fail(&local->port, -EINVAL, "a wavefront has no masks");
		else
			wave->exec = masks.exec;
	}
}

static uint64_t begin(struct local *local, struct local_wave *wave)
{
	struct gputm_local_tm_begun begun;
	int result = gputm_local_tm_begin(local->tm, wave->index, &begun);

	if (result == GPUTM_LOCAL_TM_HELD) {
		wave->waiting = true;
		return 0;
	}
	if (result != GPUTM_LOCAL_TM_OK) {
		sim_fail(&local->port, -EINVAL, "a transaction could not begin");
		return 0;
	}
	if (!wave->in_tx)
		enter(local, wave);
	wave->inside = begun.lanes;
	see_begin(local, wave);
	evict(local, begun.evicted);
	local_arrive(local, wave, local_after(local, wave));
	return local->config->machine.scalar_cycles + (uint64_t)local->overhead * begun.cycles;
}

static uint64_t commit(struct local *local, struct local_wave *wave)
{
	bool holds = gputm_local_tm_holder(local->tm) == (int)wave->index;
	struct gputm_local_tm_ended ended;
	int result = gputm_local_tm_commit(local->tm, wave->index, &ended);
	uint64_t cycles;

	if (result != GPUTM_LOCAL_TM_OK && result != GPUTM_LOCAL_TM_RETRY) {
		sim_fail(&local->port, -EINVAL, "a transaction could not commit");
		return 0;
	}
	cycles = local->config->machine.scalar_cycles + (uint64_t)local->overhead * ended.cycles;
	tell_commit(local, wave, ended.committed);
	see_over(local, wave, result == GPUTM_LOCAL_TM_RETRY);
	wave->inside = 0;
	wave->exec &= ~ended.committed;
	if (result == GPUTM_LOCAL_TM_RETRY) {
		restart(wave);
		return cycles;
	}
	wave->in_tx = false;
	wave->exec = wave->first;
	local_arrive(local, wave, local_after(local, wave));
	if (holds)
		wake(local);
	return cycles;
}

/*
 * One work-item at a time: the program is a loop over all work-items with a barrier. Each turn
 * is a comparison of the number and six scalar instructions: EXEC, the branch past the
 * section, the barrier, and the loop's addition, comparison and branch.
 */
#define TURN_SCALARS 6u

static uint64_t begin_alone(struct local *local, struct local_wave *wave)
{
	if (local->owner >= 0 && local->owner != (int)wave->index) {
		wave->waiting = true;
		return 0;
	}
	local->owner = (int)wave->index;
	if (!wave->in_tx) {
		enter(local, wave);
		wave->todo = wave->exec;
	}
	wave->inside = wave->todo & -wave->todo;
	wave->todo &= wave->todo - 1;
	see_begin(local, wave);
	local_set_exec(local, wave, wave->inside);
	local_arrive(local, wave, local_after(local, wave));
	return local->vector_cycles + (uint64_t)TURN_SCALARS * local->config->machine.scalar_cycles;
}

static void commit_alone(struct local *local, struct local_wave *wave)
{
	tell_commit(local, wave, wave->inside);
	see_over(local, wave, wave->todo);
	wave->inside = 0;
	if (wave->todo) {
		restart(wave);
		return;
	}
	wave->in_tx = false;
	local->owner = -1;
	local_set_exec(local, wave, wave->first);
	local_arrive(local, wave, local_after(local, wave));
	wake(local);
}

/* ---- */

uint64_t local_begin(struct local *local, struct local_wave *wave)
{
	return local->config->serialised ? begin_alone(local, wave)
						     : begin(local, wave);
}

uint64_t local_commit(struct local *local, struct local_wave *wave)
{
	if (!local->config->serialised)
		return commit(local, wave);
	commit_alone(local, wave);
	return 0;
}
