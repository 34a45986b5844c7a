/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H
/* The command line of gputm-sim as text and numbers; what the names mean is looked up later. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_THREADS_MAX (1u << 22)
#define SIM_CONCURRENCY_MAX 64u /* warps of a core; more is as good as no limit */

enum sim_format { SIM_TEXT, SIM_JSON, SIM_JSONL, SIM_CSV, SIM_GEM5 };
enum sim_level { SIM_BY_FORMAT, SIM_SUMMARY, SIM_ROLES, SIM_INSTANCES };
enum sim_progress { SIM_PROGRESS_AUTO, SIM_PROGRESS_ALWAYS, SIM_PROGRESS_NEVER };

struct sim_options {
	const char *program; /* as it was called */
	const char *system, *machine, *workload; /* always set */
	const char *kernel, *divergence, *issues; /* of control flow, or NULL */
	const char *keys, *edges, *trace, *out, *record;	 /* file names or NULL */
	bool workload_given, system_given, machine_given, concurrency_given;
	bool threads_given;
	uint64_t threads;
	uint64_t concurrency; /* 0: no limit */
	uint64_t seed;
	const char **set; /* "PATH.field=value", in order */
	size_t set_count;
	bool check, list, version, help;
	const char *list_name; /* of --list, or NULL */
	int format, progress; /* of the enums above */
	int report;	      /* one of the levels; never SIM_BY_FORMAT */
	const char *only;     /* patterns of figures, or NULL */
};

/* 0, or -1 with a message on stderr. The options point into argv. */
int sim_options_parse(int argc, char **argv, struct sim_options *out);
void sim_options_free(struct sim_options *options);

/* Usage on stdout. */
void sim_options_help(void);

#endif /* SIM_OPTIONS_H */
