/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_BASE_LANES_H
#define GPUTM_LIB_BASE_LANES_H
/* Which lanes of a warp have the same value? */
#include <stdint.h>

/* Gives the value of the highest of some lanes, and returns all of them that have the value. */
typedef uint64_t gputm__lanes_at_fn(const uint64_t value[], uint64_t among, uint64_t *highest);

/* The function for warps of so many lanes on this processor. */
gputm__lanes_at_fn *gputm__lanes_at(uint32_t lanes);

#endif /* GPUTM_LIB_BASE_LANES_H */
