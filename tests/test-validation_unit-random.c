/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of validation_unit: random accesses against the oracle, and against twins. */
#include "tests/oracle/validation_unit.h"
#include "tests/validation_unit.h"

struct run {
	struct kit kit;
	struct gputm_validation_unit *u;
	struct oracle_validation_unit o;
	uint64_t random, sequence[6];
};

static void random_access(struct run *r)
{
	uint32_t warp = (uint32_t)kit_below(&r->random, 6);
	struct gputm_validation_request q = { kit_random(&r->random), 0,
					      kit_below(&r->random, 30), r->sequence[warp], warp,
					      kit_below(&r->random, 2) };
	uint64_t time = 0;
	int probe, mine;

	q.address = kit_below(&r->random, 4) * r->o.config.granularity;
	if (kit_below(&r->random, 4) == 0)
		r->sequence[warp]++;
	probe = gputm_validation_unit_access_probe(r->u, &q);
	mine = gputm_validation_unit_access(r->u, &q, &last);
	ck_assert_int_eq(mine, probe);
	ck_assert_int_eq(mine, oracle_validation_unit_access(&r->o, &q, &time));
	ck_assert_uint_eq(last.time, time);
}

static void random_retry(struct run *r)
{
	uint64_t tag = 0, time = 0;
	int result = gputm_validation_unit_retry(r->u, &last);

	ck_assert_int_eq(result, oracle_validation_unit_retry(&r->o, &tag, &time));
	if (result == NONE)
		return;
	ck_assert_uint_eq(last.tag, tag);
	ck_assert_uint_eq(last.time, time);
}

static void random_release(struct run *r)
{
	unsigned g = (unsigned)kit_below(&r->random, 4);
	uint32_t count = (uint32_t)kit_below(&r->random, 3);
	uint64_t address = g * r->o.config.granularity;
	uint32_t warp = r->o.granule[g].owner;
	uint64_t sequence = r->o.granule[g].sequence;

	if (kit_below(&r->random, 8) == 0)
		warp = (warp + 1) % 6;
	ck_assert_int_eq(gputm_validation_unit_release(r->u, address, warp, sequence, count, NULL),
			 oracle_validation_unit_release(&r->o, address, warp, sequence, count));
}

static void same_granules(struct run *r)
{
	for (unsigned g = 0; g < 4; g++)
		cell(r->u, g * r->o.config.granularity,
		     r->o.granule[g].wts.ever ? r->o.granule[g].wts.time + 1 : 0,
		     r->o.granule[g].rts.ever ? r->o.granule[g].rts.time : 0,
		     r->o.granule[g].writes, (int)r->o.granule[g].owner);
}

KIT_BARE_TEST(test_validation_unit_random)
{
	static struct run r;

	for (uint64_t seed = 0; seed < kit_scale(40, 4); seed++) {
		memset(&r, 0, sizeof(r));
		r.random = seed;
		r.o.config = (struct gputm_validation_unit_config)GPUTM_VALIDATION_UNIT_CONFIG_INIT;
		r.o.config.paper_order = seed & 1;
		r.o.config.stall_lines = 1 + (uint32_t)kit_below(&r.random, 4);
		r.o.config.stall_requests = 1 + (uint32_t)kit_below(&r.random, 4);
		r.o.config.granularity = 4u << kit_below(&r.random, 6);
		kit_open(&r.kit);
		r.u = make(&r.kit, &r.o.config);
		for (unsigned i = 0; i < 600; i++) {
			uint64_t what = kit_below(&r.random, 6);

			if (what < 3)
				random_access(&r);
			else if (what == 3)
				random_retry(&r);
			else
				random_release(&r);
			same_granules(&r);
			kit_valid(gputm_validation_unit_unit(r.u));
			if (i % 60 == 59)
				r.u = (struct gputm_validation_unit *)(void *)kit_swap(
					&validation_unit_maker, &r.kit,
					gputm_validation_unit_unit(r.u));
		}
		gputm_validation_unit_free(r.u);
		kit_close(&r.kit);
	}
}

/* An observed unit processes each access step by step: no answer and no state is another. */
static void twin_step(struct gputm_validation_unit *twin[2], uint64_t *random, unsigned seen[])
{
	uint32_t warp = (uint32_t)kit_below(random, 6), granule = (uint32_t)kit_below(random, 12);
	struct gputm_validation_request r = { kit_random(random), granule * 32,
					      kit_below(random, 30), 1, warp,
					      kit_below(random, 2) };
	struct gputm_validation_answer answer[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
	uint64_t what = kit_below(random, 4);
	int result[2];

	for (unsigned i = 0; i < 2; i++)
		result[i] = what < 2 ? gputm_validation_unit_access(twin[i], &r, &answer[i]) :
			    what == 2 ? gputm_validation_unit_retry(twin[i], &answer[i]) :
			    gputm_validation_unit_release(twin[i], r.address, warp, 1, 1, NULL);
	ck_assert_int_eq(result[0], result[1]);
	ck_assert_uint_eq(answer[0].tag, answer[1].tag);
	ck_assert_uint_eq(answer[0].time, answer[1].time);
	ck_assert_uint_eq(answer[0].reason, answer[1].reason);
	ck_assert_uint_eq(answer[0].cycles, answer[1].cycles);
	if (what < 2 && result[0] == STALLED)
		seen[GPUTM_VALIDATION_UNIT_REASONS]++;
	else if (what < 2)
		seen[answer[0].reason]++;
}

KIT_TEST(test_usual_accesses_are_answered_alike)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	unsigned seen[GPUTM_VALIDATION_UNIT_REASONS + 1] = { 0 };
	struct gputm_validation_unit *twin[2];
	uint64_t random = 11;

	config.entries = 4;
	config.stall_lines = 2;
	config.stall_requests = 2;
	config.count_bits = 2;
	for (unsigned i = 0; i < 2; i++)
		twin[i] = make(kit, &config);
	kit_observe(gputm_validation_unit_unit(twin[1]));
	for (unsigned i = 0; i < kit_scale(20000, 2000); i++) {
		twin_step(twin, &random, seen);
		ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(twin[0])),
				  kit_digest(gputm_validation_unit_unit(twin[1])));
	}
	for (unsigned i = 0; i <= GPUTM_VALIDATION_UNIT_REASONS; i++)
		ck_assert(seen[i] || i == GPUTM_VALIDATION_UNIT_ROLLOVER ||
			  i == GPUTM_VALIDATION_UNIT_COUNT);
	kit_valid(gputm_validation_unit_unit(twin[0]));
	for (unsigned i = 0; i < 2; i++) {
		gputm_validation_unit_rollover(twin[i]);
		gputm_validation_unit_free(twin[i]);
	}
}

/* The same bytes by advance() as by ticks, with pushes and pops at the same cycles. */
KIT_TEST(test_advance_is_so_many_ticks)
{
	struct gputm_validation_unit_config config = GPUTM_VALIDATION_UNIT_CONFIG_INIT;
	struct gputm_validation_unit *a, *b;
	uint64_t random = 77;

	config.ways = 1;
	config.entries = 2;
	config.stash = 1;
	config.memory_latency = 7;
	a = make(kit, &config);
	b = make(kit, &config);
	for (unsigned i = 0; i < kit_scale(3000, 200); i++) {
		uint32_t warp = (uint32_t)kit_below(&random, 6);
		struct gputm_validation_request r = { i, kit_below(&random, 8) * 32,
						      kit_below(&random, 30), 1, warp,
						      kit_below(&random, 2) };
		uint64_t cycles = kit_below(&random, 20), address = kit_below(&random, 8) * 32;
		struct gputm_validation_granule g;

		ck_assert_int_eq(gputm_validation_unit_push(a, &r),
				 gputm_validation_unit_push(b, &r));
		ck_assert_int_eq(gputm_validation_unit_get_granule(a, address, &g), 0);
		if (g.writes) {
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
		ck_assert_uint_eq(kit_digest(gputm_validation_unit_unit(a)),
				  kit_digest(gputm_validation_unit_unit(b)));
		if (kit_below(&random, 2))
			ck_assert_int_eq(gputm_validation_unit_pop(a),
					 gputm_validation_unit_pop(b));
	}
	gputm_validation_unit_free(a);
	gputm_validation_unit_free(b);
}
