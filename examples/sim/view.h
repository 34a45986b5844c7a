/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_VIEW_H
#define SIM_VIEW_H
/* What the options want to be seen of a run, in files. */
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
	/* The run has ended, and --why has told of no abort, or the window has not begun. */
	bool unanswered;
};

/* Open the files. 0, or SIM_BAD_INPUT with the reason on stderr. */
int sim_view_open(struct sim_view *view, const struct sim_options *options);
/* For struct sim_run_options; NULL if nothing is to be seen. */
const struct sim_look *sim_view_look(const struct sim_view *view);
/* The machine is made, and has not run. 0, or SIM_BAD_INPUT or SIM_FAILED with the reason. */
int sim_view_attach(struct sim_view *view, const struct sim_setup *setup,
		    struct sim_machine *machine);
/* The run is over, after so many cycles (0: it has failed): write what is left while there is the
 * machine. 0, or SIM_FAILED. */
int sim_view_end(struct sim_view *view, uint64_t cycles);
/* Close the files, which get their names if they are wanted. 0, or SIM_FAILED, also of --why and
 * --window. */
int sim_view_close(struct sim_view *view, bool wanted);

#endif /* SIM_VIEW_H */
