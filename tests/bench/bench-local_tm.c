/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * local_tm: conflict-free accesses in transactions, by 64 lanes of one instruction and by one
 * lane alone; 255 other work-items of the group are in transactions. Each lane takes 8 words
 * of its own twice, then all commit. The bound asks a table who has the bit of a word, keeps
 * the old value and the owner, and neither checks, counts nor adds cycles up.
 */
#include "tests/bench/bench.h"

#define WORDS 7264

struct local {
	struct gputm_local_tm *unit;
	uint64_t lanes;
	uint32_t word[16][64], value[64];
	uint32_t data[WORDS], backup[WORDS], next[WORDS], head[64];
	uint16_t owner[WORDS], key[256];
};

BENCH_SETUP(setup, struct local *l)
{
	struct gputm_local_tm_begun begun;

	bench_must(gputm_local_tm_new(NULL, NULL, &l->unit));
	/* Lane i: bank i mod 32, bits 0 .. 3 or 4 .. 7 of it, two words for each bit. */
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t lane = 0; lane < 64; lane++) {
			uint32_t at = i & 7, bit = lane / 32 * 4 + (at & 3);

			l->word[i][lane] = (bit + 8 * (at >> 2)) * 32 + lane % 32;
		}
	for (uint32_t w = 1; w < 4; w++)
		bench_must(gputm_local_tm_begin(l->unit, w, &begun));
	l->lanes = given == 1 ? 1 : UINT64_MAX;
	bench_must(gputm_local_tm_set_exec(l->unit, 0, l->lanes));
}

BENCH_LOOP(turn, struct local *l)
{
	struct gputm_local_tm_answer answer;
	struct gputm_local_tm_begun begun;
	struct gputm_local_tm_ended ended;

	if (i % 16 == 0)
		bench_must(gputm_local_tm_begin(l->unit, 0, &begun));
	bench_must(gputm_local_tm_access(l->unit, 0, i & 1, l->lanes, l->word[i & 15], l->value,
					 &answer));
	if (i % 16 == 15)
		bench_must(gputm_local_tm_commit(l->unit, 0, &ended));
	return answer.cycles;
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

BENCH_LOOP(bound, struct local *l)
{
	unsigned conflicts = tight_access(l, i & 1, l->lanes, l->word[i & 15]);

	if (i % 16 == 15)
		release(l);
	return conflicts;
}

static const struct bench_op operations[] = {
	{ "access, a lane of 64", setup, 64, turn, "gputm_local_tm_access",
	  .bound = bound, .bound_inside = "tight_access", .per_turn = 64 },
	{ "access, one lane alone", setup, 1, turn, "gputm_local_tm_access",
	  .bound = bound, .bound_inside = "tight_access" },
	{ "tx_begin and tx_commit, 16 accesses by 64", setup, 64, turn,
	  "gputm_local_tm_begin,gputm_local_tm_commit",
	  .unbounded = "it clears what the accesses have set, which are bounded above",
	  .per_turn = 64 },
};

BENCH_TABLE("local_tm", struct local, operations)
