/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_ORACLE_COMMIT_BUFFER_H
#define GPUTM_ORACLE_COMMIT_BUFFER_H
/* All entries ever pushed, each with the number of its block; every question is answered by
 * looking at all of them. */
#include "tests/oracle/stats.h"

#define ORACLE_ENTRIES 4096
#define ORACLE_COMMIT_BUFFER_STATS                                                             \
	cycles, entries, joined, refused, made, written, cleaned, retired, writes_in,          \
		writes_out, blocks_max, writes

enum oracle_block_state { ORACLE_WAITING, ORACLE_PORT, ORACLE_FLYING, ORACLE_DONE };

struct oracle_commit_buffer {
	struct gputm_commit_buffer_config config;
	struct {
		struct gputm_commit_buffer_entry entry;
		unsigned block;
		bool released;
	} list[ORACLE_ENTRIES];
	struct {
		enum oracle_block_state state;
		unsigned done; /* its number among the done, in order */
	} block[ORACLE_ENTRIES];
	unsigned entries, blocks, done;
	ORACLE_STATS(ORACLE_COMMIT_BUFFER_STATS) stats;
};

static const struct gputm_commit_buffer_entry *first_of(const struct oracle_commit_buffer *o,
							unsigned block)
{
	for (unsigned i = 0; i < o->entries; i++)
		if (o->list[i].block == block)
			return &o->list[i].entry;
	return NULL;
}

static bool in_use(const struct oracle_commit_buffer *o, unsigned block)
{
	for (unsigned i = 0; i < o->entries; i++)
		if (o->list[i].block == block && !o->list[i].released)
			return true;
	return false;
}

static bool joins(const struct oracle_commit_buffer *o, unsigned block,
		  const struct gputm_commit_buffer_entry *e)
{
	const struct gputm_commit_buffer_entry *f = first_of(o, block);
	uint32_t bytes = o->config.block_bytes;

	return f->address / bytes == e->address / bytes && f->warp == e->warp &&
	       f->sequence == e->sequence && f->cleanup == e->cleanup;
}

static int oracle_commit_buffer_push(struct oracle_commit_buffer *o,
				     const struct gputm_commit_buffer_entry *e)
{
	unsigned looked = 0, used = 0, block = o->blocks;

	for (unsigned i = o->blocks; i-- && looked < o->config.window && block == o->blocks;) {
		if (o->block[i].state != ORACLE_WAITING)
			continue;
		looked++;
		if (joins(o, i, e))
			block = i;
	}
	for (unsigned i = 0; i < o->blocks; i++)
		used += in_use(o, i);
	o->stats.refused += block == o->blocks && used == o->config.blocks;
	if (block == o->blocks && used == o->config.blocks)
		return GPUTM_COMMIT_BUFFER_FULL;
	o->stats.entries++;
	o->stats.writes_in += e->count;
	o->list[o->entries].entry = *e;
	o->list[o->entries].released = false;
	o->list[o->entries++].block = block;
	o->stats.joined += block < o->blocks;
	if (block < o->blocks)
		return GPUTM_COMMIT_BUFFER_JOINED;
	o->stats.made++;
	oracle_most(&o->stats.blocks_max, used + 1);
	o->block[o->blocks++].state = ORACLE_WAITING;
	return GPUTM_COMMIT_BUFFER_ACCEPTED;
}

static int block_in(const struct oracle_commit_buffer *o, enum oracle_block_state state)
{
	for (unsigned i = 0; i < o->blocks; i++)
		if (o->block[i].state == state)
			return (int)i;
	return -1;
}

static void finish(struct oracle_commit_buffer *o, int block)
{
	o->block[block].state = ORACLE_DONE;
	o->block[block].done = o->done++;
}

static void oracle_commit_buffer_tick(struct oracle_commit_buffer *o)
{
	int block = block_in(o, ORACLE_WAITING);

	o->stats.cycles++;
	if (block < 0)
		return;
	if (first_of(o, (unsigned)block)->cleanup) {
		o->stats.cleaned++;
		finish(o, block);
	} else if (block_in(o, ORACLE_PORT) < 0) {
		o->stats.written++;
		o->block[block].state = ORACLE_PORT;
	}
}

/* The block at the memory port, or -1; its request. */
static int oracle_commit_buffer_port(const struct oracle_commit_buffer *o,
				     struct gputm_mem_request *out)
{
	int block = block_in(o, ORACLE_PORT);

	out->word_mask = 0;
	for (unsigned i = 0; block >= 0 && i < o->entries; i++) {
		uint64_t address = o->list[i].entry.address;
		uint32_t word = (uint32_t)(address % o->config.block_bytes / 4);

		if (o->list[i].block != (unsigned)block)
			continue;
		out->address = address - address % o->config.block_bytes;
		out->word_mask |= 1u << word;
		out->value[word] = o->list[i].entry.value;
	}
	return block;
}

static void oracle_commit_buffer_pop(struct oracle_commit_buffer *o, int block)
{
	o->block[block].state = ORACLE_FLYING;
}

static void oracle_commit_buffer_complete(struct oracle_commit_buffer *o, int block)
{
	finish(o, block);
}

/* The next release, marked as given. */
static bool oracle_commit_buffer_release(struct oracle_commit_buffer *o,
					 struct gputm_commit_buffer_release *out)
{
	uint32_t part = o->config.granularity < o->config.block_bytes ? o->config.granularity :
									 o->config.block_bytes;
	unsigned best = ORACLE_ENTRIES;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < o->blocks; i++)
		if (o->block[i].state == ORACLE_DONE && in_use(o, i) &&
		    (best == ORACLE_ENTRIES || o->block[i].done < o->block[best].done))
			best = i;
	if (best == ORACLE_ENTRIES)
		return false;
	for (unsigned i = 0; i < o->entries; i++)
		if (o->list[i].block == best && !o->list[i].released &&
		    o->list[i].entry.address / part * part < least)
			least = o->list[i].entry.address / part * part;
	*out = (struct gputm_commit_buffer_release){ least, first_of(o, best)->sequence,
					      first_of(o, best)->warp, 0,
					      !first_of(o, best)->cleanup };
	for (unsigned i = 0; i < o->entries; i++) {
		if (o->list[i].block != best || o->list[i].released ||
		    o->list[i].entry.address / part * part != least)
			continue;
		o->list[i].released = true;
		out->count += o->list[i].entry.count;
	}
	o->stats.writes_out += out->count;
	o->stats.retired += !in_use(o, best);
	return true;
}

static uint64_t oracle_commit_buffer_writes(const struct oracle_commit_buffer *o)
{
	uint64_t writes = 0;

	for (unsigned i = 0; i < o->entries; i++)
		writes += o->list[i].released ? 0 : o->list[i].entry.count;
	return writes;
}

#endif /* GPUTM_ORACLE_COMMIT_BUFFER_H */
