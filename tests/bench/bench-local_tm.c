/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * local_tm: conflict-free accesses in transactions, by 64 lanes of one instruction and by one
 * lane alone; 255 other work-items of the group are in transactions. Each lane takes 8 words
 * of its own twice, then all commit. The bound asks a table who has the bit of a word, keeps
 * the old value and the owner, and neither checks, counts nor adds cycles up.
 */
#include <stdlib.h>

#include "gputm/local_tm.h"
#include "tests/bench/bench.h"

#define WORDS 7264

struct local {
	struct gputm_local_tm *unit;
	uint32_t word[16][64], value[64];
	uint32_t data[WORDS], backup[WORDS], next[WORDS], head[64];
	uint16_t owner[WORDS], key[256];
};

static void *make(uint64_t lanes)
{
	struct local *l = calloc(1, sizeof(*l));
	struct gputm_local_tm_begun begun;

	if (!l || gputm_local_tm_new(NULL, NULL, &l->unit))
		abort();
	/* Lane i: bank i mod 32, bits 0 .. 3 or 4 .. 7 of it, two words for each bit. */
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t lane = 0; lane < 64; lane++) {
			uint32_t at = i & 7, bit = lane / 32 * 4 + (at & 3);

			l->word[i][lane] = (bit + 8 * (at >> 2)) * 32 + lane % 32;
		}
	for (uint32_t w = 1; w < 4; w++)
		if (gputm_local_tm_begin(l->unit, w, &begun))
			abort();
	if (gputm_local_tm_set_exec(l->unit, 0, lanes))
		abort();
	return l;
}

static void *setup_wavefront(void)
{
	return make(UINT64_MAX);
}

static void *setup_lane(void)
{
	return make(1);
}

static void teardown(void *state)
{
	struct local *l = state;

	gputm_local_tm_free(l->unit);
	free(l);
}

static void access_words(struct local *l, uint64_t lanes, uint64_t count)
{
	struct gputm_local_tm_answer answer;
	struct gputm_local_tm_begun begun;
	struct gputm_local_tm_ended ended;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (i % 16 == 0)
			sum += (uint64_t)gputm_local_tm_begin(l->unit, 0, &begun);
		if (gputm_local_tm_access(l->unit, 0, i & 1, lanes, l->word[i & 15], l->value,
					  &answer))
			abort();
		sum += answer.cycles;
		if (i % 16 == 15)
			sum += (uint64_t)gputm_local_tm_commit(l->unit, 0, &ended);
	}
	bench_use(sum);
}

static void turn_wavefront(void *state, uint64_t count)
{
	access_words(state, UINT64_MAX, count);
}

static void turn_lane(void *state, uint64_t count)
{
	access_words(state, 1, count);
}

static BENCH_TIGHT unsigned tight_access(struct local *l, unsigned write, uint64_t lanes,
					 const uint32_t *word)
{
	unsigned conflicts = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		uint32_t at = word[lane], key = l->key[at & 255];

		if (key && key != lane + 1) {
			conflicts++;
			continue;
		}
		if (l->owner[at] != lane + 1) {
			l->backup[at] = l->data[at];
			l->owner[at] = (uint16_t)(lane + 1);
			l->key[at & 255] = (uint16_t)(lane + 1);
			l->next[at] = l->head[lane];
			l->head[lane] = at + 1;
		}
		if (write)
			l->data[at] = l->value[lane];
		else
			l->value[lane] = l->data[at];
	}
	return conflicts;
}

static void release(struct local *l)
{
	for (unsigned lane = 0; lane < 64; lane++) {
		for (uint32_t at = l->head[lane]; at; at = l->next[at - 1])
			l->owner[at - 1] = l->key[(at - 1) & 255] = 0;
		l->head[lane] = 0;
	}
}

static void bound_words(struct local *l, uint64_t lanes, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		sum += tight_access(l, i & 1, lanes, l->word[i & 15]);
		if (i % 16 == 15)
			release(l);
	}
	bench_use(sum);
}

static void bound_wavefront(void *state, uint64_t count)
{
	bound_words(state, UINT64_MAX, count);
}

static void bound_lane(void *state, uint64_t count)
{
	bound_words(state, 1, count);
}

static const struct bench_op operations[] = {
	{ "local_tm", "access, a lane of 64", setup_wavefront, teardown, turn_wavefront,
	  bound_wavefront, "gputm_local_tm_access", "tight_access", 64 },
	{ "local_tm", "access, one lane alone", setup_lane, teardown, turn_lane, bound_lane,
	  "gputm_local_tm_access", "tight_access", 1 },
	{ "local_tm", "tx_begin and tx_commit, 16 accesses by 64", setup_wavefront, teardown,
	  turn_wavefront, NULL, "gputm_local_tm_begin,gputm_local_tm_commit", "-", 64 },
};

BENCH_TABLE(operations)
