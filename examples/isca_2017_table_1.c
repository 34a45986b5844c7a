/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table 1 of the snapshot isolation paper (ISCA 2017, 4.3) against the storage that the units
 * report with the paper's presets, and where the paper's own numbers do not agree.
 */
#include <gputm/gputm.h>
#include <inttypes.h>
#include <stdio.h>

static uint64_t total;

static void show(const struct gputm_unit *unit, const char *paper)
{
	struct gputm_storage s;

	printf("%s, in the paper %s\n", gputm_unit_kind(unit), paper);
	for (size_t i = 0; gputm_unit_storage(unit, i, &s); i++)
		printf("  %-26s %6" PRIu64 " x %3" PRIu64 " bits%s\n", s.name, s.entries, s.bits,
		       s.apart ? ", not in the paper's count" : "");
	printf("  %" PRIu64 " bytes\n", gputm_unit_storage_bits(unit) / 8);
	total += gputm_unit_storage_bits(unit);
}

/* A unit with the paper's preset: shown, and gone again. */
#define SHOW(UNIT, PAPER)                                                                      \
	static int show_##UNIT(void)                                                           \
	{                                                                                      \
		struct gputm_##UNIT##_config config;                                           \
		struct gputm_##UNIT *unit;                                                     \
                                                                                               \
		if (gputm_params_init(gputm_##UNIT##_params(), &config, sizeof(config)) < 0 || \
		    gputm_##UNIT##_config_preset(&config, "isca-2017") < 0 ||                  \
		    gputm_##UNIT##_new(NULL, &config, &unit) < 0)                              \
			return 1;                                                              \
		show(gputm_##UNIT##_unit(unit), PAPER);                                        \
		gputm_##UNIT##_free(unit);                                                     \
		return 0;                                                                      \
	}

SHOW(writer_table, "15 kB")
SHOW(timestamp_table, "12 kB")
SHOW(version_table, "1 kB")
SHOW(reader_list, "740 kB")

int main(void)
{
	if (show_writer_table())
		return 1;
	if (show_timestamp_table())
		return 1;
	puts("  12 kB are 1024 x 96 bits: three timestamps of 32 bits, where the text says 24");
	if (show_version_table())
		return 1;
	puts("  the text counts 8 x 32 bits of creation times, 321 bits, and calls them 193:\n"
	     "  that is 8 x 16; 42 such entries fit into 1 kB");
	if (show_reader_list())
		return 1;
	puts("  740 kB is what the others leave of 768, if these kB have 1024 bytes; the 15 kB\n"
	     "  of the writer table have 1000");
	printf("all: %" PRIu64 " bytes, in the paper 768 kB\n", total / 8);
	return 0;
}
