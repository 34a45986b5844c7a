/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes become entries, ticks, completions and releases against the oracle. */
#include "tests/fuzz/fuzz.h"
#include "tests/oracle/commit_buffer.h"

struct pair {
	struct gputm_commit_buffer *b;
	struct oracle_commit_buffer o;
	uint64_t tag[64];
	int block[64];
	unsigned flights;
};

static void push(struct pair *p, struct fuzz *fuzz)
{
	uint8_t key = fuzz_u8(fuzz), what = fuzz_u8(fuzz);
	struct gputm_commit_entry e = { key % 64 * 4u, key >> 6, what & 1, what, 1u + (what >> 5),
					(what & 6) == 6 };
	int probe = gputm_commit_buffer_push_probe(p->b, &e);

	FUZZ_CHECK(gputm_commit_buffer_push(p->b, &e) == probe);
	FUZZ_CHECK(oracle_commit_buffer_push(&p->o, &e) == probe);
}

static void memory(struct pair *p)
{
	struct gputm_mem_request mine, his;
	int block = oracle_commit_buffer_port(&p->o, &his);

	FUZZ_CHECK(gputm_commit_buffer_mem_peek(p->b, &mine) == (block >= 0));
	if (block < 0 || p->flights == 64)
		return;
	FUZZ_CHECK(mine.address == his.address && mine.word_mask == his.word_mask);
	FUZZ_CHECK(gputm_commit_buffer_mem_pop(p->b));
	oracle_commit_buffer_pop(&p->o, block);
	p->tag[p->flights] = mine.tag;
	p->block[p->flights++] = block;
}

static void complete(struct pair *p, struct fuzz *fuzz)
{
	unsigned i;

	if (!p->flights) {
		FUZZ_CHECK(gputm_commit_buffer_mem_complete(p->b, fuzz_u8(fuzz)) == -EINVAL);
		return;
	}
	i = fuzz_below(fuzz, p->flights);
	FUZZ_CHECK(!gputm_commit_buffer_mem_complete(p->b, p->tag[i]));
	oracle_commit_buffer_complete(&p->o, p->block[i]);
	p->tag[i] = p->tag[--p->flights];
	p->block[i] = p->block[p->flights];
}

static void release(struct pair *p)
{
	struct gputm_commit_release mine, his;
	bool any = oracle_commit_buffer_release(&p->o, &his);

	FUZZ_CHECK(gputm_commit_buffer_peek(p->b, &mine) == any);
	FUZZ_CHECK(gputm_commit_buffer_pop(p->b) == any);
	if (any)
		FUZZ_CHECK(mine.address == his.address && mine.count == his.count &&
			   mine.warp == his.warp && mine.committed == his.committed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gputm_commit_buffer_config config = GPUTM_COMMIT_BUFFER_CONFIG_INIT;
	struct fuzz fuzz = { data, size < 900 ? size : 900 };
	static struct pair p;

	config.blocks = 1 + fuzz_below(&fuzz, 16);
	config.block_bytes = 4u << fuzz_below(&fuzz, 6);
	config.granularity = 4u << fuzz_below(&fuzz, 6);
	config.window = fuzz_below(&fuzz, 5);
	p = (struct pair){ .o = { .config = config } };
	FUZZ_CHECK(!gputm_commit_buffer_new(NULL, &config, &p.b));
	while (fuzz_more(&fuzz)) {
		uint8_t what = fuzz_u8(&fuzz) % 8;

		if (what < 3) {
			push(&p, &fuzz);
		} else if (what == 3) {
			gputm_commit_buffer_tick(p.b);
			oracle_commit_buffer_tick(&p.o);
		} else if (what == 4) {
			memory(&p);
		} else if (what == 5) {
			complete(&p, &fuzz);
		} else {
			release(&p);
		}
		FUZZ_CHECK(gputm_commit_buffer_writes(p.b) == oracle_commit_buffer_writes(&p.o));
		FUZZ_CHECK(!gputm_unit_check(gputm_commit_buffer_unit(p.b)));
	}
	gputm_commit_buffer_free(p.b);
	return 0;
}
