/* SPDX-License-Identifier: BSD-2-Clause */
/* The meaning of names in a kernel file: names of the whole file, and registers of a section. */
#include "reader.h"
#include "../base/arena.h"

const char *section_name(const struct reader *r)
{
	static const char *const names[KERNEL_SECTIONS] = {
		[KERNEL_TRANSACTIONS] = "program",  [KERNEL_LOCKS] = "program locks",
		[KERNEL_SETUP] = "setup",	    [KERNEL_VERIFY] = "verify",
		[KERNEL_HOST] = "host",		    [KERNEL_LOCKS_HOST] = "host",
		[KERNEL_AFFINITY] = "affinity",
	};

	return names[r->section];
}

const struct name *find_name(const struct reader *r, const char *text)
{
	for (size_t i = 0; i < r->names; i++)
		if (same(r->name[i].text, text))
			return &r->name[i];
	return NULL;
}

/* Words that may be register names in kernels of blocks, which have no loops and ifs. */
static bool is_free_word(const char *text)
{
	static const char *const words[] = { "end", "else", "from", "to", "for", "old", "below" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (same(text, words[i]))
			return true;
	return false;
}

void must_be_new(struct reader *r, const char *text)
{
	const struct name *old = find_name(r, text);

	if (old)
		say(r, "got \"%s\" a second time, expected a new name: it is from line %u", text,
		    old->line);
	if (r->code && find_register(r, text) != KERNEL_NO_COLUMN)
		say(r, "got \"%s\" a second time, expected a new name: it is a register, from "
		       "line %u", text, r->code->reg[find_register(r, text)].line);
	if (is_reserved(text) && !(r->kernel->launched && r->code && is_free_word(text)))
		say(r, "got \"%s\", a word of the language, expected another name", text);
}

void take_new_name(struct reader *r, const char *what, char out[KERNEL_NAME_MAX])
{
	if (r->token == TOKEN_WORD)
		must_be_new(r, r->text);
	take_name(r, what, out);
}

void add_name(struct reader *r, const char *text, enum name_kind kind, uint32_t index)
{
	struct name *name;

	if (r->error || !ROOM(r, r->name, r->name_room, r->names + 1))
		return;
	name = &r->name[r->names++];
	snprintf(name->text, sizeof(name->text), "%s", text);
	name->kind = kind;
	name->index = index;
	name->line = own_line(r, r->token_line);
}

uint16_t find_register(const struct reader *r, const char *text)
{
	for (uint32_t i = 0; i < r->code->registers; i++)
		if (same(r->code->reg[i].name, text))
			return (uint16_t)i;
	return KERNEL_NO_COLUMN;
}

void use_registers_of(struct reader *r, struct kernel_code *code)
{
	r->code = code;
	r->regs = code->registers; /* there is room for these, if not for more */
}

uint16_t add_register(struct reader *r, const char *text, bool set)
{
	struct kernel_code *code = r->code;
	struct kernel_register *reg;

	if (code->registers == KERNEL_COLUMNS_MAX)
		say(r, "more than %u registers", KERNEL_COLUMNS_MAX);
	if (r->error || !ROOM(r, code->reg, r->regs, code->registers + 1))
		return KERNEL_NO_COLUMN;
	reg = &code->reg[code->registers];
	memset(reg, 0, sizeof(*reg));
	snprintf(reg->name, sizeof(reg->name), "%s", text);
	reg->line = own_line(r, r->token_line);
	reg->column = r->token_column;
	reg->call = r->outer_line;
	reg->set = set;
	return (uint16_t)code->registers++;
}

/* The current token as the name of a register that is read or set. */
uint16_t take_register(struct reader *r, bool set)
{
	const struct name *other = r->token == TOKEN_WORD ? find_name(r, r->text) : NULL;
	uint16_t reg = r->token == TOKEN_WORD ? find_register(r, r->text) : KERNEL_NO_COLUMN;

	if (reg == KERNEL_NO_COLUMN && r->token == TOKEN_WORD && is_reserved(r->text))
		say(r, "got \"%s\", a word of the language, expected the name of a register",
		    r->text);
	if (reg == KERNEL_NO_COLUMN && (r->token != TOKEN_WORD || same(r->text, "block_size")))
		unexpected(r, "the name of a register");
	if (other)
		say(r, "got \"%s\", expected a register: line %u makes it something else", r->text,
		    other->line);
	if (reg == KERNEL_NO_COLUMN && r->blocks)
		unexpected(r, "a register: those of a kernel of blocks are named in its head");
	if (reg == KERNEL_NO_COLUMN)
		reg = add_register(r, r->text, false);
	if (r->error)
		return KERNEL_NO_COLUMN;
	r->code->reg[reg].named |= !set;
	if (!r->dead)
		*(set ? &r->code->reg[reg].set : &r->code->reg[reg].read) = true;
	next_token(r);
	return reg;
}

/* Names that cannot be registers. */
static const char *const specials[SIM_SPECIALS] = {
	"thread", "lane", "warp", "block", "id", "warp_id", "attempt", "device",
};

/* The register that holds a special value of the thread. */
uint16_t special_register(struct reader *r, enum sim_special special)
{
	uint16_t reg = r->code->special[special];

	if (reg == KERNEL_NO_COLUMN)
		reg = r->code->special[special] = add_register(r, specials[special], true);
	return reg;
}

/* ---- macros ---- */

void read_at_body(struct reader *r, const struct macro *m)
{
	if (!r->call_line && m->file != r->file) {
		r->call_line = r->token_line;
		r->call_column = r->statement_column;
	}
	r->at = m->at;
	r->end = m->end;
	r->file = m->file;
	r->line_start = m->line_start;
	r->line = m->line;
}

void read_at(struct reader *r, const struct reader *other)
{
	if (r->error)
		return;
	r->at = other->at;
	r->end = other->end;
	r->file = other->file;
	r->line_start = other->line_start;
	r->line = other->line;
	r->call_line = other->call_line;
	r->call_column = other->call_column;
	r->token = other->token;
}
