/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become a geometry, then masks, ticks, pops and bent snapshots, against the oracle. */
#include <string.h>

#include "gputm/thread_compactor.h"
#include "tests/fuzz/bend.h"
#include "tests/oracle/thread_compactor.h"

struct pair {
	struct gputm_thread_compactor *unit;
	struct oracle_thread_compactor oracle;
	unsigned made, popped, left; /* warps of the mask in the unit */
	uint16_t thread[32][64];
	uint64_t mask[32];
};

static void push(struct pair *p, struct fuzz *fuzz)
{
	uint64_t mask[64] = { 0 }, any = 0;
	int result;

	for (unsigned lane = 0; lane < p->oracle.lanes; lane++) {
		mask[lane] = fuzz_number(fuzz, 2);
		any |= mask[lane];
	}
	result = gputm_thread_compactor_push_probe(p->unit, mask);
	FUZZ_CHECK(gputm_thread_compactor_push(p->unit, 5, mask) == result);
	if (any >> p->oracle.warps || !any) {
		FUZZ_CHECK(result == (any ? -ERANGE : -EINVAL));
		return;
	}
	FUZZ_CHECK(result == (p->popped < p->made + p->left));
	if (result)
		return;
	oracle_thread_compactor_load(&p->oracle, mask);
	p->made = 0;
	p->popped = 0;
	p->left = gputm_thread_compactor_warps(p->unit);
}

static void tick(struct pair *p)
{
	gputm_thread_compactor_tick(p->unit);
	if (!p->left)
		return;
	p->left--;
	p->mask[p->made] = oracle_thread_compactor_cycle(&p->oracle, p->thread[p->made]);
	p->made++;
	FUZZ_CHECK(!p->left == !oracle_thread_compactor_left(&p->oracle));
}

static void pop(struct pair *p)
{
	struct gputm_thread_compactor_warp warp;
	bool some = gputm_thread_compactor_peek(p->unit, &warp);

	FUZZ_CHECK(some == (p->popped != p->made));
	FUZZ_CHECK(!some || (warp.mask == p->mask[p->popped] && warp.index == p->popped));
	for (unsigned lane = 0; some && lane < p->oracle.lanes; lane++)
		FUZZ_CHECK(warp.thread[lane] == p->thread[p->popped][lane]);
	p->popped += some;
	FUZZ_CHECK(gputm_thread_compactor_pop(p->unit) == some);
}

static void bend(struct pair *p, struct fuzz *fuzz)
{
	struct gputm_unit *unit = gputm_thread_compactor_unit(p->unit);

	if (!fuzz_bend(unit, fuzz))
		return;
	while (fuzz_more(fuzz)) {
		if (fuzz_u8(fuzz) & 1)
			gputm_thread_compactor_tick(p->unit);
		else
			gputm_thread_compactor_pop(p->unit);
		FUZZ_CHECK(!gputm_unit_check(unit));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_thread_compactor_config config = GPUTM_THREAD_COMPACTOR_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct pair p;

	memset(&p, 0, sizeof(p));
	config.lanes = 1 + fuzz_below(&fuzz, 9);
	config.warps = 1 + fuzz_below(&fuzz, 15);
	config.compact = fuzz_u8(&fuzz) & 1;
	p.oracle.lanes = config.lanes;
	p.oracle.warps = config.warps;
	p.oracle.compact = config.compact;
	FUZZ_CHECK(!gputm_thread_compactor_new(NULL, &config, &p.unit));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what >= 0xfc) {
			bend(&p, &fuzz);
			break;
		}
		if (what % 4 == 0)
			push(&p, &fuzz);
		else if (what % 4 == 1)
			pop(&p);
		else
			tick(&p);
		FUZZ_CHECK(!gputm_unit_check(gputm_thread_compactor_unit(p.unit)));
	}
	gputm_thread_compactor_free(p.unit);
	return 0;
}
