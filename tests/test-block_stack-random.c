/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any operations on block_stack, sensible or not, against the oracle. At last, perhaps, the state
 * is bent in a snapshot: what load() accepts is saved as it was, and no operation on it breaks an
 * invariant.
 */
#include "tests/kit.h"
#include "tests/oracle/block_stack.h"

KIT_PART(block_stack, BLOCK_STACK);

struct pair {
	struct gputm_block_stack *unit;
	struct oracle_block_stack oracle;
	bool transacts;
};

/* A warp that is admitted, or the next one. */
static uint32_t any_warp(const struct pair *p, struct kit_bytes *bytes)
{
	return kit_u32(bytes, p->oracle.admitted + 1);
}

static uint64_t draw_pc(struct kit_bytes *bytes)
{
	uint64_t byte = kit_number(bytes, 1);

	return byte == 0xff ? GPUTM_BLOCK_STACK_NO_PC : byte % (byte & 0x80 ? 6 : 17);
}

static uint64_t draw_lanes(struct kit_bytes *bytes, uint64_t of)
{
	uint64_t byte = kit_number(bytes, 1);

	if (byte < 128)
		return byte < 4 ? byte : of;
	return kit_number(bytes, 2) * UINT64_C(0x1000100010001) & of;
}

static void launch(struct pair *p, struct kit_bytes *bytes)
{
	uint64_t mask[64], pc = draw_pc(bytes), all = (UINT64_C(1) << p->oracle.warps) - 1;
	bool odd = kit_number(bytes, 1) >= 0xf0;

	for (unsigned lane = 0; lane < p->oracle.lanes; lane++)
		mask[lane] = odd ? kit_number(bytes, 1) : kit_number(bytes, 1) & all;
	ck_assert_int_eq(gputm_block_stack_launch(p->unit, pc, mask),
			 oracle_block_launch(&p->oracle, pc, mask));
}

/* The next warp by the rule of the compactor, or something else. */
static void admit(struct pair *p, struct kit_bytes *bytes)
{
	const struct oracle_block_stack *o = &p->oracle;
	unsigned row = 0, last = o->lanes * o->warps;
	uint16_t thread[64] = { 0 };
	uint64_t mask = 0;
	uint64_t odd = kit_number(bytes, 1);

	while (row < last && o->place[row] != ORACLE_BLOCK_TO_ADMIT)
		row++;
	for (unsigned t = last; t--;) {
		if (o->place[t] != ORACLE_BLOCK_TO_ADMIT ||
		    (!o->compact && t / o->lanes != row / o->lanes))
			continue;
		mask |= UINT64_C(1) << t % o->lanes;
		thread[t % o->lanes] = (uint16_t)t;
	}
	if (odd >= 0xf0) {
		uint32_t lane = kit_u32(bytes, o->lanes);

		thread[lane] = (uint16_t)kit_u32(bytes, last + 1);
		mask ^= kit_number(bytes, 2);
	}
	ck_assert_int_eq(gputm_block_stack_admit(p->unit, mask, thread),
			 oracle_block_admit(&p->oracle, mask, thread));
}

static void branch(struct pair *p, struct kit_bytes *bytes)
{
	struct gputm_block_stack_target target = { draw_pc(bytes), draw_pc(bytes), draw_pc(bytes),
						   draw_pc(bytes) };
	uint64_t how = kit_number(bytes, 1);
	uint32_t warp = any_warp(p, bytes);
	uint64_t taken = draw_lanes(bytes, gputm_block_stack_warp(p->unit, warp));
	int probe;

	if (p->oracle.branching && how & 12)
		target = p->oracle.target;
	if ((how & 48) == 16)
		target.rpc = p->oracle.entry[p->oracle.top].rpc;
	probe = gputm_block_stack_branch_probe(p->unit, warp, taken, &target);
	ck_assert_int_eq(gputm_block_stack_branch(p->unit, warp, taken, &target), probe);
	ck_assert_int_eq(oracle_block_branch(&p->oracle, warp, taken, &target), probe);
}

static void arrive(struct pair *p, struct kit_bytes *bytes)
{
	uint64_t pc = draw_pc(bytes);
	uint64_t how = kit_number(bytes, 1);
	uint32_t warp = any_warp(p, bytes);

	if (p->oracle.arriving && how & 112)
		pc = p->oracle.way_pc;
	else if (how & 4)
		pc = how & 8 ? p->oracle.entry[p->oracle.top].rpc :
			       p->oracle.entry[p->oracle.top].lpc;
	ck_assert_int_eq(gputm_block_stack_arrive(p->unit, warp, pc),
			 oracle_block_arrive(&p->oracle, warp, pc));
}

static void end(struct pair *p, struct kit_bytes *bytes)
{
	uint32_t warp = any_warp(p, bytes);
	uint64_t lanes = draw_lanes(bytes, gputm_block_stack_warp(p->unit, warp));

	ck_assert_int_eq(gputm_block_stack_exit(p->unit, warp, lanes),
			 oracle_block_exit(&p->oracle, warp, lanes));
}

static void barrier(struct pair *p, uint32_t warp)
{
	ck_assert_int_eq(gputm_block_stack_barrier(p->unit, warp),
			 oracle_block_barrier(&p->oracle, warp));
}

/* An operation of transactions. */
static void transact(struct pair *p, struct kit_bytes *bytes)
{
	const struct oracle_block_stack *o = &p->oracle;
	uint32_t warp = any_warp(p, bytes), home = kit_u32(bytes, o->warps + 1);
	uint64_t lanes = gputm_block_stack_warp(p->unit, warp), pc = draw_pc(bytes);
	uint64_t how = kit_number(bytes, 1), some = draw_lanes(bytes, lanes), open = 0, failed;

	if ((o->beginning || o->committing) && how & 112)
		pc = o->way_pc;
	if (o->committing && !wcnt(o)) {
		for (unsigned l = 0; home < o->warps && l < o->lanes; l++)
			open |= (uint64_t)o->entry[o->top].has[home * o->lanes + l] << l;
		failed = how & 1 ? 0 : draw_lanes(bytes, open);
		open = how & 8 ? draw_lanes(bytes, open) : open;
		open = how & 6 ? open & ~failed : open;
		ck_assert_int_eq(gputm_block_stack_tx_report(p->unit, home, open, failed),
				 oracle_block_tx_report(&p->oracle, home, open, failed));
	} else if (o->retry && how < 48) {
		ck_assert_int_eq(gputm_block_stack_tx_abort(p->unit, warp, some),
				 oracle_block_tx_abort(&p->oracle, warp, some));
	} else if (o->retry || how < 16) {
		ck_assert_int_eq(gputm_block_stack_tx_commit(p->unit, warp, pc),
				 oracle_block_tx_commit(&p->oracle, warp, pc));
	}
	if (!o->retry || how < 4)
		ck_assert_int_eq(gputm_block_stack_tx_begin(p->unit, warp, pc),
				 oracle_block_tx_begin(&p->oracle, warp, pc));
	if (how >= 252)
		ck_assert_int_eq(gputm_block_stack_tx_abort(p->unit, warp, some),
				 oracle_block_tx_abort(&p->oracle, warp, some));
	if (how == 251)
		ck_assert_int_eq(gputm_block_stack_tx_report(p->unit, home, 1, 0),
				 oracle_block_tx_report(&p->oracle, home, 1, 0));
}

static void any_operation(struct gputm_block_stack *s, struct kit_bytes *bytes)
{
	uint32_t warp = kit_u32(bytes, 4);
	uint64_t lanes = gputm_block_stack_warp(s, warp), some = draw_lanes(bytes, lanes);
	struct gputm_block_stack_target target = { draw_pc(bytes), draw_pc(bytes), 0, 0 };
	struct gputm_block_stack_entry e = { 0, 0, 0, 0, 0, { 0 } };
	int ignored = gputm_block_stack_get_entry(s, gputm_block_stack_top(s), &e);

	target.rpc = kit_number(bytes, 1) & 1 ? e.rpc : draw_pc(bytes);
	target.lpc = draw_pc(bytes);
	switch (kit_u32(bytes, 8)) {
	case 0:
		ignored = gputm_block_stack_branch(s, warp, some, &target);
		break;
	case 1:
		ignored = gputm_block_stack_arrive(s, warp,
						   kit_draw(bytes, 2) ? e.rpc : e.lpc);
		break;
	case 2:
		ignored = gputm_block_stack_exit(s, warp, some);
		break;
	case 3:
		ignored = gputm_block_stack_tx_begin(s, warp, target.taken_pc);
		break;
	case 4:
		ignored = gputm_block_stack_tx_commit(s, warp, target.taken_pc);
		break;
	case 5:
		ignored = gputm_block_stack_tx_abort(s, warp, some);
		break;
	case 6:
		ignored = gputm_block_stack_tx_report(s, warp, some, ~some & 3);
		break;
	default:
		ignored = gputm_block_stack_barrier(s, warp);
	}
	(void)ignored;
	kit_valid(unit_of(s));
}

static void operate(struct pair *p, struct kit_bytes *bytes, uint64_t what)
{
	bool forming = p->oracle.admitted < p->oracle.formed;

	if (!p->oracle.count || what == 0xff)
		launch(p, bytes);
	else if (what < 4 || (forming && what < 128))
		admit(p, bytes);
	else if (what & 1 && p->transacts)
		transact(p, bytes);
	else if (what < 112)
		branch(p, bytes);
	else if (what < 208)
		arrive(p, bytes);
	else if (what < 240)
		end(p, bytes);
	else
		barrier(p, any_warp(p, bytes));
}

KIT_DRIVE(block_stack, 48, 16000)
{
	static const unsigned shape[][2] = { { 4, 3 }, { 1, 5 }, { 16, 4 }, { 5, 7 }, { 32, 2 } };
	const unsigned any[2] = { 1 + kit_u32(bytes, 6), 1 + kit_u32(bytes, 5) };
	const unsigned *of = bytes->round < 40 ? shape[bytes->round / 8] : any;
	struct gputm_block_stack_config config = with("lanes=%u warps=%u", of[0], of[1]);
	static struct pair p;
	bool bends = false;

	config.depth = bytes->round >= 40 ? 4 + kit_u32(bytes, 20) : bytes->round & 4 ? 64 : 7;
	config.pc_bits = 4;
	config.compact = bytes->round & 1;
	config.likely_convergence = bytes->round >> 1 & 1;
	p.oracle = (struct oracle_block_stack){ .lanes = config.lanes, .warps = config.warps,
						.depth = config.depth, .compact = config.compact,
						.likely = config.likely_convergence, .pc_max = 15 };
	ck_assert_int_eq(gputm_block_stack_new(kit->ctx, &config, &p.unit), 0);
	p.transacts = bytes->round & 1 ? bytes->round & 16 : bytes->round & 4;
	if (bytes->round & 8)
		kit_observe(unit_of(p.unit));
	while (kit_more(bytes)) {
		uint64_t what = kit_number(bytes, 1);
		const char *differs;

		bends = what >= 0xf0 && bytes->left < 64;
		if (bends)
			break;
		operate(&p, bytes, what);
		p.unit = KIT_TURN(block_stack, p.unit);
		differs = oracle_block_compare(&p.oracle, p.unit);
		ck_assert_msg(!differs, "%s", differs);
	}
	KIT_STATS(unit_of(p.unit), &p.oracle.stats, ORACLE_BLOCK_STACK_STATS);
	if (bends && kit_bend(unit_of(p.unit), bytes))
		while (kit_more(bytes))
			any_operation(p.unit, bytes);
	KIT_END(block_stack, p.unit);
}
