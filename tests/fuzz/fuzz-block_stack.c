/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes become a geometry, then any operations, sensible or not, against the oracle. At last,
 * perhaps, the state is bent in a snapshot: what load() accepts is saved as it was, and no
 * operation on it breaks an invariant.
 */
#include <string.h>

#include "tests/fuzz/bend.h"
#include "tests/oracle/block_stack.h"

struct pair {
	struct gputm_block_stack *unit;
	struct oracle_block_stack oracle;
};

static uint64_t draw_pc(struct fuzz *fuzz)
{
	uint8_t byte = fuzz_u8(fuzz);

	return byte == 0xff ? GPUTM_BLOCK_STACK_NO_PC : byte % (byte & 0x80 ? 6u : 17u);
}

static uint64_t draw_lanes(struct fuzz *fuzz, uint64_t of)
{
	uint8_t byte = fuzz_u8(fuzz);

	return byte < 4 ? byte : byte < 128 ? of : byte & of;
}

static void launch(struct pair *p, struct fuzz *fuzz)
{
	uint64_t mask[64], pc = draw_pc(fuzz);

	for (unsigned lane = 0; lane < p->oracle.lanes; lane++)
		mask[lane] = fuzz_u8(fuzz);
	FUZZ_CHECK(gputm_block_stack_launch(p->unit, pc, mask) ==
		   oracle_block_launch(&p->oracle, pc, mask));
}

/* The next warp by the rule of the compactor, or something else. */
static void admit(struct pair *p, struct fuzz *fuzz)
{
	const struct oracle_block_stack *o = &p->oracle;
	unsigned row = 0, last = o->lanes * o->warps;
	uint16_t thread[64] = { 0 };
	uint64_t mask = 0;
	uint8_t odd = fuzz_u8(fuzz);

	while (row < last && o->place[row] != ORACLE_BLOCK_TO_ADMIT)
		row++;
	for (unsigned t = last; t--;) {
		if (o->place[t] != ORACLE_BLOCK_TO_ADMIT ||
		    (!o->compact && t / o->lanes != row / o->lanes))
			continue;
		mask |= UINT64_C(1) << t % o->lanes;
		thread[t % o->lanes] = (uint16_t)t;
	}
	if (odd & 1) {
		mask ^= fuzz_u8(fuzz);
		thread[fuzz_below(fuzz, o->lanes)] = fuzz_u8(fuzz);
	}
	FUZZ_CHECK(gputm_block_stack_admit(p->unit, mask, thread) ==
		   oracle_block_admit(&p->oracle, mask, thread));
}

static void branch(struct pair *p, struct fuzz *fuzz)
{
	struct gputm_block_stack_target target = { draw_pc(fuzz), draw_pc(fuzz), draw_pc(fuzz),
						   draw_pc(fuzz) };
	uint8_t how = fuzz_u8(fuzz);
	uint32_t warp = how & 3;
	uint64_t taken = draw_lanes(fuzz, gputm_block_stack_warp(p->unit, warp));
	int probe;

	if (p->oracle.branching && how & 12)
		target = p->oracle.target;
	if ((how & 48) == 16)
		target.rpc = p->oracle.entry[p->oracle.top].rpc;
	probe = gputm_block_stack_branch_probe(p->unit, warp, taken, &target);
	FUZZ_CHECK(gputm_block_stack_branch(p->unit, warp, taken, &target) == probe);
	FUZZ_CHECK(oracle_block_branch(&p->oracle, warp, taken, &target) == probe);
}

static void arrive(struct pair *p, struct fuzz *fuzz)
{
	uint64_t pc = draw_pc(fuzz);
	uint8_t how = fuzz_u8(fuzz);

	if (how & 4)
		pc = how & 8 ? p->oracle.entry[p->oracle.top].rpc :
			       p->oracle.entry[p->oracle.top].lpc;
	FUZZ_CHECK(gputm_block_stack_arrive(p->unit, how & 3, pc) ==
		   oracle_block_arrive(&p->oracle, how & 3, pc));
}

static void end(struct pair *p, struct fuzz *fuzz)
{
	uint32_t warp = fuzz_below(fuzz, 4);
	uint64_t lanes = draw_lanes(fuzz, gputm_block_stack_warp(p->unit, warp));

	FUZZ_CHECK(gputm_block_stack_exit(p->unit, warp, lanes) ==
		   oracle_block_exit(&p->oracle, warp, lanes));
}

static void barrier(struct pair *p, uint32_t warp)
{
	FUZZ_CHECK(gputm_block_stack_barrier(p->unit, warp) ==
		   oracle_block_barrier(&p->oracle, warp));
}

static void any_operation(struct gputm_block_stack *s, struct fuzz *fuzz)
{
	uint32_t warp = fuzz_below(fuzz, 4);
	uint64_t lanes = gputm_block_stack_warp(s, warp), some = draw_lanes(fuzz, lanes);
	struct gputm_block_stack_target target = { draw_pc(fuzz), draw_pc(fuzz), 0, 0 };
	struct gputm_block_stack_entry e = { 0, 0, 0, 0, 0, { 0 } };
	int ignored = 0;

	(void)gputm_block_stack_get_entry(s, gputm_block_stack_top(s), &e);
	target.rpc = fuzz_u8(fuzz) & 1 ? e.rpc : draw_pc(fuzz);
	target.lpc = draw_pc(fuzz);
	switch (fuzz_below(fuzz, 4)) {
	case 0:
		ignored = gputm_block_stack_branch(s, warp, some, &target);
		break;
	case 1:
		ignored = gputm_block_stack_arrive(s, warp, fuzz_u8(fuzz) & 1 ? e.rpc : e.lpc);
		break;
	case 2:
		ignored = gputm_block_stack_exit(s, warp, some);
		break;
	default:
		ignored = gputm_block_stack_barrier(s, warp);
	}
	(void)ignored;
	FUZZ_CHECK(!gputm_unit_check(gputm_block_stack_unit(s)));
}

static void bend(struct pair *p, struct fuzz *fuzz)
{
	struct gputm_unit *unit = gputm_block_stack_unit(p->unit);

	if (!fuzz_bend(unit, fuzz))
		return;
	while (fuzz_more(fuzz))
		any_operation(p->unit, fuzz);
}

static void operate(struct pair *p, struct fuzz *fuzz, unsigned what)
{
	bool forming = p->oracle.admitted < p->oracle.formed;

	if (!p->oracle.count || what == 15)
		launch(p, fuzz);
	else if (what < 2 || (forming && what < 8))
		admit(p, fuzz);
	else if (what < 7)
		branch(p, fuzz);
	else if (what < 12)
		arrive(p, fuzz);
	else if (what < 14)
		end(p, fuzz);
	else
		barrier(p, fuzz_u8(fuzz) & 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pair p;
	struct gputm_block_stack_config config = GPUTM_BLOCK_STACK_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 600 ? size : 600 };

	memset(&p, 0, sizeof(p));
	config.lanes = 1 + fuzz_below(&fuzz, 6);
	config.warps = 1 + fuzz_below(&fuzz, 5);
	config.depth = 4 + fuzz_below(&fuzz, 20);
	config.pc_bits = 4;
	config.compact = fuzz_u8(&fuzz) & 1;
	config.likely_convergence = fuzz_u8(&fuzz) & 1;
	p.oracle.lanes = config.lanes;
	p.oracle.warps = config.warps;
	p.oracle.depth = config.depth;
	p.oracle.compact = config.compact;
	p.oracle.likely = config.likely_convergence;
	p.oracle.pc_max = 15;
	FUZZ_CHECK(!gputm_block_stack_new(NULL, &config, &p.unit));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what >= 0xf8) {
			bend(&p, &fuzz);
			break;
		}
		operate(&p, &fuzz, what % 16);
		FUZZ_CHECK(!gputm_unit_check(gputm_block_stack_unit(p.unit)));
		FUZZ_CHECK(!oracle_block_compare(&p.oracle, p.unit));
	}
	gputm_block_stack_free(p.unit);
	return 0;
}
