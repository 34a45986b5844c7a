/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H
/*
 * Files that a run writes, and signals that end a run early. A file is first written under another
 * name in the same folder, and is renamed when it is complete. A target that is not a regular file
 * is written in place.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit status of gputm-sim. */
enum sim_status { SIM_DONE = 0, SIM_FAILED = 1, SIM_BAD_INPUT = 2, SIM_ENDED = 3 };

/* Print a sentence on stderr. @return status. */
int sim_complain(int status, const char *message);

struct sim_output {
	const char *option; /* "out" */
	const char *name;   /* as given; NULL: standard output */
	FILE *file;	    /* NULL: not open */
	char *target, *aside; /* NULL: the file is written in place */
};

/* Call this before any file is opened. Opened files then never get the descriptors of closed
 * standard streams, and a closed pipe or the file size limit makes a write fail instead of ending
 * the process. */
void sim_outputs_init(void);
struct sim_file {
	const char *option, *name; /* NULL: not given */
};
/* True if all these output files differ from one another; else false, with the reason on stderr.
 * The array must stay valid: input files are compared with it later. */
bool sim_outputs_apart(const struct sim_file file[], size_t count);
/* True if this input file is none of the output files; `how` is "the file of" or "read by". */
bool sim_input_apart(const char *how, const char *option, const char *name);
/* True if this further output file is none of the files read so far. */
bool sim_output_apart(const char *option, const char *name);
/* Input file number `index` and its option; false past the last file. */
bool sim_input_at(size_t index, struct sim_file *out);

/* SIM_DONE, or with the reason on stderr SIM_BAD_INPUT, or SIM_FAILED where there is no room. */
int sim_output_open(struct sim_output *out, const char *option, const char *name);
/*
 * Complete the file: if it is wanted and all of it could be written, rename it to its final name;
 * else remove it. 0, or -1 with the reason on stderr. Does nothing for a file that is not open.
 */
int sim_output_close(struct sim_output *out, bool wanted);
/* The first half of that: all of the file is on the disk, under its other name. After a failure
 * only sim_output_close(out, false) is left to do. 0, or -1 with the reason on stderr. */
int sim_output_finish(struct sim_output *out);

/* Number of the signal that asked the run to end, or 0. */
extern volatile sig_atomic_t sim_stop;
/* From now on the first SIGINT or SIGTERM sets sim_stop, and the second one kills the process. */
void sim_stop_on_signals(void);
/* "signal SIGINT", or "done" if no signal came. */
const char *sim_ended_by(int number);

#endif /* SIM_OUTPUT_H */
