/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of transaction traces. One pass over the characters: a token at a time
 * is taken into a small buffer, so that a line may be of any length; a token that
 * is too long for the buffer cannot be right and is shown cut. Where the input ends
 * in the midst of a line that is not whole, a message says that the file may be truncated.
 */
#include "trace_file.h"
#include "../base/arena.h"
#include "../base/quote.h"
#include "../base/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define TOKEN_MAX 64

struct reader {
	struct sim_source source;
	const char *name;
	char *message;
	size_t size; /* of message */
	uint32_t line;
	int next; /* one character ahead, or EOF; a line ends with '\n' */
	char token[TOKEN_MAX];
	bool announced;
	uint32_t announcement;
	uint32_t *thread; /* [transaction_capacity] */
	size_t transaction_capacity, start_capacity, access_capacity;
	struct sim_trace trace;
};

static int say(struct reader *r, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int say(struct reader *r, int error, const char *format, ...)
{
	va_list list;
	int used = snprintf(r->message, r->size, "%s:%u: ", r->name, r->line);

	va_start(list, format);
	if ((size_t)used < r->size)
		vsnprintf(r->message + used, r->size - (size_t)used, format, list);
	va_end(list);
	return error;
}

static int truncated(struct reader *r)
{
	return say(r, -EINVAL, "truncated: %u transactions announced, %u read", r->announcement,
		   r->trace.transactions);
}

static void advance(struct reader *r)
{
	r->next = sim_source_next(&r->source);
}

/* Name what was read in place of what was expected. */
static int unexpected(struct reader *r, const char *expected)
{
	char got[2 * TOKEN_MAX], cut[80] = "";

	while (r->next != '\n')
		advance(r);
	if (r->source.cut && r->announced)
		return truncated(r);
	if (r->source.cut)
		snprintf(cut, sizeof(cut), " (is the file truncated? %u transactions read)",
			 r->trace.transactions);
	if (!r->token[0])
		return say(r, -EINVAL, "got end of line, expected %s%s", expected, cut);
	sim_quote(r->token, got, sizeof(got));
	return say(r, -EINVAL, "got \"%s\", expected %s%s", got, expected, cut);
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t';
}

/* Read the next token of this line, empty at its end. False if it is longer than any valid
 * token. */
static bool take(struct reader *r)
{
	size_t length = 0;
	bool fits = true;

	while (is_blank(r->next))
		advance(r);
	while (!is_blank(r->next) && r->next != '\n') {
		if (length < TOKEN_MAX - 4)
			r->token[length++] = (char)(r->next ? r->next : '?');
		else
			fits = false;
		advance(r);
	}
	r->token[length] = '\0';
	if (!fits)
		strcpy(r->token + length, "...");
	return fits;
}

static int header(struct reader *r)
{
	const char *text = r->token;
	uint64_t announced;

	take(r);
	if (!strcmp(r->token, "#"))
		take(r);
	if (!strcmp(r->token, "transactions:") || !strcmp(r->token, "#transactions:")) {
		if (!take(r) || sim_number(&text, 10, UINT32_MAX, &announced) != SIM_NUMBER ||
		    *text || !announced)
			return unexpected(r, "the number of transactions, 1 .. 4294967295");
		r->announcement = (uint32_t)announced;
		r->announced = true;
	}
	while (r->next != '\n')
		advance(r);
	return 0;
}

static int access(struct reader *r)
{
	struct sim_trace *t = &r->trace;
	const char *text = r->token + 1;
	uint64_t address = 0, value;
	enum sim_number is;

	if (r->token[0] != 'r' && r->token[0] != 'w')
		return unexpected(r, "an access rADDRESS=VALUE or wADDRESS=VALUE");
	is = sim_number(&text, 16, SIM_TRACE_HIGHEST, &address);
	if (is == SIM_NO_NUMBER || *text != '=')
		return unexpected(r, "a hexadecimal address and \"=\" after the r or w");
	if (is == SIM_TOO_LARGE || address < SIM_TRACE_LOWEST)
		return unexpected(r, "an address within 1000 .. 7ffffffc, as this one is out of "
				     "range");
	if (address & 3)
		return unexpected(r, "an address that is a multiple of 4 in 1000 .. 7ffffffc");
	text++;
	is = sim_number(&text, 16, UINT32_MAX, &value);
	if (is == SIM_TOO_LARGE)
		return unexpected(r, "a value within 0 .. ffffffff, as this one is out of range");
	if (is == SIM_NO_NUMBER || *text)
		return unexpected(r, "a hexadecimal value after \"=\"");
	if (t->accesses == UINT32_MAX || !SIM_ROOM(t->access, r->access_capacity, t->accesses + 1u))
		return say(r, -ENOMEM, "out of memory after %u accesses", t->accesses);
	t->access[t->accesses++] = (uint32_t)address | (r->token[0] == 'w');
	return 0;
}

static int transaction(struct reader *r)
{
	struct sim_trace *t = &r->trace;
	const char *text = r->token;
	uint32_t first = t->accesses;
	uint64_t thread;
	int error = 0;

	if (take(r) && !r->token[0])
		return 0; /* an empty line */
	if (strcmp(r->token, "t"))
		return unexpected(r, r->token[0] == '#' ?
				     "a transaction: header lines stand before all of them" :
				     "a transaction \"t THREAD ACCESS ...\"");
	if (!take(r) || sim_number(&text, 10, UINT32_MAX, &thread) != SIM_NUMBER || *text)
		return unexpected(r, "a decimal thread number in 0 .. 4294967295");
	while (!error && r->next != '\n') {
		if (!take(r))
			return unexpected(r, "an access rADDRESS=VALUE or wADDRESS=VALUE");
		if (r->token[0])
			error = access(r);
	}
	if (error)
		return error;
	if (t->accesses == first) {
		r->token[0] = '\0';
		return unexpected(r, "at least one access");
	}
	if (r->announced && t->transactions == r->announcement)
		return say(r, -EINVAL, "got one more transaction, expected the end after the "
				       "%u announced", r->announcement);
	if (!SIM_ROOM(r->thread, r->transaction_capacity, t->transactions + 1u) ||
	    !SIM_ROOM(t->start, r->start_capacity, t->transactions + 2u))
		return say(r, -ENOMEM, "out of memory after %u transactions", t->transactions);
	r->thread[t->transactions] = (uint32_t)thread;
	t->start[t->transactions++] = first;
	t->start[t->transactions] = t->accesses;
	return 0;
}

static int lines(struct reader *r)
{
	int error = 0;

	for (advance(r), r->line = 1; !error && r->next != EOF; r->line++) {
		if (r->next == '#' && !r->trace.transactions)
			error = header(r);
		else
			error = transaction(r);
		if (error)
			return error;
		advance(r);
	}
	if (r->source.wrong)
		return say(r, -EINVAL, "%s", r->source.wrong);
	if (ferror(r->source.file))
		return say(r, -EIO, "cannot read on: %s", strerror(errno));
	if (r->announced && r->trace.transactions < r->announcement)
		return truncated(r);
	if (!r->trace.transactions)
		return say(r, -EINVAL, "got end of file, expected a transaction "
				       "\"t THREAD ACCESS ...\"");
	return 0;
}

struct by_thread {
	uint32_t thread, index;
};

static int compare(const void *a, const void *b)
{
	const struct by_thread *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Transactions by ascending thread; threads become 0, 1, ... */
static int sort(struct reader *r)
{
	struct sim_trace *t = &r->trace;
	struct by_thread *key = sim_malloc(t->transactions * sizeof(*key));
	uint32_t i;

	t->order = sim_malloc(t->transactions * sizeof(*t->order));
	t->first = sim_malloc((t->transactions + 1u) * sizeof(*t->first));
	if (!key || !t->order || !t->first) {
		sim_free(key);
		return say(r, -ENOMEM, "out of memory after %u transactions", t->transactions);
	}
	for (i = 0; i < t->transactions; i++)
		key[i] = (struct by_thread){ r->thread[i], i };
	qsort(key, t->transactions, sizeof(*key), compare);
	for (i = 0; i < t->transactions; i++) {
		t->order[i] = key[i].index;
		if (!i || key[i].thread != key[i - 1].thread)
			t->first[t->threads++] = i;
	}
	t->first[t->threads] = t->transactions;
	sim_free(key);
	return 0;
}

int sim_trace_read(FILE *in, const char *name, struct sim_trace *out,
		   char *message, size_t size)
{
	struct reader r = { .name = name, .message = message, .size = size };
	int error;

	sim_source_begin(&r.source, in);
	error = lines(&r);

	if (!error)
		error = sort(&r);
	sim_free(r.thread);
	if (error)
		sim_trace_free(&r.trace);
	else
		*out = r.trace;
	return error;
}

void sim_trace_free(struct sim_trace *trace)
{
	sim_free(trace->first);
	sim_free(trace->order);
	sim_free(trace->start);
	sim_free(trace->access);
	memset(trace, 0, sizeof(*trace));
}
