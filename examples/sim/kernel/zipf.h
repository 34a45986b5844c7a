/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_ZIPF_H
#define SIM_KERNEL_ZIPF_H
/*
 * Zipf's law by integers, so that all hosts draw the same: of `items` items, item i from 0 on has
 * a weight of 1 / (i + 1)^(exponent / 100).
 */
#include <stdint.h>

#define ZIPF_ITEMS_MAX (1u << 26)
#define ZIPF_EXPONENT_MAX 1000u

struct zipf {
	struct zipf *next; /* for who keeps many */
	uint32_t items, exponent;
	uint64_t below[]; /* [items]: weight of the items up to this one, in units of 2^-32 */
};

/* NULL without memory. To be freed with free(). */
struct zipf *zipf_new(uint32_t items, uint32_t exponent);
/* The item that a uniform number of 31 bits falls on. */
uint32_t zipf_item(const struct zipf *zipf, uint32_t uniform);

#endif /* SIM_KERNEL_ZIPF_H */
