/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "machine.h"

#define NONE ""
#define DEPTH "our choice: about the depth of a pipeline"
#define T3_2 "Fung, thesis 2015, Table 3.2"
#define T4_4 "Fung, thesis 2015, Table 4.4"
#define T6_1 "Fung, thesis 2015, Table 6.1"
#define SILENT "as on the machine of Table 6.1, where its own table says nothing"
#define T6_7_6 "Fung, thesis 2015, 6.7.6"
#define IN_L1 "our choice: all of a log hits the L1, as the logs of si-tm do"
#define GDDR3 "our choice: those of a GDDR3 chip"
#define RELEASED "GETM's released simulator, its settings"
#define FX5800 "Quadro FX5800"
#define READS "our choice: the texts say of writes no more than of reads"
#define ALIKE "our choice: the texts tell neither writes from reads nor banks from one another"
#define TWO_EDGES ": 8 B twice in a cycle of 800 MHz, as the Quadro FX5800 has them"

static const char *const schedulers[] = { "lrr", "gto", "two_level" };

/* The same value from the same source on all machines. */
#define ALL(value, source) value, source, value, source, value, source, value, source

/*
 * A parameter: field, range, powers of two only, names of its values, what it is; then its value
 * and where that is from, of fermi, reference, thesis-3 and thesis-4.
 */
#define FIELDS(F)                                                                              \
	F(cores, 1, 256, false, NULL, "SIMT cores",                                             \
	  15, T6_1, 15, RELEASED, 30, T3_2, 30, T4_4),                                         \
	F(warps, 1, 64, false, NULL, "warps resident on a core",                               \
	  48, T6_1, 48, RELEASED, 32, T3_2, 32, T4_4),                                         \
	F(lanes, 1, 32, false, NULL, "lanes of a warp",                                        \
	  32, T6_1, 32, RELEASED, 32, T3_2, 32, T4_4),                                         \
	F(blocks, 1, 64, false, NULL, "most thread blocks resident on a core",                 \
	  8, "Fermi", 8, RELEASED, 8, FX5800, 8, FX5800),                                      \
	F(issue_slots, 1, 4, true, NULL,                                                       \
	  "warps that issue in a core cycle; a warp's slot is its number modulo this",         \
	  1, T6_1, 2, T6_1 ": 16 x 2 lanes at 1400 MHz", 1, T3_2, 1, T4_4),                    \
	F(simd_width, 1, 32, false, NULL, "lanes that an issue slot takes in a core cycle",    \
	  32, T6_1, 32, RELEASED, 8, T3_2, 8, T4_4),                                           \
	F(scheduler, SIM_LRR, SIM_TWO_LEVEL, false, schedulers,                                \
	  "which ready warp issues: in turn, the last one then the oldest, or by groups of 8", \
	  SIM_GTO, T6_1, SIM_GTO, T6_1, SIM_LRR, T3_2, SIM_LRR, T4_4),                         \
	F(partitions, 1, 64, false, NULL, "memory partitions",                                 \
	  6, T6_1, 6, RELEASED, 8, T3_2, 8, T4_4),                                             \
	F(interleave, 128, 1u << 20, true, NULL, "consecutive bytes in one partition",         \
	  256, RELEASED, 256, RELEASED, 256, SILENT, 256, SILENT),                             \
	F(core_mhz, 100, 5600, false, NULL, "core clock, MHz",                                 \
	  1400, T6_1, 700, RELEASED, 1300, T3_2, 1300, T4_4),                                  \
	F(crossbar_mhz, 100, 5600, false, NULL, "crossbar clock, MHz",                         \
	  1400, T6_1, 1400, RELEASED, 650, T3_2, 650, T4_4),                                   \
	F(unit_mhz, 100, 5600, false, NULL, "clock of the L2 and of the units beside it, MHz", \
	  700, T6_1, 700, RELEASED, 650, T4_4, 650, T4_4),                                     \
	F(crossbar_latency, 1, 1000, false, NULL, "crossbar cycles that a flit takes",         \
	  5, T6_1, 5, RELEASED, 5, T4_4, 5, T4_4),                                             \
	F(flit_bytes, 8, 128, true, NULL, "bytes that a port moves in a crossbar cycle",       \
	  32, T6_1, 32, RELEASED, 32, T4_4, 32, T4_4),                                         \
	F(concentration, 1, 256, false, NULL, "cores that share a port of each crossbar",       \
	  1, T6_1, 1, RELEASED, 1, SILENT, 3, T4_4),                                           \
	F(l1_bytes, 0, 1u << 20, false, NULL,                                                  \
	  "bytes of L1 for a core's loads outside of transactions; 0: none",                   \
	  0, T6_1, 0, RELEASED, 32 * 1024, T3_2, 0, T4_4),                                     \
	F(l1_ways, 1, 32, false, NULL, "ways of the L1",                                       \
	  6, T6_1, 6, RELEASED, 8, T3_2, 6, T4_4),                                             \
	F(l1_latency, 0, 1000, false, NULL, "core cycles more for a load that hits in the L1",  \
	  ALL(8, "our choice")),                                                               \
	F(spill_latency, 0, 1u << 16, false, NULL,                                             \
	  "core cycles for a row of a log beyond tx_log.l1_rows, which is in the L2",          \
	  ALL(0, IN_L1)),                                                                      \
	F(line_bytes, 32, 128, true, NULL, "bytes of an L2 line",                              \
	  128, T6_1, 128, RELEASED, 64, T3_2, 128, T4_4),                                      \
	F(l2_bytes, 1024, 1u << 26, true, NULL, "bytes of L2 in a partition",                  \
	  128 * 1024, T6_1, 128 * 1024, RELEASED, 1024 * 1024, T3_2, 64 * 1024, T4_4),         \
	F(l2_ways, 1, 64, true, NULL, "ways of the L2",                                        \
	  8, T6_1, 16, RELEASED, 64, T3_2, 8, T4_4),                                           \
	F(l2_latency, 1, 2000, false, NULL,                                                    \
	  "core cycles in the partition for an L2 hit of a core",                              \
	  330, T6_1, 120, RELEASED, 460, T4_4, 460, T4_4),                                     \
	F(unit_latency, 1, 2000, false, NULL,                                                  \
	  "core cycles for an L2 hit of a unit beside the L2",                                 \
	  230, RELEASED, 115, RELEASED, 320, SCALED, 320, SCALED),                             \
	F(l2_port, 0, 128, true, NULL,                                                         \
	  "bytes that cores and units together move at the L2 in its cycle; 0: ports apart",   \
	  64, T6_7_6, 64, T6_7_6, 64, T6_7_6, 64, T6_7_6),                                     \
	F(l2_write_miss, 0, SIM_BURST_MAX, true, NULL,                                         \
	  "bytes of the bursts in which a write goes to DRAM and is answered by it when its "  \
	  "line is not in the L2 yet, besides what brings the line; 0: the line answers it",   \
	  0, READS, 64, RELEASED, 0, READS, 0, READS),                                         \
	F(dram_latency, 0, 5000, false, NULL, "core cycles more for an L2 miss",               \
	  200, T6_1, 100, RELEASED, 0, T4_4 ": in l2_latency", 0, T4_4 ": in l2_latency"),     \
	F(dram_mbps, 100, 1000000, false, NULL,                                                \
	  "megabytes per second between a partition and its DRAM",                             \
	  29500, T6_1, 29568, TWO_CHIPS, 12800, T3_2 TWO_EDGES,                         \
	  12800, T4_4 TWO_EDGES),                                                        \
	F(dram_banks, 0, SIM_BANKS, true, NULL,                                                \
	  "banks of a partition's DRAM; 0: a channel in order of arrival, and no rows",        \
	  16, RELEASED, 16, RELEASED, 8, GDDR3, 8, GDDR3),                                     \
	F(dram_row_bytes, 128, 1u << 20, true, NULL, "bytes of a row of DRAM",                 \
	  4096, RELEASED, 4096, RELEASED, 4096, SILENT, 4096, SILENT),                         \
	F(dram_queue, 1, 1024, false, NULL, "requests that the DRAM controller chooses from",  \
	  32, T6_1, 16, RELEASED, 32, T3_2, 32, T4_4),                                         \
	F(dram_mhz, 100, 5600, false, NULL, "clock of the DRAM's commands, MHz",               \
	  924, T6_1, 924, RELEASED, 800, T3_2, 800, T4_4),                                     \
	F(dram_rc, 0, 1000, false, NULL, "DRAM cycles between rows of a bank",                 \
	  40, RELEASED, 40, RELEASED, 35, T3_2, 35, T4_4),                                     \
	F(dram_rrd, 0, 1000, false, NULL, "DRAM cycles between rows of two banks",             \
	  6, RELEASED, 6, RELEASED, 8, T3_2, 8, T4_4),                                         \
	F(dram_rcd, 0, 1000, false, NULL, "DRAM cycles to open a row",                         \
	  12, RELEASED, 12, RELEASED, 12, T3_2, 12, T4_4),                                     \
	F(dram_rp, 0, 1000, false, NULL, "DRAM cycles to close a row",                         \
	  12, RELEASED, 12, RELEASED, 10, T3_2, 10, T4_4),                                     \
	F(dram_cl, 0, 1000, false, NULL, "DRAM cycles from the command to the data",           \
	  12, RELEASED, 12, RELEASED, 10, T3_2, 10, T4_4),                                     \
	F(dram_turn, 0, 1000, false, NULL,                                                     \
	  "DRAM cycles that the channel is idle before a read after a write",                  \
	  0, ALIKE, 17, RELEASED ": CDLR and CL", 0, ALIKE, 0, ALIKE),                         \
	F(dram_groups, 0, SIM_BANKS, true, NULL,                                               \
	  "groups of neighbouring banks: after the data of one, data of its group are a DRAM " \
	  "cycle later than others; 0: no groups",                                             \
	  0, ALIKE, 4, RELEASED, 0, ALIKE, 0, ALIKE),                                          \
	F(plain_latency, 1, 1000, false, NULL,                                                 \
	  "core cycles from an instruction to the next of its warp",                           \
	  8, DEPTH, 4, DEPTH, 24, DEPTH, 24, DEPTH),                                           \
	F(pack_messages, 0, 1, false, NULL,                                                    \
	  "1: log, done and skip messages of a warp share packets",                            \
	  0, T6_1, 1, RELEASED, 0, T4_4, 0, T4_4),                                             \
	F(unbounded_ring, 0, 1, false, NULL, "1: commit entries never run out",                \
	  0, T6_1, 1, RELEASED, 0, T4_4, 0, T4_4),                                             \
	F(swap_units_every, 0, 1u << 30, false, NULL,                                          \
	  "core cycles after which all units are saved, made anew and loaded; 0: never",       \
	  ALL(0, NONE)),                                                                       \
	F(patience, 0, 1u << 30, false, NULL,                                                  \
	  "aborted attempts without a commit between that end the run; 0: never",              \
	  ALL(1000000, NONE)),                                                                 \
	F(patience_cycles, 0, 1u << 30, false, NULL,                                           \
	  "core cycles of an attempt, or in which no thread ends or commits, that end the run; " \
	  "0: never",                                                                            \
	  ALL(500000000, NONE))

#define SCALED "our choice: as much less than l2_latency as on the machine of Table 6.1"
#define TWO_CHIPS RELEASED ": two chips, 4 B each, four times in a cycle of 924 MHz"

#define ROW(field, lo, hi, pow2, names, sentence, standard, origin)                            \
	{ #field, (uint32_t)offsetof(struct sim_machine_config, field),                        \
	  (uint32_t)sizeof(((struct sim_machine_config *)0)->field), (lo), (hi), (standard),   \
	  (pow2), (sentence), (origin), (names) }

/* The column of a machine; FIELDS() hands over a row whose ALL() is not expanded yet. */
#define PICK_FERMI(f, lo, hi, pow2, names, text, a, a_of, b, b_of, c, c_of, d, d_of)           \
	ROW(f, lo, hi, pow2, names, text, a, a_of)
#define PICK_REFERENCE(f, lo, hi, pow2, names, text, a, a_of, b, b_of, c, c_of, d, d_of)       \
	ROW(f, lo, hi, pow2, names, text, b, b_of)
#define PICK_THESIS_3(f, lo, hi, pow2, names, text, a, a_of, b, b_of, c, c_of, d, d_of)        \
	ROW(f, lo, hi, pow2, names, text, c, c_of)
#define PICK_THESIS_4(f, lo, hi, pow2, names, text, a, a_of, b, b_of, c, c_of, d, d_of)        \
	ROW(f, lo, hi, pow2, names, text, d, d_of)
#define FERMI(...) PICK_FERMI(__VA_ARGS__)
#define REFERENCE(...) PICK_REFERENCE(__VA_ARGS__)
#define THESIS_3(...) PICK_THESIS_3(__VA_ARGS__)
#define THESIS_4(...) PICK_THESIS_4(__VA_ARGS__)

static const struct gputm_param fermi[] = { FIELDS(FERMI) };
static const struct gputm_param reference[] = { FIELDS(REFERENCE) };
static const struct gputm_param thesis_3[] = { FIELDS(THESIS_3) };
static const struct gputm_param thesis_4[] = { FIELDS(THESIS_4) };

#define PARAMS(rows)                                                                           \
	{ "machine", sizeof(struct sim_machine_config), rows, sizeof rows / sizeof *rows, NULL, 0 }

const struct sim_machine_kind sim_machine_kinds[SIM_MACHINES] = {
	{ "fermi", "GTX 480 as in thesis Table 6.1 and GETM Table II", PARAMS(fermi) },
	{ "reference",
	  "the machine of the released simulator: cycles are those of a 700 MHz core",
	  PARAMS(reference) },
	{ "thesis-3", "Quadro FX5800 with caches as in thesis Table 3.2, of block compaction",
	  PARAMS(thesis_3) },
	{ "thesis-4", "Quadro FX5800 with caches as in thesis Table 4.4, of Kilo TM",
	  PARAMS(thesis_4) },
};

const struct gputm_params *sim_machine_named(const char *name)
{
	for (size_t i = 0; i < SIM_MACHINES; i++)
		if (!strcmp(name, sim_machine_kinds[i].name))
			return &sim_machine_kinds[i].params;
	return NULL;
}

struct sim_shape sim_machine_shape(const struct sim_machine_config *config)
{
	return (struct sim_shape){
		.cores = config->cores,
		.warps = config->warps,
		.blocks = config->blocks,
		.lanes = config->lanes,
		.partitions = config->partitions,
		.interleave = config->interleave,
		.core_mhz = config->core_mhz,
		.flit_bytes = config->flit_bytes,
		.plain_latency = config->plain_latency,
		.spill_latency = config->spill_latency,
		.has_l1 = config->l1_bytes,
		.pack_messages = config->pack_messages,
		.unbounded_ring = config->unbounded_ring,
	};
}
