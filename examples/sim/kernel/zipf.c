/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * k to the power of -e is 2 to the power of -e * log2(k). The logarithm comes bit by bit from
 * squaring, the power from the roots 2^(-1/2), 2^(-1/4), ..., all in numbers with 32 bits after
 * the point.
 */
#include "zipf.h"
#include "../base/arena.h"

#define BITS 32u

static uint64_t log2_of(uint32_t k)
{
	uint32_t whole = 31;
	uint64_t mantissa, result;

	while (!(k >> whole))
		whole--;
	mantissa = (uint64_t)k << (31 - whole); /* 1 .. 2, with 31 bits */
	result = whole;
	for (uint32_t i = 0; i < BITS; i++) {
		mantissa = mantissa * mantissa >> 31;
		result = result << 1 | mantissa >> 32;
		mantissa >>= mantissa >> 32;
	}
	return result;
}

static uint64_t root(uint64_t square)
{
	uint64_t result = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((result + bit) * (result + bit) <= square)
			result += bit;
	return result;
}

/* 2^-x, at least the smallest number there is. */
static uint64_t power(const uint64_t half[BITS], uint64_t x)
{
	uint64_t result = UINT64_C(1) << BITS, whole = x >> BITS;

	for (uint32_t i = 0; i < BITS; i++)
		if (x >> (BITS - 1 - i) & 1)
			result = result * half[i] >> BITS;
	result = whole < BITS ? result >> whole : 0;
	return result ? result : 1;
}

struct zipf *zipf_new(uint32_t items, uint32_t exponent)
{
	struct zipf *zipf = sim_malloc(sizeof(*zipf) + items * sizeof(zipf->below[0]));
	uint64_t half[BITS], sum = 0;

	if (!zipf)
		return NULL;
	*zipf = (struct zipf){ .items = items, .exponent = exponent };
	half[0] = root(UINT64_C(1) << 63);
	for (uint32_t i = 1; i < BITS; i++)
		half[i] = root(half[i - 1] << BITS);
	for (uint32_t i = 0; i < items; i++) {
		sum += power(half, log2_of(i + 1) * exponent / 100);
		zipf->below[i] = sum;
	}
	return zipf;
}

uint32_t zipf_item(const struct zipf *zipf, uint32_t uniform)
{
	uint64_t sum = zipf->below[zipf->items - 1];
	uint64_t wanted = (sum >> 31) * uniform + ((sum & 0x7fffffff) * uniform >> 31);
	uint32_t first = 0, last = zipf->items - 1;

	while (first < last) {
		uint32_t middle = first + (last - first) / 2;

		if (zipf->below[middle] > wanted)
			last = middle;
		else
			first = middle + 1;
	}
	return first;
}
