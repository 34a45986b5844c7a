/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commit buffer
 * =============
 *
 * GETM (HPCA 2018), IV-A "Commit and cleanup", V-C "Commit-time coalescing", Table II.
 *
 * A warp sends the write logs of its committed lanes (address, data, number of writes) and of
 * its aborted lanes (address, number of writes) when all lanes are done, and goes on. The
 * buffer joins them to blocks, writes one block a cycle, and when a write has completed
 * hands the numbers of writes to the validation unit, granule by granule. Released before
 * that, a granule could be read by others before its new value is there.
 *
 *	push -> waiting (first in, first out) -> port -> in flight -> release -> free
 *	                        clean-up: ------------------------->
 *
 *	two entries of warp 3 at 0x40 and 0x44, one of warp 5 at 0x48:
 *	    waiting  block 0x40 of warp 3, words 0 1     block 0x40 of warp 5, word 2
 *	    cycle 1  write 0x40 mask 3;   cycle 2  write 0x40 mask 4
 *	    first completes: release 0x40, warp 3, 2 writes
 *
 * Invariants, as check() names them:
 *   B1  each block is in exactly one of the five places
 *   B2  a block in use has a word, and counts only at its words
 *   B3  writes taken in = writes released + writes in the buffer
 *   B4  entries = joined + blocks made; blocks made = blocks in use + retired
 *
 * Differences from the paper
 *   - The paper calls it a simplified ring buffer of half the size of its predecessors
 *     (16 kB). Here it is a pool of blocks of 32 B, as writes complete in any order.
 *   - The paper does not say how long a log is collected before its blocks leave; here an
 *     entry joins a block that still waits, among the `window` youngest.
 */
#include "gputm/commit_buffer.h"
#include "lib/base/unit.h"

enum place { FREE, WAITING, PORT, FLYING, RELEASING, PLACES };

struct block {
	uint64_t address, sequence;
	uint32_t warp, place;
	uint32_t words; /* mask */
	bool cleanup;
	uint32_t value[GPUTM_MEM_WORDS], count[GPUTM_MEM_WORDS];
};

/* A queue of block numbers; room for all of them. */
struct queue {
	uint32_t *block;
	uint32_t first, count;
};

struct gputm_commit_buffer {
	struct gputm_unit unit;
	struct gputm_commit_buffer_config config;
	struct block *block;
	struct queue queue[PLACES]; /* FLYING has none */
	uint64_t address_max, block_mask;
	uint32_t step; /* words of a granule within a block */
	uint64_t writes;
	uint64_t cycles, entries, joined, made, written, cleaned, refused, retired;
	uint64_t writes_in, writes_out, blocks_max;
};

#define PARAM(...) GPUTM__PARAM(struct gputm_commit_buffer_config, __VA_ARGS__)
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

static const struct gputm_params params = {
	"commit_buffer", sizeof(struct gputm_commit_buffer_config),
	rows,		 GPUTM__COUNT(rows),
	presets,	 GPUTM__COUNT(presets),
};

#define STAT(...) GPUTM__STAT(struct gputm_commit_buffer, __VA_ARGS__)
static const struct gputm__stat_row stats[] = {
	STAT(cycles, COUNTER, "cycles", "Ticks."),
	STAT(entries, COUNTER, "entries", "Entries taken."),
	STAT(joined, COUNTER, "entries", "Entries that joined a waiting block."),
	STAT(refused, COUNTER, "entries", "Entries refused for want of a block."),
	STAT(made, COUNTER, "blocks", "Blocks made."),
	STAT(written, COUNTER, "blocks", "Blocks sent to memory."),
	STAT(cleaned, COUNTER, "blocks", "Blocks that were clean-up."),
	STAT(retired, COUNTER, "blocks", "Blocks whose reservations are released."),
	STAT(writes_in, COUNTER, "writes", "Reserved writes taken in."),
	STAT(writes_out, COUNTER, "writes", "Reserved writes released."),
	STAT(blocks_max, MAXIMUM, "blocks", "Blocks in use, at most."),
	STAT(writes, GAUGE, "writes", "Reserved writes in the buffer."),
};

static const char *const events[] = { "push", "issue", "release" };

static struct gputm_commit_buffer *buffer_of(struct gputm_unit *unit)
{
	return (struct gputm_commit_buffer *)(void *)unit;
}

/* ---- queues ---- */

static inline uint32_t nth(const struct gputm_commit_buffer *b, const struct queue *q, uint32_t n)
{
	uint32_t at = q->first + n;

	return q->block[at < b->config.blocks ? at : at - b->config.blocks];
}

static void enqueue(struct gputm_commit_buffer *b, enum place place, uint32_t block)
{
	struct queue *q = &b->queue[place];
	uint32_t at = q->first + q->count++;

	q->block[at < b->config.blocks ? at : at - b->config.blocks] = block;
	b->block[block].place = place;
}

static uint32_t dequeue(struct gputm_commit_buffer *b, enum place place)
{
	struct queue *q = &b->queue[place];
	uint32_t block = q->block[q->first];

	gputm__assert(q->count);
	q->first = q->first + 1 < b->config.blocks ? q->first + 1 : 0;
	q->count--;
	return block;
}

/* ---- life ---- */

static int setup(struct gputm_unit *unit)
{
	struct gputm_commit_buffer *b = buffer_of(unit);
	const struct gputm_commit_buffer_config *c = &b->config;
	uint32_t granule = c->granularity < c->block_bytes ? c->granularity : c->block_bytes;

	b->address_max = gputm__low_mask(c->address_bits);
	b->block_mask = ~(uint64_t)(c->block_bytes - 1);
	b->step = granule / 4;
	b->block = gputm__alloc(unit->ctx, c->blocks, sizeof(*b->block));
	if (!b->block)
		return -ENOMEM;
	for (int place = 0; place < PLACES; place++) {
		b->queue[place].block =
			gputm__alloc(unit->ctx, c->blocks, sizeof(*b->queue[place].block));
		if (!b->queue[place].block)
			return -ENOMEM;
	}
	return 0;
}

static void teardown(struct gputm_unit *unit)
{
	struct gputm_commit_buffer *b = buffer_of(unit);

	gputm__free(unit->ctx, b->block);
	for (int place = 0; place < PLACES; place++)
		gputm__free(unit->ctx, b->queue[place].block);
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_commit_buffer *b = buffer_of(unit);

	for (int place = 0; place < PLACES; place++) {
		b->queue[place].first = 0;
		b->queue[place].count = 0;
	}
	memset(b->block, 0, b->config.blocks * sizeof(*b->block));
	for (uint32_t i = 0; i < b->config.blocks; i++)
		enqueue(b, FREE, i);
	b->writes = 0;
}

/* ---- input ---- */

static struct block *partner_of(const struct gputm_commit_buffer *b,
				const struct gputm_commit_entry *entry)
{
	const struct queue *q = &b->queue[WAITING];
	uint32_t look = q->count < b->config.window ? q->count : b->config.window;

	for (uint32_t n = q->count; look--; ) {
		struct block *block = &b->block[nth(b, q, --n)];

		if (block->address == (entry->address & b->block_mask) &&
		    block->warp == entry->warp && block->sequence == entry->sequence &&
		    block->cleanup == entry->cleanup)
			return block;
	}
	return NULL;
}

static uint64_t counts_of(const struct block *block)
{
	uint64_t sum = 0;

	for (uint32_t words = block->words; words; words &= words - 1)
		sum += block->count[gputm__lowest(words)];
	return sum;
}

static int judge(const struct gputm_commit_buffer *b, const struct gputm_commit_entry *entry,
		 struct block **partner)
{
	if (entry->address > b->address_max)
		return gputm__out_of_range(&b->unit, "address", entry->address, 0, b->address_max);
	if (!entry->count || entry->address & 3)
		return gputm__refuse(&b->unit, "entry of %u writes at 0x%llx is no write of a word",
				     entry->count, (unsigned long long)entry->address);
	*partner = partner_of(b, entry);
	if (*partner && counts_of(*partner) + entry->count > UINT32_MAX)
		return gputm__out_of_range(&b->unit, "count", entry->count, 1,
					   UINT32_MAX - counts_of(*partner));
	if (*partner)
		return GPUTM_COMMIT_BUFFER_JOINED;
	return b->queue[FREE].count ? GPUTM_COMMIT_BUFFER_ACCEPTED : GPUTM_COMMIT_BUFFER_FULL;
}

int gputm_commit_buffer_push_probe(const struct gputm_commit_buffer *b,
				   const struct gputm_commit_entry *entry)
{
	struct block *partner;

	return judge(b, entry, &partner);
}

static struct block *make_block(struct gputm_commit_buffer *b,
				const struct gputm_commit_entry *entry)
{
	uint32_t at = dequeue(b, FREE);
	struct block *block = &b->block[at];

	memset(block, 0, sizeof(*block));
	block->address = entry->address & b->block_mask;
	block->sequence = entry->sequence;
	block->warp = entry->warp;
	block->cleanup = entry->cleanup;
	enqueue(b, WAITING, at);
	b->made++;
	gputm__maximum(&b->blocks_max, b->config.blocks - b->queue[FREE].count);
	return block;
}

int gputm_commit_buffer_push(struct gputm_commit_buffer *b, const struct gputm_commit_entry *entry)
{
	struct block *block = NULL;
	int result = judge(b, entry, &block);
	uint32_t word;

	b->refused += result == GPUTM_COMMIT_BUFFER_FULL;
	if (result < 0 || result == GPUTM_COMMIT_BUFFER_FULL)
		return result;
	if (result == GPUTM_COMMIT_BUFFER_ACCEPTED)
		block = make_block(b, entry);
	word = (uint32_t)(entry->address - block->address) / 4;
	block->words |= 1u << word;
	block->value[word] = entry->cleanup ? 0 : entry->value;
	block->count[word] += entry->count;
	b->entries++;
	b->joined += result == GPUTM_COMMIT_BUFFER_JOINED;
	b->writes += entry->count;
	b->writes_in += entry->count;
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_PUSH, entry->address, entry->warp,
		    entry->count, (uint64_t)result);
	return result;
}

/* ---- clock ---- */

static bool may_issue(const struct gputm_commit_buffer *b)
{
	return b->queue[WAITING].count &&
	       (!b->queue[PORT].count || b->block[nth(b, &b->queue[WAITING], 0)].cleanup);
}

static void issue(struct gputm_commit_buffer *b)
{
	uint32_t at = dequeue(b, WAITING);
	const struct block *block = &b->block[at];

	enqueue(b, block->cleanup ? RELEASING : PORT, at);
	b->cleaned += block->cleanup;
	b->written += !block->cleanup;
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_ISSUE, block->address, block->warp,
		    block->words, block->cleanup);
}

void gputm_commit_buffer_tick(struct gputm_commit_buffer *b)
{
	b->cycles++;
	if (may_issue(b))
		issue(b);
}

uint64_t gputm_commit_buffer_next_event(const struct gputm_commit_buffer *b)
{
	return may_issue(b) ? 0 : UINT64_MAX;
}

void gputm_commit_buffer_advance(struct gputm_commit_buffer *b, uint64_t cycles)
{
	b->cycles += cycles;
	for (; cycles && may_issue(b); cycles--)
		issue(b);
}

/* ---- memory ---- */

bool gputm_commit_buffer_mem_peek(const struct gputm_commit_buffer *b,
				  struct gputm_mem_request *out)
{
	const struct block *block;
	uint32_t at;

	if (!b->queue[PORT].count)
		return false;
	at = nth(b, &b->queue[PORT], 0);
	block = &b->block[at];
	out->tag = at;
	out->address = block->address;
	out->word_mask = block->words;
	out->write = true;
	for (uint32_t words = block->words; words; words &= words - 1)
		out->value[gputm__lowest(words)] = block->value[gputm__lowest(words)];
	return true;
}

bool gputm_commit_buffer_mem_pop(struct gputm_commit_buffer *b)
{
	if (!b->queue[PORT].count)
		return false;
	b->block[dequeue(b, PORT)].place = FLYING;
	return true;
}

int gputm_commit_buffer_mem_complete(struct gputm_commit_buffer *b, uint64_t tag)
{
	if (tag >= b->config.blocks || b->block[tag].place != FLYING)
		return gputm__refuse(&b->unit, "no write of tag %llu is in flight",
				     (unsigned long long)tag);
	enqueue(b, RELEASING, (uint32_t)tag);
	return 0;
}

/* ---- releases ---- */

/* The words of the first granule of a block that still has some. */
static uint32_t first_granule(const struct gputm_commit_buffer *b, const struct block *block)
{
	unsigned first = gputm__lowest(block->words) & ~(b->step - 1);

	return block->words & (uint32_t)(gputm__low_mask(b->step) << first);
}

bool gputm_commit_buffer_peek(const struct gputm_commit_buffer *b,
			      struct gputm_commit_release *out)
{
	const struct block *block;
	uint32_t words;

	if (!b->queue[RELEASING].count)
		return false;
	block = &b->block[nth(b, &b->queue[RELEASING], 0)];
	words = first_granule(b, block);
	out->address = block->address + (gputm__lowest(words) & ~(b->step - 1)) * 4;
	out->sequence = block->sequence;
	out->warp = block->warp;
	out->committed = !block->cleanup;
	out->count = 0;
	for (; words; words &= words - 1)
		out->count += block->count[gputm__lowest(words)];
	return true;
}

bool gputm_commit_buffer_pop(struct gputm_commit_buffer *b)
{
	struct gputm_commit_release release;
	struct block *block;
	uint32_t words;

	if (!gputm_commit_buffer_peek(b, &release))
		return false;
	block = &b->block[nth(b, &b->queue[RELEASING], 0)];
	words = first_granule(b, block);
	block->words &= ~words;
	for (; words; words &= words - 1)
		block->count[gputm__lowest(words)] = 0;
	b->writes -= release.count;
	b->writes_out += release.count;
	if (!block->words) {
		enqueue(b, FREE, dequeue(b, RELEASING));
		b->retired++;
	}
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_RELEASE, release.address, release.warp,
		    release.count, release.committed);
	return true;
}

uint64_t gputm_commit_buffer_writes(const struct gputm_commit_buffer *b)
{
	return b->writes;
}

/* ---- common face ---- */

static void io_queue(struct gputm_commit_buffer *b, enum place place, struct gputm__io *io)
{
	struct queue *q = &b->queue[place];
	uint32_t count = q->count;

	gputm__io_u32_max(io, &count, b->config.blocks, "blocks of a queue");
	if (gputm__io_reading(io)) {
		q->first = 0;
		q->count = io->error ? 0 : count;
	}
	for (uint32_t n = 0; n < q->count && !io->error; n++) {
		uint32_t block = nth(b, q, n);

		gputm__io_u32_max(io, &block, b->config.blocks - 1, "number of a block");
		if (gputm__io_reading(io))
			q->block[n] = block;
	}
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_commit_buffer *b = buffer_of(unit);

	for (int place = 0; place < PLACES; place++)
		io_queue(b, (enum place)place, io);
	for (uint32_t i = 0; i < b->config.blocks && !io->error; i++) {
		struct block *block = &b->block[i];

		gputm__io_u32_max(io, &block->place, PLACES - 1, "place of a block");
		if (block->place == FREE || io->error)
			continue;
		gputm__io_u64(io, &block->address);
		gputm__io_u64(io, &block->sequence);
		gputm__io_u32(io, &block->warp);
		gputm__io_bool(io, &block->cleanup);
		gputm__io_u32(io, &block->words);
		gputm__io_u32s(io, block->value, b->config.block_bytes / 4);
		gputm__io_u32s(io, block->count, b->config.block_bytes / 4);
		if (gputm__io_reading(io))
			b->writes += counts_of(block);
	}
}

static const char *check_block(const struct gputm_commit_buffer *b, const struct block *block)
{
	uint64_t words = gputm__low_mask(b->config.block_bytes / 4);

	if (block->address > b->address_max || block->address & ~b->block_mask)
		return "a block has an address that does not fit";
	if (!block->words || block->words & ~words)
		return "a block in use has no word, or one beyond its end";
	if (block->cleanup && (block->place == PORT || block->place == FLYING))
		return "a clean-up is on its way to memory";
	for (uint32_t word = 0; word < b->config.block_bytes / 4; word++)
		if (!block->count[word] != !(block->words >> word & 1))
			return "a block has counts elsewhere than at its words";
	return counts_of(block) > UINT32_MAX ? "a block's counts are too many" : NULL;
}

/* Every block is once in the queue of its place; none flies and queues. */
static const char *check_queues(const struct gputm_commit_buffer *b)
{
	uint64_t queued = 0, flying = 0;

	for (int place = 0; place < PLACES; place++) {
		const struct queue *q = &b->queue[place];

		if (place == FLYING && q->count)
			return "a block in flight is queued";
		queued += q->count;
		for (uint32_t n = 0; n < q->count; n++)
			if (b->block[nth(b, q, n)].place != (uint32_t)place)
				return "a block is queued where it is not";
	}
	for (uint32_t i = 0; i < b->config.blocks; i++)
		flying += b->block[i].place == FLYING;
	if (queued + flying != b->config.blocks || b->queue[PORT].count > 1)
		return "a block is lost or doubled";
	return NULL;
}

/* The numbers queued for each place are those of the blocks that are there. */
static bool queued_twice(const struct gputm_commit_buffer *b)
{
	uint64_t sum[PLACES] = { 0 };

	for (uint32_t i = 0; i < b->config.blocks; i++)
		sum[b->block[i].place] += gputm__mix64(i + UINT64_C(1));
	for (int place = 0; place < PLACES; place++)
		for (uint32_t n = 0; place != FLYING && n < b->queue[place].count; n++)
			sum[place] -= gputm__mix64(nth(b, &b->queue[place], n) + UINT64_C(1));
	sum[FLYING] = 0;
	return sum[FREE] || sum[WAITING] || sum[PORT] || sum[RELEASING];
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_commit_buffer *b =
		(const struct gputm_commit_buffer *)(const void *)unit;
	const char *broken = check_queues(b);
	uint64_t writes = 0;

	if (!broken && queued_twice(b))
		broken = "a block is queued twice";
	for (uint32_t i = 0; i < b->config.blocks && !broken; i++) {
		if (b->block[i].place == FREE)
			continue;
		writes += counts_of(&b->block[i]);
		broken = check_block(b, &b->block[i]);
	}
	if (broken)
		return broken;
	if (writes != b->writes || b->writes_in != b->writes_out + b->writes)
		return "writes taken in are not those released and those in the buffer";
	if (b->entries != b->joined + b->made ||
	    b->made != b->retired + b->config.blocks - b->queue[FREE].count)
		return "entries are not joined + made, or blocks made are not in use + retired";
	return NULL;
}

static bool storage(const struct gputm_unit *unit, size_t index, struct gputm_storage *out)
{
	const struct gputm_commit_buffer_config *c = gputm_unit_config(unit);
	uint64_t tag = c->address_bits - gputm__log2(c->block_bytes);
	const struct gputm_storage array[] = {
		{ "data", c->blocks, (uint64_t)c->block_bytes * 8, 1, false },
		{ "tags, masks and counts", c->blocks, tag + (uint64_t)c->block_bytes / 4 * 9, 1,
		  true },
	};

	if (index >= GPUTM__COUNT(array))
		return false;
	*out = array[index];
	return true;
}

static const struct gputm__class class = {
	.kind = "commit_buffer",
	.version = 1,
	.size = sizeof(struct gputm_commit_buffer),
	.params = &params,
	.config_offset = offsetof(struct gputm_commit_buffer, config),
	.stat = stats,
	.stat_count = GPUTM__COUNT(stats),
	.event = events,
	.setup = setup,
	.teardown = teardown,
	.clear = clear,
	.io = io,
	.check = check,
	.storage = storage,
};

GPUTM__LIFE(commit_buffer, class)
