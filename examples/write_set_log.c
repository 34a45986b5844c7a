/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads commit, early validation looks on, and the round ends with what is left. */
#include <gputm/write_set_log.h>
#include <inttypes.h>
#include <stdio.h>

static void ship(struct gputm_write_set_log *log, enum gputm_write_set_log_stream stream,
		 bool partial)
{
	struct gputm_write_set_log_chunk chunk;

	while (gputm_write_set_log_cut(log, stream, partial, &chunk) == GPUTM_WRITE_SET_LOG_CHUNK) {
		printf("%s: thread %" PRIu32 ", %" PRIu64 " bytes:",
		       stream == GPUTM_WRITE_SET_LOG_STREAM_EARLY ? "early" : "ship ", chunk.thread,
		       chunk.bytes);
		for (uint32_t i = 0; i < chunk.count; i++)
			printf(" [0x%" PRIx64 "] = %" PRIu32 " @%" PRIu64, chunk.entry[i].address,
			       chunk.entry[i].value, chunk.entry[i].stamp);
		printf("\n");
	}
}

int main(void)
{
	struct gputm_write_set_log_config config = GPUTM_WRITE_SET_LOG_CONFIG_INIT;
	struct gputm_write_set_log *log;

	config.threads = 2;
	config.chunk_bytes = 32; /* two entries; the paper has 48 KB */
	if (gputm_write_set_log_new(NULL, &config, &log) < 0)
		return 1;
	if (gputm_write_set_log_append(log, 0, 0x40, 7, 1) < 0 ||
	    gputm_write_set_log_append(log, 0, 0x44, 8, 1) < 0)
		return 1;
	ship(log, GPUTM_WRITE_SET_LOG_STREAM_EARLY, false);
	if (gputm_write_set_log_append(log, 1, 0x40, 9, 2) < 0)
		return 1;
	ship(log, GPUTM_WRITE_SET_LOG_STREAM_SHIP, false);
	printf("%" PRIu64 " entries are left for the end of the round\n",
	       gputm_write_set_log_pending(log, GPUTM_WRITE_SET_LOG_STREAM_SHIP));
	ship(log, GPUTM_WRITE_SET_LOG_STREAM_SHIP, true);
	if (gputm_write_set_log_begin(log) < 0)
		return 1;
	printf("round %" PRIu64 "\n", gputm_write_set_log_round(log));
	gputm_write_set_log_free(log);
	return 0;
}
