/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequential resolution of the conflicts within a warp (thesis, 6.3.2): the lanes go one by one.
 * A lane whose reads or writes may be in the accumulated write-set of the lanes before it
 * aborts; otherwise it adds its own writes.
 */
#include <gputm/signature.h>
#include <inttypes.h>
#include <stdio.h>

struct lane {
	uint64_t read[2], write[2];
};

static bool conflicts(struct gputm_signature *writes, const struct lane *lane)
{
	for (int i = 0; i < 2; i++)
		if (gputm_signature_maybe_contains(writes, 0, lane->read[i]) ||
		    gputm_signature_maybe_contains(writes, 0, lane->write[i]))
			return true;
	return false;
}

int main(void)
{
	static const struct lane lane[4] = {
		{ { 0x100, 0x104 }, { 0x200, 0x204 } },
		{ { 0x108, 0x10c }, { 0x208, 0x20c } },
		{ { 0x200, 0x110 }, { 0x210, 0x214 } }, /* reads what lane 0 writes */
		{ { 0x114, 0x210 }, { 0x218, 0x21c } }, /* lane 2 is gone, so no conflict */
	};
	struct gputm_signature_config config = GPUTM_SIGNATURE_CONFIG_INIT;
	struct gputm_signature *writes; /* 0: accumulated, 1: of the lane */
	uint64_t mask;

	config.count = 2;
	if (gputm_signature_new(NULL, &config, &writes) < 0)
		return 1;
	for (int i = 0; i < 4; i++) {
		if (conflicts(writes, &lane[i])) {
			printf("lane %d aborts\n", i);
			continue;
		}
		if (gputm_signature_clear(writes, 1))
			return 1;
		for (int j = 0; j < 2; j++)
			if (gputm_signature_insert(writes, 1, lane[i].write[j]) < 0)
				return 1;
		if (gputm_signature_union(writes, 0, 1))
			return 1;
		printf("lane %d survives, %" PRIu32 " of %" PRIu32 " bits set\n", i,
		       gputm_signature_population(writes, 0), config.bits);
	}
	if (gputm_signature_match(writes, lane[0].write[0], &mask) < 0)
		return 1;
	printf("0x200 may be in: 0x%" PRIx64 "\n", mask);
	printf("storage: %" PRIu64 " bits\n",
	       gputm_unit_storage_bits(gputm_signature_unit(writes)));
	gputm_signature_free(writes);
	return 0;
}
