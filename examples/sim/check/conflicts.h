/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CONFLICTS_H
#define SIM_CONFLICTS_H
/*
 * Counts the pairs of attempts that overlap in time, by what conflicts. An attempt lasts from its
 * first access until it commits or aborts; it reads a word unless it has written the word before.
 */
#include "../port/result.h"

struct sim_conflicts;

struct sim_pairs {
	uint64_t overlapping; /* all pairs */
	/* Those with a word that both access and one of them writes: no such word is written by
	 * both; all of them are written by both and read by none; all other pairs. */
	uint64_t read_write, write_write, both;
	/* Each reads a word that the other writes, and none of its accesses was refused: a
	 * dependency loop of two. */
	uint64_t loops;
};

struct sim_conflicts *sim_conflicts_new(uint64_t threads); /* NULL: no memory */
void sim_conflicts_free(struct sim_conflicts *conflicts);
/* For sim_run_options; valid as long as conflicts. */
const struct sim_observer *sim_conflicts_observer(const struct sim_conflicts *conflicts);
/* False if memory ran out: the counts are too low. */
bool sim_conflicts_get(const struct sim_conflicts *conflicts, struct sim_pairs *out);

#endif /* SIM_CONFLICTS_H */
