/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Face of the commit unit: parameters, statistics, events, life, storage, and the reports.
 */
#include "lib/kilotm/commit_purposes.h"
#include "lib/kilotm/commit_unit-priv.h"

static const char *const policies[] = { "all", "accessed", "used", "needed" };
static const char *const empty_pools[] = { "resend", "defer" };
static const char *const outcomes[] = { "false", "true", "passing" };
static const char *const dones[] = { "false", "true", "written" };
#define UNIT commit_unit

static const struct gputm_param rows[] = {
	PARAM(warp_mode, 0, 1, 0, false,
	      "Coalesce requests per region and report outcomes per warp. Goes with mode = warp of "
	      "the sequencer, and only with warps whose lanes do not conflict: conflicts between "
	      "lanes of one warp are not found.", "thesis 6.2"),
	PARAM(ring, 1, 1u << 22, 23040, false, "Commit entries.",
	      "thesis 4.2.5, 4.4.4; 23040: Table 4.3"),
	PARAM(cid_bits, 4, 63, 32, false, "Width of a CID in the last writer history, bits.",
	      "thesis 4.4.3"),
	PARAM(lanes, 1, GPUTM_COMMIT_UNIT_LANES_MAX, 32, false, "Most transactions of a warp.",
	      "thesis Table 6.1"),
	PARAM(address_bits, 16, 64, 32, false, "Width of a byte address, bits.", ""),
	PARAM(buffer_words, 1, 64, 8, false, "Words of a read or write buffer.", "thesis 4.4.4"),
	PARAM(buffers, 0, 1u << 22, 8192, false, "Buffers in the shared pool.", "thesis 4.4.4"),
	CHOICE(buffer_policy, 1, 4, 4, policies, "When an entry holds read and write buffers.",
	       "thesis Fig. 4.13"),
	PARAM(region_bytes, 4, 128, 32, true, "Bytes of a request in warp mode.",
	      "thesis 6.2, 6.7.6"),
	PARAM(hazard_rate, 1, 64, 1, false, "Words of hazard detection per cycle.", "thesis 4.2.5"),
	PARAM(input_depth, 1, 4096, 64, false, "Messages that the input port holds.", ""),
	PARAM(resent_depth, 1, 4096, 4, false, "Messages that the port for resent words holds.",
	      ""),
	PARAM(output_depth, 1, 4096, 64, false, "Reports that wait to be popped.", ""),
	PARAM(port_words, GPUTM_COMMIT_UNIT_WORDS_MAX, 1u << 20, 2048, false,
	      "Words queued or in flight at each memory port.", ""),
	PARAM(history_sets, 1, 1u << 20, 128, true, "Sets of the last writer history's table.",
	      "thesis 4.4.3"),
	PARAM(history_ways, 1, 64, 4, false, "Entries of such a set.", "thesis 4.4.3"),
	PARAM(filter_ways, 1, 8, 4, false, "Sub-arrays of the history's filter.", "thesis 4.4.3"),
	PARAM(filter_buckets, 1, 1u << 20, 256, true, "CIDs in each sub-array.", "thesis 4.4.3"),
	PARAM(pending_block, 0, 1u << 20, 0, false,
	      "Bytes of a block of pending writes, a power of two; 0: no table.", "thesis 6.4"),
	PARAM(pending_entries, 1, 1u << 24, 4096, true, "Counters of pending writes.", ""),
	PARAM(first_cid, 0, UINT64_C(1) << 48, 1, false, "The oldest CID at the start.", ""),
	PARAM(seed, 0, UINT64_MAX, 1, false, "Seed of the history's hash rows.", ""),
	PARAM(serial_input, 0, 1, 0, false,
	      "Process a packed message lane by lane, and in warp mode a log word by word.",
	      "thesis 6.2.2, released simulator"),
	CHOICE(ordered_outcomes, 0, 2, 0, outcomes,
	       "Report outcomes in the order of CIDs; passing: but for entries that revalidate, "
	       "which are passed.",
	       "thesis 4.2.5, Fig. 4.5; passing: released simulator"),
	CHOICE(entry_done, 0, 2, 0, dones,
	       "Report each entry that has written: true, at its retirement, in scalar mode; "
	       "written, when its own last write has completed.",
	       "thesis 4.2.5, Fig. 6.3; written: released simulator"),
	CHOICE(empty_pool, 0, 1, 0, empty_pools, "What happens to a log when no buffer is free.",
	       "thesis 4.2.5, 4.4.4"),
};

/* Outcomes are in order, and validations may go on in "Finalizing Outcome" (Claim 5). */
#define PASSING { "ordered_outcomes", GPUTM_COMMIT_UNIT_ORDERED_OUTCOMES_PASSING }

/* What the figures of the thesis charge for. */
#define AS_FIGURES \
	{ "serial_input", 1 }, PASSING, { "entry_done", 1 }, { "empty_pool", 1 }

static const struct gputm_preset presets[] = {
	{ "kilo-tm",
	  "Thesis 4.4.3, 4.4.4: 1920 entries, 512 buffers of 64 B, deferral, 5 kB of history.",
	  { { "ring", 1920 }, { "cid_bits", 16 }, { "buffers", 512 }, AS_FIGURES } },
	{ "kilo-tm-small-history", "Thesis 4.4.3: the same with 64 + 64 entries of history, 512 B.",
	  { { "ring", 1920 }, { "cid_bits", 16 }, { "buffers", 512 }, { "history_sets", 16 },
	    { "filter_buckets", 16 }, AS_FIGURES } },
	{ "warptm", "Thesis 6.2: warp mode with 32 B regions.",
	  { { "warp_mode", 1 }, { "cid_bits", 16 }, { "ring", 1920 }, { "buffers", 512 },
	    PASSING, { "empty_pool", 1 } } },
	{ "unbounded",
	  "Buffers that hardly ever overflow, as in the released simulator; default ring and CIDs.",
	  { { "buffer_words", 64 }, { "buffers", 46080 }, AS_FIGURES } },
};

static uint64_t words_waiting(const struct gputm_unit *unit)
{
	const struct gputm_commit_unit *self = (const void *)unit;

	return self->port[0].end - self->port[0].oldest +
	       self->port[1].end - self->port[1].oldest;
}

static const struct gputm__stat_row stats[] = {
	STAT(cycles, COUNTER, "cycles", "Cycles, idle ones included."),
	STAT(messages, COUNTER, "messages", "Messages accepted."),
	STAT(messages_full, COUNTER, "messages", "Pushes answered with full."),
	STAT(absorbed, COUNTER, "transactions",
	     "Verdicts for entries that had failed here already."),
	STAT(begun, COUNTER, "transactions", "Entries that had log words or waited for a verdict."),
	STAT(skips, COUNTER, "transactions", "Entries skipped."),
	STAT(committed, COUNTER, "transactions", "Entries retired after their writes."),
	STAT(failed_here, COUNTER, "transactions", "Entries retired after a local failure."),
	STAT(failed_elsewhere, COUNTER, "transactions", "Entries retired after a failing verdict."),
	STAT(skips_retired, COUNTER, "transactions", "Skips retired."),
	STAT(outcomes_passed, COUNTER, "transactions", "Local outcomes reported: pass."),
	STAT(outcomes_failed, COUNTER, "transactions", "Local outcomes reported: fail."),
	STAT_OF("reads", consumed[0], COUNTER, "words", "Read log words consumed."),
	STAT_OF("writes", consumed[1], COUNTER, "words", "Write log words consumed."),
	STAT_OF("validated", compared[0], COUNTER, "words",
		"Words compared by speculative validation."),
	STAT_OF("revalidated", compared[1], COUNTER, "words", "Words compared by revalidation."),
	STAT(mismatches, COUNTER, "words", "Comparisons that failed."),
	STAT_OF("read_requests", requests[0], COUNTER, "requests",
		"Requests popped at the validation port."),
	STAT_OF("write_requests", requests[1], COUNTER, "requests",
		"Requests popped at the commit port."),
	STAT(requeued, COUNTER, "words", "Words queued for revalidation."),
	STAT(reissued, COUNTER, "words", "Words queued for commit."),
	STAT(written, COUNTER, "words", "Words written to memory."),
	STAT(hazard_words, COUNTER, "words", "Read words with a hazard."),
	STAT(hazards, COUNTER, "transactions", "Entries with a hazard."),
	STAT(revalidations, COUNTER, "transactions", "Revalidations begun."),
	STAT(overflows, COUNTER, "logs", "Logs that did not fit their buffer, or found none free."),
	STAT(resends, COUNTER, "logs", "Logs asked for again."),
	STAT(words_resent, COUNTER, "words", "Words of such logs consumed."),
	STAT(active, GAUGE, "entries", "Entries in use."),
	STAT(active_max, MAXIMUM, "entries", "Entries in use, at most."),
	STAT(span_max, MAXIMUM, "entries", "Oldest to youngest CID named, at most."),
	STAT(buffers_used, GAUGE, "buffers", "Buffers in use."),
	STAT(buffers_max, MAXIMUM, "buffers", "Buffers in use, at most."),
	STAT(fill_cycles, HISTOGRAM, "cycles", "First message to done, per entry."),
	STAT(hazard_cycles, HISTOGRAM, "cycles", "Done to the end of hazard detection."),
	STAT(validate_cycles, HISTOGRAM, "cycles", "Hazard detection to the outcome."),
	STAT(verdict_cycles, HISTOGRAM, "cycles", "Outcome reported to verdict consumed."),
	STAT(commit_cycles, HISTOGRAM, "cycles", "Passing verdict to writes queued."),
	STAT(retire_cycles, HISTOGRAM, "cycles", "Finished to retired."),
	STAT(revalidation_distance, HISTOGRAM, "CIDs", "From an entry with a hazard to its YCID."),
	STAT(deferrals, COUNTER, "logs", "Logs that waited for a buffer and were then sent again."),
	STAT_NOW(words_waiting, words_waiting, "words", "Words queued or in flight at the ports."),
};

static const char *const verdicts[] = { "failed", "passed" };
static const char *const ends[] = { "skipped", "failed", "committed" };

#define ENTRY VALUE(cid, "CID", "The transaction of the entry.")
#define READER VALUE(cid, "CID", "The transaction that has read the word.")
#define WORD VALUE(address, "byte address", "The word.")
#define CYCLE VALUE(cycle, "cycle", "Cycle of the unit.")
#define COMPARED                                                                               \
	READER, WORD, VALUE(value, "word value", "The value in memory."),                      \
		VALUE(logged, "word value", "The value that the transaction has read.")

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_COMMIT_UNIT_EVENT_VALIDATE, "validate",
	      "The unit has compared a word for the first time.", COMPARED),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_REVALIDATE, "revalidate",
	      "The unit has compared a word again.", COMPARED),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_BEGIN, "begin", "The first message of an entry has come.",
	      ENTRY, VALUE(rcid, "CID", "The oldest CID that had not retired at this cycle."),
	      CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_HAZARD, "hazard",
	      "An older transaction may still write a word of the read log.", READER, WORD,
	      VALUE(writer, "CID", "The youngest older transaction that may write the word."),
	      CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_OUTCOME, "outcome",
	      "The unit has reported the local outcome of an entry.", ENTRY,
	      NAMED(outcome, verdicts, "The local outcome."),
	      VALUE(reads, "words", "Words that the last validation has compared."), CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_VERDICT, "verdict",
	      "The verdict of all partitions on an entry has come.", ENTRY,
	      NAMED(outcome, verdicts, "The verdict."), CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_ISSUE, "issue",
	      "The owner has taken a word of a write request.",
	      VALUE(cid, "CID", "The transaction that writes."), WORD,
	      VALUE(value, "word value", "The value to be written."), CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_WRITE, "write",
	      "A word of a write request has reached memory.",
	      VALUE(cid, "CID", "The transaction that writes."), WORD,
	      VALUE(value, "word value", "The value that was written."), CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_RETIRE, "retire", "The oldest entry has retired.", ENTRY,
	      NAMED(outcome, ends, "How the entry has ended."), CYCLE),
	EVENT(GPUTM_COMMIT_UNIT_EVENT_RESEND, "resend", "The unit asks the core for a log again.",
	      VALUE(cid, "CID", "The transaction of the log."),
	      NAMED(purpose, gputm__commit_purposes, "What the unit needs the log for."), CYCLE),
};

/* ---- life ---- */

static int refuse(const struct gputm_unit *unit, const char *field, uint64_t value,
		  const char *why, uint64_t limit)
{
	return gputm__refuse(unit, "%s = %llu is %s %llu", field, (unsigned long long)value, why,
			     (unsigned long long)limit);
}

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_commit_unit_config *c = gputm_unit_config(unit);

	if (c->ring > UINT64_C(1) << (c->cid_bits - 2))
		return refuse(unit, "ring", c->ring, "above 2^(cid_bits - 2) =",
			      UINT64_C(1) << (c->cid_bits - 2));
	if (c->lanes > c->ring)
		return refuse(unit, "lanes", c->lanes, "above ring =", c->ring);
	if (c->port_words < c->lanes * c->buffer_words)
		return refuse(unit, "port_words", c->port_words, "below lanes x buffer_words =",
			      (uint64_t)c->lanes * c->buffer_words);
	if (c->pending_block &&
	    (c->pending_block < 4 || !gputm__is_power_of_two(c->pending_block)))
		return refuse(unit, "pending_block", c->pending_block,
			      "neither 0 nor a power of two in 4 ..", 1 << 20);
	return 0;
}

static int make_history(struct gputm_commit_unit *self)
{
	const struct gputm_commit_unit_config *c = &self->config;
	struct gputm_last_writer_config history = GPUTM_LAST_WRITER_CONFIG_INIT;
	const struct gputm_last_writer_config *kept;
	int error;

	history.sets = c->history_sets;
	history.ways = c->history_ways;
	history.filter_ways = c->filter_ways;
	history.filter_buckets = c->filter_buckets;
	history.cid_bits = c->cid_bits;
	history.address_bits = c->address_bits;
	history.seed = c->seed;
	history.table_rows = c->history_rows;
	history.filter_rows = c->history_filter_rows;
	error = gputm_last_writer_new(self->unit.ctx, &history, &self->history);
	if (error)
		return error;
	kept = gputm_unit_config(gputm_last_writer_unit(self->history));
	self->config.history_rows = kept->table_rows;
	self->config.history_filter_rows = kept->filter_rows;
	return 0;
}

static void make_ports(struct gputm_commit_unit *self)
{
	const struct gputm_commit_unit_config *c = &self->config;
	uint32_t words = 1u << gputm__bits_for(c->port_words), most = c->lanes * c->buffer_words;
	struct gather *g = &self->gather;
	struct gputm_unit *unit = &self->unit;

	most = most < GPUTM_COMMIT_UNIT_WORDS_MAX ? GPUTM_COMMIT_UNIT_WORDS_MAX : most;
	most = c->warp_mode ? most : 0;
	self->port[0].mask = self->port[1].mask = words - 1;
	self->port[0].word = gputm__own(unit, words, sizeof(*self->port[0].word));
	self->port[1].word = gputm__own(unit, words, sizeof(*self->port[1].word));
	g->word = gputm__own(unit, most, sizeof(*g->word));
	g->of = gputm__own(unit, most, sizeof(*g->of));
	g->region = gputm__own(unit, most, sizeof(*g->region));
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_commit_unit *self = (void *)unit;
	const struct gputm_commit_unit_config *c = &self->config;
	const size_t message = sizeof(struct gputm_commit_unit_message);
	int error;

	self->address_max = gputm__low_mask(c->address_bits);
	self->region_mask = ~(uint64_t)(c->warp_mode ? c->region_bytes - 1 : 3);
	self->pending_shift = c->pending_block ? gputm__log2(c->pending_block) : 0;
	self->pending_writes = gputm__own(unit, c->pending_block ? c->pending_entries : 0,
					  sizeof(*self->pending_writes));
	gputm__queue_own(unit, &self->input.queue, c->input_depth, message);
	gputm__queue_own(unit, &self->resent.queue, c->resent_depth, message);
	gputm__queue_own(unit, &self->output, c->output_depth,
			 sizeof(struct gputm_commit_unit_report));
	make_ports(self);
	error = gputm__commit_make_room(self, c->lanes);
	return error ? error : make_history(self);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_commit_unit *self = (void *)unit;
	const struct gputm_commit_unit_config *c = &self->config;

	/* All others are zero. Without entries no write is pending. */
	for (uint64_t cid = self->oldest; cid < self->head; cid++) {
		self->pushed[cid & self->mask] = (struct pushed){ { 0 } };
		*entry_at(self, cid) = (struct entry){ 0 };
	}
	if (c->pending_block && self->oldest != self->head)
		memset(self->pending_writes, 0, c->pending_entries * sizeof(*self->pending_writes));
	self->oldest = self->commit = self->outcome = self->hazard = self->head = c->first_cid;
	self->reported = c->first_cid;
	self->detected = self->pending_unbounded = 0;
	self->revalidate.last = self->finalise.last = self->untold.last = 0;
	self->active = self->buffers_used = self->buffers_touched = 0;
	self->offers = 0;
	self->now = 0;
	self->input.word = self->resent.word = 0;
	gputm__queue_clear(&self->input.queue);
	gputm__queue_clear(&self->resent.queue);
	gputm__queue_clear(&self->output);
	for (uint32_t n = 0; n < 2; n++)
		self->port[n].oldest = self->port[n].popped = self->port[n].end = 0;
	gputm__commit_set_expiry(self);
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	gputm__commit_io((void *)unit, io);
}

static const char *check(const struct gputm_unit *unit)
{
	return gputm__commit_check((const struct gputm_commit_unit *)(const void *)unit);
}

/* ---- storage ---- */

/*
 * The flags: two logs unbounded, failed, hazardous, no skip (`begun`), a log is asked for. The rest
 * follows from them and the state: DECIDED from FINALISE on, if outcomes are ordered as in every
 * preset; WRITES_QUEUED if FINISHED, no skip and not failed, where a failing verdict sets `failed`;
 * and for which box a log is asked. VALIDATE with AGAIN and FINISHED with UNTOLD are states of
 * their own, of which there are 11 then.
 */
static unsigned entry_bits(const struct gputm_commit_unit_config *c)
{
	unsigned state = 4, flags = 6, pointers = 2 * gputm__bits_for((uint64_t)c->buffers + 1);
	unsigned counts = 2 * gputm__bits_for((uint64_t)c->buffer_words + 1);

	return state + flags + 2 * c->cid_bits + pointers + counts +
	       gputm__bits_for((uint64_t)c->buffer_words + 1);
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_commit_unit *self = (const void *)unit;
	const struct gputm_commit_unit_config *c = &self->config;
	uint64_t word = c->address_bits + 32u;

	gputm__array(out, "ring", c->ring, entry_bits(c), 1);
	gputm__array(out, "buffers", c->buffers, c->buffer_words * word, 4);
	gputm__array(out, "history table", (uint64_t)c->history_sets * c->history_ways,
		     c->address_bits + c->cid_bits, 1);
	gputm__array(out, "history filter", (uint64_t)c->filter_ways * c->filter_buckets,
		     c->cid_bits, c->filter_ways);
	gputm__array_apart(out, "input", c->input_depth, GPUTM_COMMIT_UNIT_WORDS_MAX * word, 1);
	gputm__array_apart(out, "resent input", c->resent_depth, GPUTM_COMMIT_UNIT_WORDS_MAX * word,
			   1);
	gputm__array_apart(out, "reports", c->output_depth, 2 * c->lanes + c->cid_bits, 1);
	gputm__array_apart(out, "words at the ports", UINT64_C(2) * c->port_words,
			   word + gputm__bits_for(c->ring), 2);
	gputm__array_apart(out, "pending writes", c->pending_block ? c->pending_entries : 0, 16, 1);
}

GPUTM__UNIT(commit_unit, .version = 6, .setup = setup, .validate = validate,
	    .laws = gputm__commit_laws, .io_stats = gputm__commit_io_stats,
	    .part = { { "history", offsetof(struct gputm_commit_unit, history) } })

/* ---- messages and reports ---- */

static uint32_t mask_bytes(uint32_t lanes, uint64_t mask, uint32_t masks)
{
	return mask & (mask - 1) ? masks * ((lanes + 7) / 8) : 0;
}

uint32_t gputm_commit_unit_message_bytes(const struct gputm_commit_unit_message *message)
{
	uint32_t masks = message->kind == GPUTM_COMMIT_UNIT_MESSAGE_DONE ||
					 message->kind == GPUTM_COMMIT_UNIT_MESSAGE_VERDICT
				 ? 2
				 : 1;

	return 8 + 8 * message->words + mask_bytes(message->lanes, message->mask, masks);
}

uint32_t gputm_commit_unit_report_bytes(const struct gputm_commit_unit_report *report)
{
	if (report->kind != GPUTM_COMMIT_UNIT_REPORT_OUTCOME)
		return 8;
	return 8 + mask_bytes(report->lanes, report->mask, 2);
}

int gputm_commit_unit_peek(const struct gputm_commit_unit *self,
			   struct gputm_commit_unit_report *out)
{
	if (!self->output.count)
		return 0;
	*out = *(const struct gputm_commit_unit_report *)gputm__queue_oldest(&self->output);
	return 1;
}

int gputm_commit_unit_pop(struct gputm_commit_unit *self)
{
	if (!self->output.count)
		return 0;
	gputm__queue_take(&self->output);
	return 1;
}

uint64_t gputm_commit_unit_oldest(const struct gputm_commit_unit *self)
{
	return self->oldest;
}

enum gputm_commit_unit_state gputm_commit_unit_entry_state(const struct gputm_commit_unit *self,
							   uint64_t cid)
{
	if (cid < self->oldest)
		return GPUTM_COMMIT_UNIT_STATE_FINISHED;
	if (cid >= self->head)
		return GPUTM_COMMIT_UNIT_STATE_UNUSED;
	return (enum gputm_commit_unit_state)entry_at(self, cid)->state;
}
