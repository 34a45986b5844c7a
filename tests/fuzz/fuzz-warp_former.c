/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes become a geometry, then any operations, sensible or not, against the oracle. At last,
 * perhaps, the state is bent in a snapshot: what load() accepts is saved as it was, and no
 * operation on it breaks an invariant.
 */
#include <string.h>

#include "tests/fuzz/bend.h"
#include "tests/oracle/warp_former.h"

struct pair {
	struct gputm_warp_former *unit;
	struct oracle_warp_former oracle;
};

static uint64_t draw_pc(struct fuzz *fuzz)
{
	uint8_t byte = fuzz_u8(fuzz);

	return byte == 0xff ? GPUTM_WARP_FORMER_NO_PC : byte % (byte & 0x80 ? 5u : 17u);
}

static uint64_t draw_lanes(struct fuzz *fuzz, uint64_t of)
{
	uint8_t byte = fuzz_u8(fuzz);

	return byte < 4 ? byte : byte < 128 ? of : byte & of;
}

static void launch(struct pair *p, struct fuzz *fuzz)
{
	uint32_t warp = fuzz_below(fuzz, p->oracle.warps + 1);
	uint64_t mask = fuzz_u8(fuzz), pc = draw_pc(fuzz);

	FUZZ_CHECK(gputm_warp_former_launch(p->unit, warp, mask, pc) ==
		   oracle_former_launch(&p->oracle, warp, mask, pc));
}

static void pop(struct pair *p)
{
	struct gputm_warp_former_warp probed, warp;
	unsigned slot = 0;
	int result = gputm_warp_former_issue_probe(p->unit, &probed);

	FUZZ_CHECK(gputm_warp_former_issue(p->unit, &warp) == result);
	FUZZ_CHECK(oracle_former_pop(&p->oracle, &slot) == result);
	FUZZ_CHECK(result || (warp.slot == slot && probed.slot == slot));
}

static void give_back(struct pair *p, struct fuzz *fuzz, unsigned what, uint32_t slot)
{
	const struct gputm_warp_former_target target = { draw_pc(fuzz), draw_pc(fuzz),
							 draw_pc(fuzz) };
	uint64_t lanes = draw_lanes(fuzz, oracle_former_mask(&p->oracle, slot));

	if (what < 4)
		FUZZ_CHECK(gputm_warp_former_branch(p->unit, slot, lanes, &target) ==
			   oracle_former_branch(&p->oracle, slot, lanes, &target));
	else if (what < 6)
		FUZZ_CHECK(gputm_warp_former_proceed(p->unit, slot, target.rpc) ==
			   oracle_former_advance(&p->oracle, slot, target.rpc));
	else if (what < 7)
		FUZZ_CHECK(gputm_warp_former_exit(p->unit, slot, lanes) ==
			   oracle_former_exit(&p->oracle, slot, lanes));
	else
		FUZZ_CHECK(gputm_warp_former_barrier(p->unit, slot, target.taken_pc) ==
			   oracle_former_barrier(&p->oracle, slot, target.taken_pc));
}

static void any_operation(struct gputm_warp_former *f, struct fuzz *fuzz)
{
	const struct gputm_warp_former_target target = { draw_pc(fuzz), draw_pc(fuzz),
							 draw_pc(fuzz) };
	struct gputm_warp_former_warp warp = { 0, 0, 0, { 0 }, 0 };
	uint32_t slot = fuzz_below(fuzz, 30);
	bool flying = false;
	int ignored = 0;

	if (gputm_warp_former_get_warp(f, slot, &warp, &flying) <= 0 || !flying) {
		ignored = gputm_warp_former_issue(f, &warp);
		FUZZ_CHECK(!gputm_unit_check(gputm_warp_former_unit(f)));
		return;
	}
	switch (fuzz_below(fuzz, 4)) {
	case 0:
		ignored = gputm_warp_former_branch(f, slot, draw_lanes(fuzz, warp.mask), &target);
		break;
	case 1: ignored = gputm_warp_former_proceed(f, slot, target.taken_pc); break;
	case 2:
		ignored = gputm_warp_former_exit(f, slot, draw_lanes(fuzz, warp.mask));
		break;
	default:
		ignored = gputm_warp_former_barrier(f, slot, target.taken_pc);
	}
	(void)ignored;
	FUZZ_CHECK(!gputm_unit_check(gputm_warp_former_unit(f)));
}

static void bend(struct pair *p, struct fuzz *fuzz)
{
	struct gputm_unit *unit = gputm_warp_former_unit(p->unit);

	if (!fuzz_bend(unit, fuzz))
		return;
	while (fuzz_more(fuzz))
		any_operation(p->unit, fuzz);
}

static uint32_t find_flying(const struct pair *p, uint32_t from)
{
	for (uint32_t i = 0; i < p->oracle.lanes * p->oracle.warps; i++) {
		uint32_t slot = (from + i) % (p->oracle.lanes * p->oracle.warps);

		if (p->oracle.pool[slot].used && p->oracle.pool[slot].flying)
			return slot;
	}
	return from;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pair p;
	struct gputm_warp_former_config config = GPUTM_WARP_FORMER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 500 ? size : 500 };

	memset(&p, 0, sizeof(p));
	config.lanes = 1 + fuzz_below(&fuzz, 6);
	config.warps = 1 + fuzz_below(&fuzz, 5);
	config.block_warps = 1 + fuzz_below(&fuzz, 5);
	config.pc_bits = 4;
	config.warp_barrier = fuzz_u8(&fuzz) & 1;
	config.hold_partial = fuzz_u8(&fuzz) & 1;
	p.oracle.lanes = config.lanes;
	p.oracle.warps = config.warps;
	p.oracle.block_warps = config.block_warps;
	p.oracle.warp_barrier = config.warp_barrier;
	p.oracle.hold = config.hold_partial;
	p.oracle.pc_max = 15;
	FUZZ_CHECK(!gputm_warp_former_new(NULL, &config, &p.unit));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what >= 0xf8) {
			bend(&p, &fuzz);
			break;
		}
		if (what % 16 < 3)
			launch(&p, &fuzz);
		else if (what % 16 < 8)
			pop(&p);
		else
			give_back(&p, &fuzz, what % 16 - 8u,
				  what & 16 ? what >> 3 : find_flying(&p, what >> 5));
		FUZZ_CHECK(!gputm_unit_check(gputm_warp_former_unit(p.unit)));
		FUZZ_CHECK(!oracle_former_compare(&p.oracle, p.unit));
	}
	gputm_warp_former_free(p.unit);
	return 0;
}
