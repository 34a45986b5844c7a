/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of examples/embed: two units, whichever way the library is built. */
#include <inttypes.h>
#include <stdio.h>

#include <gputm/gputm.h>

int main(void)
{
	struct gputm_recency_bloom *filter;
	struct gputm_simt_stack *stack;
	uint64_t stamp;

	if (gputm_recency_bloom_new(NULL, NULL, &filter) ||
	    gputm_simt_stack_new(NULL, NULL, &stack))
		return 1;
	if (gputm_recency_bloom_update(filter, 0x1000, 7) ||
	    gputm_recency_bloom_query(filter, 0x1000, &stamp))
		return 1;
	printf("0x1000: stamp %" PRIu64 "\n", stamp);
	printf("recency_bloom: %" PRIu64 " bits, simt_stack: %" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_recency_bloom_unit(filter)),
	       gputm_unit_storage_bits(gputm_simt_stack_unit(stack)));
	gputm_simt_stack_free(stack);
	gputm_recency_bloom_free(filter);
	return 0;
}
