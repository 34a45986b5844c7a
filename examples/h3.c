/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulator has a hash of its own, and its filters here are to have it too. A hash that is linear
 * over XOR is an H3 hash: its rows are what it makes of single bits of the key.
 */
#include <gputm/base.h>
#include <inttypes.h>
#include <stdio.h>

enum { WAYS = 2, BITS = 5, KEY_BITS = 10 };

/* The simulator's hash: the key folded by XOR, in way 1 after a shift. */
static uint32_t folded(void *state, uint32_t way, uint64_t key)
{
	(void)state;
	return (uint32_t)(key ^ key >> (BITS - way)) & ((1 << BITS) - 1);
}

static int compare(const struct gputm_h3 *h3)
{
	for (uint64_t key = 0; key < 1 << KEY_BITS; key++)
		for (uint32_t way = 0; way < WAYS; way++)
			if (gputm_h3_index(h3, way, key) != folded(NULL, way, key))
				return 1;
	return 0;
}

int main(void)
{
	struct gputm_h3_config config = GPUTM_H3_CONFIG_INIT;
	uint32_t rows[WAYS * KEY_BITS];
	struct gputm_h3 *h3;
	int differ;

	config.ways = WAYS;
	config.index_bits = BITS;
	config.key_bits = KEY_BITS;
	config.rows = rows;
	if (gputm_h3_rows_from(NULL, folded, NULL, WAYS, BITS, KEY_BITS, 0, rows) ||
	    gputm_h3_new(NULL, &config, &h3))
		return 1;
	for (uint32_t way = 0; way < WAYS; way++) {
		printf("way %" PRIu32 ":", way);
		for (uint32_t bit = 0; bit < KEY_BITS; bit++)
			printf(" %02" PRIx32, gputm_h3_row(h3, way, bit));
		printf("\n");
	}
	differ = compare(h3);
	printf("%s for all keys\n", differ ? "different" : "equal");
	for (size_t i = 0; i < gputm_h3_params()->param_count; i++)
		printf("%s = %" PRIu64 "\n", gputm_h3_params()->param[i].name,
		       gputm_params_get(&gputm_h3_params()->param[i], &config));
	gputm_h3_free(h3);
	return differ;
}
