/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_READER_H
#define SIM_KERNEL_READER_H
/*
 * Kernel files token by token, and what the files that read them share.
 *
 * The first error stays in the reader, and the text ends there: all tokens that follow are
 * TOKEN_END_OF_FILE, later errors are not said, and no code is stored. So readers do not ask after
 * each step whether an earlier one has failed, and return what they have made: numbers within
 * their bounds, but KERNEL_NO_COLUMN, KERNEL_NONE or NULL where the comment says so. The reader is
 * asked for its error where half-made things would be used, and at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum token {
	TOKEN_END_OF_FILE,
	TOKEN_END_OF_LINE,
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_SIGN,
	TOKEN_TEXT,  /* "...", without the quotes */
	TOKEN_VALUE, /* an argument of a macro, already computed */
	TOKEN_WRONG,
};

/* What an expression comes to: a constant or a column. */
struct value {
	bool constant, truth; /* truth: 0 or 1 */
	uint32_t number;
	uint16_t column;
};

/* A name within a macro, and what the call put in its place: a token of its own, or a value. */
struct binding {
	char name[KERNEL_NAME_MAX], text[KERNEL_NAME_MAX];
	enum token token;
	uint32_t number;
	struct value value;
};

#define MACRO_ARGUMENTS 12
#define EXPANSIONS_MAX 100000

struct scope {
	struct binding binding[MACRO_ARGUMENTS];
	uint32_t bindings;
};

struct macro {
	char name[KERNEL_NAME_MAX];
	char parameter[MACRO_ARGUMENTS][KERNEL_NAME_MAX];
	uint32_t parameters;
	bool expression; /* define */
	bool busy;	 /* being expanded */
	const char *at, *end, *line_start; /* of the body */
	const char *file;
	uint32_t line;
};

/* A file beside the kernel: what it includes, which lives as long as its macros, or the numbers of
 * a table. */
struct text {
	struct text *next;
	char *text;
	size_t size;
	char path[KERNEL_PATH_MAX]; /* for messages */
	uint32_t table; /* KERNEL_NONE: included */
};

#define INCLUDES_MAX 64

/* What a name of the whole file is; registers are of a section. */
enum name_kind {
	NAME_PARAM, /* and constants; index: the value */
	NAME_ARRAY,
	NAME_MACRO,
	NAME_TRACE,
	NAME_VARIANT,
};

struct name {
	char text[KERNEL_NAME_MAX];
	enum name_kind kind;
	uint32_t index, line;
};

/* A place in code that is jumped to: known when it is bound. */
struct label {
	uint32_t pc;	/* KERNEL_NONE: not yet */
	uint32_t alias; /* another label, where control goes on at once; or KERNEL_NONE */
	bool used;
};

/* A block by its name: its label is bound when it is read. */
struct named_block {
	char name[KERNEL_NAME_MAX];
	uint32_t label, line, column; /* where the name is first used */
	struct sim_spot begins;	      /* line 0: not yet */
};

struct reader {
	/* the text */
	const char *at, *end, *line_start;
	const char *file;
	uint32_t line;
	enum token token; /* the one that is next, where it begins, and what it says */
	uint32_t token_line, token_column;
	char text[160];
	uint32_t number;
	struct value value;
	const struct scope *scope; /* of the macro that is being expanded */
	/* In an included file: of the kernel's line that led there. */
	uint32_t call_line, call_column;
	uint32_t outer_line; /* of the call that is in no macro itself; 0: outside of macros */
	struct text *included;
	uint32_t includes;
	uint32_t depth;		   /* of macros and nested statements */
	uint32_t expansions;	   /* of macros */
	int error; /* the first one, -EINVAL, -EIO or -ENOMEM, whose reason is in message; or 0 */
	char *message;
	size_t message_size;
	/* the kernel */
	struct kernel *kernel;
	const struct kernel_request *request;
	const struct kernel_files *files;
	struct name *name;
	struct macro *macro;
	size_t names, macros, name_room, macro_room;
	size_t params, variants, arrays, places, lists, traces, launches; /* room */
	const struct kernel_launch *launch; /* that is being read, or NULL */
	bool threads_known, seeded;
	struct name edges; /* the array of --edges, which comes after; line 0: none */
	struct name words; /* the same for `words ARRAY FILE` before the array */
	/* the section that is being read */
	struct kernel_code *code;
	enum kernel_section section;
	size_t instrs, steps, regs, constants, messages; /* room */
	uint32_t first_step; /* of the instruction that is being made */
	uint32_t dead;	     /* within what a constant condition leaves out */
	bool reachable;
	bool blocks;	     /* the program is one of blocks and jumps */
	bool converged;
	uint16_t guard;	     /* column that memory in an expression is read under */
	struct label *label;
	size_t labels, label_room;
	struct named_block *block;
	size_t blocks_named, block_room;
	uint32_t statement_line, statement_column;
	uint32_t leave[32]; /* labels of `break`, innermost last */
	uint32_t loops;
	uint32_t end_label;
};

/* ---- tokens (reader.c) ---- */

void next_token(struct reader *r);
/* An error at the present token: "FILE:LINE:COLUMN: REASON", unless there is one already. */
void say(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_at(struct reader *r, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Got the present token, expected something else. */
void unexpected(struct reader *r, const char *expected);
/* What another file's reader has returned: 0, or its error, with the reason in r->message. */
void keep_error(struct reader *r, int error);
/* False. */
bool no_memory(struct reader *r);
/* SIM_ROOM(), where false is an error. */
#define ROOM(r, array, room, need) (SIM_ROOM(array, room, need) || no_memory(r))

/* Take what must come now. */
void take_sign(struct reader *r, const char *sign);
void take_word(struct reader *r, const char *word);
/* `least` after an error. */
uint32_t take_number(struct reader *r, uint32_t least, uint32_t most, const char *what);
/* "" after an error. */
void take_name(struct reader *r, const char *what, char out[KERNEL_NAME_MAX]);
void take_end(struct reader *r);
/* Text in quotes, to be freed by its owner; NULL after an error. */
char *take_text(struct reader *r, const char *what);

/* Is the section one that threads run? */
static inline bool of_run(const struct reader *r)
{
	return r->section == KERNEL_TRANSACTIONS || r->section == KERNEL_LOCKS;
}

static inline bool of_host(const struct reader *r)
{
	return r->section == KERNEL_HOST || r->section == KERNEL_LOCKS_HOST;
}

/* The same text? The first letter settles most. */
static inline bool same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

static inline bool at_sign(const struct reader *r, const char *text)
{
	return r->token == TOKEN_SIGN && same(r->text, text);
}

static inline bool at_word(const struct reader *r, const char *text)
{
	return r->token == TOKEN_WORD && same(r->text, text);
}

static inline bool at_end(const struct reader *r)
{
	return r->token == TOKEN_END_OF_LINE || r->token == TOKEN_END_OF_FILE;
}

/* ---- files (beside.c) ---- */

/* All of a file, with a NUL after its end, which the caller frees also after an error: -EIO or
 * -ENOMEM with a message. */
int read_text(FILE *in, const char *name, char **text, size_t *size, char *message,
	      size_t message_size);
/* The file beside the kernel that the present token names, and what messages call that file; the
 * token stays. NULL after an error. */
FILE *open_file(struct reader *r, char path[KERNEL_PATH_MAX]);
/* All of it, and read on there. NULL after an error. */
struct text *open_beside(struct reader *r, uint32_t table);
void read_in(struct reader *r, const struct text *text);

/* ---- names (names.c) ---- */

/* "program locks": where the code that is read stands. */
const char *section_name(const struct reader *r);
const struct name *find_name(const struct reader *r, const char *text);
/* Another word of the language, name of the file or register that was probably meant, or NULL. */
const char *near_word(const struct reader *r, const char *text);
void add_name(struct reader *r, const char *text, enum name_kind kind, uint32_t index);
/* An error if the name, which is the present token, means something already or is reserved. */
void must_be_new(struct reader *r, const char *text);
/* A name that means nothing yet. */
void take_new_name(struct reader *r, const char *what, char out[KERNEL_NAME_MAX]);
bool is_reserved(const char *text);
/* Register of the section, made if there is none; KERNEL_NO_COLUMN after an error. */
uint16_t take_register(struct reader *r, bool set);
uint16_t find_register(const struct reader *r, const char *text);
/* The code whose registers are found and added from here on. */
void use_registers_of(struct reader *r, struct kernel_code *code);
/* KERNEL_NO_COLUMN after an error. */
uint16_t add_register(struct reader *r, const char *text, bool set);
uint16_t special_register(struct reader *r, enum sim_special special);

/* Read on in a macro's body, or where the other reader is. */
void read_at_body(struct reader *r, const struct macro *m);
void read_at(struct reader *r, const struct reader *other);
/* The kernel's own line that a statement in this line of the present file comes from. */
static inline uint32_t own_line(const struct reader *r, uint32_t line)
{
	return r->call_line ? r->call_line : line;
}

static inline uint32_t own_column(const struct reader *r, uint32_t column)
{
	return r->call_line ? r->call_column : column;
}

/* ---- expressions (expression.c) ---- */

static inline struct value constant(uint32_t number)
{
	return (struct value){ .constant = true, .truth = number < 2, .number = number };
}

/* While no code is read, always a constant, after an error too. */
struct value read_expression(struct reader *r);
/* One whose value is known now, within bounds; `least` after an error. */
uint32_t read_constant(struct reader *r, uint32_t least, uint32_t most, const char *what);
/* ARRAY[e].FIELD: its place, of which there may be none after an error, and the column of its
 * index. */
uint16_t read_place(struct reader *r, struct value *index);
uint16_t column_of(struct reader *r, struct value value);
/* A step with its result in scratch, or in the register `to` unless that is KERNEL_NO_COLUMN. */
struct value add_step(struct reader *r, struct kernel_step step, uint16_t to);
void put_in(struct reader *r, uint16_t reg, struct value value);
struct value binary(struct reader *r, enum kernel_operator operator, struct value a,
		    struct value b);
/* Columns while code is read; kernel_close() makes the final ones of them. */
#define CONSTANT_COLUMN 0x4000u
#define SCRATCH_COLUMN 0x8000u

/* ---- statements (statement.c, blocks.c, code.c) ---- */

/* Statements up to a word that ends them, which is then next. */
void read_statements(struct reader *r);
void put_instr(struct reader *r, const struct kernel_instr *instr);
/* KERNEL_NONE after an error. */
uint32_t new_label(struct reader *r);
void bind_label(struct reader *r, uint32_t label);
/* Control goes on there, at no cost. */
void go_to(struct reader *r, uint32_t label);
/* A statement of one line; the present token is its first word. */
void read_statement(struct reader *r);
/* The program as blocks and jumps, from the first block on. */
void read_blocks(struct reader *r);
void open_code(struct reader *r, enum kernel_section section, struct kernel_code *code);
void close_code(struct reader *r);

/* ---- heads (head.c, data.c) ---- */

/* A statement of the head; read_head() reads all but "include". */
bool is_head(const char *word);
void read_head(struct reader *r);
void read_array(struct reader *r);
void read_graph(struct reader *r);
void read_trace(struct reader *r);
/* The numbers of one or more threads. */
uint32_t read_list(struct reader *r);
/* Addresses, once all arrays are known. */
void lay_out(struct reader *r);

#endif /* SIM_KERNEL_READER_H */
