/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHECKPOINT_H
#define SIM_CHECKPOINT_H
/*
 * --save-at and --restore: the state of a run in a file. The file begins with lines of text: the
 * version of gputm-sim, the run and the cycle. After an empty line follow the bytes for
 * sim_run_restore(), in this host's representation.
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
/* Load the state in the file of --restore, if that is given, into the machine, which has been made
 * and has not run. 0, SIM_BAD_INPUT or SIM_FAILED with the reason. */
int sim_checkpoint_restore(const struct sim_report *report);
/* Call this after the run. @return status; SIM_FAILED if a state was to be saved and was not. */
int sim_checkpoint_close(struct sim_checkpoint *checkpoint, int status);

#endif /* SIM_CHECKPOINT_H */
