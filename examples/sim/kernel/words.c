/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the language, and which word was probably meant. */
#include "../base/names.h"
#include "reader.h"

static const char *const reserved[] = { /* what has a value comes first */
	"id", "thread", "lane", "warp", "block", "attempt", "threads", "warp_id", "device",
	"min", "max", "mul", "smul", "over", "sqrt", "sless", "sshift", "abs", "random",
	"param", "const", "variant", "array", "locks", "shared", "table", "words",
	"region", "affinity", "commits", "seed", "include", "define", "macro", "end",
	"setup", "verify", "program", "kernel", "host", "launch", "register", "set", "let",
	"load", "store", "add", "cas", "begin", "commit", "enter", "leave", "fence",
	"barrier", "alu", "exit", "break", "if", "else", "while", "repeat", "until", "for",
	"below", "draw", "require", "old", "from", "to", "uniform", "zipf", "exponent",
	"jump", "branch",
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

/* The names of the file, then registers, then the words of the language: of words that are as
 * near as each other the first one is meant. The wrong word is near to nothing. */
static const char *word_at(const void *of, size_t index)
{
	const struct wrong_word *wrong = of;
	const struct reader *r = wrong->r;
	size_t words = sizeof(reserved) / sizeof(reserved[0]);
	size_t registers = r->code ? r->code->registers : 0;
	const char *word = NULL;

	if (index < r->names)
		word = r->name[index].text;
	else if (index - r->names < registers)
		word = r->code->reg[index - r->names].name;
	else if (index - r->names - registers < words)
		word = reserved[index - r->names - registers];
	return word && !strcmp(word, wrong->text) ? "" : word;
}

const char *near_word(const struct reader *r, const char *text)
{
	return sim_name_near(text, word_at, &(struct wrong_word){ r, text });
}
