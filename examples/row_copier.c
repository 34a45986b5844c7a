/* SPDX-License-Identifier: BSD-2-Clause */
/* Three regions are copied to their next versions within the memory (ISCA 2017, Table 2). */
#include <gputm/row_copier.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	static const struct gputm_row_copier_request region[] = {
		{ 1, 0x800000, 0x810000, 0x400 },     /* less than a row */
		{ 2, 0x880000, 0x890000, 0x10000 },   /* 32 rows */
		{ 3, 0x1000000, 0x1400000, 0x400000 } /* 2048 rows for 1024 subarrays */
	};
	struct gputm_row_copier_config config = GPUTM_ROW_COPIER_CONFIG_INIT;
	struct gputm_row_copier_request done;
	struct gputm_row_copier *copier;
	uint64_t cycle, quiet;

	if (gputm_row_copier_config_preset(&config, "isca-2017") < 0 ||
	    gputm_row_copier_new(NULL, &config, &copier) < 0)
		return 1;
	for (unsigned i = 0; i < 3; i++) {
		if (gputm_row_copier_push_probe(copier, &region[i], &cycle) < 0 ||
		    gputm_row_copier_push(copier, &region[i], NULL) != GPUTM_ROW_COPIER_OK)
			return 1;
		printf("copy %" PRIu64 " of %" PRIu64 " bytes will be complete at cycle %" PRIu64
		       "\n",
		       region[i].tag, region[i].bytes, cycle);
	}
	while ((quiet = gputm_row_copier_next_event(copier)) != UINT64_MAX) {
		gputm_row_copier_advance(copier, quiet);
		gputm_row_copier_tick(copier);
		while (gputm_row_copier_take(copier, &done))
			printf("cycle %" PRIu64 ": copy %" PRIu64 " complete\n",
			       gputm_row_copier_now(copier), done.tag);
	}
	gputm_row_copier_free(copier);
	return 0;
}
