/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of the compute unit: its parameters, its parts, and their state. */
#include <stdio.h>

#include "local.h"
#include "../base/arena.h"

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

int local_unit_make(struct sim_run *run, const struct sim_machine_config *unused)
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

void local_unit_free(struct sim_run *run)
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

void local_unit_io(struct sim_run *run, struct sim_io *io)
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

void local_unit_describe(const void *system_config, char *text, size_t size)
{
	const struct local_config *c = system_config;

	snprintf(text, size, "1 compute unit, %u wavefronts x %u lanes, %u KiB in %u banks, %u MHz",
		 c->local_tm.wavefronts, c->local_tm.lanes, c->local_tm.local_bytes / 1024,
		 c->local_tm.banks, c->machine.core_mhz);
}

void local_unit_over(struct sim_run *run)
{
	struct local *local = local_in(run);
	uint32_t value;

	for (uint32_t word = 0; word < local->words; word++)
		if (!gputm_local_tm_lookup(local->tm, word, &value) &&
		    (value || sim_memory_find(local->port.memory, 4 * (uint64_t)word)))
			sim_memory_write(local->port.memory, 4 * (uint64_t)word, value);
}
