/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a kernel's run without a TM system. */
#include <string.h>

#include "../kernel/kernel.h"
#include "../machine/mechanism.h"
#include "report.h"

static const char *const widths[SIM_WIDTHS] = {
	"W1-4", "W5-8", "W9-12", "W13-16", "W17-20", "W21-24", "W25-28", "W29-32",
};

/* Cycles in which warps issue. */
static uint64_t busy(const struct sim_result *r)
{
	return r->instructions + r->longer - r->stalled;
}

/* The largest depth of a stack; 0 if there is none. */
static uint64_t depth(const struct sim_report *r)
{
	struct sim_unit_info unit;
	uint64_t most = 0, depth = 0;

	for (size_t i = 0; sim_unit_get(&r->run->port, i, &unit); i++)
		if (gputm_unit_stat_value(unit.unit, "max_depth", &depth) && depth > most)
			most = depth;
	return most;
}

/* Active lanes of all lanes of the warps that issued. */
static double efficiency(const struct sim_report *r)
{
	uint64_t lanes = r->result.instructions * r->workload->kernel->lanes;

	return lanes ? (double)r->result.executed / (double)lanes : 0;
}

/* ---- JSON and CSV ---- */

void flow_report_result(struct emit *e, const struct sim_report *r)
{
	const struct sim_result *result = &r->result;

	emit_u64(e, "cycles", result->cycles);
	emit_u64(e, "instructions", result->instructions);
	emit_u64(e, "thread_instructions", result->executed);
	emit_real(e, "simd_efficiency", efficiency(r));
	emit_object(e, "issued_by_width");
	for (unsigned i = 0; i < SIM_WIDTHS; i++)
		emit_u64(e, widths[i], result->width[i]);
	emit_end(e);
	emit_object(e, "cycles_by_kind");
	emit_u64(e, "issue", busy(result));
	emit_u64(e, "stall", result->stalled);
	emit_u64(e, "memory_idle", result->memory_idle);
	emit_u64(e, "idle", result->idle);
	emit_end(e);
	emit_object(e, "memory");
	emit_u64(e, "instructions", result->memory_instructions);
	emit_u64(e, "coalesced_accesses", result->accesses);
	emit_u64(e, "l1_hits", r->result.l1_hits);
	emit_u64(e, "l1_misses", r->result.l1_misses);
	if (r->setup->machine_name) {
		emit_u64(e, "l2_accesses", r->result.l2_accesses);
		emit_u64(e, "l2_misses", r->result.l2_misses);
		emit_u64(e, "dram_bytes", r->result.dram_bytes);
	}
	emit_end(e);
	emit_u64(e, "stack_depth", depth(r));
}

void flow_report_head(struct emit *e, const struct sim_report *r)
{
	emit_text(e, "divergence", r->setup->system->name);
	if (r->setup->machine_name)
		emit_text(e, "machine", r->setup->machine_name);
	emit_text(e, "workload", r->workload->name);
	if (r->workload->kernel->locks)
		emit_text(e, "program", "locks");
}

/* ---- text ---- */

static void head(const struct sim_report *r, FILE *out)
{
	const struct flow_config *config = r->setup->system_config;
	const struct flow_core_config *c = &config->core;
	const struct sim_system_class *mechanism = r->setup->system;
	const struct kernel *k = r->workload->kernel;

	fprintf(out, "gputm-sim %s\n\n", gputm_version());
	fprintf(out, "  divergence   %s: ", mechanism->name);
	sim_report_wrapped(out, 17 + (int)strlen(mechanism->name), 15, mechanism->summary);
	fprintf(out, "  kernel       %s: ", k->name);
	if (kernel_has_host(k))
		fputs("a host and what it launches", out);
	else
		fprintf(out, "%zu blocks, %zu instructions", k->code->block_count,
			k->code->instr_count);
	fputs(k->locks ? ", with locks\n" : "\n", out);
	fprintf(out, "  threads      %u thread blocks of %u, ", k->blocks, k->block_threads);
	if (k->threads % k->block_threads)
		fprintf(out, "the last of %u, ", kernel_threads_of_block(k, k->blocks - 1));
	fprintf(out, "in warps of %u\n", k->lanes);
	if (r->setup->machine_name)
		fprintf(out, "  machine      %s: %u cores, %u memory partitions\n",
			r->setup->machine_name, r->setup->machine.cores,
			r->setup->machine.partitions);
	fprintf(out, "  core         %u warps and %u thread blocks at once, %u lanes in a cycle\n",
		c->warps, c->blocks, c->simd_width);
	fprintf(out, "  seed         %llu\n", (unsigned long long)r->options->seed);
	sim_report_text_point(r);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The sum over all cores. */
static void cycles_row(FILE *out, const char *name, uint64_t cycles, const struct sim_result *all)
{
	fprintf(out, "    %-12s %15s  %5.1f %%\n", name, sim_report_grouped(cycles),
		share(cycles, busy(all) + all->stalled + all->memory_idle + all->idle));
}

static void memory(const struct sim_report *report, FILE *out)
{
	const struct sim_result *r = &report->result;
	bool machine = report->setup->machine_name;

	fprintf(out, "  memory         %15s  instructions of warps, %s coalesced accesses",
		sim_report_grouped(r->memory_instructions),
		sim_report_grouped(r->accesses));
	if (!machine || report->setup->machine.l1_bytes)
		fprintf(out, ",\n%34s%s hits and %s misses of loads in the L1", "",
			sim_report_grouped(r->l1_hits), sim_report_grouped(r->l1_misses));
	if (machine)
		fprintf(out, ",\n%34s%s accesses and %s misses of the L2,\n"
			     "%34s%s bytes to and from DRAM", "",
			sim_report_grouped(r->l2_accesses), sim_report_grouped(r->l2_misses), "",
			sim_report_grouped(r->dram_bytes));
	fputc('\n', out);
}

static void outcome(const struct sim_report *report, FILE *out)
{
	const struct sim_result *r = &report->result;

	fputc('\n', out);
	if (report->ended)
		fprintf(out, "  ended          by %s, before its end\n",
			sim_ended_by(report->ended));
	fprintf(out, "  cycles         %15s\n", sim_report_grouped(r->cycles));
	cycles_row(out, "issue", busy(r), r);
	cycles_row(out, "stall", r->stalled, r);
	cycles_row(out, "memory idle", r->memory_idle, r);
	cycles_row(out, "idle", r->idle, r);
	fprintf(out, "  warps issued   %15s  of %s instructions of threads\n",
		sim_report_grouped(r->instructions), sim_report_grouped(r->executed));
	for (unsigned i = 0; i < SIM_WIDTHS && i * 4 < report->workload->kernel->lanes; i++)
		fprintf(out, "    %-12s %15s  %5.1f %%\n", widths[i],
			sim_report_grouped(r->width[i]), share(r->width[i], r->instructions));
	fprintf(out, "  SIMD efficiency  %12.1f %%\n", 100 * efficiency(report));
	memory(report, out);
	if (depth(report))
		fprintf(out, "  stack depth    %15s\n", sim_report_grouped(depth(report)));
}

void flow_report_text(const struct sim_report *r)
{
	FILE *out = r->out.file;

	head(r, out);
	outcome(r, out);
	fprintf(out, "  host           %11.3f s", r->wall_seconds);
	if (r->wall_seconds > 0)
		fprintf(out, ", %s warp instructions per second",
			sim_report_grouped((uint64_t)((double)r->result.instructions /
						      r->wall_seconds)));
	fputc('\n', out);
	if (r->setup->machine_name)
		sim_report_text_traffic(r);
}
