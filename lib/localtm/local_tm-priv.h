/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_LOCALTM_LOCAL_TM_PRIV_H
#define GPUTM_LIB_LOCALTM_LOCAL_TM_PRIV_H
/* The inside of a local memory: local_tm.c works it, local_tm-face.c describes it. */
#include "gputm/local_tm.h"
#include "lib/base/unit.h"

#define BANKS_MAX 64
#define WAVEFRONTS_MAX 16
#define ITEMS_MAX 256
#define NESTING_MAX 255u
#define NO_WAVEFRONT UINT32_MAX

/* Masks and mode of a wavefront. */
struct wavefront {
	uint64_t exec, vcc, tcm, tcm_old;
	uint64_t outer; /* EXEC of the transaction's first begin */
	uint64_t lanes; /* EXEC of this attempt: the unfinished part of `outer` */
	uint32_t state, mode;
	uint32_t nesting;
};

/*
 * The load of a bank in one access: cycles, lanes << 24 and stamp << 32. With another stamp the
 * bank has not been used yet, so nothing needs to be cleared before an access.
 */
struct load {
	uint64_t bank[BANKS_MAX];
	uint32_t stamp; /* from 1 */
};

struct gputm_local_tm {
	struct gputm_unit unit;
	struct gputm_local_tm_config config;
	struct wavefront *wavefront;
	uint32_t *data, *backup; /* [words] */
	uint16_t *owner;	 /* [words]: work-item + 1; 0 for none */
	uint32_t words, items;
	uint32_t bank_mask, bank_shift;
	uint32_t key_mask; /* bits of a word number: its bank, and its signature bit there */
	uint64_t lane_mask;
	uint32_t holder; /* wavefront in work-group serialisation, or NO_WAVEFRONT */
	/* derived from owner[] */
	uint16_t *key_owner; /* [key_mask + 1]: owner of the signature bit; as owner[] */
	uint32_t *next;	     /* [words]: word + 1 of the same owner; 0 at the end */
	uint32_t *head;	     /* [items + 1] */
	uint64_t owned;	     /* words with an owner */
	struct load load;    /* of the running access */
	uint32_t sum_mask;   /* all ones if the cycles of a bank's lanes are added up, else 0 */
	/* statistics */
	uint64_t begins, held, nested, normal_attempts, wavefront_attempts, group_attempts;
	uint64_t started, committed, evicted, serial_committed;
	uint64_t accesses, fresh, repeated, conflicts, false_conflicts;
	uint64_t restored, released, owned_max;
	uint64_t plain, clashes;
	uint64_t begin_cycles, access_cycles, commit_cycles;
};

/* Words of data that fit in one bank of this config. */
static inline uint32_t gputm__local_tm_bank_words(const struct gputm_local_tm_config *c)
{
	return c->local_bytes / c->banks / 9;
}

/* Make `item` (counted from 1) the owner of a free word; `owned` is the caller's. */
static inline void gputm__local_tm_own(struct gputm_local_tm *t, uint32_t word, uint32_t item)
{
	t->owner[word] = (uint16_t)item;
	t->next[word] = t->head[item];
	t->head[item] = word + 1;
	t->key_owner[word & t->key_mask] = (uint16_t)item;
}

/* Work-items counted from 1. */
static inline uint32_t gputm__local_tm_item(const struct gputm_local_tm *t, uint32_t wavefront,
					    unsigned lane)
{
	return wavefront * t->config.lanes + lane + 1;
}

/* Lanes that execute. */
static inline uint64_t gputm__local_tm_running(const struct wavefront *w)
{
	return w->exec & ~w->tcm;
}

/* Entries of shadow memory by bank, and the largest number in a bank. */
struct tally {
	uint32_t count[BANKS_MAX];
	uint32_t most;
};

static inline void gputm__local_tm_count(const struct gputm_local_tm *t, struct tally *tally,
					 uint32_t word)
{
	uint32_t count = ++tally->count[word & t->bank_mask];

	if (count > tally->most)
		tally->most = count;
}

/* Roll a work-item back, in one bank or in all; the tally counts its entries. */
#define ALL_BANKS UINT32_MAX
void gputm__local_tm_restore(struct gputm_local_tm *t, uint32_t item, uint32_t bank,
			     struct tally *tally);
/* Roll lanes back in all banks. */
void gputm__local_tm_roll_back(struct gputm_local_tm *t, uint32_t wavefront, uint64_t lanes,
			       struct tally *tally);

int gputm__local_tm_refuse_wavefront(const struct gputm_local_tm *t, uint32_t wavefront);
int gputm__local_tm_refuse_lanes(const struct gputm_local_tm *t, const char *field,
				 uint64_t lanes);

#endif /* GPUTM_LIB_LOCALTM_LOCAL_TM_PRIV_H */
