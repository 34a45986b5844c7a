/* SPDX-License-Identifier: BSD-2-Clause */
/* The compute unit: its instructions and their timing, as described in local.h. */
#include "local.h"

#include <stdio.h>

/* ---- memory instructions ---- */

static void tell(struct local *local, const struct local_wave *wave, bool write,
		 uint64_t lanes)
{
	const struct sim_observer *observer = local->port.observer;

	if (!observer || (!write && !wave->in_tx))
		return;
	for (SIM_EACH_LANE(lane, lanes)) {
		if (write)
			observer->store(observer->state, wave->thread[lane], wave->in_tx,
					wave->address[lane], wave->value[lane]);
		else
			observer->load(observer->state, wave->thread[lane],
				       wave->address[lane], wave->value[lane], 0);
	}
}

static void take_loaded(struct local *local, struct local_wave *wave, uint64_t lanes)
{
	for (SIM_EACH_LANE(lane, wave->into == SIM_NO_REGISTER ? 0 : lanes))
		local_row(local, wave, lane)[wave->into] = wave->value[lane];
}

/* Cycles until the wavefront is ready. */
static uint64_t local_access(struct local *local, struct local_wave *wave, bool write,
			     uint64_t lanes)
{
	uint64_t now = local->port.now, start = local->lds_free > now ? local->lds_free : now;
	struct gputm_local_tm_answer answer;
	uint64_t busy;

	for (SIM_EACH_LANE(lane, lanes))
		wave->word[lane] = (uint32_t)(wave->address[lane] / 4);
	if (gputm_local_tm_access(local->tm, wave->index, write, lanes, wave->word, wave->value,
				  &answer) < 0) {
		sim_fail(&local->port, -EINVAL, "the program accessed no word of local memory");
		return 0;
	}
	busy = answer.passes + (uint64_t)local->overhead * answer.cycles;
	local->time[LOCAL_MEMORY] += busy - answer.passes;
	wave->since += busy - answer.passes;
	local->lds_free = start + busy;
	lanes &= ~answer.conflicts;
	if (!write)
		take_loaded(local, wave, lanes);
	tell(local, wave, write, lanes);
	if (answer.conflicts)
		local_abort(local, wave, answer.conflicts);
	return start - now + busy + local->config->machine.lds_latency - 1;
}

static uint64_t global_load(struct local *local, struct local_wave *wave, uint64_t lanes)
{
	for (SIM_EACH_LANE(lane, lanes))
		wave->value[lane] = sim_memory_read(local->port.memory, wave->address[lane]);
	take_loaded(local, wave, lanes);
	return local->config->machine.global_latency;
}

static uint64_t access_memory(struct local *local, struct local_wave *wave, bool write,
			      uint64_t lanes)
{
	uint64_t global = 0;

	for (SIM_EACH_LANE(lane, lanes))
		if (wave->address[lane] >= LOCAL_GLOBAL)
			global |= UINT64_C(1) << lane;
	if (!global)
		return local_access(local, wave, write, lanes);
	if (global == lanes && !write && !wave->in_tx)
		return global_load(local, wave, lanes);
	sim_fail(&local->port, -EINVAL, "global memory is for loads outside of transactions");
	return 0;
}

/* ---- instructions ---- */

/* Of the lanes from this one on. */
static uint32_t evaluate_warp(struct local *local, struct local_wave *wave, uint32_t first,
			      uint32_t on)
{
	struct sim_step step = { .mask = on, .address = &wave->address[first],
				 .value = &wave->value[first] };

	sim_evaluate_lanes(&local->port, wave->pc, &wave->thread[first],
			   local_row(local, wave, first), &step);
	wave->into = step.into;
	return step.chosen;
}

static uint64_t evaluate(struct local *local, struct local_wave *wave, uint64_t on)
{
	uint64_t chosen = 0;

	for (uint32_t l = 0; l < LOCAL_LANES; l += SIM_MAX_LANES)
		if ((uint32_t)(on >> l))
			chosen |= (uint64_t)evaluate_warp(local, wave, l, (uint32_t)(on >> l))
				  << l;
	return chosen;
}

static void end(struct local *local, struct local_wave *wave)
{
	wave->ended = true;
	local->run.threads_left -= (uint64_t)__builtin_popcountll(wave->exec);
}

/* s_barrier: the wavefronts that have not ended continue when all of them have arrived. */
static void look_at_barrier(struct local *local)
{
	for (uint32_t i = 0; i < local->waves; i++)
		if (!local->wave[i].ended && !local->wave[i].at_barrier)
			return;
	for (uint32_t i = 0; i < local->waves; i++) {
		local->wave[i].at_barrier = false;
		local->wave[i].ready_at = local->port.now + local->config->machine.scalar_cycles;
	}
}

static uint64_t execute(struct local *local, struct local_wave *wave)
{
	const struct sim_instr *code = local->port.program->code, *instr;
	uint64_t on = gputm_local_tm_running(local->tm, wave->index), chosen, cycles;

	for (; code[wave->pc].op == SIM_NOTE;
	     on = gputm_local_tm_running(local->tm, wave->index)) {
		evaluate(local, wave, on);
		local_arrive(local, wave, local_after(local, wave));
	}
	instr = &code[wave->pc];
	switch (instr->op) {
	case SIM_PLAIN:
		evaluate(local, wave, on);
		local_arrive(local, wave, local_after(local, wave));
		return (uint64_t)instr->count * local->vector_cycles;
	case SIM_LOAD:
	case SIM_STORE:
		chosen = evaluate(local, wave, on);
		cycles = access_memory(local, wave, instr->op == SIM_STORE, chosen);
		local_arrive(local, wave, local_after(local, wave));
		return cycles;
	case SIM_BRANCH:
		local_branch(local, wave, instr, evaluate(local, wave, on));
		return local->vector_cycles + local->config->machine.scalar_cycles;
	case SIM_TX_BEGIN:
		return local_begin(local, wave);
	case SIM_TX_COMMIT:
		return local_commit(local, wave);
	case SIM_FENCE: /* s_waitcnt: the stores of a wavefront are already in local memory */
		local_arrive(local, wave, local_after(local, wave));
		return local->config->machine.scalar_cycles;
	case SIM_BARRIER:
		local_arrive(local, wave, local_after(local, wave));
		wave->at_barrier = true;
		look_at_barrier(local);
		return local->config->machine.scalar_cycles;
	case SIM_EXIT_IF:
		local_leave(local, wave, evaluate(local, wave, on));
		look_at_barrier(local);
		return local->vector_cycles + local->config->machine.scalar_cycles;
	case SIM_EXIT:
		end(local, wave);
		look_at_barrier(local);
		return 1;
	default: /* see lacks() */
		sim_fail(&local->port, -EINVAL,
			 "an instruction that the compute unit does not know");
		return 1;
	}
}

/* ---- time ---- */

static uint32_t what(enum sim_op op, const struct local_wave *wave)
{
	return op == SIM_TX_BEGIN  ? LOCAL_BEGIN :
	       op == SIM_TX_COMMIT ? LOCAL_COMMIT :
	       op == SIM_EXIT	   ? LOCAL_IDLE :
	       wave->in_tx	   ? LOCAL_TX : LOCAL_NON_TX;
}

/* The wavefront issues; its activity since its last issue is now known. */
static void account(struct local *local, struct local_wave *wave)
{
	local->time[wave->does] += local->port.now - wave->since;
	wave->since = local->port.now;
	wave->does = what(local->port.program->code[wave->pc].op, wave);
}

static bool local_time(const struct sim_run *run, const struct sim_result *result, size_t index,
		       struct sim_time *out)
{
	static const struct {
		const char *name, *summary;
	} states[LOCAL_TIMES] = {
		[LOCAL_NON_TX] = { "non_tx", "Code outside transactions." },
		[LOCAL_TX] = { "tx", "Code inside transactions." },
		[LOCAL_MEMORY] = { "memory", "Conflicts and versions." },
		[LOCAL_BEGIN] = { "begin", "Begin, or wait to begin." },
		[LOCAL_COMMIT] = { "commit", "Commit." },
		[LOCAL_IDLE] = { "idle", "Have ended." },
	};
	const struct local *local = (const void *)run;
	uint64_t cycles;

	if (index >= LOCAL_TIMES)
		return false;
	cycles = local->time[index];
	for (uint32_t i = 0; i < local->waves; i++) {
		const struct local_wave *wave = &local->wave[i];

		/* after an early end, cycles counted ahead go to memory */
		if (index == (result->cycles < wave->since ? LOCAL_MEMORY : wave->does))
			cycles += result->cycles - wave->since;
	}
	*out = (struct sim_time){ "wavefronts", states[index].name, states[index].summary, cycles };
	return true;
}

/* The next wavefront: the one ready first; of several, the next after the last that issued. NULL:
 * none can continue. */
static struct local_wave *next(struct local *local)
{
	struct local_wave *best = NULL;

	for (uint32_t i = 1; i <= local->waves; i++) {
		struct local_wave *wave = &local->wave[(local->last + i) % local->waves];

		if (!wave->ended && !wave->waiting && !wave->at_barrier &&
		    (!best || wave->ready_at < best->ready_at))
			best = wave;
	}
	return best;
}

/* sim_fail() if a wavefront makes no progress. */
static void watch(struct local *local, const struct local_wave *wave)
{
	uint64_t on = gputm_local_tm_running(local->tm, wave->index);

	if (local->run.patience_cycles && on)
		sim_run_watch(&local->run, wave->thread[__builtin_ctzll(on)], wave->pc);
}

static uint64_t sum(struct sim_run *run)
{
	struct local *local = local_in(run);
	uint64_t sum = sim_sum_words(1, local->reg, 2 * local_rows(local));
	uint32_t value;

	for (uint32_t word = 0; word < local->words; word++)
		if (!gputm_local_tm_lookup(local->tm, word, &value))
			sum = sim_sum_words(sum, &value, 1);
	return sum;
}

/* A lane of the wavefront waits where its way and that of the thread meet, or to take the other
 * way; another wavefront waits at a barrier or for the thread's transaction. */
static void waits(struct sim_run *run, uint32_t thread, char *text, size_t size)
{
	const struct local *local = local_in(run);
	const struct sim_program *program = local->port.program;
	const struct local_wave *wave = &local->wave[thread / local->config->local_tm.lanes];
	const char *of = " of its wavefront";
	uint64_t lanes = 0;
	uint32_t pc = 0;

	for (uint32_t i = wave->depth; i-- && !lanes;) {
		const struct local_branch *branch = &wave->branch[i];

		lanes = branch->other ? branch->other : branch->exec & ~wave->exec;
		pc = branch->other ? branch->other_pc : branch->meet;
	}
	for (uint32_t i = 0; i < local->waves && !lanes; i++) {
		wave = &local->wave[i];
		lanes = wave->waiting || wave->at_barrier ? wave->exec : 0;
		pc = wave->pc;
		of = "";
	}
	if (lanes && program->spot)
		snprintf(text, size, "; thread %u%s waits for it in line %u",
			 wave->thread[__builtin_ctzll(lanes)], of, program->spot[pc].line);
}

/* Go to the time at which the next wavefront issues. */
static bool go_on(struct sim_run *run)
{
	struct local *local = local_in(run);
	const struct local_wave *wave = run->port.failed ? NULL : next(local);

	if (!wave)
		return false;
	local->turn = wave->index;
	run->port.now = sim_later(wave->ready_at, local->issue_free);
	return true;
}

static void step(struct sim_run *run)
{
	struct local *local = local_in(run);
	struct local_wave *wave = &local->wave[local->turn];
	uint64_t now = run->port.now;

	watch(local, wave);
	local->issue_free = now + 1;
	local->last = wave->index;
	run->port.result.instructions++;
	account(local, wave);
	wave->ready_at = now + execute(local, wave);
	run->last_work = sim_later(run->last_work, wave->ready_at);
}

static const char *lacks(const struct sim_instr *instr)
{
	if (!instr)
		return "its local memory is gone at the end of a launch";
	if (instr->op == SIM_ADD || instr->op == SIM_CAS)
		return "the paper does not say how an atomic operation on local memory changes "
		       "the signatures of transactions";
	if (instr->op == SIM_ENTER || instr->op == SIM_LEAVE)
		return "a critical section is for systems with locks";
	return NULL;
}

const struct sim_run_class local_runs = {
	.name = "southern-islands",
	.summary = "one compute unit with local memory",
	.size = sizeof(struct local),
	.make = local_unit_make,
	.free = local_unit_free,
	.begin = go_on,
	.step = step,
	.go_on = go_on,
	.over = local_unit_over,
	.io = local_unit_io,
	.lacks = lacks,
	.check_kind = "serializable",
	.time = local_time,
	.describe = local_unit_describe,
	.sum = sum,
	.waits = waits,
};
