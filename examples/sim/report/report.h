/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H
/* The report of a finished run. */
#include <stdio.h>

#include "../check/check.h"
#include "../check/conflicts.h"
#include "../machine/machine.h"
#include "../study/options.h"
#include "../base/output.h"
#include "../study/setup.h"
#include "emit.h"

struct sim_port;

struct sim_report {
	const struct sim_options *options;
	const struct sim_setup *setup;
	const struct sim_workload *workload;
	struct sim_run *run;
	struct sim_result result;
	const struct sim_verdict *verdict; /* NULL without --check */
	const struct sim_conflicts *conflicts; /* NULL without --conflicts */
	double wall_seconds;
	int ended; /* the signal that ended the run; 0: the run is done */
	struct sim_output out, issues, record, history;
};

/* Write the files for CACTI to report->options->cacti: all of them, or none with the reason on
 * stderr. Returns an exit status. */
int sim_report_cacti(const struct sim_report *report);

/* Write the report to report->out, in the format of the options. Write errors show when the file is
 * closed. */
void sim_report_write(const struct sim_report *report);

/* Before the run: a bit for each name in --only that matches a figure. */
uint64_t sim_report_matched(const struct sim_report *report);
/* Do all names match a figure? Else false, with the reason on stderr; `where` is "--only" or a line
 * of a file. */
bool sim_only_matched(const char *only, uint64_t matched, const char *where);
/* The same for --only, with a hint: --check is missing, or the name is close to another. */
bool sim_report_has(const struct sim_report *report, uint64_t matched);

/* ---- units ---- */

#define SIM_STATS_MAX 64
#define SIM_EACH EMIT_EACH

struct sim_group {
	const struct sim_port *units;
	const char *role;
	const struct gputm_unit *unit; /* the first unit, and its number */
	size_t first;
	uint32_t instance;	       /* SIM_EACH: all units of the role */
	uint32_t instances;
	uint64_t total[SIM_STATS_MAX]; /* counters: sums; maxima: the largest */
};

/* How units are grouped: each unit by itself, or all units of a role together, in order of first
 * appearance. */
struct sim_grouping {
	bool together;
	const struct emit *only; /* roles with a figure that is wanted; NULL: all */
};

void sim_each_group(const struct sim_port *units, struct sim_grouping which,
		    void (*fn)(void *state, const struct sim_group *group), void *state);
/* Statistic number `index` of the group, false past the last. The buckets of all its units are
 * added in bucket[]. */
bool sim_group_stat(const struct sim_group *group, size_t index, struct gputm_stat *out,
		    uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS]);
/* Mean of a histogram, taking each sample at the middle of its bucket. */
double sim_histogram_mean(const struct gputm_stat *stat);
/* The largest value of the bucket that holds the sample at this percentile. */
uint64_t sim_histogram_percentile(const struct gputm_stat *stat, unsigned percent);

/* ---- energy and area ---- */

/* For all copies of an array: the paper's figures, and those for our run and size. */
struct sim_energy {
	const char *name; /* NULL: of all arrays */
	unsigned node;	  /* nm */
	double energy, active; /* microjoules */
	double area, scaled;   /* mm2 */
};

/* Energy of a run under a TM system on the machine, in microjoules. */
double sim_energy_leakage(const struct sim_report *report);
double sim_energy_clock(const struct sim_report *report);
/* Arrays of one node are neighbours. @return the number of arrays. */
#define SIM_ENERGY_ARRAYS 32
size_t sim_energy_arrays(const struct sim_report *report,
			 struct sim_energy out[SIM_ENERGY_ARRAYS]);
/* The sum over the arrays of a node; false if there are none. */
bool sim_energy_total(const struct sim_energy array[], size_t count, unsigned node,
		      struct sim_energy *out);

/* ---- parts of reports ---- */

struct sim_traffic_count sim_report_traffic(const struct sim_result *result); /* all kinds */
/* 1234567 as 1,234,567, in a static buffer; the last few results stay valid. */
const char *sim_report_grouped(uint64_t value);
void sim_report_data(struct emit *e, const struct sim_report *report);
void sim_report_text(const struct sim_report *report); /* all before the units; then: */
void sim_report_text_rest(const struct sim_report *report);
/* The run of a kernel without a TM system, and its results. */
void flow_report_head(struct emit *e, const struct sim_report *report);
void flow_report_result(struct emit *e, const struct sim_report *report);
void flow_report_text(const struct sim_report *report);
/* The point as text, in lines of 80 characters. */
void sim_report_text_point(const struct sim_report *report);
void sim_report_text_traffic(const struct sim_report *report);
/* Print words in lines of 80 characters, further lines from column `indent`; end the line. */
void sim_report_wrapped(FILE *out, int column, int indent, const char *text);

#endif /* SIM_REPORT_H */
