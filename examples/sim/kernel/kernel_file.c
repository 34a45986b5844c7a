/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of kernels: one statement a line. The head says what is launched and what memory
 * there is, then come the blocks. A way may lead to a block that is written further down, so
 * ways are labels until the end of the file. Each instruction is kept for itself, `alu 3` as
 * three, so that program counters, costs and traces need no second thought.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader.h"

static const char *const specials[FLOW_SPECIALS] = {
	"thread", "lane", "warp", "block", "id", "warp_id",
};

/* ---- head and blocks ---- */

static int read_launch(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;
	uint16_t column;
	int error = flow_take_number(r, 1, 65536, "the number of blocks", &k->blocks);

	if (!error)
		error = flow_take_number(r, 1, FLOW_BLOCK_THREADS_MAX, "the threads of a block",
					 &k->threads);
	if (!error)
		error = flow_take_number(r, 1, FLOW_LANES_MAX, "the lanes of a warp", &k->lanes);
	if (error)
		return error;
	if (flow_warps_of_block(k) > FLOW_BLOCK_WARPS_MAX)
		return flow_say(r, r->line, "a block of %u warps, expected at most %u",
				flow_warps_of_block(k), FLOW_BLOCK_WARPS_MAX);
	if ((uint64_t)k->blocks * flow_warps_of_block(k) * k->lanes > FLOW_THREADS_MAX)
		return flow_say(r, r->line, "more than %u threads in all", FLOW_THREADS_MAX);
	for (int i = 0; !error && i < FLOW_SPECIALS; i++)
		error = flow_add_column(r, FLOW_THREADS_OWN, specials[i], 0, &column);
	if (!error)
		error = flow_add_column(r, FLOW_CONSTANT, "block_size", k->threads, &column);
	if (!error)
		error = flow_add_column(r, FLOW_CONSTANT, "blocks", k->blocks, &column);
	if (!error)
		error = flow_add_column(r, FLOW_CONSTANT, "lanes", k->lanes, &column);
	return error ? error : flow_take_end(r);
}

static int read_registers(struct flow_reader *r)
{
	char name[FLOW_NAME_MAX];
	uint16_t column;
	int error;

	do {
		error = flow_take_name(r, "the name of a register", name);
		if (!error)
			error = flow_must_be_new(r, name);
		if (!error)
			error = flow_add_column(r, FLOW_REGISTER, name, 0, &column);
	} while (!error && r->token == FLOW_WORD);
	return error ? error : flow_take_end(r);
}

/* The block before ends where this one begins. */
static int fall_through(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;
	struct flow_block *block;

	if (!k->block_count)
		return 0;
	block = &k->block[k->block_count - 1];
	if (!block->count)
		return flow_say(r, block->line, "block %s has no instruction", block->name);
	if (r->converged)
		return flow_say(r, r->line, "got the end of a block, expected an instruction after "
					    "\"converged\"");
	if (r->open) {
		k->instr[k->instr_count - 1].last = true;
		block->ways = 1;
		block->way[0] = FLOW_NONE; /* the next one */
	}
	return 0;
}

static int read_block(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;
	char name[FLOW_NAME_MAX];
	struct flow_block *block;
	int error = fall_through(r);

	if (!error)
		error = flow_take_name(r, "the name of a block", name);
	if (error)
		return error;
	for (size_t i = 0; i < k->block_count; i++)
		if (!strcmp(k->block[i].name, name))
			return flow_say(r, r->line, "got block %s a second time (first in line %u)",
					name, k->block[i].line);
	if (k->block_count == 4096)
		return flow_say(r, r->line, "more than 4096 blocks");
	if (!flow_room((void **)&k->block, &r->blocks, k->block_count, sizeof(*k->block)))
		return flow_no_memory(r);
	block = &k->block[k->block_count++];
	memset(block, 0, sizeof(*block));
	snprintf(block->name, sizeof(block->name), "%s", name);
	block->line = r->line;
	block->first = (uint32_t)k->instr_count;
	block->meeting = block->likely = FLOW_NONE;
	r->open = true;
	return flow_take_end(r);
}

/* Statements of the head. */
static const struct head {
	const char *name;
	int (*read)(struct flow_reader *r);
} heads[] = {
	{ "launch", read_launch },    { "register", read_registers }, { "array", flow_read_array },
	{ "shared", flow_read_shared }, { "graph", flow_read_graph }, { "trace", flow_read_trace },
};

static int (*find_head(const char *name))(struct flow_reader *r)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(name, heads[i].name))
			return heads[i].read;
	return NULL;
}

static int read_head(struct flow_reader *r, int (*read)(struct flow_reader *r))
{
	const struct flow_kernel *k = r->kernel;

	if (k->threads && read == read_launch)
		return flow_unexpected(r, "one launch");
	if (!k->threads && read != read_launch)
		return flow_unexpected(r, "\"launch BLOCKS THREADS LANES\" first");
	if (k->block_count)
		return flow_unexpected(r, "an instruction: the head stands before all blocks");
	flow_next(r);
	return read(r);
}

static int read_instruction(struct flow_reader *r, int (*read)(struct flow_reader *r))
{
	if (!r->kernel->block_count)
		return flow_unexpected(r, "a block before its instructions");
	if (!r->open)
		return flow_unexpected(r, "a block: the one before has ended");
	flow_next(r);
	return read(r);
}

static int read_statement(struct flow_reader *r)
{
	int (*read)(struct flow_reader *r);

	if (r->token == FLOW_END_OF_LINE || r->token == FLOW_END_OF_FILE)
		return 0;
	read = r->token == FLOW_WORD ? find_head(r->text) : NULL;
	if (read)
		return read_head(r, read);
	read = r->token == FLOW_WORD ? flow_find_instruction(r->text) : NULL;
	if (read)
		return read_instruction(r, read);
	if (!flow_is(r, FLOW_WORD, "block"))
		return flow_unexpected(r, r->kernel->block_count ? "an instruction or a block" :
								   "a statement of the head");
	if (!r->kernel->threads)
		return flow_unexpected(r, "\"launch BLOCKS THREADS LANES\" first");
	flow_next(r);
	return read_block(r);
}

/* ---- the whole ---- */

static int find_ways(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;

	for (size_t i = 0; i < r->label_count; i++) {
		for (size_t b = 0; b < k->block_count; b++)
			if (!strcmp(k->block[b].name, r->label[i].name))
				r->label[i].block = (uint32_t)b;
		if (r->label[i].block == FLOW_NONE)
			return flow_say(r, r->label[i].line, "there is no block %s",
					r->label[i].name);
	}
	for (size_t b = 0; b < k->block_count; b++)
		for (uint32_t i = 0; i < k->block[b].ways; i++)
			k->block[b].way[i] = k->block[b].way[i] == FLOW_NONE ?
						     (uint32_t)b + 1 :
						     r->label[k->block[b].way[i]].block;
	return 0;
}

static int finish(struct flow_reader *r)
{
	struct flow_kernel *k = r->kernel;
	char reason[200];
	uint32_t line;
	int error;

	if (!k->threads || !k->block_count)
		return flow_unexpected(r, k->threads ? "a block" :
						       "\"launch BLOCKS THREADS LANES\"");
	error = fall_through(r);
	if (!error && r->open)
		return flow_unexpected(r, "a way out of the last block: jump, branch or exit");
	if (!error)
		error = find_ways(r);
	if (error)
		return error;
	error = flow_graph(k, &line, reason, sizeof(reason));
	if (error == -ENOMEM)
		return flow_no_memory(r);
	return error ? flow_say(r, line, "%s", reason) : 0;
}

/* The file's name without directory and suffix. */
static void set_name(struct flow_kernel *k, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	snprintf(k->name, sizeof(k->name), "%.*s",
		 (int)(length < FLOW_NAME_MAX ? length : FLOW_NAME_MAX - 1), base);
	snprintf(k->file, sizeof(k->file), "%s", file);
}

int flow_kernel_read(const char *text, size_t size, const char *name,
		     const struct flow_files *files, struct flow_kernel *out, char *message,
		     size_t message_size)
{
	struct flow_kernel kernel = { .blocks = 0 };
	struct flow_reader r = { .at = text, .end = text + size, .name = name, .line = 1,
				 .message = message, .message_size = message_size,
				 .files = files, .kernel = &kernel };
	int error = 0;

	set_name(&kernel, name);
	do {
		flow_next(&r);
		error = read_statement(&r);
		if (!error && r.token == FLOW_END_OF_LINE) {
			r.line++;
			r.at++;
		}
	} while (!error && r.token != FLOW_END_OF_FILE);
	if (!error)
		error = finish(&r);
	free(r.label);
	if (error)
		flow_kernel_free(&kernel);
	else
		*out = kernel;
	return error;
}

void flow_kernel_free(struct flow_kernel *kernel)
{
	for (size_t i = 0; i < kernel->trace_count; i++) {
		free(kernel->trace[i].first);
		free(kernel->trace[i].count);
		free(kernel->trace[i].outcome);
	}
	free(kernel->block);
	free(kernel->instr);
	free(kernel->array);
	free(kernel->list);
	free(kernel->trace);
	free(kernel->column);
	free(kernel->word);
	memset(kernel, 0, sizeof(*kernel));
}
