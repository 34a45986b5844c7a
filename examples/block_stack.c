/* SPDX-License-Identifier: BSD-2-Clause */
/* The worked example of the thesis (Fig. 3.5): two warps at a hammock, with the compactor. */
#include <gputm/block_stack.h>
#include <gputm/thread_compactor.h>
#include <inttypes.h>
#include <stdio.h>

#define LANES 4
#define WARPS 2

static void show(const struct gputm_block_stack *stack)
{
	struct gputm_block_stack_entry e;

	for (size_t i = 0; !gputm_block_stack_get_entry(stack, i, &e); i++) {
		printf("  %c %c", (char)e.pc, e.rpc == GPUTM_BLOCK_STACK_NO_PC ? '-' : (char)e.rpc);
		for (unsigned t = 0; t < LANES * WARPS; t++)
			if (e.mask[t % LANES] >> t / LANES & 1)
				printf(" %u", t + 1);
		printf(" (%" PRIu32 ")\n", e.wcnt);
	}
}

/* Send the top of stack to the compactor, and back what it makes. */
static int compact(struct gputm_block_stack *stack, struct gputm_thread_compactor *compactor)
{
	struct gputm_thread_compactor_warp warp;
	uint64_t mask[LANES];
	int index = 0;

	show(stack);
	gputm_block_stack_mask(stack, mask);
	if (gputm_thread_compactor_push(compactor, 0, mask) < 0)
		return -1;
	while (gputm_thread_compactor_warps(compactor) && index >= 0) {
		gputm_thread_compactor_tick(compactor);
		if (!gputm_thread_compactor_peek(compactor, &warp))
			return -1;
		index = gputm_block_stack_admit(stack, warp.mask, warp.thread);
		printf("%c:", (char)gputm_block_stack_pc(stack));
		for (unsigned lane = 0; lane < LANES; lane++)
			printf(" %c", warp.mask >> lane & 1 ? '1' + warp.thread[lane] : '-');
		printf("\n");
		gputm_thread_compactor_pop(compactor);
	}
	return index;
}

int main(void)
{
	const struct gputm_block_stack_target at_a = { 'C', 'B', 'D', GPUTM_BLOCK_STACK_NO_PC };
	struct gputm_thread_compactor_config compactor_config = GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	struct gputm_block_stack_config config = GPUTM_BLOCK_STACK_CONFIG_INIT;
	const uint64_t all[LANES] = { 3, 3, 3, 3 };
	struct gputm_thread_compactor *compactor;
	struct gputm_block_stack *stack;
	int bad;

	config.lanes = compactor_config.lanes = LANES;
	config.warps = compactor_config.warps = WARPS;
	if (gputm_block_stack_new(NULL, &config, &stack) < 0 ||
	    gputm_thread_compactor_new(NULL, &compactor_config, &compactor) < 0)
		return 1;
	bad = gputm_block_stack_launch(stack, 'A', all) < 0 || compact(stack, compactor) < 0;
	bad |= gputm_block_stack_branch_probe(stack, 0, 0x1, &at_a) == GPUTM_BLOCK_STACK_FULL;
	bad |= gputm_block_stack_branch(stack, 0, 0x1, &at_a) < 0; /* thread 1 to C */
	bad |= gputm_block_stack_branch(stack, 1, 0x6, &at_a) < 0; /* 6 and 7 */
	bad |= compact(stack, compactor) < 0;
	bad |= gputm_block_stack_arrive(stack, 0, 'D') < 0 || compact(stack, compactor) < 0;
	bad |= gputm_block_stack_arrive(stack, 0, 'D') < 0;
	bad |= gputm_block_stack_arrive(stack, 1, 'D') < 0 || compact(stack, compactor) < 0;
	for (uint32_t w = 0; w < WARPS; w++)
		bad |= gputm_block_stack_exit(stack, w, gputm_block_stack_warp(stack, w)) < 0;
	printf("%" PRIu32 " threads are left\n", gputm_block_stack_live(stack));
	gputm_block_stack_free(stack);
	gputm_thread_compactor_free(compactor);
	return bad;
}
