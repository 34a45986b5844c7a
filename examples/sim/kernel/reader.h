/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FLOW_READER_H
#define SIM_FLOW_READER_H
/* Kernel files token by token, for kernel_file.c, kernel_code.c and kernel_data.c. */
#include <string.h>

#include "kernel.h"

enum flow_token {
	FLOW_END_OF_FILE,
	FLOW_END_OF_LINE,
	FLOW_WORD,
	FLOW_NUMBER,
	FLOW_SIGN,
	FLOW_WRONG,
};

struct flow_reader {
	const char *at, *end;
	const char *name; /* of the file */
	uint32_t line;
	char *message;
	size_t message_size;
	enum flow_token token; /* the one that is next */
	char text[FLOW_NAME_MAX + 8];
	uint32_t number;
	const struct flow_files *files;
	struct flow_kernel *kernel;
	size_t blocks, instrs, arrays, lists, traces, columns, words; /* room */
	/* Blocks that ways lead to, by name, until all blocks are known. */
	struct flow_label *label;
	size_t label_count, labels;
	bool open; /* in a block whose end is not written yet */
	bool converged;
};

struct flow_label {
	char name[FLOW_NAME_MAX];
	uint32_t block, line;
};

/* Go to the next token. */
void flow_next(struct flow_reader *r);
/* -EINVAL, after "NAME:LINE: REASON" has been said. */
int flow_say(struct flow_reader *r, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* -EINVAL: got the present token, expected something else. */
int flow_unexpected(struct flow_reader *r, const char *expected);
int flow_no_memory(struct flow_reader *r);

/* Take what must come now; 0 or -EINVAL. */
int flow_take_sign(struct flow_reader *r, const char *sign);
int flow_take_number(struct flow_reader *r, uint32_t least, uint32_t most, const char *what,
		     uint32_t *out);
int flow_take_name(struct flow_reader *r, const char *what, char out[FLOW_NAME_MAX]);
int flow_take_end(struct flow_reader *r);

static inline bool flow_is(const struct flow_reader *r, enum flow_token token, const char *text)
{
	return r->token == token && !strcmp(r->text, text);
}

/* Room for one more element in *array (of *room); false without memory. */
bool flow_room(void **array, size_t *room, size_t count, size_t element);

/* Statements (kernel_data.c); 0, -EINVAL or -ENOMEM. */
int flow_read_array(struct flow_reader *r);
int flow_read_shared(struct flow_reader *r);
int flow_read_graph(struct flow_reader *r);
int flow_read_trace(struct flow_reader *r);
int flow_read_list(struct flow_reader *r, uint16_t *out);

/* The reader of an instruction's operands by its name, or NULL (kernel_code.c). */
int (*flow_find_instruction(const char *name))(struct flow_reader *r);

/* FLOW_NONE if there is no such name. */
uint32_t flow_find_array(const struct flow_kernel *k, const char *name);
uint32_t flow_find_trace(const struct flow_kernel *k, const char *name);
uint32_t flow_find_column(const struct flow_kernel *k, const char *name);
/* A new column; 0, -EINVAL (too many) or -ENOMEM. */
int flow_add_column(struct flow_reader *r, enum flow_column_kind kind, const char *name,
		    uint32_t value, uint16_t *out);
/* -EINVAL if the name means something already. */
int flow_must_be_new(struct flow_reader *r, const char *name);

#endif /* SIM_FLOW_READER_H */
