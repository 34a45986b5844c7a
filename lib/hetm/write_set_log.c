/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU write-set logs of HeTM.
 *
 * Source: HeTM (PACT 2019), IV-B: a guest TM hands over <address, value, timestamp> of each
 * word that a committing transaction has written, and they are appended to a log of the
 * thread. IV-C: the logs are streamed to the GPU in chunks, in any order among threads.
 * IV-D: chunks have 48 KB; early validation sends them too, which does not spare the
 * validation phase any of them; after a failed round they are replayed on the shadow copy.
 *
 *   append(t, a, v, s)    log[t] grows by one entry
 *   pop(stream, partial)  the next chunk of a thread that has one for this stream
 *   begin()               log[t] = empty, for every t; all must have been shipped
 *
 * Example with chunks of 2 entries and two threads:
 *   append(0, a) append(0, b) append(1, c) append(0, d)
 *   pop(SHIP, full)     a b of thread 0
 *   pop(SHIP, full)     none: thread 0 has d, thread 1 has c
 *   pop(EARLY, full)    a b of thread 0 again: each stream goes its own way
 *   pop(SHIP, partial)  c of thread 1, whose turn it is; then d of thread 0
 *
 * Invariants, proved by check():
 *  I1  no stream is ahead of the log: seen <= entries, for each thread
 *  I2  a thread's stamps do not fall, and none is 0 or wider than stamp_bits
 *  I3  appended = entries of this round + entries of the rounds before
 *  I4  shipped = entries seen in this round by SHIP + entries of the rounds before
 *
 * Differences from the paper:
 *  - Bytes of an entry on the link are a field: the paper does not give them. The authors' code
 *    (hetmv0, HeTMv1) packs position, time and value into 12, of which 4,096 are 48 KB.
 *  - A thread's stamps must not fall. The paper asks for an order per word only, but its
 *    threads commit one transaction after the other.
 *  - Which thread is next is not said in the paper. Here they take turns.
 */
#include "gputm/write_set_log.h"
#include "lib/base/unit.h"

#define STREAMS 3

struct thread {
	struct gputm_write_set_log_entry *entry;
	size_t capacity;
	uint64_t count;
	uint64_t seen[STREAMS];
	uint64_t last; /* stamp */
};

struct gputm_write_set_log {
	struct gputm_unit unit;
	struct gputm_write_set_log_config config;
	struct thread *thread;	/* [threads] */
	uint32_t turn[STREAMS]; /* the thread that is served first */
	uint32_t chunk_entries;
	uint64_t round;
	uint64_t appended, before, early, shipped, replayed, chunks, maximum_round;
};

#define UNIT write_set_log

static const struct gputm_param rows[] = {
	PARAM(region_bytes, 4, UINT64_C(1) << 36, 629145600, false, "Bytes of the shared region.",
	      "HeTM V"),
	PARAM(threads, 1, 1024, 8, false, "CPU threads, each with a log of its own.", "HeTM V"),
	PARAM(chunk_bytes, 16, 1 << 20, 49152, false, "Bytes of a full chunk.", "HeTM IV-D"),
	PARAM(entry_bytes, 8, 64, 16, false, "Bytes of an entry on the link.",
	      "12 in the authors' code"),
	PARAM(stamp_bits, 8, 63, 32, false, "Width of a stamp, bits.", ""),
};

static const struct gputm_preset presets[] = {
	{ "shetm",
	  "HeTM V: 8 threads, 48 KB chunks, 600 MB.",
	  { { "threads", 8 }, { "chunk_bytes", 49152 }, { "region_bytes", 629145600 } } },
	{ "authors",
	  "The authors' code (hetmv0): 4,096 entries of 12 bytes in a chunk.",
	  { { "chunk_bytes", 49152 }, { "entry_bytes", 12 } } },
};

static const struct gputm__stat_row stats[] = {
	STAT(appended, COUNTER, "entries", "Writes appended: those of this round + before."),
	STAT(before, COUNTER, "entries", "Entries of the rounds before this one."),
	STAT(early, COUNTER, "entries", "Entries handed out for early validation."),
	STAT(shipped, COUNTER, "entries", "Entries handed out for validation."),
	STAT(replayed, COUNTER, "entries", "Entries handed out for replay."),
	STAT(chunks, COUNTER, "chunks", "Chunks handed out, over all streams."),
	STAT(maximum_round, MAXIMUM, "entries", "Most entries in a round that has ended."),
};

static const char *const streams[] = { "early", "ship", "replay" };

static const struct gputm_event_kind events[] = {
	EVENT(GPUTM_WRITE_SET_LOG_EVENT_APPEND, "append", "A log has a new entry.",
	      VALUE(thread, "thread", "The thread of the log."),
	      VALUE(address, "byte address", "The word, counted from the region's start."),
	      VALUE(value, "word value", "The value that a transaction has written."),
	      VALUE(stamp, "stamp", "The time of the transaction's commit.")),
	EVENT(GPUTM_WRITE_SET_LOG_EVENT_CUT, "cut", "The unit has handed out a chunk of a log.",
	      NAMED(stream, streams, "What the caller does with the chunk."),
	      VALUE(thread, "thread", "The thread of the log."),
	      VALUE(entries, "entries", "Entries of the chunk."),
	      VALUE(round, "round", "Number of the round.")),
	EVENT(GPUTM_WRITE_SET_LOG_EVENT_BEGIN, "begin", "A round begins, with empty logs.",
	      VALUE(round, "round", "Number of the round."),
	      VALUE(entries, "entries", "Entries that the logs had in the round before.")),
};

static int validate(const struct gputm_unit *unit)
{
	const struct gputm_write_set_log_config *c = gputm_unit_config(unit);

	if (c->entry_bytes <= c->chunk_bytes)
		return 0;
	return gputm__refuse(unit, "entry_bytes = %u is more than chunk_bytes = %u", c->entry_bytes,
			     c->chunk_bytes);
}

static int setup(struct gputm_unit *unit)
{
	struct gputm_write_set_log *l = (void *)unit;

	l->chunk_entries = l->config.chunk_bytes / l->config.entry_bytes;
	l->thread = gputm__own(unit, l->config.threads, sizeof(*l->thread));
	return 0;
}

static void empty(struct thread *t)
{
	t->count = 0;
	memset(t->seen, 0, sizeof(t->seen));
}

static void clear(struct gputm_unit *unit)
{
	struct gputm_write_set_log *l = (void *)unit;

	for (uint32_t i = 0; i < l->config.threads; i++) {
		empty(&l->thread[i]);
		l->thread[i].last = 0;
	}
	memset(l->turn, 0, sizeof(l->turn));
	l->round = 0;
}

static void io_entries(struct gputm__io *io, struct thread *t, uint64_t count)
{
	for (uint64_t i = 0; i < count && !io->error; i++) {
		/* Grow with each request read: a forged count must not allocate. */
		if (gputm__io_reading(io) &&
		    gputm__own_more(io->unit, &t->entry, &t->capacity,
				(size_t)i + 1, sizeof(*t->entry))) {
			gputm__io_fail(io, -ENOMEM, "no memory");
			return;
		}
		gputm__io_u64(io, &t->entry[i].address);
		gputm__io_u64(io, &t->entry[i].stamp);
		gputm__io_u32(io, &t->entry[i].value);
	}
	if (gputm__io_reading(io) && !io->error)
		t->count = count;
}

static void io(struct gputm_unit *unit, struct gputm__io *io)
{
	struct gputm_write_set_log *l = (void *)unit;

	gputm__io_u64(io, &l->round);
	for (unsigned s = 0; s < STREAMS; s++)
		gputm__io_u32_max(io, &l->turn[s], l->config.threads - 1, "no such thread");
	for (uint32_t i = 0; i < l->config.threads && !io->error; i++) {
		struct thread *t = &l->thread[i];
		uint64_t count = t->count;

		gputm__io_u64(io, &t->last);
		gputm__io_u64(io, &count);
		gputm__io_u64s(io, t->seen, STREAMS);
		io_entries(io, t, count);
	}
}

static const char *check_thread(const struct gputm_write_set_log *l, const struct thread *t)
{
	uint64_t stamp = 1;

	for (unsigned s = 0; s < STREAMS; s++)
		if (t->seen[s] > t->count)
			return "I1: a stream has read past the end of the log";
	for (uint64_t i = 0; i < t->count; i++) {
		if (t->entry[i].address >= l->config.region_bytes || t->entry[i].address & 3)
			return "I2: the address of an entry is not a word of the region";
		if (t->entry[i].stamp < stamp)
			return "I2: the stamps of a thread decrease, or a stamp is 0";
		stamp = t->entry[i].stamp;
	}
	if (t->count && t->last != stamp)
		return "I2: the last stamp of a thread is not that of its last entry";
	if (t->last > gputm__low_mask(l->config.stamp_bits))
		return "I2: a stamp does not fit stamp_bits";
	return NULL;
}

static const char *check(const struct gputm_unit *unit)
{
	const struct gputm_write_set_log *l = (const void *)unit;
	const char *broken = NULL;

	for (uint32_t i = 0; i < l->config.threads && !broken; i++)
		broken = check_thread(l, &l->thread[i]);
	return broken;
}

static void storage(const struct gputm_unit *unit, struct gputm__arrays *out)
{
	const struct gputm_write_set_log *l = (const void *)unit;

	gputm__array_apart(out, "chunks", l->config.threads, (uint64_t)l->config.chunk_bytes * 8,
			   1);
}

static void laws(const struct gputm_unit *unit, struct gputm__laws *laws)
{
	const struct gputm_write_set_log *l = (const void *)unit;
	uint64_t entries = 0, seen = 0;

	for (uint32_t i = 0; i < l->config.threads; i++) {
		entries += l->thread[i].count;
		seen += l->thread[i].seen[GPUTM_WRITE_SET_LOG_STREAM_SHIP];
	}
	gputm__law(laws, l->appended, entries + l->before,
		   "I3: appended is not this round's entries + before");
	gputm__law(laws, l->shipped, seen + l->before,
		   "I4: shipped is not what SHIP has seen + before");
}

GPUTM__UNIT(write_set_log, .version = 1, .setup = setup, .validate = validate, .laws = laws)

/* ---- data path ---- */

static int refuse_append(const struct gputm_write_set_log *l, uint32_t thread, uint64_t address,
			 uint64_t stamp)
{
	uint64_t least;

	if (thread >= l->config.threads)
		return gputm__out_of_range(&l->unit, "thread", thread, 0, l->config.threads - 1);
	if (address >= l->config.region_bytes)
		return gputm__out_of_range(&l->unit, "address", address, 0,
					   l->config.region_bytes - 1);
	if (address & 3)
		return gputm__refuse(&l->unit, "address = %llu is not a multiple of 4",
				     (unsigned long long)address);
	least = l->thread[thread].last ? l->thread[thread].last : 1;
	return gputm__out_of_range(&l->unit, "stamp", stamp, least,
				   gputm__low_mask(l->config.stamp_bits));
}

int gputm_write_set_log_append(struct gputm_write_set_log *l, uint32_t thread, uint64_t address,
			       uint32_t value, uint64_t stamp)
{
	struct thread *t = &l->thread[thread < l->config.threads ? thread : 0];

	if (thread >= l->config.threads || address >= l->config.region_bytes ||
			    address & 3 || !stamp || stamp < t->last ||
			    stamp > gputm__low_mask(l->config.stamp_bits))
		return refuse_append(l, thread, address, stamp);
	if (t->count == t->capacity &&
	    gputm__own_more(&l->unit, &t->entry, &t->capacity, (size_t)t->count + 1,
			sizeof(*t->entry)))
		return -ENOMEM;
	t->entry[t->count++] = (struct gputm_write_set_log_entry){ address, stamp, value };
	t->last = stamp;
	l->appended++;
	gputm__emit(&l->unit, GPUTM_WRITE_SET_LOG_EVENT_APPEND, thread, address, value, stamp);
	return 0;
}

static uint64_t *handed_out(struct gputm_write_set_log *l, unsigned stream)
{
	return stream == GPUTM_WRITE_SET_LOG_STREAM_EARLY  ? &l->early
	       : stream == GPUTM_WRITE_SET_LOG_STREAM_SHIP ? &l->shipped
						    : &l->replayed;
}

static void hand_out(struct gputm_write_set_log *l, unsigned stream, uint32_t thread,
		     struct gputm_write_set_log_chunk *chunk)
{
	struct thread *t = &l->thread[thread];
	uint64_t left = t->count - t->seen[stream];
	uint32_t count = left < l->chunk_entries ? (uint32_t)left : l->chunk_entries;

	*chunk = (struct gputm_write_set_log_chunk){ t->entry + t->seen[stream], count, thread,
						     l->round,
						     (uint64_t)count * l->config.entry_bytes };
	t->seen[stream] += count;
	*handed_out(l, stream) += count;
	l->chunks++;
	l->turn[stream] = thread + 1 < l->config.threads ? thread + 1 : 0;
	gputm__emit(&l->unit, GPUTM_WRITE_SET_LOG_EVENT_CUT, stream, thread, count, l->round);
}

int gputm_write_set_log_cut(struct gputm_write_set_log *l, enum gputm_write_set_log_stream stream,
			    bool partial, struct gputm_write_set_log_chunk *chunk)
{
	uint32_t least = partial ? 1 : l->chunk_entries, thread;

	if ((unsigned)stream >= STREAMS)
		return gputm__out_of_range(&l->unit, "stream", stream, 0, STREAMS - 1);
	thread = l->turn[stream];
	for (uint32_t i = 0; i < l->config.threads; i++) {
		const struct thread *t = &l->thread[thread];

		if (t->count - t->seen[stream] >= least) {
			hand_out(l, stream, thread, chunk);
			return GPUTM_WRITE_SET_LOG_CHUNK;
		}
		thread = thread + 1 < l->config.threads ? thread + 1 : 0;
	}
	return GPUTM_WRITE_SET_LOG_NONE;
}

uint64_t gputm_write_set_log_pending(const struct gputm_write_set_log *l,
				     enum gputm_write_set_log_stream stream)
{
	uint64_t pending = 0;

	for (uint32_t i = 0; (unsigned)stream < STREAMS && i < l->config.threads; i++)
		pending += l->thread[i].count - l->thread[i].seen[stream];
	return pending;
}

uint64_t gputm_write_set_log_round(const struct gputm_write_set_log *l)
{
	return l->round;
}

int gputm_write_set_log_begin(struct gputm_write_set_log *l)
{
	uint64_t pending = gputm_write_set_log_pending(l, GPUTM_WRITE_SET_LOG_STREAM_SHIP);
	uint64_t entries = l->appended - l->before;

	if (pending)
		return gputm__refuse(&l->unit, "pending = %llu entries are not shipped, must be 0",
				     (unsigned long long)pending);
	for (uint32_t i = 0; i < l->config.threads; i++)
		empty(&l->thread[i]);
	l->before += entries;
	gputm__maximum(&l->maximum_round, entries);
	l->round++;
	gputm__emit(&l->unit, GPUTM_WRITE_SET_LOG_EVENT_BEGIN, l->round, entries, 0, 0);
	return 0;
}
