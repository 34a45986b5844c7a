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

static void access_one(struct gputm_validation_unit *unit, uint32_t warp, bool write,
		       uint64_t address, uint64_t time)
{
	static const char *const results[] = { "ok", "abort", "waits" };
	struct gputm_validation_unit_request request = { 0, address, time, time, warp, write };
	struct gputm_validation_unit_answer answer;
	int result = gputm_validation_unit_access(unit, &request, &answer);

	if (result < 0)
		return;
	printf("tx%u %s %c at %" PRIu64 ": %s", warp, write ? "stores" : "loads",
	       address == A ? 'A' : 'B', time, results[result]);
	if (result == GPUTM_VALIDATION_UNIT_ABORT)
		printf(", restart after %" PRIu64, answer.time);
	printf("\n");
}

static void both(struct gputm_validation_unit *unit, uint32_t warp, uint64_t address, uint64_t time)
{
	access_one(unit, warp, false, address, time);
	access_one(unit, warp, true, address, time);
}

int main(void)
{
	struct gputm_validation_unit_answer answer;
	struct gputm_validation_unit *unit;

	if (gputm_validation_unit_new(NULL, NULL, &unit) < 0)
		return 1;
	both(unit, P, A, 20);
	both(unit, Q, B, 10);
	show(unit, 1);
	access_one(unit, Q, false, A, 10);
	if (gputm_validation_unit_release(unit, B, Q, 10, 1, NULL) < 0)
		return 1;
	both(unit, P, B, 20);
	show(unit, 2);
	access_one(unit, Q, false, B, 22);
	if (gputm_validation_unit_release(unit, A, P, 20, 1, NULL) < 0 ||
	    gputm_validation_unit_release(unit, B, P, 20, 1, NULL) < 0)
		return 1;
	show(unit, 3);
	if (gputm_validation_unit_retry(unit, &answer) == GPUTM_VALIDATION_UNIT_OK)
		printf("tx1 has committed, tx2 goes on\n");
	gputm_validation_unit_free(unit);
	return 0;
}
