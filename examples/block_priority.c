/* SPDX-License-Identifier: BSD-2-Clause */
/* The three policies of the thesis (3.6.2): three blocks, of which one is not always ready. */
#include <gputm/block_priority.h>
#include <stdio.h>

static int run(const char *policy)
{
	static const uint64_t ready[] = { 7, 7, 6, 7, 7, 0, 7, 3, 7 };
	struct gputm_block_priority_config config = GPUTM_BLOCK_PRIORITY_CONFIG_INIT;
	struct gputm_block_priority *priority;
	uint32_t slot;
	int result = 0;

	if (gputm_block_priority_config_preset(&config, policy) < 0 ||
	    gputm_block_priority_new(NULL, &config, &priority) < 0)
		return -1;
	for (uint32_t i = 0; i < 3 && result >= 0; i++)
		result = gputm_block_priority_admit(priority, i);
	printf("%s:", policy);
	for (unsigned i = 0; i < sizeof(ready) / sizeof(ready[0]) && result >= 0; i++) {
		result = gputm_block_priority_pick(priority, ready[i], &slot);
		if (result == GPUTM_BLOCK_PRIORITY_ISSUE)
			printf(" %u", (unsigned)slot);
		else
			printf(" -");
	}
	/* If all blocks could issue: */
	if (gputm_block_priority_pick_probe(priority, gputm_block_priority_blocks(priority),
					    &slot) == GPUTM_BLOCK_PRIORITY_ISSUE)
		printf(", next %u", (unsigned)slot);
	printf("\n");
	gputm_block_priority_free(priority);
	return result;
}

int main(void)
{
	return run("age") < 0 || run("rrb") < 0 || run("srr") < 0;
}
