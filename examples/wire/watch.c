/* SPDX-License-Identifier: BSD-2-Clause */
/* A validation unit that a host watches: two warps, one word; the trace, then the dump. */
#include <gputm/validation_unit.h>

#include "../hosts/watch.h"

enum { WORD = 0x100 };

/* Warp 2 is older than the reservation of warp 1 and aborts; a younger one waits for it. */
static int story(FILE *trace, FILE *vcd)
{
	struct gputm_validation_unit *unit;
	struct gputm_validation_unit_answer answer;
	struct watch watch;
	int failed;

	if (gputm_validation_unit_new(NULL, NULL, &unit))
		return 1;
	watch_open(&watch, trace, vcd);
	failed = gputm_unit_set_name(gputm_validation_unit_unit(unit), "partition 0") ||
		 watch_add(&watch, gputm_validation_unit_unit(unit));
	for (uint32_t warp = 1; warp <= 3 && !failed; warp++) {
		static const uint64_t time[] = { 0, 20, 10, 30 };
		struct gputm_validation_unit_request request = {
			0, WORD, time[warp], 1, warp, true
		};

		watch_cycle(&watch, 2 * (uint64_t)warp);
		failed = gputm_validation_unit_access(unit, &request, &answer) < 0;
	}
	watch_cycle(&watch, 9);
	failed |= gputm_validation_unit_release(unit, WORD, 1, 1, 1, NULL) < 0;
	failed |= gputm_validation_unit_retry(unit, &answer) < 0;
	failed |= watch_close(&watch);
	gputm_validation_unit_free(unit);
	return failed;
}

int main(void)
{
	return story(stdout, NULL) || story(NULL, stdout);
}
