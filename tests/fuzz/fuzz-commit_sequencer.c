/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to a geometry, logs, and an order of begins, grants, packets, reports and ticks,
 * with the oracle as the commit units; with an odd first byte, the rest is a hostile snapshot.
 */
#include "gputm/commit_sequencer.h"
#include "tests/fuzz/bend.h"
#include "tests/oracle/commit_sequencer.h"

#define WARPS 3

struct core {
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log[WARPS];
	struct oracle_tx_log mirror[WARPS];
	uint64_t with_cid[WARPS];
	bool busy[WARPS];
	struct oracle_commit_sequencer oracle;
	uint64_t next_cid;
};

static void access(struct core *core, unsigned warp, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz);
	uint64_t mask = fuzz_u8(fuzz) & ((1u << core->mirror[warp].lanes) - 1), address[64];
	uint32_t value[64];

	for (unsigned i = 0; i < 64; i++) {
		address[i] = (uint64_t)(what >> 1) * 128 * (i % 2 + 1) + 4 * i;
		value[i] = what + i;
	}
	FUZZ_CHECK(oracle_tx_log_append(&core->mirror[warp], what & 1, mask, address, value));
	if (what & 1)
		FUZZ_CHECK(gputm_tx_log_append_write(core->log[warp], mask, address, value) >= 0);
	else
		FUZZ_CHECK(gputm_tx_log_append_read(core->log[warp], mask, address, value) >= 0);
}

static void begin(struct core *core, struct fuzz *fuzz)
{
	unsigned warp = fuzz_below(fuzz, WARPS), lanes = core->mirror[warp].lanes;
	uint64_t all = (1u << lanes) - 1, mask = fuzz_u8(fuzz) & all;
	int result;

	if (core->busy[warp])
		return;
	FUZZ_CHECK(!gputm_tx_log_restart(core->log[warp], all));
	oracle_tx_log_restart(&core->mirror[warp], all);
	for (unsigned rows = fuzz_below(fuzz, 5); rows; rows--)
		access(core, warp, fuzz);
	result = gputm_commit_sequencer_begin(core->seq, warp, mask);
	FUZZ_CHECK((result < 0) == !mask);
	if (result != GPUTM_COMMIT_SEQUENCER_OK)
		return;
	core->busy[warp] = true;
	core->with_cid[warp] = 0;
	for (unsigned i = 0; i < core->mirror[warp].count; i++)
		core->with_cid[warp] |= mask & UINT64_C(1) << core->mirror[warp].entry[i].lane;
}

static void grant(struct core *core)
{
	uint32_t warp, count;

	if (!gputm_commit_sequencer_wants(core->seq, &warp, &count))
		return;
	FUZZ_CHECK(!gputm_commit_sequencer_grant(core->seq, core->next_cid));
	oracle_commit_sequencer_begin(&core->oracle, warp, core->next_cid, core->with_cid[warp],
				      &core->mirror[warp]);
	core->next_cid += count;
}

static void pop(struct core *core)
{
	static struct gputm_commit_message message;
	uint32_t partition;

	if (!gputm_commit_sequencer_peek(core->seq, &partition, &message))
		return;
	FUZZ_CHECK(!oracle_commit_sequencer_message(&core->oracle, partition, &message));
	FUZZ_CHECK(gputm_commit_sequencer_pop(core->seq));
}

static void report(struct core *core, uint64_t pick)
{
	struct gputm_commit_report r;
	unsigned partition;
	int result;

	/* Spread the bytes over the fields of the pick. */
	pick *= UINT64_C(0x9e3779b97f4a7c15);
	if (!oracle_commit_sequencer_report(&core->oracle, pick, &partition, &r))
		return;
	result = gputm_commit_sequencer_push(core->seq, partition, &r);
	FUZZ_CHECK(result == GPUTM_COMMIT_SEQUENCER_OK ||
		   (result == GPUTM_COMMIT_SEQUENCER_BUSY && r.kind == GPUTM_COMMIT_RESEND));
	if (result == GPUTM_COMMIT_SEQUENCER_OK)
		oracle_commit_sequencer_sent(&core->oracle, partition, &r);
}

static void results(struct core *core)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;
	uint64_t failed = 0;

	if (gputm_commit_sequencer_take_done(core->seq, &done)) {
		if (done.with_cid)
			FUZZ_CHECK(!oracle_commit_sequencer_done(&core->oracle, done.first_cid,
								 &failed));
		FUZZ_CHECK(done.fail == failed && !(done.pass & failed));
		core->busy[done.warp] = false;
	}
	if (gputm_commit_sequencer_take_retired(core->seq, &retired))
		FUZZ_CHECK(!oracle_commit_sequencer_retired(&core->oracle, retired.first_cid,
							    retired.count));
}

static void step(struct core *core, struct fuzz *fuzz)
{
	uint8_t what = fuzz_u8(fuzz);

	switch (what & 7) {
	case 0:
		begin(core, fuzz);
		break;
	case 1:
		grant(core);
		break;
	case 2:
		report(core, fuzz_number(fuzz, 2));
		break;
	case 3:
		results(core);
		break;
	default:
		gputm_commit_sequencer_advance(core->seq, 1 + (what >> 6));
		pop(core);
		report(core, what);
	}
	FUZZ_CHECK(!gputm_unit_check(gputm_commit_sequencer_unit(core->seq)));
}

static void operate(struct gputm_commit_sequencer_config *config, struct fuzz *fuzz)
{
	struct gputm_tx_log_config log_config = GPUTM_TX_LOG_CONFIG_INIT;
	static struct core core;

	core.next_cid = 0;
	log_config.lanes = config->lanes;
	log_config.partitions = config->partitions;
	log_config.l1_rows = 2;
	FUZZ_CHECK(!gputm_commit_sequencer_new(NULL, config, &core.seq));
	oracle_commit_sequencer_init(&core.oracle, config->partitions, config->mode);
	for (unsigned w = 0; w < WARPS; w++) {
		core.busy[w] = false;
		FUZZ_CHECK(!gputm_tx_log_new(NULL, &log_config, &core.log[w]));
		FUZZ_CHECK(!gputm_commit_sequencer_attach(core.seq, w, core.log[w]));
		oracle_tx_log_init(&core.mirror[w], config->lanes, config->partitions, 256);
	}
	for (unsigned i = 0; fuzz_more(fuzz) && i < 2000; i++)
		step(&core, fuzz);
	gputm_commit_sequencer_free(core.seq);
	for (unsigned w = 0; w < WARPS; w++)
		gputm_tx_log_free(core.log[w]);
}

static void load(const struct gputm_commit_sequencer_config *config, const struct fuzz *fuzz)
{
	struct gputm_commit_sequencer *seq;

	FUZZ_CHECK(!gputm_commit_sequencer_new(NULL, config, &seq));
	if (fuzz_load(gputm_commit_sequencer_unit(seq), fuzz->data, fuzz->size))
		gputm_commit_sequencer_next_event(seq);
	FUZZ_CHECK(!gputm_unit_check(gputm_commit_sequencer_unit(seq)));
	gputm_commit_sequencer_free(seq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_commit_sequencer_config config = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;
	struct fuzz fuzz = { data, size };
	uint8_t first = fuzz_u8(&fuzz), second = fuzz_u8(&fuzz);

	config.warps = WARPS;
	config.lanes = 1 + (first >> 1 & 7);
	config.partitions = 1 + (first >> 4 & 7);
	config.mode = second & 1;
	config.intra_warp_resolved = true;
	config.pack = second >> 1 & 1;
	config.pack_done = second >> 2 & 1;
	config.pack_verdict = second >> 3 & 1;
	config.slots = 1 + (second >> 4 & 7);
	config.spilled_row_cycles = second >> 7;
	config.output_packets = 8;
	config.resend_requests = 2;
	if (first & 1)
		load(&config, &fuzz);
	else
		operate(&config, &fuzz);
	return 0;
}
