/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHECKPOINT_H
#define SIM_CHECKPOINT_H
/*
 * --save-at and --restore: the state of a run in a file. The file begins with lines that say which
 * run of which version it is of, and at which cycle; behind an empty line are the bytes of
 * sim_machine_restore(), as this machine has them.
 */
#include "base/output.h"
#include "machine/machine.h"
#include "report/report.h"

struct sim_checkpoint {
	struct sim_saver saver;
	const struct sim_report *report;
	struct sim_output out;
	bool saved, failed;
};

/* Open the file of --save-at, if there is one. 0, or SIM_BAD_INPUT with the reason on stderr. */
int sim_checkpoint_open(struct sim_checkpoint *checkpoint, const struct sim_report *report);
/* For struct sim_run_options; NULL if nothing is to be saved. */
const struct sim_saver *sim_checkpoint_saver(const struct sim_checkpoint *checkpoint);
/* The machine is made, and has not run: bring it to the state in the file of --restore, if there is
 * one. 0, SIM_BAD_INPUT or SIM_FAILED with the reason. */
int sim_checkpoint_restore(const struct sim_report *report);
/* The run is over, with this status: the same, or SIM_FAILED if it should have been saved. */
int sim_checkpoint_close(struct sim_checkpoint *checkpoint, int status);

#endif /* SIM_CHECKPOINT_H */
