/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kilo TM wired up, with a memory that answers at once: the lanes of 16 warps add one to two of 16
 * words each. The words lie in all partitions, 256 bytes apart as tx_log's interleave.
 */
#include <gputm/gputm.h>
#include <stdio.h>

enum { WARPS = 16, LANES = 32, PARTITIONS = 6, WORDS = 16, APART = 256 };
static struct gputm_simt_stack *stack[WARPS];
static struct gputm_tx_log *tx_log[WARPS];
static struct gputm_commit_sequencer *seq;
static struct gputm_commit_id *vendor;
static struct gputm_commit_unit *unit[PARTITIONS];
static uint32_t word[WORDS], running, commits, idle;
static bool waits[WARPS]; /* for a free slot of the sequencer */
static int bad;

/* A lane of them reads a word, and writes it with one more. */
static void add(uint32_t warp, uint64_t lanes, uint32_t first)
{
	uint32_t value[LANES], more[LANES];
	uint64_t address[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		address[i] = (7 * i + first) % WORDS * APART;
		more[i] = (value[i] = word[address[i] / APART]) + 1;
	}
	bad |= gputm_tx_log_append_read(tx_log[warp], lanes, address, value) < 0;
	bad |= gputm_tx_log_append_write(tx_log[warp], lanes, address, more) < 0;
}

static void begin(uint32_t warp)
{
	uint64_t lanes = gputm_simt_stack_tx_running(stack[warp]);
	int result = gputm_commit_sequencer_begin(seq, warp, lanes);

	bad |= result < 0;
	waits[warp] = result == GPUTM_COMMIT_SEQUENCER_BUSY;
	commits += result == GPUTM_COMMIT_SEQUENCER_OK;
}

static void attempt(uint32_t warp)
{
	uint64_t lanes = gputm_simt_stack_tx_running(stack[warp]);

	bad |= gputm_tx_log_restart(tx_log[warp], lanes);
	add(warp, lanes, warp);
	add(warp, lanes, warp + 1);
	begin(warp);
}

static void partition(uint32_t p)
{
	uint32_t value[GPUTM_MEM_WORDS_MAX] = { 0 };
	struct gputm_commit_unit_report r;
	struct gputm_mem_request m;

	idle += gputm_commit_unit_next_event(unit[p]) > 0;
	gputm_commit_unit_tick(unit[p]);
	for (uint32_t port = 0; port < 2; port++) {
		if (!gputm_commit_unit_mem_take(unit[p], (enum gputm_commit_unit_port)port, &m))
			continue;
		for (uint32_t i = 0; i < GPUTM_MEM_WORDS_MAX; i++)
			if (m.word_mask >> i & 1)
				value[i] = m.write ? (word[m.address / APART] = m.value[i]) :
						     word[m.address / APART];
		bad |= gputm_commit_unit_mem_complete(unit[p], m.tag, value);
	}
	for (; gputm_commit_unit_peek(unit[p], &r); gputm_commit_unit_pop(unit[p])) {
		bad |= gputm_commit_sequencer_push(seq, p, &r); /* busy for a resend only */
		if (r.kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED)
			for (uint32_t lane = 0; lane < r.lanes; lane++)
				bad |= r.mask >> lane & 1 &&
				       gputm_commit_id_report_retired(vendor, p, r.first_cid + lane,
								      1, NULL) < 0;
	}
}

static void core(void)
{
	struct gputm_commit_unit_message message;
	struct gputm_commit_sequencer_retired gone;
	struct gputm_commit_sequencer_done done;
	uint32_t warp, count, to;
	uint64_t cid;

	for (warp = 0; warp < WARPS; warp++)
		if (waits[warp])
			begin(warp);
	if (gputm_commit_sequencer_wants(seq, &warp, &count) &&
	    !gputm_commit_id_acquire(vendor, 0, count, &cid))
		bad |= gputm_commit_sequencer_grant(seq, cid);
	gputm_commit_sequencer_tick(seq);
	if (gputm_commit_sequencer_peek(seq, &to, &message) &&
	    gputm_commit_unit_push(unit[to], &message) == GPUTM_COMMIT_UNIT_ACCEPTED)
		gputm_commit_sequencer_pop(seq);
	while (gputm_commit_sequencer_take_done(seq, &done)) {
		bad |= done.fail && gputm_simt_stack_tx_abort(stack[done.warp], done.fail) < 0;
		bad |= done.pass && gputm_simt_stack_tx_commit(stack[done.warp], done.pass, 2) < 0;
		if (gputm_simt_stack_tx_commit_done(stack[done.warp]) == GPUTM_SIMT_STACK_RESTART)
			attempt(done.warp);
		else
			running--;
	}
	while (gputm_commit_sequencer_take_retired(seq, &gone))
		; /* frees its slot; else none is free after as many commits */
}

int main(void)
{
	struct gputm_commit_sequencer_config config = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;
	uint32_t cycles = 0;

	config.slots = WARPS; /* few: begin() is busy while a warp's commit before retires */
	bad = gputm_commit_sequencer_new(NULL, &config, &seq) ||
	      gputm_commit_id_new(NULL, NULL, &vendor);
	for (uint32_t p = 0; p < PARTITIONS && !bad; p++)
		bad = gputm_commit_unit_new(NULL, NULL, &unit[p]);
	for (; running < WARPS && !bad; running++) {
		bad = gputm_simt_stack_new(NULL, NULL, &stack[running]) ||
		      gputm_simt_stack_launch(stack[running], 0, UINT32_MAX) ||
		      gputm_simt_stack_tx_begin(stack[running], 1) < 0 ||
		      gputm_tx_log_new(NULL, NULL, &tx_log[running]) ||
		      gputm_commit_sequencer_attach(seq, running, tx_log[running]);
		if (!bad)
			attempt(running);
	}
	for (; running && !bad && cycles < 1000000; cycles++) {
		for (uint32_t p = 0; p < PARTITIONS; p++)
			partition(p);
		core();
	}
	printf("%u additions to word 0, %u commits in %u cycles, commit units idle in %u of %u\n",
	       word[0], commits, cycles, idle, PARTITIONS * cycles);
	for (uint32_t i = 0; i < WORDS; i++)
		bad |= word[i] != 2 * WARPS * LANES / WORDS;
	return bad || running;
}
