/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the language, and which word was probably meant. */
#include "../base/names.h"
#include "reader.h"

static const char *const reserved[] = {
	"param",  "const",   "variant", "array",   "locks",   "shared",	 "table",    "words",
	"region",  "affinity", "commits", "seed",   "include", "define",   "macro",
	"end",	  "setup",   "verify",	"program", "kernel",  "host",	 "launch",   "register",
	"set",	  "let",     "load",	"store",   "add",     "cas",	 "begin",    "commit",
	"enter",  "leave",   "fence",	"barrier", "alu",     "exit",	 "break",    "if",
	"else",	  "while",   "repeat",	"until",   "for",     "below",	 "draw",     "require",
	"old",	  "from",    "to",	"uniform", "min",     "max",	 "mul",	     "smul",
	"over",	  "sqrt",    "sless",	"sshift",  "abs",     "random",	 "id",	     "thread",
	"lane",	  "warp",    "block",	"attempt", "threads", "zipf",	 "exponent", "jump",
	"branch", "warp_id", "device",
};

bool is_reserved(const char *text)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (same(text, reserved[i]))
			return true;
	return false;
}

struct wrong_word {
	const struct reader *r;
	const char *text;
};

/* The words of the language, then the names of the file, then registers; the wrong word is near
 * to nothing. */
static const char *word_at(const void *of, size_t index)
{
	const struct wrong_word *wrong = of;
	const struct reader *r = wrong->r;
	size_t words = sizeof(reserved) / sizeof(reserved[0]);
	const char *word = NULL;

	if (index < words)
		word = reserved[index];
	else if (index - words < r->names)
		word = r->name[index - words].text;
	else if (r->code && index - words - r->names < r->code->registers)
		word = r->code->reg[index - words - r->names].name;
	return word && !strcmp(word, wrong->text) ? "" : word;
}

const char *near_word(const struct reader *r, const char *text)
{
	return sim_name_near(text, word_at, &(struct wrong_word){ r, text });
}
