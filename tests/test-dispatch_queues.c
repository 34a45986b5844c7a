/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of dispatch_queues: life, order and affinity, stealing, failed rounds, the oracle. */
#include "tests/kit.h"
#include "tests/oracle/dispatch_queues.h"

KIT_UNIT(dispatch_queues, DISPATCH_QUEUES);

#define ANY GPUTM_DISPATCH_QUEUES_AFFINITY_ANY
#define CPU GPUTM_DISPATCH_QUEUES_AFFINITY_CPU
#define GPU GPUTM_DISPATCH_QUEUES_AFFINITY_GPU

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

/* The example that opens the source. */
KIT_MADE(test_dispatch_queues_give_back_what_failed, queues, "types=1 batch=3")
{
	static const uint64_t batch[] = { 1, 2, 3 };

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
	kit_round_trip(&dispatch_queues_maker, unit_of(queues));
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(queues, GPU), 2);
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(queues, ANY), 1);
	push(queues, 0, GPU, 6); /* behind those that came back */
	push(queues, 0, ANY, 7);
	expect_batch(queues, false, false, 3, (const uint64_t[]){ 1, 2, 6 });
	ck_assert_uint_eq(gputm_dispatch_queues_commit(queues), 3);
	expect_batch(queues, false, false, 0, NULL);
	expect_batch(queues, false, true, 2, (const uint64_t[]){ 3, 7 });
	kit_valid(unit_of(queues));
	kit_counts(unit_of(queues), "returned=3 gpu_shared=3 committed=3");
}

/* A ring of eight grows as the ninth comes, with the oldest in its first place or in its fourth. */
KIT_TESTS(test_dispatch_queues_keep_their_order_as_they_grow, 2)
{
	struct gputm_dispatch_queues *queues = make(kit, "types=1 batch=3");
	uint64_t last = 8, first = 1;

	for (uint64_t request = 1; request <= last; request++)
		push(queues, 0, CPU, request);
	for (; _i && first <= 3; first++) {
		ck_assert_uint_eq(pop(queues, false), first);
		push(queues, 0, CPU, ++last);
	}
	push(queues, 0, CPU, ++last);
	kit_round_trip(&dispatch_queues_maker, unit_of(queues));
	for (; first <= last; first++)
		ck_assert_uint_eq(pop(queues, false), first);
	ck_assert_uint_eq(pop(queues, false), 0);
}

/* A kernel starts with `batch` requests and not with one less. */
KIT_MADE(test_dispatch_queues_a_batch_is_tight, queues, "types=1 batch=3")
{
	push(queues, 0, GPU, 1);
	push(queues, 0, ANY, 2);
	push(queues, 0, CPU, 3);
	expect_batch(queues, false, false, 0, NULL);
	push(queues, 0, ANY, 4);
	expect_batch(queues, false, false, 3, (const uint64_t[]){ 1, 2, 4 });
}

/* V-D: the GPU fills up from CPU_Q; the CPU from GPU_Q. */
KIT_MADE(test_dispatch_queues_steal, queues, "types=1 batch=2")
{
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
	kit_counts(unit_of(queues), "gpu_stolen=2 cpu_stolen=1");
}

/* IV-A: the CPU takes the types in turn; a kernel is of one type. */
KIT_MADE(test_dispatch_queues_serve_types_in_turn, queues, "types=3 batch=2")
{
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
}

KIT_MADE(test_dispatch_queues_misuse_changes_nothing, queues, "types=2 batch=2")
{
	push(queues, 1, ANY, 1);
	kit_guard(kit, unit_of(queues));
	KIT_REFUSED(-ERANGE, gputm_dispatch_queues_push(queues, 2, ANY, 1),
		    "dispatch_queues", "type = 2", "0 .. 1");
	KIT_REFUSED(-ERANGE, gputm_dispatch_queues_push(queues, 0,
							(enum gputm_dispatch_queues_affinity)3, 1),
		    "affinity = 3", "0 .. 2");
	ck_assert_uint_eq(gputm_dispatch_queues_waiting(
				  queues, (enum gputm_dispatch_queues_affinity)3),
			  0);
	kit_unchanged(kit);
}

/* Without memory nothing is submitted, taken or given back. */
KIT_MADE(test_dispatch_queues_without_memory_nothing_changes, queues, "types=1 batch=4")
{
	uint64_t digest, request[4];
	uint32_t type, count;

	kit->fail_at = kit->allocations;
	digest = kit_digest(unit_of(queues));
	ck_assert_int_eq(gputm_dispatch_queues_push(queues, 0, GPU, 1), -ENOMEM);
	kit->fail_at = -1;
	ck_assert_uint_eq(kit_digest(unit_of(queues)), digest);
	for (uint64_t i = 0; i < 16; i++)
		push(queues, 0, GPU, i + 1);
	kit->fail_at = kit->allocations;
	digest = kit_digest(unit_of(queues));
	ck_assert_int_eq(
		gputm_dispatch_queues_dequeue_batch(queues, false, false, &type, &count, request),
		-ENOMEM);
	ck_assert_uint_eq(kit_digest(unit_of(queues)), digest);
	kit->fail_at = -1;
	expect_batch(queues, false, false, 4, (const uint64_t[]){ 1, 2, 3, 4 });
	for (uint64_t i = 0; i < 4; i++)
		push(queues, 0, GPU, i + 17);
	kit->fail_at = kit->allocations;
	digest = kit_digest(unit_of(queues));
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), -ENOMEM);
	ck_assert_uint_eq(kit_digest(unit_of(queues)), digest);
	kit->fail_at = -1;
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	expect_batch(queues, false, false, 4, (const uint64_t[]){ 1, 2, 3, 4 });
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
	struct gputm_dispatch_queues *queues = make(kit, "types=%u batch=%u", g[0], g[1]);
	static struct oracle_dispatch_queues o;

	ORACLE_OPEN(&o, gputm_unit_config(unit_of(queues)));
	for (KIT_TURNS(dispatch_queues, queues))
		step(queues, &o, bytes);
	KIT_STATS_END(dispatch_queues, queues, &o.stats, ORACLE_DISPATCH_QUEUES_STATS);
}

KIT_MADE(test_dispatch_queues_tell_their_observer, queues, "types=1 batch=2")
{
	push(queues, 0, CPU, 8);
	push(queues, 0, CPU, 9);
	KIT_TOLD("push", 2, 0, CPU, 9);
	ck_assert_uint_eq(pop(queues, false), 8);
	KIT_TOLD("dequeue", 1, 0, CPU, 8);
	expect_batch(queues, true, true, 1, (const uint64_t[]){ 9 });
	KIT_TOLD("dequeue-batch", 1, 0, 1, 1);
	ck_assert_int_eq(gputm_dispatch_queues_abort(queues), 0);
	KIT_TOLD("abort", 1, 1);
	ck_assert_uint_eq(gputm_dispatch_queues_commit(queues), 0);
}
