/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H
/* Lists of valid names, and the message for a name that is not in the list. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name number `index`, or NULL past the last name. */
typedef const char *sim_name_at(const void *of, size_t index);

/* The valid name that `got` most likely misspells, or NULL. */
const char *sim_name_near(const char *got, sim_name_at *at, const void *of);

/*
 * On stderr: the option, the name that it got, all valid names, what these belong to (" (for ...)"
 * or ""), and the name that was most likely meant.
 */
void sim_name_unknown(const char *option, const char *got, sim_name_at *at, const void *of,
		      const char *whose);

#define SIM_PATTERN 256
/* Copy pattern number `index` of a comma-separated list to name[]; false past the last pattern. */
bool sim_pattern(const char *list, size_t index, char name[SIM_PATTERN]);
/* Does a pattern of the list match the name? NULL as list matches all names. For each of the first
 * 64 patterns that match, the bit of that number is set in *matched. */
bool sim_pattern_matches(const char *list, const char *name, uint64_t *matched);

#endif /* SIM_NAMES_H */
