/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporal conflict detection: three read-only lanes of a warp and one that writes. Lane 1
 * loads a block that was written after its first load, lane 2 one that is about to be.
 */
#include <gputm/first_read.h>
#include <gputm/last_written.h>
#include <inttypes.h>
#include <stdio.h>

static int load(struct gputm_first_read *first, struct gputm_last_written *last, uint32_t lane,
		uint64_t address, uint64_t now, bool pending)
{
	uint64_t time, since = 0;
	int result;

	if (gputm_first_read_issue(first, 0, UINT64_C(1) << lane, now) ||
	    gputm_last_written_query(last, address, &time))
		return -1;
	result = gputm_first_read_reply_probe(first, 0, UINT64_C(1) << lane, time, pending);
	if (gputm_first_read_get_time(first, 0, lane, &since) != 1 ||
	    gputm_first_read_reply(first, 0, UINT64_C(1) << lane, time, pending) != result)
		return -1;
	printf("%3" PRIu64 ": lane %" PRIu32 ", which reads since %" PRIu64 ", loads 0x%" PRIx64
	       ", last written at %" PRIu64 "%s: %s\n",
	       now, lane, since, address, time, pending ? ", a write is pending" : "",
	       result == GPUTM_FIRST_READ_CLEAN ? "clean" : "conflict");
	return result < 0;
}

int main(void)
{
	struct gputm_first_read_verdict verdict;
	struct gputm_last_written *last;
	struct gputm_first_read *first;
	int error = 0;

	if (gputm_first_read_new(NULL, NULL, &first) || gputm_last_written_new(NULL, NULL, &last) ||
	    gputm_first_read_begin(first, 0, 0xf))
		return 1;
	error |= gputm_last_written_record(last, 0x1000, 5);
	for (uint32_t lane = 0; lane < 4; lane++)
		error |= load(first, last, lane, 0x1000, 10, false);
	error |= gputm_last_written_record(last, 0x2000, 15);
	error |= load(first, last, 0, 0x3000, 20, false);
	error |= load(first, last, 1, 0x2000, 20, false);
	error |= load(first, last, 2, 0x4000, 20, true);
	printf("lanes with a conflict: 0x%" PRIx64 "; forget what was written before %" PRIu64 "\n",
	       gputm_first_read_conflicts(first, 0), gputm_first_read_oldest(first));
	gputm_last_written_expire(last, gputm_first_read_oldest(first), NULL);
	if (gputm_first_read_finish_probe(first, 0, 0xf, 0x8, &verdict) == 0)
		error |= gputm_first_read_finish(first, 0, 0xf, 0x8, &verdict);
	printf("silent 0x%" PRIx64 ", second chance 0x%" PRIx64 ", read-write 0x%" PRIx64 "\n",
	       verdict.silent, verdict.second_chance, verdict.read_write);
	gputm_first_read_free(first);
	gputm_last_written_free(last);
	return error != 0;
}
