/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table V of GETM's paper (HPCA 2018), which sizes WarpTM and GETM, against the storage that the
 * units report with the papers' presets.
 */
#include <gputm/gputm.h>
#include <inttypes.h>
#include <stdio.h>

static void show(const struct gputm_unit *unit, const char *preset, const char *paper)
{
	struct gputm_storage s;

	printf("%s, preset %s; in the paper %s\n", gputm_unit_kind(unit), preset, paper);
	for (size_t i = 0; gputm_unit_storage(unit, i, &s); i++)
		if (!s.apart)
			printf("  %-18s %5" PRIu64 " x %3" PRIu64 " bits = %5" PRIu64 " bytes\n",
			       s.name, s.entries, s.bits, (s.entries * s.bits + 7) / 8);
}

/* A unit with that preset: shown, and gone again. */
#define SHOW(UNIT, PRESET, PAPER)                                                              \
	static int show_##UNIT(void)                                                           \
	{                                                                                      \
		struct gputm_##UNIT##_config config;                                           \
		struct gputm_##UNIT *unit;                                                     \
                                                                                               \
		if (gputm_params_init(gputm_##UNIT##_params(), &config, sizeof(config)) < 0 || \
		    gputm_##UNIT##_config_preset(&config, PRESET) < 0 ||                       \
		    gputm_##UNIT##_new(NULL, &config, &unit) < 0)                              \
			return 1;                                                              \
		show(gputm_##UNIT##_unit(unit), PRESET, PAPER);                                \
		gputm_##UNIT##_free(unit);                                                     \
		return 0;                                                                      \
	}

SHOW(commit_unit, "warptm", "19 kB, 32 kB, 3 kB and 2 kB a partition")
SHOW(first_read, "warptm-tcd", "12 kB a core")
SHOW(last_written, "tcd-2k", "16 kB in all")
SHOW(commit_buffer, "getm", "16 kB a partition")
SHOW(metadata_table, "getm-gpu", "64 kB and 8 kB in all")
SHOW(warp_clock, "getm", "192 B a core")
SHOW(stall_buffer, "getm", "4 x 30 B a partition")

int main(void)
{
	if (show_commit_unit())
		return 1;
	puts("  19 kB are 10 bytes an entry; the thesis does not name all that is in them");
	if (show_first_read() || show_last_written())
		return 1;
	puts("  the thesis has a table of this size in each partition");
	if (show_commit_buffer() || show_metadata_table())
		return 1;
	puts("  64 kB are 128 bits an entry; its stash is not in the paper's table");
	if (show_warp_clock() || show_stall_buffer())
		return 1;
	puts("  the paper does not name what is in the 30 bytes of a line");
	return 0;
}
