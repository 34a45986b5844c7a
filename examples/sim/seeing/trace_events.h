/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRACE_EVENTS_H
#define SIM_TRACE_EVENTS_H
/* What is seen, as trace events: the JSON that Perfetto and chrome://tracing read. */
#include <stdio.h>

#include "seeing.h"

/* Write to this file; NULL without memory. Free it after seeing_end(). */
struct seen_sink *trace_events_new(struct seeing *see, FILE *file);
void trace_events_free(struct seen_sink *sink);

#endif
