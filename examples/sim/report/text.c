/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for people. */
#define _DEFAULT_SOURCE /* getrusage */
#include <string.h>
#include <sys/resource.h>

#include "report.h"

#define STATS_MAX 64
#define GROUPS_MAX 32

/* 1234567 as 1,234,567; a few results may be alive at once. */
static const char *grouped(uint64_t value)
{
	static char text[4][32];
	static unsigned turn;
	char digits[24], *out = text[turn++ % 4];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value), k = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
	return out;
}

const char *sim_report_grouped(uint64_t value)
{
	return grouped(value);
}

static const char *plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static void describe_machine(const struct sim_report *r, FILE *out)
{
	const struct sim_machine_config *m = &r->setup->machine;
	const struct sim_own_machine *own = r->setup->system->own;
	char text[128];

	fprintf(out, "  machine      %s: ", r->setup->machine_name);
	if (own) {
		own->describe(r->setup->system_config, text, sizeof(text));
		fprintf(out, "%s\n", text);
		return;
	}
	fprintf(out, "%u %s of %u warps x %u lanes, %u memory %s, %u MHz\n", m->cores,
		plural(m->cores, "core", "cores"), m->warps, m->lanes, m->partitions,
		plural(m->partitions, "partition", "partitions"), m->core_mhz);
}

static const char *name_of(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

static void head(const struct sim_report *r, FILE *out)
{
	const struct sim_options *o = r->options;

	fprintf(out, "gputm-sim %s\n\n", gputm_version());
	fprintf(out, "  system       %s: %s\n", r->setup->system->name, r->setup->system->summary);
	fprintf(out, "  workload     %s: %s\n", r->workload->name, r->setup->workload->summary);
	if (o->keys)
		fprintf(out, "               one key per word of %s\n", name_of(o->keys));
	if (o->trace)
		fprintf(out, "               read from %s\n", name_of(o->trace));
	describe_machine(r, out);
	fprintf(out, "  threads      %s in blocks of %u\n", grouped(r->workload->threads),
		r->workload->block_size);
	if (o->concurrency && !r->setup->system->own)
		fprintf(out, "  concurrency  %llu %s per core in transactions\n",
			(unsigned long long)o->concurrency,
			plural(o->concurrency, "warp", "warps"));
	else
		fprintf(out, "  concurrency  all resident warps may be in transactions\n");
	fprintf(out, "  seed         %llu\n", (unsigned long long)o->seed);
	if (o->divergence)
		fprintf(out, "  divergence   %s\n", o->divergence);
}

static void outcome(const struct sim_report *r, FILE *out)
{
	const struct sim_result *result = &r->result;
	const char *separator = ": ";

	fputc('\n', out);
	if (r->ended)
		fprintf(out, "  ended        by %s, before its end\n",
			sim_ended_by(r->ended));
	fprintf(out, "  cycles       %s  (%.1f us at %u MHz)\n", grouped(result->cycles),
		(double)result->cycles / result->core_mhz, result->core_mhz);
	fprintf(out, "  committed    %s %s\n", grouped(result->committed),
		plural(result->committed, "transaction", "transactions"));
	fprintf(out, "  aborted      %s %s", grouped(result->aborted),
		plural(result->aborted, "attempt", "attempts"));
	if (result->committed)
		fprintf(out, ", %.3f per commit",
			(double)result->aborted / (double)result->committed);
	for (int i = 0; i < SIM_ABORT_REASONS; i++) {
		if (!result->aborted_by_reason[i])
			continue;
		fprintf(out, "%s%s %s", separator, sim_abort_reason_name[i],
			grouped(result->aborted_by_reason[i]));
		separator = ", ";
	}
	fputc('\n', out);
	if (r->setup->system->own)
		return;
	fprintf(out, "  memory       %s L2 accesses, %s misses, %s bytes to and from DRAM\n",
		grouped(result->l2_accesses), grouped(result->l2_misses),
		grouped(result->dram_bytes));
}

/* Of this program and not of the machine it models. */
static void host(const struct sim_report *r, FILE *out)
{
	struct rusage usage;

	fprintf(out, "  host         %.3f s", r->wall_seconds);
	if (r->wall_seconds > 0)
		fprintf(out, ", %s committed transactions per second",
			grouped((uint64_t)((double)r->result.committed / r->wall_seconds)));
	if (!getrusage(RUSAGE_SELF, &usage))
		fprintf(out, ", %.1f MB of memory", (double)usage.ru_maxrss / 1024);
	fputc('\n', out);
}

static void traffic_row(FILE *out, const char *name, const struct sim_traffic_count *count)
{
	fprintf(out, "  %-14s %13s %15s %13s\n", name, grouped(count->packets),
		grouped(count->bytes), grouped(count->flits));
}

static void traffic(const struct sim_result *result, FILE *out)
{
	struct sim_traffic_count total = { 0, 0, 0 };

	fprintf(out, "\n  %-14s %13s %15s %13s\n", "traffic", "packets", "bytes", "flits");
	for (int i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		const struct sim_traffic_count *count = &result->traffic[i];

		if (!count->packets)
			continue;
		traffic_row(out, sim_traffic_name[i], count);
		total.packets += count->packets;
		total.bytes += count->bytes;
		total.flits += count->flits;
	}
	traffic_row(out, "total", &total);
}

/* ---- units: all instances of a role together ---- */

struct group {
	const char *role;
	const struct gputm_unit *unit; /* the first one */
	uint32_t instances;
	uint64_t total[STATS_MAX]; /* sums of counters, maxima of maxima */
};

static void add(struct group *group, const struct gputm_unit *unit)
{
	struct gputm_stat stat;

	group->instances++;
	for (size_t i = 0; i < STATS_MAX && gputm_unit_stat(unit, i, &stat); i++)
		if (stat.kind != GPUTM_STAT_MAXIMUM)
			group->total[i] += stat.value;
		else if (stat.value > group->total[i])
			group->total[i] = stat.value;
}

static size_t collect(sim_report_unit_at *at, const void *of, struct group group[GROUPS_MAX])
{
	struct sim_unit_info info;
	size_t groups = 0, g;

	for (size_t i = 0; at(of, i, &info); i++) {
		for (g = 0; g < groups && strcmp(group[g].role, info.role); g++)
			continue;
		if (g == GROUPS_MAX)
			continue;
		if (g == groups)
			group[groups++] = (struct group){ .role = info.role, .unit = info.unit };
		add(&group[g], info.unit);
	}
	return groups;
}

static void group_head(const struct group *group, FILE *out)
{
	const char *kind = gputm_unit_kind(group->unit);
	uint64_t bits = gputm_unit_storage_bits(group->unit);

	fprintf(out, "\n  %s: %u %s", group->role, group->instances,
		plural(group->instances, "unit", "units"));
	if (strcmp(group->role, kind))
		fprintf(out, " of kind %s", kind);
	if (bits)
		fprintf(out, ", %s bits (%.1f KiB) of storage%s", grouped(bits),
			(double)bits / 8192, group->instances == 1 ? "" : " each");
	fputc('\n', out);
}

static void group_stats(const struct group *group, FILE *out)
{
	struct gputm_stat stat;

	for (size_t i = 0; i < STATS_MAX && gputm_unit_stat(group->unit, i, &stat); i++)
		if (group->total[i] && stat.kind != GPUTM_STAT_HISTOGRAM)
			fprintf(out, "    %-28s %15s  %s\n", stat.name, grouped(group->total[i]),
				stat.summary);
}

void sim_report_units(sim_report_unit_at *at, const void *of, FILE *out)
{
	struct group group[GROUPS_MAX];
	size_t groups = collect(at, of, group);

	for (size_t g = 0; g < groups; g++) {
		group_head(&group[g], out);
		group_stats(&group[g], out);
	}
}

static bool unit_of_machine(const void *machine, size_t index, struct sim_unit_info *out)
{
	return sim_machine_unit(machine, index, out);
}

static void verdict(const struct sim_report *r, FILE *out)
{
	const struct sim_verdict *v = r->verdict;

	if (r->ended) {
		fputs("\nNot checked: the run was ended before its end.\n", out);
		return;
	}
	if (!v) {
		fputs("\nNot checked (--check replays the run and proves it serialisable).\n", out);
		return;
	}
	if (!v->passed) {
		fprintf(out, "\nCheck FAILED: %s.\n", v->failure);
		if (v->serializable)
			fputs("The transactions themselves were serialisable.\n", out);
		return;
	}
	if (r->setup->system->own && r->setup->system->own->check_kind)
		fputs("\nThe replicas were the same after each round, and those rounds failed\n"
		      "where both devices had accessed the same granule.", out);
	fprintf(out,
		"\nCheck passed: the run was serialisable. Its %s committed %s, replayed\n"
		"one after the other, read the same %s %s and leave the same memory%s.\n",
		grouped(v->transactions), plural(v->transactions, "transaction", "transactions"),
		grouped(v->reads), plural(v->reads, "value", "values"),
		r->workload->class->invariant ? ",\nand the workload's invariant holds in it" : "");
}

/* Each cycle of the run is one of each device's. */
static void times(const struct sim_report *r, FILE *out)
{
	const struct sim_own_machine *own = r->setup->system->own;
	struct sim_time time;
	char name[64];

	if (!own || !own->time)
		return;
	fprintf(out, "\n  %-30s %15s\n", "times", "cycles");
	for (size_t i = 0; own->time(r->machine, i, &time); i++) {
		snprintf(name, sizeof(name), "%s.%s", time.device, time.name);
		if (time.cycles)
			fprintf(out, "    %-28s %15s  %s\n", name, grouped(time.cycles),
				time.summary);
	}
}

int sim_report_text(const struct sim_report *r)
{
	FILE *out = r->out.file;

	head(r, out);
	outcome(r, out);
	host(r, out);
	if (!r->setup->system->own)
		traffic(&r->result, out);
	times(r, out);
	sim_report_units(unit_of_machine, r->machine, out);
	verdict(r, out);
	return 0;
}

int sim_report_write(const struct sim_report *report)
{
	return report->options->format == SIM_TEXT ? sim_report_text(report) :
						     sim_report_data(report);
}
