/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Energy and area, as the papers have them. Fung, thesis 2015, section 6.6.1: the power of a GPU is
 * leakage, 59 W, and its clock, 9.8 W, both of a GTX 480, and the dynamic power of what it does;
 * arrays of TM hardware are accessed in every cycle, with what CACTI 6.5 says of an access. The
 * figures of arrays are carried here as printed. They are those of the papers' sizes, which runs
 * may not have, and include what cannot be right: Table 6.3's unit of warp-level management has
 * 88.6 mW more than its parts ("rest"), and the areas of GETM's stall buffer and of the timestamps
 * of snapshot isolation are below those of bare cells.
 *
 * Two things are ours, and no figures of the papers: `active`, where power counts for the part of
 * cycles in which our units access an array, and `scaled`, area by the bits of our configuration.
 * What cores, caches, crossbars and DRAM do takes energy too, of which the papers print no figures:
 * it is not here. Ratios of energy are those of the papers as far as leakage and clock rule them.
 */
#include <string.h>
#include <gputm/commit_unit.h>

#include "report.h"

#define LEAKAGE_W 59.0
#define CLOCK_W 9.8

/* When the array exists. */
enum mode { ALWAYS, SCALAR, WARP };

static const struct row {
	unsigned node; /* nm */
	const char *role, *array, *name;
	double bits;	/* bits that the figures are for */
	double mm2, mw; /* of one unit; of all if `whole` */
	bool whole, fast; /* fast: at the clock of the cores */
	enum mode mode;
	const char *accesses[6]; /* statistics that count its accesses */
} rows[] = {
#define WORDS { "reads", "writes" }
#define ENTRIES                                                                                \
	{ "begun", "skips", "skips_retired", "outcomes_passed", "outcomes_failed", "committed" }
#define BUFFERS { "reads", "writes", "requeued", "reissued" }
	/* Fung, thesis 2015, Table 6.3 */
	{ 40, "commit_unit", "history table", "history_table", 3072 * 8, .010, 6.3, 0, 0, ALWAYS,
	  WORDS },
	{ 40, "commit_unit", "history filter", "history_filter", 2048 * 8, .010, 6.6, 0, 0, ALWAYS,
	  WORDS },
	{ 40, "commit_unit", "ring", "entries", 1920 * 80, .094, 57.5, 0, 0, ALWAYS, ENTRIES },
	{ 40, "commit_unit", "buffers", "buffers", 32768 * 8, .128, 82.5, 0, 0, SCALAR, BUFFERS },
	{ 40, "commit_unit", "buffers", "buffers", 32768 * 8, .731, 260, 0, 0, WARP, BUFFERS },
	{ 40, "commit_unit", NULL, "rest", 0, .001, 88.6, 0, 0, WARP, { NULL } },
	{ 40, "first_read", "first-read times", "first_read", 12288 * 8, .034, 25.5, 0, 1, ALWAYS,
	  { "loads", "replies" } },
	{ 40, "last_written", "last-written times", "last_written", 16384 * 8, .078, 52.3, 0, 0,
	  ALWAYS, { "records", "queries" } },
	/* the snapshot isolation paper, Table 1; one unit of each for the GPU */
	{ 40, "writer_table", "writers", "writers", 15000 * 8, .12, 31.5, 0, 0, ALWAYS,
	  { "claimed", "own", "held", "conflicts", "committed", "released" } },
	{ 40, "timestamp_table", "timestamps", "timestamps", 12288 * 8, .01, 37.8, 0, 0, ALWAYS,
	  { "begun", "passed", "loops", "committed", "aborted", "released" } },
	{ 40, "version_table", "regions", "versions", 1024 * 8, .005, 3.2, 0, 0, ALWAYS,
	  { "acquired", "released", "sealed", "copies" } },
	{ 40, "reader_list", "entries", "readers", 757760 * 8, 5.0, 2330, 0, 0, ALWAYS,
	  { "added", "already", "removed" } },
	/* the GETM paper, Table V */
	{ 32, "commit_unit", "history table", "history_table", 3072 * 8, .018, 3.64, 0, 0, WARP,
	  WORDS },
	{ 32, "commit_unit", "history filter", "history_filter", 2048 * 8, .005, 2.0, 0, 0, WARP,
	  WORDS },
	{ 32, "commit_unit", "ring", "entries", 1920 * 80, .067, 16.77, 0, 0, WARP, ENTRIES },
	{ 32, "commit_unit", "buffers", "buffers", 32768 * 8, .289, 22.08, 0, 0, WARP, BUFFERS },
	{ 32, "first_read", "first-read times", "first_read", 12288 * 8, .025, 7.55, 0, 1, ALWAYS,
	  { "loads", "replies" } },
	{ 32, "last_written", "last-written times", "last_written", 16384 * 8, .031, 9.86, 1, 0,
	  ALWAYS, { "records", "queries" } },
	{ 32, "conflict_address_table", "addresses, marks", "conflict_addresses", 12288 * 8, .040,
	  10.22, 0, 1, ALWAYS, { "inserted", "removed", "lookups" } },
	{ 32, "reference_count_table", "addresses, counts", "reference_counts", 15360 * 8, .049,
	  12.6, 0, 0, ALWAYS, { "added", "removed" } },
	{ 32, "commit_buffer", "data", "write_buffers", 16384 * 8, .087, 14.26, 0, 0, ALWAYS,
	  { "entries", "written" } },
	{ 32, "validation_unit", "ways", "precise", 65536 * 8, .181, 69.59, 1, 1, ALWAYS,
	  { "access_cycles", "releases" } },
	{ 32, "metadata_table", "filter", "approximate", 8192 * 8, .018, 8.51, 1, 1, ALWAYS,
	  { "misses", "evictions", "approximated" } },
	{ 32, "warp_clock", "warpts", "warpts", 1536, .001, .71, 0, 1, ALWAYS,
	  { "reports", "restarts", "commits" } },
	{ 32, "stall_buffer", "lines", "stalls", 720 * 8, .0004, 2.67, 1, 1, ALWAYS,
	  { "queued", "woken" } },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))
#define STATS (sizeof(rows->accesses) / sizeof(rows->accesses[0]))

/* All units of a row's role. */
struct units {
	const struct gputm_unit *first;
	uint64_t count, accesses;
};

static void count_unit(struct units *units, const struct row *row, const struct gputm_unit *unit)
{
	uint64_t value;

	units->first = units->first ? units->first : unit;
	units->count++;
	for (size_t k = 0; k < STATS && row->accesses[k]; k++)
		if (gputm_unit_stat_value(unit, row->accesses[k], &value))
			units->accesses += value;
}

static bool applies(const struct row *row, const struct units *units)
{
	const struct gputm_commit_unit_config *config;

	if (!units->first || row->mode == ALWAYS)
		return units->first;
	config = gputm_unit_config(units->first);
	return config->warp_mode == (row->mode == WARP);
}

/* Bits in our configuration, of all units that the figures are for. */
static double bits_of(const struct row *row, const struct units *units)
{
	struct gputm_storage array;

	for (size_t i = 0; row->array && gputm_unit_storage(units->first, i, &array); i++)
		if (!strcmp(array.name, row->array))
			return (double)(array.entries * array.bits) *
			       (row->whole ? (double)units->count : 1);
	return row->bits;
}

static double microseconds(const struct sim_report *r)
{
	return (double)r->result.cycles / r->result.core_mhz;
}

double sim_energy_leakage(const struct sim_report *r)
{
	return LEAKAGE_W * microseconds(r);
}

double sim_energy_clock(const struct sim_report *r)
{
	return CLOCK_W * microseconds(r);
}

static void fill(const struct sim_report *r, const struct row *row, const struct units *units,
		 struct sim_energy *out)
{
	const struct sim_machine_config *machine = &r->setup->machine;
	double count = row->whole ? 1 : (double)units->count;
	double slots = microseconds(r) * (row->fast ? machine->core_mhz : machine->unit_mhz) *
		       (double)units->count;
	double part = slots > (double)units->accesses ? (double)units->accesses / slots : 1;

	out->node = row->node;
	out->name = row->name;
	out->energy = row->mw / 1000 * count * microseconds(r);
	out->active = row->accesses[0] ? out->energy * part : out->energy;
	out->area = row->mm2 * count;
	out->scaled = row->bits > 0 ? out->area * bits_of(row, units) / row->bits : out->area;
}

size_t sim_energy_arrays(const struct sim_report *r, struct sim_energy out[SIM_ENERGY_ARRAYS])
{
	struct units units[ROWS] = { { .first = NULL } };
	struct sim_unit_info info;
	const char *other = NULL; /* the role has no row */
	size_t count = 0;

	for (size_t i = 0; sim_unit_get(&r->run->port, i, &info); i++) {
		bool any = false;

		for (size_t k = 0; info.role != other && k < ROWS; k++)
			if (!strcmp(info.role, rows[k].role)) {
				count_unit(&units[k], &rows[k], info.unit);
				any = true;
			}
		other = any ? other : info.role;
	}
	for (size_t k = 0; k < ROWS && count < SIM_ENERGY_ARRAYS; k++)
		if (applies(&rows[k], &units[k]))
			fill(r, &rows[k], &units[k], &out[count++]);
	return count;
}

bool sim_energy_total(const struct sim_energy array[], size_t count, unsigned node,
		      struct sim_energy *out)
{
	bool any = false;

	*out = (struct sim_energy){ .node = node };
	for (size_t i = 0; i < count; i++) {
		if (array[i].node != node)
			continue;
		any = true;
		out->energy += array[i].energy;
		out->active += array[i].active;
		out->area += array[i].area;
		out->scaled += array[i].scaled;
	}
	return any;
}
