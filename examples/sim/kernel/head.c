/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a kernel file: the launch, the params and variants, and the names. */
#include <errno.h>

#include "reader.h"
#include "../base/arena.h"

/* ---- names with a value ---- */

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
static void read_param(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_param *p;

	if (k->params == KERNEL_PARAMS_MAX)
		say(r, "more than %u params", KERNEL_PARAMS_MAX);
	if (r->error || !ROOM(r, k->param, r->params, k->params + 1))
		return;
	p = &k->param[k->params];
	memset(p, 0, sizeof(*p));
	take_new_name(r, "the name of a param", p->name);
	p->standard = take_number(r, 0, UINT32_MAX, "the default");
	p->least = take_number(r, 0, p->standard, "the least value, not above the default");
	p->greatest = take_number(r, p->standard, UINT32_MAX,
				  "the greatest value, not below the default");
	p->text = take_text(r, "what it says, in quotes");
	if (r->error)
		return;
	p->value = param_value(r, k->params++);
	add_name(r, p->name, NAME_PARAM, p->value);
}

/* const NAME = e */
static void read_const(struct reader *r)
{
	char name[KERNEL_NAME_MAX];

	take_new_name(r, "the name of a constant", name);
	take_sign(r, "=");
	add_name(r, name, NAME_PARAM, read_constant(r, 0, UINT32_MAX, "a constant"));
}

/* NAME NUMBER: of a param, or the seed, or the threads. */
static void read_choice(struct reader *r, struct kernel_variant *v)
{
	struct kernel *k = r->kernel;
	size_t i = 0;

	if (at_word(r, "seed")) {
		next_token(r);
		v->seeded = true;
		v->seed = take_number(r, 0, UINT32_MAX, "the seed");
		return;
	}
	if (at_word(r, "threads")) {
		next_token(r);
		v->threads = take_number(r, 1, KERNEL_THREADS_MAX, "the number of threads");
		return;
	}
	while (i < k->params && !same(k->param[i].name, r->text))
		i++;
	if (i == k->params) {
		unexpected(r, "a param that was named before, \"seed\", \"threads\" or a text in "
			      "quotes");
		return;
	}
	next_token(r);
	v->value[i] = take_number(r, k->param[i].least, k->param[i].greatest, k->param[i].name);
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
static void read_variant(struct reader *r)
{
	struct kernel *k = r->kernel;
	struct kernel_variant *v;

	join_name(r);
	if (!ROOM(r, k->variant, r->variants, k->variants + 1))
		return;
	v = &k->variant[k->variants];
	memset(v, 0, sizeof(*v));
	v->line = r->token_line;
	for (size_t i = 0; i < k->variants; i++)
		if (r->token == TOKEN_WORD && same(k->variant[i].name, r->text))
			say(r, "got variant %s a second time (first in line %u)", r->text,
			    k->variant[i].line);
	take_name(r, "the name of a variant", v->name);
	v->params = k->params;
	for (size_t i = 0; i < k->params; i++)
		v->value[i] = k->param[i].standard;
	while (r->token == TOKEN_WORD)
		read_choice(r, v);
	v->text = take_text(r, "what it says, in quotes");
	k->variants++;
}

/* seed NUMBER */
static void read_seed(struct reader *r)
{
	uint32_t seed = take_number(r, 0, UINT32_MAX, "the seed");

	if (!r->seeded)
		r->kernel->seed = seed;
	r->seeded = true;
}

/* ---- the launch ---- */

/* threads e block e */
static void read_threads(struct reader *r)
{
	const struct kernel_request *request = r->request;
	struct kernel *k = r->kernel;
	uint32_t variant = request->variant ? request->variant->threads : 0;
	uint32_t threads, block;

	if (r->threads_known)
		say(r, "got the threads a second time, expected them once");
	threads = read_constant(r, 1, KERNEL_THREADS_MAX, "the number of threads");
	take_word(r, "block");
	block = read_constant(r, 1, KERNEL_BLOCK_THREADS_MAX, "the threads of a block");
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
}

/* launch BLOCKS THREADS LANES */
static void read_launch(struct reader *r)
{
	struct kernel *k = r->kernel;

	if (r->threads_known || k->arrays)
		say(r, "got \"launch\", expected it once and before all arrays");
	if (r->token == TOKEN_WORD)
		unexpected(r, "the number of blocks, 1 .. 65536, or \"program\" before kernels "
			      "and a \"host\" that launches them");
	k->blocks = take_number(r, 1, 65536, "the number of blocks");
	k->block_threads = take_number(r, 1, KERNEL_BLOCK_THREADS_MAX, "the threads of a block");
	k->lanes = take_number(r, 1, KERNEL_LANES, "the lanes of a warp");
	k->largest_block = k->block_threads;
	if (kernel_warps_of_block(k) > KERNEL_BLOCK_WARPS_MAX)
		say_at(r, r->statement_line, r->statement_column,
		       "a block of %u warps, expected at most %u", kernel_warps_of_block(k),
		       KERNEL_BLOCK_WARPS_MAX);
	if ((uint64_t)k->blocks * kernel_warps_of_block(k) * k->lanes > 1u << 20)
		say(r, "more than %u threads in all", 1u << 20);
	k->threads = (uint64_t)k->blocks * k->block_threads;
	k->launched = r->threads_known = true;
	k->end = 0;
	add_name(r, "blocks", NAME_PARAM, k->blocks);
	add_name(r, "lanes", NAME_PARAM, k->lanes);
}

/* register NAME ...: of a program of blocks */
static void read_registers(struct reader *r)
{
	if (!r->kernel->launched)
		say(r, "got \"register\", expected none: only kernels with \"launch\" name their "
		       "registers");
	use_registers_of(r, &r->kernel->code[KERNEL_TRANSACTIONS]);
	do {
		if (r->token != TOKEN_WORD)
			unexpected(r, "the name of a register");
		must_be_new(r, r->text);
		add_register(r, r->text, true);
		next_token(r);
	} while (!at_end(r));
	r->code = NULL;
}

/* ---- what the head says about the run ---- */

/* KERNEL_NONE after an error. */
static uint32_t take_array(struct reader *r)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;

	if (!name || name->kind != NAME_ARRAY ||
	    r->kernel->array[name->index].kind != KERNEL_GLOBAL)
		unexpected(r, "the name of an array");
	next_token(r);
	return r->error ? KERNEL_NONE : name->index;
}

/* region FIRST LAST */
static void read_region(struct reader *r)
{
	struct kernel *k = r->kernel;
	uint32_t first = take_array(r), last = take_array(r);

	if (r->error)
		return;
	k->region_start = k->array[first].base;
	k->region_end = k->array[last].base +
			4ull * k->array[last].length * k->array[last].words;
	if (k->region_end <= k->region_start)
		say(r, "expected the first array of the region before its last");
}

/* words ARRAY FILE: as --keys would fill the array. Gives the number of threads, unless that is
 * known. */
static void read_keys(struct reader *r)
{
	struct kernel *k = r->kernel;
	char file[KERNEL_PATH_MAX];
	FILE *in = open_file(r, file);
	int error = 0;

	if (!in)
		return;
	if (!r->request->keys)
		error = sim_keys_read(in, file, &k->word, r->message, r->message_size);
	fclose(in);
	keep_error(r, error == -EIO ? -EINVAL : error);
	next_token(r);
}

/*
 * words ARRAY [FILE]: the array is filled from --keys, or else from the file. The line comes before
 * the array if the file is to give the threads. words TABLE FILE: the numbers of a table.
 */
static void read_words(struct reader *r)
{
	const struct name *name = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	const bool later = r->token == TOKEN_WORD && !name;
	struct kernel *k = r->kernel;

	if (name && name->kind == NAME_ARRAY && k->array[name->index].kind == KERNEL_TABLE) {
		next_token(r);
		open_beside(r, name->index);
		next_token(r);
		return;
	}
	if (r->words.line)
		say(r, "got \"%s\", expected one array of words", r->text);
	r->words.line = r->token_line;
	r->words.index = r->token_column;
	if (later && is_reserved(r->text))
		unexpected(r, "the name of an array or a table");
	if (later)
		take_name(r, "the name of an array", r->words.text);
	else
		k->keys = (uint16_t)take_array(r);
	if (later && at_end(r))
		say(r, "got no file, expected one, or the array \"%s\" before this line",
		    r->words.text);
	if (!at_end(r))
		read_keys(r);
}

/* A param, and the value that --edges gives to it, if the param is named here. */
static void take_counted(struct reader *r, uint32_t given)
{
	struct kernel *k = r->kernel;
	size_t p = 0;

	while (p < k->params && (r->token != TOKEN_WORD || !same(k->param[p].name, r->text)))
		p++;
	if (p == k->params)
		unexpected(r, "the name of a param");
	else if (given && (given < k->param[p].least || given > k->param[p].greatest))
		say(r, "%s = %u, of --edges, is not in %u .. %u", r->text, given,
		    k->param[p].least, k->param[p].greatest);
	for (size_t i = 0; given && i < r->names; i++)
		if (same(r->name[i].text, r->text))
			r->name[i].index = given;
	next_token(r);
}

/* edges ARRAY PARAM PARAM: the array that --edges fills, and the params that get its numbers of
 * vertices and edges. The line comes before all arrays. */
static void read_edges(struct reader *r)
{
	const struct kernel_request *request = r->request;

	if (r->token == TOKEN_WORD)
		must_be_new(r, r->text);
	if (r->kernel->arrays || r->edges.line)
		say(r, "got \"%s\", expected \"edges\" before all arrays, and once", r->text);
	r->edges.line = r->token_line;
	r->edges.index = r->token_column;
	take_name(r, "the name of an array that comes later", r->edges.text);
	take_counted(r, request->edges ? request->vertices : 0);
	take_counted(r, request->edges);
}

/* commits e, commits below e */
static void read_commits(struct reader *r)
{
	bool exact = !at_word(r, "below");
	uint32_t commits;

	if (!exact)
		next_token(r);
	commits = read_constant(r, 1, UINT32_MAX, "the transactions of a run");
	r->kernel->commits = exact ? commits : 0;
	r->kernel->most_commits = commits;
}

/* affinity e: of thread id, 1 for the CPU, 2 for the GPU */
static void read_affinity(struct reader *r)
{
	struct kernel_instr i = { .op = SIM_EXIT_IF };

	open_code(r, KERNEL_AFFINITY, &r->kernel->code[KERNEL_AFFINITY]);
	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	i.a = column_of(r, read_expression(r));
	put_instr(r, &i);
	close_code(r);
}

/* ---- macros ---- */

static void read_parameters(struct reader *r, struct macro *m)
{
	take_sign(r, "(");
	while (!r->error && !at_sign(r, ")")) {
		if (m->parameters)
			take_sign(r, ",");
		if (m->parameters == MACRO_ARGUMENTS)
			say(r, "more than %u parameters", MACRO_ARGUMENTS);
		else
			take_name(r, "the name of a parameter", m->parameter[m->parameters++]);
	}
	take_sign(r, ")");
}

/* NULL after an error. */
static struct macro *new_macro(struct reader *r)
{
	struct macro *m;

	if (!ROOM(r, r->macro, r->macro_room, r->macros + 1))
		return NULL;
	m = &r->macro[r->macros];
	memset(m, 0, sizeof(*m));
	take_new_name(r, "the name of a macro", m->name);
	add_name(r, m->name, NAME_MACRO, (uint32_t)r->macros++);
	return r->error ? NULL : m;
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
static void read_define(struct reader *r)
{
	struct macro *m = new_macro(r);

	if (!m)
		return;
	m->expression = true;
	if (at_sign(r, "("))
		read_parameters(r, m);
	body_begins(r, m, r->at);
	take_sign(r, "=");
	if (at_end(r))
		unexpected(r, "an expression");
	to_end_of_line(r);
}

/* macro NAME([NAMES]) { s } end: a call reads the body anew. */
static void read_macro(struct reader *r)
{
	struct macro *m = new_macro(r);
	uint32_t depth = 1;

	if (!m)
		return;
	read_parameters(r, m);
	take_end(r);
	body_begins(r, m, r->at);
	while (r->token != TOKEN_END_OF_FILE) {
		next_token(r);
		depth += at_word(r, "if") || at_word(r, "while") || at_word(r, "for");
		if (at_word(r, "end") && !--depth)
			break;
		to_end_of_line(r);
	}
	if (r->token == TOKEN_END_OF_FILE)
		say_at(r, r->statement_line, r->statement_column, "macro %s has no end", m->name);
	next_token(r);
}

/* ---- all ---- */

static const struct head {
	const char *name;
	void (*read)(struct reader *r);
	bool whole; /* the statement reads this word itself */
} heads[] = {
	{ "param", read_param, false },	    { "const", read_const, false },
	{ "variant", read_variant, false }, { "seed", read_seed, false },
	{ "threads", read_threads, false }, { "launch", read_launch, false },
	{ "register", read_registers, false }, { "array", read_array, true },
	{ "locks", read_array, true },	    { "shared", read_array, true },
	{ "table", read_array, true },	    { "graph", read_graph, true },
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

void read_head(struct reader *r)
{
	const struct head *head = find_head(r->text);

	r->statement_line = r->token_line;
	r->statement_column = r->token_column;
	if (!r->kernel->launched && (head->read == read_trace))
		say(r, "got \"%s\", expected \"launch BLOCKS THREADS LANES\" first", r->text);
	if (!head->whole)
		next_token(r);
	head->read(r);
	take_end(r);
}
