/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H
#define GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H
/* What the files of the validation unit share; the essay is in validation_unit.c. */
#include "gputm/validation_unit.h"
#include "lib/base/unit.h"
#include "lib/getm/metadata_cells.h"

#define GPUTM__NO_SLOT UINT32_MAX

/* Places of a ring: the n-th is at (first + n) mod capacity. */
struct gputm__places {
	uint32_t first, count, capacity;
};

static inline uint32_t gputm__place(const struct gputm__places *p, uint32_t n)
{
	uint32_t at = p->first + n;

	return at < p->capacity ? at : at - p->capacity;
}

static inline uint32_t gputm__place_take(struct gputm__places *p)
{
	uint32_t at = p->first;

	p->first = gputm__place(p, 1);
	p->count--;
	return at;
}

struct gputm_validation_unit {
	struct gputm_unit unit;
	struct gputm_validation_unit_config config;
	struct gputm_metadata_table *table;
	struct gputm__cells *cells; /* the table's */
	struct gputm_stall_buffer *buffer; /* its tags are numbers of slots */
	/* Requests that wait or are woken. */
	struct gputm_validation_request *slot;
	uint64_t free, *more_free; /* a bit for each free one: the first 64, the others */
	uint32_t free_slots, slots;
	struct gputm__places woken_at; /* of woken[]: numbers of slots */
	uint32_t *woken;
	/* Clocked face. */
	struct gputm__places input_at, output_at;
	struct gputm_validation_request *input;
	struct gputm_validation_answer *output;
	struct gputm_validation_answer work; /* comes out when busy reaches 0 */
	uint64_t busy, owed; /* cycles: of the access at work; of releases that went to memory */
	/* Rollover. */
	struct gputm__places in_at, out_at;
	struct gputm_validation_message *in, *out;
	uint32_t state, leader;

	uint64_t address_max, warp_max, time_max, threshold, sequence_mask;
	/* Below: times that need no thought. 0 unless running, and with paper_order. */
	uint64_t usual_end;

	uint64_t cycles, accesses, loads, stores, owned, stalled, retries, woken_total, releases;
	uint64_t released_writes, reserved_writes, access_cycles, rollovers;
	uint64_t answers[GPUTM_VALIDATION_UNIT_REASONS];
	uint64_t accepted, delivered, woken_max;
	struct gputm__histogram cost;
};

/* The bits of 64 slots. */
static inline uint64_t *gputm__validation_free(struct gputm_validation_unit *u, uint64_t slot)
{
	return slot < 64 ? &u->free : &u->more_free[slot / 64 - 1];
}

/* The first free slot; there is one. */
static inline uint32_t gputm__validation_free_slot(const struct gputm_validation_unit *u)
{
	uint32_t word = 0;

	if (GPUTM__LIKELY(u->free))
		return gputm__lowest(u->free);
	while (!u->more_free[word])
		word++;
	return (word + 1) * 64 + gputm__lowest(u->more_free[word]);
}

/* That one is free no more. */
static inline void gputm__validation_fill_slot(struct gputm_validation_unit *u, uint64_t slot,
					       const struct gputm_validation_request *request)
{
	u->slot[slot] = *request;
	if (GPUTM__LIKELY(slot < 64))
		u->free &= u->free - 1;
	else
		*gputm__validation_free(u, slot) &= *gputm__validation_free(u, slot) - 1;
	u->free_slots--;
}

static inline uint64_t gputm__validation_stamp(const struct gputm_validation_unit *u,
				const struct gputm_validation_request *r)
{
	return r->time << u->config.warp_bits | r->warp;
}

static inline uint32_t gputm__validation_owner(const struct gputm_validation_unit *u, uint32_t warp,
				uint64_t sequence)
{
	return (uint32_t)((sequence & u->sequence_mask) << u->config.warp_bits | warp);
}

/* What the public access() does. */
int gputm__validation_access(struct gputm_validation_unit *u,
			     const struct gputm_validation_request *request,
			     struct gputm_validation_answer *answer);
/* An access, new (GPUTM__NO_SLOT) or woken from a slot, which is not freed here. */
int gputm__validation_process(struct gputm_validation_unit *u,
			      const struct gputm_validation_request *request, uint32_t slot,
			      struct gputm_validation_answer *answer);
/* The same, when the granule's entry is in this cell of the table. */
int gputm__validation_process_cell(struct gputm_validation_unit *u,
				   const struct gputm_validation_request *request,
				   struct gputm_validation_answer *answer, size_t at,
				   uint32_t slot);
/* The same, when it is in none of the ways. */
int gputm__validation_process_elsewhere(struct gputm_validation_unit *u,
					const struct gputm_validation_request *request,
					struct gputm_validation_answer *answer, uint32_t slot);
/* Abort a new access to a reserved granule with an entry in the ways: no place to wait. */
int gputm__validation_unqueued(struct gputm_validation_unit *u,
			       const struct gputm_validation_request *request,
			       struct gputm_validation_answer *answer);
int gputm__validation_refuse(const struct gputm_validation_unit *u,
			     const struct gputm_validation_request *request);
/* Answer a request with an abort for a rollover. */
int gputm__validation_turn_away(struct gputm_validation_unit *u, uint64_t tag,
				struct gputm_validation_answer *answer);
/* If the unit is rolling over and nothing is left in it, forget all and go on. */
void gputm__validation_roll(struct gputm_validation_unit *u);

/* After a change of state. */
static inline void gputm__validation_set_gate(struct gputm_validation_unit *u)
{
	bool usual = u->state == GPUTM_VALIDATION_UNIT_RUNNING && !u->config.paper_order;

	u->usual_end = usual ? u->threshold + 1 : 0;
}

/* Does any access wait? Then its slot is neither free nor woken. */
static inline bool gputm__validation_waits(const struct gputm_validation_unit *u)
{
	return u->free_slots + u->woken_at.count != u->slots;
}

/* Can retry() do something? While the unit has stopped, it wakes whoever waits. */
static inline bool gputm__validation_may_retry(const struct gputm_validation_unit *u)
{
	return u->woken_at.count || (u->state && gputm__validation_waits(u));
}

static inline bool gputm__validation_fits(const struct gputm_validation_unit *u,
					  const struct gputm_validation_request *request)
{
	return request->address <= u->address_max && request->warp <= u->warp_max &&
	       request->time <= u->time_max;
}

#endif /* GPUTM_LIB_GETM_VALIDATION_UNIT_PRIV_H */
