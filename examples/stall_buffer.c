/* SPDX-License-Identifier: BSD-2-Clause */
/* Four accesses wait for two granules; each release wakes the oldest of its granule. */
#include <gputm/stall_buffer.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	static const struct gputm_stall_buffer_request request[] = {
		{ 0x40, 30, 1, 7 },
		{ 0x44, 20, 2, 8 },
		{ 0x48, 20, 3, 9 },
		{ 0x80, 25, 4, 7 },
	};
	static const uint64_t released[] = { 0x40, 0x80, 0x40, 0x60, 0x40 };
	struct gputm_stall_buffer_request woken;
	struct gputm_stall_buffer *buffer;

	if (gputm_stall_buffer_new(NULL, NULL, &buffer) < 0)
		return 1;
	for (size_t i = 0; i < 4; i++)
		if (gputm_stall_buffer_push_probe(buffer, request[i].address) < 0 ||
		    gputm_stall_buffer_push(buffer, &request[i]) != GPUTM_STALL_BUFFER_QUEUED)
			return 1;
	for (size_t i = 0; i < 5; i++) {
		printf("0x%" PRIx64 " released: ", released[i]);
		if (gputm_stall_buffer_wake_probe(buffer, released[i], &woken) &&
		    gputm_stall_buffer_wake(buffer, released[i], &woken))
			printf("request %" PRIu64 " of stamp %" PRIu64 " tries again\n", woken.tag,
			       woken.stamp);
		else
			printf("nobody waits\n");
	}
	gputm_stall_buffer_free(buffer);
	return 0;
}
