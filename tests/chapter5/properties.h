/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_CHAPTER5_PROPERTIES_H
#define GPUTM_TESTS_CHAPTER5_PROPERTIES_H
/* The claims and lemmas of the thesis' chapter 5 as predicates over the record of a run. */
#include "tests/chapter5/model.h"

struct property {
	const char *name;
	const char *says;
	bool (*holds)(const struct record *record);
};

#define PROPERTIES 14
extern const struct property properties[PROPERTIES];

/* By name; NULL if there is none. */
const struct property *find_property(const char *name);

/* NULL, or the first property that the record breaks. */
const struct property *broken_property(const struct record *record);

#endif
