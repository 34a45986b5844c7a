/* SPDX-License-Identifier: BSD-2-Clause */
/* Four lanes move money between accounts, log what they do, and the log is sent off. */
#include <inttypes.h>
#include <stdio.h>

#include <gputm/tx_log.h>

static void show(const struct gputm_tx_log *log, enum gputm_tx_log_kind kind, const char *name)
{
	uint64_t lanes[4], set;

	for (uint32_t row = 0; row < gputm_tx_log_rows(log, kind); row++) {
		if (gputm_tx_log_get_group(log, kind, row, 0xf, lanes, &set))
			return;
		for (uint32_t p = 0; p < 4; p++) {
			uint32_t entries = 0;

			if (!(set >> p & 1))
				continue;
			for (uint64_t m = lanes[p]; m; m &= m - 1)
				entries++;
			printf("%s row %" PRIu32 " -> partition %" PRIu32 ": lanes %#" PRIx64
			       ", %" PRIu64 " flits\n",
			       name, row, p, lanes[p], gputm_tx_log_packet_flits(log, entries));
		}
	}
}

int main(void)
{
	struct gputm_tx_log_config config = GPUTM_TX_LOG_CONFIG_INIT;
	uint64_t from[4] = { 0x100, 0x104, 0x108, 0x10c }, to[4] = { 0, 0x200, 0, 0x300 };
	uint32_t had[4] = { 50, 60, 70, 80 }, has[4] = { 40, 50, 60, 70 };
	uint32_t more[4] = { 0, 11, 0, 12 }, seen[4] = { 0 };
	struct gputm_tx_log_lookup own;
	struct gputm_tx_log *log;

	config.lanes = 4;
	config.partitions = 4;
	if (gputm_tx_log_new(NULL, &config, &log))
		return 1;
	if (gputm_tx_log_append_read(log, 0xf, from, had) < 0 ||
	    gputm_tx_log_append_write(log, 0xf, from, has) < 0 ||
	    gputm_tx_log_append_write(log, 0xa, to, more) < 0)
		return 1;
	if (gputm_tx_log_lookup_own_writes(log, 0xf, from, seen, &own))
		return 1;
	printf("own writes: lanes %#" PRIx64 ", lane 2 reads %" PRIu32 ", %" PRIu32
	       " rows walked\n",
	       own.hits, seen[2], own.rows);
	if (gputm_tx_log_lookup_own_write(log, 3, 0x300, &seen[3], NULL) == 1)
		printf("lane 3 reads %" PRIu32 ", of partition %" PRIu32 "\n", seen[3],
		       gputm_tx_log_partition(log, 0x300));
	show(log, GPUTM_TX_LOG_KIND_READ, "read ");
	show(log, GPUTM_TX_LOG_KIND_WRITE, "write");
	if (gputm_tx_log_restart(log, 0x8))
		return 1;
	puts("lane 3 restarts");
	show(log, GPUTM_TX_LOG_KIND_WRITE, "write");
	gputm_tx_log_free(log);
	return 0;
}
