/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_STATEMENT_H
#define SIM_KERNEL_STATEMENT_H
/* Statements of one line, by their first word, which is the present token (simple.c). */
#include "reader.h"

void read_alu(struct reader *r);
void read_set(struct reader *r); /* and let */
void read_load(struct reader *r);
void read_store(struct reader *r); /* and add */
void read_cas(struct reader *r);
void read_plain(struct reader *r); /* begin, commit, enter, leave, fence, barrier */
void read_exit(struct reader *r);
void read_break(struct reader *r);
void read_draw(struct reader *r);
void read_require(struct reader *r);
void read_launching(struct reader *r); /* launch, of a host */

/* An expression, and the column of its value. */
uint16_t read_operand(struct reader *r);
/* R =, of a register that is set; KERNEL_NO_COLUMN if there is none. */
uint16_t take_register_and_sign(struct reader *r);

#endif /* SIM_KERNEL_STATEMENT_H */
