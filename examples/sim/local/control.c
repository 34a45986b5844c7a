/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branches on a compute unit. There is no stack in the hardware: the compiler saves EXEC in
 * scalar registers, takes the lanes of one way with a comparison's VCC, then those of the
 * other, and restores EXEC where they meet. This is that, told by the program's meeting
 * points. Lanes in TCM stay in EXEC and execute nothing.
 */
#include "local.h"

void local_set_exec(struct local *local, struct local_wave *wave, uint64_t exec)
{
	wave->exec = exec;
	if (gputm_local_tm_set_exec(local->tm, wave->index, exec) < 0)
		sim_fail(&local->port, -EINVAL, "EXEC could not be written");
}

/* The entry for lanes that wait at `meet`: the last one, if lanes wait there already since an
 * earlier turn of a loop; else a new one. NULL: too many. */
static struct local_branch *waiting_at(struct local_wave *wave, uint32_t meet, bool waits)
{
	struct local_branch *branch = &wave->branch[wave->depth];

	if (waits && wave->depth && branch[-1].meet == meet && !branch[-1].other)
		return branch - 1;
	if (wave->depth == LOCAL_DEPTH)
		return NULL;
	wave->depth++;
	*branch = (struct local_branch){ wave->exec, 0, meet, 0 };
	return branch;
}

static void diverge(struct local *local, struct local_wave *wave,
		    const struct sim_instr *instr, uint64_t taken)
{
	bool waits = local_after(local, wave) == instr->meet;
	bool leaves = instr->target == instr->meet;
	struct local_branch *branch = waiting_at(wave, instr->meet, waits || leaves);
	uint64_t other = wave->exec & ~taken;

	if (!branch) {
		sim_fail(&local->port, -EINVAL, "the program's branches nest too deeply");
		return;
	}
	if (leaves) {
		local_set_exec(local, wave, other);
		wave->pc = local_after(local, wave);
		return;
	}
	if (!waits) {
		branch->other = other;
		branch->other_pc = local_after(local, wave);
	}
	local_set_exec(local, wave, taken);
	wave->pc = instr->target;
}

void local_branch(struct local *local, struct local_wave *wave,
		  const struct sim_instr *instr, uint64_t taken)
{
	uint64_t on = gputm_local_tm_running(local->tm, wave->index);
	char reason[120];

	if (instr->uniform && taken && taken != on) {
		snprintf(reason, sizeof reason, SIM_DIVIDED,
			 wave->thread[__builtin_ctzll(taken)],
			 wave->thread[__builtin_ctzll(on & ~taken)]);
		sim_fail_at(&local->port, wave->pc, -EINVAL, reason);
	}
	if (gputm_local_tm_set_vcc(local->tm, wave->index, taken) < 0)
		sim_fail(&local->port, -EINVAL, "VCC could not be written");
	if (taken && taken != on)
		diverge(local, wave, instr, taken);
	else
		wave->pc = taken ? instr->target : local_after(local, wave);
	local_arrive(local, wave, wave->pc);
}

void local_arrive(struct local *local, struct local_wave *wave, uint32_t pc)
{
	wave->pc = pc;
	while (wave->depth && wave->branch[wave->depth - 1].meet == wave->pc) {
		struct local_branch *branch = &wave->branch[wave->depth - 1];

		if (branch->other) {
			local_set_exec(local, wave, branch->other);
			wave->pc = branch->other_pc;
			branch->other = 0;
		} else {
			local_set_exec(local, wave, branch->exec);
			wave->depth--;
		}
	}
}

void local_leave(struct local *local, struct local_wave *wave, uint64_t lanes)
{
	local->run.threads_left -= (uint64_t)__builtin_popcountll(lanes);
	for (uint32_t i = 0; i < wave->depth; i++) {
		wave->branch[i].exec &= ~lanes;
		wave->branch[i].other &= ~lanes;
	}
	local_set_exec(local, wave, wave->exec & ~lanes);
	if (wave->exec)
		local_arrive(local, wave, local_after(local, wave));
	while (!wave->exec && wave->depth)
		local_arrive(local, wave, wave->branch[wave->depth - 1].meet);
	wave->ended = !wave->exec;
}
