/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_STATEMENT_H
#define SIM_KERNEL_STATEMENT_H
/* Statements of one line, by their first word, which is the present token (simple.c). */
#include "reader.h"

int read_alu(struct reader *r);
int read_set(struct reader *r); /* and let */
int read_load(struct reader *r);
int read_store(struct reader *r); /* and add */
int read_cas(struct reader *r);
int read_plain(struct reader *r); /* begin, commit, enter, leave, fence, barrier */
int read_exit(struct reader *r);
int read_break(struct reader *r);
int read_draw(struct reader *r);
int read_require(struct reader *r);
int read_launching(struct reader *r); /* launch, of a host */

/* An expression, and the column of its value. */
int read_operand(struct reader *r, uint16_t *out);
/* R =, of a register that is set. */
int take_register_and_sign(struct reader *r, uint16_t *out);

#endif /* SIM_KERNEL_STATEMENT_H */
