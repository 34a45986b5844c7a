/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attempts are numbered as they end. A pair is looked at when the later one of the two ends, at all
 * words of that one: each word knows the ended attempts that have read it, and those that have
 * written it. An attempt overlaps with those that have ended since it began, which have the highest
 * numbers.
 */
#include "conflicts.h"

#include <stdlib.h>

#include "../base/arena.h"
#include "../base/memory.h"

/* What two attempts do at a word that both access: the one that ends later, and the other. An
 * attempt is REFUSED if it aborted because an access was not allowed to happen. */
enum { READS_WRITTEN = 1, WRITES_READ = 2, WRITES_WRITTEN = 4, REFUSED = 8 };

struct access {
	uint32_t word;
	bool write;
};

/* The present attempt of a thread; no accesses: there is none. */
struct attempt {
	struct access *access;
	uint32_t count, capacity;
	uint32_t first; /* number of the first attempt that may end after this one begins */
};

/* Numbers of attempts, in order. */
struct numbers {
	uint32_t *number;
	uint32_t count, capacity;
};

struct word {
	struct numbers readers, writers;
	uint32_t seen_by; /* number plus 1 of the attempt that sees it now */
	bool read, written; /* by that attempt */
};

struct sim_conflicts {
	struct sim_observer observer;
	struct sim_pairs pairs;
	struct attempt *attempt; /* of each thread */
	uint64_t threads;
	struct sim_memory *word_of; /* index of each word in word[], plus 1 */
	struct word *word;
	uint32_t words, word_capacity;
	uint8_t *found; /* of each attempt that has ended: REFUSED; with the one that ends now */
	uint32_t ended, found_capacity;
	struct numbers touched; /* attempts with found[] */
	bool starved;
};

static void append(struct sim_conflicts *c, struct numbers *n, uint32_t number)
{
	if (SIM_ROOM(n->number, n->capacity, n->count + 1))
		n->number[n->count++] = number;
	else
		c->starved = true;
}

/* ---- attempts ---- */

static uint32_t word_at(struct sim_conflicts *c, uint64_t address)
{
	uint32_t *index = sim_memory_make(c->word_of, address);

	if (*index)
		return *index - 1;
	if (!SIM_ROOM(c->word, c->word_capacity, c->words + 1)) {
		c->starved = true;
		return 0;
	}
	c->word[c->words] = (struct word){ .seen_by = 0 };
	*index = ++c->words;
	return *index - 1;
}

static void note(struct sim_conflicts *c, uint32_t thread, uint64_t address, bool write)
{
	struct attempt *a = &c->attempt[thread];

	if (!a->count)
		a->first = c->ended;
	if (SIM_ROOM(a->access, a->capacity, a->count + 1))
		a->access[a->count++] = (struct access){ word_at(c, address), write };
	else
		c->starved = true;
}

/* ---- pairs ---- */

/* Ended attempts from number `first` on conflict with the attempt. */
static void find(struct sim_conflicts *c, const struct numbers *others, uint32_t first,
		 uint8_t kind)
{
	for (uint32_t i = others->count; i-- && others->number[i] >= first;) {
		uint8_t *found = &c->found[others->number[i]];

		if (!(*found & ~REFUSED))
			append(c, &c->touched, others->number[i]);
		*found |= kind;
	}
}

static void count(struct sim_pairs *pairs, uint8_t found, bool refused)
{
	refused |= (found & REFUSED) != 0;
	found &= (uint8_t)~REFUSED;
	pairs->read_write += !(found & WRITES_WRITTEN);
	pairs->write_write += found == WRITES_WRITTEN;
	pairs->both += found > WRITES_WRITTEN;
	pairs->loops += !refused && (found & READS_WRITTEN) && (found & WRITES_READ);
}

/* What the attempt has done at each of its words. */
static void look_at_words(struct sim_conflicts *c, const struct attempt *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct word *w = &c->word[a->access[i].word];

		if (w->seen_by != c->ended + 1)
			w->read = w->written = false;
		w->seen_by = c->ended + 1;
		w->read |= !a->access[i].write && !w->written;
		w->written |= a->access[i].write;
	}
}

static void look_at_others(struct sim_conflicts *c, const struct attempt *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct word *w = &c->word[a->access[i].word];

		if (w->seen_by != c->ended + 1)
			continue;
		w->seen_by = 0;
		if (w->read)
			find(c, &w->writers, a->first, READS_WRITTEN);
		if (w->written) {
			find(c, &w->readers, a->first, WRITES_READ);
			find(c, &w->writers, a->first, WRITES_WRITTEN);
		}
		if (w->read)
			append(c, &w->readers, c->ended);
		if (w->written)
			append(c, &w->writers, c->ended);
	}
}

static void end(struct sim_conflicts *c, uint32_t thread, bool refused)
{
	struct attempt *a = &c->attempt[thread];

	if (!a->count)
		return;
	c->starved |= !SIM_ROOM(c->found, c->found_capacity, c->ended + 1);
	if (!c->starved) {
		c->pairs.overlapping += c->ended - a->first;
		look_at_words(c, a);
		look_at_others(c, a);
		for (uint32_t i = 0; i < c->touched.count; i++) {
			count(&c->pairs, c->found[c->touched.number[i]], refused);
			c->found[c->touched.number[i]] &= REFUSED;
		}
		c->touched.count = 0;
		c->found[c->ended++] = refused ? REFUSED : 0;
	}
	a->count = 0;
}

/* ---- the observer ---- */

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	(void)value;
	(void)version;
	note(state, thread, address, false);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	(void)value;
	if (inside)
		note(state, thread, address, true);
}

static void on_abort(void *state, uint32_t thread, enum sim_abort_reason reason)
{
	end(state, thread, reason == SIM_ABORT_CONFLICT || reason == SIM_ABORT_WRITER ||
				   reason == SIM_ABORT_ESTIMATED);
}

static void on_commit(void *state, uint32_t thread, uint64_t witness)
{
	(void)witness;
	end(state, thread, false);
}

/* ---- life ---- */

struct sim_conflicts *sim_conflicts_new(uint64_t threads)
{
	struct sim_conflicts *c = sim_calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->observer = (struct sim_observer){
		.state = c, .load = on_load, .store = on_store, .abort = on_abort,
		.commit = on_commit,
	};
	c->threads = threads;
	c->attempt = sim_calloc(threads, sizeof *c->attempt);
	c->word_of = sim_memory_new();
	if (c->attempt && c->word_of)
		return c;
	sim_conflicts_free(c);
	return NULL;
}

void sim_conflicts_free(struct sim_conflicts *c)
{
	if (!c)
		return;
	for (uint64_t i = 0; c->attempt && i < c->threads; i++)
		sim_free(c->attempt[i].access);
	for (uint32_t i = 0; i < c->words; i++) {
		sim_free(c->word[i].readers.number);
		sim_free(c->word[i].writers.number);
	}
	sim_free(c->attempt);
	sim_free(c->word);
	sim_free(c->found);
	sim_free(c->touched.number);
	sim_memory_free(c->word_of);
	sim_free(c);
}

const struct sim_observer *sim_conflicts_observer(const struct sim_conflicts *c)
{
	return &c->observer;
}

bool sim_conflicts_get(const struct sim_conflicts *c, struct sim_pairs *out)
{
	*out = c->pairs;
	return !c->starved && !c->word_of->exhausted;
}
