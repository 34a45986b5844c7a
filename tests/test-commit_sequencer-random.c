/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_sequencer: random commits against the oracle of commit units. */
#include "tests/commit_sequencer.h"
#include "tests/oracle/commit_sequencer.h"

#define WARPS 4
#define L1_ROWS 2
#define COMMIT_SEQUENCER_STATS                                                                 \
	commits, transactions, passed, failed, without_cid, refused, cids_granted,             \
		cids_retired, packets, packets_sent, words, rows_walked, spilled_rows, stalls, \
		resends, max_slots, max_packets, latency[GPUTM_HISTOGRAM_BUCKETS], slots_used, \
		packets_waiting

static const struct shape {
	uint32_t lanes, partitions, mode, pack, pack_done, pack_verdict;
	uint32_t slots, output_packets, resend_requests, spilled_row_cycles;
} shapes[] = {
	{ 8, 6, 0, 1, 1, 0, 6, 16, 4, 0 }, { 8, 3, 1, 1, 1, 1, 8, 4, 4, 2 },
	{ 4, 2, 0, 0, 0, 0, 3, 4, 1, 5 },  { 5, 8, 0, 1, 0, 1, 16, 64, 64, 1 },
	{ 1, 1, 1, 0, 0, 0, 2, 1, 1, 3 },
};

struct world {
	struct kit *kit;
	struct kit_bytes *bytes;
	struct gputm_commit_sequencer *seq;
	struct gputm_tx_log *log[WARPS];
	struct oracle_tx_log mirror[WARPS];
	bool busy[WARPS];
	uint64_t want[WARPS], with_cid[WARPS]; /* lanes that began, and that need a CID */
	uint32_t slots, in_use;
	uint32_t full;	    /* with so many packets a step finds no room */
	bool works, popped; /* in this cycle the unit has a step to do; a packet has left */
	uint64_t cycles, begun[WARPS];
	unsigned done, resent; /* events heard */
	struct oracle_commit_sequencer oracle;
	uint64_t random, next_cid;
	ORACLE_STATS(COMMIT_SEQUENCER_STATS) stats;
};

static void world_open(struct world *w, struct kit *kit, const struct shape *shape)
{
	struct gputm_commit_sequencer_config config = with(
		"warps=%d lanes=%u partitions=%u mode=%u intra_warp_resolved=%d pack=%u "
		"pack_done=%d pack_verdict=%d slots=%u output_packets=%u resend_requests=%u "
		"spilled_row_cycles=%u",
		WARPS, shape->lanes, shape->partitions, shape->mode, shape->mode != 0, shape->pack,
		shape->pack_done, shape->pack_verdict, shape->slots, shape->output_packets,
		shape->resend_requests, shape->spilled_row_cycles);

	memset(w, 0, sizeof(*w));
	w->kit = kit;
	w->slots = shape->slots;
	w->full = shape->partitions;
	if (!shape->pack && shape->lanes > shape->partitions)
		w->full = shape->lanes;
	w->full = shape->output_packets - w->full + 1;
	for (unsigned i = 0; i < WARPS; i++) {
		w->log[i] = kit_make_as(kit, &tx_log_maker, "lanes=%u partitions=%u l1_rows=%d",
					shape->lanes, shape->partitions, L1_ROWS);
		oracle_tx_log_init(&w->mirror[i], shape->lanes, shape->partitions, 256);
	}
	config.logs = (const struct gputm_tx_log *const *)w->log;
	ck_assert_int_eq(gputm_commit_sequencer_new(kit->ctx, &config, &w->seq), 0);
	kit_observe(unit_of(w->seq));
	oracle_commit_sequencer_init(&w->oracle, shape->partitions, shape->mode);
}

/* ---- cycles, rows and packets ---- */

/* Whether the unit has a step to do. Its word on that says nothing once a packet has left. */
static void look(struct world *w)
{
	if (!w->popped)
		w->works = gputm_commit_sequencer_next_event(w->seq) == 0;
}

/* A log of a warp is walked, to its end. */
static void walk(struct world *w, uint64_t warp, unsigned kind)
{
	unsigned rows = w->mirror[warp].rows[kind];

	w->stats.rows_walked += rows;
	w->stats.spilled_rows += rows > L1_ROWS ? rows - L1_ROWS : 0;
}

/* The unit has told that a commit is done, or a log sent again. */
static void hear(struct world *w)
{
	const uint64_t *event;

	if (w->done != kit_events(GPUTM_COMMIT_SEQUENCER_EVENT_FINISH)) {
		event = kit_event(GPUTM_COMMIT_SEQUENCER_EVENT_FINISH);
		oracle_sample(w->stats.latency, w->cycles - w->begun[event[0]]);
		w->done++;
	}
	if (w->resent != kit_events(GPUTM_COMMIT_SEQUENCER_EVENT_RESEND)) {
		event = kit_event(GPUTM_COMMIT_SEQUENCER_EVENT_RESEND);
		walk(w, event[0], event[3] & 1);
		w->resent++;
	}
}

static int cycle(struct world *w)
{
	int offers;

	look(w);
	w->stats.stalls += w->works && kit_stat(unit_of(w->seq), "packets_waiting") >= w->full;
	offers = gputm_commit_sequencer_tick(w->seq);
	oracle_most(&w->stats.max_packets, kit_stat(unit_of(w->seq), "packets_waiting"));
	hear(w);
	w->cycles++;
	w->popped = false;
	return offers;
}

/* ---- steps ---- */

/* What the bytes say; when there are no more, what the generator says. */
static uint64_t below(struct world *w, uint64_t limit)
{
	if (kit_more(w->bytes))
		return kit_draw(w->bytes, limit);
	return kit_below(&w->random, limit);
}

static void fill_logs(struct world *w, unsigned warp)
{
	uint64_t all = (UINT64_C(1) << w->mirror[warp].lanes) - 1, address[ORACLE_SEQ_LANES];
	uint32_t value[ORACLE_SEQ_LANES];

	ck_assert_int_eq(gputm_tx_log_restart(w->log[warp], all), 0);
	oracle_tx_log_restart(&w->mirror[warp], all);
	w->random += below(w, 256);
	for (uint64_t rows = below(w, 7); rows; rows--) {
		uint64_t mask = kit_random(&w->random) & kit_random(&w->random) & all;
		unsigned kind = (unsigned)below(w, 2);

		for (unsigned i = 0; i < ORACLE_SEQ_LANES; i++) {
			address[i] = kit_below(&w->random, 1024) << 2;
			value[i] = (uint32_t)kit_random(&w->random);
		}
		ck_assert(oracle_tx_log_append(&w->mirror[warp], kind, mask, address, value));
		if (kind)
			ck_assert_int_ge(gputm_tx_log_append_write(w->log[warp], mask, address,
								   value), 0);
		else
			ck_assert_int_ge(gputm_tx_log_append_read(w->log[warp], mask, address,
								  value), 0);
	}
}

static void try_begin(struct world *w)
{
	unsigned warp = (unsigned)below(w, WARPS);
	uint64_t lanes;
	int result;

	if (w->busy[warp])
		return;
	fill_logs(w, warp);
	lanes = 1 + below(w, (UINT64_C(1) << w->mirror[warp].lanes) - 1);
	result = gputm_commit_sequencer_begin_probe(w->seq, (uint32_t)warp, lanes);
	ck_assert_int_eq(result, w->in_use < w->slots ? OK : BUSY);
	ck_assert_int_eq(gputm_commit_sequencer_begin(w->seq, (uint32_t)warp, lanes), result);
	w->stats.refused += result == BUSY;
	if (result != OK)
		return;
	w->busy[warp] = true;
	w->in_use++;
	w->stats.commits++;
	w->stats.transactions += (unsigned)__builtin_popcountll(lanes);
	oracle_most(&w->stats.max_slots, w->in_use);
	w->begun[warp] = w->cycles;
	w->want[warp] = lanes;
	w->with_cid[warp] = 0;
	for (unsigned i = 0; i < w->mirror[warp].count; i++)
		if (lanes >> w->mirror[warp].entry[i].lane & 1)
			w->with_cid[warp] |= UINT64_C(1) << w->mirror[warp].entry[i].lane;
}

static void try_grant(struct world *w)
{
	uint32_t warp, count;

	if (!gputm_commit_sequencer_wants(w->seq, &warp, &count))
		return;
	ck_assert_uint_eq(count, (unsigned)__builtin_popcountll(w->with_cid[warp]));
	w->next_cid += below(w, 3) ? 0 : below(w, 100);
	ck_assert_int_eq(gputm_commit_sequencer_grant(w->seq, w->next_cid), 0);
	oracle_commit_sequencer_begin(&w->oracle, warp, w->next_cid, w->with_cid[warp],
				      &w->mirror[warp]);
	w->next_cid += count;
	w->stats.cids_granted += count;
	walk(w, warp, 0);
	walk(w, warp, 1);
	w->works = true;
}

static void try_pop(struct world *w)
{
	const char *wrong;
	uint32_t partition;

	if (!gputm_commit_sequencer_peek(w->seq, &partition, &message))
		return;
	wrong = oracle_commit_sequencer_message(&w->oracle, partition, &message);
	ck_assert_msg(!wrong, "%s", wrong);
	ck_assert(gputm_commit_sequencer_pop(w->seq));
	w->popped = true;
	w->stats.packets = ++w->stats.packets_sent;
	w->stats.words += message.words;
}

static void try_report(struct world *w)
{
	struct gputm_commit_unit_report report;
	uint64_t pick = below(w, UINT64_MAX);
	unsigned partition;
	int result;

	if (!oracle_commit_sequencer_report(&w->oracle, pick, &partition, &report))
		return;
	result = gputm_commit_sequencer_push_probe(w->seq, partition, &report);
	ck_assert_int_eq(gputm_commit_sequencer_push(w->seq, partition, &report), result);
	ck_assert_msg(result == OK ||
			      (result == BUSY && report.kind == GPUTM_COMMIT_UNIT_REPORT_RESEND),
		      "%s", w->kit->message);
	if (result != OK)
		return;
	if (oracle_commit_sequencer_sent(&w->oracle, partition, &report) ||
	    (report.kind == GPUTM_COMMIT_UNIT_REPORT_RESEND && w->stats.resends == w->resent))
		w->works = true;
	w->stats.resends += report.kind == GPUTM_COMMIT_UNIT_REPORT_RESEND;
}

static void try_done(struct world *w)
{
	struct gputm_commit_sequencer_done out;
	const char *wrong = NULL;
	uint64_t failed = 0;

	if (!gputm_commit_sequencer_take_done(w->seq, &out))
		return;
	ck_assert(w->busy[out.warp]);
	ck_assert_uint_eq(out.with_cid, w->with_cid[out.warp]);
	if (out.with_cid)
		wrong = oracle_commit_sequencer_done(&w->oracle, out.first_cid, &failed);
	else
		w->in_use--;
	ck_assert_msg(!wrong, "%s", wrong);
	KIT_HAS(out, fail, failed, pass, w->want[out.warp] & ~failed);
	w->stats.passed += (unsigned)__builtin_popcountll(w->want[out.warp] & ~failed);
	w->stats.failed += (unsigned)__builtin_popcountll(failed);
	w->stats.without_cid += (unsigned)__builtin_popcountll(w->want[out.warp] &
							       ~w->with_cid[out.warp]);
	w->busy[out.warp] = false;
}

static void try_retired(struct world *w)
{
	struct gputm_commit_sequencer_retired out;
	const char *wrong;

	if (!gputm_commit_sequencer_take_retired(w->seq, &out))
		return;
	wrong = oracle_commit_sequencer_retired(&w->oracle, out.first_cid, out.count);
	ck_assert_msg(!wrong, "%s", wrong);
	w->in_use--;
	w->stats.cids_retired += out.count;
}

/* The kinds of output that the sequencer has; a retired CID and a done are taken. */
static int offers_of(struct gputm_commit_sequencer *seq)
{
	struct gputm_commit_sequencer_retired retired;
	struct gputm_commit_sequencer_done done;
	struct gputm_commit_unit_message packet;
	uint32_t partition;
	int offers = 0;

	/* Once a warp is told to be done, its CIDs may be told to be retired. */
	if (gputm_commit_sequencer_take_retired(seq, &retired) == 1)
		offers |= GPUTM_COMMIT_SEQUENCER_OFFER_RETIRED;
	if (gputm_commit_sequencer_take_done(seq, &done) == 1)
		offers |= GPUTM_COMMIT_SEQUENCER_OFFER_DONE;
	if (gputm_commit_sequencer_peek(seq, &partition, &packet) == 1)
		offers |= GPUTM_COMMIT_SEQUENCER_OFFER_PACKET;
	return offers;
}

/*
 * n ticks, and a twin that advances by n from the same snapshot: the same bytes. Nothing is offered
 * before next_offer() says so.
 */
static void compare_advance(struct world *w)
{
	static uint8_t image[1 << 16];
	size_t size = gputm_unit_save(unit_of(w->seq), image, sizeof(image));
	uint64_t n = below(w, 12), ahead = gputm_commit_sequencer_next_event(w->seq);
	uint64_t quiet = gputm_commit_sequencer_next_offer(w->seq);
	uint64_t packets = kit_stat(unit_of(w->seq), "packets");
	struct gputm_unit *twin = NULL;
	int offers = 0;

	ck_assert_uint_le(size, sizeof(image));
	commit_sequencer_make(w->kit->ctx, gputm_unit_config(unit_of(w->seq)), &twin);
	ck_assert_ptr_nonnull(twin);
	ck_assert_int_eq(gputm_unit_load(twin, image, size), 0);
	gputm_commit_sequencer_advance((struct gputm_commit_sequencer *)(void *)twin, n);
	for (uint64_t i = 0; i < n; i++) {
		offers = cycle(w);
		ck_assert(i >= quiet || !offers);
		if (i < ahead)
			ck_assert_uint_eq(kit_stat(unit_of(w->seq), "packets"), packets);
		if (i + 1 < ahead && ahead != UINT64_MAX)
			ck_assert_uint_eq(gputm_commit_sequencer_next_event(w->seq), ahead - i - 1);
	}
	ck_assert_uint_eq(kit_digest(unit_of(w->seq)), kit_digest(twin));
	if (n)
		ck_assert_int_eq(offers, offers_of((struct gputm_commit_sequencer *)(void *)twin));
	commit_sequencer_destroy(twin);
}

static void step(struct world *w, bool begins)
{
	look(w);
	switch (below(w, 8)) {
	case 0:
		if (begins)
			try_begin(w);
		break;
	case 1:
		try_grant(w);
		break;
	case 2:
	case 3:
		try_pop(w);
		break;
	case 4:
		try_report(w);
		break;
	case 5:
		try_done(w);
		try_retired(w);
		break;
	default:
		cycle(w);
	}
	hear(w);
}

static struct shape any_shape(struct kit_bytes *bytes)
{
	struct shape shape = { .lanes = 1 + kit_u32(bytes, 8), .partitions = 1 + kit_u32(bytes, 8),
			       .mode = kit_u32(bytes, 2), .pack = kit_u32(bytes, 2),
			       .pack_done = kit_u32(bytes, 2), .pack_verdict = kit_u32(bytes, 2),
			       .slots = 1 + kit_u32(bytes, 8), .output_packets = 8,
			       .resend_requests = 2, .spilled_row_cycles = kit_u32(bytes, 2) };

	return shape;
}

/* All that has begun ends. */
static void drain(struct world *w)
{
	for (unsigned left = 400000; w->in_use; left--) {
		ck_assert_uint_gt(left, 0);
		step(w, false);
		kit_valid(unit_of(w->seq));
	}
	ck_assert_uint_eq(oracle_commit_sequencer_live(&w->oracle), 0);
	KIT_STATS(unit_of(w->seq), &w->stats, COMMIT_SEQUENCER_STATS);
}

/* Every other round is left in the middle of things, for the snapshots that follow. */
KIT_DRIVE(commit_sequencer, 20, 400000)
{
	static struct world w;
	struct shape shape = KIT_ROW(shapes, any_shape(bytes));

	world_open(&w, kit, &shape);
	w.bytes = bytes;
	w.random = bytes->round;
	while (kit_more(bytes)) {
		step(&w, true);
		w.seq = KIT_TURN(commit_sequencer, w.seq);
		if (!below(&w, 100))
			compare_advance(&w);
	}
	if (bytes->thorough && kit_scale(true, false)) /* a small round has too few commits */
		ck_assert(w.stats.resends && w.stats.passed && w.stats.failed);
	if (bytes->round % 2)
		drain(&w);
	KIT_END(commit_sequencer, w.seq);
}
