/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of validation_unit: random accesses against the oracle, and against twins. */
#include "tests/oracle/validation_unit.h"
#include "tests/validation_unit.h"

/* ---- accesses, retries and releases against the oracle, then a rollover ---- */

#define GRANULES 4
#define WARPS 8
#define REASONS (GPUTM_VALIDATION_UNIT_REASON_ROLLOVER + 1)

struct run {
	struct gputm_validation_unit *u;
	struct oracle_validation_unit o;
	uint64_t accesses, sequence[WARPS];
};

/* What an access costs, the table of granules says. */
static void count_cost(struct run *r)
{
	r->o.stats.access_cycles += last.cycles;
	oracle_sample(r->o.stats.cost, last.cycles);
}

static void access_one(struct run *r, struct kit_bytes *bytes)
{
	uint64_t what = kit_number(bytes, 1), time = kit_number(bytes, 1), reported = 0;
	uint32_t warp = what >> 2 & (WARPS - 1);
	struct gputm_validation_unit_request q = { ++r->accesses << 32, 0, time % 32, 0, warp,
					      what >> 5 & 1 };
	int probe;

	q.address = (what & (GRANULES - 1)) * r->o.config.granularity;
	r->sequence[warp] += what >> 6 == 3;
	q.sequence = r->sequence[warp] - (time >= 240 && r->sequence[warp]);
	probe = gputm_validation_unit_access_probe(r->u, &q);
	ck_assert_int_eq(gputm_validation_unit_access(r->u, &q, &last), probe);
	ck_assert_int_eq(oracle_validation_unit_access(&r->o, &q, &reported), probe);
	ck_assert_uint_eq(last.tag, q.tag);
	ck_assert_uint_eq(last.time, reported);
	count_cost(r);
}

static void retry_one(struct run *r)
{
	uint64_t tag = 0, time = 0;
	int result = gputm_validation_unit_retry(r->u, &last);

	ck_assert_int_eq(result, oracle_validation_unit_retry(&r->o, &tag, &time));
	if (result == NONE)
		return;
	KIT_HAS(last, tag, tag, time, time);
	count_cost(r);
}

static void release_one(struct run *r, struct kit_bytes *bytes)
{
	uint64_t what = kit_number(bytes, 1);
	unsigned g = what & (GRANULES - 1);
	uint64_t address = g * r->o.config.granularity, sequence = r->o.granule[g].sequence;
	uint32_t warp = (r->o.granule[g].owner + (what >= 224)) % WARPS, count = what >> 2 & 3;

	ck_assert_int_eq(gputm_validation_unit_release(r->u, address, warp, sequence, count, NULL),
			 oracle_validation_unit_release(&r->o, address, warp, sequence, count));
}

static void same_granules(struct run *r)
{
	for (unsigned g = 0; g < GRANULES; g++)
		cell(r->u, g * r->o.config.granularity,
		     r->o.granule[g].wts.ever ? r->o.granule[g].wts.time + 1 : 0,
		     r->o.granule[g].rts.ever ? r->o.granule[g].rts.time : 0,
		     r->o.granule[g].writes, (int)r->o.granule[g].owner);
}

/* Whoever waits aborts; when nothing is reserved any more, the unit has forgotten all. */
static void roll_over(struct run *r)
{
	struct gputm_validation_unit_message stop = { 0, 0 };

	gputm_validation_unit_rollover(r->u);
	ck_assert(gputm_validation_unit_ring_pop(r->u));
	ck_assert_int_eq(gputm_validation_unit_ring_push(r->u, &stop), 0);
	ck_assert_int_eq(gputm_validation_unit_rollover_go(r->u), 0);
	r->o.stats.woken_total += r->o.waits;
	oracle_most(&r->o.stats.woken_max, r->o.waits > 0);
	while (gputm_validation_unit_retry(r->u, &last) != NONE) {
		ck_assert_uint_eq(last.reason, GPUTM_VALIDATION_UNIT_REASON_ROLLOVER);
		r->o.stats.accesses++;
		r->o.stats.retries++;
		r->o.stats.abort_rollover++;
		count_cost(r);
	}
	ck_assert_uint_eq(r->o.stats.abort_rollover, r->o.waits + r->o.wakes);
	for (unsigned g = 0; g < GRANULES; g++)
		if (r->o.granule[g].writes) {
			release(r->u, g * r->o.config.granularity, r->o.granule[g].owner,
				r->o.granule[g].sequence, r->o.granule[g].writes);
			r->o.stats.releases++;
			r->o.stats.released_writes += r->o.granule[g].writes;
		}
	r->o.stats.rollovers++;
	ck_assert_int_eq(gputm_validation_unit_current_state(r->u),
			 GPUTM_VALIDATION_UNIT_STATE_RUNNING);
	ck_assert_uint_eq(gputm_validation_unit_writes(r->u), 0);
	ck_assert_uint_eq(gputm_validation_unit_pending(r->u), 0);
	for (unsigned g = 0; g < GRANULES; g++)
		cell(r->u, g * r->o.config.granularity, 0, 0, 0, 0);
}

KIT_DRIVE(validation_unit, 24, 4000)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct run r = { 0 };

	config.paper_order = bytes->round & 1;
	config.stall_lines = 1 + kit_u32(bytes, 4);
	config.stall_requests = 1 + kit_u32(bytes, 4);
	config.granularity = 4u << kit_u32(bytes, 6);
	config.address_bits = kit_u32(bytes, 2) ? 32 : 40;
	config.access_delay = kit_u32(bytes, 3);
	config.report_highest = kit_u32(bytes, 3) == 2;
	config.entries = 4; /* room for all granules; each check looks at every cell */
	config.filter_entries = 4;
	r.o.config = config;
	r.u = make_of(kit, &config);
	kit_observe(unit_of(r.u)); /* who finds the unit in order at each event */
	for (KIT_TURNS(validation_unit, r.u)) {
		uint64_t what = kit_draw(bytes, 6);

		if (what < 3)
			access_one(&r, bytes);
		else if (what == 3)
			retry_one(&r);
		else
			release_one(&r, bytes);
		same_granules(&r);
	}
	r.o.stats.buffered = r.o.waits;
	r.o.stats.pending = r.o.waits + r.o.wakes;
	KIT_STATS(unit_of(r.u), &r.o.stats, ORACLE_VALIDATION_UNIT_STATS);
	roll_over(&r);
	r.o.stats.buffered = r.o.stats.pending = 0;
	KIT_STATS_END(validation_unit, r.u, &r.o.stats, ORACLE_VALIDATION_UNIT_STATS);
}

/* An observer changes nothing: no answer and no state is another. */
static void twin_step(struct gputm_validation_unit *twin[2], uint64_t *random, unsigned seen[])
{
	uint32_t warp = (uint32_t)kit_below(random, 6), granule = (uint32_t)kit_below(random, 12);
	struct gputm_validation_unit_request r = { kit_random(random), granule * 32,
					      kit_below(random, 30), 1, warp,
					      kit_below(random, 2) };
	struct gputm_validation_unit_answer answer[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
	uint64_t what = kit_below(random, 4);
	int result[2];

	for (unsigned i = 0; i < 2; i++)
		result[i] = what < 2 ? gputm_validation_unit_access(twin[i], &r, &answer[i]) :
			    what == 2 ? gputm_validation_unit_retry(twin[i], &answer[i]) :
			    gputm_validation_unit_release(twin[i], r.address, warp, 1, 1, NULL);
	ck_assert_int_eq(result[0], result[1]);
	KIT_SAME(answer[0], answer[1], tag, time, reason, cycles);
	if (what < 2 && result[0] == STALLED)
		seen[REASONS]++;
	else if (what < 2)
		seen[answer[0].reason]++;
}

KIT_TEST(test_usual_accesses_are_answered_alike)
{
	unsigned seen[REASONS + 1] = { 0 };
	struct gputm_validation_unit *twin[2];
	uint64_t random = 11;

	for (unsigned i = 0; i < 2; i++)
		twin[i] = make(kit, "entries=4 stall_lines=2 stall_requests=2 count_bits=2");
	kit_observe(unit_of(twin[1]));
	for (unsigned i = 0; i < kit_scale(20000, 2000); i++) {
		twin_step(twin, &random, seen);
		ck_assert_uint_eq(kit_digest(unit_of(twin[0])), kit_digest(unit_of(twin[1])));
	}
	for (unsigned i = 0; i <= REASONS; i++)
		ck_assert(seen[i] || i == GPUTM_VALIDATION_UNIT_REASON_ROLLOVER ||
			  i == GPUTM_VALIDATION_UNIT_REASON_COUNT);
	kit_valid(unit_of(twin[0]));
	for (unsigned i = 0; i < 2; i++) {
		gputm_validation_unit_rollover(twin[i]);
	}
}

/* The event of a stop names the unit that began the rollover. */
KIT_MADE(test_rollover_tells_the_leader, u, "units=3 id=2")
{
	kit_observe(unit_of(u));
	gputm_validation_unit_rollover(u);
	KIT_TOLD("state", 1, GPUTM_VALIDATION_UNIT_STATE_STOPPED, 2);
}

/* Another reserves the granule before the woken access comes to its turn. */
KIT_MADE(test_woken_access_waits_again, u, NULL)
{
	kit_observe(unit_of(u));
	ck_assert_int_eq(store(u, 0, 1, 10), OK);
	ck_assert_int_eq(load(u, 0, 2, 15), STALLED);
	release(u, 0, 1, 10, 1);
	ck_assert_int_eq(store(u, 0, 4, 12), OK);
	ck_assert_int_eq(retry(u), STALLED);
	ck_assert_uint_eq(kit_stat(unit_of(u), "retries"), 1);
	release(u, 0, 4, 12, 1);
	ck_assert_int_eq(retry(u), OK);
}

/* Take an answer, if there is one, and count it. */
static bool take_answer(struct gputm_validation_unit *u, struct oracle_validation_unit *o)
{
	if (!gputm_validation_unit_peek(u, &last))
		return false;
	o->stats.abort_count += last.reason == GPUTM_VALIDATION_UNIT_REASON_COUNT;
	o->stats.abort_estimated += gputm_validation_unit_estimated(u);
	o->stats.delivered++;
	return gputm_validation_unit_pop(u);
}

/* The same bytes by advance() as by ticks, with pushes and pops at the same cycles. */
KIT_TEST(test_advance_is_so_many_ticks)
{
	struct gputm_validation_unit *a, *b;
	struct oracle_validation_unit o = { 0 };
	uint64_t random = 77;

	a = make(kit, "ways=1 entries=2 stash=1 memory_latency=7 count_bits=1");
	b = make(kit, "ways=1 entries=2 stash=1 memory_latency=7 count_bits=1");
	for (unsigned i = 0; i < kit_scale(3000, 200); i++) {
		uint32_t warp = (uint32_t)kit_below(&random, 6);
		struct gputm_validation_unit_request r = { i, kit_below(&random, 8) * 32,
						      kit_below(&random, 30), 1, warp,
						      kit_below(&random, 2) };
		uint64_t cycles = kit_below(&random, 20), address = kit_below(&random, 8) * 32;
		struct gputm_validation_unit_granule g;

		o.stats.accepted += gputm_validation_unit_push_probe(a, &r) ==
				    GPUTM_VALIDATION_UNIT_ACCEPTED;
		ck_assert_int_eq(gputm_validation_unit_push(a, &r),
				 gputm_validation_unit_push(b, &r));
		ck_assert_int_eq(gputm_validation_unit_get_granule(a, address, &g), 0);
		if (g.writes && i % 4 == 0) {
			release(a, address, g.owner, 1, 1);
			release(b, address, g.owner, 1, 1);
		}
		ck_assert_int_ge(gputm_validation_unit_advance(a, cycles), 0);
		for (uint64_t j = 0; j < cycles; j++) {
			uint64_t quiet = gputm_validation_unit_next_event(b);

			ck_assert_int_ge(gputm_validation_unit_tick(b), 0);
			if (quiet && quiet != UINT64_MAX)
				ck_assert_uint_eq(gputm_validation_unit_next_event(b), quiet - 1);
		}
		o.stats.cycles += cycles;
		ck_assert_uint_eq(kit_digest(unit_of(a)), kit_digest(unit_of(b)));
		if (kit_below(&random, 2))
			ck_assert_int_eq(take_answer(a, &o), gputm_validation_unit_pop(b));
	}
	do {
		ck_assert_int_ge(gputm_validation_unit_advance(a, 1000), 0);
		o.stats.cycles += 1000;
	} while (take_answer(a, &o));
	ck_assert_uint_eq(kit_stat(unit_of(a), "cycles"), o.stats.cycles);
	ck_assert_uint_eq(kit_stat(unit_of(a), "accepted"), o.stats.accepted);
	ck_assert_uint_eq(kit_stat(unit_of(a), "delivered"), o.stats.delivered);
	ck_assert_uint_eq(kit_stat(unit_of(a), "abort_count"), o.stats.abort_count);
	ck_assert_uint_eq(kit_stat(unit_of(a), "abort_estimated"), o.stats.abort_estimated);
	ck_assert(o.stats.abort_count && o.stats.abort_estimated);
}
