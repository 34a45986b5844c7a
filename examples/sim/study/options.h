/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H
/* The command line of gputm-sim as text and numbers; what the names mean is looked up later. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "study_file.h"

#define SIM_THREADS_MAX (1u << 22)
#define SIM_CONCURRENCY_MAX 64u /* warps of a core; a limit this high is no limit */

enum sim_format { SIM_TEXT, SIM_JSON, SIM_JSONL, SIM_CSV, SIM_GEM5 };
enum sim_level { SIM_BY_FORMAT, SIM_SUMMARY, SIM_ROLES, SIM_INSTANCES };
enum sim_vertices { SIM_KEPT, SIM_RENUMBERED };
enum sim_progress { SIM_PROGRESS_AUTO, SIM_PROGRESS_ALWAYS, SIM_PROGRESS_NEVER };

struct sim_kept_units;

#define SIM_FILES 5 /* options that may name a file: workload, kernel, keys, edges, trace */

/* What the point names besides options and settings. The value is SIM_NOT_SET for an axis without
 * effect in the run, NULL for an axis that the point does not set, and a name of a "call". */
struct sim_beside {
	const char *name, *value;
};

/* Additional data of a run that is a point of a study. */
struct sim_of_study {
	char hash[20];	  /* of the study */
	const char *told; /* what its results are asked for: level, then figures in order */
	const char *model, *version; /* what has made the result, if that was another program */
	uint64_t run, of; /* number of the point, from 1, and number of all points */
	FILE *out;	  /* for the report */
	struct sim_beside beside[SIM_AXES];
	size_t besides;
	struct sim_beside spelt[SIM_FILES]; /* options that name files, as the study spells them */
	size_t spelts;
	struct sim_kept_units *kept; /* between the runs of a process, or NULL */
	bool trial;	  /* make the machine and look up figures, but do not run */
	bool only_hash;	  /* make the workload and put the hash of the point into point_hash */
	uint64_t point_hash;
	uint64_t matched; /* patterns of --only that match a figure */
};

#define SIM_CYCLES_MAX (UINT64_C(1) << 48) /* of --window; a run of so many takes years */

struct sim_options {
	const char *program; /* name by which the program was called */
	const char *system, *machine, *workload; /* always set */
	const char *kernel, *divergence, *issues; /* of control flow, or NULL */
	const char *keys, *edges, *trace, *out, *record, *history;	 /* file names or NULL */
	const char *trace_events;	  /* file name or NULL */
	bool series_given, save_given;
	const char *series;		  /* file name or NULL */
	uint64_t series_cycles;
	const char *save, *restore; /* file names or NULL */
	uint64_t save_cycle;
	const char *vcd;		  /* file name or NULL */
	const char *aborts;		  /* file name or NULL */
	const char *why;		  /* or NULL */
	uint64_t why_thread, why_number;
	const char *window, *trace_only; /* "A:B" and roles, or NULL */
	uint64_t from, to;		  /* cycles of the window */
	bool workload_given, system_given, machine_given, concurrency_given;
	bool threads_given;
	bool given_run; /* an option that says what is run */
	uint64_t threads;
	uint64_t concurrency; /* 0: no limit */
	uint64_t seed;
	const char **set; /* "PATH.field=value", in order; each has its own memory */
	size_t set_count, set_room;
	bool check, conflicts, list, version, help;
	const char *list_name; /* of --list, or NULL */
	int format, progress, vertices; /* of the enums above */
	int report;	      /* one of the levels; never SIM_BY_FORMAT */
	const char *only;     /* patterns of figures, or NULL */
	const char *cacti;    /* folder, or NULL */
	const char *config;   /* file name or NULL */
	struct sim_study_file given; /* what stood in it */
	/* many runs */
	const char *study, *resume; /* file names or NULL */
	bool quick, axes, any_model;
	const char *shard;	    /* "i/n" or NULL */
	uint64_t part, parts;	    /* of it; 1 of 1 without */
	uint64_t jobs;		    /* 0: as many as there are cores */
	bool merge, compare;
	double tolerance;
	const char *tolerance_text; /* as it was given, or NULL */
	char **words; /* of the command line */
	char *const *files; /* of --merge or --compare, in words */
	size_t file_count;
	struct sim_of_study *of; /* NULL: the run is of no study */
};

/* Parse the command line. 0, or -1 with a message on stderr. The options point into argv. */
int sim_options_parse(int argc, char **argv, struct sim_options *out);

/* The options of a run without any arguments. 0, or -1 (out of memory). */
int sim_options_init(struct sim_options *out, const char *program);
/* Apply one option, or "PATH.FIELD", that decides what is run. Messages give file:line ("" for
 * none). 0 or -1 with the reason on stderr. The values must stay valid. */
int sim_options_add(struct sim_options *options, const char *name, const char *value,
		    const char *file, unsigned line);
/* Refuse options that contradict one another. 0 or -1 with the reason on stderr. */
int sim_options_relate(const struct sim_options *options);
void sim_options_free(struct sim_options *options);
/* "roles" and so on, of an enum sim_level. */
const char *sim_level_name(int level);
/* Is this the name of an option that decides what is run? */
bool sim_option_runs(const char *name);

/* Print the usage on stdout. */
void sim_options_help(void);

#endif /* SIM_OPTIONS_H */
