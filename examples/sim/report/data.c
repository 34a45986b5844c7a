/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as named figures: the same figures in the same order in each format. */
#include <string.h>

#include "../kernel/kernel.h"
#include "../study/settings.h"
#include "point.h"
#include "report.h"
#include "../study/fields.h"

static void put_value(struct emit *e, const struct gputm_param *row, const void *config)
{
	uint64_t value = gputm_params_get(row, config);

	if (row->choices && value >= row->min && value <= row->max)
		emit_text(e, row->name, row->choices[value - row->min]);
	else
		emit_u64(e, row->name, value);
}

/* Fields that a mechanism does not read on a machine are left out. */
static void put_part(struct emit *e, const char *path, const struct gputm_params *params,
		     const void *config, const struct sim_unused *unused)
{
	bool any = false;

	for (size_t k = 0; sim_part_told(params, config) && k < params->param_count; k++) {
		if (!sim_row_told(&params->param[k], config) ||
		    sim_setting_unused(unused, path, params->param[k].name))
			continue;
		if (!any)
			emit_object(e, path);
		any = true;
		put_value(e, &params->param[k], config);
	}
	if (any)
		emit_end(e);
}

static void put_parts(struct emit *e, const struct sim_report *r)
{
	bool alone = sim_setup_alone(r->setup) && r->setup->machine_name;
	const struct sim_unused *unused = alone ? r->setup->system->unused : NULL;
	const struct gputm_params *params;
	const char *path;
	void *config;

	for (size_t i = 0; sim_setup_part(r->setup, i, &path, &params, &config); i++)
		put_part(e, path, params, config, unused);
}

static void put_run(struct emit *e, const struct sim_report *r)
{
	emit_u64(e, "threads", r->workload->threads);
	if (r->options->concurrency && r->setup->on->tm_gpu)
		emit_u64(e, "concurrency", r->options->concurrency);
	else
		emit_text(e, "concurrency", "inf");
	emit_u64(e, "seed", r->options->seed);
	if (r->options->divergence)
		emit_text(e, "divergence", r->options->divergence);
	emit_text(e, "keys", sim_point_spelt(r->options, "keys", r->options->keys));
	emit_text(e, "trace", sim_point_spelt(r->options, "trace", r->options->trace));
}

static void put_launch(struct emit *e, const struct sim_report *r)
{
	const struct kernel *k = r->workload->kernel;

	emit_u64(e, "threads", r->workload->threads);
	emit_u64(e, "blocks", k->blocks);
	emit_u64(e, "block_size", k->block_threads);
	emit_u64(e, "lanes", k->lanes);
	emit_u64(e, "seed", r->options->seed);
}

static void put_config(struct emit *e, const struct sim_report *r)
{
	if (r->options->report == SIM_SUMMARY)
		return;
	emit_object(e, "config");
	(sim_setup_alone(r->setup) ? put_launch : put_run)(e, r);
	put_parts(e, r);
	emit_end(e);
}

static void put_times(struct emit *e, const struct sim_report *r)
{
	const char *device = NULL;
	struct sim_time time;

	if (r->options->report == SIM_SUMMARY)
		return;
	emit_object(e, "times");
	for (size_t i = 0; r->run->class->time(r->run, &r->result, i, &time); i++) {
		if (device && strcmp(device, time.device))
			emit_end(e);
		if (!device || strcmp(device, time.device))
			emit_object(e, time.device);
		device = time.device;
		e->note = time.summary;
		emit_u64(e, time.name, time.cycles);
	}
	emit_end(e);
	emit_end(e);
}

static void put_count(struct emit *e, const char *name, const struct sim_traffic_count *count)
{
	emit_object(e, name);
	emit_u64(e, "packets", count->packets);
	emit_u64(e, "bytes", count->bytes);
	emit_u64(e, "flits", count->flits);
	emit_end(e);
}

static void put_traffic(struct emit *e, const struct sim_report *r)
{
	const struct sim_traffic_count total = sim_report_traffic(&r->result);

	emit_object(e, "traffic");
	for (int i = 0; r->options->report != SIM_SUMMARY && i < SIM_TRAFFIC_KINDS; i++)
		put_count(e, sim_traffic_name[i], &r->result.traffic[i]);
	put_count(e, "total", &total);
	emit_end(e);
}

static void put_memory(struct emit *e, const struct sim_report *r)
{
	if (!r->setup->on->tm_gpu)
		return;
	emit_u64(e, "instructions", r->result.instructions);
	emit_u64(e, "thread_instructions", r->result.executed);
	emit_object(e, "memory");
	emit_u64(e, "l1_hits", r->result.l1_hits);
	emit_u64(e, "l1_misses", r->result.l1_misses);
	emit_u64(e, "l2_accesses", r->result.l2_accesses);
	emit_u64(e, "l2_misses", r->result.l2_misses);
	emit_u64(e, "dram_bytes", r->result.dram_bytes);
	emit_end(e);
}

/* The figures of the arrays of a node, and their sums. */
static void put_arrays(struct emit *e, const struct sim_energy array[], size_t count,
		       unsigned node, bool energy)
{
	struct sim_energy all;
	char name[8];

	if (!sim_energy_total(array, count, node, &all))
		return;
	snprintf(name, sizeof(name), "nm%u", node);
	emit_object(e, name);
	for (size_t i = 0; i < count; i++)
		if (array[i].node == node)
			emit_real(e, array[i].name, energy ? array[i].energy : array[i].area);
	emit_real(e, "total", energy ? all.energy : all.area);
	emit_real(e, energy ? "active" : "scaled", energy ? all.active : all.scaled);
	emit_end(e);
}

static void put_energy(struct emit *e, const struct sim_report *r)
{
	struct sim_energy array[SIM_ENERGY_ARRAYS], all;
	size_t count;

	if (!r->setup->on->tm_gpu || r->options->report == SIM_SUMMARY ||
	    (!emit_wants(e, "energy") && !emit_wants(e, "area")))
		return;
	count = sim_energy_arrays(r, array);
	if (!sim_energy_total(array, count, 40, &all))
		sim_energy_total(array, count, 32, &all);
	emit_object(e, "energy");
	emit_real(e, "leakage", sim_energy_leakage(r));
	emit_real(e, "clock", sim_energy_clock(r));
	put_arrays(e, array, count, 40, true);
	put_arrays(e, array, count, 32, true);
	emit_real(e, "total", sim_energy_leakage(r) + sim_energy_clock(r) + all.energy);
	emit_end(e);
	if (!count)
		return;
	emit_object(e, "area");
	put_arrays(e, array, count, 40, false);
	put_arrays(e, array, count, 32, false);
	emit_end(e);
}

/* That a run was checked is told whatever --only names. */
static void put_verdict(struct emit *e, const struct sim_report *r)
{
	const struct sim_run_class *on = r->setup->on;
	const struct sim_verdict *verdict = r->verdict;
	const char *name;
	uint64_t value;

	if (!verdict) {
		emit_text(e, "check", NULL);
		return;
	}
	emit_object(e, "check");
	e->always = true;
	emit_bool(e, "passed", verdict->passed);
	e->always = false;
	emit_text(e, "kind", on->check_kind);
	emit_bool(e, on->judge ? on->check_kind : "serializable", verdict->serializable);
	if (!on->judge) {
		emit_bool(e, "invariant", verdict->invariant);
		emit_u64(e, "transactions", verdict->transactions);
		emit_u64(e, "reads", verdict->reads);
		emit_u64(e, "writes", verdict->writes);
	}
	for (size_t i = 0; on->check_count && on->check_count(r->run, i, &name, &value); i++)
		emit_u64(e, name, value);
	emit_text(e, "failure", verdict->passed ? NULL : verdict->failure);
	emit_end(e);
}

static void put_conflicts(struct emit *e, const struct sim_report *r)
{
	struct sim_pairs pairs;

	if (!r->conflicts)
		return;
	(void)sim_conflicts_get(r->conflicts, &pairs);
	emit_object(e, "conflicts");
	emit_u64(e, "overlapping", pairs.overlapping);
	emit_u64(e, "read_write", pairs.read_write);
	emit_u64(e, "write_write", pairs.write_write);
	emit_u64(e, "both", pairs.both);
	emit_u64(e, "loops", pairs.loops);
	emit_end(e);
}

/* ---- units ---- */

struct writer {
	struct emit *e;
	const struct sim_report *report;
};

static void put_histogram(const struct writer *w, const struct gputm_stat *stat)
{
	unsigned used = GPUTM_HISTOGRAM_BUCKETS;
	struct emit *e = w->e;

	while (used && !stat->bucket[used - 1])
		used--;
	emit_object(e, stat->name);
	emit_u64(e, "samples", stat->value);
	emit_real(e, "mean", sim_histogram_mean(stat));
	emit_u64(e, "p50", sim_histogram_percentile(stat, 50));
	emit_u64(e, "p99", sim_histogram_percentile(stat, 99));
	if (emit_nested(e)) {
		emit_array(e, "buckets");
		for (unsigned i = 0; i < used; i++)
			emit_u64(e, "", stat->bucket[i]);
		emit_end(e);
	}
	emit_end(e);
}

static void put_group(void *state, const struct sim_group *group)
{
	const struct writer *w = state;
	uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS];
	struct gputm_stat stat;

	emit_unit(w->e, gputm_unit_kind(group->unit), group->role, group->instance,
		  group->instances);
	emit_hidden(w->e, "stats", false);
	for (size_t i = 0; sim_group_stat(group, i, &stat, bucket); i++) {
		w->e->note = stat.summary;
		if (stat.kind == GPUTM_STAT_HISTOGRAM && stat.bucket)
			put_histogram(w, &stat);
		else
			emit_u64(w->e, stat.name, stat.value);
	}
	emit_end(w->e);
	emit_u64(w->e, "storage_bits", gputm_unit_storage_bits(group->unit));
	emit_end(w->e);
}

static void put_units(struct emit *e, const struct sim_report *r)
{
	struct sim_grouping which = { r->options->report == SIM_ROLES, e };
	struct writer w = { e, r };

	if (r->options->report == SIM_SUMMARY)
		return;
	emit_hidden(e, "units", true);
	sim_each_group(&r->run->port, which, put_group, &w);
	emit_end(e);
}

static void put_result(struct emit *e, const struct sim_report *r)
{
	const struct sim_result *result = &r->result;

	emit_u64(e, "core_mhz", result->core_mhz);
	emit_u64(e, "cycles", result->cycles);
	emit_u64(e, "tx_exec_cycles", result->tx_exec_cycles);
	emit_u64(e, "tx_wait_cycles", result->tx_wait_cycles);
	put_times(e, r);
	emit_u64(e, "committed", result->committed);
	emit_u64(e, "aborted", result->aborted);
	emit_object(e, "aborts_by_reason");
	for (int i = 0; i < SIM_ABORT_REASONS; i++)
		emit_u64(e, sim_abort_reason_name[i], result->aborted_by_reason[i]);
	emit_end(e);
	put_memory(e, r);
	put_traffic(e, r);
	put_energy(e, r);
}

static void put_head(struct emit *e, const struct sim_report *r)
{
	emit_text(e, "system", r->setup->system->name);
	emit_text(e, "machine", r->setup->machine_name);
	emit_text(e, "workload", r->workload->name);
}

void sim_report_data(struct emit *e, const struct sim_report *r)
{
	bool alone = sim_setup_alone(r->setup);

	(alone ? flow_report_head : put_head)(e, r);
	put_config(e, r);
	emit_text(e, "ended", sim_ended_by(r->ended));
	(alone ? flow_report_result : put_result)(e, r);
	if (alone && r->setup->machine_name)
		put_traffic(e, r);
	if (e->shape == EMIT_JSON)
		emit_real(e, "wall_seconds", r->wall_seconds);
	put_verdict(e, r);
	put_conflicts(e, r);
	put_units(e, r);
}
