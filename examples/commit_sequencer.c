/* SPDX-License-Identifier: BSD-2-Clause */
/* A warp of four lanes commits: what its core sends to two partitions, cycle by cycle. */
#include <inttypes.h>
#include <stdio.h>

#include <gputm/commit_sequencer.h>

static const char *const kind[] = { "read log", "write log", "done-fill or skip", "verdict" };

static void run(struct gputm_commit_sequencer *seq, unsigned cycles)
{
	static struct gputm_commit_unit_message message;
	struct gputm_commit_sequencer_done done;
	uint32_t partition;

	for (; cycles; cycles--) {
		gputm_commit_sequencer_tick(seq);
		if (gputm_commit_sequencer_peek(seq, &partition, &message)) {
			printf("%2" PRIu64 "  to %" PRIu32 ": %s of %#" PRIx64 ", yes %#" PRIx64
			       ", %" PRIu32 " words\n",
			       gputm_commit_sequencer_now(seq), partition, kind[message.kind],
			       message.mask, message.yes, message.words);
			gputm_commit_sequencer_pop(seq);
		}
		if (gputm_commit_sequencer_take_done(seq, &done))
			printf("%2" PRIu64 "  warp %" PRIu32 " is done: pass %#" PRIx64
			       ", fail %#" PRIx64 "\n",
			       gputm_commit_sequencer_now(seq), done.warp, done.pass, done.fail);
	}
}

static int report(struct gputm_commit_sequencer *seq, uint32_t partition, uint32_t what,
		  uint64_t mask, uint64_t yes)
{
	struct gputm_commit_unit_report r = { what, 0, 100, 4, mask, yes };

	if (gputm_commit_sequencer_push_probe(seq, partition, &r))
		return 1; /* the report stays in the network */
	return gputm_commit_sequencer_push(seq, partition, &r);
}

int main(void)
{
	struct gputm_commit_sequencer_config config = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;
	struct gputm_tx_log_config log_config = GPUTM_TX_LOG_CONFIG_INIT;
	uint64_t address[4] = { 0x000, 0x004, 0x100, 0x104 };
	uint32_t value[4] = { 1, 2, 3, 4 }, warp, count;
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log;

	config.lanes = log_config.lanes = 4;
	config.partitions = log_config.partitions = 2;
	if (gputm_tx_log_new(NULL, &log_config, &log) ||
	    gputm_commit_sequencer_new(NULL, &config, &seq) ||
	    gputm_tx_log_append_read(log, 0xf, address, value) < 0 ||
	    gputm_tx_log_append_write(log, 0x3, address, value) < 0 ||
	    gputm_commit_sequencer_attach(seq, 7, log) ||
	    gputm_commit_sequencer_begin_probe(seq, 7, 0xf) ||
	    gputm_commit_sequencer_begin(seq, 7, 0xf) ||
	    !gputm_commit_sequencer_wants(seq, &warp, &count))
		return 1;
	printf(" 0  warp %" PRIu32 " wants %" PRIu32 " credits\n", warp, count);
	if (gputm_commit_sequencer_grant(seq, 100))
		return 1;
	run(seq, 9);
	for (uint64_t lane = 1; lane < 16; lane <<= 1)
		if (report(seq, lane > 2, GPUTM_COMMIT_UNIT_REPORT_OUTCOME, lane,
			   lane == 2 ? 0 : lane))
			return 1;
	run(seq, 6);
	if (report(seq, 1, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 0xf, 0) ||
	    report(seq, 0, GPUTM_COMMIT_UNIT_REPORT_RETIRED, 0xf, 0))
		return 1;
	run(seq, 1);
	gputm_commit_sequencer_free(seq);
	gputm_tx_log_free(log);
	return 0;
}
