/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H
/* What is told of a finished run. */
#include <stdio.h>

#include "../check.h"
#include "../machine/machine.h"
#include "../options.h"
#include "../setup.h"

struct sim_report {
	const struct sim_options *options;
	const struct sim_setup *setup;
	const struct sim_workload *workload;
	const struct sim_machine *machine;
	struct sim_result result;
	const struct sim_verdict *verdict; /* NULL without --check */
	double wall_seconds;
	FILE *out;
};

/* To report->out, in the format of the options. 0 or -EIO, -ENOMEM. */
int sim_report_write(const struct sim_report *report);

int sim_report_text(const struct sim_report *report);
int sim_report_data(const struct sim_report *report); /* JSON and CSV */

#endif /* SIM_REPORT_H */
