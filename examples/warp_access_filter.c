/* SPDX-License-Identifier: BSD-2-Clause */
/* Three lanes of a warp touch one word: who comes later, and conflicts, aborts. */
#include <gputm/warp_access_filter.h>
#include <inttypes.h>
#include <stdio.h>

static int touch(struct gputm_warp_access_filter *filter, unsigned lane, bool write)
{
	uint64_t address[32] = { 0 }, lost, would;

	address[lane] = 0x100;
	if (gputm_warp_access_filter_access_probe(filter, 0, write, UINT64_C(1) << lane, address,
						  &would) < 0 ||
	    gputm_warp_access_filter_access(filter, 0, write, UINT64_C(1) << lane, address,
					    &lost) < 0 || lost != would)
		return -1;
	printf("lane %u %s 0x100: %s\n", lane, write ? "stores to" : "loads",
	       lost ? "aborts" : "ok");
	return 0;
}

int main(void)
{
	struct gputm_warp_access_filter *filter;
	int error;

	if (gputm_warp_access_filter_new(NULL, NULL, &filter) < 0)
		return 1;
	error = gputm_warp_access_filter_begin(filter, 0, 7) || touch(filter, 0, false) ||
		touch(filter, 1, false) || touch(filter, 1, true) || touch(filter, 0, true) ||
		touch(filter, 2, false);
	printf("still running: lanes 0x%" PRIx64 "\n", gputm_warp_access_filter_running(filter, 0));
	gputm_warp_access_filter_free(filter);
	return error;
}
