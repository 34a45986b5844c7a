/* SPDX-License-Identifier: BSD-2-Clause */
/* The common face of the commit buffer; see commit_buffer.c. */
#include "lib/getm/commit_buffer-priv.h"

#define UNIT commit_buffer

static const struct gputm_param rows[] = {
	PARAM(blocks, 1, 1 << 16, 512, false, "Blocks held, from push to release.", "GETM V-C"),
	PARAM(block_bytes, 4, 128, 32, true, "Bytes written at once.", "GETM Table II"),
	PARAM(granularity, 4, 4096, 32, true, "Bytes of a granule of metadata.", "GETM VI-B"),
	PARAM(window, 0, 65536, 8, false, "Youngest waiting blocks that an entry may join.", ""),
	PARAM(address_bits, 16, 64, 32, false, "Width of an address, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "getm", "GETM V-C: 16 kB of 32 B blocks.", { { "blocks", 512 }, { "block_bytes", 32 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(cycles, COUNTER, "cycles", "Ticks."),
	STAT(entries, COUNTER, "entries", "Entries taken."),
	STAT(joined, COUNTER, "entries", "Entries that joined a waiting block."),
	STAT(refused, COUNTER, "entries", "Entries refused because no block was free."),
	STAT(made, COUNTER, "blocks", "Blocks made."),
	STAT(written, COUNTER, "blocks", "Blocks sent to memory."),
	STAT(cleaned, COUNTER, "blocks", "Blocks that were clean-up."),
	STAT(retired, COUNTER, "blocks", "Blocks whose reservations are released."),
	STAT(writes_in, COUNTER, "writes", "Reserved writes taken in."),
	STAT(writes_out, COUNTER, "writes", "Reserved writes released."),
	STAT(blocks_max, MAXIMUM, "blocks", "Blocks in use, at most."),
	STAT(writes, GAUGE, "writes", "Reserved writes in the buffer."),
};

static const char *const results[] = { "accepted", "joined" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_COMMIT_BUFFER_EVENT_PUSH, "push", "An entry of a log has come.",
	      VALUE(address, "byte address", "The word of the entry."),
	      VALUE(warp, "warp", "The warp of the entry."),
	      VALUE(writes, "writes", "Reserved writes that the entry stands for."),
	      NAMED(outcome, results,
		    "Whether the entry has a block of its own or joined a waiting block.")),
	EVENT(GPUTM_COMMIT_BUFFER_EVENT_ISSUE, "issue", "A block has left the queue.",
	      VALUE(address, "byte address", "The block."),
	      VALUE(warp, "warp", "The warp of the block."),
	      VALUE(word_mask, "word mask", "Words of the block that have entries."),
	      NAMED(cleanup, gputm__no_yes,
		    "Whether the block only releases what an aborted attempt reserved.")),
	EVENT(GPUTM_COMMIT_BUFFER_EVENT_RELEASE, "release",
	      "The owner has taken the release of a granule.",
	      VALUE(address, "byte address", "The granule."),
	      VALUE(warp, "warp", "The warp that had reserved the writes."),
	      VALUE(writes, "writes", "Writes that the owner has to release."),
	      NAMED(committed, gputm__no_yes, "Whether the writes have reached memory.")),
};

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_commit_buffer *b = (void *)unit;
	const struct gputm_commit_buffer_config *c = &b->config;
	uint32_t granule = c->granularity < c->block_bytes ? c->granularity : c->block_bytes;

	b->address_max = gputm__low_mask(c->address_bits);
	b->block_mask = ~(uint64_t)(c->block_bytes - 1);
	b->step = granule / 4;
	b->granule_words = (uint32_t)gputm__low_mask(b->step);
	b->block = gputm__own(unit, c->blocks, sizeof(*b->block));
	b->flying = gputm__own(unit, c->blocks, sizeof(*b->flying));
	b->free_tag = gputm__own(unit, c->blocks / 64 + 1, sizeof(*b->free_tag));
	b->free = gputm__own(unit, c->blocks, sizeof(*b->free));
	gputm__queue_own(unit, &b->waiting, c->blocks, sizeof(uint32_t));
	gputm__queue_own(unit, &b->releasing, c->blocks, sizeof(uint32_t));
	return 0;
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_commit_buffer *b = (void *)unit;

	gputm__queue_clear(&b->waiting);
	gputm__queue_clear(&b->releasing);
	b->free_count = b->config.blocks;
	for (uint32_t i = 0; i < b->config.blocks; i++)
		b->free[i] = i;
	for (uint32_t tag = 0; tag <= b->config.blocks; tag++)
		b->free_tag[tag / 64] |= UINT64_C(1) << (tag & 63);
	b->port_tag = GPUTM__NO_TAG;
	b->next_tag = 0;
	b->writes = 0;
}

/* ---- state ---- */

/* A block. Returns its number when reading; which number a block has does not matter. */
static uint32_t io_block(struct gputm_commit_buffer *b, uint32_t at, struct gputm__io *io)
{
	struct gputm__commit_block *block;

	if (gputm__io_reading(io) && !b->free_count)
		gputm__io_fail(io, -EINVAL, "more blocks than there are");
	if (io->error)
		return 0;
	if (gputm__io_reading(io)) {
		at = b->free[--b->free_count];
		memset(&b->block[at], 0, sizeof(b->block[at]));
	}
	block = &b->block[at];
	gputm__io_u64(io, &block->address);
	gputm__io_u64(io, &block->sequence);
	gputm__io_u32(io, &block->warp);
	gputm__io_bool(io, &block->cleanup);
	gputm__io_u32(io, &block->words);
	gputm__io_u32s(io, block->value, b->config.block_bytes / 4);
	gputm__io_u32s(io, block->count, b->config.block_bytes / 4);
	if (gputm__io_reading(io)) {
		block->sum = (uint32_t)gputm__block_counts(block);
		b->writes += block->sum;
	}
	return at;
}

static void io_queue(struct gputm_commit_buffer *b, struct gputm__queue *q, struct gputm__io *io)
{
	gputm__io_u32_max(io, &q->count, b->config.blocks, "blocks of a queue");
	for (uint32_t n = 0; n < q->count && !io->error; n++) {
		uint32_t *at = gputm__queue_at(q, n);

		*at = io_block(b, *at, io);
	}
}

/* By ascending tag. */
static void io_flying(struct gputm_commit_buffer *b, struct gputm__io *io, uint32_t count)
{
	uint32_t tag = 0, at;

	gputm__io_u32_max(io, &count, b->config.blocks, "blocks in flight");
	for (uint32_t n = 0, low = 0; n < count && !io->error; n++, low = ++tag) {
		while (!gputm__io_reading(io) && gputm__tag_is_free(b, tag))
			tag++;
		gputm__io_u32_max(io, &tag, b->config.blocks - 1, "tag of a block");
		if (tag < low)
			gputm__io_fail(io, -EINVAL, "the tags are not in ascending order");
		if (io->error)
			return;
		at = io_block(b, b->flying[tag], io);
		if (!gputm__io_reading(io))
			continue;
		b->flying[tag] = at;
		b->free_tag[tag / 64] &= ~(UINT64_C(1) << (tag & 63));
	}
}

static void io_port(struct gputm_commit_buffer *b, struct gputm__io *io)
{
	uint32_t tag = b->port_tag + 1, at;

	gputm__io_u32_max(io, &tag, b->config.blocks, "tag at the port");
	if (!tag || io->error)
		return;
	at = io_block(b, b->port, io);
	if (!gputm__io_reading(io))
		return;
	b->port = at;
	b->port_tag = tag - 1;
	if (!gputm__tag_is_free(b, b->port_tag))
		gputm__io_fail(io, -EINVAL, "a tag is at the port and in flight");
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_commit_buffer *b = (void *)unit;
	uint32_t flying = b->config.blocks - b->free_count - b->waiting.count -
			  b->releasing.count - (b->port_tag != GPUTM__NO_TAG);

	io_queue(b, &b->waiting, io);
	io_queue(b, &b->releasing, io);
	io_flying(b, io, flying);
	io_port(b, io);
	if (gputm__io_reading(io))
		gputm__find_tag(b);
}

static const char *check_block(const struct gputm_commit_buffer *b,
			       const struct gputm__commit_block *block)
{
	uint64_t words = gputm__low_mask(b->config.block_bytes / 4);

	if (block->address > b->address_max || block->address & ~b->block_mask)
		return "B2: the address of a block does not fit address_bits";
	if (!block->words || block->words & ~words)
		return "B2: a block in use has no word, or a word past its end";
	for (uint32_t word = 0; word < b->config.block_bytes / 4; word++)
		if (!block->count[word] != !(block->words >> word & 1))
			return "B2: the counts of a block do not match its words";
	return gputm__block_counts(block) > UINT32_MAX ? "B2: a block's counts are too many" : NULL;
}

/* Check the sums over the blocks of a place. */
struct sums {
	uint64_t blocks, numbers, writes;
};

static void add_number(uint32_t at, struct sums *sums)
{
	sums->blocks++;
	sums->numbers += gputm__mix64(at + UINT64_C(1));
}

static const char *add_block(const struct gputm_commit_buffer *b, uint32_t at, struct sums *sums)
{
	add_number(at, sums);
	sums->writes += gputm__block_counts(&b->block[at]);
	return check_block(b, &b->block[at]);
}

static const char *check_queue(const struct gputm_commit_buffer *b, const struct gputm__queue *q,
			       struct sums *sums)
{
	const char *broken = NULL;

	for (uint32_t n = 0; n < q->count && !broken; n++)
		broken = add_block(b, *(const uint32_t *)gputm__queue_at(q, n), sums);
	return broken;
}

/* The block at the port and those in flight. */
static const char *check_tags(const struct gputm_commit_buffer *b, struct sums *sums)
{
	const char *broken = NULL;
	uint32_t at;

	for (uint32_t tag = 0; tag < b->config.blocks && !broken; tag++) {
		if (tag != b->port_tag && gputm__tag_is_free(b, tag))
			continue;
		at = tag == b->port_tag ? b->port : b->flying[tag];
		broken = add_block(b, at, sums);
		if (!broken && b->block[at].cleanup)
			broken = "B1: a clean-up is on its way to memory";
	}
	return broken;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_commit_buffer *b = (const void *)unit;
	struct sums sums = { 0, 0, 0 };
	const char *broken = check_queue(b, &b->waiting, &sums);

	for (uint32_t n = 0; n < b->free_count; n++)
		add_number(b->free[n], &sums);
	if (!broken)
		broken = check_queue(b, &b->releasing, &sums);
	if (!broken)
		broken = check_tags(b, &sums);
	if (broken)
		return broken;
	for (uint32_t i = 0; i < b->config.blocks; i++)
		sums.numbers -= gputm__mix64(i + UINT64_C(1));
	if (sums.blocks != b->config.blocks || sums.numbers)
		return "B1: a block is in no queue and has no tag, or is there twice";
	if (sums.writes != b->writes)
		return "B3: writes differ from the sum over the blocks";
	return b->entries == b->joined + b->made ? NULL : "B4: entries are not joined + made";
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_commit_buffer_config *c = gputm_unit_config(unit);
	uint64_t tag = c->address_bits - gputm__log2(c->block_bytes);

	gputm__array(out, "data", c->blocks, (uint64_t)c->block_bytes * 8, 1);
	gputm__array_apart(out, "tags, masks and counts", c->blocks,
			   tag + (uint64_t)c->block_bytes / 4 * 9, 1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_commit_buffer *b = (const void *)unit;

	gputm__law(laws, b->writes_in, b->writes_out + b->writes,
		   "B3: writes taken in are not those released and those in the buffer");
	gputm__law(laws, b->made,
		   b->retired + b->config.blocks - b->free_count,
		   "B4: blocks made are not in use + retired");
}

GPUTM__UNIT(commit_buffer, .version = 2, .setup = setup, .laws = laws)
