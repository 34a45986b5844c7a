/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_SYSTEMS_H
#define GPUTM_TESTS_EXPLORE_SYSTEMS_H
#include "tests/explore/host.h"

extern const struct host_system host_getm, host_kilo, host_warptm;
extern const struct host_system host_tcd, host_tcd_late, host_eapg;
extern const struct host_system host_si, host_si_blind, host_si_leaks;

/* When a case is run: by make check, by that in full, by that with EXPLORE_MORE set (as .ci/run
 * does), which leaves the others out, by make explore only. */
enum explore_when { EXPLORE_ALWAYS, EXPLORE_FULL, EXPLORE_MORE, EXPLORE_LARGE };

/* What is explored, and what must come of it. */
struct explore_case {
	const char *name; /* begins with that of the system */
	enum explore_when when;
	unsigned steps;	   /* of the shortest way to a hole that is known; 0: nothing is wrong */
	const char *wrong; /* what the hole breaks */
	struct host_trial trial;
};
extern const struct explore_case explore_cases[];
extern const unsigned explore_case_count;

/* Explore and say in a line what came of it. */
struct explore_result explore_run(const struct explore_case *one, struct explore_bounds bounds);

#endif
