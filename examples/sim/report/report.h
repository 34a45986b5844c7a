/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H
/* What is told of a finished run. */
#include <stdio.h>

#include "../check/check.h"
#include "../machine/alone.h"
#include "../machine/machine.h"
#include "../options.h"
#include "../base/output.h"
#include "../study/setup.h"

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
	struct sim_output out, issues, record;
};

/* To report->out, in the format of the options; its errors are found when it is closed. 0 or
 * -ENOMEM. */
int sim_report_write(const struct sim_report *report);

/* The same of a gpu. */
int flow_report_write(const struct sim_report *report);

int sim_report_text(const struct sim_report *report);
int sim_report_data(const struct sim_report *report); /* JSON and CSV */

/* ---- parts, for the reports of kernels as well ---- */

struct emit;

/* Gives unit number index of something; false past the last one. */
typedef bool sim_report_unit_at(const void *of, size_t index, struct sim_unit_info *out);

/* 1234567 as 1,234,567; a few results may be alive at once. */
const char *sim_report_grouped(uint64_t value);
/* All instances of a role together, as text. */
void sim_report_units(sim_report_unit_at *at, const void *of, FILE *out);
void sim_report_part(struct emit *e, const char *path, const struct gputm_params *params,
		     const void *config);
void sim_report_unit(struct emit *e, const struct sim_unit_info *info);

#endif /* SIM_REPORT_H */
