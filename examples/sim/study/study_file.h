/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STUDY_FILE_H
#define SIM_STUDY_FILE_H
/*
 * A file of options and settings: one of each is a config, several values of one span a study. A
 * line is "NAME VALUE..." or "set PATH.FIELD VALUE...", where 3..7 are five values; "zip" before
 * it: its values go with those of the line before, one with one, and do not multiply; the value
 * "-": as though the line were not there; "call NAME TEXT...": names for the values zipped to it;
 * "check"; "tell FIGURE..."; "include FILE"; "quick" before any of them: for --quick only, instead
 * of the line before; or a comment after #. Files that a study names lie in its folder.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIM_AXES 64
#define SIM_POINTS 10000000
#define SIM_TEXTS 16
#define SIM_NOT_SET "-"

struct sim_axis {
	char *name; /* name of an option, or PATH.FIELD */
	char **value; /* as the file has them */
	char **path;  /* value as a path from here, where it is a file; else NULL */
	size_t values, room;
	const char *file;
	unsigned line;
	bool zipped; /* its values go one to one with those of the axis before */
	bool quick;  /* of a line for --quick */
	bool names;  /* only names the values that are zipped to it, or may do so, in a report */
};

struct sim_study_file {
	const char *name; /* of the file that is read */
	bool quick;	  /* accept lines with "quick"; set this before reading the file */
	char *text[SIM_TEXTS], *path[SIM_TEXTS]; /* of it and those it includes */
	size_t texts;
	struct sim_axis axis[SIM_AXES];
	size_t axes;
	char *tell; /* figures, comma-separated, or NULL */
	unsigned tell_line;
	bool check, conflicts;
};

/* Read a study. 0, or -1 with the reason on stderr (file:line, what was read and what was
 * expected). Free it in both cases. */
int sim_study_read(const char *name, bool quick, struct sim_study_file *out);
/* Both forms of it. The file, which may be standard input, is read once. Free both in all cases. */
int sim_study_read_forms(const char *name, struct sim_study_file *full,
			 struct sim_study_file *quick);
/* The same for a file with one value on each line, or for a report as JSON, which contains its
 * point. */
int sim_config_read(const char *name, struct sim_study_file *out);
void sim_study_free(struct sim_study_file *study);

#endif
