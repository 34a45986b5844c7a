/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without libFuzzer: every file named, or every file of a directory
 * named, and with -random=N some N byte strings from a fixed seed besides, or from another one
 * where -seed=SEED stands before, so that the targets are tests of their own under any compiler.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_INPUT (1 << 20)

#include "tests/fuzz/fuzz.h"

static unsigned long inputs;

/* The exact number of bytes in memory of their own, so that a read past the end is seen. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(1);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	inputs++;
}

static int feed_file(const char *path)
{
	static uint8_t buffer[MAX_INPUT];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(buffer, 1, sizeof(buffer), file);
	fclose(file);
	feed(buffer, size);
	return 0;
}

static int feed_path(const char *path)
{
	struct dirent *entry;
	struct stat status;
	char name[4096];
	int failed = 0;
	DIR *dir;

	if (stat(path, &status)) {
		perror(path);
		return 1;
	}
	if (!S_ISDIR(status.st_mode))
		return feed_file(path);
	dir = opendir(path);
	if (!dir)
		return 1;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		failed |= feed_file(name);
	}
	closedir(dir);
	return failed;
}

static void feed_random(unsigned long count, uint64_t seed)
{
	static uint8_t buffer[4096];
	uint64_t x = 88172645463325252u ^ seed * UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned long i = 0; i < count; i++) {
		size_t size;

		for (size_t j = 0; j < sizeof(buffer); j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			buffer[j] = (uint8_t)(x >> 32);
		}
		size = (size_t)(x % (i % 4 ? 256 : sizeof(buffer)));
		feed(buffer, size);
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = 0;
	int failed = 0;

	feed((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-seed=", 6))
			seed = strtoull(argv[i] + 6, NULL, 10);
		else if (!strncmp(argv[i], "-random=", 8))
			feed_random(strtoul(argv[i] + 8, NULL, 10), seed);
		else
			failed |= feed_path(argv[i]);
	}
	printf("%s: %lu inputs\n", argv[0], inputs);
	return failed;
}
