/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WHY_H
#define SIM_WHY_H
/* Explains why a thread has aborted, for --why. */
#include <stdio.h>

#include "seeing.h"

/* Explain abort number `number` of this thread, counting from 1. NULL if out of memory. */
struct seen_sink *why_new(struct seeing *see, uint32_t thread, uint64_t number);
/* After seeing_end(): write the answer, at most ten lines; false: there is no such abort. */
bool why_answer(const struct seen_sink *sink, FILE *out);
void why_free(struct seen_sink *sink);

#endif
