/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "kernels.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/arena.h"
#include "../base/quote.h"

#define SUFFIX ".kernel"
#define PATH_LENGTH 1024

static bool exists(const char *path)
{
	FILE *in = fopen(path, "r");

	if (in)
		fclose(in);
	return in != NULL;
}

static bool is_directory(const char *path)
{
	DIR *directory = opendir(path);

	if (directory)
		closedir(directory);
	return directory != NULL;
}

static char folder[PATH_LENGTH]; /* of the program, if that is known */

void sim_kernels_beside(const char *program)
{
	char own[PATH_LENGTH] = "";
	const char *slash;

	if (readlink("/proc/self/exe", own, sizeof own - 1) > 0) /* found by PATH or by a link */
		program = own;
	slash = strrchr(program, '/');
	if (slash)
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - program), program);
}

static void find_directory(char path[PATH_LENGTH])
{
	static const char *const from[] = { "kernels", "../share/libgputm/kernels" };
	const char *given = getenv("GPUTM_KERNELS");

	for (size_t i = 0; !given && *folder && i < sizeof from / sizeof *from; i++) {
		snprintf(path, PATH_LENGTH, "%.*s/%s", PATH_LENGTH / 2, folder, from[i]);
		if (is_directory(path))
			return;
	}
	snprintf(path, PATH_LENGTH, "%s", given ? given : GPUTM_KERNELS);
}

/* ---- names of files ---- */

static int is_kernel(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = sizeof(SUFFIX) - 1;

	return length > suffix && !strcmp(entry->d_name + length - suffix, SUFFIX);
}

/* Does the file have the line "variant NAME ..."? */
static bool has_variant(const char *path, const char *name)
{
	FILE *in = fopen(path, "r");
	char line[256], word[64];
	bool found = false;

	while (in && !found && fgets(line, sizeof line, in))
		found = *line == 'v' && sscanf(line, "variant %63s", word) == 1 &&
			!strcmp(word, name);
	if (in)
		fclose(in);
	return found;
}

/* Call fn for each kernel file until it returns true. */
static bool each_file(const char *directory, bool (*fn)(void *state, const char *path),
		      void *state)
{
	struct dirent **entry = NULL;
	int count = scandir(directory, &entry, is_kernel, alphasort);
	char path[2 * PATH_LENGTH];
	bool found = false;

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
		found = found || fn(state, path);
		free(entry[i]);
	}
	free(entry);
	return found;
}

/* ---- one by name ---- */

struct wanted {
	const char *name;
	char path[2 * PATH_LENGTH];
};

static bool look(void *state, const char *path)
{
	struct wanted *w = state;

	if (!has_variant(path, w->name))
		return false;
	snprintf(w->path, sizeof w->path, "%s", path);
	return true;
}

static bool any(void *state, const char *path)
{
	(void)state;
	(void)path;
	return true;
}

int sim_kernel_file(const char *file, struct sim_workload_class **out, char *message, size_t size)
{
	const char *colon = strstr(file, SUFFIX ":"), *dot = strrchr(file, '.');
	size_t length = colon ? (size_t)(colon - file) + sizeof(SUFFIX) - 1 : 0;
	char path[PATH_LENGTH];

	if (dot && !strcmp(dot, ".study")) {
		snprintf(message, size, "%s: got a study, expected a kernel (--study FILE runs it)",
			 sim_quoted(file));
		return -EINVAL;
	}
	if (!colon || exists(file) || length >= sizeof path)
		return sim_kernel_class(file, NULL, out, message, size);
	snprintf(path, sizeof path, "%.*s", (int)length, file);
	return sim_kernel_class(path, file + length + 1, out, message, size);
}

int sim_kernel_named(const char *name, struct sim_workload_class **out, char *message,
		     size_t size)
{
	struct wanted wanted = { .name = name };
	char directory[PATH_LENGTH];

	if (!is_directory(name) && (strchr(name, '/') || strstr(name, SUFFIX)))
		return sim_kernel_file(name, out, message, size);
	find_directory(directory);
	snprintf(wanted.path, sizeof wanted.path, "%s/%s" SUFFIX, directory, name);
	if (exists(wanted.path))
		return sim_kernel_class(wanted.path, NULL, out, message, size);
	if (each_file(directory, look, &wanted))
		return sim_kernel_class(wanted.path, name, out, message, size);
	if (is_directory(name))
		snprintf(message, size, "--workload: got \"%s\", which is a directory, expected a "
			 "name that --list tells, or --kernel FILE", sim_quoted(name));
	else if (!each_file(directory, any, NULL))
		snprintf(message, size, "--workload: there are no kernels in \"%s\", expected "
			 "their folder in the environment variable GPUTM_KERNELS",
			 sim_quoted(directory));
	else
		return 1;
	return -EINVAL;
}

/* ---- all ---- */

static struct sim_workload_class **all; /* NULL-ended; made by the first search */
static size_t all_count, all_room;

static bool append(struct sim_workload_class *class)
{
	if (!SIM_ROOM(all, all_room, all_count + 2))
		return false;
	all[all_count++] = class;
	return true;
}

/* Can it be read, and has it transactions or critical sections? */
static bool runs(const struct sim_workload_class *class)
{
	char message[256];
	struct kernel k;
	bool does;

	if (sim_kernel_class_read(class, &k, message, sizeof message))
		return false;
	does = k.launches || k.code[KERNEL_TRANSACTIONS].transactions ||
	       k.code[KERNEL_LOCKS].critical;
	kernel_free(&k);
	return does;
}

/* Add the kernel of the file and its variants; skip a file that cannot be read. */
static bool add(void *state, const char *path)
{
	struct sim_workload_class *class, *variant;
	const char *name;
	char message[256];

	(void)state;
	if (sim_kernel_class(path, NULL, &class, message, sizeof message))
		return false;
	if (!runs(class) || !append(class)) {
		sim_kernel_class_free(class);
		return false;
	}
	for (size_t i = 0; (name = sim_kernel_class_variant(class, i)); i++)
		if (!sim_kernel_class(path, name, &variant, message, sizeof message) &&
		    !append(variant))
			sim_kernel_class_free(variant);
	return false;
}

const struct sim_workload_class *sim_kernel_at(size_t index)
{
	char directory[PATH_LENGTH];

	if (!all) {
		find_directory(directory);
		each_file(directory, add, NULL);
	}
	return index < all_count ? all[index] : NULL;
}
