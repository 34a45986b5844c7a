/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H
/* Names to choose from, and what to say to a wrong one. */
#include <stddef.h>

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

#endif /* SIM_NAMES_H */
