/* SPDX-License-Identifier: BSD-2-Clause */
/* A warp commits two words of one block and cleans up a third: one write, two releases. */
#include <gputm/commit_buffer.h>
#include <inttypes.h>
#include <stdio.h>

static void show_releases(struct gputm_commit_buffer *buffer)
{
	struct gputm_commit_buffer_release r;

	while (gputm_commit_buffer_peek(buffer, &r) && gputm_commit_buffer_pop(buffer))
		printf("release 0x%" PRIx64 " of warp %u: %u writes, %s\n", r.address, r.warp,
		       r.count, r.committed ? "committed" : "cleaned up");
}

int main(void)
{
	static const struct gputm_commit_buffer_entry entry[] = {
		{ 0x40, 1, 3, 70, 1, false },
		{ 0x44, 1, 3, 80, 2, false },
		{ 0x60, 1, 3, 0, 1, true },
	};
	struct gputm_commit_buffer *buffer;
	struct gputm_mem_request write;

	if (gputm_commit_buffer_new(NULL, NULL, &buffer) < 0)
		return 1;
	for (size_t i = 0; i < 3; i++) {
		if (gputm_commit_buffer_push_probe(buffer, &entry[i]) == GPUTM_COMMIT_BUFFER_FULL)
			gputm_commit_buffer_tick(buffer); /* makes room */
		if (gputm_commit_buffer_push(buffer, &entry[i]) < 0)
			return 1;
	}
	for (unsigned cycle = 1; cycle <= 2; cycle++) {
		gputm_commit_buffer_tick(buffer);
		if (gputm_commit_buffer_mem_peek(buffer, &write) &&
		    gputm_commit_buffer_mem_pop(buffer))
			printf("cycle %u: write 0x%" PRIx64 ", words 0x%" PRIx32 "\n", cycle,
			       write.address, write.word_mask);
	}
	show_releases(buffer);
	if (gputm_commit_buffer_mem_complete(buffer, write.tag) < 0)
		return 1;
	printf("written\n");
	show_releases(buffer);
	gputm_commit_buffer_free(buffer);
	return 0;
}
