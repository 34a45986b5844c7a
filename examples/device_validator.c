/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU has read word 8; the CPU's writes come in two chunks, the older one last. */
#include <gputm/device_validator.h>
#include <inttypes.h>
#include <stdio.h>

static uint32_t replica[16]; /* the GPU's */

static int validate(struct gputm_device_validator *validator,
		    const struct gputm_access_bitmap *reads,
		    const struct gputm_write_set_log_entry *entry, uint32_t count)
{
	struct gputm_write_set_log_chunk chunk = { .entry = entry, .count = count, .round = 1 };
	struct gputm_device_validator_result r;
	uint64_t apply[1];

	if (gputm_device_validator_push(validator, reads, &chunk, GPUTM_DEVICE_VALIDATOR_MODE_APPLY,
					apply, &r) < 0)
		return 1;
	for (uint32_t i = 0; i < count; i++)
		if (apply[0] >> i & 1)
			replica[entry[i].address / 4] = entry[i].value;
	printf("%" PRIu32 " conflicts, %" PRIu32 " applied, %" PRIu32 " stale, %" PRIu64
	       " cycles\n",
	       r.conflicts, r.applied, r.stale, r.cycles);
	return 0;
}

int main(void)
{
	static const struct gputm_write_set_log_entry late[] = { { 0, 3, 30 }, { 32, 2, 20 } };
	static const struct gputm_write_set_log_entry early[] = { { 0, 1, 10 }, { 4, 1, 11 } };
	struct gputm_device_validator_config config = GPUTM_DEVICE_VALIDATOR_CONFIG_INIT;
	struct gputm_access_bitmap_config marks = GPUTM_ACCESS_BITMAP_CONFIG_INIT;
	struct gputm_device_validator *validator;
	struct gputm_access_bitmap *reads;

	config.region_bytes = marks.region_bytes = sizeof(replica);
	if (gputm_device_validator_new(NULL, &config, &validator) < 0 ||
	    gputm_access_bitmap_new(NULL, &marks, &reads) < 0 ||
	    gputm_device_validator_begin(validator, 1) < 0 ||
	    gputm_access_bitmap_record(reads, 32) < 0)
		return 1;
	if (validate(validator, reads, late, 2) || validate(validator, reads, early, 2))
		return 1;
	printf("replica: [0] = %" PRIu32 ", [4] = %" PRIu32 ", [32] = %" PRIu32 "\n", replica[0],
	       replica[1], replica[8]);
	printf("the round %s\n",
	       gputm_device_validator_conflict(validator) ? "has failed" : "has succeeded");
	gputm_device_validator_free(validator);
	gputm_access_bitmap_free(reads);
	return 0;
}
