/* SPDX-License-Identifier: BSD-2-Clause */
/* The validation unit's clocked face: ports and clock; see validation_unit.c. */
#include "lib/getm/validation_unit-priv.h"

/* ---- input and output ---- */

int gputm_validation_unit_push_probe(const struct gputm_validation_unit *u,
				     const struct gputm_validation_request *request)
{
	if (!gputm__validation_fits(u, request))
		return gputm__validation_refuse(u, request);
	return u->input_at.count < u->input_at.capacity ? GPUTM_VALIDATION_UNIT_ACCEPTED :
							  GPUTM_VALIDATION_UNIT_PORT_FULL;
}

int gputm_validation_unit_push(struct gputm_validation_unit *u,
			       const struct gputm_validation_request *request)
{
	int result = gputm_validation_unit_push_probe(u, request);

	if (result != GPUTM_VALIDATION_UNIT_ACCEPTED)
		return result;
	u->input[gputm__place(&u->input_at, u->input_at.count++)] = *request;
	u->accepted++;
	return GPUTM_VALIDATION_UNIT_ACCEPTED;
}

int gputm_validation_unit_peek(const struct gputm_validation_unit *u,
			       struct gputm_validation_answer *out)
{
	if (!u->output_at.count)
		return 0;
	*out = u->output[u->output_at.first];
	return 1;
}

int gputm_validation_unit_pop(struct gputm_validation_unit *u)
{
	if (!u->output_at.count)
		return 0;
	gputm__place_take(&u->output_at);
	u->delivered++;
	return 1;
}

uint64_t gputm_validation_unit_pending(const struct gputm_validation_unit *u)
{
	return u->input_at.count + gputm_stall_buffer_waiting(u->buffer) + u->woken_at.count +
	       (u->busy && u->work.result != GPUTM_VALIDATION_UNIT_STALLED);
}

/* ---- clock ---- */

static bool may_take_input(const struct gputm_validation_unit *u)
{
	return u->input_at.count && u->state != GPUTM_VALIDATION_UNIT_ROLLING;
}

static bool may_start(const struct gputm_validation_unit *u)
{
	return u->output_at.count < u->output_at.capacity &&
	       (gputm__validation_may_retry(u) || may_take_input(u));
}

static int start(struct gputm_validation_unit *u)
{
	int result;

	if (gputm__validation_may_retry(u)) {
		result = gputm_validation_unit_retry(u, &u->work);
	} else {
		result = gputm__validation_access(u, &u->input[u->input_at.first], &u->work);
		if (result >= 0)
			gputm__place_take(&u->input_at);
	}
	if (result >= 0)
		u->busy = u->work.cycles;
	return result < 0 ? result : 0;
}

static void work(struct gputm_validation_unit *u)
{
	if (--u->busy || u->work.result == GPUTM_VALIDATION_UNIT_STALLED)
		return;
	u->output[gputm__place(&u->output_at, u->output_at.count++)] = u->work;
}

static int offers(const struct gputm_validation_unit *u)
{
	return (u->output_at.count ? GPUTM_VALIDATION_UNIT_OFFERS_ANSWER : 0) |
	       (u->out_at.count ? GPUTM_VALIDATION_UNIT_OFFERS_MESSAGE : 0);
}

int gputm_validation_unit_tick(struct gputm_validation_unit *u)
{
	int error = 0;

	if (!u->busy && u->owed)
		u->owed--;
	else if (!u->busy && may_start(u))
		error = start(u);
	if (error)
		return error;
	if (u->busy)
		work(u);
	if (GPUTM__UNLIKELY(u->state))
		gputm__validation_roll(u);
	u->cycles++;
	return offers(u);
}

uint64_t gputm_validation_unit_next_event(const struct gputm_validation_unit *u)
{
	if (u->busy)
		return u->busy - 1;
	return may_start(u) ? u->owed : UINT64_MAX;
}

static void skip(struct gputm_validation_unit *u, uint64_t cycles)
{
	u->cycles = gputm__later(u->cycles, cycles);
	if (u->busy)
		u->busy -= cycles;
	else
		u->owed -= u->owed < cycles ? u->owed : cycles;
}

int gputm_validation_unit_advance(struct gputm_validation_unit *u, uint64_t cycles)
{
	while (cycles) {
		uint64_t quiet = gputm_validation_unit_next_event(u);
		int error;

		if (quiet >= cycles) {
			skip(u, cycles);
			break;
		}
		skip(u, quiet);
		error = gputm_validation_unit_tick(u);
		if (error < 0)
			return error;
		cycles -= quiet + 1;
	}
	return offers(u);
}
