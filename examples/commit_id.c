/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two cores commit warps of 16 transactions against a ring of 64 entries in each of two
 * partitions: a core has 32 credits, so its third warp waits for the first to retire. A core that
 * asks before its warp leaves the log counts no stall.
 */
#include <gputm/commit_id.h>
#include <inttypes.h>
#include <stdio.h>

#define LANES 16

static uint64_t commit(struct gputm_commit_id *vendor, uint32_t core)
{
	uint64_t first = 0;
	int answer = gputm_commit_id_acquire_probe(vendor, core, LANES);

	if (answer == GPUTM_COMMIT_ID_OK)
		answer = gputm_commit_id_acquire(vendor, core, LANES, &first);
	if (answer == GPUTM_COMMIT_ID_OK)
		printf("core %" PRIu32 ": commit IDs %" PRIu64 " .. %" PRIu64, core, first,
		       first + LANES - 1);
	else
		printf("core %" PRIu32 ": %s", core,
		       answer == GPUTM_COMMIT_ID_SHORT ? "too few credits" : "refused");
	printf(", %" PRIu32 " credits left\n", gputm_commit_id_available(vendor, core));
	return first;
}

static void retire(struct gputm_commit_id *vendor, uint32_t partition, uint64_t first)
{
	uint32_t returned[2] = { 0, 0 };

	if (gputm_commit_id_report_retired(vendor, partition, first, LANES, returned) < 0)
		return;
	printf("partition %" PRIu32 " retired %" PRIu64 " .. %" PRIu64 ": %" PRIu32
	       " credits for core 0, %" PRIu32 " for core 1\n",
	       partition, first, first + LANES - 1, returned[0], returned[1]);
}

int main(void)
{
	struct gputm_commit_id_config config = GPUTM_COMMIT_ID_CONFIG_INIT;
	struct gputm_commit_id *vendor;
	uint64_t first;

	config.cores = 2;
	config.partitions = 2;
	config.ring = 64;
	config.credits = 32;
	if (gputm_commit_id_new(NULL, &config, &vendor) < 0)
		return 1;
	first = commit(vendor, 0);
	commit(vendor, 1);
	commit(vendor, 0);
	commit(vendor, 0);
	retire(vendor, 1, first);
	commit(vendor, 0);
	retire(vendor, 0, first);
	commit(vendor, 0);
	printf("in flight: %" PRIu32 ", the oldest is %" PRIu64 ", the next %" PRIu64 "\n",
	       gputm_commit_id_in_flight(vendor), gputm_commit_id_oldest(vendor),
	       gputm_commit_id_next_cid(vendor));
	gputm_commit_id_free(vendor);
	return 0;
}
