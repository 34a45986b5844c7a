/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become blocks that come, go and issue, and bent snapshots, against the oracle. */
#include <string.h>

#include "tests/fuzz/bend.h"
#include "tests/oracle/block_priority.h"

static void tick(struct gputm_block_priority *p, struct oracle_block_priority *o, uint64_t ready)
{
	uint32_t probed = 99, slot = 99;
	int result = gputm_block_priority_pick_probe(p, ready, &probed), expected;

	FUZZ_CHECK(gputm_block_priority_pick(p, ready, &slot) == result && slot == probed);
	if (ready & ~gputm_block_priority_blocks(p)) {
		FUZZ_CHECK(result == -EINVAL && slot == 99);
		return;
	}
	expected = oracle_block_priority_tick(o, ready);
	FUZZ_CHECK(result == (expected >= 0) && (expected < 0 || slot == (uint32_t)expected));
}

static void come_or_go(struct gputm_block_priority *p, struct oracle_block_priority *o,
		       uint8_t what, uint32_t slot)
{
	int missing = slot >= o->slots ? -ERANGE : 0;

	if (what & 4) {
		FUZZ_CHECK(gputm_block_priority_admit(p, slot) ==
			   (missing ? missing : o->there[slot] ? -EINVAL : 0));
		if (!missing && !o->there[slot])
			oracle_block_priority_admit(o, slot);
	} else {
		FUZZ_CHECK(gputm_block_priority_leave(p, slot) ==
			   (missing ? missing : o->there[slot] ? 0 : -EINVAL));
		if (!missing && o->there[slot])
			oracle_block_priority_leave(o, slot);
	}
}

static void bend(struct gputm_block_priority *p, struct fuzz *fuzz)
{
	struct gputm_unit *unit = gputm_block_priority_unit(p);
	uint32_t slot;

	if (!fuzz_bend(unit, fuzz))
		return;
	while (fuzz_more(fuzz)) {
		uint64_t ready = fuzz_number(fuzz, 8) & gputm_block_priority_blocks(p);

		FUZZ_CHECK(gputm_block_priority_pick(p, ready, &slot) >= 0);
		FUZZ_CHECK(!gputm_unit_check(unit));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_block_priority_config config = GPUTM_BLOCK_PRIORITY_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 1000 ? size : 1000 };
	struct oracle_block_priority o;
	struct gputm_block_priority *p;

	memset(&o, 0, sizeof(o));
	config.blocks = 1 + fuzz_below(&fuzz, 64);
	config.policy = fuzz_below(&fuzz, 3);
	o.slots = config.blocks;
	o.policy = config.policy;
	FUZZ_CHECK(!gputm_block_priority_new(NULL, &config, &p));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz);

		if (what >= 0xfc) {
			bend(p, &fuzz);
			break;
		}
		if ((what & 3) == 3)
			come_or_go(p, &o, what, fuzz_u8(&fuzz) % 66u);
		else if ((what & 3) == 2)
			tick(p, &o, fuzz_number(&fuzz, 8));
		else
			tick(p, &o, fuzz_number(&fuzz, 8) & gputm_block_priority_blocks(p));
		FUZZ_CHECK(!gputm_unit_check(gputm_block_priority_unit(p)));
	}
	gputm_block_priority_free(p);
	return 0;
}
