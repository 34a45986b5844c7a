/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H
/* Names to choose from, and what to say to a wrong one. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name number `index`, or NULL past the last one. */
typedef const char *sim_name_at(const void *of, size_t index);

/* The name that was probably meant, or NULL. */
const char *sim_name_near(const char *got, sim_name_at *at, const void *of);

/*
 * On stderr: what was got for an option, all names that could have been, what they belong to
 * (" (for ...)" or ""), and which one was probably meant.
 */
void sim_name_unknown(const char *option, const char *got, sim_name_at *at, const void *of,
		      const char *whose);

#define SIM_PATTERN 256
/* Pattern number `index` of a list with commas, into name[]; false past the last one. */
bool sim_pattern(const char *list, size_t index, char name[SIM_PATTERN]);
/* Does a pattern of the list match the name, or is there no list? Each of the first 64 patterns
 * that does has its bit set in *matched. */
bool sim_pattern_matches(const char *list, const char *name, uint64_t *matched);

#endif /* SIM_NAMES_H */
