/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H
#define GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H
/* What the files of the validation unit share; the essay is in validation_unit.c. */
#include "gputm/validation_unit.h"
#include "lib/base/queue.h"
#include "lib/getm/metadata_table-priv.h"

enum { /* mutants */
	GPUTM__MUTANT_NEXT_SLEEPS = 100, /* rule (a) of who wakes is left out */
	GPUTM__MUTANT_OWN_SLEEP,	 /* rule (c) */
};

/* An access in the stall buffer, or woken from there. The tag in the buffer is the number of the
 * slot. */
struct gputm__slot {
	struct gputm_validation_unit_request request;
	bool taken;
};

/* An answer in the output port. */
struct gputm__answered {
	struct gputm_validation_unit_answer answer;
	bool estimated; /* an abort, by stamps that the filter estimates */
};

#define GPUTM__REASONS (GPUTM_VALIDATION_UNIT_REASON_ROLLOVER + 1) /* that there are */
#define GPUTM__WAITS GPUTM__REASONS /* a verdict beside the reasons */

extern const char *const gputm__validation_states[4]; /* names, in events and messages */

struct gputm_validation_unit {
	struct gputm_unit unit;
	struct gputm_validation_unit_config config;
	struct gputm_metadata_table *table;
	struct gputm_stall_buffer *buffer;
	struct gputm__slot *slot; /* [slots] */
	uint32_t taken; /* of the slots */
	struct gputm__queue woken; /* uint32_t, numbers of slots */
	/* Clocked face. */
	struct gputm__queue input;  /* requests */
	struct gputm__queue output; /* struct gputm__answered; see gputm__validation_work() */
	uint64_t busy, owed; /* cycles: of the access at work; of releases that went to memory */
	/* Rollover. */
	struct gputm__queue from_ring, to_ring; /* struct gputm_validation_unit_message */
	uint32_t state, leader;
	uint64_t highest; /* of the times that stamps have got; 0 without report_highest */

	uint64_t address_max, warp_max, time_max, threshold, sequence_mask, count_max;
	uint32_t slots;

	uint64_t cycles, accesses, loads, stores, owned, retries, woken_total, releases;
	uint64_t released_writes, reserved_writes, access_cycles, rollovers;
	uint64_t answers[GPUTM__WAITS + 1]; /* by verdict */
	uint64_t accepted, delivered, woken_max;
	struct gputm__histogram cost;
	uint64_t abort_estimated;
};

static inline bool gputm__validation_fits(const struct gputm_validation_unit *u,
					  const struct gputm_validation_unit_request *r)
{
	return r->address <= u->address_max && r->warp <= u->warp_max && r->time <= u->time_max;
}

/* The answer being made, in the output port, which has room for it. */
static inline struct gputm__answered *
gputm__validation_work(const struct gputm_validation_unit *u)
{
	return gputm__queue_at(&u->output, u->output.count);
}

/* Is there an access at work that is granted or aborts, and does not wait? */
static inline bool gputm__validation_at_work(const struct gputm_validation_unit *u)
{
	return u->busy && gputm__validation_work(u)->answer.result != GPUTM_VALIDATION_UNIT_STALLED;
}

/* Accesses in the stall buffer: those in slots that have not been woken. */
static inline uint64_t gputm__validation_waiting(const struct gputm_validation_unit *u)
{
	return u->taken - u->woken.count;
}

/* If the unit is rolling over and holds nothing any more, forget all stamps and continue. */
void gputm__validation_roll(struct gputm_validation_unit *u);

#endif /* GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H */
