/* SPDX-License-Identifier: BSD-2-Clause */
/* The compute unit: its parameters, its parts, and its timing, as described in local.h. */
#include "local.h"
#include "../base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW(field, lo, hi, standard, sentence, origin)                                         \
	{ #field, (uint32_t)offsetof(struct local_machine_config, field), sizeof(uint32_t), (lo), \
	  (hi), (standard), false, (sentence), (origin), NULL }
static const struct gputm_param rows[] = {
	ROW(core_mhz, 1, 10000, 1000, "Clock of the compute unit, MHz.", ""),
	ROW(simd_lanes, 1, 64, 16, "Lanes of a SIMD unit; a wavefront takes turns.",
	    "LocalTM Table 2"),
	ROW(scalar_cycles, 1, 1000, 4, "Cycles of a scalar instruction.", ""),
	ROW(lds_latency, 1, 1000, 2, "Latency of local memory, cycles.", "LocalTM Table 2"),
	ROW(global_latency, 1, 10000, 300, "Latency of global memory, cycles.", ""),
	ROW(swap_units_every, 0, UINT32_MAX, 0,
	    "Save, free, make and load the unit every so many cycles; 0 is never.", ""),
	ROW(patience_cycles, 0, 1u << 30, 500000000,
	    "Cycles in which no thread ends or commits that end the run; 0 is never.", ""),
};

const struct gputm_params local_machine_params = {
	.kind = "machine",
	.config_size = sizeof(struct local_machine_config),
	.param = rows,
	.param_count = sizeof(rows) / sizeof(rows[0]),
};

SIM_UNIT_KIND(local_tm, SIM_OF_MACHINE);

/* ---- life ---- */

static int refuse(struct local *local, const char *what, uint64_t wanted, uint64_t had)
{
	snprintf(local->port.error, sizeof(local->port.error),
		 "the workload needs %llu %s, the work-group has %llu",
		 (unsigned long long)wanted, what, (unsigned long long)had);
	return -EINVAL;
}

/* Copy the workload's memory below LOCAL_GLOBAL to that of the unit. */
static int fill(struct local *local)
{
	const uint32_t *page;

	for (uint64_t address = 0; (page = sim_memory_page(local->port.memory, &address)) &&
				   address < LOCAL_GLOBAL; address += 1u << SIM_PAGE_BITS)
		for (uint32_t i = 0; i < (1u << SIM_PAGE_BITS) / 4; i++) {
			uint32_t word = (uint32_t)(address / 4) + i;

			if (word >= local->words && page[i])
				return refuse(local, "words", word + 1, local->words);
			if (word < local->words &&
			    gputm_local_tm_update(local->tm, word, page[i]))
				return -EINVAL;
		}
	return 0;
}

static void launch(struct local *local)
{
	uint32_t lanes = local->config->local_tm.lanes, thread = 0;

	for (uint32_t i = 0; i < local->waves; i++) {
		struct local_wave *wave = &local->wave[i];
		uint64_t mask = 0;

		wave->index = i;
		for (uint32_t lane = 0; lane < lanes; lane++, thread++)
			if (thread < local->port.workload->threads) {
				wave->thread[lane] = thread;
				sim_introduce(local->port.program->special,
					      local_row(local, wave, lane), 1, thread, 1,
					      local->port.workload->block_size, lanes, 0);
				mask |= UINT64_C(1) << lane;
			}
		wave->ended = !mask;
		wave->does = mask ? LOCAL_NON_TX : LOCAL_IDLE;
		local_set_exec(local, wave, mask);
	}
}

static int make_parts(struct local *local)
{
	const struct local_config *config = local->config;
	uint64_t items = (uint64_t)config->local_tm.wavefronts * config->local_tm.lanes;
	const struct sim_workload *workload = local->port.workload;
	struct gputm_local_tm_capacity capacity;
	int error = sim_unit_add(&local->port, "local_tm", &kind_local_tm, &config->local_tm,
				 &local->tm);

	if (!error)
		error = gputm_local_tm_get_capacity(&config->local_tm, &capacity);
	if (error)
		return error;
	local->words = config->local_tm.words ? config->local_tm.words : capacity.words;
	if (workload->threads > items)
		return refuse(local, "work-items", workload->threads, items);
	if (workload->region[0].length / 4 > local->words)
		return refuse(local, "words (local_tm.words)", workload->region[0].length / 4,
			      local->words);
	local->reg = sim_calloc(2 * local_rows(local) + 1, sizeof(*local->reg));
	if (!local->reg)
		return -ENOMEM;
	launch(local);
	return fill(local);
}

static int make(struct sim_run *run, const struct sim_machine_config *unused)
{
	const struct local_config *config = run->port.system_config;
	struct local *local = local_in(run);
	int error = sim_run_fill(run);

	(void)unused;
	run->core_mhz = config->machine.core_mhz;
	run->swap_units_every = config->machine.swap_units_every;
	run->patience_cycles = config->machine.patience_cycles;
	run->threads_left = run->port.workload->threads;
	local->config = config;
	local->waves = config->local_tm.wavefronts;
	local->port.shape.cores = 1;
	local->port.shape.warps = local->waves;
	local->vector_cycles = (config->local_tm.lanes + config->machine.simd_lanes - 1) /
			       config->machine.simd_lanes;
	local->overhead = !config->perfect;
	local->owner = -1;
	return error ? error : make_parts(local);
}

static void free_parts(struct sim_run *run)
{
	sim_free(local_in(run)->reg);
}

/* A wavefront of a state that is loaded is at instructions that there are, and has lanes that there
 * are. */
static void wave_check(const struct local *local, uint32_t index, struct sim_io *io)
{
	const struct local_wave *wave = &local->wave[index];
	uint64_t lanes = wave->exec | wave->inside | wave->first | wave->todo;
	uint32_t length = local->port.program->length;

	SIM_IO_FLAG(io, wave->ended);
	SIM_IO_FLAG(io, wave->waiting);
	SIM_IO_FLAG(io, wave->at_barrier);
	SIM_IO_FLAG(io, wave->in_tx);
	sim_io_must(io, "wave", wave->index == index && wave->does < LOCAL_TIMES);
	sim_io_must(io, "wave", wave->pc < length && wave->tx_pc < length);
	sim_io_must(io, "wave", wave->depth <= LOCAL_DEPTH && wave->tx_depth <= LOCAL_DEPTH);
	sim_io_must(io, "wave", wave->into == SIM_NO_REGISTER ||
					wave->into < local->port.program->registers);
	for (uint32_t i = 0; sim_io_ok(io) && i < LOCAL_DEPTH; i++) {
		const struct local_branch *branch = &wave->branch[i];

		sim_io_must(io, "branch", branch->meet < length && branch->other_pc < length);
		lanes |= branch->exec | branch->other;
	}
	sim_io_must(io, "wave", !(lanes & ~(UINT64_MAX >> (64 - local->config->local_tm.lanes))));
}

static void local_io(struct sim_run *run, struct sim_io *io)
{
	struct local *local = local_in(run);

	SIM_IO_FROM(io, local, wave);
	SIM_IO_ARRAY(io, local->reg, 2 * local_rows(local));
	for (uint32_t i = 0; i < local->waves; i++)
		wave_check(local, i, io);
	sim_io_below(io, "owner", (uint64_t)(int64_t)local->owner + 1, (uint64_t)local->waves + 1);
	sim_io_below(io, "last", local->last, local->waves);
	sim_io_below(io, "turn", local->turn, local->waves);
}

static void describe(const void *system_config, char *text, size_t size)
{
	const struct local_config *c = system_config;

	snprintf(text, size, "1 compute unit, %u wavefronts x %u lanes, %u KiB in %u banks, %u MHz",
		 c->local_tm.wavefronts, c->local_tm.lanes, c->local_tm.local_bytes / 1024,
		 c->local_tm.banks, c->machine.core_mhz);
}

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

/* What local memory holds at the end, for the check. */
static void empty(struct sim_run *run)
{
	struct local *local = local_in(run);
	uint32_t value;

	for (uint32_t word = 0; word < local->words; word++)
		if (!gputm_local_tm_lookup(local->tm, word, &value) &&
		    (value || sim_memory_find(local->port.memory, 4 * (uint64_t)word)))
			sim_memory_write(local->port.memory, 4 * (uint64_t)word, value);
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
	.make = make,
	.free = free_parts,
	.begin = go_on,
	.step = step,
	.go_on = go_on,
	.over = empty,
	.io = local_io,
	.lacks = lacks,
	.check_kind = "serializable",
	.time = local_time,
	.describe = describe,
	.sum = sum,
	.waits = waits,
};
