/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel works on: arrays, edge lists, recorded outcomes, sets of threads. */
#include <errno.h>
#include <stdlib.h>

#include "edge_file.h"
#include "reader.h"

#define WHAT_LENGTH "the length in words"
#define WHAT_OUTCOMES "outcomes: 1 (taken) or 0 (not taken)"

uint32_t flow_find_array(const struct flow_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->array_count; i++)
		if (!strcmp(k->array[i].name, name))
			return (uint32_t)i;
	return FLOW_NONE;
}

uint32_t flow_find_trace(const struct flow_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->trace_count; i++)
		if (!strcmp(k->trace[i].name, name))
			return (uint32_t)i;
	return FLOW_NONE;
}

uint32_t flow_find_column(const struct flow_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->column_count; i++)
		if (!strcmp(k->column[i].name, name))
			return (uint32_t)i;
	return FLOW_NONE;
}

int flow_must_be_new(struct flow_reader *r, const char *name)
{
	if (flow_find_array(r->kernel, name) == FLOW_NONE &&
	    flow_find_column(r->kernel, name) == FLOW_NONE &&
	    flow_find_trace(r->kernel, name) == FLOW_NONE)
		return 0;
	return flow_say(r, r->line, "got \"%s\" a second time, expected a new name", name);
}

int flow_add_column(struct flow_reader *r, enum flow_column_kind kind, const char *name,
		    uint32_t value, uint16_t *out)
{
	struct flow_kernel *k = r->kernel;
	struct flow_column *column;

	if (k->column_count == 1024)
		return flow_say(r, r->line, "more than 1024 registers and constants");
	if (!flow_room((void **)&k->column, &r->columns, k->column_count, sizeof(*k->column)))
		return flow_no_memory(r);
	column = &k->column[k->column_count];
	memset(column, 0, sizeof(*column));
	column->kind = kind;
	column->value = value;
	snprintf(column->name, sizeof(column->name), "%s", name);
	*out = (uint16_t)k->column_count++;
	return 0;
}

/* `length` words of memory, all 0; lines of 128 bytes are not shared between arrays. */
static int add_words(struct flow_reader *r, uint32_t length, uint32_t *first)
{
	struct flow_kernel *k = r->kernel;
	size_t need = k->words + ((size_t)length + 31) / 32 * 32;
	uint32_t *bigger;

	if (need > FLOW_WORDS_MAX)
		return flow_say(r, r->line, "more than %u words of memory", FLOW_WORDS_MAX);
	bigger = realloc(k->word, need * sizeof(*bigger));
	if (!bigger)
		return flow_no_memory(r);
	memset(bigger + k->words, 0, (need - k->words) * sizeof(*bigger));
	*first = (uint32_t)k->words;
	k->word = bigger;
	k->words = need;
	return 0;
}

static int add_array(struct flow_reader *r, const char *name, uint32_t length, bool shared)
{
	struct flow_kernel *k = r->kernel;
	struct flow_array *array;
	uint32_t first = (uint32_t)k->shared_words;
	int error;

	if (k->array_count == 256)
		return flow_say(r, r->line, "more than 256 arrays");
	if (!flow_room((void **)&k->array, &r->arrays, k->array_count, sizeof(*k->array)))
		return flow_no_memory(r);
	error = shared ? 0 : add_words(r, length, &first);
	if (error)
		return error;
	if (shared)
		k->shared_words += length;
	array = &k->array[k->array_count++];
	memset(array, 0, sizeof(*array));
	snprintf(array->name, sizeof(array->name), "%s", name);
	array->first = first;
	array->length = length;
	array->shared = shared;
	return 0;
}

/* Numbers that anyone can draw again: SplitMix64 of the array's number and the index. */
static uint32_t draw(uint64_t array, uint64_t index, uint32_t low, uint32_t high)
{
	uint64_t z = (array << 32) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return low + (uint32_t)((z >> 32) * ((uint64_t)(high - low) + 1) >> 32);
}

static int read_random(struct flow_reader *r, uint32_t array)
{
	struct flow_array *a = &r->kernel->array[array];
	uint32_t low = 0, high = 0;
	int error;

	flow_next(r);
	error = flow_take_number(r, 0, UINT32_MAX, "the least value", &low);
	if (!error)
		error = flow_take_number(r, low, UINT32_MAX, "the greatest value", &high);
	if (error)
		return error;
	for (uint32_t i = 0; i < a->length; i++)
		r->kernel->word[a->first + i] = draw(array, i, low, high);
	return flow_take_end(r);
}

static int read_values(struct flow_reader *r, uint32_t array)
{
	struct flow_array *a = &r->kernel->array[array];
	uint32_t count = 0;

	flow_next(r);
	for (; r->token == FLOW_NUMBER; flow_next(r)) {
		if (count == a->length)
			return flow_say(r, r->line, "got more than %u values, expected at most "
						    "the length of the array", a->length);
		r->kernel->word[a->first + count++] = r->number;
	}
	return r->token == FLOW_WORD || r->token == FLOW_SIGN || r->token == FLOW_WRONG || !count ?
		       flow_unexpected(r, "a value, 0 .. 4294967295") :
		       0;
}

/* array NAME LENGTH [= VALUE... | random LEAST GREATEST] */
int flow_read_array(struct flow_reader *r)
{
	char name[FLOW_NAME_MAX];
	uint32_t length = 0;
	int error = flow_take_name(r, "the name of an array", name);

	if (!error)
		error = flow_must_be_new(r, name);
	if (!error)
		error = flow_take_number(r, 1, FLOW_WORDS_MAX, WHAT_LENGTH, &length);
	if (!error)
		error = add_array(r, name, length, false);
	if (error)
		return error;
	if (flow_is(r, FLOW_SIGN, "="))
		return read_values(r, (uint32_t)r->kernel->array_count - 1);
	if (flow_is(r, FLOW_WORD, "random"))
		return read_random(r, (uint32_t)r->kernel->array_count - 1);
	return flow_take_end(r);
}

/* shared NAME LENGTH */
int flow_read_shared(struct flow_reader *r)
{
	char name[FLOW_NAME_MAX];
	uint32_t length = 0;
	int error = flow_take_name(r, "the name of an array", name);

	if (!error)
		error = flow_must_be_new(r, name);
	if (!error)
		error = flow_take_number(r, 1, 1u << 16, WHAT_LENGTH, &length);
	if (!error && r->kernel->shared_words + length > 1u << 16)
		return flow_say(r, r->line, "more than 65536 shared words");
	if (!error)
		error = add_array(r, name, length, true);
	return error ? error : flow_take_end(r);
}

/* ---- edge lists ---- */

/* The edges as two arrays: NAME.first[vertices + 1] into NAME.to[edges]. */
static int add_graph(struct flow_reader *r, const struct sim_edges *edges, const char *name)
{
	char part[FLOW_NAME_MAX + 16];
	struct flow_kernel *k = r->kernel;
	uint32_t *first, *to;
	uint16_t column;
	int error;

	snprintf(part, sizeof(part), "%s.first", name);
	error = add_array(r, part, edges->vertices + 1, false);
	snprintf(part, sizeof(part), "%s.to", name);
	if (!error)
		error = add_array(r, part, edges->count, false);
	snprintf(part, sizeof(part), "%s.vertices", name);
	if (!error)
		error = flow_add_column(r, FLOW_CONSTANT, part, edges->vertices, &column);
	if (error)
		return error;
	first = k->word + k->array[k->array_count - 2].first;
	to = k->word + k->array[k->array_count - 1].first;
	for (uint32_t i = 0; i < edges->count; i++)
		first[edges->end[i][0] + 1]++;
	for (uint32_t v = 0; v < edges->vertices; v++)
		first[v + 1] += first[v];
	for (uint32_t i = edges->count; i--;) /* first[v + 1] goes down to where v's edges start */
		to[--first[edges->end[i][0] + 1]] = edges->end[i][1];
	for (uint32_t v = 0; v < edges->vertices; v++)
		first[v] = first[v + 1];
	first[edges->vertices] = edges->count;
	return 0;
}

static int read_graph_file(struct flow_reader *r, const char *name, const char *file)
{
	FILE *in = r->files ? r->files->open(r->files->state, file) : NULL;
	struct sim_edges edges;
	int error;

	if (!in)
		return flow_say(r, r->line, "the edge list \"%s\" cannot be opened beside the "
					    "kernel", file);
	error = sim_edges_read(in, file, &edges, r->message, r->message_size);
	fclose(in);
	if (error)
		return error;
	error = add_graph(r, &edges, name);
	sim_edges_free(&edges);
	return error;
}

/* graph NAME FILE */
int flow_read_graph(struct flow_reader *r)
{
	char name[FLOW_NAME_MAX], file[FLOW_NAME_MAX];
	int error = flow_take_name(r, "the name of a graph", name);

	if (!error && strlen(name) > 20)
		return flow_say(r, r->line, "got \"%s\", expected a name of at most 20 "
					    "characters", name);
	if (!error)
		error = flow_take_name(r, "a file of edges beside the kernel", file);
	if (!error)
		error = flow_take_end(r);
	if (!error)
		error = flow_must_be_new(r, name);
	for (int i = 0; !error && i < 3; i++) {
		static const char *const parts[] = { "first", "to", "vertices" };
		char part[FLOW_NAME_MAX];

		snprintf(part, sizeof(part), "%.20s.%s", name, parts[i]);
		error = flow_must_be_new(r, part);
	}
	return error ? error : read_graph_file(r, name, file);
}

/* ---- threads and what they did ---- */

static int take_thread(struct flow_reader *r, uint32_t *thread)
{
	if (r->token == FLOW_NUMBER && r->number >= r->kernel->threads)
		return flow_say(r, r->line, "thread %u is outside the block of %u threads",
				r->number, r->kernel->threads);
	return flow_take_number(r, 0, r->kernel->threads - 1, "the number of a thread", thread);
}

/* The numbers of one or more threads. */
int flow_read_list(struct flow_reader *r, uint16_t *out)
{
	struct flow_kernel *k = r->kernel;
	struct flow_list *list;
	uint32_t thread = 0;
	int error = 0;

	if (k->list_count == UINT16_MAX)
		return flow_say(r, r->line, "more than %u lists of threads", UINT16_MAX);
	if (!flow_room((void **)&k->list, &r->lists, k->list_count, sizeof(*k->list)))
		return flow_no_memory(r);
	list = &k->list[k->list_count];
	memset(list, 0, sizeof(*list));
	do {
		error = take_thread(r, &thread);
		if (!error)
			list->bits[thread / 32] |= UINT32_C(1) << thread % 32;
	} while (!error && r->token == FLOW_NUMBER);
	if (!error)
		*out = (uint16_t)k->list_count++;
	return error;
}

static int new_trace(struct flow_reader *r, const char *name, uint32_t *out)
{
	struct flow_kernel *k = r->kernel;
	struct flow_trace *trace;
	int error = flow_must_be_new(r, name);

	if (error)
		return error;
	if (k->trace_count == 256)
		return flow_say(r, r->line, "more than 256 traces");
	if (!flow_room((void **)&k->trace, &r->traces, k->trace_count, sizeof(*k->trace)))
		return flow_no_memory(r);
	trace = &k->trace[k->trace_count++];
	memset(trace, 0, sizeof(*trace));
	snprintf(trace->name, sizeof(trace->name), "%s", name);
	trace->line = r->line;
	trace->first = calloc(k->threads, sizeof(*trace->first));
	trace->count = calloc(k->threads, sizeof(*trace->count));
	*out = (uint32_t)k->trace_count - 1;
	if (!trace->first || !trace->count)
		return flow_no_memory(r);
	return flow_add_column(r, FLOW_COUNTER, "", 0, &trace->counter);
}

/* Outcomes up to the end of the line. */
static int read_outcomes(struct flow_reader *r, struct flow_trace *trace, uint32_t thread)
{
	trace->first[thread] = (uint32_t)trace->used;
	for (; r->at < r->end && *r->at != '\n' && *r->at != '#' && *r->at != '\r'; r->at++) {
		if (*r->at == ' ' || *r->at == '\t')
			continue;
		if (*r->at != '0' && *r->at != '1') {
			flow_next(r);
			return flow_unexpected(r, WHAT_OUTCOMES);
		}
		if (trace->used >= FLOW_WORDS_MAX)
			return flow_say(r, r->line, "more than %u outcomes", FLOW_WORDS_MAX);
		if (!flow_room((void **)&trace->outcome, &trace->capacity, trace->used,
			       sizeof(*trace->outcome)))
			return flow_no_memory(r);
		trace->outcome[trace->used++] = *r->at == '1';
		trace->count[thread]++;
	}
	flow_next(r);
	return trace->count[thread] ? 0 : flow_unexpected(r, WHAT_OUTCOMES);
}

/* trace NAME THREAD OUTCOMES */
int flow_read_trace(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;
	char name[FLOW_NAME_MAX];
	uint32_t thread = 0, trace;
	int error = flow_take_name(r, "the name of a trace", name);

	if (error)
		return error;
	trace = flow_find_trace(k, name);
	error = trace == FLOW_NONE ? new_trace(r, name, &trace) : 0;
	if (error)
		return error;
	if (r->token != FLOW_NUMBER || r->number >= k->threads)
		return take_thread(r, &thread);
	thread = r->number; /* and r->at is behind it */
	if (k->trace[trace].count[thread])
		return flow_say(r, r->line, "got thread %u a second time, expected each thread of "
					    "a trace once", thread);
	return read_outcomes(r, &k->trace[trace], thread);
}
