/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H
/* What is told of a finished run. */
#include <stdio.h>

#include "../check/check.h"
#include "../machine/alone.h"
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
	struct sim_machine *machine; /* NULL without a TM system */
	struct flow_gpu *gpu;	     /* NULL with one */
	struct sim_result result;
	const struct sim_verdict *verdict; /* NULL without --check */
	double wall_seconds;
	int ended; /* by this signal; 0: the run is done */
	const struct flow_verdict *found; /* what the verdict on a gpu is made of */
	struct sim_output out, issues, record, history;
};

/* Files for CACTI in report->options->cacti. 0 or -1, with the reason on stderr. */
int sim_report_cacti(const struct sim_report *report);

/* To report->out, in the format of the options; its errors are found when it is closed. */
void sim_report_write(const struct sim_report *report);

/* A bit for each name in --only of which there is a figure; before the run. */
uint64_t sim_report_matched(const struct sim_report *report);
/* All of them? Else false, with the reason on stderr; `where` is "--only" or a line of a file. */
bool sim_only_matched(const char *only, uint64_t matched, const char *where);
/* The same of --only, with what helps: a figure of --check, or a name that is near. */
bool sim_report_has(const struct sim_report *report, uint64_t matched);

/* What is told of runs without a TM system. */
void flow_report_text(const struct sim_report *report, const struct sim_port *units);
void flow_report_data(struct emit *e, const struct sim_report *report,
		      const struct sim_port *units);

/* ---- units ---- */

/* The port that has those of the run. */
const struct sim_port *sim_units_of(const struct sim_report *report);

#define SIM_STATS_MAX 64
#define SIM_EACH EMIT_EACH

struct sim_group {
	const struct sim_port *units;
	const char *role;
	const struct gputm_unit *unit; /* the first one, and its number */
	size_t first;
	uint32_t instance;	       /* SIM_EACH: all of the role */
	uint32_t instances;
	uint64_t total[SIM_STATS_MAX]; /* sums of counters, maxima of maxima */
};

/* Which groups: each unit, or all of a role together, in order of first appearance. */
struct sim_grouping {
	bool together;
	const struct emit *only; /* roles of which a figure is wanted there; NULL: all */
};

void sim_each_group(const struct sim_port *units, struct sim_grouping which,
		    void (*fn)(void *state, const struct sim_group *group), void *state);
/* Statistic number `index` of the group, false past the last one. Buckets are added in bucket[]. */
bool sim_group_stat(const struct sim_group *group, size_t index, struct gputm_stat *out,
		    uint64_t bucket[GPUTM_HISTOGRAM_BUCKETS]);
/* Of a histogram, with each sample taken at the middle of its bucket. */
double sim_histogram_mean(const struct gputm_stat *stat);
/* The largest value of the bucket in which that many percent of the samples are reached. */
uint64_t sim_histogram_percentile(const struct gputm_stat *stat, unsigned percent);

/* ---- energy and area ---- */

/* Of an array of all its units: the paper's, and what of that our run and size make. */
struct sim_energy {
	const char *name; /* NULL: of all arrays */
	unsigned node;	  /* nm */
	double energy, active; /* microjoules */
	double area, scaled;   /* mm2 */
};

/* Of a run under a TM system on the machine, in microjoules. */
double sim_energy_leakage(const struct sim_report *report);
double sim_energy_clock(const struct sim_report *report);
/* Those of a node follow one another. @return how many. */
#define SIM_ENERGY_ARRAYS 32
size_t sim_energy_arrays(const struct sim_report *report,
			 struct sim_energy out[SIM_ENERGY_ARRAYS]);
/* The sum of those of a node; false if there are none. */
bool sim_energy_total(const struct sim_energy array[], size_t count, unsigned node,
		      struct sim_energy *out);

/* ---- parts of reports ---- */

struct sim_traffic_count sim_report_traffic(const struct sim_result *result); /* all kinds */
/* 1234567 as 1,234,567; a few results may be alive at once. */
const char *sim_report_grouped(uint64_t value);
void sim_report_text(const struct sim_report *report, const struct sim_port *units);
void sim_report_data(struct emit *e, const struct sim_report *report,
		     const struct sim_port *units);
/* As text, in lines of 80 characters: the point, and units with what they have counted. */
void sim_report_text_point(const struct sim_report *report);
void sim_report_text_units(const struct sim_report *report, const struct sim_port *units);
/* Nothing if the level of the report is too low for it. */
void sim_report_config(struct emit *e, const struct sim_report *report);
void sim_report_units(struct emit *e, const struct sim_report *report,
		      const struct sim_port *units);
/* Words in lines of 80 characters, the next ones from column `indent`. Ends the line. */
void sim_report_wrapped(FILE *out, int column, int indent, const char *text);

#endif /* SIM_REPORT_H */
