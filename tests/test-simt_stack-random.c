/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of simt_stack: random programs against a recursive execution. */
#include "tests/oracle/simt_stack.h"
#include "tests/simt_stack.h"

/* A host that executes a program on the stack; every lane keeps a PC of its own. */
struct host {
	struct oracle_program program;
	struct oracle_step expected[ORACLE_STEPS];
	struct gputm_simt_stack *stack;
	uint64_t pc[64];
	unsigned draws[64];
	uint64_t running; /* lanes of the attempt, kept apart from the stack */
	uint64_t waiting; /* lanes that have committed, until all have */
	uint64_t ended;
};

static uint64_t bit(unsigned lane)
{
	return UINT64_C(1) << lane;
}

static void move(struct host *h, uint64_t mask, uint64_t pc)
{
	for (EACH_LANE(lane, mask))
		h->pc[lane] = pc;
}

/* Every lane waits in the topmost entry that has it, at its own PC. */
static void lanes_are_in_place(const struct host *h, uint64_t lanes)
{
	size_t depth = gputm_simt_stack_depth(h->stack);
	struct gputm_simt_stack_entry entry;

	REQUIRE(gputm_simt_stack_live_mask(h->stack) == (lanes & ~h->ended));
	REQUIRE(gputm_simt_stack_tx_running(h->stack) == h->running);
	lanes &= ~(h->ended | h->waiting);
	while (depth--) {
		REQUIRE(!gputm_simt_stack_get_entry(h->stack, depth, &entry));
		for (unsigned lane = 0; lane < 64; lane++)
			if (lanes & entry.mask & bit(lane))
				REQUIRE(h->pc[lane] == entry.pc);
		lanes &= ~entry.mask;
	}
	REQUIRE(lanes == 0);
}

static void host_branch(struct host *h, const struct oracle_block *block, uint64_t mask)
{
	struct gputm_simt_stack_target target[ORACLE_WAYS];
	int probe;

	for (unsigned way = 0; way < block->ways; way++)
		target[way] = (struct gputm_simt_stack_target){ block->next[way], 0 };
	for (unsigned lane = 0; lane < 64; lane++) {
		unsigned way;

		if (!(mask & bit(lane)))
			continue;
		way = oracle_simt_stack_way(&h->program, block, lane, h->draws[lane]++);
		target[way].mask |= bit(lane);
		h->pc[lane] = block->next[way];
	}
	probe = gputm_simt_stack_diverge_probe(h->stack, target, block->ways, block->rpc,
					       block->lpc);
	REQUIRE(probe == CONTINUE || probe == SWITCH);
	REQUIRE(gputm_simt_stack_diverge(h->stack, target, block->ways, block->rpc, block->lpc) ==
		probe);
}

static void host_exit(struct host *h, const struct oracle_block *block, uint64_t mask)
{
	struct oracle_block coin = *block;
	uint64_t ended = 0;

	coin.ways = 2;
	for (unsigned lane = 0; lane < 64; lane++)
		if (mask & bit(lane) &&
		    oracle_simt_stack_way(&h->program, &coin, lane, h->draws[lane]++))
			ended |= bit(lane);
	if (ended)
		REQUIRE(gputm_simt_stack_exit(h->stack, ended) >= 0);
	h->ended |= ended;
	move(h, mask & ~ended, block->next[0]);
	if (mask & ~ended)
		REQUIRE(gputm_simt_stack_proceed(h->stack, block->next[0]) >= 0);
}

static uint64_t restart_pc(const struct host *h)
{
	struct gputm_simt_stack_entry entry;
	size_t depth = gputm_simt_stack_depth(h->stack);

	do
		REQUIRE(!gputm_simt_stack_get_entry(h->stack, --depth, &entry));
	while (entry.type != R);
	return entry.pc;
}

static void host_abort(struct host *h, uint64_t mask)
{
	if (!mask)
		return;
	h->running &= ~mask;
	move(h, mask, restart_pc(h));
	REQUIRE(gputm_simt_stack_tx_abort(h->stack, mask) >= 0);
}

static void host_commit(struct host *h, const struct oracle_block *block, uint64_t mask,
			size_t step)
{
	uint64_t failed = oracle_simt_stack_failures(&h->program, step, mask);

	REQUIRE(mask == h->running);
	host_abort(h, failed);
	if (mask == failed)
		return;
	REQUIRE(gputm_simt_stack_tx_commit(h->stack, mask & ~failed, block->next[0]) == SWITCH);
	h->running = 0;
	h->waiting |= mask & ~failed;
	move(h, mask & ~failed, block->next[0]);
}

static void host_step(struct host *h, size_t step)
{
	uint64_t mask = gputm_simt_stack_active_mask(h->stack);
	uint64_t pc = gputm_simt_stack_pc(h->stack);
	const struct oracle_block *block = &h->program.block[pc];

	if (block->kind == ORACLE_BRANCH) {
		host_branch(h, block, mask);
	} else if (block->kind == ORACLE_EXIT) {
		host_exit(h, block, mask);
	} else if (block->kind == ORACLE_END) {
		REQUIRE(gputm_simt_stack_exit(h->stack, mask) >= 0);
		h->ended |= mask;
	} else if (block->kind == ORACLE_COMMIT) {
		host_commit(h, block, mask, step);
		return;
	} else {
		move(h, mask, block->next[0]);
		if (block->kind == ORACLE_BEGIN) {
			h->running = mask;
			REQUIRE(gputm_simt_stack_tx_begin(h->stack, block->next[0]) == SWITCH);
		} else if (block->kind == ORACLE_INNER_BEGIN) {
			REQUIRE(gputm_simt_stack_tx_begin(h->stack, block->next[0]) == NESTED);
		} else if (block->kind == ORACLE_INNER_COMMIT) {
			REQUIRE(gputm_simt_stack_tx_commit(h->stack, mask, block->next[0]) ==
				NESTED);
		} else {
			REQUIRE(gputm_simt_stack_proceed(h->stack, block->next[0]) >= 0);
		}
	}
	if (gputm_simt_stack_in_transaction(h->stack))
		host_abort(h, oracle_simt_stack_aborts(&h->program, step, h->running));
}

static void host_end_attempt(struct host *h)
{
	if (!gputm_simt_stack_in_transaction(h->stack) || h->running)
		return;
	if (gputm_simt_stack_tx_commit_done(h->stack) == GPUTM_SIMT_STACK_RESTART)
		h->running = gputm_simt_stack_active_mask(h->stack);
	else
		h->waiting = 0;
}

/* Runs to the end, or ORACLE_STEPS; gives the steps. */
static size_t host_run(struct host *h, struct kit *kit, uint64_t lanes)
{
	uint64_t random = h->program.seed;
	size_t step;

	ck_assert_int_eq(gputm_simt_stack_launch(h->stack, 0, lanes), 0);
	for (step = 0; step < ORACLE_STEPS && gputm_simt_stack_depth(h->stack); step++) {
		for (unsigned lane = 0; lane < 64; lane++)
			if (gputm_simt_stack_active_mask(h->stack) & bit(lane))
				REQUIRE(h->pc[lane] == gputm_simt_stack_pc(h->stack));
		h->expected[step].pc -= gputm_simt_stack_pc(h->stack);
		h->expected[step].mask -= gputm_simt_stack_active_mask(h->stack);
		host_step(h, step);
		host_end_attempt(h);
		REQUIRE(!gputm_unit_check(unit_of(h->stack)));
		lanes_are_in_place(h, lanes);
		if (kit_below(&random, 40) == 0)
			h->stack = KIT_SWAP(simt_stack, h->stack);
	}
	return step;
}

static struct host *host_new(struct kit *kit, uint64_t seed, uint32_t lanes, bool likely)
{
	static struct host host;

	memset(&host, 0, sizeof(host));
	oracle_simt_stack_program(&host.program, seed, seed % 3 ? 6 : 0);
	host.stack = make(kit, "lanes=%u depth=0 likely_convergence=%d", lanes, likely);
	if (seed & 1)
		kit_observe(unit_of(host.stack));
	return &host;
}

static const uint32_t widths[] = { 1, 2, 3, 5, 8, 32, 64 };

/* The same instructions with the same lanes in the same order as the recursive execution. */
KIT_TESTS(test_simt_stack_random_programs_against_recursion, KIT_COUNT(widths))
{
	unsigned rounds = kit_scale(60, 4);
	uint32_t lanes = widths[_i];
	uint64_t all = lanes < 64 ? bit(lanes) - 1 : UINT64_MAX;

	for (unsigned round = 0; round < rounds; round++) {
		struct host *h = host_new(kit, 1000 * lanes + round, lanes, false);
		size_t expected = oracle_simt_stack_schedule(&h->program, all, h->expected);
		size_t steps = host_run(h, kit, all);

		ck_assert_msg(steps == expected, "%u lanes, round %u: %zu steps, not %zu", lanes,
			      round, steps, expected);
		for (size_t i = 0; i < steps; i++)
			ck_assert_msg(!h->expected[i].pc && !h->expected[i].mask,
				      "%u lanes, round %u: step %zu differs", lanes, round, i);
		if (!round)
			kit_hostile(&simt_stack_maker, unit_of(h->stack));
	}
}

/* With likely convergence the order is another one, but every lane does the same. */
KIT_TESTS(test_simt_stack_random_likely_convergence, KIT_COUNT(widths))
{
	unsigned rounds = kit_scale(60, 4);
	uint32_t lanes = widths[_i];
	uint64_t all = lanes < 64 ? bit(lanes) - 1 : UINT64_MAX;

	for (unsigned round = 0; round < rounds; round++) {
		struct host *h = host_new(kit, 1000 * lanes + round, lanes, true);

		ck_assert_uint_lt(host_run(h, kit, all), ORACLE_STEPS);
		ck_assert_uint_eq(h->ended, all);
	}
}
