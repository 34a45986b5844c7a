/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A history as Elle reads it, one transaction a line:
 *
 *	{:index 7, :type :ok, :f :txn, :process 3, :value [[:r 64 nil] [:w 64 4097]]}
 *
 * The process is the thread, a key is the address of a word, nil is what was there before the run.
 *
 * The values of a trace are versions, and are told as they are when a transaction commits. Other
 * programs write a value twice. There each write gets a number, and a read gets that of a write of
 * the value that it read: the one that the system's own order or the read itself names, if that
 * has the value, else the one nearest in that order, else none. So what is told of a right run has
 * a serial order, and a read of a wrong value cannot hide. Stores outside of transactions are
 * transactions of their own, before the next one of their thread. Words that are changed by add
 * or cas are left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/memory.h"
#include "../workloads/workload.h"
#include "history.h"

struct operation {
	uint64_t address;
	uint32_t value;
	uint32_t version; /* of a read: the version that the system names; of a write: its number */
	bool write;
};

/* The present attempt of a thread. */
struct tried {
	struct operation *operation;
	uint32_t count, capacity;
	uint32_t plain; /* of these, stores made before the attempt */
};

/* A transaction that has committed. */
struct done {
	struct tried what;
	uint64_t witness;
	uint32_t thread;
};

/* A write of a word. Sorted by word and, for a word, in the system's order. */
struct written {
	uint64_t address, place;
	uint32_t value, number;
};

struct sim_history {
	struct sim_observer observer;
	const struct sim_observer *next; /* or NULL */
	FILE *out;
	struct tried *thread;
	uint64_t threads, end, commits;
	bool starved, values_are_versions;
	/* only if values are not versions: */
	struct done *done;
	size_t dones, done_capacity;
	struct written *written;
	size_t writes;
	struct sim_memory *mixed;   /* 1: the word is left out */
	struct sim_memory *last;    /* number of the last write of earlier launches */
	struct sim_memory *start;   /* memory at the start of the launch */
	uint32_t numbers;
};

static void note(struct sim_history *h, uint32_t thread, uint64_t address, uint32_t value,
		 uint32_t version, bool write)
{
	struct tried *t = &h->thread[thread];

	if (address >= h->end)
		return;
	if (!SIM_ROOM(t->operation, t->capacity, t->count + 1)) {
		h->starved = true;
		return;
	}
	t->operation[t->count++] = (struct operation){ address, value, version, write };
}

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	struct sim_history *h = state;

	note(h, thread, address, value, version, false);
	if (h->next)
		h->next->load(h->next->state, thread, address, value, version);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	struct sim_history *h = state;

	if (inside || !h->values_are_versions)
		note(h, thread, address, value, 0, true);
	if (!inside)
		h->thread[thread].plain = h->thread[thread].count;
	if (h->next)
		h->next->store(h->next->state, thread, inside, address, value);
}

static void on_abort(void *state, uint32_t thread, enum sim_abort_reason reason)
{
	struct sim_history *h = state;

	h->thread[thread].count = h->thread[thread].plain;
	if (h->next)
		h->next->abort(h->next->state, thread, reason);
}

static void keep(struct sim_history *h, uint32_t thread, uint64_t witness)
{
	if (!SIM_ROOM(h->done, h->done_capacity, h->dones + 1)) {
		h->starved = true;
		return;
	}
	h->done[h->dones++] = (struct done){ h->thread[thread], witness, thread };
	h->thread[thread] = (struct tried){ NULL, 0, 0, 0 };
}

/* ---- versions --------------------------------------------------------------------------- */

static uint64_t place_of(uint64_t witness)
{
	return witness & ~SIM_BY_VERSION;
}

static int by_place(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void number_writes(struct sim_history *h)
{
	size_t count = 0;

	for (size_t i = 0; i < h->dones; i++)
		count += h->done[i].what.count;
	h->written = sim_malloc((count + 1) * sizeof *h->written);
	h->writes = 0;
	h->starved |= !h->written;
	for (size_t i = 0; h->written && i < h->dones; i++)
		for (uint32_t k = 0; k < h->done[i].what.count; k++) {
			struct operation *o = &h->done[i].what.operation[k];

			if (!o->write)
				continue;
			o->version = ++h->numbers;
			h->written[h->writes++] = (struct written){
				o->address, place_of(h->done[i].witness), o->value, o->version,
			};
		}
	if (h->written && h->writes)
		qsort(h->written, h->writes, sizeof *h->written, by_place);
}

/* The first write of the word at this place or a later one. */
static size_t find(const struct sim_history *h, uint64_t address, uint64_t place)
{
	size_t low = 0, high = h->writes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct written *w = &h->written[middle];

		if (w->address < address || (w->address == address && w->place < place))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define NOBODY UINT32_MAX /* no write has this number */

/* The number of the write that the read saw; 0 for the initial value. */
static uint32_t seen_by(const struct sim_history *h, const struct done *d,
			const struct operation *o)
{
	bool by_version = d->witness == SIM_NO_PLACE || d->witness & SIM_BY_VERSION;
	size_t at = find(h, o->address, by_version ? (uint64_t)o->version + 1 : d->witness);
	uint32_t last = sim_memory_read(h->last, o->address);

	for (size_t i = at; i-- && h->written[i].address == o->address;)
		if (h->written[i].value == o->value)
			return h->written[i].number;
	if (sim_memory_read(h->start, o->address) == o->value)
		return last;
	for (; at < h->writes && h->written[at].address == o->address; at++)
		if (h->written[at].value == o->value)
			return h->written[at].number;
	return NOBODY;
}

/* ---- lines ------------------------------------------------------------------------------ */

static void put(struct sim_history *h, uint32_t thread, const struct operation *o, uint32_t count)
{
	fprintf(h->out, "{:index %" PRIu64 ", :type :ok, :f :txn, :process %" PRIu32 ", :value [",
		h->commits++, thread);
	for (uint32_t i = 0; i < count; i++, o++) {
		uint32_t version = h->values_are_versions ? o->value : o->version;

		fprintf(h->out, "%s[:%c %" PRIu64, i ? " " : "", o->write ? 'w' : 'r', o->address);
		if (version || o->write)
			fprintf(h->out, " %" PRIu32 "]", version);
		else
			fputs(" nil]", h->out);
	}
	fputs("]}\n", h->out);
}

/* A read of a word that its transaction has written gets the number of that write. */
static void put_done(struct sim_history *h, struct done *d)
{
	struct operation *o = d->what.operation;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->what.count; i++) {
		struct operation one = o[i];
		uint32_t own = kept;

		if (i == d->what.plain)
			kept = own = 0;
		if (sim_memory_read(h->mixed, one.address))
			continue;
		while (own && !(o[own - 1].write && o[own - 1].address == one.address))
			own--;
		if (!one.write)
			one.version = own && o[own - 1].value == one.value ?
					      o[own - 1].version : seen_by(h, d, &one);
		o[kept++] = one;
		if (i < d->what.plain)
			put(h, d->thread, &one, 1);
	}
	if (d->what.count > d->what.plain)
		put(h, d->thread, o, kept);
}

/* Write all transactions committed since the last launch. */
static void tell(struct sim_history *h)
{
	for (uint64_t i = 0; i < h->threads; i++) {
		h->thread[i].count = h->thread[i].plain;
		if (h->thread[i].count)
			keep(h, (uint32_t)i, SIM_NO_PLACE);
	}
	number_writes(h);
	for (size_t i = 0; h->written && i < h->dones; i++)
		put_done(h, &h->done[i]);
	for (size_t i = 0; i < h->dones; i++)
		sim_free(h->done[i].what.operation);
	for (size_t i = 0; h->written && i < h->writes; i++) {
		sim_memory_write(h->last, h->written[i].address, h->written[i].number);
		sim_memory_write(h->start, h->written[i].address, h->written[i].value);
	}
	sim_free(h->written);
	h->dones = 0;
}

static void on_commit(void *state, uint32_t thread, uint64_t witness)
{
	struct sim_history *h = state;
	struct tried *t = &h->thread[thread];

	if (h->values_are_versions) {
		put(h, thread, t->operation, t->count);
		t->count = 0;
	} else {
		keep(h, thread, witness);
	}
	if (h->next)
		h->next->commit(h->next->state, thread, witness);
}

static void leave_out(struct sim_history *h, uint64_t address)
{
	if (h->mixed)
		sim_memory_write(h->mixed, address, 1);
}

static void on_add(void *state, uint64_t address, uint32_t old, uint32_t value)
{
	struct sim_history *h = state;

	leave_out(h, address);
	if (h->next && h->next->add)
		h->next->add(h->next->state, address, old, value);
}

static void on_cas(void *state, uint64_t address)
{
	struct sim_history *h = state;

	leave_out(h, address);
	if (h->next && h->next->cas)
		h->next->cas(h->next->state, address);
}

static void on_placed(void *state, uint64_t address, uint32_t value, uint64_t place)
{
	struct sim_history *h = state;

	leave_out(h, address);
	if (h->next && h->next->placed)
		h->next->placed(h->next->state, address, value, place);
}

static void on_launch(void *state, const struct sim_memory *memory)
{
	struct sim_history *h = state;

	if (!h->values_are_versions)
		tell(h);
	if (h->next && h->next->launched)
		h->next->launched(h->next->state, memory);
}

static bool make_memory(struct sim_history *h, const struct sim_workload *workload)
{
	h->mixed = sim_memory_new();
	h->last = sim_memory_new();
	h->start = sim_memory_new();
	if (!h->mixed || !h->last || !h->start)
		return false;
	workload->class->setup(workload, h->start);
	return !h->start->exhausted;
}

struct sim_history *sim_history_new(const struct sim_workload *w, bool values_are_versions,
				    FILE *out, const struct sim_observer *next)
{
	struct sim_history *h = sim_calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->observer = (struct sim_observer){ h, on_load, on_store, on_abort, on_commit, on_add,
					     on_cas, on_launch, on_placed };
	h->next = next;
	h->out = out;
	h->threads = w->most_threads > w->threads ? w->most_threads : w->threads;
	h->end = w->lock_base;
	h->values_are_versions = values_are_versions;
	h->thread = sim_calloc(h->threads, sizeof *h->thread);
	if (h->thread && (values_are_versions || make_memory(h, w)))
		return h;
	sim_history_free(h);
	return NULL;
}

const struct sim_observer *sim_history_observer(const struct sim_history *h)
{
	return &h->observer;
}

int sim_history_end(struct sim_history *h)
{
	if (!h->values_are_versions) {
		tell(h);
		h->starved |= h->mixed->exhausted || h->last->exhausted || h->start->exhausted;
	}
	return h->starved ? -ENOMEM : 0;
}

void sim_history_free(struct sim_history *h)
{
	if (!h)
		return;
	for (uint64_t i = 0; h->thread && i < h->threads; i++)
		sim_free(h->thread[i].operation);
	sim_free(h->thread);
	sim_free(h->done);
	sim_memory_free(h->mixed);
	sim_memory_free(h->last);
	sim_memory_free(h->start);
	sim_free(h);
}
