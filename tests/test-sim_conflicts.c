/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of gputm-sim's counts of conflicts: all pairs of random attempts against a look at each. */
#include "examples/sim/check/conflicts.h"
#include "tests/kit.h"

#define THREADS 7u
#define WORDS 6u
#define ENDED 400u

/* An attempt as the test keeps it: when it began and ended, and its words as masks. */
struct tried {
	unsigned begun, ended; /* 0: has not */
	unsigned read, written;
	bool refused;
};

static struct sim_pairs expected(const struct tried *tried, unsigned count)
{
	struct sim_pairs out = { 0 };

	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < i; k++) {
			const struct tried *a = &tried[i], *b = &tried[k];
			unsigned one = a->read & b->written, other = a->written & b->read;
			unsigned written = a->written & b->written;

			if (a->begun > b->ended || b->begun > a->ended)
				continue;
			out.overlapping++;
			out.read_write += (one || other) && !written;
			out.write_write += written && !one && !other;
			out.both += written && (one || other);
			out.loops += one && other && !a->refused && !b->refused;
		}
	return out;
}

static void assert_same(const struct sim_pairs *a, const struct sim_pairs *b)
{
	ck_assert_uint_eq(a->overlapping, b->overlapping);
	ck_assert_uint_eq(a->read_write, b->read_write);
	ck_assert_uint_eq(a->write_write, b->write_write);
	ck_assert_uint_eq(a->both, b->both);
	ck_assert_uint_eq(a->loops, b->loops);
}

/* An access of the thread, which begins an attempt if there is none. */
static void access(const struct sim_observer *o, struct tried *t, uint32_t thread, unsigned time,
		   uint64_t word, bool write)
{
	if (!t->begun)
		t->begun = time;
	if (write) {
		o->store(o->state, thread, true, 4 * word, 0);
		t->written |= 1u << word;
	} else {
		o->load(o->state, thread, 4 * word, 0, 0);
		t->read |= ~t->written & 1u << word;
	}
}

#define REFUSALS 3 /* the first of the reasons below: an access was refused */

KIT_TESTS(test_conflicts_of_random_attempts, 8)
{
	static const enum sim_abort_reason reasons[] = {
		SIM_ABORT_CONFLICT, SIM_ABORT_WRITER, SIM_ABORT_ESTIMATED, SIM_ABORT_VALIDATION,
	};
	struct sim_conflicts *c = sim_conflicts_new(THREADS);
	const struct sim_observer *o = sim_conflicts_observer(c);
	struct tried present[THREADS] = { { 0 } }, tried[ENDED];
	unsigned count = 0, time = 1, writes = 1 + (unsigned)_i;
	struct sim_pairs pairs, wanted;
	uint64_t seed = (uint64_t)_i + 1, reason;

	for (; count < ENDED; time++) {
		uint32_t thread = (uint32_t)(kit_random(&seed) % THREADS);
		struct tried *t = &present[thread];
		uint64_t word = kit_random(&seed) % WORDS;

		if (kit_random(&seed) % 5) {
			access(o, t, thread, time, word, kit_random(&seed) % 10 < writes);
			continue;
		}
		reason = kit_random(&seed) % 6;
		if (reason < KIT_COUNT(reasons))
			o->abort(o->state, thread, reasons[reason]);
		else
			o->commit(o->state, thread, 0);
		t->refused = reason < REFUSALS;
		t->ended = time;
		if (t->begun)
			tried[count++] = *t;
		*t = (struct tried){ 0 };
	}
	wanted = expected(tried, count);
	ck_assert(sim_conflicts_get(c, &pairs));
	assert_same(&pairs, &wanted);
	ck_assert_uint_gt(pairs.read_write, 0);
	ck_assert_uint_gt(pairs.both, 0);
	ck_assert_uint_gt(pairs.loops, 0);
	sim_conflicts_free(c);
}

KIT_TEST(test_conflicts_of_two_attempts)
{
	static const struct {
		const char *first, *second; /* r or w, and the word */
		struct sim_pairs pairs;
	} rows[] = {
		{ "r0", "r0", { 1, 0, 0, 0, 0 } },
		{ "r0", "w0", { 1, 1, 0, 0, 0 } },
		{ "w0", "w0", { 1, 0, 1, 0, 0 } },
		{ "w0", "w1", { 1, 0, 0, 0, 0 } },
		{ "r0w1", "r1w0", { 1, 1, 0, 0, 1 } },
		{ "r0w0", "r0w0", { 1, 0, 0, 1, 1 } },
		{ "w0r0", "w0r0", { 1, 0, 1, 0, 0 } }, /* they read their own writes */
		{ "r0r0w1", "w0w0", { 1, 1, 0, 0, 0 } },
	};

	for (size_t i = 0; i < KIT_COUNT(rows); i++) {
		struct sim_conflicts *c = sim_conflicts_new(2);
		const struct sim_observer *o = sim_conflicts_observer(c);
		struct tried tried[2] = { { 0 } };
		struct sim_pairs pairs;

		for (uint32_t thread = 0; thread < 2; thread++)
			for (const char *s = thread ? rows[i].second : rows[i].first; *s; s += 2)
				access(o, &tried[thread], thread, 1, (uint64_t)(s[1] - '0'),
				       s[0] == 'w');
		o->store(o->state, 0, false, 0, 0); /* outside of the attempt */
		o->commit(o->state, 1, 0);
		o->commit(o->state, 0, 0);
		access(o, &tried[1], 1, 9, 0, true); /* after the end of the others */
		o->abort(o->state, 1, SIM_ABORT_CONFLICT);
		ck_assert(sim_conflicts_get(c, &pairs));
		assert_same(&pairs, &rows[i].pairs);
		sim_conflicts_free(c);
	}
}
