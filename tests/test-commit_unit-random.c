/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of commit_unit: runs against the serial order, messages of any kind, and snapshots. */
#include "tests/kit.h"
#include "tests/oracle/commit_unit.h"

KIT_PART(commit_unit, COMMIT_UNIT);

/* Of the state alone, which does not know the time. */
static uint64_t state_digest(struct gputm_commit_unit *unit)
{
	static uint8_t bytes[1 << 20];
	size_t size = gputm_unit_save_state(unit_of(unit), bytes, sizeof(bytes));
	uint64_t hash = 0;

	ck_assert_uint_le(size, sizeof(bytes));
	for (size_t n = 0; n < size - 8; n++)
		hash = (hash ^ bytes[n]) * UINT64_C(0x100000001b3);
	return hash;
}

/* advance(n) is n ticks, and next_event() says exactly whether a tick does something. */
static void check_clock(struct gputm_commit_unit *unit, const struct gputm_commit_unit_config *c,
			unsigned cycles)
{
	static uint8_t bytes[1 << 20];
	size_t size = gputm_unit_save(unit_of(unit), bytes, sizeof(bytes));
	struct gputm_commit_unit *twin[2];

	for (int n = 0; n < 2; n++) {
		ck_assert_int_eq(gputm_commit_unit_new(NULL, c, &twin[n]), 0);
		ck_assert_int_eq(gputm_unit_load(unit_of(twin[n]), bytes, size), 0);
	}
	gputm_commit_unit_advance(twin[0], cycles);
	for (unsigned n = 0; n < cycles; n++) {
		uint64_t next = gputm_commit_unit_next_event(twin[1]);
		uint64_t before = state_digest(twin[1]);
		bool moved = gputm_commit_unit_tick(twin[1]) & GPUTM_COMMIT_UNIT_OFFER_MOVED;

		ck_assert(next == 0 || next == UINT64_MAX);
		ck_assert(moved == (next == 0));
		ck_assert((state_digest(twin[1]) != before) == (next == 0));
	}
	for (int n = 0; n < 2; n++)
		kit_valid(unit_of(twin[n]));
	ck_assert_uint_eq(kit_digest(unit_of(twin[0])), kit_digest(unit_of(twin[1])));
	gputm_commit_unit_free(twin[0]);
	gputm_commit_unit_free(twin[1]);
}

static struct gputm_commit_unit_config any_config(struct kit_bytes *bytes)
{
	struct gputm_commit_unit_config c = GPUTM_COMMIT_UNIT_CONFIG_INIT;

	c.warp_mode = kit_u32(bytes, 2);
	c.ring = 8 + kit_u32(bytes, 56);
	c.lanes = 8;
	c.cid_bits = 8 + kit_u32(bytes, 2);
	c.buffer_words = 1 + kit_u32(bytes, 8);
	c.buffers = kit_u32(bytes, 64);
	c.buffer_policy = 1 + kit_u32(bytes, 4);
	c.region_bytes = 4u << kit_u32(bytes, 4);
	c.hazard_rate = 1 + kit_u32(bytes, 3);
	c.input_depth = 1 + kit_u32(bytes, 8);
	c.resent_depth = 1 + kit_u32(bytes, 3);
	c.output_depth = 1 + kit_u32(bytes, 4);
	c.port_words = 64;
	c.history_sets = 1u << kit_u32(bytes, 4);
	c.history_ways = 1 + kit_u32(bytes, 4);
	c.filter_buckets = 1u << kit_u32(bytes, 5);
	c.pending_block = kit_u32(bytes, 2) ? 32 : 0;
	c.pending_entries = 8;
	c.first_cid = kit_u32(bytes, 100);
	c.seed = kit_number(bytes, 1);
	c.serial_input = kit_u32(bytes, 2);
	c.ordered_outcomes = (uint8_t)kit_u32(bytes, 3);
	c.entry_done = (uint8_t)kit_u32(bytes, 3);
	c.empty_pool = kit_u32(bytes, 2);
	return c;
}

static struct oracle_plan any_plan(struct kit_bytes *bytes,
				   const struct gputm_commit_unit_config *c)
{
	struct oracle_plan plan = {
		.warps = bytes->thorough ? 150 : 1 + kit_u32(bytes, 30),
		.lanes = 8,
		.most_reads = kit_u32(bytes, ORACLE_LOG + 1),
		.most_writes = kit_u32(bytes, ORACLE_LOG + 1),
		.skips = kit_u32(bytes, 16),
		.private_words = c->warp_mode,
		.ordered = c->ordered_outcomes,
		.done = c->entry_done == 1 && c->warp_mode ? 0 : c->entry_done,
		.first_cid = c->first_cid,
		.seed = kit_number(bytes, 4),
		.config = c,
	};

	return plan;
}

/* ---- the drive ---- */

static void listen(struct gputm_commit_unit *unit, struct oracle_world *world)
{
	ck_assert_int_eq(gputm_unit_observe(unit_of(unit), oracle_world_hear, world), 0);
}

/*
 * A plan against the serial order, to its end or for so many rounds. The memory must then be as
 * the serial order leaves it.
 */
static struct gputm_commit_unit *run_plan(struct kit *kit, struct kit_bytes *bytes,
					  struct gputm_commit_unit *unit,
					  const struct gputm_commit_unit_config *config,
					  uint64_t stop)
{
	struct oracle_plan plan = any_plan(bytes, config);
	struct oracle_world *world = oracle_world_new(&plan);
	uint64_t random = plan.seed, rounds = 0;
	const char *wrong = NULL;
	bool more = true;

	listen(unit, world);
	while (rounds < stop && (more = oracle_world_round(world, unit, &wrong))) {
		ck_assert_msg(++rounds < 100000, "no progress");
		gputm_commit_unit_tick(unit);
		gputm_unit_unobserve(unit_of(unit), oracle_world_hear, world);
		unit = KIT_TURN(commit_unit, unit);
		if (!kit_below(&random, 100))
			check_clock(unit, gputm_unit_config(unit_of(unit)), 12);
		listen(unit, world);
	}
	gputm_unit_unobserve(unit_of(unit), oracle_world_hear, world);
	ck_assert_msg(!wrong, "%s", wrong);
	/* Memory is as the serial order leaves it. */
	ck_assert(more || !memcmp(world->serial, world->memory, sizeof(world->serial)));
	if (!more)
		KIT_STATS(unit_of(unit), oracle_world_stats(world), ORACLE_COMMIT_UNIT_STATS);
	oracle_world_free(world);
	return unit;
}

/* Most are refused. */
static void push_any(struct gputm_commit_unit *unit, struct kit_bytes *bytes)
{
	struct gputm_commit_unit_message m;

	memset(&m, 0, sizeof(m));
	m.kind = kit_u32(bytes, 7);
	m.first_cid = gputm_commit_unit_oldest(unit) + kit_u32(bytes, 16) - 2;
	m.lanes = 1 + kit_u32(bytes, 3);
	m.mask = kit_u32(bytes, 8);
	m.yes = m.mask & kit_u32(bytes, 8);
	m.purpose = m.kind >= GPUTM_COMMIT_UNIT_MESSAGE_RESENT ? kit_u32(bytes, 5) : 0;
	if (m.kind != GPUTM_COMMIT_UNIT_MESSAGE_DONE &&
	    m.kind != GPUTM_COMMIT_UNIT_MESSAGE_VERDICT) {
		m.words = kit_u32(bytes, 4);
		m.yes = m.mask = 0;
	}
	for (uint32_t n = 0; n < m.words; n++) {
		m.word[n].address = 4 * (uint64_t)kit_u32(bytes, 16);
		m.word[n].value = kit_u32(bytes, 2);
		m.word[n].lane = kit_u32(bytes, 4);
		m.mask |= UINT64_C(1) << m.word[n].lane;
	}
	ck_assert_int_eq(gputm_commit_unit_push_probe(unit, &m), gputm_commit_unit_push(unit, &m));
}

static void serve_any(struct gputm_commit_unit *unit, struct kit_bytes *bytes)
{
	enum gputm_commit_unit_port port = kit_u32(bytes, 2) ? GPUTM_COMMIT_UNIT_PORT_COMMIT
							     : GPUTM_COMMIT_UNIT_PORT_VALIDATION;
	uint32_t values[GPUTM_MEM_WORDS_MAX] = { kit_u32(bytes, 2), 1 };
	struct gputm_mem_request request;

	if (!gputm_commit_unit_mem_peek(unit, port, &request)) {
		ck_assert(!gputm_commit_unit_mem_pop(unit, port));
		ck_assert_int_le(gputm_commit_unit_mem_complete(unit, kit_u32(bytes, 256), values),
				 0);
		return;
	}
	ck_assert(gputm_commit_unit_mem_pop(unit, port));
	if (kit_u32(bytes, 4))
		ck_assert_int_eq(gputm_commit_unit_mem_complete(unit, request.tag, values), 0);
}

static void operate(struct gputm_commit_unit *unit, struct kit_bytes *bytes)
{
	switch (kit_u32(bytes, 4)) {
	case 0:
		push_any(unit, bytes);
		break;
	case 1:
		gputm_commit_unit_advance(unit, kit_u32(bytes, 8));
		break;
	case 2:
		serve_any(unit, bytes);
		break;
	default:
		gputm_commit_unit_pop(unit);
	}
}

/* A third of the rounds are plans, a third plans that are left half-way, a third anything. */
KIT_DRIVE(commit_unit, 90, 600)
{
	struct gputm_commit_unit_config config = any_config(bytes);
	struct gputm_commit_unit *unit = NULL;

	ck_assert_int_eq(gputm_commit_unit_new(kit->ctx, &config, &unit), 0);
	if (bytes->round % 3 < 2)
		unit = run_plan(kit, bytes, unit, &config,
				bytes->round % 3 ? 100 + kit_u32(bytes, 400) : UINT64_MAX);
	else
		while (kit_more(bytes)) {
			operate(unit, bytes);
			unit = KIT_TURN(commit_unit, unit);
		}
	KIT_END(commit_unit, unit);
}

/* ---- observers ---- */

static void check_offers(const struct gputm_commit_unit *unit, int offers)
{
	struct gputm_mem_request request;
	struct gputm_commit_unit_report report;

	ck_assert_int_eq(
		!!(offers & GPUTM_COMMIT_UNIT_OFFER_READ),
		gputm_commit_unit_mem_peek(unit, GPUTM_COMMIT_UNIT_PORT_VALIDATION, &request));
	ck_assert_int_eq(!!(offers & GPUTM_COMMIT_UNIT_OFFER_WRITE),
			 gputm_commit_unit_mem_peek(unit, GPUTM_COMMIT_UNIT_PORT_COMMIT, &request));
	ck_assert_int_eq(!!(offers & GPUTM_COMMIT_UNIT_OFFER_REPORT),
			 gputm_commit_unit_peek(unit, &report));
}

static void check_same_bytes(struct gputm_unit *a, struct gputm_unit *b)
{
	size_t size = gputm_unit_save(a, NULL, 0);
	char *bytes = malloc(2 * size);

	ck_assert_uint_eq(gputm_unit_save(b, NULL, 0), size);
	ck_assert_uint_eq(gputm_unit_save(a, bytes, size), size);
	ck_assert_uint_eq(gputm_unit_save(b, bytes + size, size), size);
	ck_assert_mem_eq(bytes, bytes + size, size);
	free(bytes);
}

/* What is put off while nobody looks is the same as what an observer is told at once. */
KIT_TESTS(test_commit_unit_observed_or_not, kit_scale(30, 3))
{
	uint64_t random = (uint64_t)_i + 1;
	uint8_t data[64];
	struct kit_bytes bytes = { data, sizeof(data), 0, true };
	struct gputm_commit_unit_config config;
	struct oracle_plan plan;
	struct oracle_world *world[2];
	struct gputm_commit_unit *unit[2];
	struct gputm_unit *face[2];
	const char *wrong = NULL;
	bool more = true;

	for (size_t n = 0; n < sizeof(data); n++)
		data[n] = (uint8_t)kit_random(&random);
	config = any_config(&bytes);
	plan = any_plan(&bytes, &config);
	for (int n = 0; n < 2; n++) {
		world[n] = oracle_world_new(&plan);
		ck_assert_int_eq(gputm_commit_unit_new(NULL, &config, &unit[n]), 0);
		face[n] = unit_of(unit[n]);
	}
	kit_observe(face[0]);
	for (unsigned rounds = 0; more; rounds++) {
		ck_assert_uint_lt(rounds, 100000);
		for (int n = 0; n < 2; n++) {
			more = oracle_world_round(world[n], unit[n], &wrong);
			check_offers(unit[n], gputm_commit_unit_tick(unit[n]));
		}
		if (kit_below(&random, 20))
			continue;
		ck_assert_uint_eq(kit_stat(face[1], "hazard_words"),
				  kit_events(GPUTM_COMMIT_UNIT_EVENT_HAZARD));
		check_same_bytes(face[0], face[1]);
	}
	ck_assert_msg(!wrong, "seed %d: %s", _i, wrong);
	for (int n = 0; n < 2; n++) {
		oracle_world_free(world[n]);
		gputm_commit_unit_free(unit[n]);
	}
}
