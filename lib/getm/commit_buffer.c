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
 * A write gets the lowest tag that is not in flight.
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
#include "lib/getm/commit_buffer-priv.h"

/* The oldest block of a queue that is not empty. */
static inline struct gputm__commit_block *oldest(const struct gputm_commit_buffer *b,
						 const struct gputm__queue *q)
{
	return &b->block[*(const uint32_t *)gputm__queue_oldest(q)];
}

/* ---- input ---- */

static inline bool joins(const struct gputm__commit_block *block,
			 const struct gputm_commit_buffer_entry *entry)
{
	return block->warp == entry->warp && block->sequence == entry->sequence &&
	       block->cleanup == entry->cleanup;
}

/* The youngest waiting block that the entry joins, or NULL. */
static inline struct gputm__commit_block *
partner_of(const struct gputm_commit_buffer *b, const struct gputm_commit_buffer_entry *entry)
{
	const struct gputm__queue *q = &b->waiting;
	const uint32_t *number = (const void *)q->item, *next = gputm__queue_at(q, q->count);
	uint32_t look = q->count < b->config.window ? q->count : b->config.window;
	uint64_t address = entry->address & b->block_mask;

	for (; look; look--) {
		struct gputm__commit_block *block;

		if (next == number)
			next += q->capacity;
		block = &b->block[*--next];
		if (block->address == address && joins(block, entry))
			return block;
	}
	return NULL;
}

/* Refuse an entry. `partner`: the block to join, whose sum of counts would overflow. */
static int refuse(const struct gputm_commit_buffer *b,
		  const struct gputm_commit_buffer_entry *entry,
		  const struct gputm__commit_block *partner)
{
	if (entry->address > b->address_max)
		return gputm__out_of_range(&b->unit, "address", entry->address, 0, b->address_max);
	if (entry->address & 3)
		return gputm__refuse(&b->unit, "address = 0x%llx is not a multiple of 4",
				     (unsigned long long)entry->address);
	if (!entry->count)
		return gputm__refuse(&b->unit, "count = 0 is outside 1 .. %u", UINT32_MAX);
	return gputm__refuse(&b->unit,
			     "count = %u does not fit: the block at 0x%llx has %u writes already, "
			     "and holds %u", entry->count, (unsigned long long)partner->address,
			     partner->sum, UINT32_MAX),
	       -ERANGE;
}

static inline int judge(const struct gputm_commit_buffer *b,
			const struct gputm_commit_buffer_entry *entry,
			struct gputm__commit_block **partner)
{
	if (entry->address > b->address_max || entry->address & 3 ||
			    !entry->count)
		return refuse(b, entry, NULL);
	*partner = partner_of(b, entry);
	if (!*partner)
		return b->free_count ? GPUTM_COMMIT_BUFFER_ACCEPTED : GPUTM_COMMIT_BUFFER_FULL;
	return entry->count > UINT32_MAX - (*partner)->sum ?
		       refuse(b, entry, *partner) : GPUTM_COMMIT_BUFFER_JOINED;
}

int gputm_commit_buffer_push_probe(const struct gputm_commit_buffer *b,
				   const struct gputm_commit_buffer_entry *entry)
{
	struct gputm__commit_block *partner;

	return judge(b, entry, &partner);
}

static struct gputm__commit_block *make_block(struct gputm_commit_buffer *b,
					      const struct gputm_commit_buffer_entry *entry)
{
	uint32_t at = b->free[--b->free_count];
	struct gputm__commit_block *block = &b->block[at];

	/* The counts come last: the counts of words without entries keep their old values. */
	memset(block, 0, offsetof(struct gputm__commit_block, count) + b->config.block_bytes);
	block->address = entry->address & b->block_mask;
	block->sequence = entry->sequence;
	block->warp = entry->warp;
	block->cleanup = entry->cleanup;
	gputm__queue_put(&b->waiting, uint32_t, at);
	b->made++;
	gputm__maximum(&b->blocks_max, b->config.blocks - b->free_count);
	return block;
}

int gputm_commit_buffer_push(struct gputm_commit_buffer *b,
			     const struct gputm_commit_buffer_entry *entry)
{
	struct gputm__commit_block *block = NULL;
	int result = judge(b, entry, &block);
	uint32_t word;

	if (result < 0 || result == GPUTM_COMMIT_BUFFER_FULL) {
		b->refused += result == GPUTM_COMMIT_BUFFER_FULL;
		return result;
	}
	if (result == GPUTM_COMMIT_BUFFER_ACCEPTED)
		block = make_block(b, entry);
	else
		b->joined++;
	word = (uint32_t)(entry->address - block->address) / 4;
	block->words |= 1u << word;
	block->value[word] = entry->cleanup ? 0 : entry->value;
	block->count[word] += entry->count;
	block->sum += entry->count;
	b->entries++;
	b->writes += entry->count;
	b->writes_in += entry->count;
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_PUSH, entry->address, entry->warp,
		    entry->count, (uint64_t)result);
	return result;
}

/* ---- clock ---- */

static bool may_issue(const struct gputm_commit_buffer *b)
{
	return b->waiting.count &&
	       (b->port_tag == GPUTM__NO_TAG || oldest(b, &b->waiting)->cleanup);
}

static inline void issue(struct gputm_commit_buffer *b)
{
	uint32_t at = *(const uint32_t *)gputm__queue_take(&b->waiting);
	const struct gputm__commit_block *block = &b->block[at];

	if (block->cleanup) {
		gputm__queue_put(&b->releasing, uint32_t, at);
		b->cleaned++;
	} else {
		b->port = at;
		b->port_tag = b->next_tag;
		b->written++;
	}
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_ISSUE, block->address, block->warp,
		    block->words, block->cleanup);
}

static int offers(const struct gputm_commit_buffer *b)
{
	return (b->releasing.count != 0) | (b->port_tag != GPUTM__NO_TAG) << 1;
}

int gputm_commit_buffer_tick(struct gputm_commit_buffer *b)
{
	b->cycles++;
	if (may_issue(b))
		issue(b);
	return offers(b);
}

uint64_t gputm_commit_buffer_next_event(const struct gputm_commit_buffer *b)
{
	return may_issue(b) ? 0 : UINT64_MAX;
}

int gputm_commit_buffer_advance(struct gputm_commit_buffer *b, uint64_t cycles)
{
	b->cycles = gputm__later(b->cycles, cycles);
	for (; cycles && may_issue(b); cycles--)
		issue(b);
	return offers(b);
}

/* ---- memory ---- */

int gputm_commit_buffer_mem_peek(const struct gputm_commit_buffer *b, struct gputm_mem_request *out)
{
	const struct gputm__commit_block *block;

	if (b->port_tag == GPUTM__NO_TAG)
		return 0;
	block = &b->block[b->port];
	out->tag = b->port_tag;
	out->address = block->address;
	out->word_mask = block->words;
	out->write = true;
	for (uint32_t words = block->words; words; words &= words - 1)
		out->value[gputm__lowest(words)] = block->value[gputm__lowest(words)];
	return 1;
}

int gputm_commit_buffer_mem_pop(struct gputm_commit_buffer *b)
{
	if (b->port_tag == GPUTM__NO_TAG)
		return 0;
	b->flying[b->port_tag] = b->port;
	b->free_tag[b->port_tag / 64] &= ~(UINT64_C(1) << (b->port_tag & 63));
	b->port_tag = GPUTM__NO_TAG;
	gputm__find_tag(b);
	return 1;
}

int gputm_commit_buffer_mem_take(struct gputm_commit_buffer *b, struct gputm_mem_request *out)
{
	return gputm_commit_buffer_mem_peek(b, out) ? gputm_commit_buffer_mem_pop(b) : 0;
}

int gputm_commit_buffer_mem_complete(struct gputm_commit_buffer *b, uint64_t tag)
{
	if (tag >= b->config.blocks || gputm__tag_is_free(b, tag))
		return gputm__refuse(&b->unit, "no write of tag %llu is in flight",
				     (unsigned long long)tag);
	b->free_tag[tag / 64] |= UINT64_C(1) << (tag & 63);
	b->next_tag = tag < b->next_tag ? (uint32_t)tag : b->next_tag;
	gputm__queue_put(&b->releasing, uint32_t, b->flying[tag]);
	return 0;
}

/* ---- releases ---- */

/* The words of the first granule that still has words to release. */
static uint32_t first_granule(const struct gputm_commit_buffer *b,
			      const struct gputm__commit_block *block)
{
	unsigned first = gputm__lowest(block->words) & ~(b->step - 1);

	return block->words & b->granule_words << first;
}

/* The address of the granule of these words. */
static uint64_t granule_of(const struct gputm_commit_buffer *b,
			   const struct gputm__commit_block *block, uint32_t words)
{
	return block->address + (gputm__lowest(words) & ~(b->step - 1)) * 4;
}

int gputm_commit_buffer_peek(const struct gputm_commit_buffer *b,
			     struct gputm_commit_buffer_release *out)
{
	const struct gputm__commit_block *block;
	uint32_t words;

	if (!b->releasing.count)
		return 0;
	block = oldest(b, &b->releasing);
	words = first_granule(b, block);
	out->address = granule_of(b, block, words);
	out->sequence = block->sequence;
	out->warp = block->warp;
	out->committed = !block->cleanup;
	out->count = 0;
	for (; words; words &= words - 1)
		out->count += block->count[gputm__lowest(words)];
	return 1;
}

int gputm_commit_buffer_pop(struct gputm_commit_buffer *b)
{
	struct gputm__commit_block *block;
	uint32_t words, released = 0;

	if (!b->releasing.count)
		return 0;
	block = oldest(b, &b->releasing);
	words = first_granule(b, block);
	for (uint32_t left = words; left; left &= left - 1) {
		released += block->count[gputm__lowest(left)];
		block->count[gputm__lowest(left)] = 0;
	}
	block->words &= ~words;
	block->sum -= released;
	b->writes -= released;
	b->writes_out += released;
	if (!block->words) {
		b->free[b->free_count++] = *(const uint32_t *)gputm__queue_take(&b->releasing);
		b->retired++;
	}
	gputm__emit(&b->unit, GPUTM_COMMIT_BUFFER_EVENT_RELEASE, granule_of(b, block, words),
		    block->warp, released, !block->cleanup);
	return 1;
}

uint64_t gputm_commit_buffer_writes(const struct gputm_commit_buffer *b)
{
	return b->writes;
}
