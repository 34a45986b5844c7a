/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of dispatch_queues: life, order and affinity, stealing, failed rounds, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/dispatch_queues.h"

KIT_MAKER(dispatch_queues, DISPATCH_QUEUES);

#define ANY GPUTM_DISPATCH_QUEUES_ANY
#define CPU GPUTM_DISPATCH_QUEUES_CPU
#define GPU GPUTM_DISPATCH_QUEUES_GPU

static struct gputm_dispatch_queues *make(struct kit *kit, uint32_t types, uint32_t batch)
{
	struct gputm_dispatch_queues_config config = GPUTM_DISPATCH_QUEUES_CONFIG_INIT;
	struct gputm_dispatch_queues *queues = NULL;

	config.types = types;
	config.batch = batch;
	ck_assert_int_eq(gputm_dispatch_queues_new(kit->ctx, &config, &queues), 0);
	kit_observe(gputm_dispatch_queues_unit(queues));
	return queues;
}

static void push(struct gputm_dispatch_queues *queues, uint32_t type,
		 enum gputm_dispatch_queues_affinity affinity, uint64_t request)
{
	ck_assert_int_eq(gputm_dispatch_queues_push(queues, type, affinity, request), 0);
}

/* The request that a CPU worker gets; 0: none. */
static uint64_t pop(struct gputm_dispatch_queues *queues, bool steal)
{
	uint64_t request = 0;
	uint32_t type = 4711;
	int answer = gputm_dispatch_queues_dequeue(queues, steal, &type, &request);

	ck_assert_int_eq(answer, request ? GPUTM_DISPATCH_QUEUES_TAKEN
					 : GPUTM_DISPATCH_QUEUES_EMPTY);
	ck_assert_int_eq(answer == GPUTM_DISPATCH_QUEUES_EMPTY, type == 4711);
	return request;
}

/* The GPU gets these requests. */
static void expect_batch(struct gputm_dispatch_queues *queues, bool steal, bool partial,
			 uint32_t count, const uint64_t *expected)
{
	uint32_t type = 4711, got = 4711;
	uint64_t request[8];

	ck_assert_int_eq(
		gputm_dispatch_queues_dequeue_batch(queues, steal, partial, &type, &got, request),
		count ? GPUTM_DISPATCH_QUEUES_TAKEN : GPUTM_DISPATCH_QUEUES_EMPTY);
	ck_assert_uint_eq(got, count ? count : 4711);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(request[i], expected[i]);
}

KIT_TEST(test_dispatch_queues_life)
{
	kit_common(&dispatch_queues_maker);
}

/* The example that opens the source. */
KIT_TEST(test_dispatch_queues_give_back_what_failed)
{
	static const uint64_t batch[] = { 1, 2, 3 };
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 1, 3);
	push(queues, 0, GPU, 1);
	push(queues, 0, GPU, 2);
	push(queues, 0, ANY, 3);
	push(queues, 0, CPU, 4);
	push(queues, 0, ANY, 5);
	expect_batch(queues, false, false, 3, batch);
	ck_assert_uint_eq(gputm_dispatch_queues_in_flight(queues), 3);
	ck_assert_uint_eq(pop(queues, false), 4);
	ck_assert_uint_eq(pop(queues, false), 5);
	ck_assert_uint_eq(pop(queues, true), 0);
	kit_round_trip(&dispatch_queues_maker, gputm_dispatch_queues_unit(queues));
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(queues, GPU), 2);
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(queues, ANY), 1);
	push(queues, 0, GPU, 6); /* behind those that came back */
	push(queues, 0, ANY, 7);
	expect_batch(queues, false, false, 3, (const uint64_t[]){ 1, 2, 6 });
	ck_assert_uint_eq(gputm_dispatch_queues_commit(queues), 3);
	expect_batch(queues, false, false, 0, NULL);
	expect_batch(queues, false, true, 2, (const uint64_t[]){ 3, 7 });
	kit_valid(gputm_dispatch_queues_unit(queues));
	ck_assert_uint_eq(kit_stat(gputm_dispatch_queues_unit(queues), "returned"), 3);
	ck_assert_uint_eq(kit_stat(gputm_dispatch_queues_unit(queues), "gpu_shared"), 3);
	ck_assert_uint_eq(kit_stat(gputm_dispatch_queues_unit(queues), "committed"), 3);
	gputm_dispatch_queues_free(queues);
}

/* A kernel starts with `batch` requests and not with one less. */
KIT_TEST(test_dispatch_queues_a_batch_is_tight)
{
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 1, 3);
	push(queues, 0, GPU, 1);
	push(queues, 0, ANY, 2);
	push(queues, 0, CPU, 3);
	expect_batch(queues, false, false, 0, NULL);
	push(queues, 0, ANY, 4);
	expect_batch(queues, false, false, 3, (const uint64_t[]){ 1, 2, 4 });
	gputm_dispatch_queues_free(queues);
}

/* V-D: the GPU fills up from CPU_Q; the CPU from GPU_Q. */
KIT_TEST(test_dispatch_queues_steal)
{
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 1, 2);
	push(queues, 0, CPU, 1);
	push(queues, 0, CPU, 2);
	push(queues, 0, CPU, 3);
	expect_batch(queues, false, true, 0, NULL);
	expect_batch(queues, true, false, 2, (const uint64_t[]){ 1, 2 });
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	ck_assert_uint_eq(pop(queues, false), 1); /* back where it was stolen */
	push(queues, 0, GPU, 9);
	ck_assert_uint_eq(pop(queues, true), 2);
	ck_assert_uint_eq(pop(queues, true), 3);
	ck_assert_uint_eq(pop(queues, false), 0);
	ck_assert_uint_eq(pop(queues, true), 9);
	ck_assert_uint_eq(kit_stat(gputm_dispatch_queues_unit(queues), "gpu_stolen"), 2);
	ck_assert_uint_eq(kit_stat(gputm_dispatch_queues_unit(queues), "cpu_stolen"), 1);
	gputm_dispatch_queues_free(queues);
}

/* IV-A: the CPU takes the types in turn; a kernel is of one type. */
KIT_TEST(test_dispatch_queues_serve_types_in_turn)
{
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 3, 2);
	for (uint64_t i = 0; i < 9; i++)
		push(queues, (uint32_t)(i / 3), CPU, i + 1);
	ck_assert_uint_eq(pop(queues, false), 1);
	ck_assert_uint_eq(pop(queues, false), 4);
	ck_assert_uint_eq(pop(queues, false), 7);
	ck_assert_uint_eq(pop(queues, false), 2);
	push(queues, 0, GPU, 20);
	push(queues, 1, GPU, 21);
	expect_batch(queues, false, false, 0, NULL); /* two, but of two types */
	push(queues, 1, ANY, 22);
	expect_batch(queues, false, false, 2, (const uint64_t[]){ 21, 22 });
	gputm_dispatch_queues_free(queues);
}

KIT_TEST(test_dispatch_queues_misuse_changes_nothing)
{
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 2, 2);
	push(queues, 1, ANY, 1);
	kit_guard(kit, gputm_dispatch_queues_unit(queues));
	KIT_REFUSED(-ERANGE, gputm_dispatch_queues_push(queues, 2, ANY, 1),
		    "dispatch_queues", "type = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_dispatch_queues_push(queues, 0,
							(enum gputm_dispatch_queues_affinity)3, 1),
		    "affinity = 3", "0 .. 2");
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(
				  queues, (enum gputm_dispatch_queues_affinity)3),
			  0);
	kit_unchanged(kit);
	gputm_dispatch_queues_free(queues);
}

/* Without memory nothing is submitted, taken or given back. */
KIT_TEST(test_dispatch_queues_without_memory_nothing_changes)
{
	struct gputm_dispatch_queues *queues;
	uint64_t digest, request[4];
	uint32_t type, count;

	queues = make(kit, 1, 4);
	kit->fail_at = kit->allocations;
	digest = kit_digest(gputm_dispatch_queues_unit(queues));
	ck_assert_int_eq(gputm_dispatch_queues_push(queues, 0, GPU, 1), -ENOMEM);
	kit->fail_at = -1;
	ck_assert_uint_eq(kit_digest(gputm_dispatch_queues_unit(queues)), digest);
	for (uint64_t i = 0; i < 16; i++)
		push(queues, 0, GPU, i + 1);
	kit->fail_at = kit->allocations;
	digest = kit_digest(gputm_dispatch_queues_unit(queues));
	ck_assert_int_eq(
		gputm_dispatch_queues_dequeue_batch(queues, false, false, &type, &count, request),
		-ENOMEM);
	ck_assert_uint_eq(kit_digest(gputm_dispatch_queues_unit(queues)), digest);
	kit->fail_at = -1;
	expect_batch(queues, false, false, 4, (const uint64_t[]){ 1, 2, 3, 4 });
	for (uint64_t i = 0; i < 4; i++)
		push(queues, 0, GPU, i + 17);
	kit->fail_at = kit->allocations;
	digest = kit_digest(gputm_dispatch_queues_unit(queues));
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), -ENOMEM);
	ck_assert_uint_eq(kit_digest(gputm_dispatch_queues_unit(queues)), digest);
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	expect_batch(queues, false, false, 4, (const uint64_t[]){ 1, 2, 3, 4 });
	gputm_dispatch_queues_free(queues);
}

static void take(struct gputm_dispatch_queues *queues, struct oracle_dispatch_queues *o,
		 struct kit_bytes *bytes)
{
	bool steal = kit_draw(bytes, 2), partial = kit_draw(bytes, 3) == 0;
	uint64_t request[16] = { 0 }, expected[16] = { 0 };
	uint32_t type = 9, expected_type = 9, count = 0, expected_count = 0;

	if (kit_draw(bytes, 2)) {
		ck_assert_int_eq(gputm_dispatch_queues_dequeue(queues, steal, &type, request),
				 oracle_dispatch_queues_pop(o, steal, &expected_type, expected));
	} else {
		ck_assert_int_eq(gputm_dispatch_queues_dequeue_batch(queues, steal, partial, &type,
								     &count, request),
				 oracle_dispatch_queues_pop_batch(o, steal, partial, &expected_type,
								  &expected_count, expected));
	}
	ck_assert_uint_eq(type, expected_type);
	ck_assert_uint_eq(count, expected_count);
	for (unsigned i = 0; i < 16; i++)
		ck_assert_uint_eq(request[i], expected[i]);
}

static void step(struct gputm_dispatch_queues *queues, struct oracle_dispatch_queues *o,
		 struct kit_bytes *bytes)
{
	unsigned what = (unsigned)kit_draw(bytes, 20);

	if (what < 11 && o->count < ORACLE_DISPATCH_QUEUES_MOST) {
		uint32_t type = kit_u32(bytes, o->config.types + 1);
		unsigned affinity = (unsigned)kit_draw(bytes, 4);
		uint64_t request = kit_number(bytes, 4);

		ck_assert_int_eq(gputm_dispatch_queues_push(
					 queues, type,
					 (enum gputm_dispatch_queues_affinity)affinity, request),
				 oracle_dispatch_queues_push(o, type, affinity, request));
	} else if (what < 18) {
		take(queues, o, bytes);
	} else if (what < 19) {
		ck_assert_uint_eq(gputm_dispatch_queues_commit(queues),
				  oracle_dispatch_queues_commit(o));
	} else {
		ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
		oracle_dispatch_queues_abort(o);
	}
	for (unsigned a = 0; a < 3; a++)
		ck_assert_uint_eq(gputm_dispatch_queues_waiting(
					  queues, (enum gputm_dispatch_queues_affinity)a),
				  oracle_dispatch_queues_waiting(o, a));
}

static const uint32_t geometry[][2] = { { 1, 1 }, { 1, 8 }, { 3, 4 }, { 64, 2 } };

KIT_DRIVE(dispatch_queues, KIT_COUNT(geometry), 15000)
{
	const uint32_t any[] = { 1 + kit_u32(bytes, 4), 1 + kit_u32(bytes, 16) };
	const uint32_t *g = KIT_ROW(geometry, any);
	struct gputm_dispatch_queues *queues = make(kit, g[0], g[1]);
	static struct oracle_dispatch_queues o;

	oracle_dispatch_queues_open(&o, gputm_unit_config(gputm_dispatch_queues_unit(queues)));
	while (kit_more(bytes)) {
		step(queues, &o, bytes);
		queues = KIT_TURN(dispatch_queues, queues);
	}
	KIT_END(dispatch_queues, queues);
}

KIT_TEST(test_dispatch_queues_tell_their_observer)
{
	struct gputm_dispatch_queues *queues;

	queues = make(kit, 1, 2);
	push(queues, 0, CPU, 8);
	push(queues, 0, CPU, 9);
	ck_assert_uint_eq(kit_event(GPUTM_DISPATCH_QUEUES_EVENT_PUSH)[2], 9);
	ck_assert_uint_eq(pop(queues, false), 8);
	ck_assert_uint_eq(kit_event(GPUTM_DISPATCH_QUEUES_EVENT_POP)[2], 8);
	expect_batch(queues, true, true, 1, (const uint64_t[]){ 9 });
	ck_assert_uint_eq(kit_event(GPUTM_DISPATCH_QUEUES_EVENT_BATCH)[2], 1);
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	ck_assert_uint_eq(kit_event(GPUTM_DISPATCH_QUEUES_EVENT_ABORT)[0], 1);
	ck_assert_uint_eq(gputm_dispatch_queues_commit(queues), 0);
	gputm_dispatch_queues_free(queues);
}
