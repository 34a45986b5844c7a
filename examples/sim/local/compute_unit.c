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

static int refuse(struct sim_machine *machine, const char *what, uint64_t wanted, uint64_t had)
{
	snprintf(machine->port.error, sizeof(machine->port.error),
		 "the workload needs %llu %s, the work-group has %llu",
		 (unsigned long long)wanted, what, (unsigned long long)had);
	return -EINVAL;
}

/* Copy the workload's memory below LOCAL_GLOBAL to that of the unit. */
static int fill(struct sim_machine *machine)
{
	struct local *local = local_of(machine);
	const uint32_t *page;

	for (uint64_t address = 0; (page = sim_memory_page(machine->port.memory, &address)) &&
				   address < LOCAL_GLOBAL; address += 1u << SIM_PAGE_BITS)
		for (uint32_t i = 0; i < (1u << SIM_PAGE_BITS) / 4; i++) {
			uint32_t word = (uint32_t)(address / 4) + i;

			if (word >= local->words && page[i])
				return refuse(machine, "words", word + 1, local->words);
			if (word < local->words &&
			    gputm_local_tm_update(local->tm, word, page[i]))
				return -EINVAL;
		}
	return 0;
}

static void launch(struct sim_machine *machine)
{
	struct local *local = local_of(machine);
	uint32_t lanes = local->config->local_tm.lanes, thread = 0;

	for (uint32_t i = 0; i < local->waves; i++) {
		struct local_wave *wave = &local->wave[i];
		uint64_t mask = 0;

		wave->index = i;
		for (uint32_t lane = 0; lane < lanes; lane++, thread++)
			if (thread < machine->port.workload->threads) {
				wave->thread[lane] = thread;
				sim_introduce(machine->program->special,
					      local_row(machine, wave, lane), 1, thread, 1,
					      machine->port.workload->block_size, lanes, 0);
				mask |= UINT64_C(1) << lane;
			}
		wave->ended = !mask;
		wave->does = mask ? LOCAL_NON_TX : LOCAL_IDLE;
		local_set_exec(machine, wave, mask);
	}
}

static int make(struct sim_machine *machine)
{
	const struct local_config *config = machine->port.system_config;
	struct local *local = sim_calloc(1, sizeof(*local));
	uint64_t items = (uint64_t)config->local_tm.wavefronts * config->local_tm.lanes;
	struct gputm_local_tm_capacity capacity;
	int error;

	machine->port.state = local;
	if (!local)
		return -ENOMEM;
	machine->config.core_mhz = config->machine.core_mhz;
	machine->config.swap_units_every = config->machine.swap_units_every;
	machine->config.patience_cycles = config->machine.patience_cycles;
	local->config = config;
	local->waves = config->local_tm.wavefronts;
	machine->port.shape.cores = 1;
	machine->port.shape.warps = local->waves;
	local->vector_cycles = (config->local_tm.lanes + config->machine.simd_lanes - 1) /
			       config->machine.simd_lanes;
	local->overhead = !config->perfect;
	local->owner = -1;
	error = sim_unit_add(&machine->port, "local_tm", &kind_local_tm, &config->local_tm,
			     &local->tm);
	if (!error)
		error = gputm_local_tm_get_capacity(&config->local_tm, &capacity);
	if (error)
		return error;
	local->words = config->local_tm.words ? config->local_tm.words : capacity.words;
	if (machine->port.workload->threads > items)
		return refuse(machine, "work-items", machine->port.workload->threads, items);
	if (machine->port.workload->region[0].length / 4 > local->words)
		return refuse(machine, "words (local_tm.words)",
			      machine->port.workload->region[0].length / 4, local->words);
	local->reg = sim_calloc(2 * local_rows(machine) + 1, sizeof(*local->reg));
	if (!local->reg)
		return -ENOMEM;
	launch(machine);
	return fill(machine);
}

static void local_free(struct sim_machine *machine)
{
	if (local_of(machine))
		sim_free(local_of(machine)->reg);
	sim_free(machine->port.state);
}

/* A wavefront of a state that is loaded is at instructions that there are, and has lanes that there
 * are. */
static void wave_check(const struct sim_machine *machine, uint32_t index, struct sim_io *io)
{
	const struct local *local = machine->port.state;
	const struct local_wave *wave = &local->wave[index];
	uint64_t lanes = wave->exec | wave->inside | wave->first | wave->todo;
	uint32_t length = machine->program->length;

	SIM_IO_FLAG(io, wave->ended);
	SIM_IO_FLAG(io, wave->waiting);
	SIM_IO_FLAG(io, wave->at_barrier);
	SIM_IO_FLAG(io, wave->in_tx);
	sim_io_must(io, "wave", wave->index == index && wave->does < LOCAL_TIMES);
	sim_io_must(io, "wave", wave->pc < length && wave->tx_pc < length);
	sim_io_must(io, "wave", wave->depth <= LOCAL_DEPTH && wave->tx_depth <= LOCAL_DEPTH);
	sim_io_must(io, "wave", wave->into == SIM_NO_REGISTER ||
					wave->into < machine->program->registers);
	for (uint32_t i = 0; sim_io_ok(io) && i < LOCAL_DEPTH; i++) {
		const struct local_branch *branch = &wave->branch[i];

		sim_io_must(io, "branch", branch->meet < length && branch->other_pc < length);
		lanes |= branch->exec | branch->other;
	}
	sim_io_must(io, "wave", !(lanes & ~(UINT64_MAX >> (64 - local->config->local_tm.lanes))));
}

static void local_io(struct sim_machine *machine, struct sim_io *io)
{
	struct local *local = local_of(machine);

	SIM_IO_FROM(io, local, wave);
	SIM_IO_ARRAY(io, local->reg, 2 * local_rows(machine));
	for (uint32_t i = 0; i < local->waves; i++)
		wave_check(machine, i, io);
	sim_io_below(io, "owner", (uint64_t)(int64_t)local->owner + 1, (uint64_t)local->waves + 1);
	sim_io_below(io, "last", local->last, local->waves);
}

static void describe(const void *system_config, char *text, size_t size)
{
	const struct local_config *c = system_config;

	snprintf(text, size, "1 compute unit, %u wavefronts x %u lanes, %u KiB in %u banks, %u MHz",
		 c->local_tm.wavefronts, c->local_tm.lanes, c->local_tm.local_bytes / 1024,
		 c->local_tm.banks, c->machine.core_mhz);
}

/* ---- memory instructions ---- */

static void tell(struct sim_machine *machine, const struct local_wave *wave, bool write,
		 uint64_t lanes)
{
	const struct sim_observer *observer = machine->options.observer;

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

static void take_loaded(struct sim_machine *machine, struct local_wave *wave, uint64_t lanes)
{
	for (SIM_EACH_LANE(lane, wave->into == SIM_NO_REGISTER ? 0 : lanes))
		local_row(machine, wave, lane)[wave->into] = wave->value[lane];
}

/* Cycles until the wavefront is ready. */
static uint64_t local_access(struct sim_machine *machine, struct local_wave *wave, bool write,
			     uint64_t lanes)
{
	struct local *local = local_of(machine);
	uint64_t now = machine->port.now, start = local->lds_free > now ? local->lds_free : now;
	struct gputm_local_tm_answer answer;
	uint64_t busy;

	for (SIM_EACH_LANE(lane, lanes))
		wave->word[lane] = (uint32_t)(wave->address[lane] / 4);
	if (gputm_local_tm_access(local->tm, wave->index, write, lanes, wave->word, wave->value,
				  &answer) < 0) {
		sim_fail(&machine->port, -EINVAL, "the program accessed no word of local memory");
		return 0;
	}
	busy = answer.passes + (uint64_t)local->overhead * answer.cycles;
	local->time[LOCAL_MEMORY] += busy - answer.passes;
	wave->since += busy - answer.passes;
	local->lds_free = start + busy;
	lanes &= ~answer.conflicts;
	if (!write)
		take_loaded(machine, wave, lanes);
	tell(machine, wave, write, lanes);
	if (answer.conflicts)
		local_abort(machine, wave, answer.conflicts);
	return start - now + busy + local->config->machine.lds_latency - 1;
}

static uint64_t global_load(struct sim_machine *machine, struct local_wave *wave, uint64_t lanes)
{
	for (SIM_EACH_LANE(lane, lanes))
		wave->value[lane] = sim_memory_read(machine->port.memory, wave->address[lane]);
	take_loaded(machine, wave, lanes);
	return local_of(machine)->config->machine.global_latency;
}

static uint64_t access_memory(struct sim_machine *machine, struct local_wave *wave, bool write,
			      uint64_t lanes)
{
	uint64_t global = 0;

	for (SIM_EACH_LANE(lane, lanes))
		if (wave->address[lane] >= LOCAL_GLOBAL)
			global |= UINT64_C(1) << lane;
	if (!global)
		return local_access(machine, wave, write, lanes);
	if (global == lanes && !write && !wave->in_tx)
		return global_load(machine, wave, lanes);
	sim_fail(&machine->port, -EINVAL, "global memory is for loads outside of transactions");
	return 0;
}

/* ---- instructions ---- */

/* Of the lanes from this one on. */
static uint32_t evaluate_warp(struct sim_machine *machine, struct local_wave *wave, uint32_t first,
			      uint32_t on)
{
	struct sim_step step = { .mask = on, .address = &wave->address[first],
				 .value = &wave->value[first] };

	sim_evaluate_lanes(&machine->port, wave->pc, &wave->thread[first],
			   local_row(machine, wave, first), &step);
	wave->into = step.into;
	return step.chosen;
}

static uint64_t evaluate(struct sim_machine *machine, struct local_wave *wave, uint64_t on)
{
	uint64_t chosen = 0;

	for (uint32_t l = 0; l < LOCAL_LANES; l += SIM_MAX_LANES)
		if ((uint32_t)(on >> l))
			chosen |= (uint64_t)evaluate_warp(machine, wave, l, (uint32_t)(on >> l))
				  << l;
	return chosen;
}

static void end(struct sim_machine *machine, struct local_wave *wave)
{
	wave->ended = true;
	machine->threads_left -= (uint64_t)__builtin_popcountll(wave->exec);
}

/* s_barrier: the wavefronts that have not ended continue when all of them have arrived. */
static void look_at_barrier(struct sim_machine *machine)
{
	struct local *local = local_of(machine);

	for (uint32_t i = 0; i < local->waves; i++)
		if (!local->wave[i].ended && !local->wave[i].at_barrier)
			return;
	for (uint32_t i = 0; i < local->waves; i++) {
		local->wave[i].at_barrier = false;
		local->wave[i].ready_at = machine->port.now + local->config->machine.scalar_cycles;
	}
}

static uint64_t execute(struct sim_machine *machine, struct local_wave *wave)
{
	const struct sim_instr *code = machine->program->code, *instr;
	struct local *local = local_of(machine);
	uint64_t on = gputm_local_tm_running(local->tm, wave->index), chosen, cycles;

	for (; code[wave->pc].op == SIM_NOTE;
	     on = gputm_local_tm_running(local->tm, wave->index)) {
		evaluate(machine, wave, on);
		local_arrive(machine, wave, local_after(machine, wave));
	}
	instr = &code[wave->pc];
	switch (instr->op) {
	case SIM_PLAIN:
		evaluate(machine, wave, on);
		local_arrive(machine, wave, local_after(machine, wave));
		return (uint64_t)instr->count * local->vector_cycles;
	case SIM_LOAD:
	case SIM_STORE:
		chosen = evaluate(machine, wave, on);
		cycles = access_memory(machine, wave, instr->op == SIM_STORE, chosen);
		local_arrive(machine, wave, local_after(machine, wave));
		return cycles;
	case SIM_BRANCH:
		local_branch(machine, wave, instr, evaluate(machine, wave, on));
		return local->vector_cycles + local->config->machine.scalar_cycles;
	case SIM_TX_BEGIN:
		return local_begin(machine, wave);
	case SIM_TX_COMMIT:
		return local_commit(machine, wave);
	case SIM_FENCE: /* s_waitcnt: the stores of a wavefront are already in local memory */
		local_arrive(machine, wave, local_after(machine, wave));
		return local->config->machine.scalar_cycles;
	case SIM_BARRIER:
		local_arrive(machine, wave, local_after(machine, wave));
		wave->at_barrier = true;
		look_at_barrier(machine);
		return local->config->machine.scalar_cycles;
	case SIM_EXIT_IF:
		local_leave(machine, wave, evaluate(machine, wave, on));
		look_at_barrier(machine);
		return local->vector_cycles + local->config->machine.scalar_cycles;
	case SIM_EXIT:
		end(machine, wave);
		look_at_barrier(machine);
		return 1;
	default: /* see lacks() */
		sim_fail(&machine->port, -EINVAL,
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
static void account(struct sim_machine *machine, struct local_wave *wave)
{
	struct local *local = local_of(machine);

	local->time[wave->does] += machine->port.now - wave->since;
	wave->since = machine->port.now;
	wave->does = what(machine->program->code[wave->pc].op, wave);
}

static bool local_time(const struct sim_machine *machine, size_t index, struct sim_time *out)
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
	const struct local *local = machine->port.state;
	struct sim_result result;
	uint64_t cycles;

	if (index >= LOCAL_TIMES)
		return false;
	sim_machine_result(machine, &result);
	cycles = local->time[index];
	for (uint32_t i = 0; i < local->waves; i++) {
		const struct local_wave *wave = &local->wave[i];

		/* after an early end, cycles counted ahead go to memory */
		if (index == (result.cycles < wave->since ? LOCAL_MEMORY : wave->does))
			cycles += result.cycles - wave->since;
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
static void watch(struct sim_machine *machine, const struct local_wave *wave)
{
	uint64_t on = gputm_local_tm_running(local_of(machine)->tm, wave->index);

	if (machine->config.patience_cycles && on)
		sim_lose_patience(machine, wave->thread[__builtin_ctzll(on)], wave->pc,
				  false);
}

static uint64_t sum(struct sim_machine *machine)
{
	struct local *local = local_of(machine);
	uint64_t sum = sim_sum_words(1, local->reg, 2 * local_rows(machine));
	uint32_t value;

	for (uint32_t word = 0; word < local->words; word++)
		if (!gputm_local_tm_lookup(local->tm, word, &value))
			sum = sim_sum_words(sum, &value, 1);
	return sum;
}

/* A lane of the wavefront waits where its way and that of the thread meet, or to take the other
 * way; another wavefront waits at a barrier or for the thread's transaction. */
static void waits(struct sim_machine *machine, uint32_t thread, char *text, size_t size)
{
	const struct local *local = local_of(machine);
	const struct sim_program *program = machine->program;
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
static void empty(struct sim_machine *machine)
{
	struct local *local = local_of(machine);
	uint32_t value;

	for (uint32_t word = 0; word < local->words; word++)
		if (!gputm_local_tm_lookup(local->tm, word, &value) &&
		    (value || sim_memory_find(machine->port.memory, 4 * (uint64_t)word)))
			sim_memory_write(machine->port.memory, 4 * (uint64_t)word, value);
}

static void run(struct sim_machine *machine)
{
	struct local *local = local_of(machine);
	struct local_wave *wave;

	while (!machine->port.failed && (wave = next(local))) {
		uint64_t now = wave->ready_at > local->issue_free ? wave->ready_at :
								   local->issue_free;

		machine->port.now = now;
		sim_look_if_due(machine);
		sim_report_if_due(machine);
		watch(machine, wave);
		local->issue_free = now + 1;
		local->last = wave->index;
		machine->port.result.instructions++;
		account(machine, wave);
		wave->ready_at = now + execute(machine, wave);
		if (wave->ready_at > machine->last_work)
			machine->last_work = wave->ready_at;
	}
	empty(machine);
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

const struct sim_own_machine local_machine = {
	.name = "southern-islands",
	.summary = "one compute unit with local memory",
	.make = make,
	.free = local_free,
	.run = run,
	.io = local_io,
	.lacks = lacks,
	.time = local_time,
	.describe = describe,
	.sum = sum,
	.waits = waits,
	.patient = "machine",
};
