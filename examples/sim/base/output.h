/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H
/*
 * Files that a run writes, and signals that end it early. A file is written aside, in the same
 * folder, and gets its name when it is whole; what is not a regular file is written in place.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit status of gputm-sim. */
enum sim_status { SIM_DONE = 0, SIM_FAILED = 1, SIM_BAD_INPUT = 2, SIM_ENDED = 3 };

/* Say a sentence on stderr; the status again. */
int sim_complain(int status, const char *message);

struct sim_output {
	const char *option; /* "out" */
	const char *name;   /* as it was given; NULL: standard output */
	FILE *file;	    /* NULL: not open */
	char *target, *aside; /* NULL: in place */
};

/* Before anything is opened: closed standard streams are no files of ours, and a closed pipe or a
 * file that may not grow is an error of a write. */
void sim_outputs_init(void);
struct sim_file {
	const char *option, *name; /* NULL: not given */
};
/* Is none of these files that are written another one too? Else false, with the reason. They live
 * on: inputs are compared with them. */
bool sim_outputs_apart(const struct sim_file file[], size_t count);
/* Is a file that is read, "the file of" an option or "read by" its file, none of those? */
bool sim_input_apart(const char *how, const char *option, const char *name);
/* Is a file that is written beside those none that has been read? The same. */
bool sim_output_apart(const char *option, const char *name);
/* A file that has been read, and for which option; false: there are no more. */
bool sim_input_at(size_t index, struct sim_file *out);

/* 0 or -1 with the reason on stderr. */
int sim_output_open(struct sim_output *out, const char *option, const char *name);
/*
 * Give the file its name if it is wanted and all of it could be written, else leave nothing
 * of it. 0, or -1 with the reason on stderr. One that is not open is left alone.
 */
int sim_output_close(struct sim_output *out, bool wanted);

/* Number of the signal that asked the run to end, or 0. */
extern volatile sig_atomic_t sim_stop;
/* From now on the first SIGINT or SIGTERM sets sim_stop; the next one kills, as any did before. */
void sim_stop_on_signals(void);
/* "signal SIGINT" or, if there was none, "done". */
const char *sim_ended_by(int number);

#endif /* SIM_OUTPUT_H */
