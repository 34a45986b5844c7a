/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_CHAPTER5_MODEL_H
#define GPUTM_TESTS_CHAPTER5_MODEL_H
/*
 * A small Kilo TM around real commit units, for the properties of the thesis' chapter
 * 5. Warps run random transactions on a few words, draw contiguous commit IDs from
 * credits, send their logs, gather outcomes, send verdicts and answer resends. Each pair
 * of core and unit is a channel that keeps its order; between channels messages overtake
 * each other. Memory completes requests after random times, in any order except that
 * those of a word keep theirs. Everything observed ends up in the record of the run.
 *
 * The core's half of chapter 5 (Claim 4) is this model's duty.
 */
#include "gputm/commit_unit.h"

#define UNITS 6	    /* at most */
#define LANES 8	    /* at most */
#define ACCESSES 6  /* reads, or writes, of a transaction: at most */
#define WORDS 64    /* of memory, at most */
#define ATTEMPTS 128 /* commit IDs of a run, at most */

/* What a run is like; setting_of() draws one from a seed. */
struct setting {
	uint64_t seed;
	struct gputm_commit_unit_config unit;
	unsigned units, cores, warps, lanes;
	unsigned words, region_words; /* of memory; interleaved over the units */
	unsigned reads, writes;	      /* of a transaction, at most */
	unsigned attempts;	      /* commit IDs to hand out */
	unsigned message_delay, memory_delay, think; /* cycles, at most */
	unsigned stall;		/* ports are left alone one time in 1 + stall; 0: never */
	uint32_t value_mask;	/* few values make ABA frequent */
	bool lazy;		/* idle cycles of a unit are made up for when it is used next */
	unsigned swap_every;	/* cycles until units are saved and made anew; 0: never */
};

struct setting setting_of(uint64_t seed);

/* The unit whose partition holds a word. */
static inline unsigned unit_of(const struct setting *setting, unsigned word)
{
	return word / setting->region_words % setting->units;
}

/* ---- the record of a run: sequence numbers say what happened before what ---- */

enum op_kind {
	OP_SPECULATIVE, /* a read compared while the logs came in */
	OP_REVALIDATED, /* a read compared after a hazard */
	OP_ISSUED,	/* a write left the unit */
	OP_WRITTEN,	/* a write took effect */
};

struct op {
	uint64_t seq;
	enum op_kind kind;
	unsigned unit;
	uint64_t cid;
	unsigned word;
	uint32_t memory, log; /* values compared; the one written */
	size_t next;	      /* later op on the same word, or NO_OP */
};
#define NO_OP SIZE_MAX

/* A transaction at one unit. Sequence number 0: did not happen. */
struct entry_record {
	bool touched; /* has words there; else a skip */
	bool revalidated;
	unsigned outcomes;
	bool passed;
	uint64_t outcome, verdict, retired;
	bool verdict_passed;
};

struct access {
	unsigned word;
	uint32_t value;
};

struct attempt {
	unsigned reads, writes;
	struct access read[ACCESSES], write[ACCESSES];
	uint64_t verdict_sent;
	bool committed;
	unsigned outcomes; /* units heard of */
	bool failed;
	struct entry_record at[UNITS];
};

struct record {
	struct setting setting;
	struct attempt attempt[ATTEMPTS]; /* by commit ID */
	unsigned attempts;
	struct op *op; /* in order of time */
	size_t ops, room, last[WORDS];
	uint64_t seq;
	uint32_t initial[WORDS], final[WORDS];
	uint64_t cycles;
	bool finished;		/* everything retired; else nothing happened for long */
	char broken[256];	/* an invariant of a unit, or why one refused something */
	uint64_t hazards, resends, committed;
};

/* Run to the end or until nothing moves. Free with record_free(). */
struct record *run_model(const struct setting *setting);
void record_free(struct record *record);

#endif
