/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads kernel files: the head, then the sections. */
#include <errno.h>

#include "../base/arena.h"
#include "../base/input.h"
#include "reader.h"

/* ---- sections ---- */

static void no_specials(struct kernel_code *code)
{
	for (int i = 0; i < SIM_SPECIALS; i++)
		code->special[i] = KERNEL_NO_COLUMN;
}

/* Statements up to the next section. */
static void read_rest(struct reader *r)
{
	read_statements(r);
	if (at_word(r, "end") || at_word(r, "else") || at_word(r, "until"))
		unexpected(r, "a statement or the next section");
	close_code(r);
}

/* threads e block e, of one launch */
static void read_size(struct reader *r, struct kernel_launch *l)
{
	l->threads = r->kernel->threads;
	l->block_threads = r->kernel->block_threads;
	if (at_end(r))
		return;
	take_word(r, "threads");
	l->threads = read_constant(r, 1, KERNEL_THREADS_MAX, "the number of threads");
	take_word(r, "block");
	l->block_threads = read_constant(r, 1, KERNEL_BLOCK_THREADS_MAX, "the threads of a block");
	if (l->block_threads > r->kernel->largest_block)
		r->kernel->largest_block = l->block_threads;
}

/* kernel NAME [threads e block e] */
static void read_kernel(struct reader *r, enum kernel_section section)
{
	struct kernel *k = r->kernel;
	struct kernel_launch *l;

	next_token(r);
	if (!ROOM(r, k->launch, r->launches, k->launches + 1))
		return;
	l = &k->launch[k->launches];
	memset(l, 0, sizeof(*l));
	no_specials(&l->code);
	l->section = section;
	for (size_t i = 0; i < k->launches; i++)
		if (k->launch[i].section == section && same(k->launch[i].name, r->text))
			say(r, "got kernel %s a second time (first in line %u)", r->text,
			    k->launch[i].code.line);
	take_new_name(r, "the name of a kernel", l->name);
	read_size(r, l);
	k->launches++;
	open_code(r, section, &l->code);
	r->launch = l;
	take_end(r);
	read_rest(r);
	r->launch = NULL;
}

/* Kernels, and what launches them. */
static void read_launches(struct reader *r, enum kernel_section section)
{
	enum kernel_section host = section == KERNEL_LOCKS ? KERNEL_LOCKS_HOST : KERNEL_HOST;

	r->code = NULL;
	while (at_word(r, "kernel"))
		read_kernel(r, section);
	if (!at_word(r, "host"))
		unexpected(r, "\"kernel\" or \"host\"");
	open_code(r, host, &r->kernel->code[host]);
	next_token(r);
	take_end(r);
	read_rest(r);
}

/* program [transactions|locks] */
static void read_program(struct reader *r)
{
	enum kernel_section section = KERNEL_TRANSACTIONS;

	if (!r->threads_known)
		say(r, "got \"program\", expected \"threads N block N\" before it");
	if (!r->kernel->code[KERNEL_TRANSACTIONS].instr_count &&
	    r->kernel->code[KERNEL_TRANSACTIONS].registers)
		say(r, "got \"program\", expected a program of blocks after \"register\"");
	next_token(r);
	if (at_word(r, "locks"))
		section = KERNEL_LOCKS;
	else if (!at_end(r) && !at_word(r, "transactions"))
		unexpected(r, "\"transactions\", \"locks\" or the end of the line");
	open_code(r, section, &r->kernel->code[section]);
	if (!at_end(r))
		next_token(r);
	take_end(r);
	while (r->token == TOKEN_END_OF_LINE)
		next_token(r);
	if (at_word(r, "kernel"))
		read_launches(r, section);
	else
		read_rest(r);
}

static void read_section(struct reader *r)
{
	enum kernel_section section = at_word(r, "setup") ? KERNEL_SETUP : KERNEL_VERIFY;

	open_code(r, section, &r->kernel->code[section]);
	next_token(r);
	take_end(r);
	read_rest(r);
}

/* Only params, variants and the `verify` line are wanted, and this line defines none of them. A
 * macro is read nevertheless, as it may contain the `launch` of a host. */
static bool passes_over(const struct reader *r)
{
	return r->request->choices && !at_word(r, "param") && !at_word(r, "variant") &&
	       !at_word(r, "include") && !at_word(r, "macro") &&
	       (!at_word(r, "launch") || r->threads_known);
}

static void pass_over(struct reader *r)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (at_word(r, "verify"))
		r->kernel->code[KERNEL_VERIFY].line = r->token_line;
	r->threads_known |= at_word(r, "program"); /* from here on `launch` belongs to a host */
	r->at = end ? end : r->end;
	next_token(r);
}

/* Up to the end of the file. */
static void read_each(struct reader *r, void (*read)(struct reader *r))
{
	next_token(r);
	while (r->token != TOKEN_END_OF_FILE) {
		if (r->token != TOKEN_END_OF_LINE && passes_over(r))
			pass_over(r);
		else if (r->token != TOKEN_END_OF_LINE)
			read(r);
		if (r->token == TOKEN_END_OF_LINE)
			next_token(r);
	}
}

/* ---- included files ---- */

static void read_include(struct reader *r);

static void read_included(struct reader *r)
{
	if (at_word(r, "include"))
		read_include(r);
	else if (r->token == TOKEN_WORD && is_head(r->text))
		read_head(r);
	else
		unexpected(r, "a statement of the head: an included file has no sections");
}

/* include FILE: its statements in place */
static void read_include(struct reader *r)
{
	const struct text *text;
	struct reader saved;

	next_token(r);
	text = open_beside(r, KERNEL_NONE);
	if (!text)
		return;
	next_token(r);
	saved = *r;
	r->call_column = own_column(r, r->token_column);
	r->call_line = own_line(r, r->token_line);
	read_in(r, text);
	read_each(r, read_included);
	read_at(r, &saved);
	r->token_line = saved.token_line;
	r->token_column = saved.token_column;
	strcpy(r->text, saved.text);
	take_end(r);
}

/* ---- the whole file ---- */

static void read_top(struct reader *r)
{
	if (at_word(r, "include"))
		read_include(r);
	else if (r->token == TOKEN_WORD && is_head(r->text))
		read_head(r);
	else if (at_word(r, "program"))
		read_program(r);
	else if (at_word(r, "setup") || at_word(r, "verify"))
		read_section(r);
	else if (at_word(r, "block") && r->kernel->launched)
		read_blocks(r);
	else if (at_word(r, "block"))
		unexpected(r, "\"launch BLOCKS THREADS LANES\" first");
	else if (r->kernel->launched)
		unexpected(r, "an instruction or a block, or a statement of the head");
	else
		unexpected(r, "a statement of the head or a section");
}

static void read_all(struct reader *r)
{
	const struct kernel *k = r->kernel;

	read_each(r, read_top);
	if (r->request->choices)
		return;
	if (!k->code[KERNEL_TRANSACTIONS].line && !k->code[KERNEL_LOCKS].line)
		unexpected(r, k->launched	? "a block" :
			      r->threads_known	? "a program" :
						  "\"threads N block N\"");
	if (!r->error)
		lay_out(r);
}

/* The file's name without folder and suffix. */
static void set_name(struct kernel *k, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	snprintf(k->name, sizeof(k->name), "%.*s",
		 (int)(length < KERNEL_NAME_MAX ? length : KERNEL_NAME_MAX - 1), base);
	snprintf(k->file, sizeof(k->file), "%s", file);
}

/* The first comment that is not a licence, up to the end of its first sentence or line. */
static void set_summary(struct kernel *k, const char *text, size_t size)
{
	const char *end = text + size, *line = text, *next;

	for (; line < end && *line == '#'; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length;

		next = newline ? newline + 1 : end;
		for (line++; line < next && *line == ' '; line++)
			;
		length = (size_t)((newline ? newline : end) - line);
		if (!length || !strncmp(line, "SPDX", length < 4 ? length : 4))
			continue;
		if (line[length - 1] == '.')
			length--;
		snprintf(k->summary, sizeof(k->summary), "%.*s",
			 (int)(length < sizeof(k->summary) ? length : sizeof(k->summary) - 1),
			 line);
		return;
	}
}

static void start(struct reader *r, struct kernel *k)
{
	k->end = KERNEL_HEAP;
	k->keys = k->edges = KERNEL_NO_COLUMN;
	k->seed = r->request->seed;
	r->seeded = r->request->data_seed;
	if (r->seeded) {
		k->seed = r->request->data_seed;
	} else if (r->request->variant && r->request->variant->seeded) {
		k->seed = r->request->variant->seed;
		r->seeded = true;
	}
	k->initial = sim_memory_new();
	for (int s = 0; s < KERNEL_SECTIONS; s++)
		no_specials(&k->code[s]);
}

int kernel_read(const char *text, size_t size, const char *name,
		const struct kernel_request *request, const struct kernel_files *files,
		struct kernel *out, char *message, size_t message_size)
{
	struct kernel kernel = { .blocks = 0 };
	struct reader r = { .at = text, .end = text + size, .line_start = text, .file = name,
			    .line = 1, .message = message, .message_size = message_size,
			    .kernel = &kernel, .request = request, .files = files };

	start(&r, &kernel);
	set_name(&kernel, name);
	set_summary(&kernel, text, size);
	if (kernel.initial)
		read_all(&r);
	else
		no_memory(&r);
	for (struct text *included = r.included, *next; included; included = next) {
		next = included->next;
		sim_free(included->text);
		sim_free(included);
	}
	sim_free(r.name);
	sim_free(r.macro);
	sim_free(r.label);
	sim_free(r.block);
	if (r.error)
		kernel_free(&kernel);
	else
		*out = kernel;
	return r.error;
}

void kernel_become(struct kernel *k, uint32_t number)
{
	const struct kernel_launch *l = &k->launch[number];

	k->code[KERNEL_TRANSACTIONS] = l->code;
	k->threads = l->threads;
	k->block_threads = l->block_threads;
	k->shows_shared = false;
	k->blocks = (uint32_t)((l->threads + l->block_threads - 1) / l->block_threads);
}

/* Does the program run something, and nothing that needs a TM system? */
static bool goes_without(const struct kernel *k, enum kernel_section section)
{
	bool begins = k->code[section].transactions;

	for (size_t i = 0; i < k->launches; i++)
		begins |= k->launch[i].section == section && k->launch[i].code.transactions;
	return k->code[section].line && !begins;
}

static void exchange(struct kernel_code *a, struct kernel_code *b)
{
	struct kernel_code kept = *a;

	*a = *b;
	*b = kept;
}

void kernel_go_without(struct kernel *k)
{
	k->locks = !goes_without(k, KERNEL_TRANSACTIONS) && goes_without(k, KERNEL_LOCKS);
	if (!k->locks)
		return;
	exchange(&k->code[KERNEL_TRANSACTIONS], &k->code[KERNEL_LOCKS]);
	exchange(&k->code[KERNEL_HOST], &k->code[KERNEL_LOCKS_HOST]);
	for (size_t i = 0; i < k->launches; i++)
		k->launch[i].section = k->launch[i].section == KERNEL_LOCKS ? KERNEL_TRANSACTIONS :
									      KERNEL_LOCKS;
}

static void free_code(struct kernel_code *code)
{
	for (size_t i = 0; i < code->message_count; i++)
		for (uint32_t p = 0; p < code->message[i].parts; p++)
			sim_free(code->message[i].part[p].text);
	sim_free(code->instr);
	sim_free(code->step);
	sim_free(code->block);
	sim_free(code->reg);
	sim_free(code->message);
	sim_free(code->constant);
	sim_free(code->row);
	sim_free(code->kept);
}

static void free_files(struct kernel_file *file)
{
	for (struct kernel_file *next; file; file = next) {
		next = file->next;
		sim_free(file);
	}
}

void kernel_free(struct kernel *k)
{
	for (size_t i = 0; i < k->params; i++)
		sim_free(k->param[i].text);
	for (size_t i = 0; i < k->variants; i++)
		sim_free(k->variant[i].text);
	for (size_t i = 0; i < k->arrays; i++)
		sim_free(k->array[i].field);
	for (size_t i = 0; i < k->traces; i++) {
		sim_free(k->trace[i].first);
		sim_free(k->trace[i].count);
		sim_free(k->trace[i].outcome);
	}
	for (int i = 0; i < KERNEL_SECTIONS; i++)
		free_code(&k->code[i]);
	for (size_t i = 0; i < k->launches; i++)
		free_code(&k->launch[i].code);
	sim_free(k->launch);
	sim_free(k->param);
	sim_free(k->variant);
	sim_free(k->array);
	sim_free(k->place);
	sim_free(k->list);
	sim_free(k->trace);
	sim_free(k->table);
	free_files(k->beside);
	sim_keys_free(&k->word);
	sim_memory_free(k->initial);
	memset(k, 0, sizeof(*k));
}

/* ---- from a file ---- */

struct folder {
	const char *path; /* of the kernel */
	struct kernel_file *opened;
};

/* Files that a kernel names are beside the kernel. */
static FILE *open_at(void *state, const char *name)
{
	struct folder *folder = state;
	const char *slash = strrchr(folder->path, '/');
	size_t directory = slash ? (size_t)(slash - folder->path) + 1 : 0;
	struct kernel_file *file = sim_malloc(sizeof(*file) + directory + strlen(name) + 1);

	if (!file)
		return NULL;
	memcpy(file->path, folder->path, directory);
	strcpy(file->path + directory, name);
	file->next = folder->opened;
	folder->opened = file;
	return fopen(file->path, "r");
}

int kernel_text_read(const char *path, struct kernel_text *out, char *message, size_t message_size)
{
	struct sim_input in;
	int error;

	memset(out, 0, sizeof(*out));
	out->path = path;
	if (sim_input_open(&in, path, message, message_size))
		return -EIO;
	error = read_text(in.file, in.name, &out->text, &out->size, message, message_size);
	snprintf(out->name, sizeof(out->name), "%s", in.name);
	sim_input_close(&in);
	return error;
}

int kernel_load(const struct kernel_text *text, const struct kernel_request *request,
		struct kernel *out, char *message, size_t message_size)
{
	struct folder folder = { text->path, NULL };
	const struct kernel_files files = { open_at, &folder };
	int error = kernel_read(text->text, text->size, text->name, request, &files, out, message,
				message_size);

	if (error)
		free_files(folder.opened);
	else
		out->beside = folder.opened;
	return error;
}
