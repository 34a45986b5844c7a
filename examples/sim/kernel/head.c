/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a kernel file: the launch, the params and variants, and the names. */
#include <errno.h>

#include "reader.h"
#include "../base/arena.h"

/* ---- names with a value ---- */

static int take_new_name(struct reader *r, const char *what, char out[KERNEL_NAME_MAX])
{
	int error = r->token == TOKEN_WORD ? must_be_new(r, r->text) : 0;

	return error ? error : take_name(r, what, out);
}

/* The value of a param: the one asked for, else the variant's, else the default. */
static uint32_t param_value(const struct reader *r, size_t index)
{
	const struct kernel_request *request = r->request;

	size_t fixed = request->variant ? request->variant->params : 0;

	return index < fixed  ? request->variant->value[index] :
	       request->value ? request->value[index - fixed] :
				r->kernel->param[index].standard;
}

/* param NAME DEFAULT LEAST GREATEST "TEXT" */
static int read_param(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_param *p;
	int error;

	if (k->params == KERNEL_PARAMS_MAX)
		return say(r, "more than %u params", KERNEL_PARAMS_MAX);
	if (!SIM_ROOM(k->param, r->params, k->params + 1))
		return no_memory(r);
	p = &k->param[k->params];
	memset(p, 0, sizeof(*p));
	error = take_new_name(r, "the name of a param", p->name);
	if (!error)
		error = take_number(r, 0, UINT32_MAX, "the default", &p->standard);
	if (!error)
		error = take_number(r, 0, p->standard, "the least value, not above the default",
				    &p->least);
	if (!error)
		error = take_number(r, p->standard, UINT32_MAX,
				    "the greatest value, not below the default", &p->greatest);
	if (!error)
		error = take_text(r, "what it says, in quotes", &p->text);
	if (error)
		return error;
	p->value = param_value(r, k->params++);
	return add_name(r, p->name, NAME_PARAM, p->value);
}

/* const NAME = e */
static int read_const(struct reader *r)
{
	char name[KERNEL_NAME_MAX];
	uint32_t value = 0;
	int error = take_new_name(r, "the name of a constant", name);

	if (!error)
		error = take_sign(r, "=");
	if (!error)
		error = read_constant(r, 0, UINT32_MAX, "a constant", &value);
	return error ? error : add_name(r, name, NAME_PARAM, value);
}

/* NAME NUMBER: of a param, or the seed, or the threads. */
static int read_choice(struct reader *r, struct kernel_variant *v)
{
	struct kernel *k = r->kernel;
	uint32_t number = 0;
	size_t i = 0;
	int error;

	if (at_word(r, "seed") || at_word(r, "threads")) {
		bool seed = at_word(r, "seed");

		next_token(r);
		error = take_number(r, !seed, seed ? UINT32_MAX : KERNEL_THREADS_MAX,
				    seed ? "the seed" : "the number of threads", &number);
		v->seeded |= seed;
		v->seed = seed ? number : v->seed;
		v->threads = seed ? v->threads : number;
		return error;
	}
	while (i < k->params && !same(k->param[i].name, r->text))
		i++;
	if (i == k->params)
		return unexpected(r, "a param that was named before, \"seed\", \"threads\" or a "
				     "text in quotes");
	next_token(r);
	return take_number(r, k->param[i].least, k->param[i].greatest, k->param[i].name,
			   &v->value[i]);
}

/* Names of variants may contain '-'. */
static void join_name(struct reader *r)
{
	size_t length = strlen(r->text);

	while (r->token == TOKEN_WORD && r->at < r->end && length < KERNEL_NAME_MAX - 1 &&
	       (*r->at == '-' || *r->at == '_' || (*r->at >= '0' && *r->at <= '9') ||
		(*r->at >= 'a' && *r->at <= 'z') || (*r->at >= 'A' && *r->at <= 'Z')))
		r->text[length++] = *r->at++;
	r->text[length] = '\0';
}

/* variant NAME { PARAM NUMBER } "TEXT" */
static int read_variant(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_variant *v;
	int error;

	join_name(r);
	if (!SIM_ROOM(k->variant, r->variants, k->variants + 1))
		return no_memory(r);
	v = &k->variant[k->variants];
	memset(v, 0, sizeof(*v));
	v->line = r->token_line;
	for (size_t i = 0; i < k->variants; i++)
		if (r->token == TOKEN_WORD && same(k->variant[i].name, r->text))
			return say(r, "got variant %s a second time (first in line %u)", r->text,
				   k->variant[i].line);
	error = take_name(r, "the name of a variant", v->name);
	if (error)
		return error;
	v->params = k->params;
	for (size_t i = 0; i < k->params; i++)
		v->value[i] = k->param[i].standard;
	while (!error && r->token == TOKEN_WORD)
		error = read_choice(r, v);
	if (!error)
		error = take_text(r, "what it says, in quotes", &v->text);
	k->variants++;
	return error;
}

/* seed NUMBER */
static int read_seed(struct reader *r)
{
	uint32_t seed = 0;
	int error = take_number(r, 0, UINT32_MAX, "the seed", &seed);

	if (!r->seeded)
		r->kernel->seed = seed;
	r->seeded = true;
	return error;
}

/* ---- the launch ---- */

/* threads e block e */
static int read_threads(struct reader *r)
{
	const struct kernel_request *request = r->request;
	struct kernel *k = r->kernel;
	uint32_t variant = request->variant ? request->variant->threads : 0;
	uint32_t threads = 0, block = 0;
	int error;

	if (r->threads_known)
		return say(r, "got the threads a second time, expected them once");
	error = read_constant(r, 1, KERNEL_THREADS_MAX, "the number of threads", &threads);
	if (!error)
		error = take_word(r, "block");
	if (!error)
		error = read_constant(r, 1, KERNEL_BLOCK_THREADS_MAX, "the threads of a block",
				      &block);
	if (error)
		return error;
	k->threads = request->threads ? request->threads :
		     request->keys    ? request->keys :
		     variant	      ? variant :
		     k->word.count    ? k->word.count :
					threads;
	k->block_threads = k->largest_block = block;
	k->lanes = KERNEL_LANES;
	k->blocks = (uint32_t)((k->threads + block - 1) / block);
	k->shows_shared = k->blocks == 1;
	r->threads_known = true;
	return 0;
}

/* launch BLOCKS THREADS LANES */
static int read_launch(struct reader *r)
{
	struct kernel *k = r->kernel;
	int error;

	if (r->threads_known || k->arrays)
		return say(r, "got \"launch\", expected it once and before all arrays");
	if (r->token == TOKEN_WORD)
		return unexpected(r, "the number of blocks, 1 .. 65536, or \"program\" before "
				     "kernels and a \"host\" that launches them");
	error = take_number(r, 1, 65536, "the number of blocks", &k->blocks);
	if (!error)
		error = take_number(r, 1, KERNEL_BLOCK_THREADS_MAX, "the threads of a block",
				    &k->block_threads);
	if (!error)
		error = take_number(r, 1, KERNEL_LANES, "the lanes of a warp", &k->lanes);
	if (error)
		return error;
	k->largest_block = k->block_threads;
	if (kernel_warps_of_block(k) > KERNEL_BLOCK_WARPS_MAX)
		return say_at(r, r->statement_line, r->statement_column,
			      "a block of %u warps, expected at most %u",
			      kernel_warps_of_block(k), KERNEL_BLOCK_WARPS_MAX);
	if ((uint64_t)k->blocks * kernel_warps_of_block(k) * k->lanes > 1u << 20)
		return say(r, "more than %u threads in all", 1u << 20);
	k->threads = (uint64_t)k->blocks * k->block_threads;
	k->launched = r->threads_known = true;
	k->end = 0;
	error = add_name(r, "blocks", NAME_PARAM, k->blocks);
	return error ? error : add_name(r, "lanes", NAME_PARAM, k->lanes);
}

/* register NAME ...: of a program of blocks */
static int read_registers(struct reader *r)
{
	uint16_t reg;
	int error = 0;

	if (!r->kernel->launched)
		return say(r, "got \"register\", expected none: only kernels with \"launch\" name "
			      "their registers");
	use_registers_of(r, &r->kernel->code[KERNEL_TRANSACTIONS]);
	do {
		if (r->token != TOKEN_WORD)
			error = unexpected(r, "the name of a register");
		if (!error)
			error = must_be_new(r, r->text);
		if (!error)
			error = add_register(r, r->text, &reg);
		if (!error)
			r->code->reg[reg].set = true;
		next_token(r);
	} while (!error && !at_end(r));
	r->code = NULL;
	return error;
}

/* ---- what the head says about the run ---- */

static int take_array(struct reader *r, uint32_t *out)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;

	if (!name || name->kind != NAME_ARRAY ||
	    r->kernel->array[name->index].kind != KERNEL_GLOBAL)
		return unexpected(r, "the name of an array");
	*out = name->index;
	next_token(r);
	return 0;
}

/* region FIRST LAST */
static int read_region(struct reader *r)
{
	struct kernel *k = r->kernel;
	uint32_t first = 0, last = 0;
	int error = take_array(r, &first);

	if (!error)
		error = take_array(r, &last);
	if (error)
		return error;
	k->region_start = k->array[first].base;
	k->region_end = k->array[last].base +
			4ull * k->array[last].length * k->array[last].words;
	return k->region_end > k->region_start ?
		       0 : say(r, "expected the first array of the region before its last");
}

/* words ARRAY FILE: as --keys would fill the array. Gives the number of threads, unless that is
 * known. */
static int read_keys(struct reader *r)
{
	struct kernel *k = r->kernel;
	char file[KERNEL_PATH_MAX];
	FILE *in;
	int error = open_file(r, file, &in);

	if (error)
		return error;
	if (!r->request->keys)
		error = sim_keys_read(in, file, &k->word, r->message, r->message_size);
	fclose(in);
	next_token(r);
	return error == -EIO ? -EINVAL : error;
}

/*
 * words ARRAY [FILE]: the array is filled from --keys, or else from the file. The line comes before
 * the array if the file is to give the threads. words TABLE FILE: the numbers of a table.
 */
static int read_words(struct reader *r)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	const bool later = r->token == TOKEN_WORD && !name;
	struct kernel *k = r->kernel;
	struct text *text;
	uint32_t array = 0;
	int error;

	if (name && name->kind == NAME_ARRAY && k->array[name->index].kind == KERNEL_TABLE) {
		next_token(r);
		error = open_beside(r, name->index, &text);
		next_token(r);
		return error;
	}
	if (r->words.line)
		return say(r, "got \"%s\", expected one array of words", r->text);
	r->words.line = r->token_line;
	r->words.index = r->token_column;
	error = !later ? take_array(r, &array) : is_reserved(r->text) ?
		unexpected(r, "the name of an array or a table") :
		take_name(r, "the name of an array", r->words.text);
	if (!error && later && at_end(r))
		return say(r, "got no file, expected one, or the array \"%s\" before this line",
			   r->words.text);
	if (!error && !later)
		k->keys = (uint16_t)array;
	return error || (at_end(r) && !later) ? error : read_keys(r);
}

/* A param, and the value that --edges gives to it, if the param is named here. */
static int take_counted(struct reader *r, uint32_t given)
{
	struct kernel *k = r->kernel;
	size_t p = 0;

	while (p < k->params && (r->token != TOKEN_WORD || !same(k->param[p].name, r->text)))
		p++;
	if (p == k->params)
		return unexpected(r, "the name of a param");
	if (given && (given < k->param[p].least || given > k->param[p].greatest))
		return say(r, "%s = %u, of --edges, is not in %u .. %u", r->text, given,
			   k->param[p].least, k->param[p].greatest);
	for (size_t i = 0; given && i < r->names; i++)
		if (same(r->name[i].text, r->text))
			r->name[i].index = given;
	next_token(r);
	return 0;
}

/* edges ARRAY PARAM PARAM: the array that --edges fills, and the params that get its numbers of
 * vertices and edges. The line comes before all arrays. */
static int read_edges(struct reader *r)
{
	const struct kernel_request *request = r->request;
	int error = r->token == TOKEN_WORD ? must_be_new(r, r->text) : 0;

	if (!error && (r->kernel->arrays || r->edges.line))
		return say(r, "got \"%s\", expected \"edges\" before all arrays, and once",
			   r->text);
	r->edges.line = r->token_line;
	r->edges.index = r->token_column;
	if (!error)
		error = take_name(r, "the name of an array that comes later", r->edges.text);
	if (!error)
		error = take_counted(r, request->edges ? request->vertices : 0);
	return error ? error : take_counted(r, request->edges);
}

/* commits e, commits below e */
static int read_commits(struct reader *r)
{
	uint32_t commits = 0;
	bool exact = !at_word(r, "below");
	int error;

	if (!exact)
		next_token(r);
	error = read_constant(r, 1, UINT32_MAX, "the transactions of a run", &commits);
	r->kernel->commits = exact ? commits : 0;
	r->kernel->most_commits = commits;
	return error;
}

/* affinity e: of thread id, 1 for the CPU, 2 for the GPU */
static int read_affinity(struct reader *r)
{
	struct kernel_instr i = { .op = KERNEL_EXIT_IF };
	struct value value;
	int error = open_code(r, KERNEL_AFFINITY, &r->kernel->code[KERNEL_AFFINITY]);

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (!error)
		error = read_expression(r, &value);
	if (!error)
		error = column_of(r, &value, &i.a);
	if (!error)
		error = put_instr(r, &i);
	return error ? error : close_code(r);
}

/* ---- macros ---- */

static int read_parameters(struct reader *r, struct macro *m)
{
	int error = take_sign(r, "(");

	while (!error && !at_sign(r, ")")) {
		if (m->parameters)
			error = take_sign(r, ",");
		if (!error && m->parameters == MACRO_ARGUMENTS)
			return say(r, "more than %u parameters", MACRO_ARGUMENTS);
		if (!error)
			error = take_name(r, "the name of a parameter",
					  m->parameter[m->parameters]);
		m->parameters += !error;
	}
	return error ? error : take_sign(r, ")");
}

static int new_macro(struct reader *r, struct macro **out)
{
	struct macro *m;
	int error;

	if (!SIM_ROOM(r->macro, r->macro_room, r->macros + 1))
		return no_memory(r);
	m = *out = &r->macro[r->macros];
	memset(m, 0, sizeof(*m));
	error = take_new_name(r, "the name of a macro", m->name);
	return error ? error : add_name(r, m->name, NAME_MACRO, (uint32_t)r->macros++);
}

/* The body begins after the current token. */
static void body_begins(const struct reader *r, struct macro *m, const char *at)
{
	m->at = at;
	m->end = r->end;
	m->file = r->file;
	m->line_start = r->line_start;
	m->line = r->line;
}

static void to_end_of_line(struct reader *r)
{
	while (!at_end(r))
		next_token(r);
}

/* define NAME [(NAMES)] = e */
static int read_define(struct reader *r)
{
	struct macro *m;
	int error = new_macro(r, &m);

	m->expression = true;
	if (!error && at_sign(r, "("))
		error = read_parameters(r, m);
	if (error)
		return error;
	if (!at_sign(r, "="))
		return unexpected(r, "\"=\"");
	body_begins(r, m, r->at);
	next_token(r);
	if (at_end(r))
		return unexpected(r, "an expression");
	to_end_of_line(r);
	return 0;
}

/* macro NAME([NAMES]) { s } end: a call reads the body anew. */
static int read_macro(struct reader *r)
{
	uint32_t depth = 1;
	struct macro *m;
	int error = new_macro(r, &m);

	if (!error)
		error = read_parameters(r, m);
	if (!error)
		error = take_end(r);
	if (error)
		return error;
	body_begins(r, m, r->at);
	while (r->token != TOKEN_END_OF_FILE) {
		next_token(r);
		depth += at_word(r, "if") || at_word(r, "while") || at_word(r, "for");
		if (at_word(r, "end") && !--depth)
			break;
		to_end_of_line(r);
	}
	if (r->token == TOKEN_END_OF_FILE)
		return say_at(r, r->statement_line, r->statement_column, "macro %s has no end",
			      m->name);
	next_token(r);
	return 0;
}

/* ---- all ---- */

static int read_data(struct reader *r)
{
	return read_array(r);
}

static const struct head {
	const char *name;
	int (*read)(struct reader *r);
	bool whole; /* the statement reads this word itself */
} heads[] = {
	{ "param", read_param, false },	    { "const", read_const, false },
	{ "variant", read_variant, false }, { "seed", read_seed, false },
	{ "threads", read_threads, false }, { "launch", read_launch, false },
	{ "register", read_registers, false }, { "array", read_data, true },
	{ "locks", read_data, true },	    { "shared", read_data, true },
	{ "table", read_data, true },	    { "graph", read_graph, true },
	{ "trace", read_trace, true },	    { "region", read_region, false },
	{ "words", read_words, false },	    { "edges", read_edges, false },
	{ "commits", read_commits, false }, { "define", read_define, false },
	{ "macro", read_macro, false },	    { "affinity", read_affinity, false },
};

static const struct head *find_head(const char *word)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (same(heads[i].name, word))
			return &heads[i];
	return NULL;
}

bool is_head(const char *word)
{
	return find_head(word) || same(word, "include");
}

int read_head(struct reader *r)
{
	const struct head *head = find_head(r->text);
	int error;

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (!r->kernel->launched && (head->read == read_trace))
		return say(r, "got \"%s\", expected \"launch BLOCKS THREADS LANES\" first",
			   r->text);
	if (!head->whole)
		next_token(r);
	error = head->read(r);
	return error ? error : take_end(r);
}
