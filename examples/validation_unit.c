/* SPDX-License-Identifier: BSD-2-Clause */
/* The paper's Fig. 7: two transfers between accounts A and B, in opposite directions. */
#include <gputm/validation_unit.h>
#include <inttypes.h>
#include <stdio.h>

enum { A = 0x100, B = 0x200, P = 1, Q = 2 };

static void show(struct gputm_validation_unit *unit, int table)
{
	struct gputm_validation_unit_granule a, b;

	if (gputm_validation_unit_get_granule(unit, A, &a) < 0 ||
	    gputm_validation_unit_get_granule(unit, B, &b) < 0)
		return;
	printf("table %d: A wts %" PRIu64 " rts %" PRIu64 " writes %u, B wts %" PRIu64
	       " rts %" PRIu64 " writes %u\n", table, a.wts, a.rts, a.writes, b.wts, b.rts,
	       b.writes);
}

/* A load, and after it a store if there are two accesses. */
static void run(struct gputm_validation_unit *unit, uint32_t warp, int accesses, uint64_t address,
		uint64_t time)
{
	static const char *const results[] = { "ok", "abort", "waits" };
	struct gputm_validation_unit_request request = { 0, address, time, time, warp, false };
	struct gputm_validation_unit_answer answer;

	for (int i = 0; i < accesses; i++, request.write = true) {
		int result = gputm_validation_unit_access_probe(unit, &request);

		if (result < 0 || gputm_validation_unit_access(unit, &request, &answer) != result)
			return;
		printf("tx%u %s %c at %" PRIu64 ": %s", warp, i ? "stores" : "loads",
		       address == A ? 'A' : 'B', time, results[result]);
		if (result == GPUTM_VALIDATION_UNIT_ABORT)
			printf(", restart after %" PRIu64, answer.time);
		printf("\n");
	}
}

int main(void)
{
	struct gputm_validation_unit_request load = { 7, A, 1, 1, P, false };
	struct gputm_validation_unit_message stop;
	struct gputm_validation_unit_answer answer;
	struct gputm_validation_unit *unit;
	int bad = 0;

	if (gputm_validation_unit_new(NULL, NULL, &unit) < 0)
		return 1;
	run(unit, P, 2, A, 20);
	run(unit, Q, 2, B, 10);
	show(unit, 1);
	run(unit, Q, 1, A, 10);
	bad |= gputm_validation_unit_release(unit, B, Q, 10, 1, NULL);
	run(unit, P, 2, B, 20);
	show(unit, 2);
	run(unit, Q, 1, B, 22);
	bad |= gputm_validation_unit_release(unit, A, P, 20, 1, NULL);
	bad |= gputm_validation_unit_release(unit, B, P, 20, 1, NULL);
	show(unit, 3);
	if (gputm_validation_unit_retry(unit, &answer) == GPUTM_VALIDATION_UNIT_OK)
		printf("tx1 has committed, tx2 goes on\n");
	/* All times start again, as before they are too wide: the ring has one unit. */
	gputm_validation_unit_rollover(unit);
	if (gputm_validation_unit_ring_peek(unit, &stop) && gputm_validation_unit_ring_pop(unit))
		bad |= gputm_validation_unit_ring_push(unit, &stop);
	bad |= gputm_validation_unit_rollover_go(unit);
	if (gputm_validation_unit_push_probe(unit, &load) == GPUTM_VALIDATION_UNIT_ACCEPTED)
		bad |= gputm_validation_unit_push(unit, &load);
	while (!bad && !gputm_validation_unit_peek(unit, &answer))
		bad |= gputm_validation_unit_tick(unit) < 0;
	printf("answer %" PRIu64 ": %s\n", answer.tag, answer.result ? "abort" : "ok");
	gputm_validation_unit_free(unit);
	return bad;
}
