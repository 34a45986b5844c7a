/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A history as Elle reads it, one transaction a line:
 *
 *	{:index 7, :type :ok, :f :txn, :process 3, :value [[:r 64 nil] [:w 64 4097]]}
 *
 * The process is the thread, a key is the address of a word, nil is what was there before the run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "history.h"

struct operation {
	uint64_t address;
	uint32_t value;
	bool write;
};

/* The attempt of a thread. */
struct tried {
	struct operation *operation;
	uint32_t count, capacity;
};

struct sim_history {
	struct sim_observer observer;
	const struct sim_observer *next; /* or NULL */
	FILE *out;
	struct tried *thread;
	uint64_t threads, end, commits;
	bool starved;
};

static void note(struct sim_history *h, uint32_t thread, uint64_t address, uint32_t value,
		 bool write)
{
	struct tried *t = &h->thread[thread];
	uint32_t capacity = t->capacity ? 2 * t->capacity : 8;

	if (address >= h->end)
		return;
	if (t->count == t->capacity) {
		struct operation *grown = realloc(t->operation, capacity * sizeof *grown);

		h->starved |= !grown;
		if (!grown)
			return;
		t->operation = grown;
		t->capacity = capacity;
	}
	t->operation[t->count++] = (struct operation){ address, value, write };
}

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	struct sim_history *h = state;

	note(h, thread, address, value, false);
	if (h->next)
		h->next->load(h->next->state, thread, address, value, version);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	struct sim_history *h = state;

	if (inside)
		note(h, thread, address, value, true);
	if (h->next)
		h->next->store(h->next->state, thread, inside, address, value);
}

static void on_abort(void *state, uint32_t thread, enum sim_abort_reason reason)
{
	struct sim_history *h = state;

	h->thread[thread].count = 0;
	if (h->next)
		h->next->abort(h->next->state, thread, reason);
}

static void on_commit(void *state, uint32_t thread, uint64_t witness)
{
	struct sim_history *h = state;
	struct tried *t = &h->thread[thread];

	fprintf(h->out, "{:index %" PRIu64 ", :type :ok, :f :txn, :process %" PRIu32 ", :value [",
		h->commits++, thread);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct operation *o = &t->operation[i];

		fprintf(h->out, "%s[:%c %" PRIu64, i ? " " : "", o->write ? 'w' : 'r', o->address);
		if (o->value || o->write)
			fprintf(h->out, " %" PRIu32 "]", o->value);
		else
			fputs(" nil]", h->out);
	}
	fputs("]}\n", h->out);
	t->count = 0;
	if (h->next)
		h->next->commit(h->next->state, thread, witness);
}

/* A trace has no adds; what has them is not told, and its next observer is. */
static void on_add(void *state, uint64_t address, uint32_t old, uint32_t value)
{
	const struct sim_history *h = state;

	if (h->next && h->next->add)
		h->next->add(h->next->state, address, old, value);
}

static void on_cas(void *state, uint64_t address)
{
	const struct sim_history *h = state;

	if (h->next && h->next->cas)
		h->next->cas(h->next->state, address);
}

struct sim_history *sim_history_new(uint64_t threads, uint64_t end, FILE *out,
				    const struct sim_observer *next)
{
	struct sim_history *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->observer = (struct sim_observer){ h, on_load, on_store, on_abort, on_commit, on_add,
					     on_cas, NULL };
	h->next = next;
	h->out = out;
	h->threads = threads;
	h->end = end;
	h->thread = calloc(threads, sizeof *h->thread);
	if (h->thread)
		return h;
	sim_history_free(h);
	return NULL;
}

const struct sim_observer *sim_history_observer(const struct sim_history *h)
{
	return &h->observer;
}

int sim_history_end(const struct sim_history *h)
{
	return h->starved ? -ENOMEM : 0;
}

void sim_history_free(struct sim_history *h)
{
	if (!h)
		return;
	for (uint64_t i = 0; h->thread && i < h->threads; i++)
		free(h->thread[i].operation);
	free(h->thread);
	free(h);
}
