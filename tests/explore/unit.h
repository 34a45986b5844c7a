/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_TESTS_EXPLORE_UNIT_H
#define GPUTM_TESTS_EXPLORE_UNIT_H
/* What the explorer asks of any unit. */
#include <stddef.h>

#include "gputm/base.h"
#include "tests/explore/explore.h"

void unit_mix_bytes(struct explore_key *key, const void *bytes, size_t count);

/* Take what the unit and its parts save, but for statistics, into the key. `blank`, if not NULL,
 * first gives what makes no difference in what a kind saves a fixed value. */
void unit_mix(struct explore_key *key, struct gputm_unit *unit,
	      void (*blank)(const char *kind, uint8_t *bytes, size_t size));

/* A snapshot of the unit, loaded into the unit, is saved as the same bytes: NULL, or what is
 * wrong. */
const char *unit_reload(struct gputm_unit *unit);

#endif
