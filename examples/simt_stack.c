/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worked example of the thesis (Fig. 4.3): eight lanes, of which two do not take the
 * branch to a transaction, three branch inside it and two have to run it again.
 */
#include <gputm/simt_stack.h>
#include <inttypes.h>
#include <stdio.h>

#define NONE GPUTM_SIMT_STACK_NO_PC

static char name(uint64_t pc)
{
	return pc == NONE ? '-' : (char)pc;
}

static void show(const struct gputm_simt_stack *stack, const char *what)
{
	struct gputm_simt_stack_entry entry;

	printf("%s\n", what);
	for (size_t i = 0; !gputm_simt_stack_get_entry(stack, i, &entry); i++) {
		printf("  ");
		for (unsigned lane = 0; lane < 8; lane++)
			printf("%u", (unsigned)(entry.mask >> lane & 1));
		printf(" %c %c %c\n", name(entry.rpc), name(entry.pc), "NRT"[entry.type]);
	}
}

static int run(struct gputm_simt_stack *stack)
{
	const struct gputm_simt_stack_target at_a[] = { { 'H', 0x30 }, { 'B', 0xcf } };
	const struct gputm_simt_stack_target at_d[] = { { 'F', 0x07 }, { 'E', 0xc8 } };
	int bad = 0;

	bad |= gputm_simt_stack_launch(stack, 'A', 0xff);
	if (gputm_simt_stack_diverge_probe(stack, at_a, 2, 'H', NONE) == GPUTM_SIMT_STACK_FULL)
		return 1;
	bad |= gputm_simt_stack_diverge(stack, at_a, 2, 'H', NONE);
	if (gputm_simt_stack_tx_begin_probe(stack, 'C') == GPUTM_SIMT_STACK_FULL)
		return 1;
	bad |= gputm_simt_stack_tx_begin(stack, 'C');
	show(stack, "tx_begin: mask, RPC, PC, type");
	bad |= gputm_simt_stack_proceed(stack, 'D');
	bad |= gputm_simt_stack_diverge(stack, at_d, 2, 'F', NONE);
	show(stack, "branch within the transaction");
	bad |= gputm_simt_stack_proceed(stack, 'F');
	bad |= gputm_simt_stack_tx_abort(stack, 0xc0);
	bad |= gputm_simt_stack_tx_commit(stack, 0x0f, 'G');
	show(stack, "tx_commit: lanes 6 and 7 failed");
	printf("to run again: lanes 0x%" PRIx64 "\n", gputm_simt_stack_tx_retry(stack));
	bad |= gputm_simt_stack_tx_commit_done(stack);
	show(stack, "restart");
	bad |= gputm_simt_stack_proceed(stack, 'F');
	bad |= gputm_simt_stack_tx_commit(stack, 0xc0, 'G');
	bad |= gputm_simt_stack_tx_commit_done(stack);
	show(stack, "all committed");
	return bad < 0 || gputm_simt_stack_in_transaction(stack);
}

int main(void)
{
	struct gputm_simt_stack_config config = GPUTM_SIMT_STACK_CONFIG_INIT;
	struct gputm_simt_stack *stack;
	int bad;

	config.lanes = 8;
	if (gputm_simt_stack_new(NULL, &config, &stack) < 0)
		return 1;
	bad = run(stack);
	printf("storage: %" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_simt_stack_unit(stack)));
	gputm_simt_stack_free(stack);
	return bad;
}
