/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_VIEW_H
#define SIM_VIEW_H
/* The files that show what happens in a run, as the options ask for them. */
#include "base/output.h"
#include "machine/machine.h"
#include "seeing/seeing.h"
#include "study/options.h"
#include "study/setup.h"

struct sim_view {
	const struct sim_options *options;
	struct seeing see;
	struct sim_output trace, series, waves, aborts, answer;
	struct seen_sink *tracer, *counter, *dumper, *lister, *teller;
	bool wanted;
	/* After the run: --why found no such abort, or the run ended before the window began. */
	bool unanswered;
};

/* Open the files. 0, or SIM_BAD_INPUT with the reason on stderr. */
int sim_view_open(struct sim_view *view, const struct sim_options *options);
/* For struct sim_run_options; NULL if the options ask for none of these files. */
const struct sim_look *sim_view_look(const struct sim_view *view);
/* Attach to the run, which has been made and has not begun. 0, or SIM_BAD_INPUT or SIM_FAILED
 * with the reason. */
int sim_view_attach(struct sim_view *view, const struct sim_setup *setup, struct sim_run *run);
/* Call this after the run, while it exists: writes what is still open. `cycles` is the
 * length of the run, 0 if it failed. 0, or SIM_FAILED. */
int sim_view_end(struct sim_view *view, uint64_t cycles);
/* Close the files, keeping them if wanted. 0, or SIM_FAILED, also if --why or --window found
 * nothing. */
int sim_view_close(struct sim_view *view, bool wanted);

#endif /* SIM_VIEW_H */
