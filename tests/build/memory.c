/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the units of a GPU, in kB: 15 cores of 48 warps, 6 partitions, and one of what the
 * whole GPU has. Twice: as the units ask for it, and as the kernel maps it, which leaves out what
 * no unit has touched. HeTM's bitmap, a bit for each granule of the region, is left out.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gputm/gputm.h"

enum { CORES = 15, WARPS = CORES * 48, PARTITIONS = 6 };

static size_t asked;

static void *count_bytes(size_t size, void *state)
{
	(void)state;
	asked += size;
	return malloc(size);
}

static void release(void *memory, void *state)
{
	(void)state;
	free(memory);
}

static unsigned long resident_kb(void)
{
	unsigned long all = 0, resident = 0;
	FILE *in = fopen("/proc/self/statm", "r");

	if (!in || fscanf(in, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	if (in)
		fclose(in);
	return resident * (unsigned long)(sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned count_of(const char *kind)
{
	static const char *const of_partition[] = {
		"commit_unit",   "last_writer",    "recency_bloom", "last_written",
		"commit_buffer", "metadata_table", "stall_buffer",  "row_copier",
		"signature",     "validation_unit",
	};
	static const char *const of_gpu[] = {
		"commit_id",    "reader_list",      "timestamp_table", "version_table",
		"writer_table", "device_validator", "dispatch_queues", "sync_round",
	};

	if (!strcmp(kind, "simt_stack") || !strcmp(kind, "tx_log"))
		return WARPS;
	for (size_t i = 0; i < sizeof(of_partition) / sizeof(*of_partition); i++)
		if (!strcmp(kind, of_partition[i]))
			return PARTITIONS;
	for (size_t i = 0; i < sizeof(of_gpu) / sizeof(*of_gpu); i++)
		if (!strcmp(kind, of_gpu[i]))
			return 1;
	return strcmp(kind, "access_bitmap") ? CORES : 0;
}

#define UNIT(NAME)                                                                             \
	static struct gputm_unit *new_##NAME(struct gputm_ctx *ctx)                            \
	{                                                                                      \
		struct gputm_##NAME *unit = NULL;                                              \
                                                                                               \
		return gputm_##NAME##_new(ctx, NULL, &unit) ? NULL : gputm_##NAME##_unit(unit); \
	}
#include "tests/units.h"
#undef UNIT

static const struct {
	const char *kind;
	struct gputm_unit *(*make)(struct gputm_ctx *ctx);
} units[] = {
#define UNIT(NAME) { #NAME, new_##NAME },
#include "tests/units.h"
};

int main(void)
{
	const struct gputm_allocator counting = { .alloc = count_bytes, .free = release };
	unsigned long mapped = 0;
	size_t all = 0;

	printf("unit\tcount\tmodelled\tasked\tresident\n");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		unsigned count = count_of(units[i].kind);
		const struct gputm_unit *unit;
		struct gputm_ctx *ctx = NULL;
		unsigned long resident;

		/* Asked: of one with an allocator that counts. Mapped: by the library's. */
		if (gputm_ctx_new(&counting, &ctx))
			return EXIT_FAILURE;
		asked = 0;
		unit = units[i].make(ctx);
		resident = resident_kb();
		for (unsigned n = count; n--;)
			if (!units[i].make(NULL))
				return EXIT_FAILURE;
		resident = resident_kb() - resident;
		printf("%s\t%u\t%llu\t%zu\t%lu\n", units[i].kind, count,
		       (unsigned long long)gputm_unit_storage_bits(unit) * count / 8192,
		       asked * count / 1024, resident);
		all += asked * count;
		mapped += resident;
	}
	printf("all\t\t\t%zu\t%lu\n", all / 1024, mapped);
	return EXIT_SUCCESS;
}
