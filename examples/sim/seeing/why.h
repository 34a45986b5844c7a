/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WHY_H
#define SIM_WHY_H
/* Why a thread has aborted: what --why answers. */
#include <stdio.h>

#include "seeing.h"

/* Of attempt number `number`, from 1, of those that this thread aborts. NULL without memory. */
struct seen_sink *why_new(struct seeing *see, uint32_t thread, uint64_t number);
/* After seeing_end(): the answer, at most ten lines; false: there is no such abort. */
bool why_answer(const struct seen_sink *sink, FILE *out);
void why_free(struct seen_sink *sink);

#endif
