/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the cycles of a run go: those of the threads as in Fig. 4.9 of Fung, thesis 2015 (section
 * 4.4.2), and those of the cores as in its Fig. 4.10. Two kinds are ours: the figure has no place
 * for warps that wait before they try again, nor for lanes without a thread. No interconnect
 * stalls a core, so that there is no STALL.
 */
#include "wiring.h"

static const struct {
	const char *name, *summary;
} threads[SIM_SPENT_KINDS] = {
	[SIM_SPENT_TC] = { "tc", "Wait to be admitted." },
	[SIM_SPENT_TO] = { "to", "Their warp commits." },
	[SIM_SPENT_TW] = { "tw", "Have committed, others not." },
	[SIM_SPENT_TA] = { "ta", "Run attempts that abort." },
	[SIM_SPENT_TU] = { "tu", "Run attempts that commit." },
	[SIM_SPENT_AT] = { "at", "Acquire locks; atomics." },
	[SIM_SPENT_BA] = { "ba", "Wait at a barrier." },
	[SIM_SPENT_NL] = { "nl", "Work outside transactions." },
	[SIM_SPENT_BACKOFF] = { "backoff", "Wait between two attempts." },
	[SIM_SPENT_IDLE] = { "idle", "Lanes without a thread." },
};

enum { EXEC = SIM_SPENT_KINDS, SCRB, IDLE, ROWS };

void sim_machine_close(const struct sim_run *run, struct sim_result *out)
{
	const struct sim_machine *machine = (const void *)run;
	const struct sim_machine_config *config = &machine->config;

	for (uint32_t i = 0; machine->port.warp && i < config->cores * config->warps; i++) {
		struct sim_ledger left = { .since = 0 };

		if (sim_warp_is_used(&machine->port, i))
			left = machine->port.warp[i].ledger;
		sim_ledger_close(&left, out->cycles, config->lanes, out->spent);
	}
	for (uint32_t i = 0; machine->core && i < config->cores; i++)
		if (machine->core[i].free_warps == config->warps &&
		    out->cycles > machine->core[i].empty_since)
			out->empty += out->cycles - machine->core[i].empty_since;
}

/* A core has so many cycles of issue slots. */
static uint64_t slot_cycles(const struct sim_machine *machine, uint64_t cycles)
{
	return cycles * machine->config.issue_slots;
}

bool sim_machine_time(const struct sim_run *run, const struct sim_result *result, size_t index,
		      struct sim_time *out)
{
	const struct sim_machine *machine = (const void *)run;
	uint64_t busy, all;

	if (index >= ROWS)
		return false;
	all = slot_cycles(machine, result->cycles * machine->config.cores - result->empty);
	busy = result->instructions + result->longer;
	busy = busy < all ? busy : all; /* a run that was ended has issued the last ones in part */
	if (index < SIM_SPENT_KINDS)
		*out = (struct sim_time){ "threads", threads[index].name, threads[index].summary,
					  result->spent[index] };
	else if (index == EXEC)
		*out = (struct sim_time){ "cores", "exec", "Issue a warp.", busy };
	else if (index == SCRB)
		*out = (struct sim_time){ "cores", "scrb", "No warp can go on.", all - busy };
	else
		*out = (struct sim_time){ "cores", "idle", "Have no warp.",
					  slot_cycles(machine, result->empty) };
	return true;
}

/* A negative time would show as a large number. */
static bool add_up(const struct sim_machine *machine, const struct sim_result *result)
{
	const struct sim_machine_config *config = &machine->config;
	uint64_t cores = result->cycles * config->cores, sum = 0;
	uint64_t all = cores * config->warps * config->lanes;

	for (unsigned i = 0; i < SIM_SPENT_KINDS; i++) {
		sum += result->spent[i];
		if (result->spent[i] > all)
			return false;
	}
	return sum == all && result->empty <= cores &&
	       result->instructions + result->longer <= slot_cycles(machine, cores - result->empty);
}

const char *sim_machine_wrong(const struct sim_run *run, const struct sim_result *result)
{
	return add_up((const void *)run, result) ? NULL :
	       "the times of threads or cores do not add up to the cycles of the run";
}
