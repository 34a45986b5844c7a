/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as text for people. */
#define _DEFAULT_SOURCE /* getrusage */
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "point.h"
#include "report.h"

#define WIDTH 80
#define TEXT 15 /* column at which the text of a header line begins */

/* 1234567 as 1,234,567, in a static buffer; the last few results stay valid. */
static const char *grouped(uint64_t value)
{
	static char text[4][32];
	static unsigned turn;
	char *out = text[turn++ % 4] + sizeof(*text) - 1;
	unsigned digits = 0;

	*out = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--out = ',';
		*--out = (char)('0' + value % 10);
		value /= 10;
		digits++;
	} while (value);
	return out;
}

const char *sim_report_grouped(uint64_t value)
{
	return grouped(value);
}

void sim_report_wrapped(FILE *out, int column, int indent, const char *text)
{
	while (*text) {
		int length = (int)strcspn(text, " "), gap = column > indent;

		if (gap && column + gap + length > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
			gap = 0;
		}
		if (gap)
			fputc(' ', out);
		fwrite(text, 1, (size_t)length, out);
		column += gap + length;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* A line of the header. */
static void put_line(FILE *out, const char *name, const char *form, ...)
	__attribute__((format(printf, 3, 4)));

static void put_line(FILE *out, const char *name, const char *form, ...)
{
	char text[600];
	va_list list;

	va_start(list, form);
	vsnprintf(text, sizeof(text), form, list);
	va_end(list);
	fprintf(out, "  %-*s", TEXT - 2, name);
	sim_report_wrapped(out, TEXT, TEXT, text);
}

static const char *plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static void describe_machine(const struct sim_report *r, FILE *out)
{
	const struct sim_machine_config *m = &r->setup->machine;
	char text[128];

	if (r->setup->on->describe) {
		r->setup->on->describe(r->setup->system_config, text, sizeof(text));
		put_line(out, "machine", "%s: %s", r->setup->machine_name, text);
		return;
	}
	put_line(out, "machine", "%s: %u %s of %u warps x %u lanes, %u memory %s, %u MHz",
		 r->setup->machine_name, m->cores, plural(m->cores, "core", "cores"), m->warps,
		 m->lanes, m->partitions, plural(m->partitions, "partition", "partitions"),
		 m->core_mhz);
}

static const char *name_of(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

void sim_report_text_point(const struct sim_report *r)
{
	FILE *out = r->out.file;

	fprintf(out, "  point        %016llx, of\n%*s", (unsigned long long)sim_point_hash(r), TEXT,
		"");
	sim_point_command(r->options, out, WIDTH - 2);
	fputc('\n', out);
}

/* Most warps that a core can have, as blocks are dealt to cores in turn. */
static uint64_t most_warps(const struct sim_report *r)
{
	const struct sim_machine_config *m = &r->setup->machine;
	const struct sim_workload *w = r->workload;
	uint64_t blocks = (w->threads + w->block_size - 1) / w->block_size;

	return (blocks + m->cores - 1) / m->cores * ((w->block_size + m->lanes - 1) / m->lanes);
}

static void head(const struct sim_report *r, FILE *out)
{
	const struct sim_options *o = r->options;

	fprintf(out, "gputm-sim %s\n\n", gputm_version());
	put_line(out, "system", "%s: %s", r->setup->system->name, r->setup->system->summary);
	put_line(out, "workload", "%s: %s", r->workload->name, r->setup->workload->summary);
	if (o->keys)
		put_line(out, "", "one key per word of %s", name_of(o->keys));
	if (o->trace)
		put_line(out, "", "read from %s", name_of(o->trace));
	describe_machine(r, out);
	put_line(out, "threads", "%s in blocks of %u", grouped(r->workload->threads),
		 r->workload->block_size);
	if (o->concurrency && r->setup->on->tm_gpu)
		put_line(out, "concurrency", "%llu %s per core in transactions%s",
			 (unsigned long long)o->concurrency,
			 plural(o->concurrency, "warp", "warps"),
			 o->concurrency >= most_warps(r) ? ": no core has more" : "");
	else
		put_line(out, "concurrency", "all resident warps may be in transactions");
	put_line(out, "seed", "%llu", (unsigned long long)o->seed);
	if (o->divergence)
		put_line(out, "divergence", "%s", o->divergence);
	sim_report_text_point(r);
}

static void aborted(const struct sim_report *r, FILE *out)
{
	const struct sim_result *result = &r->result;
	const char *separator = ": ";
	char text[600];
	size_t used;

	used = (size_t)snprintf(text, sizeof(text), "%s %s", grouped(result->aborted),
				plural(result->aborted, "attempt", "attempts"));
	if (result->committed)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", %.3f per commit",
					 (double)result->aborted / (double)result->committed);
	for (int i = 0; i < SIM_ABORT_REASONS; i++) {
		if (!result->aborted_by_reason[i])
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", separator,
					 sim_abort_reason_name[i],
					 grouped(result->aborted_by_reason[i]));
		separator = ", ";
	}
	put_line(out, "aborted", "%s", text);
	if (result->aborted_by_reason[SIM_ABORT_ESTIMATED] >
	    result->aborted_by_reason[SIM_ABORT_CONFLICT])
		put_line(out, "note", "the metadata table is too small: most conflicts are with "
				      "estimates; raise validation_unit.entries");
}

static void conflicts(const struct sim_report *r, FILE *out)
{
	struct sim_pairs pairs;

	if (!r->conflicts)
		return;
	(void)sim_conflicts_get(r->conflicts, &pairs);
	put_line(out, "conflicts", "%s pairs of attempts overlap: read-write only %s, write-write "
		 "only %s, both %s", grouped(pairs.overlapping), grouped(pairs.read_write),
		 grouped(pairs.write_write), grouped(pairs.both));
	put_line(out, "loops", "%s pairs of which each reads what the other writes",
		 grouped(pairs.loops));
}

static void outcome(const struct sim_report *r, FILE *out)
{
	const struct sim_result *result = &r->result;

	fputc('\n', out);
	if (r->ended)
		put_line(out, "ended", "by %s, before its end", sim_ended_by(r->ended));
	put_line(out, "cycles", "%s (%.1f us at %u MHz)", grouped(result->cycles),
		 (double)result->cycles / result->core_mhz, result->core_mhz);
	put_line(out, "committed", "%s %s", grouped(result->committed),
		 plural(result->committed, "transaction", "transactions"));
	aborted(r, out);
	conflicts(r, out);
	if (!r->setup->on->tm_gpu)
		return;
	if (r->setup->machine.l1_bytes)
		put_line(out, "L1", "%s hits and %s misses of loads outside of transactions",
			 grouped(result->l1_hits), grouped(result->l1_misses));
	put_line(out, "memory", "%s L2 accesses, %s misses, %s bytes to and from DRAM",
		 grouped(result->l2_accesses), grouped(result->l2_misses),
		 grouped(result->dram_bytes));
}

/* Speed of this program, not of the machine it models. */
static void host(const struct sim_report *r, FILE *out)
{
	double rate = r->wall_seconds > 0 ? (double)r->result.committed / r->wall_seconds : 0;
	struct rusage usage = { .ru_maxrss = 0 };

	(void)getrusage(RUSAGE_SELF, &usage);
	put_line(out, "host", "%.3f s, %s transactions per second, %.1f MB of memory",
		 r->wall_seconds, grouped((uint64_t)rate), (double)usage.ru_maxrss / 1024);
}

struct sim_traffic_count sim_report_traffic(const struct sim_result *result)
{
	struct sim_traffic_count total = { 0, 0, 0 };

	for (int i = 0; i < SIM_TRAFFIC_KINDS; i++) {
		total.packets += result->traffic[i].packets;
		total.bytes += result->traffic[i].bytes;
		total.flits += result->traffic[i].flits;
	}
	return total;
}

static void traffic_row(FILE *out, const char *name, const struct sim_traffic_count *count)
{
	fprintf(out, "  %-14s %13s %15s %13s\n", name, grouped(count->packets),
		grouped(count->bytes), grouped(count->flits));
}

void sim_report_text_traffic(const struct sim_report *r)
{
	FILE *out = r->out.file;
	const struct sim_traffic_count total = sim_report_traffic(&r->result);
	bool kinds = r->options->report != SIM_SUMMARY;

	fprintf(out, "\n  %-14s %13s %15s %13s\n", "traffic", "packets", "bytes", "flits");
	for (int i = 0; kinds && i < SIM_TRAFFIC_KINDS; i++)
		if (r->result.traffic[i].packets)
			traffic_row(out, sim_traffic_name[i], &r->result.traffic[i]);
	traffic_row(out, "total", &total);
}

/* ---- units ---- */

static void group_head(const struct sim_group *group, FILE *out)
{
	const char *kind = gputm_unit_kind(group->unit), *name = gputm_unit_name(group->unit);
	uint64_t bits = gputm_unit_storage_bits(group->unit);
	char text[400], storage[80] = "", of_kind[80] = "";

	if (strcmp(group->role, kind))
		snprintf(of_kind, sizeof(of_kind), " of kind %s", kind);
	if (bits)
		snprintf(storage, sizeof(storage), ", %s bits (%.1f KiB) of storage%s",
			 grouped(bits), (double)bits / 8192, group->instances == 1 ? "" : " each");
	if (group->instance == SIM_EACH)
		snprintf(text, sizeof(text), "%s: %u %s%s%s", group->role, group->instances,
			 plural(group->instances, "unit", "units"), of_kind, storage);
	else
		snprintf(text, sizeof(text), "%s.%u: %s%s%s", group->role, group->instance,
			 *name ? name : "unit", of_kind, storage);
	fputs("\n  ", out);
	sim_report_wrapped(out, 2, 2, text);
}

static void group_stats(void *state, const struct sim_group *group)
{
	FILE *out = state;
	uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS];
	struct gputm_stat stat;

	group_head(group, out);
	for (size_t i = 0; sim_group_stat(group, i, &stat, bucket); i++) {
		if (!stat.value)
			continue;
		fprintf(out, "    %-24s %13s  ", stat.name, grouped(stat.value));
		sim_report_wrapped(out, 44, 44, stat.summary);
		if (stat.kind == GPUTM_STAT_HISTOGRAM && stat.bucket)
			fprintf(out, "%*smean %.1f, p50 %s, p99 %s\n", 44, "",
				sim_histogram_mean(&stat),
				grouped(sim_histogram_percentile(&stat, 50)),
				grouped(sim_histogram_percentile(&stat, 99)));
	}
}

static void units(const struct sim_report *r, FILE *out)
{
	struct sim_grouping which = { .together = r->options->report == SIM_ROLES };

	if (r->options->report != SIM_SUMMARY)
		sim_each_group(&r->run->port, which, group_stats, out);
}

static void tell_nothing(const struct sim_report *r, FILE *out)
{
	char text[200];

	snprintf(text, sizeof(text), "Nothing was checked: no transaction has committed%s%s.",
		 r->workload->class->invariant ? ", but the workload's invariant holds" : "",
		 sim_point_path(r->options) ? " (--kernel without --system looks for races)" : "");
	fputc('\n', out);
	sim_report_wrapped(out, 0, 0, text);
}

static void passed_alone(const struct sim_report *r, FILE *out)
{
	uint64_t count[3] = { 0 };
	const char *name;

	for (size_t i = 0; i < 3; i++)
		(void)r->setup->on->check_count(r->run, i, &name, &count[i]);
	fprintf(out, "\nCheck passed: the run is equivalent. %s threads executed the same\n"
		     "%s instructions as each alone, ended with the same registers and\n"
		     "left the same memory; every live thread had one place, its own, at\n"
		     "%s looks.\n", grouped(count[0]), grouped(count[1]), grouped(count[2]));
}

static void verdict(const struct sim_report *r, FILE *out)
{
	const struct sim_verdict *v = r->verdict;
	bool alone = sim_setup_alone(r->setup);
	char text[400];

	if (r->ended) {
		fputs("\nNot checked: the run was ended before its end.\n", out);
		return;
	}
	if (!v) {
		fprintf(out, "\nNot checked (--check %s).\n",
			alone ? "runs every thread alone and compares" :
				"replays the run and proves it serialisable");
		return;
	}
	if (!v->passed) {
		fprintf(out, "\nCheck FAILED: %s.\n", v->failure);
		if (v->serializable && !alone)
			fputs("The transactions themselves were serialisable.\n", out);
		return;
	}
	if (alone) {
		passed_alone(r, out);
		return;
	}
	if (!v->transactions) {
		tell_nothing(r, out);
		return;
	}
	if (!strcmp(r->setup->on->check_kind, "replicas"))
		fputs("\nThe replicas were the same after each round, and those rounds failed\n"
		      "where both devices had accessed the same granule.", out);
	snprintf(text, sizeof(text),
		 "Check passed: the run was serialisable. Its %s committed %s, replayed one after "
		 "the other, read the same %s %s and leave the same memory%s.",
		 grouped(v->transactions), plural(v->transactions, "transaction", "transactions"),
		 grouped(v->reads), plural(v->reads, "value", "values"),
		 r->workload->class->invariant ? ", and the workload's invariant holds in it" : "");
	fputc('\n', out);
	sim_report_wrapped(out, 0, 0, text);
}

/* The total of the device whose first row is `first`. */
static uint64_t time_of(const struct sim_report *r, const struct sim_time *first, size_t index)
{
	struct sim_time time;
	uint64_t sum = 0;

	while (r->run->class->time(r->run, &r->result, index++, &time) &&
	       !strcmp(time.device, first->device))
		sum += time.cycles;
	return sum;
}

/* Shares in tenths of a percent, rounded so that the shares of a whole add up to 100.0. */
static unsigned share(uint64_t *before, uint64_t cycles, uint64_t all)
{
	double from = (double)*before, to = from + (double)cycles;

	*before += cycles;
	return (unsigned)(1000 * to / (double)all + 0.5) -
	       (unsigned)(1000 * from / (double)all + 0.5);
}

/* For each device the rows cover all of its cycles. */
static void times(const struct sim_report *r, FILE *out)
{
	const char *device = "";
	uint64_t before = 0, all = 0;
	struct sim_time time;
	unsigned tenths;
	char name[64];

	if (r->options->report == SIM_SUMMARY)
		return;
	fputs("\n  where the cycles went\n", out);
	for (size_t i = 0; r->run->class->time(r->run, &r->result, i, &time); i++) {
		if (strcmp(device, time.device)) {
			all = time_of(r, &time, i);
			before = 0;
		}
		device = time.device;
		if (!time.cycles)
			continue;
		tenths = share(&before, time.cycles, all);
		snprintf(name, sizeof(name), "%s.%s", device, time.name);
		fprintf(out, "    %-18s %17s %3u.%u %%  ", name, grouped(time.cycles), tenths / 10,
			tenths % 10);
		sim_report_wrapped(out, 50, 50, time.summary);
	}
}

/* A line of the energy table; without an area, the columns of area stay empty. */
static void energy_row(FILE *out, const char *name, double energy, double part, double area,
		       double scaled)
{
	fprintf(out, "    %-22s %10.1f uJ", name, energy);
	if (area > 0)
		fprintf(out, " %12.1f uJ %9.4f %9.4f", part, area, scaled);
	fputc('\n', out);
}

static void energy(const struct sim_report *r, FILE *out)
{
	struct sim_energy array[SIM_ENERGY_ARRAYS], all;
	char name[64];
	size_t count;

	if (r->options->report == SIM_SUMMARY || !r->setup->on->tm_gpu)
		return;
	count = sim_energy_arrays(r, array);
	fputs("\n  energy, without what cores, caches, crossbars and DRAM do; and area\n", out);
	energy_row(out, "leakage", sim_energy_leakage(r), 0, 0, 0);
	energy_row(out, "clock", sim_energy_clock(r), 0, 0, 0);
	if (count)
		fprintf(out, "    %-22s %13s %15s %9s %9s\n", "arrays, by the papers",
			"all cycles", "(our accesses)", "mm2", "(ours)");
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "nm%u.%s", array[i].node, array[i].name);
		energy_row(out, name, array[i].energy, array[i].active, array[i].area,
			   array[i].scaled);
	}
	for (unsigned node = 40; node >= 32; node -= 8) {
		if (!sim_energy_total(array, count, node, &all))
			continue;
		snprintf(name, sizeof(name), "nm%u.total", node);
		energy_row(out, name, all.energy, all.active, all.area, all.scaled);
	}
}

void sim_report_text(const struct sim_report *r)
{
	FILE *out = r->out.file;

	head(r, out);
	outcome(r, out);
	host(r, out);
	if (r->setup->on->tm_gpu)
		sim_report_text_traffic(r);
	times(r, out);
	energy(r, out);
}

void sim_report_text_rest(const struct sim_report *r)
{
	units(r, r->out.file);
	verdict(r, r->out.file);
}
