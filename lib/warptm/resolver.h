/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_WARPTM_RESOLVER_H
#define GPUTM_LIB_WARPTM_RESOLVER_H
/*
 * Shared by both resolvers of conflicts within a warp: the buffers in shared memory, which warp
 * holds them, the outcome of each warp and its cost.
 */
#include "gputm/ownership_table.h"
#include "lib/base/unit.h"

enum gputm__resolver_state {
	GPUTM__RESOLVER_FREE,
	GPUTM__RESOLVER_FRESH,	   /* acquired, no row yet */
	GPUTM__RESOLVER_CONSTRUCT, /* write rows only */
	GPUTM__RESOLVER_MATCH,	   /* the rest */
};

struct gputm__resolver_buffer {
	uint32_t state;
	uint64_t active;
	struct gputm_resolver_outcome so_far;
};

struct gputm__resolver {
	struct gputm__resolver_buffer *buffer;
	uint32_t buffers;
	uint64_t lanes;	 /* all lanes of a warp */
	uint64_t reject; /* address bits beyond the width */
	uint64_t initialise_cost;
	/* statistics */
	uint64_t acquired, refused, released, used, used_max;
	uint64_t lanes_taken, lanes_survived, lanes_aborted, lanes_unresolved;
	uint64_t initialise_cycles, construct_cycles, match_cycles, log_rows, steps;
};

/* Statistics of both resolvers; `core` is the name of the member. */
#define GPUTM__RESOLVER_STATS                                                                  \
	STAT_OF("acquired", core.acquired, COUNTER, "warps", "Warps that got a buffer."),      \
	STAT_OF("refused", core.refused, COUNTER, "requests",                                  \
		"Requests with all buffers in use."),                                          \
	STAT_OF("released", core.released, COUNTER, "warps", "Warps that gave theirs back."),  \
	STAT_OF("used", core.used, GAUGE, "buffers", "Buffers in use."),                       \
	STAT_OF("used_max", core.used_max, MAXIMUM, "buffers", "Buffers in use, at most."),    \
	STAT_OF("lanes_taken", core.lanes_taken, COUNTER, "lanes",                             \
		"Active lanes of warps acquired."),                                            \
	STAT_OF("lanes_survived", core.lanes_survived, COUNTER, "lanes",                       \
		"Survivors of warps released."),                                               \
	STAT_OF("lanes_aborted", core.lanes_aborted, COUNTER, "lanes",                         \
		"Lanes aborted of warps released."),                                           \
	STAT_OF("initialise_cycles", core.initialise_cycles, COUNTER, "cycles",                \
		"Spent on clearing buffers."),                                                 \
	STAT_OF("construct_cycles", core.construct_cycles, COUNTER, "cycles",                  \
		"Spent on recording writes."),                                                 \
	STAT_OF("match_cycles", core.match_cycles, COUNTER, "cycles",                          \
		"Spent on looking for conflicts."),                                            \
	STAT_OF("log_rows", core.log_rows, COUNTER, "rows", "Log rows read."),                 \
	STAT_OF("steps", core.steps, COUNTER, "steps", "Steps, as Fig. 6.6 counts them.")

/* Events of both: a warp gets its buffer, and gives the buffer back. */
#define GPUTM__RESOLVER_ACQUIRE(kind)                                                          \
	EVENT(kind, "acquire", "A warp has got a buffer.", VALUE(buffer, "buffer", "The buffer."), \
	      VALUE(lanes, "lane mask", "Lanes to be resolved."))
#define GPUTM__RESOLVER_RELEASE(kind)                                                          \
	EVENT(kind, "release", "The warp is resolved, and the buffer is free.",                \
	      VALUE(buffer, "buffer", "The buffer."),                                          \
	      VALUE(survived, "lane mask", "Lanes that go on to commit."),                     \
	      VALUE(aborted, "lane mask", "Lanes that have to run again."),                    \
	      VALUE(cost, "cycles", "Cycles that the resolution took."))

void gputm__resolver_setup(struct gputm_unit *unit, struct gputm__resolver *core, uint32_t buffers,
			   uint32_t lanes, uint32_t address_bits);
void gputm__resolver_clear(struct gputm__resolver *core);
void gputm__resolver_io(struct gputm__resolver *core, struct gputm__io *io);
const char *gputm__resolver_check(const struct gputm__resolver *core);
void gputm__resolver_laws(const struct gputm__resolver *core, struct gputm__laws *laws);

int gputm__resolver_acquire_probe(const struct gputm_unit *unit,
				  const struct gputm__resolver *core, uint64_t active);
/* As the unit's acquire; the unit clears the buffer itself. */
int gputm__resolver_acquire(const struct gputm_unit *unit, struct gputm__resolver *core,
			    uint64_t active, uint32_t *buffer);
int gputm__resolver_release(const struct gputm_unit *unit, struct gputm__resolver *core,
			    uint32_t buffer);
int gputm__resolver_result(const struct gputm_unit *unit, const struct gputm__resolver *core,
			   uint32_t buffer, struct gputm_resolver_outcome *out);

/* 0 when the buffer is held and in no state after `last`; else the refusal. */
int gputm__resolver_held(const struct gputm_unit *unit, const struct gputm__resolver *core,
			 uint32_t buffer, uint32_t last);
/* 0 when the lanes of a row, and the addresses of the `active` ones, are in range. */
int gputm__resolver_check_row(const struct gputm_unit *unit, const struct gputm__resolver *core,
			      uint64_t active, const struct gputm_resolver_row *row);
int gputm__resolver_check_logs(const struct gputm_unit *unit, const struct gputm__resolver *core,
			       uint64_t active, const struct gputm_resolver_logs *logs);

/* The cost of reading `rows` log rows and of `steps` further steps; cycles is construct or
 * match. */
static inline void gputm__resolver_spend(struct gputm__resolver *core,
					 struct gputm__resolver_buffer *b, uint64_t construct,
					 uint64_t match, uint64_t rows, uint64_t steps)
{
	b->so_far.construct_cycles += construct;
	b->so_far.match_cycles += match;
	b->so_far.log_rows += rows;
	b->so_far.steps += steps;
	core->construct_cycles += construct;
	core->match_cycles += match;
	core->log_rows += rows;
	core->steps += steps;
}

#endif /* GPUTM_LIB_WARPTM_RESOLVER_H */
