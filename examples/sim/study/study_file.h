/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STUDY_FILE_H
#define SIM_STUDY_FILE_H
/*
 * A file of options and settings: one of each is a config, several values of one span a study. A
 * line is "NAME VALUE..." or "set PATH.FIELD VALUE...", where 3..7 are five values; "zip" before
 * it: its values go with those of the line before, one with one, and do not multiply; "check";
 * "tell FIGURE..."; or a comment behind #.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_AXES 64
#define SIM_POINTS 10000000

struct sim_axis {
	char *name; /* of an option, or PATH.FIELD */
	char **value;
	size_t values;
	unsigned line;
	bool zipped; /* its values go with those of the axis before */
};

struct sim_study_file {
	const char *name; /* of the file */
	char *text;
	struct sim_axis axis[SIM_AXES];
	size_t axes;
	char *tell; /* figures with commas between, or NULL */
	unsigned tell_line;
	bool check;
};

/* 0, or -1 with the reason (file:line, what was got and expected) on stderr. Free it in both
 * cases. */
int sim_study_read(const char *name, struct sim_study_file *out);
/* The same of a file with one value in each line, or of a report as JSON, which names its point. */
int sim_config_read(const char *name, struct sim_study_file *out);
void sim_study_free(struct sim_study_file *study);

#endif
