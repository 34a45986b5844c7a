/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of a kernel: arrays, edge lists, recorded outcomes, sets of threads. */
#include "edge_file.h"
#include "reader.h"
#include "../base/arena.h"

#define WORDS_MAX (1u << 30) /* bytes of an array */
#define ONE_CORE_WORDS (1u << 24) /* bytes of all arrays, on one core */
#define SHARED_WORDS (1u << 16)
#define WHAT_OUTCOMES "outcomes: 1 (taken) or 0 (not taken)"

/* ---- arrays ---- */

/* Take bytes of global memory. Each array begins at an aligned address of its own. */
static uint64_t take_bytes(const struct kernel *k, uint64_t *end, uint64_t bytes)
{
	uint64_t align = k->launched ? 128 : 256;
	uint64_t start = (*end + align - 1) / align * align;

	*end = start + bytes;
	return start;
}

static void place_array(struct reader *r, struct kernel_array *array)
{
	struct kernel *k = r->kernel;
	uint64_t words = (uint64_t)array->length * array->words;

	if (words > WORDS_MAX)
		say(r, "%s has more than %u words", array->name, WORDS_MAX);
	if (array->kind == KERNEL_TABLE) {
		array->base = k->table_words;
		k->table_words += words;
	} else if (array->kind == KERNEL_SHARED) {
		array->base = 4 * k->shared_words;
		k->shared_words += words;
	} else if (array->kind == KERNEL_GLOBAL) {
		array->base = take_bytes(k, &k->end, 4 * words);
	}
	if (k->shared_words > SHARED_WORDS)
		say(r, "more than %u shared words", SHARED_WORDS);
	if (k->launched && k->end > 4 * ONE_CORE_WORDS)
		say(r, "more than %u words of memory", ONE_CORE_WORDS);
	if (k->table_words > WORDS_MAX)
		say(r, "more than %u words of tables", WORDS_MAX);
}

/* NULL after an error. */
static struct kernel_array *add_array(struct reader *r, const char *name,
				      enum kernel_array_kind kind, uint32_t length)
{
	struct kernel *k = r->kernel;
	struct kernel_array *array;

	if (k->arrays == 256)
		say(r, "more than 256 arrays");
	if (r->error || !ROOM(r, k->array, r->arrays, k->arrays + 1))
		return NULL;
	array = &k->array[k->arrays];
	memset(array, 0, sizeof(*array));
	snprintf(array->name, sizeof(array->name), "%s", name);
	array->kind = kind;
	array->length = length;
	array->words = 1;
	add_name(r, name, NAME_ARRAY, (uint32_t)k->arrays++);
	return array;
}

/* The array of --edges must have two words for each edge. */
static void find_edges(struct reader *r)
{
	struct kernel *k = r->kernel;
	const struct name *name = find_name(r, r->edges.text);
	const struct kernel_array *array = name && name->kind == NAME_ARRAY ?
						   &k->array[name->index] : NULL;

	if (!r->edges.line)
		return;
	if (!array || array->kind != KERNEL_GLOBAL || array->words != 2 ||
	    array->length < r->request->edges)
		say_at(r, r->edges.line, r->edges.index,
		       "%s is no array of two words for each edge", r->edges.text);
	else
		k->edges = (uint16_t)name->index;
}

/* Look up the array that the `words` line named, and check that the words fit. */
static void find_words(struct reader *r)
{
	struct kernel *k = r->kernel;
	const struct name *name = *r->words.text ? find_name(r, r->words.text) : NULL;
	const struct kernel_array *array;

	if (name && name->kind == NAME_ARRAY && k->array[name->index].kind == KERNEL_GLOBAL)
		k->keys = (uint16_t)name->index;
	else if (*r->words.text)
		say_at(r, r->words.line, r->words.index, "%s is no array", r->words.text);
	if (!k->word.count || r->error)
		return;
	array = &k->array[k->keys];
	if (k->word.count >= array->length)
		say_at(r, r->words.line, r->words.index,
		       "the file has %u words, expected at most %u: those of %s from index 1 on",
		       k->word.count, array->length - 1, array->name);
	if (k->threads > k->word.count)
		say_at(r, r->words.line, r->words.index,
		       "the file has %u words, expected one for each of %llu threads",
		       k->word.count, (unsigned long long)k->threads);
}

/* Read the numbers of a table from a file that holds nothing else. */
static void read_numbers(struct reader *r, const struct text *text)
{
	struct kernel *k = r->kernel;
	const struct kernel_array *table = &k->array[text->table];
	uint32_t count = table->length * table->words, at = 0;
	char what[80];

	read_in(r, text);
	next_token(r);
	while (r->token != TOKEN_END_OF_FILE) {
		if (r->token == TOKEN_END_OF_LINE) {
			next_token(r);
		} else if (at == count) {
			say(r, "got \"%s\", expected the end of the file: table %s has %u words",
			    r->text, table->name, count);
		} else {
			snprintf(what, sizeof(what), "number %u of %u of table %s", at + 1, count,
				 table->name);
			k->table[table->base + at++] = take_number(r, 0, UINT32_MAX, what);
		}
	}
	if (at != count)
		say(r, "got the end of the file after %u numbers, expected the %u of table %s", at,
		    count, table->name);
}

/* Place the locks after all data; then every array has its address. */
void lay_out(struct reader *r)
{
	struct kernel *k = r->kernel;
	uint64_t end = k->end;

	find_edges(r);
	find_words(r);
	k->lock_base = take_bytes(k, &end, 4);
	for (size_t i = 0; i < k->arrays; i++)
		if (k->array[i].kind == KERNEL_LOCK_WORDS)
			k->array[i].base = take_bytes(k, &end, 4ull * k->array[i].length *
								       k->array[i].words);
	k->memory_end = end;
	for (size_t i = 0; i < k->places; i++) {
		struct kernel_place *p = &k->place[i];
		const struct kernel_array *array = &k->array[p->array];

		p->base = array->base + (array->kind == KERNEL_TABLE ? 1 : 4) * p->offset;
	}
	k->table = sim_calloc(k->table_words + 1, sizeof(*k->table));
	if (!k->table)
		no_memory(r);
	for (const struct text *text = r->included; !r->error && text; text = text->next)
		if (text->table != KERNEL_NONE)
			read_numbers(r, text);
}

/* Numbers anyone can reproduce: SplitMix64 of the array's number and the index. */
static uint32_t draw(uint64_t array, uint64_t index, uint32_t low, uint32_t high)
{
	uint64_t z = (array << 32) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return low + (uint32_t)((z >> 32) * ((uint64_t)(high - low) + 1) >> 32);
}

static void give(struct reader *r, const struct kernel_array *array, uint32_t index,
		 uint32_t value)
{
	sim_memory_write(r->kernel->initial, array->base + 4ull * index, value);
}

/* random LEAST GREATEST */
static void read_drawn(struct reader *r, const struct kernel_array *array)
{
	uint32_t low, high;

	next_token(r);
	low = take_number(r, 0, UINT32_MAX, "the least value");
	high = take_number(r, low, UINT32_MAX, "the greatest value");
	for (uint32_t i = 0; !r->error && i < array->length; i++)
		give(r, array, i, draw((uint64_t)(array - r->kernel->array), i, low, high));
}

/* = VALUE ... */
static void read_values(struct reader *r, const struct kernel_array *array)
{
	uint32_t count = 0;

	next_token(r);
	for (; r->token == TOKEN_NUMBER; next_token(r)) {
		if (count == array->length)
			say(r, "got more than %u values, expected at most the length of the array",
			    count);
		else
			give(r, array, count++, r->number);
	}
	if (!count || !at_end(r))
		unexpected(r, "a value, 0 .. 4294967295");
}

static void add_field(struct reader *r, struct kernel_array *array, size_t *room)
{
	struct kernel_field *field;

	if (!ROOM(r, array->field, *room, array->fields + 1))
		return;
	field = &array->field[array->fields];
	memset(field, 0, sizeof(*field));
	for (size_t i = 0; i < array->fields; i++)
		if (r->token == TOKEN_WORD && same(array->field[i].name, r->text))
			say(r, "got field \"%s\" a second time", r->text);
	take_name(r, "the name of a field", field->name);
	field->offset = array->words;
	field->count = 1;
	if (at_sign(r, "[")) {
		next_token(r);
		field->count = read_constant(r, 1, 65536, "the words of a field");
		take_sign(r, "]");
	}
	array->fields++;
	array->words += field->count;
}

/* { FIELD FIELD[WORDS] ... } */
static void read_fields(struct reader *r, struct kernel_array *array)
{
	size_t room = 0;

	next_token(r);
	array->words = 0;
	while (!r->error && !at_sign(r, "}"))
		add_field(r, array, &room);
	if (!array->fields)
		unexpected(r, "the name of a field");
	take_sign(r, "}");
}

static enum kernel_array_kind array_kind(const char *word)
{
	return same(word, "locks")  ? KERNEL_LOCK_WORDS :
	       same(word, "shared") ? KERNEL_SHARED :
	       same(word, "table")  ? KERNEL_TABLE :
					 KERNEL_GLOBAL;
}

/* array|locks|shared|table NAME LENGTH [{ FIELDS }] [= VALUES | random LEAST GREATEST] */
void read_array(struct reader *r)
{
	enum kernel_array_kind kind = array_kind(r->text);
	char name[KERNEL_NAME_MAX];
	struct kernel_array *array;
	uint32_t length;

	next_token(r);
	take_new_name(r, "the name of an array", name);
	length = read_constant(r, 1, kind == KERNEL_SHARED ? SHARED_WORDS :
			       r->kernel->launched	   ? ONE_CORE_WORDS : WORDS_MAX,
			       "the length in words");
	array = add_array(r, name, kind, length);
	if (!array)
		return;
	if (at_sign(r, "{"))
		read_fields(r, array);
	place_array(r, array);
	if (kind == KERNEL_GLOBAL && at_sign(r, "="))
		read_values(r, array);
	else if (kind == KERNEL_GLOBAL && at_word(r, "random"))
		read_drawn(r, array);
}

/* ---- edge lists ---- */

/* NULL after an error. */
static const struct kernel_array *add_part(struct reader *r, const char *name, const char *part,
					   uint32_t length)
{
	struct kernel_array *array;
	char whole[KERNEL_NAME_MAX];

	snprintf(whole, sizeof(whole), "%.20s.%s", name, part);
	must_be_new(r, whole);
	array = add_array(r, whole, KERNEL_GLOBAL, length);
	if (array)
		place_array(r, array);
	return r->error ? NULL : array;
}

/* Stores the edges as two arrays: NAME.first[vertices + 1] holds indices into NAME.to[edges]. */
static void add_graph(struct reader *r, const struct sim_edges *edges, const char *name)
{
	uint32_t *first = sim_calloc(edges->vertices + 2, sizeof(*first));
	const struct kernel_array *array;
	char vertices[KERNEL_NAME_MAX];

	if (!first) {
		no_memory(r);
		return;
	}
	for (uint32_t i = 0; i < edges->count; i++)
		first[edges->end[i][0] + 1]++;
	array = add_part(r, name, "first", edges->vertices + 1);
	for (uint32_t v = 0; array && v < edges->vertices; v++) {
		first[v + 1] += first[v];
		give(r, array, v + 1, first[v + 1]);
	}
	array = add_part(r, name, "to", edges->count);
	for (uint32_t i = 0; array && i < edges->count; i++)
		give(r, array, first[edges->end[i][0]]++, edges->end[i][1]);
	snprintf(vertices, sizeof(vertices), "%.20s.vertices", name);
	add_name(r, vertices, NAME_PARAM, edges->vertices);
	sim_free(first);
}

/* graph NAME FILE [renumbered] */
void read_graph(struct reader *r)
{
	char name[KERNEL_NAME_MAX], file[KERNEL_PATH_MAX];
	struct sim_edges edges;
	bool renumber;
	FILE *in;

	next_token(r);
	take_new_name(r, "the name of a graph", name);
	if (strlen(name) > 20)
		say(r, "got \"%s\", expected a name of at most 20 characters", name);
	in = open_file(r, file);
	if (!in)
		return;
	next_token(r);
	renumber = at_word(r, "renumbered");
	keep_error(r, sim_edges_read(in, file, renumber, &edges, r->message, r->message_size));
	fclose(in);
	if (r->error)
		return;
	if (renumber)
		next_token(r);
	add_graph(r, &edges, name);
	sim_edges_free(&edges);
}

/* ---- sets of threads, and recorded outcomes ---- */

static uint32_t take_thread(struct reader *r)
{
	uint32_t threads = r->kernel->block_threads;

	if (r->token == TOKEN_NUMBER && r->number >= threads)
		say(r, "thread %u is outside the block of %u threads", r->number, threads);
	return take_number(r, 0, threads - 1, "the number of a thread");
}

uint32_t read_list(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_list *list;

	if (!ROOM(r, k->list, r->lists, k->lists + 1))
		return KERNEL_NONE;
	list = &k->list[k->lists];
	memset(list, 0, sizeof(*list));
	do {
		uint32_t thread = take_thread(r);

		list->bits[thread / 32] |= UINT32_C(1) << thread % 32;
	} while (r->token == TOKEN_NUMBER);
	return (uint32_t)k->lists++;
}

/* NULL after an error. */
static struct kernel_trace *new_trace(struct reader *r, const char *name)
{
	struct kernel *k = r->kernel;
	struct kernel_trace *trace;

	if (k->traces == 256)
		say(r, "more than 256 traces");
	if (r->error || !ROOM(r, k->trace, r->traces, k->traces + 1))
		return NULL;
	trace = &k->trace[k->traces];
	memset(trace, 0, sizeof(*trace));
	snprintf(trace->name, sizeof(trace->name), "%.*s", (int)KERNEL_NAME_MAX - 1, name);
	trace->line = r->line;
	trace->counter = KERNEL_NO_COLUMN;
	trace->first = sim_calloc(k->block_threads, sizeof(*trace->first));
	trace->count = sim_calloc(k->block_threads, sizeof(*trace->count));
	if (!trace->first || !trace->count)
		no_memory(r);
	add_name(r, name, NAME_TRACE, (uint32_t)k->traces++);
	return r->error ? NULL : trace;
}

/* Outcomes up to the end of the line. */
static void read_outcomes(struct reader *r, struct kernel_trace *trace, uint32_t thread)
{
	trace->first[thread] = (uint32_t)trace->used;
	for (; r->at < r->end && *r->at != '\n' && *r->at != '#'; r->at++) {
		if (*r->at == ' ' || *r->at == '\t')
			continue;
		if (*r->at != '0' && *r->at != '1')
			break;
		if (trace->used >= ONE_CORE_WORDS)
			say(r, "more than %u outcomes", ONE_CORE_WORDS);
		if (r->error || !ROOM(r, trace->outcome, trace->capacity, trace->used + 1))
			return;
		trace->outcome[trace->used++] = *r->at == '1';
		trace->count[thread]++;
	}
	next_token(r);
	if (!trace->count[thread] || !at_end(r))
		unexpected(r, WHAT_OUTCOMES);
}

/* trace NAME THREAD OUTCOMES */
void read_trace(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_trace *trace = NULL;
	const struct name *name;
	uint32_t thread;

	next_token(r);
	if (r->token != TOKEN_WORD)
		unexpected(r, "the name of a trace");
	name = find_name(r, r->text);
	if (name && name->kind == NAME_TRACE) {
		trace = &k->trace[name->index];
	} else {
		must_be_new(r, r->text);
		trace = new_trace(r, r->text);
	}
	next_token(r);
	if (!trace)
		return;
	if (r->token != TOKEN_NUMBER || r->number >= k->block_threads) {
		take_thread(r);
		return;
	}
	thread = r->number; /* and r->at is after it */
	if (trace->count[thread])
		say(r, "got thread %u a second time, expected each thread of a trace once",
		    thread);
	else
		read_outcomes(r, trace, thread);
}
