/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as JSON or CSV: the same keys in the same order. */
#include <string.h>

#include "emit.h"
#include "report.h"

static void put_value(struct emit *e, const struct gputm_param *row, const void *config)
{
	uint64_t value = gputm_params_get(row, config);

	if (row->choices && value >= row->min && value <= row->max)
		emit_text(e, row->name, row->choices[value - row->min]);
	else
		emit_u64(e, row->name, value);
}

void sim_report_part(struct emit *e, const char *path, const struct gputm_params *params,
		     const void *config)
{
	emit_object(e, path);
	for (size_t k = 0; k < params->param_count; k++)
		if (strcmp(params->param[k].name, "swap_units_every"))
			put_value(e, &params->param[k], config);
	emit_end(e);
}

static void put_config(struct emit *e, const struct sim_report *r)
{
	const struct gputm_params *params;
	const char *path;
	void *config;

	emit_object(e, "config");
	emit_u64(e, "threads", r->workload->threads);
	if (r->options->concurrency && !r->setup->system->own)
		emit_u64(e, "concurrency", r->options->concurrency);
	else
		emit_text(e, "concurrency", "inf");
	emit_u64(e, "seed", r->options->seed);
	if (r->options->divergence)
		emit_text(e, "divergence", r->options->divergence);
	emit_text(e, "keys", r->options->keys);
	emit_text(e, "trace", r->options->trace);
	for (size_t i = 0; sim_setup_part(r->setup, i, &path, &params, &config); i++)
		sim_report_part(e, path, params, config);
	emit_end(e);
}

static void put_times(struct emit *e, const struct sim_report *r)
{
	const struct sim_own_machine *own = r->setup->system->own;
	const char *device = NULL;
	struct sim_time time;

	if (!own || !own->time)
		return;
	emit_object(e, "times");
	for (size_t i = 0; own->time(r->machine, i, &time); i++) {
		if (device && strcmp(device, time.device))
			emit_end(e);
		if (!device || strcmp(device, time.device))
			emit_object(e, time.device);
		device = time.device;
		emit_u64(e, time.name, time.cycles);
	}
	emit_end(e);
	emit_end(e);
}

static void put_traffic(struct emit *e, const struct sim_result *result)
{
	emit_object(e, "traffic");
	for (int i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		emit_object(e, sim_traffic_name[i]);
		emit_u64(e, "packets", result->traffic[i].packets);
		emit_u64(e, "bytes", result->traffic[i].bytes);
		emit_u64(e, "flits", result->traffic[i].flits);
		emit_end(e);
	}
	emit_end(e);
}

static void put_verdict(struct emit *e, const struct sim_report *r)
{
	const struct sim_own_machine *own = r->setup->system->own;
	const struct sim_verdict *verdict = r->verdict;
	const char *name;
	uint64_t value;

	if (!verdict) {
		emit_text(e, "check", NULL);
		return;
	}
	emit_object(e, "check");
	emit_bool(e, "passed", verdict->passed);
	emit_text(e, "kind", own && own->check_kind ? own->check_kind : "serializable");
	emit_bool(e, "serializable", verdict->serializable);
	emit_bool(e, "invariant", verdict->invariant);
	emit_u64(e, "transactions", verdict->transactions);
	emit_u64(e, "reads", verdict->reads);
	emit_u64(e, "writes", verdict->writes);
	for (size_t i = 0;
	     own && own->check_count && own->check_count(r->machine, i, &name, &value); i++)
		emit_u64(e, name, value);
	emit_text(e, "failure", verdict->passed ? NULL : verdict->failure);
	emit_end(e);
}

/* CSV has the number of samples only, so that its columns do not depend on the values. */
static void put_histogram(struct emit *e, const struct gputm_stat *stat)
{
	unsigned used = GPUTM_HISTOGRAM_BUCKETS;

	if (e->shape == EMIT_CSV) {
		emit_u64(e, stat->name, stat->value);
		return;
	}
	while (used && !stat->bucket[used - 1])
		used--;
	emit_object(e, stat->name);
	emit_u64(e, "samples", stat->value);
	emit_array(e, "buckets");
	for (unsigned i = 0; i < used; i++)
		emit_u64(e, "", stat->bucket[i]);
	emit_end(e);
	emit_end(e);
}

void sim_report_unit(struct emit *e, const struct sim_unit_info *info)
{
	struct gputm_stat stat;
	char column[96];

	snprintf(column, sizeof(column), "%s.%u", info->role, info->instance);
	emit_object(e, column);
	emit_text(e, "unit", gputm_unit_kind(info->unit));
	emit_text(e, "role", info->role);
	emit_u64(e, "instance", info->instance);
	emit_object(e, "stats");
	for (size_t i = 0; gputm_unit_stat(info->unit, i, &stat); i++) {
		if (stat.kind == GPUTM_STAT_HISTOGRAM && stat.bucket)
			put_histogram(e, &stat);
		else
			emit_u64(e, stat.name, stat.value);
	}
	emit_end(e);
	emit_u64(e, "storage_bits", gputm_unit_storage_bits(info->unit));
	emit_end(e);
}

int sim_report_data(const struct sim_report *r)
{
	const struct sim_result *result = &r->result;
	struct sim_unit_info info;
	struct emit e;
	int error = emit_begin(&e, r->options->format == SIM_CSV ? EMIT_CSV : EMIT_JSON,
			       r->out.file);

	if (error)
		return error;
	emit_text(&e, "version", gputm_version());
	emit_text(&e, "system", r->setup->system->name);
	emit_text(&e, "machine", r->setup->machine_name);
	emit_text(&e, "workload", r->workload->name);
	put_config(&e, r);
	emit_text(&e, "ended", sim_ended_by(r->ended));
	emit_u64(&e, "core_mhz", result->core_mhz);
	emit_u64(&e, "cycles", result->cycles);
	emit_u64(&e, "tx_exec_cycles", result->tx_exec_cycles);
	emit_u64(&e, "tx_wait_cycles", result->tx_wait_cycles);
	put_times(&e, r);
	emit_u64(&e, "committed", result->committed);
	emit_u64(&e, "aborted", result->aborted);
	emit_object(&e, "aborts_by_reason");
	for (int i = 0; i < SIM_ABORT_REASONS; i++)
		emit_u64(&e, sim_abort_reason_name[i], result->aborted_by_reason[i]);
	emit_end(&e);
	put_traffic(&e, result);
	emit_real(&e, "wall_seconds", r->wall_seconds);
	put_verdict(&e, r);
	emit_array(&e, "units");
	for (size_t i = 0; sim_machine_unit(r->machine, i, &info); i++)
		sim_report_unit(&e, &info);
	emit_end(&e);
	return emit_finish(&e);
}
