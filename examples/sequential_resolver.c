/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same warp under both resolvers of conflicts within a warp: sequential with a Bloom
 * filter, and two-phase with an ownership table. Lane 2 conflicts only with lane 1, which aborts:
 * the sequential one spares it.
 */
#include <gputm/sequential_resolver.h>
#include <inttypes.h>
#include <stdio.h>

static const uint64_t read1[3] = { 0x100, 0x200, 0x304 }, write1[3] = { 0x200, 0x304, 0x400 };
static const struct gputm_resolver_row reads = { 0x7, read1 }, writes = { 0x7, write1 };
static const struct gputm_resolver_logs logs = { &reads, &writes, 1, 1 };

static void show(const char *name, const struct gputm_resolver_outcome *r)
{
	printf("%-10s survivors 0x%" PRIx64 ", aborted 0x%" PRIx64 ", %2" PRIu64 " steps, %" PRIu64
	       " cycles\n",
	       name, r->survived, r->aborted, r->steps,
	       r->initialise_cycles + r->construct_cycles + r->match_cycles);
}

int main(void)
{
	struct gputm_sequential_resolver *sequential;
	struct gputm_ownership_table *table;
	struct gputm_resolver_outcome r;
	uint32_t buffer;

	if (gputm_sequential_resolver_new(NULL, NULL, &sequential) ||
	    gputm_ownership_table_new(NULL, NULL, &table))
		return 1;
	if (gputm_sequential_resolver_acquire_probe(sequential, 0x7) ||
	    gputm_sequential_resolver_acquire(sequential, 0x7, &buffer) ||
	    gputm_sequential_resolver_resolve(sequential, buffer, &logs, &r) ||
	    gputm_sequential_resolver_release(sequential, buffer))
		return 1;
	show("sequential", &r);
	/* The same, lane by lane. */
	if (gputm_sequential_resolver_acquire(sequential, 0x7, &buffer))
		return 1;
	for (uint32_t lane = 0; lane < 3; lane++)
		printf("  lane %" PRIu32 " %s\n", lane,
		       gputm_sequential_resolver_resolve_lane(sequential, buffer, &logs, lane) ==
				       GPUTM_SEQUENTIAL_RESOLVER_SURVIVES
			       ? "survives" : "aborts");
	if (gputm_sequential_resolver_get_result(sequential, buffer, &r) ||
	    gputm_sequential_resolver_release(sequential, buffer))
		return 1;
	show("in steps", &r);
	if (gputm_ownership_table_acquire(table, 0x7, &buffer) ||
	    gputm_ownership_table_resolve(table, buffer, &logs, &r) ||
	    gputm_ownership_table_release(table, buffer))
		return 1;
	show("two-phase", &r);
	gputm_sequential_resolver_free(sequential);
	gputm_ownership_table_free(table);
	return 0;
}
