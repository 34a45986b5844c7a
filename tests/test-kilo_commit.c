/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Kilo TM units joined: logs and sequencers of two cores, the vendor of commit IDs, three
 * commit units and a memory, with random transactions and delays. Whatever commits must
 * be what a serial run in order of commit IDs gives, nothing may be left over, and no unit
 * may refuse what another has sent.
 */
#include "tests/kit.h"

KIT_MAKER(commit_sequencer, COMMIT_SEQUENCER);
KIT_MAKER(commit_unit, COMMIT_UNIT);
KIT_MAKER(commit_id, COMMIT_ID);
KIT_MAKER(tx_log, TX_LOG);

#define CORES 2
#define WARPS 3
#define LANES 4
#define PARTITIONS 3
#define WORDS 24
#define QUEUE 256
#define LINK 8
#define MOST_CIDS 20000

struct access {
	bool write;
	unsigned word;
	uint32_t value;
};

struct transaction {
	unsigned count;
	bool committed;
	struct access access[16];
};

struct warp {
	struct gputm_tx_log *log;
	unsigned rows_left;
	bool committing;
	struct transaction lane[LANES];
};

struct sent {
	uint32_t partition;
	struct gputm_commit_unit_report report;
};

struct message_queue {
	unsigned head, count;
	struct gputm_commit_unit_message message[LINK];
};

struct core {
	struct gputm_commit_sequencer *seq;
	struct warp warp[WARPS];
	struct message_queue out[PARTITIONS][2]; /* logs and control; resent words */
	unsigned head, count;
	struct sent report[QUEUE];
};

struct memory_queue {
	unsigned head, count;
	struct gputm_mem_request request[QUEUE];
};

struct world {
	struct kit kit;
	bool warp_mode;
	struct gputm_commit_id *vendor;
	struct gputm_commit_unit *unit[PARTITIONS];
	struct memory_queue memory[PARTITIONS];
	struct core core[CORES];
	uint8_t owner[MOST_CIDS];
	struct transaction history[MOST_CIDS];
	uint32_t word[WORDS], initial[WORDS];
	uint64_t random;
	uint32_t next_value;
	unsigned committed, aborted;
};

static struct world w;

static uint64_t below(uint64_t limit)
{
	return kit_below(&w.random, limit);
}

static uint64_t address_of(unsigned word)
{
	return (uint64_t)word * 128;
}

/* ---- making it ---- */

static void open_units(bool warp_mode, uint32_t buffer_words, uint32_t buffers)
{
	w.vendor = kit_make_as(&w.kit, &commit_id_maker,
			       "cores=%u partitions=%u credits=8 ring=16 first_cid=5", CORES,
			       PARTITIONS);
	for (unsigned p = 0; p < PARTITIONS; p++)
		w.unit[p] = kit_make_as(&w.kit, &commit_unit_maker,
					"first_cid=5 warp_mode=%u ring=16 lanes=%u buffer_words=%u "
					"buffers=%u input_depth=4 output_depth=4",
					warp_mode, LANES, buffer_words, buffers);
}

static void open_core(struct core *core, bool warp_mode, const char *preset)
{
	const struct gputm_commit_sequencer_config *config;

	core->seq = kit_make_as(&w.kit, &commit_sequencer_maker,
				"%s warps=%u lanes=%u partitions=%u output_packets=8 "
				"spilled_row_cycles=3", preset, WARPS, LANES, PARTITIONS);
	config = gputm_unit_config(gputm_commit_sequencer_unit(core->seq));
	ck_assert_uint_eq(config->mode, warp_mode);
	for (uint32_t i = 0; i < WARPS; i++) {
		core->warp[i].log = kit_make_as(&w.kit, &tx_log_maker,
						"lanes=%u partitions=%u l1_rows=2", LANES,
						PARTITIONS);
		ck_assert_int_eq(gputm_commit_sequencer_attach(core->seq, i, core->warp[i].log), 0);
	}
}

/* ---- the cores run transactions ---- */

static void note(struct transaction *t, bool write, unsigned word, uint32_t value)
{
	struct access *a = &t->access[t->count++];

	a->write = write;
	a->word = word;
	a->value = value;
}

/* One row: some lanes read or write a word each; in warp mode lanes keep apart. */
static void access_row(struct warp *warp)
{
	uint64_t mask = below(16), address[LANES], global = 0;
	struct gputm_tx_log_lookup own;
	bool write = below(2);
	uint32_t value[LANES];

	for (unsigned i = 0; i < LANES; i++) {
		unsigned word = w.warp_mode ? (unsigned)below(WORDS / LANES) * LANES + i
					    : (unsigned)below(WORDS);

		address[i] = address_of(word);
		value[i] = write ? w.next_value++ : w.word[word];
	}
	if (write) {
		ck_assert_int_ge(gputm_tx_log_append_write(warp->log, mask, address, value), 0);
		global = mask;
	} else {
		ck_assert_int_eq(gputm_tx_log_lookup_own_writes(warp->log, mask, address, value,
								&own), 0);
		global = mask & ~own.hits;
		ck_assert_int_ge(gputm_tx_log_append_read(warp->log, global, address, value), 0);
	}
	for (EACH_LANE(i, global))
		note(&warp->lane[i], write, (unsigned)(address[i] / 128), value[i]);
}

static void run_warp(struct core *core, uint32_t number, bool starts)
{
	struct warp *warp = &core->warp[number];
	int result;

	if (warp->committing || (!warp->rows_left && !starts))
		return;
	if (!warp->rows_left) {
		ck_assert_int_eq(gputm_tx_log_restart(warp->log, 0xf), 0);
		memset(warp->lane, 0, sizeof(warp->lane));
		warp->rows_left = 2 + (unsigned)below(6);
	}
	if (warp->rows_left > 1) {
		access_row(warp);
		warp->rows_left--;
		return;
	}
	result = gputm_commit_sequencer_begin(core->seq, number, 0xf);
	ck_assert_int_ge(result, 0);
	warp->committing = result == GPUTM_COMMIT_SEQUENCER_OK;
	warp->rows_left = result != GPUTM_COMMIT_SEQUENCER_OK;
}

static void give_cids(struct core *core)
{
	uint32_t warp, count;
	uint64_t first;
	int result;

	if (!gputm_commit_sequencer_wants(core->seq, &warp, &count))
		return;
	result = gputm_commit_id_acquire(w.vendor, (uint32_t)(core - w.core), count, &first);
	ck_assert_int_ge(result, 0);
	if (result != GPUTM_COMMIT_ID_OK)
		return;
	ck_assert_uint_lt(first + count, MOST_CIDS);
	ck_assert_int_eq(gputm_commit_sequencer_grant(core->seq, first), 0);
	for (uint32_t i = 0; i < count; i++)
		w.owner[first + i] = (uint8_t)(core - w.core);
}

static void take_done(struct core *core)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;
	uint64_t cid;

	while (gputm_commit_sequencer_take_done(core->seq, &done)) {
		core->warp[done.warp].committing = false;
		cid = done.first_cid;
		for (EACH_LANE(i, done.with_cid)) {
			w.history[cid] = core->warp[done.warp].lane[i];
			w.history[cid++].committed = done.pass >> i & 1;
			w.committed += (unsigned)(done.pass >> i & 1);
			w.aborted += (unsigned)(done.fail >> i & 1);
		}
	}
	while (gputm_commit_sequencer_take_retired(core->seq, &retired))
		ck_assert_uint_le(retired.count, LANES);
}

/* ---- the wires ---- */

static void take_packet(struct core *core)
{
	static struct gputm_commit_unit_message message;
	struct message_queue *queue;
	uint32_t partition;

	if (!gputm_commit_sequencer_peek(core->seq, &partition, &message))
		return;
	queue = &core->out[partition][message.kind >= GPUTM_COMMIT_UNIT_MESSAGE_RESENT];
	if (queue->count == LINK)
		return;
	queue->message[(queue->head + queue->count++) % LINK] = message;
	ck_assert(gputm_commit_sequencer_pop(core->seq));
}

static void deliver(struct core *core, unsigned partition, unsigned resent)
{
	struct message_queue *queue = &core->out[partition][resent];
	int result;

	if (!queue->count || below(3) == 0)
		return;
	result = gputm_commit_unit_push(w.unit[partition], &queue->message[queue->head]);
	ck_assert_msg(result >= 0, "%s", w.kit.message);
	if (result != GPUTM_COMMIT_UNIT_ACCEPTED)
		return;
	queue->head = (queue->head + 1) % LINK;
	queue->count--;
}

static void take_report(uint32_t partition)
{
	struct gputm_commit_unit_report report;
	struct core *core;
	struct sent *sent;

	if (!gputm_commit_unit_peek(w.unit[partition], &report))
		return;
	core = &w.core[w.owner[report.first_cid]];
	if (core->count == QUEUE)
		return;
	sent = &core->report[(core->head + core->count++) % QUEUE];
	sent->partition = partition;
	sent->report = report;
	gputm_commit_unit_pop(w.unit[partition]);
}

static void deliver_report(struct core *core)
{
	const struct sent *sent = &core->report[core->head];
	uint64_t first;
	uint32_t count;
	int result;

	if (!core->count || below(3) == 0)
		return;
	first = sent->report.first_cid + (unsigned)__builtin_ctzll(sent->report.mask);
	count = (uint32_t)__builtin_popcountll(sent->report.mask);
	result = gputm_commit_sequencer_push(core->seq, sent->partition, &sent->report);
	ck_assert_msg(result >= 0, "%s", w.kit.message);
	if (result != GPUTM_COMMIT_SEQUENCER_OK)
		return;
	if (sent->report.kind == GPUTM_COMMIT_UNIT_REPORT_RETIRED)
		ck_assert_int_ge(gputm_commit_id_report_retired(w.vendor, sent->partition,
								first, count, NULL), 0);
	core->head = (core->head + 1) % QUEUE;
	core->count--;
}

/* ---- the memory: requests in order of emission, after a while ---- */

static void take_request(unsigned partition, enum gputm_commit_unit_port port)
{
	struct memory_queue *queue = &w.memory[partition];
	struct gputm_mem_request *to = &queue->request[(queue->head + queue->count) % QUEUE];

	if (queue->count == QUEUE || !gputm_commit_unit_mem_peek(w.unit[partition], port, to))
		return;
	queue->count++;
	gputm_commit_unit_mem_pop(w.unit[partition], port);
}

static void serve(unsigned partition)
{
	struct memory_queue *queue = &w.memory[partition];
	const struct gputm_mem_request *r = &queue->request[queue->head];
	uint32_t values[GPUTM_MEM_WORDS_MAX] = { 0 };

	if (!queue->count || below(2))
		return;
	for (EACH_LANE(i, r->word_mask)) {
		uint64_t address = r->address + 4 * i;

		ck_assert_uint_eq(address % 128, 0);
		if (r->write)
			w.word[address / 128] = r->value[i];
		values[i] = w.word[address / 128];
	}
	ck_assert_int_eq(gputm_commit_unit_mem_complete(w.unit[partition], r->tag, values), 0);
	queue->head = (queue->head + 1) % QUEUE;
	queue->count--;
}

/* ---- a run ---- */

static void cycle(bool starts)
{
	for (unsigned p = 0; p < PARTITIONS; p++) {
		serve(p);
		gputm_commit_unit_tick(w.unit[p]);
		take_request(p, GPUTM_COMMIT_UNIT_PORT_VALIDATION);
		take_request(p, GPUTM_COMMIT_UNIT_PORT_COMMIT);
		take_report(p);
	}
	for (unsigned c = 0; c < CORES; c++) {
		struct core *core = &w.core[c];

		for (unsigned p = 0; p < 2 * PARTITIONS; p++)
			deliver(core, p / 2, p % 2);
		deliver_report(core);
		run_warp(core, (uint32_t)below(WARPS), starts);
		give_cids(core);
		gputm_commit_sequencer_tick(core->seq);
		take_packet(core);
		take_done(core);
	}
}

static bool idle(void)
{
	bool quiet = gputm_commit_id_in_flight(w.vendor) == 0;

	for (unsigned c = 0; c < CORES; c++)
		for (unsigned i = 0; i < WARPS; i++)
			quiet &= !w.core[c].warp[i].committing && !w.core[c].warp[i].rows_left;
	return quiet;
}

static void valid(void)
{
	for (unsigned c = 0; c < CORES; c++)
		kit_valid(gputm_commit_sequencer_unit(w.core[c].seq));
	for (unsigned p = 0; p < PARTITIONS; p++)
		kit_valid(gputm_commit_unit_unit(w.unit[p]));
	kit_valid(gputm_commit_id_unit(w.vendor));
}

/* Replay what has committed, in order of CIDs. */
static void replay(void)
{
	for (uint64_t cid = 0; cid < gputm_commit_id_next_cid(w.vendor); cid++) {
		const struct transaction *t = &w.history[cid];

		for (unsigned i = 0; t->committed && i < t->count; i++)
			if (!t->access[i].write)
				ck_assert_uint_eq(t->access[i].value, w.initial[t->access[i].word]);
		for (unsigned i = 0; t->committed && i < t->count; i++)
			if (t->access[i].write)
				w.initial[t->access[i].word] = t->access[i].value;
	}
	ck_assert_mem_eq(w.initial, w.word, sizeof(w.word));
}

static const struct {
	const char *preset;
	bool warp_mode;
	uint32_t buffer_words, buffers;
} runs[] = {
	{ "kilo-tm", false, 8, 64 },  { "kilo-tm", false, 1, 4 }, { "unpacked", false, 2, 8 },
	{ "warptm", true, 8, 64 },    { "warptm", true, 1, 4 },
};

KIT_TESTS(test_kilo_commit_is_serialisable, KIT_COUNT(runs))
{
	unsigned cycles = kit_scale(20000, 1500), left = 100000;
	bool small = runs[_i].buffer_words == 1;
	uint64_t resends = 0;

	memset(&w, 0, sizeof(w));
	kit_open(&w.kit);
	w.random = 17 + (uint64_t)_i;
	w.warp_mode = runs[_i].warp_mode;
	w.next_value = 1;
	open_units(w.warp_mode, runs[_i].buffer_words, runs[_i].buffers);
	for (unsigned c = 0; c < CORES; c++)
		open_core(&w.core[c], w.warp_mode, runs[_i].preset);
	for (unsigned i = 0; i < cycles; i++) {
		cycle(true);
		if (i % 50 == 0)
			valid();
	}
	while (!idle() && left--)
		cycle(false);
	ck_assert(idle());
	valid();
	replay();
	for (unsigned c = 0; c < CORES; c++)
		resends += kit_stat(gputm_commit_sequencer_unit(w.core[c].seq), "resends");
	ck_assert_uint_gt(w.committed, cycles / 100);
	ck_assert_uint_gt(w.aborted, 0);
	ck_assert(!small || resends > 0);
	kit_close(&w.kit);
}

/* Presets of one name are one machine: what they say of it agrees, and the rings hold it. */
KIT_TESTS(test_presets_of_one_name_fit_together, 2)
{
	static const char *const names[] = { "kilo-tm", "warptm" };
	const char *name = names[_i];
	struct gputm_commit_sequencer_config seq = GPUTM_COMMIT_SEQUENCER_CONFIG_INIT;
	struct gputm_tx_throttle_config throttle = GPUTM_TX_THROTTLE_CONFIG_INIT;
	struct gputm_commit_unit_config unit = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_commit_id_config vendor = GPUTM_COMMIT_ID_CONFIG_INIT;
	struct gputm_tx_log_config log = GPUTM_TX_LOG_CONFIG_INIT;

	ck_assert_int_eq(gputm_commit_sequencer_config_preset(&seq, name), 0);
	ck_assert_int_eq(gputm_tx_throttle_config_preset(&throttle, name), 0);
	ck_assert_int_eq(gputm_commit_unit_config_preset(&unit, name), 0);
	ck_assert_int_eq(gputm_commit_id_config_preset(&vendor, name), 0);
	ck_assert_int_eq(gputm_tx_log_config_preset(&log, name), 0);
	ck_assert_uint_eq(vendor.partitions, _i ? 6 : 8);
	ck_assert_uint_eq(seq.partitions, vendor.partitions);
	ck_assert_uint_eq(log.partitions, vendor.partitions);
	ck_assert_uint_eq(seq.warps, throttle.warps);
	ck_assert_uint_eq(seq.lanes, log.lanes);
	ck_assert_uint_eq(unit.lanes, log.lanes);
	ck_assert_uint_eq(unit.warp_mode, seq.mode == GPUTM_COMMIT_SEQUENCER_MODE_WARP);
	KIT_SAME(unit, vendor, ring, first_cid);
	ck_assert_uint_eq(vendor.cores * vendor.credits, vendor.ring);
	ck_assert_uint_ge(vendor.credits, throttle.limit * log.lanes);
}

/* Without a limit: an entry for every lane that the machine holds. */
KIT_TEST(test_unbounded_presets_fit_together)
{
	struct gputm_commit_unit_config unit = GPUTM_COMMIT_UNIT_CONFIG_INIT;
	struct gputm_commit_id_config vendor = GPUTM_COMMIT_ID_CONFIG_INIT;

	ck_assert_int_eq(gputm_commit_unit_config_preset(&unit, "unbounded"), 0);
	ck_assert_int_eq(gputm_commit_id_config_preset(&vendor, "unbounded"), 0);
	ck_assert_uint_eq(vendor.cores * vendor.credits, 23040);
	ck_assert_uint_eq(vendor.ring, 23040);
	ck_assert_uint_eq(unit.ring, vendor.ring);
}
