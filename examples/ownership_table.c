/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two-phase parallel resolution of the conflicts within a warp, on the four transactions of the
 * thesis, Fig. 6.6: row by row, with the table after each.
 */
#include <gputm/ownership_table.h>
#include <inttypes.h>
#include <stdio.h>

static const uint64_t rl1[4] = { 0x04, 0x04, 0x04, 0x04 }, rl2[4] = { 0x0c, 0x08, 0x10, 0 };
static const uint64_t wl1[4] = { 0x0c, 0x08, 0x10, 0x04 }, wl2[4] = { 0x10, 0x14, 0x14, 0x08 };
static const struct gputm_resolver_row reads[2] = { { 0xf, rl1 }, { 0x7, rl2 } };
static const struct gputm_resolver_row writes[2] = { { 0xf, wl1 }, { 0xf, wl2 } };

static void show(const struct gputm_ownership_table *table, uint32_t buffer, const char *what)
{
	struct gputm_resolver_outcome r;

	if (gputm_ownership_table_get_result(table, buffer, &r))
		return;
	printf("%-10s", what);
	for (uint64_t address = 0x04; address <= 0x14; address += 4) {
		int owner = gputm_ownership_table_owner(table, buffer, address);

		if (owner < 0)
			printf(" RO");
		else
			printf(" X%d", owner + 1);
	}
	printf("   survivors 0x%" PRIx64 "\n", r.survived);
}

int main(void)
{
	struct gputm_ownership_table_config config = GPUTM_OWNERSHIP_TABLE_CONFIG_INIT;
	struct gputm_ownership_table *table;
	struct gputm_resolver_outcome r;
	uint32_t buffer;
	int error = 0;

	if (gputm_ownership_table_config_preset(&config, "warptm") ||
	    gputm_ownership_table_new(NULL, &config, &table))
		return 1;
	if (gputm_ownership_table_acquire_probe(table, 0xf) != GPUTM_RESOLVER_ACQUIRED ||
	    gputm_ownership_table_acquire(table, 0xf, &buffer) != GPUTM_RESOLVER_ACQUIRED)
		return 1;
	show(table, buffer, "clear");
	for (int i = 0; i < 2; i++) {
		error |= gputm_ownership_table_construct_row(table, buffer, &writes[i]);
		show(table, buffer, "write");
	}
	for (int i = 0; i < 2; i++) {
		error |= gputm_ownership_table_match_read_row(table, buffer, &reads[i]);
		show(table, buffer, "match RL");
	}
	for (int i = 0; i < 2; i++) {
		error |= gputm_ownership_table_match_write_row(table, buffer, &writes[i]);
		show(table, buffer, "match WL");
	}
	error |= gputm_ownership_table_get_result(table, buffer, &r);
	printf("%" PRIu64 " steps; cycles: %" PRIu64 " to clear, %" PRIu64 " to construct, %" PRIu64
	       " to match\n",
	       r.steps, r.initialise_cycles, r.construct_cycles, r.match_cycles);
	error |= gputm_ownership_table_release(table, buffer);
	gputm_ownership_table_free(table);
	return error != 0;
}
