/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/memory.h"
#include "order.h"

/* One access, 16 bytes: the address has its two lowest bits free. */
struct access {
	uint32_t low, high, value, version;
};

#define WRITE 1u

/* Flags of a word, in `added`. */
#define ADDED 1u  /* adds have changed it */
#define STORED 2u /* other writes have changed it, too */
#define BROKEN 4u /* an add did not find what the add before it left */

/* The present attempt of a thread: the plain stores before it, then its accesses. */
struct attempt {
	struct access *access;
	uint32_t count, capacity;
	uint32_t plain;
	uint32_t committed; /* transactions that the thread has committed before */
};

struct committed {
	uint64_t witness, start;
	uint32_t count, plain, thread;
	uint32_t number; /* counted within the thread, from 1 */
};

/* A plain store. Its place in the serial order is before the transactions with this witness and
 * higher ones. */
struct placed {
	uint64_t place, address, number;
	uint32_t value;
};

struct sim_check {
	const struct sim_workload *workload;
	uint64_t threads; /* of the largest launch */
	struct sim_observer observer;
	bool exhausted;
	struct attempt *attempt; /* [threads] */
	/* Per word that adds have changed: flags, what the first add found, what the last add
	 * left. */
	struct sim_memory *added, *found, *left;
	struct access *log;
	size_t logged, log_capacity;
	struct committed *commit;
	size_t commits, commit_capacity;
	struct placed *placed; /* of this launch */
	size_t places, place_capacity;
	/* Earlier launches have been judged: commits below `before`, and the memory that they
	 * left. */
	size_t before;		     /* commits */
	struct sim_memory *start;    /* NULL: the first launch */
	struct sim_verdict *verdict; /* so far */
};

static void note(struct sim_check *check, uint32_t thread, uint64_t address, uint32_t value,
		 uint32_t version, uint32_t write)
{
	struct attempt *a = &check->attempt[thread];

	if (!SIM_ROOM(a->access, a->capacity, a->count + 1)) {
		check->exhausted = true;
		return;
	}
	a->access[a->count++] = (struct access){
		(uint32_t)address | write, (uint32_t)(address >> 32), value, version,
	};
}

static void on_load(void *state, uint32_t thread, uint64_t address, uint32_t value,
		    uint32_t version)
{
	note(state, thread, address, value, version, 0);
}

static void on_store(void *state, uint32_t thread, bool inside, uint64_t address, uint32_t value)
{
	struct sim_check *check = state;

	if (address >= check->workload->lock_base)
		return;
	note(check, thread, address, value, 0, WRITE);
	if (!inside)
		check->attempt[thread].plain = check->attempt[thread].count;
}

static void on_abort(void *state, uint32_t thread, enum sim_abort_reason reason)
{
	struct sim_check *check = state;

	(void)reason;
	check->attempt[thread].count = check->attempt[thread].plain;
}

static void on_commit(void *state, uint32_t thread, uint64_t witness)
{
	struct sim_check *check = state;
	struct attempt *a = &check->attempt[thread];

	if (!SIM_ROOM(check->log, check->log_capacity, check->logged + a->count + 1) ||
	    !SIM_ROOM(check->commit, check->commit_capacity, check->commits + 1)) {
		check->exhausted = true;
		return;
	}
	check->commit[check->commits++] =
		(struct committed){ witness,  check->logged, a->count, a->plain,
				    thread, a->committed + 1 };
	if (a->count)
		memcpy(check->log + check->logged, a->access, a->count * sizeof(*a->access));
	check->logged += a->count;
	sim_free(a->access);
	*a = (struct attempt){ .committed = a->committed + 1 };
}

static void on_add(void *state, uint64_t address, uint32_t old, uint32_t value)
{
	struct sim_check *check = state;
	uint32_t flags = sim_memory_read(check->added, address);

	if (!(flags & ADDED))
		sim_memory_write(check->found, address, old);
	else if (sim_memory_read(check->left, address) != old)
		flags |= BROKEN;
	sim_memory_write(check->added, address, flags | ADDED);
	sim_memory_write(check->left, address, old + value);
	check->exhausted |= check->added->exhausted || check->found->exhausted ||
			    check->left->exhausted;
}

static void on_cas(void *state, uint64_t address)
{
	struct sim_check *check = state;

	sim_memory_write(check->added, address, sim_memory_read(check->added, address) | STORED);
	check->exhausted |= check->added->exhausted;
}

static void on_placed(void *state, uint64_t address, uint32_t value, uint64_t place)
{
	struct sim_check *check = state;

	if (address >= check->workload->lock_base)
		return;
	if (!SIM_ROOM(check->placed, check->place_capacity, check->places + 1)) {
		check->exhausted = true;
		return;
	}
	check->placed[check->places] = (struct placed){ place, address, check->places, value };
	check->places++;
}

static bool forget_adds(struct sim_check *check)
{
	sim_memory_free(check->added);
	sim_memory_free(check->found);
	sim_memory_free(check->left);
	check->added = sim_memory_new();
	check->found = sim_memory_new();
	check->left = sim_memory_new();
	return check->added && check->found && check->left;
}

static void on_launch(void *state, const struct sim_memory *memory);

struct sim_check *sim_check_new(const struct sim_workload *workload)
{
	struct sim_check *check = sim_calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->workload = workload;
	check->threads = workload->most_threads > workload->threads ? workload->most_threads :
								      workload->threads;
	check->observer = (struct sim_observer){ check, on_load, on_store, on_abort, on_commit,
						on_add, on_cas, on_launch,
						on_placed };
	check->attempt = sim_calloc(check->threads, sizeof(*check->attempt));
	check->verdict = sim_calloc(1, sizeof(*check->verdict));
	if (forget_adds(check) && check->attempt && check->verdict)
		return check;
	sim_check_free(check);
	return NULL;
}

void sim_check_free(struct sim_check *check)
{
	if (!check)
		return;
	for (uint64_t i = 0; check->attempt && i < check->threads; i++)
		sim_free(check->attempt[i].access);
	sim_free(check->attempt);
	sim_free(check->verdict);
	sim_memory_free(check->added);
	sim_memory_free(check->found);
	sim_memory_free(check->left);
	sim_memory_free(check->start);
	sim_free(check->log);
	sim_free(check->commit);
	sim_free(check->placed);
	sim_free(check);
}

const struct sim_observer *sim_check_observer(struct sim_check *check)
{
	return &check->observer;
}

/* ---- replay ---- */

static bool fail(struct sim_verdict *verdict, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Keep the first failure; always false. */
static bool fail(struct sim_verdict *verdict, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (!verdict->failure[0])
		vsnprintf(verdict->failure, sizeof(verdict->failure), format, list);
	va_end(list);
	return false;
}

/* A word as the kernel's text spells it. */
static const char *name_of(const struct sim_check *check, uint64_t address, bool write,
			   char out[200])
{
	const struct sim_workload *workload = check->workload;

	if (workload->class->name_word)
		workload->class->name_word(workload, address, write, out, 200);
	else
		snprintf(out, 200, "0x%llx", (unsigned long long)address);
	return out;
}

static uint64_t address_of(const struct access *access)
{
	return (uint64_t)access->high << 32 | (access->low & ~3u);
}

static int by_witness(const void *a, const void *b)
{
	const struct committed *x = a, *y = b;

	return (x->witness > y->witness) - (x->witness < y->witness);
}

/* Perform a store of the serial order. */
static void put(const struct sim_check *check, struct sim_memory *memory, uint64_t address,
		uint32_t value)
{
	uint32_t flags = sim_memory_read(check->added, address);

	if (flags & ADDED)
		sim_memory_write(check->added, address, flags | STORED);
	sim_memory_write(memory, address, value);
}

/* Does the transaction take its place from the versions that it read? */
static bool by_version(const struct committed *commit)
{
	return commit->witness == SIM_NO_PLACE || commit->witness >> 62 == 1;
}

static bool replay_one(const struct sim_check *check, const struct committed *commit,
		       struct sim_memory *memory, struct sim_verdict *verdict)
{
	size_t place = (size_t)(commit - check->commit) + 1;
	const struct access *access = check->log + commit->start;

	for (uint32_t i = 0; i < commit->count; i++, access++) {
		uint64_t address = address_of(access);
		uint32_t serial;
		char name[200];

		if (access->low & WRITE) {
			put(check, memory, address, access->value);
			verdict->writes += i >= commit->plain;
			continue;
		}
		verdict->reads++;
		if (sim_memory_read(check->added, address) & ADDED)
			continue;
		serial = sim_memory_read(memory, address);
		if (serial != access->value)
			return fail(verdict,
				    "thread %u, transaction %u of the thread, access %u, at place "
				    "%zu of the serial order, read %u from %s where that order "
				    "gives %u",
				    commit->thread, commit->number, i - commit->plain + 1,
				    place, access->value,
				    name_of(check, address, false, name), serial);
	}
	return true;
}

/*
 * The position of an access among the accesses of its word. With witness w a transaction reads at 4
 * w and writes at 4 w + 1. Without a witness, or with one for its writes only, it reads just after
 * the writer of the version that it read.
 */
static uint64_t place_of(const struct committed *commit, const struct access *access)
{
	if (access->low & WRITE)
		return 4 * (commit->witness & ~SIM_BY_VERSION) + 1;
	if (by_version(commit))
		return 4 * (uint64_t)access->version + 2;
	return 4 * commit->witness;
}

/* Does the access constrain the place of its transaction? Plain stores, and reads of own writes, do
 * not. */
static bool tells(const struct committed *commit, uint32_t index, const struct access *access)
{
	bool own = !(access->low & WRITE) && access->version == SIM_OWN_VERSION &&
		   by_version(commit);

	return index >= commit->plain && !own;
}

/* For the graph, each transaction of a thread also writes a word of the thread's own; so program
 * order is kept. */
#define PROGRAM_ORDER (UINT64_C(1) << 63)

static size_t list_accesses(const struct sim_check *check, struct sim_order_access *to)
{
	size_t count = 0;

	for (size_t i = check->before; i < check->commits; i++) {
		const struct committed *commit = &check->commit[i];
		const struct access *access = check->log + commit->start;

		to[count++] = (struct sim_order_access){ PROGRAM_ORDER + commit->thread,
							 commit->number,
							 (uint32_t)(i - check->before), WRITE };
		for (uint32_t k = 0; k < commit->count; k++, access++)
			if (tells(commit, k, access))
				to[count++] = (struct sim_order_access){
					address_of(access), place_of(commit, access),
					(uint32_t)(i - check->before), access->low & WRITE };
	}
	return count;
}

/* One step of a cycle: which transaction must come before which, and why. */
static void say_step(const struct sim_check *check, const struct sim_order_access *before,
		     const struct sim_order_access *after, char *out, size_t size)
{
	const struct committed *first = &check->commit[check->before + before->node];
	const struct committed *second = &check->commit[check->before + after->node];
	char name[200];

	if (before->address >= PROGRAM_ORDER)
		snprintf(out, size, "thread %u made transaction %u of the thread before its "
				    "transaction %u", first->thread, first->number, second->number);
	else
		snprintf(out, size, "thread %u, transaction %u of the thread, %s %s before thread "
				    "%u, transaction %u of the thread, %s it", first->thread,
			 first->number, before->write ? "wrote" : "read",
			 name_of(check, before->address, before->write, name), second->thread,
			 second->number, after->write ? "wrote" : "read");
}

static bool fail_cycle(const struct sim_check *check, const struct sim_order_cycle *cycle,
		       long long waiting, struct sim_verdict *verdict)
{
	char text[SIM_ORDER_STEPS * 350] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < cycle->length && i < SIM_ORDER_STEPS; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, i ? "; " : ": ");
		say_step(check, &cycle->step[i].before, &cycle->step[i].after, text + used,
			 sizeof(text) - used);
		used += strlen(text + used);
	}
	return fail(verdict, "there is no serial order: %lld transactions wait for one another, "
			     "among them %u in a cycle%s%s", waiting, cycle->length, text,
		    cycle->length > SIM_ORDER_STEPS ? "; and so on" : "");
}

/* Give a place to each transaction, as the versions that it read allow. */
static bool place(struct sim_check *check, struct sim_verdict *verdict)
{
	struct committed *commit = check->commit + check->before;
	size_t n = check->commits - check->before;
	struct sim_order_access *access = sim_malloc((check->logged + n + 1) * sizeof(*access));
	struct committed *sorted = sim_malloc((n + 1) * sizeof(*sorted));
	uint32_t *order = sim_malloc((n + 1) * sizeof(*order));
	struct sim_order_cycle cycle;
	int64_t placed = -ENOMEM;

	if (access && sorted && order)
		placed = sim_order(access, list_accesses(check, access), (uint32_t)n, order,
				   &cycle);
	for (int64_t i = 0; i < placed; i++)
		sorted[i] = commit[order[i]];
	if (placed == (int64_t)n)
		memcpy(commit, sorted, n * sizeof(*sorted));
	sim_free(sorted);
	sim_free(access);
	sim_free(order);
	check->exhausted |= placed < 0;
	return placed == (int64_t)n ||
	       (placed >= 0 && fail_cycle(check, &cycle, (long long)n - placed, verdict));
}

/* Do the transactions of each thread come in program order? */
static bool in_program_order(struct sim_check *check, struct sim_verdict *verdict)
{
	uint32_t *last = sim_calloc(check->threads, sizeof(*last));
	bool right = true;

	check->exhausted |= !last;
	for (size_t i = check->before; last && right && i < check->commits; i++) {
		const struct committed *c = &check->commit[i];

		right = c->number > last[c->thread];
		if (!right)
			fail(verdict, "transaction %u of thread %u stands after transaction %u "
				      "of the thread in the serial order",
			     c->number, c->thread, last[c->thread]);
		last[c->thread] = c->number;
	}
	sim_free(last);
	return right;
}

/* Sort the transactions; false if two have the same place or some have none. */
static bool put_in_order(struct sim_check *check, struct sim_verdict *verdict)
{
	size_t n = check->commits - check->before;
	struct committed *first = n ? check->commit + check->before : NULL;

	if (!n)
		return true;
	qsort(first, n, sizeof(*first), by_witness);
	for (size_t i = 1; i < n; i++) {
		const struct committed *commit = &first[i];

		if (commit->witness != SIM_NO_PLACE && commit->witness == commit[-1].witness)
			return fail(verdict, "threads %u and %u both stand at place %zu of the "
					     "serial order", commit[-1].thread, commit->thread,
				    check->before + i);
	}
	for (size_t i = 0; i < n; i++)
		if (by_version(&first[i]))
			return place(check, verdict);
	return in_program_order(check, verdict);
}

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->place != y->place)
		return x->place > y->place ? 1 : -1;
	return x->number > y->number ? 1 : -1;
}

/* Perform the plain stores, from *next on, that come before a transaction with this witness. */
static void put_placed(const struct sim_check *check, struct sim_memory *memory, uint64_t witness,
		       size_t *next)
{
	for (; *next < check->places && check->placed[*next].place <= witness; ++*next)
		put(check, memory, check->placed[*next].address, check->placed[*next].value);
}

/* Replay all transactions in their order, and then the remaining plain stores. */
static bool replay(struct sim_check *check, struct sim_memory *memory,
		   struct sim_verdict *verdict)
{
	bool right = put_in_order(check, verdict);
	size_t i, next = 0;

	if (check->places)
		qsort(check->placed, check->places, sizeof(*check->placed), by_place);
	for (i = check->before; right && i < check->commits; i++) {
		put_placed(check, memory, check->commit[i].witness, &next);
		right = replay_one(check, &check->commit[i], memory, verdict);
	}
	put_placed(check, memory, UINT64_MAX, &next);
	for (i = 0; right && i < check->threads; i++) {
		const struct attempt *a = &check->attempt[i];

		if (a->count != a->plain)
			right = fail(verdict, "thread %zu ended inside a transaction, its number "
					      "%u, after %u accesses",
				     i, a->committed + 1, a->count - a->plain);
		for (uint32_t k = 0; k < a->plain; k++)
			put(check, memory, address_of(&a->access[k]), a->access[k].value);
	}
	return right;
}

/* Words that adds have changed hold what the run has left there. If only adds changed a word, each
 * add must have found what the add before it left. */
static bool look_at_adds(const struct sim_check *check, const struct sim_memory *memory,
			 struct sim_memory *serial, struct sim_verdict *verdict)
{
	const uint32_t *page;
	char name[200];

	for (uint64_t at = 0; (page = sim_memory_page(check->added, &at));
	     at += 1u << SIM_PAGE_BITS)
		for (uint64_t w = at; w < at + (1u << SIM_PAGE_BITS); w += 4) {
			uint32_t flags = page[(w - at) / 4], last = sim_memory_read(memory, w);

			if (!(flags & ADDED))
				continue;
			if (!(flags & STORED) &&
			    (flags & BROKEN || last != sim_memory_read(check->left, w) ||
			     sim_memory_read(serial, w) != sim_memory_read(check->found, w)))
				return fail(verdict, "the adds to %s did not find what those "
						     "before them left",
					    name_of(check, w, true, name));
			sim_memory_write(serial, w, last);
		}
	return true;
}

static bool same_memory(const struct sim_check *check, const struct sim_memory *memory,
			const struct sim_memory *serial, struct sim_verdict *verdict)
{
	uint64_t address;
	char name[200];

	return !sim_memory_differ(memory, serial, check->workload->lock_base, &address) ||
	       fail(verdict, "%s ends as %u and, in the serial order, as %u",
		    name_of(check, address, true, name), sim_memory_read(memory, address),
		    sim_memory_read(serial, address));
}

/* Replay the last launch, which has left this memory. */
static void judge_launch(struct sim_check *check, const struct sim_memory *memory)
{
	const struct sim_workload *workload = check->workload;
	struct sim_verdict *verdict = check->verdict;
	struct sim_memory *serial = check->start ? check->start : sim_memory_new();

	check->exhausted |= !serial;
	if (serial && !check->start)
		workload->class->setup(workload, serial);
	if (serial && !verdict->failure[0] && replay(check, serial, verdict) &&
	    look_at_adds(check, memory, serial, verdict))
		(void)same_memory(check, memory, serial, verdict);
	check->exhausted |= serial && serial->exhausted;
	sim_memory_free(serial);
	check->start = NULL;
	check->places = 0;
	check->before = check->commits;
}

static void on_launch(void *state, const struct sim_memory *memory)
{
	struct sim_check *check = state;

	judge_launch(check, memory);
	for (uint64_t i = 0; i < check->threads; i++)
		check->attempt[i].count = check->attempt[i].plain = 0;
	check->start = sim_memory_copy(memory);
	check->exhausted |= !forget_adds(check) || !check->start;
}

int sim_check_judge(struct sim_check *check, const struct sim_memory *memory,
		    struct sim_verdict *out)
{
	const struct sim_workload *workload = check->workload;
	uint64_t expected = workload->transactions;
	char broken[SIM_MESSAGE] = "";

	if (check->exhausted)
		return -ENOMEM;
	if (expected && check->commits != expected)
		fail(check->verdict, "%zu transactions were committed and not %llu%s%s",
		     check->commits, (unsigned long long)expected, workload->bare ? ": " : "",
		     workload->bare ? workload->bare : "");
	judge_launch(check, memory);
	*out = *check->verdict;
	out->transactions = check->commits;
	out->serializable = !out->failure[0];
	out->invariant = !workload->class->invariant ||
			 !workload->class->invariant(workload, memory, broken, sizeof(broken)) ||
			 fail(out, "the workload's invariant is broken: %s", broken);
	out->passed = out->serializable && out->invariant;
	return check->exhausted ? -ENOMEM : 0;
}

static void list_from(struct sim_access *to, const struct access *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = (struct sim_access){ address_of(&from[i]), from[i].value,
					     from[i].low & WRITE };
}

void sim_check_each(const struct sim_check *check, sim_access_fn fn, void *state)
{
	uint32_t most = 0;
	struct sim_access *list;

	for (size_t i = 0; i < check->commits; i++)
		most = check->commit[i].count > most ? check->commit[i].count : most;
	for (uint64_t i = 0; i < check->threads; i++)
		most = check->attempt[i].plain > most ? check->attempt[i].plain : most;
	list = sim_malloc(((size_t)most + 1) * sizeof(*list));
	for (size_t i = 0; list && i < check->commits; i++) {
		const struct committed *c = &check->commit[i];

		list_from(list, check->log + c->start, c->count);
		fn(state, c->thread, true, list, c->plain, c->count);
	}
	for (uint64_t i = 0; list && i < check->threads; i++) {
		const struct attempt *a = &check->attempt[i];

		list_from(list, a->access, a->plain);
		if (a->plain)
			fn(state, (uint32_t)i, false, list, a->plain, a->plain);
	}
	sim_free(list);
}
