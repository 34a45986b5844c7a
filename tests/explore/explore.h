/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_EXPLORE_H
#define GPUTM_TESTS_EXPLORE_EXPLORE_H
/*
 * The explorer: every state that a system can come to, nearest first. The state of the system is
 * the arena (arena.h): what a model does must depend on nothing else. See README.md.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EXPLORE_CHOICES 64 /* of a state, at most */

/* What a state is known by. */
struct explore_key {
	uint64_t low, high;
};
/* Take one more number into a key. */
void explore_mix(struct explore_key *key, uint64_t number);

struct explore_model {
	/* What can happen next, as numbers of the model's; how many. */
	unsigned (*choices)(uint32_t choice[EXPLORE_CHOICES]);
	void (*act)(uint32_t choice);
	/* The key of what the arena's units hold, and what else is not in the room around them. */
	void (*key)(struct explore_key *key);
	/* What is wrong with this state, as a sentence; NULL: nothing. `over`: nothing can happen
	 * any more. */
	const char *(*judge)(bool over);
	/* A key of what has come of it all, at an end. */
	void (*outcome)(struct explore_key *key);
	/* One line of a chart, without its end: what the choice is. */
	void (*say)(uint32_t choice, FILE *out);
	/* From now on tell of all that happens within, if `out` is not NULL; may be NULL itself. */
	void (*tell)(FILE *out);
};

struct explore_result {
	uint64_t states, choices, ends;
	bool closed;	       /* every state has been seen, and none is wrong */
	double seconds;	       /* of the processor */
	char wrong[320];       /* what is, in the nearest state that is wrong; "": nothing */
	unsigned steps;	       /* that lead there */
	uint64_t outcomes;     /* that differ */
	uint64_t circles;      /* sets of states that a fair run may stay in for ever */
	struct explore_key all; /* of all outcomes together */
};

/* How far, and in which order. */
struct explore_bounds {
	uint64_t most; /* states, or a few more */
	bool deep;     /* depth first, with less memory; a way to what is wrong is sought anew */
};

/*
 * Explore from the state that the arena holds until a state is wrong, or there are more than
 * bounds.most states. A state from which no end can be reached is wrong too. With `out`, the way to
 * what is wrong is written there as a chart. A run is fair if what is possible from some time on
 * happens at last; circles are counted if every state has been seen.
 */
struct explore_result explore(const struct explore_model *model, struct explore_bounds bounds,
			      FILE *out);

#endif
